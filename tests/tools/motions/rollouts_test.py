#!/usr/bin/env python3
"""Saving and restoring a run costs at most one of its steps, counted in instructions. Prints TAP.

    tests/tools/motions/rollouts_test.py BENCH_ROLLOUTS ROOT OPTIMIZED      OPTIMIZED: yes or no

Instructions, since the time of a shared machine proves nothing; of the C library's copies without the instruction that counts
as many as it copies bytes. Debian: valgrind.
"""
import os
import re
import subprocess
import sys

import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
WARM, ROUNDS = 50, 10  # steps before; rounds of save, step, restore


def instructions(scene):
    """-> of all calls of each function"""
    path = os.path.join(ROOT, "scenes", scene + ".json")
    plain_copies = os.environ | {"GLIBC_TUNABLES": "glibc.cpu.x86_rep_movsb_threshold=1000000000"}
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=counts", PROGRAM, path, str(ROUNDS)], env=plain_copies,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    text = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "counts"], capture_output=True, text=True, check=True).stdout
    return {name: int(re.search(rf"^\s*([\d,]+) .*:{name}\b", text, re.M).group(1).replace(",", ""))
            for name in ("trm_sim_save", "trm_sim_step", "trm_sim_restore")}


def at_most_a_step(scene):
    tap.need("valgrind", "callgrind_annotate")
    if sys.argv[3] != "yes":
        raise tap.Skipped("the build is not optimized, or has a sanitizer")
    counts = instructions(scene)
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


if __name__ == "__main__":
    sys.exit(tap.run([four_bar, chain], in_folders=True))
