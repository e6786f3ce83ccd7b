"""Models in other words: robot files with limits and friction, and parts that are put, turned, mirrored and repeated.

usage: written.py BUILD FIRST LAST [FAMILY ...] [method=NAME ...] [OPTION=VALUE ...]     see physics.py

Robots of one moving joint (URDF and MJCF, frames turned at random, links fixed to links, limits, dry friction,
damping, springs and armature) against the equation of one angle. Parts against the same machine written out
with places and directions that are computed here.
"""

import math
import tempfile
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from machines import held
from physics import ROWS, Case, Hard, command_line, follow

METHODS = ["default", "explicit", "index2-alpha", "index3-alpha", "baumgarte"]


def words(*numbers):
    return " ".join(repr(float(x)) for x in np.ravel(numbers))


def some_inertia(r):
    A = r.normal(size=(3, 3))
    A = A @ A.T * 0.02
    return np.trace(A) * np.eye(3) - A + 0.005 * np.eye(3)


class Link:
    """Mass, centre and inertia (about the centre) in axes of its own."""

    def __init__(self, r):
        self.m, self.c, self.I = r.uniform(0.3, 3), r.normal(size=3) * 0.3, some_inertia(r)

    def seen(self, turn, shift):
        """In the axes in which it is turned and shifted: mass, centre, inertia about the origin there."""
        c, I = turn @ self.c + shift, turn @ self.I @ turn.T
        return self.m, c, I + self.m * (c @ c * np.eye(3) - np.outer(c, c))


def swing(r, links, axis, turn, gravity, slides, damping=0.0, stiff=0.0, free=0.0, armature=0.0):
    """Angle (or way) of all links about (along) an axis of the joint's frame, which is turned in the world,
    between limits where it stays, and with dry friction: model of one coordinate, from rest at zero."""
    mass = sum(m for m, _, _ in links)
    moment = sum(m * c for m, c, _ in links)
    inertia = armature + (mass if slides else sum(axis @ I @ axis for _, _, I in links))
    g = turn.T @ gravity  # in the joint's frame at zero
    lo, hi = -r.uniform(0.1, 1.5), r.uniform(0.1, 1.5)
    dry = r.choice([0, r.uniform(0.05, 0.6)]) * (abs(mass * g @ axis) if slides else np.linalg.norm(moment) * 9) * 0.5
    times = np.linspace(0, 1.2, ROWS)

    def drive(y):
        pull = mass * g @ axis
        if not slides:
            pull = np.cross(Rotation.from_rotvec(axis * y[0]).apply(moment), g) @ axis
        return pull - damping * y[1] - stiff * (y[0] - free)

    # modes: 1, -1 slide that way, 0 rests by friction, "lo", "hi": at a stop; "free" without friction
    def rate(mode, t, y):
        if mode in (0, "lo", "hi"):
            return [0, 0]
        return [y[1], (drive(y) - (0 if mode == "free" else mode * dry)) / inertia]

    def leave(y):
        if not dry:
            return "free"
        return held(drive(y), dry)

    def guards(mode):
        if mode in (0, "lo", "hi"):
            return []
        found = [lambda t, y: y[0] - lo, lambda t, y: hi - y[0]]
        return found + ([lambda t, y: mode * y[1]] if dry else [])

    def jump(mode, which, t, y):
        if which == 2:
            y = np.array([y[0], 0])
            return leave(y), y
        if abs(y[1]) < 0.02:
            raise Hard("too slow")
        y = np.array([hi if which else lo, 0])
        push = drive(y) * (1 if which else -1)  # towards the stop
        if abs(push) < 1e-2 * (1 + dry) or abs(abs(push) - dry) < 1e-2 * dry:
            raise Hard("hardly rests")
        if push > 0 or -push < dry:
            return ("hi" if which else "lo"), y
        return (-1 if which else 1) if dry else "free", y

    start = np.zeros(2)
    if abs(abs(drive(start)) - dry) < 1e-2 * (0.1 + dry):
        raise Hard("at the limit")
    rows = follow(rate, start, leave(start), guards, jump, times)
    return rows, times, (lo, hi), float(dry)


def file_case(text, ending, name, slides, rows, times):
    folder = tempfile.mkdtemp(prefix="written")
    path = Path(folder) / ("robot" + ending)
    path.write_text(text)
    what = "translation" if slides else "angle"
    case = Case(str(path), times, {f"{name}.{what}": rows[:, 0], f"{name}.{what}_rate": rows[:, 1]})
    return case


def urdf(r):
    """A link on a joint with limits and friction, another fixed to it, on a base that is turned."""
    slides = r.random() < 0.4
    rpy = [r.uniform(-3, 3, 3) for _ in range(3)]
    xyz = [r.normal(size=3) for _ in range(3)]
    turned = [Rotation.from_euler("xyz", a).as_matrix() for a in rpy]
    axis = r.normal(size=3)
    unit = axis / np.linalg.norm(axis)
    one, two, inner = Link(r), Link(r), Rotation.from_euler("xyz", r.uniform(-3, 3, 3))
    damping = r.choice([0, r.uniform(0.05, 1)])
    # the first link's inertial frame is turned as well
    links = [one.seen(np.eye(3), np.zeros(3)), two.seen(turned[2], xyz[2])]
    g = np.array([0, 0, -9.81])
    rows, times, (lo, hi), dry = swing(r, links, unit, turned[0] @ turned[1], g, slides, damping)

    def inertial(link, frame):
        I = frame.as_matrix().T @ link.I @ frame.as_matrix()
        return (f'<inertial><origin xyz="{words(link.c)}" rpy="{words(frame.as_euler("xyz"))}"/><mass value="{link.m!r}"/>'
                f'<inertia ixx="{I[0, 0]!r}" iyy="{I[1, 1]!r}" izz="{I[2, 2]!r}" ixy="{I[0, 1]!r}" ixz="{I[0, 2]!r}" iyz="{I[1, 2]!r}"/>'
                '</inertial>')

    origin = lambda i: f'<origin xyz="{words(xyz[i])}" rpy="{words(rpy[i])}"/>'
    text = f"""<robot name="one"><link name="world_base"/>
<link name="foot"/><joint name="weld" type="fixed"><parent link="world_base"/><child link="foot"/>{origin(0)}</joint>
<link name="arm">{inertial(one, inner)}</link>
<joint name="moves" type="{'prismatic' if slides else 'revolute'}"><parent link="foot"/><child link="arm"/>{origin(1)}
<axis xyz="{words(axis)}"/><limit lower="{lo!r}" upper="{hi!r}" effort="1000" velocity="1000"/>
<dynamics damping="{damping!r}" friction="{dry!r}"/></joint>
<link name="hand">{inertial(two, Rotation.identity())}</link>
<joint name="grip" type="fixed"><parent link="arm"/><child link="hand"/>{origin(2)}</joint></robot>"""
    return file_case(text, ".urdf", "moves", slides, rows, times)


def mjcf(r):
    """The same as MJCF: a body with a joint off its origin, a spring, armature, and a body fixed in it."""
    slides = r.random() < 0.4
    quat = [Rotation.random(random_state=int(r.integers(1 << 30))) for _ in range(3)]
    xyz, pivot = [r.normal(size=3) for _ in range(3)], r.normal(size=3) * 0.3
    axis = r.normal(size=3)
    unit = axis / np.linalg.norm(axis)
    one, two = Link(r), Link(r)
    damping, stiff, free, armature = r.choice([0, r.uniform(0.05, 1)]), r.uniform(0, 5), r.uniform(-0.5, 0.5), r.uniform(0, 0.1)
    links = [one.seen(np.eye(3), -pivot), two.seen(quat[2].as_matrix(), xyz[2] - pivot)]
    g = np.array([0.5, -1, -9.0])
    rows, times, (lo, hi), dry = swing(r, links, unit, (quat[0] * quat[1]).as_matrix(), g, slides, damping, stiff, free, armature)
    q = lambda rotation: words(rotation.as_quat()[[3, 0, 1, 2]])
    full = lambda I: words(I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    text = f"""<mujoco><compiler angle="radian"/><option gravity="{words(g)}"/><worldbody>
<body name="foot" pos="{words(xyz[0])}" quat="{q(quat[0])}"><body name="arm" pos="{words(xyz[1])}" quat="{q(quat[1])}">
<inertial pos="{words(one.c)}" mass="{one.m!r}" fullinertia="{full(one.I)}"/>
<joint name="moves" type="{'slide' if slides else 'hinge'}" pos="{words(pivot)}" axis="{words(axis)}" range="{lo!r} {hi!r}" limited="true"
damping="{damping!r}" stiffness="{stiff!r}" springref="{free!r}" armature="{armature!r}" frictionloss="{dry!r}"/>
<body name="hand" pos="{words(xyz[2])}" quat="{q(quat[2])}"><inertial pos="{words(two.c)}" mass="{two.m!r}" fullinertia="{full(two.I)}"/></body>
</body></body></worldbody></mujoco>"""
    return file_case(text, ".xml", "moves", slides, rows, times)


# ---- parts ---------------------------------------------------------------------------------------


class Assembly:
    """Two bodies on a base in axes of their own, as a part or written out where a use has put them."""

    def __init__(self, r):
        vector = lambda size=1.0: r.normal(size=3) * size
        self.bodies = [{"m": r.uniform(0.5, 2), "I": some_inertia(r) * 5, "c": vector(0.2), "x": vector(), "w": np.zeros(3),
                        "R": Rotation.random(random_state=int(r.integers(1 << 30))).as_matrix()} for _ in range(2)]
        self.P, self.Q, self.n = vector(), vector(), vector()
        self.second = str(r.choice(["revolute", "prismatic", "universal", "spherical"]))
        self.axis = vector()
        other = vector()
        self.other = np.cross(self.axis, other)
        self.ends = [vector(), vector(), vector() + 2]  # a spring from the ground to the second body, a load on the first
        self.k, self.c, self.tie = r.uniform(5, 40), r.uniform(0.1, 1), r.uniform(1, 9)
        self.T, self.f = r.uniform(-3, 3), r.uniform(1, 6)

    def text(self, name, out, A=np.eye(3), s=np.zeros(3), scale="1"):
        """Elements with names beginning so, mirrored and turned by A and shifted by s; `out`: in axes of the world."""
        side = round(np.linalg.det(A))
        place = lambda x: (A @ x + s).tolist()
        along, about = (lambda x: (A @ x).tolist()), (lambda x: (side * A @ x).tolist())
        bodies, joints = {}, {}
        for i, b in enumerate(self.bodies):
            R = b["R"]
            body = {"mass": b["m"], "position": place(b["x"])}
            if out:
                body |= {"inertia": (A @ R @ b["I"] @ R.T @ A.T).tolist(), "com": (A @ R @ b["c"]).tolist()}
            else:
                v = Rotation.from_matrix(R).as_rotvec()
                body |= {"inertia": b["I"].tolist(), "com": b["c"].tolist(),
                         "orientation": {"axis": (v / np.linalg.norm(v)).tolist(), "angle": float(np.linalg.norm(v))}}
            bodies[f"{name}b{i}"] = body
        joints[f"{name}hinge"] = {"type": "revolute", "b": f"{name}b0", "at": place(self.P), "axis": about(self.n)}
        knee = {"type": self.second, "a": f"{name}b0", "b": f"{name}b1", "at": place(self.Q)}
        if self.second != "spherical":
            knee["axis"] = along(self.axis) if self.second == "prismatic" else about(self.axis)
        if self.second == "universal":
            knee["axis_b"] = about(self.other)
        joints[f"{name}knee"] = knee
        forces = {f"{name}strut": {"type": "spring", "b": f"{name}b1", "at": place(self.ends[0]), "at_b": place(self.ends[2]), "stiffness": self.k,
                                   "damping": self.c, "free": 1.0},
                  f"{name}tie": {"type": "torsion-spring", "joint": f"{name}hinge", "stiffness": self.tie, "free": 0.2},
                  f"{name}motor": {"type": "motor", "joint": f"{name}hinge", "law": f"{scale}*{self.T!r}*sin({self.f!r}*t)"}}
        return {"bodies": bodies, "joints": joints, "forces": forces}


def parts(r):
    """Uses of a part: put, turned, mirrored, repeated along a way or round an axis; against the same written out."""
    import holon
    part = Assembly(r)
    gravity = (r.normal(size=3) * 5).tolist()
    inside = part.text("", False, scale="much")
    use, out, columns = {}, {"gravity": gravity, "bodies": {}, "joints": {}, "forces": {}}, []
    for k, name in enumerate(("one", "two", "more")):
        turn, at = Rotation.random(random_state=int(r.integers(1 << 30))), r.normal(size=3) * 3
        v = turn.as_rotvec()
        mirror = str(r.choice(["", "xy", "xz", "yz"]))
        S = np.diag([-1.0 if mirror and c not in mirror else 1.0 for c in "xyz"])
        use[name] = {"part": "p", "at": at.tolist(), "orientation": {"axis": (v / np.linalg.norm(v)).tolist(), "angle": float(np.linalg.norm(v))},
                     "with": {"much": k + 0.5}}
        if mirror:
            use[name]["mirror"] = mirror
        copies = [(name, np.eye(3), np.zeros(3), f"{k + 0.5}")]
        if name == "more":
            axis, centre, step = r.normal(size=3), r.normal(size=3), r.normal(size=3)
            count = int(r.integers(2, 4))
            use[name]["repeat"] = count
            use[name]["with"]["much"] = "i + 1"
            if r.random() < 0.5:
                use[name]["step"] = step.tolist()
                copies = [(f"{name}{i}", np.eye(3), i * step, f"{i + 1}") for i in range(count)]
            else:
                use[name] |= {"about": axis.tolist(), "centre": centre.tolist()}
                round_by = [Rotation.from_rotvec(axis / np.linalg.norm(axis) * 2 * math.pi * i / count).as_matrix() for i in range(count)]
                copies = [(f"{name}{i}", B, centre - B @ centre, f"{i + 1}") for i, B in enumerate(round_by)]
        for called, B, shift, much in copies:
            written = part.text(called + "_", True, B @ turn.as_matrix() @ S, B @ at + shift, much)
            for section, elements in written.items():
                out[section] |= elements
            columns += [called]
    model = {"gravity": gravity, "parts": {"p": {"parameters": {"much": 1}} | inside}, "use": use}
    times = np.linspace(0, 0.5, 6)
    try:
        rows = holon.Model(out).run(duration=0.5, output_step=0.1, rtol=1e-10, verify="off", max_steps=20000)
    except holon.Error as refused:
        raise Hard(str(refused))
    wanted = {}
    for called in columns:
        for c in ("b0.x", "b0.y", "b0.z", "b1.x", "b1.y", "b1.z", "b1.vx", "hinge.angle", "hinge.angle_rate"):
            wanted[f"{called}.{c}"] = np.array(rows[f"{called}_{c}"])
        if part.second == "prismatic":
            wanted[f"{called}.knee.translation"] = np.array(rows[f"{called}_knee.translation"])
    return Case(model, times, wanted)


FAMILIES = [urdf, mjcf, parts]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
