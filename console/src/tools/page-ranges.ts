/** The pages that ranges such as `1-3, 5` name, without those beyond the last one. */
export function pagesOf(ranges: string, count: number): Set<number> {
  const pages = new Set<number>();
  for (const part of ranges.split(',')) {
    const [, first, last] = /^ *(\d{1,5})(?: *- *(\d{1,5}))? *$/.exec(part) ?? [];
    if (first === undefined) continue;
    const end = Math.min(Number(last ?? first), count);
    for (let page = Math.max(1, Number(first)); page <= end; page += 1) pages.add(page);
  }
  return pages;
}

/** Pages as ranges, in their order in the document. */
export function rangesOf(pages: Iterable<number>): string {
  const sorted = [...pages].sort((one, other) => one - other);
  const ranges: [number, number][] = [];
  for (const page of sorted) {
    const last = ranges.at(-1);
    if (last && last[1] === page - 1) last[1] = page;
    else ranges.push([page, page]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

/** The parts of a document that is cut before pages. */
export function partsOf(cuts: Iterable<number>, count: number): string[] {
  const starts = [1, ...[...cuts].filter((page) => page > 1 && page <= count).sort((one, other) => one - other)];
  return starts.map((first, index) => rangesOf(range(first, (starts[index + 1] ?? count + 1) - 1)));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
