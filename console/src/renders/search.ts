import { one, placeOf } from '../playground/search.ts';
import type { Zoom } from '../pdf/zoom.ts';

export const STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'canceled'] as const;
export const FORMATS = ['pdf', 'png', 'jpeg', 'webp', 'html', 'xml', 'zip', 'txt'] as const;
export const INPUTS = ['html', 'url', 'template', 'pdf_tool', 'einvoice'] as const;
export const SENDERS = ['api', 'batch', 'signed_link', 'email_test'] as const;
const TEXTS = ['reference', 'metadata', 'template_id', 'batch_id', 'created_after', 'created_before'] as const;

export type RendersSearch = {
  status?: (typeof STATUSES)[number][];
  output_format?: (typeof FORMATS)[number];
  input_type?: (typeof INPUTS)[number];
  source?: (typeof SENDERS)[number];
  test?: boolean;
  /** With the previews that the playground makes. */
  previews?: boolean;
} & { [_ in (typeof TEXTS)[number]]?: string };

export function rendersSearch(given: Record<string, unknown>): RendersSearch {
  const wanted = Array.isArray(given.status) ? given.status : [given.status];
  const status = STATUSES.filter((each) => wanted.includes(each));
  const words = TEXTS.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [];
  });
  return {
    ...(status.length > 0 ? { status } : {}),
    ...one('output_format', FORMATS, given.output_format),
    ...one('input_type', INPUTS, given.input_type),
    ...one('source', SENDERS, given.source),
    ...(typeof given.test === 'boolean' ? { test: given.test } : {}),
    ...(given.previews === true ? { previews: true } : {}),
    ...Object.fromEntries(words),
  };
}

export type RenderSearch = { file?: string; page?: number; zoom?: Zoom };

export function renderSearch(given: Record<string, unknown>): RenderSearch {
  return { ...(typeof given.file === 'string' ? { file: given.file } : {}), ...placeOf(given) };
}
