#!/usr/bin/env python3
"""Ladders of planar loops written in space, whose rows repeat each other, against the same in the plane.

usage: redundant_test.py TRAMMEL. Prints TAP.
"""
import json
import math
import pathlib
import random
import subprocess
import sys

import tap
from recorded import FOLDER, TRAMMEL
from tap import case

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path += [str(ROOT / "tools"), str(ROOT / "validation" / "benchmarks")]
from bench_problems import ladder  # noqa: E402


def written(loops, dimension, end):
    path = FOLDER / f"ladder_{loops}_{dimension}.json"
    path.write_text(json.dumps(ladder(loops, dimension, end)), encoding="utf-8")
    return path


def run(*command):
    done = subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done, json.loads(done.stdout)


@case
def same_motion_as_in_the_plane():
    """Ladders of 3 to 80 loops at A = 1e-9: a bar's centre after 0.5 s is that of the planar scene"""
    for loops in (3, 10, 30, 50, 80):
        ends = []
        for dimension in (2, 3):
            output = FOLDER / "out.csv"
            run(TRAMMEL, "run", written(loops, dimension, 0.5), "--accuracy", "1e-9", "--no-verify", "--json", "-o", output)
            rows = [line.split(",") for line in output.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
            ends.append([float(rows[-1][rows[0].index(name)]) for name in ("x", "y")])
        assert math.dist(*ends) < 2e-9, (loops, ends)


def turned(axis, angle, v):
    """v turned about a unit axis [Rodrigues]."""
    c, s = math.cos(angle), math.sin(angle)
    along = (1 - c) * sum(a * x for a, x in zip(axis, v))
    return [c * v[i] + along * axis[i] + s * (axis[i - 2] * v[i - 1] - axis[i - 1] * v[i - 2]) for i in range(3)]


def bennett(rng):
    """Four axes (place, direction) of Bennett's linkage: a = b sin alpha / sin beta [Bennett 1903]."""
    alpha, beta, theta = rng.uniform(0.4, 0.8), rng.uniform(1.2, 1.6), rng.uniform(0.8, 2.2)
    other = 2 * math.atan(math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2) / math.tan(theta / 2))
    x, z, at, axes = [1, 0, 0], [0, 0, 1], [0, 0, 0], []
    for length, twist, angle in ((1, alpha, theta), (math.sin(beta) / math.sin(alpha), beta, other)) * 2:
        axes.append((at, z))
        x = turned(z, angle if len(axes) < 3 else -angle, x)
        at = [p + length * e for p, e in zip(at, x)]
        z = turned(x, twist, z)
    assert math.dist(at, [0, 0, 0]) < 1e-12
    return axes


def parallelogram(rng):
    """Four parallel axes, singular twice in each turn."""
    tip, z = turned([0, 0, 1], rng.uniform(0, 6), [0.7, 0, 0]), [0, 0, 1]
    return [([0, 0, 0], z), (tip, z), ([tip[0] + 1.3, tip[1], 0], z), ([1.3, 0, 0], z)]


def chain(seed, end):
    """Four such linkages, each hung on the last body of the one before, its rows one component's."""
    rng = random.Random(seed)
    bodies, joints, base = [], [], "ground"
    for k in range(4):
        places = [([5 * k + at[0], at[1], at[2]], axis) for at, axis in rng.choice([bennett, parallelogram])(rng)]
        names = [f"{letter}{k}" for letter in "uvw"]
        for name, (begin, _), (tip, _) in zip(names, places, places[1:]):
            q = [rng.gauss(0, 1) for _ in range(4)]
            bodies.append({"name": name, "mass": 1, "inertia": [0.3, 0.25, 0.35],
                           "position": [(x + y) / 2 for x, y in zip(begin, tip)], "quat_wxyz": [x / math.hypot(*q) for x in q]})
        bodies[-3]["rate_world"] = [0, 0, 5]
        for i, (at, axis) in enumerate(places):
            joints.append({"name": f"j{k}{i}", "type": "revolute", "at": at, "axis": axis,
                           "bodies": [([base] + names)[i], (names + [base])[i]]})
        base = names[-1]
    return {"dimension": 3, "gravity": [1, -2, -3], "bodies": bodies, "joints": joints,
            "outputs": {name: f"{name}.x" for name in ("u0", "v2", "w3")}, "simulation": {"end": end, "every": end}}


@case
def ranks_and_crossings_are_those_of_all_rows():
    """Chains of Bennett's linkages and parallelograms beside a ladder of 110 rows, which has all
    dependent rows masked, and by themselves: the same crossings of the same joints, the same motion"""
    for seed in range(1, 7):
        said = []
        for beside in (False, True):
            scene, more = chain(seed, 3), ladder(7, 3, 3)
            for key in ("bodies", "joints") if beside else ():
                scene[key] += more[key]
            path = FOLDER / f"chain_{seed}_{beside}.json"
            path.write_text(json.dumps(scene), encoding="utf-8")
            said.append(run(TRAMMEL, "run", path, "--assemble", "--accuracy", "1e-7", "--no-verify", "--json")[1])
        seen = [[(c["joints"], round(c["t"], 3), c["rank_at"] - c["rank_before"])
                 for c in each["singularity"]["crossing_log"]] for each in said]
        assert seen[0] == seen[1], (seed, seen)
        off = max(abs(said[0]["outputs"][name] - said[1]["outputs"][name]) for name in said[0]["outputs"])
        assert off < 1e-7, (seed, off)


@case
def misfits_are_shared_out():
    """A ladder of 10 loops in space, axes askew by 1e-7, has play in every joint, as one of 5 loops has"""
    for loops in (5, 10):
        scene, rng = ladder(loops, 3, 0.5), random.Random(3)
        for joint in scene["joints"]:
            joint["axis"] = [rng.uniform(-1e-7, 1e-7), rng.uniform(-1e-7, 1e-7), 1]
        path = FOLDER / "askew.json"
        path.write_text(json.dumps(scene), encoding="utf-8")
        said = run(TRAMMEL, "run", path, "--no-verify", "--json")[1]
        assert set(said["misfit"]["joints"]) == {joint["name"] for joint in scene["joints"]}, said["misfit"]


@case
def costs_in_proportion_to_the_loops():
    """Instructions of an evaluation, 10, 80 and 320 loops in space: an exponent of 1.15 at most in each"""
    tap.figures()
    tap.need("valgrind")
    each = {}
    for loops in (10, 80, 320):
        done, said = run("valgrind", "--tool=callgrind", f"--callgrind-out-file={FOLDER / 'counts'}",
                         "--toggle-collect=trm_sim_run", TRAMMEL, "run", written(loops, 3, 0.2), "--no-verify", "--json")
        each[loops] = int(done.stderr.split("Collected :")[1].split()[0]) / said["evaluations"]["force"]
    assert each[80] <= 8 ** 1.15 * each[10] and each[320] <= 4 ** 1.15 * each[80], each


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
