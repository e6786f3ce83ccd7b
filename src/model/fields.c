// fields.c: the tables of keys and what can be done with any row of them.
#include "model/fields.h"

#include <stdlib.h>
#include <string.h>

#define BODY(k, f, ...)                                                                            \
  { .key = k, .offset = offsetof(hn_body_def, f), __VA_ARGS__ }
#define FRAME(k, f, ...)                                                                           \
  { .key = k, .offset = offsetof(hn_frame_def, f), __VA_ARGS__ }
#define JOINT(k, f, ...)                                                                           \
  { .key = k, .offset = offsetof(hn_joint_def, f), __VA_ARGS__ }
#define FORCE(k, f, ...)                                                                           \
  { .key = k, .offset = offsetof(hn_force_def, f), __VA_ARGS__ }
#define BLOCK(k, f, ...)                                                                           \
  { .key = k, .offset = offsetof(hn_block_def, f), __VA_ARGS__ }
#define BEAM(k, f, ...)                                                                            \
  { .key = k, .offset = offsetof(hn_beam_def, f), __VA_ARGS__ }
#define FLEXIBLE(k, f, ...)                                                                        \
  { .key = k, .offset = offsetof(hn_flexible_def, f), __VA_ARGS__ }
#define PROFILE(f, u, h)                                                                           \
  {                                                                                                \
    .key = #f, .offset = offsetof(hn_profile, f), .kind = HN_FIELD_NUMBER,                         \
    .range = HN_RANGE_POSITIVE, .unit = u, .help = h                                               \
  }
#define COORDINATE(k, f, ...)                                                                      \
  { .key = k, .offset = offsetof(hn_coordinate_def, f), __VA_ARGS__ }
#define COUPLING(k, f, ...)                                                                        \
  { .key = k, .offset = offsetof(hn_coupling_def, f), __VA_ARGS__ }
#define SIGNAL(k, f, ...)                                                                          \
  { .key = k, .offset = offsetof(hn_signal_def, f), __VA_ARGS__ }
#define CONTROLLER(k, f, ...)                                                                      \
  { .key = k, .offset = offsetof(hn_controller_def, f), __VA_ARGS__ }
#define PROCESS(k, f, ...)                                                                         \
  { .key = k, .offset = offsetof(hn_process_def, f), __VA_ARGS__ }
#define START(k, f, ...)                                                                           \
  { .key = k, .offset = offsetof(hn_start_def, f), __VA_ARGS__ }
#define COLUMN(k, f, ...)                                                                          \
  { .key = k, .offset = offsetof(hn_column_def, f), __VA_ARGS__ }
#define EVENT(k, f, ...)                                                                           \
  { .key = k, .offset = offsetof(hn_event_def, f), __VA_ARGS__ }
#define SOFT(k, f, ...)                                                                            \
  { .key = k, .offset = offsetof(hn_soft, f), __VA_ARGS__ }
#define TURN(k, f, ...)                                                                            \
  { .key = k, .offset = offsetof(hn_orientation_def, f), __VA_ARGS__ }

// what elements may be given beside the mechanics
#define DESCRIPTION                                                                                \
  {                                                                                                \
    .key = "description", .kind = HN_FIELD_NOTE, .unit = "",                                       \
    .help = "text about it, shown in pages"                                                        \
  }
#define COLOR                                                                                      \
  {                                                                                                \
    .key = "color", .kind = HN_FIELD_NOTE, .unit = "",                                             \
    .help = "it is drawn in: a word (red, silver ...) or \"#rrggbb\""                              \
  }

const hn_field hn_body_fields[] = {
    BODY("type", kind, .kind = HN_FIELD_CHOICE, .unit = "",
         .words = "spatial planar point planar-point",
         .help = "kind of body: spatial (6 degrees of freedom, the default), planar (x, y, angle), "
                 "point (x, y, z) or planar-point (x, y)"),
    BODY("mass", mass, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
         .extra = offsetof(hn_body_def, mass_given), .unit = "kg",
         .help = "mass; left out when the shape has a density, 0 for a body without"),
    BODY("inertia", inertia, .kind = HN_FIELD_INERTIA,
         .extra = offsetof(hn_body_def, inertia_given), .unit = "kg m^2",
         .help = "inertia about the centre of mass, body axes: one number (planar), three "
                 "principal values, a map of xx yy zz xy xz yz, or three rows"),
    BODY("shape", shape, .kind = HN_FIELD_SHAPE, .unit = "",
         .help = "what is drawn, and the inertia unless it is given"),
    BODY("shapes", shapes, .kind = HN_FIELD_SHAPES, .unit = "",
         .help = "several of them, anywhere on the body; mass, com and inertia are those of all "
                 "unless given"),
    BODY("com", com, .kind = HN_FIELD_VECTOR, .unit = "m",
         .help = "centre of mass in the body frame; a single shape is centred there"),
    BODY("position", position, .kind = HN_FIELD_POSITION, .unit = "m",
         .help = "origin of the body frame, world axes"),
    {.key = "from",
     .kind = HN_FIELD_POINT,
     .unit = "m",
     .help = "the body is a bar from this point, in place of position and orientation"},
    {.key = "to", .kind = HN_FIELD_POINT, .unit = "m", .help = "to this one; x of its axes"},
    {.key = "up",
     .kind = HN_FIELD_POINT,
     .items = 3,
     .unit = "",
     .help = "z of a spatial bar is as near to this direction as can be; the world's z when not "
             "given"},
    BODY("angle", angle, .kind = HN_FIELD_NUMBER, .unit = "rad",
         .help = "orientation of a planar body"),
    BODY("orientation", orientation, .kind = HN_FIELD_ORIENTATION, .unit = "",
         .help = "orientation of a spatial body, body to world"),
    BODY("velocity", velocity, .kind = HN_FIELD_VECTOR, .unit = "m/s",
         .help = "velocity of the frame's origin, world axes"),
    BODY("angular_velocity", angular_velocity, .kind = HN_FIELD_VECTOR, .items = 1, .unit = "rad/s",
         .help = "angular velocity, world axes (planar: one number)"),
    {.key = "frames",
     .kind = HN_FIELD_FRAMES,
     .unit = "",
     .help = "named places on the body that joints and forces refer to"},
    BODY("hold", hold, .kind = HN_FIELD_BITS, .unit = "", .words = "x y z rotation velocity",
         .help = "coordinates that assembly must not change"),
    COLOR,
    DESCRIPTION,
    {0},
};

const hn_field hn_frame_fields[] = {
    FRAME("position", position, .kind = HN_FIELD_VECTOR, .unit = "m",
          .help = "origin of the frame in the body frame (ground: world)"),
    FRAME("orientation", orientation, .kind = HN_FIELD_ORIENTATION, .unit = "",
          .help = "orientation of the frame, frame to body"),
    {0},
};

const hn_field hn_soft_fields[] = {
    SOFT("stiffness", stiffness, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
         .unit = "N/m, N m/rad", .help = "force over violation of a row"),
    SOFT("damping", damping, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
         .unit = "N s/m, N m s/rad", .help = "force over its rate; none when not given"),
    {0},
};

const hn_field hn_orientation_fields[] = {
    TURN("quaternion", quaternion, .kind = HN_FIELD_NUMBERS, .items = 4, .unit = "",
         .help = "scalar first; any length but zero"),
    TURN("axis", axis, .kind = HN_FIELD_DIRECTION, .unit = "", .help = "axis of rotation"),
    TURN("angle", angle, .kind = HN_FIELD_NUMBER, .unit = "rad", .help = "angle about the axis"),
    TURN("euler", euler, .kind = HN_FIELD_NUMBERS, .items = 3, .unit = "rad",
         .help = "angles of three successive rotations about the turned axes"),
    TURN("sequence", sequence, .kind = HN_FIELD_WORD, .unit = "",
         .words = "xyx xyz xzx xzy yxy yxz yzx yzy zxy zxz zyx zyz",
         .help = "their axes, first rotation first"),
    {0},
};

#define CLEARANCE                                                                                  \
  "contact clearance-revolute clearance-spherical clearance-prismatic clearance-cylindrical"
#define LENGTH_HELP                                                                                \
  "of the bearing (in space), of the block along its way, of the middle of a capsule"
// of contacts and joints with clearance, which joints and forces have alike
#define GAP_FIELDS(ROW, DEF)                                                                       \
  ROW("clearance", clearance, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",    \
      .help = "how far b can go to any side from the middle"),                                     \
      ROW("axial_clearance", axial_clearance, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, \
          .unit = "m", .help = "the same along the axis (in space); as clearance when not given"), \
      ROW("height", height, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",      \
          .help = "of the block, across its way; in space along x of a's frame"),                  \
      ROW("width", width, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",        \
          .help = "of the block in space, along y of a's frame"),                                  \
      ROW("radius_a", radius_a, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",  \
          .help = "radius of a's sphere, cylinder or capsule"),                                    \
      ROW("surface", surface, .kind = HN_FIELD_WORD, .unit = "",                                   \
          .words = "plane sphere cylinder capsule box curve",                                      \
          .help = "of a: plane (the default, axis is its normal), sphere, cylinder and capsule "   \
                  "(along axis), box, curve"),                                                     \
      ROW("size", size, .kind = HN_FIELD_VECTOR, .unit = "m", .help = "edges of a's box"),         \
      ROW("points", points, .kind = HN_FIELD_MATRIX, .extra = offsetof(DEF, point_count),          \
          .unit = "m", .help = "of a's curve, x and y of each in the axes of a"),                  \
      ROW("closed", closed, .kind = HN_FIELD_FLAG, .unit = "",                                     \
          .help = "the curve goes on from its last point to the first"),                           \
      ROW("inside", inside, .kind = HN_FIELD_FLAG, .unit = "",                                     \
          .help = "b's ball is inside a's surface")

const hn_field hn_joint_fields[] = {
    JOINT("a", a, .kind = HN_FIELD_END, .unit = "",
          .help = "first end: body or body.frame, ground when not given; reactions are those of a "
                  "on b"),
    JOINT("b", b, .kind = HN_FIELD_END, .unit = "", .help = "second end: body or body.frame"),
    JOINT("at", at, .kind = HN_FIELD_POSITION, .unit = "m",
          .help = "world position in the described configuration, in place of frames"),
    JOINT("at_b", at_b, .kind = HN_FIELD_POSITION, .unit = "m",
          .help = "world position of the second point, in place of a frame of b"),
    JOINT("axis", axis, .kind = HN_FIELD_DIRECTION, .unit = "",
          .help = "joint axis, world axes in the described configuration; z when not given"),
    JOINT("axis_b", axis_b, .kind = HN_FIELD_DIRECTION, .unit = "",
          .help = "second axis, on b, world axes in the described configuration"),
    JOINT("normal", normal, .kind = HN_FIELD_DIRECTION, .unit = "",
          .help = "normal of the plane rolled on, world axes; z when not given"),
    JOINT("length", length, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",
          .types = "distance universal-spherical revolute-spherical rope apart",
          .help = "length of the link; as described when not given"),
    JOINT("length", length, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",
          .types = CLEARANCE, .help = LENGTH_HELP),
    JOINT("pitch", pitch, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_ZERO, .unit = "m/rad",
          .help = "translation per angle of a screw"),
    JOINT("ratio", ratio, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_ZERO, .unit = "",
          .help = "coordinate of joint_b per coordinate of joint_a"),
    JOINT("radius", radius, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",
          .types = "rolling-disc rolling-sphere stop grip contact",
          .help = "radius of the disc or sphere, or of the surface that rubs"),
    JOINT("radius", radius, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_ZERO, .unit = "m",
          .types = "rack-pinion", .help = "radius of the pinion; negative: the other sense"),
    JOINT("value", value, .kind = HN_FIELD_NUMBER, .unit = "m or rad",
          .help = "joint coordinate in the described configuration"),
    JOINT("rate", rate, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_joint_def, rate_given),
          .unit = "m/s or rad/s", .help = "initial rate of the joint coordinate"),
    JOINT("hold", hold, .kind = HN_FIELD_FLAG, .unit = "",
          .help = "assembly keeps the joint coordinate at value"),
    JOINT("joint_a", joint_a, .kind = HN_FIELD_WORD, .unit = "", .help = "first joint coupled"),
    JOINT("joint_b", joint_b, .kind = HN_FIELD_WORD, .unit = "", .help = "second joint coupled"),
    JOINT("coordinate", coordinate, .kind = HN_FIELD_WORD, .unit = "",
          .help = "which coordinate of the joint or body; the first when not given"),
    JOINT("coordinate_b", coordinate_b, .kind = HN_FIELD_WORD, .unit = "",
          .help = "which coordinate of joint_b; the first when not given"),
    JOINT("limits", limits, .kind = HN_FIELD_LIST, .extra = offsetof(hn_joint_def, limit_count),
          .unit = "m or rad",
          .help = "smallest and largest value of the joint's coordinate: rigid stops"),
    JOINT("lower", lower, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_joint_def, lower_given),
          .unit = "m or rad", .help = "smallest value of the coordinate"),
    JOINT("upper", upper, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_joint_def, upper_given),
          .unit = "m or rad", .help = "largest value of the coordinate, in place of lower"),
    JOINT("restitution", restitution, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .unit = "",
          .help = "speed after an impact over the speed before it, from 0 (the default) to 1"),
    JOINT("ratchet", ratchet, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "m or rad",
          .help = "distance of the teeth: the limit follows the coordinate tooth by tooth"),
    JOINT("motion", motion, .kind = HN_FIELD_FORMULA, .unit = "m or rad",
          .help = "prescribed coordinate, a formula of t"),
    JOINT("by", by, .kind = HN_FIELD_WORD, .unit = "",
          .help = "force (motor, spring, torsion-spring) that brings the motion about; without it "
                  "the driver acts along its own coordinate"),
    JOINT("stiffness", stiffness, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
          .help = "weight for sharing reactions among redundant joints; 1 when not given"),
    JOINT("preload", preload, .kind = HN_FIELD_LIST, .extra = offsetof(hn_joint_def, preload_count),
          .unit = "N, N m", .help = "multipliers of the joint's rows without load"),
    JOINT("constraint_stiffness", constraint_stiffness, .kind = HN_FIELD_MATRIX,
          .extra = offsetof(hn_joint_def, constraint_stiffness_count), .unit = "",
          .help = "stiffness of the joint's rows against each other: the diagonal, or the whole "
                  "matrix row by row"),
    JOINT("omega", omega, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "1/s",
          .help =
              "rate at which penalty methods remove its violations; the option's when not given"),
    JOINT("mu", mu, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
          .help = "damping ratio with which they do; the option's when not given"),
    JOINT("remove", remove, .kind = HN_FIELD_WORD, .unit = "",
          .help =
              "solver removal: the rows of the joint that it leaves out, by name (\"z rot_x\"), "
              "or all"),
    JOINT("soft", soft, .kind = HN_FIELD_SOFT, .unit = "N/m, N s/m",
          .help = "stiffness and damping of its rows for velocity-soft and velocity-augmented; the "
                  "options' when not given"),
    JOINT("angles", angles, .kind = HN_FIELD_FLAG, .unit = "",
          .help = "spherical: it has the coordinates roll, pitch and yaw (plane: angle)"),
    JOINT("locked", locked, .kind = HN_FIELD_BITS, .unit = "",
          .words = "x y z roll pitch yaw angle",
          .help = "directions that do not move, in the axes of a; the others are free"),
    JOINT("active", active, .kind = HN_FIELD_FORMULA, .unit = "",
          .help = "condition: the joint is there while it is true"),
    JOINT("catches", catches, .kind = HN_FIELD_FORMULA, .unit = "",
          .help = "condition: the joint is there from where it is true"),
    JOINT("releases", releases, .kind = HN_FIELD_FORMULA, .unit = "",
          .help = "condition: a joint that caught lets go where it is true"),
    JOINT("breaks", breaks, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "N",
          .help = "reaction force beyond which the joint breaks"),
    JOINT("breaks_torque", breaks_torque, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "N m", .help = "reaction torque beyond which it breaks"),
    GAP_FIELDS(JOINT, hn_joint_def),
    JOINT("components", components, .kind = HN_FIELD_FLAG, .unit = "",
          .help = "record every row's multiplier under its own name"),
    COLOR,
    DESCRIPTION,
    {0},
};

const hn_field hn_force_fields[] = {
    FORCE("a", a, .kind = HN_FIELD_END, .unit = "",
          .help = "end that takes the reaction: body or body.frame; ground when not given"),
    FORCE("b", b, .kind = HN_FIELD_END, .unit = "", .help = "end acted on: body or body.frame"),
    FORCE("at", at, .kind = HN_FIELD_POSITION, .unit = "m",
          .help = "world position in the described configuration, in place of frames"),
    FORCE("at_b", at_b, .kind = HN_FIELD_POSITION, .unit = "m",
          .help = "world position of the second point, in place of a frame of b"),
    FORCE("axis", axis, .kind = HN_FIELD_DIRECTION, .unit = "",
          .help = "direction or axis, world axes in the described configuration; z when not given"),
    FORCE("joint", joint, .kind = HN_FIELD_WORD, .unit = "", .help = "joint acted on"),
    FORCE("coordinate", coordinate, .kind = HN_FIELD_WORD, .unit = "",
          .help = "which coordinate of the joint; the first when not given"),
    FORCE("stiffness", stiffness, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .types = "spring torsion-spring bump-stop tyre", .unit = "N/m or N m/rad",
          .help = "stiffness"),
    FORCE("stiffness", stiffness, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .types = "friction", .unit = "1/m", .help = "of the bristles, per normal force"),
    FORCE("stiffness", stiffness, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .types = CLEARANCE, .unit = "N/m^exponent",
          .help = "force at a depth of 1 m; from the material when not given"),
    FORCE("stiffness", stiffness6, .kind = HN_FIELD_MATRIX6, .types = "bushing",
          .unit = "N/m, N m/rad",
          .help = "six diagonal values or six rows of six; force then torque"),
    FORCE("stiffness", stiffness6, .kind = HN_FIELD_MATRIX6, .types = "beam-element",
          .unit = "N, N m^2",
          .help = "of the section: EA, GA_y, GA_z, GJ, EI_y, EI_z, or six rows of six"),
    FORCE("stiffness", series_stiffness, .kind = HN_FIELD_LIST,
          .extra = offsetof(hn_force_def, series_stiffness_count), .types = "series",
          .unit = "N/m or N m/rad", .help = "one for every element, from a to b; 0: it has none"),
    FORCE("damping", damping, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .types = "spring torsion-spring bump-stop tyre " CLEARANCE, .unit = "N s/m or N m s/rad",
          .help = "damping"),
    FORCE("damping", damping, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .types = "beam-element", .unit = "s",
          .help = "dampers are this time times the stiffness"),
    FORCE("damping", damping, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .types = "friction", .unit = "s/m", .help = "of the bristles, per normal force"),
    FORCE("damping", damping6, .kind = HN_FIELD_MATRIX6, .types = "bushing",
          .unit = "N s/m, N m s/rad",
          .help = "six diagonal values or six rows of six; force then torque"),
    FORCE("damping", series_damping, .kind = HN_FIELD_LIST,
          .extra = offsetof(hn_force_def, series_damping_count), .types = "series",
          .unit = "N s/m or N m s/rad",
          .help = "one for every element, from a to b; 0: it has none"),
    FORCE("free", free, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_force_def, free_given),
          .types = "series", .unit = "m or rad",
          .help = "length or angle at which all elements are relaxed"),
    FORCE("free", free, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_force_def, free_given),
          .types = "spring torsion-spring", .unit = "m or rad",
          .help = "free length or angle; relaxed as assembled when not given"),
    FORCE("free", free6, .kind = HN_FIELD_LIST, .extra = offsetof(hn_force_def, free6_count),
          .types = "bushing", .unit = "m, rad",
          .help =
              "six numbers: place of b's point and rotation vector of its axes where the bushing "
              "is relaxed, in the axes of a"),
    FORCE("free", free6, .kind = HN_FIELD_LIST, .extra = offsetof(hn_force_def, free6_count),
          .types = "beam-element", .unit = "m, rad",
          .help = "six numbers: place of b's frame and its rotation vector where the element is "
                  "relaxed, in the axes of a; as assembled when not given"),
    FORCE("preload", preload, .kind = HN_FIELD_NUMBER, .types = "spring torsion-spring motor",
          .unit = "N or N m", .help = "tension added"),
    FORCE("preload", preload6, .kind = HN_FIELD_LIST,
          .extra = offsetof(hn_force_def, preload6_count), .types = "bushing", .unit = "N, N m",
          .help = "six numbers: force and torque on b added, in the axes of a"),
    FORCE("coefficients", coefficients, .kind = HN_FIELD_LIST,
          .extra = offsetof(hn_force_def, coefficient_count), .unit = "N/m, N/m^2 ...",
          .help = "polynomial of the elongation, from the linear term upwards"),
    FORCE("table", table, .kind = HN_FIELD_PAIRS, .extra = offsetof(hn_force_def, table_count),
          .unit = "m, N", .help = "pairs of elongation and tension, ascending"),
    FORCE("law", law, .kind = HN_FIELD_FORMULA, .types = "spring torsion-spring motor",
          .unit = "N or N m",
          .help = "tension, a formula of length (or angle), rate, t and measured quantities"),
    FORCE("law", law, .kind = HN_FIELD_WORD, .types = "friction", .unit = "",
          .help = "smooth (the default), coulomb, brown-mcphee or lugre"),
    FORCE("static", sticking, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
          .help = "friction coefficient at rest; that in motion when not given"),
    FORCE("law", law, .kind = HN_FIELD_WORD, .types = CLEARANCE, .unit = "",
          .words = "hertz kelvin-voigt hunt-crossley herbert-mcwhannell lee-wang "
                   "lankarani-nikravesh gonthier zhiying-qishao flores hu-guo exact",
          .help = "contact law; lankarani-nikravesh with a restitution, hertz without"),
    FORCE("exponent", exponent, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
          .help = "of the depth; 1.5, for kelvin-voigt 1, when not given"),
    FORCE("restitution", restitution, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .extra = offsetof(hn_force_def, restitution_given), .unit = "",
          .help = "speed after an impact over the speed before it, from 0 to 1"),
    FORCE("young", young, .kind = HN_FIELD_NUMBERS, .items = 2, .unit = "Pa",
          .help = "modulus of elasticity of a and of b, in place of a stiffness"),
    FORCE("poisson", poisson, .kind = HN_FIELD_NUMBERS, .items = 2, .unit = "",
          .help = "Poisson's ratio of a and of b; 0 when not given"),
    FORCE("impact_speed", impact_speed, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "m/s", .help = "slower impacts count as this fast; 1e-3 when not given"),
    FORCE("length", length, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",
          .help = LENGTH_HELP),
    GAP_FIELDS(FORCE, hn_force_def),
    FORCE("force", components, .kind = HN_FIELD_FORMULAS, .types = "force", .unit = "N",
          .help = "components of the force on b, formulas of t and measured quantities"),
    FORCE("torque", components, .kind = HN_FIELD_FORMULAS, .items = 1, .types = "torque",
          .unit = "N m",
          .help = "components of the torque on b, formulas of t and measured quantities; "
                  "a single one is about z"),
    FORCE("axes", body_axes, .kind = HN_FIELD_FLAG, .words = "world body", .unit = "",
          .help = "axes of the components: world (the default) or those of body b"),
    FORCE("gap", gap, .kind = HN_FIELD_NUMBER, .unit = "m or rad",
          .help = "elongation at which the stop engages"),
    FORCE("radius", radius, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",
          .help = "radius of the tyre, of the surface that rubs, of b's ball or journal"),
    FORCE("road", road, .kind = HN_FIELD_FORMULA, .unit = "m",
          .help = "height of the road, a formula of x"),
    FORCE("road", road_table, .kind = HN_FIELD_PAIRS, .extra = offsetof(hn_force_def, road_count),
          .unit = "m", .help = "pairs of x and height, ascending"),
    FORCE("shift", shift, .kind = HN_FIELD_FORMULA, .unit = "m",
          .help = "added to x before the road is looked up, a formula of t"),
    FORCE("coulomb", coulomb, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE, .unit = "",
          .help = "friction coefficient"),
    FORCE("press", press, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "N",
          .help = "force that presses the surfaces together, in place of the joint's reaction"),
    FORCE("viscous", viscous, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .unit = "N s/m or N m s/rad", .help = "viscous friction"),
    FORCE("speed", speed, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "m/s or rad/s",
          .help = "speed below which friction is smoothed; 1e-3 when not given"),
    FORCE("voltage", voltage, .kind = HN_FIELD_FORMULA, .unit = "V",
          .help = "of t, parameters, signals and measured quantities"),
    FORCE("resistance", resistance, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "ohm", .help = "resistance"),
    FORCE("inductance", inductance, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "H", .help = "inductance; when not given the current follows at once"),
    FORCE("constant", constant, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_ZERO,
          .unit = "N m/A or N/A", .help = "effort per current, and voltage per rate"),
    FORCE("valve", valve, .kind = HN_FIELD_FORMULA, .unit = "",
          .help = "opening of the valve from -1 to 1; above 0 chamber a is fed"),
    FORCE("fibres", fibres, .kind = HN_FIELD_NUMBERS, .items = 4, .unit = "",
          .help =
              "of a beam's section, for its stresses: Young's modulus, how far it reaches along "
              "y and z, or all around (radius)"),
    FORCE("areas", areas, .kind = HN_FIELD_NUMBERS, .items = 2, .unit = "m^2",
          .help = "of the piston in chambers a and b; a pushes the coordinate up"),
    FORCE("volumes", volumes, .kind = HN_FIELD_NUMBERS, .items = 2, .unit = "m^3",
          .help = "of chambers a and b where the coordinate is zero"),
    FORCE("bulk_modulus", bulk_modulus, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "Pa", .help = "of the oil"),
    FORCE("supply", supply, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "Pa",
          .help = "pressure of the supply"),
    FORCE("tank", tank, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE, .unit = "Pa",
          .help = "pressure of the tank; 0 when not given"),
    FORCE("flow", flow, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "m^3/(s Pa^0.5)",
          .help = "through the open valve, per root of the pressure drop"),
    FORCE("leakage", leakage, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .unit = "m^3/(s Pa)", .help = "from chamber to chamber; none when not given"),
    FORCE("pressures", pressures, .kind = HN_FIELD_NUMBERS, .items = 2, .unit = "Pa",
          .help = "of chambers a and b at the start; 0 when not given"),
    COLOR,
    DESCRIPTION,
    {0},
};

const hn_field hn_block_fields[] = {
    BLOCK("coordinates", coordinates, .kind = HN_FIELD_COORDINATES, .unit = "",
          .help = "coordinates by name: the value at the start, or a map of value, velocity, unit "
                  "and hold"),
    BLOCK("kinetic_energy", kinetic_energy, .kind = HN_FIELD_FORMULA, .unit = "J",
          .help = "formula of the coordinates, their rates (theta.rate) and t, of second degree "
                  "in the rates"),
    BLOCK("mass_matrix", mass_matrix, .kind = HN_FIELD_ROWS, .unit = "",
          .help = "in place of the kinetic energy: rows of formulas of the coordinates and t"),
    BLOCK("potential", potential, .kind = HN_FIELD_FORMULA, .unit = "J",
          .help = "formula of the coordinates, t and positions of other elements, which take the "
                  "reaction"),
    BLOCK("forces", forces, .kind = HN_FIELD_EQUATIONS, .unit = "",
          .help = "generalized forces by the coordinate they act on, or the position of another "
                  "element (hinge.angle)"),
    BLOCK("constraints", constraints, .kind = HN_FIELD_EQUATIONS, .items = 1, .unit = "",
          .help = "holonomic constraints, by name or as a list: left = right, or what must be "
                  "zero"),
    BLOCK("velocity_constraints", velocity_constraints, .kind = HN_FIELD_EQUATIONS, .items = 1,
          .unit = "", .help = "nonholonomic constraints, linear in the rates"),
    DESCRIPTION,
    {0},
};

static const hn_field rectangle_fields[] = {
    PROFILE(width, "m", "along y"),
    PROFILE(height, "m", "along z"),
    {0},
};
static const hn_field circle_fields[] = {
    PROFILE(radius, "m", "radius"),
    {0},
};
static const hn_field tube_fields[] = {
    PROFILE(radius, "m", "outer radius"),
    PROFILE(thickness, "m", "of the wall"),
    {0},
};
static const hn_field i_fields[] = {
    PROFILE(width, "m", "of the flanges, along y"),
    PROFILE(height, "m", "along z"),
    PROFILE(flange, "m", "thickness of the flanges"),
    PROFILE(web, "m", "thickness of the web"),
    {0},
};
static const hn_field numbers_fields[] = {
    PROFILE(area, "m^2", "area"),
    PROFILE(inertia_y, "m^4", "second moment for bending about y"),
    PROFILE(inertia_z, "m^4", "second moment for bending about z"),
    PROFILE(torsion, "m^4", "torsion constant J"),
    PROFILE(shear_y, "", "part of the area that takes shear along y; 1 when not given"),
    PROFILE(shear_z, "", "part of the area that takes shear along z; 1 when not given"),
    {0},
};

const hn_shape_info *hn_profile_at(int index) {
  static const hn_shape_info profiles[] = {
      {"rectangle", "solid rectangle", rectangle_fields},
      {"circle", "solid circle", circle_fields},
      {"tube", "round tube", tube_fields},
      {"I", "two flanges and a web", i_fields},
      {"numbers", "given by what it amounts to", numbers_fields},
  };
  return index >= 0 && index < 5 ? &profiles[index] : NULL;
}

const hn_field hn_beam_fields[] = {
    BEAM(
        "type", kind, .kind = HN_FIELD_CHOICE, .unit = "", .words = "spatial planar rod planar-rod",
        .help = "kind of nodes: spatial (the default), planar, or point masses with springs, which "
                "only stretch"),
    {.key = "from", .kind = HN_FIELD_POINT, .unit = "m", .help = "straight, from this point"},
    {.key = "to", .kind = HN_FIELD_POINT, .unit = "m", .help = "to this one"},
    BEAM("along", points, .kind = HN_FIELD_POSITIONS, .extra = offsetof(hn_beam_def, point_count),
         .unit = "m", .help = "points it goes through, in place of from and to"),
    BEAM("curve", arc, .kind = HN_FIELD_FLAG, .words = "spline arc", .unit = "",
         .help = "through these points: a smooth curve (default), or a circular arc through three"),
    BEAM("up", up, .kind = HN_FIELD_DIRECTION, .unit = "",
         .help = "z of its sections is as near to this direction as can be; the world's z when not "
                 "given"),
    BEAM("twist", twist, .kind = HN_FIELD_NUMBER, .unit = "rad",
         .help = "by which the section at its end is turned against that at its start"),
    BEAM("elements", elements, .kind = HN_FIELD_COUNT, .unit = "", .help = "number of elements"),
    BEAM("young", young, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "N/m^2",
         .help = "modulus of elasticity"),
    BEAM("poisson", poisson, .kind = HN_FIELD_NUMBER, .unit = "", .help = "Poisson's ratio"),
    BEAM("shear", shear, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "N/m^2",
         .help = "shear modulus; young / (2 (1 + poisson)) when not given"),
    BEAM("density", density, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "kg/m^3",
         .help = "density"),
    BEAM("profile", profile, .kind = HN_FIELD_PROFILE, .unit = "", .help = "section of the beam"),
    BEAM("profile_end", profile_end, .kind = HN_FIELD_PROFILE, .unit = "",
         .help = "section at its end, where it tapers; in between its sizes are linear"),
    BEAM("stiffness", stiffness6, .kind = HN_FIELD_MATRIX6, .unit = "N, N m^2",
         .help = "in place of young and profile: EA, GA_y, GA_z, GJ, EI_y, EI_z, or six rows of "
                 "six"),
    BEAM("mass", mass6, .kind = HN_FIELD_MATRIX6, .unit = "kg/m, kg m",
         .help = "per length, in place of density and profile: m, m, m, J_x, J_y, J_z, or six rows "
                 "of six"),
    BEAM("damping", damping, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE, .unit = "s",
         .help = "dampers are this time times the stiffness"),
    BEAM("load", load, .kind = HN_FIELD_FORMULAS, .unit = "N/m",
         .help = "force per length, formulas of t and measured quantities"),
    BEAM("load_axes", load_follows, .kind = HN_FIELD_FLAG, .words = "world section", .unit = "",
         .help = "axes of its components: world (the default), or those of the sections, which it "
                 "follows"),
    BEAM("velocity", velocity, .kind = HN_FIELD_VECTOR, .unit = "m/s",
         .help = "velocity of its start, world axes"),
    BEAM("angular_velocity", angular_velocity, .kind = HN_FIELD_VECTOR, .items = 1, .unit = "rad/s",
         .help = "angular velocity of the whole beam, world axes (planar: one number)"),
    BEAM("places", places, .kind = HN_FIELD_PLACES, .extra = offsetof(hn_beam_def, place_count),
         .unit = "m", .help = "nodes by name: where along the beam"),
    COLOR,
    DESCRIPTION,
    {0},
};

const hn_field hn_flexible_fields[] = {
    FLEXIBLE("nodes", nodes, .kind = HN_FIELD_WORD, .unit = "",
             .help = "file of the finite elements' nodes: lines 'number x y z'"),
    FLEXIBLE("stiffness", stiffness, .kind = HN_FIELD_WORD, .unit = "",
             .help = "file of their stiffness matrix (Matrix Market), of the free body"),
    FLEXIBLE("mass", mass, .kind = HN_FIELD_WORD, .unit = "",
             .help = "file of their mass matrix (Matrix Market)"),
    FLEXIBLE("interface", interfaces, .kind = HN_FIELD_INTERFACES,
             .extra = offsetof(hn_flexible_def, interface_count), .unit = "",
             .help = "bodies for joints and forces, by name: the nodes that move with each as one "
                     "rigid piece; the first is the frame of the body"),
    FLEXIBLE("modes", modes, .kind = HN_FIELD_COUNT, .unit = "",
             .help = "number of vibrations with the interfaces held; none when not given"),
    FLEXIBLE("damping", damping, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
             .unit = "", .help = "ratio of critical damping of these vibrations"),
    FLEXIBLE("stiffness_damping", stiffness_damping, .kind = HN_FIELD_NUMBER,
             .range = HN_RANGE_NOT_NEGATIVE, .unit = "s",
             .help = "dampers between the interfaces are this time times the stiffness"),
    FLEXIBLE("position", position, .kind = HN_FIELD_POSITION, .unit = "m",
             .help = "where the origin of the finite elements is, world axes"),
    FLEXIBLE("orientation", orientation, .kind = HN_FIELD_ORIENTATION, .unit = "",
             .help = "orientation of their axes, body to world"),
    FLEXIBLE("velocity", velocity, .kind = HN_FIELD_VECTOR, .unit = "m/s",
             .help = "velocity of that origin, world axes"),
    FLEXIBLE("angular_velocity", angular_velocity, .kind = HN_FIELD_VECTOR, .unit = "rad/s",
             .help = "angular velocity of the whole body, world axes"),
    {0},
};

const hn_field hn_coordinate_fields[] = {
    COORDINATE("value", value, .kind = HN_FIELD_NUMBER, .unit = "", .help = "value at the start"),
    COORDINATE("velocity", velocity, .kind = HN_FIELD_NUMBER, .unit = "",
               .help = "rate at the start"),
    COORDINATE("unit", unit, .kind = HN_FIELD_WORD, .unit = "",
               .help = "unit shown in results; tolerances of lengths (m) follow the size of the "
                       "model"),
    COORDINATE("hold", hold, .kind = HN_FIELD_FLAG, .unit = "", .help = "assembly keeps the value"),
    {0},
};

const hn_field hn_start_fields[] = {
    START("value", value, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_start_def, value_given),
          .unit = "m or rad", .help = "at the start"),
    START("rate", rate, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_start_def, rate_given),
          .unit = "m/s or rad/s", .help = "of the quantity, at the start"),
    {0},
};

const hn_field hn_column_fields[] = {
    COLUMN("formula", formula, .kind = HN_FIELD_FORMULA, .unit = "",
           .help = "of columns, t and parameters"),
    COLUMN("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    {0},
};

const hn_field hn_event_fields[] = {
    EVENT("when", when, .kind = HN_FIELD_FORMULA, .unit = "",
          .help = "condition whose becoming true is the event"),
    EVENT("stop", stop, .kind = HN_FIELD_FLAG, .unit = "", .help = "it ends the run"),
    {0},
};

const hn_field hn_coupling_fields[] = {
    COUPLING("rows", rows, .kind = HN_FIELD_WORDS, .extra = offsetof(hn_coupling_def, row_count),
             .unit = "",
             .help = "joints, with all their rows, or single rows (left.z); in natural coordinates "
                     "also rows that keep a body rigid (rod.rigid11)"),
    COUPLING("stiffness", stiffness, .kind = HN_FIELD_MATRIX,
             .extra = offsetof(hn_coupling_def, stiffness_count), .unit = "N/m, N m/rad",
             .help = "symmetric, positive definite matrix over these rows"),
    COUPLING("compliance", compliance, .kind = HN_FIELD_MATRIX,
             .extra = offsetof(hn_coupling_def, compliance_count), .unit = "m/N, rad/(N m)",
             .help = "the inverse of the stiffness, in its place"),
    COUPLING("preload", preload, .kind = HN_FIELD_LIST,
             .extra = offsetof(hn_coupling_def, preload_count), .unit = "N, N m",
             .help = "multipliers of these rows without load, one per row"),
    DESCRIPTION,
    {0},
};

const hn_field hn_signal_fields[] = {
    SIGNAL("formula", formula, .kind = HN_FIELD_FORMULA, .unit = "",
           .help = "of t, parameters, other signals and measured quantities"),
    SIGNAL("input", input, .kind = HN_FIELD_NUMBER, .unit = "",
           .extra = offsetof(hn_signal_def, input_given),
           .help = "the signal is set from outside while the model runs; its value until then"),
    SIGNAL("table", table, .kind = HN_FIELD_PAIRS, .extra = offsetof(hn_signal_def, table_count),
           .unit = "",
           .help = "points [t, value] over time; outside the ends hold (cubic: go on straight)"),
    SIGNAL("file", file, .kind = HN_FIELD_WORD, .unit = "",
           .help = "CSV file with such points, counted from where the model file is"),
    SIGNAL("time", time, .kind = HN_FIELD_WORD, .unit = "",
           .help = "column of the times, by name or number; the first when not given"),
    SIGNAL("column", column, .kind = HN_FIELD_WORD, .unit = "",
           .help = "column of the values, by name or number; the second when not given"),
    SIGNAL("interpolation", interpolation, .kind = HN_FIELD_CHOICE, .unit = "",
           .words = "linear hold cubic",
           .help = "between points: straight lines (default), the last value, or a cubic spline"),
    SIGNAL("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    DESCRIPTION,
    {0},
};

const hn_field hn_controller_fields[] = {
    CONTROLLER("period", period, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "s",
               .help = "from sample to sample"),
    CONTROLLER("offset", offset, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
               .unit = "s", .help = "time of the first sample"),
    CONTROLLER("delay", delay, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE, .unit = "s",
               .help = "from a sample to its effect"),
    CONTROLLER("formula", formula, .kind = HN_FIELD_FORMULA, .unit = "",
               .help = "of the output, at every sample"),
    CONTROLLER("inputs", inputs, .kind = HN_FIELD_WORDS,
               .extra = offsetof(hn_controller_def, input_count), .unit = "",
               .help = "formulas whose values a function of the caller is given, in place of a "
                       "formula"),
    CONTROLLER("quantum", quantum, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
               .help = "the output is a multiple of it"),
    CONTROLLER("noise", noise, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
               .help = "standard deviation of normal noise on the output"),
    CONTROLLER("seed", seed, .kind = HN_FIELD_NUMBER, .unit = "", .help = "of the noise"),
    CONTROLLER("start", start, .kind = HN_FIELD_NUMBER, .unit = "",
               .help = "output before the first sample acts; 0 when not given"),
    CONTROLLER("modes", modes, .kind = HN_FIELD_WORDS,
               .extra = offsetof(hn_controller_def, mode_count), .unit = "",
               .help = "of a machine; the signal is the number of the mode, from 0"),
    CONTROLLER("begin", begin, .kind = HN_FIELD_WORD, .unit = "",
               .help = "mode at the start; the first when not given"),
    CONTROLLER("library", library, .kind = HN_FIELD_WORD, .unit = "",
               .help = "shared library with the function, counted from where the model file is; "
                       "the file must be trusted"),
    CONTROLLER("function", function, .kind = HN_FIELD_WORD, .unit = "",
               .help = "its name in the library; 'control' when not given"),
    CONTROLLER("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    DESCRIPTION,
    {0},
};

const hn_field hn_process_fields[] = {
    PROCESS("input", input, .kind = HN_FIELD_FORMULA, .unit = "",
            .help = "of t, parameters, signals and measured quantities"),
    PROCESS("gain", gain, .kind = HN_FIELD_NUMBER, .unit = "", .help = "factor; 1 when not given"),
    PROCESS("time", time, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "s",
            .help = "time constant"),
    PROCESS("numerator", numerator, .kind = HN_FIELD_LIST,
            .extra = offsetof(hn_process_def, numerator_count), .unit = "",
            .help = "coefficients, highest power of s first"),
    PROCESS("denominator", denominator, .kind = HN_FIELD_LIST,
            .extra = offsetof(hn_process_def, denominator_count), .unit = "",
            .help = "coefficients, highest power of s first"),
    PROCESS("A", A, .kind = HN_FIELD_MATRIX, .extra = offsetof(hn_process_def, A_count), .unit = "",
            .help = "matrix of the states, row by row"),
    PROCESS("B", B, .kind = HN_FIELD_LIST, .extra = offsetof(hn_process_def, B_count), .unit = "",
            .help = "how the input acts on the states"),
    PROCESS("C", C, .kind = HN_FIELD_LIST, .extra = offsetof(hn_process_def, C_count), .unit = "",
            .help = "output from the states"),
    PROCESS("D", D, .kind = HN_FIELD_NUMBER, .unit = "", .help = "output from the input"),
    PROCESS("initial", initial, .kind = HN_FIELD_LIST,
            .extra = offsetof(hn_process_def, initial_count), .unit = "",
            .help = "states at the start; 0 when not given"),
    PROCESS("kp", kp, .kind = HN_FIELD_NUMBER, .unit = "", .help = "proportional gain"),
    PROCESS("ki", ki, .kind = HN_FIELD_NUMBER, .unit = "1/s", .help = "integral gain"),
    PROCESS("kd", kd, .kind = HN_FIELD_NUMBER, .unit = "s", .help = "gain of the derivative"),
    PROCESS("filter", filter, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "s",
            .help = "time constant of the derivative"),
    PROCESS("low", low, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_process_def, low_given),
            .unit = "", .help = "lower limit, or value"),
    PROCESS("high", high, .kind = HN_FIELD_NUMBER, .extra = offsetof(hn_process_def, high_given),
            .unit = "", .help = "upper limit, or value"),
    PROCESS("tracking", tracking, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "s",
            .help = "time in which the integral takes back what limits cut off; kp/ki when not "
                    "given"),
    PROCESS("width", width, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
            .help = "of the play, or of the hysteresis, from end to end"),
    PROCESS("rising", rising, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "1/s",
            .help = "largest rate upwards"),
    PROCESS("falling", falling, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "1/s",
            .help = "largest rate downwards; as upwards when not given"),
    PROCESS("start", start, .kind = HN_FIELD_NUMBER, .unit = "",
            .help = "value at the start; of a relay: above 0 it starts high"),
    PROCESS("steady", steady, .kind = HN_FIELD_FLAG, .unit = "",
            .help = "states start where their rates are zero"),
    PROCESS("size", size, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
            .help = "typical size of the states, by which errors are judged"),
    PROCESS("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    DESCRIPTION,
    {0},
};

const hn_field hn_state_fields[] = {
    SIGNAL("rate", rate, .kind = HN_FIELD_FORMULA, .unit = "",
           .help =
               "rate of the state: of t, itself, other states and signals, measured quantities"),
    SIGNAL("start", start, .kind = HN_FIELD_NUMBER, .unit = "",
           .help = "value at the start; 0 when not given"),
    SIGNAL("steady", steady, .kind = HN_FIELD_FLAG, .unit = "",
           .help = "the state starts where its rate is zero"),
    SIGNAL("size", size, .kind = HN_FIELD_NUMBER, .unit = "", .range = HN_RANGE_POSITIVE,
           .help = "typical size, by which errors are judged; its largest value so far when not "
                   "given, and at least 1e-6"),
    SIGNAL("unit", unit, .kind = HN_FIELD_WORD, .unit = "", .help = "unit of the column"),
    DESCRIPTION,
    {0},
};

const hn_section *hn_section_at(int index) {
  static const hn_section sections[] = {
      {"name", "name of the model; that of the file when not given"},
      {"description", "free text"},
      {"parameters", "named constants, usable in every number and formula"},
      {"points", "named places to describe bodies and joints by"},
      {"gravity", "acceleration of gravity, world axes; none when not given"},
      {"signals", "named numbers that formulas read: formulas, tables over time, inputs"},
      {"states", "signals given by their rates, integrated with the motion"},
      {"controllers", "signals held between samples, and machines of modes"},
      {"events", "conditions whose becoming true is noted, or ends the run"},
      {"simulation", "how the model is to be run"},
      {"ground", "frames of the ground"},
      {"bodies", "bodies by name"},
      {"beams", "beams that bend, by name"},
      {"flexible", "bodies given by finite elements that vibrate, by name"},
      {"joints", "joints by name"},
      {"forces", "forces by name"},
      {"blocks", "parts given by their equations, by name"},
      {"couplings", "rows of joints that are stiff against each other, by name"},
      {"parts", "sub-assemblies by name, to be used below"},
      {"use", "parts that are used, by name: which, where, how often"},
      {"start", "quantities of several elements that begin with a given value or rate"},
      {"solve", "parameters that follow from equations of columns at the start"},
      {"outputs", "patterns of the columns to record, all when not given; columns of their own"},
  };
  return index >= 0 && index < (int)(sizeof sections / sizeof *sections) ? &sections[index] : NULL;
}

const hn_type_info *hn_family_type(const hn_family *family, const char *name) {
  const hn_type_info *type;
  for (int i = 0; (type = family->type_at(i)); i++)
    if (strcmp(type->name, name) == 0) return type;
  return NULL;
}

bool hn_type_has_joint(const hn_type_info *type) {
  return hn_word_in("joint", type->keys) || hn_word_in("joint_a", type->keys);
}

// a type that can be placed or directed acts between bodies; so does one that knows no joint
bool hn_type_has_ends(const hn_type_info *type) {
  if (strcmp(type->name, "pile") == 0) return false;  // it is about all bodies that have a shape
  return hn_word_in("at", type->keys) || hn_word_in("axis", type->keys) || !hn_type_has_joint(type);
}

bool hn_type_has_key(const hn_family *family, const hn_type_info *type, const char *key) {
  if (strcmp(key, "a") == 0 || strcmp(key, "b") == 0) return hn_type_has_ends(type);
  return hn_word_in(key, type->keys) || hn_word_in(key, family->common);
}

static bool is_for(const hn_field *field, const hn_type_info *type) {
  return !field->types || hn_word_in(type->name, field->types);
}

// types from outside are in no list: to them a key is what its first row says
static bool is_first_of_none(const hn_family *family, const hn_type_info *type,
                             const hn_field *field) {
  for (const hn_field *f = family->fields; f->key; f++)
    if (strcmp(f->key, field->key) == 0 && (f < field || is_for(f, type))) return false;
  return true;
}

bool hn_field_applies(const hn_family *family, const hn_type_info *type, const hn_field *field) {
  if (!family || !type) return true;
  return hn_type_has_key(family, type, field->key) &&
         (is_for(field, type) || is_first_of_none(family, type, field));
}

static bool any_number(const double *x, int count) {
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
  case HN_FIELD_POINT:
  case HN_FIELD_NOTE:
  case HN_FIELD_FRAMES: return false;
  }
  return false;
}

// numbers a row points to; 0 when it points to none
static int array_size(const hn_field *field, const void *def) {
  if (field->kind == HN_FIELD_MATRIX6) return 36;
  int count = field->extra ? *(const int *)((const char *)def + field->extra) : 0;
  return field->kind == HN_FIELD_PAIRS ? 2 * count : count;
}

static const char **strings(const hn_field *field, void *def, int *count) {
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
  int count;
  const char **text = strings(field, def, &count);
  for (int i = 0; i < count; i++)
    if (text[i]) return false;
  return !array(field, def);
}

// after the first failure the remaining pointers become NULL: none is left that is not ours
bool hn_fields_copy(const hn_family *family, const hn_field *fields, const hn_type_info *type,
                    void *def) {
  bool ok = true;
  for (const hn_field *field = fields; field->key; field++) {
    if (is_bare(field, def) || !hn_field_applies(family, type, field)) continue;
    int count;
    const char **text = strings(field, def, &count);
    for (int i = 0; i < count; i++) {
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
    if (is_bare(field, def) || !hn_field_applies(family, type, field)) continue;
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

bool hn_word_at(const char *list, int k, char *out, size_t size) {
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
