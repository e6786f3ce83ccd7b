// report_live.c: what a page that computes carries: the model as text, and the library.
//
// The page compiles and runs the model itself, by the library as WebAssembly, and so carries all
// that reading it needs: the text of the model file, files it includes, tables and meshes. Files
// are named by their paths from the model file, as the text names them.
#include "io/embed.h"
#include "io/report.h"

#include <stdlib.h>
#include <string.h>

bool hn_report_can_live(void) {
  return hn_embedded_live->data != NULL;
}

// ---- what can be changed -------------------------------------------------------------------

static bool is_solved_for(const hn_model *model, const char *name) {
  for (int i = 0; i < model->override_count; i++)
    if (model->override[i].solved && strcmp(model->override[i].name, name) == 0) return true;
  return false;
}

// Sliders for parameters that stand as numbers in the file: those that follow from others, or from
// conditions (solve), have no value of their own.
void hn_report_controls(hn_json *j, const hn_model *model, const hn_system *system) {
  hn_json_open(j, "parameters", '[');
  for (int i = 0; i < model->parameter_count; i++) {
    const hn_parameter *p = &model->parameter[i];
    char words[80] = "", unit[80] = "";
    if (!p->given || is_solved_for(model, p->name)) continue;
    if (p->dimension.known) {
      hn_dimension_words(p->dimension, words, sizeof words);
      hn_dimension_unit(p->dimension, unit, sizeof unit);
    }
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", p->name);
    hn_json_number(j, "value", p->value);
    hn_json_text(j, "about", words);
    hn_json_text(j, "unit", unit);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
  hn_json_open(j, "inputs", '[');
  for (int i = 0; i < hn_input_count(system); i++) {
    const char *name = hn_input_name(system, i);
    int k = hn_model_find_signal(model, name, strlen(name));
    // what a controller of the model writes is not for others
    if (k < 0 || model->signal[k].held) continue;
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", name);
    hn_json_number(j, "value", model->signal[k].def.input);
    hn_json_text(j, "unit", model->signal[k].def.unit);
    hn_json_close(j, '}');
  }
  hn_json_close(j, ']');
}

// ---- the text ------------------------------------------------------------------------------

static const char *base_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path ? path : "model.yaml";
}

enum { MOST_BYTES = 8 << 20 };  // of a file that a page takes along

// a file beside the model, by its path from there
// Read anew from the disk: the model keeps what was in it, not its text.
static void put_file(hn_json *j, const char *folder, const char *path) {
  char *text = NULL, message[HN_MESSAGE];
  size_t length, n = (size_t)(base_name(folder) - folder);
  // it was read a moment ago; the page says what is missing
  if (hn_load_file(&text, &length, path, message)) return;
  hn_json_open(j, NULL, '{');
  hn_json_text(j, "name", strncmp(path, folder, n) == 0 ? path + n : base_name(path));
  hn_json_text(j, "text", text);
  hn_json_close(j, '}');
  free(text);
}

// a file that is no text: letters from U+0100 on stand for its bytes
// JSON strings hold characters: 256 of them from U+0100 on are two bytes of UTF-8 each, where
// base64 of short texts would need a decoder on the other side.
static void put_bytes(hn_json *j, const char *folder, const char *path) {
  char *bytes = NULL, message[HN_MESSAGE];
  size_t length, n = (size_t)(base_name(folder) - folder);
  if (hn_load_file(&bytes, &length, path, message)) return;
  char *letters = length <= MOST_BYTES ? malloc(2 * length + 1) : NULL;
  for (size_t i = 0; letters && i < length; i++) {
    unsigned code = 0x100u + (unsigned char)bytes[i];
    letters[2 * i] = (char)(0xc0 | code >> 6);
    letters[2 * i + 1] = (char)(0x80 | (code & 63));
  }
  if (letters) {
    letters[2 * length] = 0;
    hn_json_open(j, NULL, '{');
    hn_json_text(j, "name", strncmp(path, folder, n) == 0 ? path + n : base_name(path));
    hn_json_text(j, "letters", letters);
    hn_json_close(j, '}');
  }
  free(letters), free(bytes);
}

// several signals may be columns of one file
static bool is_there_before(const hn_model *model, int signal) {
  const char *file = model->signal[signal].def.file;
  for (int i = 0; i < signal; i++)
    if (model->signal[i].def.file && strcmp(model->signal[i].def.file, file) == 0) return true;
  return false;
}

// Meshes, parts and tables; signals keep their files as the model names them.
static void put_files(hn_json *j, const hn_model *model) {
  hn_json_open(j, "files", '[');
  for (int i = 0; model->file && i < model->mesh_count; i++)
    put_bytes(j, model->file, model->mesh[i].path);
  for (int i = 0; model->file && i < model->included_count; i++)
    put_file(j, model->file, model->included[i]);
  for (int i = 0; model->file && i < model->signal_count; i++) {
    const char *file = model->signal[i].def.file;
    size_t folder = (size_t)(base_name(model->file) - model->file);
    if (!file || is_there_before(model, i)) continue;
    char *path = malloc(folder + strlen(file) + 1);
    if (!path) continue;
    memcpy(path, model->file, file[0] == '/' ? 0 : folder);
    strcpy(path + (file[0] == '/' ? 0 : folder), file);
    put_file(j, model->file, path);
    free(path);
  }
  hn_json_close(j, ']');
}

// what was set beside the file
// Overrides and options of the command line: the page begins with the run that was made.
static void put_settings(hn_json *j, const hn_report *report) {
  hn_json_open(j, "set", '[');
  for (int i = 0; i < report->model->override_count; i++) {
    const hn_override *o = &report->model->override[i];
    if (o->solved) continue;
    hn_json_open(j, NULL, '[');
    hn_json_text(j, NULL, o->name);
    hn_json_text(j, NULL, o->text);
    hn_json_close(j, ']');
  }
  hn_json_close(j, ']');
  hn_json_open(j, "options", '[');
  for (int i = 0; i < report->live_option_count; i++)
    hn_json_text(j, NULL, report->live_options[i]);
  hn_json_close(j, ']');
}

void hn_report_live(hn_json *j, const hn_report *report) {
  hn_json_open(j, "live", '{');
  hn_report_controls(j, report->model, report->system);
  if (report->model->text) {
    hn_json_text(j, "name", base_name(report->model->file));
    hn_json_text(j, "text", report->model->text);
    put_files(j, report->model);
    put_settings(j, report);
  }
  hn_json_close(j, '}');
}

// gzip inside base64: browsers unpack the one themselves, and the other is a loop.
void hn_report_library(hn_save *save) {
  static const char before[] = "<script type=\"text/plain\" id=\"holon-library\">";
  hn_blob blob = {.save = save};
  hn_save_bytes(save, before, sizeof before - 1);
  hn_blob_bytes(&blob, hn_embedded_live->data, hn_embedded_live->size);
  hn_blob_end(&blob);
  hn_save_bytes(save, "</script>\n", 10);
}
