#!/usr/bin/env python3
"""Cost and memory of n balls that fall on a plane, bounce, slip and roll, far apart from each other.

usage: bench_balls.py TRAMMEL [N ...]     default: 30 100 300 1000 3000

CPU seconds are those of the stepping loop of one run of 0.3 s at the default accuracy, the least of three for up to
300 balls; memory is that of the whole process. The last line has the exponents between the first n and the last one,
memory above that of the first n. A promise stands behind it: 1.1 at most (docs/explanation/contact.md).
"""
import json
import math
import os
import pathlib
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


def measure(trammel, file):
    """CPU seconds and steps of the run, MB of the process."""
    with subprocess.Popen([trammel, "run", file, "--no-verify", "--json"], stdout=subprocess.PIPE) as process:
        report = json.loads(process.stdout.read())
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return report["cpu_s"], report["steps"], usage.ru_maxrss / 1024


def main():
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
