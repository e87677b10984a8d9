// [URL, text] of each visible link; the text is the first that is not empty of: label, content,
// image text, alt, title.
// Runs in the isolated world. Members of `document` are read through the prototype, because named
// elements shadow them.
(origin, maxLinks, maxChars) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const clean = (text) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, maxChars);
  const imageText = (link) => [...link.querySelectorAll('img[alt], [aria-label]')].map(
    (element) => element.getAttribute('aria-label') ?? element.getAttribute('alt')).join(' ');
  const labelText = (link) => (link.getAttribute('aria-labelledby') ?? '').split(/\s+/).map(
    (id) => (id && document.getElementById(id)?.textContent) || '').join(' ');
  const relativeUrl = (link) => {
    const here = own('URL').split('#')[0];
    // In SVG `href` is an animated string.
    const href = link.href.baseVal === undefined
      ? link.href : new URL(link.href.baseVal, here).href;
    if (href.startsWith(here + '#')) return decodeURIComponent(href.slice(here.length));
    return href.startsWith(origin) ? href.slice(origin.length) : href;
  };
  const links = [];
  for (const link of document.querySelectorAll('a[href], area[href], svg a')) {
    if (links.length >= maxLinks) break;
    try {
      if (link.closest('[aria-hidden=true]') || !link.checkVisibility({visibilityProperty: true})) {
        continue;
      }
      const texts = [labelText(link), link.getAttribute('aria-label'),
        link.innerText ?? link.textContent, imageText(link), link.getAttribute('alt'), link.getAttribute('title')];
      links.push([relativeUrl(link), texts.map(clean).find((text) => text) ?? '']);
    } catch { continue; }
  }
  return links;
}
