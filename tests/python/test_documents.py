"""What the documents show of Python is so."""
import dataclasses
import re

import numpy as np
import pytest

import trammel


def fences(path):
    return re.findall(r"^```python\n(.*?)^```", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def run(sources, name):
    """-> what is known after the programs, one after the other."""
    known = {}
    for source in sources:
        exec(compile(source, name, "exec"), known)
    return known


def test_the_program_of_the_readme_runs(root, capsys):
    known = run(fences(root / "README.md"), "README.md")
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("Method") and any(line.startswith("Branch") for line in printed), printed
    assert known["angle"].shape == known["result"].t.shape == (501,)


def test_the_program_of_the_docstring_runs():
    known = run(["\n".join(re.findall(r"^    (.*)$", trammel.__doc__, re.MULTILINE))], "trammel.__doc__")
    assert len(known["result"]) == 1001 and known["sim"].t == 0.5


def test_the_programs_of_the_page_run(root, capsys):
    known = run(fences(root / "docs" / "reference" / "python.md"), "python.md")
    printed = capsys.readouterr().out.splitlines()
    result = known["result"]
    # the work of the motor is what the energy has gained
    work = np.trapz(known["power"], result.t)
    assert work == pytest.approx(result.energy.work[-1] - result.energy.work[0], abs=1e-2)
    # a PD controller against gravity stays k (0.5 - x) = m g l/2 cos x below its goal
    x = known["reached"]
    assert 60 * (0.5 - x) == pytest.approx(2 * 9.81 * 0.25 * np.cos(x), abs=0.05)
    bead = known["bead"]
    assert (bead.velocity ** 2).sum(axis=1) / 2 == pytest.approx(-9.81 * bead.position[:, 1], abs=1e-6)
    assert known["rest"].q[2] == pytest.approx(-np.pi / 2, abs=1e-6)
    assert known["modes"][0].frequency == pytest.approx(np.sqrt(1.5 * 9.81 / 0.5) / 2 / np.pi, rel=1e-6)
    assert known["held"].tau == pytest.approx([2 * 9.81 * 0.25])
    assert printed[-1].startswith("docs/examples/four_bar.json 7 O TRM_ERR_INCONSISTENT")
    assert dataclasses.asdict(known["found"])["redundant"]


def test_the_programs_of_the_tutorial_run(root):
    known = run(fences(root / "docs" / "tutorial" / "from_python.md"), "from_python.md")
    assert len(known["peaks"]) == 3 and known["result"].status == "done"
    # a PD controller against gravity stays k (0.5 - x) = m g l/2 cos x below its goal
    x = known["x"]
    assert 60 * (0.5 - x) == pytest.approx(2 * 9.81 * 0.25 * np.cos(x), abs=0.05)


def test_the_frequency_response_is_that_of_a_mass_on_a_spring(root):
    """G(s) = (c s + k)/(m s^2 + c s + k) from the push to what the floor bears."""
    text = (root / "docs" / "how-to" / "equilibrium_and_modes.md").read_text(encoding="utf-8")
    scene = re.search(r"^```json file=isolator.json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]
    model = trammel.parse(scene)
    ask = model.query()
    linear = ask.linearize(ask.equilibrium().q, inputs=["push"], outputs=["on_the_floor"])
    for f in (0.1, 1.0, 1.59, 10.0):
        s = 2j * np.pi * f
        response = linear.C @ np.linalg.solve(s * np.eye(len(linear.A)) - linear.A, linear.B) + linear.D
        assert response[0, 0] == pytest.approx((4 * s + 200) / (2 * s ** 2 + 4 * s + 200), rel=1e-6)


def test_names_of_the_page_exist(root):
    text = (root / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    for name in re.findall(r"trammel\.([A-Z]\w+)", text):
        assert hasattr(trammel, name), name
    for name in re.findall(r"`([A-Z]\w+Error)`", text):
        assert issubclass(getattr(trammel, name, KeyboardInterrupt), BaseException)
    result = trammel.load("scenes/pendulum.json").simulate(0.1)
    for name in re.findall(r"`result\.(\w+)", text):
        assert hasattr(result, name), name
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        assert (root / "docs" / "reference" / link).exists(), link
