"""Pages of trammel view in a browser: what their tests share."""
import csv
import json
import os
import subprocess
import sys

from page_browser import ActionChains, Keys, clean  # for the tests
import page_browser
import tap

PROGRAM, ROOT = (os.path.abspath(path) for path in sys.argv[1:3])
PICTURES = os.path.join(ROOT, "tests/tools/view/pictures")
HOSTILE = ["</script><script>window.harm=1</script>", "<img src=x onerror='window.harm=2'>", "\"'&<>`", "]]></title><svg onload='window.harm=3'>",
           "&lt;b&gt;", "\u2028\u2029 \u202e gnirts", "\ufffe\uffff", "x" * 300]
SHIPPED = sorted(n[:-5] for n in os.listdir(os.path.join(ROOT, "scenes")) if n.endswith(".json") and "schema" not in n)
SMALL = 240, 160  # px, stored pictures


class Browser(page_browser.Browser):
    """One headless Chromium for all cases, which draws in software."""

    flags = [flag for flag in page_browser.Browser.flags if flag != "--disable-gpu"] + ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"]

    def visit(self, path, still=True):
        """Opens a page from disk and waits until it is drawn; `still`: it does not start to play."""
        self.driver.get("about:blank")
        self.complaints()
        self.driver.get_log("performance")
        self.driver.get("file://" + path + ("#still" if still else ""))
        until(self, "window.trammel || document.querySelector('.notice')")
        return path

    def complaints(self):
        """Messages of the page. That its canvas is read often is the tests' own doing."""
        return [entry for entry in self.driver.get_log("browser") if "favicon" not in entry["message"] and "willReadFrequently" not in entry["message"]]


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


def shipped_page(browser, name):
    """The page of a shipped scene as it is, which is made once."""
    path = os.path.join(browser.folder, name + ".html")
    return path if os.path.exists(path) else page(browser, scene(name), name=name + ".html")


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


def until(browser, condition):
    """Waits for a condition of the page."""
    tap.until(lambda: browser.run(f"return !!({condition})"))


def notes(browser):
    return browser.run("return [...document.querySelectorAll('.notice')].map(e => e.textContent)")


def run(cases, instead=None):
    return page_browser.run(Browser, cases, instead)
