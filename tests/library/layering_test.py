"""Includes and symbols go down only: each room of the house knows the rooms below it, and no file is part of a circle.

usage: layering_test.py LIBRARY

LIBRARY is the static library: its objects tell who calls whom. There is no list of exceptions.
"""

import collections
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# From the ground up. A room may include what stands above it in this list, and itself.
FLOORS = [
    ["engine", "engine/base"],  # the public headers; status, memory, small dense algebra
    ["scenes/plain", "engine/solver"],
    ["bodies", "engine/system"],
    ["constraints", "scenes/text", "engine/events"],
    ["bodies/forces", "constraints/transmissions"],
    ["scenes/reading", "engine/mechanism"],
    ["engine/contact"],
    ["scenes/format", "engine/compile", "engine/rank", "integrators/trajectory"],
    ["engine/passage", "engine/settling"],
    ["integrators/index1", "integrators/dae"],
    ["integrators/rk", "integrators/bdf"],
    ["integrators/srm", "integrators/lanes"],
    ["integrators"],  # the registry of methods
    ["engine/ahead"],
    ["engine/run"],
    ["engine/reruns"],
    ["engine/query", "engine/diagnosis"],
]
TOPS = {room.split("/")[0] for rooms in FLOORS for room in rooms}
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def sources():
    """Every file of the library, by its path from the root."""
    for top in sorted(TOPS):
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def included(path):
    """Paths from the root; public headers, which are installed side by side, name each other without one."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        names = re.findall(r'^#include "([^"]+)"', file.read(), flags=re.M)
    return [name if "/" in name else os.path.join(os.path.dirname(path), name) for name in names]


def may_use(user, used):
    """Down, or within a room; rooms of one floor do not know each other, except the public headers."""
    a, b = os.path.dirname(user), os.path.dirname(used)
    return a == b or FLOOR[a] > FLOOR[b] or (FLOOR[a] == FLOOR[b] == 0)


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
    by_object = {path.replace("/", "_") + ".o": path for path in sources() if path.endswith(".c")}
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
    """Every folder with code, of the library and of the tools."""
    for top in ("engine", "bodies", "constraints", "integrators", "scenes", "tools"):
        for folder, below, names in os.walk(os.path.join(ROOT, top)):
            below[:] = [name for name in below if name not in ("__pycache__", "node_modules")]
            code = [name for name in names if name.endswith((".c", ".h", ".py", ".js"))]
            if code:
                yield os.path.relpath(folder, ROOT), code


def private():
    """Of tools/ and the Python package: what they include of the library beside its public headers."""
    for folder, below, names in os.walk(os.path.join(ROOT, "tools")):
        below[:] = [name for name in below if name not in ("__pycache__", "node_modules")]
        for name in names:
            if name.endswith((".c", ".h", ".cpp", ".py")):
                path = os.path.relpath(os.path.join(folder, name), ROOT)
                for used in included(path):
                    if used.split("/")[0] in TOPS and not re.fullmatch(r"engine/trammel\w*\.h", used):
                        yield f"{path} includes {used}"


def unread(room):
    """Whether the room opens without a README.md of at most ten lines."""
    path = os.path.join(ROOT, room, "README.md")
    if not os.path.exists(path):
        return True
    with open(path, encoding="utf-8") as file:
        return len(file.read().splitlines()) > 10


def main():
    library, files = sys.argv[1], list(sources())
    arrows = {file: included(file) for file in files}
    unknown = [f"{a} includes {b}" for a in files for b in arrows[a] if not os.path.isfile(os.path.join(ROOT, b))]
    homeless = sorted({os.path.dirname(file) for file in files} - set(FLOOR))
    files = [file for file in files if os.path.dirname(file) in FLOOR]
    up = [f"{a} includes {b}" for a in files for b in arrows[a] if os.path.dirname(b) in FLOOR and not may_use(a, b)]
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
    cases = [
        ("a room has at most 25 files of code", not (found := [r for r, code in rooms() if len(code) > 25]), found),
        ("a room opens with a README.md of at most ten lines", not (found := [r for r, _ in rooms() if unread(r)]), found),
        ("the library has more than a hundred objects", len(wanted) > 100, len(wanted)),
        ("every folder has its floor", not homeless, homeless),
        ("every included file exists", not unknown, unknown),
        ("includes go down", not up, up),
        ("tools include public headers alone", not (found := list(private())), found),
        ("symbols go down", not calls_up, calls_up),
        ("no headers include each other in a circle", not (found := circles(arrows)), found),
        ("no files call each other in a circle", not (found := circles(collections.defaultdict(set, calls))), found),
    ]
    print(f"1..{len(cases)}")
    for number, (claim, holds, found) in enumerate(cases, 1):
        print(f"{'ok' if holds else 'not ok'} {number} - {claim}")
        if not holds:
            print("\n".join(f"# {line}" for line in (found if isinstance(found, list) else [found])))


main()
