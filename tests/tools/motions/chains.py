"""Random chains in space whose joints have limits, and their motion by equations of their own.

Coordinates are those of the joints: of each body Jacobian and bias by recursion from the ground, M q'' = Q - h, a rod that closes a
loop and limits that are held by multipliers beside. Steps are Gragg's of order ten without a choice of step [Hairer, Norsett, Wanner
II.9]; where a limit is met, or its force comes to zero, the step is taken again up to there. Impacts are Newton's: what closes strikes,
then what that makes close.
"""
import math
import random

G = (0.0, 0.0, -9.81)
REST = 1e-7  # rad/s or m/s: what bounces slower than this and is pressed is at rest; 2 REST/a and REST^2/a are left of its flights


def add(a, b, s=1.0):
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def times(R, x):
    return tuple(dot(row, x) for row in R)


def product(A, B):
    return tuple(tuple(sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)) for i in range(3))


def transposed(A):
    return tuple(zip(*A))


def rotation(axis, angle):
    """Rodrigues' formula."""
    c, s = math.cos(angle), math.sin(angle)
    x, y, z = axis
    return ((c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s),
            (y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s),
            (z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)))


def solve(A, b):
    """Gauss with pivoting."""
    n = len(b)
    rows = [list(row) + [x] for row, x in zip(A, b)]
    for i in range(n):
        k = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[k] = rows[k], rows[i]
        for r in range(i + 1, n):
            f = rows[r][i] / rows[i][i]
            if f:
                for c in range(i, n + 1):
                    rows[r][c] -= f * rows[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][c] * x[c] for c in range(i + 1, n))) / rows[i][i]
    return x


class Chain:
    """A tree of bodies, each on a hinge or a slider; in the initial pose all coordinates are zero."""

    def __init__(self):
        self.bodies = []  # mass, inertia (world axes of the initial pose), place, rotation of the scene's frame there
        self.joints = []  # parent (-1: the ground), turns, point, axis, low, high, e, stiffness, damping
        self.rod = None   # body, point of it, point of the ground
        self.rates = []   # at the start

    # ------------------------------------------------------------------------------- kinematics

    def pose(self, q, v):
        """Of each body: rotation, place, rate, bias of both accelerations, and its joint's axis and point."""
        out = []
        for (_, _, place, _), (parent, turns, point, axis, *_), x, u in zip(self.bodies, self.joints, q, v):
            if parent >= 0:
                R, c, w, alpha, a, *_ = out[parent]
                r, a_axis = times(R, add(point, self.bodies[parent][2], -1)), times(R, axis)
            else:
                R, c, w, alpha, a = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 0)
                r, a_axis = point, axis
            r = r if turns else add(r, a_axis, x)
            o = add(c, r)
            a_o = add(add(a, cross(alpha, r)), cross(w, cross(w, r)))
            if turns:
                R = product(R, rotation(axis, x))
                alpha = add(alpha, cross(w, a_axis), u)
                w = add(w, a_axis, u)
            else:
                a_o = add(a_o, cross(w, a_axis), 2 * u)
            s = times(R, add(place, point, -1))
            a_c = add(add(a_o, cross(alpha, s)), cross(w, cross(w, s)))
            out.append((R, add(o, s), w, alpha, a_c, a_axis, o))
        return out

    def columns(self, pose, body, x):
        """{joint: (rate of the point x of the body, rate of its rotation)} for unit rates."""
        out = {}
        while body >= 0:
            turns, axis, o = self.joints[body][1], pose[body][5], pose[body][6]
            out[body] = (cross(axis, add(x, o, -1)), axis) if turns else (axis, (0.0, 0.0, 0.0))
            body = self.joints[body][0]
        return out

    def velocity(self, pose, body, x, v):
        u = (0.0, 0.0, 0.0)
        for j, (column, _) in self.columns(pose, body, x).items():
            u = add(u, column, v[j])
        return u

    # --------------------------------------------------------------------------------- dynamics

    def mass_and_force(self, pose, q, v):
        n = len(self.bodies)
        M, f = [[0.0] * n for _ in range(n)], [0.0] * n
        for k, ((m, inertia, _, _), (R, c, w, alpha, a, _, _)) in enumerate(zip(self.bodies, pose)):
            columns = self.columns(pose, k, c)
            I = product(product(R, inertia), transposed(R))
            F = add(a, G, -1)
            T = add(times(I, alpha), cross(w, times(I, w)))
            for i, (ui, wi) in columns.items():
                f[i] -= m * dot(ui, F) + dot(wi, T)
                Iw = times(I, wi)
                for j, (uj, wj) in columns.items():
                    M[i][j] += m * dot(ui, uj) + dot(Iw, wj)
        for i, joint in enumerate(self.joints):
            f[i] -= joint[7] * q[i] + joint[8] * v[i]
        return M, f

    def rod_row(self, pose, v):
        """Its direction's row, and the acceleration that it must have."""
        body, at, foot = self.rod
        R, c, w, alpha, a, _, _ = pose[body]
        s = times(R, add(at, self.bodies[body][2], -1))
        d = add(add(c, s), foot, -1)
        length = math.sqrt(dot(d, d))
        e = tuple(x / length for x in d)
        u = self.velocity(pose, body, add(c, s), v)
        bias = add(add(a, cross(alpha, s)), cross(w, cross(w, s)))
        row = [0.0] * len(self.bodies)
        for j, (column, _) in self.columns(pose, body, add(c, s)).items():
            row[j] = dot(e, column)
        return row, -(dot(e, bias) + (dot(u, u) - dot(e, u)**2) / length)

    def with_rows(self, pose, M, f, v, held):
        """x of M x = f + rows^T p with the rod's and held rows x_i = 0; and p of the held ones."""
        n = len(f)
        rows, right = [[float(i == k) for i in range(n)] for k in held], [0.0] * len(held)
        if self.rod:
            row, least = self.rod_row(pose, v)
            rows, right = rows + [row], right + [least if v is not self.still else 0.0]
        A = [list(M[i]) + [-row[i] for row in rows] for i in range(n)]
        A += [row + [0.0] * len(rows) for row in rows]
        x = solve(A, list(f) + right)
        return x[:n], x[n:n + len(held)]

    def acceleration(self, q, v, held):
        pose = self.pose(q, v)
        M, f = self.mass_and_force(pose, q, v)
        return self.with_rows(pose, M, f, v, held)

    def response(self, q, i):
        """Change of the rates by a unit impulse along coordinate i."""
        self.still = [0.0] * len(q)
        pose = self.pose(q, self.still)
        M, _ = self.mass_and_force(pose, q, self.still)
        return self.with_rows(pose, M, [float(k == i) for k in range(len(q))], self.still, [])[0]

    still = None

    def energy(self, q, v):
        pose, sum_ = self.pose(q, v), 0.0
        for k, ((m, inertia, _, _), (R, c, w, *_)) in enumerate(zip(self.bodies, pose)):
            u = self.velocity(pose, k, c, v)
            local = times(transposed(R), w)
            sum_ += (m * dot(u, u) + dot(local, times(inertia, local))) / 2
        return sum_

    # ------------------------------------------------------------------------------------ scene

    def scene(self):
        zero = [0.0] * len(self.bodies)
        pose = self.pose(zero, self.rates)
        bodies, joints, forces = [], [], []
        for k, ((m, inertia, place, R0), (_, c, w, *_)) in enumerate(zip(self.bodies, pose)):
            bodies.append({"name": f"b{k}", "mass": m, "position": place, "matrix": R0,
                           "inertia": product(product(transposed(R0), inertia), R0),
                           "velocity": self.velocity(pose, k, c, self.rates), "rate_world": w})
        for k, (parent, turns, point, axis, low, high, e, stiffness, damping) in enumerate(self.joints):
            joints.append({"name": f"j{k}", "type": "revolute" if turns else "prismatic", "at": point, "axis": axis,
                           "bodies": [f"b{parent}" if parent >= 0 else "ground", f"b{k}"]})
            if low > -math.inf:
                joints[-1] |= {"limits": [low, high], "restitution": e}
            if stiffness:
                forces.append({"name": f"f{k}", "type": "joint_spring_damper", "joint": f"j{k}",
                               "stiffness": stiffness, "damping": damping})
        if self.rod:
            body, at, foot = self.rod
            joints.append({"name": "rod", "type": "rod", "bodies": [f"b{body}", "ground"], "at": [at, foot]})
        return {"dimension": 3, "gravity": G, "bodies": bodies, "joints": joints, "forces": forces}


# ----------------------------------------------------------------------------------------------- motion


def gragg(chain, q, v, held, h):
    """One step of order ten: the modified midpoint rule with 2, 4 ... 10 parts, extrapolated."""
    n = len(q)
    def rate(z):
        return z[n:] + chain.acceleration(z[:n], z[n:], held)[0]
    z, table = q + v, []
    first = rate(z)
    for k in range(1, 6):
        parts = 2 * k
        step = h / parts
        a, b = z, [x + step * d for x, d in zip(z, first)]
        for _ in range(parts - 1):
            a, b = b, [x + 2 * step * d for x, d in zip(a, rate(b))]
        row = [[(x + y + step * d) / 2 for x, y, d in zip(a, b, rate(b))]]
        for j in range(1, k):
            factor = (k / (k - j))**2 - 1
            row.append([x + (x - y) / factor for x, y in zip(row[j - 1], table[-1][j - 1])])
        table.append(row)
    return table[-1][-1][:n], table[-1][-1][n:]


def located(value, low, high, least):
    """Where value(s) = (f, f'; 0: unknown) becomes negative: Newton's method, or regula falsi by Illinois, in a bracket."""
    (f_low, _), (f_high, rate) = value(low), value(high)
    for _ in range(200):
        middle = high - f_high / rate if rate else high - f_high * (high - low) / (f_high - f_low)
        middle = middle if low < middle < high else (low + high) / 2
        if high - low < least or middle in (low, high):
            break
        f, rate = value(middle)
        if f < 0:
            high, f_high, f_low = middle, f, f_low / 2
        else:
            low, f_low, f_high = middle, f, f_high / 2
        if rate and abs(f / rate) < least:
            return middle - f / rate
    return high


class Run:
    def __init__(self, chain, h):
        self.chain, self.h, self.t = chain, h, 0.0
        self.q, self.v = [0.0] * len(chain.bodies), list(chain.rates)
        self.held, self.impacts, self.lost, self.settled = {}, 0, 0.0, 0  # held: {joint: side}

    def gap(self, q, k, side):
        low, high = self.chain.joints[k][4:6]
        return q[k] - low if side > 0 else high - q[k]

    def limits(self):
        return [(k, side) for k, joint in enumerate(self.chain.joints) if joint[4] > -math.inf for side in (1, -1)]

    def functions(self, q, v):
        """{row: value}: the first that becomes negative is the next event."""
        out = {row: self.gap(q, *row) for row in self.limits() if row[0] not in self.held}
        if self.held:
            held = list(self.held)
            _, p = self.chain.acceleration(q, v, held)
            out |= {(k, 0): self.held[k] * force for k, force in zip(held, p)}
        return out

    def step_to(self, end):
        """One step, up to the first event in it."""
        h = min(self.h, end - self.t)
        held = list(self.held)
        q, v = gragg(self.chain, self.q, self.v, held, h)
        met = [row for row, x in self.functions(q, v).items() if x < 0]
        first, at = None, h
        for row in met:
            def value(s):
                z = gragg(self.chain, self.q, self.v, held, s)
                return self.functions(*z)[row], row[1] * z[1][row[0]]
            high, low = at, at / 2
            if first and value(high)[0] >= 0:
                continue
            while value(low)[0] < 0 and low > 1e-12 * h:  # it starts at zero or above
                high, low = low, low / 2
            first, at = row, located(value, low, high, 4e-16 * max(self.t, h))
        self.q, self.v = gragg(self.chain, self.q, self.v, held, at) if first else (q, v)
        self.t = self.t + at if first or h < end - self.t else end
        return first

    # ---------------------------------------------------------------------------------- impacts

    def strike(self, touching):
        """Waves of what closes; as a complementarity problem P >= 0, u + W P >= -e u."""
        C = {row: [row[1] * x for x in self.chain.response(self.q, row[0])] for row in touching}
        before, struck = self.chain.energy(self.q, self.v), False
        for _ in range(200 * len(touching)):
            closing = [row for row in touching if row[1] * self.v[row[0]] < -1e-11]
            if not closing:
                break
            struck = True
            rates = {row: row[1] * self.v[row[0]] for row in closing}
            for number in range(1, 1 << len(closing)):
                active = [row for i, row in enumerate(closing) if number >> i & 1]
                W = [[a[1] * C[b][a[0]] for b in active] for a in active]
                P = solve(W, [-(1 + self.chain.joints[a[0]][6]) * rates[a] for a in active])
                v = [x + sum(p * C[a][i] for a, p in zip(active, P)) for i, x in enumerate(self.v)]
                fits = all(r[1] * v[r[0]] >= -self.chain.joints[r[0]][6] * rates[r] - 1e-12 for r in closing)
                if min(P) >= 0 and fits:
                    self.v = v
                    break
            else:
                raise ArithmeticError("no impulses")
        self.impacts += struck
        self.lost += before - self.chain.energy(self.q, self.v)

    def settle(self, touching):
        """What is at rest at its limit is held where its force presses."""
        may = [row for row in touching if row[1] * self.v[row[0]] < REST]
        for number in reversed(range(1 << len(may))):
            held = [row for i, row in enumerate(may) if number >> i & 1]
            a, p = self.chain.acceleration(self.q, self.v, [k for k, _ in held])
            if all(side * x >= 0 for (_, side), x in zip(held, p)) and \
                    all(side * a[k] >= 0 or side * self.v[k] > 0 for k, side in may if (k, side) not in held):
                break
        else:
            raise ArithmeticError("no forces")
        before = self.chain.energy(self.q, self.v)
        for k, side in held:  # what is left of its rate goes
            self.settled += abs(self.v[k]) > 1e-11
            C = self.chain.response(self.q, k)
            self.v = [x - C[i] * self.v[k] / C[k] for i, x in enumerate(self.v)]
        self.lost += before - self.chain.energy(self.q, self.v)
        self.held = dict(held)

    def run(self, end):
        while self.t < end:
            event = self.step_to(end)
            if event:
                touching = [row for row in self.limits() if row == event or abs(self.gap(self.q, *row)) < 1e-11]
                if event[1]:
                    self.strike(touching)
                elif event[0] in self.held:
                    touching = [row for row in touching if row[0] != event[0]]
                self.settle(touching)
        return self


def places(chain, q):
    """Of each body: its centre of mass, and the rotation of the scene's frame."""
    pose = chain.pose(q, [0.0] * len(q))
    return [(p[1], product(p[0], body[3])) for p, body in zip(pose, chain.bodies)]


# --------------------------------------------------------------------------------------- random chains


def direction(rng):
    x = [rng.gauss(0, 1) for _ in range(3)]
    length = math.sqrt(dot(x, x))
    return tuple(c / length for c in x)


def random_chain(seed, loop=False):
    """One to four bodies on hinges and sliders about any axes; one coordinate at least has limits."""
    rng = random.Random(seed)
    chain = Chain()
    n = rng.randint(3, 4) if loop else rng.randint(1, 4)
    bounded = [rng.random() < 0.6 for _ in range(n)]
    bounded[rng.randrange(n)] = True
    for k in range(n):
        parent = -1 if k == 0 else k - 1 if loop or rng.random() < 0.8 else rng.randrange(k)
        turns = rng.random() < 0.75
        base = chain.bodies[parent][2] if parent >= 0 else (0.0, 0.0, 0.0)
        point = add(base, direction(rng), rng.uniform(0.1, 0.4))
        place = add(point, direction(rng), rng.uniform(0.1, 0.4))
        m, turned = rng.uniform(0.5, 2), rotation(direction(rng), rng.uniform(0, 3))
        sizes = [rng.uniform(0.1, 0.3)**2 for _ in range(3)]
        principal = [m * (sizes[1] + sizes[2]), m * (sizes[0] + sizes[2]), m * (sizes[0] + sizes[1])]
        inertia = product(product(turned, tuple(tuple(principal[i] * (i == j) for j in range(3)) for i in range(3))),
                          transposed(turned))
        chain.bodies.append((m, inertia, place, rotation(direction(rng), rng.uniform(0, 3))))
        e = rng.choice((0.0, rng.uniform(0.2, 0.9), 1.0))
        low, high = (-rng.uniform(0.1, 0.6), rng.uniform(0.1, 0.6)) if bounded[k] else (-math.inf, math.inf)
        spring = rng.random() < 0.3 or not turns
        chain.joints.append((parent, turns, point, direction(rng), low, high, e,
                             rng.uniform(5, 40) if spring else 0.0, rng.uniform(0, 0.5) if spring else 0.0))
        chain.rates.append(rng.uniform(-2, 2))
    if loop:
        at = add(chain.bodies[-1][2], direction(rng), 0.2)
        chain.rod = (n - 1, at, add(at, direction(rng), rng.uniform(0.5, 1)))
        chain.still = [0.0] * n
        pose = chain.pose(chain.still, chain.still)
        M, _ = chain.mass_and_force(pose, chain.still, chain.still)
        momenta = [sum(a * b for a, b in zip(row, chain.rates)) for row in M]
        chain.rates = chain.with_rows(pose, M, momenta, chain.still, [])[0]
    return chain
