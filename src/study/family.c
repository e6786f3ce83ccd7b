// family.c: engines that carry many members at once: lanes of vectors, and a GPU (crowd.h).
//
// All members of a study that differ in numbers only share one code with arguments. Whoever is no
// member, leaves the constraints, loses energy or comes near a singular place is run by the library
// from its beginning, and so is whoever is to be kept.
//
// Processors and devices add and multiply to the same bits as long as nobody joins products to
// sums; where they may not, which costs a fifth of the speed, tables do not tell what they came
// from.
#include "study/crowd.h"
#include "study/engine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers in which 64 members spread over the study agree are taken for constants; a member that
// differs in one of them is no member, and goes to the library.
enum { SAMPLES = 64, LANE_BATCH = 64, DEVICE_BATCH = 4096 };

// what sets engines of this file apart
typedef struct kind {
  const char *name;
  bool on_device;
  hn_members_numbers numbers;
} kind;
static const kind lanes = {"lanes", false, HN_NUMBERS_FAST},
                  lanes_exact = {"lanes-exact", false, HN_NUMBERS_EXACT},
                  gpu = {"gpu", true, HN_NUMBERS_FAST},
                  gpu_exact = {"gpu-exact", true, HN_NUMBERS_EXACT},
                  gpu_single = {"gpu-single", true, HN_NUMBERS_SINGLE};

// ---- what all workers of a study have in common -----------------------------------------------

typedef struct shared {
  struct shared *next;
  const hn_study *study;  // found by its address: nobody else has the same study in memory
  const kind *kind;
  int users;         // workers that have it; the last one frees it
  hn_status status;  // of create(): what every worker is told that comes later
  char message[HN_MESSAGE];
  hn_kinship *family;
} shared;

// studies that have workers now; nearly always one or none
static shared *all;
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;

static hn_status check_study(shared *s) {
  const hn_study *study = s->study;
  // such a run has rows of a number of its own: its lanes could not end together
  if (study->metrics.stop)
    return hn_fail(s->message, HN_ERR_UNSUPPORTED, "the study stops runs on a condition");
  for (int i = 0; i < study->factors; i++)
    if (study->factor[i].target == HN_SET_OPTION)
      return hn_fail(s->message, HN_ERR_UNSUPPORTED, "factor '%s' sets an option of the run",
                     study->factor[i].name);
  return HN_OK;
}

// the first run that can be made, and a sample of the others
// the first model says what kind it is; one that is refused is passed over, there are rows for that
static hn_status gather(shared *s, hn_member *member, double *values) {
  // every so many runs, from the first on: spread over the whole design
  const hn_study *study = s->study;
  long every = study->runs > SAMPLES ? study->runs / SAMPLES : 1;
  bool begun = false;
  hn_model *model = NULL;
  hn_status status = HN_OK;
  for (long k = 0; k < study->runs && !status; k += every) {
    hn_design_values(study, k, values);
    // the model is used again by the next: a family keeps none
    if (hn_member_model(member, values, false, &model, s->message, sizeof s->message)) continue;
    if (begun)
      hn_kinship_widen(s->family, model);
    else
      status = hn_kinship_begin(s->family, model, s->message);
    begun = true;
  }
  hn_model_destroy(model);
  // a study without a single run that can be made is refused here, and is rows of refusals for the
  // library
  if (!begun) return hn_fail(s->message, HN_ERR_UNSUPPORTED, "no run of the study can be made");
  return status ? status : hn_kinship_write(s->family, s->message);
}

static void create(shared *s) {
  const hn_study *study = s->study;
  hn_member *member = NULL;
  double *values = calloc((size_t)study->factors + 1, sizeof *values);
  // column 0 of the metrics is time, which the code does not compute
  s->family = hn_kinship_create(s->kind->on_device, s->kind->numbers, study->metrics.columns - 1,
                                (const char *const *)study->metrics.column + 1);
  s->status =
      values && s->family ? check_study(s) : hn_fail(s->message, HN_ERR_MEMORY, "out of memory");
  if (!s->status) s->status = hn_member_open(study, &member, s->message);
  if (!s->status) s->status = gather(s, member, values);
  if (s->status == HN_ERR_UNSUPPORTED) {
    // s->message cannot be printed into itself
    char why[HN_MESSAGE];
    snprintf(why, sizeof why, "%s", s->message);
    hn_fail(s->message, s->status, "engine '%s': %.400s (the engine 'library' runs everything)",
            s->kind->name, why);
  }
  // was there only to read the sample
  hn_member_close(member);
  free(values);
}

static void leave(shared *s) {
  pthread_mutex_lock(&all_lock);
  if (--s->users == 0) {
    shared **at = &all;
    // it is in the list until its last worker leaves
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    hn_kinship_destroy(s->family);
    // nobody else can have it now: the lock is still held, and it is in no list
    free(s);
  }
  pthread_mutex_unlock(&all_lock);
}

// the first worker makes it, the others wait
// create() runs under the lock: it is what the others wait for
static shared *join(const hn_study *study, const kind *how) {
  pthread_mutex_lock(&all_lock);
  shared *s = all;
  // each kind has code of its own
  while (s && (s->study != study || s->kind != how)) s = s->next;
  if (!s && (s = calloc(1, sizeof *s))) {
    // a family that failed stays as well: other workers are told its reason at once
    *s = (shared){.next = all, .study = study, .kind = how};
    all = s;
    create(s);
  }
  if (s) s->users++;
  pthread_mutex_unlock(&all_lock);
  return s;
}

// ---- a worker ---------------------------------------------------------------------------------

// one thread's part; the crowd has room for one batch of lanes
typedef struct worker {
  shared *shared;
  hn_member *member;
  hn_crowd *crowd;
  hn_model *model;   // of the last member; the next is read into it
  double *constant;  // of those in the crowd, what their metrics read of them
  int *who;          // and which row of the batch each of them is
  bool *gone;        // rows that the library has to do
  int gone_room;
} worker;

static void close_worker(void *state) {
  worker *w = state;
  if (!w) return;
  hn_model_destroy(w->model);
  hn_crowd_destroy(w->crowd);
  free(w->constant), free(w->who), free(w->gone);
  hn_member_close(w->member);
  leave(w->shared);
  free(w);
}

static hn_status open_worker(const hn_study *study, const kind *how, void **state,
                             char message[HN_MESSAGE]) {
  worker *w = calloc(1, sizeof *w);
  // every way out of here must leave() again
  shared *s = w ? join(study, how) : NULL;
  *state = NULL;
  if (!s) {
    free(w);
    return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  }
  w->shared = s;
  hn_status status = s->status;
  // the reason is the same for all workers
  if (status) snprintf(message, HN_MESSAGE, "%s", s->message);
  if (!status) status = hn_member_open(study, &w->member, message);
  // a family that failed has no code to make a crowd for
  if (!status) w->crowd = hn_crowd_create(s->family, how->on_device ? DEVICE_BATCH : LANE_BATCH);
  if (w->crowd) {
    size_t room = (size_t)hn_crowd_room(w->crowd);
    w->constant = calloc(room * (size_t)study->metrics.constants + 1, sizeof *w->constant);
    w->who = calloc(room, sizeof *w->who);
  }
  if (!status && (!w->crowd || !w->constant || !w->who))
    status = hn_fail(message, HN_ERR_MEMORY, "out of memory");
  if (status)
    close_worker(w);
  else
    *state = w;
  return status;
}

// a member takes place i; false: it is none
static bool place(worker *w, long i, const hn_run_row *row) {
  char message[HN_MESSAGE];
  // a member that is refused leaves w->model[i] empty, or with what is read over by the next
  if (hn_member_model(w->member, row->values, false, &w->model, message, sizeof message))
    return false;
  hn_member_constants(w->member, w->model, row->values,
                      w->constant + i * w->shared->study->metrics.constants);
  return hn_crowd_place(w->crowd, i, w->model);
}

static bool measure(worker *w, long i, hn_run_row *row) {
  const hn_kinship *family = w->shared->family;
  const hn_metrics *m = &w->shared->study->metrics;
  long rows = hn_kinship_rows(family);
  // metrics are measured on results: the rows of this member become one
  hn_result *result = hn_result_create("run", m->columns);
  bool good = result != NULL;
  for (int c = 0; good && c < m->columns; c++)
    good = hn_result_set_column(result, c, m->column[c], "") == HN_OK;
  for (long r = 0; good && r < rows; r++) {
    double *x = hn_result_append(result);
    good = x != NULL;
    if (good) x[0] = hn_kinship_time(family, r);
    // columns of the crowd have no time among them
    for (int c = 1; good && c < m->columns; c++) x[c] = hn_crowd_value(w->crowd, i, r, c - 1);
  }
  // what the library may have written there before
  row->message[0] = 0;
  row->status = HN_ROW_DONE;
  good = good &&
         hn_member_measure_with(w->member, w->constant + i * m->constants, result, (int)rows, row);
  hn_result_destroy(result);
  return good;
}

// whatever the code says is believed only where hn_crowd_holds() says so
static void settle(worker *w, const hn_run_batch *batch, long count) {
  bool good = count > 0 && hn_crowd_run(w->crowd, count);
  // a device that failed sends all of them to the library
  for (long i = 0; i < count; i++) {
    hn_run_row *row = &batch->rows[w->who[i]];
    if (!good || !hn_crowd_holds(w->crowd, i) || !measure(w, i, row)) w->gone[w->who[i]] = true;
  }
}

static bool make_room(worker *w, int count) {
  if (count <= w->gone_room) return true;
  // kept, and grown to the largest batch
  bool *gone = realloc(w->gone, (size_t)count * sizeof *gone);
  if (!gone) return false;
  w->gone = gone, w->gone_room = count;
  return true;
}

// members first, then those for the library: a stop in between leaves whole batches undone, never
// half a row
static int run_worker(void *state, const hn_run_batch *batch) {
  worker *w = state;
  const hn_study *study = w->shared->study;
  long count = 0;
  // none is done: rows that are not there are not delivered
  if (!make_room(w, batch->count)) return 0;
  for (int i = 0; i < batch->count; i++) {
    // whole batches only: some of this one may be in the crowd
    if (atomic_load_explicit(batch->stop, memory_order_relaxed)) return 0;
    w->gone[i] = (batch->keep && hn_run_is_kept(study, batch->rows[i].k)) ||
                 !place(w, count, &batch->rows[i]);
    if (w->gone[i]) continue;
    w->who[count++] = i;
    // a full crowd is run at once; what is left over comes last
    if (count == hn_crowd_room(w->crowd)) settle(w, batch, count), count = 0;
  }
  settle(w, batch, count);
  for (int i = 0; i < batch->count; i++)
    if (w->gone[i] && !hn_member_run(w->member, &batch->rows[i], batch->keep, batch->stop))
      // those after i may be done already: they are computed again by whoever resumes
      return i;
  return batch->count;
}

// an engine's way in: which kind it is
#define OPEN(which)                                                                                \
  static hn_status open_##which(const hn_study *study, void **state, char message[HN_MESSAGE]) {   \
    return open_worker(study, &which, state, message);                                             \
  }
OPEN(lanes)
OPEN(lanes_exact)
OPEN(gpu)
OPEN(gpu_exact)
OPEN(gpu_single)
#undef OPEN

#define ENGINE(label, text, members, way)                                                          \
  {                                                                                                \
    .name = label, .help = text, .batch = members, .open = way, .run = run_worker,                 \
    .close = close_worker                                                                          \
  }
const hn_engine hn_engine_lanes =
    ENGINE("lanes",
           "members side by side in the lanes of vectors, by code compiled for the study; explicit "
           "methods with steps of one length",
           LANE_BATCH, open_lanes);
const hn_engine hn_engine_lanes_exact = ENGINE(
    "lanes-exact", "the same without fused products: the same bits whatever the number of lanes",
    LANE_BATCH, open_lanes_exact);
const hn_engine hn_engine_gpu =
    ENGINE("gpu", "as lanes, on a GPU of NVIDIA's, a thread a member", DEVICE_BATCH, open_gpu);
const hn_engine hn_engine_gpu_exact =
    ENGINE("gpu-exact", "a GPU without fused products: the same bits as by lanes-exact",
           DEVICE_BATCH, open_gpu_exact);
const hn_engine hn_engine_gpu_single = ENGINE(
    "gpu-single",
    "numbers of 32 bits, twice as fast; wants limits of the audit that such numbers can keep",
    DEVICE_BATCH, open_gpu_single);
#undef ENGINE
