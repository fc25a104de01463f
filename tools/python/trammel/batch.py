"""Many runs of one model side by side."""
from __future__ import annotations

import ctypes
import operator
import threading
import weakref
from time import monotonic
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _abi
from ._library import lib
from .errors import BusyError, check
from .methods import Choice
from .motion import vector as _vector
from .simulation import Sensor

if TYPE_CHECKING:
    from .model import Model

Array = NDArray[np.float64]


def _destroy(handle: int, model: "Model") -> None:
    del model  # kept until now: the batch borrows it
    lib.trm_batch_destroy(handle)


class Batch:
    """n runs of a model in threads of the library, for control and learning. Made by Model.batch.

    batch = model.batch(64, sensors=["tip.position", "O.coordinate"])
    batch.inputs[:, 0] = torque
    batch.step(0.01)
    batch.sensor_values         # [64, 4]

    t[n] (s), q[n, nq], v[n, nv], sensor_values[n, m]  of all runs: views of the library's memory, without a copy, that
                    follow the runs and cannot be written
    inputs[n, ninput]  to be written; taken up by the next step
    status[n]       0: well; 1: ended by an event; below 0: why it failed (trm_status)
    Every run has the bits that it would have alone. One call at a time; another one raises BusyError. The memory is given
    back when neither the batch nor one of its arrays is used any more.
    """

    def __init__(self, model: "Model", choice: Choice, n: int, threads: int,
                 sensors: Sequence[Union[str, Sensor]]) -> None:
        self.model, self.n = model, operator.index(n)
        if self.n >= 2 ** 31:
            raise OverflowError(f"a batch has {2 ** 31 - 1} runs at most, not {n}")
        self.method, self.reason = choice.method, choice.reason
        self._lock = threading.Lock()
        handle, error = ctypes.c_void_p(), _abi.trm_error()
        with model._called():
            threads = 1 if model._calls_back else threads  # Python serves one thread at a time
            status = lib.trm_batch_create(model._handle, ctypes.byref(choice.options), self.n, threads,
                                          ctypes.byref(handle), ctypes.byref(error))
        check(status, error, model.rows)
        assert handle.value is not None
        self._handle: int = handle.value
        weakref.finalize(self, _destroy, handle.value, model)
        self._most = 1  # steps of each run between two glances at signals, some 0.1 s
        check(lib.trm_batch_set_most(handle, self._most, ctypes.byref(error)), error)
        arrays = lib.trm_batch_arrays_of(handle)
        self.t = self._view(arrays.t, (self.n,))
        self.q = self._view(arrays.q, (self.n, model.nq))
        self.v = self._view(arrays.v, (self.n, model.nv))
        self.status = self._view(arrays.status, (self.n,), ctypes.c_int)
        self.inputs = self._view(arrays.inputs, (self.n, len(model.inputs)), writeable=True)
        self._sense([one if isinstance(one, Sensor) else model.sensor(one) for one in sensors])

    def _view(self, address: Any, shape: tuple[int, ...], kind: Any = ctypes.c_double,
              writeable: bool = False) -> Any:
        """An array over the library's memory, which lives as long as anyone looks at it."""
        size = int(np.prod(shape))
        place = ctypes.cast(address, ctypes.c_void_p).value
        if size == 0 or place is None:
            return np.empty(shape)
        memory = (kind * size).from_address(place)
        memory._batch = self  # pylint: disable=protected-access
        view = np.ctypeslib.as_array(memory).reshape(shape)
        view.flags.writeable = writeable
        return view

    def _sense(self, sensors: Sequence[Sensor]) -> None:
        self.sensors, error = tuple(sensors), _abi.trm_error()
        array = (_abi.trm_sensor * max(len(sensors), 1))(*(one._c for one in sensors))
        check(lib.trm_batch_set_sensors(self._handle, len(sensors), array, ctypes.byref(error)), error, self.model.rows)
        arrays = lib.trm_batch_arrays_of(self._handle)
        self.sensor_values = self._view(arrays.sensor_values, (self.n, arrays.sensor_width))
        self.readings = self.sensor_values  # deprecated name

    def __repr__(self) -> str:
        return f"<batch of {self.n} runs of {self.model.title or 'a scene'!r} with {self.method}>"

    def __len__(self) -> int:
        return self.n

    def _take(self) -> int:
        if not self._lock.acquire(blocking=False):
            raise BusyError("this batch is being stepped; it serves one call at a time")
        return self._handle

    def step(self, dt: float, strict: bool = True) -> None:
        """All runs on by dt (s), with `inputs`. Runs that have failed or ended stay where they are until they are reset.
        Raises what the first failed run would raise, when strict; else `status` tells."""
        self._step(lib.trm_batch_step_by, dt, strict)

    def step_to(self, t: float, strict: bool = True) -> None:
        """All runs on to t (s), likewise; those that are there already, or beyond, stay."""
        self._step(lib.trm_batch_step_to, t, strict)

    def _step(self, step: Any, time: float, strict: bool) -> None:
        handle, error = self._take(), _abi.trm_error()
        try:
            place: Any = (float(time),)
            left = True
            while left:
                begin = monotonic()
                with self.model._called():
                    status = step(handle, *place, ctypes.byref(error))
                step, place, left = lib.trm_batch_go_on, (), lib.trm_batch_arrays_of(handle).left
                took = monotonic() - begin
                if left and not 0.05 < took < 0.2:
                    self._most = self._most * 2 if took < 0.05 else max(1, self._most // 2)
                    lib.trm_batch_set_most(handle, self._most, None)
        finally:
            self._lock.release()
        failed = bool((self.status < 0).any())
        if status < 0 and (strict or not failed):
            check(status, error, self.model.rows)

    def reset(self, run: Optional[int] = None, q: Optional[ArrayLike] = None, v: Optional[ArrayLike] = None,
              t: float = 0.0) -> None:
        """One run, or all, back to the start of the model; or to t (s), q[nq], v[nv]. Inputs start anew. Raises
        InconsistentError."""
        if (q is None) != (v is None):
            raise ValueError("q and v go together")
        place_q = None if q is None else _vector("q", q, self.model.nq)
        place_v = None if v is None else _vector("v", v, self.model.nv)
        error = _abi.trm_error()
        handle = self._take()
        try:
            for i in range(self.n) if run is None else [operator.index(run)]:
                with self.model._called():
                    status = lib.trm_batch_reset(handle, i, float(t), None if place_q is None else place_q.ctypes.data,
                                                 None if place_v is None else place_v.ctypes.data, ctypes.byref(error))
                check(status, error, self.model.rows)
        finally:
            self._lock.release()
