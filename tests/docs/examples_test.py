"""The examples of control loops do what they say, and all examples are listed.

usage: examples_test.py FOLDER_OF_PROGRAMS SOURCE
"""

import math
import os
import re
import subprocess
import sys

import tap

PROGRAMS, SOURCE = sys.argv[1], sys.argv[2]
CART = os.path.join(SOURCE, "docs", "examples", "cart.json")


def output(name, *words):
    done = subprocess.run([os.path.join(PROGRAMS, f"example_{name}"), *words], capture_output=True, text=True)
    assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
    return done.stdout


def numbers(pattern, text):
    found = re.search(pattern.replace("#", r"([-+0-9.e]+)"), text)
    assert found, f"expected {pattern!r} in\n{text}"
    return [float(word) for word in found.groups()]


def leg():
    """The foot keeps to its path, the energy balance holds, and the margin is printed."""
    text = output("leg", os.path.join(SOURCE, "docs", "examples", "leg", "leg.json"))
    (off,) = numbers("foot off its path by # mm", text)
    (balance,) = numbers("energy balance off by # of", text)
    numbers("# times faster than real time", text)
    assert 0 < off < 2, text
    assert balance < 1e-8, text


def leg_without_its_scene():
    done = subprocess.run([os.path.join(PROGRAMS, "example_leg"), "no.json"], capture_output=True, text=True)
    assert done.returncode == 1 and "no.json" in done.stderr, done.stderr


def rollout():
    """The cart arrives, and the bar hangs."""
    x, angle = numbers("cart at # m, bar # rad", output("rollout", CART))
    assert abs(x - 1) < 0.03 and abs(angle) < 0.03, (x, angle)


def threads():
    assert "64 runs on 8 threads: the same to the last bit" in output("threads")


def roll():
    """A disc that rolls has two thirds of the acceleration of one that slides."""
    text = output("roll")
    way, exactly = numbers("rolled # m in 2 s, exactly # m", text)
    friction, expected = numbers("friction # N, exactly # N", text)
    assert abs(exactly - 9.81 * 0.5 * 2**2 / 3) < 1e-9 and abs(way - exactly) < 1e-6, text
    assert abs(friction - expected) < 1e-5, text


def balance():
    """The bar, 18 degrees off, is brought upright; how fast it would fall is that of a cart with a bar."""
    text = output("balance", CART)
    (falls,) = numbers("falls by e in # s", text)
    m, cart, half = 0.5, 1, math.hypot(0.2, 0.6) / 2
    about_pin = 4 / 3 * m * half**2
    square = (cart + m) * m * 9.81 * half / ((cart + m) * about_pin - (m * half) ** 2)
    assert abs(falls - 1 / math.sqrt(square)) < 0.006, text
    (angle,) = numbers("t = 8 s: # deg", text)
    assert abs(angle) < 0.05, text


def flow():
    """The velocity on the middle line is near that of spectral codes (Botella & Peyret 1998)."""
    text = output("flow")
    (least,) = numbers("u falls to # on", text)
    (drift,) = numbers("largest divergence #,", text)
    assert abs(least + 0.2140) < 0.01 and drift < 1e-2, text


def darcy():
    """Every iterate loses a factor of divergence, and the pressure no longer moves."""
    text = output("darcy")
    falls = [float(word) for word in re.findall(r"falls by ([-0-9.]+)", text)]
    drifts = [float(word) for word in re.findall(r"off by ([-0-9.e]+)", text)]
    assert len(falls) == 4 and falls[2] == falls[3], text
    assert drifts[1] < drifts[0] / 10 and drifts[2] < drifts[1] / 10, text


def list_of_examples():
    """The page beside the examples names each of them, and nothing that is not there."""
    folder = os.path.join(SOURCE, "docs", "examples")
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        named = set(re.findall(r"^- \[([^]]+)\]\(\1\): ", file.read(), flags=re.M))
    there = {name for name in os.listdir(folder) if name != "README.md" and not name.startswith("__")}
    assert named == there, named ^ there


CASES = [leg, leg_without_its_scene, rollout, threads, roll, balance, flow, darcy, list_of_examples]


if __name__ == "__main__":
    sys.exit(tap.run(CASES))
