// beam_make.h: beams becoming bodies and forces (beam.c), and once more with twice the elements
// (halved.c).
#ifndef HN_BEAM_MAKE_H
#define HN_BEAM_MAKE_H

#include "model/model.h"

// adds nodes, elements and loads of a beam that was checked; `halved`: every element as two. Nodes
// and elements keep their names then, and what is new has longer ones. *first_body is the first
// node
hn_status hn_beam_make(hn_model *model, const hn_beam_def *def, bool halved, int *first_body);

// dampers in proportion to masses [1/s] and stiffness [s]; refuses ratios that none have
typedef struct hn_rayleigh {
  double mass, stiffness;
} hn_rayleigh;
hn_rayleigh hn_rayleigh_of(const hn_beam_def *def);
hn_status hn_rayleigh_check(hn_model *model, const hn_beam_def *def);

// a model with every element of its beams as two, for compiling; joints and all else are those of
// the model, which it must not outlive. New nodes stand behind all bodies. NULL: out of memory, or
// the model's message says what is wrong
hn_model *hn_model_halved(hn_model *model);
void hn_model_halved_destroy(hn_model *halved);

// a definition that the model keeps
bool hn_beam_copy(hn_beam_def *to, const hn_beam_def *from);
void hn_beam_free(hn_beam_def *def);

#endif
