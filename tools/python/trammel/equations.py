"""Models from equations alone: M, f, g, G, gamma as functions, from a derivation by hand or by SymPy."""
from __future__ import annotations

import ctypes
from typing import Any, Optional

import numpy as np
from numpy.typing import ArrayLike

from . import _abi, callbacks
from ._library import lib
from .callbacks import PositionFunction, VelocityFunction
from .errors import check
from .model import Model
from .motion import SimulationDefaults


def from_equations(q0: ArrayLike, v0: ArrayLike, M: PositionFunction, f: VelocityFunction, *, nc: int = 0,
                   g: Optional[PositionFunction] = None, G: Optional[PositionFunction] = None,
                   gamma: Optional[VelocityFunction] = None, g_t: Optional[PositionFunction] = None,
                   N: Optional[PositionFunction] = None, name: str = "equations") -> Model:
    """A model without a scene: M(q) v' = f(t,q,v) - G^T lambda, q' = N(q) v, 0 = g(t,q).

    q0 [nq], v0 [nv]     the initial state at t = 0
    M(model, t, q)       [nv, nv], symmetric positive definite
    f(model, t, q, v)    [nv], everything but M v' and G^T lambda
    g, G (model, t, q)   [nc], [nc, nv] with G = (dg/dq) N; needed when nc > 0
    gamma(model, t, q, v)  [nc], 0 = G v' - gamma; needed when nc > 0
    g_t(model, t, q)     [nc], when g depends on t
    N(model, t, q)       [nq, nv]; None: q' = v

    What the functions raise comes out of the call that stepped the run. There are no bodies; potential
    energy is not known. Raises OptionsError (a function is missing, sizes).
    """
    q, v = (np.ascontiguousarray(x, dtype=np.float64).reshape(-1) for x in (q0, v0))
    nq, nv, models = len(q), len(v), callbacks.Models()
    positions = {"M": (M, (nv, nv)), "g": (g, (nc,)), "G": (G, (nc, nv)), "g_t": (g_t, (nc,)),
                 "N": (N, (nq, nv))}
    velocities = {"f": (f, (nv,)), "gamma": (gamma, (nc,))}
    made: dict[str, Any] = {}
    for key, (position, shape) in positions.items():
        made[key] = callbacks.optional(_abi.trm_position_fn, position and callbacks.position(
            models, f"{key} of '{name}'", position, lambda _, shape=shape: shape))  # type: ignore[misc]
    for key, (velocity, shape) in velocities.items():
        made[key] = callbacks.optional(_abi.trm_velocity_fn, velocity and callbacks.velocity(
            models, f"{key} of '{name}'", velocity, lambda _, shape=shape: shape))  # type: ignore[misc]
    pointer = ctypes.POINTER(ctypes.c_double)
    definition = _abi.trm_equations(name=_abi.whole_text(name), nq=nq, nv=nv, nc=nc, q0=q.ctypes.data_as(pointer),
                                    v0=v.ctypes.data_as(pointer), **made)
    handle, error = ctypes.c_void_p(), _abi.trm_error()
    check(lib.trm_model_from_equations(ctypes.byref(definition), ctypes.byref(handle), ctypes.byref(error)),
          error)
    assert handle.value is not None
    model = Model(handle.value, None, models, True, ())
    model._keep = made
    model._describe(name, "", 0, {}, SimulationDefaults(0, 0, 0, False))
    return model
