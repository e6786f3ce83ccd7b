// members_native.c: code for members, compiled for this processor.
// Lanes are vectors of GCC's and Clang's vector extensions: the same C with another type. Code for
// more lanes than one takes fused products, unless the same bits are asked for; the audit of each
// member stands for it.
#include "code/compiler.h"
#include "code/members.h"

#include <stdio.h>
#include <stdlib.h>

// two lanes are in every processor of 64 bits; wider ones are asked for
int hn_members_lanes(void) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx512f")) return 8;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 4;
#endif
  return 2;
}

// more than the library's: loops over lanes are to be unrolled
static const char *const lane_flags = "-O3 -fno-math-errno";

// -w: what compilers say about written code helps nobody
static const char *flags_of(int lanes, bool fused) {
  switch (lanes) {
  case 8:
    return fused ? "-std=gnu17 -w -DHOLON_LANES=8 -mavx512f -mavx2 -mfma -ffp-contract=fast"
                 : "-std=gnu17 -w -DHOLON_LANES=8 -mavx512f -mavx2 -ffp-contract=off";
  case 4:
    return fused ? "-std=gnu17 -w -DHOLON_LANES=4 -mavx2 -mfma -ffp-contract=fast"
                 : "-std=gnu17 -w -DHOLON_LANES=4 -mavx2 -ffp-contract=off";
  case 2: return "-std=gnu17 -w -DHOLON_LANES=2 -ffp-contract=off";
  default: return "-std=gnu17 -w -DHOLON_LANES=1 -ffp-contract=off";
  }
}

hn_status hn_members_compile(hn_members_code *code, const hn_members_text *text, int lanes,
                             hn_members_numbers numbers, char *message, size_t size) {
  *code = (hn_members_code){.lanes = lanes};
  hn_status status =
      hn_compile_text(text->text, lanes > 1 ? lane_flags : NULL,
                      flags_of(lanes, numbers == HN_NUMBERS_FAST), &code->handle, message, size);
  if (!status && (!hn_find_function(code->handle, "holon_prepare", &code->prepare) ||
                  !hn_find_function(code->handle, "holon_members", &code->run))) {
    snprintf(message, size, "the code cannot be loaded");
    status = HN_ERR_FILE;
  }
  return status;
}

void hn_members_unload(hn_members_code *code) {
  hn_unload(code->handle);
  *code = (hn_members_code){0};
}
