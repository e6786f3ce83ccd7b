// nlopt_library.h: NLopt, loaded when the first search asks for it, with the C++ library that it
// brings (base/library.h). Where only an archive was there, it is linked.
#ifndef HN_NLOPT_LIBRARY_H
#define HN_NLOPT_LIBRARY_H

#include <nlopt.h>
#include <stdbool.h>

#ifndef HN_NLOPT_NAME

static bool hn_nlopt_load(void) {
  return true;
}

static const char *hn_nlopt_trouble(void) {
  return "";
}

#else

// Its functions are called by their own names: macros at the end of this file lead them through a
// table that is filled when the library is loaded.
#include "base/library.h"

#include <pthread.h>

// what optimise_nlopt.c calls; a name that is missing would be linked
// clang-format off
#define HN_NLOPT_NAMES(X) \
  X(nlopt_create) X(nlopt_destroy) X(nlopt_optimize) X(nlopt_srand) X(nlopt_force_stop)            \
  X(nlopt_get_errmsg) X(nlopt_set_lower_bounds1) X(nlopt_set_upper_bounds1)                        \
  X(nlopt_set_min_objective) X(nlopt_add_inequality_constraint) X(nlopt_set_xtol_abs1)             \
  X(nlopt_set_initial_step1) X(nlopt_set_population)
// clang-format on

// types of the header: pointers are those of its declarations
static struct {
#define X(name) __typeof__(name) *name;
  HN_NLOPT_NAMES(X)
#undef X
} hn_nlopt;

static pthread_once_t hn_nlopt_once = PTHREAD_ONCE_INIT;
static char hn_nlopt_text[256];  // empty: it is there

static void hn_nlopt_find(void) {
  static const hn_wanted wanted[] = {
#define X(name) {#name, &hn_nlopt.name},
      HN_NLOPT_NAMES(X)
#undef X
  };
  hn_library_load(HN_NLOPT_NAME, HN_NLOPT_PATH, wanted, sizeof wanted / sizeof *wanted,
                  hn_nlopt_text);
}

// once in a process, whoever comes first; a failure stays one
static bool hn_nlopt_load(void) {
  pthread_once(&hn_nlopt_once, hn_nlopt_find);
  return !*hn_nlopt_text;
}

static const char *hn_nlopt_trouble(void) {
  return hn_nlopt_text;
}

// from here on calls go through the table
#define nlopt_create                    (*hn_nlopt.nlopt_create)
#define nlopt_destroy                   (*hn_nlopt.nlopt_destroy)
#define nlopt_optimize                  (*hn_nlopt.nlopt_optimize)
#define nlopt_srand                     (*hn_nlopt.nlopt_srand)
#define nlopt_force_stop                (*hn_nlopt.nlopt_force_stop)
#define nlopt_get_errmsg                (*hn_nlopt.nlopt_get_errmsg)
#define nlopt_set_lower_bounds1         (*hn_nlopt.nlopt_set_lower_bounds1)
#define nlopt_set_upper_bounds1         (*hn_nlopt.nlopt_set_upper_bounds1)
#define nlopt_set_min_objective         (*hn_nlopt.nlopt_set_min_objective)
#define nlopt_add_inequality_constraint (*hn_nlopt.nlopt_add_inequality_constraint)
#define nlopt_set_xtol_abs1             (*hn_nlopt.nlopt_set_xtol_abs1)
#define nlopt_set_initial_step1         (*hn_nlopt.nlopt_set_initial_step1)
#define nlopt_set_population            (*hn_nlopt.nlopt_set_population)

#endif

#endif
