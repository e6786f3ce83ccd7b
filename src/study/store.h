// store.h: the database of a study while it is run.
#ifndef HN_STORE_H
#define HN_STORE_H

#include "study/engine.h"

// One process, one thread at a time. What was added is on the disk when hn_store_add returns, as
// far as the operating system keeps its word.
typedef struct hn_store hn_store;

// the store options->store, or the part of it that this process is to write; made if it is not
// there. Refuses one of another study, one that another process writes to, and one that is there
// already unless options->resume
hn_status hn_store_open(hn_store **out, const hn_study *study, const hn_study_options *options,
                        char message[HN_MESSAGE]);
void hn_store_close(hn_store *store);
// every run whose row is there, in the store or in one of its parts
hn_status hn_store_found(hn_store *store, void (*found)(void *user, long run), void *user,
                         char message[HN_MESSAGE]);
// in one transaction
hn_status hn_store_add(hn_store *store, const hn_run_row *rows, int count,
                       char message[HN_MESSAGE]);
// work.c: computes points by the engine of the options; rows go to the store, if there is one
hn_status hn_points_run(const hn_study *study, const hn_study_options *options, hn_store *store,
                        const hn_points *points, char message[HN_MESSAGE]);
// all of its own rows; message may be NULL
hn_status hn_store_rows(hn_store *store, hn_study_table **out, char *message);

#endif
