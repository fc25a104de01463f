#!/usr/bin/env python3
"""`trammel run SCENE --method srm` and nothing else is right to its accuracy on every shipped scene; which pair the
words of the command choose.

usage: srm_test.py TRAMMEL ROOT. Prints TAP.
"""
import json
import os
import pathlib
import subprocess
import sys

import tap
from tap import case

TRAMMEL, ROOT = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
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


def every(accuracy):
    for scene in SCENES:
        good(scene, accuracy)


@case
def loosely():
    """Every shipped scene is right to 1e-3"""
    every("1e-3")


@case
def as_by_default():
    """Every shipped scene is right to 1e-6"""
    every("1e-6")


@case
def tightly():
    """Every shipped scene is right to 1e-8"""
    every("1e-8")


@case
def near_rounding():
    """Tolerances go as far below those of one-step methods as their steps are more"""
    for name in "arm_sine", "double_four_bar", "slider_crank_turn", "heavy_top":
        accuracy = run(ROOT / f"scenes/{name}.json", "--method", "srm", "--accuracy", "1e-10")[2]["accuracy"]
        assert accuracy["differs"] < 1e-9, (name, accuracy)


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


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
