#!/usr/bin/env python3
"""engine/base/rank_numbers.h once more, every number by a call: trm_scaled_number("WELL", 100.0).

usage: scaled_numbers.py rank_numbers.h OUT
"""
import re
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


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        header = file.read()
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(scaled(header))
