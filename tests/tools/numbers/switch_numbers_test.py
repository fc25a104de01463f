#!/usr/bin/env python3
"""The numbers by which switches are found, twice and half as large: the tests of switches and events stay as they are.

usage: switch_numbers_test.py ROOT NUMBER PROGRAM NAME... [--hostile TRAMMEL]. NAMEs are claims of tests/simulation/events/, one of which a
millionth of NUMBER makes fail; TRAMMEL, by hand, since it takes minutes, for the scenes of hostile_test.py; all built with scaled_numbers.c. Prints TAP.
What they expect are closed forms.
"""
import os
import pathlib
import sys

import scaled_numbers
import tap

ROOT, NOTICED, PROGRAM, NAMES = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
HEADER = pathlib.Path(ROOT, "engine/enclosure/switch_numbers.h").read_text(encoding="utf-8")
COMMANDS = [[PROGRAM, name] for name in NAMES if not name.startswith("--")]
if "--hostile" in NAMES:
    COMMANDS = COMMANDS[:-1] + [[sys.executable, os.path.join(ROOT, "tests/tools/cli/hostile_test.py"), NAMES[-1], ROOT]]

sys.exit(tap.run(scaled_numbers.claims(HEADER, COMMANDS, NOTICED, 1e-6)))
