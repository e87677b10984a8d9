import { queryOptions } from '@tanstack/react-query';
import type { components } from 'contract';
import { api, dataOf } from '../api/client.ts';
import type { Version } from './search.ts';

type Schemas = components['schemas'];
export type Template = Schemas['Template'];
export type TemplateVersion = Schemas['TemplateVersion'];
export type Comparison = Schemas['Comparison'];
export type ComparedPage = Schemas['PageComparison'];
export type TextChange = Schemas['TextComparison'];
export type Wanted = { from: Version; to: Version; dataset?: string | undefined };

const PAGE = 100;
// The pictures are kept for an hour.
const KEPT_MS = 55 * 60_000;

export function comparedTemplate(key: string, id: string) {
  return queryOptions({
    queryKey: ['templates', key, 'compared', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { limit: PAGE } };
      const [template, versions, datasets] = await Promise.all([
        dataOf(api.GET('/v1/templates/{id}', { params: { path: { id } }, signal })),
        dataOf(api.GET('/v1/templates/{id}/versions', { params, signal })),
        dataOf(api.GET('/v1/templates/{id}/datasets', { params, signal })),
      ]);
      return { template, versions: versions.data, datasets: datasets.data };
    },
  });
}

/** The request of a comparison, as it is sent and as it is copied. */
export function comparisonBody({ from, to, dataset }: Wanted) {
  return { from, to, ...(dataset === undefined ? {} : { dataset_id: dataset }) };
}

/** A comparison; it is made once, as a draft may change and pictures go away. */
export function comparisonOf(key: string, id: string, wanted: Wanted | null) {
  return queryOptions({
    queryKey: ['comparison', key, id, wanted],
    enabled: wanted !== null,
    gcTime: 0,
    staleTime: KEPT_MS,
    refetchOnWindowFocus: false,
    queryFn: ({ signal }) => {
      if (wanted === null) throw new Error('nothing is wanted');
      // The model of the answer has a default for what a request may leave out.
      const body = comparisonBody(wanted) as Schemas['ComparisonRequest'];
      return dataOf(api.POST('/v1/templates/{id}/compare', { params: { path: { id } }, body, signal }));
    },
  });
}

/** The bytes of a picture, by its signed URL. */
export function pictureBytes(url: string) {
  return queryOptions({
    queryKey: ['comparison-picture', url],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const answer = await fetch(url, { signal });
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return answer.blob();
    },
  });
}
