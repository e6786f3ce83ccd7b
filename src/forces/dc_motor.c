// dc_motor.c: a motor fed by a voltage u, along a joint coordinate m.
//
//   L i' = u - R i - k m',   effort k i
//
// The current i is a state named <motor>_current; without inductance it follows at once. What the
// effort does is work of a force without potential; the source gives u i, of which R i^2 is lost.
#include <stdio.h>

#include "forces/drive.h"
#include "forces/force.h"

// Numbers are written with 17 digits, so that the text means exactly the doubles of the definition.
// The speed is that of the joint's coordinate: gears between motor and joint belong into `constant`
static hn_status states(hn_model *model, const hn_force_def *def) {
  char rate[HN_DRIVE_TEXT], name[HN_DRIVE_NAME];
  hn_drive_name(def, "current", name);
  hn_signal_def current = {.name = name, .unit = "A"};
  char speed[HN_DRIVE_NAME];
  hn_drive_quantity(def, true, speed);
  if (def->inductance > 0) {
    hn_plain_text(rate, sizeof rate, "((%s) - %.17g*%s - %.17g*%s)/%.17g", def->voltage,
                  def->resistance, name, def->constant, speed, def->inductance);
    current.rate = rate;
  } else {
    hn_plain_text(rate, sizeof rate, "((%s) - %.17g*%s)/%.17g", def->voltage, def->constant, speed,
                  def->resistance);
    current.formula = rate;
  }
  return hn_add_signal(model, &current);
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  char law[HN_DRIVE_TEXT], name[HN_DRIVE_NAME];
  hn_drive_name(def, "current", name);
  hn_plain_text(law, sizeof law, "%.17g*%s", def->constant, name);
  return hn_drive_build(builder, def, law);
}

const hn_force_type hn_force_dc_motor = {
    .info = {.name = "dc-motor",
             .help = "motor fed by a voltage, with resistance and inductance",
             .keys = "joint coordinate voltage resistance inductance constant",
             .required = "joint voltage resistance constant"},
    .build = build,
    .states = states,
};
