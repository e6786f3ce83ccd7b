// import.h: robot files for the reader of model files.
#ifndef HN_IMPORT_H
#define HN_IMPORT_H

#include "base/base.h"

// does the text begin as XML does?
bool hn_import_is_xml(const char *text, size_t length);
// the model file and the report of a robot file, both to be free()d; `file` stands for it in
// messages, and files it names are looked for beside it
hn_status hn_import_text(const char *text, size_t length, const char *file, bool lenient,
                         char **model, char **report, char message[HN_MESSAGE]);

#endif
