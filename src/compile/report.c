// report.c: what assembly found and changed, in numbers and in words.
#include "base/elementary.h"
#include "compile/assemble.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 0.017453292519943295;

// ---- gaps --------------------------------------------------------------------------------------

// what a row is about, where it is no length
enum { PLAIN, SINE, ALIGNED };

// Of the described positions, before anything is moved: what the user would see if he drew them.
// Rows of points add up to a distance, angles count by the largest.
void hn_report_gaps(hn_system *sys, const hn_work *work) {
  hn_check_joint *joint = (hn_check_joint *)sys->check.joint;
  // no memory: gaps are not told, nothing else suffers
  char *kind = calloc((size_t)sys->rows + 1, 1);
  if (!kind) return;
  // rows of one product of directions are sines
  for (int i = 0; i < sys->dot_rows; i++) kind[sys->dot_row[i].row] = SINE;
  for (int i = 0; i < sys->alignments; i++) {
    // alignments know the angle itself, also beyond 90 degrees
    const hn_alignment *a = &sys->alignment[i];
    hn_check_joint *j = &joint[sys->row_joint[a->row]];
    j->gap_angle = fmax(j->gap_angle, hn_alignment_angle(a, work));
    memset(kind + a->row, ALIGNED, (size_t)hn_alignment_rows(a));
  }
  for (int i = 0; i < sys->rows; i++) {
    // what a joint's rows add up to
    hn_check_joint *j = &joint[sys->row_joint[i]];
    double phi = fabs(work->phi[i]);
    if (!sys->holonomic[i] || kind[i] == ALIGNED) continue;
    if (sys->angular_row[i])
      j->gap_angle = fmax(j->gap_angle, kind[i] == SINE ? hn_asin(fmin(1, phi)) : phi);
    else
      // x, y and z of a point are one distance
      j->gap = hn_hypot(j->gap, phi);
  }
  for (int i = 0; i < sys->joints; i++) {
    sys->check.position_before = fmax(sys->check.position_before, joint[i].gap);
    sys->check.rotation_before = fmax(sys->check.rotation_before, joint[i].gap_angle);
  }
  free(kind);
}

// ---- changes -----------------------------------------------------------------------------------

typedef struct pose {
  double p[3], q[4];  // of the body's frame
  double v[3], w[3];  // world
} pose;

// User's frame, as all that is told.
static void pose_of(const hn_sys_body *b, const double *q, const double *v, pose *o) {
  const double *x = q + b->q0, *u = v + b->v0;
  double R[9], user[9], r[3], s[3];
  memset(o, 0, sizeof *o);
  o->q[0] = 1;
  // u of a planar body is (vx, vy, w)
  if (b->kind == HN_PLANAR) o->q[0] = hn_cos(x[2] / 2), o->q[3] = hn_sin(x[2] / 2), o->w[2] = u[2];
  if (b->kind == HN_SPATIAL) memcpy(o->q, x + 3, sizeof o->q);
  q_matrix(R, o->q);
  if (b->kind == HN_SPATIAL) m3_mulv(o->w, R, u + 3);
  // user's axes and arm, world
  m3_mult(user, R, b->info->axes);
  m3_mulv(r, user, b->info->com);
  v3_cross(s, o->w, r);
  int linear = hn_body_linear(b);
  for (int k = 0; k < linear; k++) o->p[k] = x[k] - r[k], o->v[k] = u[k] - s[k];
}

static double distance(const double a[3], const double b[3]) {
  double d[3];
  v3_sub(d, a, b);
  return v3_norm(d);
}

// The shorter way round: q and -q are one orientation.
static double turn_between(const double a[4], const double b[4]) {
  double back[4] = {a[0], -a[1], -a[2], -a[3]}, d[4];
  q_mul(d, back, b);
  return 2 * hn_atan2(v3_norm(d + 1), fabs(d[0]));
}

// A velocity that nobody has given may become anything without a word: joints and drivers say what
// it is.
hn_status hn_report_changes(hn_system *sys, const hn_model *model, const double *q,
                            const double *v) {
  hn_check *check = &sys->check;
  hn_check_body *list = calloc((size_t)sys->bodies + 1, sizeof *list);
  if (!list) return HN_ERR_MEMORY;
  check->body = list;
  check->body_count = sys->bodies - 1;
  for (int i = 1; i < sys->bodies; i++) {
    const hn_sys_body *b = &sys->body[i];
    hn_check_body *o = &list[i - 1];
    o->name = b->info->name;
    if (b->kind == HN_SCALAR) {
      double d = fabs(sys->q0[b->q0] - q[b->q0]), u = fabs(sys->v0[b->v0] - v[b->v0]);
      // a coordinate is a length or not, and counts as one of the two
      *(b->angular ? &o->turned : &o->moved) = d;
      *(b->angular ? &o->spin_change : &o->velocity_change) = u;
      o->velocity_given = v[b->v0] != 0;
    } else {
      // poses before and after, then velocities at the same pose
      pose before, after;
      // velocities are compared in the assembled pose
      pose_of(b, q, v, &before);
      pose_of(b, sys->q0, sys->v0, &after);
      o->moved = distance(before.p, after.p);
      o->turned = turn_between(before.q, after.q);
      pose_of(b, sys->q0, v, &before);
      o->velocity_change = distance(before.v, after.v);
      o->spin_change = distance(before.w, after.w);
      const hn_body_def *d = &model->body[i].def;
      o->velocity_given = d->hold & HN_HOLD_VELOCITY || v3_dot(d->velocity, d->velocity) > 0 ||
                          v3_dot(d->angular_velocity, d->angular_velocity) > 0;
    }
    // the largest of all bodies, for the summary
    check->moved = fmax(check->moved, o->moved);
    check->turned = fmax(check->turned, o->turned);
  }
  return HN_OK;
}

// ---- words -------------------------------------------------------------------------------------

// Notes are kept in the order in which they were found, and told by `check` and `run`.
bool hn_report_note(hn_system *sys, const char *format, ...) {
  hn_check *check = &sys->check;
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  // note owns its list and texts; cast away const only to grow
  char **list = realloc((void *)check->note, ((size_t)check->note_count + 1) * sizeof *list);
  if (!list) return false;
  check->note = (const char *const *)list;
  list[check->note_count] = hn_strdup(text);
  if (!list[check->note_count]) return false;
  check->note_count++;
  return true;
}

// "0.55 m and 12 deg", "0.55 m", "12 deg"
static const char *amount(char *text, size_t size, double length, double angle, double small,
                          const char *unit, const char *angle_unit, double factor) {
  text[0] = 0;
  if (length > small) snprintf(text, size, "%.3g %s", length, unit);
  // angles are told from 1e-9 rad on
  if (angle > 1e-9) {
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%.3g %s", n ? " and " : "", angle / factor, angle_unit);
  }
  return text;
}

// "joint 'lock' was open by 1.4 m".
// One joint stands for all: the one that was farthest open is where to look first.
static void widest_gap(const hn_system *sys, double small, char *text, size_t size) {
  const hn_check_joint *joint = sys->check.joint, *widest = NULL;
  double most = 0;
  char gap[80];
  text[0] = 0;
  // lengths by the model's, so that both kinds compare
  for (int i = 0; i < sys->joints; i++) {
    double size_of = fmax(joint[i].gap / sys->length, joint[i].gap_angle);
    if (size_of > most) most = size_of, widest = &joint[i];
  }
  if (!widest || (widest->gap <= small && widest->gap_angle <= 1e-9)) return;
  amount(gap, sizeof gap, widest->gap, widest->gap_angle, small, "m", "deg", degree);
  snprintf(text, size, "; joint '%s' was open by %s", widest->name, gap);
}

static void others(char *text, size_t size, int count) {
  text[0] = 0;
  if (count > 0) snprintf(text, size, ", and %d other%s less", count, count > 1 ? "s" : "");
}

// Below 1e-9 of the model's length, or rad, nothing has moved that anyone could have meant.
static bool moved_sentence(hn_system *sys) {
  const hn_check *check = &sys->check;
  double small = 1e-9 * sys->length, most = 0;
  int count = 0, worst = -1;
  for (int i = 0; i < check->body_count; i++) {
    // counted first, so that the sentence can say "and 3 others less"
    const hn_check_body *b = &check->body[i];
    if (b->moved <= small && b->turned <= 1e-9) continue;
    count++;
    double size_of = fmax(b->moved / sys->length, b->turned);
    if (size_of > most) most = size_of, worst = i;
  }
  if (worst < 0) return true;
  char by[80], rest[48], gap[160];
  const hn_check_body *b = &check->body[worst];
  amount(by, sizeof by, b->moved, b->turned, small, "m", "deg", degree);
  others(rest, sizeof rest, count - 1);
  widest_gap(sys, small, gap, sizeof gap);
  return hn_report_note(sys, "assembly moved '%s' by %s%s%s", b->name, by, rest, gap);
}

// Speeds are judged by the fastest of the model: angular ones by what they make of its length.
static bool velocity_sentence(hn_system *sys) {
  const hn_check *check = &sys->check;
  double speed = 0, most = 0;
  int count = 0, worst = -1;
  // speeds below are round-off of the projection
  for (int i = 0; i < sys->nv; i++) speed = fmax(speed, fabs(sys->v0[i]) * hn_velocity_arm(sys, i));
  for (int i = 0; i < check->body_count; i++) {
    const hn_check_body *b = &check->body[i];
    // where everything has come to rest, by what was given
    if (b->velocity_given)
      speed = fmax(speed, fmax(b->velocity_change, b->spin_change * sys->length));
  }
  double small = 1e-9 * speed, slow = small / sys->length;
  for (int i = 0; i < check->body_count; i++) {
    const hn_check_body *b = &check->body[i];
    if (!b->velocity_given || (b->velocity_change <= small && b->spin_change <= slow)) continue;
    count++;
    double size_of = fmax(b->velocity_change / sys->length, b->spin_change);
    if (size_of > most) most = size_of, worst = i;
  }
  if (worst < 0) return true;
  char by[80], rest[48];
  const hn_check_body *b = &check->body[worst];
  amount(by, sizeof by, b->velocity_change, b->spin_change > slow ? b->spin_change : 0, small,
         "m/s", "rad/s", 1);
  others(rest, sizeof rest, count - 1);
  return hn_report_note(sys, "velocity of '%s' changed by %s%s, as the joints demand", b->name, by,
                        rest);
}

hn_status hn_report_sentences(hn_system *sys, const hn_model *model, int starts) {
  bool ok = moved_sentence(sys) && velocity_sentence(sys);
  (void)model;
  if (ok && starts > 1)
    ok = hn_report_note(sys,
                        "assembly got stuck from the described positions and closed from start "
                        "%d: the mechanism may be in another position than the one meant",
                        starts);
  return ok ? HN_OK : HN_ERR_MEMORY;
}
