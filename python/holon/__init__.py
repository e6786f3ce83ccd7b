"""holon: dynamics of constrained mechanical systems.

    import holon

    m = holon.Model("four_bar.yaml")      # or holon.Model(), and m.body(...), m.revolute(...)
    r = m.run(duration=5)                 # a Result
    r["crank.angle"]                      # a column, as a numpy array
    sim = m.sim()                         # or step by step
    sim.step()

SI units and radians, right-handed axes, quaternions scalar first and body to world.
"""

from holon._holon import version as __version__
from holon.analysis import (
    Comparison,
    Effort,
    Equilibrium,
    Inverse,
    Kinematics,
    Kink,
    Linear,
    Mode,
    Modes,
    Tolerances,
)
from holon.errors import (
    ArgumentError,
    Error,
    FileError,
    ModelError,
    RunError,
    StaleError,
    UnsupportedError,
)
from holon.model import (
    Check,
    CheckBody,
    CheckJoint,
    Element,
    Model,
    Options,
    examples,
    methods,
    schema,
)
from holon.result import Audit, AuditItem, MotionError, Result, Summary
from holon.sim import Address, Energy, Equations, Inputs, Pose, Reaction, Residuals, Sim
from holon.study import Column, Effects, Fitted, Gradient, Optimum, Study

__all__ = [
    "Address",
    "ArgumentError",
    "Audit",
    "AuditItem",
    "Check",
    "CheckBody",
    "CheckJoint",
    "Column",
    "Comparison",
    "Effects",
    "Effort",
    "Element",
    "Energy",
    "Equations",
    "Equilibrium",
    "Error",
    "FileError",
    "Fitted",
    "Gradient",
    "Inputs",
    "Inverse",
    "Kinematics",
    "Kink",
    "Linear",
    "Mode",
    "Model",
    "ModelError",
    "Modes",
    "MotionError",
    "Optimum",
    "Options",
    "Pose",
    "Reaction",
    "Residuals",
    "Result",
    "RunError",
    "Sim",
    "StaleError",
    "Study",
    "Summary",
    "Tolerances",
    "UnsupportedError",
    "__version__",
    "examples",
    "methods",
    "schema",
]
