#!/usr/bin/env python3
"""Instructions of what follows a small disturbance beside a run (engine/reruns/disturbance.c), of all others of `trammel run`.

    tools/benchmarks/growth_cost.py [TRAMMEL [SCENE...]]     the program (build/tools/trammel), and scenes (all of scenes/ and docs/examples)

Each scene is run as it is, from reading to the report, under valgrind --tool=callgrind. The share is
what trm_disturbance_create, _look, _growth and _destroy take, with all that they call, over the rest of the program. Exit status 1
where it is above the tenth that is granted.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import instructions

GRANTED = 0.1
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CALLED = [f"trm_disturbance_{name}" for name in ("create", "look", "growth", "destroy")]


def scenes():
    found = glob.glob(os.path.join(ROOT, "scenes", "*.json")) + glob.glob(os.path.join(ROOT, "docs", "examples", "**", "*.json"), recursive=True)
    return sorted(path for path in found if not path.endswith(".schema.json"))


def total(path):
    with open(path, encoding="utf-8") as file:
        return int(re.search(r"^(?:summary|totals): (\d+)", file.read(), re.MULTILINE)[1])


def measured(program, scene):
    """(what --json says of the run; instructions of the whole, of the disturbance); None where it is not followed to the end."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "callgrind.out")
        words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", program, "run", scene, "--json"]
        run = subprocess.run(words, check=False, capture_output=True, text=True)
        found = json.loads(run.stdout) if run.returncode == 0 else {}
        inclusive = instructions.costs(path, True)
        return found, total(path), sum(inclusive[name] for name in CALLED)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "tools", "trammel")
    most = 0
    print("| scene | evaluations | beside | of them | instructions | beside | of the rest |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for scene in sys.argv[2:] or scenes():
        found, whole, beside = measured(program, scene)
        own = found.get("evaluations", {}).get("force", 0)
        spent = found.get("accuracy", {}).get("evaluations_beside")
        share = beside / (whole - beside)
        most = max(most, share)
        counts = f"{own} | {spent} | {spent / own:.3f}" if spent is not None else f"{own} | not followed |"
        print(f"| {os.path.basename(scene)[:-5]} | {counts} | {whole / 1e6:.1f}e6 | {beside / 1e6:.2f}e6 | {share:.3f} |", flush=True)
    print(f"\nat most {most:.3f}")
    return int(most > GRANTED)


if __name__ == "__main__":
    sys.exit(main())
