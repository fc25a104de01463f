"""Scenes, references and verdicts of the campaign. docs/validation/campaign.md says what each word here means."""
import csv
import hashlib
import json
import math
import os
import pathlib
import random
import shlex
import signal
import subprocess
import tempfile

import families_multiloop
import families_symmetric
import families_random
import families_plane
import families_space
import families_elements
from mechanism import without

HERE = pathlib.Path(__file__).resolve().parent
LISTS = families_plane, families_space, families_random, families_elements, families_symmetric, families_multiloop
FAMILIES = {f.__name__: f for families in LISTS for f in families.FAMILIES}
SAMPLES = 8
MARGIN = 10           # times the accuracy: an error up to there is right
GROWTH_LIMIT = 1000   # one step may err by A/100; where that grows above 10 A, no method keeps the promise
FAULTS = ("silent", "hang", "refused", "crash", "condemned")
COLUMNS = ("family", "seed", "accuracy", "verdict", "error", "crossings", "cpu", "exit", "growth", "self_error",
           "degrees_of_freedom", "degrees_told", "regular", "message", "command")
VERDICTS = ("right", *FAULTS, "told", "undecided", "chaotic", "no reference")


def build_reference(cache):
    """The compiled reference, in the folder of scenes and references; compiled anew when its source has changed."""
    sources = sorted((HERE / "reference").iterdir())
    key = hashlib.sha256(b"".join(p.read_bytes() for p in sources)).hexdigest()[:12]
    folder = pathlib.Path(cache)
    (folder / "references").mkdir(parents=True, exist_ok=True)
    program = folder / f"reference-{key}"
    if not program.exists():
        made = folder / f"reference-{key}.{os.getpid()}"
        subprocess.run([os.environ.get("CXX", "c++"), "-std=c++17", "-O3", HERE / "reference/main.cpp", "-o", made], check=True)
        made.rename(program)
    return program


class Case:
    """A scene by its family and seed, and its reference, which is kept for as long as scene and program are the same."""

    def __init__(self, family, seed, program):
        self.family, self.seed, self.program = family, seed, program
        self.path = program.parent / f"{family}-{seed}.json"
        mechanism = FAMILIES[family](random.Random(f"{family}-{seed}"))
        with tempfile.TemporaryDirectory() as scratch:
            draft = pathlib.Path(scratch) / "draft.json"
            scene = mechanism.finished(f"{family} {seed}", program, draft)
            self.path.write_text(json.dumps(scene, indent=1) + "\n", encoding="utf-8")
            self.reference = self.solved(mechanism, scene, draft)
        self.reference.update(regular=mechanism.regular, end=scene["simulation"]["end"])

    def solved(self, mechanism, scene, draft):
        draft.write_text(json.dumps(without(scene, mechanism.equivalent) if mechanism.equivalent else scene),
                         encoding="utf-8")
        options = ["--samples", str(SAMPLES), "--tolerance", repr(mechanism.tolerance), "--longest", repr(mechanism.longest)]
        options += [word for t in mechanism.breaks for word in ("--break", repr(t * mechanism.tau))]
        key = hashlib.sha256((draft.read_text(encoding="utf-8") + str(options)).encode()).hexdigest()[:12]
        known = self.program.parent / "references" / f"{self.family}-{self.seed}-{self.program.name[-12:]}-{key}.json"
        if not known.exists():
            part = known.with_suffix(f".{os.getpid()}")
            with open(part, "w", encoding="utf-8") as file:
                subprocess.run([self.program, "solve", draft, *options], check=False, stdout=file)
            part.rename(known)
        return json.loads(known.read_text(encoding="utf-8"))


def turned_by(a, b):
    """Angle between two orientations, by quaternions."""
    size = math.sqrt(sum(x * x for x in a) * sum(x * x for x in b))
    if not size > 0:
        return math.inf
    sign = 1 if sum(x * y for x, y in zip(a, b)) >= 0 else -1
    a, b = ([x / math.sqrt(sum(y * y for y in v)) for x in v] for v in (a, b))
    return 4 * math.asin(min(1, math.sqrt(sum((x - sign * y) ** 2 for x, y in zip(a, b))) / 2))


def orientation(row, body):
    if f"{body}.angle[rad]" in row:
        half = float(row[f"{body}.angle[rad]"]) / 2
        return [math.cos(half), 0, 0, math.sin(half)]
    if f"{body}.qw" in row:
        return [float(row[f"{body}.{part}"]) for part in ("qw", "qx", "qy", "qz")]
    return None


def error_of(rows, reference):
    """The largest error of a body's pose at the samples, in units of the size of the motion; inf where one is missing."""
    worst = 0.0
    for sample in reference["samples"]:
        row = min(rows, key=lambda r: abs(float(r["t"]) - sample["t"]), default=None)
        if row is None or abs(float(row["t"]) - sample["t"]) > 1e-9 * reference["end"]:
            return math.inf
        for body, pose in sample["poses"].items():
            place = [float(row.get(f"{body}.{axis}[m]", 0)) for axis in "xyz"]
            off = math.dist(place, pose[:3])
            q = orientation(row, body)
            if q:
                off = max(off, turned_by(q, pose[3:]) * reference["reach"][body])
            worst = max(worst, off if math.isfinite(off) else math.inf)
    return worst / reference["size"]


def limited(command, cpu):
    """Runs a program with so many seconds of CPU. Returns exit status (negative: signal), CPU time, stdout, stderr."""
    script = f"ulimit -t {cpu}; ulimit -v 4000000; exec {shlex.join(map(str, command))}"
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = subprocess.Popen(["sh", "-c", script], stdout=out, stderr=err)  # pylint: disable=consider-using-with
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return child.returncode, usage.ru_utime + usage.ru_stime, out.read(), err.read()


def judge(case, accuracy, trammel, cpu, more=()):
    """One run, with more words of the command, and its verdict, as a row of the table."""
    reference = case.reference
    row = {"family": case.family, "seed": case.seed, "accuracy": accuracy, "verdict": "no reference", "error": "",
           "crossings": "", "cpu": "", "exit": "", "growth": reference.get("growth"), "self_error": reference.get("self_error"),
           "message": reference.get("error", ""), "command": shlex.join([str(trammel), "run", str(case.path), "--accuracy", f"{accuracy:g}", *more])}
    if "error" in reference:
        return row
    with tempfile.TemporaryDirectory() as scratch:
        recording = pathlib.Path(scratch) / "out.csv"
        command = [trammel, "run", case.path, "--accuracy", f"{accuracy:g}", "--every", repr(reference["end"] / SAMPLES),
                   "-o", recording, *more]
        status, seconds, printed, complaint = limited(command, cpu)
        rows = []
        if recording.exists():
            with open(recording, encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
    row.update(cpu=f"{seconds:.3g}", exit=status, message=" ".join(complaint.split())[:200])
    if status in (-signal.SIGXCPU, -signal.SIGKILL) and seconds > 0.5 * cpu:  # out of memory comes sooner
        row["verdict"] = "hang"
        return row
    if status:
        row["verdict"] = "crash" if status < 0 or status > 128 else "refused"
        return row
    row["crossings"] = sum(int(float(rows[-1].get(f"singularity.{k}", 0))) for k in ("crossings", "bifurcations"))
    error = error_of(rows, reference)
    row["error"] = f"{error:.3g}"
    right, poor = error <= MARGIN * accuracy, "POOR" in printed
    if not right and (reference["growth"] > GROWTH_LIMIT or reference["self_error"] > accuracy):
        row["verdict"] = "chaotic"
    elif right:
        row["verdict"] = "condemned" if poor else "right"
    else:
        row["verdict"] = "told" if poor else "undecided" if "undecided here" in printed else "silent"
    return row


def freedoms(case, trammel, cpu):
    """Degrees of freedom by `trammel check` and by the reference; None where check does not answer."""
    status, _, printed, _ = limited([trammel, "check", case.path, "--json"], cpu)
    try:
        told = json.loads(printed)["degrees_of_freedom"] if status >= 0 else None
    except (ValueError, KeyError):
        told = None
    return told, case.reference.get("degrees_of_freedom")
