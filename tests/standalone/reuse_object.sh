#!/usr/bin/env bash
# A compiler launcher that takes the objects of loa from a build that has them, and compiles everything else. So a project that
# builds loa within itself is tested in seconds, through CMake and the linker; same_flags.py says whether the objects are fit.
# Usage: reuse_object.sh BUILD_DIR COMPILER ARGUMENTS...
set -euo pipefail
build=$1
shift
object='' dependencies=''
for ((i = 1; i <= $#; ++i)); do
  next=$((i + 1))
  case ${!i} in
    -o) object=${!next} ;;
    -MF) dependencies=${!next} ;;
  esac
done
known=$build/CMakeFiles/loa.dir/${object##*CMakeFiles/loa.dir/}
if [[ $object == *CMakeFiles/loa.dir/* && -e $known ]]; then
  echo "$object:" >"$dependencies"
  exec cp "$known" "$object"
fi
exec "$@"
