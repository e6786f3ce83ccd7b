// sqlite_library.h: SQLite, loaded when the first store is opened: programs that only run models do
// without it (base/library.h). Where only an archive was there, it is linked.
#ifndef HN_SQLITE_LIBRARY_H
#define HN_SQLITE_LIBRARY_H

#include <sqlite3.h>
#include <stdbool.h>

#ifndef HN_SQLITE_NAME

static bool hn_sqlite_load(void) {
  return true;
}

static const char *hn_sqlite_trouble(void) {
  // linked: there is nothing to look for, and nothing can go wrong
  return "";
}

#else

// Calls of store.c look like those to SQLite itself: macros at the end of this file lead them
// through a table that is filled by name when the library is loaded, once in a process.
#include "base/library.h"

#include <pthread.h>

// what store.c calls must stand here: a name that is missing would be linked, which the compiler
// does not tell
// clang-format off
#define HN_SQLITE_NAMES(X) \
  X(sqlite3_bind_double) X(sqlite3_bind_int) X(sqlite3_bind_int64) X(sqlite3_bind_null)            \
  X(sqlite3_bind_text) X(sqlite3_busy_timeout) X(sqlite3_close) X(sqlite3_column_count)            \
  X(sqlite3_column_double) X(sqlite3_column_int) X(sqlite3_column_int64) X(sqlite3_column_text)    \
  X(sqlite3_column_type) X(sqlite3_errmsg) X(sqlite3_exec) X(sqlite3_extended_errcode)             \
  X(sqlite3_finalize) X(sqlite3_free) X(sqlite3_mprintf) X(sqlite3_open_v2)                        \
  X(sqlite3_prepare_v2) X(sqlite3_reset) X(sqlite3_step) X(sqlite3_str_appendall)                  \
  X(sqlite3_str_appendf) X(sqlite3_str_finish) X(sqlite3_str_new)
// clang-format on

// a pointer for each name, of the type that the header declares
static struct {
#define X(name) __typeof__(name) *name;
  HN_SQLITE_NAMES(X)
#undef X
} hn_sqlite;

static pthread_once_t hn_sqlite_once = PTHREAD_ONCE_INIT;
static char hn_sqlite_text[256];  // empty: it is there

static void hn_sqlite_find(void) {
  // pairs of a name and the place where its address goes
  static const hn_wanted wanted[] = {
#define X(name) {#name, &hn_sqlite.name},
      HN_SQLITE_NAMES(X)
#undef X
  };
  hn_library_load(HN_SQLITE_NAME, HN_SQLITE_PATH, wanted, sizeof wanted / sizeof *wanted,
                  hn_sqlite_text);
}

static bool hn_sqlite_load(void) {
  // safe from several threads; a failure stays one until the process ends
  pthread_once(&hn_sqlite_once, hn_sqlite_find);
  return !*hn_sqlite_text;
}

static const char *hn_sqlite_trouble(void) {
  // the reason, for messages
  return hn_sqlite_text;
}

// from here on a call means the table's function
#define sqlite3_bind_double      (*hn_sqlite.sqlite3_bind_double)
#define sqlite3_bind_int         (*hn_sqlite.sqlite3_bind_int)
#define sqlite3_bind_int64       (*hn_sqlite.sqlite3_bind_int64)
#define sqlite3_bind_null        (*hn_sqlite.sqlite3_bind_null)
#define sqlite3_bind_text        (*hn_sqlite.sqlite3_bind_text)
#define sqlite3_busy_timeout     (*hn_sqlite.sqlite3_busy_timeout)
#define sqlite3_close            (*hn_sqlite.sqlite3_close)
#define sqlite3_column_count     (*hn_sqlite.sqlite3_column_count)
#define sqlite3_column_double    (*hn_sqlite.sqlite3_column_double)
#define sqlite3_column_int       (*hn_sqlite.sqlite3_column_int)
#define sqlite3_column_int64     (*hn_sqlite.sqlite3_column_int64)
#define sqlite3_column_text      (*hn_sqlite.sqlite3_column_text)
#define sqlite3_column_type      (*hn_sqlite.sqlite3_column_type)
#define sqlite3_errmsg           (*hn_sqlite.sqlite3_errmsg)
#define sqlite3_exec             (*hn_sqlite.sqlite3_exec)
#define sqlite3_extended_errcode (*hn_sqlite.sqlite3_extended_errcode)
#define sqlite3_finalize         (*hn_sqlite.sqlite3_finalize)
#define sqlite3_free             (*hn_sqlite.sqlite3_free)
#define sqlite3_mprintf          (*hn_sqlite.sqlite3_mprintf)
#define sqlite3_open_v2          (*hn_sqlite.sqlite3_open_v2)
#define sqlite3_prepare_v2       (*hn_sqlite.sqlite3_prepare_v2)
#define sqlite3_reset            (*hn_sqlite.sqlite3_reset)
#define sqlite3_step             (*hn_sqlite.sqlite3_step)
#define sqlite3_str_appendall    (*hn_sqlite.sqlite3_str_appendall)
#define sqlite3_str_appendf      (*hn_sqlite.sqlite3_str_appendf)
#define sqlite3_str_finish       (*hn_sqlite.sqlite3_str_finish)
#define sqlite3_str_new          (*hn_sqlite.sqlite3_str_new)

#endif

#endif
