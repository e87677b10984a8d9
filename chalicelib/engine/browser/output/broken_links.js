// Broken links that are printed: kind, URL as it is written, and text, once for each URL. Runs in the
// isolated world. Members of `document` are read through the prototype, because named elements shadow
// them. broken_links.py puts in what tells the fault of a link.
(maxFound, maxText, maxUrl) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const faultOf = FAULT_OF;
  const MAX_LINKS = 20000;
  const clean = (text) => (text ?? '').replace(/\s+/g, ' ').trim();
  const cut = (text, size) => text.length > size ? `${text.slice(0, size)}…` : text;
  const textOf = (link) => clean(link.textContent) || clean(link.getAttribute('aria-label'))
    || clean(link.querySelector('img[alt]')?.getAttribute('alt') ?? link.getAttribute('alt'));
  const found = new Map();
  for (const link of [...own('links')].slice(0, MAX_LINKS)) {
    const kind = faultOf(link);
    if (!kind || !link.checkVisibility({visibilityProperty: true})) continue;
    const url = clean(link.getAttribute('href')).slice(0, maxUrl);
    if (!found.has(url)) found.set(url, [kind, url, cut(textOf(link), maxText)]);
    if (found.size === maxFound) break;
  }
  return [...found.values()];
}
