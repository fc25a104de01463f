#!/usr/bin/env python3
"""Bad scenes and bad usage of the command line: exit codes and sentences. Prints TAP.

    tests/tools/cli/cli_usage_test.py TRAMMEL ROOT      the program, and the root of the project
"""
import json
import math
import os
import re
import subprocess
import sys

from tap import CASES, case
import tap
from cli_rig import BAR, ROOT, expect, refused, run_json, scene, trammel, write

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
    start = tap.cpu_of_children()
    refused(2, "run", write("spaces.json", b" " * 100_000_000))
    os.remove("spaces.json")
    assert tap.cpu_of_children() - start < 60


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
    refused(1, "import", says="which scene")
    for option in ("-o", "--output"):
        refused(1, "check", name, option, "x.csv",
                says=f"error: {option}: not an option of this subcommand, but of: run, view, linearize, plot")
    refused(1, "check", name, "--end", "2", says="not an option of this subcommand, but of: run, view")
    refused(1, name, says=r'did you mean "trammel run bar\.json"\?')
    refused(1, "methods", name)
    expect(1, trammel())


@case
def other_formats():
    """A file of another format is told as that"""
    for name, says in {"arm.json": "this is XML: the file of a robot ends in", "arm.urdf": "there is no link"}.items():
        with open(name, "w", encoding="utf-8") as file:
            file.write("<robot name='arm'/>")
        refused(2, "run", name, says=says)


@case
def help_in_parts():
    """The help of run lists options of everyday, that of methods those of single methods; each once"""
    run, methods = (expect(0, trammel("help", name)).stdout.decode() for name in ("run", "methods"))
    for option in ("--accuracy", "--end", "--set", "--output"):
        assert option + " " in run and option not in methods, option
    for option in ("--alpha1", "--epsilon", "--form", "--lambda0", "--rtol"):
        assert option in methods and option not in run, option
    assert "trammel help methods" in run
    for text in (run, methods):
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
               "held", "inputs", "outputs", "A_error", "A", "B", "C", "D", "W", "drift"]


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


# Meijaard et al., Proc. R. Soc. A 463 (2007): M q'' + v C q' + (g K0 + v^2 K2) q = 0.
BICYCLE = ([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]],
           [[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]],
           [[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]],
           [[0, 76.59734589573222], [0, 2.65431523794604]])


def off_bicycle(v, s):
    """|det|/|det'| at s: how far s is from an eigenvalue."""
    M, C, K0, K2 = BICYCLE
    e = [[(M[i][j]*s*s + v*C[i][j]*s + 9.81*K0[i][j] + v*v*K2[i][j], 2*M[i][j]*s + v*C[i][j])
          for j in range(2)] for i in range(2)]
    det = e[0][0][0]*e[1][1][0] - e[0][1][0]*e[1][0][0]
    slope = (e[0][0][1]*e[1][1][0] + e[0][0][0]*e[1][1][1]
             - e[0][1][1]*e[1][0][0] - e[0][1][0]*e[1][0][1])
    return abs(det/slope)


@case
def linearize_bicycle():
    """linearize: the four eigenvalues of Whipple's bicycle as the benchmark has them, to 1e-8"""
    name = os.path.join(ROOT, "scenes", "bicycle.json")
    for v in (0, 5, 6, 8):  # at 6 m/s the capsize is -0.004, beside the zeros of the free motions
        modes = [complex(*m["eigenvalue"]) for m in linearize_json(name, "--set", f"v={v}")["modes"]]
        moving = [s for s in modes if abs(s) > 1e-3]
        assert sum(1 + (s.imag != 0) for s in moving) == 4, modes
        assert max(off_bicycle(v, s) for s in moving) < 1e-8, [(s, off_bicycle(v, s)) for s in moving]


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
    for law, rate in (("3*t", "3 rad/s"), ("2*t^2", "4 rad/s^2")):
        driven = scene("turns.json", joints=[{**BAR["joints"][0], "motor": law}])
        refused(3, "linearize", driven, "--equilibrium", says=re.escape(f"'O' is driven at {rate} at"))
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
    assert b"docs/reference/recordings.md" in run


@case
def full_stdout():
    """Results that cannot be printed are an output error"""
    with open("/dev/full", "wb") as full:
        expect(5, trammel("run", scene(), "--json", stdout=full))
        expect(5, trammel("schema", stdout=full))


@case
def accuracy_and_tolerance():
    """The tolerance of a step is A/100, by Adams' method A/1000, whoever has chosen the method"""
    scene = os.path.join(ROOT, "scenes", "pendulum.json")
    for A in (1e-1, 1e-3, 1e-6, 1e-9):
        for words, part in ([], 100), (["--method", "projection"], 100), (["--integrator", "dopri5"], 100), (["--method", "srm"], 1000):
            said = expect(0, trammel("run", scene, "--end", "0.1", "--no-verify", "--accuracy", f"{A:g}", *words)).stdout.decode()
            tolerance = float(re.search(r"steps to (\S+) of the motion", said).group(1))
            assert abs(tolerance - A / part) < 1e-6 * tolerance, (A, words, tolerance)


if __name__ == "__main__":
    sys.exit(tap.run(CASES, in_folders=True))
