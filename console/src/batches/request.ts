import type { components } from 'contract';
import { isObject, itemsOf, mappingOf, type Paths, type Source } from './source.ts';

export type BatchRequest = components['schemas']['BatchRequest'];

/** What is chosen for a new batch, beside its items. */
export type Options = {
  version: 'live' | number;
  format: string;
  zip: boolean;
  merged: boolean;
  reference: string;
  retentionDays: string;
  /** Further members of the request, as JSON. */
  more: string;
};

export const USUAL: Options = { version: 'live', format: '', zip: false, merged: false, reference: '', retentionDays: '', more: '' };

/** Further members of the request, or null if the text is not an object in JSON. */
export function moreOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The body of `POST /v1/batches`; `uploadId` is that of the CSV file. */
export function batchRequest(template: string, source: Source, paths: Paths, options: Options, uploadId: string): BatchRequest {
  const mapping = source.kind === 'csv' ? mappingOf(source.columns, paths) : null;
  const { version, format, zip, merged, reference, retentionDays } = options;
  const chosen = {
    template_id: template,
    ...(source.kind === 'csv' ? { csv_upload_id: uploadId, ...(mapping ? { csv_mapping: mapping } : {}) } : { items: itemsOf(source) }),
    ...(version === 'live' ? {} : { version }),
    ...(format ? { output: { format } } : {}),
    ...(zip || merged ? { combine: { zip, merged_pdf: merged } } : {}),
    ...(retentionDays ? { delivery: { retention_days: Number(retentionDays) } } : {}),
    ...(reference.trim() ? { reference: reference.trim() } : {}),
  };
  const more = moreOf(options.more) ?? {};
  return { ...chosen, ...merge(chosen, more) } as BatchRequest;
}

/** Members of objects that both have stand side by side. */
function merge(chosen: Record<string, unknown>, more: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(more).map(([name, value]) => {
    const before = chosen[name];
    return [name, isObject(before) && isObject(value) ? { ...before, ...value } : value];
  }));
}

/** A key for a request that may be repeated; the page may be served without TLS, where there is no `randomUUID`. */
export function idempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
