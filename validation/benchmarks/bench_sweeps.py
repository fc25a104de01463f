#!/usr/bin/env python3
"""Runs per second of a sweep: one by one, in lanes, two processes, ranks of MPI, workers of Dask. The table of docs/validation/speed.md.

    validation/benchmarks/bench_sweeps.py BUILD [SECONDS [ENGINE...]]      ENGINE: a word of its name; else all

Every engine makes the same runs, each SECONDS (3 by default) of work for one process; engines take turns, three times, and the quickest of
the three counts. Runs per CPU second, that is per core, are of all processes of the sweep, the workers of Dask among them, which other work
on the machine disturbs less; `of one` is that beside one process that makes run after run.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 3
WANTED = sys.argv[3:]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM, MPI, PACKAGE = (os.path.join(BUILD, "tools", name) for name in ("trammel", "trammel-mpi", "python"))
ENVIRONMENT = os.environ | {"PYTHONPATH": PACKAGE, "TRAMMEL_PROGRAM": PROGRAM, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# What is varied is a number of the initial state or a parameter, by a little.
PROBLEMS = {
    "four-bar": ("four_bar", "v0=uniform:0.9:1.1"),
    "slider-crank": ("slider_crank_turn", "l=uniform:0.99:1.01"),
    "Jansen leg": ("jansen_leg", "unit=uniform:0.0039:0.0041"),
    "chain 10": ("chain_10", "l=uniform:0.95:1.05"),
    "Bricard": ("bricard", "l=uniform:0.99:1.01"),
}
REPEATS = 3
ONE = "one by one"


def children_cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def tree_cpu(roots):
    """s of CPU of these processes, their children that live, and all of theirs that have ended"""
    parents, used = {}, {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(name)], used[int(name)] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    found = set(roots)
    for _ in range(8):  # generations
        found |= {pid for pid, parent in parents.items() if parent in found}
    return sum(used.get(pid, 0) for pid in found)


def timed(words, servants=()):
    """-> s of wall, s of CPU, with that of processes that serve it"""
    began, before = time.monotonic(), children_cpu() + tree_cpu(servants)
    done = subprocess.run(words, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 4):
        raise SystemExit(f"{' '.join(words)}: {done.returncode} {done.stderr}")
    return time.monotonic() - began, children_cpu() + tree_cpu(servants) - before


def sweep_of(name, runs):
    scene, varied = PROBLEMS[name]
    return [os.path.join(ROOT, "scenes", scene + ".json"), "--set", varied, "--runs", str(runs), "--quiet", "--outputs", "run.steps"]


def engines(scheduler):
    """name -> the command without the sweep, and whether the cluster works for it."""
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
    found = {ONE: ([PROGRAM, "sweep", "-j", "1", "--lanes", "1"], False), "lanes": ([PROGRAM, "sweep", "-j", "1"], False), "2 processes": ([PROGRAM, "sweep", "-j", "2"], False)}
    if os.path.exists(MPI):
        for n in (2, 4):  # rank 0 hands out and writes
            found[f"{n} ranks"] = (["mpirun", "--oversubscribe", "-n", str(n), MPI, "sweep"], False)
    if scheduler:
        found["Dask, 2 workers"] = ([python, "-m", "trammel.sweep", "--scheduler-file", scheduler], True)
    return {name: one for name, one in found.items() if name == ONE or not WANTED or any(word in name for word in WANTED)}


def cluster(folder):
    """-> processes, the scheduler's file; empty where there is no Dask"""
    path = os.path.join(folder, "s.json")
    out = subprocess.DEVNULL
    try:
        processes = [subprocess.Popen(["dask-scheduler", "--scheduler-file", path, "--port", "0", "--no-dashboard"], env=ENVIRONMENT, stdout=out, stderr=out)]
    except FileNotFoundError:
        return [], None
    while not (os.path.exists(path) and os.path.getsize(path) > 0):
        time.sleep(0.1)
    processes += [subprocess.Popen(["dask-worker", "--nthreads", "1", "--scheduler-file", path, "--no-dashboard"], env=ENVIRONMENT, stdout=out, stderr=out) for _ in range(2)]
    time.sleep(5)
    return processes, path


def runs_for(name, folder):
    """As many as one process makes in SECONDS of CPU time."""
    runs = 4
    while True:
        _, cpu = timed([PROGRAM, "sweep", "-j", "1", "--lanes", "1", *sweep_of(name, runs), "-o", os.path.join(folder, f"{name}-probe-{runs}.csv".replace(" ", "_"))])
        if cpu > 0.5:
            return max(4, int(runs * SECONDS / cpu))
        runs *= 4


def measure(name, folder, scheduler, servants):
    runs, best = runs_for(name, folder), {}
    for repeat in range(REPEATS):
        for engine, (words, served) in engines(scheduler).items():
            table = os.path.join(folder, f"{name}-{engine}-{repeat}.csv".replace(" ", "_"))
            wall, cpu = timed([*words, *sweep_of(name, runs), "-o", table], servants if served else ())
            old = best.get(engine, (float("inf"), float("inf")))
            best[engine] = min(old[0], wall), min(old[1], cpu)
    one = best[ONE]
    for engine, (wall, cpu) in best.items():
        print(f"{name:<14} {engine:<16} {runs:>7} {runs / wall:>8.0f} {one[0] / wall:>7.2f} {runs / cpu:>12.0f} {one[1] / cpu:>7.2f}", flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        processes, scheduler = cluster(folder) if not WANTED or "Dask" in WANTED else ([], None)
        print(f"{'problem':<14} {'engine':<16} {'runs':>7} {'runs/s':>8} {'of one':>7} {'runs/CPU s':>12} {'of one':>7}", flush=True)
        try:
            for name in PROBLEMS:
                measure(name, folder, scheduler, [process.pid for process in processes])
        finally:
            for process in processes:
                process.terminate()
                process.wait()
    print(f"load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
