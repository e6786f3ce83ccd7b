// block_mass.c: masses of blocks at the initial state, and what is wrong with them.
//
// The mass matrix of a block follows from formulas and may be anything. A negative eigenvalue means
// motion with negative energy and is refused; a zero one is a coordinate without inertia, which
// methods that can cope with it are asked for (HN_CAN_SINGULAR_MASS).
#include "linalg/dense.h"
#include "system/builder.h"

#include <stdlib.h>

// sys->mass of a block's coordinates only scales: it must be positive, whatever the formulas say. A
// coordinate with next to no inertia of its own is given that of the heaviest of its block.
hn_status hn_block_masses(hn_system *sys) {
  hn_work work = {0};
  hn_arena arena = {0};
  if (!sys->blocks) return HN_OK;
  hn_work_layout(&work, &arena, sys);
  if (!hn_arena_allocate(&arena)) return HN_ERR_MEMORY;
  hn_work_layout(&work, &arena, sys);
  hn_eval_jacobian(&work, 0, sys->q0, sys->v0);
  for (int i = 0; i < sys->blocks; i++) {
    const hn_sys_block *b = &sys->block[i];
    const double *M = work.mass_values + b->mass_first;
    double *size = sys->mass + sys->body[b->body].v0, most = 0;
    for (int k = 0; k < b->n; k++) most = fmax(most, M[k * b->n + k]);
    for (int k = 0; k < b->n; k++) {
      double own = M[k * b->n + k];
      size[k] = own > 1e-9 * most ? own : most > 0 ? most : 1;
    }
  }
  free(arena.base);
  return HN_OK;
}

// The assembled state is not the described one: sizes are taken anew before they are judged.
// Rounding of formulas may make a singular matrix slightly indefinite; 1e-9 of the largest
// eigenvalue is that.
hn_status hn_check_masses(hn_system *sys, hn_model *model) {
  static const double zero = 1e-12, negative = 1e-9;  // relative to the largest
  if (!sys->blocks) return HN_OK;
  hn_status status = hn_block_masses(sys);
  hn_work work = {0};
  hn_arena arena = {0};
  hn_work_layout(&work, &arena, sys);
  if (status || !hn_arena_allocate(&arena)) return HN_ERR_MEMORY;
  hn_work_layout(&work, &arena, sys);
  hn_eval_jacobian(&work, 0, sys->q0, sys->v0);
  for (int i = 0; i < sys->blocks && !status; i++) {
    const hn_sys_block *b = &sys->block[i];
    double *w = calloc((size_t)b->n, sizeof *w);
    bool finite = true;
    for (int k = 0; k < b->n * b->n; k++)
      finite = finite && isfinite(work.mass_values[b->mass_first + k]);
    if (!w ||
        (finite && !hn_dense_symmetric_eigen(b->n, work.mass_values + b->mass_first, w, NULL)))
      status = HN_ERR_MEMORY;
    else if (!finite || w[0] < -negative * fabs(w[b->n - 1]))
      status = hn_model_fail(model, model->block[i].place, HN_ERR_MODEL,
                             "block '%s': the mass matrix at the initial state is not %s", b->name,
                             finite ? "positive semidefinite: some motion has negative energy"
                                    : "finite");
    else if (!(w[0] > zero * w[b->n - 1]))
      sys->singular_mass = true;
    free(w);
  }
  free(arena.base);
  return status;
}
