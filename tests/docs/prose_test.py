"""Documents can be read and followed: short sentences and lines, no history, no broken link, commands that run, figures with
their programs, a bounded number of words.

usage: prose_test.py TRAMMEL ROOT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import tap

TRAMMEL, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
DOCS = ROOT / "docs"
SCENES = "docs/reference/scene_format.md"  # of tables, whose lines are long
GENERATED = {SCENES, "docs/reference/command_line.md", "docs/reference/methods.md", "docs/reference/imports.md",
             "docs/industrial.md", "docs/reference/python_classes.md"}
# followed by guide_test.py, which installs the library
FOLLOWED = {"docs/tutorial/from_c.md", "docs/how-to/add_a_joint_force_method.md"}
SENTENCE, LINE, PAGE, ALL = 35, 100, 3000, 36000
HISTORY = re.compile(r"\b(used to|no longer|formerly|previously|in earlier versions|was mended|mended since|did so before|"
                     r"since then|were silent before|the machinery before)\b", re.IGNORECASE)
FENCE = re.compile(r"^```(\w*)((?: \w+=\S+)*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def text_of(path):
    return path.read_text(encoding="utf-8")


def name(path):
    return path.relative_to(ROOT).as_posix()


def pages():
    """README.md and all of docs, apart from the texts beside programs."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def written_by_hand():
    return [path for path in pages() if name(path) not in GENERATED]


def prose(text):
    """The paragraphs of a page: no code, table, heading, picture or comment."""
    text = re.sub(r"<!--.*?-->", "", FENCE.sub("", text), flags=re.DOTALL)
    lines = [line for line in text.split("\n") if not line.startswith(("|", "#", "    ", "!", "<"))]
    return re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", "\n".join(lines))


def words(text):
    return [word for word in text.split() if re.search(r"\w", word)]


def sentences():
    """No sentence of any Markdown file has more than 35 words; in a list its parts, between ; and :"""
    found = []
    for path in tracked():
        for paragraph in prose(text_of(path)) if name(path) not in GENERATED - {SCENES} else []:
            end = r"(?<=[.!?:;])\s+" if re.match(r"\s*(?:[-*]|\d+\.) ", paragraph) else r"(?<=[.!?])\s+"
            for sentence in re.split(end, " ".join(paragraph.split())):
                if len(sentence.split()) > SENTENCE:
                    found.append(f"{name(path)}: {len(sentence.split())} words: {sentence[:90]}")
    assert not found, "\n".join(found)


def tracked():
    """Every Markdown file of the project."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True)
    return [path for path in (ROOT / line for line in listed.stdout.split("\n") if line) if path.exists()] or pages()


def lines():
    """Markdown lines have at most 100 columns; tables that validation/pages writes may be wider"""
    found = [f"{name(path)}:{i}: {len(line)} columns" for path in tracked() if name(path) not in GENERATED - {SCENES}
             for i, line in enumerate(text_of(path).split("\n"), 1)
             if len(line) > LINE and not (line.startswith("|") and (path.parent.name == "validation" or name(path) == SCENES))]
    assert not found, "\n".join(found)


def history():
    """No page tells what an earlier state did"""
    found = [f"{name(path)}: {hit[0]}" for path in pages() for hit in HISTORY.finditer(text_of(path))]
    assert not found, "\n".join(found)


def lengths():
    """A page has at most 3000 words, all of docs at most 36000, pages that the program prints apart"""
    counted = {name(path): len(words(text_of(path))) for path in written_by_hand()}
    found = [f"{path}: {n} words" for path, n in counted.items() if n > PAGE]
    assert not found and sum(counted.values()) <= ALL, (found, sum(counted.values()))


def anchors(path):
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text_of(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links():
    """Every link of every Markdown file leads to a file, and to a heading of it"""
    found = []
    for path in tracked():
        for target in LINK.findall(FENCE.sub("", text_of(path))):
            if target.startswith(("http:", "https:", "mailto:")):
                continue
            file, _, anchor = target.partition("#")
            there = (path.parent / file).resolve() if file else path
            if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
                found.append(f"{name(path)}: {target}")
    assert not found, "\n".join(found)


def names():
    """Pages that sources and tools name exist"""
    found = []
    done = subprocess.run(["git", "grep", "-noE", r"docs/[A-Za-z_/-]+\.md"], cwd=ROOT, capture_output=True, text=True)
    for line in done.stdout.splitlines():
        where, number, page = line.split(":", 2)
        if not (ROOT / page).exists():
            found.append(f"{where}:{number}: {page}")
    assert not found, "\n".join(found)


def symbols():
    """Functions, types and files that the documents name are there"""
    sources = subprocess.run(["git", "grep", "-ohwE", r"trm_\w+", "--", "*.c", "*.h"], cwd=ROOT, capture_output=True, text=True).stdout
    known, found = set(sources.split()), []
    folders = "base|bodies|constraints|engine|include|integrators|scenes|simulation|tests|tools|validation"
    for path in pages():
        text = text_of(path)
        found += [f"{name(path)}: {word}" for word in re.findall(r"\btrm_\w+", text)
                  if known and word not in known and word != "trm_joint_parallel"]  # the reader adds it
        found += [f"{name(path)}: {file}" for file in re.findall(rf"`((?:{folders})/[\w./-]+)`", text) if not (ROOT / file).exists()]
    assert not found, "\n".join(found)


def beginnings():
    """Every page says in its first paragraph whom it serves"""
    found = [name(path) for path in DOCS.rglob("*.md") if not name(path).startswith("docs/examples/")
             and not re.search(r"\A# .*\n\n(?:<!--.*?-->\n\n)?(?:For|Scenes|Notation for)\b", text_of(path))]
    assert not found, found


def figures():
    """Every picture of a page stands beside the command that draws it, or in the gallery, which has them all"""
    gallery = text_of(DOCS / "gallery.md")
    for path in pages():
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text_of(path)):
            file = name((path.parent / picture).resolve())
            assert re.search(rf"^    trammel view .*\\\n        -o {re.escape(file)}$", gallery, re.MULTILINE), file


def lines_of(page):
    """The listings of commands of a page."""
    return [text for language, _, text in FENCE.findall(page) if language == "sh"]


def follow(path, folder):
    """Writes the files of a page and types its commands; -> what went wrong."""
    (folder / "build" / "tools").mkdir(parents=True)
    (folder / "build" / "tools" / "trammel").symlink_to(TRAMMEL)
    for part in ("scenes", "docs", "tests"):
        (folder / part).symlink_to(ROOT / part)
    env = dict(os.environ, PATH=f"{folder / 'build' / 'tools'}:{os.environ['PATH']}")
    page = text_of(path)
    for language, settings, text in FENCE.findall(page):
        file = dict(word.split("=", 1) for word in settings.split()).get("file")
        if language == "json" and name(path) != "README.md" and f" {file}" not in "".join(lines_of(page)):
            yield f"{name(path)}: a scene that no command runs: {text[:60]}"
        if language not in ("json", "sh", "python") and name(path) != "README.md":
            yield f"{name(path)}: a listing that no test runs: {text[:60]}"
        if file:
            (folder / file).write_text(text, encoding="utf-8")
        if language != "sh":
            continue
        for line in filter(None, text.replace("\\\n", " ").split("\n")):
            line = line.split("  #")[0].strip()
            if not re.match(r"(build/tools/)?trammel ", line):
                if line not in ("./tools/quickstart",):
                    yield f"{name(path)}: a command that no test runs: {line}"
                continue
            done = subprocess.run(line, shell=True, cwd=folder, env=env, capture_output=True, text=True, timeout=tap.PATIENCE)
            if done.returncode:
                yield f"{name(path)}: {line}: {done.stderr or done.returncode}"


def commands():
    """Scenes of tutorials and how-tos are run by a command of their page, and commands run; Python by tests/python"""
    found = []
    for path in [ROOT / "README.md", *sorted((DOCS / "tutorial").glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]:
        if name(path) not in FOLLOWED:
            with tempfile.TemporaryDirectory() as folder:
                found += follow(path, pathlib.Path(folder))
    assert not found, "\n".join(found)


def validation():
    """Pages of validation are those that their program writes"""
    done = subprocess.run([sys.executable, ROOT / "validation" / "pages", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def reference():
    """Pages that the program knows are those that it writes"""
    done = subprocess.run([sys.executable, ROOT / "tools" / "reference_pages.py", TRAMMEL, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def screens():
    """help fits 24 lines of 80 columns, help run 45 lines; a text of an option has at most 15 words"""
    overview = subprocess.run([TRAMMEL, "--help"], capture_output=True, text=True).stdout.splitlines()
    assert len(overview) <= 24 and max(map(len, overview)) <= 80, (len(overview), max(overview, key=len))
    run = subprocess.run([TRAMMEL, "help", "run"], capture_output=True, text=True).stdout.splitlines()
    assert len(run) <= 45, len(run)
    for command in ("run", "compare", "sweep", "view", "methods", "linearize"):
        shown = subprocess.run([TRAMMEL, "help", command], capture_output=True, text=True).stdout
        for line in re.findall(r"^  -.{29}(.*)$", shown, re.MULTILINE):
            assert len(line.split()) <= 15, (command, line)


if __name__ == "__main__":
    sys.exit(tap.run([sentences, lines, history, lengths, links, names, symbols, beginnings, figures, commands, validation, reference, screens]))
