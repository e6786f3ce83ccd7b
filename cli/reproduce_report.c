// reproduce_report.c: what a reproduction found, as a list of items; told on the screen at once.
#include "reproduce_report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 2048, COLUMNS = 4 };

const char *const verdict_words[] = {"agrees", "differs", "FAILS", ""};

// owned by report_open and report_close
struct report {
  const paper *paper;
  const char *folder;  // NULL: on the screen only
  bool broken;         // something could not be written or remembered
  int verdicts[4];     // how many of each
  int count, capacity;
  item *item;
  int told;  // items before this one are on the screen
};

report *report_open(const paper *p, const char *folder) {
  report *r = calloc(1, sizeof *r);
  if (!r) {
    // a report without memory goes on and is told to be broken at its end
    fputs("holon: out of memory\n", stderr);
    return NULL;
  }
  r->paper = p;
  r->folder = folder;
  int indent = printf("%s: ", p->name);
  print_wrapped(stdout, indent, p->title);
  return r;
}

// ---- items ---------------------------------------------------------------------------------

// a copy; NULL stays NULL
static char *keep(report *r, const char *text) {
  if (!text) return NULL;
  size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  if (copy)
    memcpy(copy, text, size);
  else
    r->broken = true;
  return copy;
}

// NULL, and the report is broken, when memory is short
static item *add(report *r, item_kind kind, const char *text) {
  if (r->count == r->capacity) {
    int capacity = 2 * r->capacity + 32;
    item *grown = realloc(r->item, (size_t)capacity * sizeof *grown);
    if (!grown) {
      r->broken = true;
      return NULL;
    }
    r->item = grown;
    r->capacity = capacity;
  }
  item *i = &r->item[r->count++];
  *i = (item){.kind = kind, .text = keep(r, text), .verdict = NO_CLAIM};
  return i;
}

void report_heading(report *r, const char *text) {
  add(r, ITEM_HEADING, text);
  printf("\n%s\n", text);
  // a line as long as the heading, in bytes
  for (size_t i = strlen(text); i > 0; i--) putchar('-');
  putchar('\n');
}

void report_text(report *r, const char *format, ...) {
  char text[TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  add(r, ITEM_TEXT, text);
  putchar('\n');
  print_wrapped(stdout, 0, text);
}

// counts as a claim that fails
int report_failure(report *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fflush(stdout);
  fputs("holon: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  r->verdicts[FAILS]++;
  return CODE_FAILED;
}

// a rule that can fail decides; a reason is asked for where it does not agree
verdict judge(bool agrees, bool explained) {
  return agrees ? AGREES : explained ? DIFFERS : FAILS;
}

static void add_claim(report *r, const char *quantity, const char *published, verdict v,
                      const char *reason, const char *found) {
  item *i = add(r, ITEM_CLAIM, quantity);
  if (!i) return;
  // a difference without a reason is a failure
  i->verdict = v == DIFFERS && !reason ? FAILS : v;
  i->published = keep(r, published);
  i->found = keep(r, found);
  if (i->verdict == DIFFERS) i->reason = keep(r, reason);
  r->verdicts[i->verdict]++;
}

void report_claim(report *r, const char *quantity, const char *published, verdict v,
                  const char *reason, const char *format, ...) {
  char found[TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(found, sizeof found, format, args);
  va_end(args);
  add_claim(r, quantity, published, v, reason, found);
}

// told for comparison, judged by nobody
void report_value(report *r, const char *quantity, const char *format, ...) {
  char found[TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(found, sizeof found, format, args);
  va_end(args);
  add_claim(r, quantity, "", NO_CLAIM, NULL, found);
}

// ---- tables on the screen ------------------------------------------------------------------

// reasons are told below the table; the same reason has one number
static int note_number(const report *r, int first, int at) {
  int number = 0;
  for (int i = first; i <= at; i++) {
    if (!r->item[i].reason) continue;
    int k = first;
    while (!r->item[k].reason || strcmp(r->item[k].reason, r->item[i].reason) != 0) k++;
    if (k == i) number++;
    if (i == at && k < i) return note_number(r, first, k);
  }
  return number;
}

static void print_notes(const report *r, int first) {
  int told = 0;
  for (int i = first; i < r->count; i++) {
    if (!r->item[i].reason || note_number(r, first, i) <= told) continue;
    told++;
    int indent = printf("%s  (%d) ", told > 1 ? "" : "\n", told) - (told > 1 ? 0 : 1);
    print_wrapped(stdout, indent, r->item[i].reason);
  }
}

void report_table(report *r) {
  // a table has what came since the last one
  int first = r->told, rows = 1;
  size_t most = (size_t)(r->count - first) + 1;
  const char **cells = calloc(most * COLUMNS, sizeof *cells);
  char(*last)[CELL] = calloc(most, sizeof *last);
  static const char *const heading[COLUMNS] = {"quantity", "published", "holon", "verdict"};
  if (cells && last && !r->broken) {
    memcpy(cells, heading, sizeof heading);
    for (int i = first; i < r->count; i++) {
      const item *c = &r->item[i];
      if (c->kind != ITEM_CLAIM) continue;
      const char **row = cells + (size_t)rows * COLUMNS;
      if (c->reason)
        snprintf(last[rows], CELL, "%s (%d)", verdict_words[c->verdict], note_number(r, first, i));
      else
        snprintf(last[rows], CELL, "%s", verdict_words[c->verdict]);
      row[0] = c->text, row[1] = c->published, row[2] = c->found, row[3] = last[rows++];
    }
    putchar('\n');
    print_table(stdout, "llll", rows, cells);
    print_notes(r, first);
  }
  free(cells);
  free(last);
  r->told = r->count;
}

// ---- pictures ------------------------------------------------------------------------------

static void add_figure(report *r, bool drawn, const char *file, const char *caption,
                       const char *title) {
  item *i = drawn ? add(r, ITEM_FIGURE, caption) : NULL;
  if (!i) {
    r->broken = true;
    return;
  }
  i->file = keep(r, file);
  i->title = keep(r, title);
}

// without a folder nothing is drawn
void report_chart(report *r, const char *file, const char *caption, const chart *c) {
  char path[PATH_SIZE];
  if (!r->folder || c->count == 0) return;
  add_figure(r, join_path(path, r->folder, file) && draw_chart(c, path), file, caption, c->title);
}

void report_bars(report *r, const char *file, const char *caption, const char *title, int count,
                 const char *const *names, const double *values) {
  char path[PATH_SIZE];
  if (!r->folder) return;
  add_figure(r, join_path(path, r->folder, file) && draw_bars(title, count, names, values, path),
             file, caption, title);
}

// ---- the end -------------------------------------------------------------------------------

int report_close(report *r, int code) {
  char text[200];
  const int *n = r->verdicts;
  snprintf(text, sizeof text, "%d claim%s agree%s, %d differ%s for the reasons given, %d fail%s",
           n[AGREES], plural(n[AGREES]), n[AGREES] == 1 ? "s" : "", n[DIFFERS],
           n[DIFFERS] == 1 ? "s" : "", n[FAILS], n[FAILS] == 1 ? "s" : "");
  // one line that says it all
  printf("\n%s\n", text);
  if (r->folder && !r->broken && !write_pages(r->paper, r->folder, r->count, r->item, text))
    r->broken = true;
  if (r->broken) fputs("holon: the report is not complete\n", stderr);
  // failing claims are a failure of the program, so that scripts see them
  if (code == CODE_DONE && (r->broken || n[FAILS])) code = CODE_FAILED;
  for (int i = 0; i < r->count; i++) {
    item *k = &r->item[i];
    char *const owned[] = {k->text, k->published, k->found, k->reason, k->file, k->title};
    for (size_t j = 0; j < sizeof owned / sizeof *owned; j++) free(owned[j]);
  }
  free(r->item);
  free(r);
  return code;
}
