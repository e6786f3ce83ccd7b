"""One run, step by step."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from holon import _holon
from holon._array import Array, array
from holon._progress import Progress, open_bar
from holon.errors import ArgumentError, RunError, failure
from holon.result import Audit, MotionError, Result, Summary, summary_of

Vector3 = Tuple[float, float, float]
Vector4 = Tuple[float, float, float, float]


class Pose(NamedTuple):
    """Where a body is and how it moves: of its frame's origin, world axes."""

    position: Vector3
    orientation: Vector4
    velocity: Vector3
    angular_velocity: Vector3


class Reaction(NamedTuple):
    """Force and torque of a on b, world axes, and in the joint's axes fixed on a."""

    point: Vector3
    force: Vector3
    torque: Vector3
    local_force: Vector3
    local_torque: Vector3


class Energy(NamedTuple):
    """Energies [J]; `balance` is kinetic + potential - work less its value at the start."""

    kinetic: float
    potential: float
    work: float
    balance: float
    scale: float


class Residuals(NamedTuple):
    """Largest violations of the constraints, and in which rows (None: nowhere)."""

    position: float
    velocity: float
    acceleration: float
    position_row: Optional[str]
    velocity_row: Optional[str]
    acceleration_row: Optional[str]


class Equations(NamedTuple):
    """M a = r + J^T lambda, J a = gamma, with violations phi (position) and psi (velocity)."""

    M: Array
    J: Array
    r: Array
    gamma: Array
    phi: Array
    psi: Array


class Address(NamedTuple):
    """Where a part's numbers stand: q[q : q + nq] and v[v : v + nv]."""

    kind: str
    name: str
    q: int
    nq: int
    v: int
    nv: int


class Inputs(Mapping[str, float]):
    """Values of a run's inputs by name; `sim.input["u"] = 3` sets one from now on."""

    def __init__(self, sim: _holon.Sim) -> None:
        self._sim = sim

    def _unknown(self, name: object) -> KeyError:
        known = ", ".join(self._sim._system.inputs) or "none"
        return KeyError(f"no input '{name}' (the model has: {known})")

    def __setitem__(self, name: str, value: float) -> None:
        if not self._sim._input_set(name, value):
            raise self._unknown(name)

    def __getitem__(self, name: str) -> float:
        value = self._sim._input_value(name)
        if value is None:
            raise self._unknown(name)
        return value

    def __iter__(self) -> Iterator[str]:
        return iter(self._sim._system.inputs)

    def __len__(self) -> int:
        return len(self._sim._system.inputs)

    def __repr__(self) -> str:
        return repr(dict(self))


class States(Mapping[str, float]):
    """Values of a run's states of first order by name; setting one starts the run anew from here."""

    def __init__(self, sim: _holon.Sim) -> None:
        self._sim = sim

    def _index(self, name: str) -> int:
        names = self._sim._system.states
        if name not in names:
            raise KeyError(f"no state '{name}' (the model has: {', '.join(names) or 'none'})")
        return names.index(name)

    def __setitem__(self, name: str, value: float) -> None:
        values = list(self._sim._states())
        values[self._index(name)] = value
        self._sim._set_states(values)

    def __getitem__(self, name: str) -> float:
        return self._sim._states()[self._index(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sim._system.states)

    def __len__(self) -> int:
        return len(self._sim._system.states)

    def __repr__(self) -> str:
        return repr(dict(self))


class Sim(_holon.Sim):
    """One run of a model, made by `Model.sim()`.

    `step()` does one step of the integrator, `advance(t)` goes on until t exactly; both return the
    time reached. `q`, `v`, `a` and `multipliers` are views of the state, which raise `StaleError`
    once the run has gone on; `list(sim.q)` or `numpy.asarray(sim.q)` are copies to keep.
    """

    # ---- names

    @property
    def bodies(self) -> List[str]:
        """Names of the bodies, the ground first."""
        return self._system.bodies

    @property
    def joints(self) -> List[str]:
        """Names of the joints."""
        return self._system.joints

    @property
    def rows(self) -> List[str]:
        """Names of the constraint rows, in the order of the multipliers."""
        return self._system.row_names

    @property
    def addresses(self) -> List[Address]:
        """Whose coordinates and velocities stand where in q and v."""
        return [Address(*a) for a in self._system.addresses]

    def _id(self, kind: str, name: str) -> int:
        found = self._find(kind, name)
        if found >= 0:
            return found
        import difflib

        known = self.bodies if kind == "body" else self.joints
        near = difflib.get_close_matches(name, known, 1)
        hint = f" (did you mean '{near[0]}'?)" if near else ""
        raise ArgumentError(f"no {kind} named '{name}'{hint}")

    @property
    def input(self) -> Inputs:
        """The inputs: `sim.input["u"] = 3` acts from the current time on."""
        return Inputs(self)

    @property
    def states(self) -> States:
        """The states of first order: `sim.states["filtered"]`."""
        return States(self)

    def controller(
        self, name: str, function: Callable[[float, Tuple[float, ...]], float]
    ) -> None:
        """Lets a function control: it is given the time and the controller's inputs at every sample.

        What it returns is the controller's output until the next sample. An exception in it stops
        the run and comes through.
        """
        if not self._controller(name, function):
            raise ArgumentError(f"no controller named '{name}'")

    def push(
        self, body: str, force: Sequence[float] = (0, 0, 0), torque: Sequence[float] = (0, 0, 0)
    ) -> None:
        """Pushes a body from now on: force at its centre of mass and torque, world axes; zeros let it go."""
        self._push(self._id("body", body), force, torque)

    def push_by(
        self, body: str, function: Optional[Callable[[float, Pose], Any]]
    ) -> None:
        """Lets a function push a body: it is given the time and the pose, whenever forces are asked for.

        It returns the force at the centre of mass, or (force, torque), of three numbers each, in
        world axes, which comes on top of `push`; it should depend on nothing but what it is given. None ends it. An exception stops the run and comes
        through.
        """
        if function is None:
            self._push_by(self._id("body", body), None)
            return
        if not callable(function):
            raise TypeError("a push must be a function of time and pose, or None")
        asked = function
        self._push_by(self._id("body", body), lambda t, pose: asked(t, Pose(*pose)))

    @property
    def events(self) -> List[Tuple[str, float]]:
        """Events that have happened, and when; the first 256 of them."""
        return self._events()

    @property
    def ended(self) -> Optional[str]:
        """The event that ended the run; None: there was none."""
        return self._ended()

    def listen(self, event: str, function: Optional[Callable[[float], object]]) -> None:
        """Calls a function with the time whenever the event happens; None: no more.

        An exception in it stops the run and comes through.
        """
        if not self._listen(event, function):
            raise ArgumentError(f"no event named '{event}'")

    # ---- copies

    def save(self) -> bytes:
        """The run as it stands, with all that its method remembers."""
        return self._save()

    def restore(self, data: bytes) -> None:
        """Stands where a saved run of the same model did."""
        self._restore(data)

    def copy(self) -> Sim:
        """A second run that stands where this one does; it goes on bit by bit as this one would.

        Functions that control this one are to be given to it anew.
        """
        other = Sim(self._system)
        other._take(self)
        return other

    # ---- state

    def set_state(self, t: float, q: Sequence[float], v: Sequence[float]) -> None:
        """Starts anew from a state, which need not meet the constraints exactly; `states` begin where the model says."""
        self._set_state(t, q, v)

    def _state(
        self, t: Optional[float], q: Optional[Sequence[float]], v: Optional[Sequence[float]]
    ) -> Tuple[float, Any, Any]:
        return (
            self.time if t is None else t,
            self.q.tolist() if q is None else q,
            self.v.tolist() if v is None else v,
        )

    def pose(self, body: str) -> Pose:
        """Pose and velocities of a body."""
        return Pose(*self._pose(self._id("body", body)))

    def reaction(self, joint: str) -> Reaction:
        """Force and torque in a joint."""
        return Reaction(*self._reaction(self._id("joint", joint)))

    def coordinate(self, joint: str, name: Optional[str] = None) -> Tuple[float, float]:
        """Value and rate of a joint's coordinate; the first when no name is given."""
        number = self._id("joint", joint)
        known = self._system.coordinates(number)
        if name is not None and name not in known:
            said = ", ".join(known) or "none"
            raise ArgumentError(f"joint '{joint}' has no coordinate '{name}' (it has: {said})")
        return self._coordinate(number, name)

    def joint_rows(self, joint: str) -> range:
        """Which rows, and multipliers, are a joint's."""
        first, count = self._system.joint_rows(self._id("joint", joint))
        return range(first, first + count)

    # ---- the equations of motion

    def equations(
        self,
        t: Optional[float] = None,
        q: Optional[Sequence[float]] = None,
        v: Optional[Sequence[float]] = None,
    ) -> Equations:
        """The equations at a state, that of the run where nothing is given; the run is not moved."""
        e = self._evaluate(*self._state(t, q, v))
        nv, m = self._system.nv, self._system.rows
        return Equations(
            array(e["mass"], nv, nv),
            array(e["jacobian"], m, nv),
            array(e["force"], nv),
            array(e["gamma"], m),
            array(e["position"], m),
            array(e["velocity"], m),
        )

    @property
    def M(self) -> Array:
        """Mass matrix at the state of the run."""
        return self.equations().M

    @property
    def J(self) -> Array:
        """Jacobian of the constraints at the state of the run."""
        return self.equations().J

    def forward(
        self,
        t: Optional[float] = None,
        q: Optional[Sequence[float]] = None,
        v: Optional[Sequence[float]] = None,
    ) -> Tuple[Array, Array]:
        """Accelerations and multipliers at a state, whatever the method of the run."""
        a, multipliers = self._forward(*self._state(t, q, v))
        return array(a, self._system.nv), array(multipliers, self._system.rows)

    def mass_solve(self, x: Sequence[float], q: Optional[Sequence[float]] = None) -> Array:
        """M^-1 x at a configuration."""
        t, at, _ = self._state(None, q, None)
        return array(self._mass_solve(t, at, x), self._system.nv)

    def project(
        self, q: Sequence[float], v: Sequence[float], t: Optional[float] = None
    ) -> Tuple[Array, Array]:
        """The state nearby that meets the constraints, by the least change in kinetic energy."""
        moved = self._project(*self._state(t, q, v))
        return array(moved[0], self._system.nq), array(moved[1], self._system.nv)

    def point_jacobian(self, body: str, point: Sequence[float]) -> Array:
        """6 x nv: velocity of a point (body frame) and angular velocity of the body, by v."""
        return array(self._point_jacobian(self._id("body", body), point), 6, self._system.nv)

    # ---- energies, audit

    @property
    def energy(self) -> Energy:
        """Energies at the state of the run."""
        return Energy(**self._energy())

    @property
    def ledger(self) -> Dict[str, float]:
        """What every source has brought into the motion [J], with the option ``ledger="on"``.

        Forces but for what they store, drivers, pushes, impacts, by their names; negative where they
        took away. They add up to ``energy.work``.
        """
        return self._ledger()

    @property
    def residuals(self) -> Residuals:
        """Violations of the constraints at the state of the run."""
        raw: Dict[str, Any] = dict(self._residuals())
        names = self.rows
        for key in ("position_row", "velocity_row", "acceleration_row"):
            raw[key] = names[raw[key]] if raw[key] >= 0 else None
        return Residuals(**raw)

    @property
    def summary(self) -> Summary:
        """What the run has done so far."""
        return summary_of(self._summary())[0]

    @property
    def audit(self) -> Audit:
        """What the audit says of the steps so far."""
        return summary_of(self._summary())[1]

    def verify(self) -> MotionError:
        """How far states at which `step` and `advance` ended may be off: runs a companion up to the present one."""
        return MotionError(**self._verify())

    # ---- a whole run

    def run(self, progress: Progress = None) -> Result:
        """Runs to the option `duration` and records every `output_step`.

        Ctrl-C stops it and keeps what was computed (`Result.interrupted`). A run that fails raises
        `RunError`, whose `result` has everything up to there.
        """
        with open_bar(progress) as bar:
            status, message, raw, interrupted = self._run(bar)
        result = Result(raw, interrupted=interrupted)
        if status and not interrupted:
            error = failure(status, message)
            if isinstance(error, RunError):
                error.result = result
            raise error
        return result

    def inverse_efforts(self, a: Sequence[float], forces: Sequence[str]) -> Array:
        """What these forces must do for the accelerations a; as many as degrees of freedom."""
        return array(self._inverse_efforts(a, list(forces)), len(forces))

    def __repr__(self) -> str:
        return f"<holon.Sim of '{self._system.name}' at t = {self.time:.6g} s>"
