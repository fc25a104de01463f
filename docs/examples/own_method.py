"""A stabilization of one's own in Python: positions first, then velocities at the new positions, along M^-1 G^T.

    python3 own_method.py SCENE

The geometric elimination of violations [Blajer, Multibody System Dynamics 7 (2002)]. The same in C: blajer.c.
"""
import sys

import numpy as np

import trammel


def step_back(terms, residual):
    """M^-1 G^T S^-1 residual, S = G M^-1 G^T."""
    B = np.linalg.solve(terms.M, terms.G.T)
    return B @ np.linalg.lstsq(terms.G @ B, residual, rcond=1e-10)[0]


class Blajer:
    """What trammel.register_stabilization takes."""
    name = "blajer"
    doc = "positions, then velocities at the new positions"
    source = "Blajer 2002"

    def correct(self, t, q, v, terms):
        q = q - terms.N @ step_back(terms, terms.g)
        terms = terms.at(t, q, v)
        return q, v - step_back(terms, terms.G @ v + terms.g_t)


if __name__ == "__main__":
    trammel.register_stabilization(Blajer())
    model = trammel.load(sys.argv[1])
    print(model.simulate(end=1, method="rk4+blajer", step=0.01).report)
    print(trammel.compare(sys.argv[1], ["rk4+blajer", "rk4+s-both2"], end=1, steps=[0.02, 0.01]))
