"""Models, runs, views and results made and dropped again and again, without growth.

usage: leak.py BUILD CYCLES

Memory in use is looked at after a tenth of the cycles and at the end. In a build with the address
sanitizer its count of allocated bytes decides, which leaves nothing to chance:

    cmake -S . -B build/python-asan -G Ninja -DCMAKE_C_COMPILER=gcc -DHN_TESTS=OFF -DHN_PYTHON=ON \\
      -DHN_SANITIZE=address && ninja -C build/python-asan python
    LD_PRELOAD=$(gcc -print-file-name=libasan.so) PYTHONMALLOC=malloc \\
      /usr/bin/python3 python/tests/leak.py build/python-asan 10000
"""

import ctypes
import gc
import resource
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def cycle(holon, pendulum, k):
    m = pendulum()
    sim = m.sim()
    sim.step()
    q, multipliers = sim.q, sim.multipliers
    r = m.run(duration=0.01, output_step=1e-3, verify="off", progress=False)
    column = r["hinge.angle"]
    for wrong in (lambda: m.run(rtol=-1), lambda: r["no"], lambda: sim.pose("no"),
                  lambda: holon.Model(text="{").check()):
        try:
            wrong()
        except Exception:
            pass
    sim.step()
    try:
        q[0]
    except holon.StaleError:
        pass
    if k % 10 == 0:
        sim.equations(), sim.forward(), m.check(), m.statics(), m.modes()
    return column[0] + len(multipliers)


def allocated():
    """Bytes on the heap, as the sanitizer counts them; None without one."""
    try:
        count = ctypes.CDLL(None).__sanitizer_get_current_allocated_bytes
    except AttributeError:
        return None
    count.restype = ctypes.c_size_t
    return int(count())


def used():
    gc.collect()
    exact = allocated()
    if exact is not None:
        return exact
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def main():
    build, cycles = Path(sys.argv[1]).resolve(), int(sys.argv[2])
    sys.path[:0] = [str(build / "python"), str(HERE)]
    import holon
    from test_model import pendulum

    warm = max(cycles // 10, 100)
    for k in range(warm):
        cycle(holon, pendulum, k)
    before = used()
    for k in range(cycles):
        cycle(holon, pendulum, k)
    grown = used() - before
    print(f"{cycles} cycles: {grown / 1024:.0f} kB grown, {grown / cycles:.1f} bytes for each")
    # what belongs to a cycle is thousands of bytes; the heap's own unrest is far below
    leaks = grown > (1 * cycles + 65_536 if allocated() is not None else 100 * cycles + 1_000_000)
    failed = int(bool(leaks))
    print(f"{1 - failed} passed, {failed} failed")
    sys.exit(failed)


if __name__ == "__main__":
    main()
