"""Thousands of runs of one scene: trammel sweep, by processes of this machine or by the workers of a Dask client."""
from __future__ import annotations

import asyncio
import csv
import importlib
import os
import subprocess
import tempfile
import time
from typing import IO, Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .program import program
from ..errors import Error, FileError, OptionsError, SceneError

Array = NDArray[np.float64]
Path = Union[str, "os.PathLike[str]"]

SHORT, LONG = 0.5, 2.0  # s of work that a block shall have
PATIENCE = 60  # s without any worker until a sweep ends
DEATHS = 3  # of processes until a run is given up: as trammel sweep has it
EXITS: dict[int, type[Error]] = {1: OptionsError, 2: SceneError, 5: FileError}


class Table(Mapping[str, Any]):
    """What a sweep has found: columns by name, in the order of the runs; numbers that are missing are NaN.

    table["status"]   "done" or why a run failed; table["reason"] the sentence
    failed            how many did
    units             of the columns, by name; "" where there is none
    """

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        with open(self.path, newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        self._columns: dict[str, Any] = {}
        self.units: dict[str, str] = {}
        for k, name in enumerate(names):
            column = [row[k] for row in rows]
            name, _, unit = name.rstrip("]").partition("[")
            text = name in ("status", "checks", "reason")
            name += ".1" if name in self._columns else ""  # an initial value that is also an output
            self._columns[name] = np.array(column) if text else np.array([float(x) if x else np.nan for x in column])
            self.units[name] = unit

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Any:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def failed(self) -> int:
        """How many runs did not end with the status "done"."""
        return int((self["status"] != "done").sum())

    def __repr__(self) -> str:
        return f"<sweep of {len(self['index'])} runs, {self.failed} failed: {self.path}>"


# ------------------------------------------------------------------------------------------ on a worker

def _block(words: Sequence[str], files: Mapping[str, bytes], study: str, indices: Sequence[int],
           run: Optional[str] = None) -> tuple[list[str], float, str]:
    """Rows of these runs by a process of its own -> rows, seconds, what was wrong. `files` are what the command reads."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="trammel-") as folder:
        for name, content in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        done = subprocess.run([run or program(), "sweep", *words, "--rows"], cwd=folder, capture_output=True, text=True,
                              input="".join(f"{i}\n" for i in indices), check=False)
    first, *rows = done.stdout.splitlines(keepends=True) or [""]
    if not first:
        return [], 0, done.stderr.strip() or f"the program ended with {done.returncode}"
    if first.split(" ", 2)[1] != study:
        return [], 0, "this worker has another version, program or scene than the client: install the same on both"
    whole = [row for row in rows if row.endswith("\n")]
    died = "" if len(whole) == len(indices) else f"died {done.returncode}"
    return whole, time.monotonic() - began, died


# ------------------------------------------------------------------------------------------- the client

class _Keeper:
    """`trammel sweep --collect`: it alone writes the log and the table."""

    def __init__(self, words: Sequence[str], output: str) -> None:
        self._process = subprocess.Popen([program(), "sweep", *words, "-o", output, "--collect", "--quiet"],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self._process.stdout is not None and self._process.stdin is not None
        self._in: IO[str] = self._process.stdin
        self.todo: list[int] = []
        self.study = ""
        for line in self._process.stdout:
            word, *rest = line.split(" ", 4)
            if word == "study":
                self.study = rest[0]
            elif word == "todo":
                first, last, step = map(int, rest[:3])
                self.todo += range(first, last + 1, step)
            else:
                return
        self.close()  # it has refused: says why

    def keep(self, rows: Iterable[str]) -> None:
        try:
            self._in.writelines(rows)
            self._in.flush()
        except BrokenPipeError:
            self.close()

    def kill(self, index: int, reason: str) -> None:
        self.keep([f"killed {index} {' '.join(reason.split())}\n"])

    def close(self) -> int:
        """-> the exit code of the sweep: 0, or 4 where some runs failed. Raises what the program refuses."""
        _, said = self._process.communicate()
        code = self._process.returncode
        if code not in (0, 4):
            raise EXITS.get(code, Error)(said.strip().removeprefix("error: "))
        return code


class _Blocks:
    """Blocks of runs on the workers of a Dask client, as many as keep them busy."""

    def __init__(self, client: Any, words: Sequence[str], files: Mapping[str, bytes], keeper: _Keeper) -> None:
        as_completed: Any = importlib.import_module("distributed").as_completed
        self.client, self.keeper = client, keeper
        self.words, self.files = list(words), dict(files)
        self.waiting = list(reversed(keeper.todo))
        self.alone: list[list[int]] = []  # blocks that killed a worker, halved
        self.suspects: list[int] = []  # single runs whose worker died, perhaps of a neighbour: run by themselves at last
        self.by_itself = False
        self.size = 1
        self.deaths: dict[int, int] = {}
        self.running = as_completed(loop=client.loop)
        self.indices: dict[str, list[int]] = {}

    def _next(self) -> list[int]:
        if self.alone:
            return self.alone.pop()
        block = [self.waiting.pop() for _ in range(min(self.size, len(self.waiting)))]
        return block

    def _fill(self) -> None:
        threads = max(1, sum(self.client.nthreads().values()))
        while len(self.indices) < 2 * threads and (self.waiting or self.alone):
            block = self._next()
            future = self.client.submit(_block, self.words, self.files, self.keeper.study, block, pure=False)
            self.indices[future.key] = block
            self.running.add(future)
        if not self.indices and self.suspects:
            self.by_itself = True
            block = [self.suspects.pop()]
            future = self.client.submit(_block, self.words, self.files, self.keeper.study, block, pure=False)
            self.indices[future.key] = block
            self.running.add(future)

    def _lost(self, block: list[int], reason: str) -> None:
        """A block whose worker was killed again and again: halved until the guilty run is alone."""
        if len(block) == 1 and self.by_itself:
            self.keeper.kill(block[0], reason)
        elif len(block) == 1:
            self.suspects.append(block[0])
        else:
            middle = len(block) // 2
            self.alone += [block[middle:], block[:middle]]

    def _take(self, block: list[int], rows: list[str], seconds: float, wrong: str) -> None:
        self.keeper.keep(rows)
        if wrong and not wrong.startswith("died"):
            raise Error(wrong)
        rest = block[len(rows):]
        if wrong and rest:  # the process died of the first one without a row
            self.deaths[rest[0]] = self.deaths.get(rest[0], 0) + 1
            if self.deaths[rest[0]] >= DEATHS:
                self.keeper.kill(rest[0], f"{DEATHS} workers have died of this run, the last by exit code {wrong.split()[1]}")
                rest = rest[1:]
            self.waiting += reversed(rest)
        elif len(block) == self.size and seconds < SHORT:
            self.size *= 2
        elif seconds > LONG:
            self.size = max(1, self.size // 2)

    def _look_for_workers(self, seen: float) -> float:
        """When a worker was there, s. Raises Error where none has been for PATIENCE seconds."""
        now = time.monotonic()
        if self.client.nthreads():
            return now
        if now > seen + PATIENCE:
            raise Error(f"the client has had no worker for {PATIENCE} s; what is done is kept, and the same call goes on")
        return seen

    def _completed(self) -> Any:
        """The next block that is done."""
        seen = asked = time.monotonic()
        while not self.running.has_ready():
            time.sleep(0.02)
            if time.monotonic() > asked + 1:
                asked = time.monotonic()
                seen = self._look_for_workers(seen)
        return next(self.running)

    def _result(self, future: Any) -> Any:
        """Of a block that was done. Where its worker has died since, the scheduler has it made again."""
        seen = time.monotonic()
        while True:
            try:
                return future.result(timeout=1)
            except asyncio.TimeoutError:
                seen = self._look_for_workers(seen)

    def work(self) -> None:
        from distributed.scheduler import KilledWorker  # pylint: disable=import-outside-toplevel
        self._fill()
        while self.indices:
            future = self._completed()
            block = self.indices.pop(future.key)
            try:
                self._take(block, *self._result(future))
            except KilledWorker:
                self._lost(block, "KilledWorker: the scheduler gave it up after its workers were killed")
            self._fill()


def _inputs(words: Sequence[str]) -> tuple[list[str], dict[str, bytes]]:
    """The command with the files that it reads by their bare names -> words, files. Tables beside a scene go along."""
    import json  # pylint: disable=import-outside-toplevel
    files: dict[str, bytes] = {}

    def take(path: str, name: str) -> str:
        try:
            with open(path, "rb") as file:
                files[name] = file.read()
        except OSError as problem:
            raise FileError(f"{path}: {problem.strerror}") from None
        return name

    out: list[str] = []
    for word in words:
        if word.endswith(".json") and not out[-1:] == ["-o"] and not word.startswith("-"):
            folder = os.path.dirname(word)
            out.append(take(word, os.path.basename(word)))
            try:
                tables = json.loads(files[out[-1]]).get("tables", {})
            except (ValueError, AttributeError):
                tables = {}
            for table in tables.values():
                if isinstance(table, dict) and isinstance(table.get("file"), str):
                    if os.path.isabs(table["file"]) or ".." in table["file"].split("/"):
                        raise OptionsError(f"{word}: a sweep on other machines takes tables of the scene's folder only, "
                                           f"not {table['file']!r}")
                    take(os.path.join(folder, table["file"]), table["file"])
        elif out[-1:] == ["--samples"]:
            out.append(take(word, os.path.basename(word)))
        else:
            out.append(word)
    return out, files


def by_client(client: Any, words: Sequence[str], output: str) -> int:
    keeper = _Keeper(words, output)  # it knows which files a scene may name
    try:
        bare, files = _inputs(words)
        _Blocks(client, bare, files, keeper).work()
    except BaseException:
        keeper._process.stdin.close()  # type: ignore[union-attr] # what is finished is safe
        keeper._process.wait()
        raise
    return keeper.close()


def _write_samples(path: str, samples: Any) -> None:
    """A mapping or a data frame of columns, as a file."""
    columns = {str(name): np.atleast_1d(np.asarray(samples[name], dtype=float)) for name in samples}
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1:
        raise OptionsError(f"samples: columns of different lengths, {sorted(lengths)}")
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(columns) + "\n")
        for row in zip(*columns.values()):
            file.write(",".join(format(x, ".17g") for x in row) + "\n")


def sweep(scene: Path, samples: Union[Path, Mapping[str, ArrayLike]], client: Any = None, *, out: Path,
          outputs: Optional[Sequence[str]] = None, set: Optional[Mapping[str, Any]] = None, end: Optional[float] = None,
          accuracy: Optional[float] = None, jobs: Optional[int] = None, options: Sequence[str] = ()) -> Table:
    """One run of a scene file for each sample, into the table `out`.

    samples   columns by name, {"l": [1, 1.1], "v0": [2, 3]}, a data frame, or a CSV file; names as in trammel sweep --set
    client    of dask.distributed: its workers make the runs; None: `jobs` processes of this machine
    outputs   "bar.x", "max(bar.x)", ...; None: the end state
    options   further words of the command line: ["--assemble", "--until", "tip.y < 0"]

    The same call goes on where one was interrupted. Failed runs are rows. Raises OptionsError, SceneError, FileError before
    the first run. docs/reference/sweeps.md has the rest.
    """
    output = os.fspath(out)
    words = [os.fspath(scene)]
    if isinstance(samples, (str, os.PathLike)):
        words += ["--samples", os.fspath(samples)]
    else:
        _write_samples(output + ".samples", samples)
        words += ["--samples", output + ".samples"]
    for name, value in (set or {}).items():
        words += ["--set", f"{name}={value if isinstance(value, str) else format(float(value), '.17g')}"]
    for option, given in (("--end", end), ("--accuracy", accuracy)):
        words += [] if given is None else [option, format(float(given), ".17g")]
    words += [] if outputs is None else ["--outputs", ",".join(outputs)]
    words += options
    if client is not None:
        by_client(client, words, output)
    else:
        width = [] if jobs is None else ["-j", str(int(jobs))]
        done = subprocess.run([program(), "sweep", *words, *width, "-o", output, "--quiet"], capture_output=True, text=True,
                              check=False)
        if done.returncode not in (0, 4):
            raise EXITS.get(done.returncode, Error)(done.stderr.strip().removeprefix("error: "))
    return Table(output)
