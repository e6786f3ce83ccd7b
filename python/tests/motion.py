"""The motion of a random mechanism by the oracle's equations, integrated by scipy.

Nothing of it comes from the library but the velocities it starts with: equations of motion for
accelerations from oracle.py, DOP853 at a tolerance of 1e-11. Poses are rotation vectors against a
pose that moves along with the steps, so that no angle comes near its end.
"""

import math

import numpy as np
from scipy.integrate import DOP853

from oracle import Oracle, State, cross, rotation_by

# first derivative in the middle of nine values
EIGHTH = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])


class Stuck(Exception):
    """The reference itself does not get through."""


def spin_to_rate(a, w):
    """Rate of the rotation vector a of a turn with the angular velocity w (both in the world)."""
    angle, across = np.linalg.norm(a), cross(a, w)
    half = 1 / 12 if angle < 1e-4 else (1 - angle / 2 / math.tan(angle / 2)) / angle**2
    return w - across / 2 + half * cross(a, across)


class Motion(Oracle):
    def __init__(self, given):
        super().__init__(given)
        self.last = {}  # values of what forces act along, at the last step
        self.now = {}

    def wound(self, force, x):
        x += 2 * math.pi * round((self.last.get(force, x) - x) / (2 * math.pi))
        self.now[force] = x
        return x

    def curvature(self, state, velocity):
        """Second derivative of the rows along a motion of constant velocities."""
        h = 3e-3 / max(1, np.max(abs(velocity)))  # as far as rows are the same to 8th order

        def rate(k):
            there = state.moved(k * h * velocity)
            along = State(there.moved(1e-30j * velocity).poses, velocity)
            still = State(there.poses, velocity)
            return np.concatenate([np.append(np.array(self.positions(name)(along), complex).imag / 1e-30,
                                             self.speeds(name)(still)) for name in self.joints] + [[]])

        values = np.array([rate(k) for k in range(-4, 5)])
        hidden = sum(len(b.hidden_rows(np.zeros(6))) for b in self.bodies)
        return np.append(EIGHTH @ values / h, np.zeros(hidden))

    def accelerate(self, t, state):
        jacobian, _ = self.jacobian(state)
        gamma = self.driven(t)[1] - self.curvature(state, state.velocity)
        mass, force = self.mass_matrix(state)
        force += self.apply(state, t)
        # in the metric of the masses: shortest change of the free accelerations that meets the rows
        root = np.linalg.cholesky(mass)
        free = np.linalg.solve(mass, force)
        rows = np.linalg.solve(root, jacobian.T).T
        size = np.linalg.norm(rows, axis=1)
        size[size == 0] = 1
        miss = (gamma - jacobian @ free) / size
        u, s, v = np.linalg.svd(rows / size[:, None], full_matrices=False)
        keep = s > 1e-9 * s[0] if len(s) else s > 0
        near = s[keep] < 1e-4
        if near.any():
            raise Stuck("near a singular place")
        return free + np.linalg.solve(root.T, v[keep].T @ ((u[:, keep].T @ miss) / s[keep]))

    def follow(self, poses, velocity, times, most=200):
        """Poses and velocities at the times, which begin with the start."""
        count = len(self.bodies)
        base = [turn for _, turn in poses]
        self.last, found = {}, [(list(poses), velocity.copy())]

        def state_of(y):
            x, v = y[:6 * count], y[6 * count:]
            return State([(x[6 * i:6 * i + 3], rotation_by(x[6 * i + 3:6 * i + 6]) @ base[i])
                          for i in range(count)], v)

        def rate(t, y):
            state = state_of(y)
            x, v = y[:6 * count].copy(), y[6 * count:]
            for i in range(count):
                x[6 * i:6 * i + 3] = v[6 * i:6 * i + 3]
                x[6 * i + 3:6 * i + 6] = spin_to_rate(y[6 * i + 3:6 * i + 6], v[6 * i + 3:6 * i + 6])
            return np.append(x, self.accelerate(t, state))

        y = np.append(np.concatenate([np.append(r, np.zeros(3)) for r, _ in poses]), velocity)
        t = times[0]
        steps = 0
        guess = None
        for goal, after in zip(times[1:], [*times[2:], None]):
            # each interval begins with rotation vectors of zero
            for i in range(count):
                base[i] = rotation_by(y[6 * i + 3:6 * i + 6]) @ base[i]
                y[6 * i + 3:6 * i + 6] = 0
            solver = DOP853(rate, t, y, goal, rtol=1e-11, atol=1e-12, first_step=guess)
            while solver.status == "running":
                before = solver.t
                solver.step()
                steps += 1
                if solver.status == "failed" or steps > most:
                    raise Stuck("the reference takes too many steps")
                rate(solver.t, solver.y)
                self.last.update(self.now)
                if solver.status == "running":
                    guess = solver.t - before
            guess = min(guess, after - goal) if guess and after else None
            t, y = goal, solver.y.copy()
            state = state_of(y)
            found.append(([(r.copy(), turn.copy()) for r, turn in state.poses], y[6 * count:].copy()))
        self.steps = steps
        return found
