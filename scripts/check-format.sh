#!/usr/bin/env bash
# Every Swift file is in the project's format, and no source file has grown beyond one noun.
set -euo pipefail
cd "$(dirname "$0")/.."

swift format lint --strict --parallel --recursive Package.swift Sources Tests docs/Examples

long=$(git ls-files -z -- '*.swift' '*.c' '*.h' | xargs -0 wc -l | awk '$2 != "total" && $1 > 450 { print "  " $2 ": " $1 " lines" }')
if [ -n "$long" ]; then
    printf 'check-format: these files have more than 450 lines; one noun per file:\n%s\n' "$long" >&2
    exit 1
fi

# A column is a character, also where the locale of the machine counts bytes.
export LC_ALL=C.UTF-8
# In tests, text of scripts and commands may be wider: their expected output has its line numbers.
wide=$(git ls-files -z -- '*.swift' '*.c' '*.h' | xargs -0 grep -nE '^.{121,}' | grep -vE '^Tests/.*["(]' || true)
if [ -n "$wide" ]; then
    printf 'check-format: these lines have more than 120 columns:\n%s\n' "$wide" >&2
    exit 1
fi
