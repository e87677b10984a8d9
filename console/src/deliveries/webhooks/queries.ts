import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { components } from 'contract';
import { api, dataOf } from '../../api/client.ts';
import type { WebhooksSearch } from '../search.ts';

export type Endpoint = components['schemas']['WebhookEndpoint'];
export type Delivery = components['schemas']['WebhookDelivery'];
export type DeliveryDetail = components['schemas']['WebhookDeliveryDetail'];

const PAGE = 50;
const MOST = 100;
const FRESH_MS = 5000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Pages of the last 24 hours that are read; more would use up the rate of the key. */
const DAY_PAGES = 5;
const DAY_FRESH_MS = 30_000;
/** The place of an endpoint in an address, for the webhooks of requests, which have none. */
export const OF_REQUESTS = 'requests';

/** All endpoints, of which a workspace has a hundred at most. */
export function endpoints(key: string) {
  return queryOptions({
    queryKey: ['webhook-endpoints', key],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/webhook-endpoints', { params: { query: { limit: MOST } }, signal })),
  });
}

export function oneEndpoint(key: string, id: string) {
  return queryOptions({
    queryKey: ['webhook-endpoints', key, id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/webhook-endpoints/{id}', { params: { path: { id } }, signal })),
  });
}

export function deliveryPages(key: string, search: WebhooksSearch) {
  return infiniteQueryOptions({
    queryKey: ['webhook-deliveries', key, 'pages', search],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return dataOf(api.GET('/v1/webhook-deliveries', { params: { query: { ...search, limit: PAGE, ...cursor } }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    refetchInterval: FRESH_MS,
  });
}

/** Deliveries of the last 24 hours, newest first; `isWhole`: none of them is missing. */
export type Day = { now: number; deliveries: Delivery[]; isWhole: boolean };

export function lastDay(key: string, endpointId?: string) {
  return queryOptions({
    queryKey: ['webhook-deliveries', key, 'day', endpointId],
    refetchInterval: DAY_FRESH_MS,
    queryFn: async ({ signal }): Promise<Day> => {
      const now = Date.now();
      const deliveries: Delivery[] = [];
      let cursor: string | null = null;
      for (let page = 0; page < DAY_PAGES; page += 1) {
        const query: Record<string, string | number> = { limit: MOST, ...(endpointId ? { endpoint_id: endpointId } : {}), ...(cursor ? { cursor } : {}) };
        const answer: components['schemas']['WebhookDeliveryList'] = await dataOf(api.GET('/v1/webhook-deliveries', { params: { query }, signal }));
        const recent = answer.data.filter((each) => Date.parse(each.created_at) > now - DAY_MS);
        deliveries.push(...recent);
        cursor = answer.next_cursor;
        if (cursor === null || recent.length < answer.data.length) return { now, deliveries, isWhole: true };
      }
      return { now, deliveries, isWhole: false };
    },
  });
}

/** One delivery, and the text of its body as it was sent: the signature is that of its bytes. */
export function oneDelivery(key: string, id: string) {
  return queryOptions({
    queryKey: ['webhook-deliveries', key, id],
    queryFn: async ({ signal }) => {
      const text = await dataOf(api.GET('/v1/webhook-deliveries/{id}', { params: { path: { id } }, parseAs: 'text', signal }));
      const delivery = JSON.parse(text) as DeliveryDetail;
      return { delivery, body: delivery.request ? memberText(text, ['request', 'body']) : null };
    },
    refetchInterval: (query) => (query.state.data && isOpen(query.state.data.delivery) ? FRESH_MS : false),
  });
}

export function isOpen(delivery: Delivery): boolean {
  return delivery.status === 'pending' || delivery.status === 'retrying';
}

/** The text of a member of a JSON object, character by character as it stands there. */
export function memberText(text: string, path: readonly string[]): string | null {
  let at = 0;
  const space = () => { while (' \t\n\r'.includes(text[at] ?? '.')) at += 1; };
  const string = (): string => {
    const begin = at;
    at += 1;
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at += 1;
    return JSON.parse(text.slice(begin, at)) as string;
  };
  const skip = () => {
    if (text[at] === '"') { string(); return; }
    if (text[at] !== '{' && text[at] !== '[') {
      while (at < text.length && !',]}'.includes(text[at] ?? '')) at += 1;
      return;
    }
    let depth = 0;
    do {
      if (text[at] === '"') { string(); continue; }
      if ('{['.includes(text[at] ?? '')) depth += 1;
      if ('}]'.includes(text[at] ?? '')) depth -= 1;
      at += 1;
    } while (depth > 0 && at < text.length);
  };
  for (const wanted of path) {
    space();
    if (text[at] !== '{') return null;
    at += 1;
    for (;;) {
      space();
      if (text[at] !== '"') return null;
      const name = string();
      space();
      at += 1;
      space();
      if (name === wanted) break;
      skip();
      space();
      at += 1;
    }
  }
  const begin = at;
  skip();
  return text.slice(begin, at).trimEnd();
}
