// work.c: the runs of a study handed out to workers, their rows handed to the store.
//
// Workers are threads. Each takes the next few numbers from a counter, computes their rows and puts
// them into the store in one transaction: what is not there yet when the process is killed was in
// flight. A batch is as long as a twentieth of a second or so; towards the end batches get shorter,
// so that all workers end together. Who gets which run says nothing about its row.
#include "study/store.h"
#include "study/table.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Everybody reads what is above the lock without it: it is set before threads start. `found` too,
// so that a resumed study asks for no lock to skip what is done.
typedef struct crew {
  const hn_study *study;
  const hn_study_options *options;
  const hn_engine *engine;
  hn_store *store;  // one of the two, or none
  hn_study_table *table;
  unsigned char *found;  // bits of places whose rows are there already
  long places;           // runs of this part
  int shard, shards, jobs;
  const hn_points *points;  // these in the place of the study's design
  atomic_long next;         // the counter, when it is our own
  atomic_bool stop;
  pthread_mutex_t lock;  // of everything below
  pthread_cond_t changed;
  int working;
  hn_study_progress so_far;
  hn_status status;
  char message[HN_MESSAGE];
} crew;

// a clock that nobody sets back
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- what is to be done ----------------------------------------------------------------------

static bool is_found(const crew *c, long place) {
  return c->found[place / 8] >> (place % 8) & 1;
}

// Called for rows of the store and of all its parts; a row may be in two of them, and counts once.
static void note_found(void *user, long run) {
  crew *c = user;
  // runs of other shards may be in the same store
  if (run < 0 || run % c->shards != c->shard) return;
  long place = run / c->shards;
  // a store may have more rows than this study: of a part that somebody else named so
  if (place >= c->places || is_found(c, place)) return;
  c->found[place / 8] |= (unsigned char)(1 << (place % 8));
  c->so_far.found++;
}

// With a counter of the caller several processes draw from one sequence (MPI: cli/ranks.c);
// otherwise an atomic of our own.
static long take(crew *c, long count) {
  // the caller's counter must be safe between threads and between processes
  const hn_study_counter *counter = c->options->counter;
  return counter ? counter->next(counter->user, count) : atomic_fetch_add(&c->next, count);
}

// ---- a worker --------------------------------------------------------------------------------

// rows of a batch are in memory until they are delivered
enum { LONGEST_BATCH = 4096 };

// its buffers grow to the largest batch and are kept
typedef struct worker {
  crew *crew;
  pthread_t thread;
  void *state;  // of the engine; belongs to this thread
  int capacity;
  hn_run_row *row;
  double *values;
} worker;

// a buffer that has grown while the other has not is kept as well: realloc() took the old one
static bool make_room(worker *w, int count) {
  if (count <= w->capacity) return true;
  // one more than columns: a study without any has rows all the same
  size_t columns = (size_t)hn_study_columns(w->crew->study, NULL) + 1;
  hn_run_row *row = realloc(w->row, (size_t)count * sizeof *row);
  if (row) w->row = row;
  double *values = realloc(w->values, (size_t)count * columns * sizeof *values);
  if (values) w->values = values;
  if (!row || !values) return false;
  w->capacity = count;
  return true;
}

static void take_point(const hn_points *points, long place, int factors, hn_run_row *row) {
  row->k = points->first + place;
  // row i of the caller's points, whatever numbers the runs have
  memcpy(row->values, points->values + place * factors, (size_t)factors * sizeof(double));
}

// of `count` places from `first` on those that are not there yet
// Values are handed out here and not by engines, so that all of them run the same points. Metrics
// start as NAN: what an engine does not fill in is not there.
static int gather(worker *w, long first, long count) {
  crew *c = w->crew;
  int columns = hn_study_columns(c->study, NULL), n = 0;
  for (long place = first; place < first + count && place < c->places; place++) {
    if (is_found(c, place)) continue;
    hn_run_row *row = &w->row[n];
    // the inverse of what note_found does with a run
    row->k = place * c->shards + c->shard;
    row->values = w->values + (size_t)n++ * (size_t)columns;
    if (c->points)
      take_point(c->points, place, c->study->factors, row);
    else
      hn_design_values(c->study, row->k, row->values);
    for (int i = c->study->factors; i < columns; i++) row->values[i] = NAN;
  }
  return n;
}

// called with the lock; the first reason is the one that is told. Others end after what they are
// computing, and their rows are kept
static void give_up(crew *c, hn_status status, const char *message) {
  if (!c->status) {
    c->status = status;
    snprintf(c->message, sizeof c->message, "%s", message);
  }
  atomic_store(&c->stop, true);
}

// the caller's row keeps its own memory for values
static void give_point(const hn_points *points, const hn_run_row *row, int columns) {
  // points->rows is in the order of points
  hn_run_row *to = &points->rows[row->k - points->first];
  double *values = to->values;
  *to = *row;
  to->values = values;
  memcpy(values, row->values, (size_t)columns * sizeof(double));
}

// One transaction for a batch, under the lock: SQLite has one writer anyway. Rows of a batch that
// cannot be stored are not counted, and the study ends.
static void deliver(worker *w, int count) {
  crew *c = w->crew;
  // hn_table_add has no sentence of its own
  char message[HN_MESSAGE] = "out of memory";
  hn_status status = HN_OK;
  pthread_mutex_lock(&c->lock);
  // a store and a table never both: one of them keeps the rows
  if (c->store) status = hn_store_add(c->store, w->row, count, message);
  for (int i = 0; i < count && !status; i++) {
    if (c->table) status = hn_table_add(c->table, &w->row[i]);
    if (c->points) give_point(c->points, &w->row[i], hn_study_columns(c->study, NULL));
    // so_far is what progress is told
    c->so_far.count[w->row[i].status]++;
    c->so_far.done++;
  }
  if (status) give_up(c, status, message);
  pthread_mutex_unlock(&c->lock);
}

// a batch of about a twentieth of a second, and not more than a fair part of what is left
// Long enough that transactions cost nothing, short enough that a killed process loses nothing to
// speak of; a quarter of a fair part, so that no worker is left with the last batch alone.
static long next_size(const crew *c, long size, double took, long first) {
  static const double wished = 0.05;
  // doubled or halved: a factor of two around what is wished for settles
  if (took < 0.5 * wished) size *= 2;
  if (took > 2 * wished) size /= 2;
  // workers of all processes draw from one counter
  long processes = c->options->counter ? c->options->counter->workers : 1;
  long fair = (c->places - first) / (4 * c->jobs * (processes > 0 ? processes : 1));
  if (size > fair) size = fair;
  // an engine that wants more at once gets it
  if (size > LONGEST_BATCH && size > c->engine->batch) size = LONGEST_BATCH;
  return size < c->engine->batch ? c->engine->batch : size;
}

// Numbers are taken before anything else: another worker may be faster, and takes the next.
static void work_on(worker *w) {
  crew *c = w->crew;
  long size = c->engine->batch;
  while (!atomic_load(&c->stop)) {
    // numbers that are taken and not computed are missing until the study is resumed
    long first = take(c, size);
    // the counter goes on past the end: it is read by all
    if (first >= c->places) break;
    if (!make_room(w, (int)size)) {
      pthread_mutex_lock(&c->lock);
      give_up(c, HN_ERR_MEMORY, "out of memory");
      pthread_mutex_unlock(&c->lock);
      break;
    }
    double began = now();
    hn_run_batch batch = {w->row, gather(w, first, size), c->options->keep, &c->stop};
    int done = batch.count ? c->engine->run(w->state, &batch) : 0;
    if (done) deliver(w, done);
    // an engine that is not stopped does all or has no memory
    if (done < batch.count && !atomic_load(&c->stop)) {
      pthread_mutex_lock(&c->lock);
      give_up(c, HN_ERR_MEMORY, "out of memory");
      pthread_mutex_unlock(&c->lock);
    }
    size = next_size(c, size, now() - began, first + size);
  }
}

// An engine that cannot be opened ends the study for all: it would fail in the others, too.
static void *thread_main(void *user) {
  worker *w = user;
  crew *c = w->crew;
  char message[HN_MESSAGE] = "";
  // in this thread: what it opens belongs to the thread
  hn_status status = c->engine->open(c->study, &w->state, message);
  if (!status) {
    work_on(w);
    c->engine->close(w->state);
  }
  free(w->row);
  free(w->values);
  pthread_mutex_lock(&c->lock);
  if (status) give_up(c, status, message);
  c->working--;
  // the supervisor may be waiting for the last of them
  pthread_cond_signal(&c->changed);
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

// ---- the crew --------------------------------------------------------------------------------

// while others work: tells how it goes
// The progress function belongs to the caller: it is called without the lock, from the thread that
// called hn_study_run, ten times a second.
static void supervise(crew *c, double began) {
  pthread_mutex_lock(&c->lock);
  // a worker that ends wakes it before the time is over
  while (c->working > 0) {
    struct timespec until;
    // the clock that timed waits go by, unless one is told otherwise
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&c->changed, &c->lock, &until);
    // a copy: the caller gets it without the lock
    hn_study_progress p = c->so_far;
    p.seconds = now() - began;
    // runs that were found cost nothing: they do not count for the rate
    p.rate = p.seconds > 0 ? (double)(p.done - p.found) / p.seconds : 0;
    if (!c->options->progress) continue;
    pthread_mutex_unlock(&c->lock);
    bool go_on = c->options->progress(c->options->user, &p);
    pthread_mutex_lock(&c->lock);
    // a study that is done cannot be stopped any more
    if (!go_on && c->so_far.done < c->so_far.runs)
      give_up(c, HN_ERR_INTERRUPTED, "stopped by the caller");
  }
  pthread_mutex_unlock(&c->lock);
}

// Fewer threads than asked for are no failure; none at all is one.
static hn_status employ(crew *c) {
  worker *w = calloc((size_t)c->jobs, sizeof *w);
  if (!w) return hn_fail(c->message, HN_ERR_MEMORY, "out of memory");
  double began = now();
  // workers wait for the lock until all are counted
  int started = 0;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->changed, NULL);
  pthread_mutex_lock(&c->lock);
  for (; started < c->jobs; started++) {
    w[started].crew = c;
    if (pthread_create(&w[started].thread, NULL, thread_main, &w[started])) break;
    c->working++;
  }
  // supervise() ends at once then: nobody works
  if (started == 0) give_up(c, HN_ERR_MEMORY, "no thread can be started");
  pthread_mutex_unlock(&c->lock);
  // the calling thread computes nothing itself
  supervise(c, began);
  for (int i = 0; i < started; i++) pthread_join(w[i].thread, NULL);
  pthread_mutex_destroy(&c->lock);
  pthread_cond_destroy(&c->changed);
  free(w);
  return c->status;
}

// no more workers than there are batches
static hn_status choose_engine(crew *c) {
  const hn_study_options *o = c->options;
  c->engine = hn_engine_find(o->engine);
  if (!c->engine) return hn_fail(c->message, HN_ERR_ARGUMENT, "no engine '%.60s'", o->engine);
  // -1 where the system does not know
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  c->jobs = o->jobs > 0 ? o->jobs : processors > 0 ? (int)processors : 1;
  if (c->jobs > c->places / c->engine->batch + 1) c->jobs = (int)(c->places / c->engine->batch) + 1;
  // a bit for each place of this part
  c->found = calloc((size_t)c->places / 8 + 1, 1);
  return c->found ? HN_OK : hn_fail(c->message, HN_ERR_MEMORY, "out of memory");
}

// shards take turns (k mod shards), so that runs that take long are spread over all of them
static hn_status prepare(crew *c) {
  const hn_study_options *o = c->options;
  c->shards = o->shards > 1 ? o->shards : 1;
  c->shard = o->shards > 1 ? o->shard : 0;
  if (c->shard < 0 || c->shard >= c->shards)
    return hn_fail(c->message, HN_ERR_ARGUMENT, "no part %d of %d: they are counted from 0",
                   c->shard, c->shards);
  // places of shard s: k = s, s + shards, ...
  c->places = (c->study->runs - c->shard + c->shards - 1) / c->shards;
  hn_status status = choose_engine(c);
  if (status) return status;
  if (!o->store) {
    c->table = hn_table_create(hn_study_columns(c->study, NULL));
    return c->table ? HN_OK : hn_fail(c->message, HN_ERR_MEMORY, "out of memory");
  }
  status = hn_store_open(&c->store, c->study, o, c->message);
  // rows of all parts, not only of this one
  if (!status) status = hn_store_found(c->store, note_found, c, c->message);
  return status;
}

// A search asks for its points in batches of its own; workers are started for each, which costs
// little beside runs. The store was opened by the search, which adds to it until its end.
hn_status hn_points_run(const hn_study *study, const hn_study_options *options, hn_store *store,
                        const hn_points *points, char message[HN_MESSAGE]) {
  crew c = {.study = study,
            .options = options,
            .store = store,
            .points = points,
            .places = points->count,
            .shards = 1};
  hn_status status = choose_engine(&c);
  for (int i = 0; i < points->count && !status; i++)
    // known ones are passed over by gather()
    if (points->known[i]) note_found(&c, i);
  c.so_far.runs = c.places;
  c.so_far.done = c.so_far.found;
  if (!status && c.so_far.found < c.places) status = employ(&c);
  free(c.found);
  if (status) snprintf(message, HN_MESSAGE, "%s", c.message);
  return status;
}

// What was interrupted has its rows as far as they are there; other failures have no table.
hn_status hn_study_run(const hn_study *study, const hn_study_options *options,
                       hn_study_table **table, char *message, size_t size) {
  static const hn_study_options plain;
  crew c = {.study = study, .options = options ? options : &plain};
  if (table) *table = NULL;
  hn_status status = prepare(&c);
  c.so_far.runs = c.places;
  c.so_far.done = c.so_far.found;
  if (!status && c.so_far.found < c.places) status = employ(&c);
  hn_status kept = HN_OK;
  // an interrupted study keeps its message: that of reading is not asked for
  if (table && c.store && (!status || status == HN_ERR_INTERRUPTED))
    kept = hn_store_rows(c.store, table, status ? NULL : c.message);
  if (c.table) {
    // threads delivered their rows as they came
    hn_table_sort(c.table);
    if (table)
      *table = c.table;
    else
      hn_study_table_destroy(c.table);
  }
  // after the rows were read from it
  hn_store_close(c.store);
  free(c.found);
  if (status || kept) snprintf(message, size, "%s", c.message);
  return status ? status : kept;
}
