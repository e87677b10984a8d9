import type { components } from 'contract';
import { texts } from '../texts.ts';
import { shownBytes, shownNumber } from '../ui/format.ts';
import type { CsvContent } from './csv-worker.ts';

type ItemSpec = components['schemas']['BatchItemSpec'];
type Data = Record<string, unknown>;

/** What the items of a new batch are made of. */
export type Source =
  | ({ kind: 'csv'; file: File } & CsvContent)
  | { kind: 'json'; file: File; values: Data[]; isItems: boolean };

// Bounds of a batch, and of an upload.
export const MAX_ITEMS = 100_000;
const MAX_CSV_BYTES = 200_000_000;
const MAX_JSON_BYTES = 4_000_000;
const HEAD_BYTES = 65_536;
const ITEM_MEMBERS = new Set(['data', 'filename', 'metadata', 'reference']);
const WORKBOOKS = ['PK\u0003\u0004', '\u00d0\u00cf\u0011\u00e0'];

/** Why a file cannot be taken, for people. */
export class SourceFault extends Error {}

/** Read a file of items: CSV, lines of JSON, or one list in JSON. */
export async function readSource(file: File): Promise<Source> {
  if (file.size === 0) throw new SourceFault(texts.newBatch.empty(file.name));
  const bytes = await file.slice(0, HEAD_BYTES).arrayBuffer().catch(() => {
    // A folder has a name and a size, and cannot be read.
    throw new SourceFault(texts.newBatch.unreadable(file.name));
  });
  const signature = String.fromCharCode(...new Uint8Array(bytes.slice(0, 4)));
  if (WORKBOOKS.includes(signature)) throw new SourceFault(texts.newBatch.workbook(file.name));
  const head = headText(file, bytes);
  const start = head.trimStart();
  if (start === '') throw new SourceFault(texts.newBatch.empty(file.name));
  if (/^<(?:!doctype|\?xml|html|!--)/i.test(start) || start.startsWith('%PDF-')) throw new SourceFault(texts.newBatch.otherKind(file.name));
  return /^[{[]\s*["{[\]}\d]/.test(start) ? readJson(file) : readCsv(file, head);
}

function headText(file: File, bytes: ArrayBuffer): string {
  try {
    // The last character may be cut.
    const head = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    if (!head.includes('\0')) return head;
  } catch {
    // Told below.
  }
  throw new SourceFault(texts.newBatch.notUtf8(file.name));
}

async function readCsv(file: File, head: string): Promise<Source> {
  if (file.size > MAX_CSV_BYTES) throw new SourceFault(texts.newBatch.csvTooLarge(shownBytes(file.size), shownBytes(MAX_CSV_BYTES)));
  const content = await parsedCsv(file, head);
  const { columns, total } = content;
  const unnamed = columns.indexOf('');
  const twice = columns.find((name, at) => columns.indexOf(name) !== at);
  if (unnamed >= 0) throw new SourceFault(texts.newBatch.unnamedColumn(unnamed + 1));
  if (twice !== undefined) throw new SourceFault(texts.newBatch.columnTwice(twice));
  if (total === 0) throw new SourceFault(texts.newBatch.noRows(file.name));
  if (total > MAX_ITEMS) throw new SourceFault(texts.newBatch.tooMany(shownNumber(total), shownNumber(MAX_ITEMS)));
  return { kind: 'csv', file, ...content };
}

function parsedCsv(file: File, head: string): Promise<CsvContent> {
  const worker = new Worker(new URL('./csv-worker.ts', import.meta.url), { type: 'module' });
  return new Promise<CsvContent>((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = () => reject(new SourceFault(texts.newBatch.unreadable(file.name)));
    worker.postMessage({ file, head });
  }).finally(() => worker.terminate());
}

async function readJson(file: File): Promise<Source> {
  if (file.size > MAX_JSON_BYTES) throw new SourceFault(texts.newBatch.jsonTooLarge(shownBytes(file.size), shownBytes(MAX_JSON_BYTES)));
  const text = await file.text();
  const values = text.trimStart().startsWith('[') ? listOf(text) : linesOf(text);
  if (values.length === 0) throw new SourceFault(texts.newBatch.empty(file.name));
  if (values.length > MAX_ITEMS) throw new SourceFault(texts.newBatch.tooMany(shownNumber(values.length), shownNumber(MAX_ITEMS)));
  return { kind: 'json', file, values, isItems: values.every(isItem) };
}

function linesOf(text: string): Data[] {
  return text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [objectOf(line, at + 1)]));
}

function listOf(text: string): Data[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new SourceFault(texts.newBatch.badJson((error as Error).message));
  }
  if (!Array.isArray(list)) throw new SourceFault(texts.newBatch.badJson(texts.newBatch.noList));
  return list.map((value, at) => {
    if (!isObject(value)) throw new SourceFault(texts.newBatch.badEntry(at + 1));
    return value;
  });
}

function objectOf(line: string, number: number): Data {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch (error) {
    throw new SourceFault(texts.newBatch.badLine(number, (error as Error).message));
  }
  throw new SourceFault(texts.newBatch.badLine(number, texts.newBatch.noObject));
}

/** Whether a value looks like a whole item, not like the data of one. */
function isItem(value: Data): boolean {
  return isObject(value.data) && Object.keys(value).every((name) => ITEM_MEMBERS.has(name));
}

export function isObject(value: unknown): value is Data {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function countOf(source: Source): number {
  return source.kind === 'csv' ? source.total : source.values.length;
}

/** The items of a source in JSON. */
export function itemsOf(source: Source & { kind: 'json' }): ItemSpec[] {
  return source.isItems ? (source.values as ItemSpec[]) : source.values.map((data) => ({ data }));
}

/** Paths into the data, each with its column; null if all columns stand under their own names. */
export type Mapping = Record<string, string>;
/** The path that each column fills, by the name of the column; empty for none. */
export type Paths = Record<string, string>;

export const NAME_COLUMNS = new Set(['_filename', '_reference']);

export function mappingOf(columns: readonly string[], paths: Paths): Mapping | null {
  const own = columns.filter((column) => !NAME_COLUMNS.has(column));
  if (own.every((column) => paths[column] === column)) return null;
  return Object.fromEntries(own.flatMap((column) => (paths[column] ? [[paths[column], column]] : [])));
}

/** The data of a row, as the API makes them. */
export function dataOfRow(columns: readonly string[], row: readonly string[], paths: Paths): Data {
  const data = plain();
  for (const [at, column] of columns.entries()) {
    const steps = NAME_COLUMNS.has(column) ? [] : (paths[column] ?? '').split('.').filter(Boolean);
    const last = steps.pop();
    if (last === undefined) continue;
    let place = data;
    for (const step of steps) {
      const inner = place[step];
      place = isObject(inner) ? inner : (place[step] = plain());
    }
    place[last] = row[at] ?? '';
  }
  return data;
}

/** An object without inherited members: a column may be named `__proto__`. */
function plain(): Data {
  return Object.create(null) as Data;
}
