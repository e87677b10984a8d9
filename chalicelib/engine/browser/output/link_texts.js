(origin, most, longest) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const clean = (text) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, longest);
  const pictured = (link) => [...link.querySelectorAll('img[alt], [aria-label]')].map(
    (each) => each.getAttribute('aria-label') ?? each.getAttribute('alt')).join(' ');
  const named = (link) => (link.getAttribute('aria-labelledby') ?? '').split(/\s+/).map(
    (id) => (id && document.getElementById(id)?.textContent) || '').join(' ');
  const address = (link) => {
    const here = own('URL').split('#')[0];
    const href = link.href.baseVal === undefined ? link.href : new URL(link.href.baseVal, here).href;
    if (href.startsWith(here + '#')) return decodeURIComponent(href.slice(here.length));
    return href.startsWith(origin) ? href.slice(origin.length) : href;
  };
  const links = [];
  for (const link of document.querySelectorAll('a[href], area[href], svg a')) {
    if (links.length >= most) break;
    try {
      if (link.closest('[aria-hidden=true]') || !link.checkVisibility({visibilityProperty: true})) {
        continue;
      }
      const texts = [named(link), link.getAttribute('aria-label'), link.innerText ?? link.textContent,
        pictured(link), link.getAttribute('alt'), link.getAttribute('title')];
      links.push([address(link), texts.map(clean).find((text) => text) ?? '']);
    } catch { continue; }
  }
  return links;
}
