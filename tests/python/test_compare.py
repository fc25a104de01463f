"""trammel.compare runs the program, and says what it says."""
import os

import pytest

import trammel
from trammel import _library
from trammel.programs.program import program


@pytest.fixture(scope="module")
def small():
    scene = os.path.join(os.environ["TRAMMEL_SOURCE"], "docs", "examples", "four_bar.json")
    return trammel.compare(scene, ["s-both2"], set={"a": 0.15}, end=0.2, assemble=True,
                           steps=[0.01], rtols=[1e-6], repeat=1, jobs=1)


def test_rows_and_advice(small):
    assert small.status == "done" and small.reference["method"]
    assert {row.stabilization for row in small.rows} == {"s-both2"}
    rk4, = (row for row in small.rows if row.integrator == "rk4")
    assert rk4.step == 0.01 and rk4.rtol is None and rk4.status == "done" and rk4.error < 1e-3
    assert rk4.all["steps"] == 20 and rk4.branch_changes == 0
    assert small.recommendations and rk4.id in str(small)
    assert "a=0.15" in small.all["command"].replace("0.14999999999999999", "0.15")


def test_methods_have_parameters():
    scene = os.path.join(os.environ["TRAMMEL_SOURCE"], "scenes", "pendulum.json")
    for methods in ("rk4+baumgarte(12, 70), heun+srm(E=GBinv)", ["rk4+baumgarte(12, 70)", "heun+srm(E=GBinv)"]):
        rows = trammel.compare(scene, methods, end=0.2, steps=[0.01], repeat=1, jobs=1).rows
        assert [row.stabilization for row in rows] == ["baumgarte(alpha1=12, alpha0=70)", "srm(E=GBinv)"]
    with pytest.raises(trammel.Error, match="character 5"):
        trammel.compare(scene, "srm(E=X)")


def test_recordings_are_rows_and_a_study_has_its_lines(tmp_path):
    scene = "scenes/pendulum.json"
    path = tmp_path / "other.csv"
    trammel.load(scene).simulate(end=0.2, every=0.05).to_csv(path)
    row = trammel.compare(scene, "rk4+plain", end=0.2, steps=[0.01], rows=[path], repeat=1).rows[-1]
    assert row.integrator == "recorded" and row.error < 1e-5 and row.cpu_s is None
    lines = trammel.compare(scene, end=0.2, study="srm", repeat=1).all["study"]
    assert {line["along"] for line in lines} == {"epsilon", "h"}


def test_its_errors_are_those_of_the_package(monkeypatch, tmp_path):
    with pytest.raises(trammel.FileError):
        trammel.compare("no_such.json")
    with pytest.raises(trammel.InconsistentError) as caught:
        trammel.compare("docs/examples/four_bar.json", ["rk4"], repeat=1)
    assert caught.value.line == 7
    with pytest.raises(trammel.Error):
        trammel.compare("scenes/four_bar.json", ["no-such-method"])
    monkeypatch.setenv("TRAMMEL_PROGRAM", "/no/such/program")
    with pytest.raises(OSError):
        trammel.compare("scenes/four_bar.json")


def test_a_program_that_is_not_there_is_said_to_be_missing(monkeypatch, tmp_path):
    assert program().endswith("/tools/trammel")
    monkeypatch.setattr(_library, "path", lambda: str(tmp_path / "lib" / "libtrammel.so"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(trammel.Error, match="not found.*nor on PATH; set TRAMMEL_PROGRAM"):
        trammel.compare("scenes/four_bar.json")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "trammel").write_text("#!/bin/sh\n")
    (tmp_path / "bin" / "trammel").chmod(0o755)
    assert program() == str(tmp_path / "bin" / "trammel")
