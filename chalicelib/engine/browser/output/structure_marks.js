// Gives `dl`, its parts and `math` the role and the name of a picture. Returns kind and text of each, in
// the order of the numbers in their names. Runs in the isolated world; `platenUnmarkStructure` undoes
// it. What has a role of its own keeps it. Members of `document` are read through the prototype,
// because named elements shadow them.
(prefix, maxMarks, maxChars) => {
  const PARTS = ':scope > dt, :scope > dd, :scope > div > dt, :scope > div > dd';
  const MAX_DEPTH = 50;
  const own = (selector) => [...Document.prototype.querySelectorAll.call(document, selector)];
  const marks = [], undo = [];
  const mark = (element, kind, text = '') => {
    const attributes = {role: 'img', 'aria-label': prefix + marks.length};
    for (const [name, value] of Object.entries(attributes)) {
      const before = element.getAttribute(name);
      undo.push(() => before === null ? element.removeAttribute(name)
        : element.setAttribute(name, before));
      element.setAttribute(name, value);
    }
    marks.push([kind, text]);
  };

  // A formula in one line, as it is read: (a + b)/2, x^2, √(x).
  const cut = (text) => text.slice(0, maxChars);
  const WHOLE = /^[\p{L}\p{N}.,]*$|^.$|^√?(?:\[[^\]]*\])?\([^()]*\)$/u;
  const group = (text) => WHOLE.test(text) ? text : `(${text})`;
  const SCRIPTS = {msub: '_', munder: '_', msup: '^', mover: '^'};
  const read = (node, depth) => {
    const kids = [...node.children];
    if (depth > MAX_DEPTH || !kids.length) return cut(node.textContent.replace(/\s+/g, ' ').trim());
    const parts = kids.map((kid) => read(kid, depth + 1));
    const [first = '', second = '', third = ''] = parts.map(group);
    switch (node.localName) {
      case 'mfrac': return cut(`${first}/${second}`);
      case 'msub': case 'munder': case 'msup': case 'mover':
        return cut(`${first}${SCRIPTS[node.localName]}${second}`);
      case 'msubsup': case 'munderover': return cut(`${first}_${second}^${third}`);
      case 'msqrt': return cut(`√(${parts.join(' ')})`);
      case 'mroot': return cut(`√[${second}]${first}`);
      case 'mtable': return cut(`[${parts.join('; ')}]`);
      case 'mtr': case 'mlabeledtr': return cut(parts.join(', '));
      case 'semantics': return parts[0];
      default: return cut(parts.filter((text) => text).join(' '));
    }
  };
  const textOf = (math) => {
    const given = math.getAttribute('alttext') || math.getAttribute('aria-label')
      || math.querySelector('annotation[encoding="application/x-tex"]')?.textContent;
    return cut((given ?? '').replace(/\s+/g, ' ').trim()) || read(math, 0);
  };

  for (const list of own('dl:not([role])')) {
    const parts = [...list.querySelectorAll(PARTS)];
    const wrappers = new Set(parts.map((part) => part.parentElement));
    wrappers.delete(list);
    const elements = [...wrappers, ...parts];
    if (!parts.length || elements.some((element) => element.hasAttribute('role'))) continue;
    if (marks.length + elements.length + 1 > maxMarks) break;
    mark(list, 'list');
    for (const wrapper of wrappers) mark(wrapper, 'item');
    for (const part of parts) mark(part, part.localName === 'dt' ? 'label' : 'body');
  }
  for (const math of own('math:not([role])')) {
    if (marks.length === maxMarks) break;
    const text = textOf(math);
    if (text) mark(math, 'formula', text);
  }
  globalThis.platenUnmarkStructure = () => { undo.splice(0).reverse().forEach((step) => step()); };
  return marks;
}
