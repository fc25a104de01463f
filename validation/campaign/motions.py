"""Motions that lose digits and motions that do not, for validation/campaign/growth: each a function of a random generator that
gives (scene, end in s, size in m)."""
import math

G = 9.81


def chain(bars, angle, part, rates=()):
    """Bars of 1 m and 1 kg, each let go at `part` less of the angle than the one before."""
    bodies, joints, at, velocity = [], [], [0, 0], [0, 0]
    for i in range(bars):
        turned, rate = angle * (1 - part * i), rates[i] if rates else 0
        arm = [math.sin(turned), -math.cos(turned)]
        end = [a + b for a, b in zip(at, arm)]
        half = [velocity[0] - rate * arm[1] / 2, velocity[1] + rate * arm[0] / 2]
        bodies.append({"name": f"b{i}", "mass": 1, "ends": [at, end], "velocity": half, "rate": rate})
        joints.append({"name": f"J{i}", "type": "revolute", "bodies": [f"b{i - 1}" if i else "ground", f"b{i}"], "at": at})
        at, velocity = end, [2 * h - v for h, v in zip(half, velocity)]
    return {"dimension": 2, "gravity": [0, -G], "bodies": bodies, "joints": joints}


def point(x, y, velocity, fx, fy):
    return {"dimension": 2, "markers": [{"name": "p", "body": "a", "at": [x, y]}],
            "bodies": [{"name": "a", "mass": 1, "shape": {"type": "point"}, "position": [x, y], "velocity": velocity}],
            "forces": [{"name": "f", "type": "force", "marker": "p", "value": [fx, fy]}]}


def on_a_line(x, force):
    """1 kg on a line."""
    return {"dimension": 2, "bodies": [{"name": "a", "mass": 1, "inertia": 1, "position": [x, 0]}],
            "markers": [{"name": "p", "body": "a", "at": [x, 0]}],
            "joints": [{"name": "P", "type": "prismatic", "bodies": ["ground", "a"], "at": [0, 0], "axis": [1, 0]}],
            "forces": [{"name": "f", "type": "force", "marker": "p", "value": [force, 0]}]}


def with_torque(scene, torque):
    scene["forces"] = [{"name": "drive", "type": "torque", "body": "b0", "value": torque}]
    return scene


def double_pendulum(rng):
    return chain(2, rng.uniform(0.3, 3), rng.uniform(-0.3, 0.3)), rng.choice((5, 10, 20, 40)), 2


def triple_pendulum(rng):
    return chain(3, rng.uniform(0.3, 3), rng.uniform(-0.3, 0.3)), rng.choice((5, 10, 20)), 3


def driven_pendulum(rng):
    """A bar with a damper and a torque that swings: chaotic for some amplitudes, on an attractor with a period for others."""
    w0 = math.sqrt(1.5 * G)
    torque = f"{0.5 * G * rng.uniform(0.6, 1.6)}*cos({w0 * rng.uniform(0.5, 0.8)}*t) - {w0 / 3 * rng.uniform(0.2, 0.6)}*J0.rate"
    return with_torque(chain(1, rng.uniform(-2, 2), 0), torque), rng.choice((10, 20, 40, 80)), 1


def driven_line(rng):
    """The driven pendulum in units of its own, and as long as that of growth_test.py."""
    force = f"-{rng.uniform(0.3, 0.7)}*p.vx-sin(p.x)+{rng.uniform(0.7, 1.5)}*cos({rng.uniform(0.5, 0.8)}*t)"
    return on_a_line(rng.uniform(-1, 1), force), rng.choice((50, 100, 200, 400)), 1


def duffing(rng):
    return on_a_line(rng.uniform(-1, 1), f"-0.3*p.vx+p.x-p.x^3+{rng.uniform(0.2, 0.65)}*cos(1.2*t)"), rng.choice((50, 100, 200, 400)), 1


def separatrix_pendulum(rng):
    """Let go at rest, or pushed, close below or above the upper position."""
    off = 10**rng.uniform(-6, -1)
    turns = rng.random() < 0.5
    return (chain(1, math.pi if turns else math.pi - off, 0, (math.sqrt(1.5 * G) * off if turns else 0,)), rng.choice((5, 20, 60)), 1)


def cart_pendulum(rng):
    """A bar hung from a cart on a spring."""
    off = 10**rng.uniform(-5, 0)
    tip = [math.sin(math.pi - off), -math.cos(math.pi - off)]
    scene = {"dimension": 2, "gravity": [0, -G],
             "bodies": [{"name": "cart", "mass": 2, "inertia": 1, "position": [0, 0]}, {"name": "bar", "mass": 1, "ends": [[0, 0], tip]}],
             "joints": [{"name": "P", "type": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0], "axis": [1, 0]},
                        {"name": "R", "type": "revolute", "bodies": ["cart", "bar"], "at": [0, 0]}],
             "markers": [{"name": "p", "body": "cart", "at": [0, 0]}],
             "forces": [{"name": "f", "type": "force", "marker": "p", "value": [f"-{rng.uniform(5, 50)}*p.x", 0]}]}
    return scene, rng.choice((5, 20, 60)), 1


def kepler(rng):
    """Eccentricities up to 0.9, from the far end."""
    e, orbits = rng.uniform(0, 0.9), rng.choice((1, 10, 50))
    scene = point(1, 0, [0, math.sqrt(1 - e)], "-p.x/(p.x^2+p.y^2)^1.5", "-p.y/(p.x^2+p.y^2)^1.5")
    return scene, 2 * math.pi * (1 / (1 + e))**1.5 * orbits, 1


def henon_heiles(rng):
    speed = rng.uniform(0.2, 0.55)
    return (point(0, rng.uniform(-0.2, 0.2), [speed * math.cos(1), speed * math.sin(1) * rng.uniform(0, 0.3)], "-p.x-2*p.x*p.y", "-p.y-p.x^2+p.y^2"),
            rng.choice((30, 100, 300)), 1)


def spring_pendulum(rng):
    k, x, y = rng.uniform(20, 100), rng.uniform(-1.5, 1.5), rng.uniform(-1.5, -0.5)
    pull = f"{k}*(1-1/sqrt(p.x^2+p.y^2))"
    return point(x, y, [rng.uniform(-2, 2), 0], f"-p.x*{pull}", f"-{G}-p.y*{pull}"), rng.choice((5, 20, 60)), 1


def rolling_disc(rng):
    """A disc on its edge, leaning and spinning at random."""
    lean, r = rng.uniform(0.6, 1.5), 0.3
    A, C = "m*r^2/4", "m*r^2/2"
    scene = {"dimension": 3, "parameters": {"r": r, "m": 2, "lean": lean, "turn": rng.uniform(0.5, 3), "spin": rng.uniform(-8, 8)},
             "gravity": [0, 0, -G],
             "bodies": [{"name": "disc", "mass": "m", "inertia": [A, A, C],
                         "shape": {"type": "cylinder", "radius": "r", "length": 0.01, "axis": "z"}, "position": [0, "r*cos(lean)", "r*sin(lean)"],
                         "axis_angle": {"axis": [1, 0, 0], "angle": "lean"}, "velocity": ["-spin*r", 0, 0], "rate": [0, "turn*sin(lean)", "spin"]}],
             "markers": [{"name": "hub", "body": "disc", "on": [0, 0, 0]}, {"name": "floor", "body": "ground", "at": [0, 0, 0]}],
             "constraints": [{"name": "edge", "type": "rolling", "markers": ["hub", "floor"], "normal": [0, 0, 1], "radius": "r",
                              "axis": [0, "-sin(lean)", "cos(lean)"]}]}
    return scene, rng.choice((2, 6, 20)), 1


def spatial_pendulums(rng):
    """Two bodies on ball joints."""
    u = [rng.uniform(-3, 3) for _ in range(3)]
    a, b, ux, uy, uz = 0.5, 0.4, *u
    scene = {"dimension": 3, "gravity": [0, 0, -G],
             "bodies": [{"name": "upper", "mass": 2, "inertia": [[0.20, 0.02, -0.01], [0.02, 0.18, 0.03], [-0.01, 0.03, 0.06]], "position": [0, 0, -a]},
                        {"name": "lower", "mass": 1.5, "inertia": [[0.05, 0.01, 0.015], [0.01, 0.12, -0.02], [0.015, -0.02, 0.11]],
                         "position": [b, 0, -2 * a], "rpy": ["20*deg", 0, 0], "velocity": [0, b * uz, -b * uy], "rate_world": [ux, uy, uz]}],
             "joints": [{"name": "shoulder", "type": "spherical", "bodies": ["ground", "upper"], "at": [0, 0, 0]},
                        {"name": "elbow", "type": "spherical", "bodies": ["upper", "lower"], "at": [0, 0, -2 * a]}]}
    return scene, rng.choice((3, 10, 30)), 1


def heavy_top(rng):
    turn = rng.uniform(-5, 5)
    scene = {"dimension": 3, "gravity": [0, 0, -G],
             "bodies": [{"name": "top", "mass": 15, "inertia": [0.234375, 0.46875, 0.234375], "position": [0, 1, 0], "velocity": [-turn, 0, 0],
                         "rate": [0, rng.uniform(10, 150), turn]}],
             "joints": [{"name": "tip", "type": "spherical", "bodies": ["ground", "top"], "on": {"ground": [0, 0, 0], "top": [0, -1, 0]}}]}
    return scene, rng.choice((1, 3, 10)), 1


MOTIONS = [double_pendulum, triple_pendulum, driven_pendulum, driven_line, duffing, separatrix_pendulum, cart_pendulum, kepler, henon_heiles,
           spring_pendulum, rolling_disc, spatial_pendulums, heavy_top]
