"""What the library refuses, as exceptions: one class for each status of trammel_status.h."""
from __future__ import annotations

import difflib
import math
import re
import threading
from typing import TYPE_CHECKING, Iterable, Optional

from . import _abi

if TYPE_CHECKING:
    from .motion import Row


class Error(Exception):
    """Something that Trammel refused or that went wrong in a run.

    status     name of the status in trammel_status.h, "TRM_ERR_SCENE" say
    message    one sentence: what was found, and what was expected
    where      place in the user's world as the library wrote it, "" if there is none
    file, line, column, pointer
               of the scene file, when the place is in one ("scene" for a parsed text; line and column
               count from 1; pointer is a JSON pointer such as /joints/2); else None
    joint      name of the joint or constraint that is meant, else None
    t          s, simulation time; None before the first step
    result     what simulate() had recorded until then, else None
    """

    status = ""

    def __init__(self, message: str, *, status: str = "", where: str = "", t: Optional[float] = None,
                 joint: Optional[str] = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status or type(self).status
        self.where = where
        self.file: Optional[str] = None
        self.line: Optional[int] = None
        self.column: Optional[int] = None
        self.pointer: Optional[str] = None
        self.joint = joint
        self.t = t
        self.result: Optional[object] = None
        place = re.fullmatch(r"(.+?):(\d+):(\d+)(?: (/.*))?", where, re.DOTALL)
        if place:
            self.file, self.pointer = place[1], place[4]
            self.line, self.column = int(place[2]), int(place[3])

    def __str__(self) -> str:
        place = ": ".join(self.where.split(" ", 1)) if self.file else self.where
        named = self.message.startswith(f"{place} ") or ("'" in place and place in self.message)
        text = f"{place}: {self.message}" if place and not named else self.message
        if self.t is not None and self.t > 0 and "t = " not in self.message:
            text += f" (t = {self.t:.9g} s)"
        return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


class FileError(Error, OSError):
    """A file is missing, unreadable or not writable."""
    status = "TRM_ERR_IO"
    __str__ = Error.__str__


class SceneError(Error, ValueError):
    """JSON, but no meaningful scene: an unknown key, a bad name, a mass that is not positive."""
    status = "TRM_ERR_SCENE"


class SceneSyntaxError(SceneError):
    """Not JSON."""
    status = "TRM_ERR_SYNTAX"


class OptionsError(Error, ValueError):
    """A value out of range, or an integrator and a stabilization that do not mix."""
    status = "TRM_ERR_OPTIONS"


class UnknownNameError(Error, KeyError):
    """There is no body, marker, joint, input ... of that name; the message says what there is."""
    status = "UNKNOWN_NAME"
    __str__ = Error.__str__


class InconsistentError(Error):
    """The initial state violates the constraints or their derivative; assemble=True may close it."""
    status = "TRM_ERR_INCONSISTENT"


class SingularError(Error):
    """The constraints contradict each other here."""
    status = "TRM_ERR_SINGULAR"


class DivergedError(Error):
    """The state is not finite, or the step size became too small."""
    status = "TRM_ERR_DIVERGED"


class CallbackError(Error):
    """A function of the user or an expression of the scene failed."""
    status = "TRM_ERR_CALLBACK"


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""
    status = "TRM_ERR_MEMORY"


class BusyError(Error, RuntimeError):
    """The run is being stepped, by another thread or by the call that this one was made from."""
    status = "BUSY"


class ClosedError(Error, RuntimeError):
    """The run was closed."""
    status = "CLOSED"


class OutsideDomain(Exception):
    """To be raised by a user force or constraint: not defined at this argument. Adaptive integrators
    try a smaller step then; any other exception ends the run."""


_CLASSES = {kind.status: kind for kind in (
    FileError, SceneSyntaxError, SceneError, OptionsError, InconsistentError, SingularError,
    DivergedError, CallbackError, OutOfMemoryError)}


def class_of(status: int) -> type[Error]:
    """The exception class of a status of trammel_status.h; plain Error for one that has none of its own."""
    return class_of_name(_abi.trm_status(status).name)


def class_of_name(status: str) -> type[Error]:
    """The same by name, "TRM_ERR_SCENE"."""
    return _CLASSES.get(status, Error)


def unknown(what: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """To be raised where a name is looked up: what is "input", "body or marker" ..."""
    names = list(dict.fromkeys(known))
    near = difflib.get_close_matches(name, names, 1) if isinstance(name, str) else []
    shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
    help_ = f"did you mean {near[0]!r}?" if near else f"there is {shown}" if names else "there is none at all"
    return UnknownNameError(f"there is no {what} {name!r}; {help_}")


def text(data: Optional[bytes]) -> str:
    """A text of the library."""
    return data.decode("utf-8", "replace") if data else ""


# ------------------------------------------------------------- exceptions of the user's functions

class _Pending(threading.local):
    """What a function of the user raised while the library was calling it, in this thread."""
    raised: Optional[BaseException] = None
    outside: Optional[OutsideDomain] = None


_pending = _Pending()


def keep(problem: BaseException) -> int:
    """Keep an exception until the library returns; -> what a callback of trammel_scene.h returns then."""
    if isinstance(problem, OutsideDomain):
        _pending.outside = problem
        return 1
    if _pending.raised is None:
        _pending.raised = problem
    return -1


def check(status: int, error: "_abi.trm_error", rows: Iterable["Row"] = (),
          scene_text: Optional[bytes] = None) -> int:
    """Raise what a call of the library came to, or return its status when that is no failure."""
    raised, outside = _pending.raised, _pending.outside
    _pending.raised = _pending.outside = None
    if raised is not None:
        raise raised
    if status < 0:
        raise _from_struct(status, error, rows, scene_text) from outside
    return status


def _from_struct(status: int, error: "_abi.trm_error", rows: Iterable["Row"],
                 scene_text: Optional[bytes]) -> Error:
    where = text(error.where)
    joint = next((row.joint for row in rows if row.where and row.where == where), None)
    named = re.fullmatch(r"(?:joint )?'([^']*)'.*", where)
    if joint is None and named and any(row.joint == named[1] for row in rows):
        joint = named[1]
    t = None if math.isnan(error.t) else error.t
    # options of the library, as they are called here
    message = text(error.message).replace("options.assemble", "assemble=True")
    if where == "h" and status == _abi.trm_status.TRM_ERR_OPTIONS:
        where, message = "step", message.replace("h must", "step must")
    problem = class_of(status)(message, status=_abi.trm_status(status).name, where=where, t=t,
                               joint=joint)
    _show_source(problem, scene_text)
    return problem


def _show_source(problem: Error, scene_text: Optional[bytes]) -> None:
    """The line of the scene file with a caret below it, under the traceback."""
    if problem.line is None or problem.column is None or problem.file is None:
        return
    try:
        if scene_text is None:
            with open(problem.file, "rb") as file:
                scene_text = file.read()
        line = scene_text.split(b"\n")[problem.line - 1]
    except (OSError, IndexError):
        return
    before = line[:problem.column - 1].decode("utf-8", "replace")
    shown = line.decode("utf-8", "replace").rstrip()
    blank = "".join("\t" if c == "\t" else " " for c in before)
    if len(shown) <= 200 and shown.replace("\t", "").isprintable():
        problem.add_note(f"  {shown}\n  {blank}^")
