"""A coin that whirls, slips and sticks again, against SciPy's Radau with friction u/sqrt(u^2 + e^2), e to 0."""
import json
import math

import numpy as np
import trammel
from scipy.integrate import solve_ivp

G, R, M, MU, RHO = 9.81, 0.0375, 0.4387, 0.8, 0.001
UP = np.array([0, 0, 1.0])
AXIS = np.array([0.0145, 0.0395, 1]) / np.linalg.norm([0.0145, 0.0395, 1])
TURNS, GOES, END = np.array([-2.024, -6.142, -1.05]), np.array([-0.0463, 0.0176]), 0.008


def touches(axis, turns):
    """The direction from the lowest point to the centre, the sine of the tilt, and its rate."""
    down = UP - axis[2] * axis
    sine = np.linalg.norm(down)
    return down / sine, sine, -axis[2] * np.cross(turns, axis)[2] / sine


def rates(y, e):
    """y: x, y, axis, vx, vy, omega. Forces are N times what follows from the rates, and r sine'' is z''."""
    axis, turns = y[2:5] / np.linalg.norm(y[2:5]), y[7:10]
    up, sine, sine_rate = touches(axis, turns)
    slip, rolls = np.array([*y[5:7], R * sine_rate]) - np.cross(turns, R * up), turns * [1, 1, 0]
    f = UP - MU * slip * [1, 1, 0] / math.sqrt(slip[:2] @ slip[:2] + e * e)
    moment = np.cross(-R * up, f) - RHO * rolls / math.sqrt(rolls @ rolls + 1e4 * e * e)
    inertia = M * R * R / 4 * (np.eye(3) + np.outer(axis, axis))
    free, by_N = (np.linalg.solve(inertia, m) for m in (-np.cross(turns, inertia @ turns), moment))
    axis_rate = np.cross(turns, axis)
    # sine^2 = 1 - axis_z^2
    bends = -axis_rate[2] ** 2 / sine ** 3
    own = bends - axis[2] / sine * (np.cross(free, axis) + np.cross(turns, axis_rate))[2]
    N = (G + R * own) / (1 / M + R * axis[2] / sine * np.cross(by_N, axis)[2])
    return np.concatenate([y[5:7], axis_rate, f[:2] * N / M, free + N * by_N])


def coin(axis, goes, turns, rolling=RHO):
    """As it touches the ground."""
    _, sine, sine_rate = touches(axis, turns)
    half = math.acos(axis[2]) / 2
    return trammel.parse(json.dumps({
        "dimension": 3, "gravity": [0, 0, -G],
        "bodies": [{"name": "coin", "position": [0, 0, R * sine], "velocity": [*goes, R * sine_rate], "rate_world": list(turns), "mass": M,
                    "inertia": [M * R * R / 4, M * R * R / 4, M * R * R / 2],
                    "quat_wxyz": [math.cos(half), *(math.sin(half) / sine * np.array([-axis[1], axis[0], 0]))]}],
        "contacts": [{"name": "c", "bodies": ["coin", "ground"], "friction": MU, "rolling": rolling,
                      "shapes": [{"type": "disc", "radius": R}, {"type": "plane", "normal": [0, 0, 1]}]}]}))


def test_a_coin_that_whirls_comes_to_rest():
    """Steady, at the tilt a: Omega^2 = 4 g/(r sin a), energy 3/2 m g r sin a, which falls at rho m g Omega, so that sqrt(a) goes to
    zero evenly. It sticks and slips in turn: slow slip is stiff."""
    tilt, rolling = math.radians(20), 0.005
    axis = np.array([math.sin(tilt), 0, math.cos(tilt)])
    turns = math.sqrt(4 * G / (R * math.sin(tilt))) * (UP - math.cos(tilt) * axis)
    rests = math.sqrt(tilt) * 3 * R / (2 * rolling) / math.sqrt(G / R)
    with coin(axis, [0, 0], turns, rolling).run() as sim:
        sim.run_to(0.98 * rests)
        assert np.isclose(np.linalg.norm(sim.v), 0.02 * 2 * math.sqrt(tilt * G / R), rtol=0.2), sim.v
        sim.run_to(1.02 * rests)
        assert abs(sim.q[2]) < 1e-9 and np.linalg.norm(sim.v) < 1e-9, (sim.q, sim.v)
        assert sim.stats.steps < 40000, sim.stats


def test_a_coin_that_slips_ever_more_slowly_sticks():
    """Its force turns while its slip goes to zero, just below the bound: explicit steps stalled there, at 1e-8 m/s."""
    ends = [solve_ivp(lambda t, y, e=e: rates(y, e), (0, END), [0, 0, *AXIS, *GOES, *TURNS], "Radau", rtol=1e-9, atol=1e-12).y[:, -1]
            for e in (1e-5, 1e-6)]
    x, y, *axis = (10 * ends[1] - ends[0])[:5] / 9
    model = coin(AXIS, GOES, TURNS)
    report = model.simulate(END, verify=False).report
    assert {report.verdicts[name] for name in ("energy", "forces")} == {"good"}, report.verdicts
    with model.run() as sim:
        sim.run_to(END)
        assert sim.stats.steps < 2000, sim.stats
        assert np.allclose(sim.q[:3], [x, y, R * math.hypot(*axis[:2])], rtol=0, atol=2e-8), (sim.q[:3], x, y, axis)
