// adams.h: what the readers of ADAMS datasets share.
//
//   adams_text.c     statements and their arguments, whole words of what was abbreviated
//   adams_formula.c  expressions of a dataset as formulas of a model file
//   adams.c          what the statements mean: units, parts, markers
//   adams_acts.c     joints, motions, forces
//
// Statements are elements (xml.h) that are called by their whole names, their arguments attributes:
// "id" is the identifier, "view" the name in the comment before it.
#ifndef HN_ADAMS_H
#define HN_ADAMS_H

#include "robots/robot.h"

typedef struct hn_adams_part {
  long id;
  hn_xml *node;
  int link;  // -1: the ground
  hn_rigid world;
} hn_adams_part;

typedef struct hn_adams_marker {
  long id;
  hn_xml *node;
  int part;
  hn_rigid place;   // on its part
  bool floating;    // where it is, is up to what uses it
  const char *end;  // in the model file; NULL: not there yet
} hn_adams_marker;

typedef struct hn_adams_joint {
  long id;
  hn_xml *node;
  const char *name;  // in the model file; NULL: it is not there
} hn_adams_joint;

typedef struct hn_adams {
  hn_robot *robot;
  double length, mass, time, force;  // units, in SI
  hn_adams_part *part;
  int parts;
  hn_adams_marker *marker;
  int markers;
  hn_adams_joint *joint;
  int joints;
} hn_adams;

// ---- adams_text.c --------------------------------------------------------------------------

// the statements of a dataset up to END; NULL after a failure
hn_xml *hn_adams_parse(hn_robot *robot, const char *text, size_t length);
// the one word of a list, parted by blanks, that `word` is or abbreviates, as where it stands;
// NULL: none or several
const char *hn_adams_whole(const char *list, const char *word, size_t *length);
// numbers, 90D being degrees; how many there are
int hn_adams_numbers(hn_robot *robot, hn_xml *node, const char *argument, double *out, int least,
                     int most);
// an identifier; -1: no such argument, or a failure
long hn_adams_id(hn_robot *robot, hn_xml *node, const char *argument);
// the text of an argument is an expression
bool hn_adams_is_expression(const char *argument);

// ---- adams_formula.c -----------------------------------------------------------------------

// what the distance (or angle) between two markers and its rate are called, where they may be used
typedef struct hn_adams_scope {
  long i, j;
  bool turns;
  double length, time;  // units
} hn_adams_scope;
// the argument as a formula of t; NULL: it cannot be, which was said
const char *hn_adams_formula(hn_robot *robot, hn_xml *node, const char *argument,
                             const hn_adams_scope *scope);

// ---- adams.c -------------------------------------------------------------------------------

// the marker that an argument names; NULL after a failure
hn_adams_marker *hn_adams_find_marker(hn_adams *adams, hn_xml *node, const char *argument);
int hn_adams_link(const hn_adams *adams, const hn_adams_marker *marker);
// its end of a joint or force
const char *hn_adams_end(hn_adams *adams, hn_adams_marker *marker);
// room for all statements of a name, of which there may not be too many
void *hn_adams_room(hn_robot *robot, const char *name, size_t size);
// sorts by identifier, with which items begin, so that they can be looked up; two alike are refused
void hn_adams_sort(hn_robot *robot, const char *name, void *items, int count, size_t size);
void *hn_adams_look_up(long id, void *items, int count, size_t size);  // NULL: there is none
// the identifier of a statement
long hn_adams_own_id(hn_robot *robot, hn_xml *node);
// the name of a statement in the model file
const char *hn_adams_name(hn_robot *robot, hn_xml *node);

// ---- adams_acts.c --------------------------------------------------------------------------

void hn_adams_joints(hn_adams *adams);
void hn_adams_forces(hn_adams *adams);

#endif
