// archive.c: the file of an FMU: description, model and binary.
//
// An FMU is a ZIP archive with fixed places: modelDescription.xml,
// binaries/<platform>/<identifier>.so, resources/ and documentation/, and with sources sources/.
// Two kinds are written: with the library as binary, the same for all models, which reads
// resources/model.yaml; and with code of its own, which is compiled here (def->coded) or where it
// is used (def->sources).
#include "fmu/fmu.h"

#include "base/file.h"
#include "code/compiler.h"
#include "io/embed.h"
#include "io/svg.h"
#include "io/zip.h"
#include "robots/robot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// the name of the binary: letters, digits and _ of the model's
// C identifiers name the binary and, in static linking, its functions; the standard wants one.
static void identifier_of(char out[64], const char *name) {
  int n = 0;
  // identifiers begin with a letter
  if (!isalpha((unsigned char)*name)) out[n++] = 'm';
  for (; *name && n < 60; name++)
    // isalnum() knows letters of the locale; C does not
    out[n++] = isalnum((unsigned char)*name) && (unsigned char)*name < 128 ? *name : '_';
  out[n] = 0;
}

// the path of a file from the folder of the model; NULL: it is somewhere else
// Paths of meshes begin with the folder of the model file, since they were put together from it.
static const char *beside(const hn_fmu *fmu, const char *path) {
  const char *slash = strrchr(fmu->file, '/');
  size_t n = slash ? (size_t)(slash - fmu->file) + 1 : 0;
  // what remains must be below the folder
  return strncmp(path, fmu->file, n) == 0 && path[n] != '/' ? path + n : NULL;
}

// meshes are taken along
// They were read when the model was; the unit finds them beside model.yaml in the resources.
static void add_meshes(hn_zip *zip, const hn_fmu *fmu) {
  char message[HN_MESSAGE], name[300];
  for (int i = 0; i < fmu->model->mesh_count; i++) {
    const char *path = fmu->model->mesh[i].path;
    char *bytes = NULL;
    size_t length = 0;
    snprintf(name, sizeof name, "resources/%.280s", beside(fmu, path));
    // read anew: the model keeps triangles, not files
    if (hn_load_file(&bytes, &length, path, message))
      // told by hn_zip_close, which leaves no file then
      zip->status = HN_ERR_FILE;
    else
      hn_zip_add(zip, name, bytes, length);
    free(bytes);
  }
}

static const char *reads_heights(const hn_model *model) {
  for (int i = 0; i < model->joint_count; i++)
    if (model->joint[i].def.file) return model->joint[i].def.name;
  for (int i = 0; i < model->force_count; i++)
    if (model->force[i].def.file) return model->force[i].def.name;
  return NULL;
}

// what reads files would need these files beside the model
// An archive must hold all that the model reads. Paths that lead upwards would also be written
// outside of the resources by whoever unpacks the archive.
static hn_status check_model(const hn_fmu *fmu, char message[HN_MESSAGE]) {
  for (int i = 0; i < fmu->model->signal_count; i++)
    // as formulas would: a table in the file itself does
    if (fmu->model->signal[i].def.file)
      return hn_fail(message, HN_ERR_UNSUPPORTED,
                     "signal '%s' reads a file, which an FMU does not take along (write a table)",
                     fmu->model->signal[i].def.name);
  const char *ground = reads_heights(fmu->model);
  if (ground)
    return hn_fail(
        message, HN_ERR_UNSUPPORTED,
        "'%s' reads heights from a file, which an FMU does not take along (write heights)", ground);
  for (int i = 0; i < fmu->model->mesh_count; i++)
    if (!beside(fmu, fmu->model->mesh[i].path) ||
        !hn_robot_path_stays(beside(fmu, fmu->model->mesh[i].path)))
      return hn_fail(message, HN_ERR_UNSUPPORTED,
                     "a shape reads the file '%.200s', which is not in the folder of the model",
                     fmu->model->mesh[i].path);
  return HN_OK;
}

// ---- code of its own -----------------------------------------------------------------------

// the files of the code: those that are written, then those that are the same for all
enum { WRITTEN = 3, FILES = 8 };
typedef struct file {
  const char *name;
  const char *text;
  bool compiled;
} file;
typedef struct code {
  hn_unit_text unit;
  char token[80];
  char *same[FILES - WRITTEN];
  // three that are written, four that are copied
  file file[FILES];
  int count;
} code;

// the text of an embedded file: in an archive all of them lie in one folder
// In the repository the sources include each other by folder ("fmu/instance.h"); in an archive all
// lie side by side. The new text is never longer. free() it, NULL: none of that name, or out of
// memory.
static char *embedded(const char *name) {
  static const char folder[] = "#include \"fmu/";
  for (const hn_embedded_file *f = hn_embedded_fmu; f->name; f++) {
    if (strcmp(f->name, name) != 0) continue;
    char *text = malloc(f->size + 1), *to = text;
    for (const char *from = (const char *)f->data; text && *from;) {
      bool here = strncmp(from, folder, sizeof folder - 1) == 0;
      if (here) memcpy(to, "#include \"", 10), to += 10, from += sizeof folder - 1;
      if (!here) *to++ = *from++;
    }
    if (text) *to = 0;
    return text;
  }
  return NULL;
}

// Written files first (token, header, code of the model), then those that are the same for all.
// Texts belong to `c`; forget() them in any case.
static hn_status gather(code *c, hn_fmu *fmu, const hn_fmu_def *def, char message[HN_MESSAGE]) {
  static const struct {
    const char *name, *file;
    bool compiled;
  } same[] = {{"instance", "instance.h", false},
              {"coded", "coded.c", true},
              {"adjoint", "adjoint.c", true},
              {NULL, NULL, true}};
  char token[40];
  // false: forces may not switch at ends of steps, which integrators from outside would not see
  hn_status status = hn_fmu_code(fmu, "unit", def->step, false, &c->unit, message);
  if (status) return status;
  hn_fmu_token(token, fmu->text, fmu->length);
  // as a macro: the binary compares texts
  snprintf(c->token, sizeof c->token, "#define HN_FMU_TOKEN \"%s\"\n", token);
  c->file[c->count++] = (file){"token.h", c->token, false};
  c->file[c->count++] = (file){"unit.h", c->unit.header, false};
  c->file[c->count++] = (file){"unit.c", c->unit.source, true};
  for (int i = 0; i < 4; i++) {
    bool last = !same[i].name;
    // the last is that of the version: it includes the others
    const char *name = !last ? same[i].name : def->version == 2 ? "fmi2" : "fmi3";
    const char *own = !last ? same[i].file : def->version == 2 ? "fmi2.c" : "fmi3.c";
    char *text = c->same[i] = embedded(name);
    if (!text) return hn_fail(message, HN_ERR_UNSUPPORTED, "this build has no sources of FMUs");
    c->file[c->count++] = (file){own, text, same[i].compiled};
  }
  return HN_OK;
}

static void forget(code *c) {
  free(c->unit.header), free(c->unit.source);
  for (int i = 0; i < FILES - WRITTEN; i++) free(c->same[i]);
}

// one text of all files: headers stand before what includes them
// One compilation in place of several: the compiler sees everything, and nothing but the functions
// of FMI is visible outside. Includes of our own files are dropped, those of the C library stay.
static char *whole(const code *c) {
  hn_text t = {0};
  // headers first: what is compiled needs them
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < c->count; i++) {
      if (c->file[i].compiled != (pass == 1)) continue;
      for (const char *line = c->file[i].text; *line;) {
        size_t n = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        // with the newline, if there is one: a file may end without
        if (strncmp(line, "#include \"", 10) != 0) hn_text_add(&t, "%.*s", (int)n, line);
        line += n;
      }
    }
  if (!t.failed) return t.data;
  free(t.data);
  return NULL;
}

// FMI 2 lists its sources in the description, FMI 3 in a file of their own.
static void add_sources(hn_zip *zip, const code *c, const char *identifier, int version) {
  char name[80];
  hn_text t = {0};
  for (int i = 0; i < c->count; i++) {
    snprintf(name, sizeof name, "sources/%s", c->file[i].name);
    hn_zip_add(zip, name, c->file[i].text, strlen(c->file[i].text));
  }
  // compilers of FMI 2 importers find them in the description
  if (version == 2) return;
  hn_text_add(&t,
              "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription "
              "fmiVersion=\"3.0\">\n  <BuildConfiguration modelIdentifier=\"%s\">\n"
              "    <SourceFileSet language=\"C99\">\n",
              identifier);
  for (int i = 0; i < c->count; i++)
    if (c->file[i].compiled) hn_text_add(&t, "      <SourceFile name=\"%s\"/>\n", c->file[i].name);
  hn_text_add(&t, "      <PreprocessorDefinition name=\"HN_FMU\" value=\"1\"/>\n"
                  "    </SourceFileSet>\n    <Library name=\"m\"/>\n"
                  "  </BuildConfiguration>\n</fmiBuildDescription>\n");
  if (!t.failed)
    hn_zip_add(zip, "sources/buildDescription.xml", t.data, t.length);
  else
    zip->status = HN_ERR_MEMORY;
  free(t.data);
}

// ---- the archive ---------------------------------------------------------------------------

typedef struct binary {
  const void *bytes;
  size_t size;
  char *own;
} binary;

// HN_FMU=1 is what turns the functions of FMI on; -s takes symbols out that nobody needs.
static hn_status make_binary(binary *b, const code *c, char message[HN_MESSAGE]) {
  char *text = whole(c);
  hn_status status = text ? hn_compile_object(text, "-DHN_FMU=1 -fvisibility=hidden -s", &b->own,
                                              &b->size, message, HN_MESSAGE)
                          : hn_fail(message, HN_ERR_MEMORY, "out of memory");
  b->bytes = b->own;
  free(text);
  return status;
}

// The same model gives the same archive, byte for byte: dates are fixed (zip.c), and the token is a
// hash of the text.
static hn_status write_archive(const hn_fmu *fmu, const hn_fmu_def *def, const code *c,
                               const binary *b, const char *path, char message[HN_MESSAGE]) {
  char identifier[64], name[160];
  hn_zip zip;
  identifier_of(identifier, hn_model_name(fmu->model));
  char *description =
      // of FMI 3 sources are in buildDescription.xml
      hn_fmu_describe(fmu, def->version, identifier, def->sources && def->version == 2);
  char *own = def->page ? NULL : hn_fmu_page(fmu);
  hn_status status = HN_ERR_MEMORY;
  if (description && (own || def->page))
    status = hn_zip_open(&zip, path, message);
  else
    hn_fail(message, HN_ERR_MEMORY, "out of memory");
  if (!status) {
    // texts pack well; binaries are packed as well as they can be
    zip.pack = true;
    hn_zip_add(&zip, "modelDescription.xml", description, strlen(description));
    hn_zip_add(&zip, "resources/model.yaml", fmu->text, fmu->length);
    snprintf(name, sizeof name, "binaries/%s/%s.so", def->version == 2 ? "linux64" : "x86_64-linux",
             identifier);
    // FMUs of sources alone have no binary
    if (b->bytes) hn_zip_add(&zip, name, b->bytes, b->size);
    add_meshes(&zip, fmu);
    hn_zip_add(&zip, "documentation/index.html", own ? own : def->page,
               own ? strlen(own) : def->page_size);
    if (def->sources) add_sources(&zip, c, identifier, def->version);
    status = hn_zip_close(&zip, message);
  }
  free(description), free(own);
  return status;
}

// `text` is the model file, `name` its path, from which files it names are counted. On failure
// nothing stands at `path` that was not there before.
hn_status hn_fmu_write(const char *text, size_t length, const char *name, const hn_fmu_def *def,
                       const char *path, char *message, size_t size) {
  char reason[HN_MESSAGE] = "";
  hn_fmu *fmu = NULL;
  code c = {0};
  if (!text || !def || !path || (def->version != 2 && def->version != 3)) return HN_ERR_ARGUMENT;
  bool own = def->coded || def->sources;
  // own: the binary comes from the code of this model
  binary b = {.bytes = own ? NULL : def->binary, .size = def->binary_size};
  hn_status status = hn_fmu_create(&fmu, text, length, name ? name : "model", own);
  if (status) snprintf(reason, sizeof reason, "%s", fmu ? fmu->message : "out of memory");
  // before code is written: it may take seconds
  if (!status) status = check_model(fmu, reason);
  if (!status && own) status = gather(&c, fmu, def, reason);
  if (!status && def->coded) status = make_binary(&b, &c, reason);
  if (!status) status = write_archive(fmu, def, &c, &b, path, reason);
  forget(&c);
  free(b.own);
  hn_fmu_destroy(fmu);
  if (message && size) snprintf(message, size, "%s", reason);
  return status;
}
