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

// ---- what is refused -----------------------------------------------------------------------

static hn_status import(const char *text, bool lenient, char message[HN_MESSAGE]) {
  char *model, *report;
  hn_status status =
      hn_import_text(text, strlen(text), "r.urdf", lenient, &model, &report, message);
  if (!status) snprintf(message, HN_MESSAGE, "%s", report);
  free(model), free(report);
  return status;
}

#define INERTIAL "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
#define ARM(joint)                                                                                 \
  "<robot name='r'><link name='base'/><link name='arm'>" INERTIAL "</link>" joint "</robot>"
#define JOINT(type, inner)                                                                         \
  "<joint name='j' type='" type "'><parent link='base'/><child link='arm'/>" inner "</joint>"

#define WORLD(inner, sections)                                                                     \
  "<mujoco>" sections "<worldbody><body name='b'><inertial pos='1 0 0' mass='1' diaginertia='1 1 " \
  "1'/>" inner "</body></worldbody></mujoco>"

#define SDF(inner) "<sdf version='1.9'><model name='m'><link name='a'/>" inner "</model></sdf>"

// text, and what the message must say: place and reason
static const char *const refused[][2] = {
    {"<robot", "r.urdf:1:1: "},
    {"<robot></mujoco>", "mismatched tag"},
    {"<sbml/>", "r.urdf:1:1: <sbml> is neither"},
    {"<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='&a;'/>", "declares an entity"},
    {"<!DOCTYPE r [<!ENTITY a SYSTEM '/etc/passwd'>]><robot name='x'/>", "declares an entity"},
    {"<robot name='r'/>", "there is no root link"},
    {"<robot name='r'><link/></robot>", "r.urdf:1:17: <link> must have name="},
    {ARM(JOINT("continuous", "<axis xyz='0 nan 1'/>")), "not a finite number: 'nan'"},
    {ARM(JOINT("continuous", "<axis xyz='0 inf 1'/>")), "not a finite number: 'inf'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1e999 1'/>")), "not a finite number: '1e999'"},
    {ARM(JOINT("continuous", "<axis xyz='0 2*3 1'/>")), "not a finite number: '2*3'"},
    {ARM(JOINT("continuous", "<axis xyz='0 5-3 1'/>")), "not a finite number: '5-3'"},
    {ARM(JOINT("continuous", "<axis xyz='0 --5 1'/>")), "not a finite number: '--5'"},
    {ARM(JOINT("continuous", "<axis xyz='0 +-5 1'/>")), "not a finite number: '+-5'"},
    {ARM(JOINT("continuous", "<axis xyz='0 . 1'/>")), "not a finite number: '.'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1e 1'/>")), "not a finite number: '1e'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1e+ 1'/>")), "not a finite number: '1e+'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1x 1'/>")), "not a finite number: '1x'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1'/>")), "3 numbers expected, 2 found"},
    {ARM(JOINT("continuous", "<axis xyz='0 1 2 3'/>")), "too many numbers"},
    {ARM(JOINT("continuous", "<axis xyz='0 0 0'/>")), "the axis has no length"},
    {ARM(JOINT("continuous", "<dynamics damping='-1'/>")), "is negative"},
    {ARM(JOINT("revolute", "<limit lower='1' upper='-1'/>")), "lower is above upper"},
    {WORLD("<joint name='j' range='2 1'/>", ""), "its ends are not in order"},
    {ARM(JOINT("continuous", "<mimic joint='k'/>")), "no moving joint named 'k'"},
    {ARM(JOINT("continuous", "<mimic joint='j'/>")), "couples other than two"},
    {"<robot name='r'><link name='base'/><link name='arm'>" INERTIAL
     "</link><link name='hand'>" INERTIAL "</link>" JOINT(
         "continuous",
         "<mimic joint='k' offset='1'/>") "<joint name='k' "
                                          "type='continuous'><parent link='arm'/><child "
                                          "link='hand'/><mimic joint='j'/></joint></robot>",
     "'j_mimic' wants 'j' at 2, where other couplings have it at 1"},
    {ARM(JOINT("helical", "")), "has a type that is not read: 'helical'"},
    {ARM(""), "'base' and 'arm' are not connected"},
    {ARM("<joint name='j' type='fixed'><parent link='base'/></joint>"), "needs <parent> and"},
    {ARM("<joint name='j' type='fixed'><parent link='base'/><child link='leg'/></joint>"),
     "are not connected"},
    {ARM(JOINT("fixed", "") JOINT("fixed", "")), "has two parents"},
    {ARM("<joint name='j' type='fixed'><parent link='arm'/><child link='base'/></joint>"
         "<joint name='k' type='fixed'><parent link='base'/><child link='arm'/></joint>"),
     "there is no root link"},
    {"<robot><link name='a'/><link name='a'/></robot>", "a second link named 'a'"},
    {"<robot><link name='base'/><link name='arm'/>" JOINT("continuous", "") "</robot>",
     "neither it nor what hangs on it has mass"},
    {"<robot><link name='base'/><link name='arm'><inertial><mass "
     "value='-1'/></inertial></link>" JOINT("continuous", "") "</robot>",
     "the mass is negative"},
    {"<robot><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia ixx='1' "
     "iyy='1' izz='9'/></inertial></link>" JOINT("continuous", "") "</robot>",
     "no distribution of mass"},
    {ARM(JOINT("continuous", "") "<loop name='l' type='revolute'><predecessor link='arm'/></loop>"),
     "needs <successor>"},
    {ARM(JOINT("continuous", "") "<loop_joint name='l'><link1 link='arm'/><link2 link='x'/>"
                                 "</loop_joint>"),
     "no link named 'x'"},
    {ARM(JOINT("continuous", "") "<coupling name='c'/>"), "<coupling> is not read"},
    {ARM(JOINT("continuous", "") "<drake:linear_bushing_rpy/>"), "is not read"},
    // SDFormat
    {"<sdf/>", "there is no <model>"},
    {"<sdf><model name='m'/></sdf>", "there is no <link>"},
    {"<sdf><model name='m'><link/></model></sdf>", "<link> must have name="},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>x</child></joint>"),
     "no link named 'x'"},
    {SDF("<joint name='j' type='revolute'><child>a</child></joint>"), "<joint> needs <parent>"},
    {SDF("<joint name='j' type='screw'><parent>world</parent><child>a</child></joint>"),
     "a screw needs <screw_thread_pitch>"},
    {SDF("<joint name='j' type='gearbox'><parent>world</parent><child>a</child></joint>"),
     "has a type that is not read: 'gearbox'"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 0"
         "</xyz></axis></joint>"),
     "the axis has no length"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0"
         "</xyz></axis></joint>"),
     "3 numbers expected, 2 found"},
    {SDF("<link name='b'><pose relative_to='c'>0 0 0 0 0 0</pose></link>"),
     "there is no link, frame or joint 'c'"},
    {SDF("<link name='b'><pose relative_to='c'>0 0 0 0 0 0</pose></link><link name='c'><pose "
         "relative_to='b'>0 0 0 0 0 0</pose></link>"),
     "is placed by itself"},
    {SDF("<frame name='f' attached_to='f'/><link name='b'><pose relative_to='f'>0 0 0 0 0 0</pose>"
         "</link>"),
     "'f' is placed by itself"},
    {SDF("<frame name='f' attached_to='f'/><joint name='j' type='revolute'><parent>world</parent>"
         "<child>f</child></joint>"),
     "no link named 'f'"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz "
         "expressed_in='g'>0 0 1</xyz></axis></joint>"),
     "there is no link, frame or joint 'g'"},
    {SDF("<include><uri>model://x</uri></include>"), "<include> in a model is not read"},
    {SDF("<link name='b'><inertial><mass>-1</mass></inertial></link>"), "the mass is negative"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 1"
         "</xyz><limit><lower>1</lower><upper>0</upper></limit></axis></joint>"),
     "limits of 'j': lower is above upper"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 1"
         "</xyz><dynamics><damping>-1</damping></dynamics></axis></joint>"),
     "negative"},
    {SDF("<link name='a'/>"), "a second link named 'a'"},
    {SDF("<link name='b'><inertial auto='true'/></link>"),
     "the inertia of 'b' is that of its coll"},
    {SDF("<link name='b'><velocity_decay><linear>0.1</linear></velocity_decay></link>"),
     "velocity_decay of 'b'"},
    {SDF("<link name='b'><kinematic>true</kinematic></link>"), "'b' is kinematic"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 1"
         "</xyz><mimic joint='k'/></axis></joint>"),
     "no moving joint named 'k'"},
    {SDF("") "<sdf/>", "junk after document"},
    // MJCF
    {"<mujoco/>", "there is no body"},
    {"<mujoco><include file='../x.xml'/></mujoco>", "leaves the folder of the model"},
    {"<mujoco><include file='a/../../x.xml'/></mujoco>", "leaves the folder of the model"},
    {"<mujoco><include file='/etc/passwd'/></mujoco>", "leaves the folder of the model"},
    {"<mujoco><include file='missing.xml'/></mujoco>", "include 'missing.xml' cannot be read"},
    {WORLD("<joint type='screw'/>", ""), "unknown type of joint: 'screw'"},
    {WORLD("<joint axis='0 0 0'/>", ""), "the axis has no length"},
    {WORLD("<joint damping='1 2'/>", ""), "damping that is not linear"},
    {WORLD("<joint damping='-1'/>", ""), "damping is negative"},
    {WORLD("<joint springdamper='1 1'/>", ""), "springdamper"},
    {WORLD("<joint class='x'/>", ""), "no default class named 'x'"},
    {WORLD("<joint/><freejoint/>", ""), "must be the only one of its body"},
    {WORLD("<joint type='ball' armature='1'/>", ""), "armature or frictionloss of a joint"},
    {WORLD("<joint/><geom type='torus'/>", ""), "unknown type of geom: 'torus'"},
    {WORLD("<joint/><composite/>", ""), "<composite> is not read"},
    {WORLD("<joint/>", "<compiler eulerseq='abc'/>"), "eulerseq must be three of"},
    {WORLD("<joint/>", "<compiler coordinate='global'/>"), "coordinate=\"global\" is not read"},
    {WORLD("<joint/>", "<option density='1'/>"), "forces of a fluid"},
    {WORLD("<joint/>", "<equality><connect body1='b'/></equality>"), "<connect> needs an anchor"},
    {WORLD("<joint/>", "<equality><connect body1='c' anchor='0 0 0'/></equality>"),
     "no body named 'c'"},
    {WORLD("<joint name='j'/>", "<equality><joint joint1='j' polycoef='0 0 1'/></equality>"),
     "is not linear"},
    {WORLD("<joint name='j'/>", "<actuator><muscle joint='j'/></actuator>"),
     "an actuator <muscle>"},
    {WORLD("<joint name='j'/>", "<actuator><position joint='j' dampratio='1'/></actuator>"),
     "with dampratio"},
    {WORLD("<joint name='j'/>", "<actuator><motor joint='k'/></actuator>"), "no joint named 'k'"},
    {WORLD("<joint name='j'/>", "<actuator><motor body='b'/></actuator>"), "other than a joint"},
    {WORLD("<joint name='j' actuatorfrcrange='-1 1'/>",
           "<actuator><motor joint='j'/><motor joint='j'/></actuator>"),
     "'j' has a range for the sum of its drives"},
    {WORLD("<joint name='j' actuatorfrcrange='-1 1'/>",
           "<tendon><fixed name='t'><joint joint='j'/></fixed></tendon><actuator><motor "
           "tendon='t'/></actuator>"),
     "'j' has a range for the sum of its drives"},
    {"<mujoco><contact><exclude body1='bal' body2='ball'/></contact><worldbody><geom type='plane' "
     "size='1 1 1'/><body name='ball'><freejoint/><geom type='sphere' size='1'/></body></worldbody>"
     "</mujoco>",
     "<exclude> body1: no body named 'bal'"},
    {WORLD("<joint name='j'/>", "<keyframe><key qpos='0 0'/></keyframe>"), "too many numbers"},
    {WORLD("<joint/><site name='s'/>",
           "<tendon><spatial><site site='s'/><pulley divisor='2'/></spatial></tendon>"),
     "<pulley> in a tendon"},
    {"<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/><geom "
     "type='cylinder' size='1 1'/></body></worldbody></mujoco>",
     "contact of 1 pairs of geoms with what stands still"},
    {"<mujoco><worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
     "mass of a mesh: no such mesh among the assets"},
    {"<mujoco><asset><mesh name='m' file='../m.stl'/></asset><worldbody><body><joint/><geom "
     "type='mesh' mesh='m'/></body></worldbody></mujoco>",
     "'../m.stl' leaves the folder of the robot file"},
};

// what looks like something that is refused, and is not
static const char *const taken[] = {
    WORLD("<joint springdamper='0 1'/>", ""),
    WORLD("<joint springdamper='1 0'/>", ""),
};

static void not_refused(void) {
  char message[HN_MESSAGE];
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!CHECK(import(taken[i], false, message) == HN_OK))
      printf("  %s\n  %s\n", taken[i], message);
}

static void refusals(void) {
  char message[HN_MESSAGE];
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    bool good = CHECK(import(refused[i][0], false, message) != HN_OK) &
                CHECK(strstr(message, refused[i][1]) != NULL) &
                CHECK(strncmp(message, "r.urdf:", 7) == 0);
    if (!good) printf("  %s\n  %s\n", refused[i][0], message);
  }
}

// the model file of a robot file; free() it
static char *written(const char *text, const char *file) {
  char *model = NULL, *report = NULL, message[HN_MESSAGE] = "";
  hn_status status = hn_import_text(text, strlen(text), file, false, &model, &report, message);
  if (!CHECK(status == HN_OK)) printf("  %s\n", message);
  free(report);
  return model;
}

static void check_written(const char *text, const char *const *lines) {
  char *model = written(text, "r.urdf");
  for (; model && *lines; lines++)
    if (!CHECK(strstr(model, *lines) != NULL)) printf("  %s\n%s", *lines, model);
  free(model);
}

// what joints follow may follow others itself, in whatever order they stand: j3 is at 0, j2 at 0.5
// and j1 at twice that
static void followers(void) {
  static const char urdf[] =
      "<robot name='r'><link name='base'/><link name='a'>" INERTIAL
      "</link><link name='b'>" INERTIAL "</link><link name='c'>" INERTIAL "</link>"
      "<joint name='j1' type='continuous'><parent link='base'/><child link='a'/>"
      "<mimic joint='j2' multiplier='2'/></joint>"
      "<joint name='j2' type='continuous'><parent link='a'/><child link='b'/>"
      "<mimic joint='j3' offset='0.5'/></joint>"
      "<joint name='j3' type='continuous'><parent link='b'/><child link='c'/></joint></robot>";
  static const char *const lines[] = {
      "  j1: {type: revolute, b: a, at: [0, 0, 0], axis: [1, 0, 0], value: 1}",
      "  j2: {type: revolute, a: a, b: b, at: [0, 0, 0], axis: [1, 0, 0], value: 0.5}",
      "  j3: {type: revolute, a: b, b: c, at: [0, 0, 0], axis: [1, 0, 0]}", NULL};
  check_written(urdf, lines);
}

// Older files: gravity stands with the physics, axes count in the model, poses in what `frame`
// names. b is turned by a quarter about z, so that x of the model is -y of it. b follows c as 2 (c
// - 0.25) + 1, c starting at 0
static void older_sdf(void) {
  static const char quarter[] = "0 0 0 0 0 1.5707963267948966";
  char text[2000];
  snprintf(text, sizeof text,
           "<sdf version='1.4'><world name='w'><physics><gravity>0 0 -1.5</gravity></physics>"
           "<model name='r'><link name='a'><gravity>0</gravity></link>"
           "<link name='b'><pose>%s</pose></link>"
           "<link name='c'><pose frame='b'>1 0 0 0 0 0</pose></link>"
           "<joint name='jb' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1 0 0"
           "</xyz><mimic joint='jc'><multiplier>2</multiplier><reference>0.25</reference>"
           "<offset>1</offset></mimic></axis></joint>"
           "<joint name='jc' type='prismatic'><parent>b</parent><child>c</child><axis><xyz>0 0 1"
           "</xyz></axis></joint></model></world></sdf>",
           quarter);
  char *model = written(text, "r.sdf");
  hn_model *m = hn_model_create();
  if (CHECK(model && hn_model_parse(m, model, strlen(model), "r.yaml") == HN_OK)) {
    const hn_joint_def *jb = &m->joint[hn_model_find_joint(m, "jb")].def;
    const hn_body_def *c = &m->body[hn_model_find_body(m, "c")].def;
    CHECK_NEAR(m->gravity[2], -1.5, 0);
    // about x of the model, which the turn about it keeps
    CHECK_NEAR(jb->axis[0], 1, 1e-15);
    CHECK_NEAR(jb->value, 0.5, 1e-15);
    // one metre along x of b: y of the model, turned by half a radian about x
    CHECK_NEAR(c->position[0], 0, 1e-15);
    CHECK_NEAR(c->position[1], cos(0.5), 1e-15);
    CHECK_NEAR(c->position[2], sin(0.5), 1e-15);
    int lift = hn_model_find_force(m, "a_lift");
    CHECK(lift >= 0 && strcmp(m->force[lift].def.components[2], "1.5") == 0);
  }
  hn_model_destroy(m);
  free(model);
}

// a file of loops beside the robot file that cannot be understood is no file without loops
static void broken_loops(void) {
  static const struct {
    const char *yaml, *words;
  } cases[] = {{"closed_loop: [[a, b]\n", "loops.yaml:2:1: the file ends before"},
               {"closed_loop: {a: b}\n", "closed_loop: a list of pairs of frames expected"},
               {"other: [1\n", NULL},
               {"closed_loop:\n", NULL}};
  char urdf[600], yaml[600], message[HN_MESSAGE];
  test_scratch(urdf, sizeof urdf, "loops.urdf");
  test_scratch(yaml, sizeof yaml, "loops.yaml");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static const char text[] = ARM(JOINT("continuous", ""));
    char *model, *report;
    FILE *file = fopen(yaml, "w");
    if (!CHECK(file != NULL)) return;
    fputs(cases[i].yaml, file);
    fclose(file);
    hn_status status = hn_import_text(text, strlen(text), urdf, false, &model, &report, message);
    CHECK((status == HN_OK) == !cases[i].words);
    if (cases[i].words && !CHECK(strstr(message, cases[i].words) != NULL))
      printf("  %s\n", message);
    free(model), free(report);
  }
  remove(yaml);
}

static void deep_and_large(void) {
  enum { DEPTH = 100000 };
  char message[HN_MESSAGE], *text = malloc(3 * DEPTH + 1);
  for (int i = 0; i < DEPTH; i++) memcpy(text + 3 * i, "<a>", 4);
  CHECK(import(text, false, message) == HN_ERR_SYNTAX);
  CHECK(strstr(message, "nested too deep") != NULL);
  free(text);
}

// what may be left out is, and the report says so
static void lenient_reading(void) {
  char message[HN_MESSAGE];
  CHECK(import(ARM(JOINT("helical", "")), true, message) == HN_OK);
  CHECK(strstr(message, "left out: joint 'j' has a type that is not read") != NULL);
  CHECK(import(ARM(JOINT("continuous", "") "<coupling name='c'/>"), true, message) == HN_OK);
  CHECK(strstr(message, "left out: <coupling> is not read") != NULL);
  CHECK(import(ARM(JOINT("continuous", "<dynamics friction='0.5'/><odd x='1'/>")), false,
               message) == HN_OK);
  CHECK(strstr(message, "ignored: <odd>") != NULL);
  CHECK(strstr(message, "2 links and 1 joints read as 1 bodies; 0 approximated, 1 ignored") !=
        NULL);
}

// looks that cannot be had are told, and nothing beyond the folder is opened
static void meshes(void) {
#define LOOK(file)                                                                                 \
  "<robot name='r'><link name='base'/><link name='arm'>" INERTIAL                                  \
  "<visual><geometry><mesh filename='" file                                                        \
  "'/></geometry></visual></link>" JOINT("continuous", "") "</robot>"
  static const char *const cases[][2] = {
      {LOOK("../wedge.obj"), "mesh '../wedge.obj' leaves the folder of the robot file: not drawn"},
      {LOOK("/etc/passwd"), "mesh '/etc/passwd' leaves the folder"},
      {LOOK("package://a/b/../../x.stl"), "mesh 'b/../../x.stl' leaves the folder"},
      {LOOK("file:///x.stl"), "mesh 'file:///x.stl' leaves the folder"},
      {LOOK("missing.stl"),
       "mesh missing.stl: cannot be read: No such file or directory: not drawn"},
      {LOOK("README.md"),
       "mesh README.md: meshes are read from .stl, .obj and .dae files: not drawn"},
      {LOOK("package://a/tests"), "mesh tests: is no file: not drawn"}};
  char message[HN_MESSAGE];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CHECK(import(cases[i][0], false, message) == HN_OK);
    if (!CHECK(strstr(message, cases[i][1]) != NULL)) printf("  %s\n", message);
  }
}

// the model file says what the file is called, whatever that is
static void odd_names(void) {
  static const char stl[] = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                            "vertex 0 1 0\nendloop\nendfacet\nendsolid\n";
  static const char text[] = LOOK("a&quot;b&#9;.stl");
  char urdf[600], mesh[600];
  test_scratch(urdf, sizeof urdf, "odd.urdf");
  test_scratch(mesh, sizeof mesh, "a\"b\t.stl");
  FILE *file = fopen(mesh, "w");
  if (!CHECK(file != NULL)) return;
  fputs(stl, file);
  fclose(file);
  char *model = written(text, urdf);
  hn_model *m = hn_model_create();
  CHECK(model && hn_model_parse(m, model, strlen(model), urdf) == HN_OK);
  CHECK(m->mesh_count == 1 && strcmp(m->mesh[0].path, mesh) == 0);
  hn_model_destroy(m);
  free(model);
  remove(mesh);
}

// ---- limits and friction -------------------------------------------------------------------

static rig open_text(const char *text) {
  char message[HN_MESSAGE] = "", *model = NULL, *report = NULL;
  rig r = {.status = HN_ERR_MODEL};
  if (CHECK(hn_import_text(text, strlen(text), "r.xml", false, &model, &report, message) == HN_OK))
    r = rig_open(model, (how){0});
  else
    printf("  %s\n", message);
  free(model), free(report);
  rig_ready(&r);
  return r;
}

#define SLIDE(joint, sections)                                                                     \
  "<mujoco><option gravity='0 0 0'/>" sections                                                     \
  "<worldbody><body name='b'><joint name='j' type='slide' axis='1 0 0' " joint                     \
  "/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody>"                      \
  "<keyframe><key qvel='1.5'/></keyframe></mujoco>"

// a slide that runs into the end of its range stays there; one that rubs stops after m v / F and
// m v^2 / 2 F, and stays as well
static void ends_of_motion(void) {
  static const struct {
    const char *text;
    double t[2], x[2];
  } cases[] = {
      {SLIDE("range='-1 0.6'", ""), {0.2, 2}, {0.3, 0.6}},
      {SLIDE("range='-1 0.6'", "<option><flag limit='disable'/></option>"), {0.2, 2}, {0.3, 3}},
      {SLIDE("frictionloss='3'", ""), {0.5, 4}, {1.5 * 0.5 - 0.75 * 0.25, 0.75}},
      {SLIDE("frictionloss='3'", "<option><flag frictionloss='disable'/></option>"),
       {0.5, 4},
       {0.75, 6}},
  };
  for (int i = 0; i < 4; i++) {
    rig r = open_text(cases[i].text);
    for (int k = 0; k < 2 && r.sim && rig_go(&r, cases[i].t[k]); k++) {
      double rate;
      CHECK_NEAR(rig_value(&r, "j", &rate), cases[i].x[k], 1e-9);
      if (k == 1 && i % 2 == 0) CHECK_NEAR(rate, 0, 1e-12);
    }
    rig_close(&r);
  }
}

#define DROP(way, limit)                                                                           \
  "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>2</mass></inertial></link>"   \
  "<joint name='j' type='prismatic'><parent>world</parent><child>a</child><axis><xyz>0 0 " way     \
  "</xyz><limit>" limit "</limit></axis></joint></model></sdf>"

// a limit to one side only: a mass that falls comes to rest there, or falls on
static void limits_to_one_side(void) {
  static const struct {
    const char *text;
    double x;
  } cases[] = {{DROP("1", "<lower>-0.5</lower>"), -0.5},
               {DROP("-1", "<upper>0.5</upper>"), 0.5},
               {DROP("1", "<upper>0.5</upper>"), -4.9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r = open_text(cases[i].text);
    if (r.sim && rig_go(&r, 1)) CHECK_NEAR(rig_value(&r, "j", NULL), cases[i].x, 1e-9);
    rig_close(&r);
  }
}

// A rod that falls from the horizontal, of 1 kg with its centre at 1 m and 4/3 kg m^2 about its
// hinge. A torque of 10 N m holds it, one of 8 lets it go; then w^2/2 * 4/3 = 9.81 sin(x) - 8 x. It
// comes to rest where that is zero, or at its limit
#define ROD(inner)                                                                                 \
  "<robot name='r'><link name='base'/><link name='arm'><inertial><origin xyz='1 0 0'/><mass "      \
  "value='1'/><inertia ixx='0.01' iyy='0.333333333333333333' izz='0.333333333333333333'/>"         \
  "</inertial></link><joint name='j' type='revolute'><parent link='base'/><child link='arm'/>"     \
  "<axis xyz='0 1 0'/>" inner "</joint></robot>"
#define UP_TO(x) "<limit lower='-1' upper='" x "' effort='1' velocity='1'/>"
static void rods_fall(void) {
  double rest = 1.5;
  for (int i = 0; i < 50; i++) rest -= (9.81 * sin(rest) - 8 * rest) / (9.81 * cos(rest) - 8);
  const struct {
    const char *text;
    double end;
  } cases[] = {{ROD("<dynamics friction='10'/>"), 0},
               {ROD("<dynamics friction='8'/>"), rest},
               {ROD(UP_TO("0.7")), 0.7},
               {ROD("<dynamics friction='8'/>" UP_TO("0.7")), 0.7}};
  for (int i = 0; i < 4; i++) {
    rig r = open_text(cases[i].text);
    if (r.sim && rig_go(&r, 6)) {
      double rate;
      hn_impact hit;
      CHECK_NEAR(rig_value(&r, "j", &rate), cases[i].end, 1e-7);
      CHECK_NEAR(rate, 0, 1e-12);
      if (i == 2 && CHECK(hn_sim_impact(r.sim, 0, &hit)))
        CHECK_NEAR(fabs(hit.before), sqrt(2 * 9.81 * sin(0.7) * 0.75), 1e-7);
    }
    rig_close(&r);
  }
}

// starts beyond the limits: URDF tells none, MJCF does
static void starts_beyond(void) {
  char message[HN_MESSAGE];
  const char *urdf = ROD("<limit lower='0.5' upper='0.7' effort='1' velocity='1'/>");
  rig r = open_text(urdf);
  if (r.sim) CHECK_NEAR(rig_value(&r, "j", NULL), 0.6, 1e-12);
  rig_close(&r);
  CHECK(import(urdf, false, message) == HN_OK);
  CHECK(strstr(message, "approximated: 'j' starts at 0.6 rad: zero is beyond its limits") != NULL);
  CHECK(import(SLIDE("range='0.2 0.6'", ""), false, message) == HN_OK);
  CHECK(strstr(message, "starts at 0, beyond its limits 0.2 to 0.6, which are not enforced"));
  // at either end it is not beyond them
  static const char *const ends[] = {SLIDE("range='0 0.6'", ""), SLIDE("range='-0.6 0'", "")};
  for (int i = 0; i < 2; i++) {
    CHECK(import(ends[i], false, message) == HN_OK);
    CHECK(!strstr(message, "beyond its limits"));
  }
}

// ---- contact -------------------------------------------------------------------------------

#define FALLS(ground, geom)                                                                        \
  "<mujoco><compiler angle='radian'/><worldbody>" ground                                           \
  "<body name='b' pos='0 0 1'><freejoint/><geom name='ball' mass='2' " geom                        \
  "/></body></worldbody></mujoco>"
#define PLANE "<geom name='floor' type='plane' size='5 5 0.1' "

static double column_of(rig *r, const char *name) {
  double *row = calloc((size_t)hn_column_count(r->system) + 1, sizeof *row), x = NAN;
  CHECK(hn_sim_row(r->sim, row) == HN_OK);
  for (int i = 0; i < hn_column_count(r->system); i++)
    if (!strcmp(hn_column_name(r->system, i), name)) x = row[i];
  free(row);
  return x;
}

// what falls comes to rest where it must: on the surface, or as deep in it as its weight presses
static void falls(void) {
  static const struct {
    const char *text;
    double height, tolerance;
  } cases[] = {
      {FALLS(PLANE "condim='1'/>", "size='0.1' condim='1'"), 0.1, 1e-9},
      {FALLS(PLANE "condim='1'/>", "type='capsule' size='0.1 0.3' euler='0 1.5707963267948966 0' "
                                   "condim='1'"),
       0.1, 1e-9},
      {FALLS(PLANE "condim='1'/>", "type='box' size='0.2 0.1 0.15' condim='1'"), 0.15, 1e-9},
      // 2 kg on springs of 2 kg / (0.02 s)^2: four corners, one ball
      {FALLS(PLANE "/>", "type='box' size='0.2 0.1 0.15'"), 0.15 - 9.81 * 1e-4, 1e-6},
      {FALLS("<geom type='box' size='1 1 0.2' condim='1'/>", "size='0.1' condim='1'"), 0.3, 1e-9},
      {FALLS("<geom type='capsule' size='0.2 1' euler='1.5707963267948966 0 0' condim='1'/>",
             "size='0.1' condim='1'"),
       0.3, 1e-9},
      {FALLS("<geom size='0.25' condim='1'/>", "size='0.1' condim='1'"), 0.35, 1e-9},
      {FALLS(PLANE "/>", "size='0.1'"), 0.1 - 9.81 * 0.02 * 0.02, 1e-6},
      {FALLS(PLANE "friction='0'/>", "size='0.1' friction='0'"), 0.1, 1e-9},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r = open_text(cases[i].text);
    if (r.sim && rig_go(&r, 1.5) &&
        !CHECK_NEAR(column_of(&r, "b.z"), cases[i].height, cases[i].tolerance))
      printf("  case %zu\n", i);
    rig_close(&r);
  }
}

// a box on a slope of 0.5 rad slides as Coulomb's law says; where it should hold it creeps with the
// speed at which smooth friction bears it, 1 mm/s artanh(tan(0.5)/0.6)
static void slides(void) {
#define SLOPE(mu)                                                                                  \
  "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='5 5 1' euler='0 0.5 0' "  \
  "friction='" mu "'/><body name='b' pos='0.0479425538604203 0 0.08775825618903728' "              \
  "euler='0 0.5 0'><freejoint/><geom type='box' size='0.2 0.2 0.1' friction='" mu                  \
  "'/></body></worldbody></mujoco>"
  static const char *const text[] = {SLOPE("0.6"), SLOPE("0.4")};
  for (int i = 0; i < 2; i++) {
    rig r = open_text(text[i]);
    double rate = i ? 9.81 * (sin(0.5) - 0.4 * cos(0.5)) : 1e-3 * atanh(tan(0.5) / 0.6);
    if (r.sim && rig_go(&r, 1)) {
      double before = column_of(&r, "b.vx"), x = column_of(&r, "b.x");
      if (i == 0) CHECK_NEAR(before / cos(0.5), rate, 1e-6);
      if (rig_go(&r, 1.5) && i)
        CHECK_NEAR((column_of(&r, "b.vx") - before) / cos(0.5), 0.5 * rate, 1e-6);
      CHECK(column_of(&r, "b.x") > x);
    }
    rig_close(&r);
  }
}

// who meets whom: masks, pairs, exclusions, relatives
static void meetings(void) {
#define TWO(geom, more)                                                                            \
  "<mujoco><worldbody>" PLANE "/><body name='b' pos='0 0 1'><freejoint/><geom name='g' size='0.1'" \
  " condim='1' " geom "/></body></worldbody>" more "</mujoco>"
  static const struct {
    const char *text;
    int stops, yielding;
  } cases[] = {{TWO("", ""), 0, 1},
               {TWO("contype='0' conaffinity='0'", ""), 0, 0},
               {TWO("contype='2' conaffinity='2'", ""), 0, 0},
               {TWO("contype='2' conaffinity='3'", ""), 0, 1},
               {TWO("contype='0' conaffinity='0'",
                    "<contact><pair geom1='g' geom2='floor' condim='1'/></contact>"),
                1, 0},
               {TWO("", "<contact><exclude body1='world' body2='b'/></contact>"), 0, 0},
               {TWO("", "<option><flag contact='disable'/></option>"), 0, 0},
               {WORLD("<joint/><geom size='1'/><body><joint/><geom size='1'/></body>", ""), 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char message[HN_MESSAGE] = "", *model = NULL, *report = NULL;
    int stops = 0, yielding = 0;
    const char *text = cases[i].text;
    CHECK(hn_import_text(text, strlen(text), "r.xml", false, &model, &report, message) == HN_OK);
    for (const char *s = model; s && (s = strstr(s, "type: stop")); s++) stops++;
    for (const char *s = model; s && (s = strstr(s, "type: contact")); s++) yielding++;
    if (!CHECK(stops == cases[i].stops && yielding == cases[i].yielding))
      printf("  case %zu: %d stops, %d yielding; %s\n", i, stops, yielding, message);
    free(model), free(report);
  }
}

// ---- damaged files -------------------------------------------------------------------------

static void damage(char *text, size_t *length) {
  static const char *const piece[] = {
      "<",     ">",     "\"", "/",     "1e308", "-",   "nan", "<link name='x'/>",
      "0 0 0", "&amp;", "=",  "fixed", "\xff",  "base"};
  for (int k = (int)test_random(0, 1.999); k < 2; k++) {
    size_t at = (size_t)test_random(0, (double)*length - 1), from;
    const char *put = piece[(size_t)test_random(0, 13.999)];
    switch ((int)test_random(0, 4.999)) {
    case 0:  // another character, of a number another digit
      text[at] = (char)(text[at] >= '0' && text[at] <= '9' ? test_random('0', '9' + 0.99)
                                                           : test_random(1, 127));
      break;
    case 1:  // left out
      from = at + (size_t)test_random(0, 40);
      if (from > *length) from = *length;
      memmove(text + at, text + from, *length - from + 1);
      *length -= from - at;
      break;
    case 2:  // put in
      memmove(text + at + strlen(put), text + at, *length - at + 1);
      memcpy(text + at, put, strlen(put));
      *length += strlen(put);
      break;
    default:  // moved
      from = (size_t)test_random(0, (double)*length - 1);
      for (size_t i = 0; i < 20 && from + i < *length && at + i < *length; i++)
        text[at + i] = text[from + i];
    }
    if (*length < 2) return;
  }
}

// whatever is read, it is refused with a sentence or becomes a model file that can be read
static void read_damaged(const char *text, size_t length, const char *path, bool lenient,
                         int count[2]) {
  char message[HN_MESSAGE] = "", *model, *report;
  if (hn_import_text(text, length, path, lenient, &model, &report, message) != HN_OK) {
    if (!CHECK(strstr(message, path) == message)) printf("  %s\n", message);
    return;
  }
  hn_model *m = hn_model_create();
  count[0]++;
  if (hn_model_parse(m, model, strlen(model), "damaged") != HN_OK) count[1]++;
  hn_model_destroy(m);
  free(model), free(report);
}

// some letters damaged
static void damage_letters(const char *text, size_t length, const char *path, int count[2]) {
  const char *rounds = getenv("HN_ROBOT_ROUNDS");
  char *copy = malloc(length + 4 * 32 + 1);
  for (int k = 0; k < (rounds ? atoi(rounds) : 40); k++) {
    size_t n = length;
    memcpy(copy, text, length + 1);
    damage(copy, &n);
    read_damaged(copy, n, path, k % 2, count);
  }
  free(copy);
}

// every value in turn, quoted or between tags, becomes something else
static void damage_values(const char *text, size_t length, const char *path, int count[2]) {
  static const char *const other[] = {"", "x", "-1", "nan", "0", "1 2 3", "true"};
  enum { OTHERS = sizeof other / sizeof *other };
  char *copy = malloc(length + 16);
  int k = (int)(length % OTHERS);
  for (const char *p = text; *p; p++) {
    if (!strchr("\"'>", *p)) continue;
    const char *start = p + 1, *end = start + strcspn(start, *p == '>' ? "<" : "\"'>");
    if (end == start || start[strspn(start, " \n\t")] == '<' || !*end) continue;
    int n = sprintf(copy, "%.*s%s%s", (int)(start - text), text, other[k++ % OTHERS], end);
    read_damaged(copy, (size_t)n, path, k % 2, count);
    p = *p == '>' ? end - 1 : end;
  }
  free(copy);
}

static void damaged_files(void) {
  DIR *folder = opendir("tests/robots");
  int count[2] = {0};
  for (struct dirent *e; folder && (e = readdir(folder));) {
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || !hn_word_in(dot, ".urdf .xml .sdf")) continue;
    char path[300], message[HN_MESSAGE] = "", *text;
    size_t length;
    snprintf(path, sizeof path, "tests/robots/%s", e->d_name);
    if (!CHECK(hn_load_file(&text, &length, path, message) == HN_OK)) continue;
    damage_letters(text, length, path, count);
    damage_values(text, length, path, count);
    free(text);
  }
  if (folder) closedir(folder);
  printf("%d damaged files were read, the models of %d refused\n", count[0], count[1]);
  CHECK(count[0] > 0);
}

int main(void) {
  RUN(robots);
  RUN(refusals);
  RUN(not_refused);
  RUN(followers);
  RUN(older_sdf);
  RUN(broken_loops);
  RUN(deep_and_large);
  RUN(lenient_reading);
  RUN(meshes);
  RUN(odd_names);
  RUN(ends_of_motion);
  RUN(limits_to_one_side);
  RUN(rods_fall);
  RUN(starts_beyond);
  RUN(falls);
  RUN(slides);
  RUN(meetings);
  RUN(damaged_files);
  return test_end();
}
