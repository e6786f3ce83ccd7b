// engines.c: the engines there are. A new one is a line here.
#include "study/engine.h"

#include <string.h>

extern const hn_engine hn_engine_library, hn_engine_lanes, hn_engine_lanes_exact, hn_engine_gpu,
    hn_engine_gpu_exact, hn_engine_gpu_single;

// the first is what a study gets that names none
static const hn_engine *const engines[] = {
    &hn_engine_library, &hn_engine_lanes,     &hn_engine_lanes_exact,
    &hn_engine_gpu,     &hn_engine_gpu_exact, &hn_engine_gpu_single,
};
enum { COUNT = sizeof engines / sizeof *engines };

const hn_engine *hn_engine_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (!name || strcmp(engines[i]->name, name) == 0) return engines[i];
  return NULL;
}

const char *hn_study_engine_at(int index, const char **help) {
  if (index < 0 || index >= COUNT) return NULL;
  if (help) *help = engines[index]->help;
  return engines[index]->name;
}
