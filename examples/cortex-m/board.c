// board.c: what a Cortex-M7 needs before main, and a way out for text: the debugger, or qemu in its
// place (semihosting).
#include <stdint.h>

int main(void);
void put_text(const char *text);
void reset(void);
extern uint32_t data_from[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];

static int ask(int what, const void *with) {
  register int r0 __asm__("r0") = what;
  register const void *r1 __asm__("r1") = with;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void put_text(const char *text) {
  ask(0x04, text);  // SYS_WRITE0
}

static void leave(int code) {
  const int32_t how[] = {0x20026, code};  // the program ended
  ask(0x20, how);                         // SYS_EXIT_EXTENDED
  for (;;) {
  }
}

void reset(void) {
  *(volatile uint32_t *)0xe000ed88 |= 0xfu << 20;  // the floating-point unit is there
  for (uint32_t *to = data_begin, *from = data_from; to != data_end;) *to++ = *from++;
  for (uint32_t *to = bss_begin; to != bss_end;) *to++ = 0;
  leave(main());
}

static void fault(void) {
  put_text("fault\n");
  leave(2);
}

__attribute__((section(".vectors"), used)) static void *const vectors[] = {stack_top, reset, fault,
                                                                           fault};
