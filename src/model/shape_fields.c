// shape_fields.c: the keys of shapes.
//
// Several of these may make up a body. Along z unless an axis is given; rods along x, as bars are.
#include "model/shape.h"

#define SHAPE(k, f, ...)                                                                           \
  { .key = k, .offset = offsetof(hn_shape_def, f), __VA_ARGS__ }
#define LENGTH_OF(k, f, h)                                                                         \
  SHAPE(k, f, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = "m", .help = h)
#define AXIS(h) SHAPE("axis", shape.axis, .kind = HN_FIELD_DIRECTION, .unit = "", .help = h)
#define DENSITY(u, h)                                                                              \
  SHAPE("density", shape.density, .kind = HN_FIELD_NUMBER, .range = HN_RANGE_POSITIVE, .unit = u,  \
        .help = h)
// what all of them have
#define COMMON                                                                                     \
  SHAPE("material", material, .kind = HN_FIELD_WORD, .unit = "", .words = hn_material_words,       \
        .help = "gives the density"),                                                              \
      SHAPE("position", position, .kind = HN_FIELD_VECTOR, .unit = "m",                            \
            .help = "in the body frame: of its middle, or the origin of its coordinates"),         \
      SHAPE("orientation", orientation, .kind = HN_FIELD_ORIENTATION, .unit = "",                  \
            .help = "of its axes, shape to body"),                                                 \
      SHAPE("color", color, .kind = HN_FIELD_WORD, .unit = "",                                     \
            .help = "a word (red, silver ...) or \"#rrggbb\"; that of the body when not given"),   \
      SHAPE("only_drawn", only_drawn, .kind = HN_FIELD_FLAG, .unit = "",                           \
            .help = "it counts for the picture alone")
#define MASS "gives the mass, in place of the body's mass"

static const hn_field box_fields[] = {
    SHAPE("size", shape.size, .kind = HN_FIELD_VECTOR, .unit = "m", .help = "edges along x, y, z"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};
static const hn_field cylinder_fields[] = {
    LENGTH_OF("radius", shape.radius, "radius"),
    LENGTH_OF("length", shape.length, "length"),
    AXIS("direction in body axes; z when not given"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};
static const hn_field sphere_fields[] = {
    LENGTH_OF("radius", shape.radius, "radius"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};
static const hn_field rod_fields[] = {
    LENGTH_OF("length", shape.length, "length"),
    LENGTH_OF("radius", shape.radius,
              "radius, for the inertia about the axis; length / 100 when not given"),
    AXIS("direction in body axes; x when not given"),
    DENSITY("kg/m", "mass per length, gives the mass in place of the body's mass"),
    COMMON,
    {0},
};
static const hn_field tube_fields[] = {
    LENGTH_OF("radius", shape.radius, "radius outside"),
    LENGTH_OF("inner_radius", inner_radius, "radius of the bore"),
    LENGTH_OF("length", shape.length, "length"),
    AXIS("direction in body axes; z when not given"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};
static const hn_field capsule_fields[] = {
    LENGTH_OF("radius", shape.radius, "radius"),
    LENGTH_OF("length", shape.length, "of the cylinder between its round ends"),
    AXIS("direction in body axes; z when not given"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};
static const hn_field cone_fields[] = {
    LENGTH_OF("radius", shape.radius, "radius where it begins"),
    LENGTH_OF("end_radius", end_radius, "radius where it ends; a tip when not given"),
    LENGTH_OF("length", shape.length, "length"),
    AXIS("direction in body axes, from where it begins to where it ends; z when not given"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};
static const hn_field extrusion_fields[] = {
    SHAPE("outline", outline, .kind = HN_FIELD_OUTLINE,
          .extra = offsetof(hn_shape_def, outline_count), .unit = "m",
          .help = "x and y of its corners"),
    SHAPE("holes", holes, .kind = HN_FIELD_HOLES, .unit = "m",
          .help = "the same of what is cut out"),
    LENGTH_OF("length", shape.length, "along z, half of it to either side"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};
static const hn_field revolution_fields[] = {
    SHAPE("outline", outline, .kind = HN_FIELD_OUTLINE,
          .extra = offsetof(hn_shape_def, outline_count), .unit = "m",
          .help = "distance from the axis, and place along it, of the corners of what is turned"),
    AXIS("direction in body axes; z when not given"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};
static const hn_field mesh_fields[] = {
    SHAPE("file", file, .kind = HN_FIELD_WORD, .unit = "",
          .help = "STL, OBJ or COLLADA file, from the folder of the model file"),
    SHAPE("scale", scale, .kind = HN_FIELD_FACTORS, .unit = "",
          .help = "factor of its coordinates, or three; 0.001 where they are in mm"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};

static const hn_field hull_fields[] = {
    SHAPE("points", outline, .kind = HN_FIELD_OUTLINE, .items = 3,
          .extra = offsetof(hn_shape_def, outline_count), .unit = "m",
          .help = "x, y and z of each; those inside count for nothing"),
    SHAPE("file", file, .kind = HN_FIELD_WORD, .unit = "",
          .help = "STL, OBJ or COLLADA file whose corners are the points"),
    SHAPE("scale", scale, .kind = HN_FIELD_FACTORS, .unit = "",
          .help = "factor of its coordinates, or three; 0.001 where they are in mm"),
    DENSITY("kg/m^3", MASS),
    COMMON,
    {0},
};

// In the order of hn_shape_kind, which counts from 1.
const hn_shape_info *hn_shape_at(int index) {
  static const hn_shape_info shapes[] = {
      {"box", "solid block", box_fields},
      {"cylinder", "solid cylinder", cylinder_fields},
      {"sphere", "solid sphere", sphere_fields},
      {"rod", "thin rod", rod_fields},
      {"tube", "hollow cylinder", tube_fields},
      {"capsule", "cylinder with round ends", capsule_fields},
      {"cone", "cone, or a part of one", cone_fields},
      {"extrusion", "area with straight edges, drawn out along z", extrusion_fields},
      {"revolution", "area with straight edges, turned about an axis", revolution_fields},
      {"mesh", "surface of triangles from a file", mesh_fields},
      {"hull", "convex hull of points, or of a mesh", hull_fields},
  };
  return index >= 0 && index < (int)(sizeof shapes / sizeof *shapes) ? &shapes[index] : NULL;
}
