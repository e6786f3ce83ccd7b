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

# neither an equilibrium nor a steady motion
expect 2 modes bar.yaml --at initial
says err "the forces do not balance at rest, body 'bar' begins to move"
says err "use --frozen"
silent out
expect 2 modes bar.yaml --at 0.3 --json
json_is status failed
says err "body 'bar' does not turn steadily"
expect 0 modes bar.yaml --at initial --frozen
says out "Frozen: the state (--at initial) is at rest but not in balance"
expect 0 modes bar.yaml --at 0.3 --frozen
says out "Frozen: the state (--at 0.3) is in motion."
expect 0 modes bar.yaml --at 0.3 --frozen --json
json_is frozen true

# a steady motion: 25 - 9 = 4^2; spin 4/sqrt(0.0015) of a gyroscope in gimbals
cat >guide.yaml <<'END'
bodies:
  arm: {type: planar, mass: 1, inertia: 1}
  m: {type: planar, mass: 1, inertia: 0.1, position: [1, 0], velocity: [0, 3], angular_velocity: 3}
joints:
  hub: {type: revolute, b: arm}
  d: {type: driver, joint_a: hub, motion: 3*t}
  guide: {type: prismatic, a: arm, b: m, axis: [1, 0, 0]}
forces:
  s: {type: spring, joint: guide, stiffness: 25, free: -0.36}
END
expect 0 modes guide.yaml --at initial --out guide.csv --animate guide_mode.csv
matches out '^ +1 +0.636[0-9]+ +0 +0 +4 +guide.translation$'
says out "Linearised about a steady motion"
says out "those of arm, m turn with 3 rad/s about (0, 0, 1)"
expect 0 modes guide.yaml --at 0.7
matches out '^ +1 +0.636[0-9]+ +0 +0 +4 +guide.translation$'

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
says err "ends in .csv, .h5 or .npz"
printf 'gravity: [0, -9.81]\nbodies: {stone: {type: planar, mass: 1, inertia: 1}}\n' >stone.yaml
expect 1 modes stone.yaml
says err "no equilibrium was found"

# a damper that is stiffer one way: (-3 +- i sqrt(391))/2 / 2 and (-9 +- ...) on the sides
cat >damper.yaml <<'END'
bodies: {b: {type: planar, mass: 2, inertia: 1}}
joints: {j: {type: prismatic, b: b, axis: [1, 0, 0]}}
forces: {m: {type: motor, joint: j, law: "-50*value - if(rate > 0, 3, 9)*rate"}}
END
expect 0 modes damper.yaml
says out "KINK: a force switches exactly here, 2 sides meet"
matches out '^ +1 +[0-9.]+ +[0-9.]+ +-0.75 '
matches out '^ +1 +[0-9.]+ +[0-9.]+ +-2.25 '

finish

# a page in which modes are picked
expect 0 generate pendulum --out page.yaml
expect 0 modes page.yaml --html modes.html
says out "report: modes.html"
says modes.html '"kind":"pick"'
expect 2 modes page.yaml --html modes.txt
