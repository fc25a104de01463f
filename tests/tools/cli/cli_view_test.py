#!/usr/bin/env python3
"""Pictures, plots, texts and the commands of README.md. Prints TAP.

    tests/tools/cli/cli_view_test.py TRAMMEL ROOT      the program, and the root of the project
"""
import base64
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree
import gzip

from tap import CASES, case
import tap
from cli_rig import PROGRAM, ROOT, expect, refused, scene, trammel, write

# -------------------------------------------------------------------------- view, texts, programs

@case
def picture():
    """view writes a well-formed SVG; what it cannot write it refuses"""
    for name in ("slider_crank_swing", "bricard", "flyball", "andrews"):
        path = os.path.join(ROOT, "scenes", name + ".json")
        expect(0, trammel("view", path, "-o", name + ".svg"))
        tree = xml.etree.ElementTree.parse(name + ".svg").getroot()
        assert tree.tag.endswith("svg")
        shapes = [e.tag.split("}")[1] for e in tree.iter()]
        assert shapes.count("circle") > 2 and "polyline" in shapes and "text" in shapes
        numbers = re.findall(r"nan|inf", open(name + ".svg", encoding="utf-8").read())
        assert not [n for n in numbers if n == "nan"], "a coordinate is not a number"
    name = scene("log.json", forces=[{"name": "push", "type": "force", "marker": "tip",
                                      "value": ["log(1 - t)", 0]}])
    expect(4, trammel("view", name, "-o", "log.svg"))  # drawn up to there
    assert xml.etree.ElementTree.parse("log.svg").getroot().tag.endswith("svg")
    refused(1, "view", scene(), "-o", "out.avi", says=r"\.svg")
    refused(1, "view", scene(), "-o", "out.html", "--animate", says=r"\.svg")
    refused(5, "view", scene(), "-o", "no/such/folder.svg")
    refused(2, "view", write("syntax.json", "{"))


@case
def videos():
    """A GIF, WebP or MP4 has the size, the frames and the time asked for, and moves; without ffmpeg its package is named"""
    for options in (["-o", "a.svg", "--animate", "--fps", "5"], ["-o", "a.png", "--width", "300"], ["-o", "a.mp4", "--at", "1"],
                    ["-o", "a.gif", "--width", "9000"]):
        refused(1, "view", scene(), *options)
    result = expect(5, trammel("view", scene(), "-o", "none.mp4", env={"PATH": "/none"}))
    assert b"(Debian: ffmpeg)" in result.stderr and not os.path.exists("none.mp4"), result.stderr
    tap.need("ffmpeg", "ffprobe")
    for name, *options in (("m.gif",), ("m.mp4", "--animate"), ("m.webp",)):
        expect(0, trammel("view", scene(), "-o", name, "--fps", "8", "--width", "322", *options))
        if name.endswith(".webp"):  # frames are chunks, the size stands in the first one
            with open(name, "rb") as file:
                data = file.read()
            assert data[12:16] == b"VP8X" and int.from_bytes(data[24:27], "little") + 1 == 322
            assert data.count(b"ANMF") == 16
            continue
        told = json.loads(subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                                          "stream=width,nb_read_frames,r_frame_rate", "-of", "json", name],
                                         capture_output=True, check=True).stdout)["streams"][0]
        assert told == {"width": 322, "r_frame_rate": "8/1", "nb_read_frames": "16"}, told
        hashes = subprocess.run(["ffmpeg", "-v", "error", "-i", name, "-f", "framemd5", "-"], capture_output=True, text=True, check=True).stdout
        assert len({line.split(",")[-1] for line in hashes.splitlines() if not line.startswith("#")}) == 16


@case
def pages():
    """view and run write a page that holds its data packed and asks for nothing; run's report and exit codes stay"""
    name = scene()
    assert expect(0, trammel("view", name, "--end", "0.1")).stdout == f"Wrote {name[:-5]}.html\n".encode()
    text = expect(0, trammel("run", name, "--end", "0.1", "-o", "run.html")).stdout.decode()
    assert re.search(r"Constraints +good", text) and re.search(r"Page +run.html", text), text
    for path in (name[:-5] + ".html", "run.html"):
        with open(path, encoding="utf-8") as file:
            page = file.read()
        blocks = dict(re.findall(r'<script type="text/plain" id="([a-z-]+)">([^<]+)</script>', page))
        data = unpacked(blocks["data"])
        length = int.from_bytes(data[:4], "little")
        content = json.loads(data[4:4 + length])
        assert content["bodies"] and content["runs"][0]["columns"], content
        assert sum(n * planes for n, planes, *_ in content["channels"]) == len(data) - 4 - length
    refused(5, "view", scene(), "-o", "no/such/folder.html")
    refused(5, "run", scene(), "-o", "no/such/folder.html")
    assert not [n for n in os.listdir(".") if n.startswith("trammel-")]


def unpacked(text):
    """As tools/page/pack.c has it: base 85 without markup."""
    return gzip.decompress(base64.b85decode(text.translate(str.maketrans(",.:", "<&?"))))


def content_of(path):
    """The scene and the runs that a page holds."""
    with open(path, encoding="utf-8") as file:
        packed = re.search(r'<script type="text/plain" id="data">([^<]+)</script>', file.read()).group(1)
    data = unpacked(packed)
    return json.loads(data[4:4 + int.from_bytes(data[:4], "little")])


@case
def rotors_are_not_drawn():
    """An armature has a rotor among the bodies, which has no place: no picture shows it, and recordings of it can be seen"""
    name = write("armature.json", json.dumps({
        "dimension": 3, "gravity": [0, 0, -9.81],
        "bodies": [{"name": "arm", "mass": 1, "ends": [[0, 0, 0], [1, 0, 0]], "shape": {"type": "rod", "radius": 0.1}}],
        "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "arm"], "at": [0, 0, 0], "axis": [0, 1, 0],
                    "armature": 2}]}))
    expect(0, trammel("view", name, "--end", "0.2", "-o", "a.html"))
    content = content_of("a.html")
    assert [(b["name"], b["rotor"], "box" in b) for b in content["bodies"]] == [
        ("arm", False, False), ("O.rotor", True, False)], content["bodies"]
    assert [(j["name"], j["rotor"]) for j in content["joints"]] == [("O", False), ("O.rotor", True)]
    expect(0, trammel("view", name, "--end", "0.2", "-o", "a.svg"))
    with open("a.svg", encoding="utf-8") as file:
        drawn = file.read()
    assert ">arm<" in drawn and "rotor" not in drawn
    assert drawn.count('class="axis"') == 1, drawn
    expect(0, trammel("run", name, "--end", "0.2", "-o", "a.csv"))
    expect(0, trammel("view", "a.csv", "-o", "r.html"))
    assert [b["name"] for b in content_of("r.html")["bodies"]] == ["arm"]


@case
def tendons_are_drawn():
    """A tendon is a line from marker to marker, in stills and on pages"""
    name = scene("tendon.json", markers=[{"name": "tip", "body": "bar", "on": [1, 0]},
                                         {"name": "over", "body": "ground", "at": [1, 1]},
                                         {"name": "end", "body": "ground", "at": [0, 1]}],
                 forces=[{"name": "rope", "type": "tendon", "markers": ["tip", "over", "end"], "stiffness": 100,
                          "rest_length": 1}])
    expect(0, trammel("view", name, "--end", "0.2", "-o", "t.svg"))
    with open("t.svg", encoding="utf-8") as file:
        points = re.findall(r'<polyline points="([^"]*)" class="rope"', file.read())
    assert [len(line.split()) for line in points] == [3], points
    expect(0, trammel("view", name, "--end", "0.2", "-o", "t.html"))
    assert [f["over"] for f in content_of("t.html")["forces"]] == [[0, 1, 2]]


@case
def plots_in_characters():
    """plot draws columns, named with or without unit or by their group, in lines of one width; refuses others with a hint"""
    name = scene()
    expect(0, trammel("run", name, "--end", "1", "-o", "p.csv"))
    for columns in (["energy"], ["energy.kinetic[J]"], ["energy.kinetic", "energy.potential"], []):
        text = expect(0, trammel("plot", "p.csv", *columns)).stdout.decode()
        rows = [line for line in text.splitlines() if " |" in line]
        assert len(rows) == 18 and len({len(row) for row in rows}) == 1, text
        assert ("energy.kinetic" if columns else "O.coordinate") in text
    expect(0, trammel("plot", "p.csv", "energy", "drift", "-o", "p.svg"))
    assert xml.etree.ElementTree.parse("p.svg").getroot().tag.endswith("svg")
    refused(1, "plot", "p.csv", "energy.kinetik", says="did you mean")
    refused(1, "plot", "p.csv", "sling.tension", says="p.csv has no such column; its first line names them")
    refused(1, "plot", "p.csv", "energy", "-o", "p.png", says=r"\.svg")
    refused(5, "plot", "missing.csv", "energy")
    refused(1, "plot", says="which recording")


@case
def watched():
    """run --watch prints frames in characters, the last at the end of the run, then reports as ever; a scene in space is refused"""
    text = expect(0, trammel("run", scene(), "--end", "1", "--watch")).stdout.decode()
    assert len(re.findall(r"^t = ", text, re.M)) == 6 and "t = 1.000 of 1 s" in text and "#" in text, text
    assert re.search(r"Energy +good", text)
    refused(1, "run", os.path.join(ROOT, "scenes", "bricard.json"), "--watch", says="planar")


@case
def parts_of_a_picture():
    """view draws springs, dampers, forces, guides and named markers; unused points are left out"""
    parts = dict(
        bodies=[{"name": "s", "mass": 2, "position": [0.5, 0],
                 "shape": {"type": "box", "size": [0.2, 0.1]}}],
        markers=[{"name": "m", "body": "s", "on": [0, 0]},
                 {"name": "wall", "body": "ground", "at": [0, 0]}],
        joints=[{"name": "P", "type": "prismatic", "bodies": ["s", "ground"], "at": [0.5, 0],
                 "axis": [1, 0]}])
    spring = {"name": "k", "type": "spring_damper", "markers": ["wall", "m"]}

    def view(*forces, **more):
        name = scene("parts.json", **{**parts, "forces": list(forces), **more})
        expect(0, trammel("view", name, "-o", "parts.svg"))
        tree = xml.etree.ElementTree.parse("parts.svg").getroot()
        by_class = {}
        for element in tree.iter():
            by_class.setdefault(element.get("class"), []).append(element)
        return by_class

    coil = {**spring, "stiffness": 100, "rest_length": 0.4}
    plain = view(coil)
    assert [e.text for e in plain["name"]] == ["m", "wall"] and len(plain["marker"]) == 2
    assert len(plain["spring"]) == 1 and len(plain["ground"]) == 2  # rail and wall
    assert len(plain["hatch"]) > 5 and "force" not in plain
    points = [float(x.split(",")[0]) for x in plain["spring"][0].get("points").split()][2:-2]
    pitch = [b - a for a, b in zip(points, points[1:])]
    assert max(pitch) - min(pitch) < 0.25, "the coil is uneven"
    assert len(view({**spring, "damping": 2})["spring"]) == 4  # cylinder, two rods, piston
    assert len(view({**coil, "damping": 2})["spring"]) == 9
    push = {"name": "f", "type": "force", "marker": "m", "value": ["5*cos(t) + m.vx", "2*m.x"]}
    pushed = view(coil, push)
    line = {k: float(pushed["force"][0].get(k)) for k in ("x1", "y1", "x2", "y2")}
    slope = (line["y1"] - line["y2"]) / (line["x2"] - line["x1"])
    assert math.isclose(slope, 1 / 5, abs_tol=0.01) and len(pushed["force-head"]) == 1, line
    far = view(coil, markers=parts["markers"] + [{"name": "x", "body": "ground", "at": [50, 50]}])
    assert far["scale"][0].get("x2") == plain["scale"][0].get("x2"), "a point enlarges the picture"
    assert [e.text for e in far["name"]] == ["m", "wall"]


@case
def even_poses():
    """Faint poses are spaced by the way covered, not by time"""
    name = scene("slow.json", bodies=[{"name": "bar", "ends": [[0, 0], [0.001, 1]], "mass": 1}],
                 markers=[{"name": "tip", "body": "bar", "at": [0.001, 1]}])
    expect(0, trammel("view", name, "--end", "2", "-o", "slow.svg"))
    tree = xml.etree.ElementTree.parse("slow.svg").getroot()
    tips = []
    for group in tree.iter("{http://www.w3.org/2000/svg}g"):
        ends = [tuple(map(float, p.split(","))) for p in group[0].get("points").split()]
        tips.append((ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]))
    angles = [math.atan2(*tip) for tip in tips]
    gaps = [abs(math.remainder(b - a, 2 * math.pi)) for a, b in zip(angles, angles[1:])]
    assert len(gaps) >= 4 and max(gaps) < 1.1 * min(gaps), gaps


@case
def texts():
    """schema is JSON, --format Markdown, elements a list; the committed copies are the same"""
    schema = expect(0, trammel("schema")).stdout
    assert json.loads(schema)["$schema"].startswith("https://json-schema.org/draft/2020-12")
    with open(os.path.join(ROOT, "scenes/scene.schema.json"), "rb") as file:
        assert file.read() == schema, "scenes/scene.schema.json is not what trammel schema prints"
    reference = expect(0, trammel("schema", "--format")).stdout
    with open(os.path.join(ROOT, "docs/reference/scene_format.md"), "rb") as file:
        assert file.read() == reference, "scene_format.md is not what trammel schema --format prints"
    elements = expect(0, trammel("elements")).stdout.decode()
    for word in ("revolute", "pin_in_slot", "spring_damper", "cylinder"):
        assert word in elements, word


@case
def keys_of_elements():
    """elements NAME shows the keys of one element, with units, defaults and an entry to fill in"""
    types, parts = expect(0, trammel("elements")).stdout.decode().split("\n\n")
    listed = [line.split()[1] for line in types.splitlines()]
    listed += [name.strip() for name in parts.split(":", 1)[1].replace("\n", " ").split(",")]
    assert len(listed) > 30
    for name in [*listed, "bodies", "stops", "events", "simulation"]:
        if name == "gravity":  # a key of the scene
            continue
        said = expect(0, trammel("elements", name)).stdout.decode()
        assert said.startswith(f"{name} (") and max(map(len, said.splitlines())) <= 200, (name, said)
    servo = expect(0, trammel("elements", "servo")).stdout.decode()
    assert re.search(r"^  kp +number or formula >= 0, N m/rad or N/m; required$", servo, re.M), servo
    assert '{"name": <name>, "type": "servo", "joint": <name of a joint>, "target": <formula>, "kp": <number or formula >= 0>}' in servo
    assert expect(0, trammel("elements", "rod")).stdout.count(b"rod (") == 2  # a shape and a joint
    for name, key in ("body", "mass"), ("scene", "gravity"), ("contacts", "restitution"):
        assert f"\n  {key} " in expect(0, trammel("elements", name)).stdout.decode(), name
    assert b'no element "wheel"' in expect(1, trammel("elements", "wheel")).stderr


@case
def counting():
    """The test runner counts cases, skips, crashes and broken plans truly"""
    sys.path.insert(0, os.path.join(ROOT, "tools"))
    sys.dont_write_bytecode = True
    import run_tests  # pylint: disable=import-outside-toplevel,import-error
    for status, text, passed, failed, skipped in [
            (0, "1..2\nok 1 - a\nok 2 - b\n", 2, 0, 0),
            (1, "1..2\nok 1 - a\nnot ok 2 - b\n# why\n# not ok - group\n", 1, 1, 0),
            (0, "1..2\nok 1 - a\nnot ok 2 # SKIP b\n", 1, 0, 1),
            (0, "1..1\nok 1 - a\n1..1\nok 1 - a\n", 2, 0, 0),
            (0, "ok 1 - a\nok 2 - b\n1..2\n", 2, 0, 0),
            (0, "1..3\nok 1 - a\n", 1, 1, 0),  # left in the middle
            (-11, "1..2\nok 1 - a\n", 1, 1, 0),  # crashed
            (1, "1..1\nok 1 - a\n", 1, 1, 0),  # a sanitizer at exit
            (0, "", 1, 0, 0),
            (1, "", 0, 1, 0)]:
        outcome = run_tests.judge({"name": "x"}, status, text, 0)
        counts = (len(outcome.passed), len(outcome.failed), len(outcome.skipped))
        assert counts == (passed, failed, skipped), (status, text, counts)


@case
def at_rest():
    """Where nothing moves the energy balance is good, not undefined"""
    still = {"dimension": 2, "bodies": [{"name": "a", "mass": 1, "ends": [[0, 0], [1, 0]]}]}
    text = expect(0, trammel("run", scene("still.json", still), "--end", "1")).stdout.decode()
    assert re.search(r"^Energy +good .* 0 of the exchanged energy$", text, re.MULTILINE), text
    assert "POOR" not in text and "nan" not in text, text


def readme_commands():
    """The commands in ```sh fences of README.md that can run here."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        fences = re.findall(r"^```sh\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
    lines = "".join(fences).replace("\\\n", " ").splitlines()
    commands = [re.sub(r"\s+#.*", "", line.strip().removeprefix("$ ")) for line in lines]
    # builds, installs and the tests themselves are run elsewhere
    elsewhere = re.compile(r"(\./)?(tools/(quickstart|test|install-packages)|\.ci/run)\b"
                           r"|(git|cd|meson|ninja|sudo|apt-get|cc|gcc|clang|\./\w+)\b|#|$")
    return [c for c in commands if not elsewhere.match(c)]


@case
def readme():
    """Every command that README.md shows succeeds"""
    if not os.path.exists(os.path.join(ROOT, "README.md")):
        raise tap.Skipped("no README.md")
    os.mkdir("clone")
    for entry in os.listdir(ROOT):
        if not entry.startswith(("build", ".git")):
            os.symlink(os.path.join(ROOT, entry), os.path.join("clone", entry))
    os.makedirs("clone/build/tools")
    os.symlink(PROGRAM, "clone/build/tools/trammel")
    path = os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"]
    for command in readme_commands():
        done = subprocess.run(command, shell=True, cwd="clone", check=False,
                              env=dict(os.environ, PATH=path), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        assert done.returncode == 0, f"{command}: exit {done.returncode}: {done.stderr!r}"


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
