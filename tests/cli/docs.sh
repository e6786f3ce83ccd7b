# docs.sh: the site of the documentation is made, and all of its links lead somewhere.
. "$SRC/tests/cli/_lib.sh"
: >out
: >err

if ! command -v mkdocs >/dev/null || ! command -v node >/dev/null || ! [ -x /usr/bin/python3 ] ||
  ! [ -f "${KATEX:-/usr/share/javascript/katex}/katex.js" ]; then
  echo "no mkdocs, KaTeX or Node: the site is not made"
  pass
  finish
fi
if "$SRC/scripts/docs.py" site >out 2>err; then pass; else fail "the site is not made, or links of it are wrong"; fi
matches out '^docs: [0-9]{3} pages, [0-9]{3} formulas, [0-9]{4,} links, 0 wrong'
# every header and every function has its place, the models and the search index are there
for header in "$SRC"/include/holon/*.h; do
  true_that [ -s "site/site/headers/$(basename "$header" .h).html" ]
done
says site/site/headers/model.html hn_add_body
says site/site/headers/sim.html hn_run
says site/site/headers/model.html "shapes give inertia"
true_that [ -s site/site/search/search_index.json ]
says site/site/search/search_index.json hydraulic-cylinder
# the gallery is live: each picture opens its model in a page that computes
if "$HOLON" view --live "$SRC/models/pendulum.yaml" --html can.html >can 2>&1; then
  says site/site/live.html 'id="holon-models"'
  true_that [ "$(grep -o 'live.html#still&amp;model=' site/site/gallery.html | wc -l)" = "$(ls "$SRC"/models/*.yaml | wc -l)" ]
else
  says out "the gallery is not live"
fi
# every formula is typeset, for eyes and for screen readers: as many as are written, and none is left as written
count() {
  grep -rhoF -e "$@" | wc -l
}
blocks=$(count '```math' "$SRC/docs" --include='*.md')
formulas=$((blocks + $(count '$`' "$SRC/docs" --include='*.md')))
true_that [ "$blocks" -gt 50 ]
for part in "$blocks:class=\"katex-display" "$formulas:<span class=\"katex\">" "$formulas:<math " "0:katex-error" \
  "0:language-math" '0:$<code>'; do
  true_that [ "$(count "${part#*:}" site/site --include='*.html' --exclude=live.html)" = "${part%%:*}" ]
done
# no block of plain text holds a formula
for page in "$SRC"/docs/*.md "$SRC"/docs/*/*.md; do
  code=$(awk '/^```/ { inside = !inside; plain = inside && $0 == "```"; next }
    plain && /ᵀ|⁻|⁺|Φ|ψ|λ|γ|Σ|∫|⊕|\\[a-z]/' "$page")
  if [ -z "$code" ]; then pass; else fail "$page has a formula as plain text: $code"; fi
done
# their style has the fonts it names
style=site/site/katex/katex.min.css
says site/site/methods/integrators.html '"../katex/katex.min.css"'
true_that [ "$(grep -o 'url([^)]*)' $style | wc -l)" -gt 10 ]
for font in $(grep -o 'url([^)]*)' $style | sed 's/^url(//; s/)$//'); do
  true_that [ -s "site/site/katex/$font" ]
done
# mistakes are told with file and line, and so is what is not installed
mkdir -p wrong/scripts wrong/docs
cp "$SRC/scripts/docs.py" "$SRC/scripts/formulas.mjs" wrong/scripts
printf '%s\n' '# Page' '' 'In a line: $`\frac{1}`$ and $`x^2`$.' '' '```math' '\begin{aligned}' 'a &= b \\' \
  'c &= \fraction{1}{2}' '\end{aligned}' '```' '' '```sh' 'echo $`code`$' '```' '' '```math' 'x = ü' '```' >wrong/docs/page.md
if /usr/bin/python3 wrong/scripts/docs.py made >out 2>err; then fail "wrong formulas pass"; else pass; fi
matches err '^docs/page.md:3: '
matches err '^docs/page.md:8: Undefined control sequence: .fraction$'
matches err '^docs/page.md:17: '
says err "formulas that are wrong: 3"
if KATEX=nowhere /usr/bin/python3 wrong/scripts/docs.py made >out 2>err; then fail "no KaTeX passes"; else pass; fi
says err "KaTeX and Node, which were not found"
# nothing is fetched from elsewhere
if grep -rlE '(src|href)="https?://[^"]*\.(js|css|woff2?)"' site/site --include='*.html' | grep -q .; then
  fail "pages fetch scripts or styles"
else
  pass
fi

finish
