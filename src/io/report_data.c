// report_data.c: a result packed for the report page.
//
// Frames, for the picture: every k-th row and the last one, as float: position and quaternion of
// every body, then what arrows need. Charts: all rows as double while they fit; otherwise rows are
// taken together in groups, and each column keeps the smallest and the largest value of a group, in
// the order they came. No peak is lost; its time is known to the length of a group only, and the
// page says so.
//
// All numbers go one after the other into one blob of little-endian bytes, which the page reads as
// typed arrays: blocks begin at multiples of eight bytes for that. In a file the blob is base64,
// written as it comes, so that no run has to fit into memory twice. Half of the limit is for
// frames, half for charts.
#include "base/elementary.h"
#include "io/report.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// charts are stored as double up to this size
// 4 MB of charts in full precision; beyond that six digits are more than a screen shows.
static const double wide_limit = 4e6;
// Pages that compute are mailed, and have all digits from the first change on.
static const double brief_limit = 1e6;

// ---- base64 --------------------------------------------------------------------------------

static void flush(hn_blob *b) {
  hn_save_bytes(b->save, b->text, (size_t)b->fill);
  b->fill = 0;
}

// Three bytes become four letters; hn_blob_end fills up the last three with '='.
static void encode(hn_blob *b) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *r = b->rest;
  if (b->fill + 4 > (int)sizeof b->text) flush(b);
  char *out = b->text + b->fill;
  out[0] = digit[r[0] >> 2];
  out[1] = digit[(r[0] & 3) << 4 | r[1] >> 4];
  out[2] = digit[(r[1] & 15) << 2 | r[2] >> 6];
  out[3] = digit[r[2] & 63];
  b->fill += 4;
}

static bool only_counts(const hn_blob *b) {
  return !b->save && !b->bytes;
}

// Into memory as it is (pages that compute are handed the bytes), or into the file as base64.
static void put_byte(hn_blob *b, unsigned char x) {
  if (only_counts(b)) {
    b->size++;
    return;
  }
  if (b->bytes) {
    hn_text_bytes(b->bytes, &x, 1);
    b->size++;
    return;
  }
  b->rest[b->rest_count++] = x;
  b->size++;
  if (b->rest_count < 3) return;
  encode(b);
  b->rest_count = 0;
}

void hn_blob_bytes(hn_blob *b, const unsigned char *bytes, size_t size) {
  for (size_t i = 0; i < size; i++) put_byte(b, bytes[i]);
}

void hn_blob_end(hn_blob *b) {
  if (b->bytes) return;
  int count = b->rest_count;
  if (count > 0) {
    for (int i = count; i < 3; i++) b->rest[i] = 0;
    encode(b);
    for (int i = count; i < 3; i++) b->text[b->fill - 3 + i] = '=';
    b->rest_count = 0;
  }
  flush(b);
}

// the byte order of the page is little-endian, whatever that of the machine is
static void put_number(hn_blob *b, double x, bool wide) {
  unsigned char bytes[8];
  int count = wide ? 8 : 4;
  if (only_counts(b)) {
    b->size += (size_t)count;
    return;
  }
  if (wide) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
  } else {
    float narrow = (float)x;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(bits >> 8 * i);
  }
  if (b->bytes) {
    hn_text_bytes(b->bytes, bytes, (size_t)count);
    b->size += (size_t)count;
  } else {
    for (int i = 0; i < count; i++) put_byte(b, bytes[i]);
  }
}

// The range says where in the bytes it begins; `count` is what will be written, which the caller
// knows.
static hn_blob_range begin_block(hn_blob *b, size_t count, bool wide) {
  while (b->size % 8) put_byte(b, 0);
  return (hn_blob_range){b->size, count, wide};
}

// ---- which columns are drawn ---------------------------------------------------------------

// columns follow each other in the order of the elements: the search starts where the last ended
typedef struct finder {
  const hn_result *result;
  int next;
} finder;

// Cyclic from where the last search ended: going through elements in the order of the columns costs
// linear time in all of them, a search for something that is missing goes round once.
static int find(finder *f, const char *element, const char *quantity) {
  size_t n = strlen(element);
  for (int k = 0; k < f->result->columns; k++) {
    int i = f->next + k < f->result->columns ? f->next + k : f->next + k - f->result->columns;
    const char *name = f->result->column[i].name;
    if (strncmp(name, element, n) != 0 || name[n] != '.' || strcmp(name + n + 1, quantity) != 0)
      continue;
    f->next = i + 1 < f->result->columns ? i + 1 : 0;
    return i;
  }
  return -1;
}

// In the plane there is an angle and no z; in space a quaternion, of which all four or none are
// there.
static void find_pose(finder *f, const char *body, hn_pose_columns *p) {
  static const char *const axis[] = {"x", "y", "z"}, *const q[] = {"q0", "q1", "q2", "q3"};
  p->angle = p->position[2] = -1;
  for (int k = 0; k < 4; k++) p->quaternion[k] = -1;
  for (int k = 0; k < 2; k++) p->position[k] = find(f, body, axis[k]);
  // a search for what is not there looks at all columns: do it only for bodies that are recorded
  if (p->position[0] < 0) return;
  p->position[2] = find(f, body, axis[2]);
  p->angle = p->position[2] < 0 ? find(f, body, "angle") : -1;
  for (int k = 0; k < 4 && p->position[2] >= 0 && (k == 0 || p->quaternion[0] >= 0); k++)
    p->quaternion[k] = find(f, body, q[k]);
}

void hn_find_pose(const hn_result *result, const char *body, hn_pose_columns *pose) {
  find_pose(&(finder){.result = result}, body, pose);
}

// joints that carry no torque are many: their zeros are left out
// 1e-9 N m: the smallest torque that an arrow could show in a picture of a machine.
static bool moves(const hn_result *r, const hn_track *t) {
  for (int k = 0; k < t->count; k++)
    for (int i = 0; t->column[k] >= 0 && i < r->rows; i++)
      if (fabs(r->data[(size_t)i * (size_t)r->columns + (size_t)t->column[k]]) > 1e-9) return true;
  return false;
}

// Components that a result does not have are written as zeros; a track of which none is there is
// left out. Finding the first missing is enough, but for torques in the plane, which have the last
// alone.
static bool add_track(hn_packed_run *run, int *capacity, finder *f, const char *element,
                      const hn_track *wanted) {
  hn_track t = *wanted;
  int found = 0;
  // in the plane there is the last component of a torque only
  bool turns = t.count == 3 && strcmp(t.name[0], "tx") == 0;
  for (int k = 0; k < t.count; k++) {
    t.column[k] = k == 0 || found || (turns && k == 2) ? find(f, element, t.name[k]) : -1;
    found += t.column[k] >= 0;
  }
  if (!found) return true;
  if (turns && !moves(f->result, &t)) return true;
  if (!hn_grow((void **)&run->track, capacity, run->tracks, sizeof *run->track)) return false;
  run->track[run->tracks++] = t;
  run->track_width += t.count;
  return true;
}

// reactions of joints, and what forces say about themselves
// Which columns of an element are a vector or a number that is drawn: reactions of joints at their
// place, given forces, tensions along springs, moments along beams.
static bool find_tracks(hn_packed_run *run, const hn_result *result, const hn_model *model,
                        const hn_system *sys) {
  static const hn_track vector = {.count = 3, .name = {"fx", "fy", "fz"}};
  static const hn_track torque = {.count = 3, .name = {"tx", "ty", "tz"}};
  static const hn_track scalar = {.count = 1, .name = {"force"}};
  static const hn_track moment = {.count = 3, .name = {"torsion", "bending_y", "bending_z"}};
  static const hn_track flat_moment = {.count = 1, .name = {"bending_z"}};
  static const hn_track effort = {.count = 1, .name = {"effort"}};
  static const hn_track turning = {.count = 1, .name = {"torque"}};
  static const hn_track tyre = {.count = 2, .name = {"force", "gap"}};
  int capacity = 0;
  finder f = {.result = result};
  for (int i = 0; i < sys->joints; i++) {
    hn_track t = vector, m = torque;
    t.element = m.element = i;
    if (!add_track(run, &capacity, &f, sys->joint[i].name, &t) ||
        !add_track(run, &capacity, &f, sys->joint[i].name, &m))
      return false;
  }
  for (int i = 0; i < model->force_count; i++) {
    const hn_force_def *d = &model->force[i].def;
    bool placed = strcmp(d->type, "force") == 0 || strcmp(d->type, "bushing") == 0 ||
                  strcmp(d->type, "drag") == 0;
    hn_track t = placed                                   ? vector
                 : strcmp(d->type, "torque") == 0         ? torque
                 : strcmp(d->type, "tyre") == 0           ? tyre
                 : strcmp(d->type, "motor") == 0          ? effort
                 : strcmp(d->type, "torsion-spring") == 0 ? turning
                                                          : scalar;
    if (strcmp(d->type, "beam-element") == 0)
      t = model->body[d->b.body.id].def.kind == HN_PLANAR ? flat_moment : moment;
    t.force = true;
    t.element = i;
    if (!add_track(run, &capacity, &f, d->name, &t)) return false;
  }
  return true;
}

// Contacts and bearings with play have a place too, but also a force; joints and blocks have
// coordinates of that name, but also their rates. Columns of one element stand side by side
static bool is_body(const hn_result *result, int column, const char *body) {
  size_t n = strlen(body);
  for (int i = column; i < result->columns; i++) {
    const char *name = result->column[i].name;
    if (strncmp(name, body, n) != 0 || name[n] != '.') return true;
    if (hn_word_in(name + n + 1, "fx force gap x_rate")) return false;
  }
  return true;
}

// bodies by their recorded positions: "crank.x" with "crank.y"
static bool find_bodies(hn_packed_run *run, const hn_result *result) {
  int capacity = 0, capacity_name = 0;
  finder f = {.result = result};
  for (int i = 1; i < result->columns; i++) {
    const char *name = result->column[i].name;
    size_t n = strlen(name);
    if (n < 3 || n > 128 || strcmp(name + n - 2, ".x") != 0) continue;
    char body[128];
    snprintf(body, sizeof body, "%.*s", (int)n - 2, name);
    hn_pose_columns pose;
    find_pose(&f, body, &pose);
    if (pose.position[1] < 0 || !is_body(result, i, body)) continue;
    if (!hn_grow((void **)&run->pose, &capacity, run->bodies, sizeof *run->pose) ||
        !hn_grow((void **)&run->name, &capacity_name, run->bodies, sizeof *run->name))
      return false;
    run->pose[run->bodies] = pose;
    run->name[run->bodies] = hn_strdup(body);
    if (!run->name[run->bodies]) return false;
    run->bodies++;
  }
  return true;
}

// ---- frames --------------------------------------------------------------------------------

static double value(const double *row, int column, double fallback) {
  return column < 0 ? fallback : row[column];
}

// What was not recorded is NaN for a position, which the page does not draw, and no rotation.
static void put_pose(hn_blob *b, const hn_pose_columns *p, const double *row) {
  for (int k = 0; k < 3; k++)
    put_number(b, value(row, p->position[k], k == 2 && p->position[0] >= 0 ? 0 : NAN), false);
  if (p->angle >= 0 && !only_counts(b)) {
    double half = row[p->angle] / 2;
    const double q[4] = {hn_cos(half), 0, 0, hn_sin(half)};
    for (int k = 0; k < 4; k++) put_number(b, q[k], false);
  } else {
    for (int k = 0; k < 4; k++) put_number(b, value(row, p->quaternion[k], k == 0), false);
  }
}

// Every stride-th row; the last frame is the last row, wherever that falls.
static const double *frame_row(const hn_result *r, int stride, size_t frame) {
  size_t last = (size_t)r->rows - 1, row = frame * (size_t)stride;
  return r->data + (row < last ? row : last) * (size_t)r->columns;
}

static bool put_deformed(hn_packed_run *run, const hn_result *result, size_t frames, hn_blob *b) {
  double *p = malloc(((size_t)run->deformed_width + 1) * sizeof *p);
  run->frame_deformed = begin_block(b, frames * (size_t)run->deformed_width, false);
  for (size_t i = 0; p && i < frames; i++)
    for (int k = 0; k < run->deformed_count; k++) {
      hn_deformed_at(&run->deformed[k], frame_row(result, run->stride, i), p);
      for (int c = 0; c < run->deformed[k].size; c++) put_number(b, p[c], false);
    }
  free(p);
  return p;
}

// 28 bytes for each body (three places, four numbers of a quaternion, as float), 4 for each number
// of a track or deformation, 8 for the time, as double, since the page looks it up.
static bool put_frames(hn_packed_run *run, const hn_result *result, double limit, hn_blob *b) {
  double per_frame = 28.0 * run->bodies + 4.0 * (run->track_width + run->deformed_width) + 8;
  double most = fmax(2, floor(limit / per_frame));
  run->stride = result->rows > most ? (int)ceil(result->rows / most) : 1;
  int last = result->rows - 1, whole = last / run->stride;
  // the last row ends the motion, on the grid or not
  size_t frames = (size_t)whole + 1 + (whole * run->stride != last);
  run->frame_time = begin_block(b, frames, true);
  for (size_t i = 0; i < frames; i++) put_number(b, frame_row(result, run->stride, i)[0], true);
  run->frame_pose = begin_block(b, frames * 7 * (size_t)run->bodies, false);
  for (size_t i = 0; i < frames; i++)
    for (int k = 0; k < run->bodies; k++)
      put_pose(b, &run->pose[k], frame_row(result, run->stride, i));
  run->frame_track = begin_block(b, frames * (size_t)run->track_width, false);
  for (size_t i = 0; i < frames; i++)
    for (int k = 0; k < run->tracks; k++)
      for (int c = 0; c < run->track[k].count; c++)
        put_number(b, value(frame_row(result, run->stride, i), run->track[k].column[c], 0), false);
  return put_deformed(run, result, frames, b);
}

// ---- charts --------------------------------------------------------------------------------

// the smallest and the largest value of some rows, the earlier one first; a NaN hides nothing
// Both in the order in which they came, so that a curve through them goes up and down as the data
// do.
static void extremes(const hn_result *r, int column, int first, int end, double pair[2]) {
  int low = -1, high = -1;
  for (int i = first; i < end; i++) {
    double x = r->data[(size_t)i * (size_t)r->columns + (size_t)column];
    if (isnan(x)) {
      pair[0] = pair[1] = x;
      return;
    }
    if (low < 0 || x < r->data[(size_t)low * (size_t)r->columns + (size_t)column]) low = i;
    if (high < 0 || x > r->data[(size_t)high * (size_t)r->columns + (size_t)column]) high = i;
  }
  int early = low < high ? low : high, late = low < high ? high : low;
  pair[0] = r->data[(size_t)early * (size_t)r->columns + (size_t)column];
  pair[1] = r->data[(size_t)late * (size_t)r->columns + (size_t)column];
}

// Column by column: the page shows one at a time.
static void put_all_rows(hn_packed_run *run, const hn_result *r, bool wide, hn_blob *b) {
  size_t columns = (size_t)r->columns, rows = (size_t)r->rows;
  run->time = begin_block(b, rows, true);
  for (size_t i = 0; i < rows; i++) put_number(b, r->data[i * columns], true);
  run->columns = begin_block(b, rows * (columns - 1), wide);
  for (size_t c = 1; c < columns; c++)
    for (size_t i = 0; i < rows; i++) put_number(b, r->data[i * columns + c], wide);
}

// Two points for each group, a quarter and three quarters through its time.
static void put_pairs(hn_packed_run *run, const hn_result *r, hn_blob *b) {
  int n = run->per_pair, groups = (r->rows + n - 1) / n;
  run->time = begin_block(b, 2 * (size_t)groups, true);
  for (int g = 0; g < groups; g++) {
    int first = g * n, last = first + n < r->rows ? first + n - 1 : r->rows - 1;
    double t0 = r->data[(size_t)first * (size_t)r->columns];
    double t1 = r->data[(size_t)last * (size_t)r->columns];
    // times must rise; the ends of the run keep theirs
    put_number(b, g == 0 ? t0 : t0 + 0.25 * (t1 - t0), true);
    put_number(b, g == groups - 1 ? t1 : t0 + 0.75 * (t1 - t0), true);
  }
  run->columns = begin_block(b, 2 * (size_t)groups * (size_t)(r->columns - 1), false);
  for (int c = 1; c < r->columns; c++)
    for (int g = 0; g < groups; g++) {
      double pair[2];
      extremes(r, c, g * n, g * n + n < r->rows ? g * n + n : r->rows, pair);
      put_number(b, pair[0], false);
      put_number(b, pair[1], false);
    }
}

// Rows are kept in full while they fit as float; then they are taken together.
static void put_columns(hn_packed_run *run, const hn_result *result, double limit, hn_blob *b) {
  double numbers = (double)result->rows * result->columns;
  if (numbers * 4 <= limit) {
    double widest = fmin(limit, b->brief ? brief_limit : wide_limit);
    put_all_rows(run, result, numbers * 8 <= widest, b);
    return;
  }
  double points = floor(limit / 4 / result->columns);
  run->per_pair = (int)ceil(result->rows / fmax(4, floor(points / 2)));
  if (run->per_pair < 3) run->per_pair = 3;
  // a last group of one row would have one time for two values; of a single row there is no other
  while (result->rows > 1 && result->rows % run->per_pair == 1) run->per_pair++;
  put_pairs(run, result, b);
}

// ---- the run -------------------------------------------------------------------------------

// the bodies of the first run, by their names
// Several runs of one page share the bodies of the first, found by name in each.
static bool find_same(hn_packed_run *run, const hn_packed_run *first, const hn_result *result) {
  finder f = {.result = result};
  run->bodies = first->bodies;
  run->pose = calloc((size_t)run->bodies + 1, sizeof *run->pose);
  for (int i = 0; run->pose && i < run->bodies; i++) find_pose(&f, first->name[i], &run->pose[i]);
  return run->pose;
}

static bool find_deformed(hn_packed_run *run, const hn_result *result, const hn_model *model) {
  run->deformed = calloc((size_t)model->flexible_count + 1, sizeof *run->deformed);
  bool ok = run->deformed;
  for (int i = 0; ok && i < model->flexible_count; i++) {
    run->deformed_count++;
    ok = hn_deformed_find(&run->deformed[i], result, model, i);
    run->deformed_width += run->deformed[i].size;
  }
  return ok;
}

static bool find_columns(hn_packed_run *run, const hn_packed_run *first, const hn_result *result,
                         const hn_model *model, const hn_system *sys) {
  if (!sys && first) return find_same(run, first, result);
  if (!sys) return find_bodies(run, result);
  finder f = {.result = result};
  run->bodies = model->body_count - 1;
  run->pose = calloc((size_t)run->bodies + 1, sizeof *run->pose);
  if (!run->pose) return false;
  for (int i = 0; i < run->bodies; i++) find_pose(&f, model->body[i + 1].def.name, &run->pose[i]);
  return find_tracks(run, result, model, sys) && find_deformed(run, result, model);
}

// The only failure is out of memory; what was found so far is freed by hn_packed_free in any case.
hn_status hn_report_pack(hn_packed_run *run, const hn_packed_run *first, const hn_result *result,
                         const hn_model *model, const hn_system *system, double limit,
                         hn_blob *blob) {
  if (!find_columns(run, first, result, model, system)) return HN_ERR_MEMORY;
  run->zero = calloc((size_t)result->columns, sizeof *run->zero);
  if (!run->zero || hn_result_round_off(result, run->zero)) return HN_ERR_MEMORY;
  bool whole = put_frames(run, result, limit / 2, blob);
  if (!whole) return HN_ERR_MEMORY;
  put_columns(run, result, limit / 2, blob);
  return HN_OK;
}

void hn_packed_free(hn_packed_run *run) {
  for (int i = 0; run->name && i < run->bodies; i++) free(run->name[i]);
  for (int i = 0; i < run->deformed_count; i++) hn_deformed_free(&run->deformed[i]);
  free(run->deformed);
  free(run->name);
  free(run->pose);
  free(run->track);
  free(run->zero);
}
