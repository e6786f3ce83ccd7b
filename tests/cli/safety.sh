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

finish
