#!/usr/bin/env python3
"""Dry friction where the motion is prescribed: drives x friction x motions x methods, against closed forms.

    validation/campaign/prescribed_friction.py --trammel build/tools/trammel [--seeds 3] [--methods all] [-v]

The rate u of a coordinate that rows decide is known in closed form, and so is its friction: -F(u) sign(u), F from
the law and, of a coefficient, from the recorded reaction that presses. Where u is zero for a while the force is 0,
the report says "undetermined" and the column within which bound. Each run is judged by

    force     each recorded force against the law
    motor     the work of the motor against energy gained and the work of friction, by Simpson's rule on records
    mode      what the report says at the end

Exit status 1 if one of them is wrong.
"""
import argparse
import copy
import csv
import dataclasses
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

USUAL = [("", ""), ("rk4", "s-both2"), ("dopri5", "projection"), ("dop853", "baumgarte"), ("dop853", "plain"),
         ("moreau", "s-both2")]
END, EVERY, STEP = 1.0, 1 / 256, 1 / 1024
REFUSED = "refused: "  # what a method does not take


def methods_of(trammel: str) -> list[tuple[str, str]]:
    """All pairs (integrator, method) that `trammel methods` lists."""
    listed = subprocess.run([trammel, "methods"], capture_output=True, text=True, check=True).stdout.split("\n\n")[0]
    return [(words[1], words[0]) for words in map(str.split, listed.splitlines()[1:])]


# ------------------------------------------------------------------------------------------------ motions

def smooth(t: float, t0: float, t1: float) -> tuple[float, float]:
    """step(t, t0, 0, t1, 1) and its rate."""
    x = min(max((t - t0) / (t1 - t0), 0), 1)
    return x**3 * (10 - 15 * x + 6 * x * x), 30 * x * x * (1 - x)**2 / (t1 - t0)


@dataclass
class Motion:
    """x(t) as a formula, and its rate."""
    name: str
    formula: str
    rate: Callable[[float], float]
    dwells: bool = False  # at the end
    flat: bool = False  # its rate c x^p, p > 1, is zero at a time: steps of |u|/(mu g), some c/u^(1 - 1/p) for a pair


def motions(rng: random.Random) -> list[Motion]:
    a, w, p = rng.uniform(0.3, 1), rng.uniform(5, 9), rng.uniform(0.3, 1.2)
    t0, t1 = rng.uniform(0.05, 0.2), rng.uniform(0.3, 0.45)
    t2, t3 = rng.uniform(0.5, 0.6), rng.uniform(0.7, 0.9)
    c, s = rng.uniform(0.3, 0.7), random.Random(p).uniform(0.003, 0.006)
    up, down = f"{a!r}*step(t, {t0!r}, 0, {t1!r}, 1)", f"{a!r}*step(t, {t2!r}, 0, {t3!r}, 1)"
    return [
        Motion("dwell", f"{up}", lambda t: a * smooth(t, t0, t1)[1], True),
        Motion("dwells", f"{up} - {down}", lambda t: a * (smooth(t, t0, t1)[1] - smooth(t, t2, t3)[1]), True),
        Motion("reverses", f"{a!r}*(sin({w!r}*t + {p!r}) - sin({p!r}))", lambda t: a * w * math.cos(w * t + p)),
        Motion("from_rest", f"{a!r}*(1 - cos({w!r}*t))", lambda t: a * w * math.sin(w * t)),
        Motion("parabola", f"{a!r}*t^2/2", lambda t: a * t),
        Motion("touches", f"{a!r}*((t - {c!r})^3 + {c**3!r})", lambda t: 3 * a * (t - c)**2, flat=True),
        Motion("turns_flat", f"{a!r}*((t - {c!r})^4 - {c**4!r})", lambda t: 4 * a * (t - c)**3, flat=True),
        Motion("jolts", f"{a!r}*({s!r}*(log(cosh((t - {c!r})/{s!r})) - log(cosh({c / s!r}))) + {p / 2!r}*t)",
               lambda t: a * (math.tanh((t - c) / s) + p / 2)),
    ]


# ------------------------------------------------------------------------------------------------ friction

@dataclass
class Law:
    """friction of a joint: the JSON, and the bound by rate and load."""
    name: str
    value: Any
    bound: Callable[[float, float], float]
    viscous: float = 0
    loaded: bool = False


def laws(rng: random.Random, turns: bool) -> list[Law]:
    F, more, v, c = rng.uniform(0.5, 3), rng.uniform(0.2, 2), rng.uniform(0.05, 0.5), rng.uniform(0.1, 1)
    mu, r = rng.uniform(0.1, 0.4), rng.uniform(0.02, 0.1)
    radius = {"radius": r} if turns else {}
    mr = mu * (r if turns else 1)
    return [
        Law("number", F, lambda u, N: F),
        Law("object", {"sliding": F, "sticking": F + more}, lambda u, N: F),
        Law("stribeck", {"sliding": F, "sticking": F + more, "stribeck": v, "viscous": c},
            lambda u, N: F + more * math.exp(-(u / v)**2), c),
        Law("coefficient", {"coefficient": mu, **radius}, lambda u, N: mr * N, 0, True),
        Law("both", {"sliding": F, "coefficient": mu, **radius}, lambda u, N: F + mr * N, 0, True),
    ]


# ------------------------------------------------------------------------------------------------ scenes

@dataclass
class Case:
    name: str
    scene: dict[str, Any]
    contact: str                                   # its force
    rate: Callable[[float], float]                 # of its coordinate
    bound: Callable[[float, float], float]         # by rate and load
    load: list[str] = field(default_factory=list)  # columns whose length presses
    viscous: float = 0
    dwells: bool = False
    motor: Optional[str] = None                    # the only one that drives
    pair: Optional["Pair"] = None
    shared: bool = False                           # in dwells


@dataclass
class Pair:
    """Friction along a plane: one direction of it is driven, and the one across, n x along, fixed or free."""
    along: tuple[float, float]  # the driven direction, by the tangents of friction and friction2
    slide: Optional[str] = None  # the joint that is free across
    load: float = 0              # N across


def ends(a: list[float], b: list[float]) -> dict[str, Any]:
    return {"mass": 1, "ends": [a, b]}


def at(p: list[float], space: bool) -> list[float]:
    return [*p, 0] if space else p


def body(name: str, space: bool, where: list[float], mass: float = 1.0) -> dict[str, Any]:
    return {"name": name, "mass": mass, "inertia": [0.1, 0.12, 0.15] if space else 0.15, "position": at(where, space)}


def whole(space: bool, **parts: Any) -> dict[str, Any]:
    return {"dimension": 3 if space else 2, "gravity": at([0, -9.81], space), "assemble": True,
            "simulation": {"end": END, "every": EVERY}, **parts}


def hinge(name: str, a: str, b: str, where: list[float], space: bool, **more: Any) -> dict[str, Any]:
    axis = {"axis": [0, 0, 1]} if space else {}
    return {"name": name, "type": "revolute", "bodies": [a, b], "at": at(where, space), **axis, **more}


def slide(name: str, a: str, b: str, where: list[float], axis: list[float], space: bool, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": "prismatic", "bodies": [a, b], "at": at(where, space), "axis": at(axis, space), **more}


def pin_of(joint: str, space: bool) -> list[str]:
    return [f"{joint}.lambda_{axis}[N]" for axis in ("xyz" if space else "xy")]


def sides_of(joint: str, space: bool) -> list[str]:
    """What presses in a slide; its motor does not."""
    return [f"{joint}.lambda_side_1[N]", f"{joint}.lambda_side_2[N]"] if space else [f"{joint}.lambda_n[N]"]


def own_drive(rng: random.Random, space: bool, m: Motion, turns: bool, how: str, redundant: bool) -> list[Case]:
    """One body in one joint, driven by its motor or a constraint of the time; with a free pendulum, or held twice."""
    found = []
    for law in laws(rng, turns):
        more: dict[str, Any] = {"friction": law.value}
        if how == "motor":
            more["motor"] = m.formula
        bodies = [body("b", space, [0.4, 0.1]), body("p", space, [0.4, -0.6])]
        joints = [hinge("O", "ground", "b", [0, 0], space, **more) if turns
                  else slide("O", "ground", "b", [0.4, 0.1], [1, 0.3], space, **more),
                  hinge("H", "b", "p", [0.4, 0.1], space)]
        if redundant:
            joints.append(hinge("O2", "ground", "b", [0, 0], space) if turns
                          else slide("O2", "ground", "b", [0.4, 0.1], [1, 0.3], space))
        what = "angle" if turns else "position"
        constraints = [] if how == "motor" else [{"name": "c", "expression": f"O.{what} - ({m.formula})"}]
        load = [] if not law.loaded else pin_of("O", space) if turns else sides_of("O", space)
        if law.loaded and redundant:
            continue  # the load of O is one of many
        scene = whole(space, bodies=bodies, joints=joints, constraints=constraints)
        found.append(Case(f"{'hinge' if turns else 'slide'}-{how}-{law.name}-{m.name}-{'space' if space else 'plane'}"
                          f"{'-redundant' if redundant else ''}", scene, "O", m.rate, law.bound, load, law.viscous,
                          m.dwells, "O" if how == "motor" else None))
    return found


def slider_crank(rng: random.Random, space: bool, m: Optional[Motion]) -> list[Case]:
    """Friction on the slider; the crank turns at constant speed, or as the motion says."""
    r, l, w, p = 0.1, rng.uniform(0.25, 0.4), rng.uniform(6, 12), rng.uniform(0.2, 1.2)
    x, y = r * math.cos(p), r * math.sin(p)
    foot = x + math.sqrt(l * l - y * y)
    formula = m.formula if m else f"{w!r}*t"

    def angle(t: float) -> tuple[float, float]:
        return (p + float_of(m, t), m.rate(t)) if m else (p + w * t, w)

    def rate(t: float) -> float:
        a, u = angle(t)
        s, c = math.sin(a), math.cos(a)
        return u * (-r * s - r * r * s * c / math.sqrt(l * l - r * r * s * s))

    found = []
    for law in laws(rng, False):
        bodies = [body("crank", space, [x / 2, y / 2]), body("rod", space, [(x + foot) / 2, y / 2]),
                  body("slider", space, [foot, 0])]
        joints = [hinge("C", "ground", "crank", [0, 0], space, motor=formula),
                  {"name": "B", "type": "spherical", "bodies": ["crank", "rod"], "at": at([x, y], space)} if space
                  else hinge("B", "crank", "rod", [x, y], space),
                  {"name": "D", "type": "universal", "bodies": ["rod", "slider"], "at": at([foot, 0], space), "axis": [0, 0, 1],
                   "axis2": [0, 1, 0]} if space
                  else hinge("D", "rod", "slider", [foot, 0], space),
                  slide("S", "ground", "slider", [foot, 0], [1, 0], space, friction=law.value)]
        found.append(Case(f"slider_crank-{law.name}-{m.name if m else 'turns'}-{'space' if space else 'plane'}",
                          whole(space, bodies=bodies, joints=joints), "S", rate, law.bound,
                          sides_of("S", space) if law.loaded else [], law.viscous, bool(m and m.dwells), "C"))
    return found


def float_of(m: Motion, t: float) -> float:
    """x(t) of a motion, from its formula."""
    names = {"sin": math.sin, "cos": math.cos, "log": math.log, "cosh": math.cosh, "t": t,
             "step": lambda x, a, y0, b, y1: y0 + (y1 - y0) * smooth(x, a, b)[0]}
    return float(eval(m.formula.replace("^", "**"), {"__builtins__": {}}, names))  # pylint: disable=eval-used


def transmission(rng: random.Random, space: bool, m: Motion, kind: str) -> list[Case]:
    """Friction in the second joint; the first one has the motor."""
    found = []
    ratio = rng.uniform(0.4, 2)
    turns = kind not in ("cam", "rack_and_pinion", "screw")
    for law in laws(rng, turns):
        bodies = [body("a", space, [0, 0]), body("b", space, [0.6, 0.1])]
        joints = [hinge("A", "ground", "a", [0, 0], space, motor=m.formula),
                  hinge("B", "ground", "b", [0.5, 0], space, friction=law.value) if turns
                  else slide("B", "ground", "b", [0.6, 0.1], [0.6, 0.8], space, friction=law.value)]
        rate = m.rate
        if kind == "belt":
            couple: dict[str, Any] = {"type": "belt", "joints": ["A", "B"], "radii": [0.1 * ratio, 0.1]}
            rate = lambda t: ratio * m.rate(t)
        elif kind == "gear":
            couple = {"type": "gear", "joints": ["A", "B"], "ratio": -ratio}
            rate = lambda t: -ratio * m.rate(t)
        elif kind == "coupling":
            couple = {"type": "coupling", "joints": ["A", "B"], "coefficients": [ratio, 1]}
            rate = lambda t: -ratio * m.rate(t)
        elif kind == "rack_and_pinion":
            couple = {"type": "rack_and_pinion", "joints": ["A", "B"], "radius": 0.1 * ratio}
            rate = lambda t: 0.1 * ratio * m.rate(t)
        elif kind == "screw":
            couple = {"type": "screw", "joints": ["A", "B"], "lead": 0.1 * ratio}
            rate = lambda t: 0.1 * ratio / (2 * math.pi) * m.rate(t)
        else:  # a follower whose slope vanishes in places, at rest of the cam or not
            couple = {"type": "cam", "follower": "B", "profile": f"{0.1 * ratio!r}*(1 - cos(3*A.angle))"}
            rate = lambda t: 0.3 * ratio * math.sin(3 * float_of(m, t)) * m.rate(t)
        scene = whole(space, bodies=bodies, joints=joints, constraints=[{"name": "c", **couple}])
        found.append(Case(f"{kind}-{law.name}-{m.name}-{'space' if space else 'plane'}", scene, "B", rate, law.bound,
                          [] if not law.loaded else pin_of("B", space) if turns else sides_of("B", space), law.viscous, m.dwells, "A"))
    return found


def thread(rng: random.Random, space: bool, m: Motion) -> list[Case]:
    """Friction of a thread: along it, |f| <= mu lambda/cos a."""
    lead, r, mu = rng.uniform(0.01, 0.03), rng.uniform(0.008, 0.012), rng.uniform(0.05, 0.2)
    slope = math.atan(lead / (2 * math.pi * r))
    bodies = [body("screw", space, [0, 0]), body("nut", space, [0, 0], 20)]
    up = [0, 0, 1] if space else [0, 1]
    joints = [{"name": "A", "type": "revolute", "bodies": ["ground", "screw"], "at": at([0, 0], space), "motor": m.formula,
               **({"axis": up} if space else {})},
              {"name": "B", "type": "prismatic", "bodies": ["ground", "nut"], "at": at([0, 0], space), "axis": up}]
    scene = whole(space, bodies=bodies, joints=joints, constraints=[
        {"name": "thread", "type": "screw", "joints": ["A", "B"], "lead": lead, "friction": mu, "radius": r}])
    scene["gravity"] = [-9.81 * x for x in up]
    case = Case(f"thread-{m.name}-{'space' if space else 'plane'}", scene, "thread",
                lambda t: r / math.cos(slope) * m.rate(t), lambda u, N: mu * N / math.cos(slope),
                ["thread.lambda[N]"], 0, m.dwells, "A")
    return [case]


def cross(a: list[float], b: list[float]) -> list[float]:
    return [a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3] for i in range(3)]


def tangents(n: list[float]) -> tuple[list[float], list[float]]:
    """Of a stop's friction, as the reference of the format has them."""
    least = min(range(3), key=lambda i: abs(n[i]))
    first = cross([float(i == least) for i in range(3)], n)
    first = [x / math.hypot(*first) for x in first]
    return first, cross(n, first)


def aslant(rng: random.Random, m: Motion, free: bool) -> Case:
    """The same on a plane that lies anyhow, in any direction along it; free: with a load across, and a way there."""
    mu, angle = rng.uniform(0.1, 0.4), rng.uniform(0, 2 * math.pi)
    up = [rng.gauss(0, 1) for _ in range(3)]
    up = [x / math.hypot(*up) for x in up]
    first, second = tangents(up)
    c, s = math.cos(angle), math.sin(angle)
    along = [c * a + s * b for a, b in zip(first, second)]
    across = [c * b - s * a for a, b in zip(first, second)]
    place = [0.05 * x for x in up]
    bodies = [{**body("b", True, [0, 0]), "name": name, "position": place} for name in ("cart", "plate", "block")]
    load = rng.uniform(-0.8, 0.8) * mu * 9.81 if free else 0

    def slider(name: str, a: str, b: str, axis: list[float], **more: Any) -> dict[str, Any]:
        return {"name": name, "type": "prismatic", "bodies": [a, b], "at": place, "axis": axis, **more}

    joints = [slider("S", "ground", "cart", along, motor=m.formula),
              slider("Z", "cart", "plate", across) if free else {"name": "Z", "type": "weld", "bodies": ["cart", "plate"], "at": place},
              slider("V", "plate", "block", up)]
    markers = [{"name": "foot", "body": "block", "at": [0, 0, 0]}, {"name": "floor", "body": "ground", "at": [0, 0, 0]},
               {"name": "c", "body": "block", "at": place}]
    scene = whole(True, bodies=bodies, joints=joints, markers=markers, gravity=[-9.81 * x for x in up],
                  forces=[{"name": "f", "type": "force", "marker": "c", "value": [load * x for x in across]}],
                  stops=[{"name": "fl", "marker": "foot", "on": "floor", "normal": up, "friction": mu}])
    return Case(f"aslant-{'free' if free else 'fixed'}-{m.name}", scene, "fl.friction", m.rate, lambda u, N: mu * N,
                ["fl.contact_force[N]"], 0, m.dwells, "S", Pair((c, s), "Z" if free else None, load))


def dragged(rng: random.Random, space: bool, m: Motion) -> list[Case]:
    """A block that a cart drags over a floor, free to leave it."""
    mu, up = rng.uniform(0.1, 0.4), [0, 1]
    bodies = [body("cart", space, [0, 0.05]), body("block", space, [0, 0.05])]
    joints = [slide("S", "ground", "cart", [0, 0.05], [1, 0], space, motor=m.formula),
              slide("V", "cart", "block", [0, 0.05], [0, 1], space)]
    markers = [{"name": "foot", "body": "block", "at": at([0, 0], space)},
               {"name": "floor", "body": "ground", "at": at([0, 0], space)}]
    scene = whole(space, bodies=bodies, joints=joints, markers=markers,
                  stops=[{"name": "fl", "marker": "foot", "on": "floor", "normal": at(up, space), "friction": mu}])
    return [Case(f"dragged-{m.name}-{'space' if space else 'plane'}", scene, "fl.friction", m.rate,
                 lambda u, N: mu * N, ["fl.contact_force[N]"], 0, m.dwells, "S", Pair((0, 1)) if space else None),
            *([aslant(rng, m, free) for free in (False, True) if not (free and m.flat)] if space else [])]


def followed(rng: random.Random, space: bool, m: Motion) -> list[Case]:
    """A follower on a stop that moves, held there by its weight; in dwells the stop and friction share it in any way."""
    up, small = [0, 1], 0.005
    found = []
    for law in [one for one in laws(rng, False) if not one.loaded]:
        scene = whole(space, bodies=[{**body("b", space, [0, 0]), "velocity": at([0, small * m.rate(0)], space)}],
                      joints=[slide("f", "ground", "b", [0, 0], up, space, friction=law.value)],
                      stops=[{"name": "cam", "gap": f"f.position - {small!r}*({m.formula})"}])
        found.append(Case(f"followed-{law.name}-{m.name}-{'space' if space else 'plane'}", scene, "f",
                          lambda t: small * m.rate(t), law.bound, [], law.viscous, m.dwells, None, None, True))
    return found


# ------------------------------------------------------------------------------------------------ other drives

def driven_joint(case: Case) -> dict[str, Any]:
    return next(j for j in case.scene["joints"] if "motor" in j)


def by_constraint(case: Case, _: random.Random) -> Case:
    """A constraint of the time in place of the motor."""
    joint = driven_joint(case)
    what = "angle" if joint["type"] == "revolute" else "position"
    drive = {"name": "time", "expression": f"{joint['name']}.{what} - ({joint.pop('motor')})"}
    case.scene["constraints"] = [*case.scene.get("constraints", []), drive]
    return dataclasses.replace(case, name=case.name + "-by_constraint", motor=None)


def through(case: Case, rng: random.Random) -> Case:
    """The motor turns a shaft that drives the joint by a gear, a belt, a rack, a screw or a cam."""
    joint, space, ratio = driven_joint(case), case.scene["dimension"] == 3, rng.uniform(0.4, 2)
    turns = joint["type"] == "revolute"
    kind = rng.choice(("gear", "belt", "cam") if turns else ("rack_and_pinion", "screw", "cam"))
    ways: dict[str, tuple[float, dict[str, Any]]] = {
        "gear": (-ratio, {"joints": ["X", joint["name"]], "ratio": -ratio}),
        "belt": (ratio, {"joints": ["X", joint["name"]], "radii": [0.1 * ratio, 0.1]}),
        "rack_and_pinion": (ratio, {"joints": ["X", joint["name"]], "radius": ratio}),
        "screw": (ratio, {"joints": ["X", joint["name"]], "lead": 2 * math.pi * ratio}),
        "cam": (ratio, {"follower": joint["name"], "profile": f"{ratio!r}*X.angle"})}
    rate, keys = ways[kind]
    case.scene["bodies"].append(body("shaft", space, [-1, 0]))
    case.scene["joints"].append(hinge("X", "ground", "shaft", [-1, 0], space, motor=f"({joint.pop('motor')})/{rate!r}"))
    case.scene["constraints"] = [*case.scene.get("constraints", []), {"name": "drive", "type": kind, **keys}]
    return dataclasses.replace(case, name=f"{case.name}-by_{kind}", motor="X" if case.motor else None)


def doubled(case: Case, rng: random.Random) -> Case:
    """One of the joints is there twice, and its rows: none whose reaction is looked at."""
    may = [j for j in case.scene["joints"] if not any(c.startswith(f"{j['name']}.") for c in case.load)]
    if not may:
        return case
    again = {k: v for k, v in rng.choice(may).items() if k not in ("motor", "friction")}
    case.scene["joints"].append({**again, "name": "again"})
    return dataclasses.replace(case, name=case.name + "-doubled")


def driven_otherwise(found: list[Case], rng: random.Random) -> list[Case]:
    """Of each case with a motor one that another drive moves, some with a joint twice."""
    others = []
    for case in found:
        if any("motor" in j for j in case.scene["joints"]):
            other = rng.choice((by_constraint, through))(dataclasses.replace(case, scene=copy.deepcopy(case.scene)), rng)
            others.append(doubled(other, rng) if rng.random() < 0.4 else other)
    return others


def cases(seed: int) -> list[Case]:
    rng = random.Random(f"prescribed friction {seed}")
    found: list[Case] = []
    for space in (False, True):
        for m in motions(rng):
            for turns in (True, False):
                for how in ("motor", "constraint"):
                    for redundant in (False, True):
                        found += own_drive(rng, space, m, turns, how, redundant)
            for kind in ("belt", "gear", "coupling", "rack_and_pinion", "screw", "cam"):
                found += transmission(rng, space, m, kind)
            found += slider_crank(rng, space, m)
            found += thread(rng, space, m)
            found += dragged(rng, space, m)
            found += followed(rng, space, m)
        found += slider_crank(rng, space, None)
    return found + driven_otherwise(found, rng)


# ------------------------------------------------------------------------------------------------ verdicts

def simpson(y: list[float], h: float) -> float:
    return h / 3 * (y[0] + y[-1] + 4 * sum(y[1:-1:2]) + 2 * sum(y[2:-1:2]))


def is_held(case: Case, t: float) -> bool:
    return max(abs(case.rate(t + s * EVERY / 4)) for s in (-1, 0, 1)) == 0


def judge(case: Case, header: list[str], rows: list[list[float]], report: dict[str, Any], near: float, first: int) -> str:
    """"", or what is wrong. near: how far forces may be off, a part of the largest; first: the first line with forces."""
    column = {name: [row[i] for row in rows] for i, name in enumerate(header)}
    force = next(v for k, v in column.items() if k.split("[")[0] == f"{case.contact}.contact_force")
    usual, none = max(abs(case.rate(t)) for t in column["t"]), [0.0] * len(rows)
    drift, sideways = none, none  # the rate across, and the force
    if case.pair:
        (c, s), f1, f2 = case.pair.along, force, column[f"{case.contact}2.contact_force[N]"]
        force, sideways = [c * a + s * b for a, b in zip(f1, f2)], [c * b - s * a for a, b in zip(f1, f2)]
        drift = column[f"{case.pair.slide}.coordinate_rate[m/s]"] if case.pair.slide else none
    expected = []
    for i, t in enumerate(column["t"]):
        u, N = case.rate(t), math.hypot(*(column[c][i] for c in case.load)) if case.load else 0
        speed = math.hypot(u, drift[i])
        expected.append((-u / speed * case.bound(u, N) if drift[i] else -math.copysign(case.bound(u, N), u)) - case.viscous * u)
        # a rate is off by `near` of the usual one, its direction by that over the speed; a step of moreau changes the
        # block's rate by bound h/m
        if case.pair and i >= first:
            slow = max(max(near, 1e-6) * usual, first * case.bound(u, N) * STEP / near)
            slides = speed > slow
            rests = max(map(abs, drift[max(i - 1, 0):i + 2])) <= 1e-6 * usual and is_held(case, t)
            across = -drift[i] / speed * case.bound(u, N) if slides else -case.pair.load
            if (slides or rests) and not abs(sideways[i] - across) <= near * case.bound(u, N) * max(1, usual / speed if slides else 1):
                return f"force across at {t:.6g} s is {sideways[i]:.6g}, not {across:.6g}"
    most, least = max(map(abs, expected)), 0 if case.load else min(map(abs, expected))
    open_by = next((v for k, v in column.items() if k.split("[")[0] == f"{case.contact}.contact_undetermined"), [0.0] * len(rows))
    powers = []
    for i, t in enumerate(column["t"]):
        u = case.rate(t)
        turned = abs(u) > max(near, 1e-6) * usual
        held = is_held(case, t)
        skew = max(1, usual / math.hypot(u, drift[i])) if drift[i] else 1
        if i < first:
            pass
        elif turned and not abs(force[i] - expected[i]) <= near * most * skew + first * abs(expected[i] - expected[i - first]):
            return f"force at {t:.6g} s is {force[i]:.6g}, not {expected[i]:.6g}"
        elif turned and open_by[i] != 0:
            return f"the column says undetermined at {t:.6g} s, where it moves"
        elif held and not case.shared and not drift[i] and not (abs(force[i]) <= near * most and open_by[i] >= 0.3 * least):
            return f"force at {t:.6g} s is {force[i]:.6g} +- {open_by[i]:.6g} in a dwell"
        powers.append(force[i] * u + (sideways[i] + (case.pair.load if case.pair else 0)) * drift[i])
    now = report["contacts"]["now"][case.contact]
    slow = case.pair and case.pair.slide and abs(drift[-1]) <= near * usual
    wanted = "slides" if not case.dwells or case.pair and case.pair.slide and not slow else "sticks" if slow else "undetermined"
    if now["mode"] != wanted and not (case.dwells and case.shared):
        return f"mode {now['mode']}, not {wanted}"
    if case.motor and "-jolts" not in case.name:  # its rate turns between two records
        drive = next(v for k, v in column.items() if k.split("[")[0] == f"{case.motor}.motor")
        rate = next(v for k, v in column.items() if k.split("[")[0] == f"{case.motor}.coordinate_rate")
        work = simpson([a * b for a, b in zip(drive, rate)], EVERY)
        energy = [k + p for k, p in zip(column["energy.kinetic[J]"], column["energy.potential[J]"])]
        taken = simpson(powers, EVERY)
        through = simpson([abs(a * b) for a, b in zip(drive, rate)], EVERY) + abs(taken)
        shifted = STEP / 2 * sum(abs((b - a) * u) for a, b, u in zip(drive, drive[1:], rate))  # moreau's forces are means of a step
        if abs(work + taken - (energy[-1] - energy[0])) > max(2e-3, near) * through + first * shifted:  # friction jumps at rate 0
            return f"the motor's work is {work:.6g} J, not {energy[-1] - energy[0] - taken:.6g} J"
    return ""


def run(case: Case, trammel: str, integrator: str, method: str, folder: str) -> tuple[str, int]:
    scene, out = os.path.join(folder, "scene.json"), os.path.join(folder, "out.csv")
    with open(scene, "w", encoding="utf-8") as file:
        json.dump(case.scene, file)
    options, near = [], 1e-6
    if integrator:
        options = ["--integrator", integrator, "--method", method]
        near = 1e-5
    if integrator in ("rk4", "midpoint", "heun", "moreau"):
        options += ["--step", str(STEP)]
        near = 2e-2 if integrator == "moreau" else 1e-2 if integrator in ("heun", "midpoint") else 1e-4
    near = max(near, 1e-4) if case.shared else near  # the motion is integrated: rates are off by 1e-6, laws by some ten of it
    command = [trammel, "run", scene, "-o", out, "--json", *options]
    if os.path.exists(out):
        os.remove(out)
    try:
        done = subprocess.run(command, capture_output=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return "no end in 20 s", 0
    if done.returncode == 2 or b"does not take" in done.stderr:
        return REFUSED + done.stderr.decode().splitlines()[0][-200:], 0
    if done.returncode != 0:
        return f"exit {done.returncode}: {done.stderr.decode().splitlines()[0][-200:] if done.stderr else ''}", 0
    report = json.loads(done.stdout)
    with open(out, encoding="utf-8") as file:
        table = list(csv.reader(file))
    rows = [[float(x) for x in row] for row in table[1:]]
    if not all(math.isfinite(x) for row in rows for x in row):
        return "a number is not finite", 0
    steps = report.get("steps", report.get("stats", {}).get("steps", 0))
    return judge(case, table[0], rows, report, near, int(integrator == "moreau")), steps


def main() -> int:
    p = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    p.add_argument("--trammel", default="build/tools/trammel")
    p.add_argument("--seeds", type=int, default=1)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--methods", choices=("default", "usual", "all"), default="default")
    p.add_argument("--only", default="", help="cases whose names contain this")
    p.add_argument("--sample", type=int, default=0, help="as many runs of each seed, by chance")
    p.add_argument("--keep", default="", help="folder for the scenes that are wrong")
    p.add_argument("-v", action="store_true")
    args = p.parse_args()
    methods = {"default": [("", "")], "usual": USUAL, "all": methods_of(args.trammel)}[args.methods]
    wrong = count = refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(args.first, args.first + args.seeds):
            chosen = [(c, m) for c in cases(seed) if args.only in c.name for m in methods]
            if args.sample:
                chosen = random.Random(seed).sample(chosen, min(args.sample, len(chosen)))
            for case, (integrator, method) in chosen:
                says, steps = run(case, args.trammel, integrator, method, folder)
                count += 1
                if says.startswith(REFUSED):
                    refused += 1
                    if args.v:
                        print(f"{seed} {case.name} {integrator}+{method}: {says}", flush=True)
                    continue
                wrong += bool(says)
                if says or args.v:
                    print(f"{seed} {case.name} {integrator}+{method}: {says or 'right'} ({steps} steps)", flush=True)
                if says and args.keep:
                    os.makedirs(args.keep, exist_ok=True)
                    with open(os.path.join(args.keep, f"{case.name}-{seed}.json"), "w", encoding="utf-8") as file:
                        json.dump(case.scene, file, indent=1)
    print(f"{count} runs, {wrong} wrong, {refused} refused by methods that take no contacts")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
