"""A mechanism in coordinates of its joints: poses, joint-space dynamics, linearizations that a textbook has.

theta [d] are coordinates of revolute joints (rad) and prismatic ones (m), at most as many as the mechanism has freedoms;
v = S theta'. What fewer joints leave over moves freely: S^T M N = 0 of the motions N that no named joint takes part in, so
that M is what a force at the joints feels: trm_query_joint_space.
"""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _abi
from ..errors import DivergedError, OptionsError, SingularError, unknown

if TYPE_CHECKING:
    from ..model import Model
    from .query import Linearization, Query

Array = NDArray[np.float64]

# A matrix of joint rates that is this near to singular has lost half of the digits of a double.
REGULAR = 1e-8


@dataclass(frozen=True)
class JointSpace:
    """M theta'' + h = S^T f_applied for the joints by name: what a robot's textbook calls M(q) and h(q, q').

    joints  names, in the order of theta
    M [d, d]   S^T M S, kg m^2, kg m or kg
    h [d]      N m or N: Coriolis, centrifugal, gravity and all forces of the scene, with the sign of M theta''
    S [nv, d]  v = S theta'; S^T takes a generalized force [nv] to the joints
    C [d, d]   if asked for, the part of h by velocities is C theta' where no motor moves; M' - 2 C is skew
    """
    joints: tuple[str, ...]
    M: Array
    h: Array
    S: Array
    C: Optional[Array] = None


@dataclass(frozen=True)
class JointLinearization:
    """x' = A x + B u, output - output_0 = C x + D u around a position of rest; x = (theta - theta_0, theta'),
    rad, m, rad/s, m/s."""
    joints: tuple[str, ...]
    A: Array
    B: Array
    C: Array
    D: Array


def directions(query: "Query", joints: Sequence[str], q: Array) -> Array:
    """J [len(joints), nv]. Raises UnknownNameError, OptionsError."""
    return np.array([query.joint_direction(name, q) for name in joints]).reshape(len(joints), query.model.nv)


class Question:
    """Memory of the question about these joints, so that a call costs little more than its answer."""

    def __init__(self, model: "Model", joints: tuple[str, ...]) -> None:
        names = [joint.name for joint in model.joints]
        missing = next((name for name in joints if name not in names), None)
        if missing is not None:
            raise unknown("joint", missing, names)
        n, nv = len(joints), model.nv
        self.q, self.v = np.empty(model.nq), np.empty(nv)
        self.indices = (ctypes.c_int * max(1, n))(*(names.index(name) for name in joints))
        self.shapes = (n, n), (n,), (nv, n), (n, n)
        self.ends = [0, *np.cumsum([int(np.prod(shape)) for shape in self.shapes])]
        self.found = np.empty(self.ends[-1])
        parts = [ctypes.cast(self.found.ctypes.data + 8 * int(at), ctypes.POINTER(ctypes.c_double)) for at in self.ends[:4]]
        scene = model._scene if model._scene and model._revision == model._scene._revision else None
        tasks = [_abi.trm_joint_space(scene=scene._handle if scene else None, n=n, joints=self.indices, M=parts[0],
                                      h=parts[1], S=parts[2], C=parts[3] if coriolis else None)
                 for coriolis in (False, True)]
        self.tasks = [ctypes.byref(task) for task in tasks]
        self.places = self.q.ctypes.data, self.v.ctypes.data

    def answer(self, joints: tuple[str, ...], coriolis: bool) -> JointSpace:
        found, ends = self.found.copy(), self.ends
        M, h, S, C = (found[ends[i]:ends[i + 1]].reshape(shape) for i, shape in enumerate(self.shapes))
        return JointSpace(joints, M, h, S, C if coriolis else None)


def linearized(query: "Query", linear: "Linearization", joints: Sequence[str]) -> JointLinearization:
    """See Query.linearize_joints."""
    states = max(linear.d - linear.p, 0)  # of the scene, the last velocities
    if np.abs(linear.v[: linear.v.size - states]).max(initial=0) > 0 or np.abs(linear.drift).max(initial=0) > 1e-6 * max(1.0, np.abs(linear.A).max(initial=0)):
        raise OptionsError("expected a position of rest: joint rates of a moving mechanism depend on the place as well",
                           where="joints")
    if len(joints) != linear.p:
        raise OptionsError(f"expected as many joints as the mechanism has freedoms, {linear.p}, got {len(joints)}",
                           where="joints")
    J = directions(query, joints, linear.q)
    T = J @ linear.Z[:, : linear.p]  # theta - theta_0 = T y, theta' = T w
    if np.linalg.cond(T / np.maximum(np.linalg.norm(T, axis=1, keepdims=True), np.finfo(float).tiny)) > 1 / REGULAR:
        raise SingularError(f"the coordinates of {', '.join(joints)} do not determine the motion here")
    both = np.eye(linear.n)  # states stay as they are
    both[: linear.p, : linear.p] = both[linear.p : 2 * linear.p, linear.p : 2 * linear.p] = T
    back = np.linalg.inv(both)
    return JointLinearization(tuple(joints), both @ linear.A @ back, both @ linear.B, linear.C @ back, linear.D)


def pose(query: "Query", coordinates: Mapping[str, float], rates: Optional[Mapping[str, float]],
         q: Array, t: float) -> tuple[Array, Array]:
    """See Query.pose. Newton's method on the closed positions, from q."""
    names = list(coordinates)
    wanted = np.array([float(coordinates[name]) for name in names])
    model = query.model
    with model.run(assemble=True) as sim:
        sensors = [model.sensor(name + ".coordinate") for name in names]
        q, _ = query.close(q, np.zeros(model.nv), t)
        for _ in range(100):
            sim.set_state(t, q, np.zeros(model.nv))
            missing = wanted - np.array([sim.read(sensor)[0] for sensor in sensors])
            if np.abs(missing).max(initial=0) <= 1e-12 * max(1.0, np.abs(wanted).max(initial=0)):
                break
            Z, _ = query.motions(q, t)
            y = np.linalg.lstsq(directions(query, names, q) @ Z, missing, rcond=REGULAR)[0]
            step = Z @ y
            step *= min(1.0, 0.25 / max(np.abs(missing).max(), 1e-300)) if np.abs(missing).max() > 0.25 else 1.0
            q, _ = query.close(q + sim.terms(t, q, step).N @ step, np.zeros(model.nv), t)
        else:
            raise DivergedError("no closed position with these joint coordinates was found; nearest: " + ", ".join(
                f"{name} is off by {gap:.3g}" for name, gap in zip(names, missing)))
    v = np.zeros(model.nv)
    if rates:
        Z, _ = query.motions(q, t)
        J = directions(query, list(rates), q)
        v = Z @ np.linalg.lstsq(J @ Z, np.array([float(one) for one in rates.values()]), rcond=REGULAR)[0]
        found = J @ v
        for name, rate, got in zip(rates, rates.values(), found):
            if abs(got - rate) > 1e-9 * max(1.0, abs(rate)):
                raise OptionsError(f"joint {name!r} cannot have the rate {rate:g} beside the others", where="rates")
    return q, v


def coordinates_of(query: "Query", joints: Sequence[str], q: ArrayLike) -> Array:
    """theta [len(joints)] of a closed position, turns counted from the initial pose."""
    model = query.model
    with model.run(assemble=True) as sim:
        sim.set_state(0, np.asarray(q, dtype=np.float64), np.zeros(model.nv))
        return np.array([sim.read(name + ".coordinate")[0] for name in joints])
