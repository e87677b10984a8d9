// Tells where an element is that no selector of the document finds: in an open shadow root, or in
// the document of a frame. Returns the holder, such as `my-card`, and its kind, or null.
(selector) => {
  const MAX_ELEMENTS = 1000000;
  const find = (root, prototype) => prototype.querySelector.call(root, selector) !== null;
  const name = (element) => element.localName.slice(0, 100)
    + (element.id ? `#${String(element.id).slice(0, 100)}` : '');
  const roots = [[document, Document.prototype]];
  let seen = 0;
  for (const [root, prototype] of roots) {
    for (const element of prototype.querySelectorAll.call(root, '*')) {
      if (++seen > MAX_ELEMENTS) { return null; }
      if (element.shadowRoot instanceof ShadowRoot) {
        if (find(element.shadowRoot, ShadowRoot.prototype)) { return [name(element), 'shadow']; }
        roots.push([element.shadowRoot, ShadowRoot.prototype]);
      }
      if (element instanceof HTMLIFrameElement) {
        const inner = element.contentDocument;
        if (inner && find(inner, Document.prototype)) { return [name(element), 'frame']; }
      }
    }
  }
  return null;
}
