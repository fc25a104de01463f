"""The cases of a test: each is called, and a line of TAP says how it went."""

import contextlib
import os
import resource
import shutil
import signal
import tempfile
import time
import traceback


CASES = []  # of the test that runs
PATIENCE = 600  # s: what waits for longer does not end, however busy the machine is


def case(function):
    """Its docstring is the claim; it fails by raising."""
    CASES.append(function)
    return function


class Skipped(Exception):
    """What is missing for a case to be tried."""


def need(*programs):
    for name in programs:
        if not shutil.which(name):
            raise Skipped(f"no {name}")


def contents(path):
    """Its bytes."""
    with open(path, "rb") as file:
        return file.read()


def sanitized():
    """Whether sanitizers watch: ten runs through a line show them no more than one."""
    return "TRAMMEL_SANITIZED" in os.environ


def nightly():
    """Whether all is tried (tools/test --nightly), at any cost."""
    return "TRAMMEL_NIGHTLY" in os.environ


def by_night():
    """At the head of a claim that costs minutes and that few changes can break: tests/README.md says why of each."""
    if not nightly():
        raise Skipped("by tools/test --nightly")


def figures():
    """At the head of a long claim about figures: without sanitizers, or by night."""
    if sanitized() and not nightly():
        raise Skipped("figures, in the build without sanitizers")


def until(condition, process=None):
    """Wait for it, not beyond the end of the process that is to bring it about. Returns whether it holds."""
    begun = time.monotonic()
    while not condition():
        if process is not None and process.poll() is not None:
            return bool(condition())
        assert time.monotonic() - begun < PATIENCE, "it never happened"
        time.sleep(0.005)
    return True


def cpu_of_children():
    """s, of those that have ended: what a busy machine does not lengthen."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def listens(process, number=signal.SIGTERM):
    """Whether it handles the signal, which before would kill it."""
    try:
        with open(f"/proc/{process.pid}/status", encoding="ascii", errors="replace") as file:
            caught = next(line.split()[1] for line in file if line.startswith("SigCgt"))
    except (FileNotFoundError, ProcessLookupError, StopIteration):  # it has ended
        return False
    return bool(int(caught, 16) >> (number - 1) & 1)


def title(case):
    return case.__doc__.splitlines()[0] if case.__doc__ else case.__name__.removeprefix("test_").replace("_", " ")


def report(number, claim, case, *arguments):
    """One line, and why it failed. Returns whether it did."""
    try:
        case(*arguments)
    except Skipped as reason:
        print(f"ok {number} - {claim} # SKIP {reason}", flush=True)
        return False
    except Exception:  # pylint: disable=broad-exception-caught
        print(f"not ok {number} - {claim}")
        print("\n".join(f"# {line}" for line in traceback.format_exc().splitlines()), flush=True)
        return True
    print(f"ok {number} - {claim}", flush=True)
    return False


def run(cases, *arguments, in_folders=False):
    """Call all with these arguments, each in an empty folder of its own if wanted. Returns an exit code."""
    home, failed = os.getcwd(), False
    print(f"1..{len(cases)}", flush=True)
    for number, case in enumerate(cases, 1):
        with tempfile.TemporaryDirectory(prefix="trammel-") if in_folders else contextlib.nullcontext(home) as folder:
            os.chdir(folder)
            failed |= report(number, title(case), case, *arguments)
            os.chdir(home)
    return int(failed)
