#!/usr/bin/env python3
"""The pages of trammel view: odd recordings and scenes, keyboard, screens, colours. Prints TAP.

    tests/tools/view/view_use_test.py TRAMMEL ROOT
"""
import math
import os
import re
import sys
import xml.etree.ElementTree

from view_pages import ActionChains, HOSTILE, Keys, clean, notes, page, record, run, scene, shipped_page, trammel, written
from tap import CASES, case
import tap

# ----------------------------------------------------------------------------------------- odd input

@case
def odd_recordings(browser):
    """A torn recording, numbers that are none, another scene's, no scene at all: a sentence, and the rest is shown"""
    path = record(browser, "slider_crank_turn")
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines(keepends=True)
    torn = written(browser.folder, "torn.csv", "".join(lines[:500]) + lines[500][:40])
    err = trammel("view", scene("slider_crank_turn"), torn, "-o", os.path.join(browser.folder, "torn.html"))
    assert "torn" in err
    browser.visit(os.path.join(browser.folder, "torn.html"))
    assert any("torn" in n for n in notes(browser)) and abs(browser.run("return trammel.end") - 4.98) < 1e-9
    clean(browser)
    row = lines[700].rstrip("\n").split(",")
    holes = written(browser.folder, "nan.csv", "".join(lines[:700]) + ",".join(row[:1] + ["nan"] + row[2:]) + "\n" + "".join(lines[701:]))
    browser.visit(page(browser, scene("slider_crank_turn"), holes))
    assert any("not finite" in n for n in notes(browser)) and abs(browser.run("return trammel.runs[0].end") - 6.98) < 1e-9
    clean(browser)
    row = lines[300].rstrip("\n").split(",")
    plot = written(browser.folder, "hole.csv", "".join(lines[:300]) + ",".join(row[:-3] + ["inf"] + row[-2:]) + "\n" + "".join(lines[301:]))
    browser.visit(page(browser, scene("slider_crank_turn"), plot))
    assert any("no finite number" in n for n in notes(browser)) and browser.run("return trammel.end") == 10
    clean(browser)
    done = trammel("view", scene("pendulum"), path, "-o", os.path.join(browser.folder, "no.html"), code=1)
    assert "does not belong to this scene" in done and not os.path.exists(os.path.join(browser.folder, "no.html"))
    browser.visit(page(browser, scene("slider_crank_turn"), "--set", "l=3", path))
    assert any("is open by up to" in n and "--set" in n for n in notes(browser)), notes(browser)
    browser.visit(page(browser, path))
    assert any("Name its scene as well" in n for n in notes(browser))
    assert browser.run("return trammel.data.bodies.map(b => b.name)") == ["crank", "rod"]
    clean(browser)
    for text in ("", "x,y\n1,2\n", "t\n"):
        trammel("view", scene("pendulum"), written(browser.folder, "empty.csv", text), "-o", os.path.join(browser.folder, "no.html"), code=1)
    trammel("view", scene("pendulum"), os.path.join(browser.folder, "missing.csv"), code=5)


@case
def small_scenes(browser):
    """A run of no length, a free body, a point mass, a body at rest: a page without a complaint"""
    for dimension in (2, 3):
        origin, tip = [0] * dimension, [1] + [0] * (dimension - 1)
        body = {"name": "bar", "mass": 2, "ends": [origin, tip], **({"inertia": [0.1, 0.2, 0.2]} if dimension == 3 else {})}
        point = {"name": "p", "mass": 1, "shape": {"type": "point"}, "position": origin}
        for bodies, gravity, end in (([body], -10, 0), ([body], 0, 1), ([point], -10, 1), ([point], 0, 1)):
            text = {"dimension": dimension, "gravity": [0, gravity, 0][:dimension], "simulation": {"end": 1}, "bodies": bodies}
            name = written(browser.folder, "small.json", text)
            browser.visit(page(browser, name, *(["--end", "0"] if end == 0 else [])), still=False)
            browser.run("trammel.seek(trammel.end / 2); document.getElementById('show-velocities').click(); document.getElementById('show-names').click()")
            places = browser.run("return trammel.places()[0]")
            assert all(math.isfinite(x) for p in places for x in p), (text, places)
            clean(browser)


@case
def hostile(browser):
    """Titles and names with markup, quotes, U+FFFE and control characters are text everywhere, and run nothing"""
    for text in HOSTILE:
        data = {"title": text, "dimension": 2, "gravity": [0, -10], "simulation": {"end": 1},
                "bodies": [{"name": "bar", "mass": 2, "ends": [[0, 0], [1, 0]]}],
                "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}]}
        name = written(browser.folder, "hostile.json", data)
        browser.visit(page(browser, name))
        clean(browser)
        assert browser.one("h1").get_attribute("textContent") == text
        assert browser.run("return document.querySelectorAll('[onerror], [onload], h1 *').length") == 0
        for options in ([], ["--animate"]):
            svg = os.path.join(browser.folder, "hostile.svg")
            trammel("view", name, "-o", svg, *options)
            xml.etree.ElementTree.parse(svg)


@case
def without_webgl(browser):
    """A browser without WebGL2 shows a scene in space as a line drawing, and says so"""
    added = browser.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        const get = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind === 'webgl2' ? null : get.call(this, kind, ...rest); };"""})
    try:
        browser.visit(shipped_page(browser, "bricard"))
        assert any("line drawing" in n and "WebGL2" in n for n in notes(browser)), notes(browser)
        ink = browser.run("""trammel.seek(2); const c = document.getElementById('canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] < 120; return n""")
        assert ink > 500, ink
        clean(browser)
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})


@case
def without_three(browser):
    """The page of a program that was built without npm shows a scene in space as a line drawing, planes and plates too, and says so"""
    for name in ("rolling_disc", "flyball"):
        path = shipped_page(browser, name)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        bare = re.sub(r'<script type="text/plain" id="packed-(space|plot)">[^<]*</script>', "", text)
        browser.visit(written(browser.folder, "bare.html", bare))
        told = " ".join(notes(browser))
        assert "line drawing" in told and "without three.js" in told and browser.run("return document.getElementById('plots').textContent").count("without uPlot") == 1, told
        assert browser.run("trammel.seek(0.5); return trammel.drawing.data.lines.length + trammel.data.joints.length") > 0
        clean(browser)


# --------------------------------------------------------------------------------------- how it is used

def spatial_chain(n):
    bodies = [{"name": f"b{i}", "mass": 1, "shape": {"type": "box", "size": [0.8, 0.2, 0.2]}, "position": [i % 40, i // 40, 0],
               "velocity": [0, 0, 5], "rate": [1, 2, 0.1 * (i % 7)]} for i in range(n)]
    return {"dimension": 3, "gravity": [0, 0, -10], "bodies": bodies, "simulation": {"end": 1}}


@case
def frames(browser):
    """With 1000 bodies in space a frame takes less than 4 ms of script and at most 20 draw calls"""
    browser.visit(page(browser, written(browser.folder, "many.json", spatial_chain(1000))))
    if not browser.run("return !!trammel.solid"):
        raise tap.Skipped("built without three.js, or no WebGL2 here")
    cost, calls, instances = browser.run("""const cost = [];
        for (let i = 1; i <= 40; i++) { trammel.seek(i / 41); cost.push(trammel.cost[trammel.cost.length - 1]); }
        const info = trammel.solid.renderer.info;
        return [Math.min(...cost), info.render.calls, trammel.solid.kinds.reduce((n, k) => n + k.parts.length, 0)]""")
    assert instances >= 1000 and calls <= 20, (calls, instances)
    assert cost < 4, f"{cost} ms"


@case
def keyboard(browser):
    """Everything can be done by keys: play, step, jump, speed, what is shown, the camera"""
    browser.visit(shipped_page(browser, "bricard"))
    state = lambda: browser.run("return {t: trammel.t, playing: trammel.playing, speed: trammel.speed, azimuth: trammel.camera.azimuth, zoom: trammel.camera.zoom}")
    browser.press(" ")
    assert state()["playing"]
    browser.press(" ")
    assert not state()["playing"]
    browser.press(Keys.END)
    assert state()["t"] == browser.run("return trammel.end")
    browser.press(Keys.HOME)
    assert state()["t"] == 0
    browser.press(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_LEFT)
    assert abs(state()["t"] - browser.run("return trammel.step")) < 1e-12
    speed = state()["speed"]
    browser.press("]")
    assert state()["speed"] > speed
    browser.press("v")
    assert browser.run("return document.getElementById('show-velocities').checked")
    browser.run("document.activeElement.blur()")
    reached = []
    for _ in range(30):
        browser.press(Keys.TAB)
        reached.append(browser.run("return document.activeElement.id"))
    assert {"stage", "time", "play", "speed", "show-paths", "fit"} <= set(reached), reached
    browser.run("document.getElementById('stage').focus()")
    before = state()
    browser.press(Keys.ARROW_LEFT, "+")
    after = state()
    assert after["azimuth"] != before["azimuth"] and after["zoom"] > before["zoom"] and after["t"] == before["t"]
    clean(browser)


@case
def labels(browser):
    """Every control has a name for screen readers, and the time line says its time"""
    browser.visit(shipped_page(browser, "slider_crank_turn"))
    nameless = browser.run("""return [...document.querySelectorAll('button, input, select, [tabindex], [role=img], section')].filter(e =>
        !(e.getAttribute('aria-label') || e.labels && e.labels.length && e.labels[0].textContent.trim() || e.textContent.trim())).map(e => e.outerHTML)""")
    assert not nameless, nameless
    browser.run("trammel.seek(2.5)")
    assert browser.one("#time").get_attribute("aria-valuetext") == "2.5 s"
    assert browser.one("html").get_attribute("lang") == "en"


@case
def pointing(browser):
    """Under the pointer a joint and a body tell name and numbers"""
    browser.visit(shipped_page(browser, "slider_crank_turn"))
    for target, words in (("trammel.camera.project(trammel.runs[0].point(1, trammel.data.joints[1].at_b))", ["P: revolute of crank and rod", "force on rod"]),
                          ("trammel.places()[0][0]", ["crank", "kg", "velocity", "angle"])):
        p, box = browser.run(f"trammel.seek(1); const b = document.getElementById('stage').getBoundingClientRect(); return [{target}, [b.width, b.height]]")
        ActionChains(browser.driver).move_to_element_with_offset(browser.one("#stage"), int(p[0] - box[0] / 2), int(p[1] - box[1] / 2)).perform()
        tip = browser.one("#tip")
        assert tip.is_displayed() and all(w in tip.text for w in words), tip.text
    browser.run("document.getElementById('show-velocities').click(); document.getElementById('show-reactions').click()")
    assert re.search(r"m/s.*N", browser.one("#scale").text, re.S), browser.one("#scale").text


@case
def dark_and_print(browser):
    """In dark mode and on paper the page is there, dark and light"""
    try:
        for kind, dark in (("screen", False), ("screen", True), ("print", False)):
            browser.media(kind, dark)
            browser.visit(shipped_page(browser, "slider_crank_turn"))
            paper = browser.run("const d = document.getElementById('canvas').getContext('2d').getImageData(3, 3, 1, 1).data; return d[0]")
            assert paper < 60 if dark else paper > 200, (kind, dark, paper)
        assert not browser.one("#play").is_displayed()
    finally:
        browser.media()
    assert len(browser.driver.print_page()) > 20000
    clean(browser)


@case
def phone(browser):
    """On a phone nothing is wider than the screen, and letters stay readable"""
    browser.size(375, 700)
    try:
        browser.visit(shipped_page(browser, "bricard"))
        assert browser.run("return document.documentElement.scrollWidth") <= 375
        small = browser.run("return Math.min(...[...document.querySelectorAll('p, label, button, h1, li')].filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize)))")
        assert small >= 11, small
    finally:
        browser.size(1200, 900)


@case
def colours(browser):
    """Colours of marks and runs stay apart for the colour-blind: by lightness or hue left over in deuteranopia"""
    browser.visit(shipped_page(browser, "pendulum"))
    for theme in ("LIGHT", "DARK"):
        runs, marks = browser.run(f"return [{theme}.runs, [{theme}.singular, {theme}.worst, {theme}.redundant]]")
        for group in (runs, marks):
            seen = [deuteranope(c) for c in group]
            assert len(group) >= 3
            for i, a in enumerate(seen):
                for b in seen[:i]:
                    assert math.dist(a, b) > 0.1, (theme, group, a, b)


def deuteranope(text):
    """Linear RGB as one without green cones sees it: Vienot, Brettel & Mollon, Color Research and Application 24 (1999)."""
    rgb = [((int(text[i:i + 2], 16) / 255 + 0.055) / 1.055) ** 2.4 for i in (1, 3, 5)]
    red, green, blue = rgb
    return (0.29275 * red + 0.70725 * green, 0.29275 * red + 0.70725 * green, -0.02234 * red + 0.02234 * green + blue)


if __name__ == "__main__":
    sys.exit(run(CASES))
