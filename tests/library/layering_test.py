"""Includes and symbols go down only: each room of the house knows the rooms below it, and no file is part of a circle.

usage: layering_test.py LIBRARY

LIBRARY is the static library: its objects tell who calls whom. There is no list of exceptions. The picture is
docs/explanation/architecture.md, held against this table.
"""

import ast
import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# The folders at the top, and which of them each may include beside itself.
TOPS = {
    "include": (),
    "base": ("include",),
    "bodies": ("include", "base"),
    "constraints": ("include", "base", "bodies"),
    "scenes": ("include", "base", "bodies", "constraints"),
    "engine": ("include", "base", "bodies", "constraints"),
    "integrators": ("include", "base", "bodies", "constraints", "engine"),
    "simulation": ("include", "base", "bodies", "constraints", "engine", "integrators"),
    "tools": ("include",),
}
TOPS["validation"] = tuple(TOPS)

# Within a top, from the ground up. A room may include what stands above it in this list, and itself.
FLOORS = [
    ["include/trammel"],
    ["include/program"],  # what the program needs beside the public interface; not installed
    ["base"],
    ["base/linear"],
    ["base/text"],
    ["base/expression"],
    ["base/scene"],
    ["bodies"],
    ["bodies/shapes"],
    ["bodies/formulas"],
    ["bodies/forces"],
    ["constraints"],
    ["constraints/transmissions"],
    ["scenes/json", "scenes/mesh"],
    ["scenes/import/xml"],
    ["scenes/import/description"],
    ["scenes/import/writer"],
    ["scenes/import/mjcf", "scenes/import/sdf", "scenes/import/urdf"],
    ["scenes/import"],
    ["scenes/reader"],
    ["scenes/schema"],
    ["engine/linear"],
    ["engine/system"],
    ["engine/enclosure"],
    ["engine/multibody"],
    ["engine/joint_coordinates"],
    ["engine/contact"],
    ["engine/compiler", "engine/rank"],
    ["integrators/trajectory"],
    ["integrators/stabilization", "integrators/dae"],
    ["integrators/rk", "integrators/bdf"],
    ["integrators/srm", "integrators/lanes"],
    ["integrators"],  # the registry of methods
    ["simulation/contact_modes"],
    ["simulation/events", "simulation/singular"],
    ["simulation/run"],
    ["simulation/studies"],
    ["simulation/analysis", "simulation/diagnosis"],
    ["tools/common", "tools/drawing", "tools/sweep/design", "tools/templates"],
    ["tools/recording", "tools/drawing/lines", "tools/sweep/store"],
    ["tools/page", "tools/watch", "tools/convert", "tools/check", "tools/linear"],
    ["tools/run", "tools/plot"],
    ["tools/view", "tools/sweep"],
    ["tools/compare"],
    ["tools/compare/report"],
    ["tools/sweep/report"],
    ["tools/commands"],  # the program
    ["validation/papers/boundary"],
    ["validation/papers/problems", "validation/papers/turning", "validation/diagnosis", "validation/singular",
     "validation/campaign/reference"],
    ["validation/papers/shared"],
    ["validation/papers/tables", "validation/papers/claims"],
    ["validation/papers/flow", "validation/papers/darcy"],
    ["validation/papers", "validation/benchmarks", "validation/beside"],
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
LIBRARY = [top for top in TOPS if top not in ("tools", "validation")]
PACKAGE = "tools/python/trammel"


# A line in a public enum compiles anew what two cores compile within the 20 s of `tools/test --unit`, at 0.2 s a file (the mean
# of those of the library at -O3); two programs of tools/bench are built when they are asked for. A status is what every function that can fail returns: it reaches nearly all.
REACHED = 200 + 2
GROUND = "trammel_status.h"


def folders(tops):
    for top in tops:
        for folder, below, names in os.walk(os.path.join(ROOT, top)):
            below[:] = [name for name in below if name not in ("__pycache__", "node_modules")]
            yield os.path.relpath(folder, ROOT), names


def sources(tops):
    """Every file of C, by its path from the root."""
    return [os.path.join(room, name) for room, names in folders(tops) for name in names if name.endswith((".c", ".h", ".cpp"))]


def included(path):
    """Paths from the root; headers that stand side by side may name each other without one."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        names = re.findall(r'^#include "([^"]+)"', file.read(), flags=re.M)
    names = [name if "/" in name else os.path.join(os.path.dirname(path), name) for name in names]
    return ["include/" + name if name.startswith(("trammel/", "program/")) else name for name in names]


def may_use(user, used):
    """What the tops allow; within a top down, or within a room."""
    a, b = os.path.dirname(user), os.path.dirname(used)
    top, below = a.split("/")[0], b.split("/")[0]
    return a == b or (FLOOR.get(a, 0) > FLOOR.get(b, 0) if top == below else below in TOPS[top])


def circles(arrows):
    """Files that can be reached from themselves, one list a circle (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

    def visit(file):
        index[file] = low[file] = len(index)
        stack.append(file)
        for other in arrows[file]:
            if other not in index:
                visit(other)
                low[file] = min(low[file], low[other])
            elif other in stack:
                low[file] = min(low[file], index[other])
        if low[file] == index[file]:
            circle = stack[stack.index(file) :]
            del stack[stack.index(file) :]
            if len(circle) > 1:
                found.append(circle)

    sys.setrecursionlimit(10000)
    for file in list(arrows):
        if file not in index:
            visit(file)
    return found


def symbols(library):
    """Of each source file: the names that it defines, and those that it asks others for."""
    table = subprocess.run(["nm", "-A", library], check=True, capture_output=True, text=True).stdout
    defined, wanted = {}, collections.defaultdict(set)
    by_object = {path.replace("/", "_") + ".o": path for path in sources(LIBRARY) if path.endswith(".c")}
    for line in table.splitlines():
        match = re.match(r".*?([\w.-]+\.c\.o):\s*[0-9a-f]*\s+([A-Za-z])\s+(\w+)$", line)
        if not match or match.group(1) not in by_object:
            continue
        path, kind, name = by_object[match.group(1)], match.group(2), match.group(3)
        if kind == "U":
            wanted[path].add(name)
        elif kind.isupper():
            defined[name] = path
    return defined, wanted


def rooms():
    """Every folder with code, and its files of code."""
    for room, names in folders(TOPS):
        code = [name for name in names if name.endswith((".c", ".h", ".py", ".js"))]
        if code:
            yield room, code


def unread(room):
    """Whether the room opens without a README.md of at most ten lines."""
    path = os.path.join(ROOT, room, "README.md")
    if not os.path.exists(path):
        return True
    with open(path, encoding="utf-8") as file:
        return len(file.read().splitlines()) > 10


def astray(room):
    """Files that the README.md of a room names and that are not there: from the room, a folder above it, or the public headers."""
    with open(os.path.join(ROOT, room, "README.md"), encoding="utf-8") as file:
        names = re.findall(r"(?<![\w*./-])[\w./-]+\.[ch]\b", file.read())
    places = (room, os.path.dirname(room), "", "include/trammel")
    return [f"{room}: {name}" for name in names if not any(os.path.isfile(os.path.join(ROOT, place, name)) for place in places)]


def imports(path, tree):
    """Modules of the package that a module needs, at its head or within functions; names of types alone are no need."""
    package = os.path.dirname(path).split("/")
    types = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
             for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in types:
            continue
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1] + (node.module.split(".") if node.module else [])
            for name in node.names:
                for parts in (base + [name.name], base):
                    found = "/".join(parts) + ".py"
                    if os.path.isfile(os.path.join(ROOT, found)):
                        yield found
                        break


def package_circles():
    arrows = collections.defaultdict(set)
    for room, names in folders([PACKAGE]):
        for name in names:
            if name.endswith(".py") and name != "__init__.py":
                path = os.path.join(room, name)
                with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                    arrows[path] = set(imports(path, ast.parse(file.read()))) - {path}
    return circles(arrows)


def built_of_evidence():
    """Variables of validation's build files that build files of the product use."""
    texts = {}
    for room, names in folders(TOPS):
        if "meson.build" in names:
            with open(os.path.join(ROOT, room, "meson.build"), encoding="utf-8") as file:
                texts[room] = re.sub(r"#.*|'[^'\n]*'", "", file.read())
    made = {name for room, text in texts.items() if room.startswith("validation") for name in re.findall(r"^(\w+) = ", text, re.M)}
    return sorted(f"{room}/meson.build: {name}" for room, text in texts.items() if not room.startswith("validation")
                  for name in made & set(re.findall(r"\w+", text)))


def drawn():
    """What differs between the picture and the table: arrows of the top folders, rooms."""
    with open(os.path.join(ROOT, "docs/explanation/architecture.md"), encoding="utf-8") as file:
        text = file.read()
    arrows = collections.defaultdict(set)
    for user, used in re.findall(r"^ +(\w+) --> (\w+)$", text, flags=re.M):
        arrows[user].add(used)

    def below(top):
        return arrows[top].union(*map(below, arrows[top]))

    wrong = [f"{top} is drawn on {sorted(below(top))}" for top, tops in TOPS.items() if below(top) != set(tops)]
    told = set(re.findall(r"^\| `([\w/]+)` \|", text, flags=re.M))
    library = {room for room in FLOOR if room.split("/")[0] in LIBRARY}
    return wrong + [f"{room} is in one of them only" for room in sorted(told ^ library)]


def reach(arrows):
    """Of each public header: how many files of code a line in it compiles anew, tests apart."""
    counts = collections.Counter()
    for file in arrows:
        seen, left = set(), [file] if file.endswith(".c") else []
        while left:
            new = set(arrows.get(left.pop(), ())) - seen
            seen |= new
            left += new
        counts.update(seen)
    return counts


def has_enum(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return re.search(r"^typedef enum", file.read(), flags=re.M)


def main():
    library, files = sys.argv[1], sources(TOPS)
    arrows = {file: included(file) for file in files}
    unknown = [f"{a} includes {b}" for a in files for b in arrows[a] if not os.path.isfile(os.path.join(ROOT, b))]
    homeless = sorted({os.path.dirname(file) for file in files} - set(FLOOR))
    up = [f"{a} includes {b}" for a in files for b in arrows[a] if b.split("/")[0] in TOPS and not may_use(a, b)]
    defined, wanted = symbols(library)
    calls = collections.defaultdict(set)
    for user, names in wanted.items():
        calls[user] |= {defined[name] for name in names if name in defined and defined[name] != user}
    calls_up = sorted(
        f"{user} calls {name} of {defined[name]}"
        for user, names in wanted.items()
        for name in names
        if name in defined and not may_use(user, defined[name])
    )
    everything = [a for a in files if a.endswith(".h") and not a.startswith("include/") and "include/trammel/trammel.h" in arrows[a]]
    reached = [f"{name}: {n}" for name, n in reach(arrows).items()
               if name.startswith("include/trammel/") and os.path.basename(name) != GROUND and n > REACHED and has_enum(name)]
    cases = [
        ("no header includes all public headers", not everything, everything),
        ("one line of a public enum compiles few files anew", not reached, reached),
        ("a room has at most 25 files of code", not (found := [r for r, code in rooms() if len(code) > 25]), found),
        ("a room opens with a README.md of at most ten lines", not (found := [r for r, _ in rooms() if unread(r)]), found),
        ("files that a README.md names are there", not (found := [name for r, _ in rooms() if not unread(r) for name in astray(r)]), found),
        ("the library has more than a hundred objects", len(wanted) > 100, len(wanted)),
        ("every folder has its floor", not homeless, homeless),
        ("nothing of the product is built of validation", not (found := built_of_evidence()), found),
        ("every included file exists", not unknown, unknown),
        ("includes go down, in the library, the program and validation", not up, up),
        ("symbols of the library go down", not calls_up, calls_up),
        ("no headers include each other in a circle", not (found := circles(arrows)), found),
        ("no files call each other in a circle", not (found := circles(collections.defaultdict(set, calls))), found),
        ("no modules of the Python package import each other in a circle", not (found := package_circles()), found),
        ("docs/explanation/architecture.md draws this house", not (found := drawn()), found),
    ]
    print(f"1..{len(cases)}")
    for number, (claim, holds, found) in enumerate(cases, 1):
        print(f"{'ok' if holds else 'not ok'} {number} - {claim}")
        if not holds:
            print("\n".join(f"# {line}" for line in (found if isinstance(found, list) else [found])))


main()
