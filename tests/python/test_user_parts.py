"""Forces and constraints that are functions of Python."""
import os
import signal

import numpy as np
import pytest

import trammel

import scenes


def weight(model, t, q, v):
    f = np.zeros(model.nv)
    f[model.body("bar").v.start + 1] = -2 * 9.81
    return f


def free_bar():
    """The bar without gravity and without its joint."""
    return trammel.Scene.parse(scenes.text(gravity=[0, 0], joints=[]))


def hinge(scene, **more):
    """The end of the bar stays in the origin: g = p - (cos, sin)/2."""
    def g(model, t, q):
        return [q[0] - np.cos(q[2]) / 2, q[1] - np.sin(q[2]) / 2]

    def G(model, t, q):
        return [[1, 0, np.sin(q[2]) / 2], [0, 1, -np.cos(q[2]) / 2]]

    scene.add_constraint("hinge", g, G, rows=2, **more)


def gamma(model, t, q, v):
    return [-v[2] ** 2 * np.cos(q[2]) / 2, -v[2] ** 2 * np.sin(q[2]) / 2]


@pytest.mark.parametrize("more", [{"gamma": gamma}, {}, {"g_t": lambda model, t, q: [0, 0], "gamma": gamma}])
def test_they_do_what_built_in_ones_do(more):
    scene = free_bar()
    scene.add_force("weight", weight)
    hinge(scene, **more)
    model = scene.build()
    assert [row.joint for row in model.rows] == ["hinge", "hinge"]
    ours = model.simulate(2, every=0.1, accuracy=1e-8)
    builtin = trammel.parse(scenes.text()).simulate(2, every=0.1, accuracy=1e-8)
    assert ours.q == pytest.approx(builtin.q, abs=1e-7)
    assert abs(ours.lambda_) == pytest.approx(abs(builtin.lambda_), abs=1e-4)
    # what a user's force does is work, not potential
    assert ours.energy.work == pytest.approx(-builtin.energy.potential + builtin.energy.potential[0], abs=1e-6)
    assert model.check().degrees_of_freedom == 1
    assert model.check().reactions.joints == {"hinge": ["unique", "unique"]}


def test_a_constraint_may_depend_on_time():
    scene = free_bar()
    scene.add_constraint("lift", lambda model, t, q: q[1] - t ** 2 / 2, lambda model, t, q: [0, 1, 0],
                         g_t=lambda model, t, q: -t, gamma=lambda model, t, q, v: 1)
    result = scene.build().simulate(1, every=0.1)
    assert result["bar"].position[:, 1] == pytest.approx(result.t ** 2 / 2, abs=1e-9)
    assert abs(result.lambda_[:, 0]) == pytest.approx(2, abs=1e-6)  # 2 kg lifted with 1 m/s^2


class Broken(Exception):
    pass


def test_their_exceptions_come_out_as_they_are():
    problem = Broken("at one second")

    def bad(model, t, q, v):
        if t > 1:
            raise problem
        return np.zeros(3)

    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("bad", bad)
    model = scene.build()
    for go in (lambda: model.simulate(), lambda: model.run("rk4", step=0.01).run_to(2),
               lambda: model.run("rk4", step=0.01).step(1000), lambda: model.run().terms(t=3)):
        with pytest.raises(Broken) as caught:
            go()
        assert caught.value is problem
    # the run is as it was before the step, and nothing is left over for the next call
    sim = model.run("rk4", step=0.01)
    with pytest.raises(Broken):
        sim.run_to(2)
    assert 0.98 < sim.t <= 1.01 and (sim.q == sim.sample().q).all()
    assert sim.drift.position < 1e-8
    assert model.run().step() > 0


def test_exceptions_before_the_first_step_and_in_a_check():
    scene = trammel.Scene.parse(scenes.text())

    def bad(model, t, q):
        raise Broken

    scene.add_constraint("bad", bad, lambda model, t, q: np.zeros((1, 3)))
    model = scene.build()
    for go in (model.run, model.check, lambda: model.simulate(1)):
        with pytest.raises(Broken):
            go()


def test_outside_its_domain_a_function_makes_adaptive_methods_step_back():
    def wall(model, t, q, v):
        if q[1] < -0.45:  # it would hang at -1/2
            raise trammel.OutsideDomain("below the floor")
        return np.zeros(3)

    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("wall", wall)
    with pytest.raises(trammel.Error) as caught:
        scene.build().simulate(2)
    assert 0.3 < caught.value.t < 0.49
    assert caught.value.result["bar"].position[-1, 1] == pytest.approx(-0.45, abs=1e-3)
    with pytest.raises(trammel.CallbackError) as caught:
        scene.build().simulate(2, "rk4", step=0.01)
    assert isinstance(caught.value.__cause__, trammel.OutsideDomain)
    assert "'wall'" in str(caught.value)


def test_wrong_shapes_and_values_are_named():
    for value, message in (([1, 2], r"user force 'f' gave an array of shape \(2,\)"),
                           ([[1, 2, 3]], "shape"), ("no number", "could not convert")):
        scene = trammel.Scene.parse(scenes.text())
        scene.add_force("f", lambda model, t, q, v, value=value: value)
        with pytest.raises(ValueError, match=message.replace("gave", "returned")):
            scene.build().simulate(1)
    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("f", lambda model, t, q, v: [np.nan] * 3)
    with pytest.raises(trammel.CallbackError, match="'f' is not a finite number"):
        scene.build().simulate(1)
    for name in ("O", ""):
        with pytest.raises(trammel.SceneError):
            scene.add_force(name, weight)
    with pytest.raises(trammel.SceneError, match="rows must be >= 1, got 0"):
        scene.add_constraint("c", weight, weight, rows=0)


def test_functions_may_keep_what_they_get():
    kept = []

    def force(model, t, q, v):
        kept.append((model, t, q, v))
        q[:] = 7  # of no consequence
        return np.zeros(3)

    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("f", force)
    model = scene.build()
    ours = model.simulate(1)
    assert (ours.q == trammel.parse(scenes.text()).simulate(1).q).all()
    assert all(call[0] is model for call in kept)
    del ours, model, scene
    assert all((call[2] == 7).all() and np.isfinite(call[3]).all() for call in kept)


def test_one_scene_many_models():
    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("weight", weight)
    one = scene.build()
    scene.set(l=2)
    two = scene.build()
    assert one.simulate(0.1)["tip"].position[0, 0] == 1 and two.simulate(0.1)["tip"].position[0, 0] == 2
    assert one.check().degrees_of_freedom == two.check().degrees_of_freedom == 1


@pytest.fixture
def sigint_raises():
    """A shell that started the tests in its background may have SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("sigint_raises")
def test_an_interrupt_within_a_function_ends_the_run():
    def force(model, t, q, v):
        if t > 0.5:
            os.kill(os.getpid(), signal.SIGINT)
        return np.zeros(3)

    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("f", force)
    model = scene.build()
    before = signal.getsignal(signal.SIGINT)
    for go in (lambda: model.simulate(1e6), lambda: model.run("rk4", step=0.01).step(1000),
               lambda: model.run("rk4", step=0.01).run_to(1e6), lambda: model.run().terms(t=1)):
        with pytest.raises(KeyboardInterrupt):
            go()
        assert signal.getsignal(signal.SIGINT) is before
