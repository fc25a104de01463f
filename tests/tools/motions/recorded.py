"""Scenes written, run and read back: the last line of the recording, and the report."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

TRAMMEL = sys.argv[1]
SCRATCH = tempfile.TemporaryDirectory(prefix="trammel-motions-")  # pylint: disable=consider-using-with
FOLDER = pathlib.Path(SCRATCH.name)


def started(scene, *options):
    """The finished process of `trammel run`; its recording is out.csv in FOLDER."""
    (FOLDER / "scene.json").write_text(json.dumps(scene), encoding="utf-8")
    return subprocess.run([TRAMMEL, "run", FOLDER / "scene.json", "-o", FOLDER / "out.csv", "--json", *options],
                          check=False, capture_output=True, text=True)


def last_and_report(scene, *options):
    """The last line of the recording, by names without units, and what --json says."""
    output = started(scene, *options)
    assert output.returncode == 0, output.stderr
    with open(FOLDER / "out.csv", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name.split("[")[0]: float(x) for name, x in zip(rows[0], rows[-1])}, json.loads(output.stdout)


def column(name):
    """That column of the last recording."""
    with open(FOLDER / "out.csv", encoding="utf-8") as file:
        return [float(x) for key in csv.DictReader(file) for head, x in key.items() if head.split("[")[0] == name]


def last_of_good(scene, names, *options):
    """The last line, of a run whose verdicts of these names are good."""
    last, report = last_and_report(scene, *options)
    assert {report["verdicts"][name] for name in names} == {"good"}, report["verdicts"]
    return last
