#!/usr/bin/env bash
# The texts of other languages that the program embeds: luacheck reads the Lua of Sources, oxlint the scripts of the pages.
#
# oxlint is fetched by pip into .build/tools. Where that is not possible, the scripts of the pages are not checked, and a
# line says so. Exit status: 0 nothing found, 1 otherwise, 2 luacheck is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

# Code of another language is in a file of its own; literals of this length are pages for people.
long=$(git ls-files -z -- 'Sources/*.swift' | xargs -0 perl -0ne '
    while (/#"""\n(.*?)\n[ \t]*"""#/sg) {
        my $lines = ($1 =~ tr/\n//) + 1;
        print "  $ARGV: a literal of $lines lines\n" if $lines > 10 && $ARGV !~ /ReferenceText/;
    }')
if [ -n "$long" ]; then
    printf 'check-texts: code of another language is a file of its own (docs/decisions/0079):\n%s\n' "$long" >&2
    exit 1
fi

if ! command -v luacheck >/dev/null; then
    echo "check-texts: needs luacheck (Debian: apt-get install lua-check)" >&2
    exit 2
fi
luacheck --config scripts/luacheckrc --no-color -q Sources

tools=.build/tools
version=1.89.0
if [ "$("$tools/bin/oxlint" --version 2>/dev/null)" != "Version: $version" ] \
    && ! python3 -m pip install -q --target "$tools" --upgrade "oxlint==$version" >/dev/null 2>&1; then
    echo "check-texts: the scripts of the pages were not checked: pip cannot fetch oxlint $version" >&2
    exit 0
fi

# The scripts of a page are one text in the browser.
page=Sources/OpScriptRecord/Page
joined=$(mktemp -d)
trap 'rm -rf "$joined"' EXIT
cat "$page"/{tools,record,timeline,graph}.js >"$joined/record.js"
{ cat "$page/tools.js"; echo 'const data = {}, run = {}, profile = {};'; cat "$page"/{timeline,live}.js; } >"$joined/live.js"
echo '{ "env": { "browser": true, "es2022": true } }' >"$joined/oxlintrc.json"
"$tools/bin/oxlint" -c "$joined/oxlintrc.json" --quiet -D correctness -D no-undef -D no-redeclare -A no-unused-vars "$joined"
