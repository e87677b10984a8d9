import type { components } from 'contract';
import { useSyncExternalStore } from 'react';
import { api, dataOf } from '../api/client.ts';
import { type Problem, ProblemError, problemOf } from '../api/problem.ts';
import { texts } from '../texts.ts';
import type { JsonObject } from './invoice-field.ts';

type Validation = components['schemas']['EInvoiceValidation'];
export type Conformance = Validation['conformance'];
/** A document to check, and its report as soon as it is there. */
export type Received = {
  name: string;
  bytes: Uint8Array;
  isPdf: boolean;
  /** The XML of the invoice: the file itself, or what the PDF carries. Null if there is none. */
  xml: string | null;
  conformance: Conformance | null;
  invoice: JsonObject | null;
  problem: Problem | null;
  isPending: boolean;
};

const MAX_BYTES = 20_000_000;
// No plan takes a larger body.
const MAX_BODY_BYTES = 5_000_000;
const PDF_START = [0x25, 0x50, 0x44, 0x46, 0x2d];
// A PDF may begin with other bytes.
const PDF_START_WITHIN = 1024;
const CARRIED_NAMES = ['factur-x.xml', 'xrechnung.xml', 'zugferd-invoice.xml', 'cii.xml', 'order-x.xml'];
const DECLARED_ENCODING = /^<\?xml[^>]*\sencoding=["']([\w.:-]{1,40})["']/;

const listeners = new Set<() => void>();
let current: Received | null = null;
let running: AbortController | null = null;

/** The document that this tab checks. It stays when another view is opened, and ends with a reload. */
export function useReceived(): Received | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

export function forgetReceived(): void {
  running?.abort();
  publish(null);
}

/** Check a document; another one that is being checked is given up. */
export async function checkDocument(name: string, bytes: Uint8Array): Promise<void> {
  running?.abort();
  const abort = new AbortController();
  running = abort;
  const isPdf = isPdfFile(bytes);
  publish({ name, bytes, isPdf, xml: isPdf ? null : textOf(bytes), conformance: null, invoice: null, problem: problemOfSize(bytes.length), isPending: false });
  if (current?.problem) return;
  change({ isPending: true });
  const carried = isPdf ? carriedXml(bytes).catch(() => null) : null;
  try {
    const { conformance, invoice } = await validate(name, bytes, isPdf, abort.signal);
    const xml = carried ? await carried : (current?.xml ?? null);
    if (!abort.signal.aborted) change({ conformance, invoice: invoice as JsonObject | null, xml, isPending: false });
  } catch (error) {
    if (!abort.signal.aborted) change({ problem: problemOf(error), isPending: false });
  }
}

/** Check the document of the tab again. */
export function checkAgain(): void {
  if (current) void checkDocument(current.name, current.bytes);
}

async function validate(name: string, bytes: Uint8Array, isPdf: boolean, signal: AbortSignal): Promise<Validation> {
  const type = isPdf ? 'application/pdf' : 'application/xml';
  if (bytes.length <= MAX_BODY_BYTES) {
    const sent = { body: bytes as never, bodySerializer: (body: unknown) => body as Blob, headers: { 'Content-Type': type }, signal };
    try {
      return await dataOf(api.POST('/v1/einvoices/validate', sent));
    } catch (error) {
      if (problemOf(error).code !== 'payload_too_large') throw error;
    }
  }
  const id = await upload(name, type, bytes, signal);
  try {
    return await dataOf(api.POST('/v1/einvoices/validate', { body: { upload_id: id }, signal }));
  } finally {
    void api.DELETE('/v1/uploads/{id}', { params: { path: { id } } }).catch(() => undefined);
  }
}

/** Send a file that is too large for the body of a request; returns its id. */
async function upload(name: string, type: string, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const announced = await dataOf(
    api.POST('/v1/uploads', { body: { filename: name.slice(-255), content_type: type, bytes: bytes.length }, signal }),
  );
  if (!('upload' in announced)) throw new Error('an announced upload has a form');
  const form = new FormData();
  for (const [field, value] of Object.entries(announced.upload.fields)) form.append(field, value);
  form.append('file', new Blob([bytes as BlobPart], { type }));
  const answer = await fetch(announced.upload.url, { method: 'POST', body: form, signal });
  if (!answer.ok) throw new ProblemError({ title: texts.invoices.notSent, detail: texts.invoices.notSentDetail(answer.status) });
  return announced.id;
}

/** The XML that a PDF carries. */
async function carriedXml(bytes: Uint8Array): Promise<string | null> {
  const { attachmentsOf } = await import('../pdf/document.ts');
  const files = await attachmentsOf(bytes.slice());
  const found = CARRIED_NAMES.map((name) => files.find((file) => file.name.toLowerCase() === name)).find(Boolean)
    ?? files.find((file) => file.name.toLowerCase().endsWith('.xml'));
  return found ? textOf(found.bytes) : null;
}

function isPdfFile(bytes: Uint8Array): boolean {
  const last = Math.min(bytes.length, PDF_START_WITHIN);
  for (let at = 0; at < last; at += 1) {
    if (PDF_START.every((byte, offset) => bytes[at + offset] === byte)) return true;
  }
  return false;
}

/** The text of an XML in its own encoding; null for bytes that are no text. */
function textOf(bytes: Uint8Array): string | null {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  if (!isUtf16 && bytes.subarray(0, 1000).includes(0)) return null;
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 200));
  const utf16 = bytes[0] === 0xff ? 'utf-16le' : 'utf-16be';
  const encoding = isUtf16 ? utf16 : (DECLARED_ENCODING.exec(start)?.[1] ?? 'utf-8');
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function problemOfSize(size: number): Problem | null {
  if (size === 0) return { title: texts.invoices.isEmpty, detail: texts.invoices.isEmptyDetail };
  if (size > MAX_BYTES) return { title: texts.invoices.isTooLarge, detail: texts.invoices.isTooLargeDetail };
  return null;
}

function change(next: Partial<Received>): void {
  if (current) publish({ ...current, ...next });
}

function publish(next: Received | null): void {
  current = next;
  for (const listener of listeners) listener();
}
