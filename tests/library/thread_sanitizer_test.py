"""Many threads with one model, under the thread sanitizer: a build of its own in BUILD/thread_sanitizer.

usage: thread_sanitizer_test.py BUILD SOURCE
"""

import os
import subprocess
import sys

import tap
from installation import command

BUILD, SOURCE = os.path.join(sys.argv[1], "thread_sanitizer"), sys.argv[2]
PROGRAM = os.path.join(BUILD, "threads")
SCENES = ["docs/examples/leg/leg.json", "scenes/four_bar.json", "scenes/bricard.json"]


def compiler():
    """One that has the sanitizer, or none."""
    os.makedirs(BUILD, exist_ok=True)
    probe = os.path.join(BUILD, "probe")
    for name in os.environ.get("CC", "").split()[-1:] + ["gcc", "clang"]:
        words = [name, "-fsanitize=thread", "-x", "c", "-", "-o", probe]
        try:
            if subprocess.run(words, input="int main(void) { return 0; }", text=True, capture_output=True).returncode == 0:
                subprocess.run([probe], check=True)
                return name
        except (OSError, subprocess.CalledProcessError):
            pass
    raise tap.Skipped("no compiler with a thread sanitizer that works here")


def build():
    name = compiler()
    sanitize = ["-Db_sanitize=thread", "-Db_lundef=false", "-Dtests=false", "--buildtype=debug"]
    folder = os.path.join(BUILD, "library")
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        command("meson", "setup", *sanitize, folder, SOURCE, env={**os.environ, "CC": os.environ.get("CC", name)})
    command("ninja", "-j2", "-C", folder, "libtrammel.so.0.1.0")
    flags = ["-std=gnu17", "-g", "-O1", "-fsanitize=thread", "-I", os.path.join(SOURCE, "include")]
    library = [f"-L{folder}", "-l:libtrammel.so.0.1.0", f"-Wl,-rpath,{folder}", "-lpthread"]
    command(name, *flags, f"{SOURCE}/tests/library/threads.c", "-o", PROGRAM, *library)


def no_race():
    tap.by_night()
    build()
    scenes = [os.path.join(SOURCE, scene) for scene in SCENES]
    environment = {**os.environ, "TSAN_OPTIONS": "halt_on_error=1:exitcode=66", "OPENBLAS_NUM_THREADS": "1"}
    text = command(PROGRAM, *scenes, env=environment)
    assert text.count("the same bits") == len(scenes), text


if __name__ == "__main__":
    sys.exit(tap.run([no_race]))
