#!/usr/bin/env python3
"""Clutches through ratios, freewheels, ratchets, play and losses, against closed forms and steps of its own.

usage: clutches_test.py TRAMMEL. Prints TAP.
"""
import math
import random
import subprocess
import sys

import tap
from recorded import FOLDER, TRAMMEL, last_and_report, last_of_good, started
from tap import case

METHODS = ((), ("--accuracy", "1e-2"), ("--accuracy", "1e-9"), ("--coordinates", "joint"), ("--method", "srm"))
JA, JB, RATE = 0.5, 1.25, 10.0


def shafts(constraint, end, rates=(0, 0), torques=(0, 0), dimension=2, slides=(), joints=(), **more):
    """Two bodies a and b on joints A and B, which turn, or slide where named, under torques, and one constraint."""
    space = dimension == 3
    bodies, hinges, forces = [], [], []
    for i, (name, J) in enumerate((("a", JA), ("b", JB))):
        along = name in slides
        body = {"name": name, "position": [i, 0] + [0] * space, "mass": J, "inertia": [J] * 3 if space else J}
        body["velocity" if along else "rate"] = ([rates[i], 0] + [0] * space if along else [0, 0, rates[i]] if space else rates[i])
        bodies.append(body)
        hinges.append({"name": name.upper(), "type": "prismatic" if along else "revolute", "bodies": ["ground", name],
                       "at": [i, 0] + [0] * space, **({"axis": [1, 0] + [0] * space} if along else {"axis": [0, 0, 1]} if space else {}),
                       **(joints[i] if joints else {})})
        forces.append({"name": "T" + name, "type": "joint_force", "joint": name.upper(), "value": torques[i]})
    return {"dimension": dimension, "bodies": bodies, "joints": hinges, "forces": forces,
            "constraints": [{"name": "C", "type": "coupling", "joints": ["A", "B"], **constraint}],
            "simulation": {"end": end, "every": end}, **more}


def ended(scene, *options):
    return last_of_good(scene, ("energy", "forces"), *options)


def near(found, right, within, what):
    assert abs(found - right) <= within, f"{what}: {found!r}, right is {right!r}"


@case
def a_clutch_slips_through_a_ratio_and_holds():
    """x = 2 A - 3 B slips until 20/(T (4/JA + 9/JB)) under the bound T; turning, sliding, one of each"""
    T, c = 4.0, (2.0, -3.0)
    slope = T * (c[0] ** 2 / JA + c[1] ** 2 / JB)
    stop = c[0] * RATE / slope
    w = (RATE - c[0] * T / JA * stop, -c[1] * T / JB * stop)
    for dimension in (2, 3):
        for slides in ((), ("a",), ("a", "b")):
            for friction in (T, {"bound": f"{2 * T}*0.5"}):
                scene = shafts({"coefficients": c, "friction": friction}, 2 * stop, (RATE, 0), dimension=dimension, slides=slides)
                for method in METHODS if dimension == 2 else METHODS[:1]:
                    last = ended(scene, *method)
                    for i, name in enumerate("ab"):
                        rate = name + ".vx" if name in slides else name + (".wz" if dimension == 3 else ".rate")
                        near(last[rate], w[i], 1e-8 * RATE if "1e-2" not in method else 1e-2, (dimension, slides, method))
                    near(c[0] * w[0] + c[1] * w[1], 0, 1e-12, "closed form")


@case
def a_clutch_is_commanded_by_pressure_and_lets_go_above_its_bound():
    """Pressed from 1 s on, mu p r between coaxial shafts: holds 0.99 of its bound, slips at 1.01 of it"""
    for part in (0.99, 1.01):
        bound, total = 6.0, JA + JB
        torque = part * bound * total / JB  # what passes is torque JB/total while it holds
        last = ended(shafts({"coefficients": [1, -1], "friction": {"bound": "p*0.3*0.12"}}, 2, (1, 1), (torque, 0),
                            parameters={"p": {"value": bound / 0.036, "input": True}}))
        slip = (torque - bound) / JA - bound / JB if part > 1 else 0
        near(last["a.rate"] - last["b.rate"], 2 * slip, 1e-9, part)


def driven_freewheel(phases, load):
    """Rates of a and b behind phases (duration, torque on a), b >= a, no force from rest; load: torque on b."""
    a = b = 0.0
    for time, torque in phases:
        together = (torque + load) / (JA + JB)
        if abs(a - b) < 1e-12 and torque / JA >= load / JB:  # a pushes b
            a = b = a + together * time
            continue
        meets = (b - a) / (torque / JA - load / JB) if torque / JA > load / JB else math.inf
        free = min(time, meets)
        a, b = a + torque / JA * free, b + load / JB * free
        a, b = (a + together * (time - free),) * 2 if free < time else (a, b)
    return a, b


@case
def a_freewheel_drives_one_way_and_overruns_the_other():
    """Torques in turn, loads of both signs: pushed, overrun, caught up with; in the plane, in space, in both coordinates"""
    rng = random.Random(44)
    for turn in range(24 if tap.nightly() else 4):
        phases = [(rng.uniform(0.3, 1), rng.uniform(-6, 8)) for _ in range(5)]
        load, text = rng.uniform(-0.5, 0.5), repr(phases[4][1])
        ends = [sum(p[0] for p in phases[:i + 1]) for i in range(5)]
        t = ends[4]
        for i in reversed(range(4)):
            text = f"if(t < {ends[i]!r}, {phases[i][1]!r}, {text})"
        right = driven_freewheel(phases, load)
        scene = shafts({"coefficients": [-1, 1], "one_way": True}, t, torques=(text, load))
        for method in METHODS:
            last = ended(scene, *method)
            within = 1e-7 if "1e-2" not in method else 0.05
            near(last["a.rate"], right[0], within, (turn, method))
            near(last["b.rate"], right[1], within, (turn, method))
        space = ended(shafts({"coefficients": [-1, 1], "one_way": True}, t, torques=(text, load), dimension=3))
        near(space["b.wz"], right[1], 1e-7, "in space")


@case
def a_freewheel_that_is_struck_locks_at_once():
    """A shaft that bounces off a stop takes the slower one along: momentum of both behind the impact"""
    e, wa, wb = 0.8, 5.0, 0.25
    behind = (-e * JA * wa + JB * wb) / (JA + JB)
    scene = shafts({"coefficients": [1, -1], "one_way": True}, 0.5, (wa, wb), joints=({"limits": [None, 1], "restitution": e}, {}))
    for method in METHODS:
        last = ended(scene, *method)
        near(last["a.rate"], behind, 1e-9, method)
        near(last["b.rate"], behind, 1e-9, method)
    last, report = last_and_report(scene, "--integrator", "moreau", "--method", "s-both2", "--step", "1e-3")
    near(last["b.rate"], behind, 1e-9, "moreau")


def swung(T, w, drag, back, teeth, end):
    """Angle and rate of a under T cos(w t) - drag*rate - back with a pawl to the ground, by RK4 and bisection of its own.

    teeth 0: a freewheel."""
    def rates(t, q, u):
        return u, (T * math.cos(w * t) - drag * u - back) / JA

    def step(t, q, u, h):
        k = [rates(t, q, u)]
        for c in (0.5, 0.5, 1):
            k.append(rates(t + c * h, q + c * h * k[-1][0], u + c * h * k[-1][1]))
        return tuple(x + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]) for i, x in enumerate((q, u)))

    t, q, u, held, tooth, h0 = 0.0, 0.0, 0.0, True, 0.0, 5e-4
    while t < end - 1e-13:
        h = min(h0, end - t)
        push = lambda s: T * math.cos(w * s) - back
        if held:
            if push(t) > 0 or push(t + h) <= 0:
                held = push(t) <= 0
                t += h if held else 0
                continue
            low, high = t, t + h
            for _ in range(60):
                low, high = ((low + high) / 2, high) if push((low + high) / 2) <= 0 else (low, (low + high) / 2)
            t, held = high, False
            continue
        new = step(t, q, u, h)
        blocked = (lambda s: s[1] < 0) if teeth == 0 else (lambda s: s[0] < tooth)
        if blocked(new):
            low, high = 0.0, h
            for _ in range(60):
                low, high = ((low + high) / 2, high) if not blocked(step(t, q, u, (low + high) / 2)) else (low, (low + high) / 2)
            (q, u), t, held = step(t, q, u, low), t + low, True
            q, u = (tooth if teeth else q), 0.0
            continue
        (q, u), t = new, t + h
        if teeth:
            tooth = max(tooth, teeth * math.floor(q / teeth))
    return q, u


@case
def a_swaying_torque_winds_a_shaft_up_by_a_freewheel_and_by_a_ratchet():
    """T cos(w t) with drag against a weight: angles to 1e-8 of Runge-Kutta steps with bisected changes"""
    rng = random.Random(7)
    for turn in range(24 if tap.nightly() else 4):
        T, w, drag, back = rng.uniform(3, 8), rng.uniform(4, 9), rng.uniform(0, 0.6), rng.uniform(0.2, 1.5)
        for teeth in (0, rng.uniform(0.05, 0.2)):
            pawl = {"coefficients": [1], "joints": ["A"], "one_way": True, **({"teeth": teeth} if teeth else {})}
            scene = shafts(pawl, 3, torques=(f"{T!r}*cos({w!r}*t) - {drag!r}*A.rate - {back!r}", 0))
            q, u = swung(T, w, drag, back, teeth, 3)
            for method in ((), ("--coordinates", "joint")):
                last = ended(scene, "--accuracy", "1e-8", *method)
                near(last["a.angle"], q, 1e-7, (turn, teeth, method))
                near(last["a.rate"], u, 1e-6, (turn, teeth, method))
            if turn > 0 and not tap.nightly():
                continue
            last, _ = last_and_report(scene, "--integrator", "moreau", "--method", "s-both2", "--step", "1e-4")
            near(last["a.angle"], q, max(0.01, teeth), (turn, teeth, "moreau"))


@case
def a_ratchet_falls_back_to_the_last_tooth():
    """Thrown up to w^2 J/(2 T), back to the tooth below, where it bounces or rests on the pawl"""
    T, teeth = 2.0, 0.3
    top = RATE ** 2 * JA / (2 * T)
    tooth = teeth * math.floor(top / teeth)
    up, down = RATE * JA / T, math.sqrt(2 * (top - tooth) * JA / T)
    speed = T / JA * down
    for e, after in ((0, 1.0), (0.5, 0.25 * e_time if (e_time := speed * JA / T) else 0)):
        scene = shafts({"coefficients": [1], "joints": ["A"], "one_way": True, "teeth": teeth, "restitution": e},
                       up + down + after, (RATE, 0), (-T, 0))
        for method in METHODS:
            last = ended(scene, *method)
            within = 1e-8 if "1e-2" not in method else 2e-2
            near(last["a.angle"], tooth + e * speed * after - (T / JA * after ** 2 / 2 if e else 0), within, (e, method))
            near(last["a.rate"], e * speed - (T / JA * after if e else 0), within * 10, (e, method))
        if e == 0:
            near(last["C.contact_force"], T, 1e-9, "the pawl")


@case
def a_ratchet_of_a_hundred_thousand_teeth_runs_free_without_an_event_a_tooth():
    """Thrown up over 1e5.5 teeth, it turns, and lies on the last one that it has passed: three changes"""
    T, passed = 2.0, 100000
    top = RATE ** 2 * JA / (2 * T)
    teeth = top / (passed + 0.5)
    end = RATE * JA / T + math.sqrt(teeth * JA / T) + 1
    scene = shafts({"coefficients": [1], "joints": ["A"], "one_way": True, "teeth": teeth}, end, (RATE, 0), (-T, 0))
    for method in METHODS[:2]:
        last, report = last_and_report(scene, *method)
        near(last["a.angle"], passed * teeth, 1e-8, method)
        near(last["a.rate"], 0, 1e-8, method)
        assert report["contacts"]["changes"] <= 3 and report["steps"] < 1000, report["contacts"]


@case
def play_in_one_word_is_a_pair_of_stops():
    """Gears by radii and by ratio, racks, belts, couplings: as with two stops by hand; an impact by hand"""
    play = 0.1
    kinds = (({"type": "gear", "ratio": -2}, "B.angle + 2*A.angle", ()), ({"type": "gear", "radii": [0.4, 0.6]}, "0.4*A.angle + 0.6*B.angle", ()),
             ({"type": "belt", "radii": [0.2, 0.3]}, "0.2*A.angle - 0.3*B.angle", ()),
             ({"type": "rack_and_pinion", "radius": 0.3}, "B.position - 0.3*A.angle", ("b",)),
             ({"coefficients": [1, 3]}, "A.angle + 3*B.angle", ()))
    for keys, gap, slides in kinds:
        for e in (0, 0.6):
            made = shafts({**keys, "backlash": play, "restitution": e}, 2, (1, 0), ("3*sin(4*t)", 0), slides=slides)
            by_hand = {**made, "constraints": [], "stops": [
                {"name": "low", "gap": f"{play / 2} + ({gap})", "restitution": e}, {"name": "high", "gap": f"{play / 2} - ({gap})", "restitution": e}]}
            one, other = ended(made), ended(by_hand)
            for name in ("a.angle", "a.rate", "b.vx" if slides else "b.rate"):
                near(one[name], other[name], 2e-6, (keys, e, name))
    last = ended(shafts({"type": "gear", "ratio": -2, "backlash": play}, play / 4 / RATE * 1.5, (RATE, 0)))
    near(last["a.rate"], RATE * JA / (JA + 4 * JB), 1e-12, "behind the impact")


@case
def what_passes_a_gear_is_its_efficiency():
    """At a given speed: torque k n/eta to drive a load, eta k n where the load drives; gears, belts, racks, couplings"""
    for eta in (0.6, 0.95, 1):
        for keys, n, slides in (({"type": "gear", "ratio": -2}, -2, ()), ({"type": "gear", "radii": [0.4, 0.6]}, -0.4 / 0.6, ()),
                                ({"type": "belt", "radii": [0.2, 0.3]}, 2 / 3, ()), ({"type": "rack_and_pinion", "radius": 0.3}, 0.3, ("b",)),
                                ({"coefficients": [3, 1]}, -3, ())):
            for load in (5, -5):
                scene = shafts({**keys, "efficiency": eta}, 1, (RATE, n * RATE), (0, load), slides=slides, joints=({"motor": f"{RATE}*t"}, {}))
                if slides:
                    scene["bodies"][1]["velocity"] = [n * RATE, 0]
                motor = ended(scene)["A.motor"]
                drives = load * n < 0
                near(motor, -load * n * (1 / eta if drives else eta), 1e-9, (eta, keys, load))


@case
def a_lossy_gear_starts_where_its_efficiency_lets_it():
    """From rest against a load k: still at (1 - 1e-6) k n/eta, at rest still at (1 + 1e-6) eta k n; starts outside"""
    eta, n, k = 0.8, 2.0, 3.0
    for torque, way in ((k * n / eta * (1 + 1e-6), 1), (k * n / eta * (1 - 1e-6), 0), (k * n * eta * (1 + 1e-6), 0), (k * n * eta * (1 - 1e-6), -1)):
        last = ended(shafts({"type": "gear", "ratio": n, "efficiency": eta}, 1, torques=(torque, -k)))
        rate = last["a.rate"]
        assert (rate > 1e-9) - (rate < -1e-9) == way and (way or abs(rate) < 1e-15), (torque, rate)
    loss = 2 * (1 - eta) / (1 + eta)  # a runs up: J1 w' = T - n (p + q/2), JB n w' = p - q/2 - k, q = loss p
    torque = 20.0
    w = (torque * (1 - loss / 2) - n * k * (1 + loss / 2)) / (JA * (1 - loss / 2) + n * n * JB * (1 + loss / 2))
    for method in METHODS:
        near(ended(shafts({"type": "gear", "ratio": n, "efficiency": eta}, 1, torques=(torque, -k)), *method)["a.rate"], w, 1e-8, method)


@case
def a_detent_holds_up_to_its_torque():
    """A torque -D sin(12 a) with friction: still under 0.99 D, over to the next detents under 1.01 D"""
    D = 2.0
    for part in (0.99, 1.01):
        scene = shafts({"coefficients": [1, 0]}, 20, torques=(f"{part * D}*clamp(t/4, 0, 1) - {D}*sin(12*A.angle) - 8*A.rate", 0))
        scene["constraints"] = []
        angle = ended(scene)["a.angle"]
        assert (angle < math.pi / 24) == (part < 1), angle


@case
def a_drive_against_a_freewheel_is_refused():
    """A motor that turns a shaft back where a pawl holds it: exit 4, the contact and the drive; forward it runs"""
    pawl = {"coefficients": [1], "joints": ["A"], "one_way": True}
    for motor, code in (("2*t", 0), ("t - t^2", 4)):
        output = started(shafts(pawl, 2, (2 if code == 0 else 1, 0), joints=({"motor": motor}, {})))
        assert output.returncode == code and (not code or "'C'" in output.stderr), (output.returncode, output.stderr)
        assert not code or 0.5 <= float(output.stderr.split("t = ")[1].split(" s")[0]) <= 0.6, output.stderr


@case
def what_is_asked_beside_runs_is_refused():
    """Linearizations: a freewheel, wherever it stands, a lossy gear without load; a clutch that holds is rigid, gears with play are free between their flanks"""
    for keys, words in (({"coefficients": [1, -1], "one_way": True}, "goes one way"), ({"coefficients": [1, -1], "friction": 2}, ""),
                        ({"type": "gear", "ratio": 2, "efficiency": 0.9}, "dry friction"), ({"type": "gear", "ratio": 2, "backlash": 0.1}, "")):
        started(shafts(keys, 1))
        done = subprocess.run([TRAMMEL, "linearize", FOLDER / "scene.json"], check=False, capture_output=True, text=True)
        assert done.returncode == (1 if words else 0) and words in done.stderr, (keys, done.stderr)


@case
def what_cannot_be_is_said():
    """Efficiency above one, of one joint or of one whose coefficient is 0, teeth below the tolerance, words that exclude each other, a coefficient of a clutch, no bound"""
    ratio = {"coefficients": [1, -1]}
    for keys, words in (({**ratio, "efficiency": 1.2}, "efficiency must be at most 1"), ({**ratio, "efficiency": 0}, "> 0"),
                        ({"coefficients": [1], "joints": ["A"], "efficiency": 0.5}, "of two joints"),
                        ({"coefficients": [1, 0], "efficiency": 0.5}, "of two joints"), ({**ratio, "one_way": True, "teeth": 1e-12}, "below the tolerance"),
                        ({**ratio, "efficiency": 0.9, "backlash": 0.1}, '"efficiency" has no effect beside "backlash"'),
                        ({**ratio, "one_way": True, "friction": 1}, '"one_way" has no effect beside "friction"'),
                        ({**ratio, "teeth": 0.1}, '"teeth" has no effect without "one_way"'), ({**ratio, "teeth": 0, "one_way": True}, "teeth must be > 0"),
                        ({**ratio, "restitution": 0.5}, '"restitution" has no effect without'), ({**ratio, "backlash": 0.1, "restitution": 2}, "0 to 1"),
                        ({**ratio, "backlash": -1}, "backlash must be > 0"), ({**ratio, "friction": {"coefficient": 0.1}}, "bound"),
                        ({**ratio, "friction": {}}, "friction without a bound"), ({**ratio, "friction": -1}, "friction must be >= 0"),
                        ({"type": "gear", "ratio": 2, "one_way": True}, "one_way")):
        output = started(shafts(keys, 1))
        assert output.returncode == 2 and words in output.stderr, (keys, output.returncode, output.stderr)
        assert "scene.json:" in output.stderr, output.stderr


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
