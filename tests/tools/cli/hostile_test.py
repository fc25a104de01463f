"""Hostile formulas and events: kinks, pulses, tables, conditions, at A = 1e-3, 1e-6 and 1e-9.

usage: hostile_test.py TRAMMEL ROOT

A body of 1 kg on a line, a wheel of 1 kg m^2 on a hinge. A case names its scene, the end of the run, and where the
body is there with which rate, from closed forms or from quadrature between the kinks; both are met to 10 A of their
size, and the run is good. Where a run is refused, the case names the words of the refusal.
"""
import collections
import csv
import json
import math
import os
import subprocess
import sys

import tap

PROGRAM = os.path.abspath(sys.argv[1])
pi, sqrt, inf = math.pi, math.sqrt, math.inf
Case = collections.namedtuple("Case", "name scene end place rate events")
TABLE = []


# ------------------------------------------------------------------------------------------ scenes

def cart(force, x=0, v=0, **more):
    """A body on the x axis under a force; "p.x" and "p.vx" are its place and velocity."""
    return {"dimension": 2,
            "bodies": [{"name": "a", "mass": 1, "inertia": 1, "position": [x, 0], "velocity": [v, 0]}],
            "markers": [{"name": "p", "body": "a", "on": [0, 0]}],
            "joints": [{"name": "P", "type": "prismatic", "bodies": ["ground", "a"], "at": [0, 0], "axis": [1, 0]}],
            "forces": [{"name": "f", "type": "force", "marker": "p", "value": [force, 0]}], **more}


def wheel(torque, rate=0, dimension=3, **more):
    """A wheel on a hinge under a torque; "O.angle" and "O.rate" count its turns."""
    space = dimension == 3
    return {"dimension": dimension,
            "bodies": [{"name": "a", "mass": 1, "inertia": [2, 3, 1] if space else 1,
                        "rate": [0, 0, rate] if space else rate}],
            "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "a"], "at": [0] * dimension,
                        **({"axis": [0, 0, 1]} if space else {})}],
            "forces": [{"name": "f", "type": "joint_force", "joint": "O", "value": torque}], **more}


def inputs(**values):
    return {name: {"value": value, "input": True} for name, value in values.items()}


def event(name, when, **more):
    return {"name": name, "when": when, **more}


def add(name, scene, end, motion, events=()):
    """motion: place and rate at the end, or the words of a refusal."""
    place, rate = motion if isinstance(motion, tuple) else (motion, None)
    TABLE.append(Case(name, scene, end, place, rate, list(events)))


# ----------------------------------------------------------------------------------- exact motions

POINTS = [-0.9602898564975363, -0.7966664774136267, -0.5255324099163290, -0.1834346424956498]
WEIGHTS = [0.1012285362903763, 0.2223810344533745, 0.3137066458778873, 0.3626837833783620]


def driven(force, cuts, end, x=0.0, v=0.0):
    """By Gauss in 50 parts between the cuts, each of 8 points: v + int f, x + v T + int (T - s) f."""
    edges = sorted({0.0, end, *(c for c in cuts if 0 < c < end)})
    place, rate = x + v * end, v
    for lo, hi in zip(edges, edges[1:]):
        for i in range(50):
            middle, half = lo + (i + 0.5) * (hi - lo) / 50, (hi - lo) / 100
            for point, weight in zip(POINTS, WEIGHTS):
                for s in (middle + half * point, middle - half * point):
                    rate += weight * half * force(s)
                    place += weight * half * force(s) * (end - s)
    return place, rate


def zones(edges, accelerations, end, x, v):
    """Constant accelerations between edges of x, one more than edges."""
    t = 0.0
    zone = sum(x > e or (x == e and (v > 0 or v == 0 and accelerations[i + 1] > 0)) for i, e in enumerate(edges))
    for _ in range(10000):
        a = accelerations[zone]
        lo, hi = ([-inf, *edges][zone], [*edges, inf][zone])
        first, into = end - t, 0
        for edge, side in ((lo, -1), (hi, 1)):
            for dt in roots(a / 2, v, x - edge):
                if 1e-12 < dt < first and (v + a * dt) * side > 0:
                    first, into = dt, side
        x, v, t = x + v * first + a * first ** 2 / 2, v + a * first, t + first
        if not into:
            return x, v
        x = edges[zone - (into < 0)]
        zone += into
    raise AssertionError("too many zones")


def roots(a, b, c):
    if a == 0:
        return [-c / b] if b else []
    if b * b < 4 * a * c:
        return []
    q = -(b + math.copysign(sqrt(b * b - 4 * a * c), b)) / 2
    return [q / a, c / q] if q else [0.0]


def phased(pieces, end, x, v):
    """Forces of (until, force), constant between times."""
    t = 0.0
    for until, a in pieces:
        dt = max(min(until, end) - t, 0)
        x, v, t = x + v * dt + a * dt * dt / 2, v + a * dt, t + dt
    return x, v


# ------------------------------------------------------------------------------- forces of the time

add("a kick of a microsecond", cart("1e6*pulse(t, 3.7, 3.700001)"), 10, (10 - 3.7000005, 1))
NANO = 0.300000001 - 0.3
add("a kick of a nanosecond in space", wheel("1e9*pulse(t, 0.3, 0.300000001)"), 1, (0.7e9 * NANO, 1e9 * NANO))
add("a kick late in a long run", cart("1e4*pulse(t, 73.1, 73.1001)", v=-1), 100, (-100 + 26.89995, 0))
add("stairs by floor", cart("floor(t)"), 10.5, driven(math.floor, range(11), 10.5))
add("a saw by mod", cart("mod(t, 0.3)"), 3, driven(lambda t: math.fmod(t, 0.3), [0.3 * k for k in range(11)], 3.0))
add("a saw of negative numbers", wheel("mod(-t, 1)", dimension=2), 4.5,
    driven(lambda t: -t - math.floor(-t), range(5), 4.5))
add("if in if in if", cart("if(t < 1, 1, if(t < 2, -2, if(t < 2.5, 1, 0)))"), 3,
    phased([(1, 1), (2, -2), (2.5, 1), (3, 0)], 3, 0, 0))
add("a square wave by mod of floor", cart("if(mod(floor(2*t), 2) == 0, 1, -1)"), 4.25,
    phased([(0.5 * (k + 1), (-1) ** k) for k in range(9)], 4.25, 0, 0))
add("two pulses, less one in both", cart("3*pulse(t, 1, 2) - 5*pulse(t, 1, 1.5) + 2*pulse(t, 1.5, 2)"), 3,
    phased([(1, 0), (1.5, -2), (2, 5), (3, 0)], 3, 0, 0))
add("half waves by max", cart("max(0, sin(40*t))"), 2 * pi,
    driven(lambda t: max(0, math.sin(40 * t)), [k * pi / 40 for k in range(80)], 2 * pi))
add("kinks a tenth of a microsecond apart", cart("1e7*(abs(t - 1) - abs(t - 1.0000001))"), 2,
    driven(lambda t: 1e7 * (abs(t - 1) - abs(t - 1.0000001)), [1, 1.0000001], 2.0))
add("a bell of a millisecond", cart("1000*exp(-((t - 5)/0.001)^2)"), 8, (3 * sqrt(pi), sqrt(pi)))
add("a sine of 1600 turns, switched on", cart("if(t > 1, sin(1e4*(t - 1)), 0)"), 2,
    (1e-4 - math.sin(1e4) / 1e8, (1 - math.cos(1e4)) / 1e4))
add("the same, larger than the tolerances", wheel("if(t > 1, 1000*sin(1000*(t - 1)), 0)"), 2,
    (1 - math.sin(1e3) / 1e3, 1 - math.cos(1e3)))
add("a step of ten microseconds", cart("step(t, 3, 3.00001)"), 5, (1.999995 ** 2 / 2, 1.999995))
add("flanks as wide as the pulse", wheel("pulse(t, 1, 1.002, 0.001)*1e3"), 3, (1.999, 1))
add("saturated sine", cart("clamp(sin(5*t), -0.5, 0.5)"), 3,
    driven(lambda t: min(max(math.sin(5 * t), -0.5), 0.5),
           [(k * pi + s * pi / 6) / 5 for k in range(6) for s in (-1, 1)], 3.0))
add("a moment of equality has no impulse", cart("if(t == 1, 1e9, 0)", v=1), 2, (2, 1))
add("and of inequality misses none", cart("if(t != 1, 1, 1e9)"), 2, (2, 2))
add("ceil less floor", cart("ceil(3*t) - floor(3*t)"), 2, (2, 2))
ROOT = (2 / 3 * 3 + 4 / 15 * (2 ** 2.5 - 1), 2 / 3 * (1 + 2 ** 1.5))  # of sqrt(abs(t - 1)), from 0 to 3
POWER = (2 ** 2.5 / 2.5 * 3 - 2 ** 3.5 / 8.75, 2 ** 2.5 / 2.5)  # of max(0, 2 - t)^1.5
HELD = {"name": "k", "type": "velocity", "expression": "p.vx - step(t, 3, 3.0001)"}
add("a speed that is held, from rest within a step", cart("0", constraints=[HELD]), 5, (1.99995, 1))
add("roots of the time", cart("sqrt(abs(t - 1)) - max(0, 2 - t)^1.5"), 3,
    tuple(one - other for one, other in zip(ROOT, POWER)))

# -------------------------------------------------------------------------------------------- tables

TENT = {"w": {"points": [[0, 0], [0.37, 1], [1, 0]], "outside": "periodic"}}


def tent(t):
    s = t - math.floor(t)
    return s / 0.37 if s < 0.37 else (1 - s) / 0.63


add("a periodic table over twenty turns", cart("table(w, t) - 0.5", tables=TENT), 20.2,
    driven(lambda t: tent(t) - 0.5, [k + s for k in range(21) for s in (0, 0.37)], 20.2))
add("a table that all but jumps", cart("table(w, t)", tables={
    "w": {"points": [[0, 0], [1, 0], [1.000000001, 2], [2, 2]], "outside": "hold"}}), 3, (4, 4))
CUBES = {"w": {"points": [[x, x ** 3] for x in (0, 0.3, 1, 1.1, 2)], "interpolation": "cubic"}}
add("a spline of a cube", wheel("table(w, t)", tables=CUBES), 2, (2 ** 5 / 20, 2 ** 4 / 4))
add("a spring by a table with a kink at rest", cart("-sign(p.x)*table(w, abs(p.x))", x=1, tables={
    "w": {"points": [[0, 0], [0.5, 2], [3, 12]]}}), 7, (math.cos(14), -2 * math.sin(14)))
add("a table that ends stops the run", cart("table(w, p.x)", v=1, tables={"w": {"points": [[0, 0], [1, 0]]}}), 3,
    "a table is read behind its last point, 1")

# --------------------------------------------------------------------------------- forces of the state

add("relay", cart("-sign(p.x)", x=1), 20.3, zones([0], [1, -1], 20.3, 1, 0))
add("stairs of the state", cart("-floor(p.x)", x=2.5), 9.7,
    zones([-3, -2, -1, 0, 1, 2, 3], [4, 3, 2, 1, 0, -1, -2, -3], 9.7, 2.5, 0))
add("stairs from their edge", cart("-floor(p.x)", x=2), 1, zones([1, 2], [0, -1, -2], 1, 2, 0))
add("a spring of two rates", cart("min(-p.x, -100*p.x)*(p.x > 0) + max(-p.x, -100*p.x)*(p.x < 0)", x=1), 0.3 * pi,
    (math.cos(3 * pi), 0))
add("soft to one side, hard to the other", cart("if(p.x > 0, -p.x, -100*p.x)", x=1), 3.3 * pi,
    (math.cos(0.0), 0.0))
add("a dead zone", wheel("if(abs(O.angle) < 0.5, 0, -4*(O.angle - 0.5*sign(O.angle)))", rate=2), 3 * pi + 3.25,
    (0.5, 2))
add("a ratchet", cart("0.5 - mod(p.x, 1)", v=5), 14 * math.asin(0.5 / sqrt(25.25 - 0.25 + 0.25)),
    (7, 5))
add("a wall of 1e8 N/m", cart("1e8*max(0, -p.x)", x=1, v=-1), 2.5, (1.5 - pi * 1e-4, 1))
T_CONTACT = 2 * (pi - math.atan(sqrt(2) * 1e3)) / 1e3
add("a ball that bounces five times", cart("1e6*max(0, -p.x) - 1", x=1), 10 * sqrt(2) + 5 * T_CONTACT, (1, 0))
add("a window a thousandth wide", cart("if(abs(p.x - 5) < 0.001, 1000, 0)", v=10), 2,
    zones([4.999, 5.001], [0, 1000, 0], 2, 0, 10))
add("the same by its square", cart("if((p.x - 5)^2 < 1e-6, 1000, 0)", v=10), 2,
    zones([4.999, 5.001], [0, 1000, 0], 2, 0, 10))
WALL = ([1, 2.66], [2.5, 1.5, -2500])
add("out of a wall and back within a step", cart("if(p.x <= 1, 2.5, if(p.x < 2.66, 1.5, -2500))", x=-2.8, v=1.6),
    12.8, zones(*WALL, 12.8, -2.8, 1.6))


def windows(width, places, force, end, v):
    """Windows of this width about places, with a force in each."""
    edges = [k + side * width / 2 for k in places for side in (-1, 1)]
    return zones(edges, [0] + [force, 0] * len(places), end, 0, v)


add("a bell of the place as a condition", cart("if(exp(-((p.x - 1)/1e-4)^2) > 0.5, 1e4, 0)", v=2), 8,
    windows(2e-4 * sqrt(math.log(2)), [1], 1e4, 8, 2))
add("thirty windows by mod", cart("if(abs(mod(p.x + 0.5, 1) - 0.5) < 1e-4, 50, 0)*(p.x > 0.5)", v=2), 15,
    windows(2e-4, range(1, 41), 50, 15, 2))
add("a window that a product opens", cart("if((p.x - 0.999)*(1.001 - p.x) > 0, 1000, 0)", v=3), 6,
    windows(2e-3, [1], 1000, 6, 3))
add("dry friction with a width", cart("-clamp(p.vx/1e-3, -1, 1)", v=1), 1.002,
    (0.5 - 0.5e-6 + 1e-6 * (1 - math.exp(-3)), 1e-3 * math.exp(-3)))
add("drag by the square", cart("-p.vx*abs(p.vx)", v=-2), 3, (-math.log(7), -2 / 7))
add("a sign at rest", cart("sign(p.x)*(1 + p.x)"), 2, (0, 0))
add("a sign that is left at once", cart("-sign(p.x)", v=1), 3, zones([0], [1, -1], 3, 0, 1))
add("on the edge of >=", cart("if(p.x >= 1, 1, -1)", x=1), 2, (3, 2))
add("on the edge of >", cart("if(p.x > 1, 1, -1)", x=1), 2, (-1, -2))
add("an edge that both sides lead to", cart("if(p.x > 1, -1, 1)", x=0.5), 5, zones([1], [1, -1], 5, 0.5, 0))
add("an edge that slides", cart("if(p.vx > 0, -1, 1)", v=1), 5, "back and forth for ever")


def stopping(t, x=0.0, v=1.0):
    """Of v' = -sqrt(v): sqrt(v) falls by 1/2 a second, to zero; its motion stays there."""
    w, end = sqrt(v), min(t, 2 * sqrt(v))
    return x + 2 / 3 * (w ** 3 - (w - end / 2) ** 3), (w - end / 2) ** 2


def pushed_anew(t):
    """From rest v' = 1 - sqrt(v) for a second, then v' = -sqrt(v): t = -2 w - 2 ln(1 - w), w = sqrt(v)."""
    w = 0.5
    for _ in range(60):
        w -= (-2 * w - 2 * math.log(1 - w) - 1) * (1 - w) / (2 * w)
    return stopping(t - 1, -2 * (w ** 3 / 3 + w ** 2 / 2 + w + math.log(1 - w)), w ** 2)


BRAKE = "-sign(p.vx)*sqrt(abs(p.vx))"
add("a stop in finite time", cart(BRAKE, v=1), 50, stopping(50))
add("the same about a hinge in space", wheel("if(O.rate > 0, -sqrt(O.rate), sqrt(-O.rate))", rate=-1), 5,
    tuple(-x for x in stopping(5)))
add("a stop, a push, and a stop again", cart(f"{BRAKE} + pulse(t, 3, 4)", v=1), 6, (2 / 3 + pushed_anew(3)[0], 0))
add("infinite at a place", cart("-1/abs(p.x)", x=1, v=-1), 2, "POOR")  # or refused there
add("infinite without a switch", cart("-1/p.x^2", x=1), 2, "the formula of 'f' changes by")
add("infinite of the time", cart("1/(t - 1)^2"), 2, "the formula of 'f' changes by")
add("a saw too fine for the time", cart("mod(1e20*t, 2)"), 2, "changes too fast to be followed")
add("no value beside a branch that is not taken", cart("if(p.x < -1, sqrt(p.x - 5), 1) + log(2 - t)"), 3, "in the step after t = 2: log of ")
add("ever faster before a second", cart("mod(p.x, t - 1)", v=1), 10, "'mod' in the formula of 'f' changes too fast to be followed: 10000 times")
add("on an edge to rounding", cart("0", events=[event("e", "sin(t)^2 + cos(t)^2 >= 1")]), 10,
    "/events/0/when: stopped at t = 5.7")
add("infinite of a rate", cart("exp(p.vx)", v=1), 2, "the formula of 'f' changes by")
add("logic of time and state", cart("if(not (t < 1) and (p.x < 3 or t > 5), 1, -0.25)", v=1), 2.0,
    phased([(1, -0.25), (2, 1)], 2, 0, 1))

# ---------------------------------------------------------------------------- bumps of the state


def bump(shape, energy, at, width, end, v):
    """Past a bump of the force, of this energy; shape(z) for |z| < 6, an even function: v^2 = v0^2 + 2 E(x)."""
    whole = 2 * driven(shape, [1, 3], 6.0)[1]
    force = energy / (whole * width)

    def slowness(x):  # 1/v behind the part of the bump up to at + x width
        part = driven(shape, [1, 3], abs(x))[1] * (1 if x > 0 else -1) if x else 0
        return 1 / sqrt(v * v + 2 * force * width * (whole / 2 + part))
    inside = width * sum(weight * 0.1 * slowness(-6 + 0.2 * i + 0.1 + 0.1 * s)
                         for i in range(60) for point, weight in zip(POINTS, WEIGHTS) for s in (point, -point))
    after = sqrt(v * v + 2 * energy)
    return force, (at + 6 * width + after * (end - (at - 6 * width) / v - inside), after)


def gauss(z):
    return math.exp(-z * z)


FORCE, PAST = bump(gauss, 0.3, 5, 1e-3, 8, 1)
add("a bell of the place", cart(f"{FORCE!r}*exp(-((p.x - 5)/0.001)^2)", v=1), 8, PAST)
FORCE, PAST = bump(gauss, 0.3, 5, 1e-5, 8, 1)
add("a bell of an angle in space", wheel(f"{FORCE!r}*exp(-((O.angle - 5)/1e-5)^2)", rate=1), 8, PAST)
FORCE, PAST = bump(lambda z: math.tanh(10 * (z + 3)) - math.tanh(10 * (z - 3)), -0.3, 3, 1e-4, 8, 1)
add("a bell by two jumps, in a definition", cart(f"{FORCE!r}*bell", v=1, definitions={
    "u": "(p.x - 3)/1e-4", "bell": "tanh(10*(u + 3)) - tanh(10*(u - 3))"}), 8, PAST)
FORCE, PAST = bump(lambda z: 1 / math.cosh(5 * z) ** 2, 1, 2, 1e-3, 4, 2)
add("a bell that overflows beside itself", cart(f"{FORCE!r}/cosh(5*(p.x - 2)/0.001)^2", v=2), 4, PAST)
add("a bell of the time that reads the state", cart("1e3*exp(-((t - 5 + 0*p.x)/0.001)^2)"), 8, (3 * sqrt(pi), sqrt(pi)))


CAM = wheel(None, rate=2, dimension=2, markers=[{"name": "p", "body": "b", "on": [0, 0]}], forces=[])
CAM["bodies"].append({"name": "b", "mass": 1, "inertia": 1})
CAM["joints"] = [{"name": "P", "type": "prismatic", "bodies": ["ground", "b"], "at": [0, 0], "axis": [1, 0]},
                 {**CAM["joints"][0], "motor": "2*t"}]
CAM["constraints"] = [{"name": "cam", "type": "cam", "follower": "P", "profile": "0.01*exp(-((O.angle - 3)/0.003)^2)"}]
add("a cam with a bump, which an event sees", {**CAM, "events": [
    event("up", "p.x > 0.005"), event("down", "p.x < 0.005 and O.angle > 3")]}, 3, (0, 0),
    [("up", 1.5 - 0.0015 * sqrt(math.log(2))), ("down", 1.5 + 0.0015 * sqrt(math.log(2)))])


# --------------------------------------------------------------------------------------------- events

add("an event at the start", cart("u", parameters=inputs(u=0), events=[event("e", "t >= 0", set={"u": 2})]), 3,
    (9, 6), [("e", 0)])
add("an event at the end", cart("0", v=1, events=[event("e", "t >= 2"), event("g", "5*t >= 10")]), 2, (2, 1),
    [("e", 2), ("g", 2)])
add("two at once set two inputs", cart("u + w", parameters=inputs(u=0, w=0), v=1, events=[
    event("e", "t >= 1", set={"u": 1}), event("g", "p.x >= 1", set={"w": 1})]), 2, (3, 3), [("e", 1), ("g", 1)])
add("a relay with hysteresis", cart("u", parameters=inputs(u=1), events=[
    event("up", "p.x < -1", set={"u": 1}), event("down", "p.x > 1", set={"u": -1})]), 4 * sqrt(2),
    (lambda v, t: (-1 - v * t + t * t / 2, -v + t))(sqrt(6), 4 * sqrt(2) - 3 * sqrt(2) - (sqrt(6) - sqrt(2))),
    [("down", sqrt(2)), ("up", 3 * sqrt(2) + sqrt(6) - sqrt(2))])
add("events that set each other off", cart("u", v=1, parameters=inputs(u=0), events=[
    event("on", "p.x > 1 and u < 1", set={"u": 2}), event("off", "u > 1", set={"u": 0})]), 3, "again and again")
add("a chain of three at one time", cart("w", v=1, parameters=inputs(u=0, v=0, w=0), events=[
    event("c", "v > 0", set={"w": 2}), event("b", "u > 0", set={"v": 1}), event("a", "p.x > 1", set={"u": 1})]), 2,
    (3, 3), [("a", 1), ("b", 1), ("c", 1)])
add("an input on its way", cart("u", parameters={"u": {"value": 0, "input": True, "smooth": 1}}, events=[
    event("e", "t >= 1", set={"u": 1})]), 3, (1.5 ** 2 / 2 + 1 / 56, 1.5), [("e", 1)])
add("a moment of a place", cart("1", x=-2, events=[event("e", "p.x == 0"), event("g", "p.x != 0")]), 3, (2.5, 3),
    [("g", 0), ("e", 2)])  # what does not hold for a moment only goes on
add("a moment of a place at the start", cart("1", v=1, events=[event("e", "p.x == 0"), event("g", "p.x > 0")]), 2, (4, 3),
    [("e", 0), ("g", 0)])
add("a moment stops the run", cart("1", x=-2, events=[event("e", "p.x == 0 and p.vx > 1", stop=True)]), 3, (0, 2), [("e", 2)])
add("every turn of a wheel", wheel("0.5", events=[event("turn", "mod(O.angle, 2*pi) < pi and O.angle > 1")]), 16,
    (64, 8), [("turn", 2)] + [("turn", sqrt(8 * pi * k)) for k in range(1, 11)])


# ---------------------------------------------------------------------------------------------- runs

def check(case, accuracy):
    with open("scene.json", "w", encoding="utf-8") as file:
        json.dump(case.scene, file)
    joint = case.scene["joints"][0]["name"]
    words = [PROGRAM, "run", "scene.json", "--json", "--end", repr(case.end), "--accuracy", accuracy, "-o", "run.csv",
             "--columns", f"{joint}.coordinate,{joint}.coordinate_rate"]
    run = subprocess.run(words, capture_output=True, check=False, text=True)
    if case.place == "POOR":  # a motion beyond an infinite force is no result
        assert run.returncode == 4 or "POOR" in json.loads(run.stdout)["verdicts"].values(), (accuracy, run)
        return
    if case.rate is None:
        assert run.returncode == 4 and case.place in run.stderr, (accuracy, run.returncode, run.stderr)
        return
    assert run.returncode == 0, (accuracy, run.stderr)
    result = json.loads(run.stdout)
    fine = {"good", "none", "proved"}
    bad = {key: value for key, value in result["verdicts"].items() if value not in fine}
    if bad.get("motion", "") is None:  # nothing is said against it
        del bad["motion"]
    if float(accuracy) > 1e-6 and bad.get("energy") == "fair":  # good: up to 1e-6
        del bad["energy"]
    assert not bad, (accuracy, bad)
    with open("run.csv", newline="", encoding="ascii") as file:
        last = list(csv.reader(file))[-1]
    found = [float(x) for x in last[1:]]
    start = case.scene["bodies"][0].get("position", [0])[0] if joint == "P" else 0
    for name, value, exact in zip(("place", "rate"), found, (case.place - start, case.rate)):
        size = max(1, abs(case.place), abs(case.rate))
        assert abs(value - exact) <= 10 * float(accuracy) * size, (accuracy, name, value, exact)
    events = [(e["name"], e["t"]) for e in result.get("events", [])]
    if case.events:
        assert [name for name, _ in events] == [name for name, _ in case.events], (accuracy, events)
        for (_, at), (_, exact) in zip(events, case.events):
            assert abs(at - exact) <= 10 * float(accuracy) * max(1, exact), (accuracy, at, exact)


def named(case):
    def run():
        lines_only = tap.sanitized() and not tap.nightly()  # all accuracies run through the same
        for accuracy in ("1e-6",) if lines_only else ("1e-3", "1e-6", "1e-9"):
            check(case, accuracy)
    run.__doc__ = case.name
    return run


if __name__ == "__main__":
    sys.exit(tap.run([named(case) for case in TABLE], in_folders=True))
