"""Runs in joint coordinates against Featherstone's articulated-body algorithm in body axes, written here."""
import json
import os
import pathlib

import numpy as np
import pytest

import trammel

GRAVITY = np.array([0.4, -0.3, -9.81])


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def rotation(quat):
    w, x = quat[0], np.array(quat[1:])
    return np.eye(3) + 2 * w * skew(x) + 2 * skew(x) @ skew(x)


def unit(rng, n):
    x = rng.normal(size=n)
    return x / np.linalg.norm(x)


def shift(E, r):
    """The motion transform to a frame at r, turned by E (Featherstone's X = rot(E) xlt(r))."""
    return np.block([[E, np.zeros((3, 3))], [-E @ skew(r), E]])


def cross_motion(v):
    return np.block([[skew(v[:3]), np.zeros((3, 3))], [skew(v[3:]), skew(v[:3])]])


KINDS = {"revolute": (1, 0), "prismatic": (0, 1), "cylindrical": (1, 1), "spherical": (3, 0)}


def tree(rng, n, kinds=tuple(KINDS)):
    """A scene of a random spatial tree, and what an algorithm needs of it."""
    bodies, joints, links = [], [], []
    for i in range(n):
        quat, p = unit(rng, 4), rng.normal(size=3)
        A = rng.normal(size=(3, 3))
        J = 0.3 * np.eye(3) + 0.1 * A @ A.T
        J = 0.5 * np.trace(J) * np.eye(3) - 0.3 * J  # the inertia of some solid
        parent, kind = int(rng.integers(-1, i)), str(rng.choice(kinds))
        point, axis, mass = rng.normal(size=3), unit(rng, 3), float(rng.uniform(0.5, 3))
        bodies.append({"name": f"b{i}", "mass": mass, "inertia": J.tolist(), "position": p.tolist(),
                       "quat_wxyz": quat.tolist()})
        pair = ["ground" if parent < 0 else f"b{parent}", f"b{i}"]
        joint = {"name": f"j{i}", "type": kind, "bodies": pair if i % 2 else pair[::-1], "at": point.tolist()}
        joints.append(joint if kind == "spherical" else {**joint, "axis": axis.tolist()})
        R = rotation(quat)
        links.append({"parent": parent, "kind": kind, "mass": mass, "J": J,
                      "axis": R.T @ axis, "point": R.T @ (point - p)})  # in the own body
    scene = {"dimension": 3, "gravity": GRAVITY.tolist(), "bodies": bodies, "joints": joints,
             "simulation": {"end": 1, "coordinates": "joint"}}
    return json.dumps(scene), links


def accelerations(links, q, v):
    """Of all bodies, as Trammel gives them: of the centre in the world, of the rotation in body axes."""
    place = [(q[7 * i:7 * i + 3], rotation(q[7 * i + 3:7 * i + 7])) for i in range(len(links))]
    twist = [np.concatenate([v[6 * i + 3:6 * i + 6], place[i][1].T @ v[6 * i:6 * i + 3]]) for i in range(len(links))]
    I, p, X, S, c = [], [], [], [], []
    for i, link in enumerate(links):
        x, R = place[i]
        on, Q = place[link["parent"]] if link["parent"] >= 0 else (np.zeros(3), np.eye(3))
        X.append(shift(R.T @ Q, Q.T @ (x - on)))
        turns, slides = KINDS[link["kind"]]
        axes = np.eye(3) if turns == 3 else [link["axis"]] * turns
        # a turn about an axis through the point: the centre moves by axis x (0 - point)
        columns = [np.concatenate([a, np.cross(link["point"], a)]) for a in axes]
        columns += [np.concatenate([np.zeros(3), link["axis"]])] * slides
        S.append(np.array(columns).T)
        relative = twist[i] - X[i] @ (twist[link["parent"]] if link["parent"] >= 0 else np.zeros(6))
        c.append(cross_motion(twist[i]) @ relative)
        I.append(np.block([[link["J"], np.zeros((3, 3))], [np.zeros((3, 3)), link["mass"] * np.eye(3)]]))
        weight = np.concatenate([np.zeros(3), link["mass"] * R.T @ GRAVITY])
        p.append(-cross_motion(twist[i]).T @ I[i] @ twist[i] - weight)
    U, D, u = [None] * len(links), [None] * len(links), [None] * len(links)
    for i in reversed(range(len(links))):
        U[i], u[i] = I[i] @ S[i], -S[i].T @ p[i]
        D[i] = S[i].T @ U[i]
        Ia = I[i] - U[i] @ np.linalg.solve(D[i], U[i].T)
        pa = p[i] + Ia @ c[i] + U[i] @ np.linalg.solve(D[i], u[i])
        if links[i]["parent"] >= 0:
            I[links[i]["parent"]] = I[links[i]["parent"]] + X[i].T @ Ia @ X[i]
            p[links[i]["parent"]] = p[links[i]["parent"]] + X[i].T @ pa
    a, out = [], []
    for i, link in enumerate(links):
        on = X[i] @ a[link["parent"]] if link["parent"] >= 0 else np.zeros(6)
        a.append(on + c[i] + S[i] @ np.linalg.solve(D[i], u[i] - U[i].T @ (on + c[i])))
        R = place[i][1]
        out += [*(R @ (a[i][3:] + np.cross(twist[i][:3], twist[i][3:]))), *a[i][:3]]
    return np.array(out)


@pytest.mark.parametrize("seed", range(12))
def test_spatial_trees_accelerate_as_by_articulated_bodies(seed):
    rng = np.random.default_rng(seed)
    text, links = tree(rng, 2 + 2 * seed)
    with trammel.parse(text).run() as run:
        for t in (0.1, 0.3):
            run.step_to(t)
            expected = accelerations(links, run.q, run.v)
            assert np.abs(run.a - expected).max() < 1e-12 * len(links) * np.abs(expected).max()


# s, of those in which 0.2 s take longer than a minute at this accuracy
ENDS = {"andrews": 0.01, "chain_100": 0.02, "chain_1000": 0.002, "geneva": 1, "newtons_cradle": 1, "bouncing_ball": 2,
        "stick_slip": 2, "bead_on_helix": 2, "slider_crank_swing": 0.5}
NAMES = sorted(path.stem for path in (pathlib.Path(os.environ["TRAMMEL_SOURCE"]) / "scenes").glob("*.json")
               if path.stem != "scene.schema")


def both_ends(scene, end, build=trammel.parse):
    """What the outside sees at the end of a run in each of both coordinates: a list of arrays."""
    ends = []
    for coordinates in ("absolute", "joint"):
        text = json.dumps({**scene, "simulation": {**scene["simulation"], "coordinates": coordinates}})
        result = build(text).simulate(end, every=end / 8, accuracy=1e-10)
        ends.append([result.t, result.q, result.v, np.array([contact.force for contact in result.contacts.values()])])
    return ends


@pytest.mark.parametrize("name", NAMES)
def test_shipped_mechanisms_move_alike_in_both_coordinates(root, name):
    scene = json.loads((root / "scenes" / f"{name}.json").read_text())
    scene.pop("$schema", None)
    for one, other in zip(*both_ends(scene, ENDS.get(name, 0.2))):  # each errs by up to 1e-10 of its motion
        assert one.shape == other.shape
        assert one.size == 0 or np.abs(one - other).max() < 1e-9 * max(1, np.abs(one).max())


def test_a_start_is_assembled_as_in_absolute_coordinates(root):
    text = (root / "scenes" / "spatial_slider_crank.json").read_text().replace('"position": [0.1, 0.05, 0.1]',
                                                                               '"position": [0.11, 0.05, 0.1]')
    starts = []
    for coordinates in ("absolute", "joint"):
        model = trammel.parse(text.replace('"end": 5', f'"end": 5, "coordinates": "{coordinates}"'))
        with pytest.raises(trammel.InconsistentError, match="cross"):
            model.run()
        with model.run(assemble=True) as run:
            starts.append(np.concatenate([run.q, run.v]))
    assert np.abs(starts[0] - starts[1]).max() < 1e-12 * np.abs(starts[0]).max()


ARM = {"dimension": 2, "gravity": [0, -9.81],
       "bodies": [{"name": "a", "mass": 1, "inertia": 0.1, "position": [0.5, 0]},
                  {"name": "b", "mass": 2, "inertia": 0.2, "position": [1.5, 0.2]},
                  {"name": "c", "mass": 1, "inertia": 0.1, "position": [0, 2], "rate": 1}],
       "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
                  {"name": "B", "type": "revolute", "bodies": ["a", "b"], "at": [1, 0]}],
       "simulation": {"end": 1}}


def arm(coordinates):
    return trammel.Scene.parse(json.dumps({**ARM, "simulation": {"end": 1, "coordinates": coordinates}}))


def test_functions_of_a_program_know_bodies():
    """A force, and a constraint that closes a loop: both take and give numbers of bodies."""
    ends = []
    for coordinates in ("absolute", "joint"):
        scene = arm(coordinates)
        scene.add_force("pull", lambda model, t, q, v: [0, 0, np.sin(3 * t), -v[3], q[0], 0, 1 - q[6], 0, 0])
        scene.add_constraint("tie", lambda model, t, q: q[4] - q[7] + 1.8, lambda model, t, q: [0, 0, 0, 0, 1, 0, 0, -1, 0])
        model = scene.build()
        assert (model.nq, model.nv, model.nc) == (9, 9, 5)
        with model.run(accuracy=1e-10) as run:
            run.run_to(1)
            terms = run.terms()
            ends.append([run.q, run.v, run.a, run.lambda_, terms.a, terms.lambda_, terms.f])
            assert np.abs(terms.a - run.a).max() < 1e-7  # drift of the steps
    for one, other in zip(*ends):
        assert np.abs(one - other).max() < 1e-8 * max(1, np.abs(one).max())


def test_a_shift_moves_bodies_and_may_not_open_the_tree():
    with arm("joint").build().run(accuracy=1e-9) as run:
        run.run_to(0.3)
        q, v = run.q.copy(), run.v.copy()
        run.perturb(dq=[0] * 6 + [0.1, 0.2, 0.3], dv=[0] * 6 + [1, 2, 3])
        moved, pushed = run.q - q, run.v - v
        assert np.abs(moved - np.array([0] * 6 + [0.1, 0.2, 0.3])).max() < 1e-14
        assert np.abs(pushed - np.array([0] * 6 + [1, 2, 3])).max() < 1e-14
        run.run_to(0.4)
        q = run.q.copy()
        with pytest.raises(trammel.InconsistentError, match="opens joint 'B' by 0.1 m"):
            run.perturb(dq=[0] * 3 + [0.1] + [0] * 5)
        assert (run.q == q).all()
        run.run_to(0.5)  # goes on


def test_ida_keeps_both_levels_of_constraints(root):
    for name in ("four_bar", "bricard"):
        scene = json.loads((root / "scenes" / f"{name}.json").read_text())
        scene.pop("$schema", None)
        ends = []
        for coordinates in ("absolute", "joint"):
            text = json.dumps({**scene, "simulation": {**scene["simulation"], "coordinates": coordinates}})
            with trammel.parse(text).run("ida+ggl", rtol=1e-10, atol=1e-10) as run:
                run.run_to(0.3)
                ends.append(run.q.copy())
        assert np.abs(ends[0] - ends[1]).max() < 1e-6


def four_bar(**more):
    pin = {"type": "revolute"}
    return {"dimension": 2, "gravity": [0, -9.81],
            "bodies": [{"name": "a", "mass": 1, "ends": [[0, 0], [0.3, 0.2]]},
                       {"name": "b", "mass": 1, "ends": [[0.3, 0.2], [1.2, 0.5]]},
                       {"name": "c", "mass": 1, "ends": [[1.2, 0.5], [1, 0]]}],
            "joints": [{"name": "A", **pin, "bodies": ["ground", "a"], "at": [0, 0]},
                       {"name": "B", **pin, "bodies": ["a", "b"], "at": [0.3, 0.2]},
                       {"name": "C", **pin, "bodies": ["b", "c"], "at": [1.2, 0.5]},
                       {"name": "D", **pin, "bodies": ["c", "ground"], "at": [1, 0]}],
            "simulation": {"end": 1}, **more}


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_a_start_in_coordinates_of_joints_is_held_and_the_rest_follows(root, coordinates):
    of = {"simulation": {"end": 1, "coordinates": coordinates}}
    for angle, rate in ((0.6, 3), (-1.2, 0.5), (9, -2)):  # any number of turns: the crank goes round
        scene = trammel.Scene.parse(json.dumps({**four_bar(start={"A": 0.1}), **of}))
        scene.set({"start.A": angle, "start.A.rate": rate})
        with scene.build().run() as run:
            assert abs(run.read("A.coordinate")[0] - angle) < 1e-12 and abs(run.read("A.coordinate_rate")[0] - rate) < 1e-12
            assert abs(run.terms().g).max() < 1e-13
            y = run.q[7]  # of the rocker: it stays above the ground, on the branch that is drawn
            assert y > 0
    # what is drawn open closes about what is named; a rate alone leaves the pose
    crank = json.loads((root / "scenes" / "spatial_slider_crank.json").read_text())
    crank.pop("$schema")
    hinge = next(j["name"] for j in crank["joints"] if j["type"] == "revolute" and "motor" not in j)
    crank.update(start={f"{hinge}.rate": 3.25}, simulation={**crank["simulation"], "coordinates": coordinates})
    with trammel.parse(json.dumps(crank)).run() as run:
        assert abs(run.read(f"{hinge}.coordinate_rate")[0] - 3.25) < 1e-11
        assert abs(run.terms().g).max() < 1e-12


@pytest.mark.parametrize("size", [1e-6, 1, 1e3])
def test_a_state_that_opens_joints_is_refused_at_every_size(size):
    axes = {"A": ([0, 0, 0], [0, 1, 0]), "B": ([size, 0, 0], [0, 0.6, 0.8])}
    scene = {"dimension": 3, "bodies": [{"name": name, "mass": 1, "inertia": [size ** 2] * 3, "position": [x * size, 0, 0]} for name, x in (("a", 0.5), ("b", 1.5))],
             "joints": [{"name": name, "type": "revolute", "bodies": pair, "at": axes[name][0], "axis": axes[name][1]} for name, pair in
                        (("A", ["ground", "a"]), ("B", ["a", "b"]))], "simulation": {"end": 1, "coordinates": "joint"}}
    with trammel.parse(json.dumps(scene)).run() as run:
        turns = np.array([0, 0, -0.5e-3 * size, 0, 1e-3, 0, 0, 0, -1.5e-3 * size, 0, 1e-3, 0])  # both as one about A
        drawn = run.q.copy()
        for places, rates, opens in ((1e-9, 0, None), (1e-7, 0, "this state opens joint 'B'"), (0, 1e-3, "these velocities open joint 'B'")):
            q, v = drawn.copy(), turns.copy()
            q[7] += places * size
            v[6] += rates * 1e-3 * size
            if not opens:
                run.set_state(0, q, v)
                continue
            with pytest.raises(trammel.Error, match=opens):
                run.set_state(0, q, v)


def test_a_start_that_cannot_be_is_refused_by_joint_and_line():
    def fails(match, **more):
        text = json.dumps(four_bar(**more), indent=1)
        with pytest.raises(trammel.Error, match=match) as caught:
            trammel.parse(text).run()
        assert "scene:" in str(caught.value)

    fails('cannot start at "E": no joint has this name', start={"E": 0.3})
    fails("joint 'B' cannot start at 0.5 rad, which contradicts what else is named", start={"A": 0.6, "B": 0.5})
    for rate in (1, 1e-12):  # A and D turn at different rates, however slowly
        fails("which contradicts what else is named", start={"A": 0.6, "A.rate": rate, "D.rate": -rate})
    fails("joint 'D' cannot start at 3 rad, which the other joints do not let it reach", start={"D": 3})
    fails("is a weld joint", start={"W": 1}, joints=four_bar()["joints"] + [
        {"name": "W", "type": "weld", "bodies": ["a", "b"], "at": [0.3, 0.2]}])
    driven = four_bar()["joints"]
    driven[0]["motor"] = "t"
    fails("the motor of the joint decides it", joints=driven, start={"A": 0.2})
    two = trammel.parse(json.dumps(four_bar(start={"A": 0.4})))
    with two.run() as run:
        other = float(run.read("D.coordinate")[0])
    with trammel.parse(json.dumps(four_bar(start={"A": 0.4, "D": other}))).run() as run:  # no contradiction
        assert abs(run.read("A.coordinate")[0] - 0.4) < 1e-9


def test_a_joint_is_cut_where_the_scene_says_so(program):
    joints = four_bar()["joints"]
    joints[1]["cut"] = True
    scene = four_bar(joints=joints, simulation={"end": 0.3, "coordinates": "joint"})
    one, other = (trammel.parse(json.dumps(s)).simulate(0.3, accuracy=1e-10) for s in (scene, four_bar()))
    assert np.abs(one.q[-1] - other.q[-1]).max() < 1e-9
    alone = {**four_bar(), "joints": [{**four_bar()["joints"][0], "cut": True}], "simulation": scene["simulation"]}
    with pytest.raises(trammel.Error, match="joint 'A' cannot be cut: without it nothing ties 'ground' to 'a'"):
        trammel.parse(json.dumps(alone))


def test_check_tells_the_coordinates_and_the_cuts(program, tmp_path):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(four_bar()))
    assert "the bodies (auto)" in program("check", path).stdout
    assert "the bodies, as asked" in program("check", path, "--coordinates", "absolute").stdout
    assert "the joints, as asked; cut: C\n" in program("check", path, "--coordinates", "joint").stdout


@pytest.mark.parametrize("name, told", [
    ("double_pendulum_3d", "the joints (auto): a tree in space is faster; nothing is cut"),
    ("heavy_top", "the bodies (auto): for one body they are faster"),
    ("bricard", "the joints (auto): a tree in space is faster; cut: P4_hinge"),
    ("spatial_slider_crank", "the joints (auto): a tree in space is faster; cut: ball"),
    ("bead_on_helix", "the bodies (auto): for one body they are faster"),
    ("chain_10", "the bodies (auto): in the plane they are faster")])
def test_check_tells_what_auto_takes(program, root, name, told):
    assert told in program("check", root / "scenes" / f"{name}.json").stdout


def bricard(root, askew, coordinates="auto"):
    scene = json.loads((root / "scenes" / "bricard.json").read_text())
    scene.pop("$schema", None)
    scene["joints"][-1]["axis"][1] += askew
    return {**scene, "simulation": {"end": 1, "coordinates": coordinates}}


def test_rows_that_repeat_others_except_for_a_misfit_stay_in_absolute_coordinates(program, root, tmp_path):
    path = tmp_path / "scene.json"
    why = "rows of its loops repeat others except for a misfit"
    for askew, kind, told in ((0, "auto", "the joints (auto): a tree"), (1e-9, "auto", f"the bodies (auto): {why}"),
                              (0, "joint", "the joints, as asked"), (1e-9, "joint", f"the bodies: {why}")):
        path.write_text(json.dumps(bricard(root, askew, kind)))
        assert told in program("check", path).stdout


def test_undetermined_reactions_are_the_smallest_of_all_rows_in_both_coordinates(root):
    one, other = (trammel.parse(json.dumps(bricard(root, 0, kind))).simulate(1, every=0.1, accuracy=1e-10) for kind in ("absolute", "joint"))
    for name, joint in one.joints.items():
        assert np.abs(joint.array - other.joints[name].array).max() < 1e-7, name  # N, of 30


DRIVES = ["{a}*(1 - cos({w}*t))", "{a}*step(t, 0.2, 0, 0.7, 1)", "{a}*t^3", "0", "{a}*t^5", "{a}*t^2*exp(-t)"]


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
@pytest.mark.parametrize("seed", range(12))
def test_work_of_what_motors_decide_wholly_balances_between_steps(seed, coordinates):
    """A motion by polynomials is exact in steps of any size, the work of its motors is not."""
    rng = np.random.default_rng(seed)
    scene = json.loads(tree(rng, int(rng.integers(1, 5)))[0])
    for joint in scene["joints"]:
        joint.setdefault("axis", [0, 0, 1])
        joint["type"] = "revolute" if joint["type"] in ("spherical", "cylindrical") else joint["type"]
        joint["motor"] = str(rng.choice(DRIVES[1:2] + DRIVES[3:4] if seed % 2 else DRIVES)).format(a=float(rng.uniform(0.1, 1.5)), w=float(rng.uniform(1, 8)))
    scene["simulation"]["coordinates"] = coordinates
    energy = trammel.parse(json.dumps(scene)).simulate(1, every=0.01, accuracy=1e-6).energy
    exchanged = max(np.abs(energy.work).max(), energy.kinetic.max(), 1e-6)  # J: roundoff where nothing moves
    assert np.abs(energy.balance - energy.balance[0]).max() < 1e-6 * exchanged


@pytest.mark.parametrize("coordinates", ["absolute", "joint"])
def test_reactions_follow_inputs_that_accelerate_nothing(coordinates):
    """A force along the axis of a hinge is all reaction: where the same state is set again, and behind a shift by nothing."""
    model = trammel.parse(json.dumps({
        "dimension": 3, "gravity": [0, 0, -9.81], "parameters": {"u": {"value": 0, "input": True}}, "simulation": {"coordinates": coordinates},
        "bodies": [{"name": "r", "mass": 1, "inertia": [0.1] * 3, "position": [1, 0, 0]}],
        "joints": [{"name": "J", "type": "revolute", "bodies": ["ground", "r"], "at": [0, 0, 0], "axis": [0, 1, 0]}],
        "markers": [{"name": "m", "body": "r", "at": [1, 0, 0]}], "forces": [{"name": "f", "type": "force", "marker": "m", "value": [0, "u", 0]}]}))
    with model.run() as sim:
        for u, again in ((3, lambda: sim.set_state(0, sim.q.copy(), sim.v.copy())), (5, lambda: sim.perturb(dq=[0] * len(sim.q)))):
            assert np.isfinite(sim.joints["J"].array).all()
            sim.set_input("u", u)
            again()
            assert sim.joints["J"].array[1] == pytest.approx(u, abs=1e-9)


@pytest.mark.parametrize("space", [False, True])
def test_a_tree_far_from_the_origin_rounds_as_beside_it(space):
    """To the last bit, where the way there is exact: a tree has an origin of its own."""
    n, kinds, axis = (3, ("revolute", "spherical", "cylindrical", "revolute"), [0, 0, 1]) if space else (2, ["revolute"] * 4, None)
    names, ends = ["ground", "a", "b", "c", "ground"], np.array([[0, 0, 0], [0.3125, 0.1875, 0], [1.25, 0.5, 0], [1, 0, 0]])[:, :n]
    end = []
    for x in (ends, ends + 1024):
        bodies = [{"name": name, "mass": 1, "inertia": [0.25] * 3 if space else 0.25, "position": list(middle)} for name, middle in zip("abc", (x[1:] + x[:-1]) / 2)]
        joints = [{"name": f"J{i}", "type": kind, "bodies": names[i:i + 2], "at": list(x[i])} | ({"axis": axis} if axis and i != 1 else {}) for i, kind in enumerate(kinds)]
        with trammel.parse(json.dumps({"dimension": n, "gravity": [0, -9.81, 0][:n], "bodies": bodies, "joints": joints,
                                       "simulation": {"end": 1, "coordinates": "joint"}})).run() as run:
            run.run_to(1)
            end.append(run.v.copy())
    assert (end[0] == end[1]).all() and np.abs(end[0]).max() > 1
