#!/usr/bin/env python3
"""trammel convert: what xarray reads is what the table holds. Prints TAP.

    tests/tools/cli/convert_test.py TRAMMEL ROOT

Needs a build with HDF5, and a Python (this one or Debian's) with xarray, netCDF4 and h5netcdf; skipped with a sentence otherwise.
"""
import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import sys

import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
FOUR_BAR = os.path.join(ROOT, "scenes", "four_bar.json")
READER = """
import json, sys, xarray
out = {}
for engine in ("netcdf4", "h5netcdf"):
    with xarray.open_dataset(sys.argv[1], engine=engine, decode_times=False) as data:
        out[engine] = {"sizes": dict(data.sizes), "units": {k: v.attrs.get("units", "") for k, v in data.variables.items()},
                       "stored": {k: [list(v.encoding.get("chunksizes") or []), v.encoding.get("shuffle"), bool(v.encoding.get("zlib") or v.encoding.get("compression"))]
                                  for k, v in data.variables.items()},
                       "values": {k: [x if isinstance(x, str) else None if x != x else float(x) for x in v.values.tolist()]
                                  for k, v in data.variables.items()}, "coords": list(data.coords)}
json.dump(out, sys.stdout)
"""


def trammel(*words, code=0, **options):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=False, **options)
    if "this build has no HDF5" in done.stderr:
        raise tap.Skipped("this build has no HDF5")
    assert done.returncode == code, (done.returncode, done.stderr)
    return done.stderr


def opened(name):
    for python in (sys.executable, "/usr/bin/python3"):
        probe = subprocess.run([python, "-c", "import xarray, netCDF4, h5netcdf"], capture_output=True, check=False)
        if probe.returncode == 0:
            done = subprocess.run([python, "-W", "ignore", "-c", READER, name], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)
    raise tap.Skipped("no Python with xarray, netCDF4 and h5netcdf")


def number(text):
    return float(text) if text else None


def test_a_recording_has_the_dimension_t_units_and_all_numbers():
    trammel("run", FOUR_BAR, "--end", "100", "--accuracy", "1e-4", "-o", "r.csv", "--quiet")  # 10001 lines: two chunks
    trammel("convert", "r.csv", "r.h5")
    with open("r.csv", newline="", encoding="ascii") as file:
        header, *rows = csv.reader(file)
    for found in opened("r.h5").values():
        assert found["sizes"] == {"t": len(rows)} and found["coords"] == ["t"] and len(rows) > 8192
        assert set(map(str, found["stored"].values())) == {str([[8192], True, True])}, found["stored"]
        for k, name in enumerate(header):
            bare, unit = name.rstrip("]").split("[") if "[" in name else (name, "")
            assert found["units"][bare] == unit and found["values"][bare] == [number(row[k]) for row in rows], name


def test_a_table_of_a_sweep_has_the_dimension_run_words_and_gaps():
    trammel("sweep", FOUR_BAR, "--set", "m=1,-1,2", "--outputs", "coupler_0.x,max(coupler_0.y),tmax(coupler_0.y),run.steps", "--end", "0.2", "-o", "a.csv", code=4)
    trammel("convert", "a.csv", "a.nc")
    with open("a.csv", newline="", encoding="ascii") as file:
        header, *rows = csv.reader(file)
    for found in opened("a.nc").values():
        assert found["sizes"] == {"run": 3} and found["values"]["status"] == ["done", "scene", "done"]
        assert header == ["index", "status", "checks", "m", "coupler_0.x[m]", "max(coupler_0.y)[m]", "tmax(coupler_0.y)[s]", "run.steps", "reason"], header
        for k, name in enumerate(header[3:-1], 3):
            bare, unit = name.rstrip("]").split("[") if "[" in name else (name, "")
            assert found["values"][bare] == [number(row[k]) for row in rows] and found["units"][bare] == unit, name
        assert found["values"]["reason"] == [row[-1] for row in rows] and "mass" in rows[1][-1]


def test_the_program_starts_without_the_libraries_of_hdf5():
    linked = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=False)
    if linked.returncode != 0:
        raise tap.Skipped("no ldd")
    assert "libsundials" in linked.stdout or "libcjson" in linked.stdout, linked.stdout
    assert "hdf5" not in linked.stdout, linked.stdout


def test_a_program_that_was_moved_away_from_its_writer_says_so():
    with open("x.csv", "w", encoding="ascii") as file:
        file.write("t,a\n1,2\n")
    trammel("convert", "x.csv", "x.h5")
    shutil.copy(PROGRAM, "moved")
    done = subprocess.run(["./moved", "convert", "x.csv", "y.h5"], capture_output=True, text=True, check=False)
    assert done.returncode == 5 and "the writer of HDF5 cannot be loaded: trammel_hdf5.so" in done.stderr, done.stderr
    assert sorted(os.listdir()) == ["moved", "x.csv", "x.h5"], os.listdir()


def test_a_full_disk_is_told_and_leaves_nothing():
    """After however many bytes the disk is full: here the largest size of a file"""
    subprocess.run([PROGRAM, "run", FOUR_BAR, "-o", "r.csv", "--every", "0.01", "--quiet"], check=True)
    for kilobytes in (0, 1, 2, 4, 16, 64):
        def fill(most=kilobytes * 1024):
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        assert "cannot write it" in trammel("convert", "r.csv", "r.h5", code=5, preexec_fn=fill)
        assert os.listdir() == ["r.csv"], os.listdir()


def test_bad_input_is_refused_and_leaves_nothing():
    for content, says in (("", "name the columns"), ("t,a\n1,2\n3\n", "x.csv:3: the line ends before"), ("t,a\n1,b\n", 'x.csv:2: expected a number, got "b"'),
                          ("t,a\n1,2,3\n", "more fields")):
        with open("x.csv", "w", encoding="ascii") as file:
            file.write(content)
        assert says in trammel("convert", "x.csv", "x.h5", code=1), says
        assert os.listdir() == ["x.csv"], os.listdir()
    assert "cannot be read" in trammel("convert", "none.csv", "x.h5", code=5)
    assert "end in .h5" in trammel("convert", "x.csv", "x.txt", code=1)
    assert "expected a table" in trammel("convert", "x.csv", code=1)


if __name__ == "__main__":
    sys.exit(tap.run([case for name, case in globals().copy().items() if name.startswith("test_")], in_folders=True))
