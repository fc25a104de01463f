"""Simulations from Python: physics, and the same numbers as the command line."""
import csv
import json
import pickle

import numpy as np
import pytest

import trammel

import scenes

# complete elliptic integral of the first kind of parameter 1/2, from tables
K_HALF = 1.8540746773013719


def test_a_pendulum_keeps_its_energy_and_its_period():
    model = trammel.load("scenes/pendulum.json")
    period = 4 * K_HALF / np.sqrt(9.81)
    result = model.simulate(end=period, every=period / 400, accuracy=1e-9)
    bob = result["bob"]
    energy = (bob.velocity ** 2).sum(axis=1) / 2 + 9.81 * bob.position[:, 1]
    assert abs(energy).max() < 1e-10
    assert abs(result.energy.balance - result.energy.balance[0]).max() < 1e-10
    assert abs(np.hypot(*bob.position.T) - 1).max() < 1e-10
    assert bob.position[-1] == pytest.approx([-1, 0], abs=1e-8)
    assert bob.velocity[-1] == pytest.approx([0, 0], abs=1e-7)
    assert result.t == pytest.approx(np.linspace(0, period, 401))
    # a rod pulls with m (v^2/l - g sin), its multiplier is its tension
    tension = (bob.velocity ** 2).sum(axis=1) - 9.81 * bob.position[:, 1]
    assert result.joints["rod"].array[:, 0] == pytest.approx(tension, abs=1e-8)
    # a is the derivative of v: Simpson's rule over two intervals
    h = result.t[1] - result.t[0]
    slope = (bob.velocity[2:] - bob.velocity[:-2]) / (2 * h)
    mean = (bob.acceleration[2:] + 4 * bob.acceleration[1:-1] + bob.acceleration[:-2]) / 6
    assert slope == pytest.approx(mean, abs=1e-6)


def test_shapes_names_and_parameters():
    model = trammel.parse(scenes.text(), set={"l": "sqrt(4)", "w": 0.5})
    assert model.parameters == {"l": 2, "w": 0.5}
    assert (model.nq, model.nv, model.nc, model.dimension, model.title) == (3, 3, 2, 2, "A bar")
    assert model.v0 == pytest.approx([0, 0.5, 0.5])
    assert [(row.joint, row.label, row.unit) for row in model.rows] == [("O", "x", "m"), ("O", "y", "m")]
    result = model.simulate(progress=None)
    n = len(result)
    assert n == 21 and result.t[-1] == 2
    for array, width in ((result.q, 3), (result.v, 3), (result.a, 3), (result.lambda_, 2)):
        assert array.shape == (n, width) and array.dtype == np.float64
        with pytest.raises(ValueError):
            array[0, 0] = 1
    bar, tip = result["bar"], result["tip"]
    assert bar.position.shape == (n, 2) and bar.angle.shape == bar.rate.shape == (n,)
    assert tip.position == pytest.approx(2 * bar.position, abs=1e-9)
    assert tip.velocity == pytest.approx(2 * bar.velocity, abs=1e-9)
    assert tip.position == pytest.approx(2 * np.c_[np.cos(bar.angle), np.sin(bar.angle)], abs=1e-9)
    assert result["post"].position == pytest.approx(np.tile([3, 4], (n, 1)), abs=0)
    assert set(result.joints["O"]) == {"x", "y"} and len(result.joints["O"]) == 2
    assert (result.joints["O"]["y"] == result.lambda_[:, 1]).all()
    with pytest.raises(KeyError):
        result["no such body"]
    with pytest.raises(KeyError):
        result.joints["O"]["z"]
    with pytest.raises(AttributeError, match="moves in 2 dimensions and has no quaternion"):
        bar.quaternion
    with pytest.raises(AttributeError, match="point mass"):
        trammel.load("scenes/pendulum.json").simulate(0)["bob"].angle


def test_bodies_in_space():
    result = trammel.load("scenes/heavy_top.json").simulate(end=0.2, every=0.01)
    (name, body), = result.bodies.items()
    assert body.position.shape == body.rate.shape == body.angular_acceleration.shape == (21, 3)
    assert np.linalg.norm(body.quaternion, axis=1) == pytest.approx(1, abs=1e-12)
    with pytest.raises(AttributeError, match="has no angle"):
        body.angle
    assert name


RUNS = [
    ("scenes/pendulum.json", [], {}),
    ("scenes/pendulum.json", ["--every", 0, "--end", 1], {"every": 0, "end": 1}),
    ("scenes/double_four_bar.json", ["--set", "v0=2", "--end", 3, "--every", 0.013],
     {"set": {"v0": 2}, "end": 3, "every": 0.013}),
    ("scenes/four_bar.json", ["--method", "s-both2", "--integrator", "rk4", "--step", 0.003, "--end", 2],
     {"method": "rk4+s-both2", "step": 0.003, "end": 2}),
    ("scenes/four_bar.json", ["--integrator", "heun", "--method", "srm", "--step", 0.01, "--E", "GBinv",
                              "--iterations", 3, "--end", 1],
     {"method": "heun+srm", "step": 0.01, "E": "GBinv", "iterations": 3, "end": 1}),
    ("scenes/four_bar.json", ["--method", "srm", "--end", 2], {"method": "srm", "end": 2}),
    ("scenes/four_bar.json", ["--method", "srm", "--form", "lambda-hat", "--epsilon", 0.002, "--end", 1],
     {"method": "srm", "form": "lambda-hat", "epsilon": 0.002, "end": 1}),
    ("scenes/four_bar.json", ["--method", "projection", "--metric", "identity", "--rtol", "1e-6", "--end", 1],
     {"method": "projection", "metric": "identity", "rtol": 1e-6, "end": 1}),
    ("scenes/heavy_top.json", ["--end", 0.3, "--accuracy", "1e-4"], {"end": 0.3, "accuracy": 1e-4}),
    ("scenes/spatial_slider_crank.json", ["--end", 0.5, "--step", 0.01], {"end": 0.5, "step": 0.01}),
    ("docs/examples/four_bar.json", ["--assemble", "--set", "a=0.15"], {"set": {"a": 0.15}, "assemble": True}),
    ("scenes/andrews.json", ["--end", 0.01, "--every", 0.001], {"end": 0.01, "every": 0.001}),
    ("bar", ["--every", 0.05], {"every": 0.05}),
    ("servo", ["--every", 0.037], {"every": 0.037}),
    ("scenes/jansen_leg.json", ["--end", 0.5, "--every", 0.013], {"end": 0.5, "every": 0.013}),
    ("scenes/industrial/gearbox.json", ["--every", 0.5], {"every": 0.5}),
    ("scenes/industrial/isolator.json", ["--every", 0.1], {"every": 0.1}),
]


@pytest.mark.parametrize("path,words,options", RUNS, ids=lambda x: None)
def test_the_same_digits_as_the_command_line(path, words, options, program, tmp_path):
    if path == "bar":
        path = tmp_path / "bar.json"
        path.write_text(scenes.text())
    if path == "servo":
        path = tmp_path / "servo.json"
        path.write_text(scenes.text(scenes.SERVO))
    said = json.loads(program("run", path, *words, "-o", tmp_path / "cli.csv", "--json").stdout)
    options = dict(options)
    result = trammel.load(path, set=options.pop("set", None)).simulate(**options)
    result.to_csv(tmp_path / "python.csv")
    assert (tmp_path / "python.csv").read_bytes() == (tmp_path / "cli.csv").read_bytes()
    assert [column for column, _ in result.columns()] == next(csv.reader(open(tmp_path / "cli.csv")))
    with pytest.raises(trammel.FileError, match="which is read"):
        result.to_csv(path)

    report, stats = result.report, result.stats
    assert said["status"] == result.status
    assert said["drift"]["position_max"] == report.position_drift
    assert said["drift"]["velocity_max"] == report.velocity_drift
    assert said["drift"]["worst"] == report.worst_joint
    assert said["energy"]["initial"] == report.energy_initial
    assert said["energy"]["error_max"] == report.energy_error
    assert said["energy"]["error_max_relative"] == report.energy_error_relative
    assert said["branch"] == {"changes": report.branch_changes, "first_change_t": report.first_branch_change}
    assert said["singularity"]["rcond_min"] == report.rcond_min
    assert said["singularity"]["crossings"] == report.crossings
    found = [{"t": c.t, "step": c.step, "sigma": c.sigma, "rank_before": c.rank_before, "rank_at": c.rank_at,
              "rank_after": c.rank_after, "joints": list(c.joints), "bifurcation": c.bifurcation,
              "resolved": c.resolved, "undecided": c.undecided, "energy_lost": c.energy_lost, "branch_changed": c.branch_changed}
             for c in report.crossing_log]
    assert said["singularity"]["crossing_log"] == found
    assert (said["steps"], said["rejected"]) == (stats.steps, stats.rejected)
    assert said["evaluations"] == {"force": stats.force_evals, "jacobian": stats.jacobian_evals,
                                   "factorization": stats.factorizations}
    assert said["method"]["integrator"] == result.method.integrator
    assert said["method"]["stabilization"] == result.method.stabilization


def test_efforts_coordinates_and_inputs_are_recorded():
    result = trammel.parse(scenes.text(scenes.SERVO)).simulate(end=1, every=0.037, accuracy=1e-4)
    for one in (result, pickle.loads(pickle.dumps(result))):
        joint, t = one.joints["O"], one.t
        assert joint.coordinate == pytest.approx(one["bar"].angle, abs=1e-12)
        assert joint.coordinate_rate == pytest.approx(one["bar"].rate, abs=1e-12)
        hold, push = one["hold"].effort, one["push"].effort
        assert push == pytest.approx(np.cos(9 * t), abs=1e-12)
        assert hold == pytest.approx(30 * (1 - joint.coordinate) - 4 * joint.coordinate_rate + 0.25, abs=1e-12)
        # m l^2/3 alpha = torques about the hinge
        weight = -2 * 9.81 * np.cos(one["bar"].angle) / 2
        assert 2 / 3 * one["bar"].angular_acceleration == pytest.approx(hold + push + weight, abs=1e-9)
        assert (one.inputs["bias"] == 0.25).all()
    with pytest.raises(ValueError):
        result["hold"].effort[0] = 1
    assert result["hold"].actuator.unit == "N m" and result["hold"].actuator.joint == "O"
    with pytest.raises(AttributeError, match="no coordinate of 'rod'"):
        trammel.load("scenes/pendulum.json").simulate(end=0.1).joints["rod"].coordinate


def test_contacts_are_recorded():
    """A ball falls on a floor and stays there; beside it a hinge with dry friction, which has no gap."""
    result = trammel.parse("""{"dimension": 2, "gravity": [0, -9.81], "bodies": [
        {"name": "ball", "mass": 2, "position": [0, 1], "shape": {"type": "point"}},
        {"name": "wheel", "mass": 1, "inertia": 1, "position": [3, 0], "rate": 1}],
        "markers": [{"name": "b", "body": "ball", "on": [0, 0]}],
        "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "wheel"], "at": [3, 0], "friction": 0.5}],
        "stops": [{"name": "floor", "gap": "b.y"}]}""").simulate(end=1, every=0.03)
    for one in (result, pickle.loads(pickle.dumps(result))):
        floor, hinge, falls = one.contacts["floor"], one.contacts["O"], one.t < np.sqrt(2 / 9.81)
        assert floor.gap == pytest.approx(np.where(falls, 1 - 9.81 * one.t**2 / 2, 0), abs=1e-9)
        assert floor.force == pytest.approx(np.where(falls, 0, 2 * 9.81), abs=1e-9)
        assert hinge.gap is None and hinge.force == pytest.approx(-0.5, abs=1e-12)
        assert (floor.contact.force_unit, hinge.contact.force_unit) == ("N", "N m")
    names = [name for name, _ in result.columns()]
    assert names[names.index("O.torque_z[N m]") + 1:names.index("drift.position")] == [
        "O.contact_force[N m]", "floor.gap[m]", "floor.contact_force[N]"]
    with pytest.raises(trammel.UnknownNameError):
        result.contacts["flor"]


def test_crossings_are_told_with_their_joints():
    result = trammel.load("scenes/double_four_bar.json").simulate(end=3)
    assert result.report.crossings == len(result.report.crossing_log) > 0
    assert all(c.joints for c in result.report.crossing_log)
    assert "singular positions passed" in str(result)
    assert result.report.verdicts == {"constraints": "good", "energy": "good", "branch": "good", "forces": "good"}
    assert result.report.forces.largest < 1e-9
    crude = trammel.load("scenes/four_bar.json").simulate(5, "heun+baumgarte", step=0.02)
    assert crude.report.verdicts["energy"] == "POOR"


def test_the_same_verdicts_as_the_command_line(program_json):
    """Judged once, by the library: for the accuracy asked for, for tolerances given, and for fixed steps."""
    asked = [{"accuracy": a} for a in (1e-1, 1e-2, 1e-4, 1e-6, 1e-9)]
    asked += [{"rtol": 1e-4, "atol": 1e-4}, {"rtol": 1e-6, "atol": 1e-6, "method": "dopri5+baumgarte"}]
    asked += [{"rtol": 1e-9, "atol": 1e-4, "method": "dopri5+baumgarte"}]  # judged by rtol, which atol does not hold
    asked += [{"step": h, "method": m} for h in (0.02, 0.002) for m in ("rk4+s-both2", "heun+baumgarte", "heun+srm")]
    met = set()
    for scene in ("scenes/four_bar.json", "scenes/double_four_bar.json", "scenes/bricard.json"):
        model = trammel.load(scene)
        for options in asked:
            words = [word for name, value in options.items() if name != "method" for word in (f"--{name}", value)]
            if "method" in options:
                integrator, method = options["method"].split("+")
                words += ["--integrator", integrator, "--method", method]
            said = program_json("run", scene, "--end", 2, *words)["verdicts"]
            try:
                report = model.simulate(2, **options).report  # compared at the scene's times, as by the program
            except trammel.DivergedError as problem:  # of steps that are too long
                report = problem.result.report
            told = {name: said[name] or "-" for name in ("constraints", "energy", "forces", "branch")}
            assert report.verdicts == told, (scene, options)
            assert report.asked == (options.get("accuracy") or 100 * options.get("rtol", 0) or None)
            met |= set(told.values())
    assert met >= {"good", "fair", "POOR"}
    with model.run(accuracy=1e-3) as sim:
        assert set(sim.report.verdicts.values()) == {"-"}  # no step, no verdict
        sim.step()
        assert sim.report.asked == 1e-3 and sim.report.verdicts["constraints"] == "good"


def test_a_motion_that_is_off_is_made_better():
    """atol 1e-6 for an accuracy of 1e-7: runs take each other's place until two agree, against one that is exact."""
    model = trammel.load("scenes/four_bar.json")
    exact = model.simulate(2, every=0, accuracy=1e-11, verify=False)
    off = model.simulate(2, "dopri5+s-both2", every=0, rtol=1e-9, atol=1e-6, verify=False)
    better = model.simulate(2, "dopri5+s-both2", every=0, rtol=1e-9, atol=1e-6)
    assert better.accuracy.runs > 2 and better.accuracy.verdict == "good"
    error = [np.max(np.abs(one.q[-1] - exact.q[-1])) for one in (off, better)]
    assert error[0] > 10 * error[1]


def wishes():
    known = trammel.methods()
    for name in sorted({m.stabilization for m in known}):
        yield ["--method", name], {"method": name}
        yield ["--method", name, "--step", 0.01], {"method": name, "step": 0.01}
    for name in sorted({m.integrator for m in known}):
        yield ["--integrator", name], {"method": name}
        yield ["--integrator", name, "--rtol", 1e-5], {"method": name, "rtol": 1e-5}
    yield ["--step", 0.01], {"step": 0.01}
    yield ["--atol", 1e-5], {"atol": 1e-5}
    yield ["--accuracy", 1e-4], {"accuracy": 1e-4}
    yield ["--integrator", "ida", "--method", "srm"], {"method": "ida+srm"}
    yield ["--method", "s-both2", "--alpha1", 3], {"method": "s-both2", "alpha1": 3}
    yield ["--method", "baumgarte", "--alpha1", 3], {"method": "baumgarte", "alpha1": 3}


@pytest.mark.parametrize("scene", ["scenes/four_bar.json", "free.json"])
def test_the_same_choice_of_method_as_the_command_line(scene, program, tmp_path):
    if scene == "free.json":
        scene = tmp_path / "free.json"
        scene.write_text(scenes.text(joints=[], parameters={"l": 1, "w": 0}))
    model, compared = trammel.load(scene), 0
    for words, options in wishes():
        run = program("run", scene, "--end", 1, *words, "--json")
        said = json.loads(run.stdout)["method"]
        try:
            choice = model.choose(**options)
        except trammel.OptionsError:
            assert run.returncode == 1, words
            continue
        assert run.returncode != 1, (words, run.stderr)
        assert (said["integrator"], said["stabilization"]) == (choice.method.integrator,
                                                              choice.method.stabilization), words
        assert said["rtol"] == (choice.options.rtol if choice.method.adaptive else None), words
        assert said["step"] == (None if choice.method.adaptive else choice.options.h), words
        assert said["alpha1"] in (None, choice.options.baumgarte.alpha1)
        compared += 1
    assert compared > 30


def test_methods_are_those_of_the_command_line(program_json):
    said = [(m["integrator"], m["stabilization"], m["source"], m["order"]) for m in program_json("methods")["methods"]]
    assert said == [(m.integrator, m.stabilization, m.source, m.order) for m in trammel.methods()]
    assert str(trammel.methods()[0]) == "heun+plain"


def test_every_method_can_be_named():
    model = trammel.load("scenes/chain_10.json")
    ball = trammel.load("scenes/bouncing_ball.json")
    for method in trammel.methods():
        options = {} if method.adaptive else {"step": 0.01}
        of = ball if method.integrator == "moreau" else model  # that needs a contact
        assert of.simulate(0.02, method.name, **options).method == method
    assert model.choose("s-both2+rk4", step=0.1).method.name == "rk4+s-both2"


def test_progress_and_stopping():
    model, calls = trammel.load("scenes/pendulum.json"), []
    result = model.simulate(3, progress=lambda t, end: calls.append((t, end)))
    assert calls[0] == (0, 3) and calls[-1] == (3, 3) and calls == sorted(calls)
    assert result.status == "done"
    assert model.simulate(3, progress=lambda t, end: False).t.tolist() == [0]

    times = []

    def observe(sim):
        times.append(sim.t)
        assert sim.drift.position < 1e-8 and sim.sample().t == sim.t
        return sim.t > 1

    result = model.simulate(3, every=0.25, observe=observe)
    assert result.status == "stopped" and result.t[-1] == times[-1] > 1 >= times[-2]
    assert result.t[:5].tolist() == [0, 0.25, 0.5, 0.75, 1]


def test_a_result_can_be_pickled_and_outlives_its_model():
    result = trammel.parse(scenes.text()).simulate()
    copy = pickle.loads(pickle.dumps(result))
    assert (copy["tip"].position == result["tip"].position).all()
    assert (copy.joints["O"]["x"] == result.joints["O"]["x"]).all()
    assert copy.report == result.report and copy.method == result.method
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        pickle.dumps(trammel.Scene.parse(scenes.text()))


def test_a_model_is_pickled_by_its_scene(tmp_path):
    path = tmp_path / "bar.json"
    path.write_text(scenes.text(), encoding="utf-8")
    for model in (trammel.parse(scenes.text(), {"l": 2}), trammel.load(path, {"l": 2})):
        data = pickle.dumps(model)
        copy = pickle.loads(data)
        assert copy.parameters == model.parameters and copy.title == model.title
        assert (copy.simulate().q == model.simulate().q).all()
    path.write_text(scenes.text(title="Another"), encoding="utf-8")
    with pytest.raises(trammel.SceneError, match="has changed since"):
        pickle.loads(data)
    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("push", lambda model, t, q, v: 0 * v)
    with pytest.raises(TypeError, match="functions of Python"):
        pickle.dumps(scene.build())


# ------------------------------------------------------------------------- a second run, stiffness

def sleigh(damping=1e6):
    """A blade 0.3 m behind the centre resists sideways motion: eigenvalue d (1/m + a^2/I) = 1.9 d."""
    value = f"-({damping:g})*(-blade.vx*sin(sleigh.angle)+blade.vy*cos(sleigh.angle))"
    return json.dumps({
        "dimension": 2,
        "bodies": [{"name": "sleigh", "mass": 1, "inertia": 0.1, "position": [0, 0], "velocity": [1, 0.3],
                    "rate": 1}],
        "markers": [{"name": "blade", "body": "sleigh", "at": [-0.3, 0]}],
        "forces": [{"name": "lateral", "type": "force", "marker": "blade", "axes": "body", "value": ["0", value]}]})


def test_a_second_run_tells_how_far_the_end_is_known():
    """A free body on a spring, x = cos(3 t): the error is known in closed form, to a factor of ten."""
    model = trammel.parse(json.dumps({
        "dimension": 2, "bodies": [{"name": "a", "mass": 1, "position": [1, 0], "inertia": 1}],
        "markers": [{"name": "p", "body": "a", "at": [1, 0]}],
        "forces": [{"name": "f", "type": "force", "marker": "p", "value": ["-9*p.x", 0]}]}))
    result = model.simulate(20, "dopri5+plain", accuracy=1e-3, verify=True)
    known, error = result.accuracy, abs(result["a"].position[-1, 0] - np.cos(60))
    assert error / 10 < known.position < 10 * error
    assert known.asked == 1e-3 and known.worst == "a" and known.runs >= 2
    assert known.verdict == "good" and known.differs <= 1e-3 and known.known_until == 20
    assert known.bodies["a"].position == known.position and known.bodies["a"].angle == 0
    assert model.simulate(1, verify=False).accuracy is None
    assert model.simulate(1, observe=lambda _: None).accuracy is None
    assert model.simulate(1).accuracy.verdict == "good"
    fixed = model.simulate(20, "heun+plain", step=0.01, verify=True)
    error = abs(fixed["a"].position[-1, 0] - np.cos(60))
    assert fixed.accuracy.asked is None and error / 10 < fixed.accuracy.position < 10 * error


def test_stiffness_is_named_and_the_method_changes(program_json, tmp_path):
    model = trammel.parse(sleigh())
    if not any(m.integrator == "ida" for m in trammel.methods()):
        pytest.skip("built without ida")
    result = model.simulate(1, every=0.1)
    found = result.stiffness
    assert found.source == "lateral" and found.rate == pytest.approx(1.9e6, rel=0.2)
    assert found.coefficient / found.inertia == pytest.approx(1.9e6, rel=1e-3)
    assert found.unit == "N s/m" and found.changes > 0 and found.ida_steps > 100
    assert result.stats.steps < 2000 and len(result) == 11
    # the blade keeps its track: v sideways is zero to the damper's time
    heading = result["sleigh"].angle[-1]
    v, rate = result["sleigh"].velocity[-1], result["sleigh"].rate[-1]
    assert -v[0] * np.sin(heading) + v[1] * np.cos(heading) - 0.3 * rate == pytest.approx(0, abs=1e-5)
    # as the command line, to the last bit
    (tmp_path / "sleigh.json").write_text(sleigh())
    said = program_json("run", tmp_path / "sleigh.json", "--end", "1", "--every", "0.1", "--verify",
                        "-o", tmp_path / "lines.csv")
    assert said["steps"] == result.stats.steps
    # the second run, of ida like the first
    assert model.simulate(1, every=0.1, verify=True).accuracy.differs == said["accuracy"]["differs"]
    assert said["state"]["bodies"]["sleigh"]["position"] == list(result["sleigh"].position[-1])
    assert model.simulate(1e-3, stiff=False).stiffness.changes == 0
    assert trammel.load("scenes/pendulum.json").simulate(1).stiffness is None
