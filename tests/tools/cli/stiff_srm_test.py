#!/usr/bin/env python3
"""Sequential regularization with epsilon far below the step, by CVODE: docs/examples/stiff. Prints TAP.

    tests/tools/cli/stiff_srm_test.py TRAMMEL ROOT
"""
import math
import os
import pathlib
import subprocess
import sys

from cli_rig import ROOT, run_json
from tap import CASES, case
import tap

FOLDER = pathlib.Path(ROOT, "docs/examples/stiff")
LIBRARIES = "cvode", "nvecserial", "sunlinsoldense", "sunmatrixdense"
TOLERANCE = 1e-9  # of a step by CVODE, mechanism.c


def compile_to(out, source, *words):
    libraries = [f"-lsundials_{name}" for name in LIBRARIES]
    compiler = [*os.environ.get("CC", "cc").split(), "-O2", "-Wall", "-Wextra", f"-I{ROOT}/include"]
    probe = subprocess.run([*compiler, "-xc", "-", "-o", os.devnull, *libraries], input="#include <cvode/cvode.h>\nint main(void) { return 0; }",
                           text=True, capture_output=True, check=False)
    if probe.returncode:
        raise tap.Skipped("no CVODE")
    subprocess.run([*compiler, "-Werror", *words, FOLDER / source, FOLDER / "bdf.c", "-o", out, *libraries, "-lm"], check=True)
    return f"./{out}"


@case
def general_equations():
    """A nonlinear problem of index 2: epsilon^s until roundoff over epsilon, in steps that no explicit method could take"""
    told = subprocess.run([compile_to("dae", "dae.c")], capture_output=True, text=True, check=True).stdout
    rows = {(float(e), int(m)): (float(x), float(y), int(n)) for e, m, x, y, n in map(str.split, told.splitlines())}
    for m in 1, 2:  # above what the tolerance of 1e-10 leaves
        found = math.log(rows[1e-2, m][0] / rows[1e-4, m][0]) / math.log(100)
        assert abs(found - m) < 0.1, (m, found)
    for epsilon in 1e-4, 1e-6, 1e-8:
        assert 0.9 < rows[epsilon, 1][0] / rows[1e-2, 1][0] * 1e-2 / epsilon < 1.1, rows
    assert rows[1e-10, 1][0] < 1e-6, rows  # roundoff over epsilon
    for (epsilon, _), (_, _, evaluations) in rows.items():
        if epsilon <= 1e-6:
            assert evaluations < 0.1 / epsilon, rows  # of Heun's method, stable up to h = 2 epsilon


def run(scene, end, *words):
    told = run_json(f"{ROOT}/scenes/{scene}.json", "--no-verify", "--end", repr(end), *words)
    return [x for name in sorted(told["state"]["bodies"]) for x in told["state"]["bodies"][name]["position"]], told


@case
def mechanisms():
    """G v is epsilon lambda to a part in a hundred, and the motion right to epsilon or to the tolerance of the steps"""
    library = compile_to("stiff.so", "mechanism.c", "-shared", "-fPIC")
    for scene, end in ("slider_crank_bayo", 0.5), ("spatial_slider_crank", 0.1), ("andrews", 0.02), ("bricard", 0.5):
        exact, _ = run(scene, end, "--integrator", "dop853", "--method", "s-both2", "--rtol", "1e-13")
        gap, error = {}, {}
        for epsilon in "1e-6", "1e-8", "1e-10":
            place, told = run(scene, end, "--load", library, "--integrator", f"bdf-{epsilon}", "--method", f"stiff-srm-{epsilon}", "--step", "0.005")
            gap[epsilon] = told["drift"]["velocity_max"] / float(epsilon)
            error[epsilon] = max(abs(a - b) for a, b in zip(place, exact))
        assert abs(gap["1e-8"] / gap["1e-6"] - 1) < 0.01, (scene, gap)
        for epsilon in "1e-8", "1e-10":
            bound = error["1e-6"] * float(epsilon) / 1e-6
            assert error[epsilon] < 2 * bound + 1000 * TOLERANCE, (scene, error)


if __name__ == "__main__":
    sys.exit(tap.run(CASES))
