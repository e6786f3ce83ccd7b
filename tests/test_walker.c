// test_walker.c: large mechanisms with many more joints than they need, free and driven.
//
// A walking machine has one degree of freedom, so that every bar follows from the angle of the
// shaft by triangles (walker_leg). Its numbers are rounded, and each hinge misses the others by as
// much.
//
//   HN_WALKER_SECONDS=20 build/tests/test_walker    walks so long (the large ones)
#include "rank_rig.h"

typedef struct machine {
  int legs, digits;
  bool driven;
  double duration;
} machine;

// how far bars are from where the angle of the shaft puts them
static double strayed(const mechanism *m, const outcome *o, int legs, double angle) {
  static const char *const axis[] = {"x", "y", "z"};
  double worst = 0;
  for (int k = 0; k < legs; k++) {
    double at[6][3], com[3];
    walker_hinges(at, k, walker_phase(k, legs) + angle);
    for (int i = 0; i < 4; i++) {
      middle(com, at[walker_ends[i][0]], at[walker_ends[i][1]]);
      for (int c = 0; c < 3; c++) {
        char name[32];
        double x = m->p[c];
        for (int j = 0; j < 3; j++) x += m->R[3 * c + j] * com[j];
        snprintf(name, sizeof name, "%s%d.%s", walker_bar[i], k, axis[c]);
        worst = fmax(worst, fabs(last(o->result, name) - x));
      }
    }
  }
  return worst;
}

static void walk(const machine *w, int seed, const char *coordinates, const char *code) {
  static mechanism m;
  outcome o;
  way by = {"default", coordinates, code, 0};
  double rate = 3;
  mechanism_begin(&m, (unsigned long long)seed, w->digits);
  walker(&m, w->legs, rate, w->driven);
  go(&o, &m, &by, w->duration);
  const hn_check *check = o.sys ? hn_system_check(o.sys) : NULL;
  bool counted = check && check->rows - check->rank == m.redundant && check->dof == m.dof;
  double angle = o.result ? last(o.result, "bearing0.angle") : 0;
  double off = o.result ? strayed(&m, &o, w->legs, angle) : INFINITY;
  // legs magnify what their hinges miss
  double limit = 1e-11 + 5 * pow(10, -m.digits);
  bool turned = !w->driven || fabs(angle - rate * w->duration) < limit;
  if (!CHECK(!o.status && o.audit && counted && turned && off < limit))
    printf("  seed %d, %d legs, %d digits, %s, %s: %s%s%s gap %.2g, strayed %.2g\n", seed, w->legs,
           w->digits, w->driven ? "driven" : "free", coordinates, o.message,
           counted ? "" : " counted wrongly", o.audit ? "" : " audit fails", check ? check->gap : 0,
           off);
  if (getenv("HN_SHOW"))
    printf("  seed %d, %d legs, %d rows, %d digits, %s, %s (%s): gap %.2g, strayed %.2g\n", seed,
           w->legs, check ? check->rows : 0, w->digits, w->driven ? "driven" : "free", coordinates,
           check ? check->coordinates : "", check ? check->gap : 0, off);
  end(&o);
}

static void test_large(void) {
  static const struct {
    machine w;
    const char *coordinates;
  } large[] = {{{23, 8, false, 0.3}, "auto"},
               {{23, 9, true, 0.3}, "auto"},
               {{23, 11, false, 0.3}, "relative"},
               {{23, 14, true, 0.3}, "auto"}};
  const char *longer = getenv("HN_WALKER_SECONDS");
  for (int i = 0; i < (int)(sizeof large / sizeof *large); i++) {
    machine w = large[i].w;
    if (longer) w.duration = atof(longer);
    walk(&w, i, large[i].coordinates, "library");
  }
}

// small ones in all coordinates, for some turns
static void test_small(void) {
  static const char *const coordinates[] = {"reference", "relative", "natural"};
  for (int seed = 0; seed < 6; seed++)
    for (int k = 0; k < 3; k++) {
      machine w = {1 + seed % 4, 8 + 2 * seed, seed % 2 == 0, 0.5};
      if (w.digits > 14) w.digits = 17;
      walk(&w, seed, coordinates[k], "library");
    }
}

static void test_native(void) {
  machine w = {1, 9, false, 0.5};
  walk(&w, 40, "auto", "native");
}

int main(void) {
  RUN(test_large);
  if (!getenv("HN_WALKER_SECONDS")) RUN(test_small), RUN(test_native);
  return test_end();
}
