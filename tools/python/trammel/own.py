"""Stabilizations of the user, classes of Python, as the library calls them."""
from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from . import _abi
from ._library import lib
from .callbacks import _numbers, array_at, optional
from .errors import check, keep

Array = NDArray[np.float64]
_kept: dict[str, Any] = {}  # definitions by name: the library borrows them for good


@dataclass(frozen=True)
class MethodTerms:
    """The terms of [EOM], [VEL] and [ACC] at (t, q, v), dense, as a method sees them.

    M[nv, nv], f[nv], g[nc], G[nc, nv], g_t[nc], gamma[nc], N[nq, nv]
    at(t, q, v)    the terms elsewhere
    """
    M: Array
    f: Array
    g: Array
    G: Array
    g_t: Array
    gamma: Array
    N: Array
    at: Callable[[float, Array, Array], "MethodTerms"]


class _Failed(Exception):
    """A function of the library has returned a code, which goes back to it."""


def _expect(code: int) -> None:
    if code:
        raise _Failed(code)


def _columns(call: Callable[[int, int], None], n: int, m: int) -> Array:
    """The matrix [m, n] of a linear map that is called with e_i and where to write."""
    out, unit = np.zeros((n, m)), np.zeros(n)
    for i in range(n):
        unit[i] = 1
        call(unit.ctypes.data, out[i].ctypes.data)
        unit[i] = 0
    return out.T


def _terms(address: int, t: float, q: Array, v: Array) -> MethodTerms:
    m = _abi.trm_mechanism.from_address(address)
    q, v = np.ascontiguousarray(q, dtype=np.float64), np.ascontiguousarray(v, dtype=np.float64)
    if q.shape != (m.nq,) or v.shape != (m.nv,):
        raise ValueError(f"terms at q of shape {q.shape} and v of shape {v.shape}, expected ({m.nq},) and ({m.nv},)")
    g, f, gamma, g_t = np.zeros(m.nc), np.zeros(m.nv), np.zeros(m.nc), np.zeros(m.nc)
    _expect(m.position(address, t, q.ctypes.data, g.ctypes.data))
    _expect(m.force(address, v.ctypes.data, f.ctypes.data))
    _expect(m.acceleration_residual(address, v.ctypes.data, None, gamma.ctypes.data))
    m.velocity_residual(address, np.zeros(m.nv).ctypes.data, g_t.ctypes.data)

    def mass(unit: int, out: int) -> None:
        ctypes.memmove(out, unit, 8 * m.nv)
        m.multiply_M(address, out)
    return MethodTerms(_columns(mass, m.nv, m.nv), f, g,
                       _columns(lambda y, x: m.multiply_GT(address, y, x), m.nc, m.nv).T, g_t, -gamma,
                       _columns(lambda x, out: m.rates(address, q.ctypes.data, x, out), m.nv, m.nq),
                       lambda t, q, v: _terms(address, t, q, v))


def _callback(kind: Any, name: str, function: Any, addresses: int) -> Any:
    """function(t, q, v, terms) -> two arrays, as the library calls it: with `addresses` for them, or onto q and v."""
    def call(address: int, t: float, q: int, v: int, *rest: int) -> int:
        try:
            m = _abi.trm_mechanism.from_address(address)
            here = array_at(q, m.nq), array_at(v, m.nv)
            found = function(t, *here, _terms(address, t, *here))
            shapes = [(m.nv,), (m.nc,)] if addresses else [(m.nq,), (m.nv,)]
            for value, shape, out in zip(found, shapes, rest[:2] if addresses else (q, v), strict=True):
                array = _numbers(name, value, shape)
                ctypes.memmove(out, array.ctypes.data, array.nbytes)
            return 0
        except _Failed as problem:
            return int(problem.args[0])
        except BaseException as problem:  # also KeyboardInterrupt: C cannot carry it
            return keep(problem)
    return kind(call)


def register_stabilization(own: Any) -> None:
    """A stabilization of yours: simulate(method="rk4+NAME"), methods() and every report know it from then on.

    own.name                         letters, digits, - and _
    own.doc, own.source              a clause each; may be missing
    own.rates(t, q, v, terms)        -> a[nv], lambda[nc], the accelerations and multipliers; missing: from [ACC]
    own.correct(t, q, v, terms)      -> q[nq], v[nv] at the end of a step, corrected; missing: as they are

    terms is a MethodTerms at (t, q, v). What the functions raise comes out of the call that stepped the run.
    Raises OptionsError (the name is taken; neither function; more than eight).
    """
    rates, correct = getattr(own, "rates", None), getattr(own, "correct", None)
    definition = _abi.trm_own_stabilization(
        version=_abi.TRM_REGISTER_VERSION, name=_abi.whole_text(own.name),
        doc=_abi.whole_text(getattr(own, "doc", None)), source=_abi.whole_text(getattr(own, "source", None)),
        rates=optional(_abi.trm_own_stabilization_rates, rates and _callback(
            _abi.trm_own_stabilization_rates, f"rates of '{own.name}'", rates, 2)),
        correct=optional(_abi.trm_own_stabilization_correct, correct and _callback(
            _abi.trm_own_stabilization_correct, f"correct of '{own.name}'", correct, 0)))
    error = _abi.trm_error()
    check(lib.trm_register_stabilization(ctypes.byref(definition), None, ctypes.byref(error)), error)
    _kept[own.name] = definition


def is_own(method: str) -> bool:
    """Whether "rk4+NAME" or "NAME" is a method of this process, which the program does not know."""
    return method.split("+")[-1].strip() in _kept
