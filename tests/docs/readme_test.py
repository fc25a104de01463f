#!/usr/bin/env python3
"""README.md says what is so: its commands, what they print, its C and Python programs, its scene, its table of methods, its links.

usage: readme_test.py TRAMMEL PROGRAM ROOT; PROGRAM is docs/examples/swing.c, compiled. Prints TAP.
"""
import json
import pathlib
import re
import subprocess
import sys

import tap

TRAMMEL, PROGRAM, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
README = (ROOT / "README.md").read_text(encoding="utf-8")


def fence(language):
    return re.search(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)[1]


def program():
    """The C program is docs/examples/swing.c, and gives the angle of the reference"""
    assert fence("c") == (ROOT / "docs/examples/swing.c").read_text(encoding="utf-8")
    printed = subprocess.run([PROGRAM], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    # one-angle reduction of the same mechanism, Dormand-Prince 8 at 1e-12
    assert abs(float(printed.split()[2]) - 4.3739773433) < 1e-7, printed


def scene():
    """The scene is docs/examples/turning_four_bar.json, and runs as it stands"""
    path = ROOT / "docs/examples/turning_four_bar.json"
    assert fence("json") == path.read_text(encoding="utf-8")
    run = subprocess.run([TRAMMEL, "run", path, "--json"], check=True, capture_output=True)
    crank = json.loads(run.stdout)["state"]["bodies"]["crank"]
    # two turns from upright, followed by the servo
    assert abs(crank["angle"] - 3.141592653589793 / 2 - 4 * 3.141592653589793) < 1, crank


def known_methods():
    text = subprocess.run([TRAMMEL, "methods", "--json"], check=True, capture_output=True).stdout
    return {(method["integrator"], method["stabilization"]) for method in json.loads(text)["methods"]}


def commands():
    """Every command of trammel in README.md runs, and the lines shown are printed: equal apart from times and roundoff"""
    named = re.findall(r"build/tools/trammel ([^#`\n]+)", README)
    assert len(named) >= 2, named
    for words in named:
        done = subprocess.run([TRAMMEL, *words.split()], cwd=ROOT, check=False, capture_output=True, text=True)
        assert done.returncode == 0, (words, done.stderr)
        if words.startswith("run scenes/slider_crank_swing"):
            printed = [steady(line) for line in done.stdout.splitlines()]
    shown = re.search(r"among other lines,\n\n((?:    .*\n|\n)+)", README)[1]
    for line in filter(None, map(steady, shown.splitlines())):
        assert line in printed, (line, printed)


def steady(line):
    """A line without what differs between machines: times of the CPU, numbers of the size of roundoff, and which of
    33 equal passages is the closest"""
    line = re.sub(r"[\d.e+-]+ s of CPU(, [\d.e+]+ times real time)?", "", line)  # some clocks read 0
    line = re.sub(r"the closest at t = [\d.]+ s", "", line)
    return " ".join(re.sub(r"\d\.\d+e-1[3-6]", "roundoff", line).split())


def methods():
    """The stabilizations in the table go with rk4, and their evaluations are those of trammel compare"""
    shown = dict(re.findall(r"^\| `([\w-]+)` \| (\d+|never) \|", README, re.MULTILINE))
    assert len(shown) == 4 and {("rk4", name) for name in shown} <= known_methods(), shown
    command = re.search(r"`trammel (compare [^`]+)`", README)[1].split()
    done = subprocess.run([TRAMMEL, *command, "--json", "--repeat", "1", "--methods", ",".join(f"rk4+{name}" for name in shown)],
                          cwd=ROOT, check=True, capture_output=True)
    rows = json.loads(done.stdout)["rows"]
    for name, number in shown.items():
        right = [row["evaluations"]["force"] for row in rows if row["stabilization"] == name
                 and row["error"] is not None and row["error"] < 1e-6]
        assert [str(least) for least in sorted(right)[:1]] == ([] if number == "never" else [number]), (name, right)


def size():
    """README.md fits: 110 lines, of 100 columns apart from the picture"""
    lines = README.splitlines()
    assert len(lines) <= 110 and all(len(line) <= 100 or line.startswith("![") for line in lines), len(lines)


def instrumented():
    """Whether the shared library wants the address sanitizer's runtime, which Python does not bring"""
    library = pathlib.Path(TRAMMEL).parent.parent / "libtrammel.so"
    return library.exists() and b"__asan_" in library.read_bytes()


def python():
    """The lines of Python run as they are printed"""
    environment = {"PYTHONPATH": str(pathlib.Path(TRAMMEL).parent / "python"), "PATH": "/usr/bin:/bin"}
    if subprocess.run(["python3", "-c", "import numpy"], env=environment, check=False, capture_output=True).returncode:
        raise tap.Skipped("no NumPy")
    if instrumented():
        raise tap.Skipped("Python itself has no sanitizer, so it cannot load a library that has")
    done = subprocess.run(["python3", "-c", fence("python")], cwd=ROOT, env=environment, check=False,
                          capture_output=True, text=True)
    assert done.returncode == 0 and "Branch" in done.stdout or "branch" in done.stdout, done.stdout + done.stderr


def files():
    """Every file that README.md names exists"""
    names = re.findall(r"\]\(([^)]+)\)", README)
    names += re.findall(r"(?:engine|integrators|bodies|constraints|scenes)/[a-z0-9_]+\.(?:c|h|json|md)", README)
    missing = [name for name in names if not (ROOT / name).exists()]
    assert not missing, missing


if __name__ == "__main__":
    sys.exit(tap.run([program, scene, commands, methods, size, python, files]))
