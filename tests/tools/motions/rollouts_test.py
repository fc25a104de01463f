#!/usr/bin/env python3
"""Costs counted in instructions: saving and restoring a run take at most one of its steps; steps of a chain in space take
at most half in joint coordinates. Prints TAP.

    tests/tools/motions/rollouts_test.py BENCH_ROLLOUTS ROOT OPTIMIZED      OPTIMIZED: yes or no

Instructions, since the time of a shared machine proves nothing; of the C library's copies without the instruction that counts
as many as it copies bytes. Debian: valgrind.
"""
import json
import os
import re
import subprocess
import sys

import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
WARM, ROUNDS = 50, 10  # steps before; rounds of save, step, restore


def shipped(scene):
    return os.path.join(ROOT, "scenes", scene + ".json")


def instructions(path):
    """-> of all calls of each function"""
    tap.need("valgrind", "callgrind_annotate")
    if sys.argv[3] != "yes":
        raise tap.Skipped("the build is not optimized, or has a sanitizer")
    plain_copies = os.environ | {"GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=1000000000"}
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=counts", PROGRAM, path, str(ROUNDS)], env=plain_copies,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "counts"], capture_output=True, text=True, check=True).stdout
    return {name: int(re.search(rf"^\s*([\d,]+) .*:{name}\b", text, re.M).group(1).replace(",", ""))
            for name in ("trm_sim_save", "trm_sim_step", "trm_sim_restore")}


def at_most_a_step(scene):
    counts = instructions(shipped(scene))
    step = counts["trm_sim_step"] / (WARM + ROUNDS)
    both = (counts["trm_sim_save"] + counts["trm_sim_restore"]) / ROUNDS
    print(f"# {scene}: save and restore {both:.0f}, a step {step:.0f} instructions, {both / step:.2f}", flush=True)
    assert both <= step, (both, step)


def four_bar():
    """The four-bar: save and restore take at most the instructions of a step"""
    at_most_a_step("four_bar")


def chain():
    """The chain of 1000 bars: likewise"""
    at_most_a_step("chain_1000")


def in_joint_coordinates(name, scene):
    steps = {}
    for kind in ("absolute", "joint"):
        scene["simulation"] = {**scene["simulation"], "coordinates": kind}
        with open(kind + ".json", "w", encoding="utf-8") as file:
            json.dump(scene, file)
        steps[kind] = instructions(kind + ".json")["trm_sim_step"] / (WARM + ROUNDS)
    print(f"# {name}: {steps['joint']:.0f} of {steps['absolute']:.0f} instructions a step", flush=True)
    assert 2 * steps["joint"] <= steps["absolute"], steps


def spatial_chain():
    """A chain of 100 hinges in space: a step in joint coordinates takes at most half the instructions"""
    bodies = [{"name": f"b{i}", "ends": [[i, 0, 0], [i + 1, 0, 0]], "mass": 1, "inertia": [0.01, 0.1, 0.1]} for i in range(100)]
    joints = [{"name": f"j{i}", "type": "revolute", "bodies": [f"b{i - 1}" if i else "ground", f"b{i}"], "at": [i, 0, 0],
               "axis": [0, i % 2, 1 - i % 2]} for i in range(100)]
    in_joint_coordinates("chain", {"dimension": 3, "gravity": [0, -9.81, 1], "bodies": bodies, "joints": joints, "simulation": {"end": 1}})


if __name__ == "__main__":
    sys.exit(tap.run([four_bar, chain, spatial_chain], in_folders=True))
