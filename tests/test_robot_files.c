// test_robot_files.c: what is refused of robot files, what is written for them, and damaged ones.
#include "test.h"

#include "base/file.h"
#include "model/model.h"
#include "robot_texts.h"
#include "robots/import.h"

#include <dirent.h>
#include <holon/holon.h>

// ---- what is refused -----------------------------------------------------------------------

// text, and what the message must say: place and reason
static const char *const refused[][2] = {
    {"<robot", "r.urdf:1:1: "},
    {"<robot></mujoco>", "mismatched tag"},
    {"<sbml/>", "r.urdf:1:1: <sbml> is neither"},
    {"<!DOCTYPE r [<!ENTITY a 'b'>]><robot name='&a;'/>", "declares an entity"},
    {"<!DOCTYPE r [<!ENTITY a SYSTEM '/etc/passwd'>]><robot name='x'/>", "declares an entity"},
    {"<robot name='r'/>", "there is no root link"},
    {"<robot name='r'><link/></robot>", "r.urdf:1:17: <link> must have name="},
    {ARM(JOINT("continuous", "<axis xyz='0 nan 1'/>")), "not a finite number: 'nan'"},
    {ARM(JOINT("continuous", "<axis xyz='0 inf 1'/>")), "not a finite number: 'inf'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1e999 1'/>")), "not a finite number: '1e999'"},
    {ARM(JOINT("continuous", "<axis xyz='0 2*3 1'/>")), "not a finite number: '2*3'"},
    {ARM(JOINT("continuous", "<axis xyz='0 5-3 1'/>")), "not a finite number: '5-3'"},
    {ARM(JOINT("continuous", "<axis xyz='0 --5 1'/>")), "not a finite number: '--5'"},
    {ARM(JOINT("continuous", "<axis xyz='0 +-5 1'/>")), "not a finite number: '+-5'"},
    {ARM(JOINT("continuous", "<axis xyz='0 . 1'/>")), "not a finite number: '.'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1e 1'/>")), "not a finite number: '1e'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1e+ 1'/>")), "not a finite number: '1e+'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1x 1'/>")), "not a finite number: '1x'"},
    {ARM(JOINT("continuous", "<axis xyz='0 1'/>")), "3 numbers expected, 2 found"},
    {ARM(JOINT("continuous", "<axis xyz='0 1 2 3'/>")), "too many numbers"},
    {ARM(JOINT("continuous", "<axis xyz='0 0 0'/>")), "the axis has no length"},
    {ARM(JOINT("continuous", "<dynamics damping='-1'/>")), "is negative"},
    {ARM(JOINT("revolute", "<limit lower='1' upper='-1'/>")), "lower is above upper"},
    {ARM(JOINT("revolute", "<limit lower='1' upper='1'/>")),
     "'j' has no range: lower and upper are both 1 (is it 'fixed'?)"},
    {WORLD("<joint name='j' range='2 1'/>", ""), "its ends are not in order"},
    {ARM(JOINT("continuous", "<mimic joint='k'/>")), "no moving joint named 'k'"},
    {ARM(JOINT("continuous", "<mimic joint='j'/>")), "couples other than two"},
    {"<robot name='r'><link name='base'/><link name='arm'>" INERTIAL
     "</link><link name='hand'>" INERTIAL "</link>" JOINT(
         "continuous",
         "<mimic joint='k' offset='1'/>") "<joint name='k' "
                                          "type='continuous'><parent link='arm'/><child "
                                          "link='hand'/><mimic joint='j'/></joint></robot>",
     "'j_mimic' wants 'j' at 2, where other couplings have it at 1"},
    {ARM(JOINT("helical", "")), "has a type that is not read: 'helical'"},
    {ARM(""), "'base' and 'arm' are not connected"},
    {ARM("<joint name='j' type='fixed'><parent link='base'/></joint>"), "needs <parent> and"},
    {ARM("<joint name='j' type='fixed'><parent link='base'/><child link='leg'/></joint>"),
     "joint 'j': no link named 'leg'"},
    {ARM(JOINT("fixed", "") JOINT("fixed", "")), "has two parents"},
    {ARM("<joint name='j' type='fixed'><parent link='arm'/><child link='base'/></joint>"
         "<joint name='k' type='fixed'><parent link='base'/><child link='arm'/></joint>"),
     "there is no root link"},
    {"<robot><link name='a'/><link name='a'/></robot>", "a second link named 'a'"},
    {"<robot><link name='base'/><link name='arm'/>" JOINT("continuous", "") "</robot>",
     "neither it nor what hangs on it has mass"},
    {"<robot><link name='base'/><link name='arm'><inertial><mass "
     "value='-1'/></inertial></link>" JOINT("continuous", "") "</robot>",
     "the mass is negative"},
    {"<robot><link name='base'/><link name='arm'><inertial><mass value='1'/><inertia ixx='1' "
     "iyy='1' izz='9'/></inertial></link>" JOINT("continuous", "") "</robot>",
     "no distribution of mass"},
    {ARM(JOINT("continuous", "") "<loop name='l' type='revolute'><predecessor link='arm'/></loop>"),
     "needs <successor>"},
    {ARM(JOINT("continuous", "") "<loop_joint name='l'><link1 link='arm'/><link2 link='x'/>"
                                 "</loop_joint>"),
     "no link named 'x'"},
    {ARM(JOINT("continuous", "") "<coupling name='c'/>"), "<coupling> is not read"},
    {ARM(JOINT("continuous", "") "<drake:linear_bushing_rpy/>"), "is not read"},
    // SDFormat
    {"<sdf/>", "there is no <model>"},
    {"<sdf><model name='m'/></sdf>", "there is no <link>"},
    {"<sdf><model name='m'><link/></model></sdf>", "<link> must have name="},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>x</child></joint>"),
     "no link named 'x'"},
    {SDF("<joint name='j' type='revolute'><child>a</child></joint>"), "<joint> needs <parent>"},
    {SDF("<joint name='j' type='screw'><parent>world</parent><child>a</child></joint>"),
     "a screw needs <screw_thread_pitch>"},
    {SDF("<joint name='j' type='gearbox'><parent>world</parent><child>a</child></joint>"),
     "has a type that is not read: 'gearbox'"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 0"
         "</xyz></axis></joint>"),
     "the axis has no length"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0"
         "</xyz></axis></joint>"),
     "3 numbers expected, 2 found"},
    {SDF("<link name='b'><pose relative_to='c'>0 0 0 0 0 0</pose></link>"),
     "there is no link, frame or joint 'c'"},
    {SDF("<link name='b'><pose relative_to='c'>0 0 0 0 0 0</pose></link><link name='c'><pose "
         "relative_to='b'>0 0 0 0 0 0</pose></link>"),
     "is placed by itself"},
    {SDF("<frame name='f' attached_to='f'/><link name='b'><pose relative_to='f'>0 0 0 0 0 0</pose>"
         "</link>"),
     "'f' is placed by itself"},
    {SDF("<frame name='f' attached_to='f'/><joint name='j' type='revolute'><parent>world</parent>"
         "<child>f</child></joint>"),
     "no link named 'f'"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz "
         "expressed_in='g'>0 0 1</xyz></axis></joint>"),
     "there is no link, frame or joint 'g'"},
    {SDF("<include><uri>model://x</uri></include>"), "<include> in a model is not read"},
    {SDF("<link name='b'><inertial><mass>-1</mass></inertial></link>"), "the mass is negative"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 1"
         "</xyz><limit><lower>1</lower><upper>0</upper></limit></axis></joint>"),
     "limits of 'j': lower is above upper"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 1"
         "</xyz><dynamics><damping>-1</damping></dynamics></axis></joint>"),
     "negative"},
    {SDF("<link name='a'/>"), "a second link named 'a'"},
    {SDF("<link name='b'><inertial auto='true'/></link>"),
     "the inertia of 'b' is that of its coll"},
    {SDF("<link name='b'><velocity_decay><linear>0.1</linear></velocity_decay></link>"),
     "velocity_decay of 'b'"},
    {SDF("<link name='b'><kinematic>true</kinematic></link>"), "'b' is kinematic"},
    {SDF("<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis><xyz>0 0 1"
         "</xyz><mimic joint='k'/></axis></joint>"),
     "no moving joint named 'k'"},
    {SDF("") "<sdf/>", "junk after document"},
    // MJCF
    {"<mujoco/>", "there is no body"},
    {"<mujoco><include file='../x.xml'/></mujoco>", "leaves the folder of the model"},
    {"<mujoco><include file='a/../../x.xml'/></mujoco>", "leaves the folder of the model"},
    {"<mujoco><include file='/etc/passwd'/></mujoco>", "leaves the folder of the model"},
    {"<mujoco><include file='missing.xml'/></mujoco>", "include 'missing.xml' cannot be read"},
    {WORLD("<joint type='screw'/>", ""), "unknown type of joint: 'screw'"},
    {WORLD("<joint axis='0 0 0'/>", ""), "the axis has no length"},
    {WORLD("<joint damping='1 2'/>", ""), "damping that is not linear"},
    {WORLD("<joint damping='-1'/>", ""), "damping is negative"},
    {WORLD("<joint springdamper='1 1'/>", ""), "springdamper"},
    {WORLD("<joint class='x'/>", ""), "no default class named 'x'"},
    {WORLD("<joint/><freejoint/>", ""), "must be the only one of its body"},
    {WORLD("<joint type='ball' armature='1'/>", ""), "armature or frictionloss of a joint"},
    {WORLD("<joint/><geom type='torus'/>", ""), "unknown type of geom: 'torus'"},
    {WORLD("<joint/><composite/>", ""), "<composite> is not read"},
    {WORLD("<joint/>", "<compiler eulerseq='abc'/>"), "eulerseq must be three of"},
    {WORLD("<joint/>", "<compiler coordinate='global'/>"), "coordinate=\"global\" is not read"},
    {WORLD("<joint/>", "<option density='1'/>"), "forces of a fluid"},
    {WORLD("<joint/>", "<equality><connect body1='b'/></equality>"), "<connect> needs an anchor"},
    {WORLD("<joint/>", "<equality><connect body1='c' anchor='0 0 0'/></equality>"),
     "no body named 'c'"},
    {WORLD("<joint name='j'/>", "<equality><joint joint1='j' polycoef='0 0 1'/></equality>"),
     "is not linear"},
    {WORLD("<joint name='j'/>", "<actuator><muscle joint='j'/></actuator>"),
     "an actuator <muscle>"},
    {WORLD("<joint name='j'/>", "<actuator><position joint='j' dampratio='1'/></actuator>"),
     "with dampratio"},
    {WORLD("<joint name='j'/>", "<actuator><motor joint='k'/></actuator>"), "no joint named 'k'"},
    {WORLD("<joint name='j'/>", "<actuator><motor body='b'/></actuator>"), "other than a joint"},
    {WORLD("<joint name='j' actuatorfrcrange='-1 1'/>",
           "<actuator><motor joint='j'/><motor joint='j'/></actuator>"),
     "'j' has a range for the sum of its drives"},
    {WORLD("<joint name='j' actuatorfrcrange='-1 1'/>",
           "<tendon><fixed name='t'><joint joint='j'/></fixed></tendon><actuator><motor "
           "tendon='t'/></actuator>"),
     "'j' has a range for the sum of its drives"},
    {"<mujoco><contact><exclude body1='bal' body2='ball'/></contact><worldbody><geom type='plane' "
     "size='1 1 1'/><body name='ball'><freejoint/><geom type='sphere' size='1'/></body></worldbody>"
     "</mujoco>",
     "<exclude> body1: no body named 'bal'"},
    {WORLD("<joint name='j'/>", "<keyframe><key qpos='0 0'/></keyframe>"), "too many numbers"},
    {WORLD("<joint/><site name='s'/>",
           "<tendon><spatial><site site='s'/><pulley divisor='2'/></spatial></tendon>"),
     "<pulley> in a tendon"},
    {"<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><freejoint/><geom "
     "type='cylinder' size='1 1'/></body></worldbody></mujoco>",
     "contact of 1 pairs of geoms with what stands still"},
    {"<mujoco><worldbody><body><joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>",
     "mass of a mesh: no such mesh among the assets"},
    {"<mujoco><asset><mesh name='m' file='../m.stl'/></asset><worldbody><body><joint/><geom "
     "type='mesh' mesh='m'/></body></worldbody></mujoco>",
     "'../m.stl' leaves the folder of the robot file"},
};

// what looks like something that is refused, and is not
static const char *const taken[] = {
    WORLD("<joint springdamper='0 1'/>", ""),
    WORLD("<joint springdamper='1 0'/>", ""),
};

static void not_refused(void) {
  char message[HN_MESSAGE];
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
    if (!CHECK(import(taken[i], false, message) == HN_OK))
      printf("  %s\n  %s\n", taken[i], message);
}

static void refusals(void) {
  char message[HN_MESSAGE];
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    bool good = CHECK(import(refused[i][0], false, message) != HN_OK) &
                CHECK(strstr(message, refused[i][1]) != NULL) &
                CHECK(strncmp(message, "r.urdf:", 7) == 0);
    if (!good) printf("  %s\n  %s\n", refused[i][0], message);
  }
}

// the model file of a robot file; free() it
static char *written(const char *text, const char *file) {
  char *model = NULL, *report = NULL, message[HN_MESSAGE] = "";
  hn_status status = hn_import_text(text, strlen(text), file, false, &model, &report, message);
  if (!CHECK(status == HN_OK)) printf("  %s\n", message);
  free(report);
  return model;
}

static void check_written(const char *text, const char *const *lines) {
  char *model = written(text, "r.urdf");
  for (; model && *lines; lines++)
    if (!CHECK(strstr(model, *lines) != NULL)) printf("  %s\n%s", *lines, model);
  free(model);
}

// what joints follow may follow others itself, in whatever order they stand: j3 is at 0, j2 at 0.5
// and j1 at twice that
static void followers(void) {
  static const char urdf[] =
      "<robot name='r'><link name='base'/><link name='a'>" INERTIAL
      "</link><link name='b'>" INERTIAL "</link><link name='c'>" INERTIAL "</link>"
      "<joint name='j1' type='continuous'><parent link='base'/><child link='a'/>"
      "<mimic joint='j2' multiplier='2'/></joint>"
      "<joint name='j2' type='continuous'><parent link='a'/><child link='b'/>"
      "<mimic joint='j3' offset='0.5'/></joint>"
      "<joint name='j3' type='continuous'><parent link='b'/><child link='c'/></joint></robot>";
  static const char *const lines[] = {
      "  j1: {type: revolute, b: a, at: [0, 0, 0], axis: [1, 0, 0], value: 1}",
      "  j2: {type: revolute, a: a, b: b, at: [0, 0, 0], axis: [1, 0, 0], value: 0.5}",
      "  j3: {type: revolute, a: b, b: c, at: [0, 0, 0], axis: [1, 0, 0]}", NULL};
  check_written(urdf, lines);
}

// Older files: gravity stands with the physics, axes count in the model, poses in what `frame`
// names. b is turned by a quarter about z, so that x of the model is -y of it. b follows c as 2 (c
// - 0.25) + 1, c starting at 0
static void older_sdf(void) {
  static const char quarter[] = "0 0 0 0 0 1.5707963267948966";
  char text[2000];
  snprintf(text, sizeof text,
           "<sdf version='1.4'><world name='w'><physics><gravity>0 0 -1.5</gravity></physics>"
           "<model name='r'><link name='a'><gravity>0</gravity></link>"
           "<link name='b'><pose>%s</pose></link>"
           "<link name='c'><pose frame='b'>1 0 0 0 0 0</pose></link>"
           "<joint name='jb' type='revolute'><parent>a</parent><child>b</child><axis><xyz>1 0 0"
           "</xyz><mimic joint='jc'><multiplier>2</multiplier><reference>0.25</reference>"
           "<offset>1</offset></mimic></axis></joint>"
           "<joint name='jc' type='prismatic'><parent>b</parent><child>c</child><axis><xyz>0 0 1"
           "</xyz></axis></joint></model></world></sdf>",
           quarter);
  char *model = written(text, "r.sdf");
  hn_model *m = hn_model_create();
  if (CHECK(model && hn_model_parse(m, model, strlen(model), "r.yaml") == HN_OK)) {
    const hn_joint_def *jb = &m->joint[hn_model_find_joint(m, "jb")].def;
    const hn_body_def *c = &m->body[hn_model_find_body(m, "c")].def;
    CHECK_NEAR(m->gravity[2], -1.5, 0);
    // about x of the model, which the turn about it keeps
    CHECK_NEAR(jb->axis[0], 1, 1e-15);
    CHECK_NEAR(jb->value, 0.5, 1e-15);
    // one metre along x of b: y of the model, turned by half a radian about x
    CHECK_NEAR(c->position[0], 0, 1e-15);
    CHECK_NEAR(c->position[1], cos(0.5), 1e-15);
    CHECK_NEAR(c->position[2], sin(0.5), 1e-15);
    int lift = hn_model_find_force(m, "a_lift");
    CHECK(lift >= 0 && strcmp(m->force[lift].def.components[2], "1.5") == 0);
  }
  hn_model_destroy(m);
  free(model);
}

// a file of loops beside the robot file that cannot be understood is no file without loops
static void broken_loops(void) {
  static const struct {
    const char *yaml, *words;
  } cases[] = {{"closed_loop: [[a, b]\n", "loops.yaml:2:1: the file ends before"},
               {"closed_loop: {a: b}\n", "closed_loop: a list of pairs of frames expected"},
               {"other: [1\n", NULL},
               {"closed_loop:\n", NULL}};
  char urdf[600], yaml[600], message[HN_MESSAGE];
  test_scratch(urdf, sizeof urdf, "loops.urdf");
  test_scratch(yaml, sizeof yaml, "loops.yaml");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    static const char text[] = ARM(JOINT("continuous", ""));
    char *model, *report;
    FILE *file = fopen(yaml, "w");
    if (!CHECK(file != NULL)) return;
    fputs(cases[i].yaml, file);
    fclose(file);
    hn_status status = hn_import_text(text, strlen(text), urdf, false, &model, &report, message);
    CHECK((status == HN_OK) == !cases[i].words);
    if (cases[i].words && !CHECK(strstr(message, cases[i].words) != NULL))
      printf("  %s\n", message);
    free(model), free(report);
  }
  remove(yaml);
}

static void deep_and_large(void) {
  enum { DEPTH = 100000 };
  char message[HN_MESSAGE], *text = malloc(3 * DEPTH + 1);
  for (int i = 0; i < DEPTH; i++) memcpy(text + 3 * i, "<a>", 4);
  CHECK(import(text, false, message) == HN_ERR_SYNTAX);
  CHECK(strstr(message, "nested too deep") != NULL);
  free(text);
}

// what may be left out is, and the report says so
static void lenient_reading(void) {
  char message[HN_MESSAGE];
  CHECK(import(ARM(JOINT("helical", "")), true, message) == HN_OK);
  CHECK(strstr(message, "left out: joint 'j' has a type that is not read") != NULL);
  CHECK(import(ARM(JOINT("continuous", "") "<coupling name='c'/>"), true, message) == HN_OK);
  CHECK(strstr(message, "left out: <coupling> is not read") != NULL);
  CHECK(import(ARM(JOINT("continuous", "<dynamics friction='0.5'/><odd x='1'/>")), false,
               message) == HN_OK);
  CHECK(strstr(message, "ignored: <odd>") != NULL);
  CHECK(strstr(message, "2 links and 1 joints read as 1 bodies; 0 approximated, 1 ignored") !=
        NULL);
}

// What is left out is left out everywhere: the model file that remains can be read
static void left_out_everywhere(void) {
  static const char mjcf[] =
      "<mujoco><worldbody><body name='a'><joint name='h'/><geom size='0.1' pos='0.3 0 0'/>"
      "<body name='tip'><joint name='t'/><site name='s'/></body></body></worldbody>"
      "<sensor><jointpos joint='t'/><jointvel joint='t'/><jointpos name='angle' "
      "joint='h'/></sensor>"
      "</mujoco>";
  char *model = NULL, *report = NULL, message[HN_MESSAGE] = "";
  CHECK(hn_import_text(mjcf, strlen(mjcf), "r.xml", true, &model, &report, message) == HN_OK);
  hn_model *m = hn_model_create();
  hn_system *system = NULL;
  if (model && !CHECK(hn_model_parse(m, model, strlen(model), "r.yaml") == HN_OK &&
                      hn_compile(&system, m) == HN_OK))
    printf("  %s\n%s", hn_model_error(m), model);
  CHECK(model && strstr(model, "angle: {formula: \"h_joint.angle\"}"));
  CHECK(report && strstr(report, "ignored: sensor 'jointpos' of type jointpos"));
  hn_system_destroy(system);
  hn_model_destroy(m);
  free(model), free(report);
}

// coordinates of different joints may have one name: they are two all the same
static void coordinates_of_one_name(void) {
#define BODY(name) "<Body name='" name "'><mass>1</mass><inertia>1 1 1 0 0 0</inertia></Body>"
#define PIN(name, parent, child)                                                                   \
  "<PinJoint name='" name "'><socket_parent_frame>" parent "</socket_parent_frame>"                \
  "<socket_child_frame>/bodyset/" child "</socket_child_frame><coordinates>"                       \
  "<Coordinate name='rz'><default_value>0.5</default_value></Coordinate></coordinates></PinJoint>"
  static const char osim[] =
      "<OpenSimDocument Version='40000'><Model name='m'><BodySet><objects>" BODY("a")
          BODY("b") "</objects></BodySet><JointSet><objects>" PIN("p", "/ground", "a")
              PIN("q", "/bodyset/a", "b") "</objects></JointSet></Model></OpenSimDocument>";
  char *model = written(osim, "r.osim");
  CHECK(model && !strstr(model, "gear"));
  CHECK(model && strstr(model, "  rz: {type: revolute, b: a"));
  CHECK(model && strstr(model, "type: revolute, a: a, b: b"));
  free(model);
#undef BODY
#undef PIN
}

// nothing of a static model moves, whatever joints it has
static void static_sdf(void) {
  static const char sdf[] =
      "<sdf version='1.7'><model name='m'><static>true</static><link name='base'/>"
      "<link name='arm'><pose>0 0 1 0 0 0</pose></link>"
      "<joint name='hinge' type='revolute'><parent>base</parent><child>arm</child>"
      "<axis><xyz>0 1 0</xyz></axis></joint>"
      "<joint name='loop' type='ball'><parent>world</parent><child>arm</child></joint>"
      "</model></sdf>";
  char *model = written(sdf, "r.sdf");
  CHECK(model && !strstr(model, "joints:") && !strstr(model, "mass:"));
  CHECK(model && strstr(model, "      arm: [0, 0, 1]"));
  free(model);
}

// looks that cannot be had are told, and nothing beyond the folder is opened
static void meshes(void) {
#define LOOK(file)                                                                                 \
  "<robot name='r'><link name='base'/><link name='arm'>" INERTIAL                                  \
  "<visual><geometry><mesh filename='" file                                                        \
  "'/></geometry></visual></link>" JOINT("continuous", "") "</robot>"
  static const char *const cases[][2] = {
      {LOOK("../wedge.obj"), "mesh '../wedge.obj' leaves the folder of the robot file: not drawn"},
      {LOOK("/etc/passwd"), "mesh '/etc/passwd' leaves the folder"},
      {LOOK("package://a/b/../../x.stl"), "mesh 'b/../../x.stl' leaves the folder"},
      {LOOK("file:///x.stl"), "mesh 'file:///x.stl' leaves the folder"},
      {LOOK("missing.stl"),
       "mesh missing.stl: cannot be read: No such file or directory: not drawn"},
      {LOOK("README.md"),
       "mesh README.md: meshes are read from .stl, .obj and .dae files: not drawn"},
      {LOOK("package://a/tests"), "mesh tests: is no file: not drawn"}};
  char message[HN_MESSAGE];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CHECK(import(cases[i][0], false, message) == HN_OK);
    if (!CHECK(strstr(message, cases[i][1]) != NULL)) printf("  %s\n", message);
  }
}

// the model file says what the file is called, whatever that is
static void odd_names(void) {
  static const char stl[] = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                            "vertex 0 1 0\nendloop\nendfacet\nendsolid\n";
  static const char text[] = LOOK("a&quot;b&#9;.stl");
  char urdf[600], mesh[600];
  test_scratch(urdf, sizeof urdf, "odd.urdf");
  test_scratch(mesh, sizeof mesh, "a\"b\t.stl");
  FILE *file = fopen(mesh, "w");
  if (!CHECK(file != NULL)) return;
  fputs(stl, file);
  fclose(file);
  char *model = written(text, urdf);
  hn_model *m = hn_model_create();
  CHECK(model && hn_model_parse(m, model, strlen(model), urdf) == HN_OK);
  CHECK(m->mesh_count == 1 && strcmp(m->mesh[0].path, mesh) == 0);
  hn_model_destroy(m);
  free(model);
  remove(mesh);
}

// ---- damaged files -------------------------------------------------------------------------

static void damage(char *text, size_t *length) {
  static const char *const piece[] = {
      "<",     ">",     "\"", "/",     "1e308", "-",   "nan", "<link name='x'/>",
      "0 0 0", "&amp;", "=",  "fixed", "\xff",  "base"};
  for (int k = (int)test_random(0, 1.999); k < 2; k++) {
    size_t at = (size_t)test_random(0, (double)*length - 1), from;
    const char *put = piece[(size_t)test_random(0, 13.999)];
    switch ((int)test_random(0, 4.999)) {
    case 0:  // another character, of a number another digit
      text[at] = (char)(text[at] >= '0' && text[at] <= '9' ? test_random('0', '9' + 0.99)
                                                           : test_random(1, 127));
      break;
    case 1:  // left out
      from = at + (size_t)test_random(0, 40);
      if (from > *length) from = *length;
      memmove(text + at, text + from, *length - from + 1);
      *length -= from - at;
      break;
    case 2:  // put in
      memmove(text + at + strlen(put), text + at, *length - at + 1);
      memcpy(text + at, put, strlen(put));
      *length += strlen(put);
      break;
    default:  // moved
      from = (size_t)test_random(0, (double)*length - 1);
      for (size_t i = 0; i < 20 && from + i < *length && at + i < *length; i++)
        text[at + i] = text[from + i];
    }
    if (*length < 2) return;
  }
}

// whatever is read, it is refused with a sentence or becomes a model file that can be read
static void read_damaged(const char *text, size_t length, const char *path, bool lenient,
                         int count[2]) {
  char message[HN_MESSAGE] = "", *model, *report;
  if (hn_import_text(text, length, path, lenient, &model, &report, message) != HN_OK) {
    if (!CHECK(strstr(message, path) == message)) printf("  %s\n", message);
    return;
  }
  hn_model *m = hn_model_create();
  count[0]++;
  if (hn_model_parse(m, model, strlen(model), "damaged") != HN_OK) count[1]++;
  hn_model_destroy(m);
  free(model), free(report);
}

// some letters damaged
static void damage_letters(const char *text, size_t length, const char *path, int count[2]) {
  const char *rounds = getenv("HN_ROBOT_ROUNDS");
  char *copy = malloc(length + 4 * 32 + 1);
  for (int k = 0; k < (rounds ? atoi(rounds) : 40); k++) {
    size_t n = length;
    memcpy(copy, text, length + 1);
    damage(copy, &n);
    read_damaged(copy, n, path, k % 2, count);
  }
  free(copy);
}

// every value in turn, quoted or between tags, becomes something else
static void damage_values(const char *text, size_t length, const char *path, int count[2]) {
  static const char *const other[] = {"", "x", "-1", "nan", "0", "1 2 3", "true"};
  enum { OTHERS = sizeof other / sizeof *other };
  char *copy = malloc(length + 16);
  int k = (int)(length % OTHERS);
  for (const char *p = text; *p; p++) {
    if (!strchr("\"'>", *p)) continue;
    const char *start = p + 1, *end = start + strcspn(start, *p == '>' ? "<" : "\"'>");
    if (end == start || start[strspn(start, " \n\t")] == '<' || !*end) continue;
    int n = sprintf(copy, "%.*s%s%s", (int)(start - text), text, other[k++ % OTHERS], end);
    read_damaged(copy, (size_t)n, path, k % 2, count);
    p = *p == '>' ? end - 1 : end;
  }
  free(copy);
}

static void damaged_files(void) {
  DIR *folder = opendir("tests/robots");
  int count[2] = {0};
  for (struct dirent *e; folder && (e = readdir(folder));) {
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || !hn_word_in(dot, ".urdf .xml .sdf")) continue;
    char path[300], message[HN_MESSAGE] = "", *text;
    size_t length;
    snprintf(path, sizeof path, "tests/robots/%s", e->d_name);
    if (!CHECK(hn_load_file(&text, &length, path, message) == HN_OK)) continue;
    damage_letters(text, length, path, count);
    damage_values(text, length, path, count);
    free(text);
  }
  if (folder) closedir(folder);
  printf("%d damaged files were read, the models of %d refused\n", count[0], count[1]);
  CHECK(count[0] > 0);
}

int main(void) {
  RUN(refusals);
  RUN(not_refused);
  RUN(followers);
  RUN(older_sdf);
  RUN(broken_loops);
  RUN(deep_and_large);
  RUN(lenient_reading);
  RUN(left_out_everywhere);
  RUN(coordinates_of_one_name);
  RUN(static_sdf);
  RUN(meshes);
  RUN(odd_names);
  RUN(damaged_files);
  return test_end();
}
