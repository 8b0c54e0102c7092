#!/bin/bash
# sanitized.sh asan|tsan BUILD TEST...: runs tests of the addon in a sanitized build, and fails when the sanitizer reports
# anything, or when no test ran.
set -eu -o pipefail
kind=$1 build=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
library=$(${CC:-cc} -print-file-name=lib"$kind".so)
reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

case $kind in
  asan) export ASAN_OPTIONS=detect_leaks=0:handle_segv=0:use_sigaltstack=0:log_path=$reports/report ;;
  tsan) export TSAN_OPTIONS=suppressions=$here/tsan.supp:handle_segv=0:report_signal_unsafe=0:log_path=$reports/report ;;
esac
failed=0
HAZARDS=sanitized SLUICE_TEST_BUILD=$(realpath "$build") NODE_OPTIONS="--require $here/../e2e/hazards/support/preload.js" LD_PRELOAD=$library \
  node --test --test-reporter=tap --test-concurrency=1 --test-timeout=300000 "$@" >"$reports/output" 2>&1 || failed=1
grep -E '^# (tests|pass|fail)|^ℹ (tests|pass|fail)' "$reports/output" || failed=1
if [ $failed = 1 ]; then awk '/^ *not ok/ { on = 1 } on { print } /^ *\.\.\.$/ { on = 0 }' "$reports/output"; fi
for report in "$reports"/report.*; do
  [ -e "$report" ] || continue
  head -60 "$report"
  failed=1
done
exit $failed
