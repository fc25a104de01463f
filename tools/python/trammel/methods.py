"""Which integrators and stabilizations there are, and the choice among them that `trammel run` makes."""
from __future__ import annotations

import ctypes
import difflib
import functools
from dataclasses import dataclass
from typing import Any, Mapping, Optional

from . import _abi
from ._library import filled, lib
from .errors import OptionsError, check, text

DEFAULT_ACCURACY = 1e-6

# parameter, as on the command line -> field of trm_options, and its words in order of their values
PARAMETERS: dict[str, tuple[str, Optional[tuple[str, ...]]]] = {
    "epsilon": ("srm.epsilon", None),
    "iterations": ("srm.iterations", None),
    "E": ("srm.E", ("I", "GBt", "GBinv", "block")),
    "lambda0": ("srm.lambda0_zero", ("exact", "zero")),
    "alpha2": ("alf.alpha2", None),
    "alpha1": ("baumgarte.alpha1", None),
    "alpha0": ("baumgarte.alpha0", None),
    "metric": ("mass_metric", ("identity", "mass")),
    "alpha": ("post.alpha", None),
    "gamma": ("post.gamma", None),
    "formula": ("post.formula", ("tables", "printed", "stage")),
    "order": ("srm.order", None),
    "form": ("srm.form", ("lambda", "lambda-hat")),
    "local": ("state_space.tangent", ("partition", "tangent")),
    "control": ("step_control", ("pi", "acpr")),
}
ARGUMENTS = ("end", "method", "accuracy", "step", "rtol", "atol", "every", "assemble", "progress", "observe",
             "verify", "stiff")
ANY_METHOD = {"tolerance": "tolerance", "damping": "damping", "misfit": "misfit"}


@dataclass(frozen=True)
class Method:
    """One integrator with one stabilization.

    name           "rk4+s-both2", as simulate(method=...) takes it
    integrator, stabilization
    source         equation of the papers
    order          of the global error, with default parameters
    adaptive       takes accuracy, or rtol and atol; else step
    parameters     names of the options that it reads besides
    """
    integrator: str
    stabilization: str
    source: str
    order: int
    adaptive: bool
    parameters: tuple[str, ...]
    _codes: tuple[int, int]

    @property
    def name(self) -> str:
        """As model.run and simulate take it."""
        return f"{self.integrator}+{self.stabilization}"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Choice:
    """What a run will use: the method, its options (a copy of trm_options), and why."""
    method: Method
    options: Any
    reason: str



def methods() -> list[Method]:
    """Every pair of integrator and stabilization that goes together."""
    table = ctypes.POINTER(_abi.trm_method)()
    n = lib.trm_methods(ctypes.byref(table))
    return [Method(text(m.integrator_name), text(m.stabilization_name), text(m.source), m.order,
                   bool(m.adaptive), tuple(text(m.parameters).split()),
                   (m.integrator, m.stabilization)) for m in (table[i] for i in range(n))]


def _wanted(name: Optional[str], known: list[Method]) -> tuple[Optional[str], Optional[str]]:
    """'rk4+s-both2', or one half of it -> integrator, stabilization."""
    integrators = {m.integrator for m in known}
    stabilizations = {m.stabilization for m in known}
    found: dict[str, str] = {}
    for part in name.split("+") if name is not None else ():
        kind = "i" if part in integrators else "s" if part in stabilizations else None
        if kind is None:
            near = difflib.get_close_matches(part, integrators | stabilizations, 1)
            hint = f'; did you mean "{near[0]}"?' if near else "; trammel.methods() lists them"
            raise OptionsError(f'no method is called "{part}"{hint}', where="method")
        if kind in found:
            raise OptionsError(f'"{name}" names two {"integrators" if kind == "i" else "stabilizations"}',
                               where="method")
        found[kind] = part
    return found.get("i"), found.get("s")


def _no_pair(integrator: Optional[str], stabilization: Optional[str], known: list[Method],
             step: Optional[float], tolerance: str) -> OptionsError:
    """No method is left: say which two wishes exclude each other."""
    if integrator and stabilization and not any(
            m.integrator == integrator and m.stabilization == stabilization for m in known):
        partners = ", ".join(m.integrator for m in known if m.stabilization == stabilization)
        return OptionsError(f"{integrator} does not go with {stabilization}, which takes {partners}",
                            where="method")
    who = integrator or stabilization
    if step is not None:
        return OptionsError(f"is for fixed-step integrators, and {who} controls its step by itself; give "
                            "rtol and atol, or accuracy", where="step")
    return OptionsError(f"is for adaptive integrators, and {who} takes fixed steps; give step",
                        where=tolerance)


def _recommended(model: int, accuracy: float) -> tuple[Any, str]:
    options, error = _abi.trm_options(), _abi.trm_error()
    reason = ctypes.create_string_buffer(256)
    check(lib.trm_choose_options(model, accuracy, ctypes.byref(options), reason, ctypes.byref(error)),
          error)
    return options, text(reason.value)


def _parameter(name: str, words: Optional[tuple[str, ...]], value: Any) -> Any:
    if words is None:
        return value
    if value not in words:
        raise OptionsError(f"expected one of {', '.join(words)}, got {value!r}", where=name)
    return words.index(value)


def _set_parameters(options: Any, method: Method, parameters: Mapping[str, Any]) -> None:
    for name, value in parameters.items():
        if name in ANY_METHOD:
            field, words = ANY_METHOD[name], None
        elif name in PARAMETERS and name in method.parameters:
            field, words = PARAMETERS[name]
        elif name in PARAMETERS:
            reads = "its parameters: " + " ".join(method.parameters) if method.parameters else \
                "its only parameters are step or tolerances"
            raise OptionsError(f"{method.integrator} with {method.stabilization} does not use it; {reads}",
                               where=name)
        else:
            near = [] if name in ARGUMENTS else difflib.get_close_matches(name, [*PARAMETERS, *ANY_METHOD, *ARGUMENTS], 1)
            raise TypeError(f"unknown option {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        try:
            *families, last = field.split(".")
            setattr(functools.reduce(getattr, families, options), last, _parameter(name, words, value))
        except TypeError:
            raise OptionsError(f"expected a number, got {value!r}", where=name) from None


def _check_fits(model: int, index: int) -> None:
    """OptionsError when the model is not one for the method of this row of trm_methods."""
    table, error = ctypes.POINTER(_abi.trm_method)(), _abi.trm_error()
    lib.trm_methods(ctypes.byref(table))
    check(lib.trm_method_fits(ctypes.byref(table[index]), model, ctypes.byref(error)), error)


def choose(model: int, method: Optional[str], scene_accuracy: float, *, accuracy: Optional[float] = None,
           step: Optional[float] = None, rtol: Optional[float] = None, atol: Optional[float] = None,
           assemble: bool = False, **parameters: Any) -> Choice:
    """The method and its numbers for what was asked for. `model` is the address of a trm_model.

    Pairs that read the parameters come first, then the recommended pair, then its stabilization, then adaptive methods, then its
    integrator, then the order: as tools/common/method_choice.c has it for the command line.
    """
    known = methods()
    integrator, stabilization = _wanted(method, known)
    tolerance = next((name for name, value in (("accuracy", accuracy), ("rtol", rtol), ("atol", atol))
                      if value is not None), "")
    asked = accuracy if accuracy is not None else scene_accuracy if scene_accuracy > 0 else None
    recommended, reason = _recommended(model, DEFAULT_ACCURACY if asked is None else asked)
    pair = (recommended.integrator, recommended.stabilization)

    def score(m: Method) -> int:
        reads = all(name in m.parameters for name in parameters if name in PARAMETERS)
        return int(2000 * reads + 1000 * (m._codes == pair) + 400 * (m._codes[1] == pair[1]) + 200 * m.adaptive
                + 100 * (m._codes[0] == pair[0]) + m.order)

    fitting = [m for m in known if integrator in (None, m.integrator)
               and stabilization in (None, m.stabilization)
               and not (m.adaptive and step is not None) and not (not m.adaptive and tolerance)]
    if not fitting:
        raise _no_pair(integrator, stabilization, known, step, tolerance)
    best = max(fitting, key=score)
    _check_fits(model, known.index(best))

    whole = best._codes == pair and method is None
    options = recommended
    if not whole:
        options = filled(lib.trm_get_default_options, *best._codes)
        reason = "as asked for" if integrator and stabilization else \
            f"integrator chosen to go with {stabilization}" if stabilization else \
            f"stabilization chosen to go with {integrator}" if integrator else \
            f"the best of the {'adaptive' if best.adaptive else 'fixed-step'} methods for this model"
    if not whole and best.adaptive and asked is not None and recommended.rtol > 0:
        of = filled(lib.trm_get_default_options, *pair)  # each method's defaults are for one accuracy
        options.rtol = options.atol = recommended.rtol * (options.rtol / of.rtol)
        options.accuracy = recommended.accuracy
        options.by_motion = 1
    options.hand_over |= best.integrator == "adams" and integrator is None
    if step is not None:
        options.h = step
    if rtol is not None or atol is not None:
        options.rtol = rtol if rtol is not None else atol
        options.atol = atol if atol is not None else rtol
        options.accuracy, options.by_motion = 0, 0  # what these are for
    _set_parameters(options, best, parameters)
    options.assemble = bool(assemble)
    return Choice(best, options, reason)
