"""Runs the tests of this folder with pytest and prints TAP.

usage: run.py BUILD ROOT [PYTEST-OPTION...]

They need a Python with NumPy and pytest; that need not be the one that Meson runs, so Debian's is tried
as well. Without one the whole is skipped.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def usable(python):
    probe = [python, "-c", "import numpy, pytest"]
    try:
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class Tap:
    """A plugin of pytest: one line for each case as it ends."""

    def __init__(self):
        self.number = 0

    def line(self, result, name, text=""):
        self.number += 1
        print(f"{result} {self.number} - {name}", flush=True)
        for comment in text.splitlines():
            print(f"# {comment}", flush=True)

    def pytest_sessionstart(self, session):
        """The options of pytest's own report stay, its output does not."""
        session.config.pluginmanager.unregister(name="terminalreporter")

    def pytest_collection_finish(self, session):
        print(f"1..{len(session.items)}", flush=True)

    def pytest_collectreport(self, report):
        if report.failed:
            self.line("not ok", report.nodeid, str(report.longrepr))

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("/")[-1].replace("#", "")
        if report.skipped:
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            self.line("ok", f"{name} # SKIP {str(reason).splitlines()[0]}")
        elif report.failed:
            self.line("not ok", f"{name} ({report.when})", str(report.longrepr))
        elif report.when == "call":
            self.line("ok", name)


def main():
    import pytest  # pylint: disable=import-outside-toplevel
    quiet = ["-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=sys"]
    return pytest.main([*quiet, "--rootdir", HERE, HERE, *sys.argv[3:]], plugins=[Tap()])


if __name__ == "__main__":
    build, root = map(os.path.abspath, sys.argv[1:3])
    if "TRAMMEL_TESTED" not in os.environ:
        for interpreter in (sys.executable, "/usr/bin/python3"):
            if usable(interpreter):
                env = dict(os.environ, TRAMMEL_TESTED="1", TRAMMEL_BUILD=build, TRAMMEL_SOURCE=root,
                           PYTHONPATH=os.path.join(build, "tools", "python"), PYTHONDONTWRITEBYTECODE="1")
                env.pop("TRAMMEL_LIBRARY", None)
                env.pop("TRAMMEL_PROGRAM", None)
                os.execve(interpreter, [interpreter, *sys.argv], env)
        print("1..1\nok 1 - python # SKIP no Python with numpy and pytest")
        sys.exit(0)
    sys.exit(main())
