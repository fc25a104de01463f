#!/usr/bin/env python3
"""The report of trammel compare, looked at in a browser. Prints TAP.

    tests/tools/report_test.py TRAMMEL WRITE_REPORT ROOT

TRAMMEL is the program; WRITE_REPORT puts JSON from its standard input into the page. Needs Chromium, its
driver and Selenium (Debian: chromium, chromium-driver, python3-selenium); without them everything
is skipped, and the reason said.
"""
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    ABSENT = None
except ImportError as problem:
    if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3") and os.path.exists("/usr/bin/python3") \
            and "TRAMMEL_REPORT_AGAIN" not in os.environ:
        os.environ["TRAMMEL_REPORT_AGAIN"] = "1"  # the distribution's Python may have it
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    ABSENT = f"no Selenium for Python ({problem})"

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import report_sample  # pylint: disable=wrong-import-position
import tap  # pylint: disable=wrong-import-position

PROGRAM, WRITER, ROOT = (os.path.abspath(path) for path in sys.argv[1:4])
CASES = []
HOSTILE = ["</script><script>window.harm=1</script>", "<img src=x onerror=\"window.harm=2\">", "<!--<script>", "\"'&<>`",
           "]]></title><svg onload='window.harm=3'>", "&lt;b&gt;", "\u2028\u2029 \u202e gnirts", "javascript:window.harm=4", "x" * 3000]
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync", "--hide-scrollbars",
         "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--force-device-scale-factor=1"]


def case(function):
    """Its docstring is the claim; it fails by raising."""
    CASES.append(function)
    return function


def absent():
    """Why there is no browser, or None."""
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
        service = webdriver.chrome.service.Service(shutil.which("chromedriver"))
        self.driver = webdriver.Chrome(service=service, options=options)
        self.size(1200, 900)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def media(self, kind="", dark=False):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": kind, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def open(self, data):
        """The page with these data (JSON text or what becomes it), from disk."""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        self.number += 1
        path = os.path.join(self.folder, f"{self.number}.html")
        with open(path, "wb") as file:
            subprocess.run([WRITER], input=text.encode(), stdout=file, check=True)
        return self.visit(path)

    def visit(self, path):
        self.complaints()
        self.driver.get_log("performance")
        self.driver.get("file://" + path)
        return path

    def complaints(self):
        return [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses of everything asked for since the page was opened."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def run(self, script, *args):
        return self.driver.execute_script(script, *args)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def picture(self):
        """Width, height and grey values of a screenshot (PNG, read without any library)."""
        return read_png(self.driver.get_screenshot_as_png())


def read_png(data):
    """8-bit RGB or RGBA, not interlaced -> width, height, rows of mean grey values."""
    import struct
    import zlib
    stream, packed = io.BytesIO(data[8:]), b""
    while True:
        length, kind = struct.unpack(">I4s", stream.read(8))
        chunk = stream.read(length)
        stream.read(4)
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and colour in (2, 6)
        packed += chunk if kind == b"IDAT" else b""
        if kind == b"IEND":
            break
    n, raw = 3 if colour == 2 else 4, zlib.decompress(packed)
    lines, before = [], bytearray(width * n)
    for y in range(height):
        start = y * (width * n + 1)
        line = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + width * n]), before, n)
        lines.append([sum(line[i:i + 3]) / 3 for i in range(0, width * n, n)])
        before = line
    return width, height, lines


def unfilter(kind, line, above, n):
    for i, byte in enumerate(line):
        a = line[i - n] if i >= n else 0
        b, c = above[i], above[i - n] if i >= n else 0
        nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
        line[i] = (byte + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
    return line


def reach(row, path):
    for key in path.split("."):
        row = row[key]
    return row


def shown(x, key):
    """As the page writes it: three digits, or whole."""
    if key in ("cpu_s", "cpu_min_s", "cpu_max_s"):
        return float(f"{x:.2e}")
    if key in ("branch_changes", "steps", "rejected", "repeats", "peak_memory_kb") or key.startswith("evaluations"):
        return float(x)
    return float(f"{x:.2e}")


def clean(browser):
    complaints = browser.complaints()
    assert not complaints, complaints
    assert browser.run("return window.harm") is None


# --------------------------------------------------------------------------------------- the file

@case
def opens(browser):
    """It opens from file:// without a complaint, and nothing is asked for but the file itself"""
    path = browser.open(report_sample.comparison())
    clean(browser)
    asked = [url for url in browser.requests() if not url.startswith("data:")]
    assert asked == ["file://" + path], asked
    entries = browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert all(name.startswith("data:") for name in entries), entries


@case
def size(browser):
    """Without data it is less than 1 MB, names no address, and may load nothing by its own policy"""
    path = browser.open({"rows": []})
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert len(text) < 1e6, len(text)
    assert set(re.findall(r"https?://[^\"'\s)]*", text)) <= {"http://www.w3.org/2000/svg"}, "an address"
    policy = browser.one("meta[http-equiv]").get_attribute("content")
    assert policy.startswith("default-src 'none'; img-src data:;") and "unsafe" not in policy, policy


@case
def policy_holds(browser):
    """The policy stops a script that is not ours"""
    browser.open(report_sample.comparison())
    browser.run("const s = document.createElement('script'); s.textContent = 'window.harm = 9'; document.body.append(s)")
    assert browser.run("return window.harm") is None
    assert any("Content Security Policy" in entry["message"] for entry in browser.complaints())


# ------------------------------------------------------------------------------------ the numbers

def check_numbers(browser, data):
    rows = {index: row for index, row in enumerate(data["rows"])}
    cells = browser.run("""return [...document.querySelectorAll('td[data-key][data-value]')].map(cell =>
        [Number(cell.parentNode.dataset.row), cell.dataset.key, cell.dataset.value, cell.textContent])""")
    seen = {}
    for index, key, value, text in cells:
        expected = reach(rows[index], key)
        assert float(value) == expected, (index, key, value, expected)
        if key != "t_failed":
            number = float(re.sub(r"\s", "", text))
            assert abs(number - shown(expected, key)) <= 0.0051 * abs(expected), (key, text, expected)
        seen[(index, key)] = True
    for index, row in rows.items():
        if row["status"] != "done":
            continue
        for key in ("error", "position_drift", "velocity_drift", "energy_error", "branch_changes", "steps", "cpu_s"):
            assert row[key] is None or (index, key) in seen, f"row {index}: {key} is not on the page"
    return len(cells)


@case
def numbers(browser):
    """Every number of the table is the one of the JSON, and the JSON in the page is the one given, to the bit"""
    data = report_sample.comparison()
    browser.open(data)
    assert json.loads(browser.run("return document.getElementById('data').textContent")) == data
    assert check_numbers(browser, data) > 68 * 8


@case
def numbers_at_the_edge(browser):
    """So are very small, very large, zero, negative and missing numbers"""
    data = report_sample.comparison(per_pair=2)
    values = [0.0, 5e-324, 1.25e300, -1.25e-7, None, 9.995e-5, 123456.7, 0.1 + 0.2]
    for i, row in enumerate(data["rows"]):
        for k, key in enumerate(("error", "position_drift", "velocity_drift", "energy_error", "cpu_s", "cpu_min_s")):
            row[key] = values[(i + k) % len(values)]
    browser.open(data)
    clean(browser)
    check_numbers(browser, data)


@case
def head(browser):
    """Title, scene, recommendations with method and sentence, command, versions and reference are on the page"""
    data = report_sample.comparison()
    browser.open(data)
    assert browser.one("#warnings details").get_attribute("open")
    text = browser.run("return document.body.innerText")
    for piece in (data["title"], data["scene"], data["command"], data["reference"]["method"], data["reference"]["partner"],
                  data["warnings"][0]["sentence"], "0.1.0"):
        assert piece in text, piece
    picks = browser.texts(".advice")
    assert len(picks) == 3
    for pick, advice in zip(picks, data["recommendations"]):
        assert advice["sentence"] in pick
        if advice["row"] is not None:
            row = next(row for row in data["rows"] if row["id"] == advice["row"])
            assert f"{row['integrator']} + {row['stabilization']}" in pick
    assert browser.run("return document.querySelector('#picture img').naturalWidth") == 960


@case
def advice_is_large(browser):
    """The recommendation comes first and is set in the largest type after the title"""
    browser.open(report_sample.comparison())
    sizes = browser.run("""return ['.advice .pick', 'h2', 'td', 'h1'].map(s => parseFloat(getComputedStyle(document.querySelector(s)).fontSize))""")
    assert sizes[0] > sizes[1] > sizes[2] and sizes[0] > 1.8 * sizes[2], sizes
    order = browser.run("return ['.advice', '#work', '#history', '#rows'].map(s => document.querySelector(s).getBoundingClientRect().top)")
    assert order == sorted(order), order


# -------------------------------------------------------------------------------------- the table

def column(browser, key):
    return browser.run("""return [...document.querySelectorAll('#rows tbody tr')].map(row => {
        const cell = row.querySelector(`[data-key="${arguments[0]}"]`);
        return cell ? Number(cell.dataset.value) : null; })""", key)


def header(browser, name):
    found = [cell for cell in browser.all("#rows thead th[aria-sort]") if cell.text.split("\n")[0].strip(" ↑↓") == name]
    assert len(found) == 1, f"{name}: {[c.text for c in browser.all('#rows thead th')]}"
    return found[0]


def in_order(values, reverse=False):
    there = [v for v in values if v is not None]
    return values == sorted(there, reverse=reverse) + [None] * (len(values) - len(there))


@case
def sorts(browser):
    """A click on a header sorts upwards, another one downwards; aria-sort says so; missing values are last"""
    data = report_sample.comparison()
    for index in (3, 20, 44):
        data["rows"][index]["energy_error"] = None
    browser.open(data)
    for name, key in (("CPU time", "cpu_s"), ("Error", "error"), ("Energy error", "energy_error"), ("Steps", "steps")):
        assert not in_order(column(browser, key))
        cell = header(browser, name)
        for state in ("ascending", "descending", "ascending"):
            cell.find_element(By.TAG_NAME, "button").click()
            assert cell.get_attribute("aria-sort") == state
            assert in_order(column(browser, key), state == "descending"), f"{name} {state}"
        assert len(browser.all("#rows th[aria-sort=ascending], #rows th[aria-sort=descending]")) == 1
    header(browser, "Method").find_element(By.TAG_NAME, "button").click()
    names = browser.run("return [...document.querySelectorAll('#rows tbody th')].map(e => e.firstChild.textContent)")
    assert names == sorted(names)
    clean(browser)


@case
def sorts_by_keyboard(browser):
    """Headers are reached with Tab and work with Enter and Space"""
    browser.open(report_sample.comparison())
    browser.run("document.getElementById('more').focus()")
    for _ in range(30):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        if browser.run("return document.activeElement.textContent").startswith("Error"):
            break
    cell = header(browser, "Error")
    ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
    assert cell.get_attribute("aria-sort") == "ascending" and in_order(column(browser, "error"))
    ActionChains(browser.driver).send_keys(Keys.SPACE).perform()
    assert cell.get_attribute("aria-sort") == "descending" and in_order(column(browser, "error"), True)


@case
def more_columns(browser):
    """A button shows the columns that are too many for the first look"""
    browser.open(report_sample.comparison())
    few = sum(cell.is_displayed() for cell in browser.all("#rows thead th"))
    browser.one("#more").click()
    many = sum(cell.is_displayed() for cell in browser.all("#rows thead th"))
    assert "alpha1 20, alpha0 100" in browser.texts("#rows tbody td.more")
    assert many > few + 5 and browser.one("#more").get_attribute("aria-pressed") == "true", (few, many)


@case
def failures(browser):
    """What failed is listed with method, time, place and the whole reason; it is not among the runs that finished"""
    data = report_sample.comparison()
    data["rows"][-1]["reason"] = "the step fell below its limit " * 40
    browser.open(data)
    listed = browser.texts("#failed tbody tr")
    assert len(listed) == 2 and browser.one("#failed-section").is_displayed()
    for text, row in zip(listed, data["rows"][-2:]):
        for piece in (row["integrator"], row["stabilization"], row["reason"], row["where"] or "–"):
            assert piece in text, (piece, text)
    assert "0.70833" in listed[0]
    assert len(browser.all("#rows tbody tr")) == len(data["rows"]) - 2
    browser.open(report_sample.comparison(failures=False))
    assert not browser.one("#failed-section").is_displayed()


@case
def real(browser):
    """A page that trammel compare wrote has the numbers that --json prints in the same run, and is shown as well"""
    page = os.path.join(browser.folder, "real.html")
    done = subprocess.run([PROGRAM, "compare", os.path.join(ROOT, "scenes", "slider_crank_swing.json"), "--end", "2", "--repeat", "1", "--report", page,
                           "--json", "--methods", "s-both2,baumgarte,srm-p", "--steps", "0.1,0.02", "--rtols", "1e-4,1e-8"],
                          stdout=subprocess.PIPE, check=True)
    data = json.loads(done.stdout)
    browser.visit(page)
    clean(browser)
    assert check_numbers(browser, data) > 50
    assert len(browser.all("#work .point")) == sum(row["status"] == "done" for row in data["rows"])
    assert len(browser.all("#history .curve")) >= 3 and browser.run("return document.querySelector('#picture img').naturalWidth") > 100
    held = json.loads(browser.run("return document.getElementById('data').textContent"))
    for row in held["rows"]:
        row.pop("series")
    held.pop("picture")
    data.pop("series", None)
    views = held.pop("views")
    assert held == data
    links = browser.run("return [...document.querySelectorAll('a.view')].map(e => e.getAttribute('href'))")
    assert os.path.exists(os.path.join(browser.folder, views["file"])) and 1 <= len(views["rows"]) <= 8
    assert sorted(links) == [f"real.view.html#run={i}" for i in range(len(views["rows"]))], links


# ------------------------------------------------------------------------------------- the charts

def line(browser, method):
    return browser.one(f'#work .line[data-method="{method}"]')


def legend(browser, method):
    return browser.one(f'#legend button[aria-label="{method}"]')


@case
def work(browser):
    """The diagram has a line for each pair and a point for each run, in place: down is more accurate, right is slower"""
    data = report_sample.comparison()
    browser.open(data)
    assert len(browser.all("#work .line")) == len(report_sample.PAIRS)
    points = browser.run("""return [...document.querySelectorAll('#work .point')].map(p =>
        [Number(p.dataset.row), ...p.getAttribute('transform').match(/[-\\d.]+/g).map(Number)])""")
    assert len(points) == len(report_sample.PAIRS) * 4
    by_cost = [data["rows"][r]["cpu_s"] for r, x, y in sorted(points, key=lambda p: p[1])]
    assert all(b > a * 0.99 for a, b in zip(by_cost, by_cost[1:]))
    by_error = [data["rows"][r]["error"] for r, x, y in sorted(points, key=lambda p: -p[2])]
    assert all(b > a * 0.98 for a, b in zip(by_error, by_error[1:]))
    front = browser.run("return [...document.querySelectorAll('#work .point.on-front')].map(p => Number(p.dataset.row))")
    assert sorted(front) == [i for i, row in enumerate(data["rows"]) if row["pareto"]]
    assert browser.one("#front").get_attribute("d").count("L") == len(front) - 1


@case
def log_scale(browser):
    """Its axes are logarithmic and labelled at decades"""
    data = report_sample.comparison(pairs=report_sample.PAIRS[:1], per_pair=3, failures=False)
    for row, (cost, error) in zip(data["rows"], ((1e-2, 1e-2), (1e-1, 1e-5), (1.0, 1e-8))):
        row["cpu_s"], row["error"] = cost, error
    browser.open(data)
    points = browser.run("""return [...document.querySelectorAll('#work .point')].map(p =>
        p.getAttribute('transform').match(/[-\\d.]+/g).map(Number))""")
    for k in (0, 1):
        assert abs((points[1][k] - points[0][k]) - (points[2][k] - points[1][k])) < 0.5, points
    labels = browser.texts("#work text")
    for label in ("10−2", "10−5", "10−8", "10\u00a0ms", "100\u00a0ms", "1\u00a0s"):
        assert label in labels, (label, labels)


@case
def legend_hides(browser):
    """A click on a legend's button hides its line and another brings it back; it is a real button and says its state"""
    browser.open(report_sample.comparison())
    browser.one("#legend .tools button").click()
    button = legend(browser, "rk4 + srm-p")
    assert button.tag_name == "button" and button.get_attribute("aria-pressed") == "true"
    assert line(browser, "rk4 + srm-p").is_displayed()
    button.click()
    assert button.get_attribute("aria-pressed") == "false" and not line(browser, "rk4 + srm-p").is_displayed()
    assert line(browser, "rk4 + s-both").is_displayed()
    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-pressed") == "true" and line(browser, "rk4 + srm-p").is_displayed()
    tools = browser.all("#legend .tools button")
    tools[1].click()
    assert not any(e.is_displayed() for e in browser.all("#work .line"))
    tools[3].click()
    shown_lines = browser.run("return [...document.querySelectorAll('#work .line:not([hidden])')].map(e => e.querySelectorAll('.on-front').length)")
    assert shown_lines and all(shown_lines)
    tools[0].click()
    assert all(e.is_displayed() for e in browser.all("#work .line"))
    for name in ("rk4", "s-both2"):  # of all lines of one integrator, of one stabilization
        browser.one(f'#legend th button[title="{name}"]').click()
    left = browser.run("return [...document.querySelectorAll('#work .line:not([hidden])')].map(e => e.dataset.method)")
    # those with rk4 were hidden; s-both2 then had one hidden line and was shown whole
    assert left == [f"{i} + {s}" for i, s, _ in report_sample.PAIRS if i != "rk4" or s == "s-both2"], left
    clean(browser)


@case
def first_look(browser):
    """Of many lines, those on the front and the best of each stabilization are shown at first; of few, all"""
    data = report_sample.comparison()
    browser.open(data)
    left = set(browser.run("return [...document.querySelectorAll('#work .line:not([hidden])')].map(e => e.dataset.method)"))
    done = [row for row in data["rows"] if row["status"] == "done"]
    assert left >= {f"{row['integrator']} + {row['stabilization']}" for row in done if row["pareto"]}
    assert {method.split(" + ")[1] for method in left} == {row["stabilization"] for row in done}
    assert len(left) < len(report_sample.PAIRS)
    browser.open(report_sample.comparison(pairs=report_sample.PAIRS[:12]))
    assert len(browser.all("#work .line:not([hidden])")) == 12


@case
def folded(browser):
    """Many warnings are folded to their names, and open at a click"""
    data = report_sample.comparison()
    data["warnings"] = [{"stabilization": f"m{i}", "sentence": f"m{i}, 1 of 4 rows: bad"} for i in range(9)]
    browser.open(data)
    assert "m0, m1, m2" in browser.one("#warnings").text and "bad" not in browser.one("#warnings").text
    browser.one("#warnings summary").click()
    assert browser.one("#warnings").text.count("bad") == 9


@case
def filters(browser):
    """Words in the filter leave the rows that hold them all"""
    browser.open(report_sample.comparison())
    browser.one("#filter").send_keys("RK4 0.005")
    shown_rows = browser.run("return [...document.querySelectorAll('#rows tbody tr:not([hidden])')].map(e => e.textContent)")
    assert len(shown_rows) == 6 and all("rk4" in text and "0.005" in text for text in shown_rows), shown_rows
    assert browser.one("#filter-count").text == "6 of 68"
    browser.one("#filter").clear()
    browser.one("#filter").send_keys(" ")
    assert len(browser.all("#rows tbody tr:not([hidden])")) == 68


@case
def pointing(browser):
    """Pointing at a point shows the row's figures; so does the focus, which arrows move"""
    data = report_sample.comparison()
    browser.open(data)
    tip = browser.one("#tip")
    assert not tip.is_displayed()
    point = browser.one('#work .point[data-row="5"]')
    browser.run("arguments[0].scrollIntoView({block: 'center'})", point)
    ActionChains(browser.driver).move_to_element(point).perform()
    row = data["rows"][5]
    assert tip.is_displayed()
    assert f"{row['integrator']} + {row['stabilization']}" in tip.text, tip.text
    mantissa, exponent = f"{row['error']:.2e}".split("e")
    assert f"{mantissa}e{int(exponent)}" in tip.text, tip.text
    ActionChains(browser.driver).move_to_element(browser.one("h1")).perform()
    assert not tip.is_displayed()
    browser.run("document.querySelector('#work .point[tabindex=\"0\"]').focus()")
    first = tip.text
    assert tip.is_displayed() and first
    ActionChains(browser.driver).send_keys(Keys.ARROW_RIGHT).perform()
    assert tip.is_displayed() and tip.text != first
    assert len(browser.all('#work .point[tabindex="0"]')) == 1
    clean(browser)


def drawn(browser):
    return browser.run("""return [...document.querySelectorAll('#history [data-panel]')].map(panel =>
        [panel.dataset.panel, [...panel.querySelectorAll('.curve')].map(c => Number(c.dataset.row)).sort((a, b) => a - b)])""")


@case
def histories(browser):
    """Drift, energy error and step size of the recommended rows at first; a tick, or Enter on a point, adds a row and takes it away"""
    data = report_sample.comparison()
    browser.open(data)
    names = {advice["row"] for advice in data["recommendations"]}
    advised = [index for index, row in enumerate(data["rows"]) if row["id"] in names]
    assert drawn(browser) == [[key, advised] for key in ("drift", "energy", "h")], drawn(browser)
    box = browser.one('#rows tr[data-row="0"] input')
    assert not box.is_selected()
    box.click()
    assert drawn(browser)[0][1] == sorted(advised + [0]) and len(browser.all("#chosen li")) == len(advised) + 1
    assert browser.one('#work .point[data-row="0"]').get_attribute("aria-pressed") == "true"
    browser.run("document.querySelector('#work .point[data-row=\"0\"]').focus()")
    ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
    assert drawn(browser)[0][1] == advised and not box.is_selected()
    for button in browser.all("#chosen button"):
        browser.one("#chosen button").click()
    assert drawn(browser) == [] and "No run is chosen" in browser.one("#history").text
    clean(browser)


@case
def crossings(browser):
    """Each singular position is a vertical line in each panel, at its time"""
    data = report_sample.comparison()
    data["passages"] = [{"t": 2.5, "joints": "A, B"}, 5.0, {"t": 7.5, "joints": None}, {"t": None}]
    browser.open(data)
    places = browser.run("""return [...document.querySelectorAll('#history [data-panel]')].map(panel =>
        [...panel.querySelectorAll('.crossing')].map(c => Number(c.getAttribute('x1'))))""")
    assert len(places) == 3 and all(len(p) == 3 for p in places)
    for a, b, c in places:
        assert abs((b - a) - (c - b)) < 0.1 and b > a
    assert "3 singular positions" in browser.one("#history-lead").text


@case
def not_colour_alone(browser):
    """No two lines of the diagram look the same without colour and with it: colour, dash and marker together differ"""
    browser.open(report_sample.comparison())
    looks = browser.run("""return [...document.querySelectorAll('#work .line')].map(line => {
        const curve = line.querySelector('.curve');
        return [curve.getAttribute('class'), curve.getAttribute('stroke-dasharray'), line.querySelector('.point > path').getAttribute('d')].join('|'); })""")
    assert len(set(looks)) == len(looks)
    browser.run("for (const i of [0, 1, 8, 17]) { const box = document.querySelector(`#rows tr[data-row='${i}'] input`); if (!box.checked) box.click() }")
    looks = browser.run("""return [...document.querySelectorAll('#history [data-panel=drift] .curve')].map(c =>
        c.getAttribute('class') + c.getAttribute('stroke-dasharray'))""")
    assert len(looks) >= 4 and len(set(looks)) == len(looks), looks


# -------------------------------------------------------------------------------------- odd data

@case
def hostile(browser):
    """Names and reasons with markup, quotes and control characters are text, everywhere, and run nothing"""
    for text in HOSTILE:
        data = report_sample.comparison(pairs=report_sample.PAIRS[:3], per_pair=2)
        for key in ("scene", "title", "command", "picture"):
            data[key] = text
        data["version"] = data["reference"]["partner"] = data["reference"]["verdict"] = text
        data["status"], data["problem"] = "failed", {"code": text, "message": text, "where": text}
        for item in data["warnings"] + data["passages"]:
            item["stabilization"] = item["sentence"] = item["joints"] = text
        data["reference"]["method"] = text
        for row in data["rows"]:
            for key in ("id", "integrator", "stabilization", "reason", "where", "parameters"):
                row[key] = text
        for advice in data["recommendations"]:
            advice["sentence"], advice["row"] = text, text
        browser.open(data)
        clean(browser)
        assert browser.one("h1").get_attribute("textContent") == text
        assert browser.run("return document.querySelectorAll('script').length") == 2
        assert browser.run("return document.querySelectorAll('[onerror], [onload], b.x').length") == 0
        assert text in browser.texts(".advice .sentence")[0]
        assert browser.texts("#failed .reason") == [text, text]


@case
def hostile_picture(browser):
    """A picture that brings a script runs nothing and loads nothing"""
    data = report_sample.comparison(pairs=report_sample.PAIRS[:1])
    data["picture"] = ('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.harm=1"><script>parent.harm=2</script>'
                       '<image href="http://127.0.0.1:9/x.png" width="9" height="9"/></svg>')
    browser.open(data)
    clean(browser)
    assert not [url for url in browser.requests() if url.startswith("http")]


@case
def empty(browser):
    """No row, no finished row, nothing but an empty object: a page that says so, without a complaint"""
    nothing = report_sample.comparison(pairs=[], failures=True)
    for data in ({}, {"rows": []}, nothing, {"rows": None, "recommendations": None, "crossings": None, "picture": None, "reference": None}):
        browser.open(data)
        clean(browser)
        assert "nothing" in browser.one("#advice").text or "no run reaches" in browser.one("#advice").text.lower()
    browser.open(nothing)
    assert len(browser.all("#failed tbody tr")) == 2 and not browser.one("#rows-section").is_displayed()


@case
def one_row(browser):
    """One row makes a whole page"""
    data = report_sample.comparison(pairs=report_sample.PAIRS[:1], per_pair=1, failures=False)
    browser.open(data)
    clean(browser)
    assert len(browser.all("#work .point")) == 1 and len(browser.all("#rows tbody tr")) == 1
    check_numbers(browser, data)


@case
def many_rows(browser):
    """So do eighty, all of them chosen"""
    data = report_sample.comparison(pairs=(report_sample.PAIRS * 2)[:16], per_pair=5, failures=False)
    assert len(data["rows"]) == 80
    browser.open(data)
    clean(browser)
    browser.run("for (const box of document.querySelectorAll('#rows input')) if (!box.checked) box.click()")
    assert len(drawn(browser)[0][1]) == 80
    clean(browser)


@case
def holes(browser):
    """Rows of nulls, series with nulls and zeros, series of unequal length, no series: no complaint"""
    data = report_sample.comparison(pairs=report_sample.PAIRS[:6])
    for i, row in enumerate(data["rows"]):
        if i % 4 == 0:
            row.update({key: None for key in ("error", "errors", "position_drift", "cpu_s", "evaluations", "steps")})
        if i % 4 == 1:
            row["series"]["drift"] = [0.0, None] * 100
            row["series"]["energy"] = None
        if i % 4 == 2:
            row["series"] = None
    data["reference"].update(agreement=None, t_agree=None)
    browser.open(data)
    clean(browser)
    browser.run("for (const box of document.querySelectorAll('#rows input')) if (!box.checked) box.click()")
    clean(browser)


@case
def chaos(browser):
    """Where the references part early, the page says up to when it compares"""
    data = report_sample.comparison()
    browser.open(data)
    assert not browser.all("#notice .notice")
    data["reference"].update(t_agree=3.25, verdict="The motion is chaotic: from t = 3.25 s on the references part.")
    browser.open(data)
    assert data["reference"]["verdict"] in browser.one("#notice .notice").text
    data["reference"]["verdict"] = None
    browser.open(data)
    assert "3.25" in browser.one("#notice .notice").text


# ---------------------------------------------------------------------------------- how it is seen

@case
def dark_and_print(browser):
    """In dark mode and on paper the page is there, dark and light"""
    browser.size(600, 400)
    try:
        browser.open(report_sample.comparison())
        for kind, dark in (("screen", False), ("screen", True), ("print", False)):
            browser.media(kind, dark)
            width, height, grey = browser.picture()
            values = [value for text in grey for value in text]
            middle = sorted(values)[len(values) // 2]
            assert (width, height) == (600, 400)
            assert middle < 60 if dark else middle > 200, f"{kind}, dark {dark}: {middle}"
            assert max(values) - min(values) > 150, f"{kind}, dark {dark}: empty"
        browser.media("print")
        assert not browser.one("#more").is_displayed()
    finally:
        browser.media()
        browser.size(1200, 900)
    assert len(browser.driver.print_page()) > 20000
    clean(browser)


@case
def phone(browser):
    """On a phone nothing but the tables is wider than the screen, and letters stay readable"""
    browser.size(375, 700)
    try:
        browser.open(report_sample.comparison())
        assert browser.run("return document.documentElement.scrollWidth") <= 375
        smallest = browser.run("""const svg = document.querySelector('#work svg'), k = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return Math.min(...[...svg.querySelectorAll('text')].filter(t => t.textContent).map(t => parseFloat(getComputedStyle(t).fontSize))) * k""")
        assert smallest >= 11, smallest
    finally:
        browser.size(1200, 900)


def main():
    reason = absent()
    if reason:
        print(f"1..0 # SKIP {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="trammel-report-", ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        failed = tap.run(CASES, browser)
        browser.driver.quit()
    return failed


if __name__ == "__main__":
    sys.exit(main())
