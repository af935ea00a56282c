#!/usr/bin/env bash
# Trains on the problems of a shared library, and certifies what came of it.
# Usage: own_problems_test.sh PROGRAM LIBRARY FOLDER
set -euo pipefail
program=$1 library=$2 folder=$3
mkdir -p "$folder"
cd "$folder"

fail() {
  echo "own_problems_test: $1" >&2
  exit 1
}

"$program" train --problems-library "$library" --functions 12 --test-functions 8 --held-out 12 --epochs 6 --batch 6 \
  --population 6 --out mine.safetensors >train.log 2>&1 || fail "$(cat train.log)"
grep -q "12 never seen" train.log || fail "no report: $(cat train.log)"
grep -q "from a probe" train.log || fail "no estimate: $(cat train.log)"
"$program" weights show mine.safetensors >show.log
grep -q "certificate of loa on 12 members" show.log || fail "no certificate: $(cat show.log)"
"$program" weights certify mine.safetensors --problems-library "$library" --members 30 --out certified.safetensors \
  >certify.log
grep -q "certificate of loa on 20 members" certify.log || fail "no new certificate: $(cat certify.log)"
"$program" weights show certified.safetensors --json | grep -q '"members": *20' || fail "it did not travel"
status=0
"$program" train --problems-library "$library" --problems quadratic --out x.safetensors >both.log 2>&1 || status=$?
[[ $status == 2 ]] || fail "both sources were taken: $(cat both.log)"
