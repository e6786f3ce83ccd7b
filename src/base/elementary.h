// elementary.h: the elementary functions, of one kind on every machine.
//
// C libraries round them differently in their last digit, and runs then differ by round-off from
// one machine to the next. These are made of additions, products, quotients and roots alone, which
// are the same everywhere (IEEE 754): with -ffp-contract=off and rounding to nearest they have the
// same bits wherever they are compiled. Within one unit of the last place (tests/test_elementary.c
// has by how much), special values as in the C standard; floating-point exceptions and errno are
// not promised.
//
// What a C library rounds exactly needs no twin: sqrt, fabs, floor, ceil, rint, fmod, frexp, ldexp.
#ifndef HN_ELEMENTARY_H
#define HN_ELEMENTARY_H

static const double hn_pi = 3.14159265358979323846;

double hn_sin(double x);
double hn_cos(double x);
// both of one angle, the same as each alone
void hn_sincos(double x, double *sine, double *cosine);
double hn_tan(double x);
double hn_asin(double x);
double hn_acos(double x);
double hn_atan(double x);
double hn_atan2(double y, double x);
double hn_exp(double x);
double hn_log(double x);
double hn_log1p(double x);
double hn_log10(double x);
double hn_pow(double x, double y);
double hn_sinh(double x);
double hn_cosh(double x);
double hn_tanh(double x);
double hn_asinh(double x);
double hn_hypot(double x, double y);

#endif
