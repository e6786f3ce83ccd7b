// command.c: a run of a study as a command that repeats it alone.
// A row of a table is of use where it can be looked at: this is what people paste into a shell.
// Words are quoted for POSIX shells.
#include "base/file.h"
#include "base/json.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// what is not on this list is quoted, whether a shell minds it or not: a list of what shells mind
// would differ from one shell to the next
// a word that a shell leaves as it is
static bool is_plain(const char *text) {
  return *text && strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_-./=+:,@%") == strlen(text);
}

static void put(hn_text *out, const char *text) {
  // a text that grows; `failed` in it says that memory ran out, once for all
  hn_json j = {.text = out};
  hn_json_raw(&j, text);
}

// inside single quotes only the quote itself means something: it is put as '\''
void hn_study_command_word(hn_text *out, const char *text) {
  if (is_plain(text)) {
    put(out, text);
    return;
  }
  put(out, "'");
  for (; *text; text++) {
    char one[2] = {*text, 0};
    put(out, *text == '\'' ? "'\\''" : one);
  }
  put(out, "'");
}

// names and formulas of any length: one cut short would be another run
static void put_setting(hn_text *out, const char *option, const char *name, const char *value) {
  // put together first: quotes go around name and value as one word
  hn_text text = {0};
  put(&text, name);
  put(&text, "=");
  put(&text, value);
  put(out, " ");
  put(out, option);
  put(out, " ");
  if (text.failed)
    out->failed = true;
  else
    hn_study_command_word(out, text.text);
  free(text.text);
}

const char *hn_study_command_option(const hn_factor *factor) {
  return factor->target == HN_SET_OPTION ? "--option" : "--set";
}

// in the order of the reader: what a study sets for all runs; factors follow
void hn_study_command_head(const hn_study *study, hn_text *out) {
  put(out, "holon run ");
  hn_study_command_word(out, study->model_file);
  for (int i = 0; i < study->options; i++)
    put_setting(out, "--option", study->option[i], study->option_value[i]);
  for (int i = 0; i < study->parameters; i++)
    put_setting(out, "--set", study->parameter[i], study->parameter_value[i]);
}

// places of the file have no option of their own: the model of the run is written out
char *hn_study_command(const hn_study *study, long k) {
  hn_text out = {0};
  // the most factors a study may have
  double values[256];
  char text[128];
  bool places = false;
  // no such run: no command
  if (hn_study_values(study, k, values)) return NULL;
  for (int i = 0; i < study->factors; i++)
    places = places || study->factor[i].target == HN_SET_PLACE;
  if (places) {
    snprintf(text, sizeof text, "holon study --show %ld ", k);
    put(&out, text);
    hn_study_command_word(&out, study->file);
  } else {
    hn_study_command_head(study, &out);
    for (int i = 0; i < study->factors; i++) {
      const hn_factor *f = &study->factor[i];
      // digits enough to give back the very same double
      hn_factor_text(f, values[i], text, sizeof text);
      put_setting(&out, hn_study_command_option(f), f->path, text);
    }
  }
  if (out.failed) {
    free(out.text);
    return NULL;
  }
  return out.text;
}
