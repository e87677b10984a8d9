import { queryOptions } from '@tanstack/react-query';
import type { components } from 'contract';
import { api, dataOf } from '../api/client.ts';
import type { Range } from './search.ts';

export type Usage = components['schemas']['Usage'];

const FRESH_MS = 30_000;
const SPARKS = 12;
const DAY_MS = 86_400_000;
const TEMPLATES_A_PAGE = 100;
const MAX_TEMPLATE_PAGES = 5;

/** The days of a range; none: the API takes the present cycle. */
export function daysOf(range: Range, now: Date): { from?: string; to?: string } {
  if (range === 'cycle') return {};
  return { from: dayText(now.getTime() - (range - 1) * DAY_MS), to: dayText(now.getTime()) };
}

/** The days of the present cycle after the last one of the answer. */
export function daysAhead({ cycle, days }: Usage): number {
  const last = Date.parse(days.at(-1)?.date ?? cycle.end);
  return Math.max(0, Math.ceil((Date.parse(cycle.end) - last) / DAY_MS) - 1);
}

export function usageOf(key: string, range: Range) {
  return queryOptions({
    queryKey: ['usage', key, range],
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
    queryFn: ({ signal }) => dataOf(api.GET('/v1/usage', { params: { query: daysOf(range, new Date()) }, signal })),
  });
}

/** The renders of each template in equal parts of a range: the API counts templates for a range as a whole. */
export function sparksOf(key: string, days: readonly string[], pauseMs: number) {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  return queryOptions({
    queryKey: ['usage-sparks', key, first, last],
    enabled: days.length > 1,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Record<string, number[]>> => {
      const length = Math.ceil(days.length / SPARKS);
      const parts = Array.from({ length: Math.ceil(days.length / length) }, (_, at) => days.slice(at * length, (at + 1) * length));
      const counts = new Map<string, number[]>();
      for (const [at, part] of parts.entries()) {
        // Half of the rate is left to others.
        if (at > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
        const query = { from: part[0] as string, to: part.at(-1) as string };
        const { by_template } = await dataOf(api.GET('/v1/usage', { params: { query }, signal }));
        for (const { template_id, live, test, failed } of by_template) {
          const points = counts.get(template_id) ?? parts.map(() => 0);
          points[at] = live + test + failed;
          counts.set(template_id, points);
        }
      }
      return Object.fromEntries(counts);
    },
  });
}

/** Names of templates by their ids; of a large workspace the first ones alone. */
export function namesOf(key: string) {
  return queryOptions({
    queryKey: ['template-names', key],
    staleTime: 60_000,
    queryFn: async ({ signal }): Promise<Record<string, string>> => {
      const names: [string, string][] = [];
      let cursor: string | null = null;
      for (let page = 0; page < MAX_TEMPLATE_PAGES && (page === 0 || cursor !== null); page += 1) {
        const query: { limit: number; cursor?: string } = { limit: TEMPLATES_A_PAGE, ...(cursor === null ? {} : { cursor }) };
        const list = await dataOf(api.GET('/v1/templates', { params: { query }, signal }));
        names.push(...list.data.map(({ id, name }) => [id, name] as [string, string]));
        cursor = list.next_cursor;
      }
      return Object.fromEntries(names);
    },
  });
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
