// scan.c: see scan.h. Ranges are walked from left to right, halved by a stack of their own.
//
// A range is plain where nothing in it is open (no decision may go either way) and the second
// derivative changes by less than a part of its peak: rows on either side then tell what happens
// between them. The peak has to be known before, so every motion is walked twice, first for it,
// then for instants and breaks. Bounds by interval arithmetic never miss anything but may be wide;
// effort is limited, and a formula that is too ragged is said not to be complete.
#include "sim/scan.h"

#include <stdlib.h>
#include <string.h>

enum { EFFORT = 200000, MOST_INSTANTS = 200000, LEVELS = 64 };
static const double resolved =
    0.3;                           // change of the second derivative between instants, of its peak
static const double faint = 1e-3;  // what is this small against the peak is not looked at

typedef struct piece {
  double low, high;
} piece;

typedef struct search {
  hn_scan *scan;
  const hn_program *program;
  hn_bounds *registers;  // scratch; as numbers too
  double *numbers;
  double width;    // least length of a range
  double peak;     // largest second derivative met
  double most[2];  // largest value and rate met
  long effort;     // evaluations left
  int breaks, capacity;
  piece *broken;  // breaks, ascending
  bool keep;      // instants and breaks are wanted
  bool coarse;    // breaks alone are: what lies between them is not resolved
  bool failed;    // out of memory
} search;

static void values(search *s, double t, double f[3]) {
  hn_program_run(s->program, &t, s->numbers, f);
}

static int bounds(search *s, double a, double b, hn_bounds f[3]) {
  s->effort--;
  return hn_program_bounds(s->program, &(hn_bounds){a, b}, s->registers, f);
}

static bool grow(void **list, int *capacity, int count, size_t size) {
  if (count < *capacity) return true;
  int more = *capacity ? 2 * *capacity : 64;
  void *grown = realloc(*list, (size_t)more * size);
  if (!grown) return false;
  *list = grown;
  *capacity = more;
  return true;
}

static void note_instant(search *s, double t) {
  hn_scan *o = s->scan;
  if (o->count >= MOST_INSTANTS) {
    o->complete = false;
    return;
  }
  if (!grow((void **)&o->time, &o->capacity, o->count, sizeof *o->time)) {
    s->failed = true;
    return;
  }
  o->time[o->count++] = t;
}

// neighbours that stay open are one break: its width is that of all of them
static void note_break(search *s, double a, double b) {
  piece *last = s->breaks ? &s->broken[s->breaks - 1] : NULL;
  if (last && a <= last->high + 4 * s->width) {
    last->high = b;
    return;
  }
  if (!grow((void **)&s->broken, &s->capacity, s->breaks, sizeof *s->broken)) {
    s->failed = true;
    return;
  }
  s->broken[s->breaks++] = (piece){a, b};
}

// nothing that matters happens where the second derivative stays within f
static bool is_plain(const search *s, hn_bounds f) {
  double most = fmax(fabs(f.low), fabs(f.high));
  if (s->keep) return most <= faint * s->peak || f.high - f.low <= resolved * s->peak;
  return most <= 2 * s->peak;
}

// a plain range joins the ones before it while all of them together are plain
static void join(search *s, hn_bounds *all, bool *empty, double at, hn_bounds f) {
  hn_bounds both = {fmin(all->low, f.low), fmax(all->high, f.high)};
  if (!*empty && !is_plain(s, both)) {
    note_instant(s, at);
    *empty = true;
  }
  *all = *empty ? f : both;
  *empty = false;
}

// from left to right, without recursion: ranges that wait lie on a stack
static void walk(search *s, double from, double to) {
  piece stack[LEVELS + 1];
  hn_bounds all = {0, 0};
  int depth = 0;
  bool empty = true;
  stack[depth++] = (piece){from, to};
  while (depth && !s->failed) {
    piece x = stack[--depth];
    hn_bounds f[3];
    double at[3], middle = 0.5 * (x.low + x.high);
    int open = bounds(s, x.low, x.high, f);
    values(s, middle, at);
    if (isfinite(at[2])) s->peak = fmax(s->peak, fabs(at[2]));
    for (int k = 0; k < 2; k++)
      if (isfinite(at[k])) s->most[k] = fmax(s->most[k], fabs(at[k]));
    bool least = x.high - x.low <= s->width || depth == LEVELS || s->effort <= 0;
    if (s->effort <= 0) s->scan->complete = false;
    if (open == 0 && (least || s->coarse || is_plain(s, f[2]))) {
      if (s->keep && !s->coarse) join(s, &all, &empty, x.low, f[2]);
    } else if (least) {
      if (s->keep && open) note_break(s, x.low, x.high);
      // the next plain range begins a new group: both sides of a break are looked at by themselves
      empty = true;
    } else {
      stack[depth++] = (piece){middle, x.high};
      stack[depth++] = (piece){x.low, middle};
    }
  }
}

// the largest second derivatives are instants too: golden section between the neighbours of those
// that stand out
static void note_extremes(search *s, int first) {
  static const double golden = 0.61803398874989485;
  int last = s->scan->count - 1;
  for (int i = first + 1; i < last && !s->failed; i++) {
    double a = s->scan->time[i - 1], b = s->scan->time[i + 1], f[3][3];
    for (int k = 0; k < 3; k++) values(s, s->scan->time[i - 1 + k], f[k]);
    double middle = fabs(f[1][2]);
    if (!(middle >= fabs(f[0][2])) || !(middle >= fabs(f[2][2])) || middle < 0.5 * s->peak)
      continue;
    for (int k = 0; k < 50; k++) {
      double l = b - golden * (b - a), r = a + golden * (b - a);
      values(s, l, f[0]);
      values(s, r, f[1]);
      if (fabs(f[0][2]) > fabs(f[1][2]))
        b = r;
      else
        a = l;
    }
    // with neighbours close by, so that a parabola through the three is that of the peak
    double at = 0.5 * (a + b), near = 1e-3 * (s->scan->time[i + 1] - s->scan->time[i - 1]);
    for (int k = -1; k < 2; k++) note_instant(s, at + k * near);
  }
}

// ---- breaks ----------------------------------------------------------------------------------

static void note_bend(search *s, double t) {
  hn_scan *o = s->scan;
  if (!grow((void **)&o->bend, &o->bend_capacity, o->bends, sizeof *o->bend))
    s->failed = true;
  else
    o->bend[o->bends++] = t;
}

// jumps that are explained by the slopes on either side over the width of the break are none; what
// neither value, rate nor acceleration shows is a decision without consequence
static void note_kink(search *s, const piece *p, const char *driver, bool angular) {
  hn_scan *o = s->scan;
  // a little outside, where the formula is smooth on either side
  double f[2][3], l = p->low - 2 * s->width, r = p->high + 2 * s->width, apart = r - l;
  values(s, l, f[0]);
  values(s, r, f[1]);
  for (int k = 0; k < 2; k++) {
    double jump = f[1][k] - f[0][k], size = fabs(f[0][k]) + fabs(f[1][k]);
    double slope = fabs(f[0][k + 1]) + fabs(f[1][k + 1]);
    if (!(fabs(jump) > 1e-9 * (size + s->most[k]) + 4 * slope * apart)) continue;
    if (!grow((void **)&o->kink, &o->kink_capacity, o->kinks, sizeof *o->kink)) {
      s->failed = true;
      return;
    }
    o->kink[o->kinks++] = (hn_kink){0.5 * (p->low + p->high), driver, k, jump, angular};
    return;
  }
  if (fabs(f[1][2] - f[0][2]) > 1e-9 * (fabs(f[0][2]) + fabs(f[1][2])))
    note_bend(s, 0.5 * (p->low + p->high));
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static int by_time(const void *a, const void *b) {
  const hn_kink *x = a, *y = b;
  return x->time < y->time ? -1 : x->time > y->time;
}

static void scan_motion(search *s, double t0, double t1, double interval, int rows) {
  int first = s->scan->count;
  s->peak = s->most[0] = s->most[1] = 0;
  s->breaks = 0;
  // first the largest second derivative, by which it is told what matters
  s->effort = EFFORT;
  s->keep = false;
  if (!s->coarse) walk(s, t0, t1);
  s->effort = EFFORT;
  s->keep = true;
  for (int i = 0; i < rows && !s->failed; i++)
    walk(s, t0 + i * interval, fmin(t0 + (i + 1) * interval, t1));
  if (!s->coarse) note_extremes(s, first);
  for (int i = 0; i < s->breaks && !s->failed; i++) {
    note_instant(s, s->broken[i].low - 2 * s->width);
    note_instant(s, s->broken[i].high + 2 * s->width);
  }
}

static bool is_angular(const hn_system *sys, const hn_row *row) {
  hn_measure_type type = sys->measure[sys->term[row->first_term].measure].type;
  return type == HN_M_ANGLE || type == HN_M_ASIN || type == HN_M_PLANAR_ANGLE;
}

static bool scan_all(hn_scan *scan, const hn_system *sys, double t0, double t1, double interval,
                     int rows, bool coarse) {
  size_t registers = (size_t)sys->registers + 1;
  search s = {.scan = scan,
              .coarse = coarse,
              .registers = calloc(registers, sizeof(hn_bounds)),
              .numbers = calloc(registers, sizeof(double)),
              .width = 4e-16 * fmax(fmax(fabs(t0), fabs(t1)), t1 - t0)};
  *scan = (hn_scan){.complete = true, .width = s.width};
  s.failed = !s.registers || !s.numbers;
  for (int i = 0; i < sys->rowcount && !s.failed; i++) {
    const hn_row *row = &sys->row[i];
    if (row->motion < 0) continue;
    // points over time are no formula that could be searched
    if (sys->motion[row->motion].signals) {
      scan->complete = false;
      continue;
    }
    s.program = sys->motion[row->motion].program;
    scan_motion(&s, t0, t1, interval, rows);
    for (int k = 0; k < s.breaks && !s.failed; k++)
      note_kink(&s, &s.broken[k], sys->joint[sys->row_joint[row->row]].name, is_angular(sys, row));
  }
  if (scan->kinks) qsort(scan->kink, (size_t)scan->kinks, sizeof *scan->kink, by_time);
  if (scan->bends) qsort(scan->bend, (size_t)scan->bends, sizeof *scan->bend, ascending);
  // instants of all motions in order, none twice or at the ends
  int kept = 0;
  if (scan->count) qsort(scan->time, (size_t)scan->count, sizeof *scan->time, ascending);
  for (int i = 0; i < scan->count; i++) {
    double t = scan->time[i];
    if (t > t0 && t < t1 && (!kept || t > scan->time[kept - 1])) scan->time[kept++] = t;
  }
  scan->count = kept;
  free(s.registers), free(s.numbers), free(s.broken);
  if (s.failed) hn_scan_release(scan);
  return !s.failed;
}

bool hn_scan_motions(hn_scan *scan, const hn_system *sys, double t0, double t1, double interval,
                     int rows) {
  return scan_all(scan, sys, t0, t1, interval, rows, false);
}

bool hn_scan_breaks(hn_scan *scan, const hn_system *sys, double t0, double t1) {
  return scan_all(scan, sys, t0, t1, t1 - t0, 1, true);
}

hn_kinks hn_scan_kinks(const hn_scan *scan) {
  hn_kinks kinks = {.count = scan->kinks};
  int most = (int)(sizeof kinks.kink / sizeof *kinks.kink);
  for (int i = 0; i < scan->kinks && i < most; i++) kinks.kink[i] = scan->kink[i];
  return kinks;
}

void hn_scan_release(hn_scan *scan) {
  free(scan->time), free(scan->kink), free(scan->bend);
  *scan = (hn_scan){0};
}

hn_status hn_scan_refuse(hn_sim *sim, const hn_kink *kink) {
  return hn_sim_fail(
      sim, HN_ERR_SINGULAR,
      "t=%.6g: the motion of driver '%s' jumps by %.6g %s, which no mechanism follows", kink->time,
      kink->driver, kink->jump, kink->angular ? "rad" : "m");
}
