#!/usr/bin/env python3
"""A method of a shared library in the program: methods, run, verdicts, compare, pages. Prints TAP.

    tests/tools/cli/load_test.py TRAMMEL ROOT
"""
import json
import os
import subprocess
import sys

from tap import CASES, case
import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOUR_BAR = os.path.join(ROOT, "scenes", "four_bar.json")


def trammel(*args, code=0):
    found = subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert found.returncode == code, (found.returncode, found.stderr)
    return found


def built(name, source):
    path = os.path.join(".", name + ".so")
    with open(name + ".c", "w", encoding="utf-8") as file:
        file.write(source)
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-I", os.path.join(ROOT, "include"), name + ".c",
                    "-o", path], check=True)
    return path


def example():
    with open(os.path.join(ROOT, "docs", "examples", "blajer.c"), encoding="utf-8") as file:
        return built("blajer", file.read())


@case
def it_is_a_method():
    """The example is listed, runs with a report and verdicts, and is compared, with a page"""
    library = example()
    assert {m["stabilization"] for m in json.loads(trammel("methods", "--load", library, "--json").stdout)["methods"]} > {"blajer"}
    run = trammel("run", FOUR_BAR, "--load", library, "--integrator", "rk4", "--method", "blajer", "--step", "0.005",
                  "--end", "1").stdout
    assert "rk4 with blajer" in run and "Constraints  good" in run and "Accuracy     good" in run, run
    result = json.loads(trammel("compare", FOUR_BAR, "--load", library, "--methods", "rk4+blajer,ab2+s-both2", "--end", "0.5",
                                "--steps", "0.01", "--repeat", "1", "--report", "page.html", "--json").stdout)
    assert [row["status"] for row in result["rows"]] == ["done", "done"], result["rows"]
    assert result["rows"][0]["error"] < 1e-5 < result["rows"][1]["error"] < 1e-2
    assert f"--load {library}" in result["recommendations"][0]["run"], result["recommendations"]
    with open("page.html", encoding="utf-8") as page:
        assert "blajer" in page.read()


@case
def what_cannot_be_loaded():
    """No library, one without trammel_load, and one that is refused: a sentence each"""
    said = trammel("methods", "--load", "./nosuch.so", code=5).stderr
    assert "nosuch.so" in said and "--load" in said, said
    empty = built("empty", "int nothing;")
    assert "has no function trammel_load" in trammel("methods", "--load", empty, code=1).stderr
    old = built("old", """#include <trammel/trammel_register.h>
        int trammel_load(const trm_registry *r)
        {
            const trm_own_integrator one = {.version = 99, .name = "old", .order = 1};
            return r->integrator(&one, 0, 0, r->err) != TRM_OK;
        }""")
    assert "made for version 99" in trammel("methods", "--load", old, code=1).stderr


if __name__ == "__main__":
    sys.exit(tap.run(CASES))
