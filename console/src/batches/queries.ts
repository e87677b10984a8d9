import { infiniteQueryOptions, queryOptions, useQuery } from '@tanstack/react-query';
import type { components } from 'contract';
import { useRef } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { BatchesSearch, ItemStatus } from './search.ts';

export type Batch = components['schemas']['Batch'];
export type BatchItem = components['schemas']['BatchItem'];

const PAGE = 50;
const LIST_MS = 10_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10_000;
/** The largest page of items. */
const ITEMS_A_PAGE = 100;
const MAX_FAILED = 10_000;

export function isFinal(batch: Batch): boolean {
  return batch.status !== 'queued' && batch.status !== 'processing';
}

/** A text that changes when items of a batch may have changed. */
export function signatureOf(batch: Batch): string {
  return [batch.status, batch.total, batch.succeeded, batch.failed, batch.canceled, batch.paused?.since].join(' ');
}

/** Pages of the list, newest first; they are asked for again while they are looked at. */
export function batchPages(key: string, search: BatchesSearch) {
  return infiniteQueryOptions({
    queryKey: ['batches', key, search],
    queryFn: async ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return dataOf(api.GET('/v1/batches', { params: { query: { ...search, limit: PAGE, ...cursor } }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    refetchInterval: LIST_MS,
  });
}

/** A batch, asked for again until it has ended: slower while nothing changes, and not while nobody looks. */
export function useBatch(key: string, id: string, isEnabled: boolean) {
  const unchanged = useRef({ signature: '', since: 0 });
  return useQuery({
    queryKey: ['batch', key, id],
    enabled: isEnabled,
    queryFn: ({ signal }) => dataOf(api.GET('/v1/batches/{id}', { params: { path: { id } }, signal })),
    refetchInterval: ({ state: { data, dataUpdatedAt } }) => {
      if (!data || isFinal(data)) return false;
      const signature = signatureOf(data);
      if (signature !== unchanged.current.signature) unchanged.current = { signature, since: dataUpdatedAt };
      return Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, (dataUpdatedAt - unchanged.current.since) / 2));
    },
  });
}

/** Pages of the items of a batch that have a status; `signature` changes with them. */
export function itemPages(key: string, id: string, status: ItemStatus, signature: string) {
  return infiniteQueryOptions({
    queryKey: ['batch-items', key, id, status, signature],
    queryFn: async ({ pageParam, signal }) => itemPage(id, { status, cursor: pageParam, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });
}

type ItemsAsked = { status?: ItemStatus; cursor: string | null; signal: AbortSignal };

export function itemPage(id: string, { status, cursor, signal }: ItemsAsked) {
  const query = { limit: ITEMS_A_PAGE, ...(status ? { status } : {}), ...(cursor === null ? {} : { cursor }) };
  return dataOf(api.GET('/v1/batches/{id}/items', { params: { path: { id }, query }, signal }));
}

/** All failed items of a batch that has ended, up to a bound. */
export function allFailed(key: string, id: string, signature: string) {
  return queryOptions({
    queryKey: ['batch-failed', key, id, signature],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const items: BatchItem[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<typeof itemPage>> = await itemPage(id, { status: 'failed', cursor, signal });
        items.push(...page.data);
        cursor = page.next_cursor;
      } while (cursor !== null && items.length < MAX_FAILED);
      return items;
    },
  });
}
