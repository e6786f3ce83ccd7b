# compare.sh: holon compare.
. "$SRC/tests/cli/_lib.sh"
model=$SRC/models/four_bar.yaml
methods=velocity-soft,default,standard,baumgarte,mass-projection

# the table: the reference, then the methods in the order of the presets, with all steps
expect 0 compare "$model" --duration 0.5 --steps 2e-3,1e-3 --methods $methods --out folder
silent err
says out "four-bar linkage: 0.5 s simulated, 26 rows recorded"
matches out "^  method +step +phi\^2 +phi'\^2 +drift +error +audit +evals +time +ratio\$"
matches out "^reference: two runs by different means agree to [0-9.]+e-1[0-9]\$"
true_that [ -z "$(awk 'length > 100' out)" ]
awk '/^  [a-z]/ && $1 != "method" { print $1, $2 ~ /^~/ ? "adaptive" : $2, NF }' out >rows
cat >wanted <<END
reference adaptive 10
default adaptive 10
standard 0.002 10
standard 0.001 10
baumgarte 0.002 10
baumgarte 0.001 10
mass-projection 0.002 10
mass-projection 0.001 10
velocity-soft 0.002 10
velocity-soft 0.001 10
END
true_that cmp -s rows wanted
for file in table.csv position_violation.svg velocity_violation.svg energy.svg time_ratio.svg \
  work_precision.svg; do
  true_that [ -s folder/$file ]
done
# nothing else is left behind
true_that [ "$(ls -A folder | wc -l)" -eq 6 ]
says folder/position_violation.svg mass-projection
says folder/work_precision.svg velocity-soft
says folder/time_ratio.svg baumgarte

# cell METHOD STEP COLUMN: of the table as CSV
cell() {
  awk -F, -v method="$1" -v step="$2" -v name="$3" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
    NR > 1 && $1 == method && $2 == step { print $c }' folder/table.csv
}
# below A B: numbers
below() {
  true_that awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 < b + 0) }'
}
true_that [ "$(lines folder/table.csv)" = 11 ]
true_that [ "$(cell standard 0.001 evaluations)" -gt "$(cell standard 0.002 evaluations)" ]
near "$(cell standard 0.001 ratio)" 1 0
true_that [ -z "$(cell default '' ratio)" ]
true_that [ -z "$(cell reference '' error)" ]
# fourth order: half the step, a sixteenth of the error and of the violation, here squared
near "$(awk -v a="$(cell standard 0.002 error)" -v b="$(cell standard 0.001 error)" \
  'BEGIN { print a / b }')" 16 4
near "$(awk -v a="$(cell standard 0.002 position_sq_max)" \
  -v b="$(cell standard 0.001 position_sq_max)" 'BEGIN { print sqrt(a / b) }')" 16 4
# what the methods are for
below "$(cell mass-projection 0.001 position_sq_max)" 1e-24
below "$(cell baumgarte 0.002 position_sq_max)" "$(cell standard 0.002 position_sq_max)"
below "$(cell standard 0.002 position_sq_mean)" "$(cell standard 0.002 position_sq_max)"
below "$(cell default '' error)" 1e-6
below "$(cell velocity-soft 0.001 error)" "$(cell velocity-soft 0.002 error)"

# the audit of each run stands beside its error
true_that [ "$(cell mass-projection 0.001 audit)" = pass ]
true_that [ "$(cell velocity-soft 0.002 audit)" = FAIL ]

# a barrier as narrow as a hundredth of the way is seen by the reference, whose steps are no longer
# than the shortest compared: what short steps find is not called wrong
cat >barrier.yaml <<END
simulation: {duration: 6}
bodies: {ball: {type: planar-point, mass: 1, velocity: [1, 0]}}
forces: {wall: {type: force, b: ball, force: ["1.6*(ball.x-3)/0.03^2*exp(-((ball.x-3)/0.03)^2)", 0]}}
END
expect 0 compare barrier.yaml --methods standard,mass-projection --steps 5e-3 --out barrier
true_that awk -F, 'NR > 2 && !($8 < 1e-4) { exit 1 } END { exit NR != 4 }' barrier/table.csv

# two runs of a chaotic motion part, and what is measured by one of them is not called an error
expect 0 compare "$SRC/models/five_bar_pendulum_planar.yaml" --duration 15 --steps 1e-2 --methods standard
matches out '^reference: NOT VERIFIED: two runs by different means are [0-9.e+-]+ apart'

# nothing but the times depends on how many run at once
measures() {
  "$HOLON" compare "$model" --duration 0.5 --methods $methods --jobs "$1" --json |
    sed 's/"wall_s": .*//'
}
true_that [ "$(measures 1)" = "$(measures 5)" ]

# squares of the violation are columns of any run, no less than the square of the largest one and
# no more than that for each of the rows
expect 0 run "$model" -q --duration 0.5 --method standard --step 5e-3 --out run.csv
true_that awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
  { for (k = 0; k < 2; k++) {
      x = $c[k ? "residual.position" : "residual.velocity"]
      y = $c[k ? "residual.position_sq" : "residual.velocity_sq"]
      if (y < x * x * (1 - 1e-12) || y > 8 * x * x * (1 + 1e-12)) exit bad = 1
      n += y > 0 } }
  END { exit bad || n < 40 }' run.csv

# all methods by default
expect 0 compare "$model" --duration 0.02 --json
well_formed out
json_is model "four-bar linkage"
json_is duration 0.02
count=$("$HOLON" methods | awk '/^solvers/ { exit } /^  [a-z]/ { n++ } END { print n }')
true_that [ "$(grep -c '^    {"method": ' out)" = $((count + 1)) ]
says out '"step": 0.001'
# more than one picture can hold
expect 0 compare "$model" --duration 0.02 --out many
true_that [ -s many/energy_2.svg ]
expect 0 compare "$model" --duration 0.02 --out many --methods default,baumgarte
true_that [ ! -e many/energy_2.svg ]
true_that [ ! -e many/time_ratio.svg ]
# what the model wants recorded does not matter
expect 0 generate pendulum --out pendulum.yaml
sed 's/^simulation/outputs: [energy.total]\nsimulation/' pendulum.yaml >few.yaml
expect 0 compare few.yaml --methods standard --duration 0.1 --set length=2 \
  --option coordinates=reference --json
matches out '"method": "standard".*"error": [0-9.]+e-'

# a method that fails does not stop the others: feedback far too strong for the step
expect 0 compare "$model" --methods standard,baumgarte --duration 1 --steps 1e-2 \
  --option alpha=1e4 --option beta=1e4
matches out '^  standard .* [0-9.]+$'
matches out '^  baumgarte .* failed$'
says out "not finished"
matches out '^  baumgarte, step 0.01 s, failed: t='

# methods that refuse the model are listed with their reason, once
cat >pull.yaml <<END
gravity: [0, 0, -9.81]
simulation: {duration: 1}
bodies: {ball: {type: point, mass: 1}}
forces: {pull: {type: force, a: ground, b: ball, force: [1/t, 0, 0]}}
END
expect 2 compare pull.yaml --methods standard,penalty --steps 1e-2,1e-3
matches out '^  penalty +0.001 .*refused$'
true_that [ "$(grep -c '^  penalty, refused: .*not finite' out)" = 1 ]
says err "no method finished"

# mistakes
expect 2 compare "$model" --methods standard,baumgrate
says err "holon: no method 'baumgrate' (did you mean 'baumgarte'?)"
silent out
expect 2 compare "$model" --methods xylophone
says err "no method 'xylophone' (see 'holon methods')"
expect 2 compare "$model" --steps 1e-3,0
says err "--steps needs positive numbers, not '0'"
expect 2 compare "$model" --steps 1e-3,fast
says err "--steps: "
expect 2 compare "$model" --option solver=penalty
says err "'solver' is what is compared"
expect 2 compare "$model" --duration -1
expect 2 compare "$model" --jobs none
says err "--jobs needs a number"
expect 2 compare "$model" --out out
says err "out: cannot be written: Not a directory"
expect 2 compare "$model" --out no/such/folder
says err "no/such/folder: cannot be written"
expect 2 compare no_such.yaml
says err "no_such.yaml"
expect 2 compare
says err "'compare' needs a model file"

# every method gets coordinates it copes with, and one that is too slow does not hold up the others
expect 0 compare "$SRC/models/four_bar.yaml" --duration 0.2 --steps 2e-3 \
  --methods standard,mass-projection,index3-alpha,energy-momentum,augmented-index3
says_not out refused
says_not out failed
for method in standard mass-projection index3-alpha energy-momentum augmented-index3; do
  matches out "^  $method "
done
expect 0 compare "$SRC/models/four_bar.yaml" --duration 0.5 --steps 2e-6 --methods default,standard \
  --limit 0.05
says out "stopped after 0.05 s (--limit)"
expect 2 compare "$SRC/models/four_bar.yaml" --limit no
says err "--limit needs a number of seconds"

finish
