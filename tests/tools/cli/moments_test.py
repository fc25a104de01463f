#!/usr/bin/env python3
"""Disks, pipes and readers that fail at random moments: what a reader then finds. Prints TAP.

    tests/tools/cli/moments_test.py TRAMMEL ROOT FAULT.so [MOMENTS]     MOMENTS: of each kind of failure (3)
"""
import errno
import fcntl
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time

from tap import CASES, case, contents
import tap

PROGRAM, ROOT, SHIM = (os.path.abspath(path) for path in sys.argv[1:4])
MOMENTS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
BAR = {
    "dimension": 2,
    "gravity": [0, -9.81],
    "bodies": [{"name": "bar", "ends": [[0, 0], [1, 0]], "mass": 2}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}],
}
RUN = ["run", "bar.json", "--end", "1.5", "--every", "0.001"]  # 1501 lines, 470 kB
CHECKPOINTS = ["--checkpoint", "0"]
PRINTED = [["schema"], ["schema", "--format"], ["methods", "--json"],
           ["check", os.path.join(ROOT, "scenes/chain_1000.json"), "--json"]]  # 20 kB and more


def write_scene():
    with open("bar.json", "w", encoding="ascii") as file:
        json.dump(BAR, file)


def trammel(*args, **options):
    return subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, capture_output=True, check=False, **options)


def faulty(*args, **faults):
    return trammel(*args, env={**os.environ, "LD_PRELOAD": SHIM, **faults})


def whole_run():
    """Bytes of the recording that nothing disturbs, and how many writes it and its checkpoints take."""
    write_scene()
    done = faulty(*RUN, "-o", "x.csv", *CHECKPOINTS, FAULT_COUNT="count")
    assert done.returncode == 0, done
    return contents("x.csv"), int(contents("count").split()[1])


def check_broken_off(whole, error, done):
    """The older recording is there, the new lines are the first of the whole, and --resume completes them."""
    assert done.returncode == 5 and os.strerror(error).encode() in done.stderr, done
    assert contents("x.csv") == b"older\n"
    part = contents("x.csv.part") if os.path.exists("x.csv.part") else b""
    assert whole.startswith(part), (len(part), part[-80:])
    if not os.path.exists("x.csv.state"):
        return 0
    resumed = trammel("run", "--resume", "x.csv.state")
    assert resumed.returncode == 0 and contents("x.csv") == whole, resumed
    return 1


def forget(*paths):
    for path in paths:
        if os.path.exists(path):
            os.remove(path)


def failing_disk(error, seed):
    """MOMENTS runs, each with one write that fails. Returns how many of them could be resumed."""
    whole, writes = whole_run()
    chance, resumed = random.Random(seed), 0
    for _ in range(MOMENTS):
        forget("x.csv.part", "x.csv.state")
        with open("x.csv", "wb") as file:
            file.write(b"older\n")
        k = chance.randint(1, writes)
        done = faulty(*RUN, "-o", "x.csv", *CHECKPOINTS, FAULT_WRITE=f"{k}:{error}")
        resumed += check_broken_off(whole, error, done)
    assert resumed > MOMENTS / 2, resumed


@case
def full_disk():
    """A disk that is full at a random write: exit 5, the older file, lines of the run so far; --resume ends with the same bytes"""
    failing_disk(errno.ENOSPC, 1)


@case
def broken_disk():
    """A disk that fails at a random write (EIO): likewise"""
    failing_disk(errno.EIO, 2)


@case
def stopped_in_a_call():
    """SIGTERM in a lock, a sync or a close: killed before there is a line, or exit 143 and a checkpoint, from which --resume makes the same bytes"""
    whole, _ = whole_run()
    stopped = 0
    for seconds, k in [("1000", k) for k in range(1, 6)] + [("0", k) for k in range(1, 12)]:
        forget("x.csv", "x.csv.part", "x.csv.state")
        done = faulty(*RUN, "-o", "x.csv", "--checkpoint", seconds, FAULT_TERM=str(k))
        if done.returncode == -signal.SIGTERM:
            assert not os.path.exists("x.csv.part"), k
            continue
        if done.returncode == 143:
            stopped += 1
            done = trammel("run", "--resume", "x.csv.state")
        assert done.returncode == 0 and contents("x.csv") == whole, (seconds, k, done)
    assert stopped > 8, stopped


@case
def short_writes():
    """A random write that takes one byte only: the same bytes"""
    whole, writes = whole_run()
    chance = random.Random(3)
    for _ in range(MOMENTS):
        done = faulty(*RUN, "-o", "x.csv", *CHECKPOINTS, FAULT_WRITE=f"{chance.randint(1, writes)}:0")
        assert done.returncode == 0 and contents("x.csv") == whole, done


def start_into_pipe():
    forget("pipe.csv")
    os.mkfifo("pipe.csv")
    run = subprocess.Popen([PROGRAM, *RUN, "-o", "pipe.csv"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE)
    return run, open("pipe.csv", "rb", buffering=0)


def read_some(reader, n):
    """About n bytes."""
    taken = b""
    while len(taken) < n:
        piece = reader.read(min(65536, n - len(taken)))
        if not piece:
            break
        taken += piece
    return taken


def waiting(reader):
    """Bytes that wait in the pipe."""
    return int.from_bytes(fcntl.ioctl(reader, 0x541B, b"\0" * 4), sys.byteorder)  # FIONREAD


def wait_until_full(run, reader):
    """Until the program sleeps in a write and nothing more comes."""
    before, since = 0, 0
    for _ in range(6000):
        with open(f"/proc/{run.pid}/stat", encoding="ascii") as file:
            asleep = file.read().rsplit(")", 1)[1].split()[0] == "S"
        now = waiting(reader)
        since = since + 1 if asleep and now == before and now > 0 else 0
        if since == 5:
            return
        before = now
        time.sleep(0.01)
    raise AssertionError("the pipe does not fill")


@case
def full_pipe():
    """A reader that stops at a random byte until the pipe is full, and goes on: the same bytes"""
    whole, _ = whole_run()
    chance = random.Random(4)
    for _ in range(MOMENTS):
        run, reader = start_into_pipe()
        with reader:
            first = read_some(reader, chance.randint(0, len(whole) - 200000))
            wait_until_full(run, reader)
            data = first + read_some(reader, len(whole))
        _, err = run.communicate(timeout=tap.PATIENCE)
        assert run.returncode == 0 and data == whole, (run.returncode, err, len(data))


@case
def full_pipe_and_a_signal():
    """A signal while the pipe is full: the run ends with 128 + number when the reader goes on, after whole lines"""
    whole, _ = whole_run()
    chance = random.Random(5)
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP] * -(-MOMENTS // 3):
        run, reader = start_into_pipe()
        with reader:
            data = read_some(reader, chance.randint(0, len(whole) // 4))
            wait_until_full(run, reader)
            run.send_signal(number)
            data += read_some(reader, len(whole))
        _, err = run.communicate(timeout=tap.PATIENCE)
        assert run.returncode == 128 + number, (run.returncode, err)
        rows = data.splitlines(keepends=True)  # the last one is that of the step where the run ended
        assert whole.startswith(b"".join(rows[:-1])), (len(data), data[-80:])
        assert rows[-1].endswith(b"\n") and rows[-1].count(b",") == rows[0].count(b","), rows[-1]


@case
def reader_that_leaves():
    """A reader that leaves at a random byte, half of them with a full pipe: exit 5 and a sentence"""
    whole, _ = whole_run()
    chance = random.Random(6)
    for k in range(MOMENTS):
        run, reader = start_into_pipe()
        with reader:
            data = read_some(reader, chance.randint(0, len(whole) - 200000))
            if k % 2:
                wait_until_full(run, reader)
        _, err = run.communicate(timeout=tap.PATIENCE)
        assert run.returncode == 5 and b"Broken pipe" in err, (run.returncode, err)
        assert whole.startswith(data)


@case
def closed_stdout():
    """A reader of standard output that leaves at a random byte: SIGPIPE as for any program in a pipe, exit 5 and a sentence, or done"""
    chance = random.Random(7)
    for k in range(MOMENTS):
        args = PRINTED[k % len(PRINTED)]
        size = len(trammel(*args).stdout)
        reads, writes = os.pipe()
        fcntl.fcntl(reads, 1031, 4096)  # F_SETPIPE_SZ: little room, so that the program is still writing
        run = subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=writes, stderr=subprocess.PIPE, bufsize=0)
        os.close(writes)
        with open(reads, "rb", buffering=0) as reader:
            read_some(reader, chance.randint(0, size))
        err = run.stderr.read()
        run.stderr.close()
        run.wait(tap.PATIENCE)
        said = run.returncode == 5 and b"cannot be written" in err
        assert said or run.returncode in (0, -signal.SIGPIPE), (args, run.returncode, err)


@case
def full_stdout():
    """Standard output to a disk that is full after a random byte: exit 5 and a sentence, and the first bytes are there"""
    chance = random.Random(8)
    for k in range(MOMENTS):
        args = PRINTED[k % len(PRINTED)]
        whole = trammel(*args).stdout
        room = chance.randint(0, len(whole) - 1)
        with open("out", "wb") as out:
            done = subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                                  check=False, preexec_fn=lambda n=room: resource.setrlimit(resource.RLIMIT_FSIZE, (n, n)))
        assert done.returncode == 5 and b"cannot be written" in done.stderr, (args, done)
        assert whole.startswith(contents("out")), args


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
