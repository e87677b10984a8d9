// Finds what is wider than the page, in the layout of the print. Runs in the isolated world.
// Returns pairs of a short selector and the pixels past the edge, of outermost elements only. The edge
// is the right one, and the left one in a document from right to left.
(width, maxElements, maxFound) => {
  const TOLERANCE = 1;
  const MAX_SELECTOR = 120;
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const found = new Map();

  const ownSelector = (element) => {
    const {localName, id, classList} = element;
    if (id) { return `${localName}#${CSS.escape(id)}`; }
    const classes = [...classList].slice(0, 2).map((name) => `.${CSS.escape(name)}`).join('');
    const alike = [...(element.parentElement?.children ?? [])].filter(
      (other) => other.localName === localName);
    const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(element) + 1})` : '';
    return `${localName}${classes}${place}`;
  };
  const selector = (element) => {
    const parent = element.parentElement;
    const text = element.id || !parent || parent === own('documentElement')
      ? ownSelector(element) : `${ownSelector(parent)} > ${ownSelector(element)}`;
    return text.slice(0, MAX_SELECTOR);
  };

  const isRtl = getComputedStyle(own('documentElement')).direction === 'rtl';
  const over = ({left, right, width: ownWidth}) =>
    !ownWidth ? 0 : isRtl ? -left - scrollX : right + scrollX - width;
  // A box reports its own edges only; texts that run out of it have no box.
  const overOfTexts = (element) => Math.max(0, ...[...element.childNodes]
    .filter((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(node.data))
    .map((node) => {
      const range = Document.prototype.createRange.call(document);
      range.selectNodeContents(node);
      return over(range.getBoundingClientRect());
    }));
  const overOf = (element) => {
    const ofBox = over(element.getBoundingClientRect());
    const runsOut = ofBox <= TOLERANCE && element.scrollWidth > element.clientWidth
      && getComputedStyle(element).overflowX === 'visible';
    return runsOut ? overOfTexts(element) : ofBox;
  };
  // What the document itself cuts is no loss of the page. The overflow of `body` is the window's.
  const isCutBefore = (element) => {
    for (let box = element.parentElement; box && box !== own('body'); box = box.parentElement) {
      if (box !== own('documentElement') && getComputedStyle(box).overflowX !== 'visible') {
        return true;
      }
    }
    return false;
  };

  const walker = Document.prototype.createTreeWalker.call(
    document, own('documentElement'), NodeFilter.SHOW_ELEMENT);
  let element = walker.nextNode();
  for (let seen = 0; element && seen < maxElements && found.size < maxFound; seen++) {
    const pixels = overOf(element);
    if (pixels <= TOLERANCE) { element = walker.nextNode(); continue; }
    if (getComputedStyle(element).visibility === 'visible' && !isCutBefore(element)) {
      const name = selector(element);
      found.set(name, Math.max(pixels, found.get(name) ?? 0));
    }
    // What stands in it is told with it.
    while (walker.currentNode && !(element = walker.nextSibling())) {
      if (!walker.parentNode()) { break; }
    }
  }
  return [...found];
}
