#!/usr/bin/env python3
"""The pages and moving pictures of trammel view, looked at in a browser: numbers and pictures. Prints TAP.

    tests/tools/view/view_test.py TRAMMEL ROOT            the claims
    tests/tools/view/view_test.py TRAMMEL ROOT --draw     the stored pictures anew (tests/tools/view/pictures)

Needs Chromium, its driver and Selenium (Debian: chromium, chromium-driver, python3-selenium); without them everything is skipped.
WebGL2 is drawn by software (SwiftShader).
"""
import base64
import json
import math
import os
import re
import struct
import subprocess
import sys
import time
import xml.etree.ElementTree
import zlib

from view_pages import (
    ActionChains, Keys, PICTURES, PROGRAM, ROOT, SHIPPED, SMALL, clean, notes, page, record, rows, run, scene,
    shipped_page, trammel, until, written,
)
from tap import CASES, case
import tap

# ---------------------------------------------------------------------------------------- the file

@case
def opens(browser):
    """Planar, spatial and double pages open from file:// without a message, and nothing is asked for but the file itself"""
    both = record(browser, "slider_crank_turn"), record(browser, "slider_crank_turn", "--method", "s-both2", "--step", "0.01", "--integrator", "rk4",
                                                        file="other.csv")
    for args in ([scene("slider_crank_turn")], [scene("bricard")], [scene("slider_crank_turn"), *both]):
        path = browser.visit(page(browser, *args), still=False)
        time.sleep(0.3)
        clean(browser)
        asked = [url for url in browser.requests() if not url.startswith(("data:", "about:"))]
        assert asked == ["file://" + path], asked
        assert browser.run("return performance.getEntriesByType('resource').length") == 0
        policy = browser.one("meta[http-equiv]").get_attribute("content")
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy, policy
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert not re.search(r"(src|href)=.?(https?:)?//", text), "an address"


@case
def policy_holds(browser):
    """The page's policy stops a script that is not ours"""
    browser.visit(shipped_page(browser, "pendulum"))
    browser.run("const s = document.createElement('script'); s.textContent = 'window.harm = 9'; document.body.append(s)")
    assert browser.run("return window.harm") is None


@case
def sizes(browser):
    """70 s of a slider-crank take less than 100 kB, a page in space less than 350 kB, 1000 bodies for 10 s less than 1 MB"""
    for args, most in (([scene("slider_crank_turn"), "--end", "70"], 100e3), ([scene("slider_crank_swing"), "--end", "70"], 100e3),
                       ([scene("bricard")], 350e3), ([scene("flyball")], 350e3), ([scene("chain_1000"), "--end", "10"], 1e6)):
        size = os.path.getsize(page(browser, *args))
        assert size < most, (args, size)


# ------------------------------------------------------------------------------------- the numbers

def place(camera, x):
    """px on the stage, from the camera's own numbers and the formula of a parallel projection."""
    right, up = (sum(a * b for a, b in zip(x, camera[axis])) for axis in ("right", "up"))
    scale = camera["base"] * camera["zoom"]
    return (camera["width"] / 2 + camera["shift"][0] + scale * (right - camera["center"][0]),
            camera["height"] / 2 + camera["shift"][1] - scale * (up - camera["center"][1]))


@case
def positions(browser):
    """Scrubbing puts every body where the recording has it, within a pixel, in the plane and in space"""
    for name in ("slider_crank_turn", "jansen_leg", "andrews", "bricard", "double_pendulum_3d"):
        path = record(browser, name)
        recorded = rows(path)
        browser.visit(page(browser, scene(name), path))
        bodies = browser.run("return trammel.data.bodies.map(b => b.name)")
        worst, some = 0, recorded[::max(1, len(recorded) // 60)]
        shown = browser.run("""return arguments[0].map(t => { trammel.seek(t); const c = trammel.camera;
            return structuredClone([{...c}, trammel.places()[0], trammel.t]); })""", [row["t"] for row in some])
        for row, (camera, places, t) in zip(some, shown, strict=True):
            assert t == row["t"]
            for body, at in zip(bodies, places):
                x = [row[f"{body}.{axis}[m]"] for axis in "xyz" if f"{body}.{axis}[m]" in row]
                worst = max(worst, math.dist(place(camera, x + [0] * (3 - len(x))), at))
        assert 0 < worst < 1, (name, worst)


@case
def drawn_where_it_is(browser):
    """The canvas has a body's colour where the body is, and paper where nothing is"""
    browser.visit(shipped_page(browser, "slider_crank_turn"))
    for t in (0.2, 1.7, 4.4):
        pixel, paper, fill = browser.run("""trammel.seek(arguments[0]);
            const c = document.getElementById('canvas').getContext('2d'), p = trammel.places()[0][0], hex = (r, g, b) => '#' + [r, g, b].map(x => x.toString(16).padStart(2, '0')).join('');
            const at = (x, y) => hex(...c.getImageData(x, y, 1, 1).data);
            return [at(Math.round(p[0]), Math.round(p[1])), at(5, 5), trammel.theme.fills[0]]""", t)
        assert pixel == fill and paper == "#fdfdfa", (t, pixel, paper, fill)


@case
def gears_and_stops(browser):
    """Pitch circles, strands of belts and the lines of stops are drawn where they are: ink there, paper beside"""
    ink = """const [points, aside] = arguments, e = document.getElementById('canvas'), c = e.getContext('2d'), r = trammel.drawing.ratio;
        const dark = p => { let n = 255; for (let i = -2; i <= 2; i++) for (let k = -2; k <= 2; k++)
            n = Math.min(n, c.getImageData(Math.round(r * p[0]) + i, Math.round(r * p[1]) + k, 1, 1).data[1]); return n < 150; };
        const at = points.map(x => [...trammel.camera.project(x)]);
        return [at.filter(dark).length, at.map(p => [p[0] + aside[0], p[1] + aside[1]]).filter(dark).length]"""
    around = lambda r, x=0: [[x + r * math.cos(a), r * math.sin(a), 0] for a in (0.1 * k for k in range(5, 60))]  # noqa: E731
    browser.visit(shipped_page(browser, "planetary_gear"))
    with open(scene("planetary_gear"), encoding="utf-8") as file:
        parameters = json.load(file)["parameters"]
    ring = parameters["sun"] + 2 * parameters["planet"]
    on, off = browser.run(ink, [x for x in around(ring) if abs(x[0]) < 0.6 * ring], [0, 14])
    assert on > 20 and off == 0, (on, off)  # chain lines: most of them
    browser.visit(shipped_page(browser, "bouncing_ball"))
    on, off = browser.run("trammel.seek(0);" + ink, [[0.05 * k, 0, 0] for k in range(-9, 10) if abs(k) > 2], [0, -9])
    assert on == 14 and off == 0, (on, off)
    belt = {"dimension": 2, "simulation": {"end": 1}, "gravity": [0, 0],
            "bodies": [{"name": "a", "mass": 1, "shape": {"type": "disc", "radius": 0.2, "thickness": 0.1}, "position": [0, 0], "rate": 1},
                       {"name": "b", "mass": 1, "shape": {"type": "disc", "radius": 0.2, "thickness": 0.1}, "position": [1, 0], "rate": 1}],
            "joints": [{"name": "A", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]}, {"name": "B", "type": "revolute", "bodies": ["ground", "b"], "at": [1, 0]}],
            "constraints": [{"name": "belt", "type": "belt", "joints": ["A", "B"], "radii": [0.2, 0.2]}]}
    browser.visit(page(browser, written(browser.folder, "belt.json", belt)))
    on, off = browser.run(ink, [[0.3 + 0.1 * k, s * 0.2, 0] for k in range(5) for s in (-1, 1)], [0, 9])
    assert on == 10 and off == 0, (on, off)


@case
def playing(browser):
    """Playing lets time go on, loops, and moves what is drawn; pausing stops it"""
    browser.visit(shipped_page(browser, "pendulum"), still=False)
    before = browser.run("return [trammel.t, trammel.places()[0][0]]")
    until(browser, f"trammel.t > {before[0]} + 0.3")
    browser.one("#play").click()
    after = browser.run("return [trammel.t, trammel.places()[0][0]]")
    assert math.dist(after[1], before[1]) > 2, (before, after)
    time.sleep(0.3)
    assert browser.run("return trammel.t") == after[0] and browser.one("#play").text == "Play"
    browser.run("trammel.seek(trammel.end - 1e-3); trammel.play(true)")
    until(browser, "trammel.t < trammel.end - 1e-3 && trammel.playing")
    browser.one("#loop").click()
    browser.run("trammel.seek(trammel.end - 1e-3); trammel.play(true)")
    until(browser, "trammel.t === trammel.end && !trammel.playing")


@case
def plotted_numbers(browser):
    """Columns of the recording are in the page with seven digits, at times that are the recording's"""
    path = record(browser, "jansen_leg")
    recorded = {round(row["t"], 6): row for row in rows(path)}
    browser.visit(page(browser, scene("jansen_leg"), path))
    columns = browser.run("""return trammel.data.runs[0].columns.map(c => [c.name + (c.unit ? `[${c.unit}]` : ''),
        [...trammel.data.channels[c.clock]()], [...trammel.data.channels[c.channel]()]])""")
    names = [name for name, _, _ in columns]
    assert "drift.position" in names and "energy.kinetic[J]" in names and len(names) > 30
    for name, times, values in columns:
        if name == "energy.error[J]":
            continue
        largest = max(abs(row[name]) for row in recorded.values())
        for t, value in zip(times, values):
            row = recorded[round(t, 6)]
            assert abs(row[name] - value) <= 1e-7 * largest, (name, t, value, row[name])
        low, high = (f(row[name] for row in recorded.values()) for f in (min, max))
        slack = (high - low) / 1000 + 1e-7 * largest
        assert min(values) <= low + slack and max(values) >= high - slack, f"{name}: an extreme is missing"


@case
def reactions(browser):
    """Reactions on the page are those of the recording, and carry the weight of a bar that hangs"""
    bar = {"dimension": 2, "gravity": [0, -10], "simulation": {"end": 1, "every": 0.01},
           "bodies": [{"name": "bar", "mass": 2, "ends": [[0, 0], [0, -1]]}],
           "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}]}
    browser.visit(page(browser, written(browser.folder, "hanging.json", bar)))
    found = browser.run("trammel.seek(0.5); return trammel.runs[0].reactionOf(0)")
    assert math.dist(found["F"], [0, 20, 0]) < 0.05 and abs(found["M"][2]) < 1e-6, found
    path = record(browser, "spatial_slider_crank")
    browser.visit(page(browser, scene("spatial_slider_crank"), path))
    ball = browser.run("return trammel.data.joints.findIndex(j => j.name === 'ball')")
    largest = browser.run("return trammel.data.runs[0].reactions.largest_force")
    for row in rows(path)[::37]:
        force = browser.run("trammel.seek(arguments[0]); return trammel.runs[0].reactionOf(arguments[1]).F", row["t"], ball)
        # what b does to a is lambda: docs/reference/recordings.md
        on_b = [-row[next(k for k in row if k.startswith(f"ball.lambda_{axis}"))] for axis in "xyz"]
        assert math.dist(force, on_b) < 0.02 * largest, (row["t"], force, on_b)


@case
def forces(browser):
    """Forces on bodies are those that the scene applies, without weights: a spring at rest, a force beside the centre, a torque in space"""
    m, g, k = 2, 10, 50
    spring = {"dimension": 2, "gravity": [0, -g], "simulation": {"end": 1, "every": 0.01},
              "bodies": [{"name": "ball", "mass": m, "inertia": 1, "position": [0, -1 - m * g / k]}, {"name": "bar", "mass": 1, "inertia": 1, "position": [3, 0]},
                         {"name": "free", "mass": 1, "inertia": 1, "position": [5, 0]}],
              "markers": [{"name": "top", "body": "ground", "at": [0, 0]}, {"name": "eye", "body": "ball", "at": [0, -1 - m * g / k]},
                          {"name": "side", "body": "bar", "at": [3, 0.5]}],
              "forces": [{"name": "coil", "type": "spring_damper", "markers": ["top", "eye"], "stiffness": k, "rest_length": 1},
                         {"name": "push", "type": "force", "marker": "side", "value": [3, 4], "axes": "world"}]}
    browser.visit(page(browser, written(browser.folder, "spring.json", spring)))
    ball, bar, free = browser.run("trammel.seek(0); const r = trammel.runs[0]; return [r.forceOn(0), r.forceOn(1), r.forceOn(2)]")
    step = 20 / 512
    assert math.dist(ball["F"], [0, m * g, 0]) < step and abs(ball["M"][2]) < 0.01, ball
    assert math.dist(bar["F"], [3, 4, 0]) < step and abs(bar["M"][2] + 0.5 * 3) < 0.01 and free is None, bar
    before = browser.run("trammel.draw(); return trammel.drawing.context.getImageData(0, 0, 1100, 500).data.reduce((s, x) => s + x, 0)")
    browser.press("a")
    after = browser.run("return [document.getElementById('show-forces').checked, trammel.drawing.context.getImageData(0, 0, 1100, 500).data.reduce((s, x) => s + x, 0)]")
    assert after[0] and after[1] != before
    # body axes turn, the torque of the world stays; f has the gyroscopic term, which is no force
    spin = {"dimension": 3, "gravity": [0, 0, 0], "simulation": {"end": 2, "every": 0.01},
            "bodies": [{"name": "top", "mass": 1, "inertia": [0.1, 0.2, 0.3], "position": [0, 0, 0], "rate": [1, 2, 3]}],
            "forces": [{"name": "twist", "type": "torque", "body": "top", "value": [0, 0, 2], "axes": "world"}]}
    browser.visit(page(browser, written(browser.folder, "spin.json", spin)))
    for t in (0.0, 0.7, 1.9):
        found = browser.run("trammel.seek(arguments[0]); return trammel.runs[0].forceOn(0)", t)
        assert math.dist(found["M"], [0, 0, 2]) < 0.01 and math.hypot(*found["F"]) < 1e-9, (t, found)
    clean(browser)
    browser.visit(shipped_page(browser, "slider_crank_turn"))
    assert browser.run("return document.getElementById('forces-label').hidden")


@case
def cursor(browser):
    """The plots' cursor stands at the time; a click on a plot goes to its time"""
    browser.visit(shipped_page(browser, "slider_crank_turn"))
    if browser.run("return typeof uPlotModule") == "undefined":
        raise tap.Skipped("built without uPlot")
    for t in (0.0, 3.3, 10.0):
        at, want = browser.run("""trammel.seek(arguments[0]); const p = trammel.plots.panels[0];
            return [new DOMMatrix(getComputedStyle(p.cursor).transform).m41, arguments[0] / 10 * p.plot.over.clientWidth]""", t)
        assert abs(at - want) < 2, (t, at, want)
    over = browser.one(".u-over")
    ActionChains(browser.driver).move_to_element(over).click().perform()
    assert abs(browser.run("return trammel.t") - 5) < 0.1
    clean(browser)


@case
def events(browser):
    """Crossings stand on the time line at their times, with their joints; keys and buttons go from one to the next"""
    run = json.loads(subprocess.run([PROGRAM, "run", scene("slider_crank_turn"), "--json"], stdout=subprocess.PIPE, check=True).stdout)
    browser.visit(shipped_page(browser, "slider_crank_turn"))
    crossings = [e for e in browser.run("return trammel.data.runs[0].events") if e["kind"] != "rejected"]
    assert len(crossings) == run["singularity"]["crossings"] == 11, len(crossings)
    period = [b["t"] - a["t"] for a, b in zip(crossings, crossings[1:])]
    assert max(period) < 1.2 and all(e["joints"] for e in crossings)
    browser.one("#next-event").click()
    assert browser.run("return trammel.t") == crossings[0]["t"]
    ActionChains(browser.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_RIGHT).key_up(Keys.SHIFT).perform()
    assert browser.run("return trammel.t") == crossings[1]["t"]
    # at a crossing crank and rod stand upright, one over the other
    angle = browser.run("return trammel.runs[0].pose[0].angle")
    assert abs(math.cos(angle)) < 1e-3, angle
    shown = browser.run("return [...document.querySelectorAll('#events i:not(.rejected)')].map(e => parseFloat(e.style.left))")
    assert all(abs(x - 10 * e["t"]) < 1e-3 for x, e in zip(shown, crossings)), shown


@case
def failed_run(browser):
    """A run that fails is shown up to there, and the page says where and why"""
    text = {"dimension": 2, "gravity": [0, -10], "simulation": {"end": 2, "every": 0.01},
            "bodies": [{"name": "bar", "mass": 2, "ends": [[0, 0], [1, 0]]}], "markers": [{"name": "tip", "body": "bar", "at": [1, 0]}],
            "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}],
            "forces": [{"name": "push", "type": "force", "marker": "tip", "value": ["log(1 - t)", 0]}]}
    path = os.path.join(browser.folder, "failed.html")
    trammel("view", written(browser.folder, "failed.json", text), "-o", path, code=4)
    browser.visit(path)
    assert any("failed here" in note for note in notes(browser)), notes(browser)
    assert 0.5 < browser.run("return trammel.end") <= 1 and browser.run("return document.querySelectorAll('#events .end').length") == 1
    clean(browser)


@case
def two_recordings(browser):
    """Two recordings share time, have colours and boxes of their own, and stand beside each other when asked"""
    a = record(browser, "slider_crank_turn")
    b = record(browser, "slider_crank_turn", "--set", "v0=5", file="slower.csv")
    browser.visit(page(browser, scene("slider_crank_turn"), a, b))
    both = browser.run("trammel.seek(4); return trammel.places()")
    assert len(both) == 2 and math.dist(both[0][0], both[1][0]) > 5
    assert browser.run("return [...document.querySelectorAll('#runs label')].slice(0, 2).map(e => e.textContent)") == ["slider_crank_turn.csv", "slower.csv"]
    browser.one("#beside").click()
    side = browser.run("return [trammel.places(), trammel.drawing.width]")
    assert all(p[0] < side[1] / 2 for p in side[0][0]) and all(p[0] > side[1] / 2 for p in side[0][1]), side
    browser.one("#runs input").click()
    assert browser.run("return trammel.hidden.has(0)")
    clean(browser)


@case
def beside_in_space(browser):
    """In space too recordings stand over each other or side by side, each in its half"""
    a = record(browser, "double_pendulum_3d")
    b = record(browser, "double_pendulum_3d", "--set", "g=5", file="lighter.csv")
    browser.visit(page(browser, scene("double_pendulum_3d"), a, b))
    if not browser.run("return !!trammel.solid"):
        raise tap.Skipped("built without three.js, or no WebGL2 here")
    ink = """const out = document.createElement('canvas'), e = document.getElementById('solid'), c = out.getContext('2d');
        out.width = 200; out.height = 100; trammel.draw(); c.drawImage(e, 0, 0, 200, 100);
        const d = c.getImageData(0, 0, 200, 100).data, n = [0, 0];
        for (let i = 0; i < d.length; i += 4) n[i / 4 % 200 < 100 ? 0 : 1] += Math.max(d[i], d[i + 1], d[i + 2]) - Math.min(d[i], d[i + 1], d[i + 2]) > 60;
        return n;"""
    browser.one("#beside").click()
    both = browser.run("trammel.seek(0.9); " + ink)
    side = browser.run("return [trammel.places(), trammel.drawing.width]")
    assert all(p[0] < side[1] / 2 for p in side[0][0]) and all(p[0] > side[1] / 2 for p in side[0][1]), side
    assert min(both) > 30, both
    browser.one("#runs input").click()
    one = browser.run(ink)
    assert one[0] < 0.1 * both[0] and one[1] > 0.7 * both[1], (both, one)
    clean(browser)


@case
def one_of_several(browser):
    """#run=1 shows that recording alone, as links of trammel compare --report do"""
    a = record(browser, "pendulum")
    path = page(browser, scene("pendulum"), a, a)
    browser.visit(path)
    browser.driver.get("about:blank")
    browser.driver.get("file://" + path + "#still&run=1")
    until(browser, "window.trammel")
    assert browser.run("return [[...trammel.hidden], [...document.querySelectorAll('#runs input')].slice(0, 2).map(e => e.checked)]") == [[0], [False, True]]


# ---------------------------------------------------------------------------------------- pictures

def small_picture(browser, name):
    """The canvases of a scene at a third of its run, SMALL px: RGB bytes. No text is on them."""
    browser.visit(shipped_page(browser, name))
    url = browser.run("""trammel.seek(trammel.from + (trammel.end - trammel.from) / 3);
        const [w, h] = arguments, out = document.createElement('canvas'), c = out.getContext('2d');
        out.width = w; out.height = h;
        c.imageSmoothingQuality = 'high';
        for (const id of ['solid', 'canvas']) { const e = document.getElementById(id); if (e) c.drawImage(e, 0, 0, w, h); }
        return out.toDataURL('image/png')""", *SMALL)
    clean(browser)
    return base64.b64decode(url.split(",")[1])


def read_png(data):
    """8-bit RGB or RGBA -> rows of mean grey values."""
    at, packed, width, n = 8, b"", 0, 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, _, depth, colour = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and colour in (2, 6)
            n = 3 if colour == 2 else 4
        packed += chunk if kind == b"IDAT" else b""
        at += 12 + length
    raw, lines, above = zlib.decompress(packed), [], bytearray(width * n)
    for start in range(0, len(raw), width * n + 1):
        line = bytearray(raw[start + 1:start + 1 + width * n])
        for i, byte in enumerate(line):
            a, b, c = line[i - n] if i >= n else 0, above[i], above[i - n] if i >= n else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[i] = (byte + (0, a, b, (a + b) // 2, nearest)[raw[start]]) & 255
        lines.append([sum(line[i:i + 3]) / 3 for i in range(0, width * n, n)])
        above = line
    return lines


def blocks(lines, size=8):
    """Means of blocks: a shift of a pixel or another smoothing hardly changes them."""
    return [sum(lines[y + j][x + i] for j in range(size) for i in range(size)) / size ** 2
            for y in range(0, len(lines) - size + 1, size) for x in range(0, len(lines[0]) - size + 1, size)]


@case
def stored_pictures(browser):
    """Every shipped scene looks as in its stored picture; by day every fifth"""
    for name in SHIPPED if tap.nightly() else SHIPPED[::5]:
        with open(os.path.join(PICTURES, name + ".png"), "rb") as file:
            stored = blocks(read_png(file.read()))
        now = blocks(read_png(small_picture(browser, name)))
        if browser.run("return !trammel.planar && !trammel.solid"):
            continue  # built without three.js
        ink = sum(max(now) - x > 6 for x in now)
        worst = max(abs(a - b) for a, b in zip(stored, now))
        assert ink >= 4, f"{name}: nothing is drawn"
        assert worst < 24, f"{name}: a block differs by {worst} of 255"


@case
def animated_pictures(browser):
    """Moving pictures of the gallery are well-formed and without a script; what the frames show is the motion"""
    folder = os.path.join(ROOT, "docs/gallery")
    names = sorted(os.listdir(folder))
    with open(os.path.join(ROOT, "docs/gallery.md"), encoding="utf-8") as file:
        text = file.read()
    assert len(names) >= 10 and all(f"gallery/{n}" in text for n in names)
    assert all(f"scenes/{n[:-4]}.json" in text or f"-o docs/gallery/{n}" in text for n in names)  # or a model
    for name in names:
        path = os.path.join(folder, name)
        assert os.path.getsize(path) < 64000, name
        tree = xml.etree.ElementTree.parse(path).getroot()
        tags = [e.tag.split("}")[1] for e in tree.iter()]
        moves = [e for e in tree.iter() if e.tag.endswith("}animate")]
        assert "script" not in tags and moves, name
        counts = {len(e.get("values").split(";")) for e in moves}
        assert len(counts) == 1 and counts.pop() >= (30 if len(moves) < 150 else 10), name  # many parts: fewer frames
        assert not re.search(r"nan|inf", " ".join(e.get("values") for e in moves)), name
    # the pin of the slider-crank stays on a circle about the bearing
    path = os.path.join(browser.folder, "crank.svg")
    trammel("view", scene("slider_crank_turn"), "--end", "5", "--animate", "-o", path)
    tree = xml.etree.ElementTree.parse(path).getroot()
    bar = next(e for e in tree.iter() if e.get("id") == "u0" or len(e.findall("{*}animate")) == 1 and e.get("points"))
    frames = [[tuple(map(float, p.split(","))) for p in v.split()] for v in bar.find("{*}animate").get("values").split(";")]
    lengths = [math.dist(*frame) for frame in frames]
    assert max(lengths) - min(lengths) < 0.5 and len(frames) == 100, (min(lengths), max(lengths), len(frames))


@case
def stills(browser):
    """A still as PNG has the size of the drawing, twice as fine; a recording can be drawn too"""
    tap.need("rsvg-convert")
    path = os.path.join(browser.folder, "still.png")
    trammel("view", scene("jansen_leg"), "-o", path)
    with open(path, "rb") as file:
        data = file.read(64)
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">I", data[16:20])[0] == 1920
    svg = os.path.join(browser.folder, "still.svg")
    trammel("view", scene("jansen_leg"), record(browser, "jansen_leg"), "-o", svg)
    assert xml.etree.ElementTree.parse(svg).getroot().tag.endswith("svg")


@case
def phases(browser):
    """--at draws a still at the times that are named: the first solid, the others faint, each where the mechanism is then"""
    path = os.path.join(browser.folder, "phases.svg")
    turn = {"dimension": 2, "gravity": [0, 0], "simulation": {"end": 1},
            "bodies": [{"name": "bar", "mass": 1, "ends": [[0, 0], [1, 0]], "rate": math.pi, "velocity": [0, math.pi / 2]}],
            "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}]}
    name = written(browser.folder, "turning.json", turn)
    trammel("view", name, "-o", path, "--at", "0.5,0,1")
    tree = xml.etree.ElementTree.parse(path).getroot()
    texts = ["".join(e.itertext()) for e in tree.iter() if e.tag.endswith("}text")]
    assert any(t.startswith("solid at t = 0.5 s, faint at 0, 1 s") for t in texts), texts
    lines = [e for e in tree.iter() if e.tag.endswith(("}line", "}polyline")) and "stroke-width" in (e.get("style") or "")]
    ends = set()
    for e in lines:
        p = [tuple(map(float, x.split(","))) for x in e.get("points").split()] if e.get("points") else [(float(e.get("x1")), float(e.get("y1"))), (float(e.get("x2")), float(e.get("y2")))]
        if len(p) == 2:
            d = (p[1][0] - p[0][0], p[1][1] - p[0][1])
            ends.add(tuple(round(x / math.hypot(*d)) for x in d))
    assert {(0, -1), (1, 0), (-1, 0)} <= ends, ends  # upright, right, left
    for args, says in ((["--at", "2"], "after the end"), (["--at", "-1"], ">= 0"), (["--at", "x"], "expected a number")):
        assert says in trammel("view", name, "-o", path, *args, code=1), args
    assert "stills" in trammel("view", name, "--at", "0", code=1)


def draw_stored(browser):
    os.makedirs(PICTURES, exist_ok=True)
    for name in SHIPPED:
        with open(os.path.join(PICTURES, name + ".png"), "wb") as file:
            file.write(small_picture(browser, name))
    return 0


if __name__ == "__main__":
    sys.exit(run(CASES, draw_stored if "--draw" in sys.argv else None))
