#!/usr/bin/env bash
# Makes the folder with the linker's inputs of the installed command, whose path it prints.
#
#   scripts/link-parts.sh FOLDER
#
# Swift's own options for a static runtime name `-lstdc++`, and hide the symbols of all archives. The folder is searched
# first, and holds:
#   libstdc++.so, libgcc_s.so   texts that name the archives instead of the shared libraries
#   liblua5.4.a                 Lua's archive as one object, which is not an archive, so that its symbols can be exported
#   lua.exports                 the symbols that modules in C need, and no others
set -euo pipefail

folder=${1:?usage: scripts/link-parts.sh FOLDER}
mkdir -p "$folder"
echo 'INPUT(-l:libstdc++.a)' >"$folder/libstdc++.so"
echo 'INPUT(-l:libgcc_eh.a)' >"$folder/libgcc_s.so"
echo '{ global: lua_*; luaL_*; luaopen_*; local: *; };' >"$folder/lua.exports"

archive=$("${CC:-cc}" -print-file-name=liblua5.4.a 2>/dev/null || clang -print-file-name=liblua5.4.a)
if [ ! -e "$archive" ]; then
    echo "link-parts: there is no static library of Lua 5.4; Debian: apt-get install liblua5.4-dev" >&2
    exit 1
fi
if [ ! -e "$folder/liblua5.4.a" ] || [ "$archive" -nt "$folder/liblua5.4.a" ]; then
    ld -r -o "$folder/liblua5.4.a" --whole-archive "$archive"
fi
