#!/usr/bin/env bash
# Installs the build into an empty folder and uses it from outside: find_package with the static and the shared library,
# pkg-config with both, from C++ and from C.
# Usage: install_test.sh SOURCE_DIR BINARY_DIR CXX_COMPILER C_COMPILER FLAGS
set -euo pipefail
source_dir=$1 binary_dir=$2 compiler=$3 c_compiler=$4 flags=$5

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cmake --install "$binary_dir" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/loa" list algorithms >/dev/null
# What lies in include/ is the public interface and nothing else.
diff <(cd "$source_dir/include" && find . -type f | sort) <(cd "$work/prefix/include" && find . -type f | sort)

configure() { # LIBRARY: static or shared
  cmake -G Ninja -S "$source_dir/examples" -B "$work/$1" -DLIBRARY="$1" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_FLAGS="$flags -Wall -Wextra -Werror" \
    -DCMAKE_C_FLAGS="$flags -Wall -Wextra -Werror -pedantic" >/dev/null
}
configure static
cmake --build "$work/static" >log || { cat log; exit 1; }
for example in minimize minimize_c own_algorithm own_check own_problem; do "$work/static/$example"; done
configure shared
cmake --build "$work/shared" --target minimize_c own_algorithm >log || { cat log; exit 1; }
for example in minimize_c own_algorithm; do
  "$work/static/$example" >by_static  # one after the other: the C one writes a file
  "$work/shared/$example" >by_shared
  diff by_static by_shared
  ldd "$work/shared/$example" | grep libloa.so >/dev/null || { echo "$example: not linked to the shared library"; exit 1; }
  ldd "$work/static/$example" | grep libloa >/dev/null && { echo "$example: linked to the shared library"; exit 1; }
done

# Another major version is refused.
mkdir other && printf 'cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\nfind_package(loa 7 REQUIRED)\n' >other/CMakeLists.txt
cmake -G Ninja -S other -B other/build -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" >log 2>&1 &&
  { echo "find_package(loa 7) found this version"; exit 1; }
grep -q 'requested version "7"' log || { cat log; exit 1; }

# The header of the README's example is all that the example includes of loa.
[[ $(grep -c '#include <loa/' "$source_dir/examples/minimize.cc") -eq 1 ]]

if ! command -v pkg-config >/dev/null; then
  echo "skipped: the pkg-config part, there is no pkg-config here"
  exit 0
fi
folder=$(dirname "$(find "$work/prefix" -name loa.pc)")
export PKG_CONFIG_PATH=$folder LD_LIBRARY_PATH=$folder/..
cpp() { # OUTPUT FLAGS...
  # shellcheck disable=SC2046,SC2086
  "$compiler" -std=c++20 $flags "${@:2}" "$source_dir/examples/minimize.cc" -o "$1" $(pkg-config --cflags --libs loa)
}
c() { # OUTPUT FLAGS OF PKG-CONFIG...
  # shellcheck disable=SC2046,SC2086
  "$c_compiler" -std=c11 $flags "$source_dir/examples/minimize.c" -o "$1" $(pkg-config "${@:2}" --cflags --libs loa)
}
cpp by_pkg_config
./by_pkg_config
c c_by_pkg_config
./c_by_pkg_config
# A user's flags may change the alignment that Eigen would choose by itself.
for extra in -mavx2 -mavx512f -fsanitize=address; do
  [[ $flags == *sanitize* || ($extra == -m* && ! $(cat /proc/cpuinfo) == *" ${extra#-m} "*) ]] && continue
  cpp by_pkg_config "$extra" 2>/dev/null || continue
  ./by_pkg_config >/dev/null
done
# The same with the static library alone, as after LOA_SHARED=OFF.
rm "$folder"/../libloa.so*
cpp by_pkg_config
./by_pkg_config >/dev/null
c c_by_pkg_config --static
./c_by_pkg_config >/dev/null
