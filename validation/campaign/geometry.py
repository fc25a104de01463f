"""Vectors of three numbers, rotations, and the points that linkages are drawn with."""
import math


def add(a, b):
    return tuple(x + y for x, y in zip(a, b))


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def mul(a, f):
    return tuple(x * f for x in a)


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return mul(a, 1 / norm(a))


def middle(*points):
    return mul(tuple(map(sum, zip(*points))), 1 / len(points))


def between(a, b, part):
    return add(mul(a, 1 - part), mul(b, part))


def apply(R, v):
    """R by rows."""
    return tuple(dot(row, v) for row in R)


def product(A, B):
    return tuple(tuple(sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)) for i in range(3))


def transpose(A):
    return tuple(zip(*A))


IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


def rotation(axis, angle):
    x, y, z = unit(axis)
    c, s = math.cos(angle), math.sin(angle)
    return ((c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s),
            (y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s),
            (z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)))


def any_direction(rng):
    while True:
        v = tuple(rng.gauss(0, 1) for _ in range(3))
        if norm(v) > 0.1:
            return unit(v)


def any_rotation(rng):
    return rotation(any_direction(rng), rng.uniform(-math.pi, math.pi))


def any_normal(v):
    """A direction orthogonal to v."""
    return unit(cross(v, (1, 0, 0) if abs(v[0]) < 0.6 * norm(v) else (0, 1, 0)))


def quaternion(R):
    """w, x, y, z of a rotation matrix by rows."""
    squares = (1 + R[0][0] + R[1][1] + R[2][2], 1 + R[0][0] - R[1][1] - R[2][2],
               1 - R[0][0] + R[1][1] - R[2][2], 1 - R[0][0] - R[1][1] + R[2][2])
    a, b, c = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    d, e, f = R[1][0] + R[0][1], R[2][0] + R[0][2], R[2][1] + R[1][2]
    table = ((squares[0], a, b, c), (a, squares[1], d, e), (b, d, squares[2], f), (c, e, f, squares[3]))
    q = table[max(range(4), key=lambda i: squares[i])]
    return mul(q, 1 / math.sqrt(dot(q, q)))


def polar(r, angle, at=(0, 0, 0)):
    return add(at, (r * math.cos(angle), r * math.sin(angle), 0))


def meet(p, r, q, s, side):
    """Where circles about p and q in the x-y plane meet; side 1: left of the way from p to q, -1: right."""
    d = sub(q, p)
    length = norm(d)
    along = (length ** 2 + r ** 2 - s ** 2) / (2 * length)
    height2 = r ** 2 - along ** 2
    if height2 <= 0:
        raise ValueError("circles do not meet")
    u = mul(d, 1 / length)
    return add(add(p, mul(u, along)), mul((-u[1], u[0], 0), side * math.sqrt(height2)))


# Loops of hinges by Denavit-Hartenberg parameters: link i leads from axis i to axis i + 1 by a turn theta_i
# about z, an offset R_i along z, a length a_i along x and a twist alpha_i about x.

def frame_after(frame, theta, offset, length, twist):
    R, p = frame
    R = product(R, rotation((0, 0, 1), theta))
    p = add(p, apply(R, (length, 0, offset)))
    return product(R, rotation((1, 0, 0), twist)), p


def loop_frames(angles, offsets, lengths, twists):
    frames = [(IDENTITY, (0, 0, 0))]
    for parameters in zip(angles, offsets, lengths, twists):
        frames.append(frame_after(frames[-1], *parameters))
    return frames


def opening(angles, offsets, lengths, twists):
    """How far a loop is open: six numbers at least, zero when it is closed."""
    R, p = loop_frames(angles, offsets, lengths, twists)[-1]
    return [*p, R[0][1], R[0][2], R[1][2], R[1][0], R[2][0], R[2][1], R[0][0] - 1, R[1][1] - 1, R[2][2] - 1]


def solve(A, b):
    """Gaussian elimination with pivoting."""
    n, A = len(b), [list(row) + [x] for row, x in zip(A, b)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(A[i][k]))
        A[k], A[p] = A[p], A[k]
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k, n + 1):
                A[i][j] -= f * A[k][j]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (A[k][n] - sum(A[k][j] * x[j] for j in range(k + 1, n))) / A[k][k]
    return x


def close_loop(rng, offsets, lengths, twists, first):
    """Angles that close the loop, theta_0 given: Levenberg-Marquardt from random angles until it is closed."""
    n = len(lengths)
    for _ in range(400):
        x = [rng.uniform(-math.pi, math.pi) for _ in range(n - 1)]
        damping = 1e-2
        for _ in range(80):
            g = opening([first, *x], offsets, lengths, twists)
            columns = []
            for k in range(n - 1):
                h = 1e-6
                up, down = ([first, *x[:k], x[k] + s, *x[k + 1:]] for s in (h, -h))
                columns.append([(a - b) / (2 * h) for a, b in
                                zip(opening(up, offsets, lengths, twists), opening(down, offsets, lengths, twists))])
            normal = [[dot(a, b) + damping * (i == j) for j, b in enumerate(columns)] for i, a in enumerate(columns)]
            x = [a - b for a, b in zip(x, solve(normal, [dot(c, g) for c in columns]))]
            size = norm(opening([first, *x], offsets, lengths, twists))
            damping = min(1e-2, size * size)
            damping = max(damping, 1e-14)
            if size < 2e-15:
                break
        if size < 1e-13:
            return [first, *x]
    raise ValueError("the loop does not close")
