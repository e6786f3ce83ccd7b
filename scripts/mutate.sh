#!/bin/sh
# Do the tests notice when the library is wrong? Changes one operator of src/ at a time (signs,
# comparisons, logic, numbers off by one), and runs the tests that look at that folder.
#
# usage: mutate.sh [COUNT=200] [SEED=1] [FOLDERS...]      FOLDERS: of src/, such as src/sim
#
# Needs the release build. The changed file is compiled beside it and linked before the library, so
# that nothing else is built again. Mutants that do not compile do not count. The last line is
# "N mutants, N killed"; those that survived are listed in build/mutate/survivors, with the line
# before and after.
cd "$(dirname "$0")/.." || exit 1
count=${1:-200}
seed=${2:-1}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
root=$PWD
work=$root/build/mutate
export HN_SOURCE_DIR="$root" HN_TEST_QUICK=1 TMPDIR="$work/scratch"
[ -e build/libholon.a ] || {
  echo "mutate: build first (make build, cmake --build build)" >&2
  exit 1
}

# the tests that look at a folder of src, fast ones first
tests_of() {
  case $1 in
  base) echo arena expr model reader ;;
  linalg) echo dense dense_step sparse saddle mass tree ;;
  expr) echo expr expr_random blocks signals ;;
  model) echo model reader definitions signals controllers processes ;;
  system) echo joints force_table mass tree natural blocks joint_motion questions sim reactions ;;
  code) echo code force_table ;;
  joints) echo joints joint_motion parts reactions ;;
  forces) echo force_table forces force_values beam_element ;;
  record) echo result questions sim signals ;;
  compile) echo redundancy start_state parts singular joints natural tree ;;
  sim) echo sim save questions threads events audit signals states between_rows reactions ;;
  solvers) echo solvers sim augmented embedded ;;
  corrections) echo corrections sim solvers ;;
  integrators) echo integrators implicit energy augmented staggered velocity save sim ;;
  analysis) echo statics modes kinematics servo steady ;;
  io | robots) echo reader result plot report robots ;;
  esac
}

mkdir -p "$work" "$TMPDIR"

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

# noticed NAMES: one of these tests fails, or does not link
noticed() {
  for name in "$@"; do
    command=$(command_of "tests/test_$name" |
      sed "s# -o [^ ]*# -o $work/program#; s# libholon.a# $work/mutant.o libholon.a#")
    (cd build && eval "$command") >"$work/link.log" 2>&1 || return 0
    timeout 120 "$work/program" >"$work/test.log" 2>&1 || return 0
  done
  return 1
}

made=0
killed=0
: >"$work/survivors"
while read -r file line column length new <&3; do
  [ $made -lt "$count" ] || break
  tests=""
  for name in $(tests_of "$(echo "$file" | cut -d/ -f2)"); do
    [ ! -x "build/tests/test_$name" ] || tests="$tests $name"
  done
  [ -n "$tests" ] || continue
  awk -v at="$line" -v column="$column" -v width="$length" -v new="$new" '
    NR == at {
      gsub("_", " ", new)
      $0 = substr($0, 1, column - 1) new substr($0, column + width)
    }
    { print }' "$file" >"$work/mutant.c"
  compile "$file" || continue
  made=$((made + 1))
  if noticed $tests; then
    killed=$((killed + 1))
  else
    {
      echo "$file:$line:"
      sed -n "${line}p" "$file"
      sed -n "${line}p" "$work/mutant.c"
    } >>"$work/survivors"
    echo "survived: $file:$line: $(sed -n "${line}p" "$work/mutant.c")"
  fi
  echo "$made mutants, $killed killed" >"$work/tally"
done 3<"$work"/order
echo "$made mutants, $killed killed"
