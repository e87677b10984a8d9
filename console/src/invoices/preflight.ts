import type { components } from 'contract';
import { useEffect, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { type Problem, problemOf } from '../api/problem.ts';
import { type InvoiceDraft, xmlRequest } from './draft.ts';
import { fieldAt, innerPath, pathOfPointer } from './fields.ts';
import type { InvoiceField } from './invoice-field.ts';

type Report = components['schemas']['Preflight'];
export type Totals = components['schemas']['InvoiceTotals'];
/** Something to change, at its field; `path` is empty for what no single field is about. */
export type Fault = { path: string; message: string; isMissing: boolean; rule?: string };
export type Preflight = {
  /** The JSON of the request that the answer is about. */
  request: string;
  faults: Fault[];
  totals: Totals | null;
  problem: Problem | null;
};

const PAUSE_MS = 250;
const NOTHING: Preflight = { request: '', faults: [], totals: null, problem: null };

/** Rules and totals of a draft, asked for after a pause. The last answer stays until the next one is there. */
export function usePreflight(draft: InvoiceDraft, isActive: boolean): { preflight: Preflight; isPending: boolean } {
  const [preflight, setPreflight] = useState(NOTHING);
  const request = JSON.stringify(xmlRequest(draft));
  useEffect(() => {
    if (!isActive) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      dataOf(api.POST('/v1/einvoices/preflight', { body: JSON.parse(request), signal: abort.signal })).then(
        (report) => !abort.signal.aborted && setPreflight({ request, ...read(report), problem: null }),
        (error) => !abort.signal.aborted && setPreflight((before) => ({ ...before, request, problem: problemOf(error) })),
      );
    }, PAUSE_MS);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [request, isActive]);
  return { preflight, isPending: isActive && preflight.request !== request };
}

function read({ errors, invoice }: Report): Pick<Preflight, 'faults' | 'totals'> {
  const faults = errors.map(({ path, code, message }) => {
    const isMissing = code === 'required';
    const place = innerPath(pathOfPointer(path));
    return { path: isMissing ? firstNeeded(place) : place, message: withoutPath(message), isMissing };
  });
  return { faults, totals: invoice };
}

/** The first field that a missing group needs. */
function firstNeeded(path: string): string {
  const field: InvoiceField | null = fieldAt(path);
  if (field?.kind !== 'group') return path;
  const first = field.fields.find(({ isRequired }) => isRequired) ?? field.fields[0];
  return first ? firstNeeded(`${path}.${first.name}`) : path;
}

/** A message without the path that it begins with: it stands at its field. */
export function withoutPath(message: string): string {
  return message.replace(/^invoice(?:\.\w+|\[\d+\])+ (?=\w)/, '');
}
