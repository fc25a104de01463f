"""Many runs in many threads; never one run in two."""
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import trammel

import scenes


def test_runs_in_threads_give_the_bits_of_serial_ones():
    model = trammel.load("scenes/four_bar.json")
    starts = [0.1 * k for k in range(1, 9)]

    def run(angle):
        with model.run() as sim:
            sim.perturb(dv=np.zeros(model.nv))
            sim.run_to(1 + angle)
            return sim.q.copy(), sim.stats, sim.report

    serial = [run(angle) for angle in starts]
    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(run, starts))
    for one, other in zip(serial, parallel):
        assert (one[0] == other[0]).all() and one[1:] == other[1:]


def test_exceptions_of_user_functions_stay_in_their_thread():
    class Mine(Exception):
        pass

    def force(model, t, q, v):
        if t > 0.5:
            raise Mine(threading.get_ident())
        return np.zeros(3)

    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("f", force)
    model = scene.build()
    # results of the two: what each raised names its own thread
    def run(_):
        try:
            model.simulate(1)
        except Mine as problem:
            return problem.args[0] == threading.get_ident()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(12))) == [True] * 12


def test_a_run_that_is_being_stepped_refuses_other_threads():
    sim = trammel.parse(scenes.text()).run()
    inside, leave = threading.Event(), threading.Event()

    def observe(_):
        inside.set()
        return leave.wait(20)  # stops the run

    thread = threading.Thread(target=sim.run_to, args=(100, observe))
    thread.start()
    try:
        assert inside.wait(20)
        for use in (sim.step, sim.close, sim.sample, sim.save, lambda: sim.run_to(1), lambda: sim.report,
                    lambda: sim.energy, lambda: sim.terms(), lambda: sim.set_state(0, [0] * 3, [0] * 3),
                    lambda: sim.perturb([0, 0, 0]), lambda: sim.restore(b"")):
            with pytest.raises(trammel.BusyError):
                use()
        assert np.isfinite(sim.q).all()  # its arrays can be looked at
    finally:
        leave.set()
        thread.join()
    sim.step()


def test_observers_and_user_functions_may_not_step_their_run():
    model, refused = trammel.parse(scenes.text()), []

    def observe(sim):
        for use in (sim.step, sim.close, lambda: sim.run_to(9)):
            with pytest.raises(trammel.BusyError):
                use()
        refused.append(sim.report.crossings)
        return True

    model.simulate(1, observe=observe)
    assert refused == [0]

    runs = []

    def force(model, t, q, v):
        if runs and t > 0:
            runs[0].step()
        return np.zeros(3)

    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("f", force)
    runs.append(scene.build().run("rk4", step=0.01))
    with pytest.raises(trammel.BusyError):
        runs[0].step()
    runs.clear()


def test_a_run_within_the_observer_of_another_is_allowed():
    model = trammel.parse(scenes.text())
    ends = []
    model.simulate(0.3, "rk4", step=0.1, every=0,
                   observe=lambda sim: ends.append(model.simulate(sim.t, every=0).t[-1]))
    assert ends == pytest.approx([0.1, 0.2, 0.3])
