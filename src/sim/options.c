// options.c: options set by name, checked against their table and the tables of the methods.
#include "sim/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expr/expr.h"
#include "model/check.h"

static const char *type_name(const hn_type_info *type) {
  return type ? type->name : NULL;
}

const char *hn_option_word(const hn_option *row, int index) {
  switch (row->words) {
  case HN_WORDS_NONE: return NULL;
  case HN_WORDS_LISTED: return row->list[index];
  case HN_WORDS_METHODS: return hn_method_at(index) ? hn_method_at(index)->name : NULL;
  case HN_WORDS_SOLVERS: return type_name(hn_solver_at(index));
  case HN_WORDS_CORRECTIONS: return type_name(hn_correction_at(index));
  case HN_WORDS_INTEGRATORS: return type_name(hn_integrator_at(index));
  }
  return NULL;
}

static hn_status refuse_name(char *message, size_t size, const char *name) {
  enum { MOST = 255 };
  const char *names[MOST + 1];
  int count = 0;
  for (; count < MOST && hn_option_row(count); count++)
    names[count] = hn_option_row(count)->info.name;
  names[count] = NULL;
  const char *near = hn_nearest(name, names);
  if (near)
    return hn_option_refuse(message, size, "unknown option '%.60s' (did you mean '%s'?)", name,
                            near);
  return hn_option_refuse(message, size, "unknown option '%.60s'", name);
}

// the option that has this word among its values; NULL when none has
static const hn_option *option_with(const char *value) {
  const hn_option_info *info;
  for (int i = 0; (info = hn_option_at(i)); i++) {
    const hn_option *row = hn_option_find(info->name);
    const char *word;
    for (int k = 0; (word = hn_option_word(row, k)); k++)
      if (strcmp(word, value) == 0) return row;
  }
  return NULL;
}

// Known words first; then the likeliest mistake: a word that belongs to another option, as an
// integrator given as a method; then words that are nearly the same
static hn_status set_word(const hn_option *row, char *field, const char *value, char *message,
                          size_t size) {
  enum { MOST = 255 };
  const char *words[MOST + 1];
  int count = 0;
  bool known = (row->automatic && !*value) || strcmp(value, row->info.fallback) == 0;
  for (const char *word; count < MOST && (word = hn_option_word(row, count)); count++) {
    words[count] = word;
    known = known || strcmp(value, word) == 0;
  }
  words[count] = NULL;
  if (known && strlen(value) < HN_WORD_SIZE) {
    hn_copy_text(field, HN_WORD_SIZE, value);
    return HN_OK;
  }
  const hn_option *other = option_with(value);
  if (other)
    return hn_option_refuse(message, size, "%s: '%.60s' is a value of '%s' (set %s: %.60s)",
                            row->info.name, value, other->info.name, other->info.name, value);
  const char *near = hn_nearest(value, words);
  if (near)
    return hn_option_refuse(message, size, "%s: nothing is named '%.60s' (did you mean '%s'?)",
                            row->info.name, value, near);
  return hn_option_refuse(message, size, "%s: nothing is named '%.60s'", row->info.name, value);
}

static hn_node no_names(void *user, hn_graph *graph, const char *name, size_t length) {
  (void)user, (void)graph, (void)name, (void)length;
  return -1;
}

// formulas of numbers and units are numbers as well ("5 ms", "1/240"); names are none
static hn_status set_number(const hn_option *row, char *field, const char *value, char *message,
                            size_t size) {
  double number;
  hn_expr_error error = {0};
  if (!hn_parse_number(value, strlen(value), no_names, NULL, &number, &error)) {
    hn_status status = hn_option_refuse(message, size, "%s: %s", row->info.name, error.message);
    return hn_formula_status(error.message) == HN_ERR_MEMORY ? HN_ERR_MEMORY : status;
  }
  hn_status status = hn_option_check(row, number, message, size);
  if (number == 0) number = 0;  // no negative zero
  if (!status) memcpy(field, &number, sizeof number);
  return status;
}

hn_status hn_options_set(hn_options *opt, const char *name, const char *value, char *message,
                         size_t size) {
  if (!opt || !name || !value)
    return hn_option_refuse(message, size, "an option needs a name and a value");
  const hn_option *row = hn_option_find(name);
  if (!row) return refuse_name(message, size, name);
  char *field = (char *)opt + row->offset;
  return row->words ? set_word(row, field, value, message, size)
                    : set_number(row, field, value, message, size);
}
