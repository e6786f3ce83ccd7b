// model.h: describing a model: bodies, joints, forces, signals, and the types there are.
#ifndef HOLON_MODEL_H
#define HOLON_MODEL_H

#include <holon/options.h>

#ifdef __cplusplus
extern "C" {
#endif

// The description of a mechanism, which grows while elements are added to it. It knows names,
// numbers and places in the file it came from, and no mechanics: hn_compile (system.h) makes
// equations of it, after which it may be changed or destroyed. One thread at a time may use a
// model.
//
// Everything is in SI units: m, kg, s, rad, N. World axes are right-handed. Planar parts move in
// the plane of x and y, and turn about z. Orientations are unit quaternions w, x, y, z; what they
// map is said with each. "Described configuration" means the positions the definitions give, before
// assembly closes the joints.
typedef struct hn_model hn_model;

// handles are one-int structs so that a body cannot be passed where a joint is meant;
// id 0 is "none", except hn_body where it is the ground
// an element of a model; the ground is the body 0
typedef struct {
  int id;
} hn_body;
// a place with axes on a body
typedef struct {
  int id;
} hn_frame;
// a joint, driver, coupling of coordinates ... : whatever has rows
typedef struct {
  int id;
} hn_joint;
// a force element
typedef struct {
  int id;
} hn_force;
// a part given by its equations
typedef struct {
  int id;
} hn_block;
// a row of bodies with elastic elements between them
typedef struct {
  int id;
} hn_beam;

// what does not move: the world, its frames and the axes everything is measured in
#define HN_GROUND ((hn_body){0})

// An empty model: the ground, no gravity, default options.
HN_API hn_model *hn_model_create(void);                    // NULL when out of memory
HN_API void hn_model_destroy(hn_model *model);             // NULL is allowed
HN_API const char *hn_model_error(const hn_model *model);  // last failure; never NULL
// What results and pages call it; "" where it has no name. Valid until it is named anew.
HN_API const char *hn_model_name(const hn_model *model);
HN_API void hn_model_set_name(hn_model *model, const char *name);  // copied
// [m/s^2] of everything with a mass, world axes; zero unless it is set. Planar: (0, -9.81, 0).
HN_API void hn_model_set_gravity(hn_model *model, double x, double y, double z);
// as it was set, or as the file says
HN_API void hn_model_gravity(const hn_model *model, double g[3]);
HN_API hn_options *hn_model_options(hn_model *model);  // what the model asks for; editable

// named constants for expressions; an override wins over the value the file gives
// HN_ERR_ARGUMENT or HN_ERR_MODEL: no name, a word of formulas, or no finite number
HN_API hn_status hn_model_set_parameter(hn_model *model, const char *name, double value);
// for files that are read afterwards, and at once where it is set already; a formula of parameters
HN_API hn_status hn_model_override(hn_model *model, const char *name, const char *value);
// parameters that the section `solve` of the file found, one after the other; false past the end
HN_API bool hn_model_solved(const hn_model *model, int index, const char **name, double *value);
// the value of a parameter by its name; HN_ERR_ARGUMENT: there is none
HN_API hn_status hn_model_parameter(const hn_model *model, const char *name, double *value);
HN_API int hn_model_parameter_count(const hn_model *model);  // those there are so far
HN_API const char *hn_model_parameter_name(const hn_model *model, int index);  // NULL past the end

// read a model file (YAML or JSON) into an empty model; errors read
// "file:line:column: element: what is wrong (hint)". Anything wrong leaves an empty model, which
// may be read into again. Files that it names (meshes, tables) are looked for beside it
HN_API hn_status hn_model_load(hn_model *model, const char *path);
// the same from memory; `name` stands for the file in messages
// text need not end with a zero
HN_API hn_status hn_model_parse(hn_model *model, const char *text, size_t length, const char *name);
// hn_model_load reads robot files as well (URDF, MJCF), by way of the model file that this makes of
// them: *model is its text, *report says line by line what was approximated or ignored; hn_free()
// both. What would make the motion wrong is refused (HN_ERR_UNSUPPORTED), or left out when
// `lenient`
HN_API hn_status hn_import(const char *path, bool lenient, char **model, char **report,
                           char *message, size_t size);
// A file alone cannot have machine code compiled and loaded: `code: native` in it is left out and
// hn_model_wants_native() says so, unless the model was told before reading that the file is
// trusted. What is set by hn_options_set() is not touched.
HN_API void hn_model_trust(hn_model *model);
// keep the text of the file that is read next: a page that computes carries it (report.h)
HN_API void hn_model_keep_text(hn_model *model);
// a file that was not trusted asked for machine code, and did not get it
HN_API bool hn_model_wants_native(const hn_model *model);
// the example models that come with the library, by number: name ("four_bar") and text; NULL past
// the end
// both live as long as the program
HN_API const char *hn_example_name(int index);
HN_API const char *hn_example_text(int index);
// the JSON Schema of the model format, generated from the reader's own tables; hn_free() it
HN_API char *hn_schema_json(void);

// the text of a model file in its usual form: indentation, blanks in brackets, empty lines.
// Numbers, quotes, order and comments stay as they are, and it says the same. hn_free() it; NULL:
// it is no such text, or was written in a way that cannot be kept, and `message` says why
HN_API char *hn_format_text(const char *text, size_t length, const char *name, char *message,
                            size_t size);

// a text about an element (body, joint, force, signal ...) and the colour it is drawn in, see
// hn_color(); NULL: as it is. Elements are found by their names
// HN_ERR_ARGUMENT: no element of that name, or no colour
HN_API hn_status hn_describe(hn_model *model, const char *name, const char *description,
                             const char *color);
// what was said; NULL: nothing
// both belong to the model, and are valid until it is said anew
HN_API const char *hn_description_of(const hn_model *model, const char *name);
HN_API const char *hn_color_of(const hn_model *model, const char *name);

// shapes give inertia and are what is drawn; with `density` the mass follows from the volume
typedef enum hn_shape_kind {
  HN_SHAPE_NONE,      // mass and inertia are given in numbers
  HN_SHAPE_BOX,       // edges along the axes
  HN_SHAPE_CYLINDER,  // solid, about its axis
  HN_SHAPE_SPHERE,    // solid
  HN_SHAPE_ROD,       // thin; its radius is a hundredth of its length unless given
  // these in hn_body_def.shapes only
  HN_SHAPE_TUBE,        // cylinder with a bore
  HN_SHAPE_CAPSULE,     // cylinder between two half spheres
  HN_SHAPE_CONE,        // or a frustum
  HN_SHAPE_EXTRUSION,   // an outline, with holes, along z
  HN_SHAPE_REVOLUTION,  // an outline about an axis
  HN_SHAPE_MESH,        // triangles from a file; they must enclose a volume if it is to have a mass
  HN_SHAPE_HULL         // the convex hull of points, or of the corners in a file
} hn_shape_kind;
// one shape; what does not belong to its kind is left at zero
typedef struct hn_shape {
  hn_shape_kind kind;
  double size[3];  // box: edges [m]
  double radius;   // cylinder, sphere [m]
  double length;   // cylinder, rod [m]
  double axis[3];  // cylinder, rod: direction in body axes (zero: x for a rod, z for a cylinder)
  double density;  // [kg/m^3]; rods: [kg/m]
} hn_shape;

// one of several shapes of a body, anywhere on it. Boxes, cylinders, spheres, rods, tubes, capsules
// and cones have their middle at `position`; the others have coordinates of their own, whose origin
// is there
typedef struct hn_shape_def {
  hn_shape shape;       // kind, sizes and density
  double inner_radius;  // [m] tube: of its bore
  double end_radius;    // [m] cone: at the end its axis points to (0: a tip)
  // [m] extrusion: x and y of the corners of its outline, along z from -length / 2 to length / 2;
  // revolution: distance from its axis, and place along it; hull: x, y and z of its points
  const double *outline;
  int outline_count;  // corners, or points
  // extrusion: the same of all holes, one after the other, and how many corners each has
  const double *holes;  // [m]
  const int *hole_corners;
  int hole_count;  // how many holes
  const char
      *file;        // mesh, hull: STL, OBJ, COLLADA; from the folder of the model file, or absolute
  double scale[3];  // mesh, hull: factors of its coordinates (zero: 1)
  double position[3];     // [m] in the body frame
  double orientation[4];  // of its axes, shape to body; all zero: those of the body
  const char *material;   // density by name, see hn_material_at(); NULL: density
  const char *color;      // a word or "#rrggbb", see hn_color(); NULL: that of the body
  bool only_drawn;        // counts for nothing but the picture
} hn_shape_def;

// materials by number, their density [kg/m^3] and what is meant (both may be NULL); NULL past the
// end
HN_API const char *hn_material_at(int index, double *density, const char **what);
// red, green and blue (0 to 255) of a colour; false: it is none
// words of hn_color's own table, "#rgb" or "#rrggbb"
HN_API bool hn_color(const char *color, int rgb[3]);

// coordinates that assembly must not change
// by bits: positions one by one, the rotation as a whole, all velocities of the body
enum { HN_HOLD_X = 1, HN_HOLD_Y = 2, HN_HOLD_Z = 4, HN_HOLD_ROTATION = 8, HN_HOLD_VELOCITY = 16 };

// what a body is free to do
typedef enum hn_body_kind {
  HN_SPATIAL,       // anything: six velocities
  HN_PLANAR,        // x, y and the angle about z
  HN_POINT,         // a point mass: x, y, z
  HN_PLANAR_POINT,  // the same in the plane: x, y
  HN_SCALAR         // one coordinate of a block; not for hn_add_body
} hn_body_kind;

// A rigid body. Its frame may lie anywhere on it: `position` and `orientation` are of the frame,
// `com` says where the mass is in it.
typedef struct hn_body_def {
  const char *name;            // letters, digits, _; unique among bodies
  hn_body_kind kind;           // what it can do; zero: a body in space
  double mass;                 // [kg]
  double inertia[6];           // [kg m^2] xx yy zz xy xz yz about the centre of mass, body axes
                               // (planar bodies use zz; matrix entries, not products of inertia)
  double com[3];               // [m] centre of mass in the body frame
  double position[3];          // [m] origin of the body frame, world
  double orientation[4];       // quaternion body to world; all zero: identity
  double angle;                // [rad] planar bodies
  double velocity[3];          // [m/s] of the frame's origin, world axes
  double angular_velocity[3];  // [rad/s] world axes (planar: z)
  hn_shape shape;              // inertia and picture; mass or density must be given with it
  unsigned hold;               // HN_HOLD_* bits respected by assembly
  bool mass_given;             // a mass of 0 is meant: the body has none
  bool inertia_given;          // likewise an inertia of 0
  // several shapes in place of one; `com` is that of the shapes unless com_given
  const hn_shape_def *shapes;
  int shape_count;  // how many of these
  bool com_given;   // a com of 0 is meant
} hn_body_def;

// a place with axes on a body, by whose name joints and formulas find it
typedef struct hn_frame_def {
  const char *name;       // unique on its body
  hn_body body;           // the ground: a place in the world
  double position[3];     // [m] in the body frame (ground: world)
  double orientation[4];  // frame to body; all zero: same axes as the body
} hn_frame_def;

// one end of a joint or force: a body, optionally at one of its frames
typedef struct hn_end {
  hn_body body;    // zero: the ground
  hn_frame frame;  // 0: located by `at` in the definition instead
} hn_end;

// what a row yields with
typedef struct hn_soft {
  double stiffness, damping;  // [N/m, N m/rad], [N s/m, N m s/rad]
} hn_soft;

// what a generic joint locks; the last is for planar bodies
enum {
  HN_LOCK_X = 1,  // translations of b along the axes of a
  HN_LOCK_Y = 2,
  HN_LOCK_Z = 4,
  HN_LOCK_ROLL = 8,  // rotations, by angles of the sequence z-y-x
  HN_LOCK_PITCH = 16,
  HN_LOCK_YAW = 32,
  HN_LOCK_ANGLE = 64  // the only rotation of the plane
};

// A joint. Which members a type understands its keys say (hn_joint_type_at, docs/format.md); others
// must be left at zero. Where a and b have frames the joint is at these, and `at` and `axis` are
// not asked for.
typedef struct hn_joint_def {
  const char *name;        // unique among joints: columns and rows are named after it
  const char *type;        // see hn_joint_type_at()
  hn_end a, b;             // reactions are those of a on b
  double at[3];            // [m] world position in the described configuration, when no frames
  double at_b[3];          // [m] second point (distance and composite links)
  double axis[3];          // joint axis, world axes in the described configuration (zero: z)
  double axis_b[3];        // second axis, on b (universal ...)
  double normal[3];        // rolling: normal of the plane, world (zero: z)
  double length;           // [m] distance, composite links (0: as described)
  double pitch;            // [m/rad] screw
  double ratio;            // gear, rack: b per a
  double radius;           // [m] wheel, sphere, pinion
  double value;            // [m or rad] coordinate in the described configuration
  double rate;             // [m/s or rad/s] initial rate, respected when rate_given
  bool rate_given;         // a rate of 0 is meant
  bool hold;               // assembly keeps the joint coordinate at `value`
  const char *joint_a;     // gear, rack: joints whose coordinates are coupled
  const char *joint_b;     // the second of them
  const char *coordinate;  // driver, coordinate, gear: which coordinate ("angle", "x", "roll" ...)
  const char *coordinate_b;  // gear: coordinate of joint_b
  const char *motion;        // driver: expression of t
  const char *by;            // driver: force that brings the motion about (see hn_inverse)
  bool components;           // record every row's multiplier under its own name
  double stiffness;          // weight for sharing reactions among redundant rows (0: 1)
  const double *preload;     // [N, N m] multipliers of the rows without load, one per row; what
                             // the joints cannot hold among themselves is taken away
  int preload_count;         // numbers: none, or as many as rows
  // stiffness of the rows against each other, times `stiffness`: rows x rows numbers, symmetric and
  // positive definite, or rows numbers, its diagonal (NULL: all 1)
  const double *constraint_stiffness;
  int constraint_stiffness_count;  // numbers: none, rows, or rows x rows
  double omega;  // [1/s] penalty methods: rate at which they remove its violations (0: the option)
  double mu;     // and the damping ratio with which they do (0: the option)
  const char *remove;  // solver removal: its rows that are left out, by name ("z rot_x"), or "all"
  // velocity-soft, -augmented: stiffness [N/m, N m/rad] and damping [N s/m, N m s/rad] of its rows,
  // times the two stiffnesses above (a stiffness of 0: those of the options)
  hn_soft soft;
  // [m or rad] the joint's coordinate stays between these two: two joints of type limit, named
  // after this one (NULL: it has no limits)
  const double *limits;
  int limit_count;      // 0 or 2
  double lower, upper;  // [m or rad] limit: smallest or largest value of the coordinate of joint_a
  bool lower_given, upper_given;  // which of the two there is; a limit has one
  double restitution;  // limit, rope, stop: speed after an impact over the speed before it, 0 to 1
  double ratchet;      // [m or rad] limit: whenever the coordinate has left it by this, it follows
  bool angles;         // spherical: it has coordinates roll, pitch, yaw
  unsigned locked;     // generic: HN_LOCK_* bits
  // contact and joints with clearance, as in hn_force_def
  double clearance, axial_clearance;  // [m]
  double height, width;               // [m]
  double radius_a;                    // [m]
  const char *surface;                // a word
  double size[3];                     // [m]
  bool inside;                        // b is within the surface of a
  // joints that come and go (NULL, 0: this one does not). Formulas of t, signals and measured
  // quantities, true where they are not zero
  const char *active;              // it is there while this is true, or
  const char *catches, *releases;  // from where the first is true until the second is
  double breaks;                   // [N] it is gone for good once its reaction force exceeds this
  double breaks_torque;            // [N m] or its reaction torque this
  const double *points;            // [m] curve: coordinates of its points, one after the other
  int point_count;                 // how many numbers
  bool closed;                     // the last point is joined to the first
  double pressure_angle;  // [rad] gear, rack, flank: of the teeth, which push their wheels apart
  // terrain and wheels, as in hn_force_def
  const double *grid_x, *grid_y, *heights;
  int grid_x_count, grid_y_count, height_count;
  const char *file;
  double rim;  // [m]
  bool hull;   // contact, as in hn_force_def
} hn_joint_def;

// A force element. As with joints the keys of its type say which members it understands.
typedef struct hn_force_def {
  const char *name;            // unique among forces
  const char *type;            // see hn_force_type_at()
  hn_end a, b;                 // action on b, reaction on a
  double at[3], at_b[3];       // [m] world positions in the described configuration, when no frames
  double axis[3];              // direction or axis, world, in the described configuration
  const char *joint;           // joint forces: the joint acted on
  const char *coordinate;      // joint forces: which of its coordinates (NULL: the first)
  double stiffness;            // [N/m or N m/rad]
  double damping;              // [N s/m or N m s/rad]; beam [s]: this times the stiffness
  double free;                 // [m or rad] free length or angle, respected when free_given
  bool free_given;             // false: relaxed in the assembled configuration
  double preload;              // [N or N m] tension added
  const double *coefficients;  // polynomial of the elongation, from the linear term upwards
  int coefficient_count;       // how many
  const double *table;         // pairs: elongation, force (ascending)
  int table_count;             // number of pairs
  const char *law;             // expression of length (or angle), rate, t: tension
  const char *components[3];   // applied force or torque: expressions of t and measured quantities
  bool body_axes;              // components are in the axes of body b, not the world's
  const double *stiffness6;    // bushing, section of a beam: 36 numbers, force then torque
  const double *damping6;      // bushing
  const double *free6;  // bushing, beam: where it is relaxed, in the axes of a: place of b's point
  int free6_count;      // [m] and rotation vector of its axes [rad]; 6 numbers
  const double *preload6;    // bushing: force [N] and torque [N m] on b added there, axes of a
  int preload6_count;        // 6 numbers
  double gap;                // [m or rad] bump stop: elongation at which it engages
  double radius;             // [m] tyre
  const char *road;          // tyre: height as an expression of x
  const double *road_table;  // tyre: pairs x, z
  int road_count;            // pairs
  const char *shift;         // tyre: added to x before the road is looked up, expression of t
  double coulomb;            // friction coefficient
  double viscous;            // [N s/m or N m s/rad]
  double speed;              // [m/s or rad/s] regularisation speed of friction (0: 1e-3)
  const char *voltage;       // [V] dc-motor: formula
  double resistance;         // [ohm]
  double inductance;         // [H] (0: the current follows at once)
  double constant;           // [N m/A or N/A] effort per current, and voltage per rate
  const char *valve;         // hydraulic cylinder: opening from -1 to 1, formula
  double areas[2];           // [m^2] of the pistons in chambers a and b
  double volumes[2];         // [m^3] of the chambers where the coordinate is zero
  double bulk_modulus;       // [Pa]
  double supply, tank;       // [Pa] pressures
  double flow;               // [m^3/(s sqrt(Pa))] through the open valve
  double leakage;            // [m^3/(s Pa)] from chamber to chamber
  double pressures[2];       // [Pa] of the chambers at the start
  const double *series_stiffness;  // series: of every element [N/m or N m/rad], 0: it has none
  int series_stiffness_count;      // elements of the series
  const double *series_damping;    // series: likewise [N s/m or N m s/rad]
  int series_damping_count;        // as many
  double sticking;                 // friction coefficient at rest (0: that in motion)
  // contact and joints with clearance
  double exponent;              // of the depth (0: 1.5, kelvin-voigt 1)
  double restitution;           // speed after an impact over the speed before it, 0 to 1
  bool restitution_given;       // a restitution of 0 is meant
  double young[2], poisson[2];  // [Pa], of a and of b, in place of a stiffness
  double impact_speed;          // [m/s] slower impacts count as this fast (0: 1e-3)
  double clearance;             // [m] how far the middle of b can go to any side
  double axial_clearance;       // [m] revolute in space: along the axis (0: as clearance)
  double length;                // [m] of the bearing, the block, the capsule
  double height, width;         // [m] of the block, along x and y of a
  double radius_a;              // [m] of a's sphere, cylinder or capsule
  // contact: plane (NULL), sphere, cylinder, capsule, box, hull, curve, terrain
  const char *surface;
  double size[3];        // [m] edges of a's box
  bool inside;           // contact: b's ball is inside a's surface
  const double *points;  // [m] curve: x and y of its points in the axes of a, one after the
  int point_count;       // other; how many numbers
  bool closed;           // the curve goes on from the last point to the first
  double press;          // [N] friction: in place of the reaction of the joint (0: that)
  // beam-element: Young's modulus [Pa], how far its fibres are along y and z [m], or all around
  // [m]; zero: nothing is said about stresses
  double fibres[4];
  // drag: `components` are the wind [m/s] in axes of a
  double area;     // [m^2] seen by the flow
  double drag;     // coefficient
  double density;  // [kg/m^3] of the medium (0: air, 1.225)
  // oil-film
  double viscosity;   // [Pa s]
  double least_film;  // thickness below which the film does not get, over the clearance (0: 0.01)
  bool below;         // bump-stop: it acts below `gap`, not above
  // beam-element: of the section at a, per length, 36 numbers, or NULL, and at b where it differs
  const double *mass6, *mass_end6;
  // contact with a terrain: heights over a grid in the axes of a [m], row by row, those of
  // grid_y[0] first; or a file with them
  const double *grid_x, *grid_y, *heights;
  int grid_x_count, grid_y_count, height_count;  // numbers
  const char *file;
  double rim;        // [m] contact: b is a wheel; radius of the middle of its tyre (0: b is a ball)
  double axis_b[3];  // its axis, world, in the described configuration
  bool hull;         // contact: b is the hull or box that its shape is
} hn_force_def;

// the section of a beam, y and z across it
typedef enum hn_profile_kind {
  HN_PROFILE_NONE,       // stiffness6 and mass6 say it all
  HN_PROFILE_RECTANGLE,  // width along y, height along z
  HN_PROFILE_CIRCLE,     // solid
  HN_PROFILE_TUBE,       // radius outside, thickness of the wall
  HN_PROFILE_I,          // flanges along y, web along z
  HN_PROFILE_NUMBERS     // area and second moments as they are
} hn_profile_kind;
typedef struct hn_profile {
  hn_profile_kind kind;         // which of the sizes below count
  double width, height;         // [m] rectangle, I: along y and z
  double radius;                // [m] circle, tube: outer
  double thickness;             // [m] tube: of the wall
  double flange, web;           // [m] I: thicknesses
  double area;                  // [m^2] numbers
  double inertia_y, inertia_z;  // [m^4] second moments of area, for bending about y and z
  double torsion;               // [m^4] J
  double shear_y, shear_z;      // what part of the area takes shear (0: all)
} hn_profile;

// a place of a beam that is to be a node of this name
typedef struct hn_beam_place {
  const char *name;  // of the node: "arm.NAME"
  double at;         // [m] along the beam
} hn_beam_place;

// a beam that bends, twists, shears and stretches, as far as it likes: a row of bodies, its nodes,
// with elements between them. Nodes are called "arm.start", "arm.node1" ..., "arm.end"; x of their
// axes goes along the beam
typedef struct hn_beam_def {
  const char *name;          // its nodes are bodies named after it
  hn_body_kind kind;         // of the nodes; point masses: a rod that only stretches
  int elements;              // at least 1; errors fall as their square
  const double *points;      // [m] world, three numbers each: two points, straight; more, a curve
  int point_count;           // through them
  bool arc;                  // through three points: a circular arc
  double up[3];              // z of its sections is as near to this as can be (zero: the world's z)
  double twist;              // [rad] by which its end is turned against its start
  double young, poisson;     // [N/m^2] of the material
  double shear;              // [N/m^2] (0: young / (2 (1 + poisson)))
  double density;            // [kg/m^3]
  hn_profile profile;        // at the start
  hn_profile profile_end;    // where it tapers
  const double *stiffness6;  // 36 numbers, in place of young and profile: [N, N m^2]
  const double *mass6;  // per length, 36 numbers, in place of density and profile: [kg/m, kg m]
  double damping;       // [s] dampers are this times the stiffness
  const char *load[3];  // [N/m] formulas of t and measured quantities
  bool load_follows;    // its components are in axes of the sections, not of the world
  double velocity[3];   // [m/s] of the start, world axes
  double angular_velocity[3];   // [rad/s] of the whole beam
  const hn_beam_place *places;  // that are to be nodes
  int place_count;              // how many
  bool consistent;              // masses are spread along the elements, not lumped at the nodes
  // in place of `damping`, two pairs: frequency [Hz], ratio of critical damping there
  const double *damping_ratios;
  int damping_ratio_count;  // number of pairs
} hn_beam_def;

// a block: a part of the model given by its equations instead of bodies and joints,
//   M a = f + J^T lambda,  M and f from the kinetic energy T, the potential V and forces Q:
//   d/dt dT/dv - dT/dq = Q - dV/dq
// Formulas know the block's coordinates ("theta"), their rates ("theta.rate"), t, the parameters,
// and what other elements have to say ("crank.x", "hinge.angle"); all derivatives are exact.
typedef struct hn_coordinate_def {
  const char *name;        // formulas of the block call it so, others "block.name"
  double value, velocity;  // at the start; assembly changes them as little as needed
  const char *unit;        // "rad", "m", or another word to be shown (NULL: none)
  bool hold;               // assembly keeps the value
} hn_coordinate_def;

// one formula with a name
typedef struct hn_equation {
  const char *name;     // forces: what it acts on; constraints: name of the row (NULL: numbered)
  const char *formula;  // constraints: "left = right", or what must be zero
} hn_equation;

// what a function in the place of formulas fills in; zero on entry, NULL where not wanted
typedef struct hn_block_values {
  double *mass;       // M, n x n, row by row, symmetric
  double *force;      // n: all that M a must balance: applied, gravity, Coriolis
  double *potential;  // energy of those forces that have one
  double *power;      // of the others
  double *phi;        // rows: value of the holonomic ones
  double *phi_t;      // rows: explicit time derivative; nonholonomic ones J v + phi_t = 0
  double *J;          // rows x n
  double *gamma;      // rows: J a = gamma
} hn_block_values;
// v is NULL when only phi is wanted. It must not keep anything between calls: one system may be
// run by several threads
typedef void (*hn_block_fn)(void *user, double t, const double *q, const double *v,
                            const hn_block_values *out);

// one struct for a whole block; formulas, or a function in their place
typedef struct hn_block_def {
  const char *name;                      // unique among blocks
  const hn_coordinate_def *coordinates;  // n of them
  int coordinate_count;                  // n
  const char *kinetic_energy;            // of coordinates, rates and t; second degree in the rates
  const char *const *mass_matrix;        // in its place: n x n formulas of coordinates and t
  const char *potential;                 // of coordinates, t, and positions of other elements
  const hn_equation *forces;       // generalized forces on coordinates, or on positions of others
  int force_count;                 // how many
  const hn_equation *constraints;  // holonomic
  int constraint_count;            // rows
  const hn_equation *velocity_constraints;  // nonholonomic, linear in the rates
  int velocity_constraint_count;            // rows
  hn_block_fn equations;  // in place of all formulas; constraints then only count and name rows
  void *user;             // handed to `equations` as it is
} hn_block_def;

// A condition of the start: a quantity that formulas read ("strut.length", "a.tip.x - b.tip.x"),
// linear in positions, begins with this value or rate. Assembly holds it.
typedef struct hn_start_def {
  const char *quantity;  // a formula
  double value;          // [m or rad], respected when value_given
  bool value_given;      // it has one
  double rate;           // [m/s or rad/s], respected when rate_given
  bool rate_given;       // likewise
} hn_start_def;

// rows of joints that are stiff against each other, as supports on one flexible foundation are:
// their part of the constraint stiffness matrix, in place of what the joints say about these rows
typedef struct hn_coupling_def {
  const char *name;  // of the coupling, in messages
  // joints, with all their rows, or single rows ("left.z"), in natural coordinates also those that
  // keep a body rigid ("rod.rigid11")
  const char *const *rows;
  int row_count;             // how many of these words
  const double *stiffness;   // [N/m, N m/rad] rows x rows numbers, symmetric, positive definite, in
  int stiffness_count;       // the order of the rows
  const double *compliance;  // [m/N, rad/(N m)] or its inverse, in the place of it
  int compliance_count;      // numbers
  const double *preload;  // [N, N m] multipliers of these rows without load, one per row, or NULL
  int preload_count;      // numbers: none, or one per row
} hn_coupling_def;

// a signal: a named number that every formula of the model can read: a formula itself, points over
// time from a table or a CSV file, an input that the caller sets while the model runs
// (hn_input_set), or a state that is integrated with the motion. Exactly one of these. Signals are
// recorded as columns of their names
// between points of a table: straight lines, steps that hold the last value, a smooth curve
typedef enum hn_interpolation { HN_LINEAR, HN_HOLD, HN_CUBIC } hn_interpolation;
typedef struct hn_signal_def {
  const char *name;     // what formulas call it; unique among signals
  const char *unit;     // to be shown (NULL: none)
  const char *formula;  // of t, the parameters, other signals, and what elements have to say
  double input;         // value of an input until it is set
  bool input_given;     // it is one; true without saying so when the value is not zero
  const double *table;  // points (t, value); times ascend
  int table_count;      // points
  const char *file;     // CSV file, its path counted from that of the model file
  const char *time;     // its column of times, by name or number; NULL: the first
  const char *column;   // and of values; NULL: the second
  hn_interpolation interpolation;  // of the table or the file
  const char *rate;  // formula of the rate: the signal is a state, and may occur in it
  double start;      // its value at the start
  bool steady;       // or: it starts where its rate is zero
  double size;       // of a state: by this errors are judged; 0: its largest value so far
} hn_signal_def;

// a controller: writes a signal of its own name, whose value is held between the instants at which
// it changes. It is sampled at t = offset + k period, exactly: memory follows from what it was, all
// at once, then the output by a formula, or by a function of the caller (hn_controller_function).
// Or it is a machine of modes: the signal is the number of the mode, from 0, and steps end where a
// guard of the present mode becomes true
typedef struct hn_controller_def {
  const char *name;                // of the signal it writes
  const char *unit;                // to be shown (NULL: none)
  double period, offset;           // [s]
  double delay;                    // [s] from a sample to its effect
  const char *formula;             // of the output
  const char *const *inputs;       // formulas: what a function of the caller is given, in its place
  int input_count;                 // how many
  const char *const *memory;       // words: signals <name>_<word>
  const char *const *memory_next;  // formulas of what follows
  const double *memory_start;      // NULL: zero
  int memory_count;                // words, and formulas
  double quantum;                  // the output is a multiple of it; 0: any number
  double noise;                    // standard deviation of what is added to the output
  double seed;                     // of the noise
  double start;                    // output before the first sample acts
  const char *const *modes;        // of a machine
  int mode_count;                  // how many
  const char *begin;               // mode at the start; NULL: the first
  const char *const *transitions;  // "idle -> lift"
  const char *const *guards;       // formulas
  int transition_count;            // and guards, one each
  const char *library;   // shared library with the function; absolute, or beside the model file
  const char *function;  // its name there, of type hn_controller_fn (NULL: "control")
} hn_controller_def;

// a ready-made process from an input to an output: lag, transfer function, PID controller, relay
// ... It becomes states and signals, the output under its own name (docs/signals.md)
typedef struct hn_process_def {
  const char *name;               // of the signal that is its output
  const char *type;               // see hn_process_type_at()
  const char *input;              // formula
  const char *unit;               // of the output, to be shown (NULL: none)
  double gain;                    // 0: 1
  double time;                    // [s] time constant
  const double *numerator;        // of a transfer function, highest power of s first
  int numerator_count;            // one more than its degree
  const double *denominator;      // of at least that degree
  int denominator_count;          // one more than its degree
  const double *A, *B, *C;        // state space, matrices row by row
  int A_count, B_count, C_count;  // numbers: n x n, n, n
  double D;                       // from the input straight to the output
  const double *initial;          // its states at the start
  int initial_count;              // n
  double kp, ki, kd;              // PID
  double filter;                  // [s] time constant of its derivative
  double tracking;   // [s] in which its integral takes back what limits cut off; 0: kp / ki
  double low, high;  // limits, respected when given
  bool low_given, high_given;  // which of them there are
  double width;                // of a backlash, or of a relay's hysteresis
  double rising, falling;      // [1/s] largest rates; falling 0: as rising
  double start;                // output at the start (PID: of its integral; relay: above 0 is high)
  bool steady;                 // states start where their rates are zero
  double size;                 // of the states, by which errors are judged
} hn_process_def;

// an interface of a flexible body: finite-element nodes, by number, that move as one rigid piece.
// It is a body of the model, "arm.tip", at the mean of their places
typedef struct hn_interface {
  const char *name;  // its body is "BODY.NAME"
  const int *nodes;  // numbers as in the file
  int node_count;    // at least one
} hn_interface;

// a body given by finite elements, which vibrates and bends a little while it moves as far as it
// likes: bodies at its interfaces, and a block of modal coordinates "arm.mode1" ...
typedef struct hn_flexible_def {
  const char *name;  // its bodies are named after it
  // files: lines "number x y z" [m]; Matrix Market over displacements and rotations of these nodes.
  // A text of several lines is such a file itself
  const char *nodes, *stiffness, *mass;
  const hn_interface *interfaces;  // the first one is its frame
  int interface_count;
  int modes;                     // vibrations with the interfaces held
  double damping;                // ratio of critical damping of these
  double stiffness_damping;      // [s] dampers between the interfaces are this times the stiffness
  double position[3];            // [m] of the finite elements' origin, world axes
  double orientation[4];         // quaternion w x y z of their axes
  double velocity[3];            // [m/s] of that origin, world axes
  double angular_velocity[3];    // [rad/s] of the whole body, world axes
  bool stiffening;               // bending shortens it, and forces along it stiffen it
  const char *calculix;          // job of CalculiX, in place of nodes, stiffness and mass
  bool millimetres;              // they count in mm, N, t and s
  const char *surface;           // file it is drawn by: lines of three or four numbers of nodes
  const double *damping_ratios;  // in place of `damping`, one for every mode
  int damping_ratio_count;       // as many as modes
} hn_flexible_def;

// an event: its becoming true is noted with the instant, and told to whoever asked to be; steps end
// there. A signal of its name is 1 while the condition holds, and 0 otherwise
typedef struct hn_event_def {
  const char *name;  // of the event and its signal
  const char *when;  // condition: "ball.y < 0"
  bool stop;         // it ends the run
} hn_event_def;

// Each returns a handle, or a negative id and hn_model_error() when refused; definitions are
// copied, strings included. Couplings are of rows of joints that are in the model already.
//
// Definitions grow at their end, and zero is what they meant before. Their size in the program
// travels with them, so that a program goes on with later versions of the library, and with earlier
// ones as long as it says nothing they do not know. Calling by name does that; the functions of the
// same names, which pointers and other languages get, take the definitions of the first version.
// what a definition refers to (bodies, frames, joints) has to be in the model already
HN_API hn_body hn_add_body(hn_model *model, const hn_body_def *def);
HN_API hn_frame hn_add_frame(hn_model *model, const hn_frame_def *def);
HN_API hn_joint hn_add_joint(hn_model *model, const hn_joint_def *def);
HN_API hn_force hn_add_force(hn_model *model, const hn_force_def *def);
HN_API hn_block hn_add_block(hn_model *model, const hn_block_def *def);
HN_API hn_beam hn_add_beam(hn_model *model, const hn_beam_def *def);
HN_API hn_status hn_add_coupling(hn_model *model, const hn_coupling_def *def);
HN_API hn_status hn_add_signal(hn_model *model, const hn_signal_def *def);
HN_API hn_status hn_add_controller(hn_model *model, const hn_controller_def *def);
HN_API hn_status hn_add_process(hn_model *model, const hn_process_def *def);

// the same with the size of the definition in the program that calls, in bytes; the macros below
// fill it in
HN_API hn_body hn_add_body_sized(hn_model *model, const hn_body_def *def, size_t size);
HN_API hn_frame hn_add_frame_sized(hn_model *model, const hn_frame_def *def, size_t size);
HN_API hn_joint hn_add_joint_sized(hn_model *model, const hn_joint_def *def, size_t size);
HN_API hn_force hn_add_force_sized(hn_model *model, const hn_force_def *def, size_t size);
HN_API hn_block hn_add_block_sized(hn_model *model, const hn_block_def *def, size_t size);
HN_API hn_beam hn_add_beam_sized(hn_model *model, const hn_beam_def *def, size_t size);
HN_API hn_status hn_add_coupling_sized(hn_model *model, const hn_coupling_def *def, size_t size);
HN_API hn_status hn_add_signal_sized(hn_model *model, const hn_signal_def *def, size_t size);
HN_API hn_status hn_add_controller_sized(hn_model *model, const hn_controller_def *def,
                                         size_t size);
HN_API hn_status hn_add_start_sized(hn_model *model, const hn_start_def *def, size_t size);
HN_API hn_status hn_add_process_sized(hn_model *model, const hn_process_def *def, size_t size);
HN_API hn_status hn_add_flexible_sized(hn_model *model, const hn_flexible_def *def, size_t size);
HN_API hn_status hn_add_event_sized(hn_model *model, const hn_event_def *def, size_t size);
// the definition may be a literal with commas in it
#define hn_add_body(model, ...)  hn_add_body_sized(model, __VA_ARGS__, sizeof(hn_body_def))
#define hn_add_frame(model, ...) hn_add_frame_sized(model, __VA_ARGS__, sizeof(hn_frame_def))
#define hn_add_joint(model, ...) hn_add_joint_sized(model, __VA_ARGS__, sizeof(hn_joint_def))
#define hn_add_force(model, ...) hn_add_force_sized(model, __VA_ARGS__, sizeof(hn_force_def))
#define hn_add_block(model, ...) hn_add_block_sized(model, __VA_ARGS__, sizeof(hn_block_def))
#define hn_add_beam(model, ...)  hn_add_beam_sized(model, __VA_ARGS__, sizeof(hn_beam_def))
#define hn_add_coupling(model, ...)                                                                \
  hn_add_coupling_sized(model, __VA_ARGS__, sizeof(hn_coupling_def))
#define hn_add_signal(model, ...) hn_add_signal_sized(model, __VA_ARGS__, sizeof(hn_signal_def))
#define hn_add_controller(model, ...)                                                              \
  hn_add_controller_sized(model, __VA_ARGS__, sizeof(hn_controller_def))
#define hn_add_start(model, ...) hn_add_start_sized(model, __VA_ARGS__, sizeof(hn_start_def))
#define hn_add_event(model, ...) hn_add_event_sized(model, __VA_ARGS__, sizeof(hn_event_def))
#define hn_add_flexible(model, ...)                                                                \
  hn_add_flexible_sized(model, __VA_ARGS__, sizeof(hn_flexible_def))
#define hn_add_process(model, ...) hn_add_process_sized(model, __VA_ARGS__, sizeof(hn_process_def))

// the k-th node of a beam, from its start; negative: from its end, -1 being that
HN_API hn_body hn_beam_node(const hn_model *model, hn_beam beam, int k);

// record only columns that match one of these patterns ("crank.*", "energy.total"); without any all
// are recorded
HN_API hn_status hn_add_output(hn_model *model, const char *pattern);
// nobody will look at what runs record, only at what they prove: rows hold the time alone, unless
// outputs, columns or signals are listed, which are recorded and checked as ever, or the audit
// needs them (beams). Call it before hn_compile; the motion is the same to the last bit
HN_API void hn_model_unread(hn_model *model);
// a column of its own, a formula of other columns ("motor.effort*hinge.angle_rate", reactions and
// energies too), of t and of parameters. What it reads is recorded as well
typedef struct hn_column_def {
  const char *name;     // of the column
  const char *formula;  // over names of columns
  const char *unit;     // a word to be shown
  // instead of a formula: that of which the column is the integral over time, from the start of the
  // run; by quadrature along its steps, at the integrator's order
  const char *integral;
} hn_column_def;
// a name that no column has is told by hn_compile
HN_API hn_status hn_add_column_sized(hn_model *model, const hn_column_def *def, size_t size);
#define hn_add_column(model, ...) hn_add_column_sized(model, __VA_ARGS__, sizeof(hn_column_def))

// what a kind of joint, force, process, solver, correction or integrator says of itself
typedef struct hn_type_info {
  const char *name;      // the word in model files and definitions
  const char *help;      // one line
  const char *keys;      // model-file keys it understands, separated by blanks
  const char *required;  // those it cannot do without
} hn_type_info;

// a preset: three parts under one name (docs/methods)
typedef struct hn_method_info {
  const char *name;                              // the word of the option `method`
  const char *solver, *correction, *integrator;  // "" where the stepper does it all
  const char *help;                              // one line
} hn_method_info;

// tables end with NULL
// kinds of joints, forces and processes that a description may name
// what these return belongs to the library; types made known by extend.h are among them
HN_API const hn_type_info *hn_joint_type_at(int index);
HN_API const hn_type_info *hn_force_type_at(int index);
HN_API const hn_type_info *hn_process_type_at(int index);
// presets, and the parts of which methods are made: each by number from 0
HN_API const hn_method_info *hn_method_at(int index);
HN_API const char *hn_method_copes(int index, int k);  // the k-th thing a method can deal with
HN_API const hn_type_info *hn_solver_at(int index);
HN_API const hn_type_info *hn_correction_at(int index);
HN_API const hn_type_info *hn_integrator_at(int index);

#ifdef __cplusplus
}
#endif
#endif
