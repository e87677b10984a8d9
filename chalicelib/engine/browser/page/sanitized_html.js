// Sanitized markup of the current document. Runs in the isolated world.
// Returns {html}, {characters} when the text is longer than maxChars, or {} when it is not stable.
//
// Members of `document` are read through the prototype, because named elements shadow them.
// The Sanitizer removes scripts, event handlers, `javascript:` URLs, frames and plug-ins. It also
// removes two things that documents need, `base` and the SVG `use`; these are restored where they
// can run nothing. A `meta` that leads the reader to another page is removed as well.
(origin, ranScripts, maxChars) => {
  const SVG = 'http://www.w3.org/2000/svg';
  const PLACEHOLDER = 'platen-use';

  const root = (tree) => Reflect.get(Document.prototype, 'documentElement', tree);
  const shadowOf = (element) => Reflect.get(Element.prototype, 'shadowRoot', element);
  const each = (tree, selector, change) => root(tree).querySelectorAll(selector).forEach(change);

  // The page stays visible, so a copy is changed. A document without a window runs nothing.
  const copyDocument = () => {
    const tree = Reflect.get(Document.prototype, 'implementation', document).createHTMLDocument();
    // The texts of broken pictures are for paper and pictures only (missing_parts.js).
    const pictures = globalThis.platenPictures ?? [];
    pictures.forEach(({restore}) => restore());
    const copy = tree.importNode(root(document), true);
    root(tree).replaceWith(copy);
    copyHiddenState(tree, root(document), copy);
    pictures.forEach(({replace}) => replace());
    if (ranScripts) {
      each(tree, 'noscript', (element) => element.remove());
    }
    return tree;
  };

  // importNode omits shadow trees that are not clonable, and rules that scripts added to styles.
  const copyHiddenState = (tree, original, copy) => {
    const copies = copy.querySelectorAll('*');
    original.querySelectorAll('*').forEach((element, n) => {
      const shadow = shadowOf(element);
      if (shadow) {
        const shadowCopy = shadowOf(copies[n]) ?? copies[n].attachShadow({mode: 'open'});
        shadowCopy.replaceChildren(
          ...[...shadow.childNodes].map((node) => tree.importNode(node, true)));
        copyHiddenState(tree, shadow, shadowCopy);
      } else if (element.localName === 'style' && element.sheet && !element.textContent.trim()) {
        copies[n].textContent = [...element.sheet.cssRules].map((rule) => rule.cssText).join('\n');
      }
    });
  };

  // getHTML returns the content of an element only, so the tags of the root are added.
  const serialize = (tree) => {
    const [open, close] = root(tree).cloneNode(false).outerHTML.split(/(?=<\/[^<]*$)/);
    return open + root(tree).getHTML({shadowRoots: shadowRoots(root(tree))}) + close;
  };

  const shadowRoots = (parent) => [...parent.querySelectorAll('*')].flatMap((element) => {
    const shadow = shadowOf(element);
    return shadow ? [shadow, ...shadowRoots(shadow)] : [];
  });

  const sanitize = (text) => {
    const options = {sanitizer: {comments: true}};
    const tree = Document.parseHTMLUnsafe(doctype + text, options);
    const base = root(tree).querySelector('base[href]')?.getAttribute('href') ?? '';
    each(tree, 'svg use', (element) => isLocal(element) && rename(element, PLACEHOLDER));
    const safe = Document.parseHTML(doctype + serialize(tree), options);
    each(safe, PLACEHOLDER, (element) => rename(element, 'use'));
    each(safe, 'noscript', (element) => element.replaceWith(...element.childNodes));
    each(safe, 'meta[charset], meta[http-equiv="content-type" i], meta[http-equiv="refresh" i]',
      (element) => element.remove());
    // The wait for the page has made lazy images eager (loading.py).
    each(safe, 'img[loading="eager"]', (element) => element.removeAttribute('loading'));
    const head = root(safe).querySelector('head');
    if (/^(https?:)?\/\//i.test(base)) {
      head.prepend(createElement('base', 'href', base));
    }
    head.prepend(createElement('meta', 'charset', 'utf-8'));
    return serialize(safe);
  };

  // A `use` of another document could bring scripts along.
  const isLocal = (element) => ['href', 'xlink:href'].every(
    (name) => (element.getAttribute(name) ?? '#').startsWith('#'));

  const rename = (element, name) => {
    const renamed = Document.prototype.createElementNS.call(document, SVG, name);
    for (const attribute of element.attributes) {
      renamed.setAttribute(attribute.name, attribute.value);
    }
    renamed.append(...element.childNodes);
    element.replaceWith(renamed);
  };

  const createElement = (name, attribute, value) => {
    const element = Document.prototype.createElement.call(document, name);
    element.setAttribute(attribute, value);
    return element;
  };

  const doctypeNode = Reflect.get(Document.prototype, 'doctype', document);
  const doctype = doctypeNode ? new XMLSerializer().serializeToString(doctypeNode) + '\n' : '';
  // The internal origin stands in no output (decision 18).
  let text = serialize(copyDocument()).replaceAll(origin, '').replaceAll(new URL(origin).host, '');
  // Sanitized text may become a script when it is parsed again (mutation XSS). So it is sanitized
  // until nothing changes.
  for (let round = 0; round < 5; round++) {
    if (text.length > maxChars) {
      return {characters: text.length};
    }
    const before = text;
    text = sanitize(before);
    if (text === before) {
      return {html: doctype + text};
    }
  }
  return {};
}
