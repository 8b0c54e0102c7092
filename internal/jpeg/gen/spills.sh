#!/bin/bash
# Fails when a kernel's loops move vectors to or from the stack: Go does that when a loop needs more registers than there are,
# and then a kernel takes up to 40 % longer. Outside of the inner loops up to four such moves are taken.
set -euo pipefail
[ "$(go env GOARCH)" = amd64 ] || exit 0
cd "$(dirname "$0")/.."
binary=$(mktemp)
trap 'rm -f "$binary"' EXIT
GOEXPERIMENT=simd go test -c -o "$binary" .
for kernel in color420 color444 gray transform; do
  for width in AVX2 AVX512; do
    code=$(go tool objdump -s "jpeg\\.$kernel$width\$" "$binary")
    [ -n "$code" ] || { echo "$kernel$width is missing"; exit 1; }
    moves=$(grep -cE 'VMOV[A-Z0-9]+ .*\(SP\)' <<< "$code" || true)
    [ "$moves" -le 4 ] || { echo "$kernel$width moves vectors to the stack $moves times: see internal/jpeg/gen"; exit 1; }
  done
done
