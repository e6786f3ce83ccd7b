#!/bin/sh
# Do the tests notice when the library is wrong? Changes one operator of src/ at a time (signs,
# comparisons, logic, numbers off by one), and runs the tests that reach that line.
#
# usage: mutate.sh [COUNT=200] [SEED=1] [FOLDERS...]      FOLDERS: of src/, such as src/sim
#
# Needs the release build, and what the tests of the clang build have reached (scripts/test.sh release
# clang). The changed file is compiled beside the build and linked before the library, so that nothing
# else is built again. Tests are run in the order of what they take, until one fails or $budget
# seconds are used. Mutants that do not compile do not count. The last line is "N mutants, N killed";
# those that survived are listed in build/mutate/SEED/survivors, with the line before
# and after. Two seeds may run at a time.
cd "$(dirname "$0")/.." || exit 1
count=${1:-200}
seed=${2:-1}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
root=$PWD
lines=$root/build/mutate/reached # what every test reaches: the same for all seeds
work=$root/build/mutate/$seed
budget=120
export HN_SOURCE_DIR="$root" HN_TEST_QUICK=1 TMPDIR="$work/scratch" HOLON_CACHE=off
[ -e build/libholon.a ] && [ -e build/clang/libholon.so ] && [ -d build/clang/coverage ] || {
  echo "mutate: run scripts/test.sh release clang first" >&2
  exit 1
}
mkdir -p "$work" "$TMPDIR"

# tool NAME: of the version the compiler has
version=$(sed -n 's/.*CMAKE_C_COMPILER_VERSION "\([0-9]*\).*/\1/p' build/clang/CMakeFiles/*/CMakeCCompiler.cmake)
tool() {
  command -v "$1-$version" || command -v "$1" || echo "$1"
}

# $lines/TEST: the lines a test runs, as FILE:LINE
profdata=$(tool llvm-profdata)
cov=$(tool llvm-cov)
if [ ! -d "$lines" ]; then
  mkdir -p "$work/reached"
  for program in build/tests/test_* build/tests/program_*; do
    name=$(basename "$program")
    # all processes of a test have written files of their own
    ls build/clang/coverage/"$name"-*.profraw >"$work/runs" 2>/dev/null || continue
    "$profdata" merge -sparse -f "$work/runs" -o "$work/one.profdata" || exit 1
    "$cov" export -format=lcov build/clang/libholon.so -instr-profile="$work/one.profdata" "$root/src" |
      awk -F'[:,]' -v root="$root/" '
        /^SF:/ { file = substr($0, 4); sub(root, "", file) }
        /^DA:/ && $3 > 0 { print file ":" $2 }' >"$work/reached/$name"
  done
  mv "$work/reached" "$lines"
fi

# the tests that reach FILE:LINE, fast ones first, each with the seconds it takes
tests_of() {
  grep -lxF "$1" "$lines"/* | sed 's#.*/##' | awk '
    FNR == NR { seconds[$1] = $3; next }
    { print seconds[$1] + 0, $1 }' build/clang/Testing/Temporary/CTestCostData.txt - | sort -n
}
# what only a minimal build compiles is left out. Every place that can be changed: FILE LINE COLUMN LENGTH NEW
find ${*:-src} -path 'src/*' -name '*.c' -not -name '*_own.c' 2>/dev/null | sort | while read -r file; do
  awk -v file="$file" '
    function site(at, old, new) { print file, NR, at, length(old), new }
    /^ *\/\// || /^#/ { next }
    {
      line = $0
      sub(/\/\/.*/, "", line)
      # texts stay as they are
      while (match(line, /"([^"\\]|\\.)*"/)) {
        blank = sprintf("%" RLENGTH "s", "")
        line = substr(line, 1, RSTART - 1) blank substr(line, RSTART + RLENGTH)
      }
      for (i = 1; i <= length(line); i++) {
        three = substr(line, i, 3)
        four = substr(line, i, 4)
        if (four == " + 1" && substr(line, i + 4, 1) !~ /[0-9.e]/) { site(i, four, "_+_2"); continue }
        if (four == " - 1" && substr(line, i + 4, 1) !~ /[0-9.e]/) { site(i, four, "_-_2"); continue }
        if (three == " + ") site(i, three, "_-_")
        if (three == " - ") site(i, three, "_+_")
        if (three == " < ") site(i, three, "_<=_")
        if (three == " > ") site(i, three, "_>=_")
        if (four == " <= ") site(i, four, "_<_")
        if (four == " >= ") site(i, four, "_>_")
        if (four == " == ") site(i, four, "_!=_")
        if (four == " != ") site(i, four, "_==_")
        if (four == " && ") site(i, four, "_||_")
        if (four == " || ") site(i, four, "_&&_")
        if (four == " += ") site(i, four, "_-=_")
        if (four == " -= ") site(i, four, "_+=_")
      }
    }' "$file"
done >"$work"/sites
echo "$(wc -l <"$work"/sites) places"

# a random order that is the same for the same seed
awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%.9f %s\n", rand(), $0 }' "$work"/sites |
  sort -n | cut -d' ' -f2- >"$work"/order

# command TARGET: how the build makes it
command_of() {
  ninja -C build -t commands "$1" | tail -n 1
}

# compile FILE: the changed text of FILE, as build/mutate/mutant.o
compile() {
  command=$(command_of "CMakeFiles/holon.dir/$1.o" |
    sed "s# -o [^ ]*# -o $work/mutant.o#; s# -c [^ ]*# -c $work/mutant.c#; s# -MD -MT [^ ]* -MF [^ ]*# -w#")
  (cd build && eval "$command") >"$work/compile.log" 2>&1
}

# noticed PLACE: one of the tests that reach it fails, or does not link
noticed() {
  tests_of "$1" >"$work/tests"
  left=$budget
  while read -r seconds name; do
    left=$((left - ${seconds%.*} - 1))
    [ $left -gt 0 ] || break
    command=$(command_of "tests/$name" |
      sed "s# -o [^ ]*# -o $work/program#; s# libholon.a# $work/mutant.o libholon.a#")
    (cd build && eval "$command") >"$work/link.log" 2>&1 || return 0
    timeout 60 "$work/program" >"$work/test.log" 2>&1 </dev/null || return 0
  done <"$work/tests"
  return 1
}

made=0
killed=0
: >"$work/survivors"
while read -r file line column length new <&3; do
  [ $made -lt "$count" ] || break
  awk -v at="$line" -v column="$column" -v width="$length" -v new="$new" '
    NR == at {
      gsub("_", " ", new)
      $0 = substr($0, 1, column - 1) new substr($0, column + width)
    }
    { print }' "$file" >"$work/mutant.c"
  compile "$file" || continue
  made=$((made + 1))
  if noticed "$file:$line"; then
    killed=$((killed + 1))
  else
    {
      echo "$file:$line: $(wc -l <"$work/tests") tests reach it"
      sed -n "${line}p" "$file"
      sed -n "${line}p" "$work/mutant.c"
    } >>"$work/survivors"
    echo "survived: $file:$line: $(sed -n "${line}p" "$work/mutant.c")"
  fi
  echo "$made mutants, $killed killed" >"$work/tally"
done 3<"$work"/order
echo "$made mutants, $killed killed"
