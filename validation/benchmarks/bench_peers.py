"""The peers that validation/bench runs beside Trammel: programs NAME_peer in one folder.

Each prints one line of JSON for PROBLEM N END STEP_OR_TOLERANCE, its method in the environment. Of every
method a ladder of tolerances is run, and of all runs that reach a level the cheapest is taken.
"""
import json
import os
import subprocess

CAP = 8  # s of CPU time
TOLERANCES = [10.0 ** -k for k in range(3, 13)]
FIXED_STEPS = [2e-2, 1e-2, 5e-3, 2e-3, 1e-3]


def ida_ladders(name):
    """Equations, Jacobian, sparsity and scaling are written by hand for each problem."""
    if name == "p1":
        scalings = [("1e3", "0"), ("1e6", "0")]
    else:
        scalings = [("1e6", "1e-10"), ("1e6", "1e-8" if name == "p4" else "0")]
    return [({"METHOD": "klu", "LSC": lsc, "EPS": eps}, TOLERANCES) for lsc, eps in scalings]


def simbody_ladders(name):
    """Joint coordinates and projection; where loops are closed, fixed steps keep the branch more often."""
    methods = ["rkm", "rkf", "cpodes", "adams"] if name == "p1" else ["rkm", "cpodes"]
    ladders = [({"METHOD": method}, TOLERANCES[:8]) for method in methods]
    if name not in ("p1", "p5"):
        ladders.append(({"METHOD": "rkm", "FIXED": "1"}, FIXED_STEPS))
    return ladders


LADDERS = {"IDA": ida_ladders, "Simbody": simbody_ladders}


class Peer:
    """One of LADDERS, run by a program."""

    def __init__(self, name, program):
        self.name, self.program = name, program

    def run(self, problem, settings, tolerance):
        name, n = problem.peer
        env = dict(os.environ, MAXCPU=str(CAP), OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1",
                   **dict(settings))
        done = subprocess.run([self.program, name, str(n), repr(problem.end), repr(tolerance)],
                              env=env, text=True, check=False, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        return json.loads(lines[-1]) if lines else None

    def ladder(self, problem, dear):
        """((settings, tolerance), result) of every run that finished; a ladder ends with one that took dear() s."""
        for settings, tolerances in LADDERS[self.name](problem.peer[0]):
            key = tuple(sorted(settings.items()))
            for tolerance in tolerances:
                result = self.run(problem, key, tolerance)
                if result is None or "cpu_limit" in result["status"]:
                    break
                if result["status"].startswith("ok"):
                    yield (key, tolerance), result
                if result["cpu_s"] >= dear():
                    break


def find(folder, say):
    """The peers of a folder; what is missing is said."""
    found = []
    for name in LADDERS if folder else ():
        program = os.path.join(folder, name.lower() + "_peer")
        if os.access(program, os.X_OK):
            found.append(Peer(name, program))
        else:
            say(f"There is no {program} to run beside Trammel.")
    return found
