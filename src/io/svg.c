// svg.c: text, axes and curves of charts.
//
// hn_text is the growing text that all writers of SVG, XML and models share. Axes choose round
// ticks after Heckbert (Nice numbers for graph labels, Graphics Gems, 1990), with two additions:
// what all labels have in common (an offset, a power of ten) is written once beside the axis, and
// logarithmic axes of less than two decades have ticks at 1, 2 and 5. Curves are thinned to what
// can be seen.
#include "io/svg.h"

#include "base/elementary.h"
#include "io/io.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- text ----------------------------------------------------------------------------------

// Doubling keeps the cost of many small pieces linear; 4096 bytes save the first dozen of them.
static bool reserve(hn_text *text, size_t more) {
  if (text->failed) return false;
  if (text->capacity - text->length > more) return true;
  size_t capacity = 2 * text->capacity + more + 4096;
  char *grown = realloc(text->data, capacity);
  if (!grown) {
    text->failed = true;
    return false;
  }
  text->data = grown;
  text->capacity = capacity;
  return true;
}

void hn_text_add(hn_text *text, const char *format, ...) {
  // measured first: texts have no limit
  va_list args;
  va_start(args, format);
  int n = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (n < 0 || !reserve(text, (size_t)n)) return;
  va_start(args, format);
  vsnprintf(text->data + text->length, (size_t)n + 1, format, args);
  va_end(args);
  text->length += (size_t)n;
}

// one character of UTF-8: its length in bytes, its code in *code; -1 stands for a wrong byte
// A broken byte counts as one character, so that a text always comes to its end.
static int decode(const char *s, long *code) {
  const unsigned char *u = (const unsigned char *)s;
  int n = u[0] < 0x80         ? 1
          : (u[0] >> 5) == 6  ? 2
          : (u[0] >> 4) == 14 ? 3
          : (u[0] >> 3) == 30 ? 4
                              : 0;
  static const long least[] = {0, 0, 0x80, 0x800, 0x10000};
  long c = n == 0 ? -1 : n == 1 ? u[0] : u[0] & (0x7f >> n);
  for (int i = 1; i < n && c >= 0; i++) c = (u[i] & 0xc0) == 0x80 ? c << 6 | (u[i] & 0x3f) : -1;
  // broken, overlong, a surrogate, or none that XML allows
  if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c == 0xfffe || c == 0xffff)
    c = -1;
  *code = c;
  return c < 0 ? 1 : n;
}

void hn_text_xml(hn_text *text, const char *s) {
  long code;
  for (int n; *s; s += n) {
    n = decode(s, &code);
    switch (code) {
    case '&': hn_text_add(text, "&amp;"); break;
    case '<': hn_text_add(text, "&lt;"); break;
    case '>': hn_text_add(text, "&gt;"); break;
    case '"': hn_text_add(text, "&quot;"); break;
    case -1: hn_text_add(text, "\xef\xbf\xbd"); break;
    default:
      // control characters are not allowed in XML, not even escaped
      if (code < ' ')
        hn_text_add(text, " ");
      else
        hn_text_add(text, "%.*s", n, s);
    }
  }
}

// widths in em, rounded up, of DejaVu Sans and Verdana, the widest of the usual sans-serif fonts
// No font is at hand to ask, and viewers use what they have: too wide is better than overlapping.
static double character_width(long code) {
  // by blocks of Unicode, roughly
  if (code >= 0x2e80) return 1.05;  // East Asian
  if (code < 0 || code >= 0x80) return 0.85;
  if (strchr("ijl'|", (int)code)) return 0.30;
  if (strchr(" .,:;ftrI!-/()[]", (int)code)) return 0.42;
  if (strchr("mwMW@%", (int)code)) return 0.99;
  if (code >= 'A' && code <= 'Z') return 0.78;
  return 0.645;
}

double hn_text_width(const char *s, double font_size) {
  double width = 0;
  long code;
  for (; *s; s += decode(s, &code)) {
    decode(s, &code);
    width += character_width(code);
  }
  return width * font_size;
}

// Ends of names matter as much as their beginnings ("front_left_wheel.angle"): the middle goes.
void hn_text_fit(char *out, size_t size, const char *s, double width, double font_size) {
  snprintf(out, size, "%s", s);
  if (strlen(s) < size && hn_text_width(s, font_size) <= width) return;

  // characters are taken from both ends in turn until the room is used up
  // an ellipsis, in UTF-8
  static const char dots[] = "\xe2\x80\xa6";
  const char *head = s, *tail = s + strlen(s);
  double room = width / font_size - 1;
  size_t bytes = size - sizeof dots;
  for (bool front = true; head < tail; front = !front) {
    long code;
    const char *next = tail - 1;
    // back to the first byte of a character
    while (!front && next > head && ((unsigned char)*next & 0xc0) == 0x80) next--;
    int n = decode(front ? head : next, &code);
    if (!front) n = (int)(tail - next);
    room -= character_width(code);
    if (room < 0 || bytes < (size_t)n) break;
    bytes -= (size_t)n;
    if (front)
      head += n;
    else
      tail = next;
  }
  snprintf(out, size, "%.*s%s%s", (int)(head - s), s, dots, tail);
}

// Digits behind ^ become raised ones, up to the next other character.
void hn_text_unit(char *out, size_t size, const char *unit) {
  static const char *const raised[] = {
      "\xe2\x81\xb0", "\xc2\xb9",     "\xc2\xb2",     "\xc2\xb3",     "\xe2\x81\xb4",
      "\xe2\x81\xb5", "\xe2\x81\xb6", "\xe2\x81\xb7", "\xe2\x81\xb8", "\xe2\x81\xb9"};
  size_t n = 0;
  bool up = false;
  for (const char *s = unit; *s && n + 4 < size; s++) {
    char plain[2] = {*s, 0};
    const char *piece = plain;
    // "^" without a number stays
    if (*s == '^' && strchr("-0123456789", s[1]) && s[1]) {
      up = true;
      continue;
    }
    if (up && *s == '-')
      piece = "\xe2\x81\xbb";
    else if (up && *s >= '0' && *s <= '9')
      piece = raised[*s - '0'];
    else
      up = false;
    n += (size_t)snprintf(out + n, size - n, "%s", piece);
  }
  out[n] = 0;
}

// ---- axes ----------------------------------------------------------------------------------

static double power_of_ten(int k) {
  return hn_pow(10, k);
}

// 1e-9 lets 1000, computed as 999.9999999, be a thousand.
// of a number above zero
static int decade(double x) {
  return (int)floor(hn_log10(x) + 1e-9);
}

// no range, or one that rounding alone makes, would blow noise up to a picture of its own
// A constant curve gets a tenth of its size to either side, zero gets one.
static void widen_constant(double *lo, double *hi) {
  double size = fmax(fabs(*lo), fabs(*hi)), middle = 0.5 * (*lo + *hi);
  // 4e-15: a few units of the last place
  if (*hi - *lo > 4e-15 * size && *hi - *lo > 1e-300) return;
  double half = size < 1e-290 ? 1 : 0.1 * size;
  *lo = middle - half;
  *hi = middle + half;
}

// round steps are 1, 2 or 5 times a power of ten
static void choose_step(hn_axis *axis, int ticks) {
  double rough = (axis->hi - axis->lo) / ticks;
  axis->power = decade(rough);
  // between 1 and 10
  double m = rough / power_of_ten(axis->power);
  // borders are geometric means, so that the number of ticks comes closest to what is wanted
  axis->mantissa = m < sqrt(2) ? 1 : m < sqrt(10) ? 2 : m < sqrt(50) ? 5 : 1;
  if (m >= sqrt(50)) axis->power++;
}

// labels of more than six digits differ only at their end: take the common part out, which is the
// middle of the range rounded to the power of ten above the range
// Ticks at 101.276621, 101.276622 ... are read as an offset and small numbers. The offset is round,
// so that it is short.
static void choose_offset(hn_axis *axis) {
  double size = fmax(fabs(axis->lo), fabs(axis->hi));
  axis->offset = 0;
  // zeros after the decimal point take room like digits
  // one digit before the point
  int leading = size >= 0.01 && size < 1 ? 0 : decade(size);
  if (leading - axis->power < 6) return;
  double middle = 0.5 * (axis->lo + axis->hi);
  int digits = decade(fabs(middle)) - decade(axis->hi - axis->lo);
  char text[40];
  // as text: the nearest number of so many digits
  snprintf(text, sizeof text, "%.*e", digits < 1 ? 0 : digits - 1, middle);
  axis->offset = strtod(text, NULL);
}

// a common power of 1000 when labels would grow long; labels then lie between 0.1 and 100
// Powers of a thousand, as engineers have prefixes for.
static void choose_exponent(hn_axis *axis) {
  double size = fmax(fabs(axis->lo - axis->offset), fabs(axis->hi - axis->offset));
  axis->exponent = 0;
  if (size < 1e5 && size >= 1e-2) return;
  // so that what is left lies between 0.1 and 100
  axis->exponent = 3 * (int)floor((decade(size) + 1) / 3.0);
}

// More ticks are tried until two fall inside: the loop ends, since steps become as small as needed.
static void fit_linear(hn_axis *axis, double lo, double hi, int ticks, double pad) {
  widen_constant(&lo, &hi);
  double margin = pad * (hi - lo);
  axis->lo = lo - margin;
  axis->hi = hi + margin;
  do {
    choose_step(axis, ticks++);
    choose_offset(axis);
    double step = axis->mantissa * power_of_ten(axis->power);
    // 1e-6: a tick at the very end of the range counts
    axis->first = (long)ceil((axis->lo - axis->offset) / step - 1e-6);
    axis->count = (int)((long)floor((axis->hi - axis->offset) / step + 1e-6) - axis->first + 1);
  } while (axis->count < 2);  // a single number is no scale
  choose_exponent(axis);
}

// decimal logarithm of the tick 1, 2 or 5 times a power of ten, counted from 1
// Index 0 is 1, 1 is 2, 2 is 5, 3 is 10; negative ones go on below.
static double fine_tick(long index) {
  long digit = ((index % 3) + 3) % 3;
  return (double)((index - digit) / 3) + (digit == 0 ? 0 : digit == 1 ? hn_log10(2) : hn_log10(5));
}

// less than two decades: from 1, 2 or 5 to 1, 2 or 5; false when there is no room for the labels
static bool fit_fine(hn_axis *axis, double lo, double hi, int ticks) {
  lo = hn_log10(lo), hi = hn_log10(hi);
  // for more, whole decades are enough
  if (hi - lo >= 2) return false;
  long from = 3 * (long)floor(lo) + 3, to = from;
  while (fine_tick(from) > lo + 1e-9) from--;
  while (fine_tick(to) < hi - 1e-9) to++;
  while (to > from + 1 && fine_tick(to - 1) > hi - 1e-9) to--;
  if (from == to) to++;
  // one at least is left
  if (to - from + 1 > ticks) return false;
  axis->fine = true;
  axis->mantissa = 1;
  axis->first = from;
  axis->count = (int)(to - from) + 1;
  axis->lo = fine_tick(from);
  axis->hi = fine_tick(to);
  return true;
}

// whole decades; labels at every decade, or every second, third ... when they are many
// Ticks stand at powers of ten that `mantissa` divides, so that 1 is among them where it is in
// range.
static void fit_log(hn_axis *axis, double lo, double hi, int ticks) {
  if (fit_fine(axis, lo, hi, ticks)) return;
  long from = (long)floor(hn_log10(lo) + 1e-9), to = (long)ceil(hn_log10(hi) - 1e-9);
  if (from == to) to++;
  axis->lo = (double)from;
  axis->hi = (double)to;
  axis->mantissa = (int)((to - from + ticks - 1) / ticks);
  // the remainder of a negative number is negative in C
  long skip = from % axis->mantissa;
  axis->first = skip == 0 ? from : from - skip + (skip > 0 ? axis->mantissa : 0);
  axis->count = (int)((to - axis->first) / axis->mantissa) + 1;
}

void hn_axis_fit(hn_axis *axis, double lo, double hi, bool log, int ticks, double pad) {
  *axis = (hn_axis){.log = log};
  if (ticks < 2) ticks = 2;
  if (log)
    fit_log(axis, lo, hi, ticks);
  else
    fit_linear(axis, lo, hi, ticks, pad);
}

// Outside of the range too: curves are cut by who draws them.
double hn_axis_pixel(const hn_axis *axis, double value) {
  if (axis->log) value = hn_log10(value);
  return axis->start + axis->length * ((value - axis->lo) / (axis->hi - axis->lo));
}

double hn_axis_tick_pixel(const hn_axis *axis, int tick) {
  double way;
  if (axis->log) {
    // `mantissa` decades from one to the next
    long index = axis->first + (long)tick * axis->mantissa;
    way = (axis->fine ? fine_tick(index) : (double)index) - axis->lo;
  } else {
    // relative to the offset, or the digits that matter would drown in it
    double step = axis->mantissa * power_of_ten(axis->power);
    way = (double)(axis->first + tick) * step + (axis->offset - axis->lo);
  }
  return axis->start + axis->length * (way / (axis->hi - axis->lo));
}

// At 2 to 9 of each decade where there is room for them, fourteen pixels a decade.
bool hn_axis_minor_pixel(const hn_axis *axis, int index, double *pixel) {
  if (!axis->log) return false;
  double each = fabs(axis->length) / (axis->hi - axis->lo);
  // between decades that have no label there is no room for digits
  bool digits = axis->mantissa == 1;
  if (digits && each < 14) return false;
  long decade = (long)floor(axis->lo + 1e-9);
  int digit = 1;
  if (digits) {
    while (digit < 9 && (double)decade + hn_log10(digit) < axis->lo - 1e-9) digit++;
    index += digit - 1;
    decade += index / 9;
    digit = 1 + index % 9;
  } else {
    decade += index;
  }
  double at = (double)decade + hn_log10(digit);
  *pixel = axis->start + axis->length * ((at - axis->lo) / (axis->hi - axis->lo));
  return at <= axis->hi + 1e-9;
}

static const char minus[] = "\xe2\x88\x92";

// 10 to the k, raised with a smaller font; followed by text, it needs the line lowered again
// tspan with dy: not all programs know baseline-shift. What follows must come down again by as
// much.
static double power_markup(char *out, size_t size, int k, double font_size) {
  char digits[16];
  snprintf(digits, sizeof digits, "%d", abs(k));
  snprintf(out, size, "10<tspan dy=\"%.1f\" font-size=\"%.1f\">%s%s</tspan>", -0.38 * font_size,
           0.75 * font_size, k < 0 ? minus : "", digits);
  return hn_text_width("10", font_size) + hn_text_width(digits, 0.75 * font_size) +
         (k < 0 ? 0.645 * font_size : 0);
}

// 0.02 or 20; 2 x 10^-5 with a raised exponent when zeros would have to be counted
static double fine_label(const hn_axis *axis, int tick, double font_size, char *out, size_t size) {
  static const int digits[] = {1, 2, 5};
  long index = axis->first + tick, which = ((index % 3) + 3) % 3;
  int digit = digits[which], k = (int)((index - which) / 3);
  if (axis->lo > -3.1 && axis->hi < 5.1) {
    snprintf(out, size, "%.*f", k < 0 ? -k : 0, digit * power_of_ten(k));
    return hn_text_width(out, font_size);
  }
  char power[160];
  double width = power_markup(power, sizeof power, k, font_size);
  if (digit == 1) {
    snprintf(out, size, "%s", power);
    return width;
  }
  snprintf(out, size, "%d\xc3\x97%s", digit, power);
  return width + 1.5 * font_size;
}

// Digits follow from the step, never from the value: all labels of an axis have as many decimals.
double hn_axis_label(const hn_axis *axis, int tick, double font_size, char *out, size_t size) {
  if (axis->fine) return fine_label(axis, tick, font_size, out, size);
  if (axis->log) {
    int k = (int)(axis->first + (long)tick * axis->mantissa);
    return power_markup(out, size, k, font_size);
  }
  long units = (axis->first + tick) * axis->mantissa;
  int shift = axis->power - axis->exponent;
  char text[48];
  snprintf(text, sizeof text, "%.*f", shift < 0 ? -shift : 0,
           (double)labs(units) * power_of_ten(shift));
  snprintf(out, size, "%s%s", units < 0 ? minus : "", text);
  return hn_text_width(text, font_size) + (units < 0 ? 0.85 * font_size : 0);
}

// "x 10^-3 + 101.2766": the power belongs to the labels, the offset is in units of the axis.
double hn_axis_common(const hn_axis *axis, double font_size, char *out, size_t size) {
  char power[160] = "", number[HN_NUMBER_SIZE] = "";
  double width = 0;
  out[0] = 0;
  if (axis->exponent)
    width += 0.85 * font_size + power_markup(power, sizeof power, axis->exponent, font_size);
  if (axis->offset != 0) {
    hn_number_text(number, fabs(axis->offset));
    width += hn_text_width(number, font_size) + 2 * font_size;
  }
  const char *sign = axis->offset < 0 ? minus : "+";
  if (axis->exponent && axis->offset != 0)
    snprintf(out, size, "\xc3\x97%s<tspan dx=\"%.1f\" dy=\"%.1f\">%s %s</tspan>", power,
             0.35 * font_size, 0.38 * font_size, sign, number);
  else if (axis->exponent)
    snprintf(out, size, "\xc3\x97%s", power);
  else if (axis->offset != 0)
    snprintf(out, size, "%s %s", sign, number);
  return width;
}

// ---- curves --------------------------------------------------------------------------------

// Nothing is written for the first point until a second one comes: a line needs two.
static void write_point(hn_curve *c, double x, double y) {
  if (c->count == 1) hn_text_add(c->svg, "<polyline points=\"%.2f,%.2f", c->x, c->y);
  if (c->count > 0) hn_text_add(c->svg, " %.2f,%.2f", x, y);
  c->count++;
  c->x = x, c->y = y;
}

static void write_held(hn_curve *c) {
  if (c->held) write_point(c, c->ahead[0], c->ahead[1]);
  c->held = false;
}

// A point is held back as long as the line from the last written point to the next one passes
// within HN_CURVE_NEAR of all between: as long as its direction lies in the cone lo .. hi.
// The cone of directions is that of Williams' and Imai's algorithms for polygonal curves: each
// point left out narrows it, and one that leaves it, or comes back, starts a new one. Linear,
// without memory of the points.
static void add_point(hn_curve *c, double x, double y) {
  if (c->count == 0) {
    write_point(c, x, y);
    return;
  }
  double dx = x - c->x, dy = y - c->y, way = hn_hypot(dx, dy), angle = 0;
  if (c->held) {
    angle = hn_atan2(c->along[0] * dy - c->along[1] * dx, c->along[0] * dx + c->along[1] * dy);
    if (angle < c->lo || angle > c->hi || way < c->reach - HN_CURVE_NEAR) {
      write_held(c);
      dx = x - c->x, dy = y - c->y, way = hn_hypot(dx, dy), angle = 0;
    }
  }
  bool far = way > HN_CURVE_NEAR;
  if (!c->held) {
    c->along[0] = far ? dx / way : 1, c->along[1] = far ? dy / way : 0;
    c->lo = -4, c->hi = 4, c->reach = 0;  // any direction
  }
  double half = far ? hn_asin(HN_CURVE_NEAR / way) : 8;
  c->lo = fmax(c->lo, angle - half), c->hi = fmin(c->hi, angle + half);
  c->reach = fmax(c->reach, way);
  c->held = true;
  c->ahead[0] = x, c->ahead[1] = y;
}

// the points kept of a column of pixels, in the order they came
// First, lowest, highest and last point of a pixel column in the order they came.
static void flush_column(hn_curve *c) {
  if (c->seen == 0) return;
  int sooner = c->lowest < c->highest ? 1 : 2, later = 3 - sooner;
  int from = sooner == 1 ? c->lowest : c->highest, to = sooner == 1 ? c->highest : c->lowest;
  add_point(c, c->kept[0][0], c->kept[0][1]);
  if (from > 0) add_point(c, c->kept[sooner][0], c->kept[sooner][1]);
  if (to > from) add_point(c, c->kept[later][0], c->kept[later][1]);
  if (c->seen - 1 > to) add_point(c, c->kept[3][0], c->kept[3][1]);
  c->seen = 0;
}

static void add_to_column(hn_curve *c, double x, double y) {
  if (c->seen > 0 && floor(x) != floor(c->kept[0][0])) flush_column(c);
  if (c->seen == 0 || y > c->kept[1][1]) c->lowest = c->seen;  // pixels count downwards
  if (c->seen == 0 || y < c->kept[2][1]) c->highest = c->seen;
  bool keep[4] = {c->seen == 0, c->lowest == c->seen, c->highest == c->seen, true};
  for (int i = 0; i < 4; i++)
    if (keep[i]) c->kept[i][0] = x, c->kept[i][1] = y;
  c->seen++;
}

void hn_curve_point(hn_curve *curve, double x, double y) {
  if (curve->columns)
    add_to_column(curve, x, y);
  else
    add_point(curve, x, y);
}

void hn_curve_gap(hn_curve *curve) {
  flush_column(curve);
  write_held(curve);
  if (curve->count > 1) hn_text_add(curve->svg, "\"/>\n");
  if (curve->count == 1)
    hn_text_add(curve->svg,
                "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"3\" fill=\"currentColor\" stroke=\"none\"/>\n",
                curve->x, curve->y);
  curve->count = 0;
}
