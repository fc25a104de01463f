#!/usr/bin/env python3
"""Lost digits without --verify: chaotic and regular motions of the literature, each number of the estimate twice and half as large.

usage: growth_test.py TRAMMEL ROOT. TRAMMEL is built with scaled_numbers.c. Prints TAP. What is expected: integrable systems and attractors with
a period lose nothing beyond what grows with the time; for the others exponents and basins of the literature, and tangents of the
double pendulum. An exponent of the literature is that of another part of the attractor: within a factor of three.
"""
import json
import math
import os
import pathlib
import subprocess
import sys

import scaled_numbers
import tap

TRAMMEL, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(ROOT, "validation/campaign"))
sys.dont_write_bytecode = True
from motions import chain, on_a_line, point  # pylint: disable=wrong-import-position

HEADER = pathlib.Path(ROOT, "simulation/studies/tangent_numbers.h").read_text(encoding="utf-8")
NUMBERS = [name for name, _ in scaled_numbers.numbers(HEADER)]
HENON = "-p.x-2*p.x*p.y", "-p.y-p.x^2+p.y^2"
KEPLER = "-p.x/(p.x^2+p.y^2)^1.5", "-p.y/(p.x^2+p.y^2)^1.5"


def driven(force):
    return on_a_line(1, force)


def duffing(amplitude):
    return driven(f"-0.3*p.vx+p.x-p.x^3+{amplitude}*cos(1.2*t)")


def parametric(k):
    return point(1, 0.3, [0, 1.2], "-p.x-0.02*p.y", f"-{k}*p.y-0.02*p.x")


# (scene, ends): integrable, or attracted to a period.
REGULAR = [
    *((point(1, 0, [0, v], *KEPLER), ends) for v, ends in ((0.2, (30, 300)), (0.5, (50, 300, 1000)), (0.8, (300, 5000)), (1.2, (1000, 10000)))),
    *((parametric(k), (50, 300, 1000)) for k in (1.05, 2.3, 9.7)),
    (point(1, 0, [0.2, 0.6], "-p.x*(p.x^2+p.y^2)", "-p.y*(p.x^2+p.y^2)"), (50, 300, 1000)),
    (point(1, 0.5, [0.2, 0.6], "-p.x^3", "-p.y-p.y^3"), (50, 300, 1000)),
    (point(1.45, 0.5, [0, 0.6], "p.x-p.x^3", "-p.y"), (50, 300, 1000)),
    (point(0.2, 0.1, [0.2, 0.2], *HENON), (500, 3000)),
    *((chain(2, a, 0.1), (20, 100, 300)) for a in (0.1, 0.9, 1.2, 1.3)),
    *((chain(n, 0.3, 0.1), (20, 100)) for n in (3, 5)),
    *((duffing(f), (150, 1000)) for f in (0.2, 0.29, 0.37, 0.65)),
    (driven("(1-p.x^2)*p.vx-p.x+0.3*cos(1.1*t)"), (100, 300)), (driven("-0.2*p.vx-p.x+cos(2.3*t)"), (100, 300)),
    (driven("-(1+0.2*cos(0.7*t))*p.x"), (100, 300)), (driven("-p.x+0.1*cos(1.03*t)"), (100, 300)),
]
# (scene, end, e-folds a second)
CHAOTIC = [(chain(2, 1.36, 0.1), 300, 0.83), (chain(2, 1.6, 0.1), 100, 1.15), (chain(2, 2.2, 0.1), 100, 1.31), (chain(2, 2.8, 0.1), 300, 1.33),
           (chain(3, 2, 0.1), 50, 2.5), (chain(5, 2, 0.1), 50, 3.4), (duffing(0.5), 1000, 0.096), (duffing(0.5), 300, 0.12),
           (point(0, -0.15, [0.49, 0.05], *HENON), 1000, 0.075), (driven("-0.5*p.vx-sin(p.x)+1.15*cos(2*t/3)"), 1000, 0.1)]


ASKED = scaled_numbers.Asked()


def report(scene, end, *words):
    """Of a run, as JSON."""
    with open("scene.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    done = subprocess.run([TRAMMEL, "run", "scene.json", "--end", str(end), "--json", *words], capture_output=True, check=True)
    return json.loads(done.stdout)


def told(scene, end, number="NONE", factor=1):
    """What a run says, with a number times the factor."""
    return ASKED.answer(number, factor, f"{json.dumps(scene)} {end}", lambda: report(scene, end))


def verdicts(number, factor):
    wrong = []
    for scene, ends in REGULAR:
        for end in ends if number == "NONE" else ends[::2]:
            found = told(scene, end, number, factor)["accuracy"]
            if (found["digits_lost"] or 0) > 3:
                wrong.append(f"regular until {end}: {found['digits_lost']:.1f} digits, {scene['forces'][0]['value'] if 'forces' in scene else scene['bodies'][0]}")
    for scene, end, rate in CHAOTIC:
        found, digits = told(scene, end, number, factor)["accuracy"], rate * end / math.log(10)
        if not digits / 3 < (found["digits_lost"] or 0) < 3 * digits:
            wrong.append(f"chaotic until {end}: {found['digits_lost']} digits of {digits:.0f}")
    return wrong


def three_digits():
    """Chaotic runs of all lengths, the error of their end by --verify: what is off by more than 1000 A is told, what is within 10 A is not"""
    wrong = []
    for scene, end, _ in CHAOTIC:
        for part in (0.03, 0.06, 0.12, 0.2, 0.3):
            found, exact = told(scene, part * end)["accuracy"], report(scene, part * end, "--verify")["accuracy"]
            off, lost = math.log10(exact["relative"] / exact["asked"]), found["lost"]
            if (off > 3 and lost == "little") or (off < 1 and lost == "much"):
                wrong.append(f"{part * end:g} of {end} s: {off:.1f} digits beyond A, {found}")
    assert not wrong, "\n".join(wrong)


def cost():
    """A tenth of the evaluations at most"""
    for scene, end, _ in CHAOTIC:
        found = told(scene, end)
        assert 0 < found["accuracy"]["evaluations_beside"] <= 0.1 * found["evaluations"]["force"], found["accuracy"]


def fast_for_the_steps():
    """Fast motion that is damped, and wheels that spin within a step: --verify finds the runs good, and nothing is said to be lost"""
    bicycle = json.loads(pathlib.Path(ROOT, "scenes/bicycle.json").read_text(encoding="utf-8"))
    flyball = json.loads(pathlib.Path(ROOT, "scenes/flyball.json").read_text(encoding="utf-8"))
    runs = [(bicycle, 5, f"1e-{k}") for k in range(3, 10)] + [(flyball, 3, f"1e-{k}") for k in (4, 6, 8)]
    for k in (3, 6, 9):
        runs += [(driven("-10*p.vx-p.x"), end, f"1e-{k}") for end in (10, 50)] + [(driven("-10*p.vx-p.x+cos(t)"), end, f"1e-{k}") for end in (10, 50, 300)]
        runs += [(point(1, 0.3, [0, 1.2], "-p.x", f"-100*p.y-{c}*p.vy+p.x"), end, f"1e-{k}") for c in (2, 25) for end in (10, 50, 300)]
    for scene, end, accuracy in runs:
        found = report(scene, end, "--accuracy", accuracy)["accuracy"]
        assert found["lost"] == "little", (scene, end, accuracy, found)
        assert report(scene, end, "--accuracy", accuracy, "--verify")["accuracy"]["verdict"] == "good", (scene, end, accuracy)


def campaign():
    """Random motions: none off by 1000 A goes untold, none within 10 A is said to be lost"""
    subprocess.run([sys.executable, os.path.join(ROOT, "validation/campaign/growth"), "--seeds", "2", "--accuracy", "1e-4,1e-6,1e-8", "--trammel", TRAMMEL],
                   check=True, stdout=subprocess.DEVNULL)


def case_of(number, factor, title):
    def case():
        wrong = verdicts(number, factor)
        assert not wrong, "\n".join(wrong)
    case.__doc__ = title
    return case


CASES = [case_of("NONE", 1, "The numbers as they are")]
CASES += [three_digits, fast_for_the_steps, cost, campaign]
CASES += [case_of(name, factor, f"{name} times {factor}") for name in NUMBERS for factor in (0.5, 2)
          if name != "PROPAGATION_SHARE"]  # no threshold: the cost that is granted, and with it how much of the run is seen

if __name__ == "__main__":
    assert NUMBERS, "no numbers found"
    sys.exit(tap.run(CASES, in_folders=True))
