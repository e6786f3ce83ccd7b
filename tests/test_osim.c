// test_osim.c: OpenSim files move as the same mechanism written as MJCF, whose reading is compared
// with an independent engine (test_robots.c).
#include "test.h"

#include "robot_rig.h"

#define OSIM(bodies, joints, rest)                                                                 \
  "<OpenSimDocument Version='40500'><Model name='m'><gravity>0 -9.8 0.5</gravity><BodySet "        \
  "name='bodyset'><objects>" bodies "</objects><groups/></BodySet><JointSet><objects>" joints      \
  "</objects></JointSet>" rest "</Model></OpenSimDocument>"
#define MJCF(bodies, rest)                                                                         \
  "<mujoco><compiler angle='radian' eulerseq='xyz'/><option gravity='0 -9.8 "                      \
  "0.5'/><worldbody>" bodies "</worldbody>" rest "</mujoco>"

// a body of each notation
#define BODY(name, mass, com)                                                                      \
  "<Body name='" name "'><mass>" mass "</mass><mass_center>" com "</mass_center>"                  \
  "<inertia>0.03 0.04 0.05 0.001 0.002 -0.003</inertia></Body>"
#define MASS(mass, com)                                                                            \
  "<inertial mass='" mass "' pos='" com "' fullinertia='0.03 0.04 0.05 0.001 0.002 -0.003'/>"

// the two frames of a joint; `p` and `c` are names of bodies
#define JOINT(type, name, p, at, turn, c, at_c, turn_c, inner)                                     \
  "<" type " name='" name "'><socket_parent_frame>" name "_p</socket_parent_frame>"                \
  "<socket_child_frame>" name "_c</socket_child_frame>" inner "<frames><PhysicalOffsetFrame "      \
  "name='" name "_p'><socket_parent>" p "</socket_parent><translation>" at                         \
  "</translation><orientation>" turn "</orientation></PhysicalOffsetFrame><PhysicalOffsetFrame "   \
  "name='" name "_c'><socket_parent>" c "</socket_parent><translation>" at_c                       \
  "</translation><orientation>" turn_c "</orientation></PhysicalOffsetFrame></frames></" type ">"
#define COORDINATES(list) "<coordinates>" list "</coordinates>"
#define COORDINATE(name, value, speed)                                                             \
  "<Coordinate name='" name "'><default_value>" value                                              \
  "</default_value><default_speed_value>" speed                                                    \
  "</default_speed_value><range>-2 2</range></Coordinate>"
#define AXIS(which, name, axis, function)                                                          \
  "<TransformAxis name='" which "'><coordinates>" name "</coordinates><axis>" axis                 \
  "</axis><function>" function "</function></TransformAxis>"
#define LINE(slope, value)                                                                         \
  "<LinearFunction><coefficients> " slope " " value "</coefficients></LinearFunction>"
#define CONSTANT(value) "<Constant><value>" value "</value></Constant>"

typedef struct twin {
  const char *name, *osim, *mjcf;
} twin;

static const twin twins[] = {
    {"pin and slider with turned frames",
     OSIM(BODY("a", "2", "0.1 0.2 0.3") BODY("b", "1", "0 0.1 0"),
          JOINT("PinJoint", "j", "/ground", "0.1 0.2 0.3", "0.3 0.2 0.1", "/bodyset/a",
                "0.05 -0.02 0.07", "0 0 0", COORDINATES(COORDINATE("q", "0.4", "1.5")))
              JOINT("SliderJoint", "s", "/bodyset/a", "0 -0.5 0", "0.1 0 -0.4", "/bodyset/b",
                    "0 0 0.2", "0 0 0.7", COORDINATES(COORDINATE("x", "0.2", "-0.3"))),
          ""),
     MJCF("<frame pos='0.1 0.2 0.3' euler='0.3 0.2 0.1'><body name='a' pos='-0.05 0.02 -0.07'>"
          "<joint name='q' pos='0.05 -0.02 0.07' axis='0 0 1'/>" MASS(
              "2", "0.1 0.2 0.3") "<frame pos='0 -0.5 0' euler='0.1 0 -0.4'><body name='b' pos='0 "
                                  "0 -0.2' euler='0 0 -0.7'>"
                                  "<joint name='x' type='slide' axis='0.764842187284488 "
                                  "0.644217687237691 0'/>" MASS(
                                      "1", "0 0.1 0") "</body></frame></body></frame>",
          "<keyframe><key qpos='0.4 0.2' qvel='1.5 -0.3'/></keyframe>")},
    // shifts in the parent's frame, of which one is twice its coordinate, then turns; another turn
    // between them stays
    {"custom joint",
     OSIM(BODY("a", "2", "0.1 0.2 0.3"),
          JOINT("CustomJoint", "j", "/ground", "0.1 0.2 0.3", "0.2 0 0", "/bodyset/a", "0 0.1 0",
                "0 0 0",
                COORDINATES(COORDINATE("x", "0.1", "0.2") COORDINATE("r", "0.3", "0.7") COORDINATE(
                    "u", "-0.2", "0.4")) "<SpatialTransform>" AXIS("rotation1", "r", "0 0 1",
                                                                   LINE("1", "0.25"))
                    AXIS("rotation2", "", "1 0 0", CONSTANT("0.5")) AXIS(
                        "rotation3", "u", "0 2 0",
                        "<MultiplierFunction><function>" LINE(
                            "-1", "0.1") "</function><scale>2</scale></MultiplierFunction>")
                        AXIS("translation1", "x", "0 1 0",
                             LINE("2", "0")) AXIS("translation2", "", "1 0 0", CONSTANT("0.3"))
                            AXIS("translation3", "", "0 0 1", CONSTANT("0")) "</SpatialTransform>"),
          ""),
     MJCF("<frame pos='0.1 0.2 0.3' euler='0.2 0 0'><body name='carrier' pos='0.3 0 0'>"
          "<joint name='x' type='slide' axis='0 1 0'/><joint name='r' axis='0 0 1'/>"
          "<inertial mass='1e-9' pos='0 0 0' diaginertia='1e-12 1e-12 1e-12'/>"
          "<frame euler='0.5 0 0'><body name='a' pos='0 -0.1 0'><joint name='u' pos='0 0.1 0' "
          "axis='0 1 0'/>" MASS("2", "0.1 0.2 0.3") "</body></frame></body></frame>",
          "<keyframe><key qpos='0.2 0.55 0.6' qvel='0.4 0.7 -0.8'/></keyframe>")},
    // one coordinate along two axes: a thread
    {"thread",
     OSIM(BODY("a", "2", "0.1 0.2 0.3"),
          JOINT("CustomJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                COORDINATES(COORDINATE("q", "0.3", "0.7")) "<SpatialTransform>" AXIS(
                    "rotation1", "q", "0 1 0", LINE("1", "0"))
                    AXIS("translation1", "q", "0 1 0", LINE("0.1", "0.02")) "</SpatialTransform>"),
          ""),
     MJCF("<body name='a'><joint name='s' type='slide' axis='0 1 0'/><joint name='q' axis='0 1 "
          "0'/>" MASS("2", "0.1 0.2 0.3") "</body>",
          "<equality><joint joint1='s' joint2='q' polycoef='0.02 0.1 0 0 0'/></equality>"
          "<keyframe><key qpos='0.05 0.3' qvel='0.07 0.7'/></keyframe>")},
    {"welded by a constraint",
     OSIM(BODY("a", "2", "0.1 0.2 0.3") BODY("b", "1", "0 0.1 0"),
          JOINT("PinJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                COORDINATES(COORDINATE("q", "0", "0")))
              JOINT("FreeJoint", "f", "/ground", "0 0.5 0", "0 0 0", "/bodyset/b", "0 0 0", "0 0 0",
                    COORDINATES(COORDINATE("f1", "0", "0"))),
          "<ConstraintSet><objects><WeldConstraint name='w'><socket_frame1>w1</socket_frame1>"
          "<socket_frame2>/bodyset/b</socket_frame2><frames><PhysicalOffsetFrame name='w1'>"
          "<socket_parent>/bodyset/a</socket_parent><translation>0 0.5 0</translation>"
          "</PhysicalOffsetFrame></frames></WeldConstraint></objects></ConstraintSet>"),
     MJCF("<body name='a'><joint name='q' axis='0 0 1'/>" MASS(
              "2", "0.1 0.2 0.3") "<body name='b' pos='0 0.5 0'>" MASS("1",
                                                                       "0 0.1 0") "</body></body>",
          "")},
    {"universal, gimbal and planar joints",
     OSIM(BODY("a", "2", "0.1 0 0") BODY("b", "1", "0 0.1 0") BODY("c", "1.5", "0 0 0.1"),
          JOINT("PlanarJoint", "p", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                COORDINATES(COORDINATE("pr", "0.3", "0.6") COORDINATE("px", "0.1", "0.5")
                                COORDINATE("py", "0.2", "-0.4")))
              JOINT("UniversalJoint", "v", "/bodyset/a", "0.4 0 0", "0 0 0", "/bodyset/b", "0 0 0",
                    "0 0 0", COORDINATES(COORDINATE("v1", "0.2", "1") COORDINATE("v2", "0.1", "2")))
                  JOINT("GimbalJoint", "g", "/bodyset/b", "0 0.4 0", "0 0 0", "/bodyset/c", "0 0 0",
                        "0 0 0",
                        COORDINATES(COORDINATE("g1", "0.2", "1") COORDINATE("g2", "0.1", "-1")
                                        COORDINATE("g3", "-0.3", "0.5"))),
          ""),
     MJCF(
         "<body name='a'><joint name='px' type='slide' axis='1 0 0'/><joint name='py' type='slide' "
         "axis='0 1 0'/><joint name='pr' axis='0 0 1'/>" MASS(
             "2", "0.1 0 0") "<body name='b' pos='0.4 0 0'><joint name='v1' axis='1 0 0'/><joint "
                             "name='v2' axis='0 1 "
                             "0'/>" MASS("1", "0 0.1 0") "<body name='c' pos='0 0.4 0'><joint "
                                                         "name='g1' axis='1 0 0'/>"
                                                         "<joint name='g2' axis='0 1 0'/><joint "
                                                         "name='g3' axis='0 0 1'/>" MASS(
                                                             "1.5",
                                                             "0 0 0.1") "</body></body></body>",
         "<keyframe><key qpos='0.1 0.2 0.3 0.2 0.1 0.2 0.1 -0.3' qvel='0.5 -0.4 0.6 1 2 1 -1 "
         "0.5'/></keyframe>")},
    // a body that no joint moves is free; one on a ball, welded to another
    {"ball, weld and free",
     OSIM(BODY("a", "2", "0.1 0 0") BODY("b", "1", "0 0.1 0") BODY("c", "1.5", "0 0 0.1")
              BODY("d", "1", "0 0 0"),
          JOINT("BallJoint", "k", "/ground", "0 1 0", "0 0 0.3", "/bodyset/a", "0 0 0", "0 0 0",
                COORDINATES(COORDINATE("k1", "0.4", "0") COORDINATE("k2", "0", "0") COORDINATE(
                    "k3", "0", "0"))) JOINT("WeldJoint", "w", "/bodyset/a", "0.2 0 0", "0 0 0.5",
                                            "/bodyset/b", "0 0 0", "0 0 0", "")
              JOINT("FreeJoint", "f", "/ground", "1 0 0", "0 0 0", "/bodyset/c", "0 0 0", "0 0 0",
                    COORDINATES(COORDINATE("f1", "0.3", "0") COORDINATE("f2", "0", "0")
                                    COORDINATE("f3", "0", "0") COORDINATE("f4", "0.1", "0")
                                        COORDINATE("f5", "0.2", "0") COORDINATE("f6", "0.3", "0"))),
          ""),
     MJCF(
         "<body name='a' pos='0 1 0' euler='0 0 0.3'><joint name='k' type='ball'/>" MASS(
             "2",
             "0.1 0 "
             "0") "<body name='b' pos='0.2 0 0' euler='0 0 0.5'>" MASS("1",
                                                                       "0 0.1 0") "</body></body>"
                                                                                  "<body name='c' "
                                                                                  "pos='1.1 0.2 "
                                                                                  "0.3' euler='0.3 "
                                                                                  "0 "
                                                                                  "0'><freejoint/"
                                                                                  ">" MASS(
                                                                                      "1.5",
                                                                                      "0 0 0.1") "<"
                                                                                                 "/"
                                                                                                 "b"
                                                                                                 "o"
                                                                                                 "d"
                                                                                                 "y"
                                                                                                 ">"
                                                                                                 "<"
                                                                                                 "b"
                                                                                                 "o"
                                                                                                 "d"
                                                                                                 "y"
                                                                                                 " "
                                                                                                 "n"
                                                                                                 "a"
                                                                                                 "m"
                                                                                                 "e"
                                                                                                 "="
                                                                                                 "'"
                                                                                                 "d"
                                                                                                 "'"
                                                                                                 ">"
                                                                                                 "<"
                                                                                                 "f"
                                                                                                 "r"
                                                                                                 "e"
                                                                                                 "e"
                                                                                                 "j"
                                                                                                 "o"
                                                                                                 "i"
                                                                                                 "n"
                                                                                                 "t"
                                                                                                 "/"
                                                                                                 ">" MASS(
                                                                                                     "1",
                                                                                                     "0 0 0") "</body>",
         "<keyframe><key qpos='0.98006657784124163 0.19866933079506122 0 0 1.1 0.2 0.3 "
         "0.98877107793604228 0.14943813247359922 0 0 0 0 0 1 0 0 0'/></keyframe>")},
    // loops and couplings, muscles aside
    {"constraints",
     OSIM(BODY("a", "2", "0.5 0 0") BODY("b", "1", "0.5 0 0") BODY("c", "1", "0.1 0 0"),
          JOINT("PinJoint", "ja", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                COORDINATES(COORDINATE("qa", "0", "0")))
              JOINT("PinJoint", "jb", "/ground", "0 1 0", "0 0 0", "/bodyset/b", "0 0 0", "0 0 0",
                    COORDINATES(COORDINATE("qb", "0", "0")))
                  JOINT("PinJoint", "jc", "/bodyset/a", "1 0 0", "0 0 0", "/bodyset/c", "0 0 0",
                        "0 0 0", COORDINATES(COORDINATE("qc", "0", "0"))),
          "<ConstraintSet><objects><PointConstraint name='loop'><socket_body_1>/bodyset/c"
          "</socket_body_1><socket_body_2>/bodyset/b</socket_body_2><location_body_1>0 1 0"
          "</location_body_1><location_body_2>1 0 0</location_body_2></PointConstraint>"
          "<CoordinateCouplerConstraint name='off'><isEnforced>false</isEnforced>"
          "</CoordinateCouplerConstraint></objects></ConstraintSet><ForceSet><objects>"
          "<Thelen2003Muscle name='m'/><CoordinateActuator name='act'/></objects></ForceSet>"),
     MJCF("<body name='a'><joint name='qa' axis='0 0 1'/>" MASS(
              "2", "0.5 0 0") "<body name='c' "
                              "pos='1 0 0'><joint "
                              "name='qc' axis='0 "
                              "0 1'/>" MASS("1", "0.1 0 0") "</"
                                                            "body"
                                                            "></"
                                                            "body"
                                                            "><"
                                                            "body"
                                                            " nam"
                                                            "e='"
                                                            "b' "
                                                            "pos="
                                                            "'0 "
                                                            "1 "
                                                            "0'><"
                                                            "join"
                                                            "t "
                                                            "name"
                                                            "='"
                                                            "qb' "
                                                            "axis"
                                                            "='0 "
                                                            "0 "
                                                            "1'/"
                                                            ">" MASS("1", "0.5 0 0") "</body>",
          "<equality><connect body1='c' body2='b' anchor='0 1 0'/></equality>")},
    {"coupled and locked",
     OSIM(BODY("a", "2", "0.5 0 0") BODY("b", "1", "0.5 0 0") BODY("c", "1", "0.1 0 0"),
          JOINT("PinJoint", "ja", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                COORDINATES(COORDINATE("qa", "0.2", "0.5")))
              JOINT("PinJoint", "jb", "/bodyset/a", "1 0 0", "0 0 0", "/bodyset/b", "0 0 0",
                    "0 0 0", COORDINATES(COORDINATE("qb", "0", "0")))
                  JOINT("PinJoint", "jc", "/bodyset/b", "1 0 0", "0 0 0", "/bodyset/c", "0 0 0",
                        "0 0 0",
                        COORDINATES("<Coordinate name='qc'><default_value>0.3</default_value>"
                                    "<locked>true</locked></Coordinate>")),
          "<ConstraintSet><objects><CoordinateCouplerConstraint name='pair'>"
          "<coupled_coordinates_function>" LINE(
              "-2", "0.1") "</coupled_coordinates_function>"
                           "<independent_coordinate_names>qa</independent_coordinate_names>"
                           "<dependent_coordinate_name>qb</dependent_coordinate_name>"
                           "</CoordinateCouplerConstraint></objects></ConstraintSet>"),
     MJCF("<body name='a'><joint name='qa' axis='0 0 1'/>" MASS(
              "2", "0.5 0 0") "<body name='b' "
                              "pos='1 0 0'><joint "
                              "name='qb' axis='0 "
                              "0 1'/>" MASS(
                                  "1", "0.5 0 0") "<bod"
                                                  "y "
                                                  "name"
                                                  "='c'"
                                                  " pos"
                                                  "='1 "
                                                  "0 "
                                                  "0' "
                                                  "eule"
                                                  "r='"
                                                  "0 0 "
                                                  "0.3'"
                                                  ">" MASS("1", "0.1 0 0") "</body></body></body>",
          "<equality><joint joint1='qb' joint2='qa' polycoef='0.1 -2 0 0 0'/></equality>"
          "<keyframe><key qpos='0.2 -0.3' qvel='0.5 -1'/></keyframe>")},
};

// positions and velocities of bodies of the same name
static double difference(const run *a, const run *b, int *compared) {
  double *x = calloc((size_t)hn_column_count(a->sys) + 1, sizeof *x);
  double *y = calloc((size_t)hn_column_count(b->sys) + 1, sizeof *y), worst = 0;
  CHECK(hn_sim_row(a->sim, x) == HN_OK && hn_sim_row(b->sim, y) == HN_OK);
  *compared = 0;
  for (int i = 0; i < hn_column_count(a->sys); i++)
    for (int k = 0; k < hn_column_count(b->sys); k++) {
      const char *name = hn_column_name(a->sys, i), *dot = strchr(name, '.');
      if (!dot || !hn_word_in(dot, ".x .y .z .vx .vy .vz") ||
          strcmp(name, hn_column_name(b->sys, k)) != 0)
        continue;
      worst = fmax(worst, fabs(x[i] - y[k]));
      ++*compared;
    }
  free(x), free(y);
  return worst;
}

static void moves_as_its_twin(void) {
  for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
    run a, b;
    int compared = 0;
    bool good = start(&a, twins[i].osim, "a.osim");
    good = start(&b, twins[i].mjcf, "b.xml") && good;
    double first = good ? difference(&a, &b, &compared) : 1;
    good = good && hn_advance(a.sim, 0.4) == HN_OK && hn_advance(b.sim, 0.4) == HN_OK;
    double last = good ? difference(&a, &b, &compared) : 1;
    printf("%s: %.1e at the start, %.1e after 0.4 s, %d columns\n", twins[i].name, first, last,
           compared);
    CHECK(compared >= 6 && first < 1e-12 && last < 1e-7);
    stop(&a), stop(&b);
  }
}

static void refusals(void) {
  static const char *const text[][2] = {
      {"<OpenSimDocument Version='30000'><Model/></OpenSimDocument>", "files of OpenSim 4"},
      {"<OpenSimDocument Version='40000'/>", "there is no <Model>"},
      {"<OpenSimDocument Version='40000'><Model name='m'/></OpenSimDocument>", "no <Body>"},
      {OSIM(BODY("a", "-1", "0 0 0"), "", ""), "the mass is negative"},
      {OSIM(BODY("a", "x", "0 0 0"), "", ""), "mass"},
      {OSIM("<Body/>", "", ""), "must have name"},
      {OSIM("", "", "<length_units>inches</length_units>"), "length_units are meters"},
      {OSIM(BODY("a", "1", "0 0 0"), "<PinJoint name='j'/>", ""), "needs <socket_parent_frame>"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("PinJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/z", "0 0 0", "0 0 0", ""),
            ""),
       "no body named 'z'"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("PinJoint", "j", "/bodyset/y", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                  ""),
            ""),
       "no body named 'y'"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("PinJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0", ""),
            ""),
       "needs its <Coordinate>"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("EllipsoidJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0",
                  "0 0 0", ""),
            ""),
       "<EllipsoidJoint> is not read"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("PinJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                  COORDINATES("<Coordinate name='q'><prescribed>true</prescribed></Coordinate>")),
            ""),
       "a prescribed coordinate"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("CustomJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                  ""),
            ""),
       "needs <SpatialTransform>"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("CustomJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                  "<SpatialTransform>" AXIS("rotation1", "q", "0 0 0",
                                            LINE("1", "0")) "</SpatialTransform>"),
            ""),
       "not all zero"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("CustomJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                  "<SpatialTransform>" AXIS("rotation1", "q", "0 0 1",
                                            LINE("1", "0")) "</SpatialTransform>"),
            ""),
       "no coordinate named 'q'"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("CustomJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                  "<SpatialTransform>" AXIS("rotation1", "q", "0 0 1",
                                            "<SimmSpline/>") "</SpatialTransform>"),
            ""),
       "no straight line"},
      {OSIM(BODY("a", "1", "0 0 0"), "", "<ForceSet><objects><BushingForce/></objects></ForceSet>"),
       "<BushingForce> is not read"},
      {OSIM(BODY("a", "1", "0 0 0"), "",
            "<ConstraintSet><objects><RollingOnSurfaceConstraint/></objects></ConstraintSet>"),
       "<RollingOnSurfaceConstraint> is not read"},
      {OSIM(BODY("a", "1", "0 0 0"), "",
            "<ConstraintSet><objects><CoordinateCouplerConstraint/></objects></ConstraintSet>"),
       "coupled by no straight line"},
      {OSIM(BODY("a", "1", "0 0 0"), "",
            "<ConstraintSet><objects><CoordinateCouplerConstraint><coupled_coordinates_"
            "function>" LINE(
                "1", "0") "</coupled_coordinates_function></CoordinateCouplerConstraint></objects>"
                          "</ConstraintSet>"),
       "no coordinate named"},
      {OSIM(BODY("a", "1", "0 0 0"),
            JOINT("WeldJoint", "j", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0", "")
                JOINT("WeldJoint", "k", "/ground", "0 0 0", "0 0 0", "/bodyset/a", "0 0 0", "0 0 0",
                      ""),
            ""),
       "a second joint of the body 'a'"},
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    char *model = NULL, *report = NULL, message[HN_MESSAGE] = "";
    hn_status status =
        hn_import_text(text[i][0], strlen(text[i][0]), "x.osim", false, &model, &report, message);
    if (!CHECK(status != HN_OK && strstr(message, text[i][1])))
      printf("  %s\n  expected: %s\n", message, text[i][1]);
    free(model), free(report);
  }
}

// what is left out and ignored is told with its line
static void report_of_it(void) {
  char *model = NULL, *report = NULL, message[HN_MESSAGE] = "";
  const char *text = twins[6].osim;
  CHECK(hn_import_text(text, strlen(text), "x.osim", false, &model, &report, message) == HN_OK);
  CHECK(report && strstr(report, "muscle 'm'") && strstr(report, "2 ignored, 0 left out"));
  CHECK(model && strstr(model, "range -2 to 2"));
  free(model), free(report);
  // with what cannot be read left out
  text =
      OSIM(BODY("a", "1", "0 0 0"), "", "<ForceSet><objects><BushingForce/></objects></ForceSet>");
  CHECK(hn_import_text(text, strlen(text), "x.osim", true, &model, &report, message) == HN_OK);
  CHECK(report && strstr(report, "x.osim:1:") && strstr(report, "1 left out"));
  free(model), free(report);
}

int main(void) {
  RUN(moves_as_its_twin);
  RUN(refusals);
  RUN(report_of_it);
  return test_end();
}
