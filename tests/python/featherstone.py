"""Rigid-body dynamics of trees by spatial vectors: R. Featherstone, Rigid Body Dynamics Algorithms, 2008.

Composite bodies (table 6.2) for M, recursive Newton-Euler (table 5.1) for h. Bodies have coordinates of their own, at
the joint; a motion vector is (omega, v), a force vector (moment, force). Written from the book, without the library.
"""
import numpy as np


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def turn(axis, angle):
    """R of a turn about a unit axis (Rodrigues)."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def transform(E, r):
    """X of motion vectors from A to B: axes of B are the rows of E, its origin is r in A (2.24)."""
    X = np.zeros((6, 6))
    X[:3, :3] = X[3:, 3:] = E
    X[3:, :3] = -E @ skew(r)
    return X


def crossed(v):
    """v x of motion vectors (2.31); of force vectors it is -(v x)^T."""
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = skew(v[:3])
    out[3:, :3] = skew(v[3:])
    return out


def inertia(m, c, J):
    """I about the origin of a body with mass m at c, J about it (2.63)."""
    C = skew(c)
    return np.block([[J + m * C @ C.T, m * C], [m * C.T, m * np.eye(3)]])


class Link:
    """parent: index or -1; kind "revolute" or "prismatic" along `axis`; place: the joint's point in the parent's
    coordinates, whose axes are those of the world at coordinates 0; c and J likewise from the joint."""

    def __init__(self, parent, kind, axis, place, m, c, J):
        self.parent, self.kind, self.axis, self.place = parent, kind, axis, place
        self.I = inertia(m, c, J)

    def joint(self, q):
        revolute = self.kind == "revolute"
        E, r = (turn(self.axis, q).T, self.place) if revolute else (np.eye(3), self.place + q * self.axis)
        S = np.concatenate([self.axis, np.zeros(3)] if revolute else [np.zeros(3), self.axis])
        return transform(E, r), S


def dynamics(links, q, rate, gravity):
    """M and h of M q'' + h = tau."""
    n = len(links)
    X, S = zip(*(link.joint(x) for link, x in zip(links, q)))
    v, a, f = [None] * n, [None] * n, [None] * n
    for i, link in enumerate(links):
        p = link.parent
        own = S[i] * rate[i]
        v[i] = (X[i] @ v[p] if p >= 0 else 0) + own
        a[i] = X[i] @ (a[p] if p >= 0 else np.concatenate([np.zeros(3), -np.asarray(gravity)])) + crossed(v[i]) @ own
        f[i] = link.I @ a[i] - crossed(v[i]).T @ (link.I @ v[i])
    h, M, composite = np.zeros(n), np.zeros((n, n)), [link.I.copy() for link in links]
    for i in reversed(range(n)):
        p = links[i].parent
        h[i] = S[i] @ f[i]
        if p >= 0:
            f[p] = f[p] + X[i].T @ f[i]
            composite[p] += X[i].T @ composite[i] @ X[i]
        force, j = composite[i] @ S[i], i
        M[i, i] = S[i] @ force
        while links[j].parent >= 0:
            force, j = X[j].T @ force, links[j].parent
            M[i, j] = M[j, i] = force @ S[j]
    return M, h
