"""What a step costs from Python more than from C, and how long it takes to see a result as numpy.

usage: PYTHONPATH=build/python /usr/bin/python3 bench/python_step.py [PROGRAM]

PROGRAM is bench/step.c, built (build/bench/bench/step): the same steps from C. Best of many, in
processor time.
"""

import subprocess
import sys
import time

import numpy

import holon

STEPS = 20000


def best(work, times=15):
    answers = []
    for _ in range(times):
        began = time.process_time()
        work()
        answers.append(time.process_time() - began)
    return min(answers)


def main():
    model = holon.Model.example("pendulum")
    sim = model.sim(method="standard", integrator="euler", step=1e-5, verify="off")

    def steps():
        step = sim.step
        for _ in range(STEPS):
            step()

    python = 1e9 * best(steps) / STEPS
    print(f"a step from Python: {python:.0f} ns")
    if len(sys.argv) > 1:
        c = float(subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout)
        print(f"a step from C: {c:.0f} ns, {python - c:.0f} ns less")

    data = numpy.zeros((1_000_000, 50))
    names = ["time"] + [f"c{i}" for i in range(1, 50)]
    result = holon.Result(holon._holon.result_new("big", names, [""] * 50, data))

    def look():
        for _ in range(100):
            result.data, result["c49"]

    print(f"1e6 x 50 seen as numpy: {1e6 * best(look) / 100:.1f} us")


if __name__ == "__main__":
    main()
