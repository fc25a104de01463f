"""The program on the command line: what its tests share."""
import csv
import json
import os
import re
import subprocess
import sys

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])

# A swinging bar with a marker at its end.
BAR = {
    "title": "A bar",
    "dimension": 2,
    "parameters": {"l": 1, "w": 0},
    "gravity": [0, -9.81],
    "bodies": [{"name": "bar", "ends": [[0, 0], ["l", 0]], "mass": 2, "rate": "w",
                "velocity": [0, "w*l/2"]}],
    "markers": [{"name": "tip", "body": "bar", "at": ["l", 0]}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}],
    "simulation": {"end": 2},
}


def trammel(*args, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([PROGRAM, *args], stderr=subprocess.PIPE, check=False, **options)


def write(name, content):
    with open(name, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return name


def scene(name="bar.json", base=None, **changes):
    return write(name, json.dumps({**(base or BAR), **changes}, indent=1))


def expect(code, result):
    assert result.returncode == code, f"exit {result.returncode}, not {code}: {result.stderr!r}"
    return result


def refused(code, *args, says=None):
    """The program refuses with this exit code, one `error:` on stderr, nothing on stdout."""
    result = expect(code, trammel(*args))
    text = result.stderr.decode(errors="replace")
    assert text.startswith("error: "), text
    assert text.count("error: ") == 1, text
    assert result.stdout == b"", result.stdout
    if says:
        assert re.search(says, text), f"{says!r} is not in {text!r}"
    return text


def run_json(*args, code=0):
    result = expect(code, trammel("run", *args, "--json"))
    return json.loads(result.stdout)  # exactly one value, or this raises


def read_csv(name):
    with open(name, newline="", encoding="ascii") as file:
        text = file.read()
    assert text.endswith("\n"), "the last line is torn"
    rows = list(csv.reader(text.splitlines()))
    header, numbers = rows[0], [[float(x) for x in row] for row in rows[1:]]
    assert all(len(row) == len(header) for row in numbers), "a line with missing columns"
    return header, numbers
