#!/usr/bin/env bash
# Installs the missing peers that OpScript is compared with, and prints their names. Peers that cannot be installed are
# skipped later.
set -euo pipefail

packages=(lua5.4 lua-luv lua-cqueues g++ libtbb-dev liblua5.4-dev ninja-build make valgrind python3-pil imagemagick)

missing=()
for package in "${packages[@]}"; do
    if command -v dpkg-query >/dev/null &&
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
        missing+=("$package")
    fi
done
if [ "${#missing[@]}" -gt 0 ]; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "installing ${missing[*]} with apt-get"
    fetched=no
    for package in "${missing[@]}"; do
        install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
            apt-get install -y -q --no-install-recommends "$package")
        "${install[@]}" >/dev/null 2>&1 && continue
        # The lists of a new machine are old or empty: they are fetched when the first try fails.
        [ "$fetched" = yes ] || "${as_root[@]}" apt-get update -q >/dev/null 2>&1 || true
        fetched=yes
        "${install[@]}" >/dev/null 2>&1 || echo "cannot install $package: what needs it is skipped"
    done
fi
# The driver itself is a Lua script.
command -v lua5.4 >/dev/null || { echo "the benchmarks need lua5.4" >&2; exit 1; }
