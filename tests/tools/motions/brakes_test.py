#!/usr/bin/env python3
"""Dry friction whose bound is a formula: brakes and clutches as they are commanded, against closed forms.

usage: brakes_test.py TRAMMEL. Prints TAP.
"""
import math
import sys

import tap
from recorded import last_of_good, started
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


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
