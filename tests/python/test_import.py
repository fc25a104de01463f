"""Imported robots against an independent reading: MuJoCo's own, where node and @mujoco/mujoco are at hand.

tests/import/install-clients BUILD fetches it.
"""
import json
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
import trammel

HERE = pathlib.Path(__file__).resolve().parent.parent / "import"
MODELS = HERE / "models"
TOLERANCE = 1e-9
SPLIT = 1e-7  # bodies with several joints: their links have 1.5e-8 of the mass


def client(build, model, start):
    """What MuJoCo makes of the model."""
    clients = build / "clients"
    if not shutil.which("node") or not (clients / "node_modules/@mujoco/mujoco").is_dir():
        pytest.skip("no @mujoco/mujoco: tests/import/install-clients BUILD")
    words = ["node", HERE / "mujoco_client.mjs", clients, model] + ([start] if start else [])
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def rotation(q):
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def same(name, ours, theirs, size, tolerance=TOLERANCE):
    assert np.max(np.abs(np.asarray(ours) - np.asarray(theirs))) <= tolerance * size, (name, ours, theirs)


def same_bodies(ours, theirs, sim, tolerance):
    names = list(theirs)
    carried = {names[one["parent"] - 1] for one in theirs.values() if one["joints"] == 0 and one["parent"] > 0}
    compared = 0
    for name, body in theirs.items():
        called = re.sub(r"\W", "_", name)
        if called not in ours:
            continue  # part of another body
        one = ours[called]
        R = rotation(one.get("quat_wxyz", [1, 0, 0, 0]))
        most = np.max(np.abs(body["acceleration"] + body["turning"])) + 1
        same(name, R @ sim.read(f"{called}.angular_acceleration"), body["turning"], most, tolerance)
        compared += 1
        if name in carried:
            continue
        same(name, sim.read(f"{called}.acceleration"), body["acceleration"], most, tolerance)
        inertia = np.array(one["inertia"])
        inertia = np.diag(inertia) if inertia.ndim == 1 else inertia
        axes = np.array(body["axes"]).reshape(3, 3)
        same(name, one["mass"], body["mass"], body["mass"])
        same(name, one["position"], body["centre"], 1)
        same(name, R @ inertia @ R.T, axes @ np.diag(body["moments"]) @ axes.T, np.max(body["moments"]))
    assert compared >= 3


def same_joints(ours, theirs):
    for joint in ours:
        other = theirs.get(joint["name"])
        if other and joint["type"] in ("revolute", "prismatic"):
            axis = np.array(joint["axis"])
            same(joint["name"], axis, other["axis"], 1)
            apart = np.array(joint["at"]) - other["anchor"]
            same(joint["name"], np.cross(apart, axis), [0, 0, 0], 1)


@pytest.mark.parametrize("model, start, tolerance", [
    *((model, start, TOLERANCE) for model in ("tree", "inertias", "balance", "hull") for start in (None, "bent")),
    ("replicate", None, TOLERANCE),  # MuJoCo reads keys before it replicates
    ("parts", None, SPLIT), ("parts", "other", SPLIT),
])
def test_open_trees(build, model, start, tolerance):
    """Masses, inertias, centres, joints and accelerations at two postures."""
    path = MODELS / f"{model}.xml"
    theirs = client(build, path, start)
    scene = trammel.Scene.load(path, start=start)
    ours = json.loads(scene.text)
    same_bodies({one["name"]: one for one in ours["bodies"]}, theirs["bodies"], scene.build().run(), tolerance)
    same_joints(ours["joints"], theirs["joints"])


@pytest.mark.parametrize("model", ["four_bar.xml", "delta.xml", "quadruped.xml", "humanoid.xml", "welded.xml", "five_bar.urdf"])
def test_opened_loops(build, tmp_path, model):
    """The open trees of closed models: without what closes them."""
    text = (MODELS / model).read_text(encoding="utf-8")
    for pattern in ("<equality>.*</equality>", "<actuator>.*</actuator>", r'<link name="closing_\w*"/>', r'<joint name="closing_.*?</joint>'):
        text = re.sub(pattern, "", text, flags=re.S)
    path = tmp_path / model
    path.write_text(text, encoding="utf-8")
    theirs = client(build, path, None)
    scene = trammel.Scene.load(path)
    ours = json.loads(scene.text)
    same_bodies({one["name"]: one for one in ours["bodies"]}, theirs["bodies"], scene.build().run(), TOLERANCE)
    same_joints(ours["joints"], theirs["joints"])


@pytest.mark.parametrize("start", [None, "held"])
def test_drives_and_tendons(build, tmp_path, start):
    """Accelerations under servos, motors, tendons and springs, without the loops that MuJoCo holds softly."""
    text = (MODELS / "gripper.xml").read_text(encoding="utf-8")
    text = re.sub(r"<equality>.*</equality>", "", text, flags=re.S).replace(' frictionloss="0.01"', "")
    path = tmp_path / "drives.xml"
    path.write_text(text, encoding="utf-8")
    theirs = client(build, path, start)
    scene = trammel.Scene.load(path, start=start)
    ours = {one["name"]: one for one in json.loads(scene.text)["bodies"]}
    same_bodies(ours, theirs["bodies"], scene.build().run(), TOLERANCE)


@pytest.mark.parametrize("start", [None, "bent"])
def test_sensors_of_mujoco(build, start):
    """Outputs under the names of sensors, or told ones, read what MuJoCo reads."""
    path = MODELS / "sensors.xml"
    theirs = client(build, path, start)["sensors"]
    scene = trammel.Scene.load(path, start=start)
    result, compared = scene.build().run(), 0
    for name, numbers in theirs.items():
        told = [f"{name}_{axis}" for axis in "xyz"] if len(numbers) == 3 else [name]
        renamed = [one for one in told if f"{one}_sensor" in json.loads(scene.text)["outputs"]]
        for own, number in zip(told, numbers):
            own = f"{own}_sensor" if own in renamed else own
            if own in json.loads(scene.text)["outputs"]:
                same(own, result.read(own), number, 1)
                compared += 1
    assert compared == 18


def test_contacts_of_mujoco(build, tmp_path):
    """Which geoms may touch, with what friction and gap: MuJoCo's own list, made of all pairs by a margin of 100 m."""
    text = (MODELS / "touch.xml").read_text(encoding="utf-8")
    path = tmp_path / "touch.xml"
    path.write_text(re.sub(r"(<pair|<default>\s*<geom)", r'\1 margin="100"', text), encoding="utf-8")
    theirs, laws = {}, {}
    for one in client(build, path, None)["contacts"]:
        key = frozenset(one["geoms"])
        theirs[key] = min(one["gap"], theirs.get(key, one["gap"]))
        laws[key] = [mu if one["directions"] > least else 0 for mu, least in zip([one["friction"][i] for i in (0, 2, 3)], (1, 3, 4))]
    scene = trammel.Scene.load(MODELS / "touch.xml")
    lost = " ".join(one.element for one in scene.losses if one.moves)
    contacts = json.loads(scene.text)["contacts"]
    done = subprocess.run([build / "tools/trammel", "run", MODELS / "touch.xml", "--end", "1e-9", "--json"], capture_output=True, check=True)
    now = json.loads(done.stdout)["contacts"]["now"]
    ours = {}
    for one in contacts:
        key = frozenset(shape["at"][:-len("_shape")].replace("_", " ") for shape in one["shapes"])
        ours[key] = one
        assert [one.get(law, 0) for law in ("friction", "spinning", "rolling")] == pytest.approx(laws[key], abs=1e-12), key
        gap = min(x["x"] for name, x in now.items() if re.fullmatch(re.escape(one["name"]) + r"(_\d)?", name))
        assert gap == pytest.approx(theirs[key], abs=1e-8), key
    assert set(ours) <= set(theirs) and len(ours) >= 17
    for key in set(theirs) - set(ours):  # told, every one
        assert any(f'name="{name}"' in lost for name in key), key


def test_losses():
    """The report names file, line, element and consequence."""
    losses = trammel.Scene.load(MODELS / "parts.xml").losses
    split = [one for one in losses if "between its joints" in one.consequence]
    assert len(split) == 1 and split[0].moves and split[0].line == 5 and split[0].file.endswith("leg.xml")
    assert any(one.element == '<key name="other">' and not one.moves for one in losses)


def test_root_and_text(monkeypatch):
    """A floating root is held, and the text of the scene is a scene, in the folder of its meshes."""
    monkeypatch.chdir(MODELS)
    scene = trammel.Scene.load(MODELS / "parts.xml", root="fixed")
    assert "trunk" not in [one["name"] for one in json.loads(scene.text)["bodies"]]
    assert trammel.parse(scene.text).check().degrees_of_freedom == scene.build().check().degrees_of_freedom
    with pytest.raises(trammel.OptionsError, match="fixed or free"):
        trammel.Scene.load(MODELS / "parts.xml", root="loose")


def test_load():
    """trammel.load takes a robot; its model may be set up again."""
    model = trammel.load(MODELS / "four_bar.xml")
    assert model.check().degrees_of_freedom == 1
    assert model.set({"drive": 0.5}).check().degrees_of_freedom == 1


def test_urdf(build, tmp_path):
    """An arm: rotated inertial frames, fixed links that are part of others, limits, damping."""
    text = (MODELS / "arm.urdf").read_text(encoding="utf-8")
    for pattern in (r"<mimic [^>]*/>", r'<link name="loose"/>', r'<joint name="loose".*?</joint>', r"<visual>.*?</visual>"):
        text = re.sub(pattern, "", text, flags=re.S)
    path = tmp_path / "arm.urdf"
    path.write_text(text, encoding="utf-8")
    theirs = client(build, path, None)
    scene = trammel.Scene.load(path)
    ours = json.loads(scene.text)
    same_bodies({one["name"]: one for one in ours["bodies"]}, theirs["bodies"], scene.build().run(), TOLERANCE)
    same_joints(ours["joints"], theirs["joints"])


def test_loops_of_urdf():
    """Frames named closing_, pairs of a file and URDF+ close the same loop; a coupling takes one freedom."""
    made = {name: trammel.Scene.load(MODELS / f"{name}.urdf", loops=loops).build().check().degrees_of_freedom
            for name, loops in {"five_bar": None, "five_bar_pairs": MODELS / "five_bar_pairs.yaml",
                                "five_bar_plus": None}.items()}
    assert made == {"five_bar": 2, "five_bar_pairs": 2, "five_bar_plus": 1}
    assert trammel.load(MODELS / "five_bar.urdf", root="free").check().degrees_of_freedom == 8
