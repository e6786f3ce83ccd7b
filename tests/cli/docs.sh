# docs.sh: the site of the documentation is made, and all of its links lead somewhere.
. "$SRC/tests/cli/_lib.sh"
: >out
: >err

if ! command -v mkdocs >/dev/null || ! [ -x /usr/bin/python3 ]; then
  echo "no mkdocs: the site is not made"
  pass
  finish
fi
if "$SRC/scripts/docs.py" site >out 2>err; then pass; else fail "the site is not made, or links of it are wrong"; fi
matches out '^docs: [0-9]{3} pages, [0-9]{4,} links, 0 wrong'
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
# nothing is fetched from elsewhere
if grep -rlE '(src|href)="https?://[^"]*\.(js|css|woff2?)"' site/site --include='*.html' | grep -q .; then
  fail "pages fetch scripts or styles"
else
  pass
fi

finish
