"""Builds the package for pip, by the hooks of PEP 517; nothing but Python's own library is needed.

The C interface is read from the headers of the source tree, as in meson.build. The version is that of
trammel.h.
"""
import base64
import glob
import hashlib
import io
import json
import os
import tarfile
import tomllib
import zipfile

import bindings

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))


def header_paths():
    """In the source tree; in an unpacked source distribution beside this file."""
    found = glob.glob(os.path.join(TREE, "include", "trammel", "*.h"))
    return found or glob.glob(os.path.join(HERE, "include", "trammel", "*.h"))


def project():
    """Table [project] of pyproject.toml."""
    with open(os.path.join(HERE, "pyproject.toml"), "rb") as file:
        return tomllib.load(file)["project"]


def location(version):
    """_location.py: the system's loader, or the folder `build` of this source tree."""
    soname = "libtrammel.so." + version.split(".")[0]
    with open(os.path.join(HERE, "trammel", "_location.py.in"), encoding="utf-8") as file:
        text = file.read()
    in_tree = os.path.exists(os.path.join(TREE, "meson.build"))
    tree = json.dumps(os.path.join(TREE, "build", soname)) if in_tree else ""
    return text.replace("@beside@", "").replace("@soname@", soname).replace("@tree@", tree)


def sources():
    """Files of the package as they are, by their path in it."""
    folder = os.path.join(HERE, "trammel")
    names = sorted(n for n in glob.glob("**", root_dir=folder, recursive=True) if n.endswith(".py") or n == "py.typed")
    found = {}
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


def files():
    """-> version, and {path in the wheel: bytes} without the metadata."""
    header = bindings.read(header_paths())
    version = json.loads(header.constants["TRM_VERSION"])
    found = {f"trammel/{name}": data for name, data in sources().items()}
    found["trammel/_abi.py"] = bindings.write(header).encode()
    found["trammel/_location.py"] = location(version).encode()
    return version, found


def metadata(version):
    about = project()
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {version}",
             f"Summary: {about['description']}", f"License: {about['license']['text']}",
             f"Requires-Python: {about['requires-python']}"]
    lines += [f"Requires-Dist: {name}" for name in about["dependencies"]]
    return "\n".join([*lines, ""]).encode()


def record(found, folder):
    """RECORD of a wheel: path, hash and size of every file."""
    lines = []
    for path, data in found.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}")
    return "\n".join([*lines, f"{folder}/RECORD,,", ""]).encode()


# ---------------------------------------------------------------------------------- hooks of PEP 517

def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version, found = files()
    folder = f"trammel-{version}.dist-info"
    found[f"{folder}/METADATA"] = metadata(version)
    found[f"{folder}/WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: trammel\nRoot-Is-Purelib: true\n"
                                b"Tag: py3-none-any\n")
    found[f"{folder}/RECORD"] = record(found, folder)
    name = f"trammel-{version}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in found.items():
            wheel.writestr(zipfile.ZipInfo(path), data)
    return name


def build_sdist(sdist_directory, config_settings=None):
    version, _ = files()
    root = f"trammel-{version}"
    found = {f"{root}/trammel/{name}": data for name, data in sources().items()}
    found[f"{root}/PKG-INFO"] = metadata(version)
    names = {os.path.join(HERE, name): name for name in
             ("pyproject.toml", "bindings.py", "build_package.py", "trammel/_location.py.in")}
    names.update({path: f"include/trammel/{os.path.basename(path)}" for path in header_paths()})
    for path, name in names.items():
        with open(path, "rb") as file:
            found[f"{root}/{name}"] = file.read()
    with tarfile.open(os.path.join(sdist_directory, f"{root}.tar.gz"), "w:gz") as archive:
        for path, data in found.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return f"{root}.tar.gz"
