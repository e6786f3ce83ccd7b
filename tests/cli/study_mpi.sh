# mpirun holon study: the table of four ranks is that of one process; killed, it goes on.
. "$SRC/tests/cli/_lib.sh"

cat >small.yaml <<'END'
model: pendulum
design: {type: monte-carlo, runs: 200, seed: 3}
factors: {length: {uniform: [0.5, 1.5]}}
options: {duration: 0.2, output_step: 0.02}
metrics: {down: final(rod.y)}
END
cat >pendulum <<'END'
parameters: {length: 1}
gravity: [0, -9.81]
ground: {frames: {O: [0, 0]}}
bodies:
  rod: {type: planar, mass: 1, shape: {rod: {length: length}}, position: [length/2, 0], frames: {O: [-length/2, 0]}}
joints:
  O: {type: revolute, a: ground.O, b: rod.O}
END

# ranks N ARGUMENTS...
ranks() {
  count=$1
  shift
  arguments="(on $count ranks) $*"
  rm -f out err
  OMPI_MCA_btl_vader_single_copy_mechanism=none timeout 100 \
    mpirun --oversubscribe --allow-run-as-root -n "$count" "$HOLON" "$@" >out 2>err
  code=$?
}

expect 0 study small.yaml --out one.db --csv one.csv -q
ranks 4 study small.yaml --out four.db --csv four.csv
true_that [ "$code" = 0 ]
says out "four.db: 200 of 200 runs"
true_that cmp one.csv four.csv
true_that [ "$(ls | grep -c part)" = 0 ]

# a part left by a rank that was killed is taken in, and the rest computed
expect 0 study small.yaml --shard 1/3 --out rest.db -q
mv rest.db.part.1-of-3 rest.db.part.rank-1
ranks 2 study small.yaml --resume --out rest.db --csv rest.csv -q
true_that [ "$code" = 0 ]
true_that cmp one.csv rest.csv

# a store that is there is refused by all, and nobody waits for anybody
ranks 2 study small.yaml --out one.db
true_that [ "$code" != 0 ]
says err "one.db: is there already"

finish
