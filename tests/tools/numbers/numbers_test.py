#!/usr/bin/env python3
"""The numbers of rank and singular positions, twice and half as large: a short gate stays as it is.

usage: numbers_test.py TRAMMEL ROOT [NAME ...]. TRAMMEL is built with scaled_numbers.c; NAMEs: only these numbers. Prints TAP.
What the gate expects are closed forms, mobilities of the books, and the campaign's reference, never results of the program.
"""
import csv
import functools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import scaled_numbers
import tap

TRAMMEL, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "validation/campaign"))
sys.dont_write_bytecode = True
import campaign  # pylint: disable=wrong-import-position

SCRATCH = tempfile.TemporaryDirectory(prefix="trammel-numbers-")  # pylint: disable=consider-using-with
NUMBERS = scaled_numbers.numbers((ROOT / "base/rank_numbers.h").read_text(encoding="utf-8"))
G, PI = 9.81, math.pi

# Families with redundant rows, singular positions, masses apart, and two that have nothing of it.
FAMILIES = ["crank_rocker", "double_wishbone", "bennett", "myard", "spherical_four_bar", "schmidt", "ball_hinge_line",
            "random_space", "extreme_masses_space", "bead_track", "flat_parallelogram", "flat_slider_crank", "flat_cranks",
            "flat_cranks_in_space"]
MOBILITY = {"bennett": 1, "bricard": 1, "spatial_four_bar": 1, "three_cranks": 1, "doubled_joint": 1, "four_legs": 3}


ASKED = scaled_numbers.Asked()
CHOSEN = ["NONE", 1]  # the number of this gate, and its factor


def asked(question, find):
    """What find() finds by one run of the program, with the number of this gate."""
    return ASKED.answer(*CHOSEN, question, find)


def printed(command):
    """What `trammel ... --json` prints, or {} where it gives up."""
    done = subprocess.run(["timeout", "60", TRAMMEL, *map(str, command), "--json"], check=False, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {}


def told(*command):
    return asked(" ".join(map(str, command)), lambda: printed(command))


def moved(command, body):
    """The report of a run, and the angle of a body at its end."""
    def find():
        path = pathlib.Path(SCRATCH.name) / "out.csv"
        path.unlink(missing_ok=True)
        report = printed(["run", *command, "-o", path])
        if not path.exists():
            return report, math.nan
        with open(path, encoding="utf-8", newline="") as file:
            return report, float(list(csv.DictReader(file))[-1][f"{body}.angle[rad]"])
    return asked(f"{command} {body}", find)


def bar(name, p, q, velocity, rate):
    return {"name": name, "mass": 1, "ends": [p, q], "velocity": velocity, "rate": rate}


def slider_crank(phi, w, longer):
    """A crank of 2 m at phi with w rad/s, its rod longer by a part of itself, the rod's end on y = 0."""
    rod = 2 * (1 + longer)
    x, y, psi = 2 * math.cos(phi), 2 * math.sin(phi), -math.asin(2 * math.sin(phi) / rod)
    turn = -2 * math.cos(phi) * w / (rod * math.cos(psi)) if math.cos(psi) > 1e-12 else -w
    far = [x + rod * math.cos(psi), 0]
    middle = [-y * w - rod / 2 * math.sin(psi) * turn, x * w + rod / 2 * math.cos(psi) * turn]
    return {"dimension": 2, "gravity": [0, -G], "assemble": True,
            "bodies": [bar("crank", [0, 0], [x, y], [-y * w / 2, x * w / 2], w), bar("rod", [x, y], far, middle, turn)],
            "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
                       {"name": "P", "type": "revolute", "bodies": ["crank", "rod"], "at": [x, y]},
                       {"name": "S", "type": "pin_in_slot", "bodies": ["ground", "rod"], "at": far, "axis": [1, 0]}],
            "simulation": {"end": 10}}


def inertia(rod, phi):
    """2 T/w^2 of that slider-crank: the crank, the rod's middle, its turning (tests/simulation/singular/test_unequal_bars.c)."""
    s, co = math.sin(phi), math.cos(phi)
    c = math.sqrt(rod * rod - 4 * s * s)
    turn = -2 * co / c
    x, y = -2 * s + s * turn, 2 * co + c / 2 * turn
    return 4 / 3 + x * x + y * y + rod * rod / 12 * turn * turn


@functools.cache
def exact_angle(rod, w, end):
    """phi at the end, from pi/4 with w: t = int dphi/w, w by energy, both middles at the height sin phi."""
    total = inertia(rod, PI / 4) / 2 * w * w + 2 * G * math.sin(PI / 4)

    def slowness(phi):
        return math.sqrt(inertia(rod, phi) / (2 * (total - 2 * G * math.sin(phi))))

    t, phi = 0.0, PI / 4
    while True:
        d = 2e-3 * math.sqrt(rod * rod - 4 * math.sin(phi) ** 2)
        dt = d / 6 * (slowness(phi) + 4 * slowness(phi + d / 2) + slowness(phi + d))
        if t + dt >= end:
            return phi + d * (end - t) / dt
        t, phi = t + dt, phi + d


def written(name, scene):
    path = pathlib.Path(SCRATCH.name) / f"{name}.json"
    path.write_text(json.dumps(scene), encoding="utf-8")
    return path


def passages(start, end, first):
    """How many of first + k pi a crank passes that goes on from start to end."""
    lo, hi = sorted(((start - first) / PI, (end - first) / PI))
    return math.floor(hi) - math.ceil(lo) + 1


def counted(name, command, body, start, first):
    """Crossings are those that the crank's angle shows, on one branch."""
    report, angle = moved(command, body)
    wanted = passages(start, angle, first) if report and not math.isnan(angle) else None
    found = report.get("singularity", {}).get("crossings")
    branch = report.get("verdicts", {}).get("branch")
    return [] if found == wanted and branch == "good" else [f"{name}: {found} of {wanted} crossings, branch {branch}"]


def crossings():
    """Runs through singular positions, also with mesh points in them."""
    scenes = ROOT / "scenes"
    upright = written("upright", slider_crank(PI / 2, 2 * math.sqrt(2), 0))
    wrong = []
    for name, extra in (("default", []), ("loose", ["--accuracy", "1e-2"]),
                        ("rk4", ["--integrator", "rk4", "--method", "s-both2", "--step", "0.01"])):
        for scene, body, start, first in (("four_bar", "crank_0", PI / 2, 0), ("double_four_bar", "crank_0", PI / 2, 0),
                                          ("slider_crank_turn", "crank", PI / 4, PI / 2)):
            wrong += counted(f"{scene}, {name}", [scenes / f"{scene}.json", *extra], body, start, first)
    hits = ["--integrator", "rk4", "--method", "s-both2", "--step", "0.0100923"]
    wrong += counted("slider_crank_turn, rk4 on it", [scenes / "slider_crank_turn.json", *hits], "crank", PI / 4, PI / 2)
    wrong += counted("upright", [upright], "crank", PI / 2, PI / 2)
    return wrong


def corners():
    """Bars not quite equal turn in a corner and follow the energy integral."""
    wrong = []
    for longer in (1e-9, 1e-7, 1e-5):
        path = written(f"longer-{longer:g}", slider_crank(PI / 4, 2 * math.sqrt(2), longer))
        exact = exact_angle(2 + 2 * longer, 2 * math.sqrt(2), 2)
        report, angle = moved([path, "--end", 2], "crank")
        singular, branch = report.get("singularity", {}), report.get("verdicts", {}).get("branch")
        if not abs(angle - exact) <= 1e-5 or branch != "good" or singular["crossings"] != singular["resolved"]:
            wrong.append(f"rod longer by {longer:g}: {angle}, exactly {exact}, branch {branch}")
    for longer in (1e-13, 1e-12):
        path = written(f"longer-{longer:g}", slider_crank(PI / 4, 2 * math.sqrt(2), longer))
        singular = told("run", path, "--end", 0.5).get("singularity", {})
        told_of = singular.get("undecided", 0) + singular.get("resolved", 0)
        wrong += [] if told_of == singular.get("crossings") else [f"rod longer by {longer:g}: taken for equal"]
    return wrong


def degrees():
    wrong = []
    for name, wanted in MOBILITY.items():
        found = told("check", ROOT / f"tests/diagnosis/{name}.json").get("degrees_of_freedom")
        wrong += [] if found == wanted else [f"{name}: {found} degrees of freedom, not {wanted}"]
    return wrong


@functools.cache
def solved(family, program):
    return campaign.Case(family, 0, program)


def mechanisms():
    wrong = []
    program = campaign.build_reference(SCRATCH.name)
    for family in FAMILIES:
        case = solved(family, program)
        for accuracy in (1e-3, 1e-6, 1e-9):
            row = asked(f"judge {family} {accuracy}", lambda: campaign.judge(case, accuracy, TRAMMEL, 20))
            false = bool(case.reference["regular"] and row["crossings"])
            if row["verdict"] in campaign.FAULTS or false:
                wrong.append(f"{family} at {accuracy:g}: {row['verdict']} {row['error']}" + (", singular" if false else ""))
        found, known = asked(f"freedoms {family}", lambda: campaign.freedoms(case, TRAMMEL, 20))
        wrong += [] if found == known else [f"{family}: {found} degrees of freedom, not {known}"]
    return wrong


def gate():
    return crossings() + corners() + degrees() + mechanisms()


def few_and_derived(_):
    """At most 20 numbers, each with a sentence before it"""
    assert 0 < len(NUMBERS) <= 20, len(NUMBERS)
    lines = (ROOT / "base/rank_numbers.h").read_text(encoding="utf-8").splitlines()
    for i, line in enumerate(lines):
        if line.startswith("#define TRM_") and len(line.split()) > 2:
            assert lines[i - 1].startswith("///"), line


def none_is_left_out(_):
    """All files that include the numbers are compiled with those scaled, apart from lanes, whose build is another one"""
    build = (ROOT / "tests/tools/numbers/meson.build").read_text(encoding="utf-8")
    header = '"base/rank_numbers.h"'
    sources = [path for folder in ("engine", "integrators") for path in (ROOT / folder).rglob("*.c")]
    users = [path.relative_to(ROOT).as_posix() for path in sources if header in path.read_text(encoding="utf-8")]
    missing = [path for path in users if path not in build and not path.startswith("integrators/lanes/")]
    assert users and not missing, missing


def as_it_is(_):
    """The gate with the numbers as they are"""
    tap.need(os.environ.get("CXX", "c++"))
    wrong = gate()
    assert not wrong, "\n".join(wrong)


# Bounds of geometry, true for this value and larger ones: half of it is false, and slider_crank_turn then misses crossings.
BOUNDS = {"REACH"}


def scaled(name):
    def case(_):
        tap.need(os.environ.get("CXX", "c++"))
        wrong = []
        for factor in (2,) if name in BOUNDS else (0.5, 2):
            CHOSEN[:] = name, factor
            wrong += [f"times {factor:g}: {line}" for line in gate()]
        CHOSEN[:] = "NONE", 1
        assert not wrong, "\n".join(wrong)
    case.__doc__ = f"TRM_{name} {'doubled' if name in BOUNDS else 'halved and doubled'}"
    return case


if __name__ == "__main__":
    wanted_numbers = sys.argv[3:] or [name for name, _ in NUMBERS]
    sys.exit(tap.run([few_and_derived, none_is_left_out, as_it_is, *map(scaled, wanted_numbers)], None))
