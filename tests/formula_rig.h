// formula_rig.h: formulas of a force, for code written per model, against the library's own
// evaluation of it (force_rig.h).
#ifndef HN_FORMULA_RIG_H
#define HN_FORMULA_RIG_H

#include "code/formulas.h"
#include "code/native.h"

#include "force_rig.h"

// what formulas are compared by: generalized forces, power, potential, then switching functions
enum { BOOKS = 2, MOST_SWITCHES = 64 };

static double worst_of(const double *a, const double *b, int n) {
  double size = 1, worst = 0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= worst * size)) worst = fabs(a[i] - b[i]) / size;
  return worst;
}

// worst difference; -1: there are no formulas
static double formulas_error(rig *r, double t) {
  const hn_system *sys = r->sys;
  hn_formulas f;
  double worst = -1, expected[BOOKS + MAX], value[MOST_SWITCHES] = {0};
  hn_node wanted[MAX + BOOKS + MOST_SWITCHES];
  int nv = sys->nv, switches = sys->switches;
  if (hn_formulas_build(&f, sys) == HN_OK && CHECK(switches <= MOST_SWITCHES)) {
    memcpy(wanted, f.force, (size_t)nv * sizeof *wanted);
    wanted[nv] = f.power, wanted[nv + 1] = f.potential;
    memcpy(wanted + nv + BOOKS, f.switching, (size_t)switches * sizeof *wanted);
    hn_program *program = hn_program_compile(f.g, wanted, nv + BOOKS + switches);
    int count = f.in_p + 1;
    double *in = calloc((size_t)count, sizeof *in), out[MAX + BOOKS + MOST_SWITCHES];
    double *registers =
        program ? calloc((size_t)hn_program_registers(program) + 1, sizeof *registers) : NULL;
    if (CHECK(program && in && registers)) {
      rig_eval(r, t);
      memcpy(in + f.in_v, r->v, (size_t)nv * sizeof *in);
      memcpy(in + f.in_q, r->q, (size_t)sys->nq * sizeof *in);
      in[f.in_t] = t;
      memcpy(in + f.in_turn, r->work.near, (size_t)sys->turns * sizeof *in);
      hn_eval_switches(&r->work, t, r->q, r->v, value);
      for (int k = 0; k < switches; k++) in[f.in_side + k] = value[k] > 0;
      memcpy(in + f.in_m, r->work.memory, (size_t)sys->memories * sizeof *in);
      hn_native_in(&r->work, t, r->work.state, in + f.in_u);
      rig_eval(r, t);
      hn_program_run(program, in, registers, out);
      memcpy(expected, r->work.r, (size_t)nv * sizeof *expected);
      expected[nv] = r->work.power, expected[nv + 1] = hn_potential_energy(&r->work);
      worst = fmax(worst_of(out, expected, nv), worst_of(out + nv, expected + nv, BOOKS));
      worst = fmax(worst, worst_of(out + nv + BOOKS, value, switches));
    }
    hn_program_destroy(program);
    free(in), free(registers);
  }
  hn_formulas_clear(&f);
  return worst;
}

#endif
