#!/usr/bin/env python3
"""The numbers of contacts, twice and half as large: the tests of contacts, impacts and friction stay as they are.

usage: contact_numbers_test.py ROOT PROGRAM NAME...: claims of tests/simulation/contact_modes/, built with scaled_numbers.c. Prints TAP.
What they expect are closed forms.
"""
import pathlib
import sys

import scaled_numbers
import tap

ROOT, PROGRAM, NAMES = sys.argv[1], sys.argv[2], sys.argv[3:]
HEADER = pathlib.Path(ROOT, "engine/contact/contact_numbers.h").read_text(encoding="utf-8")

sys.exit(tap.run(scaled_numbers.claims(HEADER, [[PROGRAM, name] for name in NAMES], "CONTACT_ROUNDOFF", 1e9)))
