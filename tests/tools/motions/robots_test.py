#!/usr/bin/env python3
"""Robots in joint coordinates as in those of their bodies: validation/campaign/robots, a part of its grid.

usage: robots_test.py TRAMMEL ROOT. Prints TAP.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import tap
from tap import case

TRAMMEL, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def told(scene, coordinates):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "scene.json")
        path.write_text(json.dumps(scene), encoding="utf-8")
        done = subprocess.run([TRAMMEL, "run", path, "--json", "--coordinates", coordinates], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


@case
def with_everything():
    """States, forces, verdicts and endings of robots with friction, limits, drives, locks and a foot"""
    done = subprocess.run([ROOT / "validation/campaign/robots", "--program", TRAMMEL, "--seed", "4", "--count", "8"], check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@case
def a_drop_of_nanometres():
    """What counts as touching is of the size of the body in both coordinates: it falls before it touches"""
    scene = {"dimension": 3, "gravity": [0, 0, -9.81], "bodies": [{"name": "b", "mass": 1, "inertia": [1e-18] * 3, "position": [0, 0, 5e-10]}],
             "markers": [{"name": "p", "body": "b", "on": [0, 0, 0]}, {"name": "o", "body": "ground", "at": [0, 0, 0]}],
             "stops": [{"name": "floor", "marker": "p", "on": "o", "normal": [0, 0, 1]}], "simulation": {"end": 3e-5}}
    bodies, joints = (told(scene, coordinates)["contacts"] for coordinates in ("absolute", "joint"))
    assert bodies["impacts"] == joints["impacts"] == 1
    assert abs(joints["energy_lost"] / (9.81 * 5e-10) - 1) < 1e-6, joints["energy_lost"]


@case
def auto_takes_robots():
    """Arms with friction and limits run in joint coordinates, as trees without do"""
    scene = {"dimension": 3, "gravity": [0, 0, -9.81], "bodies": [], "joints": [], "simulation": {"end": 0.1}}
    for i in range(4):
        scene["bodies"].append({"name": f"b{i}", "mass": 1, "inertia": [0.01] * 3, "position": [0.3 * i + 0.15, 0, 0]})
        scene["joints"].append({"name": f"J{i}", "type": "revolute", "bodies": [f"b{i - 1}" if i else "ground", f"b{i}"],
                                "at": [0.3 * i, 0, 0], "axis": [0, 1, 0], "friction": 0.5, "limits": [-1, 1]})
    assert told(scene, "auto")["verdicts"]["constraints"] is None
    assert told(scene, "absolute")["verdicts"]["constraints"] == "good"


sys.exit(tap.run(tap.CASES))
