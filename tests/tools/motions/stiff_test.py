#!/usr/bin/env python3
"""Stiff laws of friction at random slopes and accuracies, against motions in closed form (validation/campaign/stiff_laws.py).

usage: stiff_test.py TRAMMEL ROOT [RUNS]. Prints TAP. RUNS: of each mechanism so many (default 20). validation/campaign/stiff has all of them.
"""
import json
import math
import random
import subprocess
import sys

import tap

TRAMMEL, ROOT = sys.argv[1:3]
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 20
sys.path.insert(0, f"{ROOT}/validation/campaign")
sys.dont_write_bytecode = True
import stiff_laws  # pylint: disable=wrong-import-position

MARGIN = 10  # times the accuracy, as in the campaign
# An explicit pair at a slope of 1e4 takes 1e5 steps and more, a method that follows the motion some 300 at 1e-9.
MOST = 3000


def run(scene, *words):
    with open("stiff.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    done = subprocess.run([TRAMMEL, "run", "stiff.json", "--json", *words], capture_output=True, text=True, check=False, timeout=tap.PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def final(path, *words):
    done = subprocess.run([TRAMMEL, "run", path, "--json", "--no-verify", *words], capture_output=True, text=True, check=False, timeout=tap.PATIENCE)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    return [x for body in told["state"]["bodies"].values() for x in body["position"]], told["steps"]


def follows(mechanism):
    def case(_):
        rng = random.Random(f"stiff {mechanism}")
        for _ in range(RUNS):
            law, slope, accuracy = rng.choice(list(stiff_laws.LAWS)), 10.0**rng.randint(2, 8), 10**-rng.uniform(1, 9)
            where = f"{law}, slope {slope:g}, accuracy {accuracy:.2g}"
            scene, right, read = stiff_laws.made(mechanism, law, slope, rng)
            told = run(scene, "--accuracy", repr(accuracy))
            assert told["steps"] <= MOST, f"{where}: {told['steps']} steps"
            error = stiff_laws.error(told["state"]["bodies"], right, read)
            assert error <= MARGIN * accuracy, f"{where}: off by {error:.3g}"
    case.__doc__ = f"{mechanism}: a stiff law of friction follows its motion"
    return case


def test_a_one_way_damper_from_rest(_):
    """A damper that acts one way, c max(0, a.rate - b.rate), from rest: driven by 2 sin(t), both shafts turn as one of 0.5 kg m^2."""
    for c in (1e4, 1e5, 1e6, 1e7, 1e8, 1e9):
        for accuracy in (1e-1, 3e-2, 1e-3, 3e-5, 1e-6, 3e-7, 1e-9):
            shafts = [{"name": n, "position": [0, 0], "mass": 1, "inertia": i} for n, i in (("a", 0.4), ("b", 0.1))]
            scene = {"dimension": 2, "bodies": shafts, "joints": [stiff_laws.hinge(n.upper(), "ground", n, [0, 0]) for n in "ab"],
                     "forces": [{"name": "M", "type": "joint_force", "joint": "A", "value": "2*sin(t)"},
                                {"name": "d", "type": "torque", "body": "b", "reaction": "a", "value": f"{c!r}*max(0, a.rate - b.rate)"}],
                     "simulation": {"end": 3}}
            told = run(scene, "--accuracy", repr(accuracy))
            way, slip = told["state"]["bodies"]["a"]["angle"], 3 / c  # a slips by less than the torque, 2 N m, over c
            right = 4 * (3 - 0.14112000805986722)
            assert told["steps"] <= MOST, f"c = {c:g}, {accuracy:g}: {told['steps']} steps"
            assert abs(way - right) <= MARGIN * accuracy * right + slip, f"c = {c:g}, accuracy {accuracy:g}: off by {way - right:.3g}"


def test_every_way_of_the_program_goes_over(_):
    """A sleigh with 1e8 N s/m on a spring: an explicit pair takes hours; every command goes over to ida, and comes to the same place."""
    scene = {"dimension": 2, "gravity": [0, 0], "bodies": [{"name": "a", "mass": 2, "inertia": 1, "position": [1, 0], "velocity": [1, 0]}],
             "markers": [{"name": "A", "body": "a", "at": [1, 0]}, {"name": "O", "body": "ground", "at": [-9, 0]}],
             "forces": [{"name": "d", "type": "spring_damper", "markers": ["O", "A"], "stiffness": 1e8, "rest_length": 9.5, "damping": 1e8}],
             "simulation": {"end": 5, "every": 0.1}}
    end = 0.5 + 0.5 * math.exp(-5)  # creeps by k/c = 1 1/s to the rest length
    for words in ([], ["-o", "a.csv"], ["-o", "c.csv", "--checkpoint", "0"], ["-o", "l.csv", "--live"], ["--until", "t > 4.99"]):
        told = run(scene, *words)
        assert told["stiffness"]["ida_steps"] > 0 and told["steps"] < MOST, (words, told["steps"])
        assert words[:1] == ["--until"] or abs(told["state"]["bodies"]["a"]["position"][0] - end) < 1e-5, words
    for words in (["view", "-o", "a.html"], ["view", "-o", "a.svg"], ["view", "--animate", "-o", "b.svg"], ["view", "-o", "a.png"],
                  ["view", "--at", "4", "-o", "c.svg"], ["linearize", "--at", "4"]):
        subprocess.run([TRAMMEL, words[0], "stiff.json", *words[1:]], capture_output=True, check=True, timeout=tap.PATIENCE)


def test_redundant_rows_of_a_stiff_clutch(_):
    """A damper between shafts of which a hinge repeats others, at moments of 1e5 N m: ida leaves no residual."""
    for accuracy in (1e-3, 1e-6, 1e-8):
        shafts = [{"name": n, "position": [0.4, 0.3], "mass": 1, "inertia": i, "rate": w}
                  for n, i, w in (("a", 0.4, 10.0), ("b", 0.1, 0.0))]
        hinges = [stiff_laws.hinge(n, a, b, [0.4, 0.3]) for n, a, b in (("A", "ground", "a"), ("B", "ground", "b"), ("C", "a", "b"))]
        scene = {"dimension": 2, "bodies": shafts, "joints": hinges, "simulation": {"end": 1},
                 "forces": [{"name": "d", "type": "joint_spring_damper", "joint": "C", "damping": 1e4}]}
        told = run(scene, "--accuracy", repr(accuracy))
        rates = [told["state"]["bodies"][n]["rate"] for n in "ab"]
        assert told["steps"] <= MOST, told["steps"]
        assert max(abs(w - 8) for w in rates) <= MARGIN * accuracy * 10, rates


def test_ida_by_its_name_takes_contacts(_):
    """--integrator ida beside a limit is stepped with what takes contacts, not with `ggl`"""
    scene, right, read = stiff_laws.made("four_bar", next(iter(stiff_laws.LAWS)), 1e3, random.Random(1))
    scene["joints"][0]["limits"] = [-1e3, 1e3]
    told = run(scene, "--integrator", "ida")
    assert stiff_laws.error(told["state"]["bodies"], right, read) <= MARGIN * 1e-6


def test_a_stiff_drive_beside_a_limit_and_dry_friction(_):
    """A drive of 1e5 ... 1e9 N s/m that follows sin(t) presses at 0.5 until it turns; a slider beside it sticks and slides; by ida."""
    bodies = [{"name": n, "mass": 1, "inertia": 1, "position": [0, y], "velocity": [v, 0]} for n, y, v in (("a", 0, 1), ("b", 1, 0))]
    rails = [{"name": n.upper(), "type": "prismatic", "bodies": ["ground", n], "at": [0, y], "axis": [1, 0], **more} for n, y, more in (
        ("a", 0, {"limits": [-1, 0.5], "friction": 2}), ("b", 1, {"friction": {"sliding": 1, "sticking": 1.5}}))]
    push = {"name": "F", "type": "joint_force", "joint": "B", "value": "1.8*sin(3*t)"}
    scene = {"dimension": 2, "bodies": bodies, "joints": rails, "simulation": {"end": 3}}
    slid = run(scene | {"forces": [push]}, "--rtol", "1e-11", "--no-verify")["state"]["bodies"]["b"]["position"][0]
    for c in (1e5, 1e7, 1e9):
        drive = {"name": "d", "type": "joint_force", "joint": "A", "value": f"{c!r}*(cos(t) - A.rate)"}
        for words in ([], ["--integrator", "ida", "--method", "plain"], ["--integrator", "ida", "--method", "baumgarte"]):
            for accuracy in (1e-2, 3e-4, 1e-6, 1e-8):
                told = run(scene | {"forces": [push, drive]}, "--no-verify", "--accuracy", repr(accuracy), *words)
                place, where = {n: body["position"][0] for n, body in told["state"]["bodies"].items()}, f"{c:g} {accuracy:g} {words}"
                assert words or told["stiffness"]["ida_steps"] > 0, where
                assert told["steps"] <= MOST, f"{where}: {told['steps']} steps"
                # friction of 2 N, and what a was late by, over c
                assert abs(place["a"] - (math.sin(3) - 0.5)) <= MARGIN * accuracy + 10 / c, f"{where}: {place['a']}"
                assert abs(place["b"] - slid) <= MARGIN * accuracy * abs(slid), f"{where}: {place['b']}, {slid}"


def test_a_cycle_of_impacts_is_not_stiff(_):
    """A rimless wheel rolls down a slope: w := k w, k = (1 + 2 cos 2a)/3, and between a pendulum about its foot; seen once a cycle it looks smooth"""
    n, slope, g, w = 8, 0.15, 9.81, 2.5
    a = math.pi / n
    spokes = [-math.pi / 2 + a + 2 * a * i for i in range(n)]
    wheel = {"name": "w", "mass": 1, "inertia": 0.5, "position": [0, math.cos(a)], "rate": -w, "velocity": [w * math.cos(a), w * math.sin(a)]}
    marks = [{"name": f"p{i}", "body": "w", "at": [math.cos(x), math.cos(a) + math.sin(x)]} for i, x in enumerate(spokes)]
    told = run({"dimension": 2, "gravity": [g * math.sin(slope), -g * math.cos(slope)], "bodies": [wheel], "simulation": {"end": 60},
                "markers": [*marks, {"name": "o", "body": "ground", "at": [0, 0]}],
                "stops": [{"name": f"s{i}", "marker": f"p{i}", "on": "o", "normal": [0, 1], "friction": 9} for i in range(n)]})
    end, k = told["state"]["bodies"]["w"], (1 + 2 * math.cos(2 * a)) / 3
    gained = lambda x: g / 0.75 * (math.cos(slope - a) - math.cos(slope + x))  # noqa: E731
    square = k * k / (1 - k * k) * gained(a) + gained(-end["angle"] % (2 * a) - a)  # of the cycle that it comes to
    assert abs(end["rate"] ** 2 - square) <= 1e-6, (end, square)
    assert told["steps"] < 1000 and told["accuracy"]["verdict"] == "good", told["steps"]


def test_ends_of_steps_that_close_leave_ida_its_order(_):
    """Scenes with contacts by ida, whose ends are closed to rounding: the error goes with the accuracy, the steps with its root."""
    for name in ("industrial/trebuchet", "industrial/wiper", "geneva", "newtons_cradle"):
        path = f"{ROOT}/scenes/{name}.json"
        right = final(path, "--rtol", "1e-11", "--integrator", "dop853", "--method", "s-both2")
        size = max(abs(x) for x in right[0])
        for method in ("plain", "baumgarte"):
            for accuracy in (1e-3, 1e-6, 1e-9):
                places, steps = final(path, "--integrator", "ida", "--method", method, "--accuracy", repr(accuracy))
                where = f"{name} {method} {accuracy:g}"
                assert max(abs(x - y) for x, y in zip(places, right[0])) <= MARGIN * accuracy * size, where
                assert steps <= 2 * MOST, f"{where}: {steps} steps"


if __name__ == "__main__":
    CASES = [case for name, case in list(globals().items()) if name.startswith("test_")] + [follows(name) for name in stiff_laws.MECHANISMS]
    sys.exit(tap.run(CASES, None, in_folders=True))
