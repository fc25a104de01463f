"""Coordinates of joints: poses, joint-space dynamics and linearizations against closed forms."""
import json
import os
import re

import numpy as np
import pytest

import trammel
import scenes

G, M1, M2, L1, L2 = 9.81, 2.0, 3.0, 0.7, 0.5


@pytest.fixture
def arm():
    """Two uniform bars on hinges, both along x at first."""
    scene = trammel.Builder(2, gravity=(0, -G))
    upper = scene.body("upper", ends=((0, 0), (L1, 0)), mass=M1)
    fore = scene.body("fore", ends=((L1, 0), (L1 + L2, 0)), mass=M2)
    scene.joint("S", "revolute", scene.ground, upper, at=(0, 0))
    scene.joint("E", "revolute", upper, fore, at=(L1, 0))
    return scene.build()


def textbook(theta, rate):
    """M and h of the two-link arm with relative angles."""
    (a, b), (u, w) = theta, rate
    i1, i2 = M1 * L1 ** 2 / 12, M2 * L2 ** 2 / 12
    c, s = np.cos(b), np.sin(b)
    m22 = i2 + M2 * L2 ** 2 / 4
    m12 = m22 + M2 * L1 * L2 / 2 * c
    m11 = i1 + M1 * L1 ** 2 / 4 + m22 + M2 * (L1 ** 2 + L1 * L2 * c)
    k = M2 * L1 * L2 / 2 * s
    g2 = M2 * G * L2 / 2 * np.cos(a + b)
    g1 = (M1 / 2 + M2) * G * L1 * np.cos(a) + g2
    return np.array([[m11, m12], [m12, m22]]), np.array([-k * w * (2 * u + w) + g1, k * u * u + g2])


@pytest.mark.parametrize("theta, rate", [((0, 0), (0, 0)), ((0.4, -1.1), (0, 0)), ((-0.7, 2.0), (1.5, -0.8))])
def test_an_arm_has_the_mass_matrix_and_bias_of_the_textbook(arm, theta, rate):
    query = arm.query()
    q, v = query.pose({"S": theta[0], "E": theta[1]}, {"S": rate[0], "E": rate[1]})
    assert query.coordinates(["S", "E"], q) == pytest.approx(theta, abs=1e-11)
    assert q[5] == pytest.approx(sum(theta), abs=1e-11)
    found, (M, h) = query.joint_space(["S", "E"], q, v), textbook(theta, rate)
    assert found.M == pytest.approx(M, abs=1e-11) and found.h == pytest.approx(h, abs=1e-7)
    assert found.S @ rate == pytest.approx(v, abs=1e-11)
    back = query.joint_space(["E", "S"], q, v)
    assert back.M == pytest.approx(M[::-1, ::-1], abs=1e-11) and back.joints == ("E", "S")


def test_a_cart_and_pole_has_the_matrices_of_the_textbook():
    m, mp, l = 5.0, 0.4, 1.2
    scene = trammel.Builder(2, gravity=(0, -G))
    scene.parameter("u", 0, input=True)
    scene.body("cart", mass=m, shape={"type": "box", "size": (1, 0.5)})
    scene.body("pole", ends=((0, 0), (0, l)), mass=mp)
    scene.joint("rail", "prismatic", "ground", "cart", at=(0, 0), axis=(1, 0))
    scene.joint("hinge", "revolute", "cart", "pole", at=(0, 0))
    scene.force("drive", "joint_force", joint="rail", value="u")
    query = scene.build().query()
    found = query.linearize_joints(["rail", "hinge"], inputs=["u"], outputs=[trammel.Output("pole", (1, 0, 0))])
    # (m + mp) x'' - mp l/2 p'' = u, -mp l/2 x'' + mp l^2/3 p'' - mp g l/2 p = 0; p counterclockwise
    inverse = np.linalg.inv([[m + mp, -mp * l / 2], [-mp * l / 2, mp * l * l / 3]])
    stiffness = np.array([[0, 0], [0, mp * G * l / 2]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [inverse @ stiffness, np.zeros((2, 2))]])
    assert found.A == pytest.approx(A, abs=1e-6)
    assert found.B[:, 0] == pytest.approx([0, 0, *inverse[:, 0]], abs=1e-8)
    assert found.C[0] == pytest.approx([1, -l / 2, 0, 0], abs=1e-8)


def test_a_loop_is_closed_at_the_angle_of_one_joint():
    model = trammel.load("scenes/four_bar.json")
    query, name = model.query(), next(j.name for j in model.joints if j.unit == "rad" and j.a == -1)
    for angle in (0.2, -0.3):
        q, v = query.pose({name: angle}, {name: 1.5})
        with model.run(assemble=False) as sim:
            sim.set_state(0, q, v)  # refused if it did not close
            assert sim.read(name + ".coordinate")[0] == pytest.approx(angle, abs=1e-11)
            assert sim.read(name + ".coordinate_rate")[0] == pytest.approx(1.5, abs=1e-11)


def test_what_joints_cannot_do_is_told(arm):
    query = arm.query()
    with pytest.raises(trammel.OptionsError, match="as many joints as the mechanism has freedoms, 2, got 1"):
        query.linearize_joints(["S"], query.pose({"S": -np.pi / 2, "E": 0})[0])
    with pytest.raises(trammel.OptionsError, match="2, or fewer, got 3"):
        query.joint_space(["S", "E", "S"])
    with pytest.raises(trammel.OptionsError, match="knee"):
        query.pose({"knee": 1})
    loop = trammel.load("scenes/four_bar.json")
    with pytest.raises(trammel.Error):
        loop.query().pose({joint.name: 1.0 + i for i, joint in enumerate(loop.joints) if joint.unit == "rad"})


def test_a_model_with_other_parameters_is_another_model():
    model = trammel.parse(scenes.text())
    longer = model.set(l=2)
    assert model.parameters["l"] == 1 and longer.parameters["l"] == 2 and longer.set(w=1).parameters == {"l": 2, "w": 1}
    assert longer.simulate(1).q[-1][2] == trammel.parse(scenes.text(), {"l": 2}).simulate(1).q[-1][2]
    with pytest.raises(trammel.SceneError):
        model.set(length=3)


def test_a_builder_names_what_it_does_not_know():
    scene = trammel.Builder(2, title="A bar", end=1)
    scene.body("bar", ends=((0, 0), ("l", 0)), mass=np.float64(2))
    with pytest.raises(trammel.UnknownNameError, match="bar"):
        scene.joint("O", "revolute", "ground", "baar", at=(0, 0))
    with pytest.raises(trammel.SceneError, match="already"):
        scene.marker("bar", "bar", on=(0, 0))
    scene.parameter("l", 1)
    scene.joint("P", "revolute", "ground", "bar", at=np.zeros(2))
    model = scene.build()
    assert model.title == "A bar" and model.defaults.end == 1 and [joint.name for joint in model.joints] == ["P"]
    assert trammel.parse(scene.json()).nq == 3


def test_a_builder_writes_transmissions_stops_and_curves():
    """A rack driven by a pinion of 0.1 m with an armature, against friction, and a bead on a ring."""
    scene = trammel.Builder(2, end=1)
    wheel = scene.body("wheel", mass=1, inertia=0.02)
    rack = scene.body("rack", mass=2, inertia=0.1, position=(0, -0.1))
    bead = scene.body("bead", mass=1, shape={"type": "point"}, position=(1, 0), velocity=(0, 2))
    axle = scene.joint("axle", "revolute", scene.ground, wheel, at=(0, 0), armature=0.01)
    slide = scene.joint("slide", "prismatic", scene.ground, rack, at=(0, -0.1), axis=(1, 0), limits=(None, 0.3),
                        restitution=0.5, friction={"sliding": 0.5})
    scene.rack_and_pinion("teeth", axle, slide, 0.1)
    scene.force("T", "joint_force", joint=axle, value=1)
    scene.marker("b", bead, on=(0, 0))
    scene.marker("o", scene.ground, at=(0, 0))
    scene.curve("ring", "b", "o", formulas=("cos(s)", "sin(s)"), range=(0, "2*pi"), closed=True)
    scene.marker("low", scene.ground, at=(0, -2))
    scene.stop("floor", marker="b", on="low", normal=(0, 1))
    with pytest.raises(trammel.UnknownNameError, match="slid"):
        scene.screw("s", axle, "slid", 0.1)
    model = scene.build()
    # before the impact at x = 0.3: J phi'' = T - r F with J = 0.02 + 0.01 + 2 0.1^2 and F = 0.5
    bend = (1 - 0.1 * 0.5) / (0.02 + 0.01 + 2 * 0.1**2)
    impact = (2 * (0.3 / 0.1) / bend) ** 0.5
    result = model.simulate(0.9 * impact)
    assert result.q[-1][3] == pytest.approx(0.1 * bend * (0.9 * impact) ** 2 / 2, abs=1e-7)
    assert result.q[-1][6] == pytest.approx(np.cos(2 * 0.9 * impact), abs=1e-7)
    names = [one["type"] for one in json.loads(scene.json())["constraints"]]
    assert names == ["rack_and_pinion", "curve"]


def test_every_kind_of_constraint_has_a_method():
    with open(os.path.join(os.environ["TRAMMEL_SOURCE"], "scenes", "scene.schema.json"), encoding="utf-8") as file:
        kinds = json.load(file)["$defs"]["constraint_3"]
    found = set(re.findall(r'"const": ?"(\w+)"', json.dumps(kinds)))
    assert {"gear", "curve"} <= found
    assert all(hasattr(trammel.Builder, kind) for kind in found - {"expression"})


def test_a_recording_becomes_a_data_frame():
    pandas = pytest.importorskip("pandas")
    result = trammel.parse(scenes.text()).simulate()
    frame = result.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t" and len(frame) == len(result.t)
    assert (frame["bar.angle[rad]"].to_numpy() == result["bar"].angle).all()
    assert list(result.to_dataframe("bar.angle", "energy").columns) == [
        "bar.angle[rad]", "energy.kinetic[J]", "energy.potential[J]", "energy.work[J]"]


def test_fewer_joints_leave_the_rest_undriven():
    """The cart alone, with the pole free to swing: its mass is what a push feels; a body in flight changes nothing of an arm"""
    m, mp, l, angle, rate = 5.0, 0.4, 1.2, 0.7, 1.3
    scene = trammel.Builder(2, gravity=(0, -G))
    scene.body("cart", mass=m, shape={"type": "box", "size": (1, 0.5)})
    scene.body("pole", ends=((0, 0), (0, l)), mass=mp)
    scene.body("thrown", mass=2, inertia=1, position=(3, 3), velocity=(1, 2), rate=4)
    scene.joint("rail", "prismatic", "ground", "cart", at=(0, 0), axis=(1, 0))
    scene.joint("hinge", "revolute", "cart", "pole", at=(0, 0))
    query = scene.build().query()
    q, v = query.pose({"rail": 0, "hinge": angle}, {"rail": 0, "hinge": rate})
    both, cart = query.joint_space(["rail", "hinge"], q, v), query.joint_space(["rail"], q, v)
    side = -mp * l / 2 * np.cos(angle)
    M = np.array([[m + mp, side], [side, mp * l * l / 3]])
    h = np.array([mp * l / 2 * np.sin(angle) * rate**2, -mp * G * l / 2 * np.sin(angle)])
    assert both.M == pytest.approx(M, abs=1e-11) and both.h == pytest.approx(h, abs=1e-7)
    assert cart.M[0, 0] == pytest.approx(M[0, 0] - side**2 / M[1, 1], abs=1e-11)
    assert cart.h[0] == pytest.approx(h[0] - side / M[1, 1] * h[1], abs=1e-7)
    tip = query.model.jacobian("cart", q).linear @ cart.S
    assert tip[:, 0] == pytest.approx([1, 0, 0], abs=1e-11)


def test_a_result_knows_every_name():
    result = trammel.load("scenes/industrial/crane.json").simulate(end=1, every=0.5)
    assert result["S"].coordinate[-1] == pytest.approx(0.4) and result["swing"] is result.outputs["swing"]
    assert result["trolley"] is result.bodies["trolley"]
    with pytest.raises(trammel.UnknownNameError, match="swing"):
        result["swin"]
