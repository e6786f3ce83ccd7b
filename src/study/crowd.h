// crowd.h: members of a family side by side: the code they share, and their numbers. What engines
// of studies stand on (family.c).
#ifndef HN_CROWD_H
#define HN_CROWD_H

#include <holon/holon.h>

#include "code/members.h"

// A family is made in three steps, each by one thread: begin (what kind of model), widen (in what
// numbers others differ), write (code). Crowds of it then run in parallel.
// the code, and what is the same for all members
typedef struct hn_kinship hn_kinship;
// `column`: what rows hold, by name, without time. on_device: on a GPU
hn_kinship *hn_kinship_create(bool on_device, hn_members_numbers numbers, int columns,
                              const char *const *column);
void hn_kinship_destroy(hn_kinship *family);
// the first member says what the others are like: HN_ERR_UNSUPPORTED and a sentence when its kind
// cannot be carried. The model is not needed afterwards
hn_status hn_kinship_begin(hn_kinship *family, hn_model *model, char message[HN_MESSAGE]);
// what this one differs in may differ in others, too; who is no member is left aside
void hn_kinship_widen(hn_kinship *family, hn_model *model);
// then the code is written, compiled and loaded
hn_status hn_kinship_write(hn_kinship *family, char message[HN_MESSAGE]);
long hn_kinship_rows(const hn_kinship *family);  // of a run
double hn_kinship_time(const hn_kinship *family, long row);

// `most` members at a time; several crowds of a family may be used by several threads
typedef struct hn_crowd hn_crowd;
hn_crowd *hn_crowd_create(hn_kinship *family, long most);  // NULL: out of memory
void hn_crowd_destroy(hn_crowd *crowd);
long hn_crowd_room(const hn_crowd *crowd);
// member i; false: the model cannot be compiled, or is no member
bool hn_crowd_place(hn_crowd *crowd, long i, hn_model *model);
bool hn_crowd_run(hn_crowd *crowd, long count);  // false: the device failed
// is what the code says of a member to be believed? It stayed on the constraints and kept its
// energy as the audit wants it, and met no singular place
bool hn_crowd_holds(const hn_crowd *crowd, long i);
double hn_crowd_value(const hn_crowd *crowd, long i, long row, int column);

#endif
