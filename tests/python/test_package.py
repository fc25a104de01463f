"""How the package is built, installed and found, and that it belongs to its library."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import trammel
from trammel import _library

WHERE = "import trammel; print(trammel.__version__, trammel._library.path(), trammel.__file__)"


def python(*words, interpreter=sys.executable, path=None, check=True, **env):
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "LD_LIBRARY_PATH")}
    if path is not None:
        clean["PYTHONPATH"] = str(path)
    return subprocess.run([interpreter, *map(str, words)], capture_output=True, text=True, check=check,
                          env={**clean, **env}, cwd="/")


def test_the_version_is_that_of_library_header_and_program(root, program):
    header = re.search(r'TRM_VERSION "(.*)"', (root / "include" / "trammel" / "trammel_status.h").read_text())[1]
    assert trammel.__version__ == header == _library.lib.trm_version().decode()
    assert header in program("version").stdout


def test_a_library_of_another_version_is_refused(tmp_path, build):
    source = tmp_path / "old.c"
    source.write_text('const char *trm_version(void);\nconst char *trm_version(void) { return "0.0.9"; }\n')
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", tmp_path / "old.so"], check=True)
    package = build / "tools" / "python"
    done = python("-c", WHERE, path=package, check=False, TRAMMEL_LIBRARY=str(tmp_path / "old.so"))
    assert done.returncode and "is version 0.0.9, the Python package is version " in done.stderr
    source.write_text(source.read_text().replace("0.0.9", trammel.__version__))
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", tmp_path / "other.so"], check=True)
    done = python("-c", WHERE, path=package, check=False, TRAMMEL_LIBRARY=str(tmp_path / "other.so"))
    assert done.returncode and "has no function trm_" in done.stderr
    done = python("-c", WHERE, path=package, check=False, TRAMMEL_LIBRARY="/no/such.so")
    assert done.returncode and "was not found" in done.stderr and "meson install" in done.stderr


def test_an_installed_package_finds_its_own_library(build, tmp_path):
    subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--destdir", tmp_path], check=True,
                   capture_output=True)
    package, = tmp_path.rglob("trammel/__init__.py")
    version, library, file = python("-c", WHERE, path=package.parent.parent).stdout.split()
    assert version == trammel.__version__ and file == str(package)
    assert pathlib.Path(library).is_relative_to(tmp_path)
    assert (package.parent / "py.typed").exists()
    names = {path.name for path in package.parent.iterdir() if path.suffix in (".py", ".typed")}
    ours = {path.name for path in (build / "tools" / "python" / "trammel").iterdir() if path.is_file()}
    assert names == ours - {"_location_installed.py"}


@pytest.fixture
def tree(root, tmp_path):
    """The sources that pip needs, where nothing else is."""
    copy = tmp_path / "tree"
    shutil.copytree(root / "tools" / "python", copy / "tools" / "python",
                    ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(root / "include" / "trammel", copy / "include" / "trammel")
    shutil.copy(root / "meson.build", copy)
    return copy


def test_pip_installs_it_without_compiler_or_network(tree, build, tmp_path):
    if python("-m", "pip", "--version", check=False).returncode:
        pytest.skip("no pip")
    venv = tmp_path / "venv"
    made = python("-m", "venv", "--system-site-packages", "--without-pip", venv, check=False)
    if made.returncode:
        pytest.skip("no venv")
    interpreter = venv / "bin" / "python"
    before = sorted(tree.rglob("*"))
    python("-m", "pip", "install", "--no-index", tree / "tools" / "python", interpreter=interpreter,
           PATH=str(venv / "bin"), PYTHONDONTWRITEBYTECODE="1")
    assert sorted(tree.rglob("*")) == before  # it leaves nothing behind
    done = python("-c", WHERE, interpreter=interpreter, TRAMMEL_LIBRARY=str(build / "libtrammel.so"))
    version, library, file = done.stdout.split()
    assert version == trammel.__version__ and pathlib.Path(file).is_relative_to(venv)
    # without a library it says so; with one in the tree's build folder it takes that
    missing = python("-c", WHERE, interpreter=interpreter, check=False)
    if "ImportError: the shared library of Trammel was not found" not in missing.stderr:
        assert missing.returncode == 0  # one is installed in this system
    (tree / "build").mkdir()
    shutil.copy(build / "libtrammel.so", tree / "build" / "libtrammel.so.0")
    assert python("-c", WHERE, interpreter=interpreter).returncode == 0
    listed = python("-m", "pip", "show", "-f", "trammel", interpreter=interpreter).stdout
    assert f"Version: {version}" in listed and "Requires: numpy" in listed and "py.typed" in listed


def test_pip_and_meson_install_the_same_files(root, build, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(root / "tools" / "python")
    import build_package
    _, files = build_package.files()
    folder = build / "tools" / "python" / "trammel"
    for path, data in files.items():
        name = path.removeprefix("trammel/")
        if name != "_location.py":
            assert (folder / name).read_bytes() == data, name
    assert {path.removeprefix("trammel/") for path in files} == {
        path.relative_to(folder).as_posix() for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts} - {"_location_installed.py"}
    name = build_package.build_sdist(tmp_path)
    shutil.unpack_archive(tmp_path / name, tmp_path)
    unpacked = tmp_path / name.removesuffix(".tar.gz")
    wheel = python("-c", f"import build_package; print(build_package.build_wheel({str(tmp_path)!r}))",
                   path=unpacked).stdout.strip()
    shutil.unpack_archive(tmp_path / wheel, tmp_path / "wheel", "zip")
    assert (tmp_path / "wheel" / "trammel" / "_abi.py").read_bytes() == files["trammel/_abi.py"]


@pytest.mark.skipif("TRAMMEL_NIGHTLY" not in os.environ, reason="by tools/test --nightly")
def test_types_are_sound(root, build):
    if python("-m", "mypy", "--version", check=False).returncode:
        pytest.skip("no mypy")
    done = python("-m", "mypy", "--strict", "--cache-dir", build / "mypy", build / "tools" / "python" / "trammel", check=False)
    assert done.returncode == 0, done.stdout


def test_everything_public_has_a_docstring():
    for name in trammel.__all__:
        thing = getattr(trammel, name)
        if isinstance(thing, type):
            assert thing.__doc__, name
            for key, member in vars(thing).items():
                if not key.startswith("_") and (callable(member) or isinstance(member, property)):
                    assert member.__doc__ or key in ("title", "name", "balance"), f"{name}.{key}"
