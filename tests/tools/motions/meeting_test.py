#!/usr/bin/env python3
"""Springs, dampers and ropes whose ends meet or pass each other closely, against the reference of validation/campaign/meeting.

usage: meeting_test.py TRAMMEL ROOT [SEEDS]. Prints TAP. SEEDS: of each mechanism (default 1).
"""
import json
import subprocess
import sys

import tap

TRAMMEL, ROOT = sys.argv[1:3]
SEEDS = sys.argv[3] if len(sys.argv) > 3 else "1"
K, M, REST, FINEST = 80.0, 1.25, 0.3, {"arm": "1e-2,1e-4,1e-6,1e-9"}  # N/m, kg, m


def passes(mechanism):
    def case(_):
        done = subprocess.run([sys.executable, f"{ROOT}/validation/campaign/meeting", "--trammel", TRAMMEL, "--seeds", SEEDS,
                               "--mechanism", mechanism, "--accuracy", FINEST.get(mechanism, "1e-2,1e-4,1e-6")], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    case.__doc__ = f"{mechanism}: right at every accuracy, at every distance of the passage"
    return case


def steps_of(rest, *words):
    """A body on a slide through the anchor of its spring, swinging about it for 20 s."""
    scene = {"dimension": 2, "gravity": [0, 0], "simulation": {"end": 20, "every": 20},
             "bodies": [{"name": "b", "mass": M, "inertia": 1, "position": [0.4, 0], "velocity": [3, 0]}],
             "joints": [{"name": "S", "type": "prismatic", "bodies": ["ground", "b"], "at": [0.4, 0], "axis": [1, 0]}],
             "markers": [{"name": "a", "body": "ground", "at": [0, 0]}, {"name": "p", "body": "b", "at": [0.4, 0]}],
             "forces": [{"name": "k", "type": "spring_damper", "markers": ["a", "p"], "stiffness": K, "rest_length": rest}]}
    with open("meeting.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    done = subprocess.run([TRAMMEL, "run", "meeting.json", "--json", "--no-verify", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["steps"]


def test_steps(_):
    """Passages cost steps by the logarithm: from 1e-3 s to 1e-13 s and back by factors of six, twice thirteen"""
    passages = 20 / (3.14159 * (M / K)**0.5)
    for accuracy in ("1e-3", "1e-6", "1e-9"):
        smooth, split = steps_of(0.0, "--accuracy", accuracy), steps_of(REST, "--accuracy", accuracy)
        assert split - smooth < 30 * passages, f"{accuracy}: {split} steps, {smooth} without a rest length"


def told(name, *words):
    return json.loads(subprocess.run([TRAMMEL, "run", f"folds/{name}.json", "--json", *words], capture_output=True, check=True).stdout)


def test_rounding_is_not_stiff(_):
    """Short steps beside the fold are those of rounding: no implicit method is tried there, and, of most, finer runs, which come no nearer, are not kept"""
    kept = ["--keep", "folds", "--mechanism", "fold", "--accuracy", "1e-6", "--trammel", TRAMMEL]
    done = subprocess.run([sys.executable, f"{ROOT}/validation/campaign/meeting", *kept, "--first", "9", "--seeds", "16"],
                          capture_output=True, text=True, check=False)
    assert "192 runs" in done.stdout, done.stdout + done.stderr
    # of one, rounding decides: of 32, 6 to 10 have run on
    runs = [[told(f"fold-space-0-{seed}", "--coordinates", "absolute", word) for word in ("--no-verify", "--verify")] for seed in range(9, 25)]
    assert all(first["stiffness"] is None for first, _ in runs)
    near = [checked["steps"] < 2 * first["steps"] and checked["accuracy"]["differs"] < 2e-4 for first, checked in runs]
    assert sum(near) > 8, [(first["steps"], checked["steps"], checked["accuracy"]["differs"]) for first, checked in runs]
    assert told("fold-space-1e-07-12", "--verify")["steps"] < 1000


if __name__ == "__main__":
    CASES = [passes(mechanism) for mechanism in ("slide", "crossing", "free", "arm", "roped", "fold")] + [test_steps, test_rounding_is_not_stiff]
    sys.exit(tap.run(CASES, None, in_folders=True))
