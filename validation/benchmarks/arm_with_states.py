#!/usr/bin/env python3
"""What first-order states cost: a six-axis arm with PID, currents, limits and a dropped payload.

    validation/benchmarks/arm_with_states.py BUILD...

Two arms move alike: with twelve states, integrals and currents, and with the integrals constant and
the currents eliminated (no inductance). Both begin in balance and turn by 0.05 rad at most, so no
bound of a voltage or a current is met; at 0.2 s the payload falls. Thousands of instructions by
callgrind: of trm_run_rates by its calls, one evaluation, and of trm_sim_run, the whole loop, by the
evaluations in it, which are the calls of trm_index1_rates. `apart` is the largest difference of an
angle at the end.
"""
import collections
import copy
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

import instructions

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AXES = [f"J{i}" for i in range(1, 7)]
GOALS = [0.05, 0.03, -0.04, 0.05, 0.05, -0.05]  # rad
RESISTANCE, CONSTANT, RATIO = 0.4, 0.06, 100
WAYS = {"rk4": ["--integrator", "rk4", "--step", "0.002"], "dop853": ["--integrator", "dop853"]}


def run(build, scene, *words, before=()):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(scene, file)
        command = [*before, os.path.join(build, "tools", "trammel"), "run", path, "--no-verify"]
        done = subprocess.run([*command, *words, "-o", f"{folder}/x.csv"], check=True, capture_output=True, text=True)
        with open(f"{folder}/x.csv", encoding="utf-8") as file:
            return list(csv.DictReader(file)), done.stderr


def column(rows, joint, quantity):
    return next(float(rows[-1][name]) for name in rows[-1] if name.startswith(f"{joint}.{quantity}["))


def currents_at_rest(build, arm):
    rows = run(build, arm, "--end", "1e-6")[0]
    return [column(rows, joint, "motor") / (RATIO * CONSTANT) for joint in AXES]


def driven(arm, currents, states, coordinates):
    scene = copy.deepcopy(arm)
    scene.update(forces=[], states={}, simulation={"end": 0.4, "coordinates": coordinates})
    scene["events"][0]["when"] = "t > 0.2"
    for joint in scene["joints"]:
        if joint["name"] in AXES:
            del joint["motor"]
            joint.update(armature=0.2, limits=[-2.5, 2.5])
    for joint, goal, current in zip(AXES, GOALS, currents):
        held = RESISTANCE * current
        missing = f"({goal}*step(t, 0, 0.4) - {joint}.angle)"
        volts = f"40*{missing} - {joint}.rate + {'I' + joint if states else held}"
        motor = {"name": f"m{joint}", "type": "dc_motor", "joint": joint, "voltage": volts, "resistance": RESISTANCE,
                 "constant": CONSTANT, "ratio": RATIO, "inertia": 2e-5, "voltage_limit": 48, "current_limit": 60}
        if states:
            motor.update(inductance=2e-3)
            rate = f"20*{missing} + 5*(min(max({volts}, -48), 48) - ({volts}))"
            scene["states"][f"I{joint}"] = {"rate": rate, "start": held, "scale": 5, "unit": "V"}
        scene["forces"].append(motor)
    if not states:
        del scene["states"]
    return scene


def calls(path):
    """-> how often each function was called; callgrind gives a name where its number stands first."""
    names, found, called = {}, collections.Counter(), None
    with open(path, encoding="utf-8") as file:
        for line in file:
            match = re.match(r"c?fn=(\(\d+\))(?: (\w+))?", line)
            if match:
                names.setdefault(match[1], match[2])
                called = match[1]
            elif line.startswith("calls="):
                found[names[called]] += int(line[6:].split()[0])
    return found


def measure(build, scene, way):
    """-> instructions of an evaluation and of the loop for one, evaluations, the last angles."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "callgrind.out")
        before = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", "--toggle-collect=trm_sim_run"]
        rows, text = run(build, scene, *WAYS[way], before=before)
        total, n = int(re.search(r"Collected : (\d+)", text)[1]), calls(path)
        one = instructions.costs(path)["trm_run_rates"] / n["trm_run_rates"]
        return (one, total / n["trm_index1_rates"]), n["trm_index1_rates"], \
            [column(rows, joint, "coordinate") for joint in AXES]


def table(builds):
    with open(os.path.join(ROOT, "scenes", "industrial", "six_axes.json"), encoding="utf-8") as file:
        arm = json.load(file)
    print("| build | coordinates | method | evaluations, with | without | evaluation, with | without | ratio | "
          "loop, with | without | ratio | apart, rad |\n| --- | --- | --- |" + " ---: |" * 9)
    for name, build in builds.items():
        currents = currents_at_rest(build, arm)
        for coordinates in ("absolute", "joint"):
            for way in WAYS:
                (a, n, here), (b, m, there) = (measure(build, driven(arm, currents, states, coordinates), way)
                                               for states in (True, False))
                costs = [f"{x / 1e3:.1f} | {y / 1e3:.1f} | {x / y:.2f}" for x, y in zip(a, b)]
                apart = max(abs(x - y) for x, y in zip(here, there))
                print("| " + " | ".join([name, coordinates, way, str(n), str(m), *costs, f"{apart:.0e}"]) + " |",
                      flush=True)


if __name__ == "__main__":
    table({build: build for build in sys.argv[1:]}) if len(sys.argv) > 1 else sys.exit(__doc__)
