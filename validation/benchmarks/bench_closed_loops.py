#!/usr/bin/env python3
"""Closed loops in space beside Pinocchio, Simbody and MuJoCo: whole runs at equal error; open chains beside RBDL.

    validation/benchmarks/bench_closed_loops.py BUILD DIR [MECHANISM ...]

DIR has the programs pin_generic and pin_native, simbody_peer, mj, rbdl_generic and rbdl_native, each if it is there, and
the mechanisms they read, mech/NAME.txt beside mech/NAME.json. Error: the largest distance of a centre of mass at the end
from that by A = 1e-12. Of each program the setting that reaches the error in the fewest evaluations is timed, in turns, the
least of all. MuJoCo bends its joints: what it reaches is printed below, whatever it is.
"""
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

BENCH, DIR = os.path.join(os.path.abspath(sys.argv[1]), "validation", "bench_steps"), os.path.abspath(sys.argv[2])
# mechanism: end (s), damping and iterations of Pinocchio's loops; those that repeat rows need damping
DAMPED, PLAIN = [("1e-8", "3"), ("1e-8", "4"), ("1e-6", "6")], [("0", "1")]
RUNS = {"bricard": (10, DAMPED), "rusr": (10, PLAIN), "stewart": (1, PLAIN), "biped": (1, PLAIN), "ladder_5": (10, DAMPED),
        "ladder_10": (10, DAMPED), "ladder_20": (2, DAMPED), "ladder_40": (1, DAMPED), "ladder_80": (0.2, DAMPED)}
KINDS = ("auto", "joint", "absolute")
ERRORS = (1e-6, 1e-9)
ROUNDS = 5
DEAR, LONGEST = 200, 300  # times as long as `auto` at the finest error, or s: nothing finer is tried
LADDER = [f"{10 ** (-k / 2):.3g}" for k in range(2, 25)]


def path(name, ending="txt"):
    return os.path.join(DIR, "mech", f"{name}.{ending}")


def output(words):
    """-> what a program prints, "" if it fails or is not there."""
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", REPS="3")
    if not os.access(words[0], os.X_OK):
        return ""
    done = subprocess.run(words, check=False, capture_output=True, text=True, env=environment, timeout=LONGEST)
    return done.stdout if done.returncode == 0 else ""


def scene(name, kind, folder):
    """-> the file of a mechanism in these coordinates, and the names of its bodies."""
    with open(path(name, "json"), encoding="utf-8") as file:
        found = json.load(file)
    found["simulation"]["coordinates"] = kind
    with open(os.path.join(folder, f"{name}_{kind}.json"), "w", encoding="utf-8") as file:
        json.dump(found, file)
    return file.name, [body["name"] for body in found["bodies"]]


def trammel(name, kind, accuracy, folder):
    """-> ms, evaluations, centres of mass; None: it gave no result."""
    file, bodies = scene(name, kind, folder)
    watched = [word for body in bodies for word in ("-b", body)]
    text = output([BENCH, "-a", accuracy, "-e", str(RUNS[name][0]), "-r", "4", *watched, file])
    run = text and json.loads(text)
    return run and (1e3 * min(run["cpu_s"][1:]), run["evaluations"], {body: run["bodies"][body][:3] for body in bodies})


def peer(*words):
    """The same of a peer."""
    text = output([os.path.join(DIR, words[0]), *words[1:]])
    time, count = re.search(r": ([\d.]+) ms", text), re.search(r"(?:evals|realizations) (\d+)", text)
    ends = {line.split()[1]: list(map(float, line.split()[2:5])) for line in text.splitlines() if line.startswith("end ")}
    return ends and time and (float(time[1]), int(count[1]) if count else 0, ends)


def error(run, reference):
    return max(math.dist(run[2][body], place) for body, place in reference.items())


def ladders(name, folder):
    """-> by program, its runs from coarse to fine as functions."""
    end, damped = str(RUNS[name][0]), RUNS[name][1]
    found = [(f"{kind} coordinates", lambda a, kind=kind: trammel(name, kind, a, folder)) for kind in KINDS]
    found += [("Pinocchio", lambda a, build=build, mu=mu: peer(build, path(name), "run", a, *mu, end, "1e-12"))
              for build in ("pin_generic", "pin_native") for mu in damped]
    return found + [("Simbody", lambda a, way=way: peer("simbody_peer", path(name), "run", way, a, end)) for way in ("rkm", "cpodes")]


def cheapest(name, folder, reference):
    """-> by program and error, (ms, evaluations, what runs it again)."""
    best = {}
    for program, run in ladders(name, folder):
        for a in LADDER:
            try:
                found = run(a)
            except subprocess.TimeoutExpired:
                break
            off = error(found, reference) if found else math.inf
            for level in ERRORS:
                if off <= level and found[0] < best.get((program, level), (math.inf,))[0]:
                    best[program, level] = (*found[:2], lambda run=run, a=a: run(a))
            if off <= 0.3 * ERRORS[-1] or found and found[0] > DEAR * best.get(("auto coordinates", ERRORS[-1]), [math.inf])[0]:
                break
    return best


def rows(name, folder, programs):
    reference = trammel(name, "absolute", "1e-12", folder)[2]
    best = cheapest(name, folder, reference)
    times = {key: [cell[0]] for key, cell in best.items()}
    for _ in range(ROUNDS):
        for key, cell in best.items():
            again = cell[2]()
            times[key] += [again[0]] if again else []
    for level in ERRORS:
        own = min(times["auto coordinates", level])
        cells = [f"{min(times[p, level]):.2f} ({best[p, level][1]}), {min(times[p, level]) / own:.2f}" if (p, level) in best else "-"
                 for p in programs]
        print(f"| {name} | {RUNS[name][0]} | {level:.0e} | " + " | ".join(cells) + " |", flush=True)


def chains(folder):
    """Open chains: ns per body of an evaluation; of Trammel in whole steps of rk4, of the others accelerations alone."""
    print("\n| chain of | joint coordinates | absolute coordinates | RBDL | Pinocchio |\n|" + " --- |" * 5)
    for n in (10, 100):
        costs = []
        for kind in KINDS[1:]:
            steps = 20000 // n
            words = [BENCH, "-i", "rk4", "-h", "1e-4", "-m", "plain", "-n", str(steps), "-r", "9", scene(f"chain3_{n}", kind, folder)[0]]
            costs.append([1e9 * min(json.loads(output(words))["cpu_s"]) / (4 * steps * n)])
        for programs, more in ((("rbdl_generic", "rbdl_native"), []), (("pin_generic", "pin_native"), ["eval", "0", "1"])):
            said = (output([os.path.join(DIR, program), path(f"chain3_{n}"), *more]) for program in programs)
            costs.append([float(each[1]) for each in (re.search(r"([\d.]+) per body", text) for text in said) if each])
        print(f"| {n} | " + " | ".join(f"{min(cost):.0f}" if cost else "-" for cost in costs) + " |", flush=True)


def mjcf(name, file):
    """A mechanism for MuJoCo: bodies with the frame of the ground at their joint, loops as stiff equalities."""
    root = xml.Element("mujoco")
    option, world = xml.SubElement(root, "option"), xml.SubElement(root, "worldbody")
    equal, at, nodes = xml.SubElement(root, "equality"), {"ground": (0, 0, 0)}, {"ground": world}
    for word, *rest in map(str.split, open(path(name), encoding="utf-8")):
        if word == "gravity":
            option.set("gravity", " ".join(rest))
        if word == "body":
            own, parent, kind, mass = rest[:4]
            x = list(map(float, rest[4:25]))
            at[own] = x[12:15]
            place = [str(a - b) for a, b in zip(at[own], at[parent])]
            node = nodes[own] = xml.SubElement(nodes[parent], "body", name=own, pos=" ".join(place))
            J = (x[3], x[7], x[11], x[4], x[5], x[8])
            xml.SubElement(node, "inertial", mass=mass, pos=" ".join(str(a - b) for a, b in zip(x, at[own])), fullinertia=" ".join(map(str, J)))
            for axis in ([] if kind == "X" else [rest[19:22]] + ([rest[22:25]] if kind == "U" else [])):
                xml.SubElement(node, "joint", type="slide" if kind == "P" else "hinge", axis=" ".join(axis), stiffness=rest[25], damping=rest[26])
            if kind == "X":
                xml.SubElement(node, "freejoint")
        if word == "cut":
            kind, a, b, place = rest[0], rest[1], rest[2], list(map(float, rest[3:6]))
            for shift in (0, 1) if kind == "H" else (0,):
                point = [p + shift * float(u) - o for p, u, o in zip(place, rest[6:9], at[a])]
                ends = {"body1": a, **({"body2": b} if b != "ground" else {})}
                xml.SubElement(equal, "connect", anchor=" ".join(map(str, point)), solref="0.0004 1", solimp="0.9999 0.9999 0.001 0.5 2", **ends)
    xml.ElementTree(root).write(file)


def mujoco(folder):
    """Runs of MuJoCo by rk4: what its soft loops reach."""
    print("\n| mechanism | MuJoCo: step, s | ms | error, m |\n|" + " --- |" * 4)
    for name in ("bricard", "rusr", "biped"):
        reference, file = trammel(name, "absolute", "1e-12", folder)[2], os.path.join(folder, name + ".xml")
        mjcf(name, file)
        for step in ("1e-3", "1e-4"):
            found = peer("mj", file, str(RUNS[name][0]), step, "rk4")
            if found:
                print(f"| {name} | {step} | {found[0]:.2f} | {error(found, reference):.0e} |", flush=True)


def main():
    names = sys.argv[3:] or list(RUNS)
    programs = [f"{kind} coordinates" for kind in KINDS] + ["Pinocchio", "Simbody"]
    if not os.path.isdir(os.path.join(DIR, "mech")):
        print(f"There is no {DIR}/mech to run beside Trammel.")
        return
    print("| mechanism | end, s | error, m | " + " | ".join(programs) + " |\n| --- |" + " --- |" * (len(programs) + 2))
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            rows(name, folder, programs)
        if len(sys.argv) == 3:
            chains(folder)
            mujoco(folder)


if __name__ == "__main__":
    main()
