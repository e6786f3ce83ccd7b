"""Random calls over the whole interface: whatever is passed, a clear exception or an answer.

usage: fuzz.py BUILD CALLS [SEED]

Ends with "N passed, 0 failed", or with the call that raised what it must not. A crash ends the
process without that line.
"""

import random
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# what a caller may expect; anything else is a mistake of ours
CLEAR = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, RuntimeError,
         OSError)


class Stop(Exception):
    """Ends runs that would take long."""


def main():
    build, calls = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(10**9)
    print("seed", seed, flush=True)
    sys.path[:0] = [str(build / "python"), str(HERE)]
    import holon
    from holon import _holon, _tables

    rng = random.Random(seed)
    made = {"model": [], "sim": [], "result": [], "view": []}
    names = ["rod", "hinge", "coil", "ground", "rood", "", "a.b", "\0", "é", "x" * 70, "time"]
    texts = names + ["60 deg", "L/2", "1/0", "{", "[", "t", "on", "default", "standard"]
    numbers = [0, 1, -1, 0.5, 1e-3, 1e300, -1e300, float("nan"), float("inf"), 10**400, True]

    def number():
        return rng.choice(numbers) if rng.random() < 0.3 else rng.uniform(-2, 2)

    def value(depth=0):
        k = rng.randrange(14)
        if k < 4:
            return number()
        if k < 6:
            return rng.choice(texts)
        if k < 8 and depth < 3:
            return [value(depth + 1) for _ in range(rng.randrange(7))]
        if k == 8 and depth < 3:
            return {rng.choice(texts): value(depth + 1) for _ in range(rng.randrange(3))}
        if k == 9:
            return rng.choice([None, object(), b"bytes", lambda: 0, type, 3j, ..., "\ud800"])
        if k == 10:
            return [rng.uniform(-1, 1) for _ in range(rng.choice([2, 3, 3, 6]))]
        pool = made[rng.choice(list(made))]
        return rng.choice(pool) if pool else None

    def keep(kind, thing):
        made[kind].append(thing)
        if len(made[kind]) > 12:
            made[kind].pop(rng.randrange(12))

    def any_of(kind):
        if not made[kind] or rng.random() < 0.02:
            start = base()
            if kind == "model":
                return start
            sim = start.sim(step=1e-3)
            if kind == "sim":
                keep("sim", sim)
                return sim
            if kind == "view":
                return sim.q
            return start.run(duration=0.01, verify="off", progress=False)
        return rng.choice(made[kind])

    def base():
        m = holon.Model(gravity=[0, -9.81], parameters={"L": 2})
        shape = {"rod": {"length": "L"}}
        m.body("rod", type="planar", mass=1, shape=shape, position=["L/2", 0])
        m.revolute("hinge", b="rod", at=[0, 0])
        keep("model", m)
        return m

    def told(t, duration):
        raise Stop

    # options that cannot make a run endless or huge: those are stopped after their first 50 ms
    short = {"duration": 0.01, "step": 1e-3, "output_step": 1e-3, "verify": "off"}

    def settings():
        given = dict(short)
        for _ in range(rng.randrange(3)):
            name = rng.choice(list(_tables.OPTIONS) + ["colour"])
            if name not in ("duration", "output_step", "step", "code"):
                given[name] = value()
        return given

    def add():
        kind = rng.choice(list(_tables.KINDS.values()))
        keys = {}
        for key in rng.sample(kind.keys, min(len(kind.keys), rng.randrange(6))):
            if key.name != "type":
                keys[_tables._name(key.name)] = value()
        if rng.random() < 0.05:
            keys["nonsense"] = 1
        getattr(any_of("model"), kind.method)(rng.choice(names) if rng.random() < 0.9 else value(), **keys)

    def describe():
        k = rng.randrange(6)
        if k == 0:
            keep("model", holon.Model(value()))
        elif k == 1:
            keep("model", holon.Model(text=rng.choice(texts) if rng.random() < 0.7 else value()))
        elif k == 2:
            any_of("model").set(**{rng.choice(["L", "K", "t"]): value()})
        elif k == 3:
            keep("model", any_of("model").copy())
        elif k == 4:
            any_of("model").gravity(value())
        else:
            any_of("model").output(value())

    def ask_model():
        m = any_of("model")
        what = rng.choice(["run", "sim", "check", "code", "statics", "modes", "linearise",
                           "kinematics", "inverse", "text", "parameters", "name", "repr"])
        if what == "run":
            keep("result", m.run(progress=rng.choice([False, told, value()]), **settings()))
        elif what == "sim":
            keep("sim", m.sim(**settings()))
        elif what in ("parameters", "name"):
            getattr(m, what)
        elif what == "repr":
            repr(m)
        elif what == "text":
            m.text()
        else:
            getattr(m, what)(**settings())

    questions = ["pose", "reaction", "coordinate", "joint_rows", "equations", "forward", "mass_solve",
                 "project", "point_jacobian", "set_state", "inverse_efforts", "_pose", "_reaction",
                 "_coordinate", "_find", "_evaluate", "_forward", "_mass_solve", "_project",
                 "_point_jacobian", "_set_state", "_statics", "_linearise", "_inverse_efforts"]
    plain = ["time", "bodies", "joints", "rows", "addresses", "M", "J", "energy", "residuals",
             "summary", "audit", "q", "v", "a", "multipliers"]

    def ask_sim():
        sim = any_of("sim")
        k = rng.randrange(5)
        if k == 0:
            sim.step()
        elif k == 1:
            sim.advance(rng.choice([sim.time + 1e-3, -1, float("nan"), None, "now", value]))
        elif k == 2:
            answer = getattr(sim, rng.choice(plain))
            if isinstance(answer, _holon.View):
                keep("view", answer)
        elif k == 3:
            names_first = rng.random() < 0.5
            args = [rng.choice(names)] if names_first else []
            args += [value() for _ in range(rng.randrange(4))]
            getattr(sim, rng.choice(questions))(*args)
        else:
            t, q, v = sim.time, list(sim.q), list(sim.v)
            q[rng.randrange(len(q))] += number()
            rng.choice([sim.set_state, sim.forward, sim.equations])(t, q, v)

    def ask_view():
        view = any_of("view")
        k = rng.randrange(5)
        if k == 0:
            view[value()]
        elif k == 1:
            list(view), len(view)
        elif k == 2:
            view.__array__()
        elif k == 3:
            view[rng.randrange(-4, 4) : rng.randrange(-4, 4)]
        else:
            repr(view), view.tolist(), view.tobytes(), view.stale

    def ask_result():
        r = any_of("result")
        k = rng.randrange(8)
        if k == 0:
            r[rng.choice(r.columns) if rng.random() < 0.5 else value()]
        elif k == 1:
            r.data, r.time, r.units, r.notes, r.message, repr(r), r.rows
        elif k == 2:
            str(r.audit), r.summary
        elif k == 3:
            r.match(value())
        elif k == 4:
            holon.Result.of(value())
        elif k == 5:
            _holon.result_new(value(), value(), value(), value())
        elif k == 6:
            memoryview(r._raw)
        else:
            holon.Result(value())

    def extension():
        call = rng.choice([_holon.option, _holon.build, _holon.result_new, _holon.Sim])
        call(*[value() for _ in range(rng.randrange(9))])

    jobs = [add, add, describe, ask_model, ask_sim, ask_sim, ask_view, ask_result, extension]
    refused = 0
    for k in range(calls):
        state = rng.getstate()
        job = rng.choice(jobs)
        try:
            job()
        except (holon.Error, Stop) + CLEAR:
            refused += 1
        except MemoryError:
            print(f"call {k} ({job.__name__}): memory", rng.getstate() == state)
            raise
    print(f"{calls - refused} answered, {refused} refused")
    print(f"{calls} passed, 0 failed")


if __name__ == "__main__":
    main()
