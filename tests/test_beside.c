// test_beside.c: a companion that runs beside says of a run, bit by bit, what one behind it says.
#include "holon/holon.h"
#include "test.h"

#include <math.h>
#include <string.h>

typedef struct pair {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_result *result;
  hn_summary summary;
} pair;

static bool begin(pair *p, const char *name, const char *const *set) {
  char path[96], message[256];
  *p = (pair){.model = hn_model_create()};
  snprintf(path, sizeof path, "models/%s.yaml", name);
  if (!CHECK(hn_model_load(p->model, path) == HN_OK)) return false;
  hn_options *o = hn_model_options(p->model);
  for (; set && set[0]; set += 2)
    if (!CHECK(hn_options_set(o, set[0], set[1], message, sizeof message) == HN_OK)) return false;
  return CHECK(hn_compile(&p->system, p->model) == HN_OK) &&
         CHECK(hn_sim_create(&p->sim, p->system, o, message, sizeof message) == HN_OK);
}

static void end(pair *p) {
  hn_result_destroy(p->result);
  hn_sim_destroy(p->sim);
  hn_system_destroy(p->system);
  hn_model_destroy(p->model);
}

// the same bits, padding aside. One beside the run is looked at in more states than the run keeps
// in the end, and may be told of a step more where it is given up
static bool same_error(const hn_motion_error *a, const hn_motion_error *b) {
  return a->known == b->known && memcmp(&a->position, &b->position, 7 * sizeof(double)) == 0 &&
         strcmp(a->how, b->how) == 0 && memcmp(&a->relative_state, &b->relative_state, 8) == 0 &&
         fabs(b->share - a->share) < 0.3;
}

// runs a model three times: as usual; to be verified, by numbers of a third that ran the companion.
// `there`: there are such numbers
static void compare(const char *name, const char *const *set, bool there) {
  pair usual, run, other;
  double *numbers = NULL;
  size_t count = 0;
  hn_track *states = NULL;
  bool good = begin(&usual, name, set);
  good = begin(&run, name, set) && good;
  good = begin(&other, name, set) && good;
  if (good) {
    CHECK(hn_run(usual.sim, &usual.result, NULL, NULL) == HN_OK);
    CHECK(hn_companion(other.sim, &numbers, &count, NULL, NULL) == HN_OK);
    if (!CHECK((numbers != NULL) == there && (count > 0) == there))
      printf("%s: %zu numbers\n", name, count);
    CHECK(hn_run_unverified(run.sim, &run.result, &states, NULL, NULL) == HN_OK);
    hn_sim_summary(run.sim, &run.summary);
    CHECK(!run.summary.motion.known);
    hn_run_verify(run.sim, states, numbers, count, NULL, NULL);
    hn_sim_summary(usual.sim, &usual.summary);
    hn_sim_summary(run.sim, &run.summary);
    if (!CHECK(same_error(&usual.summary.motion, &run.summary.motion)))
      printf("%s: %s, %.17g, %.3f of the work; beside: %s, %.17g, %.3f\n", name,
             usual.summary.motion.how, usual.summary.motion.position, usual.summary.motion.share,
             run.summary.motion.how, run.summary.motion.position, run.summary.motion.share);
    if (strstr(name, "flyball") && set && strcmp(set[0], "integrator") == 0)
      CHECK(strstr(run.summary.motion.how, "up to") != NULL);
    CHECK(usual.summary.audit_pass == run.summary.audit_pass);
    for (int i = 0; i < usual.summary.audit_count; i++)
      CHECK(memcmp(&usual.summary.audit[i].worst, &run.summary.audit[i].worst, 8) == 0);
    int rows = hn_result_rows(run.result), columns = hn_result_columns(run.result);
    if (CHECK(rows == hn_result_rows(usual.result)))
      for (int i = 0; i < rows; i++)
        CHECK(memcmp(hn_result_row(run.result, i), hn_result_row(usual.result, i),
                     (size_t)columns * 8) == 0);
  }
  hn_free(numbers);
  end(&usual), end(&run), end(&other);
}

static void test_same(void) {
  // smooth; events; drivers; a state of first order; a duration that is no multiple of the interval
  compare("four_bar", NULL, true);
  compare("double_wishbone", NULL, true);
  compare("stewart_platform", (const char *const[]){"duration", "2", NULL}, true);
  compare("watt_governor", NULL, true);
  compare("pendulum", (const char *const[]){"duration", "1", "output_step", "0.0173", NULL}, true);
  // more rows than states are kept
  compare("pendulum", (const char *const[]){"output_step", "0.0013", NULL}, true);
  // stability keeps steps short, so that the companion covers a part only
  const char *const part[] = {"integrator", "dopri5", "rtol", "1e-4", NULL};
  compare("flyball_governor", part, true);
  // impacts
  compare("woodpecker", (const char *const[]){"duration", "0.6", NULL}, true);
  // a handful of steps: an exact companion comes first
  compare("pendulum", (const char *const[]){"duration", "0.2", NULL}, true);
}

// Frictions settle from the reactions at hand: rows that are recorded on the way leave none of
// theirs
static void test_rows_change_nothing(void) {
  pair few, many;
  const char *const one[] = {"duration", "0.6", "output_step", "0.6", NULL};
  const char *const all[] = {"duration", "0.6", "output_step", "0.003", NULL};
  bool good = begin(&few, "woodpecker", one);
  good = begin(&many, "woodpecker", all) && good;
  if (good && CHECK(hn_run(few.sim, &few.result, NULL, NULL) == HN_OK) &&
      CHECK(hn_run(many.sim, &many.result, NULL, NULL) == HN_OK)) {
    CHECK(hn_result_rows(few.result) == 2 && hn_result_rows(many.result) == 201);
    for (int k = 0; k < hn_result_columns(few.result); k++) {
      const char *name = hn_result_name(few.result, k);
      double x = hn_result_row(few.result, 1)[k], y = hn_result_row(many.result, 200)[k];
      // the work of constraints is added up over the rows
      if (!CHECK(strstr(name, "constraints.") || memcmp(&x, &y, 8) == 0))
        printf("  %s: %.17g, %.17g\n", name, x, y);
    }
  }
  end(&few), end(&many);
}

// which companion it is depends on the run, or there is to be none
static void test_none(void) {
  compare("four_bar", (const char *const[]){"integrator", "rk4", "step", "1e-2", NULL}, false);
  compare("four_bar", (const char *const[]){"rtol", "1e-3", NULL}, false);
  compare("pendulum", (const char *const[]){"verify", "rerun", NULL}, false);
  compare("pendulum", (const char *const[]){"verify", "off", NULL}, false);
}

// numbers of another run are passed over
static void test_of_another(void) {
  const char *const longer[] = {"duration", "11", NULL};
  pair usual, run, other;
  double *numbers = NULL;
  size_t count = 0;
  hn_track *states = NULL;
  bool good = begin(&usual, "four_bar", NULL);
  good = begin(&run, "four_bar", NULL) && good;
  good = begin(&other, "four_bar", longer) && good;
  if (good) {
    CHECK(hn_run(usual.sim, &usual.result, NULL, NULL) == HN_OK);
    CHECK(hn_companion(other.sim, &numbers, &count, NULL, NULL) == HN_OK && numbers != NULL);
    CHECK(hn_run_unverified(run.sim, &run.result, &states, NULL, NULL) == HN_OK);
    hn_run_verify(run.sim, states, numbers, count, NULL, NULL);
    hn_sim_summary(usual.sim, &usual.summary);
    hn_sim_summary(run.sim, &run.summary);
    CHECK(same_error(&usual.summary.motion, &run.summary.motion) && run.summary.motion.known);
  }
  hn_free(numbers);
  end(&usual), end(&run), end(&other);
}

static bool never(void *user, double t, double duration) {
  (void)t, (void)duration;
  ++*(int *)user;
  return false;
}

// companions may be given up, and states dropped
static void test_given_up(void) {
  pair run, other;
  double *numbers = NULL;
  size_t count = 0;
  hn_track *states = NULL;
  int asked = 0;
  bool good = begin(&run, "four_bar", NULL);
  good = begin(&other, "four_bar", NULL) && good;
  if (good) {
    CHECK(hn_companion(other.sim, &numbers, &count, never, &asked) == HN_OK);
    CHECK(asked == 1 && !numbers && count == 0);
    CHECK(hn_run_unverified(run.sim, &run.result, &states, NULL, NULL) == HN_OK && states);
    hn_track_destroy(states);
    hn_track_destroy(NULL);
    hn_sim_summary(run.sim, &run.summary);
    CHECK(!run.summary.motion.known && run.summary.audit_pass);
  }
  hn_free(numbers);
  end(&run), end(&other);
}

int main(void) {
  RUN(test_same);
  RUN(test_rows_change_nothing);
  RUN(test_none);
  RUN(test_of_another);
  RUN(test_given_up);
  return test_end();
}
