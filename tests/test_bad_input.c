// test_bad_input.c: every file of tests/bad is refused with the status, the place and the
// sentence that its first line promises:
//
//   # expect: MODEL 7:12: body 'crank': mass must not be negative
//
// and the model that refused it is empty and still usable.
#include <holon/holon.h>

#include <dirent.h>
#include <stdlib.h>

#include "test.h"

static const char folder[] = "tests/bad";

static const char *const status_names[] = {
#define HN_X(name, text) #name,
    HN_STATUS_LIST(HN_X)
#undef HN_X
};

static int not_hidden(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

// the whole file in a block of exactly its size, so that sanitizers see a read past its end
static char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
  rewind(file);
  char *text = size > 0 ? malloc((size_t)size) : NULL;
  if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
    free(text);
    text = NULL;
  }
  fclose(file);
  *length = text ? (size_t)size : 0;
  return text;
}

static void check_reusable(hn_model *model) {
  const char good[] = "bodies: {ball: {type: point, mass: 1}}";
  CHECK(hn_model_parameter_count(model) == 0);
  CHECK(hn_model_parse(model, good, sizeof good - 1, "good.yaml") == HN_OK);
  CHECK_STR(hn_model_name(model), "good");
  hn_system *system = NULL;
  CHECK(hn_compile(&system, model) == HN_OK);
  hn_system_destroy(system);
}

static void check_file(const char *name) {
  char path[512], expected[1024], status_name[32], *first_line = NULL;
  size_t length;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *text = read_file(path, &length);
  test_name = name;
  if (!CHECK(text != NULL)) return;
  char *newline = memchr(text, '\n', length);
  int used = 0;
  if (newline && (first_line = malloc((size_t)(newline - text) + 1))) {
    memcpy(first_line, text, (size_t)(newline - text));
    first_line[newline - text] = 0;
  }
  if (!CHECK(first_line && sscanf(first_line, "# expect: %24s %n", status_name, &used) == 1)) {
    free(first_line);
    free(text);
    return;
  }
  snprintf(expected, sizeof expected, "%s:%s", name, first_line + used);

  hn_model *model = hn_model_create();
  hn_status status = hn_model_parse(model, text, length, name);
  char full[40];
  snprintf(full, sizeof full, "HN_ERR_%s", status_name);
  CHECK_STR(status_names[status], full);
  CHECK_STR(hn_model_error(model), expected);
  check_reusable(model);
  hn_model_destroy(model);
  free(first_line);
  free(text);
}

int main(void) {
  struct dirent **entry;
  int count = scandir(folder, &entry, not_hidden, alphasort);
  CHECK(count >= 60);
  for (int i = 0; i < count; i++) {
    check_file(entry[i]->d_name);
    free(entry[i]);
  }
  if (count >= 0) free(entry);
  return test_end();
}
