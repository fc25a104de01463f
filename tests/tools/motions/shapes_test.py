#!/usr/bin/env python3
"""Bodies whose shapes touch, slip, roll and let go, against closed forms and integrations of their own.

usage: shapes_test.py TRAMMEL. Prints TAP.
"""
import json
import math
import subprocess
import sys

import tap
from recorded import FOLDER, TRAMMEL, last_of_good, started
from tap import case

G, R = 9.81, 0.1


def ended(scene, *options):
    return last_of_good(scene, ("energy", "forces", "branch"), *options)


def scene_of(dimension, bodies, contacts, end, **more):
    gravity = [0] * (dimension - 1) + [-G]
    return {"dimension": dimension, "gravity": gravity, "bodies": bodies, "contacts": contacts,
            "simulation": {"end": end, "every": end}, **more}


def body(name, position, kind, **more):
    shape = {"type": kind, "radius": R} if kind in ("sphere", "disc") else {"type": kind}
    return {"name": name, "position": position, "mass": 2, "shape": shape, **more}


def near(found, right, within, what):
    assert abs(found - right) <= within, f"{what}: {found!r}, right is {right!r}"


# ------------------------------------------------------------------------------------ slip, roll


@case
def a_struck_ball_slips_and_then_rolls():
    """A ball with any spin: its slip keeps its direction, 2/7 of it is lost, in 2 |u|/(7 mu g)"""
    for v, w in (((2, 0.3), (5, -30, 7)), ((3, 0), (0, 0, 0)), ((1, 0), (0, 60, 0)), ((0, 1), (20, 0, -9))):
        mu, end = 0.2, 2.5
        u = (v[0] - R * w[1], v[1] + R * w[0])  # v + omega x (-R e_z)
        slip = math.hypot(*u)
        rolls = 2 * slip / (7 * mu * G)
        assert rolls < end
        last = ended(scene_of(3, [body("b", [0, 0, R], "sphere", velocity=[*v, 0], rate_world=list(w))],
                              [{"name": "cloth", "bodies": ["b", "ground"], "friction": mu}], end))
        for axis, name in enumerate("xy"):
            final = v[axis] - 2 / 7 * u[axis]
            place = v[axis] * rolls - mu * G * rolls ** 2 / 2 * u[axis] / slip + final * (end - rolls)
            near(last[f"b.v{name}"], final, 1e-8, f"velocity of {v} {w}")
            near(last[f"b.{name}"], place, 1e-7, f"place of {v} {w}")


@case
def draw_and_follow_behind_a_stroke_on_a_second_ball():
    """The cue ball slides to the other one, hands on its speed, keeps its spin, and rolls at 2/7 of that: on, back, or stops"""
    mu, far, end = 0.2, 0.2, 3.0
    for v, w in ((2.0, 30.0), (2.0, -50.0), (1.5, 15.0)):  # spin about y, v/R rolls
        u = v - R * w
        time = far / v if u == 0 else (v - math.copysign(math.sqrt(v * v - 2 * mu * G * far * math.copysign(1, u)), 1)) / (mu * G * math.copysign(1, u))
        rolls = 2 * abs(u) / (7 * mu * G)
        assert u == 0 or time < rolls, "it slides when it strikes"
        speed = v - math.copysign(mu * G * time, u) * (u != 0)
        spin = w + math.copysign(2.5 * mu * G * time / R, u) * (u != 0)
        last = ended(scene_of(3, [body("cue", [0, 0, R], "sphere", velocity=[v, 0, 0], rate_world=[0, w, 0]),
                                  body("b", [far + 2 * R, 0, R], "sphere")],
                              [{"name": "cloth", "bodies": ["cue", "ground"], "friction": mu}, {"name": "cloth2", "bodies": ["b", "ground"], "friction": mu},
                               {"name": "stroke", "bodies": ["cue", "b"], "restitution": 1}], end))
        for name, place, start, slip in (("cue", far, 0.0, -R * spin), ("b", far + 2 * R, speed, speed)):
            final, sliding = start - 2 / 7 * slip, 2 * abs(slip) / (7 * mu * G)
            place += start * sliding - math.copysign(mu * G * sliding ** 2 / 2, slip) + final * (end - time - sliding)
            near(last[f"{name}.vx"], final, 1e-8, ("speed of", name, v, w))
            near(last[f"{name}.x"], place, 1e-7, ("place of", name, v, w))


@case
def a_ball_in_a_cycloid_takes_the_same_time_from_everywhere():
    """Its centre on x = a (p + sin p), y = a (1 - cos p): s = 4 a sin(p/2) swings with w^2 = 5 g/(28 a), as brachistochrones do"""
    a, n = 0.5, 1500
    angles = [-2.4 + 4.8 * i / n for i in range(n + 1)]
    points = [[a * (p + math.sin(p)) + R * math.sin(p / 2), a * (1 - math.cos(p)) - R * math.cos(p / 2)] for p in angles]
    w = math.sqrt(5 * G / (28 * a))
    for start in (-0.4, -1.9):
        place = lambda p: [a * (p + math.sin(p)), 0, a * (1 - math.cos(p))]
        for t in (math.pi / (2 * w), 2.0):
            last = ended(scene_of(3, [body("b", place(start), "sphere")],
                                  [{"name": "bowl", "bodies": ["b", "ground"], "friction": 3, "shapes": [None, {"type": "terrain", "height": "table(cycloid, x)"}]}],
                                  t, tables={"cycloid": {"points": points, "interpolation": "cubic"}}))
            right = place(2 * math.asin(math.sin(start / 2) * math.cos(w * t)))
            near(last["b.x"], right[0], 1e-8, ("x", start, t))
            near(last["b.z"], right[2], 1e-8, ("z", start, t))


@case
def a_disc_rolls_on_a_slope_up_to_three_times_mu():
    """A disc on a slope of tan(a) = 3 mu -+ 1e-5: it rolls below, and slips above"""
    for off in (-1e-5, 1e-5):
        mu, angle = 0.3, math.atan(0.9) + off
        normal = [-math.sin(angle), math.cos(angle)]
        last = ended(scene_of(2, [body("b", [R * n for n in normal], "disc")],
                              [{"name": "slope", "bodies": ["b", "ground"], "friction": mu,
                                "shapes": [None, {"type": "plane", "normal": normal}]}], 1))
        right = 2 / 3 * G * math.sin(angle) / R if off < 0 else 2 * mu * G * math.cos(angle) / R
        near(last["b.rate"], right, 1e-9 * right, f"rate at {off}")
        near(last["slope.gap"], 0, 1e-12, "its gap")


@case
def a_driven_wheel_rolls_up_to_its_grip_and_spins_beyond():
    """Torque T on a disc: T/(1.5 m R) up to 3/2 mu m g R of torque, mu g beyond, and (T - mu m g R)/I of spin"""
    mu, m, end = 0.4, 2, 0.5
    grip = 1.5 * mu * m * G * R
    for torque in (0.999 * grip, 1.001 * grip, 3 * grip):
        last = ended(scene_of(2, [body("b", [0, R], "disc")], [{"name": "road", "bodies": ["b", "ground"], "friction": mu}], end,
                              forces=[{"name": "T", "type": "torque", "body": "b", "value": -torque}]))
        a = torque / (1.5 * m * R) if torque < grip else mu * G
        turn = -a / R if torque < grip else -(torque - mu * m * G * R) / (m * R * R / 2)
        near(last["b.vx"], a * end, 1e-8, ("way", torque / grip))
        near(last["b.rate"], turn * end, 1e-7, ("turn", torque / grip))


@case
def a_ladder_leaves_the_wall_at_two_thirds_of_its_height():
    """A rod slides down a smooth wall: the wall's force ends where its top is at 2/3 of where it was let go, and vx stays from there"""
    length, start, n = 1.0, 1.2, 2000  # angle to the floor; intervals of Simpson's rule
    leaves = math.asin(2 / 3 * math.sin(start))
    rate = lambda angle: math.sqrt(3 * G / length * (math.sin(start) - math.sin(angle)))
    # angle = start - u^2 takes the root away that the integrand has where it is let go
    each = lambda u: 2 * u / rate(start - u * u) if u > 0 else 2 / math.sqrt(3 * G / length * math.cos(start))
    most = math.sqrt(start - leaves)
    time = sum((1 if i in (0, n) else 4 if i % 2 else 2) * each(i * most / n) for i in range(n + 1)) * most / (3 * n)
    along = length / 2 * rate(leaves) * math.sin(leaves)
    scene = {"dimension": 2, "gravity": [0, -G], "simulation": {"end": time, "every": time},
             "bodies": [{"name": "rod", "mass": 1, "inertia": length ** 2 / 12, "angle": -start,
                         "position": [length / 2 * math.cos(start), length / 2 * math.sin(start)]}],
             "markers": [{"name": "o", "body": "ground", "at": [0, 0]}, {"name": "top", "body": "rod", "on": [-length / 2, 0]},
                         {"name": "foot", "body": "rod", "on": [length / 2, 0]}],
             "stops": [{"name": "floor", "marker": "foot", "on": "o", "normal": [0, 1]},
                       {"name": "wall", "marker": "top", "on": "o", "normal": [1, 0]}]}
    last = ended(scene)
    near(-last["rod.angle"], leaves, 1e-8, "angle")
    near(last["wall.contact_force"], 0, 1e-6, "the wall")
    for part in (0.9, 1.05):
        last = ended(scene, "--end", repr(part * time), "--every", repr(part * time))
        assert (last["wall.contact_force"] > 0.1) == (part < 1), (part, last["wall.contact_force"])
    near(last["rod.vx"], along, 1e-8, "along the floor")


@case
def a_block_slides_off_a_wedge_that_moves():
    """A smooth block on a smooth wedge on a smooth floor: x'' = m g s c/(M + m s^2) of the wedge"""
    angle, m, M, end = 0.5, 1.0, 3.0, 0.3
    s, c = math.sin(angle), math.cos(angle)
    scene = scene_of(2, [{"name": "wedge", "mass": M, "inertia": 1, "position": [0, 0]},
                         {"name": "b", "position": [R * s, R * c], "mass": m, "shape": {"type": "disc", "radius": R}, "angle": 0}],
                     [{"name": "face", "bodies": ["b", "wedge"], "shapes": [None, {"type": "plane", "normal": [s, c]}]}], end,
                     joints=[{"name": "floor", "type": "prismatic", "bodies": ["ground", "wedge"], "at": [0, 0], "axis": [1, 0]}])
    last = ended(scene)
    wedge = -m * G * s * c / (M + m * s * s)
    near(last["wedge.vx"], wedge * end, 1e-9, "wedge")
    near(last["b.vx"], -M / m * wedge * end, 1e-9, "block along")
    near(last["b.vy"], -s / c * (last["b.vx"] - last["wedge.vx"]), 1e-9, "block down")


@case
def a_ball_that_rolls_in_a_tube_comes_up_again():
    """A ball that rolls inside an upright tube: z'' = -5/7 g - 2/7 W^2 z, W its turns round the axis"""
    out, turns, end = 0.9, 6.0, 3
    last = ended(scene_of(3, [body("b", [out, 0, 0], "sphere", velocity=[0, out * turns, 0], rate_world=[0, 0, -out * turns / R])],
                          [{"name": "wall", "bodies": ["b", "ground"], "friction": 50,
                            "shapes": [None, {"type": "tube", "radius": 1, "axis": [0, 0, 1]}]}], end), "--accuracy", "1e-8")
    slow = math.sqrt(2 / 7) * turns
    near(last["b.z"], -5 / 7 * G / slow ** 2 * (1 - math.cos(slow * end)), 1e-8, "height")
    near(last["b.x"], out * math.cos(turns * end), 1e-8, "x")


def rolled(place, slope, curve, s, end, steps=4000):
    """s at the end of a disc that rolls along the curve of its centre, place(s), from rest; by Runge and Kutta: (3/4) v^2 + g y."""
    def rate(x, w):
        c = math.hypot(*slope(x))
        along = sum(a * b for a, b in zip(slope(x), curve(x))) / c
        return w, (-G * slope(x)[1] / 1.5 - c * along * w * w) / c ** 2
    h, w = end / steps, 0.0
    for _ in range(steps):
        a = rate(s, w)
        b = rate(s + h / 2 * a[0], w + h / 2 * a[1])
        c = rate(s + h / 2 * b[0], w + h / 2 * b[1])
        d = rate(s + h * c[0], w + h * c[1])
        s += h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
        w += h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
    return place(s)


@case
def a_disc_rolls_over_hills():
    """A disc on ground of the height 0.3 cos(2 x): its centre on the parallel curve, by an integration of one freedom"""
    def place(s):
        f = -0.6 * math.sin(2 * s)
        return s - R * f / math.hypot(1, f), 0.3 * math.cos(2 * s) + R / math.hypot(1, f)

    def slope(s, h=1e-3):
        return tuple((8 * (b - a) - (d - c)) / (12 * h) for a, b, c, d in
                     zip(place(s - h), place(s + h), place(s - 2 * h), place(s + 2 * h)))

    def curve(s, h=1e-3):
        return tuple((b - a) / (2 * h) for a, b in zip(slope(s - h), slope(s + h)))
    start, end = 0.3, 1.2
    right = rolled(place, slope, curve, start, end)
    last = ended(scene_of(2, [body("b", list(place(start)), "disc")],
                          [{"name": "hills", "bodies": ["b", "ground"], "friction": 50,
                            "shapes": [None, {"type": "terrain", "height": "0.3*cos(2*x)"}]}], end), "--accuracy", "1e-8")
    near(last["b.x"], right[0], 1e-6, "x")
    near(last["b.y"], right[1], 1e-6, "y")


@case
def ground_with_a_kink_is_two_sides():
    """A disc rolls through a valley and keeps (1 + 2 cos 2a)/3 of its speed, and over a ridge about its edge"""
    def on(height, place, end, **more):
        return ended(scene_of(2, [body("b", place, "disc", **more)],
                              [{"name": "c", "bodies": ["b", "ground"], "friction": 0.4, "shapes": [None, {"type": "terrain", "height": height}]}], end))

    tilt, end = 0.2, 2.0
    sin, cos, a = math.sin(tilt), math.cos(tilt), 2 / 3 * G * math.sin(tilt)
    for height in (f"{math.tan(tilt)!r}*abs(x)", f"max({math.tan(tilt)!r}*x, -{math.tan(tilt)!r}*x)"):
        last = on(height, [-cos + R * sin, sin + R * cos], end)
        way = 1 - R * math.tan(tilt)  # of the centre, until it touches both sides
        time = math.sqrt(2 * way / a)
        keeps = a * time * (1 + 2 * math.cos(2 * tilt)) / 3
        rest = end - time
        assert keeps > a * rest > 0
        along = keeps * rest - a * rest ** 2 / 2
        near(last["b.vx"], (keeps - a * rest) * cos, 1e-9, "speed behind the valley")
        near(last["b.x"], along * cos, 1e-9, "place behind the valley")
        near(last["b.y"], R / cos + along * sin, 1e-9, "height behind the valley")
    v, far, n = 0.5, 0.3, 2000
    at = lambda angle: math.sqrt(v * v + 4 / 3 * G * R * (1 - math.cos(angle)))
    pivots = sum((1 if i in (0, n) else 4 if i % 2 else 2) / at(i * tilt / n) for i in range(n + 1)) * R * tilt / (3 * n)
    rest, v1 = end - far / v - pivots, at(tilt)
    along = v1 * rest + a * rest ** 2 / 2
    last = on(f"-{math.tan(tilt)!r}*max(0, x)", [-far, R], end, velocity=[v, 0], rate=-v / R)
    near(last["b.x"], R * sin + along * cos, 1e-7, "place behind the ridge")
    near(last["b.y"], R * cos - along * sin, 1e-7, "height behind the ridge")


@case
def rims_and_ellipsoids_roll_as_the_constraint_says():
    """Rolling contacts of great friction move as `rolling`, whose equations are formulas of their own"""
    tilted = {"rpy": [0.4, 0.2, 0.1], "velocity": [0, 0, 0], "inertia": [0.02, 0.03, 0.05]}
    for kind, shape, own in (("disc", {"type": "disc", "radius": 0.3, "thickness": 0}, {"radius": 0.3, "axis": None}),
                             ("ellipsoid", {"type": "ellipsoid", "semi_axes": [0.3, 0.2, 0.25]}, {"semi_axes": [0.3, 0.2, 0.25]})):
        axis = turned(tilted["rpy"], [0, 0, 1])
        reach = 0.3 * math.sqrt(1 - axis[2] ** 2) if kind == "disc" else \
            math.sqrt(sum((a * turned(tilted["rpy"], e)[2]) ** 2 for a, e in zip(own["semi_axes"], ([1, 0, 0], [0, 1, 0], [0, 0, 1]))))
        bodies = [{"name": "b", "mass": 2, "position": [0, 0, reach], **tilted}]
        touching = scene_of(3, bodies, [{"name": "c", "bodies": ["b", "ground"], "friction": 50, "shapes": [shape, None]}], 0.4)
        rolling = scene_of(3, bodies, [], 0.4, markers=[{"name": "o", "body": "ground", "at": [0, 0, 0]}, {"name": "m", "body": "b", "at": [0, 0, reach]}],
                           constraints=[{"name": "c", "type": "rolling", "markers": ["m", "o"], "normal": [0, 0, 1], "shape": kind, **own}])
        if kind == "disc":
            rolling["constraints"][0]["axis"] = axis
        del rolling["contacts"]
        found, right = (ended(one, "--accuracy", "1e-8") for one in (touching, rolling))
        for name in ("b.x", "b.y", "b.z", "b.wx", "b.wy", "b.wz"):
            near(found[name], right[name], 1e-6, f"{kind} {name}")


def turned(rpy, a):
    """Rz(yaw) Ry(pitch) Rx(roll) a"""
    x, y, z = a
    for angle, axis in zip(rpy, range(3)):
        c, s = math.cos(angle), math.sin(angle)
        if axis == 0:
            y, z = c * y - s * z, s * y + c * z
        elif axis == 1:
            x, z = c * x + s * z, c * z - s * x
        else:
            x, y = c * x - s * y, s * x + c * y
    return [x, y, z]


# ------------------------------------------------------------------------------------- flat faces


def standing(half, r=R, mu=0.3, slope=0.0, turned_by=0.0, contact=None, end=1.0, **more):
    """A cylinder on its face, on a plane whose slope falls towards the azimuth turned_by"""
    along = (math.cos(turned_by), math.sin(turned_by))
    one = {"name": "b", "position": [0, 0, half], "mass": 2, "shape": {"type": "cylinder", "radius": r, "length": 2 * half, "axis": "z"}}
    scene = scene_of(3, [dict(one, **more.pop("body", {}))],
                     [{"name": "c", "bodies": ["b", "ground"], "friction": mu, "shapes": [None, {"type": "plane", "normal": [0, 0, 1]}], **(contact or {})}],
                     end, **more)
    scene["gravity"] = [G * math.sin(slope) * along[0], G * math.sin(slope) * along[1], -G * math.cos(slope)]
    return scene


@case
def a_puck_slides_and_spins_to_rest():
    """A cylinder, and a disc without thickness, on a face: v^2/(2 mu g); spin alone by 2/3 mu N r"""
    mu, v, w, turned_by = 0.3, 1.2, 20.0, 0.7
    along = (math.cos(turned_by), math.sin(turned_by))
    for length in (0.02, 0.1, 0):
        shape = {"type": "disc", "radius": R, "thickness": 0} if length == 0 else None
        more = {"inertia": [0.005, 0.005, 0.01], "shape": None} if length == 0 else {}
        for spin, fast in ((0, v), (w, 0)):
            scene = standing(length / 2, mu=mu, body=dict(more, velocity=[fast * c for c in along] + [0], rate_world=[0, 0, spin]))
            if length == 0:
                del scene["bodies"][0]["shape"]
                scene["contacts"][0]["shapes"][0] = shape
            last = ended(scene)
            way = fast ** 2 / (2 * mu * G)
            turn = spin ** 2 / (2 * 4 / 3 * mu * G / R)  # I = m r^2/2
            near(last["b.x"], way * along[0], 1e-9, "x")
            near(last["b.y"], way * along[1], 1e-9, "y")
            near(last["b.z"], length / 2, 1e-12, "height")
            near(abs(last["b.qz"] * math.cos(turn / 2) - last["b.qw"] * math.sin(turn / 2)), 0, 1e-8, "turn")


@case
def a_face_that_is_guided_spins_to_rest():
    """A cylinder on a joint along its axis: the joint keeps it level, its face takes 2/3 mu N r; on planes aslant, pressed by F"""
    for mu, r, w, angle, F in ((0.3, 0.1, 5, 0, 0), (0.7, 0.2, 20, 0.4, 3), (0.1, 0.05, 40, 1.2, 8)):
        n, m = [math.sin(angle), 0, math.cos(angle)], 2
        N = m * G * n[2] + F
        slows = 2 / 3 * mu * N * r / (m * r * r / 2)
        turn = [math.cos(angle / 2), 0, math.sin(angle / 2), 0]
        scene = scene_of(3, [{"name": "b", "position": [0.1 * x for x in n], "mass": m, "quat_wxyz": turn, "rate": [0, 0, w],
                              "shape": {"type": "cylinder", "radius": r, "length": 0.2, "axis": "z"}}],
                         [{"name": "c", "bodies": ["b", "ground"], "friction": mu, "shapes": [None, {"type": "plane", "normal": n}]}], 0.5 * w / slows,
                         joints=[{"name": "J", "type": "cylindrical", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": n}],
                         markers=[{"name": "m", "body": "b", "on": [0, 0, 0]}],
                         forces=[{"name": "F", "type": "force", "marker": "m", "value": [-F * x for x in n]}])
        near(math.sqrt(sum(ended(scene)[f"b.w{axis}"] ** 2 for axis in "xyz")), 0.5 * w, 1e-9 * w, ("half way", mu))
        near(ended(scene, "--end", repr(1.01 * w / slows))["b.wz"], 0, 1e-12, ("at rest", mu))


@case
def a_cylinder_on_a_slope_tips_at_r_over_half_its_length():
    """tan(slope) = r/(l/2) -+ 1e-5, towards any side: it stands below, and turns over above"""
    for half, turned_by in ((0.15, 0.0), (0.12, 2.1), (0.3, -1.3)):
        for off in (-1e-5, 1e-5):
            last = ended(standing(half, mu=2, slope=math.atan(R / half) + off, turned_by=turned_by, end=2))
            tilt = math.hypot(last["b.qx"], last["b.qy"])
            assert (tilt > 1e-5) == (off > 0), (half, off, tilt)
            assert off > 0 or tilt < 1e-12, tilt


@case
def a_pushed_cylinder_slides_or_tips():
    """A force F at the height c: it slides beyond mu m g, tips beyond m g r/c, and sliding tips where F c - (F - mu m g) h exceeds m g r"""
    m, half, mu = 2.0, 0.2, 0.3
    for c in (0.05, 0.15, 0.3, 0.38):
        for F in (4.0, 5.8, 6.0, 7.5, 9.0):
            slides = F > mu * m * G
            a = max(F / m - mu * G, 0)
            moment = F * c - m * a * half  # of the face's resultant, about its centre
            tips = abs(moment) > m * G * R
            scene = standing(half, mu=mu, end=0.05, markers=[{"name": "p", "body": "b", "at": [0, 0, c]}],
                             forces=[{"name": "F", "type": "force", "marker": "p", "value": [F, 0, 0]}])
            last = ended(scene)
            assert (abs(last["b.wy"]) > 1e-6) == tips, (c, F, last["b.wy"])
            if not tips:
                near(last["b.vx"], a * 0.05 if slides else 0, 1e-10, (c, F))


def beside_a_box(slope, angle, end, **more):
    """A cylinder that moves in a vertical plane, and a box in the plane of the same corners and inertia: their last states"""
    half, r, m, e, mu = 0.12, R, 2.0, more.get("e", 0), more.get("mu", 0.5)
    turned_by = more.get("turned_by", 0.4)
    c, s = math.cos(turned_by), math.sin(turned_by)
    height = half * math.cos(angle) + r * abs(math.sin(angle)) + more.get("above", 0)
    v, w = more.get("v", 0), more.get("w", 0)
    body3 = {"position": [0, 0, height], "quat_wxyz": [math.cos(angle / 2), -s * math.sin(angle / 2), c * math.sin(angle / 2), 0],
             "velocity": [v * c, v * s, 0], "rate_world": [-s * w, c * w, 0], "inertia": [m * (3 * r * r + 4 * half * half) / 12] * 2 + [m * r * r / 2]}
    scene = standing(half, mu=mu, slope=slope, turned_by=turned_by, end=end, contact={"restitution": e}, body=body3)
    del scene["bodies"][0]["shape"]
    scene["contacts"][0]["shapes"][0] = {"type": "cylinder", "radius": r, "length": 2 * half}
    plane = scene_of(2, [{"name": "b", "position": [0, height], "mass": m, "inertia": body3["inertia"][0], "angle": -angle, "velocity": [v, 0], "rate": -w}],
                     [{"name": "c", "bodies": ["b", "ground"], "friction": mu, "restitution": e,
                       "shapes": [{"type": "box", "size": [2 * r, 2 * half]}, {"type": "plane", "normal": [0, 1]}]}], end)
    plane["gravity"] = [G * math.sin(slope), -G * math.cos(slope)]
    a, b = ended(scene, "--accuracy", "1e-8"), ended(plane, "--accuracy", "1e-8")
    return ((c * a["b.x"] + s * a["b.y"], a["b.z"], -s * a["b.wx"] + c * a["b.wy"]), (b["b.x"], b["b.y"], -b["b.rate"]))


@case
def a_cylinder_falls_over_as_a_box_does():
    """In a vertical plane: tips, falls on its side, turns over on its other face, rocks to rest, slides, bounces, strikes with great friction"""
    for slope, angle, end, more in ((0.9, 0, 1.2, {"mu": 2}), (0, 0.3, 1, {}), (0, -0.5, 1, {"mu": 0.1}), (0.2, 0, 0.5, {"mu": 0.1, "v": -1}),
                                    (0, 0, 1, {"above": 0.1, "v": 0.5, "e": 0.5}), (0, 1.2, 0.8, {}), (0, 0, 1.2, {"mu": 3, "v": 2.5}),
                                    (0, 0, 0.3, {"mu": 2.5, "above": 1e-3, "w": -7}), (0, 1.0, 0.4, {"e": 0.7, "mu": 0.1})):
        found, right = beside_a_box(slope, angle, end, **more)
        for x, y in zip(found, right):
            near(x, y, 1e-7 * max(1, abs(y)), (slope, angle, more))  # ten times what is asked for


@case
def a_cylinder_rides_on_a_tray():
    """A face on a tray that is driven: it sticks below mu g, lags behind with mu g beyond, and stays level where the tray swings"""
    mu, end = 0.3, 0.4
    tray = {"name": "tray", "position": [0, 0, 0], "mass": 1, "inertia": [1, 1, 1]}
    for a in (0.9 * mu * G, 1.5 * mu * G):
        scene = standing(0.05, mu=mu, end=end, joints=[{"name": "rail", "type": "prismatic", "bodies": ["ground", "tray"], "at": [0, 0, 0], "axis": [1, 0, 0],
                                                       "motor": f"{a / 2!r}*t^2"}])
        scene["bodies"].append(tray)
        scene["contacts"][0]["bodies"] = ["b", "tray"]
        last = ended(scene)
        near(last["b.vx"], min(a, mu * G) * end, 1e-9, a)
        near(last["b.z"], 0.05, 1e-10, a)
    scene = standing(0.05, mu=3, end=1.5, joints=[{"name": "hinge", "type": "revolute", "bodies": ["ground", "tray"], "at": [0, 0, 0], "axis": [0, 1, 0],
                                                   "motor": "0.3*(1 - cos(2*t))"}])
    scene["bodies"].append(tray)
    scene["contacts"][0]["bodies"] = ["b", "tray"]
    last = ended(scene)
    angle = 0.3 * (1 - math.cos(3))
    near(last["b.x"], 0.05 * math.sin(angle), 1e-8, "x")
    near(2 * math.atan2(last["b.qy"], last["b.qw"]), angle, 1e-8, "tilt")


# ------------------------------------------------------------------------- resistance and belts


@case
def rolling_and_spinning_are_resisted():
    """A ball with resistance against rolling slows down by 5/7 g rho/r; a disc stops; a top on a point slows by its moment"""
    rho, end = 0.002, 3
    last = ended(scene_of(3, [body("b", [0, 0, R], "sphere", velocity=[1, 0, 0], rate_world=[0, 1 / R, 0])],
                          [{"name": "c", "bodies": ["b", "ground"], "friction": 0.5, "rolling": rho}], end), "--accuracy", "1e-8")
    a = 5 / 7 * G * rho / R
    near(last["b.x"], end - a * end ** 2 / 2, 1e-8, "ball")
    last = ended(scene_of(2, [body("b", [0, R], "disc", velocity=[1, 0], rate=-1 / R)],
                          [{"name": "c", "bodies": ["b", "ground"], "friction": 0.5, "rolling": rho}], 20))
    near(last["b.x"], 1 / (2 * G * rho / R / 1.5), 1e-6, "disc")
    near(last["b.vx"], 0, 1e-12, "disc at rest")
    last = ended(scene_of(3, [body("b", [0, 0, R], "sphere", rate_world=[0, 0, 20])],
                          [{"name": "c", "bodies": ["b", "ground"], "friction": 0.5, "spinning": 0.001}], 1))
    near(last["b.wz"], 20 - 0.001 * G / (0.4 * R ** 2), 1e-7, "spin")


@case
def a_belt_takes_a_box_along():
    """A box put on a belt slips up to the belt's speed, and stays on it"""
    for bodies, speed in ((["b", "ground"], 1), (["b", "ground"], -2)):
        box = {"name": "b", "position": [0, R], "mass": 2, "shape": {"type": "box", "size": [2 * R, 2 * R]}}
        last = ended(scene_of(2, [box], [{"name": "c", "bodies": bodies, "friction": 0.3, "surface_speed": [speed, 0]}], 2))
        slips = abs(speed) / (0.3 * G)
        near(last["b.x"], speed * (2 - slips / 2), 1e-6, "place")
        near(last["b.vx"], speed, 1e-10, "speed")


@case
def what_sticks_holds_more_than_what_slips():
    """A point on a belt behind a spring sticks and slips in turn, x'' + w^2 (x - x_k) = 0 of its slip; Stribeck's law on a slope"""
    w, v, low, high, m = 20, 0.1, 0.2, 0.5, 2
    slide, hold = low * G / w ** 2, high * G / w ** 2  # where the spring takes what slides, and what sticks
    slip, stick = 2 / w * (math.pi - math.atan((hold - slide) * w / v)), 2 * (hold - slide) / v
    end = hold / v + 2 * (slip + stick) - stick / 2
    for n in (2, 3):
        point = {"name": "b", "position": [0] * n, "mass": m, "shape": {"type": "point"}}
        belt = {"name": "c", "bodies": ["b", "ground"], "friction": low, "sticking": high, "surface_speed": [v] + [0] * (n - 1)}
        last = ended(scene_of(n, [dict(point, velocity=[v] + [0] * (n - 1))], [belt], end,
                              markers=[{"name": "o", "body": "ground", "at": [-1] + [0] * (n - 1)}, {"name": "p", "body": "b", "on": [0] * n}],
                              forces=[{"name": "s", "type": "spring_damper", "markers": ["o", "p"], "stiffness": m * w ** 2, "rest_length": 1}]))
        near(last["b.x"], hold - v * stick / 2, 1e-8, "place")
        slope = dict(belt, stribeck=0.3, surface_speed=[0] * n, shapes=[None, {"type": "plane", "normal": [0] * (n - 1) + [1]}])
        scene = scene_of(n, [point], [slope], 1, gravity=[0.6 * G] + [0] * (n - 2) + [-G])
        rate = [0.0]
        for _ in range(1000):
            rate = stepped(lambda z: [G * (0.6 - low - (high - low) * math.exp(-(z[0] / 0.3) ** 2))], rate, 1e-3)
        near(ended(scene)["b.vx"], rate[0], 1e-7, "Stribeck")
        near(ended(dict(scene, gravity=[0.49 * G] + [0] * (n - 2) + [-G]))["b.vx"], 0, 1e-12, "it sticks")


# ---------------------------------------------------------------------------------------- impacts


@case
def balls_strike_with_friction():
    """Two discs strike aslant and slip: impulses 1.9/2 of the closing rate along e, and mu of it across"""
    v, w, mu, e = (2.0, 0.0), -30.0, 0.1, 0.9
    scene = scene_of(2, [body("a", [0, 0], "disc", velocity=list(v), rate=w), body("b", [0.5, 0.1], "disc")],
                     [{"name": "c", "bodies": ["a", "b"], "friction": mu, "restitution": e}], 1, gravity=[0, 0])
    last = ended(scene)
    angle = math.asin(0.5)
    n = (-math.cos(angle), -math.sin(angle))  # from b to a
    t = (n[1], -n[0])
    m, inertia = 2.0, 2.0 * R ** 2 / 2
    impulse = (1 + e) * -(n[0] * v[0] + n[1] * v[1]) * m / 2
    at = (-R * n[0], -R * n[1])
    slip = t[0] * (v[0] - w * at[1]) + t[1] * (v[1] + w * at[0])
    across = -math.copysign(mu * impulse, slip)
    J = [impulse * n[i] + across * t[i] for i in range(2)]
    near(last["a.vx"], v[0] + J[0] / m, 1e-9, "vx")
    near(last["a.vy"], v[1] + J[1] / m, 1e-9, "vy")
    near(last["a.rate"], w + (at[0] * J[1] - at[1] * J[0]) / inertia, 1e-8, "rate")
    near(last["b.vx"], -J[0] / m, 1e-9, "the other's vx")


@case
def a_ball_that_is_resisted_bounces():
    """A ball that falls with any spin comes to roll; resistance takes 5/7 rho/r of all impulses, m g t at rest"""
    for rolling in (0, 0.002):
        for spinning in (0, 0.001):
            for rate in ([0, 0, 0], [0, 5, 0]):
                last = ended(scene_of(3, [body("b", [0, 0, 2 * R], "sphere", velocity=[1, 0, 0], rate=rate)],
                                      [{"name": "c", "bodies": ["b", "ground"], "friction": 0.3, "restitution": 0.5,
                                        "rolling": rolling, "spinning": spinning}], 1.5))
                near(last["b.z"], R, 1e-9, "height")
                near(last["b.vx"], 5 / 7 * (1 - rolling / R * G * 1.5) + 2 / 7 * R * rate[1], 1e-6, "speed")


@case
def a_row_of_balls_hands_a_blow_on():
    """Newton's cradle of three to seven: all of the motion goes through"""
    for n in (3, 5, 7):
        balls = [body(f"b{i}", [2 * R * i, R], "disc") for i in range(n)]
        balls[0].update(position=[-0.5, R], velocity=[2, 0])
        last = ended(scene_of(2, balls, [{"name": f"f{i}", "bodies": [f"b{i}", "ground"]} for i in range(n)] +
                              [{"name": f"c{i}", "bodies": [f"b{i}", f"b{i + 1}"], "restitution": 1} for i in range(n - 1)], 1))
        for i in range(n):
            near(last[f"b{i}.vx"], 2 if i == n - 1 else 0, 1e-12, f"ball {i} of {n}")


@case
def what_falls_comes_to_rest():
    """Rod, box and cylinder fall aslant, bounce, and lie: where they lie and with what energy lost"""
    shapes = {"rod": ({"type": "rod", "radius": 0.05, "length": 0.6}, 0.05), "box": ({"type": "box", "size": [0.4, 0.3, 0.2]}, 0.1)}
    for dimension in (2, 3):
        for kind, (shape, height) in shapes.items():
            shape = dict(shape, size=shape["size"][:1] + shape["size"][2:]) if kind == "box" and dimension == 2 else shape
            one = {"name": "b", "position": [0] * (dimension - 1) + [0.5], "mass": 2, "shape": shape}
            one.update({"angle": 0.3, "rate": 2} if dimension == 2 else {"rpy": [0.1, 0.3, 0], "rate": [1, 0, 1]})
            last = ended(scene_of(dimension, [one], [{"name": "c", "bodies": ["b", "ground"], "friction": 0.4, "restitution": 0.2}], 3))
            near(last["b.y" if dimension == 2 else "b.z"], height, 1e-9, f"{kind} in {dimension}-D")


@case
def a_coin_that_lands_aslant_slides_as_if_flat():
    """However its sides strike in turn: friction has mu times the impulses that gravity gave, vx = v - mu g t, in few steps"""
    for v, w, tilt, mu, accuracy in ((1.09, -0.33, -0.082, 0.047, "1e-3"), (1.05, 2, -0.09, 0.055, "1e-8"), (0.8, 0.4, 0, 0.1, "1e-6")):
        one = {"name": "b", "mass": 1, "position": [0, 0, 0.001 + R / 2 * (math.cos(tilt) - math.sin(tilt))], "velocity": [v, 0, 0], "rpy": [0, tilt, 0],
               "rate_world": [0, w, 0], "shape": {"type": "cylinder", "radius": R / 2, "length": R}}
        last = ended(scene_of(3, [one], [{"name": "c", "bodies": ["b", "ground"], "friction": mu}], 0.3), "--accuracy", accuracy)
        near(last["b.vx"], v - mu * G * 0.3, 1e-9, f"vx of {v}")
        near(last["b.z"], R / 2, 1e-10, f"height of {v}")


@case
def a_ball_rolls_off_a_table():
    """A ball that slides off the edge of a box turns about it and falls: its energy is kept"""
    scene = scene_of(2, [body("b", [0.4, 0.5 + R], "disc", velocity=[0.3, 0])],
                     [{"name": "c", "bodies": ["b", "ground"], "shapes": [None, {"type": "box", "size": [1, 1], "at": "o"}]}], 1,
                     markers=[{"name": "o", "body": "ground", "at": [0, 0]}])
    last = ended(scene)
    # it leaves the edge where the normal force ends: cos(a) = (2 + v^2/(g r))/3, a from the upright
    cosine = (2 + 0.3 ** 2 / (G * R)) / 3
    speed = math.sqrt(G * R * cosine)
    near(last["b.vx"], speed * cosine, 1e-6, "vx")


def stepped(rates, z, h):
    """z a step of Runge and Kutta later"""
    k = [rates(z)]
    for c in (0.5, 0.5, 1):
        k.append(rates([x + c * h * d for x, d in zip(z, k[-1])]))
    return [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(z, *k)]


def until(rates, function, z, t, h=1e-4, most=10.0):
    """(t, z) where the function of z falls to zero, by bisection of the last step; or at the time `most`"""
    while t < most:
        new = stepped(rates, z, min(h, most - t))
        if function(new) <= 0:
            low, high = 0.0, h
            for _ in range(50):
                low, high = ((low + high) / 2, high) if function(stepped(rates, z, (low + high) / 2)) > 0 else (low, (low + high) / 2)
            return t + low, stepped(rates, z, low)
        t, z = t + h, new
    return most, z


@case
def a_weighted_hoop_rolls_slips_and_jumps():
    """Its weight goes up so fast that it slips and leaves the ground: slipping and flight by equations of their own"""
    r, d, m, inertia, mu, start, fast = 0.3, 0.27, 2.0, 0.1, 1.5, -1.5, 8.0

    def pressed(z, drive):  # angle, rate, x and its rate of the centre of mass; drive: the slip's direction, 0: rolls
        a, w = z[0], z[1]
        s, c = math.sin(a), math.cos(a)
        arm = r + d * c
        if drive == 0:
            turn = (m * G * d * s + m * d * s * w * w * (arm - d * c)) / (inertia + m * d * d * s * s + m * arm * arm)
        else:
            k = d * s + drive * mu * arm
            turn = k * m * (G - d * c * w * w) / (inertia + k * m * d * s)
        normal = m * (G - d * s * turn - d * c * w * w)
        return turn, normal, m * (arm * turn - d * s * w * w) if drive == 0 else -drive * mu * normal

    z = [start, fast, d * math.sin(start), fast * (r + d * math.cos(start))]
    _, normal, across = pressed(z, 0)
    assert abs(across) > mu * normal, (across, normal)  # it cannot roll
    drive = -math.copysign(1, across)
    t, z = until(lambda z: [z[1], pressed(z, drive)[0], z[3], pressed(z, drive)[2] / m], lambda z: pressed(z, drive)[1], z, 0.0)
    assert t < 1, t
    end = t + 0.02
    one = {"name": "b", "mass": m, "inertia": inertia, "position": [d * math.sin(start), r + d * math.cos(start)], "rate": -fast,
           "velocity": [fast * (r + d * math.cos(start)), -fast * d * math.sin(start)]}
    last = ended(scene_of(2, [one], [{"name": "c", "bodies": ["b", "ground"], "friction": mu,
                                      "shapes": [{"type": "disc", "radius": r, "at": "o"}, None]}], end,
                          markers=[{"name": "o", "body": "b", "at": [0, r]}]))
    near(last["b.rate"], -z[1], 1e-6 * fast, "rate")
    near(last["b.vx"], z[3], 1e-6 * fast, "vx")
    near(last["b.vy"], -d * math.sin(z[0]) * z[1] - G * 0.02, 1e-6 * fast, "vy")


@case
def a_block_that_rocks_loses_as_housner_says():
    """Let go on one edge, on ground by a formula: each impact of the other edge leaves 1 - 1.5 sin(a)^2 of the rate"""
    wide, high, tilt = 0.3, 1.0, 0.1
    slender, arm = math.atan(wide / high), math.hypot(wide, high) / 2
    left = 1 - 1.5 * math.sin(slender) ** 2
    rates = lambda z: [z[1], -0.75 * G / arm * math.sin(slender - z[0])]
    t, z = until(rates, lambda z: z[0], [tilt, 0.0], 0.0)
    angle = slender - tilt  # of the line from the edge to the centre, from the upright
    one = {"name": "b", "mass": 3, "angle": tilt, "position": [arm * math.sin(angle), arm * math.cos(angle)],
           "shape": {"type": "box", "size": [wide, high]}}
    for impacts in (1, 2, 3):
        w = -z[1] * left ** impacts  # the rate behind the last impact, and half a swing to the top from there
        last = ended(scene_of(2, [one], [{"name": "c", "bodies": ["b", "ground"], "friction": 5,
                                          "shapes": [None, {"type": "terrain", "height": "0*x"}]}], t + 1e-3))
        near(abs(last["b.rate"]), abs(rates([0, 0])[1] * 1e-3 + w), 1e-4, f"behind impact {impacts}")
        up, top = until(rates, lambda z: z[1], [0.0, w], t)
        t = 2 * up - t


@case
def a_disc_and_a_ball_roll_in_a_bowl():
    """The disc by an integration of one freedom; the ball by its energy (7/10) v^2 + g z, on its sphere"""
    place = lambda s: ((1 - R) * math.sin(s), -(1 - R) * math.cos(s))
    slope = lambda s: ((1 - R) * math.cos(s), (1 - R) * math.sin(s))
    curve = lambda s: (-(1 - R) * math.sin(s), (1 - R) * math.cos(s))
    bowl = [None, {"type": "bowl", "radius": 1}]
    right = rolled(place, slope, curve, 0.8, 1.7)
    last = ended(scene_of(2, [body("b", list(place(0.8)), "disc")], [{"name": "c", "bodies": ["b", "ground"], "friction": 50, "shapes": bowl}], 1.7))
    near(last["b.x"], right[0], 1e-6, "x")
    near(last["b.y"], right[1], 1e-6, "y")
    last = ended(scene_of(3, [body("b", [0.72, 0, -0.54], "sphere")], [{"name": "c", "bodies": ["b", "ground"], "friction": 50, "shapes": bowl}], 1.3))
    speed = last["b.vx"] ** 2 + last["b.vy"] ** 2 + last["b.vz"] ** 2
    near(math.hypot(last["b.x"], last["b.y"], last["b.z"]), 1 - R, 1e-9, "distance")
    near(0.7 * speed + G * last["b.z"], -0.54 * G, 1e-6, "energy")


@case
def contacts_far_apart_cost_in_proportion():
    """Balls that fall, bounce and slip far apart: instructions of a step from 20 to 80 grow at most as n^1.2"""
    tap.figures()
    tap.need("valgrind")
    each = []
    for n in (20, 80):
        balls = [body(f"b{i}", [i % 9, i // 9, 0.2 + 0.001 * (i % 17)], "sphere", velocity=[0.1, 0, 0]) for i in range(n)]
        scene = scene_of(3, balls, [{"name": f"c{i}", "bodies": [f"b{i}", "ground"], "restitution": 0.5, "friction": 0.3} for i in range(n)], 0.3)
        (FOLDER / "balls.json").write_text(json.dumps(scene), encoding="utf-8")
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={FOLDER / 'counts'}", "--toggle-collect=trm_sim_run",
                               TRAMMEL, "run", FOLDER / "balls.json", "--no-verify", "--json"], check=True, capture_output=True, text=True)
        said = json.loads(done.stdout)
        each.append(int(done.stderr.split("Collected :")[1].split()[0]) / (said["steps"] + said["rejected"]))
    assert each[1] <= 4 ** 1.2 * each[0], each


@case
def small_motions_over_the_ground_are_free_of_it():
    """A disc on a spring: a linearization in the air has sqrt(k/m), rolling sqrt(k/(1.5 m)); without weight on the ground it is refused"""
    for y, stiffness in ((1.0, 2 * G), (R, 1), (R, 2 * G)):
        scene = scene_of(2, [body("b", [0, y], "disc")], [{"name": "c", "bodies": ["b", "ground"], "friction": 0.5}], 1,
                         markers=[{"name": "o", "body": "ground", "at": [0, y + 1]}, {"name": "m", "body": "b", "on": [0, 0]}],
                         forces=[{"name": "s", "type": "spring_damper", "markers": ["o", "m"], "stiffness": stiffness, "rest_length": 0}])
        (FOLDER / "air.json").write_text(json.dumps(scene), encoding="utf-8")
        done = subprocess.run([TRAMMEL, "linearize", FOLDER / "air.json", "--json"], check=False, capture_output=True, text=True)
        if y > R or stiffness == 1:
            fastest = max(mode["eigenvalue"][1] for mode in json.loads(done.stdout)["modes"])
            near(fastest, math.sqrt(stiffness / (2 if y > R else 3)), 1e-9, "rad/s")
        else:
            assert done.returncode == 1 and "at its limit 0 m" in done.stderr, done.stderr


def turned_both_ways(kind, size):
    """(orientation of the body, its shape), the same solid in the world"""
    turn = [0.8, 0.2, -0.4, 0.4]
    for body_turn, shape_turn in ((turn, {}), ([1, 0, 0, 0], {"quat_wxyz": turn})):
        yield {"name": "b", "mass": 1, "inertia": [0.01] * 3, "quat_wxyz": body_turn}, {"type": kind, **size, **shape_turn}


@case
def a_turned_shape_is_that_of_a_turned_body():
    """Solids turned in their body move as those of a body that is turned: one hits a plane, a ball rolls off a fixed one"""
    sizes = {"box": {"size": [0.3, 0.2, 0.4]}, "rod": {"length": 0.4, "radius": 0.05},
             "cylinder": {"radius": 0.1, "length": 0.3}, "ellipsoid": {"semi_axes": [0.1, 0.2, 0.15]}}
    columns = ("x", "y", "z", "vx", "vy", "vz")
    for kind, size in sizes.items():
        ends = []
        for b, shape in turned_both_ways(kind, size):
            scene = scene_of(3, [dict(b, position=[0, 0, 0.5])],
                             [{"name": "c", "bodies": ["b", "ground"], "friction": 0.3, "restitution": 0.5, "shapes": [shape, None]}], 0.3)
            last = ended(scene, "--accuracy", "1e-8")
            assert last["b.vz"] > -9.81 * 0.3 + 0.1, "it has touched"
            ends.append([last[f"b.{x}"] for x in columns])
        assert max(abs(a - b) for a, b in zip(*ends)) < 1e-6, (kind, ends)
    for kind in ("box", "rod", "cylinder"):
        ends = []
        for b, shape in turned_both_ways(kind, sizes[kind]):
            scene = scene_of(3, [body("ball", [0.02, 0.03, 0.6], "sphere"), dict(b, position=[0, 0, 0])],
                             [{"name": "c", "bodies": ["ball", "b"], "friction": 0.3, "shapes": [None, shape]}], 0.5,
                             joints=[{"name": "w", "type": "weld", "bodies": ["ground", "b"], "at": [0, 0, 0]}])
            last = ended(scene, "--accuracy", "1e-8")
            ends.append([last[f"ball.{x}"] for x in columns])
        assert max(abs(a - b) for a, b in zip(*ends)) < 1e-6 and abs(ends[0][0] - 0.02) > 1e-3, (kind, ends)


# ---------------------------------------------------------------------------------------- refusals


@case
def what_cannot_touch_is_named():
    """Pairs that are not there, shapes that are missing or overlap, markers of others: a sentence each"""
    floor = {"name": "c", "bodies": ["b", "ground"]}
    box = {"name": "b", "position": [0, 1], "mass": 1, "shape": {"type": "box", "size": [1, 1]}}
    for bodies, contact, says in (
            ([body("b", [0, 0.05], "disc")], floor, "the start is outside the limits of 'c': it is at -0.05 m"),
            ([box, dict(box, name="d", position=[0, 3])], {"name": "c", "bodies": ["b", "d"]}, "box and box cannot touch; "),
            ([{"name": "b", "position": [0, 1], "mass": 1, "inertia": 1}], floor, "'b' has no shape"),
            ([body("b", [0, 1], "disc")], dict(floor, shapes=[None, {"type": "tube", "radius": 1}]), "for scenes of dimension 3 only"),
            ([body("b", [0, 1], "disc")], dict(floor, shapes=[None]), "expected the shapes of both bodies"),
            ([body("b", [0, 1], "disc")], dict(floor, shapes=[None, {"type": "plane", "at": "m"}]), "is on another body"),
            ([body("b", [0, 1], "disc")], dict(floor, shapes=[None, {"type": "terrain", "height": "abs(x) - abs(x - 1)"}]), "kink"),
            ([dict(box, shape={"type": "box", "size": [1, 1]})], dict(floor, shapes=[None, {"type": "terrain", "height": "-abs(x)"}]), "terrain cannot touch"),
            ([body("b", [0, 1], "disc")], dict(floor, shapes=[None, {"type": "terrain", "height": "t"}]), "constant"),
            ([body("b", [0, 1], "disc")], dict(floor, restitution=1.5), "restitution must be 0 to 1"),
            ([body("b", [0, 1], "disc")], dict(floor, friction=-1), "friction must be >= 0"),
            ([body("b", [0, 1], "disc")], dict(floor, friction=1, sticking=0.5), "must not be less than friction that slides"),
            ([body("b", [0, 1], "disc")], dict(floor, friction=1, stiffness=1), "is a smooth law: give \"regularized\", in m/s"),
            ([body("b", [0, 1], "disc")], dict(floor, friction=1, regularized=1), "no effect without \"stiffness\""),
            ([body("b", [0, 1], "disc")], dict(floor, regularized=1, stiffness=1), "no effect without \"friction\""),
            ([body("b", [0, 1], "disc")], dict(floor, rolling=1, stiffness=1), "\"rolling\" has no effect beside"),
            ([body("b", [0, 1], "disc")], dict(floor, restitution=1, stiffness=1), "\"restitution\" has no effect beside"),
            ([body("b", [0, 1, 1], "cylinder", shape={"type": "cylinder", "length": 1, "radius": 1})], dict(floor, stiffness=1),
             "a rim on a plane is rigid"),
            ([body("b", [0, 1, 1], "sphere")], dict(floor, shapes=[None, {"type": "plane", "quat_wxyz": [1, 1, 0, 0]}]),
             "turns solids; a plane has none"),
            ([body("b", [0, 1], "disc")], dict(floor, surface_speed=[1, 0]), "friction"),
            ([body("b", [0, 1], "disc")], dict(floor, bodies=["b", "b"]), "two different bodies")):
        n = len(bodies[0]["position"])
        scene = scene_of(n, bodies, [contact], 1, markers=[{"name": "m", "body": "b", "at": [0, 1, 1][:n]}])
        output = started(scene)
        assert output.returncode in (2, 3) and says in output.stderr, (says, output.returncode, output.stderr)


if __name__ == "__main__":
    sys.exit(tap.run(tap.CASES))
