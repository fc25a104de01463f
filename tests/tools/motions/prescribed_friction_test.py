#!/usr/bin/env python3
"""Dry friction along coordinates whose rates are prescribed: validation/campaign/prescribed_friction.py, a part of its grid.

usage: prescribed_friction_test.py TRAMMEL ROOT. Prints TAP.
"""
import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

import tap
from tap import case

TRAMMEL, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "validation/campaign"))
sys.dont_write_bytecode = True
import prescribed_friction as grid  # pylint: disable=wrong-import-position

SCRATCH = tempfile.TemporaryDirectory(prefix="trammel-friction-")  # pylint: disable=consider-using-with
MOREAU = ("--integrator", "moreau", "--method", "s-both2", "--step", "0.001")


def judged(cases, methods):
    wrong = []
    for one in cases:
        for integrator, method in methods:
            says, _ = grid.run(one, TRAMMEL, integrator, method, SCRATCH.name)
            wrong += [f"{one.name} {integrator}+{method}: {says}"] if says and not says.startswith(grid.REFUSED) else []
    assert not wrong, "\n".join(wrong)


def ran(scene, *options):
    """The report, and the columns of the recording."""
    path, out = pathlib.Path(SCRATCH.name) / "scene.json", pathlib.Path(SCRATCH.name) / "out.csv"
    path.write_text(json.dumps(scene), encoding="utf-8")
    output = subprocess.run([TRAMMEL, "run", path, "-o", out, "--json", *options], check=True, capture_output=True, text=True)
    with open(out, encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return json.loads(output.stdout), {name.split("[")[0]: [float(row[i]) for row in rows] for i, name in enumerate(header)}


@case
def every_kind():
    """Drives, laws and motions, by the method that is chosen: forces, work of motors, modes"""
    rng = random.Random(11)
    cases = grid.cases(2)
    by_kind = {}
    for one in cases:
        by_kind.setdefault(tuple(one.name.split("-")[:2]), []).append(one)
    judged([rng.choice(of_kind) for of_kind in by_kind.values()], [("", "")])


@case
def every_method():
    """By every method that takes friction"""
    cases = [one for one in grid.cases(3) if not one.shared]
    judged(random.Random(5).sample(cases, 2), grid.methods_of(TRAMMEL))


@case
def a_rate_that_touches_zero():
    """A rate that falls to zero and rises again, or passes it flat, by methods whose velocities drift: it goes on"""
    methods = [("heun", "baumgarte"), ("dop853", "s-pos"), ("rk4", "s-both2"), ("moreau", "s-both2")]
    names = ("rack_and_pinion-number-touches-plane", "dragged-touches-space", "aslant-fixed-turns_flat", "followed-object-turns_flat-space")
    judged([one for one in grid.cases(0) if one.name in names], methods)


@case
def axes_askew():
    """A block that a motor drags slides sideways, axes off by 1e-6 to 1e-3 rad: in both dwells it sticks by the load across"""
    rng, rests = random.Random("askew"), 0
    for off in (1e-6, 1e-5, 1e-4, 1e-3):
        for m in [one for one in grid.motions(rng) if one.dwells]:
            one = grid.aslant(rng, m, True)
            for joint in one.scene["joints"]:
                joint["axis"] = [x + off * rng.uniform(-1, 1) for x in joint["axis"]]
            report, column = ran(one.scene)
            (c, s), drift = one.pair.along, column["Z.coordinate_rate"]
            held = [i for i, t in enumerate(column["t"]) if m.rate(t) == 0 and t > 0.95 and abs(drift[i]) < 1e-6]
            rests += bool(held)
            assert report["verdicts"]["forces"] == "good", one.name
            for i in held:  # an axis off by an angle turns as much of forces below 100 N across
                along, across = ([x * column["fl.friction.contact_force"][i] + y * column["fl.friction2.contact_force"][i]
                                  for x, y in ((c, s), (-s, c))])
                assert abs(across + one.pair.load) <= 100 * off and abs(along) <= 100 * off, (one.name, off, along, across)
    assert rests >= 4


def crank(friction, end):
    """It turns freely; friction on the slider."""
    foot = math.sqrt(0.08)
    return {"dimension": 2, "bodies": [
        {"name": "crank", "mass": 1, "inertia": 0.5, "position": [0, 0], "rate": 10},
        {"name": "rod", "mass": 0.5, "ends": [[0, 0.1], [foot, 0]]},
        {"name": "slider", "mass": 1, "inertia": 0.1, "position": [foot, 0]}], "joints": [
            {"name": "C", "type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            {"name": "B", "type": "revolute", "bodies": ["crank", "rod"], "at": [0, 0.1]},
            {"name": "D", "type": "revolute", "bodies": ["rod", "slider"], "at": [foot, 0]},
            {"name": "S", "type": "prismatic", "bodies": ["ground", "slider"], "at": [foot, 0], "axis": [1, 0],
             "friction": friction}], "assemble": True, "simulation": {"end": end, "every": 0.01}}


@case
def dead_points():
    """A free crank drives its slider at the dead points alone: friction turns there, and holds elsewhere"""
    report, found = ran(crank(5, 4))
    for u, f in zip(found["S.coordinate_rate"], found["S.contact_force"]):
        assert abs(u) < 1e-6 or f == -math.copysign(5, u), (u, f)
    _, smooth = ran(crank({"sliding": 5, "regularized": 1e-5}, 4))
    assert abs(found["crank.angle"][-1] - smooth["crank.angle"][-1]) < 1e-5
    report, found = ran(crank(20, 8))
    assert report["contacts"]["now"]["S"]["mode"] == "sticks", report["contacts"]
    assert abs(found["crank.rate"][-1]) < 1e-12


def carried(side, along):
    """A block on a floor: driven along one direction, free across, with a load there."""
    across = [-along[2], 0, along[0]]
    slide = {"type": "prismatic", "at": [0, 0.05, 0]}
    return {"dimension": 3, "gravity": [0, -9.81, 0], "bodies": [
        {"name": name, "mass": 1, "inertia": [0.1, 0.1, 0.1], "position": [0, 0.05, 0]} for name in ("cart", "plate", "block")],
            "markers": [{"name": "foot", "body": "block", "at": [0, 0, 0]}, {"name": "floor", "body": "ground", "at": [0, 0, 0]},
                        {"name": "c", "body": "block", "at": [0, 0.05, 0]}],
            "joints": [{"name": "X", "bodies": ["ground", "cart"], "axis": along, **slide,
                        "motor": "step(t, 0.1, 0, 0.4, 1) - step(t, 0.6, 0, 0.7, 0.1)"},
                       {"name": "Z", "bodies": ["cart", "plate"], "axis": across, **slide},
                       {"name": "Y", "bodies": ["plate", "block"], "axis": [0, 1, 0], **slide}],
            "forces": [{"name": "f", "type": "force", "marker": "c", "value": [side * x for x in across]}],
            "stops": [{"name": "fl", "marker": "foot", "on": "floor", "normal": [0, 1, 0], "friction": 0.3}],
            "simulation": {"end": 1, "every": 0.05}}


@case
def one_rate_of_two():
    """Where one rate of a block on a floor is driven, the other one sticks while it dwells and creeps while it moves,
    in whatever direction: in dwells friction takes the load across, and nothing along"""
    rng = random.Random(7)
    turned = [[math.cos(a), 0, math.sin(a)] for a in (rng.uniform(0, 2 * math.pi) for _ in range(3))]
    for along in ([1, 0, 0], [0.8, 0, 0.6], *turned):
        report, found = ran(carried(1, along))
        _, steps = ran(carried(1, along), *MOREAU)
        assert max(report["forces"][part] for part in ("friction", "contacts", "work", "reactions")) < 1e-9, report["forces"]
        for i in (0, 1, -2, -1):  # the drive stands: a load of 1 N; the tangents of normal y are z and x
            held = found["fl.friction.contact_force"][i], found["fl.friction2.contact_force"][i]
            assert math.dist(held, (-along[0], along[2])) < 1e-9, (along, held)
        assert report["contacts"]["now"]["fl.friction"]["mode"] == "sticks", report["contacts"]
        assert abs(found["Z.coordinate"][2]) < 1e-15, "it sticks until the drive moves"
        apart = max(abs(a - b) for a, b in zip(found["Z.coordinate"], steps["Z.coordinate"]))
        assert apart < 5e-3 * max(found["Z.coordinate"]), apart  # of order 1, in 300 steps of a motion


@case
def told():
    """The report tells what friction may be in a dwell, and never that friction is free"""
    scene = {"dimension": 2, "bodies": [{"name": "bar", "mass": 1, "ends": [[0, 0], [1, 0]]}],
             "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0],
                         "motor": "step(t, 0.1, 0, 0.4, 1)", "friction": {"sliding": 2, "sticking": 3}}]}
    path = pathlib.Path(SCRATCH.name) / "scene.json"
    path.write_text(json.dumps(scene), encoding="utf-8")
    for end, says in (("0.05", "undetermined at 0 rad, force 0 of what may be +-3 N m"), ("0.3", "force -2 N m"),
                      ("1", "undetermined at 1 rad, force 0 of what may be +-3 N m")):
        text = subprocess.run([TRAMMEL, "run", path, "--end", end], check=True, capture_output=True, text=True).stdout
        assert says in text and " free " not in text, text
        report, _ = ran(scene, "--end", end)
        assert report["contacts"]["now"]["O"]["friction_bound"] == 3, report["contacts"]
    lifted = {"dimension": 2, "gravity": [0, -9.81], "markers": [{"name": "c", "body": "b", "on": [0, 0]}],
              "bodies": [{"name": "b", "mass": 1, "position": [0, 0.1], "shape": {"type": "disc", "radius": 0.1}}],
              "contacts": [{"name": "floor", "bodies": ["b", "ground"], "friction": 0.3}],
              "forces": [{"name": "F", "type": "force", "marker": "c", "value": ["t", "20*t"]}]}
    assert ran(lifted, "--end", "0.6")[0]["contacts"]["now"]["floor.friction"]["friction_bound"] == 0, "it is open"


@case
def friction_without_a_bound():
    """An object under friction that says of nothing how much it takes is refused"""
    scene = crank({"stribeck": 1}, 1)
    path = pathlib.Path(SCRATCH.name) / "scene.json"
    path.write_text(json.dumps(scene), encoding="utf-8")
    done = subprocess.run([TRAMMEL, "run", path], check=False, capture_output=True, text=True)
    assert done.returncode == 2 and "friction/stribeck" in done.stderr and "no effect" in done.stderr, done.stderr


sys.exit(tap.run(tap.CASES))
