// beam_fields.c: the keys of beams and flexible bodies.
//
// Profiles are kinds with keys of their own, as shapes are. Sections have y and z across the beam,
// so that inertia_y is what bending about y meets.
#include "model/fields.h"

#define BEAM(k, f, ...)                                                                            \
  { .key = k, .offset = offsetof(hn_beam_def, f), __VA_ARGS__ }
#define FLEXIBLE(k, f, ...)                                                                        \
  { .key = k, .offset = offsetof(hn_flexible_def, f), __VA_ARGS__ }
#define PROFILE(f, u, h)                                                                           \
  {                                                                                                \
    .key = #f, .offset = offsetof(hn_profile, f), .kind = HN_FIELD_NUMBER,                         \
    .range = HN_RANGE_POSITIVE, .unit = u, .help = h                                               \
  }

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

// `from` and `to` are read by io/model_bodies.c into the list of points.
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
    BEAM("up", up, .kind = HN_FIELD_DIRECTION, .items = HN_BETWEEN_POINTS, .unit = "",
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
    BEAM("masses", consistent, .kind = HN_FIELD_FLAG, .words = "lumped consistent", .unit = "",
         .help = "lumped at the nodes (the default), or consistent: spread along the elements"),
    BEAM("damping", damping, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_NOT_NEGATIVE, .unit = "s",
         .help = "dampers are this time times the stiffness"),
    BEAM("damping_ratios", damping_ratios, .kind = HN_FIELD_PAIRS,
         .extra = offsetof(hn_beam_def, damping_ratio_count), .unit = "Hz, ",
         .help = "in place of damping: two frequencies, and the ratios of critical damping that "
                 "vibrations have there"),
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
    HN_FIELD_COLOR,
    HN_FIELD_DESCRIPTION,
    {0},
};

// Files by their paths from the model file, or their text itself where it has several lines.
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
    FLEXIBLE("damping_ratios", damping_ratios, .kind = HN_FIELD_LIST,
             .extra = offsetof(hn_flexible_def, damping_ratio_count), .unit = "",
             .help = "in place of damping: one for every mode"),
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
    FLEXIBLE("stiffening", stiffening, .kind = HN_FIELD_FLAG, .unit = "",
             .help =
                 "forces along it stiffen it or make it buckle, centrifugal ones among them; for "
                 "elements of two nodes with rotations"),
    FLEXIBLE("calculix", calculix, .kind = HN_FIELD_WORD, .unit = "",
             .help = "job of CalculiX in place of these: the path without .inp, .sti, .mas, .dof"),
    FLEXIBLE("units", millimetres, .kind = HN_FIELD_FLAG, .words = "m mm", .unit = "",
             .help = "of the files: m (with N, kg, s; the default) or mm (with N, t, s)"),
    FLEXIBLE("surface", surface, .kind = HN_FIELD_WORD, .unit = "",
             .help = "file that it is drawn by: lines of three or four numbers of nodes, "
                     "counter-clockwise seen from outside"),
    HN_FIELD_COLOR,
    HN_FIELD_DESCRIPTION,
    {0},
};
