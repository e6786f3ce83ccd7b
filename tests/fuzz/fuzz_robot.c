// fuzz_robot.c: any text as a robot file. A libFuzzer target; corpus_robot/ holds the seeds.
#include "robots/import.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition) {
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // an own block of exactly this size, so that reading beyond the text is seen
  char *text = malloc(size ? size : 1), *model, *report, message[HN_MESSAGE] = "";
  require(text != NULL);
  if (size) memcpy(text, data, size);
  // what is no XML is a dataset of ADAMS
  const char *name = hn_import_is_robot(text, size, "fuzz.xml") ? "fuzz.xml" : "fuzz.adm";
  if (hn_import_text(text, size, name, size % 2, &model, &report, message)) {
    require(strncmp(message, name, 8) == 0 && message[8] == ':' && strlen(message) > 10);
    for (const char *s = message; *s; s++) require((unsigned char)*s >= 0x20 && *s != 0x7f);
  } else {
    hn_model *m = hn_model_create();
    require(m != NULL);
    hn_model_parse(m, model, strlen(model), "fuzz.yaml");
    hn_model_destroy(m);
    free(model), free(report);
  }
  free(text);
  return 0;
}
