// fields.c: the tables of keys.
//
// Order matters only for messages and documentation: the reader looks rows up by key. Of several
// rows with one key those with `types` count for these types; within one type rows may differ in
// kind (a number or a list), and the reader takes the one that fits what was written. `extra` is
// the member that counts, or the flag that tells a written zero from none. Help texts are shown by
// editors and by `holon joints`: what it is, its frame, and what holds when it is not given.
#include "model/fields.h"

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
#define COORDINATE(k, f, ...)                                                                      \
  { .key = k, .offset = offsetof(hn_coordinate_def, f), __VA_ARGS__ }
#define COUPLING(k, f, ...)                                                                        \
  { .key = k, .offset = offsetof(hn_coupling_def, f), __VA_ARGS__ }
#define SOFT(k, f, ...)                                                                            \
  { .key = k, .offset = offsetof(hn_soft, f), __VA_ARGS__ }
#define TURN(k, f, ...)                                                                            \
  { .key = k, .offset = offsetof(hn_orientation_def, f), __VA_ARGS__ }

// Lengths in metres and angles in radians everywhere; units may be written, and are converted by
// the reader (expr).
const hn_field hn_body_fields[] = {
    // what it is, and what it weighs
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
    // where it is, at the start or as assembly is to find it
    BODY("com", com, .kind = HN_FIELD_VECTOR, .unit = "m",
         .help = "centre of mass in the body frame; a single shape is centred there"),
    BODY("position", position, .kind = HN_FIELD_POSITION, .unit = "m",
         .help = "origin of the body frame, world axes"),
    // points of the model that only the reader sees: it makes position and orientation of them
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
    {.key = "corners",
     .kind = HN_FIELD_CORNERS,
     .unit = "m",
     .help = "the body is a plate between these points (three or more), in place of position and "
             "orientation"},
    BODY("angle", angle, .kind = HN_FIELD_NUMBER, .unit = "rad",
         .help = "orientation of a planar body"),
    BODY("orientation", orientation, .kind = HN_FIELD_ORIENTATION, .unit = "",
         .help = "orientation of a spatial body, body to world"),
    BODY("velocity", velocity, .kind = HN_FIELD_VECTOR, .unit = "m/s",
         .help = "velocity of the frame's origin, world axes"),
    BODY("angular_velocity", angular_velocity, .kind = HN_FIELD_VECTOR, .items = 1, .unit = "rad/s",
         .help = "angular velocity, world axes (planar: one number)"),
    // read as elements of their own, behind the body
    {.key = "frames",
     .kind = HN_FIELD_FRAMES,
     .unit = "",
     .help = "named places on the body that joints and forces refer to"},
    // what assembly must leave as it is; the rest is made to fit
    BODY("hold", hold, .kind = HN_FIELD_BITS, .unit = "", .words = "x y z rotation velocity",
         .help = "coordinates that assembly must not change"),
    HN_FIELD_COLOR,
    HN_FIELD_DESCRIPTION,
    {0},
};

const hn_field hn_frame_fields[] = {
    // of a frame
    FRAME("position", position, .kind = HN_FIELD_VECTOR, .unit = "m",
          .help = "origin of the frame in the body frame (ground: world)"),
    FRAME("orientation", orientation, .kind = HN_FIELD_ORIENTATION, .unit = "",
          .help = "orientation of the frame, frame to body"),
    {0},
};

const hn_field hn_soft_fields[] = {
    // both are per row: rows along an axis in N/m, about one in N m/rad
    SOFT("stiffness", stiffness, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
         .unit = "N/m, N m/rad", .help = "force over violation of a row"),
    SOFT("damping", damping, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
         .unit = "N s/m, N m s/rad", .help = "force over its rate; none when not given"),
    {0},
};

// Exactly one of three ways; io/model_values.c makes a quaternion of them.
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

// Types that share the keys of contact: as joints they are exact, as forces they yield.
#define CLEARANCE                                                                                  \
  "contact clearance-revolute clearance-spherical clearance-prismatic clearance-cylindrical"
#define LENGTH_HELP                                                                                \
  "of the bearing (in space), of the block along its way (as a contact: along x of its body), of " \
  "the middle of a capsule"
// of contacts and joints with clearance, which joints and forces have alike
#define GAP_FIELDS(ROW, DEF)                                                                       \
  ROW("clearance", clearance, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",    \
      .help = "how far b can go to any side from the middle"),                                     \
      ROW("axial_clearance", axial_clearance, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, \
          .unit = "m", .help = "the same along the axis (in space); as clearance when not given"), \
      ROW("height", height, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",      \
          .help = "of the block, across its way (in space along x of a's frame); of a contact "    \
                  "along z of its body, in the plane y"),                                          \
      ROW("width", width, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",        \
          .help = "of the block in space, along y of a's frame; of a contact of its body"),        \
      ROW("radius_a", radius_a, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",  \
          .help = "radius of a's sphere, cylinder or capsule, or of a worm that rubs"),            \
      ROW("surface", surface, .kind = HN_FIELD_WORD, .unit = "",                                   \
          .words = "plane sphere cylinder capsule box hull curve terrain",                         \
          .help = "of a: plane (the default, axis is its normal), sphere, cylinder and capsule "   \
                  "(along axis), box, hull (what a's shape is, a hull or box), curve, terrain"),   \
      ROW("size", size, .kind = HN_FIELD_VECTOR, .unit = "m", .help = "edges of a's box"),         \
      ROW("points", points, .kind = HN_FIELD_MATRIX, .extra = offsetof(DEF, point_count),          \
          .unit = "m", .help = "of a's curve, x and y of each in the axes of a"),                  \
      ROW("closed", closed, .kind = HN_FIELD_FLAG, .unit = "",                                     \
          .help = "the curve goes on from its last point to the first"),                           \
      ROW("grid_x", grid_x, .kind = HN_FIELD_LIST, .extra = offsetof(DEF, grid_x_count),           \
          .unit = "m", .help = "x of the columns of heights, ascending, in the axes of a"),        \
      ROW("grid_y", grid_y, .kind = HN_FIELD_LIST, .extra = offsetof(DEF, grid_y_count),           \
          .unit = "m", .help = "y of the rows of heights, ascending"),                             \
      ROW("heights", heights, .kind = HN_FIELD_MATRIX, .extra = offsetof(DEF, height_count),       \
          .unit = "m", .help = "of a's terrain: a row for each of grid_y"),                        \
      ROW("file", file, .kind = HN_FIELD_WORD, .unit = "",                                         \
          .help = "table with the heights of a's terrain: x along its first line, y down its "     \
                  "first column; counted from where the model file is"),                           \
      ROW("rim", rim, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",            \
          .help = "b is a wheel about axis_b: radius of the middle of its tyre, which is thick "   \
                  "by `radius` to all sides"),                                                     \
      ROW("inside", inside, .kind = HN_FIELD_FLAG, .unit = "",                                     \
          .help = "b's ball is inside a's surface"),                                               \
      ROW("hull", hull, .kind = HN_FIELD_FLAG, .unit = "",                                         \
          .help = "b is the hull or box that its shape is")

// Ends and places first, then geometry, coordinates, limits, motion, then what some methods need
// (weights, penalty, soft rows), then switching and breaking.
const hn_field hn_joint_fields[] = {
    // ends and places; what is given twice is refused in add.c
    JOINT("a", a, .kind = HN_FIELD_END, .unit = "",
          .help = "first end: body or body.frame, ground when not given; reactions are those of a "
                  "on b"),
    JOINT("b", b, .kind = HN_FIELD_END, .unit = "", .help = "second end: body or body.frame"),
    JOINT("at", at, .kind = HN_FIELD_POSITION, .unit = "m",
          .help = "world position in the described configuration, in place of frames"),
    JOINT("at_b", at_b, .kind = HN_FIELD_POSITION, .unit = "m",
          .help = "world position of the second point, in place of a frame of b"),
    JOINT("axis", axis, .kind = HN_FIELD_DIRECTION, .items = HN_BETWEEN_POINTS, .unit = "",
          .help = "joint axis, world axes in the described configuration; z when not given"),
    JOINT("axis_b", axis_b, .kind = HN_FIELD_DIRECTION, .items = HN_BETWEEN_POINTS, .unit = "",
          .help = "second axis, on b, world axes in the described configuration"),
    // geometry of single types: `types` tells where a key means something else
    JOINT("normal", normal, .kind = HN_FIELD_DIRECTION, .items = HN_BETWEEN_POINTS, .unit = "",
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
    JOINT("pressure_angle", pressure_angle, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .unit = "rad",
          .help = "of the flanks of teeth, which push their wheels apart; 0 when not given"),
    // the coordinate: at the start, and what assembly does with it
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
    // two names for one thing: a joint's own limits, and those of a joint that is nothing else
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
    // motion
    JOINT("motion", motion, .kind = HN_FIELD_FORMULA, .unit = "m or rad",
          .help = "prescribed coordinate, a formula of t"),
    JOINT("by", by, .kind = HN_FIELD_WORD, .unit = "",
          .help = "force (motor, spring, torsion-spring) that brings the motion about; without it "
                  "the driver acts along its own coordinate"),
    // what it takes beside the equations: how redundant joints share, what methods weigh
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
    // joints that come and go; formulas are conditions, true where they are not zero
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
    // one more column for every row, so only where it is asked for
    JOINT("components", components, .kind = HN_FIELD_FLAG, .unit = "",
          .help = "record every row's multiplier under its own name"),
    HN_FIELD_COLOR,
    HN_FIELD_DESCRIPTION,
    {0},
};

// Grouped by what acts: springs and bushings, laws and tables, contact, given forces, drag and oil,
// stops and tyres, friction, motors and hydraulics.
const hn_field hn_force_fields[] = {
    // ends and places, as joints have them
    FORCE("a", a, .kind = HN_FIELD_END, .unit = "",
          .help = "end that takes the reaction: body or body.frame; ground when not given"),
    FORCE("b", b, .kind = HN_FIELD_END, .unit = "", .help = "end acted on: body or body.frame"),
    FORCE("at", at, .kind = HN_FIELD_POSITION, .unit = "m",
          .help = "world position in the described configuration, in place of frames"),
    FORCE("at_b", at_b, .kind = HN_FIELD_POSITION, .unit = "m",
          .help = "world position of the second point, in place of a frame of b"),
    FORCE("axis", axis, .kind = HN_FIELD_DIRECTION, .items = HN_BETWEEN_POINTS, .unit = "",
          .help = "direction or axis, world axes in the described configuration; z when not given"),
    FORCE("axis_b", axis_b, .kind = HN_FIELD_DIRECTION, .items = HN_BETWEEN_POINTS, .unit = "",
          .help = "axis of b's wheel, world axes in the described configuration"),
    FORCE("joint", joint, .kind = HN_FIELD_WORD, .unit = "", .help = "joint acted on"),
    FORCE("coordinate", coordinate, .kind = HN_FIELD_WORD, .unit = "",
          .help = "which coordinate of the joint; the first when not given"),
    // stiffness and damping: a number, a matrix or a list, by the type
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
    FORCE("mass", mass6, .kind = HN_FIELD_MATRIX6, .types = "beam-element", .unit = "kg/m, kg m",
          .help = "of the section, per length, spread between the bodies, which have half of the "
                  "element each as their own; m, m, m, J_x, J_y, J_z, or six rows of six"),
    FORCE("mass_end", mass_end6, .kind = HN_FIELD_MATRIX6, .types = "beam-element",
          .unit = "kg/m, kg m", .help = "at b, where it differs; linear in between"),
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
    // where it is relaxed: the flag tells a written 0 from none
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
    // laws: polynomial, table or formula
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
    // contact; the words are those of the literature the laws come from
    FORCE("law", law, .kind = HN_FIELD_WORD, .types = CLEARANCE, .unit = "",
          .words = "hertz kelvin-voigt hunt-crossley herbert-mcwhannell lee-wang "
                   "lankarani-nikravesh gonthier zhiying-qishao flores hu-guo exact",
          .help = "contact law; lankarani-nikravesh with a restitution, hertz without"),
    FORCE("exponent", exponent, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
          .help = "of the depth; 1.5, for kelvin-voigt 1, when not given"),
    FORCE("restitution", restitution, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .extra = offsetof(hn_force_def, restitution_given), .unit = "",
          .help = "speed after an impact over the speed before it, from 0 to 1"),
    // in place of a stiffness: that of the pair follows from both bodies
    FORCE("young", young, .kind = HN_FIELD_NUMBERS, .items = 2, .unit = "Pa",
          .help = "modulus of elasticity of a and of b, in place of a stiffness"),
    FORCE("poisson", poisson, .kind = HN_FIELD_NUMBERS, .items = 2, .unit = "",
          .help = "Poisson's ratio of a and of b; 0 when not given"),
    FORCE("impact_speed", impact_speed, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "m/s", .help = "slower impacts count as this fast; 1e-3 when not given"),
    FORCE("length", length, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",
          .help = LENGTH_HELP),
    GAP_FIELDS(FORCE, hn_force_def),
    // given forces; `force` and `wind` share a member, which no type has twice
    FORCE("force", components, .kind = HN_FIELD_FORMULAS, .types = "force", .unit = "N",
          .help = "components of the force on b, formulas of t and measured quantities"),
    FORCE("wind", components, .kind = HN_FIELD_FORMULAS, .types = "drag", .unit = "m/s",
          .help = "velocity of the medium seen from a, in its axes; formulas; none when not given"),
    FORCE("area", area, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m^2",
          .help = "area that drag is counted by"),
    FORCE("drag", drag, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
          .help = "coefficient: 0.47 for a sphere, 1.1 for a plate across, 0.3 for a car"),
    FORCE("density", density, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "kg/m^3",
          .help = "of the medium; that of air, 1.225, when not given"),
    FORCE("viscosity", viscosity, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "Pa s", .help = "dynamic viscosity of the oil"),
    FORCE("least_film", least_film, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "",
          .help = "the film gets no thinner than this part of the clearance; 0.01 when not given"),
    FORCE("torque", components, .kind = HN_FIELD_FORMULAS, .items = 1, .types = "torque",
          .unit = "N m",
          .help = "components of the torque on b, formulas of t and measured quantities; "
                  "a single one is about z"),
    FORCE("axes", body_axes, .kind = HN_FIELD_FLAG, .words = "world body", .unit = "",
          .help = "axes of the components: world (the default) or those of body b"),
    // stops, tyres and roads
    FORCE("gap", gap, .kind = HN_FIELD_NUMBER, .unit = "m or rad",
          .help = "elongation at which the stop engages"),
    FORCE("below", below, .kind = HN_FIELD_FLAG, .unit = "",
          .help = "the stop acts below the gap, not above: the lower limit of a coordinate"),
    FORCE("radius", radius, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m",
          .help = "radius of the tyre, of the surface that rubs, of b's ball or journal"),
    FORCE("road", road, .kind = HN_FIELD_FORMULA, .unit = "m",
          .help = "height of the road, a formula of x"),
    FORCE("road", road_table, .kind = HN_FIELD_PAIRS, .extra = offsetof(hn_force_def, road_count),
          .unit = "m", .help = "pairs of x and height, ascending"),
    FORCE("shift", shift, .kind = HN_FIELD_FORMULA, .unit = "m",
          .help = "added to x before the road is looked up, a formula of t"),
    // friction
    FORCE("coulomb", coulomb, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE, .unit = "",
          .help = "friction coefficient"),
    FORCE("press", press, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "N",
          .help = "force that presses the surfaces together, in place of the joint's reaction"),
    FORCE("viscous", viscous, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE,
          .unit = "N s/m or N m s/rad", .help = "viscous friction"),
    FORCE("speed", speed, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "m/s or rad/s",
          .help = "speed below which friction is smoothed; 1e-3 when not given"),
    // motors: U = R i + L i' + c rate, effort c i
    FORCE("voltage", voltage, .kind = HN_FIELD_FORMULA, .unit = "V",
          .help = "of t, parameters, signals and measured quantities"),
    FORCE("resistance", resistance, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "ohm", .help = "resistance"),
    FORCE("inductance", inductance, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE,
          .unit = "H", .help = "inductance; when not given the current follows at once"),
    FORCE("constant", constant, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_ZERO,
          .unit = "N m/A or N/A", .help = "effort per current, and voltage per rate"),
    // hydraulics: pressures of two chambers, fed through one valve
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
    HN_FIELD_COLOR,
    HN_FIELD_DESCRIPTION,
    {0},
};

// Read by io/model_block.c, which needs the coordinates before the formulas.
const hn_field hn_block_fields[] = {
    // coordinates first: formulas below speak of them
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
    // one row each; left = right is the row left - right
    BLOCK("constraints", constraints, .kind = HN_FIELD_EQUATIONS, .items = 1, .unit = "",
          .help = "holonomic constraints, by name or as a list: left = right, or what must be "
                  "zero"),
    BLOCK("velocity_constraints", velocity_constraints, .kind = HN_FIELD_EQUATIONS, .items = 1,
          .unit = "", .help = "nonholonomic constraints, linear in the rates"),
    HN_FIELD_DESCRIPTION,
    {0},
};

const hn_field hn_coordinate_fields[] = {
    // a coordinate is a number, or a map of these
    COORDINATE("value", value, .kind = HN_FIELD_NUMBER, .unit = "", .help = "value at the start"),
    COORDINATE("velocity", velocity, .kind = HN_FIELD_NUMBER, .unit = "",
               .help = "rate at the start"),
    COORDINATE("unit", unit, .kind = HN_FIELD_WORD, .unit = "",
               .help = "unit shown in results; tolerances of lengths (m) follow the size of the "
                       "model"),
    COORDINATE("hold", hold, .kind = HN_FIELD_FLAG, .unit = "", .help = "assembly keeps the value"),
    {0},
};

const hn_field hn_coupling_fields[] = {
    // which rows; then exactly one of stiffness and compliance
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
    HN_FIELD_DESCRIPTION,
    {0},
};

// The order is that of the documentation; files may have any.
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
  // one array, so that adding a section is one line
  return index >= 0 && index < (int)(sizeof sections / sizeof *sections) ? &sections[index] : NULL;
}
