#!/usr/bin/env python3
"""The same lengths as in fit_coupler.py, by differential evolution whose trials run on the workers of a Dask client.

Differential evolution [Storn & Price, Journal of Global Optimization 11 (1997)] needs no start and no
derivatives, but thousands of simulations; those of one generation do not depend on each other.
Debian: python3-scipy, python3-distributed.

    PYTHONPATH=build/tools/python python3 docs/examples/fit_by_evolution.py                      # workers of this machine
    PYTHONPATH=build/tools/python python3 docs/examples/fit_by_evolution.py SCHEDULER_FILE.json  # those of a cluster
"""
import sys

import numpy as np
from scipy.optimize import differential_evolution

import fit_coupler
import trammel

BOUNDS = [(0.42, 0.8), (0.42, 0.7), (-0.6, 0.6), (-0.6, 0.6)]  # m: coupler, rocker, along, beside


def miss(lengths, wanted):
    """Mean square distance of the path from the wanted one, m^2; of lengths that cannot be assembled, 1 m^2."""
    try:
        return float(np.mean((fit_coupler.path(lengths) - wanted) ** 2))
    except trammel.Error:
        return 1.0


def misses(block, wanted):
    return [miss(lengths, wanted) for lengths in block]


def over(client, wanted):
    """A map for scipy: a block of trials to each thread of the workers."""

    def trials(_function, candidates):
        candidates = list(candidates)
        n = min(len(candidates), max(1, sum(client.nthreads().values())))
        blocks = [candidates[i::n] for i in range(n)]
        found = client.gather(client.map(misses, blocks, wanted=wanted, pure=False))
        return [found[i % n][i // n] for i in range(len(candidates))]

    return trials


def fit(client, wanted, generations=100, seed=0):
    """-> the lengths (m). Workers get this file's functions and fit_coupler.py from the client."""
    client.upload_file(fit_coupler.__file__)
    client.upload_file(__file__)
    found = differential_evolution(miss, BOUNDS, args=(wanted,), seed=seed, popsize=8, tol=1e-10, atol=1e-14, maxiter=generations,
                                   updating="deferred", polish=False, workers=over(client, wanted))
    return found.x


def main():
    import distributed  # pylint: disable=import-outside-toplevel
    import fit_by_evolution  # by its name, so that workers find it; pylint: disable=import-outside-toplevel,import-self
    given = {"scheduler_file": sys.argv[1]} if len(sys.argv) > 1 else {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.Client(**given) as client:
        wanted = fit_coupler.wanted_path().round(3)  # as measured, to a millimetre
        lengths = fit_by_evolution.fit(client, wanted)
    for name, length in zip(fit_coupler.NAMES, lengths):
        print(f"{name:<8} {length:.4f} m")
    print(f"{'fitted':<8} {1000 * np.linalg.norm(fit_coupler.path(lengths) - wanted, axis=1).max():.2f} mm off at most")


if __name__ == "__main__":
    main()
