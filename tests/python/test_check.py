"""The verdicts of model.check() are those of `trammel check --json`."""
import dataclasses
import math
import os
import pathlib

import pytest

import trammel

ROOT = pathlib.Path(os.environ["TRAMMEL_SOURCE"])
SCENES = [path.relative_to(ROOT) for folder in ("tests/diagnosis", "scenes", "docs/examples")
          for path in sorted((ROOT / folder).glob("*.json"))
          if path.name not in ("scene.schema.json", "chain_1000.json", "chain_100.json", "four_bar_40.json")]
KEYS = [field.name for field in dataclasses.fields(trammel.Diagnosis)]


def finite(value):
    """JSON has null for what is not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(entry) for key, entry in value.items()}
    return [finite(entry) for entry in value] if isinstance(value, list) else value


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_same_as_the_command_line(path, program_json):
    said = program_json("check", path)
    assert finite(dataclasses.asdict(trammel.load(path).check())) == {key: said[key] for key in KEYS}


def test_with_assembling(program_json):
    path = "docs/examples/four_bar.json"
    said = program_json("check", path, "--assemble")
    found = trammel.load(path).check(assemble=True)
    assert finite(dataclasses.asdict(found)) == {key: said[key] for key in KEYS}
    assert found.consistent and not trammel.load(path).check().consistent


def test_names_and_lines():
    found = trammel.load("tests/diagnosis/doubled_joint.json").check()
    assert found.redundant and all(r.kind == "structural" and all(r.lines) for r in found.redundant)
    found = trammel.load("tests/diagnosis/motor_out_of_reach.json").check()
    assert found.conflicts and found.conflicts[0].gaps


def test_a_scene_changed_after_building():
    scene = trammel.Scene.load("scenes/four_bar.json")
    model = scene.build()
    before = model.check()
    scene.set(l=2)
    after = model.check()
    assert after.rank == before.rank and after.assemblies.positions == before.assemblies.positions
