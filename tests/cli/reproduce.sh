# reproduce.sh: holon reproduce.
. "$SRC/tests/cli/_lib.sh"

expect 0 reproduce
for paper in marques2017 castro2025 uk2018 gonzalez2013; do matches out "^  $paper +[a-z]"; done
silent err

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

# what remains of the violation, bounds and energy do not depend on the machine; times do
expect 0 reproduce marques2017 --quick --out marques
silent err
says_not out FAILS
verdict "position, standard" agrees
verdict "position, direct-correction +of order 1e-32" agrees
verdict "position, against all others" agrees
verdict "energy, index1-augmented" differs
verdict "energy, these two" agrees
verdict "wheel, two or four bodies" agrees
verdict "size of the model +28 variables, 19 rows" differs
verdict "time, index1-augmented +1.49" "(agrees|differs)"
matches out '^  \(1\) '
matches out '^[0-9]+ claims agree, [0-9]+ differ for the reasons given, 0 fail$'
complete marques 18
says marques/four_bar_position_violation.svg coordinate-partitioning
says marques/report.html "Figure 5: position violation, by all methods."

expect 0 reproduce castro2025 --quick --out castro
silent err
says out "23 claims agree, 0 differ for the reasons given, 0 fail"
complete castro 4

expect 0 reproduce uk2018 --quick --out uk
silent err
says_not out FAILS
true_that [ "$(grep -cE '^  UK: order of accuracy .* agrees$' out)" = 4 ]
true_that [ "$(grep -cE '^  genetic algorithm .* agrees$' out)" = 4 ]
verdict "UK: singular configurations" agrees
verdict "multipliers, RK4: the same" agrees
complete uk 12

# redundant reactions by stiffness, in the coordinates of the paper
expect 0 reproduce gonzalez2013 --quick --out gonzalez
silent err
says out "21 claims agree, 0 differ for the reasons given, 0 fail"
says out "12 coordinates, 12 rows"
says out "69 coordinates, 63 rows"
complete gonzalez 9

# a method broken on purpose is found out, by the claims that are about it
expect 1 reproduce marques2017 --quick --option correction=none
verdict "position, direct-correction" FAILS
verdict "position, augmented-lagrangian" agrees
says out "All runs with \`correction=none\`"
expect 1 reproduce castro2025 --quick --option correction=none
verdict "projection: violation" FAILS
verdict "hard: violation" agrees
expect 1 reproduce uk2018 --quick --option regularisation=1
verdict "UK: order of accuracy" FAILS
verdict "UK: accuracy, both by RK4" differs
expect 1 reproduce gonzalez2013 --quick --option reactions=shared
verdict "second rod removed" FAILS
verdict "rod 1, eta 1e-3" agrees

# without a folder nothing is written
mkdir empty
cd empty || exit 1
expect 0 reproduce castro2025 --quick
true_that [ "$(ls -A | grep -cvE '^(out|err)$')" = 0 ]
cd ..

# models that are no examples can be had as well
expect 0 reproduce --model natural_pendulum
cp out natural_pendulum.yaml
expect 0 run natural_pendulum.yaml --duration 0.1
expect 0 reproduce --model four_bar
says out "four-bar"
expect 2 reproduce --model natural_pendulums
says err "no model 'natural_pendulums'"

# mistakes
expect 2 reproduce marques2071
says err "no paper 'marques2071' (did you mean 'marques2017'?)"
expect 2 reproduce xylophone
says err "no paper 'xylophone' (see 'holon reproduce')"
expect 2 reproduce marques2017 castro2025
says err "takes one paper"
expect 2 reproduce castro2025 --out no/such/folder
says err "no/such/folder: cannot be written"
expect 2 reproduce castro2025 --option correktion=none
says err "correktion"
expect 2 reproduce castro2025 --option correction
says err "--option"

finish
