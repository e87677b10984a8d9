(leastShare) => {
  const steps = 12;
  // What letters take of a line with their accents and descenders, in sizes of the font.
  const letters = 1.1;
  const tooLarge = [];
  const graphemes = new Intl.Segmenter();
  const fits = (box, text) => {
    const style = getComputedStyle(text), line = parseFloat(style.lineHeight);
    // What stands below the letters of the last line may go beyond the box.
    const spare = Math.max(0, line - letters * parseFloat(style.fontSize)) / 2;
    return parseFloat(style.height) <= parseFloat(getComputedStyle(box).height) + spare &&
      text.scrollWidth <= box.clientWidth + 1;
  };
  const shrink = (box, text) => {
    const whole = parseFloat(getComputedStyle(text).fontSize);
    let least = whole * leastShare, most = whole;
    const fitsAt = (size) => {
      text.style.fontSize = `${size}px`;
      return fits(box, text);
    };
    if (!fitsAt(least)) {
      text.style.overflowWrap = 'anywhere';
      return fits(box, text);
    }
    for (let step = 0; step < steps; step++) {
      const size = (least + most) / 2;
      if (fitsAt(size)) { least = size; } else { most = size; }
    }
    // A little smaller, as paper may break lines where they just went in on the screen.
    text.style.fontSize = `${Math.floor(least * 99.5) / 100}px`;
    return true;
  };
  // CSS puts its ellipsis beside lines that are not aligned to their beginning: out of the box.
  const shorten = (box, text) => {
    const whole = text.textContent, segments = graphemes.segment(whole);
    const fitsWith = (count) => {
      const end = count < whole.length ? segments.containing(count).index : whole.length;
      text.textContent = `${whole.slice(0, end).trimEnd()}\u2026`;
      return fits(box, text);
    };
    // A little narrower, as above.
    text.style.maxWidth = '99.5%';
    let least = 0, most = 1;
    while (most < whole.length && fitsWith(most)) { least = most; most *= 2; }
    most = Math.min(most, whole.length);
    while (most - least > 1) {
      const middle = (least + most) >> 1;
      if (fitsWith(middle)) { least = middle; } else { most = middle; }
    }
    fitsWith(least);
    text.style.maxWidth = '';
  };
  for (const box of document.querySelectorAll('[data-fit]')) {
    const text = box.firstElementChild;
    if (fits(box, text)) { continue; }
    if (box.dataset.fit === 'shrink' && shrink(box, text)) { continue; }
    if (box.dataset.fit === 'ellipsis') { shorten(box, text); }
    tooLarge.push(box.dataset.layer);
  }
  return tooLarge;
}
