#!/usr/bin/env python3
"""Sweeps as arrays of a real Slurm: its daemons are started here, on this machine alone. Prints TAP.

    tests/tools/sweep/slurm_test.py TRAMMEL ROOT

Debian: slurm-wlm, munge. Skipped with a sentence where they are missing or do not start.
"""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import tap
from tap import contents as read

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOUR_BAR = os.path.join(ROOT, "scenes", "four_bar.json")
SWEEP = [FOUR_BAR, "--set", "v0=0.5:2:400", "--end", "5", "--outputs", "coupler_0.x,max(coupler_0.vy)", "-j", "1"]
NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
CONFIGURATION = """\
ClusterName=trammel
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES OverSubscribe=NO State=UP
"""


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Slurm:
    """The three daemons in a folder of their own; ended with the block."""

    def __init__(self, folder):
        self.folder, self.daemons = folder, []
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("SLURM")}
        self.environment["SLURM_CONF"] = os.path.join(folder, "slurm.conf")

    def start(self, *words):
        with open(os.path.join(self.folder, os.path.basename(words[0]) + ".out"), "ab") as out:
            self.daemons.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True))

    def __enter__(self):
        if os.geteuid() != 0:
            raise tap.Skipped("Slurm's daemons want to be started by root here")
        for name in NEEDED:
            if not self.which(name):
                raise tap.Skipped(f"no {name} (Debian: slurm-wlm, munge)")
        for name in ("state", "spool"):
            os.mkdir(os.path.join(self.folder, name))
        key, path = os.path.join(self.folder, "munge.key"), self.folder
        with open(key, "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(key, 0o600)
        with open(self.environment["SLURM_CONF"], "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(host=socket.gethostname().split(".")[0], controller=free_port(), node=free_port(), folder=path, cores=os.cpu_count()))
        self.start(self.which("munged"), "--force", "--foreground", f"--key-file={key}", f"--socket={path}/munge.socket", f"--pid-file={path}/munged.pid",
                   f"--log-file={path}/munged.log", f"--seed-file={path}/munged.seed")
        self.wait(lambda: os.path.exists(f"{path}/munge.socket"), 20, "munged")
        self.start(self.which("slurmctld"), "-D")
        self.start(self.which("slurmd"), "-D", "-N", socket.gethostname().split(".")[0])
        self.wait(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), 60, "slurmctld or slurmd")
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    @staticmethod
    def which(name):
        return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

    def wait(self, condition, seconds, name):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or any(daemon.poll() is not None for daemon in self.daemons):
                self.__exit__()
                raise tap.Skipped(f"{name} does not start here: {self.last_words()}")
            time.sleep(0.2)

    def last_words(self):
        lines = []
        for name in ("munged.log", "munged.out", "slurmctld.log", "slurmctld.out", "slurmd.log", "slurmd.out"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8", errors="replace") as file:
                    lines += [line.strip() for line in file if re.search("error|fatal", line, re.I)][-1:]
        return "; ".join(lines)[:300] or "no reason given"

    def ask(self, *words):
        return subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False, timeout=tap.PATIENCE).stdout

    def submit(self, *words):
        done = subprocess.run(["sbatch", "--parsable", "--output=task-%a.out", *words], env=self.environment, capture_output=True, text=True, check=False, timeout=tap.PATIENCE)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def drain(self):
        """Until no job is left."""
        tap.until(lambda: not self.ask("squeue", "-h").strip())


def quoted(words):
    return " ".join(f"'{word}'" for word in words)


def merge(code):
    done = subprocess.run([PROGRAM, "sweep", "--merge", "-o", "out.csv"], capture_output=True, text=True, check=False)
    assert done.returncode == code, (done.returncode, done.stderr, done.stdout, [(n, read(n)[-300:]) for n in os.listdir() if n.startswith("task-")])
    return done.stderr


def arrays():
    """Tasks of a Slurm array are parts; one that is cancelled is named, and what repeats it gives the undisturbed bytes"""
    subprocess.run([PROGRAM, "sweep", *SWEEP, "-o", "whole.csv", "--quiet"], check=True)
    with tempfile.TemporaryDirectory(prefix="slurm-") as folder, Slurm(folder) as slurm:
        command = quoted([PROGRAM, "sweep", *SWEEP, "-o", "out.csv"])
        slurm.submit("--array=1-4", "--wrap", command)
        slurm.drain()
        merge(0)
        assert read("out.csv") == read("whole.csv")

        for name in [name for name in os.listdir() if name.startswith("out.csv")]:
            os.remove(name)
        slow = f"if [ $SLURM_ARRAY_TASK_ID = 7 ]; then sleep 60; fi; {command}"
        job = slurm.submit("--array=3-9:2", "--wrap", slow)  # parts 1 to 4 of 4
        tap.until(lambda: f"{job}_7" in slurm.ask("squeue", "-h", "-t", "R", "-o", "%i"))
        slurm.ask("scancel", f"{job}_7")
        slurm.drain()
        assert "1 of 4 parts is missing: 3" in merge(5)
        slurm.submit("--wrap", quoted([PROGRAM, "sweep", *SWEEP, "-o", "out.csv", "--shard", "3/4"]))
        slurm.drain()
        merge(0)
        assert read("out.csv") == read("whole.csv")


if __name__ == "__main__":
    sys.exit(tap.run([arrays], in_folders=True))
