#!/usr/bin/env python3
"""Writes docs/reference/imports.md: what elements of MJCF, URDF and SDF become, from imports of tests/import/models.

    tests/import/elements.py build/tools/trammel            write it
    tests/import/elements.py build/tools/trammel --check    exit 1 if it is not what it would be

Each element is taken out of a model of ours. What the scene, or the report, then lacks is what the element became.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "tests" / "import" / "models"
PAGE = ROOT / "docs" / "reference" / "imports.md"

HEAD = """# Elements of imported robots

For users who import a robot and look for one of its elements. Written by
`tests/import/elements.py`, which takes each element out of a model in `tests/import/models` and
compares two imports. What changes is what the element becomes: members of the
[scene](scene_format.md), or a line of the report.
[How to import a robot](../how-to/import_a_robot.md) says the rest.
"""


def of(name):
    """An attribute with its value."""
    return rf' {name}="[^"]*"'


def one(name, more=""):
    """An element without children, or the first with them."""
    return rf"<{name}\b{more}(?:[^>]*/>|[^>]*(?<!/)>.*?</{name}>)"


def outside(name):
    """The tags of an element around others."""
    return rf"<{name}\b[^>]*>|</{name}>"


LOSSES = """
## What a scene does not hold

Of `losses.xml`, a model of such elements; first those for which the motion may differ:

"""

# Format: rows of the element, the model and what is taken out; then what takes its place.
ELEMENTS = {
    "MJCF": [
        ("`<default class>`", "tree.xml", r'range="-120 120"(?=/></default>)'),
        ("`childclass`", "tree.xml", of("childclass") + "(?= xyaxes)"),
        ("`<compiler angle>`", "tree.xml", 'angle="degree"', 'angle="radian"'),
        ("`<compiler eulerseq>`", "parts.xml", of("eulerseq")),
        ("`<compiler autolimits>`", "tree.xml", 'autolimits="true"', 'autolimits="false"'),
        ("`<compiler inertiafromgeom>`", "inertias.xml", of("inertiafromgeom")),
        ("`<compiler balanceinertia>`", "balance.xml", of("balanceinertia")),
        ("`<compiler boundmass>`", "inertias.xml", of("boundmass")),
        ("`<compiler boundinertia>`", "parts.xml", of("boundinertia")),
        ("`<compiler settotalmass>`", "parts.xml", of("settotalmass")),
        ("`<option gravity>`", "tree.xml", of("gravity")),
        ("`<include>`", "parts.xml", one("include")),
        ("`<frame>`", "parts.xml", r'(?<=<frame name="f") pos="0 0 1" euler="0.1 0.2 0.3"'),
        ("`<replicate>`", "replicate.xml", outside("replicate")),
        ("body with two joints", "parts/leg.xml", '<joint name="knee_y"[^>]*/>'),
        ("`<joint type=\"hinge\">`", "four_bar.xml", '<joint name="rocker_hinge"/>'),
        ("`<joint type=\"slide\">`", "tree.xml", r'(?<=<joint name="slider") type="slide"'),
        ("`<joint type=\"ball\">`", "tree.xml", r'<joint name="b"[^>]*/>'),
        ("`<joint type=\"free\">`", "inertias.xml", r'<joint name="root"[^>]*/>'),
        ("`<freejoint>`", "tree.xml", "<freejoint/>"),
        ("`<joint range>`", "gripper.xml", r'(?<=axis="0 0 1") range="-0.5 0.5"'),
        ("`<joint frictionloss>`", "gripper.xml", of("frictionloss")),
        ("`<joint damping>`", "gripper.xml", r' damping="5"'),
        ("`<joint stiffness>`", "gripper.xml", r' stiffness="0.1"'),
        ("`<joint springref>`", "tree.xml", of("springref")),
        ("`<joint armature>`", "parts.xml", of("armature")),
        ("`<inertial fullinertia>`", "tree.xml", of("fullinertia")),
        ("`<inertial diaginertia>`", "parts.xml", of("diaginertia")),
        ("mass of a `<geom>`", "tree.xml", r'(?<=size="0.03") mass="0.1"'),
        ("mass of a mesh, STL", "parts.xml", r'<geom type="mesh" mesh="wedge"[^>]*/>'),
        ("mass of a mesh, OBJ", "parts.xml", r'<geom type="mesh" mesh="tetrahedron"[^>]*/>', '<geom size="0.01"/>'),
        ("`<mesh inertia>`, a convex hull", "hull.xml", ' inertia="convex"'),
        ("`<mesh scale>`", "parts.xml", r'(?<=file="tetrahedron.obj") scale="[^"]*"'),
        ("`<equality><connect>` of bodies", "delta.xml", one("connect")),
        ("`<equality><connect>` of sites", "humanoid.xml", one("connect")),
        ("`<equality><weld>`", "welded.xml", r'<weld name="by bodies"[^>]*/>'),
        ("`<equality><weld>` of sites", "welded.xml", r'<weld name="by sites"[^>]*/>'),
        ("`<equality><joint polycoef>`", "gripper.xml", r'<joint name="mirror"[^>]*/>'),
        ("`<equality><tendon>`", "gripper.xml", one("tendon", ' name="follow"')),
        ("`<fixed>` tendon", "gripper.xml", r' stiffness="20" damping="0.5" range="-0.03 0.03"'),
        ("`<spatial>` tendon, a rope", "gripper.xml", one("spatial", ' name="rope"')),
        ("`<spatial>` tendon, a spring", "gripper.xml", one("spatial", ' name="band"')),
        ("`<spatial>` tendon over three sites", "gripper.xml", one("spatial", ' name="cord"')),
        ("`<position>`", "gripper.xml", one("position")),
        ("`<velocity>`", "gripper.xml", one("velocity")),
        ("`<motor>` of a tendon", "gripper.xml", one("motor", ' name="squeeze"')),
        ("`<motor>` of a site", "gripper.xml", one("motor", ' name="thruster"')),
        ("`<general>`", "gripper.xml", one("general")),
        ("`<key>`, by `--start`", "tree.xml", one("key")),
        *((f"`<{tag}>`", "sensors.xml", one(tag)) for tag in (
            "clock", "tendonvel", "actuatorpos", "actuatorvel", "framelinvel", "gyro")),
        ("`<jointpos>`", "sensors.xml", one("jointpos", ' name="at"')),
        ("`<jointvel>`", "sensors.xml", one("jointvel", ' name="elbow_rate"')),
        ("`<tendonpos>`", "sensors.xml", one("tendonpos", ' name="rope_length"')),
        ("`<actuatorfrc>`", "sensors.xml", one("actuatorfrc", ' name="push_force"')),
        ("`<framepos>` of a site", "sensors.xml", one("framepos", ' name="hand_place"')),
        ("`<framepos>` of a body", "sensors.xml", one("framepos", ' name="away"')),
        ("`<site>`", "parts.xml", one("site")),
        ("`<geom>` that touches", "touch.xml", r'(?<=size="0.1") condim="6" priority="1"'),
        ("`<geom type=\"plane\">`", "touch.xml", one("geom", ' name="floor"')),
        ("`<pair>`", "touch.xml", one("pair", ' name="slides"')),
        ("`<exclude>`", "touch.xml", one("exclude")),
        ("`<geom rgba>`", "tree.xml", of("rgba")),
    ],
    "URDF": [
        ("`<mimic>`", "arm.urdf", one("mimic")),
        ("`<limit>`", "arm.urdf", r'(?<=<limit) lower="-1.5" upper="1.2"'),
        ("`<dynamics>`", "arm.urdf", r'<dynamics damping="0.1"/>'),
        ("`<transmission>`", "arm.urdf", one("transmission")),
        ("`closing_NAME_1`, `closing_NAME_2`", "five_bar.urdf", "closing_tip", "tip"),
        ("`--loops`, a pair of type 3d", "five_bar_pairs.yaml", r"\[left_tip, 'right_tip'\]"),
        ("`--loops`, a pair of type 6d", "five_bar_pairs.yaml", "3d", "6d"),
        ("`<loop>` of URDF+", "five_bar_plus.urdf", one("loop")),
        ("`<coupling>` of URDF+", "five_bar_plus.urdf", one("coupling")),
        ("`package://`", "arm.urdf", "package://arm/", ""),
        ("`<origin rpy>` of an inertia", "arm.urdf", r'(?<=0.1 0 0.02") rpy="0.3 -0.2 0.1"'),
        ("link without mass, merged", "arm.urdf", "flange", "flank"),
        ("link without mass that moves", "arm.urdf", '(?s)<link name="loose"/>|<joint name="loose".*?</joint>'),
        ("`<visual>`, a primitive", "arm.urdf", r'<visual><geometry><box.*?</visual>'),
        ("`<collision>`", "arm.urdf", one("collision")),
        ("`<gazebo>`", "arm.urdf", one("gazebo")),
    ],
    "SDF": [
        ("child of two parents", "machine.sdf", one("joint", ' name="C"')),
        ("`<joint type=\"revolute\">`", "machine.sdf", one("joint", ' name="follows"')),
        ("`<joint type=\"prismatic\">`", "machine.sdf", one("joint", ' name="rail"')),
        ("`<pose relative_to>`", "rig.sdf", r'(?<=<pose) relative_to="upper"'),
        ("`<xyz expressed_in>`", "rig.sdf", of("expressed_in")),
        ("`<mimic>`", "machine.sdf", one("mimic")),
        ("`<joint type=\"gearbox\">`", "machine.sdf", one("joint", ' name="teeth"')),
        ("`<screw_thread_pitch>`", "machine.sdf", one("joint", ' name="thread"')),
        ("`<thread_pitch>`", "machine.sdf", one("joint", ' name="old_thread"')),
        ("`<joint type=\"universal\">`", "rig.sdf", one("joint", ' name="wrist"')),
        ("`<joint type=\"revolute2\">`", "machine.sdf", one("joint", ' name="caster"')),
        ("`<joint type=\"ball\">`", "rig.sdf", one("joint", ' name="spare_ball"')),
        ("`<inertial auto=\"true\">`", "machine.sdf", r'<inertial auto="true"/>'),
        ("joint to the `world`", "rig.sdf", one("joint", ' name="held"')),
        ("`<model>` in a model", "parts/finger.sdf", r"(?<=<mass>)0.01"),
        ("`<include>`", "rig.sdf", r"<include><uri>parts/finger.sdf</uri><name>left.*?</include>"),
        ("`<include merge>`", "rig.sdf", of("merge")),
        ("`<placement_frame>`", "rig.sdf", of("placement_frame")),
        ("`<static>`", "rig.sdf", "<static>true</static>"),
        ("`<limit>`", "machine.sdf", "<limit><lower>-0.1</lower><upper>0.1</upper></limit>"),
        ("`<dynamics>`, damping", "machine.sdf", one("dynamics")),
        ("`<spring_stiffness>`", "rig.sdf", "<spring_stiffness>3</spring_stiffness>"),
        ("`<visual>`", "rig.sdf", one("visual")),
        ("`<plugin>`", "machine.sdf", one("plugin")),
    ],
}
ROOTS = {"parts/leg.xml": "parts.xml", "parts/finger.sdf": "rig.sdf", "five_bar_pairs.yaml": "five_bar_pairs.urdf"}
STARTS = {"`<key>`, by `--start`": "bent"}


def imported(program, folder, file, start):
    """The scene, or what is said in its place, and the lines of the report."""
    words = ["--start", start] if start else []
    words += ["--loops", file] if file.endswith(".yaml") else []
    done = subprocess.run([program, "import", ROOTS.get(file, file), *words], cwd=folder, capture_output=True, text=True, check=False)
    report = [re.sub(r"^\S*/", "", line) for line in done.stderr.splitlines() if re.match(r"\S+:\d+: ", line)]
    said = re.sub(r"^error: (\S*/)?", "", done.stderr.splitlines()[0]) if done.returncode else ""
    return json.loads(done.stdout) if not said else said, report


def members(scene):
    """(list, name, key): value, of a scene."""
    flat = {}
    for part, value in scene.items():
        if isinstance(value, list) and value and isinstance(value[0], dict) and "name" in value[0]:
            flat |= {(part, element["name"], key): inner for element in value for key, inner in element.items()}
        elif isinstance(value, dict) and part != "simulation":
            flat |= {(part, name, "value"): inner for name, inner in value.items()}
        else:
            flat[(part, "", part)] = value
    return flat


def kind(scene, part, name):
    """A new element: its type and its name."""
    found = next((x for x in scene[part] if x["name"] == name), {}) if isinstance(scene[part], list) else {}
    return f"{found['type']} `{name}`" if "type" in found else f"`{name}`"


def became(scene, without):
    """Members of the scene that the element gave it, changed or kept away."""
    ours, others = members(scene), members(without)
    names, other_names = ({key[:2] for key in flat if key[1]} for flat in (ours, others))
    told = []
    for part in dict.fromkeys(key[0] for key in [*ours, *others]):
        fresh = [name for at, name in sorted(names - other_names) if at == part]
        gone = [name for at, name in sorted(other_names - names) if at == part]
        keys = sorted({key for (at, name, key) in ours.keys() | others.keys() if at == part and (at, name) not in names ^ other_names
                       and ours.get((at, name, key)) != others.get((at, name, key))})
        if fresh:
            told.append(f"`{part}`: " + ", ".join(kind(scene, part, name) for name in fresh[:3]) + (f" and {len(fresh) - 3} more" if len(fresh) > 3 else ""))
        if keys:
            told.append(f"`{part}`" + ("" if keys == [part] else f": {', '.join(keys)}"))
        if gone and not fresh:
            told.append(f"`{part}`: not " + ", ".join(f"`{name}`" for name in gone[:3]))
    return told


def row(program, models, label, file, pattern, instead=""):
    text = (models / file).read_text(encoding="utf-8")
    scene, report = imported(program, models, file, STARTS.get(label))
    changed, count = re.subn(pattern, lambda found: instead + "\n" * found[0].count("\n"), text, flags=re.S,
                             count=0 if "|" in pattern or instead else 1)  # lines stay where they are
    assert count and isinstance(scene, dict), (label, file, pattern)
    (models / file).write_text(changed, encoding="utf-8")
    without, other_report = imported(program, models, file, None)
    (models / file).write_text(text, encoding="utf-8")
    lost = [f"report: `{line}`" for line in report if line not in other_report and " name: is called " not in line]
    told = became(scene, without) + lost if isinstance(without, dict) else [f"without it: `{without}`"]
    assert told, (label, file, "changes nothing")
    return f"| {label} | {file} | {'; '.join(told)} |"


def page(program):
    text = HEAD
    with tempfile.TemporaryDirectory() as folder:
        models = pathlib.Path(folder) / "models"
        shutil.copytree(MODELS, models)
        for name, rows in ELEMENTS.items():
            text += f"\n## {name}\n\n| element | model | becomes |\n| --- | --- | --- |\n"
            text += "".join(row(program, models, *words) + "\n" for words in rows)
        text += LOSSES + "".join(f"    {line}\n" for line in imported(program, models, "losses.xml", None)[1])
    return text


def main():
    if not 2 <= len(sys.argv) <= 3 or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    text = page(str(pathlib.Path(sys.argv[1]).resolve()))
    if sys.argv[2:] and PAGE.read_text(encoding="utf-8") != text:
        sys.exit("docs/reference/imports.md is not what tests/import/elements.py writes")
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
