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

PER_STEP = 100  # an accuracy over the tolerance of a step, as trm_choose_options takes it


def _asked(choice: Choice) -> Optional[float]:
    if not choice.method.adaptive:
        return None
    return choice.accuracy if choice.accuracy > 0 else PER_STEP * float(choice.options.rtol)


def _verdict(found: float, asked: Optional[float]) -> str:
    good, fair = (reports.GOOD, reports.FAIR) if asked is None else (asked, 10 * asked)
    return "good" if found <= good else "fair" if found <= fair else "POOR"


def second_run(model: "Model", sim: "Simulation", choice: Choice, change: Any) -> reports.Accuracy:
    """The error of the state that sim has come to, as trm_verify finds it; where the method has changed, by ida."""
    options = change.implicit if change.turns > 0 else choice.options
    n = len(model.bodies)
    bodies, out, error = (_abi.trm_difference * max(1, n))(), _abi.trm_verification(), _abi.trm_error()
    with model._called():
        end = lib.trm_sim_state(sim._handle)
        status = lib.trm_verify(model._handle, ctypes.byref(options), ctypes.byref(end), bodies,
                                ctypes.byref(out), ctypes.byref(error))
    if status or out.body < 0:
        return reports.Accuracy(_asked(choice), None, float("nan"), float("nan"), None, "", {},
                                text(error.message) if status else "there are no bodies")
    errors = {body.name: reports.BodyError(d.position, d.angle, d.velocity, d.rate)
              for body, d in zip(model.bodies, bodies)}
    return reports.Accuracy(_asked(choice), out.relative, out.position, out.angle, model.bodies[out.body].name,
                            _verdict(out.relative, _asked(choice)), errors)


def stiffness_of(change: Any) -> Optional[reports.Stiffness]:
    """What a trm_change_method has found."""
    if not change.found:
        return None
    stiff = change.stiff
    return reports.Stiffness(change.t_found, stiff.rate, text(stiff.source) or None, stiff.coefficient,
                             text(lib.trm_stiff_unit(ctypes.byref(stiff))), stiff.inertia, change.turns,
                             change.ida_steps)
