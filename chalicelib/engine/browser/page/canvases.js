// Runs in each document before its own scripts. Those that draw for the pixels of the screen draw
// for paper: at least MIN_PIXEL_RATIO pixels a side for one of CSS. The layout stays that of the
// window. Canvases that were refused WebGL are told to the isolated world, which asks by an event.
(() => {
  const MAX_REMEMBERED = 1000;
  const {Object, Math, Reflect, Set, Event} = window;
  const ratio = Object.getOwnPropertyDescriptor(window, 'devicePixelRatio');
  const sharp = {get devicePixelRatio() {
    return Math.max(Reflect.apply(ratio.get, window, []), MIN_PIXEL_RATIO);
  }};
  const {get} = Object.getOwnPropertyDescriptor(sharp, 'devicePixelRatio');
  Object.defineProperty(window, 'devicePixelRatio', {...ratio, get});
  const refused = new Set(), prototype = HTMLCanvasElement.prototype, {getContext} = prototype;
  prototype.getContext = {getContext(type) {
    const context = Reflect.apply(getContext, this, arguments);
    const isWebGl = type === 'webgl' || type === 'webgl2' || type === 'experimental-webgl';
    if (isWebGl && context === null && refused.size < MAX_REMEMBERED) refused.add(this);
    return context;
  }}.getContext;
  window.addEventListener('platen-canvases', () => {
    for (const canvas of refused) canvas.dispatchEvent(new Event('platen-no-webgl'));
  });
})();
