"""Every LAPACK of this machine, OpenBLAS and the reference one, gives the same claims: what is measured in rounding too.

usage: lapack_test.py CLAIMS_DAE CLAIMS_BASE CLAIMS_ANALYSIS. Prints TAP.

The library opens liblapack.so.3 when it is first asked for; LD_LIBRARY_PATH says which.
"""
import glob
import os
import subprocess
import sys

import tap

CLAIMS = ((sys.argv[1], ("dae_orders", "dae_mesh")), (sys.argv[2], ("dense",)), (sys.argv[3], ("modes", "linearization")))


def installed():
    """Folder of a LAPACK, with that of its BLAS: how Debian lays them beside each other."""
    for folder in sorted(glob.glob("/usr/lib/*/openblas*") + glob.glob("/usr/lib/*/lapack") + glob.glob("/usr/lib64/openblas*")):
        if os.path.exists(os.path.join(folder, "liblapack.so.3")):
            yield folder, os.path.join(os.path.dirname(folder), "blas")


def with_lapack(folder, blas):
    def run():
        environment = {**os.environ, "LD_LIBRARY_PATH": f"{folder}:{blas}", "LD_DEBUG": "files"}
        loaded = 0
        for program, names in CLAIMS:
            for name in names:
                done = subprocess.run([program, name], env=environment, capture_output=True, text=True, check=False)
                said = "\n".join(line for line in (done.stdout + done.stderr).splitlines() if "rror" in line and "calling" not in line)
                assert done.returncode == 0, (name, said[-2000:])
                loaded += os.path.join(folder, "liblapack.so.3") in done.stderr
        assert loaded > 0, "no claim has opened it"
    run.__doc__ = f"{os.path.basename(folder)}: orders of methods, dense algebra, eigenvalues"
    return run


if __name__ == "__main__":
    found = [with_lapack(*one) for one in installed()]
    if not found:
        print("1..0 # SKIP no LAPACK beside another")
        sys.exit(0)
    sys.exit(tap.run(found))
