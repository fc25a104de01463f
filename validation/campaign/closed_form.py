"""The motion of redundant mechanisms of redundant.py from the mathematics of each alone: no program, no constraint rows.

A family gives the displacement of each bar, a rotation and a translation in the frame of the drawing, as a closed function of
its coordinates u, by circles that meet, Bennett's relation between two angles, great circles on a sphere. With J the derivatives
of places and turns by u, M(u) = sum m Jx^T Jx + Jw^T I Jw and M u'' = -V'(u) - (M' u', u') terms, integrated by DOP853 of SciPy.
"""
import math

import numpy as np
from scipy.integrate import solve_ivp

STEP = 1e-3  # rad or m: of differences of the fourth order of closed functions, error 1e-11 at 0.2 from the end of a range
Z = np.array([0.0, 0.0, 1.0])


def about(axis, angle):
    """Rotation about a unit axis [Rodrigues]."""
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def turned(axis, angle, point):
    """Displacement that turns about an axis through a point."""
    R, point = about(axis, angle), np.asarray(point, float)
    return R, point - R @ point


def carried(a0, b0, a, b):
    """Displacement in the plane that takes a0, b0 to a, b, as far apart."""
    before, after = np.subtract(b0, a0), np.subtract(b, a)
    R = about(Z, math.atan2(after[1], after[0]) - math.atan2(before[1], before[0]))
    return R, np.asarray(a, float) - R @ np.asarray(a0, float)


def circles(a, ra, b, rb, near):
    """Where circles about a and b in the plane meet, on the side of b - a on which `near` = (a0, b0, c0) has c0."""
    def side(a, b, c):
        return math.copysign(1, (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
    d = math.dist(a[:2], b[:2])
    along = (ra * ra - rb * rb + d * d) / 2 / d
    e = (np.asarray(b, float) - np.asarray(a, float)) / d
    across = np.array([-e[1], e[0], 0])
    return np.asarray(a, float) + along * e + side(*near) * math.sqrt(ra * ra - along * along) * across


def at(mechanism, name):
    """The place of a joint in the frame of the drawing."""
    frame = np.array(mechanism.frame)
    return next(frame.T @ np.array(point) for joint, _, _, point, _ in mechanism.joints if joint == name)


def direction(mechanism, name):
    frame = np.array(mechanism.frame)
    return next(frame.T @ np.array(axis) for joint, _, _, _, axis in mechanism.joints if joint == name)


def door(m):
    return 1, lambda u: {"door": turned(Z, u[0], (0, 0, 0))}


def four(m, u):
    O, A, B, C = (at(m, f"R{k}") for k in range(4))
    crank = turned(Z, u, O)
    tip = crank[0] @ A + crank[1]
    end = circles(tip, math.dist(A, B), C, math.dist(B, C), (A, C, B))
    return {"bar0": crank, "bar1": carried(A, B, tip, end), "bar2": carried(B, C, end, C)}


def four_bar(m):
    return 1, lambda u: four(m, u[0])


def six_bar(m):
    B, F, E = at(m, "R2"), at(m, "F"), at(m, "E")

    def places(u):
        of = four(m, u[0])
        b = of["bar2"][0] @ B + of["bar2"][1]
        f = circles(b, math.dist(B, F), E, math.dist(E, F), (B, E, F))
        return of | {"link": carried(B, F, b, f), "arm": carried(E, F, E, f)}
    return 1, places


def five_bar(m):
    O, A, P, B, C = (at(m, f"R{k}") for k in range(5))

    def places(u):
        one, other = turned(Z, u[0], O), turned(Z, u[1], C)
        a, b = one[0] @ A + one[1], other[0] @ B + other[1]
        p = circles(a, math.dist(A, P), b, math.dist(B, P), (A, B, P))
        return {"bar0": one, "bar1": carried(A, P, a, p), "bar2": carried(P, B, p, b), "bar3": other}
    return 2, places


def slider_crank(m):
    A, B = at(m, "A"), at(m, "B")

    def places(u):
        crank = turned(Z, u[0], (0, 0, 0))
        a = crank[0] @ A
        b = np.array([a[0] + math.sqrt(math.dist(A, B) ** 2 - (a[1] - B[1]) ** 2), B[1], 0])
        return {"crank": crank, "rod": carried(A, B, a, b), "slider": (np.eye(3), b - B)}
    return 1, places


def cranks(m):
    def places(u):
        of = {f"crank{k}": turned(Z, u[0], at(m, f"g{k}")) for k in range(len(m.bars) - 1)}
        p = at(m, "p0")
        return of | {"bar": (np.eye(3), of["crank0"][0] @ p + of["crank0"][1] - p)}
    return 1, places


def scissors(m):
    A, B, D, C = (at(m, name) for name in "ABDC")
    length, before = math.dist(A, C), math.atan2(C[1], C[0])

    def places(u):
        angle = before + u[0]
        c, b = length * np.array([math.cos(angle), math.sin(angle), 0]), length * np.array([math.cos(angle), 0, 0])
        d = np.array([0, c[1], 0])
        return {"p": carried(A, C, A, c), "q": carried(B, D, b, d), "shoe": (np.eye(3), b - B), "head": (np.eye(3), c - C), "top": (np.eye(3), d - D)}
    return 1, places


def sarrus(m):
    def leg(name, turn, rise):
        R = about(Z, turn)
        foot, knee, head = (R.T @ at(m, name + which) for which in "gmt")  # in the plane of the leg: across it is x
        flat = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])  # (y, z, x)
        f, k, h = flat @ foot, flat @ knee, flat @ head
        top = h + np.array([0, rise, 0])
        bend = circles(f, math.dist(f, k), top, math.dist(k, h), (f, h, k))

        def back(displacement):
            Q = R @ flat.T
            return Q @ displacement[0] @ Q.T, Q @ displacement[1]
        return {name + "1": back(carried(f, k, f, bend)), name + "2": back(carried(k, h, bend, top))}
    return 1, lambda u: leg("a", 0, u[0]) | leg("b", 2.0, u[0]) | {"top": (np.eye(3), np.array([0, 0, u[0]]))}


def bennett(m):
    """Hinges n0 ... n3 in the ground, bar0, bar1, bar2: tan(a/2) tan(b/2) = const of the angles at n0 and n1."""
    points, axes = [at(m, f"R{k}") for k in range(4)], [direction(m, f"R{k}") for k in range(4)]
    link = [points[(k + 1) % 4] - points[k] for k in range(4)]

    def angle(k):
        """From the direction of link k - 1 to that of link k, about hinge k."""
        before, after = link[k - 1], link[k]
        return math.atan2(np.dot(np.cross(before, after), axes[k]), np.dot(before, after))
    first = [angle(k) for k in range(4)]
    constant = math.tan(first[0] / 2) * math.tan(first[1] / 2)

    def places(u):
        a = first[0] + u[0]
        b = 2 * math.atan2(constant * math.cos(a / 2), math.sin(a / 2))
        one = turned(axes[0], u[0], points[0])
        R, t = turned(axes[1], b - first[1], points[1])
        second = one[0] @ R, one[0] @ t + one[1]
        # opposite angles are equal: the bar at n3 turns against the ground by as much as bar1 against bar0
        third = turned(axes[3], -(b - first[1]) * math.copysign(1, first[1] * first[3]), points[3])
        return {"bar0": one, "bar1": second, "bar2": third}
    return 1, places


def spherical(m):
    points = [at(m, f"R{k}") for k in range(4)]

    def frame(a, b):
        x, z = a, np.cross(a, b) / np.linalg.norm(np.cross(a, b))
        return np.array([x, np.cross(z, x), z]).T

    def places(u):
        a, d = about(points[0], u[0]) @ points[1], points[3]
        ca, cd, c = points[1] @ points[2], points[3] @ points[2], a @ d
        x, y = (ca - c * cd) / (1 - c * c), (cd - c * ca) / (1 - c * c)
        across = np.cross(a, d)
        side = math.copysign(1, np.cross(points[1], points[3]) @ points[2])
        b = x * a + y * d + side * math.sqrt((1 - x * x - y * y - 2 * x * y * c) / (1 - c * c)) * across
        zero = np.zeros(3)
        return {"bar0": (about(points[0], u[0]), zero), "bar1": (frame(a, b) @ frame(points[1], points[2]).T, zero),
                "bar2": (frame(b, d) @ frame(points[2], points[3]).T, zero)}
    return 1, places


FAMILIES = {"door": door, "four-bar": four_bar, "six-bar": six_bar, "five-bar": five_bar, "slider-crank": slider_crank, "three cranks": cranks, "cranks": cranks,
            "scissors": scissors, "Sarrus": sarrus, "Bennett": bennett, "spherical": spherical}


def end_of(mechanism):
    """s: before a dyad is stretched out, where its closed function ends."""
    return 0.3 if mechanism.name.startswith(("five-bar", "spherical")) else mechanism.end


def motion(mechanism):
    """Centres of the bars in the world at the end of the motion from rest under gravity; None: no closed function is known."""
    family = next((make for name, make in FAMILIES.items() if mechanism.name.startswith(name)), None)
    if family is None:
        return None
    n, places = family(mechanism)
    frame = np.array(mechanism.frame)
    bars = [(name, bar.mass, frame.T @ np.array(bar.centre), frame.T @ np.array(bar.R), np.diag(bar.inertia)) for name, bar in mechanism.bars.items()]
    down = 9.81 * np.array((0.3, -0.9, 0.3)) / math.sqrt(0.99)

    masses = np.array([m for _, m, _, _, _ in bars])
    own = [inside @ inertia @ inside.T for _, _, _, inside, inertia in bars]

    def centres(u):
        """[bars, 4, 3]: the centre of each, and its displacement's rotation."""
        of = places(u)
        return np.array([np.vstack((of[name][0] @ c + of[name][1], of[name][0])) for name, _, c, _, _ in bars])

    def slope_of(of, u, i, step):
        e = step * np.eye(n)[i]
        return (8 * (of(u + e) - of(u - e)) - of(u + 2 * e) + of(u - 2 * e)) / 12 / step

    def moved(u, here):
        """Derivatives of places, [n, bars, 3], and the turns they make, in the frame of each bar."""
        by = np.array([slope_of(centres, u, i, STEP) for i in range(n)])
        S = np.swapaxes(here[:, 1:], 1, 2) @ by[:, :, 1:]
        return by[:, :, 0], np.stack((S[..., 2, 1] - S[..., 1, 2], S[..., 0, 2] - S[..., 2, 0], S[..., 1, 0] - S[..., 0, 1]), -1) / 2

    def mass(u):
        x, w = moved(u, centres(u))
        return np.einsum("k,ikx,jkx->ij", masses, x, x) + np.einsum("ikx,kxy,jky->ij", w, np.array(own), w)

    def pull(u):
        return np.einsum("k,ikx,x->i", masses, moved(u, centres(u))[0], down)

    def rates(_, y):
        u, v = y[:n], y[n:]
        slope = [slope_of(mass, u, k, STEP) for k in range(n)]
        force = pull(u) - sum(slope[k] * v[k] for k in range(n)) @ v + np.array([v @ slope[k] @ v for k in range(n)]) / 2
        return np.concatenate((v, np.linalg.solve(mass(u), force)))
    end = solve_ivp(rates, (0, end_of(mechanism)), np.zeros(2 * n), method="DOP853", rtol=1e-8, atol=1e-9).y[:n, -1]
    return {name: frame @ x for (name, *_), x in zip(bars, centres(end)[:, 0])}
