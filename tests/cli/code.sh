# code.sh: holon code, and a program of a few lines around what it writes.
. "$SRC/tests/cli/_lib.sh"

expect 0 code "$SRC/models/four_bar.yaml" --coordinates reference
silent err
says out "double holon_motion(double t,"
says out "q[0..2]  v[0..2]  body crank"
cp out printed
expect 0 code "$SRC/models/four_bar.yaml" --coordinates reference --out four_bar.c
silent out
true_that cmp -s four_bar.c printed

# classical Runge-Kutta steps and a pull onto the constraints, from the start of a recorded run
expect 0 run "$SRC/models/four_bar.yaml" --option coordinates=reference --rtol 1e-11 --duration 1 \
  --out run.csv -q
cat >main.c <<'C'
#include "four_bar.c"
#include <stdio.h>
#include <stdlib.h>
static void rate(double t, const double *y, double *k) {
  double lambda[8], power;
  if (holon_motion(t, y, y + 9, NULL, NULL, k, k + 9, lambda, &power) < 1e-3) exit(1);
}
int main(int argc, char **argv) {
  double y[18], z[18], k[4][18], h = 1e-3, phi[8], psi[8], d[9], x[9];
  const double at[4] = {0, 0.5, 0.5, 1};
  if (argc != 19) return 1;
  for (int i = 0; i < 18; i++) y[i] = atof(argv[1 + i]);
  for (int n = 0; n < 1000; n++) {
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < 18; i++) z[i] = y[i] + (s ? at[s] * h * k[s - 1][i] : 0);
      rate(n * h, z, k[s]);
    }
    for (int i = 0; i < 18; i++) y[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
    for (int pass = 0; pass < 2; pass++) {
      holon_projection(0, y, y + 9, NULL, NULL, phi, psi, d, x);
      for (int i = 0; i < 9; i++) y[i] += d[i], y[9 + i] += pass * x[i];
    }
  }
  printf("%.15g %.15g %.15g\n", y[2], y[3], y[8]);
  return 0;
}
C
true_that ${CC:-cc} -std=c17 -O1 -Wall -Wextra -Werror main.c -lm -o main
# column NAME ROW: 2 is the first row of numbers
column() {
  awk -F, -v name="$1" -v row="$2" '!/^#/ { n++; if (n == 1) { for (i = 1; i <= NF; i++)
    if ($i ~ "^\"?" name "( |\\[|\"|$)") k = i } else last = $k; if (n == row) first = $k }
    END { print row ? first : last }' run.csv
}
state=
for body in crank coupler follower; do
  for part in x y angle; do state="$state $(column $body.$part 2)"; done
done
for body in crank coupler follower; do
  for part in vx vy omega; do state="$state $(column $body.$part 2)"; done
done
true_that ./main $state >reached
read -r crank coupler follower <reached
near "$crank" "$(column crank.angle 0)" 1e-8
near "$coupler" "$(column coupler.x 0)" 1e-8
near "$follower" "$(column follower.angle 0)" 1e-8

# the same inside a run
expect 0 run "$SRC/models/four_bar.yaml" --option code=native --duration 1 --out native.csv
says out "code        native"
expect 0 code "$SRC/models/five_bar_pendulum_spatial.yaml" --coordinates relative
says out "those of the joints"
expect 0 code - <"$SRC/models/pendulum.yaml"

# what cannot be
expect 2 code "$SRC/models/equations_four_bar.yaml"
says err "no code can be written for a mass matrix that depends on the state"
silent out
expect 2 code "$SRC/models/knife_edge.yaml" --out knife.c
says err "the joint 'blade'"
true_that [ ! -e knife.c ]
expect 2 run "$SRC/models/knife_edge.yaml" --option code=native
says err "code 'native': no code can be written for the joint 'blade'"
expect 2 code "$SRC/models/four_bar.yaml" --coordinates sideways
says err "sideways"
expect 1 code "$SRC/models/four_bar.yaml" --out no/such/folder/x.c
expect 2 code
finish
