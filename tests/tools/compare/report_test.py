#!/usr/bin/env python3
"""The report of trammel compare, looked at in a browser. Prints TAP.

    tests/tools/compare/report_test.py TRAMMEL WRITE_REPORT ROOT

TRAMMEL is the program; WRITE_REPORT puts JSON from its standard input into the page. Needs Chromium, its
driver and Selenium (Debian: chromium, chromium-driver, python3-selenium); without them everything
is skipped, and the reason said.
"""
import json
import os
import re
import subprocess
import sys

from tap import CASES, case
from report_pages import ActionChains, By, Keys, PROGRAM, ROOT, check_numbers, clean, run
import report_sample

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
                           "--json", "--methods", "s-both2,baumgarte,projection", "--steps", "0.1,0.02", "--rtols", "1e-4,1e-8"],
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


if __name__ == "__main__":
    sys.exit(run(CASES))
