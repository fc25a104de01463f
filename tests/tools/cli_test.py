#!/usr/bin/env python3
"""The contract of the command line, as scripts rely on it. Prints TAP.

    tests/tools/cli_test.py TRAMMEL ROOT      the program, and the root of the project
"""
import base64
import csv
import gzip
import json
import math
import os
import pty
import re
import resource
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import tap

PROGRAM, ROOT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
CASES = []

RUN_KEYS = ["scene", "title", "method", "status", "error", "t", "steps", "rejected", "evaluations", "stiffness", "verdicts",
            "drift", "energy", "branch", "singularity", "accuracy", "inputs", "contacts", "events", "cpu_s", "realtime_factor", "state"]
INNER_KEYS = {
    "method": ["integrator", "stabilization", "step", "rtol", "atol", "epsilon", "iterations", "E",
               "alpha1", "alpha0", "metric"],
    "evaluations": ["force", "jacobian", "factorization"],
    "verdicts": ["constraints", "energy", "branch", "inputs"],
    "drift": ["position_max", "position_max_relative", "velocity_max", "between_max",
              "between_max_relative", "t_between_max", "position_end", "velocity_end", "worst"],
    "energy": ["initial", "end", "error_max", "error_max_relative"],
    "branch": ["changes", "first_change_t"],
    "contacts": ["impacts", "energy_lost", "last_t", "changes", "settled", "rest_t", "now"],
    "accuracy": ["asked", "periods", "reachable", "digits_lost", "digits_unseen", "verdict", "relative", "position", "angle", "worst",
                 "bodies"],
    "singularity": ["crossings", "resolved", "undecided", "first_undecided_t", "closed_steps", "energy_lost_max", "t_energy_lost_max",
                    "rcond_min", "t_rcond_min", "bifurcations",
                    "first_bifurcation_t", "passport"],
}
CHECK_KEYS = ["coordinates", "constraints", "rank", "degrees_of_freedom", "freedoms_of_position", "redundant", "consistent",
              "residual", "complete", "examined", "freedom", "conflicts", "acceleration", "given",
              "reactions", "relax", "cure", "assemblies", "hints"]

# A swinging bar with a marker at its end.
BAR = {
    "title": "A bar",
    "dimension": 2,
    "parameters": {"l": 1, "w": 0},
    "gravity": [0, -9.81],
    "bodies": [{"name": "bar", "ends": [[0, 0], ["l", 0]], "mass": 2, "rate": "w",
                "velocity": [0, "w*l/2"]}],
    "markers": [{"name": "tip", "body": "bar", "at": ["l", 0]}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}],
    "simulation": {"end": 2},
}


def case(function):
    """Its docstring is the claim; it fails by raising."""
    CASES.append(function)
    return function


def trammel(*args, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    return subprocess.run([PROGRAM, *args], stderr=subprocess.PIPE, check=False, **options)


def write(name, content):
    with open(name, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return name


def scene(name="bar.json", base=None, **changes):
    return write(name, json.dumps({**(base or BAR), **changes}, indent=1))


def expect(code, result):
    assert result.returncode == code, f"exit {result.returncode}, not {code}: {result.stderr!r}"
    return result


def refused(code, *args, says=None):
    """The program refuses with this exit code, one `error:` on stderr, nothing on stdout."""
    result = expect(code, trammel(*args))
    text = result.stderr.decode(errors="replace")
    assert text.startswith("error: "), text
    assert text.count("error: ") == 1, text
    assert result.stdout == b"", result.stdout
    if says:
        assert re.search(says, text), f"{says!r} is not in {text!r}"
    return text


def run_json(*args, code=0):
    result = expect(code, trammel("run", *args, "--json"))
    return json.loads(result.stdout)  # exactly one value, or this raises


def read_csv(name):
    with open(name, newline="", encoding="ascii") as file:
        text = file.read()
    assert text.endswith("\n"), "the last line is torn"
    rows = list(csv.reader(text.splitlines()))
    header, numbers = rows[0], [[float(x) for x in row] for row in rows[1:]]
    assert all(len(row) == len(header) for row in numbers), "a line with missing columns"
    return header, numbers


# ------------------------------------------------------------------------------------ bad scenes

@case
def missing_file():
    """A missing scene is an input error"""
    refused(5, "run", "nosuch.json", says="nosuch.json")
    refused(5, "check", "nosuch.json", says="nosuch.json")


@case
def directory():
    """A directory is no scene"""
    os.mkdir("folder.json")
    refused(5, "run", "folder.json", says="directory")


@case
def empty_file():
    """An empty file is a bad scene"""
    refused(2, "run", write("empty.json", ""), says=r"empty\.json: .*empty")


@case
def spaces():
    """100 MB of spaces are refused as quickly as they are read"""
    start = time.monotonic()
    refused(2, "run", write("spaces.json", b" " * 100_000_000))
    os.remove("spaces.json")
    assert time.monotonic() - start < 60


@case
def invalid_utf8():
    """Invalid UTF-8 is refused with its place"""
    text = scene().replace("bar.json", "utf8.json")
    with open("bar.json", "rb") as file:
        content = file.read().replace(b"A bar", b"A \xff bar")
    refused(2, "run", write(text, content), says=r"utf8\.json:2:\d+")


@case
def bytes_of_another_kind():
    """A text that is not UTF-8 is shown with its bytes escaped"""
    text = refused(2, "run", write("utf16.json", '{"a": 1}\n'.encode("utf-16")))
    assert text.startswith("error: utf16.json:1:1: the text is UTF-16, not UTF-8; save it as UTF-8"
                           "\n     \\xff\\xfe{\\x00"), text
    text = refused(2, "run", write("bytes.json", b'{"a": "\x01 \xc3\xa9 \xff b"}'))
    assert text.splitlines()[1] == '     {"a": "\\x01 \u00e9 \\xff b"}', text
    text = refused(2, "run", write("bytes.json", b'{"a": "\xc3\xa9 \xff b"}'))
    assert text.splitlines()[1:3] == ['     {"a": "\u00e9 \\xff b"}', " " * 14 + "^"], text


@case
def deep_nesting():
    """Nesting 10000 deep is refused, not crashed on"""
    refused(2, "run", write("deep.json", "[" * 10000 + "]" * 10000))
    refused(2, "run", write("deep.json", '{"a":' * 10000 + "1" + "}" * 10000))
    refused(2, "run", scene(gravity=[0, "(" * 10000 + "1" + ")" * 10000]))


@case
def huge_number():
    """A number like 1e400 is refused"""
    refused(2, "run", write("huge.json", json.dumps(BAR).replace("-9.81", "-1e400")))


@case
def place_and_caret():
    """An error shows file, line, column, pointer, the source line and a caret below the place"""
    bad = scene("typo.json", joints=[{**BAR["joints"][0], "mottor": "t"}])
    text = refused(2, "run", bad, says='did you mean "motor"')
    first, source, caret = text.splitlines()[:3]
    place = re.match(r"error: typo\.json:(\d+):(\d+): (/\S+): \S", first)
    assert place, first
    assert place[3].startswith("/joints/0"), first
    with open("typo.json", encoding="utf-8") as file:
        line = file.read().splitlines()[int(place[1]) - 1]
    assert source.strip() == line.strip(), (source, line)
    assert caret.strip() == "^"
    shown = source.index(line.strip()) - (len(line) - len(line.lstrip()))
    assert caret.index("^") == shown + int(place[2]) - 1, "the caret is elsewhere"


@case
def parameter_that_makes_no_sense():
    """--set with a value the scene cannot have is a bad scene, an unknown name is bad usage"""
    name = scene(bodies=[{**BAR["bodies"][0], "mass": "2*l"}])
    refused(2, "run", name, "--set", "l=-1", says=r"/bodies/0")
    refused(1, "run", name, "--set", "ll=1", says='did you mean "l"')
    refused(1, "run", name, "--set", "l=1+", says="--set l=1+")
    refused(1, "run", name, "--set", "l")


# ------------------------------------------------------------------------------------------ usage

@case
def usage_errors():
    """Bad usage: exit 1 and a sentence that names the option"""
    name = scene()
    for args, says in [
            ((), "which scene"),
            ((name, name), "one scene"),
            ((name, "--end", "-1"), r"--end: must be >= 0, got -1"),
            ((name, "--step", "0", "--integrator", "rk4"), r"--step: must be > 0"),
            ((name, "--step=-1", "--integrator", "rk4"), r"--step: must be > 0"),
            ((name, "--step", "3", "--integrator", "rk4"), "larger than the run"),
            ((name, "--step", "3", "--end", "2", "--integrator", "rk4"), "larger than the run"),
            ((name, "--every", "-0.1"), "--every: must be >= 0"),
            ((name, "--rtol", "0"), "--rtol: must be > 0"),
            ((name, "--step", "0.1", "--rtol", "1e-6"), "not both"),
            ((name, "--accuracy", "1e-6", "--atol", "1e-6"), "--accuracy"),
            ((name, "--accuracy", "5"), "error: --accuracy: must be between 0 and 1, got 5\n"),
            ((name, "--every", "0.1"), "--every: is the interval of a recording; .* -o FILE"),
            ((name, "--every", "1e-12", "-o", "x.csv"), r"--every: 1e-12 s makes \S+ lines of a run of "),
            ((name, "--method", "rk4"), "rk4 is an integrator; write --integrator rk4"),
            ((name, "--integrator", "s-both"), "s-both is a stabilization; write --method s-both"),
            ((name, "--step", "0.1", "--integrator", "dopri5"), "fixed-step"),
            ((name, "--rtol", "1e-6", "--integrator", "rk4"), "adaptive"),
            ((name, "--method", "s-boht2"), 'did you mean "s-both2"'),
            ((name, "--integrator", "rk5"), 'did you mean "rk4"'),
            ((name, "--method", "srm", "--integrator", "dop853"), "does not go with"),
            ((name, "--method", "plain", "--epsilon", "1e-3"), "--epsilon"),
            ((name, "--method", "s-both2", "--alpha1", "1"), "--alpha1"),
            ((name, "--E", "B"), "one of"),
            ((name, "--dt", "0.1"), "--dt: unknown option; did you mean --step H .* or --every DT"),
            ((name, "--tol=1e-3"), "--tol: unknown option; did you mean --accuracy A"),
            ((name, "--iterations", "1.5", "--method", "srm"), "whole number"),
            ((name, "--stpe", "0.1"), 'did you mean "--step"'),
            ((name, "--step"), "needs a value"),
            ((name, "--json=1"), "takes no value"),
            ((name, "--end", "two"), "--end"),
            ((name, "--end", "1e400"), "--end"),
            ((name, "--end", "log(-1)"), "not a finite number"),
            ((name, "-o", "out.h5"), r"\.csv"),
            ((scene("endless.json", simulation={}),), "--end"),
    ]:
        refused(1, "run", *args, says=says)
    refused(1, "rnu", name, says='did you mean "run"')
    refused(1, "simulate", name, says='no subcommand "simulate"; did you mean "trammel run"')
    refused(1, "import", "arm.urdf", says="no reader of URDF")
    for option in ("-o", "--output"):
        refused(1, "check", name, option, "x.csv",
                says=f"error: {option}: not an option of this subcommand, but of: run, view, paper")
    refused(1, "check", name, "--end", "2", says="not an option of this subcommand, but of: run, view")
    refused(1, name, says=r'did you mean "trammel run bar\.json"\?')
    refused(1, "methods", name)
    expect(1, trammel())


@case
def other_formats():
    """A file of another format is told as that"""
    with open("arm.urdf", "w", encoding="utf-8") as file:
        file.write("<robot name='arm'/>")
    refused(2, "run", "arm.urdf", says="this is XML .URDF")


@case
def help_in_parts():
    """The help of run lists options of everyday first, those of single methods behind; each once"""
    text = expect(0, trammel("help", "run")).stdout.decode()
    first, rest = text.split("Options of single methods")
    for option in ("--accuracy", "--end", "--set", "--output", "--verify"):
        assert option + " " in first, option
    for option in ("--alpha1", "--epsilon", "--passes", "--lambda0"):
        assert option in rest and option not in first.split("Options", 1)[1], option
    names = re.findall(r"--([\w-]+)", "\n".join(line[:31] for line in text.split("Options", 1)[1].splitlines()))
    assert len(names) == len(set(names)), names


@case
def completion():
    """The shells' scripts complete subcommands, options of a subcommand, and files"""
    ask = ('COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _trammel; echo "${{COMPREPLY[@]}}"')
    script = expect(0, trammel("completion", "bash")).stdout.decode()
    for typed, found in (("trammel lin", "linearize"), ("trammel run --che", "--checkpoint"),
                         ("trammel check --check", ""), ("trammel run bar", "")):
        done = subprocess.run(["bash", "-c", script + ask.format(typed)], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == found, (typed, done.stdout, done.stderr)
    assert "bashcompinit" in expect(0, trammel("completion", "zsh")).stdout.decode()
    refused(1, "completion", "fish", says="bash")


@case
def spelling_of_options():
    """--opt=value is --opt value; numbers may be constant expressions; operands come anywhere"""
    name = scene()
    one = run_json(name, "--end", "0.5", "--set", "l=2", "--rtol", "1e-8")
    two = run_json("--rtol=1e-4^2", "--end=1/2", "--set=l=4/2", name)
    assert one["state"] == two["state"] and one["t"] == 0.5, (one["state"], two["state"])
    assert one["method"]["rtol"] == one["method"]["atol"] == 1e-8


LINEAR_KEYS = ["scene", "title", "status", "error", "t", "equilibrium", "at_rest",
               "degrees_of_freedom", "freedoms_of_position", "acceleration", "stability", "growth", "modes", "state",
               "inputs", "outputs", "A_error", "A", "B", "C", "D", "W", "drift"]


def linearize_json(*args, code=0):
    return json.loads(expect(code, trammel("linearize", *args, "--json")).stdout)


@case
def linearize_bar():
    """linearize --equilibrium: a bar hangs, and swings at sqrt(3 g/(2 l))/(2 pi) Hz"""
    name = scene()
    found = linearize_json(name, "--equilibrium")
    assert list(found) == LINEAR_KEYS, list(found)
    frequency = math.sqrt(1.5 * 9.81) / (2 * math.pi)
    mode, = found["modes"]
    assert abs(mode["frequency_hz"] - frequency) < 1e-9 and abs(mode["damping_ratio"]) < 1e-9
    assert found["stability"] == found["equilibrium"]["stability"] == "marginal"
    assert found["at_rest"] and found["degrees_of_freedom"] == 1
    bar = found["state"]["bodies"]["bar"]
    assert abs(bar["position"][0]) < 1e-9 and abs(bar["position"][1] + 0.5) < 1e-9, bar
    # the tip moves twice as far as the centre, sideways
    assert found["outputs"] == ["tip.x", "tip.y"]
    shape = mode["shape_re"]["bar"]
    assert abs(shape[0] / shape[2] - 0.5) < 1e-9 and abs(found["C"][1][0]) < 1e-9, shape
    text = expect(0, trammel("linearize", name, "--equilibrium")).stdout.decode()
    assert re.search(rf"Hz.*\n +{frequency:.5g} +0 ", text), text
    assert "marginal" in text and "bar angle 1" in text, text
    longer = linearize_json(name, "--equilibrium", "--set", "l=4")
    assert abs(longer["modes"][0]["frequency_hz"] - frequency / 2) < 1e-9


@case
def linearize_upright():
    """linearize --equilibrium --nearest: upright it falls, and that is said"""
    body = {"name": "bar", "ends": [[0, 0], [0.1, 1]], "mass": 2}
    name = scene("upright.json", bodies=[body], markers=[])
    text = expect(0, trammel("linearize", name, "--equilibrium", "--nearest")).stdout.decode()
    assert "UNSTABLE" in text and "grows" in text and "decays" in text, text
    assert linearize_json(name, "--equilibrium")["stability"] == "marginal"


@case
def linearize_at():
    """linearize --at T is in the state that run has at T"""
    name = scene()
    run = run_json(name, "--end", "0.7", "--accuracy", "1e-10")["state"]["bodies"]["bar"]
    found = linearize_json(name, "--at", "0.7")
    bar = found["state"]["bodies"]["bar"]
    for key in "position", "velocity":
        assert all(abs(a - b) < 1e-7 for a, b in zip(run[key], bar[key])), (run, bar)
    # theta'' = -3 g/(2 l) cos theta; and the displacement of the centre along itself as it was,
    # m l^2/4 sin(dtheta) of y, takes 3/4 theta'^2
    wanted = 1.5 * 9.81 * math.sin(bar["angle"]) - 0.75 * bar["rate"] ** 2
    assert abs(found["A"][1][0] - wanted) < 1e-6, (found["A"], wanted)
    assert not found["at_rest"]
    text = expect(0, trammel("linearize", name)).stdout.decode()
    assert "no equilibrium" in text and "Stability" not in text, text


@case
def linearize_turns_away():
    """linearize --at T counts turns: a hinge in space at rest on a spring two turns away, 0.5 s^2 + s + 2 = 0"""
    with open("wound.json", "w", encoding="utf-8") as file:
        json.dump({"dimension": 3, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 0.5]}],
                   "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0],
                               "axis": [0, 0, 1]}],
                   "forces": [{"name": "s", "type": "joint_spring_damper", "joint": "O", "stiffness": 2,
                               "damping": 1, "rest": "4*pi"}]}, file)
    found = linearize_json("wound.json", "--at", "60")
    assert found["at_rest"] and found["stability"] == "stable", found
    assert abs(found["growth"] + 1) < 1e-6, found["growth"]


@case
def linearize_input():
    """linearize: an input of a force has a column in B"""
    name = scene("driven.json", parameters={"l": 1, "w": 0, "u": {"value": 0, "input": True}},
                 forces=[{"name": "F", "type": "torque", "body": "bar", "value": "2*u"}])
    found = linearize_json(name, "--equilibrium")
    assert found["inputs"] == ["u"]
    # W (dangle) = sqrt(m l^2/3), so 2 u turns it by angle'' = 2/(m l^2/3)
    gain = found["B"][1][0] / math.sqrt(2 / 3)
    assert abs(abs(gain) - 2 / (2 / 3)) < 1e-9, found["B"]
    moved = scene("moved.json", parameters={"l": 1, "w": 0, "u": {"value": 0, "input": True,
                                                                 "smooth": 1}},
                  joints=[{**BAR["joints"][0], "motor": "u"}])
    found = linearize_json(moved)
    assert found["inputs"] == [] and found["degrees_of_freedom"] == 0 and found["modes"] == []
    assert "Freedoms     0" in expect(0, trammel("linearize", moved)).stdout.decode()


@case
def linearize_refuses():
    """linearize: what cannot be linearized is refused with a reason"""
    falls = scene("falls.json", joints=[])
    refused(4, "linearize", falls, "--equilibrium", says="'bar' is still pushed by -19.6 N")
    driven = scene("turns.json", joints=[{**BAR["joints"][0], "motor": "3*t"}])
    refused(3, "linearize", driven, "--equilibrium", says="'O' is driven at 3 rad/s")
    dead = os.path.join(ROOT, "tests", "diagnosis", "dead_point.json")
    refused(4, "linearize", dead, says="singular")
    refused(5, "linearize", "nosuch.json", says="nosuch.json")
    refused(1, "linearize", scene(), "--at", "1", "--equilibrium", says="--equilibrium")
    refused(1, "linearize", scene(), "--nearest", says="--equilibrium")
    refused(1, "linearize", scene(), "--end", "1", says="not an option")
    found = linearize_json(falls, "--equilibrium", code=4)
    assert found["error"]["code"] == "TRM_ERR_DIVERGED" and found["status"] != "done"
    assert found["equilibrium"]["residual_relative"] > 0.5 and "A" not in found


@case
def help_texts():
    """help, --help and version print to stdout and succeed"""
    for args in [("help",), ("--help",), ("help", "run"), ("run", "--help"), ("check", "-h"),
                 ("view", "--help"), ("linearize", "--help"), ("methods", "--help"),
                 ("help", "schema"), ("elements", "-h")]:
        result = expect(0, trammel(*args))
        assert b"trammel" in result.stdout and result.stderr == b"", args
    assert re.fullmatch(rb"trammel \d+\.\d+\.\d+\n", expect(0, trammel("version")).stdout)
    assert expect(0, trammel("--version")).stdout.startswith(b"trammel ")
    run, methods = (expect(0, trammel("help", s)).stdout for s in ("run", "methods"))
    assert b"constant expression" in run and b"constant expression" not in methods
    assert b"docs/recordings.md" in run


@case
def full_stdout():
    """Results that cannot be printed are an output error"""
    with open("/dev/full", "wb") as full:
        expect(5, trammel("run", scene(), "--json", stdout=full))
        expect(5, trammel("schema", stdout=full))


# ------------------------------------------------------------------------------------- run --json

@case
def json_keys():
    """run --json prints exactly the keys of the contract, in order, and state by name"""
    run = run_json(scene())
    assert list(run) == RUN_KEYS, list(run)
    for key, inner in INNER_KEYS.items():
        assert list(run[key]) == inner, (key, list(run[key]))
    assert run["status"] == "done" and run["error"] is None and run["t"] == 2
    assert run["title"] == "A bar" and run["scene"] == "bar.json"
    assert list(run["state"]) == ["t", "bodies", "lambda", "undetermined"]
    assert run["state"]["undetermined"] == []
    assert list(run["state"]["bodies"]["bar"]) == ["position", "angle", "velocity", "rate"]
    assert [len(run["state"]["bodies"]["bar"][k]) for k in ("position", "velocity")] == [2, 2]
    assert len(run["state"]["lambda"]["O"]) == 2
    assert run["drift"]["worst"] == "O"
    if run["cpu_s"] > 0:  # a virtual machine's clock of CPU time may stand still for a millisecond
        assert math.isclose(run["realtime_factor"], run["t"] / run["cpu_s"])
    else:
        assert run["realtime_factor"] is None
    assert run["steps"] > 0 and run["evaluations"]["force"] > run["steps"]


@case
def json_on_failure():
    """A failed run prints the same keys, the status, and an error object"""
    for code, status, args in [
            (1, "TRM_ERR_OPTIONS", (scene(), "--end", "-1")),
            (1, "TRM_ERR_OPTIONS", (scene(), "--metohd", "srm")),
            (2, "TRM_ERR_SCENE", (scene("bad.json", bodies=[{"name": "a", "mass": -1}]),)),
            (2, "TRM_ERR_SYNTAX", (write("syntax.json", "{"),)),
            (3, "TRM_ERR_INCONSISTENT", (scene("torn.json", bodies=[
                {**BAR["bodies"][0], "rate": 1}]),)),
            (5, "TRM_ERR_IO", ("nosuch.json",)),
            (5, "TRM_ERR_IO", (scene(), "-o", "no/such/folder.csv"))]:
        run = run_json(*args, code=code)
        assert list(run) == RUN_KEYS, list(run)
        assert run["status"] == status, run["status"]
        assert list(run["error"]) == ["code", "message", "where", "t"], run["error"]
        assert run["error"]["code"] == status and run["error"]["message"]


@case
def json_of_space():
    """Spatial bodies give a quaternion, point masses neither angle nor rate"""
    run = run_json(os.path.join(ROOT, "scenes/double_pendulum_3d.json"), "--end", "0.1")
    for body in run["state"]["bodies"].values():
        assert list(body) == ["position", "quat_wxyz", "velocity", "rate"], list(body)
        assert math.isclose(sum(x * x for x in body["quat_wxyz"]), 1, rel_tol=1e-12)
        assert [len(body[k]) for k in ("position", "velocity", "rate")] == [3, 3, 3]
    run = run_json(os.path.join(ROOT, "scenes/pendulum.json"), "--end", "0.1")
    assert list(run["state"]["bodies"]["bob"]) == ["position", "velocity"]


@case
def quiet():
    """--quiet prints nothing, --json with it its object; stderr stays empty without a terminal"""
    result = expect(0, trammel("run", scene(), "--quiet"))
    assert result.stdout == b"" and result.stderr == b""
    assert json.loads(expect(0, trammel("run", scene(), "--quiet", "--json")).stdout)
    assert expect(0, trammel("run", scene())).stderr == b""


@case
def text_report():
    """The report in words gives a verdict on each of the three checks and says why the method"""
    text = expect(0, trammel("run", scene())).stdout.decode()
    for word in ["A bar", "1 body", "1 degree of freedom", "Method", "Constraints", "Energy",
                 "Branch"]:
        assert word in text, text
    assert len(re.findall(r"^(?:Constraints|Energy|Branch) +good ", text, re.MULTILINE)) == 3, text


@case
def every_method():
    """Every pair that `methods --json` lists runs and is reported under its name"""
    methods = json.loads(expect(0, trammel("methods", "--json")).stdout)["methods"]
    assert len(methods) > 10
    name = scene()
    for m in methods:
        assert list(m) == ["integrator", "stabilization", "integrator_doc", "stabilization_doc", "source", "order",
                           "adaptive", "parameters"]
        how = ["--rtol", "1e-6"] if m["adaptive"] else ["--step", "1e-3"]
        run = run_json(name, "--method", m["stabilization"], "--integrator", m["integrator"], *how,
                       "--end", "0.1")
        assert run["method"]["integrator"] == m["integrator"]
        assert run["method"]["stabilization"] == m["stabilization"]
        assert (run["method"]["step"] is None) == m["adaptive"]
        assert run["t"] == 0.1 and run["drift"]["position_max"] < 1e-3, run["drift"]
        for key in ("epsilon", "iterations", "E", "alpha1", "alpha0", "metric"):
            assert (run["method"][key] is not None) == (key in m["parameters"]), (m, key)


@case
def completed_method():
    """Of method and integrator, what is not given is chosen to fit --step or tolerances"""
    name = scene()
    assert run_json(name, "--method", "projection")["method"]["rtol"] is not None
    assert run_json(name, "--method", "projection", "--step", "0.01")["method"]["step"] == 0.01
    assert run_json(name, "--integrator", "rk4", "--step", "0.01")["method"]["integrator"] == "rk4"
    assert run_json(name, "--step", "0.01")["method"]["step"] == 0.01
    assert run_json(name, "--method", "srm", "--step", "1e-3")["method"]["epsilon"] > 0
    fine, coarse = (run_json(name, "--accuracy", a)["steps"] for a in ("1e-10", "1e-3"))
    assert fine > coarse


@case
def repeatable():
    """The same command gives the same bits"""
    name = os.path.join(ROOT, "scenes/double_four_bar.json")
    results = []
    for _ in range(2):
        run = run_json(name, "--end", "1", "-o", "twice.csv")
        with open("twice.csv", "rb") as file:
            results.append((run["state"], run["drift"], run["energy"], file.read()))
    assert results[0] == results[1]


@case
def the_freedoms_of_a_large_loop():
    """A closed loop of n bars has n - 2 freedoms, and `run` tells it for thousands of them"""
    n = 3000
    at = [[i, 0.5 * (i % 2)] for i in range(n + 1)]
    bodies = [{"name": f"b{i}", "ends": [at[i], at[i + 1]], "mass": 1} for i in range(n)]
    names = ["ground"] + [body["name"] for body in bodies] + ["ground"]
    joints = [{"name": f"j{i}", "type": "revolute", "bodies": names[i:i + 2], "at": at[i]}
              for i in range(n + 1)]
    name = write("loop.json", json.dumps({"dimension": 2, "gravity": [0, -9.81],
                                          "bodies": bodies, "joints": joints}))
    text = expect(0, trammel("run", name, "--end", "0.001")).stdout.decode()
    assert f"{2 * n + 2} constraint rows, {n - 2} degrees of freedom" in text, text


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
def documented_columns():
    """docs/recordings.md lists every column; its examples hold, signs included"""
    with open(os.path.join(ROOT, "docs/recordings.md"), encoding="utf-8") as file:
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
        assert {h.split(".", 1)[1] for h in header[1:]} <= listed, header
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
        for _ in range(600):
            if os.path.exists("stopped.csv.part") and os.path.getsize("stopped.csv.part") > 200_000:
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
    assert process.returncode == 130, process.returncode
    run = json.loads(output)
    assert run["status"] == "TRM_STOPPED" and run["error"] is None and run["t"] > 0
    _, rows = read_csv("stopped.csv.part")
    os.remove("stopped.csv.part")
    assert rows[-1][0] == run["t"]
    return run, rows


@case
def interrupted():
    """Ctrl-C ends a recorded run after a step: exit 130, the recording complete up to there"""
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


# -------------------------------------------------------------------------------------------- check

@case
def check_keys():
    """check --json prints the keys of the contract"""
    result = expect(0, trammel("check", os.path.join(ROOT, "scenes/bricard.json"), "--json"))
    check = json.loads(result.stdout)
    assert list(check) == CHECK_KEYS, list(check)
    assert check["coordinates"] == {"q": 35, "v": 30}
    assert (check["constraints"], check["rank"], check["degrees_of_freedom"]) == (30, 29, 1)
    assert check["consistent"] is True
    assert list(check["residual"]) == ["position", "velocity", "worst"]
    for r in check["redundant"]:
        assert list(r) == ["rows", "joints", "lines", "kind", "labels"]
        assert r["kind"] in ("structural", "singular-here", "contradictory")
        assert len(r["joints"]) == len(r["lines"]) and min(r["lines"]) > 0


@case
def check_of_a_bad_scene():
    """check --json of a bad scene: the same keys as null, and an error object"""
    result = expect(2, trammel("check", write("syntax.json", "{"), "--json"))
    check = json.loads(result.stdout)
    assert list(check) == CHECK_KEYS + ["error"], list(check)
    assert check["error"]["code"] == "TRM_ERR_SYNTAX"


@case
def inconsistent_start():
    """An open joint: exit 3, naming the joint, the gap and its line, in check and in run"""
    gap = [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"],
            "on": {"ground": [0.25, 0], "bar": [-0.5, 0]}}]
    name = scene("open.json", joints=gap)
    for command in ("check", "run"):
        result = expect(3, trammel(command, name))
        text = result.stderr.decode()
        assert re.search(r"error: open\.json:\d+:\d+: /joints/0", text), text
        assert "O" in text and "0.25" in text and "^" in text, text
        assert re.search("the start does not close: .* --assemble closes it", text), text
    name = scene("torn.json", bodies=[{**BAR["bodies"][0], "rate": 1}])
    for command in ("check", "run"):
        refused_start = trammel(command, name).stderr.decode()
        assert re.search(r"the start tears the mechanism: the velocities differ by 0\.5 m/s at .*; "
                         r"--assemble makes them fit", refused_start), refused_start
    name = scene("unit.json", constraints=[{"name": "c", "expression": "tip.y - 0.25"}])
    refused(3, "run", name, says="'c' is open by 0.25; --assemble closes it")
    looked_at = trammel("check", name)
    assert b"'c' is open by 0.25; --assemble closes it" in looked_at.stderr, looked_at.stderr
    assert b"largest gap 0.25 at c\n" in looked_at.stdout, looked_at.stdout
    name = scene("open.json", joints=gap)
    check = json.loads(expect(3, trammel("check", name, "--json")).stdout)
    assert check["consistent"] is False and math.isclose(check["residual"]["position"], 0.25)
    assert check["residual"]["worst"] == "O"


@case
def assembled_start():
    """--assemble closes the start and reports what moved, in check and in run"""
    gap = [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"],
            "on": {"ground": [0.25, 0], "bar": [-0.5, 0]}}]
    name = scene("open.json", joints=gap)
    run = run_json(name, "--assemble", "--end", "0.1")
    assert list(run) == RUN_KEYS + ["assembly"]
    bar = run["assembly"]["bodies"]["bar"]
    assert math.isclose(bar["moved"], 0.25, rel_tol=1e-6) and bar["turned"] < 1e-9, bar
    check = json.loads(expect(0, trammel("check", name, "--assemble", "--json")).stdout)
    assert check["consistent"] is True and check["assembly"]["bodies"]["bar"] == bar
    text = expect(0, trammel("run", name, "--assemble", "--end", "0.1")).stdout.decode()
    assert re.search(r"bar +moved 0\.25 m", text), text
    assert expect(0, trammel("view", name, "--assemble", "-o", "a.svg")).stdout == b"Wrote a.svg\n"
    assert "turned 0 rad; velocity by 0 m/s, rate by 0 rad/s" in text, "roundoff is told as a fact"


@case
def shipped_scenes():
    """check accepts every scene in scenes/ and has no hint for them"""
    folder = os.path.join(ROOT, "scenes")
    names = [n for n in sorted(os.listdir(folder)) if n.endswith(".json") and "schema" not in n]
    assert len(names) >= 15, names
    for name in names:
        text = expect(0, trammel("check", os.path.join(folder, name))).stdout.decode()
        assert "Degrees of freedom" in text and "Hints" not in text, text


@case
def words_of_a_check():
    """check says in words what is held twice, which forces are unique, what was given, where a joint misses its bar"""
    said = {
        "flat_spatial_parallelogram": (0, [
            "D: position z, rotation tilt_1, tilt_2; already fixed by A, B, C (structural: along the whole motion)",
            "D: position x; already fixed by A, B, C (singular here: in this position only)",
            "SINGULAR position: next to it the rank is 17 and 1 freedom is left",
            "Reaction forces       16 of 20 are undetermined"]),
        "isolated_point": (0, ["zero forbids no motion: its derivative is zero (singular here"]),
        "three_collinear_rods": (0, ["left already fixed by far (singular here", "left; right; far\n"]),
        "four_bar": (0, ["Redundant rows        none", "Reaction forces       all unique",
                         "2 with crank held where it is"]),
        "idle_coupler": (0, ["coupler spins alone about the line through"]),
        "doubled_joint": (0, ["take out A: removes 2 redundant rows, 0 left, degrees of freedom stay 1"]),
        "missed_end": (0, ["B lies 0.016 m beyond an end of crank and 0.012 m beside its line"]),
        "torn_start": (3, ["velocity x of crank, given as 0 m/s", "rate of crank, given as 1 rad/s",
                           "--assemble would do this:"]),
        "open_start": (3, ["Poses that conflict   coupler", "held where it is given"]),
    }
    for name, (code, lines) in said.items():
        path = os.path.join(ROOT, "tests/diagnosis", name + ".json")
        text = expect(code, trammel("check", path)).stdout.decode()
        for line in lines:
            assert line in text, f"{name}: {line}\n{text}"


@case
def contradictions():
    """check of joints that contradict each other: exit 3, the joints with their gaps and lines"""
    name = os.path.join(ROOT, "tests/diagnosis/long_rod.json")
    result = expect(3, trammel("check", name))
    assert "no position satisfies OP, OQ and PQ together" in result.stderr.decode()
    assert result.stdout.decode().count("^") == 3 and "0.5 m" in result.stdout.decode()
    check = json.loads(expect(3, trammel("check", name, "--json")).stdout)
    assert [r["kind"] for r in check["redundant"]] == ["contradictory"]
    assert [g["joint"] for g in check["conflicts"][0]["gaps"]] == ["OP", "OQ", "PQ"]
    assert check["error"]["code"] == "TRM_ERR_INCONSISTENT"


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
    refused(1, "view", scene(), "-o", "out.gif", says=r"\.svg")
    refused(1, "view", scene(), "-o", "out.html", "--animate", says=r"\.svg")
    refused(5, "view", scene(), "-o", "no/such/folder.svg")
    refused(2, "view", write("syntax.json", "{"))


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
        blocks = dict(re.findall(r'<script type="text/plain" id="([a-z-]+)">([A-Za-z0-9+/=]+)</script>', page))
        data = gzip.decompress(base64.b64decode(blocks["data"]))
        length = int.from_bytes(data[:4], "little")
        content = json.loads(data[4:4 + length])
        assert content["bodies"] and content["runs"][0]["columns"], content
        assert sum(n * planes for n, planes, *_ in content["channels"]) == len(data) - 4 - length
    refused(5, "view", scene(), "-o", "no/such/folder.html")
    refused(5, "run", scene(), "-o", "no/such/folder.html")
    assert not [n for n in os.listdir(".") if n.startswith("trammel-")]


@case
def plots_in_characters():
    """plot draws columns, named with or without unit or by their group, in lines of one width; refuses others with a hint"""
    name = scene()
    expect(0, trammel("run", name, "--end", "1", "-o", "p.csv"))
    for columns in (["energy"], ["energy.kinetic[J]"], ["energy.kinetic", "energy.potential"], []):
        text = expect(0, trammel("plot", "p.csv", *columns)).stdout.decode()
        rows = [line for line in text.splitlines() if " |" in line]
        assert len(rows) == 18 and len({len(row) for row in rows}) == 1, text
        assert "energy.kinetic" in text
    expect(0, trammel("plot", "p.csv", "energy", "drift", "-o", "p.svg"))
    assert xml.etree.ElementTree.parse("p.svg").getroot().tag.endswith("svg")
    refused(1, "plot", "p.csv", "energy.kinetik", says="did you mean")
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
    with open(os.path.join(ROOT, "scenes/FORMAT.md"), "rb") as file:
        assert file.read() == reference, "FORMAT.md is not what trammel schema --format prints"
    elements = expect(0, trammel("elements")).stdout.decode()
    for word in ("revolute", "pin_in_slot", "spring_damper", "cylinder"):
        assert word in elements, word


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
    assert re.search(r"^Energy +good .* 0 of the energy that moved$", text, re.MULTILINE), text
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
