import { useCallback, useState } from 'react';
import { texts } from '../texts.ts';
import type { Source } from './search.ts';

/** What is written in the playground; `output` has the options of the form. */
export type Draft = { name: string; sources: Record<Source, string>; output: Record<string, unknown> };

const STORED = 'platen.draft';
export const BLANK: Draft = {
  name: '',
  sources: { html: '', css: '', header: '', footer: '', data: '' },
  output: {},
};
export const FIRST: Draft = {
  name: '',
  sources: {
    html: '<h1>Hello, {{ name }}</h1>\n<p>This page is made while you write.</p>\n',
    css: 'body {\n  font: 11pt/1.5 Inter;\n  color: #1b1a17;\n}\nh1 {\n  font-size: 24pt;\n  letter-spacing: -0.02em;\n}\n',
    header: '',
    footer: '',
    data: '{\n  "name": "Ada"\n}\n',
  },
  output: { pdf: { margin: { top: '25mm', left: '25mm', right: '25mm' } } },
};

/** The draft of this tab, which outlives a reload. */
export function useDraft(): [Draft, (change: (draft: Draft) => Draft) => void] {
  const [draft, setDraft] = useState(stored);
  const change = useCallback((next: (draft: Draft) => Draft) => {
    setDraft((before) => {
      const after = next(before);
      try {
        sessionStorage.setItem(STORED, JSON.stringify(after));
      } catch {
        // Larger than the storage of a tab: it lives until the reload.
        sessionStorage.removeItem(STORED);
      }
      return after;
    });
  }, []);
  return [draft, change];
}

function stored(): Draft {
  const text = sessionStorage.getItem(STORED);
  return text === null ? FIRST : (JSON.parse(text) as Draft);
}

export type DataFault = { line: number; column: number; message: string };

/** The data of a draft, or what is wrong with them. */
export function parsedData(text: string): { data: object | null } | { fault: DataFault } {
  if (text.trim() === '') return { data: null };
  try {
    const data: unknown = JSON.parse(text);
    if (typeof data === 'object' && data !== null && !Array.isArray(data)) return { data };
    return { fault: { line: 1, column: 1, message: texts.play.dataObject } };
  } catch (error) {
    const offset = faultOffset(text, error as Error);
    const before = text.slice(0, offset).split('\n');
    const line = before.length;
    const column = (before.at(-1)?.length ?? 0) + 1;
    return { fault: { line, column, message: `${texts.play.dataError(line)}: ${(error as Error).message}` } };
  }
}

/** Where a parser of JSON has stopped: engines say it in different ways, and not always. */
function faultOffset(text: string, error: Error): number {
  const position = /position (\d+)/.exec(error.message)?.[1];
  if (position !== undefined) return Number(position);
  const place = /line (\d+) column (\d+)/.exec(error.message);
  if (place) {
    const lines = text.split('\n').slice(0, Number(place[1]) - 1);
    return lines.reduce((sum, each) => sum + each.length + 1, 0) + Number(place[2]) - 1;
  }
  return text.trimEnd().length;
}

/** The body of `POST /v1/renders` for a draft. */
export function requestOf(draft: Draft, data: object | null) {
  const { html, css, header, footer } = draft.sources;
  const pdf = { ...(draft.output.pdf as object | undefined) } as Record<string, unknown>;
  for (const [name, text] of [['header', header], ['footer', footer]] as const) {
    const set = pdf[name] as Record<string, unknown> | undefined;
    if (text.trim() !== '') pdf[name] = { ...set, enabled: true, html: text };
    else if (set && Object.keys(set).length > 0) pdf[name] = { ...set, enabled: true };
  }
  const output = { ...draft.output, format: 'pdf', ...(Object.keys(pdf).length > 0 ? { pdf } : {}) };
  const head = css.trim() === '' ? {} : { head: `<style>\n${css}</style>` };
  return {
    input: { type: 'html', html, ...head },
    ...(data === null ? {} : { data }),
    output,
    ...(draft.name.trim() === '' ? {} : { reference: draft.name.trim() }),
  };
}

export type RequestBody = ReturnType<typeof requestOf>;
