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


# each --y is a panel; units part panels in any case
panels() {
  true_that [ "$(grep -c 'class="panel"' "$2")" = "$1" ]
}
panels 2 glob.svg
expect 0 plot pendulum.csv --y bar.x,bar.y -o one.svg
panels 1 one.svg
expect 0 plot pendulum.csv --y bar.x --y bar.y -o two.svg --width 600 --height 500
panels 2 two.svg
says two.svg 'width="600" height="500"'
expect 0 plot pendulum.csv --y bar.x,hinge.angle --y bar.y,bar.x -o three.svg
panels 3 three.svg
says three.svg '>bar [m]<'
expect 0 plot pendulum.csv --y bar.x,bar.y --label "way of the bar" -o label.svg
says label.svg '>way of the bar [m]<'

# logarithmic axes: 2 to 5 of a decade have plain labels; time 0 is left out
printf 'step [s],error [m/s^2]\n0,1\n0.002,3e-8\n0.003,1e-6\n0.005,2e-4\n' >log.csv
expect 0 plot log.csv --x step --y error --log-x --log-y -o log_log.svg
svg log_log.svg
says log_log.svg '>0.002</text>'
says log_log.svg '>0.005</text>'
says log_log.svg '>error [m/s²]<'
cp log_log.svg first.svg
expect 0 plot log.csv --x step --y error --log-x --log -o log_log.svg
true_that cmp -s first.svg log_log.svg

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
expect 2 plot pendulum.csv --width 12
says err "--width needs pixels from 100 to 10000, not '12'"
expect 2 plot pendulum.csv --height 300px
says err "--height needs pixels from 100 to 10000, not '300px'"
expect 2 plot pendulum.csv --y bar.x --y bar.y --height 100 -o bad.svg
says err "too small for 2 panels"
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

# several results over each other, and their differences; times need not agree
expect 0 run pendulum.yaml --quiet --option output_step=0.03 --out coarse.csv
expect 0 plot pendulum.csv coarse.csv --y hinge.angle --difference -o both.svg
svg both.svg
says both.svg "hinge.angle, pendulum"
says both.svg "hinge.angle, coarse"
says both.svg "hinge.angle, coarse − pendulum"
expect 2 plot pendulum.csv --difference
says err "needs two results"
expect 2 plot pendulum.csv coarse.csv --list
says err "--list shows one result"
expect 2 plot pendulum.csv coarse.csv --y hinge.angel
says err "did you mean 'hinge.angle'?"

# degrees and turns per minute
expect 0 plot pendulum.csv --y hinge.angle,hinge.angle_rate --degrees -o degrees.svg
says degrees.svg "[°]"
says degrees.svg "[rpm]"

# a path keeps its shape: one metre is as long along x as along y
expect 0 plot pendulum.csv --x bar.x --y bar.y -o equal.svg
expect 0 plot pendulum.csv --x bar.x --y bar.y --free-scale -o free.svg
true_that [ "$(cmp -s equal.svg free.svg; echo $?)" = 1 ]
