# plot.sh: holon plot.
. "$SRC/tests/cli/_lib.sh"
expect 0 generate pendulum --out pendulum.yaml
expect 0 run pendulum.yaml --quiet --out pendulum.csv

# svg FILE: a picture with lines
svg() {
  if head -c 200 "$1" | grep -q '<svg' && tail -n 1 "$1" | grep -q '</svg>' &&
    grep -qE '<(path|polyline)' "$1"; then
    pass
  else
    fail "$1 is no picture"
  fi
}

# columns with units
expect 0 plot pendulum.csv --list
silent err
says out "pendulum.csv: 501 rows of"
matches out '^  time +s +0 +10$'
matches out '^  bar.x +m '
matches out '^  hinge.angle_rate +rad/s '
true_that [ ! -e pendulum.svg ]

# the default name and columns
expect 0 plot pendulum.csv
says out "plot: pendulum.svg"
silent err
svg pendulum.svg
says pendulum.svg hinge.angle
says pendulum.svg energy.total

expect 0 plot pendulum.csv --y bar.x,bar.y --title "Way of <the bar>" --out way.svg --size 500x400
svg way.svg
says way.svg bar.x
says way.svg "Way of &lt;the bar&gt;"
says way.svg 'width="500"'
says way.svg 'height="400"'
expect 0 plot pendulum.csv --x bar.x --y bar.y -o curve.svg
svg curve.svg
expect 0 plot pendulum.csv --y 'bar.v?' --y energy.total -o glob.svg
says glob.svg bar.vx
says glob.svg bar.vy
says glob.svg energy.total
expect 0 plot pendulum.csv --y 'residual.*' --log -o log.svg
svg log.svg

# the same result, the same picture
cp pendulum.svg first.svg
expect 0 plot pendulum.csv
true_that cmp -s first.svg pendulum.svg

# what is wrong is said, and nothing is written
expect 2 plot pendulum.csv --y bar.w -o bad.svg
says err "no column 'bar.w'"
says err "holon plot pendulum.csv --list"
expect 2 plot pendulum.csv --y 'wheel.*' -o bad.svg
says err "no column matches 'wheel.*'"
expect 2 plot pendulum.csv --x nothing -o bad.svg
says err "no column 'nothing'"
expect 2 plot pendulum.csv -o bad.png
says err "bad.png: a plot ends in .svg"
expect 2 plot pendulum.csv --size 12
says err "--size needs WIDTHxHEIGHT"
expect 2 plot pendulum.csv --size 500x400x3
expect 2 plot
says err "'plot' needs a result file"
expect 2 plot no_such.csv
says err "no_such.csv: cannot be read"
expect 2 plot pendulum.yaml
says err "pendulum.yaml"
printf 'time [s],x [m]\n0,1\n1\n' >broken.csv
expect 2 plot broken.csv --list
says err "broken.csv"
silent out
expect 1 plot pendulum.csv --out no_such_folder/plot.svg
says err "no_such_folder/plot.svg: cannot be written: No such file or directory"
true_that [ ! -e bad.svg ]
true_that [ -z "$(find . -name '*.tmp*')" ]

finish
