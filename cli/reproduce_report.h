// reproduce_report.h: beginning and end of a report; papers use reproduce.h only.
#ifndef CLI_REPRODUCE_REPORT_H
#define CLI_REPRODUCE_REPORT_H

#include "reproduce.h"

report *report_open(const paper *p, const char *folder);  // NULL, and said why
int report_close(report *r, int code);                    // the exit code
#endif
