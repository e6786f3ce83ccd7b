// fields.h: every key of a model file, once.
//
// A row says what a key means, what kind of value it takes and where that value lives in the
// definition struct. The reader, the checks, the copying of definitions, the schema and the
// tests all walk these tables; a new key is one new row.
#ifndef HN_FIELDS_H
#define HN_FIELDS_H

#include "base/base.h"

typedef enum hn_field_kind {
  HN_FIELD_NUMBER,       // double
  HN_FIELD_VECTOR,       // double[3]; two numbers in the file leave z zero
  HN_FIELD_POSITION,     // double[3], world axes; in the file also a point
  HN_FIELD_POINT,        // a point (items = 3: a direction) that only the reader needs
  HN_FIELD_CORNERS,      // points that only the reader needs
  HN_FIELD_DIRECTION,    // double[3], not zero when given; items: HN_BETWEEN_POINTS, or none
  HN_FIELD_NUMBERS,      // double[items], exactly
  HN_FIELD_FLAG,         // bool; `words` replace false and true
  HN_FIELD_CHOICE,       // int (enum): index of one of `words`
  HN_FIELD_BITS,         // unsigned: bits for some of `words`
  HN_FIELD_WORD,         // char *
  HN_FIELD_FORMULA,      // char *: formula of t and measured quantities
  HN_FIELD_FORMULAS,     // char *[3]
  HN_FIELD_LIST,         // double *, with a count
  HN_FIELD_PAIRS,        // double *, with a count of pairs; the first of each pair ascends
  HN_FIELD_MATRIX,       // double *, with a count of numbers; in the file also row by row
  HN_FIELD_WORDS,        // char **, with a count
  HN_FIELD_MATRIX6,      // double *: 36 numbers; six in the file are the diagonal
  HN_FIELD_END,          // hn_end
  HN_FIELD_ORIENTATION,  // double[4]
  HN_FIELD_INERTIA,      // double[6]
  HN_FIELD_SHAPE,        // hn_shape of a body, or one of its shapes
  HN_FIELD_SHAPES,       // of a body
  HN_FIELD_FACTORS,      // double[3]; one number in the file stands for all of them
  HN_FIELD_OUTLINE,      // of a shape: double *, with a count of corners (x, y)
  HN_FIELD_HOLES,        // of a shape: several of these
  HN_FIELD_SOFT,         // hn_soft
  HN_FIELD_COUNT,        // int: a whole number, 1 or more
  HN_FIELD_PROFILE,      // hn_profile
  HN_FIELD_POSITIONS,    // double *, with a count of positions (three numbers each)
  HN_FIELD_PLACES,       // hn_beam_place *, with a count; in the file a map of names and numbers
  HN_FIELD_INTERFACES,   // hn_interface *, with a count; a map of names and numbers of nodes
  HN_FIELD_FRAMES,       // frames of a body, kept in the model
  HN_FIELD_NOTE,         // text about an element, kept in the model
  HN_FIELD_COORDINATES,  // of a block; these three are read in io/model_block.c
  HN_FIELD_EQUATIONS,    // of a block: formulas by name; items = 1: or a list of them
  HN_FIELD_ROWS,         // of a block: square matrix of formulas
} hn_field_kind;

// directions in the world may be given from one point to another, those in a body's axes not
enum { HN_BETWEEN_POINTS = 2 };

// zero means default in a definition, so only values that are not zero are checked there
typedef enum hn_range {
  HN_RANGE_ANY,
  HN_RANGE_NOT_NEGATIVE,
  HN_RANGE_POSITIVE,
  HN_RANGE_NOT_ZERO
} hn_range;

typedef struct hn_field {
  const char *key;
  const char *unit;  // "" when it has none
  const char *help;
  size_t offset;  // in the definition
  size_t extra;   // of the count (LIST, PAIRS) or of the bool that says it was given; 0: none
  hn_field_kind kind;
  hn_range range;
  int items;          // NUMBERS: how many; VECTOR, FORMULAS: 1 when a single one is about z
  const char *words;  // blank-separated, see the kinds
  const char *hint;   // added to the message when the range is left
  const char *types;  // only for these types of joint or force; NULL: all that have the key
} hn_field;

// rows that most elements have: what may be given beside the mechanics
#define HN_FIELD_DESCRIPTION                                                                       \
  {                                                                                                \
    .key = "description", .kind = HN_FIELD_NOTE, .unit = "",                                       \
    .help = "text about it, shown in pages"                                                        \
  }
#define HN_FIELD_COLOR                                                                             \
  {                                                                                                \
    .key = "color", .kind = HN_FIELD_NOTE, .unit = "",                                             \
    .help = "it is drawn in: a word (red, silver ...) or \"#rrggbb\""                              \
  }

// tables end with a row whose key is NULL; a key may have several rows that differ in kind
extern const hn_field hn_body_fields[], hn_frame_fields[];
extern const hn_field hn_joint_fields[], hn_force_fields[];
extern const hn_field hn_block_fields[], hn_coordinate_fields[];
extern const hn_field hn_beam_fields[], hn_flexible_fields[];
extern const hn_field hn_coupling_fields[], hn_signal_fields[], hn_state_fields[];
extern const hn_field hn_process_fields[], hn_controller_fields[];
extern const hn_field hn_start_fields[];
extern const hn_field hn_column_fields[];
extern const hn_field hn_event_fields[];

// the shapes, by hn_shape_kind - 1; fields are those of hn_shape_def
typedef struct hn_shape_info {
  const char *name, *help;
  const hn_field *fields;
} hn_shape_info;
const hn_shape_info *hn_shape_at(int index);  // NULL past the end
// the same of profiles
const hn_shape_info *hn_profile_at(int index);

// how an orientation is written in a file; exactly one of quaternion, axis + angle, euler
typedef struct hn_orientation_def {
  double quaternion[4];
  double axis[3], angle;
  double euler[3];
  const char *sequence;
} hn_orientation_def;
extern const hn_field hn_orientation_fields[], hn_soft_fields[];

// the sections of a file, in the order in which they are best written
typedef struct hn_section {
  const char *key, *help;
} hn_section;
const hn_section *hn_section_at(int index);  // NULL past the end

// joints and forces: tables of types that share one table of keys. The model knows them by these;
// the types themselves stand further up
typedef struct hn_family {
  const char *word;  // "joint"
  const hn_field *fields;
  const hn_type_info *(*type_at)(int index);
  bool (*needs_rotation)(const char *type);  // joints: it refuses point masses
  const char *common;                        // keys every type understands, ends not counted
  // forces: adds the states and signals that one brings along; NULL: none does
  hn_status (*states)(hn_model *model, const hn_force_def *def);
} hn_family;
extern const hn_family hn_process_family;  // ready-made processes (process.c)

const hn_type_info *hn_family_type(const hn_family *family, const char *name);  // or NULL
// does the type act between two bodies (keys a and b), on the coordinates of joints, or either?
bool hn_type_has_ends(const hn_type_info *type);
bool hn_type_has_joint(const hn_type_info *type);
bool hn_type_has_key(const hn_family *family, const hn_type_info *type, const char *key);
// the row counts for this type (always, when type is NULL: bodies and frames have no types)
bool hn_field_applies(const hn_family *family, const hn_type_info *type, const hn_field *field);

// is the value in the definition other than zero?
bool hn_field_is_set(const hn_field *field, const void *def);
// copy what the definition points to (strings, arrays), in place; false when out of memory, and
// then everything already copied is released. `type` selects the rows, as above
bool hn_fields_copy(const hn_family *family, const hn_field *fields, const hn_type_info *type,
                    void *def);
void hn_fields_free(const hn_family *family, const hn_field *fields, const hn_type_info *type,
                    void *def);

// k-th word of a blank-separated list, copied to out; false past the end
bool hn_word_at(const char *list, int k, char *out, size_t size);

#endif
