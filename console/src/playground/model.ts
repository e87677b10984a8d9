import { type Asset, sentAsset } from './assets.ts';
import { texts } from '../texts.ts';
import type { Source } from './search.ts';

export const FORMATS = ['pdf', 'png', 'jpeg', 'webp', 'html', 'xml'] as const;
export type Format = (typeof FORMATS)[number];
export const PICTURES: ReadonlySet<string> = new Set(['png', 'jpeg', 'webp']);

/** A stored template, while the draft is the same as what it holds. */
export type TemplateOrigin = { id: string; version: number | 'draft' };

/** What is written in the playground; `output` has the options of the form. */
export type Draft = {
  name: string;
  sources: Record<Source, string>;
  format: Format;
  /** Null is the newest one. */
  engine: string | null;
  output: Record<string, unknown>;
  assets: Asset[];
  template: TemplateOrigin | null;
};

export const BLANK: Draft = {
  name: '',
  sources: { html: '', head: '', css: '', header: '', footer: '', data: '' },
  format: 'pdf',
  engine: null,
  output: {},
  assets: [],
  template: null,
};
export const FIRST: Draft = {
  ...BLANK,
  sources: {
    ...BLANK.sources,
    html: '<h1>Hello, {{ name }}</h1>\n<p>This page is made while you write.</p>\n',
    css: 'body {\n  font: 11pt/1.5 Inter;\n  color: #1b1a17;\n}\nh1 {\n  font-size: 24pt;\n  letter-spacing: -0.02em;\n}\n',
    data: '{\n  "name": "Ada"\n}\n',
  },
  output: { pdf: { margin: { top: '25mm', left: '25mm', right: '25mm' } } },
};

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

/** Text of the head, up to the line before the CSS. */
export function headBefore(draft: Pick<Draft, 'sources'>): string {
  const { head } = draft.sources;
  return head.trim() === '' ? '' : `${head.replace(/\n+$/, '')}\n`;
}

/** The body of `POST /v1/renders` for a draft. */
export function requestOf(draft: Draft, data: object | null) {
  const assets = draft.assets.flatMap(sentAsset);
  return {
    input: { ...inputOf(draft), ...(assets.length > 0 ? { assets } : {}) },
    ...(draft.template === null ? {} : { version: draft.template.version }),
    ...(data === null ? {} : { data }),
    output: { ...outputOf(draft), format: draft.format },
    ...(draft.engine === null ? {} : { engine: draft.engine }),
    ...(draft.name.trim() === '' ? {} : { reference: draft.name.trim() }),
  };
}

export type RequestBody = ReturnType<typeof requestOf>;

function inputOf(draft: Draft) {
  if (draft.template !== null) return { type: 'template', template_id: draft.template.id };
  const { html, css } = draft.sources;
  const head = headBefore(draft) + (css.trim() === '' ? '' : `<style>\n${css}</style>`);
  return { type: 'html', html, ...(head === '' ? {} : { head }) };
}

/** The options for the format alone: the service warns of those that it has no use for. */
function outputOf(draft: Draft): Record<string, unknown> {
  const { pdf: _pdf, image, ...output } = draft.output;
  if (draft.template !== null) return {};
  if (PICTURES.has(draft.format)) return { ...output, ...(image === undefined ? {} : { image }) };
  if (draft.format !== 'pdf') return output;
  const pdf = { ...(draft.output.pdf as object | undefined) } as Record<string, unknown>;
  for (const name of ['header', 'footer'] as const) {
    const set = pdf[name] as Record<string, unknown> | undefined;
    const html = draft.sources[name];
    if (html.trim() !== '') pdf[name] = { ...set, enabled: true, html };
    else if (set && Object.keys(set).length > 0) pdf[name] = { ...set, enabled: true };
  }
  return { ...output, ...(Object.keys(pdf).length > 0 ? { pdf } : {}) };
}
