#!/bin/sh
# run.sh [HOLON]: writes the model as C, compiles it for this machine and for a Cortex-M7, runs both (the
# second by qemu) and compares their numbers. 0: equal to round-off
set -eu
here=$(cd "$(dirname "$0")" && pwd)
holon=${1:-$here/../../build/holon}
for tool in arm-none-eabi-gcc qemu-system-arm cc python3; do
  command -v "$tool" >/dev/null || { echo "$tool is missing (Debian: gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm)"; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$holon" code "$here/linkage.yaml" --unit --step 1ms --out linkage.c
warn="-std=c11 -O2 -ffp-contract=off -Wall -Wextra -Werror -I."
# shellcheck disable=SC2086
{
  cc $warn linkage.c "$here/controller.c" "$here/host.c" -lm -o host
  arm-none-eabi-gcc $warn -ffreestanding -mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16 -ffunction-sections \
    -nostartfiles -T "$here/board.ld" -Wl,--gc-sections linkage.c "$here/controller.c" "$here/board.c" -lm -o board.elf
}
arm-none-eabi-size board.elf
if arm-none-eabi-nm board.elf | grep -qw 'malloc\|_sbrk'; then
  echo "there is a heap in it"
  exit 1
fi
./host >host.txt
qemu-system-arm -machine mps2-an500 -display none -monitor none -serial none -chardev file,id=out,path=board.txt \
  -semihosting-config enable=on,target=native,chardev=out -kernel board.elf
python3 - <<'P'
import struct
def rows(name):
    return [[struct.unpack(">d", bytes.fromhex(x))[0] for x in line.split()] for line in open(name)]
host, board = rows("host.txt"), rows("board.txt")
assert len(host) == len(board) == 11 and all(len(r) == 5 for r in host + board)
worst = max(abs(x - y) / max(1, abs(x)) for r, s in zip(host, board) for x, y in zip(r, s))
print(f"{len(host)} rows after {host[-1][0]:.3f} s, crank at {host[-1][1]:.6f} rad: they differ by {worst:.1e}")
assert host[-1][0] > 1.999 and worst < 1e-11
P
echo "1 passed, 0 failed"
