#!/usr/bin/env python3
"""trammel sweep: one study, the same bytes of the table by every engine. Prints TAP.

    tests/tools/sweep/sweep_bits_test.py TRAMMEL ROOT [OTHER]     OTHER: the program by another compiler; tools/test names that of clang with the
                                                            sanitizers in TRAMMEL_OTHERS

Loops that cross singular positions, a mechanism with redundant rows, a tree; adaptive and fixed steps. What an engine needs and is not
there is skipped by name.
"""
import os
import re
import shutil
import signal
import subprocess
import sys

from tap import case
import tap
from sweep_rig import MPI, PROGRAM, ROOT, ROOT_MAY, ranks, read, run_cases, start, sweep, table, trammel, wait_for_rows

PACKAGE = os.path.join(os.path.dirname(PROGRAM), "python")
OTHERS = [os.path.abspath(path) for path in sys.argv[3:] + os.environ.get("TRAMMEL_OTHERS", "").split()]
STUDIES = {
    "four_bar": ["--set", "v0=0.5:2:24", "--end", "4", "--outputs", "coupler_0.x,max(coupler_0.vy),tmax(coupler_0.vy),run.steps,run.crossings,run.energy_error"],
    "bricard": ["--set", "l=uniform:0.99:1.01", "--runs", "12", "--end", "1", "--outputs", "run.steps,energy.kinetic,drift.position"],
    "chain_10": ["--set", "l=uniform:0.95:1.05", "--runs", "12", "--end", "0.5", "--outputs", "run.steps,energy.kinetic,min(bar_9.x)"],
    "slider_crank_turn": ["--set", "l=0.99:1.01:12", "--end", "1", "--integrator", "rk4", "--method", "s-both2", "--step", "1e-3", "--outputs",
                          "run.steps,energy.kinetic,run.position_drift"],
}


def study(name, *more):
    return [os.path.join(ROOT, "scenes", name + ".json"), *STUDIES[name], *more]


def singles(name, out):
    """Each run by trammel run: the numbers of the table that its report has."""
    words, varied = STUDIES[name], STUDIES[name][1].split("=")[0]
    kept = [k for k, word in enumerate(words) if word in ("--end", "--integrator", "--method", "--step")]
    method = [word for k in kept for word in words[k:k + 2]]
    for row in table(out):
        report = trammel("run", study(name)[0], "--set", f"{varied}={row[varied]}", *method, "-o", "one.csv", "--json")
        assert report.returncode in (0, 4), report.stderr
        last = table("one.csv")[-1]
        for key in ("coupler_0.x", "energy.kinetic"):
            assert key not in row or key not in last or row[key] == last[key], (name, row["index"], key)
        assert f'"steps": {row["run.steps"]}' in re.sub(r'"steps":\s*', '"steps": ', report.stdout), (name, row["index"])


def interrupted(name, out):
    """Ctrl-C after some rows, then the same command."""
    process = start(*study(name), "-j", "1", "-o", out)
    wait_for_rows(out + ".log", 3, process)
    process.send_signal(signal.SIGINT)
    process.wait(tap.PATIENCE)
    sweep(*study(name), "-j", "2", "-o", out)


def shards(name, out):
    for i in (3, 1, 2):
        sweep(*study(name), "--shard", f"{i}/3", "-o", out)
    sweep("--merge", "-o", out)


def by_ranks(n):
    def run(name, out):
        said, err = (process := ranks(n, *study(name), "-o", out)).communicate(timeout=tap.PATIENCE)
        assert process.returncode == 0, (said, err)
    return run


class Cluster:
    """A scheduler of Dask and two workers with their nannies, by mpirun where it is; in sessions of their own."""

    def __init__(self):
        tap.need("dask-scheduler", "dask-worker")
        self.environment = ROOT_MAY | {"PYTHONPATH": PACKAGE, "TRAMMEL_PROGRAM": PROGRAM}
        self.processes = []

    def __enter__(self):
        self.begin("dask-scheduler", "--scheduler-file", "s.json", "--port", "0", "--no-dashboard")
        tap.until(lambda: os.path.exists("s.json") and os.path.getsize("s.json") > 0, self.processes[0])
        by_mpi = ["mpirun", "--oversubscribe", "-n", "2"] if shutil.which("mpirun") else []
        for _ in range(1 if by_mpi else 2):
            self.begin(*by_mpi, "dask-worker", "--nthreads", "1", "--scheduler-file", "s.json", "--no-dashboard", "--death-timeout", str(tap.PATIENCE))
        return self

    def begin(self, *words):
        self.processes.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                               stderr=subprocess.DEVNULL, start_new_session=True))

    def __exit__(self, *_):
        for process in reversed(self.processes):
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def sweep(self, name, out):
        python = next((path for path in (sys.executable, "/usr/bin/python3")
                       if subprocess.run([path, "-c", "import distributed, numpy"], capture_output=True, check=False).returncode == 0), None)
        if python is None:
            raise tap.Skipped("no Python with distributed (Debian: python3-distributed)")
        done = subprocess.run([python, "-m", "trammel.sweep", *study(name), "-o", out, "--scheduler-file", "s.json"], env=self.environment,
                              capture_output=True, text=True, check=False, timeout=tap.PATIENCE)
        assert done.returncode == 0, done.stderr


def engines():
    """-> name, how it makes the table"""
    yield "one process", lambda name, out: sweep(*study(name), "-j", "1", "-o", out)
    yield "single runs", singles
    for lanes in ("1", "2", "4", "8"):
        yield f"{lanes} lanes", lambda name, out, lanes=lanes: sweep(*study(name), "-j", "1", "--lanes", lanes, "-o", out)
    yield "two processes", lambda name, out: sweep(*study(name), "-j", "2", "-o", out)
    yield "three shards", shards
    yield "interrupted and resumed", interrupted
    if shutil.which("mpirun") and os.path.exists(MPI):
        yield "two ranks", by_ranks(2)
        yield "four ranks", by_ranks(4)
    for other in OTHERS:
        if os.path.exists(other):
            yield other, lambda name, out, other=other: subprocess.run([other, "sweep", *study(name), "-o", out, "--quiet"], check=True)


def compare(cluster):
    compared = []
    for name in STUDIES:
        for engine, make in engines():
            out = "first.csv" if engine in ("one process", "single runs") else "other.csv"
            make(name, out)
            if out == "other.csv":
                assert read(out) == read("first.csv"), f"{name}: {engine}"
            for left in [left for left in os.listdir() if left.startswith("other.csv")]:
                os.remove(left)
            compared.append(engine)
        if cluster is not None:
            cluster.sweep(name, "other.csv")
            assert read("other.csv") == read("first.csv"), f"{name}: Dask"
            compared.append("Dask")
        for left in [left for left in os.listdir() if left.startswith(("other.csv", "first.csv"))]:
            os.remove(left)
    print("# compared:", ", ".join(dict.fromkeys(os.path.basename(os.path.dirname(os.path.dirname(one))) if "/" in one else one for one in compared)),
          flush=True)


@case
def every_engine():
    """Single runs, lanes, one and two processes, shards, interrupted and resumed, ranks, Dask, another compiler: the same bytes"""
    try:
        with Cluster() as cluster:
            compare(cluster)
    except tap.Skipped as reason:
        print(f"# {reason}", flush=True)
        compare(None)


if __name__ == "__main__":
    run_cases()
