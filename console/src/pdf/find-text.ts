import type { PDFDocumentProxy } from 'pdfjs-dist';

/** A place on a page, in CSS pixels of the page in its own size. */
export type PageBox = { page: number; left: number; top: number; width: number; height: number };

const CSS_PIXELS_PER_POINT = 96 / 72;
const MAX_PAGES = 50;
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/g;

/** The first place where one of the texts is printed, the first text before the others; null if there is none. */
export async function findText(pdf: PDFDocumentProxy, wanted: readonly string[]): Promise<PageBox | null> {
  const pages = Array.from({ length: Math.min(pdf.numPages, MAX_PAGES) }, (_, index) => index + 1);
  for (const text of wanted) {
    for (const page of pages) {
      const box = boxOf(text, await piecesOf(pdf, page));
      if (box) return { page, ...box };
    }
  }
  return null;
}

type Box = Omit<PageBox, 'page'>;
type Piece = Box & { text: string };

const piecesOfPages = new WeakMap<PDFDocumentProxy, Map<number, Promise<Piece[]>>>();

function piecesOf(pdf: PDFDocumentProxy, number: number): Promise<Piece[]> {
  const known = piecesOfPages.get(pdf) ?? new Map<number, Promise<Piece[]>>();
  piecesOfPages.set(pdf, known);
  const pieces = known.get(number) ?? readPieces(pdf, number);
  known.set(number, pieces);
  return pieces;
}

async function readPieces(pdf: PDFDocumentProxy, number: number): Promise<Piece[]> {
  const page = await pdf.getPage(number);
  const viewport = page.getViewport({ scale: CSS_PIXELS_PER_POINT });
  const { items } = await page.getTextContent();
  return items.flatMap((item) => {
    if (!('str' in item) || item.str === '') return [];
    const [, , , , x, y] = item.transform as number[];
    const [left = 0, bottom = 0] = viewport.convertToViewportPoint(x ?? 0, y ?? 0) as number[];
    const height = item.height * CSS_PIXELS_PER_POINT;
    return [{ text: item.str, left, top: bottom - height, width: item.width * CSS_PIXELS_PER_POINT, height }];
  });
}

function boxOf(wanted: string, pieces: Piece[]): Box | null {
  const joined = pieces.map(({ text }) => text).join('\u0000');
  const begins: number[] = [];
  let at = 0;
  for (const { text } of pieces) { begins.push(at); at += text.length + 1; }
  // Pieces end anywhere, also within a word.
  const pattern = new RegExp(`(?<![\\p{L}\\d.,])${[...wanted].map((char) => (/\s/.test(char) ? '[\\s\\u0000]+' : char.replace(SYNTAX, '\\$&'))).join('\\u0000?')}(?![\\p{L}\\d]|[.,]\\d)`, 'u');
  const match = pattern.exec(joined);
  if (!match) return null;
  const end = match.index + match[0].length;
  const parts = pieces.flatMap((piece, index) => {
    const begin = begins[index] ?? 0;
    const from = Math.max(match.index, begin) - begin;
    const to = Math.min(end, begin + piece.text.length) - begin;
    if (to <= from) return [];
    const part = piece.width / piece.text.length;
    return [{ ...piece, left: piece.left + from * part, width: (to - from) * part }];
  });
  const [first] = parts;
  if (!first) return null;
  // A text that goes on in another line is framed where it begins.
  const line = parts.filter(({ top }) => Math.abs(top - first.top) < first.height / 2);
  const right = Math.max(...line.map(({ left, width }) => left + width));
  return { left: first.left, top: first.top, width: right - first.left, height: first.height };
}
