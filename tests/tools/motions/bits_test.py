#!/usr/bin/env python3
"""The same bits, whatever is not part of the question. Prints TAP.

    tests/tools/motions/bits_test.py TRAMMEL ROOT [TRAMMEL...]     more programs: other build types and compilers, to give the same bits; tools/test
                                                           names that of clang with the sanitizers in TRAMMEL_OTHERS
    tests/tools/motions/bits_test.py TRAMMEL ROOT --hash           the hash of the ten runs alone
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
OTHERS = [os.path.abspath(path) for path in sys.argv[3:] + os.environ.get("TRAMMEL_OTHERS", "").split() if not path.startswith("--")]
# Ten runs: planar and spatial, trees, loops, redundancy, motors, servos, singular positions; each integrator and kind of method once at least.
RUNS = [
    ("pendulum", "--end", "2"), ("slider_crank_turn", "--end", "3"), ("four_bar", "--end", "2", "--accuracy", "1e-4"),
    ("bricard", "--end", "1"), ("andrews", "--integrator", "dopri5", "--method", "s-both2", "--rtol", "1e-6"),
    ("jansen_leg", "--integrator", "rk4", "--method", "projection", "--step", "1e-3", "--end", "1"),
    ("chain_100", "--end", "0.05"), ("spatial_slider_crank", "--integrator", "hem3", "--step", "1e-3", "--end", "0.5"),
    ("arm_parabola", "--integrator", "heun", "--method", "srm", "--step", "1e-3", "--epsilon", "5e-3", "--end", "0.5"),
    ("heavy_top", "--integrator", "dop853", "--method", "state-space", "--end", "0.5"),
]


def record(program, run, folder, **options):
    """The bytes of the recording and of what is reported, without the times it took."""
    name, *words = run
    path = os.path.join(folder, "out.csv")
    done = subprocess.run([program, "run", os.path.join(ROOT, "scenes", name + ".json"), *words, "-o", path, "--every", "0.01", "--json"],
                          capture_output=True, check=False, **options)
    assert done.returncode == 0, (run, done.stderr.decode())
    report = json.loads(done.stdout)
    for key in ("scene", "cpu_s", "realtime_factor"):
        del report[key]
    text = json.dumps(report, sort_keys=True)
    return tap.contents(path) + text.encode()


def digest(program=PROGRAM, **options):
    with tempfile.TemporaryDirectory(prefix="trammel-bits-") as folder:
        all_of_them = hashlib.sha256()
        for run in RUNS:
            all_of_them.update(record(program, run, folder, **options))
        return all_of_them.hexdigest()


def runs_repeat(usual):
    """A second time"""
    assert digest() == usual


def memory(usual):
    """With memory that is not zero, and other addresses"""
    assert digest(env={**os.environ, "MALLOC_PERTURB_": "165", "MALLOC_TOP_PAD_": "1000003"}) == usual


def language(usual):
    """Where numbers have commas: de_DE.UTF-8"""
    if "de_DE.utf8" not in subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout:
        raise tap.Skipped("no locale de_DE.UTF-8 (Debian: localedef -i de_DE -f UTF-8 de_DE.UTF-8)")
    assert digest(env={**os.environ, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}) == usual


def folder(usual):
    """In another folder, with hardly any environment"""
    assert digest(cwd="/", env={"PATH": "/nowhere"}) == usual


def load(usual):
    """Beside other work, two at a time"""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        assert digest() == usual
    finally:
        for process in busy:
            process.kill()
            process.wait()


def jobs(_):
    """compare --jobs 1 and 3 find the same errors"""
    found = []
    for n in ("1", "3"):
        words = [PROGRAM, "compare", os.path.join(ROOT, "scenes/slider_crank_turn.json"), "--end", "1", "--methods", "rk4+s-both2,dopri5+baumgarte",
                 "--steps", "1e-2,1e-3", "--rtols", "1e-4,1e-6", "--repeat", "1", "--json", "--jobs", n]
        rows = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)["rows"]
        found.append({row["id"]: (row["error"], row["errors"], row["position_drift"], row["energy_error"], row["steps"]) for row in rows})
    assert found[0] == found[1] and len(found[0]) >= 4, found


def builds(usual):
    """Other build types, and another compiler"""
    if not OTHERS:
        raise tap.Skipped("no other program was named")
    for program in OTHERS:
        assert digest(program) == usual, program


def main():
    usual = digest()
    if "--hash" in sys.argv:
        print(usual)
        return 0
    print(f"# {usual}")
    return tap.run([runs_repeat, memory, language, folder, load, jobs, builds], usual)


if __name__ == "__main__":
    sys.exit(main())
