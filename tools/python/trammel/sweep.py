"""trammel sweep on the workers of Dask.

    python3 -m trammel.sweep SCENE --set l=1:2:1000 -o out.csv --scheduler-file scheduler.json

takes the options of `trammel sweep`, and --scheduler-file FILE or --scheduler ADDRESS of a Dask scheduler.
"""
from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from typing import Any, Optional, Sequence

from .programs.program import program
from .errors import Error
from .programs.sweeping import EXITS, Table, by_client


def _pull(words: list[str], name: str) -> Optional[str]:
    """Takes an option and its value out of the words."""
    if name not in words[:-1]:
        return None
    at = words.index(name)
    value = words[at + 1]
    del words[at:at + 2]
    return value


def _check_file(path: str) -> None:
    """Raises OSError, ValueError: not what a scheduler writes."""
    if not os.path.exists(path):
        raise OSError("there is no such file: start the scheduler first (dask-scheduler --scheduler-file FILE)")
    with open(path, encoding="utf-8") as text:
        found = json.load(text)
    if not isinstance(found, dict) or not isinstance(found.get("address"), str):
        raise ValueError("the file has no address: no scheduler has written it")


def main(words: Sequence[str]) -> int:
    rest = list(words)
    file, address = _pull(rest, "--scheduler-file"), _pull(rest, "--scheduler")
    if file is None and address is None:
        return subprocess.run([program(), "sweep", *rest], check=False).returncode
    output = _pull(rest, "-o") or _pull(rest, "--output")
    if output is None:
        print("error: -o: where to? Give the name of a table (.csv)", file=sys.stderr)
        return 1
    try:
        Client: Any = importlib.import_module("distributed").Client
    except ImportError:
        print("error: --scheduler-file needs Dask: install python3-distributed", file=sys.stderr)
        return 5
    try:
        if file is not None:
            _check_file(file)
        client = Client(address, scheduler_file=file, timeout="10s", set_as_default=False)
    except (OSError, ValueError, TimeoutError) as problem:
        print(f"error: {file or address}: no scheduler answers: {problem}", file=sys.stderr)
        return 5
    try:
        code = by_client(client, rest, output)
    except Error as problem:
        print(f"error: {problem}", file=sys.stderr)
        return next((code for code, kind in EXITS.items() if type(problem) is kind), 5)
    except KeyboardInterrupt:
        print("The same command goes on.", file=sys.stderr)
        return 130
    finally:
        client.close()
    table = Table(output)
    print(f"{len(table['index'])} of {len(table['index'])} runs, {table.failed} failed\n{output}")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
