# cookbook.sh: the cookbook's files and commands, as they stand in the text.
. "$SRC/tests/cli/_lib.sh"

# blocks that begin with "# NAME" are files; lines "$ holon ..." are commands
awk '/^```(yaml|csv)/ { file = ""; inside = 1; next }
  /^```/ { inside = 0; next }
  inside && file == "" && /^# [a-z_]+\.(yaml|csv)$/ { file = $2; if (file ~ /csv$/) next }
  inside && file != "" { print > file }' "$SRC/docs/cookbook.md"
grep '^\$ holon ' "$SRC/docs/cookbook.md" >commands
true_that [ "$(wc -l <commands)" -ge 8 ]
while read -r dollar program line; do
  eval "set -- $line"
  expect 0 "$@"
done <commands
true_that [ "$(grep -c '^```' "$SRC/docs/cookbook.md")" = "$((2 * ($(ls ./*.yaml track.csv | wc -l) + $(grep -c '^## ' "$SRC/docs/cookbook.md"))))" ]

# last NAME FILE: the last value of a column
last() {
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, w, " "); if (w[1] == name) k = i } } END { print $k }' "$2"
}
# near VALUE WANTED TOLERANCE
near() {
  if awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { exit !(a - b <= e && b - a <= e) }'; then pass; else fail "$1 is not $2"; fi
}
# the torque 1.5 (1 - w/150) of the motor balances 2 w/20 of the load over the ratio 20: w = 100
near "$(last shaft1.angle_rate gearbox.csv)" 100 1e-3
near "$(last shaft3.angle_rate gearbox.csv)" 5 1e-4
near "$(last hinge.angle upright.csv)" 0.174533 2e-3
# as measured, and the weight at rest
near "$(last guide.translation follow.csv)" 0.001 1e-9
# both springs under their load: 390 g / 200 kN/m of the tyre, the body where it was above the wheel
near "$(last wheel.y quarter_car.csv)" 0.280871 1e-3
near "$(last body.y quarter_car.csv)" 0.880871 2e-3
# up by what the valve let in
if awk -v a="$(last stroke.translation boom.csv)" 'BEGIN { exit !(a > 0.1 && a < 0.25) }'; then pass; else fail "the boom does not rise"; fi

finish
