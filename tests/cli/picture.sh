# picture.sh: holon picture. The browser is tested with the report page, too.
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

# what slides on the ground does not take it along: its triangle stays, its circle goes on by 2 m in the 4 m that are seen
cat >slide.yaml <<'EOF'
bodies:
  post: {type: planar, position: [3, 0], mass: 1, shape: {box: {size: [1, 1, 1]}}}
  block: {type: planar, position: [0, 0], mass: 1, velocity: [1, 0], shape: {box: {size: [1, 1, 1]}}}
joints:
  rail: {type: prismatic, b: block, axis: x}
  weld: {type: fixed, b: post}
simulation: {duration: 2, output_step: 0.5}
EOF
at() { sed -n "s/.*$2.*/\\1/p" "$1" | head -n 1; }
for t in 0 2; do expect 0 picture slide.yaml --at $t --out slide$t.svg; done
rail='<path fill="#7c8793" d="M\([0-9.]*\) .*<title>rail<'
ball='<circle cx="\([0-9.]*\)".*<title>rail<'
weld='<circle cx="\([0-9.]*\)".*<title>weld<'
true_that [ "$(at slide0.svg "$rail")" = "$(at slide0.svg "$ball")" ]
scale() { awk -v a="$(at $1 "$rail")" -v b="$(at $1 "$ball")" -v c="$(at $1 "$weld")" 'BEGIN {printf "%.2f", (b - a)/(c - a)}'; }
true_that [ "$(scale slide2.svg)" = 0.67 ]

# several shapes: their faces, in their colours
expect 0 picture "$SRC/tests/shapes/shapes.yaml" --out shapes.svg
svg shapes.svg
says shapes.svg "<title>flywheel: cast; "
true_that [ "$(grep -o '<path' shapes.svg | wc -l)" -gt 500 ]

# png FILE WIDTH HEIGHT: a picture of that size
png() {
  if [ "$(od -An -tx1 -N8 "$1" | tr -d ' ')" = 89504e470d0a1a0a ] &&
    [ "$(od -An -tu1 -j18 -N2 "$1" | awk '{print 256 * $1 + $2}')" = "$2" ] &&
    [ "$(od -An -tu1 -j22 -N2 "$1" | awk '{print 256 * $1 + $2}')" = "$3" ]; then
    pass
  else
    fail "$1 is no picture of $2 x $3"
  fi
}

# pictures of the page, where there is a browser
unset HN_CHROMIUM
HN_CHROMIUM_SECONDS=200 # of a machine with much else to do
export HN_CHROMIUM_SECONDS
if command -v chromium >/dev/null; then
  expect 0 picture "$SRC/tests/shapes/shapes.yaml" --at 0.5 --out shapes.png --size 400x300
  says out "picture: shapes.png"
  png shapes.png 400 300
  # more than an empty page
  true_that [ "$(wc -c <shapes.png)" -gt 12000 ]
fi
# a browser that comes to a halt is ended, and tried once more
cat >halting <<'END'
#!/bin/sh
n=$(cat asked 2>/dev/null || echo 0)
echo $((n + 1)) >asked
[ "$n" -ge "$HALTS" ] || exec sleep 1000
for word; do case $word in --screenshot=*) echo drawn >"${word#--screenshot=}" ;; esac; done
END
chmod +x halting
HN_CHROMIUM=$PWD/halting HN_CHROMIUM_SECONDS=0.1 HALTS=1
export HN_CHROMIUM HN_CHROMIUM_SECONDS HALTS
expect 0 picture "$model" --out halted.png
says out "picture: halted.png"
true_that [ "$(cat asked halted.png)" = "2
drawn" ]
HALTS=9
expect 0 picture "$model" --out halted_again.png
says err "no chromium could take the picture"
true_that [ -s halted_again.svg ]
HN_CHROMIUM=/nonexistent

expect 2 picture "$model" --out four_bar.jpg
says err "ends in .png or .svg"
expect 2 picture "$model" --at -1
says err "--at needs a time"
expect 2 picture "$model" --size 10x10
says err "--size"
expect 2 picture missing.yaml
expect 2 picture

finish
