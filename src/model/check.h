// check.h: checks of a definition that need nothing but its table of keys.
#ifndef HN_CHECK_H
#define HN_CHECK_H

#include "model/fields.h"
#include "model/model.h"

// every number finite, of sane size and in its range, every formula well formed, no value for a
// key the type does not have, none of its required keys left out
hn_status hn_check_fields(hn_model *model, const hn_family *family, const hn_field *fields,
                          const hn_type_info *type, const void *def);

// "x must be a finite number" and the like; `what` names the value
hn_status hn_check_number(hn_model *model, const char *path, const char *what, double value,
                          hn_range range);
// the rule a value breaks ("be positive"), or NULL; `given`: zero was written, so it does not
// mean default
const char *hn_broken_rule(hn_range range, double value, bool given);
// a name that stands alone in formulas: nothing else there may have it
hn_status hn_check_word(hn_model *model, const char *name);
// the parser of formulas tells lack of memory only by its message
hn_status hn_formula_status(const char *message);
// syntax of a formula; names other than parameters are looked up when the model is compiled
hn_status hn_check_formula(hn_model *model, const char *path, const char *what, const char *text);
// the = of "left = right", which no comparison has; NULL when there is none
const char *hn_equals_sign(const char *text);
// syntax of a formula of a block, or of "left = right"; its coordinates hide units of their name
hn_status hn_check_equation(hn_model *model, const hn_block_def *block, const char *path,
                            const char *what, const char *text);

#endif
