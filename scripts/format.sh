#!/bin/sh
# Formats all C files in place by .clang-format; with --check only says what it would change.
cd "$(dirname "$0")/.." || exit 1
case $1 in
"") options=-i ;;
--check) options="--dry-run --Werror" ;;
*)
  echo "usage: $0 [--check]" >&2
  exit 2
  ;;
esac
find include src cli python tests bench examples \( -name '*.c' -o -name '*.h' \) -print0 2>/dev/null |
  xargs -0 -r clang-format $options
