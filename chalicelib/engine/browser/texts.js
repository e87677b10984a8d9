(leastShare) => {
  const steps = 12;
  const tooLarge = [];
  const fits = (box, text) => {
    const style = getComputedStyle(text);
    // What stands between lines may go beyond the box.
    const leading = Math.max(1, parseFloat(style.lineHeight) - parseFloat(style.fontSize));
    const clamped = box.dataset.fit === 'ellipsis' && text.scrollHeight > text.clientHeight;
    return !clamped && text.scrollHeight <= box.clientHeight + leading &&
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
  for (const box of document.querySelectorAll('[data-fit]')) {
    const text = box.firstElementChild;
    if (fits(box, text)) { continue; }
    if (box.dataset.fit === 'shrink' && shrink(box, text)) { continue; }
    tooLarge.push(box.dataset.layer);
  }
  return tooLarge;
}
