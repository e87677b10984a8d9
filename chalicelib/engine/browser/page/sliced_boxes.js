// Boxes that stand in a line have no breaks: higher than a page, they would be sliced. Each that is
// alone in its line becomes a block of the same place and width.
(pageHeight) => {
  const blocks = {
    'inline-block': 'block', 'inline-table': 'table', 'inline-flex': 'flex', 'inline-grid': 'grid',
  };
  const boxOf = (element) => Element.prototype.getBoundingClientRect.call(element);
  const changed = window.slicedBoxes = [];
  const isAlone = (element, box) => [...element.parentNode.childNodes].every((node) => {
    if (node === element || node.nodeType === Node.COMMENT_NODE) return true;
    if (node.nodeType === Node.TEXT_NODE) return !/\S/.test(node.data);
    const other = boxOf(node);
    return !other.width || !other.height || other.top >= box.bottom || other.bottom <= box.top;
  });
  const pending = [Reflect.get(Document.prototype, 'body', document)];
  while (pending.length) {
    const element = pending.pop();
    if (!(element instanceof HTMLElement)) continue;
    const box = boxOf(element);
    if (box.height <= pageHeight && getComputedStyle(element).display !== 'contents') continue;
    const block = blocks[getComputedStyle(element).display];
    if (block && isAlone(element, box)) {
      changed.push([element, element.getAttribute('style')]);
      const set = (name, value) => element.style.setProperty(name, value, 'important');
      set('display', block);
      if (Math.abs(boxOf(element).width - box.width) > 1) set('width', 'fit-content');
      const moved = box.left - boxOf(element).left;
      if (Math.abs(moved) > 1) {
        set('margin-left', `${parseFloat(getComputedStyle(element).marginLeft) + moved}px`);
      }
    }
    pending.push(...element.children);
  }
}
