import type { Box, OpenedPdf } from '../pdf/document.ts';
import { findText } from '../pdf/find-text.ts';
import { type Margins, pixelsOf } from '../pdf/overlays.tsx';
import type { Draft } from './model.ts';
import { type Place, placeOfWarning, type Warning } from './places.ts';

// A few words find a place; more may be drawn in another order.
const MAX_CHARS = 40;
const SIDES = ['top', 'right', 'bottom', 'left'] as const;

/** The line that a warning is about: the one that it names, or that of the element that it names. */
export function lineOfWarning(draft: Draft, warning: Warning): Place | null {
  const named = placeOfWarning(draft, warning) ?? lineOfScript(draft, warning);
  if (named) return named;
  const offset = Number(elementOf(draft, warning)?.dataset.at ?? NaN);
  if (Number.isNaN(offset)) return null;
  const before = draft.sources.html.slice(0, offset).split('\n');
  return { source: 'html', line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** A script without an address stands in the document, whose lines are those of the source if it is no template. */
function lineOfScript(draft: Draft, { code, detail }: Warning): Place | null {
  const [, line, column] = (code === 'script_failed' && /^line (\d+), column (\d+)$/.exec(detail ?? '')) || [];
  if (line === undefined || draft.template !== null || draft.sources.data.trim() !== '' || hasHead(draft)) return null;
  return { source: 'html', line: Number(line), column: Number(column) };
}

function hasHead({ sources: { head, css } }: Draft): boolean {
  return `${head}${css}`.trim() !== '';
}

/**
 * Where a warning is on the pages. The service names an element, a text or a field; the pages are
 * searched for what it shows.
 */
export async function boxesOfWarning(pdf: OpenedPdf, draft: Draft, warning: Warning): Promise<Box[]> {
  const part = /^\/output\/pdf\/(?:first_|last_)?(header|footer)/.exec(warning.detail ?? '')?.[1];
  const page = pdf.pages[0];
  if (warning.code === 'header_footer_overlap' && part && page) {
    const margin = pixelsOf(marginTexts(draft)[part === 'header' ? 'top' : 'bottom']);
    const top = part === 'header' ? 0 : page.height - margin;
    return [{ page: 1, left: 0, top, width: page.width, height: margin }];
  }
  for (const text of wordsOf(draft, warning)) {
    const found = await findText(pdf, text);
    if (found.length > 0) return found;
  }
  return [];
}

/** Margins as the options have them; null if the document has its own. */
export function marginsOf(draft: Draft): Margins | null {
  const { html, head, css } = draft.sources;
  if (draft.template !== null || [html, head, css].some((text) => text.includes('@page'))) return null;
  const named = marginTexts(draft);
  return Object.fromEntries(SIDES.map((side) => [side, { text: named[side], pixels: pixelsOf(named[side]) }])) as Margins;
}

function marginTexts(draft: Draft): Record<(typeof SIDES)[number], string> {
  const given = (draft.output.pdf as { margin?: Partial<Record<(typeof SIDES)[number], string>> } | undefined)?.margin;
  return Object.fromEntries(SIDES.map((side) => [side, given?.[side] ?? '10mm'])) as Record<(typeof SIDES)[number], string>;
}

/** Texts that the place of a warning shows, the surest first. */
function wordsOf(draft: Draft, { code, message, detail, ...rest }: Warning): string[] {
  const placeholder = code === 'placeholder_left' ? /\{\{.*?\}\}/.exec(message)?.[0] : undefined;
  // A character that no font has is in no text of a PDF.
  const missing = code === 'glyph_missing' ? [...message.matchAll(/(.) \(U\+/gu)].map(([, letter = '']) => letter) : [];
  const around = code === 'glyph_missing' ? splitAt(detail ?? '', missing) : [];
  const shown = (elementOf(draft, { code, message, detail: detail ?? null, ...rest })?.textContent ?? '').split(/\{[{%].*?[%}]\}|\n/s);
  const own = shown.map((text) => text.trim()).filter((text) => text.length > 1).map((text) => text.slice(0, MAX_CHARS));
  return [...(placeholder ? [placeholder] : []), ...around, ...own.sort(byLength)];
}

function splitAt(text: string, letters: readonly string[]): string[] {
  return letters.reduce((parts, letter) => parts.flatMap((part) => part.split(letter)), [text]).map((part) => part.trim()).filter(Boolean).sort(byLength);
}

function byLength(one: string, other: string): number {
  return other.length - one.length;
}

let parsed: { html: string; document: Document } | null = null;

/** The element of the HTML that a warning names, by its selector or its address. `data-at` is its offset. */
function elementOf(draft: Draft, { detail }: Warning): HTMLElement | null {
  const { html } = draft.sources;
  if (!detail || draft.template !== null) return null;
  if (parsed?.html !== html) {
    parsed = { html, document: parse(html) };
  }
  const address = CSS.escape(detail);
  // An address is told from the root of the document's origin.
  const relative = CSS.escape(detail.replace(/^\//, ''));
  for (const selector of [`[src="${address}"], [href="${address}"], [src="${relative}"], [href="${relative}"]`, detail]) {
    try {
      const found = parsed.document.querySelector<HTMLElement>(selector);
      if (found?.dataset.at !== undefined) return found;
    } catch {
      // A detail that is neither an address nor a selector names no element.
    }
  }
  return null;
}

/** Parse a document of a tenant, inert. Styles are taken out, as the policy of this page reports them. */
function parse(html: string): Document {
  const marked = html
    .replace(/<([a-z][\w-]*)/gi, (tag, _name, offset: number) => `${tag} data-at="${offset}"`)
    .replace(/<(\/?)style\b/gi, '<$1title')
    .replace(/([\s"'/])style(\s*=)/gi, '$1data-style$2');
  return new DOMParser().parseFromString(marked, 'text/html');
}
