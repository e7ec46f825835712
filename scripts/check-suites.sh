#!/bin/bash
# Runs the suites below a folder under busted and under `opscript test`, and prints the differences.
#
#     scripts/check-suites.sh FOLDER [OPSCRIPT]
#
# A suite is a folder directly below FOLDER that has a file .busted or a folder spec. Both commands run it unchanged,
# without an option. A test differs if it passes under one of them and not under the other. The status is 1 if any
# test does that passes under busted.
set -u
folder=${1:?usage: scripts/check-suites.sh FOLDER [OPSCRIPT]}
opscript=${2:-$(dirname "$0")/../.build/release/opscript}
opscript=$(realpath "$opscript") || exit 2
command -v busted > /dev/null || { echo "check-suites: busted is not installed" >&2; exit 2; }
limit=${SUITE_LIMIT:-300}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The names that passed, failed and were pending, a line each, from TAP on standard input.
names() {
    sed -n -E \
        -e 's/^ok [0-9]+ - # SKIP (.*)$/wait \1/p;t' -e 's/^ok [0-9]+ - (.*[^\\]) # SKIP.*$/wait \1/p;t' \
        -e 's/^ok [0-9]+ - (.*)$/pass \1/p;t' -e 's/^not ok [0-9]+ - (.*)$/FAIL \1/p' |
        sed -E 's/\\([\\#])/\1/g' | LC_ALL=C sort
}
count() { grep -c "^$1 " "$2"; }

status=0
# The Lua that runs busted may differ, and with it what a suite does.
echo "busted $(busted --version 2> /dev/null | tail -n 1) runs on $(busted -e 'print(_VERSION) os.exit(0)' . 2> /dev/null |
    grep -o -m 1 'Lua [0-9.]*' || echo 'an unknown Lua')"
printf '%-24s %22s %22s  %s\n' suite 'busted: ok, bad, wait' 'opscript: ok, bad, wait' differences
for suite in "$folder"/*/; do
    [ -e "$suite/.busted" ] || [ -d "$suite/spec" ] || continue
    name=$(basename "$suite")
    (cd "$suite" && timeout "$limit" busted --output=TAP < /dev/null > "$scratch/busted.tap" 2> "$scratch/busted.err")
    (cd "$suite" && timeout "$limit" "$opscript" test --output tap < /dev/null \
        > "$scratch/own.tap" 2> "$scratch/own.err")
    names < "$scratch/busted.tap" > "$scratch/busted"
    names < "$scratch/own.tap" > "$scratch/own"
    lost=$(LC_ALL=C comm -23 <(grep '^pass' "$scratch/busted") <(grep '^pass' "$scratch/own"))
    gained=$(LC_ALL=C comm -13 <(grep '^pass' "$scratch/busted") <(grep '^pass' "$scratch/own"))
    lines() { [ -z "$1" ] && echo 0 || wc -l <<< "$1"; }
    printf '%-24s %8d %6d %6d %8d %6d %6d  ' "$name" \
        "$(count pass "$scratch/busted")" "$(count FAIL "$scratch/busted")" "$(count wait "$scratch/busted")" \
        "$(count pass "$scratch/own")" "$(count FAIL "$scratch/own")" "$(count wait "$scratch/own")"
    if [ -z "$lost$gained" ]; then
        echo none
    else
        echo "$(lines "$lost") pass only under busted, $(lines "$gained") only under opscript"
        [ -n "$lost" ] && status=1
        [ -n "$lost" ] && sed 's/^pass /    only under busted: /' <<< "$lost"
        [ -n "$gained" ] && sed 's/^pass /    only under opscript: /' <<< "$gained"
    fi
    if [ ! -s "$scratch/busted" ] && [ -s "$scratch/own" ]; then
        echo "    busted gave no result: $(cat "$scratch/busted.err" "$scratch/busted.tap" | grep -v '^1\.\.' | head -n 1)"
    fi
    if [ ! -s "$scratch/own" ] && [ -s "$scratch/busted" ]; then sed 's/^/    /' "$scratch/own.err" | head -5; fi
done
exit $status
