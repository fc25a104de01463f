"""Runs stepped by hand: exact landing, live arrays, rollouts, terms."""
import gc
import json
import pathlib
import sys

import numpy as np
import pytest

import trammel

import scenes

sys.path += [str(pathlib.Path(__file__).resolve().parents[2] / folder) for folder in ("tools", "validation/benchmarks")]
from bench_problems import ladder  # noqa: E402


@pytest.fixture
def model():
    return trammel.parse(scenes.text())


def test_run_to_lands_exactly_and_equals_simulate(model):
    with model.run("rk4+s-both2", step=0.01) as sim:
        for k in range(1, 51):
            assert sim.run_to(k * 0.02)
            assert sim.t == k * 0.02
        whole = model.simulate(1, "rk4+s-both2", step=0.01, every=0)
        assert (sim.q == whole.q[-1]).all() and sim.stats.steps == 100
        assert sim["bar"].angle == whole["bar"].angle[-1]
        assert sim["tip"].position == pytest.approx(whole["tip"].position[-1], abs=0)
        assert sim.joints["O"]["x"] == whole.joints["O"]["x"][-1]
        with pytest.raises(trammel.OptionsError, match="at or after"):
            sim.run_to(0.5)
    assert sim.run_to.__doc__


def test_state_arrays_follow_the_run_and_stay_when_it_is_gone(model):
    sim = model.run("rk4", step=0.01)
    q, v, a, multipliers, angle = sim.q, sim.v, sim.a, sim.lambda_, sim["bar"].angle
    assert angle == 0
    sim.step(10)
    assert sim.t == pytest.approx(0.1) and angle < -0.01 and q[2] == angle
    assert (q == sim.sample().q).all() and (a == sim.sample().a).all()
    for array in (q, v, a, multipliers):
        assert array.size and not array.flags.writeable
        with pytest.raises(ValueError):
            array[0] = 1
    last = [array.copy() for array in (q, v, a, multipliers)]
    sim.close()
    sim.close()
    del sim
    gc.collect()
    others = [model.run("rk4", step=0.02) for _ in range(50)]
    for other in others:
        other.step(3)
    for array, kept in zip((q, v, a, multipliers), last):
        assert (array == kept).all()


def test_a_run_keeps_its_model_and_scene_alive():
    scene = trammel.Scene.parse(scenes.text())
    scene.add_force("drag", lambda model, t, q, v: -0.1 * v)
    sim = scene.build().run("rk4", step=0.01)
    del scene
    gc.collect()
    sim.step(100)
    assert sim.energy.work < 0


@pytest.mark.parametrize("method,options", [("dop853+s-both2", {}), ("adams+srm", {}),
                                            ("dopri5+projection", {}), ("heun+srm", {"step": 0.001})])
def test_saving_and_restoring_changes_no_bit(model, method, options):
    sim, other = model.run(method, **options), model.run(method, **options)
    sim.run_to(0.3)
    state = sim.save()
    assert len(state) == sim.state_size

    def go_on(run):
        times = [run.step() for _ in range(20)]
        return times, run.q.copy(), run.lambda_.copy(), run.stats, run.report

    first = go_on(sim)
    sim.restore(state)
    other.restore(bytes(bytearray(state)))
    for again in (go_on(sim), go_on(other)):
        assert again[0] == first[0] and (again[1] == first[1]).all() and (again[2] == first[2]).all()
        assert again[3:] == first[3:]
    with pytest.raises(trammel.OptionsError):
        sim.restore(state[:-8])
    with pytest.raises(trammel.OptionsError):
        sim.restore(b"")


def test_a_run_shows_what_it_saved_where_its_steps_were_projected():
    box = {"dimension": 3, "gravity": [1, 0.5, -9.81], "bodies": [
        {"name": "e", "position": [0, 0, 0.3], "mass": 1, "shape": {"type": "box", "size": [0.3, 0.2, 0.1]},
         "axis_angle": {"axis": [1, 0.2, 0], "angle": 0.3}, "rate": [1, 2, 3]}],
        "contacts": [{"name": "c", "bodies": ["e", "ground"], "friction": 0.3, "restitution": 0.2}]}
    with trammel.parse(json.dumps(box)).run() as sim:
        sim.run_to(0.35)
        state, q, a = sim.save(), sim.q.copy(), sim.a.copy()
        sim.restore(state)
        assert (sim.q == q).all() and (sim.a == a).all()


def test_a_history_of_another_library_is_not_saved(model):
    if not any(m.integrator == "ida" for m in trammel.methods()):
        pytest.skip("built without SUNDIALS")
    sim = model.run("ida+ggl")
    assert sim.state_size == 0
    with pytest.raises(trammel.OptionsError, match="cannot be saved"):
        sim.save()


def test_set_state_and_shift(model):
    sim = model.run()
    sim.set_state(1.5, [0.5 * np.cos(1), 0.5 * np.sin(1), 1], [0, 0, 0])
    assert sim.t == 1.5 and sim["bar"].angle == 1
    assert sim.energy.potential == pytest.approx(2 * 9.81 * 0.5 * np.sin(1))
    with pytest.raises(trammel.InconsistentError, match="is open by") as caught:
        sim.set_state(0, [0.6, 0, 0], [0, 0, 0])
    assert caught.value.joint == "O"
    with pytest.raises(trammel.InconsistentError, match="no state to go on from"):
        sim.step()
    sim.set_state(0, model.q0, model.v0)
    sim.perturb(dv=[0, 0.5, 1])
    assert sim.v.tolist() == [0, 0.5, 1]
    sim.perturb([0, 0, 0.001])
    assert sim.q[2] == 0.001
    with pytest.raises(ValueError, match=r"q: expected an array of shape \(3,\), got \(2,\)"):
        sim.set_state(0, [1, 2], [0, 0, 0])


def test_terms_are_those_of_the_bar(model):
    sim = model.run()
    sim.run_to(0.4)
    x, y, angle = sim.q
    rate, g, m, inertia = sim.v[2], 9.81, 2, 2 / 12
    terms = sim.terms()
    c, s = np.cos(angle) / 2, np.sin(angle) / 2
    G = np.array([[1, 0, s], [0, 1, -c]])
    sign = np.sign(terms.G[0, 0])
    assert terms.M == pytest.approx(np.diag([m, m, inertia]))
    assert terms.f == pytest.approx([0, -m * g, 0])
    assert terms.G == pytest.approx(sign * G)
    assert terms.g == pytest.approx([0, 0], abs=1e-9) and terms.g_t.tolist() == [0, 0]
    assert terms.gamma == pytest.approx(-sign * rate ** 2 * np.array([c, s]))
    assert terms.N == pytest.approx(np.eye(3))
    assert terms.M @ terms.a == pytest.approx(terms.f - terms.G.T @ terms.lambda_, abs=1e-9)
    assert terms.a == pytest.approx(sim.a, abs=1e-9)
    assert terms.a[2] == pytest.approx(-1.5 * g * np.cos(angle))
    # a torque against gravity holds it
    balanced = sim.terms(v=[0, 0, 0], force=[0, 0, m * g * c])
    assert balanced.a == pytest.approx([0, 0, 0], abs=1e-9)
    assert sim.terms(t=9, q=model.q0, v=model.v0).a[2] == pytest.approx(-1.5 * g)
    with pytest.raises(trammel.OptionsError, match="finite"):
        sim.terms(q=[0, 0, np.nan])


@pytest.mark.parametrize("loops", [5, 10, 70])  # by null directions, by masks, beyond 1000 rows
def test_redundant_reactions_are_the_smallest(loops):
    """sum D lambda^2 least, D the diagonal of G M^-1 G^T, at the start; after 0.3 s its larger value"""
    redundant = trammel.parse(json.dumps(ladder(loops, 3, 1) | {"gravity": [4, -9, 3]}))
    scale = np.zeros(redundant.nc)
    with redundant.run() as sim:
        for t in (0, 0.3):
            sim.run_to(t)
            terms = sim.terms()
            scale = np.maximum(scale, np.einsum("ij,ij->i", terms.G @ np.linalg.inv(terms.M), terms.G))
            for found in (terms.lambda_, sim.lambda_):
                unit = terms.G / np.sqrt(scale)[:, None]
                least = np.linalg.lstsq(unit.T, terms.G.T @ found, rcond=1e-9)[0] / np.sqrt(scale)
                assert found == pytest.approx(least, abs=1e-8)  # delta/sigma^2 of 10 N


def test_samples_between_steps(model):
    sim = model.run("dop853", accuracy=1e-9)
    sim.step(3)
    before = sim.t
    sim.step()
    middle = sim.sample((before + sim.t) / 2)
    exact = model.run(accuracy=1e-9)
    exact.run_to(middle.t)
    assert middle.q == pytest.approx(exact.q, abs=1e-9) and middle.lambda_ == pytest.approx(exact.lambda_, abs=1e-6)
    assert middle.energy.balance == pytest.approx(sim.energy.balance, abs=1e-8)
    with pytest.raises(trammel.OptionsError, match="within the last step"):
        sim.sample(100)


def test_every_way_goes_over_to_the_stiff_method():
    """Under 1e8 N s/m an explicit pair takes hours; the mass creeps by exp(-t) to the spring's rest length."""
    model = trammel.parse(scenes.text(scenes.CREEP))
    end = pytest.approx(0.5 + 0.5 * np.exp(-5), abs=1e-5)
    assert model.simulate(5).q[-1][0] == end
    with model.run(accuracy=1e-6) as sim:
        sim.run_to(5)
        assert sim.q[0] == end and sim.stats.steps < 1000
    with model.run(accuracy=1e-6) as sim:
        while sim.t < 5 and sim.stats.steps < 1000:
            sim.step()
        assert sim.t >= 5
    batch = model.batch(3, accuracy=1e-6)
    batch.step(5)
    assert (batch.t == 5).all() and all(q[0] == end for q in batch.q)


@pytest.mark.parametrize("coordinates", ["joint", "absolute"])
def test_angles_in_space_count_their_turns_when_the_method_changes(coordinates):
    """w = sqrt(k/I): 20/w sin(w/4) rad at 0.25 s, where a stiff drive sets in and the spring goes on from there, at 10 rad/s."""
    model = trammel.parse(json.dumps({
        "dimension": 3, "gravity": [0, 0, 0], "simulation": {"coordinates": coordinates},
        "bodies": [{"name": "r", "mass": 1, "inertia": [0.01] * 3, "rate": [0, 0, 20]}],
        "joints": [{"name": "J", "type": "revolute", "bodies": ["ground", "r"], "at": [0, 0, 0], "axis": [0, 0, 1]}],
        "forces": [{"name": "s", "type": "joint_spring_damper", "joint": "J", "stiffness": 0.1},
                   {"name": "d", "type": "joint_force", "joint": "J", "value": "t > 0.25 ? -1e4*(J.rate - 10) : 0"}]}))
    angle = model.simulate(2).joints["J"].coordinate
    assert angle[-1] == pytest.approx(20 / np.sqrt(10) * np.sin(np.sqrt(10) / 4) + 17.5, abs=1e-3)


def test_a_closed_run_refuses_everything(model):
    with model.run() as sim:
        pass
    for use in (sim.step, sim.sample, sim.save, lambda: sim.report, lambda: sim.terms(), lambda: sim.run_to(1)):
        with pytest.raises(trammel.ClosedError):
            use()
    assert "closed" in repr(sim)


def test_a_line_at_the_time_of_a_sampled_block_has_all_forces_after_it():
    """A slider pushed by u, set at each line, its middle 0.3 m above: its guide takes 0.3 u of torque, u is the effort."""
    slider = {"dimension": 2, "parameters": {"u": {"value": 0, "input": True}}, "bodies": [{"name": "b", "position": [0, 0.3], "mass": 2, "inertia": 1}],
              "joints": [{"name": "S", "type": "prismatic", "bodies": ["ground", "b"], "at": [0, 0], "axis": [1, 0]}],
              "forces": [{"name": "push", "type": "joint_force", "joint": "S", "value": "u"}], "events": [{"name": "e", "every": 0.125, "set": {"u": "5 + 10*t"}}]}
    run = trammel.parse(json.dumps(slider)).simulate(0.5, every=0.125)
    assert run["push"].effort[1:] == pytest.approx(5 + 10 * run.t[1:], abs=1e-12)
    assert np.ravel(run.joints["S"]["angle"])[1:] == pytest.approx(0.3 * (5 + 10 * run.t[1:]), abs=1e-9)
