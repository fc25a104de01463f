#!/usr/bin/env python3
"""Instructions of the stepping loop, of two programs: what a scene without formulas pays for them.

    validation/benchmarks/instructions.py BEFORE NOW SCENE...     paths of two programs trammel, and scenes

Both run each scene in the same fixed steps (rk4) and adaptively (dop853 with equal tolerances),
under valgrind --tool=callgrind, which counts inside trm_sim_run. The table of docs/validation/events.md: instructions of trm_run_rates, one
evaluation, and of trm_sim_run, the whole loop, divided by the evaluations; then the functions of
the program NOW that take more than 1 % of its loop, with what they took BEFORE.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

WAYS = {"rk4": ["--integrator", "rk4", "--step", "0.001", "--end", "0.5"],
        "dop853": ["--integrator", "dop853", "--rtol", "1e-8", "--end", "5"]}
COMMON = ["--method", "s-both2", "--json", "--no-verify"]
SHARE = 0.01
Profile = collections.namedtuple("Profile", "evaluations inclusive own")


def costs(path, inclusive):
    """Instructions of every function by its name, those of static ones of one name together."""
    words = ["callgrind_annotate", "--threshold=100", f"--inclusive={'yes' if inclusive else 'no'}"]
    text = subprocess.run(words + [path], check=True, capture_output=True, text=True).stdout
    found = collections.Counter()
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+\S*?:(\w+)", line)
        if match:
            found[match[2]] += int(match[1].replace(",", ""))
    return found


def profile(program, scene, way):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "callgrind.out")
        words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}",
                 "--toggle-collect=trm_sim_run", program, "run", scene, *WAYS[way], *COMMON]
        run = subprocess.run(words, check=True, capture_output=True, text=True)
        evaluations = json.loads(run.stdout)["evaluations"]["force"]
        return Profile(evaluations, costs(path, True), costs(path, False))


def row(scene, way, before, now):
    cells = [os.path.basename(scene)[:-5], way]
    for name in ("trm_run_rates", "trm_sim_run"):
        one, two = (p.inclusive[name] / p.evaluations for p in (before, now))
        cells += [f"{one:.0f}", f"{two:.0f}", f"{two / one:.3f}"]
    return "| " + " | ".join(cells) + " |"


def dear(scene, way, before, now):
    """Functions of the loop that took less before, by more than 1 % of the loop."""
    loop = now.inclusive["trm_sim_run"] / now.evaluations
    grown = []
    for name, cost in now.own.items():
        more = cost / now.evaluations - before.own[name] / before.evaluations
        if more > SHARE * loop and now.inclusive[name] < now.inclusive["trm_sim_run"]:
            grown.append((more / loop, name))
    return [f"{os.path.basename(scene)[:-5]}, {way}: {name} {100 * share:.1f} %"
            for share, name in sorted(grown, reverse=True)]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    before, now, scenes = sys.argv[1], sys.argv[2], sys.argv[3:]
    print("| scene | steps | evaluation, before | now | ratio | loop, before | now | ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    notes = []
    for scene in scenes:
        for way in WAYS:
            pair = [profile(program, scene, way) for program in (before, now)]
            print(row(scene, way, *pair), flush=True)
            notes += dear(scene, way, *pair)
    print("\nMore than 1 % of the loop more than before, by function:\n")
    print("\n".join(notes) if notes else "none")


if __name__ == "__main__":
    main()
