# _lib.sh: what the tests of the program share; sourced first, `finish` is called last.
#
# A test starts in an empty folder; $HOLON is the program, $SRC the repository.
passed=0
failed=0
code=0
# a test that does not come to its end has failed, whatever it found until then
trap 'echo "failed: the test did not call finish"; exit 1' EXIT

pass() {
  passed=$((passed + 1))
}
# fail WHAT: shows what the last call of the program said
fail() {
  failed=$((failed + 1))
  echo "failed: $*"
  echo "  last: holon $arguments (exit code $code)"
  head -n 20 out | sed 's/^/  out| /'
  head -n 20 err | sed 's/^/  err| /'
}

# holon ARGUMENTS...: standard output goes to `out`, standard error to `err`, the exit code to $code
holon() {
  arguments=$*
  # anew: file systems wait for the disk when a file that was cut to nothing is closed
  rm -f out err
  "$HOLON" "$@" >out 2>err
  code=$?
}

# expect CODE ARGUMENTS...: the program must exit with that code
expect() {
  wanted=$1
  shift
  holon "$@"
  if [ "$code" = "$wanted" ]; then
    pass
  else
    fail "expected exit code $wanted"
  fi
}

# says FILE TEXT, says_not FILE TEXT: fixed text, in one line
says() {
  if grep -qF -e "$2" "$1"; then pass; else fail "'$2' is missing in $1"; fi
}
says_not() {
  if grep -qF -e "$2" "$1"; then fail "'$2' must not be in $1"; else pass; fi
}
# matches FILE PATTERN: extended regular expression
matches() {
  if grep -qE -e "$2" "$1"; then pass; else fail "nothing in $1 matches '$2'"; fi
}
# silent FILE: nothing was written to it
silent() {
  if [ -s "$1" ]; then fail "$1 must be empty"; else pass; fi
}
# true_that COMMAND...
true_that() {
  if "$@"; then pass; else fail "$*"; fi
}
# near A B TOLERANCE: numbers
near() {
  if awk -v a="$1" -v b="$2" -v tol="$3" \
    'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= tol) }'; then
    pass
  else
    fail "$1 and $2 differ by more than $3"
  fi
}

# well_formed FILE: exactly one JSON value
well_formed() {
  if awk '
    function blank() { while (substr(s, p, 1) ~ /^[ \n\t\r]$/) p++ }
    function text(   c) {
      p++
      while (p <= length(s)) {
        c = substr(s, p, 1)
        if (c == "\\") { if (substr(s, p + 1, 1) !~ /^["\\\/bfnrtu]$/) return 0; p += 2 }
        else if (c == "\"") { p++; return 1 }
        else if (c == "\n" || c == "\t") return 0
        else p++
      }
      return 0
    }
    # items up to the closing bracket; named: each has a key
    function items(close_, named) {
      p++
      blank()
      if (substr(s, p, 1) == close_) { p++; return 1 }
      for (;;) {
        blank()
        if (named) {
          if (substr(s, p, 1) != "\"" || !text()) return 0
          blank()
          if (substr(s, p, 1) != ":") return 0
          p++
        }
        if (!value()) return 0
        blank()
        if (substr(s, p, 1) == close_) { p++; return 1 }
        if (substr(s, p, 1) != ",") return 0
        p++
      }
    }
    function value(   c) {
      blank()
      c = substr(s, p, 1)
      if (c == "{") return items("}", 1)
      if (c == "[") return items("]", 0)
      if (c == "\"") return text()
      if (match(substr(s, p, 40), /^(true|false|null|-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?)/)) {
        p += RLENGTH
        return 1
      }
      return 0
    }
    { s = s $0 "\n" }
    END { p = 1; good = value(); blank(); exit !(good && p > length(s)) }' "$1"; then
    pass
  else
    fail "$1 is not one JSON value"
  fi
}

# json KEY: value of a top-level key of the JSON object in `out`, quotes removed
json() {
  sed -n "s/^  \"$1\": //p" out | sed 's/,$//; s/^"//; s/"$//'
}
# json_is KEY VALUE
json_is() {
  if [ "$(json "$1")" = "$2" ]; then pass; else fail "\"$1\" must be $2, not $(json "$1")"; fi
}

# lines FILE
lines() {
  wc -l <"$1" | tr -d ' '
}

finish() {
  trap - EXIT
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
  exit
}
