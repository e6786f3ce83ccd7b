// law.c: scalar laws along a measure m.
//
//   F = preload + k x + sum_i c_i x^i + table(x) + c m',   x = m - rest
//
// The table is joined by straight lines and goes on straight beyond its ends. All but the damping
// has the potential
//
//   V = preload x + k x^2 / 2 + sum_i c_i x^(i+1) / (i+1) + integral of the table from 0 to x,
//
// where the integral of the piecewise linear table is exact: each point carries the energy up to
// it. An expression F(m, m', t, measured quantities) replaces the formula; it has no potential,
// and its work is integrated. The element's generalized force is sign F grad(m).
#include "forces/law.h"

#include "code/formulas.h"
#include "system/pair.h"

// Halving; a point itself belongs to the interval that begins there. A NaN ends in the last one,
// and comes back as a NaN from the line
int hn_table_find(const double *table, int stride, int count, double x) {
  // invariant: x is not before point low, and not behind point high, as far as the table reaches
  int low = 0, high = count - 1;  // x lies in [low, high)
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (x < table[stride * middle])
      high = middle;
    else
      low = middle;
  }
  return low;
}

// the first and the last line go on straight, so the end points are no corners
int hn_table_corners(int count) {
  return count > 2 ? count - 2 : 0;
}

void hn_table_switches(const double *table, int stride, int count, double x, double *value) {
  // one function for every inner point, positive behind it
  for (int i = 0; i < hn_table_corners(count); i++) value[i] = x - table[stride * (i + 1)];
}

// During a step the sides of the corners are held (events.c), and the table goes by the line on
// which the step began, also a little beyond its ends: values of x do not count then
int hn_table_place(const double *table, int stride, int count, double x, const hn_work *work,
                   int first) {
  if (!work->side) return hn_table_find(table, stride, count, x);
  // as many corners as lie behind
  int low = 0, high = hn_table_corners(count);
  while (low < high) {
    int middle = (low + high) / 2;
    // corners lie in order, so that those behind x come first: their number is the interval
    if (work->side[first + middle])
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// the straight line through interval i: tension, slope and energy at x
static void table_at(const double *table, int i, double x, double *force, double *slope,
                     double *energy) {
  // triples: place, tension there, energy up to there
  const double *p = table + 3 * i;
  double d = x - p[0];
  *slope = (p[4] - p[1]) / (p[3] - p[0]);
  // the integral of a line is exact, so the energy is the one whose slope the tension is
  *force = p[1] + *slope * d;
  *energy = p[2] + d * (p[1] + 0.5 * *slope * d);
}

// pairs to triples; the energy is that of the trapezoids, counted from x = 0
static const double *table_keep(hn_builder *builder, const double *pairs, int count) {
  // scratch: hn_build_keep makes the copy that stays
  double *triple = malloc((size_t)count * 3 * sizeof(double));
  if (!triple) {
    hn_build_fail(builder, HN_ERR_MEMORY, "out of memory");
    return NULL;
  }
  for (int i = 0; i < count; i++) {
    double *p = triple + 3 * i;
    p[0] = pairs[2 * i], p[1] = pairs[2 * i + 1];
    // trapezoids from the first point on; p[-3] and p[-2] are place and tension of the point before
    p[2] = i ? p[-1] + 0.5 * (p[0] - p[-3]) * (p[1] + p[-2]) : 0;
  }
  // the energy at x = 0 is taken off, so that a relaxed element has none
  double force, slope, zero;
  table_at(triple, hn_table_find(triple, 3, count, 0), 0, &force, &slope, &zero);
  for (int i = 0; i < count; i++) triple[3 * i + 2] -= zero;
  const double *kept = hn_build_keep(builder, triple, 3 * count);
  free(triple);
  return kept;
}

static bool has_formula(const hn_force_def *def) {
  // whether any of the keys of the formula was given
  return def->stiffness != 0 || def->damping != 0 || def->preload != 0 ||
         def->coefficient_count > 0 || def->table_count > 0;
}

// a law has its own free length: one beside it would have no effect
static bool has_more(const hn_force_def *def) {
  return has_formula(def) || def->free_given;
}

// either a formula with a potential, or an expression without one, never both: their work is
// counted in different ledgers. measure < 0: an earlier call has failed, and has said why
void hn_law_build(hn_law *law, hn_builder *builder, const hn_force_def *def, int measure,
                  const char *name) {
  *law = (hn_law){.expression = -1};
  if (measure < 0) return;
  if (def->law) {
    if (has_more(def)) {
      hn_build_fail(builder, HN_ERR_MODEL,
                    "law says the whole force: give either it or stiffness, damping, preload, "
                    "coefficients, table, free");
      return;
    }
    // the names under which an expression reads the measure itself
    hn_local_name local[] = {{name, HN_SIGNAL_VALUE, measure, NULL},
                             {"rate", HN_SIGNAL_RATE, measure, NULL}};
    law->expression = hn_build_expression(builder, "law", def->law, local, 2);
    return;
  }
  if (!has_formula(def)) {
    hn_build_fail(builder, HN_ERR_MODEL,
                  "has no force: give stiffness, damping, preload, coefficients, table or law");
    return;
  }
  // without `free` it is relaxed as described, until hn_along_relax knows the assembled place
  law->rest = def->free_given ? def->free : hn_build_value(builder, measure);
  law->as_assembled = !def->free_given;
  law->preload = def->preload;
  law->stiffness = def->stiffness;
  law->damping = def->damping;
  if (def->coefficient_count > 0) {
    law->coefficients = def->coefficient_count;
    law->coefficient = hn_build_keep(builder, def->coefficients, def->coefficient_count);
  }
  if (def->table_count > 0) {
    law->points = def->table_count;
    // switching functions before the table: their numbers are part of it
    law->corner = hn_build_switches(builder, hn_table_corners(def->table_count));
    law->table = table_keep(builder, def->table, def->table_count);
  }
}

// Everything is a function of x and the rate; energies are counted from x = 0, where all parts have
// zero, the preload included
hn_law_value hn_law_eval(const hn_law *law, const hn_system *sys, const hn_work *work,
                         int measure) {
  const hn_mval *m = &work->mval[measure];
  hn_law_value o = {0};
  if (law->expression >= 0) {
    // an expression has no potential: all of it is lossy
    o.force = o.lossy = hn_run_expression(sys, work, law->expression, &o.gradient);
    return o;
  }
  double x = m->value - law->rest;
  o.force = law->preload + law->stiffness * x;
  o.by_value = law->stiffness;
  // energies carry the sign of the tension, not of the element
  o.energy = x * (law->preload + 0.5 * law->stiffness * x);
  // c_i x^i, i from 1: slope before the power is raised, force behind it, energy one power further
  double power = 1;  // x^i
  for (int i = 0; i < law->coefficients; i++) {
    double c = law->coefficient[i];
    o.by_value += (i + 1) * c * power;
    power *= x;
    o.force += c * power;
    o.energy += c * power * x / (i + 2);
  }
  if (law->points > 0) {
    double force, slope, energy;
    int i = hn_table_place(law->table, 3, law->points, x, work, law->corner);
    table_at(law->table, i, x, &force, &slope, &energy);
    o.force += force;
    o.by_value += slope;
    o.energy += energy;
  }
  o.by_rate = law->damping;
  o.lossy = law->damping * m->rate;
  o.force += o.lossy;
  return o;
}

void hn_along_eval(const hn_system *sys, hn_work *work, int count, const void *data) {
  const hn_along *e = data;
  for (int i = 0; i < count; i++, e++) {
    // sign -1: tensions pull the measure down and store energy; +1: efforts drive it up
    hn_law_value f = hn_law_eval(&e->law, sys, work, e->measure);
    hn_apply_measure(sys, work, e->measure, e->sign * f.force);
    work->power += e->sign * f.lossy * work->mval[e->measure].rate;
    work->potential -= e->sign * f.energy;
  }
}

// K by hn_tangent_measure has two parts: the slope of the law along the gradient, and the force
// times the second derivative of the measure, which is what a taut string adds
void hn_along_tangent(const hn_system *sys, hn_work *work, int count, const void *data,
                      hn_tangent *tangent) {
  const hn_along *e = data;
  for (int i = 0; i < count; i++, e++) {
    hn_law_value f = hn_law_eval(&e->law, sys, work, e->measure);
    // slope and damping of the formula; an expression adds what it reads of others
    hn_tangent_measure(sys, work, e->measure, e->sign * f.force, e->sign * f.by_value,
                       e->sign * f.by_rate, tangent);
    if (!f.gradient) continue;
    hn_direction along = hn_direction_measure(sys, work, e->measure);
    hn_tangent_expression(sys, work, &along, e->sign, e->law.expression, f.gradient, tangent);
  }
}

hn_line hn_along_line(const void *data) {
  // steppers that keep energies ask for the line along which the element acts
  const hn_along *e = data;
  return (hn_line){.measure = e->measure,
                   .sign = e->sign,
                   .angular = e->angular,
                   .sees = -1,
                   .posed = e->law.expression >= 0};  // an expression may read any pose
}

hn_tension hn_along_tension(const hn_system *sys, const hn_work *work, const void *data) {
  const hn_along *e = data;
  hn_law_value f = hn_law_eval(&e->law, sys, work, e->measure);
  return (hn_tension){.force = f.force,
                      .energy = f.energy,
                      .lossy = f.lossy,
                      .by_value = f.by_value,
                      .by_rate = f.by_rate};
}

void hn_along_switches(const hn_system *sys, const hn_work *work, int count, const void *data,
                       double *value) {
  const hn_along *e = data;
  (void)sys;
  for (int i = 0; i < count; i++, e++) {
    const hn_law *law = &e->law;
    // the corners are where x passes them; without a table nothing is written
    double x = work->mval[e->measure].value - law->rest;
    hn_table_switches(law->table, 3, law->points, x, value + law->corner);
  }
}

// Formulas have no loops and no tables: a polygon is a sum of lines, each in force from its corner
// on, 'side' being 1 there and 0 before. The sums telescope: line i less line i - 1
// energy of a table of triples, with the sides as in hn_table_formula
static hn_node table_energy(hn_formulas *f, const hn_law *law, hn_node x) {
  hn_graph *g = f->g;
  hn_node sum = n_constant(g, 0), last = sum;
  for (int i = 0; i + 1 < law->points; i++) {
    // half the slope, for the energy
    const double *p = law->table + 3 * i, half = 0.5 * (p[4] - p[1]) / (p[3] - p[0]);
    hn_node d = n_sub(g, x, n_constant(g, p[0])), side = n_constant(g, 1);
    hn_node mean = n_add(g, n_constant(g, p[1]), n_scale(g, half, d));
    hn_node energy = n_add(g, n_constant(g, p[2]), n_mul(g, d, mean));
    // line 0 counts from the beginning; the others from their corner on
    if (i) side = hn_side_node(f, law->corner + i - 1);
    sum = n_add(g, sum, n_mul(g, side, n_sub(g, energy, last)));
    last = energy;
  }
  return sum;
}

hn_node hn_table_formula(hn_formulas *f, const double *table, int stride, int count, int corner,
                         hn_node x, hn_node *slope) {
  hn_graph *g = f->g;
  hn_node sum = n_constant(g, 0), last = sum;
  double steepness = 0;
  *slope = sum;
  // p is a point, p + stride the next: pairs of a road, triples of a spring
  for (int i = 0; i + 1 < count; i++) {
    const double *p = table + stride * i, steep = (p[stride + 1] - p[1]) / (p[stride] - p[0]);
    hn_node d = n_sub(g, x, n_constant(g, p[0])), side = n_constant(g, 1);
    hn_node line = n_add(g, n_constant(g, p[1]), n_scale(g, steep, d));
    // what the corner's switching function is, is told with the line behind it
    if (i) {
      side = hn_side_node(f, corner + i - 1);
      hn_formulas_switch(f, corner + i - 1, d);
    }
    sum = n_add(g, sum, n_mul(g, side, n_sub(g, line, last)));
    // slopes telescope like the lines
    *slope = n_add(g, *slope, n_scale(g, steep - steepness, side));
    last = line;
    steepness = steep;
  }
  return sum;
}

bool hn_table_beyond(const double *table, int stride, int count, double x, double *end) {
  // one point has no line, and none is no table
  if (count < 2) return false;
  double first = table[0], last = table[stride * (count - 1)];
  *end = x < first ? first : last;
  return x < first || x > last;
}

double hn_along_read(const hn_system *sys, const hn_work *work, const void *data, int k) {
  const hn_along *e = data;
  if (k == 0) return work->mval[e->measure].value;
  if (k == 1) return work->mval[e->measure].rate;
  return hn_law_eval(&e->law, sys, work, e->measure).force;
}

bool hn_along_beyond(const hn_system *sys, const hn_work *work, const void *data, double *at,
                     double *end) {
  const hn_along *e = data;
  (void)sys;
  // x, not the measure: tables count from the free length
  *at = work->mval[e->measure].value - e->law.rest;
  return hn_table_beyond(e->law.table, 3, e->law.points, *at, end);
}

// The described configuration is closed by assembly, which may move everything a little: without a
// free length a spring is relaxed where assembly has left it
void hn_along_relax(const hn_work *work, int count, void *data) {
  hn_along *e = data;
  for (int i = 0; i < count; i++, e++)
    if (e->law.as_assembled) e->law.rest = work->mval[e->measure].value;
}

void hn_along_formulas(hn_formulas *f, int count, const void *data) {
  const hn_along *e = data;
  hn_graph *g = f->g;
  for (int i = 0; i < count; i++, e++) {
    const hn_law *law = &e->law;
    hn_jet m = hn_measure_jet(f, e->measure);
    hn_node force, lossy;
    if (law->expression >= 0) {
      // expressions lose all they do
      force = lossy = hn_expression_node(f, law->expression, 0);
    } else {
      hn_node x = n_sub(g, m.value, n_constant(g, law->rest)), power = x;
      // x (preload + k x / 2), as in hn_law_eval; then the table's
      hn_node energy = n_add(g, n_constant(g, law->preload), n_scale(g, 0.5 * law->stiffness, x));
      force = n_add(g, n_constant(g, law->preload), n_scale(g, law->stiffness, x));
      energy = n_add(g, n_mul(g, x, energy), table_energy(f, law, x));
      for (int k = 0; k < law->coefficients; k++) {
        // power is x^(k+1) before and x^(k+2) behind the next line
        force = n_add(g, force, n_scale(g, law->coefficient[k], power));
        power = n_mul(g, power, x);
        energy = n_add(g, energy, n_scale(g, law->coefficient[k] / (k + 2), power));
      }
      // tensions store what they pull against: sign -1 makes it positive
      hn_formulas_potential(f, n_scale(g, -e->sign, energy));
      hn_node slope,
          table = hn_table_formula(f, law->table, 3, law->points, law->corner, x, &slope);
      force = n_add(g, force, table);
      lossy = n_scale(g, law->damping, m.rate);
      force = n_add(g, force, lossy);
    }
    hn_formulas_apply(f, n_scale(g, e->sign, force), m.rate);
    hn_formulas_power(f, n_scale(g, e->sign, n_mul(g, lossy, m.rate)));
  }
}
