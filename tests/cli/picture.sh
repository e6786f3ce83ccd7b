# picture.sh: holon picture. The browser is tested with the report page.
. "$SRC/tests/cli/_lib.sh"
model=$SRC/models/four_bar.yaml
HN_CHROMIUM=/nonexistent
export HN_CHROMIUM

# svg FILE: a drawing with bodies and joints
svg() {
  if head -c 200 "$1" | grep -q '<svg' && tail -n 1 "$1" | grep -q '</svg>' &&
    grep -q '<circle' "$1" && grep -q '<path' "$1" && ! grep -qE 'nan|inf[^o]' "$1"; then
    pass
  else
    fail "$1 is no drawing"
  fi
}

expect 0 picture "$model" --at 2.5 --out four_bar.svg
says out "picture: four_bar.svg"
silent err
svg four_bar.svg
says four_bar.svg "t = 2.5 s"
says four_bar.svg "<title>coupler</title>"

# without a browser a drawing takes the place of the picture, and that is said
expect 0 picture "$model" --out four.png
says out "picture: four.svg"
says err "plain drawing"
true_that [ ! -e four.png ]
svg four.svg

# shapes of all kinds, planar and in space
for name in v6_engine double_wishbone door table pendulum planetary_gear heavy_top; do
  expect 0 picture "$SRC/models/$name.yaml" --out $name.svg
  svg $name.svg
done

expect 2 picture "$model" --out four_bar.jpg
says err "ends in .png or .svg"
expect 2 picture "$model" --at -1
says err "--at needs a time"
expect 2 picture "$model" --size 10x10
says err "--size"
expect 2 picture missing.yaml
expect 2 picture
