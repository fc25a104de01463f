#!/usr/bin/env python3
"""Headers of numbers once more, every number by a call: trm_scaled_number(4, 100.0).

usage: scaled_numbers.py HEADER... OUT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"^#define TRM_(\w+) ([\d.e+-]+)$", re.MULTILINE)


def numbers(text):
    """(name, value) of all numbers of the header."""
    return [(name, float(value)) for name, value in NUMBER.findall(text)]


def scaled(paths):
    """One header that includes these and puts calls in place of their numbers: no source includes them again."""
    found = [pair for path in paths for pair in NUMBER.findall(pathlib.Path(path).read_text(encoding="utf-8"))]
    calls = "".join(f"#undef TRM_{name}\n#define TRM_{name} trm_scaled_number({i}, {value})\n" for i, (name, value) in enumerate(found))
    listed = ", ".join(f'"{name}"' for name, _ in found)
    included = "".join(f'#include "{os.path.abspath(path)}"\n' for path in paths)
    return f"{included}double trm_scaled_number(int which, double value);\n#define TRM_SCALED_NAMES {listed}\n{calls}"


class Asked:
    """Answers with the numbers as they are, and the numbers that a program asked for on the way: no other number changes the answer."""

    def __init__(self):
        self.known = {}  # {question: (its answer, names)}

    def answer(self, number, factor, question, find):
        """find() with this number times the factor: of before, where its program does not ask for the number. "NONE": as they are."""
        found, names = self.known.get(question, (None, None))
        if names is not None and number not in names:
            return found
        with tempfile.NamedTemporaryFile(mode="r", encoding="utf-8") as file:
            os.environ.update(TRAMMEL_NUMBER=f"{number} {factor:g}", TRAMMEL_ASKED=file.name)
            found = find()
            del os.environ["TRAMMEL_NUMBER"], os.environ["TRAMMEL_ASKED"]
            asked = file.read().split()
        if number == "NONE" and asked.count("end") == 1:  # else it did not come to its end
            self.known[question] = found, asked
        return found


def claims(header, commands, noticed, much):
    """Claims: tests stay as they are with every number twice and half as large; `noticed`, `much` as large, makes one fail."""
    asked = Asked()

    def told(command):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return f"{os.path.basename(command[-1])}:\n{done.stdout}{done.stderr}" if done.returncode != 0 else ""

    def failure(name, factor):
        answers = (asked.answer(name, factor, tuple(command), lambda command=command: told(command)) for command in commands)
        return next(filter(None, answers), "")

    def reaches():
        assert failure(noticed, much)

    def case_of(name, factor, title):
        def case():
            said = failure(name, factor)
            assert not said, said
        case.__doc__ = title
        return case
    reaches.__doc__ = f"{noticed} times {much:g}: a test fails, so that the numbers do reach them"
    names = [name for name, _ in numbers(header)]
    assert noticed in names, names
    return [case_of("NONE", 1, "The numbers as they are"), reaches] + [case_of(name, factor, f"{name} times {factor}")
                                                                       for name in names for factor in (0.5, 2)]


if __name__ == "__main__":
    pathlib.Path(sys.argv[-1]).write_text(scaled(sys.argv[1:-1]), encoding="utf-8")
