"""What a run has to say of itself, as plain values."""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

from .errors import text

if TYPE_CHECKING:
    from .motion import Row


def known(x: float) -> Optional[float]:
    """None for the library's NAN."""
    return None if math.isnan(x) else x


def joints_of(rows: tuple["Row", ...], indices: Any) -> tuple[str, ...]:
    """Names of the joints that rows belong to, each once, in the order of the rows."""
    return tuple(dict.fromkeys(rows[i].joint for i in indices))


@dataclass(frozen=True)
class Drift:
    """How far the constraints are violated.

    position  max |g_i|, m or rad
    velocity  max |(G v + g_t)_i|, m/s or rad/s
    joint     where `position` is attained; None without constraints
    """
    position: float
    velocity: float
    joint: Optional[str] = None


@dataclass(frozen=True)
class Energy:
    """kinetic + potential - work is constant along the exact motion.

    kinetic    J, v^T M v / 2
    potential  J, of gravity and springs
    work       J, done since the start by dampers, drives and user forces
    """
    kinetic: float
    potential: float
    work: float

    @property
    def balance(self) -> float:
        """J, kinetic + potential - work."""
        return self.kinetic + self.potential - self.work


@dataclass(frozen=True)
class Stats:
    """Counters of a run, as trm_stats; h (s) is the last step, epsilon (s) what srm really used."""
    steps: int
    rejected: int
    force_evals: int
    jacobian_evals: int
    factorizations: int
    switches: int
    epsilon: float
    epsilon_safe: float
    row_scales: float
    h: float


@dataclass(frozen=True)
class BodyError:
    """How far the end state of a body may be wrong: position (m), angle (rad), velocity (m/s), rate (rad/s)."""
    position: float
    angle: float
    velocity: float
    rate: float


@dataclass(frozen=True)
class Accuracy:
    """What a second run with a tenth of the error says of the motion: differences are relative to the largest range
    through which a body of the same connected part moves, lengths, angles and their rates each by their own range.

    asked        None: nothing was (fixed steps)
    runs         that were compared
    differs      of the last two, the largest difference at the ends of steps and the recorded times
    known_until  s, up to here they differ by at most what was asked; None: nothing was
    position     m, the largest difference of a position at the end
    angle        rad, the largest difference of an angle at the end
    worst        the body that is known least
    verdict      "good" to what was asked, "fair" to ten times that, else "POOR"
    bodies       by name, at the end
    limit        why double precision tells no more; None: it does
    """
    asked: Optional[float]
    runs: int
    differs: float
    known_until: Optional[float]
    position: float
    angle: float
    worst: Optional[str]
    verdict: str
    bodies: dict[str, BodyError]
    limit: Optional[str]


@dataclass(frozen=True)
class Stiffness:
    """What limited the steps by stability, not by accuracy.

    t            s, when it was found
    rate         1/s, the largest eigenvalue
    source       the force with the largest share in it; None where none has half
    coefficient  of that force, in `unit`, on `inertia` (kg or kg m^2)
    changes      how often the run changed over to ida, or back
    ida_steps    steps of ida
    """
    t: float
    rate: float
    source: Optional[str]
    coefficient: float
    unit: str
    inertia: float
    changes: int
    ida_steps: int


@dataclass(frozen=True)
class Crossing:
    """Passage through a position where G loses rank.

    t               s
    step            s, size of the step that passed it
    sigma           smallest singular value of the scaled G that is not zero everywhere
    rank_before, rank_at, rank_after
                    of G; before is 0 when the run starts there, after is 0 until judged
    joints          those whose rows depend on each other there
    bifurcation     (almost) at rest there: several motions continue this one
    energy_lost     J, from before to behind; None until judged
    branch_changed  whether the velocity jumped; None until judged
    resolved        near a singular position only: bars not quite equal
    undecided       the motions that meet there miss each other by less than double precision resolves
    """
    t: float
    step: float
    sigma: float
    rank_before: int
    rank_at: int
    rank_after: int
    joints: tuple[str, ...]
    bifurcation: bool
    energy_lost: Optional[float]
    branch_changed: Optional[bool]
    resolved: bool
    undecided: bool


@dataclass(frozen=True)
class Report:
    """Three independent checks on a run so far, taken at every accepted step.

    position_drift, velocity_drift  largest so far, m or rad (per s)
    position_drift_relative
                           the same over the size of the mechanism, angles as they are: what the verdict judges
    velocity_drift_relative, velocity_joint
                           the same of velocities, over the largest speed of a body in such units, and where
    worst_joint, worst_label, worst_unit
                           the row of g where position_drift was attained (motion.Row); None without
                           constraints
    energy_initial         J, kinetic + potential at the start
    energy_error           J, max |kinetic + potential - work - energy_initial|
    energy_error_relative  the same over the largest kinetic energy
    energy_scale           J, the exchanged energy: what the verdict compares energy_error with
    branch_changes         times the velocity jumped at a rank drop of G
    first_branch_change    s; None when there was none
    crossings              passages through singular positions; their last hundred are in `crossing_log`
    rcond_min, t_rcond_min smallest pivot of G M^-1 G^T against its own diagonal entry, and when (s)
    resolved               how many crossings only came near to a singular position
    undecided, first_undecided
                           those that double precision, or an unseen step, leaves open; the first (s)
    crossing_energy_lost, t_crossing_energy_lost
                           J, the largest |energy_lost| of a crossing, and when (s)
    bifurcations, first_bifurcation
                           crossings where the velocity did not say which motion to continue
    between, between_relative, t_between
                           the largest gap within the steps, of recorded lines before they are brought to the
                           constraints, and when (s); None when nothing was looked at
    inputs                 how changes with the time were followed: "none", "proved", "sampled", "unchecked"
    misfit                 largest play of redundant joints, over the size of the mechanism or rad
    uncounted, t_uncounted the angle of a ball past whose pole turns are uncertain, and when (s)
    asked                  the accuracy that the verdicts know of, relative to the size of the motion; None: fixed steps
    verdicts               "good", "fair" or "POOR" for constraints, energy, branch and forces, as `trammel run` has them
                           (docs/reference/verdicts.md); "-" where there is nothing to judge: before the first step, without
                           constraints, the branch of a mechanism that does not hold together, forces that are means of a
                           step.
    forces                 what was exerted, held against the laws of forces, see Forces
    """
    position_drift: float
    velocity_drift: float
    worst_joint: Optional[str]
    worst_label: Optional[str]
    worst_unit: Optional[str]
    energy_initial: float
    energy_error: float
    energy_error_relative: float
    energy_scale: float
    branch_changes: int
    first_branch_change: Optional[float]
    crossings: int
    rcond_min: float
    t_rcond_min: float
    bifurcations: int
    first_bifurcation: Optional[float]
    resolved: int
    undecided: int
    first_undecided: Optional[float]
    crossing_energy_lost: float
    t_crossing_energy_lost: Optional[float]
    position_drift_relative: float
    between: float
    between_relative: float
    t_between: Optional[float]
    inputs: str
    velocity_drift_relative: float
    velocity_joint: Optional[str]
    misfit: float
    uncounted: Optional[str]
    t_uncounted: Optional[float]
    asked: Optional[float]
    verdicts: dict[str, str]
    crossing_log: tuple[Crossing, ...]
    forces: "Forces"

    def __str__(self) -> str:
        said = self.verdicts
        unit = f" {self.worst_unit}" if self.worst_unit else ""
        at = f" at {self.worst_joint} {self.worst_label or ''}".rstrip() if self.worst_joint else ""
        changes = "the constraints do not hold" if said["branch"] == "-" and said["constraints"] == "POOR" else \
            "undecided here" if said["branch"] == "fair" else \
            "one assembly mode throughout" if self.first_branch_change is None else \
            f"{self.branch_changes} changes of assembly, the first at t = {self.first_branch_change:g} s"
        play = "" if self.misfit <= 1e-12 else \
            f"Misfit       {self.misfit:.2g} of the size, or rad: play of redundant joints, shared out\n"
        met_at_rest = f", {self.bifurcations} of them at rest" if self.bifurcations else ""
        return (play + f"Constraints  {said['constraints']}  largest gap {self.position_drift:.2g}{unit}{at}\n"
                f"Energy       {said['energy']}  balance off by {self.energy_error:.2g} J at most\n"
                f"Forces       {said['forces']}  off their laws by {self.forces.largest:.2g} of the forces at most\n"
                f"Branch       {said['branch']}  {changes}; {self.crossings} singular positions passed"
                + met_at_rest)


@dataclass(frozen=True)
class Forces:
    """Whether what was exerted fits the laws of forces, each figure as a part of the forces themselves.

    friction   largest excess over its bound or, where it slides, distance from its law against the rate
    contacts   largest pull of a contact, or force across a gap
    work       work of friction and limits booked otherwise than by their laws
    reactions  Newton-Euler of all bodies at the end; None, as work is, for means of a step (`moreau`)
    worst, t_worst
               the joint, screw or stop with the largest friction or contacts, and when (s); None: none is off
    t_none     when (s) no forces were found that fit the contacts, and the run ended; None: there were always some
    """
    friction: float
    contacts: float
    work: Optional[float]
    reactions: Optional[float]
    worst: Optional[str]
    t_worst: Optional[float]
    t_none: Optional[float]

    @property
    def largest(self) -> float:
        """The worst of the figures."""
        return max(self.friction, self.contacts, self.work or 0, self.reactions or 0)


def forces_from(c: Any, name: Optional[str]) -> Forces:
    """From a trm_forces, and the name of its worst contact."""
    return Forces(c.friction, c.contacts, known(c.work), known(c.reactions), name, known(c.t_worst), known(c.t_none))


def verdicts_from(c: Any) -> dict[str, str]:
    """From a trm_verdicts."""
    return {name: text(getattr(c, name)) or "-" for name in ("constraints", "energy", "branch", "forces")}


def report_from(c: Any, rows: tuple["Row", ...], uncounted: Optional[str], crossing_log: tuple[Crossing, ...],
                verdicts: dict[str, str], forces: Forces) -> Report:
    """From a trm_report and what is judged of it."""
    worst = rows[c.worst_row] if c.worst_row >= 0 else None
    return Report(
        c.position_drift, c.velocity_drift, worst and worst.joint, worst and worst.label, worst and worst.unit,
        c.energy_initial, c.energy_error, c.energy_error_relative, c.energy_scale, c.branch_changes,
        known(c.first_branch_change), c.crossings, c.rcond_min, c.t_rcond_min, c.bifurcations,
        known(c.first_bifurcation), c.resolved, c.undecided, known(c.first_undecided),
        c.crossing_energy_lost, known(c.t_crossing_energy_lost), c.position_drift_relative,
        c.between, c.between_relative, known(c.t_between),
        ("none", "proved", "sampled", "unchecked")[c.inputs], c.velocity_drift_relative,
        rows[c.velocity_row].joint if c.velocity_row >= 0 else None,
        c.misfit, uncounted, c.t_uncounted if uncounted else None, c.accuracy or None, verdicts, crossing_log, forces)


def crossing_from(c: Any, rows: tuple["Row", ...]) -> Crossing:
    """From a trm_crossing."""
    return Crossing(
        c.t, c.h, c.sigma, c.rank_before, c.rank_at, c.rank_after, joints_of(rows, c.rows[:c.nrows]),
        bool(c.bifurcation), c.energy_lost if c.judged else None,
        bool(c.branch_changed) if c.judged else None, bool(c.resolved), bool(c.judged and c.undecided))
