"""The problems of validation/bench: scenes, references, and what the peers needed for them.

Bodies, joints and starts are those of the peers' programs: bars of 1 m and 1 kg, g = 9.81 m/s^2.
Scenes that are not shipped in this form are made in a temporary folder.
"""
import collections
import decimal
import functools
import json
import math
import os
import sys

sys.dont_write_bytecode = True
import make_chain  # noqa: E402
import make_four_bar  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
SCENES = os.path.join(HERE, "..", "..", "scenes")
HINGE_BAR = [1e-3, "1/12", "1/12"]  # inertia of the peers' spatial bars

# name; scene() -> path of a shipped one, or its text; settings; end in s; watch: arguments of
# bench_steps that measure the branch; bodies whose coordinates it prints; reference(end) and
# measure(bodies) -> the same numbers; peer: arguments of the peers' programs; ida, bar: s at L1,
# L2, L3, None where not reached; limit: of LIMITS, or None.
Problem = collections.namedtuple(
    "Problem", "name scene settings end watch bodies reference measure peer ida bar limit",
    defaults=[None])

def ladder(loops, dimension, end):
    """Planar loops, in the plane or in space: cranks of 1 m and 1.3 m in turn hang from the ground 1.3 m apart; bars join their tips."""
    lengths = [1 + 0.3 * (i % 2) for i in range(loops + 1)]
    tips = [[1.3 * i, -length] for i, length in enumerate(lengths)]
    tail = [0] * (dimension - 2)
    bodies, joints = [], []

    def bar(name, begin, end):
        J = math.dist(begin, end) ** 2 / 12
        inertia = J if dimension == 2 else [[J, 0, 0], [0, J, 0], [0, 0, J]]
        bodies.append({"name": name, "mass": 1, "inertia": inertia, "ends": [begin + tail, end + tail]})

    for i, tip in enumerate(tips):
        bar(f"c{i}", [1.3 * i, 0], tip)
        joints.append({"name": f"a{i}", "type": "revolute", "bodies": ["ground", f"c{i}"], "at": [1.3 * i, 0] + tail})
    for i in range(loops):
        bar(f"k{i}", tips[i], tips[i + 1])
        joints.append({"name": f"b{i}", "type": "revolute", "bodies": [f"c{i}", f"k{i}"], "at": tips[i] + tail})
        joints.append({"name": f"d{i}", "type": "revolute", "bodies": [f"k{i}", f"c{i + 1}"], "at": tips[i + 1] + tail})
    for joint in joints:
        joint.update({"axis": [0, 0, 1]} if dimension == 3 else {})
    return {"dimension": dimension, "gravity": [4, -9] + tail, "bodies": bodies, "joints": joints,
            "outputs": {"x": "k0.x", "y": "k0.y"},
            "simulation": {"end": end, "every": end}}


def legged(feet):
    """A walking robot with closed legs, falling: below each foot (x, y, knee) hips of three hinges, a knee, an ankle of two;
    two cranks with rods move the ankle, one the knee if `knee`. Two loops a leg, or three."""
    bodies, joints = [{"name": "torso", "mass": 10, "inertia": [0.9, 1.1, 0.7], "position": [0, 0, 0.2]}], []

    def body(name, position, mass, size=0.1):
        bodies.append({"name": name, "mass": mass, "inertia": [mass * size**2 * f for f in (1, 1.2, 0.8)], "position": position})

    def joint(kind, a, b, at, axis=None, **more):
        joints.append({"name": f"{a}-{b}", "type": kind, "bodies": [a, b], "at": at, **({"axis": axis} if axis else {}), **more})

    def crank(on, moved, k, hinge, tip, end):
        names = [f"crank_{k}", f"rod_{k}"]
        body(names[0], [(a + b) / 2 for a, b in zip(hinge, tip)], 0.2, 0.05)
        body(names[1], [(a + b) / 2 for a, b in zip(tip, end)], 0.3)
        joint("revolute", on, names[0], hinge, [0, 1, 0])
        joint("spherical", *names, tip)
        joint("universal", names[1], moved, end, [0, 1, 0], axis2=[1, 0, 0])

    for k, (x, y, knee) in enumerate(feet):
        chain = [("torso", "yaw", 0, [0, 0, 1], 1), ("yaw", "roll", 0, [1, 0, 0], 1), ("roll", "thigh", 0, [0, 1, 0], 3),
                 ("thigh", "shank", -0.4, [0, 1, 0], 2), ("shank", "cross", -0.8, [0, 1, 0], 0.2), ("cross", "foot", -0.8, [1, 0, 0], 1)]
        for i, (on, own, z, axis, mass) in enumerate(chain):
            body(f"{own}{k}", [x + (0.03 if own == "foot" else 0), y, (-0.02, -0.04, -0.2, -0.6, -0.8, -0.85)[i]], mass)
            joint("revolute", on if on == "torso" else f"{on}{k}", f"{own}{k}", [x, y, z], axis)
        if knee:
            crank(f"thigh{k}", f"shank{k}", f"{k}", [x, y, -0.15], [x - 0.12, y, -0.16], [x - 0.1, y, -0.45])
        for side in (0.05, -0.05):
            where = f"{k}{'l' if side > 0 else 'r'}"
            crank(f"shank{k}", f"foot{k}", where, [x, y + side, -0.5], [x - 0.06, y + side, -0.5], [x - 0.06, y + side, -0.82])
    return {"dimension": 3, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints, "simulation": {"end": 0.3}}


BIPED = [(0, 0.1, True), (0, -0.1, True)]
WALKER = [(x, y, x > 0) for x in (0.3, -0.3) for y in (0.15, -0.15)]


# ------------------------------------------------------------------- one degree of freedom, exactly
# (i0 + i1 sin^2 phi) phi'' + i1 sin phi cos phi phi'^2 + k cos phi = 0, with sin phi and cos phi as
# further unknowns so that only sums, products and quotients are needed: extrapolated midpoint rule
# (Gragg) of order 16 with 34 digits.

decimal.getcontext().prec = 34
D = decimal.Decimal
ROWS = 8
STEP = D("0.03125")
G = D("9.81")


def slope(law, y):
    """Of y = (phi', sin phi, cos phi)."""
    i0, i1, k = law
    w, s, c = y
    return (-(i1 * s * w * w + k) * c / (i0 + i1 * s * s), c * w, -s * w)


def midpoint(law, y, h, n):
    """n steps of the midpoint rule over h, closed by Gragg's smoothing."""
    h /= n
    before, now = y, tuple(a + h * b for a, b in zip(y, slope(law, y)))
    for _ in range(n - 1):
        before, now = now, tuple(a + 2 * h * b for a, b in zip(before, slope(law, now)))
    return tuple((a + b + h * d) / 2 for a, b, d in zip(before, now, slope(law, now)))


def extrapolated(law, y, h):
    rows = []
    for j in range(1, ROWS + 1):
        row = [midpoint(law, y, h, 2 * j)]
        for k, above in enumerate(rows[-1] if rows else [], 1):
            r = D(j * j) / ((j - k) * (j - k)) - 1
            row.append(tuple(a + (a - b) / r for a, b in zip(row[-1], above)))
        rows.append(row)
    return rows[-1][-1]


@functools.lru_cache(maxsize=None)
def bar_direction(law, start, end):
    """cos phi and sin phi at `end`; law = (i0, i1, k), start = (phi', sin phi, cos phi)."""
    y, end = start, D(repr(end))
    n = max(1, int(end / STEP))
    for _ in range(n):
        y = extrapolated(law, y, end / n)
    return [float(y[2]), float(y[1])]


def pendulum_end(end):
    return bar_direction((1 / D(3), D(0), G / 2), (D(0), D(0), D(1)), end)


def four_bar_end(n, end):
    """n + 1 cranks turn, n couplers move with their tops; upright at first, rate -1."""
    law = (D(n + 1) / 3 + n, D(0), G * (D(n + 1) / 2 + n))
    return bar_direction(law, (D(-1), D(1), D(0)), end)


def crank_end(rate, sign, end):
    """Crank angle pi/4 or 7 pi/4 at first."""
    half = D("0.5").sqrt()
    return bar_direction((2 / D(3), D(2), G), (rate, sign * half, half), end)


def direction(body):
    """Of a planar body that is measured by its angle."""
    def measure(bodies):
        return [math.cos(bodies[body][2]), math.sin(bodies[body][2])]
    return measure


# ---------------------------------------------------------------------------- constants of others
# Andrews' mechanism at 0.05 s: the seven angles of the IVP test set, by 128-bit extrapolation.
ANDREWS = [33.825867766954517, -33.583431517463868, 0.11339507381259902, -0.40785286560188444,
           0.52606044491699583, 0.40785286560188444, 1.0569024294349628]


def andrews_angles(bodies):
    k = {name: q[2] for name, q in bodies.items()}
    return [k["K1"], k["K2"] - k["K1"], k["K3"], k["K4"] - k["K5"], k["K5"], k["K6"] - k["K7"],
            k["K7"]]


def bar_end(body):
    """The end of a spatial bar of 1 m along its x axis."""
    def measure(bodies):
        x, y, z, w, a, b, c = bodies[body]
        return [x + 0.5 - b * b - c * c, y + a * b + w * c, z + a * c - w * b]
    return measure


# ------------------------------------------------------------------------------------------ scenes

def shipped(name):
    return lambda: os.path.join(SCENES, name + ".json")


def chain(n):
    return lambda: make_chain.scene(n)


def four_bars(n):
    return lambda: make_four_bar.scene(n)


def bricard():
    """The shipped scene with the inertia of the peers' bars."""
    with open(os.path.join(SCENES, "bricard.json"), encoding="utf-8") as file:
        scene = json.load(file)
    del scene["$schema"]
    for body in scene["bodies"]:
        del body["shape"]
        body["inertia"] = HINGE_BAR
    return json.dumps(scene)


def spatial_chain(n):
    """Hinges about z and y in turn; every hinge takes five freedoms."""
    bodies = [{"name": f"bar_{i + 1}", "ends": [[i, 0, 0], [i + 1, 0, 0]], "mass": 1,
               "inertia": HINGE_BAR} for i in range(n)]
    joints = [{"name": f"pin_{i + 1}", "type": "revolute", "at": [i, 0, 0],
               "bodies": [f"bar_{i}" if i else "ground", f"bar_{i + 1}"],
               "axis": [0, 1, 0] if i % 2 else [0, 0, 1]} for i in range(n)]
    return json.dumps({"dimension": 3, "gravity": [0, -9.81, 1], "bodies": bodies, "joints": joints,
                       "simulation": {"end": 1}})


def scene_file(problem, folder):
    """The path of the scene of a problem, written to `folder` if it is not shipped."""
    made = problem.scene()
    if made.lstrip()[:1] != "{":
        return made
    path = os.path.join(folder, problem.name.replace(" ", "_") + ".json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(made)
    return path


# ------------------------------------------------------------------------------------- the problems

# How fast it can be: a planar program for these mechanisms alone, at its best setting in each cell, and IDA in
# the same run, of another machine. s at L1, L2, L3; chains by a recursion in absolute angles.
Limit = collections.namedtuple("Limit", "own ida")
LIMITS = {
    "pendulum": Limit((51e-6, 66e-6, 140e-6), (4.0e-3, 7.0e-3, 23e-3)),
    "chain 10": Limit((.86e-3, 1.37e-3, 2.65e-3), (61e-3, .151, .387)),
    "chain 100": Limit((.52e-3, .53e-3, 1.26e-3), (29e-3, 80e-3, .198)),
    "chain 1000": Limit((3.2e-3, 3.1e-3, 8.1e-3), (.190, .449, 1.410)),
    "four-bar x1": Limit((.11e-3, .17e-3, .32e-3), (5.3e-3, 15.7e-3, None)),
    "four-bar x2": Limit((.19e-3, .31e-3, .50e-3), (8.5e-3, 21.8e-3, None)),
    "four-bar x10": Limit((.82e-3, 1.04e-3, 1.45e-3), (30.5e-3, 75.5e-3, None)),
    "four-bar x40": Limit((3.1e-3, 4.4e-3, 7.2e-3), (.126, .361, None)),
    "slider-crank turning": Limit((1.27e-3, 2.8e-3, 5.6e-3), (61e-3, .190, None)),
}

def four_bar_problem(n, ida, bar):
    return Problem(f"four-bar x{n}", four_bars(n), [], 10, ["-p", "crank_"], ["crank_0"],
                   lambda end: four_bar_end(n, end), direction("crank_0"), ("p2", n), ida, bar)


def chain_problem(n, end, ida, bar):
    return Problem(f"chain {n}", chain(n), [], end, [], ["bar_1", f"bar_{n}"], None,
                   lambda bodies: bodies["bar_1"] + bodies[f"bar_{n}"], ("p1", n), ida, bar)


def crank_problem(name, settings, rate, sign, peer, ida, bar):
    return Problem("slider-crank " + name, shipped("slider_crank_" + name.removesuffix("ing")),
                   ["l=1"] + settings, 70, ["-x", "rod"], ["crank"],
                   lambda end: crank_end(rate, sign, end), direction("crank"), (peer, 1), ida, bar)


# Seconds of the peer with equations written by hand, and the best of all peers, measured
# together on one machine; only their ratios mean anything elsewhere.
PROBLEMS = [
    Problem("pendulum", chain(1), [], 10, [], ["bar_1"], pendulum_end, direction("bar_1"),
            ("p1", 1), (.0026, .0072, .016), (.00017, .00017, .0007)),
    chain_problem(10, 10, (.075, .15, .41), (.034, .072, .34)),
    chain_problem(100, 2, (.025, .060, .18), (.007, .007, .072)),
    chain_problem(1000, 1, (.16, .32, 1.5), (.037, .037, .14)),
    four_bar_problem(1, (.0051, .012, .039), (.0051, .006, .011)),
    four_bar_problem(2, (.0074, .017, None), (.0074, .011, .023)),
    four_bar_problem(10, (.030, .067, None), (.030, .061, .117)),
    four_bar_problem(40, (.10, .28, None), (.10, .27, 1.25)),
    crank_problem("turning", ["v0=-2*sqrt(2)"], -D(8).sqrt(), 1, "p3a", (.070, .19, None),
                  (.029, .057, .14)),
    crank_problem("swinging", [], D(0), -1, "p3b", (.013, .032, None), (.013, .028, .073)),
    Problem("Bricard", bricard, [], 10, [], ["bar_23"], None, bar_end("bar_23"), ("p4", 1),
            (.0061, .015, None), (.0061, .012, .025)),
    Problem("Andrews", shipped("andrews"), [], 0.05, [], ["K1", "K2", "K3", "K4", "K5", "K6", "K7"],
            lambda end: ANDREWS, andrews_angles, ("p5", 1), (.012, .018, .073), (.012, .018, .073)),
]

PROBLEMS = [problem._replace(limit=LIMITS.get(problem.name)) for problem in PROBLEMS]

# At 5 s, with another inertia than the peers': by the closed form with one degree of freedom.
BRICARD_P3 = [0.99993274230211708, -0.99999999773835316, -6.7255436083961457e-5]


def for_end_state(problem):
    """The variant of a problem whose end state is known."""
    if problem.name != "Bricard":
        return problem
    return problem._replace(name="Bricard of the scenes", scene=shipped("bricard"), end=5,
                            reference=lambda end: BRICARD_P3)
