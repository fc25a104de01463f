#!/usr/bin/env python3
"""Which files a scene may name, and that no command writes what it has read. Prints TAP.

    tests/tools/cli/files_test.py TRAMMEL ROOT
"""
import json
import os
import shutil
import socket
import subprocess
import sys

from cli_rig import PROGRAM, expect, refused, scene, trammel, write
from tap import CASES, case, contents
import tap

TABLE = "a,b\n1,2\n2,3\n"
SECRET = "root:x:0:0\nsecret,word\n"
QUICK = ["--methods", "dopri5+plain", "--rtols", "1e-4", "--budget", "1"]


def with_table(name="s.json", file="tab.csv"):
    return scene(name, tables={"lift": {"file": file, "x": "a", "y": "b"}},
                 forces=[{"name": "f", "type": "torque", "body": "bar", "value": "table(lift, 1.5)"}], simulation={"end": 0.1})


# --------------------------------------------------------------------------------- what is written

WAYS = {  # of each the name that would be written, and the command
    ".csv": ["run {scene} -o {out}", "run {scene} -o {out} --live", "sweep {scene} --set w=0,1 -o {out}"],
    ".html": ["run {scene} -o {out}", "view {scene} -o {out}", "compare {scene} %s --report {out}" % " ".join(QUICK),
              "sweep {scene} --set w=0,1 -o try/t.csv --report {out}"],
    ".svg": ["view {scene} -o {out}", "view {scene} -o {out} --animate", "view {scene} r.csv -o {out}"],
    ".csv.state": ["run {scene} -o {stem}.csv --checkpoint 0"],
    ".csv.part": ["run {scene} -o {stem}.csv"],
    ".csv.log": ["sweep {scene} --set w=0,1 -o {stem}.csv"],
    ".csv.json": ["sweep {scene} --set w=0,1 -o {stem}.csv"],
    "/0.csv": ["sweep {scene} --set w=0,1 --recordings {stem} -o try/t.csv -j 1"],
}


@case
def no_table_is_written():
    """Every way to write, onto a table of the scene: by its name, a symbolic link, a hard link, another path"""
    scene("plain.json", simulation={"end": 0.1})
    expect(0, trammel("run", "plain.json", "-o", "r.csv"))
    for suffix, commands in WAYS.items():
        for command in commands:
            for kind in ("name", "link", "hard", "path"):
                shutil.rmtree("try", ignore_errors=True)
                os.makedirs("try/x")
                os.makedirs("try/y")
                table = "try/x" + suffix if kind in ("name", "path") else "try/table"
                write(table, TABLE)
                {"name": bool, "path": bool, "link": lambda _: os.symlink(os.path.abspath(table), "try/x" + suffix),
                 "hard": lambda _: os.link(table, "try/x" + suffix)}[kind](0)
                with_table(file=table)
                stem = "try/y/../x" if kind == "path" else "try/x"
                words = command.format(scene="s.json", stem=stem, out=stem + suffix).split()
                done = trammel(*words)
                assert contents(table) == TABLE.encode(), (command, kind)
                said = contents("try/t.csv") if "--recordings" in command else done.stderr  # a failed row of the table
                assert done.returncode != 0 and b"would overwrite" in said, (command, kind, done)


@case
def a_recording_is_not_written_by_who_reads_it():
    """plot, view and convert, onto their recording or a table"""
    with_table()
    write("tab.csv", TABLE)
    expect(0, trammel("run", "s.json", "-o", "r.csv"))
    before = contents("r.csv")
    for suffix, words in ((".svg", ["plot", "r.csv", "bar.x", "-o"]), (".html", ["view", "r.csv", "-o"]), (".svg", ["view", "r.csv", "-o"]),
                          (".h5", ["convert", "r.csv"]), (".nc", ["convert", "r.csv"])):
        for made in (os.symlink, os.link):
            made(os.path.abspath("r.csv"), "out" + suffix)
            refused(1, *words, "out" + suffix, says="would overwrite")
            os.remove("out" + suffix)
        assert contents("r.csv") == before


@case
def a_resumed_run_knows_the_tables():
    """A checkpoint is refused when a table has changed since, and not when it is the same again"""
    with_table()
    write("tab.csv", TABLE)
    with subprocess.Popen([PROGRAM, "run", "s.json", "-o", "r.csv", "--checkpoint", "0", "--end", "1e6", "--quiet"]) as run:
        tap.until(lambda: os.path.exists("r.csv.state"), run)
        run.kill()
    write("tab.csv", TABLE.replace("3", "4"))
    refused(1, "run", "--resume", "r.csv.state", says="the scene or a table has changed")
    write("tab.csv", TABLE)
    first = os.stat("r.csv.state").st_ino
    with subprocess.Popen([PROGRAM, "run", "--resume", "r.csv.state", "--quiet"]) as run:
        assert tap.until(lambda: os.stat("r.csv.state").st_ino != first, run)  # it goes on
        run.kill()
    words = ["sweep", "s.json", "--set", "w=0,1", "-o", "t.csv"]
    expect(0, trammel(*words))
    write("tab.csv", TABLE.replace("3", "4"))
    refused(1, *words, says="another scene")


# ---------------------------------------------------------------------------------- what is read

@case
def files_beside_the_scene():
    """In its folder, below it, by a link that stays: read. The folder may be named in any way"""
    os.makedirs("a/b")
    write("a/tab.csv", TABLE)
    write("a/b/tab.csv", TABLE)
    os.symlink("b/tab.csv", "a/link.csv")
    os.symlink("a", "c")
    for file in ("tab.csv", "b/tab.csv", "./b//tab.csv", "link.csv"):
        with_table("a/s.json", file)
        for name in ("a/s.json", "c/s.json", os.path.abspath("a/s.json"), "./a/../a/s.json"):
            expect(0, trammel("run", name, "--quiet"))
    os.chdir("a")
    expect(0, trammel("check", "s.json"))


@case
def files_elsewhere():
    """An absolute path, .., and links that leave are refused in one sentence, whether the file is there or not"""
    os.makedirs("a/b")
    os.makedirs("other")
    write("other/tab.csv", SECRET)
    os.symlink("../other/tab.csv", "a/link.csv")
    os.symlink(os.path.abspath("other"), "a/folder")
    os.symlink("/", "a/root")
    for file in (os.path.abspath("other/tab.csv"), "/etc/passwd", "/no/such/file", "../other/tab.csv", "../none", "b/../../other/tab.csv",
                 "b/../tab.csv", "..", "link.csv", "folder/tab.csv", "root/etc/passwd"):
        says = refused(2, "check", with_table("a/s.json", file), says="files of its own folder only")
        assert "a/s.json:" in says and "/tables/lift/file" in says and "root:" not in says and "secret" not in says


@case
def files_that_are_allowed():
    """--allow-files admits one more folder, by any path into it, for every command"""
    os.makedirs("a/b")
    os.makedirs("other/deep")
    os.makedirs("others")
    for name in ("other/tab.csv", "other/deep/tab.csv", "others/tab.csv"):
        write(name, TABLE)
    os.symlink("../other/tab.csv", "a/link.csv")
    for file in ("../other/tab.csv", os.path.abspath("other/deep/tab.csv"), "link.csv", "b/../../other/tab.csv"):
        with_table("a/s.json", file)
        for words in (["run"], ["check"], ["linearize"], ["view", "-o", "x.svg"], ["compare", *QUICK], ["sweep", "--set", "w=0,1", "-o", "t%d.csv" % len(file)]):
            expect(0, trammel(*words, "a/s.json", "--allow-files", "other"))
        expect(0, trammel("check", "a/s.json", "--allow-files", "/"))
        refused(2, "check", "a/s.json", "--allow-files", "others", says="files of its own folder only")
        refused(2, "check", "a/s.json", "--allow-files", "other/none", says="files of its own folder only")
    refused(2, "check", with_table("a/s.json", "../others/tab.csv"), "--allow-files", "other", says="files of its own folder only")


@case
def only_plain_files():
    """A pipe nobody writes, the scene too, a socket, a device, a folder: told at once, with the place"""
    os.mkfifo("pipe.csv")
    os.mkdir("folder.csv")
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("socket.csv")
    for file, says in {"pipe.csv": "a plain file", "folder.csv": "a directory", "socket.csv": "open|plain file", "none.csv": "No such file"}.items():
        refused(2, "check", with_table(file=file), says=says)
    refused(2, "check", "pipe.csv", says="pipe.csv: .*an empty text")
    for device in ("/dev/zero", "/dev/stdin", "/dev/tty", "/dev/null"):
        done = trammel("check", with_table(file=device), "--allow-files", "/dev", timeout=tap.PATIENCE)
        assert done.returncode == 2 and b"/tables/lift/file" in done.stderr, done


@case
def messages_quote_nothing_of_a_table():
    """No byte of a file that a scene names stands in a message"""
    for text in (SECRET, "a,secret\n1,2\n", "a,b\n1,secret\n", "a,b\nsecret,2\n", "a,b\n1\nsecret", "secret"):
        write("tab.csv", text)
        says = refused(2, "check", with_table(), says="tab.csv:|/tables/lift")
        assert "secret" not in says and "root" not in says, says
    write("tab.csv", TABLE)
    expect(0, trammel("check", "s.json"))
    assert json.loads(contents("s.json"))


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
