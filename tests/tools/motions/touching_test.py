#!/usr/bin/env python3
"""Feet, grippers, wheels and clutches against a time stepping of its own: validation/campaign/touching, the first of each family.

usage: touching_test.py TRAMMEL ROOT. Prints TAP.
"""
import pathlib
import subprocess
import sys

import tap

TRAMMEL, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def holds(family):
    def case():
        done = subprocess.run([ROOT / "validation/campaign/touching", "--trammel", TRAMMEL, "--family", family, "--count", "100" if tap.nightly() else "6"],
                              check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    case.__doc__ = f"{family}: where they are, within four times what the reference does not know"
    return case


sys.exit(tap.run([holds(family) for family in ("feet", "grippers", "wheels", "shafts")]))
