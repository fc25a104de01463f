#!/usr/bin/env python3
"""Fits the lengths of a four-bar linkage so that a point of its coupler follows a wanted path.

The crank turns once a second. Where the point should be at 24 angles of the crank is given; unknown are
the lengths of coupler and rocker and the place of the point on the coupler. Each trial is a simulation
of the linkage, driven by its motor; scipy.optimize changes the lengths until the distances are least.

    PYTHONPATH=build/tools/python python3 docs/examples/fit_coupler.py
"""
import numpy as np
from scipy.optimize import least_squares

import trammel

# B follows from the lengths: |B - A| = coupler, |B - C| = rocker, with A = (crank, 0), C = (base, 0)
SCENE = """{
  "title": "Four-bar linkage with a point on its coupler",
  "dimension": 2,
  "parameters": {
    "crank": 0.2, "base": 0.6, "coupler": 0.5, "rocker": 0.4, "along": 0.25, "beside": 0.1,
    "d": "base - crank",
    "x": "(coupler^2 - rocker^2 + d^2)/(2*d)",
    "y": "sqrt(coupler^2 - x^2)"
  },
  "gravity": [0, -9.81],
  "bodies": [
    {"name": "crank", "mass": 1, "ends": [[0, 0], ["crank", 0]]},
    {"name": "coupler", "mass": 2, "ends": [["crank", 0], ["crank + x", "y"]]},
    {"name": "rocker", "mass": 1.5, "ends": [["base", 0], ["crank + x", "y"]]}
  ],
  "markers": [
    {"name": "P", "body": "coupler",
     "at": ["crank + (along*x - beside*y)/coupler", "(along*y + beside*x)/coupler"]}
  ],
  "joints": [
    {"name": "O", "type": "revolute", "bodies": ["ground", "crank"], "at": [0, 0], "motor": "2*pi*t"},
    {"name": "A", "type": "revolute", "bodies": ["crank", "coupler"], "at": ["crank", 0]},
    {"name": "B", "type": "revolute", "bodies": ["coupler", "rocker"], "at": ["crank + x", "y"]},
    {"name": "C", "type": "revolute", "bodies": ["ground", "rocker"], "at": ["base", 0]}
  ],
  "assemble": true
}"""

NAMES = ("coupler", "rocker", "along", "beside")
POINTS = 24


def wanted_path():
    """[POINTS, 2] m: the path that P should follow. It is that of a linkage, by the law of cosines, so that
    the right lengths are known: coupler 0.52 m, rocker 0.45 m, P 0.3 m along and 0.12 m beside."""
    coupler, rocker, along, beside = 0.52, 0.45, 0.3, 0.12
    angle = 2 * np.pi * np.arange(POINTS) / POINTS
    A = 0.2 * np.exp(1j * angle)
    to_C = 0.6 - A
    d = abs(to_C)
    cosine = (coupler ** 2 + d ** 2 - rocker ** 2) / (2 * coupler * d)
    direction = to_C / d * np.exp(1j * np.arccos(cosine))  # of the coupler
    P = A + (along + 1j * beside) * direction
    return np.column_stack([P.real, P.imag])


def path(lengths):
    """[POINTS, 2] m: where P comes by in one turn of the crank."""
    model = trammel.parse(SCENE, set=dict(zip(NAMES, lengths)))
    return model.simulate(end=1, every=1 / POINTS)["P"].position[:POINTS]


def fit(wanted, start=(0.45, 0.5, 0.2, 0.2)):
    """-> the lengths (m) of coupler and rocker, and the place of P along and beside the coupler."""
    found = least_squares(lambda lengths: (path(lengths) - wanted).ravel(), start, x_scale=0.1,
                          bounds=([0.42, 0.42, -0.6, -0.6], [0.8, 0.7, 0.6, 0.6]))
    return found.x


def main():
    wanted = wanted_path().round(3)  # as measured, to a millimetre
    before, lengths = path((0.45, 0.5, 0.2, 0.2)), fit(wanted)
    for name, length in zip(NAMES, lengths):
        print(f"{name:<8} {length:.4f} m")
    for text, points in (("at first", before), ("fitted", path(lengths))):
        print(f"{text:<8} {1000 * np.linalg.norm(points - wanted, axis=1).max():.2f} mm off at most")


if __name__ == "__main__":
    main()
