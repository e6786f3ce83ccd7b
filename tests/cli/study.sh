# holon study: the same table for any number of jobs, any interruption, any sharing out.
. "$SRC/tests/cli/_lib.sh"

cat >small.yaml <<'END'
name: pendulums
model: pendulum
design: {type: latin-hypercube, runs: 600, seed: 7}
factors:
  length: {uniform: [0.5, 1.5]}
  start: {place: bodies.rod.angle, normal: [0, 0.3]}
options: {duration: 0.2, output_step: 0.02}
metrics:
  fastest: max(abs(rod.omega))
  down: final(rod.y)
constraints:
  slow: fastest < 2.5
END
cat >pendulum <<'END'
parameters: {length: 1}
gravity: [0, -9.81]
ground: {frames: {O: [0, 0]}}
bodies:
  rod:
    type: planar
    mass: 1
    shape: {rod: {length: length}}
    position: [length/2, 0]
    frames: {O: [-length/2, 0]}
joints:
  O: {type: revolute, a: ground.O, b: rod.O}
END

# one job, many jobs, a file that is there
expect 0 study small.yaml --jobs 1 --out one.db --csv one.csv
says out "one.db: 600 of 600 runs"
expect 0 study small.yaml --jobs 5 --out five.db --csv five.csv -q
silent out
true_that cmp one.csv five.csv
true_that [ "$(wc -l <one.csv)" = 601 ]
matches one.csv '^0,done,[01],[0-9.]+,-?[0-9.]+,[0-9.]+,-?[0-9.]+,-?[0-9.]+,$'
expect 1 study small.yaml --out one.db
says err "is there already (--resume goes on with it"
expect 0 study small.yaml --out one.db --resume

# killed again and again, it ends with the same table
kills=0
# the shortest first: on a fast machine a run that is let go for long has nothing left to do
for pause in 0.002 0.005 0.01 0.02 0.03 0.05 0.08; do
  "$HOLON" study small.yaml --resume --jobs 2 --out killed.db -q 2>/dev/null &
  job=$!
  sleep $pause
  kill -9 $job 2>/dev/null && kills=$((kills + 1))
  wait $job 2>/dev/null
done
# on a slow one none of them has got as far as a store: one more does
if [ ! -e killed.db ]; then
  "$HOLON" study small.yaml --resume --jobs 2 --out killed.db -q 2>/dev/null &
  job=$!
  while [ ! -e killed.db ] && kill -0 $job 2>/dev/null; do sleep 0.01; done
  kill -9 $job 2>/dev/null
  wait $job 2>/dev/null
fi
true_that [ "$kills" -ge 1 ]
expect 0 study status killed.db
expect 0 study small.yaml --resume --jobs 3 --out killed.db --csv killed.csv
true_that cmp one.csv killed.csv
true_that [ ! -e killed.db.lock ]

# shared out and merged
for part in 0 1 2; do expect 0 study small.yaml --shard $part/3 --out parts.db -q; done
expect 0 study status parts.db
says out "parts.db: 600 of 600 runs (in 3 parts)"
expect 0 study merge parts.db
true_that [ ! -e parts.db.part.1-of-3 ]
expect 0 study export parts.db --out parts.csv
true_that cmp one.csv parts.csv

# a store of another study is not added to
sed 's/seed: 7/seed: 8/' small.yaml >other.yaml
expect 2 study other.yaml --resume --out one.db
says err "the study is not the same as when it was begun"
sed -i 's/mass: 1/mass: 2/' pendulum
expect 2 study small.yaml --resume --out one.db
says err "the model is not the same as when it was begun"
sed -i 's/mass: 2/mass: 1/' pendulum

# rows that fail are rows
cat >rows.yaml <<'END'
model: pendulum
design: list
factors:
  length: [1, -1, 1, 1]
  method: {option: method, list: [auto, auto, auto, nonsense]}
  duration: {option: duration, list: [1, 1, 0.1, 1]}
options: {output_step: 0.01}
metrics: {turn: min(rod.angle), late: "at(rod.omega, 0.5)"}
stop: rod.y < -0.3
END
expect 0 study rows.yaml --csv rows.csv
matches rows.csv '^0,stopped,1,.*stopped at t=0\.'
matches rows.csv '^1,refused,0,.*must be positive|must be larger'
matches rows.csv '^2,done,1,1,auto,0\.1,.*,,$'
matches rows.csv '^3,refused,0,.*nonsense'
expect 0 study rows.yaml --show 2
says out "holon run"
$(sed -n 's/^holon/"$HOLON"/p' out | sed 's/^/eval /') >/dev/null && pass || fail "the command shown does not run"

# trajectories that are kept have all columns, and rows are the same as without
sed 's/runs: 600/runs: 5/' small.yaml >few.yaml
expect 0 study few.yaml --csv few.csv -q
{ cat few.yaml; echo 'keep: [1, 3]'; } >keep.yaml
expect 0 study keep.yaml --csv keep.csv -q
true_that cmp few.csv keep.csv
true_that [ -s keep.db.runs/run-000003.h5 ]
true_that [ ! -e keep.db.runs/run-000002.h5 ]

# what is wrong is said with its place
bad() {
  printf '%s\n' "$2" >bad.yaml
  expect 2 study bad.yaml --out bad.db
  says err "$1"
  true_that [ ! -e bad.db ]
}
bad "bad.yaml:1:1: model: is missing" 'factors: {length: [1, 2]}'
bad "bad.yaml:2:1: study: unknown section 'factor' (did you mean 'factors'?)" 'model: pendulum
factor: {length: [1]}'
bad "bad.yaml:2:11: factor 'length': does not say how it varies" 'model: pendulum
factors: {length: {unit: m}}'
bad "no parameter 'lenght'" 'model: pendulum
factors: {lenght: [1, 2]}'
bad "the model file has no 'bodies.rot'" 'model: pendulum
factors: {w: {place: bodies.rot.mass, list: [1, 2]}}'
bad "bad.yaml:3:14: metric 'x': column 'rod.x' has many values" 'model: pendulum
factors: {length: [1, 2]}
metrics: {x: rod.x}'
bad "bad.yaml:4:14: metric 'x': unknown name 'rod.z'" 'model: pendulum
factors: {length: [1, 2]}
metrics:
  x: 1 + max(rod.z)'
bad "bad.yaml:2:9: design: 'sobol' needs 'runs: HOW_MANY'" 'model: pendulum
design: sobol
factors: {length: {uniform: [1, 2]}}'
bad "factor 'length' has no levels" 'model: pendulum
factors: {length: {uniform: [1, 2]}}'
bad "no variables have all of these at once" 'model: pendulum
design: {type: monte-carlo, runs: 3}
factors: {length: {uniform: [1, 2]}, a: {place: bodies.rod.mass, uniform: [1, 2]}, b: {place: bodies.rod.angle, uniform: [0, 1]}}
correlations: [[length, a, 0.9], [a, b, 0.9], [length, b, -0.9]]'
bad "a constraint is a comparison" 'model: pendulum
factors: {length: [1, 2]}
metrics: {x: max(rod.x)}
constraints: {c: x}'
expect 2 study small.yaml --shard 3/3
expect 2 study small.yaml --engine libary
says err "did you mean 'library'?"
expect 1 study status nothing.db
says err "there is no such store"
echo "no database at all, but text of some length that is not one" >text.db
expect 1 study status text.db

finish
