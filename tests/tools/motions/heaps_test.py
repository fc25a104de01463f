#!/usr/bin/env python3
"""Random heaps run to their end, and where another code says: Moreau's time stepping of tests/tools/heaps.py.

usage: heaps_test.py TRAMMEL ROOT [SEEDS]. Prints TAP. SEEDS: of each family (default 12, a few seconds).
"""
import csv
import json
import subprocess
import sys

import heaps
import tap

sys.path.insert(0, f"{sys.argv[2]}/validation/benchmarks")
sys.dont_write_bytecode = True
import bench_balls  # pylint: disable=wrong-import-position

TRAMMEL = sys.argv[1]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 12
GAINING = (2066, 2076, 2087)  # Newton's law would gain energy with their restitutions and friction [Kane 1984]


def run(heap, end, *options, forces=None):
    """Coordinates at the end."""
    with open("heap.json", "w", encoding="utf-8") as file:
        json.dump(heap.scene(), file)
    done = subprocess.run([TRAMMEL, "run", "heap.json", "--end", str(end), "--every", str(end), "--header", "plain",
                           "-o", "heap.csv", "--json", *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    verdicts = json.loads(done.stdout)["verdicts"]
    assert options or verdicts["energy"] == "good", verdicts
    assert forces is None or verdicts["forces"] == forces, verdicts
    with open("heap.csv", encoding="utf-8") as file:
        last = list(csv.DictReader(line for line in file if not line.startswith("#")))[-1]
    return [[float(last[f"b{i}_{key}"]) for key in ("x", "y", "angle")] for i in range(len(heap.bodies))]


def apart(a, b):
    return max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))


def to_the_end(family):
    for seed in range(SEEDS):
        try:
            run(heaps.FAMILIES[family](seed), 4)
        except AssertionError as wrong:
            raise AssertionError(f"{family} {seed}: {wrong}") from wrong


# Bounds of what follows cannot be derived: where an impact falls into a step the error has no expansion in h, and each impact may be
# off by a step and its jump of the rate. What they stand for: of a method of order p halving the step changes 2^p - 1 times what is
# left, so that 4 times is enough from p = 1/3 on (observed: one, not smooth); and a place is off by the way in a step, 5 m/s, which
# is a fall of 1.3 m, higher than any heap here. Where the reference has not converged, by 2e-2 m, nothing is compared.


def against_moreau(family, end, steps, seeds=range(SEEDS)):
    """The reference errs by what halving its step changes, of first order: as much again is left."""
    compared = 0
    for seed in seeds:
        ours = run(heaps.FAMILIES[family](seed), end)
        for n in (steps, 8 * steps):  # the order of impacts may be another one at first
            coarse, fine = (heaps.moreau(heaps.FAMILIES[family](seed), end, k * n) for k in (1, 2))
            error, found = apart(coarse, fine), apart(ours, fine)
            if error >= 2e-2 or found < 4 * error + 5 * end / n:
                break
        compared += error < 2e-2  # else it has not converged: another order of impacts
        assert error >= 2e-2 or found < 4 * error + 5 * end / n, f"{family} {seed}: {found:.1e}, reference {error:.1e}"
    assert compared >= len(seeds) * 3 // 4, compared


def steps_agree(family, end, steps, seeds=range(SEEDS)):
    """Method moreau against the events: apart by no more than halving its step twice changes, and a step's way."""
    compared = 0
    for seed in seeds:
        heap = heaps.FAMILIES[family](seed)
        ours, words = run(heap, end), ("--integrator", "moreau", "--method", "s-both2", "--no-verify", "--step")
        for h in (end / steps, end / steps / 8):  # as above
            at = [run(heap, end, *words, repr(h / n)) for n in (1, 2, 4)]
            error, found = max(apart(at[0], at[2]), apart(at[1], at[2])), apart(ours, at[2])
            if error >= 2e-2 or found < 4 * error + 5 * h:
                break
        compared += error < 2e-2
        assert error >= 2e-2 or found < 4 * error + 5 * h, f"{family} {seed}: {found:.1e}, halving {error:.1e}"
    assert compared >= len(seeds) * 3 // 4, compared


def test_boxes_end(_):
    """Boxes with friction and restitution on tilted floors, and stacks: four seconds, no false refusal"""
    to_the_end("boxes")


def test_frictions_that_halt_together(_):
    """The rate of the second is zero to the rounding of the time: it keeps its law"""
    for seed in (1077, 1079, 1159):
        assert run(heaps.FAMILIES["boxes"](seed), 4, forces="good") is not None


def test_impacts_that_gain(_):
    """By both ways, beside rates between those of plastic impacts and Newton's with the energy of before"""
    against_moreau("boxes", 0.52, 1000, GAINING)
    steps_agree("boxes", 0.52, 1000, GAINING)


def test_smooth_end(_):
    """The same without friction"""
    to_the_end("smooth")


def test_pendulums_end(_):
    """Pendulums between stops, with dry friction"""
    to_the_end("pendulums")


def test_boxes_agree(_):
    """Boxes: the poses of Moreau's time stepping, within its error"""
    against_moreau("boxes", 0.6, 300)


def test_plastic_agree(_):
    """The same, plastic"""
    against_moreau("plastic", 0.6, 300)


def test_pendulums_whose_friction_is_at_their_limits(_):
    """Bouncing at a limit of a joint with friction ends, wherever steps end"""
    for seed in (10, 17):
        for accuracy in ("1e-6", "1.1e-6", "1e-4"):
            assert run(heaps.FAMILIES["pendulums"](seed), 1, "--accuracy", accuracy) is not None


def test_pendulums_agree(_):
    """Pendulums between stops: likewise"""
    against_moreau("pendulums", 0.6, 300)


def test_steps_agree(_):
    """Method moreau: boxes and pendulums as the events have them, within its error"""
    for family in ("boxes", "smooth", "pendulums"):
        steps_agree(family, 0.6, 300)


def test_balls_in_a_box_rest(_):
    """30 of them, by events and by `moreau`, there with rolling resistance too: no energy is gained, none moves on but on the floor without slip"""
    for rolling, options in ((0, ()), (0, steps := ("--integrator", "moreau", "--method", "s-both2", "--step", "1e-3")), (1e-3, steps)):
        with open("box.json", "w", encoding="utf-8") as file:
            json.dump((box := bench_balls.box(30)) | {"contacts": [c | {"rolling": rolling} for c in box["contacts"]]}, file)
        done = subprocess.run([TRAMMEL, "run", "box.json", "--end", "3", "--json", "--no-verify", *options],
                              capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert said["verdicts"]["energy"] == "good", said["verdicts"]
        assert said["energy"]["end"] < said["energy"]["initial"], said["energy"]
        fastest = max(abs(v) for body in said["state"]["bodies"].values() for v in (*body["velocity"], body["rate"])
                      if max(body["position"][1] - 0.05, abs(body["velocity"][0] + 0.05 * body["rate"])) > 1e-8)
        assert fastest < 1e-4, fastest  # a second's way is what may overlap, 1e-4 of 1 m


def test_endless(_):
    """A point in a groove, one side with restitution 1, strikes for ever in a finite time: projected steps go on, told"""
    stops = [{"name": name, "marker": "p", "on": "o", "normal": normal, "restitution": e}
             for name, normal, e in (("left", [1, 1], 1), ("right", [-1, 2], 0))]
    scene = {"dimension": 2, "gravity": [0, -heaps.G], "stops": stops,
             "bodies": [{"name": "a", "mass": 1, "shape": {"type": "point"}, "position": [0.1, 0.5]}],
             "markers": [{"name": "p", "body": "a", "on": [0, 0]}, {"name": "o", "body": "ground", "at": [0, 0]}]}
    with open("groove.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    done = subprocess.run([TRAMMEL, "run", "groove.json", "--end", "4", "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["contacts"]["projected"]["intervals"] > 0, said["contacts"]
    assert said["contacts"]["changes"] < 1000, said["contacts"]
    # it lies at the bottom, at most the overlap deep, 1e-4 of 1 m
    assert abs(said["contacts"]["energy_lost"] - 0.5 * heaps.G) < 1e-4 * heaps.G, said["contacts"]


if __name__ == "__main__":
    CASES = [case for name, case in list(globals().items()) if name.startswith("test_")]
    sys.exit(tap.run(CASES, None, in_folders=True))
