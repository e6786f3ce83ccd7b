// archive.c: the file of an FMU: description, model and binary.
#include "fmu/fmu.h"

#include "base/file.h"
#include "io/zip.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// the name of the binary: letters, digits and _ of the model's
static void identifier_of(char out[64], const char *name) {
  int n = 0;
  if (!isalpha((unsigned char)*name)) out[n++] = 'm';
  for (; *name && n < 60; name++)
    out[n++] = isalnum((unsigned char)*name) && (unsigned char)*name < 128 ? *name : '_';
  out[n] = 0;
}

// what reads files would need these files beside the model
static hn_status check_model(const hn_fmu *fmu, char message[HN_MESSAGE]) {
  for (int i = 0; i < fmu->model->signal_count; i++)
    if (fmu->model->signal[i].def.file)
      return hn_fail(message, HN_ERR_UNSUPPORTED,
                     "signal '%s' reads a file, which an FMU does not take along (write a table)",
                     fmu->model->signal[i].def.name);
  if (fmu->model->mesh_count)
    return hn_fail(message, HN_ERR_UNSUPPORTED,
                   "a shape reads the file '%.200s', which an FMU does not take along (give mass "
                   "and inertia)",
                   fmu->model->mesh[0].path);
  return HN_OK;
}

static hn_status write_archive(const hn_fmu *fmu, const hn_fmu_def *def, const char *path,
                               char message[HN_MESSAGE]) {
  char identifier[64], name[160];
  hn_zip zip;
  identifier_of(identifier, hn_model_name(fmu->model));
  char *description = hn_fmu_describe(fmu, def->version, identifier);
  if (!description) return hn_fail(message, HN_ERR_MEMORY, "out of memory");
  hn_status status = hn_zip_open(&zip, path, message);
  if (!status) {
    hn_zip_add(&zip, "modelDescription.xml", description, strlen(description));
    hn_zip_add(&zip, "resources/model.yaml", fmu->text, fmu->length);
    snprintf(name, sizeof name, "binaries/%s/%s.so", def->version == 2 ? "linux64" : "x86_64-linux",
             identifier);
    hn_zip_add(&zip, name, def->binary, def->binary_size);
    status = hn_zip_close(&zip, message);
  }
  free(description);
  return status;
}

hn_status hn_fmu_write(const char *text, size_t length, const char *name, const hn_fmu_def *def,
                       const char *path, char *message, size_t size) {
  char reason[HN_MESSAGE] = "";
  hn_fmu *fmu = NULL;
  if (!text || !def || !path || (def->version != 2 && def->version != 3)) return HN_ERR_ARGUMENT;
  hn_status status = hn_fmu_create(&fmu, text, length, name ? name : "model");
  if (status) snprintf(reason, sizeof reason, "%s", fmu ? fmu->message : "out of memory");
  if (!status) status = check_model(fmu, reason);
  if (!status) status = write_archive(fmu, def, path, reason);
  hn_fmu_destroy(fmu);
  if (message && size) snprintf(message, size, "%s", reason);
  return status;
}
