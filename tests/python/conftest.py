"""What the tests share: the source tree, the build, and the program to compare with."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(os.environ["TRAMMEL_SOURCE"])
BUILD = pathlib.Path(os.environ["TRAMMEL_BUILD"])


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def build():
    return BUILD


@pytest.fixture
def program():
    """program("run", ...) -> the finished process of the command line."""
    def run(*words):
        return subprocess.run([BUILD / "tools" / "trammel", *map(str, words)], capture_output=True,
                              text=True, check=False, cwd=ROOT)
    return run


@pytest.fixture
def program_json(program):
    """The same with --json, parsed."""
    def run(*words):
        return json.loads(program(*words, "--json").stdout)
    return run


@pytest.fixture(autouse=True)
def in_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def pytest_collection_modifyitems(items):
    """Tests of own methods come last: what is registered stays for the process, and in trammel.methods()."""
    items.sort(key=lambda item: item.path.name == "test_own.py")
