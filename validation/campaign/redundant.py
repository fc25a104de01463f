"""Redundant mechanisms in space with exact numbers, and the same with the numbers of a drawing.

A mechanism is drawn in a frame of its own, which lies askew in the world: no number of the scene is round. `scene` writes it with
so many decimals (of metres or of a direction), with one hinge turned, and to another scale.
"""
import math
import random

from geometry import add, any_direction, any_rotation, apply, cross, dot, middle, mul, norm, product, rotation, sub, transpose, unit

Z = (0, 0, 1)
X = (1, 0, 0)


def quaternion(R):
    """wxyz, w > 0.1: the rotations drawn here are no half turns."""
    w = math.sqrt(max(0, 1 + R[0][0] + R[1][1] + R[2][2])) / 2
    return (w, (R[2][1] - R[1][2]) / 4 / w, (R[0][2] - R[2][0]) / 4 / w, (R[1][0] - R[0][1]) / 4 / w)


class Bar:
    def __init__(self, rng, a, b, mass):
        length = norm(sub(b, a))
        self.R = rotation(any_direction(rng), rng.uniform(0.2, 2.6))
        self.centre = add(middle(a, b), mul(any_direction(rng), 0.05 * length))
        self.mass = mass
        self.inertia = tuple(f * mass * length ** 2 / 12 for f in (1, 1.2, 0.8))

    def local(self, point):
        return apply(transpose(self.R), sub(point, self.centre))


class Mechanism:
    def __init__(self, name, end, seed):
        self.name, self.end = name, end
        self.rng = random.Random(seed)
        self.frame = any_rotation(self.rng)
        self.bars, self.joints, self.forces = {}, [], []

    def bar(self, name, a, b, mass=1.0):
        self.bars[name] = Bar(self.rng, apply(self.frame, a), apply(self.frame, b), mass)

    def joint(self, name, a, b, at, axis, kind="revolute"):
        self.joints.append((name, kind, (a, b), apply(self.frame, at), unit(apply(self.frame, axis))))

    def loop(self, points, axes):
        """Bars between points, from the ground to the ground, by hinges there."""
        names = [f"bar{k}" for k in range(len(points) - 1)]
        chain = ["ground", *names, "ground"]
        for k, name in enumerate(names):
            self.bar(name, points[k], points[k + 1])
        for k, point in enumerate(points):
            self.joint(f"R{k}", chain[k], chain[k + 1], point, axes[k])

    def scene(self, digits=None, turn=0, scale=1, gravity=9.81, **simulation):
        def numbers(v, size=1):
            return [size * (float(x) if digits is None else round(x, digits)) for x in v]

        def on(body, point):
            return numbers(point if body == "ground" else self.bars[body].local(point), scale)

        joints = []
        for k, (name, kind, bodies, at, axis) in enumerate(self.joints):
            if turn and k == len(self.joints) - 1:
                across = unit(cross(axis, any_direction(random.Random(7))))
                axis = add(mul(axis, math.cos(turn)), mul(across, math.sin(turn)))
            joints.append({"name": name, "type": kind, "bodies": list(bodies), "on": {b: on(b, at) for b in bodies},
                           "axis": numbers(axis)})
        bodies = [{"name": name, "position": numbers(b.centre, scale), "quat_wxyz": numbers(quaternion(b.R)), "mass": b.mass,
                   "inertia": [x * scale ** 2 for x in b.inertia]} for name, b in self.bars.items()]
        down = mul(apply(self.frame, unit((0.3, -0.9, 0.3))), gravity * scale)
        return {"title": self.name, "dimension": 3, "gravity": list(down), "bodies": bodies, "joints": joints,
                "forces": self.forces, "assemble": True, "simulation": {"end": self.end, **simulation}}


def meet(a, ra, b, rb, side=1):
    """Where circles about a and b in the plane meet."""
    d = norm(sub(b, a))
    along = (ra ** 2 - rb ** 2 + d ** 2) / 2 / d
    e = mul(sub(b, a), 1 / d)
    return add(add(a, mul(e, along)), mul((-e[1], e[0], 0), side * math.sqrt(ra ** 2 - along ** 2)))


def polar(r, angle, origin=(0, 0, 0)):
    return add(origin, (r * math.cos(angle), r * math.sin(angle), 0))


def door(hinges):
    m = Mechanism(f"door on {hinges} hinges", 2.0, 3)
    m.bar("door", (0.4, 0, -1), (0.4, 0, 1), 20)
    for k in range(hinges):
        m.joint(f"hinge{k}", "ground", "door", (0, 0, -0.8 + 1.6 * k / (hinges - 1)), Z)
    return m


def four_bar(seed=5):
    m = Mechanism("four-bar", 3.0, seed)
    O, C = (0, 0, 0), (0.8, 0, 0)
    A = polar(0.25, 1.1)
    m.loop((O, A, meet(A, 0.7, C, 0.6), C), (Z,) * 4)
    return m


def six_bar():
    m = four_bar(6)
    m.name, m.end = "six-bar", 2.0
    A, C, E = polar(0.25, 1.1), (0.8, 0, 0), (1.7, 0.1, 0)
    B = meet(A, 0.7, C, 0.6)
    F = meet(B, 0.8, E, 0.75)
    m.bar("link", B, F)
    m.bar("arm", E, F)
    m.joint("B2", "bar2", "link", B, Z)
    m.joint("F", "link", "arm", F, Z)
    m.joint("E", "ground", "arm", E, Z)
    return m


def five_bar():
    m = Mechanism("five-bar, two freedoms", 1.5, 8)
    O, C = (0, 0, 0), (1, 0, 0)
    A, B = polar(0.4, 2), polar(0.5, 1.2, C)
    m.loop((O, A, meet(A, 0.9, B, 0.8), B, C), (Z,) * 5)
    return m


def slider_crank():
    m = Mechanism("slider-crank", 2.0, 9)
    A = polar(0.3, 0.8)
    B = (A[0] + math.sqrt(0.81 - (A[1] - 0.05) ** 2), 0.05, 0)
    m.bar("crank", (0, 0, 0), A)
    m.bar("rod", A, B)
    m.bar("slider", B, add(B, (0.2, 0, 0)), 0.5)
    m.joint("O", "ground", "crank", (0, 0, 0), Z)
    m.joint("A", "crank", "rod", A, Z)
    m.joint("B", "rod", "slider", B, Z)
    m.joint("S", "ground", "slider", B, X, "prismatic")
    return m


def cranks(count, angle, end, name):
    """Equal ones that carry a bar, this angle from where bar and cranks are in a line: their change point."""
    m = Mechanism(name, end, 11)
    arm = polar(0.2, angle)
    feet = [(0.5 * k, 0, 0) for k in range(count)]
    for k, foot in enumerate(feet):
        m.bar(f"crank{k}", foot, add(foot, arm))
    m.bar("bar", add(feet[0], arm), add(feet[-1], arm), 2)
    for k, foot in enumerate(feet):
        m.joint(f"g{k}", "ground", f"crank{k}", foot, Z)
        m.joint(f"p{k}", f"crank{k}", "bar", add(foot, arm), Z)
    return m


def three_cranks(end):
    return cranks(3, 1, end, "three cranks" + (", through their change points" if end > 0.3 else ""))


def bennett():
    m = Mechanism("Bennett", 2.0, 13)
    a, alpha, b = 0.6, 0.7, 0.9
    beta = math.asin(math.sin(alpha) * b / a)
    first = 1.0
    second = 2 * math.atan(math.sin((beta + alpha) / 2) / math.sin((beta - alpha) / 2) / math.tan(first / 2))
    best = None
    for sign in (1, -1):
        for half in (0, math.pi):
            angles = (first, sign * second + half, -first, -(sign * second + half))
            R, p, points, axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, 0), [], []
            for angle, (length, twist) in zip(angles, ((a, alpha), (b, beta)) * 2):
                R = product(R, rotation(Z, angle))
                points.append(p)
                axes.append(tuple(row[2] for row in R))
                p = add(p, apply(R, (length, 0, 0)))
                R = product(R, rotation(X, twist))
            off = norm(p) + sum(abs(R[i][i] - 1) for i in range(3))
            best = min(best or (off, points, axes), (off, points, axes))
    assert best[0] < 1e-12
    m.loop(best[1], best[2])
    return m


def sarrus():
    m = Mechanism("Sarrus", 0.3, 14)
    reach = math.sqrt(0.6 ** 2 - 0.5 ** 2)
    m.bar("top", (-0.3, 0, 1), (0.3, 0, 1))
    for leg, turn in (("a", 0), ("b", 2.0)):
        R = rotation(Z, turn)
        foot, knee, head, axis = (apply(R, v) for v in ((0, 0.3, 0), (0, 0.3 + reach, 0.5), (0, 0.3, 1), X))
        m.bar(leg + "1", foot, knee, 0.4)
        m.bar(leg + "2", knee, head, 0.3)
        m.joint(leg + "g", "ground", leg + "1", foot, axis)
        m.joint(leg + "m", leg + "1", leg + "2", knee, axis)
        m.joint(leg + "t", leg + "2", "top", head, axis)
    return m


def bricard():
    m = Mechanism("Bricard", 1.0, 15)
    m.loop(((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)), ((0, 1, 0), Z, X) * 2)
    return m


def spherical():
    m = Mechanism("spherical four-bar", 2.0, 16)
    points = [(math.cos(a) * math.cos(b), math.cos(a) * math.sin(b), math.sin(a)) for a, b in ((0, 0), (0.3, 0.5), (0.6, 1.1), (-0.1, 1.3))]
    m.loop(points, points)
    return m


def scissors():
    m = Mechanism("scissors", 0.3, 17)
    A, B, C, D = (0, 0, 0), (0.6, 0, 0), (0.6, 0.5, 0), (0, 0.5, 0)
    m.bar("p", A, C)
    m.bar("q", B, D)
    m.bar("shoe", B, add(B, (0.1, 0, 0)), 0.3)
    m.bar("head", C, add(C, (0.1, 0, 0)), 0.3)
    m.bar("top", D, C, 2)
    for name, a, b, at in (("A", "ground", "p", A), ("M", "p", "q", middle(A, C)), ("B", "q", "shoe", B), ("D", "q", "top", D), ("C", "p", "head", C)):
        m.joint(name, a, b, at, Z)
    m.joint("S", "ground", "shoe", B, X, "prismatic")
    m.joint("T", "top", "head", C, X, "prismatic")
    return m


def truss(seed):
    """A scene: two rows of pins in the plane, braced, with a bar too many here and there. It stands."""
    rng = random.Random(seed)
    fields = rng.randint(1, 3)
    pins = [(k + rng.uniform(-0.3, 0.3), y + rng.uniform(-0.3, 0.3)) for k in range(fields + 1) for y in (0, 1)]
    bars = [bar for k in range(0, 2 * fields, 2) for bar in [(k, k + 2), (k + 1, k + 3), (k + 2, k + 3), (k, k + 3)] + [(k + 1, k + 2)] * (rng.random() < 0.6)]
    first, joints = {0: "ground", 1: "ground"}, []
    for k, bar in enumerate(bars):
        for pin in bar:
            if pin in first:
                joints.append({"name": f"pin{pin}to{k}", "type": "revolute", "bodies": [first[pin], f"bar{k}"], "at": list(pins[pin])})
            first.setdefault(pin, f"bar{k}")
    bodies = [{"name": f"bar{k}", "ends": [list(pins[a]), list(pins[b])], "mass": 1} for k, (a, b) in enumerate(bars)]
    return {"title": f"truss {seed}", "dimension": 2, "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "simulation": {"end": 0.1}}


def pinned(title, pins, bars, ground, digits=None, end=0.1):
    """A scene: bars between pins in the plane, some of them in the ground, with so many decimals."""
    def at(pin):
        return [x if digits is None else round(x, digits) for x in pins[pin]]
    first, joints = {pin: "ground" for pin in ground}, []
    for k, bar in enumerate(bars):
        for pin in bar:
            if pin in first:
                joints.append({"name": f"pin{pin}to{k}", "type": "revolute", "bodies": [first[pin], f"bar{k}"], "at": at(pin)})
            first.setdefault(pin, f"bar{k}")
    bodies = [{"name": f"bar{k}", "ends": [at(a), at(b)], "mass": 1} for k, (a, b) in enumerate(bars)]
    return {"title": title, "dimension": 2, "gravity": [0, -9.81], "bodies": bodies, "joints": joints, "simulation": {"end": end}}


def cantilever(fields, height, braced, seed, digits=None):
    """A truss of the length 1 on two pins in the ground, however flat and long; `braced`: a bar too many in each field."""
    rng = random.Random(seed)
    pins = [((k + rng.uniform(-0.1, 0.1)) / fields, (y + rng.uniform(-0.1, 0.1)) * height) for k in range(fields + 1) for y in (0, 1)]
    bars = [bar for k in range(0, 2 * fields, 2) for bar in [(k, k + 2), (k + 1, k + 3), (k + 2, k + 3), (k, k + 3)] + [(k + 1, k + 2)] * braced]
    return pinned(f"cantilever of {fields} fields, height {height}, seed {seed}, {digits} digits", pins, bars, (0, 1), digits)


def flat_parallelogram(cranks, length, digits=None):
    """Cranks of a length below that of the bar that they carry, which repeat each other from the third on."""
    angle = 0.7
    feet = [(k / (cranks - 1) + 0.137 / 3, 0.0) for k in range(cranks)]
    tips = [(x + length * math.cos(angle), length * math.sin(angle)) for x, _ in feet]
    scene = pinned(f"{cranks} cranks of {length}, {digits} digits", feet + tips, [(k, k + cranks) for k in range(cranks)], range(cranks), digits, 0.2)
    rounded = [[x if digits is None else round(x, digits) for x in tip] for tip in tips]
    scene["bodies"].append({"name": "bar", "ends": [rounded[0], rounded[-1]], "mass": 2})
    scene["joints"] += [{"name": f"tip{k}", "type": "revolute", "bodies": [f"bar{k}", "bar"], "at": tip} for k, tip in enumerate(rounded)]
    return scene


def aligned_four_bar(bend, digits=None):
    """Crank and coupler in a line except for an angle: one freedom, near the end of its range."""
    tip, end = (0.3, 0.0), (0.3 + 0.8 * math.cos(bend), 0.8 * math.sin(bend))
    return pinned(f"four-bar bent by {bend}, {digits} digits", [(0.0, 0.0), tip, end, (0.9, -0.55)], [(0, 1), (1, 2), (2, 3)], (0, 3), digits, 0.2)


def toggle(bend, digits=None):
    """Two bars nearly in a line press on a lever: one freedom."""
    pins = [(0.0, 0.0), (0.5, 0.5 * bend), (1.0, 0.0), (1.0, -0.7)]
    return pinned(f"toggle bent by {bend}, {digits} digits", pins, [(0, 1), (1, 2), (2, 3)], (0, 3), digits, 0.2)


def arch(rise, digits=None):
    """A scene: two bars from the ground to a pin. However flat, it stands."""
    pins = ((0, 0), (1, rise if digits is None else round(rise, digits)), (2, 0))
    return {"title": "arch", "dimension": 2, "gravity": [0, -9.81],
            "bodies": [{"name": name, "ends": [list(pins[k]), list(pins[k + 1])], "mass": 1} for k, name in enumerate("ab")],
            "joints": [{"name": name, "type": "revolute", "bodies": bodies, "at": list(pins[k])}
                       for k, (name, bodies) in enumerate((("L", ["ground", "a"]), ("C", ["a", "b"]), ("R", ["ground", "b"])))],
            "simulation": {"end": 0.1}}


def frame(seed):
    """Three to five bars between points of the ground, with hinges in any directions: it stands."""
    m = Mechanism(f"frame {seed}", 0.1, seed)
    points = [(0, 0, 0)] + [tuple(m.rng.uniform(-1, 1) for _ in range(3)) for _ in range(m.rng.randint(3, 5))]
    m.loop(points, [any_direction(m.rng) for _ in points])
    return m


def all_of_them():
    return [door(2), door(3), four_bar(), six_bar(), five_bar(), slider_crank(), three_cranks(0.2), three_cranks(2.0), bennett(),
            sarrus(), bricard(), spherical(), scissors()]
