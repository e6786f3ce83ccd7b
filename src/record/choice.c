// choice.c: which columns of a result tell most, and below what size numbers are round-off.
//
// Everything is told by names and units (docs/columns.md), so that a file without its model is
// shown as well as a run. The page and the plots ask here; neither has a taste of its own.
#include "record/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// numbers that are this small beside others of their unit are what rounding leaves of
// zeros: sideways forces of a planar mechanism in space, say
static const double round_off = 1e-10;  // of the largest number of a unit
static const double moments = 1e-13;    // of the largest force times the largest length
static const double nothing = 1e-14;    // [m], [rad]: that of places of everyday size
static const double worth = 1e-3;       // of the largest of a chart: smaller curves are flat lines
static const double turn = 6.283185307179586;
static const double shaft[] = {3, 1.5};  // turns of a shaft: there and back, and on and on
static const double onward = 0.9;        // of its way that gets on, of what turns on and on

typedef struct column {
  const char *name, *unit;  // owned by the result
  double size;              // largest magnitude
  // ranges, not sizes, tell whether something moves
  double range;  // largest less smallest value
  double way;    // from the first value to the last
  double zero;   // round-off
  // index; 0 is the time, which is in no group
  int first;  // column that shares it; 0: none does
  int next;   // of the first columns
} column;

typedef struct choice {
  const hn_result *result;
  column *column;
  const column **by_name;  // all but the time, sorted
  // per column, filled for one chart at a time
  bool *is;          // of the kind that is looked for
  hn_curves *chart;  // of the caller, HN_CHARTS of them
  int charts;
} choice;

// ---- sizes ---------------------------------------------------------------------------------

static bool starts(const char *name, const char *with) {
  return strncmp(name, with, strlen(with)) == 0;
}

static bool ends(const char *name, const char *with) {
  size_t n = strlen(name), m = strlen(with);
  return n >= m && strcmp(name + n - m, with) == 0;
}

// columns that are about round-off: what they show is what others hide
static bool of_errors(const char *name) {
  return starts(name, "residual.") || starts(name, "constraints.") ||
         strcmp(name, "energy.balance") == 0;
}

static void measure(const hn_result *r, int i, column *c) {
  // of no finite number both limits keep these, and size and range stay zero
  double low = INFINITY, high = -INFINITY, first = NAN, last = NAN;
  for (int row = 0; row < r->rows; row++) {
    double x = r->data[(size_t)row * (size_t)r->columns + (size_t)i];
    // a run that broke off may end in such rows
    if (!isfinite(x)) continue;
    low = fmin(low, x);
    high = fmax(high, x);
    if (isnan(first)) first = x;
    last = x;
  }
  *c = (column){.name = hn_result_name(r, i), .unit = hn_result_unit(r, i)};
  if (!(low <= high)) return;
  c->size = fmax(fabs(low), fabs(high)), c->range = high - low;
  c->way = fabs(last - first);
}

// round-off of a unit whose every number is round-off; forces and energies may be of any size
static double least_of(const char *unit) {
  return strcmp(unit, "m") == 0 || strcmp(unit, "rad") == 0 ? nothing : 0;
}

// columns of one group share what is round-off among them: those of a unit, multipliers, parts of
// quaternions. NULL: everything may mean something
// units are texts: that of a quantity is that of its group
static const char *group_of(const column *c) {
  if (of_errors(c->name)) return NULL;
  if (*c->unit) return c->unit;
  const char *dot = strrchr(c->name, '.');
  if (dot && starts(dot, ".lambda_")) return "lambda";
  return dot && dot[1] == 'q' && dot[2] >= '0' && dot[2] <= '3' && !dot[3] ? "quaternion" : NULL;
}

// the first column of a group; 0: there is none. Groups are few: their first columns are a list
static int first_of(const column *c, int list, const char *group) {
  // lists end with 0
  while (list && strcmp(group_of(&c[list]), group) != 0) list = c[list].next;
  return list;
}

// First sizes per group, then torques by forces and lengths, then the common zero for all.
static void find_zeros(column *c, int count) {
  int list = 0;
  for (int i = 1; i < count; i++) {
    const char *group = group_of(&c[i]);
    if (!group) continue;
    c[i].first = first_of(c, list, group);
    // new groups go to the front of the list
    if (!c[i].first) c[i].first = i, c[i].next = list, list = i;
    column *first = &c[c[i].first];
    // kept as the threshold already, so the largest size is zero / round_off
    first->zero = fmax(first->zero, round_off * c[i].size);
  }
  // a torque is the difference of moments, which may all cancel
  int force = first_of(c, list, "N"), length = first_of(c, list, "m");
  int torque = first_of(c, list, "N m");
  if (force && length && torque) {
    // back to the largest force and length
    double largest = c[force].zero / round_off * (c[length].zero / round_off);
    c[torque].zero = fmax(c[torque].zero, moments * largest);
  }
  for (int i = 1; i < count; i++)
    if (c[i].first) c[i].zero = fmax(c[c[i].first].zero, least_of(c[i].unit));
}

static column *measure_all(const hn_result *r) {
  // one more than there are, so that calloc() of nothing is not NULL
  column *c = calloc((size_t)r->columns + 1, sizeof *c);
  if (!c) return NULL;
  for (int i = 0; i < r->columns; i++) measure(r, i, &c[i]);
  find_zeros(c, r->columns);
  return c;
}

hn_status hn_result_round_off(const hn_result *result, double *zero) {
  if (!result || !zero) return HN_ERR_ARGUMENT;
  column *c = measure_all(result);
  if (!c) return HN_ERR_MEMORY;
  // of the time, which is in no group, it is 0
  for (int i = 0; i < result->columns; i++) zero[i] = c[i].zero;
  free(c);
  return HN_OK;
}

// ---- kinds of quantities -------------------------------------------------------------------

static int by_name(const void *a, const void *b) {
  const column *const *x = a, *const *y = b;
  int order = strcmp((*x)->name, (*y)->name);
  // of equal names the first is meant
  return order ? order : *x < *y ? -1 : *x > *y;
}

// lower bound among all but the time; names need not be different
static int find_name(const choice *h, const char *name) {
  int low = 0, high = h->result->columns - 1;
  while (low < high) {
    int middle = (low + high) / 2;
    if (strcmp(h->by_name[middle]->name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  // the search ends behind the last one where all are smaller
  bool there = low < h->result->columns - 1 && strcmp(h->by_name[low]->name, name) == 0;
  return there ? (int)(h->by_name[low] - h->column) : -1;
}

static int find(const choice *h, const char *name, const char *ending) {
  char text[200];
  // no column has so long a name
  if (snprintf(text, sizeof text, "%s%s", name, ending) >= (int)sizeof text) return -1;
  return find_name(h, text);
}

// what is far from zero moves only if it can be seen in a chart
static bool moves(const column *c) {
  return c->range > c->zero && c->range > 1e-9 * c->size;
}

// multipliers of drivers, what motors and cylinders exert, currents
static bool is_effort(const choice *h, int i) {
  const char *name = h->column[i].name;
  return ends(name, ".lambda_motion") || ends(name, ".effort") || ends(name, ".current");
}

// a place in a contact, a bearing with play or oil: that of an element with a force which is none
// of a joint's coordinates, or one of three, of which that joint holds none. Bodies and joints that
// do hold something say more
static bool is_contact(const choice *h, int i) {
  const char *name = h->column[i].name;
  char element[200];
  size_t n = strlen(name);
  if (n < 3 || n >= sizeof element || name[n - 2] != '.' || !strchr("xyz", name[n - 1]))
    return false;
  snprintf(element, sizeof element, "%.*s", (int)n - 2, name);
  // a bearing has a force; a joint with coordinates as well
  if (find(h, element, ".fx") < 0) return false;
  bool all = find(h, element, ".x_rate") >= 0 && find(h, element, ".y_rate") >= 0 &&
             find(h, element, ".z_rate") >= 0;
  return all || find(h, name, "_rate") < 0;
}

// a coordinate of a joint: its rate is recorded as well
static bool is_coordinate(const choice *h, int i) {
  return find(h, h->column[i].name, "_rate") >= 0 && moves(&h->column[i]) && !is_contact(h, i);
}

// the angle of a body in the plane, or a place
static bool is_place(const choice *h, int i) {
  const char *name = h->column[i].name;
  bool place = ends(name, ".x") || ends(name, ".y") || ends(name, ".z") || ends(name, ".angle");
  return place && moves(&h->column[i]) && !is_contact(h, i);
}

// the angular velocity of a body in space
static bool is_turning(const choice *h, int i) {
  const char *name = h->column[i].name;
  bool turning = ends(name, ".wx") || ends(name, ".wy") || ends(name, ".wz");
  return turning && moves(&h->column[i]);
}

// a wiper's angle is drawn, that of a wheel is a ramp
static bool is_shaft(const choice *h, int i) {
  const column *c = &h->column[i];
  bool on = c->way > onward * c->range;
  return strcmp(c->unit, "rad") == 0 && c->range > shaft[on] * turn;
}

// the rate of a coordinate that turns on and on
static bool is_speed(const choice *h, int i) {
  const char *name = h->column[i].name;
  char angle[200];
  if (!ends(name, "_rate") || strlen(name) >= sizeof angle) return false;
  snprintf(angle, sizeof angle, "%.*s", (int)strlen(name) - 5, name);  // without "_rate"
  int k = find_name(h, angle);
  return k >= 0 && is_shaft(h, k);
}

static bool is_motion(const choice *h, int i) {
  return is_coordinate(h, i) && !is_shaft(h, i);
}

// "element.fx" and the like: 4 letters are the least
static bool is_force(const choice *h, int i) {
  const char *name = h->column[i].name;
  size_t n = strlen(name);
  char element[200];
  if (n < 4 || n >= sizeof element || strcmp(h->column[i].unit, "N") != 0) return false;
  if (name[n - 3] != '.' || name[n - 2] != 'f' || !strchr("xyz", name[n - 1])) return false;
  // the force of a driver is its effort
  snprintf(element, sizeof element, "%.*s", (int)n - 3, name);
  return find(h, element, ".lambda_motion") < 0;
}

static bool is_anything(const choice *h, int i) {
  const char *name = h->column[i].name;
  return !of_errors(name) && !starts(name, "energy.") && !ends(name, "_rate") &&
         moves(&h->column[i]);
}

// ---- charts --------------------------------------------------------------------------------

typedef bool (*kind)(const choice *h, int i);

// up to the last dot
static bool same_element(const char *a, const char *b) {
  const char *p = strrchr(a, '.'), *q = strrchr(b, '.');
  return p && q && p - a == q - b && strncmp(a, b, (size_t)(p - a)) == 0;
}

static bool drawn(const choice *h, int i) {
  for (int k = 0; k < h->charts; k++)
    for (int n = 0; n < h->chart[k].count; n++)
      if (h->chart[k].column[n] == i) return true;
  return false;
}

// the largest, or the first, column of the kind in a unit (NULL: any) that is not chosen yet
// -1: there is none; apart: of an element only one, or three axes of one joint would fill the chart
static int next(const choice *h, const char *unit, double least, bool largest, bool apart,
                const hn_curves *chart) {
  int best = -1;
  for (int i = 1; i < h->result->columns; i++) {
    const column *c = &h->column[i];
    if (!h->is[i] || drawn(h, i) || (unit && strcmp(c->unit, unit) != 0)) continue;
    if (!(c->size > fmax(least, c->zero))) continue;  // also false for NaN
    bool taken = false;
    for (int n = 0; n < chart->count; n++)
      taken = taken || chart->column[n] == i ||
              (apart && same_element(c->name, h->column[chart->column[n]].name));
    if (taken) continue;
    if (best < 0 || (largest && c->size > h->column[best].size)) best = i;
    // in their order, so the first that fits
    if (best >= 0 && !largest) break;
  }
  return best;
}

// a chart of one kind: of one unit and of like size. largest: by size, otherwise in their order
static void add_chart(choice *h, const char *title, kind is, bool largest, bool apart) {
  // kinds overlap: what one chart shows, the next leaves out
  hn_curves chart = {.title = title};
  double most = 0;
  if (h->charts == HN_CHARTS) return;
  // asked once per column, since most kinds look names up
  for (int k = 1; k < h->result->columns; k++) h->is[k] = is(h, k);
  int i = next(h, NULL, 0, largest, apart, &chart);
  if (i < 0) return;
  chart.unit = h->column[i].unit;
  // so that a curve too small to be seen beside the largest is left out
  for (int k = 1; k < h->result->columns; k++)
    if (h->is[k] && strcmp(h->column[k].unit, chart.unit) == 0)
      most = fmax(most, h->column[k].size);
  while (chart.count < HN_CHART_CURVES) {
    i = next(h, chart.unit, worth * most, largest, apart, &chart);
    if (i < 0) break;
    chart.column[chart.count++] = i;
  }
  if (chart.count) h->chart[h->charts++] = chart;
}

// energies whose changes drown in a large constant tell nothing: the kinetic one is left; and none
// where all of them stay what they are
static void add_energies(choice *h) {
  static const char *const name[] = {"energy.kinetic", "energy.potential", "energy.total"};
  hn_curves chart = {.title = "energies", .unit = "J"};
  int kinetic = find_name(h, name[0]);
  bool changes = false;
  if (h->charts == HN_CHARTS) return;
  for (int i = 0; i < 3; i++) {
    int k = find_name(h, name[i]);
    if (k < 0 || !(h->column[k].size > h->column[k].zero)) continue;
    // a weight far below or above zero of height: potential energy is known up to a constant
    if (kinetic > 0 && k != kinetic && h->column[kinetic].size > 0 &&
        h->column[k].size > 30 * h->column[kinetic].size)
      continue;
    chart.column[chart.count++] = k;
    changes = changes || h->column[k].range > worth * h->column[k].size;
  }
  if (changes) h->chart[h->charts++] = chart;
}

static void choose(choice *h) {
  // sorted pointers: a name is found by bisection, in models with thousands of columns
  for (int i = 1; i < h->result->columns; i++) h->by_name[i - 1] = &h->column[i];
  qsort(h->by_name, (size_t)h->result->columns - 1, sizeof *h->by_name, by_name);
  // one unit each: angles and lengths have charts of their own
  add_chart(h, "motion", is_motion, false, false);
  add_chart(h, "speeds of shafts", is_speed, false, false);
  // no joint's coordinate moves: free bodies, particles
  if (!h->charts) {
    add_chart(h, "motion", is_place, false, false);
    add_chart(h, "turning", is_turning, false, false);
  }
  add_chart(h, "what drives it", is_effort, true, false);
  add_chart(h, "motion", is_motion, false, false);  // of the other unit
  add_chart(h, "largest forces", is_force, true, true);
  add_energies(h);
  // columns of other programs, or of signals alone
  if (!h->charts) add_chart(h, "quantities", is_anything, false, false);
}

int hn_result_choose(const hn_result *result, hn_curves chart[HN_CHARTS]) {
  if (!result || result->columns < 2) return 0;
  choice h = {.result = result,
              .chart = chart,
              .column = measure_all(result),
              .by_name = calloc((size_t)result->columns, sizeof *h.by_name),
              .is = calloc((size_t)result->columns, sizeof *h.is)};
  // without memory there is nothing to be shown, which is no failure of the result
  if (h.column && h.by_name && h.is) choose(&h);
  free(h.column), free(h.by_name), free(h.is);
  return h.charts;
}
