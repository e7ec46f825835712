#!/bin/bash
# Checks the site that `make docs` has built, in a real browser: links, search, a narrow screen, dark mode, errors, requests to other hosts.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -f .build/site/index.html ] || { echo "there is no site: run make docs first" >&2; exit 2; }
for browser in "${BROWSER_PROGRAM:-}" chromium chromium-browser google-chrome; do
    [ -n "$browser" ] && command -v "$browser" >/dev/null && break
    browser=
done
[ -n "$browser" ] || { echo "no browser: install chromium, or set BROWSER_PROGRAM" >&2; exit 2; }
PYTHONDONTWRITEBYTECODE=1 python3 scripts/docs/check_site.py .build/site "$(command -v "$browser")"
