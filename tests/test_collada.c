// test_collada.c: surfaces from COLLADA files: what they hold, against closed forms.
#include "test.h"

#include "base/file.h"
#include "model/trimesh.h"

// a box of 1 x 2 x 3 in each way of writing its faces: its corner k has the bits x, y, z
static const char box_corners[] = "0 0 0  1 0 0  0 2 0  1 2 0  0 0 3  1 0 3  0 2 3  1 2 3";
static const char *const box_faces[] = {
    // two numbers a corner: the second is that of a normal
    "<triangles count='12'><input semantic='VERTEX' source='#v' offset='0'/>"
    "<input semantic='NORMAL' source='#none' offset='1'/>"
    "<p>0 0 4 0 6 0 0 0 6 0 2 0 1 1 3 1 7 1 1 1 7 1 5 1 0 2 1 2 5 2 0 2 5 2 4 2 2 3 6 3 7 3 2 3 7 "
    "3 "
    "3 3 0 4 2 4 3 4 0 4 3 4 1 4 4 5 5 5 7 5 4 5 7 5 6 5</p></triangles>",
    "<polylist count='6'><input semantic='VERTEX' source='#v' offset='0'/><vcount>4 4 4 4 4 "
    "4</vcount>"
    "<p>0 4 6 2 1 3 7 5 0 1 5 4 2 6 7 3 0 2 3 1 4 5 7 6</p></polylist>",
    // two lists of one geometry
    "<polygons count='3'><input semantic='VERTEX' source='#v' offset='0'/>"
    "<p>0 4 6 2</p><p>1 3 7 5</p><p>0 1 5 4</p></polygons>"
    "<polygons count='3'><input semantic='VERTEX' source='#v' offset='0'/>"
    "<p>2 6 7 3</p><p>0 2 3 1</p><p>4 5 7 6</p></polygons>",
    "<trifans count='6'><input semantic='VERTEX' source='#v' offset='0'/>"
    "<p>0 4 6 2</p><p>1 3 7 5</p><p>0 1 5 4</p><p>2 6 7 3</p><p>0 2 3 1</p><p>4 5 7 "
    "6</p></trifans>",
    // four sides in one strip, the ends in one each
    ("<tristrips count='3'><input semantic='VERTEX' source='#v' offset='0'/>"
     "<p>4 0 5 1 7 3 6 2 4 0</p><p>0 2 1 3</p><p>4 5 6 7</p></tristrips>"),
};

// a file with that geometry, `asset`, `nodes` of the scene, and a library of nodes
static char *file_of(const char *faces, const char *asset, const char *nodes) {
  char *text = malloc(8000);
  snprintf(text, 8000,
           "<?xml version=\"1.0\"?>\n<!-- a box > of <things> -->\n<COLLADA><asset>%s</asset>\n"
           "<library_nodes><node id='inner'><translate>0 0 10</translate>"
           "<instance_geometry url='#g'/></node></library_nodes>\n"
           "<library_geometries><geometry id='g'><mesh><source id='s'>"
           "<float_array id='a' count='24'>%s</float_array><technique_common>"
           "<accessor source='#a' count='8' stride='3'/></technique_common></source>\n"
           "<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>\n%s"
           "<lines><p>0 1</p></lines></mesh></geometry></library_geometries>\n"
           "<library_visual_scenes><visual_scene id='other'/><visual_scene id='shown'>%s"
           "</visual_scene></library_visual_scenes>\n"
           "<scene><instance_visual_scene url='#shown'/></scene></COLLADA>\n",
           asset, box_corners, faces, nodes);
  return text;
}

static const char once[] = "<node><instance_geometry url='#g'/></node>";

// closed, of this volume and centre
static void holds(const char *faces, const char *asset, const char *nodes, double volume,
                  const double centre[3]) {
  char *text = file_of(faces, asset, nodes), message[HN_MESSAGE] = "";
  double V = 0, c[3] = {0}, I[6];
  hn_trimesh m;
  if (!CHECK(hn_trimesh_parse(&m, text, strlen(text), "box.dae", message) == HN_OK &&
             hn_trimesh_close(&m, message) == HN_OK))
    printf("  %s\n", message);
  hn_trimesh_content(&m, &V, c, I);
  CHECK_REL(V, volume, 0, 1e-13);
  for (int i = 0; i < 3; i++) CHECK_NEAR(c[i], centre[i], 1e-12);
  hn_trimesh_free(&m);
  free(text);
}

static void faces(void) {
  for (size_t i = 0; i < sizeof box_faces / sizeof *box_faces; i++)
    holds(box_faces[i], "", once, 6, (double[]){0.5, 1, 1.5});
}

static void places(void) {
  const char *f = box_faces[1];
  // one after the other: moved by 1 along x, then turned by a quarter about z, then stretched
  holds(f, "",
        "<node><translate>1 0 0</translate><rotate>0 0 2 90</rotate><scale>2 1 1</scale>"
        "<instance_geometry url='#g'/></node>",
        12, (double[]){0, 1, 1.5});
  // mirrored: it is not inside out
  holds(f, "", "<node><scale>-1 1 1</scale><instance_geometry url='#g'/></node>", 6,
        (double[]){-0.5, 1, 1.5});
  holds(f, "",
        "<node><matrix>0 -1 0 5  1 0 0 6  0 0 1 7  0 0 0 1</matrix>"
        "<instance_geometry url='#g'/></node>",
        6, (double[]){4, 6.5, 8.5});
  // twice, once in a node of a node from the library
  holds(f, "",
        "<node><instance_geometry url='#g'/><node><scale>1 1 2</scale>"
        "<instance_node url='#inner'/></node></node>",
        18, (double[]){0.5, 1, (1.5 + 2 * 23) / 3});
  // lengths have a unit; which axis is up changes nothing
  holds(f, "<unit name='cm' meter='0.01'/><up_axis>Y_UP</up_axis>", once, 6e-6,
        (double[]){0.005, 0.01, 0.015});
}

static void colors(void) {
  char message[HN_MESSAGE] = "";
  hn_trimesh m;
  double V, c[3], I[6];
  // a wedge of 0.2 x 0.1 / 2 x 0.3 m
  if (!CHECK(hn_trimesh_load(&m, "tests/robots/wedge.dae", message) == HN_OK))
    printf("  %s\n", message);
  CHECK_STR(m.color, "#3380e6");
  CHECK(hn_trimesh_close(&m, message) == HN_OK);
  hn_trimesh_content(&m, &V, c, I);
  CHECK_REL(V, 0.2 * 0.1 / 2 * 0.3, 0, 1e-13);
  CHECK_NEAR(c[0], 0.01 + 0.2 / 3, 1e-14);
  CHECK_NEAR(c[1], 0.1 / 3, 1e-14);
  hn_trimesh_free(&m);
}

static void refuse(const char *text, const char *why) {
  char message[HN_MESSAGE] = "";
  hn_trimesh m;
  if (!CHECK(hn_trimesh_parse(&m, text, strlen(text), "bad.dae", message) != HN_OK &&
             strstr(message, why) && !strncmp(message, "bad.dae:", 8)))
    printf("  %s\n  expected: %s\n", message, why);
  hn_trimesh_free(&m);
}

static void refusals(void) {
  static const char *const text[][2] = {
      {"", "there is no element"},
      {"<COLLADA>", "bad.dae:1: an element is not closed"},
      {"<COLLADA></collada>", "another element is open"},
      {"<COLLADA/></a>", "closed that is not open"},
      {"<COLLADA/><COLLADA/>", "a second root"},
      {"<COLLADA><a", "not closed by '>'"},
      {"<COLLADA></COLLADA ", "not closed by '>'"},
      {"<COLLADA a='></COLLADA>", "not closed by '>'"},
      {"<COLLADA>\n< a/></COLLADA>", "bad.dae:2: '<' begins an element"},
      {"<!DOCTYPE c [<!ENTITY a 'b'>]><COLLADA/>", "declarations are not read"},
      {"<COLLADA><![CDATA[1]]></COLLADA>", "declarations are not read"},
      {"<COLLADA><!-- </COLLADA>", "a remark has no end"},
      {"<robot/>", "this is no COLLADA file"},
      // a value without a name, and quotes that do not belong together
      {"<COLLADA><scene><instance_visual_scene 'a' url \"b='#c'\"/></scene></COLLADA>",
       "no visual scene"},
      {"<COLLADA/>", "no visual scene"},
  };
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) refuse(text[i][0], text[i][1]);
  static const char *const part[][4] = {
      // faces, asset, nodes, why
      {NULL, "<unit meter='0'/>", NULL, "a unit is a number above zero"},
      {NULL, "<unit meter='x'/>", NULL, "a unit is a number above zero"},
      {NULL, "", "<node><skew>1</skew></node>", "nodes are placed by"},
      {NULL, "", "<node><translate>1 2</translate></node>", "a number is missing or wrong"},
      {NULL, "", "<node><scale>1 2 nan</scale></node>", "a number is missing or wrong"},
      {NULL, "", "<node><rotate>1 2 3</rotate></node>", "a number is missing or wrong"},
      {NULL, "", "<node><matrix>1</matrix></node>", "a number is missing or wrong"},
      {NULL, "",
       "<node><translate>1e12 0 0</translate><scale>9 9 9</scale>"
       "<translate>1e12 0 0</translate><instance_geometry url='#g'/></node>",
       "too far away"},
      {NULL, "", "<node><instance_geometry url='#h'/></node>", "not in the file"},
      {NULL, "", "<node><instance_node/></node>", "not in the file"},
      {NULL, "", "<node id='loop'><instance_node url='#loop'/></node>", "nested too deep"},
      {NULL, "",
       "<node id='p'><instance_node url='#q'/><instance_node url='#q'/></node>"
       "<node id='q'><instance_node url='#inner'/><instance_node url='#p'/></node>",
       "too deep"},
      {"<triangles><p>0 1 2</p></triangles>", "", NULL, "no positions"},
      {"<triangles><input semantic='VERTEX' source='#s' offset='0'/><p>0 1 2</p></triangles>", "",
       NULL, "no positions"},
      {"<triangles><input semantic='VERTEX' source='#v' offset='99'/><p>0</p></triangles>", "",
       NULL, "wrong offset"},
      {"<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 8</p></triangles>", "",
       NULL, "a corner is named that is not there"},
      {"<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2 3</p></triangles>", "",
       NULL, "a corner is missing or wrong"},
      {"<polylist><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 2</p></polylist>", "",
       NULL, "vcount is missing"},
      {"<polylist><input semantic='VERTEX' source='#v' offset='0'/><vcount>0 0</vcount><p>0 1 "
       "2</p></polylist>",
       "", NULL, "fewer polygons than corners"},
      {"<polygons><input semantic='VERTEX' source='#v' offset='0'/><ph><p>0 1 "
       "2</p></ph></polygons>",
       "", NULL, "with holes"},
      {"", "", NULL, "has no triangles"},
  };
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    char *all =
        file_of(part[i][0] ? part[i][0] : box_faces[0], part[i][1], part[i][2] ? part[i][2] : once);
    refuse(all, part[i][3]);
    free(all);
  }
}

// counts that do not fit what is there
static void damaged_lists(void) {
  static const char *const change[][3] = {
      {"count='8'", "count='9'", "a number is missing"},
      {"count='8'", "count='2000000'", "fewer numbers than it says"},
      {"count='8'", "count='-1'", "three numbers each"},
      {"stride='3'", "stride='2'", "three numbers each"},
      {"stride='3'", "stride='3' offset='1'", "a number is missing"},
      {"POSITION", "NORMAL", "no positions"},
  };
  char *text = file_of(box_faces[1], "", once);
  for (size_t i = 0; i < sizeof change / sizeof *change; i++) {
    char other[8000];
    const char *at = strstr(text, change[i][0]);
    snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, change[i][1],
             at + strlen(change[i][0]));
    refuse(other, change[i][2]);
  }
  free(text);
}

// elements in elements, and geometries that are shown without end
static void bombs(void) {
  enum { MANY = 200100 };
  char *text = malloc(40 * MANY), *at = text;
  for (int i = 0; i < 70; i++) at += sprintf(at, "<a>");
  refuse(text, "nested too deep");
  at = text + sprintf(text, "<COLLADA>");
  for (int i = 0; i < MANY; i++) at += sprintf(at, "<a/>");
  refuse(text, "too many elements");
  char *nodes = malloc(100000);
  at = nodes;
  for (int i = 0; i < 2100; i++) at += sprintf(at, "<node><node/></node>");
  at = text + sprintf(text,
                      "<COLLADA><library_visual_scenes><visual_scene>%s</visual_scene>"
                      "</library_visual_scenes></COLLADA>",
                      nodes);
  refuse(text, "too many nodes");
  free(nodes), free(text);
}

// every byte another one, and every length
static void any_damage(void) {
  char *text = NULL, message[HN_MESSAGE];
  size_t length = 0;
  hn_trimesh m;
  if (!CHECK(hn_load_file(&text, &length, "tests/robots/wedge.dae", message) == HN_OK)) return;
  for (size_t i = 0; i < length; i++)
    for (const char *other = "<>/'\"9 -#"; *other; other++) {
      char was = text[i];
      text[i] = *other;
      if (hn_trimesh_parse(&m, text, length, "any.dae", message)) CHECK(*message);
      hn_trimesh_free(&m);
      text[i] = was;
    }
  for (size_t i = 0; i < length; i++) {
    char *own = malloc(i + 1);
    memcpy(own, text, i);
    own[i] = 0;
    if (!hn_trimesh_parse(&m, own, i, "any.dae", message)) hn_trimesh_free(&m);
    free(own);
  }
  text[length / 2] = 0;
  CHECK(hn_trimesh_parse(&m, text, length, "any.dae", message) == HN_ERR_SYNTAX);
  free(text);
}

int main(void) {
  RUN(faces);
  RUN(places);
  RUN(colors);
  RUN(refusals);
  RUN(damaged_lists);
  RUN(bombs);
  RUN(any_damage);
  return test_end();
}
