#!/usr/bin/env python3
"""The live page in a browser: it keeps to the clock, pulls, sets, pauses, and listens to this machine alone. Prints TAP.

    tests/tools/view/live_test.py TRAMMEL ROOT
"""
import contextlib
import json
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

from view_pages import ActionChains, PROGRAM, clean, run
from tap import CASES, case
import tap

WHEEL = {"dimension": 2, "title": "A wheel and a car", "parameters": {"torque": {"value": 0, "input": True}},
         "bodies": [{"name": "wheel", "mass": 1, "inertia": 0.5, "shape": {"type": "disc", "radius": 0.3}},
                    {"name": "car", "mass": 2, "position": [1, 1], "shape": {"type": "box", "size": [0.2, 0.1]}}],
         "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "wheel"], "at": [0, 0]},
                    {"name": "S", "type": "prismatic", "bodies": ["ground", "car"], "at": [1, 1], "axis": [1, 0]}],
         "forces": [{"name": "m", "type": "joint_force", "joint": "O", "value": "torque"}],
         "outputs": {"rate": "O.rate", "way": {"value": "S.position", "unit": "m"}, "at": "t"}}


@contextlib.contextmanager
def served(folder, content, *options):
    """The address where it runs."""
    path = f"{folder}/live.json"
    with open(path, "w", encoding="ascii") as file:
        json.dump(content, file)
    with subprocess.Popen([PROGRAM, "view", "--live", path, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        if not line:
            told = process.stderr.read()
            if "libmicrohttpd" in told:
                raise tap.Skipped(told)
            raise AssertionError(told)
        try:
            yield re.match(r"http://127\.0\.0\.1:\d+", line)[0]
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0, process.stderr.read()


def frame(address, query="", **headers):
    with urllib.request.urlopen(urllib.request.Request(f"{address}/frame?{query}", headers=headers), timeout=60) as answer:
        first, outputs, svg = answer.read().decode().split("\n", 2)
    t, pace, told = first.split(" ", 2)
    assert svg.startswith("<svg") or svg.startswith("<?xml"), svg[:80]
    return float(t), float(pace), told, dict(part.split(" ")[:2] for part in outputs.split(", ") if part)


@case
def clock_and_inputs(browser):
    """The time of the run is that of the clock; an input acts from the picture on that brings it, by the closed form; pause, reset"""
    with served(browser.folder, WHEEL) as address:
        frame(address, "reset=1")
        begun = time.monotonic()
        for _ in range(20):
            time.sleep(0.05)
            t, pace, told, _ = frame(address)
        assert abs(t - (time.monotonic() - begun)) < 0.25 and pace > 0.9 and told == "", (t, pace, told)
        t, _, _, before = frame(address, "i0=2")  # the run to here had no torque, or had it on the last way
        for _ in range(5):
            time.sleep(0.05)
            t1, _, _, after = frame(address, "i0=2")
        since = float(before["at"]) - float(before["rate"]) / 4
        assert abs(float(after["rate"]) - 4 * (float(after["at"]) - since)) < 1e-4, (before, after)
        paused = frame(address, "pause=1")[0]
        time.sleep(0.3)
        assert frame(address, "pause=1")[0] == paused >= t1 > t
        assert frame(address, "reset=1")[0] < 0.1


def pressed(browser, what):
    """Whether the button could be clicked: texts above it change, and it moves under the pointer"""
    try:
        browser.one(what).click()
        return True
    except Exception as problem:  # of Selenium, which may not be there
        if type(problem).__name__ != "ElementClickInterceptedException":
            raise
        return False


@case
def page(browser):
    """The picture moves, sliders and the pointer act, nothing leaves the machine; at 1280 and 390 px nothing sticks out"""
    with served(browser.folder, WHEEL) as address:
        browser.complaints()
        browser.driver.get_log("performance")
        browser.driver.get(address)
        told = lambda name: float(re.search(name + r" (\S+)", browser.one("#outputs").text)[1])
        assert tap.until(lambda: browser.run("return document.getElementById('picture').naturalWidth") == 960 and browser.one("#outputs").text)
        browser.run("const s = document.getElementById('i0'); s.value = 1; s.dispatchEvent(new Event('input'))")
        assert tap.until(lambda: told("rate") > 0.2)
        image = browser.one("#picture")
        box = image.rect
        ActionChains(browser.driver).move_to_element_with_offset(image, int(box["width"] / 2) - 80, -int(box["height"] / 4)).click_and_hold().perform()
        way = told("way")
        ActionChains(browser.driver).move_by_offset(60, 0).perform()
        assert tap.until(lambda: told("way") > way + 0.02), told("way")
        ActionChains(browser.driver).release().perform()
        assert tap.until(lambda: pressed(browser, "#pause"))
        for width, height in ((1280, 900), (390, 800)):
            browser.size(width, height)
            assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), width
        assert all(url.startswith((address, "blob:" + address)) for url in browser.requests())
        clean(browser)
        browser.driver.get("about:blank")


@case
def this_machine_alone(browser):
    """It listens to 127.0.0.1; other names, methods, paths and pages are refused, and so is a port in use"""
    with served(browser.folder, WHEEL) as address:
        port = address.split(":")[-1]
        with open("/proc/net/tcp", encoding="ascii") as file:
            listening = [line.split()[1] for line in file if line.split()[3] == "0A" and line.split()[1].endswith(f":{int(port):04X}")]
        assert listening == [f"0100007F:{int(port):04X}"], listening
        for path, headers, code in (("/", {"Host": "evil.example"}, 403), ("/frame", {"Sec-Fetch-Site": "cross-site"}, 403), ("/etc", {}, 404)):
            try:
                urllib.request.urlopen(urllib.request.Request(address + path, headers=headers), timeout=60)
                raise AssertionError(path)
            except urllib.error.HTTPError as error:
                assert error.code == code, (path, error.code)
        done = subprocess.run([PROGRAM, "view", "--live", f"{browser.folder}/live.json", "--port", port], capture_output=True, text=True, check=False)
        assert done.returncode == 1 and "--port" in done.stderr and "in use" in done.stderr, done
        frame(address, "i0=nan&x=&y=1e999&down=1&reset=x")  # nonsense changes nothing


@case
def ends_and_slow_runs(browser):
    """An event that stops, or a failure, is told and reset begins anew; a run that cannot keep up says so"""
    ends = {**WHEEL, "events": [{"name": "e", "when": "t > 0.2", "stop": True}]}
    with served(browser.folder, ends) as address:
        assert tap.until(lambda: "event" in frame(address)[2])
        assert frame(address, "reset=1")[2] == ""
    bell = {**WHEEL, "start": {"S": 0.1}, "assemble": True,  # swings at 1e8 rad/s, a step for some of them
            "forces": [{"name": "k", "type": "joint_spring_damper", "joint": "S", "stiffness": 2e16}]}
    with served(browser.folder, bell) as address:
        for _ in range(12):
            t, pace, _, _ = frame(address)
        assert pace < 0.95 and t < 3, (t, pace)


if __name__ == "__main__":
    sys.exit(run(CASES))
