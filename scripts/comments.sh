#!/bin/sh
# How much is explained: lines with a comment for each line with code, of sources and of headers.
#
# usage: comments.sh [--files] [PATH...]
#        --files: one line per file too, those with the fewest comments for their size first
#        without paths: src, cli and the public headers
#
# A line that has both counts as both: a comment behind a member of a struct explains as much as one
# above it. The third number counts only lines that are nothing but comment. What stands in
# quotes is code, whatever it looks like; lines with nothing but // or */ or rulers count as empty.
# Asked are about 0.2 in sources and about 1 in the public headers.
cd "$(dirname "$0")/.." || exit 1
files=0
if [ "$1" = --files ]; then
  files=1
  shift
fi

# count TITLE FILES: reads names of files
count() {
  xargs -r awk -v title="$1" -v files="$files" '
    function flush() {
      if (name == "") return
      all_code += code; all_with += with; all_whole += whole
      if (files) printf "%8.0f missing  %.3f  %5d  %s\n", 0.2 * code - with, with / (code ? code : 1), code, name
    }
    FNR == 1 { flush(); name = FILENAME; code = with = whole = 0; inside = 0 }
    {
      has_code = has_text = 0
      for (i = 1; i <= length($0); i++) {
        c = substr($0, i, 1)
        two = substr($0, i, 2)
        if (inside) {
          if (two == "*/") { inside = 0; i++ }
          else if (c ~ /[^ \t*\/=-]/) has_text = 1
        } else if (two == "//") {
          if (substr($0, i + 2) ~ /[^ \t\/=-]/) has_text = 1
          break
        } else if (two == "/*") { inside = 1; i++ }
        else if (c == "\"" || c == "\047") {
          has_code = 1
          for (i++; i <= length($0) && substr($0, i, 1) != c; i++)
            if (substr($0, i, 1) == "\\") i++
        } else if (c !~ /[ \t]/) has_code = 1
      }
      code += has_code; with += has_text; whole += has_text && !has_code
    }
    END {
      flush()
      printf "%-16s %6d lines with code, comments on %6d: %.3f  (%.3f by lines of their own)\n", title,
             all_code, all_with, all_with / all_code, all_whole / all_code
    }'
}

if [ $# -gt 0 ]; then
  find "$@" -name '*.[ch]' | sort | count "$*" | sort -rn
  exit
fi
find src -name '*.[ch]' | sort | count src | if [ $files = 1 ]; then sort -rn; else cat; fi
find cli -name '*.[ch]' | sort | count cli
find include -name '*.h' | sort | count include
