// terminal.h: what is said on a terminal and nowhere else: colours, and how far long work is.
//
// Colours are for terminals: not for files and pipes, not where NO_COLOR is set or TERM is `dumb`.
#ifndef CLI_TERMINAL_H
#define CLI_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>

typedef enum tone { TONE_GOOD, TONE_BAD, TONE_DOUBTFUL, TONE_TITLE } tone;

// before and after coloured text; "" where there are no colours
const char *tone_on(FILE *out, tone kind);
const char *tone_off(FILE *out);
// the tone of a verdict ("pass", "FAIL" ...), or -1
int verdict_tone(const char *word);

// characters of a line; without end where it is no terminal
int terminal_width(FILE *out);

// One line on standard error that is drawn over and over, after the first half second: name, bar,
// time left. Where it is no terminal, nothing is drawn
typedef struct progress_bar {
  bool shown, drawn;
  char name[40];
  double began, last;  // [s]
} progress_bar;
void bar_begin(progress_bar *b, const char *name, bool quiet);
// `part` of the work is done, 0 to 1, negative where nobody knows; `text` says more. Cheap enough
// for every step
void bar_draw(progress_bar *b, double part, const char *text);
void bar_end(progress_bar *b);  // the line is empty again
// for hn_run: `user` is a bar; false when an end is wanted
bool bar_step(void *user, double t, double duration);

// the same for work that does not tell how far it is: name and seconds, drawn beside it
void wait_begin(const char *name, bool quiet);
void wait_end(void);

// a help screen, in lines of 80 columns
void print_usage(FILE *out, const char *text);

#endif
