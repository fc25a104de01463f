"""Ctrl-C, and other handlers of the signal."""
import os
import signal
import subprocess
import sys
import threading

import pytest

import trammel

import scenes


@pytest.fixture(autouse=True)
def handled():
    """A shell that started the tests in its background may have SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


SCRIPT = """
import signal, sys, numpy, trammel
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started the tests without
sys.path.insert(0, sys.argv[1])
import scenes
scene = trammel.Scene.parse(scenes.text())
if sys.argv[2] == "callback":
    scene.add_force("f", lambda model, t, q, v: numpy.zeros(3))
model = scene.build()
try:
    print("ready", flush=True)
    if sys.argv[2] == "run_to":
        model.run().run_to(1e6)  # farther, and it would be given up for making no headway
    elif sys.argv[2] == "step_to":
        model.run().step_to(1e6)
    elif sys.argv[2] == "batch":
        model.batch(4).step(1e6)
    elif sys.argv[2] == "step":
        model.run("rk4", step=1e-3).step(10**9)
    else:
        model.simulate(end=1e6, every=1e3)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("what", ["simulate", "run_to", "step", "step_to", "batch", "callback"])
def test_ctrl_c_ends_a_long_run(what, tmp_path):
    here = os.path.dirname(os.path.abspath(__file__))
    child = subprocess.Popen([sys.executable, "-c", SCRIPT, here, what], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        timer = threading.Timer(0.2, child.send_signal, [signal.SIGINT])
        timer.start()
        out, err = child.communicate()
    finally:
        child.kill()
    assert (out, err, child.returncode) == ("interrupted\n", "", 0)


def interrupt_soon(sim):
    if sim.stats.steps == 5:
        os.kill(os.getpid(), signal.SIGINT)


def test_the_run_stops_after_the_step_and_the_handler_is_put_back():
    before = signal.getsignal(signal.SIGINT)
    sim = trammel.parse(scenes.text()).run("rk4", step=0.01)
    with pytest.raises(KeyboardInterrupt):
        sim.run_to(1e6, observe=interrupt_soon)
    assert signal.getsignal(signal.SIGINT) is before
    assert sim.stats.steps in (5, 6)
    sim.step()


def test_a_handler_of_the_user_decides():
    noted = []
    before = signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
    try:
        result = trammel.parse(scenes.text()).simulate(1, "rk4", step=0.01, observe=interrupt_soon)
    finally:
        signal.signal(signal.SIGINT, before)
    assert noted == [signal.SIGINT] and result.status == "done"


def test_ignored_signals_stay_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        result = trammel.parse(scenes.text()).simulate(1, "rk4", step=0.01, observe=interrupt_soon)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    assert result.status == "done"


def test_an_interrupt_of_a_run_within_a_run_ends_both():
    model = trammel.parse(scenes.text())
    steps = []

    def outer(sim):
        steps.append(sim.t)
        model.simulate(1e6, every=1e5, observe=interrupt_soon)

    with pytest.raises(KeyboardInterrupt):
        model.simulate(1e6, every=1e5, observe=outer)
    assert len(steps) == 1


def test_exceptions_of_observers_come_out_as_they_are():
    class Mine(Exception):
        pass

    problem = Mine()

    def raises(*_):
        raise problem

    model = trammel.parse(scenes.text())
    for options in ({"observe": raises}, {"progress": raises}):
        with pytest.raises(Mine) as caught:
            model.simulate(1, **options)
        assert caught.value is problem
