"""What solutions of machines are made of: plain equations followed, linear ones, mechanisms of one freedom."""

import numpy as np
import scipy.linalg
from numpy.polynomial import Chebyshev

from physics import Hard, follow


def smooth(rate, state, times):
    return follow(lambda mode, t, y: rate(t, y), state, 0, lambda mode: [], None, times)


def linear(A, b, start, times):
    """x' = A x + b, at the times."""
    n = len(A)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n] = A, b
    return np.array([(scipy.linalg.expm(whole * t) @ [*start, 1])[:n] for t in times])


class Reduced:
    """A planar mechanism of one freedom q: inertia, and force of gravity, from where its bodies are."""

    def __init__(self, places, mass, gravity, low, high, degree=120):
        self.places, self.mass = places, mass
        of = lambda f: Chebyshev.interpolate(lambda v: np.array([f(q) for q in v]), degree, [low, high])
        speed = lambda name, q: np.array([c.imag / 1e-30 for c in places[name](q + 1e-30j)])
        self.speed = speed
        self.I = of(lambda q: sum(m * np.sum(speed(n, q)[:2] ** 2) + J * speed(n, q)[2] ** 2 for n, (m, J) in mass.items()))
        self.dI = self.I.deriv()
        self.weight = of(lambda q: sum(m * (speed(n, q)[:2] @ gravity) for n, (m, J) in mass.items()))
        if max(abs(self.I.coef[-4:])) > 1e-13 * max(abs(self.I.coef)):
            raise Hard("not smooth enough")

    def acceleration(self, q, w, effort):
        return (effort + self.weight(q) - self.dI(q) * w * w / 2) / self.I(q)

    def bodies(self, q, w):
        found = {}
        for name, (m, J) in self.mass.items():
            x, y, angle = np.real(self.places[name](q + 0j))
            vx, vy, spin = self.speed(name, q) * w
            found[name] = {"type": "planar", "mass": m, "inertia": J, "position": [float(x), float(y)], "angle": float(angle),
                           "velocity": [float(vx), float(vy)], "angular_velocity": float(spin)}
        return found


def angle_of(p):
    """Of a plane vector that may be complex: tan is analytic."""
    return 2 * np.arctan(p[1] / (np.sqrt(p[0] ** 2 + p[1] ** 2) + p[0]))
