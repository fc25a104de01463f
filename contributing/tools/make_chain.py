#!/usr/bin/env python3
"""Print the scene of a chain of N uniform bars that hangs from its first end.

    tools/make_chain.py 100 > scenes/chain_100.json

Bars of length l and mass m joined by pins; the chain starts horizontal and at rest.
"""
import json
import sys

END = {10: 10, 100: 2}  # s; longer chains: 1 s


def times(i, name):
    """i * name, the shortest way a scene can say it."""
    return {0: 0, 1: name}.get(i, f"{i}*{name}")


def bodies(n):
    for i in range(n):
        yield {"name": f"bar_{i + 1}", "ends": [[times(i, "l"), 0], [times(i + 1, "l"), 0]],
               "mass": "m"}


def joints(n):
    for i in range(n):
        yield {"name": f"pin_{i + 1}", "type": "revolute",
               "bodies": [f"bar_{i}" if i > 0 else "ground", f"bar_{i + 1}"],
               "at": [times(i, "l"), 0]}


def lines(elements):
    return ",\n    ".join(json.dumps(element) for element in elements)


def scene(n):
    return f"""{{
  "$schema": "scene.schema.json",
  "title": "Chain of {n} bars, fixed at its first end, released from the horizontal",
  "dimension": 2,
  "parameters": {{
    "g": 9.81,
    "l": 1,
    "m": 1
  }},
  "gravity": [0, "-g"],
  "bodies": [
    {lines(bodies(n))}
  ],
  "joints": [
    {lines(joints(n))}
  ],
  "simulation": {{"end": {END.get(n, 1)}, "every": 0.01}}
}}"""


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit("usage: make_chain.py N, with N >= 1 bars")
    print(scene(int(sys.argv[1])))
