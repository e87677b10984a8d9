import type { Box, OpenedPdf } from './document.ts';

const MAX_PAGES = 50;

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
