"""The fourth list: starts at rest in symmetric positions, motions in a subspace of lower rank, overconstrained machines.

Where the motion stays in a singular set, `equivalent` gives the reference the angles that symmetry keeps, in place of rods.
"""
import math

import families_plane as plane
import families_space as space
import families_elements as third
import geometry as geo
from families_plane import flat
from families_space import X, Y, Z, spatial
from families_elements import hinges, replaced, stroke, telescope, turns, upright_box, upu_leg
from geometry import add, between, cross, meet, middle, mul, norm, polar, sub, unit
from mechanism import PLANE, SPACE, Mechanism

TURN = 2 * math.pi
SQUARE = [polar(0.5, k * TURN / 4 + 0.3) for k in range(4)]


def wave(rng, low, high):
    """A force that begins at its rate or at zero."""
    return f"{rng.uniform(low, high)!r}*{rng.choice(('sin', 'cos'))}({rng.uniform(2, 5)!r}*t/tau)"


def shaken(m, rng, body, at, low, high):
    """Pushed to both sides by forces between low and high."""
    m.force(body, at, [wave(rng, low, high), wave(rng, low, high), "0"])


def spare_bearings(rng, m, part=0.5):
    """Some of the hinges in space once more, farther along their axes."""
    for joint in list(m.joints):
        if joint["type"] == "revolute" and rng.random() < part:
            far = rng.uniform(0.1, 0.4) * rng.choice((-1, 1)) * m.lam
            m.joints.append({"name": joint["name"] + "_spare", "type": "revolute", "bodies": joint["bodies"],
                             "at": [p + far * d for p, d in zip(joint["at"], joint["axis"])], "axis": joint["axis"]})
    return m


def in_space(rng, family):
    while True:
        m = family(rng)
        if m.dimension == SPACE:
            return m


def keeps_upright(m, rods):
    """In the reference the middle of the plate stays on its axis, and its own axis upright, without these rods."""
    mark = m.marker("plate", (0, 0, 0), "middle")
    replaced(m, rods, [f"{mark}.x/lam", f"{mark}.y/lam", *turns("plate")[:2]])


def hung(m, name, above, z, high, corners):
    """A plate hung on equal upright rods from another body. Returns their names."""
    upright_box(m, name, (0, 0, z), (0.8, 0.6, 0.1), 3)
    return [m.rod(above, name, add(p, (0, 0, z + high)), add(p, (0, 0, z))) for p in corners]


def held_around(m, body, z, at, stiffness):
    """Four springs to the ground, from the distance `at` from the middle."""
    for d in (X, Y, mul(X, -1), mul(Y, -1)):
        m.spring("ground", body, add(mul(d, 1.5), (0, 0, z)), add(mul(d, at), (0, 0, z)), stiffness, 1)


# Starts at rest

def torsion_plate(rng):
    """A plate hangs at rest on 3, 4 or 6 equal upright rods on a circle and is twisted by a couple; the reference ties what stays"""
    m = spatial(rng, upright=True)
    n, high, radius = rng.choice((3, 4, 6)), rng.uniform(0.8, 2), rng.uniform(0.3, 0.6)
    names = hung(m, "plate", "ground", 0, high, [polar(radius, k * TURN / n + 0.2) for k in range(n)])
    push = f"{rng.uniform(1, 3)!r}*sin({rng.uniform(2, 5)!r}*t/tau)"
    for side in (1, -1):
        m.force("plate", (0.4 * side, 0, 0), ["0", f"{side}*{push}", "0"])
    if n > 3:
        keeps_upright(m, names[1:])
    m.end, m.regular = 2, n == 3
    return m


def untwisting(rng):
    """CROSSES: a plate on 4 to 6 equal rods on a circle is let go while twisted, and passes its lowest position, where swings begin"""
    m = spatial(rng, upright=True)
    n, radius, high, twist = rng.randint(4, 6), rng.uniform(0.3, 0.6), rng.uniform(1.2, 2), rng.uniform(0.2, 0.9)
    angles = [k * TURN / n + rng.uniform(-0.2, 0.2) for k in range(n)]
    rise = math.sqrt(high ** 2 - (2 * radius * math.sin(twist / 2)) ** 2)
    upright_box(m, "plate", (0, 0, 0), (0.8, 0.6, 0.1), 3)
    names = [m.rod("ground", "plate", polar(radius, a, (0, 0, rise)), polar(radius, a + twist)) for a in angles]
    keeps_upright(m, names[1:])
    m.end, m.regular = 1.5, False
    return m


def tray_pushed(rng):
    """CROSSES: a plate hung on 4 to 6 equal parallel rods at any places, at rest, is pushed at its middle; it swings without a turn"""
    m = spatial(rng, upright=True)
    corners = [polar(rng.uniform(0.2, 0.6), k * TURN / 5 + rng.uniform(-0.2, 0.2)) for k in range(rng.randint(4, 5))]
    names = hung(m, "plate", "ground", 0, rng.uniform(0.8, 2), corners)
    shaken(m, rng, "plate", (0, 0, 0), 3, 15)
    replaced(m, names[1:], turns("plate"))
    m.end, m.regular = 1.5, False
    return m


def tray_stack(rng):
    """CROSSES: two plates hung one under the other on four equal parallel rods each, at rest, both pushed; they swing without a turn"""
    m = spatial(rng, upright=True)
    ties, z = [], 0
    for k, above in enumerate(("ground", "plate0")):
        high = rng.uniform(0.7, 1.2)
        z -= high
        ties += hung(m, f"plate{k}", above, z, high, SQUARE)[1:]
        shaken(m, rng, f"plate{k}", (0, 0, z), 3, 15)
    replaced(m, ties, turns("plate0") + turns("plate1"))
    m.end, m.regular = 1.5, False
    return m


def tray_on_trolley(rng):
    """CROSSES: a plate hung on four equal parallel rods from a trolley that is pulled off from rest; a pendulum under the plate"""
    m = spatial(rng, upright=True)
    upright_box(m, "trolley", (0, 0, 0), (1, 0.6, 0.2), 4)
    m.slide("ground", "trolley", (0, 0, 0), X)
    m.force("trolley", (0, 0, 0), [wave(rng, 5, 30), "0", "0"])
    high = rng.uniform(0.8, 1.5)
    names = hung(m, "plate", "trolley", -high, high, SQUARE)
    m.ball("bob", (0, 0, -high - 0.6), 1)
    m.rod("plate", "bob", (0, 0, -high), (0, 0, -high - 0.6))
    m.force("bob", (0, 0, -high - 0.6), ["0", wave(rng, 1, 4), "0"])
    replaced(m, names[1:], turns("plate"))
    m.end, m.regular = 1.2, False
    return m


def table_on_rods(rng):
    """CROSSES: a plate stands on four equal parallel rods between springs at its middle, at rest, pushed; it moves without a turn"""
    m = spatial(rng, upright=True)
    high = -rng.uniform(0.8, 1.5)
    names = hung(m, "plate", "ground", 0, high, SQUARE)
    held_around(m, "plate", 0, 0, 100)
    shaken(m, rng, "plate", (0, 0, 0), 3, 15)
    replaced(m, names[1:], turns("plate"))
    m.end, m.regular = 1.5, False
    return m


def bifilar(rng):
    """A beam hangs at rest on two parallel rods and is twisted by a couple"""
    m = spatial(rng)
    high, wide = rng.uniform(0.8, 2), rng.uniform(0.3, 0.5)
    m.box("beam", (0, 0, -0.1), (1.2, 0.1, 0.2), 2)
    for side in (1, -1):
        m.rod("ground", "beam", (side * wide, 0, high), (side * wide, 0, 0))
        m.force("beam", (0.5 * side, 0, -0.1), ["0", f"{side}*({wave(rng, 0.5, 2)})", "0"])
    m.end = 2
    return m


def garden_swing(rng):
    """A bench on four hinged bars in two parallelograms side by side hangs at rest and is pushed by a force"""
    m = spatial(rng)
    m.box("bench", (0, 0, -1.6), (0.9, 1.4, 0.1), 8)
    for i, y in enumerate((-0.6, 0.6)):
        for k, x in enumerate((-0.35, 0.35)):
            top, low = (x, y, 0), (x, y, -1.5)
            m.bar(f"bar{i}{k}", top, low, 0.5)
            m.hinge("ground", f"bar{i}{k}", top, Y)
            m.hinge(f"bar{i}{k}", "bench", low, Y)
    m.force("bench", (0.2, 0.3, -1.6), [wave(rng, 10, 60), wave(rng, 1, 5), "0"])
    m.end = 2
    return m


def porch_swing(rng):
    """A bench hung at rest on two V of rods, pushed beside its middle"""
    m = spatial(rng)
    m.box("bench", (0, 0, -1.55), (0.5, 1.4, 0.1), 8)
    for y in (-0.7, 0.7):
        for x in (-0.25, 0.25):
            m.rod("ground", "bench", (0, y * 1.2, 0), (x, y, -1.5))
    m.force("bench", (0.2, 0.1, -1.55), [wave(rng, 10, 60), wave(rng, 1, 10), "0"])
    m.end = 2
    return m


def chandelier(rng):
    """A plate on three chains of two rods with a knot between, at rest, pushed and twisted"""
    m = spatial(rng)
    wide = rng.choice((0.4, 0.55))
    m.moments("plate", (0, 0, -1.6), 3, (0.1, 0.1, 0.2))
    for k in range(3):
        u = polar(1, k * TURN / 3)
        top, low = mul(u, wide), add(mul(u, 0.4), (0, 0, -1.6))
        knot = middle(top, low)
        m.ball(f"knot{k}", knot, rng.uniform(0.1, 0.5))
        m.rod("ground", f"knot{k}", top, knot)
        m.rod(f"knot{k}", "plate", knot, low)
    shaken(m, rng, "plate", (0.3, 0.1, -1.6), 1, 8)
    m.end = 1.5
    return m


def drafting_arm(rng):
    """A drafting arm: two parallelograms in a row over an elbow plate at right angles, third bars between, at rest, pulled"""
    m = flat(rng, down=(0, 0, 0))
    m.plate("elbow", (1, 0.1, 0), (1, -0.1, 0), (0.9, 0, 0), (1.1, 0, 0), mass=0.5)
    m.plate("head", (0.9, -0.8, 0), (1.1, -0.8, 0), (1, -1, 0), mass=1)
    for k, s in enumerate((-1, 1, 0)):
        for name, a, b, p, q in (("upper", "ground", "elbow", (0, 0.1 * s, 0), (1, 0.1 * s, 0)),
                                 ("fore", "elbow", "head", (1 + 0.1 * s, 0, 0), (1 + 0.1 * s, -0.8, 0))):
            if s or rng.random() < 0.5:
                m.bar(f"{name}{k}", p, q, 0.3)
                hinges(m, (a, f"{name}{k}", p), (f"{name}{k}", b, q))
    shaken(m, rng, "head", (1, -1, 0), 0.2, 1)
    m.end = 2
    return m


def table_on_legs(rng):
    """A table on three to five equal legs with universal joints at both ends, upright at rest between springs, pushed; it cannot turn"""
    m = spatial(rng)
    n = rng.randint(3, 5)
    m.box("top", (0, 0, 1.05), (1, 1, 0.1), 5)
    for k in range(n):
        p = polar(0.5, k * TURN / n + rng.uniform(0, 0.3))
        q = add(p, (0, 0, 1))
        m.bar(f"leg{k}", p, q, rng.uniform(0.3, 1))
        m.cardan("ground", f"leg{k}", p, X, Y)
        m.cardan("top", f"leg{k}", q, X, Y)
    held_around(m, "top", 1.05, 0.5, 150)
    shaken(m, rng, "top", (0, 0, 1.1), 5, 30)
    m.end = 2
    return m


def toggle_dead(rng):
    """A toggle at its dead point, both bars upright in line over a ram, at rest, turned out of it by a torque or a force at the knee"""
    m = flat(rng)
    long = rng.choice((1, rng.uniform(0.6, 1.5)))
    knee, ram = (0, -1, 0), (0, -1 - long, 0)
    m.bar("upper", (0, 0, 0), knee, 1)
    m.bar("lower", knee, ram, 1)
    m.box("ram", ram, (0.3, 0.3, 0.3), 3)
    joint = m.hinge("ground", "upper", (0, 0, 0))
    hinges(m, ("upper", "lower", knee), ("lower", "ram", ram))
    m.slide("ground", "ram", ram, (0, 1, 0))
    if rng.random() < 0.5:
        m.effort(joint, wave(rng, 3, 12))
    else:
        m.force("upper", knee, [wave(rng, 3, 12), "0", "0"])
    m.spring("ground", "ram", add(ram, (0, -2, 0)), ram, rng.uniform(5, 20), 0.5, 2.2)
    m.end = 1.5
    return m


def dead_centre(rng):
    """A slider-crank at its inner or outer dead centre, upright, at rest, started by a torque"""
    m = flat(rng)
    a = (0, rng.choice((-0.5, 0.5)), 0)
    m.bar("crank", (0, 0, 0), a, 1)
    m.moments("wheel", (0, 0, 0), 2, (0.1, 0.1, 0.2))
    joint = m.hinge("ground", "crank", (0, 0, 0))
    m.joint("weld", "crank", "wheel", (0, 0, 0))
    plane.piston(m, a, add(a, (0, -rng.uniform(1.2, 2), 0)), "slider", "rod", (0, 1, 0))
    m.effort(joint, wave(rng, 2, 8))
    m.end = 2
    return m


def symmetric_five_bar(rng):
    """A symmetric five-bar linkage at rest under opposite torques, or a torque on one side; its tip stays in the middle or not"""
    m = flat(rng)
    o, c, tip = (-0.3, 0, 0), (0.3, 0, 0), (0, rng.uniform(-1.4, -1.0), 0)
    a, b = meet(o, 0.8, tip, 0.9, -1), meet(c, 0.8, tip, 0.9, 1)
    for name, p, q, mass in (("left", o, a, 1), ("right", c, b, 1), ("upper", a, tip, 0.7), ("fore", b, tip, 0.7)):
        m.bar(name, p, q, mass)
    first, second = m.hinge("ground", "left", o), m.hinge("ground", "right", c)
    hinges(m, ("left", "upper", a), ("right", "fore", b), ("upper", "fore", tip))
    push = wave(rng, 2, 6)
    m.effort(first, push)
    if rng.random() < 0.6:
        m.effort(second, f"-({push})")
    for joint in (first, second):
        m.torsion(joint, 20, 0.3)
    m.end = 1.5
    return m


def metronomes(rng):
    """Two or three metronomes on a board on rollers between springs, started together, against one another, or one alone"""
    m = flat(rng)
    m.box("board", (0, 0, 0), (2, 0.1, 0.5), rng.uniform(1, 3))
    m.slide("ground", "board", (0, 0, 0), (1, 0, 0))
    m.spring("ground", "board", (-2, 0, 0), (-1, 0, 0), 30, 0.2)
    n, way = rng.randint(2, 3), rng.randrange(3)
    for k in range(n):
        pin, tilt = (0.6 * (k - 1), 0.1, 0), 0.4 * (1, (-1) ** k, k == 0)[way]
        up = (math.sin(tilt), math.cos(tilt), 0)
        m.plate(f"swing{k}", pin, add(pin, mul(up, 0.4)), add(pin, mul(up, -0.5)), mass=0.5)
        m.hinge("board", f"swing{k}", pin)
    m.end = 3
    return m


def acrobot_cart(rng):
    """An acrobot hangs straight down at rest from a cart, driven by a torque at its elbow; a second one beside it in some seeds"""
    m = flat(rng)
    m.box("cart", (0, 0, 0), (0.6, 0.2, 0.3), 2)
    m.slide("ground", "cart", (0, 0, 0), (1, 0, 0))
    for k in range(rng.randint(1, 2)):
        p, q, r = (0.5 * k, 0, 0), (0.5 * k, -0.6, 0), (0.5 * k, -1.2, 0)
        m.bar(f"upper{k}", p, q, 1)
        m.bar(f"lower{k}", q, r, 0.7)
        m.hinge("cart", f"upper{k}", p)
        m.effort(m.hinge(f"upper{k}", f"lower{k}", q), wave(rng, 0.3, 1.2))
    m.end = 2
    return m


def balanced_arm(rng):
    """Two arms in a row, the second kept level by parallelograms, each balanced by a spring of rest length zero; pushed"""
    m = flat(rng)
    last, foot = "ground", (0, 0, 0)
    for k, tilt in enumerate((rng.uniform(0.2, 0.9), rng.uniform(-0.6, 0.4))):
        arm = polar(1, tilt)
        post = m.plate(f"post{k}", add(foot, arm), add(add(foot, arm), (0, 0.3, 0)), mass=0.5)
        for name, at in (("low", foot), ("high", add(foot, (0, 0.3, 0)))):
            m.bar(f"{name}{k}", at, add(at, arm), 0.4)
            hinges(m, (last, f"{name}{k}", at), (f"{name}{k}", post, add(at, arm)))
        m.spring(last, f"low{k}", add(foot, (0, 0.3, 0)), between(foot, add(foot, arm), 0.4), (180, 74)[k], 0.3, 0)
        last, foot = post, add(foot, arm)
    shaken(m, rng, last, foot, 0.3, 1)
    m.end = 1
    return m


def roberval(rng):
    """Roberval's scale: two beams, two stems with pans, loads off their middle, level at rest; one row redundant even in the plane"""
    m = flat(rng)
    short = rng.uniform(0.4, 1)
    for name, y in (("top", 0), ("low", -0.5)):
        m.plate(name, (-1, y, 0), (short, y, 0), (0, y + 0.05, 0), mass=1)
        m.hinge("ground", name, (0, y, 0))
    for name, x in (("left", -1), ("right", short)):
        m.plate(name, (x, 0, 0), (x, -0.5, 0), (x + rng.uniform(-0.5, 0.5), 0.3, 0), mass=rng.uniform(1, 1.5))
        hinges(m, ("top", name, (x, 0, 0)), ("low", name, (x, -0.5, 0)))
    m.spring("ground", "left", (-1, -2, 0), (-1, -0.5, 0), 40, 1)
    m.end = 1.5
    return m


# Overconstrained in space

def kaleidocycle(rng):
    """A ring of six hinges with threefold symmetry (Bricard), square twists as in a kaleidocycle or others"""
    m = spatial(rng)
    while True:
        square = rng.random() < 0.5
        alpha, one = math.pi / 2 if square else rng.uniform(1.1, 1.5), rng.uniform(0.5, 2.6)
        c, s = math.cos(alpha), math.sin(alpha)
        x, y = s * s + (1 + c * c) * math.cos(one), -2 * c * math.sin(one)
        z = -(c * c + s * s * math.cos(one)) / math.hypot(x, y)
        if abs(z) > 0.98:
            continue
        two = math.atan2(y, x) + rng.choice((-1, 1)) * math.acos(z)
        shape = ([0] * 6, [1] * 6, [alpha, TURN - alpha] * 3)
        if norm(geo.opening([one, two] * 3, *shape)) < 1e-12:
            break
    points, axes = space.axes_of(geo.loop_frames([one, two] * 3, *shape), shape[0])
    space.hinge_loop(m, rng, points, axes, rng.uniform(0.5, 1.5))
    m.end, m.regular = 0.8, False
    return m


def sarrus_legs(rng):
    """Sarrus' table on three or four pairs of hinged plates at rest, pushed by a skew force"""
    m = spatial(rng)
    h, n = rng.uniform(0.6, 1.2), rng.randint(3, 4)
    m.box("table", (0, 0, h), (1, 1, 0.1), 2)
    for k in range(n):
        u, side = polar(1, k * TURN / n), polar(1, (k + n / 4) * TURN / n)
        low, high = mul(u, 0.5), add(mul(u, 0.5), (0, 0, h))
        knee = add(mul(u, 0.5 + math.sqrt(0.8 ** 2 - h * h / 4)), (0, 0, h / 2))
        m.bar(f"low{k}", low, knee, rng.uniform(0.5, 1))
        m.bar(f"high{k}", knee, high, rng.uniform(0.5, 1))
        hinges(m, ("ground", f"low{k}", low), (f"low{k}", f"high{k}", knee), (f"high{k}", "table", high), axis=side)
    m.spring("ground", "table", (0, 0, -0.5), (0, 0, h), 250, 2, h + 0.7)
    m.force("table", (0.2, 0.1, h), [wave(rng, 1, 9), "3", wave(rng, 5, 20)])
    m.end = 1.5
    return m


def scissor_ring(rng):
    """A deployable ring: a prism of three or four sides, each a pair of scissors between hubs on parallel hinges, spread by a spring"""
    m = spatial(rng)
    n, h, long = rng.randint(3, 4), rng.uniform(0.5, 0.9), 1.2
    wide = math.sqrt(long * long - h * h) + 0.2
    radius = wide / (2 * math.sin(math.pi / n))
    for k in range(n):
        p = polar(radius, k * TURN / n)
        for name, z in (("low", 0), ("high", h)):
            if (k, name) != (0, "low"):
                m.box(f"{name}{k}", add(p, (0, 0, z)), (0.2, 0.2, 0.1), 0.3)

    def hub(name, k):
        return "ground" if (k, name) == (0, "low") else f"{name}{k}"

    for k in range(n):
        p, q, nxt = polar(radius, k * TURN / n), polar(radius, (k + 1) * TURN / n), (k + 1) % n
        u = unit(sub(q, p))
        axis = cross(u, Z)
        p, q = add(p, mul(u, 0.1)), sub(q, mul(u, 0.1))
        up = (0, 0, h)
        m.bar(f"rise{k}", p, add(q, up), 0.5)
        m.bar(f"fall{k}", add(p, up), q, 0.5)
        hinges(m, (hub("low", k), f"rise{k}", p), (f"rise{k}", hub("high", nxt), add(q, up)), (hub("high", k), f"fall{k}", add(p, up)),
               (f"fall{k}", hub("low", nxt), q), (f"rise{k}", f"fall{k}", add(middle(p, q), mul(up, 0.5))), axis=axis)
    m.spring("low1", "high1", polar(radius, TURN / n), polar(radius, TURN / n, (0, 0, h)), 200, 3, h + rng.uniform(0.0, 0.2))
    m.end = 0.5
    return m


def peaucellier_spare(rng):
    """Peaucellier's linkage in space with spare bearings"""
    return spare_bearings(rng, in_space(rng, plane.peaucellier))


def jansen_spare(rng):
    """Jansen's leg in space with spare bearings"""
    return spare_bearings(rng, in_space(rng, plane.jansen))


def hart_spare(rng):
    """Hart's inversor in space with spare bearings"""
    return spare_bearings(rng, in_space(rng, third.hart))


def spherical_spare(rng):
    """A spherical four-bar linkage with spare bearings"""
    return spare_bearings(rng, space.spherical_four_bar(rng))


def bennett_spare(rng):
    """Bennett's linkage with spare bearings"""
    return spare_bearings(rng, space.bennett(rng), 0.8)


def delta_four(rng):
    """A delta robot on four arms and eight rods: the platform does not turn, one row of eight is redundant; torques from rest"""
    m = spatial(rng, upright=True)
    names, z = [], -rng.uniform(0.7, 1.0)
    upright_box(m, "platform", (0, 0, z), (0.3, 0.3, 0.05), 1)
    alike = wave(rng, 1, 4) if rng.random() < 0.5 else None
    for k in range(4):
        u, side = polar(1, k * TURN / 4 + 0.1), polar(1, (k + 1) * TURN / 4 + 0.1)
        foot, elbow = mul(u, 0.3), mul(u, 0.8)
        m.bar(f"arm{k}", foot, elbow, 0.5)
        joint = m.hinge("ground", f"arm{k}", foot, side)
        for s in (-0.1, 0.1):
            names.append(m.rod(f"arm{k}", "platform", add(elbow, mul(side, s)), add(add(mul(u, 0.2), (0, 0, z)), mul(side, s))))
        m.effort(joint, alike or wave(rng, 1, 4))
        m.torsion(joint, 20, 0.2)
    replaced(m, names[1::2], turns("platform"))
    m.end = 1
    return m


def four_upu(rng):
    """A platform on four legs with universal, sliding and universal joint: it does not turn; redundant; on springs, pushed"""
    m = spatial(rng)
    corners = [polar(0.4, k * TURN / 4, (rng.uniform(0, 0.2), 0.1, 1)) for k in range(4)]
    m.plate("platform", *corners, mass=3)
    for k, q in enumerate(corners):
        p, side = polar(1, k * TURN / 4), polar(1, (k + 1) * TURN / 4)
        joint = upu_leg(m, k, p, q, side)
        m.torsion(joint, rng.uniform(150, 300), 4, sliding=True)
    shaken(m, rng, "platform", (0, 0, 1), 3, 20)
    m.end = 1
    return m


def leg(m, rng, name, p, q, driven):
    """The sliding joint of a leg from p to q, driven or on a spring."""
    telescope(m, name, p, q)
    joint = m.slide(f"low{name}", f"high{name}", middle(p, q), unit(sub(q, p)), motor=stroke(rng) if driven else None)
    if not driven:
        m.torsion(joint, rng.uniform(200, 500), 4, sliding=True)


def tricept(rng):
    """A tricept: three legs with universal, sliding and ball joint about a central leg on a universal joint and a slide"""
    m = spatial(rng)
    driven = rng.random() < 0.5
    z = -rng.uniform(0.8, 1.2)
    m.plate("platform", (0, 0, z), *[polar(0.3, k * TURN / 3, (0, 0, z)) for k in range(3)], (0, 0, z - 0.4), mass=3)
    m.bar("tube", (0, 0, 0), (0, 0, 0.6 * z), 1)
    m.cardan("ground", "tube", (0, 0, 0), X, Y)
    m.slide("tube", "platform", (0, 0, 0.5 * z), Z)
    for k in range(3):
        p, q = polar(0.6, k * TURN / 3), polar(0.3, k * TURN / 3, (0, 0, z))
        leg(m, rng, k, p, q, driven)
        side = polar(1, (k + 0.75) * TURN / 3)
        m.cardan("ground", f"low{k}", p, side, unit(cross(side, sub(q, p))))
        m.socket(f"high{k}", "platform", q)
    m.end = 1
    return m


def exechon(rng):
    """An Exechon: two legs that share a plane (universal, slide, hinge), a third with ball joint, slide and hinge; redundant"""
    m = spatial(rng)
    driven, z = rng.random() < 0.5, -rng.uniform(0.8, 1.2)
    tops = [(-0.6, 0, 0), (0.6, 0, 0), (0, 0.7, 0)]
    lows = [(-0.25, 0, z), (0.25, 0, z), (0, 0.2, z)]
    m.plate("platform", *lows, (0, 0, z - 0.3), mass=3)
    for k, (p, q) in enumerate(zip(tops, lows)):
        leg(m, rng, k, p, q, driven)
        m.hinge(f"high{k}", "platform", q, X if k == 2 else Y)
        if k == 2:
            m.socket("ground", f"low{k}", p)
        else:
            m.cardan("ground", f"low{k}", p, X, Y)
    m.end = 1
    return m


def clemens(rng):
    """Clemens' coupling: two shafts at an angle, two to four pairs of links that meet in ball joints in the plane of symmetry"""
    m = spatial(rng)
    tilt = rng.uniform(0.05, 0.35)
    shafts = [(-math.cos(tilt), 0, -math.sin(tilt)), (math.cos(tilt), 0, -math.sin(tilt))]
    m.moments("left", shafts[0], 2, (0.1, 0.1, 0.1))
    m.moments("right", shafts[1], 3, (0.2, 0.2, 0.2))
    first = m.hinge("ground", "left", shafts[0], shafts[0])
    m.hinge("ground", "right", shafts[1], shafts[1])
    n = rng.randint(2, 4)
    for k in range(n):
        turn, d = k * TURN / n + rng.uniform(0, 0.5), shafts[0]
        e = add(mul((-math.sin(tilt), 0, math.cos(tilt)), math.cos(turn)), mul(Y, math.sin(turn)))
        ball = mul(unit(sub(e, mul(d, e[0] / d[0]))), 0.7)
        pin, axis = add(mul(d, 0.6), mul(e, 0.2)), cross(d, e)
        for name, flip in (("left", 1), ("right", -1)):
            p, a = (flip * pin[0], pin[1], pin[2]), (axis[0], flip * axis[1], flip * axis[2])
            m.bar(f"{name}{k}", p, ball, 0.3)
            m.hinge(name, f"{name}{k}", p, a)
        m.socket(f"left{k}", f"right{k}", ball)
    m.effort(first, wave(rng, 0.5, 3))
    if rng.random() < 0.6:
        m.spin("left", rng.uniform(2, 5), shafts[0])
    m.end = 1.5
    return m


def planar_by_any_joints(rng):
    """A four-bar linkage in a plane of space whose coupler has joints of other kinds: universal, ball, cylindrical; moves in the plane"""
    m = Mechanism(rng, SPACE)
    o, a, b, c = plane.crank_rocker_points(rng)
    plane.crank(m, rng, o, a, rng.uniform(2, 4))
    m.bar("coupler", a, b, 2)
    m.bar("rocker", c, b, 1.5)
    m.hinge("ground", "rocker", c, Z)
    u = unit(sub(b, a))
    kinds = rng.choice((("cardan", "socket"), ("socket", "cardan"), ("cylindrical", "cardan"), ("hinge", "socket"), ("planar", "hinge"),
                        ("cylindrical", "cylindrical")))
    for kind, body, p in ((kinds[0], "crank", a), (kinds[1], "rocker", b)):
        if kind == "socket":
            m.socket(body, "coupler", p)
        elif kind == "cardan":
            m.cardan(body, "coupler", p, Z, cross(Z, u))
        elif kind == "hinge":
            m.hinge(body, "coupler", p, Z)
        else:
            m.along(kind, body, "coupler", p, Z)
        if kind == "planar":
            m.along("point_on_line", body, "coupler", p, Z)
    m.end = 2
    return m


def spherical_by_cylinders(rng):
    """A spherical four-bar linkage of cylindrical joints and hinges: it stays spherical by itself"""
    m = space.spherical_four_bar(rng)
    for joint in m.joints[1:]:
        if joint["type"] == "revolute" and "motor" not in joint and rng.random() < 0.7:
            joint["type"] = "cylindrical"
    return m


def scissor_table(rng):
    """A lifting table on scissors of one or two storeys on both sides, in space, at rest, lifted by a force that changes"""
    m = spatial(rng)
    n, tilt = rng.randint(1, 2), rng.uniform(0.4, 0.8)
    w, h = math.cos(tilt), math.sin(tilt)
    m.box("table", (w / 2, 0, n * h + 0.1), (1.2, 0.8, 0.1), 5)
    for i, y in enumerate((-0.4, 0.4)):
        for k in range(n):
            corner = [(x, y, (k + z) * h) for z in (0, 1) for x in (0, w)]
            m.bar(f"rise{i}{k}", corner[0], corner[3], 1)
            m.bar(f"fall{i}{k}", corner[1], corner[2], 1)
            m.hinge(f"rise{i}{k}", f"fall{i}{k}", middle(corner[0], corner[3]), Y)
            if k:
                m.hinge(f"fall{i}{k - 1}", f"rise{i}{k}", corner[0], Y)
                m.hinge(f"rise{i}{k - 1}", f"fall{i}{k}", corner[1], Y)
            else:
                m.hinge("ground", f"rise{i}{k}", corner[0], Y)
                m.slot("ground", f"fall{i}{k}", corner[1], X)
        m.hinge(f"fall{i}{n - 1}", "table", (0, y, n * h), Y)
        m.slot("table", f"rise{i}{n - 1}", (w, y, n * h), X)
        m.spring("ground", f"fall{i}0", (w + 1, y, 0), (w, y, 0), 20, 0.5)
    m.force("table", (w / 2, 0.1, n * h), ["0", "0", f"{5.5 * 9.81!r} + {wave(rng, 5, 20)}"])
    m.end = 0.6
    return m


def convertible_roof(rng):
    """A convertible's roof: six-bar linkages on both sides under common panels, held by springs or driven; redundant in space"""
    m = spatial(rng)
    m.plate("panel", *[(x, y, z) for y in (0, 1.2) for x, z in ((-0.1, 0.6), (0.25, 0.65), (0.9, 0.7))], mass=4)
    m.plate("front", *[(x, y, z) for y in (0, 1.2) for x, z in ((0.9, 0.7), (1.0, 0.85), (1.6, 0.65))], mass=2)
    motor = f"{rng.uniform(0.1, 0.25)!r}*(1 - cos({rng.uniform(1, 3)!r}*t/tau))" if rng.random() < 0.5 else None
    for k, y in enumerate((0, 1.2)):
        a, b, c, d, e, f, g = ((x, y, z) for x, z in ((0, 0), (0.3, 0.05), (-0.1, 0.6), (0.25, 0.65), (0.9, 0.7), (1.0, 0.85), (0.3, 0.8)))
        m.bar(f"rear{k}", a, c, 1)
        m.plate(f"main{k}", b, d, g, mass=1)
        m.bar(f"control{k}", g, f, 0.4)
        joint = m.hinge("ground", f"main{k}", b, Y, motor=motor if k == 0 else None)
        hinges(m, ("ground", f"rear{k}", a), (f"rear{k}", "panel", c), (f"main{k}", "panel", d), ("panel", "front", e),
               (f"main{k}", f"control{k}", g), (f"control{k}", "front", f), axis=Y)
        if not motor:
            m.torsion(joint, 60, 2, rest=0.1)
    m.end = 1
    return m


def stayed_mast(rng):
    """A mast on a ball joint with three or four stays to its top, of which two suffice; it turns about itself with a boom"""
    m = spatial(rng)
    n = rng.randint(3, 4)
    top = (0, 0, 2)
    m.box("mast", (0, 0, 1), (0.2, 0.2, 2), 10)
    m.socket("ground", "mast", (0, 0, 0))
    for k in range(n):
        m.rod("ground", "mast", polar(rng.uniform(1, 2), k * TURN / n), top)
    tip = (1.2, 0, rng.uniform(0.5, 1.2))
    m.bar("boom", (0, 0, 0.3), tip, 2)
    m.hinge("mast", "boom", (0, 0, 0.3), Y)
    m.spring("mast", "boom", (0, 0, 1.8), tip, 80, 2, 1.2)
    m.ball("load", add(tip, (0, 0, -0.8)), 1)
    m.rod("boom", "load", tip, add(tip, (0, 0, -0.8)))
    m.spin("mast", rng.uniform(0.3, 1.5), Z)
    m.end = 1.5
    return m


def z_crank(rng):
    """A wobble plate on the tilted pin of a shaft, kept from turning by a guide, works three to five pistons by rods"""
    m = spatial(rng)
    tilt, n = rng.uniform(0.1, 0.4), rng.randint(3, 5)
    w = (math.sin(tilt), 0, math.cos(tilt))
    m.moments("shaft", (0, 0, 0), 2, (0.1, 0.1, 0.2))
    m.hinge("ground", "shaft", (0, 0, 0), Z, motor=plane.turning(m, rng, "O", "shaft", rng.uniform(3, 6)))
    if not m.driven:
        m.spin("shaft", rng.uniform(3, 6), Z)
    m.moments("plate", (0, 0, 0), 2, (0.1, 0.1, 0.2))
    m.hinge("shaft", "plate", (0, 0, 0), w)
    turn = geo.rotation(Y, tilt)
    m.along("point_on_plane", "ground", "plate", geo.apply(turn, (0.6, 0, 0)), Y)
    for k in range(n):
        p, at = geo.apply(turn, polar(0.4, k * TURN / n + 0.3)), polar(0.4, k * TURN / n + 0.3, (0, 0, 0.9))
        m.box(f"piston{k}", at, (0.1, 0.1, 0.2), 0.5)
        m.slide("ground", f"piston{k}", at, Z)
        m.rod("plate", f"piston{k}", p, at)
    m.end = 1.5
    return m


def hartnell(rng):
    """Hartnell's governor: two to four bell-cranks on a turning hub press a sleeve against a spring, run up by a torque from rest"""
    m = spatial(rng)
    n = rng.randint(2, 4)
    m.moments("hub", (0, 0, 0), 1, (0.1, 0.1, 0.1))
    m.moments("sleeve", (0, 0, 0), 0.5, (0.02, 0.02, 0.03))
    joint = m.hinge("ground", "hub", (0, 0, 0), Z)
    slide = m.slide("hub", "sleeve", (0, 0, 0), Z)
    for k in range(n):
        u, side = polar(1, k * TURN / n), polar(1, k * TURN / n + TURN / 4)
        pin, ball, roller = mul(u, 0.4), add(mul(u, 0.42), (0, 0, 0.35)), mul(u, 0.15)
        m.plate(f"crank{k}", pin, ball, ball, ball, roller, mass=0.6)
        m.hinge("hub", f"crank{k}", pin, side)
        m.along("point_on_plane", "sleeve", f"crank{k}", roller, Z)
    m.torsion(slide, 300, 3, sliding=True)
    m.effort(joint, f"{rng.uniform(1, 3)!r}*sin({rng.uniform(1.5, 3)!r}*t/tau)")
    m.end = 2
    return m


def jitterbug(rng):
    """Fuller's jitterbug: eight triangles on ball joints at twelve corners, one held; or one of its corner masses pushed"""
    m = spatial(rng)
    a, b = 1.0, rng.uniform(0.3, 0.8)

    def name(s):
        return "ground" if s == (1, 1, 1) else "face" + "".join("p" if x > 0 else "m" for x in s)

    signs = [(x, y, z) for x in (1, -1) for y in (1, -1) for z in (1, -1)]
    for s in signs[1:]:
        m.plate(name(s), (0, s[1] * a, s[2] * b), (s[0] * b, 0, s[2] * a), (s[0] * a, s[1] * b, 0), mass=1)
    for p in (1, -1):
        for q in (1, -1):
            m.socket(name((1, p, q)), name((-1, p, q)), (0, p * a, q * b))
            m.socket(name((p, 1, q)), name((p, -1, q)), (p * b, 0, q * a))
            m.socket(name((p, q, 1)), name((p, q, -1)), (p * a, q * b, 0))
    m.spin("facemmm", rng.uniform(0.3, 1), unit((-1, -1, -1)))
    m.end, m.regular = 0.6, False
    return m


# Machines in a plane

def cardan_sliders(rng):
    """Cardan's motion: a plate on a crank and three to five slots through the centre, each line exact; redundant; torque or motor"""
    m = flat(rng)
    r, turn = rng.uniform(0.4, 0.7), rng.uniform(0, TURN)
    c = polar(r, turn)
    points = []
    for k in range(rng.randint(3, 5)):
        phi = turn + TURN / 5 * (k - 2) + rng.uniform(-0.2, 0.2)
        points.append(polar(r, phi, c))
    m.plate("plate", *points, mass=2)
    m.bar("crank", (0, 0, 0), c, 0.5)
    motor = f"{rng.uniform(2, 4)!r}*t/tau" if rng.random() < 0.4 else None
    joint = m.hinge("ground", "crank", (0, 0, 0), motor=motor)
    m.hinge("crank", "plate", c)
    for p in points:
        m.slot("ground", "plate", p, unit(p))
    if not motor:
        m.effort(joint, wave(rng, 3, 9))
    m.end = 2
    return m


def ross_yoke(rng):
    """A Stirling engine with Ross' yoke: crank pin under a yoke, a rocker, two pistons on rods"""
    m = flat(rng)
    o, ground = (0, 0, 0), (1.0, -0.6, 0)
    a = polar(0.25, rng.uniform(0, TURN))
    low = meet(a, 0.6, ground, 1.0, 1)
    if low[1] > a[1]:
        low = meet(a, 0.6, ground, 1.0, -1)
    up = unit(sub(a, low))
    side = (up[1], -up[0], 0)
    ends = [add(add(a, mul(up, 0.3)), mul(side, s * 0.7)) for s in (-1, 1)]
    plane.crank(m, rng, o, a, rng.uniform(2, 5))
    m.plate("yoke", a, low, *ends, mass=1)
    m.bar("rocker", ground, low, 0.5)
    hinges(m, ("crank", "yoke", a), ("yoke", "rocker", low), ("ground", "rocker", ground))
    for k, p in enumerate(ends):
        plane.piston(m, p, plane.on_line(p, 1.2, ((-0.7, 0.7)[k], 0, 0), (0, 1, 0)), f"piston{k}", f"rod{k}", (0, 1, 0), "yoke")
    m.end = 1.5
    return m


def atkinson(rng):
    """Atkinson's engine: a four-bar linkage between crank and piston rod, the rod on the pin of its rocker; gas as a formula"""
    m = flat(rng)
    o, a, b, c = plane.four_bar(m, rng, rng.uniform(2, 5))
    s = norm(sub(b, c))
    foot = (c[0] - 0.3 * s, 0, 0)
    slider = plane.on_line(b, 2.2 * s, foot, (0, 1, 0))
    plane.piston(m, b, slider, "piston", "rod", (0, 1, 0), "rocker")
    m.force("piston", slider, ["0", f"{rng.uniform(-20, 20)!r}*cos(2*t/tau)", "0"])
    m.end = 1.5
    return m


def master_rod(rng):
    """A radial engine of three to seven cylinders: a master rod, the others on pins of its big end"""
    m = flat(rng)
    n, o, a = rng.choice((3, 5, 7)), (0, 0, 0), polar(0.3, rng.uniform(0, TURN))
    plane.crank(m, rng, o, a, rng.uniform(2, 6))
    lines = [polar(1, TURN / 4 + k * TURN / n) for k in range(n)]
    first = plane.on_line(a, 1.2, o, lines[0])
    way = sub(first, a)
    knuckles = [add(a, polar(0.12, math.atan2(way[1], way[0]) + k * TURN / n)) for k in range(1, n)]
    m.plate("master", a, first, *knuckles, mass=1)
    m.hinge("crank", "master", a)
    m.box("piston0", first, (0.2, 0.2, 0.2), 0.5)
    m.hinge("master", "piston0", first)
    m.slide("ground", "piston0", first, lines[0])
    for k, p in enumerate(knuckles, 1):
        plane.piston(m, p, plane.on_line(p, 1.08, o, lines[k]), f"piston{k}", f"rod{k}", lines[k], "master")
    m.end = 1.2
    return m


def crosshead(rng):
    """Opposed pistons with crossheads: two rods on opposite crank pins, each crosshead welded to a piston in a second guide"""
    m = flat(rng)
    turn = rng.choice((0, rng.uniform(0, TURN)))
    pins = [polar(0.4, turn), polar(0.4, turn + math.pi)]
    m.plate("crank", (0, 0, 0), *pins, mass=2)
    joint = m.hinge("ground", "crank", (0, 0, 0))
    for k, (p, d) in enumerate(zip(pins, ((1, 0, 0), (-1, 0, 0)))):
        at = plane.on_line(p, 1.3, (0, 0, 0), d)
        plane.piston(m, p, at, f"crosshead{k}", f"rod{k}", d)
        far = add(at, mul(d, 0.8))
        m.bar(f"stem{k}", at, far, 0.3)
        m.box(f"piston{k}", far, (0.2, 0.3, 0.3), 0.8)
        m.joint("weld", f"crosshead{k}", f"stem{k}", at)
        m.joint("weld", f"stem{k}", f"piston{k}", far)
        m.slide("ground", f"piston{k}", far, d)
    m.effort(joint, wave(rng, 1, 5))
    m.end = 2
    return m


def virtual_pivot(rng):
    """A bicycle's rear suspension on two short links (virtual pivot), a shock on the upper, a turning wheel, shaken"""
    m = flat(rng)
    low, high = (0, 0, 0), (0.1, 0.35, 0)
    a, b, hub = (0.14, rng.uniform(-0.04, 0.0), 0), (0.25, rng.uniform(0.25, 0.3), 0), (0.9, 0.05, 0)
    m.plate("swingarm", a, b, hub, mass=3)
    m.bar("lower", low, a, 0.3)
    m.plate("upper", high, b, add(high, (-0.05, -0.1, 0)), mass=0.3)
    hinges(m, ("ground", "lower", low), ("ground", "upper", high), ("lower", "swingarm", a), ("upper", "swingarm", b))
    m.spring("ground", "upper", (0, 0.7, 0), add(high, (-0.05, -0.1, 0)), 3000, 40)
    m.moments("wheel", hub, 2, (0.1, 0.1, 0.2))
    m.hinge("swingarm", "wheel", hub)
    m.force("swingarm", hub, [wave(rng, 1, 5), f"40 + {wave(rng, 5, 20)}", "0"])
    m.spin("wheel", rng.uniform(5, 20), leads=False)
    m.end = 0.6
    return m


def tandem_wiper(rng):
    """Two wipers in tandem: one crank, two rods, two rockers with blades, a drag link between an arm of each and a third"""
    m = flat(rng)
    a = polar(0.25, rng.uniform(0, TURN))
    plane.crank(m, rng, (0, 0, 0), a, rng.uniform(2, 5))
    for k, (c, side) in enumerate((((1, 0.2, 0), 1), ((-1, 0.1, 0), -1))):
        b = meet(a, 1.05, c, 0.5, side)
        tip = add(c, mul(sub(c, b), rng.uniform(1, 2)))
        m.plate(f"blade{k}", c, b, tip, mass=1)
        m.bar(f"rod{k}", a, b, 0.4)
        hinges(m, ("crank", f"rod{k}", a), (f"rod{k}", f"blade{k}", b), ("ground", f"blade{k}", c))
    c, way = (2.2, 0.2, 0), sub(meet(a, 1.05, (1, 0.2, 0), 0.5, 1), (1, 0.2, 0))
    p, q = add((1, 0.2, 0), mul(way, 0.8)), add(c, mul(way, 0.8))
    third_tip = add(c, (way[1], -way[0], 0))
    m.plate("blade2", c, q, third_tip, mass=1)
    m.plate("drag", p, q, middle(p, q), mass=0.3)
    hinges(m, ("ground", "blade2", c), ("blade0", "drag", p), ("drag", "blade2", q))
    m.end = 1.5
    m.regular = False  # the drag link's parallelogram may come near its flat position
    return m


def z_bar(rng):
    """A wheel loader's Z-bar: boom, bell-crank, link and bucket, two cylinders that move"""
    m = flat(rng)
    foot, lever, bucket = (0, 1.2, 0), (1.2, 1.3, 0), (2.2, 0.3, 0)
    top, low, ear = (1.0, 1.8, 0), (1.35, 0.75, 0), (2.1, 0.65, 0)
    m.plate("boom", foot, lever, bucket, mass=8)
    m.plate("bell", lever, top, low, mass=3)
    m.bar("link", low, ear, 1)
    m.plate("bucket", bucket, ear, (2.9, 0.2, 0), mass=6)
    hinges(m, ("ground", "boom", foot), ("boom", "bell", lever), ("bell", "link", low), ("link", "bucket", ear), ("boom", "bucket", bucket))
    for name, p, body, q in (("lift", (0.2, 0.4, 0), "boom", (1.0, 0.95, 0)), ("tilt", (-0.1, 1.6, 0), "bell", top)):
        motor = f"{rng.uniform(-0.05, 0.1)!r}*(1 - cos({rng.uniform(1, 3)!r}*t/tau))"
        plane.cylinder(m, name, "ground", body, p, q, motor)
    m.end = 2
    return m


def coupled_finger(rng):
    """A finger of a robot's hand: three phalanges coupled by crossed rods, closed by a torque from rest against a spring"""
    m = flat(rng)
    pins = [(0, 0, 0), (1, 0, 0), (1.8, 0, 0), (2.4, 0, 0)]
    h = rng.uniform(0.12, 0.2)
    m.plate("near", pins[0], pins[1], add(pins[1], (0, h, 0)), mass=1)
    m.plate("mid", pins[1], pins[2], add(pins[1], (0, -h, 0)), mass=0.7)
    m.plate("far", pins[2], pins[3], add(pins[2], (0, -h, 0)), mass=0.4)
    joint = m.hinge("ground", "near", pins[0])
    hinges(m, ("near", "mid", pins[1]), ("mid", "far", pins[2]))
    for k, (a, b, p, q) in enumerate((("ground", "mid", (0, h, 0), (1, -h, 0)), ("near", "far", (1, h, 0), (1.8, -h, 0)))):
        m.bar(f"tendon{k}", p, q, 0.1)
        hinges(m, (a, f"tendon{k}", p), (f"tendon{k}", b, q))
    m.effort(joint, wave(rng, 5, 15))
    m.torsion(joint, 40, 3)
    m.end, m.regular = 0.8, False
    return m


def compliant_pivot(rng):
    """A four-bar linkage with a light coupler whose last pin is a star of three stiff springs"""
    m = Mechanism(rng, PLANE)
    o, a, b, c = plane.crank_rocker_points(rng)
    plane.crank(m, rng, o, a, rng.uniform(2, 4))
    m.plate("coupler", a, b, middle(a, b), mass=10 ** rng.uniform(-2, 0))
    m.bar("rocker", c, b, 1.5)
    m.hinge("crank", "coupler", a)
    m.hinge("ground", "rocker", c)
    stiff = 10 ** rng.uniform(3, 5)
    for k in range(3):
        m.spring("coupler", "rocker", b, polar(0.3, k * TURN / 3, b), stiff, math.sqrt(stiff) * rng.uniform(0.01, 0.3))
    m.end = 1
    return m


def indexing(rng):
    """INPUT: a four-bar linkage at rest, its crank turned to another angle by a polynomial of time, and back; a swing at its coupler"""
    m = flat(rng)
    o, a, b, c = plane.crank_rocker_points(rng)
    times = [rng.uniform(0.2, 0.5), rng.uniform(0.3, 1), rng.uniform(0.1, 0.4), rng.uniform(0.3, 1)]
    begin, width, pause, back = times
    far = rng.uniform(0.5, 3)
    steps = [f"max(0, min(1, (t/tau - ({t!r}))/{w!r}))" for t, w in ((begin, width), (begin + width + pause, back))]
    up, down = (f"({s})^3*(10 - 15*({s}) + 6*({s})^2)" for s in steps)
    m.breaks = [begin, begin + width, begin + width + pause, sum(times)]
    m.bar("crank", o, a, 1)
    m.hinge("ground", "crank", o, motor=f"{far!r}*({up} - {down})")
    m.bar("coupler", a, b, 2)
    m.bar("rocker", c, b, 1.5)
    hinges(m, ("crank", "coupler", a), ("coupler", "rocker", b), ("ground", "rocker", c))
    pin = middle(a, b)
    m.bar("swing", pin, add(pin, (0, -0.7, 0)), 0.5)
    m.hinge("coupler", "swing", pin)
    m.end = sum(times) + 0.3
    return m


def take_up(rng):
    """A sewing machine: one crank works the needle bar by a rod and the take-up lever by a four-bar linkage"""
    m = flat(rng)
    o, turn = (0, 0, 0), rng.uniform(0, TURN)
    pin, other, c = polar(0.3, turn), polar(0.2, turn + rng.uniform(0.5, 1.2)), (0.8, 0.5, 0)
    m.plate("crank", o, pin, other, mass=2)
    m.hinge("ground", "crank", o, motor=plane.turning(m, rng, "O", "crank", rng.uniform(4, 9)))
    plane.piston(m, pin, plane.on_line(pin, 0.9, (0, 0, 0), (0, -1, 0)), "needle", "rod", (0, 1, 0))
    b = meet(other, 0.7, c, 0.6, 1)
    m.plate("lever", other, b, add(other, mul(sub(b, other), 1.6)), mass=0.3)
    m.bar("link", c, b, 0.3)
    hinges(m, ("crank", "lever", other), ("lever", "link", b), ("ground", "link", c))
    m.end = 1
    return m


def current_collector(rng):
    """A train's pantograph: lower arm, thrust rod, upper arm, guide rod and head, raised by a spring under a wavy wire"""
    m = flat(rng)
    base, knee, head, strut = (0, 0, 0), (-0.9, 0.6, 0), (0.4, 1.3, 0), (0.2, -0.1, 0)
    tail = add(knee, (-0.15, -0.12, 0))
    m.bar("lower", base, knee, 3)
    m.plate("upper", knee, head, tail, mass=2)
    m.bar("thrust", strut, tail, 0.5)
    m.plate("head", head, add(head, (0, -0.1, 0)), add(head, (0.2, 0.1, 0)), mass=1)
    guide = add(knee, (0.02, -0.12, 0))
    m.bar("guide", guide, add(head, (0, -0.1, 0)), 0.3)
    joint = m.hinge("ground", "lower", base)
    hinges(m, ("lower", "upper", knee), ("ground", "thrust", strut), ("thrust", "upper", tail), ("upper", "head", head),
           ("lower", "guide", guide), ("guide", "head", add(head, (0, -0.1, 0))))
    m.torsion(joint, 40, 3, rest=-0.6)
    w = rng.uniform(3, 9)
    m.force("head", head, ["0", f"-20 + {rng.uniform(2, 9)!r}*sin({w!r}*t/tau)", "0"])
    m.end = 0.8
    return m


def grapple(rng):
    """A log grapple: two jaws on a head, a tie rod from the one to the other crosswise, a strut between them, closed from rest; swings"""
    m = flat(rng)
    hang = (0, 1, 0)
    pins = [(-0.3, 0, 0), (0.3, 0, 0)]
    m.plate("head", hang, *pins, mass=3)
    m.hinge("ground", "head", hang)
    m.plate("left", pins[0], add(pins[0], (-0.15, 0.2, 0)), add(pins[0], (-0.4, -0.9, 0)), mass=2)
    m.plate("right", pins[1], add(pins[1], (-0.15, -0.25, 0)), add(pins[1], (0.4, -0.9, 0)), mass=2)
    ends = add(pins[0], (-0.15, 0.2, 0)), add(pins[1], (-0.15, -0.25, 0))
    m.bar("tie", *ends, 0.5)
    hinges(m, ("head", "left", pins[0]), ("head", "right", pins[1]), ("left", "tie", ends[0]), ("tie", "right", ends[1]))
    p, q = add(pins[0], (-0.2, -0.4, 0)), add(pins[1], (0.2, -0.4, 0))
    m.spring("left", "right", p, q, rng.uniform(50, 200), 3, norm(sub(p, q)) * rng.uniform(0.7, 1.0))
    m.force("left", p, [wave(rng, 2, 10), "0", "0"])
    m.end = 1
    return m


def trellis(rng):
    """A trellis: two families of parallel bars with a hinge at each crossing, one bar held; much redundant, sheared by a torque"""
    m = flat(rng)
    rows, columns = rng.randint(2, 3), rng.randint(2, 4)
    u, v = polar(0.6, rng.uniform(0, TURN)), None
    v = polar(0.5, math.atan2(u[1], u[0]) + rng.uniform(1.0, 2.0))

    def at(i, j):
        return add(mul(u, i), mul(v, j))

    for j in range(1, rows):
        m.bar(f"row{j}", at(0, j), at(columns - 1, j), rng.uniform(0.3, 1))
    for i in range(columns):
        m.bar(f"column{i}", at(i, 0), at(i, rows - 1), rng.uniform(0.3, 1))
    for j in range(rows):
        for i in range(columns):
            joint = m.hinge(f"row{j}" if j else "ground", f"column{i}", at(i, j))
            if i == j == 0:
                m.torsion(joint, 30, 0.5)
                m.effort(joint, wave(rng, 1, 5))
    m.end = 1
    return m


def rotating_squares(rng):
    """Squares hinged at their corners, two by two to three by three, one held: they turn against one another (auxetic)"""
    m = flat(rng)
    nx, ny, turn, half = rng.randint(2, 3), 3, rng.uniform(0.25, 0.6), 0.5

    def centre(i, j):
        return (2 * half * math.cos(turn) * i, 2 * half * math.cos(turn) * j, 0)

    def corner(i, j, k):
        return polar(half, turn * (-1) ** (i + j) + k * TURN / 4, centre(i, j))

    def name(i, j):
        return f"square{i}{j}" if i or j else "ground"

    for i in range(nx):
        for j in range(ny):
            if i or j:
                m.plate(name(i, j), *[corner(i, j, k) for k in range(4)], mass=rng.uniform(0.5, 1.5))
    for i in range(nx):
        for j in range(ny):
            if i + 1 < nx:
                m.hinge(name(i, j), name(i + 1, j), corner(i, j, 0))
            if j + 1 < ny:
                joint = m.hinge(name(i, j), name(i, j + 1), corner(i, j, 1))
    m.torsion(joint, 20, 0.3)
    m.spin("square10", rng.uniform(0.2, 0.5))
    m.end, m.regular = 0.4, False
    return m


def trebuchet(rng):
    """A trebuchet from rest: beam, hung weight, sling as a bar; in some seeds on a roller, its weight in an upright guide"""
    m = flat(rng)
    axle, long, short = (0, 2, 0), (-1.6, 1.0, 0), (0.5, 2.31, 0)
    m.plate("beam", axle, long, short, mass=2)
    if rng.random() < 0.5:
        m.hinge("ground", "beam", axle)
        weight = add(short, (0, -0.5, 0))
        m.box("weight", weight, (0.4, 0.4, 0.4), 30)
        m.hinge("beam", "weight", short)
    else:
        m.slot("ground", "beam", axle, (1, 0, 0))
        m.box("weight", short, (0.4, 0.4, 0.4), 30)
        m.hinge("beam", "weight", short)
        m.slide("ground", "weight", short, (0, 1, 0))
    ball = add(long, (1.3, -0.1, 0))
    m.bar("sling", long, ball, 0.3)
    m.hinge("beam", "sling", long)
    m.end = 0.6
    return m


FAMILIES = [torsion_plate, untwisting, tray_pushed, tray_stack, tray_on_trolley, table_on_rods, bifilar, garden_swing, porch_swing,
            chandelier, drafting_arm, table_on_legs, toggle_dead, dead_centre, symmetric_five_bar, metronomes, acrobot_cart,
            balanced_arm, roberval, kaleidocycle, sarrus_legs, scissor_ring, peaucellier_spare, jansen_spare, hart_spare,
            spherical_spare, bennett_spare, delta_four, four_upu, tricept, exechon, clemens, planar_by_any_joints,
            spherical_by_cylinders, scissor_table, convertible_roof, stayed_mast, z_crank, hartnell, jitterbug, cardan_sliders,
            ross_yoke, atkinson, master_rod, crosshead, virtual_pivot, tandem_wiper, z_bar, coupled_finger, compliant_pivot,
            indexing, take_up, current_collector, grapple, trellis, rotating_squares, trebuchet]
