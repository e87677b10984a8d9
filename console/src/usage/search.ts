import { one } from '../playground/search.ts';

/** Ranges of days up to today. */
export const RANGES = ['cycle', 30, 90, 365] as const;
export type Range = (typeof RANGES)[number];

/** Without a range: the present cycle. */
export type UsageSearch = { range?: Range };

export function usageSearch(given: Record<string, unknown>): UsageSearch {
  return one('range', RANGES, given.range);
}
