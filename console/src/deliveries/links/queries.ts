import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { components } from 'contract';
import { api, dataOf } from '../../api/client.ts';
import type { Tone } from '../parts/mark.tsx';
import { texts } from '../../texts.ts';

export type SignedLink = components['schemas']['SignedLink'];

const PAGE = 50;

export function linkPages(key: string) {
  return infiniteQueryOptions({
    queryKey: ['signed-links', key],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return dataOf(api.GET('/v1/signed-links', { params: { query: { limit: PAGE, ...cursor } }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });
}

export function oneLink(key: string, id: string) {
  return queryOptions({
    queryKey: ['signed-links', key, id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/signed-links/{id}', { params: { path: { id } }, signal })),
  });
}

/** Whether the URLs of a link give files, and if not, why. */
export function stateOf(link: SignedLink): { tone: Tone; word: string } {
  const { states } = texts.deliveries.links;
  if (!link.enabled) return { tone: 'plain', word: states.off };
  if (link.expires_at !== null && Date.parse(link.expires_at) <= Date.now()) return { tone: 'plain', word: states.expired };
  if (link.quota_total !== null && link.quota_used >= link.quota_total) return { tone: 'bad', word: states.used };
  return { tone: 'good', word: states.on };
}
