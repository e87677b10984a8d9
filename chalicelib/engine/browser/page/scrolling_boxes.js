// Opens boxes that scroll and are shorter or narrower than their content, so that all of it is drawn.
// Runs in the isolated world. Returns what stays cut: [selector, pixels that do not show].
//
// A box grows with its content, and so do the boxes around it that are as high as the window. What is
// too wide is wrapped where it can be, else it is made smaller. `platenClosers` undo it all.
async ({maxElements, maxOpened, maxTold, maxHeight, opensTextAreas}) => {
  const TOLERANCE = 2;
  const MIN_ZOOM = 1 / 4;
  const MAX_ROUNDS = 6;
  const MAX_RETRIED = 20_000;
  const MAX_LEAVES = 200_000;
  const MAX_LEAVES_OF_BOX = 5_000;
  const MAX_SELECTOR = 120;
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const [root, body] = [own('documentElement'), own('body')];
  const styleOf = (element) => getComputedStyle(element);
  const boxOf = (element) => Element.prototype.getBoundingClientRect.call(element);
  const closers = globalThis.platenClosers = [];
  await own('fonts').ready;

  const parentOf = (element) => element.assignedSlot ?? element.parentElement
    ?? (element.getRootNode() instanceof ShadowRoot ? element.getRootNode().host : null);
  const elements = function* (tree) {
    const all = tree === document ? Document.prototype : ShadowRoot.prototype;
    for (const element of all.querySelectorAll.call(tree, '*')) {
      yield element;
      if (element.shadowRoot instanceof ShadowRoot) { yield* elements(element.shadowRoot); }
    }
  };
  const selector = (element) => {
    const {localName, id, classList} = element;
    if (id) { return `${localName}#${CSS.escape(id)}`.slice(0, MAX_SELECTOR); }
    const classes = [...classList].slice(0, 2).map((name) => `.${CSS.escape(name)}`).join('');
    const alike = [...(element.parentElement?.children ?? [])].filter(
      (other) => other.localName === localName);
    const place = alike.length > 1 ? `:nth-of-type(${alike.indexOf(element) + 1})` : '';
    return `${localName}${classes}${place}`.slice(0, MAX_SELECTOR);
  };

  // Before the first change of an element its style attribute is kept.
  const changed = new Map();
  const set = (element, values) => {
    if (!changed.has(element)) { changed.set(element, element.getAttribute('style')); }
    for (const [name, value] of Object.entries(values)) {
      element.style.setProperty(name, value, 'important');
    }
  };
  const reset = (element) => {
    const style = changed.get(element);
    if (style === undefined) { return; }
    if (style === null) { element.removeAttribute('style'); } else { element.setAttribute('style', style); }
  };
  closers.push(() => [...changed.keys()].forEach(reset));

  // Overflow of the root, and of the body where the root has none, is that of the window.
  const isOfWindow = (element) => element === root
    || (element === body && styleOf(root).overflow === 'visible');
  const excess = (element) => ({
    x: element.scrollWidth - element.clientWidth, y: element.scrollHeight - element.clientHeight});
  const isCut = ({x, y}) => x > TOLERANCE || y > TOLERANCE;
  const scrolls = (overflow) => overflow === 'auto' || overflow === 'scroll';
  const scrolledExcess = (element) => {
    if (!element.clientWidth || !element.clientHeight || isOfWindow(element)) { return null; }
    const style = styleOf(element), {x, y} = excess(element);
    const over = {x: scrolls(style.overflowX) ? x : 0, y: scrolls(style.overflowY) ? y : 0};
    return isCut(over) && style.visibility === 'visible' && style.opacity !== '0' ? over : null;
  };

  // A box that another one hides by more than its half is hidden on purpose.
  const hides = new Map();
  const hidesContent = (element) => {
    if (!hides.has(element)) {
      const {overflowX, overflowY} = styleOf(element);
      hides.set(element, !isOfWindow(element)
        && [overflowX, overflowY].some((overflow) => overflow === 'hidden' || overflow === 'clip'));
    }
    return hides.get(element);
  };
  const isHidden = (element) => {
    const {left, top, right, bottom, width, height} = boxOf(element);
    for (let other = parentOf(element); other; other = parentOf(other)) {
      if (!hidesContent(other)) { continue; }
      const around = boxOf(other);
      const across = Math.min(right, around.right) - Math.max(left, around.left);
      const down = Math.min(bottom, around.bottom) - Math.max(top, around.top);
      if (across < width / 2 || down < height / 2) { return true; }
    }
    return false;
  };

  // Where the content ends that a reader would see. Rows of a list that scripts make for what is in
  // sight end long before the room that is kept for the others.
  let leavesLeft = MAX_LEAVES;
  const leafBox = (node) => {
    if (node.nodeType === Node.ELEMENT_NODE) {
      const isDrawn = node.matches('img, svg, canvas, video, input, select, textarea, button, iframe, '
        + 'object, embed, hr') || node.shadowRoot
        || (!node.firstChild && !/^(?:rgba\(0, 0, 0, 0\)|transparent)$/.test(styleOf(node).backgroundColor));
      return isDrawn && node.checkVisibility({visibilityProperty: true}) ? boxOf(node) : null;
    }
    const parent = node.parentElement;
    if (!/\S/.test(node.data) || !parent || parent.offsetWidth <= 1 || parent.offsetHeight <= 1
      || !parent.checkVisibility({visibilityProperty: true})) { return null; }
    const range = Document.prototype.createRange.call(document);
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  const contentEnd = (element) => {
    const box = boxOf(element), end = {x: 0, y: 0};
    if (element.localName === 'textarea') { return {x: element.scrollWidth, y: element.scrollHeight}; }
    const walker = Document.prototype.createTreeWalker.call(
      document, element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (walker.lastChild()) { /* To the last node. */ }
    for (let seen = 0; seen < MAX_LEAVES_OF_BOX && leavesLeft > 0; seen++, leavesLeft--) {
      if (walker.currentNode === element) { break; }
      const leaf = leafBox(walker.currentNode);
      if (leaf?.width && leaf.height) {
        end.x = Math.max(end.x, leaf.right - box.left + element.scrollLeft,
          box.right - leaf.left - element.scrollLeft);
        end.y = Math.max(end.y, leaf.bottom - box.top + element.scrollTop);
      }
      if (!walker.previousNode()) { break; }
    }
    return end;
  };

  const findBoxes = () => {
    const boxes = [];
    let seen = 0;
    for (const element of elements(document)) {
      if (++seen > maxElements) { break; }
      const over = scrolledExcess(element);
      if (!over || isHidden(element)) { continue; }
      const end = contentEnd(element);
      const room = element.scrollHeight - end.y;
      const isMade = room > Math.max(element.clientHeight, element.scrollHeight / 2);
      const {x, y} = {x: over.x > TOLERANCE && end.x > element.clientWidth + TOLERANCE,
        y: over.y > TOLERANCE && (end.y > element.clientHeight + TOLERANCE || isMade)};
      if (x || y) { boxes.push({element, x, y, isMade: y && isMade, over}); }
    }
    return boxes;
  };

  const isWide = ({element}) => excess(element).x > TOLERANCE;
  const rows = /^(?:inline-)?flex$/;
  const wrapRows = ({element}) => {
    const {display, flexDirection, flexWrap} = styleOf(element);
    return rows.test(display) && /^row/.test(flexDirection) && flexWrap === 'nowrap'
      && {'flex-wrap': 'wrap'};
  };
  const wrapLines = ({element}) => styleOf(element).whiteSpace === 'pre'
    && {'white-space': 'pre-wrap', 'overflow-wrap': 'anywhere'};
  // Widths of letters are rounded and small fonts stay, so that the first factor may not do.
  // In a large box each try takes time and memory.
  const shrink = (box) => {
    const {clientWidth, scrollWidth} = box.element;
    const isLarge = Element.prototype.getElementsByTagName.call(box.element, '*').length > MAX_RETRIED;
    if (isLarge && box.zoom < 1) { return false; }
    box.zoom *= isLarge ? 0.9 * clientWidth / scrollWidth
      : Math.min(0.95, 0.99 * clientWidth / scrollWidth);
    return box.zoom >= MIN_ZOOM && {zoom: box.zoom.toFixed(4)};
  };
  // Each way is tried for all boxes at once: a layout for each would take time without end.
  const fitWidths = (boxes) => {
    let left = boxes.filter(({x}) => x);
    left.forEach((box) => { box.zoom = 1; });
    for (const way of [wrapRows, wrapLines, shrink, shrink, shrink, shrink]) {
      const values = left.map(way);
      left.forEach(({element}, n) => {
        if (values[n]) { set(element, values[n]); } else { reset(element); }
      });
      const wide = left.map(isWide);
      if (way !== shrink) { left.forEach(({element}, n) => wide[n] && values[n] && reset(element)); }
      left = left.filter((_, n) => wide[n] && (values[n] || way !== shrink));
    }
    left.forEach(({element}) => reset(element));
  };

  const growth = (element) => {
    const style = styleOf(element), parent = parentOf(element);
    const values = {height: 'auto', 'max-height': 'none'};
    if (element.localName === 'textarea') {
      Object.assign(values, {'field-sizing': 'content', width: style.width});
    }
    if (style.position === 'fixed') { values.position = 'absolute'; }
    if (/fixed|absolute/.test(style.position)) {
      values.top = style.top;
      values.bottom = 'auto';
    }
    if (/grid/.test(style.display) && /px/.test(style.gridTemplateRows)) {
      values['grid-template-rows'] = style.gridTemplateRows
        .replace(/(?<![\w.-])[\d.]+px/g, (track) => `minmax(${track}, auto)`);
    }
    const around = parent && styleOf(parent);
    if (around && rows.test(around.display) && /^column/.test(around.flexDirection)) {
      Object.assign(values, {'flex-basis': 'auto', 'flex-shrink': '0'});
    }
    return values;
  };
  const hasRoomOfItsOwn = (element) => hidesContent(element) || scrolls(styleOf(element).overflowY);
  // An inner box that is as high as its content may be higher than the one around it.
  const growAround = (boxes) => {
    const pairs = new Map();
    for (const {element} of boxes) {
      for (let inner = element, outer; (outer = parentOf(inner)) && !pairs.has(inner); inner = outer) {
        pairs.set(inner, outer);
      }
    }
    const grown = new Set(boxes.map(({element}) => element));
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const short = new Map();
      for (const [inner, outer] of pairs) {
        if (/^inline$|contents/.test(styleOf(outer).display)) { continue; }
        const missing = Math.max(boxOf(inner).bottom - boxOf(outer).bottom,
          grown.has(inner) && hasRoomOfItsOwn(inner) ? excess(inner).y - TOLERANCE : 0);
        if (missing > 1) { short.set(outer, Math.max(missing, short.get(outer) ?? 0)); }
      }
      if (!short.size) { return; }
      const values = [...short].map(([outer, missing]) => [outer, !grown.has(outer) ? growth(outer)
        : hasRoomOfItsOwn(outer)
          ? {'box-sizing': 'border-box', 'min-height': `${boxOf(outer).height + missing}px`} : {}]);
      values.forEach(([outer, each]) => { set(outer, each); grown.add(outer); });
    }
  };

  const found = findBoxes();
  const boxes = found.slice(0, maxOpened).filter(({element, isMade}) => !isMade
    && (opensTextAreas || element.localName !== 'textarea'));
  fitWidths(boxes);
  const tall = boxes.filter(({element, y}) => y || excess(element).y > TOLERANCE);
  for (const {element} of tall) {
    if (element.scrollTop) { element.scrollTo({left: 0, top: 0, behavior: 'instant'}); }
  }
  tall.map(({element}) => [element, growth(element)])
    .forEach(([element, values]) => set(element, values));
  growAround(tall);
  if (own('scrollingElement').scrollHeight > maxHeight) { [...changed.keys()].forEach(reset); }

  const told = new Map();
  const tell = (element, pixels) => {
    if (pixels <= TOLERANCE || told.size === maxTold) { return; }
    const name = selector(element);
    if (!told.has(name)) { told.set(name, pixels); }
  };
  for (const {element, x, y} of found) {
    const over = excess(element);
    if (opensTextAreas || element.localName !== 'textarea') {
      tell(element, Math.max(x ? over.x : 0, y ? over.y : 0));
    }
  }
  return [...told];
}
