// study.c: a whole study of four-bars of different lengths, from the file to the table in memory.
//
//   study [ENGINE [RUNS [JOBS]]]
//
// Every run is 10 s by dop853 in steps of 0.01 s, with three metrics of 101 rows. Run it in the
// repository's folder.
#include <holon/study.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  const char *engine = argc > 1 ? argv[1] : "lanes";
  long runs = argc > 2 ? atol(argv[2]) : 10000;
  const hn_study_options o = {.engine = engine, .jobs = argc > 3 ? atoi(argv[3]) : 0};
  char text[2000], message[600] = "";
  hn_study *study = NULL;
  hn_study_table *table = NULL;
  snprintf(text, sizeof text,
           "name: four-bars\nmodel: models/four_bar.yaml\n"
           "design: {type: monte-carlo, runs: %ld}\n"
           "factors:\n  crank: {uniform: [1.95, 2.05]}\n  coupler: {uniform: [3.9, 4.1]}\n"
           "  follower: {uniform: [3.9, 4.1]}\n  base: {uniform: [2.45, 2.55]}\n"
           "metrics: {speed: rms(crank.omega), reach: max(coupler.x), last: final(A.angle)}\n"
           "options: {duration: 10, output_step: 0.1, step: 0.01, method: mass-projection, "
           "integrator: dop853, verify: 'off'}\n",
           runs);
  double begun = now();
  hn_status status =
      hn_study_parse(&study, text, strlen(text), "study", NULL, NULL, message, sizeof message);
  if (!status) status = hn_study_run(study, &o, &table, message, sizeof message);
  if (status) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  double seconds = now() - begun;
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double worked = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                  1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  long done = 0;
  double sum = 0;
  for (long k = 0; k < hn_study_table_rows(table); k++) {
    hn_study_row row;
    if (!hn_study_table_row(table, k, &row)) continue;
    done += row.status == HN_ROW_DONE;
    sum += row.values[4];
  }
  printf("%s: %ld runs, %ld done, %.2f s, %.2f s of processors (%.1f us a run), mean speed %.12g\n",
         engine, runs, done, seconds, worked, 1e6 * worked / (double)runs, sum / (double)runs);
  hn_study_table_destroy(table);
  hn_study_destroy(study);
  return 0;
}
