"""Questions about a mechanism, against closed forms and differences."""
import json
import os

import numpy as np
import pytest

import trammel
from trammel import Output

import scenes

G = 9.81
INERTIA = 2 / 3  # m l^2 / 3 of the bar about O


def hanging(angle=-np.pi / 2, rate=0.0):
    c, s = np.cos(angle) / 2, np.sin(angle) / 2
    return np.array([c, s, angle]), np.array([-s * rate, c * rate, rate])


@pytest.fixture
def bar():
    return trammel.parse(scenes.text())


@pytest.mark.parametrize("w", [0, 3])  # of the start: a position that is given rests
def test_a_bar_hangs_and_swings_as_its_closed_form_says(bar, w):
    query = bar.set(w=w).query()
    rest = query.equilibrium(hanging(-1)[0], stable=True)
    assert rest.q == pytest.approx(hanging()[0], abs=1e-6) and rest.stability == "marginal"
    assert abs(rest.lambda_) == pytest.approx([0, 2 * G], abs=1e-6)
    omega = np.sqrt(2 * G / 2 / INERTIA)
    linear = query.linearize(rest.q)
    assert (linear.d, linear.n) == (1, 2) and linear.at_rest and linear.stability == "marginal"
    assert linear.A == pytest.approx(np.array([[0, 1], [-omega ** 2, 0]]), abs=1e-6)
    mode, = linear.modes
    assert mode.eigenvalue == pytest.approx(1j * omega, abs=1e-6)
    assert mode.frequency == pytest.approx(omega / 2 / np.pi, abs=1e-6)
    assert abs(mode.shape) == pytest.approx([0.5, 0, 1], abs=1e-6)
    upright = query.linearize(hanging(np.pi / 2)[0])
    assert upright.stability == "unstable" and upright.growth == pytest.approx(omega, abs=1e-6)


def test_freedoms_and_motions(bar):
    query = bar.query()
    assert query.freedoms() == 1
    Z, W = query.motions()
    M = np.diag([2, 2, 2 / 12])
    assert Z.shape == (3, 1) and W.shape == (1, 3)
    assert Z.T @ M @ Z == pytest.approx(np.eye(1)) and W @ Z == pytest.approx(np.eye(1))
    assert Z[:, 0] / Z[2, 0] == pytest.approx([0, 0.5, 1], abs=1e-9)
    assert query.joint_space(["O"]).S[:, 0] == pytest.approx([0, 0.5, 1], abs=1e-9)
    assert trammel.load("scenes/four_bar.json").query().freedoms() == 1


def test_closing(bar):
    q, v = hanging(0.3, 2.0)
    closed_q, closed_v = bar.query().close(q + [0.01, -0.02, 0], v + [0.1, 0, 0])
    assert closed_q[:2] == pytest.approx(hanging(closed_q[2])[0][:2], abs=1e-9)
    assert closed_v == pytest.approx(hanging(closed_q[2], closed_v[2])[1], abs=1e-9)
    assert closed_q == pytest.approx(q, abs=0.05)


def test_jacobians_of_points(bar):
    q, v = hanging(0.7, 3.0)
    J = bar.jacobian("tip", q, v)
    c, s = np.cos(0.7) / 2, np.sin(0.7) / 2
    assert J.linear == pytest.approx(np.array([[1, 0, -s], [0, 1, c], [0, 0, 0]]))
    assert J.angular == pytest.approx(np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1]]))
    assert J.linear_bias == pytest.approx([-9 * c, -9 * s, 0])
    assert bar.jacobian("post").linear == pytest.approx(np.zeros((3, 3)))
    assert bar.jacobian("bar").linear[:2, :2] == pytest.approx(np.eye(2))
    with pytest.raises(KeyError):
        bar.jacobian("nobody")


def test_inverse_dynamics_finds_the_torque_of_the_pendulum(bar):
    query = bar.query()
    q, v = hanging(0.4, 1.5)
    B = query.joint_direction("O", q)
    assert B == pytest.approx([0, 0, 1])
    alpha = 2.5
    c, s = np.cos(0.4) / 2, np.sin(0.4) / 2
    a = np.array([-s * alpha - c * 1.5 ** 2, c * alpha - s * 1.5 ** 2, alpha])
    found = query.inverse_dynamics(a, B, q, v)
    torque = INERTIA * alpha + 2 * G * c
    assert found.tau == pytest.approx([torque], rel=1e-9)
    assert found.realizable and found.rank == 1 and found.unique.tolist() == [True]
    assert found.gap == pytest.approx(0, abs=1e-9)
    assert bar.run().terms(q=q, v=v, force=found.tau[0] * B).a == pytest.approx(a, abs=1e-9)
    with pytest.raises(KeyError):
        query.joint_direction("nobody")


def test_motor_forces_are_the_multipliers_of_the_run():
    model = trammel.load("docs/examples/four_bar.json")
    with model.run(assemble=True) as sim:
        sim.run_to(0.3)
        found = model.query().motor_forces(sim.q, sim.v, sim.t)
        assert set(found.force) == {"O"} and found.unique == {"O": True}
        assert found.force["O"] == pytest.approx(sim.read("O.motor")[0], rel=1e-6)


def test_linearization_with_inputs_and_outputs():
    model = trammel.parse(scenes.text(
        parameters={"l": 1, "w": 0, "push": {"value": 0, "input": True}},
        forces=[{"name": "push", "type": "torque", "body": "bar", "value": "push"}]))
    query, (q, v) = model.query(), hanging()
    outputs = [Output("tip", (1, 0, 0)), Output("bar", (0, 0, 1), turn=True), Output("tip", (1, 0, 0), derivative=1)]
    linear = query.linearize(q, v, forces=[0, 0, 1], inputs=["push"], outputs=outputs)
    unit = 1 / np.sqrt(INERTIA)  # rad of angle in one unit of y
    sign = np.sign(linear.Z[2, 0])
    assert linear.B == pytest.approx(np.array([[0, 0], [sign * unit, sign * unit]]), abs=1e-6)
    assert linear.C == pytest.approx(sign * unit * np.array([[1, 0], [1, 0], [0, 1]]), abs=1e-6)
    assert linear.D == pytest.approx(np.zeros((3, 2)))
    other, speed = hanging(-np.pi / 2 + 1e-5, 2e-5)
    x = linear.deviation(other, speed)
    assert linear.C @ x == pytest.approx([1e-5, 1e-5, 2e-5], abs=1e-9)
    query.set_input("push", 2 * G * 0.5 * 0.5)
    assert query.equilibrium(hanging(0.9)[0], stable=False).q[2] == pytest.approx(np.pi / 3, abs=1e-6)
    with pytest.raises(KeyError):
        query.linearize(q, v, inputs=["pull"])


def test_a_linearization_of_what_spins_and_rolls():
    """Of a disc that rolls in a circle, states next to it that close have the rates drift + A x."""
    model = trammel.load(os.path.join(os.environ["TRAMMEL_SOURCE"], "scenes", "rolling_disc.json"))
    query = model.query()
    linear = query.linearize()
    p, d, h = len(linear.W), len(linear.A) - len(linear.W), 1e-5
    with model.run() as sim:
        N = sim.terms().N
        for x in np.eye(p + d):
            found, rates = np.zeros(p + d), np.zeros(p + d)
            for side in (h, -h):
                q, v = query.close(model.q0 + side * N @ linear.Z @ x[:p], model.v0 + side * linear.Z[:, :d] @ x[p:])
                terms, here = sim.terms(0, q, v), linear.deviation(q, v)
                found += here / side / 2
                rates += (linear.deviation(q + terms.N @ v, v + terms.a) - here) / side / 2
            assert found[:p] == pytest.approx(x[:p], abs=1e-6)
            assert rates == pytest.approx(linear.A @ found, abs=1e-6 * abs(linear.A).max())


def test_refusals(bar):
    query = bar.query()
    with pytest.raises(trammel.InconsistentError):
        query.linearize([1, 0, 0])
    with pytest.raises(trammel.SingularError):
        flat = trammel.load("tests/diagnosis/flat_parallelogram.json")
        flat.query().linearize()
    falling = trammel.parse(scenes.text(joints=[]))
    with pytest.raises(trammel.DivergedError, match="bar"):
        falling.query().equilibrium()
    with pytest.raises(ValueError, match=r"q: expected an array of shape \(3,\)"):
        query.freedoms([1, 2])
    with pytest.raises(ValueError, match="forces: expected"):
        query.linearize(forces=np.zeros((2, 1)))


def test_exceptions_of_user_functions_come_out():
    class Mine(Exception):
        pass

    def force(model, t, q, v):
        if q[2] < -1:
            raise Mine
        return np.zeros(3)

    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("f", force)
    query = scene.build().query()
    with pytest.raises(Mine):
        query.linearize(*hanging())
    assert query.freedoms() == 1


def test_answers_outlive_query_and_model(bar):
    linear = trammel.parse(scenes.text()).query().linearize(*hanging())
    A = linear.A.copy()
    assert linear.deviation(*hanging()) == pytest.approx([0, 0], abs=1e-9)
    others = [bar.query().linearize(*hanging()) for _ in range(20)]
    del linear.__dict__["_c"], others
    assert (linear.A == A).all()


def test_a_query_takes_the_turns_of_a_run():
    """A hinge in space on a spring of 2 N m/rad, 0.5 x'' = -2 x: x = 50 sin(2 t), seven turns out at 0.7 s."""
    model = trammel.parse(json.dumps({
        "dimension": 3, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 0.5], "rate": [0, 0, 100]}],
        "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]}],
        "forces": [{"name": "s", "type": "joint_spring_damper", "joint": "O", "stiffness": 2}]}))
    query, still = model.query(), np.zeros(model.nv)
    with model.run(accuracy=1e-9) as sim:
        sim.run_to(0.7)
        query.take_turns(sim)
        about = np.array([[0.0], [0], [0], [0], [0], [1]])
        forces = query.inverse_dynamics(still, about, sim.q, still)
    assert forces.tau[0] == pytest.approx(100 * np.sin(1.4), abs=1e-4)


def test_a_query_holds_the_contacts_of_a_run():
    """A disc in a bowl rolls with 2/3 g/(R - r), as often as it is asked, and is free again without them; the rest is refused."""
    model = trammel.parse(json.dumps({
        "dimension": 2, "gravity": [0, -G], "bodies": [{"name": "b", "mass": 2, "position": [0, -0.9], "shape": {"type": "disc", "radius": 0.1}}],
        "contacts": [{"name": "c", "bodies": ["b", "ground"], "friction": 0.5, "shapes": [None, {"type": "bowl", "radius": 1}]}]}))
    query = model.query()
    assert query.freedoms() == 3
    with model.run(accuracy=1e-9) as sim:
        for _ in range(3):
            query.take_turns(sim, contacts=True)
            assert query.freedoms() == 1
            fastest = max(mode.eigenvalue.imag for mode in query.linearize(outputs=["c.contact_force"]).modes)
            assert fastest == pytest.approx(np.sqrt(2 / 3 * G / 0.9), rel=1e-9)
        with pytest.raises(trammel.OptionsError, match="is held"):
            query.equilibrium()
        query.take_turns(sim)
    assert query.freedoms() == 3


def test_outputs_by_name():
    """J x'' = k i - c x' - s x, L i' = u - R i - k x': C and D of what sensors and outputs of the scene read."""
    J, c, s, L, R, k = 0.5, 0.6, 40, 0.02, 1, 0.3
    model = trammel.parse(json.dumps({
        "dimension": 2, "parameters": {"u": {"value": 0, "input": True}},
        "bodies": [{"name": "a", "mass": 2, "inertia": J}],
        "markers": [{"name": "tip", "body": "a", "on": [2, 0]}],
        "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "a"], "at": [0, 0]}],
        "forces": [{"name": "s", "type": "joint_spring_damper", "joint": "O", "stiffness": s, "damping": c},
                   {"name": "M", "type": "joint_force", "joint": "O", "value": f"{k}*i"}],
        "states": {"i": {"rate": f"(u - {R}*i - {k}*O.rate)/{L}", "start": 0, "scale": 5}},
        "outputs": {"both": "2*O.angle + i", "load": "M.effort - O.force_y"}}))
    names = ["both", trammel.Output("tip", (0, 1, 0)), "tip.position", "load", "O.rate", "u", "a.angular_acceleration"]
    linear = model.query().linearize(inputs=["u"], forces=np.eye(model.nv)[:, [2]], outputs=names)
    for f in (0.3, 1.4, 20):
        w = 2j * np.pi * f
        H = linear.C @ np.linalg.solve(w * np.eye(linear.n) - linear.A, linear.B) + linear.D
        Z = np.array([[J * w * w + c * w + s, -k], [k * w, L * w + R]])
        for column, push in ((0, [1, 0]), (1, [0, 1])):
            x, i = np.linalg.solve(Z, push)
            wanted = [2 * x + i, 2 * x, 0, 2 * x, 0, k * i, w * x, column, w * w * x]
            assert H[:, column] == pytest.approx(wanted, abs=1e-8)


def test_equilibrium_with_states():
    """A weight on a spring whose force a lagging state doubles: m g = k x + z, z = k x at rest."""
    scene = trammel.parse("""{"dimension": 2, "gravity": [0, -9.81],
      "bodies": [{"name": "m", "mass": 2, "inertia": 1}],
      "joints": [{"name": "S", "type": "prismatic", "bodies": ["ground", "m"], "at": [0, 0], "axis": [0, 1]}],
      "states": {"z": {"rate": "5*(100*S.slide - z)", "start": 3}},
      "forces": [{"name": "k", "type": "joint_force", "joint": "S", "value": "-100*S.slide - S.rate - z"}]}""")
    query = scene.query()
    rest = query.equilibrium()
    assert rest.q[1] == pytest.approx(-2 * 9.81 / 200, abs=1e-12)
    assert rest.v == pytest.approx([0, 0, 0, -9.81], abs=1e-10)
    linear = query.linearize(rest.q, rest.v)
    assert linear.at_rest
    # 2 x'' + x' + 100 x + z = 0, z' = 500 x - 5 z
    wanted = np.roots(np.polyadd(np.polymul([2, 1, 100], [1, 5]), [500]))
    assert np.sort_complex(np.linalg.eigvals(linear.A)) == pytest.approx(np.sort_complex(wanted), abs=1e-6)


@pytest.mark.parametrize("width", [1, 1e-4, 1e-8])
def test_narrow_laws_are_differentiated_within_their_width(width):
    """Steps that are longer than a law is wide see nothing of it, and that exactly."""
    mass = {"dimension": 2, "bodies": [{"name": "m", "mass": 1, "inertia": 1, "position": [0, 0]}],
            "joints": [{"name": "S", "type": "prismatic", "bodies": ["ground", "m"], "at": [0, 0], "axis": [1, 0]}]}

    def at_rest(law, value=0.0):
        scene = {**mass, "parameters": {"u": {"value": value, "input": True}}, "forces": [{"name": "F", "type": "joint_force", "joint": "S", "value": law}]}
        return trammel.parse(json.dumps(scene)).query().linearize(inputs=["u"])
    for law, column in (("S.position", 0), ("S.rate", 1)):
        assert np.allclose(at_rest(f"-tanh({law}/{width})").A[1], -np.eye(2)[column] / width, rtol=1e-9)
    for law, value, slope in ((f"tanh(u/{width})", 0, 1), (f"tanh(u/{width})", 1e-17, 1), (f"sin(u/{width}) - sin(1)", width, np.cos(1)),
                              (f"{width ** 2}/(2*{width} - u)^2 - 1", width, 2)):
        assert np.allclose(at_rest(law, value).B.ravel(), [0, slope / width], rtol=1e-7), law
