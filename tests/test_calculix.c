// test_calculix.c: bodies from jobs of CalculiX.
//
//   frequencies  of a clamped bar, those of CalculiX itself
//   content      mass, surface, units, nodes without elements
//   requests     cards that ask for results
//   refusals     every mistake in the files is named with its place
#include <holon/holon.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "folder.h"
#include "system/system.h"

static const char *const endings[] = {"inp", "sti", "mas", "dof"};
static char *content[4];

static void put_file(const char *ending, const char *text) {
  char path[32];
  snprintf(path, sizeof path, "job.%s", ending);
  FILE *f = fopen(path, "w");
  if (CHECK(f)) fputs(text, f), fclose(f);
}

static void put_all(void) {
  for (int i = 0; i < 4; i++) put_file(endings[i], content[i]);
}

// ---- what becomes of it ----------------------------------------------------------------------

#define BAR "calculix: job, interface: {root: [1, 2, 3, 4]}, modes: %d%s"
#define TEXT                                                                                       \
  "flexible:\n  bar: {" BAR "}\njoints:\n  clamp: {type: fixed, b: bar.root, at: [0, 0, 0]}\n"

typedef struct rig {
  hn_model *model;
  hn_system *system;
  hn_sim *sim;
} rig;

static void rig_close(rig *r) {
  hn_sim_destroy(r->sim);
  hn_system_destroy(r->system);
  hn_model_destroy(r->model);
}

static bool open(rig *r, int modes, const char *more) {
  char text[512], message[512] = "";
  snprintf(text, sizeof text, TEXT, modes, more);
  *r = (rig){.model = hn_model_create()};
  hn_status status = hn_model_parse(r->model, text, strlen(text), "test.yaml");
  if (!status) status = hn_compile(&r->system, r->model);
  if (!status)
    status = hn_sim_create(&r->sim, r->system, hn_model_options(r->model), message, sizeof message);
  if (CHECK(!status)) return true;
  printf("  %s %s\n", hn_model_error(r->model), message);
  rig_close(r);
  return false;
}

// [rad/s], printed by ccx with seven digits
static const double printed[] = {0.4754480e4, 0.5095804e4, 0.1272752e5, 0.2198297e5};

static void test_frequencies(void) {
  rig r;
  hn_linear *linear = NULL;
  hn_modes *modes = NULL;
  put_all();
  if (!open(&r, 24, "")) return;
  if (CHECK(!hn_linearise(r.sim, &linear)) && CHECK(!hn_modes_create(&modes, linear)))
    for (int k = 0; k < 4; k++) {
      double nearest = 0;
      for (int i = 0; i < modes->count; i++)
        if (fabs(modes->mode[i].im - printed[k]) < fabs(nearest - printed[k]))
          nearest = modes->mode[i].im;
      CHECK_REL(nearest, printed[k], 0, 1e-6);
    }
  hn_modes_destroy(modes);
  hn_linear_destroy(linear);
  rig_close(&r);
}

static void test_content(void) {
  rig r;
  put_all();
  for (int mm = 0; mm < 2; mm++) {
    if (!open(&r, 4, mm ? ", units: mm" : "")) return;
    const hn_reduced *o = r.system->flexible[0].reduced;
    double mass = 7850 * 0.4 * 0.1 * 0.08;
    // the same numbers, taken as mm and t; the files have 14 digits
    CHECK_REL(o->mass, mm ? 1e3 * mass : mass, 0, 1e-10);
    CHECK_REL(o->moment[0], 0.2 * mass, 0, 1e-10);
    CHECK_REL(o->frequency[0], printed[0], 0, 1e-6);
    // ten sides of two bricks, two triangles each, over twelve nodes: 99 belongs to none
    CHECK(o->drawn.corners == 12 && o->drawn.triangles == 20);
    double volume = 0;
    for (int i = 0; i < o->drawn.triangles; i++) {
      const int *t = o->drawn.triangle[i];
      double n[3];
      v3_cross(n, o->drawn.place + 3 * t[0], o->drawn.place + 3 * t[1]);
      volume += v3_dot(n, o->drawn.place + 3 * t[2]) / 6;
    }
    CHECK_REL(volume, (mm ? 1e-9 : 1) * 0.4 * 0.1 * 0.08, 0, 1e-9);
    rig_close(&r);
  }
}

// cards that ask for results begin like those that describe the body, and are no part of it
static void test_requests(void) {
  static const char requests[] = "*STEP\n*FREQUENCY, SOLVER=MATRIXSTORAGE\n4\n*NODE FILE\nU\n"
                                 "*NODE PRINT, NSET=ALL\nU\n*ELEMENT OUTPUT\nS\n*END STEP\n";
  rig r;
  size_t length = strlen(content[0]);
  char *text = malloc(length + sizeof requests);
  if (!CHECK(text)) return;
  memcpy(text, content[0], length);
  memcpy(text + length, requests, sizeof requests);
  put_all();
  put_file("inp", text);
  if (open(&r, 4, "")) {
    CHECK_REL(r.system->flexible[0].reduced->mass, 7850 * 0.4 * 0.1 * 0.08, 0, 1e-10);
    rig_close(&r);
  }
  free(text);
}

// without modes a body is nothing but interfaces, and can be described all the same
static void test_note(void) {
  static const char text[] = "flexible:\n  bar: {calculix: job, interface: {root: [1, 2, 3, 4]}, "
                             "description: a bar, color: red}\n";
  hn_model *model = hn_model_create();
  put_all();
  if (!CHECK(hn_model_parse(model, text, strlen(text), "test.yaml") == HN_OK))
    printf("  %s\n", hn_model_error(model));
  else
    CHECK_STR(hn_description_of(model, "bar"), "a bar");
  hn_model_destroy(model);
}

// ---- refusals ------------------------------------------------------------------------------

static void refused(const char *keys, const char *expected) {
  char text[256];
  hn_model *model = hn_model_create();
  snprintf(text, sizeof text, "flexible:\n  bar: {%s}\n", keys);
  CHECK(hn_model_parse(model, text, strlen(text), "test.yaml") != HN_OK);
  if (!CHECK(strstr(hn_model_error(model), expected)))
    printf("  got:      %s\n  expected: %s\n", hn_model_error(model), expected);
  hn_model_destroy(model);
}

// one file in place of the good one
static void spoiled(const char *ending, const char *text, const char *expected) {
  put_all();
  put_file(ending, text);
  refused("calculix: job, interface: {root: [1, 2, 3, 4]}", expected);
}

static void test_refusals(void) {
  put_all();
  refused("calculix: none, interface: {root: [1, 2, 3, 4]}", "none.inp: cannot be read");
  refused("calculix: job, nodes: job.inp, interface: {root: [1, 2, 3]}", "comes from a job");
  refused("calculix: job, interface: {root: [1, 2, 99]}", "there is no node number 99");
  refused("calculix: job, interface: {root: [1, 2, 3, 4], tip: [9, 10, 11, 12]}, stiffening: true",
          "stiffening needs elements of two nodes");
  spoiled("inp", "*HEADING\nnothing\n", "job.inp: there are no nodes");
  spoiled("inp", "*NODE\n1, 0, 0\n", "job.inp:2: a node is 'number, x, y, z'");
  spoiled("inp", "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=S4\n1, 1\n",
          "job.inp:3: elements must be solid");
  spoiled("inp", "*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, x\n",
          "job.inp:4: an element is whole numbers");
  spoiled("dof", "1.1\n1.x\n", "job.dof:2: a freedom is 'node.direction'");
  spoiled("dof", "1.1\n1.4\n", "job.dof:2: directions must be 1, 2 and 3");
  spoiled("dof", "77.1\n", "job.dof:1: there is no node 77");
  spoiled("dof", "1.1\n1.2\n1.3\n2.1\n1.2\n", "job.dof:5: the freedom 1.2 was there before");
  // a support leaves freedoms out
  spoiled("dof", content[3] + 4, "job.dof: node 1 is held or tied along x");
  spoiled("sti", "1 1 5\n37 1 5\n", "job.sti:2: a line 'row column number' is expected");
  spoiled("sti", "1 1 5\n", "stiffness: moving along x as a whole meets a resistance");
}

int main(void) {
  const char *root = getenv("HN_SOURCE_DIR");
  char message[HN_MESSAGE];
  for (int i = 0; i < 4; i++) {
    char path[1024];
    size_t length;
    snprintf(path, sizeof path, "%s/tests/elements/bar.%s", root ? root : ".", endings[i]);
    if (hn_load_file(&content[i], &length, path, message)) return printf("%s\n", message), 1;
  }
  if (!test_enter_folder("calculix")) return 1;
  RUN(test_frequencies);
  RUN(test_content);
  RUN(test_requests);
  RUN(test_note);
  RUN(test_refusals);
  for (int i = 0; i < 4; i++) free(content[i]);
  return test_end();
}
