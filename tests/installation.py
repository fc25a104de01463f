"""What a test does with the installed library: runs commands that must not fail, and finds files."""

import glob
import subprocess


def command(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, **more)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


def only(pattern):
    found = glob.glob(pattern, recursive=True)
    assert len(found) == 1, f"{pattern}: {found}"
    return found[0]


def install(build, work):
    """-> the folder that the library and the program are installed below."""
    root = f"{work}/root"
    command("meson", "install", "-C", build, "--no-rebuild", "--destdir", root)
    return root
