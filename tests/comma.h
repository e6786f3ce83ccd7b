// comma.h: a program in which numbers have a comma, as most of Europe writes them.
#ifndef HN_TEST_COMMA_H
#define HN_TEST_COMMA_H

#include "folder.h"

#include <locale.h>
#include <stdlib.h>

// One that is installed, else one that is made here: of a locale only the decimal sign is wanted.
// false: neither can be had. setlocale(LC_NUMERIC, "C") ends it
static inline bool test_comma(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (setlocale(LC_NUMERIC, names[i])) return true;
  char folder[600], source[640], command[1400];
  if (!test_folder(folder, sizeof folder, "locale")) return false;
  snprintf(source, sizeof source, "%s/source", folder);
  FILE *f = fopen(source, "w");
  if (!f) return false;
  fputs("LC_NUMERIC\ndecimal_point \",\"\nthousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n", f);
  fclose(f);
  // it warns that the other categories are missing, and makes what there is
  snprintf(command, sizeof command, "localedef -c -i '%s' '%s/comma' >/dev/null 2>&1", source,
           folder);
  if (system(command) < 0) return false;
  const char *path = getenv("LOCPATH");
  char *before = path ? strdup(path) : NULL;
  setenv("LOCPATH", folder, 1);
  bool there = setlocale(LC_NUMERIC, "comma") != NULL;
  if (before)
    setenv("LOCPATH", before, 1);
  else
    unsetenv("LOCPATH");
  free(before);
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command) == 0 && there;
}

#endif
