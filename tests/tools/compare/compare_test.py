#!/usr/bin/env python3
"""What `trammel compare` promises: rows, reference, failures, advice. Prints TAP.

    tests/tools/compare/compare_test.py TRAMMEL ROOT      the program, and the root of the project
"""
import base64
import gzip
import json
import math
import os
import pty
import re
import signal
import subprocess
import sys

from tap import CASES, case
import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])

KEYS = ["scene", "title", "command", "version", "status", "problem", "end", "model", "reference",
        "left_out", "rows", "recommendations", "warnings", "crossings", "timing"]
ROW_KEYS = ["id", "integrator", "stabilization", "source", "step", "rtol", "status", "reason", "where",
            "t_failed", "error", "resolved", "errors", "force_error", "forces", "position_drift", "velocity_drift",
            "energy_error", "branch_changes", "first_branch_change_t", "steps", "rejected",
            "evaluations", "cpu_s", "cpu_min_s", "cpu_max_s", "repeats", "peak_memory_kb", "parameters",
            "pareto"]
ERRORS = ["position", "angle", "velocity", "rate"]
FORCES = ["force", "torque", "acceleration", "angular_acceleration"]

# Two bars that swing: chaotic, but not within half a second.
BARS = {
    "title": "Two bars",
    "dimension": 2,
    "parameters": {"w": 0},
    "gravity": [0, -9.81],
    "bodies": [{"name": "upper", "ends": [[0, 0], [1, 0]], "mass": 2},
               {"name": "lower", "ends": [[1, 0], [2, 0]], "mass": 1, "rate": "w",
                "velocity": [0, "w/2"]}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "upper"], "at": [0, 0]},
               {"name": "A", "type": "revolute", "bodies": ["upper", "lower"], "at": [1, 0]}],
    "simulation": {"end": 0.5},
}
FEW = ["--methods", "rk4+s-both2,dopri5+s-both2,heun+plain", "--steps", "1e-2,5e-3",
       "--rtols", "1e-4,1e-6", "--repeat", "1"]


def trammel(*args, **options):
    return subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, **options)


def partners(stabilization):
    """The integrators that take it."""
    methods = json.loads(trammel("methods", "--json").stdout)["methods"]
    return {m["integrator"] for m in methods if m["stabilization"] == stabilization}


def expect(code, result):
    assert result.returncode == code, f"exit {result.returncode}, not {code}: {result.stderr!r}"
    return result


def bars(name="bars.json", **changes):
    with open(name, "w", encoding="utf-8") as file:
        json.dump({**BARS, **changes}, file)
    return name


def shipped(name):
    return os.path.join(ROOT, "scenes", name + ".json")


def compare(*args, code=0):
    return json.loads(expect(code, trammel("compare", *args, "--json")).stdout)


def refused(code, *args, says):
    result = expect(code, trammel("compare", *args))
    text = result.stderr.decode()
    assert text.startswith("error: ") and text.count("error: ") == 1, text
    assert result.stdout == b"", result.stdout
    assert re.search(says, text), f"{says!r} is not in {text!r}"


def without_times(result):
    """What must not depend on how busy the machine was."""
    for row in result["rows"]:
        for key in ("cpu_s", "cpu_min_s", "cpu_max_s", "repeats", "peak_memory_kb", "pareto"):
            del row[key]
    for key in ("timing", "recommendations", "command"):
        del result[key]
    return result


@case
def keys():
    """compare --json prints exactly the keys of the contract, in order"""
    result = compare(bars(), *FEW)
    assert list(result) == KEYS, list(result)
    assert result["status"] == "done" and result["problem"] is None and result["end"] == 0.5
    assert len(result["rows"]) == 6
    for row in result["rows"]:
        assert list(row) == ROW_KEYS, list(row)
        assert list(row["errors"]) == ERRORS + FORCES
        assert list(row["evaluations"]) == ["force", "jacobian", "factorization"]
        assert row["status"] == "done" and row["reason"] is None and row["repeats"] == 1
        assert (row["step"] is None) == (row["integrator"] == "dopri5") != (row["rtol"] is None)
        assert 0 <= row["cpu_min_s"] <= row["cpu_s"] <= row["cpu_max_s"] < 60
        assert row["peak_memory_kb"] > 100 and row["evaluations"]["force"] > row["steps"] > 0
    assert {"method", "agreement", "t_agree"} <= set(result["reference"])


@case
def series():
    """--series adds each row's curves over time, and the picture of the scene"""
    result = compare(bars(), *FEW, "--series")
    assert list(result) == KEYS + ["picture"] and result["picture"].startswith("<svg")
    for row in result["rows"]:
        assert list(row) == ROW_KEYS + ["series"]
        curves = row["series"]
        assert list(curves) == ["t", "drift", "energy", "h"]
        assert 2 < len(curves["t"]) <= 300 and len({len(c) for c in curves.values()}) == 1
        assert curves["t"] == sorted(curves["t"]) and math.isclose(curves["t"][-1], 0.5)
        assert math.isclose(max(curves["drift"]), row["position_drift"], rel_tol=1e-3)
        assert math.isclose(max(curves["energy"]), row["energy_error"], rel_tol=1e-3)


@case
def selection():
    """--methods, --steps and --rtols say which rows there are"""
    ids = [row["id"] for row in compare(bars(), *FEW)["rows"]]
    assert ids == ["rk4+s-both2 h 0.01", "rk4+s-both2 h 0.005", "dopri5+s-both2 rtol 0.0001",
                   "dopri5+s-both2 rtol 1e-06", "heun+plain h 0.01", "heun+plain h 0.005"], ids
    rows = compare(bars(), "--methods", "s-vel", "--rtols", "1e-5", "--repeat", "1",
                   "--steps", "1e-3,0.01,1e-2")["rows"]
    pairs = {(row["integrator"], row["stabilization"]) for row in rows}
    assert {i for i, _ in pairs} == partners("s-vel")
    adaptive = {row["integrator"] for row in rows if "rtol" in row["id"]}
    assert {s for _, s in pairs} == {"s-vel"} and len(rows) == 2 * len(pairs) - len(adaptive)
    rows = compare(bars(), "--methods", "rk4+projection", "--repeat", "1")["rows"]
    assert 3 <= len(rows) <= 5


@case
def parameters_of_methods():
    """A list of methods gives them parameters, by name or by place; the row is the run that it names"""
    listed = "srm(E=GBinv, iterations=3), heun+srm( epsilon = 1e-2 ), rk4+baumgarte(12, 70)"
    result = compare(bars(), "--methods", listed, "--steps", "1e-3", "--repeat", "1")
    names = ["srm(E=GBinv, iterations=3)", "srm(epsilon=1e-2)", "baumgarte(alpha1=12, alpha0=70)"]
    assert [row["stabilization"] for row in result["rows"]] == names, result["rows"]
    said = [row["parameters"] for row in result["rows"]]
    assert "iterations 3" in said[0] and "epsilon 0.01" in said[1] and said[2] == "alpha1 12, alpha0 70"
    given = [["heun", "srm", "--E", "GBinv", "--iterations", "3"], ["heun", "srm", "--epsilon", "1e-2"],
             ["rk4", "baumgarte", "--alpha1", "12", "--alpha0", "70"]]
    for row, (integrator, method, *options) in zip(result["rows"], given):
        run = json.loads(expect(0, trammel("run", "bars.json", "--integrator", integrator, "--method", method,
                                           *options, "--step", "1e-3", "--json")).stdout)
        assert math.isclose(run["drift"]["position_max"], row["position_drift"], rel_tol=1e-9), row["id"]
    row = compare(bars(), "--methods", "baumgarte(12, 70)", "--rtols", "1e-8", "--steps", "1e-2",
                  "--repeat", "1")["recommendations"][0]
    assert "--method baumgarte --alpha1 12 --alpha0 70 " in row["run"], row


@case
def bad_parameters_of_methods():
    """A list that cannot be read: a sentence with the place, and what the method takes"""
    for listed, says in (("srm(E=GBx)", r'--methods: character 5, "E=GBx": expected one of I\|GBt\|GBinv.*epsilon iterations E lambda0'),
                         ("srm(iterations=0)", "character 5.*whole number from 1 to 1000"),
                         ("srm(epsilon=-1)", "character 5.*>= 0"),
                         ("srm(alpha=1)", "character 5.*no such parameter"),
                         ("rk4, srm(E=I, E=I)", "character 15.*given twice"),
                         ("srm(E=I, 3)", "character 10.*without a name behind"),
                         ("srm(1e-3, 3, I, exact, lambda, 4)", "character 32.*more values than parameters"),
                         ("srm(1e-3,,I)", "character 10.*a value is missing"),
                         ("rk4+baumgarte(x)", 'character 15, "x".*expected a number'),
                         ("srm(E=I", 'character 1: the parenthesis of "srm" is not closed'),
                         ("srm)", 'character 4: expected a comma, got "[)]"'),
                         ("srm(E=I) rk4", 'character 10: expected a comma, got "rk4"'),
                         ("srm((E=I))", "is not closed"),
                         ("srn(E=I)", 'no method is called "srn"')):
        refused(1, bars(), "--methods", listed, says=says)


@case
def every_method_that_fits():
    """Without --methods there are rows of every pair of `trammel methods` that fits the model, and of no other"""
    def pairs(scene):
        rows = compare(scene, "--end", "0.02", "--steps", "1e-3", "--rtols", "1e-4", "--repeat", "1")["rows"]
        return {(row["integrator"], row["stabilization"]) for row in rows}
    listed = {(m["integrator"], m["stabilization"])
              for m in json.loads(expect(0, trammel("methods", "--json")).stdout)["methods"]}
    listed = {pair for pair in listed if pair[0] != "moreau"}  # without contacts
    assert pairs(bars()) == listed
    assert pairs(shipped("four_bar")) == listed


# Chaplygin's sleigh: a blade is a constraint on velocities.
SLEIGH = {
    "dimension": 2,
    "bodies": [{"name": "sleigh", "position": [0.3, 0], "mass": 2, "inertia": 0.5,
                "velocity": [-1, 0.6], "rate": 2}],
    "markers": [{"name": "blade", "body": "sleigh", "on": [-0.3, 0]}],
    "constraints": [{"name": "edge", "type": "knife_edge", "marker": "blade", "normal": [0, 1]}],
}


@case
def constraints_on_velocities():
    """compare runs all methods on a blade but those that find positions from positions, and all agree"""
    with open("sleigh.json", "w", encoding="utf-8") as file:
        json.dump(SLEIGH, file)
    listed = {(m["integrator"], m["stabilization"])
              for m in json.loads(expect(0, trammel("methods", "--json")).stdout)["methods"]}
    result = compare("sleigh.json", "--end", "0.1", "--steps", "1e-3", "--rtols", "1e-6", "--repeat", "1")
    ran = {(row["integrator"], row["stabilization"]) for row in result["rows"]}
    assert ran == {pair for pair in listed if pair[1] != "state-space" and pair[0] != "moreau"}, \
        listed - ran
    assert result["reference"]["agreement"] < 1e-10, result["reference"]
    for row in result["rows"]:
        assert row["status"] == "done" and row["error"] < 2e-3, row


@case
def independent_of_jobs():
    """Everything but times is the same for one process and for three"""
    one = compare(bars(), *FEW, "-j", "1")
    three = compare(bars(), *FEW, "-j", "3")
    assert without_times(one) == without_times(three)


@case
def errors_fall():
    """Errors fall with the step and the tolerance, at the order of the method"""
    rows = {row["id"]: row for row in compare(
        bars(), "--methods", "rk4+s-both2,heun+projection,dop853+s-both2", "--steps", "1e-2,5e-3",
        "--rtols", "1e-4,1e-7,1e-10", "--repeat", "1")["rows"]}
    for method, order in (("rk4+s-both2", 4), ("heun+projection", 2)):
        coarse, fine = (rows[f"{method} h {h}"] for h in ("0.01", "0.005"))
        for kind in ERRORS:
            ratio = coarse["errors"][kind] / fine["errors"][kind]
            assert abs(math.log2(ratio) - order) < 0.7, (method, kind, ratio)
    tolerances = [rows[f"dop853+s-both2 rtol {r}"]["error"] for r in ("0.0001", "1e-07", "1e-10")]
    assert tolerances == sorted(tolerances, reverse=True) and tolerances[0] > 1e3 * tolerances[2]


# A bar on a motor with dry friction: the motion is given, and so is the torque, in closed form.
DRIVEN = {
    "title": "Driven bar",
    "dimension": 2,
    "gravity": [0, -9.81],
    "bodies": [{"name": "bar", "mass": 2, "inertia": 0.1, "position": [0.5, 0], "rate": 3, "velocity": [0, 1.5]}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0],
                "motor": "0.5*sin(6*t)", "friction": 3}],
    "simulation": {"end": 2},
}


def torque_of_motor(t):
    angle, rate, acceleration = 0.5 * math.sin(6 * t), 3 * math.cos(6 * t), -18 * math.sin(6 * t)
    return (0.1 + 2 * 0.25) * acceleration + 2 * 9.81 * 0.5 * math.cos(angle) + math.copysign(3, rate)


@case
def forces():
    """Forces are compared: a row with the right motion and other forces is cheap, and not recommended"""
    name = bars("driven.json", **{**dict.fromkeys(BARS), **DRIVEN, "parameters": {}})
    result = compare(name, "--methods", "dop853+s-both2,moreau", "--repeat", "1")
    scale, rows = result["reference"]["scale"], {row["id"]: row for row in result["rows"]}
    largest = max(abs(torque_of_motor(t)) for t in result["reference"]["t"])
    assert math.isclose(scale["torque"], largest, rel_tol=1e-9), (scale, largest)
    assert math.isclose(scale["angular_acceleration"], max(abs(18 * math.sin(6 * t)) for t in result["reference"]["t"]), rel_tol=1e-9)
    steps = [row for row in rows.values() if row["integrator"] == "moreau" and row["status"] == "done"]
    assert len(steps) > 3
    for row in steps:  # its forces are means of a step: of order one, whatever the motion
        assert row["error"] < 1e-6 and 0.05 < row["force_error"] / row["step"] < 20, (row["id"], row["force_error"])
    assert any(row["force_error"] > 0.1 and not row["pareto"] for row in steps)
    for advice in result["recommendations"]:
        chosen = rows[advice["row"]]
        assert chosen["integrator"] == "dop853" and chosen["force_error"] <= 10 * advice["accuracy"], advice
    assert any("wrong forces" in warning["sentence"] for warning in result["warnings"]), result["warnings"]


@case
def redundant_reactions():
    """Bricard: six hinges of which one is redundant: what each carries is open, what they do together is compared"""
    result = compare(shipped("bricard"), "--methods", "dop853+s-both2,dopri5+projection", "--repeat", "1", "--end", "0.5",
                     "--rtols", "1e-6,1e-8,1e-10")
    done = [row for row in result["rows"] if row["status"] == "done" and row["error"] < 1e-6]
    assert len(done) > 3 and all(row["force_error"] < 1e-4 for row in done), [(r["id"], r["force_error"]) for r in done]


@case
def two_hinges_on_one_axis():
    """A door on two hinges, driven by one: the share of each is open, the torque of the motor and what both do is compared"""
    hinge = {"type": "revolute", "bodies": ["ground", "door"], "axis": [0, 0, 1]}
    name = bars("door.json", **{"title": "Door", "parameters": {}, "dimension": 3, "gravity": [0, -9.81, 0], "assemble": True,
                                "bodies": [{"name": "door", "mass": 3, "inertia": [0.5, 0.5, 0.25], "position": [0.5, 0, 1]}],
                                "joints": [{"name": "O", "at": [0, 0, 0.4], "motor": "0.5*sin(6*t)", "friction": 1, **hinge},
                                           {"name": "P", "at": [0, 0, 1.6], **hinge}], "simulation": {"end": 0.5}})
    result = compare(name, "--methods", "dop853+s-both2,dopri5+projection,moreau", "--repeat", "1")
    scale = result["reference"]["scale"]
    torque = lambda t: (-18 * math.sin(6 * t) * (0.25 + 3 * 0.25) + 3 * 9.81 * 0.5 * math.cos(0.5 * math.sin(6 * t))
                        + math.copysign(1, math.cos(6 * t)))
    assert math.isclose(scale["torque"], max(abs(torque(t)) for t in result["reference"]["t"]), rel_tol=1e-9), scale
    done = [row for row in result["rows"] if row["status"] == "done"]
    right = [row for row in done if row["integrator"] != "moreau"]
    assert len(right) > 3 and all(row["force_error"] < 1e-4 for row in right if row["error"] < 1e-6), [
        (r["id"], r["force_error"]) for r in right]
    wrong = {row["id"] for row in done if row["integrator"] == "moreau" and row["force_error"] > 0.01}
    assert wrong and all(row["error"] < 1e-6 for row in done if row["id"] in wrong), wrong
    assert not wrong & {advice["row"] for advice in result["recommendations"] if advice["accuracy"] <= 1e-3}, result["recommendations"]


@case
def reference():
    """The reference is two methods that agree to two digits beyond the best row, and says so"""
    result = compare(bars(), *FEW)
    r = result["reference"]
    assert r["method"].split()[0] != r["partner"].split()[0]
    assert r["t_agree"] == 0.5 and r["apart"][-1] == r["agreement"]
    assert 0 < r["agreement"] <= 0.01 * min(row["error"] for row in result["rows"])
    assert r["t"] == sorted(r["t"]) and r["apart"] == sorted(r["apart"])
    text = expect(0, trammel("compare", bars(), *FEW)).stdout.decode()
    assert "Reference" in text and r["method"] in text and "Apart by" in text
    r = compare(bars(), *FEW, "--reference", "dop853+projection")["reference"]
    assert r["method"].startswith("dop853+projection") and r["agreement"] < 1e-10


@case
def recommendation():
    """A recommendation names an existing row that is exact enough and fast, or says why there is none"""
    result = compare(bars(), *FEW)
    rows = {row["id"]: row for row in result["rows"]}
    assert [a["accuracy"] for a in result["recommendations"]] == [1e-4, 1e-6, 1e-9]
    first, _, last = result["recommendations"]
    best = rows[first["row"]]
    assert best["error"] <= 1e-4 and best["pareto"] or first["within_noise"] > 0
    good = [row["cpu_s"] for row in rows.values() if row["error"] <= 1e-4]
    assert best["cpu_s"] <= min(good) * (1 + result["timing"]["noise"])
    assert best["integrator"] in first["sentence"]
    assert last["row"] is None and "no row" in last["sentence"]
    for row in rows.values():  # the front is what it says
        beaten = any(o["error"] < row["error"] and o["cpu_s"] < row["cpu_s"] for o in rows.values())
        assert not (row["pareto"] and beaten), row["id"]


@case
def failures():
    """A row that fails says where and when, and is not the end of the others"""
    tap.figures()
    result = compare(shipped("slider_crank_turn"), "--methods", "heun+alf,dop853+s-both2",
                     "--steps", "0.05,0.02", "--rtols", "1e-8", "--repeat", "1", "--end", "6")
    rows = {row["id"]: row for row in result["rows"]}
    good = rows["dop853+s-both2 rtol 1e-08"]
    assert good["status"] == "done" and good["error"] < 1e-4
    bad = rows["heun+alf h 0.05"]
    assert bad["status"] == "failed" and 0 < bad["t_failed"] < 6 and bad["reason"], bad
    assert result["reference"]["t_agree"] == 6, result["reference"]["t_agree"]
    assert bad["error"] is None and bad["cpu_s"] is None
    assert len(result["crossings"]) > 3
    times = [c["t"] for c in result["crossings"]]
    assert times == sorted(times) and all(0 < t < 6 for t in times)
    assert all(c["joints"] and not c["bifurcation"] for c in result["crossings"])
    assert any(w["stabilization"] == "alf" for w in result["warnings"])


@case
def nothing_moves():
    """A scene at rest in equilibrium: nothing to compare, and it says so"""
    hanging = [{**b, "ends": [[0, -i], [0, -i - 1]]} for i, b in enumerate(BARS["bodies"])]
    del hanging[1]["velocity"], hanging[1]["rate"]
    name = bars(bodies=hanging, parameters={}, joints=[BARS["joints"][0], {**BARS["joints"][1], "at": [0, -1]}])
    result = compare(name, *FEW)
    assert "nothing moves" in result["reference"]["verdict"].lower()
    assert all(a["row"] is None for a in result["recommendations"])


@case
def usage():
    """Unknown methods, pairs that do not mix, lists that fit nothing: exit 1 with the reason"""
    name = bars()
    for args, says in [
            (("--methods", "dop85"), 'no method is called "dop85".*did you mean "dop853"'),
            (("--methods", "xyzzy"), "trammel methods"),
            (("--methods", "rk4+s-boht"), 'no stabilization is called "s-boht".*"s-both"'),
            (("--methods", "rk5+s-both"), 'no integrator is called "rk5".*"rk4"'),
            (("--methods", "rk4+srm"), "rk4 does not go with srm, which takes heun"),
            (("--methods", "s-both2+rk4"), r"write rk4\+s-both2"),
            (("--methods", ""), "no method"),
            (("--methods", "rk4", "--rtols", "1e-6"), "--rtols: .*fixed steps"),
            (("--methods", "dop853", "--steps", "1e-2"), "--steps: .*--rtols"),
            (("--steps", "1e-2,0"), "--steps: must be > 0"),
            (("--steps", "1e-2,x"), "--steps: expected a number"),
            (("--steps", "0.6"), "larger than the run"),
            (("--end", "0"), "--end"),
            (("--repeat", "0"), "--repeat"),
            (("--budget", "-1"), "--budget"),
            (("--reference", "dop583"), '--reference: .*did you mean "dop853"'),
            (("--reference", "ida+srm"), "does not go with|no integrator")]:
        refused(1, name, *args, says=says)
    refused(5, "nosuch.json", says="nosuch.json")
    result = compare(name, "--methods", "dop85", code=1)
    assert list(result) == KEYS and result["problem"]["code"] == "TRM_ERR_OPTIONS"


def swing(t):
    """x = a sin(w t) of a mass on a spring, and its rate."""
    return 0.2 * math.sin(3 * t), 0.6 * math.cos(3 * t)


SPRING = {
    "dimension": 2,
    "bodies": [{"name": "mass", "mass": 1, "inertia": 1, "position": [0, 0], "velocity": [0.6, 0]}],
    "markers": [{"name": "m", "body": "mass", "at": [0, 0]}],
    "joints": [{"name": "rail", "type": "prismatic", "bodies": ["ground", "mass"], "at": [0, 0],
                "axis": [1, 0]}],
    "forces": [{"name": "spring", "type": "force", "marker": "m", "value": ["-9*m.x", 0]}],
    "simulation": {"end": 1},
}


def record(name, times, off=0.0):
    """A file of another program: the motion of SPRING, its amplitude off by a part."""
    names = ["x[m]", "y[m]", "angle[rad]", "vx[m/s]", "vy[m/s]", "rate[rad/s]"]
    with open(name, "w", encoding="utf-8") as file:
        print("t,note," + ",".join("mass." + each for each in names), file=file)
        for t in times:
            x, v = swing(t)
            print(f"{t!r},abc,{x * (1 + off)!r},0,0,{v * (1 + off)!r},0,0", file=file)
    return name


@case
def recordings_as_rows():
    """Files of other programs are rows: their error is theirs, at the times that all have, and no time is told"""
    with open("spring.json", "w", encoding="utf-8") as file:
        json.dump(SPRING, file)
    fine = record("fine.csv", [i / 60 for i in range(1, 61)], 1e-3)
    exact = record("exact.csv", [i / 20 for i in range(1, 21)])
    result = compare("spring.json", "--methods", "rk4+plain", "--steps", "0.05", "--row", f"{fine},{exact}")
    assert [round(20 * t, 9) for t in result["reference"]["t"]] == list(range(1, 21)), result["reference"]["t"]
    rows = {row["id"]: row for row in result["rows"]}
    moved = max(abs(swing(i / 20)[0]) for i in range(1, 21))
    assert math.isclose(rows[fine]["errors"]["position"], 1e-3 * moved, rel_tol=1e-9), rows[fine]
    assert rows[exact]["error"] < 1e-11, rows[exact]
    for row in (rows[fine], rows[exact]):
        assert list(row) == ROW_KEYS and row["integrator"] == "recorded" and row["status"] == "done"
        assert not row["pareto"]
        for key in ("step", "rtol", "cpu_s", "forces", "force_error", "steps", "energy_error"):
            assert row[key] is None, (key, row)
        assert row["evaluations"] == {"force": None, "jacobian": None, "factorization": None}
    assert all(advice["row"] not in (fine, exact) for advice in result["recommendations"])
    text = expect(0, trammel("compare", "spring.json", "--methods", "rk4+plain", "--row", fine)).stdout.decode()
    assert re.search(r"fine\.csv +0\.001 +recorded", text), text
    assert compare("spring.json", "--methods", "rk4+plain", "--row", fine, "--reference", exact)["reference"]["from_file"]
    aside = record("aside.csv", [0.013, 0.71])
    refused(1, "spring.json", "--row", f"{exact},{aside}", says=r"aside\.csv: it has no time in common with exact\.csv")
    refused(5, "spring.json", "--row", "nosuch.csv", says="nosuch.csv: cannot be read")
    refused(1, "spring.json", "--end", "2", "--row", exact, says=r"the row exact\.csv ends at t = 1 s")


@case
def study():
    """--study srm: error over epsilon falls with slope s, over h = epsilon with min(s, 2); told beside the theory's"""
    words = (shipped("double_four_bar"), "--end", "0.5", "--study", "srm", "--repeat", "1")
    result = compare(*words)
    assert list(result) == KEYS + ["study"]
    lines = {(line["along"], line["iterations"]): line for line in result["study"]}
    assert sorted(lines) == [(along, s) for along in ("epsilon", "h") for s in (1, 2, 3, 4)]
    for (along, s), line in lines.items():
        assert line["theory"] == (s if along == "epsilon" else min(s, 2))
        for i, slope in enumerate(line["slope"]):
            x, e = line["x"][i:i + 2], line["error"][i:i + 2]
            assert math.isclose(slope, math.log(e[0] / e[1]) / math.log(x[0] / x[1]), rel_tol=1e-9)
        if s <= 2:  # with more iterates the other term, or the next order, comes in
            assert all(abs(slope - line["theory"]) < 0.25 for slope in line["slope"][1:]), line
    text = expect(0, trammel("compare", *words)).stdout.decode()
    assert "Error over   epsilon" in text and "slope 2" in text and "--end T" not in text, text
    text = expect(0, trammel("compare", shipped("pendulum"), "--end", "10", *words[3:])).stdout.decode()
    assert "--end T" in text, text
    refused(1, bars(), "--study", "srm", "--methods", "rk4", says="leave --methods and --steps out")
    refused(1, bars(), "--study", "sor", says="--study")


@case
def recording_as_reference():
    """A recording of this scene serves as the reference; another one is refused with the reason"""
    name = bars()
    expect(0, trammel("run", name, "--rtol", "1e-13", "-o", "bars.csv", "--every", "0.01"))
    result = compare(name, *FEW, "--reference", "bars.csv")
    assert result["reference"]["from_file"] and result["reference"]["agreement"] is None
    for mine, computed in zip(result["rows"], compare(name, *FEW)["rows"]):
        assert 0.5 < mine["error"] / computed["error"] < 2, (mine["id"], mine["error"])
    other = bars("other.json", bodies=[{**BARS["bodies"][0], "name": "top"}, BARS["bodies"][1]],
                 joints=[{**BARS["joints"][0], "bodies": ["ground", "top"]},
                         {**BARS["joints"][1], "bodies": ["top", "lower"]}])
    refused(1, other, *FEW, "--reference", "bars.csv", says=r'no column "top\.x\[m\]"')
    refused(1, name, *FEW, "--set", "w=1", "--reference", "bars.csv", says="another start")
    refused(1, name, *FEW, "--end", "2", "--reference", "bars.csv", says="ends at t = 0.5 s")
    refused(5, name, *FEW, "--reference", "nosuch.csv", says="nosuch.csv: cannot be read")
    with open("bars.csv", encoding="ascii") as file, open("ends.csv", "w", encoding="ascii") as ends:
        lines = file.readlines()
        ends.writelines([*lines[:2], lines[-1]])
    refused(1, name, *FEW, "--end", "0.1", "--reference", "ends.csv", says=r"no state between t = 0 and t = 0\.1 s")
    with open("torn.csv", "w", encoding="ascii") as file:
        file.write(open("bars.csv", encoding="ascii").read()[:-40])
    refused(1, name, *FEW, "--reference", "torn.csv", says=r"torn\.csv: line \d+")


@case
def report():
    """--report writes a page that holds what --json prints; a path that cannot be written is found first"""
    name = bars()
    result = compare(name, *FEW, "--series", "--report", "page.html")
    with open("page.html", encoding="utf-8") as file:
        page = file.read()
    data = re.search(r'<script[^>]*id="data"[^>]*>(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(data) == result
    start = tap.cpu_of_children()
    for path in ("no/such/page.html", "."):
        refused(5, shipped("andrews"), "--report", path, says=re.escape(path) + ".*cannot be written")
    assert tap.cpu_of_children() - start < 5
    assert sorted(os.listdir(".")) == ["bars.json", "page.html", "page.view.html"]
    assert result["views"]["file"] == "page.view.html"
    advised = {item["row"] for item in result["recommendations"] if item["row"]}
    assert advised <= set(result["views"]["rows"]) <= {row["id"] for row in result["rows"]}
    with open("page.view.html", encoding="utf-8") as file:
        packed = re.search(r'id="data">([^<]*)<', file.read())[1]
    block = gzip.decompress(base64.b85decode(packed.translate(str.maketrans(",.:", "<&?"))))
    shown = json.loads(block[4:4 + int.from_bytes(block[:4], "little")])
    assert [run["label"] for run in shown["runs"]] == result["views"]["rows"]


@case
def budget():
    """A row that takes longer than the budget is stopped, and finer ones are not begun"""
    start = tap.cpu_of_children()
    result = compare(bars(), "--methods", "rk4+plain,dopri5+plain", "--steps", "1e-8,1e-9",
                     "--rtols", "1e-6", "--budget", "0.5")
    rows = {row["id"]: row for row in result["rows"]}
    assert rows["rk4+plain h 1e-08"]["status"] == "over-budget"
    assert "0.5 s" in rows["rk4+plain h 1e-08"]["reason"]
    assert rows["rk4+plain h 1e-09"]["status"] == "skipped"
    text = expect(0, trammel("compare", bars(), "--methods", "rk4+plain,dopri5+plain", "--steps", "1e-8,1e-9",
                             "--rtols", "1e-6", "--budget", "0.5")).stdout.decode()
    assert re.search(r"^plain .* 1 of 2$", text, re.MULTILINE), text  # what was not begun is not counted
    assert "plain, 1 of 2 rows: 1 over the budget of time." not in text  # one of two is not most
    assert "3 rows, 1 of them not run" in text, text
    assert rows["dopri5+plain rtol 1e-06"]["status"] == "done"
    assert tap.cpu_of_children() - start < 60


@case
def interrupt():
    """Ctrl-C ends the children and reports the rows that were finished, exit 130"""
    terminal, stderr = pty.openpty()
    process = subprocess.Popen(
        [PROGRAM, "compare", bars(), "--methods", "dopri5+plain,rk4+plain", "--rtols", "1e-6",
         "--steps", "1e-2,1e-9", "--budget", "1000", "--json", "-j", "2", "--report", "page.html"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr)
    seen = b""
    while seen.count(b"\n") < 2:  # one line for each row that ends; the third one never does
        seen += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    os.close(stderr)
    os.close(terminal)
    assert b"dopri5+plain rtol 1e-06" in seen and b"rk4+plain h 0.01" in seen, seen
    assert process.returncode == 130, process.returncode
    result = json.loads(out)
    assert result["status"] == "interrupted"
    status = {row["id"]: row["status"] for row in result["rows"]}
    assert status["rk4+plain h 1e-09"] == "interrupted", status
    assert status["dopri5+plain rtol 1e-06"] == "done", status
    with open("page.html", encoding="utf-8") as file:
        assert '"interrupted"' in file.read()


@case
def interrupted_reference():
    """Ctrl-C while the reference is computed: exit 130, a sentence, no page, and nothing claimed of the reference"""
    command = [PROGRAM, "compare", shipped("chain_100"), "--end", "1000", "--budget", "1000", "--report", "page.html"]
    for more in ([], ["--json"]):
        process = subprocess.Popen(command + more, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        tap.until(lambda: tap.listens(process, signal.SIGINT), process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        assert process.returncode == 130, process.returncode
        assert b"while the reference was computed" in err and b"no page is written" in err, err
        assert not os.path.exists("page.html")
        assert more or out == b"", out
    result = json.loads(out)
    assert result["status"] == "interrupted" and result["rows"] == []
    reference = result["reference"]
    assert reference["agreement"] is None and reference["apart_at_end"] is None and reference["t_agree"] == 0
    assert "nterrupted" in reference["verdict"], reference


@case
def table_of_rows():
    """The text has a line for each row: error, error of forces, drift, energy, steps, evaluations by kind, CPU time and memory"""
    lines = expect(0, trammel("compare", bars(), *FEW)).stdout.decode().splitlines()
    head = next(line for line in lines if line.split()[:4] == ["error", "forces", "drift", "energy"])
    assert head.split()[4:] == ["steps", "f", "G", "factors", "CPU", "MB"], head
    rows = {row["id"]: row for row in compare(bars(), *FEW)["rows"]}
    for name, row in rows.items():
        cells = next(line for line in lines if line.startswith(name)).removeprefix(name).replace("~", " ").split()
        counts = row["evaluations"]
        assert cells[4:8] == [str(n) for n in (row["steps"], counts["force"], counts["jacobian"], counts["factorization"])], cells
        assert 0.5 < float(cells[10]) / (row["peak_memory_kb"] / 1024) < 2, cells
    assert max(map(len, lines)) <= 109, max(lines, key=len)


@case
def chaos():
    """Where the references separate, errors are those up to then, and the report says so"""
    tap.figures()
    result = compare(shipped("chain_10"), "--end", "12", "--methods", "dop853+s-both2", "--rtols",
                     "1e-8,1e-10", "--repeat", "1")
    r = result["reference"]
    assert 1 < r["t_agree"] < 12 and r["apart_at_end"] > 1e-3, r
    assert "chaotic" in r["verdict"] and r["agreement"] <= 1e-6
    assert all(row["status"] == "done" for row in result["rows"])
    assert r["agreement"] <= max(1e-9, 0.01 * min(row["error"] for row in result["rows"]))


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
