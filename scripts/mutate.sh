#!/bin/sh
# Do the tests notice when the library is wrong? Changes one operator of src/ at a time (signs,
# comparisons, logic, numbers off by one), and runs the tests that reach that line.
#
# usage: mutate.sh [COUNT=200] [SEED=1] [FOLDERS...]      FOLDERS: of src/, such as src/sim
#        mutate.sh again SEED       those of that seed that survived, with the tests there are now
#
# Needs the release build, and what the tests of the clang build have reached (scripts/test.sh release
# clang; tests left out there are known once ctest has run them in build/clang). The changed file is
# compiled beside the build and linked before the library, so that nothing else is built again. Tests
# are run in the order of what they take, until one fails or $budget seconds are used. Mutants that do
# not compile, or to the same code, do not count. The last line is "N mutants, N killed". In
# build/mutate/SEED, `log` has the test that killed each, `survivors` the places of those that none
# did. What was interrupted goes on where it was. Two seeds may run at a time.
#
# `again` takes more time for each, and where build/asan is there asks the sanitizers, too. src/ must
# not have changed since.
cd "$(dirname "$0")/.." || exit 1
again=
if [ "$1" = again ]; then
  again=yes
  shift
  set -- 1000000 "$@"
fi
count=${1:-200}
seed=${2:-1}
[ $# -lt 2 ] || shift
[ $# -lt 1 ] || shift
root=$PWD
lines=$root/build/mutate/reached # what every test reaches: the same for all seeds
work=$root/build/mutate/$seed
# what was not noticed in this time is looked at more closely
budget=${again:+400}
budget=${budget:-60}
export HN_TEST_QUICK=1 HN_SOURCE_DIR="$root" SRC="$root" TMPDIR="$work/scratch" HOLON_CACHE=off
[ -e build/libholon.a ] && [ -e build/clang/libholon.so ] && [ -d build/clang/coverage ] || {
  echo "mutate: run scripts/test.sh release clang first" >&2
  exit 1
}
mkdir -p "$work/sound" "$TMPDIR"

# tool NAME: of the version the compiler has
version=$(sed -n 's/.*CMAKE_C_COMPILER_VERSION "\([0-9]*\).*/\1/p' build/clang/CMakeFiles/*/CMakeCCompiler.cmake)
tool() {
  command -v "$1-$version" || command -v "$1" || echo "$1"
}

# $lines/TEST: the lines a test runs, as FILE:LINE; anew where the test has run since
profdata=$(tool llvm-profdata)
cov=$(tool llvm-cov)
mkdir -p "$lines"
for first in build/clang/coverage/*.profraw; do
  name=$(basename "$first" | sed 's/-[0-9]*_[0-9]*\.profraw$//')
  [ "$lines/$name" -ot "$first" ] || [ ! -e "$lines/$name" ] || continue
  # all programs of a test have written files of their own
  ls build/clang/coverage/"$name"-[0-9]*.profraw >"$work/runs"
  "$profdata" merge -sparse -f "$work/runs" -o "$work/one.profdata" || exit 1
  "$cov" export -format=lcov build/clang/libholon.so -object build/clang/holon_fmu.so \
    -instr-profile="$work/one.profdata" "$root/src" 2>/dev/null |
    awk -F'[:,]' -v root="$root/" '
      /^SF:/ { file = substr($0, 4); sub(root, "", file) }
      /^DA:/ && $3 > 0 { print file ":" $2 }' >"$work/one.lines"
  mv "$work/one.lines" "$lines/$name"
done
(cd "$lines" && wc -l *) | sed 's/^ *//' >"$work/totals"

# tests_of FILE LINE: the tests that reach it, each with the seconds it takes; first those that take
# little time, and much of that for this file
tests_of() {
  (cd "$lines" && grep -cF "$1:" $(grep -lxF "$1:$2" *) /dev/null) | awk -F'[: ]' '
    FILENAME == ARGV[1] { seconds[$1] = $3; next }
    FILENAME == ARGV[2] { total[$2] = $1; next }
    $1 ~ /^(test|program|cli|replay|old)_/ && $1 !~ /^test_(install|symbols|floors)$/ {
      time = $1 in seconds ? seconds[$1] : 30
      print (0.1 + time) * total[$1] / $2, time, $1
    }' build/clang/Testing/Temporary/CTestCostData.txt "$work/totals" - | sort -g | cut -d' ' -f2-
}
# places FOLDERS...: every place that can be changed, as FILE LINE COLUMN LENGTH NEW; what only a
# minimal build compiles is left out
places() {
  find "$@" -path 'src/*' -name '*.c' -not -name '*_own.c' 2>/dev/null | sort | while read -r file; do
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
  done
}
if [ -n "$again" ]; then
  cp "$work/survivors" "$work/order" || exit 1
else
  places "${@:-src}" >"$work/places"
  echo "$(wc -l <"$work/places") places"
  # a random order that is the same for the same seed
  awk -v seed="$seed" 'BEGIN { srand(seed) } { printf "%.9f %s\n", rand(), $0 }' "$work/places" |
    sort -n | cut -d' ' -f2- >"$work/order"
fi

# command_of TARGET: how the build makes it
folder=build
command_of() {
  ninja -C $folder -t commands "$1" | tail -n 1
}

# compile OBJECT TEXT OUTPUT: an object of the build from another text
compile() {
  command=$(command_of "$1" |
    sed "s# -o [^ ]*# -o $3#; s# -c [^ ]*# -c $2#; s# -MD -MT [^ ]* -MF [^ ]*# -w#
         s# -fprofile-instr-generate -fcoverage-mapping##; s# -DHN_COVERAGE=1##")
  (cd $folder && eval "$command") >"$work/compile.log" 2>&1
}

# link TARGET OUTPUT: a program of the build, with the mutant
link() {
  command=$(command_of "$1" |
    sed "s# && cd .*##; s# -o [^ ]*# -o $2#; s# libholon\.[as][^ ]*# $mutants &#
         s#CMakeFiles/\(holon[a-z_]*\).dir/$file.o#$work/mutant_\\1.o#
         s#tests/CMakeFiles/test_fmu[^ ]*.o#$work/test_fmu.o#")
  (cd $folder && eval "$command") >"$work/link.log" 2>&1 && return 0
  echo "mutate: $1 does not link, see $work/link.log" >&2
  exit 1
}

# carried: the library has the text of $file in it, and FMUs compile that
carried() {
  command_of embedded/hn_embedded_fmu.c | grep -q "$root/$file"
}

# mutant: the objects that the text in mutant.c changes; false: it does not compile, or to the same
mutant() {
  rm -rf "$work/bin"
  mkdir -p "$work/bin/tests" "$work/plain"
  cp "$file" "$work/plain/mutant.c"
  mutants=$work/mutant_holon.o
  same=yes
  for part in holon holon_fmu; do
    object=CMakeFiles/$part.dir/$file.o
    to=$work/mutant_$part.o
    [ $part = holon ] || command_of holon_fmu.so | grep -q "$object" || continue
    compile "$object" "$work/mutant.c" "$to" || return 1
    compile "$object" "$work/plain/mutant.c" "$work/plain/mutant.o" || return 1
    cmp -s "$to" "$work/plain/mutant.o" || same=
  done
  # what the library carries as text
  if carried; then
    same=
    cp "$work/mutant.c" "$work/${file##*/}"
    command=$(command_of embedded/hn_embedded_fmu.c |
      sed "s#=[^ ]*/hn_embedded_fmu.c#=$work/embedded.c#; s#$root/$file#$work/${file##*/}#")
    (eval "$command") >"$work/compile.log" 2>&1 || return 1
    compile CMakeFiles/holon.dir/embedded/hn_embedded_fmu.c.o "$work/embedded.c" "$work/embedded.o" || return 1
    mutants="$mutants $work/embedded.o"
  fi
  [ -z "$same" ]
}

# attempt NAME FOLDER: runs a test with the programs in FOLDER
attempt() {
  case $1 in
  cli_*) set -- env "HOLON=$2/holon" tests/run.sh --scratch sh "$root/tests/cli/${1#cli_}.sh" ;;
  replay_*) set -- "$2/tests/$1" "tests/fuzz/corpus_${1#replay_}" ;;
  *) set -- "$2/tests/$1" ;;
  esac
  timeout $((60 + 10 * ${seconds%.*})) "$@" >"$work/test.log" 2>&1 </dev/null
}

# fails NAME: with the mutant it fails, without it does not
fails() {
  case $1 in
  cli_* | test_fmu*) [ -e "$work/bin/holon_fmu.so" ] || link holon_fmu.so "$work/bin/holon_fmu.so" ;;
  esac
  case $1 in
  cli_*)
    if [ ! -e "$work/bin/holon" ]; then
      link holon "$work/bin/holon"
      ln -s "$root/build/holon_mpi.so" "$work/bin/"
    fi
    ;;
  *)
    # the path of the binary of FMUs is compiled into its tests
    [ "${1#test_fmu}" = "$1" ] || {
      command=$(command_of "tests/CMakeFiles/$1.dir/$1.c.o" |
        sed "s# -o [^ ]*# -o $work/test_fmu.o#; s#$root/build/holon_fmu.so#$work/bin/holon_fmu.so#; s# -MD -MT [^ ]* -MF [^ ]*##")
      (cd build && eval "$command") || exit 1
    }
    rm -f "$work"/bin/tests/*
    link "tests/$1" "$work/bin/tests/$1"
    ;;
  esac
  attempt "$1" "$work/bin" && return 1
  if [ ! -e "$work/sound/$1" ]; then
    attempt "$1" "$root/build" && echo yes >"$work/sound/$1" || echo no >"$work/sound/$1"
  fi
  [ "$(cat "$work/sound/$1")" = yes ] && return 0
  echo "mutate: $1 fails without a mutant, too" >&2
  return 1
}

# noticed FILE LINE: one of the tests that reach it fails
noticed() {
  tests_of "$1" "$2" >"$work/tests"
  if carried; then printf '%s\n' '8 test_fmu_code' '30 cli_fmu' >>"$work/tests"; fi
  until=$(($(date +%s) + budget))
  tried=0
  while read -r seconds name <&4; do
    [ "$(date +%s)" -lt $until ] || break
    tried=$((tried + 1))
    fails "$name" && return 0
  done 4<"$work/tests"
  return 1
}

# stopped: sanitizers, which see what reads or writes beyond its bounds, stop one of the tests
stopped() {
  [ -e build/asan/libholon.so ] || return 1
  folder=build/asan
  compile "CMakeFiles/holon.dir/$file.o" "$work/mutant.c" "$work/sanitized.o"
  mutants=$work/sanitized.o
  until=$(($(date +%s) + 120))
  stops=1
  while [ $stops = 1 ] && [ "$(date +%s)" -lt $until ] && read -r seconds name <&4; do
    case $name in
    test_fmu* | cli_* | program_* | replay_*) continue ;;
    esac
    [ -e build/asan/tests/"$name" ] || continue
    link "tests/$name" "$work/bin/tests/$name"
    ASAN_OPTIONS=detect_odr_violation=0 LLVM_PROFILE_FILE=$work/profraw attempt "$name" "$work/bin" || stops=0
  done 4<"$work/tests"
  folder=build
  return $stops
}

done=$work/done
kept=$work/survivors
if [ -n "$again" ]; then
  done=$work/done_again
  kept=$work/survivors_again
  rm -f "$done" "$kept"
fi
touch "$done" "$kept"
made=$(wc -l <"$done")
killed=$((made - $(wc -l <"$kept")))
while read -r file line column length new <&3; do
  [ "$made" -lt "$count" ] || break
  place="$file $line $column $length $new"
  ! grep -qxF "$place" "$done" || continue
  awk -v at="$line" -v column="$column" -v width="$length" -v new="$new" '
    NR == at {
      gsub("_", " ", new)
      $0 = substr($0, 1, column - 1) new substr($0, column + width)
    }
    { print }' "$file" >"$work/mutant.c"
  mutant || continue
  if noticed "$file" "$line"; then
    killed=$((killed + 1))
    end="killed by $name"
  elif [ -n "$again" ] && stopped; then
    killed=$((killed + 1))
    end="killed by $name with sanitizers"
  else
    echo "$place" >>"$kept"
    end="survived $tried of $(wc -l <"$work/tests") tests"
  fi
  made=$((made + 1))
  echo "$place" >>"$done"
  echo "$end: $file:$line: $(sed -n "${line}p" "$work/mutant.c")" | tee -a "$work/log"
done 3<"$work/order"
[ -z "$again" ] || mv "$kept" "$work/survivors"
echo "$made mutants, $killed killed"
