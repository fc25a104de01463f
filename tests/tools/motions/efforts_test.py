#!/usr/bin/env python3
"""Efforts of motors, the columns O.motor, against closed forms: hinges and slides in plane and space, alone and in mechanisms.

usage: efforts_test.py TRAMMEL ROOT. Prints TAP. Every scene is random, with a gravity, an axis and an order of bodies of its own.
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

TRAMMEL = sys.argv[1]
SCRATCH = tempfile.TemporaryDirectory(prefix="trammel-efforts-")  # pylint: disable=consider-using-with
END, EVERY = 1.0, 1 / 512


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def turned(n, angle, r):
    """r turned about the unit vector n [Rodrigues]."""
    c, s = math.cos(angle), math.sin(angle)
    across, along = cross(n, r), dot(n, r)
    return [c * r[i] + s * across[i] + (1 - c) * along * n[i] for i in range(3)]


def ran(scene, *options):
    """The columns of a recording, by names without units, and their units."""
    path, out = pathlib.Path(SCRATCH.name) / "scene.json", pathlib.Path(SCRATCH.name) / "out.csv"
    path.write_text(json.dumps({**scene, "assemble": True, "simulation": {"end": END, "every": EVERY}}), encoding="utf-8")
    done = subprocess.run([TRAMMEL, "run", path, "-o", out, "--no-verify", *options], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(out, encoding="utf-8") as file:
        header, *rows = csv.reader(line for line in file if not line.startswith("#"))
    units = {name.split("[")[0]: name.partition("[")[2].rstrip("]") for name in header}
    return {name.split("[")[0]: [float(row[i]) for row in rows] for i, name in enumerate(header)}, units


def motion(rng, size):
    """A formula of the time, and its value and second derivative."""
    a, w, p = size * rng.uniform(0.3, 1), rng.uniform(2, 6), rng.uniform(0, 6)
    return (f"{a!r}*(sin({w!r}*t + {p!r}) - sin({p!r}))", lambda t: a * (math.sin(w * t + p) - math.sin(p)),
            lambda t: -a * w * w * math.sin(w * t + p))


def vector(rng, space):
    return [rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1) if space else 0]


def unit(rng, space):
    v = vector(rng, space)
    return [x / math.hypot(*v) for x in v]


def short(v, space):
    return v if space else v[:2]


def power_is_the_change_of_energy(found, *motors):
    """Simpson's rule over the power of the motors; relative to what they exchange."""
    powers = [sum(found[f"{m}.motor"][i] * found[f"{m}.coordinate_rate"][i] for m in motors) for i in range(len(found["t"]))]
    energy = [k + p for k, p in zip(found["energy.kinetic"], found["energy.potential"])]
    work = EVERY / 3 * (powers[0] + powers[-1] + 4 * sum(powers[1:-1:2]) + 2 * sum(powers[2:-1:2]))
    through = EVERY * sum(map(abs, powers))
    assert abs(work - (energy[-1] - energy[0])) < 1e-6 * through, (work, energy[-1] - energy[0])


def near(found, expected, what):
    most = max(map(abs, expected))
    worst = max(abs(a - b) for a, b in zip(found, expected))
    assert worst < 1e-7 * most, f"{what}: off by {worst:.3g} of {most:.3g}"


@case
def hinges():
    """A body on a driven hinge: (n.I n + m d^2) q'' less the torque of its weight about the axis"""
    for seed in range(12):
        rng, space, mirrored = random.Random(seed), seed % 2 == 1, seed % 4 > 1
        formula, q, a = motion(rng, 1)
        n = unit(rng, True) if space else [0, 0, 1]
        r, g, m = vector(rng, space), [9.81 * x for x in unit(rng, space)], rng.uniform(0.5, 3)
        inertia = [rng.uniform(0.2, 0.3) for _ in range(3)]
        pivot = vector(rng, space)
        bodies = ["b", "ground"] if mirrored else ["ground", "b"]
        found, units = ran({"dimension": 3 if space else 2, "gravity": short(g, space), "bodies": [
            {"name": "b", "mass": m, "inertia": inertia if space else inertia[2],
             "position": short([x + y for x, y in zip(pivot, r)], space)}], "joints": [
                 {"name": "O", "type": "revolute", "bodies": bodies, "at": short(pivot, space), "motor": formula,
                  **({"axis": n} if space else {})}]})
        about = dot(n, [i * x for i, x in zip(inertia, n)]) + m * dot(cross(n, r), cross(n, r))
        sign = -1 if mirrored else 1  # the coordinate is that of the second body in the first
        expected = [about * a(t) - sign * m * dot(n, cross(turned(n, sign * q(t), r), g)) for t in found["t"]]
        assert units["O.motor"] == "N m", units["O.motor"]
        near(found["O.motor"], expected, f"seed {seed}")
        power_is_the_change_of_energy(found, "O")


@case
def slides():
    """A body on a driven slide: m q'' less its weight along the axis"""
    for seed in range(12):
        rng, space, mirrored = random.Random(seed), seed % 2 == 1, seed % 4 > 1
        formula, _, a = motion(rng, 0.5)
        e, g, m = unit(rng, space), [9.81 * x for x in unit(rng, space)], rng.uniform(0.5, 3)
        found, units = ran({"dimension": 3 if space else 2, "gravity": short(g, space), "bodies": [
            {"name": "b", "mass": m, "inertia": [0.2, 0.2, 0.2] if space else 0.2, "position": short(vector(rng, space), space)}],
                            "joints": [{"name": "O", "type": "prismatic", "bodies": ["b", "ground"] if mirrored else ["ground", "b"],
                                        "at": short(vector(rng, space), space), "axis": short(e, space), "motor": formula}]})
        sign = -1 if mirrored else 1
        assert units["O.motor"] == "N", units["O.motor"]
        near(found["O.motor"], [m * a(t) - sign * m * dot(e, g) for t in found["t"]], f"seed {seed}")
        power_is_the_change_of_energy(found, "O")


@case
def geared():
    """A motor that drives a second hinge or slide by a gear, belt, rack or screw: what that takes, times the ratio"""
    for seed in range(12):
        rng, space = random.Random(seed), seed % 2 == 1
        kind = ("gear", "belt", "rack_and_pinion", "screw")[seed // 2 % 4]
        formula, _, a = motion(rng, 1)
        turns, ratio = kind in ("gear", "belt"), rng.uniform(0.4, 2)
        keys = {"gear": {"ratio": -ratio}, "belt": {"radii": [0.1 * ratio, 0.1]}, "rack_and_pinion": {"radius": ratio},
                "screw": {"lead": 2 * math.pi * ratio}}[kind]
        m, own, other = rng.uniform(0.5, 3), rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.4)
        body = lambda name, inertia, x: {"name": name, "mass": m, "inertia": [0.3, 0.3, inertia] if space else inertia,
                                         "position": short([x, 0, 0], space)}
        axis = {"axis": [0, 0, 1]} if space else {}
        hinge = lambda name, b, x: {"name": name, "type": "revolute", "bodies": ["ground", b], "at": short([x, 0, 0], space), **axis}
        scene = {"dimension": 3 if space else 2, "gravity": short([0, -9.81, 0], space),
                 "bodies": [body("a", own, 0), body("b", other, 1)], "joints": [
                     {**hinge("A", "a", 0), "motor": formula}, hinge("B", "b", 1) if turns
                     else {"name": "B", "type": "prismatic", "bodies": ["ground", "b"], "at": short([1, 0, 0], space),
                           "axis": short([0.6, 0.8, 0], space)}],
                 "constraints": [{"name": "c", "type": kind, "joints": ["A", "B"], **keys}]}
        found, _ = ran(scene)
        rate = -ratio if kind == "gear" else ratio
        expected = [(own + rate**2 * (other if turns else m)) * a(t) + (0 if turns else rate * m * 9.81 * 0.8) for t in found["t"]]
        near(found["A.motor"], expected, f"{kind} {'space' if space else 'plane'}")
        power_is_the_change_of_energy(found, "A")


@case
def slider_cranks():
    """Driven at the crank or at the slider, in plane and space: the power of the motor is the change of energy, and its sign"""
    for seed in range(8):
        rng, space, at_slider = random.Random(seed), seed % 2 == 1, seed % 4 > 1
        formula, _, _ = motion(rng, 0.05 if at_slider else 3)
        r, l, p = 0.2, rng.uniform(0.5, 0.8), rng.uniform(1, 1.5)
        x, y = r * math.cos(p), r * math.sin(p)
        foot = x + math.sqrt(l * l - y * y)
        body = lambda name, a, b: {"name": name, "mass": rng.uniform(0.5, 2), "inertia": [0.01, 0.02, 0.02] if space else 0.02,
                                   "position": short([a, b, 0], space)}
        hinge = lambda name, a, b, u, v: {"name": name, "type": "revolute", "bodies": [a, b], "at": short([u, v, 0], space),
                                          **({"axis": [0, 0, 1]} if space else {})}
        scene = {"dimension": 3 if space else 2, "gravity": short([0, -9.81, 0], space),
                 "bodies": [body("crank", x / 2, y / 2), body("rod", (x + foot) / 2, y / 2), body("slider", foot, 0)],
                 "joints": [hinge("C", "ground", "crank", 0, 0), hinge("B", "crank", "rod", x, y), hinge("D", "rod", "slider", foot, 0),
                            {"name": "S", "type": "prismatic", "bodies": ["ground", "slider"], "at": short([foot, 0, 0], space),
                             "axis": short([1, 0, 0], space)}]}
        scene["joints"][3 if at_slider else 0]["motor"] = formula
        found, _ = ran(scene, "--accuracy", "1e-9")
        power_is_the_change_of_energy(found, "S" if at_slider else "C")


sys.exit(tap.run(tap.CASES))
