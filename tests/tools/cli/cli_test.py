#!/usr/bin/env python3
"""The contract of the command line, as scripts rely on it: `run --json` and `check`. Prints TAP.

    tests/tools/cli/cli_test.py TRAMMEL ROOT      the program, and the root of the project
"""
import json
import math
import os
import re
import sys

from tap import CASES, case
import tap
from cli_rig import BAR, ROOT, expect, refused, run_json, scene, trammel, write

RUN_KEYS = ["scene", "title", "method", "status", "error", "t", "steps", "rejected", "evaluations", "stiffness", "verdicts",
            "misfit", "drift", "energy", "forces", "branch", "singularity", "accuracy", "inputs", "contacts", "events", "cpu_s",
            "realtime_factor", "state", "outputs"]
INNER_KEYS = {
    "method": ["integrator", "stabilization", "step", "rtol", "atol", "epsilon", "iterations", "E",
               "alpha1", "alpha0", "metric"],
    "evaluations": ["force", "jacobian", "factorization"],
    "verdicts": ["constraints", "energy", "branch", "forces", "inputs"],
    "drift": ["position_max", "position_max_relative", "velocity_max", "velocity_max_relative", "between_max",
              "between_max_relative", "t_between_max", "position_end", "velocity_end", "worst"],
    "energy": ["initial", "end", "error_max", "error_max_relative"],
    "branch": ["changes", "first_change_t"],
    "contacts": ["impacts", "energy_lost", "last_t", "changes", "settled", "rest_t", "projected", "now"],
    "accuracy": ["asked", "runs", "verdict", "unchecked", "limit", "differs", "known_until", "position", "angle", "worst", "uncounted", "uncounted_t", "bodies"],
    "singularity": ["crossings", "resolved", "undecided", "first_undecided_t", "closed_steps", "energy_lost_max", "t_energy_lost_max",
                    "rcond_min", "t_rcond_min", "bifurcations",
                    "first_bifurcation_t", "crossing_log"],
}
CHECK_KEYS = ["coordinates", "constraints", "rank", "degrees_of_freedom", "freedoms_of_position", "misfit", "redundant", "consistent",
              "residual", "complete", "examined", "freedom", "conflicts", "acceleration", "given",
              "reactions", "relax", "assemblies", "hints", "unused"]


# ------------------------------------------------------------------------------------- run --json

@case
def json_keys():
    """run --json prints exactly the keys of the contract, in order, and state by name"""
    run = run_json(scene())
    assert list(run) == RUN_KEYS, list(run)
    for key, inner in INNER_KEYS.items():
        assert list(run[key]) == inner, (key, list(run[key]))
    assert run["status"] == "done" and run["error"] is None and run["t"] == 2
    assert run["title"] == "A bar" and run["scene"] == "bar.json"
    assert list(run["state"]) == ["t", "bodies", "lambda", "undetermined"]
    assert run["state"]["undetermined"] == []
    assert list(run["state"]["bodies"]["bar"]) == ["position", "angle", "velocity", "rate"]
    assert [len(run["state"]["bodies"]["bar"][k]) for k in ("position", "velocity")] == [2, 2]
    assert len(run["state"]["lambda"]["O"]) == 2
    assert run["drift"]["worst"] == "O"
    if run["cpu_s"] > 0:  # a virtual machine's clock of CPU time may stand still for a millisecond
        assert math.isclose(run["realtime_factor"], run["t"] / run["cpu_s"])
    else:
        assert run["realtime_factor"] is None
    assert run["steps"] > 0 and run["evaluations"]["force"] > run["steps"]


@case
def json_on_failure():
    """A failed run prints the same keys, the status, and an error object"""
    for code, status, args in [
            (1, "TRM_ERR_OPTIONS", (scene(), "--end", "-1")),
            (1, "TRM_ERR_OPTIONS", (scene(), "--metohd", "srm")),
            (2, "TRM_ERR_SCENE", (scene("bad.json", bodies=[{"name": "a", "mass": -1}]),)),
            (2, "TRM_ERR_SYNTAX", (write("syntax.json", "{"),)),
            (3, "TRM_ERR_INCONSISTENT", (scene("torn.json", bodies=[
                {**BAR["bodies"][0], "rate": 1}]),)),
            (5, "TRM_ERR_IO", ("nosuch.json",)),
            (5, "TRM_ERR_IO", (scene(), "-o", "no/such/folder.csv"))]:
        run = run_json(*args, code=code)
        assert list(run) == RUN_KEYS, list(run)
        assert run["status"] == status, run["status"]
        assert list(run["error"]) == ["code", "message", "where", "t"], run["error"]
        assert run["error"]["code"] == status and run["error"]["message"]


@case
def json_of_space():
    """Spatial bodies give a quaternion, point masses neither angle nor rate"""
    run = run_json(os.path.join(ROOT, "scenes/double_pendulum_3d.json"), "--end", "0.1")
    for body in run["state"]["bodies"].values():
        assert list(body) == ["position", "quat_wxyz", "velocity", "rate"], list(body)
        assert math.isclose(sum(x * x for x in body["quat_wxyz"]), 1, rel_tol=1e-12)
        assert [len(body[k]) for k in ("position", "velocity", "rate")] == [3, 3, 3]
    run = run_json(os.path.join(ROOT, "scenes/pendulum.json"), "--end", "0.1")
    assert list(run["state"]["bodies"]["bob"]) == ["position", "velocity"]


@case
def quiet():
    """--quiet prints nothing, --json with it its object; stderr stays empty without a terminal"""
    result = expect(0, trammel("run", scene(), "--quiet"))
    assert result.stdout == b"" and result.stderr == b""
    assert json.loads(expect(0, trammel("run", scene(), "--quiet", "--json")).stdout)
    assert expect(0, trammel("run", scene())).stderr == b""


@case
def text_report():
    """The report in words gives a verdict on each of the three checks and says why the method"""
    text = expect(0, trammel("run", scene())).stdout.decode()
    for word in ["A bar", "1 body", "1 degree of freedom", "Method", "Constraints", "Energy",
                 "Branch"]:
        assert word in text, text
    assert len(re.findall(r"^(?:Constraints|Energy|Branch) +good ", text, re.MULTILINE)) == 3, text


@case
def every_method():
    """Every pair that `methods --json` lists runs and is reported under its name"""
    methods = json.loads(expect(0, trammel("methods", "--json")).stdout)["methods"]
    assert len(methods) > 10
    name = scene()
    for m in methods:
        assert list(m) == ["integrator", "stabilization", "integrator_doc", "stabilization_doc", "source", "order",
                           "adaptive", "parameters"]
        how = ["--rtol", "1e-6"] if m["adaptive"] else ["--step", "1e-3"]
        of = os.path.join(ROOT, "scenes", "bouncing_ball.json") if m["integrator"] == "moreau" else name
        run = run_json(of, "--method", m["stabilization"], "--integrator", m["integrator"], *how,
                       "--end", "0.1")
        assert run["method"]["integrator"] == m["integrator"]
        assert run["method"]["stabilization"] == m["stabilization"]
        assert (run["method"]["step"] is None) == m["adaptive"]
        assert run["t"] == 0.1 and run["drift"]["position_max"] < 1e-3, run["drift"]
        for key in ("epsilon", "iterations", "E", "alpha1", "alpha0", "metric"):
            assert (run["method"][key] is not None) == (key in m["parameters"]), (m, key)


@case
def completed_method():
    """Of method and integrator, what is not given is chosen to fit --step or tolerances"""
    name = scene()
    assert run_json(name, "--method", "projection")["method"]["rtol"] is not None
    assert run_json(name, "--method", "projection", "--step", "0.01")["method"]["step"] == 0.01
    assert run_json(name, "--integrator", "rk4", "--step", "0.01")["method"]["integrator"] == "rk4"
    assert run_json(name, "--step", "0.01")["method"]["step"] == 0.01
    assert run_json(name, "--method", "srm", "--step", "1e-3")["method"]["epsilon"] > 0
    fine, coarse = (run_json(name, "--accuracy", a)["steps"] for a in ("1e-10", "1e-3"))
    assert fine > coarse


@case
def repeatable():
    """The same command gives the same bits"""
    name = os.path.join(ROOT, "scenes/double_four_bar.json")
    results = []
    for _ in range(2):
        run = run_json(name, "--end", "1", "-o", "twice.csv")
        with open("twice.csv", "rb") as file:
            results.append((run["state"], run["drift"], run["energy"], file.read()))
    assert results[0] == results[1]


@case
def the_freedoms_of_a_large_loop():
    """A closed loop of n bars has n - 2 freedoms, and `run` tells it for thousands of them"""
    n = 3000
    at = [[i, 0.5 * (i % 2)] for i in range(n + 1)]
    bodies = [{"name": f"b{i}", "ends": [at[i], at[i + 1]], "mass": 1} for i in range(n)]
    names = ["ground"] + [body["name"] for body in bodies] + ["ground"]
    joints = [{"name": f"j{i}", "type": "revolute", "bodies": names[i:i + 2], "at": at[i]}
              for i in range(n + 1)]
    name = write("loop.json", json.dumps({"dimension": 2, "gravity": [0, -9.81],
                                          "bodies": bodies, "joints": joints}))
    text = expect(0, trammel("run", name, "--end", "0.001")).stdout.decode()
    assert f"{2 * n + 2} constraint rows, {n - 2} degrees of freedom" in text, text


# -------------------------------------------------------------------------------------------- check

@case
def check_keys():
    """check --json prints the keys of the contract"""
    result = expect(0, trammel("check", os.path.join(ROOT, "scenes/bricard.json"), "--json"))
    check = json.loads(result.stdout)
    assert list(check) == CHECK_KEYS, list(check)
    assert check["coordinates"] == {"q": 35, "v": 30}
    assert (check["constraints"], check["rank"], check["degrees_of_freedom"]) == (30, 29, 1)
    assert check["consistent"] is True
    assert list(check["residual"]) == ["position", "velocity", "worst"]
    for r in check["redundant"]:
        assert list(r) == ["rows", "joints", "lines", "kind", "labels"]
        assert r["kind"] in ("structural", "singular-here", "contradictory")
        assert len(r["joints"]) == len(r["lines"]) and min(r["lines"]) > 0


@case
def check_of_a_bad_scene():
    """check --json of a bad scene: the same keys as null, and an error object"""
    result = expect(2, trammel("check", write("syntax.json", "{"), "--json"))
    check = json.loads(result.stdout)
    assert list(check) == CHECK_KEYS + ["error"], list(check)
    assert check["error"]["code"] == "TRM_ERR_SYNTAX"


@case
def inconsistent_start():
    """An open joint: exit 3, naming the joint, the gap and its line, in check and in run"""
    gap = [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"],
            "on": {"ground": [0.25, 0], "bar": [-0.5, 0]}}]
    name = scene("open.json", joints=gap)
    for command in ("check", "run"):
        result = expect(3, trammel(command, name))
        text = result.stderr.decode()
        assert re.search(r"error: open\.json:\d+:\d+: /joints/0", text), text
        assert "O" in text and "0.25" in text and "^" in text, text
        assert re.search("the start does not close: .* --assemble closes it", text), text
    name = scene("torn.json", bodies=[{**BAR["bodies"][0], "rate": 1}])
    for command in ("check", "run"):
        refused_start = trammel(command, name).stderr.decode()
        assert re.search(r"the initial velocities violate .* by 0\.5 m/s.*; "
                         r"--assemble makes them fit", refused_start), refused_start
    name = scene("unit.json", constraints=[{"name": "c", "expression": "tip.y - 0.25"}])
    gap_of_row = f"{0.25 / math.hypot(1, 0.5):.6g}"  # by the length of the row: tip.y = y + sin(angle)/2
    refused(3, "run", name, says=f"'c' is open by {gap_of_row}; --assemble closes it")
    looked_at = trammel("check", name)
    assert f"'c' is open by {gap_of_row}; --assemble closes it".encode() in looked_at.stderr, looked_at.stderr
    assert f"largest gap {0.25 / math.hypot(1, 0.5):.3g} at c\n".encode() in looked_at.stdout, looked_at.stdout
    name = scene("open.json", joints=gap)
    check = json.loads(expect(3, trammel("check", name, "--json")).stdout)
    assert check["consistent"] is False and math.isclose(check["residual"]["position"], 0.25)
    assert check["residual"]["worst"] == "O"


@case
def assembled_start():
    """--assemble closes the start and reports what moved, in check and in run"""
    gap = [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"],
            "on": {"ground": [0.25, 0], "bar": [-0.5, 0]}}]
    name = scene("open.json", joints=gap)
    run = run_json(name, "--assemble", "--end", "0.1")
    assert list(run) == RUN_KEYS + ["assembly"]
    bar = run["assembly"]["bodies"]["bar"]
    assert math.isclose(bar["moved"], 0.25, rel_tol=1e-6) and bar["turned"] < 1e-9, bar
    check = json.loads(expect(0, trammel("check", name, "--assemble", "--json")).stdout)
    assert check["consistent"] is True and check["assembly"]["bodies"]["bar"] == bar
    text = expect(0, trammel("run", name, "--assemble", "--end", "0.1")).stdout.decode()
    assert re.search(r"bar +moved 0\.25 m", text), text
    assert expect(0, trammel("view", name, "--assemble", "-o", "a.svg")).stdout == b"Wrote a.svg\n"
    assert "turned 0 rad; velocity by 0 m/s, rate by 0 rad/s" in text, "roundoff is told as a fact"


@case
def shipped_scenes():
    """check accepts every scene in scenes/ and has no hint for them"""
    folder = os.path.join(ROOT, "scenes")
    names = [n for n in sorted(os.listdir(folder)) if n.endswith(".json") and "schema" not in n]
    assert len(names) >= 15, names
    for name in names:
        text = expect(0, trammel("check", os.path.join(folder, name))).stdout.decode()
        assert "Degrees of freedom" in text and "Hints" not in text, text


@case
def words_of_a_check():
    """check says in words what is held twice, which forces are unique, what was given, where a joint misses its bar"""
    said = {
        "flat_spatial_parallelogram": (0, [
            "D: position z, rotation tilt_1, tilt_2; already fixed by A, B, C (structural: along the whole motion)",
            "D: position x; already fixed by A, B, C (singular here: in this position only)",
            "SINGULAR position: next to it the rank is 17 and 1 freedom is left",
            "Reaction forces       16 of 20 are undetermined"]),
        "isolated_point": (0, ["zero forbids no motion: its derivative is zero (singular here"]),
        "three_collinear_rods": (0, ["left already fixed by far (singular here", "left; right; far\n"]),
        "four_bar": (0, ["Redundant rows        none", "Reaction forces       all unique",
                         "2 with crank held where it is"]),
        "idle_coupler": (0, ["coupler spins alone about the line through"]),
        "doubled_joint": (0, ["take out A: removes 2 redundant rows, 0 left, degrees of freedom stay 1"]),
        "missed_end": (0, ["B lies 0.016 m beyond an end of crank and 0.012 m beside its line"]),
        "torn_start": (3, ["velocity x of crank, given as 0 m/s", "rate of crank, given as 1 rad/s",
                           "--assemble would do this:"]),
        "open_start": (3, ["Poses that conflict   coupler", "held where it is given"]),
    }
    for name, (code, lines) in said.items():
        path = os.path.join(ROOT, "tests/diagnosis", name + ".json")
        text = expect(code, trammel("check", path)).stdout.decode()
        for line in lines:
            assert line in text, f"{name}: {line}\n{text}"


@case
def words_of_contacts():
    """check and run say what limits, stops and friction do: regularized friction is no row of its own"""
    def slider(name, x, more):
        body = {"name": name, "mass": 1, "inertia": 1, "position": [x, 0], "velocity": [1, 0]}
        joint = {"name": name.upper(), "type": "prismatic", "bodies": ["ground", name], "at": [x, 0], "axis": [1, 0]}
        return body, {**joint, **more}
    parts = [slider("a", 0, {"friction": {"sliding": 1, "regularized": 0.01}, "limits": [None, 5]}),
             slider("b", 1, {"friction": 1}), slider("c", 2, {"limits": [-1, 5]})]
    name = write("words.json", json.dumps({
        "dimension": 2, "gravity": [0, -9.81], "bodies": [
            *(body for body, _ in parts), {"name": "lies", "mass": 2, "position": [9, 0], "shape": {"type": "point"}}],
        "markers": [{"name": "p", "body": "lies", "on": [0, 0]}, {"name": "o", "body": "ground", "at": [9, 0]}],
        "joints": [joint for _, joint in parts],
        "stops": [{"name": "a_long_name", "marker": "p", "on": "o", "normal": [0, 1], "friction": 0.5}]}))
    text = expect(0, trammel("check", name)).stdout.decode()
    for line in (r"A +regularized +5 m and below +at 0 m$", r"B +slides +none +at 0 m$",
                 r"C +open +-1 to 5 m +at 0 m$", r"a_long_name +presses +0 m and above +at 0 m, one more row, force 19.62 N$",
                 r"a_long_name.friction +sticks +none +at 0 m, one more row, force 0 N$"):
        assert re.search("^" + line, text, re.M), f"{line}\n{text}"
    told = {c["name"]: c["mode"] for c in json.loads(expect(0, trammel("check", name, "--json")).stdout)["contacts"]}
    assert told == {"A": "regularized", "B": "slides", "C": "open", "a_long_name": "low", "a_long_name.friction": "sticks"}
    text = expect(0, trammel("run", name, "--end", "0.5")).stdout.decode()
    for line in (r"  A +regularized at", r"  B +slides  at 0.375 m, force -1 N", r"  C +open    at 0.5 m, force 0 N",
                 r"  a_long_name +presses at 0 m, force 19.62 N", "Forces +good .* contacts and friction keep their laws$"):
        assert re.search("^" + line, text, re.M), f"{line}\n{text}"


@case
def forces_of_regularized_friction():
    """Regularized friction keeps its law, beside rigid and compliant limits too: the verdict on forces is good"""
    body = {"name": "a", "mass": 1, "inertia": 1, "velocity": [1, 0]}
    for limits in {}, {"limits": [None, 0.3], "restitution": 0.5}, {"limits": [None, 0.3], "limit_stiffness": 1000}:
        joint = {"name": "A", "type": "prismatic", "bodies": ["ground", "a"], "at": [0, 0], "axis": [1, 0],
                 "friction": {"sliding": 0.5, "viscous": 0.2, "regularized": 0.01}, **limits}
        name = write("law.json", json.dumps({"dimension": 2, "bodies": [body], "joints": [joint]}))
        text = expect(0, trammel("run", name, "--end", "2")).stdout.decode()
        assert re.search("^Forces +good .* contacts and friction keep their laws$", text, re.M), f"{limits}\n{text}"


@case
def stiff_motion_beside_a_stop():
    """ida takes over, the stop holds; a method of one's own choice is told of it"""
    name = write("stiff.json", json.dumps({
        "dimension": 2, "gravity": [0, -9.81], "bodies": [{"name": "a", "mass": 1, "shape": {"type": "point"}}],
        "markers": [{"name": "p", "body": "a", "on": [0, 0]}], "stops": [{"name": "floor", "gap": "p.y"}],
        "forces": [{"name": "f", "type": "force", "marker": "p", "value": ["1e7*(cos(t) - p.vx)", 0]}]}))
    text = expect(0, trammel("run", name, "--end", "1")).stdout.decode()
    assert re.search("ida took .* of the steps", text), text
    assert re.search(r"^  floor +presses +at -?[0-9.e-]+ m, force 9.81 N$", text, re.M), text
    x = json.loads(expect(0, trammel("run", name, "--end", "1", "--json")).stdout)["state"]["bodies"]["a"]["position"][0]
    assert abs(x - math.sin(1)) < 1e-6, x
    text = expect(0, trammel("run", name, "--end", "0.02", "--integrator", "dop853")).stdout.decode()
    assert "try --integrator ida, or leave the method to Trammel" in text, text


@case
def contradictions():
    """check of joints that contradict each other: exit 3, the joints with their gaps and lines"""
    name = os.path.join(ROOT, "tests/diagnosis/long_rod.json")
    result = expect(3, trammel("check", name))
    assert "no position satisfies OP, OQ and PQ together" in result.stderr.decode()
    assert result.stdout.decode().count("^") == 3 and "0.5 m" in result.stdout.decode()
    check = json.loads(expect(3, trammel("check", name, "--json")).stdout)
    assert [r["kind"] for r in check["redundant"]] == ["contradictory"]
    assert [g["joint"] for g in check["conflicts"][0]["gaps"]] == ["OP", "OQ", "PQ"]
    assert check["error"]["code"] == "TRM_ERR_INCONSISTENT"


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
