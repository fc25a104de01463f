#!/usr/bin/env python3
"""Random conditions of a place that moves evenly, and of the time: when each begins to hold, by rational arithmetic.

usage: conditions_test.py TRAMMEL ROOT [SEEDS]. Prints TAP. SEEDS: of each kind so many. A condition holds on intervals and in single
moments, between and at multiples of 1/288 of the place; rational arithmetic decides in each of them. It happens where it begins to
hold; what does not hold for a moment only goes on.
"""
import json
import math
import operator
import random
import subprocess
import sys
from fractions import Fraction

import tap

TRAMMEL = sys.argv[1]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 150
KEPT = 100  # events that a run keeps
GRID = 288  # edges are multiples of 1/(4*2*3), of their third parts, and of 3/4 and 1/2 of those
COMPARISONS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne}


def floor(x):
    return Fraction(math.floor(x))


def sign(x):
    return Fraction((x > 0) - (x < 0))


def linear(rng):
    """-> (text in X, function): a X + b, as all expressions here."""
    a = Fraction(rng.choice([1, 2, 3, -1, -2]), rng.choice([1, 1, 2]))
    b = Fraction(rng.choice([0, 1, 2, 3, -1]), rng.choice([1, 2, 4]))
    return f"({float(a)}*X + {float(b)})", lambda x: a * x + b


def expression(rng, depth):
    kind = rng.choice(["linear", "floor", "ceil", "mod", "fraction", "abs", "sign", "min", "max", "if"]) if depth > 0 else "linear"
    if kind == "linear":
        return linear(rng)
    text, value = expression(rng, depth - 1)
    size, bound = rng.choice([Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3, 4)]), Fraction(rng.randint(-4, 4), 4)
    holds_text, holds = comparison(rng, 1)
    other_text, other = linear(rng)
    return {
        "floor": (f"floor({text})", lambda x: floor(value(x))),
        "ceil": (f"ceil({text})", lambda x: -floor(-value(x))),
        "mod": (f"mod({text}, {float(size)})", lambda x: value(x) - size * floor(value(x) / size)),
        "fraction": (f"({text} - floor({text}))", lambda x: value(x) - floor(value(x))),
        "abs": (f"abs({text})", lambda x: abs(value(x))),
        "sign": (f"sign({text})", lambda x: sign(value(x))),
        "min": (f"min({text}, {float(bound)})", lambda x: min(value(x), bound)),
        "max": (f"max({text}, {float(bound)})", lambda x: max(value(x), bound)),
        "if": (f"if({holds_text}, {text}, {other_text})", lambda x: value(x) if holds(x) else other(x)),
    }[kind]


def comparison(rng, depth):
    text, value = expression(rng, depth - 1)
    bound, name = Fraction(rng.randint(-3, 6), rng.choice([1, 2, 4])), rng.choice(list(COMPARISONS))
    return f"{text} {name} {float(bound)}", lambda x: COMPARISONS[name](value(x), bound)


def condition(rng, depth):
    kind = rng.choice(["comparison", "comparison", "and", "or", "not"]) if depth > 0 else "comparison"
    if kind == "comparison":
        return comparison(rng, 3)
    text, first = condition(rng, depth - 1)
    if kind == "not":
        return f"not ({text})", lambda x: not first(x)
    other, second = condition(rng, depth - 1)
    return f"({text}) {kind} ({other})", lambda x: first(x) and second(x) if kind == "and" else first(x) or second(x)


def begins(holds, x0, v, end):
    """When it begins to hold for x = x0 + v t; None where an edge is on no point of the grid."""
    low, high = min(x0, x0 + v * end), max(x0, x0 + v * end)
    points = sorted((Fraction(k, GRID) - x0) / v for k in range(math.floor(low * GRID) - 1, math.ceil(high * GRID) + 2))
    times = [Fraction(0)] + [t for t in points if 0 < t < end]
    found, held = [], False
    for t, then in zip(times, times[1:] + [end]):
        there, behind = holds(x0 + v * t), holds(x0 + v * (t + (then - t) / 7))
        if behind != holds(x0 + v * (t + (then - t) * 5 / 7)):
            return None
        if (there or behind) and not held:
            found.append(float(t))
        held = behind
    return found


def told(condition_text, x0, v, end):
    scene = {"dimension": 2, "bodies": [{"name": "a", "mass": 1, "inertia": 1, "position": [float(x0), 0], "velocity": [v, 0]}],
             "markers": [{"name": "p", "body": "a", "on": [0, 0]}], "events": [{"name": "e", "when": condition_text}]}
    with open("scene.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    done = subprocess.run([TRAMMEL, "run", "scene.json", "--end", repr(float(end)), "--rtol", "1e-12", "--json"],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, (condition_text, done.stderr)
    return [event["t"] for event in json.loads(done.stdout)["events"]]


def agree(of_time):
    looked, happened = 0, 0
    for seed in range(SEEDS):
        rng = random.Random(seed + 100000 * of_time)
        text, holds = condition(rng, rng.choice([1, 1, 2]))
        v, x0 = rng.choice([1, -1]), Fraction(rng.choice([0, 1, 5, 17, -9]), 8)
        end = Fraction(rng.choice([5, 7, 9]), 2) + Fraction(1, 31)
        expected = begins(holds, x0, v, end)
        if expected is None or len(expected) >= KEPT:
            continue
        text = text.replace("X", f"({float(x0)} + {v}*t)" if of_time else "p.x")
        found = told(text, x0, v, end)
        same = len(found) == len(expected) and all(abs(a - b) < 1e-12 for a, b in zip(found, expected))
        assert same, f"seed {seed}: {text}, x = {x0} + {v} t: {found}, expected {expected}"
        looked, happened = looked + 1, happened + len(expected)
    assert looked > 0.9 * SEEDS and happened > SEEDS / 2, (looked, happened)


def test_of_the_place(_):
    """Conditions of a place, where it goes through their edges and touches them"""
    agree(False)


def test_of_the_time(_):
    """Conditions of the time"""
    agree(True)


if __name__ == "__main__":
    CASES = [case for name, case in list(globals().items()) if name.startswith("test_")]
    sys.exit(tap.run(CASES, None, in_folders=True))
