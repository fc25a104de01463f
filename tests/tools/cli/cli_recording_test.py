#!/usr/bin/env python3
"""Recordings of trammel run: columns, times, interruptions, full disks. Prints TAP.

    tests/tools/cli/cli_recording_test.py TRAMMEL ROOT      the program, and the root of the project
"""
import json
import math
import os
import re
import subprocess
import sys
import pty
import resource
import signal

from tap import CASES, case
import tap
from cli_rig import BAR, PROGRAM, ROOT, expect, read_csv, refused, run_json, scene, trammel, write

# ---------------------------------------------------------------------------------------- recording

@case
def planar_columns():
    """CSV: t, bodies, markers, multipliers, drift, energy, each with its unit"""
    expect(0, trammel("run", scene(), "-o", "out.csv"))
    header, rows = read_csv("out.csv")
    assert header[:9] == ["t", "bar.x[m]", "bar.y[m]", "bar.angle[rad]", "bar.vx[m/s]",
                          "bar.vy[m/s]", "bar.rate[rad/s]", "tip.x[m]", "tip.y[m]"], header
    assert header[9:] == ["O.coordinate[rad]", "O.coordinate_rate[rad/s]", "O.lambda_x[N]", "O.lambda_y[N]",
                          "O.force_x[N]", "O.force_y[N]", "O.torque_z[N m]", "drift.position", "drift.velocity",
                          "energy.kinetic[J]", "energy.potential[J]", "energy.work[J]",
                          "singularity.rcond", "singularity.sigma",
                          "singularity.crossings", "singularity.bifurcations", "singularity.branch_changes"], header
    assert rows[0][0] == 0 and rows[-1][0] == 2
    for row in rows:
        at = dict(zip(header, row))
        assert math.isclose(at["tip.x[m]"], 2 * at["bar.x[m]"], abs_tol=1e-9)
        assert math.isclose(at["tip.y[m]"], 2 * at["bar.y[m]"], abs_tol=1e-9)
    start = dict(zip(header, rows[0]))
    # a horizontal bar let go: its end carries a quarter of its weight
    assert math.isclose(abs(start["O.lambda_y[N]"]), 2 * 9.81 / 4, rel_tol=1e-9), start


@case
def efforts_and_inputs():
    """CSV: what servos exert, coordinates of joints and inputs, at the time of the line"""
    name = scene("servo.json", gravity=[0, 0], markers=[],
                 parameters={"bias": {"value": 0.25, "input": True}},
                 bodies=[{"name": "bar", "ends": [[0, 0], [2, 0]], "mass": 3}],
                 forces=[{"name": "hold", "type": "servo", "joint": "O", "kp": 30, "kd": 4,
                          "target": "1", "feedforward": "bias"},
                         {"name": "push", "type": "joint_force", "joint": "O", "value": "cos(9*t)"}])
    expect(0, trammel("run", name, "--end", "1", "--every", "0.037", "--integrator", "rk4",
                      "--step", "0.05", "-o", "servo.csv"))
    header, rows = read_csv("servo.csv")
    place = header.index("O.lambda_y[N]")
    assert header[place - 3:place + 8] == [
        "O.coordinate[rad]", "O.coordinate_rate[rad/s]", "O.lambda_x[N]", "O.lambda_y[N]",
        "O.force_x[N]", "O.force_y[N]", "O.torque_z[N m]",
        "hold.effort[N m]", "push.effort[N m]", "bias", "drift.position"], header
    for row in rows:
        at = dict(zip(header, row))
        t, x, rate = at["t"], at["O.coordinate[rad]"], at["O.coordinate_rate[rad/s]"]
        assert math.isclose(x, at["bar.angle[rad]"], abs_tol=1e-12)
        assert math.isclose(rate, at["bar.rate[rad/s]"], abs_tol=1e-12)
        assert math.isclose(at["push.effort[N m]"], math.cos(9 * t), abs_tol=1e-12)
        assert math.isclose(at["hold.effort[N m]"], 30 * (1 - x) - 4 * rate + 0.25, abs_tol=1e-12)
        assert at["bias"] == 0.25
    assert len(rows) == 29  # 28 times n * every, and the end


@case
def stops_limits_and_friction():
    """CSV: a ball falls on a stop, a slider with dry friction comes to its limit: distances and forces"""
    name = write("touch.json", json.dumps({
        "dimension": 2, "gravity": [0, -9.81],
        "bodies": [{"name": "ball", "mass": 2, "position": [0, 1], "shape": {"type": "point"}},
                   {"name": "slider", "mass": 3, "inertia": 1, "position": [5, 0], "velocity": [2, 0]}],
        "markers": [{"name": "b", "body": "ball", "on": [0, 0]}],
        "joints": [{"name": "S", "type": "prismatic", "bodies": ["ground", "slider"], "at": [5, 0], "axis": [1, 0],
                    "friction": 6, "limits": [None, 0.75]}],
        "stops": [{"name": "floor", "gap": "b.y"}]}))
    expect(0, trammel("run", name, "--end", "1", "--every", "0.01", "-o", "touch.csv"))
    header, rows = read_csv("touch.csv")
    place = header.index("floor.gap[m]")
    assert header[place - 2:place + 3] == ["S.torque_z[N m]", "S.contact_force[N]", "floor.gap[m]",
                                           "floor.contact_force[N]", "drift.position"], header
    lands, stops = math.sqrt(2 / 9.81), 0.5  # 2 t - t^2 = 0.75
    for row in rows:
        at = dict(zip(header, row))
        t = at["t"]
        assert math.isclose(at["floor.gap[m]"], max(0, 1 - 9.81 * t * t / 2) if t < lands else 0, abs_tol=1e-9), at
        assert math.isclose(at["floor.contact_force[N]"], 0 if t < lands else 2 * 9.81, abs_tol=1e-9), at
        if abs(t - stops) > 1e-9:
            assert math.isclose(at["S.contact_force[N]"], -6 if t < stops else 0, abs_tol=1e-9), at
    outcome = trammel("run", name, "--end", "1", "--columns", "floor", "-o", "part.csv")
    expect(0, outcome)
    assert read_csv("part.csv")[0] == ["t", "floor.gap[m]", "floor.contact_force[N]"]


@case
def documented_columns():
    """docs/reference/recordings.md lists every column; its examples hold, signs included"""
    with open(os.path.join(ROOT, "docs/reference/recordings.md"), encoding="utf-8") as file:
        listed = set(re.findall(r"`(?:bar|tip|O|c|drive)\.([^`]+)`", file.read()))
    listed |= {"position", "velocity", "kinetic[J]", "potential[J]", "work[J]", "rcond",
               "sigma", "crossings", "bifurcations", "branch_changes"}
    joints = [{"type": t, **more} for t, more in [
        ("planar", {"axis": [0, 0, 1]}), ("point_on_plane", {"axis": [0, 0, 1]}),
        ("point_on_line", {"axis": [0, 0, 1]}), ("weld", {}), ("spherical", {}),
        ("cylindrical", {"axis": [1, 0, 0]}), ("prismatic", {"axis": [1, 0, 0]}),
        ("universal", {"axis": [1, 0, 0], "axis2": [0, 1, 0]}),
        ("revolute", {"axis": [1, 0, 0], "motor": "t^2"})]]
    moments = {"planar": [("tilt_1", 5), ("tilt_2", -2)], "prismatic": [("turn", -2)],
               "weld": [("turn_x", -2), ("turn_y", 5), ("turn_z", 0)]}  # of b on a, about +axes
    for joint in joints:
        name = scene("space.json", dimension=3, gravity=[0, 0, -10], markers=[],
                     bodies=[{"name": "bar", "mass": 1, "position": [0.5, 0.2, 0],
                              "inertia": [1, 1, 1]}],
                     joints=[{"name": "O", "bodies": ["ground", "bar"], "at": [0, 0, 0], **joint}])
        expect(0, trammel("run", name, "--end", "0.01", "-o", "space.csv"))
        header, rows = read_csv("space.csv")
        columns = {h.split(".", 1)[1] for h in header[1:]}
        named = {re.sub(r"^slide_2\.", "slide.", re.sub(r"^(angle_2|twist|swing)\.", "angle.", c)) for c in columns}
        assert named <= listed, header
        at = dict(zip(header, rows[0]))
        for label, torque in moments.get(joint["type"], []):
            sign = 1 if label == "tilt_2" else -1  # about y x z = x; x x z = -y; minus the torque
            assert math.isclose(at[f"O.lambda_{label}[N m]"], sign * torque, abs_tol=1e-9), at
    driven = scene("driven.json", joints=[{**BAR["joints"][0], "motor": "0"}])
    expect(0, trammel("run", driven, "--end", "0.1", "-o", "driven.csv"))
    header, rows = read_csv("driven.csv")
    assert {h.split(".", 1)[1] for h in header[1:]} <= listed, header
    at = dict(zip(header, rows[-1]))
    assert math.isclose(at["O.lambda_y[N]"], -2 * 9.81, rel_tol=1e-9), at
    assert math.isclose(at["O.lambda_motor[N m]"], -9.81, rel_tol=1e-9), at
    assert math.isclose(at["O.motor[N m]"], 9.81, rel_tol=1e-9), at
    slide = scene("slide.json", constraints=[{"name": "c", "expression": "bar.angle"}],
                  joints=[{**BAR["joints"][0], "type": "pin_in_slot", "axis": [1, 0]}])
    expect(0, trammel("run", slide, "--end", "0.1", "-o", "slide.csv"))
    header, rows = read_csv("slide.csv")
    assert {h.split(".", 1)[1] for h in header[1:]} <= listed, header
    assert math.isclose(dict(zip(header, rows[-1]))["O.lambda[N]"], -2 * 9.81, rel_tol=1e-9)


@case
def reactions_have_one_sign():
    """JOINT.force, JOINT.torque: what a exerts on b in world axes, whatever the type of the joint"""
    weight = 2 * 9.81
    welded = {**BAR["joints"][0], "type": "weld"}
    for joint, torque in (({**BAR["joints"][0], "motor": "0"}, weight), (welded, weight)):
        expect(0, trammel("run", scene("held.json", joints=[joint]), "--end", "0.1", "-o", "held.csv"))
        header, rows = read_csv("held.csv")
        at = dict(zip(header, rows[-1]))
        assert math.isclose(at["O.force_y[N]"], weight, rel_tol=1e-9), at  # the ground carries the bar
        assert math.isclose(at["O.torque_z[N m]"], torque / 2, rel_tol=1e-9), at  # half its length 1
        assert abs(at["O.force_x[N]"]) < 1e-9, at
    turned = {**BAR["joints"][0], "bodies": ["bar", "ground"], "motor": "0"}
    expect(0, trammel("run", scene("held.json", joints=[turned]), "--end", "0.1", "-o", "held.csv"))
    at = dict(zip(*[(h, r[-1]) for h, r in [read_csv("held.csv")]][0]))
    assert math.isclose(at["O.force_y[N]"], -weight, rel_tol=1e-9), at  # the bar weighs on the ground
    name = scene("space.json", dimension=3, gravity=[0, 0, -10], markers=[],
                 bodies=[{"name": "bar", "mass": 1, "position": [0.5, 0.2, 0], "inertia": [1, 1, 1]}],
                 joints=[{"name": "O", "type": "weld", "bodies": ["ground", "bar"], "at": [0, 0, 0]}])
    expect(0, trammel("run", name, "--end", "0.01", "-o", "space.csv"))
    header, rows = read_csv("space.csv")
    at = dict(zip(header, rows[-1]))
    found = [at[f"O.{part}_{axis}"] for part, axis in
             [("force", "x[N]"), ("force", "y[N]"), ("force", "z[N]"), ("torque", "x[N m]"),
              ("torque", "y[N m]"), ("torque", "z[N m]")]]
    # r x 10 z = (0.5, 0.2, 0) x (0, 0, 10) = (2, -5, 0)
    assert all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(found, [0, 0, 10, 2, -5, 0])), found


@case
def chosen_columns():
    """--columns: a column, an owner, a beginning, a pattern; t always; near names for what there is not"""
    def header(*words):
        expect(0, trammel("run", scene(), "--end", "0.1", "-o", "few.csv", *words))
        names, rows = read_csv("few.csv")
        assert all(len(row) == len(names) for row in rows)
        return names
    full = header()
    assert header("--columns", "bar.angle,O.force") == ["t", "bar.angle[rad]", "O.force_x[N]", "O.force_y[N]"]
    assert header("--columns", "bar.x[m]") == ["t", "bar.x[m]"]
    assert header("--columns", "O.angle,O.rate") == ["t", "O.coordinate[rad]", "O.coordinate_rate[rad/s]"], "as in formulas"
    refused(1, "run", scene(), "-o", "few.csv", "--columns", "O.position", says="no column")
    assert header("--columns", "tip,energy") == [h for h in full if h.split(".")[0] in ("t", "tip", "energy")]
    assert header("--columns", "*.x") == ["t", "bar.x[m]", "tip.x[m]"]
    whole = read_csv("few.csv")[1]
    header()
    place = full.index("bar.x[m]")
    assert [row[1] for row in whole] == [row[place] for row in read_csv("few.csv")[1]]
    refused(1, "run", scene(), "-o", "few.csv", "--columns", "bar.angel", says="bar.angle")
    refused(1, "run", scene(), "-o", "few.csv", "--columns", "bat", says='did you mean "bar"')
    refused(1, "run", scene(), "--columns", "bar", says="-o FILE")


@case
def plain_headers():
    """--header plain: letters, digits and underscores; two columns that would be one are refused"""
    expect(0, trammel("run", scene(), "--end", "0.1", "-o", "plain.csv", "--header", "plain"))
    names, _ = read_csv("plain.csv")
    expect(0, trammel("run", scene(), "--end", "0.1", "-o", "units.csv"))
    units, _ = read_csv("units.csv")
    assert all(re.fullmatch(r"\w+", name, re.ASCII) for name in names), names
    assert names == [re.sub(r"\W", "_", h.split("[")[0]) for h in units], names
    two = [dict(BAR["bodies"][0], name=name) for name in ("a-b", "a_b")]
    name = scene("two.json", bodies=two, markers=[],
                 joints=[dict(BAR["joints"][0], name=f"O{i}", bodies=["ground", b["name"]])
                         for i, b in enumerate(two)])
    refused(1, "run", name, "-o", "plain.csv", "--header", "plain", says="a_b_")
    expect(0, trammel("run", name, "--end", "0.1", "-o", "plain.csv"))


@case
def readers_take_recordings_unaided():
    """numpy.genfromtxt and pandas.read_csv without options but the comma: every number, distinct names"""
    script = (
        "import sys, numpy as np\n"
        "for name in sys.argv[1:]:\n"
        "    a = np.genfromtxt(name, delimiter=',', names=True)\n"
        "    head = open(name).readline().strip().split(',')\n"
        "    rows = [[float(x) for x in line.split(',')] for line in open(name).read().splitlines()[1:]]\n"
        "    assert len(set(a.dtype.names)) == len(head) and len(a) == len(rows), a.dtype.names\n"
        "    assert [list(row) for row in a.tolist()] == rows\n"
        "    if 'plain' in name: assert list(a.dtype.names) == head, a.dtype.names\n"
        "    try: import pandas\n"
        "    except ImportError: continue\n"
        "    d = pandas.read_csv(name, float_precision='round_trip')\n"
        "    assert list(d.columns) == head and d.values.tolist() == rows\n")
    python = next((p for p in (sys.executable, "/usr/bin/python3")
                   if subprocess.run([p, "-c", "import numpy"], capture_output=True).returncode == 0), None)
    if python is None:
        return  # no reader here to try
    servo = scene("servo.json", parameters={"bias": {"value": 0.25, "input": True}}, markers=[],
                  bodies=[{"name": "bar", "ends": [[0, 0], [2, 0]], "mass": 3}],
                  forces=[{"name": "hold", "type": "servo", "joint": "O", "kp": 30, "kd": 4,
                           "target": "1", "feedforward": "bias"}])
    for scene_name in (servo, os.path.join(ROOT, "scenes/heavy_top.json"),
                       os.path.join(ROOT, "scenes/bricard.json")):
        for how in ("units", "plain"):
            expect(0, trammel("run", scene_name, "--end", "0.05", "--every", "0.01", "-o", how + ".csv",
                              "--header", how))
            result = subprocess.run([python, "-c", script, how + ".csv"], capture_output=True)
            assert result.returncode == 0, result.stderr.decode()


@case
def undetermined_reactions_are_marked():
    """Multipliers that redundancy leaves open are named so in the CSV and in words; unique ones are not"""
    bricard = os.path.join(ROOT, "scenes/bricard.json")
    result = trammel("run", bricard, "--end", "0.02", "-o", "bricard.csv")
    expect(0, result)
    assert re.search(rb"Reactions +- +30 of 30 are undetermined", result.stdout), result.stdout
    header, _ = read_csv("bricard.csv")
    multipliers = [h for h in header if ".lambda" in h]
    assert len(multipliers) == 30 and all(".undetermined_at_start[" in h for h in multipliers), header
    forces = [h for h in header if re.search(r"\.(force|torque)_[xyz]", h)]
    assert len(forces) == 36 and all(".undetermined_at_start[" in h for h in forces), header
    bars = os.path.join(ROOT, "scenes/double_four_bar.json")
    result = trammel("run", bars, "--end", "1", "-o", "bars.csv")
    expect(0, result)
    assert b"Reactions" not in result.stdout, result.stdout
    header, rows = read_csv("bars.csv")
    assert not any("undetermined" in h for h in header), header
    assert rows[0][header.index("singularity.crossings")] == 0, rows[0]
    assert rows[-1][header.index("singularity.crossings")] == 1, rows[-1]


@case
def spatial_columns():
    """CSV of a spatial scene: x y z, quaternion, velocity, rate"""
    expect(0, trammel("run", os.path.join(ROOT, "scenes/heavy_top.json"), "--end", "0.01", "-o",
                      "top.csv"))
    header, _ = read_csv("top.csv")
    names = [h.split(".")[1] for h in header if h.startswith("top.")]
    assert names == ["x[m]", "y[m]", "z[m]", "qw", "qx", "qy", "qz", "vx[m/s]", "vy[m/s]",
                     "vz[m/s]", "wx[rad/s]", "wy[rad/s]", "wz[rad/s]"], names


@case
def recording_times():
    """--every DT records at n*DT and at the end, --every 0 at every step; times ascend strictly"""
    expect(0, trammel("run", scene(), "-o", "every.csv", "--every", "0.3"))
    times = [row[0] for row in read_csv("every.csv")[1]]
    assert times == [n * 0.3 for n in range(7)] + [2.0], times
    expect(0, trammel("run", scene(), "-o", "every.csv", "--every", "0.1"))
    times = [row[0] for row in read_csv("every.csv")[1]]
    assert times == [n * 0.1 for n in range(20)] + [2.0], times
    run = run_json(scene(), "-o", "steps.csv", "--every", "0")
    times = [row[0] for row in read_csv("steps.csv")[1]]
    assert len(times) == run["steps"] + 1 and sorted(set(times)) == times
    expect(0, trammel("run", scene(), "-o", "late.csv", "--every", "5"))
    assert [row[0] for row in read_csv("late.csv")[1]] == [0, 2]
    late = trammel("run", scene(), "-o", "late.csv", "--every", "5")
    assert late.stderr == (b"warning: --every 5 s is longer than the run of 2 s; only its start and "
                           b"its end are recorded\n"), late.stderr


@case
def recording_agrees():
    """The last line of the recording is the end state, digit for digit; dense output is accurate"""
    run = run_json(scene(), "-o", "same.csv", "--every", "0.01")
    header, rows = read_csv("same.csv")
    end, bar = dict(zip(header, rows[-1])), run["state"]["bodies"]["bar"]
    assert [end["bar.x[m]"], end["bar.y[m]"]] == bar["position"]
    assert end["bar.angle[rad]"] == bar["angle"] and end["bar.rate[rad/s]"] == bar["rate"]
    for row in rows:
        at = dict(zip(header, row))
        energy = at["energy.kinetic[J]"] + at["energy.potential[J]"]
        assert abs(energy - run["energy"]["initial"]) < 1e-5, (at["t"], energy)


@case
def unwritable_output():
    """An output that cannot be written: exit 5 before integrating, nothing left behind"""
    before = sorted(os.listdir("."))
    refused(5, "run", scene(), "-o", "no/such/folder.csv")
    os.mkdir("taken.csv")
    refused(5, "run", scene(), "-o", "taken.csv")
    os.rmdir("taken.csv")
    refused(5, "run", scene(), "-o", "/dev/full", says="No space")
    assert os.path.exists("/dev/full")

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
    expect(5, trammel("run", scene(), "-o", "never.csv", preexec_fn=no_room))
    assert sorted(set(os.listdir(".")) - {"bar.json"}) == sorted(set(before) - {"bar.json"})


@case
def bad_scene_keeps_recording():
    """A run that does not start leaves an older recording alone"""
    write("older.csv", "precious\n")
    refused(2, "run", write("syntax.json", "{"), "-o", "older.csv")
    refused(3, "run", scene("torn.json", bodies=[{**BAR["bodies"][0], "rate": 1}]), "-o",
            "older.csv")
    with open("older.csv", encoding="ascii") as file:
        assert file.read() == "precious\n"


@case
def disk_full():
    """A disk that fills up while recording: exit 5, the file ends with a complete line"""
    limit = 150_001

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    result = trammel("run", scene(), "-o", "full.csv", "--every", "1e-4", "--json",
                     preexec_fn=little_room)
    expect(5, result)
    run = json.loads(result.stdout)
    assert run["status"] == "TRM_ERR_IO" and run["t"] < 2, run["status"]
    header, rows = read_csv("full.csv.part")
    assert not os.path.exists("full.csv") and b"full.csv.part" in result.stderr, result.stderr
    assert len(rows) > 100 and os.path.getsize("full.csv.part") <= limit
    assert os.path.getsize("full.csv.part") > limit - 26 * len(header) - 1


@case
def failing_expression():
    """log(-1) at t > 0: exit 4, the force is named, the recording ends with the last good state"""
    name = scene("log.json", forces=[{"name": "push", "type": "force", "marker": "tip",
                                      "value": ["log(1 - t)", 0]}])
    for how in (["--rtol", "1e-6"], ["--integrator", "rk4", "--step", "0.01"]):
        run = run_json(name, "-o", "log.csv", "--every", "0.05", *how, code=4)
        assert run["status"] in ("TRM_ERR_CALLBACK", "TRM_ERR_DIVERGED"), run["status"]
        assert "push" in run["error"]["message"] + run["error"]["where"], run["error"]
        assert 0.9 < run["t"] <= 1, run["t"]
        assert run["state"]["t"] == run["t"]
        _, rows = read_csv("log.csv.part")
        assert [row[0] for row in rows[:19]] == [n * 0.05 for n in range(19)]
        assert rows[-1][0] == run["t"], (rows[-1][0], run["t"])
        assert all(math.isfinite(x) for row in rows for x in row)
        text = trammel("run", name, *how)
        assert text.returncode == 4 and b"Last state" in text.stdout and b"push" in text.stderr


@case
def stopped_run():
    """A run that stops says why once, in words, and what to do about it"""
    joints = [{"name": "A", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0],
               "motor": "-0.5*t^2"},
              {"name": "B", "type": "revolute", "bodies": ["a", "b"], "at": [1, 0]}]
    name = scene("lock.json", gravity=[0, 0], joints=joints,
                 bodies=[{"name": "a", "ends": [[0, 0], [1, 0]], "mass": 1},
                         {"name": "b", "ends": [[1, 0], [1.5, 0.5]], "mass": 1}],
                 markers=[{"name": "m", "body": "b", "at": [1.5, 0.5]}],
                 constraints=[{"name": "line", "expression": "m.y - 0.5"}])
    locked = expect(4, trammel("run", name))
    text = locked.stderr.decode()
    assert re.fullmatch(r"error: stopped at t = 0\.\d+ s: the motions given to joint 'A' lead out of the "
                        r"mechanism's reach; there is no closed position\n", text), text
    assert f"`trammel check {name}` says whether".encode() in locked.stdout, locked.stdout
    assert b"--step" not in locked.stdout and b"leave the method" not in locked.stdout
    with open(name) as file:
        pretty = json.load(file)
    with open("pretty.json", "w") as file:
        json.dump(pretty, file, indent=1)
    checked = trammel("check", "pretty.json").stdout.decode()
    assert '"name": "B"' in checked and not re.search(r"^ *{$", checked, re.M), checked
    assert b"FAILED before 2 s: " in locked.stdout and b"TRM_" not in locked.stdout, locked.stdout
    name = scene("stiff.json", gravity=[0, 0], joints=[],
                 bodies=[{"name": "b", "mass": 1, "shape": {"type": "point"}, "position": [2, 0]}],
                 markers=[{"name": "m", "body": "b", "on": [0, 0]},
                          {"name": "p", "body": "ground", "at": [0, 0]}],
                 forces=[{"name": "strut", "type": "spring_damper", "markers": ["p", "m"],
                          "stiffness": 1e6, "rest_length": 1}])
    text = expect(4, trammel("run", name, "--integrator", "rk4", "--step", "0.1", "--end", "5"))
    assert re.fullmatch(r"error: stopped at t = \S+ s: the state has grown to \S+; the step of 0.1 s "
                        r"is too large\n", text.stderr.decode()), text.stderr


def interrupt(*args):
    """A recorded run, stopped by Ctrl-C once it has written a little: what it reports, and the last line."""
    with subprocess.Popen([PROGRAM, "run", *args, "-o", "stopped.csv", "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        tap.until(lambda: os.path.exists("stopped.csv.part") and os.path.getsize("stopped.csv.part") > 200_000, process)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    assert process.returncode == 130, process.returncode
    run = json.loads(output)
    assert run["status"] == "TRM_STOPPED" and run["error"] is None and run["t"] >= 0
    _, rows = read_csv("stopped.csv.part")
    os.remove("stopped.csv.part")
    assert rows[-1][0] == run["t"]
    return run, rows


@case
def interrupted():
    """Ctrl-C ends a recorded run at once: exit 130, the recording complete up to there"""
    interrupt(os.path.join(ROOT, "scenes/chain_1000.json"), "--end", "1000")


@case
def interrupted_within_a_step():
    """Ctrl-C also ends a run that writes millions of lines of one step"""
    run, rows = interrupt(os.path.join(ROOT, "scenes/pendulum.json"), "--every", "2e-8")
    assert len(rows) < 1e7 and run["steps"] < 20, (len(rows), run["steps"])


@case
def progress_bar():
    """A terminal on stderr shows progress of a long run, unless --quiet"""
    name = os.path.join(ROOT, "scenes/chain_1000.json")

    def start(end, option):
        outer, inner = pty.openpty()
        process = subprocess.Popen([PROGRAM, "run", name, "--end", end, option], stderr=inner,
                                   stdout=subprocess.DEVNULL)
        os.close(inner)
        return process, outer

    process, outer = start("1000", "--json")  # however fast: it is stopped once the bar was seen
    seen = b""
    while b"%" not in seen:
        seen += os.read(outer, 1000)
    process.send_signal(signal.SIGINT)
    while process.poll() is None:
        try:
            os.read(outer, 100_000)
        except OSError:  # closed by the program
            process.wait()
    os.close(outer)
    process, outer = start("2", "--quiet")
    process.wait()
    try:
        quiet = os.read(outer, 100_000)
    except OSError:
        quiet = b""
    os.close(outer)
    assert quiet == b"", quiet


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
