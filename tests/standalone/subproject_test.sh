#!/usr/bin/env bash
# Uses loa as a part of another project: by FetchContent (static), and by add_subdirectory (shared). Nothing is fetched, and
# the objects of loa come from the build that is tested (reuse_object.sh).
# Would catch: a package that only one of the compilers finds, a core that needs more than Eigen, and what a guest leaves behind
# in the project of its host.
# Usage: subproject_test.sh SOURCE_DIR BINARY_DIR CXX_COMPILER BUILD_TYPE CXX_FLAGS_OF_THE_TYPE
# The compiler need not be that of the build: GCC and clang link each other's objects. Ends with 77 where there is none.
set -euo pipefail
source_dir=$1 binary_dir=$2 compiler=$3 type=$4 flags=$5
command -v "$compiler" >/dev/null || { echo "skipped: no $compiler"; exit 77; }

unity=$(sed -n 's/^LOA_UNITY:BOOL=//p' "$binary_dir/CMakeCache.txt")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

use() { # HOW ARGUMENTS...
  local how=$1 folder=$work/$1
  shift
  cmake -G Ninja -S "$source_dir/tests/standalone/consumer" -B "$folder" -DHOW="$how" \
    -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE="$type" -DCMAKE_CXX_FLAGS_"${type^^}"="$flags" \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$source_dir/tests/standalone/reuse_object.sh;$binary_dir" \
    -DLOA_UNITY="$unity" -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DEXAMPLE="$source_dir/examples/own_algorithm.cc" "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$source_dir/tests/standalone/same_flags.py" "$binary_dir" "$folder"
  cmake --build "$folder" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }
  "$folder/consumer"
  ctest --test-dir "$folder" -N | grep -x 'Total Tests: 0' >/dev/null || { echo "$how: loa added tests"; exit 1; }
  cmake --install "$folder" --prefix "$work/prefix-$how" >/dev/null
  [[ ! -e $work/prefix-$how ]] || { echo "$how: loa installs files"; exit 1; }
}

use FetchContent -DFETCHCONTENT_SOURCE_DIR_LOA="$source_dir" -DFETCHCONTENT_FULLY_DISCONNECTED=ON
[[ -z $(find "$work" -name 'libloa.so*') ]] || { echo "FetchContent: a shared library without BUILD_SHARED_LIBS"; exit 1; }
use add_subdirectory -DLOA_SOURCE_DIR="$source_dir" -DBUILD_SHARED_LIBS=ON
ldd "$work/add_subdirectory/consumer" | grep libloa.so >/dev/null || { echo "add_subdirectory: BUILD_SHARED_LIBS had no effect"; exit 1; }
