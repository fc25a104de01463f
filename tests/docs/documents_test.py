"""The manual page and the reference of the C interface say what the program and its headers hold.

usage: documents_test.py PROGRAM BUILD SOURCE HEADER...
"""
import os
import re
import subprocess
import sys
import tempfile

import tap
from tap import need

PROGRAM, BUILD, SOURCE, HEADERS = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, **more)


def page():
    with open(os.path.join(BUILD, "docs", "trammel.1"), encoding="utf-8") as file:
        return file.read()


def test_manual_page_has_no_roff_mistake():
    need("groff")
    done = run("groff", "-man", "-ww", "-Tutf8", os.path.join(BUILD, "docs", "trammel.1"))
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_manual_page_has_every_subcommand_and_option():
    text = page().replace("\\-", "-")
    overview = run(PROGRAM, "help").stdout
    names = re.findall(r"^  ([a-z]+) {2,}\S", overview, flags=re.MULTILINE)
    assert len(names) >= 9, names
    for name in names:
        assert f".SS {name}\n" in text, name
        for line in run(PROGRAM, "help", name).stdout.split("\n"):
            option = re.match(r"  (?:-\w, )?(--[a-zA-Z0-9-]+)", line)
            assert not option or re.search(rf"^\.B .*{option[1]}\b", text, re.MULTILINE), line


def test_manual_page_has_every_exit_code():
    codes = re.findall(r"^\.TP\n\.B (\d)\n(.+)$", page(), flags=re.MULTILINE)
    assert [code for code, _ in codes] == [str(i) for i in range(len(codes))] and len(codes) >= 6, codes


def test_reference_is_made_without_a_warning_and_has_every_function():
    need("doxygen")
    with open(os.path.join(BUILD, "docs", "Doxyfile"), encoding="utf-8") as file:
        settings = file.read()
    functions = set()
    for header in HEADERS:
        assert f'/{os.path.basename(header)}"' in settings, header
        with open(header, encoding="utf-8") as file:
            functions |= set(re.findall(r"^[a-z].*?\b(trm_\w+)\(", file.read(), flags=re.MULTILINE))
    functions -= {name for name in functions if name.endswith("_fn")}
    with tempfile.TemporaryDirectory() as folder:
        settings = re.sub(r"(?m)^OUTPUT_DIRECTORY .*$", f'OUTPUT_DIRECTORY = "{folder}"', settings)
        done = run("doxygen", "-", input=settings, cwd=SOURCE)
        assert done.returncode == 0 and not done.stderr, done.stderr
        text = ""
        for name in os.listdir(os.path.join(folder, "reference")):
            if name.endswith("_8h.html"):
                with open(os.path.join(folder, "reference", name), encoding="utf-8") as file:
                    text += file.read()
    assert len(functions) > 40, functions
    missing = [name for name in sorted(functions) if f"{name} (" not in re.sub(r"<[^>]*>", "", text)]
    assert not missing, missing


if __name__ == "__main__":
    sys.exit(tap.run([case for name, case in list(globals().items()) if name.startswith("test_")]))
