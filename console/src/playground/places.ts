import type { components } from 'contract';
import type { Problem } from '../api/problem.ts';
import { type Draft, headBefore } from './model.ts';
import type { Source } from './search.ts';

/** A place in a source of the draft; lines and columns count from 1. */
export type Place = { source: Source; line: number; column: number };
export type Warning = components['schemas']['RenderWarning'];

const NAMES: Record<string, Source> = {
  html: 'html',
  head: 'head',
  css: 'css',
  'output.pdf.header.html': 'header',
  'output.pdf.footer.html': 'footer',
};
const IN_WARNING = /^([\w.]+), line (\d+), column (\d+)/;
const IN_PROBLEM = /^([\w.]+): /;
// The line `<style>` stands before the CSS in the head.
const STYLE_LINES = 1;

/** Where a warning is, if it is in a source. */
export function placeOfWarning(draft: Draft, warning: Warning): Place | null {
  const [, name = '', line, column] = IN_WARNING.exec(warning.detail ?? '') ?? [];
  return placeIn(draft, name, Number(line), Number(column));
}

/** Where the error of a template is. */
export function placeOfProblem(draft: Draft, problem: Problem): Place | null {
  if (problem.line === undefined) return null;
  const name = IN_PROBLEM.exec(problem.detail)?.[1] ?? 'html';
  return placeIn(draft, name in NAMES ? name : 'html', problem.line, problem.column ?? 1);
}

/** The part of the draft that a field of the request comes from, by its pointer. */
export function tabOfPointer(draft: Draft, pointer: string): Source | 'assets' | null {
  if (pointer.startsWith('/data')) return 'data';
  if (pointer.startsWith('/input/assets')) return 'assets';
  if (pointer.startsWith('/input/html')) return 'html';
  if (pointer.startsWith('/input/head')) return draft.sources.head.trim() === '' ? 'css' : 'head';
  if (pointer.startsWith('/output/pdf/header/html')) return 'header';
  if (pointer.startsWith('/output/pdf/footer/html')) return 'footer';
  return null;
}

/** A request has head and CSS as one text. */
function placeIn(draft: Draft, name: string, line: number, column: number): Place | null {
  const source = NAMES[name];
  if (source === undefined || !Number.isFinite(line)) return null;
  const before = headBefore(draft).split('\n').length - 1;
  if (source !== 'head' || draft.template !== null || line <= before) return { source, line, column };
  return { source: 'css', line: Math.max(1, line - before - STYLE_LINES), column };
}
