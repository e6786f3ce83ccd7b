// model_reader.h: what the files of the model reader share.
//
//   model_values.c  one value of a file -> one field of a definition
//   model_points.c  named points, and bodies that are described by them
//   model_block.c   blocks given by equations
//   model_yaml.c    the sections of a file -> hn_model
#ifndef HN_MODEL_READER_H
#define HN_MODEL_READER_H

#include "io/yaml.h"
#include "model/fields.h"
#include "model/model.h"

typedef struct hn_reader {
  hn_model *model;  // model->subject is the element being read
  hn_yaml_doc *doc;
} hn_reader;

// "file:line:column: subject: ...", at the node
__attribute__((format(printf, 4, 5))) hn_status
hn_read_fail(hn_reader *reader, const hn_yaml *node, hn_status status, const char *format, ...);
// ... (did you mean 'near'?) where one of the words is near, else the list of words,
// unless that is long
hn_status hn_read_fail_word(hn_reader *reader, const hn_yaml *node, hn_status status,
                            const char *what, const char *word, const char *words);

hn_place hn_read_place(const hn_yaml *node);
// place of a character (1-based) of the node's text; 0: of the node
hn_place hn_read_place_in(const hn_yaml *node, int character);

hn_status hn_read_number(hn_reader *reader, const hn_yaml *node, const char *what, double *value);
// two numbers leave z zero
hn_status hn_read_vector(hn_reader *reader, const hn_yaml *node, const char *what, double x[3]);
// numbers, a point by name or construction, a body or frame read before: a place in the world
hn_status hn_read_position(hn_reader *reader, const hn_yaml *node, const char *what, double x[3]);
// the section; a point may use those before it
hn_status hn_read_points(hn_reader *reader, const hn_yaml *section);
// keys of the k-th way to construct a point, blank-separated; NULL past the end
const char *hn_construction_keys(int index);
// "A.x": coordinate of a point
bool hn_point_coordinate(const hn_model *model, const char *name, size_t length, double *value);
// body frame coordinates of a place in the world, as the body is described
void hn_place_in_body(const hn_body_def *def, const double at[3], double local[3]);
// `from` and `to` of a body: where it is, how it lies and, unless told, what it looks like
hn_status hn_read_bar(hn_reader *reader, const hn_yaml *map, hn_body_def *def);
// its ends that are named points are frames of the same names
hn_status hn_read_bar_frames(hn_reader *reader, const hn_yaml *map, hn_body body);
// any kind of field but those the reader alone needs (POINT, FRAMES); what it points to lives as
// long as the document
hn_status hn_read_field(hn_reader *reader, const hn_field *field, const hn_yaml *node, void *def);
// all entries of a map, except for the blank-separated keys in `skip`. Of several rows with the
// same key the first that takes such a value is used. NULL family and type for tables without
hn_status hn_read_fields(hn_reader *reader, const hn_yaml *map, const hn_family *family,
                         const hn_field *fields, const hn_type_info *type, const char *skip,
                         void *def);
// one block; the model's subject is set
hn_status hn_read_block(hn_reader *reader, const hn_yaml *map);

#endif
