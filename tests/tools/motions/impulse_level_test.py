#!/usr/bin/env python3
"""Runs that go on at the impulse level: where no forces fit, and where events are too many.

usage: impulse_level_test.py TRAMMEL. Prints TAP.
"""
import json
import math
import os
import random
import subprocess
import sys

import tap
from recorded import FOLDER, TRAMMEL, last_and_report, started
from tap import case

G, R = 9.81, 0.1


def rod(mu, angle, slip, turn, end):
    """A rod of half length 1, mass 1, on its lower end, which slips with this speed while it turns."""
    c, s = math.cos(angle), math.sin(angle)
    return {"dimension": 2, "gravity": [0, -G], "simulation": {"end": end, "every": end},
            "bodies": [{"name": "a", "mass": 1, "inertia": 1 / 3, "position": [0, s], "angle": angle,
                        "velocity": [slip - turn * s, turn * c], "rate": turn}],
            "markers": [{"name": "p", "body": "a", "on": [-1, 0]}, {"name": "o", "body": "ground", "at": [0, 0]}],
            "stops": [{"name": "s", "marker": "p", "on": "o", "normal": [0, 1], "friction": mu}]}


@case
def the_rod_of_painleve_stops_at_once_where_no_forces_fit():
    """Painleve's rod: no forces fit, its end stops at once, and its moment about that end stays; else nothing is told"""
    mu, angle, slip, end = 3, 1.2, -1.0, 1e-3
    c, s = math.cos(angle), math.sin(angle)
    # W_nn -+ mu W_nt of the end at (-c, -s): 1 + 3 c^2 and 3 c s with I = 1/3
    assert 1 + 3 * c * c - mu * 3 * c * s < 0  # no force that presses keeps an end that slips to the left
    for turn in (-2.0, -0.5):
        last, said = last_and_report(rod(mu, angle, slip, turn, end), "--no-verify", "--accuracy", "1e-8")
        # about the end: m (r x v) + I w of the centre at (c, s), after it (1 + 1/3) w'
        after = (c * turn * c - s * (slip - turn * s) + turn / 3) / (4 / 3)
        tangential, normal = -s * after - (slip - turn * s), c * (after - turn)
        assert normal > 0 and abs(tangential) <= mu * normal  # within the cone: it sticks
        falls = 0.75 * G * end * (c - s * after * end / 2)  # about its end, to the third order
        assert abs(last["a.rate"] - (after - falls)) <= 1e-6, (last["a.rate"], after - falls)
        assert said["contacts"]["projected"]["intervals"] >= 1, said["contacts"]
    _, said = last_and_report(rod(mu, angle, -slip, 0.5, end), "--no-verify")
    assert said["contacts"]["projected"]["intervals"] == 0, said["contacts"]


def box_of_discs(count, end):
    rng, wide = random.Random(1), 5
    place = lambda i: [(i % wide + 0.5) * 2.3 * R + rng.uniform(-0.01, 0.01), 2 * R + i // wide * 2.4 * R]
    names = [f"b{i}" for i in range(count)]
    walls = {"floor": ([0, 1], [0, 0]), "left": ([1, 0], [0, 0]), "right": ([-1, 0], [wide * 2.3 * R, 0])}
    touches = {"friction": 0.3, "restitution": 0.3}
    contacts = [{"name": f"{wall}{i}", "bodies": [name, "ground"], **touches,
                 "shapes": [None, {"type": "plane", "normal": normal, "at": f"at_{wall}"}]}
                for i, name in enumerate(names) for wall, (normal, _) in walls.items()]
    contacts += [{"name": f"{a}_{b}", "bodies": [a, b], **touches} for i, a in enumerate(names) for b in names[:i]]
    return {"dimension": 2, "gravity": [0, -G], "simulation": {"end": end, "every": end}, "contacts": contacts,
            "bodies": [{"name": name, "position": place(i), "mass": 1, "shape": {"type": "disc", "radius": R}}
                       for i, name in enumerate(names)],
            "markers": [{"name": f"at_{wall}", "body": "ground", "at": at} for wall, (_, at) in walls.items()]}


@case
def discs_fall_into_a_box_and_come_to_rest():
    """Discs fall into a box: too many events, time-stepping goes on, reported, and the discs come to rest"""
    count = 20 if tap.nightly() else 12  # 12 come to too many events as well, in a fortieth of the time
    last, said = last_and_report(box_of_discs(count, 2), "--no-verify")
    told = said["contacts"]["projected"]
    assert told["crowds"] >= 1 and 0.1 < told["from"] < told["to"] <= 2, told
    assert said["verdicts"]["energy"] in ("good", "fair"), said["verdicts"]
    for i in range(count):
        assert math.hypot(last[f"b{i}.vx"], last[f"b{i}.vy"]) < 0.02, i  # m/s; they fell with 2
        assert R - 1e-3 < last[f"b{i}.x"] < 5 * 2.3 * R - R + 1e-3 and last[f"b{i}.y"] > R - 1e-3, i


@case
def events_crowd_beside_the_way_of_what_moves():
    """A part pressed on a shaken table lifts off and lands, unchecked: the same motion in a machine of any size, no time-stepping"""
    def shaken(far):
        return {"dimension": 2, "gravity": [0, -G], "simulation": {"end": 0.605, "every": 0.605},
                "bodies": [{"name": "table", "mass": 1, "inertia": 1, "position": [0, far]}, {"name": "b", "mass": 0.5, "inertia": 1}],
                "joints": [{"name": "T", "type": "prismatic", "bodies": ["ground", "table"], "at": [0, far], "axis": [0, 1],
                            "motor": "0.01*(1 - cos(90*t))"},
                           {"name": "J", "type": "prismatic", "bodies": ["table", "b"], "at": [0, 0], "axis": [0, 1], "limits": [0, None]}],
                "forces": [{"name": "s", "type": "joint_spring_damper", "joint": "J", "stiffness": 400, "rest": -0.02}]}
    own, forced, pressed, end = math.sqrt(800), 81 / 7300, G + 16, 0.605  # s'' = -800 s - pressed - 81 cos(90 t) in flight
    t0 = (math.acos(-pressed / 81) + 8 * 2 * math.pi) / 90  # the ninth one: each lands plastically before the next one begins
    wanted = (0.01 * (1 - math.cos(90 * end)) - pressed / 800 + forced * math.cos(90 * end)
              + (pressed / 800 - forced * math.cos(90 * t0)) * math.cos(own * (end - t0))
              + 90 * forced * math.sin(90 * t0) / own * math.sin(own * (end - t0)))
    for far, accuracy in ((0.01, 0.1), (1, 1e-2), (30, 1e-3), (30, 1e-4)):
        last, said = last_and_report(shaken(far), "--no-verify", "--accuracy", str(accuracy))
        assert abs(last["b.y"] - wanted) <= accuracy * 0.02, (far, accuracy, last["b.y"], wanted)
        assert said["contacts"]["projected"]["intervals"] == 0, (far, accuracy, said["contacts"])


@case
def parts_that_only_turn_rattle_in_their_play():
    """Six gears with play rattle, unchecked: the balance of energy is right to A at every A"""
    n, scene = 6, {"dimension": 2, "simulation": {"end": 0.6, "every": 0.6}}
    scene |= {"bodies": [{"name": f"w{i}", "mass": 1, "inertia": 0.005, "position": [0.2 * i, 0]} for i in range(n)],
              "joints": [{"name": f"J{i}", "type": "revolute", "bodies": ["ground", f"w{i}"], "at": [0.2 * i, 0]} for i in range(n)],
              "constraints": [{"name": f"g{i}", "type": "gear", "joints": [f"J{i}", f"J{i + 1}"], "radii": [0.1, 0.1],
                               "backlash": 1e-3, "restitution": 0.5} for i in range(n - 1)]}
    scene["joints"][0]["motor"] = "0.5*(1 - cos(20*t))"
    for accuracy in (1e-2, 1e-4, 1e-6):
        said = last_and_report(scene, "--no-verify", "--accuracy", str(accuracy))[1]
        assert said["contacts"]["impacts"] > 100 and said["energy"]["error_max_relative"] <= accuracy, (accuracy, said["energy"])


@case
def there_is_room_for_what_can_touch_not_for_all_pairs():
    """Every pair of eighty discs may touch, 6800 rows: 3 n pairs at once, below 1 GB in place of 7"""
    tap.figures()
    for method in ((), ("--integrator", "moreau", "--method", "s-both2", "--step", "1e-3")):
        (FOLDER / "discs.json").write_text(json.dumps(box_of_discs(80, 0.005)), encoding="utf-8")
        with subprocess.Popen([TRAMMEL, "run", FOLDER / "discs.json", "--no-verify", "--quiet", *method]) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0 and used.ru_maxrss < 1 << 20, (process.returncode, used.ru_maxrss)


@case
def discs_put_on_one_place_are_parted():
    """435 pairs of 30 discs overlap, more than can touch: told by how much, and `assemble` parts them all"""
    scene = box_of_discs(30, 0.01)
    rng = random.Random(2)
    for disc in scene["bodies"]:
        disc["position"] = [rng.uniform(2, 3.5) * R, rng.uniform(4, 5.5) * R]
    done = started(scene, "--no-verify")
    assert done.returncode == 3 and "the start is outside the limits of 'b1_b0': it is at -" in done.stderr, done.stderr
    last, _ = last_and_report({**scene, "gravity": [0, 0]}, "--no-verify", "--assemble")
    for i in range(30):
        for j in range(i):
            apart = math.hypot(last[f"b{i}.x"] - last[f"b{j}.x"], last[f"b{i}.y"] - last[f"b{j}.y"])
            assert apart > 2 * R - 1e-6, (i, j, apart)


@case
def three_overlaps_are_parted_by_the_least_motion():
    """Discs of 1 and 3 kg in the ground and in each other: up to it, and apart by 3 to 1, as seen from the start"""
    discs = [{"name": name, "mass": mass, "position": at, "shape": {"type": "disc", "radius": 0.1}}
             for name, mass, at in (("a", 1, [0, 0.09]), ("b", 3, [0.15, 0.1]))]
    scene = {"dimension": 2, "bodies": discs, "simulation": {"end": 1e-9, "every": 1},
             "contacts": [{"name": f"{a}{b}", "bodies": [a, b]} for a, b in (("a", "ground"), ("b", "ground"), ("a", "b"))]}
    last, _ = last_and_report(scene, "--no-verify", "--assemble")
    for name, right in (("a.x", -0.0375), ("a.y", 0.1), ("b.x", 0.1625), ("b.y", 0.1)):
        assert abs(last[name] - right) < 1e-8, (name, last[name])  # 0.3, 0.8 mm where each pass counts from the one before


def bars_of_discs(n, restitution):
    """Two free bars, n discs on each, face each other and are pressed together by forces through their middles."""
    markers = [{"name": f"m{b}", "body": f"bar{b}", "on": [0, 0]} for b in (0, 1)]
    markers += [{"name": f"d{b}_{i}", "body": f"bar{b}", "on": [2.2 * R * (i - (n - 1) / 2), 0]} for b in (0, 1) for i in range(n)]
    ball = {"type": "sphere", "radius": R}
    return {"dimension": 2, "simulation": {"end": 0.5, "every": 0.5}, "markers": markers,
            "bodies": [{"name": f"bar{b}", "mass": 1, "shape": {"type": "box", "size": [2.2 * R * n, R]}, "position": [0, b * 2.2 * R]}
                       for b in (0, 1)],
            "forces": [{"name": f"f{b}", "type": "force", "marker": f"m{b}", "value": [0, 5 - 10 * b]} for b in (0, 1)],
            "contacts": [{"name": f"c{i}", "bodies": ["bar1", "bar0"], "friction": 0.3, "restitution": restitution,
                          "shapes": [{**ball, "at": f"d1_{i}"}, {**ball, "at": f"d0_{i}"}]} for i in range(n)]}


@case
def bodies_of_many_discs_meet_flat():
    """More discs touch than two balls could: bars that meet flat stay so, as by symmetry, whatever they bounce"""
    for restitution in (0, 0.5):
        last, _ = last_and_report(bars_of_discs(14, restitution))
        assert abs(last["bar0.angle"]) < 1e-9 and abs(last["bar1.angle"]) < 1e-9, last
        assert abs(last["bar1.y"] - last["bar0.y"] - 2 * R) < 1e-6, last


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
