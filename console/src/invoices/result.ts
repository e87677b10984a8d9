import type { components } from 'contract';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { type Problem, ProblemError, problemOf } from '../api/problem.ts';
import { bytesOf } from '../playground/files.ts';
import { PREVIEW } from '../playground/preview-mark.ts';
import { type InvoiceDraft, pdfRequest, xmlRequest } from './draft.ts';
import { innerPath } from './fields.ts';
import { type Fault, withoutPath } from './preflight.ts';
import type { Conformance } from './received.ts';

type Render = components['schemas']['Render'];
export type MadeFile = { name: string; bytes: Uint8Array; type: string };
export type Result = {
  /** The JSON of the request that the files are of. */
  request: string;
  render: Render | null;
  pdf: MadeFile | null;
  xml: MadeFile | null;
  /** What the official validators say about the last attempt. */
  conformance: Conformance | null;
  /** What they refused. */
  faults: Fault[];
  problem: Problem | null;
  isPending: boolean;
  isKept: boolean;
};

const PAUSE_MS = 600;
const FORMATS: ('pdf' | 'xml')[] = ['pdf', 'xml'];
const NOTHING: Result = { request: '', render: null, pdf: null, xml: null, conformance: null, faults: [], problem: null, isPending: false, isKept: false };

/** Files of a draft: made after a pause where that is wanted, and kept when somebody asks for it. */
export function useResult(draft: InvoiceDraft, isAutomatic: boolean): { result: Result; request: string; make: () => void } {
  const [result, setResult] = useState(NOTHING);
  const running = useRef<AbortController | null>(null);
  // A second press while a file is made that is kept would make, and bill, another one.
  const isKeeping = useRef(false);
  const request = JSON.stringify(draft.output === 'pdf' ? pdfRequest(draft, FORMATS) : xmlRequest(draft));
  const latest = useRef(draft);
  latest.current = draft;

  const send = useCallback(async (made: InvoiceDraft, isKept: boolean) => {
    if (isKeeping.current) return;
    isKeeping.current = isKept;
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setResult((before) => ({ ...before, isPending: true }));
    const body = made.output === 'pdf' ? pdfRequest(made, FORMATS) : xmlRequest(made);
    const next = { request: JSON.stringify(body), isPending: false, isKept };
    try {
      const render = await sent(made, isKept, abort.signal);
      const files = await Promise.all(render.files.map((file) => readFile(file, abort.signal)));
      if (abort.signal.aborted) return;
      const of = (format: string) => files[render.files.findIndex((file) => file.format === format)] ?? null;
      setResult({ ...next, render, pdf: of('pdf'), xml: of('xml'), conformance: render.result?.conformance ?? null, faults: [], problem: null });
    } catch (error) {
      if (abort.signal.aborted) return;
      const conformance = error instanceof ProblemError ? conformanceOf(error.problem) : null;
      setResult((before) => ({ ...before, ...next, conformance, faults: faultsOf(conformance), problem: problemOf(error) }));
    } finally {
      if (isKept) isKeeping.current = false;
    }
  }, []);

  useEffect(() => {
    if (!isAutomatic) return undefined;
    const timer = setTimeout(() => void send(latest.current, false), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [request, isAutomatic, send]);
  useEffect(() => () => running.current?.abort(), []);

  const make = useCallback(() => void send(latest.current, true), [send]);
  return { result, request, make };
}

async function sent(draft: InvoiceDraft, isKept: boolean, signal: AbortSignal): Promise<Render> {
  // A preview is not stored: the answer carries its files.
  const how = isKept
    ? { delivery: { type: 'base64' as const } }
    : { metadata: { [PREVIEW.name]: PREVIEW.value }, timeout_behavior: 'cancel' as const, delivery: { type: 'base64' as const, hosted: false } };
  const answer = draft.output === 'pdf'
    ? await dataOf(api.POST('/v1/renders', { body: { ...pdfRequest(draft, FORMATS), ...how }, signal }))
    : await dataOf(api.POST('/v1/einvoices', { body: { ...xmlRequest(draft), ...how }, signal }));
  return answer as Render;
}

async function readFile(file: Render['files'][number], signal: AbortSignal): Promise<MadeFile | null> {
  const named = { name: file.filename, type: file.content_type };
  if (file.content_base64) return { ...named, bytes: bytesOf(file.content_base64) };
  if (!file.url) return null;
  const answer = await fetch(file.url, { signal });
  return { ...named, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

function conformanceOf(problem: Problem): Conformance | null {
  return (problem as { result?: { conformance?: Conformance } }).result?.conformance ?? null;
}

function faultsOf(conformance: Conformance | null): Fault[] {
  return (conformance?.einvoice?.errors ?? []).map(({ rule, message, path }) => ({
    rule,
    message: withoutPath(message),
    // Paths of a PDF begin with the place of the invoice in the data.
    path: innerPath((path ?? '').replace(/^data\.bill\b/, 'invoice')),
    isMissing: false,
  }));
}
