"""Forces and constraints of the user, functions of Python, as the library calls them.

The arrays that such a function gets are copies of its own: it may keep them.
"""
from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Callable, Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _abi
from .errors import keep

if TYPE_CHECKING:
    from .model import Model

Array = NDArray[np.float64]
ForceFunction = Callable[["Model", float, Array, Array], ArrayLike]
PositionFunction = Callable[["Model", float, Array], ArrayLike]
VelocityFunction = Callable[["Model", float, Array, Array], ArrayLike]


class Models:
    """The models built from one scene, by address, for functions that are told which one it is."""

    def __init__(self) -> None:
        self._models: "weakref.WeakValueDictionary[int, Model]" = weakref.WeakValueDictionary()

    def add(self, address: int, model: "Model") -> None:
        self._models[address] = model

    def __getitem__(self, address: int) -> "Model":
        return self._models[address]


def array_at(address: int, n: int) -> Array:
    """A copy of n doubles."""
    out = np.empty(n)
    ctypes.memmove(out.ctypes.data, address, 8 * n)
    return out


def _numbers(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """What a function returned, with the shape that it should have, row by row in memory."""
    found = np.asarray(value, dtype=np.float64)
    size = int(np.prod(shape))
    if found.shape != shape and not (found.size == size and found.ndim < len(shape)):
        raise ValueError(f"{name} returned an array of shape {found.shape}, expected {shape}")
    return np.ascontiguousarray(found.reshape(shape))


Shape = Callable[["Model"], "tuple[int, ...]"]


def force(models: Models, label: str, function: ForceFunction) -> Any:
    """f[nv] += function(model, t, q, v), as trm_force_fn."""
    def call(address: int, t: float, q: int, v: int, f: int, _: Any) -> int:
        try:
            model = models[address]
            nv = model.nv
            value = function(model, t, array_at(q, model.nq), array_at(v, nv))
            out = np.ctypeslib.as_array((ctypes.c_double * nv).from_address(f))
            out += _numbers(label, value, (nv,))
            return 0
        except BaseException as problem:  # also KeyboardInterrupt: C cannot carry it
            return keep(problem)

    return _abi.trm_force_fn(call)


def position(models: Models, label: str, function: PositionFunction, shape: Shape) -> Any:
    """out = function(model, t, q), of the shape that depends on the model, as trm_position_fn."""
    def call(address: int, t: float, q: int, out: int, _: Any) -> int:
        try:
            model = models[address]
            value = _numbers(label, function(model, t, array_at(q, model.nq)), shape(model))
            ctypes.memmove(out, value.ctypes.data, value.nbytes)
            return 0
        except BaseException as problem:
            return keep(problem)

    return _abi.trm_position_fn(call)


def velocity(models: Models, label: str, function: VelocityFunction, shape: Shape) -> Any:
    """out = function(model, t, q, v), likewise, as trm_velocity_fn."""
    def call(address: int, t: float, q: int, v: int, out: int, _: Any) -> int:
        try:
            model = models[address]
            value = _numbers(label, function(model, t, array_at(q, model.nq), array_at(v, model.nv)),
                             shape(model))
            ctypes.memmove(out, value.ctypes.data, value.nbytes)
            return 0
        except BaseException as problem:
            return keep(problem)

    return _abi.trm_velocity_fn(call)


def optional(kind: Any, callback: Optional[Any]) -> Any:
    """A callback or the null pointer of its type."""
    return callback if callback is not None else kind()
