// resource.h: what the binaries of both standards begin with.
#ifndef HN_FMU_RESOURCE_H
#define HN_FMU_RESOURCE_H

#include "fmu/fmu.h"

// violation of the constraints beyond which an integration from outside is brought back
extern const double hn_fmu_drift;
// the model among the resources of an unpacked FMU, a path or a file address; the token must be its
// own. NULL, and a message, on failure
hn_fmu *hn_fmu_from_resources(const char *resources, const char *token, char message[HN_MESSAGE]);

#endif
