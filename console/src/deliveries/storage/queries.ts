import { queryOptions } from '@tanstack/react-query';
import type { components } from 'contract';
import { api, dataOf } from '../../api/client.ts';

export type Destination = components['schemas']['StorageDestination'];
export type StorageTest = components['schemas']['StorageTest'];
type Receipt = components['schemas']['StorageReceipt'];
export type Upload = Receipt & { render: string; at: string };

const MOST = 100;
const FRESH_MS = 10_000;

/** All destinations, of which a workspace has fifty at most. */
export function destinations(key: string) {
  return queryOptions({
    queryKey: ['storage-destinations', key],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/storage-destinations', { params: { query: { limit: MOST } }, signal })),
  });
}

export function oneDestination(key: string, id: string) {
  return queryOptions({
    queryKey: ['storage-destinations', key, id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/storage-destinations/{id}', { params: { path: { id } }, signal })),
  });
}

/** The receipts of the newest renders; the API has no list of its own for them. */
export function recentUploads(key: string) {
  return queryOptions({
    queryKey: ['renders', key, 'uploads'],
    refetchInterval: FRESH_MS,
    queryFn: async ({ signal }): Promise<Upload[]> => {
      const page = await dataOf(api.GET('/v1/renders', { params: { query: { limit: MOST } }, signal }));
      return page.data.flatMap((render) => render.storage.map((receipt) => ({ ...receipt, render: render.id, at: render.created_at })));
    },
  });
}
