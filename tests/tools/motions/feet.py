"""Random mechanisms whose feet are driven: walkers of Chebyshev legs, spoked wheels on two axles, grippers.

Motors give feet rates against each other that no impulse changes, and contacts outnumber what is left free.
"""
import math
import random

G = 9.81
FRICTIONS = (0, 0.01, 0.3, 0.7)


class Scene:
    def __init__(self):
        self.of = {"dimension": 2, "gravity": [0, -G], "bodies": [], "joints": [], "stops": [],
                   "markers": [{"name": "o", "body": "ground", "at": [0, 0]}]}

    def bar(self, name, mass, a, b):
        self.of["bodies"].append({"name": name, "mass": mass, "ends": [a, b]})

    def pin(self, name, a, b, at, **more):
        self.of["joints"].append({"name": name, "type": "revolute", "bodies": [a, b], "at": at, **more})

    def foot(self, name, body, at, friction, e=0):
        self.of["markers"].append({"name": f"m_{name}", "body": body, "at": at})
        self.of["stops"].append({"name": name, "marker": f"m_{name}", "on": "o", "normal": [0, 1],
                                 "friction": friction, "restitution": e})

    def on_the_ground(self, height, wide):
        """Lifts all by `height`, and adds the hull between the hips."""
        self.of["bodies"].insert(0, {"name": "hull", "mass": 6, "position": [0, height],
                                     "shape": {"type": "box", "size": [wide, 0.06]}})
        for body in self.of["bodies"][1:]:
            body["ends"] = [[x, y + height] for x, y in body["ends"]]
        for place in self.of["joints"] + self.of["markers"][1:]:
            place["at"] = [place["at"][0], place["at"][1] + height]


def turn(w):
    """From rest to the rate w."""
    return f"-{w!r}*(t - (1 - exp(-5*t))/5)"


def leg(x, phase, r):
    """Of a crank of length r at (x, 0): its end, the rocker's hip, the knee between both, and the foot."""
    a = (x + r * math.cos(phase), r * math.sin(phase))
    c = (x + 2 * r, 0.0)
    half = math.dist(a, c) / 2
    up = math.sqrt((2.5 * r)**2 - half**2)
    along = ((c[0] - a[0]) / (2 * half), (c[1] - a[1]) / (2 * half))
    b = ((a[0] + c[0]) / 2 + up * along[1], (a[1] + c[1]) / 2 - up * along[0])
    return a, c, b, (2 * b[0] - a[0], 2 * b[1] - a[1])


def walker(seed):
    """Two to eight Chebyshev legs, as many in front as behind; in step, or half a step apart."""
    rng = random.Random(seed)
    behind = rng.choice((0, 0.5))
    scene, w, mu = Scene(), rng.uniform(2, 6), rng.choice(FRICTIONS)
    legs, r, far, lowest = 1 + seed % 4, rng.uniform(0.04, 0.06), rng.uniform(0.15, 0.25), 0.0
    first = rng.uniform(0, 2 * math.pi)
    for side, x in (("f", -far), ("r", far)):
        for i in range(legs):
            n, o = f"{side}{i}", (x, 0.0)
            a, c, b, foot = leg(x, first + 2 * math.pi * (i + (side == "r") * behind) / legs, r)
            scene.bar(f"crank_{n}", 0.1, o, a)
            scene.bar(f"leg_{n}", 0.3, a, foot)
            scene.bar(f"rock_{n}", 0.15, c, b)
            scene.pin(f"M_{n}", "hull", f"crank_{n}", o, motor=turn(w))
            scene.pin(f"A_{n}", f"crank_{n}", f"leg_{n}", a)
            scene.pin(f"B_{n}", f"leg_{n}", f"rock_{n}", b)
            scene.pin(f"C_{n}", "hull", f"rock_{n}", c)
            scene.foot(f"g_{n}", f"leg_{n}", foot, mu)
            lowest = min(lowest, foot[1])
    scene.on_the_ground(-lowest, 2 * far)
    return scene.of


def wheels(seed):
    """A car on two driven axles, whose wheels are two to four spokes each."""
    rng = random.Random(seed)
    scene, w, mu = Scene(), rng.uniform(2, 6), rng.choice(FRICTIONS)
    spokes, r, far, lowest = 2 + seed % 3, rng.uniform(0.1, 0.2), rng.uniform(0.25, 0.4), 0.0
    for side, x in (("f", -far), ("r", far)):
        first = rng.uniform(0, 2 * math.pi)
        for i in range(spokes):
            angle, n = first + 2 * math.pi * i / spokes, f"{side}{i}"
            foot = (x + r * math.cos(angle), r * math.sin(angle))
            scene.bar(f"spoke_{n}", 0.2, (x, 0.0), foot)
            scene.pin(f"M_{n}", "hull", f"spoke_{n}", (x, 0.0), motor=turn(w))
            scene.foot(f"g_{n}", f"spoke_{n}", foot, mu)
            lowest = min(lowest, foot[1])
    scene.on_the_ground(-lowest, 2 * far)
    return scene.of


def gripper(seed):
    """A box that one jaw, moved by a motor, pushes against another one, which a force presses."""
    rng = random.Random(seed)
    mu, wide, high = rng.choice(FRICTIONS), rng.uniform(0.2, 0.4), rng.uniform(0.1, 0.3)
    w, reach, press = rng.uniform(2, 6), rng.uniform(0.05, 0.15), rng.uniform(20, 60)
    jaw = lambda name, x: {"name": name, "mass": 1, "inertia": 0.1, "position": [x, high / 2]}
    slide = lambda name, body, x, **more: {"name": name, "type": "prismatic", "bodies": ["ground", body],
                                           "at": [x, high / 2], "axis": [1, 0], **more}
    scene = {"dimension": 2, "gravity": [0, -G], "stops": [],
             "bodies": [{"name": "hull", "mass": rng.uniform(0.5, 2), "position": [0, high / 2],
                         "shape": {"type": "box", "size": [wide, high]}},
                        jaw("left", -wide / 2), jaw("right", wide / 2)],
             "markers": [{"name": "o", "body": "ground", "at": [0, 0]},
                         {"name": "l", "body": "left", "at": [-wide / 2, high / 2]},
                         {"name": "r", "body": "right", "at": [wide / 2, high / 2]}],
             "joints": [slide("L", "left", -wide / 2, motor=f"{reach!r}*(1 - cos({w!r}*t))"), slide("R", "right", wide / 2)],
             "forces": [{"name": "P", "type": "joint_force", "joint": "R", "value": -press}]}
    for name, x, y in (("a", -1, 0), ("b", -1, 1), ("c", 1, 0), ("d", 1, 1)):
        at = [x * wide / 2, y * high]
        scene["markers"].append({"name": f"p{name}", "body": "hull", "at": at})
        scene["stops"].append({"name": f"jaw_{name}", "marker": f"p{name}", "on": "l" if x < 0 else "r",
                               "normal": [-x, 0], "friction": mu})
        if y == 0:
            scene["stops"].append({"name": f"floor_{name}", "marker": f"p{name}", "on": "o", "normal": [0, 1],
                                   "friction": mu})
    return scene


FAMILIES = {"walkers": walker, "wheels": wheels, "grippers": gripper}
