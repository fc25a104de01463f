"""The shared library shows the functions that the public headers declare, and nothing else; it calls
nothing that prints, exits or aborts.

usage: symbols_test.py LIBRARY HEADER...
"""

import re
import subprocess
import sys


def declared(header):
    """Names of the functions that a header declares."""
    with open(header, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)
    text = re.sub(r"\btypedef\b[^;{]*;", "", text)  # types of functions
    text = re.sub(r"^static inline [^{]*\{.*?^\}\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^TRM_PRINTF_LIKE\([^)]*\)", "", text, flags=re.M)
    return set(re.findall(r"\b(\w+)\s*\((?!\*)[^;{]*\)\s*;", text))


def shown(library):
    """Names in the dynamic symbol table that others can link to."""
    table = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in table.splitlines()}


def wanted(library):
    """Names that the library asks others for."""
    table = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in table.splitlines()}


FORBIDDEN = re.compile(
    r"(_*f?printf_chk|abort|_?[eE]xit|quick_exit|v?f?printf|puts|fputs|putchar|fwrite|perror"
    r"|stdout|stderr|signal|sigaction|raise|setlocale)"
)


def soname(library):
    header = subprocess.run(["objdump", "-p", library], check=True, capture_output=True, text=True).stdout
    return re.search(r"SONAME\s+(\S+)", header).group(1)


def main():
    library, headers = sys.argv[1], sys.argv[2:]
    public, symbols = set().union(*map(declared, headers)), shown(library)
    forbidden = {name for name in wanted(library) if FORBIDDEN.fullmatch(name)}
    cases = [
        ("more than fifty functions were found in the headers", len(public) > 50, public),
        ("every public name begins with trm_", all(name.startswith("trm_") for name in public), public),
        ("nothing is seen that is not declared", symbols <= public, symbols - public),
        ("everything declared is seen", public <= symbols, public - symbols),
        ("the soname has a version", re.fullmatch(r"libtrammel\.so\.\d+", soname(library)) is not None, soname(library)),
        ("nothing prints, exits, aborts or touches signals", not forbidden, forbidden),
    ]
    print(f"1..{len(cases)}")
    for number, (claim, holds, found) in enumerate(cases, 1):
        print(f"{'ok' if holds else 'not ok'} {number} - {claim}" + ("" if holds else f": {found}"))


main()
