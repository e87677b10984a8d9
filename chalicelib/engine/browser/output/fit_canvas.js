// Fits the texts of a canvas into their boxes; returns the layers whose text does not fit
// (decision 22). minScale: smallest font size as a share of the layer's own.
(minScale) => {
  const steps = 12;
  // Height of letters with accents and descenders, in font sizes.
  const letterHeight = 1.1;
  const overflowing = [];
  const graphemes = new Intl.Segmenter();
  const fits = (box, text) => {
    const style = getComputedStyle(text), line = parseFloat(style.lineHeight);
    // The empty space below the letters of the last line may exceed the box.
    const slack = Math.max(0, line - letterHeight * parseFloat(style.fontSize)) / 2;
    return parseFloat(style.height) <= parseFloat(getComputedStyle(box).height) + slack &&
      text.scrollWidth <= box.clientWidth + 1;
  };
  const shrink = (box, text) => {
    const full = parseFloat(getComputedStyle(text).fontSize);
    let low = full * minScale, high = full;
    const fitsAt = (size) => {
      text.style.fontSize = `${size}px`;
      return fits(box, text);
    };
    if (!fitsAt(low)) {
      text.style.overflowWrap = 'anywhere';
      return fits(box, text);
    }
    for (let step = 0; step < steps; step++) {
      const size = (low + high) / 2;
      if (fitsAt(size)) { low = size; } else { high = size; }
    }
    // Half a percent smaller: paper breaks lines by finer measures than the screen (decision 22).
    text.style.fontSize = `${Math.floor(low * 99.5) / 100}px`;
    return true;
  };
  // text-overflow puts the ellipsis outside of the box where lines are not aligned to their start.
  const shorten = (box, text) => {
    const whole = text.textContent, segments = graphemes.segment(whole);
    const fitsWith = (count) => {
      const end = count < whole.length ? segments.containing(count).index : whole.length;
      text.textContent = `${whole.slice(0, end).trimEnd()}\u2026`;
      return fits(box, text);
    };
    // Half a percent narrower, for the same reason.
    text.style.maxWidth = '99.5%';
    let low = 0, high = 1;
    while (high < whole.length && fitsWith(high)) { low = high; high *= 2; }
    high = Math.min(high, whole.length);
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (fitsWith(middle)) { low = middle; } else { high = middle; }
    }
    fitsWith(low);
    text.style.maxWidth = '';
  };
  for (const box of document.querySelectorAll('[data-fit]')) {
    const text = box.firstElementChild;
    if (fits(box, text)) { continue; }
    if (box.dataset.fit === 'shrink' && shrink(box, text)) { continue; }
    if (box.dataset.fit === 'ellipsis') { shorten(box, text); }
    overflowing.push(box.dataset.layer);
  }
  return overflowing;
}
