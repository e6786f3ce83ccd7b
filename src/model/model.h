// model.h: the editable description, exactly what the user said and where he said it.
//
// Everything here is owned by the model: strings, arrays and definitions are copies of what was
// handed in, so that callers may forget theirs. Elements stand in arrays in the order in which they
// were added, and are referred to by index; nothing is ever taken out, only all of it
// (hn_model_clear). Arrays move when they grow: pointers into them do not outlive the next hn_add_.
#ifndef HN_MODEL_H
#define HN_MODEL_H

#include "expr/dimension.h"
#include "model/fields.h"
#include "model/reduced.h"
#include "model/series.h"
#include "model/trimesh.h"

#define HN_LARGEST 1e12  // numbers beyond this size are taken for mistakes

// position in the model file, 1-based; line 0 when the element came through the C interface
typedef struct hn_place {
  int line, column;
  const char *file;  // where it is not the model's own; the model keeps it
} hn_place;

typedef struct hn_model_body {
  hn_body_def def;  // strings owned; inertia and mass already completed from the shape
  hn_place place;
} hn_model_body;
typedef struct hn_model_frame {
  hn_frame_def def;
  hn_place place;
} hn_model_frame;
typedef struct hn_model_joint {
  hn_joint_def def;
  hn_place place;
} hn_model_joint;
typedef struct hn_model_force {
  hn_force_def def;
  hn_place place;
} hn_model_force;
typedef struct hn_model_block {
  hn_block_def def;  // everything it points to is owned
  hn_place place;
} hn_model_block;
typedef struct hn_model_coupling {
  hn_coupling_def def;  // everything it points to is owned
  hn_place place;
} hn_model_coupling;
// what became of a beam: nodes are bodies from first_body on
typedef struct hn_model_beam {
  hn_beam_def def;  // everything it points to is owned
  int first_body;
  hn_place place;
} hn_model_beam;
// a surface that shapes of bodies are drawn by, and hold their mass in
// Several shapes may be drawn by one file: it is read once, and closed (which costs a sort of its
// edges) only where some shape has a mass.
typedef struct hn_model_mesh {
  char *path;
  hn_trimesh mesh;
  bool tried;      // to close it
  hn_status open;  // HN_OK: it is closed
  char why[HN_MESSAGE];
} hn_model_mesh;
// said about an element beside the mechanics; NULL: nothing
typedef struct hn_model_note {
  char *name, *description, *color;
} hn_model_note;
// what became of a flexible body: interfaces are bodies from first_body on
typedef struct hn_model_flexible {
  char *name;
  int first_body;
  int block;  // of its modes; -1: it has none
  double damping;
  hn_reduced *reduced;
  hn_place place;
} hn_model_flexible;
// a named place of the description, world coordinates
typedef struct hn_model_point {
  char *name;
  double at[3];
} hn_model_point;
typedef struct hn_model_signal {
  hn_signal_def def;  // everything it points to is owned, but table and file: they are in `series`
  hn_series *series;  // points over time; NULL: none
  hn_place place;
  bool held;  // an input that a controller of the model writes
} hn_model_signal;
typedef struct hn_model_controller {
  hn_place place;
  char *name, *formula;
  int signal;  // its output; those of its memory follow
  double period, offset, delay, quantum, noise,
      seed;  // [s] three times; quantum and noise in the unit of the signal
  int inputs, memories, transitions, modes;  // how many of each; modes > 0: a machine, else sampled
  char **input, **memory, **guard;           // formulas
  int *from, *to;                            // modes of the transitions
  bool event, stop;                          // its second mode is noted, and ends the run
  char *library, *function;                  // where its function is; NULL: the caller sets it
} hn_model_controller;
typedef struct hn_model_column {
  hn_column_def def;
  hn_place place;
} hn_model_column;
typedef struct hn_model_start {
  hn_start_def def;
  hn_place place;
} hn_model_start;
typedef struct hn_parameter {
  char *name;
  double value;
  hn_dimension dimension;  // as far as its units say
  bool given;              // as a number: it follows from no other parameter
  bool changes;            // from one reading to the next (hn_model.touched)
} hn_parameter;
// From the command line, a study, or `solve`: in place of the value that the file gives a
// parameter. `used` is how a mistyped name is found out when the file has been read.
typedef struct hn_override {
  char *name, *text;
  bool used;
  bool solved;  // by the model's own conditions
} hn_override;

// entry of the open hash table that finds elements by name
// Open addressing with linear probing, at most half full; the scope keeps names of different kinds
// apart, frames those of their body.
typedef struct hn_name_slot {
  const char *name;  // owned by the element; NULL: free
  int scope;         // body index of a frame, or HN_SCOPE_*
  int index;
} hn_name_slot;
enum {
  HN_SCOPE_BODY = -1,
  HN_SCOPE_JOINT = -2,
  HN_SCOPE_FORCE = -3,
  HN_SCOPE_PARAMETER = -4,
  HN_SCOPE_BLOCK = -5,
  HN_SCOPE_POINT = -6,
  HN_SCOPE_SIGNAL = -7
};

struct hn_model {
  const hn_family *joints, *forces;  // what they may be
  char message[HN_MESSAGE];
  char *name, *description;
  char *file;  // for messages; NULL when built through the C interface
  int included_count, included_capacity;
  char **included;      // names of files that parts are read from
  const char *reading;  // the one of them being read; NULL: the model's own
  double gravity[3];
  hn_place gravity_place;
  hn_options options;
  bool trusted;       // by the caller: the file may have machine code compiled and loaded
  bool wants_native;  // the file asked for that and was not trusted
  hn_place now;       // where the reader stands: copied into every element added

  int body_count, body_capacity;  // body[0] is the ground
  hn_model_body *body;
  int frame_count, frame_capacity;  // frame handles are index + 1
  hn_model_frame *frame;
  int joint_count, joint_capacity;  // joint handles are index + 1
  hn_model_joint *joint;
  int force_count, force_capacity;  // force handles are index + 1
  hn_model_force *force;
  int block_count, block_capacity;  // block handles are index + 1
  hn_model_block *block;
  int coupling_count, coupling_capacity;
  hn_model_coupling *coupling;
  int beam_count, beam_capacity;  // beam handles are index + 1
  hn_model_beam *beam;
  int mesh_count, mesh_capacity;
  hn_model_mesh *mesh;
  int note_count, note_capacity;
  hn_model_note *note;
  int flexible_count, flexible_capacity;
  hn_model_flexible *flexible;
  int point_count, point_capacity;
  hn_model_point *point;
  int signal_count, signal_capacity;
  hn_model_signal *signal;
  int start_count, start_capacity;
  hn_model_start *start;
  int controller_count, controller_capacity;
  hn_model_controller *controller;
  int parameter_count, parameter_capacity;
  hn_parameter *parameter;
  int override_count, override_capacity;
  hn_override *override;
  int output_count, output_capacity;
  char **output;  // patterns of columns; none: all
  int column_count, column_capacity;
  hn_model_column *column;  // computed from others
  bool solving;     // its parameters are being solved for: the section `solve` does not count
  bool keep_poses;  // record poses even where `output` leaves them out
  bool unread;      // nobody will look at what is recorded
  bool keep_text;   // of the file
  char *text;
  size_t text_length;

  int slot_used, slot_count;
  hn_name_slot *slot;
  hn_status failure;       // status that goes with the message
  hn_status spoiled;       // an element was refused: no system can be made of the rest
  char first[HN_MESSAGE];  // why the first one was
  char subject[160];       // the element being added, for messages: "body 'crank'"
  // where in the file a key of that element is: "mass", "shape.*.radius" (* any key), "table.3"
  // (4th item); `character` counts in the text found there. NULL through the C interface
  hn_place (*locate)(const void *user, const char *path, int character);
  const void *locate_user;
  bool *touched;  // becomes true where somebody asks for a parameter that changes; or NULL
  struct hn_workshop *workshop;  // lent to who compiles it (compile/workshop.h); or NULL
  long refilled_by;              // whose elements these are (model_refill.c); 0: nobody's
  bool refilled_all;             // columns were left as the file has them
  hn_options refilled_options;   // those of the file
};

// an empty model whose joints and forces are of these types; NULL when out of memory
hn_model *hn_model_new(const hn_family *joints, const hn_family *forces);

int hn_model_find_body(const hn_model *model, const char *name);  // index, -1 when unknown
int hn_model_find_frame(const hn_model *model, int body, const char *name);
int hn_model_find_joint(const hn_model *model, const char *name);
int hn_model_find_force(const hn_model *model, const char *name);
int hn_model_find_block(const hn_model *model, const char *name);
int hn_model_find_beam(const hn_model *model, const char *name);
int hn_model_find_point(const hn_model *model, const char *name);
// the type of a name; NULL and a failure when there is none
const hn_type_info *hn_model_find_type(hn_model *model, const hn_family *family, const char *name);
int hn_model_find_parameter(const hn_model *model, const char *name, size_t length);
void hn_outputs_free(hn_model *model);
// the path of a file that the model names: absolute, or from the folder of the model file; NULL:
// out of memory
char *hn_model_path(const hn_model *model, const char *file);
// a controller, whatever it is called in messages
hn_status hn_add_machine(hn_model *model, const char *kind, const hn_controller_def *def);
int hn_model_find_signal(const hn_model *model, const char *name, size_t length);

// the element messages speak of: "body 'crank'", "frame 'B' of 'crank'" (`of` may be NULL)
void hn_model_subject(hn_model *model, const char *kind, const char *name, const char *of);
// model->message = "file:line:column: what"; the place is left out when the model has no file
__attribute__((format(printf, 4, 5))) hn_status
hn_model_fail(hn_model *model, hn_place place, hn_status status, const char *format, ...);
// definition.c: a definition of `size` bytes as the one of `known` bytes that it is here
hn_status hn_take_definition(hn_model *model, void *to, size_t known, const void *from,
                             size_t size);
// an element was refused, for the reason just given; the first one is remembered
void hn_model_spoil(hn_model *model);
// refuse the element being added: "file:line:column: body 'crank': what", HN_ERR_MODEL; the place
// is that of the key where the reader knows it, that of the element otherwise (or for NULL)
__attribute__((format(printf, 3, 4))) hn_status hn_element_fail(hn_model *model, const char *path,
                                                                const char *format, ...);
// the same with another status and a position in the text of the key's value
__attribute__((format(printf, 5, 6))) hn_status hn_element_fail_at(hn_model *model,
                                                                   hn_status status,
                                                                   const char *path, int character,
                                                                   const char *format, ...);

// forget everything but the overrides and the message
void hn_model_clear(hn_model *model);
// parameter by name; false when there is none
bool hn_model_constant(const hn_model *model, const char *name, size_t length, double *value);
// does a parameter stand there as a number, or does it follow from others?
void hn_model_mark_given(hn_model *model, const char *name, bool given);
// what its units say of a parameter; it must be there
void hn_model_set_dimension(hn_model *model, const char *name, hn_dimension dimension);
bool hn_model_dimension(const hn_model *model, const char *name, size_t length,
                        hn_dimension *dimension);
// a named point; model->subject names it
hn_status hn_model_add_point(hn_model *model, const char *name, const double at[3]);
// register the name of an element just added; false when out of memory
bool hn_model_index(hn_model *model, int scope, const char *name, int index);
// name of the right form, not reserved, not yet taken by a body, joint or force
hn_status hn_model_check_name(hn_model *model, const char *name);
// the same for a frame, whose name belongs to its body
hn_status hn_model_check_frame_name(hn_model *model, int body, const char *name);
// is a word of the formula language, which a name of its own would hide?
bool hn_model_formula_word(const char *name);
extern const char hn_name_rule[];
// of the right form for a name (letters, digits, _)
bool hn_model_is_name(const char *name);
void hn_notes_free(hn_model *model);
void hn_block_free(hn_block_def *def);
void hn_coupling_free(hn_coupling_def *def);
void hn_signal_free(hn_model_signal *signal);
void hn_controller_free(hn_model_controller *controller);
// some of its rows belong to no joint: they keep a body rigid
bool hn_coupling_is_rigid(const hn_model *model, const hn_coupling_def *def);
// do the joints named by joint and force number `index` exist? (they may be added in any order)
hn_status hn_model_check_joint(hn_model *model, int index);
hn_status hn_model_check_force(hn_model *model, int index);

#endif
