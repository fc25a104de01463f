#!/usr/bin/env python3
"""trammel sweep --report: its numbers against closed forms, its page in a browser. Prints TAP.

    tests/tools/sweep/sweep_report_test.py TRAMMEL ROOT

The page is looked at where there are Chromium, its driver and Selenium; those cases are skipped without them.
"""
import html
import json
import math
import os
import re
import statistics
import subprocess
import sys

import page_browser
from tap import CASES, case
import tap

PROGRAM, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
PI = math.pi


def sweep(*args, code=0, says=""):
    done = subprocess.run([PROGRAM, "sweep", *args], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=tap.PATIENCE)
    assert done.returncode == code and says in done.stderr, (done.returncode, done.stderr, done.stdout)
    return done


def write(name, content):
    with open(name, "w", encoding="utf-8") as file:
        file.write(content if isinstance(content, str) else json.dumps(content, ensure_ascii=False))
    return name


def data_of(page):
    with open(page, encoding="utf-8") as file:
        return json.loads(re.search(r'id="data">(.*?)</script>', file.read(), re.S).group(1))


def near(found, wanted, tolerance):
    assert abs(found - wanted) <= tolerance, f"{found} is not {wanted} to {tolerance}"


def formula(text, names, title="A formula"):
    """A scene that does not move: a point whose place is a formula of the parameters."""
    return {"title": title, "dimension": 2, "parameters": {name: 0 for name in names}, "simulation": {"end": 1},
            "bodies": [{"name": "f", "shape": {"type": "point"}, "mass": 1, "position": [text, 0]}]}


ISHIGAMI = formula("sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)", ["x1", "x2", "x3"])
CUBE = [word for i in (1, 2, 3) for word in ("--set", f"x{i}=uniform:-pi:pi")]
STILL = ["--end", "0", "--outputs", "f.x"]
# Ishigami & Homma, Proc. ISUMA (1990); shares of the variance by integration, a = 7, b = 0.1.
V1, V2, V13 = (1 + 0.1 * PI ** 4 / 5) ** 2 / 2, 49 / 8, 0.01 * PI ** 8 * (1 / 18 - 1 / 50)
VARIANCE = V1 + V2 + V13


# ----------------------------------------------------------------------------------- sensitivity

@case
def ishigami_by_saltelli():
    """Sobol indices of Ishigami's function have two digits: shares of 1, errors below 0.005; mean and deviation too"""
    write("s.json", ISHIGAMI)
    sweep("s.json", *CUBE, "--design", "sobol", "--runs", "16384", *STILL, "-o", "a.csv", "--report", "a.html")
    data = data_of("a.html")
    assert data["sensitivity"] == "sobol" and data["runs"] == 5 * 16384 and data["effects"][0]["rows"] == 16384
    first, total = [V1 / VARIANCE, V2 / VARIANCE, 0], [(V1 + V13) / VARIANCE, V2 / VARIANCE, V13 / VARIANCE]
    for found, alone, both in zip(data["effects"][0]["parameters"], first, total):
        near(found["first"], alone, 0.005), near(found["total"], both, 0.005)
        assert abs(found["first"] - alone) < 2 * found["first_error"] and 0 < found["total_error"] < 0.02
    output = data["columns"][-1]
    near(output["mean"], 3.5, 0.01), near(output["deviation"], math.sqrt(VARIANCE), 0.01)
    assert output["n"] == 2 * 16384
    stages = data["effects"][0]["convergence"]
    assert stages[-1][0] == 16384 and stages[0][0] == 8 and all(len(stage) == 7 for stage in stages)
    near(stages[-1][1], data["effects"][0]["parameters"][0]["first"], 1e-5)


def exact_effects(function, k):
    """Morris on the grid itself: every elementary effect of the uniform grid of four levels, once -> mu*, mu."""
    grid, found = [-PI, -PI / 3, PI / 3, PI], []
    for i in range(k):
        effects = []
        for point in range(4 ** k):
            x = [grid[point // 4 ** j % 4] for j in range(k)]
            if point // 4 ** i % 4 < 2:
                y = x[:]
                y[i] = grid[point // 4 ** i % 4 + 2]
                effects.append((function(y) - function(x)) * 3 / 2)
        found.append((statistics.fmean(map(abs, effects)), statistics.fmean(effects), statistics.pstdev(effects)))
    return found


@case
def ishigami_by_morris():
    """Elementary effects of Ishigami's function are those of the whole grid, within four standard errors"""
    write("s.json", ISHIGAMI)
    trajectories = 4000
    sweep("s.json", *CUBE, "--design", "morris", "--runs", str(trajectories), *STILL, "-o", "a.csv", "--report", "a.html")
    data = data_of("a.html")
    wanted = exact_effects(lambda x: math.sin(x[0]) + 7 * math.sin(x[1]) ** 2 + 0.1 * x[2] ** 4 * math.sin(x[0]), 3)
    assert data["sensitivity"] == "morris" and data["effects"][0]["rows"] == trajectories
    for found, (size, mean, deviation) in zip(data["effects"][0]["parameters"], wanted):
        error = 4 * deviation / math.sqrt(trajectories)
        near(found["mu_star"], size, error), near(found["mu"], mean, error)
        near(found["sigma"], deviation, 0.05 * deviation)


@case
def a_linear_output():
    """Of 2 a + 3 b, a normal, b uniform: shares 4 to 9/12, no difference of first and total; effects 2 sqrt(12) and 3"""
    write("s.json", formula("2*a + 3*b", ["a", "b", "idle"]))
    laws = ["--set", "a=normal:5:1", "--set", "b=uniform:0:1", "--set", "idle=uniform:0:1"]
    sweep("s.json", *laws, "--design", "sobol", "--runs", "4096", *STILL, "-o", "a.csv", "--report", "a.html")
    a, b, idle = data_of("a.html")["effects"][0]["parameters"]
    share = 4 / (4 + 9 / 12)
    for found, wanted in ((a, share), (b, 1 - share), (idle, 0)):
        near(found["first"], wanted, 0.02), near(found["total"], wanted, 0.02)
    assert idle["total"] == 0
    sweep("s.json", *laws, "--design", "morris", "--runs", "10", *STILL, "-o", "b.csv", "--report", "b.html")
    for found, wanted in zip(data_of("b.html")["effects"][0]["parameters"], (2 * math.sqrt(12), 3, 0)):
        near(found["mu_star"], wanted, 1e-9), near(found["mu"], wanted, 1e-9), near(found["sigma"], 0, 1e-9)


@case
def designs_belong_to_the_index():
    """More rows begin with those there were; the bytes do not depend on -j; A, B and the mixed rows are what they should be"""
    write("s.json", ISHIGAMI)
    tables = {}
    for design, block in (("sobol", 5), ("morris", 4)):
        for name, runs, more in (("few", 8, []), ("many", 16, []), ("one", 16, ["-j", "1"]), ("other", 16, ["--seed", "1"])):
            sweep("s.json", *CUBE, "--design", design, "--runs", str(runs), *STILL, *more, "-o", f"{design}-{name}.csv")
            with open(f"{design}-{name}.csv", encoding="utf-8") as file:
                tables[name] = file.read().splitlines()
        assert tables["many"] == tables["one"] != tables["other"]
        assert tables["few"] == tables["many"][:8 * block + 1] and len(tables["many"]) == 16 * block + 1
        rows = [[float(x) for x in line.split(",")[3:6]] for line in tables["many"][1:]]
        for j in range(16):
            own = rows[j * block:(j + 1) * block]
            if design == "sobol":
                for i in range(3):
                    assert own[2 + i] == [own[k == i][k] for k in range(3)], (j, i)
            else:
                moves = [[abs(q - p) for p, q in zip(one, two)] for one, two in zip(own, own[1:])]
                for move in moves:
                    assert sorted(move)[:2] == [0, 0] and abs(max(move) - 4 * PI / 3) < 1e-12, move
                assert sorted(move.index(max(move)) for move in moves) == [0, 1, 2]


@case
def rank_correlation():
    """Without a design: Spearman's correlation, 1 for any rising curve, of ties as by hand"""
    write("s.json", formula("exp(3*a) - 1e-9*b", ["a", "b"]))
    write("x.csv", "a,b\n" + "".join(f"{a},{b}\n" for a, b in ((0, 3), (1, 1), (2, 2), (3, 2), (4, 0))))
    sweep("s.json", "--samples", "x.csv", *STILL, "-o", "a.csv", "--report", "a.html")
    a, b = data_of("a.html")["effects"][0]["parameters"]
    near(a["rank"], 1, 1e-12)
    x, y = [1, 2, 3, 4, 5], [5, 2, 3.5, 3.5, 1]
    near(b["rank"], statistics.correlation(x, y) if hasattr(statistics, "correlation") else -0.7181848464596079, 1e-12)


# ------------------------------------------------------------------------------------ statistics

@case
def statistics_of_a_table():
    """Mean, deviation and quantiles are those of Python's statistics; every run is in one bin"""
    write("s.json", formula("a^2", ["a"]))
    sweep("s.json", "--set", "a=normal:1:2", "--runs", "501", *STILL, "-o", "a.csv", "--report", "a.html")
    with open("a.csv", encoding="utf-8") as file:
        y = [float(line.split(",")[4]) for line in file.read().splitlines()[1:]]
    data = data_of("a.html")
    output = data["columns"][1]
    cuts = statistics.quantiles(y, n=20, method="inclusive")
    wanted = [min(y), cuts[0], cuts[4], cuts[9], cuts[14], cuts[18], max(y)]
    for found, value in zip(output["quantiles"], wanted):
        near(found, value, 1e-12 * (1 + value))
    near(output["mean"], statistics.fmean(y), 1e-12), near(output["deviation"], statistics.stdev(y), 1e-12)
    assert output["n"] == 501 == sum(output["bins"]) and output["name"] == "f.x" and output["unit"] == "m"
    last = data["running"][0][-1]
    assert last[0] == last[3] == 501
    near(last[1], statistics.fmean(y), 1e-12)


FLIGHT = {"dimension": 2, "parameters": {"w": 3}, "gravity": [0, -10], "simulation": {"end": 1},
          "bodies": [{"name": "ball", "shape": {"type": "point"}, "mass": 1, "position": [0, 0], "velocity": [1, "w"]}],
          "markers": [{"name": "p", "body": "ball", "at": [0, 0]}]}


@case
def envelopes():
    """Bands over time are quantiles of w t - 5 t^2, of recordings and of columns at times; runs that end early leave them"""
    write("s.json", FLIGHT)
    grid = ["--set", "w=0:20:21"]  # the quantiles of w: 0, 1, 5, 10, 15, 19, 20
    sweep("s.json", *grid, "--outputs", "ball.y,max(ball.y)", "--recordings", "rec", "--every", "0.005", "-o", "a.csv", "--report", "a.html")
    times = [0, 0.25, 0.5, 0.75, 1]
    sweep("s.json", *grid, "--outputs", ",".join(f"ball.y@{t}" for t in reversed(times)), "-o", "b.csv", "--report", "b.html")
    for page, n in (("a.html", 201), ("b.html", 5)):
        data = data_of(page)
        (band,) = data["envelopes"]
        assert band["name"] == "ball.y" and band["unit"] == "m" and len(band["bands"]) == n
        for t, runs, *found in band["bands"]:
            assert runs == 21
            for value, w in zip(found, (0, 1, 5, 10, 15, 19, 20)):
                near(value, w * t - 5 * t * t, 1e-4 * (1 + abs(value)))  # five digits are written
    assert data_of("a.html")["recordings"] == 21
    os.remove("rec/3.csv")
    sweep("--merge", "-o", "a.csv", "--report", "a.html")
    assert data_of("a.html")["recordings"] == 20 and data_of("a.html")["recordings_missing"] == 1
    sweep("s.json", *grid, "--until", "p.y < -0.45", "--outputs", "ball.y", "--recordings", "short", "--every", "0.005", "-o", "c.csv", "--report", "c.html")
    counts = [row[1] for row in data_of("c.html")["envelopes"][0]["bands"]]  # w t - 5 t^2 < -0.45 at 0.3 s for w = 0
    assert counts[0] == 21 and counts[59] == 21 and counts[61] == 20 and counts == sorted(counts, reverse=True)


@case
def parts_have_one_report():
    """The report of merged parts is that of the whole"""
    write("s.json", ISHIGAMI)
    base = ["s.json", *CUBE, "--design", "sobol", "--runs", "20", *STILL]
    sweep(*base, "-o", "a.csv", "--report", "a.html")
    os.mkdir("parts")
    for i in (1, 2, 3):
        sweep(*base, "-o", "parts/a.csv", "--shard", f"{i}/3")
    sweep("--merge", "-o", "parts/a.csv", "--report", "b.html")
    whole, merged = data_of("a.html"), data_of("b.html")
    for data in (whole, merged):
        data.pop("command")
    assert whole == merged


@case
def failed_runs():
    """Failed runs are named and left out, of a design with their row; without any that is done there is a page all the same"""
    write("s.json", {**ISHIGAMI, "bodies": [{**ISHIGAMI["bodies"][0], "mass": "0.5 - x1"}]})
    sweep("s.json", *CUBE, "--design", "sobol", "--runs", "200", *STILL, "-o", "a.csv", "--report", "a.html", code=4)
    data = data_of("a.html")
    done, scene = data["states"]
    assert done["name"] == "done" and scene["name"] == "scene" and done["runs"] + scene["runs"] == 1000 and "mass" in scene["reason"]
    with open("a.csv", encoding="utf-8") as file:
        states = [line.split(",")[1] for line in file.read().splitlines()[1:]]
    assert data["effects"][0]["rows"] == sum(set(states[5 * j:5 * j + 5]) == {"done"} for j in range(200))
    write("s.json", {**ISHIGAMI, "bodies": [{**ISHIGAMI["bodies"][0], "mass": "0.5 - 1e9*x1^2"}]})
    sweep("s.json", *CUBE, "--runs", "9", *STILL, "-o", "b.csv", "--report", "b.html", code=4)
    assert data_of("b.html")["states"][0]["runs"] == 0
    write("s.json", ISHIGAMI)
    sweep("s.json", "--set", "x1=1,1", *STILL, "-o", "c.csv", "--report", "c.html")  # nothing varies
    assert data_of("c.html")["effects"][0]["parameters"] == [{"rank": None}]


@case
def budget():
    """A run that takes longer than its budget is a row with that reason; the others go on"""
    write("s.json", {**FLIGHT, "parameters": {"w": 3, "k": 1}, "markers": [{"name": "p", "body": "ball", "at": [0, 0]}],
                     "forces": [{"type": "force", "name": "spring", "marker": "p", "value": ["-k*p.x", 0]}]})
    done = sweep("s.json", "--set", "k=1,1e14,4", "--budget", "0.5", "--end", "2", "--outputs", "ball.x", "-o", "a.csv", code=4)
    assert "3 of 3 runs, 1 failed" in done.stdout
    with open("a.csv", encoding="utf-8") as file:
        rows = [line.split(",") for line in file.read().splitlines()[1:]]
    assert [row[1] for row in rows] == ["done", "budget", "done"] and "budget of 0.5 s" in rows[1][-1], rows


@case
def refusals():
    """What cannot be is a sentence before the first run"""
    write("s.json", ISHIGAMI)
    base = ["s.json", *STILL, "-o", "bad.csv"]
    for more, says in ((["--set", "x1=0:1:3", "--design", "sobol", "--runs", "4"], "goes with draws"),
                       ([*CUBE, "--design", "sobol"], "needs --runs"),
                       ([*CUBE, "--design", "morris", "--runs", "1"], "4 runs each"),
                       ([*CUBE, "--design", "sobol", "--runs", "4", "--latin"], "without --latin"),
                       ([*CUBE, "--design", "sobel", "--runs", "4"], "expected one of plain|sobol|morris"),
                       ([*CUBE, "--design", "sobol", "--runs", "1e9"], "100000000 runs"),
                       ([*CUBE, "--report", "x.pdf"], ".html"),
                       ([*CUBE, "--report", "s.json"], ".html"),
                       ([*CUBE, "--report", "none/x.html"], "none"),
                       ([*CUBE, "--report", "x.html", "--shard", "1/2"], "--merge"),
                       ([*CUBE, "--budget", "0"], "must be > 0")):
        done = subprocess.run([PROGRAM, "sweep", *base, *more], capture_output=True, text=True, check=False)
        assert done.returncode in (1, 5) and says in done.stderr, (more, done.stderr)
        assert not os.path.exists("bad.csv") and not os.path.exists("bad.csv.log"), more
    many = formula("x0", [f"x{i}" for i in range(33)])
    write("s.json", many)
    sweep(*base, *[w for i in range(33) for w in ("--set", f"x{i}=uniform:0:1")], "--design", "sobol", "--runs", "4", code=1, says="32 at most")
    sweep("--merge", "-o", "none.csv", "--report", "x.html", code=5, says="no log")


# -------------------------------------------------------------------------------------- the page

def pages():
    """Pages of all kinds -> names."""
    write("s.json", ISHIGAMI)
    write("fly.json", FLIGHT)
    sweep("s.json", *CUBE, "--design", "sobol", "--runs", "200", *STILL, "-o", "sobol.csv", "--report", "sobol.html")
    sweep("s.json", *CUBE, "--design", "morris", "--runs", "20", *STILL, "-o", "morris.csv", "--report", "morris.html")
    sweep("fly.json", "--set", "w=1:9:30", "--outputs", "ball.y,ball.x,max(ball.y),tmax(ball.y),run.steps", "--recordings", "rec", "-o", "fly.csv", "--report", "fly.html")
    write("f.json", {**ISHIGAMI, "bodies": [{**ISHIGAMI["bodies"][0], "mass": "0.5 - 1e9*x1^2"}]})
    sweep("f.json", *CUBE, "--runs", "9", *STILL, "-o", "failed.csv", "--report", "failed.html", code=4)
    return ["sobol.html", "morris.html", "fly.html", "failed.html"]


@case
def in_a_browser():
    """Pages open from disk without a message or a request, on paper, in the dark and on a phone; keys reach all; texts are text"""
    names = pages()
    hostile = "</script><script>window.harm=1</script><img src=x onerror='window.harm=2'>\u2028\ufffe"
    write("h.json", {**formula("a", ["a"], hostile)})
    sweep("h.json", "--set", "a=1:2:5", *STILL, "-o", "h.csv", "--report", "h.html")
    with page_browser.Browser(os.getcwd()) as browser:
        for name in names + ["h.html"]:
            path = browser.visit(os.path.abspath(name))
            assert not browser.complaints(), (name, browser.complaints())
            assert browser.requests() == ["file://" + path], name
            assert browser.run("return window.harm") is None
            unnamed = browser.run("return [...document.querySelectorAll('svg[role=img]')].filter(e => !e.getAttribute('aria-label')).length")
            assert unnamed == 0 and browser.run("return document.body.textContent.includes('NaN') || document.body.innerHTML.includes('NaN')") is False, name
        title = browser.run("return document.getElementById('title').textContent")
        assert title.startswith("</script><script>"), html.escape(title)
        browser.visit(os.path.abspath("sobol.html"))
        bars = browser.run("return [...document.querySelectorAll('#effects .bar')].length")
        shown = browser.run("return [...document.querySelectorAll('#effects-table td')].map(e => e.textContent)")
        found = data_of("sobol.html")["effects"][0]["parameters"]
        assert bars == 6 and f"{found[1]['first']:.3f}" in shown and f"{found[2]['total']:.3f}" in shown, (bars, shown)
        browser.visit(os.path.abspath("fly.html"))
        count = lambda selector: browser.run("return document.querySelectorAll(arguments[0]).length", selector)
        assert count("#envelopes .band") == 6 and count("#histograms figure") == 6 and count("#scatter .dots") == 6
        browser.run("document.querySelector('#scatter-columns input').focus()")
        browser.press(" ")
        assert count("#scatter .dots") == 3
        for width in (375, 1200):
            browser.size(width, 800)
            for name in names:
                browser.visit(os.path.abspath(name))
                assert browser.run("return document.documentElement.scrollWidth") <= width, (name, width)
        browser.media("screen", dark=True)
        browser.visit(os.path.abspath("fly.html"))
        assert browser.run("return getComputedStyle(document.documentElement).backgroundColor") == "rgb(20, 23, 26)"
        browser.media()
        assert browser.printed() > 20000


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
