#!/usr/bin/env python3
"""Bundles what the pages of trammel view take from npm: uPlot and three.js, each as one classic script, and makes
our own scripts small.

    tools/web/bundle.py OUT_PLOT.js OUT_SPACE.js OUT_APP.js FOLDER SPACE.js SCRIPT.js...

FOLDER is where packages are put (in the build folder); tools/web/vendor says which. Where there is no npm, or
it cannot fetch them, the first two become empty: the build goes on, and pages say what they lack.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "vendor")
MINUTES = 5


def bundle(folder, name, global_name, package):
    """One script that defines `global_name`; the licence stays in it."""
    with open(os.path.join(folder, "node_modules", package, "LICENSE"), encoding="utf-8") as file:
        licence = file.read().strip().replace("*/", "* /")
    out = os.path.join(folder, name + ".out.js")
    subprocess.run([os.path.join(folder, "node_modules", ".bin", "esbuild"), os.path.join(folder, name + ".js"), "--bundle", "--minify",
                    "--format=iife", "--target=es2020", "--legal-comments=none", f"--global-name={global_name}", f"--outfile={out}",
                    "--log-level=warning"], check=True, timeout=60 * MINUTES)
    with open(out, encoding="utf-8") as file:
        return f"/* {package}\n\n{licence} */\n" + file.read()


def fetch(folder):
    """What is there already, for the same lock file, is not fetched again."""
    done, lock = os.path.join(folder, "done.json"), read(os.path.join(HERE, "package-lock.json"))
    os.makedirs(folder, exist_ok=True)
    fetched = os.path.exists(done) and read(done) == lock
    for name in ("package.json", "package-lock.json", ".npmrc", "plot.js", "space.js"):
        shutil.copy(os.path.join(HERE, name), folder)
    if fetched:
        return
    subprocess.run(["npm", "ci", "--ignore-scripts", "--silent"], cwd=folder, check=True, timeout=60 * MINUTES, stdin=subprocess.DEVNULL)
    with open(done, "w", encoding="utf-8") as file:
        file.write(lock)


def minified(folder, text):
    """Names at the top stay: the scripts use each other's."""
    return subprocess.run([os.path.join(folder, "node_modules", ".bin", "esbuild"), "--minify", "--target=es2021", "--log-level=warning"],
                          input=text.encode(), stdout=subprocess.PIPE, check=True, timeout=60 * MINUTES).stdout.decode()


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def main(plot, space, app, folder, solid, *own):
    scripts = ["", "", '"use strict";\n' + "\n".join(read(path) for path in own)]
    try:
        fetch(folder)
        scripts = [bundle(folder, "plot", "uPlotModule", "uplot"),
                   bundle(folder, "space", "THREE", "three") + minified(folder, read(solid)), minified(folder, scripts[2])]
    except (OSError, subprocess.SubprocessError) as problem:
        print(f"warning: pages of trammel view will have no plots and no solid bodies: {problem}\n"
              "         (with npm at hand, remove the build folder's view_plot.js and build again)", file=sys.stderr)
    for path, text in zip((plot, space, app), scripts):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
