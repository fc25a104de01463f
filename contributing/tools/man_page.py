#!/usr/bin/env python3
"""Prints the manual page trammel(1), made from what `trammel help` prints.

usage: man_page.py PROGRAM
"""
import re
import subprocess
import sys

ENDING = r"""
.SH FILES
A scene is a JSON file of bodies, joints and forces;
.B trammel schema \-\-format
prints the reference of the format,
.B trammel elements
one line for each element.
.SH EXAMPLES
.nf
trammel run scene.json
trammel run scene.json \-\-accuracy 1e\-8 \-\-end 5 \-\-every 0.01 \-o motion.csv
trammel check scene.json
.fi
"""


def ask(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def escape(text):
    """Text as roff prints it literally."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in ".'" else line for line in text.split("\n"))


def overview(program):
    """One sentence, the subcommands in order, and the lines of exit codes."""
    text = ask(program, "help")
    sentence = text.split("\n", 1)[0].split(": ", 1)[1]
    subcommands = re.findall(r"^  ([a-z]+) {2,}\S.*$", text, flags=re.MULTILINE)
    codes = re.search(r"^Exit codes: (.*(?:\n {12}.*)*)", text, flags=re.MULTILINE).group(1)
    return sentence, subcommands, re.findall(r"(\d) ([^,]*(?:,(?! *\n? *\d )[^,]*)*)", codes)


def section(program, name):
    """One subcommand: synopsis, what it does, options, remarks."""
    head, what, rest = (ask(program, "help", name) + "\n\n").split("\n\n", 2)
    synopsis = " ".join(head.split())
    lines = [".SS " + escape(synopsis.split(" ", 2)[1]), ".B " + escape(synopsis), ".PP",
             escape(what[0].upper() + what[1:] + ".")]
    paragraph = False
    for line in rest.split("\n"):
        option = re.match(r"  (-.*?) {2,}(.*)|  (--?\S.{24,}?) (.*)", line)
        if option:
            left, right = [group for group in option.groups() if group is not None]
            lines += [".TP", ".B " + escape(left), escape(right)]
        elif line.strip() and line != "Options":
            lines += ([] if paragraph else [".PP"]) + [escape(line)]
        paragraph = bool(line.strip()) and not option and line != "Options"
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    version = ask(program, "version").split()[1]
    sentence, subcommands, codes = overview(program)
    page = [f'.TH TRAMMEL 1 "" "Trammel {version}" "User Commands"',
            ".SH NAME", "trammel \\- " + escape(sentence),
            ".SH SYNOPSIS", ".B trammel", ".I SUBCOMMAND ...", ".SH SUBCOMMANDS"]
    for name in subcommands:
        page += section(program, name)
    page += [".SH EXIT STATUS"]
    for code, meaning in codes:
        page += [".TP", ".B " + code, escape(" ".join(meaning.split()))]
    print("\n".join(page) + ENDING.rstrip())


if __name__ == "__main__":
    main()
