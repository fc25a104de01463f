"""The law of `dc_motor` against SciPy: L i' = u - R i - k n x', T = n (k i - b n x')."""
import json

import numpy as np
import pytest

import trammel

R, L, K, N, J, B, U, I = 0.5, 0.002, 0.05, 20, 1e-4, 1e-5, 12, 12
WEIGHT = 2 * 9.81 * 0.25


def scene(**changes):
    motor = {"name": "drive", "type": "dc_motor", "joint": "O", "voltage": "20*sin(3*t)", "resistance": R, "constant": K,
             "ratio": N, "inertia": J, "damping": B}
    return trammel.parse(json.dumps({
        "dimension": 2, "gravity": [0, -9.81], "bodies": [{"name": "a", "mass": 2, "ends": [[0, 0], [0.5, 0]]}],
        "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]}],
        "forces": [{**motor, **changes}]}))


def angle(model, t):
    with model.run(accuracy=1e-11) as sim:
        sim.run_to(t)
        return [float(sim.read(model.sensor(name))[0]) for name in ("O.angle", "O.rate", "drive.effort")]


def by_scipy(t, *phases):
    """Each phase: the current, its rate, and what ends the phase when it passes zero (None: the end of the run)."""
    integrate = pytest.importorskip("scipy.integrate")
    mass = 2 * 0.25 / 3 + N * N * J

    def torque(w, i):
        return N * (K * i - B * N * w)
    at, y = 0, [0.0, 0.0, 0.0]
    for current, rate, end in phases:
        def f(t, y):
            return [y[1], (torque(y[1], current(t, y)) - WEIGHT * np.cos(y[0])) / mass, rate(t, y)]
        if end:
            end.terminal = True
        s = integrate.solve_ivp(f, (at, t), y, "DOP853", rtol=1e-12, atol=1e-12, events=end)
        at, y = s.t[-1], s.y[:, -1]
    return [y[0], y[1], torque(y[1], current(t, y))]


def state(t, y):
    return y[2]


def test_the_current_is_a_state():
    wanted = by_scipy(1.3, (state, lambda t, y: (20 * np.sin(3 * t) - R * y[2] - K * N * y[1]) / L, None))
    assert angle(scene(inductance=L), 1.3) == pytest.approx(wanted, abs=1e-8)


def test_without_inductance_it_follows_at_once():
    """At the limit until the voltage of the faster rotor leaves less."""
    def free(t, y):
        return (U - K * N * y[1]) / R
    wanted = by_scipy(0.7, (lambda t, y: I, lambda t, y: 0, lambda t, y: free(t, y) - I), (free, lambda t, y: 0, None))
    assert angle(scene(current_limit=I, voltage=20, voltage_limit=U), 0.7) == pytest.approx(wanted, abs=1e-8)


def test_limits_hold():
    """The current rises to its limit, stays there while the voltage would push it on, and leaves it."""
    def rate(t, y):
        return (U - R * y[2] - K * N * y[1]) / L
    wanted = by_scipy(0.7, (state, rate, lambda t, y: y[2] - I), (lambda t, y: I, lambda t, y: 0, rate), (state, rate, None))
    model = scene(inductance=L, voltage=20, voltage_limit=U, current_limit=I)
    assert angle(model, 0.7) == pytest.approx(wanted, abs=1e-8)
    with model.run(accuracy=1e-9) as sim:
        sim.run_to(0.05)
        assert float(sim.read(model.sensor("drive.current"))[0]) == pytest.approx(I, abs=1e-9)


def test_sentences():
    with pytest.raises(trammel.Error, match="no effect on"):
        trammel.parse(json.dumps({
            "dimension": 2, "bodies": [{"name": "a", "mass": 2, "ends": [[0, 0], [0.5, 0]]}],
            "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0], "motor": "t"}],
            "forces": [{"name": "d", "type": "dc_motor", "joint": "O", "voltage": 1, "resistance": 1, "constant": 1}]}))
