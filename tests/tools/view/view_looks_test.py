#!/usr/bin/env python3
"""Shapes for eyes: where they are drawn, that they count for nothing else, what bad ones are answered. Prints TAP.

    tests/tools/view/view_looks_test.py TRAMMEL ROOT
"""
import json
import math
import os
import re
import struct
import subprocess
import sys

from view_pages import PROGRAM, clean, page, run, trammel, written
from tap import CASES, case

TETRAHEDRON = [(0, 0, 0), (0.3, 0, 0), (0, 0.4, 0), (0, 0, 0.5)]
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
POSE = {"on": [0.2, -0.3, 0.4], "quat_wxyz": [0.8, 0.2, -0.4, 0.4]}
SHAPES = {"sphere": {"radius": 0.2}, "box": {"size": [0.2, 0.3, 0.4]}, "cylinder": {"radius": 0.1, "length": 0.5},
          "capsule": {"radius": 0.1, "length": 0.5}, "ellipsoid": {"semi_axes": [0.2, 0.3, 0.1]}, "mesh": {"file": "t.obj"}}


def world(shapes=None, ground=None, bodies=(), **more):
    a = {"name": "a", "mass": 1, "inertia": [0.1, 0.2, 0.25], "quat_wxyz": [1, 0, 0, 0], **({"shapes": shapes} if shapes else {})}
    return {"dimension": 3, "gravity": [0, 0, -9.81], "bodies": [a, *bodies], **({"shapes": ground} if ground else {}),
            "joints": [{"name": "j", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0.3], "axis": [0, 1, 0]}],
            "simulation": {"end": 0.2, "every": 0.01}, **more}


def meshes(folder):
    """One tetrahedron as OBJ, STL as text, STL as bytes, OBJ with comments and lines that go on."""
    corners = lambda face: "".join("vertex %g %g %g\n" % TETRAHEDRON[i] for i in face)  # noqa: E731
    written(folder, "t.obj", "".join("v %g %g %g\n" % p for p in TETRAHEDRON) + "".join("f %d %d %d\n" % tuple(i + 1 for i in f) for f in FACES))
    written(folder, "t.stl", "solid t\n" + "".join(f"facet normal 0 0 0\nouter loop\n{corners(f)}endloop\nendfacet\n" for f in FACES) + "endsolid t\n")
    with open(os.path.join(folder, "b.stl"), "wb") as file:
        file.write(b"\0" * 80 + struct.pack("<I", 4))
        for face in FACES:
            file.write(struct.pack("<12f", 0, 0, 0, *(x for i in face for x in TETRAHEDRON[i])) + b"\0\0")
        file.write(b"bytes behind its triangles")
    written(folder, "c.obj", "# t\n# of C:\\models\\\n" + "".join("v %g \\\n %g %g # a corner\n" % p for p in TETRAHEDRON)
            + "".join("f %d/1/1 %d//2 \\\r\n %d\n" % tuple(i + 1 for i in f) for f in FACES))


def picture(folder, name, text, *more):
    path = os.path.join(folder, name + ".svg")
    trammel("view", written(folder, name + ".json", text), "--at", "0", *more, "-o", path)
    with open(path, encoding="utf-8") as file:
        return file.read()


def drawn(svg, fill):
    """Points of the polygons, or centre and radius of the circles, with this colour inside."""
    polygons = re.findall(rf'<poly\w+ [^>]*points="([^"]*)"[^>]*fill:{fill}|<poly\w+ [^>]*style="[^"]*fill:{fill}[^"]*"[^>]*points="([^"]*)"', svg)
    lines = [[tuple(map(float, p.split(","))) for p in (a or b).split()] for a, b in polygons]
    circles = [tuple(float(re.search(rf'\b{key}="([-\d.]+)"', one).group(1)) for key in ("cx", "cy", "r"))
               for one in re.findall(r"<circle [^>]*>", svg) if f"fill:{fill}" in one]
    return lines, circles


@case
def count_for_nothing(browser):
    """a scene runs to the bit as it does without its shapes for eyes"""
    meshes(browser.folder)
    all_of_them = [{"type": kind, **keys, **POSE} for kind, keys in SHAPES.items()]
    states = []
    for shapes in (None, all_of_them):
        path = written(browser.folder, "run.json", world(shapes, shapes))
        done = subprocess.run([PROGRAM, "run", path, "--json"], stdout=subprocess.PIPE, check=True)
        states.append(json.loads(done.stdout)["state"])
    assert states[0] == states[1]


@case
def lie_where_they_are_put(browser):
    """a block and a round block for eyes have the outline of a body of that shape in that pose"""
    for kind in ("box", "cylinder"):
        other = {"name": "b", "mass": 1, "shape": {"type": kind, **SHAPES[kind]}, "position": POSE["on"], "quat_wxyz": POSE["quat_wxyz"]}
        own = drawn(picture(browser.folder, "own", world([{"type": kind, **SHAPES[kind], **POSE, "rgba": [1, 0, 0, 1]}], bodies=[
            {"name": "b", "mass": 1, "shape": {"type": "point"}}])), "#ff0000")[0]
        body = [p for p in drawn(picture(browser.folder, "body", world(bodies=[other])), "#f0cd9b")[0] if len(p) > 2]
        assert len(own) == len(body) == 1 and len(own[0]) == len(body[0]) >= 4, (kind, own, body)
        centre = [tuple(sum(p[k] for p in points) / len(points) for k in (0, 1)) for points in (own[0], body[0])]
        scale = [max(math.dist(p, c) for p in points) for points, c in zip((own[0], body[0]), centre)]
        for p, q in zip(own[0], body[0]):  # the page may be laid out otherwise
            assert all(abs((p[k] - centre[0][k]) / scale[0] - (q[k] - centre[1][k]) / scale[1]) < 2e-3 for k in (0, 1)), (kind, p, q)


@case
def round_ones(browser):
    """a ball for eyes of radius r and a capsule 2 r wide; half an ellipsoid is as wide as its largest semi-axis"""
    svg = picture(browser.folder, "round", world([{"type": "sphere", "radius": 0.2, "rgba": [0, 1, 0, 1]},
                                                  {"type": "capsule", "radius": 0.2, "length": 0.6, "rgba": [0, 0, 1, 1]}]))
    (circle,) = drawn(svg, "#00ff00")[1]
    widths = [float(w) for w in re.findall(r"stroke:#0000ff;stroke-width:([\d.]+)", svg)]
    assert widths and abs(max(widths) - 2 * circle[2]) < 0.2, (widths, circle)


@case
def meshes_are_one(browser):
    """a mesh is the same from OBJ, with comments and lines that go on, STL as text and as bytes, with others behind,
    scaled and turned by a quaternion of any length; of the ground too; frames of a film have it"""
    meshes(browser.folder)
    outlines = []
    for file, length in (("t.obj", 1), ("t.stl", 1), ("b.stl", 1), ("c.obj", 1), ("t.obj", 1e200), ("t.obj", 1e-200)):
        turn = {**POSE, "quat_wxyz": [length * x for x in POSE["quat_wxyz"]]}
        look = {"type": "mesh", "file": file, "scale": [1, 1, 2], **turn, "rgba": [1, 0, 0, 1]}
        outlines.append(drawn(picture(browser.folder, "mesh", world([look])), "#ff0000")[0])
        assert drawn(picture(browser.folder, "mesh", world(ground=[look])), "#ff0000")[0]
    assert len(outlines[0]) == 1 and all(one == outlines[0] for one in outlines)
    assert 3 <= len(outlines[0][0]) <= 4
    film = os.path.join(browser.folder, "film.svg")
    trammel("view", os.path.join(browser.folder, "mesh.json"), "--animate", "-o", film)
    with open(film, encoding="utf-8") as file:
        assert "#ff0000" in file.read()


@case
def solids_of_the_page(browser):
    """every kind is a solid of the page with its colour; the mesh has its triangles"""
    meshes(browser.folder)
    looks = [{"type": kind, **keys, "on": [0.6 * i, 0, 0], "rgba": [1, 0, 0, 1]} for i, (kind, keys) in enumerate(SHAPES.items())]
    path = written(browser.folder, "page.json", world(looks, [{"type": "mesh", "file": "t.obj"}]))
    browser.visit(page(browser, path))
    found = browser.run("return trammel.solid.kinds.map(k => [k.parts.filter(p => p.colour.rgba).length, k.parts[0].kind])")
    counts = {str(kind): n for n, kind in found}
    assert [counts.get(kind) for kind in ("box", "cylinder", "ball", "wire", "5")] == [1, 1, 4, 1, 1], found
    assert browser.run("return trammel.solid.kinds.find(k => k.parts[0].kind === 5).mesh.geometry.getAttribute('position').count") == 12
    assert browser.run("return trammel.drawing.figures.length") == 8
    clean(browser)


BAD = {
    "kind": ({"type": "cone"}, r'unknown shape "cone"; known: sphere, box'), "no type": ({"radius": 1}, "type"),
    "size": ({"type": "sphere", "radius": 0}, "radius must be"), "key": ({"type": "sphere", "radius": 1, "length": 1}, 'unknown key "length"'),
    "missing": ({"type": "box"}, 'missing key "size"'), "no file": ({"type": "mesh", "file": "no.stl"}, '"no.stl": cannot open the file'),
    "absolute": ({"type": "mesh", "file": "/etc/passwd"}, "files of its own folder only"),
    "above": ({"type": "mesh", "file": "../t.stl"}, "files of its own folder only"),
    "format": ({"type": "mesh", "file": "t.dae"}, "meshes are read from .stl and .obj"),
    "broken": ({"type": "mesh", "file": "broken.obj"}, "a face names corners that are not there"),
    "empty": ({"type": "mesh", "file": "empty.stl"}, "it holds no triangle"),
    "colour": ({"type": "sphere", "radius": 1, "rgba": [1, 2, 0, 1]}, "rgba: numbers are from 0 to 1, got 2"),
    "turn": ({"type": "sphere", "radius": 1, "quat_wxyz": [0, 0, 0, 0]}, "quat_wxyz must not be zero"),
}


@case
def bad_ones(browser):
    """bad shapes for eyes are refused by file, line, key and what is wrong"""
    for name, text in {"t.dae": "<x/>", "broken.obj": "v 0 0 0\nf 1 2 3\n", "empty.stl": ""}.items():
        written(browser.folder, name, text)
    for name, (look, says) in BAD.items():
        words = trammel("check", written(browser.folder, "bad.json", world([look])), code=2)
        assert re.search(says, words) and re.search(r"bad\.json:1:\d+: /bodies/0/shapes/0", words), (name, words)
    planar = {"dimension": 2, "bodies": [{"name": "a", "mass": 1, "inertia": 1, "shapes": []}]}
    assert "3" in trammel("check", written(browser.folder, "bad.json", planar), code=2)


if __name__ == "__main__":
    sys.exit(run(CASES))
