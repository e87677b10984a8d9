// Makes what lies below the window ready for a picture of it. Runs in the isolated world.
//
// `skipped` lays out what `content-visibility: auto` leaves out far from the window. `frames` tells
// whether frames lie there, and remembers how high everything is; `keepHeights`, in a window as high
// as the page, gives back what depends on the height of the window. `platenBelow` undoes it all.
(step, maxElements) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const select = (tree, selector) => (tree === document ? Document.prototype : ShadowRoot.prototype)
    .querySelectorAll.call(tree, selector);
  const boxOf = (element) => Element.prototype.getBoundingClientRect.call(element);
  const state = globalThis.platenBelow ??= {heights: new Map(), changed: new Map()};

  const set = (element, values) => {
    if (!state.changed.has(element)) { state.changed.set(element, element.getAttribute('style')); }
    for (const [name, value] of Object.entries(values)) {
      element.style.setProperty(name, value, 'important');
    }
  };
  const elements = function* () {
    const trees = [document];
    let seen = 0;
    for (const tree of trees) {
      for (const element of select(tree, '*')) {
        if (++seen > maxElements) { return; }
        yield element;
        if (element.shadowRoot instanceof ShadowRoot) { trees.push(element.shadowRoot); }
      }
    }
  };
  // Such an element contains its layout also when it is in sight.
  const contained = (contain) => /strict|content/.test(contain) ? contain
    : [...new Set([...contain.split(' ').filter((word) => word !== 'none'), 'layout', 'style', 'paint'])]
      .join(' ');

  const steps = {
    skipped: () => {
      const skipped = [];
      for (const element of elements()) {
        const {contentVisibility, contain} = getComputedStyle(element);
        if (contentVisibility === 'auto') { skipped.push([element, contained(contain)]); }
      }
      skipped.forEach(([element, contain]) => set(element, {'content-visibility': 'visible', contain}));
      return skipped.length > 0;
    },
    frames: () => {
      const isBelow = [...elements()].some((element) => /^(?:iframe|frame|object|embed)$/.test(
        element.localName) && boxOf(element).bottom > innerHeight && boxOf(element).width > 0);
      if (isBelow) {
        for (const element of elements()) { state.heights.set(element, boxOf(element).height); }
      }
      return isBelow;
    },
    keepHeights: () => {
      const changed = [...state.heights].filter(([element, height]) =>
        height > 0 && Math.abs(boxOf(element).height - height) > 0.5);
      changed.forEach(([element, height]) => set(element, {'box-sizing': 'border-box',
        height: `${height}px`, 'min-height': `${height}px`, 'max-height': `${height}px`}));
      return changed.length > 0;
    },
    undo: () => {
      for (const [element, style] of state.changed) {
        if (style === null) { element.removeAttribute('style'); } else { element.setAttribute('style', style); }
      }
      delete globalThis.platenBelow;
      return true;
    },
  };
  return steps[step]();
}
