# terminal.sh: what is said on a terminal and nowhere else: colours and progress.
. "$SRC/tests/cli/_lib.sh"

# on COMMAND...: what it writes to a terminal, in `typed`
on() {
  script -qec "$*" /dev/null </dev/null >typed 2>&1
}
escape=$(printf '\033')
colored() { if grep -q "${escape}\[[0-9;]*m" typed; then pass; else fail "no colours: $1"; fi; }
plain() { if grep -q "$escape" typed; then fail "$1 steers the terminal"; else pass; fi; }

if ! command -v script >/dev/null; then
  pass
  finish
fi
model=$SRC/models/four_bar.yaml
unset NO_COLOR
TERM=xterm
export TERM

# mistakes and verdicts have colours
on "$HOLON" runn
colored "a mistake"
on "$HOLON" run "$model" --duration 0.1
colored "the audit"
says typed pass
on env NO_COLOR=1 "$HOLON" run "$model" --duration 0.1
plain "NO_COLOR"
on env TERM=dumb "$HOLON" run "$model" --duration 0.1
plain "TERM=dumb"
expect 0 run "$model" --duration 0.1
true_that [ "$(grep -c "$escape" out err | grep -vc ':0$')" = 0 ]

# what is said fits 80 columns, however long names are; files and pipes have tables with one line for each row
fits() {
  sed "s/${escape}\[[0-9;]*[mK]//g" typed | tr -d '\r' >plain
  if [ "$(grep -cE '.{81}' plain)" = 0 ]; then pass; else fail "$1: $(grep -E '.{81}' plain | head -n 1)"; fi
}
on "$HOLON" run "$SRC/models/stewart_platform.yaml" --duration 0.1
fits "a run"
says plain "where pair"
# what lies below its row is what few rows have, not a column that all have
true_that [ "$(grep -c '^    [^ ]' plain)" = "$(grep -c '^    where ' plain)" ]
for word in check statics modes; do
  on "$HOLON" $word "$model"
  fits "$word"
done
# rows that repeat others have the longest lines
on "$HOLON" check "$SRC/models/four_bar_spatial_joints.yaml"
fits "check of redundant joints"
on "$HOLON" compare "$model" --methods standard --steps 1e-2 --duration 0.5
fits "compare"
on "$HOLON" inverse "$SRC/models/v6_engine.yaml" --duration 0.01
fits "inverse"
expect 0 run "$SRC/models/stewart_platform.yaml" --duration 0.1
matches out '^  position violation .* pair[^ ]+ +pass$'

# long runs tell name, part done and time left, in one line of 80 columns that goes away. The run would
# take hours; it is stopped when the line was drawn three times, however fast or busy the machine is
drawn() {
  tr '\r' '\n' <typed | sed "s/${escape}\[K//g" | grep '^four_bar.yaml \[' >drawn
  lines drawn
}
script -qefc "echo \$\$ >pid; exec '$HOLON' run '$model' --duration 1e8 --option output_step=100 --option max_steps=1e12 --out long.csv" \
  typed </dev/null >out 2>err &
waited=0
until [ "$(drawn)" -ge 3 ] || [ $waited = 120 ]; do
  sleep 1
  waited=$((waited + 1))
done
kill -s TERM "$(cat pid)"
wait $!
true_that [ "$(drawn)" -ge 3 ]
matches drawn '^four_bar.yaml \[[#.]{20}\] +[0-9]+ %, [0-9]+ (s|min|h) left, t = [0-9.e+]+ of 1e\+08 s'
true_that [ "$(grep -cE '.{81}' drawn)" = 0 ]
matches typed "${escape}\[K"
on env TERM=dumb timeout -s INT 2 "$HOLON" run "$model" --duration 1e6 --out long.csv
plain "progress of a dumb terminal"
on timeout -s INT 2 "$HOLON" run "$model" --duration 1e6 --out long.csv --quiet
true_that [ "$(grep -c '\[#' typed)" = 0 ]

finish
