"""Families of mechanisms that need space: suspensions, platforms, robots, couplings, overconstrained loops, tops."""
import math

import geometry as geo
from geometry import add, between, cross, middle, mul, norm, polar, sub, unit
from mechanism import SPACE, Mechanism

TURN = 2 * math.pi
X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
DOWN = (0, 0, -1)


def spatial(rng, **more):
    return Mechanism(rng, SPACE, down=DOWN, **more)


def jitter(rng, p, size=0.02):
    return add(p, tuple(rng.uniform(-size, size) for _ in range(3)))


def road(rng, m, body, hub):
    """A tyre: a spring and damper to a wavy road, upwards."""
    name = m.marker(body, hub)
    w, h = rng.uniform(4, 10), rng.uniform(0.005, 0.03)
    k = 400 * 9.81 / 0.3
    m.forces.append({"name": "tyre", "type": "force", "marker": name, "value": [
        0, 0, f"mu/lam*{k!r}*(lam*({hub[2] + 0.02!r} + {h!r}*sin({w!r}*t/tau)) - {name}.z) - mu/tau*100*{name}.vz"]})


def double_wishbone(rng):
    """Double wishbone with tie rod, strut and turning wheel on a wavy road"""
    m = spatial(rng, upright=True)
    m.box("chassis", (0, 0, 0.6), (0.8, 0.8, 0.4), 350)
    m.slide("ground", "chassis", (0, 0, 0.6), Z)
    lower, upper, hub = jitter(rng, (0, 0.65, 0.22)), jitter(rng, (0, 0.62, 0.44)), (0, 0.75, 0.31)
    lower_in, upper_in = jitter(rng, (0, 0.3, 0.22)), jitter(rng, (0, 0.38, 0.44))
    m.plate("lower", lower, add(lower_in, (0.15, 0, 0)), add(lower_in, (-0.15, 0, 0)), mass=8)
    m.plate("upper", upper, add(upper_in, (0.1, 0, 0)), add(upper_in, (-0.1, 0, 0)), mass=5)
    m.box("upright", middle(lower, upper), (0.05, 0.05, 0.25), 10)
    m.moments("wheel", hub, 30, (0.8, 1.4, 0.8))
    m.hinge("chassis", "lower", lower_in, X)
    m.hinge("chassis", "upper", upper_in, X)
    m.socket("lower", "upright", lower)
    m.socket("upper", "upright", upper)
    m.rod("chassis", "upright", jitter(rng, (0.12, 0.3, 0.25)), jitter(rng, (0.12, 0.66, 0.25)))
    m.hinge("upright", "wheel", hub, Y)
    m.spring("lower", "chassis", between(lower_in, lower, 0.6), (0, 0.35, 0.8), 40000, 2500, 0.75)
    road(rng, m, "wheel", hub)
    m.spin("wheel", rng.uniform(5, 30), Y)
    m.end = 2
    return m


def macpherson(rng):
    """MacPherson strut: arm, upright that slides in the strut's top, tie rod"""
    m = spatial(rng, upright=True)
    m.box("chassis", (0, 0, 0.7), (0.8, 0.8, 0.4), 350)
    m.slide("ground", "chassis", (0, 0, 0.7), Z)
    ball, hub, top = jitter(rng, (0, 0.68, 0.2)), (0, 0.75, 0.31), jitter(rng, (-0.03, 0.55, 0.85))
    inner = (0, 0.3, 0.22)
    axis = unit(sub(top, ball))
    m.plate("arm", ball, add(inner, (0.15, 0, 0)), add(inner, (-0.15, 0, 0)), mass=8)
    m.box("upright", add(ball, (0, 0, 0.15)), (0.05, 0.05, 0.3), 20)
    m.bar("tube", between(ball, top, 0.6), top, 4)
    m.moments("wheel", hub, 30, (0.8, 1.4, 0.8))
    m.hinge("chassis", "arm", inner, X)
    m.socket("arm", "upright", ball)
    m.along("cylindrical", "tube", "upright", between(ball, top, 0.5), axis)
    m.cardan("chassis", "tube", top, geo.any_normal(axis), cross(axis, geo.any_normal(axis)))
    m.rod("chassis", "upright", jitter(rng, (0.13, 0.3, 0.25)), jitter(rng, (0.13, 0.66, 0.26)))
    m.hinge("upright", "wheel", hub, Y)
    m.spring("upright", "chassis", between(ball, top, 0.5), top, 25000, 2000, norm(sub(top, ball)) * 0.5 + 0.13)
    road(rng, m, "wheel", hub)
    m.end = 2
    return m


def five_link(rng):
    """Five-link suspension: five rods between chassis and upright"""
    m = spatial(rng, upright=True)
    m.box("chassis", (0, 0, 0.6), (0.8, 0.8, 0.4), 350)
    m.slide("ground", "chassis", (0, 0, 0.6), Z)
    hub = (0, 0.75, 0.31)
    m.box("upright", (0, 0.66, 0.32), (0.25, 0.08, 0.3), 15)
    m.moments("wheel", hub, 30, (0.8, 1.4, 0.8))
    m.hinge("upright", "wheel", hub, Y)
    for inner, outer in (((0.25, 0.3, 0.2), (0.08, 0.64, 0.18)), ((-0.25, 0.3, 0.22), (-0.06, 0.64, 0.18)),
                         ((0.2, 0.35, 0.45), (0.05, 0.62, 0.46)), ((-0.2, 0.35, 0.44), (-0.05, 0.62, 0.46)),
                         ((0.18, 0.3, 0.3), (0.15, 0.66, 0.31))):
        m.rod("chassis", "upright", jitter(rng, inner), jitter(rng, outer))
    m.spring("upright", "chassis", (0, 0.62, 0.2), (0, 0.5, 0.8), 30000, 2200, 0.75)
    road(rng, m, "wheel", hub)
    m.spin("wheel", rng.uniform(5, 30), Y)
    m.end = 2
    return m


def rigid_axle(rng):
    """Rigid axle on four links, with two springs and a moving load"""
    m = spatial(rng)
    m.box("axle", (0, 0, 0.3), (0.1, 1.4, 0.1), 60)
    for x, y, z in ((0.9, 0.45, 0.35), (0.9, -0.45, 0.35)):
        m.rod("ground", "axle", jitter(rng, (x, y, z)), jitter(rng, (0.05, y * 1.2, 0.22)))
        m.rod("ground", "axle", jitter(rng, (0.8, y * 0.8, 0.6)), jitter(rng, (0, y * 0.25, 0.5)))
    for y in (0.5, -0.5):
        m.spring("ground", "axle", (0, y, 0.9), (0, y, 0.35), 15000, 800, 0.57)
    m.force("axle", (0, 0.7, 0.3), ["0", "0", f"{rng.uniform(300, 600)!r}*sin({rng.uniform(3, 12)!r}*t/tau)"])
    m.end = 2
    return m


def crank_motor(m, rng, body, rate):
    if rng.random() < 0.5:
        return f"{rate!r}*t/tau"
    m.spin(body, rate, X)
    return None


def spatial_slider_crank(rng):
    """Crank, rod with a universal and a ball joint, slider off the crank's plane"""
    m = spatial(rng)
    o = (0, 0.2, 0.3)
    angle = rng.uniform(0, TURN)
    a = add(o, (0, 0.25 * math.cos(angle), 0.25 * math.sin(angle)))
    s = (math.sqrt(0.9 ** 2 - a[1] ** 2 - a[2] ** 2), 0, 0)
    m.bar("crank", o, a, 0.5)
    m.bar("rod", a, s, 0.5)
    m.box("slider", s, (0.1, 0.1, 0.1), 1)
    m.hinge("ground", "crank", o, X, motor=crank_motor(m, rng, "crank", rng.uniform(3, 8)))
    m.socket("crank", "rod", a)
    u = unit(sub(s, a))
    n = geo.any_normal(u)
    m.cardan("rod", "slider", s, n, cross(u, n))
    m.slide("ground", "slider", s, X)
    m.end = 2
    return m


def rssr(rng):
    """RSSR: crank and rocker about skew axes, a coupler with a universal and a ball joint"""
    m = spatial(rng)
    while True:
        angle = rng.uniform(0, TURN)
        a = (0, 0.3 * math.cos(angle), 0.3 * math.sin(angle))
        foot, axis = (1.5, 0.2, 0.1), unit((0.2, 1, 0.3))
        b = add(foot, mul(unit(cross(axis, (1, 0.3, -0.2))), 0.9))
        if 0.9 < norm(sub(a, b)) < 1.9:
            break
    m.bar("crank", (0, 0, 0), a, 0.5)
    m.bar("coupler", a, b, 1)
    m.bar("rocker", foot, b, 1)
    m.hinge("ground", "crank", (0, 0, 0), X)
    u = unit(sub(b, a))
    n = geo.any_normal(u)
    m.cardan("crank", "coupler", a, n, cross(u, n))
    m.socket("coupler", "rocker", b)
    m.hinge("ground", "rocker", foot, axis)
    m.spin("rocker", rng.uniform(1, 2), axis)
    m.end = 1.5
    return m


def stewart(rng):
    """Stewart's platform: six legs with universal, sliding and ball joint, driven or on springs"""
    m = spatial(rng)
    h = 1.0
    base = [polar(1, TURN / 3 * (k // 2) + (0.25 if k % 2 else -0.25)) for k in range(6)]
    top = [polar(0.6, TURN / 3 * (k // 2) + (0.8 if k % 2 else -0.8), (0, 0, h)) for k in range(6)]
    m.plate("platform", *top, mass=5)
    driven = rng.random() < 0.5
    for k, (p, q) in enumerate(zip(base, top)):
        u = unit(sub(q, p))
        n = unit(cross(Z, u))
        m.bar(f"low{k}", p, between(p, q, 0.6), 0.5)
        m.bar(f"high{k}", between(p, q, 0.5), q, 0.4)
        m.cardan("ground", f"low{k}", p, n, cross(u, n))
        motor = f"{rng.uniform(0.02, 0.08)!r}*(1 - cos({rng.uniform(2, 5)!r}*t/tau))" if driven else None
        leg = m.slide(f"low{k}", f"high{k}", middle(p, q), u, motor=motor)
        m.socket(f"high{k}", "platform", q)
        if not driven:
            m.torsion(leg, rng.uniform(200, 400), 5, sliding=True)
    m.end = 1
    return m


def delta(rng):
    """Delta robot: three arms under servos, six rods, one platform"""
    m = spatial(rng)
    m.box("platform", (0, 0, -1.2), (0.3, 0.3, 0.05), 0.5)
    for k in range(3):
        u, side = polar(1, k * TURN / 3), polar(1, k * TURN / 3 + TURN / 4)
        shoulder, elbow = mul(u, 0.4), add(mul(u, 0.4 + 0.5 * math.cos(0.3)), (0, 0, -0.5 * math.sin(0.3)))
        m.bar(f"arm{k}", shoulder, elbow, 0.8)
        joint = m.hinge("ground", f"arm{k}", shoulder, side)
        for s in (0.08, -0.08):
            m.rod(f"arm{k}", "platform", add(elbow, mul(side, s)), add(add(mul(u, 0.15), mul(side, s)), (0, 0, -1.2)))
        m.servo(joint, f"{rng.uniform(0.1, 0.4)!r}*sin({rng.uniform(2, 5)!r}*t/tau)", 80, 6)
    m.end = 1.5
    return m


def six_axis_arm(rng):
    """Arm of six hinges, by servos or motors"""
    m = spatial(rng)
    points = [(0, 0, 0), (0, 0, 0.4), (0.1, 0, 1.2), (0.5, 0, 1.4), (1.0, 0, 1.4), (1.2, 0, 1.3), (1.35, 0, 1.2)]
    axes, last = [Z, Y, Y, X, Y, X], "ground"
    driven = rng.random() < 0.5
    for k in range(6):
        name = m.bar(f"link{k}", points[k], points[k + 1], 4 / (k + 1))
        formula = f"{rng.uniform(-0.6, 0.6)!r}*(1 - cos({rng.uniform(1, 4)!r}*t/tau))"
        joint = m.hinge(last, name, points[k], axes[k], motor=formula if driven else None)
        if not driven:
            m.servo(joint, formula, *((300, 60), (300, 60), (120, 20), (3, 0.1), (2, 0.15), (0.5, 0.005))[k])
        last = name
    m.end = 1.5
    return m


def scara(rng):
    """SCARA: two hinges, a quill that slides and turns, a load"""
    m = spatial(rng)
    elbow, wrist = polar(0.6, rng.uniform(-1, 1)), None
    wrist = add(elbow, polar(0.5, rng.uniform(-2, 2)))
    m.bar("upper", (0, 0, 0), elbow, 3)
    m.bar("fore", elbow, wrist, 2)
    m.bar("quill", add(wrist, (0.05, 0, 0.2)), add(wrist, (-0.05, 0.02, -0.4)), 1)
    a = m.hinge("ground", "upper", (0, 0, 0), Z)
    b = m.hinge("upper", "fore", elbow, Z)
    m.along("cylindrical", "fore", "quill", wrist, Z)
    m.servo(a, f"{rng.uniform(0.5, 1)!r}*sin(2*t/tau)", 60, 8)
    m.servo(b, f"{rng.uniform(-1, 1)!r}*sin(3*t/tau)", 30, 3)
    m.spring("fore", "quill", add(wrist, (0.1, 0.1, 0.5)), add(wrist, (0, 0, 0.1)), 80, 2, 0.25)
    m.end = 2
    return m


def gantry_robot(rng):
    """Three slides in a row and a hinged gripper, driven"""
    m = spatial(rng)
    last, at = "ground", (0, 0, 0)
    for k, axis in enumerate((X, Y, Z)):
        m.box(f"axis{k}", at, (0.5, 0.4, 0.3), 3 - k)
        m.slide(last, f"axis{k}", at, axis, motor=f"{rng.uniform(-0.3, 0.3)!r}*(1 - cos({rng.uniform(1, 4)!r}*t/tau))"
                if rng.random() < 0.6 else None, name=f"S{k}")
        if "motor" not in m.joints[-1]:
            m.torsion(f"S{k}", 100, 4, sliding=True)
        last, at = f"axis{k}", add(at, (0.1, 0.2, -0.2))
    m.bar("tool", at, add(at, geo.mul(geo.any_direction(rng), 0.5)), 0.5)
    m.hinge(last, "tool", at, geo.any_direction(rng))
    m.end = 2
    return m


def cardan_shafts(rng):
    """Two or three shafts at angles with universal joints, more bearings than needed"""
    m = spatial(rng)
    n, at, heading = rng.randint(2, 3), (0, 0, 0), X
    rate, last = rng.uniform(4, 10), None
    for k in range(n):
        end = add(at, heading)
        n1 = geo.any_normal(heading)
        m.moments(f"shaft{k}", middle(at, end), 1 + k, (0.2, 0.3, 0.3), geo.transpose((heading, n1, cross(heading, n1))))
        if last:
            n1 = unit(cross(last, heading))
            m.cardan(f"shaft{k - 1}", f"shaft{k}", at, n1, unit(cross(heading, n1)))
        m.hinge("ground", f"shaft{k}", between(at, end, 0.3), heading, name=f"bearing{k}")
        m.along("cylindrical", "ground", f"shaft{k}", between(at, end, 0.8), heading)
        last, at = heading, end
        turned = geo.rotation(geo.any_normal(heading), rng.uniform(0.2, 0.6))
        heading = unit(geo.apply(turned, heading))
    m.torsion(f"bearing{n - 1}", 0, 0.5)
    if rng.random() < 0.5:
        m.joints[0]["motor"], m.driven = f"{rate!r}*t/tau", True
    else:
        m.spin("shaft0", rate, X)
    m.end = 2
    return m


def door(rng):
    """A door on three hinges in line, its closer a spring"""
    m = spatial(rng)
    axis = unit((rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2), 1))
    m.box("door", (0.45, 0, 1), (0.9, 0.04, 2), 20)
    joints = [m.hinge("ground", "door", mul(axis, h), axis) for h in (0.2, 1, 1.8)]
    if rng.random() < 0.5:
        m.hinge("door", m.box("hatch", (0.6, 0.05, 0.5), (0.3, 0.03, 0.4), 2), (0.5, 0.02, 0.3), Z)
        m.hinge("door", "hatch", (0.5, 0.02, 0.7), Z)
    m.torsion(joints[1], 15, 2, rest=rng.uniform(-1, 1))
    m.spin("door", rng.uniform(0.5, 3), axis)
    m.end = 2.5
    return m


def hinge_loop(m, rng, points, axes, rate, masses=None):
    """Links between the axes of a closed loop; the first is the ground."""
    n = len(points)
    for k in range(1, n):
        p, q = points[k], points[(k + 1) % n]
        if norm(sub(p, q)) < 0.15:
            q = add(p, (0.3, 0.2, 0.1))
        m.bar(f"link{k}", p, q, masses[k] if masses else rng.uniform(0.5, 2))
    for k in range(n):
        a, b = (k - 1) % n, k
        m.hinge(f"link{a}" if a else "ground", f"link{b}" if b else "ground", points[k], axes[k])
    m.spin("link1", rate, axes[1])


def axes_of(frames, offsets):
    """Points and directions of the axes of a loop. Frame k comes after link k - 1; its z is axis k."""
    points, directions = [], []
    for k, (R, p) in enumerate(frames[:-1]):
        z = tuple(row[2] for row in R)
        points.append(add(p, mul(z, offsets[k] / 2)))
        directions.append(z)
    return points, directions


def bennett_points(rng, first=None):
    alpha = rng.uniform(0.5, 1.0)
    beta = rng.uniform(1.3, 1.7)
    a = 1.0
    return bennett_with(rng, a, alpha, a * math.sin(beta) / math.sin(alpha), beta, first)


def bennett_with(rng, a, alpha, b, beta, first=None):
    """Joint axes of Bennett's linkage with links (a, alpha), (b, beta), (a, alpha), (b, beta)."""
    first = first if first is not None else rng.uniform(0.6, 2.4) * rng.choice((-1, 1))
    for sign in (1, -1):
        second = 2 * math.atan(sign * math.sin((alpha + beta) / 2) / math.sin((alpha - beta) / 2) / math.tan(first / 2))
        angles = [first, second, -first, -second]
        shape = ([0] * 4, [a, b, a, b], [alpha, beta, alpha, beta])
        if max(map(abs, geo.opening(angles, *shape))) < 1e-12:
            return axes_of(geo.loop_frames(angles, *shape), [0] * 4)
    raise ValueError("not a Bennett linkage")


def bennett(rng):
    """Bennett's linkage"""
    m = spatial(rng)
    points, axes = bennett_points(rng)
    hinge_loop(m, rng, points, axes, rng.uniform(2, 5))
    m.end = 2.5
    return m


def frame_of(p, z, q):
    x = unit(sub(q, p))
    x = unit(sub(x, mul(z, geo.dot(x, z))))
    return geo.transpose((x, cross(z, x), z)), p


def goldberg(rng):
    """Goldberg's five-bar: two Bennett linkages, their common link taken out, two links made one"""
    m = spatial(rng)
    alpha, beta, gamma = rng.uniform(0.6, 0.9), rng.uniform(1.2, 1.5), rng.uniform(0.4, 0.8)
    b = 1.2
    ratio = math.sin(beta) / b
    p, z = bennett_with(rng, math.sin(alpha) / ratio, alpha, b, beta)
    q, w = bennett_with(rng, math.sin(gamma) / ratio, gamma, b, beta)
    # the links of length b between axes 1 and 2 are laid over each other
    R, at = frame_of(p[1], z[1], p[2])
    S, foot = frame_of(q[1], w[1], q[2])
    turn = geo.product(R, geo.transpose(S))
    q = [add(at, geo.apply(turn, sub(x, foot))) for x in q]
    w = [geo.apply(turn, x) for x in w]
    # axis 1 is made rigid: links 0-1 of both are one; the loop is 0, (2), 3 of the first, 3, 0 of the second
    points, axes = [p[0], q[0], q[3], p[2], p[3]], [z[0], w[0], w[3], z[2], z[3]]
    hinge_loop(m, rng, points, axes, rng.uniform(1.5, 3))
    m.end = 2
    return m


def myard(rng):
    """Myard's five-bar linkage"""
    m = spatial(rng)
    while True:
        alpha = rng.uniform(0.5, 1.1)
        a = 1.0
        b = a / math.sin(alpha)
        lengths = [a, b, 0, b, a]
        twists = [alpha, math.pi / 2, math.pi - 2 * alpha, math.pi / 2, math.pi - alpha]
        try:
            angles = geo.close_loop(rng, [0] * 5, lengths, twists, rng.uniform(0.7, 2.3))
            break
        except ValueError:
            continue
    points, axes = axes_of(geo.loop_frames(angles, [0] * 5, lengths, twists), [0] * 5)
    hinge_loop(m, rng, points, axes, rng.uniform(1.5, 3))
    m.end = 1.5
    return m


def bricard(rng):
    """Bricard's line-symmetric loop of six hinges, of general shape"""
    m = spatial(rng)
    while True:
        lengths = [rng.uniform(0.5, 1.5) for _ in range(3)] * 2
        twists = [rng.uniform(0.6, 2.0) for _ in range(3)] * 2
        offsets = [rng.uniform(-0.3, 0.3) for _ in range(3)] * 2
        try:
            angles = close_symmetric(rng, offsets, lengths, twists)
            break
        except ValueError:
            continue
    points, axes = axes_of(geo.loop_frames(angles, offsets, lengths, twists), offsets)
    hinge_loop(m, rng, points, axes, rng.uniform(1, 2))
    m.end = 1.5
    return m


def close_symmetric(rng, offsets, lengths, twists):
    """Angles theta, theta of three each: half the loop must be half a turn about a line, the whole then closes."""
    first = rng.uniform(-2, 2)
    for _ in range(60):
        x = [rng.uniform(-math.pi, math.pi) for _ in range(2)]
        for _ in range(40):
            def open_by(y):
                return geo.opening([first, *y] * 2, offsets, lengths, twists)
            g, columns = open_by(x), []
            for k in range(2):
                up, down = (open_by([v + s * (i == k) for i, v in enumerate(x)]) for s in (1e-6, -1e-6))
                columns.append([(p - q) / 2e-6 for p, q in zip(up, down)])
            damping = min(1e-2, geo.dot(g, g)) + 1e-15
            normal = [[geo.dot(p, q) + damping * (i == j) for j, q in enumerate(columns)] for i, p in enumerate(columns)]
            x = [p - q for p, q in zip(x, geo.solve(normal, [geo.dot(c, g) for c in columns]))]
        if max(map(abs, open_by(x))) < 1e-13:
            return [first, *x] * 2
    raise ValueError("the loop does not close")


def sarrus(rng):
    """Sarrus' linkage: a table that rises straight on two pairs of hinged plates"""
    m = spatial(rng)
    h = rng.uniform(0.6, 1.2)
    m.box("table", (0, 0, h), (1, 1, 0.1), 2)
    for k, angle in enumerate((0, rng.uniform(1.2, 1.9))):
        u, axis = polar(1, angle), polar(1, angle + TURN / 4)
        low, high = mul(u, 0.5), add(mul(u, 0.5), (0, 0, h))
        knee = add(mul(u, 0.5 + math.sqrt(0.8 ** 2 - h * h / 4)), (0, 0, h / 2))
        m.bar(f"low{k}", low, knee, rng.uniform(0.5, 1))
        m.bar(f"high{k}", knee, high, rng.uniform(0.5, 1))
        m.hinge("ground", f"low{k}", low, axis)
        m.hinge(f"low{k}", f"high{k}", knee, axis)
        m.hinge(f"high{k}", "table", high, axis)
    m.spring("ground", "table", (0, 0, -0.5), (0, 0, h), 120, 2, h + 0.8)
    m.end = 2
    return m


def spherical_four_bar(rng):
    """Four hinges whose axes meet in a point"""
    m = spatial(rng)
    while True:
        axes = [unit(jitter(rng, v, 0.3)) for v in ((1, 0, 0.2), (0.8, 0.8, 0.3), (0, 1.2, 0.3), (-0.7, 0.4, 0.8))]
        if min(norm(cross(axes[k], axes[k - 1])) for k in range(4)) > 0.4:
            break
    hinge_loop(m, rng, [mul(a, rng.uniform(0.8, 1.2)) for a in axes], axes, rng.uniform(1, 3))
    m.end = 2
    return m


def spherical_six_bar(rng):
    """Six hinges whose axes meet in a point: three freedoms, three rows redundant"""
    m = spatial(rng)
    axes = [unit(jitter(rng, (math.cos(k * TURN / 6), math.sin(k * TURN / 6), 0.5 * (-1) ** k), 0.15)) for k in range(6)]
    hinge_loop(m, rng, [mul(a, rng.uniform(0.8, 1.2)) for a in axes], axes, rng.uniform(0.5, 1))
    m.end = 1.5
    return m


def cranks_in_space(rng):
    """Three or four parallel cranks under a plate, pivots not in line: redundant rows, regular all round"""
    m = spatial(rng)
    n = rng.randint(3, 4)
    feet = [add(polar(0.8, k * TURN / n + 0.2), (0, 0, rng.uniform(-0.2, 0.2))) for k in range(n)]
    arm = add(polar(0.4, rng.uniform(0, TURN)), (0, 0, 0.3))
    m.plate("plate", *[add(f, arm) for f in feet], mass=2)
    for k, f in enumerate(feet):
        m.bar(f"crank{k}", f, add(f, arm), rng.uniform(0.5, 2))
        m.hinge("ground", f"crank{k}", f)
        m.hinge(f"crank{k}", "plate", add(f, arm))
    m.spin("crank0", rng.uniform(4, 8))
    m.end = 2
    return m


def governor(rng):
    """Watt's governor: two or three arms with balls, links to a sleeve; redundant loops"""
    m = spatial(rng)
    n, droop = rng.randint(2, 3), rng.uniform(0.6, 1.0)
    m.bar("shaft", (0, 0, 0), (0, 0, 1.2), 2)
    spindle = m.hinge("ground", "shaft", (0, 0, 0), Z)
    sleeve = (0, 0, 1.2 - 1.0 * math.cos(droop))
    m.box("sleeve", sleeve, (0.2, 0.2, 0.1), 1)
    m.slide("shaft", "sleeve", sleeve, Z)
    for k in range(n):
        u, side = polar(1, k * TURN / n), polar(1, k * TURN / n + TURN / 4)
        top, low = add(mul(u, 0.05), (0, 0, 1.2)), add(mul(u, 0.05), sleeve)
        knee = add(mul(u, 0.05 + 0.5 * math.sin(droop)), (0, 0, 1.2 - 0.5 * math.cos(droop)))
        ball = add(top, mul(sub(knee, top), 1.6))
        m.plate(f"arm{k}", top, ball, ball, mass=1.5)
        m.bar(f"link{k}", low, knee, 0.2)
        m.hinge("shaft", f"arm{k}", top, side)
        m.hinge(f"arm{k}", f"link{k}", knee, side)
        m.hinge("sleeve", f"link{k}", low, side)
    m.spring("shaft", "sleeve", (0, 0, 1.2), sleeve, 60, 2, 0.8)
    m.effort(spindle, f"{rng.uniform(0.5, 2)!r}*sin(2*t/tau)")
    m.spin("shaft", rng.uniform(4, 7), Z)
    m.end = 2
    return m


def rotor(rng):
    """A rotor with unbalance in two bearings, the second redundant, a disc welded on"""
    m = spatial(rng)
    axis = unit((1, rng.uniform(-0.3, 0.3), rng.uniform(-0.3, 0.3)))
    m.bar("shaft", (0, 0, 0), mul(axis, 2), 3)
    n = geo.any_normal(axis)
    m.moments("disc", add(mul(axis, 0.8), mul(n, 0.05)), 5, (0.8, 0.4, 0.4), geo.transpose((axis, n, cross(axis, n))))
    m.joint("weld", "shaft", "disc", mul(axis, 0.8))
    first = m.hinge("ground", "shaft", mul(axis, 0.2), axis)
    m.hinge("ground", "shaft", mul(axis, 1.8), axis)
    m.effort(first, "3*cos(3*t/tau)")
    m.spin("shaft", rng.uniform(3, 12), axis)
    m.end = 2
    return m


def elastic_rotor(rng):
    """A rotor on springs at both ends, run up by a torque"""
    m = spatial(rng)
    m.moments("rotor", (0, 0, 0.03), 4, (0.5, 0.3, 0.3))
    for x in (-0.8, 0.8):
        for side in (Y, Z, mul(Y, -1), mul(Z, -1)):
            m.spring("ground", "rotor", add((x, 0, 0), mul(side, 0.6)), (x, 0, 0), rng.uniform(200, 300), 1, 0.5)
        m.spring("ground", "rotor", (2.2 * x, 0, 0), (x, 0, 0), 200, 1, 0.9)
    m.forces.append({"name": "drive", "type": "torque", "body": "rotor", "axes": "body", "value": [0, 0, "mu*lam*2*sin(t/tau)"]})
    m.spin("rotor", rng.uniform(5, 15), X)
    m.end = 1.5
    return m


def gyroscope(rng):
    """A rotor in two gimbals, away from their lock"""
    m = spatial(rng)
    tilt = rng.uniform(-0.5, 0.5)
    spin = (math.cos(tilt), 0, math.sin(tilt))
    m.moments("outer", (0, 0, 0), 1, (0.3, 0.3, 0.5))
    m.moments("inner", (0, 0, 0), 1, (0.2, 0.3, 0.2))
    m.moments("rotor", mul(spin, rng.uniform(0, 0.1)), 3, (0.5, 0.3, 0.3), geo.transpose((spin, Y, cross(spin, Y))))
    m.hinge("ground", "outer", (0, 0, 0), Z)
    m.hinge("outer", "inner", (0, 0, 0), Y)
    m.hinge("inner", "rotor", (0, 0, 0), spin)
    m.spin("rotor", rng.uniform(15, 40), spin)
    m.end = 1.5
    return m


def top(rng):
    """A heavy top on a ball joint"""
    m = spatial(rng)
    u = unit((rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(0.2, 1.5)))
    n = geo.any_normal(u)
    m.moments("top", mul(u, 0.6), 2, (0.2, 0.15, 0.15), geo.transpose((u, n, cross(u, n))))
    m.socket("ground", "top", (0, 0, 0))
    m.spin("top", rng.uniform(15, 40), u)
    m.end = 1.5
    return m


def ball_chain(rng):
    """One to three bars on ball joints, a point mass on a rod at the end"""
    m = spatial(rng)
    at, last = (0, 0, 0), "ground"
    for k in range(rng.randint(1, 2)):
        tip = add(at, mul(unit(add(geo.any_direction(rng), (0, 0, -1.5))), rng.uniform(0.5, 1)))
        m.bar(f"bar{k}", at, tip, rng.uniform(0.5, 2))
        m.socket(last, f"bar{k}", at)
        at, last = tip, f"bar{k}"
    tip = add(at, mul(unit(add(geo.any_direction(rng), (0, 0, -1.5))), 0.7))
    m.ball("bob", tip, 1)
    m.rod(last, "bob", at, tip)
    m.push("bob", mul(geo.any_direction(rng), rng.uniform(0.3, 1.5)))
    m.end = 1.5
    return m


def universal_chain(rng):
    """Two bars hung on universal joints"""
    m = spatial(rng)
    at, last = (0, 0, 0), "ground"
    for k in range(2):
        u = unit(add(mul(geo.any_direction(rng), 0.6), (0, 0, -1)))
        tip, n = add(at, mul(u, 0.8)), geo.any_normal(u)
        m.bar(f"bar{k}", at, tip, rng.uniform(0.5, 2))
        m.cardan(last, f"bar{k}", at, n, cross(u, n))
        at, last = tip, f"bar{k}"
    m.end = 1.5
    return m


def tower_crane(rng):
    """Slewing jib with a trolley, the load on a rod-like rope"""
    m = spatial(rng)
    m.bar("jib", (-1, 0, 2), (3, 0, 2), 8)
    m.hinge("ground", "jib", (0, 0, 0), Z, motor=f"{rng.uniform(0.3, 1)!r}*(t/tau - sin(2*t/tau)/2)")
    m.box("trolley", (2, 0, 1.95), (0.2, 0.2, 0.1), 0.5)
    m.slide("jib", "trolley", (2, 0, 1.95), X, motor=f"{rng.uniform(-0.3, 0.3)!r}*(1 - cos(2*t/tau))")
    if rng.random() < 0.5:
        m.ball("load", (2, 0.1, 0.9), 2)
        m.rod("trolley", "load", (2, 0, 1.95), (2, 0.1, 0.9))
    else:
        m.box("load", (2, 0, 0.7), (0.6, 0.4, 0.3), 2)
        m.bar("rope", (2, 0, 1.95), (2, 0, 0.95), 0.1)
        m.cardan("trolley", "rope", (2, 0, 1.95), X, Y)
        m.socket("rope", "load", (2, 0, 0.95))
    m.end = 2
    return m


def furuta(rng):
    """Furuta's pendulum: an arm turned by a torque, a pendulum at its end"""
    m = spatial(rng)
    m.bar("arm", (0, 0, 0), (0.8, 0, 0), 1)
    angle = rng.uniform(0.5, 2.0)
    tip = (0.8, 0.7 * math.sin(angle), -0.7 * math.cos(angle))
    m.bar("swing", (0.8, 0, 0), tip, 0.5)
    joint = m.hinge("ground", "arm", (0, 0, 0), Z)
    m.hinge("arm", "swing", (0.8, 0, 0), X)
    m.effort(joint, f"{rng.uniform(0.5, 2)!r}*sin(3*t/tau)")
    m.spin("arm", rng.uniform(0.5, 2), Z)
    m.end = 2
    return m


def swash_plate(rng):
    """Axial pump: a tilted turning plate moves two to four pistons, whose points stay in its plane"""
    m = spatial(rng)
    normal = unit((math.sin(0.3), 0, math.cos(0.3)))
    n = geo.any_normal(normal)
    m.moments("plate", (0, 0, 0), 3, (0.3, 0.3, 0.6), geo.transpose((n, cross(normal, n), normal)))
    m.hinge("ground", "plate", (0, 0, 0), Z, motor=f"{rng.uniform(3, 8)!r}*t/tau" if rng.random() < 0.5 else None)
    if not m.driven:
        m.spin("plate", rng.uniform(3, 8), Z)
    for k in range(rng.randint(2, 4)):
        foot = polar(0.5, k * 1.4 + 0.3)
        at = add(foot, (0, 0, -(foot[0] * normal[0] + foot[1] * normal[1]) / normal[2]))
        m.box(f"piston{k}", add(at, (0, 0, 0.2)), (0.1, 0.1, 0.4), 0.3)
        joint = m.slide("ground", f"piston{k}", at, Z)
        m.along("point_on_plane", "plate", f"piston{k}", at, normal)
        m.torsion(joint, 30, 0.3, sliding=True)
    m.end = 2
    return m


def tripod(rng):
    """Tripod coupling: three pins of one shaft on lines of the other; the driven end floats on a spring"""
    m = spatial(rng)
    tilt = rng.uniform(0.05, 0.25)
    heading = (math.cos(tilt), math.sin(tilt), 0)
    m.bar("tulip", (-1, 0, 0), (0.2, 0, 0), 2)
    m.hinge("ground", "tulip", (-0.6, 0, 0), X)
    m.bar("spider", (0, 0, 0), heading, 1)
    for k in range(3):
        a = k * TURN / 3 + 0.2
        pin = add(mul((-math.sin(tilt), math.cos(tilt), 0), 0.2 * math.cos(a)), (0, 0, 0.2 * math.sin(a)))
        m.slot("tulip", "spider", pin, X) if k < 2 else m.along("point_on_plane", "tulip", "spider", pin,
                                                                 (0, -math.sin(a), math.cos(a)))
    m.spring("ground", "spider", add(heading, (0.5, 0, 0)), heading, 60, 1, 0.5)
    m.spring("ground", "spider", add(heading, (0, 0.6, 0)), heading, 90, 1, 0.5)
    m.spring("ground", "spider", add(heading, (0, 0, 0.6)), heading, 90, 1, 0.4)
    m.spin("tulip", rng.uniform(3, 8), X)
    m.end = 1.5
    return m


def turntable(rng):
    """Pucks on a turning table (planar joints), tied by springs"""
    m = spatial(rng)
    normal = unit((rng.uniform(-0.2, 0.2), rng.uniform(-0.2, 0.2), 1))
    m.moments("table", (0, 0, 0), 5, (1, 1, 2))
    m.hinge("ground", "table", (0, 0, 0), normal, motor=f"{rng.uniform(1, 2)!r}*t/tau" if rng.random() < 0.5 else None)
    a, b = geo.any_normal(normal), cross(normal, geo.any_normal(normal))
    for k, at in enumerate((mul(a, 0.5), mul(b, 0.6))):
        m.moments(f"puck{k}", add(at, mul(normal, 0.1)), 1, (0.02, 0.03, 0.04))
        m.along("planar", "table", f"puck{k}", at, normal)
        m.spring("table", f"puck{k}", add(mul(at, -1), mul(normal, 0.1)), add(at, mul(normal, 0.1)), 20, 0.5, 1.0)
    m.spring("puck0", "puck1", add(mul(a, 0.5), mul(normal, 0.1)), add(mul(b, 0.6), mul(normal, 0.1)), 15, 0.3, 0.6)
    if not m.driven:
        m.spin("table", rng.uniform(1, 3), normal)
    m.end = 2
    return m


def welded_frame(rng):
    """A swinging frame of bars welded in a ring: six rows redundant"""
    m = spatial(rng)
    n = rng.randint(3, 5)
    corners = [add(jitter(rng, polar(0.5, k * TURN / n), 0.1), (0.7, 0, 0)) for k in range(n)]
    for k, p in enumerate(corners):
        m.bar(f"bar{k}", p, corners[(k + 1) % n], rng.uniform(0.5, 2))
    for k in range(n):
        m.joint("weld", f"bar{k - 1 if k else n - 1}", f"bar{k}", corners[k])
    m.hinge("ground", "bar0", (0, 0, 0), geo.any_direction(rng))
    m.end = 2
    return m


def doubled_joints(rng):
    """Two bars on hinges that other joints repeat: a ball joint and a slot on the axis, a rod along the bar"""
    m = spatial(rng)
    axis = unit((rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), 1))
    side = geo.any_normal(axis)
    knee = mul(side, 0.7)
    tip = add(knee, mul(cross(axis, side), 0.6))
    m.bar("first", (0, 0, 0), knee, 1)
    m.bar("second", knee, tip, 1)
    m.hinge("ground", "first", (0, 0, 0), axis)
    m.hinge("first", "second", knee, axis)
    m.socket("ground", "first", mul(axis, 0.3))
    m.along("cylindrical", "first", "second", add(knee, mul(axis, 0.2)), axis)
    m.slot("second", "first", add(knee, mul(axis, -0.3)), axis)
    m.rod("ground", "first", mul(axis, -0.4), knee)
    m.end = 2
    return m


def lamp(rng):
    """Desk lamp: two parallelograms in space one after the other, balanced by springs"""
    m = spatial(rng)
    base = m.box("base", (0, 0, 0), (0.3, 0.3, 0.1), 1)
    m.hinge("ground", base, (0, 0, 0), Z)
    last, p = base, (0, 0, 0.1)
    for k, angle in enumerate((rng.uniform(0.8, 1.4), rng.uniform(0.0, 0.5))):
        arm = (0.6 * math.cos(angle), 0, 0.6 * math.sin(angle))
        q = add(p, (-0.12 * math.sin(angle), 0, 0.12 * math.cos(angle)))
        bracket = m.box(f"bracket{k}", add(middle(p, q), arm), (0.1, 0.1, 0.1), 0.3)
        for name, foot in (("low", p), ("high", q)):
            m.bar(f"{name}{k}", foot, add(foot, arm), 0.3)
            m.hinge(last, f"{name}{k}", foot, Y)
            m.hinge(f"{name}{k}", bracket, add(foot, arm), Y)
        m.spring(last, f"low{k}", add(p, (0, 0, 0.35)), add(p, mul(arm, 0.6)), 400, 8, 0.28)
        last, p = bracket, add(p, arm)
    m.spin(base, rng.uniform(0.5, 2), Z)
    m.end = 2
    return m


def bushing(rng):
    """Two blocks in space on springs and dampers, one hinged to the other with a torsion spring"""
    m = spatial(rng)
    m.box("block", (0, 0, 0), (1, 0.6, 0.4), 3)
    for x in (-0.5, 0.5):
        for y in (-0.3, 0.3):
            m.spring("ground", "block", (1.6 * x, 1.6 * y, -0.8), (x, y, -0.2), rng.uniform(100, 200), 3)
    m.bar("flap", (0.5, 0, 0.2), (1.2, 0.1, 0.3), 0.5)
    m.torsion(m.hinge("block", "flap", (0.5, 0, 0.2), Y), 8, 0.3, rest=0.1)
    m.force("block", (0.3, 0.1, 0.2), [f"{rng.uniform(2, 8)!r}*sin(6*t/tau)", "2*cos(4*t/tau)", f"{rng.uniform(2, 8)!r}*sin(9*t/tau)"])
    m.end = 1.5
    return m


FAMILIES = [double_wishbone, macpherson, five_link, rigid_axle, spatial_slider_crank, rssr, stewart, delta, six_axis_arm, scara,
            gantry_robot, cardan_shafts, door, bennett, goldberg, myard, bricard, sarrus, spherical_four_bar, spherical_six_bar,
            cranks_in_space, governor, rotor, elastic_rotor, gyroscope, top, ball_chain, universal_chain, tower_crane, furuta,
            swash_plate, tripod, turntable, welded_frame, doubled_joints, lamp, bushing]
