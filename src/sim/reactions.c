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
#include "sim/contact.h"

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
    sim->reaction.lambda = HN_TAKE(arena, double, sim->sys->rows);
    sim->reaction.teeth = HN_TAKE(arena, double, HN_TEETH * sim->sys->meshes);
  }
  // where the stiffness of bodies takes part the rule for joints does not hold: the method's own
  if (sim->sys->rigid_coupled) return;
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
  r->work.on = sim->stage.work.on, r->work.shift = sim->stage.work.shift;
  r->work.face = sim->stage.work.face;
  for (int i = 0; r->loop && i < all->rows; i++)
    r->loop[i] = sim->sys->joint[all->row_joint[i]].group >= 0;
  sim->reaction.sharing = r;
}

// multipliers of the loops, between the run's rows and all rows
static void copy_loops(const hn_sim *sim, bool back) {
  const hn_system *sys = sim->sys, *all = sys->reference;
  for (int j = 0; j < sys->joints; j++) {
    if (sys->joint[j].group < 0) continue;
    const hn_group *ours = &sys->group[sys->joint[j].group];
    const hn_group *theirs = &all->group[all->joint[j].group];
    double *a = sim->stage.work.lambda + ours->row0,
           *b = sim->reaction.sharing->lambda + theirs->row0;
    memcpy(back ? a : b, back ? b : a, (size_t)ours->rows * sizeof(double));
  }
}

// natural coordinates: rows that keep the bodies rigid answer a change of the joints' multipliers,
// x_r, so that no force on the coordinates comes of it.
// [M -J^T; J D] with the joints' rows left out: the rows of the bodies alone answer -J^T of the
// change
static void follow_rigidity(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->rows; i++)
    sim->rows.D_soft[i] = sys->row_joint[i] < sys->joints ? HN_LEFT_OUT : 0;
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D_soft);
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  hn_jacobian_tmul_add(&sim->stage.work, sim->room.r, 1, sim->room.v);
  memset(sim->room.r2, 0, (size_t)sys->rows * sizeof(double));
  hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, sim->room.v, sim->room.r2);
  for (int i = 0; i < sys->rows; i++)
    if (sys->row_joint[i] == sys->joints) sim->stage.work.lambda[i] += sim->room.r2[i];
}

// Whether no row there is repeats another: of rows that last none does, and those that came all
// bear. Their multipliers are determined, and sharing would only add the doubt it has where states
// in the middle of a step are off the constraints, which friction that follows reactions does not
// settle on
static bool determined(const hn_sim *sim) {
  const hn_system *all = all_rows(sim);
  const struct hn_contacts *c = sim->contacts;
  if (!c || all->preloaded || all->redundant != all->unilaterals) return false;
  for (int i = 0; i < c->count; i++)
    if (c->on[i] != c->bears[i]) return false;
  return true;
}

// shared multipliers of all rows of the model, in r->lambda. Returns where the rows were evaluated,
// NULL: nothing is shared. Sharing is over rows of the reference system: in relative coordinates
// the tree's joints have no rows, and their forces are known from the balance of the bodies. Teeth
// are taken as forces along their own line of action, not along the coordinates they couple, while
// it is shared
static const hn_work *share(hn_sim *sim) {
  struct hn_reactions *r = sim->reaction.sharing;
  const hn_system *sys = sim->sys;
  const hn_coordinates *c = sys->coordinates;
  if (!r || (sim->stage.yielding && !c->body_forces) || determined(sim)) return NULL;
  hn_work *at = sys->reference ? &r->work : &sim->stage.work;
  r->sharing.violation = hn_sharing_violation(&sim->stage.work);
  if (sys->reference) {
    hn_eval_poses(&sim->stage.work);
    hn_eval_jacobian(at, sim->stage.work.t, sim->stage.work.q, sim->stage.work.v);
    copy_loops(sim, false);
  } else {
    memcpy(r->lambda, sim->stage.work.lambda, (size_t)sys->rows * sizeof(double));
  }
  if (sys->meshes) {
    hn_teeth_rows(at, r->lambda, sim->reaction.teeth);
    hn_teeth_convert(at, sim->reaction.teeth, c->body_forces ? r->loop : NULL, 1, r->lambda);
    hn_teeth_swap(at, sim->reaction.teeth);
  }
  if (c->body_forces) c->body_forces(&sim->stage.work, sim->stage.a, r->sharing.force);
  if (!c->body_forces || !hn_sharing_carry(&r->sharing, at, r->lambda)) {
    // first those of the tree's joints, as far as they can be told
    if (c->body_forces) {
      c->body_forces(&sim->stage.work, sim->stage.a, r->sharing.force);
      hn_sharing_complete(&r->sharing, at, r->loop, r->lambda);
    }
    hn_sharing_apply(&r->sharing, at, r->lambda);
  }
  if (sys->meshes) hn_teeth_swap(at, sim->reaction.teeth);
  return at;
}

// the run's own multipliers, told for the rows of teeth
static void tell_teeth(hn_sim *sim) {
  hn_work *w = &sim->stage.work;
  double *own = w->lambda;
  bool blocks = sim->sys->coordinates->adds_rows;  // J on the bodies comes with the reactions
  memcpy(sim->reaction.lambda, own, (size_t)sim->sys->rows * sizeof(double));
  if (blocks) hn_eval_reactions(w, sim->stage.a);
  hn_teeth_rows(w, own, sim->reaction.teeth);
  hn_teeth_convert(w, sim->reaction.teeth, NULL, 1, sim->reaction.lambda);
  hn_teeth_swap(w, sim->reaction.teeth);
  w->lambda = sim->reaction.lambda;
  if (!blocks) hn_eval_reactions(w, sim->stage.a);
  w->lambda = own;
  hn_teeth_swap(w, sim->reaction.teeth);
  sim->reaction.told = (hn_told){.work = w, .lambda = sim->reaction.lambda};
}

// sim->reaction.told: shared reactions, or (at NULL) those of the run's own multipliers
static void tell(hn_sim *sim, const hn_work *at) {
  if (at) {
    sim->reaction.told = (hn_told){.work = at, .lambda = sim->reaction.sharing->lambda};
  } else if (sim->sys->meshes) {
    tell_teeth(sim);
  } else {
    hn_eval_reactions(&sim->stage.work, sim->stage.a);
    sim->reaction.told = (hn_told){.work = &sim->stage.work, .lambda = sim->stage.work.lambda};
  }
}

// rows of the run by their place in their joint: those of the reference system stand elsewhere
double hn_shared_multiplier(const hn_sim *sim, int row) {
  const hn_system *sys = sim->sys, *all = sys->reference;
  const hn_told *told = &sim->reaction.told;
  if (!told->work) return sim->stage.work.lambda[row];
  if (told->work == &sim->stage.work) return told->lambda[row];
  int j = sys->row_joint[row];
  return told
      ->lambda[row - sys->group[sys->joint[j].group].row0 + all->group[all->joint[j].group].row0];
}

// work.load from what was told
static void read_loads(hn_sim *sim) {
  const hn_system *sys = sim->sys;
  for (int i = 0; i < sys->loads; i++) {
    const hn_load *load = &sys->load[i];
    hn_reaction o = {.force = {0, 0, 0}};
    if (load->row >= 0)
      o.force[0] = hn_shared_multiplier(sim, load->row);
    else if (sys->joint[load->joint].coupler)
      hn_transmitted(&sim->reaction.told, load->joint, &o);
    else
      hn_reaction_of(&sim->reaction.told, load->joint, &o);
    v3_copy(sim->stage.work.load + 6 * i, o.force);
    v3_copy(sim->stage.work.load + 6 * i + 3, o.torque);
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
  for (int i = 0; i < sys->rows; i++) sim->room.r[i] = -sim->stage.work.lambda[i];
  if (sys->reference)
    copy_loops(sim, true);
  else
    memcpy(sim->stage.work.lambda, sim->reaction.sharing->lambda,
           (size_t)sys->rows * sizeof(double));
  // multipliers belong to the rows as they are
  if (sys->meshes) {
    if (sys->coordinates->adds_rows) hn_eval_reactions(&sim->stage.work, sim->stage.a);
    hn_teeth_rows(&sim->stage.work, sim->stage.work.lambda, sim->reaction.teeth);
    hn_teeth_convert(&sim->stage.work, sim->reaction.teeth, NULL, -1, sim->stage.work.lambda);
  }
  if (!sys->coordinates->adds_rows) return;
  for (int i = 0; i < sys->rows; i++) sim->room.r[i] += sim->stage.work.lambda[i];
  follow_rigidity(sim);
}

static hn_status redundancy(hn_sim *sim, hn_redundancy **out) {
  const hn_system *sys = sim->sys, *all = all_rows(sim);
  *out = NULL;
  // never zero bytes, which may be NULL without being a failure
  bool *active = malloc((size_t)all->rows + 1);
  if (!active) return hn_sim_fail(sim, HN_ERR_MEMORY, "out of memory");
  hn_eval_jacobian(&sim->stage.work, sim->state.t, sim->state.y, sim->state.y + sys->nq);
  hn_eval_poses(&sim->stage.work);
  hn_status status =
      hn_redundancy_at(all, sim->state.t, sim->stage.work.q, sim->stage.work.v, active, out);
  free(active);
  return status ? hn_sim_fail(sim, status, "out of memory") : HN_OK;
}

hn_status hn_sim_redundancy(hn_sim *sim, hn_redundancy **out) {
  hn_reading_begin(sim);
  hn_status status = redundancy(sim, out);
  hn_reading_end(sim);
  return status;
}
