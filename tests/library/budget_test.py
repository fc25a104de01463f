"""The size of the house: lines of the library, the program and the tests, words of the documents, public functions.

usage: budget_test.py ROOT

A change that needs more raises the number here, and its commit names the promise that it serves.
"""
import pathlib
import re
import sys

import tap

ROOT = pathlib.Path(sys.argv[1])
CODE = (".c", ".h")
SCRIPTS = CODE + (".py", ".js")

# What is counted: folders, endings, the most.
BUDGET = {
    "library": (("base", "bodies", "constraints", "engine", "integrators", "scenes", "simulation", "include"), CODE, 101385),
    "program": (("tools",), SCRIPTS, 40073),
    "validation": (("validation",), SCRIPTS, 23332),
    "tests": (("tests",), SCRIPTS, 75414),
}
# Contact beside the shapes (bodies/shapes): how rows are held, strike and change, and the impulse level: 1.4 times the 5000 lines
# of before. Not among them: which balls are near each other, and what checks the forces of all elements.
CONTACT = ("engine/contact/*.[ch]", "simulation/contact_modes/*.[ch]", "simulation/run/contact_*.c", "simulation/run/impacts.c",
           "simulation/studies/projected_steps.[ch]")
BESIDE = ("near.c", "force_check.c", "force_check.h")
FUNCTIONS = {"a run": 114, "x' = f - B y, 0 = g": 14}  # that the shared library shows
WORDS = 29730  # of docs that people write; pages that programs write stand apart
PRINTED = ("scene_format.md", "command_line.md", "methods.md", "imports.md")


def files(folders, endings):
    for folder in folders:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in endings and "node_modules" not in path.parts and "__pycache__" not in path.parts:
                yield path


def lines(folders, endings):
    return sum(len(path.read_text(encoding="utf-8", errors="replace").splitlines()) for path in files(folders, endings))


def fits(name):
    def case():
        folders, endings, most = BUDGET[name]
        found = lines(folders, endings)
        assert found <= most, f"{found} lines, {most} are allowed"
    case.__doc__ = f"lines of the {name} fit their budget"
    return case


def contact():
    """lines of contact without shapes are 7000 at most"""
    found = sum(len(path.read_text().splitlines()) for glob in CONTACT for path in ROOT.glob(glob) if path.name not in BESIDE)
    assert 5000 < found <= 7000, found


def documents():
    """words of the documents fit their budget"""
    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md") if path.name not in PRINTED]
    found = sum(len(page.split()) for page in pages if "<!-- Written by " not in page)
    assert found <= WORDS, f"{found} words, {WORDS} are allowed"


def functions():
    """public functions fit their budget, those of trammel_dae.h apart"""
    found = {part: set() for part in FUNCTIONS}
    for path in (ROOT / "include" / "trammel").glob("*.h"):
        text = re.sub(r"^static inline [^{]*\{.*?^\}\n", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
        for name in re.findall(r"^[a-z][^;{]*?\b(trm_\w+)\([^;{]*\);", text, re.M):
            if not name.endswith("_fn"):
                found["x' = f - B y, 0 = g" if path.name == "trammel_dae.h" else "a run"].add(name)
    for part, most in FUNCTIONS.items():
        assert 13 < len(found[part]) <= most, (part, len(found[part]))


if __name__ == "__main__":
    sys.exit(tap.run([fits(name) for name in BUDGET] + [contact, documents, functions]))
