# tutorial.sh: the tutorial's files and commands, as they stand in the text.
. "$SRC/tests/cli/_lib.sh"

# blocks that begin with "# NAME" are files; lines "$ holon ..." are commands
awk '/^```yaml/ { file = ""; inside = 1; next }
  /^```/ { inside = 0; next }
  inside && file == "" && /^# [a-z_]+\.yaml$/ { file = $2 }
  inside && file != "" { print > file }' "$SRC/docs/tutorial.md"
grep '^\$ holon ' "$SRC/docs/tutorial.md" >commands
true_that [ "$(wc -l <commands)" -ge 8 ]

# what a command prints in the text, without the command, comes right after it
while read -r dollar program line; do
  case $line in
  *'# fails'*) wanted=2 ;;
  *) wanted=0 ;;
  esac
  line=${line%%#*}
  eval "set -- $line"
  expect $wanted "$@"
done <commands

expect 2 check typo.yaml
says err "$(grep '^typo.yaml:' "$SRC/docs/tutorial.md")"
expect 0 check slider_crank.yaml
says out "The mechanism has 1 degree of freedom."
says out "No row is redundant"
says out "The described state closes."
expect 0 check two_guides.yaml
says out "Redundant:"
true_that [ -s report.html ]
true_that [ -s piston.svg ]

finish
