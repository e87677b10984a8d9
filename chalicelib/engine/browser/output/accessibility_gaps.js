// Visible content that Chromium prints without a tag: [kind, CSS selector, count] for each gap.
// Runs in the isolated world.
(maxElements, maxSelectorChars, maxGaps) => {
  const TEXT_ALTERNATIVE = 'img[alt]:not([alt=""]), svg, canvas, [role=img]';
  const MAX_CLASSES = 3;
  const SHAPES = 'path, rect, circle, ellipse, line, polyline, polygon, image, use';
  const hasText = (element) => /\S/.test(element.textContent);
  const ancestor = (element, selector) => element.parentElement?.closest(selector);
  const isShown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width * box.height > 0 && !element.closest('[aria-hidden=true], [inert]') &&
      element.checkVisibility({visibilityProperty: true, opacityProperty: true});
  };
  const isDrawing = (element) => {
    if (element.localName !== 'svg' || element.hasAttribute('role') ||
        ancestor(element, 'svg, [role=img]')) {
      return false;
    }
    // An icon in a link or button with a text of its own is decoration.
    const owner = ancestor(element, 'a, button');
    return element.querySelector(SHAPES) &&
      !(owner && (hasText(owner) || owner.hasAttribute('aria-label')));
  };
  const isFrame = (element) => {
    const source = {iframe: 'src', object: 'data', embed: 'src'}[element.localName];
    return source && element.getAttribute('role') !== 'img' &&
      (element.getAttribute(source) || element.getAttribute('srcdoc'));
  };
  const isGenerated = (style) => {
    // `content: "*" / ""` declares an empty alternative text (CSS Content 3).
    if (style.display === 'none' || /\/ ""$/.test(style.content)) return false;
    const content = style.content.replace(/url\("(?:[^"\\]|\\.)*"\)/g, '');
    return /\b(?:counters?|attr)\(|"(?:[^"\\]|\\.)*[\p{L}\p{N}](?:[^"\\]|\\.)*"/u.test(content);
  };
  const selectorOf = (element) => {
    const steps = [];
    for (let step = element; step && step !== document.body; step = step.parentElement) {
      const classes = [...step.classList].slice(0, MAX_CLASSES)
        .map((name) => '.' + CSS.escape(name)).join('');
      const id = step.getAttribute('id');
      steps.unshift(id ? '#' + CSS.escape(id) : step.localName + classes);
      if (id) break;
    }
    return steps.join(' > ').slice(0, maxSelectorChars);
  };
  const gaps = new Map();
  const addGap = (kind, selector) => {
    const known = gaps.get(kind + selector);
    if (known || gaps.size < maxGaps) {
      gaps.set(kind + selector, [kind, selector, (known?.[2] ?? 0) + 1]);
    }
  };
  // The last element with a filter: its content is printed as one picture, so it is not inspected.
  let filtered = null;
  for (const element of [...document.querySelectorAll('body *')].slice(0, maxElements)) {
    try {
      if (filtered?.contains(element) || !isShown(element)) continue;
      const style = getComputedStyle(element);
      if (style.filter !== 'none') {
        filtered = element;
        if (hasText(element) || element.matches(TEXT_ALTERNATIVE) ||
            element.querySelector(TEXT_ALTERNATIVE)) {
          addGap('filter', selectorOf(element));
        }
      } else if (isDrawing(element)) addGap('drawing', selectorOf(element));
      else if (isFrame(element)) addGap('frame', selectorOf(element));
      else if (element.localName === 'select') addGap('select', selectorOf(element));
      for (const part of ['::before', '::after']) {
        if (isGenerated(getComputedStyle(element, part))) {
          addGap('generated', selectorOf(element) + part);
        }
      }
    } catch {
      // Named controls of a form shadow its methods.
      continue;
    }
  }
  return [...gaps.values()];
}
