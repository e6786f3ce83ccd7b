# holon view, holon run --html
. "$SRC/tests/cli/_lib.sh"
model=$SRC/models/four_bar.yaml

# data FILE: the object that describes the page's numbers
data() {
  sed -n 's/.*id="holon-data">\(.*\)<\/script>$/\1/p' "$1" >object.json
}

expect 0 run "$model" --duration 1 --html report.html
says out "report: report.html"
says report.html "<title>four-bar linkage"
data report.html
well_formed object.json
says object.json '"name":"coupler"'
says object.json '"type":"revolute"'
says object.json '"pass":true'
says object.json '"dof":1'
says object.json '"residual.position"'
# nothing outside of the page is asked for
says_not report.html 'src="http'
says_not report.html 'href="http'
true_that [ "$(wc -c <report.html)" -lt 1500000 ]

expect 0 run "$model" --duration 1 --html again.html --json
says out '"report": "again.html"'
well_formed out

# a model is run, a result is shown as it is
expect 0 view "$model" --html model.html
matches out '^file:///.*/model\.html$'
expect 0 run "$model" --duration 1 --out result.csv -q
expect 0 view result.csv --html bare.html
data bare.html
well_formed object.json
says object.json '"bodies":["crank","coupler","follower"]'
expect 0 view result.csv --model "$model" --html whole.html
data whole.html
says object.json '"type":"revolute"'
says_not object.json '"summary"'

# without a place of its own the page goes to a temporary folder
mkdir "tmp dir"
TMPDIR="$PWD/tmp dir" expect 0 view result.csv --no-open
matches out '^file:///.*/tmp%20dir/holon-[A-Za-z0-9]*/result\.html$'
true_that [ -s tmp\ dir/holon-*/result.html ]

# poses are recorded even where the outputs leave them out
sed 's/^gravity:/outputs: [energy.total]\ngravity:/' "$model" >few.yaml
expect 0 run few.yaml --duration 1 --html few.html --out few.csv
matches few.csv '^time \[s\],crank.x \[m\],crank.y \[m\],crank.angle \[rad\],coupler.x'
expect 0 run few.yaml --duration 1 --out fewer.csv
matches fewer.csv '^time \[s\],energy.total \[J\]$'

# an audit that fails, a run that ends early: the page is written, and says so
expect 3 run "$model" --duration 1 --option audit_energy=1e-15 --html failed.html
data failed.html
says object.json '"pass":false'

# a model given by equations has nothing to draw, but charts
expect 0 run "$SRC/models/equations_four_bar.yaml" --duration 0.2 --html equations.html -q
data equations.html
well_formed object.json
says object.json '"bodies":[]'
says object.json '"bars.theta1"'

# methods laid over each other
expect 0 compare "$model" --duration 1 --steps 1e-2,5e-3 --methods standard,baumgarte --html all.html
says out "report: all.html"
data all.html
well_formed object.json
says object.json '"label":"reference"'
says object.json '"label":"standard"'
true_that [ "$(grep -o '"label":' object.json | wc -l)" = 3 ]

expect 2 run "$model" --html report.txt
says err "ends in .html"
expect 2 run "$model" --html no/such/folder/report.html
says err "cannot be written"
expect 2 view
expect 2 view "$model" --model "$model"
expect 2 view nothing.csv
expect 2 view result.csv --set a=1
expect 0 view --help
says out "usage: holon view"
finish

# several results on one timeline
expect 0 generate pendulum --out pendulum.yaml
expect 0 run pendulum.yaml --quiet --out pendulum.csv
expect 0 run pendulum.yaml --quiet --option output_step=0.03 --out coarse.csv
expect 0 view pendulum.csv coarse.csv --html both.html
says both.html '"label":"coarse"'
expect 2 view pendulum.csv pendulum.yaml --html both.html
says err "several files must be results"
