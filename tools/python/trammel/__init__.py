"""Trammel: dynamics of mechanisms, from a scene file to a trajectory.

    import trammel

    model = trammel.load("scenes/four_bar.json", set={"v0": 2})
    result = model.simulate(end=10, every=0.01)
    print(result)                                    # how far to trust it
    result.t, result["crank_0"].angle                # NumPy arrays, SI units and radians
    model.check().degrees_of_freedom

    with model.run("rk4+s-both2", step=1e-3) as sim:  # step by step
        sim.run_to(0.5)
        sim["crank_0"].position

Errors are exceptions, subclasses of trammel.Error, with file, line and joint.
"""
from ._library import VERSION as __version__
from .batch import Batch
from .builder import Builder
from .callbacks import ForceFunction, PositionFunction, VelocityFunction
from .programs.comparison import Comparison, ComparisonRow, compare
from .questions.diagnosis import Diagnosis
from .equations import from_equations
from .errors import (
    BusyError, CallbackError, ClosedError, DivergedError, Error, FileError, InconsistentError,
    OptionsError, OutOfMemoryError, OutsideDomain, SceneError, SceneSyntaxError, SingularError,
    UnknownNameError)
from .questions.joint_space import JointLinearization, JointSpace
from .methods import Choice, Method, methods
from .model import Model
from .motion import (
    Actuator, ActuatorMotion, Body, BodyMotion, Contact, ContactMotion, Input, Joint, Marker, MarkerMotion,
    Reactions, Row, SimulationDefaults)
from .own import MethodTerms, register_stabilization
from .questions.query import (
    DriveForces, Equilibrium, Jacobian, Linearization, Mode, MotorForces, Output, Query)
from .reports import Accuracy, BodyError, Crossing, Drift, Energy, Report, Stats, Stiffness
from .result import Result
from .scene import Scene, load, parse
from .simulation import Sample, Sensor, Simulation, Terms
from .programs.sweeping import Table, sweep

__all__ = [
    "Accuracy", "Actuator", "ActuatorMotion", "Batch", "Body", "BodyError", "BodyMotion", "Builder", "BusyError",
    "CallbackError", "Choice", "ClosedError", "Comparison",
    "ComparisonRow", "Contact", "ContactMotion", "Crossing", "Diagnosis", "DivergedError", "Drift", "DriveForces", "Energy",
    "Equilibrium", "Error", "FileError", "ForceFunction", "InconsistentError", "Input",
    "Jacobian", "Joint", "JointLinearization", "JointSpace", "Linearization", "Marker", "MarkerMotion", "Method", "MethodTerms", "Mode", "Model",
    "MotorForces", "OptionsError", "OutOfMemoryError", "Output", "OutsideDomain",
    "PositionFunction", "Query", "Reactions", "Report", "Result", "Row", "Sample", "Scene",
    "SceneError", "SceneSyntaxError", "Sensor", "Simulation", "SimulationDefaults",
    "SingularError", "Stats", "Stiffness", "Table", "Terms", "UnknownNameError", "VelocityFunction", "__version__", "compare",
    "from_equations", "load", "methods", "parse", "register_stabilization", "sweep",
]
