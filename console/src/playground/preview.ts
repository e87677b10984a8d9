import type { components } from 'contract';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { bytesOf } from './files.ts';
import { PREVIEW } from './preview-mark.ts';

export type Render = components['schemas']['Render'];
export type RenderFile = components['schemas']['RenderFile'];
type RenderRequest = components['schemas']['RenderRequest'];

export type Preview = {
  /** The last answer; it stays while the next one is made, and when that fails. */
  render: Render | null;
  /** The file of that answer with its bytes. */
  document: { file: RenderFile; bytes: Uint8Array } | null;
  problem: Problem | null;
  isPending: boolean;
  /** From the request to the file, in milliseconds. */
  ms: number | null;
};

/** A request without its delivery; another object is another request. */
type RequestBody = { output: Record<string, unknown> & { format: string } };

const PAUSE_MS = 250;
const NOTHING: Preview = { render: null, document: null, problem: null, isPending: false, ms: null };

/** What `usePreview` gives: `keep` makes a render that is stored, `again` repeats a preview that failed. */
export type Previewing = { preview: Preview; keep: () => void; again: () => void };

/**
 * Preview of a request, made after a pause; a newer request ends an older one. A render that is
 * kept is never ended, and never made twice: previews wait for it.
 */
export function usePreview(request: RequestBody | null, isAutomatic: boolean): Previewing {
  const [preview, setPreview] = useState(NOTHING);
  const running = useRef<AbortController | null>(null);
  const keeping = useRef(false);
  const isStale = useRef(false);
  const latest = useRef(request);
  latest.current = request;

  const send = useCallback(async (body: RequestBody, isKept: boolean) => {
    if (keeping.current) { isStale.current ||= !isKept; return; }
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    keeping.current = isKept;
    setPreview((before) => ({ ...before, isPending: true }));
    const started = performance.now();
    try {
      const render = await dataOf(api.POST('/v1/renders', { body: sent(body, isKept), signal: abort.signal })) as Render;
      const document = await documentOf(render, body.output.format, abort.signal);
      if (abort.signal.aborted) return;
      setPreview({ render, document, problem: null, isPending: false, ms: Math.round(performance.now() - started) });
    } catch (error) {
      if (abort.signal.aborted) return;
      setPreview((before) => ({ ...before, problem: problemOf(error), isPending: false }));
    } finally {
      if (isKept) keeping.current = false;
    }
    if (isKept && isStale.current && latest.current !== null) void send(latest.current, false);
    isStale.current = false;
  }, []);

  const again = useCallback(() => {
    if (latest.current !== null) void send(latest.current, false);
  }, [send]);
  useEffect(() => {
    if (request === null || !isAutomatic) return undefined;
    const timer = setTimeout(() => void send(request, false), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [request, isAutomatic, send]);
  useEffect(() => () => running.current?.abort(), []);

  // What failed because the network was away is repeated when it is back.
  const isUnreachable = preview.problem !== null && preview.problem.status === undefined;
  useEffect(() => {
    if (!isUnreachable || !isAutomatic) return undefined;
    addEventListener('online', again);
    return () => removeEventListener('online', again);
  }, [isUnreachable, isAutomatic, again]);

  const keep = useCallback(() => {
    if (latest.current !== null) void send(latest.current, true);
  }, [send]);
  return { preview, keep, again };
}

/** A preview is not stored: the answer carries its file. */
function sent(body: object, isKept: boolean): RenderRequest {
  if (isKept) return { ...body, delivery: { type: 'base64' } } as object as RenderRequest;
  const metadata = { [PREVIEW.name]: PREVIEW.value };
  return { ...body, metadata, timeout_behavior: 'cancel', delivery: { type: 'base64', hosted: false } } as object as RenderRequest;
}

async function documentOf(render: Render, format: string, signal: AbortSignal): Promise<Preview['document']> {
  const file = render.files.find((each) => each.format === format);
  if (!file) return null;
  if (file.content_base64) return { file, bytes: bytesOf(file.content_base64) };
  if (!file.url) return null;
  const answer = await fetch(file.url, { signal });
  return { file, bytes: new Uint8Array(await answer.arrayBuffer()) };
}
