"""Pages of trammel compare --report in a browser: what their tests share."""
import io
import json
import os
import re
import subprocess
import sys

from page_browser import ActionChains, By, Keys, clean  # for the tests
import page_browser

PROGRAM, WRITER, ROOT = (os.path.abspath(path) for path in sys.argv[1:4])
HOSTILE = ["</script><script>window.harm=1</script>", "<img src=x onerror=\"window.harm=2\">", "<!--<script>", "\"'&<>`",
           "]]></title><svg onload='window.harm=3'>", "&lt;b&gt;", "\u2028\u2029 \u202e gnirts", "javascript:window.harm=4", "x" * 3000]


class Browser(page_browser.Browser):
    """One headless Chromium for all cases."""

    def open(self, data):
        """The page with these data (JSON text or what becomes it), from disk."""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        self.number += 1
        path = os.path.join(self.folder, f"{self.number}.html")
        with open(path, "wb") as file:
            subprocess.run([WRITER], input=text.encode(), stdout=file, check=True)
        return self.visit(path)

    def complaints(self):
        return [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

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


def line(browser, method):
    return browser.one(f'#work .line[data-method="{method}"]')


def drawn(browser):
    return browser.run("""return [...document.querySelectorAll('#history [data-panel]')].map(panel =>
        [panel.dataset.panel, [...panel.querySelectorAll('.curve')].map(c => Number(c.dataset.row)).sort((a, b) => a - b)])""")


def run(cases, instead=None):
    return page_browser.run(Browser, cases, instead)
