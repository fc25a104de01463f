#!/usr/bin/env python3
"""What the tables of docs/validation/compare.md say of made-up comparisons. Prints TAP.

    tests/tools/compare/compare_tables_test.py ROOT
"""
import csv
import importlib.machinery
import importlib.util
import os
import sys

from tap import CASES, case
import tap

ROOT = os.path.abspath(sys.argv[1])
loader = importlib.machinery.SourceFileLoader("compare_tables", os.path.join(ROOT, "validation", "compare_tables"))
sys.dont_write_bytecode = True
tables = importlib.util.module_from_spec(importlib.util.spec_from_loader("compare_tables", loader))
loader.exec_module(tables)


def row(stabilization, error, cpu, integrator="rk4", **changes):
    return {"id": f"{integrator}+{stabilization} {error}", "integrator": integrator, "stabilization": stabilization, "step": 0.01,
            "rtol": None, "status": "done", "error": error, "cpu_s": cpu, "branch_changes": 0, "first_branch_change_t": None,
            "t_failed": None, "resolved": True, **changes}


def data(*rows, agreement=1e-12):
    return {"rows": list(rows), "reference": {"agreement": agreement, "t_agree": 5.0}, "end": 5.0, "crossings": [], "timing": {"noise": 0.1}}


def cell(name, comparison):
    line = [text for text in tables.methods_by_scenes({"x": comparison}) if text.startswith(f"| `{name}` |")]
    assert len(line) == 1, line
    return line[0].split("|")[2].strip()


@case
def least_time():
    """A cell has the least CPU time of all runs that are exact enough, in ms; the least of all methods, and what is within the noise of it, is bold"""
    both = data(row("s-vel", 1e-5, 0.00108), row("s-both", 1e-5, 0.002), row("s-both", 1e-7, 0.004, "dopri5"), row("s-both", 5e-5, 0.003),
                row("plain", 1e-5, 0.001), row("plain", 1e-10, 0.5))
    assert cell("s-both", both) == "2 / **4** / -", cell("s-both", both)
    assert cell("plain", both) == "**1** / 500 / **500**", cell("plain", both)
    assert cell("s-vel", both) == "**1.1** / - / -", cell("s-vel", both)


@case
def other_branch():
    """A run that changed its branch before the last time compared does not count; after it, it does"""
    early = row("plain", 1e-7, 0.001, branch_changes=1, first_branch_change_t=1.0)
    late = row("plain", 1e-7, 0.001, branch_changes=1, first_branch_change_t=6.0)
    assert cell("plain", data(early)) == "other branch"
    assert cell("plain", data(late)) == "**1** / **1** / -"


@case
def unknown():
    """An error the reference cannot tell is marked by a question mark, not by a time"""
    assert cell("plain", data(row("plain", 1e-11, 0.001), agreement=1e-9)) == "**1** / **1** / ?"


@case
def reasons():
    """Where no accuracy is reached, the cell says why"""
    stopped = row("plain", None, None, status="failed", t_failed=0.7123)
    late = row("plain", None, None, status="over-budget")
    assert cell("plain", data(stopped)) == "stops, 0.71 s"
    assert cell("plain", data(late)) == "over budget"
    assert cell("plain", data(row("plain", 3e-3, 1.0), stopped)) == "error 3e-3"
    assert cell("plain", data(row("plain", 2.0, 1.0))) == "other motion"


@case
def same():
    """Error and time against s-both are of the same integrator and setting, the finest of both"""
    rows = [row("s-both", 1e-4, 0.001, "heun", step=0.02), row("alf", 1e-2, 0.003, "heun", step=0.02),
            row("s-both", 1e-6, 0.002, "heun"), row("alf", 2e-6, 0.003, "heun")]
    line = [text for text in tables.same_setting({"x": data(*rows)}) if "heun + alf" in text]
    assert line == ["| `heun + alf` | 2 / 1.5 |"], line


@case
def document():
    """Each stored table has a row or a column for each of the eight mechanisms, and the page shows it"""
    with open(os.path.join(ROOT, "docs", "validation", "compare.md"), encoding="utf-8") as file:
        page = file.read()
    for name in ("methods", "same", "conditions"):
        with open(os.path.join(ROOT, "validation", "results", f"compare_{name}.csv"), encoding="utf-8") as file:
            head, *rows = list(csv.reader(file))[2:]
        assert all(any(scene in row for row in [head, *rows]) for scene in tables.SCENES), name
        assert "| " + " | ".join(head) + " |" in page, name
    assert len(tables.SCENES) == 8
    assert all(os.path.exists(os.path.join(ROOT, "scenes", scene + ".json")) for scene in tables.SCENES)


if __name__ == "__main__":
    sys.exit(tap.run(CASES))
