// run_csv.c: runs a model and writes all that a page would show of it; the same bits are wanted of
// the library in a page (viewer/test/bits.mjs).
//
//   run_csv MODEL.yaml OUT.csv      0 done, 1 stopped early, 2 refused
#include <holon/holon.h>

#include <stdio.h>

int main(int argc, char **argv) {
  char message[512] = "";
  if (argc != 3) return 2;
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  hn_sim *sim = NULL;
  hn_result *result = NULL;
  hn_status status = hn_model_load(model, argv[1]);
  hn_report_prepare(model);
  if (!status) status = hn_compile(&system, model);
  if (status) snprintf(message, sizeof message, "%s", hn_model_error(model));
  if (!status)
    status = hn_sim_create(&sim, system, hn_model_options(model), message, sizeof message);
  int code = status ? 2 : 0;
  if (!status && hn_run(sim, &result, NULL, NULL)) {
    snprintf(message, sizeof message, "%s", hn_sim_error(sim));
    code = 1;
  }
  if (result && hn_result_write(result, argv[2], message, sizeof message)) code = 2;
  if (code) fprintf(stderr, "%s\n", message);
  hn_result_destroy(result);
  hn_sim_destroy(sim);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return code;
}
