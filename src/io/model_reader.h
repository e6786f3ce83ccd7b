// model_reader.h: what the files of the model reader share.
//
//   model_memory.c  numbers of a file that is read again and again
//   model_refill.c  what of such a file is read again
//   model_section.c sections and their entries, where they are, their types
//   model_elements.c joints, forces, blocks, couplings
//   model_signals.c signals, states, controllers, events
//   model_values.c  one value of a file -> one field of a definition
//   model_shapes.c  shapes of bodies
//   model_scope.c   names and places inside parts
//   model_counted.c uses called by their numbers
//   model_parts.c   parts and their uses
//   model_include.c parts in files of their own
//   model_points.c  named points, and bodies that are described by them
//   model_block.c   blocks given by equations
//   model_law.c     numbers that read signals
//   model_solve.c   parameters that follow from conditions
//   model_yaml.c    the sections of a file -> hn_model
#ifndef HN_MODEL_READER_H
#define HN_MODEL_READER_H

#include "io/yaml.h"
#include "model/fields.h"
#include "model/model.h"

// the file itself, or one use of a part: what names and places in it mean
typedef struct hn_scope {
  const struct hn_scope *outer;  // NULL: the file itself
  const hn_yaml *map;            // its sections
  const hn_yaml *with;           // values given to its parameters, or NULL
  const char *prefix;            // of the names in it: "", "left."
  const char *base;              // the body it calls ground; NULL: the ground
  const char *file;              // that its map stands in; NULL: the model's own
  double Q[9], p[3];             // a place x in it is Q x + p in the world
  bool mirrored;                 // Q is no rotation
  bool repeated;                 // it is one of several, number `index`
  const char *variable;          // what the part calls that number
  int index, depth;
  struct hn_scope *next;  // in the order in which they are read
} hn_scope;

// Passed everywhere while one file is read. model->subject and model->now say where that stands,
// for messages; units and dimensions go along with the number being read.
typedef struct hn_reader {
  hn_model *model;  // model->subject is the element being read
  hn_yaml_doc *doc;
  const hn_scope *scope;  // what is being read belongs to it
  const int *index;       // number of a repeated use, while it is placed
  const char *variable;   // what numbers call it
  const hn_yaml *own;     // coordinates of the block being read: nobody else's names; or NULL
  hn_scope *last;         // of the scopes met so far
  int uses, weight;       // of parts, so far
  int first_force;        // of those the file describes as such; those of beams come before
  int checked;            // elements looked at again, so far
  struct hn_included *included;  // files that parts are read from
  const char *unit;              // what the number being read is counted in; NULL: anything
  hn_dimension dimension;        // of the number read last
  struct hn_memory *memory;      // of earlier readings of the same document; NULL: none is kept
  bool referring;                // it mentions parameters or points
  bool refilling;                // the elements are there, and get other numbers
  struct hn_refill *refill;      // notes what is to be read again; NULL: nobody does
} hn_reader;

// "file:line:column: subject: ...", at the node
__attribute__((format(printf, 4, 5))) hn_status
hn_read_fail(hn_reader *reader, const hn_yaml *node, hn_status status, const char *format, ...);
// ... (did you mean 'near'?) where one of the words is near, else the list of words,
// unless that is long
hn_status hn_read_fail_word(hn_reader *reader, const hn_yaml *node, hn_status status,
                            const char *what, const char *word, const char *words);

// "WHAT must be WANTED, not ...", or that it has no value
hn_status hn_read_fail_kind(hn_reader *reader, const hn_yaml *node, const char *what,
                            const char *wanted);
bool hn_is_plain_number(const hn_yaml *node);  // for messages: neither word nor formula
hn_status hn_read_fail_memory(hn_reader *reader);
// names as one blank-separated list; name_at may give NULL
const char *hn_read_names(hn_reader *reader, int count, int scope,
                          const char *(*name_at)(const hn_model *, int, int));

hn_place hn_read_place(const hn_yaml *node);
// place of a character (1-based) of the node's text; 0: of the node
hn_place hn_read_place_in(const hn_yaml *node, int character);

// a number whose units, where it has any, must fit reader->unit
hn_status hn_read_number(hn_reader *reader, const hn_yaml *node, const char *what, double *value);
// the same with another unit
hn_status hn_read_quantity(hn_reader *reader, const hn_yaml *node, const char *what,
                           const char *unit, double *value);
// do the units of a formula fit that of its key? Parameters are known, and nothing that moves
hn_status hn_read_formula_units(hn_reader *reader, const hn_yaml *node, const char *what,
                                const char *unit);
// of a list with too many values: that quotes are missing, if they are; or nothing
const char *hn_read_comma_hint(const hn_yaml *list);
// `least` to `most` numbers
hn_status hn_read_numbers(hn_reader *reader, const hn_yaml *node, const char *what, int least,
                          int most, double *x);
// two numbers leave z zero
hn_status hn_read_vector(hn_reader *reader, const hn_yaml *node, const char *what, double x[3]);
// ---- sections
// messages are about the section from here on
void hn_section_enter(hn_reader *reader, const char *name);
// where a section of this scope, or of one around it, describes what a formula or a place calls
// `name` (or name.x), NULL: nowhere; and the same if it stands behind the node that uses it
// For messages: what is used must have been read.
const hn_yaml *hn_section_describes(const hn_reader *reader, const char *section, const char *name);
const hn_yaml *hn_section_below(const hn_reader *reader, const hn_yaml *node, const char *section,
                                const char *name);
// a section that is a map; NULL when it is absent or empty
hn_status hn_section_open(hn_reader *reader, const char *name, const hn_yaml **out);
// every entry of a section by the same function
hn_status hn_section_each(hn_reader *reader, const char *name, const char *kind,
                          hn_status (*read)(hn_reader *reader, const hn_yaml *entry));
// starts reading an element: messages name it, and point into it
void hn_section_entry(hn_reader *reader, const char *kind, const hn_yaml *entry);
// the name of an element, in full
hn_status hn_section_name(hn_reader *reader, const hn_yaml *entry, const char **name);
hn_status hn_need_map(hn_reader *reader, const hn_yaml *node);
// looks up the type, on which other keys depend; required keys that a definition cannot tell from
// zero must be there
hn_status hn_read_type(hn_reader *reader, const hn_family *family, const hn_yaml *map,
                       const hn_type_info **type);
hn_status hn_check_present(hn_reader *reader, const hn_family *family, const hn_type_info *type,
                           const hn_yaml *map);
// a formula, with names of a part in full
hn_status hn_read_formula(hn_reader *reader, const hn_yaml *node, const char **out);
// model_bodies.c
hn_status hn_read_ground(hn_reader *reader);
hn_status hn_read_bodies(hn_reader *reader);
hn_status hn_read_beams(hn_reader *reader);
hn_status hn_read_flexibles(hn_reader *reader);
// there is one at least, or a block
hn_status hn_need_bodies(hn_reader *reader);

// model_elements.c; joints are checked, and forces, when all are read
hn_status hn_read_joints(hn_reader *reader);
hn_status hn_read_forces(hn_reader *reader);
hn_status hn_read_blocks(hn_reader *reader);
hn_status hn_check_joints(hn_reader *reader);
hn_status hn_check_forces(hn_reader *reader);
hn_status hn_read_couplings(hn_reader *reader);

// model_signals.c
hn_status hn_read_signals(hn_reader *reader);
hn_status hn_read_states(hn_reader *reader);
hn_status hn_read_controllers(hn_reader *reader);
hn_status hn_read_events(hn_reader *reader);

// ---- scopes
// what is read from here on belongs to the scope
void hn_reader_enter(hn_reader *reader, const hn_scope *scope);
// model_counted.c: the text with "link[k + 1]" counted out, "link3"; a piece of a text (in a node)
// as a whole number
hn_status hn_read_counted(hn_reader *reader, const hn_yaml *node, const char **out);
hn_status hn_read_whole(hn_reader *reader, const hn_yaml *node, const char *from, size_t length,
                        const char *what, int *out);
// "link" has the numbers 0 to 5, and not 6: why the name is none; false: it is not for that
bool hn_count_hint(const hn_reader *reader, const char *text, size_t size, char *hint);
// model_include.c: the sections of a part that stands in a file of its own, and that file's name
hn_status hn_include(hn_reader *reader, const hn_yaml *node, const char *from, const hn_yaml **map,
                     const char **file);
void hn_included_free(hn_reader *reader);
// a name described in the scope, in full; NULL when out of memory
const char *hn_scope_name(hn_reader *reader, const char *name);
// is a number called so, in this scope or around it? (parameters, signals, states ...)
bool hn_scope_has_value(const hn_scope *scope, const char *name);
// a formula, or the name of an element, with all names in full
hn_status hn_scope_formula(hn_reader *reader, const hn_yaml *node, const char **out);
hn_status hn_scope_reference(hn_reader *reader, const hn_yaml *node, const char **out);
// an element by the name it has in the innermost scope that knows it; -1: none
int hn_scope_find(const hn_reader *reader, const char *name,
                  int (*find)(const hn_model *, const char *));
// "body" or "body.frame", *frame -1 for a body; false when there is none
bool hn_scope_end(const hn_reader *reader, const char *text, int *body, int *frame);
// places and directions: from the scope to the world, and back
void hn_scope_point(const hn_scope *scope, double x[3]);
void hn_scope_direction(const hn_scope *scope, double x[3]);
void hn_scope_local(const hn_scope *scope, double x[3]);
bool hn_scope_turned(const hn_scope *scope);
// what was read in the axes of the scope, into those of the world
hn_status hn_scope_place_body(hn_reader *reader, const hn_yaml *map, hn_body_def *def);
hn_status hn_scope_place_frame(hn_reader *reader, const hn_yaml *node, hn_frame_def *def);
hn_status hn_scope_place_joint(hn_reader *reader, const hn_yaml *map, const hn_type_info *type,
                               hn_joint_def *def);
hn_status hn_scope_place_force(hn_reader *reader, const hn_yaml *map, const hn_type_info *type,
                               hn_force_def *def);
// the sections a part may have; those and the keys of a use; blank-separated
extern const char hn_part_sections[], hn_use_keys[];
// one entry of `use`: a scope for each of its repetitions, handed to `read`
hn_status hn_read_use(hn_reader *reader, const hn_yaml *use,
                      hn_status (*read)(hn_reader *reader, hn_scope *scope));

// the whole of a model file into an empty model; `name` stands for the file in messages. `memory`:
// of earlier readings of the document, may be NULL; `refill`: notes what changes, may be NULL
hn_status hn_model_read(hn_model *model, hn_yaml_doc *doc, const char *name,
                        struct hn_memory *memory, struct hn_refill *refill);

// ---- memory
typedef struct hn_memory hn_memory;
hn_memory *hn_memory_create(void);  // NULL: out of memory
void hn_memory_destroy(hn_memory *memory);
// a number read before, its dimension in reader->dimension and whether it mentions anything in
// reader->referring; false: it has to be read
bool hn_memory_recall(hn_reader *reader, const hn_yaml *node, double *value);
// a number that was read, and found good, is known from now on
void hn_memory_keep(const hn_reader *reader, const hn_yaml *node);
// what a name in a formula stands for: a parameter (its number, -1: none), the number of a repeated
// use or a coordinate of a point. false: nothing
bool hn_read_name(const hn_reader *reader, const char *name, size_t length, int *parameter,
                  double *value);

// ---- refilling
// A model is filled once more by reading again what depends on numbers that change, and nothing
// else: the same functions read the same nodes in the same order, so that every number is that of a
// whole reading to the last bit. Who changes them says so beforehand; what depends on them is found
// out by one whole reading that notes it. Where more than numbers depends on them, or whatever is
// not read again here, all files are read as ever.
typedef struct hn_refill hn_refill;
hn_refill *hn_refill_create(void);  // NULL: out of memory
void hn_refill_destroy(hn_refill *refill);
long hn_refill_number(const hn_refill *refill);  // its own; 0: there is none
// what will change: a parameter, a number of the file. False: out of memory
bool hn_refill_parameter(hn_refill *refill, const char *name);
bool hn_refill_place(hn_refill *refill, const hn_yaml *node);
// was a reading noted, and is it all that changes?
bool hn_refill_ready(const hn_refill *refill);
// `value`: of the parameters, in their order. The model must have been read, or refilled, from this
// document (model->refilled_by is the number). False: it is to be read as a whole, which says what
// is wrong
bool hn_refill_model(hn_refill *refill, hn_model *model, hn_memory *memory, const double *value);

// who reads tells these, which do nothing where nobody takes notes.
typedef enum hn_refilled {
  HN_REFILL_PARAMETER,
  HN_REFILL_POINT,
  HN_REFILL_GRAVITY,
  HN_REFILL_BODY,
  HN_REFILL_FRAME,
  HN_REFILL_END,  // frame at the end of a bar
  HN_REFILL_JOINT,
  HN_REFILL_FORCE,
  HN_REFILL_START,
} hn_refilled;
// what is read from here on belongs together ...
void hn_refill_begin(hn_reader *reader);
// ... and became element `index`; `def`: as it was when its keys had been read (NULL: all of it is
// read again)
void hn_refill_keep(hn_reader *reader, hn_refilled kind, int index, const hn_yaml *entry,
                    const void *def, size_t size);
// shapes of its own for a body that is to be kept
bool hn_own_shapes(hn_yaml_doc *doc, hn_body_def *def);
// one key of it; `open` is what the first of the two returned
bool hn_refill_open_field(hn_reader *reader);
void hn_refill_close_field(hn_reader *reader, bool open, const hn_field *field,
                           const hn_yaml *node);
// a number that changes was met; so was one that follows from points or bodies that do
void hn_refill_touch(const hn_reader *reader, const hn_yaml *node);
void hn_refill_touch_points(const hn_reader *reader);
void hn_refill_touch_bodies(const hn_reader *reader);
// a whole reading begins, and has ended
void hn_refill_note(hn_reader *reader);
void hn_refill_noted(hn_reader *reader, hn_status status);
// what cannot be read again alone
void hn_refill_refuse(hn_reader *reader);
// what readers do with one element, for who reads it again
hn_status hn_read_body_place(hn_reader *reader, const hn_yaml *entry, hn_body_def *def);
hn_status hn_read_frame(hn_reader *reader, const hn_yaml *entry, hn_frame_def *def);
hn_status hn_read_point_frame(hn_reader *reader, const hn_yaml *end, hn_frame_def *def);
hn_status hn_read_joint_place(hn_reader *reader, const hn_yaml *entry, hn_joint_def *def);
hn_status hn_read_force_place(hn_reader *reader, const hn_yaml *entry, hn_force_def *def);
hn_status hn_read_start(hn_reader *reader, const hn_yaml *entry, hn_start_def *def);
hn_status hn_read_gravity(hn_reader *reader);

// ---- values
// numbers, a point by name or construction, a body or frame read before: a place in the world
hn_status hn_read_position(hn_reader *reader, const hn_yaml *node, const char *what, double x[3]);
// not zero: an axis (x, -z), numbers, with `points` also from one to another; axes of the scope
hn_status hn_read_direction(hn_reader *reader, const hn_yaml *node, const char *what, bool points,
                            double x[3]);
// the section; a point may use those before it
hn_status hn_read_points(hn_reader *reader, const hn_yaml *section);
// keys of the k-th way to construct a point, blank-separated; NULL past the end
const char *hn_construction_keys(int index);
// "A.x": coordinate of a point, in the axes of the scope
bool hn_point_coordinate(const hn_reader *reader, const char *name, size_t length, double *value);
// axes and origin of a body, or of one of its frames (-1: none), as described
void hn_described_pose(const hn_model *model, int body, int frame, double R[9], double x[3]);
// body frame coordinates of a place in the world, as the body is described
void hn_place_in_body(const hn_body_def *def, const double at[3], double local[3]);
// any kind of field but those the reader alone needs (POINT, FRAMES); what it points to lives as
// long as the document
hn_status hn_read_field(hn_reader *reader, const hn_field *field, const hn_yaml *node, void *def);
// all entries of a map, except for the blank-separated keys in `skip`. Of several rows with the
// same key the first that takes such a value is used. NULL family and type for tables without
hn_status hn_read_fields(hn_reader *reader, const hn_yaml *map, const hn_family *family,
                         const hn_field *fields, const hn_type_info *type, const char *skip,
                         void *def);
// a map with one key, one of a table of kinds; those are numbered from 1
hn_status hn_read_kind(hn_reader *reader, const hn_yaml *node, const char *what,
                       const hn_shape_info *(*at)(int), int *kind, void *def);
// model_bars.c: `from` and `to`, or `corners` of a body: where it is, how it lies and, unless told,
// what it looks like. Others have their shapes placed
hn_status hn_read_by_points(hn_reader *reader, const hn_yaml *map, hn_body_def *def);
bool hn_is_by_points(const hn_yaml *map);
// those that are named points are frames of the same names
hn_status hn_read_point_frames(hn_reader *reader, const hn_yaml *map, hn_body body);
// model_shapes.c: `shape` and `shapes` of a body, outline and holes of a shape
hn_status hn_read_shape(hn_reader *reader, const hn_yaml *node, hn_body_def *def);
hn_status hn_read_shapes(hn_reader *reader, const hn_yaml *node, hn_body_def *def);
hn_status hn_read_outline(hn_reader *reader, const hn_field *field, const hn_yaml *node,
                          hn_shape_def *def);
hn_status hn_read_holes(hn_reader *reader, const hn_yaml *node, hn_shape_def *def);
// where the keys of the body are known: a shape alone is at its centre of mass; one that has no
// length goes from end to end of a bar (length 0: the body is none)
void hn_place_shapes(const hn_yaml *map, hn_body_def *def, double length);
// y turned round, as that of a body in a mirrored part
void hn_flip_shapes(hn_body_def *def);
// model_law.c: does a value read signals of the file? Then: the law of a spring (NULL: its numbers
// are numbers), whose quantity is called `measure`; and gravity as forces on all bodies
bool hn_reads_signals(const hn_reader *reader, const hn_yaml *node);
hn_status hn_read_spring_law(hn_reader *reader, const hn_yaml *map, const char *measure,
                             const char **law);
hn_status hn_read_weights(hn_reader *reader, const hn_yaml *gravity);
// are any of these names read by a formula? blank-separated
bool hn_reads_words(const char *text, const char *words);
// model_solve.c: finds the parameters the section names and sets them
hn_status hn_solve_parameters(hn_reader *reader, const hn_yaml *section);
// one block; the model's subject is set
hn_status hn_read_block(hn_reader *reader, const hn_yaml *map);

#endif
