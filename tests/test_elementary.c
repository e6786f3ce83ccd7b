// test_elementary.c: the library's own sines, powers and so on beside values of many digits
// (mpmath, tests/references/elementary.txt by scripts/elementary.py), and what must hold of them.
#include "base/complex.h"
#include "base/elementary.h"
#include "test.h"

#include <stdint.h>

typedef double one(double);
typedef double two(double, double);

// by how many units of the last place a function may be off; half of one is what rounding the true
// value takes (exp: where doubles end, at 1e-308, rounded once more)
static struct {
  const char *name;
  one *f;
  two *g;
  double may;
  double worst;
  int count;
} functions[] = {
    {"sin", hn_sin, NULL, 0.86, 0, 0},     {"cos", hn_cos, NULL, 0.86, 0, 0},
    {"tan", hn_tan, NULL, 0.93, 0, 0},     {"asin", hn_asin, NULL, 0.52, 0, 0},
    {"acos", hn_acos, NULL, 0.52, 0, 0},   {"atan", hn_atan, NULL, 0.52, 0, 0},
    {"atan2", NULL, hn_atan2, 0.52, 0, 0}, {"exp", hn_exp, NULL, 0.8, 0, 0},
    {"log", hn_log, NULL, 0.52, 0, 0},     {"log1p", hn_log1p, NULL, 0.52, 0, 0},
    {"log10", hn_log10, NULL, 0.52, 0, 0}, {"pow", NULL, hn_pow, 0.54, 0, 0},
    {"sinh", hn_sinh, NULL, 0.52, 0, 0},   {"cosh", hn_cosh, NULL, 0.52, 0, 0},
    {"tanh", hn_tanh, NULL, 0.52, 0, 0},   {"asinh", hn_asinh, NULL, 0.52, 0, 0},
    {"hypot", NULL, hn_hypot, 0.52, 0, 0},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static double of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof x);
  return bits;
}
static int same(double x, double y) {
  return (isnan(x) && isnan(y)) || bits_of(x) == bits_of(y);
}
// the distance to the next double, 2^-1074 at least
static double unit_of(double x) {
  int e;
  frexp(x, &e);
  return ldexp(1, e < -1021 ? -1074 : e - 53);
}

// lines: name, arguments, value, and what the value leaves, in units of its last place
static void references(void) {
  char path[512], line[256];
  const char *root = getenv("HN_SOURCE_DIR");
  snprintf(path, sizeof path, "%s/tests/references/elementary.txt", root ? root : ".");
  FILE *f = fopen(path, "r");
  if (!CHECK(f != NULL)) return;
  while (fgets(line, sizeof line, f)) {
    char name[16], *at = line;
    int k = 0, length = 0;
    sscanf(line, "%15s%n", name, &length);
    while (k < FUNCTIONS && strcmp(functions[k].name, name) != 0) k++;
    if (!CHECK(k < FUNCTIONS)) continue;
    at += length;
    double x = of_bits(strtoull(at, &at, 16));
    double y = functions[k].g ? of_bits(strtoull(at, &at, 16)) : 0;
    double wanted = of_bits(strtoull(at, &at, 16)), left = strtod(at, NULL);
    double got = functions[k].g ? functions[k].g(x, y) : functions[k].f(x);
    double off = fabs((got - wanted) / unit_of(wanted) - left);
    functions[k].count++;
    if (!(off <= functions[k].worst)) functions[k].worst = off;
    if (!(off <= functions[k].may)) {
      printf("%s(%.17g, %.17g): %.17g and %.17g\n", name, x, y, got, wanted);
      CHECK(off <= functions[k].may);
    }
  }
  fclose(f);
  for (int k = 0; k < FUNCTIONS; k++) {
    CHECK(functions[k].count >= 150);
    CHECK(functions[k].worst <= functions[k].may);
  }
}

// as the C standard has them (Annex F)
static void special_values(void) {
  static const struct {
    one *f;
    double x, value;
  } of_one[] = {
      {hn_sin, 0., 0.},
      {hn_sin, -0., -0.},
      {hn_sin, INFINITY, NAN},
      {hn_sin, NAN, NAN},
      {hn_sin, 0x1p-1074, 0x1p-1074},
      {hn_cos, -0., 1},
      {hn_cos, 0x1p-1074, 1},
      {hn_cos, -INFINITY, NAN},
      {hn_tan, -0., -0.},
      {hn_tan, INFINITY, NAN},
      {hn_asin, -0., -0.},
      {hn_asin, 1.0000001, NAN},
      {hn_asin, NAN, NAN},
      {hn_acos, 1, 0.},
      {hn_acos, -1.0000001, NAN},
      {hn_atan, -0., -0.},
      {hn_atan, NAN, NAN},
      {hn_exp, 0., 1},
      {hn_exp, -0., 1},
      {hn_exp, 710, INFINITY},
      {hn_exp, INFINITY, INFINITY},
      {hn_exp, -746, 0.},
      {hn_exp, -INFINITY, 0.},
      {hn_exp, NAN, NAN},
      {hn_log, 1, 0.},
      {hn_log, 0., -INFINITY},
      {hn_log, -0., -INFINITY},
      {hn_log, -1, NAN},
      {hn_log, INFINITY, INFINITY},
      {hn_log, NAN, NAN},
      {hn_log10, 1000, 3},
      {hn_log10, 1e-300, -300},
      {hn_log10, 0., -INFINITY},
      {hn_log1p, -0., -0.},
      {hn_log1p, -1, -INFINITY},
      {hn_log1p, -2, NAN},
      {hn_log1p, INFINITY, INFINITY},
      {hn_log1p, NAN, NAN},
      {hn_sinh, -0., -0.},
      {hn_sinh, -INFINITY, -INFINITY},
      {hn_sinh, 711, INFINITY},
      {hn_sinh, NAN, NAN},
      {hn_cosh, 0., 1},
      {hn_cosh, -INFINITY, INFINITY},
      {hn_cosh, -1000, INFINITY},
      {hn_cosh, NAN, NAN},
      {hn_tanh, -0., -0.},
      {hn_tanh, -INFINITY, -1},
      {hn_tanh, 25, 1},
      {hn_tanh, NAN, NAN},
      {hn_asinh, -0., -0.},
      {hn_asinh, -INFINITY, -INFINITY},
      {hn_asinh, NAN, NAN},
  };
  for (size_t i = 0; i < sizeof of_one / sizeof *of_one; i++)
    if (!CHECK(same(of_one[i].f(of_one[i].x), of_one[i].value)))
      printf("  row %zu: %g gives %g\n", i, of_one[i].x, of_one[i].f(of_one[i].x));

  const double pi = 3.14159265358979323846, inf = INFINITY;
  const struct {
    two *f;
    double x, y, value;
  } of_two[] = {
      {hn_atan2, 0., 0., 0.},
      {hn_atan2, -0., 0., -0.},
      {hn_atan2, 0., -0., pi},
      {hn_atan2, -0., -0., -pi},
      {hn_atan2, 0., -3, pi},
      {hn_atan2, -0., -3, -pi},
      {hn_atan2, -0., 3, -0.},
      {hn_atan2, 2, 0., pi / 2},
      {hn_atan2, -2, -0., -pi / 2},
      {hn_atan2, 1, -inf, pi},
      {hn_atan2, -1, inf, -0.},
      {hn_atan2, inf, -7, pi / 2},
      {hn_atan2, -inf, inf, -pi / 4},
      {hn_atan2, inf, -inf, 3 * pi / 4},
      {hn_atan2, NAN, 1, NAN},
      {hn_atan2, 1, NAN, NAN},
      {hn_atan2, 0x1p-1074, 0x1p-1074, pi / 4},
      {hn_atan2, 0x1p1023, 0x1p1023, pi / 4},
      {hn_atan2, 0x1p-1074, 1, 0x1p-1074},
      {hn_hypot, 3, -4, 5},
      {hn_hypot, inf, NAN, inf},
      {hn_hypot, NAN, -inf, inf},
      {hn_hypot, NAN, 0., NAN},
      {hn_hypot, -0., -0., 0.},
      {hn_hypot, 0x3p-1074, 0x4p-1074, 0x5p-1074},
      {hn_hypot, 0x3p1020, 0x4p1020, 0x5p1020},
      {hn_hypot, 0x1.fp1023, 0x1.fp1023, inf},
      {hn_pow, NAN, 0., 1},
      {hn_pow, 1, NAN, 1},
      {hn_pow, 2, NAN, NAN},
      {hn_pow, NAN, 1, NAN},
      {hn_pow, 0., -1, inf},
      {hn_pow, -0., -3, -inf},
      {hn_pow, -0., -2, inf},
      {hn_pow, -0., 3, -0.},
      {hn_pow, -0., 0.5, 0.},
      {hn_pow, -1, inf, 1},
      {hn_pow, 0.5, inf, 0.},
      {hn_pow, 0.5, -inf, inf},
      {hn_pow, -2, -inf, 0.},
      {hn_pow, 2, inf, inf},
      {hn_pow, inf, 0.5, inf},
      {hn_pow, inf, -0.5, 0.},
      {hn_pow, -inf, 3, -inf},
      {hn_pow, -inf, -3, -0.},
      {hn_pow, -inf, 2, inf},
      {hn_pow, -8, 1.0 / 3, NAN},
      {hn_pow, -2, 3, -8},
      {hn_pow, -1, 0x1p70, 1},
      {hn_pow, 10, 22, 1e22},
      {hn_pow, 3, 33, 5559060566555523.},
      {hn_pow, 2, -1074, 0x1p-1074},
      {hn_pow, 2, 1023, 0x1p1023},
      {hn_pow, 2, 1e300, inf},
      {hn_pow, 2, -1e300, 0.},
      {hn_pow, 0.5, 1e300, 0.},
      {hn_pow, 7, 1e-300, 1},
      {hn_pow, 4, 0.5, 2},
      {hn_pow, 7, -1, 1.0 / 7},
      {hn_pow, 0x1p-1074, 0.5, 0x1p-537},
  };
  for (size_t i = 0; i < sizeof of_two / sizeof *of_two; i++)
    if (!CHECK(same(of_two[i].f(of_two[i].x, of_two[i].y), of_two[i].value)))
      printf("  row %zu: %g, %g give %.17g\n", i, of_two[i].x, of_two[i].y,
             of_two[i].f(of_two[i].x, of_two[i].y));
}

static uint64_t seed = 1;
static double uniform(double low, double high) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}
// of any size, the exponents from low to high
static double any(double low, double high) {
  double m = uniform(1, 2);
  return ldexp(m, (int)floor(uniform(low, high)));
}

// sine and cosine of one angle: together as alone, on the circle, odd and even, and the same a
// quarter on as far as angles say
static void circle(void) {
  double worst = 0;
  int alone = 1, mirrored = 1;
  for (int i = 0; i < 200000; i++) {
    double x = i % 2 ? uniform(-20, 20) : any(-30, 1023), s, c;
    hn_sincos(x, &s, &c);
    alone &= same(s, hn_sin(x)) && same(c, hn_cos(x));
    mirrored &= hn_sin(-x) == -s && hn_cos(-x) == c;
    worst = fmax(worst, fabs((s * s + c * c) - 1));
  }
  CHECK(alone);
  CHECK(mirrored);
  CHECK_NEAR(worst, 0, 4.5e-16);
}

// where angles are taken apart (multiples of pi/4, the end of the short way) both ways agree
static void seams(void) {
  double worst = 0;
  for (int i = 0; i < 100000; i++) {
    double x = i % 2 ? uniform(7.9e5, 8.1e5) : 0.78539816339744830962 * floor(uniform(1, 1e6)), s,
           c, S, C;
    hn_sincos(x, &s, &c);
    // of half the angle, which is taken apart elsewhere
    hn_sincos(0.5 * x, &S, &C);
    worst = fmax(worst, fabs(2 * S * C - s) + fabs((C - S) * (C + S) - c));
  }
  CHECK_NEAR(worst, 0, 8e-16);
}

// larger arguments give larger values, by steps in which they grow by a unit or more
static void rises(one *f, double low, double high) {
  int rising = 1;
  for (int i = 0; i < 20000; i++) {
    double x = uniform(low, high), y = x + fabs(x) * 0x1p-49;
    rising &= f(y) >= f(x);
  }
  CHECK(rising);
}
static void monotone(void) {
  rises(hn_sin, -1.55, 1.55);
  rises(hn_tan, -1.57, 1.57);
  rises(hn_asin, -0.99, 0.99);
  rises(hn_atan, -9, 9);
  rises(hn_exp, -700, 700);
  rises(hn_log, 0.01, 100);
  rises(hn_log, 0.9, 1.1);
  rises(hn_log1p, -0.9, 3);
  rises(hn_log10, 0.01, 100);
  rises(hn_sinh, -50, 50);
  rises(hn_sinh, -0.05, 0.05);
  rises(hn_cosh, 0.05, 50);
  rises(hn_tanh, -20, 20);
  rises(hn_tanh, -0.05, 0.05);
  rises(hn_asinh, -1e10, 1e10);
  rises(hn_asinh, -3, 3);
}

// what undoes another, to round-off
static void inverses(void) {
  double off[6] = {0};
  for (int i = 0; i < 50000; i++) {
    double x = uniform(-0.99, 0.99), y = uniform(-3, 3), s, c, size = any(-900, 900), z;
    off[0] = fmax(off[0], fabs(hn_sin(hn_asin(x)) - x));
    off[1] = fmax(off[1], fabs(hn_cos(hn_acos(x)) - x));
    off[2] = fmax(off[2], fabs(hn_log(hn_exp(y)) - y));
    hn_sincos(y, &s, &c);
    off[3] = fmax(off[3], fabs(hn_atan2(size * s, size * c) - y));
    off[4] = fmax(off[4], fabs(hn_hypot(size * s, size * c) / size - 1));
    z = any(-300, 300);
    off[5] = fmax(off[5], fabs(hn_pow(hn_pow(z, 3), 1.0 / 3) / z - 1));
  }
  for (int k = 0; k < 5; k++) CHECK_NEAR(off[k], 0, 1e-15);
  CHECK_NEAR(off[5], 0, 1e-13);  // 1/3 is rounded, times the logarithm
}

// all bits of many values in one number. It proves nothing right, but must be the same with every
// compiler, optimisation and C library; who changes a function on purpose writes the new one here
static void everywhere(void) {
  uint64_t sum = 0;
  seed = 7;
  for (int i = 0; i < 20000; i++)
    for (int k = 0; k < FUNCTIONS; k++) {
      double x = i % 3 ? uniform(-2, 2) : any(-40, 40), y = uniform(-9, 9);
      double value = functions[k].g ? functions[k].g(x, y) : functions[k].f(x);
      sum = (sum ^ (isnan(value) ? 1 : bits_of(value))) * 0x100000001b3u;
      sum ^= sum >> 29;
    }
  if (!CHECK(sum == 0xe901f730dafdc40d)) printf("  all bits: %016llx\n", (unsigned long long)sum);
}

static void complex_numbers(void) {
  double complex a = 3 + 4 * I, b = 1 - 2 * I, q = hn_complex_quotient(a, b);
  CHECK_NEAR(creal(q), -1, 1e-15);
  CHECK_NEAR(cimag(q), 2, 1e-15);
  q = hn_complex_quotient(a, 2 - 1 * I);
  CHECK_NEAR(creal(q), 0.4, 1e-15);
  CHECK_NEAR(cimag(q), 2.2, 1e-15);
  // squares would end
  q = hn_complex_quotient(1e300 + 1e300 * I, 1e300 + 1e300 * I);
  CHECK_NEAR(creal(q), 1, 1e-15);
  CHECK_NEAR(cimag(q), 0, 1e-15);
  CHECK(hn_complex_size(a) == 5);
  CHECK_NEAR(hn_complex_angle(I), 1.57079632679489661923, 0);
}

int main(void) {
  RUN(references);
  RUN(special_values);
  RUN(circle);
  RUN(seams);
  RUN(monotone);
  RUN(inverses);
  RUN(everywhere);
  RUN(complex_numbers);
  return test_end();
}
