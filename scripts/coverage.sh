#!/bin/sh
# Which lines and branches of src/ the tests have reached; fails below the limits.
#
# usage: coverage.sh [FILE]     FILE: shows what of this file was not reached
#
# Counts what the tests of build/asan and build/clang have run, those of the two that are there
# (scripts/test.sh clang asan). A branch is one outcome of one condition. Lists the files that are
# below the limits.
cd "$(dirname "$0")/.." || exit 1
lines=95
branches=87
build=build/clang
[ -e build/clang/coverage ] || build=build/asan
profile=build/coverage/all.profdata
library=$build/libholon.so
mkdir -p build/coverage

# tool NAME: of the version the compiler has
version=$(sed -n 's/.*CMAKE_C_COMPILER_VERSION "\([0-9]*\).*/\1/p' "$build"/CMakeFiles/*/CMakeCCompiler.cmake)
tool() {
  command -v "$1-$version" || command -v "$1" || echo "$1"
}
find build/asan/coverage build/clang/coverage -name '*.profraw' 2>/dev/null >build/coverage/runs
"$(tool llvm-profdata)" merge -sparse -f build/coverage/runs -o "$profile" || exit 1
cov=$(tool llvm-cov)
if [ -n "$1" ]; then
  "$cov" show "$library" -instr-profile="$profile" -show-branches=count "$PWD/$1" |
    awk '/\| *0\|/ || /\[True: 0|False: 0\]/'
  exit
fi
"$cov" report "$library" -instr-profile="$profile" -show-region-summary=0 "$PWD/src" >build/coverage/report ||
  exit 1
# file, functions (count, missed, %), lines (count, missed, %), branches (count, missed, %)
awk -v lines=$lines -v branches=$branches '
  function share(missed, of) { return of ? 100 * (of - missed) / of : 100 }
  NF == 10 && $1 != "Filename" {
    line = share($6, $5)
    branch = share($9, $8)
    if ($1 == "TOTAL") {
      printf "%.2f %% of %d lines (limit %g), %.2f %% of %d branches (limit %g)\n", line, $5, lines,
             branch, $8, branches
      bad = line < lines || branch < branches
    } else if (line < lines || branch < branches)
      printf "%5d lines and %4d branches missed  %6.2f %% %6.2f %%  %s\n", $6, $9, line, branch, $1
  }
  END { exit bad }' build/coverage/report
