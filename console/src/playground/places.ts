import type { components } from 'contract';
import type { Problem } from '../api/problem.ts';
import type { Source } from './search.ts';

/** A place in a source of the draft; lines and columns count from 1. */
export type Place = { source: Source; line: number; column: number };

const NAMES: Record<string, Source> = {
  html: 'html',
  head: 'css',
  'output.pdf.header.html': 'header',
  'output.pdf.footer.html': 'footer',
};
const IN_WARNING = /^([\w.]+), line (\d+), column (\d+)/;
const IN_PROBLEM = /^([\w.]+): /;
// The line `<style>` stands before the CSS in the head.
const CSS_OFFSET = 1;

/** Where a warning is, if it is in a source. */
export function placeOfWarning(warning: components['schemas']['RenderWarning']): Place | null {
  const [, name = '', line, column] = IN_WARNING.exec(warning.detail ?? '') ?? [];
  return placeIn(NAMES[name], Number(line), Number(column));
}

/** Where the error of a template is. */
export function placeOfProblem(problem: Problem): Place | null {
  if (problem.line === undefined) return null;
  const name = IN_PROBLEM.exec(problem.detail)?.[1] ?? 'html';
  return placeIn(NAMES[name] ?? 'html', problem.line, problem.column ?? 1);
}

/** The source that a field of the request comes from, by its pointer. */
export function sourceOfPointer(pointer: string): Source | null {
  if (pointer.startsWith('/data')) return 'data';
  if (pointer.startsWith('/input/html')) return 'html';
  if (pointer.startsWith('/input/head')) return 'css';
  if (pointer.startsWith('/output/pdf/header/html')) return 'header';
  if (pointer.startsWith('/output/pdf/footer/html')) return 'footer';
  return null;
}

function placeIn(source: Source | undefined, line: number, column: number): Place | null {
  if (source === undefined || !Number.isFinite(line)) return null;
  return { source, line: source === 'css' ? Math.max(1, line - CSS_OFFSET) : line, column };
}
