#!/usr/bin/env python3
"""Symbols of joints, stops, limits, wheels and curves, and marks of singular positions, in pages and stills. Prints TAP.

    tests/tools/view/view_symbols_test.py TRAMMEL ROOT
"""
import collections
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

from view_pages import ActionChains, Keys, PROGRAM, clean, page, record, rows, run, scene, shipped_page, trammel, until, written
from tap import CASES, case
import tap

BASE = {"gravity": [0, 0, 0], "simulation": {"end": 0.1}}
INK = """const [points, aside] = arguments, e = document.getElementById('canvas'), c = e.getContext('2d'), r = trammel.drawing.ratio;
    const dark = p => { let n = 255; for (let i = -2; i <= 2; i++) for (let k = -2; k <= 2; k++)
        n = Math.min(n, c.getImageData(Math.round(r * p[0]) + i, Math.round(r * p[1]) + k, 1, 1).data[1]); return n < 150; };
    const at = points.map(x => [...trammel.camera.project(x)]);
    return [at.filter(dark).length, at.map(p => [p[0] + aside[0], p[1] + aside[1]]).filter(dark).length]"""


def ink(browser, points, aside=(9, 9)):
    """How many points of the world have dark pixels, and how many the same px aside."""
    return browser.run(INK, [list(p) + [0] * (3 - len(p)) for p in points], list(aside))


# ------------------------------------------------------------------------------------------ kinds of joints

def joint_kinds(dimension):
    """(name, keys that it requires beyond those of all joints), from the program's registry."""
    schema = json.loads(subprocess.run([PROGRAM, "schema"], stdout=subprocess.PIPE, check=True).stdout)
    listed = subprocess.run([PROGRAM, "elements"], stdout=subprocess.PIPE, check=True).stdout.decode()
    names = [name for name, where in re.findall(r"^joint +(\w+) +(2-D, 3-D|[23]-D)", listed, re.MULTILINE) if f"{dimension}-D" in where]
    text = json.dumps(schema)
    assert len(names) >= 5 and all(name in text for name in names), names
    return names


def two_bodies(dimension, kind, x, y, tag):
    """Two bodies that lie beside a joint of this kind, and the joint at (x, y)."""
    at = lambda dx, dz=0: [x + dx, y, dz][:dimension] if dimension == 3 else [x + dx, y + dz]  # noqa: E731
    size = [0.1] * dimension
    bodies = [{"name": f"a{tag}", "mass": 1, "shape": {"type": "box", "size": size}, "position": at(-0.4)},
              {"name": f"b{tag}", "mass": 1, "shape": {"type": "box", "size": size}, "position": at(0.4)}]
    joint = {"name": tag, "type": kind, "bodies": [f"a{tag}", f"b{tag}"], "at": at(0)}
    if kind == "rod":
        joint["at"] = [at(-0.2), at(0)]
    if dimension == 3 and kind not in ("weld", "rod", "spherical"):
        joint["axis"] = [0, 0, 1] if kind in ("planar", "point_on_plane") else [0, 1, 0]
    if kind == "screw":
        joint["lead"] = 0.1
    if kind == "universal":
        joint["axis2"] = [1, 0, 0]
    if dimension == 2 and kind in ("prismatic", "pin_in_slot"):
        joint["axis"] = [0, 1]
    return bodies, joint


CROP = """const size = 56, at = arguments[0].map(name => { const j = trammel.data.joints.find(j => j.name === name); trammel.runs[0].seek(0);
        return trammel.camera.project(trammel.runs[0].point(j.b, j.at_b)).slice(); });
    trammel.seek(0);
    const out = document.createElement('canvas'), c = out.getContext('2d');
    out.width = out.height = size;
    return at.map(([x, y]) => {
        c.fillStyle = '#fff'; c.fillRect(0, 0, size, size);
        for (const id of ['solid', 'canvas']) { const e = document.getElementById(id); if (e) c.drawImage(e, x - size / 2, y - size / 2, size, size, 0, 0, size, size); }
        const d = c.getImageData(0, 0, size, size).data, grey = [];
        for (let i = 0; i < d.length; i += 4) grey.push((d[i] + d[i + 1] + d[i + 2]) / 3);
        return grey;
    })"""


def unlike(a, b):
    """Pixels that differ much, where a shift of a pixel is no difference."""
    size, n = round(len(a) ** 0.5), 0
    for y in range(1, size - 1):
        for x in range(1, size - 1):
            near = [b[(y + j) * size + x + i] for j in (-1, 0, 1) for i in (-1, 0, 1)]
            n += not min(near) - 40 <= a[y * size + x] <= max(near) + 40
    return n


def row_of_joints(browser, dimension):
    kinds = joint_kinds(dimension)
    bodies, joints = [], []
    for i, kind in enumerate(kinds):
        for twin in (0, 1):
            b, j = two_bodies(dimension, kind, 1.6 * (i % 4), 1.6 * (i // 4) + 5 * twin, f"{kind}{twin}")
            bodies += b
            joints.append(j)
    return kinds, written(browser.folder, f"kinds{dimension}.json", {**BASE, "gravity": [0] * dimension, "dimension": dimension, "bodies": bodies, "joints": joints})


@case
def joints_on_pages(browser):
    """Each kind of joint in the registry has its own symbol on pages: in the plane, of solids, and as lines where there is no WebGL2"""
    for dimension, fragment in ((2, ""), (3, ""), (3, "&lines")):
        kinds, name = row_of_joints(browser, dimension)
        path = page(browser, name)
        browser.driver.get("about:blank")
        browser.driver.get("file://" + path + "#still" + fragment)
        until(browser, "window.trammel")
        if dimension == 3 and not fragment and browser.run("return !trammel.solid"):
            continue  # built without three.js
        browser.run("document.getElementById('show-paths').click(); trammel.drawing.r = Math.max(trammel.drawing.r, 4.8); trammel.camera.zoomAt(2.2, 0, 0)"
                    if dimension == 3 else "document.getElementById('show-paths').click(); trammel.drawing.r = 4.8")
        crops = {}
        for kind in kinds:  # each in the middle of the stage, so that all are drawn alike
            for twin in (0, 1):
                browser.run("""const j = trammel.data.joints.find(j => j.name === arguments[0]), c = trammel.camera; trammel.runs[0].seek(0);
                    const p = c.project(trammel.runs[0].point(j.b, j.at_b)); c.shift[0] += Math.round(c.width / 2) - p[0]; c.shift[1] += Math.round(c.height / 2) - p[1]; trammel.draw()""", kind + str(twin))
                crops[kind, twin] = browser.run(CROP, [kind + str(twin)])[0]
        same = max(unlike(crops[k, 0], crops[k, 1]) for k in kinds)
        least, pair = min((unlike(crops[a, 0], crops[b, 0]) + unlike(crops[b, 0], crops[a, 0]), (a, b)) for i, a in enumerate(kinds) for b in kinds[:i])
        assert same <= 2 and least >= 8, (dimension, fragment, same, least, pair)
        clean(browser)


def signature(tree):
    """Class, kind and size of the elements of a drawing, wherever they are."""
    out = collections.Counter()
    for e in tree.iter():
        tag = e.tag.split("}")[1]
        if tag in ("circle", "line", "polyline", "polygon") and e.get("class"):
            p = [tuple(map(float, q.split(","))) for q in (e.get("points") or "").split()]
            if tag == "line":
                p = [(float(e.get("x1")), float(e.get("y1"))), (float(e.get("x2")), float(e.get("y2")))]
            out[e.get("class"), tag, e.get("r"), len(p), round(sum(math.dist(a, b) for a, b in zip(p, p[1:])))] += 1
    return out


@case
def joints_in_stills(browser):
    """Each kind of joint in the registry has its own symbol in stills"""
    for dimension in (2, 3):
        seen = {}
        for kind in joint_kinds(dimension):
            bodies, joint = two_bodies(dimension, kind, 0, 0, "J")
            text = {**BASE, "gravity": [0] * dimension, "dimension": dimension, "bodies": bodies, "joints": [joint]}
            out = os.path.join(browser.folder, "kind.svg")
            trammel("view", written(browser.folder, "kind.json", text), "--at", "0", "-o", out)
            drawn = signature(xml.etree.ElementTree.parse(out).getroot())
            symbol = frozenset((k, n) for k, n in drawn.items() if not {"scale", "ground"} & set(k[0].split()) or k[2] or k[4] < 40)
            assert symbol not in seen.values(), (dimension, kind, [k for k, s in seen.items() if s == symbol])
            seen[kind] = symbol


# ----------------------------------------------------------------------------------------- lines and links

STOPS = {"dimension": 2, "gravity": [0, 0], "simulation": {"end": 0.1},
         "bodies": [{"name": "arm", "mass": 1, "ends": [[0, 0], [1, 0]]}, {"name": "block", "mass": 1, "position": [2, 0], "shape": {"type": "box", "size": [0.3, 0.2]}},
                    {"name": "ball", "mass": 1, "position": [3.5, 0.5], "shape": {"type": "disc", "radius": 0.2}}, {"name": "wheel", "mass": 1, "inertia": 0.1, "position": [0.3, -1.5]}],
         "markers": [{"name": "m", "body": "ball", "on": [0, 0]}, {"name": "o", "body": "ground", "at": [3.5, -0.7]}, {"name": "tip", "body": "arm", "at": [1, 0]},
                     {"name": "nail", "body": "ground", "at": [0.3, -0.8]}, {"name": "hub", "body": "wheel", "on": [0, 0]}, {"name": "floor", "body": "ground", "at": [0, -2]}],
         "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0], "limits": [-1.2, 0.4]},
                    {"name": "S", "type": "prismatic", "bodies": ["block", "ground"], "at": [2, 0], "axis": [1, 0], "limits": [-0.4, 0.6]}],
         "constraints": [{"name": "roll", "type": "rolling", "markers": ["hub", "floor"], "normal": [0, 1], "radius": 0.5}],
         "stops": [{"name": "nut", "marker": "m", "on": "o", "distance": 0.3}, {"name": "gap", "gap": "hypot(tip.x - nail.x, tip.y - nail.y) - 0.1"}]}


@case
def stops_on_pages(browser):
    """Limits of a hinge and of a slide, the line and the wheel of a rolling disc, a circle kept free and a stop by a formula are drawn where they are"""
    browser.visit(page(browser, written(browser.folder, "stops.json", STOPS)))
    clean(browser)
    browser.run("document.getElementById('show-paths').click(); trammel.seek(0)")
    lines = {}
    for line in browser.run("return trammel.data.lines"):
        points = [line["points"][i:i + 3] for i in range(0, len(line["points"]), 3)]
        lines.setdefault((line["kind"], line["name"]), []).append(points)
    (arc,) = lines["limit", "O"]
    assert abs(math.atan2(arc[0][1], arc[0][0]) + 1.2) < 1e-6 and abs(math.atan2(arc[-1][1], arc[-1][0]) - 0.4) < 1e-6, arc
    assert ink(browser, arc[4:-4])[0] == len(arc) - 8
    # S is of the block against the ground: x = p_ground - p_block, from -0.4 to 0.6, so the block is at 2.4 and 1.4
    ends = sorted(points[0][0] for points in lines["limit", "S"])
    assert len(ends) == 2 and abs(ends[0] - 1.4) < 1e-6 and abs(ends[1] - 2.4) < 1e-6, ends
    assert ink(browser, [p for bar in lines["limit", "S"] for p in bar], (12, 0)) == [4, 0]
    assert ink(browser, [[x, -2] for x in (-0.5, 0.9, 1.4, 2.1)], (0, -9)) == [4, 0]
    around = lambda c, r: [[c[0] + r * math.cos(a), c[1] + r * math.sin(a)] for a in (0.1 * k for k in range(63))]  # noqa: E731
    assert ink(browser, around((0.3, -1.5), 0.5))[0] > 40  # chain lines: most of them
    assert ink(browser, around((3.5, -0.7), 0.3))[0] > 40
    assert ink(browser, [[0.65, -0.4]], (25, 0)) == [1, 0]  # the bars in the middle from tip to nail


def still(browser, data, name="still"):
    out = os.path.join(browser.folder, name + ".svg")
    trammel("view", written(browser.folder, name + ".json", data), "--at", "0", "-o", out)
    by_class = collections.defaultdict(list)
    for e in xml.etree.ElementTree.parse(out).getroot().iter():
        points = e.get("points") or f"{e.get('x1')},{e.get('y1')} {e.get('x2')},{e.get('y2')}" if e.get("points") or e.get("x1") else ""
        if e.get("r"):
            x, y, r = (float(e.get(k)) for k in ("cx", "cy", "r"))
            points = f"{x - r},{y} {x + r},{y}"  # its width
        for word in (e.get("class") or "").split():
            by_class[word].append([tuple(map(float, p.split(","))) for p in points.split()])
    text = next("".join(e.itertext()) for e in xml.etree.ElementTree.parse(out).getroot().iter() if re.fullmatch(r"[\d.]+ m", e.text or ""))
    bar = by_class["scale"][0]
    return by_class, math.dist(*bar) / float(text.split()[0])


@case
def stops_in_stills(browser):
    """The same in stills, to the scale of the picture, and moving"""
    drawn, scale = still(browser, STOPS, "stops")
    (floor,) = drawn["face"]
    assert floor[0][1] == floor[1][1] and len(drawn["hatch"]) > 10, floor
    bars = [p for p in drawn["limit"] if len(p) == 2 and abs(p[0][0] - p[1][0]) < 0.1 and p not in drawn["stop"]]
    assert len(bars) == 2 and abs(abs(bars[0][0][0] - bars[1][0][0]) / scale - 1) < 0.01, (bars, scale)
    (arc,) = [p for p in drawn["limit"] if len(p) > 20]
    radius = math.dist(arc[3], arc[-4]) / (2 * math.sin(0.8))  # the chord of 1.6 rad
    centre = (arc[3][0] - radius * math.cos(1.2), arc[3][1] - radius * math.sin(1.2))
    assert all(abs(math.dist(p, centre) - radius) < 0.3 for p in arc[3:-3]), arc
    assert abs((floor[0][1] - centre[1]) / scale - 2) < 0.01  # the floor is 2 m below O
    width = lambda p: (p[1][0] - p[0][0]) / scale  # noqa: E731
    assert sum(abs(width(p) - 0.6) < 0.01 and p[0][1] == p[1][1] for p in drawn["keep"]) == 1 and len(drawn["stop"]) == 2, drawn["keep"]
    assert [round(width(p), 2) for p in drawn["wheel"] if abs(width(p)) > 0.6] == [1], drawn["wheel"]
    out = os.path.join(browser.folder, "moving.svg")
    trammel("view", os.path.join(browser.folder, "stops.json"), "--animate", "-o", out)
    assert xml.etree.ElementTree.parse(out).getroot().tag.endswith("svg")


WIRES = """trammel.seek(arguments[0]); const k = trammel.solid.kinds.find(k => k.parts[0].kind === 'wire'); if (!k) return [];
    const m = k.mesh.instanceMatrix.array; return k.parts.map((_, i) => Array.from(m.slice(16 * i, 16 * i + 16)))"""


@case
def lines_in_space(browser):
    """Pages in space have curves, belts, wheels, limits and planes as wires, at their places while all moves; and stills too"""
    browser.visit(shipped_page(browser, "bead_on_helix"))
    if browser.run("return !trammel.solid"):
        raise tap.Skipped("built without three.js, or no WebGL2 here")
    wires = browser.run(WIRES, 1)
    radius = [math.hypot(*m[12:14]) for m in wires]
    assert len(wires) > 100 and max(radius) / min(radius) < 1.01 and min(radius) > 0.1, (min(radius), max(radius))
    wheel = lambda name, x, r: {"name": name, "mass": 1, "shape": {"type": "cylinder", "radius": r, "length": 0.1, "axis": "z"}, "position": [x, 0, 0]}  # noqa: E731
    hinge = lambda name, body, at, axis, **more: {"name": name, "type": "revolute", "bodies": ["ground", body], "at": at, "axis": axis, **more}  # noqa: E731
    belt = {"dimension": 3, "gravity": [0, 0, -9.81], "simulation": {"end": 1},
            "bodies": [{**wheel("a", 0, 0.2), "rate": [0, 0, 3]}, {**wheel("b", 1, 0.4), "rate": [0, 0, 1.5]},
                       {"name": "arm", "mass": 1, "shape": {"type": "box", "size": [0.8, 0.1, 0.1]}, "position": [0.4, 1, 0.5]}],
            "markers": [{"name": "m", "body": "arm", "on": [0, 0, 0]}, {"name": "f", "body": "ground", "at": [0, 0, -0.5]}],
            "joints": [hinge("A", "a", [0, 0, 0], [0, 0, 1]), hinge("B", "b", [1, 0, 0], [0, 0, 1]), hinge("H", "arm", [0, 1, 0.5], [0, 1, 0], limits=[-0.3, 0.7])],
            "constraints": [{"name": "belt", "type": "belt", "joints": ["A", "B"], "radii": [0.2, 0.4]}],
            "stops": [{"name": "floor", "marker": "m", "on": "f", "normal": [0, 0, 1]}]}
    name = written(browser.folder, "belt3.json", belt)
    browser.visit(page(browser, name))
    length = lambda m: math.hypot(*m[8:11])  # noqa: E731
    for t in (0.0, 0.7):
        wires = browser.run(WIRES, t)
        strands = [m for m in wires if abs(length(m) - math.sqrt(1 - 0.2 ** 2)) < 1e-6]  # of the tangents: sqrt(d^2 - (R - r)^2)
        assert len(strands) == 2 and all(abs(m[14]) < 1e-9 for m in strands), (t, len(strands))
        assert sum(abs(m[14] + 0.5) < 1e-9 for m in wires) == 4  # the frame of the plane
        rim = [m for m in wires if abs(math.hypot(m[12] - 1, m[13]) - 0.4 * math.cos(math.pi / 48)) < 1e-4]
        assert len(rim) == 48, len(rim)
    # the pointer of the hinge points where the arm is
    at = browser.run("""trammel.seek(0.7); const l = trammel.data.lines.find(l => l.kind === 'pointer'), r = trammel.runs[0];
        return [0, 3].map(i => r.point(l.body, l.points.slice(i, i + 3)).slice()).concat([r.pose[2].x.slice()])""")
    along = [b - a for a, b in zip(at[0], at[1])]
    arm = [x - o for x, o in zip(at[2], (0, 1, 0.5))]
    assert math.hypot(*(a / math.hypot(*along) - b / math.hypot(*arm) for a, b in zip(along, arm))) < 0.01, at
    assert browser.run("return trammel.solid.renderer.info.render.calls") <= 20
    clean(browser)
    out = os.path.join(browser.folder, "belt3.svg")
    trammel("view", name, "-o", out)
    words = " ".join(e.get("class") or "" for e in xml.etree.ElementTree.parse(out).getroot().iter()).split()
    assert words.count("strand") == 2 and words.count("wheel") == 2 and words.count("plane") == 1 and words.count("pointer") == 1


# ------------------------------------------------------------------------------------------ marks and paths

@case
def chosen_paths(browser):
    """Paths are those of the markers that are chosen, in the address or by box: the crank pin's is a circle, and there is ink on it"""
    path = shipped_page(browser, "slider_crank_turn")
    browser.driver.get("about:blank")
    browser.driver.get("file://" + path + "#still&trace=pin")
    until(browser, "window.trammel")
    names = browser.run("return [trammel.drawing.tracks.map(t => t.name), [...document.querySelectorAll('#traces label')].map(e => e.textContent.trim())]")
    circle = browser.run("trammel.seek(trammel.from); return trammel.drawing.paths[0][0]")
    radii = [math.hypot(x, y) for x, y, _ in circle]
    assert names[0] == ["pin"] and max(radii) - min(radii) < 1e-3 * max(radii), (names, min(radii), max(radii))
    points = [p for p in circle[::100] if abs(p[1]) > 0.3 * max(radii) and abs(p[0]) > 0.2 * max(radii)]
    assert len(points) > 5 and ink(browser, points)[0] == len(points)
    browser.run("document.getElementById('tracer').open = true; [...document.querySelectorAll('#traces label')].find(e => e.textContent.trim() === 'pin').querySelector('input').click()")
    assert browser.run("return trammel.drawing.tracks.length") == 0 and ink(browser, points)[0] <= 2  # the bars themselves
    clean(browser)


@case
def singular_places(browser):
    """Joints are marked in a singular position and not away from it; on the paths the positions stay marked"""
    browser.visit(shipped_page(browser, "slider_crank_turn"))
    pixels = """const c = document.getElementById('canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const [r, g, b] = [1, 3, 5].map(i => parseInt(trammel.theme[arguments[0]].slice(i, i + 2), 16)); let n = 0;
        for (let i = 0; i < d.length; i += 4) n += Math.abs(d[i] - r) + Math.abs(d[i + 1] - g) + Math.abs(d[i + 2] - b) < 12; return n"""
    crossings = [e["t"] for e in browser.run("return trammel.data.runs[0].events") if e["kind"] == "crossing"]
    browser.run("document.getElementById('show-paths').click()")
    for t in crossings[:3]:
        browser.run("trammel.seek(arguments[0])", t)
        assert browser.run(pixels, "singular") > 100, t
    middle = (crossings[0] + crossings[1]) / 2  # the crank is level there
    browser.run("trammel.seek(arguments[0])", middle)
    assert browser.run("return trammel.runs[0].sigmaAt(trammel.t)") > 0.1 and browser.run(pixels, "singular") == 0
    browser.run("document.getElementById('show-paths').click()")
    assert browser.run(pixels, "singular") > 40
    browser.press("m")
    assert browser.run(pixels, "singular") == 0
    # dead points are above and below the bearing
    places = browser.run("return trammel.drawing.places[0].map(p => p.x)")
    assert places and all(abs(x) < 0.02 for x, *_ in places), places
    browser.visit(shipped_page(browser, "double_four_bar"))
    assert "singular" in browser.one("#legend").text


@case
def redundant_and_drifting(browser):
    """A redundant joint has a dashed ring, the joint that drifts most a diamond, in the drawing and in the legend"""
    browser.visit(shipped_page(browser, "bricard"))
    pixels = """const [x, y, colour] = arguments, c = document.getElementById('canvas').getContext('2d'), d = c.getImageData(x - 24, y - 24, 48, 48).data;
        const [r, g, b] = [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16)); let n = 0;
        for (let i = 0; i < d.length; i += 4) n += d[i + 3] > 200 && Math.abs(d[i] - r) + Math.abs(d[i + 1] - g) + Math.abs(d[i + 2] - b) < 12; return n"""
    joints = browser.run("return trammel.data.joints")
    held = [i for i, j in enumerate(joints) if j["redundant"]]
    assert len(held) == 1, held  # thirty rows of rank 29
    x, y = browser.run("return trammel.camera.project(trammel.runs[0].point(trammel.data.joints[arguments[0]].b, trammel.data.joints[arguments[0]].at_b))", held[0])
    assert browser.run(pixels, x, y, browser.run("return trammel.theme.redundant")) > 15
    assert joints[held[0]]["name"] in browser.one("#legend").text
    path = record(browser, "slider_crank_turn", "--method", "plain", "--integrator", "rk4", "--step", "0.01", "--end", "3", file="plain.csv")
    browser.visit(page(browser, scene("slider_crank_turn"), path))
    gaps, worst = browser.run("const r = trammel.data.runs[0].reactions; return [r.gaps, r.worst]")
    assert worst == gaps.index(max(gaps)) and max(row["drift.position"] for row in rows(path)) >= 0.9 * max(gaps) > 0
    x, y = browser.run("trammel.seek(1.3); return trammel.camera.project(trammel.runs[0].point(trammel.data.joints[arguments[0]].b, trammel.data.joints[arguments[0]].at_b))", worst)
    assert browser.run(pixels, x, y, browser.run("return trammel.theme.worst")) > 15
    assert "worst drift" in browser.one("#legend").text
    clean(browser)


@case
def forces_are_those_of_the_recording(browser):
    """Forces of a floor, of a drive that an event switches off, of a current; a rope about its pulley, an open joint, no folder of the author"""
    body = lambda name, x, **keys: {"name": name, "mass": 2, "position": [x, 0], "shape": {"type": "point"}, **keys}  # noqa: E731
    disc = {"shape": {"type": "disc", "radius": 0.1}}
    marks = [{"name": f"in_{b}", "body": b, "on": [0, 0]} for b in ("block", "a", "b")] + [{"name": "pulley", "body": "ground", "at": [4.2, 1]}, {"name": "floor", "body": "ground", "at": [0, 0]}]
    whole = {"dimension": 2, "gravity": [0, -10], "parameters": {"on": {"value": 1, "input": True}},
             "bodies": [body("block", 0), body("arm", 1, **disc), body("wheel", 2, **disc), body("a", 4), body("b", 4.4), body("load", 5)], "markers": marks,
             "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "arm"], "at": [1, 0]}, {"name": "W", "type": "revolute", "bodies": ["ground", "wheel"], "at": [2, 0]},
                        {"name": "hook", "type": "rod", "bodies": ["ground", "load"], "at": [[5, 1], [5, 0]], "switch": "closed"}],
             "stops": [{"name": "under", "marker": "in_block", "on": "floor", "normal": [0, 1]}],
             "forces": [{"name": "drive", "type": "joint_force", "joint": "O", "value": "4*on"},
                        {"name": "motor", "type": "dc_motor", "joint": "W", "voltage": 1, "resistance": 1, "inductance": 0.1, "constant": 0.5},
                        {"name": "rope", "type": "tendon", "markers": ["in_a", "pulley", "in_b"], "pulleys": [0, -0.2, 0], "rest_length": "2 + 0.2*pi", "inextensible": True}],
             "events": [{"name": "off", "when": "t >= 0.05", "set": {"on": 0}, "release": "hook"}], "simulation": {"end": 0.1}}
    browser.visit(page(browser, written(browser.folder, "whole.json", whole)))
    early, late = browser.run("""return [0.03, 0.09].map(t => { trammel.seek(t); const r = trammel.runs[0], c = r.columns.find(c => c.name === 'motor.effort');
        return [...[0, 1, 2, 3, 5].map(b => { const f = r.forceOn(b); return f ? [f.F[1], f.M[2]] : [0, 0]; }), new Clock(trammel.data.channels[c.clock]()).seek(t).of(trammel.data.channels[c.channel]()), r.isOpen(trammel.data.joints[2])]; })""")
    for told, on in (early, 1), (late, 0):
        block, arm, wheel, a, load, effort, opened = told
        assert abs(block[0] - 20) < 0.1 and abs(arm[1] - 4 * on) < 0.05 and effort > 0.05 and abs(wheel[1] - effort) < 0.05 * effort, told
        assert abs(a[0] - 20) < 0.1 and abs(load[0] - 20 * on) < 0.1 and opened == (not on), told
    assert browser.run("return [trammel.data.links.length, trammel.data.lines.filter(l => l.name === 'rope').length]") == [0, 1]
    # as long as it is, arcs of 24 chords: about its pulley; on a post half a turn, unrolled; off where it would turn to the other side
    long, h, length = browser.run("return trammel.data.forces[2].over.map(i => trammel.data.markers[i]).map(m => trammel.runs[0].point(m.body, m.at))"), 0.7, """
        const p = wound(...arguments); return p.slice(1).reduce((s, x, i) => s + Math.hypot(...x.map((v, k) => v - p[i][k])), 0)"""
    for x, r, axis, right in ((long, [0, -0.2, 0], None, 2 + 0.2 * math.pi), ([[-1, 0, 0], [0, -0.5, 0], [1, 0, 0]], [0, -0.2, 0], None, 2),
                              ([[-2, 0, -1], [0, h, 0], [2, h, -1]], [0, -2, 0], [0, -3, 0], math.hypot(2 + 2 * math.pi, h))):
        assert abs(browser.run(length, x, r, axis) - right) < 1e-3 * right, (x, right)
    assert browser.folder not in browser.run("return document.body.innerText + trammel.data.command + trammel.data.scene")
    clean(browser)


@case
def arrows(browser):
    """An arrow of velocity points along the velocity, as long as the scale says; without the box there is none"""
    browser.visit(shipped_page(browser, "pendulum"))
    script = """trammel.seek(arguments[0]); const seen = [], d = trammel.drawing, real = d.arrow; d.arrow = (a, b, colour) => { seen.push([[...a], [...b], colour]); };
        trammel.draw(); d.arrow = real; return [seen, trammel.runs[0].pose[0].v, d.largestSpeed, d.reach, trammel.theme.speed]"""
    assert browser.run(script, 0.4)[0] == []
    browser.press("v")
    for t in (0.1, 0.4, 0.9):
        (arrow,), v, largest, reach, colour = browser.run(script, t)
        along = (arrow[1][0] - arrow[0][0], -(arrow[1][1] - arrow[0][1]))
        want = [reach * x / largest for x in v[:2]]
        assert math.dist(along, want) < 0.5 and arrow[2] == colour, (t, along, want)
    assert "m/s" in browser.one("#scale").text


@case
def plots_of_checks(browser):
    """Plots show joint coordinates and efforts of motors at first, numerical health when it is unfolded, and any column that is chosen; a pointer on them tells the recorded number"""
    path = record(browser, "slider_crank_turn")
    recorded = rows(path)
    browser.visit(page(browser, scene("slider_crank_turn"), path))
    if browser.run("return typeof uPlotModule") == "undefined":
        raise tap.Skipped("built without uPlot")
    shown = "return trammel.plots.panels.flatMap(p => p.series.map(s => s.column.name))"
    first = set(browser.run(shown))
    assert first and all(name.endswith((".coordinate", ".motor")) for name in first) and len(first) <= 8, first
    browser.one("#health summary").click()
    until(browser, "trammel.plots.panels.length > 3")
    assert set(browser.run(shown)) == first | {"energy.error", "drift.position", "singularity.sigma"}
    browser.run("trammel.plots.shown('energy.kinetic', true); trammel.plots.build()")
    assert {name.partition("[")[0] for name in recorded[0]} - {"t"} <= set(browser.run("return trammel.plots.columns.map(c => c.name)"))
    browser.run("document.getElementById('chooser').open = true; [...document.querySelectorAll('#columns label')].find(e => e.dataset.name === 'crank.rate').querySelector('input').click()")
    assert "crank.rate" in browser.run(shown)
    figure = browser.run("return trammel.plots.panels.find(p => p.series.some(s => s.column.name === 'energy.kinetic')).plot.over")
    ActionChains(browser.driver).move_to_element_with_offset(figure, 17, 0).perform()
    text = browser.run("return arguments[0].closest('figure').querySelector('figcaption').textContent", figure)
    number, t = map(float, re.search(r"energy.kinetic ([-\d.e]+) J at ([\d.]+) s", text).groups())
    row = min(recorded, key=lambda r: abs(r["t"] - t))
    assert abs(row["t"] - t) < 1e-5 and abs(row["energy.kinetic[J]"] - number) < 1e-5 * abs(number), (text, row["energy.kinetic[J]"])


PENDULUM_THAT_LETS_GO = {
    "dimension": 2, "gravity": [0, -9.81], "outputs": {"square": {"value": "sin(4*pi*t)^2", "unit": "W"}},
    "bodies": [{"name": "arm", "mass": 2, "ends": [[0, 0], [0.5, 0]]}, {"name": "ball", "mass": 0.1, "position": [0.5, 0], "shape": {"type": "disc", "radius": 0.03}}],
    "markers": [{"name": "b", "body": "ball", "on": [0, 0]}, {"name": "low", "body": "ground", "at": [0, -8]}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0], "motor": "sin(2*pi*t)"},
               {"name": "hook", "type": "weld", "bodies": ["arm", "ball"], "at": [0.5, 0], "switch": "closed"}],
    "stops": [{"name": "floor", "marker": "b", "on": "low", "normal": [0, 1]}],
    "events": [{"name": "drop", "when": "t > 0.5", "release": "hook"}], "assemble": True, "simulation": {"end": 2}}


@case
def curves(browser):
    """Derivative, integral, spectrum, difference, x-y and files of a curve are what they are called; events, impacts and modes stand on the time line"""
    path, out = (os.path.join(browser.folder, name) for name in ("lets_go.json", "lets_go.html"))
    pathlib.Path(path).write_text(json.dumps(PENDULUM_THAT_LETS_GO), encoding="utf-8")
    told = json.loads(subprocess.run([PROGRAM, "run", path, "--json", "-o", out], stdout=subprocess.PIPE, check=True).stdout)
    browser.visit(out)
    if browser.run("return typeof uPlotModule") == "undefined":
        raise tap.Skipped("built without uPlot")
    events = browser.run("return trammel.events.filter(e => e.kind !== 'rejected').map(e => [e.kind, e.t, e.text])")
    assert ["event", 0.5] == next(e[:2] for e in events if "drop" in e[2]) and sum(e[0] == "impact" for e in events) >= 1, events
    assert any(e[0] == "mode" and e[1] == 0.5 and "hook.x: open" in e[2] for e in events) and told["contacts"]["impacts"] >= 1, events
    browser.run("trammel.seek(0); document.querySelector('#events .event').click()")
    assert browser.run("return trammel.t") == 0.5
    assert browser.run("return trammel.data.machine.size === 1 && trammel.data.low[1] > -1") and browser.one("#health summary").text.endswith("good")
    assert browser.run("return document.getElementById('loading')") is None
    table = """const p = trammel.plots, c = p.columns.find(c => c.name === arguments[0]).of[0], t = [c.t(), c.y()], [x, y] = KINDS_OF_CURVES[arguments[1]].of(t);
        return [[...x], [...y]]"""
    for t, v in zip(*browser.run(table, "O.coordinate", "derivative")):
        assert abs(v - 2 * math.pi * math.cos(2 * math.pi * t)) < 1e-3 * 2 * math.pi, (t, v)
    times, sums = browser.run(table, "O.coordinate_rate", "integral")
    assert max(abs(v - math.sin(2 * math.pi * t)) for t, v in zip(times, sums)) < 1e-3
    hertz, peaks = browser.run(table, "square", "spectrum")  # 1/2 - cos(8 pi t)/2
    k = peaks.index(max(peaks))
    assert hertz[k] == 4 and abs(peaks[k] - 0.5) < 1e-3, (hertz[k], peaks[k])
    pair = """const p = trammel.plots, choose = (id, text) => { const e = document.getElementById(id); e.value = [...e.options].find(o => o.textContent === text).value; };
        choose('pair-a', 'O.coordinate'); choose('pair-b', 'O.coordinate_rate'); document.getElementById('pair-how').value = arguments[0]; document.getElementById('pair-add').click();
        const panel = p.panels[p.panels.length - 1]; return [csvOf(panel), svgOf(panel, trammel.theme)]"""
    csv, svg = browser.run(pair, "against")
    points = [tuple(map(float, line.split(","))) for line in csv.splitlines()[1:]]
    assert csv.startswith("O.coordinate_rate[rad/s],O.coordinate[rad]") and all(abs((x / 2 / math.pi) ** 2 + y ** 2 - 1) < 2e-3 for x, y in points)
    assert xml.etree.ElementTree.fromstring(svg).tag.endswith("svg")
    csv, _ = browser.run(pair, "minus")
    for t, v in [map(float, line.split(",")) for line in csv.splitlines()[1:]]:
        assert abs(v - math.sin(2 * math.pi * t) + 2 * math.pi * math.cos(2 * math.pi * t)) < 1e-2, (t, v)
    clean(browser)


@case
def what_went_wrong(browser):
    """Changes of assembly and rejected steps stand on the time line, as many as the run tells, and the position is marked on the paths"""
    def made(name, *args, code=0):
        out = os.path.join(browser.folder, "run.html")
        run = subprocess.run([PROGRAM, "run", scene(name), *args, "--json", "-o", out], stdout=subprocess.PIPE, check=False)
        assert run.returncode == code, run
        browser.visit(out)
        return json.loads(run.stdout)
    told = made("four_bar", "--method", "plain", "--integrator", "rk4", "--step", "0.02", code=4)
    changes = [e for e in browser.run("return trammel.data.runs[0].events") if e["kind"] == "branch"]
    assert len(changes) == told["branch"]["changes"] >= 1 and "assembly changed" in changes[0]["text"], changes
    assert browser.run("return document.querySelectorAll('#events .branch').length") == len(changes) and "branch change" in browser.one("#legend").text
    assert "branch" in browser.run("return trammel.drawing.places[0].map(p => p.kind)")
    assert "Do not use this result" in browser.one("#notes").text, browser.one("#notes").text
    told = made("jansen_leg")
    assert "use this result" not in browser.one("#notes").text, browser.one("#notes").text
    rejected = [e for e in browser.run("return trammel.data.runs[0].events") if e["kind"] == "rejected"]
    count = sum(int(re.match(r"\d+", e["text"]).group()) for e in rejected)
    assert count == told["rejected"] > 0 and browser.run("return document.querySelectorAll('#events .rejected').length") == len(rejected), (count, told["rejected"])
    clean(browser)


@case
def many_recordings(browser):
    """Five recordings: side by side each in a part of its own with its name; over each other they have names, since colours come twice"""
    paths = [record(browser, "pendulum", "--set", f"g={g}", file=f"g{g}.csv") for g in (2, 4, 6, 8, 10)]
    browser.visit(page(browser, scene("pendulum"), *paths))
    names = [os.path.basename(p) for p in paths]
    assert browser.run("trammel.seek(0.7); return [...document.querySelectorAll('#labels span')].map(e => e.textContent)") == names
    browser.one("#beside").click()
    places, cells, labels = browser.run("""const d = trammel.drawing; return [trammel.places().map(p => p[0]), [0, 1, 2, 3, 4].map(r => [d.left(r), d.top(r), d.cell, d.cellHeight]),
        [...document.querySelectorAll('#labels span')].map(e => e.textContent)]""")
    assert labels == names and len({(c[0], c[1]) for c in cells}) == 5 and len({c[1] for c in cells}) > 1, (labels, cells)
    for (x, y), (left, top, width, height) in zip(places, cells):
        assert left < x < left + width and top < y < top + height, (places, cells)
    clean(browser)


# ------------------------------------------------------------------------------------------------- the camera

@case
def camera(browser):
    """Orbit, pan and zoom by mouse, by touch and by keys; what travels far is followed"""
    browser.visit(shipped_page(browser, "bricard"))
    state = lambda: browser.run("const c = trammel.camera; return [c.azimuth, c.elevation, c.zoom, ...c.shift]")  # noqa: E731
    stage, start = browser.one("#stage"), state()
    ActionChains(browser.driver).drag_and_drop_by_offset(stage, 60, 25).perform()
    turned = state()
    assert turned[0] != start[0] and turned[1] != start[1] and turned[2:] == start[2:], turned
    ActionChains(browser.driver).key_down(Keys.SHIFT).drag_and_drop_by_offset(stage, 40, 30).key_up(Keys.SHIFT).perform()
    moved = state()
    assert moved[:3] == turned[:3] and abs(moved[3] - turned[3] - 40) < 2 and abs(moved[4] - turned[4] - 30) < 2, moved
    box = browser.run("const b = document.getElementById('stage').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]")
    browser.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseWheel", "x": box[0], "y": box[1], "deltaX": 0, "deltaY": -240})
    assert state()[2] > 1.2
    browser.run("trammel.fit()")
    touch = lambda kind, *points: browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {  # noqa: E731
        "type": kind, "touchPoints": [{"x": box[0] + x, "y": box[1] + y, "id": i} for i, (x, y) in enumerate(points)]})
    touch("touchStart", (0, 0))
    touch("touchMove", (30, 10))
    touch("touchEnd")
    assert state()[0] != start[0]
    browser.run("trammel.fit()")
    touch("touchStart", (-30, 0), (30, 0))
    for k in (40, 50, 60):
        touch("touchMove", (-k, 0), (k, 0))
    touch("touchEnd")
    assert 1.6 < state()[2] < 2.4, state()
    browser.run("trammel.fit(); document.activeElement.blur()")
    browser.press("6", "6", "2", "+")
    assert state()[2] > 1 and state()[3] > 30 and state()[4] > 15, state()
    browser.visit(shipped_page(browser, "bicycle"))
    assert browser.run("return document.getElementById('follow').checked")
    for t in (0.0, 2.5, 5.0):
        places, size = browser.run("trammel.seek(arguments[0]); return [trammel.places()[0], [trammel.drawing.width, trammel.drawing.height]]", t)
        assert all(0 < x < size[0] and 0 < y < size[1] for x, y in places), (t, places)
        assert max(math.dist(p, q) for p in places for q in places) > 60, places
    clean(browser)


if __name__ == "__main__":
    sys.exit(run(CASES))
