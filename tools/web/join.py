#!/usr/bin/env python3
"""Joins the template, the style and the scripts of the report into one C file.

    tools/web/join.py OUT.c NAME HEADER report.html STYLE.css... SCRIPT.js...

The page is cut where the data go; each half becomes a NULL-terminated array of lines, NAME_head and NAME_tail, as HEADER declares them. Only the style and
the script that are in it may run: their SHA-256 stand in its content security policy, so that
nothing a scene or a file name could bring in does anything.
"""
import base64
import hashlib
import sys


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def digest(text):
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def literal(line):
    """A C string of one line; trigraphs and bytes beyond ASCII are escaped."""
    out = []
    for byte in line.encode():
        char = chr(byte)
        if char in '"\\?':
            out.append("\\" + char)
        elif char == "\n":
            out.append("\\n")
        elif 32 <= byte < 127:
            out.append(char)
        else:
            out.append(f"\\{byte:03o}")
    return '    "' + "".join(out) + '",\n'


def array(name, text):
    lines = "".join(literal(line) for line in text.splitlines(keepends=True))
    return f"const char *const {name}[] = {{\n{lines}    NULL,\n}};\n"


def main(out, name, header, template, *parts):
    scripts = [part for part in parts if part.endswith(".js")]
    style = "\n" + "\n".join(read(part) for part in parts if part.endswith(".css"))
    script = '\n"use strict";\n' + "\n".join(read(path) for path in scripts)
    for text, end in ((style, "</style"), (script, "</script")):
        if end in text.lower():
            sys.exit(f"{end} would end the element early")
    page = read(template)
    for key, value in (("@style-hash@", digest(style)), ("@script-hash@", digest(script)),
                       ("@style@", style), ("@script@", script)):
        if page.count(key) != 1:
            sys.exit(f"{template}: {key} must stand in it once")
        page = page.replace(key, value)
    head, data, tail = page.partition("@data@")
    if not data:
        sys.exit(f"{template}: @data@ is missing")
    with open(out, "w", encoding="ascii") as file:
        file.write("/* Made by tools/web/join.py. */\n"
                   f'#include "{header}"\n\n#include <stddef.h>\n\n'
                   + array(f"{name}_head", head) + "\n" + array(f"{name}_tail", tail))


if __name__ == "__main__":
    main(*sys.argv[1:])
