// audit_rig.h: a model from text or file, run and judged; for the tests of the audit.
#ifndef HN_AUDIT_RIG_H
#define HN_AUDIT_RIG_H

#include "sim/sim.h"
#include "test.h"

typedef struct judged {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
  hn_result *result;
  hn_summary summary;
  hn_status status;
  char message[512];
} judged;

// settings are pairs name, value, ended by NULL: options, and parameters as "parameters.name"
static inline bool judged_start(judged *j, const char *text, const char *const *setting) {
  memset(j, 0, sizeof *j);
  j->model = hn_model_create();
  bool file = !strchr(text, '\n');
  for (const char *const *p = setting; p && *p; p += 2)
    if (strncmp(p[0], "parameters.", 11) == 0) (void)hn_model_override(j->model, p[0] + 11, p[1]);
  j->status =
      file ? hn_model_load(j->model, text) : hn_model_parse(j->model, text, strlen(text), "test");
  for (; !j->status && setting && *setting; setting += 2)
    if (strncmp(setting[0], "parameters.", 11) != 0)
      j->status = hn_options_set(hn_model_options(j->model), setting[0], setting[1], j->message,
                                 sizeof j->message);
  if (!j->status) j->status = hn_compile(&j->system, j->model);
  if (j->status) {
    if (!*j->message) snprintf(j->message, sizeof j->message, "%s", hn_model_error(j->model));
    return false;
  }
  j->status =
      hn_sim_create(&j->sim, j->system, hn_model_options(j->model), j->message, sizeof j->message);
  return !j->status;
}

static inline void judged_end(judged *j) {
  hn_result_destroy(j->result);
  hn_sim_destroy(j->sim);
  hn_system_destroy(j->system);
  hn_model_destroy(j->model);
}

// false: it did not get to the end
static inline bool judged_run(judged *j, const char *text, const char *const *setting) {
  if (!judged_start(j, text, setting)) return false;
  j->status = hn_run(j->sim, &j->result, NULL, NULL);
  if (j->status) snprintf(j->message, sizeof j->message, "%s", hn_sim_error(j->sim));
  hn_sim_summary(j->sim, &j->summary);
  return !j->status;
}

static inline const hn_audit_item *judged_item(const hn_summary *s, const char *name) {
  for (int i = 0; i < s->audit_count; i++)
    if (strncmp(s->audit[i].name, name, strlen(name)) == 0) return &s->audit[i];
  return NULL;
}

static inline double judged_last(const judged *j, const char *column) {
  int at = hn_result_find(j->result, column), rows = hn_result_rows(j->result);
  return at < 0 || !rows ? NAN : hn_result_row(j->result, rows - 1)[at];
}

static inline bool judged_notes(const judged *j, const char *text) {
  const char *note;
  for (int i = 0; (note = hn_result_note(j->result, i)); i++)
    if (strstr(note, text)) return true;
  return false;
}

static inline void judged_print(const judged *j) {
  if (*j->message) printf("  %s\n", j->message);
  for (int i = 0; i < j->summary.audit_count; i++)
    if (!j->summary.audit[i].pass)
      printf("  %s %.3g, limit %.3g %s\n", j->summary.audit[i].name, j->summary.audit[i].worst,
             j->summary.audit[i].limit, j->summary.audit[i].where);
}

#endif
