import type { components } from 'contract';
import { useCallback, useState } from 'react';
import html from './document/template.html?raw';
import css from './document/style.css?raw';
import type { Json, JsonObject } from './invoice-field.ts';
import { isObject, stepsOf } from './fields.ts';

type EInvoiceRequest = components['schemas']['EInvoiceRequest'];
type RenderRequest = components['schemas']['RenderRequest'];
export type Profile = EInvoiceRequest['profile'];
export type Syntax = NonNullable<EInvoiceRequest['syntax']>;
export type Output = 'xml' | 'pdf';
/** What is written in the form. */
export type InvoiceDraft = { profile: Profile; syntax: Syntax; output: Output; invoice: JsonObject };
export type ChangeInvoice = (path: string, value: Json | undefined) => void;

export const PROFILES: readonly Profile[] = ['EN16931', 'XRECHNUNG', 'PEPPOL', 'EXTENDED', 'BASIC', 'BASIC_WL', 'MINIMUM'];
export const OUTPUTS: readonly Output[] = ['pdf', 'xml'];
/** Where the invoice is in the data of a PDF. */
const DATA_NAME = 'bill';
const STORED = 'platen.invoice';

export const BLANK: InvoiceDraft = { profile: 'EN16931', syntax: 'cii', output: 'pdf', invoice: { currency: 'EUR', lines: [{}] } };

export function syntaxesOf(profile: Profile, output: Output): Syntax[] {
  if (profile === 'PEPPOL') return ['ubl'];
  return output === 'xml' && (profile === 'EN16931' || profile === 'XRECHNUNG') ? ['cii', 'ubl'] : ['cii'];
}

/** Peppol has no PDF that carries its XML. */
export function outputsOf(profile: Profile): readonly Output[] {
  return profile === 'PEPPOL' ? ['xml'] : OUTPUTS;
}

/** A draft with another file to make; what does not go with it becomes what does. */
export function withTarget(draft: InvoiceDraft, target: Partial<Omit<InvoiceDraft, 'invoice'>>): InvoiceDraft {
  const next = { ...draft, ...target };
  const outputs = outputsOf(next.profile);
  const output = outputs.includes(next.output) ? next.output : (outputs[0] ?? 'xml');
  const syntaxes = syntaxesOf(next.profile, output);
  return { ...next, output, syntax: syntaxes.includes(next.syntax) ? next.syntax : (syntaxes[0] ?? 'cii') };
}

export function isEmpty(draft: InvoiceDraft): boolean {
  return JSON.stringify(sentInvoice(draft.invoice)) === JSON.stringify(BLANK.invoice);
}

/** The draft of this tab, which outlives a reload. */
export function useInvoiceDraft(): [InvoiceDraft, (change: (draft: InvoiceDraft) => InvoiceDraft) => void] {
  const [draft, setDraft] = useState(stored);
  const change = useCallback((next: (draft: InvoiceDraft) => InvoiceDraft) => {
    setDraft((before) => {
      const after = next(before);
      try {
        sessionStorage.setItem(STORED, JSON.stringify(after));
      } catch {
        // Larger than the storage of a tab: it lives until the reload.
        sessionStorage.removeItem(STORED);
      }
      return after;
    });
  }, []);
  return [draft, change];
}

function stored(): InvoiceDraft {
  const text = sessionStorage.getItem(STORED);
  return text === null ? BLANK : (JSON.parse(text) as InvoiceDraft);
}

/** A value with another one at a path; undefined removes what is there, and groups that are then empty. */
export function withValue(invoice: JsonObject, path: string, value: Json | undefined): JsonObject {
  return changed(invoice, stepsOf(path), value) as JsonObject;
}

function changed(holder: Json | undefined, [step, ...rest]: (string | number)[], value: Json | undefined): Json | undefined {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const entries = Array.isArray(holder) ? [...holder] : [];
    const next = changed(entries[step], rest, value);
    // An entry of a list stays, so that the others keep their places; it is removed by its button.
    if (next === undefined && rest.length === 0) entries.splice(step, 1);
    else entries[step] = next ?? {};
    return entries.length > 0 ? entries : undefined;
  }
  const { [step]: before, ...others } = isObject(holder) ? holder : {};
  const next = changed(before, rest, value);
  if (next !== undefined) return { ...(isObject(holder) ? holder : {}), [step]: next };
  return Object.keys(others).length > 0 ? others : undefined;
}

/** The invoice without empty texts and groups. */
function sentInvoice(invoice: JsonObject): JsonObject {
  return (withoutEmpty(invoice) ?? {}) as JsonObject;
}

function withoutEmpty(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map((each) => withoutEmpty(each) ?? {});
  if (!isObject(value)) return value === '' || value === null ? undefined : value;
  const entries = Object.entries(value).flatMap(([name, each]) => {
    const kept = withoutEmpty(each);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** The body of `POST /v1/einvoices`, and of its preflight. */
export function xmlRequest({ profile, syntax, invoice }: InvoiceDraft): EInvoiceRequest {
  return { profile, syntax, invoice: sentInvoice(invoice) } as unknown as EInvoiceRequest;
}

/** The body of `POST /v1/renders` for a PDF that carries the invoice; `formats` can have its XML beside it. */
export function pdfRequest(draft: InvoiceDraft, formats: ('pdf' | 'xml')[]): RenderRequest {
  const body = {
    input: { type: 'html', html, head: `<style>\n${css}</style>` },
    data: { [DATA_NAME]: sentInvoice(draft.invoice) },
    output: { formats, filename: '{{ invoice.number }}', ...pdfOptions(draft) },
  };
  return body as unknown as RenderRequest;
}

/** The same document as a draft of the playground. */
export function playgroundDraft(draft: InvoiceDraft) {
  const data = `${JSON.stringify({ [DATA_NAME]: sentInvoice(draft.invoice) }, null, 2)}\n`;
  const name = String(draft.invoice.number ?? '');
  return { name, sources: { html, css, header: '', footer: '', data }, output: pdfOptions(draft) };
}

function pdfOptions({ profile }: InvoiceDraft) {
  return { einvoice: { profile, invoice_path: DATA_NAME }, pdf: { pdfua: true, margin: { top: '18mm', right: '20mm', bottom: '18mm', left: '20mm' } } };
}
