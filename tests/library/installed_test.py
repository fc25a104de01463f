"""A project of its own against the installed library: by pkg-config, CMake and as a meson subproject.

usage: installed_test.py BUILD SOURCE HEADER...
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

import tap
from installation import command, install, only
from tap import need

BUILD, SOURCE, HEADERS = sys.argv[1], sys.argv[2], [os.path.basename(header) for header in sys.argv[3:]]
EXAMPLES = os.path.join(SOURCE, "docs", "examples")
EXAMPLE = os.path.join(EXAMPLES, "pendulum")


class Tree:
    """What `meson install` left below one folder."""

    def __init__(self, root):
        self.root = root
        self.headers = os.path.dirname(only(f"{root}/**/trammel/trammel.h"))
        self.include = os.path.dirname(self.headers)
        self.prefix = os.path.dirname(self.include)
        self.library = os.path.dirname(only(f"{root}/**/libtrammel.so"))
        self.pkgconfig = os.path.dirname(only(f"{root}/**/trammel.pc"))

    def flags(self, *words):
        path = os.pathsep.join(filter(None, [self.pkgconfig, os.environ.get("PKG_CONFIG_PATH")]))
        return command(
            "pkg-config",
            f"--define-variable=prefix={self.prefix}",
            *words,
            "trammel",
            env={**os.environ, "PKG_CONFIG_PATH": path},
        ).split()

    def output(self, program, **more):
        return command(program, env={**os.environ, "LD_LIBRARY_PATH": self.library}, **more)

    def run(self, program):
        check_output(self.output(program))


def pendulum_angle(end, steps=4000):
    """A rod of 1 m about its end: x'' = -3/2 g cos x from rest at x = 0, by RK4."""
    h, x, u = end / steps, 0.0, 0.0
    def rate(x):
        return -1.5 * 9.81 * math.cos(x)

    for _ in range(steps):
        k1, l1 = u, rate(x)
        k2, l2 = u + h / 2 * l1, rate(x + h / 2 * k1)
        k3, l3 = u + h / 2 * l2, rate(x + h / 2 * k2)
        k4, l4 = u + h * l3, rate(x + h * k3)
        x, u = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), u + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    return x


def check_output(output):
    """The example says where the pendulum is after a second."""
    angle = float(output.split()[1])
    assert abs(angle - pendulum_angle(1)) < 1e-5, output


def headers_alone(tree, compiler, *language):
    """Each header compiles as the only one, without a warning."""
    need(compiler)
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-fsyntax-only"]
    for header in HEADERS:
        for include in (f"#include <trammel/{header}>\n", f"#include <trammel/{header}>\n#include <trammel/{header}>\n"):
            command(compiler, *language, *warnings, "-I", tree.include, "-", input=include)


# What the headers' examples take for granted: handles, a state, functions of the user.
CONTEXT = """#include <stdio.h>
#include <trammel/trammel.h>
#include <trammel/trammel_dae.h>
trm_position_fn mass, length, gradient;
trm_velocity_fn force, curvature;
trm_dae_fn f, B, g, G;
trm_scene *scene;
trm_model *model;
trm_sim *sim;
trm_options options;
trm_error err;
double q[7], v[6], start[2], x0[2];
"""


def header_examples(tree, _):
    """Every header opens with an example of some ten lines, and it compiles"""
    for header in HEADERS:
        with open(os.path.join(tree.headers, header), encoding="utf-8") as file:
            found = re.search(r"@code\n(.*?)^/// @endcode", file.read(), flags=re.M | re.S)
        assert found, f"{header} has no example"
        lines = [line[4:] for line in found[1].splitlines()]
        assert 4 <= len(lines) <= 15, (header, len(lines))
        code = "\n".join(lines)
        if not code.lstrip().startswith("static"):  # statements, not a function
            code = f"int example(void);\nint example(void)\n{{\n{code}\nreturn 0;\n}}\n"
        command("cc", "-std=c17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused",
                "-I", tree.include, "-x", "c", "-", input=f"{CONTEXT}#include <trammel/{header}>\n{code}")


def c17(tree, _):
    headers_alone(tree, "cc", "-std=c17", "-Wstrict-prototypes", "-x", "c")


def cxx17(tree, _):
    headers_alone(tree, "c++", "-std=c++17", "-x", "c++")


def clang(tree, _):
    headers_alone(tree, "clang", "-std=c17", "-x", "c")
    headers_alone(tree, "clang", "-std=c++17", "-x", "c++")


def old_header(tree, _):
    """The header of earlier checkouts says where it is now"""
    done = subprocess.run(["cc", "-I", tree.include, "-fsyntax-only", "-x", "c", "-"], input="#include <trammel.h>\n",
                          capture_output=True, text=True)
    assert done.returncode != 0 and "<trammel/trammel.h>" in done.stderr, done.stderr


def by_pkg_config(tree, work):
    need("pkg-config", "cc")
    flags = tree.flags("--cflags", "--libs")
    command("cc", "-std=c17", "-Werror", f"{EXAMPLE}/pendulum.c", "-o", f"{work}/shared", *flags)
    tree.run(f"{work}/shared")


def static_library(tree, work):
    need("pkg-config", "cc")
    flags = [word.replace("-ltrammel", "-l:libtrammel.a") for word in tree.flags("--static", "--cflags", "--libs")]
    command("cc", "-std=c17", f"{EXAMPLE}/pendulum.c", "-o", f"{work}/static", *flags)
    needed = command("objdump", "-p", f"{work}/static")
    assert "libtrammel" not in needed, needed
    tree.run(f"{work}/static")


def by_cxx(tree, work):
    """A C++ program links to the C functions."""
    need("pkg-config", "c++")
    flags = tree.flags("--cflags", "--libs")
    command("c++", "-std=c++17", "-x", "c++", f"{EXAMPLE}/pendulum.c", "-o", f"{work}/cxx", "-x", "none", *flags)
    tree.run(f"{work}/cxx")


def by_cmake(tree, work):
    need("cmake")
    command("cmake", "-S", EXAMPLE, "-B", f"{work}/cmake", f"-DCMAKE_PREFIX_PATH={tree.prefix}")
    command("cmake", "--build", f"{work}/cmake")
    tree.run(f"{work}/cmake/pendulum")


def controlled_leg(tree, work):
    """A control loop in a project of its own: copied elsewhere, built from the installed package alone."""
    need("cmake")
    project = f"{work}/leg"
    shutil.copytree(os.path.join(EXAMPLES, "leg"), project)
    command("cmake", "-S", project, "-B", f"{project}/build", f"-DCMAKE_PREFIX_PATH={tree.prefix}")
    command("cmake", "--build", f"{project}/build")
    assert "times faster than real time" in tree.output(f"{project}/build/leg")


def other_examples(tree, work):
    need("pkg-config", "cc")
    flags = [*tree.flags("--cflags", "--libs"), "-lm", "-lpthread"]
    for name in ("roll", "threads", "rollout", "balance"):
        command("cc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", f"{EXAMPLES}/{name}.c", "-o", f"{work}/{name}", *flags)
        tree.output(f"{work}/{name}", cwd=EXAMPLES)  # two of them read cart.json there


def by_cmake_too_new(tree, work):
    """A version that is not there is not found."""
    need("cmake")
    project = f"{work}/too_new"
    shutil.copytree(EXAMPLE, project)
    with open(f"{project}/CMakeLists.txt", "r+", encoding="utf-8") as file:
        text = file.read().replace("find_package(trammel 0.1", "find_package(trammel 0.2")
        file.seek(0)
        file.write(text)
    done = subprocess.run(
        ["cmake", "-S", project, "-B", f"{project}/build", f"-DCMAKE_PREFIX_PATH={tree.prefix}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0 and "0.2" in done.stderr, done.stderr


def by_subproject(_, work):
    tap.by_night()
    project = f"{work}/meson"
    shutil.copytree(EXAMPLE, project)
    os.mkdir(f"{project}/subprojects")
    os.symlink(SOURCE, f"{project}/subprojects/trammel")
    options = ["-Doptimization=0", "-Ddebug=false", "--wrap-mode=nodownload", "--force-fallback-for=trammel"]
    command("meson", "setup", *options, f"{project}/build", project)
    command("ninja", "-C", f"{project}/build", "-j2", "pendulum")
    check_output(command(f"{project}/build/pendulum"))


def without_tests(_, work):
    """-Dtests=false builds what is installed and its parts, nothing of tests and validation"""
    command("meson", "setup", "-Dtests=false", f"{work}/lean", SOURCE)
    targets = json.loads(command("meson", "introspect", "--targets", f"{work}/lean"))
    built = [target for target in targets if target["build_by_default"]]
    parts = {"trammel_scalar", "trammel_tools", *(f"trammel_lanes_{width}" for width in (2, 4, 8))}
    assert len(built) > 4 and not {target["name"] for target in built if not target["installed"]} - parts, built
    assert not [target["defined_in"] for target in built if "/tests/" in target["defined_in"] or "/validation/" in target["defined_in"]]


CASES = [header_examples, c17, cxx17, clang, old_header, by_pkg_config, static_library, by_cxx, by_cmake, controlled_leg, other_examples, by_cmake_too_new, by_subproject, without_tests]


def main():
    with tempfile.TemporaryDirectory() as work:
        tree = Tree(install(BUILD, work))
        return tap.run(CASES, tree, work)


if __name__ == "__main__":
    sys.exit(main())
