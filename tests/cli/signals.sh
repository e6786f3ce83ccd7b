# signals.sh: an interrupted run keeps what it has computed.
. "$SRC/tests/cli/_lib.sh"
expect 0 generate pendulum --out pendulum.yaml

# stopped SIGNAL ARGUMENTS...: a run of hours, stopped after a second, or after more of them where a
# busy machine had not come to its first steps by then
stopped() {
  signal=$1
  shift
  arguments="run pendulum.yaml --duration 1e9 --option output_step=10 --option max_steps=1e12 $* (signal $signal)"
  for after in 1 4 16 60; do
    timeout --foreground --preserve-status -k 60 -s "$signal" $after \
      "$HOLON" run pendulum.yaml --duration 1e9 --option output_step=10 \
      --option max_steps=1e12 "$@" >out 2>err
    code=$?
    grep -qE 'STOPPED at t = [1-9]' err && break
  done
  if [ $code = 1 ]; then pass; else fail "a stopped run must exit with 1"; fi
}

# a shell without job control starts background jobs, and so perhaps this test, with SIGINT ignored;
# the program respects that
signals=TERM
case $(sed -n 's/^SigIgn:.*\(.\)$/\1/p' /proc/self/status 2>/dev/null) in
[014589cd]) signals="INT TERM" ;;
esac

for signal in $signals; do
  rm -f stopped.csv*
  stopped "$signal" --out stopped.csv
  matches err '^STOPPED at t = [0-9.e+]+ of 1e\+09 s$'
  matches err '^what was computed is kept: stopped.csv, [0-9]+ rows$'
  rows=$(sed -n 's/.*stopped.csv, \([0-9]*\) rows$/\1/p' err)
  says out "result: stopped.csv, $rows rows"
  expect 0 plot stopped.csv --list
  says out "stopped.csv: $rows rows"
  # every row is whole, and the file says that it is incomplete
  matches stopped.csv.notes.txt '^incomplete: '
  true_that [ "$(awk -F, 'NR == 1 { n = NF } NF != n { bad++ } END { print bad + 0 }' stopped.csv)" = 0 ]
done

# without a file there is nothing to keep, and nothing is left behind
rm -f stopped.csv*
stopped TERM --json
well_formed out
json_is status stopped
json_is result null
true_that [ -z "$(find . -name '*.csv*')" ]

finish
