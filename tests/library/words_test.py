"""Words and widths: phrases that docs/style.md replaces are in no source and no document, and C lines end before column 100.

usage: words_test.py ROOT
"""
import pathlib
import re
import sys

import tap

ROOT = pathlib.Path(sys.argv[1])
FOLDERS = ("include", "base", "bodies", "constraints", "engine", "integrators", "simulation", "scenes", "tools", "validation", "tests",
           "docs")
GONE = re.compile(r"\bbut for\b|\bsquare to\b|\bnext to nothing\b|\bgoes its own way\b|\bslip of the pen\b", re.IGNORECASE)
MARK = re.compile(r"^\s*(//+<?|#)?\s*")  # of a comment
# style.md quotes these phrases, and this file lists them.
EXCEPT = {"docs/style.md", "tests/library/words_test.py"}


def sources(*suffixes):
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in suffixes and name not in EXCEPT and "node_modules" not in name:
                yield name, path.read_text(encoding="utf-8", errors="replace").splitlines()


def phrases():
    """No phrase that has a plainer form, also where a line ends in it"""
    found = []
    for name, lines in sources(".c", ".h", ".md", ".py"):
        text = " ".join(MARK.sub("", line) for line in lines)
        found += [f"{name}: {text[max(0, hit.start() - 40):hit.end() + 40]}" for hit in GONE.finditer(text)]
    assert not found, "\n".join(found)


def widths():
    """C lines have at most 100 columns, apart from texts and from tables that clang-format leaves alone"""
    found = []
    for name, lines in sources(".c", ".h"):
        table = False
        for i, line in enumerate(lines, 1):
            table = "clang-format off" in line or (table and "clang-format on" not in line)
            if len(line) > 100 and not table and '"' not in line:
                found.append(f"{name}:{i}: {len(line)} columns")
    assert not found, "\n".join(found)


if __name__ == "__main__":
    sys.exit(tap.run([phrases, widths]))
