#!/usr/bin/env python3
"""Scenes and rejected samples against the schema and the program.

Every scenes/*.json, and every scene of the examples, validates against scenes/scene.schema.json. Every
tests/rejected/schema_*.json is refused by the schema, and every tests/rejected/*.json by the program:
exit code 2, and a message on stderr that names the file. What only the reader refuses passes the schema or is no JSON.

usage: check_schema.py [path of the trammel binary]; prints TAP.
"""
import json
import pathlib
import subprocess
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "scenes" / "scene.schema.json"


class Tap:
    def __init__(self):
        self.run = self.failed = 0

    def check(self, claim, why_not):
        self.run += 1
        self.failed += bool(why_not)
        print(f"{'not ok' if why_not else 'ok'} {self.run} - {claim}")
        for line in why_not.splitlines():
            print(f"# {line}")


def first_error(validator, path):
    """The schema's first objection to a file, "" without one."""
    for error in validator.iter_errors(json.loads(path.read_text())):
        return f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:200]}"
    return ""


def why_not_refused(program, path):
    """"" when the program refuses the scene as it should."""
    done = subprocess.run([program, "check", str(path)], capture_output=True, text=True,
                          errors="replace")
    if done.returncode != 2:
        return f"exit code {done.returncode}, expected 2\n{done.stderr}"
    if not done.stderr.startswith(f"error: {path}"):
        return f"expected a message that starts with error: {path}\n{done.stderr}"
    return ""


def passes_schema(validator, path):
    """Only for what is JSON at all (in Python's generous sense)."""
    try:
        return not first_error(validator, path)
    except (ValueError, RecursionError):
        return True


def main():
    tap = Tap()
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sorted([*(ROOT / "scenes").glob("*.json"), *(ROOT / "scenes" / "industrial").glob("*.json"), *(ROOT / "docs" / "examples").glob("**/*.json")]):
        if path != SCHEMA:
            tap.check(f"{path.relative_to(ROOT)} meets the schema", first_error(validator, path))
    for path in sorted((ROOT / "tests" / "rejected").glob("*.json")):
        if path.name.startswith("schema_"):
            passed = not first_error(validator, path)
            tap.check(f"{path.name} is refused by the schema", "it passed" if passed else "")
        elif not passes_schema(validator, path):
            tap.check(f"{path.name} is refused by the reader alone",
                      "the schema refuses it, too: name it schema_...")
        if len(sys.argv) > 1:
            tap.check(f"{path.name} is refused by the program", why_not_refused(sys.argv[1], path))
    print(f"1..{tap.run}")
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
