# statics.sh: holon statics.
. "$SRC/tests/cli/_lib.sh"
pendulum() {
  cat >"$2" <<END
gravity: [0, -9.81]
bodies: {bar: {type: planar, mass: 1.3, inertia: 0.21, com: [0, -0.7], angle: $1}}
joints: {hinge: {type: revolute, a: ground, b: bar}}
END
}
pendulum 3 bar.yaml

expect 0 statics bar.yaml --out rest.csv
silent err
says out "stable: all free directions are held"
says out "every reaction is determined"
matches out '^  bar +x=0 y=0 m, angle=0 rad$'
matches out '^  hinge +angle=-3 rad, fx=0 fy=12.753 N, tz=0 N m$'
says_not out "constraints"
says out "result: rest.csv, 1 row of"
true_that [ "$(lines rest.csv)" = 2 ]
expect 0 statics bar.yaml --nearest
says out "unstable: 1 of 1 free direction is pushed away"
expect 0 statics bar.yaml --nearest --json
well_formed out
json_is stability unstable
json_is unstable_directions 1
near "$(json softest)" -10.539669421487606 1e-9
expect 0 statics bar.yaml --json
well_formed out
json_is stability stable
near "$(sed -n 's/.*"hinge.fy": //p' out | tr -d ,)" 12.753 1e-9

# what is round-off is told by the size of the others: of heavy things, and of light ones
sed 's/mass: 1.3, inertia: 0.21/mass: 1.3e9, inertia: 2.1e8/' bar.yaml >heavy.yaml
expect 0 statics heavy.yaml
matches out '^  hinge +angle=-3 rad, fx=0 fy=1.2753e\+10 N, tz=0 N m$'
sed 's/mass: 1.3, inertia: 0.21/mass: 1.3e-15, inertia: 2.1e-16/' bar.yaml >light.yaml
expect 0 statics light.yaml
matches out '^  hinge +angle=-3 rad, fx=0 fy=1.2753e-14 N, tz=0 N m$'

# redundant joints
cat >door.yaml <<'END'
gravity: [0, 0, -9.81]
bodies: {door: {mass: 10, shape: {box: {size: [1, 0.05, 2]}}, position: [0.5, 0, 1]}}
joints:
  low: {type: revolute, a: ground, b: door, at: [0, 0, 0.5]}
  high: {type: revolute, a: ground, b: door, at: [0, 0, 1.5], stiffness: 3}
forces: {shut: {type: torsion-spring, joint: low, stiffness: 5}}
END
expect 0 statics door.yaml
says out "share by the stiffness of their joints"
matches out '^  high .*fz=73.575'

# nothing holds it
printf 'gravity: [0, -9.81]\nbodies: {stone: {type: planar, mass: 1, inertia: 1}}\n' >stone.yaml
expect 1 statics stone.yaml --out none.csv
says err "body 'stone' still wants to accelerate"
true_that [ ! -e none.csv ]
expect 1 statics stone.yaml --json
well_formed out
json_is status failed

# usage
expect 2 statics
says err "needs a model file"
expect 2 statics no.yaml --json
well_formed out
json_is status refused
expect 2 statics bar.yaml --out rest.txt
says err "ends in .csv, .h5 or .npz"
expect 2 statics bar.yaml --set width=3
says err "no parameter 'width'"

# at a kink: held on one side, pushed away on the other
cat >kink.yaml <<'END'
gravity: [0, -9.81]
bodies: {b: {type: planar, mass: 1, inertia: 0.0833333333, position: [0, -0.5], angle: -90 deg}}
joints: {j: {type: revolute, b: b, at: [0, 0]}}
forces: {m: {type: motor, joint: j, law: "-100*abs(value)"}}
END
expect 0 statics kink.yaml
says out "unstable: 1 of 1 free direction is pushed away to one side"
says out "stability differs by side"
expect 0 statics kink.yaml --json
well_formed out
json_is sides 2

# joints that come and go are named: those that hold here, and those left out
cat >foot.yaml <<EOF
gravity: [0, -9.81]
bodies: {ball: {type: planar-point, mass: 1, position: [2, 0.1]}}
joints:
  floor: {type: stop, b: ball, at: [2, 0], at_b: [2, 0.1], axis: [0, 1, 0], radius: 0.1}
  leash: {type: rope, b: ball, at: [0, 0], at_b: [2, 0.1], length: 3}
EOF
expect 0 statics foot.yaml
says out "held         'floor'"
says out "left out     'leash'"
expect 0 modes foot.yaml
says out "left out     'leash'"

# beams with twice the elements
cat >arc.yaml <<EOF
parameters: {n: 2}
beams:
  arc: {along: [[0, 0, 0], [0.076, 0.383, 0], [0.293, 0.707, 0]], curve: arc, elements: n,
    mass: [1, 1, 1, 2, 1, 1], stiffness: [1e5, 1e5, 1e5, 1, 1, 1]}
joints: {clamp: {type: fixed, b: arc.start}}
forces: {lift: {type: force, b: arc.end, force: [0, 0, 3*t]}}
simulation: {beam_check: on, method: index3-alpha, step: 0.01, duration: 0.05, verify: off}
EOF
expect 3 statics arc.yaml --until 1
says out "their number of elements puts positions off by"
says err "too few elements in its beams"
expect 0 statics arc.yaml --until 1 --json --set n=16
says out '"how": "every element as two"'
expect 2 statics arc.yaml --branch +
says err "--branch belongs to --until"
expect 0 statics arc.yaml
matches out '^  beams +their number of elements'
expect 3 run arc.yaml
says out "elements of beams: forces"
says err "more 'elements' in beams"
expect 3 run arc.yaml --json
says out '"beam_error"'

# a page
expect 0 generate pendulum --out page.yaml
expect 0 statics page.yaml --html statics.html
says out "report: statics.html"
says statics.html 'id="holon-data"'

finish
