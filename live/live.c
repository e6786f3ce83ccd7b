// live.c: the library in a page: a model as text in, what the page shows of its run out.
//
// Compiled to WebAssembly (cmake/live.cmake) on the public header alone. The page writes texts into
// memory it was given (live_take), says what is to be changed, runs, and reads the answer; whatever
// was answered stays until the next run. A run leaves nothing behind, so pages run for days.
//
// Two threads share the work where there are two: while one runs (live_later, live_run) the other
// one runs the companion (live_companion), whose numbers the first one then verifies its run by
// (live_verify).
//
// What takes long is told in parts, where the page wants them: the rows there are after a while,
// then ever more rarely; and all of them before the companion that verifies them (option `verify`)
// runs. What is answered after that says what the companion found, without the numbers: the page
// has them.
#include <holon/holon.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT(name) __attribute__((export_name(#name), used))

// the page: an answer is there, of a run that goes on unless this says 0; `part` of its time is
// done
__attribute__((import_module("page"), import_name("live_part"))) int live_part(double part);

enum { MOST = 256, MESSAGE = 1024 };

typedef struct setting {
  char *name, *value;
} setting;

static setting parameter[MOST], option[MOST], input[MOST];
static int parameters, options, inputs;
static hn_report_data answer;
static char message[MESSAGE];
static const double soon = 0.8;  // a whole that is so near, of first_part, is waited for
static double first_part;        // [s] after which the first part is told; 0: none is wanted

EXPORT(live_take) void *live_take(size_t size) {
  return malloc(size);
}

EXPORT(live_free) void live_free(void *memory) {
  free(memory);
}

static void forget(setting *list, int *count) {
  for (int i = 0; i < *count; i++) free(list[i].name), free(list[i].value);
  *count = 0;
}

EXPORT(live_begin) void live_begin(void) {
  forget(parameter, &parameters);
  forget(option, &options);
  forget(input, &inputs);
}

// keeps both texts, which came from live_take
static int add(setting *list, int *count, char *name, char *value) {
  if (*count == MOST) {
    free(name), free(value);
    return 1;
  }
  list[(*count)++] = (setting){name, value};
  return 0;
}

EXPORT(live_parts) void live_parts(double seconds) {
  first_part = seconds;
}

EXPORT(live_parameter) int live_parameter(char *name, char *value) {
  return add(parameter, &parameters, name, value);
}

EXPORT(live_option) int live_option(char *name, char *value) {
  return add(option, &options, name, value);
}

EXPORT(live_input) int live_input(char *name, char *value) {
  return add(input, &inputs, name, value);
}

// ---- the run -------------------------------------------------------------------------------

typedef struct run {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_result *result;
  hn_summary summary;
  double began, next;  // [s] when it began; how long after that the next part is told
  double ready;        // [s] when it was compiled, and the steps began
  int told;            // so many rows, when those were all; 0: not yet
  hn_track *states;    // of a run that is to be verified
} run;

static bool later;   // runs are left to be verified
static run waiting;  // such a run
static struct {
  double *numbers;  // of the companion
  size_t count;
  double until;  // [s] when it is given up
} beside;

static double clock_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static hn_status prepare(run *r, const char *text, size_t length, const char *name) {
  r->model = hn_model_create();
  if (!r->model) return snprintf(message, MESSAGE, "out of memory"), HN_ERR_MEMORY;
  hn_status status = HN_OK;
  for (int i = 0; i < parameters && !status; i++)
    status = hn_model_override(r->model, parameter[i].name, parameter[i].value);
  if (!status) status = hn_model_parse(r->model, text, length, name);
  hn_options *chosen = hn_model_options(r->model);
  for (int i = 0; i < options && !status; i++) {
    // a preset is meant as a whole
    if (strcmp(option[i].name, "method") == 0)
      chosen->solver[0] = chosen->correction[0] = chosen->integrator[0] = 0;
    status = hn_options_set(chosen, option[i].name, option[i].value, message, MESSAGE);
    if (status) return status;
  }
  hn_report_prepare(r->model);
  if (!status) status = hn_compile(&r->system, r->model);
  if (status) {
    snprintf(message, MESSAGE, "%s", hn_model_error(r->model));
    return status;
  }
  return hn_sim_create(&r->sim, r->system, chosen, message, MESSAGE);
}

static hn_status set_inputs(run *r) {
  for (int i = 0; i < inputs; i++) {
    int k = hn_input_find(r->system, input[i].name);
    hn_status status = k < 0 ? HN_ERR_ARGUMENT : hn_input_set(r->sim, k, atof(input[i].value));
    if (status) {
      snprintf(message, MESSAGE, "input '%.60s' cannot be %.40s", input[i].name, input[i].value);
      return status;
    }
  }
  return HN_OK;
}

// `known`: of these rows the page has the numbers, and wants to know what was found out about them
static hn_status pack(run *r, const hn_summary *summary, const char *why, bool known) {
  hn_free(answer.json);
  hn_free(answer.numbers);
  answer = (hn_report_data){0};
  hn_report_run shown = {.result = r->result, .summary = summary, .message = why};
  hn_report report = {.model = r->model,
                      .system = r->system,
                      .run = &shown,
                      .run_count = 1,
                      .live = true,
                      .numbers_known = known};
  return hn_report_pack_data(&report, &answer);
}

static bool tell_part(void *user, double t, double duration) {
  run *r = user;
  double spent = clock_now() - r->began;
  bool whole = t >= duration;
  // after all rows were told it is the companion that gets on
  if (r->told || (!whole && spent < r->next) || hn_result_rows(r->result) < 2) return true;
  // packing and drawing a part would only delay a whole that is nearly there
  double stepping = clock_now() - r->ready, rest = t > 0 ? stepping * (duration - t) / t : INFINITY;
  if (!whole && rest < soon * first_part) return true;
  // an audit would look at states that are not recorded
  bool goes_on = pack(r, NULL, NULL, false) || live_part(duration > 0 ? t / duration : 1);
  r->told = whole ? hn_result_rows(r->result) : 0;
  r->next = 3 * (clock_now() - r->began);
  return goes_on;
}

static hn_status start(run *r, const char *text, size_t length, const char *name) {
  message[0] = 0;
  r->began = clock_now();
  r->next = first_part;
  hn_status status = prepare(r, text, length, name);
  if (!status) status = set_inputs(r);
  r->ready = clock_now();
  return status;
}

static hn_status conclude(run *r, hn_status ended) {
  if (ended) snprintf(message, MESSAGE, "%s", hn_sim_error(r->sim));
  if (!r->result || hn_result_rows(r->result) < 1) return ended ? ended : HN_ERR_ARGUMENT;
  hn_sim_summary(r->sim, &r->summary);
  return pack(r, &r->summary, ended ? message : NULL, r->told == hn_result_rows(r->result));
}

static hn_status carry_out(run *r, const char *text, size_t length, const char *name) {
  hn_status status = start(r, text, length, name);
  if (status) return status;
  hn_progress_fn tell = first_part > 0 ? tell_part : NULL;
  if (!later || strcmp(hn_model_options(r->model)->beam_check, "off") != 0)
    return conclude(r, hn_run(r->sim, &r->result, tell, r));
  hn_status ended = hn_run_unverified(r->sim, &r->result, &r->states, tell, r);
  if (!ended && r->states) return HN_OK;
  return conclude(r, ended);
}

static void finish(run *r) {
  hn_track_destroy(r->states);
  hn_result_destroy(r->result);
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->system);
  hn_model_destroy(r->model);
  *r = (run){0};
}

static int said(hn_status status) {
  if (status && !message[0]) snprintf(message, MESSAGE, "out of memory");
  return (int)status;
}

// runs are left to be verified by live_verify, or not
EXPORT(live_later) void live_later(int yes) {
  later = yes != 0;
}

// 0: there is an answer, or live_waiting() says that it is to be verified; otherwise live_message()
// says why there is none
EXPORT(live_run) int live_run(const char *text, size_t length, const char *name) {
  finish(&waiting);
  run *r = &waiting;
  hn_status status = carry_out(r, text, length, name);
  if (status || !r->states) finish(r);
  return said(status);
}

EXPORT(live_waiting) int live_waiting(void) {
  return waiting.states != NULL;
}

// the run that waits, by the companion's numbers (NULL: none); 0: there is an answer
EXPORT(live_verify) int live_verify(const double *numbers, size_t count) {
  run *r = &waiting;
  hn_track *states = r->states;
  r->states = NULL;
  hn_run_verify(r->sim, states, numbers, count, first_part > 0 ? tell_part : NULL, r);
  hn_status status = conclude(r, HN_OK);
  finish(r);
  return said(status);
}

static bool in_time(void *user, double t, double duration) {
  (void)user, (void)t, (void)duration;
  return clock_now() < beside.until;
}

// The companion of a run that another thread carries out, given up after so many seconds. Nothing
// is said where there is none: whoever runs will say it
EXPORT(live_companion)
void live_companion(const char *text, size_t length, const char *name, double seconds) {
  run r = {0};
  hn_free(beside.numbers);
  beside.numbers = NULL, beside.count = 0;
  if (!start(&r, text, length, name)) {
    beside.until = clock_now() + seconds;
    (void)hn_companion(r.sim, &beside.numbers, &beside.count, in_time, NULL);
  }
  finish(&r);
}

EXPORT(live_companion_numbers) const double *live_companion_numbers(void) {
  return beside.numbers;
}

EXPORT(live_companion_count) size_t live_companion_count(void) {
  return beside.count;
}

EXPORT(live_message) const char *live_message(void) {
  return message;
}

EXPORT(live_json) const char *live_json(void) {
  return answer.json;
}

EXPORT(live_numbers) const void *live_numbers(void) {
  return answer.numbers;
}

EXPORT(live_size) size_t live_size(void) {
  return answer.size;
}
