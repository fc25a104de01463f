#!/usr/bin/env python3
"""First scenes and their pages as one C file: tools/templates/embed.py OUT.c NAME.json NAME.md ..."""
import os
import sys


def literal(path):
    with open(path, encoding="ascii") as file:
        lines = file.read().replace("\\", "\\\\").replace('"', '\\"').splitlines()
    return "\n".join(f'     "{line}\\n"' for line in lines)


def main(out, *paths):
    entries = [f'    {{"{os.path.basename(scene)[:-5]}",\n{literal(scene)},\n{literal(page)}}},\n'
               for scene, page in zip(paths[::2], paths[1::2])]
    with open(out, "w", encoding="ascii") as file:
        file.write('/* Made by tools/templates/embed.py. */\n#include "tools/templates/templates.h"\n\n'
                   "const trm_template trm_templates[] = {\n" + "".join(entries) + "    {0},\n};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
