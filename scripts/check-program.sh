#!/usr/bin/env bash
# Checks the release program: the libraries that it needs and opens, the symbols that it exports, its size, its start.
#
#   scripts/check-program.sh PROGRAM
#
# Exit status: 0 all is well, 1 otherwise. Modules that are not installed are named and not checked.
set -euo pipefail

program=${1:?usage: scripts/check-program.sh PROGRAM}
program=$(readlink -f "$program")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
fail() {
    echo "check-program: $*" >&2
    status=1
}

needed=$(readelf -dW "$program" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | sort | tr '\n' ' ')
case "$needed" in
"libc.so.6 libm.so.6 " | "libc.so.6 libm.so.6 ld-linux-x86-64.so.2 " | "ld-linux-x86-64.so.2 libc.so.6 libm.so.6 ") ;;
*) fail "it needs other libraries than libc and libm: $needed" ;;
esac

opened=$(LD_DEBUG=files "$program" -e '' 2>&1 | sed -nE 's/.*calling init: (.*)/\1/p' \
    | grep -vE '/(libc|libm|ld-linux[^/]*)\.so\.[0-9]+$' || true)
[ -z "$opened" ] || fail "it opens libraries that an empty script does not use: $opened"

others=$(nm -D --defined-only "$program" | awk '{ print $3 }' | grep -vE '^(lua|_IO_stdin_used|stdin|stdout|stderr|environ|__environ|_environ)' || true)
[ -z "$others" ] || echo "check-program: it exports more than Lua's interface: $(echo "$others" | tr '\n' ' ')"

strip -o "$folder/stripped" "$program"
size=$(stat -c %s "$folder/stripped")
echo "stripped: $size bytes"
[ "$size" -le $((15 * 1000 * 1000)) ] || fail "more than 15 MB"

for module in lpeg lfs cjson; do
    if "$program" -e "require '$module'" 2>"$folder/problem"; then
        echo "module $module: loads"
    elif grep -q "not found" "$folder/problem"; then
        echo "module $module: not installed"
    else
        fail "module $module: $(cat "$folder/problem")"
    fi
done
exit "$status"
