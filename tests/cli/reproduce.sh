# reproduce.sh: holon reproduce.
. "$SRC/tests/cli/_lib.sh"

expect 0 reproduce
matches out '^  marques2017 +violation'
matches out '^  castro2025 +velocity'
matches out '^  gonzalez2013 +reactions'
silent err

# verdict QUANTITY WORD: of the first table that has the quantity
verdict() {
  matches out "^  $1 .*  $2( \\([0-9]+\\))?\$"
}

# what remains of the violation, bounds and energy do not depend on the machine; times do
expect 0 reproduce marques2017 --quick --out marques
silent err
says_not out FAILS
true_that [ "$(grep -cE '^  (position|velocity), .* (agrees|differs \([0-9]\))$' out)" = 38 ]
# one claim of theirs does not come true, and the report says why
true_that [ "$(grep -cE '^  (position|velocity), .* differs' out)" -le 2 ]
verdict "position, standard" agrees
verdict "position, direct-correction" agrees
verdict "position, coordinate-partitioning" agrees
verdict "energy, partitioning and direct" agrees
verdict "energy, index1-augmented" differs
verdict "time, index1-augmented +1.49" "(agrees|differs)"
matches out '^  \(1\) '
matches out '^[0-9]+ claims agree, [0-9]+ differ for the reasons given, 0 fail$'
true_that [ -z "$(awk 'length > 100' out)" ]
for model in four_bar five_bar_pendulum_spatial spatial_slider_crank iltis_suspension; do
  for picture in position_violation velocity_violation energy time_ratio; do
    true_that [ -s marques/${model}_$picture.svg ]
    says marques/report.md "(${model}_$picture.svg)"
  done
done
says marques/four_bar_position_violation.svg coordinate-partitioning
says marques/report.md "| position, direct-correction | of order 1e-32 | mean "
true_that [ "$(ls -A marques | wc -l)" -eq 17 ]

expect 0 reproduce castro2025 --quick --out castro
silent err
says out "16 claims agree, 0 differ for the reasons given, 0 fail"
true_that [ -z "$(awk 'length > 100' out)" ]
for picture in violation pitch force; do
  true_that [ -s castro/$picture.svg ]
  says castro/report.md "($picture.svg)"
done
expect 0 reproduce uk2018 --quick --out uk
silent err
says_not out FAILS
true_that [ "$(grep -cE '^  UK: order of accuracy .* agrees$' out)" = 4 ]
verdict "UK: singular configurations" agrees
verdict "multipliers: the same" agrees
verdict "genetic algorithm" agrees
true_that [ -z "$(awk 'length > 100' out)" ]
true_that [ "$(ls uk | grep -c svg)" = 8 ]

# without a folder nothing is written
mkdir empty
cd empty || exit 1
expect 0 reproduce castro2025 --quick
true_that [ "$(ls -A | grep -cvE '^(out|err)$')" = 0 ]
cd ..

# mistakes
expect 2 reproduce marques2071
says err "no paper 'marques2071' (did you mean 'marques2017'?)"
expect 2 reproduce xylophone
says err "no paper 'xylophone' (see 'holon reproduce')"
expect 2 reproduce marques2017 castro2025
says err "takes one paper"
expect 2 reproduce castro2025 --out no/such/folder
says err "no/such/folder: cannot be written"

finish

# redundant reactions by stiffness
expect 0 reproduce gonzalez2013 --quick --out gonzalez
silent err
says_not out FAILS
verdict "rod 1, eta 1e-3" agrees
verdict "alpha 1e6 to 1e12" agrees
verdict "two bearings, 1 to 2" agrees
verdict "pre-load, rod 2" agrees
verdict "K and M" agrees
verdict "G, unscaled .ratio 1." agrees
verdict "G, ratio 100" agrees
verdict "G, generalized inverse" agrees
says out "18 claims agree, 0 differ for the reasons given, 0 fail"
for picture in pendulum_rods pendulum_preload parallelogram_rods parallelogram_position \
  parallelogram_ratios; do
  true_that [ -s gonzalez/$picture.svg ]
  says gonzalez/report.md "($picture.svg)"
done
