// save.c: a run as bytes, and back: it goes on bit by bit as it would have.
//
// A run is one block of memory (arena.h), so what it has become is what stands there. Numbers are
// written as they are. Structs hold addresses, which mean nothing elsewhere: of these only the
// words are written that have changed since the run was created, addresses inside the block as
// distances from its beginning. Restoring creates a run of the same method for the same system,
// where all other words are right by themselves, and puts the rest over it. What lies outside the
// block (factors of sparse matrices) is handed over by its owners (hn_outside).
//
//   head | options, parts of the method | pieces of the block, in order | pieces outside
#include "base/elementary.h"
#include "base/file.h"
#include "model/options.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, PART_NAME = 32 };
static const char magic[8] = "HOLONRUN";

typedef struct head {
  char magic[8];
  uint32_t version, order;  // order: of bytes
  char library[16];
  uint64_t length;    // of everything
  uint64_t checksum;  // of everything behind the head
  uint64_t system;    // what the equations are
  uint64_t shape;     // what the block looks like
} head;

typedef struct method {
  hn_options opt;
  char solver[PART_NAME], correction[PART_NAME], integrator[PART_NAME], reason[80];
} method;

// ---- numbers that stand for much ---------------------------------------------------------------

// FNV-1a, byte by byte
static void mix(uint64_t *hash, const void *bytes, size_t size) {
  const unsigned char *b = bytes;
  for (size_t i = 0; i < size; i++) *hash = (*hash ^ b[i]) * 0x100000001b3u;
}

static uint64_t hash_start(void) {
  return 0xcbf29ce484222325u;
}

static void mix_doubles(uint64_t *hash, const double *x, int count) {
  // NaN has many patterns of bits
  for (int i = 0; i < count; i++) {
    double value = isnan(x[i]) ? NAN : x[i];
    mix(hash, &value, sizeof value);
  }
}

static void mix_text(uint64_t *hash, const char *text) {
  mix(hash, text, strlen(text) + 1);
}

// a number between -1 and 1 that is always the same
static double some(int i) {
  return hn_sin(1.7 * i + 0.3);
}

// what the equations say at a state beside the initial one: whatever a parameter is, it shows.
// Parameters have many places; instead of reading all of them the equations are asked at three
// states that no model has by chance, reactions of frictions included
static void mix_equations(uint64_t *hash, hn_work *work, int k, double *q, double *v) {
  const hn_system *sys = work->sys;
  double size = 0.05 * (k + 1);
  for (int i = 0; i < sys->nv; i++)
    v[i] = size * some(i + k) * (sys->angular_v[i] ? 1 : sys->length);
  memcpy(q, sys->q0, (size_t)sys->nq * sizeof(double));
  hn_retract(sys, q, v);
  // twenty times the move: fast enough for terms of second order to show in gamma
  for (int i = 0; i < sys->nv; i++) v[i] = sys->v0[i] + 20 * v[i];
  hn_eval_all(work, 0.1 * k, q, v);
  mix_doubles(hash, work->r, sys->nv);
  mix_doubles(hash, work->phi, sys->rows);
  mix_doubles(hash, work->gamma, sys->rows);
  mix_doubles(hash, &work->potential, 1);
  hn_state_rates(work, work->state_room);
  mix_doubles(hash, work->state_room, sys->states);
  for (int i = 0; i < 6 * sys->loads; i++) work->load[i] = 10 * some(i);
  for (int i = 0; i < sys->batches; i++)
    if (sys->batch[i].ops->reactive)
      sys->batch[i].ops->reactive(sys, work, sys->batch[i].count, sys->batch[i].data);
  hn_reduce_forces(work);
  mix_doubles(hash, work->r, sys->nv);
}

static bool fingerprint(const hn_system *sys, uint64_t *hash) {
  hn_arena arena = {0};
  hn_work work = {0};
  double *q = NULL, *v = NULL;
  bool *all = NULL;
  for (int pass = 0; pass < 2; pass++) {
    hn_work_layout(&work, &arena, sys);
    all = HN_TAKE(&arena, bool, sys->unilaterals);
    q = HN_TAKE(&arena, double, sys->nq);
    v = HN_TAKE(&arena, double, sys->nv);
    if (pass == 0 && !hn_arena_allocate(&arena)) return false;
  }
  for (int i = 0; i < sys->unilaterals; i++) all[i] = true;
  work.on = all;
  *hash = hash_start();
  int counts[] = {sys->nq,     sys->nv,       sys->rows,  sys->bodies,
                  sys->joints, sys->measures, sys->states};
  mix(hash, counts, sizeof counts);
  for (int i = 0; i < sys->bodies; i++) mix_text(hash, sys->body_info[i].name);
  for (int i = 0; i < sys->rows; i++) mix_text(hash, sys->row_name[i]);
  for (int i = 0; i < sys->states; i++) mix_text(hash, sys->state[i].name);
  mix_doubles(hash, sys->mass, sys->bv);
  mix_doubles(hash, sys->stiffness, sys->rows);
  mix_doubles(hash, sys->q0, sys->nq);
  mix_doubles(hash, sys->v0, sys->nv);
  for (int i = 0; i < sys->unilaterals; i++)
    mix_doubles(hash, (double[]){sys->unilateral[i].restitution, sys->unilateral[i].pitch}, 2);
  for (int i = 0; i < sys->gates; i++)
    mix_doubles(hash, (double[]){sys->gate[i].force, sys->gate[i].torque}, 2);
  for (int i = 0; i < sys->holds; i++)
    mix_doubles(hash, (double[]){sys->hold[i].sticking, sys->hold[i].sliding}, 2);
  for (int k = 0; k < 3; k++) mix_equations(hash, &work, k, q, v);
  free(arena.base);
  return true;
}

// ---- the block ---------------------------------------------------------------------------------

typedef void (*visit_fn)(void *user, size_t at, size_t size, bool numbers);

// what a layout may depend on, and nothing else: two runs of the same blueprint have the same
// pieces in the same order
static hn_sim blueprint(const hn_sim *sim) {
  hn_sim plan = {.sys = sim->sys, .opt = sim->opt};
  plan.method = sim->method;
  plan.method.solver_data = plan.method.correction_data = plan.method.integrator_data = NULL;
  plan.state.n = sim->state.n, plan.state.w = sim->state.w;
  plan.state.x = sim->state.x, plan.state.s = sim->state.s;
  return plan;
}

// all pieces of the block, as it was laid out
static void visit_pieces(const hn_sim *sim, visit_fn visit, void *user) {
  hn_sim plan = blueprint(sim);
  hn_arena arena = {.visit = visit, .user = user};
  HN_TAKE(&arena, hn_sim, 1);
  hn_sim_layout(&plan, &arena);
}

static void mix_piece(void *user, size_t at, size_t size, bool numbers) {
  uint64_t words[] = {at, size, numbers};
  mix(user, words, sizeof words);
}

static uint64_t shape_of(const hn_sim *sim) {
  uint64_t hash = hash_start();
  visit_pieces(sim, mix_piece, &hash);
  return hash;
}

typedef struct keeper {
  const unsigned char *base;
  unsigned char *to;
} keeper;

// numbers are saved whole: only structs are compared with what they were
static void keep_piece(void *user, size_t at, size_t size, bool numbers) {
  keeper *k = user;
  if (numbers) return;
  memcpy(k->to, k->base + at, size);
  k->to += size;
}

void hn_sim_keep_created(hn_sim *sim) {
  keeper k = {sim->arena.base, sim->created};
  visit_pieces(sim, keep_piece, &k);
}

// ---- writing -----------------------------------------------------------------------------------

typedef struct writer {
  hn_outside outside;  // first: the owners' view of it
  const hn_sim *sim;
  unsigned char *bytes;
  size_t length, room;
  const unsigned char *created;
  bool failed;
} writer;

static void put(writer *w, const void *bytes, size_t size) {
  if (w->failed) return;
  // doubled: the bytes are copied few times, however many pieces there are
  if (w->length + size > w->room) {
    size_t room = 2 * (w->length + size);
    unsigned char *grown = realloc(w->bytes, room);
    if (!grown) {
      w->failed = true;
      return;
    }
    w->bytes = grown;
    w->room = room;
  }
  if (size) memcpy(w->bytes + w->length, bytes, size);
  w->length += size;
}

// Addresses that may lie outside the block and are set anew before they are used: where the state
// last evaluated stood, and what is made when it is needed
static bool passing(const hn_sim *sim, const unsigned char *word) {
  const hn_work *work = &sim->stage.work;
  const void *these[] = {&work->q,
                         &work->v,
                         &work->gq,
                         &work->gv,
                         &sim->functions,
                         &sim->listeners,
                         &sim->libraries,
                         &sim->pushers,
                         &work->pusher,
                         &sim->stage.s,
                         &sim->stage.s_rate,
                         &sim->reaction.told.lambda,
                         hn_records_helper(sim)};
  for (size_t i = 0; i < sizeof these / sizeof *these; i++)
    if (word == these[i]) return true;
  return false;
}

// one word of a struct: number and value, when it has changed.
// Number: twice that of the word, and one for an address. UINT64_MAX ends a piece
static void put_word(writer *w, const unsigned char *word, uint64_t number, size_t size) {
  const unsigned char *base = w->sim->arena.base;
  uint64_t value = 0;
  memcpy(&value, word, size);
  bool inside = value >= (uintptr_t)base && value < (uintptr_t)base + w->sim->size;
  if (inside)
    value -= (uintptr_t)base;
  else if (passing(w->sim, word))
    return;
  number = 2 * number + (inside ? 1 : 0);
  put(w, &number, sizeof number);
  put(w, &value, sizeof value);
}

static void put_piece(void *user, size_t at, size_t size, bool numbers) {
  writer *w = user;
  const unsigned char *now = w->sim->arena.base + at;
  if (numbers) {
    put(w, now, size);
    return;
  }
  for (size_t i = 0; i < size; i += 8) {
    size_t part = size - i < 8 ? size - i : 8;
    if (memcmp(now + i, w->created + i, part) != 0) put_word(w, now + i, i / 8, part);
  }
  uint64_t end = UINT64_MAX;
  put(w, &end, sizeof end);
  w->created += size;
}

static void put_outside_bytes(hn_outside *o, void *at, size_t size) {
  put((writer *)o, at, size);
}

static void put_outside_sparse(hn_outside *o, hn_sparse *s) {
  writer *w = (writer *)o;
  size_t size = hn_sparse_save(s, NULL);
  uint64_t written = size;
  void *bytes = malloc(size);
  if (!bytes) {
    w->failed = true;
    return;
  }
  hn_sparse_save(s, bytes);
  put(w, &written, sizeof written);
  put(w, bytes, size);
  free(bytes);
}

static void visit_outside(const hn_sim *sim, hn_outside *o) {
  hn_sim *run = (hn_sim *)sim;  // writers only look at what they are handed
  hn_kkt_outside(&run->stage.kkt, o);
  if (sim->method.integrator->outside) sim->method.integrator->outside(run, o);
}

static hn_status can_save(const hn_sim *sim, char *message, size_t size) {
  const hn_integrator_type *i = sim->method.integrator;
  if (!i->create || i->outside) return HN_OK;
  snprintf(message, size,
           "a run by '%s' cannot be saved or copied: another library (SUNDIALS) keeps its memory",
           i->info.name);
  return HN_ERR_UNSUPPORTED;
}

static void put_run(writer *w) {
  // readers evaluate where the run does: none may come in between two pieces
  hn_reading_begin(w->sim);
  w->created = w->sim->created;
  visit_pieces(w->sim, put_piece, w);
  visit_outside(w->sim, &w->outside);
  hn_reading_end(w->sim);
}

static writer writer_for(const hn_sim *sim) {
  return (writer){.outside = {put_outside_sparse, put_outside_bytes}, .sim = sim};
}

static head head_for(const hn_sim *sim, uint64_t system) {
  head h;
  memset(&h, 0, sizeof h);
  memcpy(h.magic, magic, sizeof h.magic);
  h.version = VERSION, h.order = 0x01020304;
  snprintf(h.library, sizeof h.library, "%s", hn_version());
  h.system = system;
  h.shape = shape_of(sim);
  return h;
}

hn_status hn_sim_save(const hn_sim *sim, void **bytes, size_t *length, char *message, size_t size) {
  *bytes = NULL, *length = 0;
  if (size) message[0] = 0;
  hn_status status = can_save(sim, message, size);
  if (status) return status;
  writer w = writer_for(sim);
  uint64_t system = 0;
  w.failed = !fingerprint(sim->sys, &system);
  head h = head_for(sim, system);
  method m;
  memset(&m, 0, sizeof m);
  m.opt = sim->opt;
  snprintf(m.solver, sizeof m.solver, "%s", sim->method.solver->info.name);
  snprintf(m.correction, sizeof m.correction, "%s", sim->method.correction->info.name);
  snprintf(m.integrator, sizeof m.integrator, "%s", sim->method.integrator->info.name);
  memcpy(m.reason, sim->method.reason, sizeof m.reason);
  put(&w, &h, sizeof h);
  put(&w, &m, sizeof m);
  put_run(&w);
  if (w.failed) {
    free(w.bytes);
    snprintf(message, size, "out of memory");
    return HN_ERR_MEMORY;
  }
  h.length = w.length;
  h.checksum = hash_start();
  mix(&h.checksum, w.bytes + sizeof h, w.length - sizeof h);
  memcpy(w.bytes, &h, sizeof h);
  *bytes = w.bytes, *length = w.length;
  return HN_OK;
}

// ---- reading -----------------------------------------------------------------------------------

typedef struct reader {
  hn_outside outside;  // first
  hn_sim *sim;
  const unsigned char *bytes;
  size_t left;
  bool failed;
} reader;

static const unsigned char *get(reader *r, size_t size) {
  const unsigned char *at = r->bytes;
  if (r->failed || r->left < size) {
    r->failed = true;
    return NULL;
  }
  r->bytes += size, r->left -= size;
  return at;
}

static bool get_number(reader *r, uint64_t *x) {
  const unsigned char *at = get(r, sizeof *x);
  if (at) memcpy(x, at, sizeof *x);
  return at;
}

static void get_piece(void *user, size_t at, size_t size, bool numbers) {
  reader *r = user;
  unsigned char *base = r->sim->arena.base, *to = base + at;
  if (numbers) {
    const unsigned char *from = get(r, size);
    if (from && size) memcpy(to, from, size);
    return;
  }
  uint64_t number, value;
  while (get_number(r, &number) && number != UINT64_MAX && get_number(r, &value)) {
    size_t i = (size_t)(number / 2) * 8;
    // damaged bytes pass the checksum only on purpose, but must not write outside of the piece
    if (number / 2 > size / 8 || i >= size || (number % 2 && value >= r->sim->size)) {
      r->failed = true;
      return;
    }
    if (number % 2) value += (uintptr_t)base;
    memcpy(to + i, &value, size - i < 8 ? size - i : 8);
  }
}

static void get_outside_bytes(hn_outside *o, void *at, size_t size) {
  const unsigned char *from = get((reader *)o, size);
  if (from && size) memcpy(at, from, size);
}

static void get_outside_sparse(hn_outside *o, hn_sparse *s) {
  reader *r = (reader *)o;
  uint64_t size;
  if (!get_number(r, &size)) return;
  const unsigned char *from = get(r, (size_t)size);
  if (from && !hn_sparse_restore(s, from, (size_t)size)) r->failed = true;
}

static bool get_run(reader *r) {
  r->outside = (hn_outside){get_outside_sparse, get_outside_bytes};
  visit_pieces(r->sim, get_piece, r);
  visit_outside(r->sim, &r->outside);
  return !r->failed && r->left == 0;
}

static hn_status refuse(char *message, size_t size, const char *text) {
  snprintf(message, size, "%s", text);
  return HN_ERR_FILE;
}

// a name of the library's length, ended
static bool is_name(const char name[PART_NAME]) {
  return memchr(name, 0, PART_NAME) != NULL;
}

static hn_status plan_from(hn_sim *plan, const method *m, char *message, size_t size) {
  if (!is_name(m->solver) || !is_name(m->correction) || !is_name(m->integrator) ||
      !memchr(m->reason, 0, sizeof m->reason))
    return refuse(message, size, "the saved run is damaged");
  hn_status status = hn_options_check(&m->opt, plan->message, sizeof plan->message);
  plan->opt = m->opt;
  plan->method.info = status ? NULL : hn_method_find(m->opt.method);
  plan->method.solver = hn_solver_find(m->solver);
  plan->method.correction = hn_correction_find(m->correction);
  plan->method.integrator = hn_integrator_find(m->integrator);
  memcpy(plan->method.reason, m->reason, sizeof m->reason);
  if (!plan->method.info || !plan->method.solver || !plan->method.correction ||
      !plan->method.integrator)
    return refuse(message, size, "the saved run is by a method that this library does not have");
  status = hn_sim_check_parts(plan);
  if (status) snprintf(message, size, "%s", plan->message);
  return status;
}

// is there nothing behind the name of the library? The checksum covers what follows the head
static bool ended(const head *h) {
  for (size_t i = strlen(hn_version()); i < sizeof h->library; i++)
    if (h->library[i]) return false;
  return true;
}

// everything that can be told before a run is made.
// FNV-1a: a guard against accidents, not against malice
static hn_status check_head(const head *h, const void *bytes, size_t length, const hn_system *sys,
                            char *message, size_t size) {
  if (memcmp(h->magic, magic, sizeof h->magic) != 0)
    return refuse(message, size, "this is no saved run");
  if (h->version != VERSION || h->order != 0x01020304 ||
      strncmp(h->library, hn_version(), sizeof h->library) != 0 || !ended(h))
    return refuse(message, size,
                  "the run was saved by another version of the library, or on another kind of "
                  "machine");
  uint64_t checksum = hash_start(), system;
  if (h->length == length)
    mix(&checksum, (const unsigned char *)bytes + sizeof *h, length - sizeof *h);
  if (h->length != length || checksum != h->checksum)
    return refuse(message, size, "the saved run is damaged or incomplete");
  if (!fingerprint(sys, &system)) {
    snprintf(message, size, "out of memory");
    return HN_ERR_MEMORY;
  }
  return system == h->system ? HN_OK
                             : refuse(message, size,
                                      "the run was saved with another model (or other parameters, "
                                      "or coordinates) than this system is compiled from");
}

hn_status hn_sim_restore(hn_sim **out, const hn_system *sys, const void *bytes, size_t length,
                         char *message, size_t size) {
  head h;
  method m;
  hn_sim plan = {.sys = sys}, *sim = NULL;
  *out = NULL;
  if (size) message[0] = 0;
  if (length < sizeof h + sizeof m) return refuse(message, size, "this is no saved run");
  memcpy(&h, bytes, sizeof h);
  hn_status status = check_head(&h, bytes, length, sys, message, size);
  if (status) return status;
  memcpy(&m, (const unsigned char *)bytes + sizeof h, sizeof m);
  status = plan_from(&plan, &m, message, size);
  if (!status) status = hn_sim_build(&sim, &plan, message, size);
  if (status) return status;
  size_t before = sizeof h + sizeof m;
  reader r = {.sim = sim, .bytes = (const unsigned char *)bytes + before, .left = length - before};
  if (shape_of(sim) != h.shape || !get_run(&r)) {
    hn_sim_destroy(sim);
    return refuse(message, size, "the saved run does not fit the system, or memory ran out");
  }
  *out = sim;
  return HN_OK;
}

// as saving and restoring, without the checks: system and method are the same by construction.
// Functions of the caller (controllers, pushes, listeners) are not copied
hn_status hn_sim_copy(hn_sim **out, const hn_sim *sim, char *message, size_t size) {
  *out = NULL;
  if (size) message[0] = 0;
  hn_status status = can_save(sim, message, size);
  if (status) return status;
  hn_sim plan = blueprint(sim), *copy = NULL;
  status = hn_sim_build(&copy, &plan, message, size);
  if (status) return status;
  writer w = writer_for(sim);
  put_run(&w);
  reader r = {.sim = copy, .bytes = w.bytes, .left = w.length};
  bool good = !w.failed && get_run(&r);
  free(w.bytes);
  if (!good) {
    hn_sim_destroy(copy);
    snprintf(message, size, "out of memory");
    return HN_ERR_MEMORY;
  }
  *out = copy;
  return HN_OK;
}

// ---- files -------------------------------------------------------------------------------------

hn_status hn_sim_save_file(const hn_sim *sim, const char *path, char *message, size_t size) {
  void *bytes;
  size_t length;
  hn_status status = hn_sim_save(sim, &bytes, &length, message, size);
  if (!status) status = hn_file_write(path, bytes, length, message, size);
  free(bytes);
  return status;
}

hn_status hn_sim_restore_file(hn_sim **out, const hn_system *sys, const char *path, char *message,
                              size_t size) {
  char *bytes = NULL, text[HN_MESSAGE], why[HN_MESSAGE];
  size_t length = 0;
  *out = NULL;
  hn_status status = hn_load_file(&bytes, &length, path, text);
  if (status) {
    snprintf(message, size, "%s", text);
    return status;
  }
  status = hn_sim_restore(out, sys, bytes, length, why, sizeof why);
  free(bytes);
  if (size) message[0] = 0;
  if (status) snprintf(message, size, "%.200s: %s", path, why);
  return status;
}
