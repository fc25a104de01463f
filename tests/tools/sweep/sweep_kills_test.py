#!/usr/bin/env python3
"""Who makes a sweep is killed at random times; the same command afterwards gives the undisturbed bytes. Prints TAP.

    tests/tools/sweep/sweep_kills_test.py TRAMMEL ROOT PACKAGE [ROUNDS] [SEED]

PACKAGE is the folder of the Python package. Victims take turns: a worker of Dask, its nanny, the scheduler, the client, a rank of MPI, the
shell of a shard; ROUNDS are 6 by default. Debian: python3-distributed, openmpi-bin.
"""
import contextlib
import functools
import os
import random
import shutil
import signal
import subprocess
import sys

import tap
from tap import contents as read
from sweep_rig import python_with_dask

PROGRAM, ROOT, PACKAGE = (os.path.abspath(path) for path in sys.argv[1:4])
ROUNDS, SEED = (int(text) for text in (sys.argv[4:] + ["6", "0"][len(sys.argv[4:]):]))
MPI = os.path.join(os.path.dirname(PROGRAM), "trammel-mpi")
RUNS = 300
SWEEP = [os.path.join(ROOT, "scenes", "four_bar.json"), "--set", f"v0=0.5:2:{RUNS}", "--end", "10", "--outputs", "coupler_0.x,max(coupler_0.vy)"]
ENVIRONMENT = os.environ | {"PYTHONPATH": PACKAGE, "TRAMMEL_PROGRAM": PROGRAM, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{tap.PATIENCE}s"}
CHANCE = random.Random(SEED)
STARTED = []  # processes of this round


def start(*words):
    process = subprocess.Popen(words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open("errors.txt", "ab"),  # pylint: disable=consider-using-with
                               start_new_session=True)
    STARTED.append(process)
    return process


def end_all():
    """What this round started, each in a session of its own."""
    for process in STARTED:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    STARTED.clear()


def tail():
    with open("errors.txt", encoding="utf-8", errors="replace") as file:
        return file.read()[-1500:]


def rows():
    found = 0
    for name in os.listdir():
        if name.endswith(".log"):
            with open(name, "rb") as file:
                found += max(0, file.read().count(b"\n") - 1)
    return found


def children(pid):
    return [int(text) for text in subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()]


def kill_later(maker, choose):
    """At a random number of rows; nobody may be left to be killed by then."""
    wanted = CHANCE.randrange(1, RUNS - 40)
    assert tap.until(lambda: rows() >= wanted, maker), f"it ended with {maker.poll()} by itself: {tail()}"
    victims = choose()
    if victims:
        with contextlib.suppress(ProcessLookupError):  # it has just ended
            os.kill(CHANCE.choice(victims), signal.SIGKILL)


# ------------------------------------------------------------------------------------------- Dask

def cluster():
    """-> the scheduler and the nannies of two workers."""
    if os.path.exists("s.json"):
        os.remove("s.json")
    scheduler = start("dask-scheduler", "--scheduler-file", "s.json", "--port", "0", "--no-dashboard")
    tap.until(lambda: os.path.exists("s.json") and os.path.getsize("s.json") > 0, scheduler)
    return scheduler, [start("dask-worker", "--nthreads", "1", "--scheduler-file", "s.json", "--no-dashboard", "--death-timeout", str(tap.PATIENCE)) for _ in range(2)]


def client():
    return start(python_with_dask(), "-m", "trammel.sweep", *SWEEP, "-o", "out.csv", "--scheduler-file", "s.json")


def ended(process):
    try:
        return process.wait(timeout=tap.PATIENCE)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"the client does not end; {tail()}") from None


def dask(victim):
    tap.need("dask-scheduler", "dask-worker")
    python_with_dask()
    scheduler, nannies = cluster()
    process = client()
    kill_later(process, {"worker": lambda: [child for nanny in nannies for child in children(nanny.pid)],
                "nanny": lambda: [nannies[0].pid], "scheduler": lambda: [scheduler.pid], "client": lambda: [process.pid]}[victim])
    code = ended(process)
    if victim in ("worker", "nanny"):
        assert code == 0, f"the client ended with {code}: {tail()}"
    if victim == "scheduler":
        end_all()
        cluster()
    if code != 0:
        tap.until(lambda: not locked())
        assert ended(client()) == 0, tail()


def locked():
    """Whether a keeper whose client was killed still writes."""
    return subprocess.run(["pgrep", "-f", f"{os.getcwd()}/out.csv|-o out.csv --collect"], capture_output=True, check=False).returncode == 0


# ---------------------------------------------------------------------------------------- the others

def rank(_):
    tap.need("mpirun")
    if not os.path.exists(MPI):
        raise tap.Skipped("no trammel-mpi: no MPI when it was built")
    command = ["mpirun", "--oversubscribe", "-n", "3", MPI, "sweep", *SWEEP, "-o", "out.csv"]
    process = start(*command)
    kill_later(process, lambda: children(process.pid))
    ended(process)
    assert ended(start(*command)) == 0, tail()


def shell(_):
    shards = [[PROGRAM, "sweep", *SWEEP, "-j", "1", "-o", "out.csv", "--shard", f"{i}/3"] for i in (1, 2, 3)]
    line = " && ".join(" ".join(f"'{word}'" for word in words) for words in shards)
    process = start("sh", "-c", line)
    kill_later(process, lambda: [])
    end_all()  # the shell with what it runs, as a batch system does
    assert process.returncode is not None and ended(start("sh", "-c", line)) == 0, tail()
    subprocess.run([PROGRAM, "sweep", "--merge", "-o", "out.csv", "--quiet"], check=True)


VICTIMS = [("a worker of Dask", dask, "worker"), ("its nanny", dask, "nanny"), ("the scheduler", dask, "scheduler"), ("the client", dask, "client"),
           ("a rank of MPI", rank, ""), ("the shell of a shard", shell, "")]


@functools.cache
def undisturbed():
    """The table of a sweep that nobody disturbs."""
    subprocess.run([PROGRAM, "sweep", *SWEEP, "-o", "undisturbed.csv", "--quiet"], check=True)
    return read("undisturbed.csv")


def case_of(number):
    name, kill, who = VICTIMS[number % len(VICTIMS)]

    def killed():
        open("errors.txt", "wb").close()
        try:
            kill(who)
        finally:
            end_all()
        assert read("out.csv") == undisturbed()
        for left in os.listdir():
            (shutil.rmtree if os.path.isdir(left) else os.remove)(left)

    killed.__doc__ = f"Round {number + 1}: {name} is killed at a random time, and the bytes are the undisturbed ones"
    return killed


if __name__ == "__main__":
    sys.exit(tap.run([case_of(number) for number in range(ROUNDS)], in_folders=True))
