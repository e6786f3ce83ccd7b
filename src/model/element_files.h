// element_files.h: reading files of finite elements line by line, for those who do:
// finite_elements.c and calculix.c.
#ifndef HN_ELEMENT_FILES_H
#define HN_ELEMENT_FILES_H

#include <stdio.h>

#include "model/finite_elements.h"

enum { HN_ELEMENT_LINE = 1024, HN_ELEMENT_NODES = 20000, HN_ELEMENT_NUMBERS = 5000000 };

typedef struct hn_element_file {
  const char *path;
  FILE *stream;
  long line;
  char text[HN_ELEMENT_LINE];
  char *message;
} hn_element_file;

// a path, or the text of a file itself, which has several lines; `key` stands for that in messages
hn_status hn_element_open(hn_element_file *file, const char *key, const char *path, char *message);
// "path:line: what"
hn_status hn_element_broken(const hn_element_file *file, const char *what);
// the next line that is neither empty nor begins with one of `comment`; false at the end, or after
// a failure
bool hn_element_line(hn_element_file *file, const char *comment, hn_status *status);
// `count` finite numbers, with blanks or commas between them, and nothing else
bool hn_element_numbers(const char *text, int count, double *x);
bool hn_element_whole(double x, double least, double most);
// one more node: its number and place; rooms of the two arrays
hn_status hn_element_node(const hn_element_file *file, hn_finite_elements *e, const double x[4],
                          int *numbers, int *places);

typedef struct hn_element_entry {
  int row, column;
  double value;
} hn_element_entry;
// columns from entries, both halves; those of one place are added up. false: out of memory
bool hn_element_matrix(hn_matrix *A, int n, hn_element_entry *list, int count);

// calculix.c: JOB.inp, JOB.sti, JOB.mas and JOB.dof
hn_status hn_calculix_read(hn_finite_elements *out, const char *job, char message[HN_MESSAGE]);

#endif
