# parts.sh: what parts may have in them, run by the program.
. "$SRC/tests/cli/_lib.sh"

# two oscillators of one part, with k = 4 and 9 from q = 1: cos(2 t) and cos(3 t); a block acts on a joint of its part
cat >oscillators.yaml <<'EOF'
simulation: {duration: 2, output_step: 0.1, rtol: 1e-10}
parts:
  spring:
    parameters: {k: 4}
    bodies: {wheel: {type: planar, mass: 1, inertia: 2, position: [3, 0]}}
    joints: {axle: {type: revolute, b: wheel, at: [3, 0]}}
    blocks:
      box:
        coordinates: {q: {value: 1, unit: m}}
        kinetic_energy: 0.5*q.rate^2
        potential: 0.5*k*q^2
        forces: {axle.angle: k}
use:
  left: {part: spring}
  right: {part: spring, with: {k: 9}}
EOF
expect 0 run oscillators.yaml --out result.csv
# last NAME: of a column, the value in the last row
last() {
  awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, w, " "); if (w[1] == name) k = i } } END { print $k }' result.csv
}
near() {
  if awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a - b <= 1e-7 && b - a <= 1e-7) }'; then pass; else fail "$1 is not $2"; fi
}
near "$(last left.box.q)" "$(awk 'BEGIN { printf "%.15g", cos(4) }')"
near "$(last right.box.q)" "$(awk 'BEGIN { printf "%.15g", cos(6) }')"
# angle = k t^2 / (2 I) with t = 2 and I = 2
near "$(last left.axle.angle)" 4
near "$(last right.axle.angle)" 9

# a coordinate that could be taken for a parameter
sed 's/{k: 4}/{k: 4, q: 1}/' oscillators.yaml >twice.yaml
expect 2 check twice.yaml
says err "has the name of the coordinate"

finish
