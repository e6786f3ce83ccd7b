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
expect 0 modes guide.yaml
says out "DRIVEN: 'd' moves with 3 rad/s at t = 0 and is held still here."
expect 0 modes guide.yaml --json
json_is held_driver d
expect 0 modes guide.yaml --at initial --out guide.csv --animate guide_mode.csv
says_not out DRIVEN
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

# a page in which modes are picked
expect 0 generate pendulum --out page.yaml
expect 0 modes page.yaml --html modes.html
says out "report: modes.html"
says modes.html '"kind":"pick"'
expect 2 modes page.yaml --html modes.txt

# from inputs to signals: 2 x'' + 3 x' + 80 x = i - 25 f, 0.1 f' = x - f; p(s) = (2 s^2 + 3 s + 80)
# (0.1 s + 1) + 25 is the characteristic polynomial, 1/p the way from i to f
cat >loop.yaml <<'END'
bodies: {mass: {type: planar, mass: 2, inertia: 1}}
joints: {guide: {type: prismatic, b: mass, axis: [1, 0]}}
forces: {law: {type: force, b: mass, force: [push, 0]}}
signals:
  i: {input: 0}
  push: i - 3*mass.vx - 80*mass.x - 25*f
states:
  f: {rate: (mass.x - f)/0.1}
END
expect 0 modes loop.yaml --bode bode.csv --from 0.5 --to 8 --matrices matrices.csv
says out "responses: bode.csv, 400 rows of 7 columns"
says out "matrices: matrices.csv, 6 rows of 4 columns"
cat >check.awk <<'END'
BEGIN { FS = "," }
FNR == 1 { for (k = 1; k <= NF; k++) { name = $k; gsub(/"| \[.*\]/, "", name); at[name] = k } next }
{
  w = 2 * 3.14159265358979323846 * $1
  # p(i w): real and imaginary part
  re = 80 + 25 - w * w * (2 + 0.3); im = w * (3 + 8) - 0.2 * w * w * w
  gain = -10 * log(re * re + im * im) / log(10)
  off = gain - $at["f/i.gain"]; if (off < 0) off = -off
  if (off > worst) worst = off
  rows++
}
END { if (rows == 400 && worst < 1e-9) print "right"; else print rows, worst }
END
true_that [ "$(awk -f check.awk bode.csv)" = right ]
expect 0 modes loop.yaml --bode bode.svg --matrices matrices.m
says bode.svg "<svg"
says bode.svg "f/i.gain"
says bode.svg "f/i.phase"
says out "matrices: matrices.m"
says matrices.m "inputs = {'i.input'};"
says matrices.m "outputs = {'i', 'push', 'f'};"
# the eigenvalues' sum is the trace -3/2 - 10, their product the determinant -p(0)/0.2 (sizes 3 x 3)
cat >trace.awk <<'END'
/^A = \[/ { inside = 1; next }
/^\];/ { inside = 0 }
inside { n++; for (k = 1; k <= NF; k++) a[n, k] = $k }
END {
  d = a[1,1]*(a[2,2]*a[3,3] - a[2,3]*a[3,2]) - a[1,2]*(a[2,1]*a[3,3] - a[2,3]*a[3,1])
  d += a[1,3]*(a[2,1]*a[3,2] - a[2,2]*a[3,1])
  printf "%d %.9f %.9f\n", n, a[1,1] + a[2,2] + a[3,3], d
}
END
true_that [ "$(awk -f trace.awk matrices.m)" = "3 -11.500000000 -525.000000000" ]
for octave in octave-cli octave; do
  command -v $octave >found 2>&1 || continue
  true_that [ "$($octave --eval 'matrices; printf("%.6f", trace(A))' 2>unseen)" = -11.500000 ]
  break
done
expect 2 modes loop.yaml --bode bode.csv --from 3 --to 1
expect 1 modes loop.yaml --matrices no/such/folder.m
says err "cannot be written"
# without an input there is nothing to respond to
expect 2 modes bar.yaml --bode none.csv
true_that [ ! -e none.csv ]

finish
