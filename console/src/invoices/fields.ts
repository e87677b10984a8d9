import sections from 'virtual:invoice-form';
import { labelOf } from '../ui/label.ts';
import type { InvoiceField, Json, JsonObject } from './invoice-field.ts';

const STEP = /[^.[\]]+/g;

const byPath = new Map<string, InvoiceField>();
for (const section of sections) register(section.fields);

function register(fields: InvoiceField[]): void {
  for (const field of fields) {
    byPath.set(field.path, field);
    if ('fields' in field) register(field.fields);
  }
}

/** The field at a path such as `lines[1].vat.rate`; null if the contract has none. */
export function fieldAt(path: string): InvoiceField | null {
  const pattern = path.replace(/\[\d+\]/g, '[]').replace(/^vat_exemptions\.[A-Z]+/, 'vat_exemptions.*');
  return byPath.get(pattern) ?? byPath.get(pattern.replace(/\[\]$/, '')) ?? null;
}

const byTerm = new Map([...byPath.values()].filter(({ term, path }) => term !== '' && !path.includes('[]')).map((field) => [field.term, field.path]));

/** The path of the first field that a text names by its number, such as "(BT-10)"; null if it names none. */
export function pathOfTerms(text: string): string | null {
  for (const [term] of text.matchAll(/B[TG]-\d+/g)) {
    const path = byTerm.get(term);
    if (path) return path;
  }
  return null;
}

/** A path as words, such as "Lines 2 › VAT › Rate". */
export function shownPath(path: string): string {
  const words = path.match(STEP) ?? [];
  const shown: string[] = [];
  for (const word of words) {
    if (/^\d+$/.test(word)) shown.push(`${shown.pop() ?? ''} ${Number(word) + 1}`.trim());
    else shown.push(labelOf(word));
  }
  return shown.join(' › ');
}

/** A path of a finding without the name of the invoice before it. */
export function innerPath(path: string): string {
  return path.replace(/^invoice\.?/, '');
}

/** The steps of a path: names, and positions as numbers. */
export function stepsOf(path: string): (string | number)[] {
  return (path.match(STEP) ?? []).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

/** A JSON pointer as a path: `/lines/0/vat` is `lines[0].vat`. */
export function pathOfPointer(pointer: string): string {
  const steps = pointer.split('/').slice(1).map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  return steps.reduce((path, step) => (/^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`), '');
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(invoice: Json, path: string): Json | undefined {
  return stepsOf(path).reduce<Json | undefined>((value, step) => {
    if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
    return isObject(value) ? value[step] : undefined;
  }, invoice);
}
