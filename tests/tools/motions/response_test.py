#!/usr/bin/env python3
"""Frequency responses of `trammel linearize --response`, against the motion itself. Prints TAP.

    tests/tools/motions/response_test.py TRAMMEL ROOT
"""
import cmath
import json
import math
import subprocess
import sys

from tap import CASES, case
import tap

PROGRAM = sys.argv[1]
PENDULUM = {
    "dimension": 2, "gravity": [0, -9.81], "parameters": {"u": {"value": 0, "input": True}, "f": 1},
    "bodies": [{"name": "rod", "ends": [[0, 0], [0, -1]], "mass": 1.5}],
    "markers": [{"name": "tip", "body": "rod", "at": [0, -1]}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}],
    "forces": [{"name": "c", "type": "joint_spring_damper", "joint": "O", "stiffness": 0, "damping": 2},
               {"name": "M", "type": "joint_force", "joint": "O", "value": "u + lag"}],
    "states": {"lag": {"rate": "(u - lag)/0.1", "start": 0}},
    "outputs": {"reading": "O.force_x + 3*O.angle"},
}


def trammel(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)


def scene(**changes):
    with open("scene.json", "w", encoding="ascii") as file:
        json.dump({**PENDULUM, **changes}, file)
    return "scene.json"


@case
def the_motion_follows():
    """A small torque at 1.7 Hz, after the start has died out: amplitude and phase of an output with a reaction in it"""
    f, small = 1.7, 1e-4
    told = json.loads(trammel("linearize", scene(), "--response", "u,reading", "--from", str(f), "--to", "5", "--points", "2",
                              "--json").stdout)
    _, re, im = told["response"][0]
    drive = f"{small}*sin({2 * math.pi * f!r}*t)"
    forces = [PENDULUM["forces"][0], {**PENDULUM["forces"][1], "value": f"{drive} + lag"}]
    moving = scene(forces=forces, states={"lag": {"rate": f"({drive} - lag)/0.1", "start": 0}}, parameters={"f": 1})
    n = 50
    end = 40 / f
    done = trammel("run", moving, "--end", repr(end), "--every", repr(1 / (n * f)), "--accuracy", "1e-10", "-o", "x.csv")
    assert done.returncode in (0, 3), done
    with open("x.csv", encoding="ascii") as file:
        lines = [line.split(",") for line in file.read().splitlines()]
    k = next(i for i, name in enumerate(lines[0]) if name.startswith("reading"))
    period = [(float(line[0]), float(line[k])) for line in lines[-n:]]
    found = sum(x * cmath.exp(-2j * math.pi * f * t) for t, x in period) * 2 / n * 1j / small
    assert abs(found - complex(re, im)) < 1e-6 * abs(found), (found, re, im)


@case
def a_table_of_decades():
    """A tenth of the slowest mode to ten times the fastest, with what is read and its unit"""
    text = trammel("linearize", scene(), "--response", "u,tip.x").stdout
    assert "Response     u,tip.x, m per unit of the input" in text
    assert len(text.split("phase, deg")[1].split()) == 4 * 31, text


@case
def sentences():
    """No such input, nothing such to read, several numbers, a range that is none"""
    for words, says in ((["f,tip.x"], '"f" is no input of the scene'), (["u,tip.position"], "has 3 numbers"),
                        (["u,tip.w"], 'has no "w"'), (["u"], "expected IN,OUT"),
                        (["u,tip.x", "--from", "2", "--to", "1"], "expected --from below --to")):
        done = trammel("linearize", scene(), "--response", *words)
        assert done.returncode == 1 and says in done.stderr, done


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
