# help.sh: help screens, version, and what is said about mistyped words.
. "$SRC/tests/cli/_lib.sh"

# a screen of text: 40 lines of 100 columns
fits() {
  if [ -s "$1" ] && [ "$(lines "$1")" -le 40 ] && ! grep -qE '.{81}' "$1"; then
    pass
  else
    fail "$1 does not fit the screen"
  fi
}

expect 0 --version
matches out '^holon [0-9]+\.[0-9]+\.[0-9]+$'
silent err

expect 0 --help
fits out
silent err
cp out help
expect 0 help
true_that cmp -s out help
expect 2
silent out
true_that cmp -s err help

for command in run check statics kinematics inverse modes tolerance compare reproduce plot generate code joints forces methods \
  schema models completion new; do
  says help "  $command "
  expect 0 $command --help
  fits out
  silent err
  says out "usage: holon $command"
  cp out screen
  expect 0 help $command
  true_that cmp -s out screen
  expect 0 $command -h
  true_that cmp -s out screen
  expect 2 $command --no-such-option
  says err "holon: unknown option '--no-such-option'"
  says err "holon $command --help"
  silent out
done

# mistyped words
expect 2 rnu
says err "holon: unknown command 'rnu' (did you mean 'run'?)"
silent out
expect 2 chekc
says err "did you mean 'check'?"
expect 2 help plto
says err "did you mean 'plot'?"
expect 2 xylophone
says err "unknown command 'xylophone'"
says_not err "did you mean"
expect 2 model.yaml
says err "did you mean 'run model.yaml'?"
expect 2 arm.osim
says err "did you mean 'run arm.osim'?"
expect 2 --frobnicate
says err "unknown option '--frobnicate'"
expect 2 run --stpe 1e-3 model.yaml
says err "did you mean '--step'?"
expect 2 run --durations=3 model.yaml
says err "did you mean '--duration'?"
expect 2 run --alpha 3 model.yaml
says err "--option alpha=VALUE"
expect 2 run --s 3 model.yaml
says err "'--s' stands for more than one option"
expect 2 run -z model.yaml
says err "unknown option '-z'"
expect 2 run model.yaml --step
says err "option '--step' needs a value"
expect 2 run model.yaml --json=yes
says err "option '--json' takes no value"
expect 2 run
says err "'run' needs a model file"
expect 2 run a.yaml b.yaml
says err "not also 'b.yaml'"
expect 2 joints revolut
says err "did you mean 'revolute'?"
expect 2 generate chian
says err "did you mean 'chain'?"

# what cannot be written to standard output is a failure
if [ -c /dev/full ]; then
  for command in methods --help; do
    "$HOLON" $command >/dev/full 2>err
    code=$?
    true_that [ $code = 1 ]
    says err "standard output cannot be written"
  done
fi

finish
