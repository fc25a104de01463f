"""The example that designs something finds what is known."""
import importlib.util
import os
import subprocess
import sys

import numpy as np
import pytest

KNOWN = {"coupler": 0.52, "rocker": 0.45, "along": 0.3, "beside": 0.12}


@pytest.fixture
def example(root):
    pytest.importorskip("scipy")
    path = root / "docs" / "examples" / "fit_coupler.py"
    return loaded(path)


def loaded(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_simulated_path_is_that_of_the_closed_form(example):
    lengths = [KNOWN[name] for name in example.NAMES]
    # m: at an accuracy of 1e-6 a step may err by a hundredth of that
    assert example.path(lengths) == pytest.approx(example.wanted_path(), abs=1e-8)


@pytest.mark.parametrize("start", [(0.45, 0.5, 0.2, 0.2), (0.6, 0.6, 0.1, 0.0)])
def test_the_lengths_are_recovered(example, start):
    found = example.fit(example.wanted_path(), start)
    assert dict(zip(example.NAMES, found)) == pytest.approx(KNOWN, abs=1e-6)


def test_it_prints_its_result(example, root):
    done = subprocess.run([sys.executable, root / "docs" / "examples" / "fit_coupler.py"], check=True,
                          capture_output=True, text=True)
    words = [line.split() for line in done.stdout.splitlines()]
    found = {line[0]: float(line[1]) for line in words[:4]}
    assert found == pytest.approx(KNOWN, abs=1e-3)
    assert float(words[4][2]) > 100 > 1 > float(words[5][1])
    assert np.isfinite(list(found.values())).all()


def test_nlopt_recovers_the_lengths_without_a_start(example, root, monkeypatch):
    pytest.importorskip("nlopt")
    monkeypatch.syspath_prepend(root / "docs" / "examples")
    found = loaded(root / "docs" / "examples" / "fit_by_nlopt.py").fit(example.wanted_path())
    assert dict(zip(example.NAMES, found)) == pytest.approx(KNOWN, abs=1e-4)


@pytest.mark.skipif("TRAMMEL_NIGHTLY" not in os.environ, reason="by tools/test --nightly")
def test_evolution_on_a_dask_client_recovers_the_lengths(example, root, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.syspath_prepend(root / "docs" / "examples")
    evolution = importlib.import_module("fit_by_evolution")  # workers find it by this name
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None, set_as_default=False) as client:
        found = evolution.fit(client, example.wanted_path(), generations=80)
    assert dict(zip(example.NAMES, found)) == pytest.approx(KNOWN, abs=0.01)
