#!/bin/sh
# Counts the instructions of a step by phase, under valgrind's callgrind; prints Markdown tables.
#
# usage: profile.sh [MECHANISM COORDINATES METHOD STEP]...
#
# MECHANISM is a model file or chain:N; without arguments: the mechanisms of docs/performance.md.
# Counts depend on the compiler and on the library of the C compiler, not on the machine's load.
cd "$(dirname "$0")/.." || exit 1
command -v valgrind >/dev/null || {
  echo "profile: valgrind was not found (Debian: apt-get install valgrind)" >&2
  exit 1
}

# optimised as always, but small functions stay functions so that they can be told apart
folder=build/profile
scripts/setup.sh build &&
  cmake -G Ninja -S . -B $folder -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DHN_BENCH=ON \
    -DHN_TESTS=OFF -DHN_PEERS=OFF -DCMAKE_C_FLAGS="-g -fno-inline-functions \
-fno-inline-functions-called-once -fno-inline-small-functions -fno-partial-inlining" >/dev/null &&
  cmake --build $folder --target bench_profile >/dev/null || exit 1

# count OUTPUT FUNCTION ARGUMENTS...: instructions spent inside FUNCTION
count() {
  out=$1
  function=$2
  shift 2
  valgrind -q --tool=callgrind --callgrind-out-file="$out" --toggle-collect="$function" \
    $folder/bench/profile "$@"
}

# profile MECHANISM COORDINATES METHOD STEP
profile() {
  said=$(count $folder/whole.out profile_steps "$1" "$2" "$3" step="$4") &&
    count $folder/correction.out hn_correct "$1" "$2" "$3" step="$4" >/dev/null || exit 1
  steps=${said% *}
  evaluations=${said#* }
  echo
  echo "**$(basename "$1" .yaml)**, $2 coordinates, method \`$3\`, step $4 s:" \
    "$(awk "BEGIN { printf \"%.1f\", $evaluations / $steps }") evaluations per step"
  echo
  echo "| phase | instructions per step | share |"
  echo "|---|---:|---:|"
  awk -f scripts/profile.awk -v steps="$steps" $folder/whole.out $folder/correction.out |
    awk -F'|' '{ printf "| %s | %d | %d %% |\n", $1, $2, $3 }'
}

[ $# -gt 0 ] || set -- models/four_bar.yaml reference mass-projection 1e-3 \
  models/andrews.yaml reference mass-projection 1e-5 \
  chain:500 relative standard 1e-3
while [ $# -ge 4 ]; do
  profile "$1" "$2" "$3" "$4"
  shift 4
done
