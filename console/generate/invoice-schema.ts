import { readFile } from 'node:fs/promises';
import type { Plugin } from 'vite';
import type { InvoiceField, InvoiceSection, Json, JsonObject } from '../src/invoices/invoice-field.ts';

const FORM = 'virtual:invoice-form';
const EXAMPLES = 'virtual:invoice-examples';
const TERMS = /\s*\((B[TG]-\d+(?:,\s+B[TG]-\d+)*)\)/;
/** Where a schema with several numbers occurs: the first number is that of the first place. */
const PLACES: Record<string, string[]> = {
  InvoiceAddress: ['seller.', 'buyer.', 'tax_representative.', 'delivery.'],
  InvoiceContact: ['seller.', 'buyer.'],
  InvoiceAdjustment: ['allowances[]', 'charges[]', 'lines[].allowances[]', 'lines[].charges[]'],
  InvoiceDocumentAdjustment: ['allowances[]', 'charges[]'],
  InvoiceVat: ['allowances[]', 'charges[]', 'lines[]'],
  InvoicePeriod: ['invoice_period', 'lines[]'],
};
/** Groups of EN 16931 that the model has no object for, by the numbers of their fields. */
const LOOSE_GROUPS = [
  { name: 'document', term: '', first: 1, last: 24 },
  { name: 'totals', term: 'BG-22', first: 106, last: 115 },
];
const ORDER = [
  'document', 'notes', 'preceding_invoices', 'seller', 'buyer', 'payee', 'tax_representative', 'delivery', 'invoice_period',
  'payment', 'allowances', 'charges', 'totals', 'vat_exemptions', 'supporting_documents', 'lines',
];
const LONG_TEXT = 1000;
// Usual, though the examples leave it to its default.
const DEFAULTED = new Set(['type_code']);

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: string[];
  format?: string;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  required?: string[];
  items?: Schema;
  description?: string;
  maxLength?: number;
};
type Example = { name: string; title: string; profile: string; invoice: JsonObject };

/** The fields of an invoice in the order of EN 16931, made from the OpenAPI document, and invoices to begin with. */
export function invoiceSchema(root: string): Plugin {
  const document = `${root}infra/openapi.json`;
  const sources = [`${root}docs/requests/e-invoice.json`, `${root}examples/invoice/request.json`];
  const readJson = async (file: string) => JSON.parse(await readFile(file, 'utf-8'));
  const examples = async (): Promise<Example[]> => {
    const requests = await Promise.all(sources.map(readJson));
    return requests.map(({ data, output }) => {
      const { profile, invoice_path: path } = output.einvoice;
      const invoice = data[path] as JsonObject & { number: string; seller: { name: string } };
      return { name: invoice.number, title: `${invoice.seller.name}, ${invoice.number}`, profile, invoice };
    });
  };
  return {
    name: 'platen:invoice-form',
    resolveId: (id) => (id === FORM || id === EXAMPLES ? `\0${id}` : undefined),
    async load(id) {
      if (id !== `\0${FORM}` && id !== `\0${EXAMPLES}`) return undefined;
      this.addWatchFile(document);
      const known = await examples();
      const { paths, components } = await readJson(document);
      if (id === `\0${FORM}`) {
        const used = new Set(known.flatMap(({ invoice }) => pathsOf(invoice, '')));
        return `export default ${JSON.stringify(sectionsOf(components.schemas, used))}`;
      }
      const { content } = paths['/v1/einvoices/validate'].post.requestBody;
      const received: string = content['application/xml'].examples.xml.value;
      return `export const invoices = ${JSON.stringify(known)};\nexport const received = ${JSON.stringify(received)};`;
    },
  };
}

function sectionsOf(schemas: Record<string, Schema>, used: Set<string>): InvoiceSection[] {
  const fields = fieldsOf('Invoice', '', schemas, used);
  const sections: InvoiceSection[] = LOOSE_GROUPS.map(({ name, term, first, last }) => ({
    name,
    term,
    fields: fields.filter((field) => isBetween(field.term, first, last)).sort((one, other) => numberOf(one.term) - numberOf(other.term)),
  }));
  const loose = new Set(sections.flatMap((section) => section.fields));
  for (const field of fields) {
    if (!loose.has(field)) sections.push({ name: field.name, term: field.term, fields: [field] });
  }
  const unknown = sections.filter(({ name }) => !ORDER.includes(name));
  if (unknown.length > 0) throw new Error(`no place in the form for ${unknown.map(({ name }) => name).join(', ')}`);
  return sections.sort((one, other) => ORDER.indexOf(one.name) - ORDER.indexOf(other.name));
}

function fieldsOf(model: string, prefix: string, schemas: Record<string, Schema>, used: Set<string>): InvoiceField[] {
  const { properties = {}, required = [] } = schemas[model] ?? {};
  return Object.entries(properties).map(([name, given]): InvoiceField => {
    const path = `${prefix}${name}`;
    const [description, terms] = split((given.description ?? '').replaceAll('\n', ' '));
    const usual = /Default: `([^`]*)`/.exec(description)?.[1];
    const base = {
      name, path, description,
      term: termAt(model, path, terms),
      isRequired: required.includes(name),
      isUsual: used.has(path) || DEFAULTED.has(path),
      ...(usual === undefined ? {} : { usual }),
    };
    const schema = withoutNull(given);
    const target = nameOf(schema);
    const inner = target === undefined ? schema : (schemas[target] ?? {});
    if (target && inner.properties) return { ...base, kind: 'group', fields: fieldsOf(target, `${path}.`, schemas, used) };
    if (schema.items) return { ...base, kind: 'list', fields: fieldsOf(nameOf(schema.items) ?? '', `${path}[].`, schemas, used) };
    if (typeof schema.additionalProperties === 'object') {
      const entry = nameOf(schema.additionalProperties) ?? '';
      return { ...base, kind: 'map', keys: schema.propertyNames?.enum ?? [], fields: fieldsOf(entry, `${path}.*.`, schemas, used) };
    }
    if (inner.enum) return { ...base, kind: 'choice', values: inner.enum };
    if (schema.oneOf) return { ...base, kind: 'decimal' };
    if (schema.format === 'date') return { ...base, kind: 'date' };
    return { ...base, kind: (schema.maxLength ?? 0) > LONG_TEXT ? 'long' : 'text' };
  });
}

/** A description without its numbers, and the numbers. */
function split(description: string): [string, string[]] {
  const found = TERMS.exec(description);
  return [description.replace(TERMS, ''), found?.[1]?.split(/,\s+/) ?? []];
}

function termAt(model: string, path: string, terms: string[]): string {
  const places = PLACES[model];
  if (terms.length <= 1 || !places) return terms.join(', ');
  const at = places.findIndex((place) => path.startsWith(place));
  if (at < 0) throw new Error(`${model}: no places for ${path} ${terms.join(', ')}`);
  return terms[at] ?? '';
}

function withoutNull(schema: Schema): Schema {
  const others = (schema.oneOf ?? []).filter((each) => each.type !== 'null');
  const only = others.length === 1 ? others[0] : undefined;
  return only ?? schema;
}

function nameOf(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1);
}

function isBetween(term: string, first: number, last: number): boolean {
  return term.startsWith('BT-') && numberOf(term) >= first && numberOf(term) <= last;
}

function numberOf(term: string): number {
  return Number(term.slice(3));
}

/** The paths of all members of an invoice, with `[]` for entries. */
function pathsOf(value: Json, path: string): string[] {
  if (Array.isArray(value)) return [path, ...value.flatMap((each) => pathsOf(each, `${path}[]`))];
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, each]) => pathsOf(each, path ? `${path}.${name}` : name))];
}
