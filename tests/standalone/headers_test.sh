#!/usr/bin/env bash
# Every public header is good by itself and twice, as C++20, and loa.h as C11 too. Nothing is made: the compiler reads alone.
# Would catch: a header that leans on what was included before it, one without a guard, C++ in the C interface.
# Usage: headers_test.sh SOURCE_DIR CXX_COMPILER C_COMPILER EIGEN_INCLUDE_DIR
set -euo pipefail
source_dir=$1 cxx_compiler=$2 c_compiler=$3 eigen=$4

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warnings=(-Wall -Wextra -Werror -pedantic -fsyntax-only)

check() { # LANGUAGE HEADER COMPILER ARGUMENTS...
  printf '#include "%s"\n#include "%s"\n' "$2" "$2" >"$work/${2//\//_}.$1"
  "${@:3}" "${warnings[@]}" "$work/${2//\//_}.$1" || { echo "$2: not good by itself, see above"; exit 1; }
}

count=0
for folder in include lab/include; do
  while read -r header; do
    check cc "$header" "$cxx_compiler" -std=c++20 -I"$source_dir/include" -I"$source_dir/lab/include" -isystem "$eigen"
    count=$((count + 1))
  done < <(cd "$source_dir/$folder" && find . -name '*.h' -printf '%P\n' | sort)
done
check c loa.h "$c_compiler" -std=c11 -I"$source_dir/include"
echo "$count headers"
[[ $count -gt 20 ]]
