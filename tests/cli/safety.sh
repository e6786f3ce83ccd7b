# What a model file, a name or a path that was made to do harm cannot do.
. "$SRC/tests/cli/_lib.sh"

# ---- a model file runs nothing -------------------------------------------------------------

payload='int system(const char *);\nstatic void __attribute__((constructor)) p(void) { (void)!system(\"echo executed > executed.txt\"); }\n//'
cat >named.yaml <<END
name: "p\\n$payload"
simulation: {code: native, duration: 0.1}
bodies: {b: {type: planar, mass: 1, inertia: 1}}
END
for command in check run statics modes code; do
  expect 2 $command named.yaml
  says err "named.yaml:1:7: name: must be one line without control characters"
done
expect 2 run named.yaml --trust
expect 2 run named.yaml --option code=native
true_that [ ! -e executed.txt ]

# the same in the name of the file
newline='
'
bad="p${newline}int system(const char *);${newline}static void __attribute__((constructor)) p(void) { (void)!system(\"echo executed > executed.txt\"); }${newline}.yaml"
printf 'simulation: {code: native, duration: 0.1}\nbodies: {b: {type: planar, mass: 1, inertia: 1}}\n' >"$bad"
for command in check "run --trust" code; do
  expect 2 $command "$bad"
  says err "has control characters in it"
  true_that [ "$(lines err)" = 2 ]
done
true_that [ ! -e executed.txt ]

# code: native is for whoever runs the file to switch on
cat >wish.yaml <<'END'
name: wish
simulation: {code: native, duration: 0.1}
gravity: [0, -9.81]
bodies: {b: {type: planar, mass: 1, inertia: 1}}
END
compiler=$PWD/compiler
printf '#!/bin/sh\necho called >>"%s"\nexec cc "$@"\n' "$PWD/compiled.txt" >"$compiler"
chmod +x "$compiler"
export CC="$compiler"
for command in check statics modes "run -q" "run" "kinematics" "inverse" "compare --methods standard"; do
  holon $command wish.yaml
  true_that [ ! -e compiled.txt ]
done
expect 0 run wish.yaml
says err "asks for 'code: native'"
says_not out "code        native"
expect 0 run wish.yaml --trust
says out "code        native"
says_not err "asks for"
true_that [ "$(lines compiled.txt)" = 1 ]
expect 0 run wish.yaml --option code=native
says out "code        native"
true_that [ "$(lines compiled.txt)" = 2 ]
expect 0 code wish.yaml
true_that [ "$(lines compiled.txt)" = 2 ]
unset CC

# ---- files are written over as they should be, or not at all -------------------------------

cp "$SRC/models/pendulum.yaml" pendulum.yaml
cp pendulum.yaml kept.yaml
quick="--duration 0.1"

# links are followed, also to files that are not there yet and through other links
mkdir elsewhere
ln -s elsewhere/there.csv link.csv
ln -s link.csv second.csv
expect 0 run pendulum.yaml $quick --out second.csv
true_that [ -h second.csv ] && true_that [ -h link.csv ] && true_that [ -f elsewhere/there.csv ]
echo old >elsewhere/page.html
ln -s "$PWD/elsewhere/page.html" page.html
expect 0 run pendulum.yaml $quick --html page.html
true_that [ -h page.html ]
true_that grep -q holon-data elsewhere/page.html
ln -s loop_a.csv loop_b.csv
ln -s loop_b.csv loop_a.csv
expect 2 run pendulum.yaml $quick --out loop_a.csv

# modes are kept
for mode in 600 640 444; do
  for name in r$mode.csv r$mode.h5 r$mode.svg r$mode.html r$mode.c r$mode.yaml; do
    echo old >$name
    chmod $mode $name
  done
done
for mode in 600 640; do
  holon run pendulum.yaml $quick --out r$mode.csv --html r$mode.html
  holon run pendulum.yaml $quick --out r$mode.h5
  holon plot r$mode.csv --out r$mode.svg
  holon code pendulum.yaml --out r$mode.c
  holon generate pendulum --out r$mode.yaml
  for name in r$mode.csv r$mode.svg r$mode.html r$mode.c r$mode.yaml; do
    true_that [ "$(stat -c %a $name)" = $mode ]
    true_that [ "$(head -c 3 $name)" != old ]
  done
  true_that [ "$(stat -c %a r$mode.h5)" = $mode ]
done
# what may not be written is not replaced either
if [ "$(id -u)" != 0 ]; then
  expect 2 run pendulum.yaml $quick --out r444.csv
  true_that [ "$(cat r444.csv)" = old ]
fi

# pipes and devices are refused
mkfifo pipe.csv pipe.html pipe.svg pipe.c pipe.h5
expect 2 run pendulum.yaml $quick --out pipe.csv
says err "it is a pipe, not a file"
expect 2 run pendulum.yaml $quick --out pipe.h5
expect 2 run pendulum.yaml $quick --html pipe.html
expect 2 statics pendulum.yaml --out pipe.csv
expect 1 code pendulum.yaml --out pipe.c
expect 1 generate pendulum --out pipe.c
expect 0 run pendulum.yaml $quick --out plain.csv
expect 1 plot plain.csv --out pipe.svg
for name in pipe.csv pipe.html pipe.svg pipe.c pipe.h5; do true_that [ -p $name ]; done
ln -s /dev/null device.csv
expect 2 run pendulum.yaml $quick --out device.csv
says err "it is a device, not a file"
true_that [ -c /dev/null ]

# nothing is written over what is read
cp pendulum.yaml model.csv
cp pendulum.yaml model.html
ln model.csv hard.csv
ln -s model.csv soft.csv
for name in model.csv hard.csv soft.csv ./model.csv; do
  expect 2 run model.csv $quick --out $name
  says err "it is the file that is read"
done
expect 2 run model.html $quick --html model.html
expect 2 compare model.html --methods standard --html model.html
expect 2 statics model.csv --out model.csv
expect 2 run - $quick --out model.csv <model.csv
expect 1 code pendulum.yaml --out pendulum.yaml
expect 2 view model.html --html model.html
expect 2 plot plain.csv --out plain.csv
true_that cmp -s model.csv kept.yaml
true_that cmp -s model.html kept.yaml
true_that cmp -s pendulum.yaml kept.yaml
true_that grep -q time plain.csv
true_that [ -z "$(find . -name '*.tmp*')" ]

# ---- what a file names is a file -----------------------------------------------------------

# a pipe would be waited for, a device never ends: whoever writes the name need not be who reads it
mkfifo part.yaml part.xml heights.csv
ln -s /dev/zero zero.yaml
printf 'parts: {p: {file: part.yaml}}\nuse: {u: {part: p}}\n' >names.yaml
expect 2 check names.yaml
says err "names.yaml:1:19: use 'u': part.yaml: is no file"
printf 'parts: {p: {file: zero.yaml}}\nuse: {u: {part: p}}\n' >names.yaml
expect 2 check names.yaml
says err "zero.yaml: is no file"
printf '<mujoco><include file="part.xml"/></mujoco>\n' >names.xml
expect 2 check names.xml
says err "include 'part.xml' cannot be read"
printf 'bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nforces: {c: {type: contact, b: b, surface: terrain, file: heights.csv, radius: 1, stiffness: 1}}\n' >names.yaml
expect 2 check names.yaml
says err "heights.csv: is no file"
printf 'model: part.yaml\nfactors: {a: [1, 2]}\n' >names.yaml
expect 2 study names.yaml
says err "part.yaml: is no file"
printf '<robot name="part"><link name="a"/></robot>\n' >part.urdf
expect 2 check part.urdf
says err "part.yaml: is no file"

# ---- a long run is not lost ----------------------------------------------------------------

cat >long.yaml <<'END'
name: long
gravity: [0, -9.81]
simulation: {duration: 1e6, output_step: 0.5}
bodies: {rod: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {pin: {type: revolute, b: rod, at: [0, 0]}}
END
# by itself it ends when it has had its time, should nobody be left to stop it
long_run() {
  ulimit -t 300
  exec "$HOLON" run long.yaml --out "$1"
}
# waits until the run has put rows into its file
wait_for() {
  tries=0
  while [ ! -s "$1" ] && [ $tries -lt 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
}
for name in killed.csv killed.h5; do
  long_run $name >/dev/null 2>&1 &
  pid=$!
  wait_for $name
  kill -9 $pid
  wait $pid 2>/dev/null
  expect 0 plot $name --out killed.svg
  says err "$name is incomplete: t = "
  true_that grep -q "</svg>" killed.svg
done
# a file cut inside its last number does not give that number
expect 0 run long.yaml --duration 2 --out whole.csv
head -c -3 whole.csv >cut.csv
expect 0 plot cut.csv --out cut.svg
says err "cut.csv is incomplete: the file ends inside line 6, which is left out"
# hanging up is like asking to stop
long_run hung.csv >out 2>err &
pid=$!
wait_for hung.csv
kill -HUP $pid
wait $pid
true_that [ $? = 1 ]
says err "STOPPED"
true_that grep -q "^incomplete: " hung.csv.notes.txt

finish
