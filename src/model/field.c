// field.c: what can be done with any row of a table of keys.
//
// The kinds of fields are known here and in three more places: how they are read
// (io/model_values.c), checked (check.c) and described (io/schema.c). A new kind is a row in each
// of them; compilers warn where a switch misses one.
#include "model/fields.h"

#include <stdlib.h>
#include <string.h>

// Linear: some dozen types, looked up once for each element.
const hn_type_info *hn_family_type(const hn_family *family, const char *name) {
  // up to the NULL behind the last one
  const hn_type_info *type;
  for (int i = 0; (type = family->type_at(i)); i++)
    if (strcmp(type->name, name) == 0) return type;
  return NULL;
}

bool hn_type_has_joint(const hn_type_info *type) {
  return hn_word_in("joint", type->keys) || hn_word_in("joint_a", type->keys);
}

// a type that can be placed or directed acts between bodies; so does one that knows no joint
// a type names its keys once; what it acts on follows from them
bool hn_type_has_ends(const hn_type_info *type) {
  if (strcmp(type->name, "pile") == 0) return false;  // it is about all bodies that have a shape
  return hn_word_in("at", type->keys) || hn_word_in("axis", type->keys) || !hn_type_has_joint(type);
}

bool hn_type_has_key(const hn_family *family, const hn_type_info *type, const char *key) {
  // ends are keys of all types that have them, and stand in no list
  if (strcmp(key, "a") == 0 || strcmp(key, "b") == 0) return hn_type_has_ends(type);
  // keys of all types (description and the like) stand with the family
  return hn_word_in(key, type->keys) || hn_word_in(key, family->common);
}

static bool is_for(const hn_field *field, const hn_type_info *type) {
  return !field->types || hn_word_in(type->name, field->types);
}

// types from outside are in no list: to them a key is what its first row says
// A type from outside (holon/extend.h) is in no list of `types`; it may use any key in its plainest
// meaning.
static bool is_first_of_none(const hn_family *family, const hn_type_info *type,
                             const hn_field *field) {
  // another row comes first, or is made for it by name
  for (const hn_field *f = family->fields; f->key; f++)
    if (strcmp(f->key, field->key) == 0 && (f < field || is_for(f, type))) return false;
  return true;
}

bool hn_field_applies(const hn_family *family, const hn_type_info *type, const hn_field *field) {
  if (!family || !type) return true;
  // both must hold: the type knows the key, and the row is its meaning there
  return hn_type_has_key(family, type, field->key) &&
         (is_for(field, type) || is_first_of_none(family, type, field));
}

static bool any_number(const double *x, int count) {
  // comparison, not a sum, since numbers may cancel
  for (int i = 0; i < count; i++)
    if (x[i] != 0) return true;  // NaN counts as set, so it is refused later
  return false;
}

bool hn_field_is_set(const hn_field *field, const void *def) {
  const void *at = (const char *)def + field->offset;
  switch (field->kind) {
  case HN_FIELD_NUMBER: return any_number(at, 1);
  case HN_FIELD_VECTOR:
  case HN_FIELD_POSITION:
  case HN_FIELD_DIRECTION: return any_number(at, 3);
  case HN_FIELD_NUMBERS: return any_number(at, field->items);
  case HN_FIELD_ORIENTATION: return any_number(at, 4);
  case HN_FIELD_INERTIA: return any_number(at, 6);
  case HN_FIELD_FLAG: return *(const bool *)at;
  case HN_FIELD_CHOICE: return *(const int *)at != 0;
  case HN_FIELD_BITS: return *(const unsigned *)at != 0;
  case HN_FIELD_WORD:
  case HN_FIELD_FORMULA: return *(const char *const *)at != NULL;
  case HN_FIELD_FORMULAS: {
    const char *const *formula = at;
    return formula[0] || formula[1] || formula[2];
  }
  case HN_FIELD_LIST:
  case HN_FIELD_PAIRS:
  case HN_FIELD_MATRIX:
  case HN_FIELD_MATRIX6: return *(const double *const *)at != NULL;
  case HN_FIELD_WORDS: return *(const char *const *const *)at != NULL;
  case HN_FIELD_END:
    // a frame of the ground has body 0
    return ((const hn_end *)at)->body.id != 0 || ((const hn_end *)at)->frame.id != 0;
  case HN_FIELD_SOFT: return any_number(at, 2);
  case HN_FIELD_COUNT: return *(const int *)at != 0;
  case HN_FIELD_PROFILE: return ((const hn_profile *)at)->kind != HN_PROFILE_NONE;
  case HN_FIELD_POSITIONS:
  case HN_FIELD_INTERFACES:
  case HN_FIELD_PLACES: return *(const void *const *)at != NULL;
  case HN_FIELD_SHAPE: return ((const hn_shape *)at)->kind != HN_SHAPE_NONE;
  case HN_FIELD_FACTORS: return any_number(at, 3);
  case HN_FIELD_SHAPES:
  case HN_FIELD_OUTLINE:
  case HN_FIELD_HOLES:
  case HN_FIELD_COORDINATES:
  case HN_FIELD_EQUATIONS:
  case HN_FIELD_ROWS: return *(const void *const *)at != NULL;
  // the reader alone knows these; a definition has no member for them
  case HN_FIELD_POINT:
  case HN_FIELD_CORNERS:
  case HN_FIELD_NOTE:
  case HN_FIELD_FRAMES: return false;
  }
  return false;
}

// numbers a row points to; 0 when it points to none
// What was counted in the definition by the member at `extra`.
static int array_size(const hn_field *field, const void *def) {
  if (field->kind == HN_FIELD_MATRIX6) return 36;
  int count = field->extra ? *(const int *)((const char *)def + field->extra) : 0;
  // pairs are counted as such
  return field->kind == HN_FIELD_PAIRS ? 2 * count : count;
}

// Texts of a row, whether one or three; the caller may change them in place.
static const char **strings(const hn_field *field, void *def, int *count) {
  // other kinds hold no text here, or are copied by who knows them
  bool text = field->kind == HN_FIELD_WORD || field->kind == HN_FIELD_FORMULA;
  *count = field->kind == HN_FIELD_FORMULAS ? 3 : text ? 1 : 0;
  return (const char **)(void *)((char *)def + field->offset);
}

static const double **array(const hn_field *field, void *def) {
  bool is_array = field->kind == HN_FIELD_LIST || field->kind == HN_FIELD_PAIRS ||
                  field->kind == HN_FIELD_MATRIX || field->kind == HN_FIELD_MATRIX6;
  return is_array ? (const double **)(void *)((char *)def + field->offset) : NULL;
}

// nothing hangs on this field: most are like that, and most are no field of the type at hand
static bool is_bare(const hn_field *field, void *def) {
  // both loops run over every row for every element: a large model has millions of these, so what
  // is plainly empty is decided without looking at types
  int count;
  const char **text = strings(field, def, &count);
  for (int i = 0; i < count; i++)
    if (text[i]) return false;
  const double **numbers = array(field, def);
  return !numbers || (!*numbers && array_size(field, def) == 0);
}

// the same, and no array either: nothing to free
static bool is_empty(const hn_field *field, void *def) {
  const double **numbers = array(field, def);
  return numbers ? !*numbers : is_bare(field, def);
}

// after the first failure the remaining pointers become NULL: none is left that is not ours
// Called with the struct already copied: pointers are replaced by copies of what they point to.
// Rows that do not apply to the type are left alone, since several rows may share one member.
bool hn_fields_copy(const hn_family *family, const hn_field *fields, const hn_type_info *type,
                    void *def) {
  bool ok = true;
  for (const hn_field *field = fields; field->key; field++) {
    if (is_bare(field, def) || !hn_field_applies(family, type, field)) continue;
    int count;
    const char **text = strings(field, def, &count);
    for (int i = 0; i < count; i++) {
      // after a failure everything else becomes NULL as well, so that hn_fields_free meets nothing
      // of the caller's
      char *copy = ok ? hn_strdup(text[i]) : NULL;
      ok = ok && (copy || !text[i]);
      text[i] = copy;
    }
    const double **numbers = array(field, def);
    if (!numbers) continue;
    if (!*numbers) {
      // a count without numbers would mislead
      if (field->extra) *(int *)(void *)((char *)def + field->extra) = 0;
      continue;
    }
    // of zero numbers malloc() may give NULL: those were refused before
    size_t bytes = (size_t)array_size(field, def) * sizeof(double);
    double *copy = ok ? malloc(bytes) : NULL;
    if (copy) memcpy(copy, *numbers, bytes);
    ok = ok && copy;
    *numbers = copy;
  }
  if (!ok) hn_fields_free(family, fields, type, def);
  return ok;
}

void hn_fields_free(const hn_family *family, const hn_field *fields, const hn_type_info *type,
                    void *def) {
  for (const hn_field *field = fields; field->key; field++) {
    // the count is left: nobody asks after it
    if (is_empty(field, def) || !hn_field_applies(family, type, field)) continue;
    int count;
    const char **text = strings(field, def, &count);
    for (int i = 0; i < count; i++) {
      free((void *)text[i]);
      text[i] = NULL;
    }
    const double **numbers = array(field, def);
    if (numbers) {
      free((void *)*numbers);
      *numbers = NULL;
    }
  }
}

// Words longer than `out` are cut.
bool hn_word_at(const char *list, int k, char *out, size_t size) {
  // past what was asked for nothing is looked at
  for (;; k--) {
    while (*list == ' ') list++;
    size_t length = strcspn(list, " ");
    if (length == 0) return false;
    if (k == 0) {
      if (length >= size) length = size - 1;
      memcpy(out, list, length);
      out[length] = 0;
      return true;
    }
    list += length;
  }
}
