#!/bin/sh
# Error against time of every method on seven mechanisms: docs/work-precision.md and its pictures.
#
# usage: work_precision.sh HOLON [DIR]     HN_WORK_LIMIT (2) is the longest run in seconds
#
# Part of `make bench`. Writes into docs, or DIR in its place. Methods that cannot deal with a model say
# "refused" in its table.
cd "$(dirname "$0")/.." || exit 1
program=$1
folder=${2:-docs}
[ -x "$program" ] || {
  echo "usage: $0 HOLON [DIR]" >&2
  exit 2
}
work=$(mktemp -d) || exit 1
# where others share the cores, times of the processor grow too: the page says how busy they were
busy=$(awk -v cores="$(nproc)" '{ printf "%.1f on %d cores", $1, cores }' /proc/loadavg)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder/images/work_precision"

# one MODEL TITLE DURATION STEPS: its section
one() {
  name=$(basename "$1" .yaml)
  "$program" compare "$1" --work-precision --duration "$3" --steps "$4" --jobs 1 \
    --limit "${HN_WORK_LIMIT:-2}" --out "$work/$name" >"$work/$name.txt" || return 1
  echo
  echo "## $2"
  echo
  echo "\`$1\`, $3 s, steps $4 s; $(sed -n '2s/^reference: //p' "$work/$name.txt")."
  for picture in "$work/$name"/work_precision*.svg; do
    part=$(basename "$picture" .svg)
    target=${name}${part#work_precision}.svg
    cp "$picture" "$folder/images/work_precision/$target"
    echo
    echo "![$2: error over time](images/work_precision/$target)"
  done
  echo
  cat "$work/$name/work_precision.md"
}

{
  echo "# Error against time"
  echo
  echo "Every method on seven mechanisms, with steps and tolerances in decades:"
  echo "\`holon compare MODEL --work-precision\`. Written by \`make bench\`"
  echo "($(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), one thread, runs stopped after"
  echo "${HN_WORK_LIMIT:-2} s; load at the start: $busy). On a machine that does other work besides, times"
  echo "come out up to twice as long from one run of the page to the next."
  echo
  echo "\`error\` is that of the most accurate run, the largest relative difference of positions from a reference"
  echo "that two methods agree on, \`time\` what it took of the processor; the columns after it are the times in"
  echo "seconds that errors of 1e-3 to 1e-9 take, between two runs by a power law. A < is a bound: the error does"
  echo "not stand out from what is not known of the reference. - is an error that no run reached."
  one models/four_bar.yaml "Four-bar linkage" 1 1e-2,1e-3,1e-4 &&
    one models/andrews.yaml "Andrews' squeezing mechanism" 0.03 1e-4,1e-5,1e-6 &&
    one models/spatial_slider_crank.yaml "Spatial slider-crank" 0.5 1e-2,1e-3,1e-4 &&
    one models/bricard.yaml "Bricard's mechanism" 0.5 1e-2,1e-3,1e-4 &&
    one models/iltis_suspension.yaml "Iltis suspension on a bump" 2.4 1e-2,1e-3,1e-4 &&
    one models/rolling_disk.yaml "Rolling disc" 0.5 1e-2,1e-3,1e-4 &&
    one bench/stiff_slider_crank.yaml "Stiff slider-crank" 0.03 1e-3,1e-4,1e-5
} >"$work/page" || exit 1
cp "$work/page" "$folder/work-precision.md"
echo "written: $folder/work-precision.md"
