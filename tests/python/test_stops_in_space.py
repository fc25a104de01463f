"""Several stops with friction on one body in space, against solvers of their own: Newton's method on Coulomb's law of an
impact, an ordinary differential equation of a plate on three feet, a linear program for the load that sticks, and `moreau`.
"""
import itertools
import json
import random

import numpy as np
import pytest
import trammel
from scipy.integrate import solve_ivp
from scipy.optimize import linprog, root

G = 9.81
MASS, INERTIA = 3.0, np.array([1.0, 1.0, 1.5])


def plate(feet, mu, height, v=(0, 0, 0), turn=0.0, e=0.0, force=None, at=None):
    """A body whose centre of mass is above the origin, with points `feet` on the plane z = 0."""
    scene = {"dimension": 3, "gravity": [0, 0, -G],
             "bodies": [{"name": "a", "mass": MASS, "inertia": list(INERTIA), "position": [0, 0, height],
                         "velocity": list(v), "rate": [0, 0, turn]}],
             "markers": [{"name": "o", "body": "ground", "at": [0, 0, 0]}],
             "stops": []}
    for i, (foot, c) in enumerate(zip(feet, mu)):
        scene["markers"].append({"name": f"p{i}", "body": "a", "at": [*map(float, foot), 0]})
        scene["stops"].append({"name": f"f{i}", "marker": f"p{i}", "on": "o", "normal": [0, 0, 1], "friction": c,
                               "restitution": e})
    if force is not None:
        scene["markers"].append({"name": "q", "body": "a", "at": [*map(float, at), height]})
        scene["forces"] = [{"name": "F", "type": "force", "marker": "q", "value": [*map(float, force), 0]}]
    return trammel.parse(json.dumps(scene))


def some_feet(rng, n):
    angles = np.arange(n) * 2 * np.pi / n + [rng.uniform(-0.3, 0.3) for _ in range(n)]
    return [rng.uniform(0.6, 1.2) * np.array([np.cos(a), np.sin(a)]) for a in angles]


# ------------------------------------------------------------------------------------------------------------ an impact


def rows(feet, height):
    """[3n, 6] of the rates of the feet along z, x, y in the velocities (linear, angular)."""
    out = []
    for foot in feet:
        arm = np.array([foot[0], foot[1], -height])
        out += [np.concatenate([d, np.cross(arm, d)]) for d in np.eye(3)[[2, 0, 1]]]
    return np.array(out)


def impacts(J, u, mu, e):
    """The velocities behind all impulses by Newton's and Coulomb's laws with every foot pressed: each sticks or slides, by
    Levenberg's and Marquardt's method from many starts: two feet that stick press against each other at will."""
    back = np.diag(1 / np.concatenate([np.full(3, MASS), INERTIA])) @ J.T
    W = J @ back
    n, found = len(mu), []
    for sticks in itertools.product((True, False), repeat=n):
        def left(P, sticks=sticks):
            after, out = u + W @ P, []
            for i in range(n):
                t = after[3 * i + 1:3 * i + 3]
                out.append(after[3 * i] + e * u[3 * i])
                slides = np.hypot(*t) * P[3 * i + 1:3 * i + 3] + mu[i] * P[3 * i] * t
                out += list(t if sticks[i] else slides)
            return out
        for start in range(48):  # few of the ways that two sticking feet share an impulse lie in both cones
            first = np.random.default_rng(start).normal(size=3 * n)
            answer = root(left, 2 * first, method="lm", tol=1e-14)
            P, after = answer.x, u + W @ answer.x
            fits = np.abs(left(P)).max() < 1e-9
            for i in range(n):
                p, t = P[3 * i + 1:3 * i + 3], after[3 * i + 1:3 * i + 3]
                fits &= P[3 * i] > 0 and np.hypot(*p) <= mu[i] * P[3 * i] * (1 + 1e-9)
                fits &= bool(sticks[i] or (np.hypot(*t) > 1e-6 and p @ t < 0))
            if fits and not any(np.allclose(back @ P, other, atol=1e-7) for other in found):
                found.append(back @ P)
    return found


@pytest.mark.parametrize("seed", range(12))
def test_an_impact_of_two_feet(seed):
    rng = random.Random(seed)
    feet = [np.array([-rng.uniform(0.4, 1), rng.uniform(-0.2, 0.2)]), np.array([rng.uniform(0.4, 1), rng.uniform(-0.2, 0.2)])]
    mu = [rng.uniform(0.1, 0.9) for _ in feet]
    height, e = rng.uniform(0.05, 0.3), rng.choice([0.0, 0.4])
    v, turn = (rng.gauss(0, 0.7), rng.gauss(0, 0.7), -rng.uniform(0.5, 2)), rng.gauss(0, 1)
    J = rows(feet, height)
    before = np.array([*v, 0, 0, turn])
    found = impacts(J, J @ before, mu, e)
    try:
        with plate(feet, mu, height, v, turn, e).run("dop853+s-both2", rtol=1e-10, atol=1e-10) as sim:
            after = np.array(sim.v)
    except trammel.SingularError as refused:
        assert "gain energy" in str(refused)
        return
    assert len(found) == 1
    assert np.abs(after - before - found[0]).max() < 1e-8


# ------------------------------------------------------------------------------------------------------- sliding, halts


def slide(feet, mu, height, v, turn, end):
    """The plate on three feet: weights by statics with the friction under it."""
    feet, mu = np.array(feet), np.array(mu)

    def f(t, y):
        c, s = np.cos(y[2]), np.sin(y[2])
        arm = feet @ np.array([[c, s], [-s, c]])
        u = y[3:5] + y[5] * np.stack([-arm[:, 1], arm[:, 0]], 1)
        u /= np.linalg.norm(u, axis=1)[:, None]
        A = np.array([np.ones(3), arm[:, 1] - height * mu * u[:, 1], height * mu * u[:, 0] - arm[:, 0]])
        F = -(mu * np.linalg.solve(A, [MASS * G, 0, 0]))[:, None] * u
        return [*y[3:], *(F.sum(0) / MASS), (arm[:, 0] * F[:, 1] - arm[:, 1] * F[:, 0]).sum() / INERTIA[2]]
    return solve_ivp(f, (0, end), [0, 0, 0, v[0], v[1], turn], method="DOP853", rtol=1e-11, atol=1e-11).y[:, -1]


CASES = [(2, 0.2), (3, 0.15), (6, 0.2), (19, 0.15)]  # seeds, and a time before any foot halts


def a_case(seed):
    rng = random.Random(seed)
    feet, mu = some_feet(rng, 3), [rng.uniform(0.1, 0.5) for _ in range(3)]
    return feet, mu, rng.uniform(0, 0.3), (2 + rng.gauss(0, 0.2), rng.gauss(0, 0.2), 0), rng.gauss(0, 0.5)


@pytest.mark.parametrize("seed,end", CASES)
def test_three_feet_slide(seed, end):
    feet, mu, height, v, turn = a_case(seed)
    wanted = slide(feet, mu, height, v, turn, end)
    with plate(feet, mu, height, v, turn).run("dop853+s-both2", rtol=1e-11, atol=1e-11) as sim:
        sim.run_to(end)
        got = [sim.q[0], sim.q[1], 2 * np.arctan2(sim.q[6], sim.q[3]), sim.v[0], sim.v[1], sim.v[5]]
    assert np.abs(np.array(got) - wanted).max() < 1e-9


@pytest.mark.parametrize("seed,end", CASES)
def test_moreau_comes_to_the_events(seed, end):
    """Its error to the rest is of first order: a quarter of the step leaves less than half of it, below h times 1 m/s."""
    feet, mu, height, v, turn = a_case(seed)
    model = plate(feet, mu, height, v, turn)

    def rest(method, **options):
        with model.run(method, **options) as sim:
            sim.run_to(3.0)
            return np.array(sim.q), np.abs(sim.v).max()
    exact, still = rest("dop853+s-both2", rtol=1e-9, atol=1e-9)
    assert still < 1e-12
    errors = [np.abs(rest("moreau+s-both2", step=h)[0] - exact).max() for h in (2e-3, 5e-4)]
    assert errors[1] < 5e-4 and errors[1] < 0.5 * errors[0] + 1e-6


# ------------------------------------------------------------------------------------------------------ what sticks


def limit(feet, mu, height, force, at, sides=256):
    """The largest multiple of a force that weights and friction in pyramids inside their cones balance."""
    n, columns = len(feet), []

    def wrench(p, f):
        return np.concatenate([f, np.cross(p, f)])
    tangents = [np.array([np.cos(a), np.sin(a), 0]) for a in 2 * np.pi * np.arange(sides) / sides]
    for foot in feet:
        columns.append(wrench([*foot, -height], [0, 0, 1.0]))
    for foot in feet:
        columns += [wrench([*foot, -height], t) for t in tangents]
    columns.append(wrench([*at, 0], [*force, 0.0]))
    bounds = np.zeros((n, n + n * sides + 1))
    for i, c in enumerate(mu):
        bounds[i, i] = -c
        bounds[i, n + i * sides:n + (i + 1) * sides] = 1
    cost = np.zeros(n + n * sides + 1)
    cost[-1] = -1
    best = linprog(cost, bounds, np.zeros(n), np.array(columns).T, [0, 0, MASS * G, 0, 0, 0])
    return best.x[-1]


@pytest.mark.parametrize("seed", range(8))
def test_what_three_feet_hold(seed):
    """Weights on three feet are those of statics: what holds is what some friction in the cones can balance."""
    rng = random.Random(seed)
    feet, mu, height = some_feet(rng, 3), [rng.uniform(0.2, 0.5) for _ in range(3)], rng.uniform(0, 0.2)
    angle, at = rng.uniform(0, 2 * np.pi), [rng.uniform(-0.8, 0.8), rng.uniform(-0.8, 0.8)]
    force = np.array([np.cos(angle), np.sin(angle)])
    most = limit(feet, mu, height, force, at)
    for part in (0.99, 1.01):
        with plate(feet, mu, height, force=part * most * force, at=at).run("dop853+s-both2", rtol=1e-6, atol=1e-6) as sim:
            sim.run_to(0.1)
            moves = np.abs(sim.v).max()
        assert moves < 1e-12 if part < 1 else moves > 1e-5, (part, moves)
