// svg.h: what a chart is made of: growing text, axes with round ticks, curves.
#ifndef HN_SVG_H
#define HN_SVG_H

#include "base/base.h"

// growable text; a failed allocation is remembered, so that only the end has to be checked
// Shared far beyond charts: model files of robots, descriptions of FMUs. data is NULL while it is
// empty; free() it.
typedef struct hn_text {
  char *data;
  size_t length, capacity;
  bool failed;
} hn_text;

__attribute__((format(printf, 2, 3))) void hn_text_add(hn_text *text, const char *format, ...);
// `s` as XML character data: markup escaped, bytes that are not UTF-8 replaced
void hn_text_xml(hn_text *text, const char *s);
// upper estimate of the printed width [px]; fonts differ, so the widest usual one counts
double hn_text_width(const char *s, double font_size);
// `s` cut in the middle ("cou…ngle") to at most `width`
void hn_text_fit(char *out, size_t size, const char *s, double width, double font_size);
// a unit as printed: m/s^2 with a raised 2
void hn_text_unit(char *out, size_t size, const char *unit);

// An axis maps values to pixels and knows its ticks. Tick i of a linear axis stands at
//   offset + (first + i) mantissa 10^power
// and its label is (first + i) mantissa 10^(power - exponent): offset and 10^exponent are common
// to all labels and are written once, at the end of the axis. On a logarithmic axis of several
// decades tick i stands at 10^(first + i mantissa); over fewer decades (`fine`) ticks stand at 1, 2
// and 5 times powers of ten, and first counts those.
typedef struct hn_axis {
  bool log, fine;
  double lo, hi;         // range; decimal logarithms when log
  double start, length;  // pixel of lo; signed way from there to hi
  double offset;
  long first;
  int count, mantissa, power, exponent;
} hn_axis;

// range and ticks for data between lo and hi (positive when log), about `ticks` ticks, two at
// least; `pad` is the part of the range left free on both sides of a linear axis
void hn_axis_fit(hn_axis *axis, double lo, double hi, bool log, int ticks, double pad);
double hn_axis_pixel(const hn_axis *axis, double value);
double hn_axis_tick_pixel(const hn_axis *axis, int tick);
// short marks between the labels of a logarithmic axis: at 2 ... 9, or at each decade when labels
// stand wider apart; false past the last
bool hn_axis_minor_pixel(const hn_axis *axis, int index, double *pixel);
// label as SVG text content and its width [px]
double hn_axis_label(const hn_axis *axis, int tick, double font_size, char *out, size_t size);
// "×10⁻³ + 101.2766", empty when there is nothing common
double hn_axis_common(const hn_axis *axis, double font_size, char *out, size_t size);

// A curve on its way into the text; a point between two gaps becomes a dot. Curves are thinned
// without being changed to the eye. With `columns`, for very many points whose x never goes back,
// only the first, lowest, highest and last point of each column of pixels go on: they draw the same
// line as all of them together, and no peak is lost, however short. Of those, and of all points of
// other curves, runs are left out that a straight line passes within HN_CURVE_NEAR.
#define HN_CURVE_NEAR 0.05  // [px]
typedef struct hn_curve {
  hn_text *svg;
  bool columns;
  int count;                  // points written since the last gap
  double x, y;                // the last of them [px]
  int seen, lowest, highest;  // in the current column of pixels: how many points, which extreme
  double kept[4][2];          // first, lowest, highest, last
  bool held;                  // a point is held back: `ahead`
  double ahead[2], reach;     // how far from (x, y) the points left out go
  double along[2], lo,
      hi;  // lines from (x, y) in these directions, counted from `along`, pass them
} hn_curve;

void hn_curve_point(hn_curve *curve, double x, double y);
void hn_curve_gap(hn_curve *curve);  // also ends the curve

#endif
