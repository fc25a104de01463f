"""A headless Chromium that looks at pages on disk."""
import json
import os
import shutil
import sys
import tempfile

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys  # for the tests
    ABSENT = None
except ImportError as problem:
    if os.path.realpath(sys.executable) != os.path.realpath("/usr/bin/python3") and os.path.exists("/usr/bin/python3") \
            and "TRAMMEL_BROWSER_AGAIN" not in os.environ:
        os.environ["TRAMMEL_BROWSER_AGAIN"] = "1"  # the distribution's Python may have it
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])
    ActionChains = By = Keys = None
    ABSENT = f"no Selenium for Python ({problem})"

import tap


class Browser:
    """Skips its case where Chromium, its driver or Selenium is missing."""

    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--force-device-scale-factor=1"]

    def __init__(self, folder):
        self.folder, self.number = folder, 0
        tap.need("chromium", "chromedriver")
        if ABSENT:
            raise tap.Skipped(ABSENT)
        self.profile = tempfile.mkdtemp(dir=folder, prefix="profile-")
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in self.flags + [f"--user-data-dir={self.profile}"]:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=webdriver.chrome.service.Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(3600)  # a busy machine takes its time
        self.size(1200, 900)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def media(self, kind="", dark=False):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": kind, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def visit(self, path):
        self.complaints()
        self.driver.get_log("performance")
        self.driver.get("file://" + os.path.abspath(path))
        return path

    def complaints(self):
        return [entry for entry in self.driver.get_log("browser") if "favicon" not in entry["message"]]

    def requests(self):
        """Addresses of everything asked for since the page was opened."""
        messages = (json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance"))
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]

    def run(self, script, *args):
        return self.driver.execute_script(script, *args)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def printed(self):
        """Bytes of the page on paper."""
        return len(self.driver.print_page())


def clean(browser):
    """Fails where the page complained, or ran what was only to be shown."""
    complaints = browser.complaints()
    assert not complaints, complaints
    assert browser.run("return window.harm") is None


def run(kind, cases, instead=None):
    """Runs the cases in one browser of this kind; `instead` of them, where it is given. Returns an exit code."""
    with tempfile.TemporaryDirectory(prefix="trammel-pages-", ignore_cleanup_errors=True) as folder:
        try:
            browser = kind(folder)
        except tap.Skipped as reason:
            print(f"1..0 # SKIP {reason}")
            return 0
        with browser:
            return instead(browser) if instead else tap.run(cases, browser)
