#!/usr/bin/env python3
"""What a command leaves on the disk, whatever happens to it. Prints TAP.

    tests/tools/cli/outputs_test.py TRAMMEL ROOT [KILLS]      the program, the root of the project, kills and signals of each kind (3)
"""
import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time

from tap import CASES, case, contents
import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 3
BAR = {
    "title": "A bar",
    "dimension": 2,
    "gravity": [0, -9.81],
    "bodies": [{"name": "bar", "ends": [[0, 0], [1, 0]], "mass": 2}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}],
    "simulation": {"end": 2},
}
LONG = ["--end", "1e5", "--every", "0.01"]  # minutes, if nobody ends it


def scene(name="bar.json", **changes):
    with open(name, "w", encoding="ascii") as file:
        json.dump({**BAR, **changes}, file)
    return name


def trammel(*args, **options):
    return subprocess.run([PROGRAM, *args], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          **options)


def start(*args, **options):
    return subprocess.Popen([PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, **options)


def size(path):
    return os.path.getsize(path) if os.path.exists(path) else 0


def forget(path):
    """What a run before has left would be taken for the lines of this one."""
    if os.path.exists(path):
        os.remove(path)


def lines_of(path):
    """The lines of a recording, each complete, of as many numbers as the header has names."""
    with open(path, "rb") as file:
        data = file.read()
    assert data.endswith(b"\n"), data[-80:]
    header, *rows = data.decode().splitlines()
    width = header.count(",")
    assert all(row.count(",") == width for row in rows)
    return rows


COMMANDS = [["run", "{scene}", "-o", "{out}"], ["view", "{scene}", "-o", "{out}"],
            ["compare", "{scene}", "--methods", "dopri5+plain", "--rtols", "1e-4", "--budget", "1", "--report", "{out}"]]


@case
def input_is_no_output():
    """The scene is never overwritten: by its name, a link, a hard link, or a path through another folder"""
    os.mkdir("folder")
    for command in COMMANDS:
        suffix = {"run": ".csv", "view": ".svg", "compare": ".html"}[command[0]]
        name = scene("scene" + suffix)
        before = contents(name)
        os.symlink(os.path.abspath(name), "link" + suffix)
        os.link(name, "hard" + suffix)
        for out in (name, "link" + suffix, "hard" + suffix, "folder/../" + name, os.path.abspath(name)):
            result = trammel(*(a.format(scene=name, out=out) for a in command))
            assert result.returncode == 1 and b"would overwrite" in result.stderr, (command, out, result)
            assert contents(name) == before
        assert not [file for file in os.listdir(".") if file.endswith(".part")]


@case
def input_is_no_part():
    """Neither is a scene that is called like the file the lines are gathered in"""
    name = scene("x.csv.part")
    before = contents(name)
    result = trammel("run", name, "-o", "x.csv")
    assert result.returncode == 1 and b"would overwrite" in result.stderr, result
    assert contents(name) == before


@case
def reference_is_no_report():
    """compare overwrites neither the recording that it compares with"""
    assert trammel("run", scene(), "-o", "reference.csv", "--every", "0.1").returncode == 0
    before = contents("reference.csv")
    os.symlink("reference.csv", "page.html")
    result = trammel("compare", "bar.json", "--reference", "reference.csv", "--report", "page.html", "--budget", "1",
                     "--methods", "dopri5+plain")
    assert result.returncode == 1 and contents("reference.csv") == before, result


@case
def recording_is_no_picture():
    """A page, a picture or a plot that names a recording it shows, by a link: refused, and the recording stays"""
    scene()
    assert trammel("run", "bar.json", "-o", "shown.csv").returncode == 0
    before = contents("shown.csv")
    for end in ("html", "svg", "png"):
        os.symlink("shown.csv", "shown." + end)
        for command in (["view", "bar.json", "shown.csv"], ["plot", "shown.csv", "bar.x"]):
            if command[0] == "plot" and end != "svg":
                continue
            result = trammel(*command, "-o", "shown." + end)
            assert result.returncode == 1 and b"would overwrite" in result.stderr, result
            assert contents("shown.csv") == before


@case
def pages_have_no_checkpoints():
    """--live and --checkpoint belong to recordings: refused beside a page"""
    scene()
    for option in (["--live"], ["--checkpoint", "1"]):
        result = trammel("run", "bar.json", "-o", "page.html", *option)
        assert result.returncode == 1 and b"not beside a page" in result.stderr, result
        assert not os.path.exists("page.html")


@case
def parts_of_columns_go_on():
    """--columns and --header plain hold for a resumed run too, and --verify follows it"""
    scene()
    chosen = ["--columns", "bar.x", "--header", "plain", "--verify", "--checkpoint", "0", "--json"]
    whole = trammel("run", "bar.json", "-o", "part.csv", *chosen)
    assert whole.returncode == 0 and contents("part.csv").startswith(b"t,bar_x\n"), whole
    before = contents("part.csv")
    code = 0
    while code == 0:  # it was done before
        run = start("run", "bar.json", "-o", "part.csv", *chosen, "--every", "1e-5")
        tap.until(lambda: tap.listens(run), run)
        run.terminate()
        run.communicate()
        code = run.returncode
    resumed = trammel("run", "--resume", "part.csv.state", "--json")
    assert resumed.returncode == 0, resumed
    said = json.loads(resumed.stdout)
    assert contents("part.csv").startswith(b"t,bar_x\n") and len(contents("part.csv")) > len(before)
    assert said["status"] == json.loads(whole.stdout)["status"]


@case
def older_recording_stays():
    """A failed run leaves the recording of the run before, and its own lines in NAME.part; a good one replaces it"""
    write = scene(forces=[{"name": "push", "type": "torque", "body": "bar", "value": "log(1 - t)"}])
    with open("x.csv", "w", encoding="ascii") as file:
        file.write("precious\n")
    os.chmod("x.csv", 0o640)
    result = trammel("run", write, "-o", "x.csv", "--every", "0.01")
    assert result.returncode == 4 and b"x.csv.part" in result.stderr, result
    assert contents("x.csv") == b"precious\n"
    assert len(lines_of("x.csv.part")) > 90
    assert trammel("run", scene(), "-o", "x.csv", "--every", "0.01").returncode == 0
    assert len(lines_of("x.csv")) == 201 and not os.path.exists("x.csv.part")
    assert os.stat("x.csv").st_mode & 0o777 == 0o640


@case
def links_are_followed():
    """-o through a symbolic link replaces what it leads to; a file that may not be written is not replaced"""
    os.mkdir("data")
    with open("data/real.csv", "w", encoding="ascii") as file:
        file.write("old\n")
    os.symlink("data/real.csv", "link.csv")
    assert trammel("run", scene(), "-o", "link.csv").returncode == 0
    assert os.path.islink("link.csv") and len(lines_of("data/real.csv")) > 1
    if os.geteuid() != 0:
        os.chmod("data/real.csv", 0o444)
        assert trammel("run", scene(), "-o", "link.csv").returncode == 5


@case
def second_run_is_refused():
    """Of two runs onto one output the second is refused, and the first is not disturbed; then it is free again"""
    for more in ([], ["--live"]):
        where = "x.csv" if more else "x.csv.part"
        forget(where)
        first = start("run", scene(), "-o", "x.csv", *LONG, *more)
        tap.until(lambda: size(where) > 10000)
        second = trammel("run", "bar.json", "-o", "x.csv", *more)
        assert second.returncode == 5 and b"another run is writing" in second.stderr, second
        first.send_signal(signal.SIGINT)
        first.communicate()
        assert first.returncode == 130
        lines_of(where)
        assert trammel("run", "bar.json", "-o", "x.csv").returncode == 0


@case
def killed_run_keeps_a_second():
    """After kill -9 the file has all lines but those of the last second, each complete but perhaps the last"""
    chance = random.Random(19)
    scene()
    for _ in range(KILLS):
        forget("x.csv.part")
        run = start("run", "bar.json", "-o", "x.csv", "--end", "1e6", "--every", "10")
        tap.until(lambda: size("x.csv.part") > 1000, run)
        time.sleep(chance.random())
        run.kill()
        run.communicate()
        assert not os.path.exists("x.csv")
        data = contents("x.csv.part")
        whole = data[:data.rindex(b"\n") + 1].decode().splitlines()
        assert all(row.count(",") == whole[0].count(",") for row in whole)


@case
def lines_arrive_while_it_runs():
    """Lines that come seldom are in the file at once, others within a second; --live writes the file itself"""
    for more in ([], ["--live"]):
        run = start("run", os.path.join(ROOT, "scenes/chain_1000.json"), "-o", "y.csv", "--end", "1000", "--every", "0",
                    *more)
        where = "y.csv" if more else "y.csv.part"
        tap.until(lambda: size(where) > 0)
        first = size(where)
        tap.until(lambda: size(where) > first)
        run.kill()
        run.communicate()
        assert os.path.exists("y.csv") == bool(more)


@case
def signals_complete_the_recording():
    """SIGINT, SIGTERM and SIGHUP end a recorded run after a step: exit 128 + number, the last line complete"""
    scene()
    chance = random.Random(20)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) * KILLS:
        forget("x.csv.part")
        run = start("run", "bar.json", "-o", "x.csv", *LONG)
        tap.until(lambda: size("x.csv.part") > 0)
        time.sleep(chance.random() / 2)
        run.send_signal(number)
        run.communicate()
        assert run.returncode == 128 + number, (number, run.returncode)
        assert not os.path.exists("x.csv")
        lines_of("x.csv.part")


@case
def reader_that_leaves():
    """A pipe whose reader leaves: exit 5 and a sentence"""
    os.mkfifo("pipe.csv")
    run = start("run", scene(), "-o", "pipe.csv", *LONG)
    with open("pipe.csv", "rb") as file:
        file.read(5000)
    _, err = run.communicate()
    assert run.returncode == 5 and b"Broken pipe" in err, (run.returncode, err)
    run = start("run", scene(), "-o", "pipe.csv", "--every", "0.1")
    with open("pipe.csv", "rb") as file:
        data = file.read()
    run.communicate()
    assert run.returncode == 0 and data.count(b"\n") == 22, data


@case
def full_disk_leaves_no_torso():
    """Where the disk is full, no torso of a picture or a report is left, and the older one stays"""
    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
    scene()
    for command in COMMANDS[1:]:
        out = "old.svg" if command[0] == "view" else "old.html"
        args = [a.format(scene="bar.json", out=out) for a in command]
        with open(out, "w", encoding="ascii") as file:
            file.write("older\n")
        result = trammel(*args, preexec_fn=little_room)
        assert result.returncode == 5, (command, result)
        assert contents(out) == b"older\n"
        os.remove(out)
        assert trammel(*args, preexec_fn=little_room).returncode == 5
        assert not os.path.exists(out) and not os.path.exists(out + ".part")


@case
def closed_stdout():
    """A closed stdout: exit 5 for what is printed, and the recording is whole"""
    result = subprocess.run(["sh", "-c", '"$0" run bar.json -o x.csv >&-', PROGRAM], check=False,
                            capture_output=True) if scene() else None
    assert result.returncode == 5, result
    assert len(lines_of("x.csv")) > 1


@case
def no_escapes_on_a_terminal():
    """Control characters of titles, names, file names and arguments are shown as \\x1b"""
    evil = "\x1b[31mred\x1b]0;title\x07\u009b2J\x7f"
    os.mkdir("sub")
    name = scene("sub/e\x1b[2Jvil.json", title="A" + evil)
    bad = scene("bad\x1b[2J.json", bodies=[{"name": "b" + evil, "mass": 1}])
    broken = "broken\x1b[1m.json"
    with open(broken, "w", encoding="utf-8") as file:
        file.write('{"title": "x", ' + evil)
    calls = [["run", name], ["check", name], ["linearize", name], ["run", bad], ["check", bad], ["run", broken],
             ["run", name, "--integrator", evil], ["run", name, "--method", evil], ["run", name, "--set", evil + "=1"],
             ["run", name, "--" + evil], ["run", name, evil], ["run", name, "--end", evil], [evil], ["help", evil],
             [evil + ".json"], ["run", "missing" + evil], ["run", name, "-o", "x\x1b[1m.csv"],
             ["run", name, "-o", evil], ["compare", name, "--methods", evil],
             ["view", name, "-o", "v\x1b[1m.svg"], ["view", name], ["run", name, "-o", "no\x1b[1m/x.csv"],
             ["compare", name, "--methods", "dopri5+plain", "--rtols", "1e-4", "--budget", "2"],
             ["run", name, "--json"], ["check", name, "--json"]]
    for call in calls:
        result = trammel(*call)
        for text in (result.stdout.decode(), result.stderr.decode()):
            wrong = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160]
            assert not wrong, (call, text)


@case
def failed_at_once_is_not_good():
    """A run that fails before its first step is not judged"""
    name = scene(forces=[{"name": "push", "type": "torque", "body": "bar", "value": "log(-1e-9 - t)"}])
    for args in ([name], [scene("fine.json"), "--atol", "1e-300", "--rtol", "1e-300"]):
        result = trammel("run", *args)
        assert result.returncode != 0 and b"good" not in result.stdout, result


@case
def far_ends_are_far():
    """--end 1e300 is told as too far, not as too stiff"""
    result = trammel("run", scene(), "--end", "1e300")
    assert result.returncode == 4 and b"too far" in result.stderr and b"stiff" not in result.stderr, result


@case
def many_writers():
    """Twenty runs onto one output at the same time: each is done or refused, and the file is one run's"""
    scene()
    codes = []

    def one(k):
        codes.append(trammel("run", "bar.json", "-o", "x.csv", "--every", str(0.001 * (k + 1))).returncode)
    threads = [threading.Thread(target=one, args=(k,)) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(codes) <= {0, 5} and 0 in codes, codes
    rows = lines_of("x.csv")
    times = [float(row.split(",")[0]) for row in rows]
    assert times == sorted(times) and times[-1] == 2


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
