// load.c: a file into a model, whether it is a model file or that of a robot.
//
// The size is limited before anything is looked at: a file that grows while it is read, a device or
// a pipe cannot take more memory than the limit of YAML files, of which one byte more is asked for.
#include "io/yaml.h"
#include "model/model.h"
#include "robots/import.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// a robot file, by way of the model file that hn_import makes of it
static hn_status load_robot(hn_model *model, const char *text, size_t length, const char *path) {
  char *yaml, *report, message[HN_MESSAGE], name[HN_MESSAGE];
  hn_status status = hn_import_text(text, length, path, false, &yaml, &report, message);
  if (status) return hn_model_fail(model, (hn_place){0}, status, "%s", message);
  snprintf(name, sizeof name, "%.200s (as holon import writes it)", path);
  status = hn_model_parse(model, yaml, strlen(yaml), name);
  free(yaml), free(report);
  return status;
}

// Messages about a robot file name the file that was given and the line of the model file made of
// it, since it is that text which the reader of models refuses (load_robot).
hn_status hn_model_load(hn_model *model, const char *path) {
  if (!model || !path) return HN_ERR_ARGUMENT;
  errno = 0;
  FILE *stream = fopen(path, "rb");
  char *text = stream ? malloc(HN_YAML_SIZE + 1) : NULL;
  size_t length = text ? fread(text, 1, HN_YAML_SIZE + 1, stream) : 0;
  hn_status status = HN_OK;
  if (!stream || (text && ferror(stream)))
    status = hn_model_fail(model, (hn_place){0}, errno == ENOMEM ? HN_ERR_MEMORY : HN_ERR_FILE,
                           "%.200s: cannot be read: %s", path, strerror(errno ? errno : EIO));
  else if (!text)
    status = hn_model_fail(model, (hn_place){0}, HN_ERR_MEMORY, "out of memory");
  if (stream) fclose(stream);
  // one byte more than allowed is enough to be refused
  if (!status)
    status = hn_import_is_robot(text, length, path) ? load_robot(model, text, length, path)
                                                    : hn_model_parse(model, text, length, path);
  free(text);
  return status;
}
