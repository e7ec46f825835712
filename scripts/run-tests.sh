#!/usr/bin/env bash
# `swift test` with the given arguments; at the end it repeats the failures, which are otherwise among thousands of
# lines, and lists the ten slowest tests.
set -euo pipefail
cd "$(dirname "$0")/.."

# Reports of the watchdog of debug builds are failures.
export OPSCRIPT_WATCHDOG=${OPSCRIPT_WATCHDOG:-fatal}
# All tests at once would leave each of them a thousandth of a busy machine, so that time limits end tests without a fault.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-16}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
${SWIFT:-swift} test "$@" 2>&1 | tee "$output" || status=$?
if [ "$status" -ne 0 ]; then
    # The issues that tests recorded, with the lines that explain them, and the tests that began and did not end, as after
    # a crash.
    awk '
        /^↳/ { if (failed) print "    " $0; next }
        { failed = /^✘/ }
        failed { print "  " $0 }
        /^◇ Test .* started\.$/ && !/^◇ Test case / { sub(/^◇ /, ""); sub(/ started\.$/, ""); open[$0] = 1 }
        /^[^ ]+ Test .* after [0-9.]+ seconds/ { sub(/^[^ ]+ /, ""); sub(/( with [0-9]+ test cases?)? [a-z]+ after [0-9.]+ seconds.*/, ""); delete open[$0] }
        END { for (name in open) if (name != "Test run") print "  did not end: " name }
    ' "$output" | { printf '\nrun-tests: what failed, once more:\n'; cat; } >&2
fi
# Tests run in parallel, so a time includes waits for a core.
printf '\nrun-tests: the ten slowest tests, in seconds of the clock:\n'
sed -nE 's/^[^ ]+ Test (.*) (passed|failed) after ([0-9.]+) seconds.*/\3 \1/p' "$output" \
    | grep -v ' run with ' | sort -rn | sed -n '1,10s/^/  /p' || true
exit "$status"
