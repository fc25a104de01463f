"""Reads the public C headers and writes what ctypes needs to know of them: trammel/_abi.py.

usage: bindings.py OUTPUT HEADER...

Constants, enumerations, structs, types of callbacks and prototypes are taken from the headers each
time the package is built, so that they cannot drift from the library. Only what such headers hold is
understood; anything else is an error, never a guess. tests/python/test_abi.py compares the outcome
with what a C compiler makes of the same headers.
"""
import os
import re
import sys

# C type -> ctypes
PLAIN = {
    "void": "None",
    "char": "c_char",
    "int": "c_int",
    "sig_atomic_t": "c_int",
    "unsigned": "c_uint",
    "unsigned int": "c_uint",
    "long": "c_long",
    "long long": "c_longlong",
    "unsigned long long": "c_ulonglong",
    "uint64_t": "c_uint64",
    "size_t": "c_size_t",
    "double": "c_double",
}
NUMBERS = set(PLAIN) - {"void", "char"}
CHECKED = {"c_int": "Int", "c_long": "Long", "c_char_p": "Text"}  # arguments: ctypes cuts off
ARGUMENTS = '''
def whole_text(value: Any) -> Any:
    """A text for C, which would end it at its first NUL; None stays."""
    data = value.encode() if isinstance(value, str) else value
    if isinstance(data, bytes) and b"\\0" in data:
        raise ValueError(f"a text with a NUL in it: {value!r}")
    return data


class Text(c_char_p):
    """An argument that is a text."""

    @classmethod
    def from_param(cls, value: Any) -> Any:
        return c_char_p.from_param(whole_text(value))


def _whole(kind: Any) -> Any:
    """An argument that is a whole number of this size: ctypes would cut off what does not fit."""
    most = 2 ** (8 * sizeof(kind) - 1)

    class Whole(kind):  # type: ignore[misc]
        @classmethod
        def from_param(cls, value: Any) -> Any:
            number = operator.index(value)
            if not -most <= number < most:
                raise OverflowError(f"{number} is no number from {-most} to {most - 1}")
            return kind(number)
    return Whole


Int, Long = _whole(c_int), _whole(c_long)
'''
WORDS = r"unsigned long long|long long|unsigned int|\w+"  # of a base type


class NotUnderstood(ValueError):
    """A header holds something that this program was not made for."""


def clean(text):
    """Without comments, and without preprocessor lines but the X-macro lists."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), text, flags=re.S)
    text = re.sub(r"^static inline [^{]*\{.*?^\}\n", "", text, flags=re.M | re.S)  # of C alone
    lists = dict(re.findall(r"^#define (\w+_LIST)\(X\)((?:[^\n]*\\\n)*[^\n]*)", text, flags=re.M))
    text = re.sub(r"^TRM_API_(BEGIN|END)$", "", text, flags=re.M)
    # typedef enum x { #define E(name, value, ...) name = value, \n LIST(E) #undef E } x;
    for name, body in lists.items():
        entries = re.findall(r"X\(\s*(\w+)\s*,\s*([-+\w]+)", body)
        text = re.sub(
            rf"^\s*{name}\(\w+\)\s*$", ", ".join(f"{n} = {v}" for n, v in entries), text, flags=re.M
        )
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    return text


def statements(text):
    """Declarations, each without its semicolon; those in braces stay together."""
    text = re.sub(r"^TRM_PRINTF_LIKE\([^)]*\)[^;]*;", "", text, flags=re.M)  # variadic: of C alone
    depth, start, found = 0, 0, []
    for i, c in enumerate(text):
        depth += (c == "{") - (c == "}")
        if c == ";" and depth == 0:
            found.append(" ".join(text[start:i].split()))
            start = i + 1
    if text[start:].strip():
        raise NotUnderstood(f"no semicolon after: {text[start:].strip()[:80]}")
    return found


class Header:
    """What the headers declare, in their order."""

    def __init__(self):
        self.enums = {}  # name -> {enumerator: value}
        self.structs = {}  # name -> [(field, ctypes expression)]
        self.opaque = []
        self.callbacks = {}  # name -> (result, [arguments])
        self.members = {}  # struct_field -> (result, [arguments]), of fields that are functions
        self.functions = {}  # name -> (result, [arguments])
        self.constants = {}

    # ---------------------------------------------------------------------------------- types

    def pointed(self, base, stars):
        """ctypes expression of `base` with that many stars."""
        if stars == 0:
            return self.value(base)
        if stars == 1 and base in self.callbacks:
            return base
        if stars == 1 and base == "char":
            return "c_char_p"
        if stars == 1 and (base == "void" or base in self.opaque):
            return "c_void_p"
        return f"POINTER({self.pointed(base, stars - 1)})"

    def value(self, base):
        if base in PLAIN:
            return PLAIN[base]
        if base in self.enums:
            return "c_int"
        if base in self.structs:
            return base
        raise NotUnderstood(f"type {base}")

    def declarator(self, text):
        """'const double *q' -> (base, [(name, stars, array)]); several of a field are split."""
        words = re.sub(r"\b(const|volatile)\b", " ", text)
        match = re.fullmatch(rf"\s*({WORDS})\b(.*)", words)
        if not match:
            raise NotUnderstood(text)
        base, parts = " ".join(match[1].split()), []
        for part in match[2].split(","):
            one = re.fullmatch(r"\s*([*\s]*)(\w*)\s*((?:\[\w*\])*)\s*", part)
            if not one:
                raise NotUnderstood(text)
            parts.append((one[2], one[1].count("*"), re.findall(r"\[(\w*)\]", one[3])))
        return base, parts

    def parameter(self, text):
        base, parts = self.declarator(text)
        (_, stars, array), *more = parts
        if more:
            raise NotUnderstood(text)
        stars += len(array)
        # arrays of numbers: an address, as NumPy gives it
        return "c_void_p" if stars == 1 and base in NUMBERS else self.pointed(base, stars)

    def signature(self, result, parameters):
        base, ((_, stars, _),) = self.declarator(result + " _")
        kind = self.pointed(base, stars)
        parameters = parameters.strip()
        arguments = [] if parameters in ("", "void") else parameters.split(",")
        return kind, [self.parameter(argument) for argument in arguments]

    # ----------------------------------------------------------------------------- declarations

    def enum(self, name, body):
        value, members = -1, {}
        for entry in filter(None, (entry.strip() for entry in body.split(","))):
            match = re.fullmatch(r"(\w+)(?:\s*=\s*(.+))?", entry)
            if not match or (match[2] and not re.fullmatch(r"[-+\s\d<()|xa-fA-F]+", match[2])):
                raise NotUnderstood(f"{name}: {entry}")
            value = eval(match[2], {}) if match[2] else value + 1  # digits and << only
            members[match[1]] = value
        self.enums[name] = members

    def struct(self, name, body):
        fields = []
        for line in filter(None, (line.strip() for line in body.split(";"))):
            if function := re.fullmatch(r"([\w\s*]+?)\(\*(\w+)\)\((.*)\)", line):
                self.members[f"{name}_{function[2]}"] = self.signature(function[1], function[3])
                fields.append((function[2], f"{name}_{function[2]}"))
                continue
            base, parts = self.declarator(line)
            for field, stars, array in parts:
                kind = self.pointed(base, stars)
                for size in reversed(array):
                    kind = f"{kind} * {self.size(size)}"
                fields.append((field, kind))
        self.structs[name] = fields

    def size(self, text):
        if text.isdigit():
            return int(text)
        for members in self.enums.values():
            if text in members:
                return members[text]
        raise NotUnderstood(f"array of {text}")

    def declare(self, statement):
        if match := re.fullmatch(r"typedef enum \w* ?\{(.*)\} (\w+)", statement):
            self.enum(match[2], match[1])
        elif match := re.fullmatch(r"enum \{(.*)\}", statement):
            self.enum(f"constants_{len(self.enums)}", match[1])
        elif match := re.fullmatch(r"typedef struct \w* ?\{(.*)\} (\w+)", statement):
            self.struct(match[2], match[1])
        elif match := re.fullmatch(r"struct (\w+) ?\{(.*)\}", statement):
            self.struct(match[1], match[2])
        elif match := re.fullmatch(r"typedef struct (\w+) (\w+)", statement):
            self.opaque.append(match[2])
        elif match := re.fullmatch(r"typedef ([\w\s*]+?)\(?\*?(\w+)\)? ?\((.*)\)", statement):
            self.callbacks[match[2]] = self.signature(match[1], match[3])
        elif match := re.fullmatch(r"([\w\s*]+?)(\w+) ?\((.*)\)", statement):
            self.functions[match[2]] = self.signature(match[1], match[3])
        else:
            raise NotUnderstood(statement)

    def read(self, text):
        for name, value in re.findall(r'^#define (TRM_\w+) ("[^"]*"|\d+)\s', text, flags=re.M):
            self.constants[name] = value
        for statement in filter(None, statements(clean(text))):
            self.declare(statement)


def python_class(name):
    """Fields come later, so that structs may point to each other."""
    return f"class {name}(Structure):\n    _fields_: Any\n"


def write(header):
    """-> the text of trammel/_abi.py."""
    lines = [
        '"""The C interface, written by tools/python/bindings.py from the headers; not to be edited."""',
        "from __future__ import annotations",
        "",
        "import enum",
        "import operator",
        "from ctypes import (  # noqa: F401",
        "    CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_long, c_longlong, c_size_t,",
        "    c_uint, c_uint64, c_ulonglong, c_void_p, sizeof,",
        ")",
        "from typing import Any",
        "",
    ]
    lines += [f"{name} = {value}" for name, value in header.constants.items()]
    for name, members in header.enums.items():
        lines += ["", "", f"class {name}(enum.IntEnum):"]
        lines += [f"    {member} = {value}" for member, value in members.items()]
    for name in header.structs:
        lines += ["", "", python_class(name).rstrip()]
    lines += ["", ""]
    for name, (result, arguments) in {**header.callbacks, **header.members}.items():
        lines.append(f"{name}: Any = CFUNCTYPE({', '.join([result, *arguments])})")
    for name, fields in header.structs.items():
        lines += ["", f"{name}._fields_ = ["]
        lines += [f'    ("{field}", {kind}),' for field, kind in fields]
        lines += ["]"]
    lines += ["", ARGUMENTS, "FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {"]
    for name, (result, arguments) in header.functions.items():
        lines.append(f'    "{name}": ({result}, [{", ".join(CHECKED.get(a, a) for a in arguments)}]),')
    return "\n".join([*lines, "}", ""])


def in_order(paths):
    """Headers by name, each after those that it includes."""
    texts = {}
    for path in sorted(paths):
        with open(path, encoding="utf-8") as file:
            texts[os.path.basename(path)] = path, file.read()
    done = {}

    def visit(name):
        if name not in done and name in texts:
            for other in re.findall(r'^#include "([^"]+)"', texts[name][1], flags=re.M):
                visit(other)
            done[name] = texts[name]

    for name in texts:
        visit(name)
    return done.values()


def read(paths):
    """All headers."""
    header = Header()
    for path, text in in_order(paths):
        try:
            header.read(text)
        except NotUnderstood as problem:
            raise NotUnderstood(f"{path}: not understood: {problem}") from None
    return header


if __name__ == "__main__":
    try:
        TEXT = write(read(sys.argv[2:]))
    except NotUnderstood as problem:
        sys.exit(str(problem))
    with open(sys.argv[1], "w", encoding="utf-8") as output:
        output.write(TEXT)
