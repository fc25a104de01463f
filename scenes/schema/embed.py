#!/usr/bin/env python3
"""The lines of scene_format.md.in as an array of C: scenes/schema/embed.py OUT.c IN"""
import pathlib
import sys

lines = pathlib.Path(sys.argv[2]).read_text(encoding="ascii").replace("\\", "\\\\").replace('"', '\\"').splitlines()
pathlib.Path(sys.argv[1]).write_text('#include "base/text/text_buffer.h"\n\nconst char *const trm_scene_format[] = {\n'
                                     + "".join(f'    "{line}",\n' for line in lines) + "    0,\n};\n", encoding="ascii")
