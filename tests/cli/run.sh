# run.sh: holon run when all goes well.
. "$SRC/tests/cli/_lib.sh"
expect 0 generate pendulum --out pendulum.yaml
expect 0 generate closed-chain --n 4 --out loop.yaml

# parts METHOD: its solver, correction and integrator
parts() {
  "$HOLON" methods | awk -v name="$1" '$1 == name { found = 1 }
    found && / \+ / { print $1, $3, $5; exit }'
}

# the summary; without a terminal nobody sees progress
expect 0 run pendulum.yaml
silent err
says out "pendulum: 1 body, 1 joint, 0 forces, 1 degree of freedom"
says out "method      default: $(parts default | sed 's/ / + /g')"
matches out 'simulated +10 s in .* times real time'
matches out 'work +[0-9]+ steps, [0-9]+ rejected, [0-9]+ evaluations'
matches out 'position violation .* m, rad .* pass$'
matches out 'energy imbalance .* pass$'
says out "result: not written (add --out result.csv, or --html report.html to look at it)"
says out "done: the run finished and passed its audit"
says_not out FAIL
# and nothing is left behind
true_that [ "$(ls)" = "$(printf 'err\nloop.yaml\nout\npendulum.yaml')" ]

# with one they do. The run would take days; it is stopped when the line was seen, however fast or
# busy the machine is
if script -qec true /dev/null >/dev/null 2>&1; then
  progress='^pendulum.yaml \[[#.]{20}\] +[0-9]+ %(, [0-9]+ (s|min|h) left)?, t = [0-9.e+]+ of 1e\+09 s'
  script -qefc "echo \$\$ >pid; exec '$HOLON' run pendulum.yaml --duration 1e9 --option max_steps=1e12" screen \
    </dev/null >out 2>err &
  waited=0
  until tr '\r' '\n' <out | grep -qE "$progress" || [ $waited = 120 ]; do
    sleep 1
    waited=$((waited + 1))
  done
  kill -s TERM "$(cat pid)"
  wait $!
  tr '\r' '\n' <out >screen
  matches screen "$progress"
  rm screen pid
fi

# a result file
expect 0 run pendulum.yaml --out pendulum.csv
says out "result: pendulum.csv, 501 rows of"
expect 0 plot pendulum.csv --list
says out "pendulum.csv: 501 rows"
matches out 'hinge.angle +rad '
expect 0 run pendulum.yaml -o other.csv --quiet
silent out
silent err
true_that cmp -s pendulum.csv other.csv
# HDF5 may be missing; then that is said before the run
holon run pendulum.yaml -o bits.h5
if [ "$code" = 0 ]; then
  expect 0 plot bits.h5 --list
  says out "bits.h5: 501 rows"
else
  says err "bits.h5: holon was built without HDF5"
  true_that [ "$code" = 2 ]
fi

# last FILE COLUMN: the last value of a column
last() {
  awk -F, -v name="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name || index($i, name " ") == 1) c = i }
    END { print $c }' "$1"
}

# a bar let go at the horizontal is at the other side after half a period, and that is
# 2 sqrt(2 L / 3 g) K(1/2), 0.9666674675 s for 1 m
expect 0 run pendulum.yaml --duration 0.9666674675 --rtol 1e-10 -q -o half.csv
near "$(last half.csv hinge.angle)" -3.14159265 1e-6
# the period grows with the root of the length
expect 0 run pendulum.yaml --set length=4 --duration 1.933334935 --rtol 1e-10 -q -o half.csv
near "$(last half.csv hinge.angle)" -3.14159265 1e-6

# JSON
expect 0 run pendulum.yaml --json
silent err
well_formed out
json_is model pendulum
json_is file pendulum.yaml
json_is status "done"
json_is message ""
json_is method default
true_that [ "$(json solver) $(json correction) $(json integrator)" = "$(parts default)" ]
json_is dof 1
json_is redundant_rows "[]"
json_is audit pass
json_is t_end 10
json_is result null
json_is rows 501
for key in coordinates steps rejected evaluations wall_s max_position_violation energy_drift \
  max_velocity_violation max_acceleration_residual audit_items; do
  matches out "^  \"$key\": "
done
true_that [ "$(grep -c '^    {"name": ".*"pass": true}' out)" -ge 4 ]
near "$(json max_position_violation)" 0 1e-6
expect 0 run pendulum.yaml --json --out json.csv
json_is result json.csv
true_that cmp -s json.csv pendulum.csv
expect 0 run pendulum.yaml --json --quiet
well_formed out

# options win over the model's, in the order given
expect 0 run pendulum.yaml --json --duration 1 --duration 2 --option output_step=0.5
json_is t_end 2
json_is rows 5
expect 0 run pendulum.yaml --json --method mass-projection --step 1e-3
json_is method mass-projection
json_is integrator rk4
json_is steps 10000
json_is rejected 0
expect 0 run pendulum.yaml --json --option integrator=rk4 --step 0.01 --duration 1
json_is integrator rk4
json_is steps 100
# a method replaces the parts the model names
sed 's/{duration: 10}/{duration: 1, step: 0.01, integrator: rk4, correction: none}/' \
  pendulum.yaml >parts.yaml
expect 0 run parts.yaml --json
json_is integrator rk4
json_is correction none
expect 0 run parts.yaml --json --method default
true_that [ "$(json solver) $(json correction) $(json integrator)" = "$(parts default)" ]

# closed loops, other sources of the model
expect 0 run loop.yaml --json --duration 2
json_is dof 1
near "$(json max_position_violation)" 0 1e-6
"$HOLON" run - --json <pendulum.yaml >out 2>err
code=$?
true_that [ $code = 0 ]
well_formed out
echo '{"name": "falling \"ball\"", "gravity": [0, 0, -9.81], "simulation": {"duration": 1},
  "bodies": {"ball": {"type": "point", "mass": 1}}}' >ball.json
expect 0 run ball.json --json --out ball.csv
well_formed out
json_is dof 3
says out 'falling \"ball\"'
expect 0 plot ball.csv --list
# falls g/2 in the first second
matches out '^ *ball.z +m +-4.905 '

# the same run twice gives the same bits
expect 0 run loop.yaml -q --duration 2 --out first.csv
expect 0 run loop.yaml -q --duration 2 --out second.csv
true_that cmp -s first.csv second.csv

# the models that come with the program
for model in "$SRC"/models/*.yaml; do
  [ -f "$model" ] || continue
  expect 0 run "$model" --json --duration 0.02
  well_formed out
  json_is audit pass
done

# a cylinder that is driven beyond the reach of its lever: told at once, with what came before kept
cat >lock.yaml <<'END'
bodies:
  arm: {type: planar, mass: 5, shape: {rod: {length: 0.3}}, position: [0.15, 0]}
  barrel: {type: planar, mass: 2, shape: {rod: {length: 0.6}}, position: [-0.7, 0]}
  rod: {type: planar, mass: 1, shape: {rod: {length: 0.6}}, position: [-0.2, 0]}
joints:
  pivot: {type: revolute, b: arm, at: [0, 0]}
  foot: {type: revolute, b: barrel, at: [-1, -0.2]}
  slide: {type: prismatic, a: barrel, b: rod, axis: [1, 0.2]}
  eye: {type: revolute, a: rod, b: arm, at: [0.1, 0.28]}
  push: {type: driver, joint_a: slide, motion: 0.1*t}
simulation: {duration: 5}
END
expect 1 run lock.yaml --out lock.csv
says err "the mechanism locks"
says err "pivot, foot, slide, eye, push"
says err "what was computed is kept: lock.csv"
true_that [ "$(grep -c '^[0-9]' lock.csv)" -gt 100 ]

# the moving mechanism for other viewers, NumPy archives
expect 0 run "$SRC/models/pendulum.yaml" --duration 0.5 --glb motion.glb --out motion.npz -q
true_that test "$(head -c 4 motion.glb)" = glTF
true_that test "$(head -c 2 motion.npz)" = PK
expect 2 run "$SRC/models/pendulum.yaml" --glb motion.txt
says err "it does not end in .glb"

# integrals, the ledger, and what conditions gave parameters: m g = k 0.1, c takes 9 J (1 - exp(-1.5 t))
cat >ledger.yaml <<'END'
gravity: [0, -10]
simulation: {duration: 0.7, rtol: 1e-10}
parameters: {k: 100}
bodies:
  seat: {type: planar, mass: 2, inertia: 1, position: [0, 0.5]}
  cart: {type: planar, mass: 2, inertia: 1, position: [5, 0], velocity: [3, 0]}
joints:
  guide: {type: prismatic, b: seat, axis: [0, 1]}
  rail: {type: prismatic, b: cart, axis: [1, 0]}
forces:
  spring: {type: spring, b: seat, stiffness: k, free: 0.6}
  damper: {type: spring, joint: rail, stiffness: 0, damping: 1.5, free: 0}
solve: {k: guide.translation_acceleration = 0}
outputs: {way: {integral: cart.vx, unit: m}}
END
expect 0 run ledger.yaml --option ledger=on --out ledger.csv
matches out '^  solved      k = 200(\.0*)?$|^  solved      k = (199\.9999|200\.0000)[0-9]*$'
matches out '^  work by     damper +-5\.8505[0-9]* J$'
matches out '^ +all +-5\.8505[0-9]* J, by the sources [0-9.e-]+ J apart$'
matches ledger.csv 'way \[m\]'
expect 0 run ledger.yaml --option ledger=on --json
well_formed out
near "$(sed -n 's/.*"k": \([0-9.]*\).*/\1/p' out)" 200 1e-6
says out '"source": "damper"'
expect 0 run ledger.yaml --json
true_that [ "$(grep -c '"ledger": {' out)" = 0 ]
expect 2 run ledger.yaml --option ledger=maybe
finish
