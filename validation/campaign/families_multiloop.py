"""The fifth list: several loops flat at once, constraints and drives that repeat one another, no freedom at all, long trains of loops.

Where a scene crosses singular positions, or has elements that the reference does not know, `equivalent` gives the same motion
by expressions.
"""
import math

import families_plane as plane
import families_space as space
from families_symmetric import shaken, wave
from families_plane import angle_of, flat
from families_space import X, Y, Z, spatial
from families_elements import angle, dyad, flat_loop, hinge_dyad, hinges, relation, replaced, stroke, telescope, turns, upright_box
from geometry import add, any_direction, between, cross, meet, middle, mul, norm, polar, sub, unit
from mechanism import PLANE, SPACE, Mechanism, digits

TURN = 2 * math.pi


# Several loops flat at the same moment

def tongs(m, n, one, two, masses):
    """A row of n pairs of bars of length one, crossed at their middles, the first hinged to the ground. Returns the last middle."""
    u, v = polar(0.5, one), polar(0.5, two)
    for k in range(n):
        c = mul(add(u, v), k)
        for name, half in (("rise", u), ("fall", v)):
            m.bar(f"{name}{k}", sub(c, half), add(c, half), masses[k])
        m.hinge(f"rise{k}", f"fall{k}", c)
        if k == 0:
            m.hinge("ground", "rise0", c)
        else:
            m.hinge(f"rise{k - 1}", f"fall{k}", sub(c, v))
            pin = m.hinge(f"fall{k - 1}", f"rise{k}", sub(c, u))
            start = {body["name"]: angle_of(body) for body in m.bodies}
            replaced(m, [pin], [f"{name}{k}.angle - {name}0.angle - ({start[f'{name}{k}'] - start[f'{name}0']!r})"
                                for name in ("rise", "fall")])
    return c


def flat_tongs(rng):
    """CROSSES: a row of four or five crossed pairs of bars (tongs) turns freely, all its loops flat at the same moment"""
    m = Mechanism(rng, PLANE, plain=True)
    n, tilt = rng.randint(4, 5), rng.uniform(0.3, 0.6)
    tongs(m, n, tilt, -tilt, [rng.choice((0.5, 1, 2)) for _ in range(n)])
    m.spin("rise0", -rng.uniform(1.5, 2.5))
    m.spin("fall0", rng.uniform(1.0, 1.5), leads=False)
    m.end, m.regular = 0.8, False
    return m


def flat_tongs_guided(rng):
    """CROSSES: the same row, three to five pairs, the middle of the last in a straight guide: one freedom"""
    m = Mechanism(rng, PLANE, plain=True)
    n, tilt = rng.randint(3, 5), rng.uniform(0.3, 0.6)
    c = tongs(m, n, tilt, -tilt, [rng.choice((0.5, 1, 2)) for _ in range(n)])
    m.slot("ground", f"rise{n - 1}", c, (1, 0, 0))
    m.spin("rise0", -rng.uniform(2, 3))
    m.end, m.regular = 0.8, False
    return m


def flat_stack(rng):
    """CROSSES: a parallelogram on the crank of another, both turned through their flat positions by one spin, at the same moment or not"""
    m = Mechanism(rng, PLANE, plain=True)
    r, d, s = rng.choice((0.5, 1)), rng.choice((2, 2.5)), rng.choice((0.6, 0.8))
    m.bar("crank", (0, 0, 0), (0, r, 0), rng.choice((1, 2)))
    m.hinge("ground", "crank", (0, 0, 0))
    flat_loop(m, 0, "crank", (0, r, 0), (d, 0), (1, 1))
    # the second loop stands on the coupler, which does not turn: its crank is tied to the first follower by a third parallel bar
    c = (d / 2, r, 0)
    arm = (c[0], r + s, 0)
    m.bar("tower", c, arm, 0.5)
    m.hinge("coupler0", "tower", c)
    far = (c[0] + 1.5, r, 0)
    m.plate("foot", c, far, mass=0.5)
    m.joint("weld", "coupler0", "foot", c)
    m.bar("roof", arm, add(far, (0, s, 0)), 0.5)
    m.bar("pillar", far, add(far, (0, s, 0)), rng.choice((0.5, 1)))
    m.hinge("tower", "roof", arm)
    m.hinge("foot", "pillar", far)
    pin = m.hinge("roof", "pillar", add(far, (0, s, 0)))
    start = {body["name"]: angle_of(body) for body in m.bodies}
    replaced(m, [pin], [f"roof.angle - ({start['roof']!r})", f"pillar.angle - tower.angle - ({start['pillar'] - start['tower']!r})"])
    if rng.random() < 0.5:
        m.constraints.append({"name": "geared", "expression": f"tower.angle - crank.angle - ({start['tower'] - start['crank']!r})"})
    m.spin("tower", rng.uniform(5, 7), leads=False)
    m.spin("crank", rng.uniform(8, 10))
    m.end, m.regular = 1, False
    return m


def flat_engine(rng):
    """CROSSES: two slider-cranks with rods as long as their cranks on one wheel, at right angles: each loop crosses at its own moments"""
    m = Mechanism(rng, PLANE, plain=True)
    pin = rng.choice(((0.6, 0.8, 0), (0.8, 0.6, 0), (0.28, 0.96, 0)))
    m.box("wheel", (0, 0, 0), (1, 1, 0.2), rng.choice((2, 4)))
    m.hinge("ground", "wheel", (0, 0, 0))
    for k, (u, at) in enumerate((((1, 0, 0), (2 * pin[0], 0, 0)), ((0, 1, 0), (0, 2 * pin[1], 0)))):
        m.bar(f"rod{k}", pin, at, rng.choice((0.5, 1)))
        m.box(f"piston{k}", at, (0.2, 0.2, 0.2), rng.choice((0.5, 1)))
        m.hinge("wheel", f"rod{k}", pin)
        m.hinge(f"rod{k}", f"piston{k}", at)
        guide = m.slide("ground", f"piston{k}", at, u)
        start = {body["name"]: angle_of(body) for body in m.bodies}
        replaced(m, [guide], [f"rod{k}.angle + wheel.angle - ({start[f'rod{k}'] + start['wheel']!r})",
                              f"piston{k}.angle - ({start[f'piston{k}']!r})"])
    m.spin("wheel", rng.uniform(8, 11))
    m.end, m.regular = 1, False
    return m


def level_cross(rng):
    """CROSSES: a platform with corners in two upright planes at right angles rocks in one; level it could rock in the other, too"""
    m = Mechanism(rng, SPACE, plain=True, down=(0, 0, -1))
    tilt = rng.uniform(0.2, 0.5)
    corners = [(math.cos(tilt), 0, math.sin(tilt)), (0, 1, 0), (-math.cos(tilt), 0, -math.sin(tilt)), (0, -1, 0)]
    m.plate("platform", *corners, mass=rng.choice((1, 2)))
    names = [m.along("point_on_plane", "ground", "platform", p, Y if k % 2 == 0 else X) for k, p in enumerate(corners)]
    for k, p in enumerate(corners):
        m.spring("ground", "platform", (1.2 * p[0], 1.2 * p[1], 2), p, rng.choice((30, 40, 60)), 0.1, 1.75)
    high = [m.marker("platform", corners[k]) for k in (1, 3)]
    replaced(m, names[3:], [f"{high[0]}.z - {high[1]}.z"])
    m.end, m.regular = 1.5, False
    return m


# Never singular as a whole, though each loop is flat now and then

def locomotive(rng):
    """Two to four wheels coupled by side rods on both sides, a quarter of a turn apart: each loop is flat twice a turn, never both"""
    m = flat(rng)
    n, apart = rng.randint(2, 4), rng.choice((TURN / 4, TURN / 3))
    start = rng.uniform(0, TURN)
    depths = (0.5, -0.5) if m.dimension == SPACE else (0, 0)
    for k in range(n):
        m.moments(f"wheel{k}", (2.2 * k, 0, 0), rng.uniform(1, 3), (0.5, 0.5, 0.9))
        m.hinge("ground", f"wheel{k}", (2.2 * k, 0, 0))
    for side, depth in enumerate(depths):
        pin = add(polar(0.5, start + side * apart), (0, 0, depth))
        last = add(pin, (2.2 * (n - 1), 0, 0))
        m.bar(f"side{side}", pin, last, rng.uniform(0.3, 1))
        for k in range(n):
            m.hinge(f"wheel{k}", f"side{side}", add(pin, (2.2 * k, 0, 0)))
    m.spin("wheel0", rng.uniform(4, 7))
    m.end = 2
    return m


# No freedom left: time moves it all

def driven_light(rng):
    """A chain of two four-bar linkages turned by a motor, masses of links over eight orders of magnitude: no freedom left"""
    m = flat(rng)
    o, a, b, c = plane.crank_rocker_points(rng)
    far = add(c, polar(rng.uniform(0.8, 1.2), rng.uniform(0, TURN)))
    d, ground = dyad(rng, o, a, b, c, far)

    def weight():
        return 10 ** rng.uniform(-8, 0)

    m.bar("crank", o, a, weight())
    m.hinge("ground", "crank", o, motor=f"{rng.uniform(2, 4)!r}*t/tau")
    m.bar("coupler", a, b, weight())
    m.plate("rocker", c, b, far, mass=weight())
    m.bar("link", far, d, weight())
    m.bar("output", ground, d, weight())
    hinge_dyad(m, a, b, c, far, d, ground)
    m.end = 1.5
    return m


def driven_robot(rng):
    """A hand on four to six hinges of any direction, each with a motor: an open chain without freedom, its links light and heavy"""
    m = spatial(rng)
    at, last = (0, 0, 0), "ground"
    for k in range(rng.randint(4, 6)):
        tip = add(at, mul(any_direction(rng), rng.uniform(0.2, 0.8)))
        m.bar(f"link{k}", at, tip, 10 ** rng.uniform(-6, 1))
        motor = f"{rng.uniform(-1, 1)!r}*(1 - cos({rng.uniform(2, 5)!r}*t/tau))"
        m.hinge(last, f"link{k}", at, any_direction(rng), motor=motor)
        at, last = tip, f"link{k}"
    m.end = 1.5
    return m


def twin_motors(rng):
    """A parallelogram or Sarrus' table whose hinges have motors of the same formula: drives that repeat one another"""
    motor = f"{rng.uniform(0.2, 0.5)!r}*sin({rng.uniform(2, 4)!r}*t/tau)"
    if rng.random() < 0.5:
        m = flat(rng)
        arm = polar(0.8, rng.uniform(0.9, 2.2))
        for k in range(rng.randint(2, 3)):
            foot = (1.1 * k, 0, 0)
            m.bar(f"crank{k}", foot, add(foot, arm), rng.uniform(0.5, 1.5))
            m.hinge("ground", f"crank{k}", foot, motor=motor)
        m.plate("coupler", arm, add(arm, (1.1 * k, 0, 0)), add(arm, (0.5, 0.3, 0)), mass=1)
        for j in range(k + 1):
            m.hinge(f"crank{j}", "coupler", add(arm, (1.1 * j, 0, 0)))
        pin = add(arm, (0.5, 0.3, 0))
        m.bar("swing", pin, add(pin, polar(0.6, rng.uniform(-2, -1))), 0.5)
        m.hinge("coupler", "swing", pin)
        m.end = 2
        return m
    m = spatial(rng)
    h = rng.uniform(0.6, 1.0)
    m.box("table", (0, 0, h), (1, 1, 0.1), 2)
    for k in range(4):
        u, side = polar(1, k * TURN / 4), polar(1, (k + 1) * TURN / 4)
        low, high = mul(u, 0.5), add(mul(u, 0.5), (0, 0, h))
        knee = add(mul(u, 0.5 + math.sqrt(0.8 ** 2 - h * h / 4)), (0, 0, h / 2))
        m.bar(f"low{k}", low, knee, rng.uniform(0.5, 1))
        m.bar(f"high{k}", knee, high, rng.uniform(0.5, 1))
        m.hinge("ground", f"low{k}", low, side, motor=motor if k < 3 else None)
        hinges(m, (f"low{k}", f"high{k}", knee), (f"high{k}", "table", high), axis=side)
    m.bar("swing", (0, 0, h), (0.3, 0.2, h - 0.5), 0.5)
    m.socket("table", "swing", (0, 0, h))
    m.end = 1
    return m


def twin_gantry(rng):
    """A crane's beam driven along two rails by the same formula at both ends, a trolley on it, a load on a ball joint"""
    m = spatial(rng)
    motor = stroke(rng)
    m.box("beam", (0, 0, 0), (0.2, 2, 0.2), 5)
    for y in (-1, 1):
        m.slide("ground", "beam", (0, y, 0), X, motor=motor)
    m.box("trolley", (0, 0.2, 0), (0.3, 0.3, 0.2), 1)
    joint = m.slide("beam", "trolley", (0, 0.2, 0), Y)
    m.torsion(joint, 30, 0.5, sliding=True)
    m.bar("load", (0, 0.2, 0), (0.1, 0.3, -0.8), 2)
    m.socket("trolley", "load", (0, 0.2, 0))
    m.end = 2
    return m


# Over-closed trusses and bodies held more often than needed

def over_truss(rng):
    """A truss of bars, two to four bays with both diagonals, over-closed by a row in each, driven or falling; a swing at its end"""
    m = flat(rng)
    n, high = rng.randint(2, 4), rng.uniform(0.6, 1)
    pins = [[(0.9 * k, y, 0) for k in range(n + 1)] for y in (0, high)]
    members = [((i, k), (i, k + 1)) for i in (0, 1) for k in range(n)] + [((0, k), (1, k)) for k in range(n + 1)]
    members += [((i, k), (1 - i, k + 1)) for i in (0, 1) for k in range(n)]
    at = {}
    for number, (p, q) in enumerate(members):
        m.bar(f"member{number}", pins[p[0]][p[1]], pins[q[0]][q[1]], rng.uniform(0.2, 1))
        for end in (p, q):
            at.setdefault(end, []).append(f"member{number}")
    for (i, k), names in at.items():
        for name in names[1:]:
            m.hinge(names[0], name, pins[i][k])
    driven = rng.random() < 0.5
    m.hinge("ground", "member0", pins[0][0], motor=f"{rng.uniform(0.3, 1)!r}*sin({rng.uniform(2, 4)!r}*t/tau)" if driven else None)
    m.bar("swing", pins[0][n], add(pins[0][n], polar(0.6, rng.uniform(-2, -1))), 1)
    m.hinge(at[0, n][0], "swing", pins[0][n])
    m.end = 1
    return m


def bolted(rng):
    """A four-bar linkage whose coupler is two or three plates bolted together: welds, hinges, ball joints, rods that say the same"""
    m = flat(rng)
    _, a, b, _ = plane.four_bar(m, rng, rng.uniform(2, 4))
    for k in range(rng.randint(1, 2)):
        mid = add(middle(a, b), (0.1 * k, 0.2, 0))
        m.plate(f"flange{k}", a, b, mid, mass=rng.uniform(0.3, 1))
        m.joint("weld", "coupler", f"flange{k}", mid)
        m.hinge("coupler", f"flange{k}", a)
        m.hinge("coupler", f"flange{k}", between(a, b, 0.7))
        m.rod("coupler", f"flange{k}", a, mid)
        if m.dimension == SPACE:
            m.socket("coupler", f"flange{k}", add(b, (0, 0, 0.2)))
        if k:
            m.joint("weld", "flange0", f"flange{k}", b)
    m.end = 2
    return m


def press_on_columns(rng):
    """A ram on two to four parallel columns (cylindrical joints), worked by a crank and one or two rods, against a spring"""
    m = spatial(rng)
    n = rng.randint(2, 4)
    turn = rng.uniform(0, TURN)
    pin = (0.3 * math.sin(turn), 0, 2 + 0.3 * math.cos(turn))
    z = pin[2] - math.sqrt(1.1 ** 2 - pin[0] ** 2)
    m.plate("ram", *[polar(0.6, k * TURN / n + 0.3, (0, 0, z)) for k in range(n)], (0, 0, z), mass=4)
    for k in range(n):
        m.along("cylindrical", "ground", "ram", polar(0.6, k * TURN / n + 0.3, (0, 0, z)), Z)
    m.bar("crank", (0, 0, 2), pin, 1)
    m.hinge("ground", "crank", (0, 0, 2), Y)
    m.spin("crank", rng.uniform(3, 7), Y)
    for k, y in enumerate((-0.2, 0.2)[:rng.randint(1, 2)]):
        m.bar(f"rod{k}", add(pin, (0, y, 0)), (0, y, z), 0.5)
        m.hinge("crank", f"rod{k}", add(pin, (0, y, 0)), Y)
        m.hinge(f"rod{k}", "ram", (0, y, z), Y)
    m.spring("ground", "ram", (0, 0, -1), (0, 0, z), 40, 1, 1.5)
    m.end = 1.5
    return m


def four_feet(rng):
    """A table that slides on four to six feet on a floor (three would do), pulled by springs; a load swings under its edge"""
    m = spatial(rng)
    n = rng.randint(4, 6)
    feet = [polar(0.7, k * TURN / n + rng.uniform(0, 0.4)) for k in range(n)]
    m.plate("table", *feet, (0.1, 0, 0.6), mass=4)
    for foot in feet:
        m.along("point_on_plane", "ground", "table", foot, Z)
    for end in ((2, 0.3, 0.4), (-1.5, 1.5, 0.1), (0.2, -2, 0)):
        m.spring("ground", "table", end, mul(unit(end), 0.5), rng.uniform(10, 40), 0.3, rng.uniform(0.5, 1.5))
    m.bar("load", (0.6, 0, 0.6), (0.7, 0.2, 0), 1)
    m.socket("table", "load", (0.6, 0, 0.6))
    m.end = 2
    return m


def points_on_planes(rng):
    """A platform whose corners stay in three upright planes through one line, carried by springs, pushed"""
    m = spatial(rng)
    corners = [polar(0.6, k * TURN / 3) for k in range(3)]
    m.plate("platform", *corners, (0, 0, -0.3), mass=3)
    for k, p in enumerate(corners):
        m.along("point_on_plane", "ground", "platform", p, polar(1, (k + 0.75) * TURN / 3))
        m.spring("ground", "platform", add(mul(p, 1.2), (0, 0, 1)), p, rng.uniform(30, 90), 0.5, rng.uniform(0.7, 1.0))
    shaken(m, rng, "platform", (0.1, 0.2, 0), 1, 6)
    m.end = 1.5
    return m


def bifold_door(rng):
    """A folding door of two leaves on two or three hinges each, its far edge on a roller in a track, closed by springs; redundant"""
    m = spatial(rng)
    n, fold = rng.randint(2, 3), rng.uniform(0.4, 1.0)
    knee, end = polar(0.8, fold), (1.6 * math.cos(fold), 0, 0)
    for name, p, q in (("near", (0, 0, 0), knee), ("far", knee, end)):
        m.plate(name, p, q, add(p, (0, 0, 2)), add(q, (0, 0, 2)), mass=8)
    for k in range(n):
        z = (0, 0, 2 * k / (n - 1))
        first = m.hinge("ground", "near", z, Z)
        second = m.hinge("near", "far", add(knee, z), Z)
        m.torsion(first, rng.uniform(2, 8), 0.4, rest=-0.3)
        m.torsion(second, rng.uniform(2, 8), 0.4)
    for z in (0, 2)[:rng.randint(1, 2)]:
        m.slot("ground", "far", add(end, (0, 0, z)), X)
    m.spin("near", rng.uniform(-0.5, 0.5), Z)
    m.end = 1
    return m


# Straight lines and trains of loops

def scott_russell(rng):
    """Scott Russell's straight line: a crank to the middle of a bar between two guides at right angles, one too many; or two bars"""
    m = flat(rng)
    turn, bars = rng.uniform(0.3, 1.2), rng.randint(1, 2)
    m.plate("crank", (0, 0, 0), *[polar(0.5, turn + k * TURN / 3) for k in range(bars)], mass=1)
    m.hinge("ground", "crank", (0, 0, 0))
    m.spin("crank", rng.uniform(3, 7))
    for k in range(bars):
        one = turn + k * TURN / 3
        p, q = (math.cos(one), 0, 0), (0, math.sin(one), 0)
        m.bar(f"bar{k}", p, q, rng.uniform(0.5, 2))
        m.hinge("crank", f"bar{k}", polar(0.5, one))
        m.slot("ground", f"bar{k}", p, X)
        m.slot("ground", f"bar{k}", q, Y)
    m.end = 2
    return m


def grasshopper(rng):
    """A grasshopper engine after Evans: half beam on a swinging link, guided by a short radius rod, works a crank; gas as a formula"""
    m = flat(rng)
    while True:
        foot, mid = (1.6, -0.9, 0), (0.9, rng.uniform(-0.05, 0.05), 0)
        tail, head = add(mid, (0.8, rng.uniform(-0.03, 0.03), 0)), add(mid, (-0.9, rng.uniform(-0.03, 0.03), 0))
        pivot, shaft = (0.05, rng.uniform(-0.1, 0.1), 0), (0.4, -1.6, 0)
        pin = polar(0.12, rng.uniform(0, TURN), shaft)
        if norm(sub(head, pivot)) > 0.02:
            break
    beam = between(mid, head, 0.5)
    m.plate("beam", tail, mid, head, mass=3)
    for name, p, q in (("link", foot, tail), ("radius", pivot, mid), ("rod", beam, pin)):
        m.bar(name, p, q, 1)
    m.moments("wheel", shaft, 3, (0.1, 0.1, 0.2))
    m.hinge("ground", "wheel", shaft)
    hinges(m, ("ground", "link", foot), ("link", "beam", tail), ("ground", "radius", pivot), ("radius", "beam", mid), ("beam", "rod", beam),
           ("wheel", "rod", pin))
    m.force("beam", head, ["0", f"{rng.uniform(5, 20)!r}*sin({rng.uniform(3, 6)!r}*t/tau)", "0"])
    m.spin("wheel", rng.uniform(4, 8))
    m.end = 1.5
    return m


def four_bar_train(rng):
    """Four to six four-bar linkages in a row, each rocker the next one's crank: as many loops"""
    m = flat(rng)
    o, a, b, c = plane.four_bar(m, rng, rng.uniform(2, 4))
    track = plane.one_turn(o, a, b, c, lambda _, q: q)
    last, tip = "rocker", b
    for k in range(rng.randint(3, 5)):
        while True:
            ground, r, s = add(middle(*track), (rng.uniform(-3, 3), rng.uniform(-3, 3), 0)), rng.uniform(1.5, 3), rng.uniform(1.5, 4)
            if plane.reachable(track, ground, r, s):
                break
        end = meet(tip, r, ground, s, 1)
        m.bar(f"link{k}", tip, end, rng.uniform(0.3, 1))
        m.bar(f"arm{k}", ground, end, rng.uniform(0.5, 1.5))
        hinges(m, (last, f"link{k}", tip), (f"link{k}", f"arm{k}", end), ("ground", f"arm{k}", ground))
        last, tip, track = f"arm{k}", end, [meet(p, r, ground, s, 1) for p in track]
    m.end = 2
    return m


def scissor_six(rng):
    """A scissor of six storeys closed on both sides, guided below and above, lifted by a motor or on a spring"""
    m = flat(rng)
    h = rng.uniform(0.3, 0.6)
    for k in range(6):
        low, high = [(x, k * h, 0) for x in (0, 1)], [(x, (k + 1) * h, 0) for x in (0, 1)]
        m.bar(f"rise{k}", low[0], high[1], rng.uniform(0.3, 1))
        m.bar(f"fall{k}", low[1], high[0], rng.uniform(0.3, 1))
        m.hinge(f"rise{k}", f"fall{k}", middle(low[0], high[1]))
        if k:
            hinges(m, (f"fall{k - 1}", f"rise{k}", low[0]), (f"rise{k - 1}", f"fall{k}", low[1]))
    m.slot("ground", "rise0", (0, 0, 0), X)
    m.slot("ground", "fall0", (1, 0, 0), X)
    m.slot("ground", "rise0", (0.5, h / 2, 0), Y)
    m.box("table", (0.5, 6 * h, 0), (1.2, 0.1, 0.8), 3)
    m.slot("table", "fall5", high[0], X)
    m.slot("table", "rise5", high[1], X)
    driven = rng.random() < 0.5
    m.slide("ground", "table", (0.5, 6 * h, 0), Y, motor=f"0.15*sin({rng.uniform(2, 4)!r}*t/tau)" if driven else None)
    if not driven:
        m.spring("ground", "table", (0.5, -1, 0), (0.5, 6 * h, 0), 800, 3, 6 * h + 1.1)
    m.end = 0.8
    return m


def crossed_ladders(rng):
    """Two ladders in an alley, feet on the floor, tops on the walls, a block that slides on both where they cross; springs at the feet"""
    m = flat(rng)
    one, two = rng.uniform(0.8, 1.1), rng.uniform(1.9, 2.3)
    lines = []
    for k, (wall, tilt, long) in enumerate(((0, one, 2), (1.5, two, 1.8))):
        top = (wall, long * math.sin(tilt), 0)
        foot = (wall + (1 if k == 0 else -1) * long * abs(math.cos(tilt)), 0, 0)
        lines.append((foot, top))
        m.bar(f"ladder{k}", foot, top, rng.uniform(1, 2))
        m.slot("ground", f"ladder{k}", foot, X)
        m.slot("ground", f"ladder{k}", top, Y)
        m.spring("ground", f"ladder{k}", (0.7, -1, 0), foot, rng.uniform(60, 150), 0.5)
    (p, q), (r, s) = lines
    u, v = sub(q, p), sub(s, r)
    w = sub(r, p)
    part = (w[0] * v[1] - w[1] * v[0]) / (u[0] * v[1] - u[1] * v[0])
    at = between(p, q, part)
    m.box("block", at, (0.1, 0.1, 0.1), 0.5)
    m.slide("ladder0", "block", at, unit(u))
    m.slot("ladder1", "block", at, unit(v))
    m.spin("ladder0", rng.uniform(-0.5, 0.5))
    m.end = 0.4
    return m


def shrinking_pantographs(rng):
    """Two to four pantographs in a row, each drawing the next one, a third as large and a tenth as heavy; no gravity"""
    m = flat(rng, down=(0, 0, 0))
    size, at, last, mass = 1.0, (0, 0, 0), None, 1.0
    for k in range(rng.randint(2, 4)):
        fixed = at
        u, v = polar(size, 0.5 + 0.3 * (-1) ** k), polar(size, 2.0 + 0.3 * (-1) ** k)
        # fixed -> knee -> tracer with the parallelogram fixed + u/3: similar triangles from the fixed pin
        knee, tracer = add(fixed, u), add(add(fixed, u), v)
        low, inner = add(fixed, mul(u, 1 / 3)), add(fixed, mul(add(u, v), 1 / 3))
        side = add(knee, mul(v, 1 / 3))
        for name, p, q in (("arm", fixed, knee), ("fore", knee, tracer), ("short", low, inner), ("link", inner, side)):
            m.bar(f"{name}{k}", p, q, mass * rng.uniform(0.3, 1))
        hinges(m, ("ground", f"arm{k}", fixed), (f"arm{k}", f"fore{k}", knee), (f"arm{k}", f"short{k}", low),
               (f"short{k}", f"link{k}", inner), (f"link{k}", f"fore{k}", side))
        if last:
            m.hinge(last[0], f"fore{k}", tracer)
        last = (f"short{k}", inner)
        # the next one's tracer is this one's inner point
        size, mass = size / 3, mass / 10
        u2, v2 = polar(size, 0.5 + 0.3 * (-1) ** (k + 1)), polar(size, 2.0 + 0.3 * (-1) ** (k + 1))
        at = sub(inner, add(u2, v2))
    m.spin("arm0", rng.uniform(0.3, 0.8))
    m.end = 0.8
    return m


# Relations that repeat one another

def gear_ring(rng):
    """Four gears in a ring, each in mesh with two others: one relation too many; a swing on one of them, a torque on another"""
    m = Mechanism(rng, PLANE)
    teeth = [rng.choice((1, 1.25, 2, 2.5)) for _ in range(4)]
    corners = [(0, 0, 0), (2.2, 0, 0), (2.2, 2.2, 0), (0, 2.2, 0)]
    for k, p in enumerate(corners):
        m.moments(f"gear{k}", add(p, polar(rng.uniform(0, 0.1), rng.uniform(0, TURN))), 1, (0.05, 0.05, rng.uniform(0.1, 0.3)))
        m.hinge("ground", f"gear{k}", p, name=f"G{k}")
    for k in range(4):
        n = (k + 1) % 4
        ratio = digits(-teeth[k] / teeth[n])
        relation(m, "gear", f"mesh{k}", joints=[f"G{k}", f"G{n}"], ratio=ratio)
        replaced(m, [f"mesh{k}"], [f"({teeth[n]!r})*{angle(m, f'gear{n}')} + ({teeth[k]!r})*{angle(m, f'gear{k}')}"])
    pin = add(corners[2], (0.3, 0, 0))
    m.bar("swing", pin, add(pin, polar(0.6, rng.uniform(-2, -1))), 0.5)
    m.hinge("gear2", "swing", pin)
    m.effort("G0", wave(rng, 0.5, 3))
    m.end = 2
    return m


def desmodromic(rng):
    """A cam with two followers that hold one slide from both sides, by formulas that say the same in other words: one row too many"""
    m = Mechanism(rng, PLANE, upright=True)
    m.moments("cam", polar(rng.uniform(0, 0.1), 1), 2, (0.1, 0.1, 0.3))
    m.hinge("ground", "cam", (0, 0, 0), name="C")
    h, n = rng.uniform(0.1, 0.3), rng.randint(1, 2)
    m.box("slide", (0, 1, 0), (0.2, 1, 0.2), 1)
    m.slide("ground", "slide", (0, 1, 0), Y)
    mark, turn = m.marker("slide", (0, 1, 0)), angle(m, "cam")
    m.constraints += [{"name": "lift", "expression": f"{mark}.y/lam - 1 - {h!r}*sin({n}*{turn})"},
                      {"name": "return", "expression": f"{mark}.y/lam - 1 - {2 * h!r}*sin({n / 2!r}*{turn})*cos({n / 2!r}*{turn})"}]
    m.bar("swing", (0, 1, 0), add((0, 1, 0), polar(0.7, rng.uniform(-2, -1))), 0.7)
    m.hinge("slide", "swing", (0, 1, 0))
    m.spin("cam", rng.uniform(3, 6))
    m.end = 2
    return m


def twin_racks(rng):
    """A pinion between two racks that a rocking beam ties as well: one row too many; springs, a pendulum on the pinion"""
    m = Mechanism(rng, PLANE)
    r, far = rng.uniform(0.3, 0.5), 1.5
    m.moments("pinion", polar(rng.uniform(0, 0.1), 1), 1, (0.05, 0.05, 0.1))
    m.hinge("ground", "pinion", (0, 0, 0), name="P")
    m.bar("beam", (far, -0.6, 0), (far, 0.6, 0), 0.5)
    m.hinge("ground", "beam", (far, 0, 0))
    for k, y in enumerate((r, -r)):
        m.box(f"rack{k}", (0, y, 0), (2, 0.1, 0.1), rng.uniform(1, 2))
        m.slide("ground", f"rack{k}", (0, y, 0), X, name=f"S{k}")
        m.slot("beam", f"rack{k}", (far, y, 0), Y)
        radius = digits((-1) ** k * r * m.lam)
        relation(m, "rack_and_pinion", f"teeth{k}", joints=["P", f"S{k}"], radius=radius)
        mark, start, d = m.marker(f"rack{k}", (0, y, 0)), m.point((0, y, 0)), m.direction(X)
        moved = " + ".join(f"({digits(e)!r})*({mark}.{x} - ({digits(s)!r}))" for e, x, s in zip(d, "xy", start))
        replaced(m, [f"teeth{k}"], [f"({moved})/({radius!r}) - {angle(m, 'pinion')}"])
    m.spring("ground", "rack0", (-2, r, 0), (-1, r, 0), 60, 0.5, rng.uniform(0.7, 1.3))
    m.bar("swing", (r, 0, 0), (r, -0.6, 0), 0.5)
    m.hinge("pinion", "swing", (r, 0, 0))
    m.end = 1.5
    return m


def four_screws(rng):
    """A table on two to four equal screws that a chain ties (equal angles), in guides: redundant; a torque on one, a load swings"""
    m = spatial(rng, upright=True)
    n, lead = rng.randint(2, 4), rng.choice((-1, 1)) * rng.uniform(0.5, 1.5)
    value = digits(lead * m.lam)
    upright_box(m, "table", (0, 0, 0.3), (1, 1, 0.1), 4)
    m.slide("ground", "table", (0, 0, 0.3), Z, name="N")
    mark, start = m.marker("table", (0, 0, 0.3)), m.point((0, 0, 0.3))
    for k in range(n):
        p = polar(0.5, k * TURN / n + 0.3)
        upright_box(m, f"screw{k}", p, (0.1, 0.1, 2), 1)
        m.hinge("ground", f"screw{k}", p, Z, name=f"S{k}")
        relation(m, "screw", f"thread{k}", joints=[f"S{k}", "N"], lead=value)
        replaced(m, [f"thread{k}"], [f"sin(2*pi*({mark}.z - ({digits(start[2])!r}))/({value!r}) - screw{k}.yaw)"])
        if k:
            relation(m, "gear", f"chain{k}", joints=["S0", f"S{k}"], ratio=1)
            replaced(m, [f"chain{k}"], [f"sin(screw0.yaw - screw{k}.yaw)"])
    m.effort("S0", wave(rng, 1, 5))
    m.torsion("N", 60, 1, sliding=True)
    m.bar("load", (0.3, 0, 0.3), (0.5, 0.3, -0.4), 1)
    m.hinge("table", "load", (0.3, 0, 0.3), unit((0.3, 1, 0.1)))
    m.end = 1.2
    return m


# Moving constraints

def travelling_wave(rng):
    """Two or three beads on a wave that travels (an expression of place and time), tied by rods, a pendulum on the first"""
    m = Mechanism(rng, PLANE, upright=True)
    k, h, w = rng.uniform(1, 2), rng.uniform(0.1, 0.3), rng.uniform(1, 4) * rng.choice((-1, 1))
    places = [(0.8 * i + rng.uniform(0.1, 0.3), 0, 0) for i in range(rng.randint(2, 3))]
    places = [(x, h * math.cos(k * x), 0) for x, _, _ in places]
    for i, p in enumerate(places):
        m.box(f"bead{i}", p, (0.2, 0.1, 0.1), 1 + i)
        name = m.marker(f"bead{i}", p)
        m.constraints.append({"name": f"track{i}", "expression": f"{name}.y - lam*{h!r}*cos({k!r}*{name}.x/lam - {w!r}*t/tau)"})
        if i:
            m.rod(f"bead{i - 1}", f"bead{i}", places[i - 1], p)
    m.bar("swing", places[0], add(places[0], polar(0.5, rng.uniform(-2, -1))), 0.5)
    m.hinge("bead0", "swing", places[0])
    m.driven = True
    m.end = 1.5
    return m


def pulled_loop(rng):
    """A four-bar linkage one of whose ground pins is carried by a slide with a motor, the other by a second one"""
    m = flat(rng)
    o, c = (0, 0, 0), (2, 0, 0)
    a = polar(1.2, rng.uniform(1.2, 1.8))
    b = meet(a, rng.uniform(1.6, 2.1), c, 1.3, 1)
    for k, (p, u) in enumerate(((o, X), (c, polar(1, rng.uniform(0, TURN))))):
        m.box(f"carriage{k}", p, (0.3, 0.2, 0.2), 2)
        m.slide("ground", f"carriage{k}", p, u, motor=f"{rng.uniform(-0.2, 0.2)!r}*sin({rng.uniform(2, 6)!r}*t/tau)")
    for name, p, q in (("left", o, a), ("coupler", a, b), ("right", c, b)):
        m.bar(name, p, q, rng.uniform(0.5, 2))
    hinges(m, ("carriage0", "left", o), ("left", "coupler", a), ("coupler", "right", b), ("carriage1", "right", c))
    m.torsion(m.joints[2]["name"], 30, 0.5)
    m.end = 1
    return m


# Space

def twin_dead_centres(rng):
    """Two to four slider-cranks on one upright shaft, all at a dead centre, at rest, springs on the pistons; started by a torque"""
    m = flat(rng)
    m.moments("wheel", (0, 0, 0), 3, (0.5, 0.5, 1))
    joint = m.hinge("ground", "wheel", (0, 0, 0))
    for k in range(rng.randint(2, 4)):
        u = polar(1, k * TURN / 4)
        pin = mul(u, rng.choice((-1, 1)) * rng.uniform(0.3, 0.5))
        at = add(pin, mul(u, rng.uniform(1.1, 1.8)))
        plane.piston(m, pin, at, f"slider{k}", f"rod{k}", u, "wheel")
        m.spring("ground", f"slider{k}", mul(u, 4), at, rng.uniform(20, 60), 0.3)
    m.effort(joint, wave(rng, 2, 8))
    m.end = 1.5
    return m


def spherical_five_bar(rng):
    """Five hinges whose axes meet in a point, a ball joint in that point besides, servos at both grounded hinges or none"""
    m = spatial(rng)
    axes = [unit(add((math.cos(k * TURN / 5), math.sin(k * TURN / 5), 0.6), mul(any_direction(rng), 0.15))) for k in range(5)]
    space.hinge_loop(m, rng, [mul(a, rng.uniform(0.8, 1.2)) for a in axes], axes, rng.uniform(0.5, 1))
    m.socket("ground", "link2", (0, 0, 0))
    if rng.random() < 0.5:
        for k in (0, 4):
            m.servo(m.joints[0 if k == 0 else 1]["name"], f"{rng.uniform(-0.3, 0.3)!r}*sin({rng.uniform(2, 4)!r}*t/tau)", 20, 3)
    m.end = 1
    return m


def wren(rng):
    """Wren's platform: a plate on four to six equal legs with ball and universal joints about a circle, twisted, turns and rises"""
    m = spatial(rng, upright=True)
    n, radius, high, twist = rng.randint(4, 6), rng.uniform(0.3, 0.6), rng.uniform(1.2, 1.8), rng.uniform(0.9, 1.3)
    rise = math.sqrt(high ** 2 - (2 * radius * math.sin(twist / 2)) ** 2)
    upright_box(m, "plate", (0, 0, rise), (0.8, 0.6, 0.1), 3)
    for k in range(n):
        p, q = polar(radius, k * TURN / n), polar(radius, k * TURN / n + twist, (0, 0, rise))
        u = unit(sub(q, p))
        side = unit(cross(u, polar(1, k * TURN / n)))
        m.bar(f"leg{k}", p, q, 0.3)
        m.cardan("ground", f"leg{k}", p, side, unit(cross(u, side)))
        m.socket(f"leg{k}", "plate", q)
    mark = m.marker("plate", (0, 0, rise), "middle")
    replaced(m, [], [f"{mark}.x/lam", f"{mark}.y/lam", *turns("plate")[:2]])
    m.spring("ground", "plate", (0, 0, rise + 1.5), (0, 0, rise), 60, 0.5, 1.5 - 0.4)
    push = wave(rng, 0.5, 2)
    for s in (1, -1):
        m.force("plate", (0.4 * s, 0, rise), ["0", f"{s}*({push})", "0"])
    m.end, m.regular = 0.8, False
    return m


def three_rpr(rng):
    """A plane platform on three legs with hinge, slide and hinge, on springs or driven; the legs may meet in a point"""
    m = flat(rng)
    feet = [polar(1.5, k * TURN / 3) for k in range(3)]
    turn = rng.choice((0, rng.uniform(-0.5, 0.5)))
    corners = [polar(0.5, k * TURN / 3 + turn, (rng.uniform(-0.1, 0.1), 0.1, 0)) for k in range(3)]
    m.plate("platform", *corners, mass=3)
    for k, (p, q) in enumerate(zip(feet, corners)):
        telescope(m, k, p, q)
        m.hinge("ground", f"low{k}", p)
        joint = m.slide(f"low{k}", f"high{k}", middle(p, q), unit(sub(q, p)))
        m.hinge(f"high{k}", "platform", q)
        m.torsion(joint, rng.uniform(100, 400), 3, sliding=True)
    shaken(m, rng, "platform", corners[0], 3, 20)
    m.end = 1.5
    return m


def spinning_coupler(rng):
    """A flywheel that spins fast on the coupler of a four-bar linkage in space, its axis across the plane or in it"""
    m = Mechanism(rng, SPACE)
    _, a, b, _ = plane.four_bar(m, rng, rng.uniform(1, 2))
    axis = rng.choice((unit(sub(b, a)), Z, unit((0.3, 0.5, 0.8))))
    at = middle(a, b)
    n = unit(cross(axis, (0.3, -0.8, 0.5)))
    m.moments("flywheel", at, 1, (0.3, 0.3, 0.5), tuple(zip(n, cross(axis, n), axis)))
    m.hinge("coupler", "flywheel", at, axis)
    m.spin("flywheel", rng.uniform(30, 100), axis, leads=False)
    m.end = 1
    return m


def bricard_plane(rng):
    """Bricard's plane-symmetric loop of six hinges: two axes in the plane, the others mirror images; one row redundant"""
    m = spatial(rng)
    tilt = [rng.uniform(-0.6, 0.6) for _ in range(2)]
    first, fourth = (((0, y, z), (0, math.sin(a), math.cos(a))) for y, z, a in ((-0.8, 0, tilt[0]), (0.9, 0.2, tilt[1])))
    right = [((rng.uniform(0.5, 1), y + rng.uniform(-0.1, 0.1), rng.uniform(-0.3, 0.3)), any_direction(rng)) for y in (-0.5, 0.5)]
    left = [tuple((-x, y, z) for x, y, z in pair) for pair in reversed(right)]
    loop = [first, *right, fourth, *left]
    space.hinge_loop(m, rng, [p for p, _ in loop], [u for _, u in loop], rng.uniform(0.5, 1.5))
    m.end = 0.8
    return m


FAMILIES = [flat_tongs, flat_tongs_guided, flat_stack, flat_engine, level_cross, locomotive, driven_light, driven_robot,
            twin_motors, twin_gantry, over_truss, bolted, press_on_columns, four_feet, points_on_planes, bifold_door, scott_russell,
            grasshopper, four_bar_train, scissor_six, crossed_ladders, shrinking_pantographs, gear_ring, desmodromic, twin_racks,
            four_screws, travelling_wave, pulled_loop, twin_dead_centres, spherical_five_bar, wren, three_rpr, spinning_coupler,
            bricard_plane]
