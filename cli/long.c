// long.c: what commands that take their time share: interrupts.
#include "common.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t stops_wanted;

// a signal asks for an end at the next step; who insists gets it at once. Programs that watch over
// others may send one twice, so the third counts
static void want_stop(int number) {
  stops_wanted++;
  if (stops_wanted < 3) return;
  signal(number, SIG_DFL);
  raise(number);
}

void catch_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  stops_wanted = 0;
  for (int i = 0; i < 3; i++) {
    struct sigaction old, action;
    memset(&action, 0, sizeof action);
    action.sa_handler = want_stop;
    sigemptyset(&action.sa_mask);
    // started in the background by a script: the terminal's Ctrl-C is not meant for this program
    if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
      sigaction(numbers[i], &action, NULL);
  }
}

bool stop_wanted(void) {
  return stops_wanted > 0;
}

void forget_stop(void) {
  stops_wanted = 0;
}
