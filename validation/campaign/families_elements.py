"""The third list: linkages of the textbooks that the lists before lack, machine elements, near misses, crossings of several loops.

Where a scene has an element that the reference does not know (a gear, a cam, a curve), or crosses singular positions, `equivalent`
gives the reference the same motion by expressions: closed forms, written here from the definition of the element.
"""
import math

import families_random as more
import families_plane as plane
import families_space as space
import geometry as geo
from families_plane import angle_of, flat
from families_space import DOWN, X, Y, Z, jitter, spatial
from geometry import add, between, cross, meet, middle, mul, norm, polar, sub, unit
from mechanism import PLANE, SPACE, Mechanism, digits

TURN = 2 * math.pi


def hinges(m, *triples, axis=Z):
    for one, two, p in triples:
        m.hinge(one, two, p, axis)


def upright_box(m, name, at, size, mass=1.0):
    """A block whose axes are the world's: its roll, pitch and yaw are zero at the start."""
    a, b, c = (s * s for s in size)
    scale = mass * m.mu * m.lam ** 2 / 12
    inertia = [(b + c) * scale, (a + c) * scale, (a + b) * scale]
    m.bodies.append({"name": name, "mass": mass * m.mu, "position": m.point(at), "inertia": inertia if m.dimension == 3 else inertia[2]})
    return name


def angle(m, body):
    """The angle of a body in the plane since the start, as an expression."""
    start = next(b for b in m.bodies if b["name"] == body)
    value = start.get("angle")
    if value is None:
        (x0, y0), (x1, y1) = (rounded_point(p) for p in start["ends"])
        value = math.atan2(y1 - y0, x1 - x0)
    return f"({body}.angle - ({(value if 'ends' in start else digits(value))!r}))"


def rounded_point(p):
    return [digits(x) for x in p]


def relation(m, kind, name, **keys):
    m.constraints.append({"name": name, "type": kind, **keys})
    return name


def replaced(m, names, expressions):
    """The reference gets these expressions in place of the joints or constraints with these names."""
    if m.equivalent is None:
        m.equivalent = {"drop": [], "constraints": []}
    m.equivalent["drop"] += names
    m.equivalent["constraints"] += expressions


def turns(name):
    """The angles of an upright body, for a reference in which it does not turn."""
    return [f"sin({name}.{angle})" for angle in ("roll", "pitch", "yaw")]


def telescope(m, name, p, q):
    """Two bars from p to q that overlap, for a slide between them."""
    m.bar(f"low{name}", p, between(p, q, 0.6), 0.5)
    m.bar(f"high{name}", between(p, q, 0.4), q, 0.4)


def stroke(rng):
    """A motor that begins at rest."""
    return f"{rng.uniform(0.02, 0.1)!r}*(1 - cos({rng.uniform(2, 5)!r}*t/tau))"


def upu_leg(m, name, p, q, side, motor=None):
    """A leg from p on the ground to q on the platform, universal joints along `side` at both ends, a slide between. Returns that."""
    u = unit(sub(q, p))
    n = unit(cross(side, u))  # the axis beside the leg, perpendicular to both
    telescope(m, name, p, q)
    m.cardan("ground", f"low{name}", p, side, n)
    joint = m.slide(f"low{name}", f"high{name}", middle(p, q), u, motor=motor)
    m.cardan("platform", f"high{name}", q, side, n)
    return joint


# Linkages that move in a plane

def chebyshev(rng):
    """Chebyshev's straight line: crossed four-bar linkage of bars 5, 2, 5 on a ground of 4, swinging about its middle"""
    m = flat(rng)
    o, c = (0, 0, 0), (4, 0, 0)
    a = polar(5, rng.uniform(0.85, 1.05))
    b = min((meet(a, 2, c, 5, side) for side in (1, -1)), key=lambda p: norm(sub(p, (1, 4, 0))))
    for name, p, q in (("left", o, a), ("coupler", a, b), ("right", c, b)):
        m.bar(name, p, q, rng.uniform(0.5, 2))
    hinges(m, ("ground", "left", o), ("left", "coupler", a), ("coupler", "right", b), ("ground", "right", c))
    m.spring("ground", "coupler", (2, 7, 0), middle(a, b), 20, 0.3, 2.5)
    m.spin("left", rng.uniform(0.1, 0.3))
    m.end = 2
    return m


def hoecken(rng):
    """Hoecken's straight line: a turning crank, its coupler drawn out to a point that carries a mass on a rod"""
    m = flat(rng)
    o, c, a = (0, 0, 0), (2, 0, 0), polar(1, rng.uniform(0, TURN))
    b = meet(a, 2.5, c, 2.5, 1)
    tip = between(a, b, 2)
    plane.crank(m, rng, o, a, rng.uniform(2, 4))
    m.plate("coupler", a, b, tip, mass=1)
    m.bar("rocker", c, b)
    hinges(m, ("crank", "coupler", a), ("coupler", "rocker", b), ("ground", "rocker", c))
    end = add(tip, polar(0.8, rng.uniform(-2, -1)))
    m.bar("load", tip, end, 0.5)
    m.hinge("coupler", "load", tip)
    m.end = 2
    return m


def klann(rng):
    """A leg after Klann: crank, coupler on a rocker, shank on a second rocker"""
    m = flat(rng)
    o, a, b, c = plane.crank_rocker_points(rng)
    knee = add(middle(a, b), (-0.6, 1.0, 0))
    track = plane.one_turn(o, a, b, c, lambda p, q: plane.carried(p, q, a, b, knee))
    while True:
        ground, r, s = add(middle(*track), (rng.uniform(-3, 3), rng.uniform(-4, 4), 0)), rng.uniform(1.5, 4), rng.uniform(1.0, 3)
        if plane.reachable(track, ground, s, r):
            break
    hip = meet(knee, r, ground, s, -1)
    foot = add(between(knee, hip, -0.3), mul(unit((hip[1] - knee[1], knee[0] - hip[0], 0)), 1.5))
    plane.crank(m, rng, o, a, rng.uniform(2, 4))
    m.plate("coupler", a, b, knee)
    m.bar("rocker", c, b)
    m.plate("shank", knee, hip, foot, mass=1.5)
    m.bar("swing", ground, hip)
    hinges(m, ("crank", "coupler", a), ("coupler", "rocker", b), ("ground", "rocker", c), ("coupler", "shank", knee),
           ("shank", "swing", hip), ("ground", "swing", ground))
    m.end = 2
    return m


def roberts(rng):
    """Roberts' straight line: a triangle between two equal rockers, released beside its middle"""
    m = flat(rng)
    o, c = (0, 0, 0), (2, 0, 0)
    a = polar(1.2, rng.uniform(0.9, 1.3))
    b = meet(a, 1.0, c, 1.2, 1)
    down = mul(unit((b[1] - a[1], a[0] - b[0], 0)), math.sqrt(1.2 ** 2 - 0.25))
    tip = add(middle(a, b), down)
    m.bar("left", o, a, rng.uniform(0.5, 1.5))
    m.bar("right", c, b, rng.uniform(0.5, 1.5))
    m.plate("triangle", a, b, tip, mass=2)
    hinges(m, ("ground", "left", o), ("left", "triangle", a), ("triangle", "right", b), ("ground", "right", c))
    m.spring("ground", "triangle", add(tip, (-1.5, 0, 0)), tip, 40, 0.2, 1.5)
    m.spring("ground", "triangle", add(tip, (1.5, 0, 0)), tip, 40, 0.2, 1.4)
    m.end = 2
    return m


def strandbeest(rng):
    """Two of Jansen's legs on one crank pin, one a mirror image of the other, on a turning crank"""
    m = flat(rng)
    s, o = 1 / 30, (0, 0, 0)
    z = polar(15 * s, rng.uniform(0, TURN))
    plane.crank(m, rng, o, z, rng.uniform(2, 4))
    for k, side in (("l", 1), ("r", -1)):
        b = (-38 * s * side, -7.8 * s, 0)
        c, d = meet(z, 50 * s, b, 41.5 * s, -side), meet(z, 61.9 * s, b, 39.3 * s, side)
        e = meet(b, 40.1 * s, c, 55.8 * s, side)
        f = meet(e, 39.4 * s, d, 36.7 * s, -side)
        g = meet(f, 65.7 * s, d, 49 * s, -side)
        for name, p, q in (("upper", z, c), ("lower", z, d), ("hip", b, d), ("shin", e, f)):
            m.bar(name + k, p, q)
        m.plate("thigh" + k, b, c, e)
        m.plate("foot" + k, d, f, g)
        hinges(m, ("crank", "upper" + k, z), ("crank", "lower" + k, z), ("upper" + k, "thigh" + k, c), ("ground", "thigh" + k, b),
               ("ground", "hip" + k, b), ("lower" + k, "hip" + k, d), ("lower" + k, "foot" + k, d), ("thigh" + k, "shin" + k, e),
               ("shin" + k, "foot" + k, f))
    m.end = 2
    return m


def whitworth_block(rng):
    """Whitworth's quick return with a sliding block on the rocker, the crank pin hinged to it"""
    m = flat(rng)
    o, foot = (0, 0, 0), (0, rng.choice((-1.2, -0.3)), 0)
    a = polar(0.6, rng.uniform(0, TURN))
    tip = add(foot, mul(unit(sub(a, foot)), 2.4))
    plane.crank(m, rng, o, a, rng.uniform(2, 4))
    m.bar("rocker", foot, tip, 2)
    m.box("block", a, (0.2, 0.1, 0.1), 0.3)
    m.hinge("ground", "rocker", foot)
    m.hinge("crank", "block", a)
    m.slide("rocker", "block", a, unit(sub(tip, foot)))
    m.end = 3
    return m


def ackermann(rng):
    """Ackermann's steering: two knuckles and a tie rod on a cart that is pushed about, steered by a servo, at rest and symmetric"""
    m = flat(rng)
    w = 0.7
    m.box("cart", (0, -1, 0), (1.0, 2.2, 0.2), 20)
    m.slide("ground", "cart", (0, -1, 0), (0, 1, 0))
    arms = []
    for side, name in ((-1, "left"), (1, "right")):
        pin, arm = (side * w, 0, 0), (side * (w - 0.12), -0.3, 0)
        m.plate(name, pin, add(pin, (side * 0.15, 0, 0)), arm, mass=2)
        joint = m.hinge("cart", name, pin)
        arms.append(arm)
    m.bar("tie", *arms, 0.5)
    m.hinge("left", "tie", arms[0])
    m.hinge("tie", "right", arms[1])
    m.servo(joint, f"{rng.uniform(0.2, 0.5)!r}*sin({rng.uniform(2, 5)!r}*t/tau)", 60, 4)
    m.force("cart", (0, -2, 0), ["0", f"{rng.uniform(20, 60)!r}*sin(2*t/tau)", "0"])
    m.end = 2
    return m


def dwell_press(rng):
    """A press after Stephenson: a point of the coupler works a rod and a ram, against a spring, moved by a motor that starts smoothly"""
    m = flat(rng)
    o, a, b, c = plane.crank_rocker_points(rng)
    tip = add(middle(a, b), (0.3, 1.2, 0))
    track = plane.one_turn(o, a, b, c, lambda p, q: plane.carried(p, q, a, b, tip))
    high = max(p[1] for p in track)
    foot = (middle(*track)[0], 0, 0)
    length = max(abs(p[0] - foot[0]) for p in track) * 1.5 + 0.5
    ram = plane.on_line(tip, length, (foot[0], high, 0), (0, 1, 0))
    m.bar("crank", o, a, 1)
    m.hinge("ground", "crank", o, motor=f"{rng.uniform(1, 3)!r}*(t/tau - sin(t/tau))")
    m.plate("coupler", a, b, tip)
    m.bar("rocker", c, b)
    m.bar("rod", tip, ram, 0.7)
    m.box("ram", ram, (0.3, 0.5, 0.3), 3)
    hinges(m, ("crank", "coupler", a), ("coupler", "rocker", b), ("ground", "rocker", c), ("coupler", "rod", tip), ("rod", "ram", ram))
    m.slide("ground", "ram", ram, (0, 1, 0))
    m.spring("ground", "ram", add(ram, (0, 3, 0)), ram, 100, 2, 2.5)
    m.end = 3
    return m


def hoberman(rng):
    """Hoberman's ring: six to eight pairs of angulated scissors, closed; pulses and turns, free of the ground"""
    m = flat(rng)
    n = rng.randint(6, 8)
    half = math.pi / n
    centre, arm = 1.0, rng.uniform(0.5, 0.8)
    foot = centre * math.cos(half)
    along = math.sqrt(arm ** 2 - (centre * math.sin(half)) ** 2)
    inner, outer = [polar(foot - along, 2 * half * k) for k in range(n)], [polar(foot + along, 2 * half * k) for k in range(n)]
    for k in range(n):
        c, after = polar(centre, 2 * half * (k + 0.5)), (k + 1) % n
        m.plate(f"up{k}", inner[k], c, outer[after])
        m.plate(f"down{k}", outer[k], c, inner[after])
        m.hinge(f"up{k}", f"down{k}", c)
    for k in range(n):
        before = (k - 1) % n
        m.hinge(f"down{before}", f"up{k}", inner[k])
        m.hinge(f"up{before}", f"down{k}", outer[k])
    m.spring("up0", f"up{n // 2}", inner[0], inner[n // 2], 50, 0, 2 * (foot - along))
    m.spin("up0", rng.uniform(0.2, 0.5))
    m.end = 1
    return m


def folding_chair(rng):
    """A folding chair: legs crossed at a hinge, the seat hinged to one and in a slot of the other, feet on the floor"""
    m = flat(rng)
    a, b, h = (0, 0, 0), (1, 0, 0), 1.0
    top_a, top_b = (0.9, h, 0), (0.1, h, 0)
    part = 0.5 / 0.9  # both legs are at x = 0.5 there
    m.plate("back", a, add(a, mul(sub(top_a, a), 1.6)), top_a, mass=2)
    m.bar("front", b, top_b, 1.5)
    m.hinge("back", "front", between(a, top_a, part))
    m.plate("seat", top_b, top_a, add(top_b, (-0.2, 0.05, 0)), mass=rng.uniform(1, 3))
    m.hinge("front", "seat", top_b)
    m.slot("seat", "back", top_a, (1, 0, 0))
    m.hinge("ground", "back", a)
    m.slot("ground", "front", b, (1, 0, 0))
    m.spring("back", "front", between(a, top_a, 0.2), between(b, top_b, 0.2), rng.uniform(300, 500), 4, 0.35)
    m.end = 1.5
    return m


def bascule_bridge(rng):
    """Strauss' bascule bridge: the counterweight hangs in a parallelogram behind the leaf, raised by a motor or a spring"""
    m = flat(rng)
    trunnion, tail = (0, 0, 0), (-1.0, 0.2, 0)
    up = (-0.1, 1.2, 0)
    m.plate("leaf", tail, trunnion, (4, 0.1, 0), mass=8)
    m.plate("weight", add(tail, up), up, add(add(tail, up), (-0.3, -0.5, 0)), mass=15)
    m.bar("link", tail, add(tail, up), 1)
    raised = f"{rng.uniform(0.3, 0.6)!r}*(1 - cos({rng.uniform(0.8, 1.5)!r}*t/tau))" if rng.random() < 0.5 else None
    joint = m.hinge("ground", "leaf", trunnion, motor=raised)
    hinges(m, ("ground", "weight", up), ("leaf", "link", tail), ("link", "weight", add(tail, up)))
    if not raised:
        m.torsion(joint, 300, 10, rest=0.5)
    m.end = 2
    return m


def clutch(rng):
    """A centrifugal clutch: two to four shoes hinged to a hub, springs between neighbours, run up by a torque"""
    m = flat(rng)
    n = rng.randint(2, 4)
    m.moments("hub", (0, 0, 0), 3, (0.3, 0.3, 0.5))
    hub = m.hinge("ground", "hub", (0, 0, 0))
    ends = []
    for k in range(n):
        pin, end = polar(0.6, k * TURN / n), polar(0.75, (k + 0.6) * TURN / n)
        m.bar(f"shoe{k}", pin, end, 0.4)
        m.hinge("hub", f"shoe{k}", pin)
        ends.append((pin, end))
    for k in range(n):
        p, q = ends[k][1], ends[(k + 1) % n][0]
        m.spring(f"shoe{k}", "hub", p, q, 150, 1, norm(sub(p, q)) * 0.8)
    m.effort(hub, f"{rng.uniform(2, 6)!r}*sin(t/tau)")
    m.spin("hub", rng.uniform(3, 8))
    m.end = 2
    return m


def five_bar(rng):
    """A parallel SCARA: five-bar linkage under two servos, or two motors that follow polynomials of time"""
    m = flat(rng)
    o, c = (0, 0, 0), (0.6, 0, 0)
    tip = (rng.uniform(0.1, 0.5), rng.uniform(1.0, 1.3), 0)
    a, b = meet(o, 0.8, tip, 0.9, 1), meet(c, 0.8, tip, 0.9, -1)
    for name, p, q in (("left", o, a), ("right", c, b), ("upper", a, tip), ("fore", b, tip)):
        m.bar(name, p, q, rng.uniform(0.5, 1.5))
    driven = rng.random() < 0.5
    for k, (name, foot) in enumerate((("left", o), ("right", c))):
        u, v = rng.uniform(-0.1, 0.1), rng.uniform(-0.05, 0.05)
        motor = f"{u!r}*(t/tau)^2 + {v!r}*(t/tau)^3 - {u / 3!r}*(t/tau)^4"
        joint = m.hinge("ground", name, foot, motor=motor if driven else None, name=f"M{k}")
        if not driven:
            m.servo(joint, f"{rng.uniform(-0.4, 0.4)!r}*sin({rng.uniform(2, 5)!r}*t/tau)", 120, 8)
    hinges(m, ("left", "upper", a), ("right", "fore", b), ("upper", "fore", tip))
    m.end = 1.5
    return m


def hart(rng):
    """Hart's inversor: a contra-parallelogram whose points on a line invert; half of the seeds guide the tracer on its line as well"""
    m = flat(rng)
    part = rng.uniform(0.35, 0.45)
    wide, narrow, high = 1.0, rng.uniform(0.3, 0.5), rng.uniform(0.6, 0.9)
    a, b, c, d = (-wide, 0, 0), (wide, 0, 0), (narrow, high, 0), (-narrow, high, 0)
    o, p, q = between(a, d, part), between(a, c, part), between(b, d, part)
    pivot = add(middle(o, p), (0, rng.uniform(-0.2, 0.2), 0))  # equally far from o and p: the circle of p goes through o
    for name, u, v, x in (("short", a, d, o), ("long", a, c, p), ("other", b, d, q)):
        m.plate(name, u, v, x, mass=rng.uniform(0.5, 1.5))
    m.bar("last", b, c, rng.uniform(0.5, 1.5))
    m.bar("arm", pivot, p, 0.5)
    hinges(m, ("ground", "short", o), ("short", "long", a), ("long", "last", c), ("last", "other", b), ("other", "short", d),
           ("ground", "arm", pivot), ("arm", "long", p))
    if rng.random() < 0.5:  # the line is perpendicular to the way from o to the pivot
        m.slot("ground", "other", q, unit((-(pivot[1] - o[1]), pivot[0] - o[0], 0)))
    m.spin("arm", rng.uniform(0.2, 0.5))
    m.end = 0.7
    return m


def peaucellier_guided(rng):
    """Peaucellier's linkage whose straight-line point runs in a straight slot besides, in a plane: one row redundant by a theorem"""
    m = Mechanism(rng, PLANE)
    o, pivot = (0, 0, 0), (0.6, 0, 0)
    a = polar(0.6, rng.uniform(-0.3, 0.3), pivot)
    b, c = meet(o, 1.6, a, 0.9, 1), meet(o, 1.6, a, 0.9, -1)
    p = add(add(b, c), mul(a, -1))
    for name, u, v in (("arm", pivot, a), ("long1", o, b), ("long2", o, c), ("ab", a, b), ("ac", a, c), ("bp", b, p), ("cp", c, p)):
        m.bar(name, u, v, rng.uniform(0.5, 1.5))
    hinges(m, ("ground", "arm", pivot), ("ground", "long1", o), ("ground", "long2", o), ("arm", "ab", a), ("ab", "ac", a),
           ("long1", "ab", b), ("long1", "bp", b), ("long2", "ac", c), ("long2", "cp", c), ("bp", "cp", p))
    m.slot("ground", "cp", p, (0, 1, 0))
    m.spring("ground", "cp", add(p, (0, 1.5, 0)), p, 100, 1, 1.3)
    m.spring("ground", "cp", add(p, (0, -1.5, 0)), p, 100, 1, 1.6)
    m.spin("arm", rng.uniform(0.3, 0.8))
    m.end = 1.5
    return m


def dixon(rng):
    """Dixon's frame: masses on two lines at right angles, each of the one on a rod to each of the other; it moves against all counting"""
    m = Mechanism(rng, PLANE)
    n, k = rng.randint(3, 4), rng.randint(3, 4)
    along = [(s * rng.uniform(0.6, 1.6), 0, 0) for s in (1, -1, 1, -1)[:n]]
    across = [(0, s * rng.uniform(0.6, 1.6), 0) for s in (1, -1, -1, 1)[:k]]
    for i, p in enumerate(along):
        m.ball(f"a{i}", p, rng.uniform(0.5, 2))
    for i, p in enumerate(across):
        m.ball(f"b{i}", p, rng.uniform(0.5, 2))
    for i, p in enumerate(along):
        for j, q in enumerate(across):
            m.rod(f"a{i}", f"b{j}", p, q)
    turn, flex = rng.uniform(0.5, 1.5), rng.uniform(0.05, 0.15)
    for i, p in enumerate(along):
        m.guesses[f"a{i}"] = ((flex / p[0], turn * p[0], 0), (0, 0, 0))
    for i, p in enumerate(across):
        m.guesses[f"b{i}"] = ((-turn * p[1], -flex / p[1], 0), (0, 0, 0))
    m.end = 1
    return m


def equilibrium_pushed(rng):
    """INPUT: a symmetric four-bar linkage hangs in equilibrium, exactly at rest; a force grows from nothing"""
    m = flat(rng)
    w = rng.uniform(0.3, 0.6)
    o, c, a, b = (-1, 0, 0), (1, 0, 0), (-w, -1.2, 0), (w, -1.2, 0)
    for name, p, q in (("left", o, a), ("coupler", a, b), ("right", c, b)):
        m.bar(name, p, q, 1)
    hinges(m, ("ground", "left", o), ("left", "coupler", a), ("coupler", "right", b), ("ground", "right", c))
    begin, width = rng.uniform(0.3, 0.8), rng.uniform(0.2, 0.6)
    s = f"max(0, min(1, (t/tau - ({begin!r}))/{width!r}))"
    m.force("coupler", middle(a, b), [f"{rng.uniform(0.5, 20)!r}*({s})^3*(10 - 15*({s}) + 6*({s})^2)", "0", "0"])
    m.breaks, m.end = [begin, begin + width], 3
    return m


def eccentric(rng):
    """An eccentric of a thousandth to a ten-thousandth of the other lengths works a long rod and a rocker"""
    m = flat(rng)
    r = 10 ** rng.uniform(-4, -3)
    o, a, c = (0, 0, 0), polar(r, rng.uniform(0, TURN)), (1.1, 0.1, 0)
    b = meet(a, 1.0, c, 0.8, 1)
    m.moments("crank", mul(a, 0.5), 0.5, (0.02, 0.02, 0.04))
    m.hinge("ground", "crank", o, motor=f"{rng.uniform(5, 15)!r}*t/tau" if rng.random() < 0.5 else None)
    if not m.driven:
        m.spin("crank", rng.uniform(5, 15))
    m.bar("rod", a, b, 0.6)
    m.bar("rocker", c, b, 1)
    hinges(m, ("crank", "rod", a), ("rod", "rocker", b), ("ground", "rocker", c))
    m.end = 2
    return m


def short_coupler(rng):
    """Two long bars joined by a coupler of a thousandth of their length, on pivots as close together, swinging"""
    m = flat(rng)
    d = 10 ** rng.uniform(-4, -2)
    o, c = (0, 0, 0), (d * rng.uniform(1.5, 2), 0, 0)
    a = polar(1, rng.uniform(-1.9, -1.3))
    b = add(a, (d, 0, 0))
    m.bar("left", o, a, 1)
    m.bar("right", c, b, 1.3)
    m.bar("coupler", a, b, 0.1)
    hinges(m, ("ground", "left", o), ("ground", "right", c), ("left", "coupler", a), ("right", "coupler", b))
    m.end = 1.5
    return m


def dyad(rng, o, a, b, c, far):
    """Two bars from a point of the rocker to the ground that let the crank turn: their knee, and the ground pin"""
    track = plane.one_turn(o, a, b, c, lambda _, q: plane.carried(c, q, c, b, far))
    while True:
        ground, r, s = add(middle(*track), (rng.uniform(1, 3), rng.uniform(-2, 1), 0)), rng.uniform(1.5, 3), rng.uniform(1.5, 3)
        if plane.reachable(track, ground, r, s):
            break
    d = meet(far, r, ground, s, -1)
    return d, ground


def hinge_dyad(m, a, b, c, far, d, ground):
    hinges(m, ("crank", "coupler", a), ("coupler", "rocker", b), ("ground", "rocker", c), ("rocker", "link", far), ("link", "output", d),
           ("ground", "output", ground))


def light_links(rng):
    """A four-bar linkage and a dyad whose couplers weigh 1e-8 of the other links"""
    m = flat(rng)
    o, a, b, c = plane.crank_rocker_points(rng)
    light = 10 ** rng.uniform(-8, -6)
    far = add(add(c, mul(sub(b, c), 0.6)), (0.9, 0.4, 0))
    d, ground = dyad(rng, o, a, b, c, far)
    plane.crank(m, rng, o, a, rng.uniform(2, 4))
    m.bar("coupler", a, b, light)
    m.plate("rocker", c, b, far, mass=1)
    m.bar("link", far, d, light)
    m.bar("output", ground, d)
    hinge_dyad(m, a, b, c, far, d, ground)
    m.end = 2
    return m


def long_swing(rng):
    """A hundred swings: two bars on a doubled hinge, or a linkage without damping, from rest"""
    m = flat(rng)
    o, c = (0, 0, 0), (1.5, 0, 0)
    a = polar(1, -rng.uniform(1.2, 1.9))
    b = meet(a, 1.6, c, 1.1, 1 if rng.random() < 0.5 else -1)
    if b[1] > -0.3:
        b = meet(a, 1.6, c, 1.1, 1)
        b = b if b[1] < 0 else meet(a, 1.6, c, 1.1, -1)
    for name, p, q in (("left", o, a), ("coupler", a, b), ("right", c, b)):
        m.bar(name, p, q, rng.uniform(0.5, 2))
    hinges(m, ("ground", "left", o), ("left", "coupler", a), ("coupler", "right", b), ("ground", "right", c))
    m.end = 60  # of about 0.6 each
    return m


def long_turning(rng):
    """Ten turns of a driven slider-crank in a plane or in space"""
    m = flat(rng)
    o, a = (0, 0, 0), polar(0.5, rng.uniform(0, TURN))
    m.bar("crank", o, a, 1)
    m.hinge("ground", "crank", o, motor=f"{rng.uniform(5, 7)!r}*t/tau")
    plane.piston(m, a, plane.on_line(a, rng.uniform(1.2, 2), (0, rng.uniform(-0.4, 0.4), 0), (1, 0, 0)), "slider", "rod", (1, 0, 0))
    bob = add(a, polar(0.3, 1.0))
    m.end = 10
    m.bar("bob", o, bob, 0.2)
    m.torsion(m.hinge("ground", "bob", o), 5, 0.05)
    return m


def stiff_springs(rng):
    """A train of carts on springs of a stiffness that swings up to a hundred times as fast as their pendulums, damped"""
    m = flat(rng)
    last, at = "ground", (0, 0, 0)
    for k in range(rng.randint(2, 3)):
        at = (1.0 * k, 0, 0)
        m.box(f"cart{k}", at, (0.5, 0.3, 0.3), rng.uniform(0.5, 2))
        m.slide("ground", f"cart{k}", at, (1, 0, 0))
        p = (at[0] - 1.0 if k else -1.0, 0, 0)
        stiff = 10 ** rng.uniform(3, 5)
        m.spring(last, f"cart{k}", p, at, stiff, math.sqrt(stiff) * rng.uniform(0.05, 2))
        m.bar(f"swing{k}", at, add(at, polar(0.7, rng.uniform(-2.2, -0.9))), 0.7)
        m.hinge(f"cart{k}", f"swing{k}", at)
        last = f"cart{k}"
    m.end = 1
    return m


# Elements: the reference has them as expressions

def planetary(rng):
    """A planetary gear: sun, one to three planets on a carrier, ring; gears by radii, a torque on the sun, a pendulum on the carrier"""
    m = Mechanism(rng, PLANE)
    sun, planet = rng.uniform(0.2, 0.5), rng.uniform(0.1, 0.3)
    m.moments("carrier", (0, 0, 0), 1, (0.2, 0.2, 0.3))
    m.moments("sun", (0, 0, 0), 0.5, (0.02, 0.02, 0.03))
    m.hinge("ground", "carrier", (0, 0, 0), name="frame")
    m.hinge("carrier", "sun", (0, 0, 0), name="hub")
    radii = [digits(r * m.lam) for r in (sun, planet, sun + 2 * planet)]
    for k in range(rng.randint(1, 3)):
        at = polar(sun + planet, k * 2.1 + rng.uniform(0, 0.3))
        m.moments(f"planet{k}", at, 0.2, (0.002, 0.002, 0.003))
        m.hinge("carrier", f"planet{k}", at, name=f"pin{k}")
        relation(m, "gear", f"inside{k}", joints=["hub", f"pin{k}"], radii=radii[:2])
        turned = [angle(m, b) for b in ("sun", "carrier", f"planet{k}")]
        replaced(m, [f"inside{k}"], [f"{radii[0] / radii[1]!r}*({turned[0]} - {turned[1]}) + {turned[2]} - {turned[1]}"])
        if k == 0 or rng.random() < 0.5:
            relation(m, "gear", f"ring{k}", joints=["frame", f"pin{k}"], radii=[radii[2], radii[1]], mesh="internal")
            # ring at rest: seen from the carrier it turns by -carrier; internal: both turn the same way
            replaced(m, [f"ring{k}"], [f"{radii[2] / radii[1]!r}*(0 - {turned[1]}) - ({turned[2]} - {turned[1]})"])
    m.effort("hub", f"{rng.uniform(0.2, 1)!r}*cos(3*t/tau)")
    tip = polar(0.6, rng.uniform(0, TURN))
    m.bar("swing", tip, add(tip, polar(0.5, rng.uniform(-2, -1))), 0.5)
    m.hinge("carrier", "swing", tip)
    m.spin("carrier", rng.uniform(1, 3))
    m.end = 2
    return m


def geared_five_bar(rng):
    """A geared five-bar linkage: two cranks tied by gears of ratio 1 or 2 (by ratio), a dyad between them"""
    m = Mechanism(rng, PLANE)
    o, c = (0, 0, 0), (2.0, 0, 0)
    a, b = polar(0.5, rng.uniform(0, TURN), o), polar(0.4, rng.uniform(0, TURN), c)
    tip = meet(a, 1.9, b, 1.8, 1)
    for name, p, q in (("left", o, a), ("right", c, b), ("upper", a, tip), ("fore", b, tip)):
        m.bar(name, p, q, rng.uniform(0.5, 1.5))
    hinges(m, ("left", "upper", a), ("right", "fore", b), ("upper", "fore", tip))
    m.hinge("ground", "left", o, name="L")
    m.hinge("ground", "right", c, name="R")
    ratio = rng.choice((-1, -2, 1, 2, -0.5))
    relation(m, "gear", "mesh", joints=["L", "R"], ratio=ratio)
    replaced(m, ["mesh"], [f"{angle(m, 'right')} - ({ratio!r})*{angle(m, 'left')}"])
    m.spin("left", rng.uniform(2, 4))
    m.end = 2
    return m


def rack(rng):
    """A rack on a slide turns a pinion that carries a pendulum, on a spring"""
    m = Mechanism(rng, PLANE)
    r = rng.uniform(0.2, 0.5)
    m.box("rack", (0, 0, 0), (2, 0.1, 0.1), 2)
    m.slide("ground", "rack", (0, 0, 0), (1, 0, 0), name="S")
    centre = (0, r, 0)
    m.moments("pinion", add(centre, polar(rng.uniform(0, 0.1), 1)), 1, (0.05, 0.05, 0.1))
    m.hinge("ground", "pinion", centre, name="P")
    radius = digits(rng.choice((-1, 1)) * r * m.lam)
    relation(m, "rack_and_pinion", "teeth", joints=["P", "S"], radius=radius)
    mark, start, d = m.marker("rack", (0, 0, 0)), m.point((0, 0, 0)), m.direction((1, 0, 0))
    moved = " + ".join(f"({digits(e)!r})*({mark}.{x} - ({digits(s)!r}))" for e, x, s in zip(d, "xy", start))
    replaced(m, ["teeth"], [f"({moved})/({radius!r}) - {angle(m, 'pinion')}"])
    m.bar("swing", add(centre, (r, 0, 0)), add(centre, (r, -0.6, 0)), 0.5)
    m.hinge("pinion", "swing", add(centre, (r, 0, 0)))
    m.spring("ground", "rack", (-2, 0, 0), (-1, 0, 0), 60, 0.5, rng.uniform(0.6, 1.3))
    m.end = 2
    return m


def cam(rng):
    """A cam of a smooth formula lifts a follower, whose rod works a rocker, against a spring; the cam is driven or flies"""
    m = Mechanism(rng, PLANE)
    m.moments("cam", (0, 0, 0), 2, (0.1, 0.1, 0.2))
    m.hinge("ground", "cam", (0, 0, 0), name="C", motor=f"{rng.uniform(2, 6)!r}*t/tau" if rng.random() < 0.5 else None)
    if not m.driven:
        m.spin("cam", rng.uniform(3, 6))
    at = (0, 1, 0)
    m.box("follower", at, (0.1, 0.8, 0.1), 0.7)
    m.slide("ground", "follower", at, (0, 1, 0), name="F")
    h, n, q = rng.uniform(0.03, 0.1), rng.choice((1, 2, 3)), rng.uniform(-0.02, 0.02)
    profile = "lam*({0!r}*(1 - cos({1}*{2})) + {3!r}*sin({2})^3)"
    relation(m, "cam", "groove", follower="F", profile=profile.format(h, n, "C.angle", q))
    mark, start, d = m.marker("follower", at), m.point(at), m.direction((0, 1, 0))
    moved = " + ".join(f"({digits(e)!r})*({mark}.{x} - ({digits(s)!r}))" for e, x, s in zip(d, "xy", start))
    replaced(m, ["groove"], [f"({moved} - {profile.format(h, n, angle(m, 'cam'), q)})/lam"])
    tip, pivot = (0, 1.4, 0), (1.2, 1.6, 0)
    elbow = meet(tip, 0.7, pivot, 0.9, 1)
    m.bar("rod", tip, elbow, 0.3)
    m.bar("rocker", pivot, elbow, 0.8)
    hinges(m, ("follower", "rod", tip), ("rod", "rocker", elbow), ("ground", "rocker", pivot))
    m.spring("ground", "rocker", add(pivot, (0, 1, 0)), middle(pivot, elbow), 40, 0.5, 0.8)
    m.end = 2
    return m


def belt_drive(rng):
    """A belt, open or crossed, from a motor's pulley to the crank of a slider-crank"""
    m = Mechanism(rng, PLANE)
    o, centre = (0, 0, 0), (-2, 0.5, 0)
    a = polar(0.4, rng.uniform(0, TURN))
    m.plate("crank", o, a, mul(a, -1), mass=1)
    m.hinge("ground", "crank", o, name="C")
    m.moments("pulley", centre, 1, (0.05, 0.05, 0.1))
    m.hinge("ground", "pulley", centre, name="M")
    radii, crossed = [digits(rng.uniform(0.2, 0.5) * m.lam) for _ in range(2)], rng.random() < 0.5
    relation(m, "belt", "belt", joints=["M", "C"], radii=radii, crossed=crossed)
    replaced(m, ["belt"], [f"{radii[0] / radii[1]!r}*{angle(m, 'pulley')} {'+' if crossed else '-'} {angle(m, 'crank')}"])
    plane.piston(m, a, plane.on_line(a, 1.5, o, (1, 0, 0)), "slider", "rod", (1, 0, 0))
    m.effort("M", f"{rng.uniform(1, 4)!r}*sin(2*t/tau)")
    m.spin("pulley", rng.uniform(3, 8))
    m.end = 2
    return m


def rolling_discs(rng):
    """A disc rolls on a slope or in a trough, with a pendulum at its side (rolling, rolling_pair)"""
    m = Mechanism(rng, PLANE, upright=True)
    r, trough = rng.uniform(0.2, 0.4), rng.random() < 0.5
    wide = 1.5
    start = rng.uniform(-1, 1)
    at = ((wide - r) * math.sin(start), -(wide - r) * math.cos(start), 0) if trough else (0, r, 0)
    m.moments("disc", at, 2, (0.05, 0.05, 0.1))
    centre = m.marker("disc", at, "hub")
    m.marker("ground", (0, 0, 0), "base")
    radii = [digits(r * m.lam), digits(wide * m.lam)]
    if trough:
        relation(m, "rolling_pair", "roll", markers=[centre, "base"], radii=[radii[0], -radii[1]])
        gap = radii[1] - radii[0]
        replaced(m, ["roll"], [f"(hypot(hub.x, hub.y) - ({gap!r}))/lam",
                               f"({gap!r})*(atan2(hub.x, 0 - hub.y) - ({start!r}))/({radii[0]!r}) + {angle(m, 'disc')}"])
    else:
        relation(m, "rolling", "roll", markers=[centre, "base"], normal=[0, 1], radius=radii[0])
        replaced(m, ["roll"], [f"(hub.y - ({radii[0]!r}))/lam", f"hub.x/({radii[0]!r}) + {angle(m, 'disc')}"])
        m.force("disc", at, [f"{rng.uniform(-8, 8)!r}", "0", "0"])
    pin = add(at, polar(0.7 * r, rng.uniform(0, TURN)))
    m.bar("swing", pin, add(pin, polar(0.4, rng.uniform(-2, -1))), 0.7)
    m.hinge("disc", "swing", pin)
    m.end = 2
    return m


def ellipse_beads(rng):
    """Two beads on an ellipse (a curve by formulas), on a rod, and a pendulum from one of them"""
    m = Mechanism(rng, PLANE, upright=True)
    wide, high = 1.5, rng.uniform(0.8, 1.2)
    m.marker("ground", (0, 0, 0), "centre")
    starts = [rng.uniform(3.3, 4.2), rng.uniform(4.6, 6)]
    places = [(wide * math.cos(s), high * math.sin(s), 0) for s in starts]
    for k, p in enumerate(places):
        m.box(f"bead{k}", p, (0.2, 0.1, 0.1), rng.uniform(0.5, 2))
        mark = m.marker(f"bead{k}", p)
        relation(m, "curve", f"wire{k}", markers=[mark, "centre"], formulas=[f"{wide!r}*lam*cos(s)", f"{high!r}*lam*sin(s)"],
                 range=[0, 2 * math.pi], closed=True)
        replaced(m, [f"wire{k}"], [f"({mark}.x/(lam*{wide!r}))^2 + ({mark}.y/(lam*{high!r}))^2 - 1"])
    m.rod("bead0", "bead1", places[0], add(places[1], (0.05, 0, 0)))
    m.bar("swing", places[0], add(places[0], polar(0.5, rng.uniform(-2, -1))), 0.5)
    m.hinge("bead0", "swing", places[0])
    m.spin("bead1", rng.uniform(-2, 2), leads=False)
    m.end = 1.5
    return m


def helix(rng):
    """A bead on a helix (a curve in space), a mass on a rod below it"""
    m = spatial(rng, upright=True)
    pitch, s = rng.uniform(0.2, 0.5), rng.uniform(-1, 1)
    m.marker("ground", (0, 0, 0), "centre")
    at = (math.cos(s), math.sin(s), pitch * s)
    m.box("bead", at, (0.2, 0.1, 0.15), rng.uniform(0.5, 2))
    mark = m.marker("bead", at, "eye")
    relation(m, "curve", "wire", markers=[mark, "centre"], formulas=["lam*cos(s)", "lam*sin(s)", f"lam*{pitch!r}*s"], range=[-60, 60])
    replaced(m, ["wire"], ["(eye.x^2 + eye.y^2)/lam^2 - 1", f"(eye.x*sin(eye.z/(lam*{pitch!r})) - eye.y*cos(eye.z/(lam*{pitch!r})))/lam"])
    bob = add(at, (0.1, 0.2, -0.6))
    m.ball("bob", bob, 0.5)
    m.rod("bead", "bob", at, bob)
    m.push("bob", (rng.uniform(-1, 1), 1, 0), leads=False)
    m.end = 1.5
    return m


def screw_press(rng):
    """A screw turned by a torque moves a nut (lead), which carries a swinging load; two of them share a table in half of the seeds"""
    m = spatial(rng, upright=True)
    lead = rng.choice((-1, 1)) * rng.uniform(0.3, 1.5)
    upright_box(m, "screw", (0, 0, 0), (0.2, 0.2, 2), 2)
    upright_box(m, "nut", (0, 0, 0.2), (0.4, 0.4, 0.2), 3)
    m.hinge("ground", "screw", (0, 0, 0), Z, name="S")
    m.slide("ground", "nut", (0, 0, 0.2), Z, name="N")
    value = digits(lead * m.lam)
    relation(m, "screw", "thread", joints=["S", "N"], lead=value)
    mark, start = m.marker("nut", (0, 0, 0.2)), m.point((0, 0, 0.2))
    replaced(m, ["thread"], [f"sin(2*pi*({mark}.z - ({digits(start[2])!r}))/({value!r}) - screw.yaw)"])
    m.effort("S", f"{rng.uniform(-3, 3)!r}*cos(2*t/tau)")
    m.torsion("N", 40, 0.5, sliding=True)
    pin = (0.3, 0, 0.2)
    m.bar("load", pin, add(pin, (0.2, 0.3, -0.6)), 1)
    m.hinge("nut", "load", pin, unit((0.3, 1, 0.1)))
    m.end = 1.5
    return m


def differential(rng):
    """A differential as a coupling of three joints: two shafts and their cage, springs and torques"""
    m = Mechanism(rng, PLANE)
    for k, name in enumerate(("cage", "left", "right")):
        at = (1.5 * k, 0, 0)
        m.moments(name, add(at, polar(rng.uniform(0, 0.1), 1)), 1 + k, (0.1, 0.1, rng.uniform(0.1, 0.4)))
        m.hinge("ground", name, at, name=f"J{k}")
        m.effort(f"J{k}", f"{rng.uniform(-2, 2)!r}*cos({rng.uniform(1, 4)!r}*t/tau)")
    m.torsion("J1", 5, 0.1)
    relation(m, "coupling", "gears", joints=["J0", "J1", "J2"], coefficients=[2, -1, -1])
    replaced(m, ["gears"], [f"2*{angle(m, 'cage')} - {angle(m, 'left')} - {angle(m, 'right')}"])
    m.bar("swing", (3.3, 0, 0), (3.4, -0.7, 0), 0.5)
    m.hinge("right", "swing", (3.3, 0, 0))
    m.spin("cage", rng.uniform(2, 4))
    m.end = 2
    return m


# In space

def landing_gear(rng):
    """A landing gear: leg on a skew hinge, drag strut of two links, a retracting cylinder with motor or spring"""
    m = spatial(rng)
    axis = unit((rng.uniform(-0.2, 0.2), 1, rng.uniform(-0.1, 0.1)))
    foot, low = (0, 0, 0), (0.1, 0.05, -1.5)
    m.plate("leg", foot, low, add(low, (0, 0.2, 0)), mass=10)
    raised = f"{rng.uniform(0.2, 0.45)!r}*(1 - cos({rng.uniform(1, 2)!r}*t/tau))" if rng.random() < 0.5 else None
    joint = m.hinge("ground", "leg", foot, axis, motor=raised)
    if not raised:
        m.torsion(joint, 200, 15, rest=0.5)
    top, grip = (-1.1, 0.05, -0.1), between(foot, low, 0.6)
    way = sub(grip, top)
    knee = add(middle(top, grip), mul(unit(cross(way, Y)), 0.25 * rng.choice((-1, 1))))
    u, v = unit(sub(knee, top)), unit(cross(sub(knee, top), sub(grip, knee)))
    m.bar("upper", top, knee, 2)
    m.bar("lower", knee, grip, 2)
    m.cardan("ground", "upper", top, v, cross(v, u))
    m.hinge("upper", "lower", knee, v)
    m.socket("lower", "leg", grip)
    m.moments("wheel", add(low, (0, 0.2, 0)), 4, (0.2, 0.35, 0.2))
    m.hinge("leg", "wheel", add(low, (0, 0.2, 0)), Y)
    m.spin("wheel", rng.uniform(2, 20), Y, leads=not raised)
    m.end = 2
    return m


def flap(rng):
    """A flap on two equal four-bar linkages along the wing, hinges parallel: redundant; driven at one station"""
    m = spatial(rng)
    span = 2.0
    o, c = (0, 0, 0), (0.8, 0, 0.1)
    a, b = (0.2, 0, -0.6), (0.9, 0, -0.5)
    m.plate("flap", a, b, add(a, (0.8, span, 0.1)), add(b, (0.2, span, 0)), mass=6)
    motor = f"{rng.uniform(0.1, 0.25)!r}*(1 - cos({rng.uniform(1, 3)!r}*t/tau))" if rng.random() < 0.5 else None
    for k in range(rng.randint(2, 3)):
        off = (0, span * k / 2, 0)
        for name, p, q in (("front", o, a), ("rear", c, b)):
            p, q = add(p, off), add(q, off)
            m.bar(f"{name}{k}", p, q, 1)
            joint = m.hinge("ground", f"{name}{k}", p, Y, motor=motor if (k, name) == (0, "front") else None)
            m.hinge(f"{name}{k}", "flap", q, Y)
            if not motor:
                m.torsion(joint, 40, 1, rest=0.2)
    m.force("flap", add(b, (0, span / 2, 0)), ["5*sin(4*t/tau)", "2", "20*cos(3*t/tau)"])
    m.end = 2
    return m


def rack_steering(rng):
    """Steering by a driven rack: two tie rods, two knuckles on tilted kingpins with turning wheels"""
    m = spatial(rng)
    m.bar("rack", (-0.15, -0.3, 0), (-0.15, 0.3, 0), 1)
    m.slide("ground", "rack", (-0.15, 0, 0), Y, motor=f"{rng.uniform(0.02, 0.06)!r}*sin({rng.uniform(2, 6)!r}*t/tau)")
    for k, side in (("l", -1), ("r", 1)):
        pin = (0, 0.65 * side, 0)
        kingpin = unit((0.1, -0.15 * side, 1))
        hub, arm = add(pin, (0, 0.1 * side, 0)), add(pin, (-0.14, -0.03 * side, 0.02))
        m.plate("knuckle" + k, pin, hub, arm, mass=3)
        m.hinge("ground", "knuckle" + k, pin, kingpin)
        m.rod("rack", "knuckle" + k, (-0.15, 0.3 * side, 0), arm)
        m.moments("wheel" + k, hub, 5, (0.3, 0.5, 0.3))
        m.hinge("knuckle" + k, "wheel" + k, hub, Y)
        m.spin("wheel" + k, rng.uniform(10, 30), Y, leads=False)
    m.end = 2
    return m


def panhard(rng):
    """A live axle on two trailing rods, an upper rod and a Panhard rod, on springs, its wheels spinning, shaken"""
    m = spatial(rng)
    m.box("axle", (0, 0, 0.3), (0.1, 1.4, 0.1), 60)
    for p, q in (((0.9, 0.5, 0.3), (0, 0.55, 0.25)), ((0.9, -0.5, 0.3), (0, -0.55, 0.25)), ((0.8, 0.1, 0.6), (0, 0.05, 0.5)),
                 ((-0.1, 0.6, 0.35), (-0.1, -0.6, 0.35))):
        m.rod("ground", "axle", jitter(rng, p), jitter(rng, q))
    for k, y in enumerate((0.5, -0.5)):
        m.spring("ground", "axle", (0, y, 0.9), (0, y, 0.35), 15000, 800, 0.57)
        m.moments(f"wheel{k}", (0, 1.5 * y, 0.3), 15, (0.5, 0.9, 0.5))
        m.hinge("axle", f"wheel{k}", (0, 1.5 * y, 0.3), Y)
        m.spin(f"wheel{k}", rng.uniform(10, 40), Y, leads=False)
    m.force("axle", (0, 0.7, 0.3), ["0", "0", f"{rng.uniform(300, 900)!r}*sin({rng.uniform(3, 12)!r}*t/tau)"])
    m.end = 2
    return m


def loop_of(m, rng, shape, first, rate):
    offsets, lengths, twists = shape
    angles = geo.close_loop(rng, offsets, lengths, twists, first)
    points, axes = space.axes_of(geo.loop_frames(angles, *shape), offsets)
    space.hinge_loop(m, rng, points, axes, rate)
    return points, axes


def schatz(rng):
    """Schatz' linkage, as in the Turbula mixer: six hinges, drum on the middle link, turned by a motor or free"""
    m = spatial(rng)
    apart = rng.uniform(0.2, 0.8)
    shape = ([-apart, apart, 0, 0, 0, 0], [math.sqrt(3), 0, 1, 1, 1, 0], [0] + [math.pi / 2] * 5)
    loop_of(m, rng, shape, rng.uniform(0.5, 2.5), rng.uniform(1.5, 3))
    if rng.random() < 0.5:
        m.guesses = {}
        m.joints[1]["motor"], m.driven = f"{rng.uniform(1.5, 3)!r}*t/tau", True
    m.end = 2
    return m


def altmann(rng):
    """Altmann's linkage: a line-symmetric loop of six hinges with two links of length zero"""
    m = spatial(rng)
    while True:
        lengths = [rng.uniform(0.6, 1.4), 0, rng.uniform(0.6, 1.4)] * 2
        twists = [math.pi / 2, math.pi / 2, 1.5 * math.pi] * 2
        try:
            angles = space.close_symmetric(rng, [0] * 6, lengths, twists)
            break
        except ValueError:
            continue
    points, axes = space.axes_of(geo.loop_frames(angles, [0] * 6, lengths, twists), [0] * 6)
    space.hinge_loop(m, rng, points, axes, rng.uniform(1, 2))
    m.end, m.regular = 1, False
    return m


def trihedral(rng):
    """Bricard's trihedral loop: square twists, lengths with equal sums of squares"""
    m = spatial(rng)
    while True:
        a = [rng.uniform(0.6, 1.4) for _ in range(5)]
        rest = a[0] ** 2 + a[2] ** 2 + a[4] ** 2 - a[1] ** 2 - a[3] ** 2
        if rest > 0.2:
            try:
                loop_of(m, rng, ([0] * 6, [*a, math.sqrt(rest)], [math.pi / 2, 1.5 * math.pi] * 3), rng.uniform(0.7, 2.3), rng.uniform(1, 2))
                break
            except ValueError:
                continue
    m.end, m.regular = 1, False
    return m


def octahedron(rng):
    """Bricard's flexible octahedron: six masses, twelve rods, symmetric about a line; it moves against all counting"""
    m = spatial(rng)
    half = [(rng.uniform(0.4, 1.2), rng.uniform(-1, 1), z + rng.uniform(-0.3, 0.3)) for z in (-0.7, 0, 0.7)]
    points = [p for x, y, z in half for p in ((x, y, z), (-x, -y, z))]
    for k, p in enumerate(points):
        m.ball(f"node{k}", p, rng.uniform(0.5, 2))
    for i in range(6):
        for k in range(i):
            if i // 2 != k // 2:
                m.rod(f"node{k}", f"node{i}", points[k], points[i])
    more.moving(rng, m, [f"node{k}" for k in range(6)])
    m.end, m.regular = 0.6, False
    return m


def miura(rng):
    """Miura's fold: two by two to three by three stiff plates on hinges, its first plate held; moving or under gravity"""
    m = spatial(rng)
    nx, ny = rng.randint(2, 3), rng.randint(2, 3)
    g, fold = rng.uniform(0.9, 1.3), rng.uniform(0.5, 1.1)
    root = math.sqrt(1 + (math.cos(fold) * math.tan(g)) ** 2)
    high = math.sin(fold) * math.sin(g)
    s, long, v = math.cos(fold) * math.tan(g) / root, math.sqrt(1 - high ** 2), 1 / root

    def corner(i, j):
        return (i * s, j * long + (i % 2) * v, (j % 2) * high)

    names = {}
    for i in range(nx):
        for j in range(ny):
            if i or j:
                names[i, j] = m.plate(f"plate{i}{j}", corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1))
            else:
                names[i, j] = "ground"
    for i in range(nx):
        for j in range(ny):
            if i + 1 < nx:
                p, q = corner(i + 1, j), corner(i + 1, j + 1)
                m.hinge(names[i, j], names[i + 1, j], middle(p, q), unit(sub(q, p)))
            if j + 1 < ny:
                p, q = corner(i, j + 1), corner(i + 1, j + 1)
                m.hinge(names[i, j], names[i, j + 1], middle(p, q), unit(sub(q, p)))
    m.spin("plate10", rng.uniform(0.2, 0.6), unit(sub(corner(1, 1), corner(1, 0))))
    m.end = 0.7
    return m


def fold_vertex(rng):
    """Four plates about a point, angles that sum to a full turn: a fold, its start little bent (0.01 to 0.3 rad), without gravity"""
    m = Mechanism(rng, SPACE, down=(0, 0, 0))
    while True:
        sectors = [rng.uniform(1.0, 2.1) for _ in range(3)]
        sectors.append(TURN - sum(sectors))
        bend = 10 ** rng.uniform(-2, -0.5)
        d0, d1 = X, (math.cos(sectors[0]), math.sin(sectors[0]), 0)
        flat_on = (math.cos(sectors[0] + sectors[1]), math.sin(sectors[0] + sectors[1]), 0)
        d2 = geo.apply(geo.rotation(d1, bend), flat_on)
        # d3 at sectors[2] from d2 and sectors[3] from d0
        n, c = cross(d2, d0), geo.dot(d2, d0)
        p, q = math.cos(sectors[2]), math.cos(sectors[3])
        base = mul(add(mul(d2, p - q * c), mul(d0, q - p * c)), 1 / (1 - c * c))
        rest = (1 - geo.dot(base, base)) / geo.dot(n, n)
        if rest > 0 and min(abs(sectors[0] + sectors[2] - math.pi), abs(sectors[0] - sectors[2])) > 0.1 and 0.8 < sectors[3] < 2.4:
            break
    axes = [d0, d1, d2, add(base, mul(n, rng.choice((-1, 1)) * math.sqrt(rest)))]
    points = [mul(a, 0.6) for a in axes]
    for k in range(1, 4):
        m.plate(f"link{k}", mul(axes[k], 0.3), axes[k], axes[(k + 1) % 4])
    for k in range(4):
        a, b = (k - 1) % 4, k
        m.hinge(f"link{a}" if a else "ground", f"link{b}" if b else "ground", points[k], axes[k])
    m.spin("link1", rng.uniform(0.5, 1.5), d1)
    m.end, m.regular = 0.3, False
    return m


def umbrella(rng):
    """An umbrella: a runner on a stick, four or five ribs and stretchers, opened by a motor or a spring from rest"""
    m = spatial(rng)
    n, droop = rng.randint(4, 5), rng.uniform(0.6, 1.1)
    m.box("stick", (0, 0, 0), (0.05, 0.05, 1.5), 1)
    m.torsion(m.hinge("ground", "stick", (0, 0, -0.7), unit((1, 0.2, 0))), 30, 0.5)
    top, runner = (0, 0, 0.7), (0, 0, 0.7 - 2 * 0.4 * math.cos(droop))
    m.box("runner", runner, (0.1, 0.1, 0.1), 0.3)
    motor = f"{rng.uniform(0.03, 0.1)!r}*(1 - cos(3*t/tau))" if rng.random() < 0.5 else None
    m.slide("stick", "runner", runner, Z, motor=motor)
    for k in range(n):
        u, side = polar(1, k * TURN / n), polar(1, k * TURN / n + TURN / 4)
        knee = add(top, add(mul(u, 0.4 * math.sin(droop)), (0, 0, -0.4 * math.cos(droop))))
        m.bar(f"rib{k}", top, add(top, mul(sub(knee, top), 2.5)), 0.1)
        m.bar(f"stretch{k}", runner, knee, 0.05)
        m.hinge("stick", f"rib{k}", top, side)
        m.hinge(f"rib{k}", f"stretch{k}", knee, side)
        m.hinge("runner", f"stretch{k}", runner, side)
    if not motor:
        m.spring("stick", "runner", top, runner, 60, 0.5, 0.3)
    m.end = 1
    return m


def hanging_chain(rng):
    """A chain of bars on ball or universal joints between two supports that move by polynomials of time"""
    m = spatial(rng)
    n, wide = rng.randint(3, 4), 2.0
    points = [(wide * (k / n - 0.5), 0.2 * math.sin(k * math.pi / n), -2.0 * (k / n) * (1 - k / n) * 1.5) for k in range(n + 1)]
    for k, p in enumerate((points[0], points[n])):
        u, v = rng.uniform(-0.2, 0.2), rng.uniform(-0.1, 0.1)
        m.box(f"support{k}", p, (0.2, 0.2, 0.2), 1)
        m.slide("ground", f"support{k}", p, Z if k else Y, motor=f"{u!r}*(t/tau)^2 - {v!r}*(t/tau)^3")
    last = "support0"
    for k in range(n):
        p, q = points[k], points[k + 1]
        m.bar(f"bar{k}", p, q, rng.uniform(0.5, 1))
        u = unit(sub(q, p))
        m.cardan(last, f"bar{k}", p, geo.any_normal(u), cross(u, geo.any_normal(u)))
        last = f"bar{k}"
    m.socket(last, "support1", points[n])
    m.end = 1
    return m


def swing(rng):
    """A swing: a seat on two rods, a rider on a hinge, pushed aside"""
    m = spatial(rng)
    m.box("seat", (0, 0, -2), (0.3, 0.6, 0.05), 3)
    for y in (-0.25, 0.25):
        m.rod("ground", "seat", (0, y * rng.uniform(1, 1.6), 0), (0, y, -1.95))
    m.bar("rider", (0, 0, -2), (-0.1, 0.02, -1.2), 5)
    joint = m.hinge("seat", "rider", (0, 0, -2), Y)
    m.torsion(joint, 60, 1)
    m.effort(joint, f"{rng.uniform(2, 8)!r}*sin(2.2*t/tau)")
    m.push("seat", (rng.uniform(0.5, 1.5), rng.uniform(-0.3, 0.3), 0), leads=False)
    m.end = 2
    return m


def hanging_tray(rng):
    """CROSSES: a tray hung on four equal parallel rods, swinging without a turn; the reference ties its angles"""
    m = spatial(rng, upright=True)
    n, high = 4, rng.uniform(1, 2)
    upright_box(m, "tray", (0, 0, -high), (0.8, 0.6, 0.1), 3)
    corners = [polar(0.5, k * TURN / n + 0.3, (0, 0, -high)) for k in range(n)]
    names = [m.rod("ground", "tray", add(p, (0, 0, high)), p) for p in corners]
    m.push("tray", (rng.uniform(0.5, 2), rng.uniform(-1, 1), 0))
    m.guesses["tray"] = (m.guesses["tray"][0], (0, 0, 0))
    replaced(m, names[1:], turns("tray"))
    m.end, m.regular = 2, False
    return m


def helicopter(rng):
    """A helicopter's rotor head: three servos under a swash plate, scissors, pitch links, blades that feather and flap"""
    m = spatial(rng)
    n = rng.randint(2, 3)
    m.box("sleeve", (0, 0, 0), (0.1, 0.1, 0.1), 0.5)
    m.slide("ground", "sleeve", (0, 0, 0), Z)
    m.moments("lower", (0, 0, 0), 1, (0.05, 0.05, 0.1))
    m.socket("sleeve", "lower", (0, 0, 0))
    m.along("point_on_plane", "ground", "lower", (0.5, 0, 0), Y)
    for k in range(3):
        p = polar(0.4, k * TURN / 3 + 0.4)
        m.box(f"servo{k}", add(p, (0, 0, -0.6)), (0.05, 0.05, 0.1), 0.1)
        w = rng.uniform(2, 5)
        m.slide("ground", f"servo{k}", add(p, (0, 0, -0.6)), Z, motor=f"{rng.uniform(0.01, 0.05)!r}*(1 - cos({w!r}*t/tau))")
        m.rod(f"servo{k}", "lower", add(p, (0.02, 0.01, -0.6)), p)
    m.moments("upper", (0, 0, 0.02), 1, (0.05, 0.05, 0.1))
    m.hinge("lower", "upper", (0, 0, 0), Z)
    m.box("hub", (0, 0, 0.6), (0.2, 0.2, 0.1), 2)
    m.hinge("ground", "hub", (0, 0, 0.6), Z, motor=f"{rng.uniform(4, 10)!r}*t/tau")
    p, q, knee = (0.12, 0, 0.55), (0.3, 0, 0.02), (0.5, 0, 0.3)
    m.bar("scissor", p, knee, 0.1)
    m.bar("fork", knee, q, 0.1)
    m.hinge("hub", "scissor", p, Y)
    m.hinge("scissor", "fork", knee, Y)
    m.socket("fork", "upper", q)
    for k in range(n):
        turn = geo.rotation(Z, k * TURN / n + 0.6)

        def at(x, y, z, turn=turn):
            return geo.apply(turn, (x, y, z))
        m.box(f"grip{k}", at(0.25, 0, 0.6), (0.1, 0.1, 0.1), 0.3)
        m.hinge("hub", f"grip{k}", at(0.2, 0, 0.6), at(0, 1, 0))
        m.torsion(m.joints[-1]["name"], 30, 0.5)
        m.bar(f"blade{k}", at(0.3, 0, 0.6), at(2, 0, 0.6), 1)
        m.hinge(f"grip{k}", f"blade{k}", at(0.3, 0, 0.6), at(1, 0, 0))
        m.rod("upper", f"blade{k}", at(0.28, 0.2, 0.02), at(0.32, 0.18, 0.58))
    m.end = 1
    return m


def double_cardan(rng):
    """Two shafts side by side, joined by two universal joints and a shaft with a spline; each in two bearings, redundant"""
    m = spatial(rng)
    offset = (0, rng.uniform(0.2, 0.6), rng.uniform(-0.3, 0.3))
    p, q = (0, 0, 0), add((1.2, 0, 0), offset)
    u = unit(sub(q, p))
    n = unit(cross(X, u))
    m.moments("left", (-0.5, 0, 0), 1.5, (0.2, 0.3, 0.3))
    m.moments("right", add(q, (0.5, 0, 0)), 2.5, (0.4, 0.3, 0.3))
    m.bar("tube", p, between(p, q, 0.6), 0.6)
    m.bar("spline", between(p, q, 0.4), q, 0.6)
    m.cardan("left", "tube", p, n, cross(u, n))
    m.slide("tube", "spline", middle(p, q), u)
    m.cardan("right", "spline", q, n, cross(u, n))
    first = m.hinge("ground", "left", (-0.8, 0, 0), X)
    m.hinge("ground", "left", (-0.2, 0, 0), X)
    m.hinge("ground", "right", add(q, (0.2, 0, 0)), X)
    m.along("cylindrical", "ground", "right", add(q, (0.8, 0, 0)), X)
    m.effort(first, f"{rng.uniform(1, 4)!r}*sin(3*t/tau)")
    m.spin("left", rng.uniform(4, 10), X)
    m.end = 2
    return m


def hexapod_strut(rng):
    """A hexapod whose sixth leg is a stiff strut: five legs driven or on springs"""
    m = spatial(rng)
    base = [polar(1, TURN / 3 * (k // 2) + (0.25 if k % 2 else -0.25)) for k in range(6)]
    top = [polar(0.6, TURN / 3 * (k // 2) + (0.8 if k % 2 else -0.8), (0, 0, 1)) for k in range(6)]
    m.plate("platform", *top, mass=5)
    driven = rng.random() < 0.5
    for k, (p, q) in enumerate(zip(base, top)):
        u = unit(sub(q, p))
        n = unit(cross(Z, u))
        if k == 5:
            m.rod("ground", "platform", p, q)
            continue
        m.bar(f"low{k}", p, between(p, q, 0.6), 0.5)
        m.bar(f"high{k}", between(p, q, 0.5), q, 0.4)
        m.cardan("ground", f"low{k}", p, n, cross(u, n))
        motor = f"{rng.uniform(0.02, 0.06)!r}*(1 - cos({rng.uniform(2, 5)!r}*t/tau))" if driven else None
        leg = m.slide(f"low{k}", f"high{k}", middle(p, q), u, motor=motor)
        m.socket(f"high{k}", "platform", q)
        if not driven:
            m.torsion(leg, rng.uniform(200, 400), 5, sliding=True)
    m.end = 1
    return m


def three_prs(rng):
    """A platform on three legs, each a slide, a hinge and a ball joint (3-PRS), driven or on springs"""
    m = spatial(rng)
    driven = rng.random() < 0.5
    corners = [polar(0.5, k * TURN / 3, (0, 0, 1)) for k in range(3)]
    m.plate("platform", *corners, mass=3)
    for k, q in enumerate(corners):
        u, side = polar(1, k * TURN / 3), polar(1, k * TURN / 3 + TURN / 4)
        p = add(mul(u, 1.0), (0, 0, rng.uniform(0, 0.2)))
        m.box(f"slider{k}", p, (0.2, 0.2, 0.2), 1)
        motor = f"{rng.uniform(-0.1, 0.1)!r}*(1 - cos({rng.uniform(2, 5)!r}*t/tau))" if driven else None
        joint = m.slide("ground", f"slider{k}", p, Z, motor=motor)
        m.bar(f"leg{k}", p, q, 0.8)
        m.hinge(f"slider{k}", f"leg{k}", p, side)
        m.socket(f"leg{k}", "platform", q)
        if not driven:
            m.torsion(joint, rng.uniform(150, 300), 4, sliding=True)
    m.end = 1.5
    return m


def three_upu(rng):
    """Tsai's platform on three legs with universal, sliding and universal joint: it does not turn; on springs or driven"""
    m = spatial(rng)
    driven = rng.random() < 0.5
    corners = [polar(0.4, k * TURN / 3, (0.15, 0.1, 1)) for k in range(3)]
    m.plate("platform", *corners, mass=3)
    for k, q in enumerate(corners):
        p, side = polar(1, k * TURN / 3), polar(1, k * TURN / 3 + TURN / 4)
        joint = upu_leg(m, k, p, q, side, stroke(rng) if driven else None)
        if not driven:
            m.torsion(joint, rng.uniform(150, 300), 4, sliding=True)
    m.end = 1
    return m


def agile_eye(rng):
    """A spherical platform on three legs of three hinges, all axes through one point: redundant; servos or free"""
    m = spatial(rng)
    tops = [unit(jitter(rng, v, 0.1)) for v in (X, Y, Z)]
    feet = [unit(jitter(rng, v, 0.1)) for v in ((0, -0.3, -1), (-1, 0, -0.3), (-0.3, -1, 0))]
    m.plate("eye", *[mul(v, 0.5) for v in tops], mass=2)
    for k, (w, v) in enumerate(zip(tops, feet)):
        u = unit(jitter(rng, cross(v, w), 0.2))
        m.plate(f"proximal{k}", v, u, unit(add(u, v)), mass=1)
        m.plate(f"distal{k}", mul(u, 0.9), mul(w, 0.6), unit(add(u, w)), mass=0.7)
        joint = m.hinge("ground", f"proximal{k}", v, v)
        m.hinge(f"proximal{k}", f"distal{k}", u, u)
        m.hinge(f"distal{k}", "eye", mul(w, 0.6), w)
        m.servo(joint, f"{rng.uniform(-0.2, 0.2)!r}*sin({rng.uniform(2, 5)!r}*t/tau)", 60, 4)
    m.end = 1
    return m


def crowded_parallelograms(rng):
    """Two parallelograms in a row in space, each with three to five equal bars at several depths, on a turning base"""
    m = spatial(rng)
    base = m.box("base", (0, 0, 0), (0.4, 0.6, 0.2), 2)
    m.hinge("ground", base, (0, 0, 0), Z)
    last, foot = base, (0, 0, 0.1)
    for k, tilt in enumerate((rng.uniform(0.6, 1.3), rng.uniform(-0.3, 0.6))):
        arm = (0.8 * math.cos(tilt), 0, 0.8 * math.sin(tilt))
        plate = m.box(f"plate{k}", add(foot, arm), (0.2, 0.6, 0.2), 0.5)
        for i in range(rng.randint(3, 5)):
            pin = add(foot, (rng.uniform(-0.1, 0.1), 0.3 * (i - 1.5), rng.uniform(-0.1, 0.1)))
            m.bar(f"bar{k}{i}", pin, add(pin, arm), 0.2)
            joint = m.hinge(last, f"bar{k}{i}", pin, Y)
            m.hinge(f"bar{k}{i}", plate, add(pin, arm), Y)
        m.torsion(joint, 60, 2)
        last, foot = plate, add(foot, arm)
    m.spin(base, rng.uniform(0.5, 2), Z)
    m.end = 1.5
    return m


def torus(rng):
    """Three masses on a torus that an expression gives, tied by rods or springs"""
    m = spatial(rng, upright=True)
    points = []
    for k in range(3):
        u, v = k * 0.9 + rng.uniform(0, 0.3), rng.uniform(-1.5, 1.5)
        p = ((1 + 0.4 * math.cos(v)) * math.cos(u), (1 + 0.4 * math.cos(v)) * math.sin(u), 0.4 * math.sin(v))
        m.ball(f"mass{k}", p, rng.uniform(0.5, 2))
        name = m.marker(f"mass{k}", p)
        m.constraints.append({"name": f"skin{k}", "expression": f"((hypot({name}.x, {name}.y)/lam - 1)^2 + ({name}.z/lam)^2)/0.16 - 1"})
        points.append(p)
    m.rod("mass0", "mass1", points[0], points[1])
    m.spring("mass1", "mass2", points[1], points[2], 20, 0.2)
    more.moving(rng, m, ["mass0", "mass1", "mass2"])
    m.end = 1.5
    return m


def random_crowd(rng):
    """As random_space, with up to seven bodies"""
    return more.random_space(rng, 7)


def long_bennett(rng):
    """Bennett's linkage for ten turns, free or driven"""
    m = space.bennett(rng)
    if rng.random() < 0.5:
        m.guesses = {}
        m.joints[1]["motor"], m.driven = f"{rng.uniform(2, 4)!r}*t/tau", True
    m.end = 15
    return m


# Near misses: bars that are unequal by 1e-6 to 1e-3 of their length

def near(rng):
    return rng.choice((-1, 1)) * 10 ** rng.uniform(-6, -3)


def near_parallelogram(rng):
    """A parallelogram with bars unequal by 1e-6 to 1e-3 passes beside its flat position, in a plane or in space"""
    m = flat(rng)
    r, d = 1.0, rng.choice((2, 2.5, 3))
    a = polar(r, rng.uniform(1.2, 1.8))
    c = (d, 0, 0)
    last = r + near(rng)
    b = min((meet(a, d, c, last, side) for side in (1, -1)), key=lambda p: norm(sub(p, add(a, c))))
    for name, p, q in (("crank", (0, 0, 0), a), ("coupler", a, b), ("follower", c, b)):
        m.bar(name, p, q, rng.uniform(0.5, 2))
    hinges(m, ("ground", "crank", (0, 0, 0)), ("crank", "coupler", a), ("coupler", "follower", b), ("ground", "follower", c))
    m.spin("crank", rng.uniform(7, 10))
    m.end = 1
    return m


def near_slider_crank(rng):
    """A slider-crank whose rod is longer than its crank by 1e-6 to 1e-3, or whose guide is as much aside"""
    m = flat(rng)
    a = polar(1, rng.uniform(0.6, 1.2))
    off, extra = (near(rng), 0) if rng.random() < 0.5 else (0, abs(near(rng)))
    s = plane.on_line(a, 1 + extra, (0, off, 0), (1, 0, 0))
    m.bar("crank", (0, 0, 0), a, rng.uniform(1, 2))
    m.hinge("ground", "crank", (0, 0, 0))
    plane.piston(m, a, s, "slider", "rod", (1, 0, 0))
    m.spin("crank", rng.uniform(7, 10))
    m.end = 0.8
    return m


def near_dead_point(rng):
    """Two bars nearly in line under a ram, held by a spring: a toggle released 1e-4 to 1e-2 beside its dead point"""
    m = flat(rng)
    off = 10 ** rng.uniform(-4, -2) * rng.choice((-1, 1))
    knee, top = (off, -1, 0), (0, 0, 0)
    ram = (0, -1 - math.sqrt(1 - off * off), 0)
    m.bar("upper", top, knee, 1)
    m.bar("lower", knee, ram, 1)
    m.box("ram", ram, (0.3, 0.3, 0.3), 3)
    hinges(m, ("ground", "upper", top), ("upper", "lower", knee), ("lower", "ram", ram))
    m.slide("ground", "ram", ram, (0, 1, 0))
    m.spring("ground", "ram", add(ram, (0, -2, 0)), ram, rng.uniform(200, 400), 2, 2.5)
    m.end = 1
    return m


def near_spherical(rng):
    """A spherical four-bar linkage of nearly equal opposite sides (1e-6 to 1e-3) passes beside its flat position"""
    m = spatial(rng)
    long, short = rng.uniform(1.0, 1.3), rng.uniform(0.4, 0.7)
    d0, bend = X, rng.uniform(1.2, 1.8)
    d3 = (math.cos(long), math.sin(long), 0)

    def arm(d, toward, side):
        """The direction at `side` from d, bent out of the way to `toward`."""
        n = unit(cross(d, toward))
        t = cross(n, d)
        return add(mul(d, math.cos(side)), mul(add(mul(t, math.cos(bend)), mul(n, math.sin(bend))), math.sin(side)))
    d1 = arm(d0, d3, short)
    # d2 at `long` from d1 and nearly `short` from d3, on the side of the parallelogram
    p, q = math.cos(long), math.cos(short + near(rng))
    n, c = cross(d1, d3), geo.dot(d1, d3)
    base = mul(add(mul(d1, p - q * c), mul(d3, q - p * c)), 1 / (1 - c * c))
    rest = (1 - geo.dot(base, base)) / geo.dot(n, n)
    both = [add(base, mul(n, s * math.sqrt(rest))) for s in (1, -1)]
    d2 = max(both, key=lambda v: geo.dot(cross(d0, d1), cross(d3, v)))
    axes = [d0, d1, d2, d3]
    space.hinge_loop(m, rng, [mul(a, 0.8) for a in axes], axes, rng.uniform(8, 10))
    m.end = 0.7
    return m


def near_gimbal_lock(rng):
    """A rotor in gimbals that passes its lock within 1e-5 to 1e-2 rad"""
    m = spatial(rng)
    tilt = rng.uniform(0.3, 0.8)
    spin = (math.cos(tilt), 0, math.sin(tilt))
    aside = 10 ** rng.uniform(-5, -2)
    m.moments("outer", (0, 0, 0), 1, (0.3, 0.3, 0.5))
    m.moments("inner", (0, 0, 0), 1, (0.2, 0.3, 0.2))
    m.moments("rotor", (0, 0, 0), 3, (0.5, 0.3, 0.3), geo.transpose((spin, Y, cross(spin, Y))))
    m.hinge("ground", "outer", (0, 0, 0), Z)
    m.hinge("outer", "inner", (0, 0, 0), unit((0, 1, aside)))
    m.hinge("inner", "rotor", (0, 0, 0), spin)
    m.guesses = {"inner": ((0, 0, 0), mul(Y, -rng.uniform(1, 3))), "rotor": ((0, 0, 0), mul(spin, rng.uniform(0.5, 3)))}
    m.end = 1.5
    return m


# Crossings: the reference ties angles in place of the pins

def flat_loop(m, k, crank, arm, d, masses):
    """A parallelogram on an arm of a crank body about the origin. Returns the ties of the reference."""
    a, c = arm, (d[0], d[1], 0)
    b = add(a, c)
    m.bar(f"coupler{k}", a, b, masses[0])
    m.bar(f"follower{k}", c, b, masses[1])
    m.hinge(crank, f"coupler{k}", a)
    m.hinge("ground", f"follower{k}", c)
    pin = m.hinge(f"coupler{k}", f"follower{k}", b)
    start = {body["name"]: angle_of(body) for body in m.bodies}
    replaced(m, [pin], [f"coupler{k}.angle - ({start[f'coupler{k}']!r})",
                        f"follower{k}.angle - {crank}.angle - ({start[f'follower{k}'] - start[crank]!r})"])


def flat_pair(rng):
    """CROSSES: two parallelograms of different size on one crank body, flat at the same moment or not"""
    m = Mechanism(rng, PLANE, plain=True)
    r, s = rng.choice((0.5, 1, 1.5)), rng.choice((0.6, 0.75, 1.25))
    apart = rng.random() < 0.5
    first, second = (0, r, 0), ((-0.6 * s, 0.8 * s, 0) if apart else (0, -s, 0))
    m.bar("crank", (0, 0, 0), first, rng.choice((1, 2)))
    m.hinge("ground", "crank", (0, 0, 0))
    flat_loop(m, 0, "crank", first, (rng.choice((2, 2.5, 3)), 0), (rng.choice((0.5, 1)), rng.choice((1, 2))))
    flat_loop(m, 1, "crank", second, (rng.choice((-2, -1.75, 3.5)), 0), (rng.choice((0.5, 1)), rng.choice((1, 2))))
    m.spin("crank", rng.uniform(8, 11))
    m.end, m.regular = 1.5, False
    return m


def flat_mixed(rng):
    """CROSSES: a parallelogram and a slider-crank of equal bars on one crank, at the same moment or not"""
    m = Mechanism(rng, PLANE, plain=True)
    x, y = rng.choice(((0.6, 0.8), (0.8, 0.6), (0, 1)))
    apart = rng.random() < 0.5 and x > 0
    arm = (x, y, 0) if not apart else (0, 1, 0)
    a, s = (x, y, 0), (2 * x, 0, 0)
    if x == 0:
        a, s, arm = (0.28, 0.96, 0), (0.56, 0, 0), (0.28, 0.96, 0)
    m.bar("crank", (0, 0, 0), a, rng.choice((1, 2)))
    m.hinge("ground", "crank", (0, 0, 0))
    m.bar("rod", a, s, 1)
    m.hinge("crank", "rod", a)
    m.box("slider", s, (0.2, 0.2, 0.2), rng.choice((0.5, 1)))
    m.hinge("rod", "slider", s)
    guide = m.slide("ground", "slider", s, (1, 0, 0))
    start = {body["name"]: angle_of(body) for body in m.bodies}
    replaced(m, [guide], [f"rod.angle + crank.angle - ({start['rod'] + start['crank']!r})", f"slider.angle - ({start['slider']!r})"])
    flat_loop(m, 0, "crank", arm, (rng.choice((-2, -2.5, -3)), 0), (rng.choice((0.5, 1)), rng.choice((1, 2))))
    m.spin("crank", rng.uniform(9, 12))
    m.end, m.regular = 1, False
    return m


def flat_driven(rng):
    """CROSSES: a parallelogram turned through its flat positions by a motor, a pendulum on its coupler"""
    m = Mechanism(rng, PLANE, plain=True)
    r, d = rng.choice((0.5, 1)), rng.choice((2, 2.5))
    m.bar("crank", (0, 0, 0), (0, r, 0), 1)
    m.hinge("ground", "crank", (0, 0, 0), motor=f"{rng.uniform(2, 5)!r}*t")
    flat_loop(m, 0, "crank", (0, r, 0), (d, 0), (1, 1))
    pin = (d / 2, r, 0)
    m.bar("swing", pin, add(pin, polar(0.5, rng.uniform(-2, -1))), 0.5)
    m.hinge("coupler0", "swing", pin)
    m.end, m.regular = 2, False
    return m


def flat_antiparallelogram(rng):
    """CROSSES: a contra-parallelogram turns through its flat positions; the reference has r sin((a-b)/2) + d sin((a+b)/2) = 0"""
    m = Mechanism(rng, PLANE, plain=True)
    r, d = rng.choice((0.5, 0.75, 1)), rng.choice((2, 2.5, 3))
    one = rng.uniform(1.0, 2.0)
    # tan(b/2) from r sin((a-b)/2) + d sin((a+b)/2) = 0
    two = 2 * math.atan2(-(d + r) * math.sin(one / 2), (d - r) * math.cos(one / 2))
    a, c = polar(r, one), (d, 0, 0)
    b = polar(r, two, c)
    m.bar("crank", (0, 0, 0), a, rng.choice((1, 2)))
    m.bar("coupler", a, b, rng.choice((0.5, 1)))
    m.bar("follower", c, b, rng.choice((0.5, 1, 2)))
    hinges(m, ("ground", "crank", (0, 0, 0)), ("crank", "coupler", a), ("ground", "follower", c))
    pin = m.hinge("coupler", "follower", b)
    m.spin("crank", rng.uniform(8, 10))
    m.end, m.regular = 1.5, False
    start = {body["name"]: angle_of(body) for body in m.bodies}
    first, second = f"(crank.angle - ({start['crank'] - one!r}))", f"(follower.angle - ({start['follower'] - two!r}))"
    replaced(m, [pin], [f"{r!r}*sin(({first} - {second})/2) + {d!r}*sin(({first} + {second})/2)",
                        f"coupler.angle - {first} - {second} - ({start['coupler'] - one - two!r})"])
    return m


def flat_deltoid_pair(rng):
    """CROSSES: two contra-parallelograms on one crank, flat at the same moments"""
    m = Mechanism(rng, PLANE, plain=True)
    one = rng.uniform(1.0, 2.0)
    shapes = [(rng.choice((0.5, 0.75)), rng.choice((2, 2.5))), (rng.choice((0.6, 1)), rng.choice((1.5, 3)))]
    m.bar("crank", (0, 0, 0), polar(shapes[0][0], one), rng.choice((1, 2)))
    m.hinge("ground", "crank", (0, 0, 0))
    for k, (r, d) in enumerate(shapes):
        two = 2 * math.atan2(-(d + r) * math.sin(one / 2), (d - r) * math.cos(one / 2))
        a, c = polar(r, one), (d, 0, 0)
        b = polar(r, two, c)
        m.bar(f"coupler{k}", a, b, rng.choice((0.5, 1)))
        m.bar(f"follower{k}", c, b, rng.choice((0.5, 1, 2)))
        m.hinge("crank", f"coupler{k}", a)
        m.hinge("ground", f"follower{k}", c)
        pin = m.hinge(f"coupler{k}", f"follower{k}", b)
        start = {body["name"]: angle_of(body) for body in m.bodies}
        first = f"(crank.angle - ({start['crank'] - one!r}))"
        second = f"(follower{k}.angle - ({start[f'follower{k}'] - two!r}))"
        replaced(m, [pin], [f"{r!r}*sin(({first} - {second})/2) + {d!r}*sin(({first} + {second})/2)",
                            f"coupler{k}.angle - {first} - {second} - ({start[f'coupler{k}'] - one - two!r})"])
    m.spin("crank", rng.uniform(9, 12))
    m.end, m.regular = 1.5, False
    return m


FAMILIES = [chebyshev, hoecken, klann, roberts, strandbeest, whitworth_block, ackermann, dwell_press, hoberman, folding_chair,
            bascule_bridge, clutch, five_bar, hart, peaucellier_guided, dixon, equilibrium_pushed, eccentric, short_coupler, light_links,
            long_swing, long_turning, stiff_springs, planetary, geared_five_bar, rack, cam, belt_drive, rolling_discs, ellipse_beads,
            helix, screw_press, differential, landing_gear, flap, rack_steering, panhard, schatz, altmann, trihedral, octahedron, miura,
            fold_vertex, umbrella, hanging_chain, swing, hanging_tray, helicopter, double_cardan, hexapod_strut,
            three_prs, three_upu, agile_eye, crowded_parallelograms, torus, random_crowd, long_bennett, near_parallelogram,
            near_slider_crank, near_dead_point, near_spherical, near_gimbal_lock, flat_pair, flat_mixed, flat_driven,
            flat_antiparallelogram, flat_deltoid_pair]
