# reproduce_gonzalez2013.sh: reactions of redundant constraints.
. "$SRC/tests/cli/_lib.sh"
. "$SRC/tests/cli/_reproduce.sh"

# redundant reactions by stiffness, in the coordinates of the paper
expect 0 reproduce gonzalez2013 --quick --out gonzalez
silent err
says out "22 claims agree, 0 differ for the reasons given, 0 fail"
says out "12 coordinates, 12 rows"
says out "69 coordinates, 63 rows"
complete gonzalez 10

# a method broken on purpose is found out, by the claims that are about it
expect 1 reproduce gonzalez2013 --quick --option reactions=shared
verdict "second rod removed" FAILS
verdict "rod 1, eta 1e-3" agrees

finish
