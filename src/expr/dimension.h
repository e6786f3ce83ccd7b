// dimension.h: what the units in a formula say it is: a length, a mass, a force.
//
// Numbers without a unit may be anything: SI is what they are counted in, whatever they are. So a
// dimension is known only where everything that goes into it carries one.
#ifndef HN_DIMENSION_H
#define HN_DIMENSION_H

#include <stdbool.h>
#include <stddef.h>

typedef struct hn_dimension {
  bool known;
  double kg, m, s, K, A;  // powers; angles have none
} hn_dimension;

// what a name stands for: returns false when it is none; *dimension may stay unknown
typedef bool (*hn_name_dimension)(void *user, const char *name, size_t length,
                                  hn_dimension *dimension);

// the dimension of a formula that hn_graph_parse has accepted; false where quantities are added or
// compared that are not of one kind, or a function is given one that it cannot take: *message says
// which, *column where
bool hn_formula_dimension(const char *text, size_t length, hn_name_dimension name, void *user,
                          hn_dimension *dimension, char message[160], int *column);
// does a unit as tables write it ("N/m or N m/rad", "m, rad", "kg m^2") allow this dimension? True
// as well where it has units that formulas do not know
bool hn_unit_allows(const char *unit, hn_dimension dimension);
// "a length", "kg m/s^3"
void hn_dimension_words(hn_dimension dimension, char *text, size_t size);
// the unit it is counted in, "m", "kg m s^-3"; "": none, or angles
void hn_dimension_unit(hn_dimension dimension, char *text, size_t size);

#endif
