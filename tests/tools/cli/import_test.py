"""trammel import: robots of other programs as scenes.

usage: import_test.py TRAMMEL ROOT

Values are compared with another program's by tests/python/test_import.py; here: what is told as lost, degrees of
freedom and runs of closed models, and what bad input is answered.
"""
import json
import math
import os
import re
import subprocess
import sys

import tap
from cli_rig import PROGRAM, ROOT, expect, refused, trammel, write  # noqa: F401

MODELS = os.path.join(ROOT, "tests", "import", "models")


def model(name):
    return os.path.join(MODELS, name + ".xml")


def imported(*words):
    """The scene, and the report."""
    done = expect(0, trammel("import", *words))
    return json.loads(done.stdout), done.stderr.decode()


def mujoco(body="", more="", compiler=""):
    return (f'<mujoco><compiler angle="radian"/>{compiler}<worldbody><body name="a"><joint name="j" axis="0 1 0"/>'
            f'<geom name="g" size="0.1" contype="0" conaffinity="0"/>{body}</body></worldbody>{more}</mujoco>')


LOST = {  # line of losses.xml: element and consequence
    2: "strippath: paths", 3: "density: bodies move in no medium", 10: "gravcomp: its weight is not carried",
    13: "shellinertia: its mass",
    16: "frictionloss: joints without one coordinate", 21: "mocap: a body moved", 22: "<plugin>: left out",
    25: "<flex>: not read", 27: "<geom>: the rope goes straight",
    28: "frictionloss: the tendon moves without", 31: "drives work on hinges", 32: "<muscle name=\"muscle\">: not read",
    33: "dyntype: its force follows", 34: "dampratio: give kv", 39: "<whatever>: not read",
}
NO_MATTER = {
    3: "timestep: of another solver", 4: "<default>: no element", 5: "<texture", 6: "<visual>: for eyes",
    8: "<light>: for eyes", 14: "<camera", 36: "<gyro>: left out: no formula", 37: "--start NAME", 38: "<custom>",
}


@tap.case
def every_loss_is_told():
    """every element that a scene does not hold is named by file, line and consequence"""
    _, report = imported(model("losses"))
    moves, still = report.split("no matter to the motion:\n")
    assert moves.startswith("not in the scene:\n")
    for told, part in ((LOST, moves), (NO_MATTER, still)):
        for line, words in told.items():
            found = [one for one in part.splitlines() if f"losses.xml:{line}: " in one]
            assert any(words in one for one in found), (line, words, found)
    assert re.search(r"losses.xml:3: <option> wind", moves) and "a limit" not in still


@tap.case
def strict():
    """--strict writes no scene where the motion may differ, and writes one where it does not"""
    text = refused_later(trammel("import", model("losses"), "-o", "x.json", "--strict"))
    assert "no scene is written: the motion may differ for" in text and not os.path.exists("x.json")
    expect(0, trammel("import", model("four_bar"), "-o", "x.json", "--strict"))
    assert os.path.exists("x.json")


def refused_later(done):
    expect(2, done)
    return done.stderr.decode()


def freedoms(name):
    done = expect(0, trammel("check", model(name), "--json"))
    return json.loads(done.stdout)["degrees_of_freedom"]


@tap.case
def closed_models_have_their_freedoms():
    """four-bar 1; gripper with two couplings 5; delta 3, and each of its six rods turns about itself; a floating trunk
    with four legs of five bars 6 + 4 (4 - 2); a hanging humanoid 3, arms 4, legs 2 (5 - 2)"""
    assert [freedoms(one) for one in ("four_bar", "gripper", "delta", "quadruped", "humanoid")] == [1, 5, 9, 14, 13]


@tap.case
def closed_models_run():
    """10 s of every closed model are good at 1e-6"""
    tap.figures()
    for name in ("four_bar.xml", "gripper.xml", "delta.xml", "quadruped.xml", "humanoid.xml", "five_bar.urdf", "five_bar_plus.urdf", "machine.sdf"):
        done = expect(0, trammel("run", os.path.join(MODELS, name), "--end", "10", "--accuracy", "1e-6", "--json"))
        verdicts = json.loads(done.stdout)["verdicts"]
        assert all(verdicts[one] == "good" for one in ("constraints", "energy", "forces")), (name, verdicts)


@tap.case
def armatures_hide_no_plane():
    """a planar robot is told as such, with armatures of its joints too, whose rotors hang beside the loop"""
    with open(model("four_bar"), encoding="utf-8") as file:
        text = file.read()
    for more in ("", ' armature="0.001"'):
        write("r.xml", text.replace('damping="0.02"', 'damping="0.02"' + more))
        assert re.search(r"^Plane", expect(0, trammel("check", "r.xml")).stdout.decode(), re.M), more


@tap.case
def the_scene_is_the_same():
    """a robot runs as the scene that is made of it"""
    expect(0, trammel("import", model("delta"), "-o", "delta.json"))
    ends = [json.loads(expect(0, trammel("run", one, "--end", "0.5", "--json")).stdout)["state"]
            for one in (model("delta"), "delta.json")]
    assert ends[0] == ends[1]


@tap.case
def names():
    """names with spaces, quotes, dots, other alphabets, of 200 letters, taken twice"""
    long = "x" * 200
    wild = ['a b', 'a&quot;b', 'a.b', 'a_b', 'ä', 'ground', 't', '1st', long, long + "y", "a/b", ""]
    bodies = "".join(f'<body name="{one}"><joint name="{one}" type="slide"/><geom size="0.1"/></body>' for one in wild)
    write("r.xml", mujoco(more="", body=bodies))
    made, report = imported("r.xml")
    called = [one["name"] for one in made["bodies"]] + [one["name"] for one in made["joints"]]
    assert len(set(called)) == len(called) == 26 and all(re.fullmatch(r"[A-Za-z][\w]{0,62}", one) for one in called)
    assert 'name: is called "a_b_2" in the scene' in report
    write("r.json", json.dumps(made))
    expect(0, trammel("check", "r.json"))


TOUCH = {  # of touch.xml, by the rules of MJCF: bits, bodies within bodies, <exclude>
    "ball_floor", "hat_floor", "block_floor", "pill_floor", "arm_floor", "egg_floor", "can_floor", "ball_hat", "ball_block",
    "ball_pill", "ball_can", "hat_pill", "hat_arm", "hat_can", "arm_block", "arm_can", "hat_for_eyes", "can_slope",
}


@tap.case
def shapes_touch():
    """geoms touch as MJCF says: which, with what friction, where; turned boxes and capsules lie where they must"""
    made, report = imported(model("touch"))
    contacts = {one["name"]: one for one in made["contacts"]}
    assert set(contacts) == TOUCH
    laws = {name: [contacts[name].get(key, 0) for key in ("friction", "spinning", "rolling")] for name in contacts}
    assert laws["ball_can"] == laws["ball_floor"] == [0.5, 0.01, 0.001]  # condim 6, and its priority
    assert laws["hat_floor"] == laws["block_floor"] == [0.5, 0, 0]
    assert laws["can_slope"] == [0.05, 0.01, 0.002] and laws["hat_for_eyes"] == [0.7, 0.02, 0]  # of their <pair>
    assert 'geom name="egg">: it touches planes and balls' in report
    expect(0, trammel("import", model("touch"), "-o", "touch.json"))
    now = json.loads(expect(0, trammel("run", "touch.json", "--end", "1e-9", "--json")).stdout)["contacts"]["now"]
    gaps = {name: one["x"] for name, one in now.items()}
    c, s, C, S = math.cos(0.3), math.sin(0.3), math.cos(0.4), math.sin(0.4)
    right = {"block_floor": 1.1 - (0.1 * c * S + 0.15 * s + 0.2 * c * C), "pill_floor": 0.55, "egg_floor": 0.9,
             "can_floor": 1.1 - (0.1 * math.sin(0.7) + 0.2 * math.cos(0.7)),
             "ball_hat": math.dist((0, 0, 1), (1, -0.25 * s, 1 + 0.25 * c)) - 0.2}
    for name, gap in right.items():
        found = min(gaps[one] for one in gaps if re.fullmatch(name + r"(_\d)?", one))
        assert abs(found - gap) < 1e-9, (name, found, gap)
    last = json.loads(expect(0, trammel("run", "touch.json", "--end", "0.4", "--json")).stdout)
    assert last["verdicts"]["energy"] == last["verdicts"]["forces"] == "good"


@tap.case
def shapes_of_sdf_touch():
    """collisions of SDF touch those of other models, with the smaller friction; of one model where it says so"""
    def world(more, flag=""):
        ball = ('<link name="l"><pose>0 0 {} 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia>'
                '</inertial><collision name="{}"><geometry><sphere><radius>0.1</radius></sphere></geometry>'
                '<surface><friction><ode><mu>{}</mu></ode></friction><bounce><restitution_coefficient>0.5</restitution_coefficient></bounce></surface></collision></link>')
        two = ball.format(1, "a", 0.2) + ball.format(2, "b", 0.9).replace('"l"', '"m"')
        return (f'<sdf version="1.12"><world name="w"><model name="ground"><static>true</static><link name="g"><collision name="floor"><geometry>'
                f'<plane><normal>0.6 0 0.8</normal></plane></geometry></collision></link></model><model name="two">{flag}{two}</model>{more}</world></sdf>')
    for flag, names in (("", {"a_floor", "b_floor"}), ("<self_collide>true</self_collide>", {"a_floor", "b_floor", "a_b"})):
        write("w.sdf", world("", flag))
        made, _ = imported("w.sdf")
        contacts = {one["name"]: one for one in made["contacts"]}
        assert set(contacts) == names, contacts
        assert contacts["a_floor"]["friction"] == 0.2 and contacts["b_floor"]["friction"] == 0.9
        assert contacts["a_floor"]["restitution"] == 0.5
        normal = contacts["a_floor"]["shapes"][1]["normal"]
        assert max(abs(x - y) for x, y in zip(normal, (0.6, 0, 0.8))) < 1e-15, normal
    write("w.json", json.dumps(made))
    expect(0, trammel("run", "w.json", "--end", "0.5"))


BAD = {
    "no XML": ("<mujoco><worldbody>", r"r\.xml:1:20: this is no XML: no element found"),
    "two roots": ("<mujoco/><mujoco/>", "this is no XML: junk after document element"),
    "other root": ("<robots/>", r"r\.xml:1:1: <robots>: the root element of MJCF is <mujoco>"),
    "entity": ('<!DOCTYPE m [<!ENTITY a "b">]><mujoco>&a;</mujoco>', "entities are not read"),
    "entity bomb": ('<!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><mujoco x="&b;"/>',
                    "entities are not read"),
    "external entity": ('<!DOCTYPE m [<!ENTITY a SYSTEM "file:///etc/passwd">]><mujoco>&a;</mujoco>',
                        "entities are not read"),
    "deep": ("<mujoco>" + "<frame>" * 300 + "</frame>" * 300 + "</mujoco>", "at most 200 deep"),
    "includes itself": ('<mujoco><include file="r.xml"/></mujoco>', "included a second time; include it once"),
    "leaves the folder": ('<mujoco><include file="../x.xml"/></mujoco>', "files of its own folder only"),
    "absolute path": ('<mujoco><include file="/etc/passwd"/></mujoco>', "files of its own folder only"),
    "missing file": ('<mujoco><include file="no.xml"/></mujoco>', "cannot open the file"),
    "triangle": (mujoco('<inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/>'),
                 r'r\.xml:1:\d+: <body name="a">: the largest of its moments of inertia exceeds the sum'),
    "massless": (mujoco('<body name="b"><joint/></body>'), r'<body name="b">: it moves and has no mass; give it one'),
    "negative mass": (mujoco('<geom size="1" mass="-1"/>'), "mass must be >= 0, got -1"),
    "no number": (mujoco('<geom size="one"/>'), r'<geom>: size: expected 1 number, got "one"'),
    "infinite": (mujoco('<geom size="1e999"/>'), "size: expected 1 number"),
    "no size": (mujoco('<geom type="box" size="1 2"/>'), "size: expected 3 numbers of a box, got 2"),
    "zero axis": (mujoco('<body><joint axis="0 0 0"/></body>'), "axis: expected a direction, got zeros"),
    "zero quaternion": (mujoco('<body quat="0 0 0 0"/>'), "an axis or a quaternion of zeros"),
    "range": (mujoco('<body><joint range="2 1"/></body>'), "range: the first number is below the second"),
    "no body": (mujoco(more='<equality><connect body1="z" anchor="0 0 0"/></equality>'), 'no body "z"'),
    "no anchor": (mujoco(more='<equality><connect body1="a"/></equality>'), "expected anchor, a point of body1"),
    "no joint": (mujoco(more='<actuator><motor joint="z"/></actuator>'), 'joint: there is no joint "z"'),
    "no class": (mujoco('<geom class="z" size="1"/>'), 'no class "z" among the defaults'),
    "word": (mujoco('<geom type="ball" size="1"/>'), 'type: "ball" is none of its words'),
    "free within": (mujoco('<body><freejoint/><geom size="1"/></body>'), "free joint is the only one of a body of the"),
    "no mesh": (mujoco('<geom type="mesh" mesh="z"/>'), 'no mesh "z" among the assets'),
    "replicates": ('<mujoco><worldbody>' + '<replicate count="1000">' * 4 + '<geom size="1"/>' + '</replicate>' * 4 +
                   '</worldbody></mujoco>', "more than 4000000 elements"),
    "count": ('<mujoco><worldbody><replicate count="1e9"/></worldbody></mujoco>', "whole number from 1 to 1e6"),
    "empty replicates": ("<mujoco><worldbody>" + '<replicate count="1000000">' * 5 + "</replicate>" * 5 + "</worldbody></mujoco>",
                         r"r\.xml:1:47: <replicate>: replicates make more than 4000000 elements"),
    "no keyframe": (mujoco(), 'no keyframe "no"'),
}


@tap.case
def bad_input():
    """bad input is answered with the file, the line, the element and what to do"""
    for name, (text, says) in BAD.items():
        write("r.xml", text)
        words = ["--start", "no"] if name == "no keyframe" else []
        try:
            refused(2, "import", "r.xml", *words, says=says)
        except AssertionError as wrong:
            raise AssertionError(name) from wrong


def urdf(*parts):
    links = "".join(f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" '
                    'iyz="0"/></inertial></link>' for name in "abc")
    return f'<robot name="r">{links}{"".join(parts)}</robot>'


def pin(name, parent, child, more="", kind="continuous"):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>')


AB, BC = pin("ab", "a", "b"), pin("bc", "b", "c")
BAD_URDF = {
    "no child": (urdf('<joint name="ab" type="continuous"><parent link="a"/></joint>', BC),
                 r'r\.urdf:1:\d+: <joint name="ab">: a joint has a parent and a child; there is no <child'),
    "two parents": (urdf(AB, BC, pin("ac", "a", "c")),
                    '<joint name="ac">: link "c" is the child of joint "bc" already: URDF is a tree; write a loop by'),
    "circle": (urdf(pin("ab", "a", "b"), pin("ba", "b", "a"), pin("cc", "c", "c")), "there is no root"),
    "island": (urdf(pin("bc", "b", "c"), pin("cb", "c", "b")), "its parents form a circle, which does not reach the root; break it"),
    "two roots": (urdf(AB), "a robot has one root"),
    "no link": (urdf(AB, pin("bz", "b", "z")), 'there is no link "z"'),
    "same name": (urdf(AB, pin("ab", "b", "c")), "there is another joint of this name"),
    "mimic loop": (urdf(pin("ab", "a", "b", '<mimic joint="bc"/>'), pin("bc", "b", "c", '<mimic joint="ab"/>')),
                   "it follows itself by way of other joints; let one"),
    "mimics itself": (urdf(pin("ab", "a", "b", '<mimic joint="ab"/>'), BC), "it follows itself by way"),
    "type": (urdf(pin("ab", "a", "b", kind="hinge"), BC), 'type: "hinge" is none of fixed, revolute'),
    "axis": (urdf(pin("ab", "a", "b", '<axis xyz="0 0 0"/>'), BC), "axis: expected a direction, got zeros"),
    "limits": (urdf(pin("ab", "a", "b", '<limit lower="1" upper="0"/>', "revolute"), BC), "lower is 1, above upper, 0"),
    "numbers": (urdf(pin("ab", "a", "b", '<origin xyz="0 0"/>'), BC), 'xyz: expected 3 numbers, got "0 0"'),
    "triangle": (urdf(AB, BC).replace('izz="1"', 'izz="3"'), "exceeds the sum of the other two"),
    "no partner": (urdf(AB, BC, '<link name="closing_x_1"/>', pin("x", "c", "closing_x_1", kind="fixed")),
                   'there is no frame "closing_x_2" that it meets'),
}
PAIRS = {"closed_loop: [[a, z]]": 'r.yaml:1: there is no link of this name: "z"', "closed_loop: [[a, b], [c]]": "there is one",
         "closed_loop: [[a, b]]\ntype: [4d]": 'r.yaml:2: expected 3d or 6d for each pair, got: "4d"',
         "closed_loop: [[a, " + "b" * 200 + "]]": "the word is too long"}


@tap.case
def bad_urdf():
    """bad URDF likewise"""
    for name, (text, says) in BAD_URDF.items():
        write("r.urdf", text)
        try:
            refused(2, "import", "r.urdf", says=says)
        except AssertionError as wrong:
            raise AssertionError(name) from wrong
    write("r.urdf", urdf(AB, BC))
    for text, says in PAIRS.items():
        write("r.yaml", text)
        refused(2, "import", "r.urdf", "--loops", "r.yaml", says=says)


def sdf(*parts, version="1.12"):
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    return f'<sdf version="{version}"><model name="m">{links}{"".join(parts)}</model></sdf>'


def hinge(name, parent, child, more="", kind="revolute", axis="<xyz>0 1 0</xyz>"):
    return (f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
            f'<axis>{axis}</axis>{more}</joint>')


BAD_SDF = {
    "no child": (sdf('<joint name="j" type="ball"><parent>a</parent></joint>'),
                 r'r\.sdf:1:\d+: <joint name="j">: a joint has a parent and a child; there is no <child>'),
    "no parent": (sdf('<joint name="j" type="ball"><child>a</child></joint>'), "there is no <parent>"),
    "child is the world": (sdf(hinge("j", "a", "world")), "the child of a joint moves; the world does not"),
    "no link": (sdf(hinge("j", "a", "z")), 'there is no frame "m::z"'),
    "same name": (sdf('<frame name="a"/>'), 'there is another element of this name: "m::a"'),
    "no name": (sdf('<link/>'), "<link>: expected a name"),
    "type": (sdf(hinge("j", "a", "b", kind="hinge")), 'type: "hinge" is none of continuous, revolute'),
    "zero axis": (sdf(hinge("j", "a", "b", axis="<xyz>0 0 0</xyz>")), "xyz: expected a direction, got zeros"),
    "limits": (sdf(hinge("j", "a", "b", axis="<limit><lower>1</lower><upper>0</upper></limit>")), "lower is 1, above"),
    "pose": (sdf('<frame name="f"><pose>0 0 0</pose></frame>'), 'text: expected 6 numbers, got "0 0 0"'),
    "zero quaternion": (sdf('<frame name="f"><pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose></frame>'),
                        "its quaternion is zero"),
    "format": (sdf('<frame name="f"><pose rotation_format="x">0 0 0 0 0 0</pose></frame>'), "expected euler_rpy or"),
    "circle of poses": (sdf('<frame name="f"><pose relative_to="g">0 0 0 0 0 0</pose></frame>'
                            '<frame name="g"><pose relative_to="f">0 0 0 0 0 0</pose></frame>'),
                        "its pose is relative to itself, by way of others"),
    "circle of frames": (sdf('<frame name="f" attached_to="g"><pose relative_to="a">0 0 0 0 0 0</pose></frame>'
                             '<frame name="g" attached_to="f"><pose relative_to="a">0 0 0 0 0 0</pose></frame>',
                             hinge("j", "a", "f")), "a frame is attached to itself, by way of others"),
    "placement": ('<sdf version="1.12"><world name="w"><frame name="f"/><model name="m" placement_frame="f">'
                  '<link name="a"/><frame name="f"><pose relative_to="world">0 0 0 0 0 0</pose></frame></model></world></sdf>',
                  'the frame "f" that places it does not stand in it'),
    "mimic loop": (sdf(hinge("j", "a", "b", axis='<mimic joint="k" axis="axis"/>'),
                       hinge("k", "b", "c", axis='<mimic joint="j" axis="axis"/>')), "it follows itself by way of other joints"),
    "pitch": (sdf(hinge("j", "a", "b", "<screw_thread_pitch>0</screw_thread_pitch>", "screw")), "thread pitch: expected a number other than 0"),
    "gearbox": (sdf(hinge("j", "a", "b", kind="gearbox")), "expected <gearbox_reference_body>, a link"),
    "mass": (sdf('<link name="d"><inertial><mass>0</mass></inertial></link>'), "mass must be > 0, got 0"),
    "triangle": (sdf('<link name="d"><inertial><inertia><izz>3</izz></inertia></inertial></link>'),
                 '<link name="d">: the largest of its moments of inertia exceeds the sum'),
    "no link at all": ('<sdf version="1.12"><model name="m"/></sdf>', "there is no link"),
    "auto without shapes": (sdf('<link name="d"><inertial auto="true"/></link>'), "it moves and has no mass"),
    "leaves the folder": (sdf('<include><uri>../x.sdf</uri></include>'), "files of its own folder only"),
    "missing": (sdf('<include><uri>model://x</uri></include>'), "cannot open the file"),
    "includes itself": (sdf('<include><uri>r.sdf</uri><name>n</name></include>'), "included a second time|at most 32 deep"),
    "keyframe": (sdf(), "SDF has no keyframes"),
}


@tap.case
def bad_sdf():
    """bad SDF likewise"""
    for name, (text, says) in BAD_SDF.items():
        write("r.sdf", text)
        try:
            refused(2, "import", "r.sdf", *(["--start", "no"] if name == "keyframe" else []), says=says)
        except AssertionError as wrong:
            raise AssertionError(name) from wrong


@tap.case
def bombs_of_sdf():
    """files that include each other, and includes that double at each of 20 files, end within their bounds"""
    for i in range(20):
        twice = "".join(f"<include><uri>b{i + 1}.sdf</uri><name>{one}</name></include>" for one in "xy")
        write(f"b{i}.sdf", sdf(twice))
    write("b20.sdf", sdf())
    refused(2, "import", "b0.sdf", says="includes make more than 1000000 elements")
    write("c.sdf", sdf("<include><uri>d.sdf</uri></include>"))
    write("d.sdf", sdf("<include><uri>c.sdf</uri></include>"))
    refused(2, "import", "c.sdf", says="included a second time")


@tap.case
def losses_of_sdf():
    """what a scene does not hold of an SDF, by line; roots as the user wants them"""
    _, report = imported(os.path.join(MODELS, "machine.sdf"))
    moves, still = report.split("no matter to the motion:\n")
    for line, words in {18: "a link between", 36: "<plugin name=\"p\">"}.items():
        assert re.search(f"machine.sdf:{line}: .*{words}", moves), (line, moves)
    more = ('<link name="d"><gravity>0</gravity><velocity_decay/><inertial><fluid_added_mass/></inertial></link>'
            + hinge("g", "a", "b", "<gearbox_reference_body>c</gearbox_reference_body>", "gearbox")
            + hinge("j", "a", "b", axis='<limit><stiffness>1</stiffness><velocity>1</velocity></limit>'
                                        '<mimic joint="k" axis="axis"/>')
            + hinge("k", "b", "c", kind="ball"))
    write("r.sdf", sdf(more))
    _, report = imported("r.sdf")
    moves, still = report.split("no matter to the motion:\n")
    for words in ("<gravity>: gravity acts on every body", "<velocity_decay>: bodies move", "<fluid_added_mass>: bodies move",
                  '<joint name="g">: no hinges of its axes', "<mimic>: joints without a coordinate"):
        assert words in moves, (words, moves)
    assert "<stiffness>: limits are rigid" in still and "<velocity>: a bound for controllers" in still
    write("r.sdf", sdf(hinge("j", "a", "b"), hinge("k", "world", "c", kind="fixed")))
    for root, bodies in {None: "ab", "fixed": "b", "free": "abc"}.items():
        made, _ = imported("r.sdf", *(["--root", root] if root else []))
        assert "".join(one["name"] for one in made["bodies"]) == bodies, root


@tap.case
def losses_of_urdf():
    """what a scene does not hold of a URDF, by line"""
    _, report = imported(os.path.join(MODELS, "arm.urdf"))
    moves, still = report.split("no matter to the motion:\n")
    for line, words in {8: "<collision>: it touches", 24: "a link without mass that nothing follows", 50: "<gazebo>"}.items():
        assert re.search(f"arm.urdf:{line}: .*{words}", moves), (line, moves)
    assert re.search("arm.urdf:28: <limit> velocity", still) and re.search("arm.urdf:37: <limit> effort", still), still


@tap.case
def masses_out_of_size():
    """a mass that no material has in a link of its size is told with its line; one that osmium just has is not. The ball
    of radius 0.1 m of osmium weighs 94.62 kg; a link's inertia and its joints say its size"""
    inertial = '<inertial><mass value="{}"/><inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>'
    far = '<origin xyz="0 0.1 0"/>'
    for mass, moment, at, told in ((1.3e6, 1.3e6 * 0.004, "", 1), (95, 95 * 0.004, "", 1), (94, 94 * 0.004, "", 0),
                                   (95, 1e-3, far, 1), (94, 1e-3, far, 0)):
        write("r.urdf", f'<robot name="r"><link name="a"/>\n<link name="b">{inertial.format(mass, i=moment)}</link>'
              '<link name="c"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
              + pin("ab", "a", "b") + pin("bc", "b", "c", at) + "</robot>")
        made, report = imported("r.urdf")
        found = re.search(r'r\.urdf:2: <link name="b">: its mass is taken as it stands; .* within 0\.1 m, .* denser than osmium', report)
        assert bool(found) == bool(told) and made["bodies"][0]["mass"] == mass, (mass, moment, at, report)
    for one in os.listdir(MODELS):
        if one.endswith((".xml", ".urdf", ".sdf")):
            assert "osmium" not in imported(os.path.join(MODELS, one))[1], one


@tap.case
def packages():
    """package://NAME is the folder NAME beside the robot; elsewhere the mesh is told by line, and nothing leaves the root"""
    os.makedirs("p")
    write("p/m.stl", open(os.path.join(MODELS, "parts", "wedge.stl"), "rb").read())
    for path, told in {"p/m.stl": None, "q/m.stl": "cannot open the file", "../m.stl": "its own folder only",
                       "/etc/m.stl": "its own folder only"}.items():
        look = f'<visual><geometry><mesh filename="package://{path}"/></geometry></visual>'
        write("r.urdf", urdf(AB, BC).replace('<link name="b">', '<link name="b">' + look))
        made, report = imported("r.urdf")
        shapes = next(one for one in made["bodies"] if one["name"] == "b").get("shapes", [])
        assert [one["file"] for one in shapes] == ([path] if told is None else []), (path, shapes)
        assert told is None or re.search(f"r.urdf:1: <visual>: its mesh is not drawn: .*{told}", report), (path, report)


@tap.case
def welds():
    """welds of MJCF, by bodies and by sites, take the six freedoms of a body that floats"""
    floats = '<body name="b" pos="1 0 0"><freejoint/><geom size="0.1" contype="0" conaffinity="0"/><site name="s"/></body>'
    for weld, freedoms_left in {"": 7, '<weld body1="b" body2="a"/>': 1, '<weld site1="s" site2="s2"/>': 1}.items():
        text = mujoco('<site name="s2" pos="1 0 0"/>', f"<equality>{weld}</equality>")
        write("r.xml", text.replace("</worldbody>", floats + "</worldbody>"))
        assert json.loads(expect(0, trammel("check", "r.xml", "--json")).stdout)["degrees_of_freedom"] == freedoms_left, weld


@tap.case
def promised_elements():
    """each element that is promised stands in a model of ours, and the page of what they become says what imports make"""
    done = subprocess.run([sys.executable, os.path.join(ROOT, "tests", "import", "elements.py"), PROGRAM, "--check"], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


@tap.case
def pairs_as_one_body():
    """a pair of type 6d at the ends of two hinges on one line leaves the turn of the middle link, one of 3d both"""
    write("r.urdf", urdf(AB, BC))
    for kind, left in {"3d": 2, "6d": 1}.items():
        write("r.yaml", f"closed_loop: [[a, c]]\ntype: [{kind}]")
        expect(0, trammel("import", "r.urdf", "--loops", "r.yaml", "-o", "r.json"))
        assert json.loads(expect(0, trammel("check", "r.json", "--json")).stdout)["degrees_of_freedom"] == left, kind


@tap.case
def laws_without_a_coordinate():
    """limits, damping and transmissions of floating and planar joints of URDF are told, the reduction of others too"""
    laws = '<axis xyz="0 0 1"/><limit lower="0" upper="1"/><dynamics damping="1"/>'
    moved = '<transmission name="t"><joint name="ab"/><actuator name="m"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>'
    for kind in ("floating", "planar"):
        write("r.urdf", urdf(pin("ab", "a", "b", laws, kind), BC, moved))
        moves, still = imported("r.urdf")[1].split("no matter to the motion:\n")
        for words in ("<limit>: a joint without one coordinate has no limits", "<dynamics>: a joint without one coordinate",
                      '<joint name="ab">: a joint without one coordinate is not driven'):
            assert words in moves, (kind, words, moves)
        assert "the input of a transmission is the force on the joint" in still


@tap.case
def many_shapes():
    """shapes that may touch: 1e4 that no scene lets touch are told, pairs beyond what a run holds are refused"""
    tap.figures()
    for kind, n in (('type="capsule" size="0.1 0.1"', 10000), ('size="0.1"', 200)):
        write("r.xml", "<mujoco><worldbody>" + "".join(f'<body pos="{i} 0 0"><joint/><geom {kind}/></body>' for i in range(n)) + "</worldbody></mujoco>")
        if n > 200:
            assert "it touches planes and balls only" in imported("r.xml")[1]
        else:
            refused(2, "import", "r.xml", says=r"r.xml:1:\d+: <geom>: more than 10000 pairs of shapes may touch, .* contype")


@tap.case
def open_meshes():
    """a mesh that is not closed, not there, or no mesh is refused"""
    os.makedirs("m")
    write("m/open.obj", open(os.path.join(MODELS, "parts", "open.obj"), "rb").read())
    write("m/no.stl", "solid\nvertex 1 2\n")
    write("m/nan.obj", "v 1 2 nan\n")
    write("m/far.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n")
    for file, says in {"open.obj": "is not closed, so that it has no volume", "no.stl": "a vertex has three numbers",
                       "nan.obj": "a vertex has three numbers", "missing.obj": "cannot open the file",
                       "far.obj": "a face names corners that are not there",
                       "../r.xml": "files of its own folder only|read from .stl and .obj"}.items():
        write("r.xml", f'<mujoco><asset><mesh name="m" file="m/{file}"/></asset><worldbody><body><joint/>'
                       '<geom type="mesh" mesh="m"/></body></worldbody></mujoco>')
        refused(2, "import", "r.xml", says=says)


@tap.case
def convex_hulls():
    """inertia="convex": corners of a cube in any order, some twice, others within; a flat mesh has no hull"""
    os.makedirs("m")
    model = ('<mujoco><asset><mesh name="m" file="m/{}" inertia="convex"/></asset><worldbody><body><joint/>'
             '<geom type="mesh" mesh="m" density="2"/></body></worldbody></mujoco>')
    corners = [f"{x} {y} {z}" for x in (0, 1, 2) for y in (0, 1, 2) for z in (0, 1, 2)] * 2
    write("m/cube.obj", "".join(f"v {corner}\n" for corner in sorted(corners, key=lambda text: text[::-1])) + "f 1 2 3\n")
    write("r.xml", model.format("cube.obj"))
    body = json.loads(expect(0, trammel("import", "r.xml")).stdout)["bodies"][0]
    assert abs(body["mass"] - 16) < 1e-13 and all(abs(I - 16 * 8 / 12) < 1e-13 for I in body["inertia"]), body
    assert all(abs(x - 1) < 1e-14 for x in body["position"]), body
    write("m/flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n")
    write("r.xml", model.format("flat.obj"))
    refused(2, "import", "r.xml", says="its convex hull is flat or too large; give an inertia")


@tap.case
def many_names():
    """names are looked up in tables: 3e4 joints with an actuator each are read in about the time of 3e4 joints"""
    tap.figures()
    spent = []
    for actuated in (0, 1):
        drives = "".join(f'<motor name="m{i}" joint="j{i}"/>' for i in range(30000)) if actuated else ""
        write("r.xml", '<mujoco><worldbody>' + "".join(
            f'<body pos="{i} 0 0"><joint name="j{i}"/><geom size="0.1" contype="0" conaffinity="0"/></body>'
            for i in range(30000)) + f'</worldbody><actuator>{drives}</actuator></mujoco>')
        before = os.times()
        expect(0, trammel("import", "r.xml", "-o", "r.json"))
        spent.append(os.times().children_user - before.children_user)
    assert spent[1] < 4 * spent[0] + 1, spent


@tap.case
def many_bodies():
    """1e5 bodies, 2e4 by day, are read within their memory and time, of MJCF, SDF and URDF"""
    tap.figures()
    many = 100000 if tap.nightly() else 20000
    links = "".join(f'<link name="b{i}"/><joint name="j{i}" type="revolute"><parent>world</parent><child>b{i}</child>'
                    '<axis><xyz>0 1 0</xyz></axis></joint>' for i in range(many))
    write("r.sdf", f'<sdf version="1.12"><model name="m">{links}</model></sdf>')
    made, _ = imported("r.sdf")
    assert len(made["bodies"]) == len(made["joints"]) == many and made["joints"][-1]["name"] == f"j{many - 1}"
    write("r.xml", f'<mujoco><worldbody><replicate count="{many}" offset="1 0 0"><body name="b"><joint name="j"/>'
                   '<geom size="0.1" contype="0" conaffinity="0"/></body></replicate></worldbody></mujoco>')
    made, _ = imported("r.xml")
    assert len(made["bodies"]) == many and made["bodies"][-1]["name"] == f"b{many - 1}"
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    write("r.urdf", '<robot name="r"><link name="world"/>' + "".join(
        f'<link name="b{i}">{mass}</link>{pin(f"j{i}", "world", f"b{i}")}' for i in range(many)) + "</robot>")
    made, _ = imported("r.urdf")
    assert len(made["bodies"]) == len(made["joints"]) == many and made["joints"][-1]["name"] == f"j{many - 1}"


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES, in_folders=True))
