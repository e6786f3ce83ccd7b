#!/usr/bin/env python3
"""Numbers of src/base/elementary.c, and values to test it against; both from mpmath.

usage: elementary.py tables     > src/base/elementary_tables.h
       elementary.py references > tests/references/elementary.txt

Polynomials interpolate the function at Chebyshev's points of its interval, which is within a factor of
two of the best there is. Tables hold values in two doubles, the second being what the first leaves.
"""
import random
import struct
import sys

from mpmath import mp, mpf

mp.prec = 1400  # 2/pi is wanted to 1200 bits


def two(x):
    """x as two doubles"""
    high = float(x)
    return high, float(x - mpf(high))


def short(x, bits):
    """x cut off after so many bits"""
    e = mp.floor(mp.log(abs(x), 2)) + 1 - bits
    return float(mp.floor(x / mpf(2) ** e) * mpf(2) ** e)


def fit(f, low, high, terms):
    """coefficients of the polynomial through Chebyshev's points, lowest power first"""
    low, high = mpf(low), mpf(high)
    x = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * terms)) for i in range(terms)]
    return [float(c) for c in mp.lu_solve(mp.matrix([[xi**k for k in range(terms)] for xi in x]),
                                          mp.matrix([f(xi) for xi in x]))]


def number(x):
    return float.hex(x) if isinstance(x, float) else str(x)


def array(name, values, say, per_line=4):
    print("\n".join(f"// {line}" for line in say.split("\n")))
    flat = [v if isinstance(v, str) else "{" + ", ".join(map(number, v)) + "}" if isinstance(v, tuple) else number(v)
            for v in values]
    kind = "uint64_t" if isinstance(values[0], str) else "double"
    pair = "[2]" if isinstance(values[0], tuple) else ""
    print(f"static const {kind} {name}[]{pair} = {{" + ", ".join(flat) + "};\n")


def constant(name, x, say):
    print(f"// {say}\nstatic const double {name} = {number(x)};\n")


def tables():
    print("// elementary_tables.h: numbers of elementary.c; written by scripts/elementary.py.\n//\n"
          "// In hexadecimal, so that compilers have nothing to round. A pair is one number: its value as a\n"
          "// double, and what that leaves as another, so that 106 digits are told.")
    print("#ifndef HN_ELEMENTARY_TABLES_H\n#define HN_ELEMENTARY_TABLES_H\n\n#include <stdint.h>\n")

    # sine and cosine on |r| <= pi/4, by z = r^2, from series that are exact to 80 digits
    def sine(z):
        return sum((-1) ** n * z ** (n - 1) / mp.factorial(2 * n + 1) for n in range(1, 40))

    def cosine(z):
        return sum((-1) ** n * z ** (n - 2) / mp.factorial(2 * n) for n in range(2, 40))

    edge = (mp.pi / 4 * mpf("1.0001")) ** 2
    array("sine_terms", fit(sine, 0, edge, 6),
          "sin r = r + r z (s0 + s1 z + ...), z = r^2, |r| <= pi/4: through Chebyshev's points of z, whose\n"
          "largest error is near the least there is; Taylor's series of as many terms is off at the ends")
    array("cosine_terms", fit(cosine, 0, edge, 6), "cos r = 1 - z/2 + z^2 (c0 + c1 z + ...)")
    pieces, rest = [], mp.pi / 2
    for _ in range(3):
        pieces.append(short(rest, 33))
        rest -= mpf(pieces[-1])
    pieces.append(float(rest))
    array("quarter_pieces", pieces, "pi/2 in pieces of 33 bits, the last of 53: times a whole number of 20 bits the first three are\n"
          "exact")
    array("quarter_turn", [*two(mp.pi / 2)], "pi/2")
    array("half_turn", [*two(mp.pi)], "pi")
    digits = int(mp.floor(2 / mp.pi * mpf(2) ** 1344))
    words = [(digits >> (1344 - 64 * (k + 1))) & (2**64 - 1) for k in range(20)]
    array("two_over_pi", ["0"] + [f"0x{w:016x}" for w in words], "64 zeros, then the binary digits of 2/pi: as many as an argument of 2^1023 needs, and zeros for\n"
          "one whose digits begin before the point")

    array("arc_table", [two(mp.atan(mpf(k) / 16)) for k in range(17)], "atan(k/16), k = 0 ... 16")

    # exp: 2^(j/64), and ln 2 / 64 in a piece whose product with 17 bits is exact
    array("power_table", [two(mpf(2) ** (mpf(j) / 64)) for j in range(64)], "2^(j/64), j = 0 ... 63")
    piece = short(mp.log(2) / 64, 35)
    array("power_step", [piece, float(mp.log(2) / 64 - mpf(piece))], "ln 2 / 64, the first of 35 bits: exact times the number of steps, which has 17")

    # log: m is 1/c but for a little; c = 1 in the two intervals beside 1, so that log 1 is 0 and what is
    # near to it is exact
    first = 0xB4 / 256  # of m, below sqrt(1/2) by less than an interval
    inverse, logarithm = [], []
    for j in range(128):
        bits = 0x3FE6800000000000 + (j << 45)
        low, high = (struct.unpack("<d", struct.pack("<Q", b))[0] for b in (bits, bits + (1 << 45)))
        c = 1.0 if low == 1 or high == 1 else round(512 / ((low + high) / 2)) / 512
        inverse.append(c)
        logarithm.append(two(-mp.log(mpf(c))))
    assert first == 0.703125
    array("log_inverse", inverse, "c: about 1/m for m from 0.703125 on, of 10 bits, by the 7 digits behind the first; 1 on both\n"
          "sides of m = 1, so that the logarithm of 1 is 0 and beside it nothing cancels")
    array("log_table", logarithm, "-log c, of the same rows")
    # k ln 2 is exact in its first part
    piece = short(mp.log(2), 42)
    array("log_2", [piece, *two(mp.log(2) - mpf(piece))][:2], "ln 2, the first of 42 bits: exact times an exponent, which has 11")
    array("log_10_inverse", [*two(1 / mp.log(10))], "1 / ln 10, for logarithms of base 10")
    print("#endif")


def references():
    """lines: function, arguments and value as the bits of doubles (value rounded to nearest), and by how much of
    a unit of the last place the true value is above"""
    rng = random.Random(2026)

    def signed(x):
        return x if rng.random() < 0.5 else -x

    def log_uniform(low, high):
        return signed(2.0 ** rng.uniform(low, high))

    def near_quarter():
        k = rng.choice([1, 2, 3, 5, 7, 11, 1001, 65537, 524287, 10**7 + 1, 10**12 + 1, 10**15 + 3])
        return signed(float(mp.pi / 4 * k)) * (1 + rng.choice([-2, -1, 0, 1, 2]) * 2.0**-52)

    angle = [lambda: rng.uniform(-1, 1), lambda: rng.uniform(-10, 10), lambda: log_uniform(-40, 4),
             lambda: rng.uniform(-1e5, 1e5), lambda: log_uniform(10, 60), lambda: log_uniform(60, 1023.9),
             near_quarter, lambda: log_uniform(-1070, -20)]
    unit = [lambda: rng.uniform(-1, 1), lambda: log_uniform(-60, 0), lambda: signed(1 - 2.0 ** rng.uniform(-53, -1)),
            lambda: log_uniform(-1070, -30)]
    wide = [lambda: rng.uniform(-2, 2), lambda: log_uniform(-60, 60), lambda: log_uniform(-1070, 1023.9)]
    mild = [lambda: rng.uniform(-1, 1), lambda: rng.uniform(-30, 30), lambda: log_uniform(-60, 0),
            lambda: rng.uniform(-740, 709), lambda: log_uniform(-1070, -30)]
    positive = [lambda: rng.uniform(0, 3), lambda: 1 + log_uniform(-50, -3), lambda: abs(log_uniform(-1070, 1023.9))]
    above = [lambda: log_uniform(-60, -1), lambda: rng.uniform(-0.999, 3), lambda: abs(log_uniform(-60, 1023.9))]

    def one(name, f, draws, count=60):
        for draw in draws:
            for _ in range(count):
                yield name, f, (draw(),)

    def both(name, f, first, second, count=150):
        for draw in first:
            for other in second:
                for _ in range(count // 3):
                    yield name, f, (draw(), other())

    def powers():
        for _ in range(300):
            x = 2.0 ** rng.uniform(-30, 30)
            yield "pow", mp.power, (x, rng.uniform(-700, 700) / max(1, abs(float(mp.log(x)))))
        for _ in range(100):
            yield "pow", mp.power, (1 + log_uniform(-40, -5), log_uniform(0, 12))
        for _ in range(100):
            yield "pow", mp.power, (rng.uniform(-9, 9), float(rng.randint(-30, 30)))
        for _ in range(60):
            yield "pow", mp.power, (abs(log_uniform(-1070, 1023)), rng.uniform(-1, 1))

    near = [lambda: rng.uniform(-2, 2), lambda: log_uniform(-60, 60), lambda: log_uniform(-1000, 1000)]
    cases = [
        one("sin", mp.sin, angle), one("cos", mp.cos, angle), one("tan", mp.tan, angle), one("asin", mp.asin, unit),
        one("acos", mp.acos, unit), one("atan", mp.atan, wide), both("atan2", mp.atan2, near, near),
        one("exp", mp.exp, mild), one("log", mp.log, positive), one("log1p", mp.log1p, above),
        one("log10", mp.log10, positive), powers(), one("sinh", mp.sinh, mild), one("cosh", mp.cosh, mild),
        one("tanh", mp.tanh, mild), one("asinh", mp.asinh, wide), both("hypot", mp.hypot, near, near),
    ]

    def bits(x):
        return f"{struct.unpack('<Q', struct.pack('<d', x))[0]:016x}"

    for case in cases:
        for name, f, arguments in case:
            value = f(*map(mpf, arguments))
            if not isinstance(value, mpf):
                continue
            rounded = float(value)
            if rounded == 0 or abs(rounded) == float("inf"):
                continue
            unit_last = mp.ldexp(1, max(int(mp.floor(mp.log(abs(value), 2))) - 52, -1074))
            print(name, *map(bits, arguments), bits(rounded), f"{float((value - mpf(rounded)) / unit_last):.4f}")


{"tables": tables, "references": references}[sys.argv[1]]()
