"""trammel new: first scenes, and pages of which every command runs.

usage: new_test.py TRAMMEL ROOT
"""
import json
import os
import re
import shlex
import sys

import tap
from cli_rig import expect, refused, trammel, write

NAMES = [line.split()[0] for line in trammel("new").stdout.decode().split("\n\n")[0].splitlines()]


def commands_of(page):
    """What stands in backquotes and begins with the program; options alone go to the run before."""
    for words in re.findall(r"`([^`]+)`", page):
        words = shlex.split(" ".join(words.split()))
        if words[0] == "trammel":
            yield words[1:]


@tap.case
def every_template_runs():
    """each template is a scene whose run is good, with a page whose commands all run"""
    assert len(NAMES) == 5, NAMES
    for name in NAMES:
        expect(0, trammel("new", name))
        done = expect(0, trammel("run", name + ".json", "--json"))
        verdicts = json.loads(done.stdout)["verdicts"]
        assert not set(verdicts.values()) & {"fair", "poor", "POOR"}, (name, verdicts)
        with open(name + ".md", encoding="utf-8") as file:
            ran = [expect(0, trammel(*words)) for words in commands_of(file.read())]
        assert len(ran) >= 4, name


@tap.case
def every_option_that_a_page_names():
    """words in a page that are options alone are options of run, with columns of the scene"""
    for name, words in (("four_bar", ["--columns", "pen"]), ("slider_crank", ["--assemble"]), ("car", ["--set", "damper=1000"])):
        if not os.path.exists(name + ".json"):
            expect(0, trammel("new", name))
        recorded = ["-o", "out.csv"] if "--columns" in words else []
        expect(0, trammel("run", name + ".json", *words, *recorded))
        with open(name + ".md", encoding="utf-8") as file:
            assert " ".join(words) in " ".join(file.read().split()), (name, words)


@tap.case
def nothing_is_replaced():
    """a file of that name stays as it is; a name that is not known gets the nearest"""
    write("arm.md", "mine")
    refused(5, "new", "arm", says="arm.md: it is there already")
    assert os.listdir(".") == ["arm.md"]
    refused(1, "new", "four-bar", says='did you mean "four_bar"')
    refused(1, "new", "arm", "car")


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES, in_folders=True))
