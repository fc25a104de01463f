"""Families of linkages that move in a plane: in two dimensions, or in space with parallel hinges, where rows are redundant."""
import math

from geometry import add, between, meet, middle, mul, norm, polar, sub, unit
from mechanism import PLANE, SPACE, Mechanism

TURN = 2 * math.pi


def flat(rng, **more):
    return Mechanism(rng, rng.choice((PLANE, SPACE)), **more)


def turning(m, rng, joint, body, rate):
    """The crank turns steadily, by a motor, or freely with that rate at the start. Returns what the hinge is to have."""
    if rng.random() < 0.5:
        return f"{rate!r}*t/tau"
    m.spin(body, rate)
    return None


def crank(m, rng, o, a, rate, name="crank"):
    m.bar(name, o, a, 1)
    m.hinge("ground", name, o, motor=turning(m, rng, "O", name, rate), name="O")


def pendulum_chain(rng):
    """One to three bars on hinges, from rest"""
    m = flat(rng)
    at, last = (0, 0, 0), "ground"
    for k in range(rng.randint(1, 3)):
        tip = add(at, polar(rng.uniform(0.5, 1), rng.uniform(-2.3, -0.8)))
        m.bar(f"bar{k}", at, tip, rng.uniform(0.5, 2))
        m.hinge(last, f"bar{k}", at)
        at, last = tip, f"bar{k}"
    m.end = 2.5
    return m


def crank_rocker_points(rng):
    """A four-bar linkage whose crank can turn: O, A, B, C."""
    while True:
        r, l, s, d = 1, rng.uniform(2, 4), rng.uniform(2, 4), rng.uniform(2, 4)
        if max(l, s, d) + r + 0.3 < sum((l, s, d)) - max(l, s, d):
            break
    o, c, a = (0, 0, 0), (d, 0, 0), polar(r, rng.uniform(0, TURN))
    return o, a, meet(a, l, c, s, 1), c


def four_bar(m, rng, rate):
    o, a, b, c = crank_rocker_points(rng)
    crank(m, rng, o, a, rate)
    m.bar("coupler", a, b, 2)
    m.bar("rocker", c, b, 1.5)
    m.hinge("crank", "coupler", a)
    m.hinge("coupler", "rocker", b)
    m.hinge("ground", "rocker", c)
    return o, a, b, c


def reachable(points, foot, r, s):
    """Two links of lengths r and s can follow these points all the way, with a twentieth to spare."""
    return all(1.05 * abs(r - s) < norm(sub(p, foot)) < 0.95 * (r + s) for p in points)


def one_turn(o, a, b, c, draw):
    """draw(A, B) at 60 places of one turn of the crank of a four-bar linkage."""
    r, l, s = norm(sub(a, o)), norm(sub(b, a)), norm(sub(c, b))
    places = [polar(r, TURN * k / 60, o) for k in range(60)]
    return [draw(x, meet(x, l, c, s, 1)) for x in places]


def carried(p, q, like_p, like_q, point):
    """Where a point of a body is whose points like_p, like_q are now at p, q."""
    before, after = sub(like_q, like_p), sub(q, p)
    turn = math.atan2(after[1], after[0]) - math.atan2(before[1], before[0])
    x, y, _ = sub(point, like_p)
    return add(p, (x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn), 0))


def crank_rocker(rng):
    """Four-bar linkage with a turning crank"""
    m = flat(rng)
    four_bar(m, rng, rng.uniform(3, 6))
    m.end = 3
    return m


def double_rocker(rng):
    """Four-bar linkage without a full turn, released; the coupler swings to its limits and back"""
    m = flat(rng)
    o, c = (0, 0, 0), (2, 0, 0)
    a = polar(1.5, rng.uniform(1.2, 1.7))
    b = meet(a, rng.uniform(1.25, 1.5), c, 1.5, 1)
    for name, p, q in (("left", o, a), ("coupler", a, b), ("right", c, b)):
        m.bar(name, p, q, rng.uniform(0.5, 2))
    for one, two, p in (("ground", "left", o), ("left", "coupler", a), ("coupler", "right", b), ("ground", "right", c)):
        m.hinge(one, two, p)
    m.spin("left", rng.uniform(0.3, 1))
    m.end = 1.5
    return m


def piston(m, pin, slider, body, rod, direction, crank_body="crank"):
    m.bar(rod, pin, slider, 0.7)
    m.box(body, slider, (0.3, 0.3, 0.3), 1.3)
    m.hinge(crank_body, rod, pin)
    m.hinge(rod, body, slider)
    m.slide("ground", body, slider, direction)


def on_line(pin, length, foot, direction):
    """The point of a line farther along `direction` at a distance from the pin."""
    d = sub(foot, pin)
    b = sum(x * y for x, y in zip(d, direction))
    return add(foot, mul(direction, -b + math.sqrt(b * b - norm(d) ** 2 + length ** 2)))


def slider_crank(rng):
    """Slider-crank with an offset, its rod well longer than the crank"""
    m = flat(rng)
    o, a = (0, 0, 0), polar(0.5, rng.uniform(0, TURN))
    crank(m, rng, o, a, rng.uniform(3, 8))
    piston(m, a, on_line(a, rng.uniform(1.2, 2), (0, rng.uniform(-0.4, 0.4), 0), (1, 0, 0)), "slider", "rod", (1, 0, 0))
    m.end = 3
    return m


def engine(rng):
    """Two or three cylinders in a V or a star on one crank, gas forces as a formula of time"""
    m = flat(rng)
    n, o, a = rng.randint(2, 3), (0, 0, 0), polar(0.4, rng.uniform(0, TURN))
    crank(m, rng, o, a, rng.uniform(5, 9))
    for k in range(n):
        u = polar(1, k * TURN / n + 0.4)
        piston(m, a, on_line(a, 1.5, o, u), f"piston{k}", f"rod{k}", u)
        m.force(f"piston{k}", on_line(a, 1.5, o, u), [f"{(-5 * x)!r}*(1 + sin(6*t/tau + {k}))" for x in u[:2]] + ["0"])
    m.end = 2
    return m


def quick_return(rng):
    """Whitworth's quick return: crank pin in the slot of a rocker that drives a ram"""
    m = flat(rng)
    o, foot = (0, 0, 0), (0, -1.2, 0)
    a = polar(0.5, rng.uniform(0, TURN))
    tip = add(foot, mul(unit(sub(a, foot)), 2.4))
    crank(m, rng, o, a, rng.uniform(2, 5))
    m.bar("rocker", foot, tip, 2)
    m.hinge("ground", "rocker", foot)
    m.slot("rocker", "crank", a, unit(sub(tip, foot)))
    ram = on_line(tip, 0.9, (0, 1.5, 0), (1, 0, 0))
    m.bar("link", tip, ram, 0.5)
    m.box("ram", ram, (0.5, 0.2, 0.2), 3)
    m.hinge("rocker", "link", tip)
    m.hinge("link", "ram", ram)
    m.slide("ground", "ram", ram, (1, 0, 0))
    m.end = 3
    return m


def scotch_yoke(rng):
    """Crank pin in the slot of a sliding yoke, against a spring"""
    m = flat(rng)
    o, a = (0, 0, 0), polar(0.5, rng.uniform(0, TURN))
    crank(m, rng, o, a, rng.uniform(3, 6))
    m.box("yoke", (a[0], 0, 0), (0.2, 1.2, 0.1), 2)
    m.slot("yoke", "crank", a, (0, 1, 0))
    m.slide("ground", "yoke", (a[0], 0, 0), (1, 0, 0))
    m.spring("ground", "yoke", (2, 0, 0), (a[0], 0, 0), 20, 0.5, 1.5)
    m.end = 3
    return m


def toggle_press(rng):
    """A crank works a toggle that moves a ram, against a stiff spring"""
    m = flat(rng)
    top = (0, 2, 0)
    while True:
        o, rod = (rng.uniform(-2.2, -1.5), rng.uniform(0.6, 1.4), 0), rng.uniform(1.2, 2)
        track = [polar(0.22, TURN * k / 60, o) for k in range(60)]
        if reachable(track, top, 1, rod) and all(abs(meet(top, 1, p, rod, 1)[0]) < 0.6 for p in track):
            break
    a = polar(0.22, rng.uniform(0, TURN), o)
    knee = meet(top, 1, a, rod, 1)
    ram = add(knee, (-knee[0], -math.sqrt(1 - knee[0] ** 2), 0))
    crank(m, rng, o, a, rng.uniform(3, 6))
    for name, p, q in (("coupler", a, knee), ("upper", top, knee), ("lower", knee, ram)):
        m.bar(name, p, q, 0.8)
    m.box("ram", ram, (0.4, 0.4, 0.4), 3)
    m.hinge("crank", "coupler", a)
    m.hinge("ground", "upper", top)
    m.hinge("upper", "coupler", knee)
    m.hinge("upper", "lower", knee)
    m.hinge("lower", "ram", ram)
    m.slide("ground", "ram", ram, (0, 1, 0))
    m.spring("ground", "ram", (0, -2, 0), ram, 300, 3)
    m.end = 2
    return m


def watt(rng):
    """Watt's six-bar: a four-bar whose rocker drives a dyad"""
    m = flat(rng)
    o, a, b, c = crank_rocker_points(rng)
    far = add(add(c, mul(sub(b, c), 0.6)), (0.9, 0.4, 0))
    track = one_turn(o, a, b, c, lambda _, q: carried(c, q, c, b, far))
    while True:
        ground, r, s = add(middle(*track), (rng.uniform(1, 3), rng.uniform(-2, 1), 0)), rng.uniform(1.5, 3), rng.uniform(1.5, 3)
        if reachable(track, ground, r, s):
            break
    d = meet(far, r, ground, s, -1)
    crank(m, rng, o, a, rng.uniform(2, 4))
    m.bar("coupler", a, b)
    m.plate("rocker", c, b, far)
    m.bar("link", far, d)
    m.bar("output", ground, d)
    for one, two, p in (("crank", "coupler", a), ("coupler", "rocker", b), ("ground", "rocker", c), ("rocker", "link", far),
                        ("link", "output", d), ("ground", "output", ground)):
        m.hinge(one, two, p)
    m.end = 2
    return m


def stephenson(rng):
    """Stephenson's six-bar: a point of the coupler drives a dyad"""
    m = flat(rng)
    o, a, b, c = crank_rocker_points(rng)
    tip = add(middle(a, b), (0.3, 1.0, 0))
    track = one_turn(o, a, b, c, lambda p, q: carried(p, q, a, b, tip))
    while True:
        ground, r, s = add(middle(*track), (rng.uniform(-3, 3), rng.uniform(1, 4), 0)), rng.uniform(1.5, 4), rng.uniform(1.5, 4)
        if reachable(track, ground, r, s):
            break
    d = meet(tip, r, ground, s, 1)
    crank(m, rng, o, a, rng.uniform(2, 4))
    m.plate("coupler", a, b, tip)
    m.bar("rocker", c, b)
    m.bar("link", tip, d)
    m.bar("output", ground, d)
    for one, two, p in (("crank", "coupler", a), ("coupler", "rocker", b), ("ground", "rocker", c), ("coupler", "link", tip),
                        ("link", "output", d), ("ground", "output", ground)):
        m.hinge(one, two, p)
    m.end = 2
    return m


def jansen(rng):
    """Theo Jansen's leg of eight bars, by his numbers"""
    m = flat(rng)
    s = 1 / 30
    o, b = (0, 0, 0), (-38 * s, -7.8 * s, 0)
    z = polar(15 * s, rng.uniform(0, TURN))
    c, d = meet(z, 50 * s, b, 41.5 * s, -1), meet(z, 61.9 * s, b, 39.3 * s, 1)
    e = meet(b, 40.1 * s, c, 55.8 * s, 1)
    f = meet(e, 39.4 * s, d, 36.7 * s, -1)
    g = meet(f, 65.7 * s, d, 49 * s, -1)
    crank(m, rng, o, z, rng.uniform(2, 5))
    for name, p, q in (("upper", z, c), ("lower", z, d), ("hip", b, d), ("shin", e, f)):
        m.bar(name, p, q)
    m.plate("thigh", b, c, e)
    m.plate("foot", d, f, g)
    for one, two, p in (("crank", "upper", z), ("crank", "lower", z), ("upper", "thigh", c), ("ground", "thigh", b),
                        ("ground", "hip", b), ("lower", "hip", d), ("lower", "foot", d), ("thigh", "shin", e), ("shin", "foot", f)):
        m.hinge(one, two, p)
    m.end = 2
    return m


def peaucellier(rng):
    """Peaucellier's straight-line linkage of eight bars, swinging on its straight line"""
    m = flat(rng)
    o, pivot = (0, 0, 0), (0.6, 0, 0)
    a = polar(0.6, rng.uniform(-0.3, 0.3), pivot)
    b, c = meet(o, 1.6, a, 0.9, 1), meet(o, 1.6, a, 0.9, -1)
    p = add(add(b, c), mul(a, -1))
    for name, u, v in (("arm", pivot, a), ("long1", o, b), ("long2", o, c), ("ab", a, b), ("ac", a, c), ("bp", b, p), ("cp", c, p)):
        m.bar(name, u, v, rng.uniform(0.5, 1.5))
    for one, two, at in (("ground", "arm", pivot), ("ground", "long1", o), ("ground", "long2", o), ("arm", "ab", a), ("ab", "ac", a),
                         ("long1", "ab", b), ("long1", "bp", b), ("long2", "ac", c), ("long2", "cp", c), ("bp", "cp", p)):
        m.hinge(one, two, at)
    m.spring("ground", "cp", add(p, (0, 1.5, 0)), p, 100, 1, 1.3)
    m.spring("ground", "cp", add(p, (0, -1.5, 0)), p, 100, 1, 1.6)
    m.spin("arm", rng.uniform(0.3, 0.8))
    m.end = 1.5
    return m


def scissor_lift(rng):
    """Scissors of one to three storeys under a table, lifted by a motor or held by a spring"""
    m = flat(rng)
    n, w, h = rng.randint(1, 3), 1.0, rng.uniform(0.4, 0.8)
    lower_left = lower_right = None
    for k in range(n):
        p = [(0, k * h, 0), (w, k * h, 0), (0, (k + 1) * h, 0), (w, (k + 1) * h, 0)]
        m.bar(f"up{k}", p[0], p[3])
        m.bar(f"down{k}", p[1], p[2])
        m.hinge(f"up{k}", f"down{k}", middle(p[0], p[3]))
        if k == 0:
            m.hinge("ground", "up0", p[0])
            m.slot("ground", "down0", p[1], (1, 0, 0))
        else:
            m.hinge(lower_left, f"up{k}", p[0])
            m.hinge(lower_right, f"down{k}", p[1])
        lower_left, lower_right = f"down{k}", f"up{k}"
    m.box("table", (w / 2, n * h, 0), (1.2, 0.1, 0.8), 3)
    m.hinge("table", lower_left, (0, n * h, 0))
    m.slot("table", lower_right, (w, n * h, 0), (1, 0, 0))
    if rng.random() < 0.5:
        m.slide("ground", "table", (w / 2, n * h, 0), (0, 1, 0), motor="0.1*sin(2*t/tau)")
    else:
        m.spring("ground", "table", (w / 2, -1, 0), (w / 2, n * h, 0), 400, 4)
    m.end = 3
    return m


def cylinder(m, name, a, b, p, q, motor):
    """A hydraulic cylinder from p of a to q of b."""
    u = unit(sub(q, p))
    m.bar(f"{name}_tube", p, between(p, q, 0.6), 0.5)
    m.bar(f"{name}_piston", between(p, q, 0.4), q, 0.3)
    m.hinge(a, f"{name}_tube", p)
    m.hinge(b, f"{name}_piston", q)
    m.slide(f"{name}_tube", f"{name}_piston", middle(p, q), u, motor=motor)


def excavator(rng):
    """Boom, stick and bucket with a four-bar, moved by three cylinders"""
    m = flat(rng)
    foot, elbow, wrist = (0, 0, 0), polar(3, rng.uniform(0.5, 0.8)), None
    wrist = add(elbow, polar(1.6, rng.uniform(-1.2, -0.8)))
    m.bar("boom", foot, elbow, 5)
    m.bar("stick", elbow, wrist, 2)
    m.plate("bucket", wrist, add(wrist, (0.2, -0.6, 0)), add(wrist, (-0.1, -0.4, 0)), mass=1.5)
    m.hinge("ground", "boom", foot)
    m.hinge("boom", "stick", elbow)
    m.hinge("stick", "bucket", wrist)
    motors = [f"{rng.uniform(0.1, 0.2)!r}*(1 - cos({rng.uniform(1.5, 3)!r}*t/tau))" for _ in range(3)]
    cylinder(m, "lift", "ground", "boom", (1, -0.5, 0), between(foot, elbow, 0.5), motors[0])
    cylinder(m, "crowd", "boom", "stick", add(between(foot, elbow, 0.6), (0, 0.4, 0)), add(elbow, (-0.3, 0.4, 0)), motors[1])
    link = add(wrist, (0.45, 0.25, 0))
    m.bar("link", between(elbow, wrist, 0.8), link, 0.3)
    m.bar("tie", link, add(wrist, (0.35, -0.2, 0)), 0.3)
    m.hinge("stick", "link", between(elbow, wrist, 0.8))
    m.hinge("link", "tie", link)
    m.hinge("tie", "bucket", add(wrist, (0.35, -0.2, 0)))
    cylinder(m, "curl", "stick", "link", add(between(elbow, wrist, 0.15), (0.4, 0.1, 0)), link, motors[2].replace("0.1", "0.05"))
    m.end = 2
    return m


def dump_truck(rng):
    """A loaded tipper raised by a cylinder, on springs"""
    m = Mechanism(rng, PLANE)
    m.box("chassis", (0, 0, 0), (4, 0.3, 1), 5)
    m.box("bed", (0.2, 0.6, 0), (3, 0.6, 1), 3)
    m.hinge("chassis", "bed", (-1.4, 0.25, 0))
    cylinder(m, "ram", "chassis", "bed", (0.6, -0.1, 0), (1.2, 0.5, 0), f"{rng.uniform(0.2, 0.4)!r}*(1 - cos(1.5*t/tau))")
    for x in (-1.6, 1.6):
        m.spring("ground", "chassis", (x, -1, 0), (x, 0, 0), 400, 12)
        m.spring("ground", "chassis", (x - 0.8, -0.6, 0), (x, 0, 0), 100, 4)
    m.end = 2.5
    return m


def gripper(rng):
    """Two fingers on parallelograms, closed by one slider"""
    m = flat(rng)
    m.box("slider", (0, 0, 0), (0.4, 0.2, 0.2), 1)
    m.slide("ground", "slider", (0, 0, 0), (0, 1, 0), motor=f"{rng.uniform(0.05, 0.12)!r}*sin(2*t/tau)")
    for side in (1, -1):
        inner, outer, pin = (side * 0.5, 0.8, 0), (side * 0.9, 0.8, 0), (side * 0.2, 0, 0)
        knee = (side * 0.75, 0.25, 0)
        tip = add(inner, (side * 0.15, 0.9, 0))
        name = "left" if side < 0 else "right"
        m.bar(f"{name}_link", pin, knee, 0.3)
        m.plate(f"{name}_lever", knee, inner, tip, mass=0.6)
        m.bar(f"{name}_side", outer, add(tip, sub(outer, inner)), 0.4)
        m.bar(f"{name}_finger", tip, add(tip, sub(outer, inner)), 0.5)
        m.hinge("slider", f"{name}_link", pin)
        m.hinge(f"{name}_link", f"{name}_lever", knee)
        m.hinge("ground", f"{name}_lever", inner)
        m.hinge("ground", f"{name}_side", outer)
        m.hinge(f"{name}_lever", f"{name}_finger", tip)
        m.hinge(f"{name}_side", f"{name}_finger", add(tip, sub(outer, inner)))
    m.end = 2.5
    return m


def oldham(rng):
    """Oldham's coupling of two parallel shafts"""
    m = flat(rng)
    offset = (rng.uniform(0.1, 0.3), rng.uniform(-0.2, 0.2), 0)
    apart = (0, 0, 0.3 if m.dimension == 3 else 0)
    m.box("input", (0, 0, 0), (0.9, 1, 0.1), 1)
    m.box("output", add(offset, mul(apart, 2)), (1, 0.9, 0.1), 2)
    middle_disc = add((offset[0], 0, 0), apart)
    m.box("disc", middle_disc, (0.8, 0.8, 0.1), 0.5)
    rate = rng.uniform(3, 8)
    m.hinge("ground", "input", (0, 0, 0), motor=turning(m, rng, "O", "input", rate))
    m.hinge("ground", "output", add(offset, mul(apart, 2)))
    m.slide("input", "disc", middle_disc, (1, 0, 0))
    m.slide("disc", "output", middle_disc, (0, 1, 0))
    m.torsion(m.joints[1]["name"], 0, 0.4)
    m.end = 2.5
    return m


def pantograph(rng):
    """Pantograph on a fixed pin, its tracer hung from springs"""
    m = flat(rng)
    o = (0, 0, 0)
    a, b = polar(1, rng.uniform(0.9, 1.3)), polar(2, rng.uniform(-0.3, 0.2))
    first, second = mul(a, 2), mul(b, 1)
    corner = add(first, second)
    m.bar("long1", o, first)
    m.bar("short1", a, add(a, mul(second, 0.5)), 0.5)
    m.bar("long2", first, corner)
    m.bar("short2", add(a, mul(second, 0.5)), add(first, mul(second, 0.5)), 0.5)
    for one, two, p in (("ground", "long1", o), ("long1", "short1", a), ("long1", "long2", first),
                        ("short1", "short2", add(a, mul(second, 0.5))), ("long2", "short2", add(first, mul(second, 0.5)))):
        m.hinge(one, two, p)
    m.spring("ground", "long2", add(corner, (0, 2, 0)), corner, 120, 4, 1.8)
    m.spring("ground", "long2", add(corner, (2, 0, 0)), corner, 120, 4, 1.9)
    m.spring("ground", "short2", add(o, (-1, 1, 0)), add(a, mul(second, 0.5)), 80, 3, 1.5)
    m.end = 2
    return m


def parallel_cranks(rng):
    """A coupler on three or four equal parallel cranks, swinging, never flat"""
    m = flat(rng)
    arm = polar(1, -math.pi / 2 + rng.uniform(-0.7, 0.7))
    feet = [(0.8 * k, 0, 0) for k in range(rng.randint(3, 4))]
    m.bar("coupler", arm, add(feet[-1], arm), 2)
    for k, foot in enumerate(feet):
        m.bar(f"crank{k}", foot, add(foot, arm), rng.uniform(0.5, 2))
        m.hinge("ground", f"crank{k}", foot)
        m.hinge(f"crank{k}", "coupler", add(foot, arm))
    m.spin("crank0", rng.uniform(-0.8, 0.8) + 1)
    m.end = 3
    return m


def ellipsograph(rng):
    """The trammel of Archimedes: a bar on two sliders at right angles"""
    m = flat(rng)
    angle = rng.uniform(0, TURN)
    x, y = (math.cos(angle), 0, 0), (0, math.sin(angle), 0)
    pen = add(x, mul(sub(x, y), rng.uniform(0.3, 0.8)))
    m.bar("bar", y, pen, 1)
    m.box("along", x, (0.2, 0.1, 0.1), 0.5)
    m.box("across", y, (0.1, 0.2, 0.1), 0.8)
    m.slide("ground", "along", x, (1, 0, 0))
    m.slide("ground", "across", y, (0, 1, 0))
    m.hinge("along", "bar", x)
    m.hinge("across", "bar", y)
    m.spin("bar", rng.uniform(3, 6))
    m.end = 3
    return m


def beam_engine(rng):
    """A beam between a crank and a piston on Watt's straight line"""
    m = flat(rng)
    o, hub = (2.5, -2.5, 0), (0, 0, 0)
    a = polar(0.5, rng.uniform(0, TURN), o)
    right = meet(hub, 2, a, 2.6, 1)
    left = mul(right, -1)
    track = [mul(meet(hub, 2, polar(0.5, TURN * k / 60, o), 2.6, 1), -1) for k in range(60)]
    while True:
        ground, r, s = add(middle(*track), (rng.uniform(-2, -1), rng.uniform(0.5, 1.2), 0)), rng.uniform(0.7, 1.2), rng.uniform(1.2, 2)
        if reachable(track, ground, r, s):
            break
    link = meet(left, r, ground, s, -1)
    crank(m, rng, o, a, rng.uniform(2, 4))
    m.bar("beam", left, right, 4)
    m.bar("rod", a, right, 1)
    m.bar("link", left, link, 0.5)
    m.bar("radius", ground, link, 0.7)
    for one, two, p in (("crank", "rod", a), ("rod", "beam", right), ("ground", "beam", hub), ("beam", "link", left),
                        ("link", "radius", link), ("ground", "radius", ground)):
        m.hinge(one, two, p)
    m.end = 2.5
    return m


def wiper(rng):
    """Windscreen wipers: crank-rocker and a parallelogram behind it"""
    m = flat(rng)
    _, _, b, c = four_bar(m, rng, rng.uniform(3, 5))
    side = sub(b, c)
    shift = add(mul(unit((-side[1], side[0], 0)), -2.5), mul(side, 0.1))
    m.bar("tie", b, add(b, shift), 0.5)
    m.bar("second", add(c, shift), add(b, shift), 1)
    m.hinge("rocker", "tie", b)
    m.hinge("tie", "second", add(b, shift))
    m.hinge("ground", "second", add(c, shift))
    m.bar("blade", b, add(b, mul(side, 0.8)), 0.3)
    m.joint("weld", "rocker", "blade", b)
    m.end = 2
    return m


def gantry_crane(rng):
    """A trolley driven along a beam, its load on a rope of one or two links"""
    m = flat(rng)
    m.box("trolley", (0, 0, 0), (0.4, 0.2, 0.2), 2)
    m.slide("ground", "trolley", (0, 0, 0), (1, 0, 0),
            motor=f"{rng.uniform(0.5, 2)!r}*(t/tau - sin(2*t/tau)/2)" if rng.random() < 0.7 else None)
    at, last = (0, 0, 0), "trolley"
    for k in range(rng.randint(1, 2)):
        end = add(at, polar(1, -math.pi / 2 + rng.uniform(-0.5, 0.5)))
        m.bar(f"rope{k}", at, end, 0.1)
        m.hinge(last, f"rope{k}", at)
        at, last = end, f"rope{k}"
    m.box("load", add(at, (0, -0.3, 0)), (0.6, 0.6, 0.6), 3)
    m.joint("weld", last, "load", at)
    m.end = 2.5
    return m


def carts(rng):
    """Two or three carts between springs, each with a pendulum"""
    m = flat(rng)
    n = rng.randint(2, 3)
    for k in range(n):
        at = (1.5 * k, 0, 0)
        m.box(f"cart{k}", at, (0.5, 0.2, 0.2), 2)
        m.slide("ground", f"cart{k}", at, (1, 0, 0), name=f"rail{k}")
        tip = add(at, polar(0.6, -math.pi / 2 + rng.uniform(-1, 1)))
        m.bar(f"swing{k}", at, tip, 0.5)
        m.hinge(f"cart{k}", f"swing{k}", at)
        if k:
            m.spring(f"cart{k - 1}", f"cart{k}", (1.5 * k - 1.5, 0, 0), at, 50, 0.5, rng.uniform(1.3, 1.6))
    m.torsion("rail0", 80, 1, sliding=True)
    m.effort("rail0", "5*sin(3*t/tau)", sliding=True)
    m.end = 2.5
    return m


def servo_arm(rng):
    """A plane arm of three links under servos"""
    m = flat(rng)
    at, last = (0, 0, 0), "ground"
    for k in range(3):
        tip = add(at, polar(0.8, rng.uniform(-0.5, 0.8)))
        m.bar(f"link{k}", at, tip, 1.5 - 0.4 * k)
        name = m.hinge(last, f"link{k}", at, name=f"J{k}")
        m.servo(name, f"{rng.uniform(-0.8, 0.8)!r}*sin({rng.uniform(1, 3)!r}*t/tau)", 120 / (k + 1), 12 / (k + 1))
        at, last = tip, f"link{k}"
    m.end = 2
    return m


def quarter_car(rng):
    """Wheel, arm and body over a road of smooth waves; the tyre is a spring to a formula of time"""
    m = Mechanism(rng, rng.choice((PLANE, SPACE)), upright=True)
    m.box("car", (0, 0.9, 0), (0.8, 0.3, 0.6), 10)
    m.slide("ground", "car", (0, 0.9, 0), (0, 1, 0))
    m.bar("arm", (-0.5, 0.5, 0), (0.3, 0.35, 0), 1)
    m.hinge("car", "arm", (-0.5, 0.5, 0))
    m.box("wheel", (0.3, 0.35, 0), (0.5, 0.5, 0.2), 1.5)
    m.hinge("arm", "wheel", (0.3, 0.35, 0))
    m.spring("car", "arm", (0.1, 0.9, 0), (0.1, 0.3875, 0), 500, 25, 0.7)
    hub = m.marker("wheel", (0.3, 0.35, 0))
    w, h = rng.uniform(4, 9), rng.uniform(0.01, 0.04)
    m.forces.append({"name": "tyre", "type": "force", "marker": hub, "value": ["0", 0, 0][:m.dimension]})
    m.forces[-1]["value"][1] = f"mu/lam*2500*(lam*(0.40 + {h!r}*sin({w!r}*t/tau)) - {hub}.y) - mu/tau*6*{hub}.vy"
    m.end = 2
    return m


def bead_track(rng):
    """Beads on a track that an expression gives, tied by rods"""
    m = Mechanism(rng, PLANE, upright=True)
    k, h = rng.uniform(1, 2), rng.uniform(0.1, 0.4)
    last = None
    for i in range(rng.randint(1, 3)):
        x = 0.7 * i + rng.uniform(0.1, 0.3)
        at = (x, h * math.cos(k * x), 0)
        if rng.random() < 0.5:
            m.ball(f"bead{i}", at, 1 + i)
        else:
            m.box(f"bead{i}", at, (0.2, 0.1, 0.1), 1 + i)
        name = m.marker(f"bead{i}", at)
        m.constraints.append({"name": f"track{i}", "expression": f"{name}.y - lam*{h!r}*cos({k!r}*{name}.x/lam)"})
        if last:
            m.rod(last[0], f"bead{i}", last[1], at)
        last = (f"bead{i}", at)
    m.push("bead0", (1, 0, 0))
    m.end = 2
    return m


def bushings(rng):
    """Bodies held by springs and dampers alone, one of them shaken"""
    m = flat(rng)
    for k in range(2):
        at = (1.5 * k, 0, 0)
        m.box(f"block{k}", at, (1, 0.6, 0.4), 2)
        for dx, dy in ((-0.5, -0.3), (0.5, -0.3), (-0.5, 0.3)):
            p = add(at, (dx, dy, 0.2 if dx > 0 and m.dimension == 3 else 0))
            m.spring("ground", f"block{k}", add(p, (dx, dy - 0.4, 0.5 * dy if m.dimension == 3 else 0)), p, 200, 2)
    m.spring("block0", "block1", (0.5, 0, 0), (1, 0.1, 0), 100, 1, 0.4)
    m.force("block0", (0.2, 0.1, 0), ["4*sin(7*t/tau)", "3*cos(5*t/tau)", "0"])
    m.end = 2
    return m


def schmidt(rng):
    """Schmidt's coupling: three discs, three equal parallel links between each pair; redundant"""
    m = flat(rng)
    apart = (0, 0, 0.2 if m.dimension == 3 else 0)
    first = polar(0.9, rng.uniform(0, TURN))
    second = polar(0.9, math.atan2(first[1], first[0]) + rng.uniform(0.9, 1.6))
    centres = [(0, 0, 0), add(first, apart), add(add(first, second), mul(apart, 2))]
    pins = [polar(0.5, k * TURN / 3 + 0.3) for k in range(3)]
    for k, c in enumerate(centres):
        m.plate(f"disc{k}", *[add(c, p) for p in pins], mass=1)
    for k in range(2):
        for i, p in enumerate(pins):
            a, b = add(centres[k], p), add(centres[k + 1], p)
            m.bar(f"link{k}{i}", a, b, 0.3)
            m.hinge(f"disc{k}", f"link{k}{i}", a)
            m.hinge(f"link{k}{i}", f"disc{k + 1}", b)
    m.hinge("ground", "disc0", centres[0], motor=f"{rng.uniform(2, 5)!r}*t/tau")
    m.hinge("ground", "disc2", centres[2])
    m.end = 2
    return m


def pulse(m, begin, width, ramp):
    """A formula that is 1 from `begin` for `width`, with ramps; its kinks are told to the reference."""
    m.breaks += [begin, begin + ramp, begin + width - ramp, begin + width]
    return (f"max(0, min(1, min((t/tau - ({begin!r}))/({ramp!r}), ({begin + width!r} - t/tau)/({ramp!r}))))")


def struck(rng):
    """INPUT: a hanging double pendulum, struck once for a fiftieth of the run"""
    m = flat(rng)
    knee, tip = (0, -1, 0), (0, -1.8, 0)
    m.bar("upper", (0, 0, 0), knee, 1)
    m.bar("lower", knee, tip, 1)
    m.hinge("ground", "upper", (0, 0, 0))
    m.hinge("upper", "lower", knee)
    m.force("upper", knee, [f"{rng.uniform(20, 60)!r}*{pulse(m, rng.uniform(0.3, 2), 0.06, 0.01)}", "0", "0"])
    m.end = 3
    return m


def bump(rng):
    """INPUT: the quarter car rolls level, then over one smooth short bump"""
    m = quarter_car(rng)
    start, width, h = rng.uniform(0.5, 2.2), rng.choice((0.02, 0.05, 0.1)), rng.uniform(0.01, 0.05)
    hub = m.forces[-1]["marker"]
    shape = f"sin(pi*max(0, min(1, (t/tau - ({start!r}))/{width!r})))^2"
    m.forces[-1]["value"][1] = f"mu/lam*2500*(lam*(0.40 + {h!r}*{shape}) - {hub}.y) - mu/tau*6*{hub}.vy"
    m.breaks, m.end = [start, start + width], 3
    return m


def stepped_drive(rng):
    """INPUT: a four-bar turned by a torque that is switched on and off with short ramps"""
    m = flat(rng)
    o, a, b, c = crank_rocker_points(rng)
    for name, p, q in (("crank", o, a), ("coupler", a, b), ("rocker", c, b)):
        m.bar(name, p, q, rng.uniform(0.5, 2))
    drive = m.hinge("ground", "crank", o)
    m.hinge("crank", "coupler", a)
    m.hinge("coupler", "rocker", b)
    m.torsion(m.hinge("ground", "rocker", c), 0, 2)
    m.effort(drive, f"{rng.uniform(5, 20)!r}*{pulse(m, rng.uniform(0.3, 0.8), rng.uniform(0.5, 0.9), 0.02)}")
    m.end = 2
    return m


def limited_servo(rng):
    """INPUT: a plane arm whose servos reach their limits: kinks that depend on the motion"""
    m = servo_arm(rng)
    for k, force in enumerate(m.forces):
        force["limit"] = m.mu * m.lam * rng.uniform(10, 20) / (k + 1)
    m.end, m.tolerance, m.longest = 1.5, 2e-12, 1 / 400  # it steps over kinks
    return m


def flat_parallelogram(rng):
    """CROSSES: a parallelogram turns through its flat position; the reference ties angles in place of the last pin"""
    m = Mechanism(rng, PLANE, plain=True)
    r, d, rate = rng.choice((0.5, 1, 1.5)), rng.choice((2, 2.5, 4)), rng.uniform(6, 10)
    a, b = (0, r, 0), (d, r, 0)
    masses = [rng.choice((0.5, 1, 2)) for _ in range(3)]
    for name, p, q, mass in (("crank", (0, 0, 0), a, masses[0]), ("coupler", a, b, masses[1]), ("follower", (d, 0, 0), b, masses[2])):
        m.bar(name, p, q, mass)
    for one, two, p in (("ground", "crank", (0, 0, 0)), ("crank", "coupler", a), ("ground", "follower", (d, 0, 0)), ("coupler", "follower", b)):
        m.hinge(one, two, p)
    m.spin("crank", rate / math.sqrt(r))
    m.end, m.regular = 2, False
    start = {body["name"]: angle_of(body) for body in m.bodies}
    m.equivalent = {"drop": [m.joints[-1]["name"]], "constraints": [
        f"coupler.angle - ({start['coupler']!r})", f"follower.angle - crank.angle - ({start['follower'] - start['crank']!r})"]}
    return m


def flat_slider_crank(rng):
    """CROSSES: a slider-crank with rod as long as its crank; the reference ties the angles in place of the guide"""
    m = Mechanism(rng, PLANE, plain=True)
    x, y = rng.choice(((0.6, 0.8), (0.8, 0.6), (0.28, 0.96)))
    a, s = (x, y, 0), (2 * x, 0, 0)
    m.bar("crank", (0, 0, 0), a, rng.choice((1, 2)))
    m.bar("rod", a, s, 1)
    m.hinge("ground", "crank", (0, 0, 0))
    m.hinge("crank", "rod", a)
    m.box("slider", s, (0.2, 0.2, 0.2), rng.choice((0.5, 1)))
    m.hinge("rod", "slider", s)
    m.slide("ground", "slider", s, (1, 0, 0))
    m.spin("crank", rng.uniform(7, 10))
    m.end, m.regular = 2, False
    start = {body["name"]: angle_of(body) for body in m.bodies}
    m.equivalent = {"drop": [m.joints[-1]["name"]], "constraints": [
        f"rod.angle + crank.angle - ({start['rod'] + start['crank']!r})", f"slider.angle - ({start['slider']!r})"]}
    return m


def angle_of(body):
    if "ends" in body:
        (x0, y0), (x1, y1) = (p[:2] for p in body["ends"])
        return math.atan2(y1 - y0, x1 - x0)
    return body.get("angle", 0.0)


FAMILIES = [pendulum_chain, crank_rocker, double_rocker, slider_crank, engine, quick_return, scotch_yoke, toggle_press, watt,
            stephenson, jansen, peaucellier, scissor_lift, excavator, dump_truck, gripper, oldham, pantograph, parallel_cranks,
            ellipsograph, beam_engine, wiper, gantry_crane, carts, servo_arm, quarter_car, bead_track, bushings, schmidt,
            struck, bump, stepped_drive, limited_servo, flat_parallelogram, flat_slider_crank]
