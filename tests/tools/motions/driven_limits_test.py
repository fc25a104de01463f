#!/usr/bin/env python3
"""Drives that move what limits, stops and contacts bound: validation/campaign/driven_limits, a part of its grid.

usage: driven_limits_test.py TRAMMEL ROOT. Prints TAP.
"""
import pathlib
import subprocess
import sys

import tap
from tap import case

TRAMMEL, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def holds(*options, grid=("driven_limits", "--trammel")):
    done = subprocess.run([ROOT / "validation/campaign" / grid[0], grid[1], TRAMMEL, *options], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@case
def every_kind():
    """Drives, bounds and motions: right, or refused with drive, bound and time"""
    holds("--first", "7", "--sample", "80")
    holds("--seeds", "8", "--only", "squeezed-0.5-dwells_through-space")  # while its impacts crowd


@case
def joint_coordinates():
    """What is at rest has rates of exactly zero: the first that is not tells what a drive does"""
    holds("--first", "7", "--only", "squeezed", "--coordinates", "joint")
    holds("--first", "7", "--sample", "40", "--coordinates", "joint")


@case
def robots():
    """States, forces, verdicts of robots with friction, limits, drives, locks, in joint coordinates, as auto takes trees: as of bodies"""
    holds("--seed", "4", "--first", "46", "--count", "8", grid=("robots", "--program"))


@case
def usual_methods():
    """By steps that are located or not, whose positions and velocities drift or do not"""
    holds("--first", "8", "--sample", "12", "--methods", "usual")


sys.exit(tap.run(tap.CASES))
