"""What is refused says where: file, line, joint, time."""
import ctypes
import json
import os
import pathlib
import pickle
import re
import shutil
import traceback

import pytest

import trammel

import scenes

REJECTED = sorted((pathlib.Path(os.environ["TRAMMEL_SOURCE"]) / "tests" / "rejected").glob("*.json"))


@pytest.mark.parametrize("path", REJECTED, ids=lambda path: path.stem)
def test_bad_scenes_name_file_and_line(path, program):
    with pytest.raises((trammel.SceneError, trammel.FileError)) as caught:
        trammel.load(path)
    problem = caught.value
    said = program("check", path).stderr.splitlines()[0].removeprefix("error: ")
    # long places are cut in the library's error
    assert str(problem).split(": ")[-1] == said.split(": ")[-1]
    if problem.line is not None:
        assert problem.file == str(path)
        assert said.startswith(f"{path}:{problem.line}:{problem.column}: ")


def test_a_bad_value_is_shown_with_its_line(tmp_path):
    path = tmp_path / "bar.json"
    path.write_text('{"dimension": 2,\n "bodies": [\n  {"name": "a", "mass": -1, "inertia": 1}]}')
    with pytest.raises(trammel.SceneError) as caught:
        trammel.load(path)
    problem = caught.value
    assert (problem.line, problem.column, problem.pointer) == (3, 25, "/bodies/0/mass")
    assert problem.status == "TRM_ERR_SCENE" and isinstance(problem, ValueError)
    assert str(problem) == f"{path}:3:25: /bodies/0/mass: mass must be > 0, got -1"
    shown = "".join(traceback.format_exception(problem))
    assert '    {"name": "a", "mass": -1, "inertia": 1}]}\n' + " " * 26 + "^" in shown
    with pytest.raises(trammel.SceneError) as caught:
        trammel.parse(path.read_text())
    assert (caught.value.file, caught.value.line) == ("scene", 3) and caught.value.__notes__


def test_every_status_has_a_class_of_its_own():
    from trammel import _abi, errors
    failures = [status for status in _abi.trm_status if status < 0]
    classes = [errors.class_of(status) for status in failures]
    assert len(set(classes)) == len(classes) and trammel.Error not in classes
    assert [c.status for c in classes] == [status.name for status in failures]


def test_files_and_parameters():
    with pytest.raises(trammel.FileError, match="no_such.json") as caught:
        trammel.load("no_such.json")
    assert isinstance(caught.value, OSError)
    with pytest.raises(trammel.SceneError, match=r"unknown key .\\x1b.\\u202e.; known"):  # shown, and steers no terminal
        trammel.parse('{"dimension": 2, "\\u001b[\\u202e": 1}')
    with pytest.raises(trammel.SceneSyntaxError):
        trammel.parse("{")
    with pytest.raises(trammel.SceneError, match='no parameter "L".*did you mean'):
        trammel.parse(scenes.text(), set={"L": 1})
    with pytest.raises(trammel.SceneError):
        trammel.parse(scenes.text(), set={"l": float("nan")})
    scene = trammel.Scene.parse(scenes.text())
    with pytest.raises(trammel.SceneError):
        scene.set(l="l/(")
    assert scene.parameters["l"] == 1


def test_values_that_make_sense_only_together():
    text = scenes.text(parameters={"a": 1, "b": 0, "l": "sqrt(a - b)", "w": 0})
    for values in ({"a": -3, "b": -7}, {"b": 5, "a": 9}):
        assert trammel.parse(text, set=values).parameters["l"] == 2
    scene = trammel.Scene.parse(text)
    with pytest.raises(trammel.SceneError):
        scene.set(b=2, w=3)
    assert scene.parameters == {"a": 1, "b": 0, "l": 1, "w": 3}


def test_an_inconsistent_start_names_the_joint():
    with pytest.raises(trammel.InconsistentError) as caught:
        trammel.load("docs/examples/four_bar.json").simulate()
    problem = caught.value
    assert problem.joint == "O" and problem.file == "docs/examples/four_bar.json" and problem.line == 7
    assert "assemble=True" in str(problem) and problem.result is None
    assert trammel.load("docs/examples/four_bar.json").simulate(assemble=True).status == "done"


def test_a_run_that_fails_says_when_and_leaves_its_recording():
    model = trammel.parse(scenes.text(forces=[
        {"name": "fade", "type": "force", "marker": "tip", "value": ["sqrt(1-t)", 0]}]))
    with pytest.raises(trammel.CallbackError) as caught:
        model.simulate(2, "rk4", step=0.01, every=0.1)
    problem = caught.value
    assert problem.t == pytest.approx(0.99, abs=0.011) and "'fade'" in str(problem)
    assert problem.result.t[-1] == problem.t and problem.result.status == "failed"
    assert problem.result.t[:3].tolist() == [0, 0.1, 0.2]
    assert trammel.parse(scenes.text(forces=[])).simulate(0.1).status == "done"


@pytest.mark.parametrize("options,message", [
    ({"method": "dop85"}, 'no method is called "dop85"; did you mean "dop853"'),
    ({"method": "rk4+heun"}, "names two integrators"),
    ({"method": "rk4+srm"}, "rk4 does not go with srm, which takes heun"),
    ({"method": "rk4", "rtol": 1e-3}, "rtol: is for adaptive integrators, and rk4 takes fixed steps"),
    ({"method": "dop853", "step": 0.1}, "step: is for fixed-step integrators"),
    ({"method": "rk4", "step": -1}, "step must be > 0, got -1"),
    ({"step": 3, "end": 2}, "a step of 3 s is larger than the run of 2 s"),
    ({"accuracy": 2}, "accuracy must be between 0 and 1"),
    ({"method": "rk4+s-both2", "epsilon": 1}, "rk4 with s-both2 does not use it"),
    ({"method": "s-both2", "metric": "euclid"}, "metric: expected one of identity, mass, got 'euclid'"),
    ({"method": "s-both2", "alpha": "big"}, "alpha: expected a number, got 'big'"),
    ({"end": -1}, "end: must be finite and >= 0"),
    ({"end": float("inf")}, "end: must be finite and >= 0"),
    ({"every": -1}, "every: must be finite and >= 0"),
])
def test_options_are_checked(options, message):
    with pytest.raises(trammel.OptionsError) as caught:
        trammel.parse(scenes.text()).simulate(**{"end": 2, **options})
    assert message in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_unknown_options_are_a_type_error_as_in_any_call():
    with pytest.raises(TypeError, match="unknown option 'epsillon'; did you mean 'epsilon'"):
        trammel.parse(scenes.text()).simulate(1, epsillon=3)
    with pytest.raises(TypeError, match="unknown option 'metod'; did you mean 'method'"):
        trammel.parse(scenes.text()).simulate(1, metod="rk4")


def test_an_end_is_needed():
    with pytest.raises(trammel.OptionsError, match="say how many seconds"):
        trammel.parse(scenes.text(simulation={})).simulate()


def test_errors_can_be_pickled():
    problem = pytest.raises(trammel.InconsistentError, trammel.load("docs/examples/four_bar.json").run).value
    copy = pickle.loads(pickle.dumps(problem))
    assert (str(copy), copy.line, copy.joint, copy.status) == (str(problem), problem.line, problem.joint,
                                                             problem.status)


def test_wrong_names_are_errors_with_what_there_is():
    model = trammel.parse(scenes.text(scenes.SERVO))
    result, query = model.simulate(end=0.1, every=0.1), model.query()
    with model.run("rk4+s-both2", step=1e-3) as sim:
        for ask, near in [
                (lambda: query.set_input("bais", 1), "there is no input 'bais'; did you mean 'bias'?"),
                (lambda: sim.set_input("bais", 1), "did you mean 'bias'?"),
                (lambda: sim.input("bais"), "did you mean 'bias'?"),
                (lambda: sim["tpi"], "did you mean 'tip'?"),
                (lambda: sim.joints["Q"], "there is no joint or constraint 'Q'; there is O"),
                (lambda: result["tpi"], "did you mean 'tip'?"),
                (lambda: result["hodl"], "did you mean 'hold'?"),
                (lambda: result["nothing"], "there is bar, tip, post, hold, push"),
                (lambda: result.joints["Q"], "there is O"),
                (lambda: result.joints["O"]["w"], "there is x, y"),
                (lambda: result.inputs["bais"], "did you mean 'bias'?"),
                (lambda: model.jacobian("tpi"), "did you mean 'tip'?"),
                (lambda: model.marker("tpi"), "did you mean 'tip'?"),
                (lambda: query.joint_direction("Q"), "there is O"),
                (lambda: query.linearize(inputs=["bais"]), "did you mean 'bias'?"),
                (lambda: query.linearize(outputs=[trammel.Output("tpi", (1, 0, 0))]), "did you mean 'tip'?")]:
            with pytest.raises(trammel.UnknownNameError) as caught:
                ask()
            assert isinstance(caught.value, KeyError) and isinstance(caught.value, trammel.Error)
            assert near in str(caught.value) and str(caught.value) == caught.value.message
    assert "Q" not in result.joints and result.joints.get("Q") is None
    with pytest.raises(trammel.UnknownNameError, match="there is none at all"):
        trammel.parse(scenes.text()).query().set_input("torque", 1)


def test_numbers_that_are_not_finite_are_named():
    model = trammel.parse(scenes.text(scenes.SERVO))
    query = model.query()
    with pytest.raises(trammel.OptionsError, match="end: must be finite and >= 0, got inf"):
        model.simulate(end=float("inf"))
    with pytest.raises(trammel.OptionsError, match="every: must be finite and >= 0, got nan"):
        model.simulate(end=1, every=float("nan"))
    with model.run("rk4+s-both2", step=1e-3) as sim:
        said = []
        for one in (query, sim):
            with pytest.raises(trammel.OptionsError) as caught:
                one.set_input("bias", float("nan"))
            said.append(str(caught.value))
    assert said[0] == said[1] and "bias" in said[0] and "finite" in said[0]


def test_joint_space_names_its_own_argument():
    query = trammel.load("scenes/four_bar.json").query()
    names = [joint.name for joint in query.model.joints]
    with pytest.raises(trammel.OptionsError, match="^joints: "):
        query.joint_space(names[:2])
    with pytest.raises(trammel.UnknownNameError, match="99"):
        query.joint_space(["99"])


def test_the_report_names_row_and_unit():
    drift = str(trammel.load("scenes/four_bar.json").simulate(end=1)).splitlines()[2]
    assert re.search(r"largest gap \S+ m at [A-Z]\w* [xy]$", drift), drift


def test_a_linearization_shows_what_it_is():
    model = trammel.parse(scenes.text(scenes.SERVO))
    said = repr(model.query().linearize(inputs=["bias"], outputs=[trammel.Output("tip", (0, 1, 0))]))
    assert said.startswith("<linearization at t = 0 s: 1 freedom, 2 states, 1 input, 1 output"), said


def test_a_nul_ends_no_name(root, tmp_path):
    """C would read the name up to there, and take another file or parameter."""
    shutil.copy(root / "scenes/pendulum.json", tmp_path / "a")
    scene = trammel.Scene.load(tmp_path / "a")
    for call in (lambda: trammel.load(f"{tmp_path}/a\0.json"), lambda: trammel.load(tmp_path / "a", allow_files="a\0"),
                 lambda: scene.set({"l\0x": 1}), lambda: scene.add_force("f\0", lambda model, t, q, v: 0)):
        with pytest.raises((ValueError, ctypes.ArgumentError), match="NUL"):
            call()


def test_tables_lie_in_the_folder_of_the_scene_or_where_it_is_said(tmp_path, monkeypatch):
    (tmp_path / "scene").mkdir()
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/x.csv").write_text("a,b\n1,2\n2,3\n")
    text = json.dumps({"dimension": 2, "tables": {"f": {"file": "../tables/x.csv", "x": "a", "y": "b"}},
                       "bodies": [{"name": "b", "mass": 1, "inertia": 1}]})
    path = tmp_path / "scene/s.json"
    path.write_text(text)
    with pytest.raises(trammel.SceneError, match="allow_files"):
        trammel.load(path)
    assert trammel.load(path, allow_files=tmp_path / "tables").nv == 3
    with pytest.raises(trammel.SceneError):
        trammel.load(path, allow_files=tmp_path / "scene")
    monkeypatch.chdir(tmp_path / "scene")
    with pytest.raises(trammel.SceneError):
        trammel.parse(text)
    assert trammel.parse(text, allow_files="../tables").nv == 3
