#!/usr/bin/env python3
"""Redundant mechanisms with the numbers of a drawing move as those that were meant, by a few misfits.

usage: misfits_test.py TRAMMEL ROOT. Prints TAP.
"""
import json
import os
import subprocess
import sys
import tempfile

import tap
from tap import case

TRAMMEL, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, os.path.join(ROOT, "validation/campaign"))
sys.dont_write_bytecode = True
import redundant  # pylint: disable=wrong-import-position

SCRATCH = tempfile.TemporaryDirectory(prefix="trammel-misfits-")  # pylint: disable=consider-using-with
THROUGH = "through their change points"


def run(scene, *options, checked=False):
    path = os.path.join(SCRATCH.name, "scene.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scene, file)
    done = subprocess.run([TRAMMEL, "run", path, "--json", *([] if checked else ["--no-verify"]), *options], capture_output=True, text=True, check=False, timeout=tap.PATIENCE)
    return done.returncode, done.stderr, json.loads(done.stdout) if done.stdout else None


def moved(scene, *options):
    code, said, out = run(scene, *options)
    assert code == 0, said
    return out


def off(found, wanted, scale=1):
    """The largest difference of a position, in m before it was scaled, or of an angle in rad."""
    worst = 0
    for name, body in found["state"]["bodies"].items():
        other = wanted["state"]["bodies"][name]
        worst = max([worst, *(abs(a / scale - b) for a, b in zip(body["position"], other["position"]))])
        if "angle" in body:
            worst = max(worst, abs(body["angle"] - other["angle"]))
            continue
        sign = 1 if sum(a * b for a, b in zip(body["quat_wxyz"], other["quat_wxyz"])) > 0 else -1
        worst = max([worst, *(2 * abs(sign * a - b) for a, b in zip(body["quat_wxyz"], other["quat_wxyz"]))])
    return worst


def check(mechanism, misfit, *options, allowed=300, **changed):
    """As exact in the same coordinates: off by some misfits, and never POOR; in as many steps, where it meets no change point."""
    meant = moved(mechanism.scene(), "--coordinates", "absolute", *options)
    scale = changed.get("scale", 1)
    out = moved(mechanism.scene(**changed), *options)
    how = f"{mechanism.name} {changed} {options}"
    error = off(out, meant, scale)
    assert error < allowed * misfit + 3e-5, f"{how}: off by {error:.2g}"
    assert "POOR" not in out["verdicts"].values(), f"{how}: {out['verdicts']}"
    if THROUGH not in mechanism.name:
        assert out["steps"] <= 2 * meant["steps"] + 20, f"{how}: {out['steps']} steps for {meant['steps']}"


@case
def digits():
    """Rounded to 9 ... 3 decimals: the motion of the exact mechanism, by 300 of the last digit, at A = 1e-3 and 1e-6"""
    for mechanism in redundant.all_of_them():
        for decimals in range(9, 2, -1):
            check(mechanism, 10.0 ** -decimals, digits=decimals)
        for decimals in (8, 6, 4):
            check(mechanism, 10.0 ** -decimals, "--accuracy", "1e-3", digits=decimals)


@case
def turned_hinges():
    """One hinge turned by 1e-8 ... 1e-3 rad, at A = 1e-9 too, from millimetres to kilometres: the same, by 20 of that angle"""
    for mechanism in redundant.all_of_them():
        for power in range(-8, -2):
            check(mechanism, 10.0 ** power, allowed=20, turn=10.0 ** power)
        for power in (-7, -5, -4) if THROUGH not in mechanism.name else (-8, -7, -6):
            check(mechanism, 10.0 ** power, "--accuracy", "1e-9", allowed=20, turn=10.0 ** power)
        for scale in (1e-3, 1e3):
            check(mechanism, 1e-5, allowed=20, turn=1e-5, scale=scale)


@case
def methods():
    """Fixed steps and other stabilizations see the same mechanism"""
    for mechanism in (redundant.door(2), redundant.four_bar(), redundant.bennett(), redundant.spherical()):
        for method in ("rk4+s-both2", "dopri5+s-both2", "rk4+projection", "dop853+s-both"):
            integrator, stabilization = method.split("+")
            step = ("--step", "1e-3") if integrator == "rk4" else ()
            options = ("--integrator", integrator, "--method", stabilization, *step)
            check(mechanism, 1e-5, *options, allowed=20, turn=1e-5)


@case
def locks():
    """Axes askew by 1e-2 lock: refused, with the joints, the misfit and what takes it as play; by the letter nothing moves"""
    for mechanism in (redundant.door(2), redundant.four_bar(), redundant.bennett()):
        scene = mechanism.scene(turn=1e-2)
        code, said, _ = run(scene)
        assert code == 3 and "nothing moves" in said and "; misfit 0.0" in said and "misfit 0 leaves it locked" in said, said
        code, said, out = run(mechanism.scene(turn=1e-4), "--misfit", "0", checked=True)
        assert code != 0 or off(out, {"state": {"bodies": {b["name"]: b for b in scene["bodies"]}}}) < 0.02, mechanism.name


@case
def letter():
    """By the letter every run ends, and none moves: what is too little for a lock and too much for a motion is refused"""
    for mechanism in (redundant.door(2), redundant.four_bar(), redundant.six_bar(), redundant.bennett(), redundant.spherical(), redundant.scissors()):
        for turn in (1e-7, 1e-6, 1e-5, 1e-4, 1e-2):
            for accuracy in ("1e-3", "1e-6"):
                scene = mechanism.scene(turn=turn, misfit=0)
                code, said, out = run(scene, "--accuracy", accuracy)
                still = code == 0 and out["misfit"]["locked"] and off(out, {"state": {"bodies": {b["name"]: b for b in scene["bodies"]}}}) < 0.02
                assert still or code == 3 and "by the letter" in said and "misfit 0.001 takes that as play" in said, f"{mechanism.name} {turn} {accuracy}: {code} {said}"
        code, said, out = run(mechanism.scene(digits=5, misfit=0))
        assert code == 0 or "misfit 0.001 takes that as play" in said, f"{mechanism.name}: {said}"


@case
def frames():
    """Three to five bars with hinges in any directions are locked: refused at once, or stand, told; by the letter they stand"""
    for seed in range(20):
        scene = redundant.frame(seed).scene()
        code, said, out = run(scene)
        told = code == 3 and "nothing moves" in said and " freedom" in said and "misfit 0 leaves it locked" in said
        assert told or code == 0 and out["misfit"]["locked"], f"{seed}: {code} {said}"
        assert still(redundant.frame(seed).scene(misfit=0)), seed


@case
def askew():
    """Hinges turned by 0.03 ... 0.3 rad, or that bodies move as before: never stands still without a word"""
    for mechanism in redundant.all_of_them():
        for turn in (0.03, 0.1, 0.3):
            scene = mechanism.scene(turn=turn)
            code, said, out = run(scene)
            told = code == 3 and ("nothing moves" in said or "a motion is locked" in said) and " freedom" in said and "a joint with more freedom" in said and "misfit 0 " in said
            told |= code == 4 and "the play at" in said
            assert told or off(out, {"state": {"bodies": {b["name"]: b for b in scene["bodies"]}}}) > 0.01, f"{mechanism.name} {turn}: {code} {said}"


@case
def structures():
    """Trusses and arches stand: bars in the plane have no axes askew"""
    for scene in [redundant.truss(seed) for seed in range(12)] + [redundant.arch(0.3 / 2 ** k) for k in range(10)]:
        code, said, _ = run(scene)
        assert code == 0, f"{scene['title']}: {said}"


def still(scene, *options):
    out = moved(scene, *options)
    return max(abs(x) for body in out["state"]["bodies"].values() for x in body["velocity"]) < 1e-6 and out["misfit"]["locked"]


@case
def flat():
    """Flat and long trusses stand, exact and rounded, and are told to be locked; joints turn by as much as bars open over their height"""
    for fields, height in ((1, 0.1), (1, 0.05), (2, 0.02), (3, 0.1), (3, 0.01), (5, 0.05), (10, 0.1), (20, 0.05), (40, 0.025)):
        for braced in (0, 1):
            for digits in (None, 6, 4) if fields < 10 else (None,):
                scene = redundant.cantilever(fields, height, braced, fields, digits)
                assert still(scene), scene["title"]
    for digits in (None, 9, 6, 4):
        for make in (lambda d: redundant.flat_parallelogram(3, 0.1, d), lambda d: redundant.aligned_four_bar(0.01, d), lambda d: redundant.toggle(0.01, d)):
            exact, out = moved(make(None)), moved(make(digits))
            assert off(out, exact) < 3e-5 + 3e3 * 10.0 ** -(digits or 16), make(digits)["title"]
            assert out["steps"] > 5 and not out["misfit"]["locked"], make(digits)["title"]


@case
def locked():
    """Axes farther apart than any misfit: the run and the check say that nothing can move, and which axes"""
    for turn in (0.5, 1.0, 1.5):
        for mechanism in redundant.all_of_them():
            code, said, out = run(mechanism.scene(turn=turn))
            assert code == 3 and "nothing moves" in said or code == 0 and (out["misfit"]["locked"] or "two freedoms" in mechanism.name), f"{mechanism.name} {turn}: {code} {said}"
    idle = [{"name": kind, "type": kind, "bodies": ["ground", "b"], "at": [0, 0, 0]} for kind in ("weld", "spherical")]
    idle = {"dimension": 3, "bodies": [{"name": "b", "mass": 1, "inertia": [1, 1, 1]}], "joints": idle, "simulation": {"end": 1e-3}}
    assert all(still(idle, "--coordinates", kind) for kind in ("absolute", "joint"))
    run(redundant.door(2).scene(turn=1.0))
    for command in ("run", "check"):
        text = subprocess.run([TRAMMEL, command, os.path.join(SCRATCH.name, "scene.json")], capture_output=True, text=True, check=True).stdout
        assert "nothing can move" in text and "the axes of hinge0 and hinge1 are 1 rad apart" in text, text


@case
def freedoms():
    """An axis askew that locks one of two freedoms is refused, too"""
    for turn in (2e-3, 1e-2, 3e-2):
        code, said, _ = run(redundant.five_bar().scene(turn=turn))
        assert code == 3 and "a motion is locked" in said and "1 freedom" in said, f"{turn}: {code} {said}"


@case
def forces():
    """Reactions are those of least norm, of the exact mechanism except for the misfit; energy is judged against it"""
    def reactions(scene):
        out = os.path.join(SCRATCH.name, "out.csv")
        report = moved(scene, "-o", out, "--every", "0.1")
        with open(out, encoding="utf-8") as file:
            names, *rows = [line.rstrip("\n").split(",") for line in file if not line.startswith("#")]
        kept = [k for k, name in enumerate(names) if "lambda" in name]
        return report, [[float(row[k]) for k in kept] for row in rows]
    for mechanism in (redundant.four_bar(), redundant.bennett(), redundant.spherical()):
        _, wanted = reactions(mechanism.scene())
        report, found = reactions(mechanism.scene(digits=6))
        largest = max(abs(x) for row in wanted for x in row)
        error = max(abs(a - b) for one, other in zip(wanted, found) for a, b in zip(one, other)) / largest
        assert wanted[0] and error < 1e-3, f"{mechanism.name}: reactions off by {error:.2g}"
        assert report["verdicts"]["energy"] in ("good", "fair") and report["verdicts"]["constraints"] in ("good", "fair"), report["verdicts"]


@case
def stiff():
    """ida leaves out what redundant rows contradict each other by: a gear set whose shafts are off by 1e-9 ... 1e-7 m"""
    with open(os.path.join(ROOT, "tests/tools/motions/first_hour/redundant_gearbox.json"), encoding="utf-8") as file:
        scene = json.load(file)
    scene["assemble"] = True
    meant = moved(scene)
    for power in (-9, -8, -7):
        shift = 10.0 ** power
        for k, joint in enumerate(scene["joints"][:3]):
            joint["at"] = [shift * (k - 1.3), shift * (0.4 - 0.6 * k)]
        out = moved(scene)
        assert off(out, meant) < 1e-5 and out["misfit"]["relative"] > shift, f"{shift}: {off(out, meant)}"


@case
def many():
    """Many redundant loops are not told to be locked, and are as stiff as few: in five times the steps of ida at most"""
    with open(os.path.join(ROOT, "tests/scenes/space_ladder.json"), encoding="utf-8") as file:
        scene = json.load(file)
    scene["markers"] = [{"name": "g", "body": "ground", "at": [-1, -1, 0]}, {"name": "c", "body": "crank0", "at": [0, -1, 0]}]
    scene["forces"] = [{"name": "d", "type": "spring_damper", "markers": ["g", "c"], "stiffness": 1e6, "rest_length": 1, "damping": 1e7}]
    for scene["parameters"]["n"] in (4, 12):
        meant = moved(scene, "--integrator", "ida")
        for coordinates in ("absolute", "joint"):
            out = moved(scene, "--coordinates", coordinates)
            assert off(out, meant) < 1e-6 and out["steps"] < 5 * meant["steps"] and not out["misfit"]["locked"], out["steps"]


def swung(mechanism):
    """The centre of the bar on equal cranks at the end: a pendulum of one angle, by 2000 steps of Runge and Kutta."""
    r = redundant
    place = {name: at for name, _, _, at, _ in mechanism.joints}
    z, down = r.apply(mechanism.frame, r.Z), r.mul(r.apply(mechanism.frame, r.unit((0.3, -0.9, 0.3))), 9.81)
    bar, arm = mechanism.bars["bar"], r.sub(place["p0"], place["g0"])
    lever, inertia = r.mul(arm, bar.mass), bar.mass * r.dot(arm, arm)
    for name, crank in mechanism.bars.items():
        if name != "bar":
            way = r.sub(crank.centre, place["g" + name[len("crank"):]])
            across = r.sub(way, r.mul(z, r.dot(way, z)))
            lever = r.add(lever, r.mul(across, crank.mass))
            inertia += crank.mass * r.dot(across, across) + sum(one * x * x for one, x in zip(crank.inertia, r.apply(r.transpose(crank.R), z)))
    u, rate, h = 0.0, 0.0, mechanism.end / 2000

    def pull(angle):
        return r.dot(z, r.cross(r.apply(r.rotation(z, angle), lever), down)) / inertia
    for _ in range(2000):  # u'' does not depend on u': Nystroem's form
        a = pull(u)
        b = pull(u + h / 2 * rate + h * h / 8 * a)
        c = pull(u + h * rate + h * h / 2 * b)
        u, rate = u + h * rate + h * h / 6 * (a + 2 * b), rate + h / 6 * (a + 4 * b + c)
    return r.add(bar.centre, r.sub(r.apply(r.rotation(z, u), arm), arm))


@case
def near_a_change_point():
    """A start near a change point is no lock; where rounded numbers do not tell which motion goes on, that is said"""
    for angle in (-0.1, 0.03, 1e-3):
        mechanism = redundant.cranks(6, angle, 0.5, "cranks")
        centre = swung(mechanism)
        for scene in (mechanism.scene(), mechanism.scene(misfit=0)):
            assert redundant.norm(redundant.sub(moved(scene)["state"]["bodies"]["bar"]["position"], centre)) < 1e-5, angle
        code, said, out = run(mechanism.scene(digits=5))
        told = code in (3, 4) and ("miss " in said or "which goes on" in said or "the play at" in said) and "more digits help" in said
        assert told or code == 0 and (abs(angle) < 0.1 or not out["misfit"]["locked"]), f"{angle}: {said}"


@case
def ida_and_misfits():
    """Where ida does not get over what redundant rows contradict each other by, it says what does"""
    for digits in (3, 7):
        code, said, _ = run(redundant.door(2).scene(digits=digits), "--integrator", "ida")
        assert code == 0 or "miss each other" in said and "another method than ida" in said, said


@case
def bounds():
    """A hinge turned by e opens by 2 e at most; play that grows beyond three misfits ends the run, with the joint and the time"""
    for turn in (1e-4, 9e-4):
        play = moved(redundant.door(2).scene(turn=turn))["misfit"]
        assert 0.3 * turn < play["relative"] < 2.01 * turn, play
    code, said, _ = run(redundant.spherical().scene(turn=1e-2))
    assert code == 4 and "the play at 'R" in said and "stopped at t =" in said and "three times the misfit" in said, said


@case
def crossings():
    """Singular positions are counted with unequal cranks: of redundant ones those that were meant, of others none, by the letter; and with masses 1e4 apart"""
    for of in ["6 --misfit 1e-6", "6 --misfit 3e-4"] + [f"{seeds} --masses 1e4 --spare --coordinates absolute" for seeds in ("109-110", "157-158", "188-189")]:
        done = subprocess.run([sys.executable, os.path.join(ROOT, "validation/campaign/crossings"), "--trammel", TRAMMEL, "--jobs", "1",
                               "--accuracies", "1e-3,1e-6", "--seeds", *of.split()], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[:500]


@case
def sizes():
    """A start is closed in the reach of the mechanism: open by 3e-8 of it is refused, by 3e-9 it runs, from 1e-9 m to 1e6 m"""
    for scale in (1e-9, 1e-6, 1, 1e3, 1e6):
        for gap, wanted in ((3e-9, 0), (3e-8, 3)):
            scene = redundant.pinned("four-bar", [(0.0, 0.0), (0.3 * scale, 0.0), (scale, 0.5 * scale), (0.9 * scale, -0.55 * scale)], [(0, 1), (1, 2), (2, 3)], (0, 3))
            place = scene["joints"][-1]["at"]
            scene["joints"][-1]["at"] = [place, [place[0] + gap * scale, place[1]]]
            scene["gravity"] = [0, -9.81 * scale]
            code, said, _ = run(scene)
            assert code == wanted and (code == 0 or "the start does not close" in said), f"{scale} {gap}: {code} {said}"


@case
def thin():
    """A door light about its own axis swings like the exact one, to r/l = 1e-6: it stood still as locked, did not end, or was refused"""
    for ratio, turn in ((1e-2, 1e-4), (1e-4, 1e-6), (1e-4, 1e-4), (1e-5, 1e-6), (1e-6, 1e-3), (1e-6, 0)):
        door = redundant.door(2).scene(turn=turn)
        body = door["bodies"][0]
        body["inertia"] = [6 * ratio ** 2 * body["inertia"][0], body["inertia"][0], body["inertia"][0]]
        exact = redundant.door(2).scene()
        exact["bodies"][0]["inertia"] = body["inertia"]
        out = moved(door)
        assert off(out, moved(exact)) < 1e-5 + 20 * turn and out["steps"] < 60, (ratio, turn)
    linkage, exact = (redundant.four_bar().scene(**given) for given in ({"digits": 8}, {}))
    for body in (*linkage["bodies"], *exact["bodies"]):
        body["inertia"] = [max(body["inertia"]) * (6e-4 if one == min(body["inertia"]) else 1) for one in body["inertia"]]
    out = moved(linkage, "--method", "s-both", "--metric", "identity")
    assert off(out, moved(exact)) < 3e-6 and out["steps"] < 200, out["steps"]


@case
def told():
    """Run and check name what rows miss by; A does not enter"""
    for options in ((), ("--accuracy", "1e-3")):
        out = moved(redundant.bennett().scene(digits=4), *options)
        assert 1e-5 < out["misfit"]["relative"] < 1e-3 and "R1" in out["misfit"]["joints"]
    path = os.path.join(SCRATCH.name, "scene.json")
    checked = subprocess.run([TRAMMEL, "check", path], capture_output=True, text=True, check=True).stdout
    assert "they repeat others except for" in checked and "Degrees of freedom    1" in checked, checked
    exact = moved(redundant.bennett().scene())
    assert exact["misfit"]["relative"] < 1e-12 and not exact["misfit"]["joints"]


@case
def rest_in_singular_positions():
    """What nothing pushes stands still by any branch, exact and rounded; a load that comes later, or is there, leaves it open"""
    for name in ("dead_point", "flat_parallelogram", "flat_spatial_parallelogram"):
        with open(os.path.join(ROOT, "tests/diagnosis", name + ".json"), encoding="utf-8") as file:
            scene = json.load(file)
        across = ["1" if name == "dead_point" else "0", "0" if name == "dead_point" else "1", "0"][:scene["dimension"]]
        scene["markers"] = [{"name": "end", "body": "crank", "at": scene["bodies"][0]["ends"][1]}]
        for load, says in (("0", "good"), ("3*max(0, t - 0.5)", "POOR"), ("1", "POOR")):
            scene["forces"] = [{"name": "load", "type": "force", "marker": "end", "value": [f"{x}*({load})" for x in across]}]
            found = moved(scene)
            assert found["verdicts"]["branch"] == says, f"{name} {load}: {found['verdicts']}"


@case
def refused():
    """A misfit that would tear the mechanism is refused, in the scene with its place"""
    code, said, _ = run(redundant.door(2).scene(misfit=0.5))
    assert code == 2 and "misfit must be at most 0.02" in said, said
    code, said, _ = run(redundant.door(2).scene(), "--misfit", "0.5")
    assert code == 1 and "misfit" in said, said


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
