#!/usr/bin/env python3
"""Recordings of six scenes have the same bits on AArch64. Prints TAP.

usage: aarch64_test.py TRAMMEL ROOT SYSROOT

Needs the cross compiler and the emulator of Debian (gcc-aarch64-linux-gnu, qemu-user), and SYSROOT, which
tests/library/aarch64_sysroot makes: tools/test --nightly gets all three. The build is not optimized: optimization
does not change bits, which `bits` claims.
"""
import os
import subprocess
import sys
import tempfile

import tap

PROGRAM, ROOT, SYSROOT = map(os.path.abspath, sys.argv[1:])
LIBRARIES = os.path.join(SYSROOT, "usr", "lib", "aarch64-linux-gnu")
CROSS = f"""
[binaries]
c = 'aarch64-linux-gnu-gcc'
ar = 'aarch64-linux-gnu-ar'
pkgconfig = 'pkg-config'
pkg-config = 'pkg-config'
[properties]
sys_root = '{SYSROOT}'
pkg_config_libdir = '{LIBRARIES}/pkgconfig'
[built-in options]
c_link_args = ['-Wl,-rpath-link,{LIBRARIES}']
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
"""
OPTIONS = ["-Doptimization=0", "-Ddebug=false", "-Dtests=false",
           *(f"-D{name}=disabled" for name in ("sundials", "hdf5", "mpi", "python"))]
EMULATED = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", "-E", f"LD_LIBRARY_PATH={LIBRARIES}"]
# Planar and spatial, a tree, loops, redundancy, singular positions, impacts; adaptive steps and fixed ones.
RUNS = [(*f"{words} --every {every}".split(),) for words, every in (
    ("pendulum --end 1", 0.01), ("slider_crank_turn --end 1", 0.01), ("four_bar --end 1", 0.01), ("bricard --end 0.2", 0.01),
    ("bouncing_ball --end 1", 0.01), ("andrews --integrator rk4 --method s-both2 --step 1e-4 --end 0.01", 1e-4))]


def recording(words, run, folder):
    scene, *options = run
    path = os.path.join(folder, "out.csv")
    done = subprocess.run([*words, "run", os.path.join(ROOT, "scenes", scene + ".json"), *options, "-o", path],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, (run, done.stderr)
    return tap.contents(path)


def cross_built(folder):
    """The program for AArch64."""
    tap.need("aarch64-linux-gnu-gcc", "qemu-aarch64")
    if not os.path.isdir(LIBRARIES):
        raise tap.Skipped(f"no libraries of AArch64: tests/library/aarch64_sysroot {os.path.relpath(SYSROOT, ROOT)}")
    file, build = os.path.join(folder, "cross.ini"), os.path.join(folder, "build")
    with open(file, "w", encoding="utf-8") as out:
        out.write(CROSS)
    for words in (["meson", "setup", build, ROOT, "--cross-file", file, *OPTIONS], ["ninja", "-C", build, "tools/trammel"]):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return os.path.join(build, "tools", "trammel")


def same_bits(folder):
    """Six recordings on AArch64 are those of this machine to the bit"""
    program = cross_built(folder)
    for run in RUNS:
        here, there = recording([PROGRAM], run, folder), recording([*EMULATED, program], run, folder)
        assert here.count(b"\n") > 10 and here == there, run


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="trammel-aarch64-") as work:
        sys.exit(tap.run([same_bits], work))
