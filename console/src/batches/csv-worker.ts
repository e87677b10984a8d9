import Papa from 'papaparse';
import { csvStart } from './csv-start.ts';

/** What a CSV file holds: its columns, its first rows, and how many there are. */
export type CsvContent = { columns: string[]; rows: string[][]; total: number; uneven: number };

const SHOWN_ROWS = 20;

// A file may have 200 MB: it is read in parts, beside the view.
addEventListener('message', ({ data: { file, head } }: MessageEvent<{ file: File; head: string }>) => {
  const content: CsvContent = { columns: [], rows: [], total: 0, uneven: 0 };
  const { delimiter, skipped } = csvStart(head);
  let hasHeader = false;
  Papa.parse<string[]>(skipped === 0 ? file : new File([file.slice(skipped)], file.name), {
    delimiter,
    skipEmptyLines: 'greedy',
    chunk: ({ data }) => {
      for (const row of data) {
        if (!hasHeader) {
          content.columns = row.map((name) => name.trim());
          hasHeader = true;
          continue;
        }
        content.total += 1;
        if (row.length !== content.columns.length) content.uneven += 1;
        if (content.rows.length < SHOWN_ROWS) content.rows.push(row);
      }
    },
    complete: () => postMessage(content),
    error: (error) => { throw error; },
  });
});
