// Finds what is printed otherwise than a reader expects, in the layout of the print. Runs in the isolated
// world. Returns [kind, selector, width, height] in CSS pixels: `head` of a table that is too tall to be
// repeated, `fixed` boxes, and `dropped` properties, whose name is in the place of the width.
(pageHeight, maxElements, maxFound) => {
  const selectorOf = SELECTOR;
  const MAX_HEAD_SHARE = 0.25;
  const found = {head: new Map(), fixed: new Map(), dropped: new Map()};
  let left = 10 * maxFound;
  const add = (kind, element, ...more) => {
    // A selector takes a look at all siblings.
    if (found[kind].size >= maxFound || left-- <= 0) return;
    const selector = selectorOf(element);
    if (!found[kind].has(selector)) found[kind].set(selector, [kind, selector, ...more]);
  };
  const boxOf = (element) => Element.prototype.getBoundingClientRect.call(element);
  const checkHead = (element) => {
    const table = Element.prototype.closest.call(element, 'table');
    const {height} = boxOf(element);
    if (!table || height <= pageHeight * MAX_HEAD_SHARE) return;
    const box = boxOf(table), top = (box.top + scrollY) % pageHeight;
    if (top + box.height > pageHeight) add('head', element, boxOf(element).width, height);
  };
  const check = (element) => {
    const style = getComputedStyle(element);
    if (/^table-(header|footer)-group$/.test(style.display)) checkHead(element);
    if (style.position === 'fixed' && style.visibility === 'visible') {
      const {width, height} = boxOf(element);
      if (width && height) add('fixed', element, width, height);
    }
    if (style.backdropFilter !== 'none') add('dropped', element, 'backdrop-filter', 0);
    // The blended drawing stands in a group of its own, which has nothing behind it.
    if (style.mixBlendMode !== 'normal') {
      add('dropped', element, `mix-blend-mode: ${style.mixBlendMode}`, 0);
    }
  };
  const root = Reflect.get(Document.prototype, 'documentElement', document);
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_ELEMENT);
  for (let seen = 0; seen < maxElements && walker.nextNode(); seen++) check(walker.currentNode);
  return Object.values(found).flatMap((gaps) => [...gaps.values()]);
}
