#!/usr/bin/env python3
"""What lanes save, and what they could: the table of docs/validation/speed.md.

    validation/benchmarks/bench_lanes_table.py BUILD [TIMES]

Runs per CPU second of 64 runs alone and in 2, 4 and 8 lanes, the best of TIMES (3 by default) calls of bench_lanes, which repeats each
seven times; then instructions (millions, callgrind) of shorter runs, alone and in 4 lanes. Of these runs alone, the share within
what lanes could compute, and the bound that it sets: were that alone computed in 4 or 8 lanes at once, at no cost of their own.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
BENCHMARKS = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(BENCHMARKS))
sys.path[:0] = [BENCHMARKS, os.path.join(ROOT, "tools")]
import bench_problems  # noqa: E402
import instructions  # noqa: E402

BENCH = os.path.join(os.path.abspath(sys.argv[1]), "validation", "bench_lanes")
TIMES = int(sys.argv[2]) if len(sys.argv) > 2 else 3
# scene, parameter, from, to, end, end where instructions are counted, step of rk4 (all in s)
PROBLEMS = {
    "four-bar, 10 s": ("four_bar", "v0", "0.9", "1.1", "10", "1", "0"),
    "four-bar, 2 s, rk4 with steps of 0.01 s": ("four_bar", "v0", "0.9", "1.1", "2", "0.5", "0.01"),
    "two four-bars, 10 s": ("double_four_bar", "v0", "0.9", "1.1", "10", "1", "0"),
    "chain of 10, 5 s": ("chain_10", "l", "0.9", "1.1", "5", "0.5", "0"),
    "Andrews, 0.05 s": ("andrews", "mom", "0.03", "0.036", "0.05", "0.01", "0"),
    "40 four-bars, 0.5 s": ("four_bar_40", "v0", "0.9", "1.1", "0.5", "0.1", "0"),
    # none in lanes
    "slider-crank": ("slider_crank_turn", "v0", "5.5", "5.7", None, "0.3", "0"),
    "spatial slider-crank": ("spatial_slider_crank", "g", "9.7", "9.9", None, "0.1", "0"),
    "Bricard": ("bricard", "g", "9.7", "9.9", None, "0.1", "0"),
    "arm of 6 hinges": (None, "part", "0.9", "1.1", None, "0.2", "0"),
}
# evaluations, corrections, sums of stages, and the weakest directions: what integrators/lanes computes
KERNELS = ("trm_index1_rates", "correct", "trm_stage_sum", "trm_directions_find")


def runs_per_second(words):
    """{lanes: runs/s}"""
    best = {}
    for _ in range(TIMES):
        said = subprocess.run([BENCH, *words], capture_output=True, text=True, check=True).stdout
        for lanes, rate in re.findall(r"^(\d+) +(\d+) runs/s", said, re.MULTILINE):
            best[int(lanes)] = max(best.get(int(lanes), 0), int(rate))
    return best


def millions(words, lanes, folder):
    """-> instructions, and the share of KERNELS."""
    path = os.path.join(folder, "callgrind.out")
    toggles = ["--toggle-collect=trm_sim_run", "--toggle-collect=trm_lanes_prepare"]
    said = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", *toggles, BENCH, *words, lanes],
                          capture_output=True, text=True, check=True).stderr
    total, costs = int(re.search(r"Collected : (\d+)", said)[1]), instructions.costs(path, True)
    return total / 1e6, sum(costs[name] for name in KERNELS) / total


def arm(folder):
    path = os.path.join(folder, "arm.json")
    scene = {**json.loads(bench_problems.spatial_chain(6)), "parameters": {"part": 1}, "gravity": [0, "-9.81*part", 1]}
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    return path


def row(name, folder):
    scene, parameter, first, last, end, short, step = PROBLEMS[name]
    words = [os.path.join(ROOT, "scenes", scene + ".json") if scene else arm(folder), parameter, first, last]
    rates = runs_per_second([*words, end, step]) if end else {}
    alone, share = millions([*words, short, step], "1", folder)
    together = millions([*words, short, step], "4", folder)[0] if end else None
    cells = [f"{rate}, x {rate / rates[1]:.2f}" if lanes > 1 else str(rate) for lanes, rate in sorted(rates.items())] or ["-"] * 4
    cells += [f"{alone:.1f}", f"{together:.1f}, / {alone / together:.2f}" if end else "-"]
    return [name, *cells, f"{100 * share:.0f} %", *(f"{1 / (1 - share + share / lanes):.1f}" for lanes in (4, 8))]


print("| | alone | 2 lanes | 4 | 8 | instructions: alone | 4 lanes | in kernels | bound: 4 lanes | 8 |")
print("| --- |" + " --- |" * 9)
with tempfile.TemporaryDirectory() as scratch:
    for problem in PROBLEMS:
        print("|", " | ".join(row(problem, scratch)), "|", flush=True)
