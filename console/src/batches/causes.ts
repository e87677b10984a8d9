import type { BatchItem } from './queries.ts';

/** Failed items with the same cause. */
export type Cause = { code: string; message: string; items: BatchItem[] };

/** The causes of failed items, the most frequent first. */
export function causesOf(items: readonly BatchItem[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const item of items) {
    if (!item.error) continue;
    const message = causeText(item.error);
    const name = `${item.error.code} ${message}`;
    const cause = causes.get(name);
    if (cause) cause.items.push(item);
    else causes.set(name, { code: item.error.code, message, items: [item] });
  }
  return [...causes.values()].sort((one, other) => other.items.length - one.items.length);
}

/** What an error says, without what differs from item to item: its index, and its row. */
function causeText({ message, errors, row }: NonNullable<BatchItem['error']>): string {
  const entry = errors?.[0];
  if (entry) return `${entry.path.replace(/^\/items\/\d+/, '')}: ${entry.message}`;
  return row == null ? message : message.replace(`Row ${row} `, 'Row … ');
}

/** The failed items as a table for a spreadsheet. */
export async function failuresCsv(items: readonly BatchItem[]): Promise<Blob> {
  const { default: Papa } = await import('papaparse');
  const rows = items.map(({ index, reference, filename, render_id, error }) => ({
    index,
    row: error?.row ?? '',
    reference: reference ?? '',
    filename: filename ?? '',
    code: error?.code ?? '',
    message: error?.message ?? '',
    line: error?.line ?? '',
    place: error?.errors?.[0]?.path ?? '',
    render_id: render_id ?? '',
  }));
  // A spreadsheet takes a cell that begins with = for a formula; Excel takes a file without the mark for another encoding.
  const text = Papa.unparse(rows, { escapeFormulae: true, newline: '\r\n' });
  return new Blob([`\ufeff${text}\r\n`], { type: 'text/csv;charset=utf-8' });
}
