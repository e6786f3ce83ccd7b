// fuzz_model.c: any text as a model file. A libFuzzer target; corpus_model/ holds the seeds.
#include <holon/holon.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// what must hold whatever the text is
static void require(int condition) {
  if (!condition) abort();
}

// one line, no control characters, the file's name in front
static void check_message(const char *message) {
  require(strncmp(message, "fuzz.yaml:", 10) == 0 && strlen(message) > 12);
  for (const char *s = message; *s; s++) require((unsigned char)*s >= 0x20 && *s != 0x7f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // an own block of exactly this size, so that reading beyond the text is seen
  char *text = malloc(size ? size : 1);
  hn_model *model = hn_model_create();
  require(text && model);
  if (size) memcpy(text, data, size);

  hn_status status = hn_model_parse(model, text, size, "fuzz.yaml");
  if (status) {
    check_message(hn_model_error(model));
    require(hn_model_parameter_count(model) == 0);
    // a refused file leaves an empty model, which another one can be read into
    const char good[] = "bodies: {ball: {type: point, mass: 1}}";
    require(hn_model_parse(model, good, sizeof good - 1, "good.yaml") == HN_OK);
  }
  require(hn_model_name(model) != NULL);
  hn_model_destroy(model);
  free(text);
  return 0;
}
