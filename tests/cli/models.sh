# models.sh: every example model runs as it stands and passes its audit.
. "$SRC/tests/cli/_lib.sh"

for model in "$HN_SOURCE_DIR"/models/*.yaml; do
  expect 0 run "$model" --out result.csv
done

# the pen of Peaucellier's linkage stays on a line, the one of the pantograph draws twice the size
expect 0 run "$HN_SOURCE_DIR/models/peaucellier.yaml" --out result.csv
true_that awk -F, '!/^#/ { if (!c) { for (i = 1; i <= NF; i++) if ($i ~ /^pen\.x/) c = i; next }
  if ($c < 0.96 - 1e-12 || $c > 0.96 + 1e-12) exit 1 }' result.csv
expect 0 run "$HN_SOURCE_DIR/models/pantograph.yaml" --out result.csv
true_that awk -F, '!/^#/ { if (!p) { for (i = 1; i <= NF; i++) { if ($i ~ /^pen\.y/) p = i
  if ($i ~ /^tracer\.y/) q = i } next } d = $p - 2 * $q; if (d > 1e-9 || d < -1e-9) exit 1 }' result.csv
# the sun turns four times as fast as the carrier
expect 0 run "$HN_SOURCE_DIR/models/planetary_gear.yaml" --out result.csv
true_that awk -F, '!/^#/ { if (!p) { for (i = 1; i <= NF; i++) { if ($i ~ /^sun\.angle /) p = i
  if ($i ~ /^carrier\.angle /) q = i } next } d = $p - 4 * $q; if (d > 1e-9 || d < -1e-9) exit 1 }' result.csv
# the middle bearing on the beam carries (6 s - 3 f)/(18 s + 2 f) of the load upwards, f = a^3/EI
expect 0 run "$HN_SOURCE_DIR/models/shaft_on_beam.yaml" --out result.csv
true_that awk -F, '!/^#/ { if (!m) { for (i = 1; i <= NF; i++) { if ($i ~ /^left\.fz/) l = i
  if ($i ~ /^middle\.fz/) m = i
  if ($i ~ /^right\.fz/) r = i } next } s = 4e-7; f = 0.4 ^ 3 / 2e5
  d = $m / ($l + $m + $r) - (6 * s - 3 * f) / (18 * s + 2 * f); if (d > 1e-9 || d < -1e-9) exit 1
  n++ } END { exit n < 100 }' result.csv
# the block stops v^2/(2 g (sin a + mu cos a)) up the slope, and is there at the end
expect 0 run "$HN_SOURCE_DIR/models/block_on_slope.yaml" --out result.csv
true_that awk -F, '!/^#/ { if (!c) { for (i = 1; i <= NF; i++) if ($i ~ /^block\.x/) c = i; next } x = $c }
  END { s = sin(0.4); k = cos(0.4); d = x + 0.1 * s - k * 9 / (2 * 9.81 * (s + 0.4 * k)); exit !(d * d < 1e-18) }' result.csv
# the belt lets the mass go at 0.5 m g / k, and it swings back as far beyond 0.3 m g / k
expect 0 run "$HN_SOURCE_DIR/models/stick_slip_belt.yaml" --option output_step=1e-3 --out result.csv
true_that awk -F, '!/^#/ { if (!c) { for (i = 1; i <= NF; i++) if ($i ~ /^block\.x/) c = i; next }
  if ($c > x) x = $c } END { w = 5; b = 0.2 * 9.81 / 25; u = 0.3
  d = x - 0.3 * 9.81 / 25 - sqrt(b * b + u * u / w / w); exit !(d * d < 1e-10) }' result.csv
# the ball lies still after t0 (1 + e)/(1 - e)
expect 0 run "$HN_SOURCE_DIR/models/bouncing_ball.yaml" --out result.csv
true_that awk -F, '!/^#/ { if (!c) { for (i = 1; i <= NF; i++) if ($i ~ /^ball\.y/) c = i; next }
  if ($1 > 4.07 && ($c - 0.1) ^ 2 > 1e-20) exit 1; if ($1 < 4.0 && $c > y) y = $c } END { exit !(y > 1.09) }' result.csv
# the last ball of the cradle rises as high as the first was, those between stay
expect 0 run "$HN_SOURCE_DIR/models/newtons_cradle.yaml" --option output_step=1e-3 --out result.csv
true_that awk -F, '!/^#/ { if (!c) { for (i = 1; i <= NF; i++) { if ($i ~ /^thread5\.pin\.angle /) c = i
  if ($i ~ /^thread3\.pin\.angle /) m = i } next } if ($c > x) x = $c; if ($m ^ 2 > 1e-20) exit 1 }
  END { exit !((x - 0.6) ^ 2 < 1e-11) }' result.csv
# the rocking block after three landings, as scipy integrates Housner's equations
expect 0 run "$HN_SOURCE_DIR/models/rocking_block.yaml" --out result.csv
true_that awk -F, '!/^#/ { if (!c) { for (i = 1; i <= NF; i++) if ($i ~ /^block\.angle /) c = i; next }
  if (($1 - 1.5) ^ 2 < 1e-12) { d = $c + 0.054122450004570444; n++ } } END { exit !(n == 1 && d * d < 1e-16) }' result.csv
# no motion, or two, where the ground is too rough
expect 2 run "$HN_SOURCE_DIR/models/painleve_rod.yaml" --set mu=2
says err "Painleve"
says err "'tip'"

finish
