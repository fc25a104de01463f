"""trammel sweep: what its tests share."""
import csv
import functools
import json
import os
import re
import subprocess
import sys

from tap import CASES, case, contents as read
import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOUR_BAR = os.path.join(ROOT, "scenes", "four_bar.json")

FLIGHT = {
    "dimension": 2,
    "parameters": {"g": 9.81, "u": 1, "w": 3, "m": 1, "a": 2, "b": 1},
    "gravity": [0, "-g"],
    "bodies": [{"name": "ball", "shape": {"type": "point"}, "mass": "a - b", "position": [0, 0], "velocity": ["u", "w"]}],
    "simulation": {"end": 0.5},
}
# Released at x = 1 with 20 rad/s: x = cos 20 t.
SPRING = {
    "dimension": 2,
    "parameters": {"k": 400, "x0": 1, "drive": {"value": 0, "input": True}},
    "bodies": [{"name": "mass", "shape": {"type": "point"}, "mass": 1, "position": ["x0", 0]}],
    "markers": [{"name": "p", "body": "mass", "at": ["x0", 0]}],
    "forces": [{"type": "force", "name": "spring", "marker": "p", "value": ["-k*p.x + drive", "-400*p.y"]}],
    "simulation": {"end": 1},
}


def write(name, content):
    with open(name, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))
    return name


def trammel(*args, **options):
    options.setdefault("timeout", tap.PATIENCE)
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([PROGRAM, *args], capture_output=True, check=False, text=True, **options)


def sweep(*args, code=0, **options):
    done = trammel("sweep", *args, **options)
    assert done.returncode == code, f"exit {done.returncode}, not {code}: {done.stderr!r} {done.stdout!r}"
    return done


def refused(*args, says, code=1):
    done = sweep(*args, code=code)
    assert done.stderr.startswith("error: ") and re.search(says, done.stderr), f"{says!r} not in {done.stderr!r}"
    assert not os.path.exists("bad.csv"), "a refused sweep has left a table"


def table(name):
    """Rows by the names of their columns, without units."""
    with open(name, newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
        return [dict(zip([name.split("[")[0] for name in names], row)) for row in rows]


def near(found, wanted, tolerance):
    assert abs(float(found) - wanted) <= tolerance, f"{found} is not {wanted} to {tolerance}"


FOUR = [FOUR_BAR, "--set", "v0=0.5:2:7", "--set", "l=0.9,1,1.1", "--end", "0.5", "--outputs", "coupler_0.x,max(coupler_0.vy),run.steps"]
LONG = [FOUR_BAR, "--set", "v0=0.5:2:300", "--end", "4", "--outputs", "coupler_0.x,max(coupler_0.vy)", "-j", "2"]
MPI = os.path.join(os.path.dirname(PROGRAM), "trammel-mpi")
ROOT_MAY = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@functools.cache
def python_with_dask():
    """The Python that has Dask, which takes a second to import."""
    for path in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([path, "-c", "import distributed, numpy"], capture_output=True, check=False).returncode == 0:
            return path
    raise tap.Skipped("no Python with distributed (Debian: python3-distributed)")


def start(*args):
    return subprocess.Popen([PROGRAM, "sweep", *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for_rows(name, rows, process):
    tap.until(lambda: os.path.exists(name) and read(name).count(b"\n") > rows, process)


def workers_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def ranks(n, *args, **options):
    tap.need("mpirun")
    if not os.path.exists(MPI):
        raise tap.Skipped("no trammel-mpi: no MPI when it was built")
    return subprocess.Popen(["mpirun", "--oversubscribe", "-n", str(n), MPI, "sweep", *args], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=ROOT_MAY, **options)


def run_cases():
    sys.exit(tap.run(CASES, in_folders=True))
