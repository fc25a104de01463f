#!/usr/bin/env python3
"""Keys of a scene that change nothing, by validation/campaign/effects: none is accepted in silence.

usage: effects_test.py TRAMMEL ROOT. Prints TAP. By day the kinds with few sets of keys, by night all.
"""
import subprocess
import sys

import tap

TRAMMEL, ROOT = sys.argv[1:3]
BY_DAY = ["spring_damper", "event", "input", "torque", "cam"]
BY_NIGHT = ["joint_spring_damper", "servo", "joint_force", "force", "tendon", "bushing", "point_gravity", "revolute", "prismatic", "friction", "stop",
            "contact", "coupling", "gear", "expression", "velocity"]


def of_kind(kind):
    def case(_):
        if kind in BY_NIGHT:
            tap.by_night()
        done = subprocess.run([sys.executable, f"{ROOT}/validation/campaign/effects", "--trammel", TRAMMEL, "--seeds", "2" if tap.nightly() else "1",
                               "--only", kind], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert int(done.stdout.split()[0]) > 0, done.stdout
    case.__doc__ = f"{kind}: every key that is accepted has an effect"
    return case


if __name__ == "__main__":
    sys.exit(tap.run([of_kind(kind) for kind in BY_DAY + BY_NIGHT], None, in_folders=True))
