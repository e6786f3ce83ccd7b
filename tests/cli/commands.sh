# commands.sh: every command that the pages of docs/commands show is one that works.
. "$SRC/tests/cli/_lib.sh"

# ---- the files they speak of: examples, and stand-ins for what a user would have ----------------

mkdir start
cp -r "$SRC/models" "$SRC/studies" start
cd start || exit 1
cp models/four_bar.yaml models/bricard.yaml models/pendulum.yaml .
cp four_bar.yaml draft.yaml
cp "$SRC/examples/robots/palletiser.urdf" robot.urdf
# the models that pages give in full
for page in kinematics inverse; do
  awk '/^```yaml/ { file = ""; inside = 1; next }
    /^```/ { inside = 0; next }
    inside && file == "" && /^# [a-z_]+\.yaml/ { file = $2; sub(":", "", file) }
    inside && file != "" { print > file }' "$SRC/docs/commands/$page.md"
done
true_that [ -s slider_crank.yaml ]
true_that [ -s crane.yaml ]
cat >arm.yaml <<'END'
signals: {torque: {input: 0}}
bodies: {arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints: {hinge: {type: revolute, b: arm, at: [0, 0]}}
forces: {motor: {type: motor, joint: hinge, law: torque}}
END
# a rigid column on a spring: it buckles at t = stiffness / length
cat >frame.yaml <<'END'
bodies: {column: {type: planar, mass: 1, inertia: 0.1, position: [0, 0.5]}}
joints: {foot: {type: revolute, b: column, at: [0, 0]}}
forces:
  foot_spring: {type: torsion-spring, joint: foot, stiffness: 1}
  load: {type: force, b: column, at: [0, 1], force: [0, -t]}
END
expect 0 run four_bar.yaml -q --duration 2 --out four_bar.csv
cp four_bar.csv light.csv
cp four_bar.csv heavy.csv
mkdir -p .local/share/bash-completion/completions .zfunc
cd .. || exit 1
HN_CHROMIUM=$PWD/none  # a plain drawing takes the place of a browser's
export HN_CHROMIUM
unset DISPLAY WAYLAND_DISPLAY  # no window is opened
TMPDIR=$PWD  # where `view` puts its pages
export TMPDIR

# ---- the commands, those of a page in a folder of its own --------------------------------------

# one line of the documentation, in the shell
do_line() {
  arguments=${1#holon }
  code=0
  (
    holon() { "$HOLON" "$@"; }
    HOME=$PWD
    export HOME
    eval "$1"
  ) >out 2>err </dev/null || code=$?
  if [ $code = 0 ]; then pass; else fail "a command of the documentation"; fi
}

count=0
for page in "$SRC"/docs/commands/*.md; do
  # lines of code blocks, of which those that end with \ go on. What takes long or needs measured
  # data, and pages that compute, have tests of their own
  awk '/^```/ { inside = !inside; next }
    inside && (goes_on || /^holon /) {
      goes_on = sub(/ *\\$/, "")
      printf "%s%s", $0, goes_on ? "" : "\n"
    }' "$page" | grep -vE '^holon (compare|fit|optimise|reproduce [a-z])|--live' >lines
  [ -s lines ] || continue
  cp -r start here
  cd here || exit 1
  while IFS= read -r line; do
    do_line "$line"
    count=$((count + 1))
  done <../lines
  cd .. || exit 1
  rm -rf here
done
true_that [ $count -ge 45 ]
expect 0 joints revolute
says out "$(grep '^  keys:' "$SRC/docs/commands/joints.md")"

finish
