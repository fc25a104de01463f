"""A stabilization that is a class of Python."""
import importlib.util

import numpy as np
import pytest

import trammel


@pytest.fixture(scope="module")
def example():
    import os
    path = os.path.join(os.environ["TRAMMEL_SOURCE"], "docs", "examples", "own_method.py")
    spec = importlib.util.spec_from_file_location("own_method", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    trammel.register_stabilization(module.Blajer())
    return module


class Springs:
    """Baumgarte's equations, alpha1 = 20 and alpha0 = 100."""
    name = "springs"

    def rates(self, t, q, v, terms):
        n, nc = len(v), len(terms.g)
        K = np.block([[terms.M, terms.G.T], [terms.G, np.zeros((nc, nc))]])
        right = np.concatenate([terms.f, terms.gamma - 20 * (terms.G @ v + terms.g_t) - 100 * terms.g])
        found = np.linalg.solve(K, right)
        return found[:n], found[n:]


def end_of(method, **options):
    model = trammel.load("scenes/four_bar.json")
    result = model.simulate(end=0.3, method=method, **options)
    return result["coupler_0"].position[-1]


def test_a_correction_of_python_is_that_of_c(example):
    assert "blajer" in {m.stabilization for m in trammel.methods()}
    exact = end_of("dop853+s-both2", rtol=1e-12)
    errors = [np.abs(end_of("rk4+blajer", step=h) - exact).max() for h in (0.02, 0.01)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4, abs=0.4)


def test_rates_of_python_are_those_of_the_library():
    trammel.register_stabilization(Springs())
    own, theirs = end_of("rk4+springs", step=0.01), end_of("rk4+baumgarte", step=0.01, alpha1=20, alpha0=100)
    assert own == pytest.approx(theirs, abs=1e-12)


def test_it_is_compared(example):
    rows = trammel.compare("scenes/four_bar.json", ["rk4+blajer", "rk4+s-both2"], end=0.2, steps=[0.02], repeat=1).rows
    errors = {row.id: row.error for row in rows}
    assert errors["rk4+blajer h 0.02"] == pytest.approx(errors["rk4+s-both2 h 0.02"], rel=0.5)


def test_what_it_does_wrong_is_said():
    class Wrong:
        name = "wrong-" + "shape"

        def correct(self, t, q, v, terms):
            return q[:1], v

    class NoNumber:
        name = "no-number"

        def correct(self, t, q, v, terms):
            return q * np.nan, v

    for own in (Wrong(), NoNumber()):
        trammel.register_stabilization(own)
    with pytest.raises(ValueError, match=r"correct of 'wrong-shape' returned an array of shape \(1,\)"):
        end_of("rk4+wrong-shape", step=0.01)
    with pytest.raises(trammel.CallbackError, match="'no-number' is not a finite number"):
        end_of("rk4+no-number", step=0.01)
    with pytest.raises(trammel.OptionsError, match="already"):
        trammel.register_stabilization(NoNumber())
