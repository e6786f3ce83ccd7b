// questions.c: the equations of a system for those who embed it: names, addresses, matrices.
//
// Everything is evaluated in the work space of a run. What the run itself needs of that is kept and
// put back (hn_look), so that it goes on bit by bit as it would have.
#include "sim/sim.h"
#include "system/reaction.h"

#include <string.h>

// ---- names, handles, addresses ---------------------------------------------------------------

// bodies of the model; coordinates of blocks, which are bodies inside, stand behind them
int hn_system_body_count(const hn_system *sys) {
  int count = 0;
  // ids of coordinates of blocks are not the caller's
  while (count < sys->bodies && sys->body[count].kind != HN_SCALAR) count++;
  return count;
}

const char *hn_body_name(const hn_system *sys, hn_body body) {
  bool known = body.id >= 0 && body.id < hn_system_body_count(sys);
  return known ? sys->body_info[body.id].name : NULL;
}

hn_body hn_find_body(const hn_system *sys, const char *name) {
  for (int i = 0; name && i < hn_system_body_count(sys); i++)
    if (strcmp(sys->body_info[i].name, name) == 0) return (hn_body){i};
  return (hn_body){-1};
}

int hn_system_joint_count(const hn_system *sys) {
  return sys->joints;
}

const char *hn_joint_name(const hn_system *sys, hn_joint joint) {
  int j = hn_system_joint(sys, joint);
  return j >= 0 ? sys->joint[j].name : NULL;
}

bool hn_joint_comes_and_goes(const hn_system *sys, hn_joint joint) {
  int j = hn_system_joint(sys, joint);
  for (int i = 0; i < sys->unilaterals; i++)
    if (sys->row_joint[sys->unilateral[i].row] == j) return true;
  return false;
}

hn_joint hn_find_joint(const hn_system *sys, const char *name) {
  for (int j = 0; name && j < sys->joints; j++)
    if (strcmp(sys->joint[j].name, name) == 0) return (hn_joint){sys->joint[j].handle};
  return (hn_joint){-1};
}

const char *hn_joint_coordinate_name(const hn_system *sys, hn_joint joint, int k) {
  int j = hn_system_joint(sys, joint);
  return j >= 0 && k >= 0 && k < sys->joint[j].coordinates ? sys->joint[j].coordinate[k].name
                                                           : NULL;
}

bool hn_system_address(const hn_system *sys, int k, hn_address *out) {
  hn_coordinate_part part;
  if (k < 0 || !sys->coordinates->part || !sys->coordinates->part(sys, k, &part)) return false;
  *out = (hn_address){part.what, part.name, part.q0, part.nq, part.v0, part.nv};
  return true;
}

int hn_joint_rows(const hn_system *sys, hn_joint joint, int *first) {
  int j = hn_system_joint(sys, joint);
  if (j < 0 || sys->joint[j].group < 0) return 0;
  if (first) *first = sys->group[sys->joint[j].group].row0;
  return sys->group[sys->joint[j].group].rows;
}

// ---- equations at a state --------------------------------------------------------------------

// what a question would leave behind in the run's own books
typedef struct books {
  double weakest, weakest_t, firmest;
  long evaluations, factorisations, regularised;
} books;

static books open_books(hn_sim *sim) {
  hn_reading_begin(sim);
  hn_look(sim);
  // states of first order are those of the run, whatever stage was evaluated last
  hn_give_states(&sim->stage.work, sim->state.y + sim->state.x);
  return (books){sim->watch.weakest,     sim->watch.weakest_t,      sim->watch.firmest,
                 sim->count.evaluations, sim->count.factorisations, sim->count.regularised};
}

static void close_books(hn_sim *sim, books b) {
  sim->watch.weakest = b.weakest, sim->watch.weakest_t = b.weakest_t,
  sim->watch.firmest = b.firmest;
  sim->count.evaluations = b.evaluations, sim->count.factorisations = b.factorisations;
  sim->count.regularised = b.regularised;
  hn_reading_end(sim);
}

static hn_status refuse(hn_sim *sim, const char *why) {
  hn_reading_begin(sim);
  hn_status status = hn_sim_fail(sim, HN_ERR_ARGUMENT, "%s", why);
  hn_reading_end(sim);
  return status;
}

static hn_status check(hn_sim *sim, double t, const double *q, const double *v) {
  bool good = isfinite(t) && q;
  for (int i = 0; good && i < sim->sys->nq; i++) good = isfinite(q[i]);
  for (int i = 0; good && v && i < sim->sys->nv; i++) good = isfinite(v[i]);
  return good ? HN_OK : refuse(sim, "time, positions and velocities must be finite");
}

static void give(double *out, const double *from, int count) {
  if (out) memcpy(out, from, (size_t)count * sizeof(double));
}

hn_status hn_evaluate(hn_sim *sim, double t, const double *q, const double *v,
                      const hn_equations *out) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  hn_status status = check(sim, t, q, v);
  if (status || !v) return status ? status : refuse(sim, "no velocities");
  books b = open_books(sim);
  hn_eval_all(work, t, q, v);
  give(out->force, work->r, sys->nv);
  give(out->gamma, work->gamma, sys->rows);
  give(out->position, work->phi, sys->rows);
  give(out->velocity, work->psi, sys->rows);
  if (out->mass) hn_mass_dense(work, out->mass, sim->room.v);
  if (out->jacobian) hn_jacobian_dense(work, out->jacobian);
  close_books(sim, b);
  return HN_OK;
}

// by the plain multiplier solver: methods with feedback or penalties would answer for themselves
hn_status hn_forward(hn_sim *sim, double t, const double *q, const double *v, double *a,
                     double *lambda) {
  hn_status status = check(sim, t, q, v);
  if (status || !v) return status ? status : refuse(sim, "no velocities");
  books b = open_books(sim);
  hn_eval_all(&sim->stage.work, t, q, v);
  memset(sim->stage.work.lambda, 0, (size_t)sim->sys->rows * sizeof(double));
  status = hn_solver_find("lagrange")->accelerate(sim);
  give(a, sim->stage.a, sim->sys->nv);
  give(lambda, sim->stage.work.lambda, sim->sys->rows);
  close_books(sim, b);
  return status;
}

// dense nv x nv: for those who embed small models; steppers have sparse ones
hn_status hn_tangents(hn_sim *sim, double t, const double *q, const double *v, const double *lambda,
                      double *K, double *C) {
  const hn_system *sys = sim->sys;
  hn_work *work = &sim->stage.work;
  hn_status status = check(sim, t, q, v);
  if (status) return status;
  if (!v || !K || !C) return refuse(sim, "velocities and both matrices are needed");
  if (!sys->coordinates->tangent && !sys->coordinates->of_bodies)
    return refuse(sim, "tangents are known in reference and natural coordinates only");
  books b = open_books(sim);
  size_t bytes = (size_t)sys->nv * (size_t)sys->nv * sizeof(double);
  // without multipliers of the caller, forces alone
  memset(sim->room.r, 0, (size_t)sys->rows * sizeof(double));
  if (!lambda) lambda = sim->room.r;
  hn_eval_all(work, t, q, v);
  if (sys->coordinates->tangent) {
    sys->coordinates->tangent(work, lambda, K, C);
  } else {
    hn_tangent tangent = {.n = sys->nv, .K = K, .C = C};
    memset(K, 0, bytes);
    memset(C, 0, bytes);
    hn_force_tangent(work, &tangent);
    hn_constraint_tangent(work, lambda, &tangent);
  }
  close_books(sim, b);
  return HN_OK;
}

// the saddle system with all rows left out is M alone, in whatever coordinates
hn_status hn_mass_solve(hn_sim *sim, double t, const double *q, double *x) {
  const hn_system *sys = sim->sys;
  hn_status status = check(sim, t, q, NULL);
  if (status) return status;
  books b = open_books(sim);
  memset(sim->room.v, 0, (size_t)sys->nv * sizeof(double));
  hn_eval_jacobian(&sim->stage.work, t, q, sim->room.v);
  // no row is there: what is factorised is M
  for (int i = 0; i < sys->rows; i++) sim->rows.D_soft[i] = HN_LEFT_OUT;
  memset(sim->room.r, 0, (size_t)sys->rows * sizeof(double));
  hn_kkt_factor(&sim->stage.kkt, &sim->stage.work, HN_WEIGHT_MASS, sim->rows.D_soft);
  bool singular = sim->stage.kkt.singular;
  if (singular)
    status = hn_sim_fail(sim, HN_ERR_SINGULAR, "the mass matrix is singular here");
  else
    hn_kkt_solve(&sim->stage.kkt, &sim->stage.work, x, sim->room.r);
  close_books(sim, b);
  return status;
}

hn_status hn_project_state(hn_sim *sim, double t, double *q, double *v) {
  double moved;
  hn_status status = check(sim, t, q, v);
  if (status || !v) return status ? status : refuse(sim, "no velocities");
  books b = open_books(sim);
  // the state is the caller's: nothing that was evaluated before belongs to it
  hn_stage_left(sim);
  status = hn_correction_find("mass")->apply(sim, t, q, v, &moved);
  close_books(sim, b);
  return status;
}

// nv evaluations of the motion: it costs O(nv^2), and is exact in all coordinates. At the current
// state
hn_status hn_point_jacobian(hn_sim *sim, hn_body body, const double point[3], double *J) {
  const hn_system *sys = sim->sys;
  size_t nv = (size_t)sys->nv;
  if (!hn_body_name(sys, body)) return refuse(sim, "no such body");
  memset(J, 0, 6 * nv * sizeof(double));
  if (body.id == 0) return HN_OK;
  books b = open_books(sim);
  // twists are linear in v: column by column
  memset(sim->room.v, 0, nv * sizeof(double));
  for (size_t k = 0; k < nv; k++) {
    hn_pose pose;
    double R[9], arm[3], turn[3];
    sim->room.v[k] = 1;
    hn_eval_motion(&sim->stage.work, sim->state.t, sim->state.y, sim->room.v);
    hn_eval_poses(&sim->stage.work);
    hn_user_pose(sys, body.id, sim->stage.work.q, sim->stage.work.v, &pose);
    q_matrix(R, pose.orientation);
    m3_mulv(arm, R, point);
    v3_cross(turn, pose.angular_velocity, arm);
    for (size_t i = 0; i < 3; i++) {
      J[i * nv + k] = pose.velocity[i] + turn[i];
      J[(3 + i) * nv + k] = pose.angular_velocity[i];
    }
    sim->room.v[k] = 0;
  }
  close_books(sim, b);
  return HN_OK;
}
