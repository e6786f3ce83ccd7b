// test_robot_motion.c: what moves in robot files as their formats say: limits, friction, contact.
#include "contact_rig.h"

#include "robot_texts.h"
#include "robots/import.h"
#include "sim/sim.h"

#include <holon/holon.h>

// ---- limits and friction -------------------------------------------------------------------

static rig open_text(const char *text) {
  char message[HN_MESSAGE] = "", *model = NULL, *report = NULL;
  rig r = {.status = HN_ERR_MODEL};
  if (CHECK(hn_import_text(text, strlen(text), "r.xml", false, &model, &report, message) == HN_OK))
    r = rig_open(model, (how){0});
  else
    printf("  %s\n", message);
  free(model), free(report);
  rig_ready(&r);
  return r;
}

#define SLIDE(joint, sections)                                                                     \
  "<mujoco><option gravity='0 0 0'/>" sections                                                     \
  "<worldbody><body name='b'><joint name='j' type='slide' axis='1 0 0' " joint                     \
  "/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body></worldbody>"                      \
  "<keyframe><key qvel='1.5'/></keyframe></mujoco>"

// a slide that runs into the end of its range stays there; one that rubs stops after m v / F and
// m v^2 / 2 F, and stays as well
static void ends_of_motion(void) {
  static const struct {
    const char *text;
    double t[2], x[2];
  } cases[] = {
      {SLIDE("range='-1 0.6'", ""), {0.2, 2}, {0.3, 0.6}},
      {SLIDE("range='-1 0.6'", "<option><flag limit='disable'/></option>"), {0.2, 2}, {0.3, 3}},
      {SLIDE("frictionloss='3'", ""), {0.5, 4}, {1.5 * 0.5 - 0.75 * 0.25, 0.75}},
      {SLIDE("frictionloss='3'", "<option><flag frictionloss='disable'/></option>"),
       {0.5, 4},
       {0.75, 6}},
  };
  for (int i = 0; i < 4; i++) {
    rig r = open_text(cases[i].text);
    for (int k = 0; k < 2 && r.sim && rig_go(&r, cases[i].t[k]); k++) {
      double rate;
      CHECK_NEAR(rig_value(&r, "j", &rate), cases[i].x[k], 1e-9);
      if (k == 1 && i % 2 == 0) CHECK_NEAR(rate, 0, 1e-12);
    }
    rig_close(&r);
  }
}

#define DROP(way, limit)                                                                           \
  "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>2</mass></inertial></link>"   \
  "<joint name='j' type='prismatic'><parent>world</parent><child>a</child><axis><xyz>0 0 " way     \
  "</xyz><limit>" limit "</limit></axis></joint></model></sdf>"

// a limit to one side only: a mass that falls comes to rest there, or falls on
static void limits_to_one_side(void) {
  static const struct {
    const char *text;
    double x;
  } cases[] = {{DROP("1", "<lower>-0.5</lower>"), -0.5},
               {DROP("-1", "<upper>0.5</upper>"), 0.5},
               {DROP("1", "<upper>0.5</upper>"), -4.9}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r = open_text(cases[i].text);
    if (r.sim && rig_go(&r, 1)) CHECK_NEAR(rig_value(&r, "j", NULL), cases[i].x, 1e-9);
    rig_close(&r);
  }
}

// A rod that falls from the horizontal, of 1 kg with its centre at 1 m and 4/3 kg m^2 about its
// hinge. A torque of 10 N m holds it, one of 8 lets it go; then w^2/2 * 4/3 = 9.81 sin(x) - 8 x. It
// comes to rest where that is zero, or at its limit
#define ROD(inner)                                                                                 \
  "<robot name='r'><link name='base'/><link name='arm'><inertial><origin xyz='1 0 0'/><mass "      \
  "value='1'/><inertia ixx='0.01' iyy='0.333333333333333333' izz='0.333333333333333333'/>"         \
  "</inertial></link><joint name='j' type='revolute'><parent link='base'/><child link='arm'/>"     \
  "<axis xyz='0 1 0'/>" inner "</joint></robot>"
#define UP_TO(x) "<limit lower='-1' upper='" x "' effort='1' velocity='1'/>"
static void rods_fall(void) {
  double rest = 1.5;
  for (int i = 0; i < 50; i++) rest -= (9.81 * sin(rest) - 8 * rest) / (9.81 * cos(rest) - 8);
  const struct {
    const char *text;
    double end;
  } cases[] = {{ROD("<dynamics friction='10'/>"), 0},
               {ROD("<dynamics friction='8'/>"), rest},
               {ROD(UP_TO("0.7")), 0.7},
               {ROD("<dynamics friction='8'/>" UP_TO("0.7")), 0.7}};
  for (int i = 0; i < 4; i++) {
    rig r = open_text(cases[i].text);
    if (r.sim && rig_go(&r, 6)) {
      double rate;
      hn_impact hit;
      CHECK_NEAR(rig_value(&r, "j", &rate), cases[i].end, 1e-7);
      CHECK_NEAR(rate, 0, 1e-12);
      if (i == 2 && CHECK(hn_sim_impact(r.sim, 0, &hit)))
        CHECK_NEAR(fabs(hit.before), sqrt(2 * 9.81 * sin(0.7) * 0.75), 1e-7);
    }
    rig_close(&r);
  }
}

// starts beyond the limits: URDF tells none, MJCF does
static void starts_beyond(void) {
  char message[HN_MESSAGE];
  const char *urdf = ROD("<limit lower='0.5' upper='0.7' effort='1' velocity='1'/>");
  rig r = open_text(urdf);
  if (r.sim) CHECK_NEAR(rig_value(&r, "j", NULL), 0.6, 1e-12);
  rig_close(&r);
  CHECK(import(urdf, false, message) == HN_OK);
  CHECK(strstr(message, "approximated: 'j' starts at 0.6 rad: zero is beyond its limits") != NULL);
  CHECK(import(SLIDE("range='0.2 0.6'", ""), false, message) == HN_OK);
  CHECK(strstr(message, "starts at 0, beyond its limits 0.2 to 0.6, which are not enforced"));
  // at either end it is not beyond them
  static const char *const ends[] = {SLIDE("range='0 0.6'", ""), SLIDE("range='-0.6 0'", "")};
  for (int i = 0; i < 2; i++) {
    CHECK(import(ends[i], false, message) == HN_OK);
    CHECK(!strstr(message, "beyond its limits"));
  }
}

// ---- contact -------------------------------------------------------------------------------

#define FALLS(ground, geom)                                                                        \
  "<mujoco><compiler angle='radian'/><worldbody>" ground                                           \
  "<body name='b' pos='0 0 1'><freejoint/><geom name='ball' mass='2' " geom                        \
  "/></body></worldbody></mujoco>"
#define PLANE "<geom name='floor' type='plane' size='5 5 0.1' "

static double column_of(rig *r, const char *name) {
  double *row = calloc((size_t)hn_column_count(r->system) + 1, sizeof *row), x = NAN;
  CHECK(hn_sim_row(r->sim, row) == HN_OK);
  for (int i = 0; i < hn_column_count(r->system); i++)
    if (!strcmp(hn_column_name(r->system, i), name)) x = row[i];
  free(row);
  return x;
}

// what falls comes to rest where it must: on the surface, or as deep in it as its weight presses
static void falls(void) {
  static const struct {
    const char *text;
    double height, tolerance;
  } cases[] = {
      {FALLS(PLANE "condim='1'/>", "size='0.1' condim='1'"), 0.1, 1e-9},
      {FALLS(PLANE "condim='1'/>", "type='capsule' size='0.1 0.3' euler='0 1.5707963267948966 0' "
                                   "condim='1'"),
       0.1, 1e-9},
      {FALLS(PLANE "condim='1'/>", "type='box' size='0.2 0.1 0.15' condim='1'"), 0.15, 1e-9},
      // 2 kg on springs of 2 kg / (0.02 s)^2: four corners, one ball
      {FALLS(PLANE "/>", "type='box' size='0.2 0.1 0.15'"), 0.15 - 9.81 * 1e-4, 1e-6},
      {FALLS("<geom type='box' size='1 1 0.2' condim='1'/>", "size='0.1' condim='1'"), 0.3, 1e-9},
      {FALLS("<geom type='capsule' size='0.2 1' euler='1.5707963267948966 0 0' condim='1'/>",
             "size='0.1' condim='1'"),
       0.3, 1e-9},
      {FALLS("<geom size='0.25' condim='1'/>", "size='0.1' condim='1'"), 0.35, 1e-9},
      {FALLS(PLANE "/>", "size='0.1'"), 0.1 - 9.81 * 0.02 * 0.02, 1e-6},
      {FALLS(PLANE "friction='0'/>", "size='0.1' friction='0'"), 0.1, 1e-9},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    rig r = open_text(cases[i].text);
    if (r.sim && rig_go(&r, 1.5) &&
        !CHECK_NEAR(column_of(&r, "b.z"), cases[i].height, cases[i].tolerance))
      printf("  case %zu\n", i);
    rig_close(&r);
  }
}

// a box on a slope of 0.5 rad slides as Coulomb's law says; where it should hold it creeps with the
// speed at which smooth friction bears it, 1 mm/s artanh(tan(0.5)/0.6)
static void slides(void) {
#define SLOPE(mu)                                                                                  \
  "<mujoco><compiler angle='radian'/><worldbody><geom type='plane' size='5 5 1' euler='0 0.5 0' "  \
  "friction='" mu "'/><body name='b' pos='0.0479425538604203 0 0.08775825618903728' "              \
  "euler='0 0.5 0'><freejoint/><geom type='box' size='0.2 0.2 0.1' friction='" mu                  \
  "'/></body></worldbody></mujoco>"
  static const char *const text[] = {SLOPE("0.6"), SLOPE("0.4")};
  for (int i = 0; i < 2; i++) {
    rig r = open_text(text[i]);
    double rate = i ? 9.81 * (sin(0.5) - 0.4 * cos(0.5)) : 1e-3 * atanh(tan(0.5) / 0.6);
    if (r.sim && rig_go(&r, 1)) {
      double before = column_of(&r, "b.vx"), x = column_of(&r, "b.x");
      if (i == 0) CHECK_NEAR(before / cos(0.5), rate, 1e-6);
      if (rig_go(&r, 1.5) && i)
        CHECK_NEAR((column_of(&r, "b.vx") - before) / cos(0.5), 0.5 * rate, 1e-6);
      CHECK(column_of(&r, "b.x") > x);
    }
    rig_close(&r);
  }
}

// who meets whom: masks, pairs, exclusions, relatives
static void meetings(void) {
#define TWO(geom, more)                                                                            \
  "<mujoco><worldbody>" PLANE "/><body name='b' pos='0 0 1'><freejoint/><geom name='g' size='0.1'" \
  " condim='1' " geom "/></body></worldbody>" more "</mujoco>"
  static const struct {
    const char *text;
    int stops, yielding;
  } cases[] = {{TWO("", ""), 0, 1},
               {TWO("contype='0' conaffinity='0'", ""), 0, 0},
               {TWO("contype='2' conaffinity='2'", ""), 0, 0},
               {TWO("contype='2' conaffinity='3'", ""), 0, 1},
               {TWO("contype='0' conaffinity='0'",
                    "<contact><pair geom1='g' geom2='floor' condim='1'/></contact>"),
                1, 0},
               {TWO("", "<contact><exclude body1='world' body2='b'/></contact>"), 0, 0},
               {TWO("", "<option><flag contact='disable'/></option>"), 0, 0},
               {WORLD("<joint/><geom size='1'/><body><joint/><geom size='1'/></body>", ""), 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char message[HN_MESSAGE] = "", *model = NULL, *report = NULL;
    int stops = 0, yielding = 0;
    const char *text = cases[i].text;
    CHECK(hn_import_text(text, strlen(text), "r.xml", false, &model, &report, message) == HN_OK);
    for (const char *s = model; s && (s = strstr(s, "type: stop")); s++) stops++;
    for (const char *s = model; s && (s = strstr(s, "type: contact")); s++) yielding++;
    if (!CHECK(stops == cases[i].stops && yielding == cases[i].yielding))
      printf("  case %zu: %d stops, %d yielding; %s\n", i, stops, yielding, message);
    free(model), free(report);
  }
}

int main(void) {
  RUN(ends_of_motion);
  RUN(limits_to_one_side);
  RUN(rods_fall);
  RUN(starts_beyond);
  RUN(falls);
  RUN(slides);
  RUN(meetings);
  return test_end();
}
