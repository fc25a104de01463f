#!/usr/bin/env python3
"""Print the scene of N planar four-bar mechanisms in a row (IFToMM A02; N = 2: Bayo and Avello).

    tools/make_four_bar.py 40 > scenes/four_bar_40.json

N + 1 cranks stand upright on ground pins A_i, N couplers join their tops; all bars are uniform, of
length l and mass m, and every top starts with speed v0 to the right. Twice a turn all bars lie in
line and the constraints lose N ranks.
"""
import sys

from make_chain import lines, times

TITLES = {1: "Four-bar", 2: "Double four-bar"}


def bodies(n):
    for i in range(n + 1):
        foot, top = [times(i, "l"), 0], [times(i, "l"), "l"]
        yield {"name": f"crank_{i}", "ends": [foot, top], "mass": "m",
               "velocity": ["v0/2", 0], "rate": "-v0/l"}
        if i < n:
            yield {"name": f"coupler_{i}", "ends": [top, [times(i + 1, "l"), "l"]], "mass": "m",
                   "velocity": ["v0", 0]}


def pin(name, a, b, x, y):
    return {"name": name, "type": "revolute", "bodies": [a, b], "at": [x, y]}


def joints(n):
    for i in range(n + 1):
        x = times(i, "l")
        yield pin(f"A_{i}", "ground", f"crank_{i}", x, 0)
        if i > 0:
            yield pin(f"B_{i}", f"coupler_{i - 1}", f"crank_{i}", x, "l")
        if i < n:
            yield pin(f"C_{i}", f"crank_{i}", f"coupler_{i}", x, "l")


def scene(n):
    title = TITLES.get(n, f"{n} four-bars in a row")
    return f"""{{
  "$schema": "scene.schema.json",
  "title": "{title} (IFToMM A02): bars that fall in line twice a turn (v0: start speed of the tops)",
  "dimension": 2,
  "parameters": {{
    "g": 9.81,
    "l": 1,
    "m": 1,
    "v0": 1
  }},
  "gravity": [0, "-g"],
  "bodies": [
    {lines(bodies(n))}
  ],
  "joints": [
    {lines(joints(n))}
  ],
  "simulation": {{"end": 10, "every": 0.01}}
}}"""


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit("usage: make_four_bar.py N, with N >= 1 loops")
    print(scene(int(sys.argv[1])))
