"""Scenes: what a file says, with parameters that can be set and parts that can be added."""
from __future__ import annotations

import ctypes
import dataclasses
import json
import os
import weakref
import zlib
from typing import Any, Mapping, Optional, Union

from . import _abi, callbacks
from ._library import lib
from .errors import SceneError, check, text
from .model import Model
from .motion import Marker, SimulationDefaults



@dataclasses.dataclass(frozen=True)
class Loss:
    """An element of an imported robot that the scene lacks."""
    element: str
    file: str
    line: int
    consequence: str
    moves: bool  #: the motion may differ for it


Value = Union[float, int, str]
Path = Union[str, "os.PathLike[str]"]


def expression(value: Value) -> bytes:
    """A number with all its digits, or an expression such as "7*pi/4"."""
    return value.encode() if isinstance(value, str) else format(float(value), ".17g").encode()


def _path(path: Optional[Path]) -> Optional[bytes]:
    return None if path is None else bytes(_abi.whole_text(os.fsencode(path)))


def _open(source: "_abi.trm_scene_source", scene_text: Optional[bytes]) -> int:
    handle, error = ctypes.c_void_p(), _abi.trm_error()
    check(lib.trm_scene_open(ctypes.byref(source), ctypes.byref(handle), ctypes.byref(error)), error,
          scene_text=scene_text)
    assert handle.value is not None
    return handle.value


class Scene:
    """An editable scene; holds no numerics. Made by Scene.load or Scene.parse.

    scene = trammel.Scene.load("four_bar.json")
    scene.set(l=2, v0="sqrt(2)")
    scene.add_force("wind", lambda model, t, q, v: ...)
    model = scene.build()
    """

    def __init__(self, handle: int, path: str, source: Optional[bytes], allowed: Optional[Path]) -> None:
        self._handle = handle
        self._source = source
        self._keep: list[Any] = []  # callbacks: the library borrows them
        self._models = callbacks.Models()
        self._revision = 0  # of what was set or added
        self._settings: dict[str, str] = {}  # parameters that were set
        self.path, self._allowed = path, os.path.abspath(allowed) if allowed is not None else None
        weakref.finalize(self, lib.trm_scene_destroy, handle)

    def __reduce__(self) -> Any:
        raise TypeError("a scene cannot be copied or pickled; load it again")

    @classmethod
    def load(cls, path: Path, allow_files: Optional[Path] = None, *, root: Optional[str] = None,
             start: Optional[str] = None, loops: Optional[Path] = None) -> "Scene":
        """Read a scene file, or a robot (.xml of MuJoCo, .urdf, .sdf) by way of the scene that it becomes. Tables
        lie in its folder, or in the folder `allow_files`. Of a robot: `root` "fixed" or "free", `start` a keyframe,
        `loops` a file with pairs of frames that close the loops of a URDF.
        Raises FileError, SceneSyntaxError, SceneError."""
        name = os.fspath(path)
        source = _abi.trm_scene_source(path=_path(name), allow_files=_path(allow_files),
                                       root=root.encode() if root else None, start=start.encode() if start else None, loops=_path(loops))
        scene = cls(_open(source, None), name, None, allow_files)
        if name.lower().endswith((".xml", ".mjcf", ".urdf", ".sdf")):
            scene._source = scene.text.encode()
        return scene

    @classmethod
    def parse(cls, source: Union[str, bytes], allow_files: Optional[Path] = None) -> "Scene":
        """Read a scene from a text; messages call it "scene". Its tables lie in the working directory, or in
        the folder `allow_files`. Raises SceneSyntaxError, SceneError."""
        data = source.encode() if isinstance(source, str) else bytes(source)
        of_text = _abi.trm_scene_source(json=data, length=len(data), allow_files=_path(allow_files))
        return cls(_open(of_text, data), "scene", data, allow_files)

    # ------------------------------------------------------------------------------ what it says

    @property
    def text(self) -> str:
        """What was read: of a robot the scene that was made of it, a file for `trammel run`."""
        return text(lib.trm_scene_get_info(self._handle).text)

    @property
    def losses(self) -> tuple[Loss, ...]:
        """What the file of a robot says and the scene does not."""
        found: list[Loss] = []
        while (one := lib.trm_scene_loss_info(self._handle, len(found))).element is not None:
            found.append(Loss(text(one.element), text(one.file), one.line, text(one.consequence), bool(one.moves)))
        return tuple(found)

    @property
    def title(self) -> str:
        """What the scene says that it is."""
        return text(lib.trm_scene_get_info(self._handle).title)

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return int(lib.trm_scene_get_info(self._handle).dimension)

    @property
    def simulation(self) -> SimulationDefaults:
        """What the scene says of its own run."""
        found = lib.trm_scene_simulation(self._handle)
        return SimulationDefaults(found.end, found.every, found.accuracy, bool(found.assemble))

    @property
    def parameters(self) -> dict[str, float]:
        """Values of the scene's parameters, with what was set."""
        found: dict[str, float] = {}
        while (one := lib.trm_scene_parameter_info(self._handle, len(found))).name is not None:
            found[text(one.name)] = one.value
        return found

    @property
    def markers(self) -> tuple[Marker, ...]:
        """Named points of bodies and of the ground."""
        found: list[Marker] = []
        while (one := lib.trm_scene_marker_info(self._handle, len(found))).name is not None:
            found.append(Marker(text(one.name), one.body, tuple(one.local)))
        return tuple(found)

    # -------------------------------------------------------------------------------- to change it

    def set(self, values: Optional[Mapping[str, Value]] = None, **more: Value) -> None:
        """Override parameters by numbers or constant expressions; all numbers of the scene that depend
        on them follow. Values that make sense only together may be given together, in any order. Raises
        SceneError (no such parameter, or the scene makes no sense with this value), SceneSyntaxError;
        the other values are then set."""
        waiting = {**(values or {}), **more}
        while waiting:
            refused: dict[str, SceneError] = {}
            for name, value in waiting.items():
                try:
                    self._set(name, value)
                except SceneError as problem:
                    refused[name] = problem
            if len(refused) == len(waiting):
                raise next(iter(refused.values()))
            waiting = {name: waiting[name] for name in refused}

    def _set(self, name: str, value: Value) -> None:
        error = _abi.trm_error()
        check(lib.trm_scene_set(self._handle, name.encode(), expression(value), ctypes.byref(error)), error,
              scene_text=self._source)
        self._settings[name] = expression(value).decode()
        self._revision += 1

    def add_force(self, name: str, function: callbacks.ForceFunction) -> None:
        """Add a generalized force, f += function(model, t, q, v).

        The function gets the model, t (s), copies of q[nq] and v[nv], and returns an array [nv] in N
        and N m. It must give equal results for equal arguments. It may raise OutsideDomain; any other
        exception ends the run and comes out of the call that stepped it.
        """
        callback = callbacks.force(self._models, f"user force '{name}'", function)
        definition = _abi.trm_force_def(name=_abi.whole_text(name), force=callback)
        error = _abi.trm_error()
        check(lib.trm_scene_add_force(self._handle, ctypes.byref(definition), ctypes.byref(error)), error)
        self._keep.append(callback)
        self._revision += 1

    def add_constraint(self, name: str, g: callbacks.PositionFunction, G: callbacks.PositionFunction,
                       *, rows: int = 1, g_t: Optional[callbacks.PositionFunction] = None,
                       gamma: Optional[callbacks.VelocityFunction] = None) -> None:
        """Add the holonomic constraint 0 = g(t, q) of `rows` equations.

        g(model, t, q) -> [rows], m or rad; G(model, t, q) -> [rows, nv], (dg/dq) N; g_t(model, t, q)
        -> [rows] when g depends on t; gamma(model, t, q, v) -> [rows] with 0 = G v' - gamma, or None:
        central differences along the motion. Exceptions: see add_force.
        """
        def column(_: Model) -> tuple[int, ...]:
            return (rows,)

        of, models = f"of user constraint '{name}'", self._models
        made = [
            callbacks.position(models, f"g {of}", g, column),
            callbacks.position(models, f"G {of}", G, lambda model: (rows, model.nv)),
            callbacks.optional(_abi.trm_position_fn,
                               g_t and callbacks.position(models, f"g_t {of}", g_t, column)),
            callbacks.optional(_abi.trm_velocity_fn,
                               gamma and callbacks.velocity(models, f"gamma {of}", gamma, column)),
        ]
        definition = _abi.trm_constraint_def(
            name=_abi.whole_text(name), rows=rows, g=made[0], G=made[1], g_t=made[2], gamma=made[3])
        error = _abi.trm_error()
        check(lib.trm_scene_add_constraint(self._handle, ctypes.byref(definition), ctypes.byref(error)),
              error)
        self._keep += made
        self._revision += 1

    def build(self) -> Model:
        """Compile the scene as it is now; the model does not follow later changes."""
        handle, error = ctypes.c_void_p(), _abi.trm_error()
        check(lib.trm_model_build(self._handle, ctypes.byref(handle), ctypes.byref(error)), error,
              scene_text=self._source)
        assert handle.value is not None
        model = Model(handle.value, self, self._models, bool(self._keep), self.markers)
        model._describe(self.title, self.path, self.dimension, self.parameters, self.simulation)
        place = os.path.abspath(self.path)
        folder = os.path.dirname(place)
        model._origin = (folder if self._source is not None else self.path, self._source, dict(self._settings), self._allowed)
        tables = json.loads(self.text.lstrip("\ufeff")).get("tables", {}).values()
        files = [os.path.join(folder, one["file"]) for one in tables if "file" in one]
        model._reads = (*files, *([place] if self.path != "scene" else []))
        return model

    @staticmethod
    def checksum(path: str) -> int:
        """Of a file, for a model that is pickled."""
        with open(path, "rb") as file:
            return zlib.crc32(file.read())

    @staticmethod
    def again(path: str, source: Optional[bytes], settings: Mapping[str, Value], allowed: Optional[str], checksum: Optional[int]) -> Model:
        """The model of the same scene. Raises SceneError where its file has another checksum."""
        if source is None and checksum is not None and checksum != Scene.checksum(path):
            raise SceneError("the file has changed since the model was pickled", where=path)
        scene = Scene.load(path, allowed) if source is None else Scene.parse(source, allowed)
        scene.set(settings)
        return scene.build()


def load(path: Path, set: Optional[Mapping[str, Value]] = None, *, allow_files: Optional[Path] = None,
         root: Optional[str] = None, start: Optional[str] = None, loops: Optional[Path] = None) -> Model:
    """The model of a scene file, with parameters overridden: load("four_bar.json", set={"l": 2}).

    allow_files is a folder in which its tables may lie beside its own folder. Raises FileError,
    SceneSyntaxError, SceneError. For forces and constraints of your own, and for robots of other
    programs, see Scene.
    """
    scene = Scene.load(path, allow_files, root=root, start=start, loops=loops)
    scene.set(set)
    return scene.build()


def parse(source: Union[str, bytes], set: Optional[Mapping[str, Value]] = None, *,
          allow_files: Optional[Path] = None) -> Model:
    """The model of a scene given as a text; otherwise as load."""
    scene = Scene.parse(source, allow_files)
    scene.set(set)
    return scene.build()
