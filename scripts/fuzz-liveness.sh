#!/usr/bin/env bash
# Runs random scripts for some seconds; each has to end without help. scripts/fuzz-liveness.sh COMMAND SECONDS
# [SEED]
set -euo pipefail
cd "$(dirname "$0")/.."

command=$1
seconds=$2
seed=${3:-$RANDOM$RANDOM}
count=0
# Make may have given its own variable of that name.
SECONDS=0
echo "the first seed of scripts is $seed"
while [ "$SECONDS" -lt "$seconds" ]; do
    status=0
    timeout 20 "$command" --quiet scripts/fuzz-liveness.lua "$seed" > /dev/null || status=$?
    if [ "$status" -ne 0 ]; then
        echo "the script of seed $seed ended with status $status (124: it hangs)" >&2
        exit 1
    fi
    count=$((count + 1))
    if [ -z "${3:-}" ]; then seed=$((seed + 1)); fi
done
echo "$count scripts ended"
