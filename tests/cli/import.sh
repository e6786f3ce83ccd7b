# import.sh: holon import, and robot files in the place of model files.
. "$SRC/tests/cli/_lib.sh"
robots=$SRC/tests/robots

expect 0 import "$robots/urdf_loop_plus.urdf" --out four_bar.yaml
silent out
says err "4 links and 3 joints read as 3 bodies; 0 approximated, 0 ignored, 0 left out"
expect 0 run four_bar.yaml --duration 1 --out a.csv -q
# the same, read directly
expect 0 run "$robots/urdf_loop_plus.urdf" --duration 1 --out b.csv -q
true_that cmp -s a.csv b.csv
expect 0 import "$robots/urdf_loop_plus.urdf" -q
silent err
true_that cmp -s out four_bar.yaml
expect 0 check "$robots/urdf_mimic.urdf"
says out "degrees of freedom"

expect 0 import "$robots/urdf_revolute.urdf"
says err "0 approximated, 0 ignored, 0 left out"
says out "limits: [-1, 2]}  # effort 10, velocity 3 rad/s"

# a dataset of ADAMS, by its name
expect 0 import "$robots/adams_arm.adm" --out adams.yaml
says err "adams_arm.adm:35:1: ignored: GRAPHICS"
says err "1 links and 1 joints read as 1 bodies; 0 approximated, 3 ignored, 0 left out"
expect 0 run adams.yaml --duration 0.5 --out adams_a.csv -q
expect 0 run "$robots/adams_arm.adm" --duration 0.5 --out adams_b.csv -q
true_that cmp -s adams_a.csv adams_b.csv

# MJCF: actuators are inputs, sensors and tendons signals, files are included
expect 0 run "$robots/mjcf_act_position.xml" --duration 1 --out c.csv -q
says c.csv "m1_force"
expect 0 run "$robots/mjcf_include.xml" --duration 1 --out d.csv -q
expect 0 run "$robots/mjcf_quadruped.xml" --duration 0.5 -q

# what is drawn, and a robot with a loop that passes the audit
expect 0 import "$robots/urdf_mesh.urdf" -q
says out '- mesh: {file: "wedge.obj", scale: [1, 1, 2], position: [0, 0, 0.1]'
says out 'color: "#99a6b3"'
expect 0 import "$robots/urdf_mesh.urdf" --out elsewhere.yaml
says err "meshes are looked for from the folder of elsewhere.yaml"
expect 0 run "$SRC/examples/robots/palletiser.urdf" --duration 2 --out p.csv
says out "passed its audit"

# COLLADA: the colour is that of the file where the robot has none
cp "$robots/wedge.dae" .
cat >dae.urdf <<'END'
<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://r/wedge.dae"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
END
expect 0 import dae.urdf -q
says out '- mesh: {file: "wedge.dae"'
says out 'color: "#3380e6"'
expect 0 import dae.urdf --out dae.yaml -q
expect 0 run dae.yaml --duration 0.2 --html dae.html -q

# a package as ROS has them: the robot in one folder, its meshes in another
mkdir -p pkg/urdf/deep pkg/meshes
cp wedge.dae pkg/meshes
sed 's#package://r/wedge.dae#package://pkg/meshes/wedge.dae#' dae.urdf >pkg/urdf/deep/arm.urdf
expect 0 import pkg/urdf/deep/arm.urdf
says out '- mesh: {file: "../../meshes/wedge.dae"'
says err "0 ignored"
expect 0 import "$PWD/pkg/urdf/deep/arm.urdf" -q
says out '- mesh: {file: "../../meshes/wedge.dae"'
expect 0 run pkg/urdf/deep/arm.urdf --duration 0.1 -q
# of another package, and out of it
sed 's#package://r/#package://other/meshes/#' dae.urdf >pkg/urdf/deep/arm.urdf
expect 0 import pkg/urdf/deep/arm.urdf
says err "mesh meshes/wedge.dae: cannot be read: No such file or directory: not drawn"
# no mesh: the reader's own reason, with its line
printf 'solid wedge\nfacet normal 0 0 1\nouter loop\nvertex 0 zero 0\n' >broken.stl
sed 's#package://r/wedge.dae#broken.stl#' dae.urdf >broken.urdf
expect 0 import broken.urdf
says err "ignored: mesh broken.stl:4: "
says err ": not drawn"
sed 's#package://r/#package://pkg/../#' dae.urdf >pkg/urdf/deep/arm.urdf
expect 0 import pkg/urdf/deep/arm.urdf
says err "leaves the folder of the robot file"

# OpenSim
expect 0 import "$robots/osim_arm.osim"
says err "osim_arm.osim:35:40: ignored"
says err "muscle 'biceps'"
says out "range 0 to 2.5"
expect 0 run "$robots/osim_arm.osim" --duration 1 --out arm.csv
says out "passed its audit"

# what cannot be read
expect 2 import missing.urdf
says err "missing.urdf: cannot be read"
expect 2 import "$SRC/models/four_bar.yaml"
says err "not an XML file"
echo "<robot name='r'><link name='a'/><coupling name='c'/></robot>" >coupling.urdf
expect 2 import coupling.urdf
says err "coupling.urdf:1:33: <coupling> is not read; the motion would be wrong without it"
expect 2 run coupling.urdf
says err "coupling.urdf:1:33: <coupling> is not read"
expect 0 import coupling.urdf --lenient
says err "coupling.urdf:1:33: left out: <coupling> is not read"
expect 2 import
expect 2 import a b
expect 1 import "$robots/urdf_revolute.urdf" --out missing/x.yaml -q
# the robot file is not written over
cp "$robots/urdf_revolute.urdf" r.urdf
expect 1 import r.urdf --out r.urdf -q
true_that cmp -s r.urdf "$robots/urdf_revolute.urdf"
finish
