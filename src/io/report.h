// report.h: parts of the report writer, private to src/io.
//
// A report is the page's template with two script elements put in: `holon-blob`, all numbers in
// little-endian binary as base64, and `holon-data`, a JSON object that says what they are. The blob
// comes first, so that the object can name places in it.
#ifndef HN_REPORT_H
#define HN_REPORT_H

#include "base/json.h"
#include "io/io.h"
#include "model/model.h"
#include "record/result.h"
#include "system/system.h"

// ---- base64 (report_data.c) ----------------------------------------------------------------

// At most one of `save` and `bytes` is set; with neither, places are counted and nothing is
// written: the page has these numbers already. `rest` holds bytes that do not make three yet,
// `text` letters on their way to the file.
typedef struct hn_blob {
  hn_save *save;   // base64 into a file
  hn_text *bytes;  // or as they are into memory
  bool brief;      // charts as floats, where as doubles they would make a page large that is mailed
  size_t size;     // so far
  unsigned char rest[3];
  int rest_count;
  int fill;
  char text[8192];
} hn_blob;

// a run of numbers in the blob
typedef struct hn_blob_range {
  size_t at;     // [bytes]
  size_t count;  // of numbers
  bool wide;     // 8 bytes each, otherwise 4
} hn_blob_range;

void hn_blob_end(hn_blob *blob);

// ---- what is drawn -------------------------------------------------------------------------

// columns of a result that make up a body's pose; -1 where there is none
typedef struct hn_pose_columns {
  int position[3], angle, quaternion[4];
} hn_pose_columns;

// numbers recorded with every frame for arrows and the like: some quantities of one element
enum { HN_TRACK_SIZE = 3 };
typedef struct hn_track {
  bool force;  // of a force, otherwise of a joint
  int element;
  int count;
  const char *name[HN_TRACK_SIZE];
  int column[HN_TRACK_SIZE];
} hn_track;

// what of a result says how a flexible body is deformed (deformed.c)
typedef struct hn_deformed {
  int body;  // the first of its interfaces, which is its frame
  const hn_reduced *reduced;
  int size;               // numbers of the deformation p (model/reduced.h)
  hn_pose_columns *pose;  // of the interfaces
  int *mode;              // columns
} hn_deformed;

// the flexible body that has this interface, -1: none; *frame: it is the first one
// the beam that a body is a node of, and which; NULL: none. Rods of point masses are springs
const hn_model_beam *hn_beam_of(const hn_model *model, int body, int *node);
double hn_beam_piece(const hn_model *model, const hn_model_beam *beam, int element);  // its length
// half of what it measures along y and z at a part of its length, `least` where it says nothing
void hn_beam_thickness(const hn_model_beam *beam, double part, double least, double half[2]);
int hn_flexible_of(const hn_model *model, int body, bool *frame);
bool hn_deformed_find(hn_deformed *deformed, const hn_result *result, const hn_model *model,
                      int flexible);
void hn_deformed_free(hn_deformed *deformed);
void hn_deformed_at(const hn_deformed *deformed, const double *row, double *p);

// What report_data.c found and wrote of one run, for report.c to describe. All arrays are its own.
typedef struct hn_packed_run {
  int bodies;
  char **name;  // without a model: bodies by their columns; otherwise NULL
  hn_pose_columns *pose;
  int tracks;
  hn_track *track;
  int track_width;  // numbers of all tracks
  int deformed_count;
  hn_deformed *deformed;  // flexible bodies of the model
  int deformed_width;     // numbers of all of them
  int stride;             // a frame is every so many-th row
  int per_pair;           // rows that a pair of points stands for in charts; 0: every row is there
  double *zero;           // of every column: numbers below are round-off
  hn_blob_range frame_time, frame_pose, frame_track, frame_deformed, time, columns;
} hn_packed_run;

// packs one run into the blob; `limit` [bytes] bounds it
// (system NULL: the bodies are those whose positions were recorded; those of `first`, which may be
// NULL, where there is one)
hn_status hn_report_pack(hn_packed_run *run, const hn_packed_run *first, const hn_result *result,
                         const hn_model *model, const hn_system *system, double limit,
                         hn_blob *blob);
void hn_packed_free(hn_packed_run *run);

// the columns of a body's pose by its name
void hn_find_pose(const hn_result *result, const char *body, hn_pose_columns *pose);

// gltf.c: the motion of the first run as a .glb file
hn_status hn_gltf_write(const hn_report *report, const char *path, char message[HN_MESSAGE]);

// report_svg.c: the mechanism at an instant, drawn plainly
hn_status hn_report_svg(const hn_report *report, const char *path, char message[HN_MESSAGE]);
// a mount in the frame of its body as the user described it (report_model.c)
void hn_mount_place(const hn_system *sys, const hn_mount *m, double at[3], double R[9]);

// what a page that computes is given (report_live.c): text and files of the model, and the library
void hn_report_live(hn_json *j, const hn_report *report);
void hn_report_library(hn_save *save);
// report_packed.c: numbers, and the end of the template with its script, compressed; false: out of
// memory
bool hn_report_numbers(hn_save *save, const hn_text *numbers, const hn_packed_run *run, int count);
bool hn_report_script(hn_save *save, const char *rest);
// parameters and inputs that may be changed
void hn_report_controls(hn_json *j, const hn_model *model, const hn_system *system);
// bytes as base64 (report_data.c)
void hn_blob_bytes(hn_blob *blob, const unsigned char *bytes, size_t size);

// "color": "#rrggbb", nothing where there is none (report_model.c)
void hn_report_color(hn_json *j, const char *color);
// the mechanism: bodies, joints, forces, ground (report_model.c)
void hn_report_model(hn_json *j, const hn_model *model, const hn_system *system);

#endif
