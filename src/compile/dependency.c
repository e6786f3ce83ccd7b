// dependency.c: what a rank says in words: which rows repeat which, and what that leaves open.
//
// The dependencies are the null space of J^T. For every row d that was left out, one saddle-point
// solve gives the combination of the others that equals it:
//   M x - J_a^T l = J_d^T,  J_a x = 0   ->   J_d^T + J_a^T l = 0,  as x = 0 for a dependent row.
// With rows measured in units of their own length the numbers e_d + l say how much each row takes
// part. These vectors are brought to the form in which every dependency has one row of its own, as
// late in the model as possible: the joints described first count as those that were there already.
//
// A multiplier is unique when no vector of the null space contains its row, and a component of a
// joint's reaction when all of them leave it zero.
#include "compile/dependency.h"

#include "system/reaction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double takes_part = 1e-6;  // of the largest number in a vector
static const double own_row = 1e-4;     // the same for a row to stand for its dependency
static const double most_numbers = 2e7;

// lives as long as one call; N is what everything is read off
typedef struct finder {
  hn_work *work;  // evaluated at the state in question
  const hn_system *sys;
  int count;       // dependencies
  double *N;       // rows numbers for each, rows in units of their length
  double *size;    // length of each row of J M^-1/2
  int *own;        // the row that stands for each dependency
  int *up;         // union-find over the dependencies
  bool *joint;     // scratch: joints that take part
  double *lambda;  // scratch
} finder;

static bool in(const finder *f, int k, int row) {
  return f->N[(size_t)k * (size_t)f->sys->rows + (size_t)row] != 0;
}

// ---- the null space ------------------------------------------------------------------------

void hn_elimination_sizes(const hn_elimination *e, const hn_work *work, double *size) {
  const hn_system *sys = work->sys;
  if (sys->coordinates->of_bodies)
    hn_bodies_weighted_sizes(work, e->weight, size);
  else
    hn_row_sizes(work, size);
  // rows of zeros count as of unit length
  for (int i = 0; i < sys->rows; i++) size[i] = size[i] > 0 ? sqrt(size[i]) : 1;
}

// numbers that are round-off become zero.
// Absolute zeros are what `in` asks for: whether a row takes part is decided here and nowhere else.
static void clean(const finder *f, double *n) {
  double most = 0;
  // relative to the largest number of the vector
  for (int i = 0; i < f->sys->rows; i++) most = fmax(most, fabs(n[i]));
  for (int i = 0; i < f->sys->rows; i++)
    if (fabs(n[i]) <= takes_part * most) n[i] = 0;
}

// One factorisation for all; each vector costs a solution, linear in the size of most mechanisms.
static bool null_space(finder *f, hn_elimination *e, const hn_rank *rank) {
  const hn_system *sys = f->sys;
  double *D = malloc((size_t)sys->rows * sizeof(double));
  double *x = malloc((size_t)sys->nv * sizeof(double));
  bool ok = D && x;
  if (ok) {
    // rows that are left out have no pivot, and no say
    for (int i = 0; i < sys->rows; i++) D[i] = rank->active[i] ? 0 : HN_LEFT_OUT;
    hn_elimination_factor(e, f->work, D);
  }
  double *n = f->N;
  for (int d = 0; ok && d < sys->rows; d++) {
    if (rank->active[d] || hn_comes_and_goes(sys, d)) continue;
    memset(f->lambda, 0, (size_t)sys->rows * sizeof(double));
    memset(x, 0, (size_t)sys->nv * sizeof(double));
    f->lambda[d] = 1;
    // x = J_d^T, the row that was left out
    hn_jacobian_tmul_add(f->work, f->lambda, 1, x);
    f->lambda[d] = 0;
    hn_elimination_solve(e, f->work, x, f->lambda);
    for (int i = 0; i < sys->rows; i++)
      // rows in units of their length: numbers of a vector compare
      n[i] = (i == d ? 1 : rank->active[i] ? f->lambda[i] : 0) * f->size[i];
    clean(f, n);
    n += sys->rows;
  }
  free(D), free(x);
  return ok;
}

// elimination from the last row upwards, nonholonomic rows first: they hold no positions.
// Gauss and Jordan's elimination over columns from the last one on. own_row is a pivot's least part
// of its vector: a row that takes part by less is no good name for the dependency. Passes up to
// `rows` look at nonholonomic rows, the others at holonomic ones.
static void own_rows(finder *f) {
  // the first `rows` passes look at nonholonomic rows only
  int rows = f->sys->rows, done = 0;
  for (int pass = 0; pass < 2 * rows && done < f->count; pass++) {
    int row = rows - 1 - pass % rows, best = -1;
    if (f->sys->holonomic[row] != (pass >= rows)) continue;
    // own_row of the largest: a pivot that is too small spoils the vector
    double most = own_row;
    for (int k = done; k < f->count; k++) {
      const double *n = f->N + (size_t)k * (size_t)rows;
      if (n[row] == 0) continue;
      double largest = 0;
      for (int i = 0; i < rows; i++) largest = fmax(largest, fabs(n[i]));
      if (fabs(n[row]) > most * largest) most = fabs(n[row]) / largest, best = k;
    }
    if (best < 0) continue;
    double *own = f->N + (size_t)done * (size_t)rows, *other = f->N + (size_t)best * (size_t)rows;
    // the chosen vector changes places with the one that is next
    for (int i = 0; best != done && i < rows; i++) {
      double x = own[i];
      own[i] = other[i], other[i] = x;
    }
    // its own row becomes one, and vanishes from all others
    for (int i = 0; i < rows; i++)
      if (i != row) own[i] /= own[row];
    own[row] = 1;
    for (int k = 0; k < f->count; k++) {
      double *n = f->N + (size_t)k * (size_t)rows, c = n[row];
      if (k == done || c == 0) continue;
      for (int i = 0; i < rows; i++) n[i] -= c * own[i];
      n[row] = 0;
      clean(f, n);
    }
    f->own[done++] = row;
  }
  // vectors without a pivot of their own say nothing new
  f->count = done;
}

static int root_of(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

static void join(finder *f, int a, int b) {
  f->up[root_of(f->up, a)] = root_of(f->up, b);
}

// dependencies with rows in common belong together, and those of one joint.
// A group is what must be looked at together: its self-stresses share rows.
static void join_groups(finder *f) {
  const int *joint = f->sys->row_joint;
  // several rows left out of one joint are one story
  for (int k = 0; k < f->count; k++) f->up[k] = k;
  for (int k = 1; k < f->count; k++)
    if (joint[f->own[k]] == joint[f->own[k - 1]]) join(f, k, k - 1);
  for (int row = 0; row < f->sys->rows; row++) {
    int first = -1;
    for (int k = 0; k < f->count; k++) {
      if (!in(f, k, row)) continue;
      if (first < 0)
        first = k;
      else
        join(f, k, first);
    }
  }
}

// ---- words ---------------------------------------------------------------------------------

// The list may be longer than *count says after a failure, never shorter: whoever destroys it goes
// by the count.
// takes a copy of the text
static bool append(char ***list, int *count, const char *text) {
  char **grown = realloc(*list, ((size_t)*count + 1) * sizeof **list);
  if (!grown) return false;
  *list = grown;
  grown[*count] = hn_strdup(text);
  if (!grown[*count]) return false;
  (*count)++;
  return true;
}

typedef struct words {
  char text[640];
  size_t used;
} words;

__attribute__((format(printf, 2, 3))) static void say(words *w, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(w->text + w->used, sizeof w->text - w->used, format, args);
  va_end(args);
  if (n > 0) w->used += (size_t)n;
  // cut rather than written beyond
  if (w->used >= sizeof w->text) w->used = sizeof w->text - 1;
}

static const char *separator(int i, int count) {
  return i == 0 ? "" : i + 1 < count ? ", " : " and ";
}

// "rotation about x and y": the labels of rows that begin alike, without that beginning.
// Twice over the rows: "x and y" needs to know how many there will be.
static int say_alike(words *w, const hn_dependency *d, const char *phrase, const char *prefix) {
  static const char *const axis[] = {"x", "y", "z"};
  int found = 0, said = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < d->row_count; i++)
      for (int k = 0; k < 3; k++) {
        char label[16];
        snprintf(label, sizeof label, "%s%s", prefix, axis[k]);
        if (strcmp(strrchr(d->row[i], '.') + 1, label) != 0) continue;
        if (pass == 0)
          found++;
        else if (said == 0)
          say(w, "%s%s %s", w->used && w->text[w->used - 1] != ' ' ? ", " : "", phrase, axis[k]),
              said++;
        else
          say(w, "%s%s", separator(said, found), axis[k]), said++;
      }
  return found;
}

// Rows of points and of directions have names that are axes (x, rot_x): these are said in words,
// all others by name.
static void say_rows(words *w, const hn_dependency *d, int joint_rows) {
  if (d->row_count == joint_rows && joint_rows > 1) {
    // all rows of a joint are not listed
    say(w, "all %d rows", joint_rows);
    return;
  }
  int found = say_alike(w, d, "position along", "");
  found += say_alike(w, d, "rotation about", "rot_");
  if (found == d->row_count) return;
  if (found) say(w, ", ");
  int left = d->row_count - found, said = 0;
  say(w, left == 1 ? "row " : "rows ");
  for (int i = 0; i < d->row_count; i++) {
    const char *label = strrchr(d->row[i], '.') + 1;
    size_t n = strlen(label);
    if ((n == 1 || (n == 5 && strncmp(label, "rot_", 4) == 0)) && strchr("xyz", label[n - 1]))
      continue;
    say(w, "%s%s", separator(said, left), label);
    said++;
  }
}

static void describe(const finder *f, hn_dependency *d) {
  enum { SHOWN = 6 };
  words w = {0};
  int rows = 0;
  for (int i = 0; i < f->sys->rows; i++)
    rows += strcmp(f->sys->joint[f->sys->row_joint[i]].name, d->joint) == 0;
  // names are cut, so that the sentence always fits
  say(&w, "joint '%.60s': ", d->joint);
  say_rows(&w, d, rows);
  bool one = d->row_count == 1;
  if (d->other_count == 0)
    say(&w, one ? " imposes nothing the joint's other rows do not"
                : " impose nothing the joint's other rows do not");
  else
    say(&w, one ? " repeats what " : " repeat what ");
  int shown = d->other_count <= SHOWN ? d->other_count : SHOWN - 1;
  for (int i = 0; i < shown; i++) say(&w, "%s'%.60s'", separator(i, d->other_count), d->other[i]);
  if (shown < d->other_count) say(&w, " and %d more joints", d->other_count - shown);
  if (d->other_count) say(&w, d->other_count == 1 ? " already imposes" : " already impose");
  d->text = hn_strdup(w.text);
}

// ---- the report ----------------------------------------------------------------------------

// Both in the order of the model, so that one pass compares them.
static bool same_joints(const hn_dependency *d, const finder *f, int own_joint) {
  int count = 0;
  for (int j = 0; j < f->sys->joints; j++) {
    if (!f->joint[j] || j == own_joint) continue;
    if (count >= d->other_count || strcmp(d->other[count], f->sys->joint[j].name) != 0)
      return false;
    // to be said in one sentence when only rows differ
    count++;
  }
  return count == d->other_count;
}

// the dependency of row f->own[k] joins one of the same joint with the same others, or is new.
// Rows of one joint that repeat the same others are one sentence.
static bool add_dependency(finder *f, hn_redundancy *out, int k, int group) {
  const hn_system *sys = f->sys;
  int own_joint = sys->row_joint[f->own[k]];
  memset(f->joint, 0, (size_t)sys->joints * sizeof(bool));
  for (int i = 0; i < sys->rows; i++)
    if (in(f, k, i)) f->joint[sys->row_joint[i]] = true;
  hn_dependency *d = NULL;
  for (int i = 0; i < out->dependency_count && !d; i++) {
    hn_dependency *e = &out->dependency[i];
    if (strcmp(e->joint, sys->joint[own_joint].name) == 0 && same_joints(e, f, own_joint)) d = e;
  }
  if (!d) {
    d = &out->dependency[out->dependency_count++];
    *d = (hn_dependency){.group = group, .joint = hn_strdup(sys->joint[own_joint].name)};
    if (!d->joint) return false;
    for (int j = 0; j < sys->joints; j++)
      if (f->joint[j] && j != own_joint && !append(&d->other, &d->other_count, sys->joint[j].name))
        return false;
  }
  return append(&d->row, &d->row_count, sys->row_name[f->own[k]]);
}

// rows in the order of the model
static bool list_dependencies(finder *f, hn_redundancy *out) {
  out->dependency = calloc((size_t)f->count + 1, sizeof *out->dependency);
  int *number = malloc(((size_t)f->count + 1) * sizeof(int));
  bool ok = out->dependency && number;
  for (int k = 0; ok && k < f->count; k++) number[k] = -1;
  // by the number of the row, whatever order elimination took
  for (int row = 0; ok && row < f->sys->rows; row++)
    for (int k = 0; ok && k < f->count; k++) {
      if (f->own[k] != row) continue;
      int *group = &number[root_of(f->up, k)];
      if (*group < 0) *group = out->group_count++;
      ok = append(&out->redundant, &out->redundant_count, f->sys->row_name[row]) &&
           add_dependency(f, out, k, *group);
    }
  for (int i = 0; ok && i < out->dependency_count; i++) {
    describe(f, &out->dependency[i]);
    ok = out->dependency[i].text != NULL;
  }
  free(number);
  return ok;
}

// Bits 0 to 2 forces, 3 to 5 torques, as hn_open_joint has them.
static unsigned bits_of(const double force[3], const double torque[3], double size, double length) {
  unsigned bits = 0;
  for (int k = 0; k < 3; k++) {
    // moments in units of forces times the model's length
    if (fabs(force[k]) > takes_part * size) bits |= 1u << k;
    if (fabs(torque[k]) > takes_part * size * length) bits |= 8u << k;
  }
  return bits;
}

// components of joint j that dependency k can change; sizes by the largest of all joints.
// A vector of the null space as multipliers is a state of self-stress: joints whose reaction is not
// zero in it are undetermined by that much. The first pass finds the largest reaction, against
// which the second judges.
static void open_components(const finder *f, hn_redundancy *out) {
  const hn_system *sys = f->sys;
  for (int k = 0; k < f->count; k++) {
    const double *n = f->N + (size_t)k * (size_t)sys->rows;
    // back from units of length to multipliers
    for (int i = 0; i < sys->rows; i++) f->lambda[i] = n[i] / f->size[i];
    double size = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int g = 0; g < sys->groups; g++) {
        const hn_group *group = &sys->group[g];
        const hn_sys_joint *joint = &sys->joint[group->joint];
        bool part = false;
        for (int i = 0; i < group->rows; i++) part |= n[group->row0 + i] != 0;
        // joints without a place have multipliers only
        if (!part || !hn_joint_is_placed(joint)) continue;
        hn_reaction r;
        hn_reaction_of_rows(f->work, group->joint, f->lambda, &r);
        if (pass == 0) {
          size = fmax(size, fmax(v3_norm(r.force), v3_norm(r.torque) / sys->length));
          continue;
        }
        hn_open_joint *o = &out->joint[group->joint];
        o->world |= bits_of(r.force, r.torque, size, sys->length);
        o->axes |= bits_of(r.local_force, r.local_torque, size, sys->length);
      }
  }
}

// the names under which a result has them.
// In the plane both axes would say the same; multipliers are named where results have them.
static bool name_columns(const finder *f, hn_redundancy *out, int j) {
  static const char *const quantity[2][6] = {
      {"fx", "fy", "fz", "tx", "ty", "tz"},
      {"local_fx", "local_fy", "local_fz", "local_tx", "local_ty", "local_tz"}};
  const hn_system *sys = f->sys;
  const hn_sys_joint *joint = &sys->joint[j];
  bool flat = hn_joint_is_flat(sys, joint), ok = true;
  char text[160];
  for (int local = 0; local < (flat ? 1 : 2); local++)
    for (int k = 0; ok && k < 6; k++) {
      if (!((local ? out->joint[j].axes : out->joint[j].world) >> k & 1)) continue;
      // room for "local_fx" behind a name that is cut
      size_t length = strnlen(joint->name, 100);
      memcpy(text, joint->name, length);
      text[length++] = '.';
      hn_copy_text(text + length, 16, quantity[local][k]);
      ok = append(&out->undetermined, &out->undetermined_count, text);
    }
  if (joint->group < 0 || (!joint->components && hn_joint_is_placed(joint))) return ok;
  const hn_group *g = &sys->group[joint->group];
  for (int row = g->row0; ok && row < g->row0 + g->rows; row++) {
    // a row is open if any dependency contains it
    bool open = false;
    for (int k = 0; k < f->count; k++) open |= in(f, k, row);
    if (!open) continue;
    snprintf(text, sizeof text, "%.100s.lambda_%.40s", joint->name,
             strrchr(sys->row_name[row], '.') + 1);
    ok = append(&out->undetermined, &out->undetermined_count, text);
  }
  return ok;
}

// Rows first: how many of each joint's multipliers are not unique; then components of its reaction.
static bool list_open(const finder *f, hn_redundancy *out) {
  const hn_system *sys = f->sys;
  for (int row = 0; row < sys->rows; row++) {
    bool open = false;
    for (int k = 0; k < f->count; k++) open |= in(f, k, row);
    out->joint[sys->row_joint[row]].rows += open;
  }
  open_components(f, out);
  bool ok = true;
  for (int j = 0; ok && j < sys->joints; j++) ok = name_columns(f, out, j);
  return ok;
}

// too many to follow each: the rows left out, one by one
static bool list_rows(const hn_system *sys, const hn_rank *rank, hn_redundancy *out) {
  bool ok = true;
  for (int i = 0; ok && i < sys->rows; i++)
    if (!rank->active[i] && !hn_comes_and_goes(sys, i))
      ok = append(&out->redundant, &out->redundant_count, sys->row_name[i]);
  return ok;
}

static bool name_joints(const hn_system *sys, hn_redundancy *out) {
  out->joint = calloc((size_t)sys->joints + 1, sizeof *out->joint);
  if (!out->joint) return false;
  for (; out->joint_count < sys->joints; out->joint_count++) {
    char **name = &out->joint[out->joint_count].name;
    *name = hn_strdup(sys->joint[out->joint_count].name);
    if (!*name) return false;
  }
  return true;
}

static bool find(finder *f, hn_elimination *e, const hn_rank *rank, hn_redundancy *out) {
  // one block of scratch each, freed together whatever fails
  size_t rows = (size_t)f->sys->rows, count = (size_t)f->count;
  f->N = malloc((rows * count + 1) * sizeof(double));
  f->size = malloc((rows + 1) * sizeof(double));
  f->lambda = malloc((rows + 1) * sizeof(double));
  f->own = malloc((count + 1) * sizeof(int));
  f->up = malloc((count + 1) * sizeof(int));
  f->joint = malloc((size_t)f->sys->joints + 1);
  bool ok = f->N && f->size && f->lambda && f->own && f->up && f->joint;
  if (ok) hn_elimination_sizes(e, f->work, f->size);
  ok = ok && null_space(f, e, rank);
  if (ok) {
    own_rows(f);
    join_groups(f);
  }
  ok = ok && list_dependencies(f, out) && list_open(f, out);
  free(f->N), free(f->size), free(f->lambda), free(f->own), free(f->up), free(f->joint);
  return ok;
}

// Memory is rows times dependencies: beyond 2e7 numbers the rows are listed without what they
// repeat (complete: false).
hn_status hn_find_dependencies(hn_work *work, hn_elimination *e, const hn_rank *rank,
                               hn_redundancy **out) {
  const hn_system *sys = work->sys;
  hn_redundancy *r = *out = calloc(1, sizeof *r);
  if (!r) return HN_ERR_MEMORY;
  *r = (hn_redundancy){.time = work->t,
                       .rows = hn_lasting_rows(sys),
                       .rank = rank->rank,
                       .dof = sys->nv - rank->rank,
                       .tolerance = rank->tolerance,
                       .smallest_kept = rank->smallest_kept,
                       .largest_dropped = rank->largest_dropped};
  finder f = {.work = work, .sys = sys, .count = hn_lasting_rows(sys) - rank->rank};
  r->complete = (double)sys->rows * f.count <= most_numbers;
  bool ok = name_joints(sys, r);
  if (ok && f.count) ok = r->complete ? find(&f, e, rank, r) : list_rows(sys, rank, r);
  if (ok) return HN_OK;
  hn_redundancy_destroy(r);
  *out = NULL;
  return HN_ERR_MEMORY;
}

static void destroy_list(char **list, int count) {
  for (int i = 0; i < count; i++) free(list[i]);
  free(list);
}

void hn_redundancy_destroy(hn_redundancy *r) {
  if (!r) return;
  for (int i = 0; i < r->dependency_count; i++) {
    hn_dependency *d = &r->dependency[i];
    destroy_list(d->row, d->row_count);
    destroy_list(d->other, d->other_count);
    free(d->joint), free(d->text);
  }
  for (int i = 0; i < r->joint_count; i++) free(r->joint[i].name);
  destroy_list(r->redundant, r->redundant_count);
  destroy_list(r->undetermined, r->undetermined_count);
  free(r->dependency), free(r->joint), free(r);
}
