#!/usr/bin/env python3
"""Bushings between frames of joints, equilibria with states, zeros and step responses, against closed forms. Prints TAP.

    tests/tools/motions/everyday_test.py TRAMMEL ROOT
"""
import cmath
import json
import math
import random
import re
import subprocess
import sys

from tap import CASES, case
import tap

PROGRAM, ROOT = sys.argv[1:3]
G = 9.81


def trammel(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False)


def saved(scene):
    with open("scene.json", "w", encoding="ascii") as file:
        json.dump(scene, file)
    return file.name


def asked(scene, *words, command="linearize"):
    done = trammel(command, saved(scene), *words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def near(found, right, tolerance=1e-8):
    assert len(found) == len(right), (found, right)
    for x in right:
        assert min(abs(complex(*y) - x) for y in found) < tolerance * max(1, abs(x)), (found, right)


def recorded(scene):
    """The rows of its recording, by the names of columns without units."""
    done = trammel("run", saved(scene), "-o", "x.csv")
    assert done.returncode == 0, done.stderr
    with open("x.csv", encoding="ascii") as file:
        lines = [line.strip().split(",") for line in file if not line.startswith("#")]
    return [dict(zip((name.split("[")[0] for name in lines[0]), line)) for line in lines[1:]]


def poles(scene):
    return [mode["eigenvalue"] for mode in asked(scene)["modes"]]


def root(inertia, damping, stiffness):
    """The root above the real axis of inertia s^2 + damping s + stiffness."""
    return (-damping + cmath.sqrt(damping ** 2 - 4 * inertia * stiffness)) / (2 * inertia)


# --------------------------------------------------------------------------------------------- outputs


@case
def outputs_know_the_states_of_actuators():
    """The current of a motor, the integral and the lagged torque of a servo: alone and in formulas, as their own columns have them"""
    joint = {"name": "O", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]}
    motor = {"name": "d", "type": "dc_motor", "joint": "O", "voltage": "3", "resistance": 0.5, "inductance": 0.1, "constant": 0.1}
    servo = {"name": "s", "type": "servo", "joint": "O", "target": "1", "kp": 1, "kd": 0.1, "ki": 2, "lag": 0.05}
    names = ("d.current", "s.integral", "s.lagged")
    outputs = {f"o{i}": name for i, name in enumerate(names)} | {f"p{i}": f"2*{name} + O.angle" for i, name in enumerate(names)}
    said = asked({"dimension": 2, "bodies": [{"name": "a", "mass": 1, "inertia": 0.01}], "joints": [joint], "forces": [motor, servo],
                  "outputs": outputs | {"angle": "O.angle"}}, "--end", "0.5", command="run")["outputs"]
    for i, name in enumerate(names):
        own = said[name]
        assert own != 0 and said[f"o{i}"] == own, (name, said)
        assert abs(said[f"p{i}"] - 2 * own - said["angle"]) < 1e-12, (name, said)


@case
def numbers_that_events_change():
    """A stiffness doubled where the slide turns, a rest length that steps: cosines; the energy stays, and the modes follow"""
    scene = {"dimension": 2, "gravity": [0, 0], "parameters": {n: {"value": v, "input": True} for n, v in (("k", 9), ("rest", -0.3))},
             "bodies": [{"name": "b", "mass": 1, "inertia": 1}], "outputs": {"x": "S.position"},
             "joints": [{"name": "S", "type": "prismatic", "bodies": ["ground", "b"], "at": [0, 0], "axis": [1, 0]}],
             "forces": [{"name": "f", "type": "joint_spring_damper", "joint": "S", "stiffness": "k", "rest": "rest"}]}
    turned, stepped = math.cos(math.sqrt(18) * (2 - math.pi / 3)), math.cos(3 * (2 - 0.7))
    for event, right in (({"when": "S.rate > 0 and t > 0.1", "set": {"k": "2*k"}}, -0.3 - 0.3 * turned),
                         ({"when": "t >= 0.7", "set": {"rest": -0.2}}, -0.2 + 0.3 * math.cos(6) - 0.1 * stepped)):
        said = asked({**scene, "events": [{"name": "e", **event}]}, "--end", "2", "--accuracy", "1e-10", command="run")
        assert abs(said["outputs"]["x"] - right) < 1e-8 and said["verdicts"]["energy"] == "good", (right, said)
    near(poles(scene), [3j])


# --------------------------------------------------------------------------------------------- bushings

@case
def bushing_along_a_joint():
    """In space: six stiffnesses and dampings along and about the joint's axes, which lie askew to both bodies"""
    u = random.Random(42)
    for kind, free in (("cylindrical", 2), ("spherical", 3), ("planar", 3)):
        a = [u.uniform(-1, 1) for _ in range(3)]
        size = math.hypot(*a)
        axis = [x / size for x in a]
        k, c, kt, ct = ([u.uniform(*span) for _ in range(3)] for span in ((500, 3000), (5, 20), (10, 40), (0.05, 0.2)))
        sphere = 0.03
        scene = {"dimension": 3, "bodies": [{"name": "m", "mass": 2, "inertia": [sphere] * 3, "position": [0.1, 0.2, 0.3]}],
                 "joints": [{"name": "J", "type": kind, "bodies": ["ground", "m"], "at": [0.1, 0.2, 0.3], **({} if kind == "spherical" else {"axis": axis})}],
                 "forces": [{"name": "B", "type": "bushing", "joint": "J", "stiffness": k, "damping": c, "turning_stiffness": kt, "turning_damping": ct}]}
        slide = {"cylindrical": [2], "spherical": [], "planar": [0, 1]}[kind]
        turn = {"cylindrical": [2], "spherical": [0, 1, 2], "planar": [2]}[kind]
        assert len(slide) + len(turn) == free
        near(poles(scene), [root(2, c[i], k[i]) for i in slide] + [root(sphere, ct[i], kt[i]) for i in turn])


@case
def bushing_in_the_plane():
    """Along and across the axis of a slide whose rows are switched off, and as the same between markers where the axis is the body's"""
    scene = {"dimension": 2, "bodies": [{"name": "m", "mass": 2, "inertia": 0.1, "position": [0, 0]}],
             "markers": [{"name": "p", "body": "ground", "on": [0, 0]}, {"name": "q", "body": "m", "on": [0, 0]}],
             "joints": [{"name": "J", "type": "prismatic", "bodies": ["ground", "m"], "at": [0, 0], "axis": [3, 4]}],
             "forces": [{"name": "B", "type": "bushing", "joint": "J", "stiffness": [800, 50], "damping": [4, 1], "turning_stiffness": 3}]}
    near(poles(scene), [root(2, 4, 800)])
    scene["joints"][0]["axis"] = [1, 0]
    along = poles(scene)
    scene["forces"][0]["markers"] = ["p", "q"]
    del scene["forces"][0]["joint"]
    assert poles(scene) == along


@case
def bushing_sentences():
    """Markers and a joint at once, or neither"""
    scene = {"dimension": 2, "bodies": [{"name": "m", "mass": 2, "inertia": 0.1, "position": [0, 0]}], "forces": [{"name": "B", "type": "bushing", "stiffness": [1, 1]}],
             "joints": [{"name": "J", "type": "weld", "bodies": ["ground", "m"], "at": [0, 0]}]}
    done = trammel("check", saved(scene))
    assert done.returncode == 2 and "markers" in done.stderr and "joint" in done.stderr, done


# -------------------------------------------------------------------- linearized where a run has come to

@case
def after_an_event():
    """--at T has the inputs that events have set until then, a joint that a switch has opened is open, and one that is closed holds"""
    spring = {"dimension": 2, "parameters": {"k": {"value": 1, "input": True}}, "bodies": [{"name": "m", "mass": 1, "shape": {"type": "box", "size": [1, 1]}}],
              "joints": [{"name": "S", "type": "prismatic", "bodies": ["ground", "m"], "at": [0, 0], "axis": [1, 0]}],
              "forces": [{"name": "f", "type": "joint_force", "joint": "S", "value": "-k*S.position"}],
              "events": [{"name": "e", "when": "t > 0.5", "set": {"k": 100}}]}
    for at, rate in (("0.2", 1), ("1", 10)):
        near([mode["eigenvalue"] for mode in asked(spring, "--at", at)["modes"]], [complex(0, rate)])
    arm = {**ARM, "bodies": [{"name": "arm", "mass": 2, "ends": [[0, 0], [0, -0.5]]}, {"name": "load", "mass": 1, "ends": [[0, -0.5], [0, -1]]}],
           "joints": [ARM["joints"][0], {"name": "hook", "type": "revolute", "bodies": ["arm", "load"], "at": [0, -0.5], "switch": "closed"}],
           "events": [{"name": "drop", "when": "t > 0.1", "release": "hook"}]}
    told = asked(arm, "--at", "0.2")["modes"]
    near([mode["eigenvalue"] for mode in told if abs(complex(*mode["eigenvalue"])) > 1e-6], [1j * math.sqrt(3 * G / (2 * 0.5))])
    closed = poles(arm)
    del arm["joints"][1]["switch"], arm["events"]
    near(closed, [complex(*pole) for pole in poles(arm)])


# -------------------------------------------------------------------------------- a current at its limit

@case
def a_current_and_its_limit():
    """PID on a DC motor, by several methods, against steps of 1e-5 s: the current comes to its limit and leaves it, or stays below it"""
    scene = {"dimension": 2, "parameters": {"k": 60}, "bodies": [{"name": "a", "mass": 1, "inertia": 0.01}],
             "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]}], "states": {"e": {"rate": "0.3*sin(2*t) - O.angle", "start": 0}},
             "forces": [{"name": "d", "type": "dc_motor", "joint": "O", "voltage": "k*(0.3*sin(2*t) - O.angle) - 0.75*O.rate + 6*e", "resistance": 0.5,
                         "inductance": 0.002, "constant": 0.1, "ratio": 100, "inertia": 1e-4, "current_limit": 40, "voltage_limit": 48}],
             "assemble": True, "outputs": {"angle": "O.angle", "speed": "O.rate"}, "simulation": {"end": 0.4}}
    for gain, angle, rate, reaches in ((60, 1.0, 8.0, True), (6, 0.0, 0.0, False)):
        scene["parameters"]["k"], scene["start"] = gain, {"O": angle, "O.rate": rate}

        def rates(t, x):
            wanted = 0.3 * math.sin(2 * t) - x[0]
            u = max(-48, min(48, gain * wanted - 0.75 * x[1] + 6 * x[3]))
            change = (u - 0.5 * x[2] - 10 * x[1]) / 0.002
            change = min(change, 0) if x[2] >= 40 else max(change, 0) if x[2] <= -40 else change
            return x[1], 10 * x[2] / 1.01, change, wanted

        x, h, most = [angle, rate, 0.0, 0.0], 1e-5, 0.0
        for n in range(40000):
            k = []
            for part in (0, 0.5, 0.5, 1):
                k.append(rates((n + part) * h, [a + part * h * b for a, b in zip(x, k[-1])] if k else x))
            x = [a + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4) for a, k1, k2, k3, k4 in zip(x, *k)]
            x[2] = max(-40, min(40, x[2]))
            most = max(most, abs(x[2]))
        assert (most == 40) == reaches, most
        for method in ([], ["--integrator", "rk4", "--step", "2e-4"], ["--integrator", "ida"]):
            found = asked(scene, *method, "--no-verify", command="run")["outputs"]
            assert abs(found["angle"] - x[0]) < 1e-5 and abs(found["speed"] - x[1]) < 1e-5 * 8, (gain, method, found, x)


# ------------------------------------------------------------------------------- equilibria with states

ARM = {"dimension": 2, "gravity": [0, -G], "bodies": [{"name": "arm", "mass": 2, "ends": [[0, 0], [0.5, 0]]}],
       "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0]}]}
INERTIA = 2 * 0.5 ** 2 / 3  # about O


@case
def pid_holds_its_target():
    """The integral takes the weight: the arm stands at the target; poles are those of the closed loop"""
    for target in (0.7, -1.2, 2.5):
        scene = {**ARM, "forces": [{"name": "d", "type": "servo", "joint": "O", "kp": 40, "kd": 4, "ki": 30, "target": target}]}
        told = asked(scene, "--equilibrium")
        assert told["stability"] == "stable" and told["at_rest"], told["stability"]
        gravity = -2 * G * 0.25 * math.sin(target)  # d/da of the torque of the weight, with the other sign
        for pole in told["modes"]:
            s = complex(*pole["eigenvalue"])
            value = INERTIA * s ** 3 + 4 * s ** 2 + (40 + gravity) * s + 30
            assert abs(value) < 1e-7 * (abs(INERTIA * s ** 3) + 30), (target, s, value)
        angle = asked(scene, "--end", "0", command="run") and float(re.search(r"angle ([-\d.]+) deg", trammel("linearize", "scene.json", "--equilibrium").stdout)[1])
        assert abs(math.radians(angle) - target) < 1e-5, (angle, target)


@case
def motor_against_a_weight():
    """Voltage over resistance is the current that holds the arm below the horizontal, and not above it"""
    arm = {**ARM, "bodies": [{"name": "arm", "mass": 0.1, "ends": [[0, 0], [0.5, 0]]}], "parameters": {"u": {"value": 0.2, "input": True}},
           "forces": [{"name": "d", "type": "dc_motor", "joint": "O", "voltage": "u", "resistance": 0.5, "inductance": 0.002,
                       "constant": 0.05, "ratio": 10, "inertia": 2e-5}]}
    angle = math.acos(0.2 / 0.5 * 0.05 * 10 / (0.1 * G * 0.25))
    told = asked(arm, "--equilibrium")
    assert told["stability"] == "stable"
    text = trammel("linearize", "scene.json", "--equilibrium").stdout
    assert abs(float(re.search(r"angle ([-\d.]+) deg", text)[1]) + math.degrees(angle)) < 1e-3, text
    J = 0.1 * 0.25 / 3 + 100 * 2e-5
    for pole in told["modes"]:
        s = complex(*pole["eigenvalue"])
        value = (J * s ** 2 + 0.1 * G * 0.25 * math.sin(angle)) * (0.002 * s + 0.5) + 0.5 ** 2 * s
        assert abs(value) < 1e-7 * abs(0.5 ** 2 * s), (s, value)
    nearest = {**arm, "start": {"O": 0.6}}
    assert asked(nearest, "--equilibrium", "--nearest")["stability"] == "unstable"


@case
def no_rest():
    """A state that grows for ever, a wheel that a state turns: a sentence, not a number"""
    done = trammel("linearize", saved({**ARM, "states": {"z": {"rate": "1 + z^2", "start": 0}}}), "--equilibrium")
    assert done.returncode == 4 and "states at rest" in done.stderr, done
    wheel = {"dimension": 2, "bodies": [{"name": "wheel", "mass": 1, "inertia": 1, "position": [0, 0]}], "joints": [{**ARM["joints"][0], "bodies": ["ground", "wheel"]}],
             "states": {"z": {"rate": "2 - z", "start": 0}}, "forces": [{"name": "M", "type": "joint_force", "joint": "O", "value": "z"}]}
    done = trammel("linearize", saved(wheel), "--equilibrium")
    assert done.returncode == 4 and "no equilibrium" in done.stderr, done


# ------------------------------------------------------------------------------------- zeros and steps

def two_masses(M=2.0, m=0.5, K=200.0, C=4.0, k=50.0, c=0.5):
    box = {"type": "box", "size": [0.1, 0.1]}
    slides = [{"name": j, "type": "prismatic", "bodies": ["ground", b], "at": [x, 0], "axis": [1, 0]} for j, b, x in (("S", "a", 0), ("T", "b", 1))]
    return {"dimension": 2, "parameters": {"u": {"value": 0, "input": True}},
            "bodies": [{"name": "a", "mass": M, "position": [0, 0], "shape": box}, {"name": "b", "mass": m, "position": [1, 0], "shape": box}],
            "markers": [{"name": "A", "body": "a", "on": [0, 0]}, {"name": "B", "body": "b", "on": [0, 0]}], "joints": slides,
            "forces": [{"name": "k1", "type": "joint_spring_damper", "joint": "S", "stiffness": K, "damping": C},
                       {"name": "k2", "type": "spring_damper", "markers": ["A", "B"], "stiffness": k, "damping": c, "rest_length": 1},
                       {"name": "F", "type": "joint_force", "joint": "S", "value": "u"}],
            "outputs": {"on_ground": f"{K}*S.position + {C}*S.rate", "sum": "u - 3*S.rate"}}


@case
def zeros_of_two_masses():
    """A driven mass with an absorber: zeros where the absorber takes the force, relative degrees 0 to 3"""
    u = random.Random(7)
    for _ in range(6):
        M, m, K, C, k, c = (u.uniform(*span) for span in ((1, 4), (0.2, 1), (100, 400), (1, 8), (20, 80), (0.2, 1)))
        scene = two_masses(M, m, K, C, k, c)
        absorber = root(m, c, k)
        for read, zeros in (("A.x", [absorber]), ("A.vx", [absorber, 0]), ("B.x", [-k / c]), ("on_ground", [absorber, -K / C])):
            near(asked(scene, "--response", f"u,{read}", "--points", "2")["zeros"], zeros)
        found = [complex(*z) for z in asked(scene, "--response", "u,sum", "--points", "2")["zeros"]]
        for s in found:  # 1 = 3 s X/U
            den = (M * s ** 2 + C * s + K + c * s + k) * (m * s ** 2 + c * s + k) - (c * s + k) ** 2
            assert abs(den - 3 * s * (m * s ** 2 + c * s + k)) < 1e-7 * abs((K + k) * k), s
        assert sum(1 + (z.imag > 0) for z in found) == 4, found


@case
def nothing_comes_through():
    """An output that no input reaches has no zeros, and a response of 0"""
    scene = two_masses()
    scene["forces"] = [f for f in scene["forces"] if f["name"] != "k2"]
    told = asked(scene, "--response", "u,B.x", "--from", "1", "--to", "2", "--points", "2")
    assert told["zeros"] == [] and all(abs(complex(*r[1:])) < 1e-12 for r in told["response"]), told["response"]


@case
def the_step_is_the_motion():
    """--step against the run of the scene with a step of the input: linear masses, to 1e-8"""
    scene = two_masses()
    told = asked(scene, "--response", "u,B.vx", "--step", "2", "--points", "41")["step"]
    scene["parameters"]["u"] = 1
    with open("step.json", "w", encoding="ascii") as file:
        json.dump(scene, file)
    assert trammel("run", "step.json", "--end", "2", "--every", "0.05", "--accuracy", "1e-11", "-o", "x.csv").returncode == 0
    with open("x.csv", encoding="ascii") as file:
        head, *lines = [line.split(",") for line in file.read().splitlines()]
    t, v = head.index("t"), head.index("b.vx[m/s]")
    assert len(lines) == len(told) == 41
    for line, (time, value) in zip(lines, told):
        assert abs(float(line[t]) - time) < 1e-9 and abs(float(line[v]) - value) < 1e-8, (line[t], line[v], value)


@case
def steps_of_what_does_not_move_by_itself():
    """A free mass under a step of force: x = u t^2/(2 m); a time out of range is refused"""
    scene = {"dimension": 2, "parameters": {"u": {"value": 0, "input": True}},
             "bodies": [{"name": "a", "mass": 2, "shape": {"type": "box", "size": [0.1, 0.1]}}],
             "joints": [{"name": "S", "type": "prismatic", "bodies": ["ground", "a"], "at": [0, 0], "axis": [1, 0]}],
             "forces": [{"name": "F", "type": "joint_force", "joint": "S", "value": "u"}]}
    for time, value in asked(scene, "--response", "u,S.position", "--step", "3", "--points", "7")["step"]:
        assert abs(value - time ** 2 / 4) < 1e-12, (time, value)
    done = trammel("linearize", "scene.json", "--response", "u,S.position", "--step", "1e308")
    assert done.returncode == 1 and "--step: expected a shorter time" in done.stderr, done


@case
def figure():
    """-o: Bode, Nyquist and step in one SVG; without --response a sentence"""
    asked(two_masses(), "--response", "u,A.x", "--step", "1", "-o", "r.svg")
    with open("r.svg", encoding="utf-8") as file:
        text = file.read()
    assert all(words in text for words in ("phase [deg]", "imaginary", "after a unit step")), text[:300]
    for words in (["-o", "r.svg"], ["--step", "1"]):
        done = trammel("linearize", "scene.json", *words)
        assert done.returncode == 1 and "belongs to --response" in done.stderr, done


# ------------------------------------------------------------------------------------------------- plot

@case
def recordings_over_each_other():
    """plot: several recordings in one figure, each named; --over draws against another column"""
    for name, kp in (("a", 100), ("b", 200)):
        scene = {**ARM, "forces": [{"name": "d", "type": "servo", "joint": "O", "kp": kp, "kd": 4, "target": 0.5}]}
        assert trammel("run", saved(scene), "--end", "1", "-o", f"{name}.csv").returncode == 0
    done = trammel("plot", "a.csv", "b.csv", "O.coordinate")
    assert done.returncode == 0 and "O.coordinate[rad], a.csv" in done.stdout and "O.coordinate[rad], b.csv" in done.stdout, done
    assert trammel("plot", "a.csv", "O.coordinate_rate", "--over", "O.coordinate", "-o", "x.svg").returncode == 0
    with open("x.svg", encoding="utf-8") as file:
        assert "O.coordinate[rad]" in file.read()
    with open("bench.csv", "w", encoding="ascii") as file:
        file.write("Time [s],theta\n0,0.01\n0.5,0.4\n1,0.5\n")
    assert trammel("plot", "a.csv", "bench.csv", "O.coordinate=theta", "-o", "x.svg").returncode == 0
    with open("x.svg", encoding="utf-8") as file:
        text = file.read()
    assert all(words in text for words in ("theta, bench.csv", "O.coordinate[rad], a.csv")) and text.count("rad]</text>") == 1, text
    done = trammel("plot", "a.csv", "bench.csv", "O.coordinate=thetta")
    assert done.returncode == 1 and 'did you mean "theta"' in done.stderr, done
    with open("bench.csv", "w", encoding="ascii") as file:
        file.write("time[ms],theta\n0,0.01\n")
    done = trammel("plot", "bench.csv")
    assert done.returncode == 1 and 'its first column is "time[ms]"' in done.stderr, done
    done = trammel("plot", "a.csv", "--over", "O.angel")
    assert done.returncode == 1 and "has no such column" in done.stderr, done


@case
def first_curves():
    """plot without columns: coordinates of joints, efforts, contact forces and outputs, no column of health"""
    scene = json.loads(json.dumps(ARM))
    scene["joints"][0]["limits"] = [-1, 1]
    scene |= {"forces": [{"name": "d", "type": "servo", "joint": "O", "kp": 9, "kd": 4, "target": 0.5}], "outputs": {"twice": "2*O.angle"}}
    assert trammel("run", saved(scene), "--end", "1", "-o", "a.csv").returncode == 0
    lines = trammel("plot", "a.csv").stdout.splitlines()
    named = [line.split()[1] for line in lines if line[:2] == "  " and line[2:3].strip() and line[3:4] == " "]
    assert named == ["O.coordinate[rad]", "d.effort[N", "O.contact_force[N", "twice"], named


@case
def what_makes_a_run_stiff():
    """A lagged servo, |s|^2 = kd/(I T), no state; and no run is ida's, which closes all rows, off the rank of its start: a crank and a bar in line"""
    scene = {**ARM, "forces": [{"name": "m", "type": "servo", "joint": "O", "target": "step(t, 0, 0, 1, 1)", "kp": 300, "kd": 20, "ki": 300, "lag": 0.002}]}
    told = asked(scene, "--end", "3", command="run")["stiffness"]
    assert told["source"] == "m" and told["coefficient"] / told["inertia"] < 2 * math.sqrt(20 / INERTIA / 0.002), told
    link = {"type": "revolute", "bodies": ["ground", "a"], "at": [0, 2.2]}
    scene = {"dimension": 2, "gravity": [0, -G], "bodies": [{"name": "d", "mass": 40, "ends": [[0, 0], [0, 2.2]]}, {"name": "a", "mass": 3, "ends": [[0, 1.1], [0, 2.2]]}],
             "markers": [{"name": "e", "body": "a", "at": [0, 1.3]}, {"name": "h", "body": "ground", "at": [0.2, 2.4]}],
             "joints": [{**link, "name": "T", "type": "pin_in_slot", "bodies": ["ground", "d"], "axis": [1, 0], "slide": {"friction": 10}},
                        {"name": "P", **link}, {"name": "K", **link, "bodies": ["a", "d"], "at": [0, 1.1]}],
             "forces": [{"name": "s", "type": "spring_damper", "markers": ["e", "h"], "stiffness": 900, "damping": 20, "rest_length": 0.35}]}
    done = trammel("run", saved(scene), "--end", "5", "--json")
    assert "no single motion, goes on" in done.stderr and '"changes": 0,' in done.stdout, done.stderr


# -------------------------------------------------------------------------------------------- bad input

@case
def near_names():
    """A freedom of a joint is suggested where its name is nearly right"""
    J = {"name": "J", "type": "cylindrical", "bodies": ["ground", "m"], "at": [0, 0, 0], "axis": [0, 0, 1]}
    scene = {"dimension": 3, "bodies": [{"name": "m", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 0]}], "joints": [J]}
    for extra in ({"outputs": {"x": "J.slid"}}, {"forces": [{"name": "k", "type": "joint_spring_damper", "joint": "J.slid", "stiffness": 1}]}):
        done = trammel("check", saved({**scene, **extra}))
        assert done.returncode == 2 and 'did you mean "J.slide"' in done.stderr, done


@case
def bad_input():
    """Loops of definitions through outputs, a state without start, a sample time of 0, two events that set one input, a law that cannot keep its limits: a sentence with its place"""
    u = {"parameters": {"u": {"value": 0, "input": True}}}
    hinge = {**ARM["joints"][0], "motion": [{"to": 1, "in": 0.1, "law": "trapezoid", "speed": 1, "acceleration": 1, "jerk": 1}]}
    for extra, code, says in (
            ({"outputs": {"a": "b + 1", "b": "a"}}, 2, '/outputs/a: "b" is defined by itself'),
            ({"states": {"z": {"rate": "-z"}}}, 2, '/states/z: missing key "start"'),
            ({**u, "events": [{"name": "c", "every": 0, "set": {"u": 1}}]}, 2, "every must be > 0, got 0"),
            ({**u, "events": [{"name": n, "when": "t > 0.5", "set": {"u": v}} for n, v in (("c", 1), ("d", 2))]}, 4, "events 'c' and 'd' set 'u' at one time"),
            ({"events": [{"name": "c", "when": "O.angle < -1 and log(-O.angle - 1) > -1", "stop": True}]}, 4, "log of -1"),
            ({"events": [{"name": "c", "when": "O.angle < -1 ? log(-O.angle - 1) > -1 : 0", "stop": True}]}, 4, "'>' in the formula of 'c' has no value where"),
            ({"joints": [hinge]}, 2, '/joints/0/motion/0/in: this move from 0 to 1 needs at least an "in" of')):
        done = trammel("run", saved({**ARM, **extra, "simulation": {"end": 1}}))
        assert done.returncode == code and says in done.stderr, done
        assert done.stderr.startswith("error: scene.json:1:"), done.stderr


@case
def efforts_of_springs_and_ropes():
    """Springs and ropes are read in outputs, without columns of their own, and are what their laws by formulas say"""
    markers = [{"name": "p", "body": "a", "on": [0.05, 0.02]}, {"name": "q", "body": "ground", "at": [0, 0]}, {"name": "r", "body": "b", "on": [0.2, 0]}]
    scene = {"dimension": 2, "gravity": [0, -9.81], "markers": markers,
             "bodies": [{"name": "a", "mass": 1, "position": [0.3, -1], "angle": 0.1, "shape": {"type": "disc", "radius": 0.1}},
                        {"name": "b", "mass": 2, "ends": [[1, 0], [2, 0]]}],
             "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "b"], "at": [1, 0]}],
             "forces": [{"name": "s", "type": "spring_damper", "markers": ["q", "p"], "stiffness": 100, "damping": 2, "rest_length": 0.8},
                        {"name": "rope", "type": "tendon", "markers": ["q", "r", "p"], "stiffness": 50, "damping": 1, "rest_length": 2},
                        {"name": "js", "type": "joint_spring_damper", "joint": "O", "stiffness": 10, "damping": 2, "rest": 0.1, "preload": 1}],
             "definitions": {"l": "hypot(p.x, p.y)", "le": "hypot(r.x, r.y) + hypot(p.x - r.x, p.y - r.y)"},
             "outputs": {"d1": "s.effort - 100*(l - 0.8) - 2*(p.x*p.vx + p.y*p.vy)/l",
                         "d2": "rope.effort - (le > 2 ? max(0, 50*(le - 2) + rope.rate) : 0)",
                         "d3": "js.effort - 1 + 10*(O.angle - 0.1) + 2*O.rate", "T": "rope.effort"},
             "events": [{"name": "tight", "when": "s.effort > 40"}], "simulation": {"end": 2, "every": 0.01}}
    rows = recorded(scene)
    assert max(abs(float(row[name])) for row in rows for name in ("d1", "d2", "d3")) < 1e-12
    assert max(float(row["T"]) for row in rows) > 1 and not [name for name in rows[0] if "effort" in name]


@case
def currents_in_formulas():
    """A drive may read its current, and so may states: a current loop against the exponential of its matrix"""
    scene = {"dimension": 2, "bodies": [{"name": "d", "mass": 1, "position": [0, 0], "shape": {"type": "disc", "radius": 0.1}}],
             "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "d"], "at": [0, 0]}],
             "states": {"sum": {"rate": "100*(3 - m.current)", "start": 0, "unit": "V"}},
             "forces": [{"name": "m", "type": "dc_motor", "joint": "O", "voltage": "sum + 2*(3 - m.current)", "resistance": 0.5, "inductance": 0.002, "constant": 0.05}],
             "simulation": {"end": 0.5, "every": 0.01, "accuracy": 1e-9}}
    last = recorded(scene)[-1]
    assert len({asked({**scene, "forces": [{**scene["forces"][0], **more}]}, command="run")["steps"] for more in ({}, {"current_limit": 99})}) == 1
    R, L, k, J = 0.5, 0.002, 0.05, 0.005  # z = (i, w, sum, 1); its exponential by scaling and squaring
    a = [[-(R + 2) / L, -k / L, 1 / L, 6 / L], [k / J, 0, 0, 0], [-100, 0, 0, 300], [0, 0, 0, 0]]
    product = lambda x, y: [[sum(x[i][j] * y[j][n] for j in range(4)) for n in range(4)] for i in range(4)]  # noqa: E731
    unit = [[float(i == j) for j in range(4)] for i in range(4)]
    power, e = unit, unit
    for n in range(1, 20):
        power = [[v * 0.5 / 65536 / n for v in row] for row in product(power, a)]
        e = [[p + q for p, q in zip(x, y)] for x, y in zip(e, power)]
    for _ in range(16):
        e = product(e, e)
    for name, i in ("m.current", 0), ("sum", 2):
        assert abs(float(last[name]) - e[i][3]) < 1e-7 * max(1, abs(e[i][3])), (name, last[name], e[i][3])


@case
def random_controllers_and_switches():
    """Random sampled blocks against matrix exponentials, switched joints and numbers that vary against SciPy (validation/campaign)"""
    tap.need("/usr/bin/python3")
    for name, seed, count in ("sampled", "4204", "8"), ("switched", "4201", "24"), ("varying", "4301", "20"):
        done = subprocess.run(["/usr/bin/python3", f"{ROOT}/validation/campaign/{name}", "--seed", seed, "--count", count, "--program", PROGRAM],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0 and " 0 wrong, 0 refused" in done.stdout, done.stdout + done.stderr


@case
def rates_of_what_is_held():
    """Random chains at rest with formulas of rates and of forces that are zero, and forces that jump at rest: they end; outputs of joints; works of motors; contacts of every size (validation/campaign)"""
    tap.need("/usr/bin/python3")
    for name in "held", "balanced", "jumps", "names", "works", "sizes":
        done = subprocess.run(["/usr/bin/python3", f"{ROOT}/validation/campaign/{name}", "--seed", "7777", "--count", "12", "--trammel", PROGRAM],
                              capture_output=True, text=True, check=False)
        assert done.stdout == "12 of 12 right\n" + "20 of 20 heaps equal\n" * (name == "sizes"), done.stdout + done.stderr


@case
def planar_in_space():
    """Random planar mechanisms in tilted planes move as those that `trammel convert` writes in 2-D (validation/campaign/planes)"""
    done = subprocess.run([sys.executable, f"{ROOT}/validation/campaign/planes", "--count", "20", "--trammel", PROGRAM],
                          capture_output=True, text=True, check=False)
    assert done.stdout == "20 of 20 alike, 0 run in neither, 0 wrong\n", done.stdout + done.stderr


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
