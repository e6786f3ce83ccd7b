// sine_text.h: sine and cosine of generated code. Libraries take a call and some 120 instructions
// for an angle, as much as all else that is done with it.
#ifndef HN_SINE_TEXT_H
#define HN_SINE_TEXT_H

// x less a multiple of pi/2, taken away in pieces of which the first three have so few digits that
// their products are exact (Cody and Waite), and which multiple; then polynomials with the
// coefficients of fdlibm. For |x| <= 1e5. R is a number or a vector of them, I the integers as wide
#define HN_SINE_TEXT                                                                               \
  "FN R quarter(R x, I *k) {\n"                                                                    \
  "  const R shift = N(6755399441055744.0), n = x * 0.63661977236758134308 + shift;\n"             \
  "  const R m = n - shift;\n"                                                                     \
  "  const R a = x - m * 1.57079632673412561417, w = m * 6.07710050630396597660e-11;\n"            \
  "  const R b = a - w, z = m * 2.02226624871116645580e-21, c = b - z;\n"                          \
  "  *k = (I)n;\n"                                                                                 \
  "  return c + ((((a - b) - w) + ((b - c) - z)) - m * 8.47842766036889956997e-32);\n"             \
  "}\n"                                                                                            \
  "FN R sine_near(R r) {\n"                                                                        \
  "  const R z = r * r;\n"                                                                         \
  "  return r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 +\n"        \
  "    z * (-1.98412698298579493134e-04 + z * (2.75573137070700676789e-06 +\n"                     \
  "    z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));\n"                  \
  "}\n"                                                                                            \
  "FN R cosine_near(R r) {\n"                                                                      \
  "  const R z = r * r, h = 0.5 * z, w = 1.0 - h;\n"                                               \
  "  return w + (((1.0 - w) - h) + z * z * (4.16666666666666019037e-02 +\n"                        \
  "    z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 +\n"                     \
  "    z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 +\n"                     \
  "    z * -1.13596475577881948265e-11))))));\n"                                                   \
  "}\n"

// of single numbers, on processors and devices. Both polynomials are computed in any case and one
// is taken: what sine and cosine of one angle have in common the compiler then finds. I is
// unsigned, as wide as a double: low digits are those of negative multiples, too. FAR marks
// functions that are hardly ever called
#define HN_SINE_OF_NUMBERS_TEXT                                                                    \
  "FN double taken(double even, double odd, I k, I sign) {\n"                                      \
  "  union { double x; I bits; } e = {even}, o = {odd};\n"                                         \
  "  e.bits = ((o.bits & -(k & 1)) | (e.bits & ~-(k & 1))) ^ (sign & 2) << 62;\n"                  \
  "  return e.x;\n"                                                                                \
  "}\n"                                                                                            \
  "FAR double far_sin(double x) { return sin(x); }\n"                                              \
  "FAR double far_cos(double x) { return cos(x); }\n"                                              \
  "FN double near_sin(double x) {\n"                                                               \
  "  I k;\n"                                                                                       \
  "  const double r = quarter(x, &k), o = taken(sine_near(r), cosine_near(r), k, k);\n"            \
  "  return __builtin_expect(fabs(x) <= 1e5, 1) ? o : far_sin(x);\n"                               \
  "}\n"                                                                                            \
  "FN double near_cos(double x) {\n"                                                               \
  "  I k;\n"                                                                                       \
  "  const double r = quarter(x, &k), o = taken(cosine_near(r), sine_near(r), k, k + 1);\n"        \
  "  return __builtin_expect(fabs(x) <= 1e5, 1) ? o : far_cos(x);\n"                               \
  "}\n"                                                                                            \
  "#define sin near_sin\n#define cos near_cos\n"

// Where numbers are wider than they are stored the pieces are not exact, and the library has to do
static const char hn_sine_of_numbers[] =
    "#if defined(__GNUC__) && __FLT_EVAL_METHOD__ == 0\n"
    "#define FN static inline __attribute__((unused))\n"
    "#define FAR FN\n"
    "#define N(x) (x)\n"
    "typedef double R;\n"
    "typedef unsigned long long I;\n" HN_SINE_TEXT HN_SINE_OF_NUMBERS_TEXT "#endif\n\n";

#endif
