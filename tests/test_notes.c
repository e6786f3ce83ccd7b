// test_notes.c: descriptions and colours of elements.
#include <holon/holon.h>

#include "model/model.h"
#include "test.h"

static const char *read_error(const char *text) {
  static char message[600];
  hn_model *m = hn_model_create();
  message[0] = 0;
  if (hn_model_parse(m, text, strlen(text), "n.yaml"))
    snprintf(message, sizeof message, "%s", hn_model_error(m));
  hn_model_destroy(m);
  return message;
}

// every kind of element keeps what is said about it
static void elements(void) {
  const char text[] =
      "parts:\n  arm: {bodies: {rod: {type: point, mass: 1, description: of a part}}}\n"
      "use: {left: {part: arm}}\n"
      "bodies:\n"
      "  a: {mass: 1, inertia: [1, 1, 1], description: \"two\\nlines\", color: red}\n"
      "joints: {j: {type: revolute, b: a, color: '#123456', description: <b>bold</b>}}\n"
      "forces: {f: {type: friction, joint: j, viscous: 1, description: of the bearing}}\n"
      "signals: {ramp: {formula: 2*t, description: goes up}}\n"
      "states: {x: {rate: -x, description: decays}, y: {type: lag, input: ramp, time: 1, "
      "description: "
      "follows}}\n"
      "blocks: {b: {coordinates: {q: 1}, kinetic_energy: q_rate^2, description: equations}}\n";
  hn_model *m = hn_model_create();
  if (!CHECK(hn_model_parse(m, text, strlen(text), "n.yaml") == HN_OK))
    printf("  %s\n", hn_model_error(m));
  else {
    CHECK_STR(hn_description_of(m, "a"), "two\nlines");
    CHECK_STR(hn_color_of(m, "a"), "red");
    CHECK_STR(hn_description_of(m, "j"), "<b>bold</b>");
    CHECK_STR(hn_color_of(m, "j"), "#123456");
    CHECK_STR(hn_description_of(m, "f"), "of the bearing");
    CHECK(hn_color_of(m, "f") == NULL);
    CHECK_STR(hn_description_of(m, "ramp"), "goes up");
    CHECK_STR(hn_description_of(m, "x"), "decays");
    CHECK_STR(hn_description_of(m, "y"), "follows");
    CHECK_STR(hn_description_of(m, "b"), "equations");
    CHECK_STR(hn_description_of(m, "left.rod"), "of a part");
    CHECK(hn_description_of(m, "nobody") == NULL && hn_description_of(m, NULL) == NULL);
    // told again
    CHECK(hn_describe(m, "a", "one", NULL) == HN_OK);
    CHECK_STR(hn_description_of(m, "a"), "one");
    CHECK_STR(hn_color_of(m, "a"), "red");
    CHECK(hn_describe(m, "nobody", "x", NULL) == HN_ERR_MODEL);
    CHECK(hn_describe(m, "a", "\x1b[31m", NULL) == HN_ERR_MODEL);
    CHECK(hn_describe(m, "a", NULL, "rouge") == HN_ERR_MODEL);
  }
  hn_model_destroy(m);
}

static void refused(void) {
  hn_model *none = hn_model_create();
  CHECK(hn_describe(NULL, "a", "text", NULL) == HN_ERR_ARGUMENT);
  CHECK(hn_describe(none, NULL, "text", NULL) == HN_ERR_ARGUMENT);
  hn_model_destroy(none);
  CHECK_STR(read_error("bodies: {a: {type: point, mass: 1, color: greem}}"),
            "n.yaml:1:43: body 'a': no color 'greem' (did you mean 'green'?)");
  CHECK_STR(read_error("bodies: {a: {type: point, mass: 1, description: [1]}}"),
            "n.yaml:1:49: body 'a': description must be a text");
  CHECK_STR(read_error("bodies: {a: {type: point, mass: 1, description: \"a\\e[31m\"}}"),
            "n.yaml:1:49: body 'a': description must not have control characters in it");
  CHECK_STR(read_error("bodies: {a: {type: point, mass: 1}}\nsignals: {s: {formula: t, color: "
                       "red}}"),
            "n.yaml:2:27: signal 's': unknown key 'color' (known: formula input table file time "
            "column interpolation unit description)");
}

int main(void) {
  RUN(elements);
  RUN(refused);
  return test_end();
}
