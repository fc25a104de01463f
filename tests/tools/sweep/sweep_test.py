#!/usr/bin/env python3
"""trammel sweep: values, outputs and draws. Prints TAP.

    tests/tools/sweep/sweep_test.py TRAMMEL ROOT      the program, and the root of the project

Expected numbers are closed forms: free flight, and a mass on a spring.
"""
import fcntl
import json
import math
import os
import pty
import re
import statistics
import struct
import subprocess
import termios

import tap
from tap import case
from sweep_rig import FLIGHT, FOUR_BAR, PROGRAM, SPRING, near, read, refused, run_cases, sweep, table, trammel, write


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
def until():
    """A run that an event ends is done, at the time of the event"""
    write("s.json", FLIGHT | {"markers": [{"name": "p", "body": "ball", "at": [0, 0]}]})
    sweep("s.json", "--set", "w=1,2,3", "--end", "5", "--until", "p.y < -0.01", "--outputs", "t,ball.y,ball.x@1,ball.x@0.1",
          "-o", "a.csv")
    for row, w in zip(table("a.csv"), (1, 2, 3)):
        near(row["t"], (w + math.sqrt(w * w + 2 * 9.81 * 0.01)) / 9.81, 1e-8)
        assert row["status"] == "done" and row["ball.x@1"] == "" and abs(float(row["ball.x@0.1"]) - 0.1) < 1e-12


@case
def progress():
    """On a terminal: how far, the rate, the time left and the failures; nothing of it in a file"""
    write("s.json", FLIGHT)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
    process = subprocess.Popen([PROGRAM, "sweep", "s.json", "--set", "b=0:4:4001", "--end", "20", "-j", "1", "-o", "a.csv"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while more := os.read(ours, 4096):
            shown += more
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert process.wait(tap.PATIENCE) == 4
    assert re.search(rb"\d+ %  \d+ of 4001 runs, [\d.e+]+ a second, \d+ s left, \d+ failed", shown), shown[-300:]
    assert sweep("s.json", "--set", "b=0:0.4:5", "-o", "b.csv").stderr == ""


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


@case
def keeper():
    """--collect says which runs are missing, keeps rows and deaths, and makes the table when all are there"""
    write("s.json", FLIGHT)
    base = ["s.json", "--set", "u=1:9:9"]
    sweep(*base, "-o", "a.csv")
    rows = sweep(*base, "--rows", input="".join(f"{i}\n" for i in (4, 0, 1, 7)), stdin=None).stdout.splitlines(keepends=True)[1:]
    done = sweep(*base, "-o", "b.csv", "--collect", input="".join(rows[:3]) + rows[3][:20] + "\n" + rows[0], stdin=None, code=1)
    assert done.stdout.splitlines()[1:3] == ["todo 0 8 1", "go"] and not os.path.exists("b.csv")
    done = sweep(*base, "-o", "b.csv", "--collect", input="killed 2 a worker was lost\n", stdin=None, code=1)
    assert done.stdout.splitlines()[1:4] == ["todo 2 3 1", "todo 5 8 1", "go"]
    refused(*base, "-o", "b.csv", "--collect", "--shard", "x", says="I/N")
    sweep(*base, "-o", "b.csv", code=4)
    assert [row["status"] for row in table("b.csv")] == 2 * ["done"] + ["killed"] + 6 * ["done"]
    assert table("b.csv")[2]["reason"] == "a worker was lost"


if __name__ == "__main__":
    run_cases()
