import type { components } from 'contract';
import { api, dataOf } from '../api/client.ts';
import { BLANK, type Draft, type Format, FORMATS } from './model.ts';

type Schemas = components['schemas'];
type Content = Schemas['TemplateContentShown'];
type HeaderFooter = Schemas['HeaderFooter'];

/** The draft that a stored template gives, with its default data. `version` is `live`, `draft` or a number. */
export async function draftOfTemplate(id: string, version: string | number | undefined, signal: AbortSignal): Promise<Draft> {
  const path = { id };
  const template = await dataOf(api.GET('/v1/templates/{id}', { params: { path }, signal }));
  const live = template.live_version?.number;
  const number = version === undefined || version === 'live' ? live : version === 'draft' ? undefined : Number(version);
  const [source, data] = await Promise.all([
    number === undefined
      ? dataOf(api.GET('/v1/templates/{id}/draft', { params: { path }, signal }))
      : dataOf(api.GET('/v1/templates/{id}/versions/{number}', { params: { path: { id, number } }, signal })),
    defaultData(id, signal),
  ]);
  const { output_format, email: _email, ...options } = source.options;
  const pdf = { ...options.pdf, ...settings('header', source.content), ...settings('footer', source.content) };
  return {
    ...BLANK,
    name: template.name,
    sources: {
      html: source.content.html ?? '',
      head: source.content.head ?? '',
      css: source.content.css ?? '',
      header: htmlOf(source.content.header),
      footer: htmlOf(source.content.footer),
      // Without data a document is no template.
      data: `${JSON.stringify(data ?? {}, null, 2)}\n`,
    },
    format: formatOf(output_format),
    output: withoutNulls({ ...options, ...(Object.keys(pdf).length > 0 ? { pdf } : {}) }) as Record<string, unknown>,
    template: { id, version: number ?? 'draft' },
  };
}

async function defaultData(id: string, signal: AbortSignal): Promise<object | null> {
  const sets = await dataOf(api.GET('/v1/templates/{id}/datasets', { params: { path: { id }, query: { limit: 100 } }, signal }));
  const chosen = sets.data.find((each) => each.is_default) ?? sets.data[0];
  if (!chosen) return null;
  return (await dataOf(api.GET('/v1/templates/{id}/datasets/{ds}', { params: { path: { id, ds: chosen.id } }, signal }))).data;
}

/** The format that a stored set of options asks for. */
export function formatOf(named: unknown): Format {
  return FORMATS.find((each) => each === named) ?? 'pdf';
}

function htmlOf(part: string | HeaderFooter | null | undefined): string {
  return typeof part === 'string' ? part : (part?.html ?? '');
}

function settings(name: 'header' | 'footer', content: Content): { [_ in 'header' | 'footer']?: object } {
  const part = content[name];
  if (typeof part !== 'object' || part === null) return {};
  const { html: _html, enabled: _enabled, ...others } = part;
  return Object.keys(withoutNulls(others) as object).length > 0 ? { [name]: others } : {};
}

/** A stored object names what is unset; an option of the form is not there then. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutNulls(each)]));
}

/** The body of `POST /v1/templates` for a draft, with its data as the first dataset. */
export function templateOf(draft: Draft, name: string, datasetName: string, data: object | null): Schemas['TemplateRequest'] {
  const { html, head, css } = draft.sources;
  const { http: _http, pdf, ...others } = draft.output;
  const { header, footer, ...rest } = (pdf ?? {}) as Record<string, unknown>;
  const options = { ...others, ...(Object.keys(rest).length > 0 ? { pdf: rest } : {}), output_format: draft.format };
  return {
    name,
    html,
    ...(head.trim() === '' ? {} : { head }),
    ...(css.trim() === '' ? {} : { css }),
    ...part('header', draft.sources.header, header),
    ...part('footer', draft.sources.footer, footer),
    options: options as Schemas['TemplateOptions'],
    ...(data === null ? {} : { datasets: [{ name: datasetName, data: data as Record<string, unknown> }] }),
  };
}

function part(name: 'header' | 'footer', html: string, set: unknown): { [_ in 'header' | 'footer']?: string | HeaderFooter } {
  const members = { ...(set as HeaderFooter | undefined) };
  if (html.trim() === '') return Object.keys(members).length > 0 ? { [name]: members } : {};
  return { [name]: Object.keys(members).length > 0 ? { ...members, html } : html };
}
