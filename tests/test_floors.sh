#!/bin/sh
# Folders of src/ look down only (scripts/floors.sh), and the script notices when one does not.
#
# usage: test_floors.sh SOURCE OBJECTS COMPILER      in an empty folder
root=$1
objects=$2
cc=$3
# what is made here would lie among the sources
if [ -n "$(ls -A)" ]; then
  echo "$0 works in an empty folder"
  exit 2
fi
log=$("$root/scripts/floors.sh" "$objects")
printf '%s\n' "$log" | grep '^failed'
counts=$(printf '%s\n' "$log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
passed=${counts% *}
failed=${counts#* }

# caught WORDS: the script, run in the little house, complains with these
caught() {
  if scripts/floors.sh objects | grep -q "^failed: $1"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "not caught: $1"
  fi
}

# a house of three rooms
mkdir -p scripts cli objects/src/base objects/src/io src/base src/io
cp "$root/scripts/floors.sh" scripts
cp "$root/ARCHITECTURE.md" .
echo 'int hn_low(void);' >src/base/low.h
echo 'int hn_low(void) { extern int hn_high(void); return hn_high(); }' >src/base/low.c
printf '#include "base/low.h"\nint hn_high(void) { return hn_low(); }\n' >src/io/high.c
for source in src/base/low.c src/io/high.c; do
  "$cc" -Isrc -c "$source" -o "objects/$source.o" || exit 1
done
caught 'symbol: src/base/low.c (base) looks at hn_high (io)'
sed -i 's/ extern.*$/ return 1; }/' src/base/low.c
"$cc" -Isrc -c src/base/low.c -o objects/src/base/low.c.o
if scripts/floors.sh objects >log; then passed=$((passed + 1)); else
  failed=$((failed + 1))
  cat log
fi
printf 'double sin(double);\ndouble hn_wave(double x) { return sin(x); }\n' >src/io/high.c
"$cc" -fno-builtin -c src/io/high.c -o objects/src/io/high.c.o
caught 'elementary: src/io/high.c calls sin'
echo '#include "io/high.h"' >>src/base/low.h
caught 'include: src/base/low.h (base) looks at io\/high.h (io)'
echo '#include "low.h"' >src/io/high.h
caught 'include: src/io/high.h:#include "low.h" has no folder'
# within a floor each folder sees the ones before it, and those behind it by their tables
mkdir src/sim src/solvers objects/src/sim objects/src/solvers
echo 'int hn_solver_find(void); int hn_solver_own(void);' >src/solvers/way.h
echo 'int hn_solver_find(void) { return 1; } int hn_solver_own(void) { return 2; }' >src/solvers/way.c
echo 'int hn_solver_find(void); int hn_run(void); int hn_run(void) { return hn_solver_find(); }' >src/sim/run.c
compile() {
  for source in src/solvers/way.c src/sim/run.c; do "$cc" -Isrc -c "$source" -o "objects/$source.o" || exit 1; done
}
compile
if scripts/floors.sh objects | grep -q 'sim/run.c'; then
  failed=$((failed + 1))
  echo 'a row of a table was taken for more'
else
  passed=$((passed + 1))
fi
sed -i 's/hn_solver_find/hn_solver_own/g' src/sim/run.c
compile
caught 'symbol: src/sim/run.c (sim) looks at hn_solver_own (solvers), which stands behind it'
echo '#include "solvers/way.h"' >src/sim/run.h
caught 'include: src/sim/run.h (sim) looks at solvers\/way.h (solvers), which stands behind it'
mkdir src/cellar
touch src/cellar/rat.c
mkdir objects/src/cellar
"$cc" -c src/cellar/rat.c -o objects/src/cellar/rat.c.o
caught 'include: src/cellar/rat.c stands on no floor'
echo '#include "base/low.h"' >cli/main.c
echo '#include "run.h"' >cli/run.c
caught 'program: '
sed -i 's/^| 7 | `record`/| 7 | `tapes`/' ARCHITECTURE.md
caught 'picture: ARCHITECTURE.md shows'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
