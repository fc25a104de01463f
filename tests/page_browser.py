"""A headless Chromium that looks at pages on disk."""
import json
import os
import shutil
import tempfile

import tap

class Browser:
    """Skips its case where Chromium, its driver or Selenium is missing."""

    flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--force-device-scale-factor=1"]

    def __init__(self, folder):
        self.folder, self.number = folder, 0
        tap.need("chromium", "chromedriver")
        try:
            from selenium import webdriver  # pylint: disable=import-outside-toplevel
        except ImportError as problem:
            raise tap.Skipped(f"no Selenium for this Python ({problem})") from None
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

    def press(self, *keys):
        from selenium.webdriver.common.action_chains import ActionChains  # pylint: disable=import-outside-toplevel
        ActionChains(self.driver).send_keys(*keys).perform()

    def printed(self):
        """Bytes of the page on paper."""
        return len(self.driver.print_page())
