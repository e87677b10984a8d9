import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { components, operations } from 'contract';
import { api, dataOf } from '../api/client.ts';
import { PREVIEW } from '../playground/preview-mark.ts';
import type { RendersSearch } from './search.ts';

export type Render = components['schemas']['Render'];
export type RenderFile = components['schemas']['RenderFile'];
export type RenderLog = components['schemas']['RenderLog'];
export type WebhookDelivery = components['schemas']['WebhookDeliveryDetail'];
type ListQuery = NonNullable<operations['listRenders']['parameters']['query']>;

const PAGE = 50;
const RUNNING_MS = 1000;
const LIST_MS = 10_000;
const WEBHOOKS_MS = 2000;

export function isFinal(render: Render): boolean {
  return render.status !== 'queued' && render.status !== 'processing';
}

/** Whether the playground has made a render while somebody wrote. */
export function isPreview(render: Render): boolean {
  return render.metadata[PREVIEW.name] === PREVIEW.value;
}

/** Pages of the list, newest first; the first ones are asked for again while they are looked at. */
export function renderPages(key: string, search: RendersSearch) {
  return infiniteQueryOptions({
    queryKey: ['renders', key, search],
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return dataOf(api.GET('/v1/renders', { params: { query: { ...listQuery(search), limit: PAGE, ...cursor } }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    refetchInterval: LIST_MS,
  });
}

/** The query of the API for what the address says. */
export function listQuery(search: RendersSearch): ListQuery {
  const { metadata, created_after, created_before, previews: _previews, ...rest } = search;
  const [name, ...value] = (metadata ?? '').split('=');
  return {
    ...rest,
    ...(name && value.length > 0 ? { metadata: { [name]: value.join('=') } } : {}),
    ...(created_after ? { created_after: beginOfDay(created_after, 0) } : {}),
    ...(created_before ? { created_before: beginOfDay(created_before, 1) } : {}),
  } as ListQuery;
}

/** The first moment of a day of the reader, or of the one after it. */
function beginOfDay(day: string, more: number): string {
  const moment = new Date(`${day}T00:00:00`);
  moment.setDate(moment.getDate() + more);
  return moment.toISOString();
}

export function oneRender(key: string, id: string) {
  return queryOptions({
    queryKey: ['render', key, id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/renders/{id}', { params: { path: { id } }, signal })),
    refetchInterval: (query) => (query.state.data && !isFinal(query.state.data) ? RUNNING_MS : false),
  });
}

/** The log of a render; another state is another log. */
export function renderLog(key: string, id: string, status: string | undefined) {
  return queryOptions({
    queryKey: ['render-log', key, id, status],
    enabled: status !== undefined,
    queryFn: ({ signal }) => dataOf(api.GET('/v1/renders/{id}/logs', { params: { path: { id } }, signal })),
  });
}

/** The webhook deliveries of a render, each with its attempts. */
export function webhooksOf(key: string, id: string, status: string | undefined) {
  return queryOptions({
    queryKey: ['render-webhooks', key, id, status],
    queryFn: async ({ signal }): Promise<WebhookDelivery[]> => {
      const list = await dataOf(api.GET('/v1/webhook-deliveries', { params: { query: { render_id: id } }, signal }));
      return Promise.all(list.data.map((each) => dataOf(api.GET('/v1/webhook-deliveries/{id}', { params: { path: { id: each.id } }, signal }))));
    },
    refetchInterval: ({ state }) => (state.data?.some((each) => each.status === 'pending' || each.status === 'retrying') ? WEBHOOKS_MS : false),
  });
}

/** The bytes of a file, by its signed URL. */
export function fileBytes(file: RenderFile | undefined) {
  return queryOptions({
    queryKey: ['file', file?.id],
    enabled: Boolean(file?.url),
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const answer = await fetch(file?.url ?? '', { signal });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return new Uint8Array(await answer.arrayBuffer());
    },
  });
}
