import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { components } from 'contract';
import { api, dataOf } from '../../api/client.ts';
import type { Tone } from '../parts/mark.tsx';
import type { SendsSearch } from '../search.ts';

export type Connection = components['schemas']['EmailConnection'];
export type Rule = components['schemas']['EmailRule'];
export type RuleSpec = components['schemas']['DraftedRule'];
export type Preview = components['schemas']['EmailPreview'];
export type Send = components['schemas']['EmailSend'];

const PAGE = 50;
const MOST = 100;
const FRESH_MS = 5000;

export const TONES: Record<Send['status'], Tone> = {
  pending: 'waiting', sending: 'waiting', retrying: 'waiting', sent: 'good', sandboxed: 'good', skipped: 'plain', failed: 'bad', unknown: 'bad', canceled: 'plain',
};

export function connections(key: string) {
  return queryOptions({
    queryKey: ['email-connections', key],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/email-connections', { signal })),
  });
}

export function oneConnection(key: string, id: string) {
  return queryOptions({
    queryKey: ['email-connections', key, id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/email-connections/{id}', { params: { path: { id } }, signal })),
  });
}

/** All rules of a template, of which there are five at most. */
export function rulesOf(key: string, templateId: string) {
  return queryOptions({
    queryKey: ['email-rules', key, 'of', templateId],
    queryFn: async ({ signal }): Promise<Rule[]> => {
      const rules: Rule[] = [];
      let cursor: string | null = null;
      do {
        const query: { cursor?: string } = cursor === null ? {} : { cursor };
        const page: components['schemas']['EmailRuleList'] = await dataOf(api.GET('/v1/templates/{id}/email-rules', { params: { path: { id: templateId }, query }, signal }));
        rules.push(...page.data);
        cursor = page.next_cursor;
      } while (cursor !== null);
      return rules;
    },
  });
}

export function oneRule(key: string, id: string) {
  return queryOptions({
    queryKey: ['email-rules', key, id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/email-rules/{id}', { params: { path: { id } }, signal })),
  });
}

export function datasetsOf(key: string, templateId: string) {
  return queryOptions({
    queryKey: ['datasets', key, templateId],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/templates/{id}/datasets', { params: { path: { id: templateId }, query: { limit: MOST } }, signal })),
  });
}

/** The email that a rule would give; the last one is shown until the next one is there. */
export function previewOf(key: string, templateId: string, rule: RuleSpec, datasetId: string | null) {
  return queryOptions({
    queryKey: ['email-preview', key, templateId, rule, datasetId],
    enabled: templateId !== '' && rule.connection_id !== '',
    gcTime: 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => dataOf(api.POST('/v1/email-rules/preview', { body: { template_id: templateId, rule, dataset_id: datasetId }, signal })),
  });
}

export function sendPages(key: string, search: SendsSearch) {
  return infiniteQueryOptions({
    queryKey: ['email-sends', key, 'pages', search],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return dataOf(api.GET('/v1/email-sends', { params: { query: { ...search, limit: PAGE, ...cursor } }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
    refetchInterval: FRESH_MS,
  });
}

export function oneSend(key: string, id: string) {
  return queryOptions({
    queryKey: ['email-sends', key, id],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/email-sends/{id}', { params: { path: { id } }, signal })),
    refetchInterval: (query) => (query.state.data && TONES[query.state.data.status] === 'waiting' ? FRESH_MS : false),
  });
}

export function reportsOf(key: string, id: string) {
  return infiniteQueryOptions({
    queryKey: ['email-sends', key, id, 'reports'],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam };
      return dataOf(api.GET('/v1/email-sends/{id}/events', { params: { path: { id }, query: { limit: PAGE, ...cursor } }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor ?? null,
  });
}

export function statistics(key: string) {
  return queryOptions({
    queryKey: ['email-sends', key, 'statistics'],
    queryFn: ({ signal }) => dataOf(api.GET('/v1/email-sends/stats', { signal })),
  });
}
