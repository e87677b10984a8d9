// Finds `{{ … }}` in the texts and addresses of a document: [placeholder, selector] of the first of each.
// What shows source code is left out. Runs in the isolated world.
(maxTexts, maxFound, maxChars) => {
  const selectorOf = SELECTOR;
  const PLACEHOLDER = /\{\{[^{}]{1,200}\}\}/g;
  const SOURCE = 'script, style, template, noscript, textarea, code, pre, kbd, samp';
  const NAMES = ['href', 'src', 'alt', 'value', 'title'];
  const found = new Map();
  const add = (text, element) => {
    for (const placeholder of text.match(PLACEHOLDER) ?? []) {
      const short = placeholder.replace(/\s+/g, ' ').slice(0, maxChars);
      if (found.size < maxFound && !found.has(short)) found.set(short, selectorOf(element));
    }
  };
  const isSource = (element) => Element.prototype.closest.call(element, SOURCE) !== null;
  const root = Reflect.get(Document.prototype, 'documentElement', document);
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < maxTexts && walker.nextNode(); seen++) {
    const {data, parentElement} = walker.currentNode;
    if (data.includes('{{') && parentElement && !isSource(parentElement)) add(data, parentElement);
  }
  const selectors = NAMES.map((name) => `[${name}*="{{"]`).join();
  const elements = Document.prototype.querySelectorAll.call(document, selectors);
  for (const element of [...elements].slice(0, maxTexts)) {
    if (isSource(element)) continue;
    for (const name of NAMES) add(Element.prototype.getAttribute.call(element, name) ?? '', element);
  }
  return [...found];
}
