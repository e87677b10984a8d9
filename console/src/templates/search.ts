import type { Zoom } from '../pdf/zoom.ts';
import { one, placeOf } from '../playground/search.ts';

export const TYPES = ['html', 'image_canvas'] as const;
export type TemplateType = (typeof TYPES)[number];

export type TemplatesSearch = {
  /** A part of a name, or the begin of an id. */
  q?: string;
  type?: TemplateType;
  /** The trash. */
  deleted?: true;
};

export function templatesSearch(given: Record<string, unknown>): TemplatesSearch {
  const q = typeof given.q === 'string' || typeof given.q === 'number' ? String(given.q).slice(0, 120) : '';
  return {
    ...(q === '' ? {} : { q }),
    ...one('type', TYPES, given.type),
    ...(given.deleted === true ? { deleted: true } : {}),
  };
}

export const TABS = ['html', 'head', 'css', 'header', 'footer', 'scene', 'data', 'schema'] as const;
export type Tab = (typeof TABS)[number];
export const PANELS = ['options', 'versions'] as const;
export type Panel = (typeof PANELS)[number];
/** In a narrow window one part is shown at a time. */
export const PARTS = ['sources', 'preview', 'inspector'] as const;
export type Part = (typeof PARTS)[number];
/** What a comparison of sources may name: a number, or the draft. */
export type VersionName = number | 'draft';

export type TemplateSearch = {
  tab?: Tab;
  panel?: Panel;
  part?: Part;
  dataset?: string;
  page?: number;
  zoom?: Zoom;
  /** The sources beside each other. */
  from?: VersionName;
  to?: VersionName;
};

export function templateSearch(given: Record<string, unknown>): TemplateSearch {
  return {
    ...one('tab', TABS, given.tab),
    ...one('panel', PANELS, given.panel),
    ...one('part', PARTS, given.part),
    ...(typeof given.dataset === 'string' ? { dataset: given.dataset } : {}),
    ...placeOf(given),
    ...version('from', given.from),
    ...version('to', given.to),
  };
}

function version<Name extends 'from' | 'to'>(name: Name, given: unknown): { [_ in Name]?: VersionName } {
  const number = Number(given);
  const value = given === 'draft' ? given : given !== undefined && Number.isInteger(number) && number > 0 ? number : undefined;
  return (value === undefined ? {} : { [name]: value }) as { [_ in Name]?: VersionName };
}
