#!/usr/bin/env python3
"""Writes the pages of docs/reference that the program knows (command line, methods, scene format), and that of the Python package.

    tools/reference_pages.py build/tools/trammel            write them
    tools/reference_pages.py build/tools/trammel --check    exit 1 if one is not what it would be
"""
import ast
import json
import pathlib
import re
import subprocess
import sys
import textwrap

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "docs" / "reference"

COMMANDS = """# Command line

For users of the program `trammel` who look for a subcommand or an option. Written by
`tools/reference_pages.py` from what `trammel help` prints; so is the manual page, `man trammel`.

Every number may be a constant expression, such as `70*deg`. `trammel completion bash` prints a
script that completes subcommands and options.
"""

METHODS = """# Methods

For users who choose an integrator and a stabilization, or read the name of one in a report. After
this page you know what each does, from which paper it comes, and which options it takes.
[How to choose](../how-to/choose_a_method.md) says which to take.

Written by `tools/reference_pages.py`. `trammel methods` prints every pair with its order and
parameters; `trammel compare SCENE` runs them on a scene of yours.

Without `--method` and `--integrator` Trammel chooses for `--accuracy A`, and the report says why.
A method is an integrator (how time advances) with a stabilization (how the constraints are kept).
Parameters are options of `trammel run` and fields of `trm_options`; a parameter that the method
does not read is refused.
"""

PACKAGE = pathlib.Path(__file__).resolve().parent / "python" / "trammel"
ALIASES = {"ForceFunction", "PositionFunction", "VelocityFunction"}  # types of functions of a user

PYTHON = """# Python, class by class

<!-- Written by tools/reference_pages.py. -->

For users of the package `trammel` who look for a class, a call or a field. The text is that of
`help(trammel.Model)`; [Python](python.md) shows the calls at work.
"""

SOURCES = """
`ggl` and `ida` exist where SUNDIALS was there when Trammel was built; SUNDIALS may allocate memory
within a step. With `heun`, `srm` with E = I needs small steps on driven mechanisms, and is not
meant for singular positions; `--form lambda-hat` is.

AL93: Ascher & Lin, linear index 2 (1993). AL95: Ascher & Lin, sequential regularization for
nonlinear higher-index DAEs (1995). ACPR95: Ascher, Chin, Petzold & Reich, stabilization of
constrained mechanical systems (1995). B72: Baumgarte (1972). F83, F08: Featherstone,
articulated-body inertias (1983); Rigid body dynamics algorithms (2008).
"""


def ask(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def table(head, rows):
    lines = ["", "| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def methods(program):
    integrators, stabilizations = {}, {}
    for method in json.loads(ask(program, "methods", "--json"))["methods"]:
        integrators.setdefault(method["integrator"], []).append(method)
        stabilizations.setdefault((method["stabilization"], method["stabilization_doc"]), []).append(method)
    return METHODS + table(["`--integrator`", "what it is", "order", "steps"], [
        [f"`{name}`", group[0]["integrator_doc"], str(group[0]["order"]),
         "adaptive" if group[0]["adaptive"] else "fixed"]
        for name, group in integrators.items()
    ]) + table(["`--method`", "what it does", "source", "integrators", "parameters"], [
        [f"`{name}`", group[0]["stabilization_doc"], group[0]["source"].split("half-explicit; ")[-1],
         ", ".join(m["integrator"] for m in group),
         " ".join(f"`{p}`" for p in group[0]["parameters"] if p != "control")]
        for (name, _), group in stabilizations.items()
    ]) + SOURCES


def subcommand(program, name, seen):
    """Synopsis, purpose and options; those that were listed before are named only."""
    head, what, rest = (ask(program, "help", name) + "\n\n").split("\n\n", 2)
    options = re.findall(r"^  (-\S.*?)(?:  +|(?<=\S{28}) )(\S.*)$", rest, re.MULTILINE)
    new = [(left, doc) for left, doc in options if (left, doc) not in seen and left != "-h, --help"]
    old = [left for left, doc in options if (left, doc) in seen]
    seen |= set(new)
    synopsis = "\n".join("    " + line for line in head.split("\n"))
    text = f"\n## {name}\n\n{what[0].upper()}{what[1:]}.\n\n{synopsis}\n"
    if new:
        text += table(["option", "meaning"], [[f"`{left}`".replace("|", "\\|"), doc.replace("|", "\\|")]
                                              for left, doc in new])
    if old:
        text += "\nAs above:" + "".join(f"\n`{left}`," for left in old)[:-1].replace("|", "\\|") + ".\n"
    return text


def command_line(program):
    overview = ask(program, "help")
    names = re.findall(r"^  ([a-z]+) {2,}\S", overview, re.MULTILINE) + ["completion"]
    codes = re.search(r"^Exit codes: (.*(?:\n {12}.*)*)", overview, re.MULTILINE)[1]
    seen = set()
    text = COMMANDS + "".join(subcommand(program, name, seen) for name in dict.fromkeys(names))
    return text + "\n## Exit codes\n\n" + "\n".join(line.strip() for line in codes.split("\n")) + ".\n"


def heading_of(node, name):
    """How a function is called, with the types of its arguments."""
    if not isinstance(node, ast.FunctionDef):
        return name
    arguments = ast.unparse(node.args).removeprefix("self, ").removeprefix("self").removeprefix("cls, ")
    result = f" -> {ast.unparse(node.returns)}" if node.returns and ast.unparse(node.returns) != "None" else ""
    shown = {ast.unparse(one) for one in node.decorator_list} & {"property", "cached_property"}
    return name + ("" if shown else f"({arguments})") + result


def fold(line):
    """A line as lines of at most 100 columns; what follows is two further in than its first word."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False) or [""]


def described(node, name, level):
    """A class with its public members, or a function. What has no docstring is an error."""
    doc = ast.get_docstring(node)
    if not doc:
        sys.exit(f"{name} of the Python package has no docstring")
    shown = [heading_of(node, name.split(".")[-1]), "", *doc.split("\n")]
    parts = [f"{'#' * level} {name}", "", "```text", *(part for line in shown for part in fold(line)), "```", ""]
    for one in node.body if isinstance(node, ast.ClassDef) else []:
        if isinstance(one, ast.FunctionDef) and not one.name.startswith("_"):
            parts += described(one, f"{name}.{one.name}", level + 1)
    return parts


def python_classes():
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                found.setdefault(node.name, node)
    top = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body
    names = next(ast.literal_eval(node.value) for node in top if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    parts = [PYTHON]
    for name in sorted(set(names) - ALIASES - {"__version__"}, key=str.lower):
        parts += described(found[name], name, 2)
    return "\n".join(parts)


def pages(program):
    return {"command_line.md": command_line(program), "methods.md": methods(program),
            "scene_format.md": ask(program, "schema", "--format"), "python_classes.md": python_classes()}


def main():
    if not 2 <= len(sys.argv) <= 3 or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    for name, text in pages(sys.argv[1]).items():
        if sys.argv[2:] and (FOLDER / name).read_text(encoding="utf-8") != text:
            sys.exit(f"docs/reference/{name} is not what tools/reference_pages.py writes")
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
