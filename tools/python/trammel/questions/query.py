"""What a roboticist asks of a mechanism: trammel_query.h.

Freedoms and motions, inverse dynamics, equilibria, the linearization on the constraints. States that are
not given are the initial one of the scene.
"""
from __future__ import annotations

import contextlib
import ctypes
import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, List, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _abi
from . import joint_space
from .._library import filled, lib
from ..errors import BusyError, OptionsError, check, unknown
from ..motion import Joint, vector as _vector
from .joint_space import JointLinearization, JointSpace

if TYPE_CHECKING:
    from ..model import Model
    from ..simulation import Simulation

Array = NDArray[np.float64]

STABILITY = {_abi.trm_stability.TRM_STABILITY_STABLE: "stable", _abi.trm_stability.TRM_STABILITY_MARGINAL: "marginal",
             _abi.trm_stability.TRM_STABILITY_UNSTABLE: "unstable",
             _abi.trm_stability.TRM_STABILITY_UNKNOWN: "unknown"}


@dataclass(frozen=True)
class Jacobian:
    """How a body-fixed point moves: x' = linear v, omega = angular v, in world axes.

    linear, angular            [3, nv]
    linear_bias, angular_bias  [3] m/s^2, rad/s^2: what is added to J a
    """
    linear: Array
    angular: Array
    linear_bias: Array
    angular_bias: Array


@dataclass(frozen=True)
class MotorForces:
    """force: by joint, N or N m, positive along its coordinate; unique: whether it is determined."""
    force: Mapping[str, float]
    unique: Mapping[str, bool]


@dataclass(frozen=True)
class DriveForces:
    """Answer of inverse dynamics: M a = f + B tau - G^T lambda.

    tau [nu] N or N m; unique [nu]; lambda_ [nc]; missing [nv] the generalized force still wanting
    rank        of the actuators on the motions: as many as freedoms means that all can be driven
    realizable  `missing` is roundoff
    shortfall   |missing| over |M a - f| without constraint forces
    gap         max |(G a - gamma)_i|: how far `a` is off the constraints
    """
    tau: Array
    unique: NDArray[np.bool_]
    lambda_: Array
    missing: Array
    rank: int
    realizable: bool
    shortfall: float
    gap: float


@dataclass(frozen=True)
class Output:
    """Something to observe in a linearization: the displacement of a marker or of a body's centre of mass
    along a world axis, or with `turn` the turn of that body about it; derivative 0, 1 or 2."""
    point: str
    axis: tuple[float, float, float]
    turn: bool = False
    derivative: int = 0


@dataclass(frozen=True)
class Mode:
    """An eigenvalue (1/s, imaginary part >= 0) of A with its estimated error (1/s), frequency (Hz),
    damping ratio, and shape [nv] of displacements, complex, the largest entry 1."""
    eigenvalue: complex
    error: float
    frequency: float
    damping: float
    shape: NDArray[np.complex128]


@dataclass(frozen=True)
class Equilibrium:
    """A position where the mechanism stays at rest: q [nq], v [nv] (zero except the states of the scene, its last
    components), lambda_ [nc], and how well: residual (sqrt(kg) m/s^2), relative to the largest met on the way; stability "stable", "marginal", "unstable"
    or "unknown", and the largest real part of an eigenvalue (1/s)."""
    q: Array
    v: Array
    lambda_: Array
    iterations: int
    residual: float
    relative: float
    stability: str
    growth: float


class Linearization:
    """x' = drift + A x + B u, output - output_0 = C x + D u, with x = (y, w): displacements Z y and
    velocities Z w by its first d columns, in units of sqrt(kg) m; n = p + d. p = d but where constraints hold
    velocities alone.

    t, q [nq], v [nv]   the state it is taken at
    Z [nv, p], W [p, nv], A [n, n], B [n, nu], C [ny, n], D [ny, nu], drift [n]
    at_rest             the state is an equilibrium
    error               estimated largest error of A against its fastest rate
    modes               slowest first
    stability, growth   "stable", "marginal" or "unstable", largest real part (1/s); of the motion only
                        if at_rest
    """

    def __init__(self, model: "Model", c: Any) -> None:
        self._c = c
        self._destroy = weakref.finalize(self, lib.trm_linear_destroy, c)
        s, nv = c.contents, model.nv
        self._sizes = model.nq, nv
        self.t, self.d, self.p, self.n = float(s.t), int(s.d), int(s.p), int(s.n)
        self.q, self.v = _copy(s.q, model.nq), _copy(s.v, nv)
        self.Z, self.W = _copy(s.Z, nv, max(s.p, s.d)), _copy(s.W, max(s.p, s.d), nv)
        self.A, self.B = _copy(s.A, s.n, s.n), _copy(s.B, s.n, s.nu)
        self.C, self.D = _copy(s.C, s.ny, s.n), _copy(s.D, s.ny, s.nu)
        self.drift = _copy(s.drift, s.n)
        self.at_rest, self.error = bool(s.at_rest), float(s.error)
        self.stability, self.growth = STABILITY[s.stability], float(s.growth)
        self.modes = tuple(
            Mode(complex(m.re, m.im), m.error, m.frequency, m.damping,
                 _copy(m.shape_re, nv) + 1j * _copy(m.shape_im, nv)) for m in s.modes[:s.nmodes])

    def __repr__(self) -> str:
        def plural(n: int, one: str, more: str) -> str:
            return f"{n} {one if n == 1 else more}"

        what = f"{self.stability}, fastest growth {self.growth:.6g} 1/s" if self.at_rest else "not at rest"
        return (f"<linearization at t = {self.t:.9g} s: {plural(self.d, 'freedom', 'freedoms')}, "
                f"{plural(self.n, 'state', 'states')}, {plural(self.B.shape[1], 'input', 'inputs')}, "
                f"{plural(self.C.shape[0], 'output', 'outputs')}; {what}>")

    def __reduce__(self) -> Any:
        raise TypeError("a linearization cannot be copied or pickled; keep its arrays")

    def deviation(self, q: ArrayLike, v: ArrayLike) -> Array:
        """x [n] of another state q [nq], v [nv], for feedback u = -K x."""
        q, v = _vector("q", q, self._sizes[0]), _vector("v", v, self._sizes[1])
        x, error = np.empty(self.n), _abi.trm_error()
        check(lib.trm_linear_deviation(self._c, q.ctypes.data, v.ctypes.data, x.ctypes.data,
                                       ctypes.byref(error)), error)
        return x


def _copy(pointer: Any, *shape: int) -> Array:
    n = int(np.prod(shape))
    return np.array(pointer[:n] if n else [], dtype=np.float64).reshape(shape)


def _matrix(name: str, value: ArrayLike, rows: int) -> Array:
    """A vector counts as one column."""
    found = np.asarray(value, dtype=np.float64)
    found = np.ascontiguousarray(found[:, np.newaxis] if found.ndim == 1 else found)
    if found.ndim != 2 or len(found) != rows:
        raise ValueError(f"{name}: expected an array of shape ({rows}, n), got {found.shape}")
    return found


def _doubles(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def jacobian(model: "Model", point: str, q: Optional[ArrayLike], v: Optional[ArrayLike]) -> Jacobian:
    """See Model.jacobian."""
    body, local = model.place(point)
    q = _vector("q", model.q0 if q is None else q, model.nq)
    v = _vector("v", model.v0 if v is None else v, model.nv)
    found = {"linear": np.zeros((3, model.nv)), "angular": np.zeros((3, model.nv)),
             "linear_bias": np.zeros(3), "angular_bias": np.zeros(3)}
    out, error = _abi.trm_jacobian(), _abi.trm_error()
    for name, array in found.items():
        setattr(out, name, _doubles(array))
    check(lib.trm_model_jacobian(model._handle, body, (ctypes.c_double * 3)(*local), q.ctypes.data,
                                 v.ctypes.data, ctypes.byref(out), ctypes.byref(error)), error)
    return Jacobian(**found)


class Query:
    """Room to ask questions about a model in; made by Model.query. It serves one thread at a time.

    Inputs of the scene are constant here: as the scene gives them, until set_input. Without v, a
    position q is at rest, except for what motors move; without q too, the state is the start.
    """

    def __init__(self, model: "Model") -> None:
        self.model = model
        self._lock = threading.Lock()
        handle, error = ctypes.c_void_p(), _abi.trm_error()
        with model._called():
            status = lib.trm_query_create(model._handle, ctypes.byref(handle), ctypes.byref(error))
        if handle.value is not None:
            weakref.finalize(self, _destroy, handle.value, model)  # the model must outlive it
        check(status, error, model.rows)
        self._handle = handle.value
        self._spaces: dict[tuple[str, ...], joint_space.Question] = {}

    def __reduce__(self) -> Any:
        raise TypeError("a query cannot be copied or pickled; make another one")

    @contextlib.contextmanager
    def _used(self) -> Iterator[Any]:
        """-> a place for the error, for this thread alone; afterwards check() is due."""
        if not self._lock.acquire(blocking=False):
            raise BusyError("this query is at work; it serves one call at a time")
        try:
            with self.model._called():
                yield _abi.trm_error()
        finally:
            self._lock.release()

    def _q(self, q: Optional[ArrayLike]) -> Array:
        return _vector("q", self.model.q0 if q is None else q, self.model.nq)

    def _state(self, q: Optional[ArrayLike], v: Optional[ArrayLike], t: float) -> tuple[Array, Array]:
        if v is None:  # rates of the start fit no other position
            v = self.model.v0 if q is None else self.close(q, np.zeros(self.model.nv), t)[1]
        return self._q(q), _vector("v", v, self.model.nv)

    def _check(self, status: int, error: Any) -> None:
        check(status, error, self.model.rows)

    def set_input(self, name: str, value: float) -> None:
        """Give an input another constant value. Raises UnknownNameError, OptionsError."""
        index = self.model.input_index(name)
        with self._used() as error:
            status = lib.trm_query_set_input(self._handle, index, value, ctypes.byref(error))
        self._check(status, error)

    def take_turns(self, sim: "Simulation", *, contacts: bool = False) -> None:
        """Count the turns of spatial hinges from where those of a run of this model are: springs and servos about
        them then push as in the run. With `contacts`, those that press or stick in the run are constraints from now
        on, for motions and linearizations; without, none are. Raises OptionsError."""
        scene = self.model._scene
        if contacts and (scene is None or scene._revision != self.model._revision):
            raise OptionsError("contacts belong to a scene, and it must not have changed", where="contacts")
        with sim._used(reading=True) as run, self._used() as error:
            status = lib.trm_query_take_run(self._handle, scene._handle if contacts and scene else None, run,
                                            ctypes.byref(error))
        self._check(status, error)

    # ------------------------------------------------------------------------------- kinematics

    def close(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None,
              t: float = 0) -> tuple[Array, Array]:
        """The closed position nearest to q, and in it the allowed velocity nearest to v. Raises
        InconsistentError."""
        q = self._q(q).copy()
        v = _vector("v", self.model.v0 if v is None else v, self.model.nv).copy()
        with self._used() as error:
            status = lib.trm_query_close(self._handle, t, q.ctypes.data, v.ctypes.data, ctypes.byref(error))
        self._check(status, error)
        return q, v

    def freedoms(self, q: Optional[ArrayLike] = None, t: float = 0) -> int:
        """d = nv - rank G at (t, q)."""
        place = self._q(q).ctypes.data
        with self._used() as error:
            d = lib.trm_query_freedoms(self._handle, t, place, ctypes.byref(error))
        self._check(error.status if d < 0 else 0, error)
        return int(d)

    def motions(self, q: Optional[ArrayLike] = None, t: float = 0) -> tuple[Array, Array]:
        """Z [nv, d], the motions that the constraints allow, G Z = 0, Z^T M Z = 1; and W [d, nv] = Z^T M."""
        q, d, nv = self._q(q), ctypes.c_int(), self.model.nv
        Z, W = np.empty(nv * nv), np.empty(nv * nv)
        with self._used() as error:
            status = lib.trm_query_motions(self._handle, t, q.ctypes.data, ctypes.addressof(d), Z.ctypes.data,
                                           W.ctypes.data, ctypes.byref(error))
        self._check(status, error)
        n = d.value
        return Z[:nv * n].reshape(nv, n).copy(), W[:nv * n].reshape(n, nv).copy()

    # ------------------------------------------------------------------------ in joint coordinates

    def pose(self, coordinates: Mapping[str, float], rates: Optional[Mapping[str, float]] = None,
             q: Optional[ArrayLike] = None, t: float = 0) -> tuple[Array, Array]:
        """q [nq], v [nv] of the closed position where these joints have these coordinates (rad, m; zero in the initial
        pose) and rates, nearest to q: pose({"O": 0.3}, {"O": 2}). What they leave free stays near q, at rest. Raises
        DivergedError (no such position was found), OptionsError (no such rates, no joint with a coordinate of that name)."""
        return joint_space.pose(self, coordinates, rates, self._q(q), t)

    def coordinates(self, joints: Sequence[str], q: Optional[ArrayLike] = None) -> Array:
        """The joints' coordinates in a closed position, rad or m, within half a turn of the start."""
        return joint_space.coordinates_of(self, joints, self._q(q))

    def joint_space(self, joints: Sequence[str], q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None,
                    t: float = 0, *, coriolis: bool = False) -> JointSpace:
        """M and h of M theta'' + h = S^T f for as many revolute and prismatic joints as there are freedoms, or fewer: the
        rest (a payload in flight, a passive joint) then moves as it does without a force of the caller; with `coriolis`
        also C. By recursion along the tree of joints. Raises OptionsError, SingularError, UnknownNameError."""
        names, (q, v) = tuple(joints), self._state(q, v, t)
        with self._used() as error:
            question = self._spaces.get(names)
            if question is None:
                question = self._spaces[names] = joint_space.Question(self.model, names)
            question.q[:], question.v[:] = q, v
            status = lib.trm_query_joint_space(self._handle, t, *question.places, question.tasks[coriolis],
                                               ctypes.byref(error))
            found = question.answer(names, coriolis)
        self._check(status, error)
        return found

    def linearize_joints(self, joints: Sequence[str], q: Optional[ArrayLike] = None, t: float = 0, *,
                         forces: Optional[ArrayLike] = None, inputs: Sequence[str] = (),
                         outputs: Sequence[Union[Output, str]] = ()) -> JointLinearization:
        """linearize() around a position of rest, in (theta - theta_0, theta') of these joints instead of (y, w). Raises
        OptionsError (not at rest, not as many joints as freedoms), SingularError."""
        linear = self.linearize(q, np.zeros(self.model.nv), t, forces=forces, inputs=inputs, outputs=outputs)
        return joint_space.linearized(self, linear, joints)

    # -------------------------------------------------------------------------- inverse dynamics

    def motor_forces(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None,
                     t: float = 0) -> MotorForces:
        """What the motors must give at (t, q, v) for the motion that they prescribe, without dry friction."""
        (q, v), joints = self._state(q, v, t), self.model.joints
        force, unique = np.zeros(len(joints)), np.zeros(len(joints), dtype=np.intc)
        with self._used() as error:
            status = lib.trm_query_motor_forces(self._handle, t, q.ctypes.data, v.ctypes.data,
                                                force.ctypes.data, unique.ctypes.data, ctypes.byref(error))
        self._check(status, error)
        driven = [(i, joint.name) for i, joint in enumerate(joints) if joint.has_motor]
        return MotorForces({name: float(force[i]) for i, name in driven},
                           {name: bool(unique[i]) for i, name in driven})

    def joint_direction(self, joint: Union[str, Joint], q: Optional[ArrayLike] = None) -> Array:
        """[nv] the generalized force of force 1 (N or N m) along the coordinate of a revolute or prismatic
        joint, positive on its second body: a column of B. Raises UnknownNameError, OptionsError."""
        name = joint if isinstance(joint, str) else joint.name
        index = next((i for i, one in enumerate(self.model.joints) if one.name == name), None)
        if index is None:
            raise unknown("joint", name, (one.name for one in self.model.joints))
        column, q = np.zeros(self.model.nv), self._q(q)
        with self._used() as error:
            status = lib.trm_query_joint_direction(self._handle, index, q.ctypes.data, column.ctypes.data,
                                                   ctypes.byref(error))
        self._check(status, error)
        return column

    def inverse_dynamics(self, a: ArrayLike, B: ArrayLike, q: Optional[ArrayLike] = None,
                         v: Optional[ArrayLike] = None, t: float = 0,
                         weight: Optional[ArrayLike] = None) -> DriveForces:
        """Which tau gives M a = f + B tau - G^T lambda? a [nv] wanted; B [nv, nu], column k the
        generalized force of actuator k at force 1; where many tau do, the sum of weight tau^2 is least."""
        m = self.model
        (q, v), a, B = self._state(q, v, t), _vector("a", a, m.nv), _matrix("B", B, m.nv)
        nu = B.shape[1]
        task = _abi.trm_drive_task(a=_doubles(a), B=_doubles(B), nu=nu)
        if weight is not None:
            weight = _vector("weight", weight, nu)
            task.weight = _doubles(weight)
        found = {"tau": np.zeros(nu), "lambda": np.zeros(m.nc), "missing": np.zeros(m.nv)}
        unique = np.zeros(nu, dtype=np.intc)
        out = _abi.trm_drive_forces(unique=unique.ctypes.data_as(ctypes.POINTER(ctypes.c_int)))
        for name, array in found.items():
            setattr(out, name, _doubles(array))
        with self._used() as error:
            status = lib.trm_query_inverse_dynamics(self._handle, t, q.ctypes.data, v.ctypes.data,
                                                    ctypes.byref(task), ctypes.byref(out), ctypes.byref(error))
        self._check(status, error)
        return DriveForces(found["tau"], unique != 0, found["lambda"], found["missing"], out.rank,
                           bool(out.realizable), out.shortfall, out.gap)

    # ------------------------------------------------------------- linearization and equilibrium

    def _outputs(self, outputs: Sequence[Output]) -> Any:
        table = (_abi.trm_output * max(1, len(outputs)))()
        for c, one in zip(table, outputs):
            body, local = self.model.place(one.point)
            c.body, c.turn, c.derivative = body, one.turn, one.derivative
            c.local[:], c.axis[:] = local, one.axis
        return table

    def linearize(self, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None, t: float = 0, *,
                  forces: Optional[ArrayLike] = None, inputs: Sequence[str] = (),
                  outputs: Sequence[Union[Output, str]] = ()) -> Linearization:
        """The linearized motion around (t, q, v), on the constraints. u: first the generalized forces,
        columns of forces [nv, k], then the inputs of the scene by name. outputs: Outputs, and names of sensors
        ("tip.position", "O.force_x", an output of the scene), of which every number is a row of C. Raises
        InconsistentError, SingularError, OptionsError."""
        q, v = self._state(q, v, t)
        columns = _matrix("forces", np.empty((self.model.nv, 0)) if forces is None else forces, self.model.nv)
        names = (ctypes.c_int * max(1, len(inputs)))(*(self.model.input_index(name) for name in inputs))
        points = [one for one in outputs if isinstance(one, Output)]
        sensors = [self.model.sensor(one) for one in outputs if not isinstance(one, Output)]
        task = _abi.trm_linear_task(
            forces=_doubles(columns), nforce=columns.shape[1],
            inputs=ctypes.cast(names, ctypes.POINTER(ctypes.c_int)), ninput=len(inputs),
            outputs=ctypes.cast(self._outputs(points), ctypes.POINTER(_abi.trm_output)), noutput=len(points),
            sensors=(_abi.trm_sensor * max(1, len(sensors)))(*(one._c for one in sensors)), nsensor=len(sensors))
        out = ctypes.POINTER(_abi.trm_linear)()
        with self._used() as error:
            status = lib.trm_query_linearize(self._handle, t, q.ctypes.data, v.ctypes.data, ctypes.byref(task),
                                             ctypes.byref(out), ctypes.byref(error))
        self._check(status, error)
        linear = Linearization(self.model, out)
        sizes, first = [one.size for one in sensors], [len(points), 0]  # C has the points first
        rows: List[int] = []
        for one in outputs:
            which = isinstance(one, Output)
            size = 1 if which else sizes.pop(0)
            rows += range(first[which], first[which] + size)
            first[which] += size
        linear.C, linear.D = linear.C[rows], linear.D[rows]
        return linear

    def equilibrium(self, q: Optional[ArrayLike] = None, t: float = 0, *, stable: Optional[bool] = None,
                    iterations: Optional[int] = None, tolerance: Optional[float] = None) -> Equilibrium:
        """A position of rest, sought from q: downhill to a minimum of the potential energy with
        stable=True, the nearest one otherwise. Raises DivergedError, whose sentence names the body that is
        still pushed, InconsistentError, SingularError."""
        q, v, multipliers = self._q(q).copy(), np.zeros(self.model.nv), np.zeros(self.model.nc)
        states = v[self.model.nv - self.model.nstate:]
        states[:] = self.model.v0[self.model.nv - self.model.nstate:]
        options = filled(lib.trm_get_default_equilibrium_options)
        options.t = t
        options.stable = options.stable if stable is None else stable
        options.iterations = options.iterations if iterations is None else iterations
        options.tolerance = options.tolerance if tolerance is None else tolerance
        options.states = _doubles(states)
        out = _abi.trm_equilibrium()
        with self._used() as error:
            status = lib.trm_query_equilibrium(self._handle, ctypes.byref(options), q.ctypes.data,
                                               multipliers.ctypes.data, ctypes.byref(out), ctypes.byref(error))
        self._check(status, error)
        return Equilibrium(q, v, multipliers, out.iterations, out.residual, out.relative,
                           STABILITY[out.stability], out.growth)


def _destroy(handle: int, _model: "Model") -> None:
    lib.trm_query_destroy(handle)
