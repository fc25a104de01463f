"""Batches: the bits of single runs, views without copies, resets, failures of one run."""
import ctypes
import gc
import os
import signal
import subprocess
import sys
import time

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


def test_a_number_of_runs_is_a_whole_number_that_C_has(model):
    for n, raised in ((2**32 + 4, OverflowError), (2**31, OverflowError), (1.9, TypeError), ("8", TypeError), (0, trammel.OptionsError)):
        with pytest.raises(raised):
            model.batch(n)
    batch = model.batch(2)
    for run in (2**32, 2**32 + 1, 1.5):
        with pytest.raises((ctypes.ArgumentError, TypeError)):
            batch.reset(run)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_batch_stays_with_its_process(model, threads):
    batch = model.batch(6, threads=threads)
    batch.step(0.125)
    child = os.fork()
    if child == 0:  # as multiprocessing does by default on Linux
        said = 0
        for call in (lambda: batch.step(0.125), lambda: batch.step_to(1), batch.reset):
            try:
                call()
            except trammel.OptionsError as problem:
                said += "behind fork() make a new batch" in str(problem)
        fresh = model.batch(6, threads=threads)
        fresh.step(0.125)
        same = (fresh.q == batch.q).all()
        del batch
        os._exit(0 if said == 3 and same else 1)
    for _ in range(12000):
        done, code = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.05)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise AssertionError("the child hangs")
    assert code == 0
    batch.step(0.125)
    assert (batch.t == 0.25).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_steps_of_a_thousand_have_the_bits_of_one(model, threads):
    """A batch returns to Python every thousand steps of each run: with events, in lanes, in threads."""
    whole, pieces = model.batch(5, threads=threads), model.batch(5, threads=threads)
    lib = trammel._library.lib
    for batch, most in ((whole, 0), (pieces, 1)):
        assert lib.trm_batch_set_most(batch._handle, most, None) == 0
        batch.inputs[:, 0] = np.arange(5) / 3
        batch.step(0.5)
        batch.step(0.25)
    assert (whole.t == 0.75).all() and (pieces.t == 0.75).all()
    assert (whole.q == pieces.q).all() and (whole.v == pieces.v).all()
