"""One run in progress, stepped by hand."""
from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _abi, reports
from ._library import filled, lib
from .errors import BusyError, ClosedError, check
from .interrupt import Guard
from .methods import Choice
from .motion import vector as _vector
from .motion import Body, BodyMotion, MarkerMotion, Reactions, reactions

if TYPE_CHECKING:
    from .model import Model

GLANCE = 1000  # steps after which Python looks at its signals
Array = NDArray[np.float64]
Observer = Callable[["Simulation"], Optional[bool]]


@dataclass(frozen=True)
class Sample:
    """The state at one time, with copies of its own.

    t        s
    q        [nq] m, rad
    v        [nv] m/s, rad/s
    a        [nv] m/s^2, rad/s^2
    lambda_  [nc] N, N m
    drift, energy
    rcond    smallest pivot of G M^-1 G^T against its own diagonal entry
    """
    t: float
    q: Array
    v: Array
    a: Array
    lambda_: Array
    drift: reports.Drift
    energy: reports.Energy
    rcond: float


@dataclass(frozen=True)
class Sensor:
    """Something that can be read of a run, looked up by name once: model.sensor(name), sim.read(sensor).

    size  how many numbers it shows
    unit  of each
    """
    name: str
    size: int
    unit: str
    model: "Model" = field(repr=False)
    _c: Any = field(repr=False)


@dataclass(frozen=True)
class Terms:
    """The terms of [EOM], [VEL] and [ACC], dense.

    M[nv, nv], f[nv] without the caller's force, g[nc], G[nc, nv], g_t[nc], gamma[nc], N[nq, nv];
    a[nv] and lambda_[nc] solve M a = f + force - G^T lambda, G a = gamma.
    """
    M: Array
    f: Array
    g: Array
    G: Array
    g_t: Array
    gamma: Array
    N: Array
    a: Array
    lambda_: Array


class Simulation:
    """One run of a model: state, workspace, counters. Made by Model.run.

    t, q[nq], v[nv], a[nv], lambda_[nc] show the current state: arrays that cannot be written and that
    follow the run, in place; copy what you want to keep. Their memory belongs to Python, so that they
    stay readable, with their last values, when the run is closed.

    A run serves one thread at a time. Any use of it while it is being stepped raises BusyError.
    """

    def __init__(self, model: "Model", choice: Choice, borrowed: Optional[int] = None) -> None:
        """`borrowed`: the address of a run that is the library's until it is given away."""
        self.model = model
        self.method = choice.method
        self.reason = choice.reason
        self._lock = threading.Lock()
        self._observing: Optional[int] = None  # thread whose observer may look
        self._handle: Optional[int] = borrowed
        if borrowed is None:
            self._create(choice)
        self._make_views()
        self._refresh()

    def _create(self, choice: Choice) -> None:
        handle, error = ctypes.c_void_p(), _abi.trm_error()
        with self.model._called():
            status = lib.trm_sim_create(self.model._handle, ctypes.byref(choice.options), ctypes.byref(handle),
                                        ctypes.byref(error))
        if handle.value is not None:
            self._own(handle.value)
        check(status, error, self.model.rows)

    def _own(self, handle: int) -> None:
        # the model must outlive the run
        self._destroy = weakref.finalize(self, _destroy, handle, self.model)
        self._handle = handle

    def _make_views(self) -> None:
        m = self.model
        self._now = np.empty(m.nq + 2 * m.nv + m.nc)
        ends = np.cumsum([m.nq, m.nv, m.nv, m.nc])
        parts = np.split(self._now, ends[:-1])
        for part in parts:
            part.flags.writeable = False
        self.q, self.v, self.a, self.lambda_ = parts
        self._places = [part.ctypes.data for part in parts]
        self._bytes = [part.nbytes for part in parts]
        self.t = 0.0

    def __reduce__(self) -> Any:
        raise TypeError("a run cannot be copied or pickled; see save() and restore()")

    def __repr__(self) -> str:
        state = "closed" if self._handle is None else f"t = {self.t:.9g} s"
        return f"<simulation of {self.model.title or 'a scene'!r} with {self.method}, {state}>"

    # --------------------------------------------------------------------------------- who uses it

    @contextlib.contextmanager
    def _used(self, reading: bool = False) -> Iterator[int]:
        """-> the address of the run, for this thread alone."""
        looks = reading and self._observing == threading.get_ident()
        if not looks and not self._lock.acquire(blocking=False):
            raise BusyError("this run is being stepped; it serves one call at a time")
        try:
            if self._handle is None:
                raise ClosedError("this run was closed")
            yield self._handle
        finally:
            if not looks:
                self._lock.release()

    def close(self) -> None:
        """Free the run; what its arrays show last stays. Closing twice is allowed."""
        if not self._lock.acquire(blocking=False):
            raise BusyError("this run is being stepped and cannot be closed")
        try:
            if self._handle is not None:
                self._handle = None
                self._destroy()
        finally:
            self._lock.release()

    def __enter__(self) -> "Simulation":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # -------------------------------------------------------------------------------------- state

    def _refresh(self) -> None:
        """The arrays show what the library has."""
        state = lib.trm_sim_state(self._handle)
        self.t = state.t
        for place, source, size in zip(self._places, (state.q, state.v, state.a, getattr(state, "lambda")),
                                       self._bytes):
            if size:
                ctypes.memmove(place, source, size)

    def __getitem__(self, name: str) -> Union[BodyMotion, MarkerMotion]:
        """A body or a marker, now: sim["crank"].angle, sim["tip"].position. A body's arrays follow the
        run, a marker's belong to the moment."""
        one = self.model.marker_or_body(name)
        if isinstance(one, Body):
            return BodyMotion(one, self.q, self.v, self.a)
        return MarkerMotion(one, self.model.dimension, self.q, self.v, self.model.points)

    @property
    def joints(self) -> dict[str, Reactions]:
        """Multipliers by joint and label, following the run."""
        return reactions(self.model.rows, self.lambda_)

    def set_state(self, t: float, q: ArrayLike, v: ArrayLike) -> None:
        """Restart from t (s), q[nq], v[nv]; counters go back to zero. Raises InconsistentError; the run
        then has no state to go on from until another is set."""
        q, v, error = _vector("q", q, self.model.nq), _vector("v", v, self.model.nv), _abi.trm_error()
        with self._used() as handle:
            with self.model._called():
                status = lib.trm_sim_set_state(handle, t, q.ctypes.data, v.ctypes.data,
                                               ctypes.byref(error))
            check(status, error, self.model.rows)
            self._refresh()

    def perturb(self, dq: Optional[ArrayLike] = None, dv: Optional[ArrayLike] = None) -> None:
        """Add dq[nq] and dv[nv] to the state, as noise or a shock would. Nothing is checked or closed; in joint
        coordinates no joint of the tree may be opened. Raises InconsistentError."""
        dq = None if dq is None else _vector("dq", dq, self.model.nq)
        dv = None if dv is None else _vector("dv", dv, self.model.nv)
        error = _abi.trm_error()
        with self._used() as handle:
            with self.model._called():
                status = lib.trm_sim_perturb(handle, None if dq is None else dq.ctypes.data,
                                           None if dv is None else dv.ctypes.data, ctypes.byref(error))
            self._refresh()
            check(status, error, self.model.rows)

    shift = perturb  # deprecated name

    # -------------------------------------------------------------------------------------- steps

    def step(self, n: int = 1) -> float:
        """Take n accepted steps; -> t (s). After a failure the state is the last accepted one. Raises
        SingularError, DivergedError, CallbackError, and whatever a function of yours raised."""
        error = _abi.trm_error()
        with self._used() as handle:
            for _ in range(n):
                with self.model._called():
                    status = lib.trm_sim_step(handle, ctypes.byref(error))
                self._refresh()
                check(status, error, self.model.rows)
        return self.t

    def step_to(self, t: float) -> None:
        """Step until t (s), which is hit exactly: for control loops, once in every period after the
        inputs are set. As run_to, but Ctrl-C is noticed every thousand steps only."""
        error = _abi.trm_error()
        with self._used() as handle:
            while True:
                with self.model._called():
                    status = lib.trm_sim_steps_to(handle, t, GLANCE, ctypes.byref(error))
                self._refresh()
                if check(status, error, self.model.rows) or t - self.t < sys.float_info.min:
                    break

    def run_to(self, t_end: float, observe: Optional[Observer] = None) -> bool:
        """Step until t_end (s), which is hit exactly. observe(sim) is called after each accepted step,
        may look at the run, and stops it by returning True. -> False if it did. Ctrl-C ends the run
        after the current step, with KeyboardInterrupt. Other exceptions: see step."""
        def look(_: int) -> bool:
            self._refresh()
            return bool(observe(self)) if observe else False

        return self._run(t_end, look if observe else None)

    def _run(self, t_end: float, look: Optional[Callable[[int], bool]]) -> bool:
        """look(address of the run) after each accepted step; it may read the run."""
        raised: list[BaseException] = []
        error = _abi.trm_error()
        with self._used() as handle, Guard() as guard:
            def on_step(_: Any, __: Any) -> int:
                try:
                    guard.check()
                    if look is None:
                        return 0
                    self._observing = threading.get_ident()
                    return 1 if look(handle) else 0
                except BaseException as problem:  # C cannot carry it
                    raised.append(problem)
                    return 1
                finally:
                    self._observing = None

            callback = _abi.trm_observer_fn(on_step)
            status = lib.trm_sim_run(handle, t_end, callback, None, ctypes.byref(error))
            self._refresh()
            check(status, error, self.model.rows)
            if raised:
                raise raised[0]
            return bool(status == _abi.trm_status.TRM_OK)

    def sample(self, t: Optional[float] = None) -> Sample:
        """The state at t (s) within the last accepted step, by the integrator's dense output, with a and
        lambda evaluated there; None: now."""
        with self._used(reading=True) as handle:
            out, error, m = _abi.trm_sample(), _abi.trm_error(), self.model
            with m._called():
                status = lib.trm_sim_sample(handle, self.t if t is None else t, ctypes.byref(out),
                                            ctypes.byref(error))
            check(status, error, m.rows)
            s = out.state
            q, v, a, multipliers = (np.array(p[:n], dtype=np.float64) for p, n in (
                (s.q, m.nq), (s.v, m.nv), (s.a, m.nv), (getattr(s, "lambda"), m.nc)))
            return Sample(s.t, q, v, a, multipliers, self._drift(out.drift), _energy(out.energy), out.rcond)

    # -------------------------------------------------------------------------- inputs and sensors

    def set_input(self, name: str, value: float) -> None:
        """Give an input of the scene a value (a number) from now on. What was computed before,
        accelerations and multipliers, stays as it is until the next step. Raises UnknownNameError, OptionsError
        (a value that is not finite)."""
        error = _abi.trm_error()
        with self._used() as handle:
            check(lib.trm_sim_set_input(handle, self.model.input_index(name), value, ctypes.byref(error)), error)

    def input(self, name: str) -> float:
        """The value of an input as set last. Raises UnknownNameError."""
        with self._used(reading=True) as handle:
            return float(lib.trm_sim_input(handle, self.model.input_index(name)))

    def read(self, sensor: Union[str, Sensor]) -> Array:
        """[sensor.size] what a sensor shows at the end of the last step: sim.read("tip.position"). In a
        loop look the name up once, by model.sensor(name)."""
        sensor = self.model.sensor(sensor) if isinstance(sensor, str) else sensor
        out, error = np.empty(sensor.size), _abi.trm_error()
        with self._used(reading=True) as handle:
            with self.model._called():
                status = lib.trm_sim_read(handle, ctypes.byref(sensor._c), out.ctypes.data,
                                          ctypes.byref(error))
            check(status, error, self.model.rows)
        return out

    # ----------------------------------------------------------------------------------- rollouts

    @property
    def state_size(self) -> int:
        """Bytes of save(); 0 where another library keeps the history of the method (ida)."""
        with self._used(reading=True) as handle:
            return int(lib.trm_sim_state_size(handle))

    def save(self) -> bytes:
        """All that the run remembers. A run of the same model, method and process that goes on from it
        takes the same steps, to the last bit. What user functions remember is not in it."""
        with self._used(reading=True) as handle:
            buffer, error = ctypes.create_string_buffer(lib.trm_sim_state_size(handle)), _abi.trm_error()
            check(lib.trm_sim_save(handle, buffer, len(buffer), ctypes.byref(error)), error)
            self._refresh()
            return buffer.raw

    def restore(self, state: bytes) -> None:
        """Go back to what save() gave. Raises OptionsError for bytes that are no state of this model and
        method; the run is then as it was before."""
        error = _abi.trm_error()
        with self._used() as handle:
            check(lib.trm_sim_restore(handle, state, len(state), ctypes.byref(error)), error)
            self._refresh()

    # ------------------------------------------------------------------------- what it has to say

    def _drift(self, c: Any) -> reports.Drift:
        return reports.Drift(c.position, c.velocity, self.model.rows[c.row].joint if c.row >= 0 else None)

    @property
    def drift(self) -> reports.Drift:
        """How far the constraints are violated now."""
        with self._used(reading=True) as handle:
            return self._drift(lib.trm_sim_drift(handle))

    @property
    def energy(self) -> reports.Energy:
        """J, now."""
        with self._used(reading=True) as handle:
            return _energy(lib.trm_sim_energy(handle))

    @property
    def stats(self) -> reports.Stats:
        """Counters since the start."""
        with self._used(reading=True) as handle:
            c = filled(lib.trm_sim_get_stats, handle)
            return reports.Stats(*(getattr(c, name) for name in reports.Stats.__dataclass_fields__))

    @property
    def report(self) -> reports.Report:
        """Constraints, energy and branch so far."""
        with self._used(reading=True) as handle:
            c, one, crossing_log = filled(lib.trm_sim_get_report, handle), _abi.trm_crossing(), []
            for i in range(max(0, c.crossings - 100), c.crossings):
                if lib.trm_sim_crossing(handle, i, ctypes.byref(one)):
                    crossing_log.append(reports.crossing_from(one, self.model.rows))
            verdicts = reports.verdicts_from(filled(lib.trm_sim_get_verdicts, handle))
            exerted = filled(lib.trm_sim_get_forces, handle)
            worst = self.model.contacts[exerted.worst].name if exerted.worst >= 0 else None
            forces = reports.forces_from(exerted, worst)
            angle = self.model.joints[c.uncounted - 1].name if c.uncounted > 0 else None
            return reports.report_from(c, self.model.rows, angle, tuple(crossing_log), verdicts, forces)

    def terms(self, t: Optional[float] = None, q: Optional[ArrayLike] = None,
              v: Optional[ArrayLike] = None, force: Optional[ArrayLike] = None) -> Terms:
        """M, f, g, G, g_t, gamma, N and forward dynamics at t (s), q[nq], v[nv], on the constraints or
        off them; what is None is taken from the current state. force[nv] (N, N m) is a generalized force
        of yours. The run goes on as if it had not been asked."""
        m = self.model
        with self._used(reading=True) as handle:
            q = self.q if q is None else _vector("q", q, m.nq)
            v = self.v if v is None else _vector("v", v, m.nv)
            force = None if force is None else _vector("force", force, m.nv)
            shapes = {"M": (m.nv, m.nv), "f": (m.nv,), "g": (m.nc,), "G": (m.nc, m.nv), "g_t": (m.nc,),
                      "gamma": (m.nc,), "N": (m.nq, m.nv), "a": (m.nv,), "lambda": (m.nc,)}
            found = {name: np.zeros(shape) for name, shape in shapes.items()}
            out, error = _abi.trm_terms(), _abi.trm_error()
            for name, array in found.items():
                setattr(out, name, array.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
            with m._called():
                status = lib.trm_sim_terms(handle, self.t if t is None else t, q.ctypes.data, v.ctypes.data,
                                           None if force is None else force.ctypes.data,
                                           ctypes.byref(out), ctypes.byref(error))
            check(status, error, m.rows)
        found["lambda_"] = found.pop("lambda")
        return Terms(**found)


def _destroy(handle: int, _model: "Model") -> None:
    lib.trm_sim_destroy(handle)


def _energy(c: Any) -> reports.Energy:
    return reports.Energy(c.kinetic, c.potential, c.work)
