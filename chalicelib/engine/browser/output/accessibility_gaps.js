(most, longest, mostFound) => {
  const PICTURED = 'img[alt]:not([alt=""]), svg, canvas, [role=img]';
  const MOST_CLASSES = 3;
  const DRAWN = 'path, rect, circle, ellipse, line, polyline, polygon, image, use';
  const hasText = (element) => /\S/.test(element.textContent);
  const within = (element, selector) => element.parentElement?.closest(selector);
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width * box.height > 0 && !element.closest('[aria-hidden=true], [inert]') &&
      element.checkVisibility({visibilityProperty: true, opacityProperty: true});
  };
  const isDrawing = (element) => {
    if (element.localName !== 'svg' || element.hasAttribute('role') || within(element, 'svg, [role=img]')) {
      return false;
    }
    const owner = within(element, 'a, button');
    return element.querySelector(DRAWN) && !(owner && (hasText(owner) || owner.hasAttribute('aria-label')));
  };
  const isFrame = (element) => {
    const source = {iframe: 'src', object: 'data', embed: 'src'}[element.localName];
    return source && element.getAttribute('role') !== 'img' &&
      (element.getAttribute(source) || element.getAttribute('srcdoc'));
  };
  const isGenerated = (style) => {
    if (style.display === 'none' || /\/ ""$/.test(style.content)) return false;
    const content = style.content.replace(/url\("(?:[^"\\]|\\.)*"\)/g, '');
    return /\b(?:counters?|attr)\(|"(?:[^"\\]|\\.)*[\p{L}\p{N}](?:[^"\\]|\\.)*"/u.test(content);
  };
  const path = (element) => {
    const steps = [];
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const classes = [...at.classList].slice(0, MOST_CLASSES).map((name) => '.' + CSS.escape(name)).join('');
      const id = at.getAttribute('id');
      steps.unshift(id ? '#' + CSS.escape(id) : at.localName + classes);
      if (id) break;
    }
    return steps.join(' > ').slice(0, longest);
  };
  const found = new Map();
  const tell = (kind, place) => {
    const known = found.get(kind + place);
    if (known || found.size < mostFound) found.set(kind + place, [kind, place, (known?.[2] ?? 0) + 1]);
  };
  let outer = null;
  for (const element of [...document.querySelectorAll('body *')].slice(0, most)) {
    try {
      if (outer?.contains(element) || !shown(element)) continue;
      const style = getComputedStyle(element);
      if (style.filter !== 'none') {
        outer = element;
        if (hasText(element) || element.matches(PICTURED) || element.querySelector(PICTURED)) {
          tell('filter', path(element));
        }
      } else if (isDrawing(element)) tell('drawing', path(element));
      else if (isFrame(element)) tell('frame', path(element));
      else if (element.localName === 'select') tell('select', path(element));
      for (const part of ['::before', '::after']) {
        if (isGenerated(getComputedStyle(element, part))) tell('generated', path(element) + part);
      }
    } catch { continue; }
  }
  return [...found.values()];
}
