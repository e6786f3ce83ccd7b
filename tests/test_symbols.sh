#!/bin/sh
# What the library shows to the linker.
#
# Every global symbol it defines begins with hn_. Every function the public headers declare is
# there, and a shared library exports nothing else.
#
# usage: test_symbols.sh LIBRARY
library=$1
root=${HN_SOURCE_DIR:-$(dirname "$0")/..}
passed=0
failed=0

pass() {
  passed=$((passed + 1))
}
fail() {
  failed=$((failed + 1))
  echo "$*"
}

# archives: what their members define; shared libraries: what they export
case $library in
*.a) shared= flags= ;;
*) shared=yes flags=-D ;;
esac
# counters of coverage are not the library's
counters='^(__llvm_|__start___llvm_|__stop___llvm_|lprof)'
defined=$(nm -g $flags --defined-only "$library" | awk 'NF == 3 { print $3 }' | grep -vE "$counters" | sort -u)
declared=$(cat "$root"/include/holon/*.h | sed 's,//.*,,; s/__attribute__((format([^)]*)))//' | tr '\n' ' ' | tr ';' '\n' |
  sed -n 's/.*HN_API[^(]*[ *]\(hn_[a-z0-9_]*\) *(.*/\1/p' | sort -u)
[ -n "$defined" ] || fail "no symbols in $library"
[ -n "$declared" ] || fail "no declarations in $root/include/holon"

for symbol in $defined; do
  case $symbol in
  hn_*) pass ;;
  *) fail "$symbol: a global symbol must begin with hn_, or be static" ;;
  esac
done
for symbol in $declared; do
  if echo "$defined" | grep -qx "$symbol"; then
    pass
  else
    fail "$symbol: declared in a public header but not in the library"
  fi
done
if [ "$shared" ]; then
  for symbol in $defined; do
    if echo "$declared" | grep -qx "$symbol"; then
      pass
    else
      fail "$symbol: exported but not declared in a public header"
    fi
  done
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
