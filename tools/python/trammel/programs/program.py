"""Where the program `trammel` is."""
from __future__ import annotations

import os
import shutil

from .. import _library
from ..errors import FileError

_BESIDE = ("tools", "../bin", "../../bin")  # of the library's folder: build folder, lib, lib/ARCHITECTURE


def program() -> str:
    """The file of the program: TRAMMEL_PROGRAM, or beside the library, or on PATH. Raises FileError."""
    if "TRAMMEL_PROGRAM" in os.environ:
        return os.environ["TRAMMEL_PROGRAM"]
    folder = os.path.dirname(_library.path())
    places = [os.path.normpath(os.path.join(folder, name, "trammel")) for name in _BESIDE] if folder else []
    found = next((p for p in places if os.access(p, os.X_OK) and os.path.isfile(p)), None)
    found = found or shutil.which("trammel")
    if found is None:
        raise FileError("the program trammel was not found: it is neither beside the "
                        f"library ({', '.join(places)}) nor on PATH; set TRAMMEL_PROGRAM to its file")
    return found
