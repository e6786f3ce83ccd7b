# modes.sh: holon modes.
. "$SRC/tests/cli/_lib.sh"
cat >bar.yaml <<'END'
gravity: [0, -9.81]
bodies: {bar: {type: planar, mass: 1.3, inertia: 0.21, com: [0, -0.7], angle: 0.5}}
joints: {hinge: {type: revolute, a: ground, b: bar}}
END

# sqrt(m g l / (I + m l^2)) = 3.2464857
expect 0 modes bar.yaml --out shapes.csv --animate swing.csv --amplitude 0.2
silent err
matches out '^ +1 +0.516[0-9]+ +0 +0 +3.24[0-9]+ +hinge.angle$'
says out "Linearised at an equilibrium; nothing is damped."
says out "shapes: shapes.csv, 1 row of"
says out "animation: swing.csv, 241 rows of"
matches shapes.csv '^mode,frequency \[Hz\],natural \[Hz\],damping,'
expect 0 plot swing.csv
expect 0 modes bar.yaml --json
well_formed out
json_is modes 1
near "$(sed -n 's/.*"im": \([0-9.]*\).*/\1/p' out)" 3.2464857032624685 1e-9

expect 0 modes bar.yaml --at initial
says out "not at an equilibrium"
expect 0 modes bar.yaml --at 0.3
says out "in motion (--at 0.3)"

# mistakes
expect 1 modes bar.yaml --animate swing2.csv --mode 2
says err "there is no mode 2 (1 to 1)"
expect 2 modes bar.yaml --at noon
says err "--at needs"
expect 2 modes bar.yaml --mode x
says err "--mode needs"
expect 2 modes bar.yaml --amplitude -1
says err "--amplitude needs"
expect 2 modes bar.yaml --animate swing.txt
says err "ends in .csv or .h5"
printf 'gravity: [0, -9.81]\nbodies: {stone: {type: planar, mass: 1, inertia: 1}}\n' >stone.yaml
expect 1 modes stone.yaml
says err "no equilibrium was found"

finish
