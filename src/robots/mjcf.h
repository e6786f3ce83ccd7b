// mjcf.h: what the readers of MJCF share.
//
//   mjcf.c         settings, bodies, joints, sites, keyframes
//   mjcf_file.c    included files, default classes, values
//   mjcf_mass.c    inertia, given or from shapes
//   mjcf_touch.c   contact of geoms
//   mjcf_acts.c    equality constraints, tendons, sensors
//   mjcf_drives.c  actuators
#ifndef HN_MJCF_H
#define HN_MJCF_H

#include "robots/robot.h"

enum { HN_MJCF_CLASSES = 1000, HN_MJCF_INCLUDES = 200, HN_MJCF_PATH = 32 };

// a geom as read
typedef struct hn_mjcf_geom_def {
  const char *type, *mesh;
  double s[3], group;    // half sizes
  bool given, shell;     // mass is; it is that of a shell
  double mass, density;  // one of them
  hn_rigid place;        // in the body
} hn_mjcf_geom_def;

// what could touch something
typedef struct hn_mjcf_touching {
  hn_xml *node;
  const char *name, *type;
  double size[3];
  hn_rigid place;  // in the link
  int link;        // -1: the world; -2: not there yet
  unsigned mask[2];
  int condim;
  double friction, solref[2];
} hn_mjcf_touching;

typedef struct hn_mjcf {
  hn_robot *robot;
  // compiler settings
  double angle;   // [rad] of the file's unit of angles
  char euler[4];  // axes of rotations; capitals: axes that stay
  bool autolimits;
  int from_geom;    // inertia from geoms: 0 never, 1 always, 2 where none is given
  double group[2];  // of geoms that count for inertia
  double bound_mass, bound_inertia,
      total_mass;           // least of every body [kg, kg m^2]; of all together, 0: as it is
  bool balance;             // moments that no body can have become their mean
  const char *mesh_folder;  // of files of meshes
  bool strip;               // of their own folder
  // option flags
  bool equality, actuation, limits, friction, contact;  // all true unless a flag disables them
  // found on the way
  hn_mjcf_touching *touch;  // free() it
  int touches, touch_room;
  int balls;  // that are before surfaces
  bool any_free;
} hn_mjcf;

// an element and the class it takes its defaults from
typedef struct hn_mjcf_element {
  hn_mjcf *m;
  hn_xml *node;
  const char *kind;     // of its defaults: names of elements, blank-separated
  const hn_xml *class;  // NULL: the outermost
} hn_mjcf_element;

// ---- mjcf_file.c

void hn_mjcf_include(hn_mjcf *m);  // puts the contents of included files where they are included
// an element of a kind below a body with that class
hn_mjcf_element hn_mjcf_open(hn_mjcf *m, hn_xml *node, const char *kind, const hn_xml *class);
const hn_xml *hn_mjcf_class(hn_mjcf *m, hn_xml *node, const char *attribute,
                            const hn_xml *otherwise);
// attributes of the element, or else of its class; marked as seen
const char *hn_mjcf_get(const hn_mjcf_element *e, const char *attribute);
int hn_mjcf_numbers(const hn_mjcf_element *e, const char *attribute, double *out, int least,
                    int most);
bool hn_mjcf_number(const hn_mjcf_element *e, const char *attribute, double *out);
bool hn_mjcf_flag(const hn_mjcf_element *e, const char *attribute, bool otherwise);
// is a range in force? "auto" and autolimits: when it is given
bool hn_mjcf_limited(const hn_mjcf_element *e, const char *limited, const char *range,
                     double out[2]);
// pos and orientation in whatever way it is written
void hn_mjcf_place(const hn_mjcf_element *e, hn_rigid *place);
// of geoms and sites: also from one point to another; *length is their distance, or 0
void hn_mjcf_span(const hn_mjcf_element *e, hn_rigid *place, double *length);
// <asset><kind name="..."> or NULL; a mesh without a name has that of its file
hn_xml *hn_mjcf_asset(hn_mjcf *m, const char *kind, const char *name);
// attributes that say nothing about the motion
void hn_mjcf_pass(hn_xml *node, const char *attributes);

// ---- mjcf_mass.c

// the element <inertial> in the axes of the link
void hn_mjcf_inertial(hn_mjcf *m, hn_xml *node, const hn_xml *class, hn_robot_link *link);
void hn_mjcf_geom(hn_mjcf *m, hn_xml *node, const hn_xml *class, const hn_rigid *frame,
                  hn_robot_link *link, bool massive);
void hn_mjcf_settle_mass(hn_mjcf *m);

// ---- mjcf_touch.c

void hn_mjcf_touch(hn_mjcf *m, const hn_mjcf_element *e, const hn_mjcf_geom_def *g, int link);
void hn_mjcf_touches(hn_mjcf *m);  // after all bodies are where they start

// ---- mjcf_acts.c

// controls of the first keyframe
typedef struct hn_mjcf_key {
  double *ctrl;
  int count;
} hn_mjcf_key;
void hn_mjcf_acts(hn_mjcf *m, const hn_mjcf_key *key);

typedef struct hn_mjcf_tendon {
  hn_xml *node;
  const char *name, *source;
  bool spatial;
  int count;
  int part[HN_MJCF_PATH];             // joints, or frames
  double coef[HN_MJCF_PATH];          // of joints
  double rest[2];                     // lengths between which its spring is slack
  const char *length, *rate;          // formulas
  const char *segment[HN_MJCF_PATH];  // spatial: ends "a: .., b: .."
  int segments;
} hn_mjcf_tendon;
// by its name in the file; NULL: there is none
const hn_mjcf_tendon *hn_mjcf_find_tendon(const hn_mjcf_tendon *list, int count, const char *name);
// `force` lengthens the tendon where it is positive, times the gear
void hn_mjcf_pull(hn_robot *robot, const hn_mjcf_tendon *tendon, const char *name, double gear,
                  const char *force);
// a hinge or slide, a site: by their names in the file; -1 after a failure, or where it is said
// that what acts there is left out
int hn_mjcf_find_joint(hn_mjcf *m, hn_xml *node, const char *name);
int hn_mjcf_find_site(hn_mjcf *m, hn_xml *node, const char *name);
// "body.frame" of a site, which is in the model file from here on; the link that is its body
const char *hn_mjcf_site_end(hn_robot *robot, int frame);
int hn_mjcf_body_of(const hn_robot *robot, int frame);
// a signal of the model file
void hn_mjcf_signal(hn_robot *robot, const char *name, const char *formula, const char *unit);
// what an element is called, or else that
const char *hn_mjcf_name(hn_xml *node, const char *otherwise);

// ---- mjcf_drives.c

// one actuator, whose control starts with this value
void hn_mjcf_actuator(hn_mjcf *m, hn_xml *node, double start, const hn_mjcf_tendon *list,
                      int count);

#endif
