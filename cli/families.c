// families.c: standard families of models, written as model files.
//
// One line for each body and joint, so that a file of thousands still reads like a table. Bodies
// are placed by their centres of mass; every state written is consistent, velocities included.
#include "families.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- pieces --------------------------------------------------------------------------------

// every file says how it was made
static void begin(FILE *out, const char *name, int n, const char *about, const char *gravity,
                  const char *simulation) {
  if (n > 0)
    fprintf(out, "# holon generate %s --n %d\n", name, n);
  else
    fprintf(out, "# holon generate %s\n", name);
  fprintf(out, "name: ");
  // names of models have no dashes
  for (const char *c = name; *c; c++) fputc(*c == '-' ? '_' : *c, out);
  if (n > 0) fprintf(out, "_%d", n);
  fprintf(out, "\ndescription: %s\n\ngravity: %s\nsimulation: %s\n", about, gravity, simulation);
}

// of a large model only the whole and its last body are recorded: all would fill the memory
static void outputs(FILE *out, int bodies, const char *last, int index) {
  enum { LARGE = 200 };
  if (bodies > LARGE) fprintf(out, "\noutputs: [energy.*, residual.*, %s%d.*]\n", last, index);
}

// all digits: what is written is the state, to the last bit
static void point(FILE *out, const char *key, double x, double y) {
  char a[CELL], b[CELL];
  fprintf(out, "%s: [%s, %s]", key, number_text(a, x), number_text(b, y));
}

// a uniform slender planar link of 1 m and 1 kg; the first names its shape for the others
static void link_body(FILE *out, const char *name, int index, bool first, double x, double y,
                      double angle) {
  char text[CELL];
  // an anchor of YAML: the first says it, the others refer to it
  fprintf(out, "  %s%d: {type: planar, mass: 1, shape: %s, ", name, index,
          first ? "&link {rod: {length: 1}}" : "*link");
  point(out, "position", x, y);
  if (angle != 0) fprintf(out, ", angle: %s", number_text(text, angle));
  fputs("}\n", out);
}

// "ground" or a numbered body
static void end_name(FILE *out, const char *key, const char *name, int index) {
  if (index < 0)
    fprintf(out, "%s: ground, ", key);
  else
    fprintf(out, "%s: %s%d, ", key, name, index);
}

// indices below zero are the ground
static void hinge(FILE *out, const char *joint, int index, const char *a, int ia, const char *b,
                  int ib, double x, double y) {
  fprintf(out, "  %s%d: {type: revolute, ", joint, index);
  end_name(out, "a", a, ia);
  end_name(out, "b", b, ib);
  point(out, "at", x, y);
  fputs("}\n", out);
}

enum { GROUND = -1 };

// ---- open chains and trees -----------------------------------------------------------------

// formulas in the file: parameters can be changed afterwards
static void pendulum(FILE *out, int n, hinge_axes axes) {
  (void)n, (void)axes;
  begin(out, "pendulum", 0, "uniform bar hinged at the origin, let go at an angle from +x",
        "[0, -9.81]", "{duration: 10}");
  fputs("\nparameters:\n"
        "  length: 1  # m\n"
        "  mass: 1    # kg\n"
        "  angle: 0   # rad\n"
        "\nbodies:\n"
        "  bar:\n"
        "    type: planar\n"
        "    mass: mass\n"
        "    shape: {rod: {length: length}}\n"
        "    position: [length/2*cos(angle), length/2*sin(angle)]\n"
        "    angle: angle\n"
        "\njoints:\n"
        "  hinge: {type: revolute, a: ground, b: bar, at: [0, 0], value: angle}\n",
        out);
}

static void chain(FILE *out, int n, hinge_axes axes) {
  begin(out, "chain", n, "bars of 1 m and 1 kg with a square section of 0.1 m, along +x at rest",
        "[0, 0, -9.81]", "{duration: 5}");
  fputs("\nbodies:\n", out);
  for (int k = 0; k < n; k++)
    // boxes have inertia about all axes; slender bars would have none about their own
    fprintf(out, "  bar%d: {mass: 1, shape: %s, position: [%d.5, 0, 0]}\n", k,
            k ? "*bar" : "&bar {box: {size: [1, 0.1, 0.1]}}", k);
  fputs("\njoints:\n", out);
  for (int k = 0; k < n; k++) {
    // alternating axes bend the chain out of its plane
    bool z = axes == AXES_Z || (axes == AXES_ALTERNATING && k % 2 == 1);
    fprintf(out, "  joint%d: {type: revolute, ", k);
    end_name(out, "a", "bar", k - 1);
    end_name(out, "b", "bar", k);
    fprintf(out, "at: [%d, 0, 0], axis: %s}\n", k, z ? "[0, 0, 1]" : "[0, 1, 0]");
  }
  outputs(out, n, "bar", n - 1);
}

static void planar_chain(FILE *out, int n, hinge_axes axes) {
  (void)axes;
  begin(out, "planar-chain", n, "slender links of 1 m and 1 kg, along +x at rest", "[0, -9.81]",
        "{duration: 5}");
  fputs("\nbodies:\n", out);
  for (int k = 0; k < n; k++) link_body(out, "link", k, k == 0, k + 0.5, 0, 0);
  fputs("\njoints:\n", out);
  for (int k = 0; k < n; k++) hinge(out, "joint", k, "link", k - 1, "link", k, k, 0);
  outputs(out, n, "link", n - 1);
}

// found from the root each time: as deep as the logarithm of the number
// where link i of a binary tree begins and which way it points; parents come before children
static void tree_place(int i, double start[2], double *angle) {
  enum { DEEPEST = 32 };
  static const double root = -0.5, spread = 0.6;
  int path[DEEPEST], depth = 0;
  // parents of i: (i - 1) / 2
  for (; i > 0; i = (i - 1) / 2) path[depth++] = i;
  start[0] = start[1] = 0;
  *angle = root;
  while (depth > 0) {
    start[0] += cos(*angle), start[1] += sin(*angle);
    // odd links are to the left
    *angle += path[--depth] % 2 ? spread : -spread;
  }
}

static void tree(FILE *out, int n, hinge_axes axes) {
  (void)axes;
  double start[2], angle;
  begin(out, "tree", n, "binary tree of slender links of 1 m and 1 kg, at rest", "[0, -9.81]",
        "{duration: 5}");
  fputs("\nbodies:\n", out);
  for (int i = 0; i < n; i++) {
    tree_place(i, start, &angle);
    link_body(out, "link", i, i == 0, start[0] + cos(angle) / 2, start[1] + sin(angle) / 2, angle);
  }
  fputs("\njoints:\n", out);
  for (int i = 0; i < n; i++) {
    tree_place(i, start, &angle);
    hinge(out, "joint", i, "link", i ? (i - 1) / 2 : GROUND, "link", i, start[0], start[1]);
  }
  outputs(out, n, "link", n - 1);
}

static void star(FILE *out, int n, hinge_axes axes) {
  (void)axes;
  const double radius = 0.5;
  begin(out, "star", n, "disc of radius 0.5 m on a pivot, slender links of 1 m around it, at rest",
        "[0, -9.81]", "{duration: 5}");
  fputs("\nbodies:\n  hub: {type: planar, mass: 1, "
        "shape: {cylinder: {radius: 0.5, length: 0.1}}, position: [0, 0]}\n",
        out);
  for (int k = 0; k < n; k++) {
    // middles of links are half a metre outside of the hub
    double angle = 2 * pi * k / n, middle = radius + 0.5;
    link_body(out, "link", k, k == 0, middle * cos(angle), middle * sin(angle), angle);
  }
  fputs("\njoints:\n  pivot: {type: revolute, a: ground, b: hub, at: [0, 0]}\n", out);
  for (int k = 0; k < n; k++) {
    double angle = 2 * pi * k / n;
    fprintf(out, "  joint%d: {type: revolute, a: hub, b: link%d, ", k, k);
    point(out, "at", radius * cos(angle), radius * sin(angle));
    fputs("}\n", out);
  }
  outputs(out, n, "link", n - 1);
}

// ---- closed loops --------------------------------------------------------------------------

// a regular polygon of n sides of 1 m, one of them the ground, from the origin; inclined, so that
// four bars do not start in equilibrium
static void corner(int n, int k, double at[2]) {
  const double incline = -pi / 6;
  // circle around the polygon, and its apothem
  double radius = 0.5 / sin(pi / n), height = 0.5 / tan(pi / n);
  double turn = pi / 2 + pi / n + 2 * pi * k / n;
  double x = 0.5 + radius * cos(turn), y = -height + radius * sin(turn);
  at[0] = cos(incline) * x - sin(incline) * y;
  at[1] = sin(incline) * x + cos(incline) * y;
}

// sides 1 ... n-1 are links, side 0 is the ground
static void closed_chain(FILE *out, int n, hinge_axes axes) {
  (void)axes;
  double a[2], b[2];
  begin(out, "closed-chain", n,
        "regular polygon of slender links of 1 m and 1 kg; one side is the "
        "ground",
        "[0, -9.81]", "{duration: 5}");
  fputs("\nbodies:\n", out);
  for (int k = 1; k < n; k++) {
    corner(n, k - 1, a);
    corner(n, k, b);
    link_body(out, "link", k, k == 1, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2,
              atan2(b[1] - a[1], b[0] - a[0]));
  }
  fputs("\njoints:\n", out);
  for (int k = 0; k < n; k++) {
    corner(n, k, a);
    hinge(out, "joint", k, "link", k ? k : GROUND, "link", k < n - 1 ? k + 1 : GROUND, a[0], a[1]);
  }
  outputs(out, n, "link", n - 1);
}

// cranks upright on ground pivots, couplers between their tips, all tips moving at 1 m/s along x
static void n_four_bar(FILE *out, int n, hinge_axes axes) {
  (void)axes;
  begin(out, "n-four-bar", n, "parallel cranks joined by couplers, upright, tips at 1 m/s",
        "[0, -9.81]", "{duration: 10}");
  fputs("\nbodies:\n", out);
  // (0.5, 0) at half height, turning at -1 rad/s: tips move at 1 m/s along x
  for (int i = 0; i <= n; i++)
    fprintf(out,
            "  crank%d: {type: planar, mass: 1, shape: %s, position: [%d, 0.5], angle: pi/2, "
            "velocity: [0.5, 0], angular_velocity: -1}\n",
            i, i ? "*link" : "&link {rod: {length: 1}}", i);
  for (int i = 1; i <= n; i++)
    fprintf(out,
            "  coupler%d: {type: planar, mass: 1, shape: *link, position: [%d.5, 1], "
            "velocity: [1, 0]}\n",
            i, i - 1);
  fputs("\njoints:\n", out);
  for (int i = 0; i <= n; i++) hinge(out, "A", i, "", GROUND, "crank", i, i, 0);
  for (int i = 1; i <= n; i++) {
    hinge(out, "left", i, "crank", i - 1, "coupler", i, i - 1, 1);
    hinge(out, "right", i, "coupler", i, "crank", i, i, 1);
  }
  outputs(out, 2 * n + 1, "crank", 0);
}

// ---- walking machines ----------------------------------------------------------------------

// A shaft in three bearings carries one crank for each leg. A leg is four bars in a plane across
// the shaft: a coupler from the crank to a rocker and beyond, and a shank from its end to another
// rocker. All hinges are hinges in space, so that each of a leg's two loops has three rows too
// many, and each further bearing five. The shaft lies across all axes of the world.
static const double shaft_axes[3][3] = {{0.8, 0, -0.6}, {-0.36, 0.8, -0.48}, {0.48, 0.6, 0.64}};

typedef struct leg {
  double crank[2], knee[2], end[2], foot[2];  // hinges in its plane
} leg;

static const double low_pivot[2] = {0.9, -0.5}, high_pivot[2] = {1, 0.9};

// where bars of lengths p and q from a and b meet; side: 1 left of the way from a to b, -1 right
// by the law of cosines: how far along the way from a to b, and how far across
static void meet(double o[2], const double a[2], double p, const double b[2], double q, int side) {
  double x = b[0] - a[0], y = b[1] - a[1], d = hypot(x, y);
  double along = (p * p - q * q + d * d) / (2 * d), across = side * sqrt(p * p - along * along);
  o[0] = a[0] + (along * x - across * y) / d;
  o[1] = a[1] + (along * y + across * x) / d;
}

static leg leg_at(double angle) {
  leg l = {.crank = {0.2 * cos(angle), 0.2 * sin(angle)}};
  meet(l.knee, l.crank, 0.9, low_pivot, 0.6, 1);
  // the coupler goes on beyond the knee, in the ratio of its lengths
  for (int i = 0; i < 2; i++) l.end[i] = l.crank[i] + (l.knee[i] - l.crank[i]) * 1.2 / 0.9;
  meet(l.foot, l.end, 0.8, high_pivot, 0.5, -1);
  return l;
}

static void place_on_shaft(FILE *out, const char *key, const double p[2], double along) {
  char text[CELL];
  // in the axes of the shaft: across twice, then along
  fprintf(out, ", %s: [", key);
  for (int i = 0; i < 3; i++) {
    double x = p[0] * shaft_axes[0][i] + p[1] * shaft_axes[1][i] + along * shaft_axes[2][i];
    fprintf(out, "%s%s", i ? ", " : "", number_text(text, x));
  }
  fputs("]", out);
}

static void bar_between(FILE *out, const char *name, int k, const double a[2], const double b[2]) {
  double p[2] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])};
  // a kilogram a metre; thin, but with inertia about all axes, as bodies in space must have
  double mass = hypot(b[0] - a[0], b[1] - a[1]);
  char text[2][CELL];
  number_text(text[1], mass * mass * mass / 12);
  fprintf(out, "  %s%d: {mass: %s, inertia: [%s, %s, %s]", name, k, number_text(text[0], mass),
          text[1], text[1], text[1]);
  place_on_shaft(out, "position", p, 0.1 * k);
  fputs("}\n", out);
}

// a NULL: the ground; else a bar of the leg, or the shaft
static void hinge_across(FILE *out, const char *name, int k, const char *a, const char *b,
                         const double at[2]) {
  fprintf(out, "  %s%d: {type: revolute, a: %s", name, k, a ? a : "ground");
  if (a && strcmp(a, "shaft") != 0) fprintf(out, "%d", k);
  fprintf(out, ", b: %s%d", b, k);
  place_on_shaft(out, "at", at, 0.1 * k);
  fputs(", axis: [0.48, 0.6, 0.64]}\n", out);
}

static void write_walker(FILE *out, int n, bool driven) {
  begin(out, driven ? "driven-walker" : "walker", n,
        "planar legs of hinges in space on one shaft in three bearings", "[0, 0, -9.81]",
        "{duration: 20}");
  fputs("\nbodies:\n", out);
  const double centre[2] = {0, 0};
  // in the middle of its legs
  fputs("  shaft: {mass: 10, inertia: [2, 2, 2]", out);
  place_on_shaft(out, "position", centre, 0.05 * n);
  fputs("}\n", out);
  for (int k = 0; k < n; k++) {
    leg l = leg_at(2 * pi * k / n);
    bar_between(out, "coupler", k, l.crank, l.end);
    bar_between(out, "low", k, low_pivot, l.knee);
    bar_between(out, "shank", k, l.end, l.foot);
    bar_between(out, "high", k, high_pivot, l.foot);
  }
  fputs("\njoints:\n", out);
  for (int k = 0; k < 3; k++) {
    fprintf(out, "  bearing%d: {type: revolute, a: ground, b: shaft", k);
    place_on_shaft(out, "at", centre, 0.05 * n * k);
    // the first bearing starts the motion, unless a driver does
    fprintf(out, ", axis: [0.48, 0.6, 0.64]%s}\n", k || driven ? "" : ", rate: 3");
  }
  for (int k = 0; k < n; k++) {
    leg l = leg_at(2 * pi * k / n);
    hinge_across(out, "A", k, "shaft", "coupler", l.crank);
    hinge_across(out, "B", k, "coupler", "low", l.knee);
    hinge_across(out, "C", k, NULL, "low", low_pivot);
    hinge_across(out, "D", k, "coupler", "shank", l.end);
    hinge_across(out, "E", k, "shank", "high", l.foot);
    hinge_across(out, "F", k, NULL, "high", high_pivot);
  }
  if (driven) fputs("  motor: {type: driver, joint_a: bearing0, motion: 3*t}\n", out);
  outputs(out, 4 * n + 1, "shank", n - 1);
}

static void walker(FILE *out, int n, hinge_axes axes) {
  (void)axes;
  write_walker(out, n, false);
}
static void driven_walker(FILE *out, int n, hinge_axes axes) {
  (void)axes;
  write_walker(out, n, true);
}

// ---- table ---------------------------------------------------------------------------------

const family *family_at(int index) {
  static const family table[] = {
      {"pendulum", "one bar on a hinge, with parameters for length, mass and angle", 0, 0, false,
       pendulum},
      {"chain", "N bars in space; --axes turns the hinges", 5, 1, true, chain},
      {"planar-chain", "N links in the plane", 5, 1, false, planar_chain},
      {"tree", "N links in the plane, each with two others at its end", 7, 1, false, tree},
      {"star", "N links around a disc", 5, 1, false, star},
      {"closed-chain", "polygon of N sides, one of them the ground", 5, 4, false, closed_chain},
      {"n-four-bar", "N four-bar linkages side by side: N + 1 cranks, N couplers", 2, 1, false,
       n_four_bar},
      {"walker", "N planar legs of hinges in space on one shaft in three bearings", 23, 1, false,
       walker},
      {"driven-walker", "the same with the shaft turned by a driver", 23, 1, false, driven_walker},
  };
  return index >= 0 && index < (int)(sizeof table / sizeof *table) ? &table[index] : NULL;
}
