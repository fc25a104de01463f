#!/usr/bin/env python3
"""What is loaded at the start, and what is said where a library is missing. Prints TAP.

    tests/tools/cli/start_test.py TRAMMEL ROOT
"""
import os
import re
import subprocess
import sys
import tempfile

import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
HEAVY = ("lapack", "blas", "cholmod", "gomp", "hdf5", "sundials", "klu", "microhttpd", "gnutls")


def scene(name):
    return os.path.join(ROOT, "scenes", name + ".json")


def trammel(*words, **environment):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, env={**os.environ, **environment})


def runs_load_no_lapack():
    """neither version nor runs load LAPACK, a BLAS, CHOLMOD, HDF5, SUNDIALS, KLU or a server of pages"""
    for words in (["version"], *(["run", scene(name), "--quiet"] for name in ("four_bar", "bricard", "chain_10", "bouncing_ball"))):
        done = trammel(*words, LD_DEBUG="libs")
        loaded = [line for line in done.stderr.splitlines() if "calling init" in line]
        if not loaded:
            raise tap.Skipped("this loader does not tell what it loads")
        assert done.returncode == 0, done.stderr[-400:]
        assert not [line for line in loaded if any(word in line for word in HEAVY)], (words, loaded)


def hide(folder, library):
    with open(os.path.join(folder, library), "w", encoding="ascii") as file:
        file.write("no library")


def missing_lapack_is_named():
    """without LAPACK runs work, and an equilibrium is refused with the name of the package"""
    with tempfile.TemporaryDirectory() as folder:
        hide(folder, "liblapack.so.3")
        assert trammel("run", scene("four_bar"), "--quiet", LD_LIBRARY_PATH=folder).returncode == 0
        done = trammel("linearize", scene("flyball"), LD_LIBRARY_PATH=folder)
        assert done.returncode != 0 and "liblapack3" in done.stderr, (done.returncode, done.stderr)


def missing_sundials_is_named():
    """without SUNDIALS runs work, and `ida` is refused with the name of the package"""
    words = ["run", scene("four_bar"), "--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        told = trammel(*words, "--integrator", "ida", "--end", "0.1", LD_DEBUG="libs").stderr
        library = re.search(r"libsundials_idas\.so[.0-9]*", told)
        if not library:
            raise tap.Skipped("this loader does not tell what it loads, or there is no SUNDIALS")
        hide(folder, library[0])
        assert trammel(*words, LD_LIBRARY_PATH=folder).returncode == 0
        done = trammel(*words, "--integrator", "ida", LD_LIBRARY_PATH=folder)
        assert done.returncode != 0 and "install the package libsundials-dev" in done.stderr, (done.returncode, done.stderr)


if __name__ == "__main__":
    sys.exit(tap.run([runs_load_no_lapack, missing_lapack_is_named, missing_sundials_is_named]))
