// scope.h: what the names in formulas of a system under construction mean (scope.c), for those who
// make programs of formulas (build_expression.c).
#ifndef HN_SCOPE_H
#define HN_SCOPE_H

#include "system/builder.h"

// what the resolver of one expression knows
typedef struct hn_scope {
  hn_builder *builder;
  const hn_local_name *local;
  int locals;
  int first_signal;
  const hn_name_space *names;  // of somebody else; NULL: signals of the system
  bool motion;                 // nothing but time: tables come with two derivatives
  bool inner;                  // inside the formula of a signal: names of the element do not count
} hn_scope;

// what a failure is about
typedef struct hn_subject {
  hn_place place;
  const char *what, *element;
} hn_subject;

// the node a name stands for; -1: nothing is known by it, or b->status says what is wrong. User:
// the scope
hn_node hn_scope_resolve(void *user, hn_graph *graph, const char *name, size_t length);
// the same where only time is allowed: t and parameters. User: the builder
hn_node hn_scope_time(void *user, hn_graph *graph, const char *name, size_t length);
// the same of a signal of the model
hn_node hn_scope_named(hn_scope *s, hn_graph *graph, const char *name, size_t length);
// the number of a signal in the formula, from 0; -1 when out of memory
int hn_scope_place(const hn_scope *s, hn_signal signal);
// number of a measured quantity among those that states see, counted from one; 0: none does
int hn_scope_seen(const hn_system *sys, const hn_signal *signal);
// failures are about another element from here on; returns what they were about
hn_subject hn_scope_speak_of(hn_builder *b, hn_subject new);
hn_subject hn_scope_signal(const hn_builder *b, int index);

#endif
