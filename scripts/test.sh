#!/bin/sh
# Everything a change must pass; `make test` and .ci/run are this script.
#
# usage: test.sh [format] [release] [python] [viewer] [clang] [asan] [coverage] [threads] [minimal]
#                [cppcheck]
#        without names: all
#
# The last line is "N passed, N failed", summed over the checks of all test programs in all
# configurations; a build, the format and cppcheck count as one check each. Full logs lie in
# build/logs.
cd "$(dirname "$0")/.." || exit 1
logs=build/logs
jobs=$(nproc 2>/dev/null || echo 2)
passed=0
failed=0
broken=""
start=$(date +%s)
mkdir -p "$logs"

# count_work: sets worked to the processor seconds of everything that has ended so far (times tells
# of the shell it runs in, so that this may not run in a subshell)
count_work() {
  times >"$logs/times"
  worked=$(awk 'NR == 2 { for (i = 1; i <= 2; i++) { split($i, part, /[ms]/); sum += 60 * part[1] + part[2] }
                          printf "%.0f", sum }' "$logs/times")
}

# begin TITLE; end PASSED FAILED [REPORT]: one stage, its counts, and what to show if any failed
begin() {
  title=$1
  began=$(date +%s)
  count_work
  worked_before=$worked
  printf '%-24s' "$title"
}
end() {
  passed=$((passed + $1))
  failed=$((failed + $2))
  verdict=ok
  [ "$2" = 0 ] || verdict=FAILED
  count_work
  printf '%-8s%4d s %5d s cpu  %7d passed, %d failed\n' $verdict $(($(date +%s) - began)) \
    $((worked - worked_before)) "$1" "$2"
  [ "$2" = 0 ] && return 0
  # said at once and, for those who see only the last lines, again at the end
  broken="$broken
  $title: see $log
$(printf '%s\n' "$3" | head -n 12 | sed 's/^/  | /')"
  printf '%s\n\n' "$3" | sed 's/^/  | /'
  return 1
}

# the first errors of a build log, without settings, progress and command lines
build_errors() {
  grep -vE -e '^(\[[0-9]+/[0-9]+\] |: && |-- |ninja: |Preset CMake variables|  [A-Z_]+=|$)' \
    -e '^[^ ]*(gcc|clang|cc) .* -o ' "$1" | head -n 60
}

# build PRESET [CMAKE OPTIONS...]: goes on after the first error, so that all are seen at once
build() {
  preset=$1
  shift
  log=$logs/$preset-build.log
  begin "$preset: build"
  if { cmake --preset "$preset" "$@" && cmake --build --preset "$preset" -j "$jobs" -- -k 0; } \
    >"$log" 2>&1 </dev/null; then
    end 1 0
  else
    end 0 1 "$(build_errors "$log")"
  fi
}

# tests PRESET FOLDER [CTEST OPTIONS...]
tests() {
  preset=$1
  folder=$2
  shift 2
  log=$logs/$preset-tests.log
  begin "$preset: tests"
  # one more than there are processors: some tests wait for the disk or for each other
  ctest --test-dir "$folder" -V -j $((jobs + 1)) "$@" >"$log" 2>&1 </dev/null
  report=$(awk -f scripts/sum_tests.awk "$log")
  counts=$(printf '%s\n' "$report" | head -n 1)
  end ${counts% *} ${counts#* } "$(printf '%s\n' "$report" | tail -n +2)"
}

# check NAME COMMAND...: one check
check() {
  log=$logs/$1.log
  begin "$1"
  shift
  if "$@" >"$log" 2>&1 </dev/null; then
    end 1 0
  else
    end 0 1 "$(head -n 60 "$log")"
  fi
}

stage_setup() {
  log=$logs/setup.log
  if ! scripts/setup.sh test 2>"$log" </dev/null; then
    begin setup
    end 0 1 "$(cat "$log")"
  fi
}
stage_release() {
  build release && tests release build
  # what the page computes is what the program computes (without names: all models, two minutes)
  if [ -e build/wasm/holon_live.wasm ]; then
    check live-bits node viewer/test/bits.mjs build/wasm/holon_live.wasm build/tests/run_csv $same_bits
  fi
}
# examples of every kind that take a second at most
same_bits='andrews block_on_slope bricard cam_follower door double_wishbone equations_four_bar
  equations_rolling_disc equations_skate equations_slider_crank five_bar_pendulum_spatial four_bar
  heavy_top jansen_leg parallelogram pendulum planetary_gear rolling_disk shaft_line spatial_four_bar
  stewart_platform table watt_governor'
# the report page: the committed template is what its sources give, types fit, browser tests pass
stage_viewer() {
  log=$logs/viewer-packages.log
  if [ viewer/node_modules/.package-lock.json -ot viewer/package-lock.json ] ||
    [ ! -e viewer/node_modules/.package-lock.json ]; then
    check viewer-packages npm ci --prefix viewer --no-audit --no-fund || return
  fi
  check viewer-template node viewer/build.mjs --check
  check viewer-types viewer/node_modules/.bin/tsc -p viewer/jsconfig.json
  log=$logs/viewer-tests.log
  begin "viewer: tests"
  timeout 900 node viewer/test/run.mjs >"$log" 2>&1 </dev/null
  counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" | tail -n 1)
  counts=${counts:-0 1}
  end ${counts% *} ${counts#* } "$(grep -A 3 '^failed: ' "$log" | head -n 60)"
}
# those that pair everything with everything, or run hundreds of mechanisms, run code that the others
# have run already, for minutes
longest='order_matrix|verify|transmissions|newton_law|friction|decay|rank|convergence|redundant_methods'
longest="$longest|beam_motion"
pairings="$longest|redundant|narrow|pace|walker"
# Those of some seconds that sanitizers run by the same compiler: what is left for it alone is that
# the library works as it is optimised and linked there, which the short ones tell (FMUs are not run
# by sanitizers)
twice='augmented|ball_friction|bdf|beam_mass|beams|block_contact|clearance|clearance_friction|code'
twice="$twice|coordinates|corrections"
twice="$twice|damaged|dense_methods|energy|engines|event_steppers|gates|gear_teeth"
twice="$twice|gradients|implicit|ladder|local_parameters|preset_orders|references|save|search|servo"
twice="$twice|sleeves|solids|solvers|states|stick|tally|turns|velocity|walking_machine|walks"
# the second compiler also builds the library as a shared one, and counts what runs
stage_clang() {
  rm -rf build/clang/coverage
  build clang -DBUILD_SHARED_LIBS=ON -DHN_COVERAGE=ON &&
    HN_TEST_QUICK=1 tests clang build/clang -L "unit|build|program" -E "^(test_($longest|$twice)|program_hostile)\$"
  # timings are nothing for tests, but what takes them must compile
  check benchmarks-build sh -c 'cmake --preset clang -DHN_BENCH=ON -DHN_PEERS=OFF &&
    cmake --build --preset clang --target bench -j "$0"' "$jobs"
}
# sanitizers, and some seconds of every fuzzer
stage_asan() {
  rm -rf build/asan/coverage
  build asan -DHN_FUZZ_SECONDS=6 && tests asan build/asan -E "^(test_($pairings)|program_hostile|cli_(compare|reproduce.*))\$"
}
# enough of the library has run in the two stages before
stage_coverage() {
  check coverage scripts/coverage.sh
}
# readers of one run, runs of one system, and the jobs of a comparison
stage_threads() {
  check threads-build sh -c 'cmake --preset tsan &&
    cmake --build --preset tsan -j "$0"' "$jobs" || return
  tests tsan build/tsan -R '^test_threads$'
  check threads-compare build/tsan/holon compare models/four_bar.yaml --jobs 3 --duration 0.2 \
    --steps 2e-3 --methods standard,baumgarte,mass-projection,explicit,index2-alpha
}
# on libc and libm alone, and on another libc
stage_minimal() {
  build minimal && HN_TEST_QUICK=1 tests minimal build/minimal
  build musl && tests musl build/musl
  # another libc, and nothing optimised: the same bits
  if [ -e build/wasm/holon_live.wasm ]; then
    check libc-bits node viewer/test/bits.mjs build/wasm/holon_live.wasm build/musl/tests/run_csv \
      andrews bricard equations_slider_crank stewart_platform table
  fi
}
stage_format() {
  check format scripts/format.sh --check
}
# files are dealt out here: cppcheck's own -j leaves all but one processor idle
stage_cppcheck() {
  check cppcheck sh -c 'find src cli examples -name "*.c" | sort | xargs -P "$0" -n 24 cppcheck --quiet --std=c11 \
    --enable=warning,performance,portability --error-exitcode=1 --inline-suppr \
    --suppressions-list=scripts/cppcheck.txt -D_POSIX_C_SOURCE=200809L -DHN_HAVE_HDF5=1 -DHN_HAVE_EXPAT=1 \
    -Iinclude -Isrc' "$jobs"
}
# the Python package: builds, types fit, tests, wheel, notebooks
stage_python() {
  check python-build sh -c 'cmake --preset release -DHN_PYTHON=ON &&
    cmake --build --preset release --target python -j "$0"' "$jobs" || return
  log=$logs/python-tests.log
  begin "python: tests"
  timeout 600 /usr/bin/python3 python/tests/run.py build >"$log" 2>&1 </dev/null
  counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$log" | tail -n 1)
  counts=${counts:-0 1}
  end ${counts% *} ${counts#* } "$(grep -A 30 FAILED "$log" | head -n 60)"
}

all="format release python viewer clang asan coverage threads minimal cppcheck"
for stage in ${*:-$all}; do
  case " $all " in
  *" $stage "*) ;;
  *)
    echo "usage: $0 [$(echo $all | sed 's/ /] [/g')]" >&2
    exit 2
    ;;
  esac
done
if stage_setup; then
  for stage in ${*:-$all}; do stage_$stage; done
fi

echo "$(($(date +%s) - start)) s${broken:+; failed:$broken}"
echo "$passed passed, $failed failed" | tee "$logs/total"
[ "$failed" = 0 ]
