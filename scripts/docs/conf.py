# The configuration of Sphinx for the site: see scripts/docs/build-site.sh.
project = "OpScript"
author = "the OpScript project"
html_title = "OpScript"
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = []
source_suffix = {".md": "markdown"}

# The pages are CommonMark with tables, as code hosts show them.
myst_heading_anchors = 4
myst_enable_extensions = []
# The highlighter does not know all of Swift's strings, and takes a block that it does not understand as text.
suppress_warnings = ["misc.highlighting_failure"]

# Code blocks: a transcript is not highlighted.
highlight_language = "text"
pygments_style = "tango"
pygments_dark_style = "monokai"

html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_show_sphinx = False
html_theme_options = {
    # The fonts of the system: nothing is fetched.
    "light_css_variables": {
        "font-stack": "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
        "font-stack--monospace": "ui-monospace, 'DejaVu Sans Mono', monospace",
    },
}
html_static_path = ["_static"]
html_favicon = "favicon.ico"
# Also where browsers look by themselves.
html_extra_path = ["favicon.ico"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
