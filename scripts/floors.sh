#!/bin/sh
# The floors of src/: a folder looks down only, never up, in what it includes and in what it calls.
# And nobody calls those functions of the C library that each rounds in its own way: base/elementary.h
# and base/complex.h have them, with the same bits everywhere.
#
# usage: floors.sh [OBJECTS]      OBJECTS: where the library's objects lie; without: includes only
#
# Lowest first. Folders on one line do not see each other; of those joined by + each sees the ones
# before it, and those behind it by the rows of their tables alone (..._find, ..._at: who writes a name
# into a model may mean any of them).
# ARCHITECTURE.md shows the same list.
floors='
base
linalg expr
model
system
code
joints forces
record
compile
sim+solvers+corrections+integrators
analysis
io
robots
fmu study
'
cd "$(dirname "$0")/.." || exit 1
objects=$1
passed=0
failed=0

# verdict NAME LINES: nothing to say is a pass
verdict() {
  if [ -z "$2" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s\n' "$2" | sed "s/^/failed: $1: /"
  fi
}

# lines "FILE FOLDER WHAT", FILE being below src/: those where FILE must not see FOLDER
upward() {
  printf '%s\n' "$floors" | awk '
    NR == FNR {
      if (NF) level++
      for (i = 1; i <= NF; i++) {
        n = split($i, room, "+")
        for (k = 1; k <= n; k++) { at[room[k]] = level; with[room[k]] = $i; place[room[k]] = k }
      }
      next
    }
    {
      from = $1
      sub(/^src\//, "", from)
      sub(/\/.*/, "", from)
      if (!(from in at)) print $1 " stands on no floor"
      else if (!($2 in at)) print $1 " looks at " $3 ", which stands on no floor"
      else if (at[$2] > at[from] || (at[$2] == at[from] && with[$2] != with[from]))
        print $1 " (" from ") looks at " $3 " (" $2 ")"
      else if (at[$2] == at[from] && place[$2] > place[from] && $3 !~ /^hn_[a-z]+_(find|at)$/)
        print $1 " (" from ") looks at " $3 " (" $2 "), which stands behind it"
    }' - "$1"
}

list=$(mktemp) || exit 1
trap 'rm -f "$list"' EXIT

# every file stands on a floor and includes what is below
find src -name '*.[ch]' | sed 's/.*/& base itself/' >"$list"
find src -name '*.[ch]' -exec grep -H '^#include "' {} + |
  sed -n 's/^\([^:]*\):#include "\([^"\/]*\)\/\([^"]*\)".*/\1 \2 \2\/\3/p' >>"$list"
verdict include "$(upward "$list")"
verdict include "$(find src -name '*.[ch]' -exec grep -H '^#include "[^/]*"' {} + |
  sed 's/$/ has no folder/')"

# the program sees what everybody sees
verdict program "$(grep -s '^#include "[^"]*/' cli/*.[ch])"

# every symbol is defined below
if [ -n "$objects" ]; then
  find src -name '*.c' | sed "s|.*|$objects/&.o|" | xargs nm -A -g |
    awk -v skip="${#objects}" '
      {
        colon = index($0, ":")
        source = substr($0, skip + 2, colon - skip - 4)
        $0 = substr($0, colon + 1)
        if (NF == 3) home[$3] = source
        if ($1 == "U") { need[++n] = $2; who[n] = source }
      }
      END {
        for (i = 1; i <= n; i++)
          if (need[i] in home) {
            folder = home[need[i]]
            sub(/^src\//, "", folder)
            sub(/\/.*/, "", folder)
            print who[i], folder, need[i]
          }
      }' >"$list"
  [ -s "$list" ] || echo "no symbols: are the objects in $objects?" >>"$list"
  verdict symbol "$(upward "$list")"
fi

# no function that another C library would round otherwise; of designs with normal distributions
# (studies, which pages do not run) one is left
if [ -n "$objects" ]; then
  rounded='sin cos sincos tan asin acos atan atan2 exp exp2 exp10 expm1 log log2 log10 log1p pow
    sinh cosh tanh asinh acosh atanh hypot cbrt erf erfc tgamma lgamma
    cabs carg cexp clog cpow csqrt csin ccos ctan __divdc3'
  left='src/study/design.c calls erfc
src/study/random.c calls erfc'
  verdict elementary "$(find src -name '*.c' | sed "s|.*|$objects/&.o|" | xargs nm -A -g |
    awk -v skip="${#objects}" -v names="$rounded" '
      BEGIN {
        n = split(names, name)
        for (i = 1; i <= n; i++) own[name[i]] = own[name[i] "f"] = own[name[i] "l"] = 1
      }
      {
        colon = index($0, ":")
        source = substr($0, skip + 2, colon - skip - 4)
        $0 = substr($0, colon + 1)
        if ($1 == "U" && $2 in own) print source " calls " $2
      }' | grep -vxF "$left")"
fi

# ARCHITECTURE.md draws this list: rows "| 3 | `model` | ..."
drawn=$(sed -n 's/^| *[0-9][0-9]* *| *\([^|]*[^| ]\) *|.*/\1/p' ARCHITECTURE.md |
  sed 's/`//g; s/ + /+/g; s/, / /g')
wanted=$(printf '%s\n' "$floors" | sed '/^$/d')
verdict picture "$([ "$drawn" = "$wanted" ] || printf 'ARCHITECTURE.md shows\n%s\n' "$drawn")"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
