#!/usr/bin/env python3
"""Woodpecker toy (models/woodpecker.yaml) in three coordinates: height of the sleeve, its tilt, the bird's.

Contacts are open, stick or slide; where one changes, all combinations are tried, and the one that obeys Signorini's
and Coulomb's laws is taken. Impacts: Newton's law along the normal, Coulomb's between impulses, the same way. Prints
impacts (contact, time, rate before, impulse) and the states that tests/test_mechanisms.c compares with.
"""
import itertools
import numpy as np
from scipy.integrate import solve_ivp

POLE, BORE, HALF, HINGE, BIRD, BEAK, REACH = 2.5e-3, 3.1e-3, 5.8e-3, 10e-3, 15e-3, 20e-3, 20.1e-3
MS, JS, MB, JB, C, G, MU = 0.3e-3, 5e-9, 4.5e-3, 7e-7, 0.0056, 9.81, 0.3
RESTITUTION = [0, 0, 0.5]
NAMES = ["lower", "upper", "peck"]


def equations(q, v):
    _, a, b = q
    J = np.array([[0, -HINGE*np.sin(a), -BIRD*np.sin(b)], [1, HINGE*np.cos(a), BIRD*np.cos(b)]])
    bias = np.array([-HINGE*np.cos(a)*v[1]**2 - BIRD*np.cos(b)*v[2]**2, -HINGE*np.sin(a)*v[1]**2 - BIRD*np.sin(b)*v[2]**2])
    M = np.diag([MS, JS, JB]) + MB*J.T@J
    f = -MB*J.T@bias + np.array([-G*MS, -C*(a - b), -C*(b - a)]) - G*MB*J[1]
    return M, f


def contacts(q, v):
    """gaps, normal and tangential directions, and what their rates change by without accelerations"""
    _, a, b = q
    out = []
    for u, w, beak in ((BORE, -HALF, False), (BORE, HALF, False), (-REACH, BEAK, True)):
        t = b if beak else a
        x, y = u*np.cos(t) - w*np.sin(t), u*np.sin(t) + w*np.cos(t)
        n, s = np.zeros(3), np.array([1.0, 0, 0])
        k = 2 if beak else 1
        n[k], s[k] = -y, x
        turn = v[k]**2
        dn, ds, gap = -x*turn, -y*turn, x - POLE
        if beak:
            gap += HINGE*np.cos(a) + BIRD*np.cos(b)
            n += [0, -HINGE*np.sin(a), -BIRD*np.sin(b)]
            s += [0, HINGE*np.cos(a), BIRD*np.cos(b)]
            dn += -HINGE*np.cos(a)*v[1]**2 - BIRD*np.cos(b)*v[2]**2
            ds += -HINGE*np.sin(a)*v[1]**2 - BIRD*np.sin(b)*v[2]**2
        out.append((gap, n, s, dn, ds))
    return out


def accelerate(q, v, mode):
    """mode of each contact: None open, 0 sticks, +1 or -1 slides. Accelerations, normal and tangential forces"""
    M, f = equations(q, v)
    c = contacts(q, v)
    unknown, A, r = [], [], []
    for i, m in enumerate(mode):
        if m is None:
            continue
        _, n, s, dn, ds = c[i]
        unknown.append((i, n if m == 0 else n - m*MU*s))
        A.append(n), r.append(-dn)
        if m == 0:
            unknown.append((i, s))
            A.append(s), r.append(-ds)
    k = len(unknown)
    K = np.zeros((3 + k, 3 + k))
    K[:3, :3] = M
    for j, (_, w) in enumerate(unknown):
        K[:3, 3 + j] = -w
    for j, row in enumerate(A):
        K[3 + j, :3] = row
    x = np.linalg.solve(K, np.concatenate([f, r]))
    N, T, j = [0, 0, 0], [0, 0, 0], 0
    for i, m in enumerate(mode):
        if m is None:
            continue
        N[i] = x[3 + j]
        T[i] = x[4 + j] if m == 0 else -m*MU*N[i]
        j += 2 if m == 0 else 1
    return x[:3], N, T


def choose(q, v, closed, slips=None):
    """slips: (contact, direction) that has just given way, where its acceleration is still zero"""
    c = contacts(q, v)
    slow = 1e-9
    kinds = []
    for i in range(3):
        u = c[i][2]@v
        kinds.append([None] if i not in closed else [0, 1, -1, None] if abs(u) < slow else [int(np.sign(u)), None])
    if slips:
        kinds[slips[0]] = [slips[1]]
    good = []
    for mode in itertools.product(*kinds):
        a, N, T = accelerate(q, v, mode)
        ok = True
        for i, m in enumerate(mode):
            gap, n, s, dn, ds = c[i]
            if m is None:
                ok &= i not in closed or n@a + dn > -1e-9
                continue
            ok &= N[i] > 0
            if m == 0:
                ok &= abs(T[i]) <= MU*N[i]
            elif abs(s@v) < slow and not (slips and i == slips[0]):
                ok &= m*(s@a + ds) > 0
        if ok:
            good.append(mode)
    if len(good) != 1:
        print("# choices:", good)
    return good[0]


def strike(q, v, closed):
    M, _ = equations(q, v)
    c = contacts(q, v)
    best = None
    for mode in itertools.product(*[[None, 0, 1, -1] if i in closed else [None] for i in range(3)]):
        rows, rhs, along = [], [], []
        for i, m in enumerate(mode):
            if m is None:
                continue
            n, s = c[i][1], c[i][2]
            along.append(n if m == 0 else n - m*MU*s)
            rows.append(n), rhs.append(-RESTITUTION[i]*min(n@v, 0) - n@v)
            if m == 0:
                along.append(s), rows.append(s), rhs.append(-s@v)
        P = np.linalg.solve(np.array(rows)@np.linalg.solve(M, np.array(along).T), rhs) if rows else np.zeros(0)
        dv = np.linalg.solve(M, np.array(along).T@P) if rows else np.zeros(3)
        ok, j, impulse = True, 0, [0, 0, 0]
        for i, m in enumerate(mode):
            n, s = c[i][1], c[i][2]
            if m is None:
                ok &= i not in closed or n@(v + dv) >= -RESTITUTION[i]*min(n@v, 0) - 1e-12
                continue
            impulse[i] = P[j]
            ok &= P[j] >= 0
            if m == 0:
                ok &= abs(P[j + 1]) <= MU*P[j]
                j += 1
            else:
                ok &= m*(s@(v + dv)) >= 0
            j += 1
        if ok and (best is None or np.linalg.norm(v + dv - best[0]) > 1e-9):
            if best:
                print("# impacts:", mode, v + dv, best)
            best = best or (v + dv, impulse)
    return best


def run(until, stops=()):
    t, q = 0.0, np.array([0, np.arcsin(POLE/np.hypot(BORE, HALF)) - np.arctan2(BORE, HALF), -0.2788])
    v = np.array([-0.3411, 0, -7.4583])
    impacts, states = [], []
    closed = {0}
    mode = choose(q, v, closed)
    stops = sorted(stops) + [until]
    while t < until - 1e-15:
        events, what = [], []

        def event(f, kind):
            f.terminal, f.direction = True, -1
            events.append(f), what.append(kind)
        for i, m in enumerate(mode):
            if m is None:
                event(lambda t, y, i=i: contacts(y[:3], y[3:])[i][0], ("close", i))
                continue
            event(lambda t, y, i=i: accelerate(y[:3], y[3:], mode)[1][i], ("open", i))
            if m:
                event(lambda t, y, i=i, m=m: m*(contacts(y[:3], y[3:])[i][2]@y[3:]), ("rest", i))
            else:
                def reserve(t, y, i=i):
                    _, N, T = accelerate(y[:3], y[3:], mode)
                    return MU*N[i] - abs(T[i])
                event(reserve, ("slip", i))
        end = next(s for s in stops if s > t + 1e-15)
        o = solve_ivp(lambda t, y: np.concatenate([y[3:], accelerate(y[:3], y[3:], mode)[0]]), (t, end),
                      np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-14, events=events, max_step=2e-3)
        t, y = o.t[-1], o.y[:, -1]
        q, v = y[:3], y[3:]
        if o.status == 0:
            states.append((t, q, v))
            continue
        k = next(i for i, e in enumerate(o.t_events) if len(e))
        kind, i = what[k]
        c = contacts(q, v)
        closed = {j for j, m in enumerate(mode) if m is not None}
        if kind == "close":
            closed.add(i)
            v_new, impulse = strike(q, v, closed)
            for j in closed:
                if impulse[j] > 0:
                    impacts.append((NAMES[j], t, c[j][1]@v, impulse[j]))
            v = v_new
            c = contacts(q, v)
            closed = {j for j in closed if abs(c[j][1]@v) < 1e-9}
        slips = (i, -int(np.sign(accelerate(q, v, mode)[2][i]))) if kind == "slip" else None
        mode = choose(q, v, closed - {i} if kind == "open" else closed, slips)
    return impacts, states


if __name__ == "__main__":
    impacts, states = run(2.0, [0.5, 1.0, 1.5])
    for name, t, before, p in impacts:
        print(f"{name:6s} {t:.12f} {before:.10g} {p:.10g}")
    for t, q, v in states:
        print(f"t = {t}: " + ", ".join(f"{x:.12g}" for x in [*q, *v]))
