"""Mechanisms with a stiff law of friction, whose motion is known in closed form.

The rate w of the law is prescribed, and the drive is what it takes (the method of manufactured solutions):

    w(t) = w0 exp(-a t) + s sin(o t)/k,     drive = I w' + F law(k w)

so that w falls from w0 into the width 1/k of the law and stays within it, as friction that locks; a motion off w returns to it with
the rate F k/I. The time is the angle T of a body that turns by 1 rad/s: of formulas of t alone a run proves that it has not missed a
peak, which is another question, and not cheap for a law so steep.
"""
import math

# Of slope 1 at 0, bounded; Stribeck friction falls over 1 rad/s, else a motion on its falling part would be unstable.
LAWS = {
    "tanh": "tanh({x})",
    "atan": "2/pi*atan(pi/2*{x})",
    "root": "{x}/sqrt(1 + {x}^2)",
    "steep": "tanh({x} + {x}^3/3)",
    "fourth": "{x}/(1 + {x}^4)^0.25",
    "stribeck": "tanh({x})*(1 + 0.5*exp(-({x}/{k})^2))",
}



class Motion:
    """w, and what is to be written of it."""

    def __init__(self, rng, k):
        self.w0, self.a, self.s, self.o, self.k = rng.uniform(2, 8), rng.uniform(4, 8), rng.uniform(0.5, 3), rng.uniform(2, 5), k
        self.definitions = {
            "T": "clock.angle",
            "w": f"{self.w0!r}*exp(-{self.a!r}*T) + {self.s / k!r}*sin({self.o!r}*T)",
            "dw": f"-{self.w0 * self.a!r}*exp(-{self.a!r}*T) + {self.s * self.o / k!r}*cos({self.o!r}*T)",
        }

    def rate(self, t):
        return self.w0 * math.exp(-self.a * t) + self.s / self.k * math.sin(self.o * t)

    def way(self, t):
        return self.w0 / self.a * (1 - math.exp(-self.a * t)) + self.s / (self.k * self.o) * (1 - math.cos(self.o * t))


def law_of(name, k, rate):
    return "(" + LAWS[name].format(x=f"({k!r}*{rate})", k=repr(k)) + ")"


def hinge(name, a, b, at):
    return {"name": name, "type": "revolute", "bodies": [a, b], "at": at}


def on_axis(rng, law, k, kind):
    """A disc on a pin, or a block on a slide, behind a spring."""
    motion, M, F, c = Motion(rng, k), rng.uniform(0.1, 5), rng.uniform(2, 6), rng.uniform(0, 40)
    slides = kind == "prismatic"
    body = {"name": "d", "mass": M if slides else 1, "inertia": 1 if slides else M, "position": [0, 0],
            "velocity": [motion.w0 if slides else 0, 0], "rate": 0 if slides else motion.w0}
    joint = {"name": "A", "type": kind, "bodies": ["ground", "d"], "at": [0, 0], **({"axis": [1, 0]} if slides else {})}
    way = f"{motion.w0 / motion.a!r}*(1 - exp(-{motion.a!r}*T)) + {motion.s / (k * motion.o)!r}*(1 - cos({motion.o!r}*T))"
    forces = [
        {"name": "spring", "type": "joint_spring_damper", "joint": "A", "stiffness": c},
        {"name": "drive", "type": "joint_force", "joint": "A", "value": f"{M!r}*dw + {F!r}*{law_of(law, k, 'w')} + {c!r}*({way})"},
        {"name": "law", "type": "joint_force", "joint": "A", "value": f"-{F!r}*{law_of(law, k, 'A.rate')}"},
    ]
    at = (lambda b: b["position"][0], lambda b: b["velocity"][0]) if slides else (lambda b: b["angle"], lambda b: b["rate"])
    return {"bodies": [body], "joints": [joint], "forces": forces}, motion, lambda bodies: [f(bodies["d"]) for f in at]


def disc(rng, law, k):
    return on_axis(rng, law, k, "revolute")


def block(rng, law, k):
    return on_axis(rng, law, k, "prismatic")


def clutch(rng, law, k):
    """Two shafts; b turns as r sin(p t), a by w more. A third hinge, between them, repeats the others: two redundant rows."""
    motion, Ia, Ib, F = Motion(rng, k), rng.uniform(0.1, 2), rng.uniform(0.1, 2), rng.uniform(2, 6)
    r, p = rng.uniform(1, 4), rng.uniform(1, 3)
    common = f"{r * p!r}*cos({p!r}*T)"
    bodies = [{"name": "d", "mass": 1, "inertia": Ia, "position": [0, 0], "rate": motion.w0},
              {"name": "e", "mass": 1, "inertia": Ib, "position": [0, 0]}]
    joints = [hinge("A", "ground", "d", [0, 0]), hinge("B", "ground", "e", [0, 0]), hinge("C", "d", "e", [0, 0])]
    forces = [
        {"name": "drive_a", "type": "joint_force", "joint": "A", "value": f"{Ia!r}*(dw + {common}) + {F!r}*{law_of(law, k, 'w')}"},
        {"name": "drive_b", "type": "joint_force", "joint": "B", "value": f"{Ib!r}*{common} - {F!r}*{law_of(law, k, 'w')}"},
        {"name": "law", "type": "torque", "body": "e", "reaction": "d", "value": f"{F!r}*{law_of(law, k, '(d.rate - e.rate)')}"},
    ]
    return ({"bodies": bodies, "joints": joints, "forces": forces}, motion,
            lambda b: [b["d"]["angle"] - b["e"]["angle"], b["d"]["rate"] - b["e"]["rate"]])


def four_bar(rng, law, k):
    """A parallelogram, whose inertia about its crank is constant; the law is in the pin of the crank."""
    motion, F, r, start = Motion(rng, k), rng.uniform(2, 6), rng.uniform(0.5, 2), rng.uniform(0.3, 0.5)
    m, inertia = [rng.uniform(0.5, 2) for _ in range(3)], [rng.uniform(0.05, 0.3) for _ in range(2)]
    I = sum(inertia) + (m[0] + m[2]) * r * r / 4 + m[1] * r * r
    x, y = r * math.cos(start), r * math.sin(start)

    def bar(name, mass, at, part, **more):
        return {"name": name, "mass": mass, "position": at, "velocity": [-y * part * motion.w0, x * part * motion.w0], **more}

    bodies = [bar("d", m[0], [x / 2, y / 2], 0.5, inertia=inertia[0], angle=start, rate=motion.w0),
              bar("b", m[1], [x + 0.5, y], 1, inertia=0.3),
              bar("k", m[2], [1 + x / 2, y / 2], 0.5, inertia=inertia[1], angle=start, rate=motion.w0)]
    joints = [hinge("A", "ground", "d", [0, 0]), hinge("P", "d", "b", [x, y]),
              hinge("Q", "b", "k", [1 + x, y]), hinge("R", "ground", "k", [1, 0])]
    forces = [
        {"name": "drive", "type": "joint_force", "joint": "A", "value": f"{I!r}*dw + {F!r}*{law_of(law, k, 'w')}"},
        {"name": "law", "type": "joint_force", "joint": "A", "value": f"-{F!r}*{law_of(law, k, 'A.rate')}"},
    ]
    return ({"bodies": bodies, "joints": joints, "forces": forces}, motion,
            lambda b: [b["d"]["angle"] - start, b["d"]["rate"]])


MECHANISMS = {f.__name__: f for f in (disc, block, clutch, four_bar)}
END = 3.0  # s


def made(mechanism, law, k, rng):
    """-> scene, what the end state's bodies are to give (way, rate), and how to read it."""
    scene, motion, read = MECHANISMS[mechanism](rng, law, k)
    scene["bodies"].append({"name": "clock", "mass": 1, "inertia": 1, "position": [0, 0], "rate": 1})
    scene["joints"].append(hinge("pendulum", "ground", "clock", [0, 0]))
    scene = {"title": f"{mechanism}, {law}, slope {k:g}", "dimension": 2, "gravity": [0, 0], "definitions": motion.definitions, **scene,
             "simulation": {"end": END, "every": END}}
    return scene, (motion.way(END), motion.rate(END)), read


def error(bodies, right, read):
    """Of the way, in parts of it; of the rate, in parts of the one at the start (which is more than twice the way)."""
    way, rate = read(bodies)
    return max(abs(way - right[0]) / right[0], abs(rate - right[1]) / (4 * right[0]))
