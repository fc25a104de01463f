#!/usr/bin/env python3
"""trammel sweep: bad input is a sentence before the first run, and nothing finished is lost. Prints TAP.

    tests/tools/sweep/sweep_input_test.py TRAMMEL ROOT      the program, and the root of the project
"""
import json
import os
import shutil
import subprocess
import sys

from tap import case
import tap

from sweep_rig import FLIGHT, FOUR, FOUR_BAR, MPI, PROGRAM, ROOT_MAY, read, refused, run_cases, sweep, table, write


@case
def another_study():
    """A log is not continued with another seed, setting, scene or version: the difference is named"""
    write("s.json", FLIGHT)
    base = ["s.json", "--set", "u=uniform:0:1", "--runs", "5", "-o", "a.csv"]
    sweep(*base)
    log = read("a.csv.log")
    refused(*base, "--seed", "2", says="another --seed")
    refused(*base[:-4], "--runs", "6", "-o", "a.csv", says="another --runs")
    refused(*base, "--set", "w=2", says="another --set")
    refused(*base, "--outputs", "t", says="another --outputs")
    refused(*base, "--integrator", "rk4", "--step", "0.01", says="another method")
    write("s.json", FLIGHT | {"title": "another"})
    refused(*base, says="another scene")
    write("s.json", FLIGHT)
    manifest = json.loads(read("a.csv.json"))
    write("a.csv.json", manifest | {"study": manifest["study"] | {"version": "0.0.9"}})
    refused(*base, says='another version .*"0.0.9"')
    write("a.csv.json", "{}")
    refused(*base, says="no manifest")
    assert read("a.csv.log") == log
    write("a.csv.json", manifest)
    sweep(*base)
    assert manifest["command"][:3] == ["trammel", "sweep", "s.json"] and manifest["runs"] == 5


@case
def tables_beside_the_scene():
    """A changed table beside the scene is a changed scene"""
    write("cam.csv", "x,y\n0,1\n1,2\n2,3\n")
    write("s.json", FLIGHT | {"tables": {"cam": {"file": "cam.csv", "x": "x", "y": "y"}}})
    base = ["s.json", "--set", "u=1,2", "-o", "a.csv"]
    sweep(*base)
    write("cam.csv", "x,y\n0,1\n1,2\n2,4\n")
    refused(*base, says="another scene")


@case
def bad_names():
    """Parameters, outputs and columns that do not exist are refused before the first run, with near names"""
    write("s.json", FLIGHT)
    refused("s.json", "--set", "uu=1:2:3", "-o", "bad.csv", says='no parameter "uu".*"u"')
    refused("s.json", "--set", "ball.vv=1:2:3", "-o", "bad.csv", says='no number of the initial state "ball.vv".*ball.v')
    refused("s.json", "--set", "u=1,2", "--outputs", "ball.z", "-o", "bad.csv", says='no output is called "ball.z".*ball.[xy]')
    refused("s.json", "--set", "u=1,2", "--outputs", "max(bal.x)", "-o", "bad.csv", says='"bal.x".*ball.x')
    refused("s.json", "--set", "u=1,2", "--outputs", "run.step", "-o", "bad.csv", says="run.steps")
    refused("s.json", "--set", "u=1,2", "--outputs", "t,t", "-o", "bad.csv", says="twice")
    refused("s.json", "--set", "u=1,2", "--outputs", "ball.x@9", "-o", "bad.csv", says="behind the end")
    refused("s.json", "--set", "u=1,2", "--set", "u=3", "-o", "bad.csv", says="set twice")
    assert sorted(os.listdir()) == ["s.json"], os.listdir()


@case
def bad_ranges():
    """Ranges, draws and counts that make no sense are refused"""
    write("s.json", FLIGHT)
    for setting, says in (("u=1:2", "FIRST:LAST:N"), ("u=1:2:2.5", "whole number"), ("u=1:2:0", "whole number"), ("u=1:2:1", "one value"),
                          ("u=log:-1:2:3", "one sign"), ("u=normal:1:-2", ">= 0"), ("u=uniform:2:1", "below"), ("u=uniform:2", "FROM:TO"),
                          ("u=1,x", "expected a number"), ("u=0:1:100000001", "at most|whole"), ("u=3", "nothing is varied"),
                          ("u=uniform:0:nan", "number")):
        refused("s.json", "--set", setting, "-o", "bad.csv", says=says)
    refused("s.json", "--set", "u=1,2", "--runs", "4", "-o", "bad.csv", says="is for draws")
    refused("s.json", "--set", "u=1:2:10000", "--set", "w=1:2:100000", "-o", "bad.csv", says="at most")
    refused("s.json", "--set", "u=1,2", says="where to")
    refused("s.json", "--set", "u=1,2", "-o", "bad.txt", says="csv")
    refused("s.json", "--set", "u=1,2", "--every", "0.1", "-o", "bad.csv", says="--recordings")
    refused("s.json", "--merge", "-o", "bad.csv", says="takes no file|alone")


@case
def bad_samples():
    """A sample file with a wrong column, a NaN, a short line or none is refused with its line"""
    write("s.json", FLIGHT)
    for text, says in (("u,ww\n1,2\n", 'no parameter "ww"'), ("u,w\n1,nan\n", 'x.csv:2: column "w".*nan'), ("u,w\n1,2\n3\n", "x.csv:3: expected 2 numbers, got 1"),
                       ("u,w\n1,2,3\n", "x.csv:2: more numbers"), ("u,w\n", "no line of numbers"), ("", "name the columns"), ("u,w\n1,\n", 'got ""'),
                       ("u,,w\n1,2,3\n", "column 2 has no name"), ("u,u\n1,2\n", "twice"), ("u\n1e400\n", "finite")):
        write("x.csv", text)
        refused("s.json", "--samples", "x.csv", "-o", "bad.csv", says=says)
    refused("s.json", "--samples", "none.csv", "-o", "bad.csv", says="none.csv", code=5)
    write("x.csv", "\ufeffu , \"w\"\r\n1,2\r\n\r\n3,4\r\n")
    sweep("s.json", "--samples", "x.csv", "-o", "a.csv")
    assert [(row["u"], row["w"]) for row in table("a.csv")] == [("1", "2"), ("3", "4")]
    refused("s.json", "--samples", "x.csv", "--set", "g=1:2:3", "-o", "bad.csv", says="single values")


@case
def bad_places():
    """A result that cannot be written, or would overwrite what is read, is refused before the first run"""
    write("s.json", FLIGHT)
    refused("s.json", "--set", "u=1,2", "-o", "none/bad.csv", says="cannot be written", code=5)
    write("x.csv", "u\n1\n")
    refused("s.json", "--samples", "x.csv", "-o", "x.csv", says="would overwrite")
    refused("s.json", "--set", "u=1,2", "--recordings", "s.json/x", "-o", "bad.csv", says="cannot be written", code=5)
    assert read("x.csv") == b"u\n1\n"


@case
def parts_of_two_studies():
    """Parts of different studies are not merged"""
    sweep(*FOUR, "--shard", "1/2", "-o", "a.csv")
    sweep(*FOUR, "--accuracy", "1e-7", "--shard", "2/2", "-o", "a.csv")
    refused("--merge", "-o", "a.csv", says="another sweep than part 1")


@case
def overlapping_shards():
    """Shards that overlap, of another number of parts or with a row of another part: refused by name, nothing is lost"""
    for i in (1, 2):
        sweep(*FOUR, "--shard", f"{i}/2", "-o", "a.csv")
    sweep(*FOUR, "--shard", "1/3", "-o", "a.csv")
    logs = {name: read(name) for name in sorted(os.listdir())}
    refused("--merge", "-o", "a.csv", says="overlap")
    assert {name: read(name) for name in sorted(os.listdir())} == logs
    os.remove("a.csv.part-1-of-3.log")
    sweep("--merge", "-o", "a.csv")


def module(*words, **environment):
    """python3 -m trammel.sweep, by a Python that has Dask."""
    package = os.path.join(os.path.dirname(PROGRAM), "python")
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import distributed, numpy"], capture_output=True, check=False).returncode == 0:
            return subprocess.run([python, "-m", "trammel.sweep", *words], capture_output=True, text=True, check=False, timeout=tap.PATIENCE,
                                  env=os.environ | {"PYTHONPATH": package, "TRAMMEL_PROGRAM": PROGRAM} | environment)
    raise tap.Skipped("no Python with distributed (Debian: python3-distributed)")


@case
def a_scheduler_file_without_a_scheduler():
    """A scheduler file that is missing, no file of a scheduler, or of one that has ended: a sentence before the first run"""
    write("s.json", FLIGHT)
    write("words.json", "no scheduler")
    write("ended.json", {"type": "Scheduler", "id": "Scheduler-1", "address": "tcp://127.0.0.1:9", "workers": {}})
    for name, says in (("none.json", "no such file"), ("words.json", "no scheduler answers"), ("ended.json", "no scheduler answers")):
        done = module("s.json", "--set", "u=1:2:3", "-o", "bad.csv", "--scheduler-file", name)
        assert done.returncode == 5 and says in done.stderr and "Traceback" not in done.stderr, (name, done)
        assert not os.path.exists("bad.csv") and not os.path.exists("bad.csv.log"), name


@case
def ranks_of_another_program():
    """A rank of another binary, or with another scene where it stands, is named before the first run"""
    tap.need("mpirun")
    if not os.path.exists(MPI):
        raise tap.Skipped("no trammel-mpi: no MPI when it was built")
    shutil.copy(MPI, "other-mpi")
    with open("other-mpi", "ab") as file:
        file.write(b" ")
    os.mkdir("elsewhere")
    write("s.json", FLIGHT)
    write("elsewhere/s.json", FLIGHT | {"title": "another"})
    for command, words, other in (("./other-mpi", [FOUR_BAR, "--set", "v0=1,2", "-o", "bad.csv"], []),
                                  (MPI, ["s.json", "--set", "u=1,2", "-o", "bad.csv"], ["-wdir", "elsewhere"])):
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", "2", MPI, "sweep", *words, ":", "-n", "1", *other, command, "sweep", *words],
                              capture_output=True, text=True, check=False, env=ROOT_MAY, timeout=tap.PATIENCE)
        assert done.returncode == 1 and "rank 2 has another version, program or scene than rank 0" in done.stderr, done
        assert not os.path.exists("bad.csv") and not os.path.exists("bad.csv.log")


@case
def finished_rows_outlive_bad_input():
    """After each refusal of a command that would continue, the log has every byte it had"""
    write("s.json", FLIGHT)
    sweep("s.json", "--set", "u=1:5:5", "-o", "a.csv")
    os.remove("a.csv")
    log, manifest = read("a.csv.log"), read("a.csv.json")
    write("x.csv", "u\nnan\n")
    for words, code in ((["--set", "uu=1:5:5"], 1), (["--samples", "x.csv"], 1), (["--set", "u=1:5:5", "--outputs", "none"], 1),
                        (["--set", "u=1:5:6"], 1), (["--set", "u=1:5:5", "--shard", "9/3"], 1), (["--set", "u=1:5:5", "--report", "none/x.html"], 5)):
        sweep("s.json", *words, "-o", "a.csv", code=code)
        assert read("a.csv.log") == log and read("a.csv.json") == manifest, words
    sweep("s.json", "--set", "u=1:5:5", "-o", "a.csv")
    assert len(table("a.csv")) == 5


if __name__ == "__main__":
    run_cases()
