"""The recipes of CONTRIBUTING.md, followed in a copy of the tree: the joint, the force, the method and the command work.

All is done in the working directory, by guide_test.py: the guide's joint is added to the same copy, so that it is built once.
"""

import json
import re
import subprocess

BLOCK = re.compile(r'^```\w+ (file|insert)=(\S+)(?: (after|before)="([^\n]*)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def follow(text):
    """Files that the recipes touch, by how: created or inserted into."""
    touched = []
    for kind, path, side, line, block in BLOCK.findall(text):
        touched.append((kind, path))
        if kind == "file":
            with open(path, "w", encoding="utf-8") as file:
                file.write(block)
            continue
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        place = [i for i, each in enumerate(lines) if each.startswith(line)]
        assert len(place) == 1, f"{path}: {len(place)} lines begin with {line!r}"
        at = place[0] + (side == "after")
        lines[at:at] = block.rstrip("\n").split("\n")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return touched


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def simulate(scene, *words):
    with open("scene.json", "w", encoding="utf-8") as file:
        json.dump(scene, file)
    return json.loads(run("build/tools/trammel", "run", "scene.json", "--json", *words))


# Beside the new file: the registry's lines, the file's name in the build, and what the recipe's title says.
TOUCHED = {
    "A joint": {"constraints/registry.c", "constraints/meson.build"},
    "A force": {"bodies/forces/registry.c", "bodies/meson.build"},
    "An integrator": {"integrators/registry.c", "integrators/meson.build", "include/trammel/trammel_methods.h"},
    "A stabilization": {"integrators/registry.c", "integrators/meson.build", "include/trammel/trammel_methods.h"},
}


def recipes():
    """Every recipe is followed and touches no more files than its title says"""
    with open("CONTRIBUTING.md", encoding="utf-8") as file:
        text = file.read()
    for section in text.split("\n### ")[1:]:
        title = section.split(":")[0]
        if title in TOUCHED:
            blocks = BLOCK.findall(section)
            assert sum(kind == "file" for kind, *_ in blocks) == 1, title
            assert {path for kind, path, *_ in blocks if kind == "insert"} == TOUCHED[title], title
    touched = follow(text)
    assert sum(kind == "file" for kind, _ in touched) == 5, touched


FALLING = {"name": "a", "mass": 2, "ends": [[0, 0], [1, 0]]}


def joint():
    """A body on the joint of the recipe falls as a free body does, and does not turn"""
    scene = {"dimension": 2, "gravity": [0, -9.81], "bodies": [dict(FALLING, velocity=[1, 0])],
             "joints": [{"name": "O", "type": "fixed_orientation", "bodies": ["ground", "a"], "at": [0, 0]}]}
    body = simulate(scene, "--end", "1")["state"]["bodies"]["a"]
    assert abs(body["position"][1] + 9.81 / 2) < 1e-6 and abs(body["position"][0] - 1.5) < 1e-6 and abs(body["angle"]) < 1e-12, body


def force():
    """The drag of the recipe slows a body down by exp(-c t/m), and the energy balance accounts for it"""
    scene = {"dimension": 2, "gravity": [0, 0], "bodies": [dict(FALLING, velocity=[1, 0])],
             "markers": [{"name": "centre", "body": "a", "at": [0.5, 0]}],
             "forces": [{"name": "d", "type": "drag", "marker": "centre", "damping": 3}]}
    told = simulate(scene, "--end", "1")
    assert abs(told["state"]["bodies"]["a"]["velocity"][0] - 2.718281828459045 ** -1.5) < 1e-6, told["state"]


def method():
    """The stabilization of the recipe is listed with every general integrator, and runs"""
    methods = json.loads(run("build/tools/trammel", "methods", "--json"))["methods"]
    mine, shipped = ([m["integrator"] for m in methods if m["stabilization"] == name] for name in ("s-pos2", "s-pos"))
    assert mine == shipped and len(mine) > 3, mine
    run("build/tools/trammel", "run", "scenes/pendulum.json", "--method", "s-pos2", "--integrator", "rk4", "--end", "1")


def integrator():
    """The integrator of the recipe goes with every general stabilization, and is of order 2"""
    methods = json.loads(run("build/tools/trammel", "methods", "--json"))["methods"]
    assert len({m["stabilization"] for m in methods if m["integrator"] == "ralston"}) > 3, methods
    turns = [json.loads(run("build/tools/trammel", "run", "scenes/pendulum.json", "--integrator", "ralston", "--step", str(h),
                            "--end", "1", "--json"))["state"]["bodies"]["bob"]["position"][1] for h in (0.01, 0.005, 0.0025)]
    assert 3 < (turns[0] - turns[1]) / (turns[1] - turns[2]) < 5, turns


def command():
    """The command of the recipe prints what it should"""
    assert run("build/tools/trammel", "bodies", "scenes/slider_crank_swing.json").split() == ["crank", "rod"]


WORK = [joint, force, method, integrator, command]  # where the copy is built
