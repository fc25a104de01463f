"""Bodies, markers and joints by name: columns of a state, or of many states in a row.

The arrays have the shape (..., n): nothing before the n for one state, the number of recorded times for
a recording.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, Iterator, Mapping, Optional, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import unknown

Array = NDArray[np.float64]
T = TypeVar("T")


def vector(name: str, value: ArrayLike, n: int) -> Array:
    found = np.ascontiguousarray(value, dtype=np.float64)
    if found.shape != (n,):
        raise ValueError(f"{name}: expected an array of shape ({n},), got {found.shape}")
    return found


class Named(dict[str, T]):
    """By name; a wrong one is answered with what there is."""

    def __init__(self, what: str, items: Mapping[str, T]) -> None:
        super().__init__(items)
        self.what = what

    def __missing__(self, name: str) -> T:
        raise unknown(self.what, name, self)

    def __reduce__(self) -> tuple[type, tuple[str, dict[str, T]]]:
        return Named, (self.what, dict(self))


@dataclass(frozen=True)
class Body:
    """A moving body: its coordinates are q[body.q], its velocities v[body.v].

    rotates  False for point masses, which have neither angle nor rate
    """
    name: str
    index: int
    dimension: int
    rotates: bool
    q: slice
    v: slice


@dataclass(frozen=True)
class Marker:
    """A named point: local (m) in the frame of body `body`, or in the world if that is -1."""
    name: str
    body: int
    local: tuple[float, ...]


@dataclass(frozen=True)
class Row:
    """One scalar equation of a joint.

    joint  the joint, motor or constraint that owns it
    label  which of its rows: "x", "y", "angle"; "" when it is the only one
    unit   of g: "m" or "rad"; the multiplier's is N or N m
    where  "a.json:14:7 /joints/2"; "" without a file
    """
    joint: str
    label: str
    unit: str
    where: str

    @property
    def multiplier_unit(self) -> str:
        """"N" or "N m"."""
        return "N m" if self.unit == "rad" else "N"


@dataclass(frozen=True)
class Joint:
    """a, b: indices of its bodies, -1 for the ground; rows: of g, the motor's last; unit: of its
    coordinate, "rad" or "m", "" without one; of: -1, or of a freedom, as `J.slide`, the joint that has it."""
    name: str
    type: str
    a: int
    b: int
    rows: slice
    has_motor: bool
    unit: str
    of: int = -1

    @property
    def reacts(self) -> bool:
        """Whether it holds or drives; a freedom that nothing prescribes has no force of its own."""
        return self.of < 0 or self.rows.stop > self.rows.start


@dataclass(frozen=True)
class Input:
    """A parameter that may be set while a run goes on. value: at the start of a run; smooth (s): a new
    value is taken up over this time, 0: at once."""
    name: str
    index: int
    value: float
    smooth: float


@dataclass(frozen=True)
class Actuator:
    """A servo or joint_force; joint: the name of the one that it drives; unit: of its effort, "N m" or
    "N"."""
    name: str
    index: int
    joint: str
    unit: str


@dataclass(frozen=True)
class Contact:
    """A stop, the limits or dry friction of a joint, or the friction of a screw or stop.

    joint     whether its coordinate is the coordinate of a joint
    unit      of its coordinate, "m" or "rad"
    lo, hi    where the coordinate ends; infinite where it does not
    may_be_undetermined  whether it has friction, and something may prescribe its motion
    """
    name: str
    index: int
    joint: bool
    unit: str
    lo: float
    hi: float
    may_be_undetermined: bool = False

    @property
    def has_gap(self) -> bool:
        """Whether it is a stop; limits of joints end the joint's own coordinate."""
        return not self.joint and (math.isfinite(self.lo) or math.isfinite(self.hi))

    @property
    def force_unit(self) -> str:
        """ "N", or "N m" along an angle."""
        return "N" if self.unit == "m" else "N m"


@dataclass(frozen=True)
class SimulationDefaults:
    """What a scene says of its own run.

    end       s; 0 when the file does not say
    every     s, interval of recording; 0: every accepted step
    accuracy  of the recommended method; 0 when the file does not say
    assemble  whether to close the initial state before the first step
    """
    end: float
    every: float
    accuracy: float
    assemble: bool


class BodyMotion:
    """A body's part of q, v and a; in SI units."""

    def __init__(self, body: Body, q: Array, v: Array, a: Array) -> None:
        self.body = body
        self._q, self._v, self._a = q[..., body.q], v[..., body.v], a[..., body.v]

    def __repr__(self) -> str:
        return f"<motion of body {self.body.name!r}>"

    def _turning(self, what: str, dimension: Optional[int] = None) -> int:
        """Where the rotation begins in v (and in q)."""
        d = self.body.dimension
        if not self.body.rotates:
            raise AttributeError(f"{self.body.name!r} is a point mass and has no {what}")
        if dimension not in (None, d):
            raise AttributeError(f"{self.body.name!r} moves in {d} dimensions and has no {what}")
        return d

    @property
    def position(self) -> Array:
        """(..., dimension) m, centre of mass, world."""
        return self._q[..., :self.body.dimension]

    @property
    def velocity(self) -> Array:
        """(..., dimension) m/s, of the centre of mass, world."""
        return self._v[..., :self.body.dimension]

    @property
    def acceleration(self) -> Array:
        """(..., dimension) m/s^2, of the centre of mass, world."""
        return self._a[..., :self.body.dimension]

    @property
    def angle(self) -> Array:
        """(...) rad, in the plane, counted over full turns."""
        return self._q[..., self._turning("angle", 2)]

    @property
    def quaternion(self) -> Array:
        """(..., 4) wxyz, in space, takes body axes to world axes."""
        return self._q[..., self._turning("quaternion", 3):]

    @property
    def rate(self) -> Array:
        """(...) rad/s in the plane, counterclockwise; (..., 3) in space, body axes."""
        d = self._turning("rate")
        return self._v[..., 2] if d == 2 else self._v[..., 3:]

    @property
    def angular_acceleration(self) -> Array:
        """As rate, rad/s^2."""
        d = self._turning("angular acceleration")
        return self._a[..., 2] if d == 2 else self._a[..., 3:]


Points = Callable[[Marker, Array, Array], "tuple[Array, Array]"]


class MarkerMotion:
    """World position and velocity of a marker, evaluated when first asked for."""

    def __init__(self, marker: Marker, dimension: int, q: Array, v: Array, points: Points) -> None:
        self.marker = marker
        self._dimension = dimension
        self._given: Optional[tuple[Array, Array, Points]] = (q, v, points)
        self._found: tuple[Array, Array]

    def __repr__(self) -> str:
        return f"<motion of marker {self.marker.name!r}>"

    def evaluate(self) -> tuple[Array, Array]:
        """Position and velocity; from now on this object needs no model."""
        if self._given is not None:
            q, v, points = self._given
            x, u = points(self.marker, q, v)
            self._found, self._given = (x[..., :self._dimension], u[..., :self._dimension]), None
        return self._found

    @property
    def position(self) -> Array:
        """(..., dimension) m, world."""
        return self.evaluate()[0]

    @property
    def velocity(self) -> Array:
        """(..., dimension) m/s, world."""
        return self.evaluate()[1]


class ActuatorMotion:
    """What a servo or joint_force exerted: effort (..., ) N m or N, positive on the joint's second body."""

    def __init__(self, actuator: Actuator, effort: Array) -> None:
        self.actuator, self.effort = actuator, effort

    def __repr__(self) -> str:
        return f"<effort of {self.actuator.name!r} on joint {self.actuator.joint!r}>"


class ContactMotion:
    """What a limit, a stop or friction exerted along its coordinate: force (..., ) N or N m; gap (..., ) m or rad
    of a stop, None of others; undetermined (..., ) how far friction may be another one in a dwell that drives decide,
    None where nothing is driven."""

    def __init__(self, contact: Contact, force: Array, gap: Optional[Array], undetermined: Optional[Array] = None) -> None:
        self.contact, self.force, self.gap, self.undetermined = contact, force, gap, undetermined


class Reactions(Mapping[str, Array]):
    """Multipliers of one joint by label: result.joints["O"]["x"], N or N m; what each of them is says
    docs/reference/recordings.md. `array` (..., rows) has them all."""

    def __init__(self, rows: tuple[Row, ...], first: int, values: Array,
                 coordinates: Optional[tuple[Array, Array]] = None) -> None:
        self.rows = rows
        self.array = values[..., first:first + len(rows)]
        self._coordinates = coordinates

    def _recorded(self, i: int) -> Array:
        if self._coordinates is None:
            raise AttributeError(
                f"no coordinate of {self.rows[0].joint!r} is recorded: revolute joints and, along their "
                f"axis, prismatic ones have one; in a run read the sensor {self.rows[0].joint}.coordinate")
        return self._coordinates[i]

    @property
    def coordinate(self) -> Array:
        """(n) rad or m, of a revolute or prismatic joint in a result; zero in the initial pose."""
        return self._recorded(0)

    @property
    def coordinate_rate(self) -> Array:
        """(n) rad/s or m/s, likewise."""
        return self._recorded(1)

    def __getitem__(self, label: str) -> Array:
        for i, row in enumerate(self.rows):
            if row.label == label:
                return self.array[..., i]
        raise unknown(f"row of {self.rows[0].joint!r} called" if self.rows else "row called", label, self)

    def __iter__(self) -> Iterator[str]:
        return iter(row.label for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)


def reactions(rows: tuple[Row, ...], values: Array,
              coordinates: Mapping[str, tuple[Array, Array]] = {}) -> Named[Reactions]:
    """By joint; the rows of a joint follow each other."""
    found: dict[str, Reactions] = {}
    for name in dict.fromkeys(row.joint for row in rows):
        mine = [i for i, row in enumerate(rows) if row.joint == name]
        found[name] = Reactions(tuple(rows[i] for i in mine), mine[0], values, coordinates.get(name))
    for name in coordinates.keys() - found.keys():
        found[name] = Reactions((), 0, values, coordinates[name])
    return Named("joint or constraint", found)
