#!/usr/bin/env python3
"""What lanes save, and what they could: the table of docs/validation/speed.md.

    validation/benchmarks/bench_lanes_table.py BUILD [TIMES]

Runs per CPU second of 64 runs alone and in 2, 4 and 8 lanes, the best of TIMES (3 by default) calls of bench_lanes, which repeats each
seven times; then instructions (millions, callgrind) of shorter runs, alone and in 4 lanes. Of these runs alone, the share within
what lanes could compute, and the bound that it sets: were that alone computed in 4 or 8 lanes at once, at no cost of their own.
Of mechanisms in space, which run alone, last a run of 1 s in a `trammel sweep`, with all that it costs there.
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

BUILD = os.path.abspath(sys.argv[1])
BENCH = os.path.join(BUILD, "validation", "bench_lanes")
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
    "arm of 6 hinges": ((6, {}), "part", "0.9", "1.1", None, "0.2", "0"),
    "arm of 6 hinges, rk4 with steps of 0.002 s": ((6, {}), "part", "0.9", "1.1", None, "0.2", "0.002"),
    "arm of 6 hinges with springs": ((6, {"type": "joint_spring_damper", "stiffness": 2, "damping": "0.05*part"}),
                                     "part", "0.9", "1.1", None, "0.2", "0"),
    "arm of 6 hinges with servos": ((6, {"type": "servo", "target": "0.3", "kp": 200, "kd": "20*part"}),
                                    "part", "0.9", "1.1", None, "0.2", "0"),
    "chain of 10 hinges": ((10, {}), "part", "0.9", "1.1", None, "0.1", "0"),
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


def within_kernels(words, *options, **how):
    """-> instructions, and those within KERNELS."""
    total, costs = instructions.counted(words, *options, **how)
    return total, sum(costs[name] for name in KERNELS)


def millions(words, lanes):
    """-> instructions, and the share of KERNELS."""
    total, kernels = within_kernels([BENCH, *words, lanes], "--toggle-collect=trm_sim_run", "--toggle-collect=trm_lanes_prepare")
    return total / 1e6, kernels / total


def in_sweep(words, step, folder):
    """The same of a run in a sweep: what 6 take beyond 2."""
    scene, parameter, first, last = words
    method = ["--integrator", "rk4", "--step", step] if float(step) else []
    command = [os.path.join(BUILD, "tools", "trammel"), "sweep", scene, "--set", f"{parameter}={first}:{last}:9", "--rows",
               "--lanes", "1", "--end", "1", *method, "-o", os.path.join(folder, "out.csv")]
    two, six = (within_kernels(command, input="".join(f"{i}\n" for i in range(n))) for n in (2, 6))
    return (six[0] - two[0]) / 4e6, (six[1] - two[1]) / (six[0] - two[0])


def arm(folder, hinges, force):
    path = os.path.join(folder, "arm.json")
    scene = {**json.loads(bench_problems.spatial_chain(hinges)), "parameters": {"part": 1}, "gravity": [0, "-9.81*part", 1]}
    scene["forces"] = [{"name": f"drive_{j['name']}", "joint": j["name"], **force} for j in scene["joints"] if force]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    return path


def bounds(share):
    return [f"{100 * share:.0f} %", *(f"{1 / (1 - share + share / lanes):.1f}" for lanes in (4, 8))]


def row(name, folder):
    scene, parameter, first, last, end, short, step = PROBLEMS[name]
    path = os.path.join(ROOT, "scenes", scene + ".json") if isinstance(scene, str) else arm(folder, *scene)
    words = [path, parameter, first, last]
    rates = runs_per_second([*words, end, step]) if end else {}
    alone, share = millions([*words, short, step], "1")
    together = millions([*words, short, step], "4")[0] if end else None
    cells = [f"{rate}, x {rate / rates[1]:.2f}" if lanes > 1 else str(rate) for lanes, rate in sorted(rates.items())] or ["-"] * 4
    cells += [f"{alone:.1f}", f"{together:.1f}, / {alone / together:.2f}" if end else "-"]
    cells += bounds(share)
    whole, share = (0, 0) if end else in_sweep(words, step, folder)
    return [name, *cells, *(["-"] * 4 if end else [f"{whole:.2f}", *bounds(share)])]


print("| | alone | 2 lanes | 4 | 8 | instructions: alone | 4 lanes | in kernels | bound: 4 lanes | 8 |"
      " a run of 1 s in a sweep | in kernels | bound: 4 lanes | 8 |")
print("| --- |" + " --- |" * 13)
with tempfile.TemporaryDirectory() as scratch:
    for problem in PROBLEMS:
        print("|", " | ".join(row(problem, scratch)), "|", flush=True)
