"""Every method on one scene, against a reference: `trammel compare`, run as the program that it is."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, replace
from typing import Any, Iterable, Mapping, Optional, Union

from ..errors import Error, class_of_name
from ..methods import methods as all_methods
from ..scene import Value, expression, load
from ..own import is_own
from .program import program


DEFAULT = "dop853+s-both2"  # beside methods that run here alone


@dataclass(frozen=True)
class ComparisonRow:
    """One method with one setting; None: not known, or it does not apply.

    id                          "rk4+s-both2 h 0.01"
    integrator, stabilization, step (s) or rtol
    status, reason              "done", "failed", "over-budget", "crashed", "skipped", "interrupted"
    error                       from the reference, relative to the size of the motion
    force_error                 the same of reactions, efforts and accelerations, of what the reference tells
    forces                      verdict on the forces that were exerted: "good", "fair", "POOR"
    resolved                    False: the reference does not tell errors as small as this one
    position_drift, velocity_drift, energy_error, branch_changes
    cpu_s                       of the stepping loop
    pareto                      no other row is both more accurate and cheaper
    all                         everything that `trammel compare --json` says of the row
    """
    id: str
    integrator: str
    stabilization: str
    step: Optional[float]
    rtol: Optional[float]
    status: str
    reason: Optional[str]
    error: Optional[float]
    force_error: Optional[float]
    forces: Optional[str]
    resolved: bool
    position_drift: Optional[float]
    velocity_drift: Optional[float]
    energy_error: Optional[float]
    branch_changes: Optional[int]
    cpu_s: Optional[float]
    pareto: bool
    all: Mapping[str, Any]


@dataclass(frozen=True)
class Comparison:
    """A comparison of methods.

    status           "done" or "interrupted"
    reference        method, partner, agreement ...: what errors are measured from
    rows             one for each method and setting
    recommendations  for several accuracies: {"accuracy", "row", "sentence", "run" ...}
    warnings         of stabilizations that this scene does not suit
    all              the whole object of `trammel compare --json`
    """
    status: str
    reference: Optional[Mapping[str, Any]]
    rows: tuple[ComparisonRow, ...]
    recommendations: tuple[Mapping[str, Any], ...]
    warnings: tuple[Mapping[str, Any], ...]
    all: Mapping[str, Any]

    def __str__(self) -> str:
        lines = [f"{'method':<32}{'error':>10}{'energy':>10}{'cpu s':>10}  status"]
        for row in self.rows:
            numbers = "".join(f"{'-' if x is None else format(x, '.2g'):>10}"
                              for x in (row.error, row.energy_error, row.cpu_s))
            lines.append(f"{row.id:<32}{numbers}  {row.status}")
        return "\n".join([*lines, *(str(advice["sentence"]) for advice in self.recommendations)])


def compare(scene: Union[str, "os.PathLike[str]"], methods: Union[str, Iterable[str], None] = None, *,
            set: Optional[Mapping[str, Value]] = None, end: Optional[float] = None, assemble: bool = False,
            steps: Optional[Iterable[float]] = None, rtols: Optional[Iterable[float]] = None,
            rows: Optional[Iterable[Union[str, "os.PathLike[str]"]]] = None, study: Optional[str] = None,
            reference: Optional[str] = None, repeat: Optional[int] = None, jobs: Optional[int] = None,
            budget: Optional[float] = None,
            report: Union[str, "os.PathLike[str]", None] = None) -> Comparison:
    """Run every method, or those named ("s-both2", "dop853+s-both2", "srm(E=GBinv, iterations=3)"), on a scene file.

    set, end, assemble as in simulate; steps (s) of fixed-step methods, rtols of adaptive ones; rows: recordings
    .csv of other programs; study "srm": errors over epsilon, iterates and step, in all["study"]; reference:
    a method, or a recording .csv; repeat: times that each row is timed; jobs: rows at a time; budget (s):
    wall time after which a row is stopped; report: a page .html to write as well. docs/validation/compare.md says
    what the figures mean. Raises the errors of load and simulate. It takes seconds to minutes; Ctrl-C
    ends it with KeyboardInterrupt. Methods that this process has registered run here, and are rows of recordings.
    """
    words = [program(), "compare", os.fspath(scene), "--json", "--quiet"]
    for name, value in (set or {}).items():
        words += ["--set", f"{name}={expression(value).decode()}"]
    methods = [methods] if isinstance(methods, str) else methods if methods is None else list(methods)
    own = [method for method in methods or () if is_own(method)]
    if own:
        with tempfile.TemporaryDirectory() as folder:
            known = [method for method in methods or () if method not in own] or [DEFAULT]
            more = _run_own(scene, own, folder, set, end, assemble, steps, rtols)
            found = compare(scene, known, set=set, end=end, assemble=assemble, steps=steps if known != [DEFAULT] else None,
                            rtols=rtols, rows=[*(rows or ()), *more], reference=reference, repeat=repeat, jobs=jobs,
                            budget=budget, report=report)
            return replace(found, rows=tuple(replace(row, id=os.path.basename(row.id)) if row.id in more else row
                                             for row in found.rows))
    lists = {"--methods": methods, "--steps": steps, "--rtols": rtols,
             "--row": None if rows is None else map(os.fspath, rows)}
    for option, entries in lists.items():
        if entries is not None:
            words += [option, ",".join(str(entry) for entry in entries)]
    single = {"--end": end, "--study": study, "--reference": reference, "--repeat": repeat, "--jobs": jobs, "--budget": budget,
              "--report": None if report is None else os.fspath(report)}
    for option, one in single.items():
        if one is not None:
            words += [option, str(one)]
    return _comparison(_run(words + ["--assemble"] * assemble))


def _run_own(scene: Union[str, "os.PathLike[str]"], own: Iterable[str], folder: str, set: Optional[Mapping[str, Value]],
             end: Optional[float], assemble: bool, steps: Optional[Iterable[float]],
             rtols: Optional[Iterable[float]]) -> list[str]:
    """Recordings of methods of this process, for the program to compare."""
    model, paths = load(scene, set=set), []
    end = model.simulation.end if end is None else end
    for method in own:
        adaptive = all(m.adaptive for m in all_methods() if method in (m.name, m.stabilization))
        for one in (rtols if adaptive else steps) or [None]:
            setting = {} if one is None else {"rtol" if adaptive else "step": one}
            name = " ".join([method, *(f"{key if key == 'rtol' else 'h'} {value:g}" for key, value in setting.items())])
            paths.append(os.path.join(folder, name))
            model.simulate(end, method, every=end / 50, assemble=assemble, **setting).to_csv(paths[-1])
    return paths


def _run(words: list[str]) -> Mapping[str, Any]:
    """The JSON object that the program prints."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=err) as child:
            try:
                child.wait()
            except BaseException:  # Ctrl-C reaches the child too, if there is a terminal
                child.terminate()
                raise
        out.seek(0)
        err.seek(0)
        try:
            said: Mapping[str, Any] = json.load(out)
        except ValueError:
            message = err.read().decode("utf-8", "replace").strip().removeprefix("error: ")
            raise Error(message or f"{words[0]} compare ended with status {child.returncode}") from None
    problem = said.get("problem")
    if problem is not None:
        raise class_of_name(problem["code"])(problem["message"], where=problem["where"] or "",
                                             status=problem["code"])
    return said


def _comparison(said: Mapping[str, Any]) -> Comparison:
    names = [name for name in ComparisonRow.__dataclass_fields__ if name != "all"]
    rows = tuple(ComparisonRow(**{name: row[name] for name in names}, all=row) for row in said["rows"])
    return Comparison(said["status"], said["reference"], rows, tuple(said["recommendations"]),
                      tuple(said["warnings"]), said)
