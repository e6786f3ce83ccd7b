// natural_forms.c: places and directions of bodies as linear forms of the coordinates.
#include "base/complex.h"
#include "system/coordinates/natural.h"
#include "system/reaction.h"

#include <string.h>

static double complex planar(const double s[3]) {
  double complex z;
  memcpy(&z, s, sizeof z);  // real part first, as the standard lays it out
  return z;
}

void hn_natural_planar_weights(const hn_natural_body *b, double complex alpha[2],
                               double complex beta[2]) {
  double complex s0 = planar(b->g[0].s), d = planar(b->g[1].s);
  if (!b->g[1].vector) d -= s0;
  beta[1] = hn_complex_quotient(1, d);
  alpha[1] = hn_complex_quotient(-s0, d);
  beta[0] = b->g[1].vector ? 0 : -beta[1];
  alpha[0] = b->g[1].vector ? 1 : 1 - alpha[1];
}

// Forms are made one after the other, so that the entries of the one being made lie at the end of
// the list. They are few: a search costs less than a table.
static bool add_entry(hn_natural *n, hn_form *f, int index, int component, double coefficient) {
  if (coefficient == 0) return true;
  for (int k = f->first; k < f->first + f->count; k++)
    if (n->entry[k].index == index && n->entry[k].component == component) {
      n->entry[k].coefficient += coefficient;
      return true;
    }
  hn_form_entry *grown = realloc(n->entry, ((size_t)n->entries + 1) * sizeof *grown);
  if (!grown) return false;
  n->entry = grown;
  n->entry[n->entries++] = (hn_form_entry){index, component, coefficient};
  f->count++;
  return true;
}

// f += s (a + i b) g, in space b = 0
static bool add_generator(hn_natural *n, hn_form *f, const hn_generator *g, int d, double a,
                          double b) {
  bool ok = true;
  for (int i = 0; i < d; i++) {
    int j = i ? 0 : 1;
    double turned = i ? b : -b;
    if (g->index < 0) {
      f->constant[i] += a * g->at[i] + (d == 2 ? turned * g->at[j] : 0);
      continue;
    }
    ok &= add_entry(n, f, g->index + i, i, a);
    if (d == 2) ok &= add_entry(n, f, g->index + j, i, turned);
  }
  return ok;
}

// f += sign * (the point s, or with w = 0 the direction s, of a body).
// w = 1: the point s; w = 0: the direction. The ground's are constants, a point mass has no
// directions.
static bool add_place(const hn_system *sys, hn_form *f, int body, const double s[3], double w,
                      double sign) {
  hn_natural *n = hn_natural_own(sys);
  const hn_sys_body *of = &sys->body[body];
  const hn_natural_body *b = &n->body[body];
  bool ok = true;
  if (of->nv == 0 || hn_natural_is_point(of)) {
    v3_addto(f->constant, sign, s);
    if (of->nv && w != 0) ok = add_generator(n, f, &b->g[0], hn_flat(of) ? 2 : 3, sign, 0);
  } else if (of->kind == HN_PLANAR) {
    double complex alpha[2], beta[2];
    hn_natural_planar_weights(b, alpha, beta);
    f->constant[2] += sign * s[2];
    for (int k = 0; k < 2; k++) {
      double complex c = sign * (w * alpha[k] + beta[k] * planar(s));
      ok &= add_generator(n, f, &b->g[k], 2, creal(c), cimag(c));
    }
  } else {
    for (int k = 0; k < 4; k++) {
      const double *C = b->inverse + 4 * k;
      double c = v3_dot(C, s) + w * C[3];
      // round-off of the inverse would only fill the rows
      if (fabs(c) > 1e-14) ok &= add_generator(n, f, &b->g[k], 3, sign * c, 0);
    }
  }
  return ok;
}

static int new_form(hn_natural *n) {
  hn_form *grown = realloc(n->form, ((size_t)n->forms + 1) * sizeof *grown);
  if (!grown) return -1;
  n->form = grown;
  n->form[n->forms] = (hn_form){.first = n->entries};
  return n->forms++;
}

// entries that cancelled (points shared by both ends) are no part of the pattern
static int finish_form(hn_natural *n, int form, bool ok) {
  if (!ok) return -1;
  hn_form *f = &n->form[form];
  int kept = 0;
  for (int k = 0; k < f->count; k++)
    if (fabs(n->entry[f->first + k].coefficient) > 1e-14)
      n->entry[f->first + kept++] = n->entry[f->first + k];
  f->count = kept;
  n->entries = f->first + kept;
  return form;
}

int hn_natural_point(hn_system *sys, int body, const double s[3]) {
  int form = new_form(hn_natural_own(sys));
  if (form < 0) return -1;
  return finish_form(hn_natural_own(sys), form,
                     add_place(sys, &hn_natural_own(sys)->form[form], body, s, 1, 1));
}

int hn_natural_direction(hn_system *sys, int body, const double u[3]) {
  int form = new_form(hn_natural_own(sys));
  if (form < 0) return -1;
  return finish_form(hn_natural_own(sys), form,
                     add_place(sys, &hn_natural_own(sys)->form[form], body, u, 0, 1));
}

int hn_natural_between(hn_system *sys, int a, const double sa[3], int b, const double sb[3]) {
  hn_natural *n = hn_natural_own(sys);
  int form = new_form(n);
  if (form < 0) return -1;
  bool ok = add_place(sys, &n->form[form], b, sb, 1, 1);
  return finish_form(n, form, ok && add_place(sys, &n->form[form], a, sa, 1, -1));
}
