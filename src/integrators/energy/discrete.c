// discrete.c: see discrete.h. With x = pi0 and y = pi1,
//
//   value   d = 1
//   root    d = 1 / (sqrt x + sqrt y)
//   asin    d = (asin y - asin x) / (y - x)
//   angle   of cosine c and sine s: with X = c0 s1 - s0 c1 and Y = c0 c1 + s0 s1 the change is
//           atan2(X, Y), and d = k (-s_m, c_m), k = atan2(X, Y) / X, since
//           -s_m (c1 - c0) + c_m (s1 - s0) = X
#include "integrators/energy/discrete.h"
#include "base/elementary.h"

#include <string.h>

static const double small = 1e-4;  // below it quotients are replaced by series

static void discrete_asin(double x, double y, hn_discrete *o) {
  double m = 0.5 * (x + y), w = fmax(1 - m * m, 1e-24), step = y - x;
  o->g[0] = 1 / sqrt(fmax(1 - y * y, 1e-24));
  if (fabs(step) < small) {
    // midpoint rule and its correction f''' step^2 / 24
    double slope = m / (w * sqrt(w)), bend = (1 + 2 * m * m) / (w * w * sqrt(w));
    o->d[0] = 1 / sqrt(w) + bend * step * step / 24;
    o->slope[0][0] = 0.5 * slope + bend * step / 12;
    o->change = o->d[0] * step;
    return;
  }
  o->change = hn_asin(fmax(-1, fmin(1, y))) - hn_asin(fmax(-1, fmin(1, x)));
  o->d[0] = o->change / step;
  o->slope[0][0] = (o->g[0] - o->d[0]) / step;
}

static void discrete_angle(const double x[2], const double y[2], hn_discrete *o) {
  double X = x[0] * y[1] - x[1] * y[0], Y = x[0] * y[0] + x[1] * y[1], r2 = X * X + Y * Y;
  double c = 0.5 * (x[0] + y[0]), s = 0.5 * (x[1] + y[1]), size = y[0] * y[0] + y[1] * y[1];
  double k, kX, kY = -1 / r2;
  o->change = hn_atan2(X, Y);
  if (Y > 0 && fabs(X) < small * Y) {
    double t = X / Y;
    k = (1 - t * t / 3) / Y;
    kX = -2 * t / (3 * Y * Y);
  } else {
    k = o->change / X;
    kX = (Y / r2 - k) / X;
  }
  // dX = (-s0, c0), dY = (c0, s0) by the products at the end
  double dk[2] = {-x[1] * kX + x[0] * kY, x[0] * kX + x[1] * kY};
  o->d[0] = -k * s, o->d[1] = k * c;
  for (int j = 0; j < 2; j++) {
    o->slope[0][j] = -s * dk[j] - (j == 1 ? 0.5 * k : 0);
    o->slope[1][j] = c * dk[j] + (j == 0 ? 0.5 * k : 0);
  }
  o->g[0] = -y[1] / size, o->g[1] = y[0] / size;
}

void hn_discrete_function(hn_function_type type, const double x[2], const double y[2],
                          hn_discrete *o) {
  memset(o, 0, sizeof *o);
  switch (type) {
  case HN_F_VALUE:
    o->change = y[0] - x[0];
    o->d[0] = o->g[0] = 1;
    break;
  case HN_F_ROOT: {
    double a = sqrt(x[0]), b = sqrt(y[0]), sum = a + b;
    o->change = sum > 0 ? (y[0] - x[0]) / sum : 0;
    o->d[0] = sum > 0 ? 1 / sum : 0;
    o->slope[0][0] = b > 0 ? -0.5 / (b * sum * sum) : 0;
    o->g[0] = b > 0 ? 0.5 / b : 0;
    break;
  }
  case HN_F_ASIN: discrete_asin(x[0], y[0], o); break;
  case HN_F_ANGLE: discrete_angle(x, y, o); break;
  }
}
