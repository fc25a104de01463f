"""The public interface, binary: what programs built against the last release find, the library still gives them.

    abi_test.py RELEASED.abi HEADER...            the claims (TAP); needs abidw and abidiff (Debian: abigail-tools)
    abi_test.py --store RELEASED.abi HEADER...    at a release: what the headers promise from now on

The headers decide: a library of empty functions with their prototypes is built with debug information, so that types, sizes and
signatures are compared, and nothing else has to be built.
"""
import os
import re
import subprocess
import sys
import tempfile

import tap

STORE = "--store" in sys.argv
RELEASED, *HEADERS = [word for word in sys.argv[1:] if word != "--store"]


def prototypes(folder, names):
    """Of all functions that the headers in `folder` declare: "type name(arguments)"."""
    text = "\n".join(f'#include "{name}"' for name in names)
    text = subprocess.run(["cc", "-E", "-P", "-x", "c", f"-I{folder}", "-"], input=text, capture_output=True, text=True, check=True).stdout
    return [re.sub(r"\s+", " ", match[1]).strip() for match in re.finditer(r"(?:^|[;}])\s*([^;{}#]*\btrm_\w+\s*\([^;{}]*\))\s*(?:__attribute__\s*\(\([^;]*\)\))?\s*;", text, re.M)]


def interface(folder, names, out):
    """The library of empty functions, described by abidw."""
    found = [p for p in prototypes(folder, names) if not p.startswith("typedef")]
    source = "\n".join([f'#include "{name}"' for name in names] + [p + " { __builtin_trap(); }" for p in found])
    library = os.path.join(folder, "libstub.so")
    subprocess.run(["cc", "-g", "-O0", "-w", "-shared", "-fPIC", "-x", "c", f"-I{folder}", "-", "-o", library], input=source, text=True, check=True)
    subprocess.run(["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--out-file", out, library], check=True)
    return len(found)


def copied(folder, change=lambda name, text: text):
    names = [os.path.basename(path) for path in HEADERS]
    for path, name in zip(HEADERS, names):
        with open(path, encoding="utf-8") as file, open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write(change(name, file.read()))
    return names


def compare(old, new):
    """abidiff's report; empty where nothing that breaks a program has changed."""
    done = subprocess.run(["abidiff", "--no-added-syms", old, new], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4, 8, 12), done.stderr
    return done.stdout if done.returncode & 12 else ""


def changes_are_found(folder):
    """A field that is added, an argument that changes its type, a function that goes: each is told"""
    tap.need("abidw", "abidiff", "cc")
    old, new = os.path.join(folder, "old.abi"), os.path.join(folder, "new.abi")
    assert interface(folder, copied(folder), old) > 50
    assert compare(old, old) == ""
    for pattern, by in ((r"(typedef struct trm_sizes \{)", r"\1 int first;"), (r"(trm_sim_run\(trm_sim \*sim, )double", r"\1int"),
                        (r"\bvoid trm_model_destroy\([^;]*;", "")):
        hits = []

        def change(name, text, pattern=pattern, by=by, hits=hits):
            text, n = re.subn(pattern, by, text)
            hits.append(n)
            return text

        interface(folder, copied(folder, change), new)
        assert sum(hits) == 1 and compare(old, new), (pattern, hits)


def nothing_is_broken(folder):
    """What the last release had is there, of the same types"""
    if not os.path.exists(RELEASED):
        raise tap.Skipped(f"no release yet: {os.path.basename(RELEASED)} is written by this test with --store")
    tap.need("abidw", "abidiff", "cc")
    new = os.path.join(folder, "now.abi")
    interface(folder, copied(folder), new)
    report = compare(RELEASED, new)
    assert not report, report


def main():
    with tempfile.TemporaryDirectory(prefix="trammel-abi-") as folder:
        if STORE:
            interface(folder, copied(folder), RELEASED)
            return 0
        return tap.run([changes_are_found, nothing_is_broken], folder)


if __name__ == "__main__":
    sys.exit(main())
