"""Gathers the pages of the site in one folder: stage.py ROOT TARGET.

The pages keep their places relative to each other, so their links stay as they are. README.md becomes index.md. A link to a file that is not a page
becomes a download of it; a link to the catalogue of DocC leads to the reference.
"""

import os
import re
import shutil
import struct
import sys
import zlib
from pathlib import Path

root, target = Path(sys.argv[1]).resolve(), Path(sys.argv[2])

# The order of the sidebar. Pages that exist are shown; a page that is in no section is an error of Sphinx.
SECTIONS = [
    ("Scripts", ["docs/manual/README.md", "docs/coming-from/README.md", "docs/seeing-a-run.md", "docs/scenarios.md",
                 "docs/exploring.md", "docs/testing-scripts.md", "docs/testing-assertions.md", "docs/testing-command.md", "docs/testing-busted.md",
                 "docs/contract.md", "scripts/examples/README.md", "scripts/examples/guide/README.md"]),
    ("Programs", ["docs/embedding-tutorial.md", "docs/embedding.md", "docs/server.md", "docs/native-queues.md", "docs/Examples/README.md",
                  "Sources/Scheduling/README.md", "reference"]),
    ("The project", ["docs/performance.md", "scripts/bench/last-measurement.md", "docs/architecture.md", "docs/architecture-scheduler.md",
                     "docs/architecture-engine.md", "docs/glossary.md", "docs/decisions/README.md", "CONTRIBUTING.md", "CHANGELOG.md",
                     "scripts/bench/README.md", "docs/pictures/README.md", "Tests/OpScriptTests/Scripts/README.md"]),
]

LINK = re.compile(r"(\]\()([^)#\s:]+)(#[^)\s]*)?(\))")


def pages():
    """All pages: those of docs, and those of other folders that the sidebar names."""
    found = {str(path.relative_to(root)) for path in (root / "docs").rglob("*.md") if ".build" not in path.parts}
    found.update(name for _, names in SECTIONS for name in names if name.endswith(".md"))
    found.add("README.md")
    return sorted(name for name in found if (root / name).exists())


def toctree(names, caption=None, hidden=True):
    lines = ["```{toctree}"] + ([":caption: " + caption] if caption else []) + ([":hidden:"] if hidden else [])
    return "\n".join(lines + [""] + names + ["```", ""])


def entry(name, page):
    return os.path.relpath(name.removesuffix(".md"), os.path.dirname(page) or ".")


def children(page, all_pages):
    """The pages of a folder, below its index: in the order of the index, then those that it does not link to."""
    folder = os.path.dirname(page)
    named = {name for _, names in SECTIONS for name in names}
    below = [name for name in all_pages if os.path.dirname(name) == folder and name != page and name not in named]
    indices = [name for name in all_pages if os.path.dirname(os.path.dirname(name)) == folder and name.endswith("/README.md") and name not in named]
    links = [os.path.normpath(os.path.join(folder, match.group(2))) for match in LINK.finditer((root / page).read_text())]
    return sorted(below + indices, key=lambda name: (links.index(name) if name in links else len(links), name))


def resolved(page, link, anchor):
    """Where a link leads in the site."""
    path = os.path.normpath(os.path.join(os.path.dirname(page), link))
    if path.startswith("Sources/OpScript/OpScript.docc"):
        return os.path.relpath("reference.md", os.path.dirname(page) or "."), ""
    if path == "README.md":
        return os.path.relpath("index.md", os.path.dirname(page) or "."), anchor
    source = root / path
    if source.is_dir():
        if (source / "README.md").exists():
            return os.path.relpath(path + "/README.md", os.path.dirname(page) or "."), anchor
        raise SystemExit(f"{page} links to the folder {path}, which has no README.md")
    if not source.exists():
        raise SystemExit(f"{page} links to {path}, which does not exist")
    if path in known:
        return link, anchor
    if path.endswith(".md"):
        raise SystemExit(f"{page} links to {path}, which is not a page of the site: add it to SECTIONS in scripts/docs/stage.py")
    (target / path).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target / path)
    return link, ""


known = set(pages())
if target.exists():
    shutil.rmtree(target)

for page in sorted(known):
    text = (root / page).read_text()
    parts = re.split(r"(?ms)^(```.*?^```$)", text)
    for index in range(0, len(parts), 2):
        def replace(match):
            link, anchor = resolved(page, match.group(2), match.group(3) or "")
            return match.group(1) + link + anchor + match.group(4)
        parts[index] = LINK.sub(replace, parts[index])
    text = "".join(parts)
    if page == "README.md":
        existing = [(caption, [name for name in names if name in known or name == "reference"]) for caption, names in SECTIONS]
        text += "\n" + "\n".join(toctree([entry(name, page) for name in names], caption) for caption, names in existing)
        page = "index.md"
    elif page.endswith("/README.md"):
        below = children(page, known)
        if below:
            text += "\n" + toctree([entry(name, page) for name in below])
    (target / page).parent.mkdir(parents=True, exist_ok=True)
    (target / page).write_text(text)



def icon(side=32):
    """A picture in PNG for the browser's tab: three operations, the last one after the two others."""
    def colour(x, y):
        dots = ((8, 8), (8, 24), (24, 16))
        return b"\x2e\x6b\x34\xff" if any((x - a) ** 2 + (y - b) ** 2 < 40 for a, b in dots) else b"\0\0\0\0"
    rows = b"".join(b"\0" + b"".join(colour(x, y) for x in range(side)) for y in range(side))
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


(target / "favicon.ico").write_bytes(icon())
shutil.copytree(root / "docs/pictures", target / "docs/pictures", dirs_exist_ok=True, ignore=shutil.ignore_patterns("README.md"))
MODULES = {
    "OpScript": "the engine that a host embeds, with a tutorial and an article for each part",
    "Scheduling": "the scheduler alone, without Lua",
    "OpScriptFoundation": "native queues, Foundation's types",
    "OpScriptTesting": "scenarios in Swift tests, virtual time",
    "OpScriptRecord": "the record of a run",
    "OpScriptWorks": "the works of the command",
    "OpScriptCLI": "the command as a library",
}
# In HTML, since these pages are DocC's and Sphinx does not know them.
ITEMS = "\n".join(
    f'<li><a href="reference/documentation/{name.lower()}/">{name}</a>: {what}.</li>' for name, what in MODULES.items()
)
(target / "reference.md").write_text(
    f"""# Swift reference

DocC made this reference from the comments of the sources:

<ul>
{ITEMS}
</ul>

DocC's pages need a web server, for example `python3 -m http.server --directory .build/site`. You can open all other pages as files.
"""
)
