"""Models: a scene compiled. Immutable; one model may serve runs in many threads."""
from __future__ import annotations

import contextlib
import ctypes
import os
import weakref
from typing import TYPE_CHECKING, Any, ContextManager, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _abi
from .questions import diagnosis
from ._library import lib
from .batch import Batch
from .callbacks import Models
from .errors import Error, OptionsError, check, text, unknown
from .interrupt import Guard
from .methods import Choice, choose
from .motion import Actuator, Body, Contact, Input, Joint, Marker, Row, SimulationDefaults
from .questions.query import Jacobian, Query, jacobian
from .result import Progress, Result
from .simulation import Observer, Sensor, Simulation
from . import simulating

if TYPE_CHECKING:
    from .scene import Scene

Array = NDArray[np.float64]

MOST_ROWS = 400  # of a recording whose undetermined multipliers are marked, as by `trammel run`


class Model:
    """A compiled mechanism. Made by trammel.load, trammel.parse or Scene.build.

    title, dimension (2 or 3), parameters  of the scene
    nq, nv, nc        sizes of q, v and of the constraint rows
    nstate            states of the scene: the last components of v
    q0[nq], v0[nv]    the initial state as the scene gives it
    bodies, markers, joints, rows
    actuators         servos and joint forces
    contacts          limits, stops, dry friction
    inputs            parameters that the scene marks as inputs, to be set while a run goes on
    outputs           outputs and states of the scene: the unit of each by name, "" without one
    defaults          what the scene says of its own run: end, every, accuracy, assemble
    """

    title: str
    dimension: int
    path: str
    parameters: dict[str, float]
    nq: int
    nv: int
    nc: int
    nstate: int
    q0: Array
    v0: Array
    bodies: tuple[Body, ...]
    markers: tuple[Marker, ...]
    joints: tuple[Joint, ...]
    rows: tuple[Row, ...]
    inputs: tuple[Input, ...]
    outputs: dict[str, str]
    actuators: tuple[Actuator, ...]
    contacts: tuple[Contact, ...]
    defaults: SimulationDefaults
    # file (of a text the folder of its tables), text, what was set, folder of other tables
    _origin: tuple[str, Optional[bytes], dict[str, str], Optional[str]] = ("", None, {}, None)
    _reads: tuple[str, ...] = ()  # files that the scene was read from

    def __init__(self, handle: int, scene: Optional["Scene"], models: Models, calls_back: bool,
                 markers: tuple[Marker, ...]) -> None:
        self._handle = handle
        weakref.finalize(self, lib.trm_model_destroy, handle)
        self._scene = scene
        self._keep: Any = scene  # the functions of the user
        self._calls_back = calls_back
        self._revision: int = scene._revision if scene else 0
        self.markers = markers
        models.add(handle, self)
        self.dimension = scene.dimension if scene else 0
        sizes = lib.trm_model_sizes(handle)
        self.nq, self.nv, self.nc = int(sizes.nq), int(sizes.nv), int(sizes.nc)
        self.nstate = int(sizes.nstate)
        self.bodies = tuple(self._body(i) for i in range(sizes.nbody))
        self.rows = tuple(self._row(i) for i in range(self.nc))
        self.joints = tuple(self._joint(i) for i in range(sizes.njoint))
        self.inputs = tuple(self._input(i) for i in range(sizes.ninput))
        outputs = [lib.trm_model_output_info(self._handle, i) for i in range(sizes.noutput)]
        self.outputs = {text(one.name): text(one.unit) for one in outputs}
        self.actuators = tuple(self._actuator(i) for i in range(sizes.nactuator))
        self.contacts = tuple(self._contact(i) for i in range(sizes.ncontact))
        self.q0, self.v0 = np.empty(self.nq), np.empty(self.nv)
        lib.trm_model_initial_state(handle, self.q0.ctypes.data, self.v0.ctypes.data)
        self.q0.flags.writeable = self.v0.flags.writeable = False

    def _describe(self, title: str, path: str, dimension: int, parameters: dict[str, float],
                  defaults: SimulationDefaults) -> None:
        """What the library does not keep of a scene."""
        self.title, self.path, self.dimension = title, path, dimension
        self.parameters, self.defaults = parameters, defaults

    def __reduce__(self) -> Any:
        """By its scene: a file is read again where the model is unpickled, and must not have changed."""
        path, source, settings, allowed = self._origin
        if self._calls_back or self._scene is None:
            raise TypeError("a model with functions of Python cannot be copied or pickled; build it again")
        if source is None:
            path = os.path.abspath(path)
        return self._scene.again, (path, source, settings, allowed, self._scene.checksum(path) if source is None else 0)

    def set(self, values: Optional[Mapping[str, Union[float, int, str]]] = None,
            **more: Union[float, int, str]) -> "Model":
        """A model with other values of parameters; this one stays as it is: longer = model.set(l=2). Raises as
        Scene.set, and OptionsError for a model with functions of Python (set its Scene and build that again)."""
        path, source, settings, allowed = self._origin
        if self._calls_back or self._scene is None:
            raise OptionsError("a model with functions of Python is built from its Scene: set that", where="set")
        return self._scene.again(path, source, {**settings, **(values or {}), **more}, allowed, None)

    def __repr__(self) -> str:
        return (f"<model {self.title or self.path!r}: {len(self.bodies)} bodies, {self.nc} constraint rows>")

    def _body(self, i: int) -> Body:
        c = lib.trm_model_body_info(self._handle, i)
        return Body(text(c.name), i, self.dimension, c.nv > self.dimension, slice(c.q0, c.q0 + c.nq),
                    slice(c.v0, c.v0 + c.nv))

    def _row(self, i: int) -> Row:
        c = lib.trm_model_row_info(self._handle, i)
        return Row(text(c.name), text(c.label), text(c.unit), text(c.where))

    def _joint(self, i: int) -> Joint:
        c = lib.trm_model_joint_info(self._handle, i)
        return Joint(text(c.name), text(c.type), c.a, c.b, slice(c.row, c.row + c.rows), bool(c.has_motor),
                     text(c.unit), c.of)

    def _input(self, i: int) -> Input:
        c = lib.trm_model_input_info(self._handle, i)
        return Input(text(c.name), i, c.value, c.smooth)

    def _actuator(self, i: int) -> Actuator:
        c = lib.trm_model_actuator_info(self._handle, i)
        return Actuator(text(c.name), i, self.joints[c.joint].name, text(c.unit))

    def _contact(self, i: int) -> Contact:
        c = lib.trm_model_contact_info(self._handle, i)
        name = text(c.name)
        s = _abi.trm_sensor()
        open_ = lib.trm_model_sensor(self._handle, f"{name}.contact_undetermined".encode(), ctypes.byref(s), None) == 0
        return Contact(name, i, any(joint.name == name for joint in self.joints), text(c.unit), c.lo, c.hi, open_)

    def _called(self) -> ContextManager[Any]:
        """Around calls of the library that may call functions of the user."""
        if self._calls_back:
            return Guard()
        return contextlib.nullcontext()

    # ------------------------------------------------------------------------------------- names

    def body(self, name: str) -> Optional[Body]:
        """The body of that name, None if there is none."""
        return next((body for body in self.bodies if body.name == name), None)

    def marker(self, name: str) -> Marker:
        """The marker of that name. Raises UnknownNameError."""
        for marker in self.markers:
            if marker.name == name:
                return marker
        raise unknown("marker", name, (one.name for one in self.markers))

    def sensor(self, name: str) -> Sensor:
        """Something that can be read of a run: "tip.position", "O.force", "arm.coordinate_rate",
        "energy.kinetic", an input; trammel_simulation.h lists them. Raises OptionsError, with what there is."""
        c, error = _abi.trm_sensor(), _abi.trm_error()
        check(lib.trm_model_sensor(self._handle, name.encode(), ctypes.byref(c), ctypes.byref(error)), error)
        return Sensor(name, c.size, text(c.unit), self, c)

    def input_index(self, name: str) -> int:
        """Of an input. Raises UnknownNameError."""
        for one in self.inputs:
            if one.name == name:
                return one.index
        raise unknown("input", name, (one.name for one in self.inputs))

    def marker_or_body(self, name: str) -> Union[Body, Marker]:
        """Raises UnknownNameError."""
        points: tuple[Union[Body, Marker], ...] = (*self.bodies, *self.markers)
        for one in points:
            if one.name == name:
                return one
        raise unknown("body or marker", name, (one.name for one in points))

    def place(self, point: str) -> tuple[int, tuple[float, ...]]:
        """Body and local place (m) of a marker, or of a body's centre of mass. Raises
        UnknownNameError."""
        one = self.marker_or_body(point)
        return (one.index, (0.0, 0.0, 0.0)) if isinstance(one, Body) else (one.body, one.local)

    def points(self, marker: Marker, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """World position (..., 3) m and velocity (..., 3) m/s of a marker for q (..., nq), v (..., nv)."""
        q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
        if q.shape[-1:] != (self.nq,) or v.shape != (*q.shape[:-1], self.nv):
            raise ValueError(f"expected q (..., {self.nq}) and v (..., {self.nv}), got {q.shape} and {v.shape}")
        local = (ctypes.c_double * 3)(*marker.local)
        x, u = np.empty((*q.shape[:-1], 3)), np.zeros((*q.shape[:-1], 3))
        q_lines = np.ascontiguousarray(q.reshape(-1, self.nq))
        v_lines = np.ascontiguousarray(v.reshape(-1, self.nv))
        places = [array.ctypes.data for array in (q_lines, v_lines, x, u)]
        for _ in range(len(q_lines)):
            lib.trm_model_point(self._handle, marker.body, local, *places)
            places = [p + 8 * n for p, n in zip(places, (self.nq, self.nv, 3, 3))]
        return x, u

    # -------------------------------------------------------------------------------------- runs

    def choose(self, method: Optional[str] = None, **options: Any) -> Choice:
        """The method that run() and simulate() would take for these options, and why."""
        assemble = options.pop("assemble", None)
        assemble = self.defaults.assemble if assemble is None else assemble
        with self._called():
            return choose(self._handle, method, self.defaults.accuracy, assemble=assemble, **options)

    def run(self, method: Optional[str] = None, *, accuracy: Optional[float] = None,
            step: Optional[float] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
            assemble: Optional[bool] = None, **options: Any) -> Simulation:
        """Start a run, to be stepped by hand; options as for simulate. A fixed step that nobody gives is
        1 ms. Raises OptionsError, InconsistentError."""
        return Simulation(self, self.choose(method, accuracy=accuracy, step=step, rtol=rtol, atol=atol,
                                            assemble=assemble, **options))

    def batch(self, n: int, method: Optional[str] = None, *, sensors: Sequence[Union[str, Sensor]] = (),
              threads: int = 0, accuracy: Optional[float] = None, step: Optional[float] = None,
              rtol: Optional[float] = None, atol: Optional[float] = None, assemble: Optional[bool] = None,
              **options: Any) -> Batch:
        """n runs side by side, in threads (0: as many as there are processors); `sensors` are shown by its readings. Other
        options as for run. Raises OptionsError, InconsistentError."""
        return Batch(self, self.choose(method, accuracy=accuracy, step=step, rtol=rtol, atol=atol,
                                       assemble=assemble, **options), n, threads, sensors)

    def simulate(self, end: Optional[float] = None, method: Optional[str] = None, *,
                 accuracy: Optional[float] = None, step: Optional[float] = None,
                 rtol: Optional[float] = None, atol: Optional[float] = None,
                 every: Optional[float] = None, assemble: Optional[bool] = None,
                 progress: Optional[Progress] = None, observe: Optional[Observer] = None,
                 verify: Optional[bool] = None, stiff: Optional[bool] = None, **options: Any) -> Result:
        """Simulate from 0 to `end` and record; the same numbers as `trammel run`, to the last bit.

        end       s; None: as the scene says
        method    "rk4+s-both2", or the integrator or the stabilization alone: the other half is chosen;
                  None: both are. trammel.methods() lists the pairs
        accuracy  wanted error of the motion relative to its size (default 1e-6); adaptive methods
        step      s, of fixed-step integrators
        rtol, atol  of adaptive ones; one alone serves for both
        every     s between recorded times; 0: every accepted step; None: as the scene says
        assemble  close the mechanism at the start; None: as the scene says
        progress  progress(t, end) is called some times a second, first at 0 and last at the end; the run
                  stops when it returns False
        observe   observe(sim) is called after each accepted step; the run stops when it returns True
        verify    a second run with a tenth of the error tells how far the motion is known, and is recorded in place
                  of the first where that is off: result.accuracy. None: as `trammel run`, where it is expected to
                  take 5 s at most; not beside `observe`, which may set inputs that the second run does not know
        stiff     whether a run whose steps stability limits goes over to ida, and back; None: as
                  `trammel run`, where the method is not named. What was found: result.stiffness
        options   parameters of the method as on the command line: epsilon, iterations, E, lambda0,
                  alpha0, alpha1, alpha2, metric, alpha, gamma, formula, passes, degree, order, local, control;
                  and tolerance, misfit, damping of trm_options

        Raises OptionsError, InconsistentError before the first step; SingularError, DivergedError,
        CallbackError after it, with the recording so far in their attribute `result`. Ctrl-C raises
        KeyboardInterrupt after the current step.
        """
        end = self._end(end, step)
        every = self.defaults.every if every is None else float(every)
        if not 0 <= every < float("inf"):
            raise OptionsError(f"must be finite and >= 0, got {every:g}", where="every")
        choice = self.choose(method, accuracy=accuracy, step=step, rtol=rtol, atol=atol, assemble=assemble,
                             **options)
        if not choice.method.adaptive and end > 0:
            choice.options.h = min(choice.options.h, end)
        if stiff is not None:
            choice.options.hand_over = bool(stiff)
        return simulating.simulate(self, choice, end, every, progress, observe, verify)

    def _end(self, end: Optional[float], step: Optional[float]) -> float:
        if end is None and self.defaults.end <= 0:
            raise OptionsError("the scene has no simulation.end; say how many seconds to simulate",
                               where="end")
        end = self.defaults.end if end is None else float(end)
        if not 0 <= end < float("inf"):
            raise OptionsError(f"must be finite and >= 0, got {end:g}", where="end")
        if step is not None and step > end:
            raise OptionsError(f"a step of {step:g} s is larger than the run of {end:g} s", where="step")
        return end

    # ----------------------------------------------------------------------------------- queries

    def query(self) -> Query:
        """Room to ask questions in: freedoms, inverse dynamics, equilibria, linearization."""
        return Query(self)

    def jacobian(self, point: str, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None) -> Jacobian:
        """How a marker, or a body's centre of mass, moves with v at q [nq]; the bias is that of v [nv]. What
        is None is the initial state. Raises UnknownNameError, OptionsError."""
        return jacobian(self, point, q, v)

    def _unique(self, t: float, q: Array) -> Optional[NDArray[np.bool_]]:
        """[nc] whether a multiplier is determined at (t, q), where that does not take long."""
        unique, place = np.zeros(self.nc, dtype=np.intc), np.array(q, dtype=np.float64)
        if not 0 < self.nc <= MOST_ROWS:
            return None
        with self._called():
            status = lib.trm_unique_multipliers(self._handle, t, place.ctypes.data, unique.ctypes.data, None)
        return None if status else unique.astype(bool)

    # ------------------------------------------------------------------------------------- check

    def check(self, assemble: Optional[bool] = None) -> diagnosis.Diagnosis:
        """What `trammel check` says: freedoms, redundant, singular or contradictory joints by name and
        line, reactions that cannot be determined, what would cure it. assemble as in simulate."""
        options = self.choose(accuracy=1e-6, assemble=assemble).options
        same = self._scene is not None and self._revision == self._scene._revision
        scene = self._scene._handle if self._scene is not None and same else None
        return diagnosis.diagnose(self, scene, options)
