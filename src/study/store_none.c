// store_none.c: the functions of store.c where SQLite is not there: each says so.
// A minimal build has studies all the same: rows are kept in memory and written as CSV (table.c,
// export.c).
#include "study/store.h"

#include <stdio.h>

#ifndef HN_HAVE_SQLITE

static hn_status refuse(char *message, size_t size) {
  // every function keeps its name and says the same: callers need no #ifdef
  if (message) snprintf(message, size, "holon was built without SQLite, which keeps the rows");
  return HN_ERR_UNSUPPORTED;
}

hn_status hn_store_open(hn_store **out, const hn_study *study, const hn_study_options *options,
                        char message[HN_MESSAGE]) {
  (void)study, (void)options;
  *out = NULL;
  return refuse(message, HN_MESSAGE);
}

// nothing that could be closed
void hn_store_close(hn_store *store) {
  (void)store;
}

hn_status hn_store_found(hn_store *store, void (*found)(void *user, long run), void *user,
                         char message[HN_MESSAGE]) {
  (void)store, (void)found, (void)user;
  return refuse(message, HN_MESSAGE);
}

hn_status hn_store_add(hn_store *store, const hn_run_row *rows, int count,
                       char message[HN_MESSAGE]) {
  (void)store, (void)rows, (void)count;
  return refuse(message, HN_MESSAGE);
}

// message may be NULL, as in store.c
hn_status hn_store_rows(hn_store *store, hn_study_table **out, char *message) {
  (void)store, (void)out;
  return refuse(message, HN_MESSAGE);
}

// what is asked by paths comes from outside as well, and is told the same
hn_status hn_store_status(const char *store, hn_store_info *info, char *message, size_t size) {
  (void)store, (void)info;
  return refuse(message, size);
}

hn_status hn_store_study(const char *store, hn_study **out, char *message, size_t size) {
  (void)store, (void)out;
  return refuse(message, size);
}

hn_status hn_store_table(const char *store, hn_study_table **out, char *message, size_t size) {
  (void)store, (void)out;
  return refuse(message, size);
}

hn_status hn_store_merge(const char *store, char *message, size_t size) {
  (void)store;
  return refuse(message, size);
}

hn_status hn_store_prepare(const hn_study *study, const char *store, bool resume, char *message,
                           size_t size) {
  (void)study, (void)store, (void)resume;
  return refuse(message, size);
}

#endif
