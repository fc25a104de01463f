#!/usr/bin/env python3
"""Memory, disks and pipes that fail under every command: the right exit code, no crash, no half-written file. Prints TAP.

    tests/tools/cli/faults_test.py TRAMMEL ROOT FAULT.so [MOST]     MOST: failures tried of each command (40); 0: every single one
"""
import errno
import json
import os
import subprocess
import sys

from tap import CASES, case
import tap

PROGRAM, ROOT, SHIM = (os.path.abspath(path) for path in sys.argv[1:4])
MOST = int(sys.argv[4]) if len(sys.argv) > 4 else 40
SCENE = {
    "title": "Two bars", "dimension": 2, "gravity": [0, -9.81],
    "parameters": {"l": 1},
    "bodies": [{"name": "a", "ends": [[0, 0], ["l", 0]], "mass": 2},
               {"name": "b", "ends": [["l", 0], [2, 0]], "mass": 1}],
    "markers": [{"name": "tip", "body": "b", "at": [2, 0]}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
               {"name": "A", "type": "revolute", "bodies": ["a", "b"], "at": ["l", 0]},
               {"name": "B", "type": "revolute", "bodies": ["a", "b"], "at": ["l", 0]}],
    "forces": [{"name": "push", "type": "torque", "body": "b", "value": "0.1*sin(b.angle)"}],
    "simulation": {"end": 0.2},
}
COMMANDS = {
    "run": ["run", "s.json"],
    "run --json": ["run", "s.json", "--json"],
    "record": ["run", "s.json", "-o", "out.csv", "--every", "0.01"],
    "ida": ["run", "s.json", "--integrator", "ida", "--method", "ggl", "--end", "0.01"],
    "checkpoint": ["run", "s.json", "-o", "out.csv", "--every", "0.05", "--checkpoint", "0"],
    "check": ["check", "s.json"],
    "check --json": ["check", "s.json", "--json"],
    "linearize": ["linearize", "s.json", "--equilibrium"],
    "view": ["view", "s.json", "-o", "out.svg"],
    "page": ["view", "s.json", "-o", "out.html"],
    "sweep": ["sweep", "s.json", "--set", "l=1:1.2:3", "--outputs", "b.angle", "-o", "out.csv", "-j", "1"],
    "schema": ["schema"],
    "methods": ["methods", "--json"],
    "compare": ["compare", "s.json", "--methods", "dopri5+s-both2", "--rtols", "1e-3", "--budget", "5", "-j", "1",
                "--repeat", "1", "--report", "out.html", "--end", "0.01"],
}
OUTPUTS = ("out.csv", "out.svg", "out.html", "out.view.html")
UNFINISHED = ("out.csv.json", "out.csv.log")  # what a sweep would go on from


def trammel(*args, **faults):
    # LAPACK is there from the start: the Fortran library that comes with it is not proof against this
    environment = {**os.environ, "LD_PRELOAD": f"{SHIM} liblapack.so.3", **faults}
    return subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          env=environment)


def counted():
    """Requests for memory and writes of the last command."""
    with open("count", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def count(args):
    trammel(*args, FAULT_COUNT="count")
    return counted()


def sample(total):
    """All of 1 ... total, or MOST of them: the first ten and others evenly."""
    if MOST == 0 or total <= MOST:
        return range(1, total + 1)
    first = min(10, MOST)
    return [*range(1, first + 1), *(first + 1 + (total - first) * k // (MOST - first) for k in range(MOST - first))]


def write_scene():
    with open("s.json", "w", encoding="ascii") as file:
        json.dump(SCENE, file)


def check_outputs(older):
    """Each output is what it was before, or whole."""
    for name in UNFINISHED:
        if os.path.exists(name):
            os.remove(name)
    for name in OUTPUTS:
        if os.path.exists(name):
            with open(name, "rb") as file:
                data = file.read()
            ends = {"csv": b"\n", "svg": b"</svg>\n", "html": b"</html>\n"}[name.rsplit(".", 1)[1]]
            assert data == older or (len(data) > 100 and data.endswith(ends)), (name, data[-60:])
            with open(name, "wb") as file:
                file.write(older)


@case
def failed_allocations():
    """Whichever request for memory fails: exit 5, or done without what it was for; never a crash or a torso"""
    write_scene()
    for name, args in COMMANDS.items():
        older = b"older\n"
        for output in OUTPUTS:
            with open(output, "wb") as file:
                file.write(older)
        requests = count(args)[0]
        check_outputs(older)
        for k in sample(requests):
            for sign in ("", "-"):
                result = trammel(*args, FAULT_ALLOC=f"{sign}{k}")
                what = (name, f"{sign}{k} of {requests}", result.returncode, result.stderr[-300:])
                if name == "sweep" and result.returncode == 4:  # runs failed, or their workers, and rows say so
                    with open("out.csv", encoding="utf-8") as table:
                        rows = table.readlines()[1:]
                    assert len(rows) == 3 and any(row.split(",")[1] in ("memory", "killed") for row in rows), what
                    check_outputs(older)
                    continue
                # SUNDIALS is not proof against this, see docs/validation/reliability.md
                assert result.returncode in (0, 5) or (name == "ida" and result.returncode in (-11, -6, 4)), what
                assert result.returncode == 0 or b"emory" in result.stderr or b"cannot be" in result.stderr or \
                    name == "ida", what
                check_outputs(older)


PYTHON = """
import ctypes, sys
import trammel
shim = ctypes.CDLL(sys.argv[1])
shim.fault_seen.restype = ctypes.c_long
shim.fault_arm.argtypes = [ctypes.c_long, ctypes.c_size_t, ctypes.c_size_t]
with open("/proc/self/maps") as file:
    places = [line.split()[0].split("-") for line in file if "libtrammel.so" in line]
low, high = min(int(a, 16) for a, _ in places), max(int(b, 16) for _, b in places)

def work():
    model = trammel.load("s.json")
    run = model.simulate(end=0.02, every=0.01)
    diagnosis = model.check()
    linear = model.query().linearize()
    return run.energy.kinetic[-1], diagnosis.freedoms if hasattr(diagnosis, "freedoms") else str(diagnosis), len(str(linear))

def tried(k):
    shim.fault_arm(k, low, high)
    try:
        return work()
    except trammel.OutOfMemoryError:
        return None
    finally:
        seen.append(shim.fault_seen())
        shim.fault_arm(0, 0, 0)

seen = []
usual = tried(10**9)
total, refused = seen[0], 0
for k in range(1, total + 1):
    found = tried(k)
    assert found is None or found == usual, (k, found, usual)
    refused += found is None
assert tried(10**9) == usual
print(total, refused)
"""


@case
def failed_allocations_in_python():
    """Whichever request of the library fails under the Python package: OutOfMemoryError, and the next call is as ever"""
    write_scene()
    with open(SHIM, "rb") as shim:
        if b"__asan_init" in shim.read():
            raise tap.Skipped("Python itself has no sanitizer, so it cannot load a library that has")
    package = os.path.join(os.path.dirname(PROGRAM), "python")
    for python in ("python3", "/usr/bin/python3"):
        environment = {**os.environ, "LD_PRELOAD": SHIM, "PYTHONPATH": package}
        done = subprocess.run([python, "-c", PYTHON, SHIM], capture_output=True, text=True, check=False, env=environment)
        if "No module named 'numpy'" not in done.stderr:
            break
    else:
        raise tap.Skipped("no Python with NumPy")
    assert done.returncode == 0, done.stderr[-2000:]
    total, refused = map(int, done.stdout.split())
    assert total > 50 and refused > 0.9 * total, (total, refused)


@case
def failed_writes():
    """Whichever write fails, with a full disk, an error of the disk, or after one byte: exit 5 and the reason, or done"""
    write_scene()
    for name in ("record", "view", "checkpoint", "compare"):
        args = COMMANDS[name]
        older = b"older\n"
        for output in OUTPUTS:
            with open(output, "wb") as file:
                file.write(older)
        writes = count(args)[1]
        assert writes > 0, name
        check_outputs(older)
        for k in sample(writes):
            for error in (errno.ENOSPC, errno.EIO, errno.EINTR, 0):
                result = trammel(*args, FAULT_WRITE=f"{k}:{error}", FAULT_COUNT="count")
                came = counted()[1] >= k  # a recording is written when it waits long: on a busy machine more often
                what = (name, k, error, result.returncode, result.stderr[-300:])
                if error in (errno.EINTR, 0) or (result.returncode == 0 and not came):
                    assert result.returncode == 0, what
                elif name == "compare":
                    assert result.returncode in (0, 5), what  # a child of it may have been hit
                else:
                    assert result.returncode == 5 and os.strerror(error).encode() in result.stderr, what
                check_outputs(older)


@case
def calls_that_a_signal_interrupts():
    """A lock, a sync or a close that a signal interrupts is no failure: all is written"""
    write_scene()
    for name in ("record", "checkpoint", "page", "sweep", "compare"):
        for k in range(1, 9):
            result = trammel(*COMMANDS[name], FAULT_SIGNAL=str(k))
            assert result.returncode == 0, (name, k, result)
            for output in OUTPUTS:
                if os.path.exists(output):
                    os.remove(output)


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
