"""Every freedom of every joint, driven, sprung, damped, rubbing and limited, against SciPy and closed forms, in the
coordinates of the bodies and in those of the joints. A body hangs on the ground by one joint at the origin."""
import json

import numpy as np
import pytest

import trammel

MASS, INERTIA, WEIGHT = 2.0, np.diag([0.10, 0.16, 0.23]), np.array([0.0, 0.0, -9.81])
EX, EY, EZ = np.eye(3)
BOTH = pytest.mark.parametrize("coordinates", ["absolute", "joint"])


def scene(joint, forces=(), centre=(0.0, 0.0, 0.0), **more):
    joint = {"name": "J", "bodies": ["ground", "b"], "at": [0, 0, 0], **joint}
    body = {"name": "b", "mass": MASS, "inertia": np.diag(INERTIA).tolist(), "position": list(centre)}
    return {"dimension": 3, "gravity": WEIGHT.tolist(), "bodies": [body], "joints": [joint], "forces": list(forces), **more}


def flat(joint, forces=(), **more):
    """The same in the plane, a bar of 0.6 m from the joint on."""
    joint = {"name": "J", "bodies": ["ground", "b"], "at": [0, 0], **joint}
    body = {"name": "b", "mass": MASS, "ends": [[0, 0], [0.6, 0]]}
    return {"dimension": 2, "gravity": [0, -9.81], "bodies": [body], "joints": [joint], "forces": list(forces), **more}


def read(text, t, names, coordinates):
    model = trammel.parse(json.dumps({**text, "simulation": {"coordinates": coordinates}}))
    with model.run(accuracy=1e-11) as sim:
        sim.run_to(t)
        return [float(sim.read(model.sensor(name))[0]) for name in names]


def integrate(f, t, y, end=None):
    solve = pytest.importorskip("scipy.integrate").solve_ivp
    if end:
        end.terminal, end.direction = True, 1
    s = solve(f, (t[0], t[1]), y, "DOP853", rtol=1e-12, atol=1e-12, events=end)
    return s.t[-1], s.y[:, -1]


def spring(of, **keys):
    return {"name": "spring_" + of.replace(".", "_"), "type": "joint_spring_damper", "joint": of, **keys}


def torque(of, value):
    return {"name": "drive_" + of.replace(".", "_"), "type": "joint_force", "joint": of, "value": value}


# --------------------------------------------------------------------------------------------- slides and turns

@BOTH
def test_a_cylinder_slides_and_turns(coordinates):
    """Servo and friction along, spring and damper about; the centre beside the axis couples nothing in the weight."""
    text = scene({"type": "cylindrical", "axis": [0, 0, 1], "slide": {"friction": 3}},
                 [{"name": "s", "type": "servo", "joint": "J.slide", "target": 0.2, "kp": 20, "kd": 8, "feedforward": 19.62},
                  spring("J.angle", stiffness=4, damping=0.3, rest=0.5)], centre=(0.3, 0, 0))
    inertia = INERTIA[2, 2] + MASS * 0.3**2
    end, y = integrate(lambda t, y: [y[1], (20 * (0.2 - y[0]) - 8 * y[1] - 3) / MASS],
                       (0, 9), [0, 0], lambda t, y: -y[1] if t > 1e-3 else -1.0)
    assert abs(20 * (0.2 - y[0])) < 3  # it stays where it stops
    _, turn = integrate(lambda t, y: [y[1], (-4 * (y[0] - 0.5) - 0.3 * y[1]) / inertia], (0, end + 0.5), [0, 0])
    got = read(text, end + 0.5, ["J.slide", "J.slide.rate", "J.angle", "J.angle.rate"], coordinates)
    assert got == pytest.approx([y[0], 0, *turn], abs=1e-8)


@BOTH
def test_both_freedoms_of_a_cylinder_are_prescribed(coordinates):
    text = scene({"type": "cylindrical", "axis": [0, 0, 1], "slide": {"motor": "0.1*(1 - cos(3*t))"},
                  "angle": {"motion": [{"to": 7, "in": 0.5}]}}, centre=(0.3, 0, 0))
    got = read(text, 0.4, ["J.slide", "J.slide.motor", "J.angle", "J.angle.motor"], coordinates)
    s = 0.8
    rise, second = s**3 * (10 - 15 * s + 6 * s**2), (60 * s - 180 * s**2 + 120 * s**3) / 0.5**2
    wanted = [0.1 * (1 - np.cos(1.2)), MASS * (0.9 * np.cos(1.2) + 9.81), 7 * rise, 7 * second * (INERTIA[2, 2] + MASS * 0.09)]
    assert got == pytest.approx(wanted, abs=1e-8)


@BOTH
def test_limits_and_armature_of_a_freedom(coordinates):
    """A rotor behind the slide falls with it onto a limit that sends back half of the rate."""
    text = scene({"type": "cylindrical", "axis": [0, 0, 1], "slide": {"armature": 1, "limits": [-0.5, None], "restitution": 0.5}})
    fall = MASS * 9.81 / (MASS + 1)
    hit = np.sqrt(1 / fall)
    got = read(text, hit + 0.1, ["J.slide", "J.slide.rate"], coordinates)
    assert got == pytest.approx([-0.5 + 0.5 * fall * hit * 0.1 - fall * 0.01 / 2, 0.5 * fall * hit - fall * 0.1], abs=1e-8)


@BOTH
def test_a_plane_joint_has_two_slides_and_an_angle(coordinates):
    text = scene({"type": "planar", "axis": [0, 0, 1], "axis2": [0.6, 0.8, 0], "slide_2": {"friction": 4}},
                 [spring("J.slide", stiffness=50, damping=3, rest=0.1), torque("J.slide_2", "7"), torque("J.angle", "sin(t)")])
    _, y = integrate(lambda t, y: [y[1], (-50 * (y[0] - 0.1) - 3 * y[1]) / MASS], (0, 0.8), [0, 0])
    names = ["J.slide", "J.slide.rate", "J.slide_2", "J.slide_2.rate", "J.angle", "b.x", "b.y"]
    second = (7 - 4) / MASS * 0.8**2 / 2
    wanted = [*y, second, (7 - 4) / MASS * 0.8, (0.8 - np.sin(0.8)) / INERTIA[2, 2], 0.6 * y[0] - 0.8 * second,
              0.8 * y[0] + 0.6 * second]
    assert read(text, 0.8, names, coordinates) == pytest.approx(wanted, abs=1e-8)


@BOTH
def test_a_pin_in_a_slot_slides_and_turns(coordinates):
    """The slot is horizontal; x of the pin and the angle of the bar, by d'Alembert."""
    text = flat({"type": "pin_in_slot", "axis": [1, 0], "slide": {"friction": 0.5}},
                [spring("J.slide", stiffness=40, damping=1), spring("J.angle", damping=0.2), torque("J.angle", "5")])
    h, inertia = 0.3, MASS * 0.36 / 12

    def rates(t, y, sign=-1.0):
        _, v, phi, w = y
        c, s = np.cos(phi), np.sin(phi)
        M = [[MASS, -MASS * h * s], [-MASS * h * s, inertia + MASS * h * h]]
        load = [MASS * h * c * w * w - 40 * y[0] - v - 0.5 * sign, 5 - 0.2 * w - MASS * 9.81 * h * c]
        a = np.linalg.solve(M, load)
        return [v, a[0], w, a[1]]
    # the pin leaves at once: the bar falls and pulls it along +x by its weight's moment, or sticks; both by the law
    M = np.array([[MASS, 0], [0, inertia + MASS * h * h]])
    assert abs(np.linalg.solve(M, [0, 5 - MASS * 9.81 * h])[0]) < 0.5 / MASS
    held, y = integrate(lambda t, y: [y[1], (5 - 0.2 * y[1] - MASS * 9.81 * h * np.cos(y[0])) / M[1, 1]], (0, 2), [0, 0],
                        lambda t, y: abs(MASS * h * (np.cos(y[0]) * y[1]**2 + np.sin(y[0]) * (
                            5 - 0.2 * y[1] - MASS * 9.81 * h * np.cos(y[0])) / M[1, 1])) - 0.5)
    push = np.cos(y[0]) * y[1]**2 + np.sin(y[0]) * (5 - 0.2 * y[1] - MASS * 9.81 * h * np.cos(y[0])) / M[1, 1]
    sign = 1.0 if push > 0 else -1.0
    _, y = integrate(lambda t, y: rates(t, y, sign), (held, held + 0.05), [0, 0, *y])
    got = read(text, held + 0.05, ["J.slide", "J.slide.rate", "J.angle", "J.angle.rate"], coordinates)
    assert got == pytest.approx(y, abs=1e-8)


# ------------------------------------------------------------------------------------------------- turns in space

def about(axis, angle):
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


@BOTH
def test_a_universal_joint_has_two_angles(coordinates):
    """R = R_x(p) R_y(q): omega = p' R_y^T e_x + q' e_y in axes of the body; the centre is below."""
    text = scene({"type": "universal", "axis": [1, 0, 0], "axis2": [0, 1, 0], "angle": {"armature": 0.05}},
                 [torque("J.angle", "3*cos(4*t)"), spring("J.angle_2", stiffness=6, damping=0.4, rest=0.7)], centre=(0.1, 0.05, -0.4))
    r = np.array([0.1, 0.05, -0.4])
    whole = INERTIA + MASS * (r @ r * np.eye(3) - np.outer(r, r))

    def rates(t, y):
        p, q, u, v = y
        Ry = about(EY, q)
        B = np.column_stack([Ry.T @ EX, EY])
        w = B @ [u, v]
        change = np.cross(Ry.T @ EX, v * EY) * u  # of the first column, as q goes on
        weight = np.cross(r, (about(EX, p) @ Ry).T @ (MASS * WEIGHT))
        load = B.T @ (weight - np.cross(w, whole @ w) - whole @ change) + [3 * np.cos(4 * t), -6 * (q - 0.7) - 0.4 * v]
        a = np.linalg.solve(B.T @ whole @ B + np.diag([0.05, 0]), load)
        return [u, v, a[0], a[1]]
    _, y = integrate(rates, (0, 1.5), [0, 0, 0, 0])
    names = ["J.angle", "J.angle_2", "J.angle.rate", "J.angle_2.rate"]
    assert read(text, 1.5, names, coordinates) == pytest.approx(y, abs=1e-8)


def turns_of(R):
    """swing, twist, angle, angle_2 and their gradients by omega, in the world; the axis is z, the sides are x and y."""
    m, s1, s2 = R @ EZ, EX, EY
    across = np.cross(EZ, m)
    s = np.linalg.norm(across)
    twist = np.arctan2((R[1, 0] - R[0, 1]), (R[0, 0] + R[1, 1]))
    return {"swing": (np.arctan2(s, m @ EZ), across / s if s else across),
            "twist": (twist, (EZ + m) / (1 + m @ EZ)),
            "angle": (np.arctan2(-m @ s2, m @ EZ), np.cross(m, (m @ EZ) * -s2 - (-m @ s2) * EZ) / ((m @ EZ)**2 + (m @ s2)**2)),
            "angle_2": (np.arctan2(m @ s1, m @ EZ), np.cross(m, (m @ EZ) * s1 - (m @ s1) * EZ) / ((m @ EZ)**2 + (m @ s1)**2))}


def ball(r, law):
    """Of R and omega in the world, about the point of the ball; law: names to efforts of t, x and x'."""
    whole = INERTIA + MASS * (r @ r * np.eye(3) - np.outer(r, r))

    def rates(t, y):
        R, w = y[:9].reshape(3, 3), y[9:]
        load = np.cross(R @ r, MASS * WEIGHT)
        for name, effort in law.items():
            x, gradient = turns_of(R)[name]
            load = load + effort(t, x, gradient @ w) * gradient
        I = R @ whole @ R.T
        cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([(cross @ R).ravel(), np.linalg.solve(I, load - np.cross(w, I @ w))])
    return rates, whole


@BOTH
@pytest.mark.parametrize("kind", ["spherical", "point_on_line", "point_on_plane"])
def test_a_ball_has_angles_twist_and_swing(kind, coordinates):
    law = {"swing": lambda t, x, v: -3 * x - 0.1 * v, "twist": lambda t, x, v: 0.6 * np.cos(3 * t) - 0.05 * v,
           "angle": lambda t, x, v: 2 * np.sin(5 * t), "angle_2": lambda t, x, v: 5 * (0.3 - x) - 0.2 * v}
    r = np.array([0.08, 0.02, -0.3])
    held = {} if kind == "spherical" else {"slide": {"motor": "0"}}
    if kind == "point_on_plane":
        held["slide_2"] = {"motor": "0"}
    text = scene({"type": kind, "axis": [0, 0, 1], "axis2": [1, 0, 0], **held},
                 [spring("J.swing", stiffness=3, damping=0.1), torque("J.twist", "0.6*cos(3*t)"), spring("J.twist", damping=0.05),
                  torque("J.angle", "2*sin(5*t)"), spring("J.angle_2", stiffness=5, rest=0.3, damping=0.2)], centre=r)
    rates, _ = ball(r, law)
    _, y = integrate(rates, (0, 0.9), np.concatenate([np.eye(3).ravel(), np.zeros(3)]))
    at = turns_of(y[:9].reshape(3, 3))
    names = [f"J.{name}{rate}" for name in at for rate in ("", ".rate")]
    wanted = [value for x, gradient in at.values() for value in (x, gradient @ y[9:])]
    assert read(text, 0.9, names, coordinates) == pytest.approx(wanted, abs=1e-8)


@BOTH
def test_a_ball_is_driven_in_both_angles_and_its_twist(coordinates):
    """Full turns of the twist, through pi; the motors' torques give the moment that the motion needs."""
    laws = {"angle": lambda t: 0.3 * (1 - np.cos(3 * t)), "angle_2": lambda t: 0.2 * t**2, "twist": lambda t: 5 * t**2}
    text = scene({"type": "spherical", "axis": [0, 0, 1], "axis2": [1, 0, 0], "angle": {"motor": "0.3*(1 - cos(3*t))"},
                  "angle_2": {"motor": "0.2*t^2"}, "twist": {"motor": "5*t^2"}})

    def turned(t):
        """The rotation of these coordinates: where the axis is, the short way, and the twist before."""
        a, b = np.tan(laws["angle"](t)), np.tan(laws["angle_2"](t))
        m = np.array([b, -a, 1]) / np.sqrt(1 + a * a + b * b)
        n = np.cross(EZ, m)
        s = np.linalg.norm(n)
        return about(n / s, np.arctan2(s, m[2])) @ about(EZ, laws["twist"](t)) if s else about(EZ, laws["twist"](t))
    t, h, five = 1.1, 1e-3, np.array([1, -8, 0, 8, -1]) / 12
    R = turned(t)
    def spin(t):
        dot = sum(c * turned(t + k * h) for c, k in zip(five, range(-2, 3))) / h
        W = dot @ turned(t).T
        return np.array([W[2, 1], W[0, 2], W[1, 0]])
    w, rise = spin(t), sum(c * spin(t + k * h) for c, k in zip(five, range(-2, 3))) / h
    I = R @ INERTIA @ R.T
    moment = I @ rise + np.cross(w, I @ w)
    got = read(text, t, ["J.angle", "J.angle_2", "J.twist", "J.angle.motor", "J.angle_2.motor", "J.twist.motor"], coordinates)
    assert got[:3] == pytest.approx([laws[k](t) for k in ("angle", "angle_2", "twist")], abs=1e-8)
    at = turns_of(R)
    made = sum(T * at[k][1] for T, k in zip(got[3:], ("angle", "angle_2", "twist")))
    assert made == pytest.approx(moment, abs=1e-7)  # differences of fourth order at 1e-3


@BOTH
@pytest.mark.parametrize("restitution", [1, 0])
def test_a_cone_limits_the_swing(restitution, coordinates):
    """The pendulum hits the cone of 0.8 rad by an impulse along the gradient, and leaves it or runs on along it."""
    r = np.array([0.0, 0.0, -0.3])
    rates, whole = ball(r, {"twist": lambda t, x, v: 0.4, "angle": lambda t, x, v: 4.0, "angle_2": lambda t, x, v: 9 * t})
    text = scene({"type": "spherical", "axis": [0, 0, 1], "axis2": [1, 0, 0],
                  "swing": {"limits": [None, 0.8], "restitution": restitution}},
                 [torque("J.twist", 0.4), torque("J.angle", 4), torque("J.angle_2", "9*t")], centre=r)
    hit, y = integrate(rates, (0, 2), np.concatenate([np.eye(3).ravel(), np.zeros(3)]),
                       lambda t, y: turns_of(y[:9].reshape(3, 3))["swing"][0] - 0.8)
    assert 0 < hit < 2
    R, gradient = y[:9].reshape(3, 3), turns_of(y[:9].reshape(3, 3))["swing"][1]
    I = R @ whole @ R.T
    y[9:] -= (1 + restitution) * (gradient @ y[9:]) / (gradient @ np.linalg.solve(I, gradient)) * np.linalg.solve(I, gradient)

    def along(t, y):
        """N of the cone keeps z . m, the second derivative z . (w' x m) + z . (w x (w x m)) is zero; N is a push inwards."""
        out, R, w = rates(t, y), y[:9].reshape(3, 3), y[9:]
        m, push = R @ EZ, np.linalg.solve(R @ whole @ R.T, turns_of(R)["swing"][1])
        N = -(EZ @ np.cross(out[9:], m) + EZ @ np.cross(w, np.cross(w, m))) / (EZ @ np.cross(push, m))
        assert N < 0
        return np.concatenate([out[:9], out[9:] + N * push])
    _, y = integrate(along if restitution == 0 else rates, (hit, hit + 0.1), y)
    at = turns_of(y[:9].reshape(3, 3))
    got = read(text, hit + 0.1, ["J.swing", "J.swing.rate", "J.twist.rate"], coordinates)
    assert got == pytest.approx([at["swing"][0], at["swing"][1] @ y[9:], at["twist"][1] @ y[9:]], abs=1e-8)


# ----------------------------------------------------------------------------------------------------------- screws

@BOTH
@pytest.mark.parametrize("mu", [0, 0.1])
def test_a_screw_is_one_joint(mu, coordinates):
    """Under its weight a nut of lead l and mean radius r turns against a spring; up the thread mu takes its part."""
    lead, radius, tau = 0.05, 0.02, 1.5
    pitch = lead / (2 * np.pi)
    more = {"thread_friction": mu, "radius": radius} if mu else {}
    text = scene({"type": "screw", "axis": [0, 0, 1], "lead": lead, **more}, [torque("J.angle", tau)])
    slope = np.arctan(lead / (2 * np.pi * radius))
    # N along the normal of the thread: axial force f = N cos(slope) (1 - mu tan(slope)), moment N (sin + mu cos) radius
    ratio = radius * (np.sin(slope) + mu * np.cos(slope)) / (np.cos(slope) - mu * np.sin(slope))
    # I a = tau - ratio f, m pitch a = f - m g
    a = (tau - ratio * MASS * 9.81) / (INERTIA[2, 2] + ratio * MASS * pitch)
    got = read(text, 0.7, ["J.angle", "J.angle.rate", "J.slide"], coordinates)
    assert got == pytest.approx([a * 0.245, a * 0.7, pitch * a * 0.245], abs=1e-8)


# ------------------------------------------------------------------------------------------------------------ names

def test_one_freedom_has_the_same_names():
    text = flat({"type": "revolute", "motor": "t^2/2"}, outputs={"x": "J.angle", "y": "J.angle.rate", "z": "J.angle.motor"})
    names = ["x", "y", "z", "J.angle", "J.angle.rate", "J.angle.motor"]
    assert read(text, 1, names[:3], "absolute") == pytest.approx(read(text, 1, names[3:], "absolute"), abs=1e-12)
    slider = flat({"type": "prismatic", "axis": [0, 1]}, [torque("J.slide", "3*J.slide.rate + J.slide")], start={"J.slide.rate": 1})
    assert read(slider, 0.1, ["J.slide"], "joint") == pytest.approx(read(slider, 0.1, ["J.position"], "absolute"), abs=1e-9)


def test_a_run_starts_where_freedoms_say():
    text = scene({"type": "cylindrical", "axis": [0, 0, 1]}, start={"J.slide": 0.3, "J.angle.rate": 2})
    for coordinates in ("absolute", "joint"):
        got = read(text, 0, ["J.slide", "J.angle", "J.angle.rate"], coordinates)
        assert got == pytest.approx([0.3, 0, 2], abs=1e-12)


def test_a_lock_holds_a_freedom_until_it_lets_go():
    text = scene({"type": "cylindrical", "axis": [0, 0, 1], "slide": {"switch": "locked"}},
                 events=[{"name": "go", "when": "t > 0.5", "release": "J.slide"}])
    assert read(text, 0.8, ["J.slide"], "absolute") == pytest.approx([-9.81 * 0.3**2 / 2], abs=1e-8)


WRONG = [
    ({"type": "spherical", "twist": {"friction": 1}}, 'needs an "axis" to have "twist"'),
    ({"type": "spherical", "axis": [0, 0, 1], "swing": {"motor": "t"}}, "at 0, where it begins, it has no direction"),
    ({"type": "cylindrical", "axis": [0, 0, 1], "motor": "t"}, "motor"),
    ({"type": "cylindrical", "axis": [0, 0, 1], "limits": [0, 1]}, 'its freedoms take it: "slide": {...}'),
    ({"type": "cylindrical", "axis": [0, 0, 1], "slide": {"moter": "t"}}, 'did you mean "motor"'),
    ({"type": "cylindrical", "axis": [0, 0, 1], "slide": 3}, "expected an object"),
    ({"type": "cylindrical", "axis": [0, 0, 1], "switch": "open", "slide": {"motor": "t"}}, "act on the open joint"),
    ({"type": "planar", "axis": [0, 0, 1], "axis2": [0, 1, 1]}, "perpendicular"),
    ({"type": "screw", "axis": [0, 0, 1], "lead": 0}, "different from 0"),
    ({"type": "screw", "axis": [0, 0, 1], "lead": 0.1, "thread_friction": 0.1}, "radius"),
    ({"type": "cylindrical", "axis": [0, 0, 1], "slide": {"switch": "open"}}, "closed or open"),
]


@pytest.mark.parametrize("joint, sentence", WRONG)
def test_wrong_freedoms_are_told(joint, sentence):
    with pytest.raises(trammel.Error) as found:
        trammel.parse(json.dumps(scene(joint)))
    assert sentence in str(found.value)


def test_a_wrong_name_says_what_there_is():
    for output in ("J.rate", "J.slyde", "J.angle"):
        with pytest.raises(trammel.Error) as found:
            trammel.parse(json.dumps(scene({"type": "spherical", "axis": [0, 0, 1]}, [torque("J", 1)])))
        assert "or a freedom, as J.angle" in str(found.value)
        if output != "J.angle":
            with pytest.raises(trammel.Error) as found:
                trammel.parse(json.dumps(scene({"type": "spherical", "axis": [0, 0, 1]}, [torque("J.twist", output)])))
            assert "it has angle, angle_2, twist, swing" in str(found.value)
