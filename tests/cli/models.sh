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

finish
