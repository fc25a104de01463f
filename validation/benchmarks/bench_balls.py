#!/usr/bin/env python3
"""Cost and memory of n balls that fall on a plane, bounce, slip and roll, far apart from each other; or into a box.

usage: bench_balls.py TRAMMEL [N ...]                 default: 30 100 300 1000 3000
       bench_balls.py TRAMMEL --box CLIENTS [N ...]   discs into a box; CLIENTS/node_modules/@mujoco/mujoco

In a box: `moreau` beside MuJoCo, 1.5 s in steps of 1 ms; CPU of a step, the largest rate (m/s, rad/s) and the
deepest overlap at the end. MuJoCo's contacts are soft, and its restitution follows from time constants: they are its defaults.

CPU seconds are those of the stepping loop of one run of 0.3 s at the default accuracy, the least of three for up to
300 balls; memory is that of the whole process. The last line has the exponents between the first n and the last one,
memory above that of the first n. A promise stands behind it: 1.1 at most (docs/explanation/contact.md).
"""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile


def scene(n):
    """n balls in a square, 1 m apart, at 17 heights."""
    side = math.ceil(math.sqrt(n))
    balls = [{"name": f"b{i}", "shape": {"type": "sphere", "radius": 0.1}, "mass": 1,
              "position": [i % side, i // side, 0.2 + 0.001 * (i % 17)], "velocity": [0.1, 0, 0]} for i in range(n)]
    touches = [{"name": f"c{i}", "bodies": [f"b{i}", "ground"], "restitution": 0.5, "friction": 0.3} for i in range(n)]
    return {"dimension": 3, "gravity": [0, 0, -9.81], "bodies": balls, "contacts": touches,
            "simulation": {"end": 0.3, "every": 0.1}}


def box(n):
    """Discs of 0.1 m in rows of sqrt(n), a little out of line, in a box of that width."""
    chance, side = random.Random(1), math.ceil(math.sqrt(n))
    law, width = {"restitution": 0.3, "friction": 0.3}, 0.12 * (side + 0.5)
    balls = [{"name": f"b{i}", "shape": {"type": "disc", "radius": 0.05}, "mass": 1,
              "velocity": [chance.uniform(-0.5, 0.5), chance.uniform(-0.5, 0.5)],
              "position": [0.12 * (i % side + 0.75) + chance.uniform(-0.0075, 0.0075),
                           0.12 * (i // side) + 0.11 + chance.uniform(-0.0075, 0.0075)]} for i in range(n)]
    walls = {"f": ([0, 0], [0, 1]), "l": ([0, 0], [1, 0]), "r": ([width, 0], [-1, 0])}
    touches = [{"name": f"{w}{i}", "bodies": [f"b{i}", "ground"], **law,
                "shapes": [None, {"type": "plane", "normal": normal, "at": w}]}
               for i in range(n) for w, (_, normal) in walls.items()]
    touches += [{"name": f"t{i}_{j}", "bodies": [f"b{i}", f"b{j}"], **law} for i in range(n) for j in range(i)]
    return {"dimension": 2, "gravity": [0, -9.81], "bodies": balls, "contacts": touches,
            "markers": [{"name": w, "body": "ground", "at": at} for w, (at, _) in walls.items()],
            "simulation": {"end": 1.5, "every": 0.5}}


def as_mjcf(scene, walls=(("0 0 0", "0 0 1"), ("0 0 0", "1 0 0"), ("{} 0 0", "-1 0 0"))):
    """The same for MuJoCo: spheres with the inertia of discs that slide in a plane and turn in it."""
    width = scene["markers"][2]["at"][0]
    planes = "".join(f'<geom type="plane" size="9 9 1" pos="{at.format(width)}" zaxis="{z}"/>' for at, z in walls)
    balls = "".join(f'<body pos="{x} 0 {y}"><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>'
                    '<joint axis="0 -1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1e-3 1.25e-3 1e-3"/>'
                    '<geom size="0.05"/></body>' for x, y in (ball["position"] for ball in scene["bodies"]))
    return ('<mujoco><option timestep="1e-3"/><default><geom friction="0.3"/></default>'
            f"<worldbody>{planes}{balls}</worldbody></mujoco>")


def beside(trammel, clients, sizes):
    """Lines of n, CPU of a step of ours and of MuJoCo's, speeds, overlaps; the exponent of ours."""
    print(f"{'balls':>6} {'ms/step':>8} {'rad/s':>8} {'overlap m':>9} {'MuJoCo: ms/step':>16} {'rad/s':>8} {'overlap m':>9}")
    found, client = [], pathlib.Path(__file__).parents[1] / "beside" / "mujoco.mjs"
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "box.json"
        for n in sizes:
            scene = box(n)
            file.write_text(json.dumps(scene), encoding="utf-8")
            report = json.loads(subprocess.run(
                [trammel, "run", file, "--no-verify", "--json", "--integrator", "moreau", "--method", "s-both2", "--step", "1e-3"],
                stdout=subprocess.PIPE, check=True).stdout)
            asked = {"xml": as_mjcf(scene), "end": 1.5, "velocity":
                     [v for ball in scene["bodies"] for v in (*ball["velocity"], 0)], "last": True}
            other = json.loads(subprocess.run(["node", client, clients], input=json.dumps(asked), encoding="utf-8",
                                              stdout=subprocess.PIPE, check=True).stdout)
            fastest = max(abs(v) for body in report["state"]["bodies"].values() for v in (*body["velocity"], body["rate"]))
            deepest = max(-touch["x"] for touch in report["contacts"]["now"].values())
            found.append(1e3 * report["cpu_s"] / report["steps"])
            print(f"{n:>6} {found[-1]:>8.3f} {fastest:>8.1e} {max(deepest, 0):>9.1e}"
                  f" {other['ms']:>16.3f} {other['fastest']:>8.1e} {other['deepest']:>9.1e}", flush=True)
    print(f"exponent of CPU {math.log(found[-1] / found[0]) / math.log(sizes[-1] / sizes[0]):.3f}")


def measure(trammel, file):
    """CPU seconds and steps of the run, MB of the process."""
    with subprocess.Popen([trammel, "run", file, "--no-verify", "--json"], stdout=subprocess.PIPE) as process:
        report = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return report["cpu_s"], report["steps"], usage.ru_maxrss / 1024


def main():
    if sys.argv[2:3] == ["--box"]:
        return beside(sys.argv[1], sys.argv[3], [int(n) for n in sys.argv[4:]] or [30, 100, 300])
    trammel, sizes = sys.argv[1], [int(n) for n in sys.argv[2:]] or [30, 100, 300, 1000, 3000]
    found = []
    print(f"{'balls':>6} {'steps':>6} {'CPU s':>9} {'ms/ball':>8} {'MB':>7}")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "balls.json"
        for n in sizes:
            file.write_text(json.dumps(scene(n)), encoding="utf-8")
            seconds, steps, memory = min(measure(trammel, file) for _ in range(3 if n <= 300 else 1))
            found.append((n, seconds, memory))
            print(f"{n:>6} {steps:>6} {seconds:>9.4f} {1e3 * seconds / n:>8.3f} {memory:>7.1f}", flush=True)
    (n, seconds, memory), (last, most, room) = found[0], found[-1]
    if last > n:
        decades = math.log(last / n)
        each = (room - memory) / (last - n)
        print(f"exponent of CPU {math.log(most / seconds) / decades:.3f}; {1024 * each:.1f} kB a ball")


if __name__ == "__main__":
    main()
