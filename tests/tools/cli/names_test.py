#!/usr/bin/env python3
"""What is printed of foreign names: no byte of theirs moves a cursor, sets a colour or turns the line round. Prints TAP.

    tests/tools/cli/names_test.py TRAMMEL ROOT
"""
import os
import sys

from cli_rig import BAR, scene, trammel, write
from tap import CASES, case
import tap

FOREIGN = ["\x1b[31mred", "a\u202etxt.exe", "\u2066x", "\u200fy", "\u061cz", "\u2028w", "\x9b31mv", "b\rc", "d\x07", "\x08e"]
QUICK = ["--methods", "dopri5+plain", "--rtols", "1e-4", "--budget", "1"]


def is_clean(done, about):
    """Nothing but printed characters, tabs and newlines; a pipe is as a terminal here."""
    for out in (done.stdout, done.stderr):
        text = out.decode("utf-8", errors="strict")
        bad = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160 or c in "\u061c\u200e\u200f\u2028\u2029"
               or "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"]
        assert not bad, (about, bad, text[:300])
    assert done.returncode >= 0, (about, done.returncode)


@case
def names_of_files():
    """Scenes, recordings, tables and outputs that are called so, there or not"""
    for name in FOREIGN:
        good, bad, r = name + ".json", name + "bad.json", name + ".csv"
        write(bad, '{"dimension": 2, "bodies": [{"name": 1}]}')
        for words in (["run", good], ["check", good], ["view", good], ["linearize", good], ["compare", good], ["sweep", good, "--set", "w=0,1"],
                      ["plot", r, "bar.x"], ["convert", r, name + ".h5"], ["view", r], [name], ["help", name], ["run", "--resume", name]):
            is_clean(trammel(*words), words)  # none of them is there
        scene(good, base=BAR, title=name, simulation={"end": 0.1})
        for words in (["run", good], ["run", good, "-o", r], ["check", good], ["view", good, "-o", name + ".svg"], ["view", good, "-o", name + ".html"],
                      ["linearize", good], ["compare", good, *QUICK, "--report", name + ".html"], ["sweep", good, "--set", "w=0,1", "-o", name + "t.csv"],
                      ["plot", r, "bar.x"], ["plot", r, "bar.x", "-o", name + "p.svg"], ["view", r, "-o", name + ".svg"], ["run", bad], ["check", bad],
                      ["run", good, "--json"], ["check", good, "--json"], ["view", good, "-o", good], ["run", good, "-o", name], ["convert", r, name],
                      ["compare", good, *QUICK, "--json"], ["linearize", good, "--json"], ["run", good, "--watch"]):
            is_clean(trammel(*words), words)


@case
def words_of_the_command_line():
    """Parameters, values, methods, columns, conditions, references"""
    scene()
    trammel("run", "bar.json", "-o", "r.csv")
    for name in FOREIGN:
        for words in (["--set", name + "=1"], ["--set", "w=" + name], ["--method", name], ["--integrator", name], ["--until", name],
                      ["--columns", name, "-o", "s.csv"], ["--" + name], ["--every", name], ["--allow-files", name], ["--E", name]):
            is_clean(trammel("run", "bar.json", *words), words)
        for words in (["compare", "bar.json", "--methods", name], ["compare", "bar.json", "--reference", name], ["plot", "r.csv", name],
                      ["sweep", "bar.json", "--outputs", name, "--set", "w=0,1", "-o", "t.csv"], ["sweep", "bar.json", "--shard", name, "-o", "t.csv"],
                      ["elements", name], ["methods", name], ["schema", name]):
            is_clean(trammel(*words), words)


@case
def names_in_a_scene():
    """Keys, types, names, formulas, names of tables and of their files"""
    for name in FOREIGN:
        for n, changes in enumerate(({name: 1}, {"title": name, "dimension": 7}, {"parameters": {name: 1}}, {"joints": [{"name": name}]},
                                     {"joints": [{"name": "O", "type": name, "bodies": ["ground", "bar"], "at": [0, 0]}]},
                                     {"joints": [{"name": "O", "type": "revolute", "bodies": ["ground", name], "at": [0, 0]}]},
                                     {"forces": [{"name": "f", "type": "torque", "body": "bar", "value": name}]}, {"definitions": {name: "1"}},
                                     {"tables": {name: {"points": [[0, 0], [1, 1]]}}}, {"tables": {"a": {"file": name, "x": name, "y": name}}},
                                     {"simulation": {name: 1}}, {"forces": [{"name": "f", "type": "torque", "body": "bar", name: 1}]})):
            for command in ("run", "check"):
                is_clean(trammel(command, scene(f"s{n}.json", **changes)), (name, changes))
                is_clean(trammel(command, f"s{n}.json", "--json"), (name, changes))


@case
def names_in_a_recording():
    """Columns, units and notes of a table that somebody made"""
    for name in FOREIGN:
        write("r.csv", f"t[s],{name}.x[m],b.y[{name}],c.x[m]\n0,1,2,3\n1,2,3,4\n")
        for words in (["plot", "r.csv"], ["plot", "r.csv", name + ".x"], ["plot", "r.csv", "q"], ["plot", "r.csv", "*.x", "-o", "p.svg"],
                      ["view", "r.csv", "-o", "v.svg"], ["view", "r.csv", "-o", "v.html"], ["convert", "r.csv", "r.h5"],
                      ["compare", scene(), *QUICK, "--reference", "r.csv"], ["sweep", "bar.json", "--samples", "r.csv", "-o", "t.csv"]):
            is_clean(trammel(*words), words)
        for content in (f"{name}\n", f"t,a\n0,{name}\n", f"t,a\n{name}\n"):
            write("r.csv", content)
            for words in (["plot", "r.csv"], ["view", "r.csv"], ["convert", "r.csv", "r.h5"], ["sweep", "bar.json", "--samples", "r.csv", "-o", "t.csv"]):
                is_clean(trammel(*words), (content, words))


if __name__ == "__main__":
    assert os.path.exists(sys.argv[1])
    sys.exit(tap.run(CASES, in_folders=True))
