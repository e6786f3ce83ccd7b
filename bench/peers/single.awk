# What drivers print of one problem (see peer.hpp) as a table: the fastest setting of each engine that
# meets the target and is not followed by a finer one of the same method that misses it, and how many
# times faster that is than the engine `base`.
BEGIN { FS = ";" }
NF < 12 { next }
{
  if (!($3 in known)) { known[$3]; engine[++engines] = $3 }
  series = $3 SUBSEP $4
  if (!(series in listed)) { listed[series]; method[$3, ++methods[$3]] = $4 }
  n = ++count[series]
  line[series, n] = $0
  if (!$6) last_miss[series] = n
}
END {
  for (e = 1; e <= engines; e++)
    for (m = 1; m <= methods[engine[e]]; m++) {
      series = engine[e] SUBSEP method[engine[e], m]
      for (i = last_miss[series] + 1; i <= count[series]; i++) {
        split(line[series, i], f)
        if (!(engine[e] in time) || f[9] + 0 < time[engine[e]]) {
          time[engine[e]] = f[9] + 0
          best[engine[e]] = line[series, i]
        }
      }
    }
  print "| four-bar, 10 s, 1e-6 m | method | tolerance | steps | error [m] | CPU [ms] | times faster |"
  print "|---|---|---:|---:|---:|---:|---:|"
  for (e = 1; e <= engines; e++) {
    if (!(engine[e] in best)) continue
    split(best[engine[e]], f)
    printf "| %s | %s | %s | %d | %.1e | %.2f | %s |\n", engine[e], f[4], f[5], f[7], f[10], 1e3 * f[9],
      base in time ? sprintf("%.2f", time[base] / f[9]) : "-"
  }
}
