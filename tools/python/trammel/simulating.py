"""Model.simulate: a whole run by trm_simulate, recorded line by line."""
from __future__ import annotations

import contextlib
import ctypes
import threading
import time
from typing import TYPE_CHECKING, Any, Optional

from . import _abi
from ._library import filled, lib
from .errors import Error, check
from .interrupt import Guard
from .methods import Choice
from .questions.accuracy import accuracy_of, stiffness_of
from .result import Progress, Recorder, Result
from .simulation import Observer, Simulation

if TYPE_CHECKING:
    from .model import Model

BETWEEN_PROGRESS = 0.1  # s of wall time
AT_ONCE = 5.0  # s: a second run that nobody has asked for takes no longer


class _Run:
    """The callbacks of trm_simulate. Their exceptions, which C cannot carry, wait in `raised`."""

    def __init__(self, model: "Model", choice: Choice, end: float, every: float, progress: Optional[Progress],
                 observe: Optional[Observer], guard: Guard) -> None:
        self.model, self.choice, self.end, self.every = model, choice, end, every
        self.progress, self.observer, self.guard = progress, observe, guard
        self.raised: list[BaseException] = []
        self.sim: Optional[Simulation] = None
        self.unique: Any = None
        self.shown = time.monotonic()
        self.started = self.took = 0.0
        self.stopped = False

    def leave(self) -> None:
        """The run so far is the library's to destroy."""
        if self.sim is not None:
            self.sim._handle = None
            self.sim._lock.release()
            self.sim = None

    def begin(self, address: int, *_: Any) -> int:
        try:
            self.leave()
            sim = Simulation(self.model, self.choice, address)
            sim._lock.acquire()
            self.sim = sim
            self.unique = self.model._unique(sim.t, sim.q)
            self.recorder = Recorder(self.model, self.end, self.every, self.choice.method.adaptive)
            self.recorder.record(address, sim.t)
            self.stopped = self.progress is not None and self.progress(sim.t, self.end) is False
            self.started = time.monotonic()
        except BaseException as problem:
            self.raised.append(problem)
        return int(_abi.trm_status.TRM_STOPPED if self.raised or self.stopped else _abi.trm_status.TRM_OK)

    def look(self, address: int) -> bool:
        """After an accepted step."""
        assert self.sim is not None
        t, stop = lib.trm_sim_state(address).t, False
        self.recorder.look(address, t)
        if self.progress is not None and (t == self.end or time.monotonic() - self.shown >= BETWEEN_PROGRESS):
            stop = self.progress(t, self.end) is False
            self.shown = time.monotonic()
        if self.observer is not None:
            self.sim._refresh()
            stop = bool(self.observer(self.sim)) or stop
        return stop

    def observe(self, address: int, _: Any) -> int:
        assert self.sim is not None
        try:
            self.guard.check()
            self.sim._observing = threading.get_ident()
            self.stopped = self.look(address)
        except BaseException as problem:
            self.raised.append(problem)
        finally:
            self.sim._observing = None
        return int(self.stopped or bool(self.raised))

    def is_stopped(self, _: Any) -> int:
        """Of the runs that check, too."""
        try:
            self.guard.check()
        except BaseException as problem:
            self.raised.append(problem)
        return int(bool(self.raised))

    def finish(self, *_: Any) -> None:
        self.took = time.monotonic() - self.started

    def may_verify(self, times: float, _: Any) -> int:
        self.deadline = time.monotonic() + AT_ONCE
        return int(times * self.took <= AT_ONCE)

    def takes_long(self, _: Any) -> int:
        return int(time.monotonic() > self.deadline)

    def result(self, status: str) -> Result:
        sim = self.sim
        assert sim is not None and sim._handle is not None
        if self.recorder.last < sim.t:
            self.recorder.record(sim._handle, sim.t)
        made = Result(self.model, self.recorder.lines(), status, sim, sim.report, sim.stats, self.unique)
        made.stiffness = stiffness_of(sim._handle)
        return made


def _options(run: _Run, verify: Optional[bool]) -> Any:
    options = filled(lib.trm_get_default_simulate_options)
    options.method = ctypes.pointer(run.choice.options)
    options.every = run.every
    options.verify = run.observer is None if verify is None else bool(verify)
    options.begin = _abi.trm_begin_fn(run.begin)
    options.observe = _abi.trm_observer_fn(run.observe)
    options.is_stopped = _abi.trm_is_stopped_fn(run.is_stopped)
    options.finish = _abi.trm_finish_fn(run.finish)
    if verify is None:
        options.may_verify = _abi.trm_may_verify_fn(run.may_verify)
        options.takes_long = _abi.trm_is_stopped_fn(run.takes_long)
    return options


def _own(run: _Run, whole: Any) -> None:
    """The run is ours from here on."""
    taken = lib.trm_result_take_sim(whole)
    if run.sim is not None and taken == run.sim._handle:
        run.sim._own(taken)
        run.sim._lock.release()
        run.sim._refresh()
    else:
        run.leave()
        lib.trm_sim_destroy(taken)


def simulate(model: "Model", choice: Choice, end: float, every: float, progress: Optional[Progress],
             observe: Optional[Observer], verify: Optional[bool]) -> Result:
    """As Model.simulate has it."""
    whole, error = ctypes.c_void_p(), _abi.trm_error()
    with Guard() as guard:
        run = _Run(model, choice, end, every, progress, observe, guard)
        options = _options(run, verify)
        status = lib.trm_simulate(model._handle, end, 0, ctypes.byref(options), ctypes.byref(whole),
                                  ctypes.byref(error))
        known = accuracy_of(model, whole)
        _own(run, whole)
        lib.trm_result_destroy(whole)
        if run.raised and run.sim is None:
            raise run.raised[0]
        if run.sim is None:
            check(status, error, model.rows)
        assert run.sim is not None
        with run.sim:
            return _finish(run, status, error, known)


def _finish(run: _Run, status: int, error: Any, known: Any) -> Result:
    if run.raised:
        with contextlib.suppress(Error):
            if isinstance(run.raised[0], Error):
                run.raised[0].result = run.result("failed")
        raise run.raised[0]
    try:
        check(status, error, run.model.rows)
    except Error as problem:
        with contextlib.suppress(Error):
            problem.result = run.result("failed")
        raise
    ended = status != _abi.trm_status.TRM_OK or run.sim is not None and run.sim.t < run.end
    made = run.result("stopped" if ended else "done")
    made.accuracy = known
    return made
