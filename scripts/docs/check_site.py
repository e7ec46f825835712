"""Checks the site in a real browser: check_site.py SITE BROWSER.

Every page is opened: no message of an error, no request to another host, every link inside of the site leads to a page and a place that exist, pictures are
shown, a narrow screen does not scroll sideways, and dark mode is dark. The search finds pages, over HTTP and in files.
"""

import functools
import http.server
import os
import sys
import threading
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urlsplit

from browser import Browser

site, program = os.path.abspath(sys.argv[1]), sys.argv[2]
NARROW = 360
complaints = []


class Ids(HTMLParser):
    """The places of a page to which a link can lead."""

    def __init__(self):
        super().__init__()
        self.ids = set()

    def handle_starttag(self, tag, attributes):
        self.ids.update(value for name, value in attributes if name in ("id", "name") and value)


@functools.cache
def ids(path):
    with open(path, encoding="utf-8") as file:
        parser = Ids()
        parser.feed(file.read())
    return parser.ids


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def complain(page, text):
    complaints.append(f"{page}: {text}")


def check_link(page, origin, link):
    url, place = urldefrag(link)
    if not url.startswith(origin + "/"):
        return
    path = site + unquote(urlsplit(url).path)
    if os.path.isdir(path):
        path = os.path.join(path, "index.html")
    if not os.path.isfile(path):
        complain(page, f"a link leads to {url}, which does not exist")
    elif place and path.endswith(".html") and not is_reference(url) and unquote(place) not in ids(path):
        complain(page, f"a link leads to {link}, and this place does not exist")


def is_reference(url):
    return "/reference/" in url


LINKS = "[...document.querySelectorAll('a[href]')].map(a => a.href)"
BROKEN_PICTURES = "[...document.images].filter(i => i.complete && i.naturalWidth === 0 && i.loading !== 'lazy').map(i => i.src)"
LUMINANCE = """(() => {
    const light = colour => { const c = colour.match(/[\\d.]+/g).map(Number); return (0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]) / 255; };
    const page = document.querySelector('.content, #app, main') || document.body;
    let element = page, background = 'rgba(0, 0, 0, 0)';
    while (element && /^rgba.*, 0\\)$/.test(background)) { background = getComputedStyle(element).backgroundColor; element = element.parentElement; }
    if (/^rgba.*, 0\\)$/.test(background)) {
        const probe = document.createElement('i');
        probe.style.backgroundColor = 'Canvas';
        document.documentElement.append(probe);
        background = getComputedStyle(probe).backgroundColor;
        probe.remove();
    }
    return [light(background), light(getComputedStyle(page).color)];
})()"""

# The page, and what is in it outside of code and tables, which scroll by themselves.
WIDE = f"""[[document.documentElement.scrollWidth, 'the page'],
    ...[...document.querySelectorAll('article *')].filter(e => !e.closest('pre, table, .highlight')).slice(0, 5000)
        .map(e => [Math.round(e.getBoundingClientRect().right), e.outerHTML.slice(0, 80)])].filter(([right]) => right > {NARROW}).slice(0, 3)"""


def check_page(browser, origin, name):
    browser.resize(1280)
    browser.prefer("light")
    browser.open(f"{origin}/{name}")
    if is_reference("/" + name) and not browser.wait_for("document.querySelector('h1') && document.querySelector('h1').textContent"):
        complain(name, "DocC's page does not show a title")
    for link in set(browser.evaluate(LINKS)):
        check_link(name, origin, link)
    for picture in browser.evaluate(BROKEN_PICTURES):
        complain(name, f"the picture {picture} is not shown")
    background, text = browser.evaluate(LUMINANCE)
    if not background > 0.8 > 0.5 > text:
        complain(name, f"light mode: background {background:.2f}, text {text:.2f}")
    browser.prefer("dark")
    background, text = browser.evaluate(LUMINANCE)
    if not background < 0.2 < 0.5 < text:
        complain(name, f"dark mode: background {background:.2f}, text {text:.2f}")
    browser.resize(NARROW)
    # A page of a run is OpScript's own, and the site shows it as it is.
    if not name.startswith("docs/pictures/"):
        for width, what in browser.evaluate(WIDE):
            complain(name, f"on a screen of {NARROW} points, {what} reaches to {width}")
    check_quiet(browser, origin, name)


def check_quiet(browser, origin, name):
    for request in browser.requests:
        if not request.startswith((origin, "data:", "blob:", "about:")):
            complain(name, f"it requests {request}")
    for complaint in browser.complaints:
        complain(name, complaint)


def check_search(browser, origin, words, page):
    browser.resize(1280)
    browser.open(f"{origin}/search.html?q={words}")
    browser.wait_for("/finished|did not match/.test(document.querySelector('#search-results').textContent)")
    found = browser.evaluate("[...document.querySelectorAll('#search-results li a')].map(a => a.href)")
    if not found or not any(page in link for link in found):
        complain(f"search of '{words}' in {origin}", f"it does not find {page}, but {found}")
    check_quiet(browser, origin, f"search of '{words}'")


def main():
    names = sorted(
        os.path.relpath(os.path.join(folder, file), site)
        for folder, _, files in os.walk(site) for file in files if file.endswith(".html")
    )
    reference = [name for name in names if name.startswith("reference/")]
    pages = [name for name in names if not name.startswith(("reference/", "_static/", "_downloads/"))]
    # Of the reference: the first page of each module, the articles, the tutorial. All its pages have the same frame.
    modules = [name for name in reference if name.startswith("reference/documentation/") and name.count("/") == 3]
    tutorials = [name for name in reference if "/tutorials/" in name and name.endswith("firstscript/index.html")]
    browser = Browser(program)
    try:
        origin = serve()
        # DocC's pages know themselves by their folder.
        for name in pages + [name.removesuffix("index.html") for name in modules + tutorials]:
            check_page(browser, origin, name)
        for start in (origin, "file://" + site):
            check_search(browser, start, "retry", "/docs/")
            check_search(browser, start, "critical+path", "/docs/seeing-a-run")
            check_search(browser, start, "prefaulted", "/docs/decisions/0023")
        browser.open(f"file://{site}/index.html")
        check_quiet(browser, "file://", "index.html as a file")
    finally:
        browser.close()
    for complaint in complaints:
        print(complaint)
    print(f"{len(pages)} pages, {len(modules) + len(tutorials)} of {len(reference)} pages of the reference: "
          + (f"{len(complaints)} complaints" if complaints else "all is well"))
    return 1 if complaints or not pages else 0


sys.exit(main())
