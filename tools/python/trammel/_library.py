"""Finds the shared library, declares its functions, and makes sure that it is the one of this package.

It is looked for in this order:

1. the file that the environment variable TRAMMEL_LIBRARY names;
2. where `meson install`, or the build folder, has put it beside this package;
3. where the system's loader finds it (libtrammel.so of the right soname);
4. for a package that pip installed from a source tree: the folder `build` of that tree.
"""
from __future__ import annotations

import ctypes
import os
from typing import Any, Iterator

from . import _abi, _location

VERSION: str = _abi.TRM_VERSION


def _candidates() -> Iterator[str]:
    """Files that exist, and the name for the system's loader."""
    here = os.path.dirname(os.path.abspath(__file__))
    if "TRAMMEL_LIBRARY" in os.environ:
        yield os.environ["TRAMMEL_LIBRARY"]
        return
    beside = [os.path.normpath(os.path.join(here, name)) for name in _location.BESIDE]
    yield from filter(os.path.exists, beside)
    yield _location.SONAME
    yield from filter(os.path.exists, _location.SOURCE_TREE)


def _open() -> ctypes.CDLL:
    problems = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as problem:
            problems.append(str(problem))
    raise ImportError(
        "the shared library of Trammel was not found: " + "; ".join(problems) + ". Set the environment "
        "variable TRAMMEL_LIBRARY to the path of libtrammel.so, or build it (ninja -C build) and "
        "install it (meson install -C build)")


def _version_of(library: ctypes.CDLL) -> str:
    try:
        library.trm_version.restype = ctypes.c_char_p
        return str(library.trm_version().decode())
    except AttributeError:
        return "(none: not a library of Trammel)"


def _declare(library: ctypes.CDLL) -> None:
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        try:
            function = getattr(library, name)
        except AttributeError:
            raise ImportError(f"{library._name} has no function {name}: it was built from other sources "
                              "than this package; install both anew") from None
        function.restype, function.argtypes = result, arguments


def _load() -> Any:
    library = _open()
    found = _version_of(library)
    if found != VERSION:
        raise ImportError(f"{library._name} is version {found}, the Python package is version {VERSION}; "
                          "install both from the same sources")
    _declare(library)
    return library


lib: Any = _load()


def filled(function: Any, *arguments: Any) -> Any:
    """The struct that a function fills, of the size that this package knows."""
    out = function.argtypes[-2]._type_()
    function(*arguments, ctypes.byref(out), ctypes.sizeof(out))
    return out


def path() -> str:
    """File of the library, resolved; the bare name if the system's loader found it."""
    name = str(lib._name)
    return os.path.realpath(name) if os.path.exists(name) else name
