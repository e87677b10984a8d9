import type { components } from 'contract';
import type { Language } from '../editor/code-editor.tsx';
import type { TemplateType } from './search.ts';

type Schemas = components['schemas'];
type SourceShown = Pick<Schemas['TemplateDraft'], 'content' | 'options' | 'schema'>;
type Members = Record<string, unknown>;

/** The parts of a source that are texts in the editor; those of a type are in `PARTS_OF`. */
export const PARTS = ['html', 'head', 'css', 'header', 'footer', 'scene', 'options', 'schema'] as const;
export type SourcePart = (typeof PARTS)[number];
export const TEXTS_OF: Record<TemplateType, readonly ('html' | 'head' | 'css' | 'header' | 'footer' | 'scene')[]> = {
  html: ['html', 'head', 'css', 'header', 'footer'],
  image_canvas: ['scene'],
};
export const LANGUAGE_OF: Record<SourcePart, Language> = {
  html: 'html', head: 'html', css: 'css', header: 'html', footer: 'html', scene: 'json', options: 'json', schema: 'json',
};

/** A source as texts; `options` is JSON with what a header or footer has besides its HTML. */
export type Source = Record<SourcePart, string>;

export function sourceOf({ content, options, schema }: SourceShown): Source {
  const pdf = { ...(options.pdf as Members | undefined), ...settings('header', content.header), ...settings('footer', content.footer) };
  const shown = withoutNulls({ ...options, ...(Object.keys(pdf).length > 0 ? { pdf } : {}) });
  return {
    html: content.html ?? '',
    head: content.head ?? '',
    css: content.css ?? '',
    header: htmlOf(content.header),
    footer: htmlOf(content.footer),
    scene: jsonText(content.scene),
    options: jsonText(shown),
    schema: jsonText(schema),
  };
}

/** The body of `PUT /v1/templates/{id}/draft`; throws SyntaxError for a part that is not JSON. */
export function requestOfSource(source: Source, type: TemplateType): Schemas['DraftRequest'] {
  const { pdf, ...rest } = optionsOf(source);
  const { header, footer, ...printed } = (pdf ?? {}) as Members;
  const options = { ...rest, ...(Object.keys(printed).length > 0 ? { pdf: printed } : {}) };
  const written = (['html', 'head', 'css'] as const).filter((name) => source[name] !== '');
  const content = type === 'image_canvas'
    ? { scene: JSON.parse(source.scene) as Members }
    : { ...Object.fromEntries(written.map((name) => [name, source[name]])), ...part('header', source.header, header), ...part('footer', source.footer, footer) };
  return {
    content: content as Schemas['TemplateContent'],
    options: options as Schemas['TemplateOptions'],
    schema: source.schema.trim() === '' ? null : JSON.parse(source.schema) as Members,
  };
}

export function optionsOf(source: Source): Members {
  return source.options.trim() === '' ? {} : JSON.parse(source.options) as Members;
}

export function withOptions(source: Source, options: Members): Source {
  return { ...source, options: jsonText(options) };
}

/** The input and output of a render that looks as the source, which is not saved yet. */
export function renderOfSource(source: Source): { input: object; output: Members & { format: string } } {
  const { output_format, pdf, ...rest } = optionsOf(source);
  const printed: Members = { ...(pdf as Members | undefined) };
  for (const name of ['header', 'footer'] as const) {
    if (source[name].trim() !== '') printed[name] = { enabled: true, ...(printed[name] as Members | undefined), html: source[name] };
  }
  const head = `${source.head}${source.css.trim() === '' ? '' : `<style>\n${source.css}</style>`}`;
  const format = typeof output_format === 'string' ? output_format : 'pdf';
  return {
    input: { type: 'html', html: source.html, ...(head === '' ? {} : { head }) },
    output: { ...rest, format, ...(format === 'pdf' && Object.keys(printed).length > 0 ? { pdf: printed } : {}) },
  };
}

/** The parts in which two sources differ. */
export function differences(one: Source, other: Source): SourcePart[] {
  return PARTS.filter((name) => one[name] !== other[name]);
}

export function jsonText(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = JSON.stringify(value, null, 2);
  return text === '{}' ? '' : `${text}\n`;
}

function htmlOf(given: string | Schemas['HeaderFooter'] | null | undefined): string {
  return typeof given === 'string' ? given : (given?.html ?? '');
}

function settings(name: 'header' | 'footer', given: string | Schemas['HeaderFooter'] | null | undefined): Members {
  if (typeof given !== 'object' || given === null) return {};
  const { html: _html, ...others } = given;
  const kept = withoutNulls(others) as Members;
  return Object.keys(kept).length > 0 ? { [name]: kept } : {};
}

function part(name: 'header' | 'footer', html: string, given: unknown): Members {
  const members = { ...(given as Members | undefined) };
  if (Object.keys(members).length === 0) return html === '' ? {} : { [name]: html };
  return { [name]: html === '' ? members : { ...members, html } };
}

/** A stored object names what is unset; an option of the form is not there then. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutNulls(each)]));
}
