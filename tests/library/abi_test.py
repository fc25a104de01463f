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
import xml.etree.ElementTree

import tap

STORE = "--store" in sys.argv
RELEASED, *HEADERS = [word for word in sys.argv[1:] if word != "--store"]


def prototypes(folder, names):
    """Of all functions that the headers in `folder` declare: "type name(arguments)"."""
    text = "\n".join(f'#include "{name}"' for name in names)
    text = subprocess.run(["cc", "-E", "-P", "-x", "c", f"-I{folder}", "-"], input=text, capture_output=True, text=True, check=True).stdout
    text = re.sub(r"^static inline [^{]*\{.*?^\}\n", "", text, flags=re.M | re.S)
    return [re.sub(r"\s+", " ", match[1]).strip() for match in re.finditer(r"(?:^|[;}])\s*([^;{}#]*\btrm_\w+\s*\((?!\*)[^;{}]*\))\s*(?:__attribute__\s*\(\([^;]*\)\))?\s*;", text, re.M)]


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


def sized():
    """Structs that are filled up to the size that the caller knows."""
    found = set()
    for path in HEADERS:
        with open(path, encoding="utf-8") as file:
            found |= set(re.findall(r"(trm_\w+) \*out,\s+size_t size\);", file.read()))
    return found


def members(abi, name):
    """Of a struct as abidw describes it: each member, its place and its type."""
    tree = xml.etree.ElementTree.parse(abi)
    types = {item.get("id"): item.get("name", item.tag + item.get("type-id", "")) for item in tree.iter() if item.get("id")}
    return [(var.get("name"), member.get("layout-offset-in-bits"), types[var.get("type-id")])
            for struct in tree.iter("class-decl") if struct.get("name") == name
            for member in struct.iter("data-member") for var in member.iter("var-decl")]


def compare(old, new):
    """What breaks a program, by abidiff; sized structs may grow at their end."""
    grown = os.path.join(os.path.dirname(new), "grown")
    with open(grown, "w", encoding="utf-8") as file:
        file.write("".join(f"[suppress_type]\nname = {name}\n" for name in sized()))
    done = subprocess.run(["abidiff", "--no-added-syms", "--suppressions", grown, old, new], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4, 8, 12), done.stderr
    moved = [name for name in sized() if members(new, name)[:len(members(old, name))] != members(old, name)]
    return (done.stdout if done.returncode & 12 else "") + "".join(f"{name}: its members have moved\n" for name in moved)


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


def checks_may_be_added(folder):
    """A figure at the end of a report breaks nothing; one before its end does"""
    tap.need("abidw", "abidiff", "cc")
    old, new = os.path.join(folder, "old.abi"), os.path.join(folder, "new.abi")
    interface(folder, copied(folder), old)
    for pattern, by, breaks in ((r"\} trm_report;", "double further; } trm_report;", False),
                                (r"(typedef struct trm_report \{)", r"\1 double first;", True)):
        interface(folder, copied(folder, lambda _, text, pattern=pattern, by=by: re.sub(pattern, by, text)), new)
        assert bool(compare(old, new)) == breaks, (pattern, compare(old, new))


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
        return tap.run([changes_are_found, checks_may_be_added, nothing_is_broken], folder)


if __name__ == "__main__":
    sys.exit(main())
