import { one, placeOf } from '../playground/search.ts';

export const MODES = ['side', 'overlay', 'slider'] as const;
export type Mode = (typeof MODES)[number];
/** Which pages the list has, and in which order. */
export const ORDERS = ['first', 'only'] as const;
export type Order = (typeof ORDERS)[number];
export type Version = 'live' | 'draft' | number;

export type CompareSearch = { from?: Version; to?: Version; dataset?: string; page?: number; mode?: Mode; changed?: Order };

export function compareSearch(given: Record<string, unknown>): CompareSearch {
  const [from, to] = [versionOf(given.from), versionOf(given.to)];
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(typeof given.dataset === 'string' ? { dataset: given.dataset } : {}),
    ...('page' in placeOf(given) ? { page: Number(given.page) } : {}),
    ...one('mode', MODES, given.mode),
    ...one('changed', ORDERS, given.changed),
  };
}

/** The version that a value of an address or a field names, if it names one. */
export function versionOf(given: unknown): Version | undefined {
  if (given === 'live' || given === 'draft') return given;
  const number = Number(given);
  return given !== '' && Number.isInteger(number) && number > 0 ? number : undefined;
}
