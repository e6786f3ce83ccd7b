# mission.sh: docs/mission.md names commands that run and tests that exist.
. "$SRC/tests/cli/_lib.sh"

page=$SRC/docs/mission.md
ln -s "$SRC/models" models

# column N of a row, without the quotes around it
column() {
  echo "$row" | awk -F' [|] ' -v n="$1" '{ print $n }'
}

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
true_that [ "$(grep -ci partly "$page")" = 0 ]
finish
