import type { Box } from './document.ts';

const SIDES = ['top', 'right', 'bottom', 'left'] as const;
/** Margins of a page: how each is named, and its CSS pixels. */
export type Margins = Record<(typeof SIDES)[number], { text: string; pixels: number }>;

const PIXELS: Record<string, number> = { mm: 96 / 25.4, cm: 96 / 2.54, in: 96, px: 1, pt: 96 / 72, pc: 16 };

/** The CSS pixels of a length such as `20mm`. */
export function pixelsOf(length: string): number {
  const [, value, unit = 'px'] = /^([\d.]+)(\w*)$/.exec(length.trim()) ?? [];
  return Number(value ?? 0) * (PIXELS[unit] ?? 1);
}

/** Boxes over a page. */
export function Marks({ marks, page, scale }: { marks: readonly Box[]; page: number; scale: number }) {
  return marks.filter((box) => box.page === page).map((box) => (
    <span
      key={`${box.left} ${box.top}`}
      className="page-mark"
      style={{ left: box.left * scale, top: box.top * scale, width: box.width * scale, height: box.height * scale }}
    />
  ));
}

/** Lines at the margins of a page, with their lengths; shown while the pointer is over the page. */
export function MarginRuler({ margins, scale }: { margins: Margins; scale: number }) {
  return SIDES.map((side) => (
    <span key={side} className={`margin-line ${side}`} aria-hidden="true" style={{ [side]: margins[side].pixels * scale }}>
      <span>{margins[side].text}</span>
    </span>
  ));
}
