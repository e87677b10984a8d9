import type { Box, OpenedPdf, TextRun } from './document.ts';

const MAX_PAGES = 50;
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/g;

/** Where a text stands first: a box for each run that has a part of it. Spaces do not count. */
export async function findText(pdf: OpenedPdf, text: string): Promise<Box[]> {
  const wanted = text.replace(/\s+/g, '');
  if (wanted === '') return [];
  for (let number = 1; number <= Math.min(pdf.pages.length, MAX_PAGES); number += 1) {
    const runs = (await pdf.texts(number)).map((run) => ({ ...run, text: run.text.replace(/\s+/g, '') }));
    const from = runs.map((run) => run.text).join('').indexOf(wanted);
    if (from < 0) continue;
    let before = 0;
    return runs.flatMap(({ text: own, box }) => {
      const first = Math.max(from - before, 0);
      const end = Math.min(from + wanted.length - before, own.length);
      before += own.length;
      return first < end ? [partOf(box, first / own.length, end / own.length)] : [];
    });
  }
  return [];
}

function partOf(box: Box, from: number, to: number): Box {
  return { ...box, left: box.left + box.width * from, width: box.width * (to - from) };
}

/** The first place where a value is printed whole, in one of its ways of writing; null if there is none. */
export async function findValue(pdf: OpenedPdf, ways: readonly string[]): Promise<Box | null> {
  const numbers = Array.from({ length: Math.min(pdf.pages.length, MAX_PAGES) }, (_, index) => index + 1);
  const pages = await Promise.all(numbers.map((number) => pdf.texts(number)));
  for (const way of ways) {
    for (const runs of pages) {
      const box = valueIn(way, runs);
      if (box) return box;
    }
  }
  return null;
}

function valueIn(wanted: string, runs: readonly TextRun[]): Box | null {
  const joined = runs.map(({ text }) => text).join('\u0000');
  const begins: number[] = [];
  let at = 0;
  for (const { text } of runs) { begins.push(at); at += text.length + 1; }
  // Pieces end anywhere, also within a word.
  const pattern = new RegExp(`(?<![\\p{L}\\d.,])${[...wanted].map((char) => (/\s/.test(char) ? '[\\s\\u0000]+' : char.replace(SYNTAX, '\\$&'))).join('\\u0000?')}(?![\\p{L}\\d]|[.,]\\d)`, 'u');
  const match = pattern.exec(joined);
  if (!match) return null;
  const end = match.index + match[0].length;
  const parts = runs.flatMap(({ text, box }, index) => {
    const begin = begins[index] ?? 0;
    const from = Math.max(match.index, begin) - begin;
    const to = Math.min(end, begin + text.length) - begin;
    if (to <= from) return [];
    return [partOf(box, from / text.length, to / text.length)];
  });
  const [first] = parts;
  if (!first) return null;
  // A text that goes on in another line is framed where it begins.
  const line = parts.filter(({ top }) => Math.abs(top - first.top) < first.height / 2);
  const right = Math.max(...line.map(({ left, width }) => left + width));
  return { ...first, width: right - first.left };
}
