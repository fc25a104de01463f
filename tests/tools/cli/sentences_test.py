#!/usr/bin/env python3
"""What is said of mistakes that everybody makes once. Prints TAP.

    tests/tools/cli/sentences_test.py TRAMMEL ROOT
"""
import json
import math
import random
import sys

from cli_rig import expect, refused, scene, trammel, write
from tap import CASES, case
import tap


def pin(name, one, other, at, **more):
    return {"name": name, "type": "revolute", "bodies": [one, other], "at": at, **more}


def linkage(chance, drives):
    """A four-bar whose crank and rocker are driven, or its crank alone, of random lengths."""
    a, b = chance.uniform(0.3, 0.6), chance.uniform(0.9, 1.4)
    bars = [{"name": "crank", "ends": [[0, 0], [0, a]], "mass": 1}, {"name": "coupler", "ends": [[0, a], [2, b]], "mass": 1},
            {"name": "rocker", "ends": [[2, 0], [2, b]], "mass": 1}]
    rates = [chance.uniform(0.5, 2), chance.uniform(-2, -0.5)]
    motors = [{"motor": f"{rates[0]}*t"}, {"motor": f"{rates[1]}*t"} if drives == 2 else {}]
    joints = [pin("O", "ground", "crank", [0, 0], **motors[0]), pin("A", "crank", "coupler", [0, a]),
              pin("B", "coupler", "rocker", [2, b]), pin("C", "ground", "rocker", [2, 0], **motors[1])]
    return {"dimension": 2, "bodies": bars, "joints": joints, "assemble": True, "simulation": {"end": 0.1}}


@case
def two_drives():
    """Two drives for one freedom, motors or a constraint: run names both; one motor runs"""
    chance = random.Random(39)
    for _ in range(8):
        scene("one.json", base=linkage(chance, 1))
        expect(0, trammel("run", "one.json", "--quiet"))
        scene("two.json", base=linkage(chance, 2))
        refused(3, "run", "two.json", says="2 motors for 1 freedom: take out one, of 'O' or 'C'")
        said = trammel("check", "two.json").stdout.decode()
        assert "for one freedom: take out the motor of O or of C" in said, said
        meet = {**linkage(chance, 2)}
        meet["joints"][3]["motor"] = f"{chance.uniform(-2, 2)}*t^2"  # at rest at the start, where O turns
        scene("meet.json", base=meet)
        text = refused(3, "run", "meet.json", says="2 motors for 1 freedom: take out one, of 'O' or 'C'")
        assert " by 0 " not in text, text
        scene("given.json", base={**linkage(chance, 1), "constraints": [{"name": "k", "expression": "C.angle + t"}]})
        refused(3, "run", "given.json", says="2 drives for 1 freedom: take out one, of 'O' or 'k'")
    bars = [bar for k in range(71) for bar in (([k, 0], [k, 0.5]), ([k, 0.5], [k + 1, 0.5]))][:-1]  # parallelograms: 424 rows
    bodies = [{"name": f"b{k}", "ends": list(ends), "mass": 1} for k, ends in enumerate(bars)]
    joints = [pin(f"O{k}", "ground", f"b{2 * k}", [k, 0]) for k in range(71)]
    joints += [pin(f"A{k}", f"b{k}", f"b{k + 1}", [(k + 1) // 2, 0.5]) for k in range(140)]
    joints[0]["motor"], joints[70]["motor"] = "t", "2*t"
    scene("long.json", base={"dimension": 2, "bodies": bodies, "joints": joints, "assemble": True, "simulation": {"end": 0.1}})
    refused(3, "run", "long.json", says="2 motors for 1 freedom: take out one, of 'O0' or 'O70'")


@case
def a_worm_that_jams_when_its_drive_sets_out():
    """A rack drives a screw whose friction is above its slope, from t = 0.2 on: its thread, and that time"""
    chance = random.Random(1060)
    for _ in range(8):
        lead, radius = chance.uniform(0.004, 0.012), chance.uniform(0.008, 0.02)
        friction = chance.uniform(1.05, 2) * lead / (2 * math.pi * radius)
        bodies = [{"name": name, "mass": 1, "inertia": [0.1, 0.12, 0.15], "position": [0, y, 0]} for name, y in (("w", 0), ("r", 0), ("g", 0.2))]
        joints = [{"name": "A", "type": "revolute", "bodies": ["ground", "w"], "at": [0, 0, 0], "axis": [1, 0, 0]},
                  {"name": "B", "type": "prismatic", "bodies": ["ground", "r"], "at": [0, 0, 0], "axis": [1, 0, 0]},
                  {"name": "W", "type": "revolute", "bodies": ["ground", "g"], "at": [0, 0.2, 0], "axis": [0, 0, 1],
                   "motor": f"{chance.choice((-1, 1)) * chance.uniform(0.1, 0.5)}*step(t, 0.2, 0, 0.6, 1)"}]
        couple = [{"name": "thread", "type": "screw", "joints": ["A", "B"], "lead": lead, "friction": friction, "radius": radius},
                  {"name": "teeth", "type": "rack_and_pinion", "joints": ["W", "B"], "radius": 0.1}]
        scene("worm.json", base={"dimension": 3, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints, "constraints": couple,
                                 "simulation": {"end": 1}})
        refused(4, "run", "worm.json", "--quiet", says="stopped at t = 0.2.* s: contact 'thread': .*lower its coefficient")


@case
def a_motor_into_its_own_limit():
    """Whatever the limit and the rate: the joint and the time"""
    chance = random.Random(1)
    for _ in range(8):
        rate, limit = chance.uniform(0.5, 3), chance.uniform(0.1, 0.6)
        for sign in (1, -1):
            scene("s.json", base={"dimension": 2, "bodies": [{"name": "arm", "ends": [[0, 0], [0.4, 0]], "mass": 1}], "joints": [
                {"name": "O", "type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0], "motor": f"{sign * rate}*t", "limits": [-limit, limit]}],
                "assemble": True, "simulation": {"end": 3}})
            said = trammel("run", "s.json").stderr.decode()
            assert "contact 'O': joint 'O' drives it beyond its limit, where no force can stop it" in said, said
            assert abs(float(said.split("t = ")[1].split(" s")[0]) - limit / rate) < 1e-6, said


@case
def a_motor_between_two_points():
    """Its coordinate is the displacement of b's point from a's: what a motor of 0 at the start leaves open, it is said to leave"""
    for gap in (0.25, 1.5):
        for motor, opened in (("0.1*t", gap), (f"{gap} + 0.1*t", 0)):
            scene("s.json", base={"dimension": 2, "bodies": [{"name": "b", "mass": 1, "inertia": 1, "position": [gap, 0], "velocity": [0.1, 0]}],
                                  "joints": [{"name": "ram", "type": "prismatic", "bodies": ["ground", "b"], "axis": [1, 0], "at": [[0, 0], [gap, 0]],
                                              "motor": motor}], "simulation": {"end": 0.1}})
            if opened:
                refused(3, "run", "s.json", says=rf"the motor of 'ram' is open by {gap:g} m")
            else:
                expect(0, trammel("run", "s.json", "--quiet"))


@case
def a_spring_that_presses():
    """A limit that is a spring is said to press where it does"""
    scene("s.json", base={"dimension": 2, "gravity": [0, -9.81], "bodies": [{"name": "arm", "ends": [[0, 0], [0.4, 0]], "mass": 1}], "joints": [
        {"name": "O", "type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0], "limits": [-0.5, 0.5], "limit_stiffness": 50, "limit_damping": 5}],
        "simulation": {"end": 20}})
    assert b"O          presses at -0.5" in expect(0, trammel("run", "s.json")).stdout


@case
def a_joint_far_from_its_bar():
    """Further than the bar is long: run says so once, with its line; nearer, or of a joint that begins open, it is silent"""
    chance = random.Random(5)
    for _ in range(6):
        length, angle = chance.uniform(0.2, 3), chance.uniform(0, 6.28)
        tip = [length * math.cos(angle), length * math.sin(angle)]
        for off, told, more in ((chance.uniform(1.1, 20), True, {}), (chance.uniform(0, 0.9), False, {}), (2, False, {"switch": "open"})):
            away = [-off * x for x in tip] if chance.random() < 0.5 else [-off * tip[1], off * tip[0]]
            scene("s.json", base={"dimension": 2, "bodies": [{"name": "bar", "ends": [[0, 0], tip], "mass": 1}], "joints": [
                {"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": away, **more}], "simulation": {"end": 0.01}})
            said = expect(0, trammel("run", "s.json")).stdout.decode()
            assert (f"is {off:.3g} lengths of bar away from it" in said) == told, said


@case
def a_second_run_that_fails():
    """A pole ends the run; where fixed steps go over it no second run gets through, and the verdict is POOR, never good"""
    passed = 0
    for force, pole in (("tan(p.x)", math.pi / 2), ("-1/p.x", 0), ("1/abs(p.x)", 0), ("-1/p.x^3", 0), ("-1/(p.x - 1)", 1), ("1/sin(p.x)", 0)):
        for words in "--accuracy 1e-2", "--accuracy 1e-3", "--accuracy 1e-4", "--accuracy 1e-6", "--accuracy 1e-8", "--integrator rk4 --step 1e-2":
            scene("s.json", base={"dimension": 2, "bodies": [{"name": "a", "mass": 1, "inertia": 1, "velocity": [2, 0], "position": [-1, 0]}],
                                  "markers": [{"name": "p", "body": "a", "on": [0, 0]}],
                                  "joints": [{"name": "P", "type": "prismatic", "bodies": ["ground", "a"], "at": [-1, 0], "axis": [1, 0]}],
                                  "forces": [{"name": "f", "type": "force", "marker": "p", "value": [force, 0]}], "simulation": {"end": 3}})
            done = trammel("run", "s.json", "--json", *words.split(), "--verify")
            report = json.loads(done.stdout)
            assert done.returncode == 4 or "rk4" in words, (force, words)
            if done.returncode == 0 and not pole - math.pi < report["state"]["bodies"]["a"]["position"][0] < pole:
                passed += 1
                assert "POOR" in (report["accuracy"]["verdict"], report["verdicts"]["energy"]), (force, words, report)
    assert passed > 0


@case
def names_that_nothing_uses():
    """check tells parameters, inputs, definitions, tables and markers that stand alone, with their lines, and no others"""
    used = {"parameters": {"a": 1, "b": "2*a", "lone": 3, "l": 1, "w": 0, "u": {"value": 1, "input": True}, "deaf": {"value": 1, "input": True}},
            "tables": {"f": {"points": [[0, 0], [1, 1]]}, "g": {"points": [[0, 0], [1, 1]]}},
            "definitions": {"d": "b*table(f, 0.5)", "e": "d + u", "h": "e"},
            "markers": [{"name": "tip", "body": "bar", "on": [0, 0]}, {"name": "far", "body": "bar", "on": [1, 0]},
                        {"repeat": {"i": 3}, "name": "m{i}", "body": "bar", "on": ["i", 0]}, {"repeat": {"i": 2}, "name": "n{i}", "body": "bar", "on": ["i", 0]}],
            "forces": [{"name": "F", "type": "torque", "body": "bar", "value": "e + tip.x + m1.y"}]}
    scene(**used)
    found = json.loads(expect(0, trammel("check", "bar.json", "--json")).stdout)["unused"]
    assert [(one["kind"], one["name"]) for one in found] == [
        ("parameter", "lone"), ("input", "deaf"), ("marker", "far"), ("marker", "n0"), ("table", "g"), ("definition", "h")], found  # as in the file
    with open("bar.json", encoding="ascii") as file:
        lines = file.read().splitlines()
    assert '"lone": 3' in lines[found[0]["line"] - 1]
    assert f"parameter lone (line {found[0]['line']})" in trammel("check", "bar.json").stdout.decode()
    scene()
    assert [one["name"] for one in json.loads(trammel("check", "bar.json", "--json").stdout)["unused"]] == ["tip"]


@case
def recordings():
    """A recording that a failed run has left is one; one without bodies is told from a scene; options are called by their names"""
    scene()
    expect(0, trammel("run", "bar.json", "-o", "r.csv"))
    with open("r.csv", "rb") as file:
        write("t.csv.part", file.read())
    expect(0, trammel("view", "t.csv.part", "-o", "v.svg"))
    write("bare.csv", "t,a[m]\n0,1\n1,2\n")
    refused(1, "view", "bare.csv", says="bare.csv: this recording has no body to show")
    refused(1, "sweep", "bar.json", "--set", "w=0,1", "-o", "t.csv", "--report", "x.csv", says="--report: ")


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
