#!/usr/bin/env python3
"""Small motions at contacts that a run holds, against closed forms and scenes with constraints in their place. Prints TAP.

    tests/tools/motions/held_test.py TRAMMEL ROOT
"""
import json
import math
import pathlib
import random
import subprocess
import sys

import tap
from recorded import FOLDER, TRAMMEL
from tap import case

G = 9.81


def linearized(scene, *options):
    (FOLDER / "held.json").write_text(json.dumps(scene), encoding="utf-8")
    return subprocess.run([TRAMMEL, "linearize", FOLDER / "held.json", "--json", *options], check=False, capture_output=True, text=True)


def asked(scene, *options):
    done = linearized(scene, *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def poles(scene, *options):
    return sorted((complex(*mode["eigenvalue"]) for mode in asked(scene, *options)["modes"]), key=lambda z: (round(z.imag, 6), z.real))


def same(found, right, within=1e-7):
    assert len(found) == len(right), (found, right)
    left = list(right)
    for x in found:
        nearest = min(left, key=lambda y: abs(x - y))
        # a free motion is known to the root of its error
        assert abs(x - nearest) <= (within * abs(nearest) if abs(nearest) > 1e-3 else 1e-3), (x, found, right)
        left.remove(nearest)


@case
def a_ball_and_a_disc_swing_in_a_bowl():
    """Rolling, a ball swings with 5/7 of g/(R - r), a disc with 2/3; without friction with all of it; also where a run has come to"""
    R, r = 1.0, 0.1
    for dimension, kind, rolls in ((3, "sphere", 5 / 7), (2, "disc", 2 / 3)):
        for mu in (0, 0.5):
            low = [0] * (dimension - 1) + [-(R - r)]
            scene = {"dimension": dimension, "gravity": [0] * (dimension - 1) + [-G], "simulation": {"end": 1},
                     "bodies": [{"name": "b", "mass": 2, "position": low, "shape": {"type": kind, "radius": r}}],
                     "contacts": [{"name": "c", "bodies": ["b", "ground"], "friction": mu, "shapes": [None, {"type": "bowl", "radius": R}]}]}
            right = math.sqrt((rolls if mu else 1) * G / (R - r))
            for at in ("0", "0.3"):
                fastest = max(z.imag for z in poles(scene, "--at", at))
                assert abs(fastest - right) < 1e-9 * right, (kind, mu, fastest, right)


@case
def wheels_on_their_rims_roll_as_the_constraint_says():
    """Whipple's bicycle on contacts has the eigenvalues of the one on `rolling`, at three speeds"""
    scene = json.loads((pathlib.Path(sys.argv[2]) / "scenes" / "bicycle.json").read_text(encoding="utf-8"))
    on_contacts = {key: value for key, value in scene.items() if key not in ("constraints", "$schema")}
    half = math.sqrt(0.5)
    on_contacts["contacts"] = [{"name": f"{end}_tyre", "bodies": [f"{end}_wheel", "ground"], "friction": 1,
                                "shapes": [{"type": "disc", "radius": end, "quat_wxyz": [half, half, 0, 0]}, None]} for end in ("rear", "front")]
    for speed in ("2", "5", "8"):
        same(poles(on_contacts, "--set", f"v={speed}"), poles(scene, "--set", f"v={speed}"))


def hanging(joint, **more):
    """A weight with a pendulum on it; what `joint` holds of the weight is held."""
    return {"dimension": 2, "gravity": [0, -G], "simulation": {"end": 1},
            "bodies": [{"name": "a", "mass": 2, "inertia": 0.1, "position": [0, 0]}, {"name": "b", "mass": 1, "inertia": 0.02, "position": [0.1, -0.5]}],
            "joints": [{"name": "S", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0.3], **joint},
                       {"name": "P", "type": "revolute", "bodies": ["a", "b"], "at": [0.1, 0]}], **more}


@case
def what_is_held_is_as_if_it_were_welded():
    """At a limit, stuck by friction, locked, closed by a switch: the modes of a scene with a weld or without the switch"""
    pushed = {"forces": [{"name": "T", "type": "torque", "body": "a", "value": -3}]}
    welded = poles(hanging({"type": "weld"}))
    assert len(welded) == 1 and welded[0].imag > 1, welded
    for joint, more in (({"limits": [0, 1]}, pushed), ({"friction": 20}, {}), ({"friction": 20}, pushed), ({"switch": "locked"}, {})):
        same(poles(hanging(joint, **more)), welded)
    scene = hanging({})
    free = poles(scene)
    assert len(free) == 2
    scene["joints"][1]["switch"] = "closed"
    same(poles(scene), free)


@case
def the_force_of_a_contact_is_an_output():
    """A push on what rests against a limit takes its own size of the limit's force, at all frequencies"""
    scene = {"dimension": 2, "parameters": {"F": {"value": 0, "input": True}}, "simulation": {"end": 1},
             "bodies": [{"name": "a", "mass": 2, "inertia": 1}, {"name": "c", "mass": 1, "inertia": 1, "position": [1, 0]}],
             "markers": [{"name": "p", "body": "a", "on": [0, 0]}],
             "joints": [{"name": "S", "type": "prismatic", "bodies": ["ground", "a"], "at": [0, 0], "axis": [1, 0], "limits": [0, 1]},
                        {"name": "Q", "type": "prismatic", "bodies": ["a", "c"], "at": [1, 0], "axis": [1, 0]}],
             "forces": [{"name": "k", "type": "joint_spring_damper", "joint": "Q", "stiffness": 9},
                        {"name": "F", "type": "force", "marker": "p", "value": ["F - 3", 0]}]}
    for _, re, im in asked(scene, "--response", "F,S.contact_force", "--from", "0.1", "--to", "1")["response"]:
        assert math.hypot(re + 1, im) < 1e-9, (re, im)


@case
def random_feet_are_as_constraints():
    """30 bodies on springs in the plane and in space, on 1 to 3 feet that press and stick or are smooth: the modes with constraints in their place"""
    for seed in range(30):
        rng = random.Random(seed)
        d, n, mu = 2 + seed % 2, rng.randint(1, 3), rng.choice((0, 2))
        n = min(n, d)
        axes = "xyz"[:d]
        feet = [[rng.uniform(0.2, 0.5) * math.cos(2.1 * i), *([rng.uniform(0.2, 0.5) * math.sin(2.1 * i)] if d == 3 else []), -0.4] for i in range(n)]
        body = {"name": "b", "mass": 2, "position": [0] * (d - 1) + [0.4], "inertia": 0.3 if d == 2 else [0.3, 0.25, 0.4]}
        markers = [{"name": f"f{i}", "body": "b", "on": foot} for i, foot in enumerate(feet)] + [{"name": "o", "body": "ground", "at": [0] * d}]
        corners = [[rng.uniform(-0.4, 0.4) for _ in range(d - 1)] + [0.3] for _ in range(2 * d)]
        markers += [{"name": f"m{i}", "body": "b", "on": at} for i, at in enumerate(corners)]
        markers += [{"name": f"g{i}", "body": "ground", "at": [x + rng.uniform(-0.2, 0.2) for x in at[:-1]] + [-1.0]} for i, at in enumerate(corners)]
        forces = [{"name": f"s{i}", "type": "spring_damper", "markers": [f"g{i}", f"m{i}"], "stiffness": rng.uniform(5, 50), "rest_length": 0.5}
                  for i in range(2 * d)]
        common = {"dimension": d, "gravity": [0] * (d - 1) + [-G], "bodies": [body], "markers": markers, "forces": forces, "simulation": {"end": 1}}
        up = [0] * (d - 1) + [1]
        touching = {**common, "stops": [{"name": f"c{i}", "marker": f"f{i}", "on": "o", "normal": up, "friction": mu} for i in range(n)]}
        done = linearized(touching)
        if "slips" in done.stderr or "at its limit" in done.stderr:
            continue  # it is no rest
        assert done.returncode == 0, (seed, done.stderr)
        fixed = [{"name": f"c{i}", "expression": f"f{i}.{axes[-1]}"} for i in range(n)]
        for i in range(n if mu else 0):
            for k, axis in enumerate(axes[:-1]):
                fixed.append({"name": f"t{i}{axis}", "expression": f"f{i}.{axis} - ({feet[i][k]!r})"})
        found = sorted(json.loads(done.stdout)["modes"], key=lambda mode: mode["eigenvalue"])
        same([complex(*mode["eigenvalue"]) for mode in found], poles({**common, "constraints": fixed}))


@case
def what_does_not_hold_is_refused():
    """Sliding friction, a smooth law, a contact without a force: a sentence with the name"""
    disc = {"name": "b", "mass": 2, "position": [0, 0.1], "shape": {"type": "disc", "radius": 0.1}}
    scene = {"dimension": 2, "gravity": [0, -G], "bodies": [disc], "contacts": [{"name": "c", "bodies": ["b", "ground"], "friction": 0.3}], "simulation": {"end": 1}}
    slips = {**scene, "bodies": [{**disc, "velocity": [1, 0]}]}
    touches = {**scene, "gravity": [0, 0]}
    smooth = hanging({"friction": {"sliding": 2, "regularized": 0.1}})
    for what, words in ((slips, '"c.friction" slips'), (touches, "at its limit 0 m"), (smooth, '"S" has smooth friction')):
        done = linearized(what)
        assert done.returncode == 1 and words in done.stderr, (words, done)


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
