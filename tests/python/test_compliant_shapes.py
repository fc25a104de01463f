"""Contacts of shapes that are springs, with smooth friction, against closed forms and SciPy's DOP853."""
import json
import math

import numpy as np
import pytest
import trammel
from scipy.integrate import solve_ivp

G, R, M = 9.81, 0.1, 2.0
HERTZ = {"stiffness": 1e5, "exponent": 1.5, "damping": 0.5}
GRIP = {**HERTZ, "friction": 0.2, "regularized": 0.02}


def ended(dimension, bodies, contact, end):
    """Positions and velocities at the end, all verdicts good."""
    shape = {"mass": M, "shape": {"type": "sphere" if dimension == 3 else "disc", "radius": R}}
    model = trammel.parse(json.dumps({
        "dimension": dimension, "gravity": [0] * (dimension - 1) + [-G],
        "bodies": [{"name": f"b{i}", **shape, **body} for i, body in enumerate(bodies)], "contacts": [{"name": "c", **contact}]}))
    report = model.simulate(end, accuracy=1e-9).report
    assert {report.verdicts[name] for name in ("energy", "forces", "branch")} == {"good"}, report.verdicts
    with model.run(accuracy=1e-11) as sim:
        sim.run_to(end)
        return np.array(sim.q), np.array(sim.v)


def presses(law, d, closing):
    """Hunt and Crossley; exact at d = 0, where the force begins."""
    return max(law["stiffness"] * max(d, 0) ** law["exponent"] * (1 + law["damping"] * closing), 0)


def rubs(law, N, u):
    return -law["friction"] * N * u / math.sqrt(law["regularized"] ** 2 + u @ u)


def integrated(rates, z, end, gap):
    """By DOP853, anew where the gap changes its sign."""
    t, z, gap.terminal = 0, np.array(z, dtype=float), True
    while t < end:
        part = solve_ivp(rates, (t, end), z, "DOP853", rtol=1e-12, atol=1e-13, events=gap)
        t, z = part.t[-1], part.y[:, -1]
        if part.status == 1:  # behind the zero by less than the tolerance
            z = z + 1e-9 * np.array(rates(t, z))
            t += 1e-9
    return z


def of_a_ball(law, belt=(0, 0)):
    """A ball on the plane z = 0; z: x, y, z, vx, vy, vz, wx, wy, wz"""
    def rates(_, z):
        N = presses(law, R - z[2], -z[5])
        u = np.array([z[3] - R * z[7], z[4] + R * z[6]]) - belt
        f = rubs(law, N, u)
        return [*z[3:6], f[0] / M, f[1] / M, N / M - G, *np.array([f[1], -f[0], 0]) * R / (0.4 * M * R * R)]
    return rates


def test_a_dropped_ball_comes_off_a_linear_spring():
    """x'' = -g - w^2 x: it leaves as fast as it has come, after (2 pi - 2 atan(v w/g))/w."""
    k, v, end = 2e4, 1.5, 0.1
    w = math.sqrt(k / M)
    rest = end - (2 * math.pi - 2 * math.atan(v * w / G)) / w
    q, rate = ended(2, [{"position": [0, R], "velocity": [0, -v]}], {"bodies": ["b0", "ground"], "stiffness": k}, end)
    assert abs(q[1] - (R + v * rest - G * rest * rest / 2)) < 1e-10 and abs(rate[1] - (v - G * rest)) < 1e-9


@pytest.mark.parametrize("velocity,spin", [((0, 0, -1), (0, 0, 0)), ((2, 0.3, -1), (5, -30, 7)), ((1, 0, 0), (0, 0, 0))])
def test_a_ball_bounces_slips_and_rolls(velocity, spin):
    """Dropped from 5 cm or laid down, with any spin, on a Hertzian plane that is a belt."""
    high = 0.05 if velocity[2] else 0
    q, v = ended(3, [{"position": [0, 0, R + high], "velocity": velocity, "rate_world": spin}],
                 {"bodies": ["b0", "ground"], **GRIP, "surface_speed": [0.3, -0.1, 0]}, 0.6)
    right = integrated(of_a_ball(GRIP, (0.3, -0.1)), [0, 0, R + high, *velocity, *spin], 0.6, lambda _, z: z[2] - R)
    assert np.abs(q[:3] - right[:3]).max() < 1e-8 and np.abs(v[:3] - right[3:6]).max() < 1e-7


def test_two_discs_strike_beside_their_centres():
    """Forces at the surface of the first, so that what they turn is conserved."""
    bodies = [{"position": [0, 0], "velocity": [2, 0], "rate": 20}, {"position": [0.25, 0.06]}]
    law, J = GRIP, M * R * R / 2

    def rates(_, z):
        d, moving = z[:2] - z[3:5], z[6:8] - z[9:11]
        L = math.hypot(*d)
        n = d / L
        t, P = np.array([n[1], -n[0]]), -R * n
        u = [v + w * np.array([-p[1], p[0]]) for v, w, p in ((z[6:8], z[8], P), (z[9:11], z[11], P + d))]
        N = presses(law, 2 * R - L, -moving @ n)
        F = N * n + rubs(law, N, np.array([(u[0] - u[1]) @ t])) * t
        turn = [(p[0] * F[1] - p[1] * F[0]) / J for p in (P, P + d)]
        return [*z[6:], *F / M - [0, G], turn[0], *-F / M - [0, G], -turn[1]]
    q, v = ended(2, bodies, {"bodies": ["b0", "b1"], **law}, 0.2)
    right = integrated(rates, [0, 0, 0, 0.25, 0.06, 0, 2, 0, 20, 0, 0, 0], 0.2, lambda _, z: math.hypot(*z[:2] - z[3:5]) - 2 * R)
    assert np.abs(q - right[:6]).max() < 1e-8 and np.abs(v - right[6:]).max() < 1e-7


@pytest.mark.parametrize("angle", [0.2, 0.7])
def test_a_disc_on_a_slope_creeps(angle):
    """Pressed as at rest; below tan(a) = 3 mu it slips at s/sqrt(1 - s^2) of `regularized`, s = tan(a)/(3 mu)."""
    mu, small, k = 0.3, 1e-3, 1e6
    n = np.array([-math.sin(angle), math.cos(angle)])
    d, s = M * G * n[1] / k, math.tan(angle) / (3 * mu)
    _, v = ended(2, [{"position": list((R - d) * n)}],
                 {"bodies": ["b0", "ground"], "stiffness": k, "friction": mu, "regularized": small,
                  "shapes": [None, {"type": "plane", "normal": list(n)}]}, 1)
    assert abs(v[:2] @ [n[1], -n[0]] + R * v[2] + small * s / math.sqrt(1 - s * s)) < 1e-8
