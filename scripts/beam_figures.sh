#!/bin/sh
# beam_figures.sh: the pictures of docs/beams.md: the Princeton beam, and which methods ring.
#
#   scripts/beam_figures.sh [PROGRAM]
set -eu
cd "$(dirname "$0")/.."
holon=$(realpath "${1:-build/holon}")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# deflections of the tip; beside them those of solid elements, L. Obrezkov et al., Nonlinear Dyn. (2022)
awk 'BEGIN {
  printf "load angle [deg]"
  for (k = 1; k <= 2; k++) {
    load = k == 1 ? "8.896 N" : "13.345 N"
    printf ",flap %s [m],chord %s [m],flap %s solid [m],chord %s solid [m]", load, load, load, load
  }
  print ""
}' >"$folder/princeton.csv"
deflection() { # LOAD ANGLE: flap,chord
  "$holon" statics - --until 1 --out "$folder/tip.csv" >/dev/null <<MODEL
parameters: {load: $1, angle: $2*pi/180}
beams:
  arm: {from: [0, 0, 0], to: [0.508, 0, 0], elements: 8, young: 71.7e9, poisson: 0.31, density: 2700,
    profile: {rectangle: {width: 0.0123777, height: 0.0032024}}}
joints: {clamp: {type: fixed, b: arm.start}}
forces: {tip: {type: force, b: arm.end, force: [0, "load*cos(angle)*t", "load*sin(angle)*t"]}}
outputs: ["arm.end.?"]
MODEL
  tail -1 "$folder/tip.csv" | cut -d, -f3,4 | awk -F, '{ printf "%s,%s", $2, $1 }'
}
while read -r angle flap1 chord1 flap2 chord2; do
  echo "$angle,$(deflection 8.896 "$angle"),$flap1,$chord1,$(deflection 13.345 "$angle"),$flap2,$chord2"
done >>"$folder/princeton.csv" <<PRINTED
0 0 .0107142 0 .0160642
15 .0420823 .0106133 .0643581 .0164583
30 .0793948 .0101117 .1177360 .0166587
45 .1089879 .0088372 .1564672 .0151862
60 .1298876 .0066047 .1818616 .0115784
75 .1421944 .0035389 .1960971 .0062490
90 .1462460 0 .2006777 0
PRINTED
"$holon" plot "$folder/princeton.csv" --x "load angle" --y 'flap*' --y 'chord*' --free-scale \
  --title "Princeton beam: deflection of the tip" --out docs/images/princeton.svg

# a sudden load along a strip of steel, in steps longer than the period of its vibration
for method in energy-momentum index3-alpha energy-decaying; do
  "$holon" run - --method $method --out "$folder/$method.csv" --quiet 2>/dev/null <<MODEL || [ $? = 3 ]
beams:
  strip: {from: [0, 0, 0], to: [1, 0, 0], elements: 8, young: 2.1e11, poisson: 0.3, density: 7850,
    profile: {rectangle: {width: 0.01, height: 0.01}}}
joints: {clamp: {type: fixed, b: strip.start}}
forces: {pull: {type: force, b: strip.end, force: [1000, 0, 0]}}
simulation: {duration: 0.03, step: 5e-4, output_step: 5e-4, verify: off}
outputs: [clamp.fx]
MODEL
done
cd "$folder"
"$holon" plot energy-momentum.csv index3-alpha.csv energy-decaying.csv --y clamp.fx \
  --title "Reaction of a clamp: 1 kN at the tip from the start" --out ringing.svg
cd - >/dev/null
cp "$folder/ringing.svg" docs/images/beam_ringing.svg
