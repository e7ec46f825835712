#!/usr/bin/env bash
# Runs the contract scripts of Tests/OpScriptTests/Scripts with the command, two at a time, and prints what became of each.
#
#   scripts/run-contract.sh                   all
#   scripts/run-contract.sh timer/            those whose path contains `timer/`
#   OPSCRIPT=path scripts/run-contract.sh     with that executable instead of the newest one in .build
#   JOBS=4 scripts/run-contract.sh            four at a time
#
# Exit status: 0 all passed, 1 some failed, 2 nothing to run.
set -u
cd "$(dirname "$0")/.." || exit 2
root=$PWD
pattern=${1:-}

if ! command -v lua5.4 >/dev/null; then
    echo "run-contract: lua5.4 is missing, which judges the output: apt-get install lua5.4" >&2
    exit 2
fi
if [ -n "${OPSCRIPT:-}" ]; then
    OPSCRIPT=$(realpath -m -- "$OPSCRIPT")
else
    OPSCRIPT=$(ls -t .build/release/opscript .build/debug/opscript 2>/dev/null | head -n 1)
    OPSCRIPT=${OPSCRIPT:+$root/$OPSCRIPT}
fi
if [ ! -x "${OPSCRIPT:-}" ]; then
    echo "run-contract: no executable '${OPSCRIPT:-.build/*/opscript}': swift build --product opscript" >&2
    exit 2
fi
export OPSCRIPT

cd Tests/OpScriptTests/Scripts || exit 2
# Folders `modules` inside an area hold modules that its scripts require; the area `modules` itself holds tests.
mapfile -t scripts < <(find . -name '*.lua' -not -path './*/modules/*' -printf '%P\n' | grep -F -- "$pattern" | sort)
if [ "${#scripts[@]}" -eq 0 ]; then
    echo "run-contract: no script's path contains '$pattern'" >&2
    exit 2
fi

results=$(mktemp) || exit 2
trap 'rm -f "$results"' EXIT
printf '%s\0' "${scripts[@]}" \
    | xargs -0 -n 1 -P "${JOBS:-2}" lua5.4 "$root/scripts/contract-script.lua" \
    | tee "$results"

passed=$(grep -c '^pass ' "$results")
failed=$(( ${#scripts[@]} - passed ))
echo "$passed passed, $failed failed ($OPSCRIPT)"
if [ "$failed" -gt 0 ]; then
    grep '^FAIL ' "$results" | sort
    exit 1
fi
