"""docs/methods.md, from what the program says of its methods.

usage: methods_page.py PROGRAM > docs/methods.md
"""

import json
import subprocess
import sys

HEAD = """# Methods

Made by `python3 tools/methods_page.py build/tools/trammel > docs/methods.md`; `trammel methods` prints every pair with its
order and parameters, `trammel compare SCENE` runs them on a scene of yours.

Without `--method` and `--integrator` Trammel chooses for `--accuracy A` and says why.

A method is an integrator (how time advances) with a stabilization (how the constraints are kept). Parameters are options of
`trammel run` and fields of `trm_options`; a parameter that the method does not read is refused.
"""

TAIL = """
`ggl` and `ida` exist where SUNDIALS was there when Trammel was built; SUNDIALS may allocate memory within a step. `srm` with E = I
needs small steps on driven mechanisms, and is not meant for singular positions; `srm-singular` is.

AL93: Ascher & Lin, linear index 2 (1993). AL95: Ascher & Lin, sequential regularization for nonlinear higher-index DAEs (1995).
ACPR95: Ascher, Chin, Petzold & Reich, stabilization of constrained mechanical systems (1995). B72: Baumgarte (1972). F83, F08:
Featherstone, articulated-body inertias (1983); Rigid body dynamics algorithms (2008).
"""


def table(head, rows):
    lines = ["", "| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def main():
    text = subprocess.run([sys.argv[1], "methods", "--json"], check=True, capture_output=True, text=True).stdout
    methods = json.loads(text)["methods"]
    integrators, stabilizations = {}, {}
    for method in methods:
        integrators.setdefault(method["integrator"], []).append(method)
        stabilizations.setdefault(method["stabilization"], []).append(method)
    print(HEAD, end="")
    print(table(["`--integrator`", "what it is", "order", "steps"], [
        [f"`{name}`", group[0]["integrator_doc"], str(group[0]["order"]), "adaptive" if group[0]["adaptive"] else "fixed"]
        for name, group in integrators.items()]), end="")
    print(table(["`--method`", "what it does", "source", "integrators", "parameters"], [
        [f"`{name}`", group[0]["stabilization_doc"], group[0]["source"].split("half-explicit; ")[-1],
         ", ".join(m["integrator"] for m in group),
         " ".join(f"`{p}`" for p in group[0]["parameters"] if p != "control")]
        for name, group in stabilizations.items()]), end="")
    print(TAIL, end="")


main()
