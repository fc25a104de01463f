"""Ctrl-C while the library works.

Python runs the handler of a signal when it next executes Python code; here that is often the first
instruction of a function that the library calls, where an exception would be lost. So for as long as the
library works the handler only takes a note; the noted handler runs at a place where its exception can be
kept. Handlers are touched in the main thread only, where Python runs them.
"""
from __future__ import annotations

import signal
import threading
from typing import Any, Optional


class Guard:
    """with Guard() as guard: ... the library is called, and callbacks call guard.check() ..."""

    def __init__(self) -> None:
        self.noted = False
        self._handler: Any = None  # of the user
        self._before: Any = None  # what to put back

    def _note(self, *_: Any) -> None:
        self.noted = True

    def __enter__(self) -> "Guard":
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            if callable(before):
                inside = getattr(before, "__self__", None)  # a run within a callback of a run
                self._handler = inside._handler if isinstance(inside, Guard) else before
                try:
                    signal.signal(signal.SIGINT, self._note)
                    self._before = before
                except ValueError:  # not the main interpreter
                    pass
        return self

    def check(self) -> None:
        """Run the handler of the user if a signal was noted: it raises KeyboardInterrupt, mostly."""
        if self.noted:
            self.noted = False
            self._handler(signal.SIGINT, None)

    def __exit__(self, kind: Optional[type[BaseException]], *_: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None
            if kind is None or not issubclass(kind, KeyboardInterrupt):
                self.check()
