#!/usr/bin/env python3
"""A run that is killed and resumed ends with the bits of the run that nobody killed. Prints TAP.

    tests/tools/cli/resume_test.py TRAMMEL ROOT [KILLS]     the program, the root of the project, kills at random moments (20; 6 under sanitizers)
"""
import json
import os
import random
import shutil
import subprocess
import sys
import time

from tap import CASES, case, contents
import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 6 if tap.sanitized() else 20


def trammel(*args):
    return subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, capture_output=True, check=False)


def shipped(name):
    return os.path.join(ROOT, "scenes", name + ".json")


def facts(result):
    """What --json says, the times of the clock aside."""
    run = json.loads(result.stdout)
    for key in ("cpu_s", "realtime_factor"):
        run.pop(key)
    return run


def checkpoint():
    """Which one there is."""
    try:
        found = os.stat("x.csv.state")
        return found.st_ino, found.st_mtime_ns
    except FileNotFoundError:
        return None


def kill_and_resume(args, kills, chance, span):
    """The recording and the facts of a run killed so many times, within `span` seconds at random: three times out of four of its first
    checkpoint, which a busy machine may keep waiting, else of its start."""
    command = ["run", *args, "-o", "x.csv", "--checkpoint", "0", "--json"]
    killed = 0
    for _ in range(kills):
        with subprocess.Popen([PROGRAM, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as run:
            before, patient = checkpoint(), chance.random() < 0.75
            while patient and checkpoint() == before and run.poll() is None:
                time.sleep(0.002)
            time.sleep(chance.random() * span)
            run.kill()
        if os.path.exists("x.csv.state"):
            command = ["run", "--resume", "x.csv.state", "--json"]
            killed += 1
        if os.path.exists("x.csv"):
            os.remove("x.csv")  # it was done before it was killed
            command = ["run", *args, "-o", "x.csv", "--checkpoint", "0", "--json"]
    result = trammel(*command)
    assert result.returncode == 0, result
    data = contents("x.csv")
    os.remove("x.csv")
    assert not os.path.exists("x.csv.state") and not os.path.exists("x.csv.part")
    return data, facts(result), killed


@case
def killed_anywhere():
    """kill -9 at random moments, again and again: the same recording, the same report"""
    chance = random.Random(6)
    resumed = 0
    for args in ([shipped("four_bar"), "--end", "20", "--every", "0.01"],
                 [shipped("pendulum"), "--end", "20" if tap.sanitized() else "100", "--every", "0"]):
        whole = trammel("run", *args, "-o", "whole.csv", "--checkpoint", "1000", "--json")
        assert whole.returncode == 0, whole
        data, said, killed = kill_and_resume(args, KILLS // 2, chance, 0.4)
        assert data == contents("whole.csv")
        assert said == facts(whole)
        resumed += killed
    assert resumed > KILLS // 4, resumed


@case
def every_method_resumes():
    """Every method but those of another library: stopped by SIGTERM or killed, then resumed in another process"""
    tap.figures()  # `saved_state` takes every method to another process's model under sanitizers
    listed = json.loads(trammel("methods", "--json").stdout)
    listed = listed["methods"] if isinstance(listed, dict) else listed
    chance = random.Random(7)
    for method in listed:
        pair = ["--integrator", method["integrator"], "--method", method["stabilization"]]
        step = ["--rtol", "1e-7"] if method["adaptive"] else ["--step", "1e-3"]
        name = shipped("newtons_cradle" if method["integrator"] == "moreau" else "spatial_slider_crank")
        args = [name, "--end", "0.3", "--every", "0.05", *pair, *step]
        if method["integrator"] == "ida":
            refused = trammel("run", *args, "-o", "x.csv", "--checkpoint", "1")
            assert refused.returncode == 1 and b"cannot be resumed" in refused.stderr, refused
            continue
        whole = trammel("run", *args, "-o", "whole.csv", "--checkpoint", "1000", "--json")
        if whole.returncode != 0:
            continue  # plain drifts away
        data, said, _ = kill_and_resume(args, 2, chance, 0.1)
        assert data == contents("whole.csv"), pair
        assert said == facts(whole), pair


def stop_and_resume(args, wanted, chance, span):
    """A run stopped by SIGTERM so many times, within `span` seconds at random after it has begun to listen, and then resumed to its end."""
    first = command = ["run", *args, "-o", "x.csv", "--checkpoint", "1000"]
    stops = 0
    while stops < wanted:
        with subprocess.Popen([PROGRAM, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as run:
            tap.until(lambda: tap.listens(run), run)
            time.sleep(chance.random() * span)
            run.terminate()
            said = run.stderr.read()
        assert run.returncode in (0, 143), (run.returncode, said)
        stops, command = stops + 1, ["run", "--resume", "x.csv.state"]
        if run.returncode == 0:  # it was done before
            stops, command, span = 0, first, span / 2
    result = trammel(*command)
    assert result.returncode == 0, result


@case
def stopped_and_resumed():
    """SIGTERM leaves a checkpoint of the last step; a resumed run may be stopped again"""
    args = [shipped("four_bar"), "--end", "60" if tap.sanitized() else "300", "--every", "0.01"]
    assert trammel("run", *args, "-o", "whole.csv", "--no-verify").returncode == 0  # as with a checkpoint
    stop_and_resume(args, 5, random.Random(8), 0.1)
    assert contents("x.csv") == contents("whole.csv")


@case
def stopped_among_the_lines_of_a_step():
    """A flight of few steps with 1e5 lines each: stopped among those, and again among those that are still owed"""
    scene = {"dimension": 2, "bodies": [{"name": "a", "mass": 1, "inertia": 1, "velocity": [1, 0]}]}
    with open("scene.json", "w", encoding="ascii") as file:
        json.dump(scene, file)
    args = ["scene.json", "--end", "10", "--every", "1e-5", "--columns", "a.x"]
    assert trammel("run", *args, "-o", "whole.csv", "--no-verify").returncode == 0  # as with a checkpoint
    stop_and_resume(args, 5, random.Random(9), 0.2)
    assert contents("x.csv") == contents("whole.csv")


@case
def what_cannot_be_resumed_says_so():
    """A changed scene, lost lines, a changed checkpoint, other options beside it: refused in words"""
    shutil.copy(shipped("four_bar"), "scene.json")
    with subprocess.Popen([PROGRAM, "run", "scene.json", "--end", "1e5", "-o", "x.csv", "--checkpoint", "0"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        tap.until(lambda: os.path.exists("x.csv.state"), run)
        run.kill()
    state, lines = contents("x.csv.state"), contents("x.csv.part")

    def refused(says, *args):
        result = trammel("run", *(args or ["--resume", "x.csv.state"]))
        assert result.returncode in (1, 5) and says in result.stderr, result
        assert result.stderr.count(b"\n") <= 2 and result.stdout == b"", result
    refused(b"goes alone", "--resume", "x.csv.state", "--end", "2")
    refused(b"goes alone", "scene.json", "--resume", "x.csv.state")
    refused(b"cannot be read", "--resume", "nothing.state")
    refused(b"no checkpoint", "--resume", "scene.json")
    refused(b"say where to", "scene.json", "--checkpoint", "1")
    for k in range(0, len(state), 997):
        with open("x.csv.state", "wb") as file:
            file.write(state[:k] + bytes([state[k] ^ 64]) + state[k + 1:])
        refused(b"x.csv.state")
    with open("x.csv.state", "wb") as file:
        file.write(state[:-1])
    refused(b"cut off")
    with open("x.csv.state", "wb") as file:
        file.write(state)
    with open("x.csv.part", "wb") as file:
        file.write(lines[:20])
    refused(b"has not the lines")
    with open("x.csv.part", "wb") as file:
        file.write(lines)
    with open("scene.json", "ab") as file:
        file.write(b"\n")
    refused(b"has changed")


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
