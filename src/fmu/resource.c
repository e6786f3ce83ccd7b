// resource.c: an instance from the resources of an unpacked FMU.
//
// Only FMUs with the library come here: the model file among the resources is what they are. FMI 2
// gives an address (file:///...), FMI 3 a path; both may end in a slash.
#include "fmu/fmu.h"

#include "base/file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int hex(char c) {
  // only after isxdigit()
  return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

// the path of a file address, or a path as it is
// %41 stands for a byte. false: too long for `out`, or no path in it.
static bool path_of(const char *address, char *out, size_t size) {
  size_t n = 0;
  if (strncmp(address, "file:", 5) == 0) {
    address += 5;
    // a local path has none of what follows
    if (strncmp(address, "//", 2) == 0) {
      // a host, mostly none, and then the path
      address = strchr(address + 2, '/');
      if (!address) return false;
    }
    // one place is kept for the end
    for (; *address && n + 1 < size; address++) {
      bool escaped = *address == '%' && isxdigit((unsigned char)address[1]) &&
                     isxdigit((unsigned char)address[2]);
      out[n++] = escaped ? (char)(16 * hex(address[1]) + hex(address[2])) : *address;
      if (escaped) address += 2;
    }
  } else {
    for (; *address && n + 1 < size; address++) out[n++] = *address;
  }
  // cut short it would be another folder
  if (*address) return false;
  // the root keeps its slash
  while (n > 1 && out[n - 1] == '/') n--;
  out[n] = 0;
  return n > 0;
}

// The token is computed anew from the text, so that a model file that was changed is refused.
hn_fmu *hn_fmu_open(const char *resources, const char *token, bool exchange,
                    char message[HN_FMU_MESSAGE]) {
  // folders of importers are long: temporary ones with names of tests in them
  char folder[3000], path[3100], own[40], *text = NULL;
  size_t length = 0;
  hn_fmu *fmu = NULL;
  if (!resources || !path_of(resources, folder, sizeof folder)) {
    hn_fail(message, HN_ERR_ARGUMENT, "the folder of the resources is missing");
    return NULL;
  }
  // the name counts for files that the model names: they lie beside it
  snprintf(path, sizeof path, "%s/model.yaml", folder);
  if (hn_load_file(&text, &length, path, message)) return NULL;
  hn_fmu_token(own, text, length);
  if (!token || strcmp(token, own) != 0)
    hn_fail(message, HN_ERR_ARGUMENT, "the token is not that of this model");
  // the instance is there after a failure too, with the reason
  else if (hn_fmu_create(&fmu, text, length, path, false)) {
    hn_fail(message, HN_ERR_MODEL, "%s", fmu ? fmu->message : "out of memory");
    hn_fmu_destroy(fmu);
    fmu = NULL;
  } else if (exchange && !hn_fmu_exchanges(fmu)) {
    hn_fail(message, HN_ERR_UNSUPPORTED, "no model exchange with sampled controllers");
    hn_fmu_destroy(fmu);
    fmu = NULL;
  } else {
    fmu->exchange = exchange;
  }
  free(text);
  return fmu;
}
