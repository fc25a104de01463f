"""Pages that need a compiler are true: their files are written, their commands typed, against the installed program; and
CONTRIBUTING.md (recipes.py).

A fence may say where it belongs: ```c file=NAME writes a file, ```sh runs line by line; dir=source
puts it into a copy of the source tree instead of an empty folder.

usage: guide_test.py BUILD SOURCE
"""
import contextlib
import json
import math
import os
import re
import shutil
import sys
import tempfile

from installation import command, install, only
from tap import by_night, nightly, run, title
import recipes

BUILD, SOURCE = sys.argv[1], sys.argv[2]
FENCE = re.compile(r"^```(\w+)((?: \w+=\S+)*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


PAGES = ("tutorial/first_run.md", "tutorial/from_c.md", "how-to/add_a_joint_force_method.md")


def fences():
    """-> (language, {key: value}, text) of each fence of the pages."""
    for page in PAGES:
        with open(os.path.join(SOURCE, "docs", page), encoding="utf-8") as file:
            for language, settings, text in FENCE.findall(file.read()):
                yield language, dict(word.split("=", 1) for word in settings.split()), text


class Reader:
    """One who reads the pages from top to bottom and does what they say."""

    def __init__(self, work):
        root = install(BUILD, work)
        program = only(f"{root}/**/bin/trammel")
        library = os.path.dirname(only(f"{root}/**/libtrammel.so"))
        self.env = dict(
            os.environ,
            PATH=os.pathsep.join([os.path.dirname(program), os.environ["PATH"]]),
            LD_LIBRARY_PATH=library,
            CMAKE_PREFIX_PATH=os.path.dirname(os.path.dirname(program)),
        )
        self.folders = {"": os.path.join(work, "empty"), "source": os.path.join(work, "source")}
        os.mkdir(self.folders[""])
        self.outputs = {}

    def copy_source(self):
        """The tree of somebody who has followed the recipes; by night it is built."""
        path = self.folders["source"]
        shutil.copytree(SOURCE, path, ignore=shutil.ignore_patterns("build", "build[-_]*", ".git"))
        with contextlib.chdir(path):
            recipes.recipes()
        if not nightly():
            return
        options = ["-Dtests=false", "--buildtype=plain", "-Doptimization=0"]
        command("meson", "setup", *options, os.path.join(path, "build"), path)

    def do(self, language, settings, text):
        folder = self.folders[settings.get("dir", "")]
        if "dir" in settings:
            by_night()
        if "file" in settings:
            path = os.path.join(folder, settings["file"])
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        elif language == "sh":
            for line in filter(None, text.replace("\\\n", " ").split("\n")):
                line = line.split("  #", 1)[0]
                self.outputs[line] = command("sh", "-c", line, cwd=folder, env=self.env)


def what_check_says_of_the_bar(reader):
    scene = os.path.join(reader.folders[""], "bar.json")
    told = json.loads(command("trammel", "check", scene, "--json", env=reader.env))
    assert told["degrees_of_freedom"] == 1 and told["consistent"], told


def the_new_joint_takes_one_freedom(reader):
    by_night()
    folder = reader.folders["source"]
    told = json.loads(command(os.path.join(folder, "build/tools/trammel"), "check", "tray.json", "--json", cwd=folder))
    assert told["constraints"] == 5 and told["degrees_of_freedom"] == 1, told
    assert "parallel" in reader.outputs["build/tools/trammel elements"]


def the_tray_stays_level(reader):
    by_night()
    folder = reader.folders["source"]
    told = json.loads(command(os.path.join(folder, "build/tools/trammel"), "run", "tray.json", "--json", cwd=folder))
    bodies = told["state"]["bodies"]
    assert abs(bodies["tray"]["angle"]) < 1e-12 and abs(bodies["arm"]["angle"]) > 0.1, bodies


def recordings_and_pictures_are_there(reader):
    folder = reader.folders[""]
    with open(os.path.join(folder, "crank.csv"), encoding="utf-8") as file:
        columns = file.readline().strip().split(",")
    assert any(column.startswith("main.") for column in columns), columns
    assert os.path.getsize(os.path.join(folder, "crank.svg")) > 1000


def the_controlled_crank_turns_as_told(reader):
    out = reader.outputs["build/control"]
    lines = re.findall(r"t = (\S+) s  crank (\S+) rad, (\S+) rad/s", out)
    assert len(lines) == 20, out
    for t, angle, rate in lines[4:]:
        assert abs(float(angle) - 2 * math.pi * (float(t) - 0.001)) < 0.5 and abs(float(rate) - 2 * math.pi) < 2, out
    assert re.search(r"largest gap \d\.\de-1\d m, energy to \d\.\de-(0[5-9]|1\d)", out), out


CLAIMS = [
    the_controlled_crank_turns_as_told,
    what_check_says_of_the_bar,
    recordings_and_pictures_are_there,
    the_new_joint_takes_one_freedom,
    the_tray_stays_level,
]


def in_the_copy(claim):
    def claimed(reader):
        by_night()
        with contextlib.chdir(reader.folders["source"]):
            claim()
    claimed.__doc__ = title(claim)
    return claimed


def done(language, settings, text):
    def step(reader):
        reader.do(language, settings, text)
    step.__doc__ = f"{settings.get('file', text.split(chr(10))[0])} {settings.get('dir', '')}".strip()
    return step


def followed(reader):
    reader.copy_source()


def main():
    followed.__doc__ = title(recipes.recipes)
    steps = [done(*fence) for fence in fences()]
    with tempfile.TemporaryDirectory() as work:
        return run([followed, *steps, *CLAIMS, *map(in_the_copy, recipes.WORK)], Reader(work))


if __name__ == "__main__":
    sys.exit(main())
