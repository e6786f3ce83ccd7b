"""Textbook laws at random: families as those of physics.py, each against equations of its own.

usage: laws.py BUILD FIRST LAST [FAMILY ...] [method=NAME[,OPTION=VALUE ...] ...] [OPTION=VALUE ...]     see physics.py

Heavy tops by Euler's equations about their tip, masses in space between springs and dampers, and trains of gears
with springs, dampers and a motor.
"""

import math

import numpy as np
from scipy.spatial.transform import Rotation

from physics import G, ROWS, Case, command_line
from reduced import linear, smooth

METHODS = ["default", "explicit", "baumgarte", "index3-alpha,rtol=1e-5", "index2-bdf", "energy-momentum", "default,coordinates=natural",
           "default,coordinates=relative", "default,coordinates=reference", "default,code=native"]


def top(r):
    """A body of any inertia on its tip, thrown."""
    m, tip = r.uniform(0.2, 3), r.normal(size=3) * 0.2
    least = r.uniform(0.01, 0.1, 3)
    inertia = np.array([least[1] + least[2], least[0] + least[2], least[0] + least[1]])  # as of masses that exist
    turn, spin = Rotation.random(random_state=int(r.integers(1 << 30))), r.normal(size=3) * r.choice([1, 10])
    about = np.diag(inertia) + m * (tip @ tip * np.eye(3) - np.outer(tip, tip))
    times = np.linspace(0, 0.8, ROWS)

    # quaternion (vector, scalar) and spin in the body's axes; `tip` is where the centre is, seen from the tip
    def rate(t, y):
        u, s, w = y[:3], y[3], y[4:]
        down = Rotation.from_quat(y[:4]).inv().apply([0, 0, -m * G])
        return [*(s * w + np.cross(u, w)) / 2, -u @ w / 2, *np.linalg.solve(about, np.cross(tip, down) - np.cross(w, about @ w))]

    rows = smooth(rate, [*turn.as_quat(), *turn.inv().apply(spin)], times)
    turns = [Rotation.from_quat(row[:4]) for row in rows]
    places = np.array([turned.apply(tip) for turned in turns])
    spins = np.array([turned.apply(row[4:]) for turned, row in zip(turns, rows)])
    speeds = np.cross(spins, places)
    vector = turn.as_rotvec()
    angle = float(np.linalg.norm(vector))
    model = {"gravity": [0, 0, -G],
             "bodies": {"top": {"mass": m, "inertia": inertia.tolist(), "position": places[0].tolist(),
                                "orientation": {"axis": (vector / angle).tolist(), "angle": angle},
                                "velocity": speeds[0].tolist(), "angular_velocity": spin.tolist()}},
             "joints": {"tip": {"type": "spherical", "b": "top", "at": [0, 0, 0]}}}
    columns = {}
    for i, c in enumerate("xyz"):
        columns[f"top.{c}"], columns[f"top.v{c}"], columns[f"top.w{c}"] = places[:, i], speeds[:, i], spins[:, i]
    return Case(model, times, columns)


def network(r):
    """Points in space, springs and dampers between them and to the ground."""
    n = int(r.integers(2, 6))
    m, x, v = r.uniform(0.2, 3, n), r.normal(size=(n, 3)) * 2, r.normal(size=(n, 3))
    ends = [(i, j) for i in range(n) for j in range(i) if r.random() < 0.7] + [(i, -1) for i in range(n)]
    held = r.normal(size=(len(ends), 3)) * 3
    k, c, free = 10 ** r.uniform(0, 3, len(ends)), r.uniform(0, 2, len(ends)), r.uniform(0.2, 2, len(ends))
    times = np.linspace(0, 0.6, ROWS)

    def rate(t, y):
        p, u = y[:3 * n].reshape(n, 3), y[3 * n:].reshape(n, 3)
        f = m[:, None] * [0, 0, -G]
        for e, (i, j) in enumerate(ends):
            along = p[i] - (p[j] if j >= 0 else held[e])
            length = math.sqrt(along @ along)
            along = along / length
            pull = -(k[e] * (length - free[e]) + c[e] * along @ (u[i] - (u[j] if j >= 0 else 0))) * along
            f[i] += pull
            if j >= 0:
                f[j] -= pull
        return [*y[3 * n:], *(f / m[:, None]).ravel()]

    rows = smooth(rate, [*x.ravel(), *v.ravel()], times)
    spring = lambda e: {"type": "spring", "stiffness": k[e], "damping": c[e], "free": free[e]}
    forces = {f"s{e}": spring(e) | ({"a": f"p{j}", "b": f"p{i}"} if j >= 0 else {"b": f"p{i}", "at": held[e].tolist()})
              for e, (i, j) in enumerate(ends)}
    model = {"gravity": [0, 0, -G], "forces": forces,
             "bodies": {f"p{i}": {"type": "point", "mass": m[i], "position": x[i].tolist(), "velocity": v[i].tolist()} for i in range(n)}}
    columns = {}
    for i in range(n):
        for a, axis in enumerate("xyz"):
            columns[f"p{i}.{axis}"], columns[f"p{i}.v{axis}"] = rows[:, 3 * i + a], rows[:, 3 * (n + i) + a]
    return Case(model, times, columns)


def train(r):
    """Wheels in gear one after the other, each on a spring with a damper, and a motor on the last."""
    n = int(r.integers(2, 6))
    J, k, c = r.uniform(0.01, 0.5, n), r.uniform(0, 20, n), r.uniform(0, 0.3, n)
    ratio, w0, T = r.choice([-1, 1], n - 1) * r.uniform(0.4, 2.5, n - 1), r.normal(), r.uniform(-2, 2)
    turns = np.concatenate([[1], np.cumprod(ratio)])  # of each wheel for one of the first
    total = lambda of: float(turns**2 @ of)
    A = np.array([[0, 1], [-total(k) / total(J), -total(c) / total(J)]])
    times = np.linspace(0, 1.5, ROWS)
    rows = linear(A, np.array([0, T * turns[-1] / total(J)]), [0, w0], times)
    joints = {f"j{i}": {"type": "revolute", "b": f"w{i}", "at": [float(i), 0]} for i in range(n)}
    joints |= {f"g{i}": {"type": "gear", "joint_a": f"j{i}", "joint_b": f"j{i + 1}", "ratio": ratio[i]} for i in range(n - 1)}
    forces = {f"s{i}": {"type": "torsion-spring", "joint": f"j{i}", "stiffness": k[i], "damping": c[i], "free": 0} for i in range(n)}
    model = {"bodies": {f"w{i}": {"type": "planar", "mass": 1, "inertia": J[i], "position": [float(i), 0],
                                  "angular_velocity": w0 * turns[i]} for i in range(n)},
             "joints": joints, "forces": forces | {"motor": {"type": "motor", "joint": f"j{n - 1}", "law": repr(float(T))}}}
    columns = {}
    for i in range(n):
        columns[f"j{i}.angle"], columns[f"j{i}.angle_rate"] = turns[i] * rows[:, 0], turns[i] * rows[:, 1]
    return Case(model, times, columns)


FAMILIES = [top, network, train]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
