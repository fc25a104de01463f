#!/usr/bin/env python3
"""What lanes save, on six mechanisms: the table of docs/validation/speed.md.

    validation/benchmarks/bench_lanes_table.py BUILD [TIMES]

Runs per CPU second of 64 runs alone and in 2, 4 and 8 lanes, the best of TIMES (3 by default) calls of bench_lanes, which repeats each
seven times; then instructions (millions, callgrind) of shorter runs, alone and in 4 lanes.
"""
import os
import re
import subprocess
import sys

BENCH = os.path.join(os.path.abspath(sys.argv[1]), "validation", "bench_lanes")
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 3
SCENES = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "scenes")
# scene, parameter, from, to, end, end where instructions are counted, step of rk4 (all in s)
PROBLEMS = {
    "four-bar, 10 s": ("four_bar", "v0", "0.9", "1.1", "10", "1", "0"),
    "four-bar, 2 s, rk4 with steps of 0.01 s": ("four_bar", "v0", "0.9", "1.1", "2", "0.5", "0.01"),
    "two four-bars, 10 s": ("double_four_bar", "v0", "0.9", "1.1", "10", "1", "0"),
    "chain of 10, 5 s": ("chain_10", "l", "0.9", "1.1", "5", "0.5", "0"),
    "Andrews, 0.05 s": ("andrews", "mom", "0.03", "0.036", "0.05", "0.01", "0"),
    "40 four-bars, 0.5 s": ("four_bar_40", "v0", "0.9", "1.1", "0.5", "0.1", "0"),
}


def runs_per_second(words):
    """{lanes: runs/s}"""
    best = {}
    for _ in range(TIMES):
        said = subprocess.run([BENCH, *words], capture_output=True, text=True, check=True).stdout
        for lanes, rate in re.findall(r"^(\d+) +(\d+) runs/s", said, re.MULTILINE):
            best[int(lanes)] = max(best.get(int(lanes), 0), int(rate))
    return best


def millions(words, lanes):
    toggles = ["--toggle-collect=trm_sim_run", "--toggle-collect=trm_lanes_prepare"]
    said = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *toggles, BENCH, *words, lanes],
                          capture_output=True, text=True, check=True).stderr
    return int(re.search(r"Collected : (\d+)", said)[1]) / 1e6


print("| | alone | 2 lanes | 4 | 8 | instructions: alone | 4 lanes |")
print("| --- | --- | --- | --- | --- | --- | --- |")
for name, (scene, parameter, first, last, end, short, step) in PROBLEMS.items():
    words = [os.path.join(SCENES, scene + ".json"), parameter, first, last]
    rates = runs_per_second([*words, end, step])
    alone, together = (millions([*words, short, step], lanes) for lanes in ("1", "4"))
    cells = [f"{rate}, x {rate / rates[1]:.2f}" if lanes > 1 else str(rate) for lanes, rate in sorted(rates.items())]
    print("|", " | ".join([name, *cells, f"{alone:.1f}", f"{together:.1f}, / {alone / together:.2f}"]), "|", flush=True)
