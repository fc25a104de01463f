"""Batches: the bits of single runs, views without copies, resets, failures of one run."""
import gc
import os
import subprocess
import sys

import numpy as np
import pytest

import trammel

import scenes


@pytest.fixture
def model():
    return trammel.parse(scenes.text(scenes.SERVO))


def single(model, drive):
    with model.run(accuracy=1e-6) as sim:
        for k, value in enumerate(drive, 1):
            sim.set_input("bias", value)
            sim.run_to(k * 0.125)
        return np.concatenate([sim.q, sim.v])


def test_a_batch_has_the_bits_of_single_runs(model):
    drive = np.random.default_rng(5).normal(size=(7, 4))
    for threads in (1, 3):
        batch = model.batch(7, threads=threads, accuracy=1e-6, sensors=["O.coordinate", "bias"])
        q, readings = batch.q, batch.sensor_values
        for k in range(4):
            batch.inputs[:, 0] = drive[:, k]
            batch.step(0.125)
        assert (batch.t == 0.5).all() and q is batch.q and readings.shape == (7, 2)
        for i in range(7):
            assert (np.concatenate([q[i], batch.v[i]]) == single(model, drive[i])).all()
        assert (readings[:, 1] == drive[:, 3]).all()


def test_resets_and_views(model):
    batch = model.batch(3, "rk4+s-both2", step=0.01)
    batch.inputs[:] = 2
    batch.step(0.1)
    batch.reset(1)
    assert batch.t.tolist() == [0.1, 0, 0.1] and (batch.q[1] == model.q0).all()
    assert batch.inputs[:, 0].tolist() == [2, 0.25, 2]
    batch.reset(0, q=model.q0, v=model.v0, t=5)
    batch.step_to(0.2)
    assert batch.t.tolist() == [5, 0.2, 0.2]
    batch.reset()
    assert (batch.t == 0).all() and (batch.status == 0).all()
    for array in (batch.t, batch.q, batch.v, batch.status):
        with pytest.raises(ValueError):
            array[0] = 1
    q = batch.q
    del batch
    gc.collect()
    assert (q[2] == model.q0).all()  # its memory lives as long as it


def test_one_run_that_fails_stays_where_it_is(model):
    batch = model.batch(3, "rk4+s-both2", step=0.01)
    batch.inputs[1] = np.nan
    with pytest.raises(trammel.OptionsError, match="run 1"):
        batch.step(0.1)
    batch.step(0.1, strict=False)
    assert batch.t.tolist() == [0.2, 0, 0.2] and (batch.status < 0).tolist() == [False, True, False]
    with pytest.raises(trammel.OptionsError):
        batch.step(-1)
    with pytest.raises(trammel.OptionsError):
        model.batch(0)


def test_the_example_of_a_vector_environment():
    folder = os.path.join(os.environ["TRAMMEL_SOURCE"], "docs", "examples")
    done = subprocess.run([sys.executable, os.path.join(folder, "vector_env.py"), "--runs", "16", "--episodes", "2"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "16 carts" in done.stdout and "return" in done.stdout
