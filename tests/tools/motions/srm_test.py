#!/usr/bin/env python3
"""`trammel run SCENE --method srm` and nothing else is right to its accuracy on every shipped scene; which pair the
words of the command choose.

usage: srm_test.py TRAMMEL ROOT. Prints TAP.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys

import tap
from tap import case

TRAMMEL, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
SCENES = sorted(p for p in (ROOT / "scenes").glob("*.json") if not p.name.endswith(".schema.json"))


def run(scene, *words):
    done = subprocess.run([TRAMMEL, "run", scene, "--json", *words], capture_output=True, text=True, check=False, timeout=tap.PATIENCE)
    return done.returncode, done.stderr, json.loads(done.stdout) if done.stdout else None


def good(scene, accuracy):
    code, said, told = run(scene, "--method", "srm", "--accuracy", accuracy)
    assert code == 0 and told["status"] == "done", said
    assert told["method"]["integrator"] == "adams", told["method"]
    if told["accuracy"]["verdict"] != "good":  # where motions magnify rounding, no tolerance helps
        assert run(scene, "--integrator", "dop853", "--method", "s-both2", "--accuracy", accuracy)[2]["accuracy"]["verdict"] != "good", \
            (scene.stem, told["accuracy"])
    assert "POOR" not in told["verdicts"].values(), (scene.stem, told["verdicts"])


@case
def every():
    """Every shipped scene is right to 1e-3, to 1e-6 as by default, and to 1e-8"""
    for accuracy in "1e-3", "1e-6", "1e-8":
        for scene in SCENES:
            good(scene, accuracy)


@case
def near_rounding():
    """Tolerances go as far below those of one-step methods as their steps are more"""
    for name, rtol in ("double_four_bar", "1e-13"), ("four_bar_40", "1e-12"):  # roundoff of singular positions refuses no steps
        told = run(ROOT / f"scenes/{name}.json", "--method", "srm", "--rtol", rtol, "--no-verify", "--end", "2")[2]
        assert told["status"] == "done" and told["rejected"] < told["steps"] / 10, (name, told["steps"], told["rejected"])
    for name in "arm_sine", "double_four_bar", "slider_crank_turn", "heavy_top":
        accuracy = run(ROOT / f"scenes/{name}.json", "--method", "srm", "--accuracy", "1e-10")[2]["accuracy"]
        assert accuracy["differs"] < 1e-9, (name, accuracy)
    subprocess.run([sys.executable, ROOT / "validation/campaign/crossings", *"--method srm --misfit 1e-13 --seeds 9 --jobs 1 --accuracies 1e-10 --trammel".split(), TRAMMEL], capture_output=True, check=True)


@case
def kinks():
    """A mass between compliant limits, with friction: no polynomial goes over the kink where a limit begins to press"""
    scene = {"dimension": 2, "gravity": [0, 0], "bodies": [{"name": "b", "mass": 4, "inertia": 1, "velocity": [1.8, 0]}],
             "joints": [{"name": "J", "type": "prismatic", "bodies": ["ground", "b"], "at": [0, 0], "axis": [1, 0], "limits": [-0.16, 0.2],
                         "limit_stiffness": 6e4, "friction": {"sliding": 0.08, "viscous": 0.04}}], "simulation": {"end": 2}}
    pathlib.Path("kinks.json").write_text(json.dumps(scene), encoding="utf-8")
    told = run("kinks.json", "--method", "srm", "--accuracy", "3e-9")[2]
    assert told["accuracy"]["verdict"] == "good" and told["steps"] < 500, (told["accuracy"], told["steps"])
    exact = run("kinks.json", "--method", "s-both2", "--accuracy", "1e-11", "--no-verify")[2]
    for key, size in ("position", 0.36), ("velocity", 1.8):
        assert math.dist(*(each["state"]["bodies"]["b"][key] for each in (told, exact))) < 3e-9 * size, (key, told["state"])


@case
def words():
    """What only the papers' recipe reads chooses it; what nothing reads is refused"""
    pendulum = ROOT / "scenes/pendulum.json"
    for given, integrator in ((), "adams"), (("--order", "5"), "adams"), (("--step", "1e-3"), "heun"), (("--E", "GBinv"), "heun"), \
            (("--epsilon", "1e-2", "--iterations", "3"), "heun"), (("--integrator", "heun"), "heun"):
        code, said, told = run(pendulum, "--method", "srm", "--end", "0.1", "--no-verify", *given)
        assert code == 0 and told["method"]["integrator"] == integrator, (given, said)
    for given in ("--integrator", "adams", "--E", "I"), ("--order", "9"), ("--alpha1", "3"):
        code, said, _ = run(pendulum, "--method", "srm", "--end", "0.1", *given)
        assert code != 0 and given[-2].lstrip("-") in said, (given, said)


@case
def advice():
    """After POOR with fixed steps the advice is a smaller step, which the method takes"""
    words = "run", ROOT / "scenes/double_four_bar.json", "--integrator", "heun", "--method", "srm", "--end", "1", "--no-verify"
    said = subprocess.run([TRAMMEL, *words], capture_output=True, text=True, check=True).stdout
    assert "try a smaller --step" in said and "--accuracy" not in said, said


def parallelogram(longer):
    """Three parallel cranks at 0.5 rad under a coupler, one row too many; that in the middle is longer."""
    up = math.sin(0.5), math.cos(0.5)
    feet = [[0, 0], [1 - longer * up[0], -longer * up[1]], [2, 0]]
    tips = [[i + up[0], up[1]] for i in range(3)]
    bodies = [{"name": f"crank_{i}", "ends": [feet[i], tips[i]], "mass": 1} for i in range(3)]
    hinges = [(["ground", f"crank_{i}"], feet[i]) for i in range(3)] + [([f"crank_{i}", "coupler"], tips[i]) for i in range(3)]
    return {"dimension": 2, "gravity": [0, -9.81], "bodies": [*bodies, {"name": "coupler", "ends": [tips[0], tips[2]], "mass": 1}],
            "joints": [{"name": f"J{k}", "type": "revolute", "bodies": two, "at": at} for k, (two, at) in enumerate(hinges)],
            "simulation": {"end": 0.5}}


@case
def contradictory_rows():
    """E = block on redundant rows that contradict one another beyond what counts as closed (1e-8) is refused with the joint; what is less is
    told with its size, drift is no contradiction, and a misfit that is given is taken"""
    scene, words = pathlib.Path("cranks.json"), ("--no-verify", "--method", "srm", "--E", "block")
    for longer, step in ((0, "2e-4"), (0, "5e-3"), (1e-9, "2e-4"), (1e-9, "1e-3"), (1e-6, "2e-4"), (1e-4, "2e-4"), (1e-2, "2e-4")):
        scene.write_text(json.dumps(parallelogram(longer)), encoding="utf-8")
        code, said, told = run(scene, *words, "--step", step)
        assert bool(code) == (longer > 1e-8), (longer, said)
        assert not code or re.search(r"cranks.json:1:\d+: /joints/\d: stopped at t = .* the play at 'J\d' .* E = block", said), said
        closed = run(scene, "--no-verify", "--integrator", "dop853", "--method", "s-both2")[2]
        assert code or abs(told["misfit"]["relative"] - closed["misfit"]["relative"]) < 0.01 * longer + 1e-12, (longer, told["misfit"])
        code, said, told = run(scene, *words, "--step", step, "--misfit", "1e-3")
        found = closed["state"]["bodies"]["coupler"]["position"]
        assert code == 0, said
        # of order 2: 1e-5 m at a step of 2e-4 s, as the first of these has always had
        assert math.dist(found, told["state"]["bodies"]["coupler"]["position"]) < 250 * float(step) ** 2 + longer, (longer, told["state"])
    at_once = parallelogram(0)
    at_once["joints"][1]["at"] = [[1, 0], [1, 1e-5]]
    scene.write_text(json.dumps(at_once), encoding="utf-8")
    code, said, _ = run(scene, *words, "--step", "2e-4", "--assemble")
    assert code and "the start does not close" in said and "E = block" in said, said


@case
def refusals():
    """An epsilon that the step cannot stand, rows of mixed units with E = I, a list of methods that cannot be read: told with the place"""
    heun = "--integrator", "heun", "--method", "srm", "--end", "0.01", "--no-verify"
    code, said, _ = run(ROOT / "scenes/pendulum.json", *heun, "--epsilon", "1e-5", "--step", "1e-2")
    assert code and "srm.epsilon" in said and "0.005 s" in said, said
    told = subprocess.run([TRAMMEL, "run", ROOT / "scenes/spatial_slider_crank.json", *heun, "--E", "I", "--step", "1e-4",
                           "--coordinates", "absolute"],
                          capture_output=True, text=True, check=False)
    assert re.search(r"E = I \(rows of GB differ by 2\.0e\+05 in scale", told.stdout), told.stdout + told.stderr
    for words, place in ("srm(E=GBinv, rk4", "character 1:"), ("rk4, srm(E=no)", "character 10,"), ("srm()(, rk4", "character 6:"):
        done = subprocess.run([TRAMMEL, "compare", ROOT / "scenes/pendulum.json", "--methods", words], capture_output=True, text=True, check=False)
        assert done.returncode and "--methods" in done.stderr and place in done.stderr, (words, done.stderr)


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES, in_folders=True))
