#!/usr/bin/env python3
"""Random chains in space whose joints strike their limits, against a code of their own: tests/tools/chains.py.

usage: chains_test.py TRAMMEL ROOT [SEEDS]. Prints TAP. SEEDS: of each family (default 4, a minute).
"""
import csv
import json
import subprocess
import sys

import chains
import tap

TRAMMEL = sys.argv[1]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 4
END = 1.0
# Two limits strike in turn for ever in a finite time, one of them with restitution 1, which never comes to rest: such a run is refused.
ENDLESS = "it strikes, or is caught and let go, without end at this time"


def ours(chain, tolerance):
    """Coordinates of the joints, places and rotations of the bodies, and what the impacts did; None: see ENDLESS."""
    with open("chain.json", "w", encoding="utf-8") as file:
        json.dump(chain.scene(), file)
    done = subprocess.run([TRAMMEL, "run", "chain.json", "--end", str(END), "--every", str(END), "--header", "plain", "-o", "chain.csv",
                           "--json", "--rtol", tolerance, "--atol", tolerance], capture_output=True, text=True, check=False)
    if ENDLESS in done.stderr and any(joint[6] == 1 for joint in chain.joints):
        return None, None
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["verdicts"]["constraints"] in ("good", None) and said["verdicts"]["branch"] == "good", said["verdicts"]  # None: no rows
    assert said["verdicts"]["energy"] in ("good", "fair"), said["verdicts"]  # fair: at the loose tolerance
    with open("chain.csv", encoding="utf-8") as file:
        last = list(csv.DictReader(line for line in file if not line.startswith("#")))[-1]
    read = lambda name: float(last[name])
    out = [read(f"j{k}_coordinate") for k in range(len(chain.bodies))]
    for k in range(len(chain.bodies)):
        w, x, y, z = (read(f"b{k}_{name}") for name in ("qw", "qx", "qy", "qz"))
        out += [read(f"b{k}_{name}") for name in "xyz"]
        out += [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
                2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return out, said["contacts"]


def theirs(chain, h):
    run = chains.Run(chain, h).run(END)
    out = list(run.q)
    for place, R in chains.places(chain, run.q):
        out += [*place, *(x for row in R for x in row)]
    return out, run


def apart(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def agree(loop):
    """Either errs by less than what a thousandfold of its tolerance, or twice its step, changes."""
    compared = struck = 0
    for seed in range(SEEDS):
        chain = chains.random_chain(seed, loop)
        (coarse, _), (fine, impacts) = ours(chain, "1e-6"), ours(chain, "1e-9")
        if not coarse or not fine:
            continue
        (long, _), (short, run) = theirs(chain, 0.06), theirs(chain, 0.03)
        error = apart(coarse, fine) + apart(long, short)
        if error > 1e-4:  # another order of impacts: neither has converged
            continue
        found = apart(fine, short)
        where = f"seed {seed}, {run.impacts} impacts: apart by {found:.1e}, of errors {error:.1e}"
        assert found < error, where
        compared, struck = compared + 1, struck + run.impacts
        if run.settled == 0 and impacts["settled"] == 0:
            assert impacts["impacts"] == run.impacts, (where, impacts)
        assert abs(impacts["energy_lost"] - run.lost) < 1e-6 + 10 * error, (where, impacts, run.lost)
    assert compared >= SEEDS * 3 // 4, compared
    assert struck >= SEEDS, struck


def test_trees(_):
    """Trees of hinges and sliders: coordinates, places, rotations, impacts and what they take"""
    agree(False)


def test_loops(_):
    """Chains that a rod closes: likewise"""
    agree(True)


if __name__ == "__main__":
    CASES = [case for name, case in list(globals().items()) if name.startswith("test_")]
    sys.exit(tap.run(CASES, None, in_folders=True))
