// status.h: what functions answer, memory they hand over, texts and files that are safe.
#ifndef HOLON_STATUS_H
#define HOLON_STATUS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// what a shared library shows of itself; everything else is hidden
#if defined(__GNUC__)
#define HN_API __attribute__((visibility("default")))
#else
#define HN_API
#endif

// How a call ended. HN_OK is zero, so that `if (call(...))` reads "if it failed". Codes are for
// programs, sentences for people: these are in the object the call was about, or in its `message`.
// * HN_ERR_MEMORY, _FILE: may go well another time.
// * HN_ERR_ARGUMENT, _SYNTAX: the call or the text is wrong, and stays so.
// * HN_ERR_MODEL, _UNSUPPORTED: well formed, but no mechanism, or none for what was asked.
// * HN_ERR_ASSEMBLY: the joints do not close; the sentence names one that stays open.
// * HN_ERR_SINGULAR, _DIVERGED, _STEP, _LOCKED: of runs. The last good state stands.
// * HN_ERR_INTERRUPTED: a function of the caller asked for it.
//
// one list: enumerator and text cannot drift apart
#define HN_STATUS_LIST(X)                                                                          \
  X(HN_OK, "no error")                                                                             \
  X(HN_ERR_MEMORY, "out of memory")                                                                \
  X(HN_ERR_ARGUMENT, "argument out of range or of the wrong kind")                                 \
  X(HN_ERR_FILE, "file cannot be read or written")                                                 \
  X(HN_ERR_SYNTAX, "text is not well formed")                                                      \
  X(HN_ERR_MODEL, "the model makes no mechanical sense")                                           \
  X(HN_ERR_UNSUPPORTED, "this combination is not possible")                                        \
  X(HN_ERR_ASSEMBLY, "the joints cannot be closed from the values given")                          \
  X(HN_ERR_SINGULAR, "the equations have no unique solution")                                      \
  X(HN_ERR_DIVERGED, "the motion became unbounded or not a number")                                \
  X(HN_ERR_STEP, "the step size fell below its minimum")                                           \
  X(HN_ERR_INTERRUPTED, "stopped by the caller")                                                   \
  X(HN_ERR_LOCKED, "the mechanism locks: its motion ends")

// numbers follow the list; new ones are added at its end
typedef enum hn_status {
#define HN_X(name, text) name,
  HN_STATUS_LIST(HN_X)
#undef HN_X
} hn_status;

// the text of the list, for logs; the library owns it
HN_API const char *hn_status_text(hn_status status);
// Releases memory that the library hands over to be released (texts, bytes). Programs that have the
// same C library as it may call free() as well.
HN_API void hn_free(void *memory);
// Names and messages come out of the library printable. Text from elsewhere (names of files) may
// hold characters that steer a terminal: control characters, separators of lines, turned writing.
HN_API bool hn_is_printable(const char *text);
HN_API void hn_make_printable(char *text);  // in place: a question mark for each of their bytes
// Writes a file whole or not at all, as everything here that writes one: links are followed, the
// mode of a file that is there is kept, and what is no file (folder, device, pipe) is refused.
HN_API hn_status hn_file_write(const char *path, const void *bytes, size_t length, char *message,
                               size_t size);
HN_API const char *hn_file_refusal(const char *path);  // why it could not; NULL: it could

#ifdef __cplusplus
}
#endif
#endif
