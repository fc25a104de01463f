"""Imported SDF against an independent reading: libsdformat's, where tests/import/install-clients BUILD could build it.

Accelerations are solved here from what libsdformat says: Newton and Euler with the joints' rows, at rest.
"""
import json
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest
import trammel

MODELS = pathlib.Path(__file__).resolve().parent.parent / "import" / "models"
TOLERANCE = 1e-9


def client(build, tmp_path, name, change=lambda text: text):
    """What libsdformat 12 makes of the model; it reads version 1.9."""
    program = build / "clients" / "sdf_client"
    if not program.exists():
        pytest.skip("no sdf_client: tests/import/install-clients BUILD, with libsdformat-dev")
    shutil.copytree(MODELS, tmp_path / "models")
    for path in (tmp_path / "models").rglob("*.sdf"):
        path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    path = tmp_path / "models" / f"{name}.sdf"
    scene = trammel.Scene.load(path)
    for one in (tmp_path / "models").rglob("*.sdf"):
        one.write_text(one.read_text(encoding="utf-8").replace('version="1.12"', 'version="1.9"'), encoding="utf-8")
    done = subprocess.run([program, path, path.parent], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return scene, json.loads(done.stdout)


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def skew(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def joined(parts):
    """Mass, centre and inertia of bodies that are one."""
    mass = sum(one["mass"][0] for one in parts)
    centre = sum(one["mass"][0] * np.array(one["centre"]) for one in parts) / mass
    inertia = np.zeros((3, 3))
    for one in parts:
        s = skew(np.array(one["centre"]) - centre)
        inertia += np.reshape(one["inertia"], (3, 3)) - one["mass"][0] * s @ s
    return mass, centre, inertia


def same(name, ours, theirs, size=1.0):
    assert np.max(np.abs(np.asarray(ours) - np.asarray(theirs))) <= TOLERANCE * size, (name, ours, theirs)


RIG = {"arm__upper": ["arm::upper"], "arm__tool": ["arm::tool"], "arm__tip": ["arm::tip", "arm::nail::plate"],
       "left__tip": ["left::tip", "left::nail::plate"]}


def across(axis):
    return np.linalg.svd(np.reshape(axis, (1, 3)))[2][1:]


def accelerations(theirs, bodies):
    """[n][6] of the rig: linear, angular; its spring pulls by 3 N m/rad times 0.2."""
    names = list(bodies)
    n, rows = len(names), []
    M, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for i, (mass, _, inertia) in enumerate(bodies.values()):
        M[6 * i:6 * i + 3, 6 * i:6 * i + 3] = mass * np.eye(3)
        M[6 * i + 3:6 * i + 6, 6 * i + 3:6 * i + 6] = inertia
        f[6 * i + 2] = -9.81 * mass

    def part(name, linear, angular):
        row = np.zeros(6 * n)
        if name:
            i = names.index(name)
            row[6 * i:6 * i + 3], row[6 * i + 3:6 * i + 6] = linear, angular
        return row

    joints = {"arm::shoulder": (None, "arm__upper"), "arm::wrist": ("arm__upper", "arm__tool"),
              "arm::spare_ball": ("arm__tool", "arm__tip")}
    for name, (a, b) in joints.items():
        at = np.array(theirs["joints"][name]["at"])
        for e in np.eye(3):
            rows.append(part(b, e, np.cross(at - bodies[b][1], e)) -
                        (part(a, e, np.cross(at - bodies[a][1], e)) if a else 0))
    hinge, cross = theirs["joints"]["arm::shoulder"], theirs["joints"]["arm::wrist"]
    rows += [part("arm__upper", 0, e) for e in across(hinge["axis"])]
    square = np.cross(cross["axis"], cross["axis2"])
    rows.append(part("arm__tool", 0, square) - part("arm__upper", 0, square))
    f += part("arm__upper", 0, 3 * 0.2 * np.array(hinge["axis"]))
    G = np.array(rows)
    K = np.block([[M, G.T], [G, np.zeros((len(rows), len(rows)))]])
    return dict(zip(names, np.linalg.solve(K, np.concatenate([f, np.zeros(len(rows))]))[:6 * n].reshape(n, 6)))


@pytest.mark.parametrize("pose", ["0.2 0 0.5 0 0 30", "0.1 -0.3 0.5 40 -25 110"])
def test_rig(build, tmp_path, pose):
    """Placement frames, poses relative to frames, quaternions, degrees, expressed_in, includes, merged and static."""
    scene, theirs = client(build, tmp_path, "rig", lambda text: text.replace("0.2 0 0.5 0 0 30", pose))
    ours = {one["name"]: one for one in json.loads(scene.text)["bodies"]}
    bodies = {name: joined([theirs["links"][one] for one in parts]) for name, parts in RIG.items()}
    assert set(ours) == set(bodies)
    expected, run = accelerations(theirs, bodies), scene.build().run()
    for name, (mass, centre, inertia) in bodies.items():
        R = rotation(ours[name].get("quat_wxyz", [1, 0, 0, 0]))
        own = np.array(ours[name]["inertia"])
        same(name, ours[name]["mass"], mass)
        same(name, ours[name]["position"], centre)
        same(name, R @ (np.diag(own) if own.ndim == 1 else own) @ R.T, inertia, np.max(inertia))
        size = 1 + np.max(np.abs(expected[name]))
        same(name, run.read(f"{name}.acceleration"), expected[name][:3], size)
        same(name, R @ run.read(f"{name}.angular_acceleration"), expected[name][3:], size)
    for joint in json.loads(scene.text)["joints"]:
        other = theirs["joints"][joint["name"].replace("__", "::")]
        same(joint["name"], joint["at"], other["at"])
        for axis in ("axis", "axis2"):
            if axis in joint:
                same(joint["name"], joint[axis], other[axis])


def test_machine(build, tmp_path):
    """A loop, screws, gears and mimics: joints as libsdformat says."""
    scene, theirs = client(build, tmp_path, "machine")
    made = json.loads(scene.text)
    for joint in made["joints"]:
        name = re.sub("_(slide|2)$", "", joint["name"])
        other = theirs["joints"][f"machine::{name}"]
        same(name, joint["at"], other["at"])
        same(name, joint["axis"], other["axis2" if joint["name"].endswith("_2") else "axis"])


def test_solids():
    """Inertia of shapes, by hand: a box and a ball of two densities, a capsule of 0.4 kg, an ellipsoid of water."""
    bodies = {one["name"]: one for one in json.loads(trammel.Scene.load(MODELS / "machine.sdf").text)["bodies"]}
    box, ball = 2700 * 0.02 * 0.02 * 0.1, 7800 * 4 / 3 * np.pi * 0.015**3
    same("crank", bodies["crank"]["mass"], box + ball)
    apart = box * ball / (box + ball) * 0.05**2
    side = box * (0.02**2 + 0.1**2) / 12 + 0.4 * ball * 0.015**2 + apart
    same("crank", bodies["crank"]["inertia"], [side, side, box * 2 * 0.02**2 / 12 + 0.4 * ball * 0.015**2])
    same("crank", bodies["crank"]["position"], [0, 0, 0.05 + 0.05 * ball / (box + ball)])
    same("coupler", bodies["coupler"]["mass"], 0.4)
    m = 1000 * 4 / 3 * np.pi * 0.01 * 0.02 * 0.075
    same("rocker", bodies["rocker"]["inertia"], m / 5 * np.array([0.02**2 + 0.075**2, 0.01**2 + 0.075**2, 0.01**2 + 0.02**2]))


def test_relations():
    """Degrees of freedom, both pitches of screws, gears and mimics."""
    assert trammel.load(MODELS / "machine.sdf").check().degrees_of_freedom == 7
    made = {one["name"]: one for one in json.loads(trammel.Scene.load(MODELS / "machine.sdf").text)["constraints"]}
    lead = 0.02 / (2 * np.pi)
    same("thread", made["thread_thread"]["polynomial"], [0, lead])
    same("old", made["old_thread_thread"]["polynomial"], [0, lead])
    assert made["teeth"]["joints"] == ["wheel_shaft", "motor_shaft"] and made["teeth"]["coefficients"] == [-1, 3]
    assert made["follows_mimic"]["polynomial"] == [0, -2]
