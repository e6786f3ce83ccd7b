# work_precision.sh: holon compare --work-precision.
. "$SRC/tests/cli/_lib.sh"

model=$SRC/models/four_bar.yaml
expect 0 compare "$model" --work-precision --duration 0.3 \
  --methods default,standard,uk-newmark,velocity-hard,energy-momentum --steps 1e-2,1e-3 --out work
silent err
matches out '^  method +runs +error +time \[s\] +1e-3 +1e-5 +1e-7 +1e-9$'
matches out '^  default +4 '
matches out '^  standard +2 '
# a method of order 1 does not come to 1e-9 with these steps
matches out '^  velocity-hard +2 .* -$'
true_that [ -z "$(awk 'length > 100' out)" ]

# every method of order p falls by 10^p with a tenth of the step, tolerances go down in decades
ratio() {
  awk -F, -v m="$1" '$1 == m { error[++n] = $9 } END { printf "%.0f", log(error[1] / error[2]) / log(10) }' \
    work/table.csv
}
true_that [ "$(ratio standard)" = 4 ]
true_that [ "$(ratio uk-newmark)" = 2 ]
true_that [ "$(ratio velocity-hard)" = 1 ]
true_that [ "$(awk -F, '$1 == "default" { print $3 }' work/table.csv | tr '\n' ' ')" = "0.0001 1e-06 1e-08 1e-10 " ]
true_that [ -s work/work_precision.svg ]
true_that [ "$(grep -c '^| ' work/work_precision.md)" = 6 ]
true_that [ "$(ls work | wc -l)" = 3 ]

# tolerances of one's own, also without --work-precision
expect 0 compare "$model" --duration 0.1 --methods explicit --tolerances 1e-3,1e-9
matches out '^  explicit +~1e-03 '
matches out '^  explicit +~1e-09 '

expect 2 compare "$model" --tolerances 1e-3,often
says err "--tolerances"
expect 2 compare "$model" --tolerances 0
says err "--tolerances"

finish
