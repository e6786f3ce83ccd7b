#!/bin/sh
# Builds the benchmarks and runs them one after the other, on one thread.
#
# usage: bench.sh [PART...]     linalg scaling implicit limit roof methods ensemble single control clearance pile
#                               peers beam work; without names: all
#
# All parts together take about an hour and write bench/RESULTS.md; single parts only print, but for
# work, which writes docs/work-precision.md.
# What the parts print is kept in build/bench/results. HN_BENCH_CAP (5) is the longest run of
# another engine in seconds that is followed by a finer one.
cd "$(dirname "$0")/.." || exit 1
all="linalg scaling implicit limit roof methods ensemble single control clearance pile peers beam work"
for part; do
  case " $all " in
  *" $part "*) ;;
  *)
    echo "usage: $0 [$(echo $all | sed 's/ /] [/g')]" >&2
    exit 2
    ;;
  esac
done

mkdir -p build
scripts/setup.sh bench && cmake --preset bench >build/bench.log || exit 1
grep 'bench: .* left out' build/bench.log
cmake --build --preset bench || exit 1
programs=build/bench/bench
results=build/bench/results
mkdir -p $results

# one thread, on one processor where that can be asked for
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
pin=
if command -v taskset >/dev/null; then
  processor=$(($(nproc) - 1))
  taskset -c $processor true 2>/dev/null && pin="taskset -c $processor"
fi

# control loops run before everything else, where that may be asked for
first=
chrt -f 80 true 2>/dev/null && first="chrt -f 80"

# the engines in turn on each problem: what else the machine does then meets all of them alike
run_peers() {
  for problem in four_bar ladder_40 chain_5 chain_50 chain_500 andrews bricard; do
    for engine in holon simbody mujoco ode dart sundials; do
      [ -x $programs/peers/$engine ] || continue
      $pin $programs/peers/$engine $problem cap=${HN_BENCH_CAP:-5} 2>>$results/peers.log
      [ $engine != holon ] ||
        $pin $programs/peers/$engine $problem cap=${HN_BENCH_CAP:-5} code=native 2>>$results/peers.log
    done
  done >$results/peers.csv
  awk -f bench/peers/table.awk $results/peers.csv
}

# whole runs as a user gets them against stepping by SUNDIALS alone, in turn
run_single() {
  [ -x $programs/peers/sundials ] || return 0
  for argument in recorded=yes "recorded=yes code=native" cap=1; do
    engine=holon
    [ "$argument" != cap=1 ] || engine=sundials
    # shellcheck disable=SC2086
    $pin $programs/peers/$engine four_bar $argument 2>>$results/peers.log
  done >$results/single.csv
  awk -v base="SUNDIALS by hand" -f bench/peers/single.awk $results/single.csv
}

# a beam that swings: by hand and by holon, and by Simbody
run_beam() {
  for engine in beam beam_simbody; do
    [ ! -x $programs/peers/$engine ] || $pin $programs/peers/$engine
  done
}

run_part() {
  case $1 in
  beam) run_beam ;;
  single) run_single ;;
  control) $pin $first $programs/control models/double_wishbone.yaml limit=0 ;;
  pile) $pin $programs/pile settle=2.5 ;;
  peers) : >$results/peers.log && run_peers ;;
  # writes docs/work-precision.md
  work) cmake --build --preset bench --target holon_cli >/dev/null &&
    $pin scripts/work_precision.sh build/bench/holon ;;
  *) [ ! -x $programs/"$1" ] || $pin $programs/"$1" ;;
  esac
}

version() {
  dpkg-query -W -f "$1 \${Version}\n" "$2" 2>/dev/null
}

# write_results: bench/RESULTS.md from what the parts printed
write_results() {
  echo "# Measurements"
  echo
  echo "Written by \`make bench\`; docs/performance.md says what is measured and how to read it."
  echo
  echo "| | |"
  echo "|---|---|"
  echo "| date | $(date +%Y-%m-%d) |"
  echo "| processor | $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1) |"
  echo "| system | $(. /etc/os-release && echo "$PRETTY_NAME"), $(uname -m) |"
  echo "| compiler | $(gcc --version | head -n 1) |"
  echo "| holon | $(sed -n 's/^#define HN_VERSION_[A-Z]* *//p' include/holon/holon.h |
    paste -s -d.) |"
  echo "| engines | $({
    version Simbody libsimbody-dev
    version MuJoCo libmujoco-dev
    version ODE libode-dev
    version DART libdart-dev
    version SUNDIALS libsundials-dev
  } | paste -s -d, | sed 's/,/, /g') |"
  echo "| other engines | runs beyond ${HN_BENCH_CAP:-5} s are not made finer |"
  for part in peers beam single ensemble limit control roof methods implicit scaling linalg pile clearance; do
    [ -s $results/$part.txt ] || continue
    echo
    case $part in
    peers) echo "## Other engines" ;;
    beam)
      echo "## A beam beside other engines"
      echo
      echo "A planar beam falls on a hinge, 1 s; everybody has the same nodes, masses and elements (bench/peers/beam_problem.hpp)."
      echo "Error of the tip's place at the end, processor time."
      echo
      ;;
    single) echo "## A whole run" ;;
    control) echo "## A control loop at 1 kHz" ;;
    limit) echo "## Code written by hand" ;;
    roof) echo "## What the processor could do" ;;
    methods) echo "## Methods" ;;
    ensemble) echo "## Many members at once" ;;
    implicit) echo "## Implicit steppers" ;;
    scaling) echo "## Size" ;;
    linalg) echo "## Linear algebra" ;;
    pile)
      echo "## Piles"
      echo
      echo "Balls of 1 kg fall into a box, about as many in width as in height, and settle for 2.5 s; half a second"
      echo "more they rest. Steps of 2 ms by \`moreau\`, friction 0.4, \`iteration_tol\` 1e-3; processor time of a step, and"
      echo "per contact of the heap at its end. Wanted: an exponent in the contacts of at most 1.2."
      ;;
    clearance)
      echo "## Clearance"
      echo
      echo "The slider-crank of P. Flores, R. Leine and Ch. Glocker, rigid, whose block strikes the walls of its guide;"
      echo "2 s, rtol 1e-6, in processor time. Wanted: 100 ms."
      ;;
    esac
    echo
    # what is no table of Markdown is shown as it is
    if grep -q '^|---' $results/$part.txt; then
      cat $results/$part.txt
    else
      echo '```'
      cat $results/$part.txt
      echo '```'
    fi
  done
  # measured on another machine, see there
  for section in bench/studies.md bench/gpu.md; do
    echo
    cat $section
  done
}

for part in ${*:-$all}; do
  echo "== $part"
  { run_part "$part" && : >$results/.ok; } | tee $results/"$part".txt
  rm $results/.ok || exit 1
  echo
done
[ $# -gt 0 ] || {
  write_results >$results/RESULTS.md && cp $results/RESULTS.md bench/RESULTS.md
  echo "written: bench/RESULTS.md"
}
