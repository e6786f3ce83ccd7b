// column_formulas.h: recorded quantities as formulas, for code that carries members of a family.
#ifndef HN_COLUMN_FORMULAS_H
#define HN_COLUMN_FORMULAS_H

#include "code/formulas.h"
#include "record/columns.h"

// the value of a column of f->sys; where it has no formula f->missing says so
hn_node hn_column_formula(hn_formulas *f, const hn_column *column);

#endif
