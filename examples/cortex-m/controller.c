// controller.c: a control loop with the mechanism in it, for a microcontroller and for the machine
// it is compared with. There is no heap, and nothing but mathematics of the C library.
#include "linkage.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

void put_text(const char *text);  // board.c, host.c

// numbers as their bits: nothing is lost, and no printf is needed
static void put_number(double x) {
  char text[18];
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  for (int i = 0; i < 16; i++) text[i] = "0123456789abcdef"[bits >> (60 - 4 * i) & 15];
  text[16] = ' ', text[17] = 0;
  put_text(text);
}

enum { ANGLE, RATE };

int main(void) {
  linkage m;
  double out[linkage_outputs];
  linkage_init(&m);
  for (int k = 0; k <= 2000; k++) {
    linkage_get_outputs(&m, out);
    if (k % 200 == 0) {
      put_number(m.t);
      for (int i = 0; i < linkage_outputs; i++) put_number(out[i]);
      put_text("\n");
    }
    // the crank swings slowly, held by a controller of the usual kind
    double wanted = 0.6 * sin(3 * m.t), torque = 80 * (wanted - out[ANGLE]) - 6 * out[RATE];
    linkage_set_inputs(&m, &torque);
    if (linkage_step(&m, 1e-3)) return 1;
  }
  return 0;
}
