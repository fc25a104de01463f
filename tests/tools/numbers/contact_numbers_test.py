#!/usr/bin/env python3
"""The numbers of contacts, twice and half as large: the tests of contacts, impacts and friction stay as they are.

usage: contact_numbers_test.py ROOT PROGRAM... PROGRAMs are tests of tests/engine/contact/, built with scaled_numbers.c. Prints TAP.
What they expect are closed forms.
"""
import os
import pathlib
import subprocess
import sys

import scaled_numbers
import tap

ROOT, PROGRAMS = sys.argv[1], sys.argv[2:]
HEADER = pathlib.Path(ROOT, "engine/contact/contact_numbers.h").read_text(encoding="utf-8")


ASKED = scaled_numbers.Asked()


def told(program):
    """What a program says that fails; "": it does not."""
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    return f"{os.path.basename(program)}:\n{done.stdout}{done.stderr}" if done.returncode != 0 else ""


def passes(name, factor):
    """What the first program that fails says, with this number times a factor; "": none does."""
    return next(filter(None, (ASKED.answer(name, factor, program, lambda program=program: told(program)) for program in PROGRAMS)), "")


def large_numbers_are_noticed():
    """What is called roundoff a billion times as large: tests fail, so that the numbers do reach them"""
    assert passes("CONTACT_ROUNDOFF", 1e9)


def case_of(name, factor, title=None):
    def case():
        said = passes(name, factor)
        assert not said, said
    case.__doc__ = title or f"{name} times {factor}"
    return case


NUMBERS = [name for name, _ in scaled_numbers.numbers(HEADER)]
assert NUMBERS, "no numbers found"
sys.exit(tap.run([case_of("NONE", 1, "The numbers as they are"), large_numbers_are_noticed] + [case_of(name, factor) for name in NUMBERS for factor in (0.5, 2)]))
