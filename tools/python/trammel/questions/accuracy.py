"""How far a motion is known, by a second run; what made a run stiff."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional

from .. import reports
from .._library import filled, lib
from ..errors import text

if TYPE_CHECKING:
    from ..model import Model


def accuracy_of(model: "Model", whole: Any) -> Optional[reports.Accuracy]:
    """What is known of the motion of a trm_result; None: it was not checked."""
    known = filled(lib.trm_result_get_accuracy, whole)
    if known.runs < 2:
        return None
    off = ((body.name, lib.trm_result_difference(whole, body.index)) for body in model.bodies)
    errors = {name: reports.BodyError(d.position, d.angle, d.velocity, d.rate) for name, d in off}
    return reports.Accuracy(
        known.asked or None, known.runs, known.differs, known.known_until if known.asked else None,
        known.position, known.angle, model.bodies[known.body].name if known.body >= 0 else None,
        text(lib.trm_verdict_name(known.rating)), errors, text(known.limit) or None)


def stiffness_of(handle: int) -> Optional[reports.Stiffness]:
    """What the run at this address has made of stiffness."""
    change = lib.trm_sim_hand_over(handle)
    if not change.found:
        return None
    stiff = change.stiff
    return reports.Stiffness(change.t, stiff.rate, text(stiff.source) or None, stiff.coefficient,
                             text(stiff.unit), stiff.inertia, change.changes, change.implicit_steps)
