// test_beam_loads.c: beams under small loads against beam theory by quadrature, and beams that
// cannot be.
//
// While deflections are small, the end of a cantilever moves by the integral of compliance along
// it: u = ∫ (x C x^T + shear) F ds with the moment arms x, for whatever section there is at s. The
// integrals are taken here by themselves, from widths, heights and angles.
#include "analysis_rig.h"
#include "base/vec.h"
#include "run_rig.h"

static const double pi = 3.14159265358979323846;

// by how much the end of 'arm' moves until it rests
static bool deflection(rig *r, double u[3]) {
  hn_pose before, after;
  hn_body end = hn_find_body(r->system, "arm.end");
  hn_equilibrium info;
  CHECK(!hn_body_pose(r->sim, end, &before));
  if (!CHECK(hn_statics(r->sim, HN_REST, &info, NULL) == HN_OK)) {
    printf("  %s\n", hn_sim_error(r->sim));
    return false;
  }
  CHECK(!hn_body_pose(r->sim, end, &after));
  v3_sub(u, after.position, before.position);
  return true;
}

// ---- sections along the beam ---------------------------------------------------------------

typedef struct section {
  double EIy, EIz;  // stiffness against bending about its y and z
  double angle;     // of its y and z, about x
} section;

typedef section (*section_fn)(double s);

// deflection of a cantilever of length 1 along x, clamped at 0, with a force F at its end: bending
// alone, by Simpson's rule. M = (1 - s) (0, -Fz, Fy), curvature = C M
static void bend(section_fn at, const double F[3], double u[2]) {
  enum { N = 2000 };
  u[0] = u[1] = 0;
  for (int i = 0; i <= N; i++) {
    double s = (double)i / N, w = (i == 0 || i == N ? 1 : i % 2 ? 4 : 2) / (3.0 * N), arm = 1 - s;
    section x = at(s);
    double c = cos(x.angle), d = sin(x.angle), My = -arm * F[2], Mz = arm * F[1];
    double ky = (c * My + d * Mz) / x.EIy, kz = (-d * My + c * Mz) / x.EIz;
    double Ky = c * ky - d * kz, Kz = d * ky + c * kz;
    u[0] += w * arm * Kz;
    u[1] -= w * arm * Ky;
  }
}

enum { YOUNG = 1000000000 };
static section tapered(double s) {
  double width = 0.02 + 0.01 * s, height = 0.04 - 0.02 * s;
  return (section){YOUNG * width * pow(height, 3) / 12, YOUNG * height * pow(width, 3) / 12, 0};
}
static section twisted(double s) {
  return (section){YOUNG * 0.01 * pow(0.03, 3) / 12, YOUNG * 0.03 * pow(0.01, 3) / 12, 1.3 * s};
}
static section turned(double s) {
  (void)s;
  return (section){YOUNG * 0.01 * pow(0.03, 3) / 12, YOUNG * 0.03 * pow(0.01, 3) / 12, 0.4};
}
static section girder(double s) {
  double b = 0.03, h = 0.05, flange = 0.004, web = 0.003, inner = h - 2 * flange;
  (void)s;
  return (section){YOUNG * (b * h * h * h - (b - web) * inner * inner * inner) / 12,
                   YOUNG * (2 * flange * b * b * b + inner * web * web * web) / 12, 0};
}

// shear that is far stiffer than bending leaves bending alone
static void sections(void) {
  static const struct {
    const char *keys;
    section_fn at;
    double tol;  // with 16 elements
  } cases[] = {
      {"profile: {rectangle: {width: 0.02, height: 0.04}}, profile_end: {rectangle: {width: 0.03, "
       "height: 0.02}}",
       tapered, 2e-3},
      {"profile: {rectangle: {width: 0.01, height: 0.03}}, twist: 1.3", twisted, 2e-3},
      {"profile: {rectangle: {width: 0.01, height: 0.03}}, up: [0, -sin(0.4), cos(0.4)]", turned,
       1e-4},
      {"profile: {I: {width: 0.03, height: 0.05, flange: 0.004, web: 0.003}}", girder, 1e-4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static const double F[3] = {0, 3e-4, -5e-4};
    double off[2];
    for (int k = 0; k < 2; k++) {
      rig r;
      double u[3], exact[2];
      if (!rig_open_format(
              &r,
              "beams:\n  arm: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, young: 1e9,"
              " shear: 1e12, density: 1, %s}\n"
              "joints: {clamp: {type: fixed, b: arm.start}}\n"
              "forces: {tip: {type: force, b: arm.end, force: [0, %g, %g]}}\n",
              k ? 16 : 8, cases[i].keys, F[1], F[2]))
        return;
      bend(cases[i].at, F, exact);
      off[k] = NAN;
      if (deflection(&r, u))
        off[k] = hypot(u[1] - exact[0], u[2] - exact[1]) / hypot(exact[0], exact[1]);
      rig_close(&r);
    }
    if (!CHECK(off[1] < cases[i].tol) || !CHECK(off[1] < 1e-6 || off[1] < 0.3 * off[0]))
      printf("  section %zu: off by %.2e with 8, %.2e with 16 elements\n", i, off[0], off[1]);
  }
}

// ---- loads along the beam ------------------------------------------------------------------

// w L^4 / (8 EI) and w L^2 / (2 GA) by a load that is everywhere the same, in axes of the world or
// of sections; a beam along some direction, its load across
static void loads(void) {
  double EIy = 2, EIz = 5, GAy = 400, GAz = 300, EA = 1e5, w[3] = {0.3, 1e-4, -2e-4};
  for (int follows = 0; follows < 2; follows++)
    for (int turned_by = 0; turned_by < 3; turned_by++) {
      rig r;
      double a = turned_by * 0.5, c = cos(a), s = sin(a), u[3];
      // section axes of a beam in the x-y plane: z is the world's
      double world[3] = {c * w[0] - s * w[1], s * w[0] + c * w[1], w[2]};
      const double *given = follows ? w : world;
      if (!rig_open_format(&r,
                           "beams:\n  arm: {from: [0, 0, 0], to: [%.17g, %.17g, 0], elements: 8,"
                           " stiffness: [%g, %g, %g, 1, %g, %g], mass: [1, 1, 1, 1, 1, 1],"
                           " load: [%.17g, %.17g, %.17g], load_axes: %s}\n"
                           "joints: {clamp: {type: fixed, b: arm.start}}\n",
                           c, s, EA, GAy, GAz, EIy, EIz, given[0], given[1], given[2],
                           follows ? "section" : "world"))
        return;
      if (deflection(&r, u)) {
        double along = c * u[0] + s * u[1], across = -s * u[0] + c * u[1];
        double y = w[1] / (8 * EIz) + w[1] / (2 * GAy), z = w[2] / (8 * EIy) + w[2] / (2 * GAz);
        // a pull of 0.3 N stiffens the beam a little
        CHECK_REL(across, y, y, 0.05);
        CHECK_REL(u[2], z, z, 0.05);
        CHECK_REL(along, w[0] / (2 * EA), w[0] / (2 * EA), 1e-3);
      }
      rig_close(&r);
    }
  // without the pull: closer, the more elements there are
  double off[2];
  for (int k = 0; k < 2; k++) {
    rig r;
    double u[3], exact = w[1] / (8 * EIz) + w[1] / (2 * GAy);
    if (!rig_open_format(&r,
                         "beams:\n  arm: {type: planar, from: [0, 0], to: [1, 0], elements: %d,"
                         " stiffness: [%g, %g, 0, 0, 0, %g], mass: [1, 1, 1, 1, 1, 1],"
                         " load: [0, %.17g]}\n"
                         "joints: {clamp: {type: fixed, b: arm.start}}\n",
                         k ? 8 : 4, EA, GAy, EIz, w[1]))
      return;
    off[k] = deflection(&r, u) ? fabs(u[1] / exact - 1) : NAN;
    rig_close(&r);
  }
  if (!CHECK(off[1] < 1e-3) || !CHECK(off[1] < 0.3 * off[0] || off[1] < 1e-8))
    printf("  load: off by %.2e with 4, %.2e with 8 elements\n", off[0], off[1]);
}

// sections given by six rows: bending that is coupled with torsion
static void coupled(void) {
  rig r;
  double u[3], F = 1e-4, EI = 5, GJ = 2, EC = 1.2, det = GJ * EI - EC * EC;
  if (!rig_open_format(
          &r,
          "beams:\n  arm: {from: [0, 0, 0], to: [1, 0, 0], elements: 4,\n"
          "    stiffness: [[1e6, 0, 0, 0, 0, 0], [0, 1e6, 0, 0, 0, 0], [0, 0, 1e6, 0, 0, 0],\n"
          "      [0, 0, 0, %g, 0, %g], [0, 0, 0, 0, 7, 0], [0, 0, 0, %g, 0, %g]],\n"
          "    mass: [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],\n"
          "      [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}\n"
          "joints: {clamp: {type: fixed, b: arm.start}}\n"
          "forces: {tip: {type: force, b: arm.end, force: [0, %g, 0]}}\n",
          GJ, EC, EC, EI, F))
    return;
  // no torque anywhere: the beam twists so that GJ k_x + EC k_z = 0
  if (deflection(&r, u)) {
    CHECK_REL(u[1], F / 3 * GJ / det + F / 1e6, u[1], 1e-6);
    hn_pose end;
    CHECK(!hn_body_pose(r.sim, hn_find_body(r.system, "arm.end"), &end));
    CHECK_REL(2 * end.orientation[1], -F / 2 * EC / det, F * EC / det, 1e-4);
  }
  rig_close(&r);
}

// ---- what cannot be -------------------------------------------------------------------------

#define BEAM      "from: [0, 0, 0], to: [1, 0, 0], elements: 4"
#define STEEL     "young: 2e11, density: 7800"
#define RECTANGLE "profile: {rectangle: {width: 0.1, height: 0.1}}"
static void refused(void) {
  static const refusal cases[] = {
      {"  a: {" BEAM ", " STEEL "}\n", "needs a profile"},
      {"  a: {" BEAM ", density: 1, " RECTANGLE "}\n", "needs 'young'"},
      {"  a: {" BEAM ", young: 1, " RECTANGLE "}\n", "needs 'density'"},
      {"  a: {" BEAM ", stiffness: [1, 1, 1, 1, 1, 1]}\n", "needs a profile with 'density'"},
      {"  a: {elements: 4, " STEEL ", " RECTANGLE "}\n", "needs 'from' and 'to'"},
      {"  a: {from: [0, 0, 0], to: [0, 0, 0], elements: 4, " STEEL ", " RECTANGLE "}\n",
       "has no length"},
      {"  a: {type: planar, from: [0, 0, 0], to: [1, 0, 1], elements: 4, " STEEL ", " RECTANGLE
       "}\n",
       "z must be 0"},
      {"  a: {type: planar, " BEAM ", " STEEL ", " RECTANGLE ", twist: 1}\n", "stays upright"},
      {"  a: {type: planar, " BEAM ", " STEEL ", " RECTANGLE ", up: [0, 1, 0]}\n", "stays upright"},
      {"  a: {along: [[0, 0, 0], [1, 0, 0]], curve: arc, elements: 4, " STEEL ", " RECTANGLE "}\n",
       "three points"},
      {"  a: {along: [[0, 0, 0], [1, 0, 0], [2, 0, 0]], curve: arc, elements: 4, " STEEL
       ", " RECTANGLE "}\n",
       "line"},
      {"  a: {from: [0, 0, 0], to: [1, 0, 0], elements: 0, " STEEL ", " RECTANGLE "}\n",
       "elements must be"},
      {"  a: {from: [0, 0, 0], to: [1, 0, 0], elements: 100000000, " STEEL ", " RECTANGLE "}\n",
       "elements"},
      {"  a: {" BEAM ", " STEEL ", profile: {rectangle: {width: -1, height: 1}}}\n",
       "width must be positive"},
      {"  a: {" BEAM ", " STEEL ", profile: {circle: {radius: 0}}}\n", "radius must be positive"},
      {"  a: {" BEAM ", " STEEL ", profile: {tube: {radius: 0.1, thickness: 0.2}}}\n",
       "thinner than its radius"},
      {"  a: {" BEAM ", " STEEL
       ", profile: {I: {width: 0.1, height: 0.1, flange: 0.05, web: 0.01}}}\n",
       "two flanges"},
      {"  a: {" BEAM ", " STEEL
       ", profile: {I: {width: 0.1, height: 0.1, flange: 0.01, web: 0.1}}}\n",
       "two flanges"},
      {"  a: {" BEAM ", " STEEL
       ", profile: {numbers: {area: 1, inertia_y: 1, inertia_z: 1, torsion: 0}}}\n",
       "torsion must be positive"},
      {"  a: {" BEAM ", " STEEL ", " RECTANGLE ", profile_end: {circle: {radius: 1}}}\n",
       "the same kind of profile"},
      {"  a: {" BEAM ", " STEEL ", poisson: 0.6, " RECTANGLE "}\n", "poisson must be"},
      {"  a: {" BEAM ", mass: [1, 1, 1, 1, 1, 1], stiffness: [1, 1, 1, -1, 1, 1]}\n",
       "its diagonal is negative"},
      {"  a: {" BEAM
       ", mass: [1, 1, 1, 1, 1, 1], stiffness: [[1, 2, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, "
       "0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}\n",
       "must be symmetric"},
      {"  a: {" BEAM
       ", mass: [1, 1, 1, 1, 1, 1], stiffness: [[1, 2, 0, 0, 0, 0], [2, 1, 0, 0, 0, 0], [0, 0, 1, "
       "0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}\n",
       "must be positive definite"},
      {"  a: {" BEAM ", " STEEL ", " RECTANGLE ", places: {far: 1.5}}\n",
       "between 0 and the length"},
      {"  a: {" BEAM ", " STEEL ", " RECTANGLE ", places: {x: 0.5, y: 0.5}}\n", "y"},
      {"  a: {" BEAM ", " STEEL ", " RECTANGLE ", up: [1, 0, 0]}\n", "up"},
      {"  a: {" BEAM ", " STEEL ", " RECTANGLE ", load: [0, nothing, 0]}\n", "nothing"},
      {"  a: {" BEAM ", " STEEL ", " RECTANGLE "}\n  a: {" BEAM ", " STEEL ", " RECTANGLE "}\n",
       "'a'"},
  };
  run_refused("beams:\n", cases, sizeof cases / sizeof *cases);
}

// handles that are none
static void handles(void) {
  rig r;
  CHECK(hn_beam_node(NULL, (hn_beam){1}, 0).id == -1);
  if (!rig_open_format(&r, "beams:\n  a: {" BEAM ", " STEEL ", " RECTANGLE ", up: [0, 0, %g]}\n",
                       pi))
    return;
  CHECK(hn_beam_node(r.model, (hn_beam){0}, 0).id == -1);
  CHECK(hn_beam_node(r.model, (hn_beam){2}, 0).id == -1);
  CHECK(hn_beam_node(r.model, (hn_beam){1}, 5).id == -1);
  CHECK(hn_beam_node(r.model, (hn_beam){1}, 4).id == hn_beam_node(r.model, (hn_beam){1}, -1).id);
  rig_close(&r);
}

// ---- strains and stresses ------------------------------------------------------------------

static double last(const hn_result *result, const char *name) {
  int column = hn_result_find(result, name);
  if (!CHECK(column >= 0)) printf("  no column %s\n", name);
  return column < 0 ? NAN : hn_result_row(result, hn_result_rows(result) - 1)[column];
}

// In the section at s of a cantilever of length 1 with a force F at its end: N = Fx, Qy = Fy,
// Qz = Fz, My = -(1 - s) Fz, Mz = (1 - s) Fy, and M z / I in the fibres farthest out. The torque T
// at the end twists it all along.
static void stresses(void) {
  static const struct {
    const char *profile;
    double area, Iy, Iz, y, z, r;  // y, z: corners; r: round
  } cases[] = {
      {"rectangle: {width: 0.02, height: 0.04}", 8e-4, 0.02 * 6.4e-5 / 12, 0.04 * 8e-6 / 12, 0.01,
       0.02, 0},
      {"circle: {radius: 0.02}", 3.14159265358979 * 4e-4, 3.14159265358979 / 4 * 1.6e-7,
       3.14159265358979 / 4 * 1.6e-7, 0, 0, 0.02},
      {"tube: {radius: 0.02, thickness: 0.005}", 3.14159265358979 * 1.75e-4,
       3.14159265358979 / 4 * (1.6e-7 - 5.0625e-8), 3.14159265358979 / 4 * (1.6e-7 - 5.0625e-8), 0,
       0, 0.02},
      {"I: {width: 0.03, height: 0.05, flange: 0.004, web: 0.003}", 2 * 1.2e-4 + 0.042 * 0.003,
       (0.03 * 1.25e-4 - 0.027 * 7.4088e-5) / 12, (0.008 * 2.7e-5 + 0.042 * 2.7e-8) / 12, 0.015,
       0.025, 0},
  };
  enum { N = 5 };
  static const double E = 1e9, F[3] = {2e-4, 3e-4, -5e-4}, T = 4e-5;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r;
    hn_equilibrium info;
    hn_result *result = NULL;
    if (!rig_open_format(&r,
                         "beams:\n  arm: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, young: 1e9,"
                         " poisson: 0.3, density: 1, profile: {%s}}\n"
                         "joints: {clamp: {type: fixed, b: arm.start}}\n"
                         "forces:\n  tip: {type: force, b: arm.end, force: [%g, %g, %g]}\n"
                         "  turn: {type: torque, b: arm.end, torque: [%g, 0, 0]}\n",
                         N, cases[i].profile, F[0], F[1], F[2], T))
      return;
    if (CHECK(!hn_statics(r.sim, HN_REST, &info, &result)))
      for (int k = 0; k < N; k++) {
        double arm = 1 - (k + 0.5) / N, ky = -arm * F[2] / (E * cases[i].Iy);
        double kz = arm * F[1] / (E * cases[i].Iz), axial = F[0] / (E * cases[i].area);
        double bent = cases[i].r > 0 ? cases[i].r * hypot(ky, kz)
                                     : cases[i].z * fabs(ky) + cases[i].y * fabs(kz);
        const struct {
          const char *name;
          double value;
        } expected[] = {{"extension", axial},
                        {"curvature_y", ky},
                        {"curvature_z", kz},
                        {"stress_most", E * (axial + bent)},
                        {"stress_least", E * (axial - bent)}};
        for (size_t c = 0; c < sizeof expected / sizeof *expected; c++) {
          char name[60];
          snprintf(name, sizeof name, "arm.element%d.%s", k + 1, expected[c].name);
          CHECK_NEAR(last(result, name), expected[c].value,
                     2e-4 * fmax(fabs(expected[c].value), c < 3 ? 0 : E * (axial + bent)));
        }
        if (cases[i].r > 0) {  // torsion of round sections is T / (G 2 I)
          char name[60];
          snprintf(name, sizeof name, "arm.element%d.twist", k + 1);
          CHECK_NEAR(last(result, name), T * 2.6 / (E * 2 * cases[i].Iy),
                     1e-3 * T * 2.6 / (E * 2 * cases[i].Iy));
        }
      }
    hn_result_destroy(result);
    rig_close(&r);
  }
}

int main(void) {
  RUN(sections);
  RUN(loads);
  RUN(coupled);
  RUN(stresses);
  RUN(refused);
  RUN(handles);
  return test_end();
}
