// Waits until a document, its fonts and its pictures are there. Returns the requested fonts and more.
//
// A layout is forced first, as it requests the fonts. Lazy images below the fold would never load,
// yet they are printed. What waits to come into sight is shown once (reveal_observed.js). `own`
// reads through the prototype: an element named `images` would shadow `document.images`.
async (until) => {
  const own = (name) => Reflect.get(Document.prototype, name, document);
  const isPatient = until !== 'parsed';
  const reached = until === 'domcontentloaded' || !isPatient
    ? () => own('readyState') !== 'loading' : () => own('readyState') === 'complete';
  // A font with `font-display: optional` that takes more than 0.1 s would be loaded, but not shown.
  // That can be changed until it is there.
  const awaitOptionalFonts = () => {
    for (const face of own('fonts')) {
      if (face.display === 'optional' && face.status !== 'loaded') { face.display = 'block'; }
    }
  };
  // Of a family that is shown the next one of the list changes no width.
  const isUnused = ({family}) => {
    const context = Document.prototype.createElement.call(document, 'canvas').getContext('2d');
    const [first, second] = ['serif', 'monospace'].map((next) => {
      context.font = `99px ${family}, ${next}`;
      return context.measureText('Mij10').width;
    });
    return first !== second;
  };
  awaitOptionalFonts();
  while (!reached()) {
    await new Promise((resolve) => {
      window.addEventListener('load', resolve, {once: true});
      setTimeout(resolve, 20);
    });
    awaitOptionalFonts();
  }
  own('documentElement')?.getBoundingClientRect();
  awaitOptionalFonts();
  if (isPatient) { await own('fonts').ready; }
  const awaitImages = async () => {
    let hasBroken = false;
    for (const image of own('images')) {
      image.loading = 'eager';
      while (isPatient && !image.complete) {
        await new Promise((resolve) => {
          image.addEventListener('load', resolve, {once: true});
          image.addEventListener('error', resolve, {once: true});
          setTimeout(resolve, 20);
        });
      }
      hasBroken ||= !image.naturalWidth;
    }
    return hasBroken;
  };
  let hasBrokenImage = await awaitImages();
  const reveals = (target) => {
    try {
      const hasOwn = !target.dispatchEvent(new Event('platen-reveal', {cancelable: true}));
      return [...Array(target.length).keys()].map((n) => reveals(target[n])).includes(true)
        || hasOwn;
    } catch {
      return false;
    }
  };
  const hasRevealed = reveals(window);
  if (hasRevealed) {
    // Scripts show things in a task of its own.
    await new Promise((resolve) => setTimeout(resolve, 20));
    hasBrokenImage = await awaitImages();
  }
  const fonts = REQUESTED_FONTS;
  const isRtl = fonts && getComputedStyle(own('documentElement')).direction === 'rtl';
  const late = [...own('fonts')].filter((face) => face.display === 'optional'
    && face.status === 'loaded').slice(0, 200).filter(isUnused)
    .map(({family}) => family.slice(0, 500));
  const metadata = HEAD_METADATA, hasBrokenLink = HAS_BROKEN_LINK;
  const hasMarkable = HAS_MARKABLE, refusedCanvases = REFUSED_CANVASES;
  const hasFrames = fonts && Document.prototype.querySelector.call(
    document, 'iframe, frame, object, embed') !== null;
  return fonts && {
    ...fonts, hasBrokenImage, hasBrokenLink, hasFrames, hasMarkable, hasRevealed, isRtl, late,
    metadata, refusedCanvases};
}
