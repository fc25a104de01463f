"""The second list of families: random mechanisms, inputs after rest, extreme masses, further crossings and redundant loops."""
import math

import families_plane as plane
import families_space as space
import geometry as geo
from geometry import add, between, cross, middle, mul, norm, polar, sub, unit
from mechanism import PLANE, SPACE, Mechanism

TURN = 2 * math.pi
ROWS = {"hinge": 5, "slide": 5, "socket": 3, "cardan": 4, "cylindrical": 4, "planar": 3, "point_on_line": 2, "point_on_plane": 1,
        "rod": 1, "weld": 6}


def short_bump(rng, m, begin, settled):
    """Replaces the wavy road by a level one with one short bump after the wheel has come to rest."""
    tyre = m.forces[-1]
    hub = tyre["marker"]
    start, width, h = begin + rng.uniform(0, 0.4), rng.choice((0.01, 0.02, 0.05)), rng.uniform(0.01, 0.05)
    shape = f"{h!r}*sin(pi*max(0, min(1, (t/tau - ({start!r}))/{width!r})))^2"
    k = 600 * 9.81 / 0.3
    tyre["value"][2] = f"mu/lam*{k!r}*(lam*({settled!r} + {shape}) - {hub}.z) - mu/tau*100*{hub}.vz"
    m.breaks, m.end = [start, start + width], begin + 1
    return m


def wishbone_bump(rng):
    """INPUT: a double wishbone rolls level until it is at rest, then over one bump of 10 to 50 ms"""
    return short_bump(rng, space.double_wishbone(rng), 2.0, 0.33)


def macpherson_bump(rng):
    """INPUT: a MacPherson strut over one bump"""
    return short_bump(rng, space.macpherson(rng), 2.0, 0.33)


def five_link_bump(rng):
    """INPUT: a five-link suspension over one bump"""
    return short_bump(rng, space.five_link(rng), 2.0, 0.33)


def start_of_crane(rng):
    """INPUT: a gantry crane hangs still, then its trolley moves to another place by a polynomial of time"""
    m = plane.flat(rng)
    begin, width, far = rng.uniform(0.5, 1.5), rng.uniform(0.3, 1), rng.uniform(0.3, 1)
    s = f"max(0, min(1, (t/tau - ({begin!r}))/{width!r}))"
    m.breaks, m.end = [begin, begin + width], 3.5
    m.box("trolley", (0, 0, 0), (0.4, 0.2, 0.2), 2)
    m.slide("ground", "trolley", (0, 0, 0), (1, 0, 0), motor=f"{far!r}*({s})^3*(10 - 15*({s}) + 6*({s})^2)")
    m.bar("rope", (0, 0, 0), (0, -1, 0), 0.1)
    m.box("load", (0, -1.3, 0), (0.6, 0.6, 0.6), 3)
    m.hinge("trolley", "rope", (0, 0, 0))
    m.hinge("rope", "load", (0, -1, 0))
    return m


def random_joint(rng, m, kind, a, b, p):
    u = geo.any_direction(rng)
    n = geo.any_normal(u)
    if kind == "hinge":
        m.hinge(a, b, p, u)
    elif kind == "slide":
        m.slide(a, b, p, u)
    elif kind == "socket":
        m.socket(a, b, p)
    elif kind == "cardan":
        m.cardan(a, b, p, n, cross(u, n))
    elif kind == "rod":
        m.rod(a, b, p, add(p, mul(u, rng.uniform(0.3, 1))))
    elif kind == "weld":
        m.joint("weld", a, b, p)
    else:
        m.along(kind, a, b, p, u)


def random_space(rng, most=4, masses=1.0):
    """Two to four bodies in space, tied by joints of any type in a tree and to one another; moving at the start"""
    m = space.spatial(rng)
    n = rng.randint(2, most)
    where = [(0, 0, 0)]
    names, left = ["ground"], 6 * n - 2
    for k in range(n):
        parent = rng.randrange(len(names))
        at = add(where[parent], geo.mul(geo.any_direction(rng), rng.uniform(0.5, 1)))
        size = tuple(rng.uniform(0.2, 0.8) for _ in range(3))
        m.box(f"b{k}", at, size, 10 ** rng.uniform(-masses, masses), geo.any_rotation(rng))
        kind = rng.choice([j for j in ROWS if j != "weld" or k == n - 1])
        random_joint(rng, m, kind, names[parent], f"b{k}", between(where[parent], at, rng.uniform(0.2, 0.8)))
        left -= ROWS[kind]
        names.append(f"b{k}")
        where.append(at)
    for _ in range(rng.randint(1, 3)):
        a, b = rng.sample(range(n + 1), 2)
        kinds = [j for j, rows in ROWS.items() if rows <= left and rows < 4]
        if not kinds:
            break
        kind = rng.choice(kinds)
        left -= ROWS[kind]
        random_joint(rng, m, kind, names[a], names[b], add(middle(where[a], where[b]), mul(geo.any_direction(rng), 0.2)))
    moving(rng, m, names[1:])
    m.end, m.regular = 1, False
    return m


def moving(rng, m, names):
    """Random velocities for all; the projection leaves what the joints allow."""
    for name in names:
        axis = geo.any_direction(rng) if m.dimension == 3 else (0, 0, 1)
        m.guesses[name] = (mul(add(geo.any_direction(rng), (0, 0, 0))[:2] + (0,), 1.5), mul(axis, rng.uniform(-2, 2)))


def random_plane(rng, masses=1.0):
    """Two to five bodies in a plane, tied by joints of any type in a tree and to one another; moving at the start"""
    m = Mechanism(rng, PLANE)
    n = rng.randint(2, 5)
    where, names, left = [(0, 0, 0)], ["ground"], 3 * n - 1
    rows = {"hinge": 2, "slide": 2, "rod": 1, "pin_in_slot": 1}
    for k in range(n + rng.randint(1, 2)):
        grown = k < n
        if grown:
            a, b = rng.randrange(len(names)), len(names)
            at = add(where[a], polar(rng.uniform(0.6, 1.2), rng.uniform(0, TURN)))
            m.box(f"b{k}", at, (rng.uniform(0.3, 1), rng.uniform(0.1, 0.4), 0.1), 10 ** rng.uniform(-masses, masses))
            names.append(f"b{k}")
            where.append(at)
        else:
            a, b = rng.sample(range(n + 1), 2)
        kinds = [j for j, r in rows.items() if r <= left or grown]
        if not kinds:
            break
        kind = rng.choice(kinds)
        left -= rows[kind]
        p = add(middle(where[a], where[b]), polar(rng.uniform(0, 0.2), rng.uniform(0, TURN)))
        u = polar(1, rng.uniform(0, TURN))
        if kind == "hinge":
            m.hinge(names[a], names[b], p)
        elif kind == "slide":
            m.slide(names[a], names[b], p, u)
        elif kind == "rod":
            m.rod(names[a], names[b], p, add(p, mul(u, rng.uniform(0.3, 1))))
        else:
            m.slot(names[a], names[b], p, u)
    moving(rng, m, names[1:])
    m.end, m.regular = 1, False
    return m


def extreme_masses_plane(rng):
    """As random_plane, with masses over ten orders of magnitude"""
    return random_plane(rng, masses=5.0)


def extreme_masses_space(rng):
    """As random_space, with masses over eight orders of magnitude"""
    return random_space(rng, 3, masses=4.0)


def ball_hinge_line(rng):
    """Two bodies in space, a ball joint, a hinge, and a point on a line that repeats the hinge or locks it: rank 8 or 9 of 10"""
    m = space.spatial(rng)
    m.box("a", (0.3, 0.2, 0.1), (0.6, 0.4, 0.3), rng.uniform(1, 5), geo.any_rotation(rng))
    m.box("b", (0.9, 0.3, -0.2), (0.5, 0.3, 0.4), rng.uniform(0.2, 5), geo.any_rotation(rng))
    axis = geo.any_direction(rng)
    pin = (0.6, 0.2, 0)
    m.socket("ground", "a", (0, 0, 0))
    m.hinge("a", "b", pin, axis)
    beside = mul(geo.any_direction(rng), rng.choice((0, 0.1)))
    m.slot("a", "b", add(add(pin, mul(axis, rng.uniform(0.2, 0.6))), beside), unit(cross(axis, geo.any_direction(rng))))
    m.guesses = {"a": ((0, 0, 0), mul(geo.any_direction(rng), 4)), "b": ((0, 0, 0), mul(geo.any_direction(rng), 6))}
    m.end = 1.5
    return m


def bennett_driven(rng):
    """Bennett's linkage turned by a motor, its start beside the flat position"""
    m = space.spatial(rng)
    points, axes = space.bennett_points(rng)
    space.hinge_loop(m, rng, points, axes, 1.0)
    m.guesses = {}
    m.joints[1]["motor"], m.driven = f"{rng.uniform(1, 3)!r}*(t/tau - sin(t/tau))", True
    m.end = 2.5
    return m


def bennett_pair(rng):
    """Two Bennett linkages, the second carried by a link of the first and driven by its neighbour"""
    m = space.spatial(rng)
    p, z = space.bennett_points(rng)
    space.hinge_loop(m, rng, p, z, rng.uniform(1.5, 3))
    q, w = space.bennett_points(rng)
    # axis 0 of the second is axis 1 of the first; ground and first link of both are the same bodies
    R, at = space.frame_of(p[1], z[1], p[0])
    S, foot = space.frame_of(q[0], w[0], q[3])
    turn = geo.product(R, geo.transpose(S))
    q = [add(at, geo.apply(turn, sub(x, foot))) for x in q]
    w = [geo.apply(turn, x) for x in w]
    m.bar("second1", q[1], q[2], 1)
    m.bar("second2", q[2], q[3], 1)
    m.hinge("link1", "second1", q[1], w[1])
    m.hinge("second1", "second2", q[2], w[2])
    m.hinge("second2", "ground", q[3], w[3])
    m.end = 1.5
    return m


def truss(rng):
    """Point masses tied by more rods than needed, hung from two points"""
    m = space.spatial(rng)
    points = [space.jitter(rng, p, 0.15) for p in ((0.5, 0, -0.6), (-0.5, 0.1, -0.6), (0, 0.6, -0.8), (0.1, -0.5, -0.9), (0, 0.1, -1.4))]
    for k, p in enumerate(points):
        m.ball(f"node{k}", p, rng.uniform(0.5, 2))
    for i in range(5):
        for k in range(i):
            m.rod(f"node{k}", f"node{i}", points[k], points[i])
    m.rod("ground", "node0", (0.6, 0, 0.2), points[0])
    m.rod("ground", "node1", (-0.6, 0, 0.2), points[1])
    moving(rng, m, [f"node{k}" for k in range(5)])
    m.end = 1
    return m


def closed_chain(rng):
    """A ring of five or six bars on hinges between two fixed pins, swinging"""
    m = plane.flat(rng)
    n = rng.randint(4, 5)
    points = [polar(1, math.pi + k * math.pi / n) for k in range(n + 1)]
    points = [add(p, (0, 0, 0)) if k in (0, n) else add(p, polar(rng.uniform(0, 0.1), rng.uniform(0, TURN))) for k, p in enumerate(points)]
    for k in range(n):
        m.bar(f"bar{k}", points[k], points[k + 1], rng.uniform(0.5, 1.5))
        m.hinge(f"bar{k - 1}" if k else "ground", f"bar{k}", points[k])
    m.hinge(f"bar{n - 1}", "ground", points[n])
    m.spin("bar1", rng.uniform(0.5, 2))
    m.end = 1
    return m


def telescope(rng):
    """A boom of nested slides on a hinge, pulled by a spring, with a swinging load"""
    m = plane.flat(rng)
    u = polar(1, rng.uniform(0.3, 1.0))
    last = "ground"
    for k in range(rng.randint(2, 3)):
        p, q = mul(u, 0.8 * k), mul(u, 0.8 * k + 1.2)
        m.bar(f"boom{k}", p, q, 2 - 0.5 * k)
        if k:
            name = m.slide(last, f"boom{k}", p, u)
            m.torsion(name, 150, 3, sliding=True)
        else:
            m.hinge("ground", "boom0", p)
        last, tip = f"boom{k}", q
    m.spring("ground", "boom0", (-1, 1, 0), mul(u, 0.8), 300, 4, 0.9)
    end = add(tip, polar(0.6, -1.2))
    m.bar("load", tip, end, 0.7)
    m.hinge(last, "load", tip)
    m.end = 1.5
    return m


def rail_car(rng):
    """A car whose two bogie pins stay on a wavy rail that an expression gives, with a pendulum"""
    m = Mechanism(rng, PLANE, upright=True)
    k, h = rng.uniform(0.8, 1.5), rng.uniform(0.1, 0.3)
    pins = [(x, h * math.sin(k * x), 0) for x in (0, 0.8)]
    m.box("car", add(middle(*pins), (0, 0.2, 0)), (1, 0.3, 0.3), 3)
    for i, p in enumerate(pins):
        name = m.marker("car", p)
        m.constraints.append({"name": f"rail{i}", "expression": f"{name}.y - lam*{h!r}*sin({k!r}*{name}.x/lam)"})
    pivot = add(middle(*pins), (0, 0.2, 0))
    m.bar("swing", pivot, add(pivot, polar(0.5, rng.uniform(-2, -1))), 1)
    m.hinge("car", "swing", pivot)
    m.push("car", (rng.uniform(0.5, 2), 0, 0))
    m.end = 1.5
    return m


def three_rrr(rng):
    """A plane platform on three two-bar legs, driven at the ground or on torsion springs"""
    m = plane.flat(rng)
    driven = rng.random() < 0.5
    corners = [polar(0.4, k * TURN / 3 + rng.uniform(-0.2, 0.2)) for k in range(3)]
    m.plate("platform", *corners, mass=2)
    for k, corner in enumerate(corners):
        foot = polar(1.6, k * TURN / 3)
        knee = plane.meet(foot, 0.9, corner, 1.0, 1)
        m.bar(f"lower{k}", foot, knee, 0.8)
        m.bar(f"upper{k}", knee, corner, 0.6)
        joint = m.hinge("ground", f"lower{k}", foot, motor=f"{rng.uniform(0.02, 0.06)!r}*(1 - cos({rng.uniform(2, 5)!r}*t/tau))"
                        if driven else None)
        m.hinge(f"lower{k}", f"upper{k}", knee)
        m.hinge(f"upper{k}", "platform", corner)
        if not driven:
            m.torsion(joint, 40, 2)
    m.end = 2
    return m


def flat_cranks(rng):
    """CROSSES: three or four equal cranks in a plane through their flat position: two or three directions at once"""
    m = Mechanism(rng, PLANE, plain=True)
    n, d, r = rng.randint(3, 4), rng.choice((1.5, 2, 2.5)), 1.0
    last = (d * (n - 1), r, 0)
    m.bar("coupler", (0, r, 0), last, rng.choice((1, 2)))
    for k in range(n):
        m.bar(f"crank{k}", (d * k, 0, 0), (d * k, r, 0), rng.choice((0.5, 1, 2)))
        m.hinge("ground", f"crank{k}", (d * k, 0, 0))
        m.hinge(f"crank{k}", "coupler", (d * k, r, 0))
    m.spin("crank0", rng.uniform(7, 9))
    m.end, m.regular = 1.5, False
    start = {body["name"]: plane.angle_of(body) for body in m.bodies}
    m.equivalent = {"drop": [m.joints[2 * k + 1]["name"] for k in range(1, n)],
                    "constraints": [f"coupler.angle - ({start['coupler']!r})"] + [
                        f"crank{k}.angle - crank0.angle - ({start[f'crank{k}'] - start['crank0']!r})" for k in range(1, n)]}
    return m


def flat_cranks_in_space(rng):
    """CROSSES: the same in space with parallel hinges, where further rows are redundant everywhere"""
    m = Mechanism(rng, SPACE, plain=True)
    n, d = rng.randint(2, 3), rng.choice((1.5, 2, 2.5))
    last = (d * (n - 1), 1.0, 0)
    m.box("coupler", middle((0, 1.0, 0), last), (2, 0.2, 0.1), rng.choice((1, 2)))
    m.bodies[-1] = {key: x for key, x in m.bodies[-1].items() if key not in ("rpy", "axis_angle", "matrix")}
    for k in range(n):
        m.box(f"crank{k}", (d * k, 0.5, 0), (0.1, 1, 0.1), rng.choice((0.5, 1, 2)))
        m.hinge("ground", f"crank{k}", (d * k, 0, 0))
        m.hinge(f"crank{k}", "coupler", (d * k, 1.0, 0))
    for body in m.bodies:
        for key in ("rpy", "axis_angle", "matrix", "quat_wxyz"):
            body.pop(key, None)
        size = (2, 0.2, 0.1) if body["name"] == "coupler" else (0.1, 1, 0.1)
        a, b, c = (s * s * body["mass"] / 12 for s in size)
        body["inertia"] = [b + c, a + c, a + b]
    m.spin("crank0", rng.uniform(7, 9))
    m.end, m.regular = 1.5, False
    m.equivalent = {"drop": [m.joints[2 * k + 1]["name"] for k in range(1, n)],
                    "constraints": ["sin(coupler.yaw)"] + [f"sin(crank{k}.yaw - crank0.yaw)" for k in range(1, n)]}
    return m


def spinning_bennett_on_arm(rng):
    """A Bennett linkage on the end of a swinging arm: its ground moves"""
    m = space.spatial(rng)
    points, axes = space.bennett_points(rng)
    space.hinge_loop(m, rng, points, axes, rng.uniform(1, 3))
    hub = add(points[0], mul(geo.any_direction(rng), 1.0))
    m.bar("arm", hub, points[0], 3)
    for joint in m.joints:
        joint["bodies"] = ["arm" if b == "ground" else b for b in joint["bodies"]]
    m.hinge("ground", "arm", hub, geo.any_direction(rng))
    m.end = 1.5
    return m


def wishbone_at_rest(rng):
    """INPUT: a double wishbone, its wheel without spin, comes to rest and meets one bump of 10 ms under a unilateral tyre"""
    m = space.spatial(rng, upright=True)
    m.box("chassis", (0, 0, 0.6), (0.4, 0.4, 0.4), 350)
    m.box("lower", (0, 0.475, 0.22), (0.3, 0.35, 0.03), 4)
    m.box("upper", (0, 0.5, 0.44), (0.25, 0.25, 0.03), 3)
    m.box("upright", (0, 0.65, 0.33), (0.05, 0.05, 0.25), 10)
    hub = (0, 0.75, 0.31)
    m.moments("wheel", hub, 35, (0.96, 1.68, 0.96))
    m.slide("ground", "chassis", (0, 0, 0.6), space.Z)
    m.hinge("chassis", "lower", (0, 0.3, 0.22), space.X)
    m.hinge("chassis", "upper", (0, 0.38, 0.44), space.X)
    m.socket("lower", "upright", (0, 0.65, 0.22))
    m.socket("upper", "upright", (0, 0.62, 0.44))
    m.rod("chassis", "upright", (0.12, 0.3, 0.25), (0.12, 0.66, 0.25))
    m.hinge("upright", "wheel", hub, space.Y)
    m.spring("lower", "chassis", (0, 0.5, 0.23), (0, 0.35, 0.7), 60000, 4000, 0.6)
    start, width, h = rng.uniform(2, 2.3), 0.01, rng.choice((0.01, 0.05))
    name = m.marker("wheel", hub)
    shape = f"{h!r}*sin(pi*max(0, min(1, (t/tau - ({start!r}))/{width!r})))^2"
    tyre = f"mu/lam*200000*max(0, lam*(0.31 + {shape}) - {name}.z)"
    m.forces.append({"name": "tyre", "type": "force", "marker": name, "value": [0, 0, tyre]})
    m.breaks, m.end, m.tolerance = [start, start + width], 3.5, 2e-12
    return m


def five_link_at_rest(rng):
    """INPUT: as five_link_bump, without spin of the wheel"""
    m = space.five_link(rng)
    m.guesses = {}
    return short_bump(rng, m, 3.0, 0.33)


FAMILIES = [wishbone_bump, macpherson_bump, five_link_bump, start_of_crane, random_plane, random_space, extreme_masses_plane,
            extreme_masses_space, ball_hinge_line, bennett_driven, bennett_pair, spinning_bennett_on_arm, truss, closed_chain,
            telescope, rail_car, three_rrr, flat_cranks, flat_cranks_in_space,
            wishbone_at_rest, five_link_at_rest]
