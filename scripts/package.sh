#!/usr/bin/env bash
# Builds a Debian package of the command from the files that `make install` has put into a folder. `make package` calls
# it.
#
#   scripts/package.sh ROOT FOLDER     ROOT holds usr/bin/opscript and its other files; the package is written to FOLDER
#
# The environment may set MAINTAINER, the name and address in the package. Prints the path of the package. Exit status:
# 0 it was built, 1 otherwise.
set -euo pipefail

root=${1:?usage: scripts/package.sh ROOT FOLDER}
folder=${2:?usage: scripts/package.sh ROOT FOLDER}
here=$(cd "$(dirname "$0")/.." && pwd)
program=$root/usr/bin/opscript

for tool in dpkg dpkg-deb readelf gzip; do
    if ! command -v "$tool" >/dev/null; then
        echo "package: needs $tool (Debian: apt-get install dpkg binutils gzip)" >&2
        exit 1
    fi
done
if [ ! -x "$program" ]; then
    echo "package: '$program' is missing: make install DESTDIR='$root' PREFIX=/usr puts it there" >&2
    exit 1
fi

version=$("$program" --version | sed -n 's/^opscript //p')
architecture=$(dpkg --print-architecture)

# The oldest C library that has all versions of symbols which the program needs.
libc=$(readelf -VW "$program" | grep -oE 'GLIBC_[0-9]+(\.[0-9]+)+' | sed 's/GLIBC_//' | sort -uV | tail -1 || true)
if [ -z "$libc" ]; then
    echo "package: '$program' uses no C library that a package could name: is it the program of make release-build?" >&2
    exit 1
fi
# Other libraries would be packages that this script does not know.
others=$(readelf -dW "$program" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' \
    | grep -vE '^(libc|libm|ld-linux[^ ]*)\.so\.[0-9]+$' || true)
if [ -n "$others" ]; then
    echo "package: the program needs libraries that the package does not name: $(echo "$others" | tr '\n' ' ')" >&2
    exit 1
fi

documents=$root/usr/share/doc/opscript
mkdir -p "$documents" "$root/DEBIAN" "$folder"
gzip -9n -f "$root/usr/share/man/man1/opscript.1"
gzip -9nc "$here/CHANGELOG.md" >"$documents/changelog.gz"
{
    cat "$here/LICENSE"
    printf '\nThe program contains these libraries, under their own licences:\n'
    printf '  %s\n' 'Lua 5.4 (MIT)' 'libedit (BSD, 3 clauses), with terminfo of ncurses (X11)' \
        'digests of libcrypto of OpenSSL 3 (Apache 2.0)' 'zlib (Zlib)' \
        'the Swift runtime and Swift packages (Apache 2.0 with the runtime library exception)' \
        'libstdc++ and libgcc (GPL 3 with the GCC runtime library exception)'
    printf 'On Debian systems, the texts of common licences are in /usr/share/common-licenses.\n'
} >"$documents/copyright"

size=$(du -sk --exclude=DEBIAN "$root" | cut -f1)
cat >"$root/DEBIAN/control" <<END
Package: opscript
Version: $version
Architecture: $architecture
Maintainer: ${MAINTAINER:-The OpScript developers <opscript@example.org>}
Installed-Size: $size
Depends: libc6 (>= $libc)
Recommends: libcurl4 | libcurl4t64, ca-certificates, libjpeg62-turbo | libjpeg-turbo8, libpng16-16 | libpng16-16t64, libwebp7, libgif7, libmicrohttpd12 | libmicrohttpd12t64, libsqlite3-0
Suggests: lua-lpeg, lua-filesystem, lua-cjson, luarocks
Section: interpreters
Priority: optional
Description: scheduler that is driven by Lua scripts
 A Lua 5.4 script decides which operations run, after which others, and how many
 at once; programs, files, digests, images, JSON and HTTP requests are processed
 in parallel. Scripts for lua5.4 run as they are.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -type d -exec chmod 755 {} +

package=$folder/opscript_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
echo "$package"
