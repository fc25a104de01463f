"""A recorded run: arrays over time, and what the run has to say of itself."""
from __future__ import annotations

import ctypes
import importlib
import os
import pathlib
import tempfile
import webbrowser
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Callable, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _abi, reports
from .programs import picture
from ._library import lib
from .errors import FileError, check, unknown
from .motion import ActuatorMotion, BodyMotion, ContactMotion, MarkerMotion, Named, Reactions, reactions

if TYPE_CHECKING:
    from .model import Model
    from .simulation import Simulation

Array = NDArray[np.float64]
Progress = Callable[[float, float], Optional[bool]]

# What a line has behind the state: the column, and where it stands in a trm_sample; sigma is read beside it.
CHECKS = {
    "drift.position": "drift.position",
    "drift.velocity": "drift.velocity",
    "energy.kinetic[J]": "energy.kinetic",
    "energy.potential[J]": "energy.potential",
    "energy.work[J]": "energy.work",
    "singularity.rcond": "rcond",
    "singularity.sigma": "sigma",
    "singularity.crossings": "crossings",
    "singularity.bifurcations": "bifurcations",
    "singularity.branch_changes": "branch_changes",
}


class DriftTrack:
    """position (n), max |g_i| in m or rad; velocity (n), max |(G v + g_t)_i|."""

    def __init__(self, position: Array, velocity: Array) -> None:
        self.position, self.velocity = position, velocity


class EnergyTrack:
    """kinetic, potential, work (n), J; balance = kinetic + potential - work is constant along the exact
    motion."""

    def __init__(self, kinetic: Array, potential: Array, work: Array) -> None:
        self.kinetic, self.potential, self.work = kinetic, potential, work

    @property
    def balance(self) -> Array:
        """(n) J."""
        return self.kinetic + self.potential - self.work


class Result:
    """What Model.simulate recorded at n times.

    t          (n) s
    q          (n, nq) m, rad: planar body x, y, angle; spatial x, y, z, quaternion wxyz
    v          (n, nv) m/s, rad/s: spatial rates in body axes
    a          (n, nv) m/s^2, rad/s^2
    lambda_    (n, nc) N, N m: multipliers by row, also as joints["O"]["x"]
    drift      drift.position, drift.velocity (n)
    energy     energy.kinetic, .potential, .work, .balance (n) J
    rcond      (n) smallest pivot of G M^-1 G^T against its own diagonal entry
    sigma      (n) smallest singular value of the scaled G M^-1/2: docs/reference/recordings.md
    crossings, bifurcations, branch_changes  (n) so far
    unique     (nc) whether a multiplier is determined at the start; None: too many rows to tell
    report     constraints, energy, branch over all accepted steps
    stats      counters
    method     the pair of integrator and stabilization, and `reason`, why
    accuracy   of the motion, by a second run; None: it was not checked
    stiffness  what limited the steps by stability, and what was done about it; None: nothing
    status     "done", or "stopped" when progress or observe asked for it
    inputs     by name, (n)
    outputs    by name, (n): formulas under "outputs", and states
    contacts   by name: .force (n) N or N m of a limit, stop or friction, .gap (n) m or rad of a stop
    view(), plot("energy")  seeing it
    result["crank"].position, .angle, .velocity ... of a body; result["tip"].position of a marker;
    motors   by joint, (n) N m or N: what its motor exerts, positive where it drives the coordinate up
    result["drive"].effort of a servo or joint_force; result.joints["O"].coordinate of a joint
    """

    def __init__(self, model: "Model", lines: Array, status: str, sim: "Simulation",
                 report: reports.Report, stats: reports.Stats,
                 unique: Optional[NDArray[np.bool_]] = None) -> None:
        nq, nv, nc = model.nq, model.nv, model.nc
        names = _sensors(model)
        ends = np.cumsum([1, nq, nv, nv, nc, len(names), len(CHECKS)])
        t, self.q, self.v, self.a, self.lambda_, read, checks = np.split(lines, ends[:-1], axis=1)
        self.t: Array = t[:, 0]
        track = dict(zip(CHECKS.values(), checks.T))
        self.drift = DriftTrack(track["drift.position"], track["drift.velocity"])
        self.energy = EnergyTrack(track["energy.kinetic"], track["energy.potential"], track["energy.work"])
        self.rcond: Array = track["rcond"]
        self.sigma: Array = track["sigma"]
        self.crossings, self.bifurcations, self.branch_changes = (
            track[name].astype(int) for name in ("crossings", "bifurcations", "branch_changes"))
        self.unique = unique
        self.status, self.report, self.stats = status, report, stats
        self.method, self.reason = sim.method, sim.reason
        self.accuracy: Optional[reports.Accuracy] = None
        self.stiffness: Optional[reports.Stiffness] = None
        self.title, self.dimension = model.title, model.dimension
        self._origin, self._reads = model._origin, model._reads
        self.rows = model.rows
        self.bodies = {b.name: BodyMotion(b, self.q, self.v, self.a) for b in model.bodies}
        self.markers = {m.name: MarkerMotion(m, model.dimension, self.q, self.v, model.points)
                        for m in model.markers}
        found = dict(zip(names, read.T))
        self._units = {j.name: j.unit for j in model.joints if j.unit}
        self.joints: dict[str, Reactions] = reactions(model.rows, self.lambda_, {
            name: (found[f"{name}.coordinate"], found[f"{name}.coordinate_rate"]) for name in self._units})
        self._reactions = {j.name: {part: found[f"{j.name}.{part}"] for part in _reactions(model)}
                           for j in model.joints if j.reacts}
        self.motors: dict[str, Array] = Named("motor", {
            j.name: found[f"{j.name}.motor"] for j in model.joints if j.has_motor})
        self.actuators = {a.name: ActuatorMotion(a, found[f"{a.name}.effort"]) for a in model.actuators}
        self.inputs: dict[str, Array] = Named("input", {i.name: found[i.name] for i in model.inputs})
        self.contacts: dict[str, ContactMotion] = Named("contact", {
            c.name: ContactMotion(c, found[f"{c.name}.contact_force"], found.get(f"{c.name}.gap"),
                                  found.get(f"{c.name}.contact_undetermined"))
            for c in model.contacts})
        self._output_units = model.outputs
        self.outputs: dict[str, Array] = Named("output", {name: found[name] for name in model.outputs})

    def __getitem__(self, name: str) -> Any:
        """The motion of a body or a marker, the effort of an actuator, a joint, a contact, an input or an output, of the first
        of these that has the name. Raises UnknownNameError."""
        everything: tuple[Mapping[str, Any], ...] = (
            self.bodies, self.markers, self.actuators, self.joints, self.contacts, self.inputs, self.outputs)
        for named in everything:
            if name in named:
                return named[name]
        raise unknown("body, marker, actuator, joint, contact, input or output", name,
                      (one for named in everything for one in named))

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"<result of {self.title or 'a scene'!r}: {len(self)} times to t = {self.t[-1]:.9g} s>"

    def __str__(self) -> str:
        return (f"Method       {self.method}: {self.reason}\n"
                f"Simulated    to {self.t[-1]:.6g} s in {self.stats.steps} steps, {self.status}\n{self.report}")

    def __getstate__(self) -> dict[str, Any]:
        """To be pickled a result must not need its model any more."""
        for marker in self.markers.values():
            marker.evaluate()
        return self.__dict__

    # ------------------------------------------------------------------------------------ pictures

    def view(self, path: Optional[Union[str, "os.PathLike[str]"]] = None, show: bool = True) -> str:
        """Write the page that shows the mechanism moving, as `trammel view` does, open it in the browser, and
        return its path. `path` may also end in .svg or .png, for a still; None: a temporary file. Raises
        FileError."""
        if path is None:
            number, path = tempfile.mkstemp(prefix="trammel-", suffix=".html")
            os.close(number)
        place = os.path.abspath(os.fspath(path))
        picture.write(self, place)
        if show:
            webbrowser.open(pathlib.Path(place).as_uri())
        return place

    def _repr_html_(self) -> str:
        """In a notebook: the page itself."""
        return picture.frame(self)

    def plot(self, *columns: str, ax: Optional[Any] = None) -> Any:
        """Columns of the recording over time, by Matplotlib: plot("energy", "drift.position"), plot("O.lambda_x").
        A name means the column with or without its unit, or all that begin with it and a point; none: the energies.
        Returns the axes, which are `ax` when it is given. Raises OptionsError (no such column), ImportError (no
        Matplotlib)."""
        return picture.plot(self, columns, ax)

    # ---------------------------------------------------------------------------------------- CSV

    def columns(self) -> list[tuple[str, Array]]:
        """Name and values (n) of each column of the recording that `trammel run -o` writes:
        docs/reference/verdicts.md."""
        found = [("t", self.t)]
        axes = "xyz"[:self.dimension]
        if not self.bodies:  # equations alone
            found += [(f"q[{i}]", values) for i, values in enumerate(self.q.T)]
            found += [(f"v[{i}]", values) for i, values in enumerate(self.v.T)]
        for name, motion in self.bodies.items():
            found += _body_columns(name, motion, self.q, self.v)
        for name, marker in self.markers.items():
            if marker.marker.body >= 0:
                found += [(f"{name}.{axis}[m]", marker.position[:, i]) for i, axis in enumerate(axes)]
        for name, unit in self._units.items():
            found += [(f"{name}.coordinate[{unit}]", self.joints[name].coordinate),
                      (f"{name}.coordinate_rate[{unit}/s]", self.joints[name].coordinate_rate)]
        for i, row in enumerate(self.rows):
            label = f"_{row.label}" if row.label else ""
            mark = "" if self.unique is None or self.unique[i] else ".undetermined_at_start"
            found.append((f"{row.joint}.lambda{label}{mark}[{row.multiplier_unit}]", self.lambda_[:, i]))
        for name, values in self._reactions.items():
            mine = [i for i, row in enumerate(self.rows) if row.joint == name]
            known = self.unique is None or all(self.unique[i] for i in mine)
            mark = "" if known else ".undetermined_at_start"
            found += [(f"{name}.{part}{mark}[{_reaction_unit(part)}]", one) for part, one in values.items()]
        for name, drive in self.motors.items():
            last = max(i for i, row in enumerate(self.rows) if row.joint == name)
            mark = "" if self.unique is None or self.unique[last] else ".undetermined_at_start"
            found.append((f"{name}.motor{mark}[{self.rows[last].multiplier_unit}]", drive))
        found += [(f"{name}.effort[{one.actuator.unit}]", one.effort) for name, one in self.actuators.items()]
        found += self.inputs.items()
        for name, touch in self.contacts.items():
            if touch.gap is not None:
                found.append((f"{name}.gap[{touch.contact.unit}]", touch.gap))
            found.append((f"{name}.contact_force[{touch.contact.force_unit}]", touch.force))
            if touch.undetermined is not None:
                found.append((f"{name}.contact_undetermined[{touch.contact.force_unit}]", touch.undetermined))
        found += [(f"{name}[{self._output_units[name]}]" if self._output_units[name] else name, values)
                  for name, values in self.outputs.items()]
        found += [(column, attrgetter(place)(self)) for column, place in CHECKS.items()]
        return found

    def to_dataframe(self, *names: str) -> Any:
        """The recording as a pandas.DataFrame with the time as index; names choose columns as in plot(). Raises
        OptionsError (no such column), ImportError (no pandas)."""
        pandas = importlib.import_module("pandas")

        found = self.columns()
        chosen = picture.chosen(self, names) if names else [name for name, _ in found]
        values = dict(found)
        index = pandas.Index(self.t, name="t")
        return pandas.DataFrame({name: values[name] for name in chosen if name != "t"}, index=index)

    def to_csv(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Write the recording as `trammel run -o` does: 17 digits, nothing lost. Raises FileError (the scene was
        read from this file)."""
        columns = self.columns()
        for one in self._reads:
            if os.path.exists(path) and os.path.exists(one) and os.path.samefile(path, one):
                raise FileError(f"would overwrite \"{one}\", which is read; nothing was written")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(",".join(name for name, _ in columns) + "\n")
            for line in np.column_stack([values for _, values in columns]):
                file.write(",".join([format(x, ".17g") for x in line.tolist()]) + "\n")


def _body_columns(name: str, motion: BodyMotion, q: Array, v: Array) -> list[tuple[str, Array]]:
    body = motion.body
    axes = "xyz"[:body.dimension]
    places = [f"{axis}[m]" for axis in axes]
    speeds = [f"v{axis}[m/s]" for axis in axes]
    if body.rotates:
        places += ["angle[rad]"] if body.dimension == 2 else ["qw", "qx", "qy", "qz"]
        speeds += ["rate[rad/s]"] if body.dimension == 2 else ["wx[rad/s]", "wy[rad/s]", "wz[rad/s]"]
    mine = [*q[:, body.q].T, *v[:, body.v].T]
    return [(f"{name}.{column}", values) for column, values in zip([*places, *speeds], mine)]


def _reactions(model: "Model") -> tuple[str, ...]:
    """Components of what a joint's first body exerts on its second."""
    if model.dimension == 2:
        return "force_x", "force_y", "torque_z"
    return "force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"


def _reaction_unit(part: str) -> str:
    return "N" if part.startswith("force") else "N m"


def _sensors(model: "Model") -> list[str]:
    """What is read beside the state: coordinates of joints, their forces, torques and motors, efforts, inputs, contacts."""
    joints = [f"{joint.name}.{what}" for joint in model.joints if joint.unit
              for what in ("coordinate", "coordinate_rate")]
    joints += [f"{joint.name}.{part}" for joint in model.joints if joint.reacts
               for part in _reactions(model)]
    joints += [f"{joint.name}.motor" for joint in model.joints if joint.has_motor]
    contacts = [f"{one.name}.{what}" for one in model.contacts for what in ("gap", "contact_force", "contact_undetermined")
                if what == "contact_force" or (what == "gap" and one.has_gap) or (what != "gap" and one.may_be_undetermined)]
    return [*joints, *(f"{one.name}.effort" for one in model.actuators), *(one.name for one in model.inputs),
            *contacts, *model.outputs]


class Recorder:
    """Lines of numbers: t, q, v, a, lambda, what sensors read, drift, energy, rcond, sigma, counts; at
    every accepted step, or at n * every by dense output. The end has a line of its own, wherever the run stopped."""

    def __init__(self, model: "Model", end: float, every: float) -> None:
        self._sizes = [8 * n for n in (model.nq, model.nv, model.nv, model.nc)]
        names = _sensors(model)
        self._nsensors = len(names)
        self._sensors = (_abi.trm_sensor * max(1, len(names)))(*(model.sensor(name)._c for name in names))
        self._width = 1 + sum(self._sizes) // 8 + len(names) + len(CHECKS)
        self._lines = np.empty((256, self._width))
        self._n = 0
        self._end, self._every = end, every
        self._sample, self._error = _abi.trm_sample(), _abi.trm_error()
        self._rows = model.rows

    @property
    def last(self) -> float:
        """s, time of the last line; -inf without one."""
        return float(self._lines[self._n - 1, 0]) if self._n else float("-inf")

    def record(self, handle: int, t: float) -> None:
        """One line at t, within the last accepted step."""
        s, sigma = self._sample, ctypes.c_double()
        check(lib.trm_sim_singular_value(handle, t, ctypes.byref(sigma), ctypes.byref(self._error)),
              self._error, self._rows)
        check(lib.trm_sim_sample(handle, t, ctypes.byref(s), ctypes.byref(self._error)), self._error,
              self._rows)
        if self._n == len(self._lines):
            self._lines = np.concatenate([self._lines, np.empty_like(self._lines)])
        line = self._lines[self._n]
        line[0] = t
        place = line.ctypes.data + 8
        state = s.state
        for source, size in zip((state.q, state.v, state.a, getattr(state, "lambda")), self._sizes):
            if size:
                ctypes.memmove(place, source, size)
            place += size
        check(lib.trm_sim_read_sample(handle, ctypes.byref(s), self._nsensors, self._sensors, place,
                                      ctypes.byref(self._error)), self._error, self._rows)
        line[-len(CHECKS):] = [sigma.value if place == "sigma" else attrgetter(place)(s) for place in CHECKS.values()]
        self._n += 1

    def look(self, handle: int) -> None:
        """After an accepted step: the lines that are due."""
        t = ctypes.c_double(self.last)
        while lib.trm_sim_next_line(handle, self._every, self._end, ctypes.byref(t)):
            self.record(handle, t.value)

    def lines(self) -> Array:
        """(n, width), not to be written; the memory is their own."""
        found = self._lines[:self._n].copy()
        found.flags.writeable = False
        return found
