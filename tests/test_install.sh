#!/bin/sh
# Installs the library into the current, empty folder, moves the tree, and uses it there as its
# users will: with pkg-config, with CMake's find_package, from C++, and through the program.
#
# usage: test_install.sh BUILD_FOLDER COMPILER
build=$1
cc=$2
root=${HN_SOURCE_DIR:?}
here=$(pwd)
passed=0
failed=0

# check WHAT COMMAND...: one check; shows what the command said only when it failed
check() {
  what=$1
  shift
  if "$@" >check.log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "$what: failed: $*"
    cat check.log
  fi
}

version=$(sed -n 's/^#define HN_VERSION_[MP][A-Z]* *\([0-9]*\)$/\1/p' \
  "$root/include/holon/holon.h" | paste -sd .)
model=prefix/share/holon/models/four_bar.yaml

check install cmake --install "$build" --prefix "$here/first"
mv first prefix

# libraries that are not where the system looks, such as this one when it is shared
lib=$(dirname "$(find "$here/prefix" -name 'libholon.*' | head -n 1)")
export LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PKG_CONFIG_PATH="$lib/pkgconfig"

# reaches far enough into a static library to need everything that is linked to it
cat >consumer.c <<'C'
#include <holon/holon.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc != 3 || strcmp(hn_version(), argv[1]) != 0) return 1;
  hn_model *model = hn_model_create();
  hn_system *system = NULL;
  if (!model || hn_model_load(model, argv[2]) || hn_compile(&system, model)) return 2;
  hn_result *result = NULL;
  char message[512];
  if (hn_result_read(&result, "missing.csv", message, sizeof message) != HN_ERR_FILE) return 3;
  printf("%s\n", message);
  hn_system_destroy(system);
  hn_model_destroy(model);
  return 0;
}
C

consumer_by_pkg_config() {
  flags=$(pkg-config --cflags --libs holon) &&
    "$cc" -std=c17 -Wall -Wextra -Wpedantic -Werror consumer.c $flags -o consumer &&
    ./consumer "$version" "$model"
}
consumer_by_cmake() {
  cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.21)
project(consumer LANGUAGES C)
find_package(holon $version REQUIRED)
add_executable(consumer consumer.c)
target_link_libraries(consumer PRIVATE holon::holon)
CMAKE
  cmake -S . -B cmake -G Ninja -DCMAKE_PREFIX_PATH="$here/prefix" -DCMAKE_C_COMPILER="$cc" &&
    cmake --build cmake && cmake/consumer "$version" "$model"
}
check "version in holon.pc" test "$(pkg-config --modversion holon)" = "$version"
check "pkg-config" consumer_by_pkg_config
check "find_package" consumer_by_cmake

if command -v c++ >/dev/null; then
  echo '#include <holon/holon.h>' >header.cc
  check "header in C++" c++ -Wall -Wextra -Wpedantic -Werror -Iprefix/include -c header.cc
fi

# the installed program must find its library by itself
unset LD_LIBRARY_PATH
check "program" prefix/bin/holon --version
check "manual page" grep -q "^.TH HOLON" prefix/share/man/man1/holon.1
check "completion for bash" grep -q "complete -F" prefix/share/bash-completion/completions/holon
check "completion for zsh" grep -q "compdef" prefix/share/zsh/site-functions/_holon
check "models" diff -r "$root/models" prefix/share/holon/models

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
