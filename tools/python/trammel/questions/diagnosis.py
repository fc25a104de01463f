"""What is wrong with a mechanism and what could be done: trammel_check.h as plain values.

Names and contents are those of `trammel check --json`, explained in docs/reference/diagnosis.md;
dataclasses.asdict(model.check()) is that object.
"""
from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from .. import _abi
from .._library import lib
from ..errors import check, text
from ..motion import Row
from ..reports import joints_of

if TYPE_CHECKING:
    from ..model import Model

KINDS = {_abi.trm_redundancy_kind.TRM_REDUNDANCY_STRUCTURAL: "structural",
         _abi.trm_redundancy_kind.TRM_REDUNDANCY_SINGULAR_HERE: "singular-here",
         _abi.trm_redundancy_kind.TRM_REDUNDANCY_CONTRADICTORY: "contradictory",
         _abi.trm_redundancy_kind.TRM_REDUNDANCY_UNCLASSIFIED: "unclassified"}
EXAMINED = {_abi.trm_examined.TRM_EXAMINED_GIVEN: "given",
            _abi.trm_examined.TRM_EXAMINED_CLOSED: "closed",
            _abi.trm_examined.TRM_EXAMINED_OPEN: "open"}
SOLUTION = "least sum of D_i lambda_i^2, D the diagonal of G M^-1 G^T"


@dataclass(frozen=True)
class Coordinates:
    """Sizes of q and v."""
    q: int
    v: int


@dataclass(frozen=True)
class Redundancy:
    """A minimal dependent set of rows, the superfluous one first. kind: "structural" (dependent nearby
    too), "singular-here" or "contradictory"; lines: of the joints in the scene file, 0 if unknown."""
    rows: list[int]
    joints: list[str]
    lines: list[int]
    kind: str
    labels: list[str]


@dataclass(frozen=True)
class Residual:
    """Of the initial state: max |g_i| and max |(G v + g_t)_i|, m or rad (per s), and the worst joint."""
    position: float
    velocity: float
    worst: Optional[str]


@dataclass(frozen=True)
class Idle:
    """A freedom that moves one body between others and nothing else: it "spins" about a line, or
    "slides" along it. point (m), axis (unit): the line, world."""
    body: str
    motion: str
    point: list[float]
    axis: list[float]


@dataclass(frozen=True)
class Freedom:
    """gruebler: nv - nc; rank_nearby: the highest in nearby closed positions; mobility: freedoms along
    which the mechanism really moves, -1: not known."""
    gruebler: int
    rank_nearby: int
    mobility: int
    idle: list[Idle]


@dataclass(frozen=True)
class Gap:
    """How far one joint is open when all others of a conflict fit, in `unit`."""
    joint: str
    gap: float
    unit: str


@dataclass(frozen=True)
class Conflict:
    """Rows that no position satisfies together, from t (s) on; the gaps are those at t_gap (s).
    elsewhere: another assembly satisfies them, but no motion leads there."""
    t: float
    t_gap: float
    elsewhere: bool
    rows: list[int]
    joints: list[str]
    lines: list[int]
    gaps: list[Gap]


@dataclass(frozen=True)
class Acceleration:
    """Whether every row of G a = gamma can be satisfied, and what is left of the worst one."""
    consistent: bool
    residual: float
    worst: Optional[str]


@dataclass(frozen=True)
class GivenVelocity:
    """One given component of a body's velocity, "velocity x", "rate" ...; value: m/s or rad/s."""
    body: str
    component: str
    value: float


@dataclass(frozen=True)
class Given:
    """Bodies whose given poses no closed position shares, and velocities likewise."""
    poses: list[str]
    velocities: list[GivenVelocity]


@dataclass(frozen=True)
class ReactionsKnown:
    """By joint, for each of its rows, whether the multiplier is "unique" or "undetermined"; value: which
    solution the solver returns then."""
    undetermined: int
    value: str
    joints: dict[str, list[str]]


@dataclass(frozen=True)
class Relaxation:
    """What exchanging the kind of one joint would do; make None: take the joint out."""
    joint: str
    make: Optional[str]
    removed: int
    redundant_left: int
    degrees_of_freedom: int


@dataclass(frozen=True)
class Assemblies:
    """Closed positions with the body `held` kept in place, by body; planar mechanisms of one freedom."""
    count: int
    held: Optional[str]
    positions: list[dict[str, list[float]]]


@dataclass(frozen=True)
class Hint:
    """A joint on a bar that is neither at an end (beyond_end: m past the nearer one, negative: short of it)
    nor between the ends on its line (beside: m from it). It may be meant so."""
    joint: str
    body: str
    beyond_end: float
    beside: float


@dataclass(frozen=True)
class Diagnosis:
    """See docs/reference/diagnosis.md. complete: False where there are too many rows for more than counting and
    rank; examined: the position, "given", the nearest "closed" one, or "open" if nothing closes."""
    coordinates: Coordinates
    constraints: int
    rank: int
    degrees_of_freedom: int
    freedoms_of_position: int
    redundant: list[Redundancy]
    consistent: bool
    residual: Residual
    complete: bool
    examined: str
    freedom: Freedom
    conflicts: list[Conflict]
    acceleration: Acceleration
    given: Given
    reactions: ReactionsKnown
    relax: list[Relaxation]
    assemblies: Assemblies
    hints: list[Hint]


# ------------------------------------------------------------------------------------- from C

def _line(row: Row) -> int:
    """Of the scene file, 0 if unknown."""
    place = re.match(r".+?:(\d+):\d+", row.where)
    return int(place[1]) if place else 0


def _of_rows(rows: tuple[Row, ...], indices: list[int]) -> dict[str, Any]:
    lines: dict[str, int] = {}
    for i in indices:
        lines.setdefault(rows[i].joint, _line(rows[i]))
    return {"rows": indices, "joints": list(joints_of(rows, indices)), "lines": list(lines.values())}


def _name(rows: tuple[Row, ...], row: int) -> Optional[str]:
    return rows[row].joint if row >= 0 else None


def _conflict(rows: tuple[Row, ...], c: Any) -> Conflict:
    gaps = [Gap(rows[g.row].joint, g.size, text(g.unit)) for g in c.gaps[:c.ngaps]]
    return Conflict(t=c.t, t_gap=c.t_gap, elsewhere=bool(c.elsewhere), gaps=gaps,
                    **_of_rows(rows, c.rows[:c.nrows]))


def _redundancy(rows: tuple[Row, ...], c: Any) -> Redundancy:
    indices = c.rows[:c.nrows]
    return Redundancy(kind=KINDS[c.kind], labels=[rows[i].label for i in indices],
                      **_of_rows(rows, indices))


def _relaxation(c: Any) -> Relaxation:
    return Relaxation(text(c.name), text(c.kind) if c.kind is not None else None, c.removed,
                      c.redundant_left, c.degrees_of_freedom)


def _given_velocity(model: "Model", index: int, value: float) -> GivenVelocity:
    body = next(b for b in model.bodies if b.v.start <= index < b.v.stop)
    k, d = index - body.v.start, body.dimension
    component = f"velocity {'xyz'[k]}" if k < d else "rate" if d == 2 else f"rate {'xyz'[k - d]}"
    return GivenVelocity(body.name, component, value)


def _reactions(rows: tuple[Row, ...], c: Any) -> ReactionsKnown:
    joints: dict[str, list[str]] = {}
    for row, unique in zip(rows, c.unique[:len(rows)] if c.unique else ()):
        joints.setdefault(row.joint, []).append("unique" if unique else "undetermined")
    return ReactionsKnown(c.nundetermined, SOLUTION, joints)


def _assemblies(model: "Model", c: Any) -> Assemblies:
    positions = [{b.name: q[b.q.start:b.q.stop] for b in model.bodies}
                 for q in c.assemblies[:c.nassemblies]] if c.nassemblies else []
    return Assemblies(c.nassemblies, model.bodies[c.held].name if c.held >= 0 else None, positions)


def _from_struct(model: "Model", c: Any, tolerance: float) -> Diagnosis:
    rows = model.rows
    in_position = c.position > tolerance or c.position >= c.velocity
    idle = [Idle(model.bodies[i.body].name, "slides" if i.slides else "spins", list(i.point), list(i.axis))
            for i in c.idle[:c.nidle]]
    return Diagnosis(
        coordinates=Coordinates(c.sizes.nq, c.sizes.nv), constraints=c.sizes.nc, rank=c.rank,
        degrees_of_freedom=c.degrees_of_freedom, freedoms_of_position=c.freedoms_of_position,
        redundant=[_redundancy(rows, s) for s in c.sets[:c.nsets]],
        consistent=bool(c.consistent),
        residual=Residual(c.position, c.velocity,
                          _name(rows, c.position_row if in_position else c.velocity_row)),
        complete=bool(c.complete), examined=EXAMINED[c.examined],
        freedom=Freedom(c.gruebler, c.rank_nearby, c.mobility, idle),
        conflicts=[_conflict(rows, k) for k in c.conflicts[:c.nconflicts]],
        acceleration=Acceleration(c.acceleration_row < 0, c.acceleration, _name(rows, c.acceleration_row)),
        given=Given([model.bodies[i].name for i in c.poses.index[:c.poses.n]],
                    [_given_velocity(model, c.velocities.index[i], c.velocities.value[i])
                     for i in range(c.velocities.n)]),
        reactions=_reactions(rows, c), relax=[_relaxation(r) for r in c.relaxations[:c.nrelaxations]],
        assemblies=_assemblies(model, c),
        hints=[Hint(text(h.name), model.bodies[h.body].name, h.beyond, h.beside)
               for h in c.off_ends[:c.noff_ends]])


def diagnose(model: "Model", scene: Optional[int], options: Any) -> Diagnosis:
    """`scene` is the address of the trm_scene that the model was built from, for suggestions, or None."""
    out, error = ctypes.POINTER(_abi.trm_diagnosis)(), _abi.trm_error()
    with model._called():
        status = lib.trm_diagnosis_create(scene, model._handle, ctypes.byref(options), model.defaults.end,
                                          ctypes.byref(out), ctypes.byref(error))
    try:
        check(status, error, model.rows)
        return _from_struct(model, out.contents, options.tolerance)
    finally:
        lib.trm_diagnosis_destroy(out)
