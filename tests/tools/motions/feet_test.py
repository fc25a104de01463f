#!/usr/bin/env python3
"""Random walkers, wheels and grippers (feet.py): they come to their end, the same at every accuracy, as method moreau has
it, and by forces that keep their laws.

usage: feet_test.py TRAMMEL ROOT [SEEDS]. Prints TAP. SEEDS: of each family (default 8).
"""
import csv
import json
import os
import resource
import signal
import subprocess
import sys
import time

import feet
import tap

TRAMMEL = sys.argv[1]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 8
END = 1.5
CPU = 120  # s; a run takes some two, under sanitizers ten times that


def run(scene, *options):
    """Place and angle of the hull at the end."""
    with open("feet.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    done = subprocess.run([TRAMMEL, "run", "feet.json", "--end", str(END), "--every", str(END), "--header", "plain",
                           "-o", "feet.csv", "--json", *options], capture_output=True, text=True, check=False,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU)))
    assert done.returncode == 0, done.stderr or done.returncode
    said = json.loads(done.stdout)["verdicts"]
    assert "moreau" in options or said["forces"] == "good", f"forces: {said['forces']}"
    with open("feet.csv", encoding="utf-8") as file:
        last = list(csv.DictReader(line for line in file if not line.startswith("#")))[-1]
    return [float(last[f"hull_{key}"]) for key in ("x", "y", "angle")]


def apart(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def to_the_end(family, seeds=range(SEEDS)):
    """All accuracies, each off by no more than it promises; moreau by what halving its step changes, times four,
    which is enough from order 1/3 on, and by the way of an impact within a step, 5 m/s (heaps_test.py)."""
    for seed in seeds:
        scene = feet.FAMILIES[family](seed)
        try:
            ours = run(scene)
            for a in (1e-2, 1e-4, 1e-8):
                assert apart(run(scene, "--accuracy", repr(a)), ours) < max(a, 1e-6), a
            steps = [run(scene, "--integrator", "moreau", "--method", "s-both2", "--step", repr(h), "--no-verify")
                     for h in (1e-3, 4e-4, 2e-4)]
            error, found = apart(steps[1], steps[2]), apart(steps[2], ours)
            assert found < 4 * error + 5 * 2e-4, f"off by {found:.1e}, halving {error:.1e}"
        except AssertionError as wrong:
            raise AssertionError(f"{family} {seed}: {wrong}") from wrong


def test_walkers(_):
    """Walkers of two to eight Chebyshev legs"""
    to_the_end("walkers")


def test_wheels(_):
    """Spoked wheels on two driven axles"""
    to_the_end("wheels")


def test_grippers(_):
    """Grippers driven by a motor"""
    to_the_end("grippers")


def test_grippers_that_turn_round(_):
    """Grippers whose motor stops while six corners touch: all come to rest at once, every accuracy says where they go on"""
    to_the_end("grippers", (30, 34, 48))


def test_forces_of_feet_that_repeat(_):
    """Two sticking feet whose rows repeat each other: each bears its share to roundoff, and no more than its bound"""
    for family, seed, accuracy in (("walkers", 31, "1e-6"), ("walkers", 35, "1e-4"), ("grippers", 36, "1e-8")):
        run(feet.FAMILIES[family](seed), "--accuracy", accuracy)


def test_impacts_in_a_row(_):
    """Feet that strike within the error of a time: a second run finds no error in the velocities between"""
    for accuracy in ("1e-2", "1e-3", "1e-6"):
        with open("feet.json", "w", encoding="utf-8") as file:
            json.dump(feet.FAMILIES["walkers"](35), file)
        done = subprocess.run([TRAMMEL, "run", "feet.json", "--end", str(END), "--json", "--verify", "--accuracy", accuracy],
                              capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["accuracy"]["verdict"] == "good", done.stdout


def test_no_forces(_):
    """A gripper whose jaws close farther than they can: report and --json say when no forces were found"""
    jaw = lambda x: {"mass": 1, "inertia": 1, "position": [x, 0]}
    slide = lambda name, body, x, **more: {"name": name, "type": "prismatic", "bodies": ["ground", body],
                                           "at": [x, 0], "axis": [1, 0], **more}
    scene = {"dimension": 2, "bodies": [{"name": "a", **jaw(0)}, {"name": "b", **jaw(1)}],
             "joints": [slide("L", "a", 0, motor="0.3*t^2"), slide("R", "b", 1, limits=[-1, 0.2])],
             "markers": [{"name": "ma", "body": "a", "at": [0, 0]}, {"name": "mb", "body": "b", "at": [1, 0]}],
             "stops": [{"name": "push", "marker": "mb", "on": "ma", "normal": [1, 0]}]}
    with open("grip.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    done = [subprocess.run([TRAMMEL, "run", "grip.json", "--end", "3", *more], capture_output=True, text=True, check=False)
            for more in ([], ["--json"])]
    assert [one.returncode for one in done] == [4, 4], done
    assert "Forces       POOR  at t = 2 s none were found that fit the contacts" in done[0].stdout, done[0].stdout
    report = json.loads(done[1].stdout)
    assert report["verdicts"]["forces"] == "POOR" and abs(report["forces"]["t_none"] - 2) < 1e-9, report["forces"]


def cpu_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def test_signals(_):
    """SIGTERM ends a run with a recording within a second of CPU, among many changes at one time too"""
    scene = {"dimension": 2, "gravity": [0, -feet.G], "bodies": [], "stops": [],
             "markers": [{"name": "o", "body": "ground", "at": [0, 0]}]}
    for i in range(12):  # points in a groove, one side with restitution 1: 1e5 impacts each at one time
        scene["bodies"].append({"name": f"a{i}", "mass": 1, "shape": {"type": "point"}, "position": [0.1, 0.5]})
        scene["markers"].append({"name": f"p{i}", "body": f"a{i}", "on": [0, 0]})
        scene["stops"] += [{"name": f"{name}{i}", "marker": f"p{i}", "on": "o", "normal": normal, "restitution": e}
                           for name, normal, e in (("left", [1, 1], 1), ("right", [-1, 2], 0))]
    with open("groove.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    with subprocess.Popen([TRAMMEL, "run", "groove.json", "--end", "1e4", "-o", "groove.csv", "--every", "0.1", "--no-verify"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
        while child.poll() is None and cpu_of(child.pid) < 1.5:
            time.sleep(0.02)
        assert child.poll() is None, "it has ended by itself"
        before = cpu_of(child.pid)
        child.send_signal(signal.SIGTERM)
        used = before
        while child.poll() is None:
            used = cpu_of(child.pid) if os.path.exists(f"/proc/{child.pid}/stat") else used
            assert used - before < 1, used - before
            time.sleep(0.02)
    assert child.returncode == 128 + signal.SIGTERM, child.returncode


if __name__ == "__main__":
    CASES = [case for name, case in list(globals().items()) if name.startswith("test_")]
    sys.exit(tap.run(CASES, None, in_folders=True))
