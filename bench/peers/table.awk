# What the drivers print (see peer.hpp) as two tables: ratios, and the settings behind them.
#
# An engine's time is that of its fastest setting that meets the target and is not followed by a
# finer one of the same method that misses it: luck does not count. An engine that has nothing but
# luck gets a star; where no setting meets the target the ratio is a lower bound, from the most
# accurate setting that was run. Times are processor times.

function milliseconds(t) { return sprintf(t < 0.01 ? "%.2f ms" : t < 1 ? "%.1f ms" : "%.0f ms", 1e3 * t) }
function ratio(t, base) { return sprintf(t < 10 * base ? "%.1f" : "%.0f", t / base) }

BEGIN {
  FS = ";"
  title["four_bar"] = "four-bar, 10 s"
  title["ladder_40"] = "40 four-bars, 10 s"
  title["chain_5"] = "chain of 5, 2 s"
  title["chain_50"] = "chain of 50, 1 s"
  title["chain_500"] = "chain of 500, 1 s"
  title["andrews"] = "Andrews, 0.03 s"
  title["bricard"] = "Bricard, 10 s"
  wanted["four_bar"] = "30 / 4"
  wanted["ladder_40"] = "10"
  wanted["chain_5"] = wanted["chain_50"] = wanted["chain_500"] = "5"
  wanted["andrews"] = "30 / 3"
  wanted["bricard"] = "10"
}

NF >= 6 && $1 in title {
  if (!($1 in seen)) { seen[$1]; problem[++problems] = $1; target[$1] = $2 }
  if (!($3 in known)) { known[$3]; engine[++engines] = $3 }
  if (NF < 12) next
  key = $1 SUBSEP $3
  series = key SUBSEP $4
  if (!(series in listed)) { listed[series]; method[key, ++methods[key]] = $4 }
  n = ++count[series]
  line[series, n] = $0
  if (!$6) last_miss[series] = n
  if ($6 && (!(key in lucky_time) || $9 + 0 < lucky_time[key])) { lucky_time[key] = $9 + 0; lucky[key] = $0 }
  # accuracy of engines that never get there
  error = $1 ~ /ladder/ ? $11 : $10
  if (!(key in closest) || error + 0 < closest[key]) { closest[key] = error + 0; nearest[key] = $0 }
}

END {
  for (p = 1; p <= problems; p++)
    for (e = 1; e <= engines; e++) {
      key = problem[p] SUBSEP engine[e]
      for (m = 1; m <= methods[key]; m++) {
        series = key SUBSEP method[key, m]
        for (i = last_miss[series] + 1; i <= count[series]; i++) {
          split(line[series, i], f)
          if (!(key in best) || f[9] + 0 < time[key]) { best[key] = line[series, i]; time[key] = f[9] + 0 }
        }
      }
      if (!(key in best) && key in lucky) { best[key] = lucky[key]; time[key] = lucky_time[key]; star[key] = "*" }
    }

  printf "| problem | error wanted | holon |"
  for (e = 1; e <= engines; e++) if (engine[e] != "holon") printf " %s |", engine[e]
  printf " ratio wanted |\n|---|---:|---:|"
  for (e = 1; e <= engines; e++) if (engine[e] != "holon") printf "---:|"
  printf "---:|\n"
  for (p = 1; p <= problems; p++) {
    base = time[problem[p], "holon"]
    printf "| %s | %g | %s |", title[problem[p]], target[problem[p]], base ? milliseconds(base) : "-"
    for (e = 1; e <= engines; e++) {
      if (engine[e] == "holon") continue
      key = problem[p] SUBSEP engine[e]
      if (!base || (!(key in best) && !(key in nearest))) { printf " - |"; continue }
      if (key in best) { printf " %s%s |", ratio(time[key], base), star[key]; continue }
      split(nearest[key], f)
      printf " > %s (%.0e) |", ratio(f[9], base), closest[key]
    }
    printf " %s |\n", wanted[problem[p]]
  }

  print "\n| problem | engine | method | setting | steps | error [m] | energy drift | wall | CPU | ratio |"
  print "|---|---|---|---:|---:|---:|---:|---:|---:|---:|"
  for (p = 1; p <= problems; p++)
    for (e = 1; e <= engines; e++) {
      key = problem[p] SUBSEP engine[e]
      base = time[problem[p], "holon"]
      if (!(key in best) && !(key in nearest)) continue
      split(key in best ? best[key] : nearest[key], f)
      printf "| %s | %s | %s | %s | %d | %.1e | %.1e | %s | %s | %s%s |\n", title[problem[p]], \
        engine[e], f[4], f[5], f[7], f[10], f[11], milliseconds(f[8]), milliseconds(f[9]), \
        key in best ? "" : "> ", base ? ratio(f[9], base) star[key] : "-"
    }
}
