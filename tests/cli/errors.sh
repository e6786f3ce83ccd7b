# errors.sh: exit codes and messages when something is wrong; nothing half-written is left.
. "$SRC/tests/cli/_lib.sh"
expect 0 generate pendulum --out pendulum.yaml

# refused FILE:LINE:COLUMN TEXT: run and check refuse bad.yaml with exit code 2 and that message
refused() {
  for command in run check; do
    expect 2 $command bad.yaml
    says err "bad.yaml:$1: "
    says err "$2"
    silent out
  done
  # and say so in JSON, too
  expect 2 run bad.yaml --json
  well_formed out
  json_is status refused
  says out "$2"
}

# ---- 2: model files ------------------------------------------------------------------------

printf 'bodies:\n  ball: {type: point, mass: -1}\n' >bad.yaml
refused 2:29 "body 'ball': mass must not be negative"
printf 'bodies:\n  ball: {type: point, mas: 1}\n' >bad.yaml
refused 2:23 "did you mean 'mass'?"
printf 'bodies:\n  ball: {type: point, mass: .nan}\n' >bad.yaml
refused 2:29 "mass must be a finite number"
printf 'bodies:\n  ball: {type: point, mass: 1, position: [0, 1e400, 0]}\n' >bad.yaml
refused 2:46 "position"
printf 'bodies:\n  ball: {type: point, mass: 1\n' >bad.yaml
refused 3:1 "bad.yaml"
printf 'bodies:\n  bar: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  pin: {type: revolut, a: ground, b: bar}\n' \
  >bad.yaml
refused 4:15 "did you mean 'revolute'?"
printf 'bodies:\n  bar: {mass: 1, inertia: [1, 1, 1]}\njoints:\n  pin: {type: revolute, a: ground, b: bra}\n' \
  >bad.yaml
refused 4:39 "no body named 'bra'"
printf 'simulation: {rtol: 5}\nbodies:\n  ball: {type: point, mass: 1}\n' >bad.yaml
refused 1:20 "rtol must lie between"
: >bad.yaml
expect 2 run bad.yaml
says err bad.yaml
expect 2 run no_such_file.yaml
says err "no_such_file.yaml: cannot be read: No such file or directory"
silent out
expect 2 check .
silent out

# what other tools and other languages of the keyboard bring along
printf 'gravity: [0, 0, -9.81]\nbodies:\n  ball: {type: planar-point, mass: 1}\n' >bad.yaml
refused 1:10 "gravity: -9.81 along z has no effect"
printf '\377\376b\000o\000d\000' >bad.yaml
refused 1:1 "this is text in UTF-16: save it as UTF-8"
printf 'factors: {a: [1, 2]}\nbodies:\n  ball: {type: point, mass: 1}\n' >bad.yaml
refused 1:1 "it is one of a study"
expect 2 study pendulum.yaml
says err "it is one of a model: a study names the file with 'model: FILE.yaml'"
printf '<robot name="r"><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="bb"/></joint>
<link name="b"/></robot>' >bad.urdf
expect 2 check bad.urdf
says err "bad.urdf:1:33: joint 'j': no link named 'bb'"
printf '<robot name="r"><link name="a">\n</robot>' >bad.urdf
expect 2 check bad.urdf
says err "bad.urdf:2:3: mismatched tag: <link> of line 1 is open"
expect 2 import pendulum.yaml --out imported.yaml
says err "pendulum.yaml:1:1: not an XML file"

# two pins at different places hold a bar, a third one contradicts them
cat >bad.yaml <<'END'
bodies:
  bar: {type: planar, mass: 1, inertia: 1, frames: {left: [0, 0], right: [1, 0]}}
ground: {frames: {left: [0, 0], right: [2, 0]}}
joints:
  left: {type: revolute, a: ground.left, b: bar.left}
  right: {type: revolute, a: ground.right, b: bar.right}
END
for command in run check; do
  expect 2 $command bad.yaml
  silent out
  matches err '(left|right)'
done
# bars too short to close a loop
cat >bad.yaml <<'END'
bodies:
  one: {type: planar, mass: 1, inertia: 1, frames: {p: [0, 0], q: [1, 0]}}
  two: {type: planar, mass: 1, inertia: 1, frames: {p: [0, 0], q: [1, 0]}}
ground: {frames: {a: [0, 0], d: [5, 0]}}
joints:
  A: {type: revolute, a: ground.a, b: one.p}
  B: {type: revolute, a: one.q, b: two.p}
  D: {type: revolute, a: ground.d, b: two.q}
END
expect 2 check bad.yaml
silent out
true_that [ -s err ]
expect 2 run bad.yaml --json
well_formed out
json_is status refused

# ---- 2: usage ------------------------------------------------------------------------------

expect 2 run pendulum.yaml --set lenght=2
says err "no parameter 'lenght'"
says err "length"
expect 2 run pendulum.yaml --set length=0
says err pendulum.yaml
expect 2 run pendulum.yaml --set length=nan
true_that [ -s err ]
expect 2 run pendulum.yaml --set "length=1+"
true_that [ -s err ]
expect 2 run pendulum.yaml --set length
says err "holon: --set needs NAME=VALUE, not 'length'"
expect 2 run pendulum.yaml --set =3
says err "--set needs NAME=VALUE"
expect 2 run pendulum.yaml --option alpah=3
says err "did you mean 'alpha'?"
expect 2 run pendulum.yaml --option rtol=7
says err "rtol must lie between"
expect 2 run pendulum.yaml --duration nan
says err duration
expect 2 run pendulum.yaml --duration -1
says err duration
expect 2 run pendulum.yaml --step x
says err step
expect 2 run pendulum.yaml --output result.csv
says err "unknown option '--output' (did you mean '--out'?)"
expect 2 run pendulum.yaml --duration 0,5
says err "a number has a decimal point"
expect 2 simulate pendulum.yaml
says err "unknown command 'simulate' (did you mean 'run'?)"
expect 2 plot pendulum.yaml
says err "'holon run pendulum.yaml --out FILE.csv' makes one"
expect 2 plot result.csv crank.x
says err "a column is drawn by '--y crank.x'"
expect 2 format no_such_file.yaml
says err "no_such_file.yaml: cannot be read: No such file or directory"
expect 2 tolerance pendulum.yaml --of baar.x
says err "did you mean 'bar.x'?"
expect 2 run pendulum.yaml --method baumgrate
says err "did you mean 'baumgarte'?"
# a fixed step has no default
expect 2 run pendulum.yaml --method baumgarte
says err step

# ---- result files --------------------------------------------------------------------------

# refused before the run, however long it would take
expect 2 run pendulum.yaml --duration 1e8 --out result.txt
says err "holon: result.txt: a result file ends in .csv, .h5 or .npz"
expect 2 run pendulum.yaml --duration 1e8 --out no_such_folder/result.csv
says err "no_such_folder/result.csv: cannot be written: No such file or directory"
mkdir folder.csv
expect 2 run pendulum.yaml --duration 1e8 --out folder.csv
says err "folder.csv: cannot be written: Is a directory"
expect 2 run pendulum.yaml --duration 1e8 --out pendulum.yaml/result.csv
says err "pendulum.yaml/result.csv: cannot be written: Not a directory"
# root may write everywhere
if [ "$(id -u)" != 0 ]; then
  mkdir locked
  chmod 555 locked
  expect 2 run pendulum.yaml --out locked/result.csv
  says err "Permission denied"
  chmod 755 locked
fi
true_that [ -z "$(find . -name '*.tmp*')" ]

# ---- 1: the run fails ----------------------------------------------------------------------

# an explicit method with a step far too large for a stiff spring
cat >stiff.yaml <<'END'
simulation: {method: mass-projection, step: 0.1, duration: 100, output_step: 0.1}
bodies:
  ball: {type: point, mass: 1, position: [1, 0, 0]}
forces:
  spring: {type: spring, a: ground, b: ball, stiffness: 1e4, free: 0.5}
END
expect 1 run stiff.yaml --out stiff.csv
matches err '^FAILED: t=[0-9.]+: '
says err "what was computed is kept: stiff.csv"
says out "result: stiff.csv"
says_not out "done:"
expect 0 plot stiff.csv --list
matches out '^stiff.csv: ([2-9]|[1-9][0-9]+) rows'
expect 1 run stiff.yaml --json --out stiff.csv
well_formed out
json_is status failed
json_is result stiff.csv
matches out '^  "message": "t=[0-9.]+: '
expect 1 run stiff.yaml --quiet
silent out
matches err '^FAILED: '

# ---- 3: the audit fails --------------------------------------------------------------------

expect 3 run pendulum.yaml --option audit_energy=1e-15 --out audit.csv
says err "AUDIT FAILED: energy imbalance"
matches out 'energy imbalance .* FAIL$'
matches out 'position violation .* pass$'
says_not out "done:"
expect 0 plot audit.csv --list
expect 3 run pendulum.yaml --option audit_energy=1e-15 --json
well_formed out
json_is status "done"
json_is audit fail
says out '"pass": false'
expect 3 run pendulum.yaml --option audit_energy=1e-15 --quiet
silent out
# a method without correction drifts
expect 0 generate closed-chain --n 4 --out loop.yaml
expect 3 run loop.yaml --method standard --step 0.02 --option coordinates=reference \
  --option audit_position=1e-12
says err "AUDIT FAILED: position violation"

finish
