#!/usr/bin/env python3
"""Joins the page of trammel view into one C file.

    tools/web/join_view.py OUT.c view.html body.html view.css boot.js PLOT.js SPACE.js APP.js

Style, body and scripts are packed (gzip, base 85) and unpacked by boot.js; what is for scenes in space alone (SPACE.js) is
an array of its own. Only the style and the scripts that are in the page may run: their
SHA-256 stand in its content security policy.
"""
import base64
import gzip
import json
import re
import sys

from join import array, digest, read


def packed(text):
    """As tools/page/pack.c has it: no digit is markup, or a part of a trigraph."""
    return base64.b85encode(gzip.compress(text.encode(), 9, mtime=0)).decode().translate(str.maketrans("<&?", ",.:"))


def block(name, text):
    return f'<script type="text/plain" id="packed-{name}">{packed(text)}</script>\n' if text else ""


def replaced(page, values):
    for key, value in values:
        if page.count(key) != 1:
            sys.exit(f"view.html: {key} must stand in it once")
        page = page.replace(key, value)
    return page


def lines(text):
    """Long lines in pieces: C compilers need not take literals of any length."""
    return [text[i:i + 2000] for i in range(0, len(text), 2000)]


def long_array(name, text):
    return array(name, "").replace("    NULL", "".join(array("x", piece).split("\n", 1)[1].rsplit("    NULL", 1)[0]
                                                       for piece in lines(text)) + "    NULL")


def short(style):
    """Without comments and line breaks."""
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.S)
    return re.sub(r"\s*([{};,>])\s*", r"\1", re.sub(r"\s+", " ", style)).replace(": ", ":").strip()


def main(out, template, body, style, boot, plot, solid, app):
    style, boot, plot, solid, app = short(read(style)), read(boot), read(plot), read(solid), read(app)
    body = re.sub(r">\s+<", "> <", read(body).strip())
    app = f'document.head.append(Object.assign(document.createElement("style"), {{ textContent: {json.dumps(style)} }}));\n' \
          f'document.body.insertAdjacentHTML("afterbegin", {json.dumps(body)});\n{app}'
    hashes = " ".join(f"'{digest(text)}'" for text in (boot, plot, solid, app) if text)
    page = replaced(read(template), [("@style-hash@", digest(style)), ("@script-hashes@", hashes), 
                                     ("@boot@", boot), ("@blocks@", block("plot", plot) + block("app", app)),
                                     ("@space@", "")])
    head, rest = page.split("@space-begin@")
    _, rest = rest.split("@space-end@")
    _, tail = rest.split("@data@")
    with open(out, "w", encoding="ascii") as file:
        file.write('/* Made by tools/web/join_view.py. */\n#include "tools/page/page.h"\n\n#include <stddef.h>\n\n'
                   + long_array("trm_view_page_head", head) + "\n" + long_array("trm_view_page_space", block("space", solid))
                   + "\n" + long_array("trm_view_page_tail", tail))


if __name__ == "__main__":
    main(*sys.argv[1:])
