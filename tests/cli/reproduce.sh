# reproduce.sh: holon reproduce, and the two papers that take the least time.
. "$SRC/tests/cli/_lib.sh"
. "$SRC/tests/cli/_reproduce.sh"

expect 0 reproduce
for paper in marques2017 castro2025 uk2018 gonzalez2013 bauchau2008; do matches out "^  $paper +[a-z]"; done
silent err

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

# a method broken on purpose is found out, by the claims that are about it
expect 1 reproduce castro2025 --quick --option correction=none
verdict "projection: violation" FAILS
verdict "hard: violation" agrees
expect 1 reproduce uk2018 --quick --option regularisation=1
verdict "UK: order of accuracy" FAILS
verdict "UK: accuracy, both by RK4" differs

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
