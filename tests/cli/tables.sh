# tables.sh: holon joints, forces, methods, schema.
. "$SRC/tests/cli/_lib.sh"

expect 0 joints
silent err
for type in revolute prismatic cylindrical spherical universal planar fixed distance gear driver; do
  matches out "^$type +[A-Za-z0-9].{10}"
done
says out "keys: at axis"
true_that [ "$(grep -cE '.{81}' out)" = 0 ]
# every type that is listed can be shown
grep -oE '^[a-z][a-z-]+  ' out | tr -d ' ' >types
true_that [ "$(lines types)" -ge 10 ]
while read -r type; do
  expect 0 joints "$type"
  matches out "^$type\$"
  matches out '^  required: [a-z]'
done <types
expect 0 joints screw
says out "required: pitch"
expect 2 joints revolute screw

expect 0 forces
silent err
for type in spring motor force torque bushing tyre friction; do
  matches out "^$type +[A-Za-z0-9].{10}"
done
expect 0 forces spring
says out "stiffness"
expect 2 forces sprin
says err "did you mean 'spring'?"

expect 0 methods
silent err
matches out '^  default +[a-z]'
matches out '^ +can do: redundant, nonholonomic, singular mass, relative, natural, events$'
matches out '^ +can do: .*stiff'
matches out '^ +[a-z0-9-]+ \+ [a-z0-9-]+ \+ [a-z0-9-]+$'
for part in solvers corrections integrators options; do matches out "^$part "; done
matches out '^  duration +[0-9]+ +s$'
matches out '^  audit_energy '
true_that [ "$(grep -cE '.{81}' out)" = 0 ]
expect 2 methods now
says err "takes no 'now'"

expect 0 schema
silent err
well_formed out
says out '"$schema"'
says out revolute
says out bodies
expect 2 schema now

expect 0 models
silent err
matches out '^ *four_bar +four-bar linkage'
true_that [ "$(wc -l <out)" = "$(ls "$HN_SOURCE_DIR"/models/*.yaml | wc -l)" ]
expect 0 models four_bar
true_that cmp -s out "$HN_SOURCE_DIR/models/four_bar.yaml"
expect 2 models brickard
says err "did you mean 'bricard'?"

finish
