#!/usr/bin/env python3
"""trammel sweep: values, outputs, and a log that survives. Prints TAP.

    tests/tools/sweep_test.py TRAMMEL ROOT      the program, and the root of the project

Expected numbers are closed forms: free flight, and a mass on a spring; what survives is compared with a run that nothing disturbed.
"""
import csv
import json
import math
import os
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import time

import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOUR_BAR = os.path.join(ROOT, "scenes", "four_bar.json")
CASES = []

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


def case(function):
    """Its docstring is the claim; it fails by raising."""
    CASES.append(function)
    return function


def write(name, content):
    with open(name, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content))
    return name


def read(name):
    with open(name, "rb") as file:
        return file.read()


def trammel(*args, **options):
    options.setdefault("timeout", 300)
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


# ---------------------------------------------------------------------------------------- values

@case
def grid():
    """A grid, a list and a log range are multiplied, the last one runs fastest, ends are hit exactly"""
    sweep(write("s.json", FLIGHT), "--set", "u=0:0.3:4", "--set", "w=1,pi", "--set", "g=log:1:100:3", "-o", "a.csv")
    rows = table("a.csv")
    wanted = [(u, w, g) for u in (0, 0.1, 0.2, 0.3) for w in (1, math.pi) for g in (1, 10, 100)]
    assert len(rows) == len(wanted) and [int(row["index"]) for row in rows] == list(range(len(wanted)))
    for row, (u, w, g) in zip(rows, wanted):
        near(row["u"], u, 1e-16), near(row["w"], w, 0), near(row["g"], g, 1e-14)
        near(row["ball.x"], u / 2, 1e-12), near(row["ball.vy"], w - g / 2, 1e-11)
    assert rows[-1]["u"] == "0.29999999999999999" and rows[-1]["g"] == "100"


@case
def outputs():
    """End values, values at a time, extremes within the steps and their times are those of the closed forms"""
    wanted = "ball.y,ball.y@0.2,max(ball.y),tmax(ball.y),min(ball.y),tmin(ball.y),energy.kinetic,t,run.energy_error"
    sweep(write("s.json", FLIGHT), "--set", "w=1,2,3", "--end", "1", "--outputs", wanted, "-o", "a.csv")
    for row, w in zip(table("a.csv"), (1, 2, 3)):
        near(row["ball.y"], w - 9.81 / 2, 1e-11), near(row["ball.y@0.2"], 0.2 * w - 9.81 / 2 * 0.04, 1e-11)
        near(row["max(ball.y)"], w * w / 2 / 9.81, 1e-12), near(row["tmax(ball.y)"], w / 9.81, 1e-7)
        near(row["min(ball.y)"], w - 9.81 / 2, 1e-11), near(row["tmin(ball.y)"], 1, 0)
        near(row["energy.kinetic"], (1 + (w - 9.81) ** 2) / 2, 1e-10), near(row["t"], 1, 0)
        near(row["run.energy_error"], 0, 1e-10)


@case
def oscillation():
    """Extremes of an oscillation: the first of equal ones or another, at its height; velocities too"""
    wanted = "max(mass.x),min(mass.x),tmin(mass.x),max(mass.vx),tmax(mass.vx)"
    sweep(write("s.json", SPRING), "--set", "k=100,400,1600", "--end", "0.6", "--accuracy", "1e-9", "--outputs", wanted, "-o", "a.csv")
    for row, k in zip(table("a.csv"), (100, 400, 1600)):
        w = math.sqrt(k)
        near(row["max(mass.x)"], 1, 1e-8), near(row["max(mass.vx)"], w, 1e-7 * w)
        near(row["min(mass.x)"], -1, 1e-8)
        near(math.cos(w * float(row["tmin(mass.x)"])), -1, 1e-9)
        near(math.sin(w * float(row["tmax(mass.vx)"])), -1, 1e-9)


@case
def initial_values_and_inputs():
    """Initial values and inputs are varied by name, also for a single run"""
    sweep(write("s.json", SPRING), "--set", "mass.x=0.5,2", "--set", "mass.vy=3", "--set", "drive=0,40", "--outputs",
          "mass.x,mass.y", "--accuracy", "1e-9", "--end", "0.3", "-o", "a.csv")
    rows = read("a.csv").decode().splitlines()
    assert rows[0] == "index,status,checks,mass.x[m],drive,mass.x[m],mass.y[m],reason", "a value that is not varied has no column; units are known"
    for line in rows[1:]:
        start, drive, x, y = [float(number) for number in line.split(",")[3:7]]
        near(x, drive / 400 + (start - drive / 400) * math.cos(6), 1e-8), near(y, 3 / 20 * math.sin(6), 1e-8)
    single = trammel("run", "s.json", "--set", "mass.x=2", "--set", "mass.vy=3", "--set", "drive=40", "--accuracy", "1e-9",
                     "--end", "0.3", "--json")
    assert json.loads(single.stdout)["state"]["bodies"]["mass"]["position"] == [x, y]


@case
def same_bits_as_single_runs():
    """A run of a sweep has the bits of the same trammel run, its recording every byte"""
    sweep(FOUR_BAR, "--set", "v0=0.5:2:4", "--end", "0.7", "--recordings", "r", "--every", "0.05", "-o", "a.csv")
    for row in table("a.csv"):
        done = trammel("run", FOUR_BAR, "--set", f"v0={row['v0']}", "--end", "0.7", "--every", "0.05", "-o", "one.csv", "--json")
        state = json.loads(done.stdout)["state"]["bodies"]
        for name, body in state.items():
            assert [float(row[f"{name}.x"]), float(row[f"{name}.y"])] == body["position"], name
        assert read("one.csv") == read(f"r/{row['index']}.csv")


# ----------------------------------------------------------------------------------------- draws

@case
def draws():
    """Uniform and normal draws have the moments of their laws, and do not repeat"""
    sweep(write("s.json", FLIGHT), "--set", "u=uniform:-1:3", "--set", "w=normal:5:2", "--runs", "2000", "--seed", "7", "--end",
          "0.01", "-o", "a.csv")
    rows = table("a.csv")
    u, w = [float(row["u"]) for row in rows], [float(row["w"]) for row in rows]
    n = len(u)
    assert n == len(set(u)) == len(set(w)) == 2000 and -1 < min(u) and max(u) < 3
    near(statistics.mean(u), 1, 4 * 4 / math.sqrt(12 * n)), near(statistics.mean(w), 5, 4 * 2 / math.sqrt(n))
    near(statistics.pvariance(u), 16 / 12, 4 * 16 * math.sqrt(1 / 180 / n))
    near(statistics.pvariance(w), 4, 4 * 4 * math.sqrt(2 / n))
    near(statistics.correlation(u, w), 0, 4 / math.sqrt(n))
    assert statistics.NormalDist(5, 2).cdf(min(w)) * n < 10  # the tails are there


@case
def latin():
    """A Latin hypercube has one draw in each stratum of each column, and the strata are not paired"""
    sweep(write("s.json", FLIGHT), "--set", "u=uniform:0:1", "--set", "w=normal:0:1", "--runs", "500", "--latin", "--end", "0.01",
          "-o", "a.csv")
    rows = table("a.csv")
    normal = statistics.NormalDist()
    u, w = [float(row["u"]) for row in rows], [normal.cdf(float(row["w"])) for row in rows]
    for x in (u, w):
        assert sorted(int(500 * y) for y in x) == list(range(500))
    near(statistics.correlation(u, w), 0, 4 / math.sqrt(500))


@case
def seed_belongs_to_the_index():
    """What a run draws depends on seed, name and index: not on the number of runs, other columns or workers"""
    write("s.json", FLIGHT)
    sweep("s.json", "--set", "u=uniform:0:1", "--runs", "40", "--end", "0.01", "-j", "3", "-o", "a.csv")
    sweep("s.json", "--set", "w=normal:0:1", "--set", "u=uniform:0:1", "--runs", "15", "--end", "0.01", "-o", "b.csv")
    sweep("s.json", "--set", "u=uniform:0:1", "--runs", "15", "--end", "0.01", "--seed", "1", "-o", "c.csv")
    a, b, c = ([row["u"] for row in table(name)] for name in ("a.csv", "b.csv", "c.csv"))
    assert a[:15] == b and not set(a) & set(c)


# ------------------------------------------------------------------------------------ a log that survives

@case
def same_bytes():
    """The table has the same bytes for any -j, in parts of any number, and when it is asked for again"""
    sweep(*FOUR, "-j", "1", "-o", "a.csv")
    sweep(*FOUR, "-j", "3", "-o", "b.csv")
    for i in (3, 1, 2):
        sweep(*FOUR, "--shard", f"{i}/3", "-o", "c.csv")
        assert not os.path.exists("c.csv")
    sweep("--merge", "-o", "c.csv")
    assert read("a.csv") == read("b.csv") == read("c.csv")
    log = read("a.csv.log")
    sweep(*FOUR, "-o", "a.csv")
    assert read("a.csv.log") == log and read("a.csv") == read("b.csv")


@case
def torn():
    """A torn last row is dropped, a blank line and a changed row are passed over; the table is the undisturbed one"""
    sweep(*FOUR, "-j", "1", "-o", "a.csv")
    whole, lines = read("a.csv"), read("a.csv.log").splitlines(keepends=True)
    changed = lines[4].replace(b"done", b"gone")
    for log in (
        b"".join(lines[:5]) + lines[5][:17],
        b"".join(lines[:5]) + lines[5][:-1],
        b"".join(lines[:4]) + b"\n\n" + lines[5],
        b"".join(lines[:4]) + changed + b"".join(lines[5:]),
        lines[0][:9],
        b"",
    ):
        os.remove("a.csv")
        with open("a.csv.log", "wb") as file:
            file.write(log)
        sweep(*FOUR, "-j", "1", "-o", "a.csv")
        assert read("a.csv") == whole, log
        assert read("a.csv.log").startswith(lines[0])


def start(*args):
    return subprocess.Popen([PROGRAM, "sweep", *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for_rows(name, rows, process):
    while process.poll() is None and (not os.path.exists(name) or read(name).count(b"\n") <= rows):
        time.sleep(0.002)


def workers_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


LONG = [FOUR_BAR, "--set", "v0=0.5:2:300", "--end", "4", "--outputs", "coupler_0.x,max(coupler_0.vy)", "-j", "2"]


@case
def killed():
    """Whoever is killed, workers or the program, at random times: the same command then gives the undisturbed bytes"""
    sweep(*LONG, "-o", "a.csv")
    rng = random.Random(18)
    for trial in range(6):
        name = f"k{trial}.csv"
        process = start(*LONG, "-o", name)
        for _ in range(3):
            wait_for_rows(name + ".log", rng.randrange(200), process)
            victims = workers_of(process.pid)
            try:
                os.kill(rng.choice(victims) if victims and trial % 2 else process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait(60)
        sweep(*LONG, "-o", name)
        assert read(name) == read("a.csv"), trial


@case
def interrupted():
    """Ctrl-C stops cleanly: exit 130, whole rows; the same command goes on"""
    sweep(*LONG, "-o", "a.csv")
    process = subprocess.Popen([PROGRAM, "sweep", *LONG, "-o", "b.csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_rows("b.csv.log", 5, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    log = read("b.csv.log")
    assert process.returncode == 130 and err == "" and "The same command goes on" in out, (process.returncode, out, err)
    assert log.endswith(b"\n") and not os.path.exists("b.csv")
    sweep(*LONG, "-o", "b.csv")
    assert read("b.csv.log").startswith(log) and read("b.csv") == read("a.csv")


@case
def full_disk():
    """A full disk ends the sweep with a sentence and exit 5; what is written is kept, and the same command goes on"""
    sweep(*FOUR, "-o", "a.csv")
    sizes = len(read("a.csv.json")), len(read("a.csv.log"))
    most = sum(sizes) // 2  # the manifest fits, the log does not
    assert sizes[0] + 100 < most < sizes[1] - 100
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # noqa: E731
    done = sweep(*FOUR, "-o", "b.csv", code=5, preexec_fn=full)
    assert "writing failed" in done.stderr and "kept" in done.stderr, done.stderr
    log = read("b.csv.log")
    assert log.endswith(b"\n") and log.count(b"\n") > 5
    sweep(*FOUR, "-o", "b.csv")
    assert read("b.csv") == read("a.csv") and read("b.csv.log").startswith(log)


@case
def locked():
    """Two commands do not write one log"""
    process = start(*LONG, "-o", "a.csv")
    wait_for_rows("a.csv.log", 1, process)
    process.send_signal(signal.SIGSTOP)
    refused(*LONG, "-o", "a.csv", says="another run is writing", code=5)
    process.send_signal(signal.SIGCONT)
    assert process.wait(120) == 0


@case
def memory():
    """Ten times the runs take no more memory than a few bytes each"""
    write("s.json", FLIGHT)
    peak = []
    for n in (1000, 20000):
        process = subprocess.Popen([PROGRAM, "sweep", "s.json", "--set", "u=uniform:0:1", "--runs", str(n), "-o", f"m{n}.csv"],
                                   stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        assert status == 0
        peak.append(used.ru_maxrss)
    assert peak[1] - peak[0] < 2000, f"{peak} kB"


# ------------------------------------------------------------------------------------------ failures

@case
def failed_runs():
    """A failed run is a row with its own reason, the others go on, exit 4 and the number say so"""
    write("s.json", FLIGHT)
    done = sweep("s.json", "--set", "b=0,1,2,3", "-o", "a.csv", code=4)
    rows = table("a.csv")
    assert [row["status"] for row in rows] == ["done", "done", "scene", "scene"]
    assert "4 of 4 runs, 2 failed" in done.stdout, done.stdout
    assert "mass" in rows[2]["reason"] and "-1" in rows[3]["reason"] and rows[0]["reason"] == rows[2]["ball.x"] == ""
    assert [row["b"] for row in rows] == ["0", "1", "2", "3"]
    sweep("s.json", "--set", "b=0,1,2,3", "-o", "a.csv", code=4)  # nothing left to do: still failed


@case
def failures_by_name():
    """A start that does not close is inconsistent, a motion that blows up diverged"""
    write("open.json", FLIGHT | {"joints": [{"name": "rod", "type": "rod", "bodies": ["ground", "ball"], "at": [[0, 0], ["u", 0]], "length": "m"}],
                                 "bodies": [FLIGHT["bodies"][0] | {"position": ["u", 0], "velocity": [0, 0]}]})
    sweep("open.json", "--set", "u=1,2", "-o", "a.csv", code=4)
    assert [row["status"] for row in table("a.csv")] == ["done", "inconsistent"], table("a.csv")
    write("blow.json", SPRING | {"forces": [{"type": "force", "name": "f", "marker": "p", "value": ["k*p.x^3", 0]}]})
    sweep("blow.json", "--set", "k=-1,1000", "-o", "b.csv", code=4)
    assert [row["status"] for row in table("b.csv")] == ["done", "diverged"], table("b.csv")


@case
def all_failed():
    """A sweep whose runs all fail does not exit 0"""
    done = sweep(write("s.json", FLIGHT), "--set", "b=2:9:8", "-o", "a.csv", code=4)
    assert "8 failed" in done.stdout


@case
def nothing_left_behind():
    """A run does not depend on those before it: settings that exclude each other on the way, runs that failed, the order"""
    write("s.json", FLIGHT)
    # a - b > 0 in every row, but not with a of one row and b of another
    samples = "a,b\n" + "".join(f"{10 ** k + 1},{10 ** k}\n" for k in range(6)) + "1,5\n3,2\n"
    write("x.csv", samples)
    sweep("s.json", "--samples", "x.csv", "-j", "1", "--outputs", "energy.kinetic", "-o", "a.csv", code=4)
    rows = table("a.csv")
    assert [row["status"] for row in rows] == 6 * ["done"] + ["scene", "done"], rows
    for row in rows[:6] + rows[7:]:
        near(row["energy.kinetic"], (1 + (3 - 4.905) ** 2) / 2, 1e-10)
    for i in range(8, 0, -1):
        sweep("s.json", "--samples", "x.csv", "--outputs", "energy.kinetic", "--shard", f"{i}/8", "-o", "b.csv", code=4 if i == 7 else 0)
    sweep("--merge", "-o", "b.csv", code=4)
    assert read("a.csv") == read("b.csv")


@case
def until():
    """A run that an event ends is done, at the time of the event"""
    write("s.json", FLIGHT | {"markers": [{"name": "p", "body": "ball", "at": [0, 0]}]})
    sweep("s.json", "--set", "w=1,2,3", "--end", "5", "--until", "p.y < -0.01", "--outputs", "t,ball.y,ball.x@1,ball.x@0.1",
          "-o", "a.csv")
    for row, w in zip(table("a.csv"), (1, 2, 3)):
        near(row["t"], (w + math.sqrt(w * w + 2 * 9.81 * 0.01)) / 9.81, 1e-8)
        assert row["status"] == "done" and row["ball.x@1"] == "" and abs(float(row["ball.x@0.1"]) - 0.1) < 1e-12


# -------------------------------------------------------------------------------------------- parts

@case
def parts():
    """Missing parts, unfinished ones and overlapping ones are named; tasks of a Slurm array are parts"""
    for i in (1, 4):
        sweep(*FOUR, "--shard", f"{i}/4", "-o", "a.csv")
    refused("--merge", "-o", "a.csv", says=r"2 of 4 parts are missing: 2, 3", code=5)
    environment = os.environ | {"SLURM_ARRAY_TASK_ID": "30", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_STEP": "10"}
    sweep(*FOUR, "-o", "a.csv", env=environment)
    sweep(*FOUR, "-j", "1", "-o", "a.csv", env=environment | {"SLURM_ARRAY_TASK_ID": "20"})
    log = read("a.csv.part-2-of-4.log")  # runs 1, 5, 9, 13, 17
    with open("a.csv.part-2-of-4.log", "wb") as file:
        file.write(b"".join(log.splitlines(keepends=True)[:2]))
    refused("--merge", "-o", "a.csv", says=r"4 of 21 runs are missing, the first is run 5 of part 2 of 4", code=5)
    sweep(*FOUR, "--shard", "2/4", "-o", "a.csv")
    sweep("--merge", "-o", "a.csv")
    sweep(*FOUR, "-o", "b.csv")
    assert read("a.csv") == read("b.csv")
    sweep(*FOUR, "--shard", "1/3", "-o", "a.csv")
    refused("--merge", "-o", "a.csv", says="overlap")
    os.remove("a.csv.part-1-of-3.log")
    with open("a.csv.part-3-of-4.log", "ab") as file:
        file.write(log.splitlines(keepends=True)[2])
    refused("--merge", "-o", "a.csv", says="the parts overlap: run 5 is in part 2 and in part 3")
    refused(*FOUR, "-o", "bad.csv", "--shard", "5/4", says="1 <= I <= N")
    refused("--merge", "-o", "none.csv", says="no log", code=5)


@case
def parts_of_two_studies():
    """Parts of different studies are not merged"""
    sweep(*FOUR, "--shard", "1/2", "-o", "a.csv")
    sweep(*FOUR, "--accuracy", "1e-7", "--shard", "2/2", "-o", "a.csv")
    refused("--merge", "-o", "a.csv", says="another sweep than part 1")


# ----------------------------------------------------------------------------------------- bad input

@case
def another_study():
    """A log is not continued with another seed, setting, scene or version: the difference is named"""
    write("s.json", FLIGHT)
    base = ["s.json", "--set", "u=uniform:0:1", "--runs", "5", "-o", "a.csv"]
    sweep(*base)
    log = read("a.csv.log")
    refused(*base, "--seed", "2", says="another --seed")
    refused(*base[:-4], "--runs", "6", "-o", "a.csv", says="another --runs")
    refused(*base, "--set", "w=2", says="another --set")
    refused(*base, "--outputs", "t", says="another --outputs")
    refused(*base, "--integrator", "rk4", "--step", "0.01", says="another method")
    write("s.json", FLIGHT | {"title": "another"})
    refused(*base, says="another scene")
    write("s.json", FLIGHT)
    manifest = json.loads(read("a.csv.json"))
    write("a.csv.json", manifest | {"study": manifest["study"] | {"version": "0.0.9"}})
    refused(*base, says='another version .*"0.0.9"')
    write("a.csv.json", "{}")
    refused(*base, says="no manifest")
    assert read("a.csv.log") == log
    write("a.csv.json", manifest)
    sweep(*base)
    assert manifest["command"][:3] == ["trammel", "sweep", "s.json"] and manifest["runs"] == 5


@case
def tables_beside_the_scene():
    """A changed table beside the scene is a changed scene"""
    write("cam.csv", "x,y\n0,1\n1,2\n2,3\n")
    write("s.json", FLIGHT | {"tables": {"cam": {"file": "cam.csv", "x": "x", "y": "y"}}})
    base = ["s.json", "--set", "u=1,2", "-o", "a.csv"]
    sweep(*base)
    write("cam.csv", "x,y\n0,1\n1,2\n2,4\n")
    refused(*base, says="another scene")


@case
def bad_names():
    """Parameters, outputs and columns that do not exist are refused before the first run, with near names"""
    write("s.json", FLIGHT)
    refused("s.json", "--set", "uu=1:2:3", "-o", "bad.csv", says='no parameter "uu".*"u"')
    refused("s.json", "--set", "ball.vv=1:2:3", "-o", "bad.csv", says='no number of the initial state "ball.vv".*ball.v')
    refused("s.json", "--set", "u=1,2", "--outputs", "ball.z", "-o", "bad.csv", says='no output is called "ball.z".*ball.[xy]')
    refused("s.json", "--set", "u=1,2", "--outputs", "max(bal.x)", "-o", "bad.csv", says='"bal.x".*ball.x')
    refused("s.json", "--set", "u=1,2", "--outputs", "run.step", "-o", "bad.csv", says="run.steps")
    refused("s.json", "--set", "u=1,2", "--outputs", "t,t", "-o", "bad.csv", says="twice")
    refused("s.json", "--set", "u=1,2", "--outputs", "ball.x@9", "-o", "bad.csv", says="behind the end")
    refused("s.json", "--set", "u=1,2", "--set", "u=3", "-o", "bad.csv", says="set twice")
    assert sorted(os.listdir()) == ["s.json"], os.listdir()


@case
def bad_ranges():
    """Ranges, draws and counts that make no sense are refused"""
    write("s.json", FLIGHT)
    for setting, says in (("u=1:2", "FIRST:LAST:N"), ("u=1:2:2.5", "whole number"), ("u=1:2:0", "whole number"), ("u=1:2:1", "one value"),
                          ("u=log:-1:2:3", "one sign"), ("u=normal:1:-2", ">= 0"), ("u=uniform:2:1", "below"), ("u=uniform:2", "FROM:TO"),
                          ("u=1,x", "expected a number"), ("u=0:1:100000001", "at most|whole"), ("u=3", "nothing is varied"),
                          ("u=uniform:0:nan", "number")):
        refused("s.json", "--set", setting, "-o", "bad.csv", says=says)
    refused("s.json", "--set", "u=1,2", "--runs", "4", "-o", "bad.csv", says="is for draws")
    refused("s.json", "--set", "u=1:2:10000", "--set", "w=1:2:100000", "-o", "bad.csv", says="at most")
    refused("s.json", "--set", "u=1,2", says="where to")
    refused("s.json", "--set", "u=1,2", "-o", "bad.txt", says="csv")
    refused("s.json", "--set", "u=1,2", "--every", "0.1", "-o", "bad.csv", says="--recordings")
    refused("s.json", "--merge", "-o", "bad.csv", says="takes no file|alone")


@case
def bad_samples():
    """A sample file with a wrong column, a NaN, a short line or none is refused with its line"""
    write("s.json", FLIGHT)
    for text, says in (("u,ww\n1,2\n", 'no parameter "ww"'), ("u,w\n1,nan\n", 'x.csv:2: column "w".*nan'), ("u,w\n1,2\n3\n", "x.csv:3: expected 2 numbers, got 1"),
                       ("u,w\n1,2,3\n", "x.csv:2: more numbers"), ("u,w\n", "no line of numbers"), ("", "name the columns"), ("u,w\n1,\n", 'got ""'),
                       ("u,,w\n1,2,3\n", "column 2 has no name"), ("u,u\n1,2\n", "twice"), ("u\n1e400\n", "finite")):
        write("x.csv", text)
        refused("s.json", "--samples", "x.csv", "-o", "bad.csv", says=says)
    refused("s.json", "--samples", "none.csv", "-o", "bad.csv", says="none.csv", code=5)
    write("x.csv", "\ufeffu , \"w\"\r\n1,2\r\n\r\n3,4\r\n")
    sweep("s.json", "--samples", "x.csv", "-o", "a.csv")
    assert [(row["u"], row["w"]) for row in table("a.csv")] == [("1", "2"), ("3", "4")]
    refused("s.json", "--samples", "x.csv", "--set", "g=1:2:3", "-o", "bad.csv", says="single values")


@case
def bad_places():
    """A result that cannot be written, or would overwrite what is read, is refused before the first run"""
    write("s.json", FLIGHT)
    refused("s.json", "--set", "u=1,2", "-o", "none/bad.csv", says="cannot be written", code=5)
    write("x.csv", "u\n1\n")
    refused("s.json", "--samples", "x.csv", "-o", "x.csv", says="would overwrite")
    refused("s.json", "--set", "u=1,2", "--recordings", "s.json/x", "-o", "bad.csv", says="cannot be written", code=5)
    assert read("x.csv") == b"u\n1\n"


@case
def a_worker():
    """--rows is a worker for other engines: the study, then a row for each index, in that order"""
    write("s.json", FLIGHT)
    base = ["s.json", "--set", "u=1:9:9"]
    sweep(*base, "-o", "a.csv")
    done = sweep(*base, "--rows", input="7\n2\n", stdin=None)
    first, *rows = done.stdout.splitlines()
    assert first.startswith("study ") and first.split(" ", 3)[2] == "9"
    assert first.split(" ", 3)[3] == read("a.csv").decode().splitlines()[0]
    log = read("a.csv.log").decode().splitlines()
    assert rows == [line for i in (7, 2) for line in log if line.startswith(f"{i},")]
    done = trammel("sweep", *base, "--rows", input="9\n", stdin=None)
    assert done.returncode == 1 and "below 9" in done.stderr


MPI = os.path.join(os.path.dirname(PROGRAM), "trammel-mpi")
ROOT_MAY = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def ranks(n, *args, **options):
    tap.need("mpirun")
    if not os.path.exists(MPI):
        raise tap.Skipped("no trammel-mpi: no MPI when it was built")
    return subprocess.Popen(["mpirun", "--oversubscribe", "-n", str(n), MPI, "sweep", *args], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=ROOT_MAY, **options)


@case
def mpi():
    """Ranks of MPI give the same bytes, after the death of one too; refusals end all of them"""
    process = ranks(3, *LONG, "-o", "b.csv")
    wait_for_rows("b.csv.log", 10, process)
    listed = subprocess.run(["pgrep", "-P", str(process.pid), "-f", "trammel-mpi"], capture_output=True, text=True, check=False).stdout.split()
    if listed:
        os.kill(int(listed[-1]), signal.SIGKILL)  # of our own mpirun
    process.communicate(timeout=120)
    out, err = (process := ranks(3, *LONG, "-o", "b.csv")).communicate(timeout=120)
    assert process.returncode == 0 and "300 of 300 runs, 0 failed" in out, (out, err)
    sweep(*LONG, "-o", "a.csv")
    assert read("a.csv") == read("b.csv")
    out, err = (process := ranks(2, *LONG, "-o", "b.csv")).communicate(timeout=120)  # nothing left to do
    assert process.returncode == 0, (out, err)
    out, err = (process := ranks(2, FOUR_BAR, "--set", "vv=1,2", "-o", "bad.csv")).communicate(timeout=120)
    assert process.returncode == 1 and err.count('no parameter "vv"') == 1 and not os.path.exists("bad.csv"), (out, err)
    out, err = (process := ranks(1, *LONG, "-o", "bad.csv")).communicate(timeout=120)
    assert process.returncode == 1 and "two ranks" in err, (out, err)


@case
def keeper():
    """--collect says which runs are missing, keeps rows and deaths, and makes the table when all are there"""
    write("s.json", FLIGHT)
    base = ["s.json", "--set", "u=1:9:9"]
    sweep(*base, "-o", "a.csv")
    rows = sweep(*base, "--rows", input="".join(f"{i}\n" for i in (4, 0, 1, 7)), stdin=None).stdout.splitlines(keepends=True)[1:]
    done = sweep(*base, "-o", "b.csv", "--collect", input="".join(rows[:3]) + rows[3][:20] + "\n" + rows[0], stdin=None)
    assert done.stdout.splitlines()[1:3] == ["todo 0 8 1", "go"] and not os.path.exists("b.csv")
    done = sweep(*base, "-o", "b.csv", "--collect", input="killed 2 a worker was lost\n", stdin=None, code=4)
    assert done.stdout.splitlines()[1:4] == ["todo 2 3 1", "todo 5 8 1", "go"]
    refused(*base, "-o", "b.csv", "--collect", "--shard", "x", says="I/N")
    sweep(*base, "-o", "b.csv", code=4)
    assert [row["status"] for row in table("b.csv")] == 2 * ["done"] + ["killed"] + 6 * ["done"]
    assert table("b.csv")[2]["reason"] == "a worker was lost"


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
