"""How far an end state is known, by a second run; what made a run stiff."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional

from .. import _abi, reports
from .._library import lib
from ..errors import text
from ..methods import Choice

if TYPE_CHECKING:
    from ..model import Model
    from ..simulation import Simulation


def second_run(model: "Model", sim: "Simulation", choice: Choice, change: Any) -> reports.Accuracy:
    """The error of the state that sim has come to, as trm_verify finds it; where the method has changed, by ida."""
    options, asked = change.implicit if change.method_changes > 0 else choice.options, choice.asked()
    n = len(model.bodies)
    bodies, out, error = (_abi.trm_difference * max(1, n))(), _abi.trm_verification(), _abi.trm_error()
    with model._called():
        end = lib.trm_sim_state(sim._handle)
        status = lib.trm_verify(model._handle, ctypes.byref(options), ctypes.byref(end), bodies,
                                ctypes.byref(out), ctypes.byref(error))
    if status or out.body < 0:
        return reports.Accuracy(asked or None, None, float("nan"), float("nan"), None, "", {},
                                text(error.message) if status else "there are no bodies")
    errors = {body.name: reports.BodyError(d.position, d.angle, d.velocity, d.rate)
              for body, d in zip(model.bodies, bodies)}
    return reports.Accuracy(asked or None, out.relative, out.position, out.angle, model.bodies[out.body].name,
                            text(lib.trm_verdict_name(lib.trm_verdict_of_end(out.relative, asked))), errors)


def stiffness_of(change: Any) -> Optional[reports.Stiffness]:
    """What a trm_stiff_switching has found."""
    if not change.found:
        return None
    stiff = change.stiff
    return reports.Stiffness(change.t_found, stiff.rate, text(stiff.source) or None, stiff.coefficient,
                             text(lib.trm_stiff_unit(ctypes.byref(stiff))), stiff.inertia, change.method_changes,
                             change.ida_steps)
