#!/usr/bin/env python3
"""The charts of a report page, odd data, and how the page is seen, looked at in a browser. Prints TAP.

    tests/tools/compare/report_charts_test.py TRAMMEL WRITE_REPORT ROOT
"""
import sys

from tap import CASES, case
from report_pages import ActionChains, HOSTILE, Keys, check_numbers, clean, drawn, line, run
import report_sample

# ------------------------------------------------------------------------------------- the charts

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
    button = legend(browser, "rk4 + s-vel")
    assert button.tag_name == "button" and button.get_attribute("aria-pressed") == "true"
    assert line(browser, "rk4 + s-vel").is_displayed()
    button.click()
    assert button.get_attribute("aria-pressed") == "false" and not line(browser, "rk4 + s-vel").is_displayed()
    assert line(browser, "rk4 + s-both").is_displayed()
    button.send_keys(Keys.ENTER)
    assert button.get_attribute("aria-pressed") == "true" and line(browser, "rk4 + s-vel").is_displayed()
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
    assert len(shown_rows) == 5 and all("rk4" in text and "0.005" in text for text in shown_rows), shown_rows
    assert browser.one("#filter-count").text == "5 of 64"
    browser.one("#filter").clear()
    browser.one("#filter").send_keys(" ")
    assert len(browser.all("#rows tbody tr:not([hidden])")) == 64


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


if __name__ == "__main__":
    sys.exit(run(CASES))
