"""Coordinates of joints: poses, joint-space dynamics and linearizations against closed forms."""
import json
import os
import re

import numpy as np
import pytest

import trammel
import scenes
from test_joint_coordinates import GRAVITY, KINDS, cross_motion, rotation, shift, tree

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
    with pytest.raises(trammel.UnknownNameError, match="grond"):
        scene.marker("low", "grond", at=(0, -2))  # the call is repeated as it should be
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


def matrices(links, q, v):
    """M and h by composite bodies and the recursive Newton-Euler algorithm (Featherstone 2008, tables 6.2 and 5.1), in body
    axes at the centres."""
    n = len(links)
    place = [(q[7 * i:7 * i + 3], rotation(q[7 * i + 3:7 * i + 7])) for i in range(n)]
    twist = [np.concatenate([v[6 * i + 3:6 * i + 6], place[i][1].T @ v[6 * i:6 * i + 3]]) for i in range(n)]
    I, X, S, a, f = [], [], [], [], []
    for i, link in enumerate(links):
        (x, R), (on, Q) = place[i], place[link["parent"]] if link["parent"] >= 0 else (np.zeros(3), np.eye(3))
        turns, axis = KINDS[link["kind"]][0], link["axis"]
        X.append(shift(R.T @ Q, Q.T @ (x - on)))
        S.append(np.concatenate([axis, np.cross(link["point"], axis)] if turns else [np.zeros(3), axis]))
        I.append(np.block([[link["J"], np.zeros((3, 3))], [np.zeros((3, 3)), link["mass"] * np.eye(3)]]))
        before = (twist[link["parent"]], a[link["parent"]]) if link["parent"] >= 0 else (
            np.zeros(6), np.concatenate([np.zeros(3), -GRAVITY]))
        a.append(X[i] @ before[1] + cross_motion(twist[i]) @ (twist[i] - X[i] @ before[0]))
        f.append(I[i] @ a[i] - cross_motion(twist[i]).T @ I[i] @ twist[i])
    M, h = np.zeros((n, n)), np.zeros(n)
    for i in reversed(range(n)):
        h[i], force, j = S[i] @ f[i], I[i] @ S[i], i
        M[i, i] = S[i] @ force
        while links[j]["parent"] >= 0:
            force, j = X[j].T @ force, links[j]["parent"]
            M[i, j] = M[j, i] = force @ S[j]
        if links[i]["parent"] >= 0:
            f[links[i]["parent"]] += X[i].T @ f[i]
            I[links[i]["parent"]] += X[i].T @ I[i] @ X[i]
    return M, h


@pytest.mark.parametrize("seed", range(12))
def test_a_tree_in_space_has_the_matrices_of_featherstone(seed):
    random = np.random.default_rng(seed)
    text, links = tree(random, 4 + seed, ["revolute", "prismatic"])
    flying = {"name": "payload", "mass": 2, "inertia": [1, 2, 2], "position": [5, 5, 5], "velocity": [1, 2, 3]}
    text = json.dumps({**json.loads(text), "bodies": json.loads(text)["bodies"] + [flying]})
    n, names = len(links), [f"j{i}" for i in range(len(links))]
    query = trammel.parse(text).query()
    signs = np.array([1 if joint.b == i else -1 for i, joint in enumerate(query.model.joints[:n])])
    theta, rate = random.uniform(-1, 1, n), random.uniform(-3, 3, n)
    q, v = query.pose(dict(zip(names, theta)), dict(zip(names, rate)))
    M, h = matrices(links, q, v)
    weight = matrices(links, q, 0 * v)[1] * signs
    M, h = M * np.outer(signs, signs), h * signs
    found = query.joint_space(names, q, v, coriolis=True)
    assert found.M == pytest.approx(M, rel=0, abs=1e-12 * np.abs(M).max())
    assert found.h == pytest.approx(h, rel=0, abs=3e-12 * np.abs(h).max())
    assert found.S @ rate == pytest.approx(v, abs=1e-11)
    assert found.C @ rate == pytest.approx(h - weight, rel=0, abs=1e-11 * np.abs(h).max())
    few, rest = [0, n - 1], list(range(1, n - 1))  # what no force of the caller holds moves by itself
    E = np.linalg.solve(M[np.ix_(rest, rest)], np.column_stack([M[np.ix_(rest, few)], h[rest]]))
    part = query.joint_space([names[i] for i in few], q, v)
    assert part.M == pytest.approx(M[np.ix_(few, few)] - M[np.ix_(few, rest)] @ E[:, :2], rel=0, abs=1e-10 * np.abs(M).max())
    assert part.h == pytest.approx(h[few] - M[np.ix_(few, rest)] @ E[:, 2], rel=0, abs=1e-9 * np.abs(h).max())
    plus, minus = (query.joint_space(names, query.pose(dict(zip(names, theta + s * 1e-5 * rate)), None, q)[0]).M
                   for s in (1, -1))
    skew = (plus - minus) / 2e-5 - 2 * found.C
    assert skew + skew.T == pytest.approx(np.zeros((n, n)), abs=1e-6 * np.abs(h).max())


def by_motions(query, joints, q, v):
    """The same by the motions that constraints allow, in coordinates of bodies: S = Z (J Z)^+, h = -M (J a + J' v)."""
    model = query.model
    J = np.array([query.joint_direction(name, q) for name in joints])
    Z, _ = query.motions(q)
    S = Z @ np.linalg.pinv(J @ Z)
    with model.run(assemble=False) as sim:
        terms = sim.terms(0, q, v)
    step = 6e-6 / max(1e-300, np.abs(terms.N @ v).max())
    after, before = (np.array([query.joint_direction(name, q + s * step * (terms.N @ v)) for name in joints])
                     for s in (1, -1))
    M = S.T @ terms.M @ S
    return M, -M @ (J @ terms.a + (after - before) @ v / (2 * step)), S


@pytest.mark.parametrize("name", ["four_bar", "andrews", "bricard", "spatial_slider_crank", "double_four_bar", "flyball"])
def test_a_loop_has_the_matrices_of_its_motions(name):
    """Each joint that moves, of the tree or a cut."""
    model = trammel.load(f"scenes/{name}.json")
    query = model.query()
    q, v = query.close()
    random = np.random.default_rng(1)
    Z, _ = query.motions(q)
    v = Z @ random.normal(size=Z.shape[1])
    tried = 0
    for joint in model.joints:
        if joint.type not in ("revolute", "prismatic") or joint.has_motor:
            continue
        try:
            M, h, S = by_motions(query, [joint.name], q, v)
            found = query.joint_space([joint.name], q, v)
        except trammel.SingularError:
            continue
        tried += 1
        assert found.M == pytest.approx(M, rel=1e-9) and found.S == pytest.approx(S, abs=1e-8 * np.abs(S).max())
        assert found.h == pytest.approx(h, rel=0, abs=1e-6 * max(1, np.abs(h).max()))
    assert tried > 0


def test_a_closed_switch_is_refused():
    """Its lock is a contact, which joint space has not: as if it were open it would answer 0.58 for 2.67 kg m^2"""
    model = trammel.parse(json.dumps({
        "dimension": 2, "bodies": [{"name": n, "ends": [[i, 0], [i + 1, 0]], "mass": 1} for i, n in enumerate("ab")],
        "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
                   {"name": "B", "type": "revolute", "bodies": ["a", "b"], "at": [1, 0], "switch": "locked"}]}))
    with pytest.raises(trammel.OptionsError, match="closed by a switch"):
        model.query().joint_space(["A"])
