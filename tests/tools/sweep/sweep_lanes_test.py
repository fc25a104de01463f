#!/usr/bin/env python3
"""trammel sweep in lanes: the bytes of runs made one by one. Prints TAP.

    tests/tools/sweep/sweep_lanes_test.py TRAMMEL ROOT      the program, and the root of the project
"""
import json
import os
import subprocess
import sys

from tap import CASES, case, contents as read
import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def scene(name):
    with open(os.path.join(ROOT, "scenes", name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def write(name, content):
    with open(name, "w", encoding="utf-8") as file:
        json.dump(content, file)
    return name


def sweep(*args, code=0):
    done = subprocess.run([PROGRAM, "sweep", *args], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode == code, f"exit {done.returncode}, not {code}: {done.stderr!r} {done.stdout!r}"
    return done.stdout


def four_bar():
    """With a marker whose place is a matter of the parameter."""
    bars = scene("four_bar")
    bars["markers"] = [{"name": "point", "body": "coupler_0", "at": ["l/3", "l"]}]
    return write("bars.json", bars)


@case
def any_width():
    """Any number of lanes and processes makes the same table and recordings, of runs that fail, stop or end early too"""
    bars = four_bar()
    what = [bars, "--set", "l=0:1.5:16", "--set", "v0=1,2.5", "--end", "2", "--outputs", "point.x,coupler_0.y@1.2,run.steps,run.evaluations,run.crossings"]
    sweep(*what, "--lanes", "1", "-j", "1", "-o", "alone.csv", "--recordings", "alone", code=4)  # l = 0
    alone = read("alone.csv")
    assert alone.count(b",done,") == 30 and len(set(alone.splitlines())) == 33
    for lanes in ("2", "4", "8"):
        out = sweep(*what, "--lanes", lanes, "-j", "1" if lanes == "4" else "2", "-o", f"by{lanes}.csv", "--recordings", f"by{lanes}", code=4)
        assert read(f"by{lanes}.csv") == alone and "32 of 32 runs, 2 failed" in out
        assert sorted(os.listdir(f"by{lanes}")) == sorted(os.listdir("alone"))
        for name in os.listdir("alone"):
            assert read(os.path.join("alone", name)) == read(os.path.join(f"by{lanes}", name)), name


@case
def trees():
    """Chains, whose steps are refused now and then; --until ends runs at different times"""
    chain = os.path.join(ROOT, "scenes", "chain_10.json")
    what = [chain, "--set", "l=uniform:0.5:2", "--runs", "24", "--end", "1.5", "--until", "bar_1.angle < -1", "--outputs", "t,bar_10.x,run.steps"]
    sweep(*what, "--lanes", "1", "-o", "alone.csv")
    sweep(*what, "-o", "lanes.csv")
    assert read("alone.csv") == read("lanes.csv")
    what = [chain, "--set", "l=uniform:0.5:2", "--runs", "24", "--end", "1.5", "--outputs", "bar_10.x,run.steps,run.energy_error"]
    sweep(*what, "--lanes", "1", "-o", "alone2.csv")
    assert "stepped together" in sweep(*what, "-o", "lanes2.csv")
    assert read("alone2.csv") == read("lanes2.csv")


@case
def going_on():
    """A sweep begun with one number of lanes goes on with another"""
    bars = four_bar()
    what = [bars, "--set", "v0=0.5:2:60", "--end", "2", "--outputs", "point.x,run.steps"]
    sweep(*what, "--lanes", "1", "-o", "a.csv")
    table = read("a.csv")
    log = read("a.csv.log")
    os.remove("a.csv")
    with open("a.csv.log", "wb") as file:
        file.write(b"".join(log.splitlines(keepends=True)[:23]) + b"22,done,go")  # a torn row
    assert "60 of 60 runs" in sweep(*what, "--lanes", "4", "-j", "1", "-o", "a.csv")
    assert read("a.csv") == table


@case
def what_is_said():
    """The summary says how many runs step together, or why none do"""
    run = ["--end", "0.1", "--outputs", "t"]
    assert "2 runs stepped together in each process" in sweep(four_bar(), *run, "--set", "m=1,2", "--lanes", "2", "-o", "two.csv")
    for name, set_, why in (("slider_crank_turn", "m=1,2", "not a planar mechanism of pins alone"), ("bricard", "m=1,2", "not a planar mechanism of pins alone"), ("bouncing_ball", "h=1,2", "contacts, events or formulas")):
        out = sweep(os.path.join(ROOT, "scenes", name + ".json"), *run, "--set", set_, "-o", name + ".csv")
        assert "one by one" in out and why in out, out
    assert "--budget" in sweep(four_bar(), *run, "--set", "m=1,2", "-o", "budget.csv", "--budget", "100")
    assert "stepped" not in sweep(four_bar(), *run, "--set", "m=1,2", "-o", "one.csv", "--lanes", "1")


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
