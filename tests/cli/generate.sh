# generate.sh: holon generate; every family is a model that can be checked and run.
. "$SRC/tests/cli/_lib.sh"

expect 0 generate --list
silent err
sed -n '2,$s/ .*//p' out >families
true_that [ "$(lines families)" = 9 ]

# family NAME N BODIES JOINTS DOF
family() {
  expect 0 generate "$1" --n "$2" --out model.yaml
  silent out
  silent err
  expect 0 check model.yaml --json
  well_formed out
  json_is bodies "$3"
  json_is joints "$4"
  json_is dof "$5"
  json_is redundant_rows "[]"
  near "$(json position_before)" 0 1e-9
  near "$(json velocity_before)" 0 1e-9
  expect 0 run model.yaml --duration 0.1 --json
  json_is audit pass
}

# in the plane each hinge leaves one of three; a loop of n sides has n - 3
for n in 1 4; do
  family chain $n $n $n $n
  family planar-chain $n $n $n $n
  family tree $n $n $n $n
  family star $n $((n + 1)) $((n + 1)) $((n + 1))
  family n-four-bar $n $((2 * n + 1)) $((3 * n + 1)) 1
done
for n in 4 9; do family closed-chain $n $((n - 1)) $n $((n - 3)); done

# sizes by default, on standard output
while read -r name; do
  expect 0 generate "$name"
  silent err
  cp out model.yaml
  says model.yaml "# holon generate $name"
  expect 0 check model.yaml
done <families

# the hinges of a chain
expect 0 generate chain --n 4
true_that [ "$(grep -c 'axis: \[0, 1, 0\]' out)" = 2 ]
true_that [ "$(grep -c 'axis: \[0, 0, 1\]' out)" = 2 ]
expect 0 generate chain --n 4 --axes y
true_that [ "$(grep -c 'axis: \[0, 1, 0\]' out)" = 4 ]
expect 0 generate chain --n 4 --axes z
true_that [ "$(grep -c 'axis: \[0, 0, 1\]' out)" = 4 ]
# a horizontal bar that is let go begins to turn with m g l / (m l^2 + I), l = 1/2, I = 101/1200
expect 0 generate chain --n 1 --out bar.yaml
expect 0 run bar.yaml -q --duration 1e-3 --option output_step=1e-3 --out bar.csv
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if (index($i, "joint0.angle_rate") == 1) c = i }
  END { print $c / 1e-3 }' bar.csv >out
near "$(cat out)" 14.6783 0.0005

# n four-bar linkages turn once in 1.94251492260708 s (two of them) and 1.96560192870465 s (forty):
# I t'' = g (3 N + 1)/2 sin t, I = (N + 1)/3 + N, t' = 1 upright
turn() {
  expect 0 generate n-four-bar --n "$1" --out bars.yaml
  expect 0 run bars.yaml -q --duration "$2" --rtol 1e-8 --out bars.csv
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if (index($i, "A0.angle [") == 1) c = i }
    !/^#/ { x = $c }
    END { print x }' bars.csv >out
  near "$(cat out)" -6.283185307 1e-5
}
turn 2 1.94251492260708
turn 40 1.96560192870465

# large ones are written in no time, and record little
for name in planar-chain tree star closed-chain n-four-bar; do
  expect 0 generate $name --n 10000 --out large.yaml
  true_that [ "$(lines large.yaml)" -ge 20000 ]
  matches large.yaml '^outputs: \[energy'
done
expect 0 generate chain --n 100000 --out large.yaml
true_that [ "$(lines large.yaml)" -ge 200000 ]
rm -f large.yaml
expect 0 generate tree --n 2000 --out tree.yaml
expect 0 check tree.yaml
says out "The mechanism has 2000 degrees of freedom."
says out "(2000 joints not shown; --json lists all)"
true_that [ "$(lines out)" -lt 40 ]

# what long chains add up loses digits, which is no fault of the balance of forces on a body
expect 0 generate chain --n 2000 --out chain.yaml
expect 0 run chain.yaml --duration 0.02 --option verify=off --option coordinates=relative --out chain.csv
matches out 'forces on a body against m a .* pass'

# wrong usage; an old file is not harmed
echo old >old.yaml
expect 2 generate chain --n 0 --out old.yaml
says err "--n must be a whole number from 1 to 100000, not '0'"
expect 2 generate chain --n 3.5
expect 2 generate chain --n 99999999999999999999
expect 2 generate closed-chain --n 3
says err "'closed-chain' needs --n 4 or more"
expect 2 generate pendulum --n 3
says err "'pendulum' has only one size"
expect 2 generate tree --axes y
says err "'tree' has no --axes"
expect 2 generate chain --axes w
says err "--axes can be"
expect 2 generate
says err "'generate' needs a family"
true_that [ "$(cat old.yaml)" = old ]
expect 1 generate chain --out no_such_folder/chain.yaml
says err "no_such_folder/chain.yaml: cannot be written: No such file or directory"
mkdir folder.yaml
expect 1 generate chain --out folder.yaml
says err "folder.yaml: cannot be written"
true_that [ -z "$(find . -name '*.tmp*')" ]
if [ -c /dev/full ]; then
  "$HOLON" generate chain --n 5000 >/dev/full 2>err
  code=$?
  true_that [ $code = 1 ]
fi

finish
