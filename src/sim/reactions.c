// reactions.c: the multipliers a run reports.
//
// The method's own multipliers carry the motion, but where rows depend on each other they are one
// choice among many. What is recorded and reported is found anew from the forces J^T lambda by the
// stiffness of the joints (compile/sharing.c), the same for all methods; forces that read reactions
// read these. In relative coordinates
// all rows of the model take part, also those of the tree joints: the forces are the ones on the
// bodies, M a - f. Only the rows of the loops have multipliers then; reactions of the tree joints
// follow from them. Steppers whose joints yield are left alone: their springs determine every row
// (not so in relative coordinates, where the joints of the tree do not yield).
#include "sim/sim.h"

#include "compile/compile.h"
#include "compile/sharing.h"
#include "system/transmission.h"

#include <stdlib.h>
#include <string.h>

struct hn_reactions {
  hn_sharing sharing;
  hn_work work;    // of the reference system, where the run is in other coordinates
  double *lambda;  // all rows, shared
  bool *loop;      // which of them are the run's rows too
};

static const hn_system *all_rows(const hn_sim *sim) {
  return sim->sys->reference ? sim->sys->reference : sim->sys;
}

void hn_reactions_layout(hn_sim *sim, hn_arena *arena) {
  const hn_system *all = all_rows(sim);
  if (sim->sys->meshes) {
    sim->told_lambda = HN_TAKE(arena, double, sim->sys->rows);
    sim->teeth = HN_TAKE(arena, double, HN_TEETH * sim->sys->meshes);
  }
  // joints that share points have no reactions
  if (!all->redundant) return;
  const hn_coordinates *c = sim->sys->coordinates;
  if (c->hides_reactions && c->hides_reactions(sim->sys)) return;
  struct hn_reactions *r = HN_TAKE(arena, struct hn_reactions, 1), place = {0};
  hn_sharing_layout(&place.sharing, arena, all);
  place.lambda = HN_TAKE(arena, double, all->rows);
  if (all != sim->sys) {
    hn_work_layout(&place.work, arena, all);
    place.loop = HN_TAKE(arena, bool, all->rows);
  }
  if (!arena->base) return;
  *r = place;
  for (int i = 0; r->loop && i < all->rows; i++)
    r->loop[i] = sim->sys->joint[all->row_joint[i]].group >= 0;
  sim->reactions = r;
}

// multipliers of the loops, between the run's rows and all rows
static void copy_loops(const hn_sim *sim, bool back) {
  const hn_system *sys = sim->sys, *all = sys->reference;
  for (int j = 0; j < sys->joints; j++) {
    if (sys->joint[j].group < 0) continue;
    const hn_group *ours = &sys->group[sys->joint[j].group];
    const hn_group *theirs = &all->group[all->joint[j].group];
    double *a = sim->work.lambda + ours->row0, *b = sim->reactions->lambda + theirs->row0;
    memcpy(back ? a : b, back ? b : a, (size_t)ours->rows * sizeof(double));
  }
}

// natural coordinates: rows that keep the bodies rigid answer a change of the joints' multipliers,
// x_r, so that no force on the coordinates comes of it
static void follow_rigidity(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->rows; i++)
    sim->D_soft[i] = sys->row_joint[i] < sys->joints ? HN_LEFT_OUT : 0;
  hn_kkt_factor(&sim->kkt, &sim->work, HN_WEIGHT_MASS, sim->D_soft);
  memset(sim->x_v, 0, (size_t)sys->nv * sizeof(double));
  hn_jacobian_tmul_add(&sim->work, sim->x_r, 1, sim->x_v);
  memset(sim->x_r2, 0, (size_t)sys->rows * sizeof(double));
  hn_kkt_solve(&sim->kkt, &sim->work, sim->x_v, sim->x_r2);
  for (int i = 0; i < sys->rows; i++)
    if (sys->row_joint[i] == sys->joints) sim->work.lambda[i] += sim->x_r2[i];
  sim->fresh = false;
}

// shared multipliers of all rows of the model, in r->lambda. Those of tree joints are found first
// from the forces on the bodies. Returns where the rows were evaluated, NULL: nothing is shared
static const hn_work *share(hn_sim *sim) {
  struct hn_reactions *r = sim->reactions;
  const hn_system *sys = sim->sys;
  const hn_coordinates *c = sys->coordinates;
  if (!r || (sim->yielding && !c->body_forces)) return NULL;
  hn_work *at = sys->reference ? &r->work : &sim->work;
  if (sys->reference) {
    hn_eval_poses(&sim->work);
    hn_eval_jacobian(at, sim->work.t, sim->work.q, sim->work.v);
    copy_loops(sim, false);
  } else {
    memcpy(r->lambda, sim->work.lambda, (size_t)sys->rows * sizeof(double));
  }
  if (sys->meshes) {
    hn_teeth_rows(at, sim->teeth);
    hn_teeth_convert(at, sim->teeth, c->body_forces ? r->loop : NULL, 1, r->lambda);
    hn_teeth_swap(at, sim->teeth);
  }
  if (c->body_forces) {
    c->body_forces(&sim->work, sim->a, r->sharing.force);
    hn_sharing_complete(&r->sharing, at, r->loop, r->lambda);
  }
  hn_sharing_apply(&r->sharing, at, r->lambda);
  if (sys->meshes) hn_teeth_swap(at, sim->teeth);
  return at;
}

// the run's own multipliers, told for the rows of teeth
static void tell_teeth(hn_sim *sim) {
  hn_work *w = &sim->work;
  double *own = w->lambda;
  bool blocks = sim->sys->coordinates->adds_rows;  // J on the bodies comes with the reactions
  memcpy(sim->told_lambda, own, (size_t)sim->sys->rows * sizeof(double));
  if (blocks) hn_eval_reactions(w, sim->a);
  hn_teeth_rows(w, sim->teeth);
  hn_teeth_convert(w, sim->teeth, NULL, 1, sim->told_lambda);
  hn_teeth_swap(w, sim->teeth);
  w->lambda = sim->told_lambda;
  if (!blocks) hn_eval_reactions(w, sim->a);
  w->lambda = own;
  hn_teeth_swap(w, sim->teeth);
  sim->told = (hn_told){w, sim->told_lambda};
}

// sim->told: shared reactions, or (at NULL) those of the run's own multipliers
static void tell(hn_sim *sim, const hn_work *at) {
  if (at) {
    sim->told = (hn_told){at, sim->reactions->lambda};
  } else if (sim->sys->meshes) {
    tell_teeth(sim);
  } else {
    hn_eval_reactions(&sim->work, sim->a);
    sim->told = (hn_told){&sim->work, sim->work.lambda};
  }
}

// work.load from what was told
static void read_loads(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->loads; i++) {
    hn_reaction o;
    hn_reaction_of(&sim->told, sys->load_joint[i], &o);
    v3_copy(sim->work.load + 6 * i, o.force);
    v3_copy(sim->work.load + 6 * i + 3, o.torque);
  }
}

void hn_find_loads(hn_sim *sim) {
  if (!sim->sys->loads) return;
  tell(sim, share(sim));
  read_loads(sim);
}

// forces read shared reactions, whatever is recorded
void hn_share_reactions(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  const hn_work *at = share(sim);
  tell(sim, at);
  read_loads(sim);
  if (at && strcmp(sim->opt.reactions, "method") == 0) tell(sim, at = NULL);
  if (!at) return;
  for (int i = 0; i < sys->rows; i++) sim->x_r[i] = -sim->work.lambda[i];
  if (sys->reference)
    copy_loops(sim, true);
  else
    memcpy(sim->work.lambda, sim->reactions->lambda, (size_t)sys->rows * sizeof(double));
  // multipliers belong to the rows as they are
  if (sys->meshes) {
    if (sys->coordinates->adds_rows) hn_eval_reactions(&sim->work, sim->a);
    hn_teeth_rows(&sim->work, sim->teeth);
    hn_teeth_convert(&sim->work, sim->teeth, NULL, -1, sim->work.lambda);
  }
  if (!sys->coordinates->adds_rows) return;
  for (int i = 0; i < sys->rows; i++) sim->x_r[i] += sim->work.lambda[i];
  follow_rigidity(sim);
}

hn_status hn_sim_redundancy(hn_sim *sim, hn_redundancy **out) {
  const hn_system *sys = sim->sys, *all = all_rows(sim);
  *out = NULL;
  bool *active = malloc((size_t)all->rows + 1);
  if (!active) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  hn_eval_jacobian(&sim->work, sim->t, sim->y, sim->y + sys->nq);
  sim->fresh = false;
  hn_eval_poses(&sim->work);
  hn_status status = hn_redundancy_at(all, sim->t, sim->work.q, sim->work.v, active, out);
  free(active);
  return status ? hn_sim_fail(sim, status, "out of memory") : HN_OK;
}
