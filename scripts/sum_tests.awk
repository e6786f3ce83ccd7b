# Sums up the output of `ctest -V`: the first line is "PASSED FAILED", then follows what each
# failing test printed, shortened.
#
# A test ends with the line "N passed, N failed". One that ends without it, or that says nothing
# failed and still does not exit with 0, counts as one failure.
# a line of a test's output: "12: text"
/^[0-9]+: / {
  number = $1 + 0
  text = substr($0, length($1) + 2)
  # what ctest itself says about the test, and the environment it sets
  if (text ~ /^(Test command|Working Directory|Test timeout computed|Environment variables):? /)
    next
  if (text ~ /^ [A-Z_]+=/) next
  if (text ~ /^[0-9]+ passed, [0-9]+ failed$/) {
    split(text, word, " ")
    p[number] = word[1]
    f[number] = word[3]
    closed[number] = 1
  }
  output[number, ++lines[number]] = text
  # where a sanitizer begins its report
  if (text ~ /ERROR: |runtime error: / && !alarm[number]) alarm[number] = lines[number]
}

# the result of a test: " 3/40 Test  #3: name .....   Passed    0.01 sec"
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
  match($0, /#[0-9]+:/)
  number = substr($0, RSTART + 1, RLENGTH - 2) + 0
  rest = substr($0, RSTART + RLENGTH + 1)
  split(rest, word, " ")
  names[++count] = word[1]
  numbers[count] = number
  good = rest ~ / Passed +[0-9.]+ sec/
  if (good) why = ""
  else {
    why = rest
    sub(/^[^ ]+ [. ]*/, "", why)
    gsub(/\*\*\*/, " ", why)
    gsub(/  +/, " ", why)
    sub(/^ /, "", why)
  }
  if (!closed[number]) {
    f[number] = 1
    why = why (why == "" ? "" : "; ") "no closing line"
  } else if (!good && f[number] == 0) f[number] = 1
  else if (good && f[number] > 0) why = "exit status 0"
  passed += p[number]
  failed += f[number]
  whys[count] = why
}

function show(test, from, to) {
  for (; from <= to; from++) print "    " output[test, from]
}

END {
  if (count == 0) failed = 1
  print passed + 0, failed + 0
  if (count == 0) print "no test was run"
  for (i = 1; i <= count; i++) {
    n = numbers[i]
    if (!f[n]) continue
    print names[i] ": " whys[i]
    last = lines[n]
    if (last <= 40) show(n, 1, last)
    else if (alarm[n]) show(n, alarm[n], alarm[n] + 30 < last ? alarm[n] + 30 : last)
    else {
      show(n, 1, 20)
      print "    ... (" last - 35 " lines)"
      show(n, last - 14, last)
    }
  }
}
