#!/bin/bash
# Builds the site of all pages: build-site.sh [--no-reference]. The result is in .build/site.
#
# Sphinx is installed into .build/docs-venv with the versions of requirements.txt. DocC comes with Swift; it reads the modules that `swift build` has
# made. HOSTING_PATH is the path of the site on its server (default: /), which only DocC's pages need.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/.build
venv=$build/docs-venv
hosting=${HOSTING_PATH:-/}
modules=(OpScript Scheduling OpScriptRecord OpScriptFoundation OpScriptTesting OpScriptWorks OpScriptCLI)

if ! cmp -s scripts/docs/requirements.txt "$venv/requirements.txt"; then
    echo "installing the site's generator into .build/docs-venv"
    rm -rf "$venv"
    python3 -m venv "$venv" 2>/dev/null || { scripts/install-dependencies.sh python3 python3-venv && python3 -m venv "$venv"; }
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r scripts/docs/requirements.txt
    cp scripts/docs/requirements.txt "$venv/requirements.txt"
fi

"$venv/bin/python" scripts/docs/stage.py . "$build/docs-source"
mkdir -p "$build/docs-source/_static"
cp scripts/docs/conf.py "$build/docs-source/"
cp scripts/docs/site.css scripts/docs/site.js "$build/docs-source/_static/"
rm -rf "$build/site"
"$venv/bin/sphinx-build" -W --keep-going -q -E -b html -d "$build/docs-trees" "$build/docs-source" "$build/site"
cp -r docs/pictures "$build/site/docs/"
rm -f "$build/site/docs/pictures/README.md" "$build/site/objects.inv" "$build/site/.buildinfo"

[ "${1:-}" = --no-reference ] && { echo "built .build/site without the Swift reference"; exit 0; }

command -v docc >/dev/null || { echo "docc is not in the PATH: it comes with Swift" >&2; exit 1; }
products=$(swift build --show-bin-path)
triple=$(swift -print-target-info | "$venv/bin/python" -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')
work=$build/docs-reference
rm -rf "$work"
mkdir -p "$work"
# The C modules that the modules below import: ours, and those of packages.
c_modules=(-I CLua/include -Xcc -fmodule-map-file=Sources/CLinux/module.modulemap)
for map in "$products"/*.build/module.modulemap "$build"/checkouts/*/Sources/*/include/module.modulemap; do
    c_modules+=(-Xcc "-fmodule-map-file=$map")
done
for module in "${modules[@]}"; do
    [ -e "$products/Modules/$module.swiftmodule" ] || { echo "$module is not built: run swift build --build-tests" >&2; exit 1; }
    mkdir -p "$work/$module.graphs"
    swift symbolgraph-extract -module-name "$module" -minimum-access-level public -skip-synthesized-members \
        -emit-extension-block-symbols \
        -target "$triple" -I "$products/Modules" "${c_modules[@]}" -output-dir "$work/$module.graphs"
    catalogue=()
    [ -d "Sources/$module/$module.docc" ] && catalogue=("Sources/$module/$module.docc")
    docc convert "${catalogue[@]}" --additional-symbol-graph-dir "$work/$module.graphs" --output-path "$work/$module.doccarchive" \
        --fallback-display-name "$module" --fallback-bundle-identifier "opscript.$module" --transform-for-static-hosting >"$work/$module.log" 2>&1 ||
        { cat "$work/$module.log" >&2; exit 1; }
done
docc merge "$work"/*.doccarchive --output-path "$work/all.doccarchive" --synthesized-landing-page-name OpScript
docc process-archive transform-for-static-hosting "$work/all.doccarchive" --output-path "$build/site/reference" \
    --hosting-base-path "${hosting%/}/reference"
# DocC's pages ask for it in any case.
echo '{}' >"$build/site/reference/theme-settings.json"
echo "built .build/site: open index.html, or run python3 -m http.server --directory .build/site"
