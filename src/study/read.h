// read.h: what readers of parts of a study file share.
#ifndef HN_STUDY_READ_H
#define HN_STUDY_READ_H

#include "io/model_reader.h"
#include "study/engine.h"

// one while a file is read; everything that outlives it is in study->pool
typedef struct hn_study_reader {
  hn_study *study;
  hn_reader in;       // its model is empty: messages and numbers are made there
  hn_model *base;     // of one run of the study
  hn_system *system;  // compiled from it
  hn_metric_names names;
} hn_study_reader;

void *hn_study_take(hn_study_reader *r, size_t size);  // zeros; lives as long as the study
const char *hn_study_text(hn_study_reader *r, const char *text);
// messages speak of this from now on: "factor 'crank'"; name may be NULL
void hn_study_enter(hn_study_reader *r, const char *kind, const char *name);
// a section of that kind; NULL when it is absent or empty
hn_status hn_study_section(hn_study_reader *r, const char *name, hn_yaml_kind kind,
                           const hn_yaml **out);
hn_status hn_study_word(hn_study_reader *r, const hn_yaml *node, const char *what,
                        const char **out);
hn_status hn_study_whole(hn_study_reader *r, const hn_yaml *node, const char *what, double least,
                         double most, double *out);
// all keys of the map are among those known, blank-separated
hn_status hn_study_keys(hn_study_reader *r, const hn_yaml *map, const char *known);
// read_design.c, in this order
hn_status hn_study_read_factors(hn_study_reader *r);
hn_status hn_study_read_correlations(hn_study_reader *r);
hn_status hn_study_read_design(hn_study_reader *r);
int hn_study_factor(const hn_study *study, const char *name);  // -1: there is none

const char *hn_study_path(hn_study_reader *r, const char *path);  // beside the study file

#endif
