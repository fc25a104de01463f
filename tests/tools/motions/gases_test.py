#!/usr/bin/env python3
"""Gases of balls, of which most are far apart, beside dynamics from one collision to the next in closed form.

usage: gases_test.py TRAMMEL ROOT [SEEDS]. Prints TAP. Balls fly on parabolas under one gravity, so that two of them part and close
along a straight line, and meet walls at roots of quadratics. Rounding, 1e-16, grows with every collision by the ratio of free path
and radius, ten or so: eight of a ball reach 1e-8.
"""
import csv
import json
import math
import random
import subprocess
import sys

import tap

TRAMMEL = sys.argv[1]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 6


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def made(seed):
    """Balls [x, v, radius, mass], side of the box, restitution, gravity."""
    r = random.Random(seed)
    n, d = r.randint(12, 40), r.choice((2, 3))
    side, balls = r.uniform(2, 5) * (n / 20) ** (1 / d), []
    while len(balls) < n:
        size = r.uniform(0.03, 0.12)
        x = [r.uniform(size, side - size) for _ in range(d)]
        if all(math.dist(x, y[0]) > size + y[2] + 0.01 for y in balls):
            balls.append([x, [r.uniform(-4, 4) for _ in range(d)], size, r.uniform(0.5, 2)])
    return balls, side, r.choice((0.6, 0.9, 1)), r.choice((0, 9.81))


def scene(balls, side, e, g, end):
    d = len(balls[0][0])
    names = [f"b{i}" for i in range(len(balls))]
    bodies = [{"name": name, "position": x, "velocity": v, "mass": m, "shape": {"type": "disc" if d == 2 else "sphere", "radius": R}}
              for name, (x, v, R, m) in zip(names, balls)]
    walls = [(f"w{i}{s}", [s if j == i else 0 for j in range(d)], [0 if s > 0 else side] * d) for i in range(d) for s in (1, -1)]
    contacts = [{"name": f"{w}_{b}", "bodies": [b, "ground"], "restitution": e, "shapes": [None, {"type": "plane", "normal": n, "at": w}]}
                for b in names for w, n, _ in walls]
    contacts += [{"name": f"{a}_{b}", "bodies": [a, b], "restitution": e} for i, a in enumerate(names) for b in names[:i]]
    return {"dimension": d, "gravity": [0, -g, 0][:d], "bodies": bodies, "contacts": contacts,
            "markers": [{"name": w, "body": "ground", "at": at} for w, _, at in walls], "simulation": {"end": end, "every": end}}


def first_root(a, b, c):
    """The first t > 0 at which a t^2 + b t + c falls through 0, where it is above 0 before."""
    if a == 0:
        return -c / b if b < 0 else math.inf
    square = b * b - 4 * a * c
    if square < 0:
        return math.inf
    q = -(b + math.copysign(math.sqrt(square), b)) / 2
    roots = [t for t in (q / a, c / q if q else 0) if t > 1e-13 and 2 * a * t + b < 0]
    return min(roots, default=math.inf)


def collide(balls, side, e, g, end):
    """Moves the balls to `end`. Returns the number of collisions."""
    t, hits, d = 0, 0, len(balls[0][0])
    while True:
        first, what = end - t, None
        for i, (x, v, R, _) in enumerate(balls):
            for j in range(d):
                a = -g / 2 if j == 1 else 0
                for s, at in ((1, R), (-1, side - R)):
                    due = first_root(s * a, s * v[j], s * (x[j] - at))
                    first, what = (due, (i, j, s)) if due < first else (first, what)
            for k in range(i):
                y, w, Q, _ = balls[k]
                dx, dv = [p - q for p, q in zip(x, y)], [p - q for p, q in zip(v, w)]
                if dot(dx, dv) < 0:
                    due = first_root(dot(dv, dv), 2 * dot(dx, dv), dot(dx, dx) - (R + Q) ** 2)
                    first, what = (due, (i, k, 0)) if due < first else (first, what)
        for ball in balls:
            for j in range(d):
                a = -g if j == 1 else 0
                ball[0][j] += first * (ball[1][j] + first * a / 2)
                ball[1][j] += first * a
        t += first
        if not what:
            return hits
        hits += 1
        i, k, s = what
        if s:
            balls[i][1][k] *= -e
            continue
        n = [(p - q) / math.dist(balls[i][0], balls[k][0]) for p, q in zip(balls[i][0], balls[k][0])]
        P = -(1 + e) * (dot(balls[i][1], n) - dot(balls[k][1], n)) / (1 / balls[i][3] + 1 / balls[k][3])
        for ball, sign in ((balls[i], 1), (balls[k], -1)):
            ball[1] = [v + sign * P / ball[3] * m for v, m in zip(ball[1], n)]


def run(path, *options):
    done = subprocess.run([TRAMMEL, "run", path, "--json", "--no-verify", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@tap.case
def gases_collide_as_in_closed_form():
    for seed in range(SEEDS):
        balls, side, e, g = made(seed)
        with open("gas.json", "w", encoding="utf-8") as file:
            json.dump(scene(balls, side, e, g, 0.25), file)
        done = subprocess.run([TRAMMEL, "run", "gas.json", "--json", "--no-verify"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        hits = collide(balls, side, e, g, 0.25)
        off = max(math.dist(x, said["state"]["bodies"][f"b{i}"]["position"]) for i, (x, *_) in enumerate(balls))
        assert hits > 3 and said["contacts"]["impacts"] == hits and off < 1e-8, (seed, hits, said["contacts"]["impacts"], off)


@tap.case
def balls_that_have_parted_bear_no_force():
    """Five that meet in one place, in steps that are longer than their meeting: metres apart they bore 57 N."""
    turns = [(math.cos(k), math.sin(k)) for k in range(5)]
    star = scene([[list(x), [-4 * c for c in x], 0.1, 1] for x in turns], 1, 1, 0, 2)
    star["contacts"] = [one for one in star["contacts"] if "ground" not in one["bodies"]]
    with open("star.json", "w", encoding="utf-8") as file:
        json.dump(star, file)
    run("star.json", "--integrator", "moreau", "--step", "0.1", "--header", "plain", "-o", "star.csv")
    with open("star.csv", encoding="utf-8") as file:
        last = list(csv.DictReader(file))[-1]
    for name in (one["name"] for one in star["contacts"]):
        assert float(last[f"{name}_gap"]) > 1 and float(last[f"{name}_contact_force"]) == 0, name


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
