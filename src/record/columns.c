// columns.c: which quantities are recorded, by name, and what stands in each of them at an instant.
// Columns are made once, when a model is compiled; reading them is part of every recorded row, so
// it allocates nothing and looks nothing up by name.
#include "record/columns.h"

#include "base/elementary.h"
#include "record/computed.h"
#include "system/coordinates/coordinates.h"
#include "system/transmission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct list {
  hn_system *sys;    // gets the columns
  hn_model *model;   // patterns of its output, computed columns; messages go there
  int capacity;      // of sys->column
  int frames;        // room for them
  bool *used;        // output patterns that matched something
  hn_names read;     // by formulas: these are wanted in any case
  hn_status status;  // of the first failure; nothing is added after it
} list;

// is the last part of the pattern a word of its own?
// "*.ax" asks for accelerations, "crank.*" only for what there is anyhow.
static bool names_quantity(const char *pattern) {
  const char *dot = strrchr(pattern, '.');
  return dot && dot[1] != '*' && dot[1] != '?';
}

// names are put together by hand: large models have millions of them, and studies make them anew
// for every run
static void append(char *out, size_t size, const char *text) {
  size_t n = strlen(out), m = strlen(text);
  // too long a name is cut off, at its end; size holds the zero as well
  if (m > size - 1 - n) m = size - 1 - n;
  memcpy(out + n, text, m);
  out[n + m] = 0;
}

static void put(char *out, size_t size, const char *a, const char *b) {
  out[0] = 0;
  append(out, size, a);
  append(out, size, b);
}

// element.quantity, or the element alone
static void join(char *out, size_t size, const char *element, const char *quantity) {
  put(out, size, element, *quantity ? "." : "");
  append(out, size, quantity);
}

// can a pattern match what begins like this? Studies ask for few columns of many, and mostly by
// name
static bool may_match(const char *pattern, const char *beginning) {
  for (; *beginning; pattern++, beginning++) {
    if (*pattern == '*' || *pattern == '?') return true;  // the rest may be anything
    if (*pattern != *beginning) return false;
  }
  // the beginning is over first: the pattern goes on, or is the element's own name
  return true;
}

// certainly not wanted, by the name of its element alone
static bool is_unasked(const list *l, const char *element, hn_column_kind kind) {
  // these two are never left out
  if (l->model->output_count == 0 || kind == HN_COL_TIME || kind == HN_COL_COMPUTED) return false;
  // poses are kept, and formulas may read any column: names must be looked at one by one
  if (l->model->keep_poses || l->read.count) return false;
  for (int i = 0; i < l->model->output_count; i++)
    if (may_match(l->model->output[i], element)) return false;
  return true;
}

// A column is wanted if nobody asked for anything in particular, if a pattern matches its name, or
// if a formula reads it. `quantity` "": the element's name is that of the column.
static void add(list *l, const char *element, const char *quantity, const char *unit,
                hn_column_kind kind, int index, int sub, int batch) {
  // names of elements have 63 letters at most, of frames two of them stand here
  char name[160];
  if (l->status || is_unasked(l, element, kind)) return;
  join(name, sizeof name, element, quantity);
  bool asked = kind >= HN_COL_ACCELERATION && kind <= HN_COL_POWER;  // by their order in columns.h
  bool wanted = (l->model->output_count == 0 && !asked) || kind == HN_COL_TIME ||
                kind == HN_COL_COMPUTED || hn_names_have(&l->read, name);
  // no early end: each pattern that matches has to be marked, or it would be refused as idle
  for (int i = 0; i < l->model->output_count; i++)
    if (hn_glob(l->model->output[i], name) && (!asked || names_quantity(l->model->output[i])))
      wanted = l->used[i] = true;
  bool pose = kind >= HN_COL_POSITION && kind <= HN_COL_QUATERNION;
  // modes are part of how flexible bodies look
  if (kind == HN_COL_SCALAR) pose = l->model->flexible_count > 0;
  wanted = wanted || (l->model->keep_poses && pose);
  if (!wanted) return;
  hn_system *sys = l->sys;
  if (!hn_grow((void **)&sys->column, &l->capacity, sys->columns, sizeof *sys->column)) {
    l->status = HN_ERR_MEMORY;
    return;
  }
  hn_column *c = &sys->column[sys->columns];
  // units are constants of the tables or live as long as the system
  *c = (hn_column){hn_strdup(name), unit, kind, index, (short)sub, HN_STANDS_NOWHERE, batch};
  hn_column_find(sys, c);
  if (!c->name)
    l->status = HN_ERR_MEMORY;
  else
    sys->columns++;
}

// names of quantities are part of result files: docs/columns.md lists them
static const char *const axis[3] = {"x", "y", "z"};
static const char *const vaxis[3] = {"vx", "vy", "vz"};
static const char *const waxis[3] = {"wx", "wy", "wz"};
static const char *const quaternion[4] = {"q0", "q1", "q2", "q3"};
static const char *const force[3] = {"fx", "fy", "fz"};
static const char *const torque[3] = {"tx", "ty", "tz"};
static const char *const local_force[3] = {"local_fx", "local_fy", "local_fz"};
static const char *const local_torque[3] = {"local_tx", "local_ty", "local_tz"};

// coordinates of blocks are bodies, too; block_columns() has their names
static void body_columns(list *l, int i) {
  const hn_sys_body *b = &l->sys->body[i];
  if (b->kind == HN_SCALAR || is_unasked(l, b->info->name, HN_COL_POSITION)) return;
  // a flat model moves in x, y and turns about z: other columns would be zeros
  int axes = hn_flat(b) ? 2 : 3;
  for (int k = 0; k < axes; k++) add(l, b->info->name, axis[k], "m", HN_COL_POSITION, i, k, 0);
  if (b->kind == HN_PLANAR) add(l, b->info->name, "angle", "rad", HN_COL_ANGLE, i, 0, 0);
  if (b->kind == HN_SPATIAL)
    for (int k = 0; k < 4; k++)
      add(l, b->info->name, quaternion[k], "", HN_COL_QUATERNION, i, k, 0);
  for (int k = 0; k < axes; k++) add(l, b->info->name, vaxis[k], "m/s", HN_COL_VELOCITY, i, k, 0);
  // sub 2: it is the third of the pose's angular velocity also in the plane
  if (b->kind == HN_PLANAR) add(l, b->info->name, "omega", "rad/s", HN_COL_SPIN, i, 2, 0);
  if (b->kind == HN_SPATIAL)
    for (int k = 0; k < 3; k++) add(l, b->info->name, waxis[k], "rad/s", HN_COL_SPIN, i, k, 0);
}

// Frames have columns only if asked for, so that only those which do are copied into the system.
static void frame_columns(list *l, const hn_sys_body *b, int body) {
  static const char *const linear[3] = {"ax", "ay", "az"};
  hn_system *sys = l->sys;
  int axes = hn_flat(b) ? 2 : 3;
  for (int f = 0; f < l->model->frame_count; f++) {
    const hn_frame_def *def = &l->model->frame[f].def;
    char name[160];
    if (def->body.id != body) continue;  // of another body
    join(name, sizeof name, b->info->name, def->name);
    // of this frame nothing is wanted if no column came of it
    int before = sys->columns, k = sys->column_frames;
    for (int i = 0; i < axes; i++) add(l, name, axis[i], "m", HN_COL_FRAME, body, i, k);
    for (int i = 0; i < axes; i++) add(l, name, vaxis[i], "m/s", HN_COL_FRAME, body, 3 + i, k);
    for (int i = 0; i < axes; i++)
      add(l, name, linear[i], "m/s^2", HN_COL_FRAME_ACCELERATION, body, i, k);
    for (int i = 0; b->kind == HN_SPATIAL && i < 3; i++)
      add(l, name, waxis[i], "rad/s", HN_COL_FRAME_SPIN, body, i, k);
    if (sys->columns == before || l->status) continue;
    if (!hn_grow((void **)&sys->column_frame, &l->frames, k, sizeof *sys->column_frame)) {
      l->status = HN_ERR_MEMORY;
      return;
    }
    // copied: the system keeps nothing of the model
    v3_copy(sys->column_frame[k].position, def->position);
    memcpy(sys->column_frame[k].orientation, def->orientation, sizeof def->orientation);
    sys->column_frames++;
  }
}

// what is recorded only when it is asked for by name
// accelerations cost a solution of the whole system where the method has none at hand
static void asked_columns(list *l, int i) {
  static const char *const linear[3] = {"ax", "ay", "az"};
  static const char *const angular[3] = {"alphax", "alphay", "alphaz"};
  static const char *const euler[3] = {"roll", "pitch", "yaw"};
  static const char *const local[3] = {"local_wx", "local_wy", "local_wz"};
  const hn_sys_body *b = &l->sys->body[i];
  const char *name = b->info->name;
  if (b->kind == HN_SCALAR || is_unasked(l, name, HN_COL_ACCELERATION)) return;
  for (int k = 0; k < (hn_flat(b) ? 2 : 3); k++)
    add(l, name, linear[k], "m/s^2", HN_COL_ACCELERATION, i, k, 0);
  // 5: the third of the angular ones
  if (b->kind == HN_PLANAR) add(l, name, "alpha", "rad/s^2", HN_COL_ACCELERATION, i, 5, 0);
  for (int k = 0; b->kind == HN_SPATIAL && k < 3; k++) {
    add(l, name, angular[k], "rad/s^2", HN_COL_ACCELERATION, i, 3 + k, 0);
    add(l, name, euler[k], "rad", HN_COL_EULER, i, k, 0);
    add(l, name, local[k], "rad/s", HN_COL_LOCAL_SPIN, i, k, 0);
  }
  frame_columns(l, b, i);
}

// names of joints' and forces' own quantities, which are asked for as well
static void asked_of_elements(list *l) {
  const hn_system *sys = l->sys;
  char name[64];
  for (int i = 0; i < sys->joints; i++)
    for (int k = 0; k < sys->joint[i].coordinates; k++) {
      const hn_coordinate *c = &sys->joint[i].coordinate[k];
      put(name, sizeof name, c->name, "_acceleration");
      add(l, sys->joint[i].name, name, c->angular ? "rad/s^2" : "m/s^2", HN_COL_JOINT_ACCELERATION,
          i, k, 0);
    }
  for (int i = 0; i < sys->joints; i++)
    add(l, sys->joint[i].name, "power", "W", HN_COL_POWER_OF_JOINT, i, 0, 0);
  for (int i = 0; i < sys->batches; i++)
    for (int e = 0; e < sys->batch[i].count; e++) {
      add(l, sys->batch[i].name[e], "power", "W", HN_COL_POWER, e, 0, i);
      add(l, sys->batch[i].name[e], "dissipation", "W", HN_COL_DISSIPATION, e, 0, i);
    }
}

// each coordinate of a block is a body with one number
static void block_columns(list *l, const hn_sys_block *b) {
  char name[80];
  for (int k = 0; k < b->n; k++) {
    int body = b->body + k;
    // index is that of the body: its place in q is in there
    add(l, b->name, b->label[k], b->unit[k], HN_COL_SCALAR, body, 0, 0);
    put(name, sizeof name, b->label[k], "_rate");
    add(l, b->name, name, b->rate_unit[k], HN_COL_SCALAR_RATE, body, 0, 0);
  }
}

// forces of transmissions as vectors: between teeth and where, or on the b of either joint
static void action_columns(list *l, int i, bool planar) {
  static const char *const point[3] = {"px", "py", "pz"};
  // a transmission's row has a term for each shaft, in the order first, second
  const hn_system *sys = l->sys;
  const hn_sys_joint *j = &sys->joint[i];
  const hn_row *row = &sys->row[j->coupler - 1];
  for (int side = 0; side < (j->mesh ? 1 : 2); side++) {
    const hn_measure *m = &sys->measure[sys->term[row->first_term + side].measure];
    // a displacement along a direction: a force belongs to it; the other measures are turns
    bool turns = !j->mesh && m->type != HN_M_DOT2;
    // blocks have no place
    const char *suffix = j->mesh ? "" : (side == 0) == j->first_is_a ? "_a" : "_b";
    char name[16];
    // block's coordinate
    if (m->type == HN_M_COORDINATE) continue;
    for (int k = planar && turns ? 2 : 0; k < (planar && !turns ? 2 : 3); k++) {
      put(name, sizeof name, turns ? torque[k] : force[k], suffix);
      // an action is 9 numbers: force, torque, point
      add(l, j->name, name, turns ? "N m" : "N", HN_COL_ACTION, i, 9 * side + (turns ? 3 : 0) + k,
          0);
    }
    for (int k = 0; !turns && k < (planar ? 2 : 3); k++) {
      put(name, sizeof name, point[k], suffix);
      add(l, j->name, name, "m", HN_COL_ACTION, i, 9 * side + 6 + k, 0);
    }
  }
}

// nothing of it leaves the plane: bodies that stand still count as flat
static bool planar_row(const hn_system *sys, const hn_sys_joint *j) {
  const hn_row *row = &sys->row[j->coupler - 1];
  bool flat = true;
  for (int k = 0; k < row->terms; k++) {
    const hn_measure *m = &sys->measure[sys->term[row->first_term + k].measure];
    const hn_sys_body *a = &sys->body[m->a], *b = &sys->body[m->b];
    flat &= (a->nv == 0 || hn_flat(a)) && (b->nv == 0 || hn_flat(b));
  }
  return flat;
}

static void joint_columns(list *l, int i) {
  const hn_system *sys = l->sys;
  const hn_sys_joint *j = &sys->joint[i];
  static const hn_group none = {0};
  if (is_unasked(l, j->name, HN_COL_COORDINATE)) return;
  const hn_group *g = j->group >= 0 ? &sys->group[j->group] : &none;
  // in relative coordinates joints may need no rows: their reactions follow from the motion
  bool tree = j->group < 0 && sys->coordinates->wrench;  // a mobilizer: reactions without rows
  char name[32];
  for (int k = 0; k < j->coordinates; k++) {
    const hn_coordinate *c = &j->coordinate[k];
    add(l, j->name, c->name, c->angular ? "rad" : "m", HN_COL_COORDINATE, i, k, 0);
    put(name, sizeof name, c->name, "_rate");
    add(l, j->name, name, c->angular ? "rad/s" : "m/s", HN_COL_RATE, i, k, 0);
  }
  if (!g->rows && !tree) return;  // nothing holds here, so nothing reacts
  bool placed = hn_joint_is_placed(j), planar = hn_joint_is_flat(sys, j);
  // in the plane forces have x and y, and a torque only z
  for (int k = 0; placed && k < (planar ? 2 : 3); k++)
    add(l, j->name, force[k], "N", HN_COL_FORCE, i, k, 0);
  for (int k = planar ? 2 : 0; placed && k < 3; k++)
    add(l, j->name, torque[k], "N m", HN_COL_TORQUE, i, k, 0);
  // axes of the joint: in the plane they are a turn about z away, and say nothing new
  if (!planar && placed) {
    for (int k = 0; k < 3; k++) add(l, j->name, local_force[k], "N", HN_COL_LOCAL_FORCE, i, k, 0);
    for (int k = 0; k < 3; k++)
      add(l, j->name, local_torque[k], "N m", HN_COL_LOCAL_TORQUE, i, k, 0);
  }
  if (j->coupler) action_columns(l, i, planar_row(sys, j));
  // forces that belong to single rows: given by components, or of no place in space
  if (j->components || !placed)
    for (int r = g->row0; r < g->row0 + g->rows; r++) {
      put(name, sizeof name, "lambda_", strrchr(sys->row_name[r], '.') + 1);
      add(l, j->name, name, sys->angular_row[r] ? "N m" : "N", HN_COL_MULTIPLIER, r, 0, 0);
    }
}

// rows that keep bodies rigid, where somebody asks for one
static void rigid_columns(list *l) {
  const hn_system *sys = l->sys;
  // without patterns none is recorded: there may be thousands, and few know what they mean
  for (int r = 0; l->model->output_count > 0 && r < sys->rows; r++) {
    const char *row = strrchr(sys->row_name[r], '.');
    char body[64], name[32];
    if (sys->row_joint[r] != sys->joints || !row) continue;  // a row of a joint: see above
    // row names are "body.row"
    snprintf(body, sizeof body, "%.*s", (int)(row - sys->row_name[r]), sys->row_name[r]);
    put(name, sizeof name, "lambda_", row + 1);
    add(l, body, name, "", HN_COL_MULTIPLIER, r, 0, 0);
  }
}

// batches are elements of one type; the type names what it tells, up to the first NULL
static void force_columns(list *l) {
  const hn_system *sys = l->sys;
  for (int i = 0; i < sys->batches; i++) {
    const hn_batch *b = &sys->batch[i];
    if (!b->ops->column) continue;
    for (int e = 0; e < b->count; e++) {
      const char *name, *unit = "";
      const void *data = b->data + (size_t)e * b->ops->data_size;
      for (int k = 0; (name = b->ops->column(data, k, &unit)); k++)
        add(l, b->name[e], name, unit, HN_COL_ELEMENT, e, k, i);
    }
  }
}

// "left.x" is the signal x of the part `left`, and a place of the body `left`: only where there is
// such an element the columns are looked through
static bool is_ambiguous(const list *l, const char *name) {
  char element[64];
  const char *dot = strrchr(name, '.');
  size_t length = dot ? (size_t)(dot - name) : 0;
  if (!dot || length >= sizeof element) return false;
  memcpy(element, name, length);
  element[length] = 0;
  if (hn_model_find_body(l->model, element) < 0 && hn_model_find_joint(l->model, element) < 0 &&
      hn_model_find_force(l->model, element) < 0 && hn_model_find_block(l->model, element) < 0)
    return false;
  for (int i = 0; i < l->sys->columns; i++)
    if (strcmp(l->sys->column[i].name, name) == 0) return true;
  return false;
}

static void signal_columns(list *l) {
  for (int i = 0; i < l->sys->named && !l->status; i++) {
    const char *name = l->sys->named_signal[i].name;
    if (is_ambiguous(l, name))
      l->status = hn_model_fail(l->model, (hn_place){0}, HN_ERR_MODEL,
                                "signal '%.60s': another element has a column of this name (rename "
                                "the signal, or the part it is in)",
                                name);
    add(l, name, "", l->sys->named_signal[i].unit, HN_COL_SIGNAL, i, 0, 0);
  }
}

static void whole_columns(list *l) {
  add(l, "energy", "kinetic", "J", HN_COL_KINETIC, 0, 0, 0);
  add(l, "energy", "potential", "J", HN_COL_POTENTIAL, 0, 0, 0);
  add(l, "energy", "work", "J", HN_COL_WORK, 0, 0, 0);
  add(l, "energy", "total", "J", HN_COL_TOTAL, 0, 0, 0);
  add(l, "energy", "balance", "J", HN_COL_BALANCE, 0, 0, 0);
  add(l, "constraints", "power", "W", HN_COL_JOINT_POWER, 0, 0, 0);
  add(l, "constraints", "work", "J", HN_COL_JOINT_WORK, 0, 0, 0);
  add(l, "residual", "position", "", HN_COL_PHI, 0, 0, 0);
  add(l, "residual", "velocity", "", HN_COL_PSI, 0, 0, 0);
  add(l, "residual", "position_sq", "", HN_COL_PHI_SQUARED, 0, 0, 0);
  add(l, "residual", "velocity_sq", "", HN_COL_PSI_SQUARED, 0, 0, 0);
}

// what is listed is checked, and may fail to mean anything, whether somebody reads it or not
static bool only_time(const hn_system *sys, const hn_model *model) {
  return model->unread && !model->output_count && !model->column_count && !model->keep_poses &&
         !model->beam_count && !sys->named;
}

// Columns of large models are millions of names, and a row of them as many numbers.
static void all_columns(list *l) {
  // order of columns in files: time, bodies, blocks, joints, forces, signals, the whole, what is
  // asked for, formulas; readers find them by name
  const hn_system *sys = l->sys;
  for (int i = 1; i < sys->bodies; i++) body_columns(l, i);  // body 0 is the ground
  for (int i = 0; i < sys->blocks; i++) block_columns(l, &sys->block[i]);
  for (int i = 0; i < sys->joints; i++) joint_columns(l, i);
  force_columns(l);
  signal_columns(l);
  rigid_columns(l);
  whole_columns(l);
  for (int i = 1; i < sys->bodies; i++) asked_columns(l, i);
  asked_of_elements(l);
}

hn_status hn_columns_create(hn_system *sys, hn_model *model) {
  list l = {.sys = sys, .model = model};
  l.used = calloc((size_t)model->output_count + 1, sizeof(bool));
  if (!l.used) return hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  l.status = hn_computed_names(model, &l.read);
  add(&l, "time", "", "s", HN_COL_TIME, 0, 0, 0);
  if (!only_time(sys, model)) all_columns(&l);
  // where none of these is wanted, rows come without accelerations
  for (int i = 0; i < sys->columns; i++) {
    hn_column_kind kind = sys->column[i].kind;
    sys->column_accelerations |= kind == HN_COL_ACCELERATION || kind == HN_COL_JOINT_ACCELERATION ||
                                 kind == HN_COL_FRAME_ACCELERATION;
  }
  // last, since they may read all others
  for (int i = 0; i < model->column_count; i++)
    add(&l, model->column[i].def.name, "", "", HN_COL_COMPUTED, i, 0, 0);
  if (!l.status) l.status = hn_computed_create(sys, model);
  // a pattern that matches nothing is mistyped, and the run would come out without what was wanted
  for (int i = 0; i < model->output_count && !l.status; i++)
    if (!l.used[i])
      l.status = hn_model_fail(model, (hn_place){0}, HN_ERR_MODEL,
                               "outputs: nothing matches '%s' (names look like 'crank.x'; 'holon "
                               "run' without outputs records all of them)",
                               model->output[i]);
  // add() and its like set the status alone
  if (l.status == HN_ERR_MEMORY)
    hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  free(l.used);
  // what was made so far goes with the system
  hn_names_free(&l.read);
  return l.status;
}

void hn_columns_destroy(hn_system *sys) {
  for (int i = 0; i < sys->columns; i++) free(sys->column[i].name);
  free(sys->column);
  free(sys->column_frame);
  hn_computed_destroy(sys);
}

// ---- reading -------------------------------------------------------------------------------

static double squared(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

// a body's acceleration: of its origin, and angular, world axes
static double acceleration(const hn_instant *now, const hn_column *c) {
  const hn_system *sys = now->work->sys;
  double linear[3], angular[3];
  hn_body_acceleration(sys, c->element, now->work->q, now->work->v, now->a, linear, angular);
  return c->sub < 3 ? linear[c->sub] : angular[c->sub - 3];
}

// roll, pitch, yaw: turns about x, then y, then z of the world, R = Rz Ry Rx
static double angle_of(const hn_pose *pose, int which) {
  double R[9];
  q_matrix(R, pose->orientation);
  if (which == 0) return hn_atan2(R[7], R[8]);
  // round-off may leave -R[6] a little beyond 1 when the nose points straight up
  return which == 1 ? hn_asin(fmin(1, fmax(-1, -R[6]))) : hn_atan2(R[3], R[0]);
}

// spin is in world axes; a body's own are the columns of R
static double local_spin(const hn_pose *pose, int k) {
  double R[9], w[3];
  q_matrix(R, pose->orientation);
  m3_tmulv(w, R, pose->angular_velocity);
  return w[k];
}

// of a frame's origin: place, or velocity by v + w x r
static double point(const hn_system *sys, const hn_pose *pose, const hn_column *c) {
  double R[9], arm[3], turn[3];
  q_matrix(R, pose->orientation);
  m3_mulv(arm, R, sys->column_frame[c->batch].position);
  v3_cross(turn, pose->angular_velocity, arm);
  return c->sub < 3 ? pose->position[c->sub] + arm[c->sub]
                    : pose->velocity[c->sub - 3] + turn[c->sub - 3];
}

// of a frame's origin: a + alpha x r + w x (w x r)
static double point_acceleration(const hn_instant *now, const hn_pose *pose, const hn_column *c) {
  const hn_system *sys = now->work->sys;
  double linear[3], angular[3], R[9], arm[3], x[3], y[3];
  hn_body_acceleration(sys, c->element, now->work->q, now->work->v, now->a, linear, angular);
  q_matrix(R, pose->orientation);
  m3_mulv(arm, R, sys->column_frame[c->batch].position);
  v3_cross(x, angular, arm);
  v3_centripetal(y, pose->angular_velocity, arm);
  return linear[c->sub] + x[c->sub] + y[c->sub];
}

// angular velocity of the body in the axes of a frame on it
static double frame_spin(const hn_system *sys, const hn_pose *pose, const hn_column *c) {
  double R[9], turn[9], own[3], w[3];
  const double *q = sys->column_frame[c->batch].orientation;
  q_matrix(R, pose->orientation);
  m3_tmulv(own, R, pose->angular_velocity);
  // a frame that was given no orientation has the body's axes: all zeros stand for it
  if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) return own[c->sub];
  q_matrix(turn, q);
  m3_tmulv(w, turn, own);
  return w[c->sub];
}

// of the reactions of one joint: what drivers do, of joints that are ideal nothing
// sum of lambda times the speed that a row allows: psi is the row's whole rate, phi_t is what the
// driver prescribes; what is left is what the reactions work on
static double power_of_joint(const hn_work *w, int joint) {
  double sum = 0;
  for (int i = 0; i < w->sys->rows; i++)
    if (w->sys->row_joint[i] == joint) sum += w->lambda[i] * (w->psi[i] - w->phi_t[i]);
  return sum;
}

// what one force brings into the motion, all of it, or what it takes out for good
// the force is evaluated alone, into an empty sum; a copy of the work keeps the run's own
static double power(const hn_instant *now, const hn_column *c) {
  hn_work work = *now->work;
  const hn_system *sys = work.sys;
  const hn_batch *b = &sys->batch[c->batch];
  const void *data = b->data + (size_t)c->element * b->ops->data_size;
  double sum = 0;
  work.f = now->forces;
  memset(work.f, 0, (size_t)sys->bv * sizeof(double));
  work.power = 0;
  // power is what dissipative parts add up; reactive ones are stored, and added for the whole only
  b->ops->eval(sys, &work, 1, data);
  if (b->ops->reactive) b->ops->reactive(sys, &work, 1, data);
  if (c->kind == HN_COL_DISSIPATION) return -work.power;
  for (int i = 0; i < sys->bv; i++) sum += work.f[i] * work.v[i];
  return sum;
}

// without a quaternion and a matrix, which its pose would cost
// of the elements that the columns read last belong to
typedef struct known {
  hn_pose pose;
  hn_reaction reaction;
  hn_action action[2];
  // centre: whose place and speed only are there
  int body, joint, axes;  // whose they are, -1: nobody's
} known;

// a pose that is whole will do for a place, not the other way round
// Poses and reactions are computed once per element: its columns follow each other
static const hn_pose *pose_of(const hn_work *w, known *k, int body) {
  if (body == k->body) return &k->pose;
  k->body = body;
  hn_user_pose(w->sys, body, w->q, w->v, &k->pose);
  return &k->pose;
}

static const hn_reaction *reaction_of(const hn_instant *now, known *k, int joint) {
  // shared with actions: only couplers have those, and they are at no place
  if (joint == k->joint) return &k->reaction;
  k->joint = joint, k->axes = -1;
  hn_reaction_on_body(now->told, joint, &k->reaction);
  return &k->reaction;
}

static const hn_reaction *local_reaction_of(const hn_instant *now, known *k, int joint) {
  // forces along axes are part of the same struct, added when first asked for
  (void)reaction_of(now, k, joint);
  if (joint == k->axes) return &k->reaction;
  k->axes = joint;
  hn_reaction_along_axes(now->told->work, joint, &k->reaction);
  return &k->reaction;
}

static const hn_action *action_of(const hn_instant *now, known *k, int joint) {
  if (joint == k->joint) return k->action;
  k->joint = joint;
  hn_actions_of(now->told, joint, k->action);
  return k->action;
}

// force, torque, point
static double of_action(const hn_action *o, int k) {
  return k < 3 ? o->force[k] : k < 6 ? o->torque[k - 3] : o->point[k - 6];
}

// of one column; those before it stand in `row` already
static double value(const hn_instant *now, const hn_column *c, known *k, const double *row) {
  hn_work *w = now->work;
  const hn_system *sys = w->sys;
  const hn_energy *e = now->energy;
  // no default: compilers warn of a kind that has no case
  switch (c->kind) {
  case HN_COL_TIME: return w->t;
  case HN_COL_POSITION: return pose_of(w, k, c->element)->position[c->sub];
  case HN_COL_ANGLE: return w->q[sys->body[c->element].q0 + 2];
  case HN_COL_QUATERNION: return pose_of(w, k, c->element)->orientation[c->sub];
  // measures were evaluated with the state; nothing is computed twice here
  case HN_COL_VELOCITY: return pose_of(w, k, c->element)->velocity[c->sub];
  case HN_COL_SPIN: return pose_of(w, k, c->element)->angular_velocity[c->sub];
  case HN_COL_COORDINATE: return w->mval[sys->joint[c->element].coordinate[c->sub].measure].value;
  case HN_COL_RATE: return w->mval[sys->joint[c->element].coordinate[c->sub].measure].rate;
  case HN_COL_FORCE: return reaction_of(now, k, c->element)->force[c->sub];
  case HN_COL_TORQUE: return reaction_of(now, k, c->element)->torque[c->sub];
  case HN_COL_LOCAL_FORCE: return local_reaction_of(now, k, c->element)->local_force[c->sub];
  case HN_COL_LOCAL_TORQUE: return local_reaction_of(now, k, c->element)->local_torque[c->sub];
  case HN_COL_SCALAR: return w->q[sys->body[c->element].q0];
  case HN_COL_SCALAR_RATE: return w->v[sys->body[c->element].v0];
  case HN_COL_ACTION: return of_action(&action_of(now, k, c->element)[c->sub / 9], c->sub % 9);
  case HN_COL_MULTIPLIER: return w->lambda[c->element];
  case HN_COL_ELEMENT: {
    const hn_batch *b = &sys->batch[c->batch];
    return b->ops->read(sys, w, b->data + (size_t)c->element * b->ops->data_size, c->sub);
  }
  case HN_COL_SIGNAL:
    return hn_run_expression(sys, w, sys->named_signal[c->element].expression, NULL);
  case HN_COL_KINETIC: return e->kinetic;
  case HN_COL_POTENTIAL: return e->potential;
  case HN_COL_WORK: return e->work;
  case HN_COL_TOTAL: return e->kinetic + e->potential;
  case HN_COL_BALANCE: return e->balance;
  case HN_COL_JOINT_POWER: return now->joint_power;
  case HN_COL_JOINT_WORK: return now->joint_work;
  case HN_COL_ACCELERATION: return acceleration(now, c);
  case HN_COL_EULER: return angle_of(pose_of(w, k, c->element), c->sub);
  case HN_COL_LOCAL_SPIN: return local_spin(pose_of(w, k, c->element), c->sub);
  case HN_COL_FRAME: return point(sys, pose_of(w, k, c->element), c);
  case HN_COL_FRAME_ACCELERATION: return point_acceleration(now, pose_of(w, k, c->element), c);
  case HN_COL_FRAME_SPIN: return frame_spin(sys, pose_of(w, k, c->element), c);
  case HN_COL_COMPUTED:
    // an integral is advanced with the state, a formula is run over the row as far as it stands
    if (!sys->computed[c->element].integral) return hn_computed_value(w, c->element, row);
    // before the run there is nothing to add up
    return now->integrals ? now->integrals[c->element] : 0;
  case HN_COL_JOINT_ACCELERATION: {
    int measure = sys->joint[c->element].coordinate[c->sub].measure;
    return hn_measure_acceleration(w, measure, now->a);
  }
  case HN_COL_POWER_OF_JOINT: return power_of_joint(w, c->element);
  case HN_COL_DISSIPATION:
  case HN_COL_POWER: return power(now, c);
  case HN_COL_PHI: return hn_largest(w->phi, (size_t)sys->rows);
  case HN_COL_PSI: return hn_largest(w->psi, (size_t)sys->rows);
  case HN_COL_PHI_SQUARED: return squared(w->phi, sys->rows);
  case HN_COL_PSI_SQUARED: return squared(w->psi, sys->rows);
  }
  return 0;
}

// left to right, since computed columns read what stands before them
void hn_columns_read(const hn_instant *now, double *row) {
  const hn_work *w = now->work;
  const hn_told *told = now->told;
  hn_eval_poses(now->work);
  const void *const from[HN_STANDS] = {
      [HN_STANDS_IN_Q] = w->q,
      [HN_STANDS_IN_V] = w->v,
      [HN_STANDS_IN_MEASURES] = w->mval,
      [HN_STANDS_IN_REACTIONS] =
          told->work && told->found_at == told->work->stamp ? told->found : NULL,
      [HN_STANDS_IN_WORK] = w,
      [HN_STANDS_IN_ENERGY] = now->energy,
      [HN_STANDS_IN_INSTANT] = now,
  };
  known k;
  k.body = k.joint = k.axes = -1;  // the rest is written before it is read
  for (int i = 0; i < w->sys->columns; i++) {
    const hn_column *c = &w->sys->column[i];
    const char *stands = from[c->stands];
    if (stands)
      memcpy(&row[i], stands + c->batch, sizeof *row);
    else
      row[i] = value(now, c, &k, row);
  }
}
