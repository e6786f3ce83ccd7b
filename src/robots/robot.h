// robot.h: a robot as URDF, MJCF, SDFormat, OpenSim and ADAMS files tell it, on its way to a model
// file.
//
//   xml.c           the file as a tree of elements
//   robot.c         links, joints, names, and what is to be said about the reading
//   robot_look.c    what is drawn of them
//   robot_place.c   which links are one body, their inertia, where everything is at the start
//   robot_write.c   the model file
//   urdf*.c, mjcf*.c, sdf.c, osim.c, adams*.c  the formats
//   import.c        the public function
//
// A link hangs on its parent by one joint or none. Links without a joint are parts of their
// parent's body. The first failure stays in the robot, and everything after it does nothing.
#ifndef HN_ROBOT_H
#define HN_ROBOT_H

#include "io/svg.h"
#include "model/trimesh.h"
#include "robots/xml.h"

// links, joints and names of one robot; looking one up goes through all of them
enum { HN_ROBOT_PARTS = 20000 };

// a place and its axes: x in it is R x + p outside
typedef struct hn_rigid {
  double p[3], R[9];
} hn_rigid;

typedef enum hn_robot_joint_kind {
  HN_ROBOT_HINGE,
  HN_ROBOT_SLIDE,
  HN_ROBOT_BALL,
  HN_ROBOT_FREE,
  HN_ROBOT_PLANAR  // slides along `side` and axis x side, turns about `axis`
} hn_robot_joint_kind;

typedef struct hn_robot_joint {
  hn_robot_joint_kind kind;
  const char *name;    // in the model
  const char *source;  // in the file; NULL: it has none there
  hn_xml *node;
  int link;                // it moves
  double pos[3], axis[3];  // in the link
  double side[3];
  double ref;       // hinge, slide: value where the link is as the file describes it
  double value[7];  // at the start. Planar: x, y, angle; ball: quaternion; free: position
                    // and quaternion of the link in the world
  double rate[6];   // at the start. Ball: link axes; free: world, then link axes
  double stiffness, springref, damping, friction, armature;
  double limits[2];  // hinge, slide: between which its value stays; equal: no limits; one of them
                     // may be infinite
  double effort[2];  // between which the sum of its drives stays; equal: no limits
  bool driven;       // by one drive already
  const char *note;  // said beside it in the model file
} hn_robot_joint;

// what is drawn of a link
typedef struct hn_robot_shape {
  const char *kind;  // box (edges), cylinder and capsule (radius, length; along z), sphere
                     // (radius), mesh (file)
  double size[3];
  hn_rigid place;     // in the link
  const char *file;   // mesh: from the folder of the robot file
  double scale[3];    // of it
  const char *color;  // "#rrggbb", NULL: none
  struct hn_robot_shape *next;
} hn_robot_shape;

typedef struct hn_robot_link {
  const char *name, *source;
  hn_xml *node;
  int parent;      // -1: the ground
  hn_rigid place;  // in the parent, its joint at ref
  int joint;       // -1: fixed
  bool carrier;    // between the joints of one link of the file
  double mass, com[3];
  double inertia[9];            // about the centre of mass, axes of the link
  double lifted;                // part of its weight that is taken away
  double weight, weight_at[3];  // mass and its centre as the file has them, before links are joined
  hn_robot_shape *shape, *last_shape;
  // found by hn_robot_settle
  double borne;      // mass of it and all that hangs on it
  int body;          // link whose body it is part of; -1: the ground
  hn_rigid in_body;  // place in that link
  hn_rigid world;    // at the start
  double v[3], w[3];
} hn_robot_link;

// what a link can be told by in messages
static inline const char *hn_robot_called(const hn_robot_link *link) {
  return link->source ? link->source : link->name;
}

// a named place on a link
typedef struct hn_robot_frame {
  const char *name, *source;
  int link;
  hn_rigid place;
  bool wanted;    // in the model file
  bool oriented;  // its axes matter
} hn_robot_frame;

// coordinate b = ratio * coordinate a + offset; a is -1 where b is held
typedef struct hn_robot_gear {
  hn_xml *node;
  const char *name;  // wanted in the model file
  int a, b;          // joints
  double ratio, offset;
  bool done;  // b starts where this says
} hn_robot_gear;

typedef struct hn_robot {
  hn_pool pool;
  hn_xml *root;
  const char *file;
  bool lenient;
  hn_status status;
  char message[HN_MESSAGE];
  const char *name;
  double gravity[3];
  hn_robot_link *link;
  int links, link_room;
  hn_robot_joint *joint;
  int joints, joint_room;
  hn_robot_frame *frame;
  int frames, frame_room;
  hn_robot_gear *gear;
  int gears, gear_room;
  const char **used;  // names of the model file
  int used_count, used_room;
  hn_text report;
  int approximated, ignored, left_out;
  int more_joints;  // of the file than there are here
  bool carriers;
  // YAML of what the formats add themselves, entry by entry
  hn_text signals, states, extra_joints, forces;
} hn_robot;

void hn_robot_destroy(hn_robot *robot);

// ---- what is to be said --------------------------------------------------------------------

// the reading ends with "file:line:column: ..."
__attribute__((format(printf, 4, 5))) void hn_robot_fail(hn_robot *robot, const hn_xml *node,
                                                         hn_status status, const char *format, ...);
// the motion would be wrong without it: an end, unless what cannot be read may be left out
__attribute__((format(printf, 3, 4))) void hn_robot_wrong(hn_robot *robot, const hn_xml *node,
                                                          const char *format, ...);
// read, but not exactly as it was meant
__attribute__((format(printf, 3, 4))) void
hn_robot_approximated(hn_robot *robot, const hn_xml *node, const char *format, ...);
// without effect on the motion
__attribute__((format(printf, 3, 4))) void hn_robot_ignored(hn_robot *robot, const hn_xml *node,
                                                            const char *format, ...);
// elements and attributes that nobody looked at
void hn_robot_tell_unseen(hn_robot *robot, hn_xml *element);

// ---- values of attributes ------------------------------------------------------------------

// up to `most` finite numbers; how many there are, 0 when there is no such attribute. Fewer than
// `least` are refused
int hn_robot_numbers(hn_robot *robot, hn_xml *node, const char *attribute, double *out, int least,
                     int most);
bool hn_robot_number(hn_robot *robot, hn_xml *node, const char *attribute, double *out);
// the same in a text of the node
int hn_robot_parse(hn_robot *robot, hn_xml *node, const char *attribute, const char *text,
                   double *out, int least, int most);

// ---- parts ---------------------------------------------------------------------------------

const char *hn_robot_text(hn_robot *robot, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// a name for the model file, like `wanted` and unlike all others; `kind` stands for what has none
const char *hn_robot_name(hn_robot *robot, const char *wanted, const char *kind);
// these return an index, -1 after a failure
int hn_robot_add_link(hn_robot *robot, const hn_robot_link *link);
int hn_robot_add_joint(hn_robot *robot, const hn_robot_joint *joint);
int hn_robot_add_frame(hn_robot *robot, const char *name, int link, const hn_rigid *place);
// by their names in the file; -1: none
int hn_robot_find_link(const hn_robot *robot, const char *source);
int hn_robot_find_joint(const hn_robot *robot, const char *source);
int hn_robot_find_frame(const hn_robot *robot, const char *source);
// "angle", "translation": the coordinate of a hinge or slide
const char *hn_robot_coordinate(const hn_robot_joint *joint);

const char *hn_robot_number_text(hn_robot *robot, double x);  // shortest that reads back the same

// ---- looks: robot_look.c -------------------------------------------------------------------

// box, sphere, cylinder or capsule of a <geometry>, whose numbers are attributes or elements, as
// `read` has them; false: it is none of these
typedef int hn_robot_read_fn(hn_robot *robot, hn_xml *node, const char *name, double *out,
                             int least, int most);
bool hn_robot_solid(hn_robot *robot, hn_xml *geometry, hn_robot_read_fn *read,
                    hn_robot_shape *shape);
void hn_robot_draw(hn_robot *robot, hn_robot_link *link, const hn_robot_shape *shape);
// of numbers from 0 to 1; NULL: it cannot be seen
const char *hn_robot_color(hn_robot *robot, const double rgba[4]);
// a mesh in the folder of the robot file or below, whose name there comes back in *name;
// hn_trimesh_free() it. false, and why: it is somewhere else, not there, or no mesh
bool hn_robot_open_mesh(hn_robot *robot, const char **name, hn_trimesh *mesh, char why[200]);
// files beside the robot file and below, nowhere else
bool hn_robot_path_stays(const char *path);
const char *hn_robot_beside(hn_robot *robot, const char *name);  // the path of one

// ---- after the links: robot_place.c --------------------------------------------------------

// which links are one body, and where they are
void hn_robot_settle(hn_robot *robot);
// an end of a joint or force at that place of a link, "body.frame" or "body"
const char *hn_robot_end(hn_robot *robot, int link, const hn_rigid *place, const char *name,
                         bool oriented);
const char *hn_robot_body(const hn_robot *robot, int link);  // "ground" or the name of its body

// adds a solid to mass, centre and inertia (about the centre)
void hn_robot_add_mass(hn_robot_link *link, double mass, const double com[3],
                       const double inertia[9]);

// loops: the two ends meet as a joint of this type does (z of their axes is the joint's)
typedef struct hn_robot_meeting {
  const char *name, *type;
  hn_xml *node;
  int link[2];
  hn_rigid place[2];
} hn_robot_meeting;
void hn_robot_add_meeting(hn_robot *robot, const hn_robot_meeting *meeting);
// coordinate b = ratio * coordinate a + offset; without a (-1) it is held. It acts on the start
// when all of them are there: hn_robot_settle_gears
void hn_robot_add_gear(hn_robot *robot, hn_xml *node, const char *name, int a, int b, double ratio,
                       double offset);
// The model file counts from the configuration it describes, so that has to be right: joints start
// where their gears say, those that others follow before these, in whatever order the file has them
void hn_robot_settle_gears(hn_robot *robot);
// bodies whose weight is taken away, in parts or more (hn_robot_link.lifted): forces in their
// centres of mass. After hn_robot_settle
void hn_robot_lift(hn_robot *robot);

// ---- the model file: robot_write.c ---------------------------------------------------------

char *hn_robot_write(hn_robot *robot);

// the formats
void hn_urdf_read(hn_robot *robot);
void hn_mjcf_read(hn_robot *robot);
void hn_sdf_read(hn_robot *robot);
void hn_osim_read(hn_robot *robot);
void hn_adams_read(hn_robot *robot);

// ---- places --------------------------------------------------------------------------------

extern const hn_rigid hn_rigid_none;
void hn_rigid_mul(hn_rigid *o, const hn_rigid *a, const hn_rigid *b);  // o may be a or b
void hn_rigid_point(double o[3], const hn_rigid *a, const double x[3]);
void hn_rigid_inverse(hn_rigid *o, const hn_rigid *a);
// turned by an angle about a unit axis
void hn_turn_matrix(double R[9], const double axis[3], double angle);
// z along the axis, x along `side` when it is not NULL
void hn_axes_along(double R[9], const double axis[3], const double *side);

#endif
