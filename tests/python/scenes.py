"""Scenes of the tests, as texts."""
import json

BAR = {
    "title": "A bar",
    "dimension": 2,
    "parameters": {"l": 1, "w": 0},
    "gravity": [0, -9.81],
    "bodies": [{"name": "bar", "ends": [[0, 0], ["l", 0]], "mass": 2, "rate": "w",
                "velocity": [0, "w*l/2"]}],
    "markers": [{"name": "tip", "body": "bar", "at": ["l", 0]},
                {"name": "post", "body": "ground", "at": [3, 4]}],
    "joints": [{"name": "O", "type": "revolute", "bodies": ["ground", "bar"], "at": [0, 0]}],
    "simulation": {"end": 2, "every": 0.1},
}

SERVO = {
    **BAR,
    "parameters": {**BAR["parameters"], "bias": {"value": 0.25, "input": True}},
    "forces": [{"name": "hold", "type": "servo", "joint": "O", "kp": 30, "kd": 4, "target": "1", "feedforward": "bias"},
               {"name": "push", "type": "joint_force", "joint": "O", "value": "cos(9*t)"}],
}

CREEP = {
    "dimension": 2,
    "gravity": [0, 0],
    "bodies": [{"name": "a", "mass": 2, "inertia": 1, "position": [1, 0]}],
    "markers": [{"name": "A", "body": "a", "at": [1, 0]}, {"name": "O", "body": "ground", "at": [-9, 0]}],
    "forces": [{"name": "d", "type": "spring_damper", "markers": ["O", "A"], "stiffness": 1e8, "rest_length": 9.5,
                "damping": 1e8}],
    "simulation": {"end": 5, "every": 0.1},
}


def text(base=None, **changes):
    return json.dumps({**(BAR if base is None else base), **changes}, indent=1)
