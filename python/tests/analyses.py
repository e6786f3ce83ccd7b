"""Equilibria, modes, driven motions and efforts of random loops and rotating chains, against scipy.

usage: analyses.py BUILD FIRST LAST [FAMILY ...]     seeds; all families unless named

Loops are those of loops.py, whose places are functions of one angle; a pendulum on board gives a second one.
Chains hang from an arm that turns. Eigenvalues are those of equations written anew here, with differences
where derivatives are needed. A line is printed for whatever is neither right nor refused, and counts at the end.
"""

import collections
import math
import sys
from pathlib import Path

import numpy as np
import scipy.integrate
import scipy.linalg
from scipy.optimize import fsolve

from loops import Loop
from machines import Placed
from physics import Hard, number

TIGHT = 2e-6


def differences(V, q, h=1e-3):
    """Second derivatives by central differences of fourth order."""
    n = len(q)
    K = np.zeros((n, n))
    weight = {-2: 1 / 12, -1: -2 / 3, 1: 2 / 3, 2: -1 / 12}
    for i in range(n):
        for j in range(n):
            for a, x in weight.items():
                for b, y in weight.items():
                    p = np.array(q, float)
                    p[i] += a * h
                    p[j] += b * h
                    K[i, j] += x * y * V(p) / h**2
    return K


def roots_of(M, C, K):
    """Eigenvalues of M x'' + C x' + K x = 0, those with negative imaginary part left out."""
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    s = np.linalg.eigvals(A)
    return s[s.imag > -1e-9 * (1 + abs(s))]


def unlike(found, wanted):
    """How far two sets of numbers are apart, relative to the largest; infinite when they are not as many."""
    if len(found) != len(wanted):
        return math.inf
    left, worst = list(found), 0.0
    for s in wanted:
        k = int(np.argmin([abs(x - s) for x in left]))
        worst = max(worst, abs(left.pop(k) - s))
    return worst / max(abs(np.array(wanted)))


def modes_of(model, **more):
    import holon
    found = holon.Model(model).modes(**more)
    return np.array([m.s for m in found.modes])


# ---- loops ---------------------------------------------------------------------------------------


def resting(r):
    """The equilibrium of a loop, its stability, and its vibration with oil in a joint."""
    import holon
    loop = Loop(r)
    loop.k = max(loop.k, 2.0)
    loop.fit()
    model = loop.model(0)
    model["forces"]["wind"]["stiffness"] = loop.k
    model["forces"]["oil"]["joint"] = loop.oily
    rest = holon.Model(model).statics()
    q = rest["O.angle"] + loop.q0
    if loop.within(q) < 0:
        raise Hard("too far")
    scale = sum(m for m, _ in loop.mass.values()) * np.linalg.norm(loop.gravity) + loop.k
    off = abs(loop.dV(q)) / scale
    stiff, inertia = loop.dV.deriv()(q), loop.I(q)
    if stiff < 1e-3 * scale:
        raise Hard("soft")
    words = [f"dV {off:.1e}"] if off > TIGHT else []
    if rest.stability != "stable":
        words.append(rest.stability)
    if abs(rest.softest - stiff / inertia) > TIGHT * 10 * stiff / inertia:
        words.append(f"softest {rest.softest} is {stiff / inertia}")
    wanted = np.roots([inertia, loop.c * loop.slip(q) ** 2, stiff])
    wanted = wanted[wanted.imag >= 0]
    apart = unlike(modes_of(model), wanted)
    return words + ([f"modes {apart:.1e}"] if apart > 10 * TIGHT else [])


def aboard(r):
    """A pendulum hangs from the loop: two modes, damped."""
    loop = Loop(r)
    loop.k, loop.c = r.uniform(3, 10), r.uniform(0.05, 0.4)
    carrier = str(r.choice(sorted(loop.places)))
    m, l, J, k, c = r.uniform(0.5, 2), r.uniform(0.2, 0.6), r.uniform(0.01, 0.2), r.uniform(1, 5), r.uniform(0, 0.3)
    loop.fit()
    p0 = r.uniform(-2, 2)
    way = loop.way[carrier]
    turn0 = way[2](loop.q0)
    # angles: q of the crank, s of the pendulum against its carrier

    def bob(y):
        p = p0 + y[1] + way[2](y[0]) - turn0
        return np.array([way[0](y[0]) + l * math.cos(p), way[1](y[0]) + l * math.sin(p), p])

    V = lambda y: loop.V(y[0]) - m * loop.gravity @ bob(y)[:2] + k * y[1] ** 2 / 2

    def mass(y):
        h = 1e-3
        D = np.array([(8 * (bob(y + h * e) - bob(y - h * e)) - (bob(y + 2 * h * e) - bob(y - 2 * h * e))) / (12 * h)
                      for e in np.eye(2)])
        M = D @ np.diag([m, m, J]) @ D.T
        M[0, 0] += loop.I(y[0])
        return M

    at = loop.at
    place = np.array([way[0](loop.q0), way[1](loop.q0)])
    centre = place + l * np.array([math.cos(p0), math.sin(p0)])
    if loop.planar:
        body = {"type": "planar", "mass": m, "inertia": J, "position": centre.tolist()}
        hinge = {"type": "revolute", "a": carrier, "b": "bob", "at": place.tolist()}
    else:
        body = {"mass": m, "inertia": [J, J, J], "position": at.at(*centre, 0), "orientation": at.orientation}
        hinge = {"type": "revolute", "a": carrier, "b": "bob", "at": at.at(*place, 0), "axis": at.along(0, 0, 1)}
    model = loop.model(0, bodies={"bob": body}, joints={"hinge": hinge}, forces={
        "tie": {"type": "torsion-spring", "joint": "hinge", "stiffness": k, "damping": c, "free": 0.0}})
    import holon
    rest = holon.Model(model).statics()
    y = np.array([rest["O.angle"] + loop.q0, rest["hinge.angle"]])
    if loop.within(y[0]) < 0.1:
        raise Hard("too far")
    gradient = [(8 * (V(y + 1e-3 * e) - V(y - 1e-3 * e)) - (V(y + 2e-3 * e) - V(y - 2e-3 * e))) / 12e-3 for e in np.eye(2)]
    scale = 10 * sum(x for x, _ in loop.mass.values()) + loop.k
    words = [f"dV {max(np.abs(gradient)) / scale:.1e}"] if max(np.abs(gradient)) > 1e-5 * scale else []
    K = differences(V, y)
    C = np.diag([loop.c * loop.slip(y[0]) ** 2, c])
    if min(np.linalg.eigvalsh(K)) < 1e-2:
        raise Hard("soft")
    wanted = roots_of(mass(y), C, K)
    apart = unlike(modes_of(model), wanted)
    return words + ([f"modes {apart:.1e}"] if apart > 1e-5 else [])


def driven(r):
    """What a driver of the crank must do; kinematics and inverse dynamics, and a motor in its place."""
    import holon
    loop = Loop(r)
    speed, wave, w = r.uniform(-3, 3), r.uniform(0.1, 0.5), r.uniform(1, 8)
    crank = lambda t: (loop.q0 + speed * t + wave * math.sin(w * t), speed + wave * w * math.cos(w * t), -wave * w * w * math.sin(w * t))

    def effort(t):
        q, v, a = crank(t)
        return loop.I(q) * a - loop.drive(q, v)

    model = loop.model(crank(0)[1], joints={"drive": {"type": "driver", "joint_a": "O", "motion": f"{speed!r}*t + {wave!r}*sin({w!r}*t)"}})
    times = np.linspace(0, 1, 11)
    if loop.within(loop.q0 + abs(speed) + wave) < 0:
        raise Hard("too far")
    wanted = np.array([effort(t) for t in times])
    size = max(abs(wanted))
    words = []

    def check(what, values):
        off = np.max(abs(np.asarray(values) - wanted)) / size
        if off > TIGHT:
            words.append(f"{what} {off:.1e}")

    made = holon.Model(model)
    more = {"duration": 1.0, "output_step": 0.1}
    check("kinematics", made.kinematics(**more).result["drive.lambda_motion"])
    inverse = made.inverse(**more)
    check("inverse", inverse.result["drive.effort"])
    fine = np.array([effort(t) for t in np.linspace(0, 1, 4001)])
    peak = inverse["drive"].peak
    if abs(abs(peak) - max(abs(fine))) > 1e-3 * size:
        words.append(f"peak {peak} is {max(abs(fine))}")
    work = scipy.integrate.trapezoid(fine * [crank(t)[1] for t in np.linspace(0, 1, 4001)], dx=1 / 4000)
    if abs(inverse["drive"].work - work) > 2e-3 * size:
        words.append(f"work {inverse['drive'].work} is {work}")
    model["joints"]["drive"]["by"] = "motor"
    model["forces"]["motor"] = {"type": "motor", "joint": "O", "law": "0"}
    check("by a motor", holon.Model(model).inverse(**more).result["motor.effort"])
    return words


# ---- chains on an arm that turns -------------------------------------------------------------------


def chair(r):
    """Masses hang one below the other from an arm that turns steadily; modes as seen from the arm."""
    n, W, R, g = int(r.integers(1, 4)), r.uniform(1, 5), r.uniform(0.2, 1), r.uniform(3, 12)
    m, l = r.uniform(0.5, 2, n), r.uniform(0.3, 0.8, n)
    k = r.uniform(0, 30)  # a spring from the arm's axle to the last mass
    at = Placed(r)

    def places(angle):
        x, z = R + np.cumsum(l * np.sin(angle)), -np.cumsum(l * np.cos(angle))
        return np.column_stack([x, 0 * x, z])

    V1 = lambda X: sum(m * g * X[:, 2]) - W**2 / 2 * sum(m * (X[:, 0] ** 2 + X[:, 1] ** 2)) + k / 2 * (X[-1] @ X[-1])
    slope = lambda a: [(V1(places(a + 1e-6 * e)) - V1(places(a - 1e-6 * e))) / 2e-6 for e in np.eye(n)]
    found = fsolve(slope, np.full(n, 0.5), xtol=1e-13, full_output=True)
    if found[2] != 1 or max(abs(found[0])) > 1.5:
        raise Hard("no steady motion")
    angle = found[0]
    for _ in range(3):  # to round-off, by second derivatives
        h = 1e-3
        first = np.array([(8 * (V1(places(angle + h * e)) - V1(places(angle - h * e))) - V1(places(angle + 2 * h * e)) + V1(places(angle - 2 * h * e))) / (12 * h)
                          for e in np.eye(n)])
        angle = angle - np.linalg.solve(differences(lambda a: V1(places(a)), angle), first)
    X = places(angle)
    # forces in the links from the last one up: what is left of every mass' balance
    tension, above = np.zeros(n), np.vstack([[R, 0, 0], X[:-1]])
    carry = np.zeros(3)
    for i in reversed(range(n)):
        need = m[i] * np.array([-W**2 * X[i, 0], -W**2 * X[i, 1], g]) + (k * X[i] if i == n - 1 else 0) + carry
        d = (above[i] - X[i]) / l[i]
        tension[i] = need @ d
        if np.linalg.norm(need - tension[i] * d) > 1e-5 * (1 + np.linalg.norm(need)):
            raise Hard("no balance")
        carry = tension[i] * d
    # linear: M x'' + 2 W J M x' + (K - W^2 m) x, on the displacements that keep lengths
    N = 3 * n
    M, K, C, B = np.zeros((N, N)), np.zeros((N, N)), np.zeros((N, N)), np.zeros((n, N))
    for i in range(n):
        s = slice(3 * i, 3 * i + 3)
        M[s, s] = m[i] * np.eye(3)
        K[s, s] -= W**2 * m[i] * np.diag([1, 1, 0])
        C[s, s] += 2 * W * m[i] * np.array([[0, -1, 0], [1, 0, 0], [0, 0, 0]])
        d = (X[i] - above[i]) / l[i]
        stiff = tension[i] / l[i] * np.eye(3)  # along the link the constraint acts
        B[i, s] = d
        K[s, s] += stiff
        if i:
            p = slice(3 * i - 3, 3 * i)
            B[i, p] = -d
            K[p, p] += stiff
            K[s, p] -= stiff
            K[p, s] -= stiff
    K[-3:, -3:] += k * np.eye(3)
    Z = scipy.linalg.null_space(B)
    wanted = roots_of(Z.T @ M @ Z, Z.T @ C @ Z, Z.T @ K @ Z)
    if max(wanted.real) > 1e-6 or min(abs(wanted)) < 1e-2:
        raise Hard("unstable or soft")
    model = {"gravity": at.along(0, 0, -g),
             "bodies": {"arm": {"mass": 2, "inertia": [1, 1, 1], "position": at.at(0, 0, 0), "orientation": at.orientation,
                                "angular_velocity": at.along(0, 0, W)}},
             "joints": {"axle": {"type": "revolute", "b": "arm", "at": at.at(0, 0, 0), "axis": at.along(0, 0, 1)},
                        "drive": {"type": "driver", "joint_a": "axle", "motion": f"{W!r}*t"}},
             "forces": {"tie": {"type": "spring", "b": f"m{n - 1}", "at": at.at(0, 0, 0), "at_b": at.at(*X[-1]), "stiffness": k, "free": 0.0}}}
    for i in range(n):
        model["bodies"][f"m{i}"] = {"type": "point", "mass": m[i], "position": at.at(*X[i]), "velocity": at.along(0, W * X[i, 0], 0)}
        model["joints"][f"link{i}"] = {"type": "distance", "a": f"m{i - 1}" if i else "arm", "b": f"m{i}", "at": at.at(*above[i]),
                                       "at_b": at.at(*X[i])}
    apart = unlike(modes_of(model, at="initial"), wanted)
    return [f"modes {apart:.1e} {wanted} {modes_of(model, at='initial')}"] if apart > 1e-6 else []


FAMILIES = [resting, aboard, driven, chair]


def attempt(make, seed):
    import holon
    try:
        words = make(np.random.default_rng([seed, number(make)]))
    except Hard as hard:
        return "no reference", [str(hard)]
    except holon.Error as refused:
        return "refused", [str(refused).splitlines()[0]]
    return ("WRONG" if words else "right"), words


def main():
    sys.path[:0] = [str(Path(sys.argv[1]).resolve() / "python"), str(Path(__file__).resolve().parent)]
    for make in [f for f in FAMILIES if f.__name__ in sys.argv[4:] or not sys.argv[4:]]:
        count = collections.Counter()
        for seed in range(int(sys.argv[2]), int(sys.argv[3])):
            kind, words = attempt(make, seed)
            count[kind] += 1
            if kind in ("WRONG", "refused"):
                print(f"{make.__name__} seed {seed}: {kind}: {'; '.join(words)}", flush=True)
        print(f"{make.__name__}: " + ", ".join(f"{kind} {n}" for kind, n in sorted(count.items())), flush=True)


if __name__ == "__main__":
    main()
