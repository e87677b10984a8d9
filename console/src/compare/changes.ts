import type { ComparedPage } from './queries.ts';
import type { Order } from './search.ts';

export type PageState = 'same' | 'changed' | 'added' | 'removed';

export function stateOf(page: ComparedPage): PageState {
  if (page.from_url === null) return 'added';
  if (page.to_url === null) return 'removed';
  return page.changed > 0 ? 'changed' : 'same';
}

/** The pages of the list: all in order, those with changes first, or only those. */
export function listedPages(pages: readonly ComparedPage[], order: Order | undefined): ComparedPage[] {
  if (order === 'only') return pages.filter((page) => page.changed > 0);
  if (order === 'first') return pages.toSorted((one, other) => other.changed - one.changed || one.page - other.page);
  return [...pages];
}

export type Piece = { text: string; differs: boolean };

/** A changed text in pieces: what begins and ends as the other one, and what differs between. */
export function piecesOf(text: string, other: string): Piece[] {
  const [words, others] = [text.split(/(\s+)/), other.split(/(\s+)/)];
  const most = Math.min(words.length, others.length);
  let begin = 0;
  while (begin < most && words[begin] === others[begin]) begin += 1;
  let end = 0;
  while (end < most - begin && words[words.length - 1 - end] === others[others.length - 1 - end]) end += 1;
  const [before, middle, after] = [words.slice(0, begin), words.slice(begin, words.length - end), words.slice(words.length - end)].map((part) => part.join(''));
  // Blanks around what differs are not marked.
  const [, left = '', differs = '', right = ''] = /^(\s*)(.*?)(\s*)$/s.exec(middle ?? '') ?? [];
  const pieces = [{ text: `${before}${left}`, differs: false }, { text: differs, differs: true }, { text: `${right}${after}`, differs: false }];
  return pieces.filter((piece) => piece.text !== '');
}
