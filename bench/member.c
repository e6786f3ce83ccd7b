// member.c: what preparing a member of a study costs, without its steps.
//
//   member [MEMBERS]
//
// Run it in the repository's folder; instructions are counted by callgrind.
#include "bench.h"
#include "study/engine.h"
#include "study/kinship.h"

typedef struct mechanism {
  const char *name, *file, *factors, *column;
} mechanism;

static const mechanism mechanisms[] = {
    {"four-bar", "models/four_bar.yaml",
     "{crank: {uniform: [1.95, 2.05]}, coupler: {uniform: [3.9, 4.1]}, follower: {uniform: [3.9, "
     "4.1]}, base: {uniform: [2.45, 2.55]}}",
     "energy.total"},
    {"Bricard", "models/bricard.yaml",
     "{length: {uniform: [0.98, 1.02]}, width: {uniform: [0.098, 0.102]}}", "energy.total"},
    {"chain of 5", "models/five_bar_pendulum_spatial.yaml",
     "{length: {uniform: [0.98, 1.02]}, width: {uniform: [0.098, 0.102]}}", "energy.total"},
};

__attribute__((noinline)) static bool prepare(hn_member *member, hn_crowd *crowd,
                                              const double *values) {
  char message[HN_MESSAGE];
  static hn_model *model;  // as a worker of a study keeps it
  return !hn_member_model(member, values, false, &model, message, sizeof message) &&
         hn_crowd_place(crowd, 0, model);
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 1000;
  for (size_t i = 0; i < sizeof mechanisms / sizeof *mechanisms; i++) {
    const mechanism *m = &mechanisms[i];
    if (argc > 2 && atoi(argv[2]) != (int)i) continue;
    char text[2000], message[HN_MESSAGE] = "";
    double values[8];
    hn_study *study = NULL;
    hn_member *member = NULL;
    snprintf(text, sizeof text,
             "name: s\nmodel: %s\ndesign: {type: monte-carlo, runs: %d}\nfactors: %s\n"
             "metrics: {last: final(%s)}\n"
             "options: {duration: 1, output_step: 0.1, step: 0.01, method: mass-projection, "
             "integrator: rk4, verify: 'off'}\n",
             m->file, count, m->factors, m->column);
    if (hn_study_parse(&study, text, strlen(text), "study", NULL, NULL, message, sizeof message) ||
        hn_member_open(study, &member, message)) {
      fprintf(stderr, "%s: %s\n", m->name, message);
      return 1;
    }
    hn_kinship *family = hn_kinship_create(false, HN_NUMBERS_FAST, study->metrics.columns - 1,
                                           (const char *const *)study->metrics.column + 1);
    hn_model *model = NULL;
    for (int k = 0; k < 64; k++) {
      hn_design_values(study, k, values);
      if (hn_member_model(member, values, false, &model, message, sizeof message)) continue;
      if (k)
        hn_kinship_widen(family, model);
      else if (hn_kinship_begin(family, model, message))
        fprintf(stderr, "%s\n", message);
    }
    hn_model_destroy(model);
    if (hn_kinship_write(family, message)) fprintf(stderr, "%s\n", message);
    hn_crowd *crowd = hn_crowd_create(family, 64);
    int placed = 0;
    bench_time start = bench_now();
    for (int k = 0; k < count; k++) {
      hn_design_values(study, k, values);
      placed += prepare(member, crowd, values);
    }
    printf("%s: %d of %d placed, %.1f us each\n", m->name, placed, count,
           1e6 * bench_since(start).cpu / count);
    hn_crowd_destroy(crowd);
    hn_kinship_destroy(family);
    hn_member_close(member);
    hn_study_destroy(study);
  }
  return 0;
}
