#!/usr/bin/env python3
"""trammel sweep: many runs of a four-bar in bounded memory. Prints TAP.

    tests/tools/sweep/sweep_memory_test.py TRAMMEL ROOT [RUNS]      RUNS: 3000 by default; 100000 for the figure of docs/reference/sweeps.md
"""
import os
import subprocess
import sys

from tap import case
from sweep_rig import FOUR_BAR, PROGRAM, read, run_cases

RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 3000
EACH = 16 + 1 / 8  # bytes: the place of a row while the table is made, and whether it is there
SLACK = 1 << 20  # bytes: the C library takes and gives back pages in larger pieces


def peak(runs):
    """Bytes, of the program or the largest of its workers."""
    words = [PROGRAM, "sweep", FOUR_BAR, "--set", "v0=uniform:0.9:1.1", "--runs", str(runs), "--outputs", "coupler_0.x", "-o", f"{runs}.csv", "--quiet"]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0
    assert read(f"{runs}.csv").count(b"\n") == runs + 1
    return 1024 * used.ru_maxrss


@case
def bounded():
    """RUNS runs take no more memory than a tenth of them and some bytes for each"""
    few, many = peak(RUNS // 10), peak(RUNS)
    print(f"# {RUNS // 10} runs: {few / 1e6:.1f} MB, {RUNS} runs: {many / 1e6:.1f} MB", flush=True)
    assert many - few <= EACH * RUNS + SLACK, (few, many)


if __name__ == "__main__":
    run_cases()
