"""Models from equations alone."""
import numpy as np
import pytest

import trammel

import scenes

G = 9.81


def pendulum():
    """A point of 1 kg on a circle of 1 m, in x and y; starts level."""
    return trammel.from_equations(
        [1, 0], [0, 0], lambda model, t, q: np.eye(2), lambda model, t, q, v: [0, -G], nc=1,
        g=lambda model, t, q: (q @ q - 1) / 2, G=lambda model, t, q: q,
        gamma=lambda model, t, q, v: -v @ v, name="pendulum")


def test_a_pendulum_by_equations_is_that_of_the_scene():
    model = pendulum()
    assert (model.nq, model.nv, model.nc, model.title, model.bodies) == (2, 2, 1, "pendulum", ())
    ours = model.simulate(end=2, every=0.1, accuracy=1e-8)
    scene = trammel.load("scenes/pendulum.json").simulate(end=2, every=0.1, accuracy=1e-8)
    assert ours.q * [-1, 1] == pytest.approx(scene["bob"].position, abs=1e-7)
    assert abs(ours.lambda_) == pytest.approx(abs(scene.lambda_), abs=1e-5)
    assert ours.joints["pendulum"].array.shape == (21, 1)
    assert ours.report.verdicts["constraints"] == "good" and ours.report.verdicts["energy"] == "-"
    assert ours.energy.kinetic == pytest.approx(-G * ours.q[:, 1], abs=1e-6)


def test_without_constraints_and_with_a_map():
    """A mass on a spring, whose coordinate is the logarithm of its place: x' = v, q = log x."""
    model = trammel.from_equations([0], [0], lambda model, t, q: 2, lambda model, t, q, v: -8 * (np.exp(q) - 3),
                                   N=lambda model, t, q: np.exp(-q))
    result = model.simulate(1, every=0.25)
    assert np.exp(result.q[:, 0]) == pytest.approx(3 - 2 * np.cos(2 * result.t), abs=1e-5)


def test_a_matrix_column_by_column_in_memory_is_the_same_matrix():
    """Large enough for an address that the allocator writes to as soon as it is free."""
    n = 40
    M = np.random.default_rng(1).standard_normal((n, n)) / n
    M = np.eye(n) + M @ M.T
    G = np.arange(3. * n).reshape(n, 3).T
    model = trammel.from_equations(
        np.zeros(n), np.zeros(n), lambda *_: np.asfortranarray(M), lambda *_: np.ones(2 * n)[::2], nc=3,
        g=lambda model, t, q: G @ q, G=lambda *_: G, gamma=lambda *_: np.zeros(3))
    terms = model.run().terms()
    assert np.array_equal(terms.M, M) and np.array_equal(terms.G, G) and np.array_equal(terms.f, np.ones(n))


def test_what_is_missing_or_has_the_wrong_shape_is_named(tmp_path):
    with pytest.raises(trammel.OptionsError, match="g, G, gamma, one is missing"):
        trammel.from_equations([0], [0], lambda *_: 1, lambda *_: 0, nc=1)
    with pytest.raises(trammel.OptionsError, match="function N"):
        trammel.from_equations([0, 0], [0], lambda *_: 1, lambda *_: 0)
    with pytest.raises(ValueError, match=r"M of 'equations' returned an array of shape \(3, 3\), expected \(2, 2\)"):
        trammel.from_equations([0, 0], [0, 0], lambda *_: np.eye(3), lambda *_: [0, 0]).simulate(1)
    with pytest.raises(trammel.CallbackError, match="'equations'"):
        trammel.from_equations([0], [0], lambda *_: 1, lambda *_: np.nan).simulate(1)
    pendulum().simulate(0.1).to_csv(tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().startswith("t,q[0],q[1],v[0],v[1],pendulum.lambda")


def test_points_take_states_of_their_model_only():
    model = trammel.parse(scenes.text())
    tip = model.marker("tip")
    x, u = model.points(tip, np.zeros((4, 5, 3)), np.ones((4, 5, 3)))
    assert x.shape == u.shape == (4, 5, 3) and x[0, 0] == pytest.approx([0.5, 0, 0])
    for q, v in (([0] * 6, [0] * 6), ([0] * 3, [0] * 2), (np.zeros((2, 3)), np.zeros(3))):
        with pytest.raises(ValueError, match="expected q"):
            model.points(tip, q, v)
