// new.c: holon new. A model file to begin with: it runs as it stands, and says what can be changed.
#include "common.h"

#include <string.h>
#include <sys/stat.h>

// the number is the letter: -s is the same
enum { OPTION_SPATIAL = 's' };

// Models to begin with: all sections that most models need, a few words about each, and they run as
// they are. %s is where the file goes, so that the first line can be copied. It is the only percent
// sign: printf writes these.
static const char planar_text[] =
    "# A crank, a rod and a slider. Run me:   holon run %s --html page.html\n"
    "# All sections and keys:                 docs/format.md, or 'holon schema' for your editor\n"
    "name: My mechanism\n"
    "description: a slider-crank under its own weight\n"
    "\n"
    "# Numbers with a name, to be used below and changed from outside (--set speed='90 rpm').\n"
    "# Without a unit everything is SI: m, kg, s, N, rad.\n"
    "parameters:\n"
    "  crank: 100 mm\n"
    "  rod: 300 mm\n"
    "  speed: 60 rpm\n"
    "\n"
    "gravity: [0, -9.81]\n"
    "simulation: {duration: 2, output_step: 5 ms}\n"
    "\n"
    "# Places to describe the rest by. Points do not move.\n"
    "points:\n"
    "  A: [0, 0]\n"
    "  B: {from: A, distance: crank, angle: 60 deg}\n"
    "  C: {line: [A, [1, 0]], circle: [B, rod], side: last}   # where the slider is\n"
    "\n"
    "# Bodies from point to point are thin rods unless a shape says more.\n"
    "bodies:\n"
    "  crank: {type: planar, from: A, to: B, mass: 0.5}\n"
    "  rod: {type: planar, from: B, to: C, mass: 0.8}\n"
    "  slider: {type: planar, position: C, mass: 1.2, shape: {box: {size: [80 mm, 50 mm, 50 "
    "mm]}}}\n"
    "\n"
    "# Joints hold bodies together; 'a' is the ground when it is not given. 'holon joints' lists "
    "them.\n"
    "joints:\n"
    "  bearing: {type: revolute, b: crank, at: A}\n"
    "  pin: {type: revolute, a: crank, b: rod, at: B}\n"
    "  wrist: {type: revolute, a: rod, b: slider, at: C}\n"
    "  rail: {type: prismatic, b: slider, at: C, axis: [1, 0]}\n"
    "  # turns the crank; leave it out, and the mechanism swings freely\n"
    "  motor: {type: driver, joint_a: bearing, motion: speed*t}\n"
    "\n"
    "# 'holon forces' lists what there is: springs, dampers, friction, formulas ...\n"
    "forces:\n"
    "  buffer: {type: spring, b: slider, at: [0.5, 0], at_b: C, stiffness: 200 N/m, free: 100 mm}\n"
    "  friction: {type: friction, joint: rail, viscous: 3}\n"
    "\n"
    "# Columns to record; without this section all of them ('holon check' names bodies and "
    "joints).\n"
    "# outputs: [\"slider.*\", \"motor.*\", energy.total]\n";

// the same in space: places by points and offsets instead of a closed chain
static const char spatial_text[] =
    "# A pendulum on a ball joint, with a spring. Run me:   holon run %s --html page.html\n"
    "# All sections and keys:                               docs/format.md, or 'holon schema'\n"
    "name: My mechanism\n"
    "description: a rod swings in space\n"
    "\n"
    "# Numbers with a name, to be used below and changed from outside (--set length=0.8).\n"
    "# Without a unit everything is SI: m, kg, s, N, rad.\n"
    "parameters:\n"
    "  length: 60 cm\n"
    "  tilt: 50 deg\n"
    "\n"
    "gravity: [0, 0, -9.81]\n"
    "simulation: {duration: 5, output_step: 10 ms}\n"
    "\n"
    "# Places to describe the rest by. Points do not move.\n"
    "points:\n"
    "  top: [0, 0, 1]\n"
    "  end: {from: top, offset: [length*sin(tilt), 0, -length*cos(tilt)]}\n"
    "\n"
    "# A body from point to point: a cylinder goes from end to end.\n"
    "bodies:\n"
    "  rod: {from: top, to: end, mass: 2, shape: {cylinder: {radius: 15 mm}},\n"
    "        velocity: [0, 0.5, 0]}\n"
    "\n"
    "# 'a' is the ground when it is not given. 'holon joints' lists the types.\n"
    "joints:\n"
    "  ball: {type: spherical, b: rod, at: top}\n"
    "\n"
    "# 'holon forces' lists what there is: springs, dampers, friction, formulas ...\n"
    "forces:\n"
    "  spring: {type: spring, b: rod, at: [0.8, 0, 0.5], at_b: end, stiffness: 30 N/m, free: 0.3}\n"
    "\n"
    "# Columns to record; without this section all of them ('holon check' names bodies and "
    "joints).\n"
    "# outputs: [\"rod.*\", \"ball.f*\", energy.total]\n";

static const struct option options[] = {
    {"spatial", no_argument, NULL, OPTION_SPATIAL},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static int run(const command *self, int argc, char **argv) {
  bool spatial = false;
  int c;
  while ((c = next_option(self, argc, argv, options)) != OPTION_END) {
    if (c != OPTION_SPATIAL) return c == OPTION_HELP ? CODE_DONE : CODE_USAGE;
    spatial = true;
  }
  // '-' counts as a name
  const char *path = argc == optind + 1 ? argv[optind] : NULL;
  if (!path)
    return usage_error(self,
                       argc > optind + 1 ? "one file at a time" : "no file to write is given");
  // never written over: somebody may have worked in it
  struct stat there;
  if (strcmp(path, "-") != 0 && stat(path, &there) == 0)
    return usage_error(self, "'%s' is there already and is left alone", path);
  // standard output has no name that could be repeated
  if (strcmp(path, "-") == 0) {
    printf(spatial ? spatial_text : planar_text, "FILE");
    return CODE_DONE;
  }
  // a whole file or none
  output o;
  if (!output_open(&o, path)) return CODE_FAILED;
  fprintf(o.stream, spatial ? spatial_text : planar_text, path);
  if (!output_close(&o)) return CODE_FAILED;
  // standard output stays free
  fprintf(stderr, "%s written; next: holon run %s --html page.html\n", path, path);
  return CODE_DONE;
}

const command command_new = {
    .name = "new",
    .help = "write a model file to begin with",
    .usage =
        "usage: holon new [--spatial] FILE\n\n"
        "Writes a small mechanism with comments that say what each part means. It runs as it\n"
        "stands. A file that is there already is left alone; '-' writes to standard output.\n\n"
        "  -s, --spatial  a mechanism in space (default: in the plane)\n"
        "  -h, --help     this text\n\n"
        "  holon new crank.yaml\n"
        "  holon run crank.yaml --html page.html\n",
    .run = run,
    .options = options,
};
