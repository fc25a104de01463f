#!/usr/bin/env python3
"""The pages and moving pictures of trammel view, looked at in a browser. Prints TAP.

    tests/tools/view_test.py TRAMMEL ROOT            the claims
    tests/tools/view_test.py TRAMMEL ROOT --draw     the stored pictures anew (tests/tools/pictures)

Needs Chromium, its driver and Selenium (Debian: chromium, chromium-driver, python3-selenium); without them everything is skipped.
WebGL2 is drawn by software (SwiftShader).
"""
import base64
import csv
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
import zlib

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    ABSENT = None
except ImportError as problem:
    if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3") and os.path.exists("/usr/bin/python3") \
            and "TRAMMEL_VIEW_AGAIN" not in os.environ:
        os.environ["TRAMMEL_VIEW_AGAIN"] = "1"  # the distribution's Python may have it
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    ABSENT = f"no Selenium for Python ({problem})"

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import tap  # pylint: disable=wrong-import-position

PROGRAM, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
PICTURES = os.path.join(ROOT, "tests/tools/pictures")
CASES = []
FLAGS = ["--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
         "--disable-sync", "--hide-scrollbars", "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
         "--force-device-scale-factor=1"]
HOSTILE = ["</script><script>window.harm=1</script>", "<img src=x onerror='window.harm=2'>", "\"'&<>`", "]]></title><svg onload='window.harm=3'>",
           "&lt;b&gt;", "\u2028\u2029 \u202e gnirts", "\ufffe\uffff", "x" * 300]
SHIPPED = sorted(n[:-5] for n in os.listdir(os.path.join(ROOT, "scenes")) if n.endswith(".json") and "schema" not in n)
SMALL = 240, 160  # px, stored pictures


def case(function):
    """Its docstring is the claim; it fails by raising."""
    CASES.append(function)
    return function


def absent():
    if ABSENT:
        return ABSENT
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"no {program}"
    return None


class Browser:
    """One headless Chromium for all cases."""

    def __init__(self, folder):
        self.folder, self.number = folder, 0
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in FLAGS + [f"--user-data-dir={folder}/profile"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=webdriver.chrome.service.Service(shutil.which("chromedriver")), options=options)
        self.size(1200, 900)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def media(self, kind="", dark=False):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": kind, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def visit(self, path, still=True):
        """Opens a page from disk and waits until it is drawn; `still`: it does not start to play."""
        self.driver.get("about:blank")
        self.complaints()
        self.driver.get_log("performance")
        self.driver.get("file://" + path + ("#still" if still else ""))
        end = time.monotonic() + 60
        while time.monotonic() < end and not self.run("return !!window.trammel || !!document.querySelector('.notice')"):
            time.sleep(0.05)
        return path

    def complaints(self):
        return [entry for entry in self.driver.get_log("browser") if "favicon" not in entry["message"]]

    def requests(self):
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def run(self, script, *args):
        return self.driver.execute_script(script, *args)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()


def trammel(*args, code=0):
    done = subprocess.run([PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode == code, f"trammel {' '.join(args)}: {done.returncode}, {done.stderr.decode()}"
    return done.stderr.decode()


def scene(name):
    return os.path.join(ROOT, "scenes", name + ".json")


def page(browser, *args, name=None):
    """A new page by trammel view."""
    browser.number += 1
    path = os.path.join(browser.folder, name or f"{browser.number}.html")
    trammel("view", *args, "-o", path)
    return path


def record(browser, name, *args, file=None):
    path = os.path.join(browser.folder, file or f"{name}.csv")
    trammel("run", scene(name), "-o", path, "--quiet", *args)
    return path


def rows(path):
    with open(path, encoding="utf-8") as file:
        return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]


def written(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text if isinstance(text, str) else json.dumps(text, ensure_ascii=False))
    return path


def clean(browser):
    complaints = browser.complaints()
    assert not complaints, complaints
    assert browser.run("return window.harm") is None


def notes(browser):
    return browser.run("return [...document.querySelectorAll('.notice')].map(e => e.textContent)")


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
    browser.visit(page(browser, scene("pendulum")))
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
        worst = 0
        for row in recorded[::max(1, len(recorded) // 60)]:
            camera, places, t = browser.run("trammel.seek(arguments[0]); const c = trammel.camera;"
                                            "return [{...c}, trammel.places()[0], trammel.t]", row["t"])
            assert t == row["t"]
            for body, at in zip(bodies, places):
                x = [row[f"{body}.{axis}[m]"] for axis in "xyz" if f"{body}.{axis}[m]" in row]
                worst = max(worst, math.dist(place(camera, x + [0] * (3 - len(x))), at))
        assert 0 < worst < 1, (name, worst)


@case
def drawn_where_it_is(browser):
    """The canvas has a body's colour where the body is, and paper where nothing is"""
    browser.visit(page(browser, scene("slider_crank_turn")))
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
    with open(scene("planetary_gear"), encoding="utf-8") as file:
        radii = [r for c in json.load(file)["constraints"] for r in c.get("radii", [])]
    browser.visit(page(browser, scene("planetary_gear")))
    ring = browser.run("return Math.max(...trammel.data.gears.flatMap(g => [g.circles[2], g.circles[5]]))")
    on, off = browser.run(ink, [x for x in around(ring) if abs(x[0]) < 0.6 * ring], [0, 14])
    assert len(radii) >= 4 and on > 20 and off == 0, (on, off)  # chain lines: most of them
    browser.visit(page(browser, scene("bouncing_ball")))
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


def until(browser, condition, seconds=60):
    """Waits for a condition of the page, on however slow a machine; fails when it does not come."""
    end = time.monotonic() + seconds
    while not browser.run(f"return !!({condition})"):
        assert time.monotonic() < end, f"never: {condition}"
        time.sleep(0.05)


@case
def playing(browser):
    """Playing lets time go on, loops, and moves what is drawn; pausing stops it"""
    browser.visit(page(browser, scene("pendulum")), still=False)
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
        # what b does to a is lambda: docs/recordings.md
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
    browser.visit(page(browser, scene("slider_crank_turn")))
    assert browser.run("return document.getElementById('forces-label').hidden")


@case
def cursor(browser):
    """The plots' cursor stands at the time; a click on a plot goes to its time"""
    browser.visit(page(browser, scene("slider_crank_turn")))
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
    browser.visit(page(browser, scene("slider_crank_turn")))
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
    path = os.path.join(browser.folder, name + ".html")
    trammel("view", scene(name), "-o", path)
    browser.visit(path)
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
    """Every shipped scene looks as in its stored picture"""
    for name in SHIPPED:
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
    assert len(names) >= 10 and all(f"gallery/{n}" in text and f"scenes/{n[:-4]}.json" in text for n in names)
    for name in names:
        path = os.path.join(folder, name)
        assert os.path.getsize(path) < 64000, name
        tree = xml.etree.ElementTree.parse(path).getroot()
        tags = [e.tag.split("}")[1] for e in tree.iter()]
        moves = [e for e in tree.iter() if e.tag.endswith("}animate")]
        assert "script" not in tags and moves, name
        counts = {len(e.get("values").split(";")) for e in moves}
        assert len(counts) == 1 and counts.pop() >= 30, name
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
        browser.visit(page(browser, scene("bricard")))
        assert any("line drawing" in n and "WebGL2" in n for n in notes(browser)), notes(browser)
        ink = browser.run("""trammel.seek(2); const c = document.getElementById('canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] < 120; return n""")
        assert ink > 500, ink
        clean(browser)
    finally:
        browser.driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": added["identifier"]})


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
    browser.visit(page(browser, scene("bricard")))
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
    browser.visit(page(browser, scene("slider_crank_turn")))
    nameless = browser.run("""return [...document.querySelectorAll('button, input, select, [tabindex], [role=img], section')].filter(e =>
        !(e.getAttribute('aria-label') || e.labels && e.labels.length && e.labels[0].textContent.trim() || e.textContent.trim())).map(e => e.outerHTML)""")
    assert not nameless, nameless
    browser.run("trammel.seek(2.5)")
    assert browser.one("#time").get_attribute("aria-valuetext") == "2.5 s"
    assert browser.one("html").get_attribute("lang") == "en"


@case
def pointing(browser):
    """Under the pointer a joint and a body tell name and numbers"""
    browser.visit(page(browser, scene("slider_crank_turn")))
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
            browser.visit(page(browser, scene("slider_crank_turn")))
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
        browser.visit(page(browser, scene("bricard")))
        assert browser.run("return document.documentElement.scrollWidth") <= 375
        small = browser.run("return Math.min(...[...document.querySelectorAll('p, label, button, h1, li')].filter(e => e.textContent).map(e => parseFloat(getComputedStyle(e).fontSize)))")
        assert small >= 11, small
    finally:
        browser.size(1200, 900)


@case
def colours(browser):
    """Colours of marks and runs stay apart for the colour-blind: by lightness or hue left over in deuteranopia"""
    browser.visit(page(browser, scene("pendulum")))
    for theme in ("LIGHT", "DARK"):
        runs, marks = browser.run(f"return [{theme}.runs.slice(0, 4), [{theme}.singular, {theme}.worst, {theme}.redundant]]")
        for group in (runs, marks):
            seen = [deuteranope(c) for c in group]
            for i, a in enumerate(seen):
                for b in seen[:i]:
                    assert math.dist(a, b) > 0.1, (theme, group, a, b)


def deuteranope(text):
    """Linear RGB as one without green cones sees it: Vienot, Brettel & Mollon, Color Research and Application 24 (1999)."""
    rgb = [((int(text[i:i + 2], 16) / 255 + 0.055) / 1.055) ** 2.4 for i in (1, 3, 5)]
    red, green, blue = rgb
    return (0.29275 * red + 0.70725 * green, 0.29275 * red + 0.70725 * green, -0.02234 * red + 0.02234 * green + blue)


def draw_stored(browser):
    os.makedirs(PICTURES, exist_ok=True)
    for name in SHIPPED:
        with open(os.path.join(PICTURES, name + ".png"), "wb") as file:
            file.write(small_picture(browser, name))
    return 0


def main():
    reason = absent()
    if reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="trammel-view-", ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        failed = draw_stored(browser) if "--draw" in sys.argv else tap.run(CASES, browser)
        browser.driver.quit()
    return failed


if __name__ == "__main__":
    sys.exit(main())
