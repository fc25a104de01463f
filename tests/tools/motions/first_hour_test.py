#!/usr/bin/env python3
"""Scenes of a first hour with the program, each with what is right, by closed forms or other programs.

usage: first_hour_test.py TRAMMEL ROOT. Prints TAP.
"""
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

import tap
from tap import case

TRAMMEL, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SCENES = os.path.join(ROOT, "tests/tools/motions/first_hour")
SCRATCH = tempfile.TemporaryDirectory(prefix="trammel-first-hour-")  # pylint: disable=consider-using-with


def call(*words):
    return subprocess.run([TRAMMEL, *words], capture_output=True, text=True, check=False, timeout=tap.PATIENCE)


def run(name, *options):
    """The report of a run, and its recording as columns of numbers."""
    table = os.path.join(SCRATCH.name, f"{name}.csv")
    done = call("run", os.path.join(SCENES, name + ".json"), "--json", "-o", table, *options)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr}"
    with open(table, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {key.split("[")[0]: [float(row[key]) if row[key] else math.nan for row in rows] for key in rows[0]}
    return json.loads(done.stdout), columns


def refusal(name, *options, code=(2, 3)):
    done = call("run", os.path.join(SCENES, name + ".json"), *options)
    assert done.returncode in code, f"exit {done.returncode}: {done.stdout} {done.stderr}"
    return done.stderr


def near(found, wanted, error):
    assert abs(found - wanted) <= error, f"{found:.10g}, not {wanted:.10g} by {error:.1g}"


def good(report):
    assert set(report["verdicts"].values()) <= {"good", "none", "proved", "-"}, report["verdicts"]


def body(report, name):
    return report["state"]["bodies"][name]


# ------------------------------------------------------------------------------------------ small

@case
def small_swing():
    """A swing of 1e-8 rad is 1e-8 cos(w t) to 1e-6 of it"""
    report, table = run("pendulum")
    with open(os.path.join(SCENES, "pendulum.json"), encoding="utf-8") as file:
        scene = json.load(file)
    rod = scene["bodies"][0]
    length = math.dist(*rod["ends"]) if "ends" in rod else 1
    w = math.sqrt(1.5 * abs(scene["gravity"][1]) / length)  # a rod about its end
    for t, x in zip(table["t"], table["b.x"]):
        near(x, length / 2 * 1e-8 * math.cos(w * t), length / 2 * 1e-8 * 1e-6)
    good(report)


@case
def small_open():
    """A mechanism of 1e-6 m that does not close is refused, by a part of its size"""
    said = refusal("micro_open")
    assert "does not close" in said and "of its mechanism" in said, said


# --------------------------------------------------------------------------------------- drawings

@case
def drawn_door():
    """Hinges askew by 1e-6 rad: swings as with aligned hinges at every accuracy, and the misfit is told"""
    with open(os.path.join(SCENES, "door_misaligned.json"), encoding="utf-8") as file:
        scene = json.load(file)
    scene["joints"][1]["axis"] = [0, 0, 1]
    exact = os.path.join(SCRATCH.name, "door.json")
    with open(exact, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    meant = json.loads(call("run", exact, "--json").stdout)["state"]["bodies"]["door"]["position"]
    for accuracy in ("1e-3", "1e-6", "1e-9"):
        report, _ = run("door_misaligned", "--accuracy", accuracy)
        near(max(abs(a - b) for a, b in zip(body(report, "door")["position"], meant)), 0, 1e-4 if accuracy == "1e-3" else 2e-6)
        assert 1e-7 < report["misfit"]["relative"] < 1e-5, report["misfit"]
        assert report["steps"] < 200, report["steps"]


@case
def drawn_cranks():
    """A crank longer by 1e-6: runs through its change points, the misfit told as the one cause of what is not known"""
    report, _ = run("three_cranks")
    assert 1e-8 < report["misfit"]["relative"] < 1e-5, report["misfit"]
    said = call("run", os.path.join(SCENES, "three_cranks.json")).stdout
    assert "Misfit" in said and "undecided" not in said, said


@case
def drawn_four_bar():
    """A four-bar in space with 9 ... 3 digits runs, off by some of the last digit"""
    with open(os.path.join(SCENES, "four_bar_in_space.json"), encoding="utf-8") as file:
        scene = json.load(file)

    def rounded(x, digits):
        return round(x, digits) if isinstance(x, float) else {k: rounded(v, digits) for k, v in x.items()} if isinstance(x, dict) else \
            [rounded(v, digits) for v in x] if isinstance(x, list) else x

    meant, _ = run("four_bar_in_space")
    path = os.path.join(SCRATCH.name, "rounded.json")
    for digits in range(9, 2, -1):
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rounded(scene, digits), file)
        done = call("run", path, "--json")
        assert done.returncode == 0, f"{digits} digits: {done.stderr}"
        found = json.loads(done.stdout)
        for name in ("crank", "coupler", "rocker"):
            off = max(abs(a - b) for a, b in zip(body(found, name)["position"], body(meant, name)["position"]))
            assert off < 300 * 10.0 ** -digits + 1e-5, f"{digits} digits: {name} off by {off:.2g}"


# ----------------------------------------------------------------------------------------- forces

@case
def driven_friction():
    """Dry friction of a driven hinge is 2 N m against its rate, always"""
    report, table = run("driven_friction")
    for t, force in zip(table["t"], table["O.contact_force"]):
        rate = math.cos(2 * math.pi * t)
        if abs(rate) > 1e-6:
            near(force, -math.copysign(2, rate), 1e-9)
    good(report)


@case
def driven_cart():
    """The motor of a cart carries its friction of 5 N: -8.007 N at 1 s"""
    report, table = run("cart_friction")
    near(table["P.lambda_motor"][-1], -8.007, 5e-4)
    good(report)


@case
def dwelling_friction():
    """In dwells friction is 0 and told as undetermined within 2 N m; against the rate between"""
    report, table = run("dwell_friction")
    for t, force, open_by in zip(table["t"], table["O.contact_force"], table["O.contact_undetermined"]):
        if 0.11 < t < 0.39:
            near(force, -2, 1e-9)
        elif t < 0.09 or t > 0.41:
            near(force, 0, 1e-9)
            near(open_by, 2, 1e-9)
    good(report)


@case
def dwelling_floor():
    """A block that is dragged over a floor runs through its dwells"""
    good(run("dwell_floor")[0])


# ---------------------------------------------------------------------------------------- springs

@case
def springs_that_meet():
    """A spring whose ends meet: 1.301692136 m at 4 s, to the accuracy that is asked for"""
    for accuracy in ("1e-5", "1e-6", "1e-7", "1e-8"):
        report, table = run("meeting_spring", "--accuracy", accuracy)
        moved = max(table["s.x"]) - min(table["s.x"])
        near(body(report, "s")["position"][0], 1.301692136, float(accuracy) * moved)
        good(report)


# ------------------------------------------------------------------------------------------ stiff

@case
def stiff_still():
    """A damper of 1e8 N s/m: pictures and linearizations at a time end as runs do"""
    path, picture = os.path.join(SCENES, "still.json"), os.path.join(SCRATCH.name, "still.svg")
    for words in (("view", path, "-o", picture, "--at", "1,2"), ("linearize", path, "--at", "3")):
        done = call(*words)
        assert done.returncode == 0, done.stderr


@case
def stiff_clutch():
    """A clutch by a smooth law of friction locks at 8 rad/s, at every accuracy, in at most 500 steps a run"""
    for accuracy in ("1e-3", "1e-4", "1e-5", "1e-6"):
        for k in ("1e6", "1e7"):
            report, table = run("smooth_friction", "--no-verify", "--accuracy", accuracy, "--set", f"k={k}")
            near(table["a.rate"][-1], 8, 8 * float(accuracy))
            near(table["b.rate"][-1], 8, 8 * float(accuracy))
            assert report["steps"] <= 500, f"{accuracy} {k}: {report['steps']} steps"


@case
def stiff_one_way():
    """A one-way clutch from rest runs at every accuracy and constant"""
    for accuracy in ("1e-2", "1e-4", "1e-6", "1e-9"):
        for c in ("1e7", "1e8", "1e9"):
            run("oneway_from_rest", "--no-verify", "--accuracy", accuracy, "--set", f"c={c}")


@case
def stiff_cliff():
    """An overdamped mass at A = 1e-10: some 3000 steps"""
    report, _ = run("cliff", "--no-verify", "--accuracy", "1e-10")
    assert report["steps"] < 10000, report["steps"]


@case
def stiff_gearbox():
    """A gearbox with redundant rows: its ring turns by -1.682850428 rad"""
    report, table = run("redundant_gearbox", "--accuracy", "1e-8")
    near(table["ring.angle"][-1], -1.682850428, 1e-8 * 1.683)
    good(report)
    for accuracy in ("1e-4", "1e-6", "1e-8"):
        report, table = run("redundant_gearbox", "--integrator", "ida", "--method", "ggl", "--accuracy", accuracy)
        near(table["ring.angle"][-1], -1.682850428, float(accuracy) * 1.683)
        assert report["accuracy"]["verdict"] == "good", report["accuracy"]


# --------------------------------------------------------------------------------------- verdicts

@case
def judged_right():
    """A motor and a door that are right are told right"""
    for name in ("dc_motor", "door_told_lost"):
        report, _ = run(name)
        good(report)
        assert report["accuracy"]["verdict"] == "good", report["accuracy"]


@case
def at_rest():
    """What stands still stands still between samples: by A of the motion"""
    _, table = run("crane_at_rest", "--accuracy", "1e-3", "--every", "0.1")
    still = [k for k, t in enumerate(table["t"]) if t < 7.2]
    for axis in "xyz":
        values = [table[f"load.q{axis}"][k] for k in still]
        near(max(values) - min(values), 0, 3.2e-6)  # A of the whole motion, 0.0032 rad
    _, table = run("masses_at_rest", "--accuracy", "1e-3", "--every", "0.1")
    values = [x for t, x in zip(table["t"], table["m2.x"]) if t < 7.9]
    near(max(values) - min(values), 0, 1e-3 * 0.185)


@case
def crossings_are_counted():
    """Six singular positions are six, at every accuracy"""
    for accuracy in ("1e-3", "1e-4", "1e-6", "1e-8", "1e-10"):
        report, _ = run("count_crossings", "--accuracy", accuracy, "--no-verify")
        assert report["singularity"]["crossings"] == 6, f"{accuracy}: {report['singularity']}"


# -------------------------------------------------------------------------------------- sentences

@case
def smooth_steps():
    """A clamp that is smooth as a whole may prescribe a motion"""
    good(run("smooth_step_in_constraint")[0])


@case
def equilibrium_of_an_integral():
    """Equilibrium with the memory of a controller: angle 0.7, memory 0.07034158"""
    done = call("linearize", os.path.join(SCENES, "equilibrium_of_integral.json"), "--equilibrium", "--json")
    assert done.returncode == 0, done.stderr
    for value in ("-25.35", "-3.320"):
        assert value in done.stdout, done.stdout


@case
def motor_against_its_limit():
    """A motor that drives into its own limit is told so"""
    done = call("run", os.path.join(SCENES, "motor_into_limit.json"))
    assert done.returncode != 0 and "contact 'O': joint 'O' drives it beyond its limit" in done.stderr, done.stderr


# ---------------------------------------------------------------------------------------- hostile

@case
def tables_are_kept():
    """The table that a scene reads is not written over"""
    for name in ("table_of_file.json", "tab.csv"):
        shutil.copy(os.path.join(SCENES, name), SCRATCH.name)
    table = os.path.join(SCRATCH.name, "tab.csv")
    with open(table, "rb") as file:
        before = file.read()
    done = call("run", os.path.join(SCRATCH.name, "table_of_file.json"), "-o", table)
    with open(table, "rb") as file:
        assert file.read() == before and done.returncode != 0, done.stderr


@case
def a_million():
    """A small file that asks for a million bodies is told so at once"""
    begun = tap.cpu_of_children()
    done = call("check", os.path.join(SCENES, "repeat_million.json"))
    assert done.returncode != 0 and tap.cpu_of_children() - begun < 10, done.stderr


@case
def a_stop_that_holds_nothing():
    """A stop between two markers of one body is refused"""
    refusal("stop_same_body_spring")


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
