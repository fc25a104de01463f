#!/usr/bin/env python3
"""The numbers by which switches are found, twice and half as large: the tests of switches and events stay as they are.

usage: switch_numbers_test.py ROOT TRAMMEL PROGRAM... PROGRAMs are tests of tests/engine/events/, and TRAMMEL for hostile_test.py,
all built with scaled_numbers.c. Prints TAP. What they expect are closed forms.
"""
import os
import pathlib
import sys

import scaled_numbers
import tap

ROOT, TRAMMEL, PROGRAMS = sys.argv[1], sys.argv[2], sys.argv[3:]
HEADER = pathlib.Path(ROOT, "engine/events/switch_numbers.h").read_text(encoding="utf-8")
HOSTILE = [sys.executable, os.path.join(ROOT, "tests/tools/hostile_test.py"), TRAMMEL, ROOT]

sys.exit(tap.run(scaled_numbers.claims(HEADER, [[program] for program in PROGRAMS] + [HOSTILE], "SWITCH_EDGE", 1e13)))
