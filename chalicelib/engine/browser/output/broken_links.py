"""Links of a page that lead nowhere in its PDF: to an id that is not there, or to a relative URL.

A document that came as text has no address, so a relative URL without a `base` leads nowhere.
"""

from functools import cache
from pathlib import Path
from typing import Final, Literal

from chalicelib.core.errors import RenderFailure
from chalicelib.core.redact_url import redacted_url
from chalicelib.core.text import cut_text
from chalicelib.engine.browser.chromium.protocol import PageFunction
from chalicelib.engine.browser.tab.tab import Tab
from chalicelib.engine.context import RenderWarning

MAX_WARNINGS: Final = 20
MAX_TEXT_CHARS: Final = 80
MAX_URL_CHARS: Final = 200
# What is redacted is whole: a cut before the @ would show a password.
_MAX_READ_CHARS: Final = 10_000
type _Kind = Literal["missing", "relative"]
_ADVICE: Final[dict[_Kind, str]] = {
    "missing": "no element has this id or name, so the PDF has no link there. Give its target the "
    "id, or take the link out",
    "relative": "the URL is relative and the document has no base, so in the PDF it leads nowhere. "
    'Write the whole URL, or give the document a <base href="…">',
}
# Expression for a script that defines `own`, a reader of document members through the prototype.
# Returns a function of a link that returns the kind of its fault; nothing for a sound one. Whole
# URLs, which most links have, are not resolved.
_FAULT_OF: Final = """(() => {
  const here = own('URL').split('#')[0];
  const origin = here.match(/^https:\\/\\/[0-9a-f]+\\.document\\.invalid(?=\\/)/)?.[0];
  const all = (selector) => Document.prototype.querySelectorAll.call(document, selector);
  const hasBase = all('base[href]').length > 0;
  let names = null;
  const hasTarget = (name) => {
    if (Document.prototype.getElementById.call(document, name)) return true;
    names ??= new Set([...all('a[name]')].map((anchor) => anchor.getAttribute('name')));
    return names.has(name);
  };
  const isMissing = (fragment) => {
    const name = fragment.split(':~:')[0];
    if (!name || /^top$/i.test(name) || hasTarget(name)) return false;
    try { return !hasTarget(decodeURIComponent(name)); } catch { return true; }
  };
  return (link) => {
    const written = link.getAttribute('href').trim();
    if (!written || (/^[a-z][a-z0-9+.-]*:/i.test(written) && !written.startsWith(here))) return '';
    if (written[0] !== '#' && !origin && !written.includes('#')) return '';
    const url = written[0] === '#' && !hasBase ? here + written : link.href;
    if (url.startsWith(`${here}#`)) return isMissing(url.slice(here.length + 1)) ? 'missing' : '';
    return origin && url.startsWith(`${origin}/`) && url.split('#')[0] !== here ? 'relative' : '';
  };
})()"""
# Expression for the same script: whether there is a broken link among the first 20 000 links.
HAS_BROKEN_LINK: Final = f"""(() => {{
  const faultOf = {_FAULT_OF};
  const links = own('links');
  for (let place = 0; place < Math.min(links.length, 20000); place++) {{
    if (faultOf(links[place])) return true;
  }}
  return false;
}})()"""


def broken_link_warnings(tab: Tab) -> list[RenderWarning]:
    """Return a warning for each broken link that is printed, at most 20.

    The media type is that of print already. Raises RenderFailure `render_timeout`.
    """
    called = tab.call_function(_script(), MAX_WARNINGS, MAX_TEXT_CHARS, _MAX_READ_CHARS)
    try:
        broken = tab.outcome(called)["result"].get("value") or []
    except RenderFailure as failure:
        # The document is printed already; a missing warning must not fail it.
        if failure.code != "render_failed":
            raise
        return []
    return [
        _warning(kind, cut_text(redacted_url(url), MAX_URL_CHARS), text)
        for kind, url, text in broken
    ]


def _warning(kind: _Kind, url: str, text: str) -> RenderWarning:
    link = f"the link “{text}”" if text else "a link without a text"
    return RenderWarning("link_broken", f"{url}, of {link}: {_ADVICE[kind]}.", url)


@cache
def _script() -> PageFunction[list[tuple[_Kind, str, str]] | None]:
    text = Path(__file__).with_name("broken_links.js").read_text()
    return PageFunction(text.replace("FAULT_OF", _FAULT_OF))
