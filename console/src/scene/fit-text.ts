const MIN_SCALE = 0.25;
const STEPS = 12;
// Height of letters with accents and descenders, in font sizes.
const LETTER_HEIGHT = 1.1;
const graphemes = new Intl.Segmenter();

/** Fit a text into its box as the service does (engine/browser/output/fit_canvas.js). */
export function fitText(box: HTMLElement, line: HTMLElement, text: string, overflow: string): void {
  line.style.removeProperty('font-size');
  line.style.removeProperty('overflow-wrap');
  line.textContent = text;
  if (fits(box, line)) return;
  if (overflow === 'shrink') shrink(box, line);
  if (overflow === 'ellipsis') shorten(box, line, text);
}

function fits(box: HTMLElement, line: HTMLElement): boolean {
  const style = getComputedStyle(line);
  // The empty space below the letters of the last line may exceed the box.
  const slack = Math.max(0, Number.parseFloat(style.lineHeight) - LETTER_HEIGHT * Number.parseFloat(style.fontSize)) / 2;
  return Number.parseFloat(style.height) <= Number.parseFloat(getComputedStyle(box).height) + slack && line.scrollWidth <= box.clientWidth + 1;
}

function shrink(box: HTMLElement, line: HTMLElement): void {
  let high = Number.parseFloat(getComputedStyle(line).fontSize);
  let low = high * MIN_SCALE;
  const fitsAt = (size: number): boolean => {
    line.style.fontSize = `${size}px`;
    return fits(box, line);
  };
  if (!fitsAt(low)) {
    line.style.overflowWrap = 'anywhere';
    return;
  }
  for (let step = 0; step < STEPS; step += 1) {
    const size = (low + high) / 2;
    if (fitsAt(size)) low = size;
    else high = size;
  }
  line.style.fontSize = `${Math.floor(low * 99.5) / 100}px`;
}

function shorten(box: HTMLElement, line: HTMLElement, text: string): void {
  const segments = graphemes.segment(text);
  const fitsWith = (count: number): boolean => {
    const end = count < text.length ? (segments.containing(count)?.index ?? count) : text.length;
    line.textContent = `${text.slice(0, end).trimEnd()}…`;
    return fits(box, line);
  };
  let low = 0;
  let high = 1;
  while (high < text.length && fitsWith(high)) { low = high; high *= 2; }
  high = Math.min(high, text.length);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fitsWith(middle)) low = middle;
    else high = middle;
  }
  fitsWith(low);
}
