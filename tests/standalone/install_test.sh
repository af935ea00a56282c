#!/usr/bin/env bash
# Installs the build into an empty folder and uses it from outside: find_package with the static and the shared library,
# pkg-config with both, from C++ and from C, the laboratory, and the component core alone. The user has Eigen and a compiler,
# which need not be that of the build.
# Would catch: a flag, a header or a library of the build that a user would need (OpenMP), a program that does not start without
# LD_LIBRARY_PATH, a `pkg-config --static` that links the shared library, an installed tree that cannot be moved.
# Usage: install_test.sh SOURCE_DIR BINARY_DIR CXX_COMPILER C_COMPILER FLAGS     Ends with 77 where there is no such compiler.
set -euo pipefail
source_dir=$1 binary_dir=$2 compiler=$3 c_compiler=$4 flags=$5
for program in "$compiler" "$c_compiler" pkg-config; do
  command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
unset LD_LIBRARY_PATH LIBRARY_PATH CPATH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "$1"
  exit 1
}

cmake --install "$binary_dir" --prefix "$work/first-place" >/dev/null
mv "$work/first-place" "$work/prefix"
"$work/prefix/bin/loa" list algorithms >/dev/null
# What lies in include/ is the public interface and nothing else.
[[ ! -e $work/prefix/include/loa_tao.h ]] || plugin=$source_dir/petsc/loa_tao.h  # where PETSc is
diff <(cd "$source_dir/include" && find . "$source_dir/lab/include" ${plugin:+"$plugin"} -type f | sed "s#^$source_dir/lab/include#.#; s#^$source_dir/petsc#.#" | sort) <(cd "$work/prefix/include" && find . -type f | sort)
# A user needs no OpenMP, and a program that is linked to the library nothing but the runtime of the compiler.
! grep -rniE 'openmp|gomp' --include='*.cmake' --include='*.pc' "$work/prefix" || fail "the package asks its user for OpenMP"
if [[ $flags != *sanitize* ]]; then
  strangers=$(ldd "$(find "$work/prefix" -name libloa.so)" | awk '{ print $1 }' |
    grep -vE '^(linux-vdso|lib(stdc\+\+|m|gcc_s|c|pthread|dl|rt)|.*/ld-linux[^/]*)[.]so' || true)
  [[ -z $strangers ]] || fail "libloa.so needs $strangers"
fi

uses_shared() { ldd "$1" | grep 'libloa[.]so' >/dev/null; }  # not -q, which would end ldd early

configure() { # LIBRARY: static or shared
  cmake -G Ninja -S "$source_dir/examples" -B "$work/$1" -DLIBRARY="$1" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_FLAGS="$flags -Wall -Wextra -Werror" \
    -DCMAKE_C_FLAGS="$flags -Wall -Wextra -Werror -pedantic" >log 2>&1 || fail "$(cat log)"
}
configure static
cmake --build "$work/static" >log || fail "$(cat log)"
for example in minimize fit options gradients minimize_c own_algorithm own_check own_line_search own_problem train_own; do "$work/static/$example"; done
# The component core by itself: its headers and no others, a package without a laboratory, no program.
cmake --install "$binary_dir" --prefix "$work/core" --component core >/dev/null
diff <(cd "$source_dir/include" && find . -type f | sort) <(cd "$work/core/include" && find . -type f | sort)
[[ ! -e $work/core/bin && -z $(find "$work/core" -name '*lab*') ]] || fail "the component core has files of the laboratory"
cmake -G Ninja -S "$source_dir/examples" -B "$work/with_core" -DLIBRARY=static -DCMAKE_PREFIX_PATH="$work/core" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_C_COMPILER="$c_compiler" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags" >log 2>&1 || fail "$(cat log)"
cmake --build "$work/with_core" --target minimize >log || fail "$(cat log)"
"$work/with_core/minimize"
! cmake --build "$work/with_core" --target own_check >log 2>&1 || fail "loa::lab was found without the component lab"
configure shared
cmake --build "$work/shared" --target minimize_c own_algorithm >log || fail "$(cat log)"
for example in minimize_c own_algorithm; do
  "$work/static/$example" >by_static  # one after the other: the C one writes a file
  "$work/shared/$example" >by_shared
  diff by_static by_shared
  uses_shared "$work/shared/$example" || fail "$example: not linked to the shared library"
  ! uses_shared "$work/static/$example" || fail "$example: linked to the shared library"
done

# Another major version is refused.
mkdir other && printf 'cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES CXX)\nfind_package(loa 7 REQUIRED)\n' >other/CMakeLists.txt
cmake -G Ninja -S other -B other/build -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" >log 2>&1 &&
  fail "find_package(loa 7) found this version"
grep -q 'requested version "7"' log || fail "$(cat log)"

# The header of the README's example is all that the example includes of loa.
[[ $(grep -c '#include <loa/' "$source_dir/examples/minimize.cc") -eq 1 ]]

PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name loa.pc)")
export PKG_CONFIG_PATH
cpp() { # OUTPUT PACKAGE FLAGS...
  # shellcheck disable=SC2046,SC2086
  "$compiler" -std=c++20 $flags "${@:3}" "$source_dir/examples/${source:-minimize}.cc" -o "$1" $(pkg-config --cflags --libs "$2")
}
c() { # OUTPUT WORDS FOR PKG-CONFIG...
  # shellcheck disable=SC2046,SC2086
  "$c_compiler" -std=c11 $flags "$source_dir/examples/minimize.c" -o "$1" $(pkg-config "${@:2}" --cflags --libs)
}
cpp by_pkg_config loa
./by_pkg_config
! uses_shared by_pkg_config || fail "pkg-config loa: linked to the shared library"
source=own_check cpp lab_by_pkg_config loa-lab
./lab_by_pkg_config >/dev/null
c c_by_pkg_config loa
./c_by_pkg_config
c c_static --static loa
./c_static
! uses_shared c_static || fail "pkg-config --static loa: linked to the shared library"
c c_shared loa-shared
./c_shared
uses_shared c_shared || fail "pkg-config loa-shared: linked to the static library"
cpp cpp_shared loa-shared
./cpp_shared
# A user's flags may change the alignment that Eigen would choose by itself.
for extra in -mavx2 -mavx512f -fsanitize=address; do
  [[ $flags == *sanitize* || ($extra == -m* && ! $(cat /proc/cpuinfo) == *" ${extra#-m} "*) ]] && continue
  cpp by_pkg_config loa "$extra" 2>/dev/null || continue
  ./by_pkg_config >/dev/null
done
