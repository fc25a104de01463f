"""trammel.sweep: by processes of this machine, and by a Dask client whose workers die."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import trammel
from trammel.programs.program import program

import scenes

OUTPUTS = ["bar.angle", "max(tip.x)", "run.steps"]


@pytest.fixture
def scene(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bar.json").write_text(scenes.text())
    return "bar.json"


def samples(n):
    return {"l": np.linspace(0.5, 1.5, n), "w": np.linspace(-1, 1, n)}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def test_columns_by_name_and_the_bits_of_simulate(scene):
    table = trammel.sweep(scene, samples(5), out="a.csv", outputs=OUTPUTS, end=0.5, jobs=2)
    assert table.units == {"index": "", "status": "", "checks": "", "l": "", "w": "", "bar.angle": "rad", "max(tip.x)": "m", "run.steps": "", "reason": ""}
    assert table.failed == 0 and list(table["index"]) == list(range(5)) and set(table["status"]) == {"done"}
    for l, w, angle in zip(table["l"], table["w"], table["bar.angle"]):
        assert angle == trammel.load(scene, set={"l": l, "w": w}).simulate(0.5)["bar"].angle[-1]
    log = read("a.csv.log")
    again = trammel.sweep(scene, samples(5), out="a.csv", outputs=OUTPUTS, end=0.5)
    assert read("a.csv.log") == log and (again["bar.angle"] == table["bar.angle"]).all()


def test_failures_are_rows_and_refusals_exceptions(scene):
    table = trammel.sweep(scene, {"l": [1, 0, 2]}, out="a.csv", end=0.1)
    assert table.failed == 1 and table["status"][1] == "scene" and table["reason"][1] and np.isnan(table["bar.x"][1])
    with pytest.raises(trammel.OptionsError, match='no parameter "ll"'):
        trammel.sweep(scene, {"ll": [1]}, out="b.csv")
    with pytest.raises(trammel.OptionsError, match="different lengths"):
        trammel.sweep(scene, {"l": [1, 2], "w": [1]}, out="b.csv")
    with pytest.raises(trammel.FileError, match="none.json"):
        trammel.sweep("none.json", {"l": [1]}, out="b.csv")
    with pytest.raises(trammel.OptionsError, match="belongs to a sweep with another"):
        trammel.sweep(scene, {"l": [1, 0, 3]}, out="a.csv", end=0.1)


def test_a_worker_with_another_program_or_scene_is_refused_before_its_first_run(scene, tmp_path):
    from trammel.programs import sweeping  # pylint: disable=import-outside-toplevel
    other = tmp_path / "other"
    other.write_bytes(read(program()) + b" ")
    other.chmod(0o755)
    words, files = [scene, "--set", "l=1,2", "--end", "0.1"], {scene: read(scene)}
    started = subprocess.run([program(), "sweep", *words, "--rows"], capture_output=True, text=True, input="", check=True)
    study = started.stdout.split()[1]
    rows, _, wrong = sweeping._block(words, files, study, [0, 1])
    assert len(rows) == 2 and not wrong
    for changed, run in ((files, str(other)), ({scene: files[scene] + b"\n"}, None)):
        rows, _, wrong = sweeping._block(words, changed, study, [0, 1], run=run)
        assert rows == [] and "another version, program or scene than the client" in wrong


def test_a_process_that_exits_0_without_a_row_has_died(scene, tmp_path):
    from trammel.programs import sweeping  # pylint: disable=import-outside-toplevel
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\necho study 7 2 x\n")
    silent.chmod(0o755)
    assert sweeping._block([scene], {scene: read(scene)}, "7", [0, 1], run=str(silent))[::2] == ([], "died 0")


def module(*words):
    return subprocess.run([sys.executable, "-m", "trammel.sweep", *words], capture_output=True, text=True, check=False)


def test_the_module_is_the_command_and_needs_a_scheduler_that_answers(scene):
    done = module(scene, "--set", "l=1:2:3", "--end", "0.1", "-o", "a.csv")
    assert done.returncode == 0 and "3 of 3 runs, 0 failed" in done.stdout, done
    pytest.importorskip("distributed")
    done = module(scene, "--set", "l=1:2:3", "-o", "b.csv", "--scheduler-file", "none.json")
    assert done.returncode == 5 and "no such file" in done.stderr and not os.path.exists("b.csv.log")


GUILTY = """#!/bin/sh
# the program, except a worker that is to make run 5 where the file "armed" is: that kills who asks
case "$*" in *--rows*) ;; *) exec PROGRAM "$@" ;; esac
indices=$(cat)
for i in $indices; do
    if [ "$i" = 5 ] && [ -e FOLDER/armed ]; then kill -9 $PPID; sleep 9; fi
done
printf "%s\\n" $indices | PROGRAM "$@"
"""


@pytest.fixture
def client(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    import dask  # pylint: disable=import-outside-toplevel
    guilty = tmp_path / "guilty"
    guilty.write_text(GUILTY.replace("PROGRAM", program()).replace("FOLDER", str(tmp_path)))
    guilty.chmod(0o755)
    monkeypatch.setenv("TRAMMEL_PROGRAM", str(guilty))
    with dask.config.set({"distributed.scheduler.allowed-failures": 1}):
        with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
            cluster.adapt(minimum=2, maximum=2)  # a nanny may fail to restart its worker on a busy machine
            with distributed.Client(cluster, set_as_default=False) as found:
                yield found


def test_a_client_gives_the_same_bytes_whoever_dies(scene, client, tmp_path):
    many = samples(400)
    trammel.sweep(scene, many, out="a.csv", outputs=OUTPUTS)
    log = tmp_path / "b.csv.log"

    def disturb():
        began = time.monotonic()
        while (not log.exists() or read(log).count(b"\n") < 20) and time.monotonic() < began + 600:
            time.sleep(0.01)
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    thread = threading.Thread(target=disturb, daemon=True)
    thread.start()
    table = trammel.sweep(scene, many, client, out="b.csv", outputs=OUTPUTS)
    thread.join()
    assert read("b.csv") == read("a.csv") and table.failed == 0

    # a run that kills whoever makes it: alone it becomes a row, the others are made
    (tmp_path / "armed").touch()
    few = {"l": np.linspace(0.5, 1.5, 8)}
    table = trammel.sweep(scene, few, client, out="c.csv", outputs=OUTPUTS, end=0.1)
    assert table["status"].tolist() == 5 * ["done"] + ["killed"] + 2 * ["done"], table["reason"]
    assert "KilledWorker" in table["reason"][5]


@pytest.mark.parametrize("seconds", [1e-4, 3e-3, 0.04, 0.3, 1.1, 5.0])
def test_blocks_of_a_client_take_half_a_second_to_two(seconds):
    """From a block of one run on, doubled and halved; a run that takes longer than 2 s is a block of its own."""
    from trammel.programs import sweeping  # pylint: disable=import-outside-toplevel

    kept: list[str] = []
    blocks = object.__new__(sweeping._Blocks)  # without a client: what it submits is done here
    blocks.keeper = type("Keeper", (), {"keep": staticmethod(kept.extend)})
    runs = int(60 / seconds)
    blocks.waiting, blocks.alone, blocks.size, blocks.deaths = list(reversed(range(runs))), [], 1, {}
    took = []
    while blocks.waiting:
        block = blocks._next()
        blocks._take(block, [str(index) for index in block], seconds * len(block), "")
        took.append(seconds * len(block))
    assert kept == [str(index) for index in range(runs)]
    growing = next(k for k, t in enumerate(took) if t >= sweeping.SHORT)
    assert all(sweeping.SHORT <= t <= max(seconds, sweeping.LONG) for t in took[growing:-1])
    # a block that others hold up is followed by a shorter one, down to a single run
    blocks.waiting, blocks.size = list(range(64)), 32
    for shorter in (16, 8, 4, 2, 1, 1):
        block = blocks._next()
        blocks._take(block, [str(index) for index in block], 3.0, "")
        assert blocks.size == shorter


class Clock:
    """In place of the module time: it goes on when somebody sleeps."""
    def __init__(self):
        self.now = 0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


def test_a_sweep_says_that_all_workers_are_gone(monkeypatch):
    """In the stated time; workers that come back in it are waited for."""
    from trammel.programs import sweeping  # pylint: disable=import-outside-toplevel

    class Running:
        """Futures of which none is ever done, or one after a while."""
        def __init__(self, after):
            self.end = clock.now + after

        def has_ready(self):
            return clock.now > self.end

        def __next__(self):
            return "done"

    def completed(after, workers):
        blocks = object.__new__(sweeping._Blocks)
        began = clock.now
        blocks.running = Running(after)
        blocks.client = type("Client", (), {"nthreads": staticmethod(lambda: workers(clock.now - began))})
        return blocks._completed()

    clock = Clock()
    monkeypatch.setattr(sweeping, "time", clock)
    monkeypatch.setattr(sweeping, "PATIENCE", 2.5)
    with pytest.raises(trammel.Error, match="had no worker for 2.5 s"):
        completed(60, lambda _: {})
    assert completed(4, lambda t: {} if t < 1.5 else {"worker": 1}) == "done"
    assert completed(0, lambda _: {}) == "done"


def test_a_result_whose_worker_has_died_is_waited_for_and_no_longer(monkeypatch):
    """A block was done, and its worker died before the rows were fetched: the scheduler may never make it again."""
    import asyncio  # pylint: disable=import-outside-toplevel
    from trammel.programs import sweeping  # pylint: disable=import-outside-toplevel

    class Future:
        def __init__(self, tries):
            self.tries = tries

        def result(self, timeout):
            self.tries -= 1
            if self.tries > 0:
                clock.sleep(timeout)
                raise asyncio.TimeoutError
            return "rows"

    def fetched(tries, workers):
        blocks = object.__new__(sweeping._Blocks)
        blocks.client = type("Client", (), {"nthreads": staticmethod(lambda: workers)})
        return blocks._result(Future(tries))

    clock = Clock()
    monkeypatch.setattr(sweeping, "time", clock)
    monkeypatch.setattr(sweeping, "PATIENCE", 1)
    with pytest.raises(trammel.Error, match="had no worker for 1 s"):
        fetched(10**6, {})
    assert fetched(15, {"worker": 1}) == "rows"
