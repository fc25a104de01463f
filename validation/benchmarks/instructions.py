"""Instructions of programs and their functions, by valgrind --tool=callgrind."""
import collections
import os
import re
import subprocess
import tempfile


def costs(path):
    """Instructions of every function by its name, with all that it calls, those of static ones of one name together."""
    words = ["callgrind_annotate", "--threshold=100", "--inclusive=yes"]
    text = subprocess.run(words + [path], check=True, capture_output=True, text=True).stdout
    found = collections.Counter()
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+\S*?:(\w+)", line)
        if match:
            found[match[2]] += int(match[1].replace(",", ""))
    return found


def counted(words, *options, **how):
    """-> instructions of a command (within functions alone by --toggle-collect), and of its functions, as above."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "callgrind.out")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", *options, *words]
        said = subprocess.run(command, check=True, capture_output=True, text=True, **how).stderr
        return int(re.search(r"Collected : (\d+)", said)[1]), costs(path)
