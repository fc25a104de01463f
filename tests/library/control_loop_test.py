"""Between two periods of a control loop nothing is allocated, locked, printed or asked of the system.

usage: control_loop_test.py CONTROL_LOOP LIBRARY SCENE
"""

import os
import re
import subprocess
import sys
import tempfile

from tap import Skipped, need, run

PROGRAM, LIBRARY, SCENE = sys.argv[1:]
METHODS = 20  # at least so many methods are watched


def counted():
    """The library's own calls of allocator and mutex, counted by the program."""
    done = subprocess.run([PROGRAM, SCENE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("begin\nend\n") >= METHODS, done.stdout


def system_calls():
    """strace sees nothing between begin and end."""
    need("strace")
    with tempfile.TemporaryDirectory() as work:
        log = os.path.join(work, "log")
        one_thread = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # those of OpenBLAS are not the loop's
        words = ["strace", "-f", "-o", log, PROGRAM, SCENE]
        done = subprocess.run(words, capture_output=True, text=True, env=one_thread)
        if done.returncode != 0 and "ptrace" in done.stderr:
            raise Skipped("ptrace is not allowed here")
        assert done.returncode == 0, done.stderr
        with open(log, encoding="utf-8", errors="replace") as file:
            lines = [re.sub(r"^\d+\s+", "", line.rstrip()) for line in file]
    inside, loops, seen = False, 0, []
    for line in lines:
        if line.startswith('write(1, "begin'):
            inside = True
        elif line.startswith('write(1, "end'):
            inside, loops = False, loops + 1
        elif inside and not line.startswith(("---", "+++")):
            seen.append(line)
    assert loops >= METHODS, loops
    assert not seen, f"{len(seen)} system calls, first {seen[:5]}"


def asked_of_others():
    """No clock, no output, no end of the process, no signal among what the library links to."""
    table = subprocess.run(["nm", "-D", "--undefined-only", LIBRARY], check=True, capture_output=True, text=True).stdout
    names = {line.split()[-1].split("@")[0] for line in table.splitlines()}
    forbidden = "clock clock_gettime gettimeofday time nanosleep printf fprintf puts putchar fputs fwrite write perror"
    forbidden += " exit _exit abort signal sigaction raise kill getenv setlocale rand srand"
    assert "memcpy" in names, names
    assert not names & set(forbidden.split()), names & set(forbidden.split())


def threads_of_batches():
    """Threads are made by trm_batch_create alone."""
    archive = LIBRARY[: LIBRARY.index(".so")] + ".a"
    table = subprocess.run(["nm", "-A", archive], check=True, capture_output=True, text=True).stdout
    makers = {line.split(":")[1] for line in table.splitlines() if line.endswith(" pthread_create")}
    assert all("batch" in maker for maker in makers), makers


CASES = [counted, system_calls, asked_of_others, threads_of_batches]


if __name__ == "__main__":
    sys.exit(run(CASES))
