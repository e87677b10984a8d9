import { ZOOMS, type Zoom } from '../pdf/zoom.ts';

export const SOURCES = ['html', 'head', 'css', 'header', 'footer', 'data'] as const;
export type Source = (typeof SOURCES)[number];
export const TABS = [...SOURCES, 'assets'] as const;
export type Tab = (typeof TABS)[number];
export const PANELS = ['options', 'warnings', 'explain'] as const;
export type Panel = (typeof PANELS)[number];
/** In a narrow window one part is shown at a time. */
export const PARTS = ['sources', 'preview', 'inspector'] as const;
export type PlaygroundPart = (typeof PARTS)[number];

export type PlaygroundSearch = {
  /** A document of examples/ to begin from. */
  example?: string;
  /** A stored template to begin from, and which version of it: `live`, `draft` or a number. */
  template?: string;
  version?: string | number;
  tab?: Tab;
  panel?: Panel;
  part?: PlaygroundPart;
  page?: number;
  zoom?: Zoom;
};

export function playgroundSearch(given: Record<string, unknown>): PlaygroundSearch {
  return {
    ...(typeof given.example === 'string' ? { example: given.example } : {}),
    ...(typeof given.template === 'string' ? { template: given.template } : {}),
    ...(typeof given.version === 'string' || typeof given.version === 'number' ? { version: given.version } : {}),
    ...one('tab', TABS, given.tab),
    ...one('panel', PANELS, given.panel),
    ...one('part', PARTS, given.part),
    ...placeOf(given),
  };
}

/** The page and the zoom of a document in an address. */
export function placeOf(given: Record<string, unknown>): { page?: number; zoom?: Zoom } {
  const page = Number(given.page);
  return { ...(Number.isInteger(page) && page > 1 ? { page } : {}), ...one('zoom', ZOOMS, given.zoom) };
}

export function one<Name extends string, Value>(
  name: Name,
  values: readonly Value[],
  given: unknown,
): { [_ in Name]?: Value } {
  const value = values.find((each) => each === given);
  return (value === undefined ? {} : { [name]: value }) as { [_ in Name]?: Value };
}
