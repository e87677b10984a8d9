const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const SMALLEST = 0.001;

/** A share as people read it: a small one is not nothing. */
export function shownShare(share: number): string {
  return share > 0 && share < SMALLEST ? `< ${percent.format(SMALLEST)}` : percent.format(share);
}
