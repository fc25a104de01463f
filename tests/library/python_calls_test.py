"""The Python package calls the functions of the C headers as they are declared there. Prints TAP.

usage: python_calls_test.py ROOT

Needs neither NumPy nor the library, so that it runs everywhere; what the calls do is tested in
tests/python.
"""
import ast
import glob
import os
import sys

ROOT = sys.argv[1]
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools", "python"))
import bindings  # noqa: E402

HEADERS = bindings.read(glob.glob(os.path.join(ROOT, "include", "trammel", "*.h")))


def named(node, owner):
    """'trm_x' of the expression owner.trm_x, else None."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == owner:
        return node.attr if node.attr.startswith("trm_") else None
    return None


def wrong_calls(tree):
    """Calls lib.trm_x(...) with another number of arguments than declared, or of nothing declared."""
    for node in ast.walk(tree):
        name = named(node.func, "lib") if isinstance(node, ast.Call) else None
        if name is None or any(isinstance(argument, ast.Starred) for argument in node.args):
            continue
        declared = HEADERS.functions.get(name)
        if declared is None or len(declared[1]) != len(node.args):
            wanted = "not declared" if declared is None else f"{len(declared[1])} arguments declared"
            yield f"line {node.lineno}: {name} with {len(node.args)}: {wanted}"


def wrong_names(tree):
    """lib.trm_x and _abi.trm_x that the headers do not have; enumerators; fields given by keyword."""
    known = {*HEADERS.structs, *HEADERS.enums, *HEADERS.callbacks}
    known |= {f"{struct}_{field}" for struct, fields in HEADERS.structs.items() for field, _ in fields}
    for node in ast.walk(tree):
        function, kind = named(node, "lib"), named(node, "_abi")
        if function and function not in HEADERS.functions:
            yield f"line {node.lineno}: no function {function}"
        if kind and kind not in known:
            yield f"line {node.lineno}: no type {kind}"
        enum = named(node.value, "_abi") if isinstance(node, ast.Attribute) else None
        if enum in HEADERS.enums and node.attr not in HEADERS.enums[enum]:
            yield f"line {node.lineno}: no {node.attr} in {enum}"
        struct = named(node.func, "_abi") if isinstance(node, ast.Call) else None
        if struct in HEADERS.structs:
            fields = {field for field, _ in HEADERS.structs[struct]}
            for keyword in node.keywords:
                if keyword.arg is not None and keyword.arg not in fields:
                    yield f"line {node.lineno}: {struct} has no field {keyword.arg}"


def main():
    paths = sorted(glob.glob(os.path.join(ROOT, "tools", "python", "trammel", "**", "*.py"), recursive=True))
    calls, failed = 0, False
    print(f"1..{len(paths) + 1}")
    for number, path in enumerate(paths, 1):
        with open(path, encoding="utf-8") as file:
            tree = ast.parse(file.read())
        calls += sum(isinstance(node, ast.Call) and named(node.func, "lib") is not None
                     for node in ast.walk(tree))
        wrong = [*wrong_calls(tree), *wrong_names(tree)]
        failed |= bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - calls of {os.path.basename(path)}")
        for line in wrong:
            print(f"# {line}")
    print(f"{'ok' if calls > 40 else 'not ok'} {len(paths) + 1} - {calls} calls were found")
    return failed or calls <= 40


sys.exit(main())
