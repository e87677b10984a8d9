// Called in a world of ours; returns {html}, {characters} of what is too long, or {}.
//
// Members of a document are read through the prototype: names in the document stand before them.
// The Sanitizer takes scripts, event handlers, `javascript:` addresses, frames and plug-ins away,
// and with them two things that documents need: the base of relative addresses, and `use`. They
// are brought back where they run nothing.
(origin, scripted, most) => {
  const SVG = 'http://www.w3.org/2000/svg';
  const STANDIN = 'platen-use';

  const root = (tree) => Reflect.get(Document.prototype, 'documentElement', tree);
  const shadowOf = (element) => Reflect.get(Element.prototype, 'shadowRoot', element);
  const each = (tree, selector, change) => root(tree).querySelectorAll(selector).forEach(change);

  // The document is shown on while it is written, so it is copied; a copy in a document without a
  // window runs nothing.
  const copied = () => {
    const tree = Reflect.get(Document.prototype, 'implementation', document).createHTMLDocument();
    const copy = tree.importNode(root(document), true);
    root(tree).replaceWith(copy);
    complete(tree, root(document), copy);
    if (scripted) {
      each(tree, 'noscript', (element) => element.remove());
    }
    return tree;
  };

  // Shadows, and styles that scripts have put in, stand in no markup.
  const complete = (tree, original, copy) => {
    const copies = copy.querySelectorAll('*');
    original.querySelectorAll('*').forEach((element, n) => {
      const shadow = shadowOf(element);
      if (shadow) {
        const other = shadowOf(copies[n]) ?? copies[n].attachShadow({mode: 'open'});
        other.replaceChildren(...[...shadow.childNodes].map((node) => tree.importNode(node, true)));
        complete(tree, shadow, other);
      } else if (element.localName === 'style' && element.sheet && !element.textContent.trim()) {
        copies[n].textContent = [...element.sheet.cssRules].map((rule) => rule.cssText).join('\n');
      }
    });
  };

  const written = (tree) => {
    const [open, close] = root(tree).cloneNode(false).outerHTML.split(/(?=<\/[^<]*$)/);
    return open + root(tree).getHTML({shadowRoots: shadows(root(tree))}) + close;
  };

  const shadows = (place) => [...place.querySelectorAll('*')].flatMap((element) => {
    const shadow = shadowOf(element);
    return shadow ? [shadow, ...shadows(shadow)] : [];
  });

  const cleaned = (text) => {
    const kept = {sanitizer: {comments: true}};
    const tree = Document.parseHTMLUnsafe(doctype + text, kept);
    const base = root(tree).querySelector('base[href]')?.getAttribute('href') ?? '';
    each(tree, 'svg use', (element) => isLocal(element) && rename(element, STANDIN));
    const safe = Document.parseHTML(doctype + written(tree), kept);
    each(safe, STANDIN, (element) => rename(element, 'use'));
    each(safe, 'noscript', (element) => element.replaceWith(...element.childNodes));
    each(safe, 'meta[charset], meta[http-equiv="content-type" i]', (element) => element.remove());
    // So that all of them are shown: waiting for a page has made its lazy pictures eager.
    each(safe, 'img[loading="eager"]', (element) => element.removeAttribute('loading'));
    const head = root(safe).querySelector('head');
    if (/^(https?:)?\/\//i.test(base)) {
      head.prepend(made('base', 'href', base));
    }
    head.prepend(made('meta', 'charset', 'utf-8'));
    return written(safe);
  };

  const isLocal = (element) => ['href', 'xlink:href'].every(
    (name) => (element.getAttribute(name) ?? '#').startsWith('#'));

  const rename = (element, name) => {
    const other = Document.prototype.createElementNS.call(document, SVG, name);
    for (const attribute of element.attributes) {
      other.setAttribute(attribute.name, attribute.value);
    }
    other.append(...element.childNodes);
    element.replaceWith(other);
  };

  const made = (name, attribute, value) => {
    const element = Document.prototype.createElement.call(document, name);
    element.setAttribute(attribute, value);
    return element;
  };

  const kind = Reflect.get(Document.prototype, 'doctype', document);
  const doctype = kind ? new XMLSerializer().serializeToString(kind) + '\n' : '';
  let text = written(copied()).replaceAll(origin, '').replaceAll(new URL(origin).host, '');
  // Text that becomes a script only when it is read again does not get through: what comes out
  // leaves nothing to be taken away.
  for (let round = 0; round < 5; round++) {
    if (text.length > most) {
      return {characters: text.length};
    }
    const before = text;
    text = cleaned(before);
    if (text === before) {
      return {html: doctype + text};
    }
  }
  return {};
}
