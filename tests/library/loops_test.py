#!/usr/bin/env python3
"""Every loop of the library without a counter is in validation/results/loops.csv, with what ends it. Prints TAP.

    tests/loops_test.py ROOT [--list]
"""
import csv
import os
import re
import sys

import tap

ROOT = sys.argv[1]
FOLDERS = ["base", "bodies", "constraints", "engine", "integrators", "simulation", "scenes"]
LOOP = re.compile(r"\s*(?:for \(|while \(|do \{)")
FUNCTION = re.compile(r"[a-zA-Z][\w *]*?\b(\w+)\(")


def is_counted(line):
    """A for that goes from element to element up to a bound or the end of a table, whatever else ends it earlier; along
    contact->near, whose links rise, up to the number of rows."""
    parts = line.split(";")
    if not line.strip().startswith("for (") or len(parts) < 3:
        return False
    return bool(parts[1].strip() and re.search(r"\+\+|--| \+= | -= |->near\[\w \+ 1\]", parts[1] + parts[2]))


def loops_of(file):
    """(function, line) of each loop whose end is not a counter's."""
    with open(file, encoding="utf-8") as text:
        lines = text.read().split("\n")
    function = ""
    for i, line in enumerate(lines):
        head = FUNCTION.match(line)
        function = head[1] if head else function
        whole = " ".join(lines[i:i + 4]).split("{")[0]
        if function and LOOP.match(line) and not is_counted(whole):
            yield function, line.strip()


def loops():
    found = {}
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    found.update({(name, f): line for f, line in loops_of(os.path.join(path, name))})
    return found


def table():
    with open(os.path.join(ROOT, "validation", "results", "loops.csv"), encoding="utf-8") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))[1:]
    return {(row[0].strip("`"), name) for row in rows for name in re.findall(r"`(\w+)`", row[1])}


def test_every_loop_without_a_counter_is_listed():
    missing = sorted(set(loops()) - table())
    assert not missing, "not in validation/results/loops.csv:\n" + "\n".join(map(str, missing))


def test_no_loop_is_listed_that_is_gone():
    gone = sorted(table() - set(loops()))
    assert not gone, gone


if __name__ == "__main__":
    if "--list" in sys.argv:
        for (file, function), line in sorted(loops().items()):
            print(file, function, "|", line)
        sys.exit()
    sys.exit(tap.run([case for name, case in list(globals().items()) if name.startswith("test_")]))
