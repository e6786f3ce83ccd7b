#!/bin/sh
# Studies that are killed, on several cores, and on MPI ranks.
#
# usage: bench/studies.sh [killed] [cores] [mpi] [RUNS]      without names: all; RUNS 1000000
#
# killed: a study of RUNS runs is ended by kill -9 twenty times and resumed each time; its table is
#         compared byte by byte with that of the same study left alone (about 5 minutes for 1e6 runs
#         on two idle processors)
# cores:  wall time of the same study on one thread and on two, in turn, three times each
# mpi:    four ranks against threads, in turn, three times each
#
# Prints tables. HOLON names the program (build/holon). Cores and ranks want an idle machine.
cd "$(dirname "$0")/.." || exit 1
here=$(pwd)
holon=${HOLON:-$here/build/holon}
parts=
runs=1000000
for argument; do
  case $argument in
  killed | cores | mpi) parts="$parts $argument" ;;
  *[!0-9]*)
    sed -n '4s/^# //p' "$0" >&2
    exit 2
    ;;
  *) runs=$argument ;;
  esac
done
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

# write_study FILE RUNS DURATION: four-bars of different lengths
write_study() {
  cat >"$1" <<END
model: $here/models/four_bar.yaml
factors:
  crank: {uniform: [1.9, 2.1]}
  coupler: {uniform: [3.9, 4.1]}
  follower: {uniform: [3.9, 4.1]}
design: {type: sobol, runs: $2}
options: {method: mass-projection, integrator: rk4, step: 0.01, output_step: 0.01, duration: $3, verify: "off"}
metrics: {fast: max(abs(crank.omega)), end: final(coupler.x)}
END
}

now() {
  date +%s.%N
}

# since START: seconds
since() {
  echo "$(now) $1" | awk '{ printf "%.3f", $1 - $2 }'
}

killed() {
  write_study study.yaml "$runs" 0.02
  start=$(now)
  "$holon" study study.yaml --on lanes --out whole.db -q || exit 1
  whole=$(since "$start")
  kills=0
  resume=
  while [ $kills -lt 20 ]; do
    # shellcheck disable=SC2086
    "$holon" study study.yaml --on lanes --out parts.db $resume -q &
    pid=$!
    # between a fortieth and a twentieth of the whole, differently each time
    sleep "$(awk -v w="$whole" -v k=$kills 'BEGIN { printf "%.3f", w * (0.025 + 0.025 * ((k * 7) % 20) / 20) }')"
    kill -9 $pid 2>/dev/null || break
    wait $pid 2>/dev/null
    kills=$((kills + 1))
    [ ! -e parts.db ] || resume=--resume
  done
  left=$("$holon" study status parts.db 2>/dev/null | head -n 1)
  "$holon" study study.yaml --on lanes --out parts.db --resume -q || exit 1
  "$holon" study export whole.db --out whole.csv -q && "$holon" study export parts.db --out parts.csv -q || exit 1
  same=differs
  cmp -s whole.csv parts.csv && same=identical
  echo "| runs | left alone [s] | kills | before the last resume | table |"
  echo "|---:|---:|---:|---|---|"
  echo "| $runs | $whole | $kills | $left | $same, $(wc -l <whole.csv) lines |"
  [ $same = identical ] && [ $kills -eq 20 ]
}

# timed COMMAND...: its wall time, on a new store
timed() {
  rm -f timed.db*
  start=$(now)
  "$@" -q >/dev/null || return 1
  since "$start"
}

# median of three numbers, one a line
median() {
  sort -n | sed -n 2p
}

compare() {
  : >first
  : >second
  for turn in 1 2 3; do
    timed $1 >>first && echo >>first
    timed $2 >>second && echo >>second
  done
  awk -v what="$3" -v a="$(median <first)" -v b="$(median <second)" \
    'BEGIN { printf "| %s | %s | %s | %.3f |\n", what, a, b, (b > 0 ? a / b : 0) }'
}

cores() {
  write_study study.yaml 40000 2
  echo "| | first [s] | second [s] | first / second |"
  echo "|---|---:|---:|---:|"
  compare "$holon study study.yaml --out timed.db --jobs 1" "$holon study study.yaml --out timed.db --jobs 2" \
    "one thread against two (wanted: 1.9)"
}

mpi() {
  command -v mpirun >/dev/null || {
    echo "mpirun was not found"
    return 0
  }
  # many: mpirun takes half a second before the first rank begins
  write_study study.yaml 100000 2
  processors=$(nproc)
  echo "| | first [s] | second [s] | first / second |"
  echo "|---|---:|---:|---:|"
  compare "$holon study study.yaml --out timed.db --jobs $processors" \
    "mpirun --allow-run-as-root --oversubscribe -n 4 $holon study study.yaml --out timed.db --jobs 1" \
    "$processors threads against four ranks (wanted: 0.95)"
}

failed=0
for part in ${parts:-killed cores mpi}; do
  echo "## $part"
  echo
  $part || failed=1
  echo
done
exit $failed
