"""A scene built by calls: the keys of scene_format.md as keyword arguments, names checked when they are used.

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
              motor: Optional[Number] = None, limits: Optional[Sequence[Optional[Number]]] = None,
              restitution: Optional[Number] = None, friction: Optional[Union[Number, Mapping[str, Any]]] = None,
              armature: Optional[Number] = None, **more: Any) -> str:
        """A joint of bodies a and b; limits in rad or m, None where there is none; `more`: further keys of scene_format.md."""
        self._new(name, self._elements)
        pair = [self._known("body", one, self._bodies) for one in (a, b)]
        return self._add("joints", name=name, type=type, bodies=pair, at=at, on=on, axis=axis, axis2=axis2,
                         length=length, motor=motor, limits=limits, restitution=restitution, friction=friction,
                         armature=armature, **more)

    def constraint(self, name: str, expression: Optional[Number] = None, **more: Any) -> str:
        """An expression held at zero, or a type of scene_format.md: constraint("g", "gear", joints=("A", "B"), ratio=2)."""
        self._new(name, self._elements)
        self._known_keys(more)
        key = "type" if more.keys() - {"repeat"} and "type" not in more else "expression"
        return self._add("constraints", name=name, **{key: expression}, **more)

    def gear(self, name: str, first: str, second: str, *, radii: Optional[Sequence[Number]] = None,
             ratio: Optional[Number] = None, mesh: Optional[Literal["external", "internal", "bevel"]] = None) -> str:
        """Two gears by their revolute joints; radii in m, both joints on the carrier, or a ratio of the angles."""
        return self.constraint(name, type="gear", joints=(first, second), radii=radii, ratio=ratio, mesh=mesh)

    def rack_and_pinion(self, name: str, pinion: str, rack: str, radius: Number) -> str:
        """A revolute joint that moves a prismatic one by radius (m) times its angle."""
        return self.constraint(name, type="rack_and_pinion", joints=(pinion, rack), radius=radius)

    def screw(self, name: str, turning: str, sliding: str, lead: Number, *, friction: Optional[Number] = None,
              radius: Optional[Number] = None) -> str:
        """A revolute joint that moves a prismatic one by `lead` (m) a turn; friction at the thread's mean radius (m)."""
        return self.constraint(name, type="screw", joints=(turning, sliding), lead=lead, friction=friction,
                               radius=radius)

    def belt(self, name: str, first: str, second: str, radii: Sequence[Number], *,
             crossed: Optional[bool] = None) -> str:
        """Two pulleys of radii (m), their revolute joints on one body."""
        return self.constraint(name, type="belt", joints=(first, second), radii=radii, crossed=crossed)

    def coupling(self, name: str, joints: Sequence[str], *, coefficients: Optional[Sequence[Number]] = None,
                 constant: Optional[Number] = None, polynomial: Optional[Sequence[Number]] = None) -> str:
        """A linear or polynomial relation between the coordinates of joints."""
        return self.constraint(name, type="coupling", joints=joints, coefficients=coefficients, constant=constant,
                               polynomial=polynomial)

    def cam(self, name: str, profile: Number, *, follower: Optional[str] = None, marker: Optional[str] = None,
            direction: Optional[Vector] = None) -> str:
        """The coordinate of a joint, or the place of a marker along a direction, as a formula (m or rad)."""
        return self.constraint(name, type="cam", profile=profile, follower=follower, marker=marker,
                               direction=direction)

    def curve(self, name: str, point: str, origin: str, *, formulas: Optional[Vector] = None,
              range: Optional[Vector] = None, points: Optional[Sequence[Vector]] = None,
              closed: Optional[bool] = None, parameter: Optional[str] = None) -> str:
        """Marker `point` stays on a curve (m) about marker `origin`, by formulas of s over a range, or by points."""
        return self.constraint(name, type="curve", markers=(point, origin), formulas=formulas, range=range,
                               points=points, closed=closed, parameter=parameter)

    def rolling(self, name: str, centre: str, plane: str, normal: Vector, *, radius: Optional[Number] = None,
                shape: Optional[Literal["disc", "ball", "ellipsoid"]] = None, axis: Optional[Vector] = None,
                semi_axes: Optional[Vector] = None) -> str:
        """A disc, ball or ellipsoid that rolls on the plane through a marker."""
        return self.constraint(name, type="rolling", markers=(centre, plane), normal=normal, radius=radius,
                               shape=shape, axis=axis, semi_axes=semi_axes)

    def rolling_pair(self, name: str, centre: str, other: str, radii: Sequence[Number]) -> str:
        """Balls or discs (m) that roll on each other; the second radius negative: the first rolls inside."""
        return self.constraint(name, type="rolling_pair", markers=(centre, other), radii=radii)

    def knife_edge(self, name: str, marker: str, normal: Vector) -> str:
        """A blade: its point does not move across."""
        return self.constraint(name, type="knife_edge", marker=marker, normal=normal)

    def velocity(self, name: str, expression: str) -> str:
        """An expression linear in velocities, held at zero."""
        return self.constraint(name, expression, type="velocity")

    def stop(self, name: str, **keys: Any) -> str:
        """A point against a line or plane, or a formula within limits, by the keys of stops in scene_format.md."""
        self._new(name, self._elements)
        self._known_keys(keys)
        return self._add("stops", name=name, **keys)

    def contact(self, name: str, first: str, second: str, **keys: Any) -> str:
        """Bodies, or "ground", whose shapes touch, by the keys of contacts in scene_format.md."""
        self._new(name, self._elements)
        for body in (first, second):
            if body != "ground":
                self._known("body", body, self._bodies)
        return self._add("contacts", name=name, bodies=(first, second), **keys)

    def force(self, name: str, type: str, **keys: Any) -> str:
        """A force of a type of scene_format.md: force("s", "spring_damper", markers=("a", "b"), stiffness=100)."""
        self._new(name, self._elements)
        self._known_keys(keys)
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
        (self._points if group in ("bodies", "markers") else self._elements).add(keys["name"])
        return str(keys["name"])

    def _known_keys(self, keys: Mapping[str, Any]) -> None:
        """What the keys name was added before."""
        for key, known in (("joint", self._elements), ("follower", self._elements), ("marker", self._points),
                           ("body", self._bodies)):
            if keys.get(key) is not None:
                self._known(key.replace("follower", "joint"), keys[key], known)
        for key, known in (("markers", self._points), ("joints", self._elements)):
            for one in keys.get(key) or ():
                self._known(key[:-1], one, known)

    @staticmethod
    def _new(name: str, names: set[str]) -> None:
        if name in names:
            raise SceneError(f"there is already an element with the name {name!r}", where=name)

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
