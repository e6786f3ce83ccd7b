# format.sh: holon format.
. "$SRC/tests/cli/_lib.sh"

printf 'bodies:\n      a: { type: point,mass: 1 }   # a ball\n\n\n      # no more\n' >model.yaml
cp model.yaml before.yaml
expect 1 format --check model.yaml
says out model.yaml
true_that cmp -s model.yaml before.yaml
chmod 640 model.yaml
expect 0 format model.yaml
says err "written: model.yaml"
silent out
printf 'bodies:\n  a: {type: point, mass: 1}   # a ball\n\n  # no more\n' >usual.yaml
true_that cmp -s model.yaml usual.yaml
true_that [ "$(stat -c %a model.yaml)" = 640 ]
# in its usual form it is left alone
touch -d '2001-02-03' model.yaml
expect 0 format model.yaml
silent err
true_that [ "$(date -r model.yaml +%Y)" = 2001 ]
expect 0 format --check model.yaml usual.yaml
silent out

# one that cannot be read is said and left alone, the others are written
printf 'a: [1,\n' >broken.yaml
cp broken.yaml broken.old
cp before.yaml other.yaml
expect 2 format broken.yaml other.yaml
says err "broken.yaml:"
true_that cmp -s broken.yaml broken.old
true_that cmp -s other.yaml usual.yaml

# a folder that takes nothing: the file stays whole
mkdir closed
cp before.yaml closed/model.yaml
chmod 500 closed
if [ "$(id -u)" != 0 ]; then
  expect 1 format closed/model.yaml
  true_that cmp -s closed/model.yaml before.yaml
fi
chmod 700 closed

expect 0 format - <before.yaml
true_that cmp -s out usual.yaml
expect 0 new start.yaml
expect 0 format --check start.yaml
expect 0 format --check "$SRC"/models/*.yaml
expect 2 format
says err "no model file"
expect 2 format nowhere.yaml
says err "cannot be read"

finish
