// table.c: the corrections that exist.
#include "corrections/corrections.h"

#include <string.h>

static const hn_correction_type *const table[] = {
    &hn_correction_none,   &hn_correction_mass,      &hn_correction_mass_augmented,
    &hn_correction_direct, &hn_correction_partition, &hn_correction_hybrid,
};
enum { COUNT = sizeof table / sizeof table[0] };

const hn_type_info *hn_correction_at(int index) {
  return index >= 0 && index < COUNT ? &table[index]->info : NULL;
}

const hn_correction_type *hn_correction_find(const char *name) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(table[i]->info.name, name) == 0) return table[i];
  return NULL;
}
