# holon optimise, holon fit: what a user sees.
. "$SRC/tests/cli/_lib.sh"

cat >model.yaml <<'END'
parameters: {k: 40, d: 0.5}
simulation: {duration: 2, output_step: 0.02, rtol: 1e-9, verify: off}
bodies: {block: {type: planar, mass: 1, inertia: 1, position: [2.3, 0]}}
joints: {slide: {type: prismatic, b: block, axis: [1, 0, 0]}}
forces:
  spring: {type: spring, b: block, at: [0, 0], at_b: [2.3, 0], stiffness: k, damping: d, free: 2}
END

# the damping for which the block is back nearest to its place of rest, at the end
cat >search.yaml <<'END'
model: model.yaml
factors: {d: {uniform: [1, 25]}}
metrics: {rest: integral(abs(block.x - 2)), over: 2 - min(block.x)}
constraints: {gentle: over <= 0.01}
optimise: {minimise: rest, evaluations: 200, tolerance: 1e-4}
END
expect 0 optimise search.yaml --html search.html --jobs 2
says out "converged"
matches out '^  over +0\.00'
true_that [ -s search.html ]
cp out first
expect 1 optimise search.yaml
says err "is there already (--resume goes on with it"
expect 0 optimise search.yaml --resume --jobs 1
true_that cmp out first
expect 0 optimise search.yaml --resume --json
says out '"converged": true'
expect 2 study search.yaml --out other.db
says err "optimise"

says search.html '"optimise"'
says search.html 'How the search went'

# the same by derivatives, in fewer runs
sed 's/optimise: .*/optimise: {minimise: rest, method: gradient, tolerance: 1e-4}/' search.yaml >down.yaml
expect 0 optimise down.yaml
says out "gradient"
matches out '^  over +0\.00'

# what the model itself gives is found again
expect 0 run model.yaml --out measured.csv -q
cat >fit.yaml <<'END'
model: model.yaml
factors: {k: {uniform: [20, 90], unit: N/m}, d: {log: [0.1, 5]}}
fit: {data: [{file: measured.csv, columns: {block.x: block.x}, sigma: 0.001}]}
END
expect 0 fit fit.yaml --plot residuals.svg --out residuals.csv
matches out '^  k +(40|39\.99|40\.00)[0-9]* \+- '
matches out '^  d +(0\.5|0\.49999|0\.50000)[0-9]* \+- '
says residuals.svg "<svg"
says residuals.csv "block.x.residual"
expect 0 fit fit.yaml --json -q
says out '"converged": true'

# mistakes
bad() {
  printf '%s\n' "$3" >bad.yaml
  expect 2 "$1" bad.yaml
  says err "$2"
}
bad optimise "there is no section 'optimise'" 'model: model.yaml
factors: {k: [1, 2]}'
bad optimise "factor 'k' has no range" 'model: model.yaml
factors: {k: [1, 2]}
optimise: {minimise: x}'
bad optimise "no metric 'rst' (did you mean 'rest'?)" 'model: model.yaml
factors: {d: {uniform: [1, 2]}}
metrics: {rest: max(block.x)}
optimise: {minimise: rst}'
bad optimise "no method 'gradent' (did you mean 'gradient'?)" 'model: model.yaml
factors: {d: {uniform: [1, 2]}}
metrics: {rest: max(block.x)}
optimise: {minimise: rest, method: gradent}'
bad optimise "derivatives cannot be 'exakt'" 'model: model.yaml
factors: {d: {uniform: [1, 2]}}
metrics: {rest: max(block.x)}
optimise: {minimise: rest, method: gradient, derivatives: exakt}'
bad fit "the file has no column 'y'" 'model: model.yaml
factors: {d: {uniform: [1, 2]}}
fit: {data: [{file: measured.csv, columns: {block.x: y}}]}'
bad fit "the model has no column 'blok.x'" 'model: model.yaml
factors: {d: {uniform: [1, 2]}}
fit: {data: [{file: measured.csv, columns: {blok.x: block.x}}]}'
bad fit "nothing.csv" 'model: model.yaml
factors: {d: {uniform: [1, 2]}}
fit: {data: [{file: nothing.csv, columns: {block.x: block.x}}]}'

finish
