// host.c: where there is an operating system.
#include <stdio.h>

void put_text(const char *text);
void put_text(const char *text) {
  fputs(text, stdout);
}
