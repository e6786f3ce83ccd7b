// test_redundant_methods.c: every preset that says it can do redundant, on every family of random
// mechanisms with more joints than they need.
//
// Each pair of preset and family gets a mechanism of its own (seeds are printed where it fails) in
// coordinates drawn among those the preset can do, and is held against the default method with a
// tolerance far below. Methods that control their error must agree to 1e-8; those of fixed step
// must come nearer by their order when the step is halved, until that is reached. Joints that miss
// each other by a rounding share the gap each in their own way, and the motions differ by as much.
#include "rank_rig.h"
#include "sim/sim.h"

typedef struct sort {
  const char *name;
  void (*write)(mechanism *m);
  double duration;
} sort;

static void small_walker(mechanism *m) {
  walker(m, 1, 3, false);
}
static void small_driven_walker(mechanism *m) {
  walker(m, 1, 3, true);
}

static const sort sorts[] = {
    {"tilted four-bar", tilted_four_bar, 0.04},
    {"shaft in bearings", shaft_in_bearings, 0.04},
    {"skew parallelogram", skew_parallelogram, 0.02},
    {"Cardan shaft", cardan, 0.04},
    {"delta robot", free_delta, 0.01},
    {"driven delta robot", driven_delta, 0.01},
    {"walker", small_walker, 0.02},
    {"driven walker", small_driven_walker, 0.02},
};
enum { SORTS = sizeof sorts / sizeof *sorts };

typedef struct pair {
  const hn_method_info *method;
  const hn_integrator_type *integrator;
  const sort *sort;
  int seed;
  unsigned can;
  const char *coordinates;
  mechanism m;
  outcome exact;
  double gap;  // by which joints miss each other
} pair;

// the step is left to the method; implicit steppers of low order are given one
static bool adaptive(const pair *p) {
  return hn_method_chooses(p->method->name) ||
         (p->integrator->adaptive && (p->integrator->order > 2 || !p->integrator->stands_alone));
}

// what is not agreed upon: round-off, what a gap does to the motion of each method, and the give of
// constraints that are springs
static double floor_of(const pair *p) {
  return (strcmp(p->method->solver, "penalty") == 0 ? 1e-4 : 1e-8) + 100 * p->gap;
}

// error of a run; NAN: it did not end well, and that is said
static double run_with(const pair *p, double step, bool *refused) {
  char message[512] = "";
  hn_model *model = hn_model_create();
  hn_system *sys = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  hn_options *o = hn_model_options(model);
  hn_status status = hn_model_parse(model, p->m.text, p->m.used, "random");
  snprintf(o->method, sizeof o->method, "%s", p->method->name);
  snprintf(o->coordinates, sizeof o->coordinates, "%s", p->coordinates);
  snprintf(o->verify, sizeof o->verify, "off");
  o->duration = o->output_step = p->sort->duration;
  o->rtol = fmax(1e-10, 100 * p->gap);  // closer than the joints meet makes no sense
  o->step = step;
  if (!status) status = hn_compile(&sys, model);
  if (status) snprintf(message, sizeof message, "%s", hn_model_error(model));
  if (!status) status = hn_sim_create(&sim, sys, o, message, sizeof message);
  *refused = status == HN_ERR_UNSUPPORTED;
  if (!status && (status = hn_run(sim, &result, NULL, NULL)))
    snprintf(message, sizeof message, "%s", hn_sim_error(sim));
  double apart = !status ? difference(p->exact.result, result) : NAN;
  if (status && !(*refused && !strstr(message, "redundant")))
    printf("  %s on %s, seed %d (%d digits), %s, step %g: %s\n", p->method->name, p->sort->name,
           p->seed, p->m.digits, p->coordinates, step, message);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(sys);
  hn_model_destroy(model);
  return apart;
}

// 1: right, 0: wrong, -1: the method refuses what else is in the model (drivers, say)
static int try_pair(const pair *p) {
  bool refused;
  double step = p->sort->duration / 16, coarse = run_with(p, adaptive(p) ? 0 : step, &refused);
  double limit = floor_of(p);
  if (refused) return -1;
  if (coarse <= limit) return 1;
  if (isnan(coarse) || adaptive(p)) {
    printf("  %s on %s, seed %d (%d digits), %s: off by %.2g, gap %.2g\n", p->method->name,
           p->sort->name, p->seed, p->m.digits, p->coordinates, coarse, p->gap);
    return 0;
  }
  double fine = run_with(p, step / 2, &refused);
  // gains of the size 1/h act on the stages of an integrator
  int order = strcmp(p->method->name, "baumgarte-rule") == 0 ? 1 : p->integrator->order;
  double gain = pow(2, order - 0.8);
  if (fine <= limit || fine < coarse / gain) return 1;
  printf("  %s on %s, seed %d (%d digits), %s: off by %.2g, with half the step %.2g (order %d), "
         "gap %.2g\n",
         p->method->name, p->sort->name, p->seed, p->m.digits, p->coordinates, coarse, fine, order,
         p->gap);
  return 0;
}

static void begin(pair *p, int seed) {
  static const way usual = {"default", "auto", "library", 0};
  p->seed = seed;
  mechanism_begin(&p->m, (unsigned long long)seed, -1);
  p->sort->write(&p->m);
  go(&p->exact, &p->m, &usual, p->sort->duration);
  p->gap = p->exact.sys ? hn_system_check(p->exact.sys)->gap : 0;
  const char *choice[3] = {"auto", "relative", "natural"};
  const unsigned needs[3] = {0, HN_CAN_RELATIVE, HN_CAN_NATURAL};
  p->coordinates = choice[0];
  int k = whole(0, 2);
  if (!(p->can & HN_NEEDS_NATURAL) && (p->can & needs[k]) == needs[k])
    p->coordinates = k ? choice[k] : "reference";
}

static void test_presets(void) {
  const char *only = getenv("HN_METHOD"), *of = getenv("HN_FAMILY"), *one = getenv("HN_SEED");
  static pair p;
  int tried = 0, refused = 0;
  const hn_method_info *method;
  for (int i = 0; (method = hn_method_at(i)); i++) {
    hn_options o = hn_options_default();
    snprintf(o.method, sizeof o.method, "%s", method->name);
    p = (pair){.method = method, .integrator = hn_integrator_find(method->integrator)};
    p.can = hn_method_can(&o);
    if (!(p.can & HN_CAN_REDUNDANT) || (only && strcmp(only, method->name) != 0)) continue;
    int ran = 0;
    for (int k = 0; k < SORTS; k++) {
      p.sort = &sorts[k];
      if (of && !strstr(p.sort->name, of)) continue;
      begin(&p, one ? atoi(one) : 1000 + SORTS * i + k);
      const hn_check *check = p.exact.sys ? hn_system_check(p.exact.sys) : NULL;
      if (CHECK(!p.exact.status && p.exact.audit) &&
          CHECK(check->rows - check->rank == p.m.redundant && check->dof == p.m.dof)) {
        int right = try_pair(&p);
        CHECK(right != 0);
        ran += right > 0;
        refused += right < 0;
        tried++;
      } else {
        printf("  %s, seed %d: %s\n", p.sort->name, p.seed, p.exact.message);
      }
      end(&p.exact);
    }
    if (!of) CHECK(ran >= 4);
  }
  printf("%d pairs of preset and family from seed 1000 on, %d refused for other reasons\n", tried,
         refused);
}

int main(void) {
  RUN(test_presets);
  return test_end();
}
