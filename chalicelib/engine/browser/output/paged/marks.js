// Makes the elements of each rule of paged CSS the target of a link, so that a print says where they
// are, and returns them in the order of the document: the number of the rule, the link, and what
// the rule needs to know of the element. `rules` have `kind`, `selectors`, and what the kind needs.
// At most `maximum` elements are marked; `truncated` tells of more.
(rules, maximum, maxChars) => {
  const all = (selectors) => Document.prototype.querySelectorAll.call(document, selectors);
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const create = (name) => Document.prototype.createElement.call(document, name);

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
  const details = {
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
      found.push([number, element]);
    }
  });
  found.sort(([first, a], [second, b]) => a === b ? first - second
    : a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1);

  const named = [], links = create('platen-links');
  for (const [, element] of found) {
    if (element.id) continue;
    element.id = `platen-${named.length}`;
    named.push(element);
  }
  for (const id of new Set(found.map(([, element]) => element.id))) {
    const link = create('a');
    link.setAttribute('href', `#${encodeURIComponent(id)}`);
    links.append(link);
  }
  (own('head') ?? own('documentElement')).append(links);
  globalThis.platenMarks = {named, links, elements: found.map(([, element]) => element)};
  return {truncated, marks: found.map(([number, element]) => [
    number, element.id, details[rules[number].kind]?.(element, rules[number]) ?? {},
  ])};
}
