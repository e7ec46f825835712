#!/usr/bin/env bash
# Installs the missing system packages that building OpScript needs, and prints their names.
#
#   scripts/install-dependencies.sh                the packages for a build
#   scripts/install-dependencies.sh PACKAGE…       these Debian packages, too
#
# Exit status: 0 everything is installed, 1 something is missing and could not be installed.
set -euo pipefail

if ! command -v swift >/dev/null; then
    echo "OpScript needs Swift 6.2 or newer on the PATH: https://www.swift.org/install/linux/" >&2
    exit 1
fi

missing=()
for package in liblua5.4-dev libedit-dev libssl-dev libcurl4-openssl-dev zlib1g-dev \
    libjpeg-dev libpng-dev libwebp-dev libgif-dev libmicrohttpd-dev libsqlite3-dev "$@"; do
    if command -v dpkg-query >/dev/null; then
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
    elif [ "$package" = liblua5.4-dev ] && [ ! -e /usr/include/lua5.4/lua.h ]; then
        missing+=("$package")
    elif [ "$package" = libedit-dev ] && [ ! -e /usr/include/histedit.h ]; then
        missing+=("$package")
    elif [ "$package" = libssl-dev ] && [ ! -e /usr/include/openssl/sha.h ]; then
        missing+=("$package")
    elif [ "$package" = libcurl4-openssl-dev ] && [ ! -e /usr/include/curl/curl.h ] \
        && ! compgen -G '/usr/include/*/curl/curl.h' >/dev/null; then
        missing+=("$package")
    elif [ "$package" = zlib1g-dev ] && [ ! -e /usr/include/zlib.h ]; then
        missing+=("$package")
    elif [ "$package" = libjpeg-dev ] && [ ! -e /usr/include/jpeglib.h ]; then
        missing+=("$package")
    elif [ "$package" = libpng-dev ] && [ ! -e /usr/include/png.h ]; then
        missing+=("$package")
    elif [ "$package" = libwebp-dev ] && [ ! -e /usr/include/webp/decode.h ]; then
        missing+=("$package")
    elif [ "$package" = libsqlite3-dev ] && [ ! -e /usr/include/sqlite3.h ]; then
        missing+=("$package")
    elif [ "$package" = libgif-dev ] && [ ! -e /usr/include/gif_lib.h ]; then
        missing+=("$package")
    elif [ "$package" = libmicrohttpd-dev ] && [ ! -e /usr/include/microhttpd.h ]; then
        missing+=("$package")
    fi
done
[ "${#missing[@]}" -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "OpScript needs ${missing[*]} (the names are Debian's), and there is no apt-get to install it with" >&2
    exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "OpScript needs ${missing[*]}; as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "installing ${missing[*]} with apt-get"
install=(env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}")
# The lists of a new machine are old or empty: they are fetched only when the first try fails.
"${as_root[@]}" "${install[@]}" >/dev/null 2>&1 || {
    "${as_root[@]}" apt-get update -q >/dev/null
    "${as_root[@]}" "${install[@]}" >/dev/null
}
