#!/bin/sh
# Installs the Debian packages that are missing. With nothing missing it says and does nothing.
#
# usage: setup.sh build|python|test|bench|docs       HN_NO_SETUP=1 skips it
#
# libopenblas-dev is left out on purpose: installed, it replaces the reference BLAS system-wide.
build="gcc libc6-dev make cmake ninja-build pkg-config libexpat1-dev
  liblapack-dev libblas-dev libsuitesparse-dev libhdf5-dev libsqlite3-dev"
# pages that compute: the library as WebAssembly; without these they are left out
live="clang lld wasi-libc"
python="python3-dev python3-pip python3-setuptools python3-wheel"
# the documentation as a site
docs="mkdocs mkdocs-material libjs-katex"
# what the Python package is tested with; users need none of them, though numpy is good to have
python_test="$python python3-numpy python3-scipy python3-pandas python3-mypy python3-yaml"

case $1 in
build) wanted=$build ;;
python) wanted="$build $python" ;;
test) wanted="$build $python_test clang llvm clang-format cppcheck libyaml-dev libsundials-dev musl-tools
  libopenmpi-dev openmpi-bin libnlopt-dev $docs" ;;
bench) wanted="$build g++" ;;
docs) wanted="$docs" ;;
*)
  echo "usage: $0 build|python|test|bench|docs" >&2
  exit 2
  ;;
esac
[ -z "$HN_NO_SETUP" ] || exit 0

die() {
  echo "setup: $*" >&2
  exit 1
}

# those of the given packages that are not installed
missing() {
  for package; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)
    [ "$state" = installed ] || printf '%s ' "$package"
  done
}

# apt_get ARGUMENTS...: as root, silent unless it fails
apt_get() {
  set -- env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 \
    -o Acquire::Retries=3 "$@"
  if [ "$(id -u)" != 0 ]; then
    # without a terminal nobody can type a password
    if [ -t 0 ]; then set -- sudo "$@"; else set -- sudo -n "$@"; fi
  fi
  "$@" >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    return 1
  }
}

# install PACKAGES...
updated=
install() {
  packages=$(missing "$@")
  [ -n "$packages" ] || return 0
  by_hand="please install by hand: ${packages% } (HN_NO_SETUP=1 skips this step)"
  command -v apt-get >/dev/null || die "apt-get was not found; $by_hand"
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    die "neither root nor sudo; $by_hand"
  fi
  echo "setup: installing ${packages% }"
  log=$(mktemp) || die "no room for a temporary file"
  trap 'rm -f "$log"' EXIT
  if [ -z "$updated" ]; then
    # one broken source among many is no reason to give up
    apt_get update || echo "setup: apt-get update failed; trying to install anyway" >&2
    updated=yes
  fi
  apt_get install --no-install-recommends $packages || die "apt-get install failed; $by_hand"
}

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not a Debian system; going on with what is installed. Needed are the equivalents of:"
  echo $wanted
  exit 0
fi
install $wanted

# the runtime of clang for WebAssembly is a package of its own, of the same version as clang
if [ "$1" != bench ]; then
  (
    install $live
    version=$(dpkg-query -W -f '${Depends}' clang | sed -n 's/.*clang-\([0-9][0-9]*\).*/\1/p')
    install "libclang-rt-$version-dev-wasm32"
  ) || echo "setup: without $live there will be no pages that compute" >&2
fi

# engines to compare with; one that cannot be installed is left out of the comparison
if [ "$1" = bench ]; then
  peers="libsimbody-dev libmujoco-dev libode-dev libdart-dev libsundials-dev"
  (install $peers) || for package in $peers; do (install $package) || true; done
fi

# Node makes the formulas of the documentation and the report page, which is tested in a browser; it may
# have come from elsewhere
tools=
if [ "$1" = test ] || [ "$1" = docs ]; then
  command -v node >/dev/null || tools="$tools nodejs"
fi
if [ "$1" = test ]; then
  tools="$tools chromium fonts-dejavu-core"
  command -v npm >/dev/null || tools="$tools npm"
fi
install $tools

# the sanitizer and fuzzer runtime is a package of its own, of the same version as clang
if [ "$1" = test ]; then
  version=$(dpkg-query -W -f '${Depends}' clang | sed -n 's/.*clang-\([0-9][0-9]*\).*/\1/p')
  install "libclang-rt-$version-dev"
fi
