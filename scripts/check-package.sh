#!/usr/bin/env bash
# Checks a Debian package of the command: its fields and files; then installs it into a root of its own, runs a job with
# the installed command, and removes it again. `make package` calls it.
#
#   scripts/check-package.sh PACKAGE.deb
#
# Exit status: 0 all is well, 1 otherwise.
set -euo pipefail

package=$(readlink -f "${1:?usage: scripts/check-package.sh PACKAGE.deb}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0
fail() {
    echo "check-package: $*" >&2
    status=1
}

# Fields and files.
field() { dpkg-deb -f "$package" "$1"; }
[ "$(field Package)" = opscript ] || fail "its name is '$(field Package)'"
[ "$(field Architecture)" = "$(dpkg --print-architecture)" ] || fail "its architecture is '$(field Architecture)'"
[[ $(field Version) =~ ^[0-9]+(\.[0-9]+)+ ]] || fail "its version is '$(field Version)'"
[[ $(field Depends) =~ ^libc6\ \(\>=\ [0-9.]+\)$ ]] || fail "it depends on '$(field Depends)'"
[[ $(field Recommends) == *libcurl4* ]] || fail "it recommends '$(field Recommends)', without libcurl4"
dpkg-deb -I "$package" >"$folder/fields"
grep -qE ' control *$' "$folder/fields" || fail "dpkg-deb -I names no control file"
dpkg-deb -c "$package" >"$folder/files"
while read -r mode name; do
    grep -qE "^$mode root/root .* \./$name\$" "$folder/files" || fail "there is no $name with the mode $mode"
done <<'END'
-rwxr-xr-x usr/bin/opscript
-rw-r--r-- usr/share/man/man1/opscript.1.gz
-rw-r--r-- usr/share/bash-completion/completions/opscript
-rw-r--r-- usr/share/zsh/vendor-completions/_opscript
-rw-r--r-- usr/share/fish/vendor_completions.d/opscript.fish
-rw-r--r-- usr/share/doc/opscript/copyright
-rw-r--r-- usr/share/doc/opscript/changelog.gz
-rwxr-xr-x usr/share/doc/opscript/examples/digests.lua
-rw-r--r-- usr/share/doc/opscript/examples/README.md
END
others=$(grep -vE '^d|^-rw[x-]r-[x-]r-[x-] root/root ' "$folder/files" || true)
[ -z "$others" ] || fail "these have other modes or owners: $others"

# Installed into an own root. Without root's rights, fakeroot plays them; without fakeroot, the files are unpacked.
root=$folder/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates"
: >"$root/var/lib/dpkg/status"
: >"$root/var/lib/dpkg/available"
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(fakeroot)
packaged() {
    "${as_root[@]}" dpkg --root="$root" --log=/dev/null --force-depends --force-not-root --force-bad-path "$@" \
        >"$folder/log" 2>&1 || { cat "$folder/log" >&2; fail "dpkg $1 has failed"; }
}
has_dpkg=1
if [ "$(id -u)" -ne 0 ] && ! command -v fakeroot >/dev/null; then
    has_dpkg=
    echo "check-package: without fakeroot, the package is unpacked and not installed"
    dpkg-deb -x "$package" "$root"
else
    packaged -i "$package"
    dpkg --root="$root" -s opscript >"$folder/state"
    grep -q '^Status: install ok installed$' "$folder/state" || fail "dpkg does not list it as installed"
fi

opscript=$root/usr/bin/opscript
cat >"$folder/job.lua" <<'END'
local names = require "names"
local sums = {}
for place, name in ipairs(names) do sums[place] = work.digest.sha256(name) end
OperationQueue.default:addOperations(sums)
OperationQueue.default:waitUntilAllOperationsAreFinished()
local ls = await(work.process.run { "echo", "from a program" })
print(arg[1], #names, #sums[2].result, ls.output)
END
echo 'return { "a", "b" }' >"$folder/names.lua"
expected=$'word\t2\t64\tfrom a program'
[ "$(env -i PATH="$PATH" "$opscript" "$folder/job.lua" word)" = "$expected" ] \
    || fail "the installed command does not run a job"
[ "$("$opscript" --version)" = "opscript $(field Version)" ] || fail "its version is '$("$opscript" --version)'"
examples=$root/usr/share/doc/opscript/examples
"$opscript" "$examples/digests.lua" "$examples/guide" >"$folder/sums" || fail "an installed example does not run"
sha256sum --quiet -c "$folder/sums" || fail "an installed example gives other digests"
gzip -t "$root/usr/share/man/man1/opscript.1.gz" || fail "the manual page is damaged"
bash -n "$root/usr/share/bash-completion/completions/opscript" || fail "the completion of bash is not a script"
(cd "$root" && md5sum --quiet -c <(dpkg-deb --ctrl-tarfile "$package" | tar xO ./md5sums)) \
    || fail "the sums of its files differ"

# Removed again.
if [ -n "$has_dpkg" ]; then
    packaged --purge opscript
    left=$(find "$root" -mindepth 1 -not -path "$root/var*" -not -path "$root/etc*")
    [ -z "$left" ] || fail "it leaves files behind: $left"
    ! grep -q '^Package: opscript$' "$root/var/lib/dpkg/status" || fail "dpkg still lists it after its removal"
fi

[ "$status" -eq 0 ] && echo "check-package: $(basename "$package") ($(stat -c %s "$package") bytes): installed, run and removed"
exit "$status"
