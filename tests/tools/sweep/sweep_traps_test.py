#!/usr/bin/env python3
"""trammel sweep: traps that others fell into, each a case. Prints TAP.

    tests/tools/sweep/sweep_traps_test.py TRAMMEL ROOT      the program, and the root of the project

The seventh, a worker that exits 0 without a row, is a case of test_sweep_pool.c.
"""
import os

from tap import case
from sweep_rig import FLIGHT, FOUR, SPRING, near, read, refused, run_cases, sweep, table, write


@case
def failed_run_is_a_row():
    """A failed run is a row with its own reason, the others go on, exit 4 and the number say so"""
    write("s.json", FLIGHT)
    done = sweep("s.json", "--set", "b=0,1,2,3", "-o", "a.csv", code=4)
    rows = table("a.csv")
    assert [row["status"] for row in rows] == ["done", "done", "scene", "scene"]
    assert "4 of 4 runs, 2 failed" in done.stdout, done.stdout
    assert "mass" in rows[2]["reason"] and "-1" in rows[3]["reason"] and rows[0]["reason"] == rows[2]["ball.x"] == ""
    assert [row["b"] for row in rows] == ["0", "1", "2", "3"]
    sweep("s.json", "--set", "b=0,1,2,3", "-o", "a.csv", code=4)  # nothing left to do: still failed


@case
def misnamed_failure():
    """A failed run that is misnamed: a start that does not close is inconsistent, a motion that blows up diverged"""
    write("open.json", FLIGHT | {"joints": [{"name": "rod", "type": "rod", "bodies": ["ground", "ball"], "at": [[0, 0], ["u", 0]], "length": "m"}],
                                 "bodies": [FLIGHT["bodies"][0] | {"position": ["u", 0], "velocity": [0, 0]}]})
    sweep("open.json", "--set", "u=1,2", "-o", "a.csv", code=4)
    assert [row["status"] for row in table("a.csv")] == ["done", "inconsistent"], table("a.csv")
    write("blow.json", SPRING | {"forces": [{"type": "force", "name": "f", "marker": "p", "value": ["k*p.x^3", 0]}]})
    sweep("blow.json", "--set", "k=-1,1000", "-o", "b.csv", code=4)
    assert [row["status"] for row in table("b.csv")] == ["done", "diverged"], table("b.csv")


@case
def blank_line_left_by_an_interruption():
    """A blank line left by an interruption, at any place: no row of it, none lost by it, the table is the undisturbed one"""
    sweep(*FOUR, "-j", "1", "-o", "a.csv")
    whole, lines = read("a.csv"), read("a.csv.log").splitlines(keepends=True)
    for log in (lines[:5] + [b"\n"], lines[:1] + [b"\n"] + lines[1:4], lines[:4] + [b"\n\n\n"] + lines[4:], lines + [b"\n"]):
        with open("a.csv.log", "wb") as file:
            file.write(b"".join(log))
        os.remove("a.csv")
        sweep(*FOUR, "-j", "1", "-o", "a.csv")
        assert read("a.csv") == whole, log


@case
def samples_written_back_into_the_model():
    """Samples written back into the shared model: a run does not depend on those before it: settings that exclude each other on the way, failures, the order"""
    write("s.json", FLIGHT)
    # a - b > 0 in every row, but not with a of one row and b of another
    samples = "a,b\n" + "".join(f"{10 ** k + 1},{10 ** k}\n" for k in range(6)) + "1,5\n3,2\n"
    write("x.csv", samples)
    sweep("s.json", "--samples", "x.csv", "-j", "1", "--outputs", "energy.kinetic", "-o", "a.csv", code=4)
    rows = table("a.csv")
    assert [row["status"] for row in rows] == 6 * ["done"] + ["scene", "done"], rows
    for row in rows[:6] + rows[7:]:
        near(row["energy.kinetic"], (1 + (3 - 4.905) ** 2) / 2, 1e-10)
    for i in range(8, 0, -1):
        sweep("s.json", "--samples", "x.csv", "--outputs", "energy.kinetic", "--shard", f"{i}/8", "-o", "b.csv", code=4 if i == 7 else 0)
    sweep("--merge", "-o", "b.csv", code=4)
    assert read("a.csv") == read("b.csv")


@case
def seeds_per_worker():
    """Seeds per worker: what a run draws depends on seed, name and index: not on the number of runs, other columns or workers"""
    write("s.json", FLIGHT)
    sweep("s.json", "--set", "u=uniform:0:1", "--runs", "40", "--end", "0.01", "-j", "3", "-o", "a.csv")
    sweep("s.json", "--set", "w=normal:0:1", "--set", "u=uniform:0:1", "--runs", "15", "--end", "0.01", "-o", "b.csv")
    sweep("s.json", "--set", "u=uniform:0:1", "--runs", "15", "--end", "0.01", "--seed", "1", "-o", "c.csv")
    a, b, c = ([row["u"] for row in table(name)] for name in ("a.csv", "b.csv", "c.csv"))
    assert a[:15] == b and not set(a) & set(c)


@case
def exit_0_though_every_run_failed():
    """Exit 0 though every run failed: it is 4, also when the table is asked for again, merged, or made in parts"""
    done = sweep(write("s.json", FLIGHT), "--set", "b=2:9:8", "-o", "a.csv", code=4)
    assert "8 failed" in done.stdout
    sweep("s.json", "--set", "b=2:9:8", "-o", "a.csv", code=4)
    sweep("--merge", "-o", "a.csv", code=4)
    sweep("s.json", "--set", "b=2:9:8", "-o", "b.csv", "--shard", "1/2", code=4)


@case
def continued_with_another_root_seed():
    """A study continued with another root seed: refused by name, with draws and with a design, and the log stays"""
    write("s.json", FLIGHT)
    for more in (["--runs", "6"], ["--runs", "6", "--latin"], ["--runs", "4", "--design", "sobol"]):
        base = ["s.json", "--set", "u=uniform:0:1", *more, "-o", f"{len(more)}{more[-1]}.csv"]
        sweep(*base, "--seed", "7")
        log = read(base[-1] + ".log")
        refused(*base, "--seed", "8", says='another --seed.*7')
        refused(*base, says="another --seed")
        assert read(base[-1] + ".log") == log
        sweep(*base, "--seed", "7")


if __name__ == "__main__":
    run_cases()
