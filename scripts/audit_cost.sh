#!/bin/sh
# Counts what the audit of a run costs, in instructions under valgrind's callgrind; prints a
# Markdown table.
#
# usage: audit_cost.sh [MODEL]...        without arguments: the models of docs/performance.md
#
# Two parts: the companion, a second run that tells how far the first may be off (`verify`), and
# what is checked at every row (residuals, balances, rows against each other). Nothing is written:
# runs as slow as these save what they have while they go on.
cd "$(dirname "$0")/.." || exit 1
command -v valgrind >/dev/null || {
  echo "audit_cost: valgrind was not found (Debian: apt-get install valgrind)" >&2
  exit 1
}
[ -x build/holon ] || make program || exit 1
folder=build/audit_cost
mkdir -p $folder

[ $# -gt 0 ] || set -- models/four_bar.yaml models/double_wishbone.yaml models/bricard.yaml \
  models/stewart_platform.yaml models/v6_engine.yaml models/iltis_suspension.yaml
echo "| model | run, million instructions | companion | checks of rows | audit in all |"
echo "|---|---:|---:|---:|---:|"
for model; do
  name=$(basename "$model" .yaml)
  valgrind -q --tool=callgrind --callgrind-out-file=$folder/$name.out \
    build/holon run "$model" -q >$folder/$name.log 2>&1 || {
    cat $folder/$name.log >&2
    exit 1
  }
  # functions that hold the others, so that nothing counts twice
  callgrind_annotate --inclusive=yes --threshold=100 $folder/$name.out 2>/dev/null |
    awk -v name="$name" '
      { n = $1; gsub(",", "", n) }
      / PROGRAM TOTALS/ { all = n }
      /:hn_verify_track / { companion = n }
      /:hn_(audit_state|records_row|audit_constraints|newton_law_start|newton_law_check) / { checks += n }
      END { if (!all || !checks) exit 1
            printf "| %s | %.1f | %.1f %% | %.1f %% | %.1f %% |\n", name, all / 1e6, 100 * companion / all,
                   100 * checks / all, 100 * (companion + checks) / all }' || exit 1
done
