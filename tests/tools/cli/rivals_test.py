#!/usr/bin/env python3
"""The methods of docs/examples/rivals have the orders that their sources claim. Prints TAP.

    tests/tools/cli/rivals_test.py TRAMMEL ROOT
"""
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from cli_rig import ROOT, run_json
from tap import CASES, case
import tap

PLANE, SPACE, SPRING, REDUNDANT = ("four_bar", 0.5, 0.01), ("spatial_slider_crank", 0.2, 0.005), ("andrews", 0.02, 1.25e-4), ("bricard", 1, 0.02)
TOP, COARSE = ("heavy_top", 0.5, 0.0025), ("four_bar", 0.5, 0.02)  # COARSE: of errors above roundoff at order 5


FOLDER = tempfile.TemporaryDirectory(prefix="trammel-")  # for all cases


def library():
    path = os.path.join(FOLDER.name, "rivals.so")
    if not os.path.exists(path):
        sources = sorted(pathlib.Path(ROOT, "docs/examples/rivals").glob("*.c"))
        subprocess.run([*os.environ.get("CC", "cc").split(), "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT}/include",
                        *sources, "-o", path, "-lm"], check=True)
    return path


def run(scene, end, *words):
    """-> positions and velocities at the end, and what the report says of it."""
    told = run_json(f"{ROOT}/scenes/{scene}.json", "--no-verify", "--end", repr(end), *words)
    bodies = told["state"]["bodies"]
    return [x for name in sorted(bodies) for key in ("position", "velocity") for x in bodies[name][key]], told


def by(pair, scene, end, step):
    integrator, stabilization = pair.split("+")
    return run(scene, end, "--load", library(), "--integrator", integrator, "--method", stabilization, "--step", repr(step))


def orders(pair, problem):
    """Slopes of the error at the end over steps that are halved twice."""
    scene, end, step = problem
    exact, _ = run(scene, end, "--integrator", "dop853", "--method", "s-both2", "--rtol", "1e-13")
    errors = [max(abs(a - b) for a, b in zip(by(pair, scene, end, step / 2 ** k)[0], exact)) for k in range(3)]
    return [math.log2(a / b) for a, b in zip(errors, errors[1:])]


def claims(order, pair, *problems):
    """The last slope is the order, to a quarter; where a method does better, it is larger."""
    for problem in problems:
        found = orders(pair, problem)
        assert found[-1] > order - 0.25 and found[-1] < order + 0.7, (pair, problem[0], found)


def drift_orders(pair, scene, end, step, key):
    found = [by(pair, scene, end, step / 2 ** k)[1]["drift"][key] for k in range(3)]
    return [math.log2(a / b) for a, b in zip(found, found[1:])]


@case
def augmented_lagrangian():
    """Order 2, velocities closed to the penalty's part, redundant rows too"""
    claims(2, "trapezoid+augmented-lagrangian", PLANE, SPACE, SPRING, REDUNDANT)
    drift = by("trapezoid+augmented-lagrangian", *PLANE)[1]["drift"]
    assert drift["position_max"] < 1e-12 and drift["velocity_max"] < 1e-6, drift


@case
def generalized_alpha():
    """Order 2 of index 3, positions closed; of stabilized index 2 velocities too"""
    for pair in "generalized-alpha+index-3", "generalized-alpha-ggl+index-2":
        claims(2, pair, PLANE, SPACE, SPRING, REDUNDANT, TOP)
        drift = by(pair, *PLANE)[1]["drift"]
        assert drift["position_max"] < 1e-12, (pair, drift)
        assert (drift["velocity_max"] < 1e-12) == pair.endswith("index-2"), (pair, drift)


@case
def half_explicit():
    """Order 5, with velocities closed by the method itself"""
    claims(5, "hem5+plain", COARSE, SPACE, SPRING)
    claims(5, "hem5+s-both2", COARSE)
    assert by("hem5+plain", *SPACE)[1]["drift"]["velocity_max"] < 1e-12


@case
def adams_and_stabilized():
    """Order 4 with a stabilization after each step"""
    for stabilization in "s-both2", "s-lower", "projection-positions":
        claims(4, f"abm4+{stabilization}", PLANE, REDUNDANT)


@case
def block_triangular():
    """Both gaps are of order 2 (p + 1): 6 with Heun's method, where s-both leaves velocities open by order p + 1"""
    claims(4, "rk4+s-lower", PLANE, SPACE, REDUNDANT)
    for scene, end, step in ("four_bar", 1, 0.04), ("heavy_top", 0.5, 0.01):
        for key in "position_max", "velocity_max":
            found = drift_orders("heun+s-lower", scene, end, step, key)
            assert found[-1] > 5.7, (scene, key, found)
        assert drift_orders("heun+s-both", scene, end, step, "velocity_max")[-1] < 3.3


@case
def positions_only():
    """The order of the integrator, positions closed, velocities open by that order"""
    claims(4, "rk4+projection-positions", PLANE, SPACE, REDUNDANT)
    assert by("rk4+projection-positions", *PLANE)[1]["drift"]["position_max"] < 1e-14
    found = drift_orders("rk4+projection-positions", "four_bar", 1, 0.04, "velocity_max")
    assert 3.75 < found[-1] < 4.5, found


if __name__ == "__main__":
    sys.exit(tap.run(CASES))
