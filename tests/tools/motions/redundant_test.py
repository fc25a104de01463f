#!/usr/bin/env python3
"""Ladders of planar loops written in space, whose rows repeat each other, against the same in the plane.

usage: redundant_test.py TRAMMEL. Prints TAP.
"""
import json
import math
import subprocess
import sys

import tap
from recorded import FOLDER, TRAMMEL
from tap import case


def ladder(loops, dimension, end):
    """Cranks of 1 m and 1.3 m in turn hang from the ground 1.3 m apart; bars join their tips."""
    lengths = [1 + 0.3 * (i % 2) for i in range(loops + 1)]
    tips = [[1.3 * i, -length] for i, length in enumerate(lengths)]
    tail = [0] * (dimension - 2)
    bodies, joints = [], []

    def bar(name, begin, end):
        J = math.dist(begin, end) ** 2 / 12
        inertia = J if dimension == 2 else [[J, 0, 0], [0, J, 0], [0, 0, J]]
        bodies.append({"name": name, "mass": 1, "inertia": inertia, "ends": [begin + tail, end + tail]})

    for i, tip in enumerate(tips):
        bar(f"c{i}", [1.3 * i, 0], tip)
        joints.append({"name": f"a{i}", "type": "revolute", "bodies": ["ground", f"c{i}"], "at": [1.3 * i, 0] + tail})
    for i in range(loops):
        bar(f"k{i}", tips[i], tips[i + 1])
        joints.append({"name": f"b{i}", "type": "revolute", "bodies": [f"c{i}", f"k{i}"], "at": tips[i] + tail})
        joints.append({"name": f"d{i}", "type": "revolute", "bodies": [f"k{i}", f"c{i + 1}"], "at": tips[i + 1] + tail})
    for joint in joints:
        joint.update({"axis": [0, 0, 1]} if dimension == 3 else {})
    return {"dimension": dimension, "gravity": [4, -9] + tail, "bodies": bodies, "joints": joints,
            "outputs": {"x": "k0.x", "y": "k0.y"},
            "simulation": {"end": end, "every": end}}


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
    """Ladders of 3, 10 and 80 loops at A = 1e-9: a bar's centre after 0.5 s is that of the planar scene"""
    for loops in (3, 10, 80):
        ends = []
        for dimension in (2, 3):
            output = FOLDER / "out.csv"
            run(TRAMMEL, "run", written(loops, dimension, 0.5), "--accuracy", "1e-9", "--no-verify", "--json", "-o", output)
            rows = [line.split(",") for line in output.read_text(encoding="utf-8").splitlines() if line[0] != "#"]
            ends.append([float(rows[-1][rows[0].index(name)]) for name in ("x", "y")])
        assert math.dist(*ends) < 2e-9, (loops, ends)


@case
def costs_in_proportion_to_the_loops():
    """Instructions of an evaluation, 80 to 320 loops in space, more than 1000 rows: an exponent of 1.15 at most"""
    tap.figures()
    tap.need("valgrind")
    each = []
    for loops in (80, 320):
        done, said = run("valgrind", "--tool=callgrind", f"--callgrind-out-file={FOLDER / 'counts'}",
                         "--toggle-collect=trm_sim_run", TRAMMEL, "run", written(loops, 3, 0.2), "--no-verify", "--json")
        each.append(int(done.stderr.split("Collected :")[1].split()[0]) / said["evaluations"]["force"])
    assert each[1] <= 4 ** 1.15 * each[0], each


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
