"""Seeing a result: the page that `trammel view` writes, and plots by Matplotlib."""
from __future__ import annotations

import html
import importlib
import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Optional, Sequence

from ..errors import FileError, OptionsError
from .program import program

if TYPE_CHECKING:
    from ..result import Result

FRAME = 760  # px, height of a page in a notebook


def write(result: "Result", path: str) -> None:
    """The page (.html) or picture (.svg, .png) of a result, at `path`. The page shows the names of its files: a scene
    that has none is called scene.json, not by the temporary folder."""
    scene, source, settings, allowed = result._origin
    with tempfile.TemporaryDirectory(prefix="trammel-") as folder:
        recording = os.path.join(folder, f"{result.method}.csv")
        result.to_csv(recording)
        files = [recording]
        if source is not None:
            scene, files = "scene.json", [os.path.basename(recording)]
            with open(os.path.join(folder, scene), "wb") as file:
                file.write(source)
            for table in result._reads:
                beside = os.path.join(folder, os.path.relpath(table, result._origin[0]))
                if os.path.abspath(beside).startswith(folder + os.sep):
                    os.makedirs(os.path.dirname(beside), exist_ok=True)
                    shutil.copyfile(table, beside)
        if scene:
            files.insert(0, scene)
        options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")] if scene else []
        options += ["--allow-files", allowed] if allowed else []
        done = subprocess.run([os.path.abspath(program()), "view", *files, *options, "-o", os.path.abspath(path)],
                              cwd=folder if source is not None else None, capture_output=True, text=True, check=False)
    if done.returncode == 5:
        raise FileError(done.stderr.strip())
    if done.returncode:
        raise OptionsError(done.stderr.strip())


def frame(result: "Result") -> str:
    """HTML for a notebook: the page in a frame of its own."""
    with tempfile.TemporaryDirectory(prefix="trammel-") as folder:
        path = os.path.join(folder, "page.html")
        write(result, path)
        with open(path, encoding="utf-8") as file:
            page = file.read()
    return (f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" title="{html.escape(result.title or "Trammel")}" '
            f'style="width:100%;height:{FRAME}px;border:0"></iframe>')


def _meant(column: str, wanted: str) -> bool:
    """ "energy.kinetic[J]" is meant by itself, without its unit, and by "energy"."""
    return column == wanted or column.startswith((wanted + "[", wanted + "."))


def chosen(result: "Result", names: Sequence[str]) -> list[str]:
    """Columns of the recording that are meant by these names. Raises OptionsError."""
    columns, found = [name for name, _ in result.columns()[1:]], []
    for wanted in names:
        mine = [name for name in columns if _meant(name, wanted)]
        if not mine:
            raise OptionsError(f"no column \"{wanted}\"; result.columns() lists them", where=wanted)
        found += mine
    return found


def plot(result: "Result", names: tuple[str, ...], ax: Optional[Any]) -> Any:
    """Columns over time on Matplotlib's axes `ax` (None: new ones), which are returned."""
    values = dict(result.columns())
    if ax is None:
        try:
            pyplot = importlib.import_module("matplotlib.pyplot")
        except ImportError as problem:
            raise ImportError("plot draws with Matplotlib, which is not installed (Debian: python3-matplotlib); "
                              "view() needs nothing but a browser") from problem
        ax = pyplot.subplots()[1]
    for name in chosen(result, names or ("energy",)):
        ax.plot(result.t, values[name], label=name)
    ax.set_xlabel("t [s]")
    ax.legend()
    return ax
