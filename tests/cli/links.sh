# links.sh: what the documentation points to is there.
. "$SRC/tests/cli/_lib.sh"

cd "$SRC" || exit 1
for page in *.md docs/*.md docs/*/*.md bench/*.md viewer/*.md; do
  [ -f "$page" ] || continue
  folder=$(dirname "$page")
  # targets of [text](target), without the web and without what is in code blocks
  for target in $(awk '/^```/ { code = !code; next } !code' "$page" | grep -o '](\([^)]*\))' |
    sed 's/^](//; s/)$//; s/#.*//' | grep -v '^[a-z]*:' | sort -u); do
    if [ -e "$folder/$target" ]; then pass; else fail "$page points to $target, which is not there"; fi
  done
done

finish
