// Runs in each document before its own scripts. Frames also come by timer, so that animations of
// scripts run on where no frame is drawn: while virtual time is ahead of the clock of frames.
(() => {
  const {performance, setTimeout, clearTimeout, Map, Math, Event} = window;
  const requestFrame = window.requestAnimationFrame.bind(window);
  const cancelFrame = window.cancelAnimationFrame.bind(window);
  const pending = new Map();
  let last = 0;
  const run = (id, callback, time) => {
    clearTimeout.call(window, pending.get(id));
    pending.delete(id);
    last = Math.max(last, time);
    callback(last);
  };
  window.requestAnimationFrame = {requestAnimationFrame(callback) {
    if (typeof callback !== 'function') return requestFrame(callback);
    const id = requestFrame((time) => run(id, callback, time));
    pending.set(id, setTimeout.call(window, () => {
      cancelFrame(id);
      run(id, callback, performance.now());
    }, MAX_FRAME_MS));
    return id;
  }}.requestAnimationFrame;
  window.cancelAnimationFrame = {cancelAnimationFrame(id) {
    clearTimeout.call(window, pending.get(id));
    pending.delete(id);
    cancelFrame(id);
  }}.cancelAnimationFrame;
  // The isolated world sees the event, not this script.
  window.addEventListener('platen-frames', (event) => {
    if (pending.size) event.preventDefault();
  });
})();
