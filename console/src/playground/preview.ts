import type { components } from 'contract';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { bytesOf } from './files.ts';
import { PREVIEW } from './preview-mark.ts';

type Render = components['schemas']['Render'];
type RenderRequest = components['schemas']['RenderRequest'];

export type Preview = {
  /** The last answer; it stays while the next one is made, and when that fails. */
  render: Render | null;
  bytes: Uint8Array | null;
  problem: Problem | null;
  isPending: boolean;
  /** From the request to the file, in milliseconds. */
  ms: number | null;
};

const PAUSE_MS = 250;
const NOTHING: Preview = { render: null, bytes: null, problem: null, isPending: false, ms: null };

/** Preview of a request, without its delivery: made after a pause; a newer request ends an older one. */
export function usePreview(request: object | null, isAutomatic: boolean): [Preview, () => void] {
  const [preview, setPreview] = useState(NOTHING);
  const running = useRef<AbortController | null>(null);
  const json = request === null ? null : JSON.stringify(request);
  const latest = useRef(request);
  latest.current = request;

  const send = useCallback(async (body: object, isKept: boolean) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setPreview((before) => ({ ...before, isPending: true }));
    const started = performance.now();
    try {
      const render = await dataOf(
        api.POST('/v1/renders', { body: sent(body, isKept), signal: abort.signal }),
      );
      const bytes = await fileOf(render as Render, abort.signal);
      if (abort.signal.aborted) return;
      const ms = Math.round(performance.now() - started);
      setPreview({ render: render as Render, bytes, problem: null, isPending: false, ms });
    } catch (error) {
      if (abort.signal.aborted) return;
      setPreview((before) => ({ ...before, problem: problemOf(error), isPending: false }));
    }
  }, []);

  useEffect(() => {
    if (json === null || !isAutomatic) return undefined;
    const timer = setTimeout(() => void send(JSON.parse(json) as object, false), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [json, isAutomatic, send]);
  useEffect(() => () => running.current?.abort(), []);

  const keep = useCallback(() => {
    if (latest.current !== null) void send(latest.current, true);
  }, [send]);
  return [preview, keep];
}

/** A preview is not stored: the answer carries its file. */
function sent(body: object, isKept: boolean): RenderRequest {
  if (isKept) return { ...body, delivery: { type: 'base64' } } as object as RenderRequest;
  const metadata = { [PREVIEW.name]: PREVIEW.value };
  return { ...body, metadata, timeout_behavior: 'cancel', delivery: { type: 'base64', hosted: false } } as object as RenderRequest;
}

async function fileOf(render: Render, signal: AbortSignal): Promise<Uint8Array | null> {
  const file = render.files.find((each) => each.format === 'pdf');
  if (file?.content_base64) return bytesOf(file.content_base64);
  if (!file?.url) return null;
  const answer = await fetch(file.url, { signal });
  return new Uint8Array(await answer.arrayBuffer());
}
