# reproduce_bauchau2008.sh: a review of families of methods.
. "$SRC/tests/cli/_lib.sh"
. "$SRC/tests/cli/_reproduce.sh"

# what a review says of families of methods; times differ, they never fail
expect 0 reproduce bauchau2008 --quick --out bauchau
silent err
says_not out FAILS
for scheme in trapezoidal "Newmark, 0.5" "HHT, 0.6" "alpha, 0.8" energy-decaying; do
  verdict "$scheme +spectrum of the scheme" agrees
done
verdict "left and right" agrees
verdict "modified iteration, refused steps" agrees
for method in index1-bdf index2-bdf index3-bdf tangent-space-bdf implicit-partitioning-bdf; do
  if grep -q "no SUNDIALS" out; then pass; else verdict "$method" agrees; fi
done
verdict "trapezoidal rule +unstable" agrees
verdict "energy-decaying: every step" agrees
complete bauchau 8

# a method broken on purpose is found out, by the claims that are about it
expect 1 reproduce bauchau2008 --quick --option rho_inf=1
verdict "alpha, 0.2 +damps high frequencies" FAILS
verdict "trapezoidal +damps nothing" agrees
expect 1 reproduce bauchau2008 --quick --option split_iteration=full
verdict "modified iteration, refused steps" FAILS
verdict "coordinate split, alpha" agrees

finish
