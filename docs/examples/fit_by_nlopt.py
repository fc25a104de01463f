#!/usr/bin/env python3
"""The same lengths as in fit_coupler.py, by NLopt without derivatives: first anywhere, then to the bottom.

DIRECT looks through the whole box [Gablonsky & Kelley, Journal of Global Optimization 21 (2001)], BOBYQA
goes down from the best place [Powell, report DAMTP 2009/NA06]. Debian: python3-nlopt, python3-scipy.

    PYTHONPATH=build/tools/python python3 docs/examples/fit_by_nlopt.py
"""
import sys

import numpy as np

try:
    import nlopt
except ImportError:
    sys.exit("needs NLopt for Python (Debian: python3-nlopt)")

import fit_coupler
import trammel

LEAST, MOST = [0.42, 0.42, -0.6, -0.6], [0.8, 0.7, 0.6, 0.6]  # m: coupler, rocker, along, beside


def miss(lengths, wanted):
    """Mean square distance of the path from the wanted one, m^2; of lengths that cannot be assembled, 1 m^2."""
    try:
        return float(np.mean((fit_coupler.path(lengths) - wanted) ** 2))
    except trammel.Error:
        return 1.0


def search(method, start, wanted, trials):
    """-> the best place and what it misses."""
    optimizer = nlopt.opt(method, len(start))
    optimizer.set_lower_bounds(LEAST)
    optimizer.set_upper_bounds(MOST)
    optimizer.set_min_objective(lambda lengths, _gradient: miss(lengths, wanted))
    optimizer.set_maxeval(trials)
    optimizer.set_xtol_abs(1e-9)
    return optimizer.optimize(start)


def fit(wanted):
    """-> the lengths, m."""
    middle = [(a + b) / 2 for a, b in zip(LEAST, MOST)]
    rough = search(nlopt.GN_DIRECT_L, middle, wanted, 500)
    return search(nlopt.LN_BOBYQA, rough, wanted, 1000)


def main():
    wanted = fit_coupler.wanted_path().round(3)  # as measured, to a millimetre
    lengths = fit(wanted)
    for name, length in zip(fit_coupler.NAMES, lengths):
        print(f"{name:<8} {length:.4f} m")
    print(f"{'fitted':<8} {1000 * np.linalg.norm(fit_coupler.path(lengths) - wanted, axis=1).max():.2f} mm off at most")


if __name__ == "__main__":
    main()
