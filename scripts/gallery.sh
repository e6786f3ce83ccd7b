#!/bin/sh
# The gallery of the documentation: docs/gallery.md with a picture of each model.
#
# usage: gallery.sh [MODEL...]       builds the program first; without names: all models
cd "$(dirname "$0")/.." || exit 1
cmake --preset release >/dev/null && cmake --build build --target holon_cli >/dev/null || exit 1
[ -d viewer/node_modules ] || npm ci --prefix viewer --no-audit --no-fund || exit 1
exec node scripts/gallery.mjs build/holon "$@"
