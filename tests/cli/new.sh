# new.sh: holon new. What it writes runs as it stands.
. "$SRC/tests/cli/_lib.sh"

expect 0 new crank.yaml
says err "crank.yaml written"
expect 0 run crank.yaml --out result.csv
expect 0 new --spatial swing.yaml
expect 0 run swing.yaml --out result.csv
# nothing is written over
cp crank.yaml before
expect 2 new crank.yaml
says err "left alone"
true_that cmp -s crank.yaml before
expect 2 new
says err "no file to write"
expect 2 new one.yaml two.yaml
expect 0 new -
says out "holon run FILE"
cp out piped.yaml
expect 0 check piped.yaml

finish
