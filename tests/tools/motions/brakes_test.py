#!/usr/bin/env python3
"""Dry friction whose bound is a formula: brakes and clutches as they are commanded, against closed forms.

usage: brakes_test.py TRAMMEL. Prints TAP.
"""
import math
import random
import sys

import tap
from recorded import column, last_and_report, last_of_good, started
from tap import case

METHODS = ((), ("--accuracy", "1e-2"), ("--accuracy", "1e-8"), ("--method", "srm"), ("--integrator", "rk4", "--step", "1e-3"))


def braked(friction, end, rate=0, torque=0, **more):
    """A disc of 0.5 kg m^2 on a hinge with that friction."""
    return {"dimension": 2, "bodies": [{"name": "d", "position": [0, 0], "mass": 2, "inertia": 0.5, "rate": rate}],
            "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "d"], "at": [0, 0], "friction": friction}],
            "forces": [{"name": "T", "type": "torque", "body": "d", "value": torque}],
            "simulation": {"end": end, "every": end}, **more}


def ended(scene, *options):
    return last_of_good(scene, ("energy", "forces"), *options)


def near(found, right, within, what):
    assert abs(found - right) <= within, f"{what}: {found!r}, right is {right!r}"


@case
def a_brake_that_is_pulled_slowly_stops_a_disc():
    """A bound of 2 t N m: 10 - 2 t^2 rad/s until sqrt(5) s, and still from there on"""
    right = 10 * math.sqrt(5) - 2 / 3 * 5 ** 1.5
    for method in METHODS:
        last = ended(braked({"bound": "2*t"}, 4, 10), *method)
        near(last["d.angle"], right, 1e-6, method)
        near(last["d.rate"], 0, 1e-12, method)


@case
def a_brake_that_is_let_go_slips_when_the_torque_exceeds_it():
    """A bound of 3 - t under 1 N m: still until 2 s, slipping until 3 s, free from there on; one that ends at once"""
    for method in METHODS:
        near(ended(braked({"bound": "3 - t"}, 4, 0, 1), *method)["d.rate"], 3, 1e-2 if "1e-2" in method else 1e-6, method)
        near(ended(braked({"bound": "if(t < 2, 3, 0)"}, 4, 0, 1), *method)["d.rate"], 4, 1e-9, method)
    scene, beside = (braked(*one) for one in ((1e-9, 2, 0, "2e-9*min(t, 1)"), (0, 2, 0, "1e4*cos(30*t)")))  # of 1e13 times its torque
    for key, own in (("bodies", {"name": "w"}), ("joints", {"name": "W", "bodies": ["ground", "w"]}), ("forces", {"name": "U", "body": "w"})):
        scene[key].append(beside[key][0] | own)
    near(ended(scene, "--coordinates", "joint")["d.rate"], 2.5e-9, 1e-15, "beside a flywheel")


@case
def a_line_at_the_time_of_a_jump_has_the_forces_after_it():
    """A torque jumps over the bound of 2 N m at a line, or lets a floor go: friction is at its bound, and nothing pulls"""
    ended(braked(2, 1, 0, "t < 0.5 ? 1 : 5", simulation={"end": 1, "every": 0.1}))
    assert [round(x, 9) for x in column("O.contact_force")] == [-1] * 5 + [-2] * 6
    ended({"dimension": 2, "gravity": [0, -9], "bodies": [{"name": "b", "mass": 1, "position": [0, 1], "shape": {"type": "disc", "radius": 1}}],
           "markers": [{"name": "g", "body": "ground", "at": [0, 0]}, {"name": "c", "body": "b", "at": [0, 1]}],
           "contacts": [{"name": "T", "bodies": ["b", "ground"], "shapes": [None, {"type": "plane", "at": "g", "normal": [0, 1]}]}],
           "forces": [{"name": "F", "type": "force", "marker": "c", "value": [0, "t < 0.5 ? 0 : 20"]}],
           "simulation": {"end": 1, "every": 0.1}})
    assert [round(x, 9) for x in column("T.contact_force")] == [9] * 5 + [0] * 6


@case
def a_bound_may_be_of_inputs_and_of_the_state():
    """An input that an event sets; a drag of 0.2 w^2"""
    scene = braked({"bound": "5*u"}, 2.5, 10, parameters={"u": {"value": 0, "input": True}},
                   events=[{"name": "pull", "when": "t > 1", "set": {"u": 1}}])
    near(ended(scene)["d.angle"], 15, 1e-9, "angle")
    near(ended(braked({"bound": "0.2*d.rate^2"}, 2, 10))["d.rate"], 10 / 9, 1e-9, "rate")


@case
def a_clutch_brings_two_discs_to_one_speed():
    """A commanded clutch between two discs: the slip ends where 1.5 t^2 of angular momentum have gone over"""
    scene = braked(0, 4, 10)
    scene["joints"][0].pop("friction")
    scene["bodies"].append({"name": "e", "position": [0, 0], "mass": 2, "inertia": 1})
    scene["joints"].append({"name": "C", "type": "revolute", "bodies": ["d", "e"], "at": [0, 0], "friction": {"bound": "3*t"}})
    last = ended(scene)
    near(last["d.rate"], 10 / 3, 1e-9, "rate")
    slips = math.sqrt(2 * (10 - 10 / 3) * 0.5 / 3)
    near(last["e.angle"], slips ** 3 / 2 + 10 / 3 * (4 - slips), 1e-7, "angle")


@case
def what_has_no_meaning_is_refused():
    """A bound beside another one, of a name that is not there, without a value"""
    for friction, says in (({"bound": "1", "sliding": 2}, '"bound" has no effect beside "sliding"'), ({"bound": "nosuch"}, "nosuch"),
                           ({"bound": "log(0 - 1)"}, "not a number"), ({"bound": "1", "regularized": 0.1}, "regularized")):
        output = started(braked(friction, 1))
        assert output.returncode == 2 and says in output.stderr, output.stderr

def swayed(force, w, friction, mass, end):
    """Where and how fast a mass is at `end` that force*sin(w t) moves from rest against friction: piece by piece."""
    t = x = 0.0
    while True:
        if abs(force * math.sin(w * t)) <= friction * (1 - 1e-12):  # it sticks until the force is as large again
            t = (math.floor(w * t / math.pi) + (1 if w * t % math.pi > math.pi / 2 else 0)) * math.pi / w + math.asin(friction / force) / w
        s = math.copysign(1, math.sin(w * t))
        if t >= end:
            return x, 0.0
        rate = lambda u, t=t, s=s: force / (mass * w) * (math.cos(w * t) - math.cos(w * u)) - s * friction / mass * (u - t)
        way = lambda u, t=t, s=s: (force / (mass * w) * ((u - t) * math.cos(w * t) - (math.sin(w * u) - math.sin(w * t)) / w)
                                   - s * friction / mass * (u - t) ** 2 / 2)
        low = t + 1e-3 / w
        while s * rate(low) > 0 and low < end:
            low += 1e-3 / w
        if low >= end:
            return x + way(end), rate(end)
        low, high = low - 1e-3 / w, low
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if s * rate(middle) > 0 else (low, middle)
        x, t = x + way(low), low


@case
def a_force_that_sways_moves_a_block_and_a_geared_disc_against_friction():
    """force*sin(w t) above and below the friction: sliding and sticking pieces to A of the motion, by located events alone"""
    rng = random.Random(39)
    for turn in range(8):
        w, mass, part, ratio = rng.uniform(1, 4), rng.uniform(1, 5), rng.uniform(0.2, 1.1), rng.uniform(2, 4)
        force = rng.uniform(5, 20)
        block = {"dimension": 2, "gravity": [0, -10], "bodies": [{"name": "b", "mass": mass, "inertia": 1}],
                 "markers": [{"name": "o", "body": "ground", "at": [0, 0]}, {"name": "c", "body": "b", "at": [0, 0]}],
                 "stops": [{"name": "floor", "marker": "c", "on": "o", "normal": [0, 1], "friction": part * force / (10 * mass)}],
                 "forces": [{"name": "F", "type": "force", "marker": "c", "value": [f"{force}*sin({w}*t)", 0]}]}
        discs = braked(part * force * ratio, 6)
        discs["bodies"].append({"name": "b", "position": [1, 0], "mass": 1, "inertia": 0.1})
        discs["joints"].append({"name": "B", "type": "revolute", "bodies": ["ground", "b"], "at": [1, 0]})
        discs["constraints"] = [{"name": "gear", "type": "coupling", "joints": ["B", "O"], "coefficients": [1, ratio]}]
        discs["forces"] = [{"name": "F", "type": "joint_force", "joint": "B", "value": f"{force}*sin({w}*t)"}]
        reduced = (0.5 + 0.1 * ratio ** 2) / ratio ** 2
        for scene, m, coordinate, rate in ((block, mass, "b.x", "b.vx"), (discs, reduced, "b.angle", "b.rate")):
            scene["simulation"] = {"end": 6, "every": 6}
            x, u = swayed(force, w, part * force, m, 6)
            speed = 2 * force / (m * w)
            for accuracy in (1e-3, 1e-6):
                last, report = last_and_report(scene, "--accuracy", str(accuracy))
                what = (turn, coordinate, accuracy)
                near(last[coordinate], x, accuracy * max(abs(x), speed / w), what)
                near(last[rate], u, accuracy * speed, what)
                assert report["contacts"]["projected"]["intervals"] == 0, what
                told = report["verdicts"]
                assert (report["accuracy"]["verdict"], told["forces"], told["inputs"]) == ("good", "good", "proved") and told["energy"] != "POOR", (what, told)


@case
def a_drive_that_leaves_a_dwell_has_friction_from_there_on():
    """Laws of motion with dwells, whose rates rise from roundoff: the torque of the motor, and Forces good"""
    rng = random.Random(39)
    for law, most in (("cycloidal", 2 * math.pi), ("345", 10 / math.sqrt(3)), ("modified_sine", 5.528)):
        for accuracy in ("1e-3", "1e-6", "1e-9"):
            dwell, way, time = rng.uniform(0.1, 0.4), rng.uniform(0.5, 3), rng.uniform(0.5, 1.5)
            scene = braked(2.0, dwell + time / 2)
            del scene["forces"]
            scene["joints"][0]["motion"] = [{"dwell": dwell}, {"to": way, "in": time, "law": law}]
            last, report = last_and_report(scene, "--accuracy", accuracy)
            assert report["verdicts"]["forces"] == "good", (law, accuracy, report["forces"])
            near(last["O.motor"], 2.0, 1e-9 * most * way / time ** 2, (law, accuracy))  # no acceleration in the middle


@case
def a_bar_on_a_hinge_rests_on_a_stop_within_its_friction():
    """In space as in the plane, aslant to the hinge too: the torque m g x is held, friction is at most mu N"""
    for aslant, mu in ((0, 0.1), (0, 0.3), (0.4, 0.1), (0.4, 0.3)):
        forces = []
        for n in (2, 3) if not aslant else (3,):
            z, normal = [0] * (n - 2), [0.6, 0.8, aslant][:n]
            bar = {"name": "b", "mass": 1, "inertia": 0.1 if n == 2 else [0.1] * 3, "position": [0.5, 0.2] + z}
            joint = {"name": "J", "type": "revolute", "bodies": ["ground", "b"], "at": [0, 0] + z, **({"axis": [0, 0, 1]} if n == 3 else {})}
            scene = {"dimension": n, "gravity": [0, -9.81] + z, "bodies": [bar], "joints": [joint],
                     "markers": [{"name": "m", "body": "b", "at": [1, 0.3] + z}, {"name": "w", "body": "ground", "at": [1, 0] + z}],
                     "stops": [{"name": "P", "marker": "m", "on": "w", "normal": normal, "friction": mu, "restitution": 0.4}],
                     "simulation": {"end": 3, "every": 3}}
            last, report = last_and_report(scene)
            assert set(report["verdicts"].values()) <= {"good", "none"}, (aslant, mu, report["verdicts"])
            now = report["contacts"]["now"]
            rubs = math.hypot(*(now[key]["force"] for key in now if key != "P"))
            assert rubs <= mu * now["P"]["force"] * (1 + 1e-9), (aslant, mu, n, now)
            forces.append((now["P"]["force"], rubs))
        near(forces[0][0], forces[-1][0], 1e-7, (aslant, mu))


@case
def steps_of_moreau_stick_where_events_do():
    """A hinge at rest under less than it holds, and a point that comes to rest on a slope: what sticks holds more than what slides"""
    hinge = {"name": "J", "type": "revolute", "bodies": ["ground", "b"], "at": [0, 0], "friction": {"sliding": 2, "sticking": 5}}
    scenes = [{"dimension": 2, "bodies": [{"name": "b", "mass": 1, "inertia": 1}], "joints": [hinge],
               "forces": [{"name": "F", "type": "torque", "body": "b", "value": 3}], "simulation": {"end": 1, "every": 1}}]
    scenes += [{"dimension": n, "gravity": [0.45 * 9.81] + [0] * (n - 2) + [-9.81], "bodies": [{"name": "b", "mass": 1, "shape": {"type": "point"},
                "position": [0] * n, "velocity": [-speed] + [0] * (n - 1)}], "contacts": [{"name": "c", "bodies": ["b", "ground"], "friction": 0.2,
                "sticking": 0.5, "shapes": [None, {"type": "plane", "normal": [0] * (n - 1) + [1]}]}], "simulation": {"end": 1, "every": 1}}
               for n in (2, 3) for speed in (0, 1, 1.0003, 1.0005)]
    for k, scene in enumerate(scenes):
        last, _ = last_and_report(scene, "--integrator", "moreau", "--step", "1e-4", "--no-verify")
        near(last["b.rate"] if k == 0 else last["b.vx"], 0, 1e-9, k)


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
