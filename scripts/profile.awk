# Sums the instructions callgrind counted by phase of a step.
#
# usage: awk -f profile.awk -v steps=N WHOLE.out [CORRECTION.out]
#
# The second file holds what was counted inside the correction: it becomes one phase and is taken
# from the others. One line per phase: name|instructions per step|share in percent

# file and function to phase; the first that fits wins
function phase(file, name) {
  if (name ~ /^(hn_|_*)(sincos|sin|cos)(_|$)|^(sine|cosine|quarters)_|^quarters$/ || file ~ /s_sin|s_sincos|fenv_private/) return "sine, cosine"
  if (file ~ /mem(move|cpy|set)/ || name ~ /mem(move|cpy|set)/) return "copying"
  if (name ~ /^(move|turn|own_force|planar_to)(_|$)/ || file ~ /tree_(space|plane)\.c/)
    return "bodies"
  if (name ~ /^(eval_(points|dot_rows|rows|customs|constraints)|hn_bodies_rows|point3|put_|add_row)/ ||
      file ~ /measure\.c/ || name ~ /reduce_gamma|body_mul/)
    return "constraints"
  if (name ~ /^(eval_forces|hn_apply|hn_tree_(reduce|gather)|to_(world|body)|shift_)/ ||
      file ~ /forces\//)
    return "forces"
  if (name ~ /factor|eliminate|prepare|couple|update|reduce_many/ ||
      name ~ /tree_loops|group_rows/)
    return "factorisation"
  if (name ~ /solve|settle|accelerate|forward|back/) return "solution"
  if (file ~ /integrators\/|sim\/|operators\.c|tree_motion\.c/ || name ~ /fmax|pow|hn_eval_all/)
    return "integrator"
  return "other"
}

# "(12) name" introduces a number for a name, "(12)" uses it
function expand(table, text,    id) {
  id = substr(text, 1, index(text, ")"))
  if (length(text) > length(id)) table[id] = substr(text, length(id) + 2)
  return table[id]
}

FNR == 1 { which++ }
/^fl=/ { file = expand(files, substr($0, 4)); next }
/^(fi|fe)=/ { expand(files, substr($0, 4)); next }
/^cf[il]=/ { expand(files, substr($0, 5)); next }
/^fn=/ { current = phase(file, expand(names, substr($0, 4))); next }
/^cfn=/ { expand(names, substr($0, 5)); next }
/^calls=/ { skip = 1; next }  # the next line counts what was called
/^[0-9+*-]/ && NF == 2 {
  if (skip) { skip = 0; next }
  if (which == 1) { count[current] += $2; total += $2 }
  else { count[current] -= $2; count["correction"] += $2 }
}

END {
  n = split("sine, cosine;bodies;constraints;forces;factorisation;solution;copying;" \
            "integrator;correction;other", order, ";")
  for (i = 1; i <= n; i++)
    if (count[order[i]] > 0 || order[i] != "other")
      printf "%s|%.0f|%.0f\n", order[i], count[order[i]] / steps, 100 * count[order[i]] / total
  printf "all|%.0f|100\n", total / steps
}
