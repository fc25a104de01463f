#!/usr/bin/env python3
"""Industrial mechanisms against the calculation by hand of each (validation/industrial.py). Prints TAP.

    tests/tools/motions/industrial_test.py TRAMMEL ROOT
"""
import pathlib
import sys

import tap

sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "validation"))
import industrial  # noqa: E402


def agrees(name):
    def case():
        rows, verdicts = industrial.run_of(name, sys.argv[1])
        assert "POOR" not in verdicts.values() and "poor" not in verdicts.values(), verdicts
        for what, hand, run in rows:  # the accuracy that every run asks for
            assert abs(hand - run) <= 1e-6 * max(1, abs(hand)), (what, hand, run)
    case.__doc__ = f"{name}: {industrial.MECHANISMS[name][0]}"
    return case


def page():
    """The page docs/industrial.md is the one that tools/gallery.py writes"""
    written = (industrial.ROOT / "docs" / "industrial.md").read_text(encoding="utf-8")
    assert written == industrial.page(sys.argv[1])


if __name__ == "__main__":
    sys.exit(tap.run([agrees(name) for name in industrial.MECHANISMS] + [page]))
