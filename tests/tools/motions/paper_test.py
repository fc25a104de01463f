#!/usr/bin/env python3
"""trammel-papers: its verdicts follow from the numbers it prints. Prints TAP.

    tests/tools/motions/paper_test.py TRAMMEL_PAPERS ROOT TRAMMEL      the programs, and the root of the project
"""
import csv
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree

from tap import CASES, case
import tap

PROGRAM, ROOT, TRAMMEL = map(os.path.abspath, sys.argv[1:])

# Per table: cells, misprints, and at least how many cells equal to the printed digits.
TABLES = {
    "SRM-II/6.1": (96, 2, 93), "SRM-II/6.2": (60, 0, 50), "SRM-II/6.3": (20, 0, 16),
    "SRM-II/6.4": (36, 0, 32), "SRM-II/6.5": (4, 0, 0),
    "SRM-I/5.1": (225, 9, 211), "SRM-I/5.2": (32, 0, 31), "SRM-I/5.3": (45, 1, 41),
    "SRM-I/5.4": (45, 1, 38), "SRM-I/5.5": (12, 0, 4), "SRM-I/5.6": (24, 0, 23),
    "SRM-I/5.7": (12, 0, 11),
    "ACPR/6.1": (28, 0, 22), "ACPR/6.2": (28, 0, 25), "ACPR/6.3": (18, 0, 0),
    "ACPR/6.4": (12, 0, 0),
    "TH/4.1": (48, 1, 1), "TH/4.2": (48, 0, 0), "TH/4.3": (12, 0, 0), "TH/4.4": (12, 0, 0),
    "TH/5.1": (18, 1, 17), "TH/5.2": (10, 0, 8), "TH/5.3": (8, 0, 8),
}

# Where a cell may fail to be reproducible: chaotic, decided by roundoff, or data unpublished.
IRREPRODUCIBLE = {
    "SRM-II/6.3": r"Baumgarte", "SRM-II/6.5": r"it[12]", "SRM-I/5.5": r"\(1,1\)",
    "ACPR/6.3": r"omega",
    "TH/4.1": r"eu", "TH/4.2": r"e[up]", "TH/4.3": r"e[up]",
}

# Largest |G v + g_t| and |g| by an independent program, the same in double and in long double;
# None: roundoff, below 5e-14; inf: blows up.
DRIFTS = {
    "ACPR/6.1": {
        "h=0.01 Baum(0,0)": (3.2754e-03, 1.7071e-03),
        "h=0.01 Baum(12,70)": (7.1966e-03, 1.4493e-03),
        "h=0.01 S-full": (1.2326e-08, 6.1084e-10),
        "h=0.01 S-both": (1.6092e-04, 3.9005e-10),
        "h=0.01 S-both^2": (6.6590e-09, None),
        "h=0.01 S-vel": (None, 8.4454e-04),
        "h=0.01 S-pos": (math.inf, math.inf),
        "h=0.001 Baum(0,0)": (3.1959e-05, 1.6798e-05),
        "h=0.001 Baum(12,70)": (7.0473e-05, 1.4057e-05),
        "h=0.001 S-full": (None, None),
        "h=0.001 S-both": (1.5718e-07, None),
        "h=0.001 S-both^2": (None, None),
        "h=0.001 S-vel": (None, 8.0866e-06),
        "h=0.001 S-pos": (4.7684e-03, 7.5526e-12),
    },
    "ACPR/6.2": {
        "h=0.01 Baum(0,0)": (math.inf, math.inf),
        "h=0.01 Baum(12,70)": (5.1248e-01, 2.4577e-02),
        "h=0.01 S-full": (7.2073e-06, 6.2936e-07),
        "h=0.01 S-both": (3.0560e-02, 6.7781e-06),
        "h=0.01 S-both^2": (2.0421e-04, 6.7541e-07),
        "h=0.01 S-vel": (None, 7.8075e-03),
        "h=0.01 S-pos": (7.2943e-01, 2.7829e-03),
        "h=0.001 Baum(0,0)": (6.5741e-05, 5.5709e-05),
        "h=0.001 Baum(12,70)": (6.0183e-04, 3.8292e-05),
        "h=0.001 S-full": (3.8858e-11, 5.2725e-12),
        "h=0.001 S-both": (4.0685e-05, 4.6488e-12),
        "h=0.001 S-both^2": (2.0458e-10, None),
        "h=0.001 S-vel": (None, 5.7983e-05),
        "h=0.001 S-pos": (4.4320e-03, 8.7785e-11),
    },
}


def papers(*args, program=PROGRAM):
    return subprocess.run([program, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)


def expect(code, *args, program=PROGRAM):
    result = papers(*args, program=program)
    assert result.returncode == code, f"exit {result.returncode}, not {code}: {result.stderr!r}"
    return result


def refused(code, *args, says):
    result = expect(code, *args)
    text = result.stderr.decode()
    assert text.startswith("error: ") and result.stdout == b"", (text, result.stdout)
    assert re.search(says, text), f"{says!r} is not in {text!r}"


class Once:
    """The whole run, made once; it ends with 4 when a cell differs."""
    code, report = 0, None

    @classmethod
    def tables(cls):
        if cls.report is None:
            result = papers("--json")
            cls.code = result.returncode
            cls.report = json.loads(result.stdout)
        return {table["table"]: table for table in cls.report["tables"]}

    @classmethod
    def cells(cls, verdict):
        for name, table in cls.tables().items():
            for cell in table["cells"]:
                if cell["verdict"] == verdict:
                    yield name, cell


def digits_of(text):
    return len(text.split("e")[0].replace(".", "").lstrip("0"))


def units_off(cell):
    """Of the last printed digit."""
    unit = 10.0 ** (math.floor(math.log10(abs(cell["printed"]))) - digits_of(cell["printed_text"]) + 1)
    return abs(cell["ours"] - cell["printed"]) / unit


def cut(x, digits):
    """x to so many digits, the rest dropped."""
    unit = 10.0 ** (math.floor(math.log10(abs(x))) - digits + 1)
    return math.trunc(x / unit * (1 + 1e-12)) * unit


def equal(ours, text, digits):
    """Whether `ours`, to the digits of a printed number, is that number; null is a blow-up."""
    if text in ("*", "NaN"):
        return ours is None
    if ours is None:
        return False
    if digits_of(text) == 0:
        return abs(ours) < 1e-15
    if digits == "cut off":
        return math.isclose(cut(ours, digits_of(text)), float(text), rel_tol=1e-9)
    rounded = float(f"{ours:.{digits_of(text) - 1}e}")
    return math.isclose(rounded, float(text), rel_tol=1e-9)


# ------------------------------------------------------------------------------------ the verdicts

@case
def all_tables():
    """Every table of the papers and of the thesis is there, cell by cell"""
    tables = Once.tables()
    assert list(tables) == list(TABLES), list(tables)
    for name, (cells, _, _) in TABLES.items():
        assert len(tables[name]["cells"]) == cells, (name, len(tables[name]["cells"]))
        places = {(cell["row"], cell["column"]) for cell in tables[name]["cells"]}
        assert len(places) == cells, f"{name}: a cell twice"


@case
def nothing_differs():
    """No cell differs from the printed value without a known reason"""
    found = [(name, cell["row"], cell["column"], cell["ours"]) for name, cell in Once.cells("differs")]
    assert not found and Once.code == 0, (Once.code, found)


@case
def same_is_same():
    """`same` means equal to the printed digits, and every equal cell is called so"""
    for name, table in Once.tables().items():
        for cell in table["cells"]:
            assert (cell["verdict"] == "same") == equal(
                cell["ours"], cell["printed_text"], table["digits"]), (name, cell)
            assert (cell["verdict"] == "same") == ("reason" not in cell), (name, cell)


@case
def numbers_of_tables():
    """Misprints are exactly the known ones, and as many cells as ever equal the printed digits"""
    for name, (_, misprints, same) in TABLES.items():
        verdicts = Once.tables()[name]["verdicts"]
        assert verdicts["misprint"] == misprints, (name, verdicts)
        assert verdicts["same"] >= same, (name, verdicts)
        counted = [cell["verdict"] for cell in Once.tables()[name]["cells"]]
        assert all(counted.count(v) == n for v, n in verdicts.items()), (name, verdicts)


@case
def misprints():
    """A misprint comes with the right value, which is ours to the printed digits"""
    for name, cell in Once.cells("misprint"):
        assert equal(cell["ours"], cell["right"], Once.tables()[name]["digits"]), (name, cell)
        assert digits_of(cell["right"]) == digits_of(cell["printed_text"]), (name, cell)
        assert not math.isclose(float(cell["right"]), cell["printed"], rel_tol=0.1), (name, cell)


@case
def close_is_close():
    """`close` is within three units of the last digit, apart from roundoff, step control and moved points; never above 1.2"""
    for name, cell in Once.cells("close"):
        ratio = cell["ours"] / cell["printed"]
        assert 1 / 1.2 <= ratio <= 1.2, (name, cell)
        if name == "SRM-II/6.2":
            assert "alpha1=1" in cell["row"] or abs(cell["ours"]) < 1e-12, (name, cell)
        elif name == "SRM-I/5.5":
            assert "(h,1)" in cell["row"], (name, cell)
        elif name == "ACPR/6.4":
            # 0.1, and with the two drifts of roundoff's size, 0.4, is what the step control moves
            far = 0.4 if "S-both^2" in cell["row"] and "drift" in cell["column"] else 0.15
            assert abs(ratio - 1) <= far, (name, cell)
        elif name.startswith("ACPR"):
            assert cell["ours"] < 5e-14, (name, cell)
        elif name == "TH/4.4":  # the table counts one iterate less
            assert 1 <= ratio, (name, cell)
        elif name.startswith("TH/4"):  # places of differences and the norm found by trial
            assert 0.9 <= ratio <= 1.1, (name, cell)
        else:
            assert 0.92 <= ratio <= 1.08 and units_off(cell) < 3, (name, cell)


@case
def order_of_magnitude():
    """`order of magnitude` is beyond a factor of 1.2, up to 10, and only where the printed digits are roundoff or moved points"""
    for name, cell in Once.cells("order of magnitude"):
        ratio = cell["ours"] / cell["printed"]
        assert (1.2 < ratio <= 10) or (0.1 <= ratio < 1 / 1.2), (name, cell)
        # SRM-II/6.2: roundoff over epsilon; ACPR: drifts of roundoff; SRM-I/5.5: moved points; TH/4.4: an iterate less
        assert (name == "SRM-II/6.2" and "alpha1=1" in cell["row"]) or (name == "SRM-I/5.5" and "(h,1)" in cell["row"]) \
            or (name.startswith("ACPR/6.") and cell["ours"] < 5e-14) or (name == "TH/4.4" and ratio < 1.25) \
            or (name == "ACPR/6.4" and cell["row"] == "S-both^2" and abs(ratio - 1) <= 0.4), (name, cell)  # step control


@case
def irreproducible():
    """`not reproducible` only where the paper's data or arithmetic leave the digits open"""
    for name, cell in Once.cells("not reproducible"):
        assert re.search(IRREPRODUCIBLE.get(name, "$^"), cell["row"]), (name, cell)
        assert len(cell["reason"]) > 40, (name, cell)


@case
def independent_drifts():
    """Tables 6.1 and 6.2 of ACPR agree with an independent program to 1e-3, blow-ups included"""
    for name, rows in DRIFTS.items():
        for cell in Once.tables()[name]["cells"]:
            expected = rows[cell["row"]][cell["column"] == "position drift"]
            if expected is None:
                assert cell["ours"] < 5e-14, (name, cell)
            elif math.isinf(expected):
                assert cell["ours"] is None, (name, cell)
            else:
                assert math.isclose(cell["ours"], expected, rel_tol=1e-3), (name, cell, expected)


@case
def structure_of_6_5():
    """SRM-II/6.5: drift O(epsilon), a gain of about 1e-3 per iterate, position = epsilon x velocity"""
    ours = {(c["row"], c["column"]): c["ours"] for c in Once.tables()["SRM-II/6.5"]["cells"]}
    first, second = ours["it1", "velocity drift"], ours["it2", "velocity drift"]
    assert 1e-4 < first < 2e-3 and 5e-4 < second / first < 2e-3, ours
    assert math.isclose(ours["it1", "position drift"], 1e-4 * first, rel_tol=0.01), ours


@case
def drifts_of_6_4():
    """ACPR/6.4: the drifts of S-both^2 are not larger than printed, and those of another program"""
    for cell in Once.tables()["ACPR/6.4"]["cells"]:
        if cell["row"] == "S-both^2" and "drift" in cell["column"]:
            assert cell["ours"] <= cell["printed"], cell
            # F of stage 6, the same control: .24e-13 is roundoff, 1.26e-8 is not
            known, close = (0.24e-13, 0.3) if "position" in cell["column"] else (1.26e-8, 0.01)
            assert math.isclose(cell["ours"], known, rel_tol=close), cell


def crank(scene, end, iterates):
    """Angle of the crank in the form of (5.5)-(5.6), h = epsilon = 1e-4, lambda_0 = 0"""
    result = expect(0, "run", os.path.join(ROOT, "scenes", f"{scene}.json"), "--json", "--no-verify",
                    "--method", "srm", "--form", "lambda-hat", "--step", "1e-4", "--epsilon", "1e-4",
                    "--lambda0", "zero", "--end", str(end), "--iterations", str(iterates), program=TRAMMEL)
    return json.loads(result.stdout)["state"]["bodies"]["crank"]["angle"]


@case
def iterates_drift_apart():
    """docs/validation/papers.md: iterates 1 to 4 of the turning slider-crank at t = 30"""
    exact = 101.8462235494  # one degree of freedom, order 8, to 1e-12
    for iterate, error in enumerate((3.5, 1.3, 0.25, 0.019), 1):
        angle = crank("slider_crank_turn", 30, iterate)
        assert math.isclose(abs(angle - exact), error, rel_tol=0.03), (iterate, angle - exact)


@case
def iterates_hold():
    """docs/validation/papers.md: those of the swinging slider-crank hold until t = 70, each nearer until Heun's error is left"""
    exact = 4.5259544855  # tests/reference.h, from one degree of freedom
    one, two, three = (abs(crank("slider_crank_swing", 70, iterate) - exact) for iterate in (1, 2, 3))
    assert one < 0.1 and two < one / 10 and three < two / 10 and three < 1e-5, (one, two, three)


@case
def counts_of_the_page():
    """docs/validation/papers.md: the table of counts has those of the program"""
    verdicts = "same", "close", "order of magnitude", "misprint", "not reproducible"
    with open(os.path.join(ROOT, "validation", "results", "papers_count.csv"), encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert sum(int(row["cells"]) for row in rows) == sum(len(table["cells"]) for table in Once.tables().values())
    for row in rows:
        paper, first, last = re.match(r"(\S+/\d\.)(\d)(?:(?:, | to )\d\.(\d))?", row["table"]).groups()
        cells = [cell["verdict"] for n in range(int(first), int(last or first) + 1) for cell in Once.tables()[f"{paper}{n}"]["cells"]]
        assert [len(cells)] + [cells.count(v) for v in verdicts] == [int(row[key] or 0) for key in ("cells", *verdicts)], row


# ------------------------------------------------------------------------------ the command line

@case
def one_table():
    """One table alone gives the cells of the whole run; its name may be written small"""
    for name in ("SRM-II/6.1", "srm-i/5.6"):
        table = json.loads(expect(0, name, "--json").stdout)
        assert table["cells"] == Once.tables()[name.upper()]["cells"], name


@case
def text():
    """The text has a line for every cell, the ratio, the verdict and the reasons"""
    lines = expect(0, "SRM-II/6.1").stdout.decode().splitlines()
    verdict = re.compile(r"  (same|close|misprint, right is \.\d+e-\d)( \[\d\])?$")
    assert sum(bool(verdict.search(line)) for line in lines) == 96, lines
    assert any(line.startswith("  [1] ") for line in lines), lines
    assert max(map(len, lines)) < 140


@case
def summary():
    """Without a table: one line per table, and the total"""
    tap.by_night()
    lines = expect(0).stdout.decode().splitlines()
    assert [line.split()[0] for line in lines[1:len(TABLES) + 2]] == [*TABLES, "all"], lines
    assert int(lines[len(TABLES) + 1].split()[1]) == sum(n for n, _, _ in TABLES.values()), lines


@case
def bad_names():
    """A name that does not exist is a usage error with a suggestion"""
    refused(1, "SRM-II/6.9", says=r'did you mean "SRM-II/6\.\d"')
    refused(1, "ARPC/6.1", says='did you mean "ACPR/6.1"')
    refused(1, "figure", "ACPR/6.5", says=r'did you mean "ACPR/6\.\d"')
    refused(1, "", says="no table")
    refused(1, "SRM-II/6.1", "SRM-II/6.2", says="one table")


@case
def foreign_names():
    """Control characters of a name are shown as \\x1b"""
    for words in (["a\x1b[31mred\x07\u009b2J\x7f"], ["figure", "a\x1b[31mred\x07\u009b2J\x7f"]):
        text = expect(1, *words).stderr.decode()
        assert r"\x1b" in text and not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text), text


@case
def bad_options():
    """Options that make no sense here are usage errors"""
    refused(1, "SRM-II/6.1", "-o", "x.svg", says="figure")
    refused(1, "figure", "SRM-II/5.1", "--json", says="SVG")
    refused(1, "figure", "SRM-II/5.1", "-o", "x.png", says="svg")
    refused(5, "figure", "SRM-II/5.1", "-o", "no/such/folder.svg", says="cannot be written")


@case
def figures():
    """The figures are listed, and each is well-formed SVG with axes and lines"""
    names = [line.split()[0] for line in expect(0, "figure").stdout.decode().splitlines()]
    assert {"SRM-II/5.1", "SRM-II/6.1", "SRM-II/6.2", "ACPR/2.1", "ACPR/6.1", "ACPR/6.2", "ACPR/6.3",
            "ACPR/6.4", "TH/cavity", "TH/five-spot", "TH/iterates"} == set(names), names
    for name in names:
        if name == "SRM-II/6.1" or name == "TH/cavity" and not tap.nightly():
            continue  # as the others, but half a million steps, or a flow of 9 s
        expect(0, "figure", name, "-o", "figure.svg")
        root = xml.etree.ElementTree.parse("figure.svg").getroot()
        tags = [element.tag.split("}")[1] for element in root.iter()]
        assert root.tag.endswith("svg") and tags.count("polyline") >= 1 and tags.count("text") > 10
        with open("figure.svg", encoding="utf-8") as file:
            assert "nan" not in file.read().lower().replace("mechanism", ""), name


@case
def page():
    """docs/validation/papers.md names only tables and figures that exist"""
    with open(os.path.join(ROOT, "docs", "validation", "papers.md"), encoding="utf-8") as file:
        content = file.read()
    listed = expect(0, "figure").stdout.decode()
    for name in re.findall(r"trammel-papers ([A-Z]\S+/\d\.\d)", content):
        assert name in TABLES, name
    for name in re.findall(r"trammel-papers figure (\S+/[\w.-]+)", content):
        assert name in listed, name


@case
def claims_and_open_ends():
    """What has no table is measured and holds, or says where it is shown; nothing is left open"""
    claims = json.loads(expect(0, "claims", "--json").stdout)["claims"]
    assert len(claims) >= 26, len(claims)
    verdicts = {claim["verdict"] for claim in claims}
    assert verdicts == {"holds", "done"}, verdicts
    for claim in claims:
        if claim["verdict"] == "holds":
            assert claim["low"] <= claim["found"] <= claim["high"], claim
        else:
            assert len(claim["reason"]) > 20, claim
    lines = expect(0, "claims").stdout.decode().splitlines()
    assert all(len(line) <= 140 for line in lines), max(lines, key=len)
    refused(1, "claims", "TH/4.1", says="all together")


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
