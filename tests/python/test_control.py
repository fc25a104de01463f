"""Inputs and sensors by name, and a control loop on top of them."""
import numpy as np
import pytest

import trammel

import scenes


def driven():
    return scenes.text(parameters={"l": 1, "w": 0, "push": {"value": 0, "input": True}},
                       gravity=[0, 0],
                       forces=[{"name": "push", "type": "torque", "body": "bar", "value": "push"}])


def test_an_input_acts_until_it_is_set_again():
    model = trammel.parse(driven())
    one, = model.inputs
    assert (one.name, one.value, one.smooth) == ("push", 0, 0)
    inertia = 2 / 3  # m l^2 / 3
    with model.run() as sim:
        sim.set_input("push", 3)
        assert sim.input("push") == 3 == sim.read("push")[0]
        sim.step_to(1)
        assert sim.t == 1 and sim["bar"].rate == pytest.approx(3 / inertia, rel=1e-8)
        sim.set_input("push", -3)
        sim.run_to(2)
        assert sim["bar"].rate == pytest.approx(0, abs=1e-7)
        assert sim["bar"].angle == pytest.approx(3 / inertia, rel=1e-8)
        assert sim.energy.work == pytest.approx(0, abs=1e-6)
        with pytest.raises(KeyError):
            sim.set_input("pull", 1)
        with pytest.raises(KeyError):
            sim.input("pull")
        with pytest.raises(trammel.OptionsError):
            sim.set_input("push", float("nan"))


def test_sensors_show_what_the_state_says():
    model = trammel.parse(scenes.text())
    with model.run() as sim:
        sim.run_to(0.3)
        tip = model.sensor("tip.position")
        assert (tip.size, tip.unit) == (3, "m")
        assert sim.read(tip)[:2] == pytest.approx(sim["tip"].position, abs=0)
        assert sim.read("tip.velocity")[:2] == pytest.approx(sim["tip"].velocity, abs=1e-12)
        assert sim.read("bar.acceleration")[:2] == pytest.approx(sim["bar"].acceleration, abs=1e-12)
        assert sim.read("bar.angle")[0] == sim["bar"].angle == pytest.approx(sim.read("O.coordinate")[0])
        assert sim.read("O.lambda") == pytest.approx(sim.joints["O"].array)
        assert sim.read("energy.kinetic")[0] == sim.energy.kinetic
        # the ground carries what keeps the centre of mass on its way: F = m (a - g)
        force = 2 * (sim["bar"].acceleration - [0, -9.81])
        assert sim.read("O.force")[:2] == pytest.approx(force, abs=1e-8)
        with pytest.raises(trammel.OptionsError):
            sim.read("tip.colour")
        other = trammel.parse(scenes.text())
        with pytest.raises(trammel.OptionsError):
            sim.read(other.sensor("tip.position"))


def test_joints_are_listed():
    joint, = trammel.parse(scenes.text()).joints
    assert (joint.name, joint.type, joint.a, joint.b, joint.rows) == ("O", "revolute", -1, 0, slice(0, 2))
    assert not joint.has_motor and joint.unit == "rad"
    assert trammel.load("docs/examples/four_bar.json").joints[0].has_motor


def test_a_controller_in_python_holds_the_bar_up():
    """Torque -k (angle - 90 deg) - c rate, at 200 Hz."""
    model = trammel.parse(driven(), set={"w": 0})
    angle, rate = model.sensor("bar.angle"), model.sensor("bar.rate")
    with model.run() as sim:
        for k in range(1, 601):
            sim.set_input("push", 40 * (np.pi / 2 - sim.read(angle)[0]) - 12 * sim.read(rate)[0])
            sim.step_to(k / 200)
        assert sim.t == 3 and sim["bar"].angle == pytest.approx(np.pi / 2, abs=1e-3)


def test_an_output_is_a_sensor():
    """The power of a motor that turns a bar of 3 kg and 2 m against its weight."""
    model = trammel.parse("""{"dimension": 2, "gravity": [0, -9.81],
        "outputs": {"P": {"value": "O.motor*O.rate", "unit": "W"}},
        "bodies": [{"name": "bar", "mass": 3, "ends": [[0, 0], [2, 0]], "rate": 0.7, "velocity": [0, 0.7]}],
        "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0], "motor": "0.7*t"}]}""")
    power = model.sensor("P")
    assert power.unit == "W"
    with model.run(accuracy=1e-10) as sim:
        sim.run_to(0.8)
        assert sim.read(power) == pytest.approx(3 * 9.81 * np.cos(0.56) * 0.7, abs=1e-8)
