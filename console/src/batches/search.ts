import { one } from '../playground/search.ts';

export const BATCH_STATUSES = ['queued', 'processing', 'completed', 'failed', 'canceled'] as const;
export const ITEM_STATUSES = ['pending', 'queued', 'succeeded', 'failed', 'canceled'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

export type BatchesSearch = {
  status?: (typeof BATCH_STATUSES)[number];
  test?: boolean;
  reference?: string;
  template_id?: string;
};

export function batchesSearch(given: Record<string, unknown>): BatchesSearch {
  return {
    ...one('status', BATCH_STATUSES, given.status),
    ...(typeof given.test === 'boolean' ? { test: given.test } : {}),
    ...text('reference', given.reference),
    ...text('template_id', given.template_id),
  };
}

/** `template`: the id of the template of a new batch. */
export type NewBatchSearch = { template?: string };

export function newBatchSearch(given: Record<string, unknown>): NewBatchSearch {
  return text('template', given.template);
}

/** `status`: the items that are listed; `item`: the index of the one that is looked at. */
export type BatchSearch = { status?: ItemStatus; item?: number };

export function batchSearch(given: Record<string, unknown>): BatchSearch {
  const item = Number(given.item ?? Number.NaN);
  return {
    ...one('status', ITEM_STATUSES, given.status),
    ...(Number.isSafeInteger(item) && item >= 0 ? { item } : {}),
  };
}

function text<Name extends string>(name: Name, given: unknown): { [_ in Name]?: string } {
  const isText = typeof given === 'string' || typeof given === 'number';
  return (isText && given !== '' ? { [name]: String(given) } : {}) as { [_ in Name]?: string };
}
