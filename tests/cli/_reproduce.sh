# _reproduce.sh: what the tests of holon reproduce share; sourced after _lib.sh.

# verdict QUANTITY WORD: of a table that has the quantity
verdict() {
  matches out "^  $1 .*  $2( \\([0-9]+\\))?\$"
}

# complete FOLDER PICTURES: both pages name every picture, and nothing else is there
complete() {
  true_that [ -z "$(awk 'length > 100' out)" ]
  true_that [ "$(ls "$1" | grep -c '\.svg$')" = "$2" ]
  true_that [ "$(ls -A "$1" | wc -l)" = $(($2 + 2)) ]
  for picture in "$1"/*.svg; do
    says "$1/report.md" "($(basename "$picture"))"
    says "$1/report.html" "<img src=\"$(basename "$picture")\""
  done
  says "$1/report.html" "<!doctype html>"
  true_that [ "$(grep -c '<tr class="\(agrees\|differs\|fails\)">' "$1/report.html")" = \
    "$(grep -cE '  (agrees|differs \([0-9]+\)|FAILS)$' out)" ]
}
