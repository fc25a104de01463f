#!/usr/bin/env python3
"""Whole runs in both coordinates, in instructions: what `auto` chooses is the faster one.

usage: validation/benchmarks/coordinates.py [--program build/tools/trammel] [--seed S] [--count N] [SCENE...]

Without scenes: those of scenes/ and the robots of tests/import/models that are in space, chains, forests and ladders of loops in
space and in the plane, then N random mechanisms of validation/campaign/coordinates. Each runs as it stands, at most 2 s, under
valgrind --tool=callgrind, which counts inside trm_sim_run. rows: of joints, and those of joints that a tree leaves; ratio: of the
instructions of absolute coordinates to those of joint ones, of the whole run and of an evaluation; loss: of what auto chose over
the better. The last line: how many losses are above 1.3, and the mean ratio of those that auto runs in joint coordinates. Exit
status 1 if that mean is below 1.
"""
import argparse
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from importlib.machinery import SourceFileLoader

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = 1.3  # a loss that counts: a third of the cost, of which samples and their states are half
ROBOTS = ("delta", "gripper", "humanoid", "quadruped", "four_bar", "welded")
HINGE = {"type": "revolute", "axis": [0, 1, 0]}
INERTIA = {2: 1 / 12, 3: [0.01, 1 / 12, 1 / 12]}


def bar(i, n, at, angle=0.0):
    """Of length 1 from `at`, turned about y in space, about z in the plane."""
    c, s = math.cos(angle) / 2, math.sin(angle) / 2
    place = [at[0] + c, at[1] + s] if n == 2 else [at[0] + c, 0, at[1] - s]
    turned = {"angle": angle} if n == 2 else {"rpy": [0, angle, 0]}
    return {"name": f"b{i}", "mass": 1, "inertia": INERTIA[n], "position": place, **turned}


def pin(i, n, pair, at):
    place = at if n == 2 else [at[0], 0, -at[1]]
    return {"name": f"j{i}", "bodies": pair, "at": place, **({"type": "revolute"} if n == 2 else HINGE)}


def scene(n, bodies, joints):
    return {"dimension": n, "gravity": [0, -9.81] if n == 2 else [0, 0, -9.81], "bodies": bodies, "joints": joints,
            "simulation": {"end": 1}}


def tree(n, count, branches):
    """Bars, each hung on the one `branches` before it."""
    bodies, joints = [], []
    for i in range(count):
        at = [i // branches + 0.0, 0.1 * (i % branches)]
        bodies.append(bar(i, n, at, 0.2 * (i % branches)))
        joints.append(pin(i, n, [f"b{i - branches}" if i >= branches else "ground", f"b{i}"], at))
    return scene(n, bodies, joints)


def ladder(n, loops):
    """Square four-bars side by side, on the ground."""
    bodies, joints = [], []
    for i in range(loops + 1):
        joints.append(pin(len(joints), n, ["ground", f"b{len(bodies)}"], [i, 0]))
        leg = bar(len(bodies), n, [i, 0], math.pi / 2)
        bodies.append(leg)
        if i:
            over = bar(len(bodies), n, [i - 1, 1])
            bodies.append(over)
            joints += [pin(len(joints), n, [last["name"], over["name"]], [i - 1, 1])]
            joints += [pin(len(joints), n, [over["name"], leg["name"]], [i, 1])]
        last = leg
    return scene(n, bodies, joints)


def families():
    for n, name in ((3, "space"), (2, "plane")):
        for count in (1, 2, 3, 6, 12, 40):
            yield f"chain_{count}_{name}", tree(n, count, 1)
        for count in (6, 24):
            yield f"forest_{count}_{name}", tree(n, count, 3)
        for loops in (1, 3, 10):
            yield f"ladder_{loops}_{name}", ladder(n, loops)


def shipped(program, folder):
    for path in sorted((ROOT / "scenes").glob("*.json")):
        text = json.loads(path.read_text(encoding="utf-8"))
        if text.get("dimension") == 3:
            yield path.stem, text
    for name in ROBOTS:
        path = pathlib.Path(folder, f"{name}.json")
        subprocess.run([program, "import", str(ROOT / f"tests/import/models/{name}.xml"), "-o", str(path)], check=False,
                       capture_output=True)
        if path.exists():
            yield name, json.loads(path.read_text(encoding="utf-8"))


def run(program, path, coordinates):
    """Instructions of the run, its evaluations, and how it ended."""
    with tempfile.NamedTemporaryFile() as out:
        words = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", "--toggle-collect=trm_sim_run", program, "run",
                 path, "--json", "--no-verify", "--coordinates", coordinates]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
        found = re.search(r"^(?:summary|totals): (\d+)", pathlib.Path(out.name).read_text(encoding="utf-8"), re.M)
    report = json.loads(done.stdout)
    return int(found[1]), max(1, report["evaluations"]["force"]), report["status"]


def rows(program, path):
    """Of all joints, those that a tree leaves, and whether auto takes the tree."""
    def look(coordinates):
        return subprocess.run([program, "check", path, "--coordinates", coordinates], capture_output=True, text=True,
                              check=False).stdout
    text = look("joint")
    cut = re.search(r"^A run has .*cut:(.*)", text, re.M)
    left = [re.search(rf"^{re.escape(name)} .*? (\d+) +\d+", text, re.M) for name in (cut[1].split() if cut else ())]
    count = re.search(r"^Constraint rows +(\d+)", text, re.M)
    return int(count[1]), sum(int(x[1]) for x in left if x), "the joints (auto)" in look("auto")


def measure(program, folder, name, text):
    """A line of the table; the loss and the ratio of what auto runs in joints, or None."""
    path = str(pathlib.Path(folder, "run.json"))
    text.get("simulation", {}).pop("coordinates", None)
    text.setdefault("simulation", {})["end"] = min(2, text["simulation"].get("end", 2))
    pathlib.Path(path).write_text(json.dumps(text), encoding="utf-8")
    try:
        (a, evaluations, status), (b, more, other) = (run(program, path, c) for c in ("absolute", "joint"))
        every, left, joints = rows(program, path)
    except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        print(f"| {name} | not measured: {type(error).__name__} |", flush=True)
        return None
    ratio = a / max(1, b)
    loss = max(1, 1 / ratio if joints else ratio)
    print(f"| {name} | {len(text['bodies'])} | {every} | {left} | {ratio:.2f} | {a / evaluations / (b / more):.2f} | "
          f"{'joint' if joints else 'absolute'} | {loss:.2f} |" + ("" if status == other else f" {status}, {other}"), flush=True)
    return loss, ratio if joints else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/tools/trammel")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("scenes", nargs="*")
    a = parser.parse_args()
    random_ones = SourceFileLoader("campaign", str(ROOT / "validation/campaign/coordinates")).load_module()
    print("| scene | bodies | rows | left | whole run | evaluation | auto | loss |\n| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        if a.scenes:
            scenes = [(pathlib.Path(p).stem, json.loads(pathlib.Path(p).read_text(encoding="utf-8"))) for p in a.scenes]
        else:
            scenes = [*shipped(a.program, folder), *families()]
            scenes += [(f"random {a.seed} {k}", random_ones.mechanism(random.Random(f"{a.seed} {k}"))) for k in range(a.count)]
        found = [x for x in (measure(a.program, folder, name, text) for name, text in scenes) if x]
    taken = [ratio for _, ratio in found if ratio]
    mean = math.exp(sum(map(math.log, taken)) / len(taken)) if taken else 1
    worse = sum(loss > MOST for loss, _ in found)
    print(f"\n{len(found)} runs: {worse} lose more than {MOST}; {len(taken)} in joint coordinates, {mean:.2f} times fewer instructions")
    return mean < 1


if __name__ == "__main__":
    sys.exit(main())
