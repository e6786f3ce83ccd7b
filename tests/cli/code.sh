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
  if (holon_motion(t, y, y + 9, NULL, NULL, NULL, k, k + 9, lambda, &power, NULL) < 1e-3) exit(1);
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
      holon_projection(0, y, y + 9, NULL, NULL, NULL, phi, psi, d, x);
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
expect 2 code "$SRC/models/block_on_slope.yaml" --out block.c
says err "friction that depends on reactions"
true_that [ ! -e block.c ]
expect 2 run "$SRC/models/block_on_slope.yaml" --option code=native
says err "code 'native': no code can be written for friction that depends on reactions"
expect 2 code "$SRC/models/four_bar.yaml" --set crank
says err "holon: --set needs NAME=VALUE, not 'crank'"
expect 2 code "$SRC/models/four_bar.yaml" --coordinates sideways
says err "sideways"
expect 1 code "$SRC/models/four_bar.yaml" --out no/such/folder/x.c
expect 2 code

# a unit for a controller: an arm held by a loop that knows nothing of it but inputs and outputs
cat >arm.yaml <<'Y'
name: arm
gravity: [0, -9.81]
simulation: {integrator: rk4, step: 1ms, duration: 1}
signals:
  torque: {input: 0}
  error: {formula: 0.5 - hinge.angle}
states:
  sum: {rate: error}
bodies:
  arm: {type: planar, mass: 1, inertia: 0.1, position: [0.5, 0]}
joints:
  hinge: {type: revolute, b: arm, at: [0, 0]}
forces:
  motor: {type: motor, joint: hinge, law: torque + 20*sum}
Y
expect 0 code arm.yaml --unit --out arm.c
silent out
cat >loop.c <<'C'
#include "arm.h"
#include <stdio.h>
#include <string.h>
int main(void) {
  arm m;
  double out[arm_outputs], angle = 0, rate = 0, last = 0;
  arm_init(&m);
  for (int k = 0; k < 1000; k++) {
    arm_get_outputs(&m, out);
    for (int i = 0; i < arm_outputs; i++) {
      if (strcmp(arm_output_name[i], "hinge.angle") == 0) angle = out[i];
      if (strcmp(arm_output_name[i], "hinge.angle_rate") == 0) rate = out[i];
    }
    last = 60 * (0.5 - angle) - 8 * rate;
    arm_set_inputs(&m, &last);
    if (arm_step(&m, arm_longest)) return 1;
  }
  arm_get_outputs(&m, out);
  for (int i = 0; i < arm_outputs; i++)
    if (strcmp(arm_output_name[i], "hinge.angle") == 0) printf("%.12f\n", out[i]);
  return 0;
}
C
true_that ${CC:-cc} -std=c99 -Wall -Wextra -Werror -O1 -ffreestanding -o loop loop.c arm.c -lm
./loop >unit.txt
# nothing but mathematics is called
true_that ${CC:-cc} -std=c99 -O2 -c arm.c
true_that sh -c "! nm -u arm.o | grep -vE ' U (sin|cos|sincos|sqrt|exp|pow|fmod|f[a-z]*|ceil|floor|tan[h]?|atan2?|mem(set|cpy))$' | grep -q ' U '"
# the same loop inside the model
sed -e 's/  torque: {input: 0}//' -e 's/torque + 20/hold + 20/' arm.yaml >held.yaml
cat >>held.yaml <<'Y'
controllers:
  hold: {period: 1 ms, formula: 60*(0.5 - hinge.angle) - 8*hinge.rate}
outputs: [hinge.angle]
Y
expect 0 run held.yaml --out held.csv -q
true_that awk -F, -v a="$(cat unit.txt)" 'END { d = $2 - a; exit !(d < 1e-9 && d > -1e-9) }' held.csv

# forces that switch do so at the ends of the unit's steps: a ball on a floor that yields, with a law that
# remembers how fast each contact began, and a bump stop with a damper; as by the library, which ends steps at events
cat >ball.yaml <<'Y'
name: ball
gravity: [0, -9.81]
simulation: {duration: 1, rtol: 1e-10}
bodies:
  ball: {type: planar, mass: 1, inertia: 0.1, position: [0, 0.5], velocity: [1, 0], angular_velocity: 3}
  cart: {type: planar, mass: 2, inertia: 0.1, position: [0, 2], velocity: [1, 0]}
joints:
  rail: {type: prismatic, b: cart, at: [0, 2], axis: [1, 0, 0]}
forces:
  floor: {type: contact, a: ground, b: ball, at: [0, 0], at_b: [0, 0.5], radius: 0.1, axis: [0, 1, 0],
          stiffness: 1e4, law: flores, restitution: 0.8, coulomb: 0.2, speed: 0.01}
  end: {type: bump-stop, joint: rail, gap: 0.3, stiffness: 500, damping: 5}
outputs: [ball.x, ball.y, ball.vy, ball.omega, rail.translation]
Y
expect 0 run ball.yaml --out run.csv -q
expect 0 code ball.yaml --unit --step 1e-5 --out ball.c
cat >ball_loop.c <<'C'
#include "ball.h"
#include <stdio.h>
#include <string.h>
int main(void) {
  ball m, copy;
  double out[ball_outputs];
  ball_init(&m);
  if (ball_advance(&m, 0.5)) return 1;
  copy = m;  // its state is all in it, also in the middle of a contact
  if (ball_advance(&m, 1) || ball_advance(&copy, 1) || memcmp(m.y, copy.y, sizeof m.y)) return 1;
  ball_get_outputs(&m, out);
  for (int i = 0; i < ball_outputs; i++) printf("%s %.12f\n", ball_output_name[i], out[i]);
  return 0;
}
C
true_that ${CC:-cc} -std=c99 -Wall -Wextra -Werror -O1 -o ball_loop ball_loop.c ball.c -lm
true_that sh -c "./ball_loop >ball.txt"
for name in ball.x ball.y ball.vy ball.omega rail.translation; do
  near "$(awk -v name="$name" '$1 == name { print $2 }' ball.txt)" "$(column "$name" 0)" 1e-4
done
sed -e 's/^forces:/  stop: {type: limit, joint_a: rail, upper: 0.5}\nforces:/' ball.yaml >limit.yaml
expect 2 code limit.yaml --unit --step 1ms --out limit.c
says err "no code can be written for limits, ropes, stops and clearance"
expect 0 code limit.yaml --out limit.c
says limit.c "gap[0]  stop.gap"
says limit.c "void holon_switching("
# the model from standard input: the same code but for the name of the file
expect 0 code arm.yaml --unit --step 1ms --out named.c
sed -e 's/arm\.yaml/-/' named.c >named.txt
expect 0 code - --unit --step 1ms --out named.c <arm.yaml
true_that cmp -s named.c named.txt
# a folder can be opened, but not read
mkdir -p folder
expect 2 code folder --unit --out x.c
says err "folder: cannot be read"
expect 2 code arm.yaml --unit
says err "--unit needs --out NAME.c"
expect 2 code arm.yaml --step 1ms
says err "--step is of --unit"
finish
