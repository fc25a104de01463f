#!/usr/bin/env python3
"""A header of numbers once more, every number by a call, trm_scaled_number("WELL", 100.0), and what tests say to them.

usage: scaled_numbers.py rank_numbers.h OUT
"""
import os
import re
import subprocess
import sys

NUMBER = re.compile(r"^#define TRM_(\w+) ([\d.e+-]+)$", re.MULTILINE)


def numbers(text):
    """(name, value) of all numbers of the header."""
    return [(name, float(value)) for name, value in NUMBER.findall(text)]


def scaled(text):
    first = text.index("#define ") + len("#define ")  # the guard: the header itself is then passed over
    end_of_guard = text.index("\n", first) + 1
    declared = text[:end_of_guard] + "\ndouble trm_scaled_number(const char *name, double value);\n" + text[end_of_guard:]
    return NUMBER.sub(r'#define TRM_\1 trm_scaled_number("\1", \2)', declared)


def first_failure(commands, name, factor):
    """What the first of the tests that fails says, with this number times a factor; "": none does."""
    for command in commands:
        done = subprocess.run(command, env={**os.environ, "TRAMMEL_NUMBER": f"{name} {factor}"}, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            return f"{os.path.basename(command[-1])}:\n{done.stdout}{done.stderr}"
    return ""


def claims(header, commands, noticed, much):
    """Claims: the tests stay as they are with every number twice and half as large; `noticed`, `much` as large, fails."""
    def reaches():
        assert first_failure(commands, noticed, much)

    def case_of(name, factor):
        def case():
            said = first_failure(commands, name, factor)
            assert not said, said
        case.__doc__ = f"{name} times {factor}"
        return case
    reaches.__doc__ = f"{noticed} times {much:g}: tests fail, so that the numbers do reach them"
    names = [name for name, _ in numbers(header)]
    assert noticed in names, names
    return [reaches] + [case_of(name, factor) for name in names for factor in (0.5, 2)]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        header = file.read()
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(scaled(header))
