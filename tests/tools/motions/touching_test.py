#!/usr/bin/env python3
"""Feet, grippers, wheels, clutches, drums against a time stepping of its own, and kinks: the first of validation/campaign/touching, kinks.

usage: touching_test.py TRAMMEL ROOT. Prints TAP.
"""
import pathlib
import subprocess
import sys

import tap

TRAMMEL, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def holds(family, first=1):
    def case():
        done = subprocess.run([ROOT / "validation/campaign/touching", "--trammel", TRAMMEL, "--family", family, "--first", str(first),
                               "--count", "100" if tap.nightly() else "6"],
                              check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    case.__doc__ = f"{family} from {first} on: where they are, within four times what the reference does not know"
    return case


def kinks():
    """kinks of the ground: valleys are two planes, ridges the limit of smooth ones"""
    done = subprocess.run([ROOT / "validation/campaign/kinks", "--trammel", TRAMMEL, "--count", "100" if tap.nightly() else "12"],
                          check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def frictions():
    """Small mechanisms with friction everywhere: modes are found beyond Painleve's sets, those without forces, and rounding of impulses"""
    program, trammel = ROOT / "validation/campaign/frictions", ("--trammel", TRAMMEL)
    seeds = "15,36,58,64,91,92,119,125,164,172,177,191,203,212,222,240,313,347,359,379,392,416,435,440,465,474"
    for arguments in (("--seeds", seeds), ("--alike", "--seeds", "260,392,7286")):  # where several motions fit, none is good
        done = subprocess.run([program, *trammel, *arguments], check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


sys.exit(tap.run([*(holds(family) for family in ("feet", "grippers", "wheels", "shafts", "drums")), holds("feet", 7003), kinks, frictions]))
