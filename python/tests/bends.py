"""Hostile beams and flexible bodies: families as those of physics.py.

usage: bends.py BUILD FIRST LAST [FAMILY ...] [method=NAME ...] [OPTION=VALUE ...]     see physics.py

Beams that bend far in motion against planar elements of another kind (straight, strains in their middles), of
which two meshes are extrapolated; flexible bodies from matrices that strike stops or are held between limits,
against modes of the same matrices struck by impulses.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp

from machines import Placed
from physics import ROWS, Case, Hard, command_line, follow

METHODS = ["default", "explicit", "index2-alpha", "index3-alpha"]


class Reissner:
    """Planar beam of n straight elements with strains in their middles; masses at the nodes."""

    def __init__(self, n, L, EA, GA, EI, mu, rho, damping, clamped, load, moment, spin, bump):
        self.n, self.h, self.stiff, self.damping = n, L / n, np.array([EA, GA, EI]), damping
        self.m = np.full(n + 1, mu * L / n)
        self.J = np.full(n + 1, rho * L / n)
        self.m[[0, -1]] /= 2
        self.J[[0, -1]] /= 2
        self.clamped, self.load, self.moment, self.bump = clamped, load, moment, bump
        x = np.linspace(0, L, n + 1)
        self.start = np.array([x, 0 * x, 0 * x]).T
        self.rate = np.array([0 * x, spin * x, spin + 0 * x]).T

    def accelerations(self, t, q, v):
        h = self.h
        a, b, va, vb = q[:-1], q[1:], v[:-1], v[1:]
        mean = (a[:, 2] + b[:, 2]) / 2
        c, s = np.cos(mean), np.sin(mean)
        d, dv = (b - a)[:, :2] / h, (vb - va)[:, :2] / h
        spin = (va[:, 2] + vb[:, 2]) / 2
        strain = np.array([c * d[:, 0] + s * d[:, 1] - 1, -s * d[:, 0] + c * d[:, 1], (b - a)[:, 2] / h])
        across = np.array([-s * d[:, 0] + c * d[:, 1], -c * d[:, 0] - s * d[:, 1]])
        rate = np.array([c * dv[:, 0] + s * dv[:, 1] + spin * across[0], -s * dv[:, 0] + c * dv[:, 1] + spin * across[1], (vb - va)[:, 2] / h])
        N, Q, M = self.stiff[:, None] * (strain + self.damping * rate)
        fx, fy = c * N - s * Q, s * N + c * Q
        turn = (N * across[0] + Q * across[1]) * h / 2
        F = np.zeros_like(q)
        F[:-1, 0] += fx
        F[1:, 0] -= fx
        F[:-1, 1] += fy
        F[1:, 1] -= fy
        F[:-1, 2] += M - turn
        F[1:, 2] -= M + turn
        F[-1, :2] += self.load(t)
        F[-1, 2] += self.moment(t)
        if self.bump:
            k, gap = self.bump
            F[-1, 1] -= k * max(q[-1, 1] - gap, 0)
        out = F / np.array([self.m, self.m, self.J]).T
        if self.clamped:
            out[0] = 0
        else:
            out[0, :2] = 0
        return out

    def follow(self, times):
        size = self.start.size

        def rate(t, y):
            q, v = y[:size].reshape(-1, 3), y[size:].reshape(-1, 3)
            return np.concatenate([v.ravel(), self.accelerations(t, q, v).ravel()])

        done = solve_ivp(rate, (0, times[-1]), np.concatenate([self.start.ravel(), self.rate.ravel()]), method="LSODA", t_eval=times, rtol=1e-8,
                         atol=1e-9)
        if not done.success:
            raise Hard("no reference")
        return done.y[size - 3:size].T, done.y[-3:].T


def whip(r):
    """A beam clamped or hinged at one end, with a load and a moment at the other, bends as far as a turn."""
    L, mu, slow = r.uniform(0.5, 2), r.uniform(0.5, 4), r.uniform(2, 6)
    EI = mu * slow**2 * L**4 / 12.36
    EA, GA, rho, damping = 300 * EI / L**2, 200 * EI / L**2, 0.01 * mu * L**2, r.uniform(5e-3, 0.03)
    clamped = r.random() < 0.6
    F, wave, angle = r.uniform(1, 6) * EI / L**2, r.uniform(0.5, 2) * slow, r.uniform(0, 6)
    T = r.uniform(-3, 3) * EI / L
    spin = 0.0 if clamped else r.uniform(-1, 1) * slow
    along = np.array([math.cos(angle), math.sin(angle)])
    bump = (r.uniform(5, 40) * EI / L**3, r.uniform(0.05, 0.5) * L) if r.random() < 0.4 else None
    times = np.linspace(0, r.uniform(1, 2.5) / slow * 2, ROWS)
    load, moment = (lambda t: F * math.sin(wave * t) * along), (lambda t: T * math.sin(wave * t))
    found = [Reissner(n, L, EA, GA, EI, mu, rho, damping, clamped, load, moment, spin, bump).follow(times) for n in (20, 40)]
    place, speed = [(4 * b - a) / 3 for a, b in zip(*found)]
    gap = np.max(abs(found[1][0] - found[0][0]) / [L, L, 1]) / 3
    if gap > 3e-3:
        raise Hard("not converged")
    model = {"simulation": {"beam_check": "on"},
             "beams": {"arm": {"type": "planar", "from": [0, 0], "to": [L, 0], "elements": int(r.integers(10, 15)), "stiffness": [EA, GA, GA, EI, EI, EI],
                               "mass": [mu, mu, mu, rho, rho, rho], "damping": damping, "angular_velocity": spin}},
             "joints": {"wall": {"type": "fixed" if clamped else "revolute", "b": "arm.start"} | ({} if clamped else {"at": [0, 0]})},
             "forces": {"load": {"type": "force", "b": "arm.end", "force": [f"{F * a!r}*sin({wave!r}*t)" for a in along]},
                        "turn": {"type": "torque", "b": "arm.end", "torque": f"{T!r}*sin({wave!r}*t)"}}}
    if bump:
        model["forces"]["bump"] = {"type": "force", "b": "arm.end", "force": [0, f"-{bump[0]!r}*max(arm.end.y - {bump[1]!r}, 0)"]}
    size = float(np.max(np.ptp(place[:, :2], axis=0)))
    return Case(model, times, {"arm.end.x": place[:, 0], "arm.end.y": place[:, 1], "arm.end.angle": place[:, 2]}, size=max(size, 0.1 * L),
                apart=5e-4 + gap)


# ---- flexible bodies -------------------------------------------------------------------------------


def beam_matrices(n, L, EI, mu, EA=None, GJ=None):
    """K and M of a beam along x in space: n elements, x y z and rotations about them at every node."""
    h = L / n
    EA, GJ = EA or 1e3 * EI / L**2, GJ or EI
    K, M = np.zeros((6 * n + 6,) * 2), np.zeros((6 * n + 6,) * 2)
    bend = EI / h**3 * np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h],
                                 [-12, -6 * h, 12, -6 * h], [6 * h, 2 * h * h, -6 * h, 4 * h * h]])
    heavy = mu * h / 420 * np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h],
                                     [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]])
    two, even = np.array([[1, -1], [-1, 1]]), np.array([[2, 1], [1, 2]]) / 6
    for e in range(n):
        at = lambda *which: [6 * (e + i // 6) + i % 6 for i in which]
        sides = [(at(1, 5, 7, 11), np.ones(4)), (at(2, 4, 8, 10), np.array([1, -1, 1, -1]))]  # about y slopes are negative
        for place, sign in sides:
            K[np.ix_(place, place)] += bend * np.outer(sign, sign)
            M[np.ix_(place, place)] += heavy * np.outer(sign, sign)
        K[np.ix_(at(0, 6), at(0, 6))] += EA / h * two
        M[np.ix_(at(0, 6), at(0, 6))] += mu * h * even
        K[np.ix_(at(3, 9), at(3, 9))] += GJ / h * two
        M[np.ix_(at(3, 9), at(3, 9))] += 1e-3 * mu * L**2 * h * even
    return K, M


def market(A):
    rows = [(i, j, A[i, j]) for i in range(len(A)) for j in range(i + 1) if A[i, j]]
    return (f"%%MatrixMarket matrix coordinate real symmetric\n{len(A)} {len(A)} {len(rows)}\n"
            + "".join(f"{i + 1} {j + 1} {x!r}\n" for i, j, x in rows))


def struck(r):
    """A clamped flexible bar whose tip is pushed to and fro between two stops, and strikes them."""
    n, L, mu, slow = int(r.integers(2, 5)), r.uniform(0.5, 2), r.uniform(0.5, 4), r.uniform(3, 10)
    EI = mu * slow**2 * L**4 / 12.36
    K, M = beam_matrices(n, L, EI, mu)
    kept, e = 6 * (n - 1), r.uniform(0.2, 0.9)  # modes: all of those there are
    F, wave = 2e-3 * EI / L**2, r.uniform(0.3, 1.2) * slow
    lo, hi = -r.uniform(0.2, 0.6) * 1e-3 * L, r.uniform(0.2, 0.6) * 1e-3 * L
    times = np.linspace(0, 4 / slow * r.uniform(0.5, 1.5), ROWS)
    # the plane of x and y alone moves: v and rotation about z of all nodes but the first
    inside = [6 * i + k for i in range(1, n + 1) for k in (1, 5)]
    K2, M2 = K[np.ix_(inside, inside)], M[np.ix_(inside, inside)]
    inverse, N = np.linalg.inv(M2), len(inside)
    push = np.zeros(N)
    push[-2] = 1
    kick = inverse @ push / (push @ inverse @ push)
    scale = 1e-3 * L  # of numbers that scipy integrates

    def rate(mode, t, y):
        return np.concatenate([y[N:], inverse @ (push * F * math.sin(wave * t) / scale - K2 @ y[:N])])

    def jump(mode, which, t, y):
        fast = y[N + N - 2]
        if abs(fast) < 0.02 * slow:
            raise Hard("too slow")
        y = np.array(y)
        y[N:] -= (1 + e) * fast * kick
        return mode, y

    guards = lambda mode: [lambda t, y: y[N - 2] - lo / scale, lambda t, y: hi / scale - y[N - 2]]
    often = np.linspace(0, times[-1], 30 * (ROWS - 1) + 1)  # short blows are missed by longer steps
    rows = follow(rate, np.zeros(2 * N), 0, guards, jump, often)[::30] * scale
    at = Placed(r)
    nodes = "".join(f"{i + 1} {L * i / n!r} 0 0\n" for i in range(n + 1)) + "# all\n"
    model = {"flexible": {"bar": {"nodes": nodes, "stiffness": market(K), "mass": market(M), "interface": {"root": 1, "tip": n + 1},
                                  "modes": kept, "position": at.at(0, 0, 0), "orientation": at.orientation}},
             "joints": {"wall": {"type": "fixed", "b": "bar.root"},
                        "above": {"type": "stop", "b": "bar.tip", "at": at.at(L, hi, 0), "at_b": at.at(L, 0, 0), "axis": at.along(0, -1, 0), "restitution": e},
                        "below": {"type": "stop", "b": "bar.tip", "at": at.at(L, lo, 0), "at_b": at.at(L, 0, 0), "axis": at.along(0, 1, 0), "restitution": e}},
             "forces": {"push": {"type": "force", "b": "bar.tip", "force": [f"{F * a!r}*sin({wave!r}*t)" for a in at.along(0, 1, 0)]}}}
    tip = np.array([at.at(L, y, 0) for y in rows[:, N - 2]])
    fast = np.array([at.along(0, v, 0) for v in rows[:, 2 * N - 2]])
    return Case(model, times, {f"bar.tip.{c}": tip[:, i] for i, c in enumerate("xyz")} | {f"bar.tip.v{c}": fast[:, i] for i, c in enumerate("xyz")},
                size=scale, speed=scale * slow, apart=2e-5)


FAMILIES = [whip, struck]

if __name__ == "__main__":
    command_line(FAMILIES, METHODS)
