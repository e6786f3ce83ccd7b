// test_adams.c: datasets of ADAMS move as the same mechanisms written as model files, whose numbers
// were worked out by hand, and as closed forms say.
#include "test.h"

#include "robot_rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SI         "UNITS/FORCE=NEWTON,MASS=KILOGRAM,LENGTH=METER,TIME=SECOND\n"
#define TITLE      "a title, of any words\n"
#define GROUND     "PART/1,GROUND\nMARKER/10,PART=1\n"
#define DOWN       "ACCGRAV/JGRAV=-9.81\n"
#define NAME(name) "! adams_view_name='" name "'\n"
// a body of mass 2, its centre of mass where its frame is; its marker is 10 times its number
#define BODY(name, id, marker, more)                                                               \
  NAME(name)                                                                                       \
  "PART/" id ",MASS=2,CM=" marker ",IP=0.03,0.04,0.05" more "\nMARKER/" marker ",PART=" id "\n"
#define YAML_BODY(name, more)                                                                      \
  "  " name ": {mass: 2, inertia: [0.03, 0.04, 0.05]" more ", frames: {m: {position: [0, 0, 0], "  \
  "orientation: {quaternion: [1, 0, 0, 0]}}}}\n"

typedef struct twin {
  const char *name, *adams, *yaml;
} twin;

static const twin twins[] = {
    // a cross: x of I, which is on the arm, and y of J; the arm hangs to the side
    {"hooke",
     TITLE SI GROUND DOWN BODY(
         "arm", "2", "20", ",WX=0.5") "MARKER/21,PART=2,QP=-0.3,0.1,0\n"
                                      "MARKER/11,PART=1,QP=-0.3,0.1,0\nJOINT/1,HOOKE,I=21,J=11\n",
     "gravity: [0, -9.81, 0]\nbodies:\n" YAML_BODY(
         "arm",
         ", angular_velocity: [0.5, 0, 0]") "joints:\n  j: {type: universal, b: arm, at: [-0.3, "
                                            "0.1, 0], axis: [0, 1, 0], axis_b: [1, 0, "
                                            "0]}\n"},
    // a cross along the z axes: of I turned to x, of J turned to y
    {"universal",
     TITLE SI GROUND DOWN BODY("arm", "2", "20",
                               ",WX=0.5") "MARKER/21,PART=2,QP=-0.3,0.1,0,REULER=90D,90D,0\nMARKER/"
                                          "11,PART=1,QP=-0.3,0.1,0,REULER=0,-90D"
                                          ",0\nJOINT/1,UNIVERSAL,I=21,J=11\n",
     "gravity: [0, -9.81, 0]\nbodies:\n" YAML_BODY(
         "arm",
         ", angular_velocity: [0.5, 0, 0]") "joints:\n  j: {type: universal, b: arm, at: [-0.3, "
                                            "0.1, 0], axis: [0, 1, 0], axis_b: [1, 0, "
                                            "0]}\n"},
    // names cut short, lower case, a joint whose I is the ground; spherical and fixed
    {"ball and weld",
     TITLE SI GROUND "accg/jgrav=-9.81\n" BODY("arm", "2", "20", "") BODY(
         "tip", "3", "30",
         ",QG=1,0,0") "marker/21,par=2,qp=-0.5,0,0\nmark/11,part=1,qp=-0.5,0,0\nMARKER/22,PART=2,"
                      "QP=1,0,0\njoi/1,sph,i=11,j=21\nJOINT/2,FIX,I=30,J=22;\n",
     "gravity: [0, -9.81, 0]\nbodies:\n" YAML_BODY("arm", "")
         YAML_BODY("tip", ", position: [1, 0, 0]") "joints:\n  j: {type: spherical, b: arm, at: "
                                                   "[-0.5, 0, 0]}\n  k: {type: fixed, a: arm, b: "
                                                   "tip, at: [1, 0, 0]}\n"},
    {"planar",
     TITLE SI GROUND DOWN BODY("arm", "2", "20", ",WZ=2,VX=1") "JOINT/1,PLANAR,I=20,J=10\n",
     "gravity: [0, -9.81, 0]\nbodies:\n" YAML_BODY(
         "arm",
         ", velocity: [1, 0, 0], angular_velocity: [0, 0, 2]") "joints:\n  j: {type: planar, "
                                                               "b: arm}\n"},
    // primitives, none of which hinders the others
    {"primitives of points",
     TITLE SI GROUND DOWN BODY("a", "2", "20", "") BODY("b", "3", "30", ",QG=0,0,1") BODY(
         "c", "4", "40", ",QG=0,0,2") "MARKER/21,PART=2,QP=0.4,0,0\nMARKER/11,PART=1,QP=0.4,0,0\n"
                                      "MARKER/12,PART=1,QP=0.2,0,1,REULER=0,-60D,0\nMARKER/31,PART="
                                      "3,QP=0.2,0,0\nMARKER/13,PART=1,QP=0,0,2,REULER=0,-60D,0\n"
                                      "MARKER/41,PART=4,QP=0.1,0,0\nJPRIM/1,ATPOINT,I=21,J=11\n"
                                      "JPRIM/2,INLINE,I=31,J=12\nJPRIM/3,INPLANE,I=40,J=13\n",
     "gravity: [0, -9.81, 0]\nbodies:\n" YAML_BODY("a", "") YAML_BODY("b", ", position: [0, 0, 1]")
         YAML_BODY("c",
                   ", position: [0, 0, 2]") "joints:\n  j: {type: spherical, b: a, at: [0.4, 0, "
                                            "0]}\n  k: {type: point-on-line, b: b, at: [0.2, "
                                            "0, 1], axis: [0, 0.8660254037844386, 0.5]}\n  l: "
                                            "{type: point-on-plane, b: c, at: [0, 0, 2], axis: "
                                            "[0, 0.8660254037844386, 0.5]}\n"},
    // a pull away from the centre turns what the primitives let turn
    {"primitives of directions",
     TITLE SI GROUND DOWN BODY("a", "2", "20", ",WZ=1") BODY("b", "3", "30", ",QG=0,0,1,WX=1") BODY(
         "c", "4", "40", ",QG=0,0,2,VX=1") "MARKER/21,PART=2,QP=0.4,0,0\nMARKER/31,PART=3,QP=0.4,0,"
                                           "0\nMARKER/32,PART=3,REULER=90D,90D,0\n"
                                           "MARKER/41,PART=4,QP=0.4,0,0\nMARKER/15,PART=1,FLOAT\n"
                                           "JPRIM/1,PAR,I=20,J=10\nJPRIM/2,PERP,I=32,J=10\n"
                                           "JPRIM/3,ORI,I=40,J=10\n"
                                           "VFORCE/1,I=21,JFLOAT=15,RM=10,FY=3,FX=1\n"
                                           "VFORCE/2,I=31,JFLOAT=15,RM=10,FY=3\\FX=1\n"
                                           "VFORCE/3,I=41,JFLOAT=15,RM=10,FY=3\\\n,FX=1\n",
     "gravity: [0, -9.81, 0]\nbodies:\n" YAML_BODY("a", ", angular_velocity: [0, 0, 1]")
         YAML_BODY("b", ", position: [0, 0, 1], angular_velocity: [1, 0, 0]") YAML_BODY(
             "c", ", position: [0, 0, 2], velocity: [1, 0, 0]") "joints:\n  j: {type: "
                                                                "parallel, b: a, axis: [0, 0, "
                                                                "1]}\n  k: {type: "
                                                                "perpendicular, b: b, axis: "
                                                                "[0, 0, 1], axis_b: [1, 0, "
                                                                "0]}\n  l: {type: generic, b: "
                                                                "c.m, locked: [roll, pitch, "
                                                                "yaw]}\nforces:\n  f: {type: "
                                                                "force, b: a, at: [0.4, 0, 0]"
                                                                ", force: [1, 3, 0]}\n  g: "
                                                                "{type: force, b: b, at: "
                                                                "[0.4, 0, 1], force: [1, 3, "
                                                                "0]}\n  h: {type: force, b: "
                                                                "c, at: [0.4, 0, 2], force: "
                                                                "[1, 3, 0]}\n"},
    // along axes of the ground turned about z, and along those of the part; reactions
    {"vectors",
     TITLE SI GROUND BODY("a", "2", "20", "")
         BODY("b", "3", "30",
              ",QG=0.5,0,0") "MARKER/11,PART=1,REULER=90D,0,0\nMARKER/"
                             "21,PART=2,QP=0.1,0.2,0,REULER=0,90D,0\n"
                             "MARKER/35,PART=3,FLOATING\nMARKER/15,PART=1,FLOATING\n"
                             "GFORCE/1,I=21,JFLOAT=35,RM=11,FX=2*TIME\\FZ=SIN(3*TIME)\\TX=0.1\n"
                             "VTORQUE/2,I=30,JFLOAT=15,RM=30,TY=0.2\nVFORCE/"
                             "3,I=21,JFLOAT=15,RM=21,FZ=1.5\n"
                             "SFORCE/4,TRANS,ACTIONONLY,I=30,J=11,FUNCTION=2\n"
                             "SFORCE/5,ROTA,ACTIONONLY,I=20,J=21,FUNCTION=-0.3\n",
     "gravity: [0, 0, 0]\nbodies:\n" YAML_BODY("a", "") YAML_BODY(
         "b",
         ", position: [0.5, 0, 0]") "forces:\n  f: {type: force, a: b, b: a, at: [0.1, 0.2, 0], "
                                    "force: [0, 2*t, sin(3*t)]}\n"
                                    "  g: {type: torque, a: b, b: a, torque: [0, 0.1, 0]}\n"
                                    "  h: {type: torque, b: b, torque: [0, 0.2, 0], axes: body}\n"
                                    "  i: {type: force, b: a, at: [0.1, 0.2, 0], force: [0, -1.5, "
                                    "0], axes: body}\n"
                                    "  k: {type: force, b: b, force: [0, 0, 2]}\n"
                                    "  l: {type: torque, b: a, torque: [0, 0.3, 0], axes: body}\n"},
    // springs as ADAMS/View writes them, lines that go on in the middle of an expression
    {"springs as functions",
     TITLE SI GROUND DOWN BODY(
         "arm", "2", "20",
         "") "MARKER/21,PART=2,QP=0.4,0,0\n"
             "MARKER/11,PART=1,QP=0,2,0\nJOINT/1,REVOLUTE,I=10,J=20\nSFORCE/1\n, TRANSLATIONAL\n, "
             "I = 11\n"
             ", J = 21\n, FUNCTION =  - 100.0*(dm(11,21)-2.0)\n, - 1.0*vr(11,21)\n, + 0.5*(time "
             "+\n, 1.)\n"
             "SFORCE/2, ROTATIONAL, I = 20, J = 10\n, FUNCTION = - 0.1*RTOD*(az(20,10)-10.0*DTOR)\n"
             ", - 0.2*wz(20,10,10)\n",
     "gravity: [0, -9.81, 0]\nbodies:\n" YAML_BODY("arm",
                                                   "") "joints:\n  j: {type: revolute, b: "
                                                       "arm}\nforces:\n  s: {type: spring, "
                                                       "b: arm, at: [0, 2, 0], at_b: [0.4, "
                                                       "0, 0], law: 100*(length - 2) + rate "
                                                       "- 0.5*(t + 1)}\n  k: {type: "
                                                       "torsion-spring, joint: j, stiffness: "
                                                       "18/pi, damping: 0.2, free: 10 deg}\n"},
};

static double column(const run *r, const char *name) {
  double *x = calloc((size_t)hn_column_count(r->sys) + 1, sizeof *x), value = NAN;
  CHECK(hn_sim_row(r->sim, x) == HN_OK);
  for (int i = 0; i < hn_column_count(r->sys); i++)
    if (strcmp(hn_column_name(r->sys, i), name) == 0) value = x[i];
  free(x);
  return value;
}

// positions, velocities and orientations of bodies of the same name
static double difference(const run *a, const run *b, int *compared) {
  double worst = 0;
  *compared = 0;
  for (int i = 0; i < hn_column_count(a->sys); i++) {
    const char *name = hn_column_name(a->sys, i), *dot = strchr(name, '.');
    if (!dot || !hn_word_in(dot, ".x .y .z .vx .vy .vz .q0 .q1 .q2 .q3 .wx .wy .wz")) continue;
    double d = fabs(column(a, name) - column(b, name));
    if (isnan(d)) continue;
    worst = fmax(worst, d);
    ++*compared;
  }
  return worst;
}

static void compare(const char *name, run *a, run *b, bool good) {
  int compared = 0;
  double first = good ? difference(a, b, &compared) : 1;
  good = good && hn_advance(a->sim, 0.4) == HN_OK && hn_advance(b->sim, 0.4) == HN_OK;
  double last = good ? difference(a, b, &compared) : 1;
  printf("%s: %.1e at the start, %.1e after 0.4 s, %d columns\n", name, first, last, compared);
  CHECK(compared >= 6 && first < 1e-12 && last < 1e-7);
  stop(a), stop(b);
}

static void moves_as_its_twin(void) {
  for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
    run a, b;
    bool good = start(&a, twins[i].adams, "a.adm");
    good = start_model(&b, twins[i].yaml) && good;
    compare(twins[i].name, &a, &b, good);
  }
}

// millimetres, markers turned every way, inertia about another point, both springs
static void file_of_an_arm(void) {
  run a = {.model = hn_model_create()}, b;
  bool good = CHECK(hn_model_load(a.model, "tests/robots/adams_arm.adm") == HN_OK);
  good = good && start_loaded(&a);
  // axis: R (0, 0, 1), angular velocity: 1.5 times it; free angle 20 deg, turning force 0.1 N m
  good =
      start_model(
          &b,
          "gravity: [0, 0, -9.80665]\nbodies:\n  arm: {mass: 2, com: [0.05, 0.02, -0.01], "
          "inertia: {xx: 0.05, yy: 0.06, zz: 0.07, xy: 0.001, xz: -0.003, yz: -0.002}, position: "
          "[0.1, 0.2, 0.3], orientation: {euler: [30 deg, 40 deg, 50 deg], sequence: zxz}, "
          "angular_velocity: [0.48209070726490433, -0.835005598839629, 1.149066664678467]}\n"
          "joints:\n  hinge: {type: revolute, b: arm, at: [0.1, 0.2, 0.3], axis: "
          "[0.32139380484326957, -0.5566703992264194, 0.766044443118978]}\nforces:\n  s: {type: "
          "spring, b: arm, at: [0, 0, 1], at_b: [0.11434175328167576, 0.536180553771956, "
          "0.5382791417190951], law: 200*(length - 0.5) + 10*rate - 3}\n  k: {type: motor, "
          "joint: hinge, law: 0.1 - 0.4*(value - 20 deg) - 0.03*rate}\n") &&
      good;
  compare("arm of a file", &a, &b, good);
}

// ---- closed forms --------------------------------------------------------------------------

static void near(const char *what, double value, double expected, double tolerance) {
  printf("%s: %.12g, expected %.12g\n", what, value, expected);
  CHECK(fabs(value - expected) <= tolerance);
}

// units of every kind: a ball thrown, in feet, pounds and milliseconds
static void units_are_those_of_the_file(void) {
  run r;
  if (start(&r,
            TITLE "UNITS/LENGTH=FOOT,MASS=POUND_MASS,TIME=MILLI,FORCE=POUND_FORCE\n" GROUND
                  "ACCGRAV/KGRAV=-32E-6\n" NAME(
                      "ball") "PART/2,MASS=3,CM=20,IP=1,1,1,VX=0.01,VZ=0.02,WZ=0.003\n"
                              "MARKER/20,PART=2\nMARKER/15,PART=1,FLOATING\n"
                              "VFORCE/1,I=20,JFLOAT=15,RM=10,FY=TIME/1000.0\n",
            "a.adm") &&
      CHECK(hn_advance(r.sim, 0.4) == HN_OK)) {
    near("x", column(&r, "ball.x"), 10 * 0.3048 * 0.4, 1e-9);
    near("z", column(&r, "ball.z"), (20 * 0.4 - 32 * 0.08) * 0.3048, 1e-9);
    near("turns", column(&r, "ball.wz"), 3, 1e-9);
    // force t lbf on 3 lb
    double force = 4.4482216152605, mass = 3 * 0.45359237;
    near("y", column(&r, "ball.y"), force / mass * 0.4 * 0.4 * 0.4 / 6, 1e-9);
  }
  stop(&r);
  if (start(&r,
            TITLE "UNITS/SYSTEM=CGS\n" GROUND "PART/2,MASS=500,CM=20,IP=1,1,1,VX=30\n"
                  "MARKER/20,PART=2\nMARKER/11,PART=1,REULER=90D,90D,0\n"
                  "MARKER/21,PART=2,REULER=90D,90D,0\nJOINT/1,TRANS,I=21,J=11\n"
                  "SPRINGD/1,TRANS,I=21,J=12,K=2000,C=50,LENGTH=10\n"
                  "MARKER/12,PART=1,QP=-10,0,0\n",
            "a.adm") &&
      CHECK(hn_advance(r.sim, 0.4) == HN_OK)) {
    // m x'' + c x' + k x = 0 with x' = 0.3 m/s: 0.5 kg, 0.05 N s/m, 2 N/m
    double d = 0.05 / (2 * 0.5), w = sqrt(2 / 0.5 - d * d);
    near("vibrates", column(&r, "PART_2.x"), 0.3 / w * exp(-d * 0.4) * sin(w * 0.4), 1e-8);
  }
  stop(&r);
}

// motions are those of I against J
static void motions(void) {
  run r;
  if (start(&r,
            TITLE "UNITS/LENGTH=MILLI,MASS=KILOGRAM,TIME=SECOND,FORCE=NEWTON\n" GROUND BODY(
                "a", "2", "20", "") BODY("b", "3", "30", "")
                BODY("c", "4", "40",
                     "") "JOINT/1,REV,I=20,J=10\nJOINT/2,TRANS,I=30,J=10\nJOINT/3,CYL,I=40,J=10\n"
                         "MOTION/1,JOINT=1,ROTATION,FUNCTION=30D*TIME**2+ATAN2(0,1)\n"
                         "MOTION/2,JOINT=2,TRANS,FUNCTION=STEP(TIME,0.1,0,0.5,200)\n"
                         "MOTION/3,JOINT=3,TRANS,FUNCTION=-100*(1-COS(PI*TIME))**2/EXP(-TIME)\n"
                         "MOTION/"
                         "4,JOINT=3,ROTA,FUNCTION=(1+TIME)**-1**2-1+SQRT(ABS(-(1+TIME)**2))-1\n",
            "a.adm") &&
      CHECK(hn_advance(r.sim, 0.4) == HN_OK)) {
    double pi = acos(-1), z = 0.3 / 0.4, c = 1 - cos(pi * 0.4);
    near("turned", column(&r, "a.wz"), 2 * pi / 6 * 0.4, 1e-8);
    near("a cubic", column(&r, "b.z"), 0.2 * z * z * (3 - 2 * z), 1e-9);
    near("its slope", column(&r, "b.vz"), 0.2 * 6 * z * (1 - z) / 0.4, 1e-8);
    near("pushed", column(&r, "c.z"), -0.1 * c * c * exp(0.4), 1e-9);
    near("and turned", column(&r, "c.wz"), 1 - 1 / (1.4 * 1.4), 1e-8);
  }
  stop(&r);
}

// a nut that runs down its thread: 0.02 m each turn; it gets g / (1 + J / (m p^2)), p per radian
static void thread(void) {
  run r;
  if (start(&r,
            TITLE SI GROUND "ACCGRAV/KGRAV=-9.81\n" BODY(
                "nut", "2", "20", "") "JOINT/1,CYL,I=20,J=10\nJOINT/2,SCREW,I=10,J=20,PITCH=0.5\n",
            "a.adm") &&
      CHECK(hn_advance(r.sim, 0.4) == HN_OK)) {
    double p = 0.5 / (2 * acos(-1)), fall = -9.81 / (1 + 0.05 / (2 * p * p));
    near("falls", column(&r, "nut.z"), fall * 0.08, 1e-9);
    near("turns", column(&r, "nut.wz"), fall * 0.4 / p, 1e-8);
  }
  stop(&r);
}

// ---- what is refused -----------------------------------------------------------------------

#define WITH(statements) TITLE SI GROUND BODY("arm", "2", "20", "") statements

static void refusals(void) {
  static const char *const text[][2] = {
      {"", "no UNITS"},
      {"UNITS/SYSTEM=MKS\n", "first line of a dataset is its title"},
      {TITLE SI GROUND, "no PART that moves"},
      {TITLE GROUND, "no UNITS"},
      {TITLE "UNITS/LENGTH=FURLONG,MASS=GRAM,TIME=SECOND,FORCE=NEWTON\n", "LENGTH=FURLONG"},
      {TITLE "UNITS/LENGTH=METER\n", "MASS=? is no unit"},
      {TITLE "UNITS/UCF=386.4\n", "UCF=386.4"},
      {TITLE SI ", GOES=ON\n", "no argument 'GOES'"},
      {TITLE ", GOES=ON\n", "line 2 goes on with no statement"},
      {WITH("BEAM/1,I=1,J=2\n"), "a.adm:8:1: the statement BEAM is not read"},
      {WITH("NONSENSE\n"), "the statement NONSENSE is not read"},
      {WITH("M/1\n"), "the statement M is not read"},
      {WITH("PART/3,MASS=-1,CM=20\n"), "MARKER/20 is on another part"},
      {WITH("PART/3,MASS=-1\n"), "the mass is negative"},
      {WITH("PART/3,MASS=1\n"), "needs CM=id"},
      {WITH("PART/3,MASS=1e999\n"), "MASS"},
      {WITH("PART/3,MASS=1,2\n"), "more than 1 numbers"},
      {WITH("PART/3,MASS=1,MASS=2\n"), "MASS is given twice"},
      {WITH("PART/3,QG=1,2\n"), "3 numbers expected, 2 found"},
      {WITH("PART/3,QG=1,2,y\n"), "no argument 'Y'"},
      {WITH("PART/3,QG=1,2,3x\n"), "not a finite number"},
      {WITH("PART/3,ZG=1,2,3\n"), "PART: argument ZG"},
      {WITH("PART/3,MASS=0\n"), "has mass"},
      {WITH("PART/2,MASS=1,CM=20\n"), "PART/2 is there twice"},
      {WITH("PART/,MASS=1,CM=20\n"), "PART/ needs an identifier"},
      {WITH("PART/3,GROUND\n"), "a second ground"},
      {WITH("MARKER/30\n"), "MARKER needs PART=id"},
      {WITH("MARKER/30,PART=9\n"), "no PART/9"},
      {WITH("MARKER/30,PART=1x\n"), "is no identifier"},
      {WITH("MARKER/20,PART=2\n"), "MARKER/20 is there twice"},
      {WITH("MARKER/30,PART=2,ZP=1,0,0\n"), "MARKER: argument ZP"},
      {WITH("JOINT/1,REV,I=20\n"), "JOINT needs J=id"},
      {WITH("JOINT/1,REV,I=20,J=99\n"), "J: no MARKER/99"},
      {WITH("MARKER/15,PART=1,FLOATING\nJOINT/1,REV,I=20,J=15\n"), "MARKER/15 is floating"},
      {WITH("JOINT/1,REV,I=20,J=20\n"), "joins a part with itself"},
      {WITH("JOINT/1,RACKPIN,I=20,J=10,PD=1\n"), "a JOINT of a type that is not read"},
      {WITH("JOINT/1,SCREW,I=20,J=10,PITCH=1\n"), "a SCREW without PITCH, or without"},
      {WITH("JOINT/1,REV,I=20,J=10,IC=1,2\n"), "initial conditions of joints"},
      {WITH("JPRIM/1,I=20,J=10\n"), "a JPRIM of a type that is not read"},
      {WITH("MOTION/1,JOINT=7,ROT,FUNCTION=1\n"), "no JOINT/7"},
      {WITH("MOTION/1,I=20,J=10,X,FUNCTION=1\n"), "other than a displacement of a JOINT"},
      {WITH("JOINT/1,REV,I=20,J=10\nMOTION/1,JOINT=1,VELOCITY,FUNCTION=1\n"),
       "other than a displacement"},
      {WITH("JOINT/1,SPH,I=20,J=10\nMOTION/1,JOINT=1,ROT,FUNCTION=1\n"), "that it does not have"},
      {WITH("JOINT/1,REV,I=20,J=10\nMOTION/1,JOINT=1,ROT\n"), "without FUNCTION"},
      {WITH("SPRING/1,TRANS,ROT,I=20,J=10\n"), "either TRANSLATIONAL or ROTATIONAL"},
      {WITH("SPRING/1,TRANS,I=20,J=10,K=-1\n"), "not negative"},
      {WITH("SFORCE/1,I=20,J=10,FUNCTION=1\n"), "either TRANSLATIONAL or ROTATIONAL"},
      {WITH("SFORCE/1,TRANS,I=20,J=10\n"), "SFORCE without FUNCTION"},
      {WITH("SFORCE/1,TRANS,I=10,J=20,ACTIONONLY,FUNCTION=1\n"), "on the ground"},
      {WITH("VFORCE/1,I=20,JFLOAT=10,FX=1\n"), "VFORCE needs RM=id"},
      {WITH("VFORCE/1,I=20,JFLOAT=10,RM=10,FUNCTION=USER(1)\n"), "by FUNCTION"},
      {WITH("VFORCE/1,I=20,JFLOAT=10,RM=10,FX=USER(1)\n"), "a function that is not read: 'USER'"},
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    char *model = NULL, *report = NULL, message[HN_MESSAGE] = "";
    hn_status status =
        hn_import_text(text[i][0], strlen(text[i][0]), "a.adm", false, &model, &report, message);
    if (!CHECK(status != HN_OK && strstr(message, text[i][1]) && strncmp(message, "a.adm", 5) == 0))
      printf("  %s\n  expected: %s\n", message, text[i][1]);
    free(model), free(report);
  }
}

static void wrong_expressions(void) {
  static const char *const text[][2] = {
      {"1+", "a number or name expected"},
      {"1+)", "a number or name expected"},
      {"(1", "')' expected"},
      {"SIN(1", "')' expected"},
      {"1 2 3 X", "no number"},
      {"1..2", "not a finite number"},
      {"2Q", "no number: '2'"},
      {"1(2)", "an operator expected"},
      {"X", "a quantity that is not read: 'X'"},
      {"AX(20,10)", "a function that is not read: 'AX'"},
      {"DM(20,11)", "a quantity of the motion that is not read: 'DM'"},
      {"AZ(20,10)", "a quantity of the motion that is not read: 'AZ'"},
      {"SIN(1,2)", "a function that is not read: 'SIN'"},
      {"STEP(1,2,3,4,5,6,7,8,9)", "too many arguments of 'STEP'"},
      {"ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ", "no name"},
      {"0.00000000000000000000000000000000000000000000000000000000000000001", "no number"},
  };
  char dataset[20000], deep[16000] = "";
  for (size_t i = 0; i < sizeof text / sizeof *text + 2; i++) {
    char *model = NULL, *report = NULL, message[HN_MESSAGE] = "";
    const char *formula = i < sizeof text / sizeof *text ? text[i][0] : deep;
    const char *expected = i < sizeof text / sizeof *text ? text[i][1] : "nested too deep";
    if (formula == deep) memset(deep, '(', 200);
    // every STEP has its argument twice
    if (i > sizeof text / sizeof *text) {
      deep[0] = 0;
      for (int k = 0; k < 20; k++) strcat(deep, "STEP(");
      strcat(deep, "TIME");
      for (int k = 0; k < 20; k++) strcat(deep, ",0,0,1,1)");
      expected = "too long an expression";
    }
    snprintf(dataset, sizeof dataset, WITH("SFORCE/1,TRANS,I=20,J=10,FUNCTION=%s\n"), formula);
    hn_status status =
        hn_import_text(dataset, strlen(dataset), "a.adm", false, &model, &report, message);
    if (!CHECK(status != HN_OK && strstr(message, expected)))
      printf("  %s\n  expected: %s\n", message, expected);
    free(model), free(report);
  }
}

// text that no dataset has: cut off anywhere, zero bytes, endless lists
static void hostile_text(void) {
  const char *whole = twins[6].adams;
  char *model = NULL, *report = NULL, message[HN_MESSAGE] = "", many[4000] = WITH("PART/3,QG=1");
  for (size_t n = 0; n <= strlen(whole); n++) {
    for (int lenient = 0; lenient < 2; lenient++) {
      char *text = malloc(n + 1);
      if (!text) return;
      memcpy(text, whole, n);
      hn_status status = hn_import_text(text, n, "a.adm", lenient, &model, &report, message);
      CHECK(status == HN_OK ? model != NULL : strncmp(message, "a.adm", 5) == 0);
      free(text), free(model), free(report);
    }
  }
  CHECK(hn_import_text("a\0b", 3, "a.adm", false, &model, &report, message) != HN_OK &&
        strstr(message, "zero byte"));
  for (int i = 0; i < 600; i++) strcat(many, ",1");
  CHECK(hn_import_text(many, strlen(many), "a.adm", false, &model, &report, message) != HN_OK &&
        strstr(message, "more than 500 arguments"));
}

// what is left out and ignored is told with its line
static void report_of_it(void) {
  char *model = NULL, *report = NULL, message[HN_MESSAGE] = "";
  const char *text = WITH("GRAPHICS/1,BOX\nJOINT/1,REV,I=20,J=10,IC=1,2\nBUSHING/1,I=20,J=10\n"
                          "PART/3,MASS=1,CM=30,IP=1,1,1,EXACT=X:Y\nMARKER/30,PART=3\nEND\n");
  CHECK(hn_import_text(text, strlen(text), "a.adm", true, &model, &report, message) == HN_OK);
  CHECK(report && strstr(report, "a.adm:8:1: ignored: GRAPHICS") &&
        strstr(report, "a.adm:10:1: left out: the statement BUSHING") &&
        strstr(report, "a.adm:9:1: left out: IC: initial conditions") &&
        strstr(report, "a.adm:11:1: ignored: EXACT") &&
        strstr(report, "2 links and 1 joints read as 2 bodies; 0 approximated, 2 ignored, 2 left"));
  CHECK(model && strstr(model, "name: a_title__of_any_words\n"));
  free(model), free(report);
}

int main(void) {
  RUN(moves_as_its_twin);
  RUN(file_of_an_arm);
  RUN(units_are_those_of_the_file);
  RUN(motions);
  RUN(thread);
  RUN(refusals);
  RUN(wrong_expressions);
  RUN(hostile_text);
  RUN(report_of_it);
  return test_end();
}
