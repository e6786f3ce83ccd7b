# check.sh: holon check.
. "$SRC/tests/cli/_lib.sh"
expect 0 generate pendulum --out pendulum.yaml

expect 0 check pendulum.yaml
silent err
says out "pendulum: 1 body, 1 joint, 0 forces"
matches out '^  joint +type +rows +redundant'
matches out '^  hinge +revolute +2 +- '
matches out 'degrees of freedom +1, counted 1$'
says out "The mechanism has 1 degree of freedom."
says out "No row is redundant"
says out "The described state closes."

# a body without joints is free
printf 'bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n' >free.yaml
expect 0 check free.yaml
says out "The mechanism has 6 degrees of freedom."
expect 0 check free.yaml --json
well_formed out
json_is dof 6
json_is rows 0
printf 'bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  weld: {type: fixed, a: ground, b: a}\n' \
  >fixed.yaml
expect 0 check fixed.yaml
says out "Nothing is free to move"

# a door on three hinges: two of them repeat the first, five rows each
cat >door.yaml <<'END'
bodies:
  door: {mass: 10, shape: {box: {size: [1, 0.05, 2]}}, position: [0.5, 0, 1]}
joints:
  low: {type: revolute, a: ground, b: door, at: [0, 0, 0.2]}
  middle: {type: revolute, a: ground, b: door, at: [0, 0, 1]}
  high: {type: revolute, a: ground, b: door, at: [0, 0, 1.8]}
END
expect 0 check door.yaml
says out "The mechanism has 1 degree of freedom."
says out "Counting rows alone would give -9: 10 of them repeat what others impose."
matches out '^Redundant: middle\.x, middle\.y, '
says out "joint 'middle': all 5 rows repeat what 'low' already imposes"
says out "joint 'high': all 5 rows repeat what 'low' already imposes"
matches out '^Undetermined: low\.fx, low\.fy, '
says out "reactions of joints that share a load are not unique"
expect 0 check door.yaml --json
well_formed out
json_is dof 1
json_is dof_counted -9
json_is rank 5
json_is velocities 6
json_is rows 15
true_that [ "$(sed -n '/redundant_rows/,/]/p' out | grep -cE '^    "(low|middle|high)\.')" = 10 ]
true_that [ "$(grep -c '^    {"name": .*"type": "revolute", "rows": 5' out)" = 3 ]
true_that [ "$(grep -c '^    {"group": 0, "joint": "\(middle\|high\)", "rows": ' out)" = 2 ]
true_that [ "$(sed -n '/"undetermined": \[/,/]/p' out | grep -c '^    "')" = 30 ]
expect 0 run door.yaml --duration 0.1
matches out 'redundant +(low|middle|high)\.'
expect 0 run door.yaml --duration 0.1 --json
well_formed out
true_that [ "$(sed -n '/redundant_rows/,/]/p' out | grep -cE '^    "(low|middle|high)\.')" = 10 ]

# a pin that is 0.01 m off is closed by assembly
cat >gap.yaml <<'END'
bodies:
  bar: {type: planar, mass: 1, inertia: 1, position: [0.01, 0], frames: {end: [0, 0]}}
ground: {frames: {pin: [0, 0]}}
joints:
  pin: {type: revolute, a: ground.pin, b: bar.end}
END
expect 0 check gap.yaml
matches out '^  pin +revolute +2 +- +- +0.01 +0$'
says out "Start: assembly moved 'bar' by 0.01 m; joint 'pin' was open by 0.01 m"
expect 0 check gap.yaml --json
near "$(json position_before)" 0.01 1e-12
near "$(json position_after)" 0 1e-12
near "$(json moved)" 0.01 1e-9

# parameters and standard input
expect 0 check pendulum.yaml --set length=3 --set mass=2
expect 2 check pendulum.yaml --set width=3
says err "no parameter 'width'"
"$HOLON" check - <door.yaml >out 2>err
code=$?
true_that [ $code = 0 ]
says out "1 degree of freedom"

# the models that come with the program
for model in "$SRC"/models/*.yaml; do
  [ -f "$model" ] || continue
  expect 0 check "$model"
  matches out '(degrees? of freedom|free to move)'
  true_that [ "$(grep -cE '.{101}' out)" = 0 ]
  expect 0 check "$model" --json
  well_formed out
done

finish
