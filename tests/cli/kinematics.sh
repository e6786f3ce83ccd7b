# kinematics.sh: holon kinematics, holon inverse and holon tolerance.
. "$SRC/tests/cli/_lib.sh"
# the model of the manual page
sed -n '/^```yaml/,/^```$/p' "$SRC/docs/commands/kinematics.md" | grep -v '^```' >crank.yaml

expect 0 kinematics crank.yaml --out motion.csv
silent err
says out "moved        201 rows"
says out "$(grep '^  conditioning ' "$SRC/docs/commands/kinematics.md")"
says out "every reaction is determined"
says out "result: motion.csv, 201 rows"
true_that [ "$(lines motion.csv)" = 202 ]
# r cos(7) + sqrt(l^2 - r^2 sin(7)^2) after one second
near "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "slider.x [m]") c = i }
  END { print $c }' motion.csv)" 0.8383375353090416 1e-12
expect 0 kinematics crank.yaml --duration 0.5 --output-step 0.1 --json
well_formed out
json_is rows 6
json_is singular 0

# what is refused is told in JSON too
cat >lagging.yaml <<'END'
states: {lag: {rate: 1 - lag}}
bodies: {p: {type: planar, mass: 1, inertia: 1, position: [1, 0]}}
joints: {h: {type: revolute, b: p, at: [0, 0]}, d: {type: driver, joint_a: h, motion: t}}
END
for what in kinematics inverse; do
  expect 2 $what lagging.yaml --json
  well_formed out
  json_is rows 0
  says err "cannot deal with states, as 'lag'"
done

# gravity is across the first slide: its driver has nothing to do, and round-off is not shown
cat >tilt.yaml <<'END'
parameters: {a: 0.7}
gravity: [9.81*sin(a), -9.81*cos(a)]
simulation: {duration: 1, output_step: 0.1}
bodies:
  cart: {type: planar, mass: 3, inertia: 1}
  load: {type: planar, mass: 7, inertia: 1}
joints:
  along: {type: prismatic, b: cart, axis: [cos(a), sin(a), 0]}
  across: {type: prismatic, a: cart, b: load, axis: [-sin(a), cos(a), 0]}
  d1: {type: driver, joint_a: along, motion: 0.1*t}
  d2: {type: driver, joint_a: across, motion: 0.1*t}
END
expect 0 inverse tilt.yaml
matches out '^  d1 +0 +0 +0  N +0 +0$'
matches out '^  d2 +68\.67 .* 6\.867 +6\.867$'

expect 0 inverse crank.yaml --out efforts.csv
says out "$(grep '^  drive ' "$SRC/docs/commands/inverse.md" | head -n 1)"
silent err
matches out '^  drive +[0-9.]+ +[0-9.]+ +[0-9.]+ +N m '
matches efforts.csv '^time \[s\],drive.value \[rad\],drive.rate \[rad/s\],'
expect 0 inverse crank.yaml --json
well_formed out
matches out '"name": "drive", "unit": "N m", "peak": '

# not driven
sed '/drive:/d' crank.yaml >free.yaml
expect 2 kinematics free.yaml --out none.csv
says err "1 degree of freedom is not driven: A.angle"
true_that [ ! -e none.csv ]
expect 2 kinematics free.yaml --json
well_formed out
json_is status failed
expect 2 inverse free.yaml
says err "nothing is prescribed"

# a dead position: a ladder whose foot is pulled away lies flat when it is 1 m from the wall
cat >ladder.yaml <<'END'
simulation: {duration: 1, output_step: 0.15}
bodies:
  foot: {type: planar-point, mass: 1, position: [0.6, 0]}
  head: {type: planar-point, mass: 1, position: [0, 0.8]}
joints:
  floor: {type: coordinate, b: foot, coordinate: y}
  wall: {type: coordinate, b: head, coordinate: x}
  ladder: {type: distance, a: foot, b: head, length: 1}
  pull: {type: driver, b: foot, coordinate: x, motion: 0.6 + 0.5*t}
END
expect 1 kinematics ladder.yaml --out kept.csv
matches err '^FAILED: t=0.[78][0-9]*: the drivers cannot move the mechanism any further: dead position'
says out "what was computed is kept: kept.csv, 6 rows"
expect 1 kinematics ladder.yaml --json
well_formed out
json_is status failed
json_is rows 6

# motions that other forces bring about: the work of both is that of lifting the load, 100 g 2 m
sed -n '/^# crane.yaml/,/^```$/p' "$SRC/docs/commands/inverse.md" | grep -v '^```' >crane.yaml
sed -i 's/output_step: 0.1/output_step: 0.1, step: 0.025/' crane.yaml
expect 0 inverse crane.yaml --out efforts.csv --motion motion.csv
silent err
says out "solved with a step of 0.025 s"
says out "motion: motion.csv, 181 rows"
expect 0 inverse crane.yaml --json
well_formed out
json_is program true
near "$(sed -n 's/.*"work": \(-*[0-9.]*\).*/\1/p' out | awk '{ w += $1 } END { print w }')" 1962 0.5
expect 1 run crane.yaml
says err "use 'holon inverse'"
expect 2 statics crane.yaml
says err "statics cannot deal with"
sed 's/by: winch/by: wench/' crane.yaml >wrong.yaml
expect 2 inverse wrong.yaml
matches err "^wrong.yaml:[0-9]+:[0-9]+: joint 'up': no force is named 'wench'"

# usage
expect 2 kinematics crank.yaml --duration -1
says err "duration must lie between"
expect 2 inverse crank.yaml --output-step x
expect 2 kinematics
says err "needs a model file"

# what drivers do between rows
cat >narrow.yaml <<'END'
simulation: {duration: 1, output_step: 0.1}
bodies: {b: {type: planar, mass: 1, inertia: 1}}
joints:
  j: {type: revolute, b: b}
  d: {type: driver, joint_a: j, motion: "smoothstep(t, 0.51, 0, 0.52, 1)"}
END
expect 0 kinematics narrow.yaml
says out "accelerate by 5.774e+04 [m/s^2, rad/s^2] at most: 'd',"
matches out '^ +t = 0\.51[0-9]* s \(between rows too\)$'
says out "between rows too"
sed 's/smoothstep.*)/abs(t - 0.55)/' narrow.yaml >kink.yaml
expect 0 kinematics kink.yaml
says out "KINK: the rate of 'd' jumps by 2 rad/s at t = 0.55 s"
expect 0 kinematics kink.yaml --json
well_formed out
json_is kinks 1
sed 's/smoothstep.*)/step(t - 0.333)/' narrow.yaml >jump.yaml
expect 1 kinematics jump.yaml
says err "t=0.333: the motion of driver 'd' jumps by 1 rad"

# inverse: what drivers do between rows, 10/sqrt(3) 1e4 = 57735.027
expect 0 inverse narrow.yaml
matches out '^  d +-?57735 +0.51'
expect 0 inverse kink.yaml
matches out '^  d +infinite +at kinks'
says out "KINK: the rate of 'd' jumps by 2 rad/s at t = 0.55 s"
expect 0 inverse kink.yaml --json
well_formed out
says out '"infinite": true'

# ---- tolerance -------------------------------------------------------------------------------

expect 0 tolerance crank.yaml --gap 5e-5 --out table.csv
says out "$(grep '^  slider.x ' "$SRC/docs/commands/tolerance.md")"
says out "table: table.csv, 9 rows"
expect 0 tolerance crank.yaml --of slider.y --json
json_is gap 0.0001
says out "\"mostly_by\": \"rail.x\"}"
expect 0 tolerance crank.yaml --of crank --gap 0 --tilt 0.5 --at 0.1
says out "drive.motion (100 %)"
says_not out slider
expect 2 tolerance crank.yaml --of wheel
says err "no such body, joint or coordinate"
expect 2 tolerance crank.yaml --gap -1
says err "--gap needs a number that is not negative"
expect 2 tolerance missing.yaml

finish

# pages of analyses
for what in kinematics inverse; do
  expect 0 $what crank.yaml --html $what.html
  says out "report: $what.html"
  says $what.html 'id="holon-data"'
done
