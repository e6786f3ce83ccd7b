// reproduce_report.h: a report from beginning to end; papers use reproduce.h only.
#ifndef CLI_REPRODUCE_REPORT_H
#define CLI_REPRODUCE_REPORT_H

#include "reproduce.h"

typedef enum item_kind { ITEM_HEADING, ITEM_TEXT, ITEM_CLAIM, ITEM_FIGURE } item_kind;

// all texts are owned
typedef struct item {
  item_kind kind;
  char *text;               // of a heading or text; quantity of a claim; caption of a figure
  char *published, *found;  // of a claim
  char *reason;             // why it differs, or NULL
  char *file, *title;       // of a figure
  verdict verdict;
} item;

extern const char *const verdict_words[];  // by verdict

report *report_open(const paper *p, const char *folder);  // NULL, and said why
int report_close(report *r, int code);                    // the exit code

// report.md and report.html; false, and said so, when one cannot be written
bool write_pages(const paper *p, const char *folder, int count, const item *items,
                 const char *summary);
#endif
