// Runs in each document before its own scripts. What waits to come into sight, by an
// IntersectionObserver, comes into sight for all of the document when it is drawn: each observed
// element once, as paper and pictures show what no window does.
(() => {
  const {performance, reportError, Object, Set, WeakSet, WeakMap, Reflect, Element, DOMRectReadOnly} =
    window;
  const Native = window.IntersectionObserver;
  const Entry = window.IntersectionObserverEntry;
  const MAX_REVEALED = 20_000;
  const observers = new Set();
  let revealed = 0;

  const entryOf = (target) => {
    const box = Element.prototype.getBoundingClientRect.call(target);
    const values = {
      boundingClientRect: box, intersectionRect: box, intersectionRatio: 1, isIntersecting: true,
      isVisible: false, rootBounds: new DOMRectReadOnly(0, 0, innerWidth, innerHeight), target,
      time: performance.now(),
    };
    return Object.create(Entry.prototype, Object.fromEntries(Object.entries(values).map(
      ([name, value]) => [name, {value, enumerable: true, configurable: true}])));
  };
  // What has no box comes into sight nowhere.
  const isLaidOut = (target) => target.isConnected
    && Element.prototype.getClientRects.call(target).length > 0;

  const states = new WeakMap();
  window.IntersectionObserver = class IntersectionObserver extends Native {
    constructor(callback, options) {
      const state = {
        callback, waiting: new Set(), seen: new WeakSet(), revealed: new WeakSet()};
      super(typeof callback !== 'function' ? callback : (entries, observer) => {
        for (const {isIntersecting, target} of entries) {
          if (isIntersecting) {
            state.waiting.delete(target);
            state.seen.add(target);
          }
        }
        // What was revealed stays: it is in no window that could be left.
        const told = entries.filter(({isIntersecting, target}) =>
          isIntersecting || !state.revealed.has(target));
        if (told.length) { Reflect.apply(callback, observer, [told, observer]); }
      }, options);
      state.observer = this;
      states.set(this, state);
      observers.add(state);
    }

    observe(target) {
      super.observe(target);
      const state = states.get(this);
      if (!state.seen.has(target)) { state.waiting.add(target); }
      observers.add(state);
    }

    unobserve(target) {
      super.unobserve(target);
      states.get(this).waiting.delete(target);
    }

    disconnect() {
      super.disconnect();
      const state = states.get(this);
      state.waiting.clear();
      observers.delete(state);
    }
  };

  // The isolated world sends the event, and sees whether there was anything.
  window.addEventListener('platen-reveal', (event) => {
    for (const {callback, waiting, seen, revealed: shown, observer} of [...observers]) {
      const targets = [...waiting].filter(isLaidOut).slice(0, MAX_REVEALED - revealed);
      if (!targets.length) { continue; }
      event.preventDefault();
      revealed += targets.length;
      targets.forEach((target) => {
        waiting.delete(target);
        seen.add(target);
        shown.add(target);
      });
      try {
        Reflect.apply(callback, observer, [targets.map(entryOf), observer]);
      } catch (error) {
        reportError(error);
      }
    }
  });
})();
