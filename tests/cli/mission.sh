# mission.sh: docs/mission.md names commands that run, numbers they print, and tests that exist.
. "$SRC/tests/cli/_lib.sh"

page=$SRC/docs/mission.md
ln -s "$SRC/models" models

# column N of a row, without the quotes around it
column() {
  echo "$row" | awk -F' [|] ' -v n="$1" '{ print $n }'
}

# told NAME LINE: the number after NAME in the page is the one in this line of the audit; of violations
# that are round-off only that they are
told() {
  stated=$(column 6 | grep -oE "(^|[ ,;])$1 [0-9.]+e[-+][0-9]+" | head -n 1 | grep -oE '[0-9.]+e[-+][0-9]+')
  [ -n "$stated" ] || return
  printed=$(awk -v line="$2" 'index($0, line) { sub(".*" line, ""); print $1; exit }' out)
  numbers=$((numbers + 1))
  if awk -v a="$stated" -v b="$printed" 'BEGIN {
    exit !(b != "" && ((a < 3e-13 && b < 3e-12) || (b > a / 3 && b < a * 3))) }'; then
    pass
  else
    fail "row $count says $1 $stated, the run $printed"
  fi
}

# sanitizers would take minutes for them
numbers=0
whole=yes
if grep -q __asan_init "$HOLON" || grep -q __tsan_init "$HOLON"; then whole=no; fi

expect 0 reproduce
papers=$(awk '{ print $1 }' out)
grep -E '^\| [0-9]+ \|' "$page" >rows
count=0
while read -r row; do
  count=$((count + 1))
  true_that [ "$(column 1)" = "| $count" ]
  command=$(column 5 | tr -d '`')
  set -- $command
  true_that [ "$1" = holon ]
  shift
  # shorter runs: what is looked at are names, options and models
  case $1 in
  reproduce)
    case " $papers " in *$2*) pass ;; *) fail "no paper $2" ;; esac
    ;;
  run)
    holon "$@" --duration 0.01 --option verify=off
    case $code in 0 | 3) pass ;; *) fail "$command" ;; esac
    case $whole$command in
    yes*four_bar* | yes*heavy_top* | yes*ship_mount*baumgarte*)
      holon "$@" --option verify=off
      told "Φ" "position violation"
      told "ψ" "velocity violation"
      told energy "energy imbalance"
      ;;
    esac
    ;;
  *) expect 0 "$@" ;;
  esac
  test_file=$(column 7 | sed 's/^`\([a-z0-9_]*\)`.*/\1/')
  test_name=$(column 7 | sed 's/.*: `\([a-z0-9_]*\)`.*/\1/')
  true_that grep -q "^static void $test_name(void)" "$SRC/tests/$test_file.c"
  true_that grep -q "RUN($test_name)" "$SRC/tests/$test_file.c"
  # methods in the fourth column are methods; what begins with - goes on with the name before it
  for method in $(column 4 | grep -o '`[a-z0-9-]*`' | tr -d '`'); do
    case $method in
    -* | inverse | check | mass | scaling) ;;
    *) true_that grep -q "\"$method\"" "$SRC/src/sim/methods.c" ;;
    esac
  done
done <rows
true_that [ "$count" = 39 ]
# what a method's page has to say
for page_of in "$SRC"/docs/methods/solver-*.md "$SRC"/docs/methods/correction-*.md \
  "$SRC"/docs/methods/stepper-*.md "$SRC/docs/methods/velocity_level.md"; do
  for heading in Equations Properties "When to use" "What is ours" Reference; do
    true_that grep -q "^## $heading\$" "$page_of"
  done
done
[ $whole = no ] || true_that [ "$numbers" -gt 60 ]
true_that [ "$(grep -ci partly "$page")" = 0 ]
finish
