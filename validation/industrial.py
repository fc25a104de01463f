"""Industrial mechanisms of scenes/industrial with the hand calculation of each: the test compares, tools/gallery.py writes the page.

A calculation gets the parameters of its scene and the run, and yields (what, by hand, by the run). Where a line of the recording is
meant, it is that of the time or the first one at which a column has a value.
"""
import cmath
import csv
import json
import math
import pathlib
import subprocess
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
G = 9.81
MECHANISMS = {}  # by name: (what is calculated, in a sentence; the calculation)


def by_hand(sentence, *options, scene=None):
    def keep(function):
        MECHANISMS[function.__name__] = (sentence, options, scene or f"scenes/industrial/{function.__name__}.json", function)
        return function
    return keep


class Run:
    """Columns without their units; values at the end unless `at` says where."""

    def __init__(self, program, path, options):
        self.program, self.path = program, path
        with tempfile.TemporaryDirectory() as folder:
            name = pathlib.Path(folder) / "run.csv"
            done = subprocess.run([program, "run", str(path), *options, "-o", str(name), "--json"], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            with open(name, newline="", encoding="ascii") as file:
                lines = list(csv.reader(file))
        self.told = json.loads(done.stdout)
        self.columns = {head.split("[")[0]: [float(line[i]) for line in lines[1:]] for i, head in enumerate(lines[0])}

    def __getitem__(self, name):
        return self.columns[name][-1]

    def at(self, name, t):
        times = self.columns["t"]
        return self.columns[name][min(range(len(times)), key=lambda i: abs(times[i] - t))]


def run_of(name, program):
    """The comparison of a mechanism: a list of (what, by hand, by the run), and the verdicts of the run."""
    _, options, scene, function = MECHANISMS[name]
    run = Run(program, ROOT / scene, options)
    with open(ROOT / scene, encoding="utf-8") as file:
        numbers = {key: value for key, value in json.load(file).get("parameters", {}).items() if isinstance(value, (int, float))}
    return list(function(numbers, run)), run.told["verdicts"]


def slider(r, l, a):
    """A slider-crank, a from its dead point: way from the shaft, and its first and second derivative by a."""
    root = math.sqrt(l * l - (r * math.sin(a)) ** 2)
    s, c = math.sin(a), math.cos(a)
    first = -r * s - r * r * s * c / root
    return r * c + root, first, -r * c - r * r * (c * c - s * s) / root - (r * r * s * c) ** 2 / root ** 3


@by_hand("A crank-rocker of base d swings between arccos((b² + d² − (c ± r)²)/(2 b d)); a turn's work is four strokes of friction.", "--every", "0.0005")
def wiper(p, run):
    ends = [math.acos((p["arm"] ** 2 + p["base"] ** 2 - (p["coupler"] + sign * p["crank"]) ** 2) / (2 * p["arm"] * p["base"])) for sign in (1, -1)]
    angle = run.columns["W.coordinate"]
    yield "sweep, rad", ends[0] - ends[1], max(angle) - min(angle)
    t, power = run.columns["t"], run.columns["power"]
    yield "work of a turn, J", 4 * p["friction"] * (ends[0] - ends[1]), sum((b - a) * (x + y) / 2 for a, b, x, y in zip(t, t[1:], power, power[1:]))


@by_hand("Virtual work: T = Σ (m s'' ω² − F) s', s the way of a slider-crank, F the force of the gas.")
def v_twin(p, run):
    torque = 0
    for side in (1, -1):
        s, first, second = slider(p["r"], p["l"], p["speed"] * run["t"] + side * -math.pi / 4)
        room = p["room"] + p["l"] + p["r"] - s
        torque += (p["m"] * p["speed"] ** 2 * second + p["force"] * (p["room"] / room) ** 1.3) * first
    yield "torque, N m", torque, run["O.motor"]


@by_hand("The middle of the door rises by half of what its foot does: half its weight balances it in every place. The drive holds the rest.")
def garage_door(p, run):
    for t in (0, 4):
        yield f"force at {t} s, N", (p["weight"] - p["door"] / 2) * -G, run.at("S.motor", t)


@by_hand("Willis: with the ring held i = 1 + z_R/z_S and the sun has T/(J_S + J_C/i²); locked, all turn as one.")
def gearbox(p, run):
    i = 1 + p["ring"] / p["sun"]
    first = p["torque"] / (p["Js"] + p["Jc"] / i ** 2)
    yield "ratio of the first gear", i, run.at("sun.rate", 1.9) / run.at("carrier.rate", 1.9)
    yield "sun at 2 s, rad/s", first * 2, run.at("sun.rate", 2)
    momentum = (p["Js"] + p["Jr"] + p["Jc"]) * run["carrier.rate"]
    yield "ratio of the second gear", 1, run["sun.rate"] / run["carrier.rate"]
    yield "ring at the end, rad/s", momentum / (p["Js"] + p["Jr"] + p["Jc"]), run["ring.rate"]


@by_hand("The Lagrangian of two bars; the elbow turns by half of what drum and base differ, so each motor has its half of the elbow's torque.")
def scara(p, run):
    t, a, b, m, n = run["t"], p["a"], p["b"], p["m"], p["n"]
    base = [0.8 * math.sin(3 * t), 2.4 * math.cos(3 * t), -7.2 * math.sin(3 * t)]
    drum = [2 * math.sin(4 * t), 8 * math.cos(4 * t), -32 * math.sin(4 * t)]
    elbow = [(d - o) / 2 for d, o in zip(drum, base)]
    c, h = math.cos(elbow[0]), n * a * b / 2 * math.sin(elbow[0])
    first = m * a * a / 3 + n * (a * a + b * b / 3 + a * b * c)
    cross, second = n * (b * b / 3 + a * b * c / 2), n * b * b / 3
    shoulder = first * base[2] + cross * elbow[2] - h * (2 * base[1] * elbow[1] + elbow[1] ** 2)
    bend = cross * base[2] + second * elbow[2] + h * base[1] ** 2
    yield "motor of the base, N m", shoulder - bend / 2, run["O.motor"]
    yield "motor of the drum, N m", bend / 2 + 0.1 * 0.02 ** 2 / 2 * drum[2], run["D.motor"]
    yield "tool, m", a * math.cos(base[0]) + b * math.cos(base[0] + elbow[0]), run["tool.x"]


@by_hand("z = -L sin a − √(l² − (R + L cos a − r)²); each motor takes a third of m (g + z'' ω²) z', and its arm.")
def delta(p, run):
    def height(a):
        return -p["L"] * math.sin(a) - math.sqrt(p["l"] ** 2 - (p["R"] + p["L"] * math.cos(a) - p["r"]) ** 2)
    a = p["speed"] * run["t"]
    u, c, s = p["R"] + p["L"] * math.cos(a) - p["r"], p["L"] * math.cos(a), p["L"] * math.sin(a)
    root = math.sqrt(p["l"] ** 2 - u * u)
    first = -c - u * s / root
    second = s - (u * c - s * s) / root + (u * s) ** 2 / root ** 3
    yield "plate, m", height(a), run["plate.z"]
    yield "torque, N m", p["m"] * (G + second * p["speed"] ** 2) * first / 3 - p["arm"] * G * c / 2, run["A0.motor"]


@by_hand("The second axis carries Σ m g x of what lies outward of it, with the payload and without.")
def six_axes(p, run):
    parts = [(8, 0.3), (5, 0.8), (2, 1.1), (1, 1.25), (0.5, 1.35)]
    empty = -G * sum(m * x for m, x in parts)
    yield "loaded, N m", empty - G * p["payload"] * 1.5, run.at("J2.motor", 0)
    yield "empty, N m", empty, run["J2.motor"]


@by_hand("Seen from the trolley the plumb line stands at arctan(a/g): from rest the load swings to twice that.")
def crane(p, run):
    yield "swing, rad", 2 * math.atan(p["a"] / G), run["swing"]


@by_hand("|F_floor/F| = |(k + i c w)/(k − m w² + i c w)|, at five frequencies.")
def isolator(p, run):
    words = ["linearize", str(run.path), "--response", "push,on_floor", "--from", "2", "--to", "32", "--points", "5", "--json"]
    told = json.loads(subprocess.run([run.program, *words], capture_output=True, text=True, check=True).stdout)
    for f, re, im in told["response"]:
        w = 2j * cmath.pi * f
        yield f"at {f:.3g} Hz", abs((p["k"] + p["c"] * w) / (p["k"] + p["c"] * w + p["m"] * w * w)), math.hypot(re, im)


@by_hand("Needle: r cos a − √(l² − r² sin² a); the hook has twice the speed of the shaft.")
def sewing_machine(p, run):
    s, first, _ = slider(-p["r"], p["l"], p["speed"] * run["t"])
    yield "needle, m", -s - 0.03 - 0.03, run["tip.y"]
    yield "its speed, m/s", -first * p["speed"], run["needle.vy"]
    yield "hook, rad", 2 * p["speed"] * run["t"], run["hook.angle"]


@by_hand("Let go with (u, v) at the height y the stone lands u (v + √(v² + 2 g y))/g farther; until then no energy is lost.")
def trebuchet(p, run):
    event = next(e for e in run.told["events"] if e["name"] == "release")
    at = lambda name: run.at(name, event["t"])
    u, v = at("stone.vx"), at("stone.vy")
    yield "range, m", at("stone.x") + u * (v + math.sqrt(v * v + 2 * G * at("stone.y"))) / G, run["stone.x"]
    yield "direction", 1, v / u
    fallen = 50 * (at("beam.y") - run.at("beam.y", 0)) + p["M"] * (at("weight.y") - run.at("weight.y", 0)) + p["m"] * (at("stone.y") - run.at("stone.y", 0))
    yield "energy at release, J", -G * fallen, at("energy.kinetic")


@by_hand("Fastest where P = (c v² + f m g) v; at rest T/r − f m g moves m + J/r².")
def e_bike(p, run):
    weight = (p["m"] + p["wheel"]) * G * p["roll"]
    low, high = 0.0, 100.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if (p["drag"] * middle ** 2 + weight) * middle < p["P"] else (low, middle)
    yield "speed, m/s", low, run["bike.vx"]
    start = (p["T"] / p["r"] - weight) / (p["m"] + p["wheel"] + p["J"] / p["r"] ** 2)
    root = math.sqrt(p["drag"] * (p["T"] / p["r"] - weight))
    t = run.columns["t"][1]
    yield "speed after the first step, m/s", math.sqrt(start / (p["drag"] / (p["m"] + p["wheel"] + p["J"] / p["r"] ** 2))) * math.tanh(
        root * t / (p["m"] + p["wheel"] + p["J"] / p["r"] ** 2)), run.columns["bike.vx"][1]


@by_hand("At the top the ram rests: J (w0² − w1²)/2 is the work F s of the stroke.")
def press(p, run):
    yield "speed after a turn, rad/s", math.sqrt(p["speed"] ** 2 - 2 * p["force"] * p["way"] / p["J"]), run["flywheel.rate"]


@by_hand("The force of the cam, k (s + s0) + m s'', is zero at the nose where w² = k (h + s0)/(m h/2).", "--every", "0.00001")
def valve_train(p, run):
    w = math.sqrt(p["k"] * (p["h"] + p["preload"]) / (p["m"] * p["h"] / 2))
    i = len(run.columns["t"]) // 3
    a = w * run.columns["t"][i]
    lift = p["h"] / 2 * (1 - math.cos(a))
    yield "force on the flank, N", p["k"] * (lift + p["preload"]) + p["m"] * p["h"] / 2 * w * w * math.cos(a), abs(run.columns["flank.lambda"][i])
    yield "at the nose, of the preload", 0, run["flank.lambda"] / (p["k"] * p["preload"])


@by_hand("Virtual work of n stages: F = (n M + n² m) g cot a, m a bar, M the load; the sign is that of closing.")
def scissor_lift(p, run):
    yield "drive, N", -(2 * p["load"] + 4 * p["bar"]) * G / math.tan(math.radians(35)), run["S.motor"]


@by_hand("Moments about the hinge: the cylinder's force times its arm carries boom and bucket.")
def excavator(p, run):
    c, s = math.cos(0.4), math.sin(0.4)
    foot, head = (0.4, -0.9), (1.5 * c, 1.5 * s)
    arm = (foot[0] * head[1] - foot[1] * head[0]) / math.dist(foot, head)
    yield "cylinder, N", G * (p["boom"] / 2 + p["bucket"]) * p["l"] * c / arm, math.hypot(run["cylinder.force_x"], run["cylinder.force_y"])


@by_hand("The carrier turns with the mean of both shafts: (J1 + C/4, C/4; C/4, J2 + C/4) a = (T/2 − M, T/2).")
def differential(p, run):
    a, b, c = p["J"] + p["C"] / 4, p["K"] + p["C"] / 4, p["C"] / 4
    left, right = p["T"] / 2 - p["brake"], p["T"] / 2
    yield "left, rad/s", run["t"] * (left * b - right * c) / (a * b - c * c), run["left.rate"]
    yield "right, rad/s", run["t"] * (right * a - left * c) / (a * b - c * c), run["right.rate"]


@by_hand("In a half swing the escapement gives 2 b T and friction takes 2 A M: the pendulum comes to A = b T/M.")
def escapement(p, run):
    late = [x for t, x in zip(run.columns["t"], run.columns["swing"]) if t > run["t"] - 3]
    yield "swing, rad", p["b"] * p["T"] / p["friction"], max(late)


@by_hand("The slot's wheel at the line of centres: w a/(c − a), a = c sin(π/n).", "--end", "0.375", scene="scenes/geneva.json")
def geneva(p, run):
    a = math.sin(math.pi / p["n"])
    yield "speed, rad/s", -p["speed"] * a / (1 - a), run["wheel.rate"]


@by_hand("Each joint bends by r F/k; the tendon's force is K s/(1 + K Σ r²/k) after a pull of s.")
def finger(p, run):
    force = p["k"] * p["pull"] / (1 + p["k"] * sum(p[f"r{i}"] ** 2 / p[f"k{i}"] for i in (1, 2, 3)))
    yield "tendon, N", force, run["pull_force"]
    for i, joint in enumerate("ABC", 1):
        yield f"joint {joint}, rad", p[f"r{i}"] * force / p[f"k{i}"], run[f"{joint}.coordinate"]


HEAD = """# Industrial mechanisms

<!-- Written by tools/gallery.py. -->

For users who look for a machine like theirs, and for those who doubt. Each scene stands in
[scenes/industrial](../scenes/industrial), beside the calculation that a textbook makes of it.
`trammel view scenes/industrial/wiper.json` shows one. A test compares every number to 1e-6.
"""


def page(program):
    parts = [HEAD]
    for name, (sentence, _, scene, _) in MECHANISMS.items():
        with open(ROOT / scene, encoding="utf-8") as file:
            title = json.load(file)["title"]
        rows = [f"| {what} | {hand:.6g} | {0 if abs(found) < 1e-9 else found:.6g} |" for what, hand, found in run_of(name, program)[0]]
        parts.append("\n".join([f"## {name}", "", *textwrap.wrap(f"[{title}](../{scene}). {sentence}", 98), "", "| | by hand | by the run |", "| --- | --- | --- |", *rows, ""]))
    return "\n".join(parts)
