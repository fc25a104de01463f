#!/usr/bin/env python3
"""Instructions of what follows a small disturbance beside a run (simulation/studies/tangent_propagation.c), of all others of `trammel run`.

    validation/benchmarks/growth_cost.py [TRAMMEL [SCENE...]]     the program (build/tools/trammel), and scenes

Without scenes: all of scenes/ and docs/examples, and the smallest trees, whose evaluations are the cheapest: double and triple pendulums
of validation/campaign/motions.py, at several accuracies. Each scene is run from reading to the report, under valgrind --tool=callgrind. The
share is what trm_tangent_propagation_create, _look, _growth and _destroy take, with all that they call, over the rest of the program. Exit
status 1 where it is above the tenth that is granted.
"""
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import instructions

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "validation", "campaign"))
sys.dont_write_bytecode = True
import motions  # pylint: disable=wrong-import-position

GRANTED = 0.1
TREES = [motions.double_pendulum, motions.triple_pendulum]
SEEDS = range(900, 908)
ACCURACIES = "1e-2", "1e-3", "1e-4", "1e-6", "1e-9"
CALLED = [f"trm_tangent_propagation_{name}" for name in ("create", "step", "growth", "destroy")]


def scenes():
    found = glob.glob(os.path.join(ROOT, "scenes", "*.json")) + glob.glob(os.path.join(ROOT, "docs", "examples", "**", "*.json"), recursive=True)
    return sorted(path for path in found if not path.endswith(".schema.json"))


def total(path):
    with open(path, encoding="utf-8") as file:
        return int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.MULTILINE)[1])


def trees(folder):
    """(name, path, further words) of the smallest trees, which nobody chose: the seeds of docs/validation/campaign.md."""
    for motion in TREES:
        for seed in SEEDS:
            scene, end, _ = motion(random.Random(f"{motion.__name__}-{seed}"))
            path = os.path.join(folder, f"{motion.__name__}-{seed}.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scene, file)
            for accuracy in ACCURACIES:
                yield f"{motion.__name__}-{seed} at {accuracy}", path, ["--end", repr(end), "--accuracy", accuracy]


def measured(program, scene, words, folder):
    """(what --json says of the run; instructions of the whole, of the disturbance)."""
    path = os.path.join(folder, "callgrind.out")
    run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", program, "run", scene, "--json", *words],
                         check=False, capture_output=True, text=True)
    found = json.loads(run.stdout) if run.returncode == 0 else {}
    inclusive = instructions.costs(path, True)
    return found, total(path), sum(inclusive[name] for name in CALLED)


def row(name, found, whole, beside):
    own = found.get("evaluations", {}).get("force", 0)
    spent = found.get("accuracy", {}).get("evaluations_beside")
    counts = f"{own} | {spent} | {spent / own:.3f}" if spent is not None else f"{own} | not followed |"
    return f"| {name} | {counts} | {whole / 1e6:.1f}e6 | {beside / 1e6:.2f}e6 | {beside / (whole - beside):.3f} |"


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "tools", "trammel")
    shares = {}
    print("| scene | evaluations | beside | of them | instructions | beside | of the rest |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        runs = [(os.path.basename(path)[:-5], path, []) for path in sys.argv[2:] or scenes()]
        runs += [] if sys.argv[2:] else trees(folder)
        for name, path, words in runs:
            found, whole, beside = measured(program, path, words, folder)
            shares[name] = beside / (whole - beside)
            print(row(name, found, whole, beside), flush=True)
    above = sorted((name for name in shares if shares[name] > GRANTED), key=shares.get, reverse=True)
    print(f"\nat most {max(shares.values()):.3f}; above {GRANTED}: {', '.join(above) or 'none'}")
    return int(bool(above))


if __name__ == "__main__":
    sys.exit(main())
