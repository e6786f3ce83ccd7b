// test_robots.c: robot files against an independent engine.
//
// tests/robots holds small files, each for some elements of its format, and the script that asks
// MuJoCo about them; tests/references/robots its answers: at the start and at random states the
// mass matrix, the forces, and the accelerations of the exact equations. Velocities of the two
// engines are connected by v = T u, accelerations by a = T u' + drift.
#include "contact_rig.h"

#include "base/file.h"
#include "base/vec.h"
#include "model/model.h"
#include "robots/import.h"
#include "sim/sim.h"
#include "system/coordinates/tree.h"

#include <dirent.h>
#include <holon/holon.h>

enum { JOINTS = 64, SIZE = 64 };

// ---- the reference -------------------------------------------------------------------------

typedef struct reference {
  int joints, inputs, nq, nv;
  int acts;  // states of actuators, their values and rates
  double act[SIZE], act_rate[SIZE];
  bool projected;  // the described state does not satisfy the constraints
  char name[JOINTS][64], kind[JOINTS][8], body[JOINTS][64];
  char input[JOINTS][64];
  double q[SIZE], v[SIZE], ctrl[SIZE], M[SIZE * SIZE], bias[SIZE], force[SIZE], acc[SIZE];
} reference;

static int read_numbers(char *text, double *out) {
  int n = 0;
  for (char *end; n < SIZE * SIZE; n++, text = end) {
    out[n] = strtod(text, &end);
    if (end == text) break;
  }
  return n;
}

// reads up to the next state; false at the end of the file
static bool read_state(FILE *file, reference *r) {
  char *line = NULL;
  size_t room = 0;
  bool found = false;
  while (!found && getline(&line, &room, file) > 0) {
    char word[16];
    int skip = 0;
    sscanf(line, "%15s %n", word, &skip);
    char *rest = line + skip;
    if (!strcmp(word, "joint") && CHECK(sscanf(rest, "%63[^|]|%7[^|]|%63[^\n]", r->name[r->joints],
                                               r->kind[r->joints], r->body[r->joints]) == 3))
      r->joints++;
    if (!strcmp(word, "state")) r->projected = strstr(rest, "projected") != NULL;
    if (!strcmp(word, "actuator")) sscanf(rest, "%63s", r->input[r->inputs++]);
    if (!strcmp(word, "qpos")) r->nq = read_numbers(rest, r->q);
    if (!strcmp(word, "qvel")) r->nv = read_numbers(rest, r->v);
    if (!strcmp(word, "ctrl")) read_numbers(rest, r->ctrl);
    if (!strcmp(word, "act")) r->acts = read_numbers(rest, r->act);
    if (!strcmp(word, "actdot")) read_numbers(rest, r->act_rate);
    if (!strcmp(word, "mass")) read_numbers(rest, r->M);
    if (!strcmp(word, "bias")) read_numbers(rest, r->bias);
    if (!strcmp(word, "force")) read_numbers(rest, r->force);
    if (!strcmp(word, "acc")) found = read_numbers(rest, r->acc) > 0;
  }
  free(line);
  return found;
}

// ---- the robot -----------------------------------------------------------------------------

typedef struct robot {
  hn_model *model;
  hn_system *sys;
  hn_sim *sim;
  double start[SIZE];  // coordinates of its joints at the start, as the reference counts them
} robot;

static bool open_robot(robot *o, const char *path) {
  char message[256] = "";
  *o = (robot){.model = hn_model_create()};
  bool ok = hn_model_load(o->model, path) == HN_OK;
  hn_options *options = hn_model_options(o->model);
  snprintf(options->coordinates, sizeof options->coordinates, "relative");
  ok = ok && hn_compile(&o->sys, o->model) == HN_OK;
  ok = ok && hn_sim_create(&o->sim, o->sys, options, message, sizeof message) == HN_OK;
  if (!CHECK(ok)) printf("  %s: %s%s\n", path, hn_model_error(o->model), message);
  return ok;
}

static void close_robot(robot *o) {
  hn_sim_destroy(o->sim);
  hn_system_destroy(o->sys);
  hn_model_destroy(o->model);
}

static void clean(char out[64], const char *name) {
  int n = 0;
  if (*name >= '0' && *name <= '9') out[n++] = '_';
  for (; *name && n < 63; name++) out[n++] = strchr("-/ .", *name) ? '_' : *name;
  out[n] = 0;
}

static const hn_mobilizer *find_mobilizer(const hn_system *sys, const char *joint,
                                          const char *body) {
  const hn_tree *tree = hn_tree_of(sys);
  for (int i = 0; i < tree->count; i++) {
    const hn_mobilizer *m = &tree->mob[i];
    const char *own = m->joint < 0 ? NULL : sys->joint[m->joint].name;
    if (joint && own && !strcmp(own, joint)) return m;
    if (body && !own && !strcmp(sys->body[m->body].info->name, body)) return m;
  }
  return NULL;
}

// the joint of the model: its name, or that with what kept it from being a body's
static const hn_mobilizer *find_joint(const hn_system *sys, const char *name) {
  char own[64], longer[80];
  clean(own, name);
  const hn_mobilizer *m = find_mobilizer(sys, own, NULL);
  if (m) return m;
  snprintf(longer, sizeof longer, "%s_joint", own);
  return find_mobilizer(sys, longer, NULL);
}

// "table_TX", "table_TY", "table_RZ": the directions of a planar joint, -1: of another
static int planar_part(const char *name, char stem[64]) {
  static const char *const end[] = {"_TX", "_TY", "_RZ"};
  size_t n = strlen(name);
  for (int k = 0; k < 3 && n > 3; k++)
    if (!strcmp(name + n - 3, end[k])) {
      snprintf(stem, 64, "%.*s", (int)(n - 3), name);
      return k;
    }
  return -1;
}

// state, T and drift of one free body
static void map_free(const hn_system *sys, const hn_mobilizer *m, const double *q, const double *v,
                     double *hq, double *T, int nv, int d, double *drift) {
  const hn_body_info *info = sys->body[m->body].info;
  double R[9], inner[9], c[3], w[3], x[3];
  q_matrix(R, q + 3);
  m3_mul(inner, R, info->axes);
  m3_mulv(c, R, info->com);
  v3_add(hq + m->q0, q, c);
  q_from_matrix(hq + m->q0 + 3, inner);
  m3_mulv(w, R, v + 3);
  v3_centripetal(drift + m->v0, w, c);
  for (int k = 0; k < 3; k++) {
    double axis[3] = {R[k], R[3 + k], R[6 + k]};
    v3_cross(x, axis, c);
    T[(m->v0 + k) * nv + d + k] = 1;
    for (int i = 0; i < 3; i++) {
      T[(m->v0 + i) * nv + d + 3 + k] = x[i];
      T[(m->v0 + 3 + i) * nv + d + 3 + k] = info->axes[3 * k + i];
    }
  }
}

static void map_ball(const robot *o, const hn_mobilizer *m, const double *q, const double *start,
                     double *hq, double *T, int nv, int d) {
  double S[9], Q[9], R0[9], A[9], B[9], inverse[4] = {start[0], -start[1], -start[2], -start[3]};
  double turn[4];
  m3_mul(S, o->sys->body[m->body].info->axes, m->b.R);
  q_mul(turn, inverse, q);
  q_matrix(Q, turn);
  q_matrix(R0, o->sys->q0 + m->q0);
  m3_tmul(A, S, Q);
  m3_mul(B, A, S);
  m3_mul(A, R0, B);
  q_from_matrix(hq + m->q0, A);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) T[(m->v0 + i) * nv + d + k] = S[3 * k + i];
}

// the drive of a joint turns with it
static void map_rotor(const robot *o, const char *joint, double moved, double *hq, double *T,
                      int nv, int d) {
  char name[96];
  snprintf(name, sizeof name, "%s_axle", joint);
  const hn_mobilizer *m = find_mobilizer(o->sys, name, NULL);
  if (!m) return;
  hq[m->q0] = o->sys->q0[m->q0] + moved;
  T[m->v0 * nv + d] = 1;
}

// the state of the reference as one of the model
static bool map_state(const robot *o, const reference *r, double *hq, double *hv, double *T,
                      double *drift) {
  int nv = r->nv, n = o->sys->nv, p = 0, d = 0;
  memset(T, 0, (size_t)(n * nv) * sizeof *T);
  memset(drift, 0, (size_t)n * sizeof *drift);
  memcpy(hq, o->sys->q0, (size_t)o->sys->nq * sizeof *hq);
  for (int j = 0; j < r->joints; j++) {
    char stem[64];
    int part = planar_part(r->name[j], stem);
    bool free = !strcmp(r->kind[j], "free"), ball = !strcmp(r->kind[j], "ball");
    const hn_mobilizer *m = free        ? find_mobilizer(o->sys, NULL, r->body[j])
                            : part >= 0 ? find_joint(o->sys, stem)
                                        : find_joint(o->sys, r->name[j]);
    if (!CHECK(m != NULL)) return printf("  no joint '%s'\n", r->name[j]), false;
    if (part < 0) part = 0;
    if (free) {
      map_free(o->sys, m, r->q + p, r->v + d, hq, T, nv, d, drift);
    } else if (ball) {
      map_ball(o, m, r->q + p, o->start + p, hq, T, nv, d);
    } else {
      hq[m->q0 + part] = r->q[p];
      T[(m->v0 + part) * nv + d] = 1;
      map_rotor(o, o->sys->joint[m->joint].name, r->q[p] - o->start[p], hq, T, nv, d);
    }
    p += free ? 7 : ball ? 4 : 1, d += free ? 6 : ball ? 3 : 1;
  }
  for (int i = 0; i < n; i++) {
    hv[i] = 0;
    for (int k = 0; k < nv; k++) hv[i] += T[i * nv + k] * r->v[k];
  }
  return true;
}

// ---- the comparison ------------------------------------------------------------------------

typedef struct worst {
  double mass, force, acceleration, closure, start;
} worst;
static worst all;

static void set_inputs(const robot *o, const reference *r) {
  for (int i = 0; i < r->inputs; i++) {
    char name[64];
    clean(name, r->input[i]);
    int input = hn_input_find(o->sys, name);
    // a name that is a unit's cannot be a signal's
    if (input < 0) input = hn_input_find(o->sys, strcat(name, "_actuator"));
    if (CHECK(input >= 0))
      CHECK(hn_input_set(o->sim, input, r->ctrl[i]) == HN_OK);
    else
      printf("  no input '%s'\n", name);
  }
}

// states of actuators, in the order of the actuators in both
static void set_activations(const robot *o, const reference *r, const double *q, const double *v,
                            worst *w) {
  CHECK(hn_state_count(o->sys) == r->acts);
  if (!r->acts || hn_state_count(o->sys) != r->acts) return;
  CHECK(hn_set_state(o->sim, 0, q, v) == HN_OK);
  CHECK(hn_set_states(o->sim, r->act) == HN_OK);
  const double *rate = o->sim->stage.ydot + o->sim->state.x;
  for (int i = 0; i < r->acts; i++) w->force = fmax(w->force, fabs(rate[i] - r->act_rate[i]));
}

static void compare(const robot *o, const reference *r, worst *w) {
  int n = o->sys->nv, nv = r->nv, rows = o->sys->rows;
  double hq[2 * SIZE], hv[SIZE], T[SIZE * SIZE], drift[SIZE];
  double *M = calloc((size_t)(n * n) + 1, sizeof *M), *phi = calloc((size_t)rows + 1, sizeof *phi);
  double f[SIZE], a[SIZE], MT[SIZE], size = 0, heavy = 0;
  if (map_state(o, r, hq, hv, T, drift)) {
    set_inputs(o, r);
    set_activations(o, r, hq, hv, w);
    hn_equations e = {.mass = M, .force = f, .position = phi};
    CHECK(hn_evaluate(o->sim, 0, hq, hv, &e) == HN_OK);
    CHECK(hn_forward(o->sim, 0, hq, hv, a, NULL) == HN_OK);
    for (int i = 0; i < rows; i++) w->closure = fmax(w->closure, fabs(phi[i]));
    for (int i = 0; i < nv * nv; i++) heavy = fmax(heavy, fabs(r->M[i]));
    // T^T M T, and the forces less what the drift takes
    for (int c = 0; c < nv; c++) {
      for (int i = 0; i < n; i++) {
        MT[i] = 0;
        for (int k = 0; k < n; k++) MT[i] += M[i * n + k] * T[k * nv + c];
      }
      for (int b = 0; b < nv; b++) {
        double m = 0;
        for (int i = 0; i < n; i++) m += T[i * nv + b] * MT[i];
        w->mass = fmax(w->mass, fabs(m - r->M[b * nv + c]) / heavy);
      }
      double load = 0;
      for (int i = 0; i < n; i++) load += T[i * nv + c] * f[i] - MT[i] * drift[i];
      double wanted = r->force[c] - r->bias[c];
      w->force = fmax(w->force, fabs(load - wanted) / fmax(1, fabs(wanted)));
    }
    for (int i = 0; i < nv; i++) size = fmax(size, fabs(r->acc[i]));
    for (int i = 0; i < n; i++) {
      double wanted = drift[i];
      for (int k = 0; k < nv; k++) wanted += T[i * nv + k] * r->acc[k];
      w->acceleration = fmax(w->acceleration, fabs(a[i] - wanted) / fmax(1, size));
    }
  }
  free(M), free(phi);
}

// the model starts where the reference does
static void compare_start(const robot *o, const reference *r, worst *w) {
  double hq[2 * SIZE], hv[SIZE], T[SIZE * SIZE], drift[SIZE];
  if (!map_state(o, r, hq, hv, T, drift)) return;
  for (int i = 0; i < o->sys->nq; i++) w->start = fmax(w->start, fabs(hq[i] - o->sys->q0[i]));
  for (int i = 0; i < o->sys->nv; i++) w->start = fmax(w->start, fabs(hv[i] - o->sys->v0[i]));
}

static void check_robot(const char *file, const char *name) {
  char path[300];
  snprintf(path, sizeof path, "tests/references/robots/%s.txt", name);
  FILE *stream = fopen(path, "r");
  if (!CHECK(stream != NULL)) {
    printf("  %s\n", path);
    return;
  }
  reference *r = calloc(1, sizeof *r);
  robot o;
  worst w = {0};
  snprintf(path, sizeof path, "tests/robots/%s", file);
  bool ok = open_robot(&o, path);
  for (int state = 0; ok && read_state(stream, r); state++) {
    if (state == 0) {
      memcpy(o.start, r->q, sizeof o.start);
      if (!r->projected) compare_start(&o, r, &w);
    }
    compare(&o, r, &w);
  }
  // the reference holds corners of meshes in single precision
  bool good = CHECK(ok && w.mass <= (strstr(name, "mesh") ? 1e-9 : 1e-10)) &
              CHECK(w.force <= 1e-8) & CHECK(w.acceleration <= 1e-8) & CHECK(w.closure <= 1e-10) &
              CHECK(w.start <= 1e-10);
  if (!good)
    printf("  %s: mass matrix %.1e, forces %.1e, accelerations %.1e, closure %.1e, start %.1e\n",
           file, w.mass, w.force, w.acceleration, w.closure, w.start);
  all.mass = fmax(all.mass, w.mass), all.force = fmax(all.force, w.force);
  all.acceleration = fmax(all.acceleration, w.acceleration);
  all.closure = fmax(all.closure, w.closure);
  close_robot(&o);
  free(r);
  fclose(stream);
}

static void robots(void) {
  DIR *folder = opendir("tests/robots");
  int count = 0;
  if (!CHECK(folder != NULL)) return;
  for (struct dirent *e; (e = readdir(folder));) {
    char name[260];
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || !hn_word_in(dot, ".urdf .xml .sdf")) continue;
    snprintf(name, sizeof name, "%.*s", (int)(dot - e->d_name), e->d_name);
    check_robot(e->d_name, name);
    count++;
  }
  closedir(folder);
  printf("%d robots: mass matrix %.1e, forces %.1e, accelerations %.1e, closure %.1e\n", count,
         all.mass, all.force, all.acceleration, all.closure);
  CHECK(count >= 100);
}

int main(void) {
  RUN(robots);
  return test_end();
}
