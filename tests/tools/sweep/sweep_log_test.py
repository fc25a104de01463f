#!/usr/bin/env python3
"""trammel sweep: a log that survives. Prints TAP.

    tests/tools/sweep/sweep_log_test.py TRAMMEL ROOT      the program, and the root of the project

What survives is compared with a run that nothing disturbed.
"""
import os
import random
import resource
import signal
import subprocess

import tap
from tap import case
from sweep_rig import FOUR, FOUR_BAR, LONG, PROGRAM, ranks, read, refused, run_cases, start, sweep, wait_for_rows, workers_of


@case
def same_bytes():
    """The table has the same bytes for any -j, in parts of any number, and when it is asked for again"""
    sweep(*FOUR, "-j", "1", "-o", "a.csv")
    sweep(*FOUR, "-j", "3", "-o", "b.csv")
    for i in (3, 1, 2):
        sweep(*FOUR, "--shard", f"{i}/3", "-o", "c.csv")
        assert not os.path.exists("c.csv")
    sweep("--merge", "-o", "c.csv")
    assert read("a.csv") == read("b.csv") == read("c.csv")
    log = read("a.csv.log")
    sweep(*FOUR, "-o", "a.csv")
    assert read("a.csv.log") == log and read("a.csv") == read("b.csv")


@case
def torn():
    """A torn last row is dropped, a blank line and a changed row are passed over; the table is the undisturbed one"""
    sweep(*FOUR, "-j", "1", "-o", "a.csv")
    whole, lines = read("a.csv"), read("a.csv.log").splitlines(keepends=True)
    changed = lines[4].replace(b"done", b"gone")
    for log in (
        b"".join(lines[:5]) + lines[5][:17],
        b"".join(lines[:5]) + lines[5][:-1],
        b"".join(lines[:4]) + b"\n\n" + lines[5],
        b"".join(lines[:4]) + changed + b"".join(lines[5:]),
        lines[0][:9],
        b"",
    ):
        os.remove("a.csv")
        with open("a.csv.log", "wb") as file:
            file.write(log)
        sweep(*FOUR, "-j", "1", "-o", "a.csv")
        assert read("a.csv") == whole, log
        assert read("a.csv.log").startswith(lines[0])


@case
def killed():
    """Whoever is killed, workers or the program, at random times: the same command then gives the undisturbed bytes"""
    sweep(*LONG, "-o", "a.csv")
    rng = random.Random(18)
    for trial in range(6):
        name = f"k{trial}.csv"
        process = start(*LONG, "-o", name)
        for _ in range(3):
            wait_for_rows(name + ".log", rng.randrange(200), process)
            victims = workers_of(process.pid)
            try:
                os.kill(rng.choice(victims) if victims and trial % 2 else process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait(tap.PATIENCE)
        sweep(*LONG, "-o", name)
        assert read(name) == read("a.csv"), trial


@case
def interrupted():
    """Ctrl-C stops cleanly: exit 130, whole rows; the same command goes on"""
    sweep(*LONG, "-o", "a.csv")
    process = subprocess.Popen([PROGRAM, "sweep", *LONG, "-o", "b.csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_rows("b.csv.log", 5, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=tap.PATIENCE)
    log = read("b.csv.log")
    assert process.returncode == 130 and err == "" and "The same command goes on" in out, (process.returncode, out, err)
    assert log.endswith(b"\n") and not os.path.exists("b.csv")
    sweep(*LONG, "-o", "b.csv")
    assert read("b.csv.log").startswith(log) and read("b.csv") == read("a.csv")


@case
def full_disk():
    """A full disk ends the sweep with a sentence and exit 5; what is written is kept, and the same command goes on"""
    runs = [word.replace("0.5:2:7", "0.5:2:21") for word in FOUR]  # a log well above any manifest
    sweep(*runs, "-o", "a.csv")
    sizes = len(read("a.csv.json")), len(read("a.csv.log"))
    most = sum(sizes) // 2  # the manifest fits, the log does not
    assert sizes[0] + 100 < most < sizes[1] - 100, sizes
    full = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))  # noqa: E731
    done = sweep(*runs, "-o", "b.csv", code=5, preexec_fn=full)
    assert "writing failed" in done.stderr and "kept" in done.stderr, done.stderr
    log = read("b.csv.log")
    assert log.endswith(b"\n") and log.count(b"\n") > 5
    sweep(*runs, "-o", "b.csv")
    assert read("b.csv") == read("a.csv") and read("b.csv.log").startswith(log)


@case
def locked():
    """Two commands do not write one log"""
    process = start(*LONG, "-o", "a.csv")
    wait_for_rows("a.csv.log", 1, process)
    process.send_signal(signal.SIGSTOP)
    refused(*LONG, "-o", "a.csv", says="another run is writing", code=5)
    process.send_signal(signal.SIGCONT)
    assert process.wait(tap.PATIENCE) == 0


@case
def parts():
    """Missing parts, unfinished ones and overlapping ones are named; tasks of a Slurm array are parts"""
    for i in (1, 4):
        sweep(*FOUR, "--shard", f"{i}/4", "-o", "a.csv")
    refused("--merge", "-o", "a.csv", says=r"2 of 4 parts are missing: 2, 3", code=5)
    environment = os.environ | {"SLURM_ARRAY_TASK_ID": "30", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_STEP": "10"}
    sweep(*FOUR, "-o", "a.csv", env=environment)
    sweep(*FOUR, "-j", "1", "-o", "a.csv", env=environment | {"SLURM_ARRAY_TASK_ID": "20"})
    log = read("a.csv.part-2-of-4.log")  # runs 1, 5, 9, 13, 17
    with open("a.csv.part-2-of-4.log", "wb") as file:
        file.write(b"".join(log.splitlines(keepends=True)[:2]))
    refused("--merge", "-o", "a.csv", says=r"4 of 21 runs are missing, the first is run 5 of part 2 of 4", code=5)
    sweep(*FOUR, "--shard", "2/4", "-o", "a.csv")
    sweep("--merge", "-o", "a.csv")
    sweep(*FOUR, "-o", "b.csv")
    assert read("a.csv") == read("b.csv")
    sweep(*FOUR, "--shard", "1/3", "-o", "a.csv")
    refused("--merge", "-o", "a.csv", says="overlap")
    os.remove("a.csv.part-1-of-3.log")
    with open("a.csv.part-3-of-4.log", "ab") as file:
        file.write(log.splitlines(keepends=True)[2])
    refused("--merge", "-o", "a.csv", says="the parts overlap: run 5 is in part 2 and in part 3")
    refused(*FOUR, "-o", "bad.csv", "--shard", "5/4", says="1 <= I <= N")
    refused("--merge", "-o", "none.csv", says="no log", code=5)


@case
def mpi():
    """Ranks of MPI give the same bytes, after the death of one too; refusals end all of them"""
    process = ranks(3, *LONG, "-o", "b.csv")
    assert "libmpi" not in subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
    wait_for_rows("b.csv.log", 10, process)
    listed = subprocess.run(["pgrep", "-P", str(process.pid), "-f", "trammel-mpi"], capture_output=True, text=True, check=False).stdout.split()
    if listed:
        os.kill(int(listed[-1]), signal.SIGKILL)  # of our own mpirun
    process.communicate(timeout=tap.PATIENCE)
    out, err = (process := ranks(3, *LONG, "-o", "b.csv")).communicate(timeout=tap.PATIENCE)
    assert process.returncode == 0 and "300 of 300 runs, 0 failed" in out, (out, err)
    sweep(*LONG, "-o", "a.csv")
    assert read("a.csv") == read("b.csv")
    out, err = (process := ranks(2, *LONG, "-o", "b.csv")).communicate(timeout=tap.PATIENCE)  # nothing left to do
    assert process.returncode == 0, (out, err)
    out, err = (process := ranks(2, FOUR_BAR, "--set", "vv=1,2", "-o", "bad.csv")).communicate(timeout=tap.PATIENCE)
    assert process.returncode == 1 and err.count('no parameter "vv"') == 1 and not os.path.exists("bad.csv"), (out, err)
    out, err = (process := ranks(1, *LONG, "-o", "bad.csv")).communicate(timeout=tap.PATIENCE)
    assert process.returncode == 1 and "two ranks" in err, (out, err)


if __name__ == "__main__":
    run_cases()
