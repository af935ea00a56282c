#!/usr/bin/env bash
# Installs the build into an empty folder and uses it from outside, once through find_package and once through pkg-config.
# Usage: install_test.sh SOURCE_DIR BINARY_DIR CXX_COMPILER CXX_FLAGS
set -euo pipefail
source_dir=$1 binary_dir=$2 compiler=$3 flags=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$binary_dir" --prefix "$work/prefix" >/dev/null
cmake -S "$source_dir/examples" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CXX_FLAGS="$flags -Wall -Wextra -Werror" >/dev/null
cmake --build "$work/build" >/dev/null
for example in minimize own_algorithm own_check own_problem; do "$work/build/$example"; done
"$work/prefix/bin/loa" list algorithms >/dev/null

# The header of the README's example is all that the example includes of loa.
[[ $(grep -c '#include <loa/' "$source_dir/examples/minimize.cc") -eq 1 ]]

if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig:$work/prefix/lib/$("$compiler" -dumpmachine)/pkgconfig
  # shellcheck disable=SC2046,SC2086
  "$compiler" -std=c++20 $flags "$source_dir/examples/minimize.cc" -o "$work/by_pkg_config" \
    $(pkg-config --cflags --libs loa)
  "$work/by_pkg_config"
  # A user's flags may change the alignment that Eigen would choose by itself.
  for extra in -mavx2 -mavx512f -fsanitize=address; do
    [[ $flags == *sanitize* || ($extra == -m* && ! $(cat /proc/cpuinfo) == *" ${extra#-m} "*) ]] && continue
    # shellcheck disable=SC2046,SC2086
    "$compiler" -std=c++20 $flags $extra "$source_dir/examples/minimize.cc" -o "$work/by_pkg_config" \
      $(pkg-config --cflags --libs loa) 2>/dev/null || continue
    "$work/by_pkg_config" >/dev/null
  done
else
  echo "skipped: the pkg-config part, there is no pkg-config here"
fi
