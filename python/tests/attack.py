"""Every method on random mechanisms, against a motion that shares nothing with the library.

usage: attack.py BUILD FIRST LAST [METHOD ...]     seeds of the mechanisms; all methods unless named

A run may end in three ways: right, that is within ten times the error its audit states (and 1e-9);
refused or failed in words; audit not passed. A line is printed for whatever is none of these, and a
count of each at the end.
"""

import collections
import os
import sys
from pathlib import Path

import numpy as np

FLOOR = 1e-9
TIMES = np.linspace(0, 0.6, 7)


def mechanism(seed):
    """A random model whose motion the oracle knows: bushings do not resist turns."""
    from test_oracle import Maker
    model = Maker(seed).model
    for element in model["forces"].values():
        if element["type"] == "bushing":
            k = np.array(element["stiffness"], float)
            if k.ndim == 1:
                k[3:] = 0
                k[1] = k[0]  # which way x and y point is nobody's business
            else:
                k[3:, :] = k[:, 3:] = 0
            element["stiffness"] = k.tolist()
            if "preload" in element:  # its torque follows the turn, as that of a stiffness does
                element["preload"] = [*element["preload"][:3], 0, 0, 0]
    return model


def start_of(oracle, sim):
    from oracle import rotation_of
    poses, velocity = [], []
    for body in oracle.bodies:
        pose = sim.pose(body.name)
        poses.append((np.array(pose.position), rotation_of(pose.orientation)))
        velocity += [*pose.velocity, *pose.angular_velocity]
    return poses, np.array(velocity)


def difference(oracle, rows, reference):
    """Largest errors of positions, angles, velocities and spins over the recorded rows."""
    from oracle import rotation_of
    worst = np.zeros(4)
    for k, (poses, velocity) in enumerate(reference):
        for body, (place, turn) in zip(oracle.bodies, poses):
            column = lambda name: float(np.asarray(rows[f"{body.name}.{name}"])[k])
            v = velocity[6 * body.index:6 * body.index + 6]
            flat = body.kind == "planar"
            r = np.array([column(c) for c in ("xy" if flat else "xyz")])
            speed = np.array([column(c) for c in (("vx", "vy") if flat else ("vx", "vy", "vz"))])
            if flat:
                angle = column("angle")
                mine = rotation_of([np.cos(angle / 2), 0, 0, np.sin(angle / 2)])
                spin = abs(column("omega") - v[5])
            else:
                mine = rotation_of([column(f"q{i}") for i in range(4)])
                spin = np.linalg.norm([column(f"w{c}") - v[3 + i] for i, c in enumerate("xyz")])
            gap = mine @ turn.T
            turned = np.linalg.norm([gap[2, 1] - gap[1, 2], gap[0, 2] - gap[2, 0], gap[1, 0] - gap[0, 1]]) / 2
            if np.trace(gap) < 0:
                turned = 3.0
            worst = np.maximum(worst, [np.linalg.norm(r - place[:len(r)]), turned,
                                       np.linalg.norm(speed - v[:len(speed)]), spin])
    return worst


def run_of(model, times, method, steps, **more):
    """A run at the method's own defaults; those of fixed steps get one."""
    import holon
    more = {"duration": float(times[-1])} | more | {"method": method, "output_step": float(times[1]), "max_steps": 12000}
    try:
        return holon.Model(model).run(**more)
    except holon.Error as missing:
        if "needs a fixed step" not in str(missing):
            raise
    return holon.Model(model).run(step=float(times[-1]) / steps, **more)


def judge(model, oracle, reference, method, **more):
    """What became of a run: its kind, and a sentence."""
    import holon
    try:
        rows = run_of(model, TIMES, method, 300, **more)
    except holon.Error as refused:
        return "refused", str(refused).splitlines()[0]
    audit = rows.audit
    off = difference(oracle, rows, reference)
    stated = audit.motion
    told = np.array([stated.position, stated.angle, stated.velocity, stated.spin])
    sentence = (f"off {off.round(14)}, told {told} ({stated.how}), until {stated.until:.3g}, {rows.summary.steps} steps "
                f"{rows.summary.coordinates} {rows.summary.integrator}")
    if not audit.passed:
        failed = [i.name for i in audit.items if not i.passed]
        return ("failed" if (off > FLOOR).any() else "failed though right"), f"{failed}; {sentence}"
    if not stated.known:
        return "not known", sentence
    # the largest errors belong together: a place is off by an angle times a length
    size = 1 + max(np.max(abs(v)) for _, v in reference)
    beyond = off > 10 * told + FLOOR * size
    return ("SILENT" if beyond.any() else "right"), sentence


def prepare(seed):
    import holon
    from motion import Motion, Stuck
    model = mechanism(seed)
    oracle = Motion(model)
    try:
        sim = holon.Model(model).sim()
    except holon.Error:
        return None
    try:
        reference = oracle.follow(*start_of(oracle, sim), TIMES)
    except (Stuck, np.linalg.LinAlgError) as stuck:
        print(f"seed {seed}: no reference: {stuck}", flush=True)
        return None
    return model, oracle, reference


def main():
    sys.path[:0] = [str(Path(sys.argv[1]).resolve() / "python"), str(Path(__file__).resolve().parent)]
    import holon
    first, last, methods = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    methods = methods or list(holon.methods())
    count = collections.Counter()
    for seed in range(first, last):
        made = prepare(seed)
        if made is None:
            count["no reference"] += 1
            continue
        for method in methods:
            kind, sentence = judge(*made, method)
            count[kind] += 1
            if kind in ("SILENT", "failed though right", "not known") or os.environ.get("ATTACK_ALL"):
                print(f"seed {seed} {method}: {kind}: {sentence}", flush=True)
        if (seed - first) % 10 == 9:
            print(f"up to seed {seed}: " + ", ".join(f"{n} {kind}" for kind, n in sorted(count.items())), flush=True)
    print(", ".join(f"{n} {kind}" for kind, n in sorted(count.items())))


if __name__ == "__main__":
    main()
