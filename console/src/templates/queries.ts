import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { components } from 'contract';
import { api, dataOf } from '../api/client.ts';
import { ProblemError } from '../api/problem.ts';
import type { TemplatesSearch } from './search.ts';

type Schemas = components['schemas'];
export type Template = Schemas['Template'];
export type TemplateDraft = Schemas['TemplateDraft'];
export type TemplateVersion = Schemas['TemplateVersion'];
export type Dataset = Schemas['Dataset'];
export type DatasetSummary = Schemas['DatasetSummary'];

const PAGE = 48;

export function templatePages(key: string, search: TemplatesSearch) {
  return infiniteQueryOptions({
    queryKey: ['templates', key, 'list', search],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return dataOf(api.GET('/v1/templates', { params: { query: { ...search, limit: PAGE, ...cursor } }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });
}

export function oneTemplate(key: string, id: string) {
  return queryOptions({
    queryKey: ['templates', key, 'one', id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates/{id}', { params: { path: { id } }, signal })),
    // What is wrong with an id stays wrong.
    retry: (count, error) => count < 2 && !(error instanceof ProblemError),
  });
}

export function draftOf(key: string, id: string) {
  return queryOptions({
    queryKey: ['templates', key, 'draft', id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates/{id}/draft', { params: { path: { id } }, signal })),
  });
}

export function versionPages(key: string, id: string) {
  return infiniteQueryOptions({
    queryKey: ['templates', key, 'versions', id],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return dataOf(api.GET('/v1/templates/{id}/versions', { params: { path: { id }, query: { limit: 20, ...cursor } }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });
}

/** A version never changes. */
export function oneVersion(key: string, id: string, number: number) {
  return queryOptions({
    queryKey: ['templates', key, 'version', id, number],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates/{id}/versions/{number}', { params: { path: { id, number } }, signal })),
  });
}

/** All datasets, of which a template has 50 at most, without their data. */
export function datasetsOf(key: string, id: string) {
  return queryOptions({
    queryKey: ['templates', key, 'datasets', id],
    queryFn: async ({ signal }) => (await dataOf(api.GET('/v1/templates/{id}/datasets', { params: { path: { id }, query: { limit: 100 } }, signal }))).data,
  });
}

export function oneDataset(key: string, id: string, ds: string | undefined) {
  return queryOptions({
    queryKey: ['templates', key, 'datasets', id, ds],
    enabled: ds !== undefined,
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates/{id}/datasets/{ds}', { params: { path: { id, ds: ds ?? '' } }, signal })),
  });
}
