// clearance.c: joints that leave room, and balls on surfaces, rigid: one row a gap (system/gaps.h),
// which comes and goes. The same names are forces where the contact yields (forces/contact.c).
#include "joints/parts.h"
#include "system/gaps.h"

static hn_status build(hn_builder *builder, const hn_joint_def *def) {
  static const char *const place[3] = {"x", "y", "z"};
  hn_gaps gaps;
  // the same keys as the force of this name, so that the geometry is read in one place
  hn_gaps_def what = HN_GAPS_OF(def);
  if (!hn_gaps_find(builder, &what, &gaps)) return hn_build_status(builder);
  // a gap in the surface's axes is sign (distance - offset): hollow ones look the other way
  for (int i = 0; i < gaps.count; i++) {
    const hn_gap *g = &gaps.gap[i];
    int measure = hn_gap_measure(builder, g);
    if (measure < 0) break;
    hn_build_unilateral(builder, g->label, measure, g->sign, g->sign * g->offset, def->restitution,
                        0);
    if (g->solid)
      hn_build_tip(builder, measure, g->solid, &g->b, (const double *)g->spoke, g->spokes,
                   g->other);
  }
  // no coordinate is prescribed: where the point of b is in the play is only recorded
  for (int k = 0; k < 3; k++)
    hn_build_plain_coordinate(builder, place[k], false,
                              hn_build_dot2(builder, &gaps.a, k, &gaps.b));
  return hn_build_status(builder);
}

#define TYPE(id, word, sentence, turns, own, need)                                                 \
  const hn_joint_type hn_joint_##id = {                                                            \
      .info = {.name = word, .help = sentence, .keys = own " restitution", .required = need},      \
      .needs_rotation = turns,                                                                     \
      .build = build,                                                                              \
  };

TYPE(contact, "contact", "a ball about a point of b, a block or hull stays before a surface of a",
     false,
     "at at_b axis radius surface radius_a length width height size points closed grid_x grid_y "
     "heights file inside rim axis_b hull",
     "")
TYPE(clearance_revolute, "clearance-revolute", "journal with play in a bearing of a", true,
     "at axis clearance axial_clearance length radius", "clearance")
TYPE(clearance_spherical, "clearance-spherical", "ball with play in a socket of a", false,
     "at clearance radius", "clearance")
TYPE(clearance_prismatic, "clearance-prismatic", "block with play in a guide of a", true,
     "at axis clearance length height width", "clearance length height")
TYPE(clearance_cylindrical, "clearance-cylindrical", "journal that turns and slides with play",
     true, "at axis clearance length radius", "clearance length")
