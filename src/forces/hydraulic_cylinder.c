// hydraulic_cylinder.c: a cylinder with two chambers behind a four-way valve, along a joint
// coordinate x (a translation).
//
//   V_a = V_a0 + A_a x,   V_b = V_b0 - A_b x
//   p_a' = E / V_a (q_a - A_a x' - c (p_a - p_b)),   p_b' = E / V_b (q_b + A_b x' + c (p_a - p_b))
//   effort A_a p_a - A_b p_b
//
// With the opening u of the valve from -1 to 1 and r(d) = d / (d^2 + d_0^2)^(1/4), the turbulent
// root with a laminar part below d_0,
//
//   u > 0:   q_a = K u r(p_s - p_a),   q_b = -K u r(p_b - p_t)
//   u < 0:   q_a = K u r(p_a - p_t),   q_b = -K u r(p_s - p_b).
//
// Pressures are states <name>_pa and <name>_pb, flows signals <name>_qa and <name>_qb.
#include <stdio.h>

#include "forces/drive.h"
#include "forces/force.h"

static const double laminar = 1e4;  // [Pa] d_0

// K u r(difference) for the valve called u.
// r is odd and smooth: the root alone has an infinite slope where the flow turns round, which no
// integrator likes
static void flow(const hn_force_def *def, const char *u, char sign, const char *difference,
                 char *out, size_t size) {
  hn_plain_text(out, size, "%c%.17g*%s*(%s)/((%s)^2 + %.17g)^0.25", sign, def->flow, u, difference,
                difference, laminar * laminar);
}

static hn_status add_formula(hn_model *model, const hn_force_def *def, const char *word,
                             const char *unit, const char *text) {
  char name[HN_DRIVE_NAME];
  hn_drive_name(def, word, name);
  return hn_add_signal(model, &(hn_signal_def){.name = name, .unit = unit, .formula = text});
}

static hn_status add_flow(hn_model *model, const hn_force_def *def, char side) {
  char valve[HN_DRIVE_NAME], pressure[HN_DRIVE_NAME], d[2][400], q[2][1600], text[HN_DRIVE_TEXT];
  const char word[] = {'p', side, 0}, name[] = {'q', side, 0};
  bool a = side == 'a';
  hn_drive_name(def, "valve", valve);
  hn_drive_name(def, word, pressure);
  hn_plain_text(d[0], sizeof d[0], "%.17g - %s", def->supply, pressure);
  hn_plain_text(d[1], sizeof d[1], "%s - %.17g", pressure, def->tank);
  flow(def, valve, a ? '+' : '-', d[!a], q[0], sizeof q[0]);
  flow(def, valve, a ? '+' : '-', d[a], q[1], sizeof q[1]);
  snprintf(text, sizeof text, "if(%s > 0, %s, %s)", valve, q[0], q[1]);
  return add_formula(model, def, name, "m^3/s", text);
}

static hn_status add_pressure(hn_model *model, const hn_force_def *def, char side) {
  char name[HN_DRIVE_NAME], pa[HN_DRIVE_NAME], pb[HN_DRIVE_NAME], q[HN_DRIVE_NAME];
  char x[HN_DRIVE_NAME], rate[HN_DRIVE_NAME], text[HN_DRIVE_TEXT];
  const char word[] = {'p', side, 0}, flow_name[] = {'q', side, 0};
  int k = side == 'b', sign = k ? -1 : 1;
  hn_drive_name(def, word, name);
  hn_drive_name(def, "pa", pa);
  hn_drive_name(def, "pb", pb);
  hn_drive_name(def, flow_name, q);
  hn_drive_quantity(def, false, x);
  hn_drive_quantity(def, true, rate);
  hn_plain_text(text, sizeof text, "%.17g/(%.17g + %.17g*%s)*(%s - %.17g*%s - %.17g*(%s - %s))",
                def->bulk_modulus, def->volumes[k], sign * def->areas[k], x, q,
                sign * def->areas[k], rate, sign * def->leakage, pa, pb);
  return hn_add_signal(model, &(hn_signal_def){.name = name,
                                               .unit = "Pa",
                                               .rate = text,
                                               .start = def->pressures[k],
                                               .size = def->supply});
}

// The valve is a signal, so that it is evaluated once and recorded. Pressures name flows that are
// added after them: names are looked up when the model is compiled. The size of a pressure is that
// of the supply, which says how exact it is to be
static hn_status states(hn_model *model, const hn_force_def *def) {
  for (int k = 0; k < 2; k++)
    if (!(def->areas[k] > 0 && def->volumes[k] > 0))
      return hn_element_fail(model, def->areas[k] > 0 ? "volumes" : "areas",
                             "areas and volumes must be positive, two numbers each");
  if (!(def->supply > def->tank))
    return hn_element_fail(model, "supply", "supply must be above the pressure of the tank");
  hn_status status = add_formula(model, def, "valve", NULL, def->valve);
  for (int k = 0; k < 2 && !status; k++) status = add_pressure(model, def, k ? 'b' : 'a');
  for (int k = 0; k < 2 && !status; k++) status = add_flow(model, def, k ? 'b' : 'a');
  return status;
}

// A chamber of no volume, or less, would turn its pressure round: it would fall as oil comes in.
// Once there is some it cannot be pressed out, as the pressure grows with 1 / V.
static bool has_volumes(hn_builder *builder, const hn_force_def *def) {
  int measure = hn_build_joint_coordinate(builder, def->joint, def->coordinate, NULL);
  double x = hn_build_value(builder, measure);
  for (int k = 0; k < 2 && measure >= 0; k++) {
    double volume = def->volumes[k] + (k ? -1 : 1) * def->areas[k] * x;
    if (volume > 0) continue;
    hn_build_fail(
        builder, HN_ERR_MODEL,
        "chamber %c has no volume where the model begins: %g m^3 (volumes are those where "
        "the coordinate is zero, and it is %g)",
        "ab"[k], volume, x);
    return false;
  }
  return measure >= 0;
}

static hn_status build(hn_builder *builder, const hn_force_def *def) {
  if (!has_volumes(builder, def)) return hn_build_status(builder);
  char law[HN_DRIVE_TEXT], pa[HN_DRIVE_NAME], pb[HN_DRIVE_NAME];
  hn_drive_name(def, "pa", pa);
  hn_drive_name(def, "pb", pb);
  hn_plain_text(law, sizeof law, "%.17g*%s - %.17g*%s", def->areas[0], pa, def->areas[1], pb);
  return hn_drive_build(builder, def, law);
}

const hn_force_type hn_force_hydraulic_cylinder = {
    .info = {.name = "hydraulic-cylinder",
             .help = "cylinder with two chambers behind a four-way valve",
             .keys = "joint coordinate valve areas volumes bulk_modulus supply tank flow leakage "
                     "pressures",
             .required = "joint valve areas volumes bulk_modulus supply flow"},
    .build = build,
    .states = states,
};
