"""Random heaps, and a time stepping of their own: Moreau's, in velocities and impulses, with all contacts at once.

It knows no events, no modes and no complementarity solver: bodies have three coordinates each, rows are solved one
after the other until nothing changes (Gauss and Seidel), and the error falls with the step h, which is found by
halving h [Moreau 1988, Unilateral contact and dry friction in finite freedom dynamics; Jean 1999].
"""
import math
import random

G = 9.81


def turned(angle, p):
    c, s = math.cos(angle), math.sin(angle)
    return c * p[0] - s * p[1], s * p[0] + c * p[1]


def cross(a, b):
    return a[0] * b[1] - a[1] * b[0]


class Heap:
    """Bodies [mass, inertia, [x, y, angle], [vx, vy, rate]], pins, corners on lines, limits of angles."""

    def __init__(self):
        self.bodies, self.pins, self.corners, self.limits, self.poisson = [], [], [], [], False

    # body -1 is the ground; points and normals are of the bodies' own frames
    def corner(self, body, at, on, through, normal, e, mu):
        self.corners.append((body, at, on, through, normal, e, mu))

    def pose(self, body):
        return self.bodies[body][2] if body >= 0 else [0, 0, 0]

    def world(self, body, p):
        x = self.pose(body)
        d = turned(x[2], p)
        return x[0] + d[0], x[1] + d[1]

    def scene(self):
        bodies, markers, joints, stops = [], [], [], []
        for i, (mass, inertia, q, v) in enumerate(self.bodies):
            bodies.append({"name": f"b{i}", "mass": mass, "inertia": inertia, "position": q[:2], "angle": q[2],
                           "velocity": v[:2], "rate": v[2]})
        called = [b["name"] for b in bodies] + ["ground"]
        for k, (body, at, on, through, normal, e, mu) in enumerate(self.corners):
            markers += [{"name": f"p{k}", "body": called[body], "at": self.world(body, at)},
                        {"name": f"o{k}", "body": called[on], "at": self.world(on, through)}]
            stops.append({"name": f"s{k}", "marker": f"p{k}", "on": f"o{k}", "normal": turned(self.pose(on)[2], normal),
                          "restitution": e, **({"friction": mu} if mu else {})})
        for k, (a, b, at) in enumerate(self.pins):
            mine = [limit for limit in self.limits if limit[0] == k]
            joints.append({"name": f"j{k}", "type": "revolute", "bodies": [called[a], called[b]],
                           "at": self.world(b, at[1])})
            for _, low, high, e, friction in mine:
                joints[-1] |= {"limits": [low, high], "restitution": e} | ({"friction": friction} if friction else {})
        return {"dimension": 2, "gravity": [0, -G], "bodies": bodies, "markers": markers,
                "joints": joints, "stops": stops}


# ----------------------------------------------------------------------------------------- the reference


def gap_rows(heap, q):
    """Of each corner: gap, and its rows along the normal and across, as {body: (x, y, turn)}."""
    out = []
    for body, at, on, through, normal, e, mu in heap.corners:
        place = lambda b, p: ((q[b][0] + turned(q[b][2], p)[0], q[b][1] + turned(q[b][2], p)[1]) if b >= 0 else p)
        p, o = place(body, at), place(on, through)
        n = turned(q[on][2] if on >= 0 else 0, normal)
        rows = []
        for d in (n, (n[1], -n[0])):
            row = {body: (d[0], d[1], cross((p[0] - q[body][0], p[1] - q[body][1]), d))} if body >= 0 else {}
            if on >= 0:
                row[on] = (-d[0], -d[1], -cross((p[0] - q[on][0], p[1] - q[on][1]), d))
            rows.append(row)
        out.append(((p[0] - o[0]) * n[0] + (p[1] - o[1]) * n[1], rows[0], rows[1], e, mu))
    return out


def pin_rows(heap, q):
    """Of each pin: what is left of it, and two rows."""
    out = []
    for a, b, at in heap.pins:
        ends = []
        for body, p in ((a, at[0]), (b, at[1])):
            d = turned(q[body][2], p) if body >= 0 else p
            ends.append((d, (q[body][0] + d[0], q[body][1] + d[1]) if body >= 0 else d))
        for i in range(2):
            row = {}
            for (arm, _), body, s in zip(ends, (a, b), (-1, 1)):
                if body >= 0:
                    row[body] = (s * (i == 0), s * (i == 1), s * (-arm[1] if i == 0 else arm[0]))
            out.append((ends[1][1][i] - ends[0][1][i], row))
    return out


def angle_rows(heap, q, start):
    """Of each limit: gaps below and above, the row of the angle, restitution, friction."""
    for k, low, high, e, friction in heap.limits:
        a, b, _ = heap.pins[k]
        turn = lambda body: q[body][2] - start[body][2] if body >= 0 else 0
        row = ({b: (0, 0, 1)} if b >= 0 else {}) | ({a: (0, 0, -1)} if a >= 0 else {})
        x = turn(b) - turn(a)
        yield x - low, high - x, row, e, friction


def solve(v, inverse, rows):
    """Rows (row, wanted rate, low, high, its normal or None, mu): impulses until no velocity changes."""
    p = [0.0] * len(rows)
    weight = [sum(c * c * inverse[b][i] for b, d in row.items() for i, c in enumerate(d)) for row, *_ in rows]
    for _ in range(20000):
        change = 0
        for k, (row, wanted, low, high, normal, mu) in enumerate(rows):
            if normal is not None:
                low, high = -mu * p[normal], mu * p[normal]
            u = sum(c * v[b][i] for b, d in row.items() for i, c in enumerate(d))
            new = min(max(p[k] + (wanted - u) / weight[k], low), high)
            for b, d in row.items():
                for i, c in enumerate(d):
                    v[b][i] += inverse[b][i] * c * (new - p[k])
            change = max(change, abs(new - p[k]) * weight[k])
            p[k] = new
        if change < 1e-12:
            break


def rows_at(heap, q, start):
    """Rows that press upwards: gap, row, restitution, its row across or None, coefficient."""
    out = [(gap, row, e, across, mu) for gap, row, across, e, mu in gap_rows(heap, q)]
    for below, above, row, e, _ in angle_rows(heap, q, start):
        out += [(below, row, e, None, 0),
                (above, {b: tuple(-c for c in d) for b, d in row.items()}, e, None, 0)]
    return out


def rate(row, v):
    return sum(c * v[b][i] for b, d in row.items() for i, c in enumerate(d))


def press(closing, pins, v):
    """Rows for solve(): what closes, with the rate that it shall have at least, friction, and the pins."""
    rows = list(pins)
    for row, wanted, across, mu in closing:
        rows.append((row, wanted, 0, math.inf, None, 0))
        if mu:
            rows.append((across, 0, 0, 0, len(rows) - 1, mu))
    return rows


def strike(heap, v, inverse, closing, pins):
    """By Newton's law; where that adds energy, the last rates from those of a plastic impact to these that do not."""
    energy = lambda u: sum(m * (a[0]**2 + a[1]**2) + i * a[2]**2 for (m, i, *_), a in zip(heap.bodies, u))
    between = lambda s: [[a + s * (b - a) for a, b in zip(*both)] for both in zip(plastic, bounces)]
    plastic, bounces, low, high = [list(x) for x in v], [list(x) for x in v], 0, 1
    solve(bounces, inverse, press([(row, -e * rate(row, v), across, mu) for row, e, across, mu in closing], pins, v))
    if energy(bounces) <= energy(v) * (1 + 1e-9):
        return bounces
    solve(plastic, inverse, press([(row, 0, across, mu) for row, _, across, mu in closing], pins, v))
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if energy(between(middle)) <= energy(v) else (low, middle)
    return between(low)


def step(heap, q, v, start, h):
    """What closes faster than ten steps of free fall make it strikes: what closes, then what that makes close, and
    so on. All else is plastic."""
    inverse = [(1 / m, 1 / m, 1 / i) for m, i, *_ in heap.bodies]
    middle = [[x + h / 2 * u for x, u in zip(a, b)] for a, b in zip(q, v)]
    touching = [r for r in rows_at(heap, middle, start) if r[0] <= 0]
    pins = [(row, 0, -math.inf, math.inf, None, 0) for left, row in pin_rows(heap, middle)]
    v = [list(x) for x in v]
    least = 10 * G * h
    for _ in range(1000):
        closing = [(row, e, across, mu) for _, row, e, across, mu in touching if rate(row, v) < -least]
        if not closing:
            break
        v = strike(heap, v, inverse, closing, pins)
        least = 1e-9
    before = v
    v = [[a, b - h * G, c] for a, b, c in v]
    rows = press([(row, 0, across, mu) for _, row, _, across, mu in touching], pins, v)
    rows += [(row, 0, -friction * h, friction * h, None, 0)
             for _, _, row, _, friction in angle_rows(heap, middle, start) if friction]
    solve(v, inverse, rows)
    return [[x + h / 2 * (a + b) for x, a, b in zip(x, a, b)] for x, a, b in zip(q, before, v)], v


def moreau(heap, t, n):
    """Coordinates at t by n steps."""
    start = [list(b[2]) for b in heap.bodies]
    q, v = [list(b[2]) for b in heap.bodies], [list(b[3]) for b in heap.bodies]
    for _ in range(n):
        q, v = step(heap, q, v, start, t / n)
    return q


# ----------------------------------------------------------------------------------------------- random heaps


def box(heap, rng, x, y, wide, high, angle):
    mass = rng.uniform(0.5, 2)
    heap.bodies.append((mass, mass * (wide**2 + high**2) / 12, [x, y, angle],
                        [rng.uniform(-1, 1), rng.uniform(-0.5, 0.5), rng.uniform(-1, 1)]))
    return len(heap.bodies) - 1


def boxes(seed, friction=True, bounce=True):
    """One to three boxes above a tilted floor, each with one to four corners that touch it, or a stack of two."""
    rng = random.Random(seed)
    heap, tilt = Heap(), rng.uniform(-0.3, 0.3)
    normal = (-math.sin(tilt), math.cos(tilt))
    stack = rng.random() < 0.3
    n = 2 if stack else rng.randint(1, 3)
    for i in range(n):
        wide, high = rng.uniform(0.3, 1), rng.uniform(0.2, 0.8)
        far, up = 3.0 * i, rng.uniform(0.05, 0.6) + math.hypot(wide, high) / 2
        if stack:
            far, up = rng.uniform(-0.05, 0.05), (0.6 if i == 0 else 1.9) + rng.uniform(0, 0.1)
        turn = rng.uniform(-0.2, 0.2) if stack else rng.uniform(-1, 1)
        b = box(heap, rng, far * math.cos(tilt) + up * normal[0], far * math.sin(tilt) + up * normal[1], wide, high,
                tilt + turn)
        ends = [(-wide / 2, -high / 2), (wide / 2, -high / 2), (wide / 2, high / 2), (-wide / 2, high / 2)]
        for at in ends[:2] if stack else ends[:rng.randint(1, 4)]:
            e = rng.choice((0, rng.uniform(0, 0.9))) if bounce else 0
            mu = rng.uniform(0.1, 0.9) if friction else 0
            if stack and i == 1:
                heap.corner(b, at, 0, (0, below_high / 2), (0, 1), e, mu)
            else:
                heap.corner(b, at, -1, (0, 0), normal, e, mu)
        below_high = high
    return heap


def pendulums(seed):
    """One to three bars, one on the other, with limits, restitution and dry friction."""
    rng = random.Random(seed)
    heap, x, y, angle = Heap(), 0.0, 0.0, 0.0
    for i in range(rng.randint(1, 3)):
        length, mass = rng.uniform(0.3, 1), rng.uniform(0.5, 2)
        angle = rng.uniform(-1.5, 0.5)
        c, s = math.cos(angle), math.sin(angle)
        end = heap.bodies[-1] if i else None
        heap.bodies.append((mass, mass * length**2 / 12, [x + c * length / 2, y + s * length / 2, angle],
                            [0.0, 0.0, 0.0]))
        heap.pins.append((i - 1, i, ((before / 2, 0) if end else (0, 0), (-length / 2, 0))))
        heap.limits.append((i, rng.uniform(-1.2, -0.1), rng.uniform(0.1, 1.2), rng.uniform(0, 0.8),
                            rng.choice((0, rng.uniform(0.05, 1)))))
        x, y, before = x + c * length, y + s * length, length
    return heap


FAMILIES = {"boxes": boxes, "smooth": lambda seed: boxes(seed, friction=False),
            "plastic": lambda seed: boxes(seed, bounce=False), "pendulums": pendulums}
