import { placeOf, one } from '../playground/search.ts';
import type { Zoom } from '../pdf/zoom.ts';

/** In a narrow window one part is shown at a time. */
export const CHECK_PARTS = ['findings', 'page', 'xml'] as const;
export type CheckPart = (typeof CHECK_PARTS)[number];
/** What the middle shows: the content as a page, or the pages of the PDF. */
export const LOOKS = ['content', 'pdf'] as const;
export type Look = (typeof LOOKS)[number];

export type CheckSearch = { part?: CheckPart; look?: Look; finding?: number; page?: number; zoom?: Zoom };

export function checkSearch(given: Record<string, unknown>): CheckSearch {
  const finding = Number(given.finding);
  return {
    ...one('part', CHECK_PARTS, given.part),
    ...one('look', LOOKS, given.look),
    ...(Number.isInteger(finding) && finding > 0 ? { finding } : {}),
    ...placeOf(given),
  };
}

export const MAKE_PARTS = ['form', 'result'] as const;
export type MakePart = (typeof MAKE_PARTS)[number];
/** What the result shows. */
export const PANELS = ['summary', 'xml'] as const;
export type MakePanel = (typeof PANELS)[number];

export type MakeSearch = { example?: string; part?: MakePart; panel?: MakePanel; page?: number; zoom?: Zoom };

export function makeSearch(given: Record<string, unknown>): MakeSearch {
  return {
    ...(typeof given.example === 'string' ? { example: given.example } : {}),
    ...one('part', MAKE_PARTS, given.part),
    ...one('panel', PANELS, given.panel),
    ...placeOf(given),
  };
}
