// complex.h: size, angle and quotient of complex numbers, which C libraries and compilers round
// each in their own way.
#ifndef HN_COMPLEX_H
#define HN_COMPLEX_H

#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"

static inline double hn_complex_size(double complex z) {
  return hn_hypot(creal(z), cimag(z));
}
// from -pi to pi, of 0 it is 0
static inline double hn_complex_angle(double complex z) {
  return hn_atan2(cimag(z), creal(z));
}
// a / b, by the larger part of b so that nothing ends on the way (Smith)
static inline double complex hn_complex_quotient(double complex a, double complex b) {
  double ar = creal(a), ai = cimag(a), br = creal(b), bi = cimag(b);
  double complex o;
  // by parts: C multiplies complex numbers with rescues for infinities, of another kind in each
  // compiler
  double part[2];
  // |t| <= 1, so that neither bi t nor d exceeds what b is; b = 0 gives NaN
  if (fabs(br) >= fabs(bi)) {
    double t = bi / br, d = br + bi * t;
    part[0] = (ar + ai * t) / d, part[1] = (ai - ar * t) / d;
  } else {
    double t = br / bi, d = br * t + bi;
    part[0] = (ar * t + ai) / d, part[1] = (ai * t - ar) / d;
  }
  memcpy(&o, part, sizeof o);  // real part first, as the standard lays it out
  return o;
}

#endif
