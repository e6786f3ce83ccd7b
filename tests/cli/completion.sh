# completion.sh: holon completion, the manual page, and the pages of docs/commands.
. "$SRC/tests/cli/_lib.sh"

# candidates WORD...: what can stand in place of the last word
candidates() {
  expect 0 completion words -- "$@"
  silent err
}
# offers WORD...: each is among the candidates
offers() {
  for word; do
    if grep -qxF -e "$word" out; then pass; else fail "'$word' is not offered"; fi
  done
}

candidates ''
offers run check statics kinematics inverse modes plot compare completion help --version
says_not out man
candidates run --
offers --out --duration --method --set --option --json --help
candidates run --method ''
offers default standard baumgarte
candidates run --method=b
offers --method=baumgarte
candidates run --option ''
offers rtol= alpha= integrator=
candidates run --option integrator=
offers integrator=rk4 integrator=dopri5
candidates run ''
offers '@files .yaml .yml .json'
candidates plot ''
offers '@files .csv .h5 .hdf5'
candidates joints ''
offers revolute prismatic driver
candidates forces ''
offers spring motor
candidates generate ''
offers chain n-four-bar
candidates models ''
offers four_bar bricard
candidates reproduce ''
offers marques2017
candidates modes m.yaml --at ''
offers equilibrium initial
candidates completion ''
offers bash zsh
candidates nonsense ''
silent out

# parameters of the model and columns of the result on the line
printf 'parameters: {arm: 2, angle: 0}\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n' >m.yaml
candidates run m.yaml --set ''
offers arm= angle=
expect 0 run m.yaml -q --duration 0.1 --out r.csv
candidates plot r.csv --y ''
offers a.x energy.total
candidates run missing.yaml --set ''
silent out

# in a shell
expect 0 completion bash
cp out holon.bash
if command -v bash >/dev/null; then
  true_that bash -n holon.bash
  cat >shell.bash <<'END'
. ./holon.bash
try() {
  COMP_WORDS=("$HOLON" "$@")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _holon
  printf '%s:' "$*"
  printf ' %s' "${COMPREPLY[@]}"
  echo
}
mkdir folder
touch folder/x.yaml 'with blank.yaml' other.txt
try ki
try run --meth
try run --method base
try run --method baumgarte-ad
try run --method = baumgarte-ad
try run --option integrator = dop
try run m.yaml --set an
try run m
try run fold
try run folder/
try run wi
try run other
try run m.yaml --out oth
try plot r.csv --y energy.tot
try joints point-on-l
END
  HOLON="$HOLON" bash shell.bash >out 2>err
  code=$?
  true_that [ $code = 0 ]
  silent err
  says out "ki: kinematics"
  says out "run --meth: --method"
  says out "run --method baumgarte-ad: baumgarte-adaptive"
  says out "run --method = baumgarte-ad: baumgarte-adaptive"
  says out "run --option integrator = dop: dopri5 dop853"
  says out "run m.yaml --set an: angle="
  says out "run m: m.yaml"
  says out "run fold: folder"
  says out "run folder/: folder/x.yaml"
  says out "run wi: with blank.yaml"
  matches out '^run other: *$'
  says out "run m.yaml --out oth: other.txt"
  says out "plot r.csv --y energy.tot: energy.total"
  says out "joints point-on-l: point-on-line"
fi
expect 0 completion zsh
matches out '^#compdef holon$'
if command -v zsh >/dev/null; then true_that zsh -n out; fi
expect 2 completion fish
says err "not for 'fish'"
expect 2 completion
says err "needs a shell"

# the manual page: every command, method and option is in it, and troff has nothing to complain
expect 0 man
silent err
cp out holon.1
true_that [ "$(head -c 10 holon.1)" = ".TH HOLON " ]
if command -v groff >/dev/null; then
  groff -man -Tascii -ww holon.1 >text 2>err
  silent err
fi
"$HOLON" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | grep -v '^holon$' >commands
true_that [ "$(lines commands)" -ge 15 ]
while read -r command; do
  says holon.1 ".SS \"holon $command"
  # and a page of its own; joints and forces share theirs
  page=$command
  [ "$command" = forces ] && page=joints
  true_that [ -f "$SRC/docs/commands/$page.md" ]
  says "$SRC/docs/commands/README.md" "($page.md)"
  says "$SRC/docs/commands/$page.md" "holon $command"
done <commands
says holon.1 ".B baumgarte"
says holon.1 ".B audit_energy"

# what the pages say about options is what the commands have
for page in "$SRC"/docs/commands/*.md; do
  command=$(basename "$page" .md)
  grep -qx "$command" commands || continue
  "$HOLON" "$command" --help >help
  sed -n 's/^| `\([^|]*\)` |.*/\1/p' "$page" | tr ',`' '\n\n' | sed -n 's/^ *\(--[a-z-]*\).*/\1/p' >named
  while read -r option; do
    says help "$option"
  done <named
done

finish
