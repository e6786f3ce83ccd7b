# fmu.sh: holon fmu. What is in the archive is tested by tests/test_fmu.c.
. "$SRC/tests/cli/_lib.sh"

# in_entry ARCHIVE ENTRY TEXT: by a reader that is not ours, which looks at every entry
in_entry() {
  python3 -c 'import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
sys.exit(sys.argv[3] not in archive.read(sys.argv[2]).decode())' "$@"
}

# the model from standard input; a folder can be opened, but not read
expect 0 fmu - --out piped.fmu -q <"$SRC/models/four_bar.yaml"
true_that in_entry piped.fmu modelDescription.xml 'fmiVersion="2.0"'
mkdir -p folder
expect 2 fmu folder --out x.fmu
says err "folder: cannot be read"
rmdir folder

expect 0 fmu "$SRC/models/four_bar.yaml" --out four_bar.fmu
says err "four_bar.fmu: FMI 2.0"
true_that in_entry four_bar.fmu modelDescription.xml 'fmiVersion="2.0"'
expect 0 fmu "$SRC/models/four_bar.yaml" --out three.fmu --fmi 3 -q
silent err
true_that in_entry three.fmu modelDescription.xml 'fmiVersion="3.0"'
# the same model, the same archive
expect 0 fmu "$SRC/models/four_bar.yaml" --out again.fmu --fmi 3 -q
true_that cmp -s three.fmu again.fmu
expect 0 fmu "$SRC/tests/robots/mjcf_act_motor.xml" --out robot.fmu -q
true_that in_entry robot.fmu modelDescription.xml 'name="m1" valueReference'

# meshes go with it
expect 0 fmu "$SRC/tests/robots/urdf_mesh.urdf" --out mesh.fmu -q
true_that grep -aq 'resources/wedge.obj' mesh.fmu
true_that grep -aq 'resources/tetrahedron.stl' mesh.fmu
# code of its own
expect 0 fmu "$SRC/models/four_bar.yaml" --code --source --fmi 3 --step 1ms --out coded.fmu
true_that grep -aq 'sources/buildDescription.xml' coded.fmu
true_that grep -aq 'binaries/x86_64-linux/four_bar_linkage.so' coded.fmu
true_that test "$(wc -c <coded.fmu)" -lt 400000
expect 2 fmu "$SRC/models/block_on_slope.yaml" --code --step 1ms --out x.fmu
says err "no code can be written for"
expect 2 fmu "$SRC/models/four_bar.yaml" --code --step 0 --out x.fmu
says err "--step is a time above zero"

expect 2 fmu "$SRC/models/four_bar.yaml"
says err "--out FILE.fmu is missing"
expect 2 fmu "$SRC/models/four_bar.yaml" --out four_bar.zip
expect 2 fmu "$SRC/models/four_bar.yaml" --out x.fmu --fmi 1
expect 2 fmu missing.yaml --out x.fmu
says err "missing.yaml: cannot be read"
echo "bodies: {a: {mass: -1}}" >bad.yaml
expect 2 fmu bad.yaml --out x.fmu
says err "bad.yaml:1:"
expect 1 fmu "$SRC/models/four_bar.yaml" --out missing/x.fmu
true_that test ! -e x.fmu

# a page of documentation
echo '<p>a page of mine</p>' >page.html
expect 0 fmu "$SRC/models/pendulum.yaml" --page page.html --out paged.fmu -q
true_that in_entry paged.fmu documentation/index.html 'a page of mine'
expect 2 fmu "$SRC/models/pendulum.yaml" --page missing.html --out x.fmu
says err 'missing.html: cannot be read'
finish
