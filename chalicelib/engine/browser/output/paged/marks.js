// Makes the elements of each rule of paged CSS the target of a link, so that a print says where they
// are, and returns them in the order of the document: the number of the rule, the link, and what
// the rule needs to know of the element. `rules` have `kind`, `selectors`, and what the kind needs.
// At most `maximum` elements are marked; `truncated` tells of more.
(rules, maximum, maxChars) => {
  const all = (selectors) => Document.prototype.querySelectorAll.call(document, selectors);
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const create = (name) => Document.prototype.createElement.call(document, name);

  // Controls of a form shadow its members: a control that is named `id` is not an id.
  const idOf = (element) => Element.prototype.getAttribute.call(element, 'id');
  const collapsed = (text) => text.slice(0, maxChars * 4).replace(/\s+/g, ' ').trim();
  const generated = (element, pseudo) => {
    const [, text] = /^"((?:[^"\\]|\\.)*)"$/s.exec(getComputedStyle(element, pseudo).content) ?? [];
    return (text ?? '').replace(/\\(.)/g, '$1');
  };
  const parts = {
    text: (element, text) => text,
    attr: (element, name) => element.getAttribute(name) ?? '',
    content: (element) => collapsed(element.textContent),
    before: (element) => generated(element, '::before'),
    after: (element) => generated(element, '::after'),
    'first-letter': (element) =>
      /^[\p{P}\s]*\P{P}[\p{P}]*/u.exec(collapsed(element.textContent))?.[0] ?? '',
  };
  const isFixed = (element) => {
    for (let box = element; box instanceof Element; box = box.parentNode) {
      if (getComputedStyle(box).position === 'fixed') return true;
    }
    return false;
  };
  const direction = getComputedStyle(own('body') ?? own('documentElement')).direction;
  // Page 1 is a right one, or a left one where text runs to the left.
  const rectos = ['recto', direction === 'rtl' ? 'left' : 'right'];
  const sides = ['left', 'right', 'recto', 'verso'];
  const isShown = (node) => (node instanceof Element ? getComputedStyle(node).display !== 'none'
    : node instanceof Text && /\S/.test(node.data));
  const isFirst = (element) => {
    for (let node = element.previousSibling; node; node = node.previousSibling) {
      if (isShown(node)) return false;
    }
    return true;
  };
  // Blank pages stand between blocks. A break before a first child is one before its parent.
  const begin = (element) => {
    const body = own('body');
    let box = element;
    while (box.parentElement !== body && box.parentElement && isFirst(box)) box = box.parentElement;
    return box;
  };
  const pageName = (element) => {
    for (let box = element; box; box = box.parentElement) {
      const {page} = getComputedStyle(box);
      if (page !== 'auto') return page;
    }
    return '';
  };
  const following = (element) => {
    for (let box = element; box && box !== own('body'); box = box.parentElement) {
      for (let next = box.nextElementSibling; next; next = next.nextElementSibling) {
        if (isShown(next)) return next;
      }
    }
    return null;
  };
  const isBetweenBlocks = (element) => {
    if (element === own('body') || element === own('documentElement')) return false;
    for (let box = element.parentElement; box; box = box.parentElement) {
      const {display, float, position, columnCount} = getComputedStyle(box);
      if (!/^(?:block|flow-root|list-item)$/.test(display) || float !== 'none'
        || /absolute|fixed/.test(position) || columnCount !== 'auto') return false;
    }
    return true;
  };
  // The element that a rule is about, where it is not the one that it matches.
  const subjects = {
    page_name_end: following,
    side_break: (element, {name}) => {
      const isAfter = name.endsWith('after');
      const {breakBefore, breakAfter} = getComputedStyle(element);
      if (!sides.includes(isAfter ? breakAfter : breakBefore)) return null;
      return isAfter ? following(element) : begin(element);
    },
  };
  const details = {
    side_break: (element, {value}) =>
      ({isRecto: rectos.includes(value), isPossible: isBetweenBlocks(element)}),
    running: (element) => ({counts: counting.has(element)}),
    page_name: (element) => ({page: pageName(element)}),
    page_name_end: (element) => ({page: pageName(element)}),
    page_text: (element) => ({isFixed: isFixed(element)}),
    page_counter: (element) => ({isFixed: isFixed(element)}),
    named_string: (element, {strings}) => ({
      margin: parseFloat(getComputedStyle(element).marginTop) || 0,
      strings: strings.map(([name, pieces]) =>
        [name, pieces.map(([part, argument]) => parts[part](element, argument)).join('')
          .slice(0, maxChars + 1)]),
    }),
  };

  const found = [];
  let truncated = false;
  rules.forEach((rule, number) => {
    let elements;
    try { elements = all(rule.selectors.replace(/::?(?:before|after|marker)\b/gi, '')); } catch { return; }
    for (const element of elements) {
      if (found.length === maximum) { truncated = true; return; }
      const subject = subjects[rule.kind] ? subjects[rule.kind](element, rule) : element;
      if (subject) found.push([number, subject]);
    }
  });
  found.sort(([first, a], [second, b]) => a === b ? first - second
    : a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

  // Elements with a page number in them.
  const counting = new Set();
  for (const [number, element] of found) {
    if (rules[number].kind !== 'page_text') continue;
    for (let box = element; box && !counting.has(box); box = box.parentElement) counting.add(box);
  }

  const named = [], links = create('platen-links');
  for (const [, element] of found) {
    if (idOf(element)) continue;
    Element.prototype.setAttribute.call(element, 'id', `platen-${named.length}`);
    named.push(element);
  }
  for (const id of new Set(found.map(([, element]) => idOf(element)))) {
    const link = create('a');
    link.setAttribute('href', `#${encodeURIComponent(id)}`);
    links.append(link);
  }
  (own('head') ?? own('documentElement')).append(links);
  globalThis.platenMarks = {named, links, elements: found.map(([, element]) => element)};
  return {truncated, isRtl: direction === 'rtl', marks: found.map(([number, element]) => [
    number, idOf(element), details[rules[number].kind]?.(element, rules[number]) ?? {},
  ])};
}
