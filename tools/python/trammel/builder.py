"""A scene built by calls: the keys of FORMAT.md as keyword arguments, names checked when they are used.

    scene = trammel.Builder(2, gravity=(0, -9.81))
    bar = scene.body("bar", ends=((0, 0), (1, 0)), mass=2)
    scene.joint("O", "revolute", scene.ground, bar, at=(0, 0))
    model = scene.build()
"""
from __future__ import annotations

import json
from typing import Any, Literal, Mapping, Optional, Sequence, Union

from .errors import SceneError, unknown
from .model import Model
from .scene import Scene

Number = Union[float, int, str]  # a number, or an expression such as "7*pi/4"
Vector = Sequence[Number]
Shape = Mapping[str, Any]

JointType = Literal["revolute", "prismatic", "weld", "rod", "pin_in_slot", "spherical", "universal", "cylindrical",
                    "planar", "point_on_line", "point_on_plane"]


class Builder:
    """An editable description in Python; scene() and build() hand it to the library, which checks it.

    Methods add an element and return its name. An element may name others only after they were added, so that
    a typing error is reported at its line. Keys that are None are left to their default.
    """

    ground = "ground"

    def __init__(self, dimension: Literal[2, 3], *, title: Optional[str] = None, gravity: Optional[Vector] = None,
                 end: Optional[float] = None, every: Optional[float] = None, accuracy: Optional[float] = None) -> None:
        self._scene: dict[str, Any] = _given(title=title, dimension=dimension, gravity=gravity)
        self._scene["bodies"] = []
        self._points = {"ground"}  # bodies and markers
        self._elements: set[str] = set()  # joints, constraints, forces, events
        self._bodies = {"ground"}
        simulation = _given(end=end, every=every, accuracy=accuracy)
        if simulation:
            self._scene["simulation"] = simulation

    # ---------------------------------------------------------------------------------- elements

    def parameter(self, name: str, value: Number, *, input: bool = False, smooth: Optional[Number] = None) -> str:
        """A named number for expressions; with `input` a program sets it while a run goes on."""
        whole = {"value": value, "input": True, **_given(smooth=smooth)} if input else value
        self._scene.setdefault("parameters", {})[name] = whole
        return name

    def table(self, name: str, points: Sequence[Sequence[Number]], *, interpolation: Optional[str] = None,
              outside: Optional[str] = None) -> str:
        """A function through points, table(name, x) in formulas."""
        self._scene.setdefault("tables", {})[name] = _given(points=points, interpolation=interpolation, outside=outside)
        return name

    def definition(self, name: str, formula: Union[Number, Vector]) -> str:
        """A named sub-expression for formulas."""
        self._scene.setdefault("definitions", {})[name] = formula
        return name

    def body(self, name: str, *, mass: Optional[Number] = None, density: Optional[Number] = None,
             ends: Optional[Sequence[Vector]] = None, position: Optional[Vector] = None,
             angle: Optional[Number] = None, quat_wxyz: Optional[Vector] = None, rpy: Optional[Vector] = None,
             shape: Optional[Shape] = None, inertia: Optional[Any] = None, velocity: Optional[Vector] = None,
             rate: Optional[Union[Number, Vector]] = None, rate_world: Optional[Vector] = None) -> str:
        """A moving body; m, kg, rad, its frame in the centre of mass."""
        self._new(name, self._points)
        self._bodies.add(name)
        return self._add("bodies", name=name, mass=mass, density=density, ends=ends, position=position, angle=angle,
                         quat_wxyz=quat_wxyz, rpy=rpy, shape=shape, inertia=inertia, velocity=velocity, rate=rate,
                         rate_world=rate_world)

    def marker(self, name: str, body: str, *, at: Optional[Vector] = None, on: Optional[Vector] = None) -> str:
        """A named point of a body, `at` a place of the world in the initial pose or `on` one of the body's frame."""
        self._new(name, self._points)
        return self._add("markers", name=name, body=self._known("body", body, self._bodies), at=at, on=on)

    def joint(self, name: str, type: Union[JointType, str], a: str, b: str, *,
              at: Optional[Union[Vector, Sequence[Vector]]] = None, on: Optional[Mapping[str, Vector]] = None,
              axis: Optional[Vector] = None, axis2: Optional[Vector] = None, length: Optional[Number] = None,
              motor: Optional[Number] = None, **more: Any) -> str:
        """A joint of bodies a and b; `more` are further keys of its type in FORMAT.md."""
        self._new(name, self._elements)
        pair = [self._known("body", one, self._bodies) for one in (a, b)]
        return self._add("joints", name=name, type=type, bodies=pair, at=at, on=on, axis=axis, axis2=axis2,
                         length=length, motor=motor, **more)

    def constraint(self, name: str, expression: Number, **more: Any) -> str:
        """An expression held at zero."""
        self._new(name, self._elements)
        return self._add("constraints", name=name, expression=expression, **more)

    def force(self, name: str, type: str, **keys: Any) -> str:
        """A force of a type of FORMAT.md: force("s", "spring_damper", markers=("a", "b"), stiffness=100)."""
        self._new(name, self._elements)
        for key, known in (("joint", self._elements), ("marker", self._points), ("body", self._bodies)):
            if key in keys:
                self._known(key, keys[key], known)
        for one in keys.get("markers", ()):
            self._known("marker", one, self._points)
        return self._add("forces", name=name, type=type, **keys)

    def event(self, name: str, when: str, **keys: Any) -> str:
        """A condition that a run watches."""
        self._new(name, self._elements)
        return self._add("events", name=name, when=when, **keys)

    # ------------------------------------------------------------------------------------ outcome

    def json(self) -> str:
        """The scene file, to be kept or to be run by `trammel`."""
        return json.dumps(self._scene, indent=2, ensure_ascii=False)

    def scene(self) -> Scene:
        """Raises SceneSyntaxError, SceneError."""
        return Scene.parse(self.json())

    def build(self) -> Model:
        """Raises SceneSyntaxError, SceneError."""
        return self.scene().build()

    # ---------------------------------------------------------------------------------------- parts

    def _add(self, group: str, **keys: Any) -> str:
        self._scene.setdefault(group, []).append(_given(**keys))
        return str(keys["name"])

    @staticmethod
    def _new(name: str, names: set[str]) -> None:
        if name in names:
            raise SceneError(f"there is already an element with the name {name!r}", where=name)
        names.add(name)

    @staticmethod
    def _known(what: str, name: str, names: set[str]) -> str:
        if name not in names:
            raise unknown(what, name, sorted(names))
        return name


def _given(**keys: Any) -> dict[str, Any]:
    """What is not None; NumPy's arrays and numbers as JSON has them."""
    return {key: _plain(value) for key, value in keys.items() if value is not None}


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value
