"""What ctypes believes of structs, enumerations and prototypes is what a C compiler makes of the headers."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from trammel import _abi, _library

HEADERS = sorted(path.name for path in pathlib.Path(os.environ["TRAMMEL_SOURCE"], "include", "trammel").glob("*.h"))
STRUCTS = {n: c for n, c in vars(_abi).items()
           if isinstance(c, type) and issubclass(c, ctypes.Structure) and c is not ctypes.Structure}
ENUMS = {n: c for n, c in vars(_abi).items() if isinstance(c, type) and n.startswith("trm_")
         and issubclass(c, _abi.enum.IntEnum)}


def include():
    return "".join(f'#include "{name}"\n' for name in HEADERS) + "#include <stdio.h>\n#include <stddef.h>\n"


def compiled(compiler, suffix, source, root, folder):
    """-> what the program prints, by name."""
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    path = folder / f"table{suffix}"
    path.write_text(source)
    subprocess.run([compiler, "-I", root / "include" / "trammel", path, "-o", folder / "table", "-L",
                    _library.path().rsplit("/", 1)[0], "-ltrammel"], check=True)
    env = {"LD_LIBRARY_PATH": _library.path().rsplit("/", 1)[0]}
    text = subprocess.run([folder / "table"], check=True, capture_output=True, text=True, env=env).stdout
    return dict(line.split("\t") for line in text.splitlines())


@pytest.fixture
def declared(root):
    """The headers without comments and directives but #define."""
    text = "".join((root / "include" / "trammel" / name).read_text() for name in HEADERS)
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def test_sizes_and_offsets_of_structs(root, tmp_path):
    lines, expected = [], {}
    for name, cls in STRUCTS.items():
        lines.append(f'printf("{name}\\t%zu\\n", sizeof({name}));')
        expected[name] = str(ctypes.sizeof(cls))
        for field, _ in cls._fields_:
            at = f"{name}.{field}"
            lines.append(f'printf("{at}\\t%zu+%zu\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
            expected[at] = f"{getattr(cls, field).offset}+{getattr(cls, field).size}"
    source = include() + "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n"
    assert compiled("cc", ".c", source, root, tmp_path) == expected
    assert len(STRUCTS) > 25


def test_values_of_enumerations(root, tmp_path):
    expected = {m.name: str(m.value) for enum in ENUMS.values() for m in enum}
    lines = [f'printf("{name}\\t%d\\n", (int){name});' for name in expected]
    source = include() + "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n"
    assert compiled("cc", ".c", source, root, tmp_path) == expected


def test_no_enumerator_is_missing(declared):
    names = {m.name for enum in ENUMS.values() for m in enum}
    macros = set(re.findall(r"#\s*(?:define|undef|ifndef|ifdef)\s+(\w+)", declared)) | {"TRM_VERSION"}
    lists = {name for name in re.findall(r"\bTRM_\w+", declared)} - macros
    assert lists == names


def test_no_struct_is_missing(declared):
    assert set(re.findall(r"\bstruct (\w+) *\{", declared)) == set(STRUCTS)


def test_every_function_that_the_library_shows(build):
    table = subprocess.run(["nm", "-D", "--defined-only", build / "libtrammel.so"], check=True,
                           capture_output=True, text=True).stdout
    shown = {line.split()[-1].split("@")[0] for line in table.splitlines()}
    assert shown == set(_abi.FUNCTIONS) | {"trm_fail"}  # takes any number of arguments: of C alone


KINDS = r"""
#include <type_traits>
template <class T> void kind() {
    if constexpr (std::is_void_v<T>) printf("void ");
    else if constexpr (std::is_pointer_v<T>) printf("p ");
    else if constexpr (std::is_floating_point_v<T>) printf("d%zu ", sizeof(T));
    else if constexpr (std::is_class_v<T>) printf("s%zu ", sizeof(T));
    else if constexpr (std::is_enum_v<T>) printf("i%zu ", sizeof(T));
    else printf("%s%zu ", std::is_signed_v<T> ? "i" : "u", sizeof(T));
}
template <class R, class... A> void tell(const char *name, R (*)(A...)) {
    printf("%s\t", name); kind<R>(); (kind<A>(), ...); printf("\n");
}
"""


def kind(c):
    """As the program prints it."""
    if c is None:
        return "void"
    if issubclass(c, (ctypes.c_void_p, ctypes.c_char_p, ctypes._Pointer, ctypes._CFuncPtr)):
        return "p"
    if issubclass(c, ctypes.Structure):
        return f"s{ctypes.sizeof(c)}"
    letter = "d" if c is ctypes.c_double else "u" if c in (ctypes.c_size_t, ctypes.c_uint, ctypes.c_uint64) else "i"
    return f"{letter}{ctypes.sizeof(c)}"


def test_prototypes(root, tmp_path):
    functions = {name: [result, *arguments] for name, (result, arguments) in _abi.FUNCTIONS.items()}
    callbacks = {name: [c._restype_, *c._argtypes_] for name, c in vars(_abi).items() if name.endswith("_fn")}
    tell = [f'tell("{name}", &{name});' for name in functions]
    tell += [f'tell("{name}", ({name} *)0);' for name in callbacks]
    source = include() + KINDS + "int main() {\n" + "\n".join(tell) + "\n}\n"
    found = compiled("c++", ".cpp", source, root, tmp_path)
    expected = {name: " ".join(map(kind, types)) for name, types in {**functions, **callbacks}.items()}
    assert {name: kinds.strip() for name, kinds in found.items()} == expected
    assert len(callbacks) >= 4


def test_what_is_not_understood_is_refused(root):
    import importlib.util
    spec = importlib.util.spec_from_file_location("bindings", root / "tools" / "python" / "bindings.py")
    bindings = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bindings)
    for text in ("typedef union u { int a; } u;", "typedef struct s { some_type x; } s;", "int f(__int128 x);",
                 "typedef struct s { int x : 3; } s;", "double x = 3;", "int f(int (*g)(int));"):
        with pytest.raises(bindings.NotUnderstood):
            bindings.Header().read(text)
