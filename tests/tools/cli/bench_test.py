#!/usr/bin/env python3
"""validation/bench runs, keeps its accuracy, and answers bad input with a sentence. Prints TAP.

    tests/tools/cli/bench_test.py BUILD ROOT      the build folder, and the root of the project
"""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

from tap import CASES, case
import tap

BUILD, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def bench(code, *args, build=BUILD):
    program = [sys.executable, os.path.join(ROOT, "validation", "bench"), "--build", build]
    done = subprocess.run([*program, *args], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == code, f"exit {done.returncode}, not {code}: {done.stdout}"
    return done.stdout


def says(text, *sentences):
    assert "Traceback" not in text, text
    for sentence in sentences:
        assert sentence in text, f"{sentence!r} is not in {text!r}"


@case
def brief():
    """--brief: every problem runs and reaches L2 at accuracy 1e-6; all figures are in the JSON"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "brief.json")
        says(bench(0, "--brief", "--json", path), "pendulum", "Andrews")
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["brief"]
    assert len(rows) == 6, rows
    assert all(row["fault"] is None and row["run"]["evaluations"] > 0 for row in rows), rows


@case
def the_build_folder_is_found():
    """Without --build: the folder build beside validation is measured"""
    with tempfile.TemporaryDirectory() as folder:
        tools, validation = os.path.join(folder, "tools"), os.path.join(folder, "validation")
        shutil.copytree(os.path.join(ROOT, "validation", "benchmarks"), os.path.join(validation, "benchmarks"))
        shutil.copy(os.path.join(ROOT, "validation", "bench"), validation)
        os.mkdir(tools)
        for name in glob.glob(os.path.join(ROOT, "tools", "*.py")):
            shutil.copy(name, tools)
        os.symlink(os.path.join(ROOT, "scenes"), os.path.join(folder, "scenes"))
        os.symlink(BUILD, os.path.join(folder, "build"))
        program = [sys.executable, os.path.join(validation, "bench"), "--problem", "pendulum", "--accuracy", "1e-3", "--repeats", "1"]
        done = subprocess.run(program, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout
    says(done.stdout, "pendulum")


@case
def out_of_reach():
    """An accuracy that nothing can reach: what was run instead is said"""
    says(bench(0, "--problem", "pendulum", "--accuracy", "1e-16", "--repeats", "1"),
         "beyond what Trammel can do; it ran with its finest tolerance")
    says(bench(2, "--accuracy", "2"), "between 0 and 1")


@case
def no_peers():
    """Peers that are not there: Trammel runs alone and says so"""
    says(bench(0, "--problem", "pendulum", "--peers", "/nowhere", "--repeats", "1"),
         "There is no /nowhere/ida_peer", "There is no /nowhere/simbody_peer",
         "no ratio to it is given")


PEER = """#!/bin/sh
echo '{"cpu_s": 1.5, "status": "ok", "energy_drift_rel": 1e-4, "constraint_drift_max": 1e-5}'
"""


@case
def a_peer():
    """A peer that is there: its time, its setting and the ratios of the level that it reaches, only of that"""
    with tempfile.TemporaryDirectory() as folder:
        program, path = os.path.join(folder, "ida_peer"), os.path.join(folder, "peer.json")
        with open(program, "w", encoding="utf-8") as file:
            file.write(PEER)
        os.chmod(program, 0o755)
        says(bench(0, "--problem", "pendulum", "--peers", folder, "--repeats", "1", "--json", path),
             "x IDA", "There is no " + os.path.join(folder, "simbody_peer"))
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["levels"]
    assert [list(row["peers"]) for row in rows] == [["IDA"], [], []], rows
    ida = rows[0]["peers"]["IDA"]
    assert ida["cpu_s"] == 1.5 and ida["tolerance"] == 1e-3 and ida["settings"]["METHOD"] == "klu", ida
    ours = rows[0]["cpu_s"]  # 0 where a virtual machine's clock of CPU time stood still: no ratio then
    assert ida["ahead"] == (1.5 / ours if ours > 0 else None), rows[0]
    for row in rows:  # the machine of the bar's table is as many times faster as IDA was on it
        assert abs(row["bar_s"] / row["bar_table_s"] / (1.5 / rows[0]["ida_table_s"]) - 1) < 1e-12, row


@case
def methods():
    """--method: a row for each method and level beside those of the default; one that is none is named"""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "methods.json")
        text = bench(0, "--problem", "four-bar x1", "--method", "s-both", "--method", "dopri5+projection",
                     "--method", "rk5+s-both", "--repeats", "1", "--json", path)
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["levels"]
    says(text, "not reached by any accuracy tried", "rk5+s-both, four-bar x1:", "no method")
    names = [None, "s-both", "dopri5+projection", "rk5+s-both"]
    assert [row["method"] for row in rows] == 3 * names, rows
    ran = {row["method"]: (row["integrator"], row["stabilization"]) for row in rows if row["reached"]}
    assert ran == {None: ("dop853", "s-both2"), "s-both": ("dop853", "s-both"),
                   "dopri5+projection": ("dopri5", "projection")}, ran
    assert all(row["rtol"] == row["accuracy"] / 100 for row in rows if row["reached"]), rows


@case
def refusals():
    """No program, no such problem, no place for the JSON"""
    says(bench(2, build="/nowhere"), "build Trammel first")
    says(bench(2, "--problem", "unicycle"), "no problem of that name; there are pendulum")
    says(bench(1, "--brief", "--json", "/nowhere/x.json"), "was not written")


if __name__ == "__main__":
    sys.exit(tap.run(CASES))
