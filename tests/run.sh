#!/bin/sh
# Runs a test that speaks through its exit status, and closes its output with the line every test
# ends with, "N passed, N failed", unless it wrote one itself.
#
# usage: run.sh [--scratch] COMMAND...     --scratch: in an empty folder, removed afterwards
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

folder=.
if [ "$1" = --scratch ]; then
  shift
  folder=$work/scratch
  mkdir "$folder"
fi

{
  (cd "$folder" && exec "$@")
  echo $? >"$work/status"
} 2>&1 </dev/null | tee "$work/output"
status=$(cat "$work/status")

if ! grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$work/output"; then
  if [ "$status" = 0 ]; then
    echo "1 passed, 0 failed"
  else
    echo "exit status $status"
    echo "0 passed, 1 failed"
  fi
fi
exit "$status"
