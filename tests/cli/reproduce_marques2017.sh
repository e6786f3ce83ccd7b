# reproduce_marques2017.sh: violations, energy and times of six explicit methods.
. "$SRC/tests/cli/_lib.sh"
. "$SRC/tests/cli/_reproduce.sh"

# what remains of the violation, bounds and energy do not depend on the machine; times do
expect 0 reproduce marques2017 --quick --out marques
silent err
says_not out FAILS
verdict "position, standard" agrees
verdict "position, direct-correction +of order 1e-32" agrees
verdict "position, against all others" agrees
verdict "energy, index1-augmented" differs
verdict "energy, these two" agrees
verdict "wheel, two or four bodies" agrees
verdict "size of the model +28 variables, 19 rows" differs
verdict "time, index1-augmented +1.49" "(agrees|differs)"
matches out '^  \(1\) '
matches out '^[0-9]+ claims agree, [0-9]+ differ for the reasons given, 0 fail$'
complete marques 18
says marques/four_bar_position_violation.svg coordinate-partitioning
says marques/report.html "Figure 5: position violation, by all methods."

# a method broken on purpose is found out, by the claims that are about it
expect 1 reproduce marques2017 --quick --option correction=none
verdict "position, direct-correction" FAILS
verdict "position, augmented-lagrangian" agrees
says out "All runs with \`correction=none\`"

finish
