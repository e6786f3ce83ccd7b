// import.h: robot files for the reader of model files.
#ifndef HN_IMPORT_H
#define HN_IMPORT_H

#include "base/base.h"

// is it a robot file: XML, or a dataset of ADAMS, which is told by its name (.adm)?
bool hn_import_is_robot(const char *text, size_t length, const char *file);
// the model file and the report of a robot file, both to be free()d; `file` stands for it in
// messages, and files it names are looked for beside it
hn_status hn_import_text(const char *text, size_t length, const char *file, bool lenient,
                         char **model, char **report, char message[HN_MESSAGE]);

#endif
