import type { components } from 'contract';
import type { Render, RenderLog } from './queries.ts';

type Request = components['schemas']['RenderRequest'];

/**
 * The request that makes a render again, or null where its log does not keep all of it: contents,
 * data, headers for HTTP, texts of headers and footers, and what an address has behind `?` are not kept.
 */
export function repeatOf(render: Render, log: RenderLog | undefined): Request | null {
  const { input, output } = (log?.request ?? {}) as { input?: Record<string, unknown>; output?: Record<string, unknown> };
  if (!input || !output || render.files_purged_at) return null;
  const source = keptSource(input);
  if (source === null || hasUnkept(output)) return null;
  const { http: _http, ...options } = output;
  return {
    mode: 'async',
    input: source,
    output: options,
    ...(render.reference === null ? {} : { reference: render.reference }),
    metadata: { ...render.metadata, repeat_of: render.id },
  } as Request;
}

function keptSource(input: Record<string, unknown>): object | null {
  if (Array.isArray(input.assets) && input.assets.length > 0) return null;
  if (input.type === 'url' && typeof input.url === 'string' && !/[?@]/.test(input.url)) return { type: 'url', url: input.url };
  if (input.type === 'html' && typeof input.upload_id === 'string' && input.templating !== true) return { type: 'html', upload_id: input.upload_id };
  return null;
}

function hasUnkept(output: Record<string, unknown>): boolean {
  const { headers = [], cookies = [], basic_auth = false } = (output.http ?? {}) as { headers?: unknown[]; cookies?: unknown[]; basic_auth?: boolean };
  if (headers.length > 0 || cookies.length > 0 || basic_auth) return true;
  const pdf = (output.pdf ?? {}) as Record<string, { enabled?: boolean } | null | undefined>;
  const texts = ['header', 'footer', 'first_header', 'first_footer', 'last_footer'];
  return texts.some((name) => pdf[name]?.enabled === true) || pdf.protection != null || (Array.isArray(pdf.attachments) && pdf.attachments.length > 0);
}
